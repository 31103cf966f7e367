#include "elliptic/sw_elliptic.h"

#include <math.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "elliptic/sw_elliptic_impl.h"

static const char only_some_do_spheres[] =
    "it solves boxes and single panels, not the whole sphere: cpu.multigrid, cpu.interleaved and cpu.pcg do";

static const char *refuse_shape(const struct sw_elliptic_ops *o, const struct sw_elliptic_desc *desc)
{
    if (desc->single && !o->single) return o->absent ? o->absent : "it computes in double precision only";
    if (sw_elliptic_is_sphere(desc) && !o->spheres) return only_some_do_spheres;
    return o->refuse ? o->refuse(desc) : NULL;
}

static const char *refuse(const struct sw_row *row, const void *request, enum sw_status *kind)
{
    const struct sw_elliptic_ops *o = (const struct sw_elliptic_ops *)row;
    const struct sw_elliptic_desc *desc = request;
    (void)kind;
    if (desc->cut.comm && sw_elliptic_is_sphere(desc)) return "the whole sphere is not cut over ranks";
    if (!o && desc->single) return "no row does this shape in single precision";
    if (!o && sw_elliptic_is_sphere(desc))
        return "no row solves the whole sphere (cpu.multigrid, cpu.interleaved and cpu.pcg do)";
    if (!o) return desc->cut.comm ? "no row solves a grid that is cut over ranks" : "no row does this shape";
    if (sw_elliptic_is_sphere(desc) && !o->spheres) return only_some_do_spheres;
    if (desc->cut.comm && !o->cuts) return "it solves whole grids only, none that is cut over ranks";
    if (desc->cut.comm && desc->single) return "grids that are cut over ranks are solved in double precision only";
    return refuse_shape(o, desc);
}

static bool slower(const struct sw_row *row, const void *request)
{
    const struct sw_elliptic_ops *o = (const struct sw_elliptic_ops *)row;
    return o->slower && o->slower(request);
}

/* "cpu.pcg" by its name, or by what follows its place. */
SW_ROWS(rows, "elliptic solver", sw_elliptic_table, .refuse = refuse, .slower = slower, .places_optional = true);

static enum sw_status pick(const struct sw_elliptic_desc *desc, const char *name, const struct sw_device *device,
                           const struct sw_elliptic_ops **ops)
{
    const struct sw_row *row = NULL;
    if (desc->batch < 1) return SW_FAIL(SW_E_ARG, "batch = %d: there is no system", desc->batch);
    SW_TRY(sw_row_pick(&rows, name, device->space, desc, &row));
    *ops = (const struct sw_elliptic_ops *)row;
    if (desc->single) *ops = (*ops)->single;
    return SW_OK;
}

static enum sw_status fill(struct sw_elliptic *s)
{
    SW_TRY(sw_device_use(s->device));
    SW_TRY(sw_alloc_bytes(1, s->ops->own_size, &s->own));
    s->ops->arrays(s);
    if (s->arrays.status || !s->ops->create || s->device->compiles_only) return s->arrays.status;
    return s->ops->create(s);
}

enum sw_status sw_elliptic_create(const struct sw_elliptic_desc *desc, const char *name, struct sw_device *device,
                                  struct sw_elliptic **solver)
{
    const struct sw_elliptic_ops *ops = NULL;
    struct sw_elliptic *s = NULL;
    *solver = NULL;
    SW_TRY(pick(desc, name, device, &ops));
    SW_TRY(sw_alloc(1, &s));
    *s = (struct sw_elliptic){.ops = ops, .desc = *desc, .device = device,
                              .arrays = {.device = device, .host = ops->own_size}};
    const enum sw_status st = fill(s);
    if (st) sw_elliptic_destroy(&s);
    *solver = s;
    return st;
}

enum sw_status sw_elliptic_load(struct sw_elliptic *s, int count, const struct sw_elliptic_numbers *numbers,
                                const struct sw_elliptic_matrix *matrix)
{
    if (count < 0 || count > s->desc.batch)
        return SW_FAIL(SW_E_ARG, "%d systems for a solver of %d", count, s->desc.batch);
    s->count = count;
    s->numbers = numbers;
    s->matrix = matrix;
    if (!s->ops->load) return SW_OK;
    SW_TRY(sw_device_use(s->device));
    return s->ops->load(s);
}

static enum sw_status solve_system(struct sw_elliptic *s, int j, const double *f, double *u,
                                   struct sw_elliptic_outcome *outcome, double *history, int most)
{
    const size_t cells = sw_elliptic_cells(&s->desc), entries = (size_t)most + 1;
    return s->ops->solve_one(s, j, f + (size_t)j * cells, u + (size_t)j * cells, &outcome[j],
                             history ? history + (size_t)j * entries : NULL, most);
}

/* A cycle of multigrid that works leaves less than half. Coefficients that jump by much from cell to cell make it of no
 * use, and, where transfer is by distances, indefinite: then it hardly gets on, or breaks down. */
static bool is_stuck(const struct sw_elliptic_outcome *o)
{
    if (!o->fault || o->iterations == 0) return false;
    return o->fault == SW_ELLIPTIC_INDEFINITE || o->fault == SW_ELLIPTIC_NOT_FINITE ||
           !(o->residual <= pow(0.9, o->iterations));
}

static bool may_fall_back(const struct sw_elliptic_desc *d, const struct sw_elliptic_ops *ops)
{
    return ops->falls_back && d->variable;
}

