#ifndef BVP_BATCH_POINT_H
#define BVP_BATCH_POINT_H
/* What kernels see of a batch of problems (bvp_device_cuda.h). Embedded for run-time compilation. */

struct bvp_job { double h, x0; long long r; };  /* r = 0: left out */

/* Sums over points: (u - exact)², exact², and the greatest |u - exact|. */
struct bvp_norms { double error, exact, max; };

struct bvp_outcome {
    struct bvp_norms norms;
    double           u0;   /* u at the first point                                  */
    long long        bad;  /* the first point where f is not finite, BVP_NONE: none */
};
#define BVP_NONE 0x7fffffffffffffffLL

struct bvp_batch {
    long long             n;
    int                   count;    /* of problems                                             */
    const struct bvp_job *job;      /* [count]                                                 */
    const double         *param;    /* [nparam][count]                                         */
    double               *cached;   /* [F_RUN + EXACT_RUN + P_RUN + Q_RUN][count]: values of the programs that depend on
                                     * the run alone                                             */
    struct bvp_outcome   *outcome;  /* [count]                                                 */
    void                 *field;    /* [count][n] float or double, NULL: not saved             */
};
#endif
