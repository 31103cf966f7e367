/* G and S of a group of cpu.simd: programs, and where both are polynomials in u with values of cells besides, forms. */
#include "problem/line/simd/simd_group.h"

#include <string.h>

/* G has no cells here, and those of S, x among them, stand alone: not times u. */
static bool fits_sweep(struct sw_form *form, int program)
{
    static const double x;  /* only its address is looked at */
    struct sw_form_term term[SW_FORM_TERMS];
    const double *in[SW_INPUTS] = {[SW_IN_X] = &x};
    int cells = 0, terms = sw_form_terms(form, in, term);
    for (int k = 0; k < terms; k++) {
        if (!term[k].cell) continue;
        if (program == SW_SIMD_G || term[k].power) return false;
        cells++;
    }
    return cells <= SW_LANES_CELLS;
}

/* A step of one unknown and one solve has passes with forms. */
static enum sw_status create_forms(const struct sw_line_model *m, struct sw_simd_group *g)
{
    const struct sw_imex *method = sw_imex_of(m->scheme);
    bool all = sw_line_unknowns(m) == 1 && !sw_line_ended(m) && (!method || method->stages == 2);
    for (int k = 0; all && k < SW_SIMD_PROGRAMS; k++) {
        if (!g->eval[k][0]) continue;
        SW_TRY(sw_form_create(g->eval[k][0], &g->form[k]));
        all = g->form[k] && fits_sweep(g->form[k], k);
    }
    for (int k = 0; !all && k < SW_SIMD_PROGRAMS; k++) sw_form_destroy(&g->form[k]);
    return SW_OK;
}

enum sw_status sw_simd_create_programs(const struct sw_stepper_desc *d, struct sw_simd_group *g)
{
    const int points = d->n + (sw_simd_ended(d) ? 2 : 0);  /* G is wanted beyond ends */
    for (int v = 0; v < sw_line_unknowns(&d->model); v++) {
        const struct sw_program *program[SW_SIMD_PROGRAMS] = {
            [SW_SIMD_G] = d->model.g[v], [SW_SIMD_S] = d->model.explicit_term[v]};
        for (int k = 0; k < SW_SIMD_PROGRAMS; k++)
            if (program[k]) SW_TRY(sw_eval_create_lanes(program[k], points, sw_simd_lanes(d), &g->eval[k][v]));
        for (int k = 0; k < 4; k++) {
            const struct sw_line_end *end = &d->model.end[k / 2][v];
            const struct sw_program *condition = k % 2 ? end->second : end->first;
            double value;
            if (condition && sw_program_constant(condition, &value) && value == 0.0) continue;
            if (condition) SW_TRY(sw_eval_create_lanes(condition, 1, sw_simd_lanes(d), &g->end[k / 2][v][k % 2]));
        }
    }
    return create_forms(&d->model, g);
}

void sw_simd_destroy_programs(struct sw_simd_group *g)
{
    for (int k = 0; k < SW_SIMD_PROGRAMS; k++) {
        sw_form_destroy(&g->form[k]);
        for (int v = 0; v < SW_UNKNOWNS_MOST; v++) sw_eval_destroy(&g->eval[k][v]);
    }
    for (int k = 0; k < 4 * SW_UNKNOWNS_MOST; k++) sw_eval_destroy(&g->end[k % 2][k / 4][k / 2 % 2]);
}

/* ------------------------------------------------------------------ what lasts */

void sw_simd_points(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g)
{
    const struct sw_simd *p = s->own;
    double x0[SW_LANES_MOST], dx[SW_LANES_MOST], *x = w->x;
    for (int l = 0; l < p->lanes; l++) {
        x0[l] = sw_simd_run(s, g, l)->x0;
        dx[l] = sw_simd_run(s, g, l)->dx;
    }
    for (int i = 0; i < s->desc.n; i++)
        for (int l = 0; l < p->lanes; l++) *x++ = x0[l] + i * dx[l];
}

