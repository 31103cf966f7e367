/* Each lane of a group has a run with a t, a dt and matrices of its own, and all lanes take a step together. A lane
 * whose step is refused keeps its state, and one whose run is where the call shall take it gets another run: nothing of
 * a run depends on what other lanes hold. A new run is a new x and new values of cells, which are made for all lanes at
 * once: a quarter of the lanes wait for each other with that. */
#include "problem/line/simd/simd_group.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "problem/line/stepper/fourth_order.h"
#include "problem/line/plain/stencil_cpu.h"

enum sw_status sw_simd_create_own(const struct sw_stepper_desc *d, struct sw_simd_worker *w)
{
    return sw_alloc(3 * (size_t)d->n + 4 * SW_REACH, &w->line);
}

/* ------------------------------------------------------------------ the queue */

static int by_steps(const void *a, const void *b)
{
    const struct sw_simd_queued *x = a, *y = b;
    if (x->steps != y->steps) return x->steps < y->steps ? 1 : -1;
    return x->run < y->run ? -1 : 1;
}

int sw_simd_queue_own(struct sw_stepper *s, int64_t to)
{
    struct sw_simd *p = s->own;
    const double *times = s->desc.times;
    int queued = 0;
    for (int j = 0; j < s->count; j++) {
        const struct sw_own_steps *steps = &p->batch.steps[j];
        if (p->batch.stopped[j] || sw_own_steps_reached(steps, times, to)) continue;
        p->queue[queued++] = (struct sw_simd_queued){sw_own_steps_expected(steps, times, to), j};
    }
    qsort(p->queue, (size_t)queued, sizeof *p->queue, by_steps);
    return queued;
}

/* ------------------------------------------------------------------ lanes and their runs */

/* What is at hand: the runs of a group's lanes. */
struct own {
    struct sw_stepper     *s;
    struct sw_simd_worker *w;
    struct sw_simd_group  *g;
    int64_t                to;
    int                    lanes;
    bool                   drained;              /* the queue is empty     */
    bool                   live[SW_LANES_MOST];  /* has a run that goes on */
    struct sw_own_run      run[SW_LANES_MOST];
};

/* A lane of an unknown in w->u. */
static double *lane_of(const struct own *o, int v, int lane)
{
    return (double *)sw_simd_state(o->s, o->w->u, v) + lane;
}

static void load_lane(const struct own *o, int lane)
{
    const int n = o->s->desc.n;
    for (int v = 0; v < sw_line_unknowns(&o->s->desc.model); v++) {
        const double *from = sw_host_line(o->s, o->g->run[lane]) + v * n;
        double *to = lane_of(o, v, lane);
        for (int i = 0; i < n; i++) to[i * o->lanes] = from[i];
    }
}

static void store_lane(const struct own *o, int lane)
{
    const int n = o->s->desc.n;
    for (int v = 0; v < sw_line_unknowns(&o->s->desc.model); v++) {
        double *to = sw_host_line(o->s, o->g->run[lane]) + v * n;
        const double *from = lane_of(o, v, lane);
        for (int i = 0; i < n; i++) to[i] = from[i * o->lanes];
    }
}

/* A lane of w->u into w->next. */
static void keep_lane(const struct own *o, int lane)
{
    const int n = o->s->desc.n;
    for (int v = 0; v < sw_line_unknowns(&o->s->desc.model); v++) {
        const double *from = lane_of(o, v, lane);
        double *to = (double *)sw_simd_state(o->s, o->w->next, v) + lane;
        for (int i = 0; i < n; i++) to[i * o->lanes] = from[i * o->lanes];
    }
}

static void begin_lane(struct own *o, int lane, int j)
{
    double size[SW_UNKNOWNS_MOST];
    const int n = o->s->desc.n;
    for (int v = 0; v < sw_line_unknowns(&o->s->desc.model); v++)
        size[v] = sw_line_largest(n, sw_host_line(o->s, j) + v * n);
    o->g->run[lane] = j;
    o->g->dt[lane] = 0;  /* it has no matrices yet */
    o->live[lane] = true;
    sw_own_run_begin(o->s, j, size, &o->run[lane]);
    load_lane(o, lane);
}

