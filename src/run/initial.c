/* Where the initial value of a run is not finite. Steppers say only that it is not; the message is to name a point. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/sw_mem.h"
#include "run/run_impl.h"

struct points {  /* of a line along x */
    struct sw_eval *eval;
    double *at[SW_DIMS], *value;  /* [n[0]] */
};

static void points_free(struct points *p)
{
    sw_eval_destroy(&p->eval);
    for (int d = 0; d < SW_DIMS; d++) sw_free(p->at[d]);
    sw_free(p->value);
}

static enum sw_status points_make(const struct sw_setup *setup, const struct sw_program *program, struct points *p)
{
    const size_t n = (size_t)setup->n[0];
    *p = (struct points){0};
    for (int d = 0; d < SW_DIMS; d++) SW_TRY(sw_alloc(n, &p->at[d]));
    SW_TRY(sw_alloc(n, &p->value));
    return sw_eval_create(program, (int)n, &p->eval);
}

static void evaluate_line(const struct sw_setup *setup, const struct sw_grid *g, int64_t line, struct points *p)
{
    const int64_t n = setup->n[0], index[SW_DIMS] = {0, line % setup->n[1], line / setup->n[1]};
    const double *in[SW_INPUTS] = {[SW_IN_X] = p->at[0], [SW_IN_Y] = p->at[1], [SW_IN_Z] = p->at[2]};
    for (int d = 0; d < SW_DIMS; d++)
        for (int64_t i = 0; i < n; i++) p->at[d][i] = g->x0[d] + (double)(d ? index[d] : i) * g->dx[d];
    sw_eval_number_from(p->eval, (int)(line * n));
    sw_eval_cells(p->eval, (int)n, in);
    sw_eval_step(p->eval, 0, 0);
    sw_eval_points(p->eval, (int)n, in, p->value);
}

static void describe(const struct sw_setup *setup, const struct points *p, int64_t line, int64_t i, char text[160])
{
    const int64_t index[SW_DIMS] = {i, line % setup->n[1], line / setup->n[1]};
    const bool rounds = isfinite(p->value[i]);
    char value[32];
    int used = snprintf(text, 160, "the initial value is %s%s at", sw_number(p->value[i], value),
                        rounds ? ", beyond single precision," : "");
    for (int d = 0; d < setup->dim; d++)
        used += snprintf(text + used, 160 - (size_t)used, "%s %c = %.6g", d ? "," : "", "xyz"[d], p->at[d][i]);
    used += snprintf(text + used, 160 - (size_t)used, " (");
    for (int d = 0; d < setup->dim; d++)
        used += snprintf(text + used, 160 - (size_t)used, "%s%c = %lld", d ? ", " : "", "ijk"[d],
                         (long long)index[d]);
    snprintf(text + used, 160 - (size_t)used, ")");
}

bool initial_describe(const struct sw_setup *setup, int count, const double *column, int j, char text[160])
{
    const struct sw_program *initial = sw_setup_function(setup, "initial");
    const int64_t lines = setup->n[1] * setup->n[2];
    const double most = setup->single_steps ? (double)FLT_MAX : DBL_MAX;
    struct points p = {0};
    bool found = false;
    if (!initial || setup->n[0] > INT32_MAX || points_make(setup, initial, &p)) goto out;
    const struct sw_grid g = sw_setup_grid(setup, count, column, j);
    sw_eval_run(p.eval, column + j, count);
    for (int64_t line = 0; line < lines && !found; line++) {
        evaluate_line(setup, &g, line, &p);
        for (int64_t i = 0; i < setup->n[0] && !found; i++) {
            found = !(fabs(p.value[i]) <= most);
            if (found) describe(setup, &p, line, i, text);
        }
    }
out:
    points_free(&p);
    return found;
}
