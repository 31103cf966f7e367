#ifndef FD_MATTOR_POINT_H
#define FD_MATTOR_POINT_H
/* Mattor's closure for lines that are cut over ranks, in the form that the kernel of cuda.fused takes: the values Y
 * left of a rank's part and X right of it are found exactly, however thin parts are. Of one line, for host and device.
 *
 * The part of a rank is to the ranks what a segment is to the threads of cuda.fused (cuda/fd/fd_fused_rtc.cuh). A
 * factor of the matrix is y_i = r_i + q y_{i-1}, x_i = y_i + q x_{i+1}; a part runs both from zero and has
 *     E = its last y,    F = its first x.                                                     (primary systems)
 * With those of all ranks,
 *     Y of the next = E + q^m Y,    X of the one before = F + kappa Y + q^m X                    (reduced system)
 * give Y and X of all of them, one sweep over the ranks to the right and one to the left; and with these each rank
 * writes its results (the secondary systems are powers of q). The right-hand side of a second factor is the x of the
 * first, x_i = x0_i + A q^(i+1) + B q^(m-i), so that its E and F are those of x0 and multiples of Y and X.
 *
 * A periodic line ends with Y and X of zeros, too: what has gone around it once, divided by 1 - q^n, is added.
 *
 * Between walls the sweeps begin with zero, and a q^i from either wall is added, from point K - 1 on; two equations,
 * those of the undivided line (fd_closure.h), give both amounts. They need the defect of row K - 1 of the closure in x
 * at each wall. The rank there sends that in place of the E or F that has no part to go to, of x0; what Y or X adds to
 * it follows. The kernel adds the power of its own wall itself, which X and Y of the rank at that wall so leave out. */
#include "fd/fd_rhs_point.h"

#ifdef __CUDACC__
#define FD_MATTOR_UNROLL _Pragma("unroll 8")
#else
#define FD_MATTOR_UNROLL
#endif

/* What the text of a kernel knows about a line; as a constant it makes loops and branches vanish. */
struct fd_mattor_kind { int single, half_width, second, up, down, factors, near_wall, far_wall; };

/* Of a rank, for each factor. */
struct fd_mattor_rank {
    double mu[2], kappa[2];              /* q^m, sigma (q - q^(2m+1)), sigma = 1/(1 - q^2)                      */
    double before[2];                    /* periodic: Y of a Y of 1 left of rank 0; else 0                      */
    double E_of[2], F_of[2];             /* what Y and X of the first factor add to E and F of the second       */
    double Y_near, X_near;               /* of an amount of 1 from the near wall; 0 if periodic                 */
    double X_far[2];                     /* likewise from the far wall; periodic: of an X of 1 beyond the last rank */
};

struct fd_mattor {
    struct fd_rhs rhs;                   /* weights times c, as those of cuda.fused                             */
    long long stride, m, lines;          /* from a point to the next; points of this rank; lines                */
    long long reach;                     /* points of an end that are summed up, where a part has more          */
    int       planes;                    /* points of each neighbour that are here                              */
    const void *left, *right;            /* [planes][lines]                                                     */
    double   *sums;                      /* [lines][2 factors]: E and F; then Y and X                           */
    double    q[2];                      /* of each factor                                                      */
    double    E_H, E_F, F_F, F_G, F_E;   /* E and F of the second factor, of this rank                          */
    /* walls */
    int       K, wall_points;
    double    wall[FD_WALL_POINTS], v;   /* row K - 1 of a closure: g_{K-1} = sum wall_l f_l + v g_K            */
    double    of_X, of_Y;                /* defect at the near wall of an X of 1, at the far wall of a Y of 1   */
    double    same, other;               /* amount for a defect of 1 at this wall, at the other                 */
    /* the reduced system, of this rank's share of the lines */
    int       size;                      /* ranks                                                               */
    long long share;                     /* lines                                                               */
    const struct fd_mattor_rank *rank;   /* [size]                                                              */
    double    around[2];                 /* periodic: 1/(1 - q^n); else 0                                       */
    double   *shared;                    /* [size][share][2 factors]: E and F of each rank, then its Y and X    */
};

SW_HD static inline double fd_mattor_load(int single, const void *f, long long at)
{
    return single ? (double)((const float *)f)[at] : ((const double *)f)[at];
}

/* Point i of a line, from the neighbours beyond the part; beyond a wall the point there. @param f  at the line's point
 * 0 */
SW_HD static inline double fd_mattor_at(const struct fd_mattor *d, struct fd_mattor_kind k, const void *f,
                                        long long begin, long long line, long long i)
{
    const int left = i < 0 && !k.near_wall, right = i >= d->m && !k.far_wall;
    const long long inside = i < 0 ? 0 : i < d->m ? i : d->m - 1;
    const long long at = left ? (i + d->planes) * d->lines + line : (i - d->m) * d->lines + line;
    return fd_mattor_load(k.single, left ? d->left : right ? d->right : f,
                          left || right ? at : begin + inside * d->stride);
}

/* Right-hand side of row K - 1 of the closure at a wall. */
SW_HD static inline double fd_mattor_wall(const struct fd_mattor *d, struct fd_mattor_kind k, const void *f,
                                          long long begin, long long line)
{
    double sum = 0, zero = 0;
    for (int l = 0; l < d->wall_points; l++) {
        const double v = fd_mattor_at(d, k, f, begin, line, k.far_wall ? d->m - 1 - l : l);
        if (l == 0 && d->rhs.differences) zero = v;
        sum = fma(d->wall[l], v - zero, sum);
    }
    return k.far_wall ? d->rhs.far * sum : sum;
}

