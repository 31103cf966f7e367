#ifndef ELLIPTIC_DEVICE_CUDA_H
#define ELLIPTIC_DEVICE_CUDA_H
/* What rows on a GPU share: the matrices of a batch in its memory, and the vectors of systems as a space, whose
 * operations are done for all systems at once. Sums are added up in an order that depends on the shape alone. */
#include "device/sw_owned.h"
#include "elliptic/elliptic_refine.h"
#include "cuda/elliptic/elliptic_kernels.h"

struct elliptic_device {
    struct sw_device *device;
    struct sw_cuda_elliptic matrix;   /* of the systems that are loaded                       */
    double *numbers;                  /* what matrix points into, and rests                   */
    double *vertical;                 /* of these [4][batch][nz]: a, b, c, d                  */
    double *rests;                    /* of these: of pivots, as sw_cuda_elliptic_pivots() has them; NULL: columns do
                                         not precondition                                     */
    double *partial;                  /* sums of blocks                                       */
    double *sums;                     /* [batch], pinned host memory that sums come to        */
    double *staging;                  /* [4][batch][nz] on the host: what vertical gets       */
    bool    has_horizontal;           /* it was copied: it is the same for all systems        */
    int     batch, vectors;           /* vectors: 0 .. 5                                      */
    struct elliptic_ranks own_ranks, *ranks;  /* the former, also in what elliptic_device_one() makes */
    double *beside[2];                /* [batch][nz][nx]: from the rank before, from that behind */
    double *work[5];                  /* [together][cells] each                               */
};

/* @param vectors   of the length of u that a method needs
 * @param together  systems that have them: desc->batch, or 1 where a row solves one after another
 * @param columns   whether the space is to have `precondition`, by columns
 * @param own       gets the arrays */
void elliptic_device_make(const struct sw_elliptic_desc *desc, struct sw_device *device, int vectors, int together,
                          bool columns, struct sw_owned *own, struct elliptic_device *on);
/* Words of all matrices, and of the rests of their pivots. */
size_t elliptic_device_numbers(const struct sw_elliptic_desc *desc);

/** Copy matrices of one shape there; what is horizontal is taken from the first one ever, as systems of a shape have it
 * in common.
 * @param matrix  [count], count <= desc->batch */
enum sw_status elliptic_device_load(struct elliptic_device *on, int count, const elliptic_matrix_double *matrix);

/** Of a grid that is cut: fetch what lies beside the ends of x, of all systems at hand, into on->beside.
 * @return SW_E_COMM */
enum sw_status elliptic_device_fetch(const struct elliptic_device *on, const double *x);

/** One of the systems that are loaded, as if it were loaded alone; shares the memory of `on`, its first vectors too. */
struct elliptic_device elliptic_device_one(const struct elliptic_device *on, int system);

/** The matrices in single precision, where columns precondition.
 * @param numbers  [elliptic_device_numbers()] of the device, those of `on` rounded
 * @param rests    out: where theirs are */
struct sw_cuda_elliptic_single elliptic_device_single(const struct elliptic_device *on, const float *numbers,
                                                      const float **rests);

/** Solve one system, elliptic_device_one(), by a method that computes in single precision: elliptic_refine(), in
 * double. */
enum sw_status elliptic_device_solve(struct elliptic_device *one, const struct sw_elliptic_numbers *numbers,
                                     const double *f, double *u, struct sw_elliptic_outcome *outcome, double *history,
                                     int most, elliptic_method *method, void *context);

/** The vectors of the systems at hand, preconditioned by columns or not at all; space.residual is one pass. The context
 * is `on`. */
struct elliptic_space elliptic_device_space(struct elliptic_device *on);
#endif
