#ifndef RUN_SWEEP_HELPERS_H
#define RUN_SWEEP_HELPERS_H
/* One call of the program, in small; and comparing what came out. */
#include "helpers.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hdf5.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "run/sw_processes.h"
#include "run/sw_run_sweep.h"

static const char *const chaos =  /* four runs, one of which blows up */
    "problem = \"cahn_hilliard\"; grid = { n = 16; length = \"2*pi*2\"; }; physics = { D = 1.0; gamma = 1.0; };\n"
    "time = { dt = 0.05; end = 5.0; }; sweep = { amplitude = [0.1, 0.5, 100.0, 0.9]; };\n"
    "initial = \"amplitude*cos(x)\";\n"
    "output = { fields = { times = \"linspace(0, end, 6)\"; }; scalars = { every = 0.5; }; };\n";

static const char *const thousand =  /* run 500 blows up */
    "problem = \"cahn_hilliard\"; grid = { n = 8; length = \"2*pi\"; }; physics = { D = 1.0; gamma = 1.0; };\n"
    "time = { dt = 0.05; end = 2.0; }; sweep = { k = \"range(0, 999)\"; };\n"
    "initial = \"(k == 500 ? 1000 : 0.1 + k/2000)*cos(x)\";\n"
    "output = { fields = { times = \"linspace(0, end, 3)\"; }; scalars = { every = 1.0; }; };\n";

/* ---- one call of the program, in small */

enum harm { NO_HARM, HELP_BREAKS, PIECE_BREAKS, LEAD_BREAKS };
struct call {
    const char *config, *file, *only, *device;  /* NULL: "cpu" */
    const char *override[4];
    int         threads;
    double      checkpoint_seconds, max_seconds;
    int64_t     stop_after;          /* stop when the progress callback was called that often; 0: never */
    bool        fail_fast, retry_failed, only_plan;
    int         room;                /* runs there is memory for on the device; 0: as many as there are */
    const char *breaks;              /* devices that break off: "cpu:1", "cpu:0 cpu:1"; NULL: none      */
    int         after;               /* advancing so many times                                         */
    enum sw_status with;
    double      slow;                /* seconds that the first advance() takes longer; 0: none          */
    double      poison;              /* and any device that gets a run with this number; 0: none        */
    void      (*loads)(const double *column, int count);  /* called when a batch is loaded; NULL: none  */
    struct sw_work_queue *queue;            /* NULL: that of a process that is alone                           */
    bool        client;
    const struct sw_comm *comm;      /* of one rank: devices help each other as those of several do; NULL: none */
    enum harm   harm;                /* with a comm: once a device breaks off: one that helps, in a step or with its
                                        piece of the field; or the one that leads, when it has asked its helpers */
    /* out */
    struct sw_run_sweep_summary summary;
    int64_t to_do, already, batches, resumed, looks, failures, checkpoints, broken;
    int64_t looks_while_slow;
    int         together, together_after;  /* devices that computed one batch; after one has broken off */
    pthread_t thread;
};

static volatile sig_atomic_t stop;
static atomic_int delay;             /* 0: not yet; 1: the first advance() is running; 2: it is over  */

static void on_progress(void *user, const struct sw_progress *progress)
{
    struct call *c = user;
    assert_true(pthread_equal(pthread_self(), c->thread));
    assert_true(progress->points_steps_done >= 0);
    c->looks++;
    c->looks_while_slow += atomic_load(&delay) == 1;
    const bool merges = !strcmp(progress->phase, "merging");  /* which a stop would end, too: parts stay */
    if (c->stop_after && c->looks >= c->stop_after && !merges) stop = 1;
}

static void on_event(void *user, const struct sw_event *event)
{
    struct call *c = user;
    assert_true(pthread_equal(pthread_self(), c->thread));
    c->failures += event->kind == SW_EVENT_FAILURE;
    c->checkpoints += event->kind == SW_EVENT_CHECKPOINT;
    if (event->kind == SW_EVENT_DEVICES && event->count > c->together) c->together = event->count;
    if (event->kind == SW_EVENT_DEVICES && c->broken && event->count > c->together_after)
        c->together_after = event->count;
    if (event->kind != SW_EVENT_DEVICE) return;
    c->broken++;
    assert_contains(event->message, "injected");
    assert_true(event->batch >= 0 && event->batch < c->batches);
}

/* A problem on devices that have less memory than they say, or break off. The sims of a device get operations of their
 * own, by which they know it. */
