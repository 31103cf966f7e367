/* Which runs of a sweep are to do, and the batches that they are cut into. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_hash.h"
#include "base/sw_mem.h"
#include "base/sw_order.h"
#include "base/sw_text.h"
#include "device/sw_kernels.h"
#include "problem/device/reducer.h"
#include "run/domain.h"
#include "run/plan_impl.h"
#include "run/rungs.h"

/* ---- which runs are still to do */

static bool is_to_do(const struct sw_completed *completed, uint64_t id, bool retry_failed, struct sw_plan *p)
{
    enum sw_run_status status = sw_completed_status(completed, id);
    bool failed = status == SW_RUN_DIVERGED || status == SW_RUN_ERROR;
    if (status == SW_RUN_PENDING || (failed && retry_failed)) return true;
    if (failed) p->failed++;
    else p->done++;
    return false;
}

static enum sw_status choose_runs(struct sw_plan *p)
{
    struct sw_plan_own *own = p->own;
    const struct sw_plan_desc *of = &own->of;
    SW_TRY(sw_alloc((size_t)of->count, &own->todo));
    for (int64_t k = 0; k < of->count; k++)
        if (is_to_do(of->completed, of->id[of->run[k]], of->retry_failed, p)) own->todo[p->nruns++] = of->run[k];
    return SW_OK;
}

/* ---- a list of batches */

/* Whether a group has a run. */
static bool group_has_run(const struct sw_group *g, int64_t run)
{
    int64_t low = 0, high = g->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (g->run[middle] < run) low = middle + 1;
        else high = middle;
    }
    return low < g->count && g->run[low] == run;
}

/* Append a batch; its members are copied. */
static enum sw_status add_batch(struct sw_plan *p, int group, const struct member *m, int count,
                                const struct sw_checkpoint *resume)
{
    struct sw_plan_own *own = p->own;
    if (p->nbatch == own->room) {
        int64_t room = 2 * own->room + 16;
        SW_TRY(sw_resize((size_t)own->room, (size_t)room, &p->batch));
        own->room = room;
    }
    struct sw_plan_batch b = {.group = group, .count = count, .run = own->run + own->used, .id = own->id + own->used,
                              .row = own->row + own->used, .resume = resume};
    for (int k = 0; k < count; k++) {
        b.run[k] = m[k].run;
        b.id[k] = m[k].id;
        b.row[k] = m[k].row;
    }
    own->used += count;
    p->batch[p->nbatch++] = b;
    return SW_OK;
}

/* ---- runs that differ in their steps, in one group */

/* Checkpoints that have a step in place of a tick: of a device that takes no paces, or of a shorter sweep that was made
 * longer. @param id  out: of a run of each, ascending. Free with sw_free() */
static enum sw_status find_steps_stored(const struct sw_completed *completed, uint64_t **id, size_t *count)
{
    const size_t most = completed ? (size_t)completed->ncheckpoint : 0;
    *count = 0;
    SW_TRY(sw_alloc(most, id));
    for (size_t k = 0; k < most; k++)
        if (!completed->checkpoint[k].ticks && completed->checkpoint[k].count)
            (*id)[(*count)++] = completed->checkpoint[k].id[0];
    qsort(*id, *count, sizeof **id, sw_by_id);
    return SW_OK;
}

static bool takes_paces(const struct sw_plan *p, const struct sw_group *g)
{
    const struct sw_sweep *sweep = p->own->of.sweep;
    const struct sw_problem_time *time = sweep->problem->time;
    const struct sw_devices *devices = p->own->devices;
    if (!time || !time->takes_paces || sweep->own_steps || sweep->stops || sweep->rungs > 1) return false;
    const struct sw_setup setup = sw_sweep_setup(sweep, g, 1);
    for (int k = 0; k < devices->count; k++)
        if (!time->takes_paces(&setup, devices->device[k])) return false;
    return true;
}

/* Any device may get any batch: those of all ranks. Collective. */
static enum sw_status pace_groups(struct sw_plan *p)
{
    const struct sw_comm *comm = p->own->sharing.comm;
    double *refused = NULL;
    bool *takes = NULL;
    uint64_t *stored = NULL;
    size_t nstored = 0;
    const size_t count = (size_t)p->ngroup;
    if (count < 2) return SW_OK;
    enum sw_status st = sw_alloc(count, &refused);
    if (!st) st = sw_alloc(count, &takes);
    if (!st) st = find_steps_stored(p->own->of.completed, &stored, &nstored);
    SW_TRY_TO(done, st, sw_comm_agree(comm, st));
    for (size_t g = 0; g < count; g++) refused[g] = !takes_paces(p, &p->group[g]);
    SW_TRY_TO(done, st, sw_comm_max(comm, count, refused));
    for (size_t g = 0; g < count; g++) {
        takes[g] = refused[g] == 0;
        for (int64_t j = 0; takes[g] && nstored && j < p->group[g].count; j++)
            takes[g] = !bsearch(&p->id[p->group[g].run[j]], stored, nstored, sizeof *stored, sw_by_id);
    }
    st = sw_groups_pace(p->own->of.sweep, takes, p->group, &p->ngroup);
done:
    sw_free(refused);
    sw_free(takes);
    sw_free(stored);
    return st;
}

/* ---- batches that continue from a checkpoint */

struct run_id { uint64_t id; int64_t run; };

