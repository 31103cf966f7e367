#include "run/last_steps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "expr/random_point.h"
#include "field/dft.h"
#include "run/domain.h"

/* From the last state on so many steps are taken once more beyond
 * the end, and twice as many of half the length:
 *
 * - of the state, whose distance after them is what the steps make of it;
 * - of the state with noise of 1e-6 of its size, so that all waves are in it: how much each of them grows.
 *
 * A state to which the run comes back after two, three or four steps, and not after one, is a cycle of the steps. */

static const double noise = 1e-6;    /* of the size of u: differences of it are known to 1e-10 */
static const double grown = 4;       /* times what half steps let a wave grow: more is not the equation's */
static const double returned = 0.05; /* of the way of one step: what comes so near is back */

enum { LONGEST_CYCLE = 4 };

struct last {
    const struct runs *r;
    int      count;
    size_t   points;
    double  *column;           /* [ncolumn][2 count], those with noise behind the others */
    double  *begun;            /* [2 count][unknowns][points] */
    double  *way[LONGEST_CYCLE + 1];  /* [0] after all steps, [k] after k, as begun */
    double  *half;             /* after twice as many of half the length */
};

static double *line_of(const struct last *l, double *u, int j, int v)
{
    return u + ((size_t)j * (size_t)l->r->unknowns + (size_t)v) * l->points;
}

/* Where the grid is cut: over the points of all ranks. */
static double distance(const struct last *l, const double *u, const double *v)
{
    double sum = 0;
    for (size_t i = 0; i < l->points; i++) sum += (u[i] - (v ? v[i] : 0)) * (u[i] - (v ? v[i] : 0));
    if (sw_comm_sum(l->r->setup->domain.all, 1, &sum)) return NAN;
    return sqrt(sum / (double)sw_points(l->r->group->n));
}

/* Point i that is here, as one of the whole grid. */
static int number_of(const struct last *l, size_t i)
{
    const struct sw_setup *s = l->r->setup;
    return (int)(s->domain.all ? sw_setup_number_in_whole(s, (int64_t)i) : (int64_t)i);
}

static void add_noise(const struct last *l)
{
    for (int j = 0; j < l->count; j++)
        for (int v = 0; v < l->r->unknowns; v++) {
            const double *u = line_of(l, l->begun, j, v);
            const double size = distance(l, u, NULL);
            double *with = line_of(l, l->begun, l->count + j, v);
            for (size_t i = 0; i < l->points; i++)
                with[i] = u[i] + noise * size * (2 * sw_rand(1, number_of(l, i), 0, (uint32_t)v) - 1);
        }
}

/* Of runs with paces each step beyond the end is a goal. */
static enum sw_status pass_ends(const struct runs *r, int steps, int times, struct sw_paces *paces,
                                struct sw_setup *setup)
{
    const int64_t goals = times * steps;
    if (!setup->paces) return SW_OK;
    SW_TRY(runs_other_paces(r, times, goals, paces));
    for (int64_t k = 0; k < paces->count * (goals + 1); k++)
        paces->at[k] = paces->steps[k / (goals + 1)] + k % (goals + 1);
    setup->paces = paces;
    return SW_OK;
}

/* @param times  1: steps as they are; 2: half of them, twice as many */
static enum sw_status take_steps(struct last *l, int steps, int times)
{
    const int64_t from = times * l->r->group->steps;
    struct sw_paces paces;
    struct sw_setup setup = *l->r->setup;
    struct sw_sim *sim;
    enum sw_status st;
    setup.capacity = 2 * l->count;
    SW_TRY(pass_ends(l->r, steps, times, &paces, &setup));
    st = sim_of_runs(&setup, l->r->device, l->column, false, &sim);
    st = sw_comm_agree(setup.domain.all, st);
    if (st) goto done;
    SW_TRY_TO(done, st, sw_sim_set_state(sim, l->begun));
    for (int k = 0, to; k < times * steps && !st; k = to) {
        to = times == 1 && k < LONGEST_CYCLE ? k + 1 : times * steps;
        if (setup.paces) st = sim->ops->advance(sim, k * SW_TICKS, to * SW_TICKS);
        else st = sim->ops->advance(sim, from + k, from + to);
        if (st) goto done;
        if (times == 1 && to <= LONGEST_CYCLE) SW_TRY_TO(done, st, sw_sim_get_state(sim, l->way[to]));
    }
    st = sw_sim_get_state(sim, times == 1 ? l->way[0] : l->half);
done:
    if (sim) sim->ops->destroy(sim);
    return st;
}

/* @param w  out: on all points of the line  @param room  for those that are here */
static enum sw_status subtract(const struct last *l, const double *u, const double *v, double *room, double *w)
{
    double *const here = l->r->setup->domain.all ? room : w;
    for (size_t i = 0; i < l->points; i++) here[i] = u[i] - v[i];
    return here == w ? SW_OK : domain_gather_lines(l->r->setup, 1, here, w);
}

