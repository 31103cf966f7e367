#include "problem/line/simd/lanes.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "problem/line/stepper/closing_point.h"

extern const struct sw_lanes_ops sw_lanes_avx512, sw_lanes_avx2, sw_lanes_generic;
extern const struct sw_lanes_ops sw_lanes_few_avx2, sw_lanes_few_generic;
extern const struct sw_lanes_ops sw_lanes_single_avx512, sw_lanes_single_avx2, sw_lanes_single_generic;

/* The instruction sets that this build has (LANES in the Makefile): each takes half a minute to compile, so a build for
 * this machine alone has its best one, and a portable build has all. */
#if defined SW_LANES_AVX512 && defined __x86_64__
#define ROW_AVX512(row) &row,
#else
#define ROW_AVX512(row)
#endif
#if defined SW_LANES_AVX2 && defined __x86_64__
#define ROW_AVX2(row) &row,
#else
#define ROW_AVX2(row)
#endif
#if defined SW_LANES_FEW_AVX2 && defined __x86_64__
#define ROW_FEW_AVX2(row) &row,
#else
#define ROW_FEW_AVX2(row)
#endif
#ifdef SW_LANES_GENERIC
#define ROW_GENERIC(row) &row,
#else
#define ROW_GENERIC(row)
#endif

const struct sw_lanes_ops *const sw_lanes_table[] = {
    ROW_AVX512(sw_lanes_avx512) ROW_AVX2(sw_lanes_avx2) ROW_GENERIC(sw_lanes_generic) NULL,
};

const struct sw_lanes_ops *const sw_lanes_few_table[] = {
    ROW_FEW_AVX2(sw_lanes_few_avx2) ROW_GENERIC(sw_lanes_few_generic) NULL,
};

const struct sw_lanes_ops *const sw_lanes_single_table[] = {
    ROW_AVX512(sw_lanes_single_avx512) ROW_AVX2(sw_lanes_single_avx2) ROW_GENERIC(sw_lanes_single_generic) NULL,
};

bool sw_lanes_few_fill_a_vector(void)
{
#ifdef __x86_64__
    return !__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512dq");
#else
    return false;
#endif
}

/* Up to two groups of few lanes take less than one of many, on one core, too. */
int sw_lanes_for(int lines, bool single)
{
    if (single) return SW_LANES_SINGLE;
    return lines <= 2 * SW_LANES_FEW ? SW_LANES_FEW : SW_LANES;
}

const struct sw_lanes_ops *sw_lanes_pick(int lanes)
{
    const char *wanted = getenv("SWEEP_SIMD");
    const struct sw_lanes_ops *best = NULL, *const *row = sw_lanes_table;
    if (lanes == SW_LANES_SINGLE) row = sw_lanes_single_table;
    if (lanes == SW_LANES_FEW) row = sw_lanes_few_table;
    for (; *row; row++) {
        if (!(*row)->here()) continue;
        if (!best || (wanted && !strcmp(wanted, (*row)->name))) best = *row;
    }
    return best;
}

/* P^k is left out where it changes no state by more than rounding does: a multiple of 4, or n. */
static int decay_of(int n, const struct sw_recursive *r, bool single)
{
    const int decay = 4 * sw_recursive_decay(r, 4, (n - 1) / 4, single ? 0x1p-24 : 0x1p-53);
    return decay < n ? decay : n;
}

bool sw_lanes_line(int n, const struct sw_line_operator *a, bool single, struct sw_lanes_line *line)
{
    const double one[4] = {1.0, 0.0, 0.0, 1.0};
    struct sw_recursive *up = &line->factor[SW_LANES_UP], *down = &line->factor[SW_LANES_DOWN];
    line->a = *a;
    if (!sw_recursive_factors(a, single, up, down)) return false;
    const bool alike = up->a1 == down->a1 && up->a2 == down->a2;  /* both ways have the same numbers */
    const int upwards = decay_of(n, up, single), downwards = alike ? upwards : decay_of(n, down, single);
    line->decay = upwards > downwards ? upwards : downwards;
    line->decays = line->decay < n;
    for (int way = 0; way < (alike ? 1 : SW_LANES_WAYS); way++) {
        if (line->decays) memcpy(line->closure[way], one, sizeof one);
        else sw_recursive_closure(&line->factor[way], n, line->closure[way]);
        sw_recursive_overlap(&line->factor[way], &line->factor[!way], n, line->overlap[way]);
    }
    if (!alike) return true;
    memcpy(line->closure[1], line->closure[0], sizeof line->closure[0]);
    memcpy(line->overlap[1], line->overlap[0], sizeof line->overlap[0]);
    return true;
}

