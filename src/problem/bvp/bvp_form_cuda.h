#ifndef BVP_FORM_CUDA_H
#define BVP_FORM_CUDA_H
/* The equations of the general problem made on a GPU, where they are solved, and norms and fields of the solutions
 * formed there (cuda/bvp/bvp_form_rtc.cuh): what struct bvp_general_work asks for. With zero_mean the CPU makes them,
 * as the mean of f is judged there (bvp_general.c). */
#include "problem/bvp/bvp_device_cuda.h"
#include "problem/bvp/bvp_general.h"

struct bvp_form {
    struct bvp_device  device;
    struct bvp_forming on;       /* for kernels, by value; its arrays are on the device */
    int                side;     /* problems of a block                                 */
    struct bvp_values *values;   /* [capacity][chunks] on the host, likewise            */
    struct bvp_made   *made;
};

/** Decide who makes the equations, before bvp_general_arrays(). @param form  the row's, zeroed; borrowed by general */
void bvp_form_choose(const struct sw_bvp *bvp, struct bvp_general *general, struct bvp_form *form);
/** After bvp_general_arrays(). */
void bvp_form_arrays(struct sw_bvp *bvp, const struct bvp_general *general);
/** @param system  [3] vectors: c, e, b, on the device, as is u, a vector
 *  @return as bvp_device_create() */
enum sw_status bvp_form_create(struct sw_bvp *bvp, const struct bvp_general *general, double *system, double *u);
/** The operation of struct sw_bvp_ops. */
enum sw_status bvp_form_fetch(struct sw_bvp *bvp, const void **field, const struct sw_bvp_result **result);
void bvp_form_destroy(struct sw_bvp *bvp, const struct bvp_general *general);
#endif