/* ------------------------------------------------------------------ the first dt of a run */

/* Every lanes-th of so many numbers, from one on. */
static void copy_lane(int lanes, int count, const double *from, double *to)
{
    for (int i = 0; i < count; i++) to[i] = from[i * lanes];
}

/* The largest |P u_t| at t = 0 of each unknown, from the values in w->stage[0]. */
static void rates_of(const struct own *o, int lane, double rate[SW_UNKNOWNS_MOST])
{
    const struct sw_line_run *run = &o->s->run[o->g->run[lane]];
    const struct sw_simd_stage *at = &o->w->stage[0];
    const int n = o->s->desc.n;
    const double gamma = sw_imex_of(o->s->desc.model.scheme)->gamma;
    double *u = o->w->line + SW_REACH, *g = u + n + 2 * SW_REACH, *f = g + n + SW_REACH;
    for (int v = 0; v < sw_line_unknowns(&o->s->desc.model); v++) {
        const struct sw_line_mass *p = &o->s->desc.model.mass[v];
        copy_lane(o->lanes, n + 2 * SW_REACH, lane_of(o, v, lane) - SW_REACH * o->lanes, u - SW_REACH);
        memset(f, 0, (size_t)n * sizeof *f);
        sw_line_add_operator(&run->a[v], n, 1.0 / gamma, u, f);
        if (at->g[v]) {
            copy_lane(o->lanes, n + 2, (const double *)at->g[v] + lane, g - 1);
            if (!o->w->ends) sw_line_pad(&(struct sw_line_ends){0}, n, g);
            sw_line_add_second_difference(run, sw_line_mass_of_g(p), n, g, f);
        }
        if (at->s[v]) copy_lane(o->lanes, n, (const double *)at->s[v] + lane, g);
        if (at->s[v] && sw_line_has_mass(p)) sw_line_multiply_mass(p, n, u - SW_REACH, g);
        for (int i = 0; at->s[v] && i < n; i++) f[i] += g[i];
        rate[v] = sw_line_largest(n, f);
    }
}

/* All lanes' values at t = 0 are made for those that begin; times of steps are set anew after it. */
static void choose_first_steps(struct own *o)
{
    double rate[SW_UNKNOWNS_MOST];
    bool any = false;
    for (int l = 0; l < o->lanes; l++) any |= o->live[l] && o->run[l].steps->goal == 0;
    if (!any) return;
    for (int l = 0; l < o->lanes; l++) o->g->t[l] = 0;
    if (o->w->ends) sw_simd_ends_at(o->s, o->g, 0, 0, o->w->ends);
    sw_simd_close(o->s, o->g, o->w->ends, o->w->u);
    sw_simd_begin_step(o->s, o->g, 0, 0);
    sw_simd_values(o->s, o->w, o->g, o->w->u, &o->w->stage[0], NULL);
    for (int l = 0; l < o->lanes; l++) {
        if (!o->live[l] || o->run[l].steps->goal > 0) continue;
        rates_of(o, l, rate);
        sw_own_run_first(o->s, o->g->run[l], rate, &o->run[l]);
    }
}

/* ------------------------------------------------------------------ steps */

/* Fill lanes that have no run, where there are enough of them. */
static bool fill_lanes(struct own *o, int queued, int *next)
{
    const struct sw_simd *p = o->s->own;
    int idle = 0, begun = 0;
    for (int l = 0; l < o->lanes; l++) idle += !o->live[l];
    for (int l = 0; !o->drained && 4 * idle >= o->lanes && l < o->lanes; l++) {
        int at;
        if (o->live[l]) continue;
#pragma omp atomic capture
        at = (*next)++;
        o->drained = at >= queued;
        if (o->drained) break;
        begin_lane(o, l, p->queue[at].run);
        begun++;
    }
    if (begun == 0) return idle < o->lanes;
    sw_simd_begin_batch(o->s, o->w, o->g);
    choose_first_steps(o);
    return true;
}