static enum sw_status solve_by_other(struct sw_elliptic *s, int j, const double *f, double *u,
                                     struct sw_elliptic_outcome *outcome, double *history, int most)
{
    struct sw_elliptic_desc one = s->desc;
    one.batch = 1;
    if (!s->other) SW_TRY(sw_elliptic_create(&one, s->ops->falls_back, s->device, &s->other));
    SW_TRY(sw_elliptic_load(s->other, 1, &s->numbers[j], &s->matrix[j]));
    SW_TRY(sw_elliptic_solve(s->other, f, u, outcome, history, most));
    outcome->by = s->ops->falls_back;
    return SW_OK;
}

/* The other row begins anew. Where it does not get there either, the u with the smaller residual is kept. */
static enum sw_status fall_back(struct sw_elliptic *s, int j, const double *f, double *u,
                                struct sw_elliptic_outcome *outcome, double *history, int most)
{
    const size_t cells = sw_elliptic_cells(&s->desc), entries = history ? (size_t)most + 1 : 0;
    const struct sw_elliptic_outcome before = outcome[j];
    double *kept = NULL, *const own = u + (size_t)j * cells, *const line = history + (size_t)j * entries;
    SW_TRY(sw_alloc(cells + entries, &kept));
    enum sw_status st = sw_device_download(s->device, kept, own, cells * sizeof *kept);
    if (entries) memcpy(kept + cells, line, entries * sizeof *kept);
    if (!st) st = solve_by_other(s, j, f + (size_t)j * cells, own, &outcome[j], history ? line : NULL, most);
    if (!st && outcome[j].fault && before.residual < outcome[j].residual) {
        outcome[j] = before;
        st = sw_device_upload(s->device, own, kept, cells * sizeof *kept);
        if (entries) memcpy(line, kept + cells, entries * sizeof *kept);
    }
    sw_free(kept);
    return st;
}

enum sw_status sw_elliptic_solve(struct sw_elliptic *s, const double *f, double *u,
                                 struct sw_elliptic_outcome *outcome, double *history, int most)
{
    SW_TRY(sw_device_use(s->device));
    if (s->ops->solve) SW_TRY(s->ops->solve(s, f, u, outcome, history, most));
    for (int j = 0; j < s->count && !s->ops->solve; j++) SW_TRY(solve_system(s, j, f, u, outcome, history, most));
    for (int j = 0; j < s->count; j++) {
        outcome[j].by = NULL;
        if (may_fall_back(&s->desc, s->ops) && is_stuck(&outcome[j]))
            SW_TRY(fall_back(s, j, f, u, outcome, history, most));
    }
    return SW_OK;
}

static enum sw_status add_bytes(const struct sw_elliptic_ops *ops, const struct sw_elliptic_desc *desc,
                                const struct sw_device *device, size_t *bytes)
{
    struct sw_device here = *device;
    struct sw_elliptic s = {.ops = ops, .desc = *desc, .device = &here,
                            .arrays = {.counts = true, .host = ops->own_size}};
    SW_TRY(sw_alloc_bytes(1, ops->own_size, &s.own));
    ops->arrays(&s);
    sw_free(s.own);
    *bytes += sw_owned_bytes(&s.arrays, ops->space) + (ops->other_bytes ? ops->other_bytes(desc, device) : 0);
    return SW_OK;
}

enum sw_status sw_elliptic_bytes(const struct sw_elliptic_desc *desc, const char *name, const struct sw_device *device,
                                 size_t *bytes)
{
    const struct sw_elliptic_ops *ops = NULL;
    *bytes = 0;
    SW_TRY(pick(desc, name, device, &ops));
    SW_TRY(add_bytes(ops, desc, device, bytes));
    if (!may_fall_back(desc, ops)) return SW_OK;
    struct sw_elliptic_desc one = *desc;
    one.batch = 1;
    return add_bytes((const struct sw_elliptic_ops *)sw_row_find(&rows, ops->falls_back), &one, device, bytes);
}

const char *sw_elliptic_choice(const struct sw_elliptic_desc *desc, const char *name, const struct sw_device *device)
{
    const struct sw_elliptic_ops *ops = NULL;
    return pick(desc, name, device, &ops) ? NULL : ops->name;
}

const char *sw_elliptic_refusal(const struct sw_elliptic_desc *desc, const char *name)
{
    const struct sw_elliptic_ops *ops = name ? (const struct sw_elliptic_ops *)sw_row_find(&rows, name) : NULL;
    return ops ? refuse_shape(ops, desc) : NULL;
}

struct sw_cost sw_elliptic_cost(const struct sw_elliptic *s)
{
    return s->ops->cost ? s->ops->cost(&s->desc) : (struct sw_cost){NAN, NAN};
}

const char *sw_elliptic_name(const struct sw_elliptic *s) { return s->ops->name; }

const char *sw_elliptic_row(int k)
{
    for (int row = 0; sw_elliptic_table[row]; row++)
        if (row == k / 2) return k % 2 ? strchr(sw_elliptic_table[row]->name, '.') + 1 : sw_elliptic_table[row]->name;
    return NULL;
}

void sw_elliptic_destroy(struct sw_elliptic **solver)
{
    if (!solver || !*solver) return;
    struct sw_elliptic *s = *solver;
    sw_elliptic_destroy(&s->other);
    if (s->own && s->ops->destroy) s->ops->destroy(s);
    sw_owned_free(&s->arrays);
    sw_free(s->own);
    sw_free(s);
    *solver = NULL;
}
