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

/* The gathered parts have as many points as the largest. */
enum sw_status domain_gather_lines(const struct sw_setup *setup, size_t lines, const double *mine, double *all)
{
    const struct sw_comm *comm = setup->domain.all;
    const int64_t n = setup->domain.whole[0];
    const size_t room = (size_t)domain_largest(n, comm->size) * lines;
    double *part = NULL, *parts = NULL;
    enum sw_status st = sw_alloc(room, &part);
    if (!st) st = sw_alloc(room * (size_t)comm->size, &parts);
    SW_TRY_TO(done, st, sw_comm_agree(comm, st));
    memcpy(part, mine, lines * (size_t)setup->n[0] * sizeof *part);
    SW_TRY_TO(done, st, sw_comm_gather(comm, room, part, parts));
    for (int r = 0; r < comm->size; r++) {
        const int64_t first = sw_slab_begin(n, comm->size, r), count = sw_slab_begin(n, comm->size, r + 1) - first;
        for (size_t k = 0; k < lines; k++)
            memcpy(all + k * (size_t)n + first, parts + room * (size_t)r + k * (size_t)count,
                   (size_t)count * sizeof *all);
    }
done:
    sw_free(part);
    sw_free(parts);
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
