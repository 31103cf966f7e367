#include "problem/line/stepper/sw_stepper.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "linalg/sw_band.h"
#include "problem/line/stepper/fourth_order.h"
#include "problem/line/stepper/imex.h"
#include "problem/line/stepper/own_steps_drive.h"
#include "problem/line/stepper/recursive.h"
#include "problem/line/stepper/sw_stepper_impl.h"

/* ------------------------------------------------------------------ A of a run, and the rounding of its solves */

/* The real part of the symbol of A is 1 + s0 + s2 s + s4 s² over s in [0, 4] (docs/explanation/line_equations.md): A is
 * positive definite, if not symmetric, where its least value is > 0. */
static void symbol_range(const struct sw_line_operator *a, double *least, double *largest)
{
    const double s4 = a->s4, s2 = a->s2, one = 1.0 + a->s0, at_end = one + 4.0 * s2 + 16.0 * s4;
    const double extreme = s4 != 0.0 ? -s2 / (2.0 * s4) : 0.0;
    *least = fmin(one, at_end);
    *largest = fmax(one, at_end);
    if (extreme > 0.0 && extreme < 4.0) {
        *least = fmin(*least, one - s2 * s2 / (4.0 * s4));
        *largest = fmax(*largest, one - s2 * s2 / (4.0 * s4));
    }
}

static bool is_positive_definite(const struct sw_line_operator *a)
{
    double least, largest;
    symbol_range(a, &least, &largest);
    return least > 0.0;
}

double sw_line_condition(const struct sw_line_operator *a)
{
    double least, largest;
    symbol_range(a, &least, &largest);
    return hypot(largest, fabs(a->s1) + 2.6 * fabs(a->s3)) / least;
}

double sw_line_rounding(const struct sw_line_operator *a, bool single_steps)
{
    const double u = single_steps ? 0x1p-24 : 0x1p-53, at_zero = 1.0 + a->s0;
    struct sw_recursive up, down;
    if (a->s1 == 0.0 && a->s3 == 0.0)
        return 10.0 * u * (1.0 + sqrt(fabs(a->s2 / at_zero)) + sqrt(fabs(a->s4 / at_zero)));
    if (!sw_recursive_factors(a, false, &up, &down)) return INFINITY;
    return 10.0 * u * fmax(sw_recursive_growth(&up), sw_recursive_growth(&down));
}

/* Elimination in a symmetric positive definite A is backward stable without pivoting: the error is u times the
 * condition of A, and some u of the right-hand side. With T the symmetric and S the other part of A, the products of
 * the factors are as large as T + S' T⁻¹ S (G. H. Golub, C. Van Loan, Linear Algebra Appl. 28 (1979) 85); the symbol
 * of S is s1 sin - s3 sin (2 - 2 cos). What closes the circle, E⁻¹k (linalg/papers/border_point.h), is as large as
 * 1 + S T⁻¹. */
static double band_rounding(const struct sw_line_operator *a)
{
    const double other = fabs(a->s1) + 2.6 * fabs(a->s3);
    double least, largest;
    symbol_range(a, &least, &largest);
    return 0x1p-53 * (9.0 + (largest + other * other / least) / least * (1.0 + other / least));
}

struct sw_line_operator sw_line_operator_of(const struct sw_line_operator *a, double dt)
{
    return (struct sw_line_operator){.s4 = dt * a->s4, .s2 = dt * a->s2, .s0 = dt * a->s0, .s1 = dt * a->s1,
                                     .s3 = dt * a->s3};
}

/* ------------------------------------------------------------------ which row */

/* "cuda.split+cusparse.gpsv" is the row cuda.split with the band solver cusparse.gpsv. */
struct choice { char row[64]; const char *band; };  /* row "": any; band NULL: any */

static enum sw_status split_name(const char *name, struct choice *c)
{
    const char *plus = name ? strchr(name, '+') : NULL;
    size_t length = plus ? (size_t)(plus - name) : name ? strlen(name) : 0;
    if (length >= sizeof c->row) return SW_FAIL(SW_E_ABSENT, "there is no stepper '%s'", name);
    memcpy(c->row, name ? name : "", length);
    c->row[length] = 0;
    c->band = plus ? plus + 1 : NULL;
    return SW_OK;
}

struct request { const struct sw_stepper_desc *desc; int sm; };

