/* What is refused of a run in two or three dimensions before it is computed, what `sweep check` and a run warn of, and
 * how `sweep check` shows an equation. Refused is what coefficients are that are the same at all points; explicit waves
 * are warned of by the largest of others, over the initial values and over the field at the end. */
#include <complex.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "expr/sw_differences.h"
#include "problem/fields/fields_problem.h"
#include "problem/fields/fields_samples.h"
#include "problem/initial_file.h"
#include "problem/line/kinds/manufactured.h"
#include "problem/nonfinite.h"

static const char axis[] = "xyz";
static const char *const points_key[] = {"grid.n", "grid.n.1", "grid.n.2"};
static const char *const length_key[] = {"grid.length", "grid.length.1", "grid.length.2"};

/* ------------------------------------------------------------------ the numbers of a run */

struct run {
    const struct fields_terms *terms;
    double *param;               /* what programs take */
    double  dx[SW_DIMS], dt;     /* dt: 0 where the run chooses it */
};

/* @return SW_E_MEMORY; free run->param with sw_free() */
static enum sw_status find_run(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                               struct run *run)
{
    *run = (struct run){.terms = fields_terms_of(setup), .dx = {1, 1, 1}};
    SW_TRY(sw_alloc((size_t)fields_parameters(setup), &run->param));
    for (int k = 0; k < setup->ncolumn; k++) run->param[k] = column[k * ld + j];
    for (int d = 0; d < run->terms->dimensions; d++)
        run->dx[d] = sw_setup_number(setup, length_key[d], ld, column, j) /
                     (sw_setup_number(setup, points_key[d], ld, column, j) - fields_has_walls(setup, d));
    fields_numbers(run->dx, run->param + setup->ncolumn);
    if (!sw_setup_own_steps(setup)) run->dt = sw_setup_number(setup, "time.dt", ld, column, j);
    return SW_OK;
}

static struct sw_setup setup_of_run(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j)
{
    struct sw_setup one = *setup;
    for (int d = 0; d < SW_DIMS; d++) one.n[d] = (int64_t)sw_setup_number(setup, points_key[d], ld, column, j);
    for (int d = 0; d < SW_DIMS; d++) one.walls[d] = fields_has_walls(setup, d);
    one.dim = (int)sw_setup_number(setup, "grid.dim", ld, column, j);
    return one;
}

/* What stands before a derivative; 0: nothing, or it is not the same everywhere. @param same  out: NULL allowed */
static double coefficient(const struct run *run, const struct sw_program *program, bool *same)
{
    double value = 0;
    const bool is = program && sw_program_rate(program) == SW_RATE_RUN &&
                    !sw_program_over_runs(program, 1, run->param, 1, &value);
    if (same) *same = is;
    return value;
}

/* ------------------------------------------------------------------ refusals */

static const char *check_finite(const struct sw_setup *setup, const struct run *run, int v, struct sw_text *why)
{
    const struct fields_row *row = &run->terms->row[v];
    if (!isfinite(coefficient(run, row->linear.a0, NULL)))
        return sw_refuse(why, "rhs", "the coefficient of %s is not finite", sw_setup_unknown(setup, v));
    for (int d = 0; d < run->terms->dimensions; d++)
        if (!isfinite(coefficient(run, row->linear.a2[d], NULL) + coefficient(run, row->linear.a4[d], NULL)))
            return sw_refuse(why, "rhs", "a coefficient of derivatives of %s along %c is not finite",
                             sw_setup_unknown(setup, v), axis[d]);
    return NULL;
}

/* Short waves along an axis that grow without bound. Where there are sixth derivatives the others do not decide. */
static const char *check_growth(const struct sw_setup *setup, const struct run *run, int v, struct sw_text *why)
{
    const struct fields_row *row = &run->terms->row[v];
    for (int d = 0; d < run->terms->dimensions; d++) {
        bool second, fourth;
        const double a2 = coefficient(run, row->frozen.a2[d], &second);
        const double a4 = coefficient(run, row->frozen.a4[d], &fourth), a6 = coefficient(run, row->linear.a6[d], NULL);
        if (a6 < 0)
            return sw_refuse(why, "rhs", "short waves of %s along %c grow without bound: the sign of its sixth "
                             "derivative makes the equation ill-posed", sw_setup_unknown(setup, v), axis[d]);
        if (a6 > 0) continue;
        if (!(fourth && a4 < 0) && !((!row->frozen.a4[d] || (fourth && a4 == 0)) && second && a2 < 0)) continue;
        return sw_refuse(why, "rhs", "short waves of %s along %c grow without bound: the sign of its %s derivative "
                         "makes the equation ill-posed", sw_setup_unknown(setup, v), axis[d],
                         fourth && a4 < 0 ? "fourth" : "second");
    }
    return NULL;
}

