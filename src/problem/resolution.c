#include "problem/resolution.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "field/dft.h"
#include "field/evaluate.h"
#include "problem/initial_file.h"
#include "problem/sw_slab.h"

/* Of the energy of what varies. A step has 0.05/n of its energy there: it is told on fewer than 50 points. */
static const double most_high = 1e-3;

/* Mean square and mean at the points, against those of the line. */
static const double most_aliased = 1e-2;

/* A sine of 8 points has 2.6. */
static const double least_points = 2.5;
static const double flat = 1e-6;  /* of its size: a field that varies by less has no interfaces */
static const double gone = 1e-12; /* of the largest unknown: one that is smaller has died out, and is rounding */

/* Of noise the largest of 10^6 differences of neighbours is 5 times their root mean square, that of a step in a line of
 * 256 points 8 times. */
static const double most_of_noise = 6;

enum { LONGEST = 1 << 14, SHORTEST = 8 };  /* lines that are looked at */

struct moments { double mean, square; };

/* With walls by the trapezoidal rule, whose ends count half. */
static struct moments moments_of(int count, bool walls, const double *u)
{
    struct moments m = {0};
    for (int i = 0; i < count; i++) {
        const double weight = walls && (i == 0 || i == count - 1) ? 0.5 : 1;
        m.mean += weight * u[i];
        m.square += weight * u[i] * u[i];
    }
    m.mean /= count - walls;
    m.square /= count - walls;
    return m;
}

/* What share of its energy without the mean a line has in the highest third of its spectrum; with walls it is continued
 * by its mirror image. @param u  [2 count] room behind the line */
static enum sw_status high_share(int count, bool walls, double *u, double *share)
{
    const int around = walls ? 2 * (count - 1) : count;
    struct sw_dft d;
    double *room = NULL, all = 0, high = 0;
    for (int i = count; i < around; i++) u[i] = u[around - i];
    enum sw_status st = sw_dft_create(around, &d);
    if (!st) st = sw_alloc(4 * (size_t)d.length, &room);
    if (!st) {
        double *const re[2] = {room, room + d.length}, *const im[2] = {room + 2 * d.length, room + 3 * d.length};
        const int at = sw_dft_run(&d, u, re, im);
        for (int k = 1; k <= around / 2; k++) {
            const double energy = (2 * k == around ? 1 : 2) * (re[at][k] * re[at][k] + im[at][k] * im[at][k]);
            all += energy;
            if (3 * k > around) high += energy;
        }
        *share = all > 0 ? high / all : 0;
    }
    sw_free(room);
    sw_dft_destroy(&d);
    return st;
}

/* The values of an expression at `count` points of the line along dimension d through the middle of the grid. */
static enum sw_status sample_line(const struct sw_function *f, const struct sw_grid *grid, const int64_t *n, int d,
                                  int64_t ld, const double *column, bool walls, int count, double *u)
{
    const int64_t line[SW_DIMS] = {d == 0 ? count : 1, d == 1 ? count : 1, d == 2 ? count : 1};
    const double length = sw_grid_at(grid, d, n[d] - walls) - grid->x0[d];
    struct sw_evaluator e = {0};
    struct sw_grid along = *grid;
    for (int k = 0; k < SW_DIMS; k++) {
        if (k != d) along.x0[k] = sw_grid_at(grid, k, n[k] / 2);
        along.ddx[k] = 0;
    }
    along.dx[d] = length / (double)(count - walls);
    const enum sw_status st = sw_evaluator_create(f->program, line, &e);
    if (!st) {
        sw_evaluator_begin(&e, &along, column, ld, 0, 0);
        for (int first = 0; first < count; first += SW_EVALUATOR_POINTS)
            sw_evaluator_points(&e, first, count - first < SW_EVALUATOR_POINTS ? count - first : SW_EVALUATOR_POINTS,
                                u + first);
    }
    sw_evaluator_destroy(&e);
    return st;
}

/* Twice the points, and three more: the waves that both have as another one are not the same. */
static enum sw_status look_along(const struct sw_setup *setup, const struct sw_function *f, const struct sw_grid *grid,
                                 int d, int64_t ld, const double *column, struct sw_text *text)
{
    const int count = (int)setup->n[d], fine = 2 * count + 3;
    const bool walls = setup->walls[d];
    double *u, high = 0;
    SW_TRY(sw_alloc(2 * (size_t)fine, &u));
    enum sw_status st = sample_line(f, grid, setup->n, d, ld, column, walls, count, u);
    const struct moments here = moments_of(count, walls, u);
    if (!st) st = sample_line(f, grid, setup->n, d, ld, column, walls, fine, u);
    const struct moments line = moments_of(fine, walls, u);
    const double aliased = fmax(pow(here.mean - line.mean, 2), fabs(here.square - line.square));
    if (!st && aliased > most_aliased * line.square)
        sw_text_set(text, "under-resolved: initial has another mean or size at the %d points of %c than between them; "
                    "use a larger grid.n", count, "xyz"[d]);
    else if (!st && line.square > 0) {
        st = high_share(fine, walls, u, &high);
        if (!st && high > most_high)
            sw_text_set(text, "under-resolved: %.2g of what varies in initial is in waves of fewer than 3 points of %c "
                        "(grid.n = %d); use a larger grid.n", high, "xyz"[d], count);
    }
    sw_free(u);
    return st;
}

