#include "problem/line/cuda/fused_coefficients.h"

#include <string.h>

#include "problem/line/simd/lanes.h"
#include "problem/line/stepper/recursive.h"
#include "problem/line/cuda/fused_point.h"

static bool negligible(const double power[4], bool single)
{
    return single ? sw_recursive_negligible_single(power) : sw_recursive_negligible(power);
}

/* Powers for the 2^k blocks of stage k, which have `few` or few + 1 points; a stage counts if either changes
 * anything. */
static void set_stages(const struct sw_recursive *r, int n, int lanes, bool single, struct sw_fused_line *line)
{
    for (int k = 0; 1 << k < lanes && k < SW_FUSED_MAX_STAGES; k++)
        for (int more = 0; more < 2; more++) {
            double *power = line->power[2 * k + more];
            sw_recursive_power(r, ((int64_t)n << k) / lanes + more, power);
            if (!negligible(power, single)) line->stages = k + 1;
        }
}

int sw_fused_table(const struct sw_fused_cut *cut)
{
    if (cut->ended) return cut->ended * SW_ENDED_TABLE;
    return cut->stream ? SW_STREAM_TABLE : cut->lanes > 32 ? 8 * (32 + cut->lanes / 32) : 0;
}

/* What the state e before k points adds to their backward total: with y_j = h_{j+1} e.u - a2 h_j e.v that
 * is (sum h_j y_j, sum h_{j-1} y_j). */
static void set_overlap(const struct sw_recursive *r, int64_t k, double M[4])
{
    sw_recursive_overlap(r, r, k, M);
    M[1] *= -r->a2;
    M[3] *= -r->a2;
}

static void set_stream(const struct sw_recursive *r, int n, int spans, double *table)
{
    const int join = sw_stream_join(n);
    for (int more = 0; more < 2; more++) {
        sw_recursive_power(r, n / spans + more, table + SW_STREAM_SPAN + 4 * more);
        set_overlap(r, n / spans + more, table + SW_STREAM_OVERLAP + 4 * more);
        for (int k = 0; 1 << k < join; k++)
            sw_recursive_power(r, ((int64_t)n << k) / join + more, table + SW_STREAM_STAGES + 8 * k + 4 * more);
    }
    sw_recursive_closure(r, n, table + SW_STREAM_CLOSURE);
}

void sw_fused_line_set(const struct sw_fused_cut *cut, double s4, double s2, struct sw_fused_line *line, double *table)
{
    const int n = cut->n, lanes = cut->lanes;
    const bool single = cut->single;
    struct sw_recursive r;
    double turn[4], (*power)[4] = (double (*)[4])table;
    if (!sw_recursive_factor(s4, s2, &r)) sw_recursive_factor(0.0, 0.0, &r);
    if (single) sw_recursive_to_single(&r);
    *line = (struct sw_fused_line){.a1 = r.a1, .a2 = r.a2, .scale = r.scale, .decay_warps = 1};
    set_stages(&r, n, lanes, single, line);
    sw_recursive_power(&r, n, turn);
    sw_recursive_closure(&r, n, line->closure);
    line->closed = !negligible(turn, single);
    if (lanes <= 32) return;
    sw_recursive_powers(&r, n, lanes, 32, power);
    if (cut->stream) set_stream(&r, n, lanes / 32, table);
    else line->decay_warps = sw_recursive_powers(&r, n, lanes / 32, lanes / 32, power + 64);
}

/* The recursion of one direction, of a line within a warp. */
static void set_direction(const struct sw_fused_cut *cut, const struct sw_recursive *r, struct sw_fused_line *line)
{
    double turn[4];
    *line = (struct sw_fused_line){.a1 = r->a1, .a2 = r->a2, .scale = r->scale, .decay_warps = 1};
    set_stages(r, cut->n, cut->lanes, false, line);
    sw_recursive_power(r, cut->n, turn);
    sw_recursive_closure(r, cut->n, line->closure);
    line->closed = !negligible(turn, false);
}

/* What closes a line that ends: of lanes.h, with f_{n-1} in place of y_{n-1} = f_{n-1} - a1 y_{n-2} - a2 y_{n-3},
 * as a lane has it before it goes through its points. */
static void set_ends(const struct sw_fused_cut *cut, const bool value[2], const struct sw_recursive *up,
                     const struct sw_recursive *down, bool closed, double *table)
{
    struct sw_lanes_line line = {.factor = {[SW_LANES_UP] = *up, [SW_LANES_DOWN] = *down}, .decays = !closed};
    sw_lanes_close_line(cut->n, value, &line);
    for (int row = 0; row < 2; row++) {
        const double *start = line.start[SW_LANES_UP][row];
        const double by_f[SW_LANES_STARTS] = {start[0], start[1], start[2], start[3], start[4] - up->a1 * start[3],
                                              start[5] - up->a2 * start[3]};
        memcpy(table + SW_ENDED_START + 6 * row, by_f, sizeof by_f);
    }
    memcpy(table + SW_ENDED_FAR, line.far[SW_LANES_UP], sizeof line.far[SW_LANES_UP]);
    sw_recursive_power(down, cut->n / cut->lanes - 1, table + SW_ENDED_NEAR_POWER);
    sw_recursive_power(up, (cut->n + cut->lanes - 1) / cut->lanes - 1, table + SW_ENDED_FAR_POWER);
}

