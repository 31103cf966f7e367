#include "problem/line/stepper/batch_cpu.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "field/dft.h"
#include "field/sum.h"
#include "problem/line/stepper/scalars_point.h"
#include "problem/line/stepper/own_steps_drive.h"

/* ------------------------------------------------------------------ the scalars of a line (scalars_point.h) */

struct sw_measure {
    int     n;
    bool    ends;
    int     circle;          /* points of the circle that the line is, or with its mirror image if it ends: 2 (n - 1) */
    struct sw_dft dft;       /* of the circle */
    double *re[2], *im[2];   /* [dft.length]: the spectrum, before and after a pass */
    double *first_derivative, *second_derivative;  /* [n] u_x, u_xx                                       */
    double *room;            /* [circle]                                            */
};

static int circle_of(int n, bool ends) { return ends ? 2 * (n - 1) : n; }

/* @param ends  lines end at their first and last point: these count half in sums, and the spectrum is that of the line
 *              and its mirror image, a circle of 2 (n - 1) points; n >= 4 then */
static enum sw_status create_measure(int n, bool ends, struct sw_owned *own, struct sw_measure **measure)
{
    struct sw_measure *m;
    sw_array(own, 1, measure);
    SW_TRY(own->status);
    m = *measure;
    m->n = n;
    m->ends = ends;
    m->circle = circle_of(n, ends);
    SW_TRY(sw_dft_create(m->circle, &m->dft));
    for (int k = 0; k < 2; k++) {
        sw_array(own, (size_t)m->dft.length, &m->re[k]);
        sw_array(own, (size_t)m->dft.length, &m->im[k]);
    }
    sw_array(own, (size_t)n, &m->first_derivative);
    sw_array(own, (size_t)m->circle, &m->room);
    sw_array(own, (size_t)n, &m->second_derivative);
    return own->status;
}

static size_t measure_bytes(int n, bool ends)
{
    const int circle = circle_of(n, ends);
    return (sw_dft_numbers(circle) + 4 * (size_t)sw_spectrum_length(circle) + 2 * (size_t)n + (size_t)circle) *
           sizeof(double);
}

/* At an end from the points inside. */
static void first_derivative_at_ends(const struct sw_measure *m, const double *u, double half, double *out)
{
    const int n = m->n;
    out[0] = m->ends ? sw_first_derivative_at_end(u[0], u[1], u[2], half)
                     : sw_first_derivative_at(u[n - 1], u[1], half);
    out[n - 1] = m->ends ? -sw_first_derivative_at_end(u[n - 1], u[n - 2], u[n - 3], half)
                         : sw_first_derivative_at(u[n - 2], u[0], half);
}

/* u_x by central differences, at ends by one-sided ones, for the energy's density: valid until the next call. */
static const double *first_derivative(struct sw_measure *m, const double *u, double dx)
{
    const double half = 0.5 / dx;
    for (int i = 1; i < m->n - 1; i++) m->first_derivative[i] = sw_first_derivative_at(u[i - 1], u[i + 1], half);
    first_derivative_at_ends(m, u, half, m->first_derivative);
    return m->first_derivative;
}

static void second_derivative_at_ends(const struct sw_measure *m, const double *u, double scale, double *out)
{
    const int n = m->n;
    out[0] = m->ends ? sw_second_derivative_at_end(u[0], u[1], u[2], u[3], scale)
                     : sw_second_derivative_at(u[n - 1], u[0], u[1], scale);
    out[n - 1] = m->ends ? sw_second_derivative_at_end(u[n - 1], u[n - 2], u[n - 3], u[n - 4], scale)
                         : sw_second_derivative_at(u[n - 2], u[n - 1], u[0], scale);
}

/* u_xx by second differences, likewise. */
static const double *second_derivative(struct sw_measure *m, const double *u, double dx)
{
    const double scale = 1.0 / (dx * dx);
    for (int i = 1; i < m->n - 1; i++)
        m->second_derivative[i] = sw_second_derivative_at(u[i - 1], u[i], u[i + 1], scale);
    second_derivative_at_ends(m, u, scale, m->second_derivative);
    return m->second_derivative;
}

/* The circle whose transform is taken. */
static const double *circle_with(struct sw_measure *m, const double *line)
{
    if (!m->ends) return line;
    for (int i = 0; i < m->circle; i++) m->room[i] = line[i < m->n ? i : m->circle - i];
    return m->room;
}

