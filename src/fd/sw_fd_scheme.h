#ifndef SW_FD_SCHEME_H
#define SW_FD_SCHEME_H
/* Compact finite differences on uniform points (S. K. Lele, J. Comput. Phys. 103 (1992) 16-42): what a scheme is, in
 * exact fractions; and what it is on a line of n points, in doubles. docs/explanation/compact.md has the formulas.
 *
 *     beta (g_{i-2} + g_{i+2}) + alpha (g_{i-1} + g_{i+1}) + g_i = right-hand side of f at points near i
 *
 * The right-hand side, with Lele's letters a, b, c, ... = a[1], a[2], a[3], ...:
 *
 *     SW_FD_FIRST      sum a[k] (f_{i+k} - f_{i-k}) / (2k h)                      g = f' at the points
 *     SW_FD_SECOND     sum a[k] (f_{i+k} - 2 f_i + f_{i-k}) / (k h)^2            g = f''
 *     SW_FD_STAGGERED  sum a[k] (f_{+} - f_{-}) / ((2k-1) h)                     g = f' half-way between points
 *     SW_FD_MIDPOINT   sum a[k] (f_{+} + f_{-}) / 2                              g = f  half-way between points
 *     SW_FD_FILTER     a[0] f_i + sum a[k] (f_{i+k} + f_{i-k}) / 2                g = f without its shortest waves
 *
 * where f_{+-} are k - 1/2 steps to either side of where g_i lies. */
#include <stdbool.h>
#include <stdint.h>

#include "base/sw_status.h"
#include "base/sw_text.h"

enum sw_fd_kind { SW_FD_FIRST, SW_FD_SECOND, SW_FD_STAGGERED, SW_FD_MIDPOINT, SW_FD_FILTER };

enum {
    SW_FD_HALF_WIDTH = 5,   /* most pairs a right-hand side has */
    SW_FD_WALL_POINTS = 9,  /* most points that a row near a wall takes, counted from the wall */
    SW_FD_WALL_MIN = 6      /* points of a line between walls: two rows of a closure at each end, two between */
};

struct sw_fd_fraction { int num, den; };  /* den > 0; {0, 0} stands for 0 */

struct sw_fd_scheme {
    const char           *name;     /* "d1_c6"                                                           */
    const char           *about;    /* one line                                                          */
    enum sw_fd_kind       kind;
    int                   order;
    int                   half_width;   /* pairs of the right-hand side */
    struct sw_fd_fraction alpha, beta;  /* where alpha is the caller's: that of higher_order, of filters none, and 0 */
    struct sw_fd_fraction a[SW_FD_HALF_WIDTH + 1];
    bool                  any_alpha;    /* filters, and families with one parameter: alpha is the caller's, between
                                           -1/2 and 1/2, so that the matrix is diagonally dominant       */
    struct sw_fd_fraction more[SW_FD_HALF_WIDTH + 1];  /* then a[k] + more[k] alpha                            */
    int                   higher_order; /* of a family, where alpha is the one above                     */
};

/* What replaces the scheme in the rows next to a wall, where its right-hand side would extend beyond it. Row 1, with
 * points counted from the wall: g_1 + alpha g_2 = h^-d sum w[k] f_{k+1}; rows 2, 3, ... up to the half-width of the
 * scheme: the scheme of inner[] with that many pairs less one. The other end is the mirror image: for odd derivatives
 * with the other sign. */
struct sw_fd_closure {
    const char           *name;      /* "3-4-6": the orders of rows 1, 2 and of the rest                 */
    enum sw_fd_kind       kind;
    int                   interior;  /* order of the scheme it belongs to; 0: any of its kind            */
    int                   order;     /* of row 1                                                         */
    struct sw_fd_fraction alpha;
    struct sw_fd_fraction w[5];
    const char           *inner[SW_FD_HALF_WIDTH - 1];
};

extern const struct sw_fd_scheme  *const sw_fd_schemes[];   /* end with NULL */
extern const struct sw_fd_closure *const sw_fd_closures[];

/** @return NULL if there is none of this name */
const struct sw_fd_scheme *sw_fd_scheme_find(const char *name);
/** The closure of this name for a scheme; NULL if there is none, or for "periodic". */
const struct sw_fd_closure *sw_fd_closure_find(const struct sw_fd_scheme *scheme, const char *boundary);

/** The order of a scheme with this alpha, which counts where it is the caller's. */
int sw_fd_order(const struct sw_fd_scheme *scheme, double alpha);

/* An alpha that any scheme with one of the caller's can have, with any boundary. */
#define SW_FD_SOME_ALPHA 0.25