/* The matrices of a lane's step. One that cannot be factored gives no numbers, and the step is refused. */
static void factor_lane(struct own *o, int lane, double dt)
{
    const struct sw_line_run *run = &o->s->run[o->g->run[lane]];
    for (int v = 0; v < sw_line_unknowns(&o->s->desc.model); v++) {
        const struct sw_line_end *left = &o->s->desc.model.end[0][v], *right = &o->s->desc.model.end[1][v];
        const struct sw_line_matrix matrix = {.a = sw_line_operator_of(&run->a[v], dt),
                                              .mass = o->s->desc.model.mass[v],
                                              .ends = {left->kind, right->kind}};
        struct sw_lanes_line line;
        if (sw_simd_line(o->s, &matrix, &line)) sw_simd_set_lane(o->s, o->g, v, lane, &line, dt, run->dx);
        else o->g->lanes[v].scale[lane] = NAN;
    }
    o->g->dt[lane] = dt;
}

static void begin_steps(struct own *o)
{
    const struct sw_simd *p = o->s->own;
    bool other = false;
    for (int l = 0; l < o->lanes; l++) {
        if (!o->live[l]) continue;
        sw_own_run_aim(o->s, &o->run[l]);
        o->g->t[l] = sw_own_steps_time(o->run[l].steps, o->s->desc.times);
        if (o->g->dt[l] == o->run[l].steps->dt) continue;
        factor_lane(o, l, o->run[l].steps->dt);
        other = true;
    }
    for (int v = 0; other && v < sw_line_unknowns(&o->s->desc.model); v++) {
        sw_lanes_count_points(&o->g->lanes[v], o->s->desc.n, o->lanes);
        p->ops->begin(&o->g->lanes[v], o->s->desc.n, &o->w->lanes[v], false);
    }
}

/* Go on from w->next with what is taken. */
static void control_steps(struct own *o)
{
    double largest[SW_UNKNOWNS_MOST][2][SW_LANES_MOST];
    sw_simd_step_errors(o->s, o->w, o->g, o->w->u, o->w->next, largest);
    for (int l = 0; l < o->lanes; l++) {
        double error[SW_UNKNOWNS_MOST], size[SW_UNKNOWNS_MOST];
        if (!o->live[l]) continue;
        for (int v = 0; v < sw_line_unknowns(&o->s->desc.model); v++)
            error[v] = largest[v][0][l], size[v] = largest[v][1][l];
        if (!sw_own_run_control(o->s, error, size, &o->run[l])) keep_lane(o, l);
    }
    void *u = o->w->u;
    o->w->u = o->w->next;
    o->w->next = u;
}

static void end_lanes(struct own *o)
{
    for (int l = 0; l < o->lanes; l++) {
        const struct sw_own_steps *steps = o->run[l].steps;
        if (!o->live[l] || (!steps->end && !sw_own_steps_reached(steps, o->s->desc.times, o->to))) continue;
        const double *times = o->s->desc.times;
        store_lane(o, l);
        if (steps->end)
            sw_host_fail(o->s, o->g->run[l], sw_own_steps_time(steps, times), steps->dt, 0,
                         sw_own_steps_tick(steps, times));
        o->live[l] = false;
    }
}

void sw_simd_advance_own(struct sw_stepper *s, struct sw_simd_worker *w, struct sw_simd_group *g, int64_t to,
                         int queued, int *next)
{
    const struct sw_simd *p = s->own;
    struct own o = {.s = s, .w = w, .g = g, .to = to, .lanes = p->lanes};
    memset(w->u, 0, sw_simd_state_size(&s->desc) * sizeof(double));
    sw_simd_clear_lanes(s, g);
    g->runs = p->lanes;  /* those without a run have the number of one all the same */
    for (int l = 0; l < p->lanes; l++) g->run[l] = p->queue[0].run;
    while (fill_lanes(&o, queued, next)) {
        begin_steps(&o);
        sw_simd_take_step(s, w, g, 0, w->u, w->next);
        control_steps(&o);
        end_lanes(&o);
    }
}
