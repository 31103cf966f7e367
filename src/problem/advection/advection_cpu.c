/* `advection` on the CPU: the runs are cut into tiles of points that follow each other in memory, which threads take; a
 * tile is worked on in arrays that stay in the first two levels of the cache. Expressions are evaluated by the
 * interpreter, whose values at a point do not depend on the tile: so no bit depends on tiles or threads.
 *
 * Memory traffic of a stage, in numbers of 8 bytes (or 4) a point, for D derivatives (d first and d second ones in d
 * dimensions, those that are needed): 2 D for src/fd; and in the pass D, then what of u, the previous stage's result
 * and the sum the stage's formula has, and the result and the sum written: D + 3, D + 4, D + 4 and D + 2 for the stages
 * of rk4, D + 2, D + 3 and D + 3 for those of ssp_rk3; one more where c or S names u and the formula lacks the previous
 * result. */
#include <float.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/sw_reals.h"
#include "device/sw_snapshot.h"
#include "field/sum.h"
#include "problem/advection/advection_impl.h"

enum { TILE = 1024 };  /* 8 KiB an array */

enum { NOW, NEXT, SUM, FIRST, SECOND = FIRST + SW_DIMS, FIELDS = SECOND + SW_DIMS };

struct scratch {                             /* of one thread                                          */
    struct sw_eval *eval[ADVECTION_PROGRAMS];
    double  at[SW_DIMS][TILE];               /* coordinates                                            */
    double  wide[FIELDS][TILE];              /* fields, where they are float                           */
    double  rhs[TILE], value[TILE];          /* k = u_t; values of a program                           */
    double  courant_rate[TILE];              /* sum |c_d|/dx_d                                         */
    double  wall_at[SW_DIMS][TILE], given[TILE];
    int     wall[TILE];                      /* points of the tile at a wall                           */
};

struct cpu {
    struct scratch *scratch;                    /* [threads]                       */
    int64_t        *diverged_at;                /* [capacity]                      */
    struct advection_diagnostics *diagnostics;  /* [capacity]                      */
    int64_t         tiles;                      /* of a run                        */
    double        (*tile_scalars)[ADVECTION_SCALARS];  /* [capacity][tiles]        */
    struct sw_snapshots *snapshots;
};

/* A tile of run j, whose fields are those of a sub-batch. */
struct tile { const struct advection_subbatch *subbatch; int j; size_t first; int count; };

static struct tile tile_of(const struct advection_sim *a, const struct advection_subbatch *subbatch, int64_t item)
{
    const int64_t tiles = ((const struct cpu *)a->own)->tiles;
    const size_t first = (size_t)(item % tiles) * TILE, left = a->points - first;
    return (struct tile){subbatch, subbatch->from + (int)(item / tiles), first, left < TILE ? (int)left : TILE};
}

static int64_t tiles_of(const struct sw_setup *setup) { return (sw_points(setup->n) + TILE - 1) / TILE; }

/* ------------------------------------------------------------------ the fields of a tile */

static inline size_t tile_offset(const struct advection_sim *a, const struct tile *p)
{
    return (size_t)p->j * a->points + p->first;
}

/* The tile of a field: in place, or widened from float. */
static inline const double *read_tile(const struct advection_sim *a, const struct tile *p, const void *field,
                                      double *wide)
{
    if (a->element_size == 8) return (const double *)field + tile_offset(a, p);
    const float *from = (const float *)field + tile_offset(a, p);
    for (int i = 0; i < p->count; i++) wide[i] = (double)from[i];
    return wide;
}

/* Where to form the tile of a field: in place, or in `wide`; store_tile() then narrows it. */
static inline double *writable_tile(const struct advection_sim *a, const struct tile *p, void *field, double *wide)
{
    return a->element_size == 8 ? (double *)field + tile_offset(a, p) : wide;
}

static inline void store_tile(const struct advection_sim *a, const struct tile *p, void *field, const double *wide)
{
    if (a->element_size == 8) return;
    float *to = (float *)field + tile_offset(a, p);
    for (int i = 0; i < p->count; i++) to[i] = (float)wide[i];
}

/* The tile as segments of lines along x: points from .. to-1 of the tile, the first of which has these indices. */
struct segment { int from, to; int64_t index[SW_DIMS]; };