/** Add "periodic, 3-4-6, 4-4-6": what a scheme has at its ends. */
void sw_fd_add_boundaries(const struct sw_fd_scheme *scheme, struct sw_text *text);

/** 1, 2 or 0: what h is divided by how often. */
int sw_fd_derivative(enum sw_fd_kind kind);
/** a[k] is divided by this number to give the weight of a pair, k >= 1: 2k, k^2, 2k - 1, 2, 2. */
int sw_fd_divisor(enum sw_fd_kind kind, int k);
/** Whether g lies half-way between points. */
static inline bool sw_fd_at_midpoints(enum sw_fd_kind kind)
{
    return kind == SW_FD_STAGGERED || kind == SW_FD_MIDPOINT;
}

/* One end of a line between walls, its two rows of the matrix eliminated by hand. With r_1, r_2, .. the right-hand
 * sides and g_1, g_2, ... the unknowns, counted from the wall (at the far end r has the mirror image's sign already):
 *
 *     (1) g_1 + a1 g_2 = r_1      (2) l2 g_1 + g_2 + u2 g_3 = r_2      (3) alpha g_2 + g_3 + alpha g_4 = r_3
 *
 * gives a row for g_3 and on, diagonal g_3 + next g_4 = to3[0] r_1 + to3[1] r_2 + to3[2] r_3, and afterwards
 *     g_2 = to2[0] r_1 + to2[1] r_2 + to2[2] r_3 + from3 g_3 + from4 g_4,     g_1 = r_1 - a1 g_2.
 * Where the pivot 1 - l2 a1 is exactly 0, so that elimination without exchanges would break off, (1) and (2) give g_3
 * at once (diagonal = 1, next = 0) and (3) gives g_2. */
struct sw_fd_end {
    double a1, l2, u2;
    double diagonal, next;
    double to3[3], to2[3], from3, from4;
};

/* A scheme on a line of n points, h and alpha put in. */
struct sw_fd_line {
    enum sw_fd_kind kind;
    int64_t n;
    bool    periodic;
    double  alpha, beta;
    int     half_width;                    /* pair k: f at i + k + up and i - k + down, 1 <= k <= half_width */
    int     up, down;                      /* 0, 0; half-way to the right: 0, 1; to the left: -1, 0 */
    double  centre;                        /* weight of f_i: filters; 0 else */
    double  weight[SW_FD_HALF_WIDTH + 1];  /* of pair k, with its power of h */
    /* walls */
    int     rows;                                       /* whose right-hand sides are special, at each end */
    double  sign;                                       /* of their weights at the far end: -1 for odd derivatives */
    int     points[SW_FD_HALF_WIDTH];                   /* row r takes f of points 0 .. points[r] - 1 from the wall */
    double  wall[SW_FD_HALF_WIDTH][SW_FD_WALL_POINTS];  /* their weights, with the power of h */
    struct sw_fd_end end;
};

/* Right-hand sides are evaluated in differences of f wherever g is a derivative, so that constants give exactly 0, and
 * rounding is relative to how f varies and not to f:
 *     FIRST, STAGGERED  sum weight[k] (f_+ - f_-)
 *     SECOND            sum weight[k] ((f_+ - f_i) - (f_i - f_-))
 *     row r of a wall   sum wall[r][k] (f_k - f_r), k != r;   filters: sum wall[r][k] f_k */

/** @param boundary  "periodic" or the name of a closure
 *  @param h         the step, > 0; not used by filters and interpolation
 *  @param alpha     where scheme->any_alpha, -1/2 < alpha < 1/2; 0 for other schemes
 *  @param left      results half-way between points lie to the left of their points
 *  @return SW_E_CONFIG no such scheme, no such boundary for it (the message lists those there are), too few points (the
 *          message has the least number), alpha or h out of range */
enum sw_status sw_fd_line_make(const char *scheme, const char *boundary, int64_t n, double h, double alpha, bool left,
                               struct sw_fd_line *line);

/** Why a scheme with this boundary cannot have this alpha of the caller's; NULL: it can, or has its own. */
const char *sw_fd_alpha_refusal(const struct sw_fd_scheme *scheme, const char *boundary, double alpha);

/** The two rows at a wall. @param a1, l2, u2  as above; exact: l2 a1 = 1
 *  @param al  of the rows from 3 on */
void sw_fd_end_make(double a1, double l2, double u2, bool exact, double al, struct sw_fd_end *end);

/** The least n of a scheme with a boundary that it has; 0: it has none of this name. */
int sw_fd_min_points(const char *scheme, const char *boundary);
#endif