/* Whether the stored outputs are the group's first ones, up to the stored step. */
static bool outputs_match(const struct sw_group *g, const struct sw_checkpoint *old)
{
    int f = old->fields_done, s = old->scalars_done;
    if (old->step < 0 || old->step > g->steps || f > g->nfield || s > g->nscalar) return false;
    return (f == 0 || g->field_step[f - 1] <= old->step) && (f == g->nfield || g->field_step[f] > old->step) &&
           (s == 0 || g->scalar_step[s - 1] <= old->step) && (s == g->nscalar || g->scalar_step[s] > old->step);
}

/* Whether the outputs match; then the group has as many slices as the checkpoint, or more. */
static bool cut_like(struct sw_group *g, const struct sw_checkpoint *old)
{
    const int before = g->cut;
    if (old->cut == before) return outputs_match(g, old);
    sw_group_cut(g, old->cut);
    const bool match = outputs_match(g, old);
    if (!match || old->cut < before) sw_group_cut(g, before);
    return match;
}

/* Whether the stored step is the same one in this group: a tick of runs that have as many steps to take to each goal as
 * they had, or a step where they have no ticks. */
static bool same_ticks(const struct sw_group *g, const struct sw_checkpoint *old, const struct member *m)
{
    int64_t digest = 0;
    for (int k = 0; k < old->count; k++) digest = sw_group_ticks_digest(g, m[k].run, m[k].id, digest);
    return digest == old->ticks;
}

/* The runs of a stored batch, in the order of this sweep's runs. @return false if one of them is not to do, or they are
 * no longer of one group: such a batch starts again at step 0, which costs time only */
static bool find_members(const struct sw_plan *p, const struct sw_checkpoint *old, const struct run_id *todo_by_id,
                         struct member *m, int *group)
{
    for (int k = 0; k < old->count; k++) {
        const struct run_id *hit = bsearch(&old->id[k], todo_by_id, (size_t)p->nruns, sizeof *hit, sw_by_id);
        if (!hit || p->own->claimed[hit - todo_by_id]) return false;
        m[k] = (struct member){hit->run, old->id[k], k, 0};
    }
    qsort(m, (size_t)old->count, sizeof *m, sw_by_integer);
    for (*group = 0; *group < p->ngroup && !group_has_run(&p->group[*group], m[0].run);) ++*group;
    for (int k = 0; k < old->count; k++)
        if (*group == p->ngroup || !group_has_run(&p->group[*group], m[k].run)) return false;
    return same_ticks(&p->group[*group], old, m) && cut_like(&p->group[*group], old);
}

static void claim_runs(struct sw_plan *p, const struct sw_checkpoint *old, const struct run_id *todo_by_id)
{
    for (int k = 0; k < old->count; k++) {
        const struct run_id *hit = bsearch(&old->id[k], todo_by_id, (size_t)p->nruns, sizeof *hit, sw_by_id);
        p->own->claimed[hit - todo_by_id] = true;
    }
}

/* Add the batches of checkpoints whose runs are all to do. */
static enum sw_status resume_batches(struct sw_plan *p)
{
    const struct sw_completed *completed = p->own->of.completed;
    /* where runs may be cut, only those that are have a checkpoint */
    const bool cut = p->own->of.sweep->problem->cuts != NULL;
    struct run_id *todo_by_id = NULL;
    struct member *m = NULL;
    enum sw_status st = SW_OK;
    if (!completed || !completed->ncheckpoint || !p->nruns) return SW_OK;
    SW_TRY_TO(out, st, sw_alloc((size_t)p->nruns, &todo_by_id));
    SW_TRY_TO(out, st, sw_alloc((size_t)p->nruns, &p->own->claimed));
    SW_TRY_TO(out, st, sw_alloc((size_t)p->nruns, &m));
    for (int64_t k = 0; k < p->nruns; k++) todo_by_id[k] = (struct run_id){p->id[p->own->todo[k]], p->own->todo[k]};
    qsort(todo_by_id, (size_t)p->nruns, sizeof *todo_by_id, sw_by_id);
    for (int k = 0; k < completed->ncheckpoint; k++) {
        const struct sw_checkpoint *old = &completed->checkpoint[k];
        int group;
        if (cut ? old->cut < 1 || old->cut > SW_CUT_MOST || old->count != 1 : old->cut) continue;
        if (old->count < 1 || old->count > p->nruns || !find_members(p, old, todo_by_id, m, &group)) continue;
        claim_runs(p, old, todo_by_id);
        SW_TRY_TO(out, st, add_batch(p, group, m, old->count, old));
        p->own->kept = ++p->own->resumed;
    }
out:
    sw_free(todo_by_id);
    sw_free(m);
    return st;
}

/* ---- checkpoints that are of other slices: their runs begin again */

static void begin_again(struct sw_plan *p, int64_t k, const char *why)
{
    struct sw_plan_batch again = p->batch[k];
    if (!p->nagain++) snprintf(p->again, sizeof p->again, "%s", why);
    again.resume = NULL;
    p->batch[k] = p->batch[--p->own->resumed];
    p->batch[p->own->resumed] = again;
}

/* The slices of two rows are not the same: what a GPU has begun a CPU does not continue. */
static void begin_again_with_row(struct sw_plan *p)
{
    const struct sw_sweep *sweep = p->own->of.sweep;
    char why[sizeof p->again];
    if (!sweep->problem->cuts) return;
    for (int g = 0; g < p->ngroup; g++)
        if (p->group[g].cut) sw_group_cut(&p->group[g], 0);
    for (int64_t k = p->own->resumed; k-- > 0;) {
        const struct sw_plan_batch *b = &p->batch[k];
        struct sw_group *group = &p->group[b->group];
        const struct sw_setup setup = sw_sweep_setup(sweep, group, 1);
        const char *row = sweep->problem->cuts->row_of_slices(&setup, p->own->devices->device[0]);
        if (row && !strcmp(row, b->resume->solver) && b->resume->cut <= plan_deepest_cut(p, group)) {
            if (b->resume->cut > group->cut) sw_group_cut(group, b->resume->cut);
            continue;
        }
        snprintf(why, sizeof why, "run %lld begins again: its checkpoint has slices of %.40s, and those of %.40s are "
                 "others", (long long)b->run[0], b->resume->solver, row ? row : "this solver");
        begin_again(p, k, why);
    }
}

