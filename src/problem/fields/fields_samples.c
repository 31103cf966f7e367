#include "problem/fields/fields_samples.h"

#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "field/evaluate.h"
#include "problem/fields/walls.h"
#include "problem/initial_file.h"

struct sampler {
    const struct fields_terms *terms;
    const struct sw_setup     *one;
    struct sw_grid grid;
    const double  *u;        /* [unknowns][z][y][x]                        */
    double        *row;      /* [terms->inputs][nx] what programs take in  */
    const double **in;       /* [terms->inputs] of row                     */
    double        *value;    /* [nx]                                       */
};

/* ------------------------------------------------------------------ initial values */

static enum sw_status evaluate_initial(const struct sw_setup *one, const struct sw_grid *grid, int64_t ld,
                                       const double *column, int v, double *u)
{
    const struct sw_function *initial = sw_setup_find_of(one, "initial", v);
    const int64_t points = sw_points(one->n);
    struct sw_evaluator e = {0};
    memset(u, 0, (size_t)points * sizeof *u);
    if (!initial) return SW_OK;
    const enum sw_status st = sw_evaluator_create(initial->program, one->n, &e);
    if (!st) sw_evaluator_begin(&e, grid, column, ld, 0, 0);
    for (int64_t first = 0; first < points && !st; first += SW_EVALUATOR_POINTS)
        sw_evaluator_points(&e, first, points - first < SW_EVALUATOR_POINTS ? (int)(points - first)
                                                                            : SW_EVALUATOR_POINTS, u + first);
    sw_evaluator_destroy(&e);
    return st;
}

/* @param u  out: NULL where it is not known; free with sw_free() */
static enum sw_status find_initial(const struct sw_setup *one, const struct sw_grid *grid, int unknowns, int64_t ld,
                                   const double *column, int64_t j, double **u)
{
    const int64_t points = sw_points(one->n);
    enum sw_status st = SW_OK;
    *u = NULL;
    if (points * unknowns > FIELDS_SAMPLES_FIELD) return SW_OK;
    SW_TRY(sw_alloc((size_t)(points * unknowns), u));
    if (sw_initial_in_file(one)) st = sw_initial_read(one, ld, column, j, *u);
    else for (int v = 0; v < unknowns && !st; v++)
        st = evaluate_initial(one, grid, ld, column + j, v, *u + v * points);
    if (!st) return SW_OK;
    sw_free(*u);
    *u = NULL;
    return st == SW_E_MEMORY ? st : SW_OK;  /* a file that cannot be read is refused elsewhere */
}

/* ------------------------------------------------------------------ roughness */

/* Of unknown u, [z][y][x]. */
static void measure(const struct sw_setup *one, const double *u, double *size, double bend[SW_DIMS])
{
    const int64_t *n = one->n, points = sw_points(n), step[SW_DIMS] = {1, n[0], n[0] * n[1]};
    for (int64_t c = 0; c < points; c++) {
        *size = fmax(*size, fabs(u[c]));
        for (int a = 0; a < one->dim; a++) {
            const int64_t i = c / step[a] % n[a];
            if (one->walls[a] && (i == 0 || i == n[a] - 1)) continue;
            const double before = u[c + (fields_beside(i - 1, n[a], false) - i) * step[a]],
                         after = u[c + (fields_beside(i + 1, n[a], false) - i) * step[a]];
            bend[a] = fmax(bend[a], fabs((after - u[c]) - (u[c] - before)));
        }
    }
}

enum sw_status fields_roughness_of(const struct sw_setup *one, const struct fields_terms *terms, int64_t ld,
                                   const double *column, int64_t j, const double *state,
                                   struct fields_roughness *rough, bool *known)
{
    const struct sw_grid grid = sw_setup_grid(one, ld, column, j);
    double *initial = NULL;
    *rough = (struct fields_roughness){{0}, {{0}}};
    if (!state) SW_TRY(find_initial(one, &grid, terms->unknowns, ld, column, j, &initial));
    const double *u = state ? state : initial;
    *known = u;
    for (int v = 0; u && v < terms->unknowns; v++)
        measure(one, u + v * sw_points(one->n), &rough->size[v], rough->bend[v]);
    sw_free(initial);
    return SW_OK;
}

