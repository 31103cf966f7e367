#ifndef PLAIN_STEP_H
#define PLAIN_STEP_H
/* A step of a run by cpu.plain (stepper_plain_cpu.c): the stages of its method, one unknown after another, each with
 * G and N at all points, then a band solve. */
#include "linalg/sw_band.h"
#include "problem/line/stepper/batch_cpu.h"
#include "problem/line/stepper/imex.h"
#include "problem/line/plain/stencil_cpu.h"

struct sw_plain_stage {         /* of an unknown                                                    */
    double *u;                  /* [n + 4], with SW_REACH points beyond either end                  */
    double *g;                  /* [n + 4] values of G, with SW_REACH points likewise, where lines end with one;
                                   NULL: there is none                                              */
    double *s;                  /* [n] values of N; NULL: there is none                             */
    double *l;                  /* [n] gamma dt P L u                                               */
    struct sw_line_ends ends;   /* at its time                                                      */
};

struct sw_plain_worker {        /* what a thread needs besides a struct sw_host_worker */
    struct sw_eval *g[SW_UNKNOWNS_MOST], *s[SW_UNKNOWNS_MOST];
    struct sw_eval *end[2][SW_UNKNOWNS_MOST][2];  /* first and second condition, left and right; NULL: 0 */
    struct sw_plain_stage stage[SW_IMEX_STAGES][SW_UNKNOWNS_MOST];
    double         *sum;        /* [n + 4] of the stages' values                                    */
    double         *room;       /* [n + 4] of no meaning from call to call                          */
    double         *next[SW_UNKNOWNS_MOST];  /* [n] right-hand side, then u of the next step        */
    double         *right, *residual;  /* [n] of a solve that is refined; NULL: none is             */
    /* where runs take steps of their own */
    struct sw_band *band;       /* of the run at hand, a system for each unknown                    */
    double         *matrix;     /* its bands, while it is loaded                                    */
    double          factored;   /* the dt of its matrices; 0: not yet                               */
    double         *embedded;   /* [n] the other solution that a method has                         */
};

struct sw_plain {
    struct sw_host_batch batch; /* first: batch_cpu.h works on it                                   */
    char            band_row[64];
    struct sw_band *band;       /* of the batch loaded: one system for each different matrix        */
    int            *system;     /* [capacity][unknowns]: the matrix of each                         */
    int             workers;
    struct sw_plain_worker *worker;
};

/* What is at hand of a step. */
struct sw_plain_step {
    struct sw_stepper        *s;
    struct sw_plain_worker   *w;
    struct sw_host_worker    *h;
    const struct sw_line_run *run;
    const struct sw_band     *band;
    const int                *system;  /* of each unknown */
    int64_t                   number;  /* of the step */
    double                    t;       /* its beginning, where runs take steps of their own */
};

/** Where the unknowns of run j are, and what its programs compute once. @param now  out */
void sw_plain_begin_run(struct sw_stepper *s, struct sw_plain_worker *w, struct sw_host_worker *h, int j,
                        const double *now[SW_UNKNOWNS_MOST]);

/** From u to w->next: by a method of imex.h, or by Crank-Nicolson. @param u  [unknowns], lines of n */
void sw_plain_imex_step(const struct sw_plain_step *k, const struct sw_imex *m,
                        const double *const u[SW_UNKNOWNS_MOST]);
void sw_plain_crank_nicolson_step(const struct sw_plain_step *k, const double *const u[SW_UNKNOWNS_MOST]);

/** Advance a run that takes steps of its own to a tick. */
void sw_plain_advance_own(struct sw_stepper *s, struct sw_plain_worker *w, struct sw_host_worker *h, int j, int64_t to);
#endif
