#include "problem/line/plain/plain_step.h"

#include <math.h>
#include <string.h>

#include "problem/line/stepper/ends_point.h"
#include "problem/line/stepper/fourth_order.h"
#include "problem/line/stepper/line_point.h"

/* The time at a part c of the step. */
static double time_of_stage(const struct sw_plain_step *k, double c)
{
    return k->s->desc.own_steps ? k->t + c * k->run->dt : ((double)k->number + c) * k->run->dt;
}

/* The values of N at the points of a stage. */
static void evaluate(const struct sw_plain_step *k, int stage, struct sw_eval *eval, double t, double *out)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = k->h->x};
    for (int v = 0; v < sw_line_unknowns(&k->s->desc.model); v++)
        for (int o = -SW_REACH; o <= SW_REACH; o++)
            in[sw_input_at(v, o)] = k->w->stage[stage][v].u + SW_REACH + o;
    sw_eval_step(eval, t, k->number);
    sw_eval_points(eval, k->s->desc.n, in, out);
}

/* The values of G, which sees its unknown alone, with points beyond the ends. */
static void evaluate_g(const struct sw_plain_step *k, const struct sw_plain_stage *at, int v, struct sw_eval *eval,
                       double t, double *out)
{
    const int n = k->s->desc.n, beyond = at->ends.there;
    const double *in[SW_INPUTS] = {[SW_IN_X] = k->h->x};
    in[sw_input_at(v, 0)] = at->u + SW_REACH - beyond;
    sw_eval_step(eval, t, k->number);
    sw_eval_points(eval, n + 2 * beyond, in, out + SW_REACH - beyond);
    if (!beyond) sw_line_pad(&at->ends, n, out + SW_REACH);
}

static double value_at_end(const struct sw_plain_step *k, struct sw_eval *eval, double t)
{
    const double *in[SW_INPUTS] = {NULL};
    double value = 0.0;
    if (!eval) return value;
    sw_eval_step(eval, t, k->number);
    sw_eval_points(eval, 1, in, &value);
    return value;
}

/* The conditions at the ends of an unknown at time t. */
static struct sw_line_ends ends_at(const struct sw_plain_step *k, int v, double t)
{
    const struct sw_line_model *m = &k->s->desc.model;
    const double dx = k->run->dx;
    struct sw_line_ends e = {.there = m->end[0][v].kind != SW_END_PERIODIC};
    for (int side = 0; side < 2 && e.there; side++) {
        e.value[side] = m->end[side][v].kind == SW_END_VALUE;
        e.first[side] = value_at_end(k, k->w->end[side][v][0], t);
        const double second = value_at_end(k, k->w->end[side][v][1], t);
        for (int far = 1; far <= SW_REACH; far++)
            e.beyond[side][far - 1] = sw_end_beyond(e.value[side], side, far, dx, e.first[side], second);
    }
    return e;
}

/* Set the unknowns of a stage, with points beyond the ends as its `ends` say. */
static void set_stage(const struct sw_plain_step *k, int stage, const double *const u[SW_UNKNOWNS_MOST])
{
    const int n = k->s->desc.n;
    struct sw_plain_stage *at = k->w->stage[stage];
    for (int v = 0; v < sw_line_unknowns(&k->s->desc.model); v++) {
        memcpy(at[v].u + SW_REACH, u[v], (size_t)n * sizeof *u[v]);
        sw_line_pad(&at[v].ends, n, at[v].u + SW_REACH);
    }
}

/* What G and N are of the unknowns of a stage at time t, into the arrays of one. */
static void evaluate_stage(const struct sw_plain_step *k, int stage, double t, int into)
{
    const struct sw_plain_stage *to = k->w->stage[into];
    for (int v = 0; v < sw_line_unknowns(&k->s->desc.model); v++) {
        if (to[v].g) evaluate_g(k, &k->w->stage[stage][v], v, k->w->g[v], t, to[v].g);
        if (to[v].s) evaluate(k, stage, k->w->s[v], t, to[v].s);
    }
}