unsigned sw_stepper_needs(const struct sw_stepper_desc *desc)
{
    const struct sw_line_model *m = &desc->model;
    const struct sw_imex *method = sw_imex_of(m->scheme);
    unsigned needs = sw_line_unknowns(m) > 1 ? SW_LINE_SEVERAL : 0;
    for (int v = 0; v < sw_line_unknowns(m); v++)
        for (int slot = SW_IN_LINE; m->explicit_term[v] && slot < SW_INPUTS; slot++)
            if ((slot - SW_IN_U) % SW_NEIGHBOURS && sw_program_uses_input(m->explicit_term[v], (enum sw_input)slot))
                needs |= SW_LINE_NEIGHBOURS;
    if (m->orders) needs |= SW_LINE_ORDERS;
    if (sw_line_ended(m)) needs |= SW_LINE_ENDS;
    if (method && method->stages > 2) needs |= SW_LINE_STAGES;
    if (desc->own_steps) needs |= SW_LINE_OWN_STEPS;
    if (sw_line_any_mass(m)) needs |= SW_LINE_MASS;
    if (desc->paces) needs |= SW_LINE_PACES;
    return needs;
}

static const char *untaken(unsigned needs)
{
    if (needs & SW_LINE_ENDS) return "it takes periodic lines only (boundary = \"periodic\", no left and right)";
    if (needs & SW_LINE_MASS)
        return "it takes order = 4 without implicit third and fourth derivatives only; set order = 2";
    if (needs & SW_LINE_SEVERAL) return "it takes one unknown only";
    if (needs & SW_LINE_NEIGHBOURS) return "it takes no derivatives of nonlinear terms but dxx()";
    if (needs & SW_LINE_ORDERS) return "it takes no implicit terms but second and fourth derivatives";
    if (needs & SW_LINE_OWN_STEPS) return "it takes the same steps in all runs; give time.dt, without time.tolerance";
    if (needs & SW_LINE_PACES) return "it takes as many steps in all runs of a batch";
    return "it takes steps of one stage only; set method = \"imex1\"";
}

static const char *refuse(const struct sw_row *row, const void *request, enum sw_status *kind)
{
    const struct sw_stepper_ops *o = (const struct sw_stepper_ops *)row;
    const struct request *r = request;
    struct sw_stepper_desc in_double = *r->desc;
    in_double.single_steps = false;
    if (!o && r->desc->own_steps && (r->desc->single_steps || r->sm > 0))
        return r->desc->single_steps ? "no row takes steps of each run's own on this device in single precision; give "
                                       "time.dt, without time.tolerance"
                                     : "no row takes steps of each run's own in this problem on this device; give "
                                       "time.dt, without time.tolerance";
    if (!o && r->desc->single_steps) return "no row does this problem on this device in single precision";
    if (!o) return "no row does this problem on this device";
    const unsigned needs = sw_stepper_needs(r->desc) & ~o->takes;
    if (needs) return untaken(needs);
    if (o->fits(r->desc, r->sm)) return NULL;
    if (!o->fits(&in_double, r->sm)) return o->misfit ? o->misfit : "it takes no lines of so few, or so many, points";
    *kind = SW_E_CONFIG;
    return "it does not do these runs in single precision; set run.precision = \"double\"";
}

SW_ROWS(rows, "stepper", sw_stepper_table, .refuse = refuse);

static const char *name_of(const struct choice *c) { return c->row[0] ? c->row : NULL; }

static const struct sw_stepper_ops *row_of(const struct choice *c)
{
    return c->row[0] ? (const struct sw_stepper_ops *)sw_row_find(&rows, c->row) : NULL;
}

static bool is_band_row(const char *name)
{
    for (int k = 0; sw_band_row(k); k++)
        if (!strcmp(sw_band_row(k), name)) return true;
    return false;
}

static enum sw_status pick(const struct sw_stepper_desc *desc, const char *name, const struct sw_device *device,
                           struct choice *c, const struct sw_stepper_ops **ops)
{
    const struct sw_row *row = NULL;
    SW_TRY(split_name(name, c));
    if (!row_of(c) && is_band_row(c->row))
        return SW_FAIL(SW_E_CONFIG, "stepper %s: this is a band solver, which goes with a stepper: \"cpu.plain+%s\"",
                       name, name);
    SW_TRY(sw_row_pick(&rows, name_of(c), device->space, &(struct request){desc, device->sm}, &row));
    *ops = (const struct sw_stepper_ops *)row;
    return SW_OK;
}

