#include "linalg/relation_tile.h"

#include <stddef.h>

#include "linalg/relation_point.h"

static double lower_of(const struct relation_tile *t, int64_t i) { return i == 0 && t->begins ? 0 : t->lower[i]; }

static double upper_of(const struct relation_tile *t, int64_t i)
{
    return i == t->count - 1 && t->ends ? 0 : t->upper[i];
}

/* @param pivot  out [count], NULL: not kept  @param w  out [10] */
static void sweep_run(const struct relation_tile *t, struct relation_pivot *pivot, double *w)
{
    if (t->count == 1) {
        relation_of_row(lower_of(t, 0), t->main[0], upper_of(t, 0), t->rhs[0], w);
        return;
    }
    struct relation_rows rows = relation_begin(lower_of(t, 0), t->main[0], t->upper[0], t->rhs[0], t->lower[1],
                                               t->main[1], upper_of(t, 1), t->rhs[1]);
    for (int64_t i = 1; i < t->count - 1; i++)
        relation_eliminate(&rows, t->lower[i + 1], t->main[i + 1], upper_of(t, i + 1), t->rhs[i + 1],
                           pivot ? &pivot[i] : NULL);
    relation_of_rows(&rows, w);
}

/* @return whether all of x is finite */
static bool substitute_run(const struct relation_tile *t, const struct relation_pivot *pivot, const double *ends,
                           double *x)
{
    double x1 = ends[2], x2 = ends[3], sum = 0 * ends[1] + 0 * ends[2];
    x[t->count - 1] = ends[2];
    for (int64_t i = t->count - 2; i >= 1; i--) {
        x[i] = relation_unknown(&pivot[i], ends[0], ends[1], x1, x2);
        x2 = x1;
        x1 = x[i];
        sum += 0 * x1;
    }
    x[0] = ends[1];
    return sum == 0;
}

/* A run a lane, of equal lengths or, in the last tile, some of one row less. */
static struct relation_runs runs_of(const struct relation_tile *t)
{
    const int64_t each = t->count / RELATION_LANES, more = t->count % RELATION_LANES;
    struct relation_runs r = {.lower = t->lower, .main = t->main, .upper = t->upper, .rhs = t->rhs,
                              .rows = (int)(each + (more > 0)), .begins = t->begins,
                              .ends = (unsigned)t->ends << relation_lane(RELATION_LANES - 1), .ahead = RELATION_TILE,
                              .past_cache = t->past_cache, .lanes = RELATION_LANES};
    for (int k = 0; k < RELATION_LANES; k++) {
        const int lane = relation_lane(k);
        r.start[lane] = k * each + (k < more ? k : more);
        if (more > 0 && k >= more) r.shorter |= 1u << lane;
    }
    return r;
}

void relation_tile_sweep(const struct relation_lanes_ops *lanes, struct relation_tile_work *work,
                         const struct relation_tile *t, bool keep, double *w)
{
    _Alignas(64) double lane[10][RELATION_LANES];
    if (t->one_run) {
        sweep_run(t, keep ? work->run : NULL, w);
        return;
    }
    const struct relation_runs runs = runs_of(t);
    lanes->sweep(&runs, keep ? work->pivot : NULL, lane);
    lanes->join(lane, &work->joints);
    for (int f = 0; f < 10; f++) w[f] = lane[f][0];
}

bool relation_tile_substitute(const struct relation_lanes_ops *lanes, struct relation_tile_work *work,
                              const struct relation_tile *t, const double *ends, double *x)
{
    _Alignas(64) double lane[4][RELATION_LANES];
    if (t->one_run) return substitute_run(t, work->run, ends, x);
    const struct relation_runs runs = runs_of(t);
    for (int f = 0; f < 4; f++) lane[f][0] = ends[f];
    lanes->part(&work->joints, lane);
    return lanes->substitute(&runs, work->pivot, lane, x) == 0;
}
