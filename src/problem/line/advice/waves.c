/* About a point of a field each unknown is U_v + a small wave c_v exp(i theta k), k counting points. With the
 * derivatives of G and N by the unknowns and their neighbours there, for which numbers are taken,
 *
 *     c_t = (L + E) c,    L_v = q_v/(gamma dt) the symbol of the implicit part,
 *                         E_vw = sum over k of dN_v/du_w(i + k) exp(i theta k) - dG_v/du_v (2 - 2 cos theta)/dx²,
 *
 * a matrix of one to four rows (of fourth order L and the last term are over the symbol of P, fourth_order.h). A step
 * of a method multiplies c by a matrix M, by its stages (struct sw_imex_stages; Crank-Nicolson is one of them):
 *
 *     U_i = (1 - q)^-1 (sum_j (of_state_ij + of_value_ij dt E) U_j + of_first_i q) - left U_0,     U_0 = 1,
 *
 * the equation by exp(dt (L + E)). Of both the spectral radius is compared, by its logarithm: |A^(2^k)|^(2^-k). A wave
 * moves on, and grows only while it is where it does: what is told is what would be if all points were like this one.
 * Derivatives by central differences over 1e-4 of the largest |u| are right to some 1e-8.
 *
 * About a constant u of one unknown all of this is real, and of a built-in kind its limit follows: the largest |u|
 * about which a step lets no wave grow that the equation does not. */
#include "problem/line/advice/line_advice.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "problem/line/kinds/equation_coefficients.h"
#include "problem/line/stepper/fourth_order.h"
#include "problem/line/stepper/imex.h"
#include "problem/line/kinds/line_problem.h"

enum {
    PLACES = 16,          /* points of the line that are looked at                                      */
    WAVES = 16,           /* theta = pi/WAVES, 2 pi/WAVES ... pi                                 */
    KEPT = 2,             /* theta of the wave that should be kept: 16 points                           */
    SQUARES = 20          /* the norm of a power is off by a factor: by log(factor)/2^20 in the logarithm */
};

/* A wave that should not grow is reported if it would by more than that in the whole run. */
static const double reported_growth = 1e4;

typedef double complex square[SW_UNKNOWNS_MOST][SW_UNKNOWNS_MOST];

/* A run at some points of its line. */
struct frozen {
    struct sw_imex_stages method;
    double  weight;       /* gamma of the method */
    int     unknowns, places;
    double  dt, dx, end;
    double  x[PLACES];
    struct sw_line_operator a[SW_UNKNOWNS_MOST];
    struct sw_line_mass mass[SW_UNKNOWNS_MOST];
    double  g[SW_UNKNOWNS_MOST][PLACES];                                          /* dG_v/du_v              */
    double  n[SW_UNKNOWNS_MOST][SW_UNKNOWNS_MOST][SW_NEIGHBOURS][PLACES];         /* dN_v/du_w(i + k)       */
};

/* ------------------------------------------------------------------ matrices of few rows */

static void multiply(int m, square a, square b, square out)
{
    square c = {{0}};
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m; k++) {
            for (int l = 0; l < m; l++) c[i][k] += a[i][l] * b[l][k];
        }
    memcpy(out, c, sizeof c);
}

static double largest_entry(int m, square a)
{
    double most = 0;
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m; k++) most = fmax(most, cabs(a[i][k]));
    return most;
}

/* The logarithm of the spectral radius of a^(2^scaled), whose size may be beyond all numbers. a is overwritten. */
static double log_radius(int m, square a, int scaled)
{
    double log_size = 0;
    if (m == 1) return ldexp(log(cabs(a[0][0])), scaled);
    for (int k = 0; k < scaled + SQUARES; k++) {
        const double size = largest_entry(m, a);
        if (!(size > 0) || !isfinite(size)) return size > 0 ? INFINITY : -INFINITY;
        for (int i = 0; i < m; i++)
            for (int l = 0; l < m; l++) a[i][l] /= size;
        multiply(m, a, a, a);
        log_size = 2 * (log_size + log(size));
    }
    return (log_size + log(largest_entry(m, a))) / ldexp(1, SQUARES);
}

