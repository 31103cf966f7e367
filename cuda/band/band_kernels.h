#ifndef CUDA_BAND_KERNELS_H
#define CUDA_BAND_KERNELS_H
/* Launchers of the kernels for banded systems. cuda/sw_cuda.h says what holds for all. */
#include <stdbool.h>

#include "cuda/sw_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- banded systems (band_thomas.cu, band_shared.cu), interleaved, of `vector` = n*ld entries a vector */

struct sw_cuda_thomas {        /* linalg/papers/thomas_point.h for a batch                                        */
    int     n, p, batch, ld;
    double *factor;            /* [5] vectors: inverse, a, b, gamma, delta; band_shared.cu: [5][n], for all */
    double *Z;                 /* [2][n][border_ld]: E^-1 k; NULL when not periodic                         */
    double *border;            /* [10][border_ld]: struct sw_border, S then h; NULL when not periodic       */
    int     border_ld;         /* ld, or 1: one for all systems                                             */
    int    *bad;               /* [batch]: 1 + the row of a bad pivot; its solutions are NaN. Not for band_shared.cu */
    int     threads, ahead;    /* a block; rows on the way (band_shared.cu: 1, 8 or 16); 0: what was measured best */
};

/** Factor E, one thread a system, and set bad.
 * @param diagonal  diagonals -2 .. 2 of A; NULL: zeros
 * @param ld        their leading dimension; 1: all systems have the same
 * @param again     systems that are bad stay so */
enum sw_status sw_cuda_thomas_factor(sw_cuda_stream stream, const struct sw_cuda_thomas *t,
                                     const double *const diagonal[5], int ld, bool again);
/** Z and border of each system (border_ld = ld), of periodic ones, after factor. @param diagonal  a vector each */
enum sw_status sw_cuda_thomas_factor_border(sw_cuda_stream stream, const struct sw_cuda_thomas *t,
                                            const double *const diagonal[5]);
/** Solve in place, one thread a system. */
enum sw_status sw_cuda_thomas_solve(sw_cuda_stream stream, const struct sw_cuda_thomas *t, double *x);
/** The same, with the factors and border of one matrix for all. */
enum sw_status sw_cuda_shared_solve(sw_cuda_stream stream, const struct sw_cuda_thomas *t, double *x);

/* ---- banded systems with row exchanges (band_lu.cu), interleaved */

struct sw_cuda_lu {
    int     n, batch, ld;      /* of A and x                                                              */
    int     below, above;      /* diagonals of A beside the main one                                       */
    bool    periodic;          /* it is eliminated as a folded circle (linalg/folded_point.h)              */
    int     side;              /* 1, 2, 4 or 8: at least as many diagonals as what is eliminated has on a side */
    int     systems, kept;     /* whose factors are kept: batch, or 1 for all; their leading dimension     */
    double *lower;             /* [n][1 + side][kept]: the scale of a row, the multipliers of its column    */
    double *upper;             /* [n][1 + 2 side][kept]: rows of U, their pivot first                       */
    unsigned char *pivot;      /* [n][kept]: row k was exchanged with the one so many behind it              */
    int    *bad;               /* [systems]: 1 + the row of a bad pivot; its solutions are NaN             */
};

/** Factor A, and set bad. @param band  [below+1+above][n][ld] */
enum sw_status sw_cuda_lu_factor(sw_cuda_stream stream, const struct sw_cuda_lu *l, const double *band);
/** Solve in place. @param x  [n][ld] */
enum sw_status sw_cuda_lu_solve(sw_cuda_stream stream, const struct sw_cuda_lu *l, double *x);

/* ---- banded systems cut into chunks (band_partition.cu), interleaved */

/* Unknowns, 3 at least; threads of a block, at most; rows of a chunk, at most. */
#ifndef SW_CUDA_PARTITION_ROWS
#define SW_CUDA_PARTITION_ROWS 16
#endif
enum { SW_CUDA_PARTITION_MOST = 2048, SW_CUDA_PARTITION_THREADS = 256 };

struct sw_cuda_partition {
    int     n, batch, ld;      /* of x                                                                     */
    bool    periodic;
    const double *diagonal[5]; /* -2 .. 2 of A; NULL: zeros                                                 */
    int     A_ld;              /* their leading dimension; 1: all systems have the same                    */
    int    *bad;               /* out [batch]: 1 + the row of a bad pivot; NULL: not wanted                */
    int     chunk_bits, block_bits;  /* log2 of a block's chunks, of a system's blocks; set by the launcher */
};

/** Factor A and solve in place; what is bad becomes NaN. @param x  [n][ld]; NULL: only set bad */
enum sw_status sw_cuda_partition_solve(sw_cuda_stream stream, const struct sw_cuda_partition *p, double *x);

/* ---- the end of every solve of periodic systems (band_correct.cu) */

struct sw_cuda_correction {
    int n, p, batch, ld;
    const double *Z;           /* [2][Z_rows][Z_ld]                                                        */
    int Z_rows, Z_ld;          /* Z_ld = 1: one for all systems                                            */
};
/** x = y - Z z in the first n - p rows of x [n][ld], which hold y; z is in the last p. Nothing where p = 0. */
enum sw_status sw_cuda_correct(sw_cuda_stream stream, const struct sw_cuda_correction *c, double *x);

/* ---- what the library's gpsvInterleavedBatch needs around it (band_gpsv.cu); all its arrays are packed, ld = batch */

struct sw_cuda_gpsv {
    int     n, p, batch, ld;   /* ld: of A and x; m = n - p                                                */
    int     matrices;          /* batch, or 1: one matrix and border for all systems                        */
    double *matrix;            /* [5][m][matrices]: E, zero outside                                             */
    double *Z;                 /* [2][m][matrices]: E^-1 k; NULL when not periodic                              */
    double *border;            /* [10][matrices]: struct sw_border, S then h; NULL when not periodic        */
    int    *bad;               /* [batch]: 1 + the row found bad                                           */
};

/** matrix := E, Z := k; h into border; matrices = batch. @param diagonal  as in sw_cuda_thomas_factor_border() */
enum sw_status sw_cuda_gpsv_split(sw_cuda_stream stream, const struct sw_cuda_gpsv *g, const double *const diagonal[5]);
/** border from Z = E^-1 k; sets bad where S is singular; matrices = batch. */
enum sw_status sw_cuda_gpsv_factor_border(sw_cuda_stream stream, const struct sw_cuda_gpsv *g,
                                          const double *const diagonal[5]);
/** bad := 0 where probe [m][batch], the solution of some system with E, is finite; else 1 + the row of the pivot that
 * fails in an elimination without pivoting, or if none does, the last row that is not finite. */
enum sw_status sw_cuda_gpsv_probe(sw_cuda_stream stream, const struct sw_cuda_gpsv *g, const double *const diagonal[5],
                                  const double *probe);
/** probe [m][batch] := 1. */
enum sw_status sw_cuda_gpsv_ones(sw_cuda_stream stream, const struct sw_cuda_gpsv *g, double *probe);
/** work [5][m][batch] := E of each system. */
enum sw_status sw_cuda_gpsv_reset(sw_cuda_stream stream, const struct sw_cuda_gpsv *g, double *work);
/** After E^-1 was applied to the first m rows of x [n][ld]: the border unknowns, and the correction of the others.
 * @param any_bad  whether some entry of bad is not 0 */
enum sw_status sw_cuda_gpsv_finish(sw_cuda_stream stream, const struct sw_cuda_gpsv *g, bool any_bad, double *x);

#ifdef __cplusplus
}
#endif
#endif
