/* Compiling kernels at run time: the cache of cubins, and what the user is told when something is missing. Needs NVRTC,
 * but no device. */
#include "device/sw_kernels.h"
#ifdef SW_HAVE_CUDA
#include "device/kernels/compilation_cuda.h"
#endif
#include "helpers.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "architecture.h"
#include "problem/line/stepper/sw_stepper.h"

static const char good[] = "extern \"C\" __global__ void twice_k(double *x) { x[threadIdx.x] *= 2.0; }\n";

/* Each test begins with an empty cache of its own. */
static int fresh_cache(void **state)
{
    static int number;
    char path[300];
    (void)state;
    snprintf(path, sizeof path, "%s/cache%d", test_folder(), number++);
    return setenv("XDG_CACHE_HOME", path, 1);
}

static void compile(const char *text, void **cubin, size_t *bytes, bool *from_cache)
{
    enum sw_status st = sw_kernel_compile(text, "test", 90, cubin, bytes, from_cache);
    if (st == SW_E_ABSENT) skip_unless_needed("cuda", sw_err_message());
    if (st) fail_msg("%s", sw_err_message());
}

/* The one file in the cache folder. */
static void cached_file(char *path, size_t room)
{
    char folder[300];
    int files = 0;
    snprintf(folder, sizeof folder, "%s/sweep", getenv("XDG_CACHE_HOME"));
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e = readdir(d); e; e = readdir(d))
        if (e->d_name[0] != '.' && ++files) snprintf(path, room, "%s/%s", folder, e->d_name);
    closedir(d);
    assert_int_equal(files, 1);
}

static int count_files(const char *folder)
{
    int files = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e = readdir(d); e; e = readdir(d)) files += e->d_name[0] != '.';
    closedir(d);
    return files;
}

static void takes_the_second_compilation_from_the_cache(void **state)
{
    void *first, *second;
    size_t first_bytes, second_bytes;
    bool cached;
    (void)state;
    compile(good, &first, &first_bytes, &cached);
    assert_false(cached);
    compile(good, &second, &second_bytes, &cached);
    assert_true(cached);
    assert_int_equal(first_bytes, second_bytes);
    assert_memory_equal(first, second, first_bytes);
    sw_free(first);
    sw_free(second);
}

static void compiles_another_text_or_architecture_anew(void **state)
{
    static const char other[] = "extern \"C\" __global__ void twice_k(double *x) { x[threadIdx.x] *= 3.0; }\n";
    void *cubin;
    size_t bytes;
    bool cached;
    (void)state;
    compile(good, &cubin, &bytes, &cached);
    sw_free(cubin);
    compile(other, &cubin, &bytes, &cached);
    sw_free(cubin);
    assert_false(cached);
    assert_ok(sw_kernel_compile(good, "test", 80, &cubin, &bytes, &cached));
    sw_free(cubin);
    assert_false(cached);
}

static void damage(const char *path, long offset, long length)
{
    if (length >= 0) {
        assert_int_equal(truncate(path, length), 0);
        return;
    }
    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    assert_int_equal(fseek(f, offset, SEEK_SET), 0);
    int byte = fgetc(f);
    assert_int_equal(fseek(f, offset, SEEK_SET), 0);
    fputc(byte ^ 0x20, f);
    fclose(f);
}

/* An architecture that the compiler does not know yet gets the text that the driver goes on from. */
static void gives_newer_gpus_what_their_driver_compiles(void **state)
{
    void *code;
    size_t bytes;
    bool cached;
    (void)state;
    for (int k = 0; k < 2; k++) {
        const enum sw_status st = sw_kernel_compile(good, "test", 999, &code, &bytes, &cached);
        if (st == SW_E_ABSENT) skip_unless_needed("cuda", sw_err_message());
        assert_int_equal(st, SW_OK);
        assert_int_equal(cached, k);
        assert_non_null(strstr(code, ".target sm_"));
        assert_int_equal(((const char *)code)[bytes - 1], 0);
        sw_free(code);
    }
}