/* The sums that rows of the kind SPECTRUM are formed of. */
static void measure_spectrum(struct sw_measure *m, const double *line, double *power, double *moment)
{
    const int half = m->circle / 2, at = sw_dft_run(&m->dft, circle_with(m, line), m->re, m->im);
    const double *re = m->re[at] + 1, *im = m->im[at] + 1;  /* from wave number 1 on */
    for (int k = 0; k < half; k++) m->room[k] = re[k] * re[k] + im[k] * im[k];
    *power = sw_sum_lanes(m->room, half);
    for (int k = 0; k < half; k++) m->room[k] *= k + 1.0;
    *moment = sw_sum_lanes(m->room, half);
}

/* What becomes of a row of the table, by its kind. Terms are added to lanes as sw_sum_lanes() adds them; those at ends
 * count half (the trapezoidal rule). */
#define SUM_OVER_LINE(id, name, values, term)                                                 \
    {                                                                                         \
        double lane[SW_SUM_LANES] = {0};                                                      \
        for (int base = 0; base < n; base += SW_SUM_LANES) {                                  \
            const int width = n - base < SW_SUM_LANES ? n - base : SW_SUM_LANES;              \
            for (int l = 0; l < width; l++) {                                                 \
                const double name = (values)[base + l];                                       \
                lane[l] += (term);                                                            \
            }                                                                                 \
        }                                                                                     \
        totals[id] = sw_sum_of_lanes(lane);                                                   \
        for (int end = 0; m->ends && end < 2; end++) {                                        \
            const double name = (values)[end ? n - 1 : 0];                                    \
            totals[id] -= 0.5 * (term);                                                       \
        }                                                                                     \
    }
#define SUM_UP(id, name, unit, long_name, term, value) SUM_OVER_LINE(id, u, line, term)
#define SUM_UP_DENSITY(id, name, unit, long_name, term, value)                                \
    if (!densities) totals[id] = NAN;                                                         \
    else SUM_OVER_LINE(id, density, densities, term)
#define FIRST(id, name, unit, long_name, term, value) totals[id] = (term);
#define LESS(id, name, unit, long_name, term, value) if ((term) < totals[id]) totals[id] = (term);
#define GREATER(id, name, unit, long_name, term, value) if ((term) > totals[id]) totals[id] = (term);
#define REPORT(id, name, unit, long_name, term, value)                        \
    {                                                                         \
        const double total = totals[id];                                      \
        (void)total;                                                          \
        out[id] = (value);                                                    \
    }

/* @param n  of the circle */
static void report(int n, double dx, double noise, double power, double moment, const double totals[SW_LINE_SCALARS],
                   double out[SW_LINE_SCALARS])
{
    const double least = totals[SW_MIN], greatest = totals[SW_MAX];
    SW_LINE_SCALAR_TABLE(REPORT, REPORT, REPORT, REPORT, REPORT)
}

/* All scalars of a line, which is finite.
 * @param noise      sw_stepper_rounding() times sw_measure_noise_growth(): by this a constant field may vary
 * @param densities  [n] of the energy; NULL: it is reported as NaN */
static void measure_line(struct sw_measure *m, const double *line, double dx, double noise, const double *densities,
                     double out[SW_LINE_SCALARS])
{
    const int n = m->n;
    double totals[SW_LINE_SCALARS] = {0}, power, moment;
    {
        const double u = line[0];
        SW_LINE_SCALAR_TABLE(SW_LINE_NO_ROW, FIRST, FIRST, SW_LINE_NO_ROW, SW_LINE_NO_ROW)
    }
    for (int i = 1; i < n; i++) {
        const double u = line[i];
        SW_LINE_SCALAR_TABLE(SW_LINE_NO_ROW, LESS, GREATER, SW_LINE_NO_ROW, SW_LINE_NO_ROW)
    }
    SW_LINE_SCALAR_TABLE(SUM_UP, SW_LINE_NO_ROW, SW_LINE_NO_ROW, SUM_UP_DENSITY, SW_LINE_NO_ROW)
    measure_spectrum(m, line, &power, &moment);
    report(m->circle, dx, noise, power, moment, totals, out);
}

/* ------------------------------------------------------------------ create, destroy */

static enum sw_status create_worker(const struct sw_stepper_desc *d, struct sw_owned *own, struct sw_host_worker *w)
{
    size_t n = (size_t)d->n;
    for (int v = 0; v < sw_line_unknowns(&d->model); v++)
        if (d->model.initial[v]) SW_TRY(sw_eval_create(d->model.initial[v], d->n, &w->initial[v]));
    if (d->model.energy) SW_TRY(sw_eval_create(d->model.energy, d->n, &w->energy));
    sw_array(own, n, &w->x);
    sw_array(own, n, &w->term);
    return create_measure(d->n, sw_line_ended(&d->model), own, &w->measure);
}

