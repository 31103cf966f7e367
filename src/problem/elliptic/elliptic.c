/* Elliptic problems in boxes, in shells and on the sphere (docs/explanation/elliptic.md). elliptic_sim.c solves them;
 * this file has the keys, what is refused, and what is said of a run before it is computed. */
#include "problem/elliptic/elliptic.h"

#include <math.h>
#include <stdio.h>

#include "base/sw_cubed_sphere.h"
#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "comm/sw_comm.h"
#include "problem/nonfinite.h"

static void grid(const struct sw_setup *setup, int64_t count, const double *column, int64_t j, struct sw_grid *g)
{
    const struct sw_elliptic_desc d = elliptic_describe(setup, 1);
    const struct elliptic_points centres = {.kind = ELLIPTIC_CENTRES};
    const double dt = g->dt;
    *g = elliptic_grid(&d, sw_setup_number(setup, "grid.depth", count, column, j), centres);
    g->dt = dt;
}

/* What holds on walls; along z of three dimensions only. */
static enum sw_status describe(const struct sw_setup *setup, struct sw_text *text)
{
    static const char *const name[] = {"sides", "bottom", "top"};
    const struct sw_elliptic_desc d = elliptic_describe(setup, 1);
    const enum sw_elliptic_wall wall[] = {d.sides[0], d.bottom, d.top};
    const struct sw_function *value = sw_setup_find(setup, "boundary.value");
    for (int k = 0; k < (setup->dim > 2 ? 3 : 1); k++) {
        const enum sw_elliptic_wall w = wall[k];
        if (w == SW_ELLIPTIC_SEAM) {
            sw_text_printf(text, "%-9ssix panels, joined\n", name[k]);
            continue;
        }
        sw_text_printf(text, "%-9s%s", name[k],
                       w == SW_ELLIPTIC_PERIODIC ? "periodic" : w == SW_ELLIPTIC_NEUMANN ? "no flux" : "u = ");
        if (w == SW_ELLIPTIC_DIRICHLET) sw_text_add(text, value ? value->text : "0");
        sw_text_add(text, "\n");
    }
    return SW_OK;
}

/* ------------------------------------------------------------------ what is refused */

static const char *refuse_grid(int dim, double cells, struct sw_text *why)
{
    if (dim < 2)
        return sw_refuse(why, "grid.n", "an elliptic problem has 2 or 3 dimensions: n = [nx, ny] or [nx, ny, nz]");
    if (cells <= 0x1p36) return NULL;
    return sw_refuse(why, "grid.n", "%.3g cells: 2^36 at most, and 2^31 on each device", cells);
}

/* What a shell, or a grid without levels, does not have. */
static const char *refuse_geometry(const struct sw_setup *setup, const struct sw_elliptic_desc *d, int dim,
                                   struct sw_text *why)
{
    static const char *const coefficient[] = {"kx", "ky", "kz"};
    const bool shell = d->geometry == SW_ELLIPTIC_SHELL;
    if (shell && d->sides[0] == SW_ELLIPTIC_PERIODIC)
        return sw_refuse(why, "boundary.sides", "a panel of the shell has walls at its sides: dirichlet or neumann");
    for (int k = 0; k < 3; k++)
        if (shell && sw_setup_find(setup, coefficient[k]))
            return sw_refuse(why, coefficient[k], "the coefficients of a shell are those of the sphere; geometry = "
                             "\"box\" has others");
    if (dim == 2 && (d->bottom != SW_ELLIPTIC_NEUMANN || d->top != SW_ELLIPTIC_NEUMANN))
        return sw_refuse(why, d->bottom != SW_ELLIPTIC_NEUMANN ? "boundary.bottom" : "boundary.top",
                         "a grid of 2 dimensions has no bottom and no top: leave it at neumann");
    if (dim != 2 || !sw_setup_find(setup, "kz")) return NULL;
    return sw_refuse(why, "kz", "a grid of 2 dimensions has no fluxes along z");
}

