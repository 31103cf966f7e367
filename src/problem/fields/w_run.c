#include "problem/fields/w_run.h"

#include <math.h>
#include <string.h>

static double largest_of(size_t n, const double *u)
{
    double largest = 0.0;
    for (size_t c = 0; c < n; c++) largest = sw_own_steps_worse(largest, fabs(u[c]));
    return largest;
}

void fields_flat_sizes(const struct fields_walk *w, const double *u, double *size)
{
    for (int v = 0; v < w->unknowns; v++) size[v] = largest_of(w->points, u + (size_t)v * w->points);
}

double *fields_flat_accept(struct fields_walk *w, double *u)
{
    memcpy(u, w->work.next, w->points * (size_t)w->unknowns * sizeof *u);
    return u;
}

/* ------------------------------------------------------------------ P */

/* @return false: a coefficient is not finite */
static bool make_product(struct fields_walk *w, double t, int64_t number, double dt, const double *u)
{
    struct fields_stiffness stiff[SW_UNKNOWNS_MOST] = {{0}};
    w->ops->stiffness(w->own, t, number, u, stiff);
    for (int v = 0; v < w->unknowns; v++) {
        const struct fields_matrix m = fields_matrix_of(w->method, &w->rule, &stiff[v], dt);
        if (w->made && w->dt == dt && !memcmp(&m, &w->matrix[v], sizeof m)) continue;
        w->matrix[v] = m;
        if (!w->solves->factor(w->solver, v, w->method->gamma * dt, &m)) return w->made = false;
    }
    w->dt = dt;
    return w->made = true;
}

static struct fields_step step_of(const struct fields_walk *w, double t, double dt, int64_t number)
{
    return (struct fields_step){.method = w->method, .unknowns = w->unknowns, .points = w->points, .t = t, .dt = dt,
                                .number = number, .solves = w->solves, .solver = w->solver,
                                .evaluate = w->ops->evaluate, .own = w->own};
}

/* u -> v: what is given at walls is set in u first; and back. */
static void lower(const struct fields_walk *w, double t, double *u)
{
    w->ops->impose(w->own, t, u);
    w->ops->lift(w->own, t, -1.0, u);
}

static void raise_to(const struct fields_walk *w, double t, double *v)
{
    w->ops->lift(w->own, t, 1.0, v);
    w->ops->impose(w->own, t, v);
}

/* From u at t to w->work.next at `end`. */
static void take_step(struct fields_walk *w, const struct fields_step *step, double end, const double *u)
{
    double *base = w->work.base;
    if (!w->moves) {
        w->ops->take_step(step, &w->work, u);
        return;
    }
    memcpy(base, u, w->numbers * sizeof *u);
    w->ops->begin_step(w->own, step->t, end, step->dt);
    lower(w, step->t, base);
    w->ops->take_step(step, &w->work, base);
    raise_to(w, end, w->work.next);
}

double fields_rounding(const struct fields_walk *w, const struct fields_stiffness *stiffness, double dt)
{
    double worst = 0.0;
    for (int v = 0; v < w->unknowns; v++) {
        const struct fields_matrix m = fields_matrix_of(w->method, &w->rule, &stiffness[v], dt);
        worst = sw_own_steps_worse(worst, w->solves->rounding(w->solver, w->method->gamma * dt, &m));
    }
    return worst;
}

/* As sw_stepper_limits() does it on a line. */
double fields_longest_dt(const struct fields_walk *w, const struct fields_stiffness *stiffness, double tolerance,
                         double most)
{
    const double bound = fmin(fmax(0.1 * tolerance, 1e-13), SW_LINE_MAX_ROUNDING);
    double dt = most;
    while (dt > 1e-300 && !(fields_rounding(w, stiffness, dt) <= bound)) dt *= 0.5;
    return dt;
}

