/* Elliptic problems in boxes and shells (docs/explanation/elliptic.md). elliptic_sim.c solves them; this file has the
 * keys, and what is refused. */
#include "problem/elliptic/elliptic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_text.h"
#include "problem/grid_keys.h"

static double number(const struct sw_setup *setup, const char *path, int64_t ld, const double *column, int64_t j)
{
    return column[sw_setup_column(setup, path) * ld + j];
}

static void grid(const struct sw_setup *setup, int64_t count, const double *column, int64_t j, struct sw_grid *g)
{
    const struct sw_elliptic_desc d = elliptic_describe(setup, 1);
    const struct elliptic_points centres = {.kind = ELLIPTIC_CENTRES};
    const double dt = g->dt;
    *g = elliptic_grid(&d, number(setup, "grid.depth", count, column, j), centres);
    g->dt = dt;
}

/* What holds on walls; along z of three dimensions only. */
static enum sw_status describe(const struct sw_problem *problem, const struct sw_setup *setup, struct sw_text *text)
{
    static const char *const name[] = {"sides", "bottom", "top"};
    const struct sw_elliptic_desc d = elliptic_describe(setup, 1);
    const enum sw_elliptic_wall wall[] = {d.sides[0], d.bottom, d.top};
    const struct sw_function *value = sw_setup_find(setup, "boundary.value");
    (void)problem;
    for (int k = 0; k < (setup->dim > 2 ? 3 : 1); k++) {
        const enum sw_elliptic_wall w = wall[k];
        sw_text_printf(text, "%-9s%s", name[k],
                       w == SW_ELLIPTIC_PERIODIC ? "periodic" : w == SW_ELLIPTIC_NEUMANN ? "no flux" : "u = ");
        if (w == SW_ELLIPTIC_DIRICHLET) sw_text_add(text, value ? value->text : "0");
        sw_text_add(text, "\n");
    }
    return SW_OK;
}

/* ------------------------------------------------------------------ what is refused */

static const char *refuse_grid(int dim, double cells, char why[160])
{
    if (dim < 2) {
        snprintf(why, 160, "an elliptic problem has 2 or 3 dimensions: n = [nx, ny] or [nx, ny, nz]");
        return "grid.n";
    }
    if (cells < 0x1p31) return NULL;
    snprintf(why, 160, "%.3g cells: 2^31 at most", cells);
    return "grid.n";
}

/* What a shell, or a grid without levels, does not have. */
static const char *refuse_geometry(const struct sw_setup *setup, const struct sw_elliptic_desc *d, int dim,
                                   char why[160])
{
    static const char *const coefficient[] = {"kx", "ky", "kz"};
    const bool shell = d->geometry == SW_ELLIPTIC_SHELL;
    snprintf(why, 160, "a panel of the shell has walls at its sides: dirichlet or neumann");
    if (shell && d->sides[0] == SW_ELLIPTIC_PERIODIC) return "boundary.sides";
    snprintf(why, 160, "the coefficients of a shell are those of the sphere; geometry = \"box\" has others");
    for (int k = 0; k < 3; k++)
        if (shell && sw_setup_find(setup, coefficient[k])) return coefficient[k];
    snprintf(why, 160, "a grid of 2 dimensions has no bottom and no top: leave it at neumann");
    if (dim == 2 && d->bottom != SW_ELLIPTIC_NEUMANN) return "boundary.bottom";
    if (dim == 2 && d->top != SW_ELLIPTIC_NEUMANN) return "boundary.top";
    snprintf(why, 160, "a grid of 2 dimensions has no fluxes along z");
    return dim == 2 && sw_setup_find(setup, "kz") ? "kz" : NULL;
}

static const char *refuse_physics(const struct sw_setup *setup, const struct sw_elliptic_desc *d, int64_t ld,
                                  const double *column, int64_t j, char why[160])
{
    const bool gauge = sw_setup_chosen(setup, "gauge", "zero_mean"),
               singular = sw_elliptic_is_singular(d, number(setup, "physics.delta", ld, column, j)),
               omega2 = number(setup, "physics.omega2", ld, column, j) > 0,
               courant = number(setup, "physics.courant", ld, column, j) > 0;
    snprintf(why, 160, "give one of physics.omega2 and physics.courant, above 0");
    if (omega2 == courant) return omega2 ? "physics.courant" : "physics.omega2";
    snprintf(why, 160, "omega2 = (courant dx/2)^2 is 0 in double precision");
    if (courant && !(elliptic_numbers(setup, ld, column, j).omega2 > 0)) return "physics.courant";
    snprintf(why, 160, "with delta = 0 and no dirichlet wall u is known up to a constant only: set gauge = "
             "\"zero_mean\", where f has the mean 0");
    if (singular && !gauge) return "physics.delta";
    /* its only neighbours are above and below: the solvers of a column, whose matrix is singular, divide by 0 */
    snprintf(why, 160, "delta = 0, and a single column has no neighbours: %s", d->geometry == SW_ELLIPTIC_BOX ?
             "boundary.sides = \"periodic\" is the same problem, and is solved" : "take more than one");
    if (singular && d->n[0] * d->n[1] == 1 && d->sides[0] != SW_ELLIPTIC_PERIODIC) return "boundary.sides";
    snprintf(why, 160, "u is determined by delta or by a dirichlet wall, and has the mean it has: leave it out");
    return gauge && !singular ? "gauge" : NULL;
}