/* The logarithm of the spectral radius of exp(a): the largest real part of its eigenvalues. */
static double log_radius_of_exp(int m, square a)
{
    square sum = {{0}}, term = {{0}};
    const double size = m * largest_entry(m, a);
    const int scaled = size > 0.5 ? (int)ceil(log2(size)) + 1 : 0;
    if (m == 1) return creal(a[0][0]);
    if (!isfinite(size)) return NAN;
    for (int i = 0; i < m; i++) {
        sum[i][i] = term[i][i] = 1;
        for (int k = 0; k < m; k++) a[i][k] = ldexp(1, -scaled) * a[i][k];
    }
    for (int n = 1; n <= 14; n++) {  /* 0.5^14/14! is below rounding */
        multiply(m, term, a, term);
        for (int i = 0; i < m; i++)
            for (int k = 0; k < m; k++) term[i][k] /= n, sum[i][k] += term[i][k];
    }
    return log_radius(m, sum, scaled);
}

/* ------------------------------------------------------------------ symbols */

/* P, of w = 2 - 2 cos theta */
static double mass_symbol(const struct sw_line_mass *p, double w) { return 1 - p->d2 * w + p->d4 * w * w; }

/* gamma dt L */
static double complex implicit_symbol(const struct frozen *f, int unknown, double theta)
{
    const struct sw_line_operator *a = &f->a[unknown];
    const double w = 2 - 2 * cos(theta);
    const double complex symbol = -(a->s0 + a->s2 * w + a->s4 * w * w) + I * sin(theta) * (a->s3 * w - a->s1);
    return symbol / mass_symbol(&f->mass[unknown], w);
}

/* dt E */
static void explicit_symbol(const struct frozen *f, int place, double theta, square e)
{
    const double w = 2 - 2 * cos(theta);
    for (int v = 0; v < f->unknowns; v++) {
        const struct sw_line_mass *p = &f->mass[v];
        const double d2 = (-w + sw_line_mass_of_g(p) * w * w) / (mass_symbol(p, w) * f->dx * f->dx);
        for (int u = 0; u < f->unknowns; u++) {
            e[v][u] = v == u ? f->g[v][place] * d2 : 0;
            for (int k = -SW_REACH; k <= SW_REACH; k++)
                e[v][u] += f->n[v][u][SW_REACH + k][place] * cexp(I * theta * k);
            e[v][u] *= f->dt;
        }
    }
}

/* By how much the equation lets a wave grow in a time dt, and a step: logarithms. */
struct growth { double equation, step; };

/* What a stage, or the result, is the sum of: of so many stages before. */
static void combine(const struct frozen *f, const double complex *q, const struct sw_imex_weights *w, int before,
                    square u[SW_IMEX_STAGES], square eu[SW_IMEX_STAGES], square sum)
{
    memset(sum, 0, sizeof(square));
    for (int v = 0; v < f->unknowns; v++) {
        sum[v][v] = w->of_first * q[v];
        for (int k = 0; k < f->unknowns; k++)
            for (int j = 0; j < before; j++) sum[v][k] += w->of_state[j] * u[j][v][k] + w->of_value[j] * eu[j][v][k];
    }
}

