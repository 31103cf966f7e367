#ifndef FD_PCR_POINT_H
#define FD_PCR_POINT_H
/* The argument of the kernel of cuda.pcr. Embedded for run-time compilation. */
#include "fd/fd_rhs_point.h"

enum { FD_PCR_LEVELS = 6 };

/* Between walls, K = max(3, half_width); points counted from the wall, the same at both:
 * g_k = sum weight[k][l] f_l + v[k] g_K, k < K. */
struct fd_pcr_wall {
    int    K;
    int    points;                    /* l < points                                                          */
    int    differences;               /* f_l - f_0 instead of f_l                                            */
    double far;                       /* 1 or -1: of the weights at the far wall                             */
    double weight[FD_PAIRS][FD_WALL_POINTS], v[FD_PAIRS];
    double same, other;               /* amount of q^i for a defect of 1 at this wall, at the other one      */
    double q, across;                 /* across: q^(n-2K)                                                    */
};

struct fd_pcr {
    struct fd_lines lines;
    struct fd_rhs     rhs;         /* weights divided by the diagonal after the last level */
    int             pieces;        /* of a line, of nearly equal lengths, a warp each */
    int             halo;          /* points on either side of a piece that it is computed with */
    int             shift;         /* -1: result i lies right of point i - 1 */
    int             midpoints;     /* results lie at midpoints */
    int             walls, pitch;  /* numbers of shared memory for a piece */
    int             levels, powers;
    double          factor[FD_PCR_LEVELS];
    struct fd_pcr_wall wall;
    const double   *power;            /* [powers] q^i                                                        */
};
#endif
