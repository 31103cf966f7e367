/* One piece of work over several ranks: the grid is cut into slabs across one axis. Ranks are the processes that mpirun
 * has started, or threads of this one with a device each. */
#include <string.h>

#include "base/sw_err.h"
#include "bench/bench_impl.h"

enum sw_status bench_cut_validate(struct sw_bench_spec *spec)
{
    if (spec->along && !spec->split) return SW_FAIL(SW_E_USAGE, "along=%c: split=N is needed beside it", spec->along);
    if (!spec->split) return SW_OK;
    const int axis = spec->along ? spec->along - 'x' : sw_cut_axis(spec->problem->shape->columns, spec->setup.n);
    spec->along = (char)('x' + axis);
    if (spec->problem->shape->columns && axis != 1)
        return SW_FAIL(SW_E_USAGE, "along=%c: grids of %s are cut along y", spec->along, spec->name);
    if (spec->setup.n[axis] < spec->split)
        return SW_FAIL(SW_E_USAGE, "split = %d: the grid has %lld points along %c", spec->split,
                       (long long)spec->setup.n[axis], spec->along);
    return SW_OK;
}

enum sw_status bench_agree(const struct sw_bench_spec *spec, enum sw_status st)
{
    return sw_comm_agree(spec->setup.domain.all, st);
}

size_t bench_place_in_whole(const struct sw_setup *setup, size_t i)
{
    const size_t nx = (size_t)setup->n[0], ny = (size_t)setup->n[1], nz = (size_t)setup->n[2];
    const struct sw_decomposition *d = &setup->domain;
    if (!d->all) return i;
    const size_t x = i % nx + (size_t)d->first[0], y = i / nx % ny + (size_t)d->first[1],
                 z = i / nx / ny % nz + (size_t)d->first[2], field = i / nx / ny / nz;
    return ((field * (size_t)d->whole[2] + z) * (size_t)d->whole[1] + y) * (size_t)d->whole[0] + x;
}

/* ------------------------------------------------------------------ ranks */

enum sw_status bench_cut_run(const struct sw_bench *bench, sw_comm_part *part, void *context)
{
    const struct sw_comm *comm = bench->processes.comm;
    if (comm->size > 1) return sw_comm_meet(comm, part(comm, context));
    return sw_comm_run("threads", bench->spec.split, part, context);
}

struct sw_device *bench_cut_device(const struct sw_bench *bench, const struct sw_comm *comm)
{
    return bench->ranks.device[bench->processes.comm->size > 1 ? 0 : comm->rank];
}

struct listing { const struct sw_bench *bench; struct bench_rows *rows; };

bool bench_cut_reports(const struct sw_bench *bench, const struct sw_comm *comm)
{
    return comm->rank == 0 || bench->processes.comm->size > 1;
}

/* Both communicators are the rank's own, so that what is sent through them can be counted. */
enum sw_status bench_cut_attach(const struct sw_bench *bench, const struct sw_comm *comm, struct bench_rank *rank)
{
    struct sw_device *device = bench_cut_device(bench, comm);
    *rank = (struct bench_rank){.all = NULL};
    SW_TRY(sw_device_use(device));
    SW_TRY(sw_comm_split(comm, 0, &rank->all));
    SW_TRY(sw_comm_on_device(comm, device, NULL, &rank->on_device));
    rank->part = bench->spec;
    int ranks[SW_DIMS] = {1, 1, 1};
    const struct sw_comm *along[SW_DIMS] = {NULL};
    ranks[rank->part.along - 'x'] = rank->all->size;
    along[rank->part.along - 'x'] = rank->on_device;
    sw_setup_cut(ranks, rank->all->rank, rank->all, along, &rank->part.setup);
    return SW_OK;
}

void bench_cut_detach(struct bench_rank *rank)
{
    sw_comm_destroy(&rank->on_device);
    sw_comm_destroy(&rank->all);
}

/* A row fits where the ranks exchange numbers in the memory that it works in. */
static enum sw_status list_part(const struct sw_comm *comm, void *context)
{
    const struct listing *l = context;
    struct bench_rank rank;
    const enum sw_status st = bench_cut_attach(l->bench, comm, &rank);
    if (!st && bench_cut_reports(l->bench, comm)) rank.part.work->list_rows(&rank.part, l->rows);
    bench_cut_detach(&rank);
    return st;
}

enum sw_status bench_cut_list_rows(const struct sw_bench *bench, struct bench_rows *rows)
{
    return bench_cut_run(bench, list_part, &(struct listing){bench, rows});
}

/* ------------------------------------------------------------------ devices */

/* The CPU in as many groups of threads as there are ranks. */
static enum sw_status open_groups(int ranks, int threads, struct sw_devices *devices)
{
    struct sw_text spec = {0};
    sw_text_add(&spec, "cpu:0");
    for (int k = 1; k < ranks; k++) sw_text_printf(&spec, ",%d", k);
    enum sw_status st = sw_text_status(&spec);
    if (!st) st = sw_devices_open(sw_text_get(&spec), threads, ranks, devices);
    sw_text_free(&spec);
    return st;
}

static enum sw_status open_for_threads(struct sw_bench *b, const char *spec, int threads)
{
    const int ranks = b->spec.split;
    if (ranks > SW_DEVICES_MOST)
        return SW_FAIL(SW_E_USAGE, "split = %d: threads of one process are %d ranks at most", ranks, SW_DEVICES_MOST);
    SW_TRY(sw_devices_open(spec, threads, ranks, &b->ranks));
    if (b->ranks.count == ranks) return SW_OK;
    if (b->ranks.device[0]->space == SW_HOST && b->ranks.count == 1) {
        sw_devices_close(&b->ranks);
        return open_groups(ranks, threads, &b->ranks);
    }
    return SW_FAIL(SW_E_USAGE, "split = %d: --device %s gives %d", ranks, spec, b->ranks.count);
}

static enum sw_status open_for_processes(struct sw_bench *b, const char *spec, int threads)
{
    const struct sw_bench_processes *p = &b->processes;
    int users;
    if (b->spec.split != p->comm->size)
        return SW_FAIL(SW_E_USAGE, "split = %d: each of the %d processes that mpirun has started is a rank, so that "
                       "split = %d is needed", b->spec.split, p->comm->size, p->comm->size);
    return sw_comm_agree(p->comm, sw_devices_open_share(spec, threads, 1, p->turn, p->of, &users, &b->ranks));
}

enum sw_status bench_cut_open(struct sw_bench *b, const char *spec, int threads)
{
    if (b->processes.comm->size > 1) SW_TRY(open_for_processes(b, spec, threads));
    else SW_TRY(open_for_threads(b, spec, threads));
    const struct sw_device *first = b->ranks.device[0];
    const bool groups = b->processes.comm->size == 1 && first->space == SW_HOST;
    b->sharers = groups ? 1 : b->spec.split;
    return sw_device_open(first->space == SW_HOST ? "cpu" : first->label, threads, &b->device[0].device);
}
