#include "problem/line/kinds/line_problem.h"

#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "problem/initial_file.h"
#include "problem/line/kinds/line_ends.h"

struct sw_setup sw_line_setup_of_run(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j)
{
    struct sw_setup one = *setup;
    one.n[0] = (int64_t)column[sw_setup_column(setup, "grid.n") * ld + j];
    one.n[1] = one.n[2] = 1;
    one.walls[0] = sw_line_has_ends(setup);
    return one;
}

int64_t sw_line_circle(const struct sw_setup *one) { return one->walls[0] ? 2 * (one->n[0] - 1) : one->n[0]; }

int64_t sw_line_sample_at(const struct sw_setup *one, int i, int count)
{
    const int64_t circle = sw_line_circle(one), at = circle * i / count;
    return at < one->n[0] ? at : circle - at;
}

void sw_line_sample(struct sw_eval *eval, int count, const double *x, const double *u, double t, int64_t step,
                    double *out)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = x, [SW_IN_U] = u};
    sw_eval_step(eval, t, step);
    sw_eval_points(eval, count, in, out);
}

enum sw_status sw_line_begin_program(const struct sw_program *program, int64_t ld, const double *column, int64_t j,
                                     int count, const double *x, struct sw_eval **eval)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = x};
    SW_TRY(sw_eval_create(program, count, eval));
    sw_eval_run(*eval, column + j, ld);
    sw_eval_cells(*eval, count, in);
    return SW_OK;
}

int sw_line_sample_points(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                          double x[SW_LINE_SAMPLES])
{
    const struct sw_setup one = sw_line_setup_of_run(setup, ld, column, j);
    const struct sw_grid grid = sw_setup_grid(&one, ld, column, j);
    const int64_t circle = sw_line_circle(&one);
    const int count = circle < SW_LINE_SAMPLES ? (int)circle : SW_LINE_SAMPLES;
    for (int i = 0; i < count; i++) {
        const double at = (double)circle * i / count, last = (double)(one.n[0] - 1);
        x[i] = grid.x0[0] + grid.dx[0] * (one.walls[0] && at > last ? (double)circle - at : at);
    }
    return count;
}

/* That of a file, at the same points or those before them. A file that cannot be read is refused elsewhere. */
static enum sw_status initial_from_file(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                        int count, double *u)
{
    const struct sw_setup one = sw_line_setup_of_run(setup, ld, column, j);
    double *all;
    SW_TRY(sw_alloc((size_t)one.n[0], &all));
    const enum sw_status st = sw_initial_read(&one, ld, column, j, all);
    for (int i = 0; i < count && !st; i++) {
        const double value = all[sw_line_sample_at(&one, i, count)];
        u[i] = isfinite(value) ? value : 0;
    }
    sw_free(all);
    return st == SW_E_MEMORY ? st : SW_OK;
}

enum sw_status sw_line_sample_initial(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                      int count, const double *x, double *u)
{
    const struct sw_program *program = sw_setup_function(setup, "initial");
    struct sw_eval *eval = NULL;
    for (int i = 0; i < count; i++) u[i] = 0;
    if (!program && sw_initial_in_file(setup)) return initial_from_file(setup, ld, column, j, count, u);
    if (!program) return SW_OK;
    SW_TRY(sw_line_begin_program(program, ld, column, j, count, x, &eval));
    sw_line_sample(eval, count, x, NULL, 0, 0, u);
    sw_eval_destroy(&eval);
    return SW_OK;
}

enum sw_status sw_line_initial_values(const struct sw_setup *one, int64_t ld, const double *column, int64_t j,
                                      double *u)
{
    const struct sw_grid grid = sw_setup_grid(one, ld, column, j);
    const int n = (int)one->n[0], unknowns = one->nunknown ? one->nunknown : 1;
    enum sw_status st = SW_OK;
    double *x;
    if (sw_initial_in_file(one)) return sw_initial_read(one, ld, column, j, u);
    SW_TRY(sw_alloc((size_t)n, &x));
    for (int i = 0; i < n; i++) x[i] = grid.x0[0] + i * grid.dx[0];
    for (int v = 0; v < unknowns && !st; v++) {
        const struct sw_function *initial = sw_setup_find_of(one, "initial", v);
        double *const field = u + (size_t)v * (size_t)n;
        struct sw_eval *eval = NULL;
        memset(field, 0, (size_t)n * sizeof *field);
        if (!initial) continue;
        if ((st = sw_line_begin_program(initial->program, ld, column, j, n, x, &eval))) break;
        sw_line_sample(eval, n, x, NULL, 0, 0, field);
        sw_eval_destroy(&eval);
    }
    sw_free(x);
    return st;
}

double sw_line_sample_largest(int count, const double *u)
{
    double largest = 0;
    for (int i = 0; i < count; i++) largest = fmax(largest, fabs(u[i]));
    return largest;
}
