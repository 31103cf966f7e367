#ifndef BVP_HOST_H
#define BVP_HOST_H
/* What the rows on the CPU share: values of f and exact at points, norms, saved fields. */
#include "field/norms.h"
#include "problem/bvp/sw_bvp_impl.h"

/* Points of a call of the interpreter, at most: 16 KiB of x and of each value. */
enum { BVP_POINTS = 2048 };

/* What one thread evaluates the programs with. */
struct bvp_evaluator {
    struct sw_eval *f, *exact;  /* exact NULL: none                        */
    double *x, *value;          /* [BVP_POINTS] points in, values out      */
    double *u;                  /* [BVP_POINTS] room for the caller        */
    int     problem;            /* begun; -1: none                         */
};

/** @param as_published  with the C library's scalar functions, whose last bits are in the errors of the paper's tables:
 *  with the vector functions a2d's on P1 at 2^22 is 3 % off */
enum sw_status bvp_evaluator_create(const struct sw_bvp_desc *desc, bool as_published, struct bvp_evaluator *v);
void bvp_evaluator_arrays(struct sw_owned *own, struct bvp_evaluator *v);
void bvp_evaluator_destroy(struct bvp_evaluator *v);
/** Begin problem j. */
void bvp_evaluator_begin(struct bvp_evaluator *v, const struct sw_bvp *bvp, int j);
/** value = f(x) at `count` points. */
void bvp_evaluator_f(struct bvp_evaluator *v, int count);
/** The least x where value is not finite, INFINITY: none. */
double bvp_evaluator_first_bad(const struct bvp_evaluator *v, int count);

/** out = a program at the points x0 + i h, i = first .. end-1, any number of them; out[0] is of `first`. x is lost. */
void bvp_evaluator_range(struct bvp_evaluator *v, struct sw_eval *eval, double x0, double h, int64_t first,
                         int64_t end, double *out);

/** Add `count` points with u at v->x. Nothing without exact. value is lost. */
void bvp_norms_add_points(struct sw_norm_sums *sum, struct bvp_evaluator *v, const double *u, int count);
/** @param bad  the least x where f is not finite, INFINITY: none
 *  @param u0   u at the first point */
void bvp_result_from_norms(const struct sw_norm_sums *sum, const struct sw_bvp *bvp, int j, double bad, double u0,
                           struct sw_bvp_result *result);
/** The result of a problem that is refused. */
void bvp_result_refused(struct sw_bvp_result *result);

/* The saved fields and the results of a batch. */
struct bvp_output {
    void *field;                   /* [capacity][n] NULL: not saved */
    size_t element_size;           /* of the field                  */
    struct sw_bvp_result *result;  /* [capacity]                    */
};

void bvp_output_arrays(const struct sw_bvp_desc *desc, struct sw_owned *own, struct bvp_output *output);
/** Fields of problems at fault, or refused, become NaN. */
void bvp_output_clear_failed(const struct bvp_output *output, const struct sw_bvp *bvp);

/* All of this for a row with several threads, whose own data begin with a struct bvp_host. */
struct bvp_host {
    struct bvp_evaluator *evaluator;  /* [threads] */
    int                   threads;
    struct bvp_output     output;
};

void bvp_host_arrays(struct sw_bvp *bvp, int threads, struct bvp_host *h);
enum sw_status bvp_host_create(struct sw_bvp *bvp, bool as_published);
/** The operation of struct sw_bvp_ops. */
void bvp_host_destroy(struct sw_bvp *bvp);
/** Before the problems of a batch are solved. */
void bvp_host_begin(const struct sw_bvp *bvp);
/** After them: results of the refused ones, fields of those that failed. */
void bvp_host_end(const struct sw_bvp *bvp);
/** Both, and in between the problems one after another, without the refused ones. */
enum sw_status bvp_host_solve(struct sw_bvp *bvp, void (*solve_one)(const struct sw_bvp *bvp, int j));
/** The operation of struct sw_bvp_ops. */
enum sw_status bvp_host_fetch(struct sw_bvp *bvp, const void **field, const struct sw_bvp_result **result);
#endif
