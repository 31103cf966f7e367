#include "run/domain.h"

int domain_axis(const int64_t n[SW_DIMS]) { return n[2] > 1 ? 2 : n[1] > 1 ? 1 : 0; }

int64_t domain_begin(int64_t n, int ranks, int rank) { return n / ranks * rank + n % ranks * rank / ranks; }

int64_t domain_largest(const int64_t n[SW_DIMS], int ranks) { return (n[domain_axis(n)] + ranks - 1) / ranks; }

void domain_cut(const struct sw_comm *comm, struct sw_setup *setup)
{
    struct sw_decomposition *d = &setup->domain;
    const int axis = domain_axis(setup->n);
    if (!comm) return;
    *d = (struct sw_decomposition){.all = comm};
    for (int k = 0; k < SW_DIMS; k++) d->whole[k] = setup->n[k];
    d->along[axis] = comm;
    d->first[axis] = domain_begin(d->whole[axis], comm->size, comm->rank);
    setup->n[axis] = domain_begin(d->whole[axis], comm->size, comm->rank + 1) - d->first[axis];
}

enum sw_status domain_run(const struct sw_comm *comm, int ranks, sw_comm_part *part, void *context)
{
    return comm->size > 1 ? part(comm, context) : sw_comm_run("threads", ranks, part, context);
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