static void recovers_from_a_damaged_cache_file(void **state)
{
    static const struct { long offset, length; } harm[] = {{0, -1}, {20, -1}, {500, -1}, {0, 0}, {0, 39}, {0, 700}};
    void *cubin, *again;
    size_t bytes, again_bytes;
    bool cached;
    char path[800];
    (void)state;
    compile(good, &cubin, &bytes, &cached);
    cached_file(path, sizeof path);
    for (size_t k = 0; k < sizeof harm / sizeof *harm; k++) {
        damage(path, harm[k].offset, harm[k].length);
        compile(good, &again, &again_bytes, &cached);
        assert_false(cached);
        assert_int_equal(again_bytes, bytes);
        assert_memory_equal(again, cubin, bytes);
        sw_free(again);
        compile(good, &again, &again_bytes, &cached);
        assert_true(cached);
        sw_free(again);
    }
    sw_free(cubin);
}

static void works_where_the_cache_cannot_be_written(void **state)
{
    void *cubin;
    size_t bytes;
    bool cached;
    char path[300];
    (void)state;
    snprintf(path, sizeof path, "%s/a_file", test_folder());
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fclose(f);
    setenv("XDG_CACHE_HOME", path, 1);  /* a file where a folder should be: not even root can write there */
    compile(good, &cubin, &bytes, &cached);
    assert_false(cached);
    assert_true(bytes > 0);
    sw_free(cubin);
}

/* What could not be stored stays in memory: each of these tests has a text of its own. */
static const char *good_and(char text[200], const char *more)
{
    snprintf(text, 200, "%s// %s\n", good, more);
    return text;
}

/* Neither XDG_CACHE_HOME nor HOME: what is compiled twice is still the same, from memory. */
static void works_without_a_place_for_a_cache(void **state)
{
    const char *home = getenv("HOME");
    char kept[400], text[200];
    void *first, *second;
    size_t bytes, again;
    bool cached;
    (void)state;
    snprintf(kept, sizeof kept, "%s", home ? home : "");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    compile(good_and(text, "nowhere"), &first, &bytes, &cached);
    assert_false(cached);
    compile(text, &second, &again, &cached);
    assert_false(cached);
    assert_int_equal(bytes, again);
    assert_memory_equal(first, second, bytes);
    if (home) setenv("HOME", kept, 1);
    sw_free(first);
    sw_free(second);
}

/* A file may have 100 bytes: as on a full disk, a write fails in the middle of the cubin. Nothing of it stays. */
static void works_where_the_disk_is_full(void **state)
{
    struct rlimit full, before;
    char folder[300], text[200];
    void *cubin;
    size_t bytes;
    bool cached;
    (void)state;
    snprintf(folder, sizeof folder, "%s/sweep", getenv("XDG_CACHE_HOME"));
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    full = before;
    full.rlim_cur = 100;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
    enum sw_status st = sw_kernel_compile(good_and(text, "full"), "test", 90, &cubin, &bytes, &cached);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    if (st == SW_E_ABSENT) skip_unless_needed("cuda", sw_err_message());
    assert_int_equal(st, SW_OK);
    assert_false(cached);
    assert_true(bytes > 100);
    assert_int_equal(rmdir(folder), 0);
    sw_free(cubin);
}

#ifdef SW_HAVE_CUDA
/* A compiler that takes its time, and that its own exit handler takes away, as NVRTC's do: it is registered when it
 * first compiles. */
