#ifndef FD_RHS_POINT_H
#define FD_RHS_POINT_H
/* The right-hand side of compact differences at a point (sw_fd_scheme.h), and the lines of a field, as arguments of
 * kernels. Embedded for run-time compilation. */
#include <math.h>

#include "base/sw_hd.h"

enum { FD_PAIRS = 5, FD_WALL_POINTS = 9 };

struct fd_rhs {
    int    half_width, up, down;  /* pair k: f at i + k + up and at i - k + down */
    int    second;                /* pairs are (f_+ - f_i) - (f_i - f_-); else f_+ + minus f_- */
    int    rows;                  /* rows at each wall with weights of their own; 0: periodic */
    int    differences;           /* such rows take f_k - f_r; else f_k */
    int    points[FD_PAIRS];      /* row r takes points 0 .. points[r] - 1 from the wall */
    double minus, far;            /* signs, 1 or -1: of f_-; of the rows at the far wall */
    double centre, weight[FD_PAIRS + 1];
    double wall[FD_PAIRS][FD_WALL_POINTS];
};

/* Line l begins at l/stride*stride*n + l%stride, its points are `stride` apart. */
struct fd_lines {
    long long stride, all;              /* all < 2^31: how many lines                                            */
    int       n, single, add;           /* points of each; float; out += g                                       */
};

SW_HD static inline long long fd_line_begin(long long stride, const struct fd_lines *l, long long line)
{
    if (stride >= l->all) return line;  /* one plane; else both fit 32 bits, in which a division takes less */
    return (long long)((unsigned)line / (unsigned)stride) * stride * l->n + (unsigned)line % (unsigned)stride;
}

SW_HD static inline int fd_wrapped(int i, int n) { return i < 0 ? i + n : i >= n ? i - n : i; }

SW_HD static inline double fd_pair(int second, double minus, double here, double plus, double other)
{
    return second ? (plus - here) - (here - other) : fma(minus, other, plus);
}

/** Row r from a wall. @param f  at the wall  @param step  from a point to the next, away from the wall */
SW_HD static inline double fd_rhs_wall(const struct fd_rhs *s, int r, const double *f, long long step)
{
    const double base = s->differences ? f[r * step] : 0;
    double sum = 0;
    for (int k = 0; k < s->points[r]; k++) sum = fma(s->wall[r][k], f[k * step] - base, sum);
    return sum;
}

/** Of point i of a line of n points that are `step` apart. */
SW_HD static inline double fd_rhs_at(const struct fd_rhs *s, const double *f, long long step, int i, int n)
{
    const double *at = f + i * step;
    const double here = *at;
    double sum = s->centre * here;
    if (i < s->rows) return fd_rhs_wall(s, i, f, step);
    if (i >= n - s->rows) return s->far * fd_rhs_wall(s, n - 1 - i, f + (n - 1) * step, -step);
    if (i >= FD_PAIRS && i < n - FD_PAIRS) {
        for (int k = 1; k <= s->half_width; k++)
            sum = fma(s->weight[k],
                      fd_pair(s->second, s->minus, here, at[(k + s->up) * step], at[(s->down - k) * step]),
                      sum);
        return sum;
    }
    for (int k = 1; k <= s->half_width; k++) {
        const double plus = f[fd_wrapped(i + k + s->up, n) * step], other = f[fd_wrapped(i - k + s->down, n) * step];
        sum = fma(s->weight[k], fd_pair(s->second, s->minus, here, plus, other), sum);
    }
    return sum;
}
#endif