/* @param n  grid.n */
static const char *refuse_sphere(const struct sw_setup *setup, const int64_t n[SW_DIMS], struct sw_text *why)
{
    if (n[0] != n[1])
        return sw_refuse(why, "grid.n", "%lld x %lld cells of a panel: six panels make the sphere, joined cell by cell "
                         "at all their sides, so that both numbers are the same", (long long)n[0], (long long)n[1]);
    if (!sw_setup_chosen(setup, "boundary.sides", "dirichlet"))
        return sw_refuse(why, "boundary.sides", "the sphere has no sides: leave it out");
    return NULL;
}

static const char *refuse_physics(const struct sw_setup *setup, const struct sw_elliptic_desc *d, int64_t ld,
                                  const double *column, int64_t j, struct sw_text *why)
{
    const bool gauge = sw_setup_chosen(setup, "gauge", "zero_mean"),
               singular = sw_elliptic_is_singular(d, sw_setup_number(setup, "physics.delta", ld, column, j)),
               omega2 = sw_setup_number(setup, "physics.omega2", ld, column, j) > 0,
               courant = sw_setup_number(setup, "physics.courant", ld, column, j) > 0;
    if (omega2 == courant)
        return sw_refuse(why, omega2 ? "physics.courant" : "physics.omega2", "give one of physics.omega2 and "
                         "physics.courant, above 0");
    if (courant && !(elliptic_numbers(setup, ld, column, j).omega2 > 0))
        return sw_refuse(why, "physics.courant", "omega2 = (courant dx/2)^2 is 0 in double precision");
    if (singular && !gauge)
        return sw_refuse(why, "physics.delta", "with delta = 0 and no dirichlet wall u is known up to a constant only: "
                         "set gauge = \"zero_mean\", where f has the mean 0");
    /* its only neighbours are above and below: the solvers of a column, whose matrix is singular, divide by 0 */
    if (singular && d->n[0] * d->n[1] == 1 && d->sides[0] != SW_ELLIPTIC_PERIODIC)
        return sw_refuse(why, "boundary.sides", "delta = 0, and a single column has no neighbours: %s",
                         d->geometry == SW_ELLIPTIC_BOX ?
                         "boundary.sides = \"periodic\" is the same problem, and is solved" : "take more than one");
    if (!gauge || singular) return NULL;
    return sw_refuse(why, "gauge", "u is determined by delta or by a dirichlet wall, and has the mean it has: leave it "
                     "out");
}

/* A row that has no single precision, with those that have it; a tolerance that no rounded u has. */
static const char *refuse_single(const struct sw_elliptic_desc *d, const char *solver, double tolerance,
                                 struct sw_text *why)
{
    const char *refusal = sw_elliptic_refusal(d, solver), *row;
    struct sw_elliptic_desc in_double = *d;
    in_double.single = false;
    if (refusal && !sw_elliptic_refusal(&in_double, solver)) {
        sw_text_set(why, "%s; in single:", refusal);
        for (int k = 0; (row = sw_elliptic_row(k)); k += 2)
            if (!sw_elliptic_refusal(d, row)) sw_text_printf(why, " %s", row);
        return "solver";
    }
    if (tolerance >= SW_ELLIPTIC_SINGLE_TOLERANCE) return NULL;
    return sw_refuse(why, "tolerance", "with run.precision = \"single\" u is rounded by 6e-08: tolerance is at least "
                     "%g, more where levels are thin; or take \"double\"", SW_ELLIPTIC_SINGLE_TOLERANCE);
}

static const char *idle_key(const struct sw_setup *setup, struct sw_text *why)
{
    return setup->dim == 2 ? sw_refuse(why, "physics.lambda2", "a grid of 2 dimensions has no fluxes along z") : NULL;
}

