/* What is said of a run of `elliptic` before it is computed. */
#include <math.h>
#include <stdio.h>

#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "problem/elliptic/elliptic.h"
#include "problem/given.h"

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

enum sw_status elliptic_name_given(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                   const double *column, int64_t j, const double *span, char text[200])
{
    static const struct sw_given f[] = {{.key = "f", .once = true}, {0}};
    const struct elliptic_run run = run_of(setup, ld, column, j);
    struct sw_setup one = *setup;
    (void)problem;
    one.dim = run.dim;
    for (int a = 0; a < SW_DIMS; a++) one.n[a] = run.desc.n[a];
    return sw_given_name(&one, ld, column, j, f, span, text);
}

/* What a text gives on one kind of points; more of them than sw_given_name() evaluates are left to the run.
 * @param key  NULL: of boundary.value */
static enum sw_status find_bad(const struct elliptic_run *run, const char *key, struct elliptic_points points,
                               char text[200])
{
    int64_t n[SW_DIMS];
    const int64_t count = elliptic_count(&run->desc, points, n);
    const struct sw_program *program = key ? sw_setup_function(run->setup, key) : NULL;
    double *value;
    char what[160];
    if (count > SW_GIVEN_VALUES) return SW_OK;
    SW_TRY(sw_alloc((size_t)count, &value));
    const enum sw_status st = key ? elliptic_sample(run, program, points, value)
                                  : elliptic_sample_walls(run, points.axis, value);
    const int64_t bad = st ? -1 : elliptic_find_bad(value, n, key != NULL);
    if (bad >= 0) {
        elliptic_say_bad(run, key ? key : "boundary.value", points, bad, value[elliptic_place(n, bad)], what);
        snprintf(text, 200, "%s: the run will fail", what);
    }
    sw_free(value);
    return st;
}

static enum sw_status warn_bad(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                               const double *column, int64_t j, const double *state, char text[200])
{
    static const char *const key[] = {"kx", "ky", "kz"};
    const struct elliptic_run run = run_of(setup, ld, column, j);
    (void)problem, (void)state;
    text[0] = 0;
    for (int axis = 0; axis < SW_DIMS && !*text; axis++) {
        if (sw_setup_find(setup, key[axis]))
            SW_TRY(find_bad(&run, key[axis], (struct elliptic_points){.kind = ELLIPTIC_FACES, .axis = axis}, text));
        if (!*text && sw_setup_find(setup, "boundary.value") && elliptic_holds_u(&run.desc, axis))
            SW_TRY(find_bad(&run, NULL, (struct elliptic_points){.kind = ELLIPTIC_WALLS, .axis = axis}, text));
    }
    return SW_OK;
}

/* ------------------------------------------------------------------ systems that are none, or have no solution */

/* Of one column, which has what can be wrong with all of them. */
static enum sw_status warn_levels(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                  const double *column, int64_t j, const double *state, char text[200])
{
    const struct sw_elliptic_numbers numbers = elliptic_numbers(setup, ld, column, j);
    struct sw_elliptic_desc d = elliptic_describe_run(setup, ld, column, j);
    struct sw_elliptic_matrix m;
    (void)problem, (void)state;
    text[0] = 0;
    d.n[0] = d.n[1] = 1;
    d.variable = false;
    const enum sw_status st = sw_elliptic_matrix_make(&d, &numbers, NULL, NULL, &m);
    if (!st) sw_elliptic_matrix_free(&m);
    if (st == SW_E_ARG) snprintf(text, 200, "%.170s: the run will fail", sw_err_message());
    return st == SW_E_ARG ? SW_OK : st;
}

/* The mean of a text where a gauge wants it to be 0, by the first of the finer rules. Coefficients do not matter.
 * @param kind  out: SW_MEAN_OF_GRID as well where there is no such text, or there are too many cells to look at */