/* w->sum = the sum of weight[i] times array i, of n numbers, of the stages before one; NULL: no weight is but 0. */
static const double *combine(const struct sw_plain_step *k, int n, int before, const double *weight,
                             double *const *array)
{
    double *sum = k->w->sum;
    bool begun = false;
    for (int i = 0; i < before; i++) {
        if (weight[i] == 0.0) continue;
        for (int c = 0; c < n; c++) sum[c] = begun ? sum[c] + weight[i] * array[i][c] : weight[i] * array[i][c];
        begun = true;
    }
    return begun ? sum : NULL;
}

/* f += dt sum_i weight_i N_i, where G is apart */
static void add_explicit(const struct sw_plain_step *k, int before, int v, const double *weight, double *f)
{
    const int n = k->s->desc.n;
    double *s[SW_IMEX_STAGES];
    const double *sum;
    for (int i = 0; i < before; i++) s[i] = k->w->stage[i][v].s;
    if (k->w->s[v] && (sum = combine(k, n, before, weight, s)))
        for (int c = 0; c < n; c++) f[c] += k->run->dt * sum[c];
}

/* f += dt/dx² sum_i weight_i (d2 + d4_factor d4) G_i */
static void add_g(const struct sw_plain_step *k, int before, int v, const double *weight, double d4_factor, double *f)
{
    const int n = k->s->desc.n;
    double *g[SW_IMEX_STAGES];
    const double *sum;
    for (int i = 0; i < before; i++) g[i] = k->w->stage[i][v].g;
    if (k->w->g[v] && (sum = combine(k, n + 2 * SW_REACH, before, weight, g)))
        sw_line_add_second_difference(k->run, d4_factor, n, sum + SW_REACH, f);
}

/* f += dt sum_i explicit_i N_i, without P, of unknown v and the stages before one; of G, of N, or of both. */
static void add_either(const struct sw_plain_step *k, int before, int v, const double *explicit_part, bool g,
                           bool n, double *f)
{
    if (g) add_g(k, before, v, explicit_part, 0.0, f);
    if (n) add_explicit(k, before, v, explicit_part, f);
}

/* f = P (f + dt sum_i explicit_i N_i) + dt sum_i P L U_i implicit_i, of unknown v and the stages before one. */
static void add_stages(const struct sw_plain_step *k, int before, int v, const double *explicit_part,
                         const double *implicit_part, double gamma, double *f)
{
    const struct sw_line_mass *p = &k->s->desc.model.mass[v];
    const int n = k->s->desc.n;
    double *l[SW_IMEX_STAGES];
    const double *sum;
    for (int i = 0; i < before; i++) l[i] = k->w->stage[i][v].l;
    if (sw_line_has_mass(p)) {
        add_explicit(k, before, v, explicit_part, f);
        sw_line_multiply_mass(p, n, k->w->room, f);
        add_g(k, before, v, explicit_part, sw_line_mass_of_g(p), f);
    } else {
        add_either(k, before, v, explicit_part, true, true, f);
    }
    if ((sum = combine(k, n, before, implicit_part, l)))
        for (int c = 0; c < n; c++) f[c] += sum[c] / gamma;
}

/* f = (2 I - A) u, A with s4 and s2; f and u apart. */
static void explicit_rhs(const struct sw_line_operator *a, int n, const double *restrict u,
                         double *restrict f)
{
    double s4 = a->s4, s2 = a->s2;
    for (int i = 0; i < n; i++) f[i] = sw_line_explicit(s4, s2, u[i - 2], u[i - 1], u[i], u[i + 1], u[i + 2]);
}

/* Make the right-hand side of A u = f that of the matrix (sw_line_bands()), in which there are no points beyond the
 * ends. */
static void impose_ends(const struct sw_line_operator *a, const struct sw_line_ends *e, int n, double *f)
{
    double row[SW_NEIGHBOURS], beyond[2][SW_REACH];
    if (!e->there) return;
    sw_line_row(a, row);
    memcpy(beyond, e->beyond, sizeof beyond);
    sw_end_impose(row, beyond, n, f, 1);
    sw_line_set_values(e, n, f);
}

/* The right-hand side less A u; 0 at ends where u is given. */
static void take_residual(const struct sw_plain_step *k, const struct sw_line_operator *a, const struct sw_line_ends *e,
                          const double *right, const double *solution, double *residual)
{
    const int n = k->s->desc.n;
    const struct sw_line_ends at_rest = {.there = e->there, .value = {e->value[0], e->value[1]}};
    double *u = k->w->room + SW_REACH;
    memcpy(u, solution, (size_t)n * sizeof *u);
    sw_line_pad(&at_rest, n, u);
    for (int c = 0; c < n; c++) residual[c] = right[c] - u[c];
    sw_line_add_operator(a, n, 1.0, u, residual);
    sw_line_set_values(&at_rest, n, residual);
}