static const struct sw_problem *sound;
static const struct call *faults;
static int columns;
enum { SIMS = 64 };
static struct {
    struct sw_sim_ops ops;
    struct sw_cut_ops cuts;
    const struct sw_sim_ops *sound;
    const struct sw_remote_helpers *remote;
    atomic_int *advanced;
    bool breaks;
} sims[SIMS];
static struct { atomic_int advanced; } known[8];
static atomic_int nsims;
static atomic_int helped;            /* steps that helpers were asked for */
static atomic_bool harmed;           /* the harm is done                  */
static double asked_last[SW_HELP_REQUEST];

static const struct sw_sim_ops *sound_of(const struct sw_sim *sim)
{
    for (int k = 0; k < SIMS; k++)
        if (sim->ops == &sims[k].ops) return sims[k].sound;
    abort();  /* it is not one of ours */
}

static bool harms(enum harm harm)
{
    return faults->harm == harm && atomic_load(&helped) > 8 && !atomic_exchange(&harmed, true);
}

static enum sw_status faulty_help(struct sw_sim *sim, const double *asked, double *answered)
{
    memcpy(asked_last, asked, sizeof asked_last);
    atomic_fetch_add(&helped, 1);
    if (harms(HELP_BREAKS)) return SW_FAIL(SW_E_CUDA, "injected");
    return sound_of(sim)->cuts->help(sim, asked, answered);
}

static enum sw_status faulty_help_piece(struct sw_sim *sim, int k, const void **piece)
{
    if (harms(PIECE_BREAKS)) return SW_FAIL(SW_E_CUDA, "injected");
    return sound_of(sim)->cuts->help_piece(sim, k, piece);
}

/* One that leads gives others the time to come. */
static enum sw_status lead(const struct sw_remote_helpers *remote)
{
    if (!remote->count) usleep(30000);
    if (!remote->count || !harms(LEAD_BREAKS)) return SW_OK;
    for (int k = 0; k < remote->count; k++) remote->helper[k]->request(remote->helper[k], asked_last);
    return SW_FAIL(SW_E_CUDA, "injected");
}

static enum sw_status faulty_advance(struct sw_sim *sim, int64_t from, int64_t to)
{
    for (int k = 0; k < SIMS; k++) {
        if (sim->ops != &sims[k].ops) continue;
        if (faults->comm) SW_TRY(lead(sims[k].remote));
        if (faults->slow > 0 && !atomic_exchange(&delay, 1)) usleep((useconds_t)(1e6 * faults->slow));
        atomic_store(&delay, 2);
        if (sims[k].breaks && atomic_fetch_add(sims[k].advanced, 1) >= faults->after)
            return SW_FAIL(faults->with, "injected");
        return sims[k].sound->advance(sim, from, to);
    }
    return SW_FAIL(SW_E_ARG, "not one of ours");
}

static enum sw_status faulty_load(struct sw_sim *sim, int count, const double *column, const char **load_error)
{
    for (int k = 0; k < columns * count; k++)
        if (faults->poison != 0 && column[k] == faults->poison) return SW_FAIL(SW_E_CUDA, "injected");
    if (faults->loads) faults->loads(column, columns * count);
    return sound_of(sim)->load(sim, count, column, load_error);
}

static enum sw_status create_faulty(const struct sw_setup *setup, struct sw_device *device, struct sw_sim **sim)
{
    *sim = NULL;
    if (faults->room && setup->capacity > faults->room)
        return SW_FAIL(SW_E_MEMORY, "no room for %d runs", setup->capacity);
    SW_TRY(sound->create(setup, device, sim));
    int k = atomic_fetch_add(&nsims, 1) % SIMS, d = device->label[3] ? device->label[4] - '0' : 0;
    sims[k].sound = (*sim)->ops;
    sims[k].ops = *(*sim)->ops;
    sims[k].ops.advance = faulty_advance;
    sims[k].ops.load = faulty_load;
    if (sims[k].sound->cuts) {
        sims[k].cuts = (struct sw_cut_ops){sims[k].sound->cuts->piece, faulty_help, faulty_help_piece};
        sims[k].ops.cuts = &sims[k].cuts;
    }
    sims[k].remote = setup->remote;
    sims[k].advanced = &known[d].advanced;
    sims[k].breaks = faults->breaks && strstr(faults->breaks, device->label);
    (*sim)->ops = &sims[k].ops;
    return SW_OK;
}

