/* How many runs of a batch fit the memory of the devices and of the host, and how many are wanted. */
#include <limits.h>
#include <math.h>

#include "base/sw_mem.h"
#include "run/plan_impl.h"

/* Shares of the free memory that batches may take. The rest is for what is not counted: libraries, fragments, other
 * processes. */
static const double device_share = 0.9, host_share = 0.7;
enum { MOST_RUNS = 1 << 24 };

/* Host memory of a run whose batch is in flight, besides that of the device: two checkpoints, one being made and one
 * being written (n doubles each; none without time), the snapshots in their slots, its columns and its rows of the run
 * table. */
static double host_bytes_per_run(const struct sw_sweep *sweep, const struct sw_group *g, const struct sw_device *device)
{
    const bool timed = sweep->problem->timed;
    if (g->cut) return 8.0 * sweep->ncolumn + 2.0 * sizeof(struct sw_run_result) + 64;  /* bytes() counts the rest */
    double field = (sweep->single_fields ? 4 : 8) * quantity_count(sw_sweep_fields(sweep, g)), state = timed ? 16 : 0;
    double pinned = device->space == SW_DEVICE ? (timed ? SW_SNAPSHOT_SLOTS : g->nfield) * field : 0;
    return (double)sw_points(g->n) * (state + pinned) + 8.0 * sweep->ncolumn + 2.0 * sizeof(struct sw_run_result) + 64;
}

static enum sw_status host_free(const struct sw_device *device, double *bytes)
{
    struct sw_device *host = NULL;
    SW_TRY(sw_device_open("cpu", device->threads, &host));
    *bytes = (double)sw_device_memory_free(host);
    sw_device_close(&host);
    return SW_OK;
}

static enum sw_status too_large(const struct sw_group *g, bool gpu, double need, double have, double allowed)
{
    const double gib = 1024.0 * 1024 * 1024;
    double most = floor((double)sw_points(g->n) * have / need);
    if (allowed && have >= allowed)
        return SW_FAIL(SW_E_TOO_LARGE, "one run needs %.2g GiB, and run.memory allows %.2g GiB; raise it, or lower "
                       "grid.n to at most %.0f%s", need / gib, have / gib, most,
                       g->dim > 1 ? " points in all" : "");
    return SW_FAIL(SW_E_TOO_LARGE, "one run needs %.1f GiB, the %s has %.1f GiB free; lower grid.n to at most %.0f%s%s",
                   need / gib, gpu ? "GPU" : "machine", have / gib, most, g->dim > 1 ? " points in all" : "",
                   gpu ? " or use --device cpu" : "");
}

/* Each batch is a part of the file, and the parts must be copied into one. Where fields are saved so often that writing
 * them costs much (a point of a field takes as long as some fifty steps), a batch may be a whole group; but it takes no
 * more than an eighth of the memory, and ten or more steps must fit between two checks of the clock, since lines leave
 * the cache at each. */
static bool all_at_once(const struct sw_group *g, const struct sw_device *device, double fit)
{
    double count = (double)g->count, points = count * (double)sw_points(g->n);
    double most = device->threads * (double)(1 << 24);
    return g->nfield && g->steps / g->nfield <= 100 && count <= fit / 8 && points <= most;
}

/* On the CPU a batch of a million points keeps all threads busy for long. Larger ones gain nothing, take more memory,
 * and are written later. A GPU wants as many runs as fit. */
static double wanted_runs(const struct sw_group *g, const struct sw_device *device, double fit)
{
    if (device->space == SW_DEVICE) return MOST_RUNS;
    if (all_at_once(g, device, fit)) return (double)g->count;
    return fmax((double)(1 << 20) / (double)sw_points(g->n), 16.0 * device->threads);
}

static double group_work(const struct sw_group *g)
{
    return sw_group_points(g) * (double)g->steps * (double)g->count;
}

/* Several devices: one batch for each device that the group's share of the work keeps busy. Or up to four times as
 * many, where each is still so large (2^23 points, 16 384 lines of 512) that a GPU is as fast as with all of them: then
 * a slow device takes fewer of them, and one batch is written while the next is computed. */
