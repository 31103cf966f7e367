#include "problem/bvp/bvp_general.h"

#include <limits.h>
#include <math.h>
#include <omp.h>

#include "base/sw_reals.h"
#include "field/compatibility.h"
#include "field/double_double_point.h"

/* ------------------------------------------------------------------ what is given at the ends */

struct end { bool fixed; double u, alpha, beta, value; };  /* u, or alpha u + beta u' = value */

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

static enum sw_status end_of(const struct sw_bvp *bvp, const struct sw_bvp_end *e, bool right, int j, struct end *end)
{
    *end = (struct end){.fixed = fixed_end(e, right), .beta = 1};
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
        bvp_evaluator_begin(&t->values, bvp, j);
        begin_program(t->p, bvp, j);
        begin_program(t->q, bvp, j);
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

/* Check the coefficients; f and q do not matter at a point where u is given. @return the first fault, or none */
static struct sw_bvp_result check_coefficients(const struct sw_bvp *bvp, const struct bvp_general *s, int j,
                                               const struct end *left, const struct end *right)
{
    const struct sw_bvp_run *run = &bvp->run[j];
    const int64_t n = s->right, last = s->first + (int64_t)s->unknowns - 1;
    bool no_q = true;
    for (int64_t i = s->first; i <= last; i++) {
        if (!isfinite(s->f[i])) return fault(SW_BVP_F_NOT_FINITE, x_of(run, (double)i));
        if (!isfinite(s->q[i])) return fault(SW_BVP_Q_NOT_FINITE, x_of(run, (double)i));
        no_q &= s->q[i] == 0;
    }
    for (int64_t i = 0; i < n; i++)
        if (!(s->p[i] > 0 && isfinite(s->p[i]))) return fault(SW_BVP_P_NOT_POSITIVE, x_of(run, (double)i + 0.5));
    if (left->beta == 0) return fault(SW_BVP_BETA_ZERO, run->x0);
    if (right->beta == 0) return fault(SW_BVP_BETA_ZERO, x_of(run, (double)n));
    if (no_q && !left->fixed && !right->fixed && left->alpha == 0 && right->alpha == 0 && !bvp->desc.zero_mean)
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

/* What zero_mean needs beside check_coefficients(). @param west, east  p u' at the ends */
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
static enum sw_status make_compatible(const struct sw_bvp *bvp, struct bvp_general *s, int j, const struct end *left,
                                      const struct end *right, struct sw_bvp_result *result)
{
    const struct sw_bvp_run *run = &bvp->run[j];
    const int64_t n = s->right;
    const double west = p_at(s, run->x0) * left->value, east = p_at(s, x_of(run, (double)n)) * right->value,
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

/* A power of two that may be beyond the range of numbers, where what it multiplies is not. */
struct power { double half, other_half; };

static struct power power_of_two(int exponent)
{
    return (struct power){ldexp(1, exponent / 2), ldexp(1, exponent - exponent / 2)};
}

static double times(double v, struct power p) { return v * p.half * p.other_half; }

/* The equations of a problem are times a power of two, which rounds nothing and leaves u: the least p and the largest p
 * or h² q are as far from 1. So that h² does not leave the range of numbers before, h is m 2^e, 1/2 <= m < 1. */
struct units {
    double       h;         /* m         */
    struct power p, hp, hhq;  /* for p, h p and h² q, where h is m */
};

static struct units units_of(const struct bvp_general *s, double h)
{
    struct units unit;
    double least = INFINITY, largest = 0, q = 0;
    int e;
    for (int64_t i = 0; i < s->right; i++) {
        least = s->p[i] < least ? s->p[i] : least;
        largest = s->p[i] > largest ? s->p[i] : largest;
    }
    for (int k = 0; k < s->unknowns; k++) q = fmax(q, fabs(s->q[s->first + (int64_t)k]));
    unit.h = frexp(h, &e);
    int high = ilogb(largest);
    if (q > 0 && ilogb(q) + 2 * e > high) high = ilogb(q) + 2 * e;
    const int center = -(ilogb(least) + high) / 2;
    unit.p = power_of_two(center);
    unit.hp = power_of_two(center + e);
    unit.hhq = power_of_two(center + 2 * e);
    return unit;
}

/* The equation of an unknown, with the sizes of what its e and b are added up from. */
struct equation { double c, e, b, e_size, b_size; };

static void add(struct equation *r, double e, double b)
{
    r->e += e;
    r->b += b;
    r->e_size += fabs(e);
    r->b_size += fabs(b);
}

/* The balance of the cell around point i, times h. */
static struct equation cell(const struct sw_bvp_run *run, struct bvp_general *s, const struct units *unit, int64_t i,
                            const struct end *left, const struct end *right)
{
    const int64_t n = s->right;
    const double h = unit->h, width = i == 0 || i == n ? 0.5 : 1;
    struct equation r = {.c = i < n ? times(s->p[i], unit->p) : 0};
    add(&r, width * times(h * h * s->q[i], unit->hhq), width * times(h * h * s->f[i], unit->hhq));
    if (i == 0 || i == n) {  /* u' there is (value - alpha u)/beta */
        const struct end *e = i ? right : left;
        const double flux = times((i ? h : -h) * p_at(s, x_of(run, (double)i)) / e->beta, unit->hp);
        add(&r, flux * e->alpha, flux * e->value);
    }
    const double west = i == 1 ? times(s->p[0], unit->p) : 0;
    if (i == 1 && left->fixed) add(&r, west, west * left->u);
    if (i == n - 1 && right->fixed) add(&r, r.c, r.c * right->u);
    return r;
}

/* Where a solver may lose all digits of u in one part, and not in another (refinement_point.h). n² largest/least of c
 * bounds the condition of a matrix with q >= 0, where LAPACK's rounding of the diagonal is the most that any row does:
 * that is off by an eighth of u at most, where this is false. */
static bool is_uneven(double least, double largest, double n)
{
    return !(largest / least * n * n * DBL_EPSILON <= 0.25);
}

/* @return a fault where an entry is beyond the range of numbers, or none */
static struct sw_bvp_result assemble_system(const struct sw_bvp *bvp, struct bvp_general *s, int j,
                                            const struct end *left, const struct end *right)
{
    double *c = s->system + (size_t)j * s->line, *e = c + s->vector, *b = e + s->vector;
    const struct sw_bvp_run *run = &bvp->run[j];
    const struct units unit = units_of(s, run->h);
    struct sw_bvp_system *t = &s->tri[j];
    double least = INFINITY, largest = 0;
    for (int k = 0; k < s->unknowns; k++) {
        const int64_t i = s->first + (int64_t)k;
        const struct equation r = cell(run, s, &unit, i, left, right);
        if (!isfinite(r.e) || !(r.c >= DBL_MIN || i == s->right)) return fault(SW_BVP_RANGE, x_of(run, (double)i));
        c[(size_t)k * s->stride] = r.c;
        e[(size_t)k * s->stride] = r.e;
        b[(size_t)k * s->stride] = r.b;
        if (k < s->unknowns - 1) {
            least = r.c < least ? r.c : least;
            largest = r.c > largest ? r.c : largest;
        }
        if (k > 0 && k < s->unknowns - 1) continue;
        t->e_size[k > 0] = r.e_size;
        t->b_size[k > 0] = r.b_size;
    }
    t->n = s->unknowns;
    t->uneven = s->unknowns > 1 && is_uneven(least, largest, s->unknowns);
    return fault(SW_BVP_FINE, NAN);
}

/* A problem at fault has no unknowns. */
static enum sw_status set_up(const struct sw_bvp *bvp, struct bvp_general *s, int j)
{
    struct end left, right;
    s->tri[j].n = 0;
    SW_TRY(end_of(bvp, &bvp->desc.left, false, j, &left));
    SW_TRY(end_of(bvp, &bvp->desc.right, true, j, &right));
    coefficients(bvp, s, j);
    s->output.result[j] = check_coefficients(bvp, s, j, &left, &right);
    s->taken[j] = (struct bvp_taken){0, 0};
    if (bvp->desc.zero_mean && !s->output.result[j].fault) {
        SW_TRY(make_compatible(bvp, s, j, &left, &right, &s->output.result[j]));
        s->taken[j] = (struct bvp_taken){s->output.result[j].excess, s->output.result[j].finer};
        right = (struct end){.fixed = true, .beta = 1};
    }
    if (!s->output.result[j].fault) s->output.result[j] = assemble_system(bvp, s, j, &left, &right);
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

void bvp_general_solve_one(const struct bvp_general *s, int j, int bad, double *work)
{
    struct sw_tri_outcome *o = &s->outcome[j];
    *o = (struct sw_tri_outcome){SW_TRI_FINE, 0, 0};
    if (s->tri[j].n == 0) return;
    if (bad) *o = (struct sw_tri_outcome){SW_TRI_PIVOT, bad - 1, 0};
    else *o = sw_tri_solve_refined(&s->tri[j], s->u + (size_t)j * s->line, work);
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
static enum sw_status assemble_field(const struct sw_bvp *bvp, struct bvp_general *s, int j)
{
    const double *u = s->u + (size_t)j * s->line;
    struct end left;
    SW_TRY(end_of(bvp, &bvp->desc.left, false, j, &left));
    s->field[0] = left.u;
    for (int k = 0; k < s->unknowns; k++) s->field[s->first + (int64_t)k] = u[(size_t)k * s->stride];
    if (!bvp->desc.zero_mean) return SW_OK;
    s->field[s->right] = 0;
    subtract_mean(s->field, s->right);
    return SW_OK;
}

static enum sw_status finish(const struct sw_bvp *bvp, struct bvp_general *s, int j)
{
    const int64_t n = bvp->desc.n;
    const struct sw_bvp_run *run = &bvp->run[j];
    struct sw_norm_sums sum = {0};
    struct bvp_evaluator *v = &s->thread->values;
    bool finite = true;
    if (s->output.result[j].fault) return SW_OK;
    if (s->outcome[j].fault) {
        s->output.result[j] = failed(bvp, s, j);
        return SW_OK;
    }
    SW_TRY(assemble_field(bvp, s, j));
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
    return SW_OK;
}

enum sw_status bvp_general_solve(struct sw_bvp *bvp)
{
    struct bvp_general *s = bvp->own;
    for (int k = 0; k < s->threads; k++) s->thread[k].values.problem = -1;
    for (int j = 0; j < bvp->count; j++) SW_TRY(set_up(bvp, s, j));
    for (int j = bvp->count; j < bvp->desc.capacity; j++) s->tri[j].n = 0;
    SW_TRY(s->eliminate(bvp));
    for (int j = 0; j < bvp->count; j++) SW_TRY(finish(bvp, s, j));
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
    const size_t points = (size_t)s->right + 1;
    sw_array(own, 3 * s->vector, &s->system);
    sw_array(own, s->vector, &s->u);
    sw_array(own, room, &s->tri);
    sw_array(own, room, &s->outcome);
    sw_array(own, room, &s->taken);
    sw_array(own, points, &s->f);
    sw_array(own, points, &s->p);
    sw_array(own, points, &s->q);
    sw_array(own, points, &s->field);
    if (desc->zero_mean) sw_array(own, (points + BVP_POINTS - 1) / BVP_POINTS, &s->block);
    sw_array(own, (size_t)s->threads, &s->thread);
    for (int k = 0; k < s->threads; k++) bvp_evaluator_arrays(own, s->thread ? &s->thread[k].values : &none.values);
    bvp_output_arrays(desc, own, &s->output);
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
