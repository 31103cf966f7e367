#include "problem/line/own_steps_drive.h"

#include <math.h>
#include <omp.h>

#include "base/sw_mem.h"
#include "problem/line/imex.h"
#include "problem/line/sw_stepper_impl.h"

/* Times side by side, far from each other, and the points at which each is looked at, the same in all rounds. */
enum { LANES = 64, ROUNDS = SW_DRIVE_TIMES / LANES, PLACES = 4, SAMPLES = PLACES * LANES };

struct worker {                       /* of a thread */
    struct sw_eval *initial[SW_UNKNOWNS_MOST], *force[SW_UNKNOWNS_MOST], *end[2][SW_UNKNOWNS_MOST][2];
    double *param;                    /* [nparam][LANES], all lanes alike */
    double *u;                        /* [SW_INPUTS][SAMPLES]: x and the unknowns, with their neighbours, at t = 0 */
    double *first, *now;              /* [SAMPLES] values of a force at t = 0 and later */
};

static double last_time(const struct sw_stepper_desc *d) { return d->times[d->goals]; }

static bool depends_on_time(const struct sw_program *program) { return program && sw_program_uses(program, "t"); }

static const struct sw_program *condition(const struct sw_stepper_desc *d, int side, int v, int k)
{
    const struct sw_line_end *end = &d->model.end[side][v];
    return k ? end->second : end->first;
}

/* ------------------------------------------------------------------ create, destroy */

static enum sw_status create_eval(const struct sw_program *program, int points, struct sw_eval **eval)
{
    return program ? sw_eval_create_lanes(program, points, LANES, eval) : SW_OK;
}

static enum sw_status create_worker(const struct sw_stepper_desc *d, struct worker *w)
{
    for (int v = 0; v < sw_line_unknowns(&d->model); v++) {
        SW_TRY(create_eval(d->model.initial[v], PLACES, &w->initial[v]));
        SW_TRY(create_eval(d->model.s[v], PLACES, &w->force[v]));
        for (int c = 0; c < 4; c++) SW_TRY(create_eval(condition(d, c / 2, v, c % 2), 1, &w->end[c / 2][v][c % 2]));
    }
    SW_TRY(sw_alloc((size_t)d->model.nparam * LANES + 1, &w->param));
    SW_TRY(sw_alloc((size_t)SW_INPUTS * SAMPLES, &w->u));
    SW_TRY(sw_alloc(SAMPLES, &w->first));
    return sw_alloc(SAMPLES, &w->now);
}

static void destroy_worker(struct worker *w)
{
    for (int v = 0; v < SW_UNKNOWNS_MOST; v++) {
        sw_eval_destroy(&w->initial[v]);
        sw_eval_destroy(&w->force[v]);
        for (int c = 0; c < 4; c++) sw_eval_destroy(&w->end[c / 2][v][c % 2]);
    }
    sw_free(w->param);
    sw_free(w->u);
    sw_free(w->first);
    sw_free(w->now);
}

/* ------------------------------------------------------------------ a run */

static void begin_times(const struct sw_stepper_desc *d, struct sw_eval *eval, int round)
{
    double t[LANES];
    for (int l = 0; l < LANES; l++) t[l] = last_time(d) * (l * ROUNDS + round) / (SW_DRIVE_TIMES - 1);
    sw_eval_step_lanes(eval, t, 0);
}

static void begin_first_time(struct sw_eval *eval)
{
    const double t[LANES] = {0};
    sw_eval_step_lanes(eval, t, 0);
}

/* Where a lane looks: quasi-random in a quarter of the line each, so that times beside each other see others. */
static void set_places(const struct sw_stepper *s, int j, struct worker *w, int offset)
{
    const struct sw_line_run *r = &s->run[j];
    for (int k = 0; k < SAMPLES; k++) {
        const double part = (k / LANES + fmod(0.6180339887498949 * (k % LANES), 1.0)) / PLACES;
        w->u[SW_IN_X * SAMPLES + k] = r->x0 + (floor(part * s->desc.n) + offset) * r->dx;
    }
}

static bool any_force_sees(const struct sw_stepper_desc *d, enum sw_input slot)
{
    for (int v = 0; v < sw_line_unknowns(&d->model); v++)
        if (d->model.s[v] && sw_program_uses_input(d->model.s[v], slot)) return true;
    return false;
}

/* x and the unknowns. @param size  out [unknowns]: the largest |u| */
static void set_state(const struct sw_stepper *s, int j, struct worker *w, double *size)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = w->u + SW_IN_X * SAMPLES};
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++) {
        const double *u = w->u + sw_input_at(v, 0) * SAMPLES;
        size[v] = 0.0;
        for (int o = -SW_REACH; w->initial[v] && o <= SW_REACH; o++) {
            if (o != 0 && !any_force_sees(&s->desc, sw_input_at(v, o))) continue;
            set_places(s, j, w, o);
            sw_eval_run(w->initial[v], w->param, LANES);
            sw_eval_cells(w->initial[v], PLACES, in);
            begin_first_time(w->initial[v]);
            sw_eval_points(w->initial[v], PLACES, in, w->u + sw_input_at(v, o) * SAMPLES);
        }
        for (int k = 0; k < SAMPLES; k++)
            if (fabs(u[k]) > size[v]) size[v] = fabs(u[k]);
    }
    set_places(s, j, w, 0);
}

/* The sum over the lanes of the largest |now - first|; where it is no number, a force counts as none.
 * @param most  in and out: the largest of all */