/* ------------------------------------------------------------------ rows of points */

static void set_row(const struct sampler *s, int64_t row)
{
    const int64_t *n = s->one->n, j = row % n[1], k = row / n[1];
    const bool *walls = s->one->walls;
    for (int64_t i = 0; i < n[0]; i++) {
        s->row[SW_IN_X * n[0] + i] = sw_grid_at(&s->grid, 0, i);
        s->row[SW_IN_Y * n[0] + i] = sw_grid_at(&s->grid, 1, j);
        s->row[SW_IN_Z * n[0] + i] = sw_grid_at(&s->grid, 2, k);
    }
    for (int q = 0; q < s->terms->neighbours; q++) {
        const struct fields_neighbour *at = &s->terms->neighbour[q];
        const int64_t plane = at->unknown * n[2] + fields_beside(k + at->offset[2], n[2], walls[2]);
        const double *from = s->u + (plane * n[1] + fields_beside(j + at->offset[1], n[1], walls[1])) * n[0];
        for (int64_t i = 0; i < n[0]; i++)
            s->row[(FIELDS_INPUTS + q) * n[0] + i] = from[fields_beside(i + at->offset[0], n[0], walls[0])];
    }
}

static double less(double a, double b) { return a < b || a != a ? a : b; }
static double more(double a, double b) { return a > b || a != a ? a : b; }

static enum sw_status find_range(const struct sampler *s, const struct sw_program *program, const double *param,
                                 double t, struct fields_range *range)
{
    const int64_t *n = s->one->n, rows = n[1] * n[2], most = FIELDS_SAMPLES_POINTS / n[0] + 1,
                  every = (rows + most - 1) / most;
    struct sw_eval *eval = NULL;
    *range = (struct fields_range){INFINITY, -INFINITY};
    SW_TRY(sw_eval_create(program, (int)n[0], &eval));
    sw_eval_run(eval, param, 1);
    sw_eval_step(eval, t, 0);
    for (int64_t row = 0; row < rows; row += every) {
        set_row(s, row);
        sw_eval_cells(eval, (int)n[0], s->in);
        sw_eval_points(eval, (int)n[0], s->in, s->value);
        for (int64_t i = 0; i < n[0]; i++) {
            range->least = less(s->value[i], range->least);
            range->most = more(s->value[i], range->most);
        }
    }
    sw_eval_destroy(&eval);
    return SW_OK;
}

enum sw_status fields_samples(const struct sw_setup *one, const struct fields_terms *terms, int64_t ld,
                              const double *column, int64_t j, const double *param, const double *state, double t,
                              int count, const struct sw_program *const *program, struct fields_range *range,
                              bool *known)
{
    struct sampler s = {.terms = terms, .one = one, .grid = sw_setup_grid(one, ld, column, j), .u = state};
    const size_t nx = (size_t)one->n[0];
    double *initial = NULL;
    enum sw_status st = SW_OK;
    if (!state) SW_TRY(find_initial(one, &s.grid, terms->unknowns, ld, column, j, &initial));
    if (!state) s.u = initial;
    *known = s.u;
    if (!s.u) return SW_OK;
    SW_TRY_TO(done, st, sw_alloc((size_t)terms->inputs * nx, &s.row));
    SW_TRY_TO(done, st, sw_alloc((size_t)terms->inputs, &s.in));
    SW_TRY_TO(done, st, sw_alloc(nx, &s.value));
    for (int k = 0; k < terms->inputs; k++) s.in[k] = s.row + (size_t)k * nx;
    for (int k = 0; k < count && !st; k++)
        if (program[k] && sw_program_rate(program[k]) != SW_RATE_RUN)
            st = find_range(&s, program[k], param, t, &range[k]);
done:
    sw_free(initial);
    sw_free(s.row);
    sw_free(s.in);
    sw_free(s.value);
    return st;
}