/* x = A⁻¹ f, corrected by A⁻¹ (f - A x) until that is rounding of x. A band solver is off by 2^-53 times the condition
 * of A: its matrix is rounded, so that its rows do not even sum to 1 + s0. The residual is of the differences that A is
 * made of. Each correction makes the error 1/SW_LINE_MAX_ROUNDING times smaller, or more. */
static void solve_refined(const struct sw_plain_step *k, int v, const struct sw_line_ends *e, double *f)
{
    enum { CORRECTIONS = 8 };
    const int n = k->s->desc.n;
    const struct sw_line_operator a = sw_line_matrix_of(&k->run->a[v], &k->s->desc.model.mass[v]);
    double *right = k->w->right, *residual = k->w->residual, largest = 0.0, changed = INFINITY;
    memcpy(right, f, (size_t)n * sizeof *f);
    sw_band_solve_one(k->band, k->system[v], f);
    for (int time = 0; time < CORRECTIONS && changed > 0x1p-51 * largest; time++) {
        largest = changed = 0.0;
        take_residual(k, &a, e, right, f, residual);
        sw_band_solve_one(k->band, k->system[v], residual);
        for (int c = 0; c < n; c++) {
            f[c] += residual[c];
            changed = fmax(changed, fabs(residual[c]));
            largest = fmax(largest, fabs(f[c]));
        }
    }
}

static void solve(const struct sw_plain_step *k, int v, const struct sw_line_ends *e, double *f)
{
    if (k->w->right) solve_refined(k, v, e, f);
    else sw_band_solve_one(k->band, k->system[v], f);
}

/* Solve for a stage, into next, and keep gamma dt P L U = P U - its right-hand side, which has no more rounding than
 * U. */
static void solve_stage(const struct sw_plain_step *k, const struct sw_imex *m, int stage, int v)
{
    const int n = k->s->desc.n;
    struct sw_plain_stage *at = &k->w->stage[stage][v];
    double *f = k->w->next[v];
    memcpy(f, k->w->stage[0][v].u + SW_REACH, (size_t)n * sizeof *f);
    add_stages(k, stage, v, m->explicit_part[stage], m->implicit_part[stage], m->gamma, f);
    for (int c = 0; c < n; c++) at->l[c] = -f[c];
    impose_ends(&k->run->a[v], &at->ends, n, f);
    solve(k, v, &at->ends, f);
    if (sw_line_has_mass(&k->s->desc.model.mass[v])) {
        memcpy(k->w->sum, f, (size_t)n * sizeof *f);
        sw_line_multiply_mass(&k->s->desc.model.mass[v], n, k->w->room, k->w->sum);
        for (int c = 0; c < n; c++) at->l[c] += k->w->sum[c];
        return;
    }
    for (int c = 0; c < n; c++) at->l[c] += f[c];
}

/* gamma dt P L u^n. */
static void apply_operators(const struct sw_plain_step *k)
{
    const int n = k->s->desc.n;
    for (int v = 0; v < sw_line_unknowns(&k->s->desc.model); v++) {
        struct sw_plain_stage *at = &k->w->stage[0][v];
        memset(at->l, 0, (size_t)n * sizeof *at->l);
        sw_line_add_operator(&k->run->a[v], n, 1.0, at->u + SW_REACH, at->l);
    }
}

/* The result of a method whose last stage it is not, but has its implicit part: that stage, and what the explicit part
 * has besides. With P its sum would want another solve, by P; the five-point formula of G differs from P⁻¹ (d2 + ..) G
 * by O(dx⁴), and its weights sum to 0. */
static void finish_with_mass(const struct sw_plain_step *k, const struct sw_imex *m, int v)
{
    double weight[SW_IMEX_STAGES];
    const int end = m->stages - 1;
    for (int i = 0; i <= end; i++) weight[i] = m->b_explicit[i] - m->explicit_part[end][i];
    memcpy(k->w->next[v], k->w->stage[end][v].u + SW_REACH, (size_t)k->s->desc.n * sizeof(double));
    add_explicit(k, m->stages, v, weight, k->w->next[v]);
    add_g(k, m->stages, v, weight, SW_LINE_FIVE_POINTS, k->w->next[v]);
}

