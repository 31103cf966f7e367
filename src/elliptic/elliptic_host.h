#ifndef ELLIPTIC_HOST_H
#define ELLIPTIC_HOST_H
/* What rows on the CPU share: the matrix, the preconditioner and vectors by all threads, slab by slab, with sums that
 * do not depend on how many threads there are. Of a grid that is cut over ranks a vector has the slabs of this one;
 * sums are those of all, and the slabs beside the ends come from the neighbours. */
#include "device/sw_owned.h"
#include "elliptic/elliptic_cells_cpu.h"
#include "elliptic/elliptic_judge.h"
#include "elliptic/elliptic_krylov.h"

struct elliptic_host {
    const struct sw_elliptic_matrix *matrix;   /* of the system at hand; the caller sets it        */
    int     threads;
    size_t  scratch;        /* words of a thread */
    real   *scratches;      /* [threads][scratch] */
    double *sums;           /* [3][ny]: of slabs */
    int     vectors;        /* 1 .. 4 */
    size_t  cells;
    real   *work;           /* [vectors][cells] */
    struct elliptic_ranks ranks;
    real   *beside[2];      /* [nz][nx]: from the rank before, from that behind */
#ifdef ELLIPTIC_SINGLE
    struct elliptic_judge *judge;         /* forms residuals of u in double        */
    struct elliptic_matrix_single rounded;   /* of the system at hand, times 2^-exponent */
    float  *numbers;        /* what that points to */
    int     exponent, up;   /* of the matrix; r is the residual times 2^up */
    float  *u;              /* [cells]: u times 2^(up + exponent) */
#endif
};

/* @param vectors  of the length of u that a method needs: 4, or 1 of a method that only refines
 * @param own      gets the arrays */
void elliptic_host_make(const struct sw_elliptic_desc *desc, int threads, int vectors, struct sw_owned *own,
                        struct elliptic_host *host);

/** The scratch memory of the thread that asks. */
real *elliptic_host_scratch(const struct elliptic_host *host);

/** Begin with a system. @return its numbers, whose give_up() says the same on all ranks */
const struct sw_elliptic_numbers *elliptic_host_begin(struct elliptic_host *host,
                                                      const struct sw_elliptic_matrix *matrix,
                                                      const struct sw_elliptic_numbers *numbers);

/** Call a function for each slab j, by all threads, that looks at u there and at what is beside it. Of a grid that is
 * cut the slabs at its ends are the last, while numbers travel the others. @return SW_E_COMM */
typedef void elliptic_slab_function(const void *own, struct elliptic_beside ends, int64_t j);
enum sw_status elliptic_host_slabs(const struct elliptic_host *host, const real *u, elliptic_slab_function *function,
                                   const void *own);
/** Once more, of a u that has not changed since. */
void elliptic_host_slabs_again(const struct elliptic_host *host, const real *u, elliptic_slab_function *function,
                               const void *own);

/** The sums of what the slabs of all ranks have in the rows from `first` on of host->sums: in the order of their
 * numbers, pairwise, and those of ranks in their order. One reduction.
 * @param sum  out [count]  @return SW_E_COMM */
enum sw_status elliptic_host_sums(struct elliptic_host *host, int first, int count, double *sum);

/** The vectors of the system at hand, preconditioned by columns. The caller adds space.fused if it does not go pass by
 * pass. */
struct elliptic_space elliptic_host_space(struct elliptic_host *host);
extern const struct elliptic_fused elliptic_host_fused;

/** What a row does between residuals: from r = f - A u in host->work and |r|² in way->rr, iterate until
 * elliptic_record() says that no other iteration is due, or elliptic_breaks() that none is possible. It has to look
 * whether there is one to make at all, and may overwrite all of host->work. */
typedef enum sw_status elliptic_host_method(void *context, struct elliptic_way *way, real *u);

/** Solve a system that was loaded: elliptic_refine() with that method. In single precision u is rounded, and stays so
 * from one beginning to the next; elliptic_refine() forms f - A u in double and gives the method r rounded, scaled so
 * that its numbers are near 1. */
enum sw_status elliptic_host_solve(struct elliptic_host *host, const struct sw_elliptic *solver, int system,
                                   const double *f, double *u, struct sw_elliptic_outcome *outcome, double *history,
                                   int most, elliptic_host_method *method, void *context);
#endif
