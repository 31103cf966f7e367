#include <limits.h>
#include <math.h>

#include "base/sw_mem.h"
#include "run/plan_impl.h"

/* Head-room: what we cannot see (libraries, fragments, other processes) and what we did not count. */
static const double device_share = 0.9, host_share = 0.7;
enum { MOST_RUNS = 1 << 24 };

/* Host memory a run takes while its batch is under way, besides the device's own: a checkpoint being made and one being
 * written (n doubles each; none without time), the pictures in their slots, its columns and its rows of the run table.
 */
static double staging(const struct sw_sweep *sweep, const struct sw_group *g, const struct sw_device *device)
{
    const bool timed = sweep->problem->timed;
    double field = (sweep->single_fields ? 4 : 8) * plan_quantities(sweep->problem->fields), state = timed ? 16 : 0;
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

static enum sw_status too_large(const struct sw_group *g, bool gpu, double need, double have)
{
    const double gib = 1024.0 * 1024 * 1024;
    double most = floor((double)sw_points(g->n) * have / need);
    return SW_FAIL(SW_E_TOO_LARGE, "one run needs %.1f GiB, the %s has %.1f GiB free; lower grid.n to at most %.0f%s%s",
                   need / gib, gpu ? "GPU" : "machine", have / gib, most, g->dim > 1 ? " points in all" : "",
                   gpu ? " or use --device cpu" : "");
}

/* A batch is a part of the file, and several parts must be copied into one. Where fields are saved so often that
 * writing them weighs (a point of a field takes as long as some fifty steps), a batch may be all of a group; but within
 * an eighth of what fits, and so that ten steps and more are taken between two looks at the clock: lines leave the
 * cache then. */
static bool all_at_once(const struct sw_group *g, const struct sw_device *device, double fit)
{
    double count = (double)g->count, points = count * (double)sw_points(g->n);
    double most = device->threads * (double)(1 << 24);
    return g->nfield && g->steps / g->nfield <= 100 && count <= fit / 8 && points <= most;
}

/* On the CPU a batch of a million points keeps all threads busy for long; larger ones gain nothing, take more memory,
 * and end (and are safe on disk) later. A GPU wants as many as fit. */
static double wanted(const struct sw_group *g, const struct sw_device *device, double fit)
{
    if (device->space == SW_DEVICE) return MOST_RUNS;
    if (all_at_once(g, device, fit)) return (double)g->count;
    return fmax((double)(1 << 20) / (double)sw_points(g->n), 16.0 * device->threads);
}

static double work_of(const struct sw_group *g)
{
    return (double)sw_points(g->n) * (double)g->steps * (double)g->count;
}

/* Several devices: one batch for each device that the group's share of the work would keep busy; or up to four times
 * as many, where they are still so large (2^23 points, 16 384 lines of 512) that a GPU is as fast as with all of them:
 * then one that is slower than the others takes fewer of them, and the writing of one goes on beside the next. */
static double shared_out(const struct sw_plan *p, const struct sw_group *g, int devices)
{
    double all = 0, points = (double)g->count * (double)sw_points(g->n);
    if (devices == 1) return MOST_RUNS;
    for (int k = 0; k < p->ngroup; k++) all += work_of(&p->group[k]);
    const double share = fmax(ceil(devices * work_of(g) / fmax(all, 1) - 1e-9), 1);
    const double rounds = fmin(fmax(floor(points / (share * (double)(1 << 23))), 1), 4);
    return ceil((double)g->count / (share * rounds));
}

/* What a batch of one run, and each further one, takes; and how many runs fit. */
struct need { size_t fixed, per_run; double fixed_on_host, on_host, fit; };

static enum sw_status fit_one(struct sw_sweep *sweep, const struct sw_group *group, struct sw_device *device,
                              const struct sw_plan_sharing *sharing, struct need *need)
{
    const bool gpu = device->space == SW_DEVICE;
    struct sw_setup setup = sw_sweep_setup(sweep, group, 1);
    double host;
    *need = (struct need){.on_host = staging(sweep, group, device)};
    if (gpu && sweep->problem->host_bytes) need->fixed_on_host = (double)sweep->problem->host_bytes(&setup);
    SW_TRY(sweep->problem->bytes(sweep->problem, &setup, device, &need->fixed, &need->per_run));
    SW_TRY(host_free(device, &host));
    host *= host_share / sharing->devices_on_host;  /* each has a batch under way */
    const double fixed = (double)need->fixed;
    double here = (double)need->per_run,
                   room = device_share * (double)sw_device_memory_free(device) / sharing->ranks_per_gpu;
    if (!gpu) { here += need->on_host; room = host; }
    if (fixed + here > room) return too_large(group, gpu, fixed + here, room);
    if (need->fixed_on_host + need->on_host > host)
        return too_large(group, false, need->fixed_on_host + need->on_host, host);
    need->fit = fmin(fmin((room - fixed) / here, (host - need->fixed_on_host) / need->on_host), MOST_RUNS);
    return SW_OK;
}

enum sw_status plan_fit(struct sw_sweep *sweep, const struct sw_group *group, const struct sw_devices *devices,
                        const struct sw_plan_sharing *sharing, struct sw_plan *p, int64_t *most)
{
    const struct sw_device *first = devices->device[0];
    struct need need = {.fit = INFINITY};
    for (int k = 0; k < devices->count; k++) {  /* any of them may get any batch: the smallest decides */
        struct need here;
        SW_TRY(fit_one(sweep, group, devices->device[k], sharing, &here));
        if (here.fit < need.fit) need = here;
    }
    *most = (int64_t)need.fit;
    double wish = sweep->batch ? sweep->batch
                               : fmin(wanted(group, first, need.fit), shared_out(p, group, sharing->devices));
    if ((double)*most > wish) *most = (int64_t)wish;
    double runs = (double)(group->count < *most ? group->count : *most);
    double batch = (double)need.fixed + (double)need.per_run * runs;
    if (first->space == SW_DEVICE)
        p->host_bytes = fmax(p->host_bytes, (need.fixed_on_host + need.on_host * runs) * sharing->devices_on_host);
    if (need.per_run > p->run_bytes) p->run_bytes = need.per_run;
    if (batch > (double)p->batch_bytes) p->batch_bytes = (size_t)batch;
    return SW_OK;
}