static const char *validate_run(const struct sw_setup *setup, const char *solver, int ld, const double *column, int j,
                                struct sw_text *why)
{
    const struct sw_elliptic_desc d = elliptic_describe_run(setup, ld, column, j);
    const int dim = (int)sw_setup_number(setup, "grid.dim", ld, column, j);
    const double cells = (double)d.n[0] * (double)d.n[1] * (double)d.n[2];
    const char *key, *refusal;
    if ((key = refuse_grid(dim, cells, why)) || (key = refuse_geometry(setup, &d, dim, why))) return key;
    if (elliptic_on_sphere(setup) &&
        (key = refuse_sphere(setup, (const int64_t[SW_DIMS]){d.n[0], d.n[1] / SW_PANELS, d.n[2]}, why)))
        return key;
    if ((key = refuse_physics(setup, &d, ld, column, j, why))) return key;
    if (sw_setup_find(setup, "boundary.value") && sw_elliptic_is_singular(&d, 0))
        return sw_refuse(why, "boundary.value", "no wall is a dirichlet one: boundary.value is not used");
    const double tolerance = sw_setup_number(setup, "tolerance", ld, column, j);
    if (d.single && (key = refuse_single(&d, solver, tolerance, why))) return key;
    if (!(refusal = sw_elliptic_refusal(&d, solver))) return NULL;
    return sw_refuse(why, "solver", "%s", refusal);
}

/* A run is looked at before it is computed, and so are others. */
static struct elliptic_run run_of(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j)
{
    return (struct elliptic_run){.setup = setup,
                                 .desc = elliptic_describe_run(setup, ld, column, j),
                                 .dim = (int)column[sw_setup_column(setup, "grid.dim") * ld + j],
                                 .depth = elliptic_numbers(setup, ld, column, j).depth,
                                 .column = column + j,
                                 .stride = ld,
                                 .threads = 1};
}

/* ------------------------------------------------------------------ numbers that are not finite */

static enum sw_status name_nonfinite(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                     const double *span, struct sw_text *text)
{
    static const struct sw_config_text f[] = {{.key = "f", .once = true}, {0}};
    const struct elliptic_run run = run_of(setup, ld, column, j);
    struct sw_setup one = *setup;
    one.dim = run.dim;
    for (int a = 0; a < SW_DIMS; a++) one.n[a] = run.desc.n[a];
    return sw_nonfinite_name(&one, ld, column, j, f, span, text);
}

/* What a text gives on one kind of points; more of them than sw_nonfinite_name() evaluates are left to the run.
 * @param key  NULL: of boundary.value */
static enum sw_status find_bad(const struct elliptic_run *run, const char *key, struct elliptic_points points,
                               struct sw_text *text)
{
    int64_t n[SW_DIMS];
    const int64_t count = elliptic_count(&run->desc, points, n);
    const struct sw_program *program = key ? sw_setup_function(run->setup, key) : NULL;
    double *value;
    if (count > SW_NONFINITE_VALUES) return SW_OK;
    SW_TRY(sw_alloc((size_t)count, &value));
    const enum sw_status st = key ? elliptic_sample(run, program, points, value)
                                  : elliptic_sample_walls(run, points.axis, value);
    const int64_t bad = st ? -1 : elliptic_find_bad(value, n, key != NULL);
    if (bad >= 0) {
        elliptic_say_bad(run, key ? key : "boundary.value", points, bad, value[elliptic_place(n, bad)], text);
        sw_text_add(text, ": the run will fail");
    }
    sw_free(value);
    return st;
}

static enum sw_status warn_bad(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                               const double *state, struct sw_text *text)
{
    static const char *const key[] = {"kx", "ky", "kz"};
    const struct elliptic_run run = run_of(setup, ld, column, j);
    (void)state;
    for (int axis = 0; axis < SW_DIMS && !text->length; axis++) {
        if (sw_setup_find(setup, key[axis]))
            SW_TRY(find_bad(&run, key[axis], (struct elliptic_points){.kind = ELLIPTIC_FACES, .axis = axis}, text));
        if (!text->length && sw_setup_find(setup, "boundary.value") && elliptic_holds_u(&run.desc, axis))
            SW_TRY(find_bad(&run, NULL, (struct elliptic_points){.kind = ELLIPTIC_WALLS, .axis = axis}, text));
    }
    return SW_OK;
}

/* ------------------------------------------------------------------ systems that are none, or have no solution */

