/* How many runs of a batch fit the memory of the devices and of the host, and how many are wanted. */
#include <math.h>
#include <omp.h>
#include <stdio.h>

#include "base/sw_err.h"
#include "device/sw_snapshot.h"
#include "problem/stopping_sim.h"
#include "run/plan_impl.h"

/* Shares of the free memory that batches may take. The rest is for what is not counted: libraries, fragments, other
 * processes. */
static const double device_share = 0.9, host_share = 0.7;

/* What is free changes by itself. Slices that fitted once may have more of it than new ones, before what has been
 * computed of them is given up. */
static const double share_of_begun = 0.95;
enum { MOST_RUNS = 1 << 24 };

/* Host memory of a run whose batch is in flight, besides that of the device: two checkpoints, one being made and one
 * being written (n doubles each; none without time), the state of which the user's scalars are formed, the snapshots in
 * their slots, its history (the sim's, a copy, and one being written), its columns and its rows of the run table. */
static double host_bytes_per_run(const struct sw_sweep *sweep, const struct sw_group *g, const struct sw_device *device)
{
    const bool timed = sweep->problem->time;
    if (g->cut) return 8.0 * sweep->ncolumn + 2.0 * sizeof(struct sw_run_result) + 64;  /* bytes() counts the rest */
    double field = (sweep->single_fields ? 4 : 8) * sw_quantity_count(sw_sweep_fields(sweep, g)),
           state = timed ? 16 : 0;
    if (sweep->ndefined) state += 8;
    if (sweep->stops) {  /* at this look and the last, kept, copied; twice in checkpoints, as the last state may be */
        const struct sw_setup setup = sw_sweep_setup(sweep, g, 1);
        const size_t numbers = (size_t)sw_points(g->n) * (size_t)sw_quantity_count(sw_sweep_fields(sweep, g));
        const double bytes = 8.0 * (2 + 2) * (double)numbers + (double)sw_stopping_sim_bytes(&setup, numbers);
        state += bytes / (double)sw_points(g->n);
    }
    double pinned = device->space == SW_DEVICE ? (timed ? SW_SNAPSHOT_SLOTS : g->nfield) * field : 0;
    double history = sweep->history ? 3 * 8.0 * (1 + sweep->history) : 0;
    return (double)sw_points(g->n) * (state + pinned) + history + 8.0 * sweep->ncolumn +
           2.0 * sizeof(struct sw_run_result) + 64;
}

static enum sw_status host_free(const struct sw_device *device, double *bytes)
{
    struct sw_device *host = NULL;
    SW_TRY(sw_device_open("cpu", device->threads, &host));
    *bytes = (double)sw_device_memory_free(host);
    sw_device_close(&host);
    return SW_OK;
}

/* ---- what is said of a run that does not fit */

/* Bytes of a batch of one run and of each further run, on the device and on the host; and how many runs fit. */
struct need { size_t fixed, per_run; double fixed_on_host, on_host, fit; };

static enum sw_status needs(const struct sw_sweep *sweep, const struct sw_group *group, const struct sw_device *device,
                            struct need *need)
{
    const struct sw_setup setup = sw_sweep_setup(sweep, group, 1);
    *need = (struct need){.on_host = host_bytes_per_run(sweep, group, device)};
    struct sw_batch_bytes bytes = {0};
    const int threads = omp_get_max_threads();
    omp_set_num_threads(device->threads);  /* as a worker does: each thread has scratch memory */
    const enum sw_status status =
        sw_sweep_blame_row(sweep, sweep->problem->bytes(&setup, device, &bytes));
    need->fixed = bytes.fixed;
    need->per_run = bytes.per_run;
    if (device->space == SW_DEVICE) need->fixed_on_host = (double)bytes.fixed_on_host;
    if (sweep->ndefined && device->space == SW_DEVICE)  /* problem/device/reducer.h */
        need->per_run += 8 * (size_t)(sweep->ncolumn + SW_GRID_NUMBERS + 3 + sweep->ndefined);
    omp_set_num_threads(threads);
    return status;
}

/* What a run needs of the device, which may be the host; or of the host beside it. */
static double need_of_run(const struct need *need, const struct sw_device *device, bool on_host)
{
    if (on_host) return need->fixed_on_host + need->on_host;
    return (double)need->fixed + (double)need->per_run + (device->space == SW_HOST ? need->on_host : 0);
}

