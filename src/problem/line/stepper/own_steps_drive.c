#include "problem/line/stepper/own_steps_drive.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/sw_mem.h"
#include "problem/line/stepper/drive_forces.h"
#include "problem/line/stepper/imex.h"
#include "problem/line/stepper/own_steps_point.h"
#include "problem/line/stepper/sw_stepper_impl.h"

enum { LANES = SW_DRIVE_LANES, ROUNDS = SW_DRIVE_ROUNDS, PLACES = SW_DRIVE_PLACES, SAMPLES = SW_DRIVE_SAMPLES };

struct worker {                       /* of a thread */
    const struct sw_drive_windows *windows;
    struct sw_eval *initial[SW_UNKNOWNS_MOST], *force[SW_UNKNOWNS_MOST], *end[2][SW_UNKNOWNS_MOST][2];
    double *param;                    /* [nparam][LANES], all lanes alike */
    double *place;                    /* [SAMPLES] number of a point, the same in all runs */
    double *u;                        /* [SW_INPUTS][SAMPLES]: x and the unknowns, with their neighbours, at t = 0 */
    double *first, *now;              /* [SAMPLES] values of a force at t = 0 and later */
};

static double last_time(const struct sw_stepper_desc *d) { return d->times[d->goals]; }

static bool depends_on_time(const struct sw_program *program) { return program && sw_program_uses(program, "t"); }

bool sw_own_steep(const struct sw_program *program) { return program && !sw_program_gentle_in(program, "t"); }

bool sw_own_sees_unknown(const struct sw_program *program)
{
    for (int slot = SW_IN_X + 1; program && slot < SW_INPUTS; slot++)
        if (sw_program_uses_input(program, slot)) return true;
    return false;
}

static const struct sw_program *condition(const struct sw_stepper_desc *d, int side, int v, int k)
{
    const struct sw_line_end *end = &d->model.end[side][v];
    return k ? end->second : end->first;
}

/* ------------------------------------------------------------------ windows */

int sw_own_drive_windows(const struct sw_stepper_desc *d)
{
    return d->own_steps ? sw_drive_count(d->goals, d->times) : 0;
}

size_t sw_own_drive_numbers(const struct sw_stepper_desc *d)
{
    return (size_t)sw_own_drive_windows(d) * (size_t)sw_line_unknowns(&d->model);
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
        SW_TRY(create_eval(d->model.explicit_term[v], PLACES, &w->force[v]));
        for (int c = 0; c < 4; c++) SW_TRY(create_eval(condition(d, c / 2, v, c % 2), 1, &w->end[c / 2][v][c % 2]));
    }
    SW_TRY(sw_alloc((size_t)d->model.nparam * LANES + 1, &w->param));
    SW_TRY(sw_alloc(SAMPLES, &w->place));
    for (int k = 0; k < SAMPLES; k++) w->place[k] = floor(sw_drive_place(k) * d->n);
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
    sw_free(w->place);
    sw_free(w->u);
    sw_free(w->first);
    sw_free(w->now);
}

/* ------------------------------------------------------------------ a run */

static void set_places(const struct sw_stepper *s, int j, struct worker *w, int offset)
{
    const double x0 = s->run[j].x0, dx = s->run[j].dx;
    double *x = w->u + SW_IN_X * SAMPLES;
    for (int k = 0; k < SAMPLES; k++) x[k] = x0 + (w->place[k] + offset) * dx;
}

static bool any_force_sees(const struct sw_stepper_desc *d, enum sw_input slot)
{
    for (int v = 0; v < sw_line_unknowns(&d->model); v++)
        if (d->model.explicit_term[v] && sw_program_uses_input(d->model.explicit_term[v], slot)) return true;
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
            sw_drive_begin_first_time(w->initial[v]);
            sw_eval_points(w->initial[v], PLACES, in, w->u + sw_input_at(v, o) * SAMPLES);
        }
        for (int k = 0; k < SAMPLES; k++)
            if (fabs(u[k]) > size[v]) size[v] = fabs(u[k]);
    }
    set_places(s, j, w, 0);
}

/* An initial value that no program gives is not known here: a force that has acted before is then none that comes. */
static void add_force(const struct sw_stepper *s, int j, struct worker *w, int v, double size, double *drive)
{
    const double *in[SW_INPUTS];
    const bool moves = depends_on_time(s->desc.model.explicit_term[v]);
    if (!w->force[v] || (!moves && (size > 0.0 || !s->desc.model.initial[v]))) return;
    for (int k = 0; k < SW_INPUTS; k++) in[k] = w->u + k * SAMPLES;
    const struct sw_drive_force force = {
        .eval = w->force[v], .in = in, .first = w->first, .now = w->now, .size = size,
        .from_zero = size == 0.0 && s->desc.model.initial[v], .last = last_time(&s->desc),
        .decay = s->run[j].a[v].s0 / sw_imex_of(s->desc.model.scheme)->gamma,
        .unknowns = sw_line_unknowns(&s->desc.model), .v = v};
    sw_eval_run(w->force[v], w->param, LANES);
    sw_eval_cells(w->force[v], PLACES, in);
    (moves ? sw_drive_add_moving : sw_drive_add_steady)(w->windows, &force, drive);
}