/* Of one column, which has what can be wrong with all of them. */
static enum sw_status warn_levels(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                  const double *state, struct sw_text *text)
{
    const struct sw_elliptic_numbers numbers = elliptic_numbers(setup, ld, column, j);
    struct sw_elliptic_desc d = elliptic_describe_run(setup, ld, column, j);
    struct sw_elliptic_matrix m;
    (void)state;
    d.n[0] = 1;
    d.n[1] = sw_elliptic_is_sphere(&d) ? SW_PANELS : 1;
    d.variable = false;
    const enum sw_status st = sw_elliptic_matrix_make(&d, &numbers, NULL, NULL, &m);
    if (!st) sw_elliptic_matrix_free(&m);
    if (st == SW_E_ARG) sw_text_set(text, "%s: the run will fail", sw_err_message());
    return st == SW_E_ARG ? SW_OK : st;
}

/* The mean of a text where a gauge wants it to be 0, by the first of the finer rules. Coefficients do not matter.
 * @param kind  out: SW_MEAN_OF_GRID as well where there is no such text, or there are too many cells to look at */
static enum sw_status look_at_mean(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                   const char *key, enum sw_mean_kind *kind, struct elliptic_taken *taken)
{
    const struct sw_elliptic_numbers numbers = elliptic_numbers(setup, ld, column, j);
    const struct elliptic_run run = run_of(setup, ld, column, j);
    const struct elliptic_points centres = {.kind = ELLIPTIC_CENTRES};
    const size_t cells = (size_t)sw_points(run.desc.n);
    struct sw_elliptic_desc d = run.desc;
    struct sw_elliptic_matrix m;
    double *values = NULL;
    *kind = SW_MEAN_OF_GRID;
    d.variable = false;
    if (!sw_elliptic_is_singular(&d, numbers.delta) || !sw_setup_find(setup, key) || cells > SW_NONFINITE_VALUES)
        return SW_OK;
    enum sw_status st = sw_elliptic_matrix_make(&d, &numbers, NULL, NULL, &m);
    if (st) return st == SW_E_ARG ? SW_OK : st;  /* warn_levels() says why */
    st = sw_alloc(2 * cells, &values);
    double *f = st ? NULL : values + cells;
    if (!st) st = elliptic_sample(&run, sw_setup_function(setup, key), centres, f);
    if (!st) {
        elliptic_integrate(&m, 1, f);
        st = elliptic_judge_mean(&run, &m, key, f, true, values, kind, taken);
    }
    sw_free(values);
    sw_elliptic_matrix_free(&m);
    return st;
}

/* Of a mean that is comparable to f. */
static enum sw_status warn_mean(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                const double *state, struct sw_text *text)
{
    struct elliptic_taken taken;
    enum sw_mean_kind kind;
    (void)state;
    SW_TRY(look_at_mean(setup, ld, column, j, "f", &kind, &taken));
    if (kind != SW_MEAN_OF_TEXT) return SW_OK;
    elliptic_refuse_mean(&taken, text);
    sw_text_add(text, ": the run will fail");
    return SW_OK;
}

/* u has the mean 0, and is compared with exact as it is. */
static enum sw_status warn_exact(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                 const double *state, struct sw_text *text)
{
    struct elliptic_taken taken;
    enum sw_mean_kind kind;
    (void)state;
    SW_TRY(look_at_mean(setup, ld, column, j, "exact", &kind, &taken));
    if (kind != SW_MEAN_OF_GRID && isfinite(taken.mean)) sw_mean_say_exact(taken.mean, text);
    return SW_OK;
}

/* ------------------------------------------------------------------ coefficients that are not periodic */

/* Where a coefficient jumps most, from one end of an axis to the other. */
struct jump { double first, last, at[SW_DIMS]; };

