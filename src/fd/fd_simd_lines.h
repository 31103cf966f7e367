#ifndef FD_SIMD_LINES_H
#define FD_SIMD_LINES_H
/* Compact differences of a group of lines side by side, 8 or 32: entry i of line l lies at i*stride + l, and a vector
 * holds entry i of neighbouring lines. No line reads another.
 *
 * A tridiagonal matrix with alpha, 1, alpha is (alpha/rho) (1 + rho S-)(1 + rho S+), S-+ the shifts to the left and to
 * the right and rho = (1 - sqrt(1 - 4 alpha^2))/(2 alpha), so that two recursions with a constant solve for it:
 *
 *     y_i = (rho/alpha) r_i - rho y_{i-1},    g_i = y_i - rho g_{i+1}
 *
 * The forward sweep forms r_i while it reads f, the backward sweep writes g: f is read once and g written once, and y
 * stays in the cache.
 *
 * On a periodic line the forward sweep starts from 0, and then (-rho)^(i+1) t is missing at point i, where t =
 * y_{n-1}/(1 - (-rho)^n). The backward sweep starts from g_n = g_0 = sum (-rho)^k y_k / (1 - (-rho)^n). Both concern
 * only the first `decay_points` points, with (-rho)^decay_points below 2^-60, or all n. Five diagonals are a product of
 * two such matrices, one after the other.
 *
 * Between walls two rows are eliminated at each end (sw_fd_end), and the matrix that remains begins with another
 * diagonal entry. There the constants are those of its factors L U, which equal rho/alpha and rho to the last bit after
 * `steps` rows.
 *
 * A part of a line that is cut over ranks is the same with neighbours in place of walls: no rows are eliminated at such
 * an end, the matrix begins with its own row, and right-hand sides near it read points of the neighbour. With five
 * diagonals, which only periodic lines have, the matrix of a part is no product of two: each row has factors of its
 * own. */
#include <stddef.h>

#include "device/sw_owned.h"
#include "fd/sw_fd_scheme.h"

/* Lines of a group, and of a small one; points that are prefetched ahead of a sweep; entries of `row` on either
 * side. */
enum { FD_GROUP = 32, FD_GROUP_SMALL = 8, FD_AHEAD = 8, FD_MARGIN = SW_FD_HALF_WIDTH + 1 + FD_AHEAD };

struct fd_factor { double scale, lower, upper; };  /* y_i = scale r_i - lower y_{i-1};  g_i = y_i - upper g_{i+1} */
struct fd_factor5 { double scale, lower[2], upper[2]; };  /* the same with y_{i-1}, y_{i-2} and g_{i+1}, g_{i+2}   */

struct fd_simd_lines {
    struct sw_fd_line line;     /* periodic with five diagonals: alpha and beta are not used. n of a part: its own */
    bool              left, right;      /* of a part: whether there is another beside it */
    int               factors;  /* of the matrix, on a periodic line: 1 or 2 */
    double            rho[2];
    int64_t           decay_points[2];  /* points that the correction of a periodic line concerns */
    double           *power[2];         /* [decay_points + 1] (-rho)^k */
    double            close[2];         /* 1/(1 - (-rho)^n) */
    int64_t           steps;            /* row k of the recursion has factor[min(k, steps)]; periodic: 0 */
    struct fd_factor *factor;           /* [steps + 1]; of five diagonals: the first matrix, with the scale of both */
    struct fd_factor  last;             /* walls, parts: the last row */
    struct fd_factor5 *factor5;         /* [n] of parts with five diagonals, or of one point; else NULL */
    int64_t          *row;              /* [-MARGIN .. n-1+MARGIN]: i modulo n on a periodic line */
};

/** @param own  gets the arrays  @return SW_E_SINGULAR a pivot vanishes; SW_E_MEMORY */
enum sw_status fd_simd_lines_create(const struct sw_fd_line *line, struct sw_owned *own, struct fd_simd_lines *c);

/** Parts of lines of n points each. @param line  not periodic; its n is that of the part
 *  @param left, right  whether there is another part beside it, else a wall; with five diagonals there are both */
enum sw_status fd_simd_part_create(const struct sw_fd_line *line, bool left, bool right, struct sw_owned *own,
                                   struct fd_simd_lines *c);

/** @param lines  FD_GROUP or FD_GROUP_SMALL
 *  @param f      entry i of line l at f[i*f_stride + l]
 *  @param y      [n][lines] scratch, 64-byte aligned
 *  @param g      likewise with g_stride; may be y with g_stride = lines */
void fd_simd_lines_apply(const struct fd_simd_lines *c, int lines, const double *f, size_t f_stride, double *y,
                         double *g, size_t g_stride);

/** The same of parts, as if the results beside them were zeros.
 *  @param before, after  [..][lines] points of the neighbours that right-hand sides need, half_width - line.down and
 *                        half_width + line.up of them; not read at a wall */
void fd_simd_part_apply(const struct fd_simd_lines *c, int lines, const double *f, size_t f_stride,
                        const double *before, const double *after, double *y, double *g, size_t g_stride);
#endif