enum sw_status sw_resolution_warn_initial(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                          const double *state, struct sw_text *text)
{
    const struct sw_grid grid = sw_setup_grid(setup, ld, column, j);
    if (state || sw_initial_in_file(setup)) return SW_OK;
    for (int k = 0; k < setup->nfunction && !text->length; k++) {
        const struct sw_function *f = &setup->function[k];
        if (strcmp(f->key, "initial") || !f->program || sw_expr_is_random(f->expr)) continue;
        for (int d = 0; d < setup->dim && !text->length; d++)
            if (setup->n[d] >= SHORTEST && setup->n[d] <= LONGEST)
                SW_TRY(look_along(setup, f, &grid, d, ld, column + j, text));
    }
    return SW_OK;
}

/* ------------------------------------------------------------------ at the end */

/* The largest difference of neighbours along a dimension, of points `stride` apart; of slabs also between two.
 * @param most  out: it, and the root mean square of those within the slab that has the most */
static enum sw_status steepest(const struct sw_setup *here, const struct sw_setup *slab, int d, const double *u,
                               double most[2])
{
    const int64_t *n = here->n, stride = d == 0 ? 1 : d == 1 ? n[0] : n[0] * n[1], points = sw_points(n);
    double *next = NULL, square = 0;
    *most = 0;
    if (slab && d == sw_slab_axis(slab)) SW_TRY(sw_slab_next_plane(slab, u, &next));
    for (int64_t i = 0; i < points; i++)
        if (i / stride % n[d] + 1 < n[d]) {
            *most = fmax(*most, fabs(u[i + stride] - u[i]));
            square += (u[i + stride] - u[i]) * (u[i + stride] - u[i]);
        }
    most[1] = n[d] > 1 ? sqrt(square / ((double)(points / n[d]) * (double)(n[d] - 1))) : 0;
    for (int64_t i = 0; next && i < stride; i++) *most = fmax(*most, fabs(next[i] - u[points - stride + i]));
    sw_free(next);
    return sw_slab_max(slab, 2, most);
}

enum sw_status sw_resolution_warn_result(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                         const double *state, struct sw_text *text)
{
    const struct sw_setup *slab = setup->slab, *here = slab ? slab : setup;
    const int64_t points = sw_points(here->n);
    const int unknowns = sw_setup_unknowns(setup);
    const bool noisy = sw_setup_is_noisy(setup);  /* neighbours differ by their noise */
    double largest = 0;
    (void)ld, (void)column, (void)j;
    for (int64_t i = 0; state && i < unknowns * points; i++) largest = fmax(largest, fabs(state[i]));
    if (state) SW_TRY(sw_slab_max(slab, 1, &largest));
    for (int v = 0; state && v < unknowns && !text->length; v++) {
        const double *u = state + v * points;
        double most[2] = {-INFINITY, -INFINITY}, step[2];  /* -u, u */
        for (int64_t i = 0; i < points; i++) {
            most[0] = fmax(most[0], -u[i]);
            most[1] = fmax(most[1], u[i]);
        }
        SW_TRY(sw_slab_max(slab, 2, most));
        const double range = most[1] + most[0];
        if (!(range > flat * fmax(fabs(most[0]), fabs(most[1])) && range > gone * largest)) continue;
        if (range * DBL_EPSILON < DBL_MIN) continue;  /* few digits are left of the differences of what has decayed */
        for (int d = 0; d < setup->dim && !text->length; d++) {
            if (setup->n[d] < 2 * SHORTEST) continue;
            SW_TRY(steepest(here, slab, d, u, step));
            const double across = range / step[0];
            if (!(across < least_points) || (noisy && step[0] < most_of_noise * step[1])) continue;
            sw_text_set(text, "under-resolved: at the end %s has its range within %.2g points of %c: such an interface "
                        "depends on where the points are, and may stick to them; use a larger grid.n",
                        setup->nunknown > 1 ? setup->unknown[v] : "u", across, "xyz"[d]);
        }
    }
    return SW_OK;
}
