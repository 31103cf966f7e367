#include "problem/fields/fields_batch_cpu.h"

#include <math.h>
#include <string.h>

#include "field/evaluate.h"
#include "problem/line/stepper/own_steps_drive.h"

/* [unknowns][z][y][x] of a run. */
static double *field_of(const struct fields_sim *s, int j)
{
    return sw_host_states_of(&((const struct fields_batch *)s->own)->states, j);
}

static struct sw_host_states states_for(const struct fields_desc *d)
{
    return (struct sw_host_states){.capacity = (size_t)d->capacity, .unknowns = (size_t)d->terms->unknowns,
                                   .points = fields_points(d), .single = d->single, .own_steps = d->own_steps};
}

void fields_batch_bytes(const struct fields_desc *d, int threads, size_t *fixed, size_t *per_run)
{
    const struct sw_host_states states = states_for(d);
    *fixed = (size_t)threads * fields_measure_bytes(d->n, d->walls);
    *per_run = sw_host_states_bytes(&states) + (size_t)d->nparam * sizeof(double) + 256 +
               fields_drive_numbers(d) * sizeof(double);
}

/* ------------------------------------------------------------------ what the equations need */

/* @param exact  those alone that are no number of a run */
static bool has_cross(const struct fields_terms *t, bool exact)
{
    for (int k = 0; k < t->unknowns * SW_DIMS; k++) {
        const struct sw_program *cross = t->row[k / SW_DIMS].frozen.cross[k % SW_DIMS];
        if (cross && !(exact && sw_program_rate(cross) == SW_RATE_RUN)) return true;
    }
    return false;
}

/* Whether conditions at walls may jump by the time. */
static bool walls_are_steep(const struct fields_desc *d)
{
    bool steep = false;
    for (int k = 0; k < d->terms->unknowns * SW_DIMS * 4; k++) {
        const struct sw_program *condition = d->wall[k / (4 * SW_DIMS)][k / 4 % SW_DIMS][k / 2 % 2].condition[k % 2];
        steep |= condition && sw_own_steep(condition);
    }
    return steep;
}

struct fields_walls_desc fields_walls_desc_of(const struct fields_desc *d, int64_t reach[SW_DIMS])
{
    struct fields_walls_desc w = {.axes = d->terms->dimensions, .unknowns = d->terms->unknowns, .wall = d->wall};
    for (int a = 0; a < SW_DIMS; a++) {
        w.n[a] = d->n[a];
        w.walls[a] = d->walls[a];
        reach[a] = d->energy && d->energy->reach[a] > d->terms->reach[a] ? d->energy->reach[a] : d->terms->reach[a];
        for (int v = 0; v < w.unknowns; v++) w.above_second[v][a] = fields_terms_reach(d->terms, v, a) > 1;
    }
    return w;
}

void fields_set_walk(const struct fields_desc *d, struct fields_walk *walk)
{
    int64_t reach[SW_DIMS];
    const struct fields_walls_desc at_ends = fields_walls_desc_of(d, reach);
    const struct fields_terms *t = d->terms;
    const bool exact = walk->solves && walk->solves->exact;
    walk->method = fields_method_of(d->scheme);
    walk->rule = (struct fields_matrix_rule){.axes = t->dimensions, .cross = has_cross(t, exact),
                                             .fourth = t->order == 4, .own = d->own_steps, .exact = exact};
    walk->unknowns = t->unknowns;
    walk->points = fields_points(d);
    walk->numbers = fields_size(d);
    walk->moves = fields_walls_move(&at_ends);
    for (int v = 0; v < t->unknowns; v++) walk->steep |= d->own_steps && sw_own_steep(t->row[v].rhs);
    walk->steep |= d->own_steps && walls_are_steep(d);
}

