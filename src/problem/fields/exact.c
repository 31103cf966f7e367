#include "problem/fields/exact.h"

#include <math.h>
#include <string.h>

#include "problem/fields/fields_sim_impl.h"
#include "problem/fields/fourier.h"

enum { FAR = 2 * FIELDS_REACH + 1 };  /* offsets along an axis */

struct unknown {
    struct sw_eval *eval;        /* of fields_row.linear.all; NULL: there is nothing constant */
    double         *symbol[2];   /* [waves] S, real and imaginary parts                       */
    double         *inverse[2];  /* [waves] of P, over the number of points                   */
    double          largest;     /* |S|                                                       */
    bool            odd;         /* S has an imaginary part                                   */
};

struct exact {
    const struct fields_terms *terms;
    int64_t        n[SW_DIMS];
    struct unknown unknown[SW_UNKNOWNS_MOST];
    struct fields_fourier *fourier;
    const double **in;           /* [terms->inputs] of the program                             */
    double        *one;          /* [neighbours][neighbours]: neighbour q is 1 at point q      */
    double        *weight;       /* [neighbours]                                               */
    double        *phase[SW_DIMS][2];  /* [n][FAR] cos and sin of 2 pi k offset/n              */
    double        *square[SW_DIMS];    /* [n] w                                                */
};

static size_t count_of(const struct fields_terms *t) { return (size_t)t->neighbours; }

static bool is_odd(const struct fields_terms *t, int v) { return t->row[v].linear.odd; }

/* ------------------------------------------------------------------ life */

/* All unknowns' symbols. */
static size_t symbol_numbers(const struct fields_desc *d)
{
    size_t numbers = 0;
    for (int v = 0; v < d->terms->unknowns; v++) numbers += (is_odd(d->terms, v) ? 2 : 1) * fields_fourier_waves(d->n);
    return numbers;
}

static size_t symbols_bytes(const struct fields_desc *d)
{
    const struct fields_terms *t = d->terms;
    size_t numbers = count_of(t) * (count_of(t) + 2) + FIELDS_INPUTS + symbol_numbers(d);
    for (int a = 0; a < SW_DIMS; a++) numbers += (2 * FAR + 1) * (size_t)d->n[a];
    return numbers * sizeof(double) + sizeof(struct exact);
}

static size_t bytes(const struct fields_desc *d)
{
    return symbols_bytes(d) + symbol_numbers(d) * sizeof(double) + fields_fourier_bytes(d->n);
}

/* Angles are reduced in integers. */
static void set_axis(struct exact *e, int a)
{
    const int64_t n = e->n[a];
    for (int64_t k = 0; k < n; k++)
        for (int j = 0; j < FAR; j++) {
            const int64_t turn = ((k * (j - FIELDS_REACH)) % n + n) % n;
            const double angle = 6.283185307179586476925286766559 * (double)turn / (double)n;
            e->phase[a][0][k * FAR + j] = cos(angle);
            e->phase[a][1][k * FAR + j] = sin(angle);
        }
}

static enum sw_status create_unknown(struct exact *e, int v, struct sw_owned *arrays)
{
    struct unknown *u = &e->unknown[v];
    u->odd = is_odd(e->terms, v);
    for (int part = 0; part < (u->odd ? 2 : 1); part++)
        sw_array(arrays, fields_fourier_waves(e->n), &u->symbol[part]);
    SW_TRY(arrays->status);
    const struct sw_program *all = e->terms->row[v].linear.all;
    return all ? sw_eval_create(all, e->terms->neighbours, &u->eval) : SW_OK;
}