/* The points of a run on a line that fits. What a run needs may have a part that does not depend on n. 0: none was
 * found. */
static double points_that_fit(const struct sw_sweep *sweep, const struct sw_group *group,
                              const struct sw_device *device, bool on_host, double have)
{
    struct sw_group shorter = *group;
    double points = (double)group->n[0];
    for (int tries = 0; tries < 50; tries++) {
        struct need need;
        if (needs(sweep, &shorter, device, &need)) return 0;
        const double bytes = need_of_run(&need, device, on_host);
        if (bytes <= have) return points;
        points = fmin(floor(points * have / bytes), points - 1);
        if (points < fmax(sweep->problem->shape->min_points, 1)) return 0;
        shorter.n[0] = (int64_t)points;
    }
    return 0;
}

/* Whether grid.n is what files have, and not the config's to choose. */
static bool files_have_points(const struct sw_sweep *sweep, const struct sw_group *group)
{
    const struct sw_setup setup = sw_sweep_setup(sweep, group, 1);
    const char *key;
    struct sw_text why = SW_SHORT_TEXT;
    int64_t n = 0;
    return sweep->problem->files && sweep->problem->files->points &&
           !sweep->problem->files->points(&setup, &n, &key, &why) && n > 0;
}

/* Two sizes in GiB so that one sees which is larger, and that the first is enough. */
static void format_sizes(double need, double have, char need_text[32], char have_text[32])
{
    double scale = 10;
    int digits = 1;
    for (; digits < 12 && have / 0x1p30 * scale < 10; digits++) scale *= 10;
    snprintf(need_text, 32, "%.*f", digits, ceil(need / 0x1p30 * scale) / scale);
    snprintf(have_text, 32, "%.*f", digits, floor(have / 0x1p30 * scale) / scale);
}