void sw_simd_begin_batch(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g)
{
    const struct sw_simd *p = s->own;
    const double *in[SW_INPUTS] = {[SW_IN_X] = w->x};
    if (!w->x) return;  /* no programs */
    for (int k = 0; k < s->desc.model.nparam; k++) {
        const double *param = s->param + (size_t)k * (size_t)s->count;
        for (int l = 0; l < p->lanes; l++) w->param[k * p->lanes + l] = param[sw_simd_run(s, g, l) - s->run];
    }
    sw_simd_points(s, w, g);
    for (int k = 0; k < SW_SIMD_PROGRAMS * SW_UNKNOWNS_MOST; k++) {
        struct sw_eval *eval = g->eval[k / SW_UNKNOWNS_MOST][k % SW_UNKNOWNS_MOST];
        if (!eval) continue;
        sw_eval_run(eval, w->param, p->lanes);
        sw_eval_cells(eval, s->desc.n, in);
    }
    for (int k = 0; k < 4 * SW_UNKNOWNS_MOST; k++)
        if (g->end[k % 2][k / 4][k / 2 % 2]) sw_eval_run(g->end[k % 2][k / 4][k / 2 % 2], w->param, p->lanes);
}

static void times_of(const struct sw_stepper *s, const struct sw_simd_group *g, int64_t step, double part,
                     double t[SW_LANES_MOST])
{
    const struct sw_simd *p = s->own;
    for (int l = 0; l < p->lanes; l++)
        t[l] = s->desc.own_steps ? g->t[l] + part * g->dt[l] : ((double)step + part) * sw_simd_run(s, g, l)->dt;
}

void sw_simd_begin_step(const struct sw_stepper *s, const struct sw_simd_group *g, int64_t step, double part)
{
    double t[SW_LANES_MOST];
    times_of(s, g, step, part, t);
    for (int k = 0; k < SW_SIMD_PROGRAMS * SW_UNKNOWNS_MOST; k++) {
        struct sw_eval *eval = g->eval[k / SW_UNKNOWNS_MOST][k % SW_UNKNOWNS_MOST];
        if (eval) sw_eval_step_lanes(eval, t, step);
    }
}

void sw_simd_ends_at(const struct sw_stepper *s, const struct sw_simd_group *g, int64_t step, double part,
                     struct sw_simd_ends *ends)
{
    const double *in[SW_INPUTS] = {NULL};
    double t[SW_LANES_MOST];
    times_of(s, g, step, part, t);
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++)
        for (int k = 0; k < 4; k++) {
            struct sw_eval *eval = g->end[k / 2][v][k % 2];
            double *out = k % 2 ? ends[v].second[k / 2] : ends[v].first[k / 2];
            memset(out, 0, SW_LANES_MOST * sizeof *out);
            if (!eval) continue;
            sw_eval_step_lanes(eval, t, step);
            sw_eval_points(eval, 1, in, out);
        }
}

/* ------------------------------------------------------------------ in a step */

/* weight times a sum of terms, as a polynomial and, for S, values of the cells. */
static void add_terms(const struct sw_form_term *term, int terms, const double *weight, double poly[][SW_LANES_MOST],
                      int lanes, struct sw_lanes_forms *forms)
{
    for (int k = 0; k < terms; k++) {
        double *out = term[k].cell ? forms->cell_factor[forms->cells] : poly[term[k].power];
        for (int l = 0; l < lanes; l++) out[l] += weight[l] * term[k].factor[l];
        if (term[k].cell) forms->cell[forms->cells++] = term[k].cell;
    }
}

/* Values of cells as the steps want them. They are the same in all steps: those of single precision are kept. */
static const void *cell_for(const struct sw_stepper *s, struct sw_simd_worker *w, const double *cell)
{
    int k = 0;
    if (!s->desc.single_steps) return cell;
    while (k < w->cells && w->cell_from[k] != cell) k++;
    if (k == w->cells) {
        w->cell_from[w->cells++] = cell;
        sw_simd_to_single(s, cell, w->cell[k]);
    }
    return w->cell[k];
}