/* Whether a run goes on that has as many slices as its group now. */
static bool goes_on_as_cut(const struct sw_plan *p, int group)
{
    for (int64_t b = 0; b < p->own->resumed; b++)
        if (p->batch[b].group == group && p->batch[b].resume->cut == p->group[group].cut) return true;
    return false;
}

/* The group had to be cut into more slices than a checkpoint has: for the memory, or because another checkpoint has
 * more. */
static void begin_again_in_slices(struct sw_plan *p)
{
    char why[sizeof p->again];
    for (int64_t k = p->own->resumed; k-- > 0;) {
        const struct sw_plan_batch *b = &p->batch[k];
        struct sw_group *group = &p->group[b->group];
        const int cut = group->cut, before = b->resume->cut;
        if (cut == before) continue;
        sw_group_cut(group, before);
        const double bytes = plan_run_bytes(p, group);
        sw_group_cut(group, cut);
        int used = snprintf(why, sizeof why, "run %lld begins again, in %lld slices: the %lld of its checkpoint ",
                            (long long)b->run[0], 1LL << cut, 1LL << before);
        if (goes_on_as_cut(p, b->group)) snprintf(why + used, sizeof why - (size_t)used, "are not those of other runs");
        else snprintf(why + used, sizeof why - (size_t)used, "need %.3g GiB, more than there is now (run.memory)",
                      bytes / 0x1p30);
        begin_again(p, k, why);
    }
}

/* ---- batches that start at step 0, cut to the memory */

/* Copy the runs of a group that no batch with a checkpoint has into m. @return their number */
static int64_t unclaimed_runs(const struct sw_plan *p, int group, struct member *m)
{
    const struct sw_group *g = &p->group[group];
    int64_t count = 0;
    for (int64_t k = 0; k < g->count; k++) {
        bool taken = false;
        for (int64_t b = 0; b < p->own->kept && !taken; b++) {
            const struct sw_plan_batch *batch = &p->batch[b];
            struct sw_group as_group = {.count = batch->count, .run = batch->run};
            taken = batch->group == group && group_has_run(&as_group, g->run[k]);
        }
        if (!taken) m[count++] = (struct member){g->run[k], p->id[g->run[k]], 0, 0};
    }
    return count;
}

/* A slice of so many points keeps any device busy for milliseconds: larger ones gain nothing, and take longer between
 * two checkpoints. */
static const double most_of_slice = 1 << 28;

/* How many runs fit of whose grid this rank has the largest slab. */
static enum sw_status fit_slabs(struct sw_plan *p, int g, int64_t *most)
{
    struct sw_group slab = p->group[g];
    const struct domain_shape shape = domain_shape(p->own->of.sweep, slab.n, p->ranks);
    domain_largest_part(&shape, slab.n);
    return plan_fit(p, &slab, false, most);
}

/* How many runs of the largest rung fit. */
static enum sw_status fit_rung(struct sw_plan *p, int g, int64_t *most)
{
    const struct sw_sweep *sweep = p->own->of.sweep;
    struct sw_group rung = p->group[g];
    int64_t *on;
    SW_TRY(sw_alloc((size_t)sweep->rungs, &on));
    for (int64_t k = 0; k < p->group[g].count; k++) on[sw_sweep_rung(sweep, p->group[g].run[k])]++;
    rung.count = 0;
    for (int64_t k = 0; k < sweep->rungs; k++) rung.count = on[k] > rung.count ? on[k] : rung.count;
    sw_free(on);
    return plan_fit(p, &rung, false, most);
}

/* How many runs fit; where not even one does it is cut, once more until its slices fit. */
static enum sw_status fit_group(struct sw_plan *p, int g, int64_t *most)
{
    struct sw_group *group = &p->group[g];
    if (p->ranks > 1) return fit_slabs(p, g, most);
    if (p->own->of.sweep->rungs > 1) return fit_rung(p, g, most);
    const int deepest = plan_deepest_cut(p, group), begun = group->cut;
    for (;;) {
        const bool as_begun = begun && group->cut == begun;
        enum sw_status st = plan_fit(p, group, as_begun, most);
        if (st != SW_E_TOO_LARGE || group->cut >= deepest) return st;
        do sw_group_cut(group, group->cut + 1);
        while (group->cut < deepest && sw_group_points(group) > most_of_slice);
    }
}

/* The most runs of each group in a batch: what fits the memory of every rank. Doubles hold the numbers exactly. */
static enum sw_status fit_memory(struct sw_plan *p)
{
    const struct sw_comm *comm = p->own->sharing.comm;
    double *most = p->own->fits;
    enum sw_status st = SW_OK;
    for (int g = 0; g < p->ngroup && !st; g++) {
        int64_t here = 0;
        st = fit_group(p, g, &here);
        most[g] = -(double)here;
        most[p->ngroup + g] = p->group[g].cut;
    }
    SW_TRY(sw_comm_agree(comm, st));
    SW_TRY(sw_comm_max(comm, 2 * (size_t)p->ngroup, most));
    for (int g = 0; g < p->ngroup; g++) {
        most[g] = -most[g];
        if (most[p->ngroup + g] > p->group[g].cut) sw_group_cut(&p->group[g], (int)most[p->ngroup + g]);
        if (p->group[g].cut) most[g] = 1;
    }
    return SW_OK;
}

