#ifndef ELLIPTIC_HOST_H
#define ELLIPTIC_HOST_H
/* What rows on the CPU share: the matrix, the preconditioner and vectors by all threads, slab by slab, with sums that
 * do not depend on how many threads there are. Of a grid that is cut over ranks a vector has the slabs of this one;
 * sums are those of all, and the slabs beside the ends come from the neighbours. */
#include "device/sw_owned.h"
#include "elliptic/elliptic_cells_cpu.h"
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
    struct elliptic_ranks ranks;
    double *beside[2];      /* [nz][nx]: from the rank before, from that behind */
};

/* @param vectors  of the length of u that a method needs: 4, or 1 of a method that only refines
 * @param own      gets the arrays */
void elliptic_host_make(const struct sw_elliptic_desc *desc, int threads, int vectors, struct sw_owned *own,
                        struct elliptic_host *host);

/** The scratch memory of the thread that asks. */
double *elliptic_host_scratch(const struct elliptic_host *host);

/** Begin with a system. @return its numbers, whose give_up() says the same on all ranks */
const struct sw_elliptic_numbers *elliptic_host_begin(struct elliptic_host *host,
                                                      const struct sw_elliptic_matrix *matrix,
                                                      const struct sw_elliptic_numbers *numbers);

/** Call a function for each slab j, by all threads, that looks at u there and at what is beside it. Of a grid that is
 * cut the slabs at its ends are the last, while numbers travel the others. @return SW_E_COMM */
typedef void elliptic_slab_function(const void *own, struct elliptic_beside ends, int64_t j);
enum sw_status elliptic_host_slabs(const struct elliptic_host *host, const double *u, elliptic_slab_function *function,
                                   const void *own);
/** Once more, of a u that has not changed since. */
void elliptic_host_slabs_again(const struct elliptic_host *host, const double *u, elliptic_slab_function *function,
                               const void *own);

/** y = A u; z = M^-1 r. Arrays [ny][nz][nx]. @return SW_E_COMM */
enum sw_status elliptic_host_apply(const struct elliptic_host *host, const double *u, double *y);
void elliptic_host_precondition(const struct elliptic_host *host, const double *r, double *z);

/** The sums of what the slabs of all ranks have in the rows from `first` on of host->sums: in the order of their
 * numbers, pairwise, and those of ranks in their order. One reduction.
 * @param sum  out [count]  @return SW_E_COMM */
enum sw_status elliptic_host_sums(struct elliptic_host *host, int first, int count, double *sum);

/** The vectors of the system at hand, preconditioned by columns. The caller adds space.fused if it does not go pass by
 * pass. */
struct elliptic_space elliptic_host_space(struct elliptic_host *host);
extern const struct elliptic_fused elliptic_host_fused;
#endif
