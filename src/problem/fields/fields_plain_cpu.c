/* The reference: right-hand sides by the interpreter, a row of points along x after the other, then recursions along
 * each axis. Parallel over runs: a run goes through all steps of a call before its thread takes another one. */
#include <math.h>
#include <string.h>

#include "device/sw_device.h"
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
    struct fields_walls_desc at_ends;    /* whose room is that of the views                             */
    struct fields_room   flat;           /* that of all other fields                                    */
    struct fields_walls *walls;          /* NULL: there are none                                        */
    /* of the run at hand */
    const struct sw_grid *grid;
    const double        *param;
    int64_t              stride;
    const struct fields_stiffness *constant;  /* [unknowns]: 0 where it varies */
};

struct plain {
    struct fields_batch batch;           /* first: fields_batch_cpu.h works on it */
    struct worker      *worker;
};

/* As rooms of unknowns are filled: beyond the ends of x, and of walls. */
static struct fields_walls_desc at_ends_of(const struct fields_desc *d)
{
    int64_t reach[SW_DIMS];
    struct fields_walls_desc w = fields_walls_desc_of(d, reach);
    for (int a = 1; a < SW_DIMS; a++) reach[a] *= d->walls[a];
    w.room = fields_room_of(d->n, reach);
    return w;
}

static bool fits(const struct fields_desc *d, int sm)
{
    (void)d, (void)sm;
    return true;
}

static void bytes(const struct fields_desc *d, const struct sw_device *device, size_t *fixed, size_t *per_run)
{
    const struct fields_walls_desc at_ends = at_ends_of(d);
    const size_t arrays = (size_t)fields_method_of(d->scheme)->stages + 2 + fields_walls_move(&at_ends),
                 views = (size_t)d->terms->unknowns + (d->energy ? (size_t)d->energy->unknowns : 0),
                 padded = (size_t)at_ends.room.size * views;
    fields_batch_bytes(d, device->threads, fixed, per_run);
    *fixed += (size_t)device->threads * ((arrays * fields_size(d) + padded + 64 * (size_t)d->n[0]) * sizeof(double) +
                                         fields_walls_bytes(&at_ends));
}

/* ------------------------------------------------------------------ programs at all points, a row after the other */