/* Of second derivatives alone: the quadratic form of their coefficients has to damp in all directions. */
static const char *check_cross(const struct sw_setup *setup, const struct run *run, int v, struct sw_text *why)
{
    static const int pair[SW_DIMS][2] = {{0, 1}, {0, 2}, {1, 2}};
    const struct fields_row *row = &run->terms->row[v];
    for (int k = 0; k < SW_DIMS; k++) {
        const int one = pair[k][0], other = pair[k][1];
        const double c = coefficient(run, row->frozen.cross[k], NULL), a = coefficient(run, row->frozen.a2[one], NULL),
                     b = coefficient(run, row->frozen.a2[other], NULL);
        if (row->frozen.a4[one] || row->frozen.a4[other] || c * c <= 4 * a * b) continue;
        return sw_refuse(why, "rhs", "d%c%c(%s) has the coefficient %.3g, beyond 2 sqrt(%.3g*%.3g), those of d%c%c and "
                         "d%c%c: short waves grow without bound", axis[one], axis[other], sw_setup_unknown(setup, v),
                         c, a, b, axis[one], axis[one], axis[other], axis[other]);
    }
    return NULL;
}

/* Why runs cannot take steps of their own, if they should. */
static const char *check_own_steps(const struct sw_setup *setup, struct sw_text *why)
{
    if (!sw_setup_own_steps(setup)) return NULL;
    if (!fields_method_of(fields_scheme_of(setup))->estimates)
        return sw_refuse(why, "time.tolerance", "it needs a method that estimates its errors, method = \"imex2\" or "
                         "\"imex3\"; or give time.dt alone");
    if (fields_terms_of(setup) && fields_terms_of(setup)->noise)
        return sw_refuse(why, setup->nunknown ? "rhs" : "forcing", "rand and randn are drawn anew at each step: give "
                         "time.dt, without time.tolerance");
    return NULL;
}

/* Whether no flux of an unknown goes through walls that there are. */
static bool is_closed(const struct sw_setup *setup, int v)
{
    for (int k = 0; k < 2 * SW_DIMS; k++)
        if (fields_has_walls(setup, k / 2) && !fields_wall_is_closed(setup, k % 2, k / 2, v)) return false;
    return true;
}

static const char *check_size(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                              struct sw_text *why)
{
    double points = 1;
    for (int d = 0; d < SW_DIMS; d++) points *= sw_setup_number(setup, points_key[d], ld, column, j);
    if (points <= INT_MAX) return NULL;
    return sw_refuse(why, points_key[0], "%.4g points in all: a field has at most %d", points, INT_MAX);
}

/* Exact solves are those of periodic fields, and there is nothing else for the sixth order. */
static const char *check_order(const struct sw_setup *setup, struct sw_text *why)
{
    int d = 0;
    while (d < SW_DIMS && !fields_has_walls(setup, d)) d++;
    if (d == SW_DIMS || !fields_terms_of(setup) || !fields_terms_of(setup)->high) return NULL;
    return sw_refuse(why, "rhs", "it has derivatives beyond the fourth order, which are for axes that are periodic, "
                     "and %c has walls: leave these out, or the derivatives", axis[d]);
}

static bool has_walls(const struct sw_setup *setup)
{
    return fields_has_walls(setup, 0) || fields_has_walls(setup, 1) || fields_has_walls(setup, 2);
}

static const char *check_walls(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                               struct sw_text *why)
{
    struct sw_setup one = *setup;
    one.dim = (int)sw_setup_number(setup, "grid.dim", ld, column, j);
    return fields_check_walls(&one, fields_terms_of(setup), why);
}