static const char slow_compiler[] =
    "#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n"
    "static int there;\nstatic void gone(void) { there = 0; }\n"
    "int nvrtcVersion(int *a, int *b) { *a = 13; *b = 0; return 0; }\n"
    "const char *nvrtcGetErrorString(int r) { return r ? \"wrong\" : \"\"; }\n"
    "int nvrtcCreateProgram(void **p) { *p = &there; return 0; }\n"
    "int nvrtcDestroyProgram(void **p) { *p = NULL; return 0; }\n"
    "int nvrtcCompileProgram(void *p)\n"
    "{ there = 1; atexit(gone); usleep(1000000); if (!there) abort(); return p == NULL; }\n"
    "int nvrtcGetCUBINSize(void *p, size_t *n) { *n = 4; return p == NULL; }\n"
    "int nvrtcGetCUBIN(void *p, char *c) { strcpy(c, \"abc\"); return p == NULL; }\n"
    "int nvrtcGetPTXSize(void *p, size_t *n) { *n = 4; return p == NULL; }\n"
    "int nvrtcGetPTX(void *p, char *c) { strcpy(c, \"ptx\"); return p == NULL; }\n"
    "int nvrtcGetNumSupportedArchs(int *n) { *n = 1; return 0; }\n"
    "int nvrtcGetSupportedArchs(int *all) { *all = getenv(\"SW_OLD\") ? 80 : 90; return 0; }\n"
    "int nvrtcGetProgramLogSize(void *p, size_t *n) { *n = 1; return p == NULL; }\n"
    "int nvrtcGetProgramLog(void *p, char *c) { *c = 0; return p == NULL; }\n";

static int exit_while_it_compiles(const char *library)
{
    struct sw_compilation *c[2];
    setenv("SWEEP_NVRTC", library, 1);
    for (int k = 0; k < 2; k++) {
        if (sw_compilation_begin(k ? "one" : "another", "test", 90, &c[k])) return 3;
        sw_compilation_leave(&c[k]);
    }
    usleep(200000);
    sw_kernels_end();
    exit(0);
}

/* The compiler above is one that knows sm_80 alone. */
static int old_compiler_is_refused(const char *library)
{
    char text[200];
    void *cubin;
    size_t bytes;
    bool cached;
    setenv("SWEEP_NVRTC", library, 1);
    setenv("SW_OLD", "1", 1);
    if (sw_kernel_compile(good_and(text, "of old"), "forcing", 90, &cubin, &bytes, &cached) != SW_E_ABSENT) return 1;
    return strstr(sw_err_message(), "up to sm_80 here, and this one is sm_90") ? 0 : 2;
}

static void in_a_child_with_that_compiler(int work(const char *library))
{
    char source[300], library[300], command[800];
    int status = -1;
    snprintf(source, sizeof source, "%s/slow.c", test_folder());
    snprintf(library, sizeof library, "%s/slow.so", test_folder());
    snprintf(command, sizeof command, "cc -w -shared -fPIC -o %s %s 2> /dev/null", library, source);
    FILE *f = fopen(source, "w");
    assert_non_null(f);
    fputs(slow_compiler, f);
    fclose(f);
    if (system(command)) skip_unless_needed("cc", "there is no compiler cc");
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) _exit(work(library));
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* A kernel that is never launched is still being compiled when the program ends. */
static void ends_while_a_kernel_is_compiled(void **state)
{
    (void)state;
    in_a_child_with_that_compiler(exit_while_it_compiles);
}

/* Text for older GPUs has no clusters, which what is launched here is laid out for. */
static void refuses_a_compiler_from_before_clusters(void **state)
{
    (void)state;
    in_a_child_with_that_compiler(old_compiler_is_refused);
}
#endif

enum { AT_ONCE = 6 };

static void *compile_one(void *argument)
{
    char text[200];
    void *cubin = NULL;
    size_t bytes;
    bool cached, *ok = argument;
    good_and(text, *ok ? "one" : "other");
    *ok = !sw_kernel_compile(text, "test", 90, &cubin, &bytes, &cached) && cubin && bytes > 100;
    sw_free(cubin);
    return NULL;
}

/* Half of the threads want one text, the others another: each is compiled once. */
static void compiles_once_what_several_threads_want(void **state)
{
    pthread_t thread[AT_ONCE];
    bool ok[AT_ONCE];
    void *cubin;
    size_t bytes;
    bool cached;
    char folder[300], text[200];
    (void)state;
    compile(good_and(text, "first"), &cubin, &bytes, &cached);  /* skips where there is no NVRTC */
    sw_free(cubin);
    for (int k = 0; k < AT_ONCE; k++) {
        ok[k] = k % 2;
        assert_int_equal(pthread_create(&thread[k], NULL, compile_one, &ok[k]), 0);
    }
    for (int k = 0; k < AT_ONCE; k++) {
        assert_int_equal(pthread_join(thread[k], NULL), 0);
        assert_true(ok[k]);
    }
    sw_kernels_wait();
    snprintf(folder, sizeof folder, "%s/sweep", getenv("XDG_CACHE_HOME"));
    assert_int_equal(count_files(folder), 3);
}