/* Sums over y of the first factor: with q_0 of powers from the first point, F; and from the end, H, or the first point,
 * G, with q_1. Of a wall: x at point K - 1 or K from it, sums from there on, and y a point further to the left. */
struct fd_mattor_sums { double y, F, H, G, power[2], x, x_power, y_beside; };

/* Points first .. end - 1. */
SW_HD static inline void fd_mattor_run(const struct fd_mattor *d, struct fd_mattor_kind k, const void *f,
                                       long long begin, long long line, long long first, long long end,
                                       struct fd_mattor_sums *s)
{
    double w[2 * FD_PAIRS + 1];
    const long long x_first = k.near_wall ? d->K : d->m - d->K;
    for (int j = 0; j < 2 * k.half_width; j++) w[j] = fd_mattor_at(d, k, f, begin, line, first - k.half_width + j);
    FD_MATTOR_UNROLL
    for (long long i = first; i < end; i++) {  /* loads of several points at once */
        w[2 * k.half_width] = fd_mattor_at(d, k, f, begin, line, i + k.half_width);
        const double here = w[k.half_width];
        double r = d->rhs.centre * here;
        for (int j = 1; j <= k.half_width; j++)
            r = fma(d->rhs.weight[j],
                    fd_pair(k.second, d->rhs.minus, here, w[k.half_width + j + k.up], w[k.half_width - j + k.down]),
                    r);
        s->y = fma(d->q[0], s->y, r);
        s->F = fma(s->power[0], s->y, s->F);
        s->power[0] *= d->q[0];
        if (k.factors == 2) {
            s->H = fma(d->q[1], s->H, s->y);
            s->G = fma(s->power[1], s->y, s->G);
            s->power[1] *= d->q[1];
        }
        if (k.near_wall || k.far_wall) {
            if (i == x_first - 1) s->y_beside = s->y;
            if (i >= x_first) {
                s->x = fma(s->x_power, s->y, s->x);
                s->x_power *= d->q[0];
            }
        }
        for (int j = 0; j < 2 * k.half_width; j++) w[j] = w[j + 1];
    }
}

/** E and F of a line, to d->sums; at a wall the defect there in place of one of them. */
SW_HD static inline void fd_mattor_primary(const struct fd_mattor *d, struct fd_mattor_kind k, const void *f,
                                           long long line)
{
    const long long begin = line / d->stride * d->stride * d->m + line % d->stride;
    const long long left = d->m < d->reach ? d->m : d->reach, right = d->m - d->reach > left ? d->m - d->reach : left;
    double *const out = d->sums + line * 2 * k.factors;
    struct fd_mattor_sums s = {0, 0, 0, 0, {1, 1}, 0, 1, 0};
    fd_mattor_run(d, k, f, begin, line, 0, left, &s);
    if (right > left) s.y = s.H = 0;
    fd_mattor_run(d, k, f, begin, line, right, d->m, &s);
    out[0] = s.y;
    out[1] = s.F;
    if (k.near_wall || k.far_wall) {
        const double beside = fma(d->q[0], s.x, s.y_beside);  /* x a point further to the left */
        const double last = k.near_wall ? beside : s.x, inner = k.near_wall ? s.x : beside;
        out[k.near_wall] = fma(d->v, inner, fd_mattor_wall(d, k, f, begin, line)) - last;
    }
    if (k.factors == 2) {
        out[2] = fma(d->E_H, s.H, d->E_F * s.F);
        out[3] = fma(d->F_E, out[2], fma(d->F_F, s.F, d->F_G * s.G));
    }
}

/** Y and X of a line for all ranks, in place of their E and F in d->shared. */
SW_HD static inline void fd_mattor_reduced(const struct fd_mattor *d, int factors, long long line)
{
    const long long step = d->share * 2 * factors;
    double *const first = d->shared + line * 2 * factors;
    for (int j = 0; j < factors; j++) {
        const struct fd_mattor_rank *r = d->rank;
        double Y = 0, X = 0, E = 0, F = 0, Y_last = 0, *x = first;
        for (int p = 0; p < d->size; p++, x += step, r++) {
            E = x[2 * j];
            if (j) E = fma(r->E_of[1], x[1], fma(r->E_of[0], x[0], E));
            x[2 * j] = Y_last = Y;
            Y = fma(r->mu[j], Y, E);
        }
        Y *= d->around[j];
        for (int p = 0; p < d->size; p++) {
            x -= step, r--;
            F = x[2 * j + 1];
            if (j) F = fma(r->F_of[1], x[1], fma(r->F_of[0], x[0], F));
            x[2 * j] = fma(r->before[j], Y, x[2 * j]);
            x[2 * j + 1] = X;
            X = fma(r->mu[j], X, fma(r->kappa[j], x[2 * j], F));
        }
        const double defect_near = fma(d->of_X, x[2 * j + 1], F), defect_far = fma(d->of_Y, Y_last, E);
        const double near = fma(d->other, defect_far, d->same * defect_near);
        const double far = fma(d->other, defect_near, fma(d->same, defect_far, d->around[j] * X));
        for (int p = 0; p < d->size; p++, x += step, r++) {
            x[2 * j] = fma(r->Y_near, near, x[2 * j]);
            x[2 * j + 1] = fma(r->X_far[j], far, fma(r->X_near, near, x[2 * j + 1]));
        }
    }
}
#endif
