/* The passes of `advection` on the CPU: runs are cut into pieces of points that follow each other in memory, which
 * threads take; a piece is worked on in arrays that stay in the first two levels of the cache. Expressions are
 * evaluated by the interpreter, whose values at a point do not depend on the piece: so no bit depends on pieces or
 * threads.
 *
 * Memory traffic of a stage, in words of 8 bytes (or 4) a point, for D derivatives (d first and d second ones in d
 * dimensions, those that are needed): 2 D for src/fd; and in the pass D, what of u, the last stage's result and the sum
 * the stage's formula has, and the result and the sum written: D + 3, D + 4, D + 4 and D + 2 for the stages of rk4,
 * D + 2, D + 3 and D + 3 for those of ssp_rk3; a word more where c or S names u and the formula lacks the last result.
 */
#include <float.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_reals.h"
#include "device/sw_snapshot.h"
#include "problem/advection/advection_picture_cpu.h"
#include "problem/advection/advection_piece_cpu.h"

/* ------------------------------------------------------------------ walls */

/* Which points of the piece lie at a wall of axis d, into w->wall, with their coordinates; how many. */
static int find_wall(const struct advection_sim *a, struct worker *w, const struct piece *p, int d, int64_t wall)
{
    int n = 0;
    struct stretch s = first_stretch(a, p);
    do {
        const int64_t at = s.from + (wall - s.index[0]);
        if (d == 0 && at >= s.from && at < s.to) w->wall[n++] = (int)at;
        for (int i = s.from; d > 0 && s.index[d] == wall && i < s.to; i++) w->wall[n++] = i;
    } while (next_stretch(a, p, &s));
    for (int e = 0; e < SW_DIMS; e++)
        for (int k = 0; k < n && a->model.uses[e]; k++) w->wall_at[e][k] = w->at[e][w->wall[k]];
    return n;
}

/* Overwrite v at the points of walls where u is given by what the programs from `first` on give: along z, then y, then
 * x, so that in corners x has it. */
static void at_walls(const struct advection_sim *a, struct worker *w, const struct piece *p, int first, double t,
                     double *v)
{
    for (int k = 2 * SW_DIMS - 1; k >= 0; k--) {
        const int d = k / 2;
        if (!w->eval[first + k]) continue;
        const int n = find_wall(a, w, p, d, k % 2 ? a->setup.n[d] - 1 : 0);
        if (!n) continue;
        advection_cpu_evaluate(a, w, first + k, p->j, n, w->wall_at, NULL, t, w->given);
        for (int i = 0; i < n; i++) v[w->wall[i]] = w->given[i];
    }
}

/* ------------------------------------------------------------------ a stage */

/* w->rate := nu (u_xx + u_yy + u_zz) - c_x u_x - c_y u_y - c_z u_z + S, in this order; and what is given at walls.
 * watching: w->speed, too. */
static void form_rate(const struct advection_sim *a, struct worker *w, const struct piece *p, const double *u, double t,
                      bool watching)
{
    const struct advection_run *r = &a->run[p->j];
    double *k = w->rate;
    const int n = p->count;
    memset(k, 0, (size_t)n * sizeof *k);
    if (watching) memset(w->speed, 0, (size_t)n * sizeof *w->speed);
    for (int d = 0; d < SW_DIMS; d++) {
        if (!p->of->second[d] || r->nu == 0) continue;
        const double *bend = get(a, p, p->of->bend[d], w->wide[BEND + d]), per2 = r->per2[d];
        for (int i = 0; i < n; i++) k[i] += bend[i] * per2;
    }
    for (int i = 0; r->nu != 0 && i < n; i++) k[i] *= r->nu;
    for (int d = 0; d < SW_DIMS; d++) {
        if (!p->of->first[d]) continue;
        const double *slope = get(a, p, p->of->slope[d], w->wide[SLOPE + d]), per = r->per[d];
        const bool uniform = advection_cpu_velocity(a, w, p, d, u, t);
        const double c = w->value[0];
        if (watching) advection_cpu_add_speed(a, w, p, d, uniform);
        if (uniform)
            for (int i = 0; i < n; i++) k[i] -= c * (slope[i] * per);
        else
            for (int i = 0; i < n; i++) k[i] -= w->value[i] * (slope[i] * per);
    }
    if (w->eval[ADVECTION_SOURCE]) {
        advection_cpu_evaluate(a, w, ADVECTION_SOURCE, p->j, n, w->at, u, t, w->value);
        for (int i = 0; i < n; i++) k[i] += w->value[i];
    }
    at_walls(a, w, p, ADVECTION_RATE, t, k);
}