/* A step of no length has no R. */
void fields_walk_evaluate(struct fields_walk *w, double t, int64_t step, const double *u, double *f)
{
    if (!w->moves) {
        w->ops->evaluate(w->own, t, step, u, f);
        return;
    }
    memcpy(w->work.base, u, w->numbers * sizeof *u);
    w->ops->begin_step(w->own, t, t, 0.0);
    lower(w, t, w->work.base);
    w->ops->evaluate(w->own, t, step, w->work.base, f);
}

/* ------------------------------------------------------------------ steps of a given dt */

int64_t fields_walk_steps(struct fields_walk *w, double dt, int64_t from, int64_t to, double **u)
{
    const struct fields_walk_ops *ops = w->ops;
    if (w->ops->impose) w->ops->impose(w->own, (double)from * dt, *u);
    for (int64_t number = from; number < to; number++) {
        const double t = (double)number * dt;
        double size[SW_UNKNOWNS_MOST];
        const struct fields_step step = step_of(w, t, dt, number);
        if (!make_product(w, t, number, dt, *u)) return number + 1;
        take_step(w, &step, (double)(number + 1) * dt, *u);
        ops->find_sizes(w, w->work.next, size);
        for (int v = 0; v < w->unknowns; v++)
            if (!isfinite(size[v])) return number + 1;
        *u = ops->accept(w, *u);
    }
    return 0;
}

/* ------------------------------------------------------------------ steps of the run's own */

static void begin_own_steps(struct fields_walk *w, const struct fields_own *own, const double *size, const double *u)
{
    double rate[SW_UNKNOWNS_MOST];
    fields_walk_evaluate(w, 0.0, 0, u, w->work.k[0]);
    w->ops->find_sizes(w, w->work.k[0], rate);
    sw_own_steps_first(own->steps, w->unknowns, size, rate, own->times[1], own->first_dt, &own->limits);
}

/* The step's end is looked at as v, and stays as it is. */
static void estimate_by_time(struct fields_walk *w, const struct fields_step *step, double *error)
{
    const size_t bytes = w->numbers * sizeof(double);
    if (w->moves) {
        memcpy(w->work.base, w->work.next, bytes);
        lower(w, step->t + step->dt, w->work.next);
    }
    w->ops->estimate_by_time(step, &w->work, error);
    if (w->moves) memcpy(w->work.next, w->work.base, bytes);
}

/* Take a step, or leave u as it is. @param size  [unknowns] largest |u|; out: likewise @return where the field is */
static double *attempt(struct fields_walk *w, const struct fields_own *own, double *size, double *u)
{
    const struct fields_walk_ops *ops = w->ops;
    const double t = sw_own_steps_time(own->steps, own->times), dt = own->steps->dt;
    const struct fields_step step = step_of(w, t, dt, 0);
    double error[SW_UNKNOWNS_MOST], next[SW_UNKNOWNS_MOST];
    if (make_product(w, t, 0, dt, u)) {
        take_step(w, &step, t + dt, u);
        ops->estimate_error(&step, &w->work, error);
        ops->find_sizes(w, w->work.next, next);
        if (w->steep) estimate_by_time(w, &step, error);
    } else {
        for (int v = 0; v < w->unknowns; v++) error[v] = next[v] = NAN;
    }
    const bool taken = sw_own_steps_judge(own->steps, w->unknowns, error, next, size, own->drive, &own->limits,
                                          own->times);
    return taken ? ops->accept(w, u) : u;
}

void fields_walk_own_steps(struct fields_walk *w, const struct fields_own *own, int64_t to, double **u)
{
    struct sw_own_steps *s = own->steps;
    double size[SW_UNKNOWNS_MOST];
    if (sw_own_steps_reached(s, own->times, to)) return;
    if (w->ops->impose) w->ops->impose(w->own, sw_own_steps_time(s, own->times), *u);
    w->ops->find_sizes(w, *u, size);
    if (s->goal == 0) begin_own_steps(w, own, size, *u);
    while (!s->end && !sw_own_steps_reached(s, own->times, to)) {
        const int64_t at = (int64_t)s->goal;
        if (s->left == 0) sw_own_steps_next(s, own->times[at + 1] - own->times[at]);
        *u = attempt(w, own, size, *u);
    }
}
