/* What a run of `elliptic` is: the system that its words and numbers stand for, and its expressions at cells and
 * faces. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_cubed_sphere.h"
#include "comm/sw_comm.h"
#include "problem/elliptic/elliptic.h"

/* ------------------------------------------------------------------ what keys mean */

static enum sw_elliptic_wall wall(const struct sw_setup *setup, const char *key)
{
    if (sw_setup_chosen(setup, key, "periodic")) return SW_ELLIPTIC_PERIODIC;
    return sw_setup_chosen(setup, key, "neumann") ? SW_ELLIPTIC_NEUMANN : SW_ELLIPTIC_DIRICHLET;
}

bool elliptic_on_sphere(const struct sw_setup *setup) { return sw_setup_chosen(setup, "geometry", "sphere"); }

struct sw_elliptic_desc elliptic_describe(const struct sw_setup *setup, int batch)
{
    const bool sphere = elliptic_on_sphere(setup), shell = sphere || sw_setup_chosen(setup, "geometry", "shell");
    const enum sw_elliptic_wall sides = sphere ? SW_ELLIPTIC_SEAM : wall(setup, "boundary.sides");
    return (struct sw_elliptic_desc){
        .n = {setup->n[0], setup->n[1], setup->n[2]},
        .geometry = shell ? SW_ELLIPTIC_SHELL : SW_ELLIPTIC_BOX,
        .full = shell && sw_setup_chosen(setup, "stencil", "full"),
        .graded = sw_setup_chosen(setup, "grid.grading", "quadratic"),
        .sides = {sides, sides},
        .bottom = wall(setup, "boundary.bottom"),
        .top = wall(setup, "boundary.top"),
        .variable = sw_setup_find(setup, "kx") || sw_setup_find(setup, "ky") || sw_setup_find(setup, "kz"),
        .single = setup->single_steps,
        .batch = batch,
        .cut = {setup->domain.all ? setup->domain.along[1] : NULL, setup->domain.whole[1], setup->domain.first[1]},
    };
}

struct sw_elliptic_desc elliptic_describe_run(const struct sw_setup *setup, int64_t ld, const double *column,
                                              int64_t j)
{
    static const char *const n_of[SW_DIMS] = {"grid.n", "grid.n.1", "grid.n.2"};
    struct sw_elliptic_desc d = elliptic_describe(setup, 1);
    d.cut = (struct sw_elliptic_cut){NULL};
    for (int a = 0; a < SW_DIMS; a++) d.n[a] = (int64_t)sw_setup_number(setup, n_of[a], ld, column, j);
    if (sw_elliptic_is_sphere(&d)) d.n[1] *= SW_PANELS;
    return d;
}

/* omega = courant dx/2, dx the length of a cell at the middle of the panel, of radius 1, or of the box: the shorter. */
static double omega2_of(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j)
{
    const double courant = sw_setup_number(setup, "physics.courant", ld, column, j),
                 n = fmax(sw_setup_number(setup, "grid.n", ld, column, j),
                          sw_setup_number(setup, "grid.n.1", ld, column, j)),
                 length = sw_setup_chosen(setup, "geometry", "box") ? 1 : acos(-1) / 2,
                 omega = 0.5 * courant * length / n;
    return courant > 0 ? omega * omega : sw_setup_number(setup, "physics.omega2", ld, column, j);
}

struct sw_elliptic_numbers elliptic_numbers(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j)
{
    return (struct sw_elliptic_numbers){.omega2 = omega2_of(setup, ld, column, j),
                                        .lambda2 = sw_setup_number(setup, "physics.lambda2", ld, column, j),
                                        .delta = sw_setup_number(setup, "physics.delta", ld, column, j),
                                        .depth = sw_setup_number(setup, "grid.depth", ld, column, j),
                                        .tolerance = sw_setup_number(setup, "tolerance", ld, column, j),
                                        .iterations = (int)sw_setup_number(setup, "iterations", ld, column, j),
                                        .give_up = setup->give_up,
                                        .give_up_user = setup->give_up_user};
}

/* ------------------------------------------------------------------ cells and faces */

