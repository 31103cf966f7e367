#ifndef BVP_CELLS_POINT_H
#define BVP_CELLS_POINT_H
/* The equations of the general problem (docs/explanation/bvp.md), for the CPU and for a kernel. Finite volumes: cells
 * of width h around the points x_0 .. x_N, half ones at the ends. A problem's values are looked over first (struct
 * bvp_values), for what is refused and for a unit; then its equations are made (bvp_cell()), and looked over as well
 * (struct bvp_made). What is looked over in parts is joined in the order of the points. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/sw_hd.h"

struct bvp_given { bool fixed; double u, alpha, beta, value; };  /* at an end: u, or alpha u + beta u' = value */

/* A power of two that may be beyond the range of numbers, where what it multiplies is not. */
struct bvp_power { double half, other_half; };

SW_HD static inline double bvp_times(double v, struct bvp_power p) { return v * p.half * p.other_half; }

/* The equations of a problem are times a power of two, which rounds nothing and leaves u: the least p and the largest p
 * or h² q are as far from 1. So that h² does not leave the range of numbers before, h is m 2^e, 1/2 <= m < 1. */
struct bvp_units {
    double           h;          /* m                              */
    struct bvp_power p, hp, hhq; /* for p, h p and h² q, where h is m */
};

struct bvp_cells {               /* a problem                                                  */
    long long        right;      /* N: the point at the right end                              */
    long long        first;      /* the point of unknown 0                                     */
    int              unknowns;
    bool             asked;      /* its equations are to be made                               */
    struct bvp_given given[2];   /* at the left and the right end                              */
    double           p[2];       /* p there; anything where u is given                         */
    struct bvp_units unit;
};

/* ------------------------------------------------------------------ values */

#define BVP_NOWHERE 0x7fffffffffffffffLL

struct bvp_values {              /* of p between the points, of f and q at the unknowns                     */
    double    least_p, largest_p, largest_q;  /* the last of |q|                                            */
    long long f, q, p;           /* the first where f, q are not finite, p not a positive number; BVP_NOWHERE */
};

SW_HD static inline struct bvp_values bvp_no_values(void)
{
    const struct bvp_values v = {(double)INFINITY, 0.0, 0.0, BVP_NOWHERE, BVP_NOWHERE, BVP_NOWHERE};
    return v;
}

/** Take in f and q at point i, an unknown. */
SW_HD static inline void bvp_values_of_unknown(struct bvp_values *v, long long i, double f, double q)
{
    if (!isfinite(f) && i < v->f) v->f = i;
    if (!isfinite(q) && i < v->q) v->q = i;
    v->largest_q = fmax(v->largest_q, fabs(q));
}

/** Take in p between the points i and i+1. */
SW_HD static inline void bvp_values_of_p(struct bvp_values *v, long long i, double p)
{
    if (!(p > 0.0 && isfinite(p)) && i < v->p) v->p = i;
    v->least_p = p < v->least_p ? p : v->least_p;
    v->largest_p = p > v->largest_p ? p : v->largest_p;
}

SW_HD static inline void bvp_values_join(struct bvp_values *v, const struct bvp_values *more)
{
    v->least_p = fmin(v->least_p, more->least_p);
    v->largest_p = fmax(v->largest_p, more->largest_p);
    v->largest_q = fmax(v->largest_q, more->largest_q);
    v->f = more->f < v->f ? more->f : v->f;
    v->q = more->q < v->q ? more->q : v->q;
    v->p = more->p < v->p ? more->p : v->p;
}

/* ------------------------------------------------------------------ equations */

/* The equation of an unknown, with the sizes of what its e and b are added up from. */
struct bvp_equation { double c, e, b, e_size, b_size; };

SW_HD static inline void bvp_equation_add(struct bvp_equation *r, double e, double b)
{
    r->e += e;
    r->b += b;
    r->e_size += fabs(e);
    r->b_size += fabs(b);
}

/** The balance of the cell around point i, times h.
 * @param before, p  p west of it and east; anything beyond an end */