static struct growth growth_of(const struct frozen *f, int place, double theta)
{
    const struct sw_imex_stages *m = &f->method;
    const int unknowns = f->unknowns;
    double complex q[SW_UNKNOWNS_MOST];
    square e = {{0}}, both, u[SW_IMEX_STAGES] = {{{0}}}, eu[SW_IMEX_STAGES], result;
    explicit_symbol(f, place, theta, e);
    memcpy(both, e, sizeof both);
    memcpy(eu[0], e, sizeof e);
    for (int v = 0; v < unknowns; v++) {
        q[v] = implicit_symbol(f, v, theta);
        both[v][v] += q[v] / f->weight;
        u[0][v][v] = 1;
    }
    for (int i = 1; i < m->count; i++) {
        combine(f, q, &m->stage[i], i, u, eu, u[i]);
        for (int v = 0; v < unknowns; v++)
            for (int k = 0; k < unknowns; k++) u[i][v][k] = u[i][v][k] / (1 - q[v]) - m->left * u[0][v][k];
        multiply(unknowns, e, u[i], eu[i]);
    }
    if (m->last) memcpy(result, u[m->count - 1], sizeof result);
    else combine(f, q, &m->result, m->count, u, eu, result);
    return (struct growth){.equation = log_radius_of_exp(unknowns, both), .step = log_radius(unknowns, result, 0)};
}

/* ------------------------------------------------------------------ about a constant u: the limit of a kind */

/* What waves are after each stage, and last the step, side by side: q = gamma dt L, e = dt E. */
static void waves_after(const struct sw_imex_stages *m, const double *q, const double *e, double u[][SW_LINE_WAVES + 1])
{
    for (int i = 0; i <= m->count; i++) {
        const struct sw_imex_weights *w = i < m->count ? &m->stage[i] : &m->result;
        for (int k = 0; k <= SW_LINE_WAVES; k++) u[i][k] = i ? w->of_first * q[k] : 1;
        for (int j = 0; j < i; j++)
            for (int k = 0; k <= SW_LINE_WAVES; k++) u[i][k] += (w->of_state[j] + w->of_value[j] * e[k]) * u[j][k];
        for (int k = 0; i && i < m->count && k <= SW_LINE_WAVES; k++) u[i][k] = u[i][k] / (1 - q[k]) - m->left;
    }
}

/* The mean, and waves of s = 2 - 2 cos theta up to 4, evenly in its logarithm. @param least  the first s but 0 */
static double wave_of_limit(double least, int k)
{
    return k ? 4 * pow(least / 4, (double)(SW_LINE_WAVES - k) / (SW_LINE_WAVES - 1)) : 0;
}

/* @param circle  points of the circle, whose longest wave has s = (2 pi/circle)²: of very fine lines the wave that a
 *                step lets grow first may be as long as many thousand points */
static void tabulate_waves(int64_t circle, const struct sw_line_operator *a, const struct sw_line_mass *p,
                           struct sw_line_limit *l)
{
    const double theta = 2 * 3.14159265358979323846 / (double)circle, least = fmin(4e-8, theta * theta);
    for (int k = 0; k <= SW_LINE_WAVES; k++) {
        const double w = wave_of_limit(least, k), over = mass_symbol(p, w);
        l->q[k] = -(a->s0 + a->s2 * w + a->s4 * w * w) / (over * l->dt);
        l->d2[k] = (-w + sw_line_mass_of_g(p) * w * w) / (over * l->dx * l->dx);
    }
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
    return f ? (sw_line_value(f, u + h) - sw_line_value(f, u - h)) / (2 * h) : 0;
}