static void destroy_worker(struct sw_host_worker *w)
{
    for (int v = 0; v < SW_UNKNOWNS_MOST; v++) sw_eval_destroy(&w->initial[v]);
    sw_eval_destroy(&w->energy);
    if (w->measure) sw_dft_destroy(&w->measure->dft);
}

static struct sw_host_states states_of(const struct sw_stepper_desc *d)
{
    return (struct sw_host_states){.capacity = (size_t)d->capacity, .unknowns = (size_t)sw_line_unknowns(&d->model),
                                   .points = (size_t)d->n, .single = d->single, .own_steps = d->own_steps};
}

enum sw_status sw_host_create(struct sw_stepper *s, struct sw_host_batch *h)
{
    const struct sw_stepper_desc *d = &s->desc;
    size_t room = (size_t)d->capacity;
    struct sw_owned *own = &s->arrays;
    h->workers = s->device->threads;
    h->states = states_of(d);
    sw_array(own, room, &h->place);
    sw_array(own, (size_t)h->workers, &h->worker);
    SW_TRY(own->status);
    for (int k = 0; k < h->workers; k++) SW_TRY(create_worker(d, own, &h->worker[k]));
    return sw_host_states_create(s->device, own, &h->states);
}

void sw_host_destroy(struct sw_host_batch *h)
{
    for (int k = 0; h->worker && k < h->workers; k++) destroy_worker(&h->worker[k]);
    sw_host_states_destroy(&h->states);
}

void sw_host_bytes(const struct sw_stepper_desc *desc, size_t *fixed, size_t *per_run)
{
    const size_t n = (size_t)desc->n;
    const struct sw_host_states states = states_of(desc);
    /* workers: x, a term, and the programs' values */
    *fixed = (size_t)omp_get_max_threads() *
             (measure_bytes(desc->n, sw_line_ended(&desc->model)) + 10 * n * sizeof(double));
    *per_run = sw_host_states_bytes(&states) +
               ((size_t)desc->model.nparam + sw_own_drive_numbers(desc)) * sizeof(double);
}

/* ------------------------------------------------------------------ the state */

double *sw_host_line(const struct sw_stepper *s, int j)
{
    const struct sw_host_batch *h = s->own;
    return sw_host_states_of(&h->states, j);
}

int sw_host_workers(const struct sw_stepper *s, int64_t passes, double ns)
{
    const struct sw_host_batch *h = s->own;
    return (double)s->count * (double)sw_stepper_line(&s->desc) * (double)passes * ns < 160000.0 ? 1 : h->workers;
}

void sw_host_fail(struct sw_stepper *s, int j, double t, double dt, int64_t number, int64_t step)
{
    struct sw_host_batch *h = s->own;
    struct sw_failure_place failed;
    sw_line_find_place(s, j, sw_host_line(s, j), t, dt, number, &failed);
    sw_host_states_stop(&h->states, j, step);
    h->place[j] = failed;
}

static bool place(const struct sw_sim *sim, int j, struct sw_failure_place *where)
{
    const struct sw_host_batch *h = sw_stepper_of(sim)->own;
    *where = h->place[j];
    return where->known;
}

void sw_host_load(struct sw_stepper *s, const char *const *load_error)
{
    struct sw_host_batch *h = s->own;
    for (int j = 0; j < s->count; j++) h->place[j].known = false;
    sw_host_states_load(&h->states, s->count, load_error);
}

void sw_host_begin_run(const struct sw_stepper *s, struct sw_host_worker *w, struct sw_eval *eval, int j)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = w->x};
    for (int i = 0; i < s->desc.n; i++) w->x[i] = s->run[j].x0 + i * s->run[j].dx;
    sw_eval_run(eval, s->param + j, s->count);
    sw_eval_cells(eval, s->desc.n, in);
}

static void initial_of_run(struct sw_stepper *s, struct sw_host_worker *w, int j)
{
    struct sw_host_batch *h = s->own;
    const double *in[SW_INPUTS] = {[SW_IN_X] = w->x};
    double *u = sw_host_line(s, j);
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++) {
        sw_host_begin_run(s, w, w->initial[v], j);
        sw_eval_step(w->initial[v], 0.0, 0);
        sw_eval_points(w->initial[v], s->desc.n, in, u + v * s->desc.n);
    }
    h->place[j].known = false;
    sw_host_states_begin(&h->states, j, 0);
}