/* As they are stored. */
static bool all_finite(const struct advection_sim *a, const double *v, int n)
{
    const double most = a->word == 4 ? FLT_MAX : DBL_MAX;
    int bad = 0;
    for (int i = 0; i < n; i++) bad |= !(fabs(v[i]) <= most);
    return !bad;
}

/* A run that is not finite any more after this step. All who say so say the same. */
static void stop(struct cpu *c, int j, int64_t step) { __atomic_store_n(&c->stop[j], step, __ATOMIC_RELAXED); }

/* rk_result() and the running sum over a piece, from w->rate. The result may be that of a field it is made of. */
static void combine(const struct advection_sim *a, struct worker *w, const struct piece *p,
                    const struct rk_stage *stage_, double *result)
{
    const struct rk_stage copy = *stage_, *st = &copy;  /* so that stores cannot change it */
    const int n = p->count;
    const double dt = a->run[p->j].dt;
    const double *now = get(a, p, p->of->now, w->wide[NOW]);
    const double *next = st->next != 0 ? get(a, p, p->of->next, w->wide[NEXT]) : now;
    const double *sum = p->of->sum && stage_ != a->method.rk->stage ? get(a, p, p->of->sum, w->wide[SUM]) : now;
    double *k = w->rate, *total = st->share != 0 ? form(a, p, p->of->sum, w->wide[SUM]) : NULL;
    for (int i = 0; i < n; i++) k[i] *= dt;
    for (int i = 0; i < n; i++) result[i] = rk_result(st, k[i], now[i], next[i], sum[i]);
    for (int i = 0; total && i < n; i++) total[i] = sum[i] + st->share * k[i];
    if (total) put(a, p, p->of->sum, total);
}

static void stage_piece(const struct advection_sim *a, struct worker *w, const struct piece *p, const struct pass *pass)
{
    const int64_t step = pass->step;
    const bool first = pass->how & ADVECTION_FIRST, last = pass->how & ADVECTION_LAST;
    const bool watching = pass->how & ADVECTION_WATCHING;
    const struct rk_stage *st = &a->method.rk->stage[pass->number];
    const struct advection_run *r = &a->run[p->j];
    const double *u = get(a, p, first ? p->of->now : p->of->next, w->wide[first ? NOW : NEXT]);
    advection_cpu_set_coordinates(a, w, p);
    form_rate(a, w, p, u, (double)step * r->dt + st->time * r->dt, watching);
    if (watching) advection_cpu_note(a, p->j, step, advection_cpu_fastest(w, p->count) * r->dt);
    void *target = last ? p->of->now : p->of->next;
    double *result = form(a, p, target, w->value);
    combine(a, w, p, st, result);
    if (pass->how & ADVECTION_CLOSING) {
        at_walls(a, w, p, ADVECTION_WALL, (double)(step + 1) * r->dt, result);
        if (!all_finite(a, result, p->count)) stop(a->own, p->j, step + 1);
    }
    put(a, p, target, result);
}

static void close_piece(const struct advection_sim *a, struct worker *w, const struct piece *p, const struct pass *pass)
{
    const int64_t step = pass->step;
    double *u = form(a, p, p->of->now, w->wide[NOW]);
    get(a, p, p->of->now, w->wide[NOW]);
    advection_cpu_set_coordinates(a, w, p);
    at_walls(a, w, p, ADVECTION_WALL, (double)step * a->run[p->j].dt, u);
    if (!all_finite(a, u, p->count)) stop(a->own, p->j, step);
    put(a, p, p->of->now, u);
}

static enum sw_status stage(struct advection_sim *a, const struct advection_part *part, int64_t step, int number,
                            int how)
{
    advection_cpu_each_piece(a, part, step + 1, stage_piece, &(struct pass){step, number, how});
    return SW_OK;
}

