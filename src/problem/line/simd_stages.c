#include "problem/line/simd_stages.h"

#include "problem/line/fourth_order.h"

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
        p->ops->add(&k->g->lanes[v], k->s->desc.n, sw_simd_state(k->s, k->state[end], v), &t,
                    sw_simd_state(k->s, into, v));
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
        if (i > 0) solve_stage(&k, m, i, state);
        if (i >= sw_imex_valued(m)) break;
        if (p->reaches) sw_simd_close(s, state);
        if (i == 0 && m->first) apply_operator(&k);
        sw_simd_begin_step(s, g, number, m->time[i]);
        sw_simd_values(s, w, g, state, &w->stage[i]);
    }
    if (!m->last) add_result(&k, m, into);
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
        if (sw_line_has_mass(&s->desc.model.mass[v])) {
            sw_simd_widen(&s->desc.model.mass[v], m->error.of_first, &t);
            p->ops->add(&g->lanes[v], s->desc.n, u, &t, w->lanes[v].w);
            u = w->lanes[v].w;
            t = (struct sw_lanes_terms){.u_weight = 1.0};
        }
        p->ops->largest(&g->lanes[v], 0, s->desc.n, u, &t, sw_simd_state(s, into, v), largest[v]);
    }
}

void sw_simd_steps_of_stages(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g,
                             int64_t from, int64_t to)
{
    void *begin = w->u;
    for (int64_t step = from; step < to; step++, begin = w->next) sw_simd_take_step(s, w, g, step, begin, w->next);
}
