#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_hash.h"
#include "base/sw_mem.h"
#include "run/plan_impl.h"

/* ---- which runs are still to do */

static bool to_do(const struct sw_completed *completed, uint64_t id, bool retry_failed, struct sw_plan *p)
{
    enum sw_run_status status = sw_completed_status(completed, id);
    bool failed = status == SW_RUN_DIVERGED || status == SW_RUN_ERROR;
    if (status == SW_RUN_PENDING || (failed && retry_failed)) return true;
    if (failed) p->failed++;
    else p->done++;
    return false;
}

static enum sw_status choose(struct sw_plan *p, const int64_t *run, int64_t count, const uint64_t *id,
                             const struct sw_completed *completed, bool retry_failed)
{
    struct sw_plan_own *own = p->own;
    SW_TRY(sw_alloc((size_t)count, &own->todo));
    for (int64_t k = 0; k < count; k++)
        if (to_do(completed, id[run[k]], retry_failed, p)) own->todo[p->nruns++] = run[k];
    return SW_OK;
}

/* ---- batches, cut to the memory */

bool plan_find_run(const struct sw_group *g, int64_t run)
{
    int64_t low = 0, high = g->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (g->run[middle] < run) low = middle + 1;
        else high = middle;
    }
    return low < g->count && g->run[low] == run;
}

