#include "problem/line/simd_stages.h"

/* ------------------------------------------------------------------ weights */

/* w += kappa l_j, l_j = U_j - f_j */
static void add_implicit(const struct sw_simd_stages *m, int j, double kappa, struct sw_simd_weights *w)
{
    const struct sw_simd_weights *f = &m->stage[j];
    if (kappa == 0.0) return;
    if (j == 0) {
        w->of_first += kappa;
        return;
    }
    w->of_state[j] += kappa;
    w->of_first -= kappa * f->of_first;
    for (int k = 0; k < j; k++) {
        w->of_state[k] -= kappa * f->of_state[k];
        w->of_value[k] -= kappa * f->of_value[k];
    }
}

void sw_simd_stages_of(enum sw_scheme scheme, struct sw_simd_stages *m)
{
    const struct sw_imex *method = sw_imex_of(scheme);
    *m = (struct sw_simd_stages){.count = 2, .last = true, .left = 1.0, .time = {0.5},
                                 .stage[1] = {.of_state = {2.0}, .of_value = {1.0}}};
    if (!method) return;
    const int end = method->stages - 1;
    *m = (struct sw_simd_stages){.count = method->stages, .last = method->last, .first = method->first};
    for (int i = 0; i <= end; i++) {
        struct sw_simd_weights *w = &m->stage[i];
        m->time[i] = method->c[i];
        w->of_state[0] = 1.0;
        for (int j = 0; j < i; j++) w->of_value[j] = method->explicit_part[i][j];
        for (int j = 0; j < i; j++) add_implicit(m, j, method->implicit_part[i][j] / method->gamma, w);
    }
    if (m->last) return;
    m->result.of_state[end] = 1.0;
    for (int j = 0; j <= end; j++) {
        m->result.of_value[j] += method->b_explicit[j] - method->explicit_part[end][j];
        add_implicit(m, j, (method->b_implicit[j] - method->implicit_part[end][j]) / method->gamma, &m->result);
    }
}

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
static struct sw_lanes_terms terms_of(const struct step *k, const struct sw_simd_weights *weights, int before, int v,
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

/* Into another state, or the one that the step begins with. */
static void solve_stage(const struct step *k, const struct sw_simd_stages *m, int stage, void *into)
{
    const struct sw_simd *p = k->s->own;
    const int n = k->s->desc.n;
    for (int v = 0; v < sw_line_unknowns(&k->s->desc.model); v++) {
        const void *u = sw_simd_state(k->s, k->state[0], v);
        struct sw_lanes_terms t = terms_of(k, &m->stage[stage], stage, v, 0);
        t.u_left = m->left;
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

static void add_result(const struct step *k, const struct sw_simd_stages *m, void *into)
{
    const struct sw_simd *p = k->s->own;
    const int end = m->count - 1;
    for (int v = 0; v < sw_line_unknowns(&k->s->desc.model); v++) {
        const struct sw_lanes_terms t = terms_of(k, &m->result, m->count, v, end);
        p->ops->add(&k->g->lanes[v], k->s->desc.n, sw_simd_state(k->s, k->state[end], v), &t,
                    sw_simd_state(k->s, into, v));
    }
}

/* Values at the beginning are taken before anything is written into its state, which may be that of the result. */
static void take_step(struct step *k, const struct sw_simd_stages *m, int64_t number, void *begin, void *into)
{
    const struct sw_simd *p = k->s->own;
    k->state[0] = begin;
    k->odd = number & 1;
    for (int i = 0; i < m->count; i++) {
        void *state = i == 0 ? begin : m->last && i == m->count - 1 ? into : k->w->stage[i].state;
        if (i > 0) solve_stage(k, m, i, state);
        k->state[i] = state;
        if (i >= sw_simd_valued(m)) break;
        if (p->reaches) sw_simd_close(k->s, state);
        if (i == 0 && m->first) apply_operator(k);
        sw_simd_begin_step(k->s, k->g, number, m->time[i]);
        sw_simd_values(k->s, k->w, k->g, state, &k->w->stage[i]);
    }
    if (!m->last) add_result(k, m, into);
}

void sw_simd_steps_of_stages(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g,
                             int64_t from, int64_t to)
{
    const struct sw_simd *p = s->own;
    struct step k = {.s = s, .w = w, .g = g};
    void *begin = w->u;
    for (int64_t step = from; step < to; step++, begin = w->next) take_step(&k, &p->stages, step, begin, w->next);
}
