/* The reference: right-hand sides by the interpreter, a row of points along x after the other, then recursions along
 * each axis. Parallel over runs: a run goes through all steps of a call before its thread takes another one. */
#include <math.h>
#include <string.h>

#include "device/sw_device.h"
#include "field/sum.h"
#include "problem/fields/exact.h"
#include "problem/fields/fields_batch_cpu.h"
#include "problem/fields/walls.h"

/* What programs of some terms take in: a row of points after the other. */
struct view {
    const struct fields_terms *terms;
    double        *padded;               /* [unknowns] rooms (walls.h)                              */
    const double **in;                   /* [terms->inputs] of a row                                */
};

/* A program at all points of a field. */
struct at_points {
    struct sw_eval *eval;
    const struct view *view;
    bool   sees_row;                     /* what it computes once a run depends on y or z */
};

struct worker {                          /* of a thread */
    const struct fields_desc *desc;
    struct fields_walk   walk;
    struct at_points     rhs[SW_UNKNOWNS_MOST];
    int                  varies;
    struct fields_varying varying[FIELDS_VARYING_MOST];
    struct at_points     value[FIELDS_VARYING_MOST];  /* of these                                       */
    struct view          of_terms, of_energy;
    struct at_points     energy;         /* its density; without an eval: none                          */
    double              *coordinate[SW_DIMS];  /* [nx] of a row                                         */
    double              *values;         /* [nx] of a coefficient                                       */
    double              *raised;         /* [points] of a field between walls that move; else NULL      */
    bool                 above[SW_UNKNOWNS_MOST][SW_DIMS];
    struct fields_walls_desc at_ends;
    struct fields_room   room;           /* of an unknown                                               */
    struct fields_walls *walls;          /* NULL: there are none                                        */
    /* of the run at hand */
    const struct sw_grid *grid;
    const struct fields_stiffness *constant;  /* [unknowns]: 0 where it varies */
};

struct plain {
    struct fields_batch batch;           /* first: fields_batch_cpu.h works on it */
    struct worker      *worker;
};

/* What the walls of fields are, and how far rooms of unknowns go beyond ends: as far as any differences ask. `above` is
 * where it writes, and stays. */
static struct fields_walls_desc walls_desc_of(const struct fields_desc *d, bool above[SW_UNKNOWNS_MOST][SW_DIMS])
{
    struct fields_walls_desc w = {.axes = d->terms->dimensions, .unknowns = d->terms->unknowns,
                                  .above_second = (const bool (*)[SW_DIMS])above, .wall = d->wall};
    for (int a = 0; a < SW_DIMS; a++) {
        w.n[a] = d->n[a];
        w.walls[a] = d->walls[a];
        w.beyond[a] = d->energy && d->energy->reach[a] > d->terms->reach[a] ? d->energy->reach[a] : d->terms->reach[a];
        for (int v = 0; v < w.unknowns; v++) above[v][a] = fields_terms_reach(d->terms, v, a) > 1;
    }
    return w;
}

/* Of all unknowns of an equation, with what lies beyond ends. */
static size_t padded_of(const struct fields_desc *d, const struct fields_terms *t)
{
    bool above[SW_UNKNOWNS_MOST][SW_DIMS];
    const struct fields_walls_desc at_ends = walls_desc_of(d, above);
    return t ? (size_t)fields_room_of(&at_ends).size * (size_t)t->unknowns : 0;
}

static bool fits(const struct fields_desc *d)
{
    (void)d;
    return true;
}

static void bytes(const struct fields_desc *d, const struct sw_device *device, size_t *fixed, size_t *per_run)
{
    bool above[SW_UNKNOWNS_MOST][SW_DIMS];
    const struct fields_walls_desc at_ends = walls_desc_of(d, above);
    const size_t arrays = (size_t)fields_method_of(d->scheme)->stages + 2 + 2 * fields_walls_move(&at_ends),
                 padded = padded_of(d, d->terms) + padded_of(d, d->energy);
    fields_batch_bytes(d, device->threads, fixed, per_run);
    *fixed += (size_t)device->threads * ((arrays * fields_size(d) + padded + 64 * (size_t)d->n[0]) * sizeof(double) +
                                         fields_walls_bytes(&at_ends));
}

/* ------------------------------------------------------------------ programs at all points, a row after the other */