SW_HD static inline struct bvp_equation bvp_cell(const struct bvp_cells *s, long long i, double before, double p,
                                                 double q, double f)
{
    const bool left = i == 0, right = i == s->right;
    const double h = s->unit.h, width = left || right ? 0.5 : 1.0;
    struct bvp_equation r = {right ? 0.0 : bvp_times(p, s->unit.p), 0.0, 0.0, 0.0, 0.0};
    bvp_equation_add(&r, width * bvp_times(h * h * q, s->unit.hhq), width * bvp_times(h * h * f, s->unit.hhq));
    if (left || right) {  /* u' there is (value - alpha u)/beta */
        const struct bvp_given *e = &s->given[right];
        const double flux = bvp_times((right ? h : -h) * s->p[right] / e->beta, s->unit.hp);
        bvp_equation_add(&r, flux * e->alpha, flux * e->value);
    }
    const double west = i == 1 ? bvp_times(before, s->unit.p) : 0.0;
    if (i == 1 && s->given[0].fixed) bvp_equation_add(&r, west, west * s->given[0].u);
    if (i == s->right - 1 && s->given[1].fixed) bvp_equation_add(&r, r.c, r.c * s->given[1].u);
    return r;
}

struct bvp_made {                    /* of the equations of unknowns                                         */
    double    least_c, largest_c;    /* but for the last unknown, whose c is not read                        */
    double    resistance;            /* Σ 1/c, likewise                                                      */
    double    e_size[2], b_size[2];  /* of the first and the last: |terms| that e and b were added up from   */
    long long beyond;                /* the first point with an entry beyond the range of numbers; BVP_NOWHERE */
};

SW_HD static inline struct bvp_made bvp_nothing_made(void)
{
    const struct bvp_made m = {(double)INFINITY, 0.0, 0.0, {0.0, 0.0}, {0.0, 0.0}, BVP_NOWHERE};
    return m;
}

/** Take in the equation of unknown k. */
SW_HD static inline void bvp_made_add(struct bvp_made *m, const struct bvp_cells *s, int k,
                                      const struct bvp_equation *r)
{
    const long long i = s->first + k;
    const bool last = k == s->unknowns - 1;
    if ((!isfinite(r->e) || !(r->c >= 0x1p-1022 || i == s->right)) && i < m->beyond) m->beyond = i;
    if (!last) {
        m->least_c = r->c < m->least_c ? r->c : m->least_c;
        m->largest_c = r->c > m->largest_c ? r->c : m->largest_c;
        m->resistance += 1.0 / r->c;
    }
    if (k > 0 && !last) return;
    m->e_size[k > 0] = r->e_size;
    m->b_size[k > 0] = r->b_size;
}

/** Take in what was made of later unknowns. */
SW_HD static inline void bvp_made_join(struct bvp_made *m, const struct bvp_made *more)
{
    m->least_c = fmin(m->least_c, more->least_c);
    m->largest_c = fmax(m->largest_c, more->largest_c);
    m->resistance += more->resistance;
    for (int k = 0; k < 2; k++) {  /* one of the two is 0 */
        m->e_size[k] += more->e_size[k];
        m->b_size[k] += more->b_size[k];
    }
    m->beyond = more->beyond < m->beyond ? more->beyond : m->beyond;
}

/* ------------------------------------------------------------------ what kernels see of a batch */

struct bvp_norms;
struct bvp_forming {             /* by value; arrays on the device                              */
    long long right, first;      /* as in struct bvp_cells, of all problems                     */
    int       unknowns;
    int       chunks;            /* of the points 0 .. right                                    */
    size_t    stride, line;      /* entry k of system j: [k*stride + j*line]                    */
    double    *c, *e, *b, *u;    /* as in struct sw_bvp_system; the unknowns                    */
    const struct bvp_cells *cells;  /* [count]                                                  */
    struct bvp_values *values;   /* [count][chunks]                                             */
    struct bvp_made   *made;     /* [count][chunks]                                             */
    struct bvp_norms  *norms;    /* [count][chunks]                                             */
};
#endif
