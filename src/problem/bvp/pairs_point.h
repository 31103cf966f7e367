#ifndef PAIRS_POINT_H
#define PAIRS_POINT_H
/* The systems of tridiagonal_point.h as first-order pairs, for a solver of tridiagonal systems that pivots
 * (docs/numerics.md, 7). With the fluxes v_k = c_k (u_k - u_{k+1})/s as unknowns between the u's,
 *
 *     -v_{k-1} + (e_k/s) u_k + v_k      = b_k/s,   k = 0 .. n-1
 *     u_k      - (s/c_k) v_k - u_{k+1} = 0,        k = 0 .. n-2
 *
 * which is tridiagonal in u_0, v_0, u_1, v_1, .. u_{n-1}. The row sums e stay apart: the diagonal c + c + e, where a
 * rounding of c costs digits of e like n², is nowhere formed. The main diagonal is small or 0, so that elimination has
 * to pivot. With s = 1/Σ 1/c, to a power of two, v is of the size of u: a difference of u over the whole interval is a
 * mean of v.
 *
 * A system is worked on in chunks of rows; one with tri.n = 0 is 1 x = 0. */
#include "problem/bvp/refinement_point.h"

enum { PAIRS_CHUNK = 4096 };  /* u's: what a thread of the CPU, or a block of a GPU, takes at a time */

struct pairs {                /* of a batch, for kernels by value; arrays where the solver works              */
    int     n;                /* u's of a system                                                              */
    int     chunks;           /* of a system                                                                  */
    size_t  line;             /* from a system's u to the next one's, as in struct bvp_general; t.stride is 1 */
    const struct sw_tri *tri; /* [batch]                                                                      */
    const struct sw_tri_refinement *refinement;  /* [batch]                                                   */
    const double *scale;      /* [batch] s                                                                    */
    double *u;                /* [batch][line]                                                                */
    double *lower, *main, *upper, *rhs, *x;  /* [batch][2n-1]                                                 */
    struct sw_tri_measured *part;  /* [batch][chunks]                                                         */
};

SW_HD static inline size_t pairs_rows(const struct pairs *p) { return 2 * (size_t)p->n - 1; }

/** Row i = 0 .. 2n-2 of the matrix of system j, with 0 on the right. */
SW_HD static inline void pairs_make_row(const struct pairs *p, int j, int i)
{
    const struct sw_tri *t = &p->tri[j];
    const size_t at = (size_t)j * pairs_rows(p) + (size_t)i;
    const int k = i / 2;
    const bool of_u = i % 2 == 0;
    p->lower[at] = t->n == 0 ? 0.0 : of_u ? -1.0 : 1.0;
    p->main[at] = t->n == 0 ? 1.0 : of_u ? t->e[k] / p->scale[j] : -(p->scale[j] / t->c[k]);
    p->upper[at] = t->n == 0 ? 0.0 : of_u ? 1.0 : -1.0;
    p->rhs[at] = 0.0;
}

/* The u's of a chunk: first .. end-1. */
SW_HD static inline int pairs_first(int chunk) { return chunk * PAIRS_CHUNK; }
SW_HD static inline int pairs_end(const struct pairs *p, int chunk)
{
    return p->n - pairs_first(chunk) < PAIRS_CHUNK ? p->n : pairs_first(chunk) + PAIRS_CHUNK;
}
#endif
