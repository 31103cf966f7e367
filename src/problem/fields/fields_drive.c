#include "problem/fields/fields_drive.h"

#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "problem/line/stepper/drive_forces.h"

enum { LANES = SW_DRIVE_LANES, PLACES = SW_DRIVE_PLACES, SAMPLES = SW_DRIVE_SAMPLES };

struct looker {                       /* of a batch */
    const struct fields_sim *sim;
    struct sw_drive_windows  windows;
    struct sw_eval *initial[SW_UNKNOWNS_MOST], *force[SW_UNKNOWNS_MOST];
    int64_t        *place;            /* [SW_DIMS][SAMPLES] number of a point along each axis, the same in all runs */
    double         *param;            /* [nparam][LANES], all lanes alike                                           */
    double         *input;            /* [terms->inputs][SAMPLES] what programs take in, at t = 0                   */
    const double  **in;               /* [terms->inputs] of input                                                   */
    double         *beside;           /* [SW_DIMS][SAMPLES] coordinates of points beside these                      */
    double         *first, *now;      /* [SAMPLES] values of a force at t = 0 and later                             */
};

static int windows_of(const struct fields_desc *d) { return d->own_steps ? sw_drive_count(d->goals, d->times) : 0; }

size_t fields_drive_numbers(const struct fields_desc *d)
{
    return (size_t)windows_of(d) * (size_t)d->terms->unknowns;
}

double fields_drive_share(const struct fields_desc *d) { return windows_of(d) / (double)d->goals; }

/* ------------------------------------------------------------------ create, destroy */

static enum sw_status create_eval(const struct sw_program *program, struct sw_eval **eval)
{
    return program ? sw_eval_create_lanes(program, PLACES, LANES, eval) : SW_OK;
}

/* Along y and z by multiples of other numbers than along x, so that places fill the grid. */
static void choose_places(struct looker *l)
{
    const int64_t *n = l->sim->desc.n;
    for (int k = 0; k < SAMPLES; k++) {
        l->place[k] = (int64_t)(sw_drive_place(k) * (double)n[0]);
        l->place[SAMPLES + k] = (int64_t)(fmod(0.7548776662466927 * k, 1.0) * (double)n[1]);
        l->place[2 * SAMPLES + k] = (int64_t)(fmod(0.5698402909980532 * k, 1.0) * (double)n[2]);
    }
}

static enum sw_status create(struct looker *l)
{
    const struct fields_desc *d = &l->sim->desc;
    const size_t inputs = (size_t)d->terms->inputs;
    sw_drive_set_windows(d->goals, d->times, &l->windows);
    for (int v = 0; v < d->terms->unknowns; v++) {
        SW_TRY(create_eval(d->initial[v], &l->initial[v]));
        SW_TRY(create_eval(d->terms->row[v].rhs, &l->force[v]));
    }
    SW_TRY(sw_alloc((size_t)SW_DIMS * SAMPLES, &l->place));
    SW_TRY(sw_alloc((size_t)d->nparam * LANES + 1, &l->param));
    SW_TRY(sw_alloc(inputs * SAMPLES, &l->input));
    SW_TRY(sw_alloc(inputs, &l->in));
    SW_TRY(sw_alloc((size_t)SW_DIMS * SAMPLES, &l->beside));
    SW_TRY(sw_alloc(SAMPLES, &l->first));
    SW_TRY(sw_alloc(SAMPLES, &l->now));
    for (size_t k = 0; k < inputs; k++) l->in[k] = l->input + k * SAMPLES;
    choose_places(l);
    return SW_OK;
}

static void destroy(struct looker *l)
{
    for (int v = 0; v < SW_UNKNOWNS_MOST; v++) {
        sw_eval_destroy(&l->initial[v]);
        sw_eval_destroy(&l->force[v]);
    }
    sw_free(l->place);
    sw_free(l->param);
    sw_free(l->input);
    sw_free(l->in);
    sw_free(l->beside);
    sw_free(l->first);
    sw_free(l->now);
}

/* ------------------------------------------------------------------ a run */

