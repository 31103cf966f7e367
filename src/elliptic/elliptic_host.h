#ifndef ELLIPTIC_HOST_H
#define ELLIPTIC_HOST_H
/* What rows on the CPU share: the matrix, the preconditioner and vectors by all threads, slab by slab, with sums that
 * do not depend on how many threads there are. */
#include "device/sw_owned.h"
#include "elliptic/elliptic_krylov.h"

struct elliptic_host {
    const struct sw_elliptic_matrix *matrix;   /* of the system at hand; the caller sets it        */
    int     threads;
    size_t  scratch;        /* words of a thread */
    double *scratches;      /* [threads][scratch] */
    double *sums;           /* [3][ny]: of slabs */
    int     vectors;        /* 1 .. 4 */
    size_t  cells;
    double *work;           /* [vectors][cells] */
};

/* @param vectors  of the length of u that a method needs: 4, or 1 of a method that only refines
 * @param own      gets the arrays */
void elliptic_host_make(const struct sw_elliptic_desc *desc, int threads, int vectors, struct sw_owned *own,
                        struct elliptic_host *host);

/** The scratch memory of the thread that asks. */
double *elliptic_host_scratch(const struct elliptic_host *host);

/** y = A u; z = M^-1 r. Arrays [ny][nz][nx]. */
void elliptic_host_apply(const struct elliptic_host *host, const double *u, double *y);
void elliptic_host_precondition(const struct elliptic_host *host, const double *r, double *z);

/** The sum of what the slabs have in row `which` of host->sums, in the order of their numbers, pairwise. */
double elliptic_host_sum(const struct elliptic_host *host, int which);

/** The vectors of the system at hand, preconditioned by columns. The caller adds space.fused if it does not go pass by
 * pass. */
struct elliptic_space elliptic_host_space(struct elliptic_host *host);
extern const struct elliptic_fused elliptic_host_fused;
#endif