/* From u to w->next. */
void sw_plain_imex_step(const struct sw_plain_step *k, const struct sw_imex *m, const double *const u[SW_UNKNOWNS_MOST])
{
    const int n = k->s->desc.n, unknowns = sw_line_unknowns(&k->s->desc.model);
    for (int i = 0; i < m->stages; i++) {
        const double t = time_of_stage(k, m->c[i]);
        for (int v = 0; v < unknowns; v++) k->w->stage[i][v].ends = ends_at(k, v, t);
        for (int v = 0; i > 0 && v < unknowns; v++) solve_stage(k, m, i, v);
        if (i == m->stages - 1 && m->last) break;
        set_stage(k, i, i > 0 ? (const double *const *)k->w->next : u);
        if (i == 0 && m->first) apply_operators(k);
        evaluate_stage(k, i, t, i);
    }
    for (int v = 0; !m->last && v < unknowns; v++) {
        if (sw_line_has_mass(&k->s->desc.model.mass[v])) {
            finish_with_mass(k, m, v);
            continue;
        }
        memcpy(k->w->next[v], u[v], (size_t)n * sizeof(double));
        add_stages(k, m->stages, v, m->b_explicit, m->b_implicit, m->gamma, k->w->next[v]);
        sw_line_set_values(&k->w->stage[m->stages - 1][v].ends, n, k->w->next[v]);
    }
}

/* P (u + dt N) + gamma dt P L u, G apart */
static void crank_nicolson_with_mass(const struct sw_plain_step *k, int v, double *f)
{
    static const double one[] = {1.0};
    const struct sw_line_mass *p = &k->s->desc.model.mass[v];
    const double *u = k->w->stage[0][v].u + SW_REACH;
    const int n = k->s->desc.n;
    memcpy(f, u, (size_t)n * sizeof *f);
    add_explicit(k, 1, v, one, f);
    sw_line_multiply_mass(p, n, k->w->room, f);
    add_g(k, 1, v, one, sw_line_mass_of_g(p), f);
    sw_line_add_operator(&k->run->a[v], n, 1.0, u, f);
}

/* (I + gamma dt L) u + dt N with L of the orders 2 and 4, and N at half the step (cuPentBatch, eq. 7c). */
void sw_plain_crank_nicolson_step(const struct sw_plain_step *k, const double *const u[SW_UNKNOWNS_MOST])
{
    const struct sw_line_run *r = k->run;
    struct sw_plain_stage *at = k->w->stage[0];
    const int n = k->s->desc.n;
    for (int v = 0; v < sw_line_unknowns(&k->s->desc.model); v++)
        at[v].ends = ends_at(k, v, sw_line_time(1.0, k->number, r->dt));
    set_stage(k, 0, u);
    for (int v = 0; v < sw_line_unknowns(&k->s->desc.model); v++)  /* an initial value may be another one */
        sw_line_set_values(&at[v].ends, n, at[v].u + SW_REACH);
    evaluate_stage(k, 0, sw_line_time(0.5, k->number, r->dt), 0);
    for (int v = 0; v < sw_line_unknowns(&k->s->desc.model); v++) {
        const struct sw_line_ends after = ends_at(k, v, sw_line_time(0.0, k->number, r->dt));
        double *f = k->w->next[v];
        if (sw_line_has_mass(&k->s->desc.model.mass[v])) {
            crank_nicolson_with_mass(k, v, f);
        } else {
            explicit_rhs(&r->a[v], n, at[v].u + SW_REACH, f);
            if (at[v].g) sw_line_add_second_difference(r, 0.0, n, at[v].g + SW_REACH, f);
            for (int i = 0; at[v].s && i < n; i++) f[i] += r->dt * at[v].s[i];
        }
        impose_ends(&r->a[v], &after, n, f);
        sw_band_solve_one(k->band, k->system[v], f);
    }
}