/* u at time t with its neighbours beyond ends; of v, which lacks what moves at walls, the u. */
static void pad(const struct worker *w, const struct view *view, double t, bool lowered, const double *u)
{
    const struct fields_desc *d = w->desc;
    const struct fields_room *r = &w->at_ends.room;
    const int64_t nx = d->n[0], ny = d->n[1], nz = d->n[2];
    fields_walls_at(w->walls, t);
    if (lowered) fields_walls_lift(w->walls, t, false);
    for (int v = 0; v < view->terms->unknowns; v++)
        for (int64_t k = 0; k < nz; k++) {
            for (int64_t j = 0; j < ny; j++, u += nx) {
                double *row = view->padded + v * r->size + r->first + j * r->step[1] + k * r->step[2];
                memcpy(row, u, (size_t)nx * sizeof *u);
                if (lowered) fields_walls_add(w->walls, v, j, k, 1.0, row);
            }
            fields_walls_fill(w->walls, &w->at_ends, v, k, view->padded);
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
    const struct fields_room *r = &w->at_ends.room;
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
    pad(w, &w->of_terms, t, w->walk.moves, u);
    if (w->walk.moves) fields_walls_lift(w->walls, t, true);
    for (int v = 0; v < unknowns; v++) sw_eval_step(w->rhs[v].eval, t, step);
    for (int64_t row = 0; row < rows; row++) {
        set_row(w, &w->of_terms, row % n[1], row / n[1]);
        for (int v = 0; v < unknowns; v++) {
            double *out = f + (v * rows + row) * n[0];
            evaluate_row(w, &w->rhs[v], row, out);
            fields_walls_close(w->walls, v, row % n[1], row / n[1], out);
        }
    }
}

/* struct fields_walk_ops */
static void impose(void *own, double t, double *u)
{
    const struct worker *w = own;
    fields_walls_impose(w->walls, t, &w->flat, u);
}

static void begin_step(void *own, double t, double end, double dt)
{
    const struct worker *w = own;
    const struct fields_method *m = w->walk.method;
    fields_walls_begin_step(w->walls, t, end, dt, m->stages, m->b, m->c);
}

static void lift(void *own, double t, double factor, double *u)
{
    const struct worker *w = own;
    const int64_t *n = w->desc->n, rows = n[1] * n[2];
    fields_walls_lift(w->walls, t, false);
    for (int64_t row = 0; row < rows * w->desc->terms->unknowns; row++)
        fields_walls_add(w->walls, (int)(row / rows), row % rows % n[1], row % rows / n[1], factor, u + row * n[0]);
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

/* ------------------------------------------------------------------ the run at hand */

static void begin(void *own, const struct sw_grid *grid, const double *param, int64_t stride)
{
    struct worker *w = own;
    w->grid = grid;
    w->param = param;
    w->stride = stride;
    for (int64_t i = 0; i < w->desc->n[0]; i++) w->coordinate[0][i] = sw_grid_at(grid, 0, i);
    w->walk.solves->begin(w->walk.solver, grid->dx, param, stride);
    for (int v = 0; v < w->desc->terms->unknowns; v++) begin_run(w, &w->rhs[v], param, stride);
    for (int k = 0; k < w->varies; k++) begin_run(w, &w->value[k], param, stride);
    fields_walls_begin(w->walls, grid, param, stride);
}

/* A row after the other. */
static double energy_of(void *own, double t, const double *u)
{
    const struct worker *w = own;
    const int64_t *n = w->desc->n;
    double sum = 0;
    begin_run(w, &w->energy, w->param, w->stride);
    pad(w, &w->of_energy, t, false, u);
    sw_eval_step(w->energy.eval, 0, 0);
    for (int64_t row = 0; row < n[1] * n[2]; row++) {
        set_row(w, &w->of_energy, row % n[1], row / n[1]);
        evaluate_row(w, &w->energy, row, w->values);
        sum += fields_sum_row(n, w->desc->walls, row, w->values);
    }
    return sum;
}

static const struct fields_walk_ops walk_ops = {
    .begin = begin, .energy = energy_of, .evaluate = evaluate, .stiffness = find_stiffness, FIELDS_FLAT_STEPS,
    .impose = impose, .begin_step = begin_step, .lift = lift};

/* ------------------------------------------------------------------ create, destroy */

static enum sw_status make_view(const struct fields_terms *terms, struct sw_owned *own, const struct worker *w,
                                struct view *view)
{
    view->terms = terms;
    sw_array(own, (size_t)w->at_ends.room.size * (size_t)terms->unknowns, &view->padded);
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
    SW_TRY(sw_eval_create(program, (int)d->n[0], &p->eval));
    sw_eval_grid(p->eval, d->n[0], d->n[1]);
    return SW_OK;
}

static enum sw_status create_worker(const struct fields_sim *s, struct sw_owned *own, struct worker *w)
{
    const struct fields_desc *d = &s->desc;
    const struct fields_terms *t = d->terms;
    struct fields_work *work = &w->walk.work;
    w->desc = d;
    w->walk.solves = s->ops->solves;
    fields_set_walk(d, &w->walk);
    w->walk.ops = &walk_ops;
    w->walk.own = w;
    w->at_ends = at_ends_of(d);
    w->flat = fields_room_of(d->n, (const int64_t[SW_DIMS]){0});
    SW_TRY(fields_walls_create(&w->at_ends, own, &w->walls));
    if (w->walk.moves) sw_array(own, fields_size(d), &work->base);
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
    SW_TRY(make_view(t, own, w, &w->of_terms));
    if (d->energy) SW_TRY(make_view(d->energy, own, w, &w->of_energy));
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

/* ------------------------------------------------------------------ the row */

static enum sw_status create(struct fields_sim *s)
{
    const struct fields_desc *d = &s->desc;
    struct plain *p = s->own;
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
    .space = SW_HOST, .takes_paces = true, .fits = fits, .bytes = bytes, .own_size = sizeof(struct plain),            \
    .create = create, .load = fields_batch_load, .advance = fields_batch_advance,                                     \
    .look_ahead = fields_batch_look_ahead, .destroy = destroy, .sim = &fields_batch_operations

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