/* Waves may grow where they do by the equation, up to twice as fast. */
static bool stable_at(const struct sw_line_limit *l, double dt, double u)
{
    const double source = derivative_at(l->source, u), slope = derivative_at(l->g, u);
    double q[SW_LINE_WAVES + 1], e[SW_LINE_WAVES + 1], after[SW_IMEX_STAGES + 1][SW_LINE_WAVES + 1];
    const double *const factor = after[l->method.count - l->method.last];
    for (int k = 0; k <= SW_LINE_WAVES; k++) q[k] = dt * l->q[k], e[k] = dt * (source + slope * l->d2[k]);
    waves_after(&l->method, q, e, after);
    for (int k = 0; k <= SW_LINE_WAVES; k++)
        if (!(fabs(factor[k]) <= 1) && !(log(fabs(factor[k])) <= 2 * (e[k] + q[k] / l->weight) + 1e-12)) return false;
    return true;
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

/* Rounded down to two digits; 0 where there is none. */
static double round_down(double dt)
{
    const double unit = dt > 0 ? pow(10, floor(log10(dt)) - 1) : 0;
    return unit > 0 ? floor(dt / unit) * unit : 0;
}

double sw_line_stable_step(const struct sw_line_limit *l, double u)
{
    double low = 0, high = l->dt;
    for (int k = 0; k < 1000 && !(low > 0.999 * high); k++) {
        const double middle = low > 0 ? 0.5 * (low + high) : 0.5 * high;
        if (stable(l, middle, u) && sw_line_stable_to(l, middle) >= u) low = middle;  /* no u between is unstable */
        else high = middle;
    }
    return round_down(low);
}

static enum sw_status function_of(const struct sw_program *program, int64_t ld, const double *column, int64_t j,
                                  struct sw_eval **eval)
{
    if (!program) return SW_OK;
    SW_TRY(sw_eval_create(program, 1, eval));
    sw_eval_run(*eval, column + j, ld);
    return SW_OK;
}

enum sw_status sw_line_limit_of(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                struct sw_line_limit *l)
{
    const struct equation_model *m = equation_model_of(setup);
    const struct sw_setup one = sw_line_setup_of_run(setup, ld, column, j);
    const struct sw_grid grid = sw_setup_grid(&one, ld, column, j);
    const enum sw_scheme scheme = sw_line_scheme(setup);
    struct equation_values a;
    *l = (struct sw_line_limit){.weight = sw_scheme_weight(scheme), .dt = grid.dt, .dx = grid.dx[0], .u = INFINITY};
    sw_imex_stages_of(scheme, &l->method);
    if (!m) return SW_OK;
    SW_TRY(equation_values_of(m, setup, 1, ld, column, j, &a));
    l->a4 = -a.value[0][4][0];
    l->a2 = a.value[0][2][0];
    if ((!m->g[0] && !m->n[0]) || sw_setup_own_steps(setup)) return SW_OK;
    const struct sw_line_run run = equation_run_of(m, &one, ld, column, j, &a, 0, NULL);
    const struct sw_line_mass mass = equation_mass(m, sw_line_is_fourth(setup), 0);
    tabulate_waves(sw_line_circle(&one), &run.a[0], &mass, l);
    SW_TRY(function_of(m->g[0], ld, column, j, &l->g));
    SW_TRY(function_of(m->n[0], ld, column, j, &l->source));
    l->u = sw_line_stable_to(l, l->dt);
    return SW_OK;
}

void sw_line_limit_free(struct sw_line_limit *l)
{
    sw_eval_destroy(&l->g);
    sw_eval_destroy(&l->source);
}

/* ------------------------------------------------------------------ a run */

/* The points looked at with their neighbours: u(i + k) of unknown v at the slot of that neighbour. */
struct points { double at[SW_INPUTS][PLACES]; double change[SW_UNKNOWNS_MOST]; };

/* The value so many halves of dx from a point, between points by a cubic. @param u  [n] */
static double value_between(const double *u, int64_t n, int64_t i, int halves)
{
    const int64_t left = i + (halves - (halves & 1)) / 2 + n;
    if (!(halves & 1)) return u[left % n];
    return (9 * (u[left % n] + u[(left + 1) % n]) - (u[(left - 1) % n] + u[(left + 2) % n])) / 16;
}

/* @param finer  neighbours are half as far away */
static void choose_points(const struct sw_setup *one, const struct sw_grid *grid, const double *u, bool finer,
                          struct frozen *f, struct points *p)
{
    const int64_t n = one->n[0], margin = one->walls[0] ? SW_REACH : 0, room = n - 2 * margin;
    f->places = room < PLACES ? (int)room : PLACES;
    for (int k = 0; k < f->places; k++) {
        const int64_t i = margin + room * k / f->places;
        f->x[k] = p->at[SW_IN_X][k] = grid->x0[0] + (double)i * grid->dx[0];
        for (int v = 0; v < f->unknowns; v++)
            for (int o = -SW_REACH; o <= SW_REACH; o++)
                p->at[sw_input_at(v, o)][k] = value_between(u + v * n, n, i, finer ? o : 2 * o);
    }
    for (int v = 0; v < f->unknowns; v++) {
        double most = 0;
        for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(u[v * n + i]));
        p->change[v] = 1e-4 * (most > 0 ? most : 1);
    }
}