static enum sw_status create_symbols(const struct fields_desc *d, struct sw_owned *arrays, void **solver)
{
    struct exact *e;
    const size_t count = count_of(d->terms);
    sw_array(arrays, 1, &e);
    *solver = e;
    SW_TRY(arrays->status);
    e->terms = d->terms;
    memcpy(e->n, d->n, sizeof e->n);
    sw_array(arrays, (size_t)d->terms->inputs, &e->in);
    sw_array(arrays, count * count, &e->one);
    sw_array(arrays, count, &e->weight);
    for (int a = 0; a < SW_DIMS; a++) {
        sw_array(arrays, (size_t)d->n[a] * FAR, &e->phase[a][0]);
        sw_array(arrays, (size_t)d->n[a] * FAR, &e->phase[a][1]);
        sw_array(arrays, (size_t)d->n[a], &e->square[a]);
    }
    SW_TRY(arrays->status);
    for (int a = 0; a < SW_DIMS; a++) set_axis(e, a);
    for (size_t q = 0; q < count; q++) {
        e->one[q * count + q] = 1.0;
        e->in[(size_t)FIELDS_INPUTS + q] = e->one + q * count;
    }
    for (int v = 0; v < d->terms->unknowns; v++) SW_TRY(create_unknown(e, v, arrays));
    return SW_OK;
}

static enum sw_status create(const struct fields_desc *d, struct sw_owned *arrays, void **solver)
{
    SW_TRY(create_symbols(d, arrays, solver));
    struct exact *e = *solver;
    for (int k = 0; k < 2 * d->terms->unknowns; k++)
        if (e->unknown[k / 2].symbol[k % 2])
            sw_array(arrays, fields_fourier_waves(d->n), &e->unknown[k / 2].inverse[k % 2]);
    SW_TRY(arrays->status);
    return fields_fourier_create(d->n, arrays, &e->fourier);
}

static void destroy(void *solver)
{
    struct exact *e = solver;
    if (!e) return;
    for (int v = 0; v < SW_UNKNOWNS_MOST; v++) sw_eval_destroy(&e->unknown[v].eval);
    fields_fourier_destroy(e->fourier);
}

/* ------------------------------------------------------------------ the symbol */

/* What weights are along x and y in a wave along z, then what they are along x in one along y too. */
struct planes { double re[FAR][FAR], im[FAR][FAR]; };
struct rows { double re[FAR], im[FAR]; };

static void add_turned(double x, double y, const struct exact *e, int axis, int64_t k, int offset, double *re,
                       double *im)
{
    const double c = e->phase[axis][0][k * FAR + offset], s = e->phase[axis][1][k * FAR + offset];
    *re += x * c - y * s;
    *im += x * s + y * c;
}

static struct planes sum_along_z(const struct exact *e, int v, int64_t kz)
{
    struct planes p = {0};
    for (int q = 0; q < e->terms->neighbours; q++) {
        const struct fields_neighbour *at = &e->terms->neighbour[q];
        const int x = at->offset[0] + FIELDS_REACH, y = at->offset[1] + FIELDS_REACH, z = at->offset[2] + FIELDS_REACH;
        if (at->unknown == v) add_turned(e->weight[q], 0.0, e, 2, kz, z, &p.re[y][x], &p.im[y][x]);
    }
    return p;
}

static struct rows sum_along_y(const struct exact *e, const struct planes *p, int64_t ky)
{
    struct rows r = {0};
    for (int y = 0; y < FAR; y++)
        for (int x = 0; x < FAR; x++) add_turned(p->re[y][x], p->im[y][x], e, 1, ky, y, &r.re[x], &r.im[x]);
    return r;
}

static void set_symbol(struct exact *e, int v)
{
    struct unknown *u = &e->unknown[v];
    const int64_t half = e->n[0] / 2 + 1;
    size_t wave = 0;
    u->largest = 0.0;
    for (int64_t kz = 0; kz < e->n[2]; kz++) {
        const struct planes p = sum_along_z(e, v, kz);
        for (int64_t ky = 0; ky < e->n[1]; ky++) {
            const struct rows r = sum_along_y(e, &p, ky);
            for (int64_t kx = 0; kx < half; kx++, wave++) {
                double re = 0.0, im = 0.0;
                for (int x = 0; x < FAR; x++) add_turned(r.re[x], r.im[x], e, 0, kx, x, &re, &im);
                u->symbol[0][wave] = re;
                if (u->odd) u->symbol[1][wave] = im;
                u->largest = sw_own_steps_worse(u->largest, fabs(re) + fabs(im));
            }
        }
    }
}