const char *fields_validate_run(const struct sw_setup *setup, const char *solver, int ld, const double *column, int j,
                                struct sw_text *why)
{
    struct run run;
    const char *key = sw_noise_check(setup, is_closed, why);
    (void)solver;
    if (!key) key = check_own_steps(setup, why);
    if (!key) key = sw_manufactured_check(setup, why);
    if (!key && setup->single_steps) key = sw_refuse(why, "run.precision", "fields are stepped in double precision");
    if (!key) key = check_size(setup, ld, column, j, why);
    if (!key) key = check_walls(setup, ld, column, j, why);
    if (!key) key = check_order(setup, why);
    if (!key) key = sw_initial_validate(setup, has_walls(setup), ld, column, j, why);
    if (key || !fields_terms_of(setup) || find_run(setup, ld, column, j, &run)) return key;
    for (int v = 0; v < run.terms->unknowns && !key; v++) {
        key = check_finite(setup, &run, v, why);
        if (!key) key = check_growth(setup, &run, v, why);
        if (!key) key = check_cross(setup, &run, v, why);
    }
    sw_free(run.param);
    return key;
}

/* ------------------------------------------------------------------ warnings */

/* How long a step may be with explicit terms of imaginary symbols, times the largest, where nothing damps: imex1
 * needs damping beside them, by imex2 a wave grows by 1e-3 a step there. */
static double imaginary_limit(const struct fields_method *m) { return m->order == 3 ? 2.60 : m->order == 2 ? 0.28 : 0; }

/* What an explicit wave is made of and what damps it, of one unknown: the largest sizes of odd coefficients and of
 * those of other unknowns' second derivatives, the least of a2 and a4 of its own. */
struct waves {
    double a1[SW_DIMS], a3[SW_DIMS], other, a2[SW_DIMS], a4[SW_DIMS];
    double most2[SW_DIMS], most4[SW_DIMS];  /* the largest sizes of these two */
    bool   varies;
};

enum { OF_AXIS = 4, WAVES_PROGRAMS = OF_AXIS * SW_DIMS + SW_UNKNOWNS_MOST };

/* Exact solves have odd derivatives of constant coefficients. */
static const struct sw_program *odd(const struct sw_program *program, bool exact)
{
    return exact && program && sw_program_rate(program) == SW_RATE_RUN ? NULL : program;
}

static void list_programs(const struct fields_row *row, bool exact, const struct sw_program *program[WAVES_PROGRAMS])
{
    for (int d = 0; d < SW_DIMS; d++) {
        program[OF_AXIS * d] = odd(row->frozen.a1[d], exact);
        program[OF_AXIS * d + 1] = row->frozen.a2[d];
        program[OF_AXIS * d + 2] = odd(row->frozen.a3[d], exact);
        program[OF_AXIS * d + 3] = row->frozen.a4[d];
    }
    for (int w = 0; w < SW_UNKNOWNS_MOST; w++) program[OF_AXIS * SW_DIMS + w] = row->frozen.a2_of[w];
}

static double size_of(const struct fields_range *r) { return fmax(fabs(r->least), fabs(r->most)); }

/* @param of  what struct sw_run_warning.warn is given  @param known  out: false: nothing can be said */
static enum sw_status find_waves(const struct sw_setup *setup, const struct run *run, int v, int64_t ld,
                                 const double *column, int64_t j, const double *state, struct waves *waves,
                                 bool *known)
{
    const struct sw_program *program[WAVES_PROGRAMS];
    struct fields_range range[WAVES_PROGRAMS];
    struct sw_setup one = setup_of_run(setup, ld, column, j);
    *waves = (struct waves){.varies = false};
    *known = true;
    list_programs(&run->terms->row[v], fields_are_exact(setup), program);
    for (int k = 0; k < WAVES_PROGRAMS; k++) {
        const double value = coefficient(run, program[k], NULL);
        range[k] = (struct fields_range){value, value};
        waves->varies |= program[k] && sw_program_rate(program[k]) != SW_RATE_RUN;
    }
    if (waves->varies)
        SW_TRY(fields_samples(&one, run->terms, ld, column, j, run->param, state,
                              state ? sw_setup_number(setup, "time.end", ld, column, j) : 0, WAVES_PROGRAMS, program,
                              range, known));
    for (int d = 0; d < SW_DIMS; d++) {
        const struct fields_range *r = &range[OF_AXIS * d];
        waves->a1[d] = size_of(&r[0]), waves->a2[d] = r[1].least;
        waves->a3[d] = size_of(&r[2]), waves->a4[d] = r[3].least;
        waves->most2[d] = size_of(&r[1]), waves->most4[d] = size_of(&r[3]);
    }
    for (int w = 0; w < run->terms->unknowns; w++) waves->other += size_of(&range[OF_AXIS * SW_DIMS + w]);
    return SW_OK;
}

/* By how much a step multiplies a wave of u_t = (i w - sum_d D_d) u, P being the product of 1 + gamma dt D_d where
 * D_d > 0: w_methods.h of one number. */