/* Where the unknowns of a run are, and what its programs compute once. */
void sw_plain_begin_run(struct sw_stepper *s, struct sw_plain_worker *w, struct sw_host_worker *h, int j,
                        const double *now[SW_UNKNOWNS_MOST])
{
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++) {
        now[v] = sw_host_line(s, j) + (size_t)v * (size_t)s->desc.n;
        if (w->g[v]) sw_host_begin_run(s, h, w->g[v], j);
        if (w->s[v]) sw_host_begin_run(s, h, w->s[v], j);
        for (int k = 0; k < 4; k++)
            if (w->end[k / 2][v][k % 2]) sw_eval_run(w->end[k / 2][v][k % 2], s->param + j, s->count);
    }
}

/* ------------------------------------------------------------------ steps of a run's own (own_steps_point.h) */

/* The largest |P u_t| of each unknown at t = 0. */
static void rates_at_begin(const struct sw_plain_step *k, const double *const u[SW_UNKNOWNS_MOST],
                           double rate[SW_UNKNOWNS_MOST])
{
    const struct sw_stepper_desc *d = &k->s->desc;
    const double gamma = sw_imex_of(d->model.scheme)->gamma;
    struct sw_plain_stage *at = k->w->stage[0];
    double *f = k->w->next[0];
    for (int v = 0; v < sw_line_unknowns(&d->model); v++) at[v].ends = ends_at(k, v, 0);
    set_stage(k, 0, u);
    evaluate_stage(k, 0, 0, 0);
    for (int v = 0; v < sw_line_unknowns(&d->model); v++) {
        const struct sw_line_mass *p = &d->model.mass[v];
        memset(f, 0, (size_t)d->n * sizeof *f);
        sw_line_add_operator(&k->run->a[v], d->n, 1.0 / gamma, at[v].u + SW_REACH, f);
        if (at[v].g) sw_line_add_second_difference(k->run, sw_line_mass_of_g(p), d->n, at[v].g + SW_REACH, f);
        if (at[v].s && sw_line_has_mass(p)) sw_line_multiply_mass(p, d->n, k->w->room, at[v].s);
        for (int c = 0; at[v].s && c < d->n; c++) f[c] += at[v].s[c];
        rate[v] = sw_line_largest(d->n, f);
    }
}

/* The matrices of a step; one without a pivot solves to NaN, and the step is refused. */
static void factor_own(const struct sw_plain_step *k)
{
    const int unknowns = sw_line_unknowns(&k->s->desc.model);
    struct sw_line_matrix matrix[SW_UNKNOWNS_MOST];
    int bad[SW_UNKNOWNS_MOST];
    if (k->w->factored == k->run->dt) return;
    for (int v = 0; v < unknowns; v++)
        matrix[v] = (struct sw_line_matrix){.a = k->run->a[v], .mass = k->s->desc.model.mass[v], .of = v,
                                            .ends = {k->s->desc.model.end[0][v].kind, k->s->desc.model.end[1][v].kind}};
    sw_line_bands(k->w->band, matrix, k->w->matrix);
    sw_band_factor(k->w->band, k->w->matrix, bad);
    k->w->factored = k->run->dt;
}

/* With P the estimated error is P times that of u: the embedded solution would want a solve of its own, and P is
 * between 2/15 and 1, near 1 for what the points resolve. */
static void error_with_mass(const struct sw_plain_step *k, int v, const struct sw_imex *m, double *e)
{
    double explicit_part[SW_IMEX_STAGES], implicit_part[SW_IMEX_STAGES];
    for (int i = 0; i < m->stages; i++) {
        explicit_part[i] = m->b_explicit[i] - m->embedded_explicit[i];
        implicit_part[i] = m->b_implicit[i] - m->embedded_implicit[i];
    }
    memset(e, 0, (size_t)k->s->desc.n * sizeof *e);
    add_stages(k, m->stages, v, explicit_part, implicit_part, m->gamma, e);
}

/* What G and N are by time alone, where the method has a second quadrature rule: at the times of all its stages, of the
 * unknowns of the last one that has an N. The errors of the step are known, so that its values may be overwritten.
 * @param error  [unknowns]: made larger where this is */
