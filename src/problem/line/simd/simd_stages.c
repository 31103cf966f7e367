#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem/line/plain/stencil_cpu.h"
#include "problem/line/simd/lanes.h"
#include "problem/line/simd/simd_group.h"
#include "problem/line/stepper/fourth_order.h"

/* ------------------------------------------------------------------ steps */

/* What is at hand of a step: the states of its stages, the first being what it begins with. */
struct step {
    const struct sw_stepper    *s;
    struct sw_simd_worker      *w;
    const struct sw_simd_group *g;
    const void                 *state[SW_IMEX_STAGES];
    bool                        odd;
};

/* The sum with these weights, of unknown v and the stages before one, but for state number `own`, which the kernels
 * begin with. */
static struct sw_lanes_terms terms_of(const struct step *k, const struct sw_imex_weights *weights, int before, int v,
                                      int own)
{
    struct sw_lanes_terms t = {.u_weight = weights->of_state[own]};
    for (int j = 0; j < before; j++) {
        const struct sw_simd_stage *at = &k->w->stage[j];
        if (j != own && weights->of_state[j] != 0.0) {
            t.other_weight[t.others] = weights->of_state[j];
            t.other[t.others++] = sw_simd_state(k->s, k->state[j], v);
        }
        if (weights->of_value[j] == 0.0) continue;
        if (at->g[v]) t.g_factor[t.gs] = weights->of_value[j] * (at->sign[v] ? at->sign[v] : 1), t.g[t.gs++] = at->g[v];
        if (at->s[v]) t.s_factor[t.ss] = weights->of_value[j], t.s[t.ss++] = at->s[v];
    }
    if (weights->of_first != 0.0) {
        t.other_weight[t.others] = weights->of_first;
        t.other[t.others++] = k->w->implicit[v];
    }
    return t;
}

/* Of a right-hand side that is multiplied by P; l_0 = gamma dt P L u has it already. */
void sw_simd_widen(const struct sw_line_mass *p, double of_first, struct sw_lanes_terms *t)
{
    if (!sw_line_has_mass(p)) return;
    t->is_wide = true;
    t->mass = *p;
    t->g_d4 = sw_line_mass_of_g(p);
    if (of_first == 0.0) return;
    t->after = t->other[--t->others];
    t->after_weight = of_first;
}

/* A sum that is no right-hand side: G by its five-point formula, as finish_with_mass() of plain_step.c does. */
static void widen_result(const struct sw_line_mass *p, struct sw_lanes_terms *t)
{
    if (!sw_line_has_mass(p)) return;
    t->is_wide = true;
    t->g_d4 = SW_LINE_FIVE_POINTS;
}

/* ------------------------------------------------------------------ ends */

static struct sw_simd_ends *ends_of(const struct step *k, int stage)
{
    return k->w->ends ? k->w->ends + stage * sw_line_unknowns(&k->s->desc.model) : NULL;
}

/* What the old unknown adds to a condition. Where it adds none the condition may be infinite: at t = 0 alone nobody
 * asks for it. */
static double part_of(double left, double before) { return left != 0.0 ? left * before : 0.0; }

/* x = A⁻¹ f is the unknown, and with Crank-Nicolson the sum of the new and the old one: so are its conditions. */
static void lift_lane(const struct step *k, int stage, int v, int l, double left)
{
    const struct sw_simd_ends *now = ends_of(k, stage) + v, *before = ends_of(k, 0) + v;
    const struct sw_lanes *c = &k->g->lanes[v];
    const struct sw_line_operator a = {.s4 = c->s4[l], .s2 = c->s2[l], .s0 = c->s0[l], .s1 = 2 * c->half_s1[l],
                                       .s3 = 2 * c->half_s3[l]};
    struct sw_lanes_ends *e = k->w->solve;
    const int is_value[2] = {e->value[0], e->value[1]};
    double first[2], second[2], lift[SW_LANES_LIFT], rhs[SW_LANES_LIFT];
    for (int side = 0; side < 2; side++) {
        first[side] = now->first[side][l] + part_of(left, before->first[side][l]);
        second[side] = now->second[side][l] + part_of(left, before->second[side][l]);
        e->given[side][l] = now->first[side][l];
    }
    sw_end_lift(k->s->desc.n, is_value, first, second, sw_simd_run(k->s, k->g, l)->dx, &a, lift, rhs);
    for (int power = 0; power < SW_LANES_LIFT; power++)
        e->lift[power][l] = lift[power], e->rhs[power][l] = rhs[power];
}

/* The conditions of the solve for a stage of an unknown. */
static const struct sw_lanes_ends *ends_of_solve(const struct step *k, int stage, int v, double left)
{
    const struct sw_simd *p = k->s->own;
    struct sw_lanes_ends *e = k->w->solve;
    if (!e) return NULL;
    e->lifted = false;
    for (int side = 0; side < 2; side++) {
        e->value[side] = k->s->desc.model.end[side][v].kind == SW_END_VALUE;
        e->lifted |= k->g->end[side][v][0] || k->g->end[side][v][1];
    }
    memset(e->given, 0, sizeof e->given);
    for (int l = 0; e->lifted && l < p->lanes; l++) lift_lane(k, stage, v, l, left);
    return e;
}