static inline struct segment first_segment(const struct advection_sim *a, const struct tile *p)
{
    const int64_t *n = a->setup.n, first = (int64_t)p->first, left = n[0] - first % n[0];
    return (struct segment){0, left < p->count ? (int)left : p->count,
                            {first % n[0], first / n[0] % n[1], first / n[0] / n[1]}};
}

static inline bool next_segment(const struct advection_sim *a, const struct tile *p, struct segment *s)
{
    const int64_t *n = a->setup.n;
    if (s->to == p->count) return false;
    s->from = s->to;
    s->to = n[0] < p->count - s->from ? s->from + (int)n[0] : p->count;
    s->index[0] = 0;
    if (++s->index[1] == n[1]) {
        s->index[1] = 0;
        s->index[2]++;
    }
    return true;
}

/* ------------------------------------------------------------------ expressions on a tile */

/* w->at, of the coordinates that programs name. */
static void set_coordinates(const struct advection_sim *a, struct scratch *w, const struct tile *p)
{
    const struct advection_run *r = &a->run[p->j];
    const bool *uses = a->terms.uses;
    const int64_t first[SW_DIMS] = {sw_setup_first(&a->setup, 0), sw_setup_first(&a->setup, 1),
                                    sw_setup_first(&a->setup, 2)};
    if (!uses[0] && !uses[1] && !uses[2]) return;
    struct segment s = first_segment(a, p);
    do {
        const double y = r->x0[1] + (double)(first[1] + s.index[1]) * r->dx[1],
                     z = r->x0[2] + (double)(first[2] + s.index[2]) * r->dx[2];
        const double x0 = r->x0[0], dx = r->dx[0];
        const int at = (int)(first[0] + s.index[0]) - s.from;
        for (int i = s.from; uses[0] && i < s.to; i++) w->at[0][i] = x0 + (double)(at + i) * dx;
        for (int i = s.from; uses[1] && i < s.to; i++) w->at[1][i] = y;
        for (int i = s.from; uses[2] && i < s.to; i++) w->at[2][i] = z;
    } while (next_segment(a, p, &s));
}

/* The values of a program at some points. */
static void evaluate(const struct advection_sim *a, struct scratch *w, int which, int j, int count,
                     double (*at)[TILE], const double *u, double t, double *out)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = at[0], [SW_IN_Y] = at[1], [SW_IN_Z] = at[2], [SW_IN_U] = u};
    struct sw_eval *e = w->eval[which];
    sw_eval_run(e, a->column + j, a->count);
    sw_eval_cells(e, count, in);
    sw_eval_step(e, t, 0);
    sw_eval_points(e, count, in, out);
}

/* The velocity along axis d at the tile's points, into w->value; only the first is set if it is the same at all of
 * them. @return whether it is */
static bool evaluate_velocity(const struct advection_sim *a, struct scratch *w, const struct tile *p, int d,
                              const double *u, double t)
{
    const int which = ADVECTION_VELOCITY + d;
    const bool uniform = sw_program_rate(a->terms.program[which]) <= SW_RATE_STEP;
    evaluate(a, w, which, p->j, uniform ? 1 : p->count, w->at, u, t, w->value);
    return uniform;
}

/* ------------------------------------------------------------------ the Courant number */

/* Add |c_d|/dx_d to w->courant_rate, right after evaluate_velocity(). */
static void add_courant_rate(const struct advection_sim *a, struct scratch *w, const struct tile *p, int d,
                             bool uniform)
{
    const double inv_dx = a->run[p->j].inv_dx[d], same = fabs(w->value[0]) * inv_dx;
    if (uniform)
        for (int i = 0; i < p->count; i++) w->courant_rate[i] += same;
    else
        for (int i = 0; i < p->count; i++) w->courant_rate[i] += fabs(w->value[i]) * inv_dx;
}

/* What is not finite does not count: inf - inf and NaN - NaN are NaN, and no comparison with NaN holds. */
static double max_courant_rate(const struct scratch *w, int count)
{
    double largest = 0;
    for (int i = 0; i < count; i++)
        largest = isfinite(w->courant_rate[i]) && w->courant_rate[i] > largest ? w->courant_rate[i] : largest;
    return largest;
}