static enum sw_status check_desc(const struct sw_stepper_desc *d)
{
    if (d->n < 5) return SW_FAIL(SW_E_ARG, "n = %d: the stencil needs at least 5 points", d->n);
    if (d->capacity < 1) return SW_FAIL(SW_E_ARG, "room for %d runs asked for, need at least 1", d->capacity);
    if (d->model.nparam < 0) return SW_FAIL(SW_E_ARG, "%d parameters", d->model.nparam);
    if (d->model.unknowns < 0 || d->model.unknowns > SW_UNKNOWNS_MOST)
        return SW_FAIL(SW_E_ARG, "%d unknowns, at most %d are possible", d->model.unknowns, SW_UNKNOWNS_MOST);
    if (d->model.scheme == SW_CRANK_NICOLSON && d->model.orders)
        return SW_FAIL(SW_E_ARG, "Crank-Nicolson takes second and fourth derivatives only");
    for (int v = 0; v < sw_line_unknowns(&d->model); v++)
        for (int side = 0; side < 2; side++)
            if ((d->model.end[side][v].kind == SW_END_PERIODIC) == sw_line_ended(&d->model))
                return SW_FAIL(SW_E_ARG, "a line that is periodic, and ends");
    for (int v = 0; v < sw_line_unknowns(&d->model); v++)
        if (sw_line_has_mass(&d->model.mass[v]) && sw_line_ended(&d->model))
            return SW_FAIL(SW_E_ARG, "a line that ends, and is of fourth order in space");
    const struct sw_imex *method = sw_imex_of(d->model.scheme);
    if (d->own_steps && !(method && method->estimates))
        return SW_FAIL(SW_E_ARG, "steps of each run's own need a method that estimates errors");
    return SW_OK;
}

static void set_steep(struct sw_stepper *s)
{
    const struct sw_line_model *m = &s->desc.model;
    struct sw_imex_stages stages;
    sw_imex_stages_of(m->scheme, &stages);
    for (int k = 0; s->desc.own_steps && stages.sees_time && k < 2 * sw_line_unknowns(m); k++) {
        const struct sw_program *program = k % 2 ? m->explicit_term[k / 2] : m->g[k / 2];
        s->steep[k % 2][k / 2] = sw_own_steep(program);
        s->steep_in_u[k % 2][k / 2] = s->steep[k % 2][k / 2] && sw_own_sees_unknown(program);
    }
}

const char *sw_stepper_row(int k) { return sw_stepper_table[k] ? sw_stepper_table[k]->name : NULL; }

enum sw_status sw_stepper_bytes(const struct sw_stepper_desc *desc, const char *row, const struct sw_device *device,
                                size_t *fixed, size_t *per_run)
{
    struct choice choice;
    const struct sw_stepper_ops *ops = NULL;
    SW_TRY(check_desc(desc));
    SW_TRY(pick(desc, row, device, &choice, &ops));
    ops->bytes(desc, choice.band, fixed, per_run);
    return SW_OK;
}

bool sw_stepper_takes_paces(const struct sw_stepper_desc *desc, const char *row, const struct sw_device *device)
{
    struct choice choice;
    const struct sw_stepper_ops *ops = NULL;
    return !check_desc(desc) && !pick(desc, row, device, &choice, &ops) && ops->takes & SW_LINE_PACES;
}

/* The row so named, and its band solver. NULL: none is, or "auto". */
static const struct sw_stepper_ops *named(const char *name, struct choice *c)
{
    if (!name || strlen(name) >= sizeof c->row || split_name(name, c)) return NULL;
    return row_of(c);
}

bool sw_stepper_takes_band(const char *row)
{
    struct choice c;
    const struct sw_stepper_ops *o = named(row, &c);
    return o && o->takes_band;
}

double sw_stepper_rounding(const char *row, const struct sw_line_operator *a, bool single_steps)
{
    struct choice c;
    const struct sw_stepper_ops *o = named(row, &c);
    if (o && o->rounding) return o->rounding(a);
    if (!o || !o->takes_band) return sw_line_rounding(a, single_steps);
    return sw_band_error_growth(c.band) * band_rounding(a);
}

/* ------------------------------------------------------------------ what the sims of all rows share */

static const char *solver_name(const struct sw_sim *sim) { return sw_stepper_of(sim)->name; }

static size_t state_size(const struct sw_sim *sim) { return sw_stepper_line(&sw_stepper_of(sim)->desc); }

static const char *coarse_fault(const struct sw_stepper *s, const struct sw_line_operator *a)
{
    const bool single = s->desc.single_steps;
    if (!(sw_stepper_rounding(s->name, a, single) > SW_LINE_MAX_ROUNDING)) return NULL;
    if (single) return "single precision is too coarse for the implicit part: run.precision = \"double\" is needed";
    if (s->ops->takes_band)
        return "a band solver is too coarse for the implicit part: a row without one, or a smaller dt, is needed";
    return "double precision is too coarse for the implicit part: a smaller dt or fewer points are needed";
}

