#ifndef FD_CLOSURE_H
#define FD_CLOSURE_H
/* Private to the rows of the table that first solve as if there were no walls, and then add what the closures ask for.
 * The K rows of the matrix next to a wall are reduced to
 *     g_k = sum weight[k][l] f_l + v[k] g_K,   k < K,
 * points counted from the wall, the same at both but for line->sign; and from them follow the amounts of q^i and
 * q^(n-1-i), which are added: both solve the scheme's own rows. */
#include "fd/sw_fd_scheme.h"

struct fd_closure {
    int    K;                /* max(3, half_width)                                                                 */
    int    points;           /* l < points                                                                    */
    double weight[SW_FD_HALF_WIDTH][SW_FD_WALL_POINTS], v[SW_FD_HALF_WIDTH];
    double across;           /* q^(n-2K): what is left, at point K of a wall, of 1 at point K - 1 of the other; 0: there
                                is no other */
    double same, other;      /* amount of q^i, i from point K - 1 on, for a defect of 1 at this wall, at the other */
};

/** Check the pivot of sw_fd_end. @return SW_E_SINGULAR */
enum sw_status fd_end_check(const struct sw_fd_line *line);

/** Computed in long double, rounded once. @param q  decay from a point to the next
 *  @param one_wall  the line is a part of a longer one and ends at one wall  @return SW_E_SINGULAR */
enum sw_status fd_closure_make(const struct sw_fd_line *line, long double q, bool one_wall, struct fd_closure *c);

/** q^k, or 0 where it is negligible beside 1, so that all lines that are long enough have the same numbers. */
double fd_decay(long double q, int64_t k);
#endif