/* Record a Courant number of run j at this step; threads may at once. */
static void record_courant(const struct advection_sim *a, int j, int64_t step, double courant)
{
    struct advection_diagnostics *d = &((struct cpu *)a->own)->diagnostics[j];
    double most;
    __atomic_load(&d->max_courant, &most, __ATOMIC_RELAXED);
    while (courant > most && !__atomic_compare_exchange(&d->max_courant, &most, &courant, false, __ATOMIC_RELAXED,
                                                        __ATOMIC_RELAXED)) continue;
    if (!(courant > a->run[j].courant_limit)) return;
    long long from = __atomic_load_n(&d->unstable_from, __ATOMIC_RELAXED);
    while (step < from && !__atomic_compare_exchange_n(&d->unstable_from, &from, step, false, __ATOMIC_RELAXED,
                                                       __ATOMIC_RELAXED)) continue;
}

/* ------------------------------------------------------------------ walls */

/* The index of a wall along axis d among the points that are here, which may not have it. */
static int64_t index_of_wall(const struct advection_sim *a, int d, bool far)
{
    return (far ? sw_setup_whole(&a->setup, d) - 1 : 0) - sw_setup_first(&a->setup, d);
}

/* Find the points of the tile at a wall of axis d, into w->wall, with their coordinates. @return how many */
static int find_wall_points(const struct advection_sim *a, struct scratch *w, const struct tile *p, int d,
                            int64_t wall)
{
    int n = 0;
    struct segment s = first_segment(a, p);
    do {
        const int64_t at = s.from + (wall - s.index[0]);
        if (d == 0 && at >= s.from && at < s.to) w->wall[n++] = (int)at;
        for (int i = s.from; d > 0 && s.index[d] == wall && i < s.to; i++) w->wall[n++] = i;
    } while (next_segment(a, p, &s));
    for (int e = 0; e < SW_DIMS; e++)
        for (int k = 0; k < n && a->terms.uses[e]; k++) w->wall_at[e][k] = w->at[e][w->wall[k]];
    return n;
}

/* The points of the tile at the wall of a slot, with what its program gives there. @return how many */
static int evaluate_at_wall(const struct advection_sim *a, struct scratch *w, const struct tile *p, int first,
                            int slot, double t)
{
    const int d = slot % (2 * SW_DIMS) / 2;
    if (!w->eval[first + slot]) return 0;
    const int n = find_wall_points(a, w, p, d, index_of_wall(a, d, slot % 2));
    if (n) evaluate(a, w, first + slot, p->j, n, w->wall_at, NULL, t, w->given);
    return n;
}

/* Overwrite u at the walls where it is given. */
static void hold_walls(const struct advection_sim *a, struct scratch *w, const struct tile *p, double t, double *u)
{
    for (int slot = ADVECTION_WALL_PROGRAMS - 1; slot >= 0; slot--) {
        const int n = evaluate_at_wall(a, w, p, ADVECTION_WALL_U, slot, t);
        for (int i = 0; i < n; i++) u[w->wall[i]] = w->given[i];
    }
}

/* The conditions at the walls, on the right-hand side. @param u_x  [axis] first derivatives times h; NULL: none */
static void apply_walls(const struct advection_sim *a, struct scratch *w, const struct tile *p, double t,
                        const double *const u_x[SW_DIMS])
{
    const struct advection_run *r = &a->run[p->j];
    for (int slot = ADVECTION_WALL_PROGRAMS - 1; slot >= 0; slot--) {
        const int id = slot / (2 * SW_DIMS), d = slot % (2 * SW_DIMS) / 2;
        const int n = evaluate_at_wall(a, w, p, ADVECTION_WALL_RHS, slot, t);
        for (int i = 0; i < n; i++) {
            const int at = w->wall[i];
            const struct advection_wall_point point = {.given = w->given[i],
                                                       .u_x = u_x[d] ? u_x[d][at] * r->inv_dx[d] : 0,
                                                       .nu = r->nu, .inv_dx = r->inv_dx[d],
                                                       .outward = slot % 2 ? 1 : -1};
            w->rhs[at] = advection_wall_rhs(id, &point, w->rhs[at]);
        }
    }
}

/* ------------------------------------------------------------------ a stage */

/* w->rhs := nu (u_xx + u_yy + u_zz) - c_x u_x - c_y u_y - c_z u_z + S, in this order; then the walls.
 * record: w->courant_rate, too. */