static int compile_in_child(void)
{
    void *cubin;
    size_t bytes;
    bool cached;
    const enum sw_status st = sw_kernel_compile(good, "test", 90, &cubin, &bytes, &cached);
    return st == SW_E_ABSENT ? 2 : st || bytes <= 100;
}

/* Before this process has loaded the compiler. */
static void two_processes_compile_the_same_kernel(void **state)
{
    enum { CHILDREN = 2 };
    pid_t child[CHILDREN];
    int status[CHILDREN];
    char folder[300], path[800];
    void *cubin;
    size_t bytes;
    bool cached;
    (void)state;
    fflush(NULL);
    for (int k = 0; k < CHILDREN; k++) {
        child[k] = fork();
        if (child[k] == 0) _exit(compile_in_child());
        assert_true(child[k] > 0);
    }
    for (int k = 0; k < CHILDREN; k++)
        assert_true(waitpid(child[k], &status[k], 0) == child[k] && WIFEXITED(status[k]));
    if (WEXITSTATUS(status[0]) == 2) skip_unless_needed("cuda", "no NVRTC");
    for (int k = 0; k < CHILDREN; k++) assert_int_equal(WEXITSTATUS(status[k]), 0);
    snprintf(folder, sizeof folder, "%s/sweep", getenv("XDG_CACHE_HOME"));
    assert_int_equal(count_files(folder), 1);
    cached_file(path, sizeof path);
    compile(good, &cubin, &bytes, &cached);
    assert_true(cached);
    sw_free(cubin);
}

/* ---- a kernel by itself */

static const char two_kernels[] =
    "__device__ static double half(double x) { return x / 2; }\n"
    "extern \"C\" __global__ void __launch_bounds__((128 + 2) * 2, 2)\nfirst_k(double *x) { x[0] = half(x[0]); }\n"
    "extern \"C\" __global__ void second_k(double *x, int n)\n{\n    if (n) x[0] = half(x[1]);\n}\n";

static void takes_some_kernels_of_a_text(void **state)
{
    static const char *const names[] = {"first_k", "second_k", "first", "k"};
    void *cubin;
    size_t bytes;
    bool cached;
    (void)state;
    compile(good, &cubin, &bytes, &cached);  /* or there is no compiler */
    sw_free(cubin);
    for (int first = 0; first < 3; first++)
        for (int count = 0; first + count <= 4; count++) {  /* the last two names are none of its kernels */
            struct sw_text some = {0};
            sw_kernel_text(two_kernels, names + first, count, &some);
            assert_int_equal(sw_text_status(&some), SW_OK);
            compile(sw_text_get(&some), &cubin, &bytes, &cached);
            for (int i = 0; i < 2; i++) {
                char section[20];
                snprintf(section, sizeof section, ".text.%s", names[i]);
                const bool there = memmem(cubin, bytes, section, strlen(section)) != NULL;
                assert_int_equal(there, i >= first && i < first + count);
            }
            sw_free(cubin);
            sw_text_free(&some);
        }
    assert_ok(sw_kernels_compile(two_kernels, "test", names, 2, 90));
}

