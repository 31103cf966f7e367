#include "problem/fields/fields_sim.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "device/sw_device.h"
#include "problem/fields/fields_sim_impl.h"

/* ------------------------------------------------------------------ which row */

extern const struct fields_row_ops fields_simd_cpu, fields_plain_cpu, fields_fourier_cpu, fields_fused_cuda,
    fields_stream_cuda, fields_cufft_cuda;

const struct fields_row_ops *const fields_sim_table[] = {
    &fields_simd_cpu,     /* full blocks, lines beside each other; threads over runs or within one            */
    &fields_plain_cpu,    /* rows along x by the interpreter, then recursions along each axis: the reference  */
    &fields_fourier_cpu,  /* the same with exact solves by Fourier transforms                                 */
    &fields_fused_cuda,   /* all steps between two outputs in one kernel, a run in a block's or cluster's memory */
    &fields_stream_cuda,  /* through memory, a pass over rows and one over columns along each other axis      */
    &fields_cufft_cuda,   /* the same with exact solves by cuFFT: for what only these solve, else by its name */
    0,
};

static bool is_exact(const struct fields_row_ops *o) { return o->solves && o->solves->exact; }

static const char *misfit_of(const struct fields_row_ops *o, const struct fields_desc *d, int sm)
{
    if (d->terms->high && !is_exact(o))
        return "a product of line matrices loses its accuracy with derivatives beyond the fourth order; stepper = "
               "\"cpu.fourier\" and \"cuda.cufft\" solve exactly";
    if (!o->takes_walls && !fields_are_periodic(d)) return "it steps fields that are periodic along all axes";
    if (!o->takes_paces && d->paces) return "it takes as many steps in all runs of a batch";
    return o->fits(d, sm) ? NULL : o->misfit;
}

struct request { const struct fields_desc *desc; int sm; };

static const char *refuse(const struct sw_row *row, const void *request, enum sw_status *kind)
{
    const struct fields_row_ops *o = (const struct fields_row_ops *)row;
    const struct request *r = request;
    (void)kind;
    if (!o) return "no row steps fields in two and three dimensions on this device";
    return misfit_of(o, r->desc, r->sm);
}

static bool is_slower(const struct sw_row *row, const void *request)
{
    const struct fields_row_ops *o = (const struct fields_row_ops *)row;
    const struct request *r = request;
    return o->slower && o->slower(r->desc, r->sm);
}

SW_ROWS(rows, "stepper", fields_sim_table, .refuse = refuse, .slower = is_slower);

const char *fields_sim_row(int k) { return fields_sim_table[k] ? fields_sim_table[k]->name : NULL; }

static enum sw_status pick(const struct fields_desc *d, const char *name, const struct sw_device *device,
                           const struct fields_row_ops **ops)
{
    const struct sw_row *row = NULL;
    if (d->capacity < 1) return SW_FAIL(SW_E_ARG, "room for %d runs asked for, need at least 1", d->capacity);
    for (int a = 0; a < d->terms->dimensions; a++)
        if (d->n[a] < 5) return SW_FAIL(SW_E_ARG, "%lld points along an axis: at least 5", (long long)d->n[a]);
    if (sw_points(d->n) > INT_MAX) return SW_FAIL(SW_E_ARG, "%lld points: too many", (long long)sw_points(d->n));
    if (d->own_steps && !fields_method_of(d->scheme)->estimates)
        return SW_FAIL(SW_E_ARG, "steps of each run's own need a method that estimates errors");
    const struct request request = {d, device->sm};
    SW_TRY(sw_row_pick(&rows, name, device->space, &request, &row));
    *ops = (const struct fields_row_ops *)row;
    return SW_OK;
}

bool fields_sim_is_exact(const struct fields_desc *desc, const char *row)
{
    const bool any = !row || !strcmp(row, "auto");
    for (int k = 0; fields_sim_table[k]; k++)
        if (any ? fields_sim_table[k]->space == SW_HOST && !misfit_of(fields_sim_table[k], desc, 0)
                : !strcmp(fields_sim_table[k]->name, row))
            return is_exact(fields_sim_table[k]);
    return false;
}

bool fields_sim_takes_paces(const struct fields_desc *desc, const char *row, const struct sw_device *device)
{
    const struct fields_row_ops *ops = NULL;
    return !pick(desc, row, device, &ops) && ops->takes_paces;
}

enum sw_status fields_sim_bytes(const struct fields_desc *desc, const char *row, const struct sw_device *device,
                                size_t *fixed, size_t *per_run)
{
    const struct fields_row_ops *ops = NULL;
    SW_TRY(pick(desc, row, device, &ops));
    ops->bytes(desc, device, fixed, per_run);
    if (ops->solves && ops->space == SW_HOST) *fixed += (size_t)device->threads * ops->solves->bytes(desc);
    return SW_OK;
}