static bool have_one_answer(const struct sw_lanes *c, int a, int b)
{
    return c->b1[0][a] == c->b1[0][b] && c->b2[0][a] == c->b2[0][b] && c->decay[a] == c->decay[b];
}

/* Lanes are set in any order: all that were set are compared with the first of them. */
static bool are_alike(const struct sw_lanes *c)
{
    int first = 0;
    while (!(c->set >> first & 1)) first++;
    for (int l = first + 1; l < SW_LANES_MOST; l++)
        if ((c->set >> l & 1) && !have_one_answer(c, l, first)) return false;
    return true;
}

static void set_operator(struct sw_lanes *c, int lane, const struct sw_line_operator *a)
{
    c->s4[lane] = a->s4;
    c->s2[lane] = a->s2;
    c->s0[lane] = a->s0;
    c->half_s1[lane] = 0.5 * a->s1;
    c->half_s3[lane] = 0.5 * a->s3;
    c->one_sided |= a->s1 != 0.0 || a->s3 != 0.0;
}

void sw_lanes_set(struct sw_lanes *c, int lane, const struct sw_lanes_line *line, double dt, double dx)
{
    int points = line->decays ? line->decay + 1 : line->decay;
    for (int way = 0; way < SW_LANES_WAYS; way++) {
        c->b1[way][lane] = -line->factor[way].a1;
        c->b2[way][lane] = -line->factor[way].a2;
        for (int k = 0; k < 4; k++) c->closure[way][k][lane] = line->closure[way][k];
        for (int k = 0; k < 4; k++) c->overlap[way][k][lane] = line->overlap[way][k];
    }
    c->scale[lane] = line->factor[0].scale;
    c->twice[lane] = 2.0 * line->factor[0].scale;
    c->g_weight[lane] = dt / (dx * dx);
    c->s_weight[lane] = dt;
    set_operator(c, lane, &line->a);
    c->decay[lane] = line->decays ? line->decay : INFINITY;
    if (points > c->points) c->points = points;
    const bool before = !c->set || c->alike;
    c->set |= UINT32_C(1) << lane;
    c->alike = before && are_alike(c);
}

void sw_lanes_count_points(struct sw_lanes *c, int n, int lanes)
{
    c->points = 0;
    for (int l = 0; l < lanes; l++) {
        const int points = c->decay[l] < n ? (int)c->decay[l] + 1 : n;
        if (points > c->points) c->points = points;
    }
}

static struct sw_pair coefficients(const struct sw_recursive *r) { return (struct sw_pair){-r->a1, -r->a2}; }

static void answers(const struct sw_recursive *r, int n, long double h[4])
{
    sw_recursive_answer(r, n - 3, h);
    for (int k = 2; k < 4; k++) h[k] = -r->a1 * h[k - 1] - r->a2 * h[k - 2];
}

static void close_start(const struct sw_circuit *k, double start[2][SW_LANES_STARTS])
{
    for (int c = 0; c < SW_LANES_STARTS; c++) {
        const long double y[3] = {c == 3, c == 4, c == 5};
        const struct sw_pair t = sw_closing_start(k, c == 0, c == 1, c == 2, y);
        start[0][c] = (double)t.one;
        start[1][c] = (double)t.two;
    }
}

void sw_lanes_close_line(int n, const bool value[2], struct sw_lanes_line *line)
{
    for (int way = 0; way < SW_LANES_WAYS; way++) {
        const bool down = way == SW_LANES_DOWN;
        struct sw_circuit k = {.decays = line->decays};
        sw_closing_set_ends(value[down], value[!down], coefficients(&line->factor[way]),
                            coefficients(&line->factor[!way]), &k);
        if (!line->decays) {
            answers(&line->factor[way], n, k.first);
            answers(&line->factor[!way], n, k.second);
            sw_closing_set_rounds(&k);
        }
        close_start(&k, line->start[way]);
        for (int c = 0; c < 3; c++) {
            const long double y[3] = {c == 0, c == 1, c == 2};
            long double out[3];
            sw_closing_turn(&k.far, y, out);
            for (int row = 0; row < 3; row++) line->far[way][row][c] = (double)out[row];
        }
    }
}

void sw_lanes_set_closing(struct sw_lanes_closing *closing, int lane, const struct sw_lanes_line *line)
{
    for (int way = 0; way < SW_LANES_WAYS; way++) {
        for (int k = 0; k < 2 * SW_LANES_STARTS; k++)
            closing->start[way][k / SW_LANES_STARTS][k % SW_LANES_STARTS][lane] =
                line->start[way][k / SW_LANES_STARTS][k % SW_LANES_STARTS];
        for (int k = 0; k < 9; k++) closing->far[way][k / 3][k % 3][lane] = line->far[way][k / 3][k % 3];
    }
}