/* Those that are no number of a run. Steps that an estimated error bounds need no diffusion beside an m4. */
int fields_varying_of(const struct fields_desc *d, struct fields_varying *varying)
{
    const struct fields_terms *t = d->terms;
    int count = 0;
    for (int k = 0; k < t->unknowns * t->dimensions * 2; k++) {
        const int v = k / (t->dimensions * 2), axis = k / 2 % t->dimensions;
        const bool fourth = k % 2;
        const struct fields_row *row = &t->row[v];
        const struct sw_program *program = fourth ? row->frozen.a4[axis] : row->frozen.a2[axis];
        if (!program || sw_program_rate(program) == SW_RATE_RUN) continue;
        varying[count++] = (struct fields_varying){.program = program, .unknown = v, .axis = axis, .fourth = fourth};
    }
    return count;
}

void fields_set_varying(const struct fields_varying *c, double most, struct fields_stiffness *stiffness)
{
    struct fields_stiffness *s = &stiffness[c->unknown];
    *(c->fourth ? &s->most4[c->axis] : &s->most2[c->axis]) = fields_raised(most);
}

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
        c->a6[a] = number_of(s, row->linear.a6[a], j);
        c->most2[a] = number_of(s, row->frozen.a2[a], j);
        c->most4[a] = number_of(s, row->frozen.a4[a], j);
    }
}

void fields_set_constants(const struct fields_sim *s, int j, struct fields_stiffness *constant)
{
    for (int v = 0; v < s->desc.terms->unknowns; v++) set_constant(s, v, j, &constant[v]);
}

static bool is_finite(const struct fields_stiffness *s)
{
    double sum = s->a0;
    for (int a = 0; a < FIELDS_AXES; a++) sum += s->a2[a] + s->a4[a] + s->a6[a] + s->most2[a] + s->most4[a];
    return isfinite(sum);
}

const char *fields_fault_of(const struct fields_sim *s, const struct fields_walk *w, int j,
                            const struct fields_stiffness *constant)
{
    for (int v = 0; v < s->desc.terms->unknowns; v++)
        if (!is_finite(&constant[v])) return "a coefficient of the equation is not finite";
    if (!s->desc.own_steps && !(fields_rounding(w, constant, s->run[j].grid.dt) <= SW_LINE_MAX_ROUNDING))
        return "double precision is too coarse for the implicit part: a smaller dt or fewer points are needed";
    return NULL;
}

/* Steps of a run with steps of its own may be as long as its last output time; as long as they tell nothing, and where
 * something may grow unseen, as those of lines (own_steps_drive.h). */
struct sw_own_limits fields_limits_of(const struct fields_sim *s, const struct fields_walk *w, int j,
                                      const struct fields_stiffness *constant)
{
    const struct fields_run *r = &s->run[j];
    const double end = s->desc.times[s->desc.goals],
                 most = r->longest_dt > 0 && r->longest_dt < end ? r->longest_dt : end;
    return (struct sw_own_limits){.tolerance = r->tolerance, .absolute = r->absolute,
                                  .most = fields_longest_dt(w, constant, r->tolerance, most),
                                  .careful = end / SW_DRIVE_TIMES, .over_quiet = SW_DRIVE_QUIET / end,
                                  .share = fields_drive_share(&s->desc), .k = w->method->order};
}

static struct fields_batch_worker *begin(const struct fields_sim *s, int thread, int j)
{
    struct fields_batch_worker *w = &((const struct fields_batch *)s->own)->worker[thread];
    w->walk->ops->begin(w->walk->own, &s->run[j].grid, s->param + j, s->count);
    fields_set_constants(s, j, w->constant);
    fields_walk_begin(w->walk);
    return w;
}

static const char *fault_of(const struct fields_sim *s, int j)
{
    const struct fields_batch_worker *w = begin(s, 0, j);
    return fields_fault_of(s, w->walk, j, w->constant);
}

/* ------------------------------------------------------------------ create, destroy */

static enum sw_status create_worker(const struct fields_desc *d, struct sw_owned *own, struct fields_batch_worker *w)
{
    sw_array(own, SW_UNKNOWNS_MOST, &w->initial);
    SW_TRY(own->status);
    for (int v = 0; v < d->terms->unknowns; v++)
        if (d->initial[v]) SW_TRY(sw_evaluator_create(d->initial[v], d->n, &w->initial[v]));
    return fields_measure_create(d->n, d->walls, own, &w->measure);
}

