#include "problem/line/stepper/line_sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "problem/line/stepper/imex.h"
#include "problem/line/stepper/sw_stepper_impl.h"

struct line_sim {
    struct sw_sim      sim;       /* first: the operations get a pointer to it */
    const struct sw_line_model_ops *ops;
    void              *own;
    struct sw_line_run *run;      /* [capacity] */
    size_t             size;      /* numbers of the state of a run */
    int                tolerance, absolute, dt, longest;  /* columns, -1: none */
    const double      *times;
    int                count;
    struct sw_stepper *stepper;
};

static struct sw_stepper *stepper_of(const struct sw_sim *sim) { return ((const struct line_sim *)sim)->stepper; }

static const char *solver_name(const struct sw_sim *sim) { return sw_stepper_name(stepper_of(sim)); }

static size_t state_size(const struct sw_sim *sim) { return ((const struct line_sim *)sim)->size; }

/* Of run j; 0: there is no such column. */
static double number_of(const struct line_sim *l, const double *column, int k, int j)
{
    return k < 0 ? 0 : column[(size_t)k * (size_t)l->count + (size_t)j];
}

static enum sw_status load(struct sw_sim *sim, int count, const double *column, const char **load_error)
{
    struct line_sim *l = (struct line_sim *)sim;
    const double *param = column;
    SW_TRY(l->ops->fill(l->own, count, column, l->run, &param));
    l->count = count;
    for (int j = 0; j < count && l->tolerance >= 0; j++) {
        l->run[j].tolerance = number_of(l, column, l->tolerance, j);
        l->run[j].absolute = number_of(l, column, l->absolute, j);
        l->run[j].first_dt = number_of(l, column, l->dt, j);
        l->run[j].longest_dt = number_of(l, column, l->longest, j);
    }
    return sw_stepper_load(l->stepper, count, l->run, param, load_error);
}

static enum sw_status initial(struct sw_sim *sim) { return sw_stepper_initial(stepper_of(sim)); }

static enum sw_status set_state(struct sw_sim *sim, const double *u)
{
    return sw_stepper_set_state(stepper_of(sim), u);
}

static enum sw_status get_state(struct sw_sim *sim, double *u) { return sw_stepper_get_state(stepper_of(sim), u); }

static enum sw_status get_states(struct sw_sim *sim, int count, const int *which, double *u)
{
    return stepper_of(sim)->ops->get_states(stepper_of(sim), count, which, u);
}

static bool device_state(const struct sw_sim *sim, struct sw_device_state *state)
{
    struct sw_stepper_state u;
    if (!sw_stepper_device_state(stepper_of(sim), &u)) return false;
    *state = (struct sw_device_state){u.u, u.point, u.unknown, u.line, u.first_bad};
    return true;
}

static enum sw_status advance(struct sw_sim *sim, int64_t from, int64_t to)
{
    return sw_stepper_advance(stepper_of(sim), from, to);
}

static enum sw_status snapshot(struct sw_sim *sim, int slot, int what)
{
    return sw_stepper_snapshot(stepper_of(sim), slot, what);
}

static enum sw_status fetch(struct sw_sim *sim, int slot, const void **field, const double **scalars)
{
    return sw_stepper_fetch(stepper_of(sim), slot, field, scalars);
}

static enum sw_status diverged(struct sw_sim *sim, int64_t *step) { return sw_stepper_diverged(stepper_of(sim), step); }

static bool place(const struct sw_sim *sim, int j, struct sw_failure_place *where)
{
    const struct sw_line_place p = sw_stepper_place(stepper_of(sim), j);
    *where = (struct sw_failure_place){.infinite = p.infinite, .unknown = p.unknown, .first = p.first, .last = p.last,
                                       .at = p.at};
    return p.known;
}

/* ------------------------------------------------------------------ steps of a run's own */

static enum sw_status get_record(struct sw_sim *sim, double *record)
{
    struct sw_own_steps *steps;
    const size_t count = (size_t)((const struct line_sim *)sim)->count;
    SW_TRY(sw_alloc(count, &steps));
    const enum sw_status st = sw_stepper_get_own_steps(stepper_of(sim), steps);
    if (!st) memcpy(record, steps, count * sizeof *steps);
    sw_free(steps);
    return st;
}

static enum sw_status set_record(struct sw_sim *sim, const double *record)
{
    struct sw_own_steps *steps;
    const size_t count = (size_t)((const struct line_sim *)sim)->count;
    SW_TRY(sw_alloc(count, &steps));
    memcpy(steps, record, count * sizeof *steps);
    const enum sw_status st = sw_stepper_set_own_steps(stepper_of(sim), steps);
    sw_free(steps);
    return st;
}

static struct sw_steps_taken steps_taken(const struct sw_sim *sim, const double *record)
{
    struct sw_own_steps s;
    memcpy(&s, record, sizeof s);
    return (struct sw_steps_taken){(int64_t)s.taken, (int64_t)s.refused, s.taken > 0 ? s.least : NAN,
                                   s.taken > 0 ? s.largest : NAN, s.error,
                                   sw_own_steps_time(&s, ((const struct line_sim *)sim)->times),
                                   s.end == SW_OWN_STEPS_GO_ON ? 0 : s.dt};
}