/* Faces along z are at depth k/nz or depth (k/nz)^2 above the bottom; what lies a part p of the way between them, as
 * the centres half-way, is of a graded grid at depth (k^2 + p (2 k + 1))/nz^2. */
struct sw_grid elliptic_grid(const struct sw_elliptic_desc *d, double depth, struct elliptic_points points)
{
    const bool shell = d->geometry == SW_ELLIPTIC_SHELL;
    const double first[SW_DIMS] = {shell ? -1 : 0, shell ? -1 : 0, shell ? 1 : 0},
                 length[SW_DIMS] = {shell ? 2 : 1, shell ? 2 : 1, depth};
    const int64_t panel = sw_elliptic_is_sphere(d) ? d->n[0] : 0;
    struct sw_grid g = {.first = {0, sw_elliptic_first(d)}, .lines = d->cut.comm ? d->cut.whole : 0, .panel = panel};
    if (points.kind == ELLIPTIC_WALLS && points.axis == 1) g.first[1] = g.lines = 0;
    for (int a = 0; a < SW_DIMS; a++) {
        const bool inside = points.kind == ELLIPTIC_CENTRES || points.kind == ELLIPTIC_INSIDE;
        const bool across = !inside && points.axis == a, graded = a == 2 && d->graded;
        const double n = (double)(a != 1 ? d->n[a] : panel ? panel : sw_elliptic_whole(d)), step = length[a] / n;
        const double part = points.kind == ELLIPTIC_INSIDE ? points.part[a] : 0.5;
        if (across && points.kind == ELLIPTIC_WALLS) {
            g.x0[a] = first[a], g.dx[a] = length[a];
        } else if (graded) {
            g.ddx[a] = step / n, g.dx[a] = across ? 0 : 2 * part * step / n;
            g.x0[a] = first[a] + (across ? 0 : part * step / n);
        } else {
            g.dx[a] = step, g.x0[a] = first[a] + (across ? 0 : part * step);
        }
    }
    return g;
}

int64_t elliptic_count(const struct sw_elliptic_desc *d, struct elliptic_points points, int64_t n[SW_DIMS])
{
    for (int a = 0; a < SW_DIMS; a++) n[a] = d->n[a];
    if (points.kind == ELLIPTIC_FACES) n[points.axis]++;
    if (points.kind == ELLIPTIC_WALLS) n[points.axis] = 2;
    return sw_points(n);
}

struct sw_sampling elliptic_sampling(const struct elliptic_run *run, const struct sw_program *program,
                                     struct elliptic_points points)
{
    struct sw_sampling at = {.program = program,
                             .grid = elliptic_grid(&run->desc, run->depth, points),
                             .column = run->column,
                             .stride = run->stride,
                             .threads = run->threads};
    elliptic_count(&run->desc, points, at.n);
    at.line[0] = at.n[0] * at.n[2];
    at.line[1] = at.n[0];
    return at;
}

enum sw_status elliptic_sample(const struct elliptic_run *run, const struct sw_program *program,
                               struct elliptic_points points, double *value)
{
    const struct sw_sampling at = elliptic_sampling(run, program, points);
    return sw_sample(&at, false, value);
}

bool elliptic_holds_u(const struct sw_elliptic_desc *d, int axis)
{
    if (axis < 2) return d->sides[axis] == SW_ELLIPTIC_DIRICHLET;
    return d->bottom == SW_ELLIPTIC_DIRICHLET || d->top == SW_ELLIPTIC_DIRICHLET;
}

enum sw_status elliptic_sample_walls(const struct elliptic_run *run, int axis, double *value)
{
    const struct elliptic_points walls = {.kind = ELLIPTIC_WALLS, .axis = axis};
    const enum sw_elliptic_wall end[2] = {run->desc.bottom, run->desc.top};
    const int64_t nx = run->desc.n[0];
    SW_TRY(elliptic_sample(run, sw_setup_function(run->setup, "boundary.value"), walls, value));
    for (int64_t line = 0; axis == 2 && line < 2 * run->desc.n[1]; line++)
        if (end[line % 2] != SW_ELLIPTIC_DIRICHLET) memset(value + line * nx, 0, (size_t)nx * sizeof *value);
    return SW_OK;
}

