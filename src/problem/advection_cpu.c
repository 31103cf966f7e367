/* The passes of `advection` on the CPU: runs are cut into pieces of points that follow each other in memory, which
 * threads take; a piece is worked on in arrays that stay in the first two levels of the cache. Expressions are
 * evaluated by the interpreter, whose values at a point do not depend on the piece: so no bit depends on pieces or
 * threads.
 *
 * Memory traffic of a stage, in words of 8 bytes (or 4) a point, for D derivatives (d first and d second ones in d
 * dimensions, those that are needed): 2 D for src/fd, and in the pass D, u, and of RK4 the sum and the stage's result,
 * read and written: 2 D + D + 4 to 5. */
#include <float.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/sw_mem.h"
#include "problem/advection.h"

enum { PIECE = 1024 };  /* 8 KiB an array */

enum { NOW, NEXT, SUM, SLOPE, BEND = SLOPE + SW_DIMS, FIELDS = BEND + SW_DIMS };

struct worker {                              /* of one thread                                          */
    struct sw_eval *eval[ADVECTION_PROGRAMS];
    double  at[SW_DIMS][PIECE];              /* coordinates                                            */
    double  wide[FIELDS][PIECE];             /* fields, where they are float                           */
    double  rate[PIECE], value[PIECE];       /* k = u_t; what a program gives                          */
    double  wall_at[SW_DIMS][PIECE], given[PIECE];
    int     wall[PIECE];                     /* points of the piece at a wall                          */
};

struct slot { void *field; double *scalars; bool has_field, has_scalars; };

struct cpu {
    struct worker *worker;   /* [threads]                                            */
    int64_t       *stop;     /* [capacity]                                           */
    struct advection_watch *watch;  /* [capacity]                                    */
    int64_t        pieces;   /* of a run                                             */
    double       (*part)[ADVECTION_SCALARS];  /* [capacity][pieces]                  */
    struct slot    slot[SW_SLOTS];
};

/* A piece of run j, whose fields are those of a part. */
struct piece { const struct advection_part *of; int j; size_t first; int count; };

static struct piece piece_of(const struct advection_sim *a, const struct advection_part *part, int64_t item)
{
    const int64_t pieces = ((const struct cpu *)a->own)->pieces;
    const size_t first = (size_t)(item % pieces) * PIECE, left = a->points - first;
    return (struct piece){part, part->from + (int)(item / pieces), first, left < PIECE ? (int)left : PIECE};
}

static size_t place(const struct advection_sim *a, const struct piece *p)
{
    return (size_t)p->j * a->points + p->first;
}

/* ------------------------------------------------------------------ fields */

/* The piece of a field: in place, or widened from float. */
static const double *get(const struct advection_sim *a, const struct piece *p, const void *field, double *wide)
{
    if (a->word == 8) return (const double *)field + place(a, p);
    const float *from = (const float *)field + place(a, p);
    for (int i = 0; i < p->count; i++) wide[i] = (double)from[i];
    return wide;
}

/* Where to form the piece of a field: in place, or where it is narrowed from; put() then stores it. */
static double *form(const struct advection_sim *a, const struct piece *p, void *field, double *wide)
{
    return a->word == 8 ? (double *)field + place(a, p) : wide;
}

static void put(const struct advection_sim *a, const struct piece *p, void *field, const double *wide)
{
    if (a->word == 8) return;
    float *to = (float *)field + place(a, p);
    for (int i = 0; i < p->count; i++) to[i] = (float)wide[i];
}

/* The piece as stretches of lines along x: points from .. to-1 of the piece, the first of which has these indices. */
struct stretch { int from, to; int64_t index[SW_DIMS]; };

static struct stretch first_stretch(const struct advection_sim *a, const struct piece *p)
{
    const int64_t *n = a->setup.n, first = (int64_t)p->first, left = n[0] - first % n[0];
    return (struct stretch){0, left < p->count ? (int)left : p->count,
                            {first % n[0], first / n[0] % n[1], first / n[0] / n[1]}};
}

static bool next_stretch(const struct advection_sim *a, const struct piece *p, struct stretch *s)
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

/* Those that programs name. */
static void set_coordinates(const struct advection_sim *a, struct worker *w, const struct piece *p)
{
    const struct advection_run *r = &a->run[p->j];
    const bool *uses = a->model.uses;
    if (!uses[0] && !uses[1] && !uses[2]) return;
    struct stretch s = first_stretch(a, p);
    do {
        const double y = r->x0[1] + (double)s.index[1] * r->dx[1], z = r->x0[2] + (double)s.index[2] * r->dx[2];
        const double x0 = r->x0[0], dx = r->dx[0];
        const int at = (int)s.index[0] - s.from;
        for (int i = s.from; uses[0] && i < s.to; i++) w->at[0][i] = x0 + (double)(at + i) * dx;
        for (int i = s.from; uses[1] && i < s.to; i++) w->at[1][i] = y;
        for (int i = s.from; uses[2] && i < s.to; i++) w->at[2][i] = z;
    } while (next_stretch(a, p, &s));
}