/* Why a run has stopped before its end. */
static void explain_early_end(const struct sw_sim *sim, int j, const double *record, bool finite, char text[160])
{
    const struct line_sim *l = (const struct line_sim *)sim;
    struct sw_own_steps s;
    text[0] = 0;
    memcpy(&s, record, sizeof s);
    if (finite) return;
    const double t = sw_own_steps_time(&s, l->times);
    const char *set = l->run[j].absolute > 0 ? "raise" : "give";
    if (s.end == SW_OWN_STEPS_TOO_MANY)
        snprintf(text, 160, "%g steps to an output time, at t = %.6g, dt = %.3g: too small a tolerance; where "
                 "|u| is far below its peak %s time.tolerance_absolute", s.attempts, t, s.dt, set);
    else if (s.end == SW_OWN_STEPS_NOT_FINITE)
        snprintf(text, 160, "not finite at t = %.6g however small the step: dt fell to %.3g; u grows without bound, or "
                 "what drives it is no number", t, s.dt);
    else
        snprintf(text, 160, "not within the tolerance at t = %.6g however small the step: dt fell to %.3g; u has a "
                 "pole, or is small and jumps: %s time.tolerance_absolute", t, s.dt, set);
}

static struct sw_cost cost(const struct sw_sim *sim, int64_t steps) { return sw_stepper_cost(stepper_of(sim), steps); }

static double rounding(const struct sw_sim *sim) { return sw_stepper_step_rounding(stepper_of(sim)); }

static void destroy(struct sw_sim *sim)
{
    struct line_sim *l = (struct line_sim *)sim;
    if (!l) return;
    sw_stepper_destroy(&l->stepper);
    l->ops->destroy(l->own);
    sw_free(l->run);
    sw_free(l);
}

static const struct sw_state_ops state_ops = {
    .size = state_size, .initial = initial, .set = set_state, .get = get_state, .get_some = get_states,
    .on_device = device_state};
static const struct sw_record_ops own_steps_record = {
    .numbers = SW_OWN_STEPS_NUMBERS, .get = get_record, .set = set_record, .warn = explain_early_end,
    .steps_taken = steps_taken};

#define OPERATIONS                                                                                                \
    .solver_name = solver_name, .load = load, .advance = advance, .snapshot = snapshot, .fetch = fetch,           \
    .diverged = diverged, .place = place, .cost = cost, .destroy = destroy, .states = &state_ops

static const struct sw_sim_ops line_ops = {OPERATIONS, .rounding = rounding};
static const struct sw_sim_ops own_steps_ops = {OPERATIONS, .records = &own_steps_record};

_Static_assert(sizeof(struct sw_own_steps) == SW_OWN_STEPS_NUMBERS * sizeof(double), "a record of doubles alone");
_Static_assert((int)SW_OWN_STEPS_TICKS == (int)SW_TICKS && (int)SW_OWN_STEPS_PEAKS == (int)SW_UNKNOWNS_MOST,
               "own_steps_point.h, which includes nothing");

void sw_line_own_steps(const struct sw_setup *setup, struct sw_stepper_desc *desc)
{
    desc->own_steps = sw_setup_own_steps(setup);
    desc->goals = setup->goals;
    desc->times = setup->times;
}

const char *sw_line_validate_own_steps(const struct sw_setup *setup, char why[160])
{
    enum sw_scheme scheme = SW_CRANK_NICOLSON;
    const char *word = sw_setup_word(setup, "method");
    const struct sw_imex *method = word && sw_scheme_named(word, &scheme) ? sw_imex_of(scheme) : NULL;
    if (!sw_setup_own_steps(setup)) return NULL;
    if (!method || !method->estimates) {
        snprintf(why, 160, "it needs a method that estimates its errors, method = \"imex2\" or \"imex3\"; or give "
                 "time.dt alone");
        return "time.tolerance";
    }
    for (int k = 0; k < setup->nfunction; k++) {
        const struct sw_function *f = &setup->function[k];
        if ((strcmp(f->key, "forcing") && strcmp(f->key, "rhs")) || !sw_expr_is_random(f->expr)) continue;
        snprintf(why, 160, "rand and randn are drawn anew at each step: give time.dt, without time.tolerance");
        return f->key;
    }
    return NULL;
}

enum sw_status sw_line_sim_create(const struct sw_stepper_desc *desc, const struct sw_setup *setup,
                                  struct sw_device *device, const struct sw_line_model_ops *ops, void *own,
                                  struct sw_sim **sim)
{
    enum sw_status st;
    struct line_sim *l = NULL;
    *sim = NULL;
    if ((st = sw_alloc(1, &l))) {
        ops->destroy(own);
        return st;
    }
    *l = (struct line_sim){.sim.ops = desc->own_steps ? &own_steps_ops : &line_ops, .ops = ops, .own = own,
                           .tolerance = sw_setup_column(setup, "time.tolerance"), .times = setup->times,
                           .absolute = sw_setup_column(setup, "time.tolerance_absolute"),
                           .dt = sw_setup_column(setup, "time.dt"),
                           .longest = sw_setup_column(setup, "time.dt_max"),
                           .size = (size_t)desc->n * (size_t)sw_line_unknowns(&desc->model)};
    SW_TRY_TO(failed, st, sw_alloc((size_t)desc->capacity, &l->run));
    SW_TRY_TO(failed, st, sw_stepper_create(desc, setup->solver, device, &l->stepper));
    *sim = &l->sim;
    return SW_OK;
failed:
    destroy(&l->sim);
    return st;
}