/* Where there are fewer runs than devices, and runs can be cut: so many devices take slices of one run side by side, to
 * the same bits. Slices of fewer rows than this are not worth another device, unless the run has to be cut anyway. */
static const double worth_a_device = 1 << 24;

static int choose_team(const struct sw_plan *p)
{
    const int all = p->own->sharing.devices;
    if (!p->nruns || p->nruns >= all || p->ranks > 1) return 1;
    int team = all / (int)p->nruns;
    for (int g = 0; g < p->ngroup; g++) {
        const struct sw_group *group = &p->group[g];
        const int64_t slices = INT64_C(1) << plan_deepest_cut(p, group);
        const double worth = group->cut ? all : (double)sw_points(group->n) / worth_a_device;
        if (slices < team) team = (int)slices;
        if (worth < team) team = worth > 1 ? (int)worth : 1;
    }
    for (int64_t b = 0; b < p->own->resumed; b++)  /* they have their slices */
        if (INT64_C(1) << p->batch[b].resume->cut < team) team = 1 << p->batch[b].resume->cut;
    return team;
}

/* Devices of several processes form no teams: those that have nothing else to do help while others compute, and come
 * when they are ready (help.h). More slices than devices let them begin sooner, and end at about the same time. */
static const double slices_a_device = 4, least_of_slice = 1 << 22;

static bool more_slices(const struct sw_group *group, int together, int deepest)
{
    const double slices = ldexp(1, group->cut), each = (double)sw_points(group->n) / slices;
    if (slices < together) return true;
    return slices < slices_a_device * together && group->cut < deepest && each >= 2 * least_of_slice;
}

static void form_team(struct sw_plan *p)
{
    const int together = choose_team(p);
    const bool apart = p->own->sharing.comm->size > 1;
    p->team = apart ? 1 : together;
    for (int g = 0; g < p->ngroup && together > 1; g++) {
        struct sw_group *group = &p->group[g];
        const int deepest = apart && !p->own->resumed ? plan_deepest_cut(p, group) : 0;
        while (more_slices(group, together, deepest)) sw_group_cut(group, group->cut + 1);
        p->own->fits[g] = 1;
    }
}

/* Equal batches. @param least  how many at least, if there are so many runs */
static enum sw_status cut_runs(struct sw_plan *p, int g, const struct member *m, int64_t count, int64_t least)
{
    const int64_t most = (int64_t)p->own->fits[g], wanted = (count + most - 1) / most,
                  more = least < count ? least : count, batches = wanted > more ? wanted : more;
    for (int64_t b = 0; b < batches; b++) {
        const int64_t first = count * b / batches, last = count * (b + 1) / batches;
        SW_TRY(add_batch(p, g, m + first, (int)(last - first), NULL));
    }
    return SW_OK;
}

static int by_rung(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    return x->rung != y->rung ? (x->rung > y->rung) - (x->rung < y->rung) : (x->run > y->run) - (x->run < y->run);
}

/* Rung by rung: the same ladders go together on each, and every device has some. */
static enum sw_status cut_rungs(struct sw_plan *p, int g, struct member *m, int64_t count)
{
    for (int64_t k = 0; k < count; k++) m[k].rung = sw_sweep_rung(p->own->of.sweep, m[k].run);
    qsort(m, (size_t)count, sizeof *m, by_rung);
    for (int64_t k = 0, next; k < count; k = next) {
        for (next = k + 1; next < count && m[next].rung == m[k].rung;) next++;
        SW_TRY(cut_runs(p, g, m + k, next - k, p->own->sharing.devices));
    }
    return SW_OK;
}

static enum sw_status cut_batches(struct sw_plan *p)
{
    struct member *m = NULL;
    enum sw_status st = SW_OK;
    SW_TRY(sw_alloc((size_t)p->nruns, &m));
    for (int g = 0; g < p->ngroup && !st; g++) {
        const int64_t count = unclaimed_runs(p, g, m);
        st = p->own->of.sweep->rungs > 1 ? cut_rungs(p, g, m, count) : cut_runs(p, g, m, count, 0);
    }
    sw_free(m);
    return st;
}

static enum sw_status order_rungs(struct sw_plan *p)
{
    const struct sw_sweep *sweep = p->own->of.sweep;
    if (sweep->rungs == 1) return SW_OK;
    return rungs_create(p, sweep, p->own->of.completed, &p->rungs);
}

/* ---- runs whose grid is cut over ranks */

/* All processes, or where there is one, all of its devices. */
static int all_ranks(const struct sw_plan *p)
{
    const int processes = p->own->sharing.processes;
    return processes > 1 ? processes : p->own->devices->count;
}

/* The smallest size of groups that all ranks can form, of those that are not below `least`; 0: there is none. */
static int group_size(int all, int least)
{
    while (least <= all && all % least) least++;
    return least <= all ? least : 0;
}

/* Planes of a slab that is worth a device, where planes are cut, and points of a pencil along y and z: with 73 (d1_c10)
 * differences on a GPU need only sums over its ends. Thinner ones are read twice and exchange more: they are cut where
 * that is asked for. */
enum { WORTH_PLANES = 80 };