static enum sw_status close_step(struct advection_sim *a, const struct advection_part *part, int64_t step)
{
    advection_cpu_each_piece(a, part, step, close_piece, &(struct pass){.step = step});
    return SW_OK;
}

/* ------------------------------------------------------------------ life */

static int64_t pieces_of(const struct sw_setup *setup) { return (sw_points(setup->n) + PIECE - 1) / PIECE; }

static void destroy(struct advection_sim *a)
{
    struct cpu *c = a->own;
    if (!c) return;
    for (int t = 0; c->worker && t < a->device->threads; t++)
        for (int k = 0; k < ADVECTION_PROGRAMS; k++) sw_eval_destroy(&c->worker[t].eval[k]);
    sw_snapshots_destroy(&c->snapshots);
    sw_free(c->worker);
    sw_free(c->stop);
    sw_free(c->watch);
    sw_free(c->part);
    sw_free(c);
}

static enum sw_status create(struct advection_sim *a)
{
    const size_t room = (size_t)a->setup.capacity;
    const int most = a->points < PIECE ? (int)a->points : PIECE;
    struct cpu *c;
    SW_TRY(sw_alloc(1, &c));
    a->own = c;
    c->pieces = pieces_of(&a->setup);
    SW_TRY(sw_alloc((size_t)a->device->threads, &c->worker));
    SW_TRY(sw_alloc(room, &c->stop));
    SW_TRY(sw_alloc(room, &c->watch));
    SW_TRY(sw_alloc(room * (size_t)c->pieces, &c->part));
    SW_TRY(sw_snapshots_create(a->device, room * a->points * sw_reals_word(a->setup.single),
                               room * ADVECTION_SCALARS * sizeof(double), &c->snapshots));
    for (int t = 0; t < a->device->threads; t++)
        for (int k = 0; k < ADVECTION_PROGRAMS; k++)
            if (a->model.program[k]) SW_TRY(sw_eval_create(a->model.program[k], most, &c->worker[t].eval[k]));
    return SW_OK;
}

/* The slots, and the parts of scalars. */
static void bytes(const struct sw_setup *setup, const struct advection_model *model, size_t *fixed, size_t *per_run)
{
    (void)model;
    const size_t saved = setup->fields ? (size_t)sw_points(setup->n) * (setup->single ? 4 : 8) : 0;
    *fixed += (size_t)omp_get_max_threads() * sizeof(struct worker);
    *per_run += SW_SNAPSHOT_SLOTS * (saved + ADVECTION_SCALARS * sizeof(double))
                + (size_t)pieces_of(setup) * ADVECTION_SCALARS * sizeof(double);
}

static enum sw_status load(struct advection_sim *a)
{
    struct cpu *c = a->own;
    for (int j = 0; j < a->count; j++) c->stop[j] = ADVECTION_FINE;
    return SW_OK;
}

static enum sw_status set_stop(struct advection_sim *a, const int64_t *stop_)
{
    memcpy(((struct cpu *)a->own)->stop, stop_, (size_t)a->count * sizeof *stop_);
    return SW_OK;
}

static enum sw_status get_stop(struct advection_sim *a, int64_t *stop_)
{
    memcpy(stop_, ((const struct cpu *)a->own)->stop, (size_t)a->count * sizeof *stop_);
    return SW_OK;
}

static enum sw_status set_watch(struct advection_sim *a, const struct advection_watch *watch_)
{
    memcpy(((struct cpu *)a->own)->watch, watch_, (size_t)a->count * sizeof *watch_);
    return SW_OK;
}

static enum sw_status get_watch(struct advection_sim *a, struct advection_watch *watch_)
{
    memcpy(watch_, ((const struct cpu *)a->own)->watch, (size_t)a->count * sizeof *watch_);
    return SW_OK;
}

const struct advection_ops advection_cpu = {
    .name = "cpu",
    .space = SW_HOST,
    .create = create,
    .destroy = destroy,
    .bytes = bytes,
    .load = load,
    .stage = stage,
    .close = close_step,
    .set_stop = set_stop,
    .get_stop = get_stop,
    .set_watch = set_watch,
    .get_watch = get_watch,
    .snapshot = advection_cpu_snapshot,
    .fetch = advection_cpu_fetch,
};
