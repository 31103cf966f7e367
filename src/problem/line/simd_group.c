/* Groups of cpu.simd: which run of a batch has which lane of which group; the state of a group, from lines to lanes and
 * back, and whether it is finite. */
#include "problem/line/simd_group.h"

#include "base/sw_mem.h"
#include "base/sw_reals.h"
#include "problem/line/stencil_cpu.h"

bool sw_simd_alone(const struct sw_stepper_desc *d)
{
    return d->model.scheme == SW_CRANK_NICOLSON && !d->model.g[0] && !d->model.s[0];
}

int sw_simd_lanes(const struct sw_stepper_desc *d) { return d->single_steps ? SW_LANES_SINGLE : SW_LANES; }

size_t sw_simd_real_size(const struct sw_stepper_desc *d) { return sw_reals_word(d->single_steps); }

/* ------------------------------------------------------------------ lanes */

/* Runs of one matrix get lanes next to each other: then few groups have more than one decay.
 * @param begin  [systems]: how many runs have the matrices before this one */
static void fill_groups(struct sw_stepper *s, const struct sw_lanes_line *line, const int *system, int *begin)
{
    struct sw_simd *p = s->own;
    int runs = 0;
    for (int k = 0; k < p->rooms; k++) {
        p->group[k].lanes = (struct sw_lanes){0};
        p->group[k].runs = 0;
    }
    for (int j = 0; j < s->count; j++) {
        if (system[j] < 0) continue;
        int at = begin[system[j]]++, lane = at % p->lanes;
        struct sw_simd_group *g = &p->group[at / p->lanes];
        sw_lanes_set(&g->lanes, lane, &line[system[j]], s->run[j].dt, s->run[j].dx);
        g->run[lane] = j;
        g->runs++;
        runs++;
    }
    p->groups = runs / p->lanes + (runs % p->lanes != 0);
}

/* @param begin  out [systems] */
static void count_systems(int count, const int *system, int systems, int *begin)
{
    int before = 0;
    for (int k = 0; k < systems; k++) begin[k] = 0;
    for (int j = 0; j < count; j++)
        if (system[j] >= 0) begin[system[j]]++;
    for (int k = 0; k < systems; k++) {
        int runs = begin[k];
        begin[k] = before;
        before += runs;
    }
}

enum sw_status sw_simd_assign_lanes(struct sw_stepper *s, const char **load_error)
{
    struct sw_line_matrix *matrix = NULL;
    struct sw_lanes_line *line = NULL;
    int *system = NULL, *begin = NULL, systems;
    enum sw_status st;

    SW_TRY_TO(done, st, sw_alloc((size_t)s->count, &matrix));
    SW_TRY_TO(done, st, sw_alloc((size_t)s->count, &line));
    SW_TRY_TO(done, st, sw_alloc((size_t)s->count, &system));
    SW_TRY_TO(done, st, sw_alloc((size_t)s->count, &begin));
    systems = sw_line_matrices(s->count, &s->desc.model, s->run, load_error, matrix, system);
    for (int k = 0; k < systems; k++)
        if (!sw_lanes_line(s->desc.n, matrix[k].a.s4, matrix[k].a.s2, s->desc.single_steps, &line[k]))
            line[k].decay = -1;
    for (int j = 0; j < s->count; j++) {
        if (load_error[j] || line[system[j]].decay >= 0) continue;
        load_error[j] = "the implicit part is not positive definite: the equation is ill-posed";
        system[j] = -1;
    }
    sw_host_load(s, load_error);
    count_systems(s->count, system, systems, begin);
    fill_groups(s, line, system, begin);
done:
    sw_free(matrix);
    sw_free(line);
    sw_free(system);
    sw_free(begin);
    return st;
}

/* ------------------------------------------------------------------ the state of a group */

enum { POINTS_AT_ONCE = 8 };  /* points: a cache line of each lane's line against POINTS_AT_ONCE rows of lanes */

static size_t numbers_of(const struct sw_stepper *s)
{
    const struct sw_simd *p = s->own;
    return (size_t)s->desc.n * (size_t)p->lanes;
}

void sw_simd_to_single(const struct sw_stepper *s, const double *from, float *to)
{
    size_t count = numbers_of(s);
    for (size_t k = 0; k < count; k++) to[k] = (float)from[k];
}

static void to_double(size_t count, const float *from, double *to)
{
    for (size_t k = 0; k < count; k++) to[k] = from[k];
}

const double *sw_simd_seen(const struct sw_stepper *s, struct sw_simd_worker *w, const void *u)
{
    if (!s->desc.single_steps) return u;
    to_double(numbers_of(s), u, w->wide);
    return w->wide;
}

bool sw_simd_gather(const struct sw_stepper *s, const struct sw_simd_group *g, struct sw_simd_worker *w,
                    bool live[SW_LANES_MOST])
{
    const struct sw_simd *p = s->own;
    const double *line[SW_LANES_MOST];
    double *u = s->desc.single_steps ? w->wide : w->u;
    bool any = false;
    int n = s->desc.n, lanes = p->lanes;
    for (int l = 0; l < lanes; l++) {
        live[l] = l < g->runs && !p->batch.stopped[g->run[l]];
        any |= live[l];
        line[l] = live[l] ? sw_host_line(s, g->run[l]) : NULL;
    }
    for (int base = 0; base < n; base += POINTS_AT_ONCE)
        for (int l = 0; l < lanes; l++)
            for (int i = base; i < n && i < base + POINTS_AT_ONCE; i++)
                u[(size_t)i * (size_t)lanes + (size_t)l] = line[l] ? line[l][i] : 0.0;
    if (s->desc.single_steps) sw_simd_to_single(s, u, w->u);
    return any;
}

void sw_simd_scatter(struct sw_stepper *s, const struct sw_simd_group *g, struct sw_simd_worker *w,
                     const bool live[SW_LANES_MOST])
{
    const struct sw_simd *p = s->own;
    const double *u = sw_simd_seen(s, w, w->u);
    int n = s->desc.n;
    for (int base = 0; base < n; base += POINTS_AT_ONCE)
        for (int l = 0; l < g->runs; l++) {
            double *line = sw_host_line(s, g->run[l]);
            for (int i = base; live[l] && i < n && i < base + POINTS_AT_ONCE; i++)
                line[i] = u[(size_t)i * (size_t)p->lanes + (size_t)l];
        }
}

/* 0 times a number that is not finite is NaN. */
bool sw_simd_finite(const struct sw_stepper *s, struct sw_simd_worker *w, const void *field, bool finite[SW_LANES_MOST])
{
    const struct sw_simd *p = s->own;
    double sum[SW_LANES_MOST] = {0};
    const double *u = sw_simd_seen(s, w, field);
    bool all = true;
    for (int i = 0; i < s->desc.n; i++, u += p->lanes)
        for (int l = 0; l < p->lanes; l++) sum[l] += 0.0 * u[l];
    for (int l = 0; l < p->lanes; l++) all &= finite[l] = sum[l] == 0.0;
    return all;
}