/* Whether the slabs of all runs, each cut over so many ranks, are worth a device. */
static bool has_large_slabs(const struct sw_plan *p, int ranks)
{
    const struct sw_sweep *sweep = p->own->of.sweep;
    for (int g = 0; g < p->ngroup; g++) {
        const int64_t *n = p->group[g].n;
        const struct domain_shape shape = domain_shape(sweep, n, ranks);
        if ((double)sw_points(n) / ranks < worth_a_device) return false;
        for (int d = 0; d < SW_DIMS && !sweep->problem->shape->columns; d++)
            if (shape.ranks[d] > 1 && n[d] / shape.ranks[d] < WORTH_PLANES) return false;
    }
    return true;
}

/* How long groups of so many ranks take for all runs, in terms of one run on one rank. */
static double time_of_groups(const struct sw_plan *p, int all, int ranks)
{
    const int groups = all / ranks;
    return (double)((p->nruns + groups - 1) / groups) / ranks;
}

/* How many ranks cut a run together, `least` or more: as many as end soonest, of those the fewest, which exchange the
 * least. Where each device has runs of its own, whole runs are no slower. */
static int soonest_size(const struct sw_plan *p, int all, int least)
{
    int best = least;
    if (least == 1 && p->nruns >= all) return 1;
    for (int size = group_size(all, least + 1); size; size = group_size(all, size + 1))
        if (has_large_slabs(p, size) && time_of_groups(p, all, size) < 0.999 * time_of_groups(p, all, best))
            best = size;
    return best;
}

/* Each rank has a plane at least, which pencils need for the output, and one device. */
static enum sw_status check_slabs(const struct sw_plan *p)
{
    if (p->own->sharing.processes > 1 && p->own->devices->count > 1)
        return SW_FAIL(SW_E_CONFIG, "run.split: each of %d processes has %d devices, and a grid is cut over processes "
                       "with one each: start one process for each device", all_ranks(p), p->own->devices->count);
    for (int g = 0; g < p->ngroup; g++) {
        const int64_t *n = p->group[g].n;
        const int axis = sw_cut_axis(p->own->of.sweep->problem->shape->columns, n);
        const struct domain_shape shape = domain_shape(p->own->of.sweep, n, p->ranks);
        if (n[axis] < p->ranks && domain_has_pencils(&shape))
            return SW_FAIL(SW_E_CONFIG, "run.split: each of %d devices stores planes of the pencils, of which there "
                           "are %lld along z; use at most %lld devices", p->ranks, (long long)n[2], (long long)n[2]);
        if (n[axis] < p->ranks)
            return SW_FAIL(SW_E_CONFIG, "run.split: %lld points along %c cannot be cut over %d devices; "
                           "use %lld of them", (long long)n[axis], 'x' + axis, p->ranks, (long long)n[axis]);
    }
    return SW_OK;
}

static enum sw_status fit_ranks(struct sw_plan *p, int ranks)
{
    p->ranks = ranks;
    p->groups = ranks > 1 ? all_ranks(p) / ranks : 1;
    if (p->ranks > 1) SW_TRY(sw_comm_agree(p->own->sharing.comm, check_slabs(p)));
    if (p->ngroup) {
        const struct domain_shape shape = domain_shape(p->own->of.sweep, p->group[p->ngroup - 1].n, ranks);
        p->pencils = domain_has_pencils(&shape);
    }
    return fit_memory(p);
}

/* Groups of run.ranks_per_run. */
static enum sw_status check_groups(const struct sw_plan *p, int all)
{
    const int each = p->own->of.sweep->ranks_per_run;
    const char *what = p->own->sharing.processes > 1 ? "processes" : "devices";
    if (each > all)
        return SW_FAIL(SW_E_CONFIG, "run.ranks_per_run = %d, and there are %d %s: start as many, or lower it to %d",
                       each, all, what, all);
    if (all % each == 0) return SW_OK;
    int below = each, above = group_size(all, each);
    while (all % below) below--;
    if (below == 1)
        return SW_FAIL(SW_E_CONFIG, "run.ranks_per_run: %d %s do not form groups of %d; %d would do", all, what, each,
                       above);
    return SW_FAIL(SW_E_CONFIG, "run.ranks_per_run: %d %s do not form groups of %d; %d or %d would do", all, what,
                   each, below, above);
}

/* Whether nothing speaks against slabs of the groups, where the config leaves it open.
 * @param worse  out: whole grids have a better solver */
static bool may_cut(const struct sw_plan *p, int ranks, bool *worse)
{
    const struct sw_sweep *s = p->own->of.sweep;
    const struct sw_problem_shape *shape = s->problem->shape;
    bool may = true;
    *worse = false;
    for (int g = 0; g < p->ngroup && may; g++) {
        const struct sw_setup setup = sw_sweep_setup(s, &p->group[g], 1);
        bool worse_here = false;
        may = setup.n[sw_cut_axis(s->problem->shape->columns, setup.n)] >= ranks &&
              (!shape->cuts || shape->cuts(&setup, p->own->devices->device[0], ranks, &worse_here));
        *worse |= worse_here;
    }
    return may;
}

/* How many ranks cut a run together, and what fits their memory. Where the config does not say, groups become larger
 * until their slabs fit. */
static enum sw_status choose_ranks(struct sw_plan *p)
{
    const struct sw_sweep *sweep = p->own->of.sweep;
    const int all = all_ranks(p);
    bool worse = false;
    const bool given = sweep->split == SW_SPLIT_GRID,
               may = sweep->problem->shape->decomposes && sweep->split != SW_SPLIT_RUNS && all > 1 && p->ngroup &&
                     (given || may_cut(p, all, &worse));
    if (!may) return fit_ranks(p, 1);
    if (given && sweep->ranks_per_run) SW_TRY(check_groups(p, all));
    int ranks = given ? (sweep->ranks_per_run ? sweep->ranks_per_run : all) : worse ? 1 : soonest_size(p, all, 1);
    for (;;) {
        const enum sw_status st = fit_ranks(p, ranks);
        const int larger = given ? 0 : group_size(all, ranks + 1);
        if (!larger || !domain_any(p->own->sharing.comm, st == SW_E_TOO_LARGE)) return st;
        ranks = soonest_size(p, all, larger);
    }
}