void elliptic_integrate(const struct sw_elliptic_matrix *m, int threads, double *f)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t r = 0; r < m->ny * m->nz; r++)
        for (int64_t i = 0; i < m->nx; i++)
            f[r * m->nx + i] *= m->area[r / m->nz * m->nx + i] * m->volume[r % m->nz];
}

int64_t elliptic_find_bad(const double *value, const int64_t n[SW_DIMS], bool positive)
{
    for (int64_t line = 0; line < n[1] * n[2]; line++) {
        const double *v = value + (line % n[1] * n[2] + line / n[1]) * n[0];
        for (int64_t i = 0; i < n[0]; i++)
            if (!isfinite(v[i]) || (positive && !(v[i] > 0))) return line * n[0] + i;
    }
    return -1;
}

int64_t elliptic_place(const int64_t n[SW_DIMS], int64_t number)
{
    const int64_t line = number / n[0];
    return (line % n[1] * n[2] + line / n[1]) * n[0] + number % n[0];
}

bool elliptic_jumps(double first, double last) { return !(fabs(first - last) <= 1e-9 * fmax(first, last)); }

double elliptic_seam(double first, double last)
{
    return elliptic_jumps(first, last) ? 2 * last * (first / (first + last)) : first;
}

/* As a number of the whole grid, negative, so that the first is the largest. */
static double place_in_whole(const struct sw_elliptic_desc *d, const int64_t n[SW_DIMS], int64_t bad)
{
    const int64_t line = bad / n[0], lines = n[1] - d->n[1] + sw_elliptic_whole(d);
    if (bad < 0) return -INFINITY;
    return -(double)(((line / n[1]) * lines + sw_elliptic_first(d) + line % n[1]) * n[0] + bad % n[0]);
}

enum sw_status elliptic_blame(const struct elliptic_run *run, const char *key, struct elliptic_points points,
                              const double *value, bool positive, struct sw_text *why)
{
    const struct sw_comm *comm = run->desc.cut.comm;
    int64_t n[SW_DIMS];
    char found[160] = "";
    double all[SW_COMM_MOST], numbers[sizeof found / sizeof(double)];
    struct sw_text text = sw_text_in(found, sizeof found);
    int from = 0;
    elliptic_count(&run->desc, points, n);
    if (why->length) return SW_OK;
    const int64_t bad = elliptic_find_bad(value, n, positive);
    if (bad >= 0) elliptic_say_bad(run, key, points, bad, value[elliptic_place(n, bad)], &text);
    if (comm) {
        SW_TRY(sw_comm_gather_one(comm, place_in_whole(&run->desc, n, bad), all));
        for (int k = 1; k < comm->size; k++)
            if (all[k] > all[from]) from = k;
        if (isinf(all[from])) return SW_OK;
        memcpy(numbers, found, sizeof numbers);
        SW_TRY(sw_comm_broadcast(comm, from, sizeof numbers / sizeof *numbers, numbers));
        memcpy(found, numbers, sizeof found);
    }
    if (found[0]) sw_text_set(why, "%s", found);
    return SW_OK;
}

void elliptic_say_bad(const struct elliptic_run *run, const char *key, struct elliptic_points points, int64_t bad,
                      double value, struct sw_text *text)
{
    const struct sw_grid g = elliptic_grid(&run->desc, run->depth, points);
    int64_t n[SW_DIMS];
    char number[32], z[32] = "";
    double at[SW_DIMS];
    elliptic_count(&run->desc, points, n);
    sw_grid_point(&g, (const int64_t[SW_DIMS]){bad % n[0], bad / n[0] % n[1], bad / n[0] / n[1]}, at);
    if (run->dim > 2) snprintf(z, sizeof z, ", z = %.6g", at[2]);
    sw_text_set(text, "%s is %s at x = %.6g, y = %.6g%s%s", key, sw_number(value, number), at[0], at[1], z,
                isfinite(value) ? "; it has to be above 0" : "");
}