static enum sw_status perform(struct call *c)
{
    struct sw_problem faulty;
    struct sw_report report = {0};
    struct sw_config *config = NULL;
    struct sw_sweep *sweep = NULL;
    struct sw_completed *completed = NULL;
    struct sw_devices devices;
    struct sw_plan *plan = NULL;
    struct sw_selection which = {.only = c->only};
    uint64_t *id = NULL;
    int64_t *run = NULL, count = 0;
    int noverride = 0;
    while (noverride < 4 && c->override[noverride]) noverride++;
    if (sw_config_read_text("test.cfg", c->config, c->override, noverride, &report, &config) ||
        sw_sweep_expand(config, &report, &sweep))
        fail_msg("%s", sw_report_print(&report));
    c->thread = pthread_self();
    if (c->room || c->breaks || c->poison != 0 || c->slow > 0 || c->loads || c->comm) {
        sound = sweep->problem;
        faults = c;
        columns = sweep->ncolumn;
        for (int k = 0; k < 8; k++) atomic_store(&known[k].advanced, 0);
        atomic_store(&delay, 0);
        atomic_store(&helped, 0);
        atomic_store(&harmed, false);
        faulty = *sound;
        faulty.create = create_faulty;
        sweep->problem = &faulty;
    }
    assert_ok(sw_alloc((size_t)sweep->nruns, &id));
    assert_ok(sw_sweep_ids(sweep, 0, sweep->nruns, id));
    assert_ok(sw_sweep_select(sweep, &which, &run, &count));
    assert_ok(sw_completed_open(c->file, &report, &completed));
    assert_ok(sw_devices_open(c->device ? c->device : "cpu", c->threads, SW_DEVICES_MOST, &devices));
    const struct sw_plan_desc desc = {sweep, run, count, id, completed, c->retry_failed};
    enum sw_status st = sw_plan_make(&desc, &devices, NULL, &plan);
    if (!st && !c->only_plan) {
        struct sw_run_sweep_options options = {
            .file = c->file,
            .queue = c->queue,
            .client = c->client,
            .max_seconds = c->max_seconds,
            .checkpoint_seconds = c->checkpoint_seconds,
            .fail_fast = c->fail_fast,
            .retry_failed = c->retry_failed,
            .stop = &stop,
            .progress = on_progress,
            .event = on_event,
            .user = c,
            .provenance =
                {.command_line = "test", .solver = "", .device = "", .driver = "", .cuda = "", .hostname = ""},
        };
        c->to_do = plan->nruns;
        c->already = plan->done + plan->failed;
        c->batches = plan->nbatch;
        c->resumed = 0;
        for (int64_t k = 0; k < plan->nbatch; k++) c->resumed += plan->batch[k].resume != NULL;
        stop = 0;
        struct sw_processes *processes = NULL;
        static char host[1][64];
        if (c->comm) {
            plan->team = 1;  /* as where devices belong to several processes */
            assert_ok(sw_processes_create(c->comm, host, plan, devices.count, &stop, &processes));
            options.queue = sw_processes_queue(processes);
        }
        st = sw_run_sweep(sweep, plan, completed, &devices, &options, &c->summary);
        st = sw_processes_finish(&processes, st);
    }
    sw_plan_destroy(&plan);
    sw_devices_close(&devices);
    sw_completed_close(&completed);
    sw_free(run);
    sw_free(id);
    sw_sweep_destroy(&sweep);
    sw_config_destroy(&config);
    sw_report_free(&report);
    return st;
}

/* ---- what is in a file */

static const char *path(const char *name)
{
    static char paths[8][512];
    static int next;
    char *p = paths[next++ % 8];
    snprintf(p, sizeof paths[0], "%s/%s", test_folder(), name);
    return p;
}

static double *read_dataset(const char *file, const char *name, size_t *count)
{
    double *values = NULL;
    hid_t f = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT), d = H5Dopen2(f, name, H5P_DEFAULT), space = H5Dget_space(d);
    if (f < 0 || d < 0) fail_msg("%s has no %s", file, name);
    *count = (size_t)H5Sget_simple_extent_npoints(space);
    assert_ok(sw_alloc(*count, &values));
    assert_true(H5Dread(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Sclose(space);
    H5Dclose(d);
    H5Fclose(f);
    return values;
}

/* Rows of A (first to last) and of B, from row `other` on, hold the same bits. */
static void assert_rows(const char *a, const char *b, const char *name, size_t nruns_a, size_t first, size_t last,
                        size_t other, size_t nruns_b)
{
    size_t na, nb;
    double *x = read_dataset(a, name, &na), *y = read_dataset(b, name, &nb);
    size_t width = na / nruns_a;
    assert_int_equal(nb / nruns_b, width);
    if (memcmp(x + first * width, y + other * width, (last - first) * width * sizeof *x))
        fail_msg("%s differs in runs %zu .. %zu", name, first, last);
    sw_free(x);
    sw_free(y);
}

static void assert_same(const char *a, const char *b, size_t nruns)
{
    static const char *const names[] = {"u",      "mass",  "energy",   "u_min", "u_max", "domain_length",
                                        "status", "steps", "t_reached"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) assert_rows(a, b, names[k], nruns, 0, nruns, 0, nruns);
}

static void rm(const char *file)
{
    assert_ok(sw_output_remove(file));
}
#endif
