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

/** The largest sum of a cell's weights towards its neighbours over its area, nearly. */
double elliptic_plane_stiffness(const struct sw_elliptic_matrix *matrix);

/** What is known of the matrices of all modes, from each cell. */
void elliptic_plane_bound(const struct sw_elliptic_matrix *matrix, bool periodic_x, bool periodic_y,
                          struct elliptic_plane_bounds *bounds);

/** About the square root of the condition number for a mode, which its iterations grow with: the diagonal bounds it,
 * and so does the number of cells along an axis.
 * @param stiffness  elliptic_plane_stiffness() */
double elliptic_plane_hardness(const struct sw_elliptic_matrix *matrix, double stiffness, double lambda);

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