static void form_rhs(const struct advection_sim *a, struct scratch *w, const struct tile *p, const double *u, double t,
                     bool record)
{
    const struct advection_run *r = &a->run[p->j];
    const double *u_x[SW_DIMS] = {NULL};
    double *k = w->rhs;
    const int n = p->count;
    memset(k, 0, (size_t)n * sizeof *k);
    if (record) memset(w->courant_rate, 0, (size_t)n * sizeof *w->courant_rate);
    for (int d = 0; d < SW_DIMS; d++) {
        if (!p->subbatch->second_operator[d] || r->nu == 0) continue;
        const double *second = read_tile(a, p, p->subbatch->second_derivative[d], w->wide[SECOND + d]),
                     inv_dx2 = r->inv_dx2[d];
        for (int i = 0; i < n; i++) k[i] += second[i] * inv_dx2;
    }
    for (int i = 0; r->nu != 0 && i < n; i++) k[i] *= r->nu;
    for (int d = 0; d < SW_DIMS; d++) {
        if (!p->subbatch->first_operator[d]) continue;
        const double *first = read_tile(a, p, p->subbatch->first_derivative[d], w->wide[FIRST + d]);
        const double inv_dx = r->inv_dx[d];
        u_x[d] = first;
        if (!a->terms.has_velocity[d]) continue;
        const bool uniform = evaluate_velocity(a, w, p, d, u, t);
        const double c = w->value[0];
        if (record) add_courant_rate(a, w, p, d, uniform);
        if (uniform)
            for (int i = 0; i < n; i++) k[i] -= c * (first[i] * inv_dx);
        else
            for (int i = 0; i < n; i++) k[i] -= w->value[i] * (first[i] * inv_dx);
    }
    if (w->eval[ADVECTION_SOURCE]) {
        evaluate(a, w, ADVECTION_SOURCE, p->j, n, w->at, u, t, w->value);
        for (int i = 0; i < n; i++) k[i] += w->value[i];
    }
    apply_walls(a, w, p, t, u_x);
}

/* As they are stored. */
static bool all_finite(const struct advection_sim *a, const double *v, int n)
{
    const double most = a->element_size == 4 ? FLT_MAX : DBL_MAX;
    int bad = 0;
    for (int i = 0; i < n; i++) bad |= !(fabs(v[i]) <= most);
    return !bad;
}

/* The run is not finite any more after this step. Threads that store it store the same. */
static void mark_diverged(struct cpu *c, int j, int64_t step)
{
    __atomic_store_n(&c->diverged_at[j], step, __ATOMIC_RELAXED);
}

/* rk_result() and the running sum over a tile, from w->rhs. The result may be that of a field it is made of. */
static void combine_stage(const struct advection_sim *a, struct scratch *w, const struct tile *p,
                          const struct rk_stage *stage_, double *result)
{
    const struct rk_stage copy = *stage_, *st = &copy;  /* so that stores cannot change it */
    const struct advection_subbatch *fields = p->subbatch;
    const int n = p->count;
    const double dt = a->run[p->j].dt;
    const double *now = read_tile(a, p, fields->now, w->wide[NOW]);
    const double *next = st->next != 0 ? read_tile(a, p, fields->next, w->wide[NEXT]) : now;
    const bool has_sum = fields->sum && stage_ != a->discretization.rk->stage;
    const double *sum = has_sum ? read_tile(a, p, fields->sum, w->wide[SUM]) : now;
    double *k = w->rhs, *total = st->share != 0 ? writable_tile(a, p, fields->sum, w->wide[SUM]) : NULL;
    for (int i = 0; i < n; i++) k[i] *= dt;
    for (int i = 0; i < n; i++) result[i] = rk_result(st, k[i], now[i], next[i], sum[i]);
    for (int i = 0; total && i < n; i++) total[i] = sum[i] + st->share * k[i];
    if (total) store_tile(a, p, fields->sum, total);
}

/* What is done to all tiles: a stage of the step after `step` steps, or the end of step number `step`. */
struct pass { int64_t step; int stage, how; };
typedef void tile_function(const struct advection_sim *a, struct scratch *w, const struct tile *p,
                           const struct pass *pass);

