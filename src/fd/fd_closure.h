#ifndef FD_CLOSURE_H
#define FD_CLOSURE_H
/* The K rows next to a wall, for rows of the table that solve as if there were none: what closes them, reduced to
 *     g_k = sum weight[k][l] f_l + v[k] g_K,   k < K,
 * points counted from the wall, the same at both but for line->sign; and what follows for the amounts of q^i and
 * q^(n-1-i), which solve the scheme's own rows whatever stands at the walls. */
#include "fd/sw_fd_scheme.h"

struct fd_closure {
    int    K;                /* max(3, half_width)                                                                 */
    int    points;           /* l < points                                                                    */
    double weight[SW_FD_HALF_WIDTH][SW_FD_WALL_POINTS], v[SW_FD_HALF_WIDTH];
    double across;           /* q^(n-2K): of what starts with 1 at point K - 1 from a wall, at point K from the other */
    double same, other;      /* how much of q^i, i counted from point K - 1, for what lacks at a wall, at the other   */
};

/** The two rows at a wall, reduced in sw_fd_end. @return SW_E_SINGULAR */
enum sw_status fd_end_check(const struct sw_fd_line *line);

/** In long double, rounded once. @return SW_E_SINGULAR */
enum sw_status fd_closure_make(const struct sw_fd_line *line, long double q, struct fd_closure *c);

/** q^k; 0 where it is negligible beside 1, so that lines long enough are computed alike. */
double fd_power(long double q, int64_t k);
#endif