enum sw_status plan_add(struct sw_plan *p, int group, const struct member *m, int count,
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

/* Runs of a group that no continued batch has, into m; how many. */
static int64_t unclaimed(const struct sw_plan *p, int group, const uint64_t *id, struct member *m)
{
    const struct sw_group *g = &p->group[group];
    int64_t count = 0;
    for (int64_t k = 0; k < g->count; k++) {
        bool taken = false;
        for (int64_t b = 0; b < p->nbatch && p->batch[b].resume && !taken; b++) {
            const struct sw_plan_batch *batch = &p->batch[b];
            struct sw_group as_group = {.count = batch->count, .run = batch->run};
            taken = batch->group == group && plan_find_run(&as_group, g->run[k]);
        }
        if (!taken) m[count++] = (struct member){g->run[k], id[g->run[k]], 0};
    }
    return count;
}

/* The most runs of each group in a batch: what any rank has room for. @param most  [ngroup] of doubles, which hold them
 * exactly */
static enum sw_status fit(struct sw_plan *p, struct sw_sweep *sweep, const struct sw_devices *devices,
                          const struct sw_plan_sharing *sharing, double *most)
{
    enum sw_status st = SW_OK;
    for (int g = 0; g < p->ngroup && !st; g++) {
        int64_t here = 0;
        st = plan_fit(sweep, &p->group[g], devices, sharing, p, &here);
        most[g] = -(double)here;
    }
    SW_TRY(sw_comm_agree(sharing->comm, st));
    SW_TRY(sw_comm_max(sharing->comm, (size_t)p->ngroup, most));
    for (int g = 0; g < p->ngroup; g++) most[g] = -most[g];
    return SW_OK;
}

static enum sw_status cut(struct sw_plan *p, const double *fits, const uint64_t *id)
{
    struct member *m = NULL;
    enum sw_status st = SW_OK;
    SW_TRY(sw_alloc((size_t)p->nruns, &m));
    for (int g = 0; g < p->ngroup; g++) {
        int64_t most = (int64_t)fits[g], count = unclaimed(p, g, id, m);
        int64_t batches = (count + most - 1) / most;
        for (int64_t b = 0; b < batches; b++) {  /* equal ones */
            int64_t first = count * b / batches, last = count * (b + 1) / batches;
            SW_TRY_TO(out, st, plan_add(p, g, m + first, (int)(last - first), NULL));
        }
    }
out:
    sw_free(m);
    return st;
}

/* ---- what it comes to */

int plan_quantities(const struct sw_quantity *quantity)
{
    int count = 0;
    while (quantity && quantity[count].name) count++;
    return count;
}

double sw_plan_work(const struct sw_plan *p, const struct sw_plan_batch *batch)
{
    const struct sw_group *g = &p->group[batch->group];
    int64_t from = batch->resume ? batch->resume->step : 0;
    return (double)sw_points(g->n) * (double)(g->steps - from) * batch->count;
}

static void total(struct sw_plan *p, const struct sw_sweep *sweep)
{
    for (int64_t b = 0; b < p->nbatch; b++) p->points_steps += sw_plan_work(p, &p->batch[b]);
    /* A row of the run table: parameters, columns, index, id and message. Scalars are doubles. */
    double row = 8.0 * sweep->naxis + (double)sw_run_row_bytes(sweep) + 71,
           field = sweep->single_fields ? 4 : 8;
    int nscalars = plan_quantities(sweep->problem->scalars), nfields = plan_quantities(sweep->problem->fields);
    /* What HDF5 itself takes was read off small files: 30 kB, and 18 kB for each further group. */
    p->output_bytes = p->ngroup ? 30e3 + 18e3 * (p->ngroup - 1) : 0;
    for (int g = 0; g < p->ngroup; g++) {
        const struct sw_group *s = &p->group[g];
        p->output_bytes +=
            (double)s->count * (row + field * nfields * (double)s->nfield * (double)sw_points(s->n) +
                                8.0 * s->nscalar * nscalars +
                                (sweep->save_state ? 8.0 * (double)(sw_points(s->n) + 1) : 0));
    }
}

static bool same_word(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

struct sw_setup plan_trial(const struct sw_sweep *sweep, const struct sw_group *group, int capacity)
{
    const int64_t most = 1 << 22;
    struct sw_setup setup = sw_sweep_setup(sweep, group, capacity);
    while (!sweep->problem->timed && sw_points(setup.n) > most) {  /* shorten the longest side */
        int d = setup.n[0] >= setup.n[1] && setup.n[0] >= setup.n[2] ? 0 : setup.n[1] >= setup.n[2] ? 1 : 2;
        int64_t fits = most / (sw_points(setup.n) / setup.n[d]);
        setup.n[d] = fits > setup.n[d] / 2 ? fits : (setup.n[d] + 1) / 2;
    }
    return setup;
}

/* Whether two groups have one solver and the same words. */
static bool same_method(const struct sw_sweep *sweep, const struct sw_group *a, const struct sw_group *b)
{
    for (int k = 0; k < sweep->nchoice; k++)
        if (!same_word(a->choice[k].word, b->choice[k].word)) return false;
    return same_word(a->solver, b->solver);
}

/* A solver that is not there must be refused before anything is computed: make one sim, of one run, for each. */
static enum sw_status try_on(struct sw_plan *p, struct sw_sweep *sweep, struct sw_device *device)
{
    for (int g = 0; g < p->ngroup; g++) {
        struct sw_setup setup = plan_trial(sweep, &p->group[g], 1);
        struct sw_sim *sim;
        if (g && same_method(sweep, &p->group[g], &p->group[g - 1])) continue;
        SW_TRY(sweep->problem->create(sweep->problem, &setup, device, &sim));
        if (!g) snprintf(p->solver, sizeof p->solver, "%s", sim->ops->solver_name(sim));
        sim->ops->destroy(sim);
    }
    return SW_OK;
}

/* Devices of one model are as good as one. */
static enum sw_status try_solvers(struct sw_plan *p, struct sw_sweep *sweep, const struct sw_devices *devices)
{
    for (int k = devices->count - 1; k >= 0; k--) {
        const bool first = k == 0 || devices->device[k]->sm != devices->device[k - 1]->sm;
        if (!first) continue;
        SW_TRY(sw_device_use(devices->device[k]));
        SW_TRY(try_on(p, sweep, devices->device[k]));
    }
    return SW_OK;
}

/* Which batches go on, and what is left to be cut. */
static enum sw_status begin(struct sw_plan *p, const struct sw_sweep *sweep, const int64_t *run, int64_t count,
                            const struct sw_completed *completed, bool retry_failed)
{
    SW_TRY(sw_alloc(1, &p->own));
    SW_TRY(choose(p, run, count, p->id, completed, retry_failed));
    SW_TRY(sw_alloc((size_t)p->nruns, &p->own->run));
    SW_TRY(sw_alloc((size_t)p->nruns, &p->own->id));
    SW_TRY(sw_alloc((size_t)p->nruns, &p->own->row));
    if (p->nruns) SW_TRY(sw_sweep_groups(sweep, p->own->todo, p->nruns, &p->group, &p->ngroup));
    SW_TRY(sw_alloc((size_t)p->ngroup, &p->own->fits));
    return plan_continue(p, completed, p->id);
}

/* Of run.batch runs each. */
static enum sw_status count_batches(struct sw_plan *p, const struct sw_sweep *sweep, int64_t *batches)
{
    struct member *m;
    SW_TRY(sw_alloc((size_t)p->nruns, &m));
    *batches = p->nbatch;  /* those that go on */
    for (int g = 0; g < p->ngroup; g++) *batches += (unclaimed(p, g, p->id, m) + sweep->batch - 1) / sweep->batch;
    sw_free(m);
    return SW_OK;
}

enum sw_status sw_plan_max_batches(const struct sw_sweep *sweep, const int64_t *run, int64_t count, const uint64_t *id,
                                   const struct sw_completed *completed, bool retry_failed, int64_t enough,
                                   int64_t *most)
{
    struct sw_plan *p = NULL;
    struct sw_plan none = {0};
    int64_t runs = 0, enough_runs = sweep->batch ? enough * sweep->batch : enough;
    for (int64_t k = 0; k < count && runs < enough_runs; k++) runs += to_do(completed, id[run[k]], retry_failed, &none);
    *most = runs >= enough_runs ? enough : runs > 0 ? runs : 1;
    if (!sweep->batch || *most < 2 || runs >= enough_runs) return SW_OK;
    SW_TRY(sw_alloc(1, &p));
    p->id = id;
    enum sw_status st = begin(p, sweep, run, count, completed, retry_failed);
    if (!st) st = count_batches(p, sweep, most);
    sw_plan_destroy(&p);
    return st;
}

enum sw_status sw_plan_make_shared(struct sw_sweep *sweep, const int64_t *run, int64_t count, const uint64_t *id,
                                   const struct sw_completed *completed, bool retry_failed,
                                   const struct sw_devices *devices, const struct sw_plan_sharing *sharing,
                                   struct sw_plan **plan)
{
    struct sw_plan *p = NULL;
    *plan = NULL;
    enum sw_status st = sw_alloc(1, &p);
    if (!st) {
        p->id = id;
        st = begin(p, sweep, run, count, completed, retry_failed);
    }
    SW_TRY_TO(failed, st, sw_comm_agree(sharing->comm, st));
    SW_TRY_TO(failed, st, fit(p, sweep, devices, sharing, p->own->fits));
    st = cut(p, p->own->fits, id);
    if (!st) st = try_solvers(p, sweep, devices);
    SW_TRY_TO(failed, st, sw_comm_agree(sharing->comm, st));
    total(p, sweep);
    *plan = p;
    return SW_OK;
failed:
    sw_plan_destroy(&p);
    return st;
}

enum sw_status sw_plan_make(struct sw_sweep *sweep, const int64_t *run, int64_t count, const uint64_t *id,
                            const struct sw_completed *completed, bool retry_failed, const struct sw_devices *devices,
                            struct sw_plan **plan)
{
    const struct sw_plan_sharing alone = {sw_comm_null(), devices->count, devices->count, 1};
    return sw_plan_make_shared(sweep, run, count, id, completed, retry_failed, devices, &alone, plan);
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
        int64_t numbers[] = {b->group, b->count, b->resume ? b->resume->step : -1};
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
    sw_groups_free(&p->group, p->ngroup);
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
