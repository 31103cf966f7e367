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
#include "problem/line/stepper/sw_stepper_impl.h"

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
        for (int slot = SW_IN_LINE; m->s[v] && slot < SW_INPUTS; slot++)
            if ((slot - SW_IN_U) % SW_NEIGHBOURS && sw_program_uses_input(m->s[v], (enum sw_input)slot))
                needs |= SW_LINE_NEIGHBOURS;
    if (m->orders) needs |= SW_LINE_ORDERS;
    if (sw_line_ended(m)) needs |= SW_LINE_ENDS;
    if (method && method->stages > 2) needs |= SW_LINE_STAGES;
    if (desc->own_steps) needs |= SW_LINE_OWN_STEPS;
    if (sw_line_any_mass(m)) needs |= SW_LINE_MASS;
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
    return "it takes steps of one stage only; set method = \"imex1\"";
}

static bool fits(const struct sw_stepper_ops *o, const struct sw_stepper_desc *desc, int sm)
{
    return !(sw_stepper_needs(desc) & ~o->takes) && o->fits(desc, sm);
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
        const struct sw_program *program = k % 2 ? m->s[k / 2] : m->g[k / 2];
        s->steep[k % 2][k / 2] = sw_own_steep(program);
        s->steep_in_u[k % 2][k / 2] = s->steep[k % 2][k / 2] && sw_own_sees_unknown(program);
    }
}

enum sw_status sw_stepper_create(const struct sw_stepper_desc *desc, const char *row, struct sw_device *device,
                                 struct sw_stepper **stepper)
{
    enum sw_status st;
    struct choice choice;
    struct sw_stepper *s = NULL;
    const struct sw_stepper_ops *ops = NULL;
    size_t room = (size_t)desc->capacity;

    *stepper = NULL;
    SW_TRY(check_desc(desc));
    SW_TRY(pick(desc, row, device, &choice, &ops));
    SW_TRY(sw_alloc(1, &s));
    s->ops = ops;
    s->desc = *desc;
    s->device = device;
    snprintf(s->name, sizeof s->name, "%s", ops->name);
    SW_TRY_TO(failed, st, sw_alloc(room, &s->run));
    set_steep(s);
    if (desc->own_steps) SW_TRY_TO(failed, st, sw_alloc(room * sw_own_drive_numbers(desc), &s->drive));
    SW_TRY_TO(failed, st, sw_alloc(room * (size_t)desc->model.nparam, &s->param));
    SW_TRY_TO(failed, st, ops->create(s, choice.band));
    *stepper = s;
    return SW_OK;
failed:
    sw_stepper_destroy(&s);
    return st;
}

void sw_stepper_destroy(struct sw_stepper **stepper)
{
    if (!stepper || !*stepper) return;
    (*stepper)->ops->destroy(*stepper);
    sw_free((*stepper)->run);
    sw_free((*stepper)->drive);
    sw_free((*stepper)->param);
    sw_free(*stepper);
    *stepper = NULL;
}

const char *sw_stepper_row(int k) { return sw_stepper_table[k] ? sw_stepper_table[k]->name : NULL; }

const char *sw_stepper_name(const struct sw_stepper *stepper) { return stepper->name; }

struct sw_cost sw_stepper_cost(const struct sw_stepper *stepper, int64_t steps)
{
    return stepper->ops->cost ? stepper->ops->cost(stepper, steps) : (struct sw_cost){NAN, NAN};
}

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