static const char *fault_of_operator(const struct sw_stepper *s, int v, const struct sw_line_operator *of_run)
{
    const struct sw_line_operator matrix = sw_line_matrix_of(of_run, &s->desc.model.mass[v]), *a = &matrix;
    if (!(isfinite(a->s4) && isfinite(a->s2) && isfinite(a->s0) && isfinite(a->s1) && isfinite(a->s3)))
        return "a coefficient of the equation is not finite";
    if (s->desc.own_steps) return NULL;  /* dt is small enough: sw_stepper_limits() */
    if (!is_positive_definite(a)) return "the implicit part is not positive definite: the equation is ill-posed";
    return coarse_fault(s, a);
}

/* Why a run cannot be advanced, a static text; NULL: it can. */
static const char *fault_of(const struct sw_stepper *s, const struct sw_line_run *r)
{
    if (!(isfinite(r->dt) && isfinite(r->x0))) return "dt or x0 is not finite";
    if (!(isfinite(r->dx) && r->dx > 0.0)) return "the grid spacing is not a positive number";
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++) {
        const char *why = fault_of_operator(s, v, &r->a[v]);
        if (why) return why;
    }
    if (!s->desc.own_steps) return NULL;
    return sw_own_steps_fault(r->tolerance, r->absolute, r->first_dt);
}

static enum sw_status check_uniform(int count, int unknowns, const struct sw_line_run *run)
{
    for (int v = 0; v < unknowns; v++)
        for (int j = 1; j < count; j++) {
            const struct sw_line_operator *a = &run[j].a[v], *first = &run[0].a[v];
            if (memcmp(a, first, sizeof *a))
                return SW_FAIL(SW_E_ARG, "a batch whose runs should have the same matrix: s4 = %g and s2 = %g in run "
                               "0, but %g and %g in run %d", first->s4, first->s2, a->s4, a->s2, j);
        }
    return SW_OK;
}

static enum sw_status load(struct sw_sim *sim, int count, const double *column, const char **load_error)
{
    struct sw_stepper *s = sw_stepper_of(sim);
    const int unknowns = sw_line_unknowns(&s->desc.model);
    SW_TRY(sw_stepped_load(&s->stepped, count));
    SW_TRY(s->source.fill(s->source.own, count, column, s->run, s->param));
    if (s->desc.uniform) SW_TRY(check_uniform(count, unknowns, s->run));
    s->count = count;
    for (int j = 0; j < count; j++) load_error[j] = fault_of(s, &s->run[j]);
    if (s->desc.own_steps) SW_TRY(sw_own_drive_load(s));
    return s->ops->load(s, load_error);
}

static enum sw_status advance(struct sw_sim *sim, int64_t from, int64_t to)
{
    struct sw_stepper *s = sw_stepper_of(sim);
    SW_TRY(sw_stepped_advance(&s->stepped, from, to));
    return from == to ? SW_OK : s->ops->advance(s, from, to);
}

static struct sw_cost cost(const struct sw_sim *sim, int64_t steps)
{
    const struct sw_stepper *s = sw_stepper_of(sim);
    return s->ops->cost ? s->ops->cost(s, steps) : (struct sw_cost){NAN, NAN};
}

/* The error of the last stage, or of the result, where each solve adds 1. */
static double errors_of_stages(enum sw_scheme scheme)
{
    struct sw_imex_stages m;
    double error[SW_IMEX_STAGES] = {0.0}, result = 0.0;
    sw_imex_stages_of(scheme, &m);
    for (int i = 1; i < m.count; i++) {
        error[i] = 1.0;
        for (int j = 1; j < i; j++) error[i] += fabs(m.stage[i].of_state[j]) * error[j];
    }
    for (int j = 1; j < m.count; j++) result += fabs(m.result.of_state[j]) * error[j];
    return m.last ? error[m.count - 1] : result;
}

/* What the solves of one step may be off by together in any run loaded, relative to the field: each by
 * sw_stepper_rounding(), and by what the method makes of the errors of the stages before it. */
static double step_rounding(const struct sw_sim *sim)
{
    const struct sw_stepper *s = sw_stepper_of(sim);
    const struct sw_line_model *m = &s->desc.model;
    double largest = 0.0;
    for (int j = 0; j < s->count; j++)
        for (int v = 0; v < sw_line_unknowns(m); v++) {
            const struct sw_line_operator a = sw_line_matrix_of(&s->run[j].a[v], &m->mass[v]);
            largest = fmax(largest, sw_stepper_rounding(s->name, &a, s->desc.single_steps));
        }
    return errors_of_stages(m->scheme) * largest;
}

