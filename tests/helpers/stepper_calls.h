#ifndef STEPPER_CALLS_H
#define STEPPER_CALLS_H
/* Steppers in tests: created by themselves, and loaded with runs instead of columns of a config. */
#include <stdbool.h>
#include <string.h>

#include "problem/line/stepper/sw_stepper_impl.h"

struct given_runs { const struct sw_line_run *run; const double *param; size_t params; };

static inline enum sw_status copy_given(void *own, int count, const double *column, struct sw_line_run *run,
                                        double *param)
{
    const struct given_runs *given = own;
    (void)column;
    memcpy(run, given->run, (size_t)count * sizeof *run);
    if (given->params) memcpy(param, given->param, (size_t)count * given->params * sizeof *param);
    return SW_OK;
}

static inline void keep_given(void *own) { (void)own; }

static inline enum sw_status stepper_create(const struct sw_stepper_desc *desc, const char *row,
                                            struct sw_device *device, struct sw_stepper **stepper)
{
    const struct sw_line_source source = {copy_given, keep_given, NULL};
    struct sw_sim *sim;
    const enum sw_status st = sw_stepper_create(desc, row, device, &source, &sim);
    *stepper = st ? NULL : sw_stepper_of(sim);
    return st;
}

static inline void stepper_destroy(struct sw_stepper **s)
{
    if (*s) (*s)->sim.ops->destroy(&(*s)->sim);
    *s = NULL;
}

static inline enum sw_status stepper_load(struct sw_stepper *s, int count, const struct sw_line_run *run,
                                          const double *param, const char **load_error)
{
    struct given_runs given = {run, param, (size_t)s->desc.model.nparam};
    s->source.own = &given;
    const enum sw_status st = s->sim.ops->load(&s->sim, count, NULL, load_error);
    s->source.own = NULL;
    return st;
}

static inline enum sw_status stepper_initial(struct sw_stepper *s) { return s->sim.ops->states->initial(&s->sim); }

static inline enum sw_status stepper_set_state(struct sw_stepper *s, const double *u)
{
    return s->sim.ops->states->set(&s->sim, u);
}

static inline enum sw_status stepper_get_state(struct sw_stepper *s, double *u)
{
    return s->sim.ops->states->get(&s->sim, u);
}

static inline bool stepper_device_state(const struct sw_stepper *s, struct sw_device_state *state)
{
    return s->sim.ops->states->on_device && s->sim.ops->states->on_device(&s->sim, state);
}

static inline enum sw_status stepper_advance(struct sw_stepper *s, int64_t from, int64_t to)
{
    return s->sim.ops->advance(&s->sim, from, to);
}

static inline enum sw_status stepper_snapshot(struct sw_stepper *s, int slot, int what)
{
    return s->sim.ops->snapshot(&s->sim, slot, what);
}

static inline enum sw_status stepper_fetch(struct sw_stepper *s, int slot, const void **field, const double **scalars)
{
    return s->sim.ops->fetch(&s->sim, slot, field, scalars);
}

static inline enum sw_status stepper_diverged(struct sw_stepper *s, int64_t *step)
{
    return s->sim.ops->diverged(&s->sim, step);
}

static inline struct sw_failure_place stepper_place(const struct sw_stepper *s, int j)
{
    struct sw_failure_place place = {0};
    if (s->sim.ops->place) s->sim.ops->place(&s->sim, j, &place);
    return place;
}

static inline const char *stepper_name(const struct sw_stepper *s) { return s->name; }
#endif