/* u at time t with its neighbours beyond ends; of v, which lacks what moves at walls, the u. */
static void pad(const struct worker *w, const struct view *view, double t, bool lowered, const double *u)
{
    const struct fields_desc *d = w->desc;
    const struct fields_room *r = &w->room;
    const size_t nx = (size_t)d->n[0], points = fields_points(d);
    for (int v = 0; v < view->terms->unknowns; v++) {
        double *to = view->padded + (size_t)v * (size_t)r->size;
        const double *from = u + (size_t)v * points;
        if (lowered) {
            memcpy(w->raised, from, points * sizeof *u);
            fields_walls_lift(w->walls, v, t, false, 1.0, w->raised);
            from = w->raised;
        }
        for (int64_t row = 0; row < d->n[1] * d->n[2]; row++)
            memcpy(to + r->first + row % d->n[1] * r->step[1] + row / d->n[1] * r->step[2], from + (size_t)row * nx,
                   nx * sizeof *u);
        fields_walls_fill(w->walls, &w->at_ends, v, t, to);
    }
}

/* Row j + offset along an axis: beyond a wall, or round a periodic one. */
static int64_t beside(const struct worker *w, int axis, int64_t j, int offset)
{
    return w->desc->walls[axis] ? j + offset : fields_beside(j + offset, w->desc->n[axis], false);
}

/* What programs take in at row (j, k). */
static void set_row(const struct worker *w, const struct view *view, int64_t j, int64_t k)
{
    const struct fields_desc *d = w->desc;
    const struct fields_terms *t = view->terms;
    const struct fields_room *r = &w->room;
    const double y = sw_grid_at(w->grid, 1, j), z = sw_grid_at(w->grid, 2, k);
    for (int64_t i = 0; i < d->n[0]; i++) w->coordinate[1][i] = y, w->coordinate[2][i] = z;
    for (int q = 0; q < t->neighbours; q++) {
        const struct fields_neighbour *at = &t->neighbour[q];
        view->in[FIELDS_INPUTS + q] = view->padded + at->unknown * r->size + r->first + at->offset[0] +
                                      beside(w, 1, j, at->offset[1]) * r->step[1] +
                                      beside(w, 2, k, at->offset[2]) * r->step[2];
    }
}

static void begin_run(const struct worker *w, const struct at_points *p, const double *param, int64_t stride)
{
    sw_eval_run(p->eval, param, stride);
    if (!p->sees_row) sw_eval_cells(p->eval, (int)w->desc->n[0], p->view->in);
}

static void evaluate_row(const struct worker *w, const struct at_points *p, int64_t row, double *out)
{
    const int nx = (int)w->desc->n[0];
    sw_eval_number_from(p->eval, (int)row * nx);
    if (p->sees_row) sw_eval_cells(p->eval, nx, p->view->in);
    sw_eval_points(p->eval, nx, p->view->in, out);
}

/* fields_right_hand_side: between walls that move F(v + G, t) - G_t */
static void evaluate(void *own, double t, int64_t step, const double *u, double *f)
{
    const struct worker *w = own;
    const int64_t *n = w->desc->n, rows = n[1] * n[2];
    const int unknowns = w->desc->terms->unknowns;
    const bool moves = w->raised != NULL;
    pad(w, &w->of_terms, t, moves, u);
    for (int v = 0; v < unknowns; v++) sw_eval_step(w->rhs[v].eval, t, step);
    for (int64_t row = 0; row < rows; row++) {
        set_row(w, &w->of_terms, row % n[1], row / n[1]);
        for (int v = 0; v < unknowns; v++) evaluate_row(w, &w->rhs[v], row, f + (v * rows + row) * n[0]);
    }
    for (int v = 0; moves && v < unknowns; v++) fields_walls_lift(w->walls, v, t, true, -1.0, f + v * rows * n[0]);
    fields_walls_clear(w->walls, f);
}

/* struct fields_lift */
static void impose(void *own, double t, double *u)
{
    const struct worker *w = own;
    fields_walls_impose(w->walls, t, u);
}

static void begin_step(void *own, double t, double dt)
{
    const struct worker *w = own;
    const struct fields_method *m = w->walk.method;
    fields_walls_begin_step(w->walls, t, dt, m->stages, m->b, m->c);
}

static void lift(const struct worker *w, double t, double factor, double *u)
{
    const size_t points = fields_points(w->desc);
    for (int v = 0; v < w->desc->terms->unknowns; v++)
        fields_walls_lift(w->walls, v, t, false, factor, u + (size_t)v * points);
}

static void lower(void *own, double t, double *u)
{
    const struct worker *w = own;
    fields_walls_impose(w->walls, t, u);
    lift(w, t, -1.0, u);
}

static void raise_to(void *own, double t, double *u)
{
    const struct worker *w = own;
    lift(w, t, 1.0, u);
    fields_walls_impose(w->walls, t, u);
}