/* The weights of all neighbours: a linear text where one of them is 1. */
static void find_weights(struct exact *e, int v, const double *param, int64_t stride)
{
    struct sw_eval *eval = e->unknown[v].eval;
    const int count = e->terms->neighbours;
    memset(e->weight, 0, count_of(e->terms) * sizeof *e->weight);
    if (!eval) return;
    sw_eval_run(eval, param, stride);
    sw_eval_cells(eval, count, e->in);
    sw_eval_step(eval, 0.0, 0);
    sw_eval_points(eval, count, e->in, e->weight);
}

static void begin(void *solver, const double dx[FIELDS_AXES], const double *param, int64_t stride)
{
    struct exact *e = solver;
    for (int a = 0; a < e->terms->dimensions; a++)
        for (int64_t k = 0; k < e->n[a]; k++)
            e->square[a][k] = 2.0 * (1.0 - e->phase[a][0][k * FAR + FIELDS_REACH + 1]) / (dx[a] * dx[a]);
    for (int v = 0; v < e->terms->unknowns; v++) {
        find_weights(e, v, param, stride);
        set_symbol(e, v);
    }
}

/* ------------------------------------------------------------------ solves */

static bool factor(void *solver, int v, double gamma_dt, const struct fields_matrix *m)
{
    struct exact *e = solver;
    struct unknown *u = &e->unknown[v];
    const int64_t half = e->n[0] / 2 + 1;
    const double over = 1.0 / (double)sw_points(e->n);
    double root[FIELDS_AXES], sum = u->largest;
    size_t wave = 0;
    for (int a = 0; a < FIELDS_AXES; a++) root[a] = sqrt(m->m4[a]), sum += m->m2[a] + m->m4[a];
    if (!isfinite(sum)) return false;
    for (int64_t kz = 0; kz < e->n[2]; kz++)
        for (int64_t ky = 0; ky < e->n[1]; ky++) {
            const double second = m->m2[1] * e->square[1][ky] + m->m2[2] * e->square[2][kz],
                         fourth = root[1] * e->square[1][ky] + root[2] * e->square[2][kz];
            for (int64_t kx = 0; kx < half; kx++, wave++) {
                const double four = fourth + root[0] * e->square[0][kx],
                             damping = u->symbol[0][wave] - (second + m->m2[0] * e->square[0][kx]) - four * four,
                             re = 1.0 - gamma_dt * fmin(damping, 0.0);
                if (u->odd) {
                    const double im = -gamma_dt * u->symbol[1][wave], size = over / (re * re + im * im);
                    u->inverse[0][wave] = re * size;
                    u->inverse[1][wave] = -im * size;
                } else {
                    u->inverse[0][wave] = over / re;
                }
            }
        }
    return true;
}

static void solve(void *solver, int v, double *x)
{
    const struct exact *e = solver;
    fields_fourier_multiply(e->fourier, e->unknown[v].inverse[0], e->unknown[v].inverse[1], x);
}

/* What recursions along lines have of u_jjjj, whose roots are as large (sw_line_rounding()): differences in F, not
 * solves, round so. */
static double rounding(const void *solver, double gamma_dt, const struct fields_matrix *m)
{
    const struct exact *e = solver;
    double largest = 0.0;
    (void)m;
    for (int v = 0; v < e->terms->unknowns; v++) largest = sw_own_steps_worse(largest, e->unknown[v].largest);
    return 10.0 * 0x1p-53 * (1.0 + sqrt(gamma_dt * largest));
}

const double *fields_symbol(const void *solver, int v, int part)
{
    return ((const struct exact *)solver)->unknown[v].symbol[part];
}

const struct fields_solves fields_exact = {
    .exact = true, .bytes = bytes, .create = create, .destroy = destroy, .begin = begin, .factor = factor,
    .solve = solve, .rounding = rounding};
const struct fields_solves fields_symbols = {
    .exact = true, .bytes = symbols_bytes, .create = create_symbols, .destroy = destroy, .begin = begin,
    .rounding = rounding};