/* What is wrong outside of the kernels is said once, and a text of one kernel stays as it is. */
static void says_what_is_wrong_of_any_kernel(void **state)
{
    static const char *const names[] = {"a_k", "b_k"};
    static const char wrong[] = "extern \"C\" __global__ void a_k(double *x) { x[0] = 1; }\n"
                                "extern \"C\" __global__ void b_k(double *x) { x[0] = missing; }\n";
    static const char *const twice = "twice_k";
    struct sw_text one = {0};
    (void)state;
    const enum sw_status st = sw_kernels_compile(wrong, "forcing", names, 2, 90);
    if (st == SW_E_ABSENT) skip_unless_needed("cuda", sw_err_message());
    assert_int_equal(st, SW_E_CUDA);
    assert_contains(sw_err_message(), "forcing does not compile for sm_90");
    assert_contains(sw_err_message(), "missing");
    sw_kernel_text(good, &twice, 1, &one);
    assert_string_equal(sw_text_get(&one), good);
    sw_text_free(&one);
}

static void reports_an_error_with_label_and_log(void **state)
{
    void *cubin = &cubin;
    size_t bytes;
    bool cached;
    (void)state;
    compile(good, &cubin, &bytes, &cached);  /* skips where there is no NVRTC */
    sw_free(cubin);
    assert_int_equal(
        sw_kernel_compile("__global__ void k() { undeclared = 1; }", "forcing", 90, &cubin, &bytes, &cached),
        SW_E_CUDA);
    assert_contains(sw_err_message(), "forcing does not compile for sm_90");
    assert_contains(sw_err_message(), "\"undeclared\" is undefined");
    assert_null(cubin);
    assert_int_equal(sw_kernel_compile(good, "forcing", 11, &cubin, &bytes, &cached), SW_E_CUDA);
    assert_contains(sw_err_message(), "sm_11");
}

/* Within a child, since the variable must not disturb the other tests. */
static int message_without_nvrtc(void)
{
    void *cubin;
    size_t bytes;
    bool cached;
    setenv("SWEEP_NVRTC", "/nonexistent/libnvrtc.so", 1);
    if (sw_kernel_compile(good, "forcing", 90, &cubin, &bytes, &cached) != SW_E_ABSENT) return 1;
    return strstr(sw_err_message(), "install") ? 0 : 2;
}

static void says_what_to_install_without_nvrtc(void **state)
{
    int status = -1;
    (void)state;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) _exit(message_without_nvrtc());
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- whole models, as a stepper would compile them */

static const struct sw_symbol symbols[] = {
    {"a", SW_RATE_RUN, 0}, {"v", SW_RATE_RUN, 1}, {"D", SW_RATE_RUN, 2}, {"seed", SW_RATE_RUN, 3},
    {"t", SW_RATE_STEP, 0}, {"x", SW_RATE_CELL, SW_IN_X}, {"u", SW_RATE_POINT, SW_IN_U},
    {"ux", SW_RATE_POINT, SW_IN_UX},
};

static struct sw_program *program(const char *text, uint32_t stream)
{
    const struct sw_scope scope = {symbols, sizeof symbols / sizeof *symbols, true, stream};
    struct sw_expr *expr = NULL;
    struct sw_program *out = NULL;
    struct sw_expr_error err;
    if (!text) return NULL;
    if (sw_expr_parse(text, &expr, &err) || sw_program_compile(expr, &scope, &out, &err))
        fail_msg("%s: %s", text, err.text);
    sw_expr_destroy(&expr);
    return out;
}

struct texts { const char *initial, *g, *s, *energy; };

static void own_nothing(void *own) { (void)own; }

static enum sw_status try_stepper(const struct sw_stepper_desc *desc, const char *row, int sm)
{
    struct sw_device *device = open_architecture(sm);
    struct sw_sim *sim = NULL;
    const struct sw_line_source source = {.destroy = own_nothing};
    const enum sw_status st = sw_stepper_create(desc, row, device, &source, &sim);
    if (sim) sim->ops->destroy(sim);
    sw_device_close(&device);
    return st;
}