static void destroy_worker(struct fields_batch_worker *w)
{
    for (int v = 0; w->initial && v < SW_UNKNOWNS_MOST; v++) sw_evaluator_destroy(&w->initial[v]);
    fields_measure_destroy(w->measure);
}

enum sw_status fields_batch_create(struct fields_sim *s)
{
    struct fields_batch *b = s->own;
    struct sw_owned *own = &s->arrays;
    b->states = states_for(&s->desc);
    sw_array(own, (size_t)s->desc.capacity * fields_drive_numbers(&s->desc), &b->drive);
    sw_array(own, (size_t)b->workers, &b->worker);
    SW_TRY(own->status);
    for (int k = 0; k < b->workers; k++) SW_TRY(create_worker(&s->desc, own, &b->worker[k]));
    return sw_host_states_create(s->device, own, &b->states);
}

void fields_batch_destroy(struct fields_sim *s)
{
    struct fields_batch *b = s->own;
    for (int k = 0; b->worker && k < b->workers; k++) destroy_worker(&b->worker[k]);
    sw_host_states_destroy(&b->states);
}

/* ------------------------------------------------------------------ states */

static struct sw_host_states *states_of(const struct sw_sim *sim)
{
    return &((struct fields_batch *)fields_sim_of(sim)->own)->states;
}

enum sw_status fields_batch_load(struct fields_sim *s, const char **load_error)
{
    for (int j = 0; j < s->count; j++)
        if (!load_error[j]) load_error[j] = fault_of(s, j);
    sw_host_states_load(states_of(&s->sim), s->count, load_error);
    return fields_drive_load(s, ((struct fields_batch *)s->own)->drive);
}

static void initial_of_run(void *user, int thread, int j)
{
    const struct fields_sim *s = user;
    struct fields_batch *b = s->own;
    const int64_t points = (int64_t)fields_points(&s->desc);
    if (!b->states.sound[j]) return;
    for (int v = 0; v < s->desc.terms->unknowns; v++) {
        struct sw_evaluator *e = &b->worker[thread].initial[v];
        double *u = field_of(s, j) + v * points;
        if (!s->desc.initial[v]) continue;
        sw_evaluator_begin(e, &s->run[j].grid, s->param + j, s->count, 0, 0);
        for (int64_t first = 0; first < points; first += SW_EVALUATOR_POINTS)
            sw_evaluator_points(e, first, (int)(points - first < SW_EVALUATOR_POINTS ? points - first
                                                                                     : SW_EVALUATOR_POINTS), u + first);
    }
    sw_host_states_begin(&b->states, j, 0);
}

static enum sw_status initial(struct sw_sim *sim)
{
    struct fields_sim *s = fields_sim_of(sim);
    sw_host_each(((struct fields_batch *)s->own)->workers, s->count, initial_of_run, s);
    return SW_OK;
}

/* ------------------------------------------------------------------ snapshots */

/* Of run j, as far as it is. */
static double time_of(const struct fields_sim *s, int j)
{
    if (s->desc.own_steps) return sw_own_steps_time(&states_of(&s->sim)->steps[j], s->desc.times);
    return s->step < 0 ? 0.0 : (double)fields_step(s, j, s->step) * s->run[j].grid.dt;
}

static double energy_of(const struct fields_sim *s, int thread, int j)
{
    const struct fields_walk *walk = begin(s, thread, j)->walk;
    return walk->ops->energy(walk->own, time_of(s, j), field_of(s, j));
}

/* sw_host_measure */
static void measure_run(void *user, int thread, int j, double *out)
{
    const struct fields_sim *s = user;
    const struct fields_batch *b = s->own;
    const struct sw_grid *grid = &s->run[j].grid;
    double volume = 1;
    fields_measure(b->worker[thread].measure, s->desc.terms->dimensions, grid, field_of(s, j), out);
    for (int a = 0; a < s->desc.terms->dimensions; a++) volume *= grid->dx[a];
    out[SW_ENERGY] = s->desc.energy ? volume * energy_of(s, thread, j) : NAN;
}