/* @param jump  in, out: that of an axis before */
static enum sw_status find_jump(const struct elliptic_run *run, const struct sw_program *program, int axis,
                                struct jump *jump)
{
    const struct elliptic_points walls = {.kind = ELLIPTIC_WALLS, .axis = axis};
    int64_t n[SW_DIMS];
    const int64_t count = elliptic_count(&run->desc, walls, n), next = axis ? n[0] * n[2] : 1;
    const struct sw_grid g = elliptic_grid(&run->desc, run->depth, walls);
    double *value;
    SW_TRY(sw_alloc((size_t)count, &value));
    const enum sw_status st = elliptic_sample(run, program, walls, value);
    for (int64_t p = 0; p < count && !st; p++) {
        const int64_t at[SW_DIMS] = {p % n[0], p / n[0] % n[1], p / n[0] / n[1]}, place = elliptic_place(n, p);
        if (at[axis]) continue;
        const double first = value[place], last = value[place + next];
        if (!(first > 0 && last > 0) || !elliptic_jumps(first, last)) continue;
        if (!(fabs(last - first) > fabs(jump->last - jump->first))) continue;
        *jump = (struct jump){first, last, {sw_grid_at(&g, 0, at[0]), sw_grid_at(&g, 1, at[1]),
                                            sw_grid_at(&g, 2, at[2])}};
    }
    sw_free(value);
    return st;
}

/* Points of both walls are at most as many as sw_nonfinite_name() evaluates, else those of a coarser grid. */
static void coarsen(struct sw_elliptic_desc *d, int axis)
{
    int64_t n[SW_DIMS];
    while (elliptic_count(d, (struct elliptic_points){.kind = ELLIPTIC_WALLS, .axis = axis}, n) > SW_NONFINITE_VALUES)
        for (int a = 0; a < SW_DIMS; a++) d->n[a] = (d->n[a] + 1) / 2;
}

static void describe_jump(const struct sw_function *f, const struct jump *jump, int axis, int dim, struct sw_text *text)
{
    const char along = "xy"[axis], across = "yx"[axis];
    char shorter[48], z[32] = "";
    if (dim > 2) snprintf(z, sizeof z, ", z = %.6g", jump->at[2]);
    sw_text_set(text, "%s = \"%s\" is %.6g at %c = 0 and %.6g at %c = 1, one face of the periodic box (%c = %.6g%s): "
                "it gets their harmonic mean, %.6g", f->key, sw_text_shorten(shorter, sizeof shorter, f->text),
                jump->first, along, jump->last, along, across, jump->at[1 - axis], z,
                elliptic_seam(jump->first, jump->last));
}

static enum sw_status warn_seam(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                const double *state, struct sw_text *text)
{
    static const char *const key[] = {"kx", "ky"};
    (void)state;
    for (int axis = 0; axis < 2 && !text->length; axis++) {
        const struct sw_function *f = sw_setup_find(setup, key[axis]);
        struct elliptic_run run = run_of(setup, ld, column, j);
        struct jump jump = {0};
        if (!f || run.desc.sides[axis] != SW_ELLIPTIC_PERIODIC) continue;
        coarsen(&run.desc, axis);
        SW_TRY(find_jump(&run, f->program, axis, &jump));
        if (jump.first > 0) describe_jump(f, &jump, axis, run.dim, text);
    }
    return SW_OK;
}

static const struct sw_run_warning warnings[] = {
    {.warn = sw_nonfinite_warn}, {.warn = warn_bad}, {.warn = warn_levels}, {.warn = warn_mean},
    {.warn = warn_exact, .of_result = true}, {.warn = warn_seam, .of_result = true}, {0}};

/* ------------------------------------------------------------------ keys */

#define FUNCTION(path_, what)                                                                             \
    {.path = path_, .kind = SW_KEY_FUNCTION, .fallback = "", .symbols = SW_USES_X, .decides = true, .about = what}

