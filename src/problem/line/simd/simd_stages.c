#include "problem/line/simd/simd_group.h"

#include <math.h>
#include <string.h>

#include "problem/line/stepper/fourth_order.h"
#include "problem/line/simd/lanes_ends.h"

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
        if (at->g[v]) t.g_factor[t.gs] = weights->of_value[j], t.g[t.gs++] = at->g[v];
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

/* Values at the beginning are taken before anything is written into its state, which may be that of the result. */
void sw_simd_take_step(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g,
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

void sw_simd_step_errors(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g,
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
    for (int64_t step = from; step < to; step++, begin = w->next) sw_simd_take_step(s, w, g, step, begin, w->next);
}
