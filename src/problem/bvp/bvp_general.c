#include "problem/bvp/bvp_general.h"

#include <limits.h>
#include <math.h>
#include <omp.h>

#include "base/sw_reals.h"
#include "field/compatibility.h"
#include "field/double_double_point.h"

/* ------------------------------------------------------------------ what is given at the ends */

static enum sw_status number_of(const struct sw_bvp *bvp, const struct sw_program *program, int j, double otherwise,
                                double *value)
{
    *value = otherwise;
    return program ? sw_program_over_runs(program, 1, bvp->param + j, bvp->count, value) : SW_OK;
}

static bool fixed_end(const struct sw_bvp_end *e, bool otherwise)
{
    return e->dirichlet || (otherwise && !e->neumann && !e->robin[0]);
}

static enum sw_status end_of(const struct sw_bvp *bvp, const struct sw_bvp_end *e, bool right, int j,
                             struct bvp_given *end)
{
    *end = (struct bvp_given){.fixed = fixed_end(e, right), .beta = 1};
    SW_TRY(number_of(bvp, e->dirichlet, j, 0, &end->u));
    SW_TRY(number_of(bvp, e->neumann, j, 0, &end->value));
    if (!e->robin[0]) return SW_OK;
    SW_TRY(number_of(bvp, e->robin[0], j, 0, &end->alpha));
    SW_TRY(number_of(bvp, e->robin[1], j, 0, &end->beta));
    return number_of(bvp, e->robin[2], j, 0, &end->value);
}

/* ------------------------------------------------------------------ one system */

static double x_of(const struct sw_bvp_run *run, double i) { return run->x0 + run->h * i; }

/* At the points x0 + i h, i = first .. end-1. */
static void evaluate_points(struct bvp_coefficients *t, struct sw_eval *eval, double constant, double x0, double h,
                            int64_t first, int64_t end, double *out)
{
    if (eval) bvp_evaluator_range(&t->values, eval, x0, h, first, end, out);
    else for (int64_t i = first; i < end; i++) out[i - first] = constant;
}

static void begin_program(struct sw_eval *eval, const struct sw_bvp *bvp, int j)
{
    if (!eval) return;
    sw_eval_run(eval, bvp->param + j, bvp->count);
    sw_eval_step(eval, 0, 0);
}

static void begin_programs(struct bvp_coefficients *t, const struct sw_bvp *bvp, int j)
{
    bvp_evaluator_begin(&t->values, bvp, j);
    begin_program(t->p, bvp, j);
    begin_program(t->q, bvp, j);
}

/* f, q at the points x_0 .. x_N and p between them: those of number first .. first + BVP_POINTS - 1. */
static void evaluate_block(struct bvp_general *s, struct bvp_coefficients *t, const struct sw_bvp_run *run,
                           int64_t first)
{
    const int64_t n = s->right, end = n + 1 - first < BVP_POINTS ? n + 1 : first + BVP_POINTS;
    evaluate_points(t, t->values.f, 0, run->x0, run->h, first, end, s->f + first);
    evaluate_points(t, t->q, 0, run->x0, run->h, first, end, s->q + first);
    evaluate_points(t, t->p, 1, x_of(run, 0.5), run->h, first, end < n ? end : n, s->p + first);
}

/* All of them; x and the programs' values do not depend on how many threads there are. */
static void coefficients(const struct sw_bvp *bvp, struct bvp_general *s, int j)
{
#pragma omp parallel num_threads(s->threads)
    {
        struct bvp_coefficients *t = &s->thread[omp_get_thread_num()];
        begin_programs(t, bvp, j);
#pragma omp for schedule(static)
        for (int64_t first = 0; first <= s->right; first += BVP_POINTS) evaluate_block(s, t, &bvp->run[j], first);
    }
}

static double p_at(struct bvp_general *s, double x)
{
    double p;
    evaluate_points(s->thread, s->thread->p, 1, x, 0, 0, 1, &p);
    return p;
}

static struct sw_bvp_result fault(enum sw_bvp_fault what, double where)
{
    return (struct sw_bvp_result){.rms = NAN, .max = NAN, .rel = NAN, .fault = what, .where = where};
}

static struct bvp_values look_over(const struct bvp_general *s)
{
    struct bvp_values v = bvp_no_values();
    for (int k = 0; k < s->unknowns; k++) {
        const int64_t i = s->first + (int64_t)k;
        bvp_values_of_unknown(&v, i, s->f[i], s->q[i]);
    }
    for (int64_t i = 0; i < s->right; i++) bvp_values_of_p(&v, i, s->p[i]);
    return v;
}