static const struct sw_key keys[] = {
    {.path = "geometry", .kind = SW_KEY_WORD, .words = "box|shell|sphere", .fallback = "box", .decides = true,
     .about = "Where the equation holds: the `box` 0 < x, y < 1, 0 < z < grid.depth; or a panel of the `shell` between "
              "the spheres of radius 1 and 1 + grid.depth, x and y its gnomonic coordinates between -1 and 1, z the "
              "radius; or all of it, `sphere`: six panels of grid.n cells each, joined, x the longitude, y the "
              "latitude, z the radius."},
    {.path = "stencil", .kind = SW_KEY_WORD, .words = "full|tpfa", .fallback = "full", .decides = true,
     .about = "Of a shell or sphere: fluxes of two points, `tpfa`, as published, which do not converge to the "
              "Laplacian of the sphere; or with the cross terms of its coordinates, `full`, which do. In the box both "
              "are the same."},
    {.path = "boundary.sides", .kind = SW_KEY_WORD, .words = "dirichlet|neumann|periodic", .fallback = "dirichlet",
     .decides = true, .about = "What holds at the four sides; `periodic` in the box only. The sphere has none."},
    {.path = "boundary.bottom", .kind = SW_KEY_WORD, .words = "neumann|dirichlet", .fallback = "neumann",
     .decides = true, .about = "What holds at the bottom, z = 0 or the inner sphere."},
    {.path = "boundary.top", .kind = SW_KEY_WORD, .words = "neumann|dirichlet", .fallback = "neumann",
     .decides = true, .about = "What holds at the top."},
    FUNCTION("boundary.value", "The value of u at all dirichlet walls, an expression in x, y, z; without it 0."),
    {.path = "physics.omega2", .kind = SW_KEY_REAL, .unit = "1", .min = 0, .max = 1e300, .fallback = "0",
     .decides = true, .visible = true,
     .about = "The factor of the Laplacian; it, or physics.courant, is given."},
    {.path = "physics.courant", .kind = SW_KEY_REAL, .unit = "1", .min = 0, .max = 1e150, .fallback = "0",
     .decides = true, .visible = true,
     .about = "In place of physics.omega2, of which it makes (courant dx/2)^2, dx the least side of a cell: 1/n of "
              "the box, (pi/2)/n of a panel; 0: not given."},
    {.path = "physics.lambda2", .kind = SW_KEY_REAL, .unit = "1", .min = 0, .max = 1e300, .above = true,
     .fallback = "1", .decides = true, .visible = true,
     .about = "The factor of the vertical part of the Laplacian."},
    {.path = "physics.delta", .kind = SW_KEY_REAL, .unit = "1", .min = 0, .max = 1e300, .fallback = "1",
     .decides = true, .visible = true, .about = "The factor of u itself; 0: Poisson's equation."},
    FUNCTION("kx", "A coefficient of u's derivative along x in the box, an expression above 0, at the faces: the flux "
             "is kx u_x; without it 1."),
    FUNCTION("ky", "The same along y."),
    FUNCTION("kz", "The same along z."),
    {.path = "f", .kind = SW_KEY_FUNCTION, .fallback = NULL, .symbols = SW_USES_X | SW_USES_RANDOM, .decides = true,
     .about = "The right-hand side, an expression in x, y, z, at the centres of the cells."},
    {.path = "exact", .kind = SW_KEY_FUNCTION, .fallback = "", .symbols = SW_USES_X, .decides = true,
     .about = "The solution, with which u is compared at the centres; the norms are weighted by the cells' volumes."},
    {.path = "gauge", .kind = SW_KEY_WORD, .words = "none|zero_mean", .fallback = "none", .decides = true,
     .about = "Of a problem that determines u up to a constant (delta = 0, no dirichlet wall): `zero_mean` takes the "
              "u with the mean 0. f must have the mean 0, too, to the error of the grid, which is taken off."},
    {.path = "tolerance", .kind = SW_KEY_REAL, .unit = "1", .min = 0, .max = 1, .above = true, .fallback = "1e-8",
     .decides = true, .visible = true,
     .about = "What |f - A u|_2/|f|_2 has to fall to, formed from u; a run that misses it fails, and its u is stored."},
    {.path = "iterations", .kind = SW_KEY_COUNT, .unit = "1", .min = 1, .max = 1e9, .fallback = "1000",
     .decides = true, .about = "Iterations at most."},
    {.path = "solver", .kind = SW_KEY_ROW, .fallback = "auto", .decides = true,
     .about = "The row of the table of elliptic solvers, as `sweep list` names it, \"cpu.pcg\", or \"pcg\" for that of "
              "the device; \"auto\" takes the best that fits, \"$axis\" the word of an axis."},
    {.path = "grid.n", .kind = SW_KEY_COUNT, .unit = "cells", .min = 1, .max = 0x1p31, .decides = true,
     .visible = true, .name = "n", .alias = "nx",
     .about = "Number of cells along x, y and z: a list [nx, ny] or [nx, ny, nz]; on the sphere those of a panel, "
              "[n, n] or [n, n, nz]."},
    {.path = "grid.n.1", .kind = SW_KEY_COUNT, .unit = "cells", .min = 1, .max = 0x1p31, .fallback = "",
     .decides = true, .visible = true, .name = "ny", .element = true, .about = "Number of cells along y."},
    {.path = "grid.n.2", .kind = SW_KEY_COUNT, .unit = "cells", .min = 1, .max = 0x1p31, .fallback = "",
     .decides = true, .visible = true, .name = "nz", .element = true, .about = "Number of cells along z."},
    {.path = "grid.dim", .kind = SW_KEY_COUNT, .unit = "1", .min = 1, .max = 3, .fallback = "1", .decides = true,
     .visible = true, .about = "Number of space dimensions: as many as the list `grid.n` is long."},
    {.path = "grid.depth", .kind = SW_KEY_REAL, .unit = "1", .min = 0, .max = 1e6, .above = true, .fallback = "1",
     .decides = true, .visible = true,
     .about = "The height of the box, or the thickness of the shell or sphere, whose inner radius is 1."},
    {.path = "grid.grading", .kind = SW_KEY_WORD, .words = "uniform|quadratic", .fallback = "uniform",
     .decides = true,
     .about = "Where the levels' faces are: k/nz of the depth, or its square, thin at the bottom."},
    {0},
};

