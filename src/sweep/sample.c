#include <stddef.h>

#include "expr/random_point.h"
#include "sweep/expand_impl.h"

/* Random sweeps. Every number is a pure function of seed, axis and point (random, Sobol: a larger count goes on where
 * the smaller one ended) or of seed, axis, point and count (Latin hypercube). An axis draws by its name, so that adding
 * another axis leaves its values alone; of a Sobol sequence the axes that are drawn take the dimensions in the order of
 * the config. */

enum { STREAM_PLACE = 2, STREAM_SHUFFLE, STREAM_SHIFT };  /* 0 and 1 belong to initial and forcing */

static int cell_of(const char *name)
{
    uint32_t h = 2166136261u;  /* FNV-1a */
    for (const char *c = name; *c; c++) h = (h ^ (unsigned char)*c) * 16777619u;
    return (int)(h >> 1);
}

/* A random order of 0 .. count-1 (Fisher and Yates). */
static void shuffle(double seed, int cell, int64_t count, uint32_t *rank)
{
    for (int64_t k = 0; k < count; k++) {
        int64_t other = (int64_t)(sw_rand(seed, cell, k, STREAM_SHUFFLE) * (double)(k + 1));
        rank[k] = rank[other];
        rank[other] = (uint32_t)k;
    }
}

static enum sw_status prepare_lhs(struct sw_sweep *s, struct sample *p)
{
    SW_TRY(sw_arena_take(s->own->arena, (size_t)p->dimensions * (size_t)p->count, &p->rank));
    for (int d = 0; d < p->dimensions; d++) shuffle(p->seed, p->cell[d], p->count, p->rank + d * p->count);
    return SW_OK;
}

/* Seed 0 is the plain sequence, which begins at (0, 0, ...). Any other seed flips digits, the same ones in all points
 * of an axis, which keeps how evenly the points fill the box. */
static enum sw_status prepare_sobol(struct sw_sweep *s, struct sample *p)
{
    if (p->dimensions > SOBOL_AXES) {
        report_error(s, NULL,
                        "a Sobol sequence has at most %d axes here, the sweep has %d; use sample.method = \"lhs\"",
                        SOBOL_AXES, p->dimensions);
        return SW_OK;
    }
    SW_TRY(sw_arena_take(s->own->arena, (size_t)p->dimensions, &p->direction));
    SW_TRY(sw_arena_take(s->own->arena, (size_t)p->dimensions, &p->shift));
    for (int k = 0; k < p->dimensions; k++) {
        sobol_directions(k, p->direction[k]);
        if (p->seed != 0) p->shift[k] = (uint32_t)(sw_rand(p->seed, k, 0, STREAM_SHIFT) * 0x1p32);
    }
    return SW_OK;
}

enum sw_status sample_prepare(struct sw_sweep *s)
{
    struct sample *p = &s->own->sample;
    SW_TRY(sw_arena_take(s->own->arena, (size_t)s->naxis, &p->cell));
    for (int k = 0; k < s->naxis; k++)
        if (axis_is_drawn(&s->own->axis[k])) p->cell[s->own->axis[k].dimension] = cell_of(s->own->axis[k].name);
    if (p->method == SAMPLE_LHS) return prepare_lhs(s, p);
    return p->method == SAMPLE_SOBOL ? prepare_sobol(s, p) : SW_OK;
}

double sample_place(const struct sample *p, int d, int64_t point)
{
    if (p->method == SAMPLE_SOBOL) return (sobol_point(p->direction[d], (uint32_t)point) ^ p->shift[d]) * 0x1p-32;
    double u = sw_rand(p->seed, p->cell[d], point, STREAM_PLACE);
    return p->method == SAMPLE_RANDOM ? u : (p->rank[d * p->count + point] + u) / (double)p->count;
}