/* fields_find_stiffness */
static void find_stiffness(void *own, double t, int64_t step, const double *u, struct fields_stiffness *stiffness)
{
    const struct worker *w = own;
    const int64_t *n = w->desc->n;
    double most[FIELDS_VARYING_MOST];
    memcpy(stiffness, w->constant, (size_t)w->desc->terms->unknowns * sizeof *stiffness);
    if (!w->varies) return;
    pad(w, &w->of_terms, t, false, u);
    for (int k = 0; k < w->varies; k++) sw_eval_step(w->value[k].eval, t, step), most[k] = -INFINITY;
    for (int64_t row = 0; row < n[1] * n[2]; row++) {
        set_row(w, &w->of_terms, row % n[1], row / n[1]);
        for (int k = 0; k < w->varies; k++) {
            evaluate_row(w, &w->value[k], row, w->values);
            for (int64_t i = 0; i < n[0]; i++) most[k] = sw_own_steps_worse(most[k], w->values[i]);
        }
    }
    for (int k = 0; k < w->varies; k++) fields_set_varying(&w->varying[k], most[k], stiffness);
}

/* ------------------------------------------------------------------ create, destroy */

static enum sw_status make_view(const struct fields_desc *d, const struct fields_terms *terms, struct sw_owned *own,
                                const struct worker *w, struct view *view)
{
    view->terms = terms;
    sw_array(own, padded_of(d, terms), &view->padded);
    sw_array(own, (size_t)terms->inputs, &view->in);
    SW_TRY(own->status);
    for (int a = 0; a < SW_DIMS; a++) view->in[SW_IN_X + a] = w->coordinate[a];
    return SW_OK;
}

static enum sw_status make_points(const struct fields_desc *d, const struct sw_program *program,
                                  const struct view *view, struct at_points *p)
{
    p->view = view;
    p->sees_row = sw_program_uses_input(program, SW_IN_Y) || sw_program_uses_input(program, SW_IN_Z);
    return sw_eval_create(program, (int)d->n[0], &p->eval);
}

static enum sw_status make_walls(const struct fields_desc *d, struct sw_owned *own, struct worker *w)
{
    w->at_ends = walls_desc_of(d, w->above);
    w->room = fields_room_of(&w->at_ends);
    SW_TRY(fields_walls_create(&w->at_ends, own, &w->walls));
    if (!w->walls) return SW_OK;
    w->walk.lift = (struct fields_lift){.impose = impose};
    if (!fields_walls_move(&w->at_ends)) return SW_OK;
    w->walk.lift = (struct fields_lift){.impose = impose, .begin_step = begin_step, .lower = lower, .raise = raise_to};
    sw_array(own, fields_points(d), &w->raised);
    sw_array(own, fields_size(d), &w->walk.work.base);
    return own->status;
}

static enum sw_status create_worker(const struct fields_sim *s, struct sw_owned *own, struct worker *w)
{
    const struct fields_desc *d = &s->desc;
    const struct fields_terms *t = d->terms;
    struct fields_work *work = &w->walk.work;
    w->desc = d;
    w->walk.solves = s->ops->solves;
    fields_set_walk(d, &w->walk);
    w->walk.evaluate = evaluate;
    w->walk.stiffness = find_stiffness;
    w->walk.own = w;
    SW_TRY(make_walls(d, own, w));
    for (int v = 0; v < t->unknowns; v++) SW_TRY(make_points(d, t->row[v].rhs, &w->of_terms, &w->rhs[v]));
    w->varies = fields_varying_of(d, w->varying);
    for (int k = 0; k < w->varies; k++)
        SW_TRY(make_points(d, w->varying[k].program, &w->of_terms, &w->value[k]));
    for (int i = 0; i < w->walk.method->stages; i++) sw_array(own, fields_size(d), &work->k[i]);
    sw_array(own, fields_size(d), &work->stage);
    sw_array(own, fields_size(d), &work->next);
    SW_TRY(w->walk.solves->create(d, own, &w->walk.solver));
    for (int a = 0; a < SW_DIMS; a++) sw_array(own, (size_t)d->n[0], &w->coordinate[a]);
    sw_array(own, (size_t)d->n[0], &w->values);
    SW_TRY(make_view(d, t, own, w, &w->of_terms));
    if (d->energy) SW_TRY(make_view(d, d->energy, own, w, &w->of_energy));
    return d->energy ? make_points(d, d->energy->row[0].rhs, &w->of_energy, &w->energy) : SW_OK;
}

