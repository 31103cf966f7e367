/* The reference: right-hand sides by the interpreter, a row of points along x after the other, then recursions along
 * each axis. Parallel over runs: a run goes through all steps of a call before its thread takes another one. */
#include <math.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_reals.h"
#include "device/sw_device.h"
#include "device/sw_snapshot.h"
#include "field/evaluate.h"
#include "field/sum.h"
#include "problem/fields/fields_sim_impl.h"
#include "problem/fields/scalars.h"
#include "problem/fields/w_run.h"
#include "problem/line/stepper/batch_cpu.h"
#include "problem/line/stepper/own_steps_drive.h"

/* What programs of some terms take in: a row of points after the other. */
struct view {
    const struct fields_terms *terms;
    double        *padded;               /* [unknowns][z][y][x with its neighbours beyond the ends] */
    const double **in;                   /* [terms->inputs] of a row                                */
};

/* A program at all points of a field. */
struct at_points {
    struct sw_eval *eval;
    const struct view *view;
    bool   sees_row;                     /* what it computes once a run depends on y or z */
};

/* A coefficient that is not the same at all points, of which the largest value over the field counts. */
struct varying { struct at_points value; int unknown, axis; bool fourth; };
enum { VARYING_MOST = 2 * SW_UNKNOWNS_MOST * SW_DIMS };

struct worker {                          /* of a thread */
    const struct fields_desc *desc;
    struct fields_walk   walk;
    struct sw_evaluator  initial[SW_UNKNOWNS_MOST];
    struct at_points     rhs[SW_UNKNOWNS_MOST];
    int                  varies;
    struct varying       varying[VARYING_MOST];
    struct view          of_terms, of_energy;
    struct at_points     energy;         /* its density; without an eval: none                          */
    double              *coordinate[SW_DIMS];  /* [nx] of a row                                         */
    double              *values;         /* [nx] of a coefficient                                       */
    struct fields_measure *measure;
    /* of the run at hand */
    const struct sw_grid *grid;
    struct fields_stiffness constant[SW_UNKNOWNS_MOST];  /* 0 where it varies */
};

struct plain {
    double  *u;                          /* [capacity][unknowns][z][y][x]; NaN where a run has stopped  */
    bool    *sound;                      /* [capacity]: load() found no load_error                      */
    bool    *stopped;                    /* [capacity]                                                  */
    int64_t *diverged;                   /* [capacity]: the step; -1 if not, or where stopped not known yet */
    struct sw_own_steps *steps;          /* [capacity], of desc.own_steps                               */
    double  *drive;                      /* [unknowns] zeros: what forces bring is not looked at        */
    int      workers;
    struct worker *worker;
    struct sw_snapshots *snapshots;
};

static double *field_of(const struct fields_sim *s, int j)
{
    const struct plain *p = s->own;
    return p->u + (size_t)j * fields_size(&s->desc);
}

static size_t pitch_of(const struct fields_desc *d, const struct fields_terms *t)
{
    return (size_t)d->n[0] + 2 * (size_t)t->reach[0];
}

static size_t padded_of(const struct fields_desc *d, const struct fields_terms *t)
{
    return t ? pitch_of(d, t) * (size_t)(d->n[1] * d->n[2]) * (size_t)t->unknowns : 0;
}

static bool fits(const struct fields_desc *d)
{
    (void)d;
    return true;
}

static void bytes(const struct fields_desc *d, const struct sw_device *device, size_t *fixed, size_t *per_run)
{
    const size_t arrays = (size_t)fields_method_of(d->scheme)->stages + 2,
                 padded = padded_of(d, d->terms) + padded_of(d, d->energy);
    *fixed = (size_t)device->threads *
             ((arrays * fields_size(d) + padded + 64 * (size_t)d->n[0]) * sizeof(double) + fields_measure_bytes(d->n));
    *per_run = fields_size(d) * (sizeof(double) + SW_SNAPSHOT_SLOTS * sw_reals_word(d->single)) +
               (size_t)d->nparam * sizeof(double) + 512;
}