/* ------------------------------------------------------------------ steps of a run's own */

/* Half of what would take a matrix its definiteness, so that no pivot comes near zero; and rounding of a solve that
 * takes no more than a tenth of the tolerance, or than 1e-13. */
static bool is_short(const struct sw_stepper *s, const struct sw_line_run *r, double dt)
{
    const double most = fmin(fmax(0.1 * r->tolerance, 1e-13), SW_LINE_MAX_ROUNDING);
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++) {
        const struct sw_line_mass *mass = &s->desc.model.mass[v];
        struct sw_line_operator a = sw_line_operator_of(&r->a[v], dt), twice = sw_line_operator_of(&r->a[v], 2.0 * dt);
        a = sw_line_matrix_of(&a, mass);
        twice = sw_line_matrix_of(&twice, mass);
        if (!is_positive_definite(&twice) || !(sw_stepper_rounding(s->name, &a, false) <= most)) return false;
    }
    return true;
}

static double longest(const struct sw_stepper *s, const struct sw_line_run *r)
{
    double dt = s->desc.times[s->desc.goals];
    if (r->longest_dt > 0 && r->longest_dt < dt) dt = r->longest_dt;
    while (dt > 1e-300 && !is_short(s, r, dt)) dt *= 0.5;
    return dt;
}

struct sw_own_limits sw_stepper_limits(const struct sw_stepper *s, const struct sw_line_run *r)
{
    return (struct sw_own_limits){
        .tolerance = r->tolerance, .absolute = r->absolute,
        .most = longest(s, r), .careful = sw_own_drive_careful(&s->desc),
        .over_quiet = 1.0 / sw_own_drive_quiet(&s->desc), .k = sw_imex_of(s->desc.model.scheme)->order,
        .share = sw_own_drive_windows(&s->desc) / (double)s->desc.goals};
}

static void explain_early_end(const struct sw_sim *sim, int j, const double *record, bool finite, struct sw_text *text)
{
    const struct sw_stepper *l = sw_stepper_of(sim);
    if (!finite) sw_stepped_explain_end(&l->stepped, record, l->run[j].absolute > 0, text);
}

/* ------------------------------------------------------------------ life */

static void destroy(struct sw_sim *sim)
{
    struct sw_stepper *s = sw_stepper_of(sim);
    if (!s) return;
    if (s->own && s->ops->destroy) s->ops->destroy(s);
    s->source.destroy(s->source.own);
    sw_stepped_free(&s->stepped);
}

/* Those that all rows share, to the row's own. */
static void add_operations(struct sw_stepper *s)
{
    struct sw_sim_ops *o = &s->operations;
    sw_stepped_take_operations(&s->stepped, s->ops->sim);
    o->solver_name = solver_name;
    o->load = load;
    o->advance = advance;
    o->cost = cost;
    o->destroy = destroy;
    s->states.size = state_size;
    s->records.warn = explain_early_end;
    if (!s->desc.own_steps) o->rounding = step_rounding;
}

enum sw_status sw_stepper_create(const struct sw_stepper_desc *desc, const char *row, struct sw_device *device,
                                 const struct sw_line_source *source, struct sw_sim **sim)
{
    enum sw_status st;
    struct choice choice;
    struct sw_stepper *s = NULL;
    const struct sw_stepper_ops *ops = NULL;
    size_t room = (size_t)desc->capacity;

    *sim = NULL;
    st = check_desc(desc);
    if (!st) st = pick(desc, row, device, &choice, &ops);
    if (!st) st = sw_alloc(1, &s);
    if (st) {
        source->destroy(source->own);
        return st;
    }
    s->ops = ops;
    s->desc = *desc;
    s->device = s->arrays.device = device;
    s->source = *source;
    s->capacity = desc->capacity;
    s->ticks = desc->own_steps;
    s->goals = desc->goals;
    s->times = desc->times;
    s->paces = desc->paces;
    add_operations(s);
    snprintf(s->name, sizeof s->name, "%s", ops->name);
    set_steep(s);
    sw_array(&s->arrays, room, &s->run);
    if (desc->own_steps) sw_array(&s->arrays, room * sw_own_drive_numbers(desc), &s->drive);
    sw_array(&s->arrays, room * (size_t)desc->model.nparam, &s->param);
    SW_TRY_TO(failed, st, s->arrays.status);
    SW_TRY_TO(failed, st, sw_alloc_bytes(1, ops->own_size, &s->own));
    SW_TRY_TO(failed, st, ops->create(s, choice.band));
    *sim = &s->sim;
    return SW_OK;
failed:
    destroy(&s->sim);
    return st;
}