static void stage_tile(const struct advection_sim *a, struct scratch *w, const struct tile *p, const struct pass *pass)
{
    const int64_t step = pass->step;
    const bool first = pass->how & ADVECTION_FIRST_STAGE, last = pass->how & ADVECTION_LAST_STAGE;
    const bool record = pass->how & ADVECTION_RECORD_COURANT;
    const struct rk_stage *st = &a->discretization.rk->stage[pass->stage];
    const struct advection_run *r = &a->run[p->j];
    const double *u = read_tile(a, p, first ? p->subbatch->now : p->subbatch->next, w->wide[first ? NOW : NEXT]);
    set_coordinates(a, w, p);
    form_rhs(a, w, p, u, (double)step * r->dt + st->time * r->dt, record);
    if (record) record_courant(a, p->j, step, max_courant_rate(w, p->count) * r->dt);
    void *target = last ? p->subbatch->now : p->subbatch->next;
    double *result = writable_tile(a, p, target, w->value);
    combine_stage(a, w, p, st, result);
    if (pass->how & ADVECTION_ENDS_STEP) {
        hold_walls(a, w, p, (double)(step + 1) * r->dt, result);
        if (!all_finite(a, result, p->count)) mark_diverged(a->own, p->j, step + 1);
    }
    store_tile(a, p, target, result);
}

static void end_step_tile(const struct advection_sim *a, struct scratch *w, const struct tile *p,
                          const struct pass *pass)
{
    const int64_t step = pass->step;
    double *u = writable_tile(a, p, p->subbatch->now, w->wide[NOW]);
    read_tile(a, p, p->subbatch->now, w->wide[NOW]);
    set_coordinates(a, w, p);
    hold_walls(a, w, p, (double)step * a->run[p->j].dt, u);
    if (!all_finite(a, u, p->count)) mark_diverged(a->own, p->j, step);
    store_tile(a, p, p->subbatch->now, u);
}

/* Call a function for the tiles of runs that have not diverged before step number `least`: by all threads, or by the
 * one whose sub-batch it is. */
static void for_each_tile(const struct advection_sim *a, const struct advection_subbatch *subbatch, int64_t least,
                          tile_function *function, const struct pass *pass)
{
    struct cpu *c = a->own;
    const int64_t items = subbatch->count * c->tiles;
#pragma omp parallel for num_threads(a->device->threads) schedule(static) if (items > 1 && subbatch->thread < 0)
    for (int64_t k = 0; k < items; k++) {
        const struct tile p = tile_of(a, subbatch, k);
        struct scratch *w = &c->scratch[subbatch->thread < 0 ? omp_get_thread_num() : subbatch->thread];
        if (__atomic_load_n(&c->diverged_at[p.j], __ATOMIC_RELAXED) >= least) function(a, w, &p, pass);
    }
}

static enum sw_status stage(struct advection_sim *a, const struct advection_subbatch *subbatch, int64_t step,
                            int number, int how)
{
    for_each_tile(a, subbatch, step + 1, stage_tile, &(struct pass){step, number, how});
    return SW_OK;
}

static enum sw_status end_step(struct advection_sim *a, const struct advection_subbatch *subbatch, int64_t step)
{
    for_each_tile(a, subbatch, step, end_step_tile, &(struct pass){.step = step});
    return SW_OK;
}

/* ------------------------------------------------------------------ snapshots */

/* The largest sum |c_d|/dx_d of the tile. */
static double courant_rate_of_tile(const struct advection_sim *a, struct scratch *w, const struct tile *p,
                                   const double *u, double t)
{
    set_coordinates(a, w, p);
    memset(w->courant_rate, 0, (size_t)p->count * sizeof *w->courant_rate);
    for (int d = 0; d < SW_DIMS; d++)
        if (a->terms.has_velocity[d]) add_courant_rate(a, w, p, d, evaluate_velocity(a, w, p, d, u, t));
    return max_courant_rate(w, p->count);
}

/* Weight of a point in a sum along axis d: half at walls. */
static double trapezoid_weight(const struct advection_sim *a, int d, int64_t i)
{
    return a->setup.walls[d] && (i == index_of_wall(a, d, false) || i == index_of_wall(a, d, true)) ? 0.5 : 1;
}

/* The weights of the tile's points in sums. */
static void set_weights(const struct advection_sim *a, const struct tile *p, double *weight)
{
    struct segment s = first_segment(a, p);
    do {
        const int at = (int)s.index[0] - s.from;
        const double across = trapezoid_weight(a, 1, s.index[1]) * trapezoid_weight(a, 2, s.index[2]);
        for (int i = s.from; i < s.to; i++) weight[i] = trapezoid_weight(a, 0, at + i) * across;
    } while (next_segment(a, p, &s));
}

/* What becomes of a row of the table, by its kind: over the points of a tile, */
#define SUM_UP(id, name, unit, long_name, term, value)                  \
    for (int i = 0; i < n; i++) {                                       \
        const double u = field[i], weight = weights[i];                 \
        terms[i] = (term);                                              \
    }                                                                   \
    totals[id] = sw_sum_pairwise(terms, n);