/* Of the lanes that there are. */
static void clear_forms(int lanes, struct sw_lanes_forms *forms)
{
    const size_t row = (size_t)lanes * sizeof(double);
    for (int k = 0; k < SW_LANES_POWERS; k++) {
        memset(forms->g[k], 0, row);
        memset(forms->s[k], 0, row);
    }
    for (int k = 0; k < SW_LANES_CELLS; k++) {
        memset(forms->cell_factor[k], 0, row);
        forms->cell[k] = NULL;
    }
    forms->cells = forms->g_degree = 0;
    forms->has_s_in_u = false;
}

void sw_simd_forms(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g,
                   struct sw_lanes_forms *forms)
{
    const struct sw_simd *p = s->own;
    const double *in[SW_INPUTS] = {[SW_IN_X] = w->x};
    struct sw_form_term term[SW_FORM_TERMS];
    clear_forms(p->lanes, forms);
    if (g->form[SW_SIMD_G]) {
        int count = sw_form_terms(g->form[SW_SIMD_G], in, term);
        add_terms(term, count, g->lanes[0].g_weight, forms->g, p->lanes, forms);
        forms->g_degree = 1;
        for (int k = 0; k < count; k++)
            if (term[k].power > 1) forms->g_degree = SW_LANES_POWERS - 1;
    }
    if (g->form[SW_SIMD_S]) {
        int count = sw_form_terms(g->form[SW_SIMD_S], in, term);
        add_terms(term, count, g->lanes[0].s_weight, forms->s, p->lanes, forms);
        for (int k = 0; k < count; k++) forms->has_s_in_u |= term[k].power > 0;
    }
    for (int k = 0; k < forms->cells; k++) forms->cell[k] = cell_for(s, w, forms->cell[k]);
    for (int k = forms->cells; forms->cells && k < SW_LANES_CELLS; k++) forms->cell[k] = forms->cell[0];
}

static void evaluate(const struct sw_stepper *s, struct sw_simd_worker *w, struct sw_eval *eval,
                     const double *const in[SW_INPUTS], void *out)
{
    double *value = s->desc.single_steps ? w->value : out;
    sw_eval_points(eval, s->desc.n, in, value);
    if (s->desc.single_steps) sw_simd_to_single(s, value, out);
}

/* G of an unknown with a point beyond either end. */
static void evaluate_beyond(const struct sw_stepper *s, int v, struct sw_eval *eval, const double *u, double *out)
{
    const struct sw_simd *p = s->own;
    const double *in[SW_INPUTS] = {NULL};
    in[sw_input_at(v, 0)] = u + (SW_REACH - 1) * p->lanes;
    sw_eval_points(eval, s->desc.n + 2, in, out);
}

void sw_simd_values(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g,
                    const void *state, const struct sw_simd_stage *stage, const bool which[2][SW_UNKNOWNS_MOST])
{
    const struct sw_simd *p = s->own;
    const size_t line = sw_simd_state_size(&s->desc) / (size_t)sw_line_unknowns(&s->desc.model);
    const size_t before = (size_t)p->lanes * sw_simd_real_size(&s->desc);  /* of point -1 of G, in bytes */
    const double *seen = sw_simd_seen(s, w, state), *in[SW_INPUTS] = {[SW_IN_X] = w->x};
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++)
        for (int o = -SW_REACH; o <= SW_REACH; o++)
            in[sw_input_at(v, o)] = seen + (size_t)v * line + (size_t)(SW_REACH + o) * (size_t)p->lanes;
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++) {
        struct sw_eval *of_g = !which || which[0][v] ? g->eval[SW_SIMD_G][v] : NULL;
        if (of_g && sw_simd_ended(&s->desc)) evaluate_beyond(s, v, of_g, seen + (size_t)v * line, stage->g[v]);
        else if (of_g) evaluate(s, w, of_g, in, (char *)stage->g[v] + before);
        if (stage->s[v] && (!which || which[1][v])) evaluate(s, w, g->eval[SW_SIMD_S][v], in, stage->s[v]);
    }
}
