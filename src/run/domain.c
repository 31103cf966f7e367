#include "run/domain.h"

#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"

int64_t domain_largest(int64_t n, int ranks) { return (n + ranks - 1) / ranks; }

void domain_cut(const struct sw_problem *problem, const struct sw_comm *comm, const struct sw_comm *on_device,
                struct sw_setup *setup)
{
    if (comm)
        sw_setup_cut(sw_cut_axis(problem->shape->columns, setup->n), comm->size, comm->rank, comm, on_device, setup);
}

enum sw_status domain_run(const struct sw_comm *comm, int ranks, sw_comm_part *part, void *context)
{
    struct sw_comm *group;
    if (comm->size == 1) return sw_comm_run("threads", ranks, part, context);
    SW_TRY(sw_comm_split(comm, comm->rank / ranks, &group));
    const enum sw_status st = part(group, context);
    sw_comm_destroy(&group);
    return st;
}

/* The gathered slabs have as many planes as the largest. Where there are points beyond the axis that is cut, a field is
 * `outer` pieces, one for each of them. */
enum sw_status domain_gather(const struct sw_setup *setup, size_t fields, const double *mine, double *all)
{
    const struct sw_decomposition *d = &setup->domain;
    const struct sw_comm *comm = d->all;
    const int axis = sw_slab_axis(setup);
    const size_t outer = axis == 1 ? (size_t)d->whole[2] : 1,
                 across = (size_t)(sw_points(d->whole) / d->whole[axis]) / outer, planes = (size_t)setup->n[axis],
                 room = (size_t)domain_largest(d->whole[axis], comm->size) * across * outer * fields;
    double *slab = NULL, *slabs = NULL;
    enum sw_status st = sw_alloc(room, &slab);
    if (!st) st = sw_alloc(room * (size_t)comm->size, &slabs);
    SW_TRY_TO(done, st, sw_comm_agree(comm, st));
    memcpy(slab, mine, fields * outer * planes * across * sizeof *slab);
    SW_TRY_TO(done, st, sw_comm_gather(comm, room, slab, slabs));
    for (int r = 0; r < comm->size; r++) {
        const size_t first = (size_t)sw_slab_begin(d->whole[axis], comm->size, r),
                     count = (size_t)sw_slab_begin(d->whole[axis], comm->size, r + 1) - first;
        for (size_t f = 0; f < fields * outer; f++)
            memcpy(all + across * (f * (size_t)d->whole[axis] + first), slabs + room * (size_t)r + across * f * count,
                   across * count * sizeof *all);
    }
done:
    sw_free(slab);
    sw_free(slabs);
    return st;
}

bool domain_any(const struct sw_comm *comm, bool here)
{
    double any = here;
    if (comm && sw_comm_max(comm, 1, &any)) return here;
    return any > 0;
}

double domain_of_first(const struct sw_comm *comm, double here)
{
    double all[SW_COMM_MOST];
    return comm && !sw_comm_gather_one(comm, here, all) ? all[0] : here;
}
