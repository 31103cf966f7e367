#ifndef ELLIPTIC_MODAL_H
#define ELLIPTIC_MODAL_H
/* What rows of vertical modes share, wherever they compute. An iteration corrects u by what all modes make of its
 * residual,
 *
 *     g = X^T r
 *     (Lh + lambda_m area) w_m = g_m     for each mode
 *     u += X w
 *
 * and one iteration is enough but where rounding leaves more than the tolerance.
 *
 * How small the modes' residuals have to be. r = D X s where s_m is that of mode m, so that |r|² = sum of g_m |s_m|²,
 * g_m = sum over k of (d_k X_km)², but for products of different modes, which half the tolerance is left for. The rest
 * is shared out by the condition numbers of the modes: a share costs a slow mode more steps than a fast one. */
#include "elliptic/elliptic_modes.h"
#include "elliptic/elliptic_plane_point.h"
#include "elliptic/elliptic_refine.h"

/* The modes of one set of vertical vectors. */
struct elliptic_vertical {
    bool    found, used;     /* it has modes; of a system that is loaded */
    double *numbers;         /* [4][nz]: b, d, a, c                      */
    double *lambda, *weight; /* [nz]; g_m                                */
    double *norm;            /* [nz]: |X_m|, so that |g_m| <= |X_m| |r|  */
};

/* Those of a batch: systems with the same vertical vectors share their modes, which stay for later systems as long as
 * there is room. */
struct elliptic_verticals {
    int64_t nz;
    int     batch;
    struct elliptic_vertical *vertical;  /* [batch]                                          */
    int    *of;                          /* [batch]: of a system that is loaded               */
    int    *due;                         /* [batch]: systems whose modes have to be found     */
};

/** @param own  gets the arrays */
void elliptic_verticals_make(int64_t nz, int batch, struct sw_owned *own, struct elliptic_verticals *set);

/** Which modes systems have, those that are there or new ones.
 * @param matrix  [count], count <= batch
 * @return how many are new, of the systems set->due: elliptic_vertical_find() is due for each */
int elliptic_verticals_load(struct elliptic_verticals *set, int count, const struct sw_elliptic_matrix *matrix);

/** Find the modes of one of the systems that are due: lambda and weight; modes->x is X.
 * @param modes    room for them
 * @return of its modes the number v: set->vertical[v] */
int elliptic_vertical_find(struct elliptic_verticals *set, int due, const struct sw_elliptic_matrix *matrix,
                           struct elliptic_modes *modes, int threads);

/* ------------------------------------------------------------------ a grid that is cut over ranks */

/* Ranks 0 .. size - 1 have the modes 0 .. size - 1, then, in reverse, the next ones, and so on, so that all have about
 * as much of the hard ones. Each has the weights of the whole plane. g goes to the ranks of its modes, and w comes
 * back, by an all-to-all each way: an iteration sends 2 (size - 1)/size numbers for each cell of a rank. The modes of a
 * slab lie in the order of the all-to-all, those of rank 0 before those of rank 1: so do the vectors of X, and products
 * with it need no other order. What comes from a rank is [modes of this rank][rows of its slab][words]. What is
 * computed for a mode is the same on any number of ranks. */
struct elliptic_modal_cut {
    const struct sw_comm *comm;       /* NULL: the grid is not cut, and of the rest only `modes` is there      */
    int64_t modes;                    /* of this rank                                                          */
    struct sw_elliptic_matrix plane;  /* of one level of the whole grid, once a system was loaded              */
    int64_t *first;                   /* [size + 1]: row along y with which the slab of a rank begins          */
    size_t *with_rows, *with_modes;   /* [size]: numbers of this rank's rows and the other's modes, and reversed,
                                       * of one all-to-all: elliptic_modal_count()                             */
    double *row;                      /* [nz] */
};

/** @param own  gets the arrays; cut->plane is the caller's to free */
void elliptic_modal_cut_make(const struct sw_elliptic_desc *desc, struct sw_owned *own, struct elliptic_modal_cut *cut);

/** The problems of this rank, as a grid that is not cut: its modes in place of levels. Of a whole grid it is `desc`. */
struct sw_elliptic_desc elliptic_modal_planes(const struct sw_elliptic_desc *desc);

/** Which mode is number k of this rank. */
int64_t elliptic_modal_mode(const struct elliptic_modal_cut *cut, int64_t k);

/** Find where the slabs of ranks begin, and make the plane. Collective. @return SW_E_COMM; SW_E_ARG; SW_E_MEMORY */
enum sw_status elliptic_modal_cut_load(const struct sw_elliptic_desc *desc, const struct sw_elliptic_numbers *numbers,
                                       struct elliptic_modal_cut *cut);

/** What is horizontal of a matrix: of the whole grid. Its nz is that of `matrix`. */
struct sw_elliptic_matrix elliptic_modal_plane(const struct elliptic_modal_cut *cut,
                                               const struct sw_elliptic_matrix *matrix);

/** Bring the vectors of X into the order of the all-to-all. @param x  [nz][nz], in, out */
void elliptic_modal_order(const struct elliptic_modal_cut *cut, int64_t nz, double *x);

/** Set with_rows and with_modes for rows of so many words. @param rows  of this rank */
void elliptic_modal_count(struct elliptic_modal_cut *cut, int64_t nz, int64_t rows, int64_t words);

/** All outcomes on all ranks. @param outcome  [count], in, out: 0 where they are another rank's */
enum sw_status elliptic_modal_outcomes(const struct elliptic_modal_cut *cut, int64_t count,
                                       struct elliptic_plane_outcome *outcome);

/* ------------------------------------------------------------------ how small residuals have to be */

/** The largest sum of a cell's weights towards its neighbours over its area, nearly. */
double elliptic_plane_stiffness(const struct sw_elliptic_matrix *matrix);

/** What is known of the matrices of all modes, from each cell. */
void elliptic_plane_bound(const struct sw_elliptic_matrix *matrix, bool periodic_x, bool periodic_y,
                          struct elliptic_plane_bounds *bounds);

/** How small the residuals of the modes have to be, where that of f - A u has to be 1: by the square root of the
 * condition number.
 * @param hardness  out [nz]
 * @param share     out [nz] */
void elliptic_modal_share(const struct elliptic_vertical *vertical, const struct sw_elliptic_matrix *matrix,
                          double stiffness, double *hardness, double *share);

/** What is to be left of f - A u by the first iteration, over |f|; -1: there is to be none. */
double elliptic_modal_part(const struct sw_elliptic_numbers *numbers);
/** What is to be left of f - A u by an iteration. */
double elliptic_modal_goal(const struct elliptic_way *way);

/** After an iteration: |r|² from the modes, and whether another one is due.
 * @param outcome  [nz] */
void elliptic_modal_record(struct elliptic_way *way, const struct elliptic_vertical *vertical, int64_t nz,
                           const struct elliptic_plane_outcome *outcome);
#endif