static enum sw_status initial(struct sw_sim *sim)
{
    struct sw_stepper *s = sw_stepper_of(sim);
    struct sw_host_batch *h = s->own;
    sw_stepper_restart(s);
#pragma omp parallel for schedule(dynamic) num_threads(sw_host_workers(s, 1, 10.0))
    for (int j = 0; j < s->count; j++)
        if (h->states.sound[j]) initial_of_run(s, &h->worker[omp_get_thread_num()], j);
    return SW_OK;
}

static enum sw_status set_state(struct sw_sim *sim, const double *u)
{
    struct sw_stepper *s = sw_stepper_of(sim);
    struct sw_host_batch *h = s->own;
    sw_stepper_restart(s);
    for (int j = 0; j < s->count; j++) h->place[j].known = false;
    return sw_host_states_set(sim, u);
}

/* ------------------------------------------------------------------ steps of a run's own */

double sw_line_largest(int n, const double *u)
{
    double largest = 0;
    for (int c = 0; c < n; c++) largest = sw_own_steps_worse(largest, fabs(u[c]));
    return largest;
}

void sw_own_run_begin(const struct sw_stepper *s, int j, const double *size, struct sw_own_run *run)
{
    const struct sw_host_batch *h = s->own;
    const size_t unknowns = (size_t)sw_line_unknowns(&s->desc.model);
    run->steps = &h->states.steps[j];
    run->limits = sw_stepper_limits(s, &s->run[j]);
    run->drive = s->drive + (size_t)j * (size_t)sw_own_drive_windows(&s->desc) * unknowns;
    memcpy(run->size, size, unknowns * sizeof *size);
}

void sw_own_run_first(const struct sw_stepper *s, int j, const double *rate, struct sw_own_run *run)
{
    sw_own_steps_first(run->steps, sw_line_unknowns(&s->desc.model), run->size, rate, s->desc.times[1],
                       s->run[j].first_dt, &run->limits);
}

void sw_own_run_aim(const struct sw_stepper *s, struct sw_own_run *run)
{
    const int64_t at = (int64_t)run->steps->goal;
    if (run->steps->left == 0) sw_own_steps_next(run->steps, s->desc.times[at + 1] - s->desc.times[at]);
}

bool sw_own_run_control(const struct sw_stepper *s, const double *error, const double *size, struct sw_own_run *run)
{
    return sw_own_steps_judge(run->steps, sw_line_unknowns(&s->desc.model), error, size, run->size, run->drive,
                              &run->limits, s->desc.times);
}

/* ------------------------------------------------------------------ snapshots */

static const double *energy_density(const struct sw_stepper *s, struct sw_host_worker *w, int j)
{
    const double *u = sw_host_line(s, j), dx = s->run[j].dx;
    const double *in[SW_INPUTS] = {[SW_IN_X] = w->x, [SW_IN_U] = u,
                                   [SW_IN_UX] = first_derivative(w->measure, u, dx)};
    if (sw_program_uses(s->desc.model.energy, "uxx"))
        in[SW_IN_UXX] = second_derivative(w->measure, u, dx);
    sw_host_begin_run(s, w, w->energy, j);
    sw_eval_points(w->energy, s->desc.n, in, w->term);
    return w->term;
}

/* sw_host_measure */
static void measure_run(void *user, int thread, int j, double *out)
{
    const struct sw_stepper *s = user;
    const struct sw_host_batch *h = s->own;
    struct sw_host_worker *w = &h->worker[thread];
    const struct sw_line_run *r = &s->run[j];
    const struct sw_own_steps *own = h->states.steps ? &h->states.steps[j] : NULL;
    struct sw_line_operator a = own ? sw_line_operator_of(&r->a[0], own->largest) : r->a[0];
    a = sw_line_matrix_of(&a, &s->desc.model.mass[0]);
    const double noise = sw_stepper_rounding(s->name, &a, s->desc.single_steps) *
                         sw_measure_noise_growth(own ? own->taken : (double)sw_stepper_step(s, j, s->step));
    measure_line(w->measure, sw_host_line(s, j), r->dx, noise, w->energy ? energy_density(s, w, j) : NULL, out);
}

static enum sw_status snapshot(struct sw_sim *sim, int slot, int what)
{
    struct sw_stepper *s = sw_stepper_of(sim);
    return sw_host_states_snapshot(sim, sw_host_workers(s, 4, 10.0), slot, what, measure_run);
}

static const struct sw_state_ops states = {.initial = initial, .set = set_state, .get = sw_host_states_get,
                                           .get_some = sw_host_states_get_some};
const struct sw_sim_ops sw_host_operations = {
    .snapshot = snapshot, .fetch = sw_host_states_fetch, .diverged = sw_host_states_diverged, .place = place,
    .states = &states, .records = &sw_host_states_records};