/* Check the coefficients; f and q do not matter at a point where u is given. @return the first fault, or none */
static struct sw_bvp_result check_values(const struct sw_bvp *bvp, const struct bvp_general *s, int j,
                                         const struct bvp_values *v)
{
    const struct sw_bvp_run *run = &bvp->run[j];
    const struct bvp_given *left = &s->cells[j].given[0], *right = &s->cells[j].given[1];
    if (v->f < BVP_NOWHERE && v->f <= v->q) return fault(SW_BVP_F_NOT_FINITE, x_of(run, (double)v->f));
    if (v->q < BVP_NOWHERE) return fault(SW_BVP_Q_NOT_FINITE, x_of(run, (double)v->q));
    if (v->p < BVP_NOWHERE) return fault(SW_BVP_P_NOT_POSITIVE, x_of(run, (double)v->p + 0.5));
    if (left->beta == 0) return fault(SW_BVP_BETA_ZERO, run->x0);
    if (right->beta == 0) return fault(SW_BVP_BETA_ZERO, x_of(run, (double)s->right));
    if (v->largest_q == 0 && !left->fixed && !right->fixed && left->alpha == 0 && right->alpha == 0 &&
        !bvp->desc.zero_mean)
        return fault(SW_BVP_SINGULAR, run->x0);
    return fault(SW_BVP_FINE, NAN);
}

/* ------------------------------------------------------------------ whether there is a solution */

/* What the sum may be of the sum of its terms' sizes, f at its largest: 4 roundings a term (f, h, their product, the
 * weight; p, u' and their product), as many again for x, and eight times that for expressions that lose digits on their
 * own. A defect of this size moves u by what rounding in the elimination does. The sum itself is one of pairs. */
static const double compatible_to = 64 * 0x1p-53;

struct finer_mean { const struct sw_bvp *bvp; struct bvp_general *s; int j; double fluxes; };

/* Of f from point `first` to point `end`, in units of h. */
static struct sw_dd sum_finer(struct bvp_coefficients *t, const struct finer_mean *q, const struct sw_gauss *rule,
                              int64_t first, int64_t end)
{
    const struct sw_bvp_run *run = &q->bvp->run[q->j];
    struct sw_dd sum = {0, 0};
    bvp_evaluator_begin(&t->values, q->bvp, q->j);
    for (int k = 0; k < rule->count; k++) {
        double *const f = t->values.u;
        evaluate_points(t, t->values.f, 0, x_of(run, rule->at[k]), run->h, first, end, f);
        for (int64_t i = 0; i < end - first; i++) sum = sw_dd_add_double(sum, rule->weight[k] * f[i]);
    }
    return sum;
}

static enum sw_status finer_mean(void *context, const struct sw_gauss *rule, double *mean)
{
    const struct finer_mean *q = context;
    struct bvp_general *s = q->s;
    const struct sw_bvp_run *run = &q->bvp->run[q->j];
    const int64_t n = s->right, blocks = (n + BVP_POINTS - 1) / BVP_POINTS;
    struct sw_dd sum = {q->fluxes, 0};
#pragma omp parallel for schedule(static) num_threads(s->threads)
    for (int64_t b = 0; b < blocks; b++) {
        const int64_t first = b * BVP_POINTS, end = n - first < BVP_POINTS ? n : first + BVP_POINTS;
        s->block[b] = sum_finer(&s->thread[omp_get_thread_num()], q, rule, first, end);
    }
    for (int64_t b = 0; b < blocks; b++) sum = sw_dd_scale_add(s->block[b], run->h, sum);
    *mean = sw_dd_value(sum) / (run->h * (double)n);
    return SW_OK;
}

/* What zero_mean needs beside check_values(). @param west, east  p u' at the ends */
static struct sw_bvp_result check_zero_mean(const struct bvp_general *s, const struct sw_bvp_run *run, double west,
                                            double east)
{
    const int64_t n = s->right;
    if (!isfinite(s->f[n])) return fault(SW_BVP_F_NOT_FINITE, x_of(run, (double)n));
    if (!isfinite(west) || !isfinite(east))
        return fault(SW_BVP_P_NOT_POSITIVE, isfinite(west) ? x_of(run, (double)n) : run->x0);
    for (int64_t i = 0; i <= n; i++)
        if (s->q[i] != 0) return fault(SW_BVP_DETERMINED, x_of(run, (double)i));
    return fault(SW_BVP_FINE, NAN);
}

