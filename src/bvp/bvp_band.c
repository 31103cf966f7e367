/* Rows `cpu.thomas`, `cpu.lapack`, `cuda.thomas`: the general problem as a tridiagonal system, by a row of the band
 * table (docs/numerics.md, 7). Finite volumes: cells of width h around the points x_0 .. x_n, half ones at the ends;
 * the flux between two points is p at their middle times the difference quotient. A point where u is given is no
 * unknown. The matrix is made on the CPU, also for a device. In the plain case all its pivots are 1, and this is a1d.
 *
 * zero_mean: the matrix, of rows that sum to 0, has the constants as kernel, and its equations sum to the condition
 * that there be a solution. Where that holds, u = 0 at the right end takes the place of the last equation, which the
 * others then imply, and of the solution its mean is taken away. What is factored is as definite as with u given
 * there. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_reals.h"
#include "bvp/host_bvp.h"
#include "bvp/pair_point.h"
#include "solver/sw_band.h"

struct bands {
    int             rows;            /* of the system: the unknowns, or 3 where there are fewer */
    int             unknowns, first; /* first: the point of unknown 0                            */
    struct sw_band *band;
    size_t          vector;
    double         *A, *b;           /* [3][vector], [vector] on the host                        */
    double         *d_A, *d_b;       /* the same on the device; NULL on the CPU                  */
    double         *f, *p, *q;       /* [n+1] at the points; p [n] between them                  */
    double         *u;               /* [n]                                                      */
    struct sw_eval *eval_p, *eval_q; /* NULL: 1, 0                                               */
    int            *bad;             /* [capacity]                                               */
    struct host_values values;
    struct host_kept   kept;
};

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

static void over_points(struct bands *s, struct sw_eval *eval, double constant, double x0, double h, int64_t count,
                        double *out)
{
    if (eval) host_values_over(&s->values, eval, x0, h, count, out);
    else for (int64_t i = 0; i < count; i++) out[i] = constant;
}

static void begin_program(struct sw_eval *eval, const struct sw_bvp *bvp, int j)
{
    if (!eval) return;
    sw_eval_run(eval, bvp->param + j, bvp->count);
    sw_eval_step(eval, 0, 0);
}

/* f, q at the points x_0 .. x_n and p between them. */
static void coefficients(const struct sw_bvp *bvp, struct bands *s, int j)
{
    const struct sw_bvp_run *run = &bvp->run[j];
    const int64_t n = bvp->desc.n;
    host_values_begin(&s->values, bvp, j);
    begin_program(s->eval_p, bvp, j);
    begin_program(s->eval_q, bvp, j);
    over_points(s, s->values.f, 0, run->x0, run->h, n + 1, s->f);
    over_points(s, s->eval_q, 0, run->x0, run->h, n + 1, s->q);
    over_points(s, s->eval_p, 1, x_of(run, 0.5), run->h, n, s->p);
}

static double p_at(struct bands *s, double x)
{
    double p;
    over_points(s, s->eval_p, 1, x, 0, 1, &p);
    return p;
}

static struct sw_bvp_result fault(enum sw_bvp_fault what, double where)
{
    return (struct sw_bvp_result){.rms = NAN, .max = NAN, .rel = NAN, .fault = what, .where = where};
}