/* ------------------------------------------------------------------ what the sims of all rows share */

static const char *solver_name(const struct sw_sim *sim) { return fields_sim_of(sim)->ops->name; }

static size_t state_size(const struct sw_sim *sim) { return fields_size(&fields_sim_of(sim)->desc); }

/* Why a run cannot be advanced, a static text; NULL: it can. */
static const char *fault_of(const struct fields_desc *d, const struct fields_run *r)
{
    for (int a = 0; a < d->terms->dimensions; a++) {
        if (!isfinite(r->grid.x0[a])) return "x0 is not finite";
        if (!(isfinite(r->grid.dx[a]) && r->grid.dx[a] > 0.0)) return "the grid spacing is not a positive number";
    }
    if (!d->own_steps) return isfinite(r->grid.dt) && r->grid.dt > 0.0 ? NULL : "dt is not a positive number";
    return sw_own_steps_fault(r->tolerance, r->absolute, r->first_dt);
}

static enum sw_status load(struct sw_sim *sim, int count, const double *column, const char **load_error)
{
    struct fields_sim *s = fields_sim_of(sim);
    SW_TRY(sw_stepped_load(&s->stepped, count));
    SW_TRY(s->source.fill(s->source.own, count, column, s->run, s->param));
    s->count = count;
    s->step = -1;
    for (int j = 0; j < count; j++) load_error[j] = fault_of(&s->desc, &s->run[j]);
    return s->ops->load(s, load_error);
}

static enum sw_status advance(struct sw_sim *sim, int64_t from, int64_t to)
{
    struct fields_sim *s = fields_sim_of(sim);
    SW_TRY(sw_stepped_advance(&s->stepped, from, to));
    return from == to ? SW_OK : s->ops->advance(s, from, to);
}

static void explain_early_end(const struct sw_sim *sim, int j, const double *record, bool finite, struct sw_text *text)
{
    const struct fields_sim *s = fields_sim_of(sim);
    if (!finite) sw_stepped_explain_end(&s->stepped, record, s->run[j].absolute > 0, text);
}

/* With dt given, a product of line matrices damps waves that are stiff along two axes hardly at all: such steps settle
 * on a state that half the dt does not tell from a right one. F does: it would change u by more than u has, in a step.
 * Noise does so, too. */
static enum sw_status get_change(struct sw_sim *sim, double *record)
{
    struct fields_sim *s = fields_sim_of(sim);
    for (int j = 0; j < s->count; j++) record[j] = 0;
    return s->step < 0 || s->desc.terms->noise ? SW_OK : s->ops->look_ahead(s, record);
}

static void explain_change(const struct sw_sim *sim, int j, const double *record, bool finite, struct sw_text *text)
{
    const double dt = fields_sim_of(sim)->run[j].grid.dt;
    if (finite && record[0] > 1)
        sw_text_set(text, "dt = %.3g is too long: at the end the right-hand side would change u by %.2g times its "
                    "range in one more step, which such steps cannot follow; take a smaller dt, or give time.tolerance",
                    dt, record[0]);
}

/* ------------------------------------------------------------------ life */

static void destroy(struct sw_sim *sim)
{
    struct fields_sim *s = fields_sim_of(sim);
    if (!s) return;
    if (s->own) s->ops->destroy(s);
    s->source.destroy(s->source.own);
    sw_stepped_free(&s->stepped);
}

/* Those that all rows share, to the row's own. */
static void add_operations(struct fields_sim *s)
{
    struct sw_sim_ops *o = &s->operations;
    sw_stepped_take_operations(&s->stepped, s->ops->sim);
    o->solver_name = solver_name;
    o->load = load;
    o->advance = advance;
    o->destroy = destroy;
    s->states.size = state_size;
    if (s->desc.own_steps) {
        s->records.warn = explain_early_end;
    } else if (s->ops->look_ahead) {
        s->records = (struct sw_record_ops){.numbers = 1, .get = get_change, .warn = explain_change};
        o->records = &s->records;
    }
}

enum sw_status fields_sim_create(const struct fields_desc *desc, const char *row, struct sw_device *device,
                                 const struct fields_source *source, struct sw_sim **sim)
{
    struct fields_sim *s = NULL;
    const struct fields_row_ops *ops = NULL;
    *sim = NULL;
    enum sw_status st = pick(desc, row, device, &ops);
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
    sw_array(&s->arrays, (size_t)desc->capacity, &s->run);
    sw_array(&s->arrays, (size_t)desc->capacity * (size_t)desc->nparam, &s->param);
    SW_TRY_TO(failed, st, s->arrays.status);
    SW_TRY_TO(failed, st, sw_alloc_bytes(1, ops->own_size, &s->own));
    SW_TRY_TO(failed, st, ops->create(s));
    *sim = &s->sim;
    return SW_OK;
failed:
    destroy(&s->sim);
    return st;
}
