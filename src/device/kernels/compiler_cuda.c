/* Compiling kernels at run time. NVRTC, the compiler, is loaded when it is first needed, so that the program starts
 * without it; kernels that come with the program do not need it. */
#include <dlfcn.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "cuda/cu_library.h"
#include "device/kernels/compilation_cuda.h"
#include "device/kernels/kernel_files_cuda.h"

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
static const char *const fixed_options[] = {"-std=c++17", "-fmad=false"};
enum { FIXED_OPTIONS = 2 };
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

/* ------------------------------------------------------------------ or what is in files */

/* What the caller's own path to the library says of it counts: others by that name may be of the same version. */
static void name_compiler(const struct nvrtc *rtc, struct sw_text *name)
{
    const char *chosen = getenv("SWEEP_NVRTC");
    int major = 0, minor = 0;
    rtc->Version(&major, &minor);
    sw_text_printf(name, "nvrtc %d.%d%s%s", major, minor, chosen ? " by " : "", chosen ? chosen : "");
}

/* All that decides what a cubin is, but for the compiler. */
static void describe(const char *text, int sm, struct sw_text *code)
{
    sw_text_printf(code, "sm_%d", sm);
    for (int k = 0; k < FIXED_OPTIONS; k++) sw_text_printf(code, " %s", fixed_options[k]);
    sw_text_printf(code, "\n%s", text);
}

enum sw_status sw_compile_or_read(const struct sw_compile_request *r, struct sw_compiled *out)
{
    enum sw_status st = SW_OK;
    struct nvrtc rtc = {0};
    struct sw_text code = {0}, compiler = {0};
    *out = (struct sw_compiled){.cubin = NULL};
    describe(r->text, r->sm, &code);
    out->shipped = !r->anew && kernel_file_read(&code, "", &out->cubin, &out->bytes);
    out->from_cache = out->stored = out->shipped;
    if (out->shipped) goto done;
    SW_TRY_TO(done, st, load_nvrtc(&rtc));
    name_compiler(&rtc, &compiler);
    out->from_cache = out->stored = kernel_file_read(&code, sw_text_get(&compiler), &out->cubin, &out->bytes);
    if (out->from_cache) {
        kernel_file_share(&code, out->cubin, out->bytes);
        goto done;
    }
    SW_TRY_TO(done, st, compile(&rtc, r->text, r->label, r->sm, &out->cubin, &out->bytes));
    out->stored = kernel_file_write(&code, sw_text_get(&compiler), out->cubin, out->bytes);
done:
    sw_text_free(&code);
    sw_text_free(&compiler);
    return st;
}

enum sw_status sw_compiler_find(const char *text, int sm)
{
    struct nvrtc rtc = {0};
    struct sw_text code = {0};
    void *cubin = NULL;
    size_t bytes;
    describe(text, sm, &code);
    const bool there = kernel_file_read(&code, "", &cubin, &bytes);
    sw_free(cubin);
    sw_text_free(&code);
    return there ? SW_OK : load_nvrtc(&rtc);
}