/* What is wrong with the coefficients, if anything; u that is given at a point makes f and q there of no account. */
static struct sw_bvp_result examine(const struct sw_bvp *bvp, const struct bands *s, int j, const struct end *left,
                                    const struct end *right)
{
    const struct sw_bvp_run *run = &bvp->run[j];
    const int64_t n = bvp->desc.n, last = s->first + (int64_t)s->unknowns - 1;
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

/* What the sum may be of the sum of its terms' sizes, f at its largest: 4 roundings a term (f, h, their product, the
 * weight; p, u' and their product), as many again for x, and eight times that for expressions that lose digits on their
 * own. A defect of this size moves u by what rounding in the elimination does. The sum itself is one of pairs. */
static const double compatible_to = 64 * 0x1p-53;

/* Whether the equations of zero_mean have a solution: with the weights of the cells, sum h f + (p u') at the right end
 * - (p u') at the left one = 0. */
static struct sw_bvp_result examine_gauge(const struct sw_bvp *bvp, struct bands *s, int j, const struct end *left,
                                          const struct end *right)
{
    const struct sw_bvp_run *run = &bvp->run[j];
    const int64_t n = bvp->desc.n;
    const double west = p_at(s, run->x0) * left->value, east = p_at(s, x_of(run, (double)n)) * right->value;
    struct sw_bvp_result result = fault(SW_BVP_INCOMPATIBLE, NAN);
    struct sw_pair sum = sw_pair_plus((struct sw_pair){east, 0}, -west);
    double largest = 0;
    if (!isfinite(s->f[n])) return fault(SW_BVP_F_NOT_FINITE, x_of(run, (double)n));
    if (!isfinite(west) || !isfinite(east))
        return fault(SW_BVP_P_NOT_POSITIVE, isfinite(west) ? x_of(run, (double)n) : run->x0);
    for (int64_t i = 0; i <= n; i++) {
        if (s->q[i] != 0) return fault(SW_BVP_DETERMINED, x_of(run, (double)i));
        sum = sw_pair_plus(sum, (i == 0 || i == n ? 0.5 : 1) * (run->h * s->f[i]));
        largest = fmax(largest, fabs(s->f[i]));
    }
    const double length = run->h * (double)n;
    result.defect = sw_pair_value(sum);
    result.excess = result.defect / length;
    bool compatible = fabs(result.defect) <= compatible_to * (length * largest + fabs(west) + fabs(east));
    return compatible ? fault(SW_BVP_FINE, NAN) : result;
}

/* Where entry i of system j lies. */
static size_t at(const struct sw_band *band, int i, int j)
{
    size_t ld = (size_t)sw_band_shape(band)->ld;
    return sw_band_layout(band) == SW_LINES ? (size_t)j * ld + (size_t)i : (size_t)i * ld + (size_t)j;
}

static void put_row(const struct bands *s, int j, int k, const double entry[3], double rhs)
{
    size_t place = at(s->band, k, j);
    for (int d = 0; d < 3; d++) s->A[(size_t)d * s->vector + place] = entry[d];
    s->b[place] = rhs;
}

/* 1 on the diagonal, for what is no unknown. */
static void put_nothing(const struct bands *s, int j, int from)
{
    for (int k = from; k < s->rows; k++) put_row(s, j, k, (double[]){0, 1, 0}, 0);
}

/* The balance of the cell around point i, times h. */
static void put_cell(const struct sw_bvp *bvp, struct bands *s, int j, int64_t i, const struct end *left,
                     const struct end *right)
{
    const struct sw_bvp_run *run = &bvp->run[j];
    const int64_t n = bvp->desc.n;
    double h = run->h, west = i > 0 ? s->p[i - 1] : 0, east = i < n ? s->p[i] : 0;
    double width = i == 0 || i == n ? 0.5 : 1;
    double diagonal = west + east + width * (h * h * s->q[i]), rhs = width * (h * h * s->f[i]);
    if (i == 0 || i == n) {  /* u' there is (value - alpha u)/beta */
        const struct end *e = i ? right : left;
        double flux = (i ? h : -h) * p_at(s, x_of(run, (double)i)) / e->beta;
        diagonal += flux * e->alpha;
        rhs += flux * e->value;
    }
    if (i == 1 && left->fixed) { rhs += west * left->u; west = 0; }
    if (i == n - 1 && right->fixed) { rhs += east * right->u; east = 0; }
    put_row(s, j, (int)(i - s->first), (double[]){-west, diagonal, -east}, rhs);
}

static enum sw_status set_up(const struct sw_bvp *bvp, struct bands *s, int j)
{
    struct end left, right;
    SW_TRY(end_of(bvp, &bvp->desc.left, false, j, &left));
    SW_TRY(end_of(bvp, &bvp->desc.right, true, j, &right));
    coefficients(bvp, s, j);
    s->kept.result[j] = examine(bvp, s, j, &left, &right);
    if (bvp->desc.zero_mean && !s->kept.result[j].fault) {
        s->kept.result[j] = examine_gauge(bvp, s, j, &left, &right);
        right = (struct end){.fixed = true, .beta = 1};
    }
    if (s->kept.result[j].fault) {
        put_nothing(s, j, 0);
        return SW_OK;
    }
    for (int k = 0; k < s->unknowns; k++) put_cell(bvp, s, j, s->first + (int64_t)k, &left, &right);
    put_nothing(s, j, s->unknowns);
    return SW_OK;
}

/* ------------------------------------------------------------------ all of them */

static enum sw_status factor_and_solve(const struct sw_bvp *bvp, struct bands *s)
{
    double *A = s->A, *b = s->b;
    if (s->d_A) {
        SW_TRY(sw_device_upload(bvp->device, A = s->d_A, s->A, 3 * s->vector * sizeof *A));
        SW_TRY(sw_device_upload(bvp->device, b = s->d_b, s->b, s->vector * sizeof *b));
    }
    enum sw_status st = sw_band_factor(s->band, A, s->bad);
    if (st && st != SW_E_SINGULAR) return st;
    SW_TRY(sw_band_solve(s->band, b));
    return s->d_A ? sw_device_download(bvp->device, s->b, s->d_b, s->vector * sizeof *b) : SW_OK;
}

/* Of the points x_0 .. x_n, half cells at the ends; u is 0 at x_n. */
static void take_mean_away(double *u, int64_t n)
{
    struct sw_pair sum = {0.5 * u[0], 0};
    for (int64_t i = 1; i < n; i++) sum = sw_pair_plus(sum, u[i]);
    const double mean = sw_pair_value(sum) / (double)n;
    for (int64_t i = 0; i < n; i++) u[i] -= mean;
}

static enum sw_status finish(const struct sw_bvp *bvp, struct bands *s, int j)
{
    const int64_t n = bvp->desc.n;
    const struct sw_bvp_run *run = &bvp->run[j];
    struct host_norms sum = {0};
    struct host_values *v = &s->values;
    bool finite = true;
    struct end left;
    if (s->kept.result[j].fault) return SW_OK;
    if (s->bad[j]) {
        s->kept.result[j] = fault(SW_BVP_SINGULAR, x_of(run, (double)(s->first + s->bad[j] - 1)));
        return SW_OK;
    }
    SW_TRY(end_of(bvp, &bvp->desc.left, false, j, &left));
    s->u[0] = left.u;
    for (int64_t i = s->first; i < n; i++) s->u[i] = s->b[at(s->band, (int)(i - s->first), j)];
    if (bvp->desc.zero_mean) take_mean_away(s->u, n);
    for (int64_t i = 0; i < n; i++) finite &= isfinite(s->u[i]) != 0;
    if (s->kept.field) sw_reals_put(s->kept.field, s->kept.word, j * n, s->u, n);
    host_values_begin(v, bvp, j);
    for (int64_t i = 0, count; i < n; i += count) {
        count = n - i < HOST_POINTS ? n - i : HOST_POINTS;
        for (int64_t k = 0; k < count; k++) v->x[k] = x_of(run, (double)(i + k));
        host_norms_points(&sum, v, s->u + i, (int)count);
    }
    host_norms_result(&sum, bvp, j, INFINITY, finite ? 0 : NAN, &s->kept.result[j]);
    return SW_OK;
}

static enum sw_status solve(struct sw_bvp *bvp)
{
    struct bands *s = bvp->own;
    s->values.problem = -1;
    for (int j = 0; j < bvp->count; j++) SW_TRY(set_up(bvp, s, j));
    for (int j = bvp->count; j < bvp->desc.capacity; j++) put_nothing(s, j, 0);
    SW_TRY(factor_and_solve(bvp, s));
    for (int j = 0; j < bvp->count; j++) SW_TRY(finish(bvp, s, j));
    host_kept_spoil(&s->kept, bvp);
    return SW_OK;
}

static enum sw_status fetch(struct sw_bvp *bvp, const void **field, const struct sw_bvp_result **result)
{
    struct bands *s = bvp->own;
    *field = s->kept.field;
    *result = s->kept.result;
    return SW_OK;
}

/* ------------------------------------------------------------------ the rows */

static bool fits(const struct sw_bvp_desc *desc) { return desc->n < INT_MAX / 4; }

static void shape(const struct sw_bvp_desc *desc, struct bands *s)
{
    s->first = fixed_end(&desc->left, false);
    s->unknowns = (int)desc->n + 1 - s->first - (desc->zero_mean || fixed_end(&desc->right, true));
    s->rows = s->unknowns < 3 ? 3 : s->unknowns;
}

static void destroy(struct sw_bvp *bvp)
{
    struct bands *s = bvp->own;
    if (!s) return;
    sw_band_destroy(&s->band);
    sw_device_free(bvp->device, s->d_A);
    sw_device_free(bvp->device, s->d_b);
    sw_eval_destroy(&s->eval_p);
    sw_eval_destroy(&s->eval_q);
    host_values_destroy(&s->values);
    host_kept_destroy(&s->kept);
    sw_free(s->A);
    sw_free(s->b);
    sw_free(s->f);
    sw_free(s->p);
    sw_free(s->q);
    sw_free(s->u);
    sw_free(s->bad);
    sw_free(s);
}

static enum sw_status create_arrays(struct sw_bvp *bvp, struct bands *s)
{
    const size_t points = (size_t)bvp->desc.n + 1;
    SW_TRY(sw_alloc(3 * s->vector, &s->A));
    SW_TRY(sw_alloc(s->vector, &s->b));
    SW_TRY(sw_alloc(points, &s->f));
    SW_TRY(sw_alloc(points, &s->p));
    SW_TRY(sw_alloc(points, &s->q));
    SW_TRY(sw_alloc(points, &s->u));
    SW_TRY(sw_alloc((size_t)bvp->desc.capacity, &s->bad));
    if (bvp->device->space == SW_HOST) return SW_OK;
    SW_TRY(sw_device_alloc(bvp->device, 3 * s->vector, &s->d_A));
    return sw_device_alloc(bvp->device, s->vector, &s->d_b);
}

static enum sw_status create(struct sw_bvp *bvp)
{
    const struct sw_bvp_desc *desc = &bvp->desc;
    struct bands *s = NULL;
    SW_TRY(sw_alloc(1, &s));
    bvp->own = s;
    shape(desc, s);
    const struct sw_band_desc band = {.n = s->rows, .batch = desc->capacity, .lower = 1, .upper = 1};
    SW_TRY(sw_band_create(&band, bvp->ops->name, bvp->device, &s->band));
    s->vector = sw_band_vector(s->band);
    SW_TRY(create_arrays(bvp, s));
    if (desc->p) SW_TRY(sw_eval_create(desc->p, HOST_POINTS, &s->eval_p));
    if (desc->q) SW_TRY(sw_eval_create(desc->q, HOST_POINTS, &s->eval_q));
    SW_TRY(host_values_create(desc, true, &s->values));
    return host_kept_create(desc, &s->kept);
}

static void bytes(const struct sw_bvp_ops *row, const struct sw_bvp_desc *desc, size_t *fixed, size_t *per_run)
{
    const size_t system = sizeof(double) * ((size_t)desc->n + 3);
    *fixed = 4 * system;
    *per_run = (4 + (size_t)sw_band_vectors(row->name)) * system + host_kept_bytes(desc);
}

static struct sw_cost cost(const struct sw_bvp *bvp)
{
    const struct bands *s = bvp->own;
    return sw_band_cost(sw_band_shape(s->band), bvp->ops->name);
}

#define BAND_ROW(row, n, text, where)                                                              \
    extern const struct sw_bvp_ops row;                                                            \
    const struct sw_bvp_ops row = {                                                                \
        .name = (n), .about = (text), .space = (where), .fits = fits, .bytes = bytes,              \
        .create = create, .solve = solve, .fetch = fetch, .destroy = destroy, .cost = cost, .word = 8}

BAND_ROW(bvp_thomas_cpu, "cpu.thomas", "the general problem as a tridiagonal matrix, by the band solver of this name",
         SW_HOST);
BAND_ROW(bvp_lapack_cpu, "cpu.lapack", "the same by LAPACK's general band solver", SW_HOST);
#ifdef SW_HAVE_CUDA
BAND_ROW(bvp_thomas_cuda, "cuda.thomas", "one thread a system on a GPU; the matrix is made on the CPU", SW_DEVICE);
#endif
