#ifndef EMULATED_DEVICE_H
#define EMULATED_DEVICE_H
/* A device of the kind CUDA that is this machine's processor: its memory is the host's, and the text of kernels, which
 * on a GPU the compiler for GPUs gets, is compiled as C++ and run there (emulated_kernels.hpp). A test that includes
 * this has these functions instead of those of src/device/kernels/kernel_*.c; it runs at the top of the checkout. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "device/sw_device.h"
#include "device/sw_kernels.h"

#define EMULATED_PRELUDE "tests/helpers/emulated_kernels.hpp"

/** Why there is none; NULL: there is. */
static inline const char *emulated_absent(void)
{
#ifndef SW_HAVE_CUDA
    return SW_WITHOUT_CUDA;  /* and so are the rows */
#endif
    if (access(EMULATED_PRELUDE, R_OK)) return "not at the top of a checkout";
    return system("c++ --version > /dev/null 2>&1") ? "there is no compiler c++" : NULL;
}

/* ------------------------------------------------------------------ the device */

static enum sw_status emulated_alloc(struct sw_device *device, size_t bytes, void **out)
{
    (void)device;
    *out = calloc(bytes ? bytes : 1, 1);
    return *out ? SW_OK : SW_FAIL(SW_E_MEMORY, "no memory");
}

static void emulated_free(struct sw_device *device, void *memory)
{
    (void)device;
    free(memory);
}

static enum sw_status emulated_copy(struct sw_device *device, void *to, const void *from, size_t bytes)
{
    (void)device;
    memcpy(to, from, bytes);
    return SW_OK;
}

static enum sw_status emulated_wait(struct sw_device *device)
{
    (void)device;
    return SW_OK;
}

static size_t emulated_memory_free(const struct sw_device *device)
{
    (void)device;
    return (size_t)1 << 30;
}

static const struct sw_device_ops emulated_ops = {
    .kind = "cuda", .memory_free = emulated_memory_free, .alloc = emulated_alloc, .free = emulated_free,
    .alloc_host = emulated_alloc, .free_host = emulated_free, .upload = emulated_copy, .download = emulated_copy,
    .wait = emulated_wait};

static struct sw_device emulated_device = {.ops = &emulated_ops, .space = SW_DEVICE, .threads = 2, .label = "emulated",
                                           .name = "this processor", .sm = 90, .processors = 4};

/* ------------------------------------------------------------------ kernels */

typedef void emulated_kernel(void **args);
typedef void emulated_launch(emulated_kernel *kernel, int blocks_x, int blocks_y, int cluster, int threads,
                             size_t shared_bytes, void **args);
struct emulated_entry { emulated_kernel *kernel; emulated_launch *launch; };
/* What a text became; between modules it waits for the next one of the same text. */
struct emulated_text {
    void *handle;
    char *text;
    bool taken;
    struct emulated_text *next;
    struct emulated_entry entry[SW_KERNELS];
};
/* Entries go with the module, so that a launch after it finds none. */
struct sw_module { struct emulated_text *of; struct emulated_entry entry[SW_KERNELS]; };

enum sw_status sw_kernels_compile(const char *text, const char *label, const char *const *names, int count, int sm)
{
    (void)text, (void)label, (void)names, (void)count, (void)sm;
    return SW_OK;
}

/* Nearly all of a test's time is that of the compiler: 0.83 s a text by -O1, 0.71 by -Og, and 0.54 where the prelude,
 * the same in all texts, is compiled once for all of a process. A test makes many a text again, for another batch or
 * another pace: that is compiled once, too. */
#define EMULATED_COMPILER "c++ -std=c++17 -Og -march=native -ffp-contract=off -w -fPIC -shared"
static char emulated_prelude[64];  /* the folder of it */

static inline void remove_emulated_prelude(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", emulated_prelude);
    if (!getenv("SW_KEEP_EMULATED") && system(command)) fprintf(stderr, "cannot remove %s\n", emulated_prelude);
}

static enum sw_status compile_prelude(void)
{
    char command[512];
    if (*emulated_prelude) return SW_OK;
    snprintf(emulated_prelude, sizeof emulated_prelude, "/tmp/emulated-prelude-XXXXXX");
    if (!mkdtemp(emulated_prelude)) return SW_FAIL(SW_E_IO, "no folder for the prelude of emulated kernels");
    atexit(remove_emulated_prelude);
    snprintf(command, sizeof command, "cp " EMULATED_PRELUDE " %s/prelude.hpp && " EMULATED_COMPILER
             " -x c++-header -o %s/prelude.hpp.gch %s/prelude.hpp", emulated_prelude, emulated_prelude,
             emulated_prelude);
    return system(command) ? SW_FAIL(SW_E_CUDA, "does not compile: %s", command) : SW_OK;
}

/* Shared memory that a launch gives is an array of the emulation's. Kernels of lines have a function of their own with
 * a name of cuda/cluster.cuh. */
static void write_text(FILE *to, const char *text, const char *const *names, int count)
{
    static const char *const declared[] = {"extern __shared__ __align__(16) double shared[];",
                                           "extern __shared__ double2 shared[];"};
    const char *at = NULL;
    fprintf(to, "#include \"%s/prelude.hpp\"\n", emulated_prelude);
    for (int k = 0; k < 2 && !at; k++) {
        at = strstr(text, declared[k]);
        if (!at) continue;
        if (k == 1) fputs("#define rank_in_cluster rank_of_line\n", to);
        fwrite(text, 1, (size_t)(at - text), to);
        text = at + strlen(declared[k]);
    }
    fputs(text, to);
    for (int k = 0; k < count; k++)
        fprintf(to, "\nextern \"C\" void emulated_%s(void **args) { emulated_call(%s, args); }\n", names[k], names[k]);
}