/* @param row  NULL: both that compile models so */
static enum sw_status try_model(struct texts text, const char *row, int sm)
{
    struct sw_program *initial = program(text.initial, 0), *g = program(text.g, 0), *s = program(text.s, 1);
    struct sw_program *energy = program(text.energy, 0);
    struct sw_stepper_desc desc = {.n = 64, .capacity = 8};
    desc.model = (struct sw_line_model){.scheme = SW_BACKWARD_EULER, .nparam = 4, .initial = {initial}, .g = {g},
                                        .explicit_term = {s}, .energy = energy};
    enum sw_status st = try_stepper(&desc, row ? row : "cuda.split", sm);
    if (!st && !row) st = try_stepper(&desc, "cuda.cufft", sm);
    sw_program_destroy(&initial);
    sw_program_destroy(&g);
    sw_program_destroy(&s);
    sw_program_destroy(&energy);
    return st;
}

/* The first of some cases is compiled for both architectures, the others for one of them each; SW_LONG=1: all for
 * both. */
static bool is_tried(size_t k, int sm) { return k == 0 || long_suite() || sm == (k % 2 ? 90 : 80); }

static void compiles_models_with_and_without_each_expression(void **state)
{
    static const struct texts model[] = {
        {"0.05*randn(seed)", "D*(u^3 - u)", "a*cos(2*pi*4*(x - v*t))", "(u^2 - 1)^2/4 + a*ux^2/2"},
        {"cos(2*pi*x)", NULL, NULL, NULL},
        {NULL, NULL, NULL, NULL},
        {"0", NULL, "0", NULL},
        {NULL, "u", NULL, "1"},
        {NULL, NULL, "a", "u"},
        {NULL, "t*x*u", "t", "x"},
        {"rand(seed)", NULL, "rand(seed) + randn(u) + a*u^2*x*sin(t)", NULL},
        {"1/0", "sqrt(-1)*u", "-1/0", "0/0"},
    };
    (void)state;
    need_architectures();
    for (size_t k = 0; k < sizeof model / sizeof *model; k++)
        for (int sm = 80; sm <= 90; sm += 10) {
            if (!is_tried(k, sm)) continue;
            enum sw_status st = try_model(model[k], NULL, sm);
            if (st) fail_msg("model %zu: %s", k, sw_err_message());
        }
}

/* Crank-Nicolson alone; backward Euler with G and a force; Crank-Nicolson with G and a source in u. */
enum terms { NO_TERMS, FORCE, SOURCE, TERMS };

static enum sw_status try_length(const char *row, int n, enum terms terms, int sm)
{
    static const char *const force[TERMS] = {[FORCE] = "a*cos(x - v*t)", [SOURCE] = "a*u - u^3 + cos(x - v*t)"};
    struct sw_program *g = program(terms ? "D*(u^3 - u)" : NULL, 0), *s = program(force[terms], 1);
    struct sw_stepper_desc desc = {.n = n, .capacity = 8};
    desc.model = (struct sw_line_model){.scheme = terms == FORCE ? SW_BACKWARD_EULER : SW_CRANK_NICOLSON, .nparam = 4,
                                        .g = {g}, .explicit_term = {s}};
    enum sw_status st = try_stepper(&desc, row, sm);
    sw_program_destroy(&g);
    sw_program_destroy(&s);
    return st;
}

/* Of lines in a few lanes, a warp, a block, a cluster of blocks; without clusters the longest are not for
 * cuda.fused. */
static void compiles_lines_of_all_lengths(void **state)
{
    static const int length[] = {5, 100, 1025, 3000, 12289, 16385, 150000};
    (void)state;
    need_architectures();
    for (size_t k = 0; k < sizeof length / sizeof *length; k++)
        for (int sm = 80; sm <= 90; sm += 10) {
            if (length[k] <= 3000 && !is_tried(k, sm)) continue;
            enum sw_status st = try_length("cuda.fused", length[k], k % TERMS, sm);
            if (st == SW_E_ABSENT && sm < 90 && length[k] > 3000) {
                assert_contains(sw_err_message(), "it takes no lines of so few, or so many, points");
                continue;
            }
            if (st) fail_msg("n = %d, sm_%d: %s", length[k], sm, sw_err_message());
        }
}