/* ------------------------------------------------------------------ programs */

/* The values of a program at some points. */
static void evaluate(const struct advection_sim *a, struct worker *w, int which, int j, int count,
                     double (*at)[PIECE], const double *u, double t, double *out)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = at[0], [SW_IN_Y] = at[1], [SW_IN_Z] = at[2], [SW_IN_U] = u};
    struct sw_eval *e = w->eval[which];
    sw_eval_run(e, a->column + j, a->count);
    sw_eval_cells(e, count, in);
    sw_eval_step(e, t, 0);
    sw_eval_points(e, count, in, out);
}

/* Its value, if it is the same at all points. */
static bool is_uniform(const struct advection_sim *a, int which)
{
    return sw_program_rate(a->model.program[which]) <= SW_RATE_STEP;
}

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
        evaluate(a, w, first + k, p->j, n, w->wall_at, NULL, t, w->given);
        for (int i = 0; i < n; i++) v[w->wall[i]] = w->given[i];
    }
}

/* ------------------------------------------------------------------ a stage */

/* w->rate := nu (u_xx + u_yy + u_zz) - c_x u_x - c_y u_y - c_z u_z + S, in this order; and what is given at walls. */
static void form_rate(const struct advection_sim *a, struct worker *w, const struct piece *p, const double *u, double t)
{
    const struct advection_run *r = &a->run[p->j];
    double *k = w->rate;
    const int n = p->count;
    memset(k, 0, (size_t)n * sizeof *k);
    for (int d = 0; d < SW_DIMS; d++) {
        if (!p->of->second[d] || r->nu == 0) continue;
        const double *bend = get(a, p, p->of->bend[d], w->wide[BEND + d]), per2 = r->per2[d];
        for (int i = 0; i < n; i++) k[i] += bend[i] * per2;
    }
    for (int i = 0; r->nu != 0 && i < n; i++) k[i] *= r->nu;
    for (int d = 0; d < SW_DIMS; d++) {
        if (!p->of->first[d]) continue;
        const double *slope = get(a, p, p->of->slope[d], w->wide[SLOPE + d]), per = r->per[d];
        const bool uniform = is_uniform(a, ADVECTION_VELOCITY + d);
        evaluate(a, w, ADVECTION_VELOCITY + d, p->j, uniform ? 1 : n, w->at, u, t, w->value);
        const double c = w->value[0];
        if (uniform)
            for (int i = 0; i < n; i++) k[i] -= c * (slope[i] * per);
        else
            for (int i = 0; i < n; i++) k[i] -= w->value[i] * (slope[i] * per);
    }
    if (w->eval[ADVECTION_SOURCE]) {
        evaluate(a, w, ADVECTION_SOURCE, p->j, n, w->at, u, t, w->value);
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
    for (int i = 0; total && i < n; i++) total[i] = sum[i] + st->share * k[i];
    if (total) put(a, p, p->of->sum, total);
    for (int i = 0; i < n; i++) result[i] = rk_result(st, k[i], now[i], next[i], sum[i]);
}

/* What is done to all pieces: stage `number` of step number step + 1, or the end of step number `step`. */
struct pass { int64_t step; int number; bool closing; };

static void stage_piece(const struct advection_sim *a, struct worker *w, const struct piece *p, const struct pass *pass)
{
    const int64_t step = pass->step;
    const int number = pass->number;
    const bool closing = pass->closing;
    const struct rk_method *rk = a->method.rk;
    const struct rk_stage *st = &rk->stage[number];
    const struct advection_run *r = &a->run[p->j];
    const bool last = number == rk->stages - 1;
    const double *u = get(a, p, number ? p->of->next : p->of->now, w->wide[number ? NEXT : NOW]);
    set_coordinates(a, w, p);
    form_rate(a, w, p, u, (double)step * r->dt + st->time * r->dt);
    void *target = last ? p->of->now : p->of->next;
    double *result = form(a, p, target, w->value);
    combine(a, w, p, st, result);
    if (last && closing) {
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
    set_coordinates(a, w, p);
    at_walls(a, w, p, ADVECTION_WALL, (double)step * a->run[p->j].dt, u);
    if (!all_finite(a, u, p->count)) stop(a->own, p->j, step);
    put(a, p, p->of->now, u);
}

static int64_t stopped_at(const struct cpu *c, int j) { return __atomic_load_n(&c->stop[j], __ATOMIC_RELAXED); }

/* Those of runs that have not stopped before step number `least`: all threads, or the one whose part it is. */
static void each_piece(const struct advection_sim *a, const struct advection_part *part, int64_t least,
                       void (*work)(const struct advection_sim *, struct worker *, const struct piece *,
                                    const struct pass *),
                       const struct pass *pass)
{
    struct cpu *c = a->own;
    const int64_t items = part->count * c->pieces;
#pragma omp parallel for num_threads(a->device->threads) schedule(static) if (items > 1 && part->worker < 0)
    for (int64_t k = 0; k < items; k++) {
        const struct piece p = piece_of(a, part, k);
        struct worker *w = &c->worker[part->worker < 0 ? omp_get_thread_num() : part->worker];
        if (stopped_at(c, p.j) >= least) work(a, w, &p, pass);
    }
}

static enum sw_status stage(struct advection_sim *a, const struct advection_part *part, int64_t step, int number,
                            bool closing)
{
    each_piece(a, part, step + 1, stage_piece, &(struct pass){step, number, closing});
    return SW_OK;
}

static enum sw_status close_step(struct advection_sim *a, const struct advection_part *part, int64_t step)
{
    each_piece(a, part, step, close_piece, &(struct pass){.step = step});
    return SW_OK;
}

/* ------------------------------------------------------------------ the Courant number */

/* The largest sum |c_d|/dx_d of the piece; what is not finite does not count. */
static double fastest(const struct advection_sim *a, struct worker *w, const struct piece *p, const double *u, double t)
{
    double *speed = w->rate, largest = 0;
    set_coordinates(a, w, p);
    memset(speed, 0, (size_t)p->count * sizeof *speed);
    for (int d = 0; d < SW_DIMS; d++) {
        const int which = ADVECTION_VELOCITY + d;
        const double per = a->run[p->j].per[d];
        if (!w->eval[which]) continue;
        const bool uniform = is_uniform(a, which);
        evaluate(a, w, which, p->j, uniform ? 1 : p->count, w->at, u, t, w->value);
        for (int i = 0; i < p->count; i++) speed[i] += fabs(w->value[uniform ? 0 : i]) * per;
    }
    for (int i = 0; i < p->count; i++)
        if (isfinite(speed[i]) && speed[i] > largest) largest = speed[i];
    return largest;
}

static double (*parts_of(const struct advection_sim *a, int j))[ADVECTION_SCALARS]
{
    const struct cpu *c = a->own;
    return c->part + j * c->pieces;
}

static void watch_piece(const struct advection_sim *a, struct worker *w, const struct piece *p, const struct pass *pass)
{
    const double *u = get(a, p, p->of->now, w->wide[NOW]), t = (double)pass->step * a->run[p->j].dt;
    parts_of(a, p->j)[p->first / PIECE][ADVECTION_COURANT] = fastest(a, w, p, u, t);
}

static void note(const struct advection_sim *a, int j, int64_t step, double courant)
{
    advection_note(&((struct cpu *)a->own)->watch[j], &a->run[j], courant, step);
}

static enum sw_status watch(struct advection_sim *a, const struct advection_part *part, int64_t step)
{
    const struct cpu *c = a->own;
    each_piece(a, part, step + 1, watch_piece, &(struct pass){.step = step});
    for (int j = part->from; j < part->from + part->count; j++) {
        double largest = 0;
        for (int64_t k = 0; k < c->pieces; k++) largest = fmax(largest, parts_of(a, j)[k][ADVECTION_COURANT]);
        if (stopped_at(c, j) > step) note(a, j, step, largest * a->run[j].dt);
    }
    return SW_OK;
}

/* ------------------------------------------------------------------ pictures */

static double pairwise(const double *v, int n)
{
    if (n > 8) return pairwise(v, n / 2) + pairwise(v + n / 2, n - n / 2);
    double s = 0;
    for (int i = 0; i < n; i++) s += v[i];
    return s;
}

/* Of a sum along axis d: half at walls. */
static double weight(const struct advection_sim *a, int d, int64_t i)
{
    return a->setup.walls[d] && (i == 0 || i == a->setup.n[d] - 1) ? 0.5 : 1;
}

static void measure_piece(const struct advection_sim *a, struct worker *w, const struct piece *p, double *out)
{
    const double *u = get(a, p, p->of->now, w->wide[NOW]);
    struct stretch s = first_stretch(a, p);
    out[ADVECTION_COURANT] = a->step < 0 ? NAN : fastest(a, w, p, u, (double)a->step * a->run[p->j].dt);
    do {
        const int at = (int)s.index[0] - s.from;
        const double across = weight(a, 1, s.index[1]) * weight(a, 2, s.index[2]);
        for (int i = s.from; i < s.to; i++) {
            const double mass = weight(a, 0, at + i) * across * u[i];
            w->value[i] = mass;
            w->rate[i] = mass * u[i];
        }
    } while (next_stretch(a, p, &s));
    out[ADVECTION_MIN] = out[ADVECTION_MAX] = u[0];
    for (int i = 1; i < p->count; i++) {
        out[ADVECTION_MIN] = fmin(out[ADVECTION_MIN], u[i]);
        out[ADVECTION_MAX] = fmax(out[ADVECTION_MAX], u[i]);
    }
    out[ADVECTION_MASS] = pairwise(w->value, p->count);
    out[ADVECTION_ENERGY] = pairwise(w->rate, p->count);
}

static void join(const struct advection_sim *a, int j, double *out)
{
    const struct cpu *c = a->own;
    double (*part)[ADVECTION_SCALARS] = parts_of(a, j);
    memcpy(out, part[0], sizeof part[0]);
    for (int64_t k = 1; k < c->pieces; k++) {
        out[ADVECTION_MASS] += part[k][ADVECTION_MASS];
        out[ADVECTION_ENERGY] += part[k][ADVECTION_ENERGY];
        out[ADVECTION_MIN] = fmin(out[ADVECTION_MIN], part[k][ADVECTION_MIN]);
        out[ADVECTION_MAX] = fmax(out[ADVECTION_MAX], part[k][ADVECTION_MAX]);
        out[ADVECTION_COURANT] = fmax(out[ADVECTION_COURANT], part[k][ADVECTION_COURANT]);
    }
    out[ADVECTION_MASS] *= a->run[j].cell;
    out[ADVECTION_ENERGY] *= 0.5 * a->run[j].cell;
    out[ADVECTION_COURANT] *= a->run[j].dt;
    if (c->stop[j] == ADVECTION_FINE && !a->pending[j]) {
        note(a, j, a->step, out[ADVECTION_COURANT]);
        return;
    }
    for (int k = 0; k < ADVECTION_SCALARS; k++) out[k] = NAN;
}

static void copy_piece(const struct advection_sim *a, struct worker *w, const struct piece *p, void *field)
{
    const struct cpu *c = a->own;
    const bool bad = c->stop[p->j] != ADVECTION_FINE || a->pending[p->j];
    const double *u = get(a, p, p->of->now, w->wide[NOW]);
    for (int i = 0; i < p->count; i++) {
        const double v = bad ? NAN : u[i];
        if (a->setup.single) ((float *)field)[place(a, p) + (size_t)i] = (float)v;
        else ((double *)field)[place(a, p) + (size_t)i] = v;
    }
}

static enum sw_status capture(struct advection_sim *a, int slot, int what)
{
    struct cpu *c = a->own;
    struct slot *y = &c->slot[slot];
    const int64_t items = a->count * c->pieces;
    y->has_field = what & SW_CAPTURE_FIELD;
    y->has_scalars = what & SW_CAPTURE_SCALARS;
    if (y->has_field && !y->field)
        SW_TRY(sw_alloc_bytes((size_t)a->setup.capacity * a->points, a->setup.single ? 4 : 8, &y->field));
#pragma omp parallel for num_threads(a->device->threads) schedule(static) if (items > 1)
    for (int64_t k = 0; k < items; k++) {
        const struct piece p = piece_of(a, &a->whole, k);
        struct worker *w = &c->worker[omp_get_thread_num()];
        if (y->has_field) copy_piece(a, w, &p, y->field);
        if (y->has_scalars) measure_piece(a, w, &p, c->part[k]);
    }
    for (int j = 0; y->has_scalars && j < a->count; j++) join(a, j, y->scalars + (size_t)j * ADVECTION_SCALARS);
    return SW_OK;
}

static enum sw_status fetch(struct advection_sim *a, int slot, const void **field, const double **scalars)
{
    const struct slot *y = &((const struct cpu *)a->own)->slot[slot];
    *field = y->has_field ? y->field : NULL;
    *scalars = y->has_scalars ? y->scalars : NULL;
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
    for (int k = 0; k < SW_SLOTS; k++) {
        sw_free(c->slot[k].field);
        sw_free(c->slot[k].scalars);
    }
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
    for (int k = 0; k < SW_SLOTS; k++) SW_TRY(sw_alloc(room * ADVECTION_SCALARS, &c->slot[k].scalars));
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
    *per_run += SW_SLOTS * (saved + ADVECTION_SCALARS * sizeof(double))
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
    .watch = watch,
    .set_stop = set_stop,
    .get_stop = get_stop,
    .set_watch = set_watch,
    .get_watch = get_watch,
    .capture = capture,
    .fetch = fetch,
};