/* Let the equations of zero_mean have a solution: with the weights of the cells, sum h f + (p u') at the right end
 * - (p u') at the left one = 0. Where the trapezoidal rule alone is why they have none, f is moved.
 * @param result  out: FINE, or why there is none */
static enum sw_status make_compatible(const struct sw_bvp *bvp, struct bvp_general *s, int j,
                                      struct sw_bvp_result *result)
{
    const struct sw_bvp_run *run = &bvp->run[j];
    const int64_t n = s->right;
    const struct bvp_cells *cells = &s->cells[j];
    const double west = cells->p[0] * cells->given[0].value, east = cells->p[1] * cells->given[1].value,
                 length = run->h * (double)n;
    struct sw_dd sum = sw_dd_add_double((struct sw_dd){east, 0}, -west);
    double largest = 0;
    *result = check_zero_mean(s, run, west, east);
    if (result->fault) return SW_OK;
    for (int64_t i = 0; i <= n; i++) {
        sum = sw_dd_add_double(sum, (i == 0 || i == n ? 0.5 : 1) * (run->h * s->f[i]));
        largest = fmax(largest, fabs(s->f[i]));
    }
    const double defect = sw_dd_value(sum), size = length * largest + fabs(west) + fabs(east);
    if (fabs(defect) <= compatible_to * size) return SW_OK;
    struct finer_mean context = {.bvp = bvp, .s = s, .j = j, .fluxes = east - west};
    const struct sw_mean_question question = {.mean = defect / length, .size = size / length,
                                              .rounding = compatible_to * size / length, .cells = (size_t)n, .dim = 1,
                                              .finer = finer_mean, .context = &context};
    enum sw_mean_kind kind;
    result->excess = question.mean;
    SW_TRY(sw_mean_judge(&question, &kind, &result->finer));
    for (int64_t i = 0; i <= n; i++) s->f[i] -= question.mean;
    if (kind == SW_MEAN_OF_GRID) return SW_OK;
    result->fault = SW_BVP_INCOMPATIBLE;
    result->defect = defect;
    return SW_OK;
}

/* ------------------------------------------------------------------ the equations */

static struct bvp_power power_of_two(int exponent)
{
    return (struct bvp_power){ldexp(1, exponent / 2), ldexp(1, exponent - exponent / 2)};
}

static struct bvp_units units_of(const struct bvp_values *v, double h)
{
    struct bvp_units unit;
    int e;
    unit.h = frexp(h, &e);
    int high = ilogb(v->largest_p);
    if (v->largest_q > 0 && ilogb(v->largest_q) + 2 * e > high) high = ilogb(v->largest_q) + 2 * e;
    const int center = -(ilogb(v->least_p) + high) / 2;
    unit.p = power_of_two(center);
    unit.hp = power_of_two(center + e);
    unit.hhq = power_of_two(center + 2 * e);
    return unit;
}

/* Where a solver may lose all digits of u in one part, and not in another (refinement_point.h). n² largest/least of c
 * bounds the condition of a matrix with q >= 0, where LAPACK's rounding of the diagonal is the most that any row does:
 * that is off by an eighth of u at most, where this is false. */
static bool is_uneven(double least, double largest, double n)
{
    return !(largest / least * n * n * DBL_EPSILON <= 0.25);
}

static struct bvp_made make_equations(struct bvp_general *s, int j)
{
    double *c = s->system + (size_t)j * s->line, *e = c + s->vector, *b = e + s->vector;
    const struct bvp_cells *cells = &s->cells[j];
    struct bvp_made made = bvp_nothing_made();
    for (int k = 0; k < s->unknowns && made.beyond == BVP_NOWHERE; k++) {
        const int64_t i = s->first + (int64_t)k;
        const struct bvp_equation r = bvp_cell(cells, i, i > 0 ? s->p[i - 1] : 0, i < s->right ? s->p[i] : 0, s->q[i],
                                               s->f[i]);
        c[(size_t)k * s->stride] = r.c;
        e[(size_t)k * s->stride] = r.e;
        b[(size_t)k * s->stride] = r.b;
        bvp_made_add(&made, cells, k, &r);
    }
    return made;
}