/* A run that is cut is not told a smaller n: how small slices can be does not fall with n. */
static enum sw_status too_large(const struct sw_plan *p, const struct sw_group *g, const struct sw_device *device,
                                bool on_host, double need, double have)
{
    const struct sw_sweep *sweep = p->own->of.sweep;
    const bool gpu = device->space == SW_DEVICE && !on_host, allowed = sweep->memory && have >= sweep->memory,
               lower = !g->cut && !files_have_points(sweep, g);
    const double most = !lower ? 0 : p->ranks * (g->dim > 1 ? floor((double)sw_points(g->n) * have / need)
                                                            : points_that_fit(sweep, g, device, on_host, have));
    char a[32], b[32], of[64], cut[64] = "", hint[160] = "";
    format_sizes(need, have, a, b);
    if (g->cut) snprintf(cut, sizeof cut, " even in %lld slices", 1LL << g->cut);
    if (p->ranks > 1) snprintf(cut, sizeof cut, " for the slab of each of %d devices", p->ranks);
    if (allowed) snprintf(of, sizeof of, "run.memory allows %s GiB", b);
    else snprintf(of, sizeof of, "the %s has %s GiB free", gpu ? "GPU" : "machine", b);
    if (most >= 1) snprintf(hint, sizeof hint, "lower grid.n to at most %.0f%s", most,
                            g->dim > 1 ? " points in all" : "");
    if (allowed) return SW_FAIL(SW_E_TOO_LARGE, "one run needs %s GiB%s, and %s; raise it%s%s", a, cut, of,
                                *hint ? ", or " : "", hint);
    const char *use = gpu ? "use --device cpu" : *hint ? "" : "it takes a machine with more";
    return SW_FAIL(SW_E_TOO_LARGE, "one run needs %s GiB%s, %s; %s%s%s", a, cut, of, hint, *hint && *use ? " or " : "",
                   use);
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

/* A batch of a problem that iterates is lost where it is interrupted. On the CPU it has a million points, which take a
 * second or so; of larger runs one for each thread, and 2^26 points at most. On a GPU it has 2^29 points, 64 runs of
 * 2^23: the host forms their right-hand sides before. */
static double runs_to_lose(const struct sw_group *g, const struct sw_device *device)
{
    const double points = (double)sw_points(g->n);
    if (device->space == SW_DEVICE) return fmax((1 << 29) / points, 1);
    return fmax(fmax((1 << 20) / points, fmin(device->threads, (1 << 26) / points)), 1);
}

/* On the CPU a batch of a million points keeps all threads busy for long. Larger ones gain nothing, take more memory,
 * and are written later. A GPU wants as many runs as fit. */
static double wanted_runs(const struct sw_sweep *sweep, const struct sw_group *g, const struct sw_device *device,
                          double fit)
{
    if (sweep->problem->measures & SW_ITERATES) return runs_to_lose(g, device);
    if (device->space == SW_DEVICE) return MOST_RUNS;
    if (all_at_once(g, device, fit)) return (double)g->count;
    return fmax((double)(1 << 20) / (double)sw_points(g->n), 16.0 * device->threads);
}

static double group_work(const struct sw_group *g)
{
    return sw_group_points(g) * sw_group_steps(g).mean * (double)g->count;
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

static enum sw_status fit_device(const struct sw_plan *p, const struct sw_group *group, struct sw_device *device,
                                 bool begun, struct need *need)
{
    const struct sw_sweep *sweep = p->own->of.sweep;
    const bool gpu = device->space == SW_DEVICE;
    double host;
    SW_TRY(needs(sweep, group, device, need));
    SW_TRY(host_free(device, &host));
    /* each device has a batch in flight */
    host *= (begun ? share_of_begun : host_share) / p->own->sharing.devices_on_host;
    const double fixed = (double)need->fixed, run = need_of_run(need, device, false),
                 run_on_host = need_of_run(need, device, true);
    double room = (double)sw_device_memory_free(device) / p->own->sharing.ranks_per_gpu;
    room *= begun ? share_of_begun : device_share;
    if (sweep->memory) host = fmin(host, sweep->memory);
    if (sweep->memory) room = fmin(room, sweep->memory);
    if (!gpu) room = host;
    if (run > room) return too_large(p, group, device, false, run, room);
    if (run_on_host > host) return too_large(p, group, device, true, run_on_host, host);
    need->fit = fmin(fmin((room - fixed) / (run - fixed), (host - need->fixed_on_host) / need->on_host), MOST_RUNS);
    return SW_OK;
}

double plan_run_bytes(const struct sw_plan *p, const struct sw_group *group)
{
    const struct sw_device *device = p->own->devices->device[0];
    struct need need;
    return needs(p->own->of.sweep, group, device, &need) ? NAN : need_of_run(&need, device, false);
}

enum sw_status plan_fit(struct sw_plan *p, const struct sw_group *group, bool begun, int64_t *most)
{
    const struct sw_sweep *sweep = p->own->of.sweep;
    const struct sw_devices *devices = p->own->devices;
    const struct sw_plan_sharing *sharing = &p->own->sharing;
    const struct sw_device *first = devices->device[0];
    struct need need = {.fit = INFINITY};
    for (int k = 0; k < devices->count; k++) {  /* any device may get any batch */
        struct need here;
        SW_TRY(fit_device(p, group, devices->device[k], begun, &here));
        if (here.fit < need.fit) need = here;
    }
    *most = group->cut ? 1 : (int64_t)need.fit;
    double wish = sweep->batch ? sweep->batch
                               : fmin(wanted_runs(sweep, group, first, need.fit),
                                      runs_per_share(p, group, p->ranks > 1 ? p->groups : sharing->devices));
    if ((double)*most > wish) *most = (int64_t)wish;
    double runs = (double)(group->count < *most ? group->count : *most);
    double batch = (double)need.fixed + (double)need.per_run * runs;
    if (first->space == SW_DEVICE)
        p->host_bytes = fmax(p->host_bytes, (need.fixed_on_host + need.on_host * runs) * sharing->devices_on_host);
    if (need.per_run > p->run_bytes) p->run_bytes = need.per_run;
    if (batch > (double)p->batch_bytes) p->batch_bytes = (size_t)batch;
    return SW_OK;
}

int plan_deepest_cut(const struct sw_plan *p, const struct sw_group *group)
{
    const struct sw_sweep *sweep = p->own->of.sweep;
    const struct sw_devices *devices = p->own->devices;
    const struct sw_setup setup = sw_sweep_setup(sweep, group, 1);
    int deepest = sweep->problem->cuts ? SW_CUT_MOST : 0;
    for (int k = 0; k < devices->count && deepest; k++) {
        const int here = sweep->problem->cuts->deepest_cut(&setup, devices->device[k]);
        if (here < deepest) deepest = here;
    }
    return deepest;
}
