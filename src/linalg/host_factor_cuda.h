#ifndef HOST_FACTOR_CUDA_H
#define HOST_FACTOR_CUDA_H
/* The matrix of an interleaved batch on a CUDA device whose matrices are all equal, downloaded (the first system) and
 * factored on the host: for rows that store one matrix, one factor or one border for the whole batch. */
#include "linalg/sw_band_impl.h"

struct sw_host_factor {
    struct sw_thomas_matrix A;         /* stride 1                                     */
    double *diagonals;                 /* [lower+upper+1][n], what A points to         */
    double *factor;                    /* [5][n]: inverse, a, b, gamma, delta          */
    double *Z;                         /* [2][n]; zeros where A is not periodic        */
    double  border[10];                /* struct sw_border, S then h                   */
    int     bad;                       /* 0, or 1 + the row of a bad pivot             */
};

/** Waits for what is queued. @param host  out; free its arrays with sw_host_factor_destroy(), also after a failure */
enum sw_status sw_host_factor_create(const struct sw_band *s, const double *band, struct sw_host_factor *host);
void sw_host_factor_destroy(struct sw_host_factor *host);
#endif
