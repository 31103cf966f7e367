#ifndef BATCH_CPU_H
#define BATCH_CPU_H
/* What the CPU's steppers have in common: the state of a batch, one line after another, between two calls of advance;
 * its initial value, its scalars, its snapshots. A stepper's own data begin with a struct sw_host_batch, and its row
 * has the operations below. */
#include "problem/line/stepper/measure.h"
#include "problem/line/stepper/sw_stepper_impl.h"

struct sw_host_worker {        /* what a thread needs; a stepper may use x and term during its steps               */
    struct sw_eval    *initial[SW_UNKNOWNS_MOST], *energy;
    struct sw_measure *measure;
    double            *x;      /* [n] of the run at hand                                                           */
    double            *term;   /* [n] values of a program, such as the energy's density                            */
};

struct sw_host_batch {
    double  *u;                /* [capacity][unknowns][n]; NaN where a run has stopped                             */
    bool    *sound; /* [capacity]: load() found no load_error                                                */
    bool    *stopped;          /* [capacity]                                                                       */
    struct sw_own_steps *steps;  /* [capacity], of desc.own_steps                                                  */
    int64_t *diverged;         /* [capacity]: the step; -1 if not or, where stopped, not known before advance()    */
    struct sw_failure_place *place;  /* [capacity]: where, if that is known                                        */
    int      workers;
    struct sw_host_worker *worker;
    struct sw_snapshots   *snapshots;
};

enum sw_status sw_host_create(const struct sw_stepper *s, struct sw_host_batch *batch);
void           sw_host_destroy(struct sw_host_batch *batch);

/** Memory of a struct sw_host_batch. */
void sw_host_bytes(const struct sw_stepper_desc *desc, size_t *fixed, size_t *per_run);

/** Begin a batch: runs with a load_error are stopped, the others are not. */
void sw_host_load(struct sw_stepper *s, const char *const *load_error);

/** From here on the run is NaN and costs nothing. */
void sw_host_stop(struct sw_stepper *s, int j, int64_t step);

/** The same of a run that failed in a step, dt long from t on: its line has the last state that was finite.
 * @param number  of the step, as sw_eval_step() has it  @param step  as above */
void sw_host_fail(struct sw_stepper *s, int j, double t, double dt, int64_t number, int64_t step);

/** [unknowns][n] of a run. */
double *sw_host_line(const struct sw_stepper *s, int j);

/** Threads for so many passes over the batch, each of which costs so many ns a point: one where the work is less than
 * waking the others up costs. */
int sw_host_workers(const struct sw_stepper *s, int64_t passes, double ns);

/** Call work(user, thread, k) for k = 0 .. count - 1 by so many threads. */
void sw_host_each(int threads, int count, void (*work)(void *user, int thread, int k), void *user);

/** Make x of run j, and what a program computes once a run. */
void sw_host_begin_run(const struct sw_stepper *s, struct sw_host_worker *w, struct sw_eval *eval, int j);

/* struct sw_stepper_ops.sim */
extern const struct sw_sim_ops sw_host_operations;
#endif
