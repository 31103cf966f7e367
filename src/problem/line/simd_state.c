/* The state of a group of cpu.simd: from lines to lanes and back, and whether it is finite. */
#include "problem/line/simd_group.h"

enum { BLOCK = 8 };  /* points: a cache line of each lane's line against BLOCK rows of lanes */

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
        live[l] = l < g->runs && !p->lines.stopped[g->run[l]];
        any |= live[l];
        line[l] = live[l] ? sw_host_line(s, g->run[l]) : NULL;
    }
    for (int base = 0; base < n; base += BLOCK)
        for (int l = 0; l < lanes; l++)
            for (int i = base; i < n && i < base + BLOCK; i++)
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
    for (int base = 0; base < n; base += BLOCK)
        for (int l = 0; l < g->runs; l++) {
            double *line = sw_host_line(s, g->run[l]);
            for (int i = base; live[l] && i < n && i < base + BLOCK; i++)
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
