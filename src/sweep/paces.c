/* Groups whose runs differ in time.dt, or time.end, and have the same outputs in the same order: one group, whose runs
 * go from output to output side by side, each in steps of its pace (struct sw_paces). */
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "sweep/groups.h"

/* ------------------------------------------------------------------ the goals of a group */

enum { FIELD = 1, SCALARS = 2 };

/* 0, the outputs, the end: of a group with the most steps, of those that go together. */
struct goals {
    int64_t  count;      /* after 0            */
    int64_t *at;         /* [count + 1] steps; of a group that becomes part of another at the goals of that one */
    char    *what;       /* [count + 1] which outputs are there: FIELD, SCALARS; NULL: it becomes part of another */
    int      head;       /* that other group; -1: none     */
    double   work;       /* points times steps of the runs, with those of the groups that become part of it */
};

/* Groups go together up to this: some ten seconds of a core. A batch looks for a stop once in 1/SW_TICKS of the steps
 * to an output, and begins again where runs that have ended took part in its goals: both then cost little. Larger
 * groups fill batches by themselves. */
static const double most_work = 0x1p34;

static double work_of(const struct sw_group *g)
{
    return (double)g->count * (double)g->steps * (double)sw_points(g->n);
}

static bool all_have_steps(int count, const int64_t *step)
{
    for (int k = 0; k < count; k++)
        if (step[k] < 0) return false;
    return true;
}

static bool may_have_paces(const struct sw_group *g)
{
    return !g->goals && !g->cut && !g->nlook && g->steps > 0 && all_have_steps(g->nfield, g->field_step) &&
           all_have_steps(g->nscalar, g->scalar_step);
}

static enum sw_status list_goals(const struct sw_group *g, struct goals *out)
{
    const size_t room = (size_t)g->nfield + (size_t)g->nscalar + 2;
    int f = 0, s = 0;
    SW_TRY(sw_alloc(room, &out->at));
    SW_TRY(sw_alloc(room, &out->what));
    for (int64_t step = 0;; out->count++) {
        const bool field = f < g->nfield && g->field_step[f] == step,
                   scalars = s < g->nscalar && g->scalar_step[s] == step;
        out->at[out->count] = step;
        out->what[out->count] = (char)((field ? FIELD : 0) | (scalars ? SCALARS : 0));
        f += field;
        s += scalars;
        if (step == g->steps) return SW_OK;
        step = g->steps;
        if (f < g->nfield && g->field_step[f] < step) step = g->field_step[f];
        if (s < g->nscalar && g->scalar_step[s] < step) step = g->scalar_step[s];
    }
}

/* The steps of a group at the goals of another one. Longer steps may bring a field and scalars together that are apart
 * there, or to the beginning or the end. @param at  out: [goals->count + 1]  @return false: its order is another */
static bool fit_goals(const struct sw_group *g, const struct goals *goals, int64_t *at)
{
    int f = 0, s = 0;
    for (int64_t k = 0; k <= goals->count; k++) {
        const int64_t field = goals->what[k] & FIELD ? g->field_step[f++] : -1,
                      scalars = goals->what[k] & SCALARS ? g->scalar_step[s++] : -1;
        at[k] = field >= 0 ? field : scalars >= 0 ? scalars : k ? g->steps : 0;
        if (field >= 0 && scalars >= 0 && field != scalars) return false;
        if (k ? at[k] < at[k - 1] : at[k] > 0) return false;
    }
    return at[goals->count] == g->steps;
}

/* Whether two groups differ in their steps alone. */
static bool alike(const struct sw_group *a, const struct sw_group *b, int nchoice)
{
    if (a->dim != b->dim || memcmp(a->n, b->n, sizeof a->n) != 0 || !sw_text_same(a->solver, b->solver)) return false;
    for (int k = 0; k < nchoice; k++)
        if (!sw_text_same(a->choice[k].word, b->choice[k].word)) return false;
    return a->nfield == b->nfield && a->nscalar == b->nscalar;
}

/* ------------------------------------------------------------------ groups together */

/* Groups are in the order of n and steps; those that are alike are near each other. */
enum { LOOK_AROUND = 16 };

/* Those behind this group have found what they become part of.
 * @param least  [ngroup] in and out: the group of each head's that has the fewest steps */
static enum sw_status find_head(const struct sw_group *group, struct goals *goals, int *least, int g, int ngroup,
                                int nchoice)
{
    for (int k = g + 1; k < ngroup && k <= g + LOOK_AROUND; k++) {
        const int head = goals[k].head < 0 ? k : goals[k].head;
        if (!goals[head].what || group[least[head]].steps <= group[g].steps ||
            !alike(&group[head], &group[g], nchoice) || goals[head].work + work_of(&group[g]) > most_work)
            continue;
        SW_TRY(sw_alloc((size_t)goals[head].count + 1, &goals[g].at));
        if (fit_goals(&group[g], &goals[head], goals[g].at)) {
            goals[g].head = head;
            goals[head].work += work_of(&group[g]);
            least[head] = g;
            return SW_OK;
        }
        sw_free(goals[g].at);
        goals[g].at = NULL;
    }
    goals[g].work = work_of(&group[g]);
    return list_goals(&group[g], &goals[g]);
}

struct paced { int64_t run; int pace; };