/* ---- totals */

/* Points times steps that the runs of a batch take from one step, or tick, to another. */
static double steps_between(const struct sw_group *g, const struct sw_plan_batch *batch, int64_t from, int64_t to)
{
    double steps = g->paces ? 0 : (double)(to - from) * batch->count;
    for (int j = 0; g->paces && j < batch->count; j++) {
        const int pace = sw_group_pace(g, batch->run[j]);
        steps += (double)(sw_pace_step(g->paces, pace, to) - sw_pace_step(g->paces, pace, from));
    }
    return sw_group_points(g) * steps;
}

double sw_plan_work(const struct sw_plan *p, const struct sw_plan_batch *batch)
{
    const struct sw_group *g = &p->group[batch->group];
    return steps_between(g, batch, batch->resume ? batch->resume->step : 0, g->steps);
}

static void add_up(struct sw_plan *p)
{
    const struct sw_sweep *sweep = p->own->of.sweep;
    for (int64_t b = 0; b < p->nbatch; b++) {
        const struct sw_plan_batch *batch = &p->batch[b];
        p->points_steps += sw_plan_work(p, batch);
        if (batch->resume)
            p->points_steps_before += steps_between(&p->group[batch->group], batch, 0, batch->resume->step);
    }
    /* A row of the run table: parameters, columns, index, id and message. Scalars are doubles. */
    double row = 8.0 * sweep->naxis + (double)sw_run_row_bytes(sweep) + 71,
           field = sweep->single_fields ? 4 : 8;
    /* What HDF5 itself takes was read off small files: 30 kB, and 18 kB for each further group. */
    p->output_bytes = p->ngroup ? 30e3 + 18e3 * (p->ngroup - 1) : 0;
    for (int g = 0; g < p->ngroup; g++) {
        const struct sw_group *s = &p->group[g];
        const int nfields = sw_quantity_count(sw_sweep_fields(sweep, s));
        p->output_bytes +=
            (double)s->count * (row + field * nfields * (double)s->nfield * (double)sw_points(s->n) +
                                8.0 * s->nscalar * sweep->nscalar + (sweep->history ? 8.0 * (1 + sweep->history) : 0) +
                                (sweep->save_state ? 8.0 * (double)(sw_points(s->n) + 1) : 0));
    }
}

/* Whether two groups have one solver and the same words. */
static bool same_method(const struct sw_sweep *sweep, const struct sw_group *a, const struct sw_group *b)
{
    for (int k = 0; k < sweep->nchoice; k++)
        if (!sw_text_same(a->choice[k].word, b->choice[k].word)) return false;
    return sw_text_same(a->solver, b->solver);
}

/* Whether to make a sim of group g whose method group g - 1 has, too: it begins to compile its kernels, while others
 * are compiled, as those of group g - 1 did. Each sim takes some ms. */
static bool begins_kernels(const struct sw_setup *setup, const struct sw_group *group, int g, int begun_before)
{
    enum { GROUPS_MOST = 32 };
    return g < GROUPS_MOST && sw_kernels_begun() > begun_before && sw_points(setup->n) == sw_points(group->n);
}

/* The kernels of scalars are compiled beside those of the sim. */
static enum sw_status begin_scalars(const struct sw_sweep *sweep, const struct sw_setup *setup,
                                    const struct sw_sim *sim, struct sw_device *device)
{
    const struct sw_state_ops *states = sim->ops->states;
    struct sw_device_reducer *reducer;
    const struct sw_reducer_desc desc = {.count = sweep->ndefined, .reduction = sweep->defined,
                                         .n = {setup->n[0], setup->n[1], setup->n[2]},
                                         .walls = {setup->walls[0], setup->walls[1], setup->walls[2]},
                                         .unknowns = sweep->nunknown ? sweep->nunknown : 1};
    if (device->space == SW_HOST || !states || !states->on_device || !sw_device_reducer_fits(&desc)) return SW_OK;
    const enum sw_status st = sw_device_reducer_create(&desc, 1, device, &reducer);
    sw_device_reducer_destroy(&reducer);
    return st == SW_E_ABSENT ? SW_OK : st;  /* formed on the host; `check` sees what is missing */
}

/* A solver that is not there must be refused before anything is computed: make one sim, of one run, for each. Of slabs
 * each group is tried with its size along the cut axis, which decides whether they can be cut.
 * @param comm, on_device  as for domain_cut() */
static enum sw_status create_sims(struct sw_plan *p, const struct sw_comm *comm, const struct sw_comm *on_device,
                                  struct sw_device *device)
{
    const struct sw_sweep *sweep = p->own->of.sweep;
    for (int g = 0, begun = 0; g < p->ngroup; g++) {
        struct sw_setup setup = comm || device->compiles_only ? sw_sweep_setup(sweep, &p->group[g], 1)
                                                              : plan_trial_setup(sweep, &p->group[g], 1);
        struct sw_sim *sim = NULL;
        if (g && !comm && same_method(sweep, &p->group[g], &p->group[g - 1]) &&
            !begins_kernels(&setup, &p->group[g], device->compiles_only ? 0 : g, begun))
            continue;
        begun = sw_kernels_begun();
        const struct domain_shape shape = domain_shape(sweep, setup.n, comm ? comm->size : 1);
        if (comm && !device->compiles_only && !sweep->problem->time && !sweep->problem->shape->columns)
            plan_narrow_grid(&shape, setup.n);
        struct domain_comms comms;
        enum sw_status st = domain_cut(&shape, comm, on_device, &comms, &setup);
        if (!st) st = sw_sweep_blame_row(sweep, sweep->problem->create(&setup, device, &sim));
        if (!st && !comm && p->group[g].nscalar) st = begin_scalars(sweep, &setup, sim, device);
        if (st) {
            if (sim) sim->ops->destroy(sim);
            domain_comms_free(&comms);
            return st;
        }
        if (!g && (!comm || !comm->rank || p->own->sharing.comm->size > 1))
            snprintf(p->solver, sizeof p->solver, "%s", sim->ops->solver_name(sim));
        sim->ops->destroy(sim);
        domain_comms_free(&comms);
    }
    return SW_OK;
}