static double sum_of_largest(const double *now, const double *first, double *most)
{
    double sum = 0.0;
    for (int l = 0; l < LANES; l++) {
        double largest = 0.0;
        for (int p = 0; p < PLACES; p++) {
            const double x = fabs(now[p * LANES + l] - (first ? first[p * LANES + l] : 0.0));
            if (isfinite(x)) largest = fmax(largest, x);
        }
        sum += largest;
        *most = fmax(*most, largest);
    }
    return sum;
}

/* What a force brings, whose largest values have such a mean and such a maximum: without decay, or against the decay
 * of a mean value, a0 u, that is implicit. */
static double bring(const struct sw_stepper *s, int j, int v, double mean, double most)
{
    const double decay = s->run[j].a[v].s0 / sw_imex_of(s->desc.model.scheme)->gamma;
    return fmin(1e-4 * last_time(&s->desc) * mean, decay > 0.0 ? 0.1 * most / decay : INFINITY);
}

/* By the mean over times. The first round decides whether the others are worth their work: of a force that brings
 * little in comparison with what is there nothing depends on it. */
static double force_of(const struct sw_stepper *s, int j, struct worker *w, int v, double size)
{
    const double *in[SW_INPUTS];
    const bool moves = depends_on_time(s->desc.model.s[v]);
    double sum = 0.0, most = 0.0;
    if (!w->force[v] || (!moves && size > 0.0)) return 0.0;
    for (int k = 0; k < SW_INPUTS; k++) in[k] = w->u + k * SAMPLES;
    sw_eval_run(w->force[v], w->param, LANES);
    sw_eval_cells(w->force[v], PLACES, in);
    begin_first_time(w->force[v]);
    sw_eval_points(w->force[v], PLACES, in, w->first);
    if (!moves) {
        sum = sum_of_largest(w->first, NULL, &most);
        return bring(s, j, v, sum / LANES, most);
    }
    for (int round = 0; round < ROUNDS; round++) {
        begin_times(&s->desc, w->force[v], round);
        sw_eval_points(w->force[v], PLACES, in, w->now);
        sum += sum_of_largest(w->now, size > 0.0 ? w->first : NULL, &most);
        if (round == 0 && bring(s, j, v, sum / LANES, most) < 0.01 * size) return 0.0;
    }
    return bring(s, j, v, sum / SW_DRIVE_TIMES, most);
}

static double largest_at_end(const struct sw_stepper *s, struct worker *w, int side, int v, int k)
{
    const double *in[SW_INPUTS] = {NULL};
    struct sw_eval *eval = w->end[side][v][k];
    double largest = 0.0, value[LANES];
    if (!eval) return 0.0;
    sw_eval_run(eval, w->param, LANES);
    for (int round = 0; round < (depends_on_time(condition(&s->desc, side, v, k)) ? ROUNDS : 1); round++) {
        begin_times(&s->desc, eval, round);
        sw_eval_points(eval, 1, in, value);
        for (int l = 0; l < LANES; l++)
            if (isfinite(value[l])) largest = fmax(largest, fabs(value[l]));
    }
    return largest;
}

static double ends_of(const struct sw_stepper *s, int j, struct worker *w, int v)
{
    const double layer = 0.1 * sqrt(s->desc.n - 1.0) * s->run[j].dx;
    double brought = 0.0;
    for (int side = 0; side < 2 && sw_line_ended(&s->desc.model); side++)
        for (int k = 0; k < 2; k++) {
            const int derivative = 2 * k + (s->desc.model.end[side][v].kind == SW_END_SLOPE);
            brought = fmax(brought, 0.1 * pow(layer, derivative) * largest_at_end(s, w, side, v, k));
        }
    return brought;
}

static void look_at(const struct sw_stepper *s, int j, struct worker *w)
{
    double size[SW_UNKNOWNS_MOST];
    bool forced = false;
    for (int k = 0; k < s->desc.model.nparam; k++)
        for (int l = 0; l < LANES; l++) w->param[k * LANES + l] = s->param[(size_t)k * (size_t)s->count + (size_t)j];
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++) forced |= w->force[v] != NULL;
    if (forced) set_state(s, j, w, size);
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++)
        s->run[j].drive[v] = fmax(ends_of(s, j, w, v), forced ? force_of(s, j, w, v, size[v]) : 0.0);
}

/* ------------------------------------------------------------------ a batch */

enum sw_status sw_own_drive_load(struct sw_stepper *s)
{
    enum sw_status st = SW_OK;
    struct worker *worker;
    const int threads = s->count > 64 ? s->device->threads : 1;
    if (!s->desc.times) return SW_OK;
    SW_TRY(sw_alloc((size_t)threads, &worker));
    for (int k = 0; k < threads && !st; k++) st = create_worker(&s->desc, &worker[k]);
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
    for (int j = 0; j < s->count; j++)
        if (!st) look_at(s, j, &worker[omp_get_thread_num()]);
    for (int k = 0; k < threads; k++) destroy_worker(&worker[k]);
    sw_free(worker);
    return st;
}

double sw_own_drive_careful(const struct sw_stepper_desc *d)
{
    bool driven = false;
    if (!d->times) return 0.0;
    for (int v = 0; v < sw_line_unknowns(&d->model); v++) {
        driven |= depends_on_time(d->model.s[v]);
        for (int c = 0; c < 4; c++) driven |= depends_on_time(condition(d, c / 2, v, c % 2));
    }
    return driven ? last_time(d) / SW_DRIVE_TIMES : last_time(d);
}