#define FIND_LEAST(id, name, unit, long_name, term, value)              \
    for (int i = 0; i < n; i++) {                                       \
        const double u = field[i];                                      \
        totals[id] = i ? fmin(totals[id], (term)) : (term);             \
    }
#define FIND_GREATEST(id, name, unit, long_name, term, value)           \
    for (int i = 0; i < n; i++) {                                       \
        const double u = field[i];                                      \
        totals[id] = i ? fmax(totals[id], (term)) : (term);             \
    }
#define SET_RATE(id, name, unit, long_name, term, value) totals[id] = rate;
/* over the tiles of a run, */
#define ADD(id, name, unit, long_name, term, value) out[id] += tile[k][id];
#define LESS(id, name, unit, long_name, term, value) out[id] = fmin(out[id], tile[k][id]);
#define GREATER(id, name, unit, long_name, term, value) out[id] = fmax(out[id], tile[k][id]);
/* and at the end. */
#define REPORT(id, name, unit, long_name, term, value)                  \
    {                                                                   \
        const double total = out[id];                                   \
        out[id] = (value);                                              \
    }

static void tile_scalars(const struct advection_sim *a, struct scratch *w, const struct tile *p, double *totals)
{
    const int n = p->count;
    const double *field = read_tile(a, p, p->subbatch->now, w->wide[NOW]);
    const double rate = a->step < 0 ? NAN : courant_rate_of_tile(a, w, p, field, (double)a->step * a->run[p->j].dt);
    double *weights = w->rhs, *terms = w->value;
    set_weights(a, p, weights);
    ADVECTION_SCALAR_TABLE(SUM_UP, FIND_LEAST, FIND_GREATEST, SET_RATE)
}

/* The scalars of a run from those of its tiles; and record its Courant number. */
static void run_scalars(const struct advection_sim *a, int j, double *out)
{
    const struct cpu *c = a->own;
    const double volume = a->run[j].cell_volume, dt = a->run[j].dt;
    double (*tile)[ADVECTION_SCALARS] = c->tile_scalars + j * c->tiles;
    memcpy(out, tile[0], sizeof tile[0]);
    for (int64_t k = 1; k < c->tiles; k++) {
        ADVECTION_SCALAR_TABLE(ADD, LESS, GREATER, GREATER)
    }
    ADVECTION_SCALAR_TABLE(REPORT, REPORT, REPORT, REPORT)
    if (c->diverged_at[j] == ADVECTION_FINITE && !a->bad_state[j]) {
        record_courant(a, j, a->step, out[ADVECTION_COURANT]);
        return;
    }
    for (int k = 0; k < ADVECTION_SCALARS; k++) out[k] = NAN;
}

static void copy_tile(const struct advection_sim *a, struct scratch *w, const struct tile *p, void *field)
{
    const struct cpu *c = a->own;
    const bool bad = c->diverged_at[p->j] != ADVECTION_FINITE || a->bad_state[p->j];
    const double *u = read_tile(a, p, p->subbatch->now, w->wide[NOW]);
    for (int i = 0; i < p->count; i++) {
        const double v = bad ? NAN : u[i];
        if (a->setup.single) ((float *)field)[tile_offset(a, p) + (size_t)i] = (float)v;
        else ((double *)field)[tile_offset(a, p) + (size_t)i] = v;
    }
}

static enum sw_status snapshot(struct advection_sim *a, int slot, int what)
{
    struct cpu *c = a->own;
    const int64_t items = a->count * c->tiles;
    void *field;
    double *scalars;
    SW_TRY(sw_snapshots_begin(c->snapshots, slot, what, &field, &scalars));
#pragma omp parallel for num_threads(a->device->threads) schedule(static) if (items > 1)
    for (int64_t k = 0; k < items; k++) {
        const struct tile p = tile_of(a, &a->batch, k);
        struct scratch *w = &c->scratch[omp_get_thread_num()];
        if (field) copy_tile(a, w, &p, field);
        if (scalars) tile_scalars(a, w, &p, c->tile_scalars[k]);
    }
    for (int j = 0; scalars && j < a->count; j++) run_scalars(a, j, scalars + (size_t)j * ADVECTION_SCALARS);
    if (scalars) SW_TRY(advection_combine_scalars(a, scalars));
    return sw_snapshots_send(c->snapshots, (size_t)a->count * a->points * sw_reals_word(a->setup.single),
                             (size_t)a->count * ADVECTION_SCALARS * sizeof(double));
}