static double runs_per_share(const struct sw_plan *p, const struct sw_group *g, int devices)
{
    double all = 0, points = (double)g->count * (double)sw_points(g->n);
    if (devices == 1) return MOST_RUNS;
    for (int k = 0; k < p->ngroup; k++) all += group_work(&p->group[k]);
    const double share = fmax(ceil(devices * group_work(g) / fmax(all, 1) - 1e-9), 1);
    const double rounds = fmin(fmax(floor(points / (share * (double)(1 << 23))), 1), 4);
    return ceil((double)g->count / (share * rounds));
}

/* Bytes of a batch of one run and of each further run, on the device and on the host; and how many runs fit. */
struct need { size_t fixed, per_run; double fixed_on_host, on_host, fit; };

static enum sw_status fit_device(struct sw_sweep *sweep, const struct sw_group *group, struct sw_device *device,
                                 const struct sw_plan_sharing *sharing, struct need *need)
{
    const bool gpu = device->space == SW_DEVICE;
    struct sw_setup setup = sw_sweep_setup(sweep, group, 1);
    double host;
    *need = (struct need){.on_host = host_bytes_per_run(sweep, group, device)};
    if (gpu && sweep->problem->host_bytes) need->fixed_on_host = (double)sweep->problem->host_bytes(&setup);
    SW_TRY(sweep->problem->bytes(sweep->problem, &setup, device, &need->fixed, &need->per_run));
    SW_TRY(host_free(device, &host));
    host *= host_share / sharing->devices_on_host;  /* each device has a batch in flight */
    const double fixed = (double)need->fixed;
    double here = (double)need->per_run,
                   room = device_share * (double)sw_device_memory_free(device) / sharing->ranks_per_gpu;
    if (sweep->memory) host = fmin(host, sweep->memory);
    if (sweep->memory) room = fmin(room, sweep->memory);
    if (!gpu) { here += need->on_host; room = host; }
    if (fixed + here > room) return too_large(group, gpu, fixed + here, room, sweep->memory);
    if (need->fixed_on_host + need->on_host > host)
        return too_large(group, false, need->fixed_on_host + need->on_host, host,
                         sweep->memory);
    need->fit = fmin(fmin((room - fixed) / here, (host - need->fixed_on_host) / need->on_host), MOST_RUNS);
    return SW_OK;
}

enum sw_status plan_fit(struct sw_sweep *sweep, const struct sw_group *group, const struct sw_devices *devices,
                        const struct sw_plan_sharing *sharing, struct sw_plan *p, int64_t *most)
{
    const struct sw_device *first = devices->device[0];
    struct need need = {.fit = INFINITY};
    for (int k = 0; k < devices->count; k++) {  /* any device may get any batch */
        struct need here;
        SW_TRY(fit_device(sweep, group, devices->device[k], sharing, &here));
        if (here.fit < need.fit) need = here;
    }
    *most = group->cut ? 1 : (int64_t)need.fit;
    double wish = sweep->batch ? sweep->batch
                               : fmin(wanted_runs(group, first, need.fit), runs_per_share(p, group, sharing->devices));
    if ((double)*most > wish) *most = (int64_t)wish;
    double runs = (double)(group->count < *most ? group->count : *most);
    double batch = (double)need.fixed + (double)need.per_run * runs;
    if (first->space == SW_DEVICE)
        p->host_bytes = fmax(p->host_bytes, (need.fixed_on_host + need.on_host * runs) * sharing->devices_on_host);
    if (need.per_run > p->run_bytes) p->run_bytes = need.per_run;
    if (batch > (double)p->batch_bytes) p->batch_bytes = (size_t)batch;
    return SW_OK;
}

int plan_deepest_cut(const struct sw_sweep *sweep, const struct sw_group *group, const struct sw_devices *devices)
{
    const struct sw_setup setup = sw_sweep_setup(sweep, group, 1);
    int deepest = sweep->problem->deepest_cut ? SW_CUT_MOST : 0;
    for (int k = 0; k < devices->count && deepest; k++) {
        const int here = sweep->problem->deepest_cut(&setup, devices->device[k]);
        if (here < deepest) deepest = here;
    }
    return deepest;
}
