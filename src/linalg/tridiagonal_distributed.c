#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "linalg/sw_tridiagonal_distributed.h"

struct sw_tridiagonal_distributed {
    struct sw_tridiagonal_desc desc;
    const char           *name;
    int                   depth;
    const struct sw_comm *comm;
    struct sw_tridiagonal *solver;
    struct sw_relation   *relation;  /* [2^depth]    */
    double              (*ends)[4];  /* [2^depth]    */
};

static int64_t slices_of(const struct sw_tridiagonal_distributed *d) { return INT64_C(1) << d->depth; }

/* The first slice of a rank. There are not more than 2^30 slices, and 2^12 ranks. */
static int64_t first_of(const struct sw_tridiagonal_distributed *d, int rank)
{
    return slices_of(d) * rank / d->comm->size;
}

enum sw_status sw_tridiagonal_distributed_create(const struct sw_tridiagonal_desc *desc, int depth, const char *name,
                                                 const struct sw_comm *comm, struct sw_device *device,
                                                 struct sw_tridiagonal_distributed **out)
{
    enum sw_status st;
    struct sw_tridiagonal_distributed *d = NULL;
    *out = NULL;
    SW_TRY(sw_alloc(1, &d));
    *d = (struct sw_tridiagonal_distributed){.desc = *desc, .depth = depth, .comm = comm};
    SW_TRY_TO(failed, st, sw_tridiagonal_create_slices(desc, depth, name, device, &d->solver));
    d->name = sw_tridiagonal_name(d->solver);
    if (slices_of(d) < comm->size) {
        st = SW_FAIL(SW_E_ARG, "%d ranks cannot share %lld slice%s", comm->size, (long long)slices_of(d),
                     slices_of(d) == 1 ? "" : "s");
        goto failed;
    }
    SW_TRY_TO(failed, st, sw_alloc((size_t)slices_of(d), &d->relation));
    SW_TRY_TO(failed, st, sw_alloc((size_t)slices_of(d), &d->ends));
    *out = d;
    return SW_OK;
failed:
    sw_tridiagonal_distributed_destroy(&d);
    return st;
}

void sw_tridiagonal_distributed_destroy(struct sw_tridiagonal_distributed **d)
{
    if (!d || !*d) return;
    sw_tridiagonal_destroy(&(*d)->solver);
    sw_free((*d)->relation);
    sw_free((*d)->ends);
    sw_free(*d);
    *d = NULL;
}

void sw_tridiagonal_distributed_slices(const struct sw_tridiagonal_distributed *d, int64_t *first, int64_t *count)
{
    *first = first_of(d, d->comm->rank);
    *count = first_of(d, d->comm->rank + 1) - *first;
}

void sw_tridiagonal_distributed_rows(const struct sw_tridiagonal_distributed *d, int64_t slice, int64_t *first,
                                     int64_t *count)
{
    sw_tridiagonal_slice(&d->desc, d->name, d->depth, slice, first, count);
}

int64_t sw_tridiagonal_distributed_most_rows(const struct sw_tridiagonal_distributed *d)
{
    int64_t most = 0, first, count;
    for (int64_t s = 0; s < slices_of(d); s++) {
        sw_tridiagonal_distributed_rows(d, s, &first, &count);
        if (count > most) most = count;
    }
    return most;
}

enum sw_status sw_tridiagonal_distributed_reduce(struct sw_tridiagonal_distributed *d, int64_t slice,
                                                 const struct sw_tridiagonal_rows *rows)
{
    return sw_tridiagonal_reduce(d->solver, slice, rows, &d->relation[slice]);
}

struct sw_relation *sw_tridiagonal_distributed_relations(struct sw_tridiagonal_distributed *d) { return d->relation; }

/* Each rank sends as many relations as the rank with most has. */
static enum sw_status exchange(struct sw_tridiagonal_distributed *d)
{
    const int size = d->comm->size;
    const int64_t room = (slices_of(d) + size - 1) / size;
    int64_t first, count;
    struct sw_relation *mine, *all;
    if (size == 1) return SW_OK;
    SW_TRY(sw_alloc((size_t)(room * (size + 1)), &mine));
    all = mine + room;
    sw_tridiagonal_distributed_slices(d, &first, &count);
    memcpy(mine, d->relation + first, (size_t)count * sizeof *mine);
    enum sw_status st = sw_comm_gather(d->comm, (size_t)room * (sizeof *mine / sizeof(double)), mine->w, all->w);
    for (int r = 0; r < size && !st; r++)
        memcpy(d->relation + first_of(d, r), all + r * room,
               (size_t)(first_of(d, r + 1) - first_of(d, r)) * sizeof *all);
    sw_free(mine);
    return st;
}

static bool is_finite(int count, const double *value)
{
    for (int k = 0; k < count; k++)
        if (!isfinite(value[k])) return false;
    return true;
}

enum sw_status sw_tridiagonal_distributed_close(struct sw_tridiagonal_distributed *d, int64_t *broken)
{
    *broken = -1;
    SW_TRY(exchange(d));
    SW_TRY(sw_relations_close(slices_of(d), d->relation, d->desc.cyclic, d->ends));
    for (int64_t s = 0; s < slices_of(d) && *broken < 0; s++)
        if (!is_finite(10, d->relation[s].w)) *broken = s;
    for (int64_t s = 0; s < slices_of(d) && *broken < 0; s++)
        if (!is_finite(4, d->ends[s])) *broken = s;
    return SW_OK;
}

const double *sw_tridiagonal_distributed_ends(const struct sw_tridiagonal_distributed *d, int64_t slice)
{
    return d->ends[slice];
}

void sw_tridiagonal_distributed_set_ends(struct sw_tridiagonal_distributed *d, int64_t slice, const double ends[4])
{
    memcpy(d->ends[slice], ends, sizeof d->ends[slice]);
}

enum sw_status sw_tridiagonal_distributed_expand(struct sw_tridiagonal_distributed *d, int64_t slice,
                                                 const struct sw_tridiagonal_rows *rows, double *x)
{
    return sw_tridiagonal_expand(d->solver, slice, rows, d->ends[slice], x);
}
