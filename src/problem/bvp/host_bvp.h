#ifndef HOST_BVP_H
#define HOST_BVP_H
/* What the rows on the CPU share: values of f and exact at points, norms, kept fields. */
#include "field/norms.h"
#include "problem/bvp/sw_bvp_impl.h"

/* Points of a call of the interpreter, at most: 16 KiB of x and of each value. */
enum { HOST_POINTS = 2048 };

/* The programs at work, of one thread. */
struct host_values {
    struct sw_eval *f, *exact;  /* exact NULL: none                        */
    double *x, *value;          /* [HOST_POINTS] points in, values out     */
    double *u;                  /* [HOST_POINTS] room for the caller       */
    int     problem;            /* begun; -1: none                         */
};

/** @param as_published  with the C library's scalar functions, whose last bits are in the errors of the paper's tables:
 *  with the vector functions a2d's on P1 at 2^22 is 3 % off */
enum sw_status host_values_create(const struct sw_bvp_desc *desc, bool as_published, struct host_values *v);
void host_values_destroy(struct host_values *v);
/** Problem j comes next. */
void host_values_begin(struct host_values *v, const struct sw_bvp *bvp, int j);
/** value = f(x) at `count` points. */
void host_values_f(struct host_values *v, int count);
/** The least x where value is not finite, INFINITY: none. */
double host_values_bad(const struct host_values *v, int count);

/** out = a program at count points x0 + i h, i = 0 .. count-1, any number of them. x is lost. */
void host_values_over(struct host_values *v, struct sw_eval *eval, double x0, double h, int64_t count, double *out);

/** Add `count` points with u at v->x. Nothing without exact. value is lost. */
void host_norms_points(struct sw_norm_sums *sum, struct host_values *v, const double *u, int count);
/** @param bad  the least x where f is not finite, INFINITY: none
 *  @param u0   u at the first point */
void host_norms_result(const struct sw_norm_sums *sum, const struct sw_bvp *bvp, int j, double bad, double u0,
                       struct sw_bvp_result *result);
void host_norms_none(struct sw_bvp_result *result);  /* of a problem that is refused */

/* The kept fields and the results of a batch. */
struct host_kept {
    void *field;                   /* [capacity][n] NULL: not kept */
    size_t word;                   /* of it                        */
    struct sw_bvp_result *result;  /* [capacity]                   */
};

enum sw_status host_kept_create(const struct sw_bvp_desc *desc, struct host_kept *k);
void host_kept_destroy(struct host_kept *k);
size_t host_kept_bytes(const struct sw_bvp_desc *desc);  /* a problem */
/** Fields of problems at fault, or refused, become NaN. */
void host_kept_spoil(const struct host_kept *k, const struct sw_bvp *bvp);

/* All of this for a row with several threads: its own data begin with a struct host_bvp. */
struct host_bvp {
    struct host_values *values;    /* [workers] */
    int                 workers;
    struct host_kept    kept;
};

enum sw_status host_bvp_create(const struct sw_bvp *bvp, int workers, bool as_published, struct host_bvp *h);
void host_bvp_destroy(struct host_bvp *h);
/** Before the problems of a batch that are not refused; */
void host_bvp_begin(const struct sw_bvp *bvp);
/** and after them: what becomes of the others. */
void host_bvp_end(const struct sw_bvp *bvp);
/** The operation of struct sw_bvp_ops. */
enum sw_status host_bvp_fetch(struct sw_bvp *bvp, const void **field, const struct sw_bvp_result **result);
#endif
