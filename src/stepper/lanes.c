#include "stepper/lanes.h"

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

/* Runs whose coefficients differ a little should not differ in their reach: lanes of one reach are joined together. */
enum { REACH_STEP = 16 };

static int reach_of(int n, const struct sw_recursive *r, bool single)
{
    double power[4];
    for (int reach = 0; reach < n; reach += REACH_STEP) {
        sw_recursive_power(r, reach, power);
        if (single ? sw_recursive_negligible_single(power) : sw_recursive_negligible(power)) return reach;
    }
    return n;
}

bool sw_lanes_line(int n, double s4, double s2, bool single, struct sw_lanes_line *line)
{
    const double decayed[4] = {1.0, 0.0, 0.0, 1.0};
    if (!sw_recursive_factor(s4, s2, &line->factor)) return false;
    if (single) sw_recursive_to_single(&line->factor);
    line->reach = reach_of(n, &line->factor, single);
    memcpy(line->closure, decayed, sizeof decayed);
    if (line->reach == n) sw_recursive_closure(&line->factor, n, line->closure);
    return true;
}

static void add_reach(struct sw_lanes *c, int lane, int points)
{
    int k = 0;
    while (k < c->reaches && c->reach[k].points != points) k++;
    if (k == c->reaches) c->reach[c->reaches++].points = points;
    c->reach[k].mine[lane] = -1;
}

void sw_lanes_set(struct sw_lanes *c, int lane, const struct sw_lanes_line *line, double dt, double dx)
{
    c->b1[lane] = -line->factor.a1;
    c->b2[lane] = -line->factor.a2;
    c->scale[lane] = line->factor.scale;
    c->twice[lane] = 2.0 * line->factor.scale;
    for (int k = 0; k < 4; k++) c->closure[k][lane] = line->closure[k];
    c->g_weight[lane] = dt / (dx * dx);
    c->s_weight[lane] = dt;
    add_reach(c, lane, line->reach);
}
