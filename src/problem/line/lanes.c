#include "problem/line/lanes.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

extern const struct sw_lanes_ops sw_lanes_avx512, sw_lanes_avx2, sw_lanes_generic;
extern const struct sw_lanes_ops sw_lanes_single_avx512, sw_lanes_single_avx2, sw_lanes_single_generic;

const struct sw_lanes_ops *const sw_lanes_table[] = {
#ifdef __x86_64__
    &sw_lanes_avx512,
    &sw_lanes_avx2,
#endif
    &sw_lanes_generic,
    NULL,
};

const struct sw_lanes_ops *const sw_lanes_single_table[] = {
#ifdef __x86_64__
    &sw_lanes_single_avx512,
    &sw_lanes_single_avx2,
#endif
    &sw_lanes_single_generic,
    NULL,
};

const struct sw_lanes_ops *sw_lanes_pick(bool single)
{
    const char *wanted = getenv("SWEEP_SIMD");
    const struct sw_lanes_ops *best = NULL, *const *row = single ? sw_lanes_single_table : sw_lanes_table;
    for (; *row; row++) {
        if (!(*row)->here()) continue;
        if (!best || (wanted && !strcmp(wanted, (*row)->name))) best = *row;
    }
    return best;
}

/* P^k is left out where it changes no state by more than rounding does. */
static bool negligible(const struct sw_recursive *r, int k, bool single)
{
    double power[4], unit = single ? 0x1p-24 : 0x1p-53;
    sw_recursive_power(r, k, power);
    for (int i = 0; i < 4; i++)
        if (!(fabs(power[i]) < unit)) return false;
    return true;
}

/* A multiple of 4, or n. */
static int decay_of(int n, const struct sw_recursive *r, bool single)
{
    int more = 0, most = (n - 1) / 4;   /* decay > 4 more, <= 4 most */
    if (!negligible(r, 4 * most, single)) return n;
    while (most - more > 1) {
        int middle = more + (most - more) / 2;
        if (negligible(r, 4 * middle, single)) most = middle;
        else more = middle;
    }
    return 4 * most;
}

bool sw_lanes_line(int n, double s4, double s2, bool single, struct sw_lanes_line *line)
{
    const double one[4] = {1.0, 0.0, 0.0, 1.0};
    if (!sw_recursive_factor(s4, s2, &line->factor)) return false;
    if (single) sw_recursive_to_single(&line->factor);
    line->decay = decay_of(n, &line->factor, single);
    line->decays = line->decay < n;
    if (line->decays) memcpy(line->closure, one, sizeof one);
    else sw_recursive_closure(&line->factor, n, line->closure);
    sw_recursive_overlap(&line->factor, n, line->overlap);
    return true;
}

static bool same_as_first(const struct sw_lanes *c, int lane)
{
    return c->b1[lane] == c->b1[0] && c->b2[lane] == c->b2[0] && c->decay[lane] == c->decay[0];
}

void sw_lanes_set(struct sw_lanes *c, int lane, const struct sw_lanes_line *line, double dt, double dx)
{
    int points = line->decays ? line->decay + 1 : line->decay;
    c->b1[lane] = -line->factor.a1;
    c->b2[lane] = -line->factor.a2;
    c->scale[lane] = line->factor.scale;
    c->twice[lane] = 2.0 * line->factor.scale;
    for (int k = 0; k < 4; k++) c->closure[k][lane] = line->closure[k];
    for (int k = 0; k < 4; k++) c->overlap[k][lane] = line->overlap[k];
    c->g_weight[lane] = dt / (dx * dx);
    c->s_weight[lane] = dt;
    c->decay[lane] = line->decays ? line->decay : INFINITY;
    if (points > c->points) c->points = points;
    c->alike = c->set++ == 0 || (c->alike && same_as_first(c, lane));
}