static enum sw_status try_slabs(const struct sw_comm *comm, void *plan)
{
    struct sw_plan *p = plan;
    const struct sw_devices *devices = p->own->devices;
    struct sw_device *device = devices->device[devices->count > 1 ? comm->rank : 0];
    struct sw_comm *on_device = NULL;
    enum sw_status st = sw_comm_agree(comm, sw_device_use(device));
    if (!st) st = sw_comm_on_device(comm, device, NULL, &on_device);
    if (!st) st = create_sims(p, comm, on_device, device);
    sw_comm_destroy(&on_device);
    if (st != SW_E_ARG && st != SW_E_ABSENT) return st;
    char why[1000];  /* of slabs that are too thin; rows that refuse stand in lines of their own */
    snprintf(why, sizeof why, "%s", sw_err_message());
    if (st == SW_E_ARG) return SW_FAIL(SW_E_CONFIG, "run.split: %s; use fewer devices", why);
    return SW_FAIL(SW_E_CONFIG, "run.split: another solver, fewer devices, or \"runs\" may do: %s", why);
}

/* One device of each model is enough. */
static enum sw_status try_solvers(struct sw_plan *p)
{
    const struct sw_devices *devices = p->own->devices;
    const bool all_here = p->own->sharing.comm->size > 1 || all_ranks(p) == devices->count;
    if (p->ranks > 1 && all_here) return domain_run(p->own->sharing.comm, p->ranks, try_slabs, p);
    for (int k = devices->count - 1; k >= 0; k--) {
        const bool first = k == 0 || devices->device[k]->sm != devices->device[k - 1]->sm;
        if (!first) continue;
        SW_TRY(sw_device_use(devices->device[k]));
        SW_TRY(create_sims(p, NULL, NULL, devices->device[k]));
    }
    return SW_OK;
}

/* The runs to do, and their groups. @param plan  out: also on failure */
static enum sw_status begin_plan(const struct sw_plan_desc *of, struct sw_plan **plan)
{
    struct sw_plan *p;
    SW_TRY(sw_alloc(1, plan));
    p = *plan;
    p->id = of->id;
    SW_TRY(sw_alloc(1, &p->own));
    p->own->of = *of;
    SW_TRY(choose_runs(p));
    SW_TRY(sw_alloc((size_t)p->nruns, &p->own->run));
    SW_TRY(sw_alloc((size_t)p->nruns, &p->own->id));
    SW_TRY(sw_alloc((size_t)p->nruns, &p->own->row));
    return p->nruns ? sw_sweep_groups(of->sweep, p->own->todo, p->nruns, &p->group, &p->ngroup) : SW_OK;
}

/* ---- before there are devices */

/* With run.batch runs in each batch. */
static enum sw_status count_batches(const struct sw_plan_desc *of, int64_t *batches)
{
    const int64_t each = of->sweep->batch;
    struct sw_plan *p = NULL;
    struct member *m = NULL;
    enum sw_status st;
    SW_TRY_TO(done, st, begin_plan(of, &p));
    SW_TRY_TO(done, st, resume_batches(p));
    SW_TRY_TO(done, st, sw_alloc((size_t)p->nruns, &m));
    *batches = p->nbatch;  /* those that resume */
    for (int g = 0; g < p->ngroup; g++) *batches += (unclaimed_runs(p, g, m) + each - 1) / each;
    *batches = (*batches + of->sweep->rungs - 1) / of->sweep->rungs;  /* those of a rung */
done:
    sw_free(m);
    sw_plan_destroy(&p);
    return st;
}

static enum sw_status most_batches(const struct sw_plan_desc *of, int64_t enough, int64_t *most)
{
    struct sw_plan none = {0};
    const int64_t enough_runs = (of->sweep->batch ? enough * of->sweep->batch : enough) * of->sweep->rungs;
    int64_t runs = 0;
    for (int64_t k = 0; k < of->count && runs < enough_runs; k++)
        runs += is_to_do(of->completed, of->id[of->run[k]], of->retry_failed, &none);
    const int64_t on_a_rung = (runs + of->sweep->rungs - 1) / of->sweep->rungs;
    *most = runs >= enough_runs ? enough : runs > 0 ? on_a_rung : 1;
    return of->sweep->batch && *most > 1 && runs < enough_runs ? count_batches(of, most) : SW_OK;
}