static void compiles_lines_that_stream(void **state)
{
    static const int length[] = {64, 1000, 262145, 1 << 24};
    (void)state;
    need_architectures();
    for (size_t k = 0; k < sizeof length / sizeof *length; k++)
        for (int sm = 80; sm <= 90; sm += 10) {
            if (!is_tried(k, sm)) continue;
            enum sw_status st = try_length("cuda.stream", length[k], k % TERMS, sm);
            if (st) fail_msg("n = %d, sm_%d: %s", length[k], sm, sw_err_message());
        }
}

/* Every operation and function of the language, at every rate; by either row, as both print them alike. */
static void compiles_every_function(void **state)
{
    static const char every[] =
        "sin(q) + cos(q) + tan(q) + asin(q) + acos(q) + atan(q) + atan2(q, a) + sinh(q) + cosh(q) + tanh(q) + exp(q)"
        " + log(q) + sqrt(q) + abs(q) + min(q, a) + max(q, 2) + floor(q) + ceil(q) + round(q)"
        " + mod(q, a) + erf(q) + log10(q) + sign(q) + step(q) + randn(q) + rand(q) + sech(q) + csch(q) + coth(q)"
        " + heaviside(q)"
        " + q^2.5 + q^7 - q/3 + (q < 1) + (q <= 1) + (q > a) + (q >= 1) + (q == 1) + (q != 1) + (q && a) + (q || a)"
        " + !q + (q > 0 ? q : -q) + pi*e";
    static const char *const names[] = {"seed", "t", "x", "u", NULL};
    (void)state;
    need_architectures();
    for (int k = 0; names[k]; k++) {
        char text[4096] = "", *to = text;
        for (const char *c = every; *c; c++) {  /* the word q becomes the name; "sqrt" and the like keep theirs */
            bool word = (c > every && c[-1] >= 'a' && c[-1] <= 'z') || (c[1] >= 'a' && c[1] <= 'z');
            if (*c == 'q' && !word) to += sprintf(to, "%s", names[k]);
            else *to++ = *c;
        }
        *to = 0;
        bool initial = names[k][0] == 's' || names[k][0] == 'x';
        enum sw_status st = try_model((struct texts){initial ? text : NULL, NULL, text, NULL},
                                      k % 2 ? "cuda.split" : "cuda.cufft", 90);
        if (st) fail_msg("%s: %s", names[k], sw_err_message());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef SW_HAVE_CUDA
        cmocka_unit_test_setup(refuses_a_compiler_from_before_clusters, fresh_cache),
        cmocka_unit_test_setup(ends_while_a_kernel_is_compiled, fresh_cache),
#endif
        cmocka_unit_test_setup(two_processes_compile_the_same_kernel, fresh_cache),
        cmocka_unit_test_setup(takes_the_second_compilation_from_the_cache, fresh_cache),
        cmocka_unit_test_setup(compiles_another_text_or_architecture_anew, fresh_cache),
        cmocka_unit_test_setup(gives_newer_gpus_what_their_driver_compiles, fresh_cache),
        cmocka_unit_test_setup(recovers_from_a_damaged_cache_file, fresh_cache),
        cmocka_unit_test_setup(works_where_the_cache_cannot_be_written, fresh_cache),
        cmocka_unit_test_setup(works_without_a_place_for_a_cache, fresh_cache),
        cmocka_unit_test_setup(works_where_the_disk_is_full, fresh_cache),
        cmocka_unit_test_setup(compiles_once_what_several_threads_want, fresh_cache),
        cmocka_unit_test_setup(takes_some_kernels_of_a_text, fresh_cache),
        cmocka_unit_test_setup(says_what_is_wrong_of_any_kernel, fresh_cache),
        cmocka_unit_test_setup(reports_an_error_with_label_and_log, fresh_cache),
        cmocka_unit_test_setup(compiles_models_with_and_without_each_expression, fresh_cache),
        cmocka_unit_test_setup(compiles_every_function, fresh_cache),
        cmocka_unit_test_setup(compiles_lines_of_all_lengths, fresh_cache),
        cmocka_unit_test_setup(compiles_lines_that_stream, fresh_cache),
        cmocka_unit_test_setup(says_what_to_install_without_nvrtc, fresh_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