/* The derivative of a program by one of its inputs, at all points. */
static void derive(struct sw_eval *eval, const struct points *p, int slot, double change, int places, double *out)
{
    const double *in[SW_INPUTS];
    double moved[PLACES], side[2][PLACES];
    for (int k = 0; k < SW_INPUTS; k++) in[k] = p->at[k];
    in[slot] = moved;
    for (int s = 0; s < 2; s++) {
        for (int k = 0; k < places; k++) moved[k] = p->at[slot][k] + (s ? change : -change);
        sw_eval_points(eval, places, in, side[s]);
    }
    for (int k = 0; k < places; k++) out[k] = (side[1][k] - side[0][k]) / (2 * change);
}

/* Make an evaluator of a program at the points, at time 0. */
static enum sw_status make_eval(const struct sw_program *program, const double *param,
                                const struct points *p, int places, struct sw_eval **eval)
{
    const double *in[SW_INPUTS];
    for (int k = 0; k < SW_INPUTS; k++) in[k] = p->at[k];
    SW_TRY(sw_eval_create(program, PLACES, eval));
    sw_eval_run(*eval, param, 1);
    sw_eval_cells(*eval, places, in);
    sw_eval_step(*eval, 0, 0);
    return SW_OK;
}

static enum sw_status derive_n(const struct sw_program *program, const double *param, int unknown,
                               const struct points *p, struct frozen *f)
{
    struct sw_eval *eval = NULL;
    if (!program) return SW_OK;
    SW_TRY(make_eval(program, param, p, f->places, &eval));
    for (int w = 0; w < f->unknowns; w++)
        for (int o = -SW_REACH; o <= SW_REACH; o++) {
            const int slot = sw_input_at(w, o);
            double *out = f->n[unknown][w][SW_REACH + o];
            if (sw_program_uses_input(program, (enum sw_input)slot))
                derive(eval, p, slot, p->change[w], f->places, out);
        }
    sw_eval_destroy(&eval);
    return SW_OK;
}

/* G sees its own unknown, at the point itself. */
static enum sw_status derive_g(const struct sw_program *program, const double *param, int unknown,
                               const struct points *p, struct frozen *f)
{
    struct sw_eval *eval = NULL;
    if (!program) return SW_OK;
    SW_TRY(make_eval(program, param, p, f->places, &eval));
    derive(eval, p, sw_input_at(unknown, 0), p->change[unknown], f->places, f->g[unknown]);
    sw_eval_destroy(&eval);
    return SW_OK;
}

/* Freeze a run whose columns are alone.
 * @param u      [unknowns][n] where it is frozen
 * @param finer  as if there were twice the points of the same fields */