static enum sw_status fetch(struct advection_sim *a, int slot, const void **field, const double **scalars)
{
    return sw_snapshots_fetch(((const struct cpu *)a->own)->snapshots, slot, field, scalars);
}

/* ------------------------------------------------------------------ the row */

static void destroy(struct advection_sim *a)
{
    struct cpu *c = a->own;
    for (int t = 0; c->scratch && t < a->device->threads; t++)
        for (int k = 0; k < ADVECTION_PROGRAMS; k++) sw_eval_destroy(&c->scratch[t].eval[k]);
    sw_snapshots_destroy(&c->snapshots);
}

static enum sw_status create(struct advection_sim *a)
{
    const size_t room = (size_t)a->setup.capacity;
    const int most = a->points < TILE ? (int)a->points : TILE;
    struct cpu *c = a->own;
    c->tiles = tiles_of(&a->setup);
    sw_array(&a->arrays, (size_t)a->device->threads, &c->scratch);
    sw_array(&a->arrays, room, &c->diverged_at);
    sw_array(&a->arrays, room, &c->diagnostics);
    sw_array(&a->arrays, room * (size_t)c->tiles, &c->tile_scalars);
    SW_TRY(a->arrays.status);
    SW_TRY(sw_snapshots_create(a->device, room * a->points * sw_reals_word(a->setup.single),
                               room * ADVECTION_SCALARS * sizeof(double), &c->snapshots));
    for (int t = 0; t < a->device->threads; t++)
        for (int k = 0; k < ADVECTION_PROGRAMS; k++)
            if (a->terms.program[k]) SW_TRY(sw_eval_create(a->terms.program[k], most, &c->scratch[t].eval[k]));
    return SW_OK;
}

/* The slots of snapshots, and the scalars of tiles. */
static void bytes(const struct sw_setup *setup, const struct advection_terms *terms, size_t *fixed, size_t *per_run)
{
    (void)terms;
    const size_t saved = setup->fields ? (size_t)sw_points(setup->n) * sw_reals_word(setup->single) : 0;
    *fixed += (size_t)omp_get_max_threads() * sizeof(struct scratch);
    *per_run += SW_SNAPSHOT_SLOTS * (saved + ADVECTION_SCALARS * sizeof(double))
                + (size_t)tiles_of(setup) * ADVECTION_SCALARS * sizeof(double);
}

static enum sw_status load(struct advection_sim *a)
{
    struct cpu *c = a->own;
    for (int j = 0; j < a->count; j++) c->diverged_at[j] = ADVECTION_FINITE;
    return SW_OK;
}

static enum sw_status set_diverged(struct advection_sim *a, const int64_t *diverged_at)
{
    memcpy(((struct cpu *)a->own)->diverged_at, diverged_at, (size_t)a->count * sizeof *diverged_at);
    return SW_OK;
}

static enum sw_status get_diverged(struct advection_sim *a, int64_t *diverged_at)
{
    memcpy(diverged_at, ((const struct cpu *)a->own)->diverged_at, (size_t)a->count * sizeof *diverged_at);
    return SW_OK;
}

static enum sw_status set_diagnostics(struct advection_sim *a, const struct advection_diagnostics *diagnostics)
{
    memcpy(((struct cpu *)a->own)->diagnostics, diagnostics, (size_t)a->count * sizeof *diagnostics);
    return SW_OK;
}

static enum sw_status get_diagnostics(struct advection_sim *a, struct advection_diagnostics *diagnostics)
{
    memcpy(diagnostics, ((const struct cpu *)a->own)->diagnostics, (size_t)a->count * sizeof *diagnostics);
    return SW_OK;
}

const struct advection_ops advection_cpu = {
    .name = "cpu",
    .space = SW_HOST,
    .own_size = sizeof(struct cpu),
    .create = create,
    .destroy = destroy,
    .bytes = bytes,
    .load = load,
    .stage = stage,
    .end_step = end_step,
    .set_diverged = set_diverged,
    .get_diverged = get_diverged,
    .set_diagnostics = set_diagnostics,
    .get_diagnostics = get_diagnostics,
    .snapshot = snapshot,
    .fetch = fetch,
};