/* |X_k|² of the difference of two lines. @param power  [points/2 + 1] of the whole line */
static enum sw_status powers(const struct last *l, const double *u, const double *v, double *power)
{
    const struct sw_comm *comm = l->r->setup->domain.all;
    const int count = (int)l->r->group->n[0];
    struct sw_dft d;
    double *room = NULL, *w = NULL;
    enum sw_status st = sw_dft_create(count, &d);
    if (!st) st = sw_alloc(4 * (size_t)d.length, &room);
    if (!st) st = sw_alloc((size_t)count, &w);
    st = sw_comm_agree(comm, st);
    if (!st) st = subtract(l, u, v, room, w);
    if (!st) {
        double *const re[2] = {room, room + d.length}, *const im[2] = {room + 2 * d.length, room + 3 * d.length};
        const int at = sw_dft_real(&d, w, re, im);
        for (int k = 0; k <= count / 2; k++) power[k] = re[at][k] * re[at][k] + im[at][k] * im[at][k];
    }
    sw_free(w);
    sw_free(room);
    sw_dft_destroy(&d);
    return st;
}

/* The wave that steps let grow most beyond what half steps do. @param points  out: its length; 0: none does */
static enum sw_status find_growing(struct last *l, int j, int v, int steps, double *points, double *growth)
{
    enum { BEFORE, STEPS, HALF, STATES };
    double *const state[STATES] = {l->begun, l->way[0], l->half};
    const struct sw_comm *comm = l->r->setup->domain.all;
    const size_t all = (size_t)l->r->group->n[0], waves = all / 2 + 1;
    double *power, most = grown * grown;
    *points = 0;
    enum sw_status st = sw_alloc(STATES * waves, &power);
    st = sw_comm_agree(comm, st);
    for (int k = 0; k < STATES && !st; k++)
        st = powers(l, line_of(l, state[k], l->count + j, v), line_of(l, state[k], j, v), power + (size_t)k * waves);
    for (size_t k = 0; k < waves && !st; k++) {
        const double allowed = fmax(power[BEFORE * waves + k], power[HALF * waves + k]),
                     times = power[STEPS * waves + k] / allowed;
        if (!(times > most)) continue;
        most = times;
        *points = k ? (double)all / (double)k : INFINITY;
        *growth = pow(power[STEPS * waves + k] / power[BEFORE * waves + k], 0.5 / steps);
    }
    sw_free(power);
    return st;
}

/* After how many steps a run comes back to its last state, and not after one; 0: it does not. */
static int find_cycle(struct last *l, int j, int v, double size)
{
    const double *u = line_of(l, l->begun, j, v), one = distance(l, line_of(l, l->way[1], j, v), u);
    for (int k = 2; k <= LONGEST_CYCLE && one > SW_COARSE * size; k++)
        if (distance(l, line_of(l, l->way[k], j, v), u) < returned * one) return k;
    return 0;
}

static enum sw_status describe(struct last *l, int j, int v, int steps, const double *first, struct last_steps *found)
{
    const double size = fmax(distance(l, line_of(l, l->begun, j, v), NULL), SW_DECAYED * first[v]),
                 off = distance(l, line_of(l, l->way[0], j, v), line_of(l, l->half, j, v)) / size;
    const int cycle = find_cycle(l, j, v, size);
    double points = 0, growth = 0;
    if (isfinite(off) && off > found->off) found->off = off;
    if (*found->text || !isfinite(off)) return SW_OK;
    if (cycle)
        snprintf(found->text, sizeof found->text, "the last state is back after %d steps, and not after one: it is a "
                 "cycle of the steps", cycle);
    else if (off > SW_COARSE)
        snprintf(found->text, sizeof found->text, "in %d steps from the last state on, half the step goes elsewhere by "
                 "%.2g of u", steps, off);
    else if (l->r->setup->dim == 1) {
        SW_TRY(find_growing(l, j, v, steps, &points, &growth));
        if (points > 0)
            snprintf(found->text, sizeof found->text, "at the end the steps let waves of %.3g points grow by %.3g "
                     "each, and half the step does not", points, growth);
    }
    return SW_OK;
}

enum sw_status last_steps_look(const struct runs *r, int count, const double *column, const double *end,
                               const double *first, int steps, struct last_steps *found)
{
    const size_t ncolumn = (size_t)r->sweep->ncolumn, size = r->size, runs = (size_t)count;
    const int64_t dt = sw_setup_column(r->setup, "time.dt");
    struct last l = {.r = r, .count = count, .points = (size_t)sw_points(r->setup->n)};
    enum sw_status st;
    st = sw_alloc(ncolumn * 2 * runs, &l.column);
    if (!st) st = sw_alloc(2 * runs * size, &l.begun);
    if (!st) st = sw_alloc(2 * runs * size, &l.half);
    for (int k = 0; k <= LONGEST_CYCLE && !st; k++) st = sw_alloc(2 * runs * size, &l.way[k]);
    st = sw_comm_agree(r->setup->domain.all, st);
    if (st) goto done;
    for (size_t k = 0; k < ncolumn; k++)
        for (size_t j = 0; j < 2 * runs; j++) l.column[k * 2 * runs + j] = column[k * runs + j % runs];
    memcpy(l.begun, end, runs * size * sizeof *end);
    add_noise(&l);
    SW_TRY_TO(done, st, take_steps(&l, steps, 1));
    for (size_t j = 0; j < 2 * runs && dt >= 0; j++) l.column[(size_t)dt * 2 * runs + j] /= 2;
    SW_TRY_TO(done, st, take_steps(&l, steps, 2));
    for (int j = 0; j < count && !st; j++)
        for (int v = 0; v < r->unknowns && !st; v++) st = describe(&l, j, v, steps, first + j * r->unknowns, &found[j]);
done:
    for (int k = 0; k <= LONGEST_CYCLE; k++) sw_free(l.way[k]);
    sw_free(l.column);
    sw_free(l.begun);
    sw_free(l.half);
    return st;
}
