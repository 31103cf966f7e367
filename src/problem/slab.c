#include "problem/sw_slab.h"

#include "base/sw_mem.h"
#include "comm/sw_comm.h"

int sw_slab_axis(const struct sw_setup *slab)
{
    int axis = 0;
    while (!slab->domain.along[axis]) axis++;
    return axis;
}

enum sw_status sw_slab_max(const struct sw_setup *slab, size_t count, double *values)
{
    return slab ? sw_comm_max(slab->domain.all, count, values) : SW_OK;
}

enum sw_status sw_slab_next_plane(const struct sw_setup *slab, const double *u, double **plane)
{
    const struct sw_comm_transfer none = {0};
    *plane = NULL;
    if (!slab) return SW_OK;
    const struct sw_comm *all = slab->domain.all;
    const size_t across = (size_t)(sw_points(slab->n) / slab->n[sw_slab_axis(slab)]);
    enum sw_status st = sw_comm_agree(all, sw_alloc(across, plane));
    if (!st) st = sw_comm_exchange(all, false, &(struct sw_comm_transfer){across, u, *plane}, &none);
    if (!st && all->rank < all->size - 1) return SW_OK;
    sw_free(*plane);
    *plane = NULL;
    return st;
}