/* Where the points are that lie so far beside the places. */
static void set_coordinates(const struct looker *l, int j, const int offset[SW_DIMS], double *at)
{
    for (int d = 0; d < SW_DIMS; d++) {
        const int64_t n = l->sim->desc.n[d];
        const bool walls = l->sim->desc.walls[d];
        for (int k = 0; k < SAMPLES; k++)
            at[d * SAMPLES + k] = sw_grid_at(&l->sim->run[j].grid, d,
                                             fields_beside(l->place[d * SAMPLES + k] + offset[d], n, walls));
    }
}

/* The unknown v so far beside the places, at t = 0; 0 where no program gives it. */
static void set_unknown(const struct looker *l, int j, int v, const int offset[SW_DIMS], double *u)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = l->beside, [SW_IN_Y] = l->beside + SAMPLES,
                                   [SW_IN_Z] = l->beside + 2 * SAMPLES};
    memset(u, 0, SAMPLES * sizeof *u);
    if (!l->initial[v]) return;
    set_coordinates(l, j, offset, l->beside);
    sw_eval_run(l->initial[v], l->param, LANES);
    sw_eval_cells(l->initial[v], PLACES, in);
    sw_drive_begin_first_time(l->initial[v]);
    sw_eval_points(l->initial[v], PLACES, in, u);
}

/* @param size  out: [unknowns] the largest |u| */
static void set_state(const struct looker *l, int j, double *size)
{
    static const int here[SW_DIMS] = {0};
    const struct fields_terms *t = l->sim->desc.terms;
    for (int v = 0; v < t->unknowns; v++) {
        size[v] = 0.0;
        set_unknown(l, j, v, here, l->now);
        for (int k = 0; k < SAMPLES; k++) size[v] = fmax(size[v], fabs(l->now[k]));
    }
    for (int q = 0; q < t->neighbours; q++)
        set_unknown(l, j, t->neighbour[q].unknown, t->neighbour[q].offset,
                    l->input + (size_t)(FIELDS_INPUTS + q) * SAMPLES);
    set_coordinates(l, j, here, l->input + SW_IN_X * SAMPLES);
}

static double decay_of(const struct fields_sim *s, int v, int j)
{
    const struct sw_program *a0 = s->desc.terms->row[v].linear.a0;
    double value = 0;
    if (!a0 || sw_program_over_runs(a0, 1, s->param + j, s->count, &value)) return 0;
    return -value;
}

/* An initial value that no program gives is not known here: a force that has acted before is then none that comes. */
static void add_force(const struct looker *l, int j, int v, double size, double *drive)
{
    const struct fields_desc *d = &l->sim->desc;
    const bool moves = sw_program_uses(d->terms->row[v].rhs, "t");
    if (!moves && (size > 0.0 || !d->initial[v])) return;
    const struct sw_drive_force force = {
        .eval = l->force[v], .in = l->in, .first = l->first, .now = l->now, .size = size,
        .from_zero = size == 0.0 && d->initial[v], .decay = decay_of(l->sim, v, j), .last = d->times[d->goals],
        .unknowns = d->terms->unknowns, .v = v};
    sw_eval_run(l->force[v], l->param, LANES);
    sw_eval_cells(l->force[v], PLACES, l->in);
    (moves ? sw_drive_add_moving : sw_drive_add_steady)(&l->windows, &force, drive);
}

enum sw_status fields_drive_load(const struct fields_sim *s, double *drive)
{
    const struct fields_desc *d = &s->desc;
    struct looker l = {.sim = s};
    if (!fields_drive_numbers(d)) return SW_OK;
    const enum sw_status st = create(&l);
    memset(drive, 0, (size_t)s->count * fields_drive_numbers(d) * sizeof *drive);
    for (int j = 0; j < s->count && !st; j++) {
        double size[SW_UNKNOWNS_MOST];
        for (int k = 0; k < d->nparam; k++)
            for (int lane = 0; lane < LANES; lane++)
                l.param[k * LANES + lane] = s->param[(size_t)k * (size_t)s->count + (size_t)j];
        set_state(&l, j, size);
        for (int v = 0; v < d->terms->unknowns; v++)
            add_force(&l, j, v, size[v], drive + (size_t)j * fields_drive_numbers(d));
    }
    destroy(&l);
    return st;
}