static double gain_of(const struct fields_method *m, int axes, double dt, double rate, const double damps[SW_DIMS])
{
    double complex k[FIELDS_STAGES], u = 1, f = I * rate;
    double p = 1;
    for (int d = 0; d < axes; d++) f -= damps[d], p *= 1 + m->gamma * dt * fmax(0, damps[d]);
    for (int i = 0; i < m->stages; i++) {
        double complex stage = 1, earlier = 0;
        for (int j = 0; j < i; j++) stage += m->a[i][j] * k[j], earlier += m->h[i][j] * k[j];
        k[i] = (dt * f * stage + earlier) / p - earlier;
        u += m->b[i] * k[i];
    }
    return cabs(u);
}

/* dt times the largest symbol of explicit waves, beyond the limit, that grow though they should not: of those along one
 * axis and along all of them, of one angle a point. 0: none. */
static double explicit_symbol(const struct run *run, const struct fields_method *m, const struct waves *waves)
{
    enum { ANGLES = 64 };
    const double limit = imaginary_limit(m);
    const int axes = run->terms->dimensions;
    double most = 0;
    for (int along = -1; along < axes; along++)
        for (int k = 1; k <= ANGLES; k++) {
            const double angle = 3.14159265358979323846 * k / ANGLES;
            const double sine = fabs(sin(angle)), s = 2 - 2 * cos(angle);
            double rate = 0, grows = 0, damps[SW_DIMS] = {0};
            for (int d = 0; d < axes; d++) {
                const double dx = run->dx[d], s2 = s / (dx * dx);
                if (along >= 0 && along != d) continue;
                rate += waves->a1[d] * sine / dx + waves->a3[d] * sine * s / (dx * dx * dx) + waves->other * s2;
                damps[d] = waves->a2[d] * s2 + waves->a4[d] * s2 * s2;
                grows -= damps[d];
            }
            if (!(run->dt * rate > limit) || run->dt * rate <= most) continue;
            if (gain_of(m, axes, run->dt, rate, damps) > 1.000001 * exp(run->dt * fmax(0, grows)))
                most = run->dt * rate;
        }
    return most;
}

static void say_explicit(const struct sw_setup *setup, int v, double symbol, const char *where, struct sw_text *text)
{
    const struct fields_method *m = fields_method_of(fields_scheme_of(setup));
    sw_text_set(text, "odd derivatives of %s, or derivatives of other unknowns, are explicit: dt times the largest "
                "is %.3g%s, and ", sw_setup_unknown(setup, v), symbol, where);
    if (m->order == 3) sw_text_add(text, "short waves grow beyond 2.60; take a smaller dt, or leave it out");
    else sw_text_printf(text, "%s lets such waves grow; method = \"imex3\" is stable up to 2.60",
                        sw_setup_word(setup, "method"));
}

/* At its end a run is told only what was not known before it. */
static enum sw_status warn_explicit(const struct sw_setup *setup, const struct run *run, int v, int64_t ld,
                                    const double *column, int64_t j, const double *state, struct sw_text *text)
{
    const struct fields_method *m = fields_method_of(fields_scheme_of(setup));
    struct waves waves;
    bool known;
    if (text->length) return SW_OK;
    SW_TRY(find_waves(setup, run, v, ld, column, j, NULL, &waves, &known));
    double symbol = known ? explicit_symbol(run, m, &waves) : 0;
    if (state && (symbol > 0 || !waves.varies)) return SW_OK;
    if (state) {
        SW_TRY(find_waves(setup, run, v, ld, column, j, state, &waves, &known));
        symbol = explicit_symbol(run, m, &waves);
    }
    if (symbol > 0 && isfinite(symbol))
        say_explicit(setup, v, symbol, !waves.varies ? "" : state ? " at the end" : " at the initial values", text);
    return SW_OK;
}

/* With two stiff axes the product of their matrices damps less than their sum. */
static void warn_stiff(const struct sw_setup *setup, const struct run *run, int v, struct sw_text *text)
{
    const double gamma = fields_method_of(fields_scheme_of(setup))->gamma;
    double largest = 0, next = 0;
    for (int d = 0; d < run->terms->dimensions; d++) {
        const double x = 16 * run->dt * coefficient(run, run->terms->row[v].frozen.a4[d], NULL) / pow(run->dx[d], 4);
        if (x > largest) next = largest, largest = x;
        else if (x > next) next = x;
    }
    if (text->length || !(next > 300) || fields_are_exact(setup)) return;
    sw_text_set(text, "16 dt/dx^4 times the fourth derivative's coefficient is %.3g along two axes: a step damps the "
                "shortest waves of %s by %.2g of themselves only; take a smaller dt, or leave it out", next,
                sw_setup_unknown(setup, v), fmin(1, 4 / (gamma * gamma * next)));
}

