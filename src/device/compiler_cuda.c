/* Compiling kernels at run time. NVRTC, the compiler, is loaded when it is first needed, so that the program starts
 * without it. What was compiled is kept in a cache of files, each named by the SHA-256 of all that decides its
 * content. */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_hash.h"
#include "base/sw_mem.h"
#include "base/sw_private.h"
#include "base/sw_text.h"
#include "cuda/cu_library.h"
#include "device/compilation_cuda.h"
#include "device/sw_kernels.h"

/* ------------------------------------------------------------------ NVRTC */

/* Our use of NVRTC: each function has the type that nvrtc.h declares. */
#define NVRTC_LIST(X) X(Version) X(CreateProgram) X(DestroyProgram) X(CompileProgram) X(GetCUBINSize) X(GetCUBIN) \
                      X(GetPTXSize) X(GetPTX) X(GetNumSupportedArchs) X(GetSupportedArchs)                \
                      X(GetProgramLogSize) X(GetProgramLog) X(GetErrorString)
struct nvrtc {
#define X(name) __typeof__(&nvrtc##name) name;
    NVRTC_LIST(X)
#undef X
};

/* SWEEP_NVRTC names the library to take, and no other. Never closed: opening it again then costs nothing, and its
 * compiler does not like to be unloaded. */