static const struct sw_quantity fields[] = {{"u", "1", "solution"}, {0}};

static const char example[] =
    "// The pressure equation of a semi-implicit weather model in a thin shell: what the Courant number costs.\n"
    "title    = \"Elliptic problem in a thin shell\";\n"
    "problem  = \"elliptic\";\n"
    "sweep    = { courant = [2.0, 4.0, 8.4, 16.0, 40.0]; };\n"
    "geometry = \"shell\";                                    // or the box\n"
    "stencil  = \"full\";                                     // or \"tpfa\", as published\n"
    "grid     = { n = [32, 32, 16]; depth = 0.01; grading = \"quadratic\"; };\n"
    "physics  = { courant = \"courant\"; lambda2 = 0.033; delta = 1.0; };\n"
    "f        = \"exp(-20*(x^2 + y^2))\";                     // x, y: of the panel; z: the radius\n"
    "tolerance = 1e-7;                                      // of the residual\n"
    "// fields = { precision = \"double\"; } in output saves u, too\n"
    "output   = { file = \"results/elliptic.h5\"; };\n";

static bool cuts(const struct sw_setup *setup, const struct sw_device *device, int ranks, bool *worse)
{
    const struct sw_comm some = {.size = ranks};
    struct sw_elliptic_desc d = elliptic_describe(setup, 1);
    const char *whole = sw_elliptic_choice(&d, setup->solver, device);
    d.cut = (struct sw_elliptic_cut){&some, d.n[1], 0};
    const char *cut = sw_elliptic_choice(&d, setup->solver, device);
    *worse = cut != whole;
    return cut != NULL;
}

static void points(const struct sw_setup *setup, int64_t n[SW_DIMS])
{
    if (elliptic_on_sphere(setup)) n[1] *= SW_PANELS;
}

static const struct sw_problem_shape shape = {
    .min_points = 1, .max_dim = 3, .decomposes = true, .columns = true, .cuts = cuts, .points = points, .place = grid};
static const struct sw_problem_advice advice = {
    .describe = describe, .idle_key = idle_key, .warn_run = warnings, .name_nonfinite = name_nonfinite};

extern const struct sw_problem problem_elliptic;
const struct sw_problem problem_elliptic = {
    .name = "elliptic",
    .title = "Elliptic problems in flat geometries",
    .equation = "-omega2 (Lh u + lambda2 Lz u) + delta u = f, Lh and Lz the horizontal and the vertical Laplacian",
    .example = example,
    .keys = keys,
    .fields = fields,
    .measures = SW_SOLVES_EQUATIONS | SW_ITERATES,
    .solver = sw_elliptic_row,
    .validate_run = validate_run,
    .bytes = elliptic_bytes,
    .create = elliptic_create,
    .shape = &shape,
    .advice = &advice,
};