/* @return a fault where an entry is beyond the range of numbers, or none */
static struct sw_bvp_result take_equations(const struct sw_bvp *bvp, struct bvp_general *s, int j,
                                           const struct bvp_made *made)
{
    struct sw_bvp_system *t = &s->tri[j];
    if (made->beyond < BVP_NOWHERE) return fault(SW_BVP_RANGE, x_of(&bvp->run[j], (double)made->beyond));
    for (int k = 0; k < 2; k++) {
        t->e_size[k] = made->e_size[k];
        t->b_size[k] = made->b_size[k];
    }
    t->n = s->unknowns;
    t->uneven = s->unknowns > 1 && is_uneven(made->least_c, made->largest_c, s->unknowns);
    s->taken[j].resistance = made->resistance;
    return fault(SW_BVP_FINE, NAN);
}

/* What is given at the ends of problem j, for which the first thread's programs begin. */
static enum sw_status begin_problem(const struct sw_bvp *bvp, struct bvp_general *s, int j)
{
    struct bvp_cells *cells = &s->cells[j];
    s->tri[j].n = 0;
    s->taken[j] = (struct bvp_taken){0};
    *cells = (struct bvp_cells){.right = s->right, .first = s->first, .unknowns = s->unknowns};
    SW_TRY(end_of(bvp, &bvp->desc.left, false, j, &cells->given[0]));
    SW_TRY(end_of(bvp, &bvp->desc.right, true, j, &cells->given[1]));
    begin_programs(&s->thread[0], bvp, j);
    for (int k = 0; k < 2; k++)
        if (!cells->given[k].fixed) cells->p[k] = p_at(s, x_of(&bvp->run[j], k ? (double)s->right : 0));
    return SW_OK;
}

static void ask_for_equations(const struct sw_bvp *bvp, struct bvp_general *s, int j, const struct bvp_values *values)
{
    s->cells[j].asked = true;
    s->cells[j].unit = units_of(values, bvp->run[j].h);
}

/* A problem at fault has no unknowns. */
static enum sw_status set_up(const struct sw_bvp *bvp, struct bvp_general *s, int j)
{
    struct sw_bvp_result *result = &s->output.result[j];
    SW_TRY(begin_problem(bvp, s, j));
    coefficients(bvp, s, j);
    const struct bvp_values values = look_over(s);
    *result = check_values(bvp, s, j, &values);
    if (bvp->desc.zero_mean && !result->fault) {
        SW_TRY(make_compatible(bvp, s, j, result));
        s->taken[j].excess = result->excess;
        s->taken[j].finer = result->finer;
        s->cells[j].given[1] = (struct bvp_given){.fixed = true, .beta = 1};
    }
    if (result->fault) return SW_OK;
    ask_for_equations(bvp, s, j, &values);
    const struct bvp_made made = make_equations(s, j);
    *result = take_equations(bvp, s, j, &made);
    return SW_OK;
}

/* ------------------------------------------------------------------ what rows call */

void bvp_general_bind(const struct bvp_general *s, int j, const double *system, struct sw_bvp_system *t)
{
    t->stride = s->stride;
    t->c = system + (size_t)j * s->line;
    t->e = t->c + s->vector;
    t->b = t->e + s->vector;
}

void bvp_general_solve_one(const struct bvp_general *s, int j, int bad, double *u, double *work)
{
    struct sw_tri_outcome *o = &s->outcome[j];
    *o = (struct sw_tri_outcome){SW_TRI_FINE, 0, 0};
    if (s->tri[j].n == 0) return;
    if (bad) *o = (struct sw_tri_outcome){SW_TRI_PIVOT, bad - 1, 0};
    else *o = sw_tri_solve_refined(&s->tri[j], u, work);
}

enum { WORTH_THREADS = 16384 };  /* unknowns of a batch, some 50 ns each */

int bvp_general_threads(const struct sw_bvp *bvp, const struct bvp_general *s)
{
    return s->vector < WORTH_THREADS ? 1 : bvp->device->threads;
}

/* c and e read, two factors written; the residual: c, e, b and u read, one number written; u corrected. */
struct sw_cost bvp_general_cost(struct sw_cost solve)
{
    return (struct sw_cost){32 + 2 * solve.bytes + 40 + 24, 6 + 2 * solve.fma + 24};
}

/* ------------------------------------------------------------------ what comes out */

