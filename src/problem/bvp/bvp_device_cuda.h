#ifndef BVP_DEVICE_CUDA_H
#define BVP_DEVICE_CUDA_H
/* What the rows on a CUDA device share, as bvp_host.h has it for those on the CPU: kernels compiled at run time with
 * the problem's f and exact in them, the runs of a batch in device memory, norms, faults, saved fields on their way to
 * the host. A row is a file bvp_NAME_cuda.c and its kernels, cuda/bvp_NAME_rtc.cuh; they see all of
 * cuda/bvp/bvp_rtc.cuh.
 *
 * In a batch: bvp_device_begin(); the row's kernels, which call save_u() for each point of u (or of the first alone, if
 * nothing is saved), record_bad() where f is not finite, and add up norms by blocks; bvp_device_norms().
 * What is refused (job.r = 0) they leave alone. */
#include <cuda_runtime.h>

#include "device/sw_kernels.h"
#include "problem/bvp/bvp_batch_point.h"
#include "problem/bvp/bvp_host.h"

/* The kernels of a row. */
struct bvp_kernels {
    const char        *file;     /* "cuda/bvp/bvp_a2_rtc.cuh"                                                  */
    const char *const *kernel;   /* their names, NULL at the end                                              */
    /* what else stands before them; NULL: nothing */
    void (*shape)(const struct sw_bvp_desc *desc, struct sw_text *text);
};
enum { BVP_BEGIN_K, BVP_NORMS_K, BVP_ROW_K };  /* the row's follow one another from the last on */

struct bvp_device {
    struct bvp_batch    batch;   /* for kernels, by value; its arrays belong to this                                */
    struct sw_kernels   kernels;
    void               *d_input; /* jobs, then parameters                                                           */
    char               *input;   /* the same, pinned                                                                */
    struct bvp_outcome *outcome; /* [capacity] pinned                                                               */
    struct bvp_output    output;  /* its field is pinned, made when first fetched                                    */
    cudaEvent_t         taken;   /* the input is on the device                                                      */
};

void bvp_device_arrays(struct sw_bvp *bvp, struct bvp_device *d);
/** The kernels, and the values that their expressions keep for each run.
 * @return as sw_bvp_create(). What was made stays, for destroy */
enum sw_status bvp_device_create(struct sw_bvp *bvp, const struct bvp_kernels *source, struct bvp_device *d);
/** Waits for what is queued, then frees; of zeros it is fine. Frees nothing of the row. */
void bvp_device_destroy(struct sw_bvp *bvp, struct bvp_device *d);


/** Queue what comes first: runs and parameters to the device. While a batch is computed the next one's are prepared. */
enum sw_status bvp_device_begin(struct sw_bvp *bvp, struct bvp_device *d);

/** Queue that the norms of problems first .. first+count-1 are summed up from their parts, by 256 threads a problem in
 * an order that `parts` fixes. Nothing without exact.
 * @param d_part  [count][parts] struct bvp_norms on the device, the row's */
enum sw_status bvp_device_norms(struct sw_bvp *bvp, struct bvp_device *d, const void *d_part, int first, int count,
                                int64_t parts);

/** What sw_bvp_ops.fetch does: waits, and takes results and fields to the host. Until then they stay on the device. */
enum sw_status bvp_device_fetch(struct sw_bvp *bvp, struct bvp_device *d, const void **field,
                                const struct sw_bvp_result **result);
#endif