/* Of unknown v. */
static void set_systems(const struct sw_fused_cut *cut, const struct sw_line_model *model, int v,
                        const struct sw_line_operator *of_run, int sides, struct sw_fused_line *line, double *table)
{
    static const struct sw_line_operator one = {0};
    const struct sw_line_operator a = sw_line_matrix_of(of_run, &model->mass[v]);
    const bool value[2] = {model->end[0][v].kind == SW_END_VALUE, model->end[1][v].kind == SW_END_VALUE};
    struct sw_recursive up, down;
    if (!sw_recursive_factors(&a, false, &up, &down)) sw_recursive_factors(&one, false, &up, &down);
    set_direction(cut, &up, &line[0]);
    if (sides == 2) set_direction(cut, &down, &line[1]);
    if (cut->ended) set_ends(cut, value, &up, &down, line[0].closed || line[sides - 1].closed, table);
}

void sw_fused_systems_set(const struct sw_fused_cut *cut, const struct sw_line_model *model, int sides, int count,
                          const struct sw_line_run *run, int threads, struct sw_fused_line *line, double *table)
{
    const size_t unknowns = (size_t)sw_line_unknowns(model), size = (size_t)sw_fused_table(cut) / unknowns;
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads) if (count > 64)
    for (int j = 0; j < count; j++)
        for (size_t v = 0; v < unknowns; v++) {
            const size_t of = (size_t)j * unknowns + v;
            set_systems(cut, model, (int)v, &run[j].a[v], sides, &line[of * (size_t)sides], table + of * size);
        }
}

void sw_fused_common_set(const struct sw_fused_line *line, enum sw_scheme scheme, struct sw_fused_common *c)
{
    c->line = *line;
    c->scale = (scheme == SW_CRANK_NICOLSON ? 2.0 : 1.0) * line->scale;
    c->h[0] = c->h[1] = 0.0;
    for (int k = 2; k < SW_FUSED_MOST + 2; k++)
        c->h[k] = sw_recursive_next(line->a1, line->a2, k == 2 ? 1.0 : 0.0, c->h[k - 1], c->h[k - 2]);
}

void sw_fused_line_to_single(const struct sw_fused_line *line, struct sw_fused_line_single *s)
{
    *s = (struct sw_fused_line_single){
        .a1 = (float)line->a1, .a2 = (float)line->a2, .scale = (float)line->scale,
        .stages = line->stages, .decay_warps = line->decay_warps, .closed = line->closed,
    };
    for (int k = 0; k < 4; k++) s->closure[k] = (float)line->closure[k];
    for (int k = 0; k < 8 * SW_FUSED_MAX_STAGES; k++) s->power[k / 4][k % 4] = (float)line->power[k / 4][k % 4];
}

/* h as the recursion in single precision gives it, which kernels with coefficients of their own go through. */
void sw_fused_common_to_single(const struct sw_fused_common *c, struct sw_fused_common_single *s)
{
    sw_fused_line_to_single(&c->line, &s->line);
    s->scale = (float)c->scale;
    s->h[0] = s->h[1] = 0.0f;
    for (int k = 2; k < SW_FUSED_MOST + 2; k++)
        s->h[k] = sw_recursive_next_single(s->line.a1, s->line.a2, k == 2 ? 1.0f : 0.0f, s->h[k - 1], s->h[k - 2]);
}

static bool alike(const struct sw_line_run *x, const struct sw_line_run *y)
{
    return x->a[0].s4 == y->a[0].s4 && x->a[0].s2 == y->a[0].s2;
}

bool sw_fused_batch_set(const struct sw_fused_cut *cut, int count, const struct sw_line_run *run, int threads,
                        struct sw_fused_line *line, double *table)
{
    enum { PIECE = 64 };  /* runs that a thread takes at once: those in a row are often alike */
    size_t size = (size_t)sw_fused_table(cut);
    int differ = 1;
    while (differ < count && alike(&run[differ], &run[0])) differ++;
    if (differ == count) count = 1;
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (count > PIECE)
    for (int piece = 0; piece < count; piece += PIECE)
        for (int j = piece; j < piece + PIECE && j < count; j++) {
            double *mine = table + (size_t)j * size;
            if (j > piece && alike(&run[j], &run[j - 1])) {
                line[j] = line[j - 1];
                if (size) memcpy(mine, mine - size, size * sizeof *mine);
            } else {
                sw_fused_line_set(cut, run[j].a[0].s4, run[j].a[0].s2, &line[j], mine);
            }
        }
    return count > 1;
}