static struct sw_bvp_result failed(const struct sw_bvp *bvp, const struct bvp_general *s, int j)
{
    static const enum sw_bvp_fault fault_of[] = {
        [SW_TRI_FINE] = SW_BVP_FINE, [SW_TRI_PIVOT] = SW_BVP_PIVOT, [SW_TRI_OVERFLOW] = SW_BVP_U_NOT_FINITE,
        [SW_TRI_NOT_CONVERGED] = SW_BVP_NO_DIGIT, [SW_TRI_LOST] = SW_BVP_LOST,
        [SW_TRI_SENSITIVE] = SW_BVP_SENSITIVE};
    const struct sw_tri_outcome *o = &s->outcome[j];
    const int64_t at = s->first + (o->fault == SW_TRI_PIVOT ? (int64_t)o->row : 0);
    struct sw_bvp_result r = fault(fault_of[o->fault], x_of(&bvp->run[j], (double)at));
    r.moved = o->moved;
    return r;
}

/* Of the points x_0 .. x_N, half cells at the ends. */
static void subtract_mean(double *u, int64_t n)
{
    struct sw_dd sum = {0.5 * u[0], 0};
    for (int64_t i = 1; i <= n; i++) sum = sw_dd_add_double(sum, i < n ? u[i] : 0.5 * u[i]);
    const double mean = sw_dd_value(sum) / (double)n;
    for (int64_t i = 0; i <= n; i++) u[i] -= mean;
}

/* u at the points. What is given at the left end is one of them; at the right end u is one where it is not given. */
static void assemble_field(const struct sw_bvp *bvp, struct bvp_general *s, int j)
{
    const double *u = s->u + (size_t)j * s->line;
    s->field[0] = s->cells[j].given[0].u;
    for (int k = 0; k < s->unknowns; k++) s->field[s->first + (int64_t)k] = u[(size_t)k * s->stride];
    if (!bvp->desc.zero_mean) return;
    s->field[s->right] = 0;
    subtract_mean(s->field, s->right);
}

static void finish(const struct sw_bvp *bvp, struct bvp_general *s, int j)
{
    const int64_t n = bvp->desc.n;
    const struct sw_bvp_run *run = &bvp->run[j];
    struct sw_norm_sums sum = {0};
    struct bvp_evaluator *v = &s->thread->values;
    bool finite = true;
    if (s->output.result[j].fault) return;
    if (s->outcome[j].fault) {
        s->output.result[j] = failed(bvp, s, j);
        return;
    }
    assemble_field(bvp, s, j);
    for (int64_t i = 0; i < n; i++) finite &= isfinite(s->field[i]) != 0;
    if (s->output.field) sw_reals_put(s->output.field, s->output.element_size, j * n, s->field, n);
    bvp_evaluator_begin(v, bvp, j);
    for (int64_t i = 0, count; i < n; i += count) {
        count = n - i < BVP_POINTS ? n - i : BVP_POINTS;
        for (int64_t k = 0; k < count; k++) v->x[k] = x_of(run, (double)(i + k));
        bvp_norms_add_points(&sum, v, s->field + i, (int)count);
    }
    bvp_result_from_norms(&sum, bvp, j, INFINITY, finite ? 0 : NAN, &s->output.result[j]);
    s->output.result[j].excess = s->taken[j].excess;
    s->output.result[j].finer = s->taken[j].finer;
}

/* All problems together, by the row's work. */
static enum sw_status set_up_all(struct sw_bvp *bvp, struct bvp_general *s)
{
    struct sw_bvp_result *result = s->output.result;
    for (int j = 0; j < bvp->count; j++) SW_TRY(begin_problem(bvp, s, j));
    SW_TRY(s->work->look_over(bvp, s->values));
    for (int j = 0; j < bvp->count; j++) {
        result[j] = check_values(bvp, s, j, &s->values[j]);
        if (!result[j].fault) ask_for_equations(bvp, s, j, &s->values[j]);
    }
    SW_TRY(s->work->make(bvp, s->made));
    for (int j = 0; j < bvp->count; j++)
        if (!result[j].fault) result[j] = take_equations(bvp, s, j, &s->made[j]);
    return SW_OK;
}

static enum sw_status finish_all(struct sw_bvp *bvp, struct bvp_general *s)
{
    for (int j = 0; j < bvp->count; j++)
        if (!s->output.result[j].fault && s->outcome[j].fault) s->output.result[j] = failed(bvp, s, j);
    return s->work->finish(bvp);
}