/* A state at ends where it is given. */
static void set_given(const struct step *k, int stage, int v, double *u)
{
    const struct sw_simd *p = k->s->own;
    for (int side = 0; side < 2 && k->w->ends; side++)
        if (k->s->desc.model.end[side][v].kind == SW_END_VALUE)
            memcpy(u + (side ? (k->s->desc.n - 1) * p->lanes : 0), ends_of(k, stage)[v].first[side],
                   (size_t)p->lanes * sizeof *u);
}

/* ------------------------------------------------------------------ a step */

/* Into another state, or the one that the step begins with. */
static void solve_stage(const struct step *k, const struct sw_imex_stages *m, int stage, void *into)
{
    const struct sw_simd *p = k->s->own;
    const int n = k->s->desc.n;
    for (int v = 0; v < sw_line_unknowns(&k->s->desc.model); v++) {
        const void *u = sw_simd_state(k->s, k->state[0], v);
        struct sw_lanes_terms t = terms_of(k, &m->stage[stage], stage, v, 0);
        t.u_left = m->left;
        sw_simd_widen(&k->s->desc.model.mass[v], m->stage[stage].of_first, &t);
        t.ends = ends_of_solve(k, stage, v, m->left);
        p->ops->first(&k->g->lanes[v], n, &k->w->lanes[v], u, &t, k->odd);
        p->ops->pass(&k->g->lanes[v], n, &k->w->lanes[v], u, sw_simd_state(k->s, into, v), &t, k->odd, true);
    }
}

static void apply_operator(const struct step *k)
{
    const struct sw_simd *p = k->s->own;
    for (int v = 0; v < sw_line_unknowns(&k->s->desc.model); v++)
        p->ops->apply(&k->g->lanes[v], k->s->desc.n, sw_simd_state(k->s, k->state[0], v), k->w->implicit[v]);
}

static void add_result(const struct step *k, const struct sw_imex_stages *m, void *into)
{
    const struct sw_simd *p = k->s->own;
    const int end = m->count - 1;
    for (int v = 0; v < sw_line_unknowns(&k->s->desc.model); v++) {
        struct sw_lanes_terms t = terms_of(k, &m->result, m->count, v, end);
        widen_result(&k->s->desc.model.mass[v], &t);
        t.ends = k->w->solve;
        p->ops->add(&k->g->lanes[v], k->s->desc.n, sw_simd_state(k->s, k->state[end], v), &t,
                    sw_simd_state(k->s, into, v));
        set_given(k, end, v, sw_simd_state(k->s, into, v));
    }
}

/* Where states of its stages are: the result may be the last one of them. */
static void *state_of_stage(const struct sw_simd_worker *w, const struct sw_imex_stages *m, int stage, void *from,
                            void *into)
{
    if (stage == 0) return from;
    return m->last && stage == m->count - 1 ? into : w->stage[stage].state;
}

/* A step from a state into another one, or the same; where runs take steps of their own, each lane the one at hand.
 * Values at the beginning are taken before anything is written into its state, which may be that of the result. */
static void take_step(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g,
                      int64_t number, void *from, void *into)
{
    const struct sw_simd *p = s->own;
    const struct sw_imex_stages *m = &p->stages;
    struct step k = {.s = s, .w = w, .g = g, .odd = number & 1};
    for (int i = 0; i < m->count; i++) {
        void *state = state_of_stage(w, m, i, from, into);
        k.state[i] = state;
        if (w->ends) sw_simd_ends_at(s, g, number, m->left != 0.0 ? i : m->time[i], ends_of(&k, i));
        if (i > 0) solve_stage(&k, m, i, state);
        if (i >= sw_imex_valued(m)) break;
        for (int v = 0; i == 0 && m->left != 0.0 && v < sw_line_unknowns(&s->desc.model); v++)
            set_given(&k, 0, v, sw_simd_state(s, state, v));  /* an initial value may be another one */
        if (p->reaches) sw_simd_close(s, g, ends_of(&k, i), state);
        if (i == 0 && m->first) apply_operator(&k);
        sw_simd_begin_step(s, g, number, m->time[i]);
        sw_simd_values(s, w, g, state, &w->stage[i], NULL);
    }
    if (!m->last) add_result(&k, m, into);
}

/* Values of G at the points beyond a circle's ends. */
static void close_g(const struct sw_stepper *s, double *g)
{
    const size_t lanes = (size_t)((const struct sw_simd *)s->own)->lanes, n = (size_t)s->desc.n;
    memcpy(g, g + n * lanes, lanes * sizeof *g);
    memcpy(g + (n + 1) * lanes, g + lanes, lanes * sizeof *g);
}

/* What G and N are by time alone, as look_by_time() of plain_step.c: of the last stage with an N, at the times of
 * all stages, whose values are not needed any more; what sees no unknown has been looked at in the stages before. */
