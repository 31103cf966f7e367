#include "problem/line/advice/line_limit.h"

#include <math.h>

#include "problem/line/kinds/line_kind.h"
#include "problem/line/kinds/line_samples.h"

void sw_line_limit_free(struct sw_line_limit *l)
{
    sw_eval_destroy(&l->g);
    sw_eval_destroy(&l->source);
}

double sw_line_value(struct sw_eval *eval, double u)
{
    const double *in[SW_INPUTS] = {[SW_IN_U] = &u};
    double value = 0;
    if (eval) sw_eval_points(eval, 1, in, &value);
    return value;
}

/* By a difference: to some 1e-8. */
static double derivative_at(struct sw_eval *f, double u)
{
    const double h = 1e-4 * (1 + fabs(u));
    return (sw_line_value(f, u + h) - sw_line_value(f, u - h)) / (2 * h);
}

/* The same of fourth order, where a wave is multiplied by (1 + dt S' - r G' (s - s²/12)/p)/(1 + q/p) with p = 1 - s/6
 * and q of s4 s² and s2 (s - s²/12). */
static double steepest_of_fourth(const struct sw_line_limit *l, double dt, double m, double s4)
{
    enum { WAVES = 256 };
    double least = INFINITY;
    for (int k = 1; k <= WAVES; k++) {
        const double s = 4.0 * k / WAVES;
        least = fmin(least, (m * (1 - s / 6) + s4 * s * s) / (s - s * s / 12));
    }
    return least * l->dx * l->dx / dt + (l->crank_nicolson ? 0 : l->a2);
}

/* The largest G' that a step dt bears where dt S' = m - 2; -infinity: it bears none. */
static double steepest(const struct sw_line_limit *l, double dt, double m)
{
    const double dx2 = l->dx * l->dx, s4 = l->crank_nicolson ? 0 : dt * l->a4 / (dx2 * dx2);
    if (m < 0) return -INFINITY;
    if (l->fourth) return steepest_of_fourth(l, dt, m, s4);
    const double s = s4 > 0 ? fmin(4, sqrt(m / s4)) : 4;
    return (m / s + s4 * s) * dx2 / dt + (l->crank_nicolson ? 0 : l->a2);
}

static bool stable_at(const struct sw_line_limit *l, double dt, double u)
{
    const double m = 2 + (l->source ? dt * derivative_at(l->source, u) : 0);
    if (!(m >= 0)) return false;
    return !l->g || derivative_at(l->g, u) <= steepest(l, dt, m);
}

static bool stable(const struct sw_line_limit *l, double dt, double u)
{
    return stable_at(l, dt, u) && stable_at(l, dt, -u);
}

double sw_line_stable_to(const struct sw_line_limit *l, double dt)
{
    double low = 0, high = 1e-3;
    while (high < 1e100 && stable(l, dt, high)) high *= 2;
    if (!(high < 1e100)) return INFINITY;
    for (int k = 0; k < 60; k++) {
        const double middle = 0.5 * (low + high);
        if (stable(l, dt, middle)) low = middle;
        else high = middle;
    }
    return low;
}

double sw_line_stable_step(const struct sw_line_limit *l, double u)
{
    double low = 0, high = l->dt;
    for (int k = 0; k < 1000 && !(low > 0.999 * high); k++) {
        const double middle = low > 0 ? 0.5 * (low + high) : 0.5 * high;
        if (stable(l, middle, u)) low = middle;
        else high = middle;
    }
    const double unit = low > 0 ? pow(10, floor(log10(low)) - 1) : 0;
    return unit > 0 ? floor(low / unit) * unit : 0;
}

static enum sw_status function_of(const struct sw_program *program, int64_t ld, const double *column, int64_t j,
                                  struct sw_eval **eval)
{
    if (!program) return SW_OK;
    SW_TRY(sw_eval_create(program, 1, eval));
    sw_eval_run(*eval, column + j, ld);
    return SW_OK;
}

bool sw_line_limit_is_known(const struct sw_problem *problem, const struct sw_setup *setup)
{
    const enum sw_scheme scheme = sw_line_scheme(problem->model, setup);
    return scheme == SW_CRANK_NICOLSON || scheme == SW_BACKWARD_EULER;
}

enum sw_status sw_line_limit_of(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                const double *column, int64_t j, struct sw_line_limit *l)
{
    const struct equation_model *m = equation_model_of(setup);
    const struct sw_setup one = sw_line_setup_of_run(setup, ld, column, j);
    const struct sw_grid grid = sw_setup_grid(&one, ld, column, j);
    struct equation_values a;
    *l = (struct sw_line_limit){.crank_nicolson = sw_line_scheme(problem->model, setup) == SW_CRANK_NICOLSON,
                                .fourth = sw_line_is_fourth(setup), .dt = grid.dt, .dx = grid.dx[0], .u = INFINITY};
    if (!m) return SW_OK;
    SW_TRY(equation_values_of(m, setup, 1, ld, column, j, &a));
    l->a4 = -a.value[0][4][0];
    l->a2 = a.value[0][2][0];
    if ((!m->g[0] && !m->n[0]) || !sw_line_limit_is_known(problem, setup)) return SW_OK;
    SW_TRY(function_of(m->g[0], ld, column, j, &l->g));
    SW_TRY(function_of(m->n[0], ld, column, j, &l->source));
    l->u = sw_line_stable_to(l, l->dt);
    return SW_OK;
}