enum sw_status sw_stepper_try_compile(const struct sw_stepper_desc *desc, const char *row, int sm)
{
    struct choice c;
    SW_TRY(check_desc(desc));
    SW_TRY(split_name(row, &c));
    for (int k = 0; sw_stepper_table[k]; k++) {
        const struct sw_stepper_ops *o = sw_stepper_table[k];
        if (!sw_row_named(&rows, &o->row, name_of(&c))) continue;
        if (c.row[0] && o->absent) return SW_FAIL(SW_E_ABSENT, "stepper %s: %s", o->name, o->absent);
        if (!o->absent && o->try_compile && fits(o, desc, sm)) return o->try_compile(desc, sm);
        if (c.row[0]) return SW_OK;
    }
    return c.row[0] ? SW_FAIL(SW_E_ABSENT, "there is no stepper '%s'", c.row) : SW_OK;
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
    return sw_band_error_growth(c.band) * sw_line_band_rounding(a);
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

double sw_stepper_step_rounding(const struct sw_stepper *s)
{
    const struct sw_line_model *m = &s->desc.model;
    double largest = 0.0;
    for (int j = 0; j < s->count; j++)
        for (int v = 0; v < sw_line_unknowns(m); v++) {
            const struct sw_line_operator a = sw_line_matrix_of(&s->run[j].a[v], &m->mass[v]);
            largest = fmax(largest, sw_stepper_rounding(s->name, &a, s->desc.single_steps));
        }
    return errors_of_stages(m->scheme) * largest;
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

enum sw_status sw_stepper_load(struct sw_stepper *stepper, int count, const struct sw_line_run *run,
                               const double *param, const char **load_error)
{
    if (count < 1 || count > stepper->desc.capacity)
        return SW_FAIL(SW_E_ARG, "a batch of %d runs, where there is room for 1 to %d", count, stepper->desc.capacity);
    if (stepper->desc.uniform) SW_TRY(check_uniform(count, sw_line_unknowns(&stepper->desc.model), run));
    stepper->count = count;
    memcpy(stepper->run, run, (size_t)count * sizeof *run);
    if (stepper->desc.model.nparam)
        memcpy(stepper->param, param, (size_t)count * (size_t)stepper->desc.model.nparam * sizeof *param);
    for (int j = 0; j < count; j++) load_error[j] = sw_stepper_fault(stepper, &run[j]);
    if (stepper->desc.own_steps) SW_TRY(sw_own_drive_load(stepper));
    return stepper->ops->load(stepper, load_error);
}

enum sw_status sw_stepper_initial(struct sw_stepper *stepper)
{
    for (int v = 0; v < sw_line_unknowns(&stepper->desc.model); v++)
        if (!stepper->desc.model.initial[v])
            return SW_FAIL(SW_E_ARG, "there is no initial value: the model has no expression for it");
    stepper->step = 0;
    return stepper->ops->initial(stepper);
}

enum sw_status sw_stepper_set_state(struct sw_stepper *stepper, const double *u)
{
    stepper->step = 0;
    return stepper->ops->set_state(stepper, u);
}

enum sw_status sw_stepper_get_state(struct sw_stepper *stepper, double *u)
{
    return stepper->ops->get_state(stepper, u);
}

bool sw_stepper_device_state(const struct sw_stepper *stepper, struct sw_stepper_state *state)
{
    if (!stepper->ops->device_state) return false;
    stepper->ops->device_state(stepper, state);
    return true;
}

enum sw_status sw_stepper_advance(struct sw_stepper *stepper, int64_t from, int64_t to)
{
    if (from < 0 || to < from)
        return SW_FAIL(SW_E_ARG, "cannot advance from step %lld to %lld", (long long)from, (long long)to);
    if (stepper->desc.own_steps && (!stepper->desc.times || to > stepper->desc.goals * SW_OWN_STEPS_TICKS))
        return SW_FAIL(SW_E_ARG, "cannot advance to tick %lld: there are no times for it", (long long)to);
    stepper->step = to;
    return from == to ? SW_OK : stepper->ops->advance(stepper, from, to);
}

enum sw_status sw_stepper_snapshot(struct sw_stepper *stepper, int slot, int what)
{
    if (slot < 0 || slot >= SW_SNAPSHOT_SLOTS)
        return SW_FAIL(SW_E_ARG, "slot %d, there are 0 to %d", slot, SW_SNAPSHOT_SLOTS - 1);
    return stepper->ops->snapshot(stepper, slot, what);
}

enum sw_status sw_stepper_fetch(struct sw_stepper *stepper, int slot, const void **field, const double **scalars)
{
    if (slot < 0 || slot >= SW_SNAPSHOT_SLOTS)
        return SW_FAIL(SW_E_ARG, "slot %d, there are 0 to %d", slot, SW_SNAPSHOT_SLOTS - 1);
    return stepper->ops->fetch(stepper, slot, field, scalars);
}

enum sw_status sw_stepper_diverged(struct sw_stepper *stepper, int64_t *step)
{
    return stepper->ops->diverged(stepper, step);
}

struct sw_line_place sw_stepper_place(const struct sw_stepper *stepper, int j)
{
    struct sw_line_place place = {0};
    if (stepper->ops->place) stepper->ops->place(stepper, j, &place);
    return place;
}

enum sw_status sw_stepper_get_own_steps(struct sw_stepper *stepper, struct sw_own_steps *steps)
{
    return stepper->ops->get_own_steps(stepper, steps);
}

enum sw_status sw_stepper_set_own_steps(struct sw_stepper *stepper, const struct sw_own_steps *steps)
{
    return stepper->ops->set_own_steps(stepper, steps);
}