static enum sw_status snapshot(struct sw_sim *sim, int slot, int what)
{
    const struct fields_batch *b = fields_sim_of(sim)->own;
    return sw_host_states_snapshot(sim, b->workers, slot, what, measure_run);
}

static const struct sw_state_ops states = {.initial = initial, .set = sw_host_states_set, .get = sw_host_states_get,
                                           .get_some = sw_host_states_get_some};
const struct sw_sim_ops fields_batch_operations = {
    .snapshot = snapshot, .fetch = sw_host_states_fetch, .diverged = sw_host_states_diverged, .states = &states,
    .records = &sw_host_states_records};

/* ------------------------------------------------------------------ steps */

struct advancing { const struct fields_sim *s; int64_t from, to; };

static struct fields_own own_of(const struct fields_sim *s, const struct fields_batch_worker *w, int j)
{
    const struct fields_batch *b = s->own;
    return (struct fields_own){.steps = &b->states.steps[j], .times = s->desc.times, .first_dt = s->run[j].first_dt,
                               .drive = b->drive + (size_t)j * fields_drive_numbers(&s->desc),
                               .limits = fields_limits_of(s, w->walk, j, w->constant)};
}

static double *take(const struct fields_walk *w, double *flat)
{
    return w->ops->take ? w->ops->take(w->own, flat) : flat;
}

static void advance_run(void *user, int thread, int j)
{
    const struct advancing *a = user;
    const struct fields_sim *s = a->s;
    struct sw_host_states *h = states_of(&s->sim);
    const int64_t from = fields_step(s, j, a->from), to = fields_step(s, j, a->to);
    if (from == to || sw_host_states_are_over(h, j, from)) return;  /* its pace has no step here */
    if (s->desc.own_steps && sw_own_steps_reached(&h->steps[j], s->desc.times, a->to)) return;
    struct fields_batch_worker *w = begin(s, thread, j);
    double *u = take(w->walk, field_of(s, j));
    int64_t bad = 0;
    if (s->desc.own_steps) {
        const struct fields_own own = own_of(s, w, j);
        fields_walk_own_steps(w->walk, &own, a->to, &u);
        if (own.steps->end) bad = sw_own_steps_tick(own.steps, s->desc.times);
    } else {
        bad = fields_walk_steps(w->walk, s->run[j].grid.dt, from, to, &u);
    }
    if (w->walk->ops->flatten) w->walk->ops->flatten(w->walk->own, u, field_of(s, j));
    if (bad || (s->desc.own_steps && h->steps[j].end)) sw_host_states_stop(h, j, bad);
}

enum sw_status fields_batch_advance(struct fields_sim *s, int64_t from, int64_t to)
{
    sw_host_each(((struct fields_batch *)s->own)->walkers, s->count, advance_run, &(struct advancing){s, from, to});
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
    const size_t points = fields_points(&s->desc);
    const int64_t step = fields_step(s, j, s->step);
    const double dt = s->run[j].grid.dt;
    double *u = field_of(s, j);
    if (states_of(&s->sim)->stopped[j]) return;
    struct fields_walk *walk = begin(s, thread, j)->walk;
    const double *f = walk->work.k[0];
    fields_walk_evaluate(walk, dt * (double)step, step, take(walk, u), walk->work.k[0]);
    if (walk->ops->flatten) {
        walk->ops->flatten(walk->own, f, walk->work.stage);
        f = walk->work.stage;
    }
    for (int v = 0; v < s->desc.terms->unknowns; v++) {
        double size, rate;
        const double range = range_of(points, u + (size_t)v * points, &size),
                     change = dt * range_of(points, f + (size_t)v * points, &rate);
        if (change > FIELDS_SEEN * size) l->change[j] = fmax(l->change[j], change / range);
    }
}

enum sw_status fields_batch_look_ahead(struct fields_sim *s, double *change)
{
    sw_host_each(((struct fields_batch *)s->own)->walkers, s->count, look_at_run, &(struct looking){s, change});
    return SW_OK;
}