/* How many devices can be worth taking for one run at most. */
static enum sw_status largest_team(const struct sw_plan_desc *of, int64_t enough, int64_t *team)
{
    const struct sw_sweep *sweep = of->sweep;
    struct sw_group *group = NULL;
    int ngroup = 0;
    const bool slabs = sweep->problem->shape->decomposes && sweep->split != SW_SPLIT_RUNS,
               all = slabs && sweep->split == SW_SPLIT_GRID;
    *team = all ? enough : 1;
    if (all || !(slabs || sweep->problem->cuts) || !of->count || of->count >= enough) return SW_OK;
    SW_TRY(sw_sweep_groups(sweep, of->run, of->count, &group, &ngroup));
    for (int g = 0; g < ngroup; g++) {
        const double points = (double)sw_points(group[g].n);
        const bool cut = sweep->memory > 0 && 4 * points * sizeof(double) > sweep->memory;  /* 4 arrays at least */
        const double worth = cut ? (double)enough : points / worth_a_device;
        *team = (int64_t)fmin(fmax(worth, (double)*team), (double)enough);
    }
    sw_groups_free(&group, ngroup);
    return SW_OK;
}

enum sw_status sw_plan_most_devices(const struct sw_plan_desc *of, int64_t enough, int64_t *most)
{
    int64_t batches, team;
    SW_TRY(most_batches(of, enough, &batches));
    SW_TRY(largest_team(of, enough, &team));
    *most = team == enough ? enough : batches * team;
    return SW_OK;
}

/* ---- */

enum sw_status sw_plan_make(const struct sw_plan_desc *of, const struct sw_devices *devices,
                            const struct sw_plan_sharing *sharing, struct sw_plan **plan)
{
    const struct sw_plan_sharing alone = {sw_comm_null(), devices->count, devices->count, 1, 1};
    const struct sw_comm *comm = sharing ? sharing->comm : alone.comm;
    struct sw_plan *p = NULL;
    *plan = NULL;
    enum sw_status st = begin_plan(of, &p);
    if (!st) st = sw_representatives_choose(of->sweep, of->run, of->count, SW_PLAN_LOOKS, &p->looks);
    SW_TRY_TO(failed, st, sw_comm_agree(comm, st));
    p->own->devices = devices;
    p->own->sharing = sharing ? *sharing : alone;
    st = pace_groups(p);
    if (!st) st = sw_alloc(2 * (size_t)p->ngroup, &p->own->fits);
    if (!st) st = resume_batches(p);
    SW_TRY_TO(failed, st, sw_comm_agree(comm, st));
    p->devices_sharing = devices->device[0]->space == SW_HOST ? p->own->sharing.devices_on_host
                                                              : p->own->sharing.ranks_per_gpu;
    begin_again_with_row(p);
    SW_TRY_TO(failed, st, choose_ranks(p));
    begin_again_in_slices(p);
    form_team(p);
    st = cut_batches(p);
    if (!st) st = order_rungs(p);
    if (!st) st = try_solvers(p);
    SW_TRY_TO(failed, st, sw_comm_agree(comm, st));
    add_up(p);
    sw_free(p->own->todo);
    p->own->todo = NULL;
    *plan = p;
    return SW_OK;
failed:
    sw_plan_destroy(&p);
    return st;
}

void sw_plan_describe_domain(const struct sw_plan *p, struct sw_text *text)
{
    if (p->ranks == 1 && p->ngroup && p->own->of.sweep->split == SW_SPLIT_GRID)
        sw_text_printf(text, "grid     whole: run.split cuts it over several devices, and there is one\n");
    if (p->ranks == 1 || !p->ngroup) return;
    const struct sw_group *g = &p->group[p->ngroup - 1];  /* the largest */
    const struct domain_shape shape = domain_shape(p->own->of.sweep, g->n, p->ranks);
    const int axis = sw_cut_axis(p->own->of.sweep->problem->shape->columns, g->n);
    if (p->pencils)
        sw_text_printf(text, "grid     cut along y and z over %d × %d devices: pencils of ", shape.ranks[1],
                       shape.ranks[2]);
    else sw_text_printf(text, "grid     cut along %c over %d devices: slabs of ", 'x' + axis, p->ranks);
    for (int d = 0; d < g->dim; d++)
        sw_text_printf(text, "%s%lld", d ? " × " : "", (long long)domain_largest(g->n[d], shape.ranks[d]));
    sw_text_printf(text, " points%s", sw_points(p->group[0].n) < sw_points(g->n) ? " and smaller ones" : "");
    if (p->groups > 1) sw_text_printf(text, " · %d groups of devices", p->groups);
    sw_text_printf(text, "\n");
}

uint64_t sw_plan_digest(const struct sw_plan *p)
{
    struct sw_hash h;
    unsigned char digest[32];
    uint64_t number;
    sw_hash_start(&h);
    sw_hash_add(&h, p->solver, strlen(p->solver));
    for (int64_t k = 0; k < p->nbatch; k++) {
        const struct sw_plan_batch *b = &p->batch[k];
        int64_t numbers[] = {b->group, b->count, b->resume ? b->resume->step : -1, p->group[b->group].cut};
        sw_hash_add(&h, numbers, sizeof numbers);
        sw_hash_add(&h, b->id, (size_t)b->count * sizeof *b->id);
    }
    sw_hash_end(&h, digest);
    memcpy(&number, digest, sizeof number);
    return number;
}

void sw_plan_destroy(struct sw_plan **plan)
{
    struct sw_plan *p = *plan;
    if (!p) return;
    rungs_destroy(&p->rungs);
    sw_groups_free(&p->group, p->ngroup);
    sw_representatives_free(&p->looks);
    if (p->own) {
        sw_free(p->own->todo);
        sw_free(p->own->claimed);
        sw_free(p->own->run);
        sw_free(p->own->id);
        sw_free(p->own->row);
        sw_free(p->own->fits);
        sw_free(p->own);
    }
    sw_free(p->batch);
    sw_free(p);
    *plan = NULL;
}