static int by_run(const void *a, const void *b)
{
    const struct paced *x = a, *y = b;
    return (x->run > y->run) - (x->run < y->run);
}

static enum sw_status alloc_paces(int count, int64_t goals, struct sw_paces **paces)
{
    SW_TRY(sw_alloc(1, paces));
    (*paces)->count = count;
    (*paces)->goals = goals;
    SW_TRY(sw_alloc((size_t)count, &(*paces)->steps));
    return sw_alloc((size_t)count * (size_t)(goals + 1), &(*paces)->at);
}

static void set_outputs(struct sw_group *g, const struct goals *of)
{
    int f = 0, s = 0;
    for (int64_t k = 0; k <= of->count; k++) {
        if (of->what[k] & FIELD) g->field_step[f++] = k * SW_TICKS;
        if (of->what[k] & SCALARS) g->scalar_step[s++] = k * SW_TICKS;
    }
    g->steps = of->count * SW_TICKS;
}

/* The head takes the runs of its members, which are those before it that name it. */
static enum sw_status join(struct sw_group *group, const struct goals *goals, int head)
{
    struct sw_group *g = &group[head];
    const size_t width = (size_t)goals[head].count + 1;
    struct paced *all = NULL;
    int64_t count = 0;
    int paces = 0;
    enum sw_status st;
    for (int k = 0; k <= head; k++)
        if (k == head || goals[k].head == head) count += group[k].count, paces++;
    SW_TRY(alloc_paces(paces, goals[head].count, &g->paces));
    SW_TRY_TO(done, st, sw_alloc((size_t)count, &all));
    SW_TRY_TO(done, st, sw_alloc((size_t)count, &g->pace));
    count = paces = 0;
    for (int k = 0; k <= head; k++) {
        if (k != head && goals[k].head != head) continue;
        for (int64_t j = 0; j < group[k].count; j++) all[count++] = (struct paced){group[k].run[j], paces};
        g->paces->steps[paces] = group[k].steps;
        memcpy(g->paces->at + (size_t)paces++ * width, goals[k].at, width * sizeof *goals[k].at);
    }
    SW_TRY_TO(done, st, sw_resize((size_t)g->count, (size_t)count, &g->run));
    qsort(all, (size_t)count, sizeof *all, by_run);
    for (int64_t j = 0; j < count; j++) {
        g->run[j] = all[j].run;
        g->pace[j] = all[j].pace;
    }
    g->count = count;
    set_outputs(g, &goals[head]);
done:
    sw_free(all);
    return st;
}

/* Those that are part of another are gone. */
static int drop_members(struct sw_group *group, const struct goals *goals, int ngroup)
{
    int left = 0;
    for (int g = 0; g < ngroup; g++) {
        if (goals[g].head >= 0) {
            group_free(&group[g]);
            continue;
        }
        if (left < g) group[left] = group[g];
        left++;
    }
    return left;
}

enum sw_status sw_groups_pace(const struct sw_sweep *sweep, const bool *takes, struct sw_group *group, int *ngroup)
{
    const int count = *ngroup;
    struct goals *goals = NULL;
    int *least = NULL;
    enum sw_status st;
    SW_TRY_TO(done, st, sw_alloc((size_t)count, &goals));
    SW_TRY_TO(done, st, sw_alloc((size_t)count, &least));
    for (int g = count - 1; g >= 0; g--) {
        least[g] = g;
        goals[g].head = -1;
        if (takes[g] && may_have_paces(&group[g]))
            SW_TRY_TO(done, st, find_head(group, goals, least, g, count, sweep->nchoice));
    }
    for (int g = 0; g < count && !st; g++)
        if (least[g] != g) st = join(group, goals, g);
    if (!st) *ngroup = drop_members(group, goals, count);
done:
    for (int g = 0; goals && g < count; g++) {
        sw_free(goals[g].at);
        sw_free(goals[g].what);
    }
    sw_free(goals);
    sw_free(least);
    return st;
}

/* ------------------------------------------------------------------ of a group with paces */

int sw_group_pace(const struct sw_group *g, int64_t run)
{
    int64_t low = 0, high = g->count - 1;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (g->run[middle] < run) low = middle + 1;
        else high = middle;
    }
    return g->pace[low];
}

/* FNV-1a of the run's id and the steps at its goals. A sum does not depend on the order of runs. */
int64_t sw_group_ticks_digest(const struct sw_group *g, int64_t run, uint64_t id, int64_t others)
{
    const uint64_t prime = 1099511628211u;
    uint64_t h = (14695981039346656037u ^ id) * prime;
    if (!g->paces) return 0;
    const long long *at = g->paces->at + sw_group_pace(g, run) * (g->paces->goals + 1);
    for (int64_t k = 0; k <= g->paces->goals; k++) h = ((h ^ (h >> 29)) ^ (uint64_t)at[k]) * prime;
    return (others + (int64_t)(h >> 20)) & (((int64_t)1 << 44) - 1);
}

struct sw_group_steps sw_group_steps(const struct sw_group *g)
{
    const struct sw_paces *p = g->paces;
    struct sw_group_steps s = {g->steps, g->steps, (double)g->steps};
    if (!p) return s;
    s = (struct sw_group_steps){p->steps[0], p->steps[p->count - 1], 0};
    for (int64_t j = 0; j < g->count; j++) s.mean += (double)p->steps[g->pace[j]] / (double)g->count;
    return s;
}
