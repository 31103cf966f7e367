#ifndef FIRST_CUDA_H
#define FIRST_CUDA_H
/* The first system of an interleaved batch on a CUDA device, taken to the host and factored there: for rows that keep
 * one matrix, one factor or one closure where all matrices of a batch are equal. */
#include "linalg/sw_band_impl.h"

struct sw_first {
    struct sw_thomas_matrix A;         /* stride 1                                     */
    double *diagonals;                 /* [lower+upper+1][n], what A points to         */
    double *factor;                    /* [5][n]: inverse, a, b, gamma, delta          */
    double *Z;                         /* [2][n]; zeros where A is not periodic        */
    double  closure[10];               /* struct sw_navon, border then h               */
    int     bad;                       /* 0, or 1 + the row of a bad pivot             */
};

/** Waits for what is queued. @param first  out; free its arrays with sw_first_free(), also after a failure */
enum sw_status sw_first_make(const struct sw_band *s, const double *band, struct sw_first *first);
void sw_first_free(struct sw_first *first);
#endif