static void look_by_time(const struct sw_plain_step *k, double error[SW_UNKNOWNS_MOST])
{
    struct sw_imex_stages m;
    const int n = k->s->desc.n;
    double *e = k->w->embedded;
    bool any = false;
    for (int v = 0; v < SW_UNKNOWNS_MOST; v++) any |= k->s->steep[0][v] || k->s->steep[1][v];
    if (!any) return;
    sw_imex_stages_of(k->s->desc.model.scheme, &m);
    const int at = sw_imex_valued(&m) - 1;
    for (int i = 0; i < m.count; i++)
        if (i != at) evaluate_stage(k, at, time_of_stage(k, m.time[i]), i);
    for (int v = 0; v < sw_line_unknowns(&k->s->desc.model); v++) {
        const struct sw_line_ends *at_end = &k->w->stage[at][v].ends;
        const struct sw_line_ends none = {.there = at_end->there, .value = {at_end->value[0], at_end->value[1]}};
        memset(e, 0, (size_t)n * sizeof *e);
        add_either(k, m.count, v, m.of_time, k->s->steep[0][v], k->s->steep[1][v], e);
        sw_line_set_values(&none, n, e);  /* where u is given */
        error[v] = sw_own_steps_with_time(error[v], sw_line_largest(n, e));
    }
}

/* Take a step of the run, or leave u as it is. @param u  [unknowns][n]  @param now  where each unknown is in it */
static void attempt(const struct sw_plain_step *k, struct sw_own_run *run, double *u,
                    const double *const now[SW_UNKNOWNS_MOST])
{
    const int n = k->s->desc.n, unknowns = sw_line_unknowns(&k->s->desc.model);
    const struct sw_imex *m = sw_imex_of(k->s->desc.model.scheme);
    double size[SW_UNKNOWNS_MOST], error[SW_UNKNOWNS_MOST], *e = k->w->embedded;
    factor_own(k);
    sw_plain_imex_step(k, m, now);
    for (int v = 0; v < unknowns; v++) {
        if (sw_line_has_mass(&k->s->desc.model.mass[v])) {
            error_with_mass(k, v, m, e);
        } else {
            memcpy(e, now[v], (size_t)n * sizeof *e);
            add_stages(k, m->stages, v, m->embedded_explicit, m->embedded_implicit, m->gamma, e);
            sw_line_set_values(&k->w->stage[m->stages - 1][v].ends, n, e);
            for (int c = 0; c < n; c++) e[c] = k->w->next[v][c] - e[c];
        }
        error[v] = sw_line_largest(n, e);
        size[v] = sw_line_largest(n, k->w->next[v]);
    }
    look_by_time(k, error);
    if (!sw_own_run_control(k->s, error, size, run)) return;
    for (int v = 0; v < unknowns; v++) memcpy(u + v * n, k->w->next[v], (size_t)n * sizeof *u);
}

void sw_plain_advance_own(struct sw_stepper *s, struct sw_plain_worker *w, struct sw_host_worker *h, int j, int64_t to)
{
    static const int system[SW_UNKNOWNS_MOST] = {0, 1, 2, 3};
    const struct sw_plain *p = s->own;
    const double *times = s->desc.times, *now[SW_UNKNOWNS_MOST];
    struct sw_line_run line = s->run[j];
    struct sw_plain_step k = {s, w, h, &line, w->band, system, 0, 0};
    double size[SW_UNKNOWNS_MOST], rate[SW_UNKNOWNS_MOST];
    struct sw_own_run run;

    if (sw_own_steps_reached(&p->batch.states.steps[j], times, to)) return;
    sw_plain_begin_run(s, w, h, j, now);
    w->factored = 0;
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++) size[v] = sw_line_largest(s->desc.n, now[v]);
    sw_own_run_begin(s, j, size, &run);
    if (run.steps->goal == 0) {
        rates_at_begin(&k, now, rate);
        sw_own_run_first(s, j, rate, &run);
    }
    while (!run.steps->end && !sw_own_steps_reached(run.steps, times, to)) {
        sw_own_run_aim(s, &run);
        k.t = sw_own_steps_time(run.steps, times);
        line.dt = run.steps->dt;
        for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++)
            line.a[v] = sw_line_operator_of(&s->run[j].a[v], line.dt);
        attempt(&k, &run, sw_host_line(s, j), now);
    }
    if (run.steps->end)
        sw_host_fail(s, j, sw_own_steps_time(run.steps, times), run.steps->dt, 0, sw_own_steps_tick(run.steps, times));
}