static enum sw_status warn_steps(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                 const double *state, struct sw_text *text)
{
    struct run run;
    enum sw_status st = SW_OK;
    if (!fields_terms_of(setup) || sw_setup_own_steps(setup)) return SW_OK;
    SW_TRY(find_run(setup, ld, column, j, &run));
    for (int v = 0; v < run.terms->unknowns && !st; v++) {
        st = warn_explicit(setup, &run, v, ld, column, j, state, text);
        if (!state) warn_stiff(setup, &run, v, text);
    }
    sw_free(run.param);
    return st ? st : sw_text_status(text);
}

/* ------------------------------------------------------------------ rounding */

/* From here on norms and fields have fewer digits than are shown of them. */
#define ROUNDING_TOLD 1e-6

/* What a step's F is rounded by, over max|u|, of which long waves keep all: differences of differences by units of
 * those, where D_j is the largest |u_jj|,
 *
 *     dt u (sum_i sum_j sqrt(a4_i a4_j) 4/dx_i² D_j + max|u| sum_j a2_j 4/dx_j²) */
static double rounding_of_step(const struct run *run, const struct waves *waves, const struct fields_roughness *rough,
                               int v)
{
    double short_waves = 0, bends = 0, second = 0;
    for (int d = 0; d < run->terms->dimensions; d++) {
        const double s2 = 1 / (run->dx[d] * run->dx[d]);
        short_waves += 4 * s2 * sqrt(waves->most4[d]);
        bends += s2 * sqrt(waves->most4[d]) * rough->bend[v][d];
        second += 4 * s2 * waves->most2[d];
    }
    const double size = rough->size[v];
    return size > 0 ? 0x1p-53 * run->dt * (short_waves * bends / size + second) : 0;
}

/* @param off  out: of a step from the initial values, or the field at the end; 0 where they are not known */
static enum sw_status find_rounding(const struct sw_setup *setup, const struct run *run, int v, int64_t ld,
                                    const double *column, int64_t j, const double *state, double *off)
{
    struct sw_setup one = setup_of_run(setup, ld, column, j);
    struct fields_roughness rough;
    struct waves waves;
    bool known;
    *off = 0;
    SW_TRY(find_waves(setup, run, v, ld, column, j, state, &waves, &known));
    if (known) SW_TRY(fields_roughness_of(&one, run->terms, ld, column, j, state, &rough, &known));
    if (known) *off = rounding_of_step(run, &waves, &rough, v);
    return SW_OK;
}

/* The first step counts, which smooths the field, and then as many as there are, whose roundings are random. */
static enum sw_status warn_rounding(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                    const double *state, struct sw_text *text)
{
    struct run run;
    enum sw_status st = SW_OK;
    if (!fields_terms_of(setup) || sw_setup_own_steps(setup)) return SW_OK;
    SW_TRY(find_run(setup, ld, column, j, &run));
    const double steps = round(sw_setup_number(setup, "time.end", ld, column, j) / run.dt);
    for (int v = 0; v < run.terms->unknowns && !st && !text->length; v++) {
        double first, later = 0;
        st = find_rounding(setup, &run, v, ld, column, j, NULL, &first);
        if (state && !st) st = find_rounding(setup, &run, v, ld, column, j, state, &later);
        const double off = first + later * sqrt(steps);
        if (st || !(off > ROUNDING_TOLD)) continue;
        sw_text_set(text, "rounding of the right-hand side could move %s by %.2g of max|%s|, more than %g, as dt = "
                    "%.3g is so long beside dx; take a smaller dt, or leave it out", sw_setup_unknown(setup, v), off,
                    sw_setup_unknown(setup, v), ROUNDING_TOLD, run.dt);
    }
    sw_free(run.param);
    return st ? st : sw_text_status(text);
}

