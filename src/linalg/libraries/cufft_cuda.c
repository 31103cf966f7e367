#include "linalg/libraries/cufft_cuda.h"

#include <cufft.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "cuda/cu_check.cuh"
#include "cuda/cu_library.h"

#define CUFFT_LIST(X) X(Create) X(Destroy) X(SetStream) X(MakePlanMany64) X(ExecD2Z) X(ExecZ2D)

enum { SW_CUFFT_AXES = 3 };

struct sw_cufft {
#define X(name) __typeof__(&cufft##name) name;
    CUFFT_LIST(X)
#undef X
    struct sw_device *device;
    cufftHandle forward, backward;
    bool has_forward, has_backward;
};

#define FFT_TRY(call)                                                                               \
    do {                                                                                            \
        const cufftResult cf_ = fft->call;                                                          \
        if (cf_) return SW_FAIL(SW_E_CUDA, "cuFFT: %s: status %d", #call, (int)cf_);                \
    } while (0)

static enum sw_status load(struct sw_cufft *fft, const char *row, const char *instead)
{
    static const char *const names[] = {"libcufft.so.12", "libcufft.so.11", "libcufft.so", NULL};
    void *library = cu_library_open("libcufft.so", names), *symbol;
    if (!library)
        return SW_FAIL(SW_E_ABSENT,
                       "%s needs the library libcufft.so, which is not on this machine; install the package "
                       "libcufft11 (Debian, Ubuntu) or libcufft-13-0 (NVIDIA), or take %s", row, instead);
#define X(name)                                                                                                 \
    symbol = dlsym(library, "cufft" #name);                                                                     \
    if (!symbol) return SW_FAIL(SW_E_ABSENT, "the cuFFT on this machine lacks cufft" #name);                     \
    memcpy(&fft->name, &symbol, sizeof symbol);
    CUFFT_LIST(X)
#undef X
    return SW_OK;
}

/* The library counts axes from the one whose points lie farthest apart. */
static enum sw_status plan(const struct sw_cufft *fft, int axes, const int64_t *n, int64_t fields, cufftType type,
                           cufftHandle *handle, bool *made)
{
    long long length[SW_CUFFT_AXES];
    size_t work;
    for (int a = 0; a < axes; a++) length[a] = n[axes - 1 - a];
    FFT_TRY(Create(handle));
    *made = true;
    FFT_TRY(SetStream(*handle, fft->device->compute));
    FFT_TRY(MakePlanMany64(*handle, axes, length, NULL, 1, 0, NULL, 1, 0, type, fields, &work));
    return SW_OK;
}

static enum sw_status make(struct sw_cufft *fft, int axes, const int64_t *n, int64_t fields, const char *row,
                           const char *instead)
{
    SW_TRY(load(fft, row, instead));
    SW_TRY(sw_device_use(fft->device));
    SW_TRY(plan(fft, axes, n, fields, CUFFT_D2Z, &fft->forward, &fft->has_forward));
    return plan(fft, axes, n, fields, CUFFT_Z2D, &fft->backward, &fft->has_backward);
}

enum sw_status sw_cufft_create(int axes, const int64_t *n, int64_t fields, struct sw_device *device, const char *row,
                               const char *instead, struct sw_cufft **out)
{
    struct sw_cufft *fft = NULL;
    *out = NULL;
    SW_TRY(sw_alloc(1, &fft));
    fft->device = device;
    const enum sw_status st = device->compiles_only ? SW_OK : make(fft, axes, n, fields, row, instead);
    if (st) sw_cufft_destroy(&fft);
    *out = fft;
    return st;
}

void sw_cufft_destroy(struct sw_cufft **out)
{
    struct sw_cufft *fft = *out;
    if (!fft) return;
    if (fft->has_forward) fft->Destroy(fft->forward);
    if (fft->has_backward) fft->Destroy(fft->backward);
    sw_free(fft);
    *out = NULL;
}

enum sw_status sw_cufft_forward(const struct sw_cufft *fft, double *u, double *spectrum)
{
    FFT_TRY(ExecD2Z(fft->forward, u, (cufftDoubleComplex *)spectrum));
    return SW_OK;
}

enum sw_status sw_cufft_backward(const struct sw_cufft *fft, double *spectrum, double *u)
{
    FFT_TRY(ExecZ2D(fft->backward, (cufftDoubleComplex *)spectrum, u));
    return SW_OK;
}