static void add_end(const struct sw_stepper *s, struct worker *w, int side, int v, int k, double factor, double *drive)
{
    const double *in[SW_INPUTS] = {NULL};
    const int unknowns = sw_line_unknowns(&s->desc.model);
    struct sw_eval *eval = w->end[side][v][k];
    double value[LANES];
    if (!eval) return;
    const bool moves = depends_on_time(condition(&s->desc, side, v, k));
    sw_eval_run(eval, w->param, LANES);
    for (int round = 0; round < ROUNDS; round++) {
        if (moves || round == 0) sw_drive_begin_times(w->windows, eval, round);
        if (moves || round == 0) sw_eval_points(eval, 1, in, value);
        for (int l = 0; l < LANES; l++) {
            const int window = sw_drive_window_of(w->windows, l * ROUNDS + round);
            if (window < 0 || !isfinite(value[l])) continue;
            double *at = drive + window * unknowns + v;
            *at = fmax(*at, factor * fabs(value[l]));
        }
    }
}

static void add_ends(const struct sw_stepper *s, int j, struct worker *w, int v, double *drive)
{
    const double layer = 0.1 * sqrt(s->desc.n - 1.0) * s->run[j].dx;
    for (int side = 0; side < 2 && sw_line_ended(&s->desc.model); side++)
        for (int k = 0; k < 2; k++) {
            const int derivative = 2 * k + (s->desc.model.end[side][v].kind == SW_END_SLOPE);
            add_end(s, w, side, v, k, 0.1 * pow(layer, derivative), drive);
        }
}

static void look_at_run(const struct sw_stepper *s, int j, struct worker *w)
{
    const size_t numbers = sw_own_drive_numbers(&s->desc);
    double size[SW_UNKNOWNS_MOST], *drive = s->drive + (size_t)j * numbers;
    bool forced = false;
    for (int k = 0; k < s->desc.model.nparam; k++)
        for (int l = 0; l < LANES; l++) w->param[k * LANES + l] = s->param[(size_t)k * (size_t)s->count + (size_t)j];
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++) forced |= w->force[v] != NULL;
    if (forced) set_state(s, j, w, size);
    memset(drive, 0, numbers * sizeof *drive);
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++) {
        add_ends(s, j, w, v, drive);
        if (forced) add_force(s, j, w, v, size[v], drive);
    }
}

/* ------------------------------------------------------------------ a batch */

enum sw_status sw_own_drive_load(struct sw_stepper *s)
{
    enum sw_status st = SW_OK;
    struct worker *worker;
    struct sw_drive_windows windows = {0};
    const int threads = s->count > 64 ? s->device->threads : 1;
    if (!s->desc.times) return SW_OK;
    SW_TRY(sw_alloc((size_t)threads, &worker));
    sw_drive_set_windows(s->desc.goals, s->desc.times, &windows);
    for (int k = 0; k < threads && !st; k++) {
        worker[k].windows = &windows;
        st = create_worker(&s->desc, &worker[k]);
    }
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
    for (int j = 0; j < s->count; j++)
        if (!st) look_at_run(s, j, &worker[omp_get_thread_num()]);
    for (int k = 0; k < threads; k++) destroy_worker(&worker[k]);
    sw_free(worker);
    return st;
}

double sw_own_drive_quiet(const struct sw_stepper_desc *d)
{
    bool grows = false;
    for (int v = 0; v < sw_line_unknowns(&d->model); v++)
        grows |= sw_own_sees_unknown(d->model.g[v]) || sw_own_sees_unknown(d->model.explicit_term[v]);
    return grows && d->times ? last_time(d) / SW_DRIVE_QUIET : INFINITY;
}

double sw_own_drive_careful(const struct sw_stepper_desc *d)
{
    bool driven = isfinite(sw_own_drive_quiet(d));
    if (!d->times) return 0.0;
    for (int v = 0; v < sw_line_unknowns(&d->model); v++) {
        driven |= depends_on_time(d->model.explicit_term[v]);
        for (int c = 0; c < 4; c++) driven |= depends_on_time(condition(d, c / 2, v, c % 2));
    }
    return driven ? last_time(d) / SW_DRIVE_TIMES : last_time(d);
}