/* ------------------------------------------------------------------ programs at all points, a row after the other */

static int64_t wrap(int64_t i, int64_t n) { return ((i % n) + n) % n; }

/* u with its neighbours beyond both ends of x. */
static void pad(const struct worker *w, const struct view *view, const double *u)
{
    const struct fields_desc *d = w->desc;
    const int64_t n = d->n[0], reach = view->terms->reach[0];
    const size_t rows = (size_t)(d->n[1] * d->n[2]) * (size_t)view->terms->unknowns;
    for (size_t row = 0; row < rows; row++) {
        double *to = view->padded + row * pitch_of(d, view->terms) + reach;
        const double *from = u + row * (size_t)n;
        memcpy(to, from, (size_t)n * sizeof *u);
        for (int64_t k = 1; k <= reach; k++) {
            to[-k] = from[wrap(-k, n)];
            to[n - 1 + k] = from[wrap(k - 1, n)];
        }
    }
}

/* What programs take in at row (j, k). */
static void set_row(const struct worker *w, const struct view *view, int64_t j, int64_t k)
{
    const struct fields_desc *d = w->desc;
    const struct fields_terms *t = view->terms;
    const double y = sw_grid_at(w->grid, 1, j), z = sw_grid_at(w->grid, 2, k);
    for (int64_t i = 0; i < d->n[0]; i++) w->coordinate[1][i] = y, w->coordinate[2][i] = z;
    for (int q = 0; q < t->neighbours; q++) {
        const struct fields_neighbour *at = &t->neighbour[q];
        const int64_t plane = at->unknown * d->n[2] + wrap(k + at->offset[2], d->n[2]),
                      row = plane * d->n[1] + wrap(j + at->offset[1], d->n[1]);
        view->in[FIELDS_INPUTS + q] = view->padded + (size_t)row * pitch_of(d, t) + t->reach[0] + at->offset[0];
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

/* fields_right_hand_side */
static void evaluate(void *own, double t, int64_t step, const double *u, double *f)
{
    const struct worker *w = own;
    const int64_t *n = w->desc->n, rows = n[1] * n[2];
    const int unknowns = w->desc->terms->unknowns;
    pad(w, &w->of_terms, u);
    for (int v = 0; v < unknowns; v++) sw_eval_step(w->rhs[v].eval, t, step);
    for (int64_t row = 0; row < rows; row++) {
        set_row(w, &w->of_terms, row % n[1], row / n[1]);
        for (int v = 0; v < unknowns; v++) evaluate_row(w, &w->rhs[v], row, f + (v * rows + row) * n[0]);
    }
}

/* Rounded up to the next of eight numbers an octave: P is made anew only where this changes, on the safe side. */
static double raised(double x) { return x > 0.0 ? exp2(ceil(8.0 * log2(x)) / 8.0) : x; }

/* fields_find_stiffness */
static void find_stiffness(void *own, double t, int64_t step, const double *u, struct fields_stiffness *stiffness)
{
    const struct worker *w = own;
    const int64_t *n = w->desc->n;
    double most[VARYING_MOST];
    memcpy(stiffness, w->constant, (size_t)w->desc->terms->unknowns * sizeof *stiffness);
    if (!w->varies) return;
    pad(w, &w->of_terms, u);
    for (int k = 0; k < w->varies; k++) sw_eval_step(w->varying[k].value.eval, t, step), most[k] = -INFINITY;
    for (int64_t row = 0; row < n[1] * n[2]; row++) {
        set_row(w, &w->of_terms, row % n[1], row / n[1]);
        for (int k = 0; k < w->varies; k++) {
            evaluate_row(w, &w->varying[k].value, row, w->values);
            for (int64_t i = 0; i < n[0]; i++) most[k] = sw_own_steps_worse(most[k], w->values[i]);
        }
    }
    for (int k = 0; k < w->varies; k++) {
        const struct varying *c = &w->varying[k];
        struct fields_stiffness *s = &stiffness[c->unknown];
        *(c->fourth ? &s->most4[c->axis] : &s->most2[c->axis]) = raised(most[k]);
    }
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

/* Those that are no number of a run. Steps that an estimated error bounds need no diffusion beside an m4. */
static enum sw_status add_varying(struct worker *w, int v, int axis, bool fourth)
{
    const struct fields_row *row = &w->desc->terms->row[v];
    const struct sw_program *program = fourth ? row->frozen.a4[axis] : row->frozen.a2[axis];
    const bool idle = !fourth && w->walk.rule.linear && row->frozen.a4[axis];
    if (!program || sw_program_rate(program) == SW_RATE_RUN || idle) return SW_OK;
    w->varying[w->varies] = (struct varying){.unknown = v, .axis = axis, .fourth = fourth};
    return make_points(w->desc, program, &w->of_terms, &w->varying[w->varies++].value);
}

static bool has_cross(const struct fields_terms *t)
{
    for (int k = 0; k < t->unknowns * SW_DIMS; k++)
        if (t->row[k / SW_DIMS].frozen.cross[k % SW_DIMS]) return true;
    return false;
}

static void set_walk(struct worker *w)
{
    const struct fields_desc *d = w->desc;
    const struct fields_terms *t = d->terms;
    w->walk.method = fields_method_of(d->scheme);
    w->walk.rule = (struct fields_matrix_rule){.axes = t->dimensions, .cross = has_cross(t), .fourth = t->order == 4,
                                               .linear = d->own_steps};
    w->walk.unknowns = t->unknowns;
    w->walk.points = fields_points(d);
    w->walk.evaluate = evaluate;
    w->walk.stiffness = find_stiffness;
    w->walk.own = w;
    for (int a = 0; a < FIELDS_AXES; a++) w->walk.n[a] = (int)d->n[a];
}

static enum sw_status create_worker(const struct fields_desc *d, struct sw_owned *own, struct worker *w)
{
    const struct fields_terms *t = d->terms;
    struct fields_work *work = &w->walk.work;
    w->desc = d;
    set_walk(w);
    for (int v = 0; v < t->unknowns; v++) {
        if (d->initial[v]) SW_TRY(sw_evaluator_create(d->initial[v], d->n, &w->initial[v]));
        SW_TRY(make_points(d, t->row[v].rhs, &w->of_terms, &w->rhs[v]));
        w->walk.steep |= d->own_steps && sw_own_steep(t->row[v].rhs);
        for (int k = 0; k < 2 * t->dimensions; k++) SW_TRY(add_varying(w, v, k / 2, k % 2));
    }
    for (int i = 0; i < w->walk.method->stages; i++) sw_array(own, fields_size(d), &work->k[i]);
    sw_array(own, fields_size(d), &work->stage);
    sw_array(own, fields_size(d), &work->next);
    sw_array(own, fields_product_room(t->dimensions, w->walk.n), &work->room);
    for (int a = 0; a < SW_DIMS; a++) sw_array(own, (size_t)d->n[0], &w->coordinate[a]);
    sw_array(own, (size_t)d->n[0], &w->values);
    SW_TRY(make_view(d, t, own, w, &w->of_terms));
    if (d->energy) SW_TRY(make_view(d, d->energy, own, w, &w->of_energy));
    if (d->energy) SW_TRY(make_points(d, d->energy->row[0].rhs, &w->of_energy, &w->energy));
    return fields_measure_create(d->n, own, &w->measure);
}

static void destroy_worker(struct worker *w)
{
    for (int v = 0; v < SW_UNKNOWNS_MOST; v++) {
        sw_evaluator_destroy(&w->initial[v]);
        sw_eval_destroy(&w->rhs[v].eval);
    }
    for (int k = 0; k < w->varies; k++) sw_eval_destroy(&w->varying[k].value.eval);
    sw_eval_destroy(&w->energy.eval);
    fields_measure_destroy(w->measure);
}

static enum sw_status create(struct fields_sim *s)
{
    const struct fields_desc *d = &s->desc;
    struct plain *p = s->own;
    struct sw_owned *own = &s->arrays;
    const size_t room = (size_t)d->capacity;
    p->workers = s->device->threads < d->capacity ? s->device->threads : d->capacity;
    sw_array(own, room * fields_size(d), &p->u);
    sw_array(own, room, &p->sound);
    sw_array(own, room, &p->stopped);
    sw_array(own, room, &p->diverged);
    if (d->own_steps) sw_array(own, room, &p->steps);
    sw_array(own, (size_t)d->terms->unknowns, &p->drive);
    sw_array(own, (size_t)p->workers, &p->worker);
    SW_TRY(own->status);
    for (int k = 0; k < p->workers; k++) SW_TRY(create_worker(d, own, &p->worker[k]));
    return sw_snapshots_create(s->device, room * fields_size(d) * sw_reals_word(d->single),
                               room * SW_LINE_SCALARS * sizeof(double), &p->snapshots);
}

static void destroy(struct fields_sim *s)
{
    struct plain *p = s->own;
    for (int k = 0; p->worker && k < p->workers; k++) destroy_worker(&p->worker[k]);
    sw_snapshots_destroy(&p->snapshots);
}

/* ------------------------------------------------------------------ the run at hand */

/* A coefficient that is a number of the run; 0: none, or it varies. */
static double number_of(const struct fields_sim *s, const struct sw_program *program, int j)
{
    double value = 0;
    if (!program || sw_program_rate(program) != SW_RATE_RUN) return 0;
    return sw_program_over_runs(program, 1, s->param + j, s->count, &value) ? NAN : value;
}

static void set_constant(const struct fields_sim *s, int v, int j, struct fields_stiffness *c)
{
    const struct fields_row *row = &s->desc.terms->row[v];
    *c = (struct fields_stiffness){.a0 = number_of(s, row->linear.a0, j)};
    for (int a = 0; a < s->desc.terms->dimensions; a++) {
        c->a2[a] = number_of(s, row->linear.a2[a], j);
        c->a4[a] = number_of(s, row->linear.a4[a], j);
        c->most2[a] = number_of(s, row->frozen.a2[a], j);
        c->most4[a] = number_of(s, row->frozen.a4[a], j);
    }
}

static void set_place(const struct fields_sim *s, struct worker *w, int j)
{
    w->grid = &s->run[j].grid;
    for (int64_t i = 0; i < s->desc.n[0]; i++) w->coordinate[0][i] = sw_grid_at(w->grid, 0, i);
}

static void begin(const struct fields_sim *s, struct worker *w, int j)
{
    const struct fields_desc *d = &s->desc;
    set_place(s, w, j);
    for (int a = 0; a < SW_DIMS; a++) w->walk.dx[a] = w->grid->dx[a];
    for (int v = 0; v < d->terms->unknowns; v++) {
        begin_run(w, &w->rhs[v], s->param + j, s->count);
        set_constant(s, v, j, &w->constant[v]);
    }
    for (int k = 0; k < w->varies; k++) begin_run(w, &w->varying[k].value, s->param + j, s->count);
    fields_walk_begin(&w->walk);
}

static bool is_finite(const struct fields_stiffness *s)
{
    double sum = s->a0;
    for (int a = 0; a < FIELDS_AXES; a++) sum += s->a2[a] + s->a4[a] + s->most2[a] + s->most4[a];
    return isfinite(sum);
}

static const char *fault_of(const struct fields_sim *s, struct worker *w, int j)
{
    begin(s, w, j);
    for (int v = 0; v < s->desc.terms->unknowns; v++)
        if (!is_finite(&w->constant[v])) return "a coefficient of the equation is not finite";
    if (!s->desc.own_steps && !(fields_rounding(&w->walk, w->constant, s->run[j].grid.dt) <= SW_LINE_MAX_ROUNDING))
        return "double precision is too coarse for the implicit part: a smaller dt or fewer points are needed";
    return NULL;
}

/* ------------------------------------------------------------------ states */

static void stop(const struct fields_sim *s, int j, int64_t step)
{
    struct plain *p = s->own;
    double *u = field_of(s, j);
    for (size_t c = 0; c < fields_size(&s->desc); c++) u[c] = NAN;
    p->stopped[j] = true;
    p->diverged[j] = step;
}

static void resume(const struct fields_sim *s, int j)
{
    struct plain *p = s->own;
    p->stopped[j] = false;
    p->diverged[j] = -1;
    if (p->steps) p->steps[j] = (struct sw_own_steps){0};
}

static enum sw_status load(struct fields_sim *s, const char **load_error)
{
    struct plain *p = s->own;
    for (int j = 0; j < s->count; j++) {
        if (!load_error[j]) load_error[j] = fault_of(s, &p->worker[0], j);
        p->sound[j] = !load_error[j];
        if (load_error[j]) stop(s, j, 0);
        else resume(s, j);
    }
    return SW_OK;
}

static bool field_is_finite(const struct fields_sim *s, int j)
{
    const double *u = field_of(s, j);
    bool finite = true;
    for (size_t c = 0; c < fields_size(&s->desc); c++) finite &= isfinite(u[c]) != 0;
    return finite;
}

static void initial_of_run(void *user, int thread, int j)
{
    const struct fields_sim *s = user;
    const struct plain *p = s->own;
    const int64_t points = (int64_t)fields_points(&s->desc);
    if (!p->sound[j]) return;
    for (int v = 0; v < s->desc.terms->unknowns; v++) {
        struct sw_evaluator *e = &p->worker[thread].initial[v];
        double *u = field_of(s, j) + v * points;
        if (!s->desc.initial[v]) continue;
        sw_evaluator_begin(e, &s->run[j].grid, s->param + j, s->count, 0, 0);
        for (int64_t first = 0; first < points; first += SW_EVALUATOR_POINTS)
            sw_evaluator_points(e, first, (int)(points - first < SW_EVALUATOR_POINTS ? points - first
                                                                                     : SW_EVALUATOR_POINTS), u + first);
    }
    resume(s, j);
    if (!field_is_finite(s, j)) stop(s, j, 0);
}

static enum sw_status initial(struct sw_sim *sim)
{
    struct fields_sim *s = fields_sim_of(sim);
    sw_host_each(((struct plain *)s->own)->workers, s->count, initial_of_run, s);
    return SW_OK;
}

static enum sw_status set_state(struct sw_sim *sim, const double *u)
{
    struct fields_sim *s = fields_sim_of(sim);
    const struct plain *p = s->own;
    const size_t size = fields_size(&s->desc);
    for (int j = 0; j < s->count; j++) {
        if (!p->sound[j]) continue;
        memcpy(field_of(s, j), u + (size_t)j * size, size * sizeof *u);
        resume(s, j);
        if (!field_is_finite(s, j)) stop(s, j, -1);
    }
    return SW_OK;
}

static enum sw_status get_state(struct sw_sim *sim, double *u)
{
    const struct fields_sim *s = fields_sim_of(sim);
    memcpy(u, field_of(s, 0), (size_t)s->count * fields_size(&s->desc) * sizeof *u);
    return SW_OK;
}

static enum sw_status get_states(struct sw_sim *sim, int count, const int *which, double *u)
{
    const struct fields_sim *s = fields_sim_of(sim);
    const size_t size = fields_size(&s->desc);
    for (int k = 0; k < count; k++) memcpy(u + (size_t)k * size, field_of(s, which[k]), size * sizeof *u);
    return SW_OK;
}

static enum sw_status diverged(struct sw_sim *sim, int64_t *step)
{
    const struct fields_sim *s = fields_sim_of(sim);
    memcpy(step, ((const struct plain *)s->own)->diverged, (size_t)s->count * sizeof *step);
    return SW_OK;
}

static enum sw_status get_record(struct sw_sim *sim, double *record)
{
    const struct fields_sim *s = fields_sim_of(sim);
    memcpy(record, ((const struct plain *)s->own)->steps, (size_t)s->count * sizeof(struct sw_own_steps));
    return SW_OK;
}

static enum sw_status set_record(struct sw_sim *sim, const double *record)
{
    const struct fields_sim *s = fields_sim_of(sim);
    memcpy(((struct plain *)s->own)->steps, record, (size_t)s->count * sizeof(struct sw_own_steps));
    return SW_OK;
}

/* ------------------------------------------------------------------ snapshots */

struct taking { const struct fields_sim *s; void *field; double *scalars; };

/* Fields follow one another: all runs of the first unknown, then all of the next. */
static void copy_field(const struct fields_sim *s, int j, void *field)
{
    const size_t points = fields_points(&s->desc), count = (size_t)s->count;
    for (size_t v = 0; v < (size_t)s->desc.terms->unknowns; v++)
        sw_reals_put(field, sw_reals_word(s->desc.single), (v * count + (size_t)j) * points,
                     field_of(s, j) + v * points, points);
}

/* The sum of the density over all points, a row after the other. */
static double energy_of(const struct fields_sim *s, struct worker *w, int j)
{
    const int64_t *n = s->desc.n;
    double sum = 0, volume = 1;
    if (!w->energy.eval) return NAN;
    set_place(s, w, j);
    for (int a = 0; a < s->desc.terms->dimensions; a++) volume *= w->grid->dx[a];
    begin_run(w, &w->energy, s->param + j, s->count);
    pad(w, &w->of_energy, field_of(s, j));
    sw_eval_step(w->energy.eval, 0, 0);
    for (int64_t row = 0; row < n[1] * n[2]; row++) {
        set_row(w, &w->of_energy, row % n[1], row / n[1]);
        evaluate_row(w, &w->energy, row, w->values);
        sum += sw_sum_lanes(w->values, (int)n[0]);
    }
    return volume * sum;
}

static void take_run(void *user, int thread, int j)
{
    const struct taking *t = user;
    const struct plain *p = t->s->own;
    if (t->field) copy_field(t->s, j, t->field);
    if (!t->scalars) return;
    double *out = t->scalars + (size_t)j * SW_LINE_SCALARS;
    for (int k = 0; k < SW_LINE_SCALARS; k++) out[k] = NAN;
    if (p->stopped[j]) return;
    fields_measure(p->worker[thread].measure, t->s->desc.terms->dimensions, &t->s->run[j].grid, field_of(t->s, j), out);
    out[SW_ENERGY] = energy_of(t->s, &p->worker[thread], j);
}

static enum sw_status snapshot(struct sw_sim *sim, int slot, int what)
{
    const struct fields_sim *s = fields_sim_of(sim);
    const struct plain *p = s->own;
    struct taking t = {.s = s};
    SW_TRY(sw_snapshots_begin(p->snapshots, slot, what, &t.field, &t.scalars));
    sw_host_each(p->workers, s->count, take_run, &t);
    return sw_snapshots_send(p->snapshots, (size_t)s->count * fields_size(&s->desc) * sw_reals_word(s->desc.single),
                             (size_t)s->count * SW_LINE_SCALARS * sizeof(double));
}

static enum sw_status fetch(struct sw_sim *sim, int slot, const void **field, const double **scalars)
{
    return sw_snapshots_fetch(((const struct plain *)fields_sim_of(sim)->own)->snapshots, slot, field, scalars);
}

/* ------------------------------------------------------------------ steps */

struct advancing { const struct fields_sim *s; int64_t from, to; };

/* Steps of a run with steps of its own may be as long as its last output time; as long as they tell nothing, and where
 * something may grow unseen, as those of lines (own_steps_drive.h). */
static struct fields_own own_of(const struct fields_sim *s, const struct worker *w, int j)
{
    const struct plain *p = s->own;
    const struct fields_run *r = &s->run[j];
    const double end = s->desc.times[s->desc.goals],
                 most = r->longest_dt > 0 && r->longest_dt < end ? r->longest_dt : end;
    return (struct fields_own){
        .steps = &p->steps[j], .drive = p->drive, .times = s->desc.times, .first_dt = r->first_dt,
        .limits = {.tolerance = r->tolerance, .absolute = r->absolute,
                   .most = fields_longest_dt(&w->walk, w->constant, r->tolerance, most),
                   .careful = end / SW_DRIVE_TIMES, .quiet = end / SW_DRIVE_QUIET, .k = w->walk.method->order}};
}

static void advance_run(void *user, int thread, int j)
{
    const struct advancing *a = user;
    const struct fields_sim *s = a->s;
    const struct plain *p = s->own;
    struct worker *w = &p->worker[thread];
    if (p->stopped[j]) {
        if (p->diverged[j] < 0) p->diverged[j] = a->from;
        return;
    }
    if (s->desc.own_steps && sw_own_steps_reached(&p->steps[j], s->desc.times, a->to)) return;
    begin(s, w, j);
    if (s->desc.own_steps) {
        const struct fields_own own = own_of(s, w, j);
        fields_walk_own_steps(&w->walk, &own, a->to, field_of(s, j));
        if (own.steps->end) stop(s, j, sw_own_steps_tick(own.steps, s->desc.times));
    } else {
        const int64_t bad = fields_walk_steps(&w->walk, s->run[j].grid.dt, a->from, a->to, field_of(s, j));
        if (bad) stop(s, j, bad);
    }
}

static enum sw_status advance(struct fields_sim *s, int64_t from, int64_t to)
{
    sw_host_each(((struct plain *)s->own)->workers, s->count, advance_run, &(struct advancing){s, from, to});
    return SW_OK;
}

struct looking { const struct fields_sim *s; double *change; };

static double range_of(size_t n, const double *u, double *largest)
{
    double least = u[0], greatest = u[0];
    for (size_t c = 1; c < n; c++) least = fmin(least, u[c]), greatest = fmax(greatest, u[c]);
    *largest = fmax(fabs(least), fabs(greatest));
    return greatest - least;
}

static void look_at_run(void *user, int thread, int j)
{
    const struct looking *l = user;
    const struct fields_sim *s = l->s;
    const struct plain *p = s->own;
    struct worker *w = &p->worker[thread];
    const size_t points = fields_points(&s->desc);
    const double dt = s->run[j].grid.dt, *u = field_of(s, j), *f = w->walk.work.k[0];
    if (p->stopped[j]) return;
    begin(s, w, j);
    evaluate(w, dt * (double)s->step, s->step, u, w->walk.work.k[0]);
    for (int v = 0; v < s->desc.terms->unknowns; v++) {
        double size, rate;
        const double range = range_of(points, u + (size_t)v * points, &size),
                     change = dt * range_of(points, f + (size_t)v * points, &rate);
        if (change > FIELDS_SEEN * size) l->change[j] = fmax(l->change[j], change / range);
    }
}

static enum sw_status look_ahead(struct fields_sim *s, double *change)
{
    sw_host_each(((struct plain *)s->own)->workers, s->count, look_at_run, &(struct looking){s, change});
    return SW_OK;
}

static const struct sw_state_ops states = {
    .initial = initial, .set = set_state, .get = get_state, .get_some = get_states};
static const struct sw_record_ops records = {.get = get_record, .set = set_record};
static const struct sw_sim_ops operations = {
    .snapshot = snapshot, .fetch = fetch, .diverged = diverged, .states = &states, .records = &records};

extern const struct fields_row_ops fields_plain_cpu;
const struct fields_row_ops fields_plain_cpu = {
    .name = "cpu.plain",
    .about = "rows of points by the interpreter, then recursions along each axis; threads over runs: the reference",
    .space = SW_HOST,
    .fits = fits,
    .bytes = bytes,
    .own_size = sizeof(struct plain),
    .create = create,
    .load = load,
    .advance = advance,
    .look_ahead = look_ahead,
    .destroy = destroy,
    .sim = &operations,
};
