#ifndef FD_FUSED_POINT_H
#define FD_FUSED_POINT_H
/* The arguments of the kernels of cuda.fused, so that no coefficient is loaded from memory: cuda/fd/fd_fused_rtc.cuh
 * explains each, src/fd/fd_fused_coefficients_cuda.c computes them. Embedded for run-time compilation. */
#include "base/sw_hd.h"

enum {
    SW_FD_FUSED_POINTS = 33,        /* most points of a segment: a thread has them in registers */
    SW_FD_FUSED_HALF_WIDTH = 5,     /* most pairs of a right-hand side */
    SW_FD_FUSED_WALL = 9,           /* most points at a wall that a closure takes */
    SW_FD_FUSED_WALL_SEGMENTS = 32  /* segments from a wall that its closure influences */
};

/* A factor (1 + rho S-)(1 + rho S+) of the matrix; q = -rho. [0]: for a segment of `points` points, [1]: a longer
 * one. */
struct sw_fd_fused_factor {
    double back, sigma, step;            /* q, 1/(1 - q^2), q^step */
    double mu[2], kappa[2], nu[2];       /* for m points: q^m, sigma (q - q^(2m+1)), sigma q^(m+1) */
    double up[SW_FD_FUSED_POINTS];       /* q^(j+1) */
    double down[SW_FD_FUSED_POINTS];     /* q^(points-j), j <= points; 0 beyond */
};

/* Between walls; K = max(3, half_width). A closure: g_k = sum weight[k][l] f_l + v[k] g_K, points counted from the
 * wall. */
struct sw_fd_fused_wall {
    int    points;                       /* l < points */
    int    differences;                  /* f_l - f_0 instead of f_l */
    double sign;                         /* of the weights at the far end */
    double weight[SW_FD_FUSED_HALF_WIDTH][SW_FD_FUSED_WALL], v[SW_FD_FUSED_HALF_WIDTH];
    double same, other;                  /* amount of q^i for a defect of 1 at this wall, at the other; i from K - 1 */
    double across;                       /* q^(n-2K): what is left of it at point K of the other wall */
    double near_power[2], far_power_A[2], far_power_B[2];  /* of points K - 1 and K: q^.. times the states A, B */
    double near[SW_FD_FUSED_WALL_SEGMENTS];  /* of segments from a wall: A for amount 1 */
    double far[SW_FD_FUSED_WALL_SEGMENTS];   /* likewise B */
};

/* What is beside this rank's part of lines that are cut over ranks, in this launch: `lines` of them from `line` on,
 * from tile `tile` on. On the device; at a wall NULL. */
struct sw_fd_fused_cut {
    const void   *left, *right;          /* [planes][lines] of the field: last points left, first points right */
    const double *Y[2], *X[2];           /* [all][apart], for each factor: the values left and right of the part */
    long long     line, lines;
    unsigned      tile;
    int           planes, apart;
};

struct sw_fd_fused {
    int    n;                            /* points of a line, < 2^28 */
    long long stride, all;               /* from a point to the next; number of lines, < 2^31. Line l begins at
                                            l/stride*stride*n + l%stride                                   */
    int    segments, points;             /* of a line */
    int    longer, step;                 /* the first `longer` have points + step, step 1 or 2 */
    int    tile_lines;                   /* lines of a tile */
    int    own, halo, tile_segments;     /* segments of a line in a tile: written; on either side; all */
    int    chunks;                       /* tiles of a line; 1: own = tile_segments = segments, halo = 0 */
    int    padding;                      /* elements between lines of a tile along x, in shared memory */
    unsigned inverse;                    /* 2^32/n + 1 */
    int    shift;                        /* result i is written to i + shift */
    int    decay_segments[2];            /* segments on either side that influence one: of each factor */
    double sign, centre, weight[SW_FD_FUSED_HALF_WIDTH + 1];    /* sign of f_-, 1 or -1; weights times c */
    struct sw_fd_fused_cut cut;
    struct sw_fd_fused_factor factor;
    union {                              /* five diagonals have no walls                                   */
        struct sw_fd_fused_factor factor_2;
        struct sw_fd_fused_wall   wall;
    };
};

/* Along two axes of a field at once (cuda/fd/fd_fused_two_rtc.cuh). A kernel takes no more than 4 KiB of arguments. */
struct sw_fd_fused_joined {
    struct sw_fd_fused first, second;
    int      tile_size;                  /* elements of a tile along either axis */
    unsigned tiles[2], lead;             /* along each axis; tiles along the first before one along the second */
};
#endif