void sw_kernels_wait(void) {}
void sw_kernels_end(void) {}

static struct emulated_text *emulated_texts;  /* all that were compiled */

static inline void remove_emulated_texts(void)
{
    while (emulated_texts) {
        struct emulated_text *m = emulated_texts;
        emulated_texts = m->next;
        dlclose(m->handle);
        free(m->text);
        free(m);
    }
}

/* @param text  the whole one, of which a compiled one is looked for first */
static enum sw_status load_text(const char *text, const char *const *names, int count, struct emulated_text **out)
{
    char folder[] = "/tmp/emulated-XXXXXX", command[512], name[128];
    for (struct emulated_text *m = emulated_texts; m; m = m->next)
        if (!m->taken && !strcmp(m->text, text)) {
            *out = m;
            return SW_OK;
        }
    if (!mkdtemp(folder)) return SW_FAIL(SW_E_IO, "no folder for an emulated kernel");
    snprintf(name, sizeof name, "%s/text.cpp", folder);
    FILE *to = fopen(name, "w");
    if (!to) return SW_FAIL(SW_E_IO, "cannot write %s", name);
    fputs(text, to);
    fclose(to);
    snprintf(command, sizeof command, EMULATED_COMPILER " -o %s/text.so %s/text.cpp", folder, folder);
    if (system(command)) return SW_FAIL(SW_E_CUDA, "does not compile: %s", command);
    snprintf(name, sizeof name, "%s/text.so", folder);
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return SW_FAIL(SW_E_CUDA, "%s", dlerror());
    struct emulated_text *m = calloc(1, sizeof *m);
    if (!m || !(m->text = strdup(text))) return SW_FAIL(SW_E_MEMORY, "no memory");
    void *launch = dlsym(handle, "emulated_launch");
    for (int k = 0; k < count; k++) {
        snprintf(name, sizeof name, "emulated_%s", names[k]);
        void *kernel = dlsym(handle, name);
        memcpy(&m->entry[k].launch, &launch, sizeof launch);
        memcpy(&m->entry[k].kernel, &kernel, sizeof kernel);
    }
    if (!emulated_texts) atexit(remove_emulated_texts);
    m->handle = handle;
    m->next = emulated_texts;
    emulated_texts = *out = m;
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (!getenv("SW_KEEP_EMULATED") && system(command)) return SW_FAIL(SW_E_IO, "cannot remove %s", folder);
    return SW_OK;
}

enum sw_status sw_module_create(struct sw_device *device, const char *text, const char *label, const char *const *names,
                                int count, void **kernels, struct sw_module **module)
{
    char *whole = NULL;
    size_t length;
    (void)device, (void)label;
    SW_TRY(compile_prelude());
    FILE *to = open_memstream(&whole, &length);
    if (!to) return SW_FAIL(SW_E_MEMORY, "no memory");
    write_text(to, text, names, count);
    fclose(to);
    struct emulated_text *of = NULL;
    const enum sw_status st = load_text(whole, names, count, &of);
    free(whole);
    SW_TRY(st);
    SW_TRY(sw_alloc(1, module));
    of->taken = true;
    (*module)->of = of;
    memcpy((*module)->entry, of->entry, sizeof of->entry);
    for (int k = 0; k < count; k++) kernels[k] = &(*module)->entry[k];
    return SW_OK;
}

void sw_module_unload(struct sw_device *device, struct sw_module **module)
{
    (void)device;
    if (!module || !*module) return;
    (*module)->of->taken = false;
    sw_free(*module);
    *module = NULL;
}

enum { EMULATED_SHARED_BYTES = 29000 * 8 };  /* as in the prelude; a GPU has no more */

static enum sw_status emulate(void *kernel, int blocks_x, int blocks_y, int cluster, int threads, size_t shared_bytes,
                              void **args)
{
    const struct emulated_entry *e = kernel;
    if (threads < 1 || threads > 1024 || shared_bytes > EMULATED_SHARED_BYTES || cluster < 1 || cluster > 16)
        return SW_FAIL(SW_E_CUDA, "clusters of %d blocks of %d threads and %zu bytes of shared memory", cluster,
                       threads, shared_bytes);
    if (blocks_x > 0 && blocks_y > 0) e->launch(e->kernel, blocks_x, blocks_y, cluster, threads, shared_bytes, args);
    return SW_OK;
}

enum sw_status sw_kernel_launch(struct sw_device *device, void *kernel, int blocks_x, int blocks_y, int threads,
                                size_t shared_bytes, void **args)
{
    (void)device;
    return emulate(kernel, blocks_x, blocks_y, 1, threads, shared_bytes, args);
}

enum sw_status sw_kernel_launch_clusters(struct sw_device *device, void *kernel, int clusters, int size, int threads,
                                         size_t shared_bytes, void **args)
{
    (void)device;
    if (size < 1) size = 1;
    return emulate(kernel, clusters * size, 1, size, threads, shared_bytes, args);
}

/* ------------------------------------------------------------------ and this machine, to compare it with */

static struct sw_device *emulated_host;  /* of one thread: open in a group of tests */

static inline int open_emulated_host(void **state)
{
    (void)state;
    return sw_device_open("cpu", 1, &emulated_host) != SW_OK;
}

static inline int close_emulated_host(void **state)
{
    (void)state;
    sw_device_close(&emulated_host);
    return 0;
}
#endif
