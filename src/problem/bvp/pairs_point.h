#ifndef PAIRS_POINT_H
#define PAIRS_POINT_H
/* The systems of tridiagonal_point.h as first-order pairs, for a solver of tridiagonal systems that pivots
 * (docs/explanation/bvp.md). With the fluxes v_k = c_k (u_k - u_{k+1})/s as unknowns between the u's,
 *
 *     -v_{k-1} + (e_k/s) u_k + v_k      = b_k/s,   k = 0 .. n-1
 *     u_k      - (s/c_k) v_k - u_{k+1} = 0,        k = 0 .. n-2
 *
 * which is tridiagonal in u_0, v_0, u_1, v_1, .. u_{n-1}. The row sums e stay apart: the diagonal c + c + e, where a
 * rounding of c costs digits of e like n², is nowhere formed. The main diagonal is small or 0, so that elimination has
 * to pivot. With s = 1/Σ 1/c, to a power of two, v is of the size of u: a difference of u over the whole interval is a
 * mean of v.
 *
 * u and v are refined together, by the residuals of both rows of a pair. The residual of u alone, b - A u, would hold
 * c times the rounding of u: where c is large beside s, this would ask for corrections of v that are large beside v,
 * and the rounding of those is an error of u.
 *
 * A system is worked on in chunks of rows; one with tri.n = 0 is 1 x = 0. */
#include "problem/bvp/refinement_point.h"

enum { PAIRS_CHUNK = 4096 };  /* u's: what a thread of the CPU, or a block of a GPU, takes at a time */

struct sw_bvp_pairs {                /* of a batch, for kernels by value; arrays where the solver works              */
    int     n;                /* u's of a system                                                              */
    int     chunks;           /* of a system                                                                  */
    size_t  line;             /* from a system's u to the next one's, as in struct bvp_general; t.stride is 1 */
    const struct sw_bvp_system *tri; /* [batch]                                                                      */
    const struct sw_tri_refinement *refinement;  /* [batch]                                                   */
    const double *scale;      /* [batch] s                                                                    */
    double *u, *v;            /* [batch][line]; the last v of a system is not used                            */
    double *lower, *main, *upper, *rhs, *x;  /* [batch][2n-1]                                                 */
    struct sw_tri_measured *part;  /* [batch][chunks]                                                         */
};

SW_HD static inline size_t pairs_rows(const struct sw_bvp_pairs *p) { return 2 * (size_t)p->n - 1; }

/** Row i = 0 .. 2n-2 of the matrix of system j, with 0 on the right. */
SW_HD static inline void pairs_make_row(const struct sw_bvp_pairs *p, int j, int i)
{
    const struct sw_bvp_system *t = &p->tri[j];
    const size_t at = (size_t)j * pairs_rows(p) + (size_t)i;
    const int k = i / 2;
    const bool of_u = i % 2 == 0;
    p->lower[at] = t->n == 0 ? 0.0 : of_u ? -1.0 : 1.0;
    p->main[at] = t->n == 0 ? 1.0 : of_u ? t->e[k] / p->scale[j] : -(p->scale[j] / t->c[k]);
    p->upper[at] = t->n == 0 ? 0.0 : of_u ? 1.0 : -1.0;
    p->rhs[at] = 0.0;
}

/** The right-hand sides of the pair k of system j, for the step r. */
SW_HD static inline void pairs_fill(const struct sw_bvp_pairs *p, const struct sw_bvp_system *t,
                                    const struct sw_tri_refinement *r, int j, int k)
{
    const size_t at = (size_t)j * pairs_rows(p) + 2 * (size_t)k;
    const double s = p->scale[j], *u = p->u + (size_t)j * p->line, *v = p->v + (size_t)j * p->line;
    double of_u, of_v = 0.0;
    if (r->step == SW_TRI_CORRECT) {
        const double flux = k < p->n - 1 ? s * v[k] : 0.0;  /* s is a power of two */
        const struct sw_dd before = {k > 0 ? s * v[k - 1] : 0.0, 0.0}, behind = {flux, 0.0};
        of_u = sw_tri_residual(t, u, k, before, behind);
        if (k < t->n - 1) {
            const struct sw_dd is = sw_tri_flux(t->c[k], u[k], u[k + 1]), off = sw_dd_add_double(behind, -is.hi);
            of_v = (off.hi + (off.lo - is.lo)) / t->c[k];
        }
    } else of_u = sw_tri_rhs(t, r, u, p->x[at], k);
    p->rhs[at] = of_u / s;
    if (k < p->n - 1) p->rhs[at + 1] = of_v;
}

/** Take in the solution of the pair k of system j, with what the step does to u and v. */
SW_HD static inline void pairs_measure(const struct sw_bvp_pairs *p, const struct sw_bvp_system *t,
                                       const struct sw_tri_refinement *r, int j, int k, struct sw_tri_measured *m)
{
    const double *x = p->x + (size_t)j * pairs_rows(p) + 2 * (size_t)k;
    double *u = p->u + (size_t)j * p->line, *v = p->v + (size_t)j * p->line;
    sw_tri_measure_row(t, r, u, x[0], k, m);
    if (k == p->n - 1 || (r->step != SW_TRI_SOLVE && r->step != SW_TRI_CORRECT)) return;
    v[k] = r->step == SW_TRI_SOLVE ? x[1] : v[k] + x[1];
    m->flux = fabs(x[1]) > m->flux ? fabs(x[1]) : m->flux;
}

/* The u's of a chunk: first .. end-1. */
SW_HD static inline int pairs_first(int chunk) { return chunk * PAIRS_CHUNK; }
SW_HD static inline int pairs_end(const struct sw_bvp_pairs *p, int chunk)
{
    return p->n - pairs_first(chunk) < PAIRS_CHUNK ? p->n : pairs_first(chunk) + PAIRS_CHUNK;
}
#endif