static const char *idle_key(const struct sw_setup *setup, char why[160])
{
    snprintf(why, 160, "a grid of 2 dimensions has no fluxes along z");
    return setup->dim == 2 ? "physics.lambda2" : NULL;
}

static const char *validate_run(const struct sw_setup *setup, const char *solver, int ld, const double *column, int j,
                                char why[160])
{
    const struct sw_elliptic_desc d = elliptic_describe_run(setup, ld, column, j);
    const int dim = (int)number(setup, "grid.dim", ld, column, j);
    const double cells = (double)d.n[0] * (double)d.n[1] * (double)d.n[2];
    const char *key, *refusal;
    if ((key = refuse_grid(dim, cells, why)) || (key = refuse_geometry(setup, &d, dim, why))) return key;
    if ((key = refuse_physics(setup, &d, ld, column, j, why))) return key;
    snprintf(why, 160, "no wall is a dirichlet one: boundary.value is not used");
    if (sw_setup_find(setup, "boundary.value") && sw_elliptic_is_singular(&d, 0)) return "boundary.value";
    snprintf(why, 160, "elliptic problems are solved in double precision only");
    if (setup->single_steps) return "run.precision";
    if (!(refusal = sw_elliptic_refusal(&d, solver))) return NULL;
    snprintf(why, 160, "%s", refusal);
    return "solver";
}

/* ------------------------------------------------------------------ keys */

#define FUNCTION(path_, what)                                                                             \
    {.path = path_, .kind = SW_KEY_FUNCTION, .fallback = "", .symbols = SW_USES_X, .decides = true, .about = what}

static const struct sw_key keys[] = {
    {.path = "geometry", .kind = SW_KEY_WORD, .words = "box|shell", .fallback = "box", .decides = true,
     .about = "Where the equation holds: the `box` 0 < x, y < 1, 0 < z < grid.depth; or a panel of the `shell` between "
              "the spheres of radius 1 and 1 + grid.depth, x and y its gnomonic coordinates between -1 and 1, z the "
              "radius."},
    {.path = "stencil", .kind = SW_KEY_WORD, .words = "full|tpfa", .fallback = "full", .decides = true,
     .about = "Of a shell: fluxes of two points, `tpfa`, as published, which do not converge to the Laplacian of the "
              "sphere; or with the cross terms of its coordinates, `full`, which do. In the box both are the same."},
    {.path = "boundary.sides", .kind = SW_KEY_WORD, .words = "dirichlet|neumann|periodic", .fallback = "dirichlet",
     .decides = true, .about = "What holds at the four sides; `periodic` in the box only."},
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
              "the box, (pi/2)/n of the panel; 0: not given."},
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
     .about = "Number of cells along x, y and z: a list [nx, ny] or [nx, ny, nz]."},
    {.path = "grid.n.1", .kind = SW_KEY_COUNT, .unit = "cells", .min = 1, .max = 0x1p31, .fallback = "",
     .decides = true, .visible = true, .name = "ny", .element = true, .about = "Number of cells along y."},
    {.path = "grid.n.2", .kind = SW_KEY_COUNT, .unit = "cells", .min = 1, .max = 0x1p31, .fallback = "",
     .decides = true, .visible = true, .name = "nz", .element = true, .about = "Number of cells along z."},
    {.path = "grid.dim", .kind = SW_KEY_COUNT, .unit = "1", .min = 1, .max = 3, .fallback = "1", .decides = true,
     .visible = true, .about = "Number of space dimensions: as many as the list `grid.n` is long."},
    {.path = "grid.depth", .kind = SW_KEY_REAL, .unit = "1", .min = 0, .max = 1e6, .above = true, .fallback = "1",
     .decides = true, .visible = true,
     .about = "The height of the box, or the thickness of the shell, whose inner radius is 1."},
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

static const struct sw_problem_shape shape = {.min_points = 1, .max_dim = 3, .place = grid};
static const struct sw_problem_advice advice = {
    .describe = describe, .idle_key = idle_key, .warn_run = elliptic_warnings, .name_given = elliptic_name_given};

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