/* A flux that "no_flux" lets through: u_n = u_nnn = 0 does not make it 0. */
static enum sw_status warn_flux(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                const double *state, struct sw_text *text)
{
    const struct fields_terms *terms = fields_terms_of(setup);
    (void)ld, (void)column, (void)j, (void)state;
    for (int k = 0; terms && k < setup->nunknown * terms->dimensions && !text->length; k++) {
        const int v = k / terms->dimensions, d = k % terms->dimensions;
        const struct sw_function *rhs = sw_setup_find_of(setup, "rhs", v);
        int at = 0;
        if (!rhs || !(fields_wall_is_closed(setup, 0, d, v) || fields_wall_is_closed(setup, 1, d, v))) continue;
        SW_TRY(fields_open_flux(rhs->text, terms->dimensions, d, &at));
        if (!at) continue;
        sw_text_set(text, "rhs of %s, column %d: no flux at walls of %c is %s_%c = %s_%c%c%c = 0; the flux of this "
                    "derivative goes through them, and the mean is not kept", sw_setup_unknown(setup, v), at, axis[d],
                    sw_setup_unknown(setup, v), axis[d], sw_setup_unknown(setup, v), axis[d], axis[d], axis[d]);
    }
    return sw_text_status(text);
}

static enum sw_status name_nonfinite(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                     const double *span, struct sw_text *text)
{
    enum { TEXTS = 3, WALLS = 2 * SW_DIMS * FIELDS_CONDITION_KEYS };
    struct sw_config_text given[TEXTS + WALLS + 1] = {
        {.key = "initial", .once = true}, {.key = "forcing"}, {.key = "source"}};
    struct sw_setup one = setup_of_run(setup, ld, column, j);
    struct sw_function *function = NULL;
    if (fields_terms_of(setup)) SW_TRY(sw_manufactured_functions(fields_source_of(setup), &one, &function));
    for (int k = 0; k < WALLS; k++) {
        const int wall = k / FIELDS_CONDITION_KEYS;
        given[TEXTS + k] = (struct sw_config_text){
            .key = fields_condition_key(wall % 2, wall / 2, k % FIELDS_CONDITION_KEYS), .wall = 1 + wall};
    }
    const enum sw_status st = sw_nonfinite_name(&one, ld, column, j, given, span, text);
    sw_free(function);
    return st;
}

/* ------------------------------------------------------------------ for people */

/* What of an unknown's equation the matrix of a step has: of what is constant that which damps, of what varies the
 * largest over the field. */
static void describe_unknown(const struct sw_setup *setup, int v, struct sw_text *text)
{
    const struct fields_row *row = &fields_terms_of(setup)->row[v];
    char label[SW_NEIGHBOUR_ROOM];
    snprintf(label, sizeof label, "%.*s_t", SW_UNKNOWN_LONGEST, sw_setup_unknown(setup, v));
    if (strlen(label) > 8) sw_text_printf(text, "%s\n", label), label[0] = 0;
    if (row->constant) sw_text_printf(text, "%-9s%-11s %s\n", label, "linear", row->constant), label[0] = 0;
    if (row->varying) sw_text_printf(text, "%-9s%-11s %s\n", label, "the largest", row->varying);
    if (!row->constant && !row->varying) sw_text_printf(text, "%-9s%-11s all of it\n", label, "explicit");
}

static enum sw_status describe(const struct sw_setup *setup, struct sw_text *text)
{
    const struct fields_method *m = fields_method_of(fields_scheme_of(setup));
    const struct fields_terms *terms = fields_terms_of(setup);
    for (int v = 0; v < terms->unknowns; v++) describe_unknown(setup, v, text);
    SW_TRY(sw_noise_describe(setup, terms->dimensions, text));
    sw_manufactured_describe(setup, text);
    fields_describe_walls(setup, terms, text);
    sw_text_printf(text, "method   %s: order %d in time, %d in space; %d right-hand side%s a step, each solved ",
                   sw_setup_word(setup, "method"), m->order, terms->order, m->stages, m->stages > 1 ? "s" : "");
    if (fields_are_exact(setup)) sw_text_printf(text, "exactly by a Fourier transform\n");
    else sw_text_printf(text, "along %d axes\n", terms->dimensions);
    return sw_text_status(text);
}

static void warn_setup(const struct sw_setup *setup, struct sw_text *text)
{
    sw_manufactured_warn(setup, setup->dim, text);
}

static const struct sw_run_warning warnings[] = {
    {.warn = sw_nonfinite_warn}, {.warn = warn_steps, .of_result = true}, {.warn = warn_rounding, .of_result = true},
    {.warn = warn_flux}, SW_INITIAL_WARNINGS, {0}};

const struct sw_problem_advice fields_advice = {
    .describe = describe, .warn_setup = warn_setup, .warn_run = warnings, .name_nonfinite = name_nonfinite};