static void destroy_worker(struct worker *w)
{
    for (int v = 0; v < SW_UNKNOWNS_MOST; v++) sw_eval_destroy(&w->rhs[v].eval);
    for (int k = 0; k < w->varies; k++) sw_eval_destroy(&w->value[k].eval);
    sw_eval_destroy(&w->energy.eval);
    fields_walls_destroy(w->walls);
    if (w->walk.solves) w->walk.solves->destroy(w->walk.solver);
}

/* ------------------------------------------------------------------ the run at hand */

static void set_place(const struct fields_sim *s, struct worker *w, int j)
{
    w->grid = &s->run[j].grid;
    for (int64_t i = 0; i < s->desc.n[0]; i++) w->coordinate[0][i] = sw_grid_at(w->grid, 0, i);
}

/* struct fields_batch_row */
static void begin(const struct fields_sim *s, int thread, int j)
{
    struct worker *w = &((const struct plain *)s->own)->worker[thread];
    set_place(s, w, j);
    w->walk.solves->begin(w->walk.solver, w->grid->dx, s->param + j, s->count);
    for (int v = 0; v < s->desc.terms->unknowns; v++) begin_run(w, &w->rhs[v], s->param + j, s->count);
    for (int k = 0; k < w->varies; k++) begin_run(w, &w->value[k], s->param + j, s->count);
    fields_walls_begin(w->walls, w->grid, s->param + j, s->count);
}

/* Of run j, as far as it is. */
static double time_of(const struct fields_sim *s, int j)
{
    const struct plain *p = s->own;
    if (s->desc.own_steps) return sw_own_steps_time(&p->batch.states.steps[j], s->desc.times);
    return s->step < 0 ? 0.0 : (double)s->step * s->run[j].grid.dt;
}

/* A row after the other. */
static double energy_of(const struct fields_sim *s, int thread, int j)
{
    struct worker *w = &((const struct plain *)s->own)->worker[thread];
    const int64_t *n = s->desc.n;
    double sum = 0;
    set_place(s, w, j);
    begin_run(w, &w->energy, s->param + j, s->count);
    fields_walls_begin(w->walls, w->grid, s->param + j, s->count);
    pad(w, &w->of_energy, time_of(s, j), false, fields_batch_field(s, j));
    sw_eval_step(w->energy.eval, 0, 0);
    for (int64_t row = 0; row < n[1] * n[2]; row++) {
        set_row(w, &w->of_energy, row % n[1], row / n[1]);
        evaluate_row(w, &w->energy, row, w->values);
        sum += fields_sum_row(n, s->desc.walls, row, w->values);
    }
    return sum;
}

/* ------------------------------------------------------------------ the row */

static const struct fields_batch_row batch_row = {.begin = begin, .energy = energy_of};

static enum sw_status create(struct fields_sim *s)
{
    const struct fields_desc *d = &s->desc;
    struct plain *p = s->own;
    p->batch.row = &batch_row;
    p->batch.workers = p->batch.walkers = s->device->threads < d->capacity ? s->device->threads : d->capacity;
    SW_TRY(fields_batch_create(s));
    sw_array(&s->arrays, (size_t)p->batch.workers, &p->worker);
    SW_TRY(s->arrays.status);
    for (int k = 0; k < p->batch.workers; k++) {
        SW_TRY(create_worker(s, &s->arrays, &p->worker[k]));
        p->worker[k].constant = p->batch.worker[k].constant;
        p->batch.worker[k].walk = &p->worker[k].walk;
    }
    return SW_OK;
}

static void destroy(struct fields_sim *s)
{
    struct plain *p = s->own;
    for (int k = 0; p->worker && k < p->batch.workers; k++) destroy_worker(&p->worker[k]);
    fields_batch_destroy(s);
}

#define OPERATIONS                                                                                                    \
    .space = SW_HOST, .fits = fits, .bytes = bytes, .own_size = sizeof(struct plain), .create = create,               \
    .load = fields_batch_load, .advance = fields_batch_advance, .look_ahead = fields_batch_look_ahead,                \
    .destroy = destroy, .sim = &fields_batch_operations

extern const struct fields_row_ops fields_plain_cpu;
const struct fields_row_ops fields_plain_cpu = {
    .name = "cpu.plain",
    .about = "rows of points by the interpreter, then recursions along each axis; threads over runs: the reference",
    .takes_walls = true,
    .solves = &fields_lines,
    OPERATIONS,
};

/* The same with another solve. */
extern const struct fields_row_ops fields_fourier_cpu;
const struct fields_row_ops fields_fourier_cpu = {
    .name = "cpu.fourier",
    .about = "rows of points by the interpreter, then exact solves by Fourier transforms; threads over runs",
    .solves = &fields_exact,
    OPERATIONS,
};