static enum sw_status load_nvrtc(struct nvrtc *rtc)
{
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", NULL};
    const char *chosen = getenv("SWEEP_NVRTC");
    void *library = chosen ? dlopen(chosen, RTLD_NOW | RTLD_LOCAL) : cu_library_open("libnvrtc.so", names);
    if (!library)
        return SW_FAIL(SW_E_ABSENT,
                       "expressions are compiled for the GPU by NVRTC, which is not on this machine; install the "
                       "package libnvrtc12 (Debian, Ubuntu) or cuda-nvrtc-13-0 (NVIDIA), or set CUDA_HOME to the CUDA "
                       "toolkit, or use --device cpu");
#define X(name)                                                                                                      \
    {                                                                                                                \
        void *symbol = dlsym(library, "nvrtc" #name);                                                                \
        if (!symbol) return SW_FAIL(SW_E_ABSENT, "the NVRTC on this machine is too old: it lacks nvrtc%s", #name);   \
        memcpy(&rtc->name, &symbol, sizeof symbol);                                                                  \
    }
    NVRTC_LIST(X)
#undef X
    return SW_OK;
}

/* Rounding: no fast-math, and no contraction into FMAs: the texts of two kernels that must agree to the bit differ in
 * other things. */
static const char *const fixed_options[] = {"-std=c++17", "-lineinfo", "-fmad=false"};
enum { FIXED_OPTIONS = 3 };
/* From here on blocks form clusters, and texts are laid out for them: text for older GPUs would go on alone. */
enum { CLUSTERS_FROM = 90 };

static enum sw_status compile_failed(const struct nvrtc *rtc, nvrtcProgram program, nvrtcResult result,
                                     const char *label, int sm)
{
    enum sw_status st;
    char *log = NULL;
    size_t length = 0;
    if (rtc->GetProgramLogSize(program, &length) || sw_alloc(length + 1, &log) || rtc->GetProgramLog(program, log))
        length = 0;
    st = SW_FAIL(SW_E_CUDA, "%s does not compile for sm_%d (%s):\n%s", label, sm, rtc->GetErrorString(result),
                 length ? log : "");
    sw_free(log);
    return st;
}

/* @param ptx  in place of a cubin */
static enum sw_status take_code(const struct nvrtc *rtc, nvrtcProgram program, bool ptx, void **cubin, size_t *bytes)
{
    char *out;
    nvrtcResult result = ptx ? rtc->GetPTXSize(program, bytes) : rtc->GetCUBINSize(program, bytes);
    if (result) return SW_FAIL(SW_E_CUDA, "nvrtcGetCUBINSize: %s", rtc->GetErrorString(result));
    SW_TRY(sw_alloc(*bytes, &out));
    result = ptx ? rtc->GetPTX(program, out) : rtc->GetCUBIN(program, out);
    if (result) {
        sw_free(out);
        return SW_FAIL(SW_E_CUDA, "nvrtcGetCUBIN: %s", rtc->GetErrorString(result));
    }
    *cubin = out;
    return SW_OK;
}

/* The newest architecture that this NVRTC knows, up to sm: where it is another one the driver compiles its PTX, on. */
static int known_up_to(const struct nvrtc *rtc, int sm)
{
    int count = 0, known = 0, all[256];
    if (rtc->GetNumSupportedArchs(&count) || count > 256 || rtc->GetSupportedArchs(all)) return sm;
    for (int k = 0; k < count; k++)
        if (all[k] <= sm && all[k] > known) known = all[k];
    return known ? known : sm;
}

static enum sw_status compile(const struct nvrtc *rtc, const char *text, const char *label, int sm, void **cubin,
                              size_t *bytes)
{
    enum sw_status st;
    nvrtcProgram program = NULL;
    char arch[40];
    const char *options[FIXED_OPTIONS + 1];
    const int known = known_up_to(rtc, sm);
    if (known < CLUSTERS_FROM && sm >= CLUSTERS_FROM)
        return SW_FAIL(SW_E_ABSENT, "NVRTC knows GPUs up to sm_%d here, and this one is sm_%d, whose blocks share "
                       "lines and fields: install a newer NVRTC, or name it by CUDA_HOME or SWEEP_NVRTC", known, sm);
    nvrtcResult result = rtc->CreateProgram(&program, text, label, 0, NULL, NULL);
    if (result) return SW_FAIL(SW_E_CUDA, "%s: nvrtcCreateProgram: %s", label, rtc->GetErrorString(result));
    snprintf(arch, sizeof arch, "--gpu-architecture=%s_%d", known == sm ? "sm" : "compute", known);
    memcpy(options, fixed_options, FIXED_OPTIONS * sizeof *options);
    options[FIXED_OPTIONS] = arch;
    result = rtc->CompileProgram(program, FIXED_OPTIONS + 1, options);
    st = result ? compile_failed(rtc, program, result, label, sm) : take_code(rtc, program, known != sm, cubin, bytes);
    rtc->DestroyProgram(&program);
    return st;
}

/* ------------------------------------------------------------------ the cache */

/* A cache file: these eight characters, the SHA-256 of the cubin, the cubin. A file that is cut short or damaged is
 * then known for what it is and written anew. The cache is a convenience: whatever fails here only costs time. */
static const char magic[8] = {'s', 'w', 'e', 'e', 'p', 'b', 'i', '1'};
enum { HEAD = sizeof magic + 32 };

static void digest_of(const void *bytes, size_t length, unsigned char digest[32])
{
    struct sw_hash h;
    sw_hash_start(&h);
    sw_hash_add(&h, bytes, length);
    sw_hash_end(&h, digest);
}

static void cache_folder(struct sw_text *path)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/') sw_text_printf(path, "%s/sweep", cache);
    else if (home && home[0] == '/') sw_text_printf(path, "%s/.cache/sweep", home);
}

bool sw_kernel_cache_begun(void)
{
    struct sw_text path = {0};
    bool begun = false;
    cache_folder(&path);
    DIR *folder = path.length ? opendir(sw_text_get(&path)) : NULL;
    for (const struct dirent *file; folder && !begun && (file = readdir(folder));) {
        const size_t length = strlen(file->d_name);
        begun = length > 6 && !strcmp(file->d_name + length - 6, ".cubin");
    }
    if (folder) closedir(folder);
    sw_text_free(&path);
    return begun;
}

/* The cache file of this compilation, "" if there is no place for a cache. */
static void cache_path(const struct nvrtc *rtc, const char *text, int sm, struct sw_text *path)
{
    struct sw_text key = {0};
    unsigned char digest[32];
    char hex[65];
    int major = 0, minor = 0;
    rtc->Version(&major, &minor);
    sw_text_printf(&key, "sm_%d nvrtc %d.%d", sm, major, minor);
    for (int k = 0; k < FIXED_OPTIONS; k++) sw_text_printf(&key, " %s", fixed_options[k]);
    if (getenv("SWEEP_NVRTC")) sw_text_printf(&key, " by %s", getenv("SWEEP_NVRTC"));
    sw_text_printf(&key, "\n%s", text);
    digest_of(sw_text_get(&key), key.length, digest);
    sw_hash_hex(digest, 64, hex);
    cache_folder(path);
    if (path->length && !sw_text_status(&key)) sw_text_printf(path, "/%s.cubin", hex);
    else sw_text_free(path);
    sw_text_free(&key);
}

/* What is in the cache is run: its folder is this user's, and nobody else can look into it, or write.
 * @return its descriptor; -1: there is none, or it is not so, and nothing is read or kept */
static int open_cache(const char *path)
{
    char folder[4096];
    struct stat s;
    const char *slash = strrchr(path, '/');
    if (!slash || slash - path >= (long)sizeof folder) return -1;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return -1;
    if (!fstat(fd, &s) && s.st_uid == geteuid() && (!(s.st_mode & 077) || !fchmod(fd, 0700))) return fd;
    close(fd);
    return -1;
}

/* Of this user, and written by nobody else. */
static bool read_file(const char *path, char **data, size_t *length)
{
    struct stat info;
    bool ok = false;
    const int folder = open_cache(path);
    if (folder < 0) return false;
    const int fd = openat(folder, strrchr(path, '/') + 1, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    close(folder);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "rb");
    if (!f) {
        if (fd >= 0) close(fd);
        return false;
    }
    if (!fstat(fd, &info) && S_ISREG(info.st_mode) && info.st_uid == geteuid() && !(info.st_mode & 022) &&
        info.st_size > HEAD && !sw_alloc((size_t)info.st_size, data)) {
        *length = (size_t)info.st_size;
        ok = fread(*data, 1, *length, f) == *length;
    }
    fclose(f);
    return ok;
}

static bool read_cache(const char *path, void **cubin, size_t *bytes)
{
    char *data = NULL, *out = NULL;
    size_t length = 0;
    unsigned char digest[32];
    bool ok = path[0] && read_file(path, &data, &length) && !memcmp(data, magic, sizeof magic);
    if (ok) {
        digest_of(data + HEAD, length - HEAD, digest);
        ok = !memcmp(data + sizeof magic, digest, sizeof digest) && !sw_alloc(length - HEAD, &out);
    }
    if (ok) {
        *cubin = memcpy(out, data + HEAD, length - HEAD);
        *bytes = length - HEAD;
    }
    sw_free(data);
    return ok;
}

static void make_folders(const char *path)
{
    char part[4096];
    if (strlen(path) >= sizeof part) return;
    for (size_t k = 1; path[k]; k++) {
        if (path[k] != '/') continue;
        memcpy(part, path, k);
        part[k] = 0;
        mkdir(part, strchr(path + k + 1, '/') ? 0777 : 0700);
    }
}

/* Readers see the whole file or none: written beside it, then renamed. @return whether it is there */
static bool write_cache(const char *path, const void *cubin, size_t bytes)
{
    unsigned char digest[32];
    bool ok = false;
    char *part = NULL;
    int fd = -1;
    if (!path[0]) return false;
    make_folders(path);
    const int folder = open_cache(path);
    if (folder >= 0) close(folder);
    FILE *f = folder < 0 || sw_private_file(path, &fd, &part) ? NULL : fdopen(fd, "wb");
    if (f) {
        digest_of(cubin, bytes, digest);
        ok = fwrite(magic, sizeof magic, 1, f) == 1 && fwrite(digest, sizeof digest, 1, f) == 1 &&
             fwrite(cubin, bytes, 1, f) == 1;
        ok = !fchmod(fd, 0600) && ok;
        ok = !fclose(f) && ok;
        ok = ok && !rename(part, path);
    } else if (fd >= 0) {
        close(fd);
    }
    if (!ok && fd >= 0) unlink(part);
    sw_free(part);
    return ok;
}

enum sw_status sw_compile_or_read(const char *text, const char *label, int sm, void **cubin, size_t *bytes,
                                  bool *from_cache, bool *stored)
{
    enum sw_status st = SW_OK;
    struct nvrtc rtc = {0};
    struct sw_text path = {0};
    *cubin = NULL;
    *bytes = 0;
    *from_cache = *stored = false;
    SW_TRY(load_nvrtc(&rtc));
    cache_path(&rtc, text, sm, &path);
    *from_cache = read_cache(sw_text_get(&path), cubin, bytes);
    if (!*from_cache) SW_TRY_TO(done, st, compile(&rtc, text, label, sm, cubin, bytes));
    *stored = *from_cache || write_cache(sw_text_get(&path), *cubin, *bytes);
done:
    sw_text_free(&path);
    return st;
}

enum sw_status sw_compiler_find(void)
{
    struct nvrtc rtc = {0};
    return load_nvrtc(&rtc);
}