enum sw_status bvp_general_solve(struct sw_bvp *bvp)
{
    struct bvp_general *s = bvp->own;
    for (int k = 0; k < s->threads; k++) s->thread[k].values.problem = -1;
    if (s->work) SW_TRY(set_up_all(bvp, s));
    else for (int j = 0; j < bvp->count; j++) SW_TRY(set_up(bvp, s, j));
    for (int j = bvp->count; j < bvp->desc.capacity; j++) s->tri[j].n = 0;
    SW_TRY(s->eliminate(bvp));
    if (s->work) return finish_all(bvp, s);
    for (int j = 0; j < bvp->count; j++) finish(bvp, s, j);
    bvp_output_clear_failed(&s->output, bvp);
    return SW_OK;
}

/* ------------------------------------------------------------------ the operations of a row */

enum sw_status bvp_general_fetch(struct sw_bvp *bvp, const void **field, const struct sw_bvp_result **result)
{
    const struct bvp_general *s = bvp->own;
    *field = s->output.field;
    *result = s->output.result;
    return SW_OK;
}

bool bvp_general_fits(const struct sw_bvp_desc *desc) { return desc->n < INT_MAX / 4; }

enum { WORTH_SHARING = 65536 };  /* points of a problem, some 50 ns each: threads start in 0.1 ms */

void bvp_general_arrays(struct sw_bvp *bvp, struct bvp_general *s)
{
    const struct sw_bvp_desc *desc = &bvp->desc;
    struct sw_owned *own = &bvp->arrays;
    struct bvp_coefficients none;
    const size_t room = (size_t)desc->capacity;
    s->right = sw_bvp_right_is_point(desc) ? desc->n - 1 : desc->n;
    s->first = fixed_end(&desc->left, false);
    s->unknowns = (int)(s->right + 1) - s->first - (desc->zero_mean || fixed_end(&desc->right, true));
    s->rows = s->unknowns < 3 ? 3 : s->unknowns;
    s->stride = s->interleaved ? room : 1;
    s->line = s->interleaved ? 1 : (size_t)s->rows;
    s->vector = room * (size_t)s->rows;
    s->threads = s->right < WORTH_SHARING ? 1 : bvp->device->threads;
    const size_t points = s->work ? 0 : (size_t)s->right + 1, vector = s->work ? 0 : s->vector;
    sw_array(own, 3 * vector, &s->system);
    sw_array(own, vector, &s->u);
    sw_array(own, s->work ? room : 0, &s->values);
    sw_array(own, s->work ? room : 0, &s->made);
    sw_array(own, room, &s->tri);
    sw_array(own, room, &s->outcome);
    sw_array(own, room, &s->taken);
    sw_array(own, room, &s->cells);
    sw_array(own, points, &s->f);
    sw_array(own, points, &s->p);
    sw_array(own, points, &s->q);
    sw_array(own, points, &s->field);
    if (desc->zero_mean) sw_array(own, (points + BVP_POINTS - 1) / BVP_POINTS, &s->block);
    sw_array(own, (size_t)s->threads, &s->thread);
    for (int k = 0; k < s->threads; k++) bvp_evaluator_arrays(own, s->thread ? &s->thread[k].values : &none.values);
    if (s->work) sw_array(own, room, &s->output.result);  /* fields are the work's */
    else bvp_output_arrays(desc, own, &s->output);
}

enum sw_status bvp_general_create(struct sw_bvp *bvp)
{
    const struct sw_bvp_desc *desc = &bvp->desc;
    struct bvp_general *s = bvp->own;
    for (int k = 0; k < s->threads; k++) {
        struct bvp_coefficients *t = &s->thread[k];
        if (desc->p) SW_TRY(sw_eval_create(desc->p, BVP_POINTS, &t->p));
        if (desc->q) SW_TRY(sw_eval_create(desc->q, BVP_POINTS, &t->q));
        SW_TRY(bvp_evaluator_create(desc, true, &t->values));
    }
    return SW_OK;
}

void bvp_general_destroy(struct sw_bvp *bvp)
{
    struct bvp_general *s = bvp->own;
    for (int k = 0; s->thread && k < s->threads; k++) {
        sw_eval_destroy(&s->thread[k].p);
        sw_eval_destroy(&s->thread[k].q);
        bvp_evaluator_destroy(&s->thread[k].values);
    }
}
