/* Communicators for the memory of devices: which row they have, and what the rows share. */
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "comm/sw_comm_impl.h"

/* ---- what rows share */

void comm_on_device_init(struct comm_on_device *c, const struct sw_comm_ops *ops, const struct sw_comm *host,
                         struct sw_device *device)
{
    c->comm = (struct sw_comm){.ops = ops, .rank = host->rank, .size = host->size, .own = c};
    c->host = host;
    c->device = device;
}

enum sw_status comm_on_device_gather_host(const struct sw_comm *comm, size_t count, const double *mine, double *all)
{
    const struct sw_comm *host = ((const struct comm_on_device *)comm->own)->host;
    return host->ops->gather_host(host, count, mine, all);
}

/* A part of the host's communicator, and the same row over that. */
enum sw_status comm_on_device_split(const struct sw_comm *comm, const struct comm_place *place, struct sw_comm **part)
{
    const struct comm_on_device *c = comm->own;
    struct sw_comm *host_part = NULL;
    SW_TRY(sw_comm_split(c->host, place->color, &host_part));
    if (!host_part) return SW_OK;
    enum sw_status st = sw_comm_on_device(host_part, c->device, comm->ops->name, part);
    if (st) sw_comm_destroy(&host_part);
    else ((struct comm_on_device *)(*part)->own)->host_part = host_part;
    return st;
}

/* ---- on the CPU: the communicator of the host, with an owner of its own */

struct alias { struct sw_comm comm; struct sw_comm_ops ops; };

static void free_alias(struct sw_comm *comm) { sw_free(comm); }

static enum sw_status make_alias(const struct sw_comm *host, struct sw_comm **comm)
{
    struct alias *a;
    SW_TRY(sw_alloc(1, &a));
    a->ops = *host->ops;
    a->ops.destroy = free_alias;
    a->comm = *host;
    a->comm.ops = &a->ops;
    *comm = &a->comm;
    return SW_OK;
}

/* ---- the choice of a row */

static const struct sw_comm_ops *find_row(const char *name)
{
    int k = 0;
    while (sw_comm_device_table[k] && strcmp(sw_comm_device_table[k]->name, name)) k++;
    return sw_comm_device_table[k];
}

/* Two ranks that have the same GPU. */
struct pair { int first, second; };

/* @param pair  out: on all ranks the same; first -1: there are none */
static enum sw_status find_shared_gpu(const struct sw_comm *host, const struct sw_device *device, struct pair *pair)
{
    enum { WORDS = sizeof device->uuid / sizeof(double) };
    static const unsigned char none[sizeof device->uuid];
    unsigned char (*all)[sizeof device->uuid] = NULL;
    double mine[WORDS];
    *pair = (struct pair){-1, -1};
    SW_TRY(sw_comm_agree(host, sw_alloc((size_t)host->size, &all)));
    memcpy(mine, device->uuid, sizeof mine);
    enum sw_status st = host->ops->gather_host(host, WORDS, mine, (double *)all);
    for (int r = 0; r < host->size && !st && pair->first < 0; r++)
        for (int q = 0; q < r && memcmp(all[r], none, sizeof none); q++)
            if (!memcmp(all[q], all[r], sizeof none)) *pair = (struct pair){q, r};
    sw_free(all);
    return st;
}

/* Whether this rank can use a row. */
static enum sw_status check_row(const struct sw_comm_ops *ops, const struct sw_comm *host,
                                const struct sw_device *device, struct pair pair)
{
    if (ops->absent) return SW_FAIL(SW_E_ABSENT, "communicator %s: %s", ops->name, ops->absent);
    if (ops->one_process && host->ops->apart)
        return SW_FAIL(SW_E_ABSENT, "communicator %s: its ranks are threads, and these are processes", ops->name);
    if (ops->gpu_each && pair.first >= 0)
        return SW_FAIL(SW_E_ABSENT,
                       "communicator %s: ranks %d and %d share one GPU, and it needs one for each rank: start fewer "
                       "ranks, or take staged",
                       ops->name, pair.first, pair.second);
    return ops->usable ? ops->usable(device) : SW_OK;
}

/* Attach a row that all ranks can use. */
static enum sw_status attach(const struct sw_comm_ops *ops, const struct sw_comm *host, struct sw_device *device,
                             struct sw_comm **comm)
{
    enum sw_status st = sw_comm_agree(host, ops->attach(host, device, comm));
    if (st) sw_comm_destroy(comm);
    return st;
}

/* The first row that all ranks can use. The last one always works, but for want of memory. */
static enum sw_status attach_first(const struct sw_comm *host, struct sw_device *device, struct pair pair,
                                   struct sw_comm **comm)
{
    enum sw_status st = SW_OK;
    for (int k = 0; sw_comm_device_table[k]; k++) {
        const struct sw_comm_ops *ops = sw_comm_device_table[k];
        double refusals = check_row(ops, host, device, pair) != SW_OK;
        SW_TRY(sw_comm_sum(host, 1, &refusals));
        if (refusals > 0) continue;
        st = attach(ops, host, device, comm);
        if (!st) return SW_OK;
    }
    return st;
}

enum sw_status sw_comm_on_device(const struct sw_comm *host, struct sw_device *device, const char *row,
                                 struct sw_comm **comm)
{
    const struct sw_comm_ops *ops = row ? find_row(row) : NULL;
    double on_host = device->space == SW_HOST;
    struct pair pair;
    *comm = NULL;
    SW_TRY(sw_comm_agree(host, row && !ops ? SW_FAIL(SW_E_CONFIG, "communicator %s: there is no such row for devices",
                                                     row) : SW_OK));
    SW_TRY(sw_comm_sum(host, 1, &on_host));
    if (on_host > 0 && on_host < host->size)
        return SW_FAIL(SW_E_ARG, "%g of %d ranks compute on the CPU, and the others do not", on_host, host->size);
    if (on_host > 0 && ops && (ops->gpu_each || ops->one_process))
        return SW_FAIL(SW_E_ABSENT, "communicator %s: it works between GPUs, and the ranks compute on the CPU", row);
    if (on_host > 0) {
        enum sw_status st = sw_comm_agree(host, make_alias(host, comm));
        if (st) sw_comm_destroy(comm);
        return st;
    }
    SW_TRY(find_shared_gpu(host, device, &pair));
    if (!ops) return attach_first(host, device, pair, comm);
    SW_TRY(sw_comm_agree(host, check_row(ops, host, device, pair)));
    return attach(ops, host, device, comm);
}