static void look_by_time(const struct step *k, double largest[SW_UNKNOWNS_MOST][2][SW_LANES_MOST])
{
    const struct sw_stepper *s = k->s;
    const struct sw_simd *p = s->own;
    const struct sw_imex_stages *m = &p->stages;
    const int at = sw_imex_valued(m) - 1;
    bool any = false;
    for (int v = 0; v < SW_UNKNOWNS_MOST; v++) any |= s->steep[0][v] || s->steep[1][v];
    for (int i = 0; any && i < m->count; i++) {
        if (i == at) continue;
        sw_simd_begin_step(s, k->g, 0, m->time[i]);
        sw_simd_values(s, k->w, k->g, k->state[at], &k->w->stage[i], i < at ? s->steep_in_u : s->steep);
    }
    for (int v = 0; any && v < sw_line_unknowns(&s->desc.model); v++) {
        const double *u = sw_simd_state(s, k->state[at], v);
        const bool given[2] = {s->desc.model.end[0][v].kind == SW_END_VALUE,
                               s->desc.model.end[1][v].kind == SW_END_VALUE};
        struct sw_lanes_terms t = {0};
        double by_time[2][SW_LANES_MOST];
        for (int i = 0; i < m->count; i++) {
            const struct sw_simd_stage *stage = &k->w->stage[i];
            if (s->steep[0][v] && !k->w->ends) close_g(s, stage->g[v]);
            if (s->steep[0][v]) t.g_factor[t.gs] = m->of_time[i], t.g[t.gs++] = stage->g[v];
            if (s->steep[1][v]) t.s_factor[t.ss] = m->of_time[i], t.s[t.ss++] = stage->s[v];
        }
        if (t.gs + t.ss == 0) continue;
        p->ops->largest(&k->g->lanes[v], given[0], s->desc.n - given[1], u, &t, u, by_time);
        for (int l = 0; l < p->lanes; l++)
            largest[v][0][l] = sw_own_steps_with_time(largest[v][0][l], by_time[0][l]);
    }
}

/* Of the step just taken so: the largest |estimated error| and |u| behind it of each unknown and lane. */
static void step_errors(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g,
                        void *from, void *into, double largest[SW_UNKNOWNS_MOST][2][SW_LANES_MOST])
{
    const struct sw_simd *p = s->own;
    const struct sw_imex_stages *m = &p->stages;
    const int end = m->count - 1;
    struct step k = {.s = s, .w = w, .g = g};
    for (int i = 0; i < m->count; i++) k.state[i] = state_of_stage(w, m, i, from, into);
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++) {
        struct sw_lanes_terms t = terms_of(&k, &m->error, m->count, v, end);
        const void *u = sw_simd_state(s, k.state[end], v);
        const bool given[2] = {s->desc.model.end[0][v].kind == SW_END_VALUE,
                               s->desc.model.end[1][v].kind == SW_END_VALUE};
        if (sw_line_has_mass(&s->desc.model.mass[v])) {
            sw_simd_widen(&s->desc.model.mass[v], m->error.of_first, &t);
            p->ops->add(&g->lanes[v], s->desc.n, u, &t, w->lanes[v].w);
            u = w->lanes[v].w;
            t = (struct sw_lanes_terms){.u_weight = 1.0};
        }
        p->ops->largest(&g->lanes[v], given[0], s->desc.n - given[1], u, &t, sw_simd_state(s, into, v), largest[v]);
        for (int of = 0; of < 2 * p->lanes; of++) {  /* what is given has no error */
            const int side = of % 2, l = of / 2;
            if (given[side])
                largest[v][1][l] = sw_own_steps_worse(largest[v][1][l], fabs(ends_of(&k, end)[v].first[side][l]));
        }
    }
    look_by_time(&k, largest);
}

void sw_simd_steps_of_stages(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g,
                             int64_t from, int64_t to)
{
    void *begin = w->u;
    for (int64_t step = from; step < to; step++, begin = w->next) take_step(s, w, g, step, begin, w->next);
}

/* ------------------------------------------------------------------ steps of a run's own: the lanes
 *
 * Each lane of a group has a run with a t, a dt and matrices of its own, and all lanes take a step together. A lane
 * whose step is refused keeps its state, and one whose run is where the call shall take it gets another run: nothing of
 * a run depends on what other lanes hold. A new run is a new x and new values of cells, which are made for all lanes at
 * once: a quarter of the lanes wait for each other with that. */

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
        const struct sw_own_steps *steps = &p->batch.states.steps[j];
        if (p->batch.states.stopped[j] || sw_own_steps_reached(steps, times, to)) continue;
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
            for (int i = -1; i <= n && at->sign[v] < 0; i++) g[i] = -g[i];
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
    step_errors(o->s, o->w, o->g, o->w->u, o->w->next, largest);
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
        take_step(s, w, g, 0, w->u, w->next);
        control_steps(&o);
        end_lanes(&o);
    }
}