static enum sw_status freeze(const struct sw_setup *one, const double *column, const double *u, bool finer,
                             struct frozen *f)
{
    const struct equation_model *model = equation_model_of(one);
    const struct sw_line_model line = equation_line_model(model, one);
    struct sw_setup on = *one;
    struct points p = {0};
    double *param;
    *f = (struct frozen){.weight = sw_scheme_weight(line.scheme), .unknowns = line.unknowns,
                         .end = column[sw_setup_column(one, "time.end")]};
    sw_imex_stages_of(line.scheme, &f->method);
    const struct sw_grid here = sw_setup_grid(one, 1, column, 0);
    if (finer) on.n[0] = one->walls[0] ? 2 * one->n[0] - 1 : 2 * one->n[0];
    SW_TRY(sw_alloc((size_t)line.nparam, &param));
    memcpy(param, column, (size_t)model->ncolumn * sizeof *param);
    const struct sw_line_run run = equation_run(model, &on, 1, column, 0, param + model->ncolumn);
    f->dt = run.dt;
    f->dx = run.dx;
    memcpy(f->a, run.a, sizeof f->a);
    memcpy(f->mass, line.mass, sizeof f->mass);
    choose_points(one, &here, u, finer, f, &p);
    enum sw_status st = SW_OK;
    for (int v = 0; v < f->unknowns && !st; v++) {
        st = derive_g(line.g[v], param, v, &p, f);
        if (!st) st = derive_n(line.explicit_term[v], param, v, &p, f);
    }
    sw_free(param);
    return st;
}

/* ------------------------------------------------------------------ what is found */

struct finding {
    double points;          /* length of the wave, 0: nothing was found  */
    double x;
    double step, equation;  /* logarithms of its growth in a step        */
};

/* The wave that the steps let grow most beyond what the equation does. */
static struct finding find_unstable(const struct frozen *f)
{
    struct finding worst = {0};
    double most = 0;
    for (int place = 0; place < f->places; place++)
        for (int k = WAVES; k > 0; k--) {
            const struct growth g = growth_of(f, place, acos(-1) * k / WAVES);
            const double beyond = g.step - fmax(0, g.equation);
            if (!(beyond > most)) continue;
            most = beyond;
            worst = (struct finding){2.0 * WAVES / k, f->x[place], g.step, g.equation};
        }
    if (!(most * f->end / f->dt > log(reported_growth))) worst.points = 0;
    return worst;
}

/* The wave of up to 4 points that the equation lets grow fastest at a place. */
static struct finding find_fastest(const struct frozen *f, int place)
{
    struct finding fastest = {.x = f->x[place]};
    for (int k = WAVES; k >= WAVES / 2; k--) {
        const double rate = growth_of(f, place, acos(-1) * k / WAVES).equation / f->dt;
        if (rate > fastest.equation) fastest.points = 2.0 * WAVES / k, fastest.equation = rate;
    }
    return fastest;
}

/* Where waves grow that do so faster where points are closer, at least as one over dx. @param fine  of the same places
 * @return with the rate of the equation */
static struct finding find_ill_posed(const struct frozen *f, const struct frozen *fine)
{
    struct finding worst = {0};
    for (int place = 0; place < f->places; place++) {
        const struct finding coarse = find_fastest(f, place);
        if (!(coarse.equation > worst.equation) || !(coarse.equation * f->end > log(reported_growth))) continue;
        if (find_fastest(fine, place).equation > 1.9 * coarse.equation) worst = coarse;
    }
    return worst;
}

/* The wave of 16 points where the equation keeps it and the steps do not. */
static struct finding find_damped(const struct frozen *f)
{
    const double steps = f->end / f->dt;
    for (int place = 0; place < f->places; place++) {
        const struct growth g = growth_of(f, place, acos(-1) * KEPT / WAVES);
        if (steps * fabs(g.equation) < log(2) && steps * g.step < -log(reported_growth))
            return (struct finding){2.0 * WAVES / KEPT, f->x[place], g.step, g.equation};
    }
    return (struct finding){0};
}

/* A dt with which the run is stable, of two digits; 0: none was found.
 * @param column  of the run alone; time.dt changes */
static enum sw_status stable_step(const struct sw_setup *one, double *column, const double *u, double *dt)
{
    double *const at = &column[sw_setup_column(one, "time.dt")], given = *at;
    double low = 0, high = given;
    struct frozen f;
    enum sw_status st = SW_OK;
    for (int k = 0; k < 24 && !st && !(low > 0.97 * high); k++) {
        *at = low > 0 ? sqrt(low * high) : high / 4;
        if ((st = freeze(one, column, u, false, &f))) break;
        if (find_unstable(&f).points > 0) high = *at;
        else low = *at;
    }
    *at = given;
    *dt = round_down(low);
    return st;
}