static enum sw_status look_at_mean(const struct elliptic_run *run, const struct sw_elliptic_numbers *numbers,
                                   const char *key, enum sw_mean_kind *kind, struct elliptic_taken *taken)
{
    const struct elliptic_points centres = {.kind = ELLIPTIC_CENTRES};
    const size_t cells = (size_t)sw_points(run->desc.n);
    struct sw_elliptic_desc d = run->desc;
    struct sw_elliptic_matrix m;
    double *values = NULL;
    *kind = SW_MEAN_OF_GRID;
    d.variable = false;
    if (!sw_elliptic_is_singular(&d, numbers->delta) || !sw_setup_find(run->setup, key) || cells > SW_GIVEN_VALUES)
        return SW_OK;
    enum sw_status st = sw_elliptic_matrix_make(&d, numbers, NULL, NULL, &m);
    if (st) return st == SW_E_ARG ? SW_OK : st;  /* warn_levels() says why */
    st = sw_alloc(2 * cells, &values);
    double *f = st ? NULL : values + cells;
    if (!st) st = elliptic_sample(run, sw_setup_function(run->setup, key), centres, f);
    if (!st) {
        elliptic_integrate(&m, 1, f);
        st = elliptic_judge_mean(run, &m, key, f, true, values, kind, taken);
    }
    sw_free(values);
    sw_elliptic_matrix_free(&m);
    return st;
}

/* Of a mean that is comparable to f. */
static enum sw_status warn_mean(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                const double *column, int64_t j, const double *state, char text[200])
{
    const struct sw_elliptic_numbers numbers = elliptic_numbers(setup, ld, column, j);
    const struct elliptic_run run = run_of(setup, ld, column, j);
    struct elliptic_taken taken;
    enum sw_mean_kind kind;
    char why[160];
    (void)problem, (void)state;
    text[0] = 0;
    SW_TRY(look_at_mean(&run, &numbers, "f", &kind, &taken));
    if (kind != SW_MEAN_OF_TEXT) return SW_OK;
    elliptic_refuse_mean(&taken, why);
    snprintf(text, 200, "%s: the run will fail", why);
    return SW_OK;
}

/* u has the mean 0, and is compared with exact as it is. */
static enum sw_status warn_exact(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                 const double *column, int64_t j, const double *state, char text[200])
{
    const struct sw_elliptic_numbers numbers = elliptic_numbers(setup, ld, column, j);
    const struct elliptic_run run = run_of(setup, ld, column, j);
    struct elliptic_taken taken;
    enum sw_mean_kind kind;
    (void)problem, (void)state;
    text[0] = 0;
    SW_TRY(look_at_mean(&run, &numbers, "exact", &kind, &taken));
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

/* Points of both walls are at most as many as sw_given_name() evaluates, else those of a coarser grid. */
static void coarsen(struct sw_elliptic_desc *d, int axis)
{
    int64_t n[SW_DIMS];
    while (elliptic_count(d, (struct elliptic_points){.kind = ELLIPTIC_WALLS, .axis = axis}, n) > SW_GIVEN_VALUES)
        for (int a = 0; a < SW_DIMS; a++) d->n[a] = (d->n[a] + 1) / 2;
}

static void describe_jump(const struct sw_function *f, const struct jump *jump, int axis, int dim, char text[200])
{
    const char along = "xy"[axis], across = "yx"[axis];
    char shorter[48], z[32] = "";
    if (dim > 2) snprintf(z, sizeof z, ", z = %.6g", jump->at[2]);
    snprintf(text, 200, "%s = \"%s\" is %.6g at %c = 0 and %.6g at %c = 1, one face of the periodic box (%c = %.6g%s): "
             "it gets their harmonic mean, %.6g", f->key, sw_text_shorten(shorter, sizeof shorter, f->text),
             jump->first, along, jump->last, along, across, jump->at[1 - axis], z,
             elliptic_seam(jump->first, jump->last));
}

static enum sw_status warn_seam(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                const double *column, int64_t j, const double *state, char text[200])
{
    static const char *const key[] = {"kx", "ky"};
    (void)problem, (void)state;
    text[0] = 0;
    for (int axis = 0; axis < 2 && !*text; axis++) {
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

const struct sw_run_warning elliptic_warnings[] = {
    {.warn = sw_given_warn}, {.warn = warn_bad}, {.warn = warn_levels}, {.warn = warn_mean},
    {.warn = warn_exact, .of_result = true}, {.warn = warn_seam, .of_result = true}, {0}};