/* ------------------------------------------------------------------ for people */

/* A run with its columns alone, and fields. */
struct run_fields { struct sw_setup one; double *column, *u; };

static void free_run_fields(struct run_fields *s)
{
    sw_free(s->column);
    sw_free(s->u);
}

static enum sw_status load_run_fields(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                      struct run_fields *s)
{
    *s = (struct run_fields){.one = sw_line_setup_of_run(setup, ld, column, j)};
    const size_t numbers = (size_t)setup->nunknown * (size_t)s->one.n[0];
    enum sw_status st;
    SW_TRY_TO(failed, st, sw_alloc((size_t)setup->ncolumn, &s->column));
    SW_TRY_TO(failed, st, sw_alloc(numbers, &s->u));
    for (int k = 0; k < setup->ncolumn; k++) s->column[k] = column[k * ld + j];
    SW_TRY_TO(failed, st, sw_line_initial_values(&s->one, ld, column, j, s->u));
    return SW_OK;
failed:
    free_run_fields(s);
    return st == SW_E_MEMORY ? st : SW_E_CONFIG;
}

static enum sw_status describe_unstable(struct run_fields *s, const struct frozen *f, const struct finding *found,
                                        struct sw_text *text)
{
    double dt = 0;
    char grows[40] = "does not let them";
    SW_TRY(stable_step(&s->one, s->column, s->u, &dt));
    if (found->equation * f->end > 0.1 * f->dt)
        snprintf(grows, sizeof grows, "lets them by %.4g", exp(found->equation));
    sw_text_set(text, "time.dt = %.4g: the steps let waves of %.3g points grow by %.4g each, near x = %.4g, and the "
                "equation %s; ", f->dt, found->points, exp(found->step), found->x, grows);
    if (dt > 0) sw_text_printf(text, "time.dt <= %.2g is stable there", dt);
    else sw_text_printf(text, "no smaller time.dt helps; another method may");
    return SW_OK;
}

/* The first thing that is wrong, if anything is.
 * @param steps  whether to look at the steps, beside the equation */
static enum sw_status describe_instability(struct run_fields *s, bool steps, struct sw_text *text)
{
    struct frozen f, fine;
    SW_TRY(freeze(&s->one, s->column, s->u, false, &f));
    SW_TRY(freeze(&s->one, s->column, s->u, true, &fine));
    struct finding found = find_ill_posed(&f, &fine);
    if (found.points > 0) {
        sw_text_set(text, "near x = %.4g waves of %.3g points grow as exp(%.3g t), and faster where points are closer: "
                    "the equation is ill-posed there, or needs more points", found.x, found.points, found.equation);
        return SW_OK;
    }
    if (!steps) return SW_OK;
    found = find_unstable(&f);
    if (found.points > 0) return describe_unstable(s, &f, &found, text);
    found = find_damped(&f);
    if (found.points > 0)
        sw_text_set(text, "time.dt = %.4g: the steps damp waves of %.3g points, which the equation keeps, by %.3g in a "
                    "step near x = %.4g, and shorter ones more; a smaller time.dt or method = \"imex3\" keeps more",
                    f.dt, found.points, exp(found.step), found.x);
    return SW_OK;
}

/* What is wrong with the fields of a run is said elsewhere. */
static enum sw_status only_memory(enum sw_status st) { return st == SW_E_MEMORY ? st : SW_OK; }

enum sw_status sw_line_warn_waves(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                  const double *state, struct sw_text *text)
{
    struct run_fields s;
    if (state || !equation_model_of(setup)) return SW_OK;
    const enum sw_status st = load_run_fields(setup, ld, column, j, &s);
    if (st) return only_memory(st);
    const enum sw_status found = describe_instability(&s, !sw_setup_own_steps(setup), text);
    free_run_fields(&s);
    return found;
}
