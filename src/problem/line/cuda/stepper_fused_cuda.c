/* The lines of a batch on a CUDA device, all steps between two outputs in one kernel: each line stays in the registers
 * of a group of lanes (cuda/line/line_fused_rtc.cuh). The field lies line by line in device memory; a step costs no
 * access to it. Where each run takes steps of its own, or as many as its pace has, their kernels do. */
#include <stdio.h>
#include <string.h>

#include "base/sw_err.h"
#include "cuda/cu_check.cuh"
#include "problem/line/cuda/fused_kernels_cuda.h"
#include "problem/line/cuda/batch_cuda.h"
#include "problem/line/stepper/imex.h"
#include "problem/line/stepper/own_steps_drive.h"

/* ------------------------------------------------------------------ steps of a run's own */

/* What the kernels of cuda/line/line_own_steps_rtc.cuh need of the runs. All work is queued on the device's stream
 * `compute`. */
struct own_steps {
    struct sw_own_batch view;
    double *times, *numbers;     /* [goals + 1]; [capacity][]: limits, then first dt and drive of all runs */
    double *host;                /* numbers, to be uploaded                                  */
    bool    begun;               /* all runs have a first dt                                 */
};

_Static_assert(sizeof(struct sw_own_limits) % sizeof(double) == 0, "numbers of 8 bytes follow");

/* Of a run in `numbers`, which has limits, first dt and drive of all runs, one after another. */
static size_t count_numbers(const struct sw_stepper_desc *d)
{
    return sizeof(struct sw_own_limits) / sizeof(double) + 1 + sw_own_drive_numbers(d);
}

enum { QUEUE_THREADS = 1024, NOISE_THREADS = 128 };  /* the first as in cuda/line/line_own_steps_rtc.cuh */

static size_t count_times(const struct sw_stepper_desc *d) { return d->times ? (size_t)d->goals + 1 : 0; }

static enum sw_status own_create(struct sw_stepper *s, struct own_steps *p)
{
    const size_t room = (size_t)s->desc.capacity, times = count_times(&s->desc), numbers = count_numbers(&s->desc);
    sw_array_device(&s->arrays, times, &p->times);
    sw_array_device(&s->arrays, numbers * room, &p->numbers);
    sw_array_device(&s->arrays, room, &p->view.steps);
    sw_array_device(&s->arrays, room, &p->view.queue);
    sw_array_device(&s->arrays, 2, &p->view.counter);
    sw_array(&s->arrays, numbers * room, &p->host);
    SW_TRY(s->arrays.status);
    p->view.times = p->times;
    p->view.windows = sw_own_drive_windows(&s->desc);
    p->view.gamma = sw_imex_of(s->desc.model.scheme)->gamma;
    return times ? sw_device_upload(s->device, p->times, s->desc.times, times * sizeof *p->times) : SW_OK;
}

/* Bytes of device memory: all that do not depend on runs, and a run. */
static void own_bytes(const struct sw_stepper_desc *d, size_t *fixed, size_t *per_run)
{
    *fixed = count_times(d) * sizeof(double) + 2 * sizeof(int);
    *per_run = count_numbers(d) * sizeof(double) + sizeof(struct sw_own_steps) + sizeof(int);
}

/* The state is another one: no run has begun. */
static enum sw_status own_restart(struct sw_stepper *s, struct own_steps *p)
{
    p->begun = false;
    CU_TRY(cudaSetDevice(s->device->index));
    CU_TRY(cudaMemsetAsync(p->view.steps, 0, (size_t)s->count * sizeof *p->view.steps,
                           (cudaStream_t)s->device->compute));
    return SW_OK;
}

/* Upload what the runs in the stepper ask for; none of them has begun. */
static enum sw_status own_load(struct sw_stepper *s, struct own_steps *p)
{
    const size_t count = (size_t)s->count;
    const size_t first = count * sizeof(struct sw_own_limits) / sizeof(double), drive = first + count;
    struct sw_own_limits *limits = (struct sw_own_limits *)p->host;
#pragma omp parallel for schedule(dynamic, 16) num_threads(s->device->threads) if (count > 64)
    for (size_t j = 0; j < count; j++) {
        limits[j] = s->desc.times ? sw_stepper_limits(s, &s->run[j]) : (struct sw_own_limits){0};
        p->host[first + j] = s->run[j].first_dt;
    }
    memcpy(p->host + drive, s->drive, count * sw_own_drive_numbers(&s->desc) * sizeof *p->host);
    p->view.limits = (const struct sw_own_limits *)p->numbers;
    p->view.first_dt = p->numbers + first;
    p->view.drive = p->numbers + drive;
    SW_TRY(sw_device_upload(s->device, p->numbers, p->host, count_numbers(&s->desc) * count * sizeof *p->host));
    return own_restart(s, p);
}

static enum sw_status launch_groups(struct sw_stepper *s, const struct sw_fused_kernels *k, int kernel, int most,
                                    void **args)
{
    const int threads = 32 * k->shape.warps, lines = threads / k->shape.lanes;
    const int blocks = (s->count + lines - 1) / lines;
    return sw_kernel_launch(s->device, sw_fused_kernels_get(k, kernel), blocks < most ? blocks : most, 1, threads,
                            sw_fused_shared(&k->shape) * sizeof(double), args);
}

/* As many blocks as are on the device at once take the runs from the queue. */
static enum sw_status own_advance(struct sw_stepper *s, struct own_steps *p, struct sw_cuda_batch *batch,
                                   const struct sw_fused_kernels *k, int64_t from, int64_t to)
{
    void *begin[] = {&batch->view, &p->view, &batch->u}, *queue[] = {&batch->view, &p->view, &from, &to};
    void *steps[] = {&batch->view, &p->view, &batch->u, &to};
    if (!p->begun) SW_TRY(launch_groups(s, k, SW_OWN_BEGIN_K, s->count, begin));
    p->begun = true;
    SW_TRY(sw_kernel_launch(s->device, sw_fused_kernels_get(k, SW_OWN_QUEUE_K), 1, 1, QUEUE_THREADS, 0, queue));
    return launch_groups(s, k, SW_OWN_STEPS_K, s->device->processors * k->shape.blocks, steps);
}

/* Before scalars are measured: what rounding does to a field, from the steps of each run, into the batch's view. */
static enum sw_status own_set_noise(struct sw_stepper *s, struct own_steps *p, struct sw_cuda_batch *batch,
                                     const struct sw_fused_kernels *k)
{
    double *noise = sw_cuda_batch_noise(batch);
    void *args[] = {&batch->view, &p->view, &noise};
    return sw_kernel_launch(s->device, sw_fused_kernels_get(k, SW_OWN_NOISE_K),
                            (s->count + NOISE_THREADS - 1) / NOISE_THREADS, 1, NOISE_THREADS, 0, args);
}

static enum sw_status own_get(struct sw_stepper *s, const struct own_steps *p, double *record)
{
    return sw_device_download(s->device, record, p->view.steps, (size_t)s->count * sizeof *p->view.steps);
}

static enum sw_status own_set(struct sw_stepper *s, struct own_steps *p, const double *record)
{
    p->begun = false;
    return sw_device_upload(s->device, p->view.steps, record, (size_t)s->count * sizeof *p->view.steps);
}

/* ------------------------------------------------------------------ steps of a run's pace */

/* What cuda/line/line_paces_rtc.cuh needs of the runs. */
struct paces {
    int       *place, *host;     /* [places][2] a line, or that there is none, and a pace; on the device, on the host */
    int       *next;             /* [paces] room, on the host                                                         */
    long long *at;               /* [paces][goals + 1] of desc.paces, on the device                                   */
    int        places;           /* of the batch: a multiple of the lines of a block                                  */
};

/* Lines of a warp, which have one pace, and of a block. */
static int lines_of_warp(const struct sw_fused_shape *f) { return f->lanes < 32 ? 32 / f->lanes : 1; }
static int lines_of_block(const struct sw_fused_shape *f) { return f->lanes > 32 ? 1 : 32 * f->warps / f->lanes; }

static size_t steps_at_goals(const struct sw_paces *p) { return (size_t)p->count * ((size_t)p->goals + 1); }

/* No warp is left without a line but those of the last block. */
static void paces_bytes(const struct sw_stepper_desc *d, const struct sw_fused_shape *shape, size_t *fixed,
                        size_t *per_run)
{
    *fixed = steps_at_goals(d->paces) * sizeof(long long) + 2 * (size_t)lines_of_block(shape) * sizeof(int);
    *per_run = 2 * (size_t)lines_of_warp(shape) * sizeof(int);
}

static enum sw_status paces_create(struct sw_stepper *s, const struct sw_fused_shape *shape, struct paces *p)
{
    const struct sw_paces *of = s->desc.paces;
    const size_t places = (size_t)s->desc.capacity * (size_t)lines_of_warp(shape) + (size_t)lines_of_block(shape);
    sw_array_device(&s->arrays, 2 * places, &p->place);
    sw_array_device(&s->arrays, steps_at_goals(of), &p->at);
    sw_array(&s->arrays, 2 * places, &p->host);
    sw_array(&s->arrays, (size_t)of->count, &p->next);
    SW_TRY(s->arrays.status);
    return sw_device_upload(s->device, p->at, of->at, steps_at_goals(of) * sizeof *p->at);
}

/* Those that take most steps come first: the blocks that take longest begin first. Behind the last place a block has
 * any pace. */
static enum sw_status paces_load(struct sw_stepper *s, const struct sw_fused_shape *shape, struct paces *p)
{
    const int none = s->count, together = lines_of_warp(shape), lines = lines_of_block(shape);
    int places = 0;
    for (int k = 0; k < s->desc.paces->count; k++) p->next[k] = 0;
    for (int j = 0; j < s->count; j++) p->next[s->run[j].pace]++;
    for (int k = s->desc.paces->count - 1; k >= 0; k--) {
        const int first = places;
        places += (p->next[k] + together - 1) / together * together;
        for (int at = first; at < places; at++) p->host[2 * at + 1] = k;
        p->next[k] = first;
    }
    p->places = (places + lines - 1) / lines * lines;
    for (int at = 0; at < p->places; at++) p->host[2 * at] = none;
    for (int j = 0; j < s->count; j++) p->host[2 * p->next[s->run[j].pace]++] = j;
    return sw_device_upload(s->device, p->place, p->host, 2 * (size_t)p->places * sizeof *p->host);
}

/* ------------------------------------------------------------------ the row */

struct fused {
    struct sw_cuda_batch    batch;            /* first: batch_cuda.h works on it; its field is `field`    */
    struct sw_fused_kernels kernels;          /* their coefficients; the kernels                          */
    struct own_steps        own;              /* desc.own_steps                                           */
    struct paces            paces;            /* desc.paces                                               */
    double                 *field, *staging;  /* n*capacity numbers each                                  */
    double                 *scalars;          /* [capacity][SW_LINE_SCALARS], all but the domain length   */
    bool                    known;            /* they are those of the state as it is                     */
    bool                    wanted;           /* a snapshot has asked for scalars: more will              */
};

/* ------------------------------------------------------------------ life */

static enum sw_status choose_shape(const struct sw_stepper_desc *d, int sm, const char *text,
                                   struct sw_fused_shape *shape)
{
    if (text) SW_TRY(sw_fused_shape_read(d, sm, text, shape));
    else if (!sw_fused_shape_pick(d, sm, shape))
        return SW_FAIL(SW_E_ABSENT, "cuda.fused: %d points are too many for this device", d->n);
    shape->paced = d->paces != NULL;
    return SW_OK;
}

static bool fused_fits(const struct sw_stepper_desc *d, int sm)
{
    struct sw_fused_shape shape;
    return sw_fused_shape_pick(d, sm, &shape);
}

/* Of any device: no layout needs a larger table than where there are clusters. */
static void fused_bytes(const struct sw_stepper_desc *d, const char *band, size_t *fixed, size_t *per_run)
{
    enum { WITH_CLUSTERS = 90 };
    struct sw_fused_shape shape = {.lanes = 32};
    size_t numbers = 2 * sw_stepper_line(d) + (size_t)sw_line_kept(&d->model).run + SW_LINE_SCALARS;
    (void)choose_shape(d, WITH_CLUSTERS, band, &shape);
    sw_cuda_batch_bytes(d, fixed, per_run);
    *per_run += numbers * sizeof(double) + sw_fused_kernels_bytes(d, &shape);
    size_t more_fixed = 0, more_per_run = 0;
    if (d->own_steps) own_bytes(d, &more_fixed, &more_per_run);
    if (d->paces) paces_bytes(d, &shape, &more_fixed, &more_per_run);
    *fixed += more_fixed;
    *per_run += more_per_run;
}

static enum sw_status fused_create(struct sw_stepper *s, const char *band)
{
    struct sw_fused_shape shape;
    struct fused *p = s->own;
    SW_TRY(choose_shape(&s->desc, s->device->sm, band, &shape));
    if (band) snprintf(s->name, sizeof s->name, "%s+%s", s->ops->name, band);
    SW_TRY(sw_fused_kernels_create(s, &shape, &p->kernels));
    SW_TRY(sw_cuda_batch_create(s, true));
    sw_array_device(&s->arrays, sw_stepper_vector(&s->desc), &p->field);
    sw_array_device(&s->arrays, sw_stepper_vector(&s->desc), &p->staging);
    sw_array_device(&s->arrays, (size_t)s->desc.capacity * SW_LINE_SCALARS, &p->scalars);
    SW_TRY(s->arrays.status);
    p->batch.u = p->field;
    p->batch.measured = s->desc.own_steps ? NULL : p->scalars;
    sw_cuda_batch_lend_staging(&p->batch, p->staging);
    if (s->desc.paces) SW_TRY(paces_create(s, &shape, &p->paces));
    return s->desc.own_steps ? own_create(s, &p->own) : SW_OK;
}

static void fused_destroy(struct sw_stepper *s)
{
    struct fused *p = s->own;
    sw_cuda_batch_destroy(s);  /* waits for what is queued */
    sw_fused_kernels_destroy(s, &p->kernels);
}

static enum sw_status fused_load(struct sw_stepper *s, const char **load_error)
{
    struct fused *p = s->own;
    SW_TRY(sw_fused_kernels_load(s, &p->kernels));  /* first, as it may begin to compile */
    SW_TRY(sw_cuda_batch_load(s, load_error));
    if (s->desc.paces) SW_TRY(paces_load(s, &p->kernels.shape, &p->paces));
    return s->desc.own_steps ? own_load(s, &p->own) : SW_OK;
}

/* ------------------------------------------------------------------ steps */

/* Steps, none if from = to; then, if asked to, the scalars. */
static enum sw_status launch(struct sw_stepper *s, int64_t from, int64_t to, bool measured)
{
    struct fused *p = s->own;
    double *scalars = measured ? p->scalars : NULL;
    const struct sw_fused_shape *shape = &p->kernels.shape;
    const struct sw_paces *paces = s->desc.paces;
    const int threads = 32 * shape->warps, lines = lines_of_block(shape),
              blocks = ((paces ? p->paces.places : s->count) + lines - 1) / lines;
    int64_t goals = paces ? paces->goals : 0;
    size_t shared = sw_fused_shared(shape) * sizeof(double);
    void *kernel = sw_fused_kernels_get(&p->kernels, 0);
    void *args[] = {&p->batch.view, &p->kernels.line, &p->kernels.common, &p->kernels.table,
                    &p->field, &from, &to, &scalars,
                    &p->paces.place, &p->paces.at, &goals};  /* these of the kernel with paces */
    p->known = measured;
    if (shape->cluster == 1) return sw_kernel_launch(s->device, kernel, blocks, 1, threads, shared, args);
    return sw_kernel_launch_clusters(s->device, kernel, blocks, shape->cluster, threads, shared, args);
}

static enum sw_status fused_advance(struct sw_stepper *s, int64_t from, int64_t to)
{
    struct fused *p = s->own;
    if (s->desc.own_steps) return own_advance(s, &p->own, &p->batch, &p->kernels, from, to);
    return launch(s, from, to, p->wanted);
}

/* ------------------------------------------------------------------ the state */

static enum sw_status fused_initial(struct sw_sim *sim)
{
    struct sw_stepper *s = sw_stepper_of(sim);
    struct fused *p = s->own;
    p->known = false;
    if (s->desc.own_steps) SW_TRY(own_restart(s, &p->own));
    return sw_cuda_batch_initial(sim);
}

static enum sw_status fused_set_state(struct sw_sim *sim, const double *u)
{
    struct sw_stepper *s = sw_stepper_of(sim);
    struct fused *p = s->own;
    p->known = false;
    if (s->desc.own_steps) SW_TRY(own_restart(s, &p->own));
    return sw_cuda_batch_set_state(sim, u);
}

/* Where the steps left no scalars behind the kernel is called for them alone: in the same order, to the same bits.
 * Those of runs with steps of their own are measured from the field. */
static enum sw_status fused_snapshot(struct sw_sim *sim, int slot, int what)
{
    struct sw_stepper *s = sw_stepper_of(sim);
    struct fused *p = s->own;
    if (s->desc.own_steps) {
        if (what & SW_SNAPSHOT_SCALARS) SW_TRY(own_set_noise(s, &p->own, &p->batch, &p->kernels));
    } else if (what & SW_SNAPSHOT_SCALARS) {
        p->wanted = true;
        if (!p->known) SW_TRY(launch(s, 0, 0, true));
    }
    return sw_cuda_batch_snapshot(sim, slot, what);
}

/* What their steps have been. */
static enum sw_status fused_get_record(struct sw_sim *sim, double *record)
{
    struct sw_stepper *s = sw_stepper_of(sim);
    return own_get(s, &((struct fused *)s->own)->own, record);
}

static enum sw_status fused_set_record(struct sw_sim *sim, const double *record)
{
    struct sw_stepper *s = sw_stepper_of(sim);
    return own_set(s, &((struct fused *)s->own)->own, record);
}

/* A line is read and written once a call. Operations: four recursions a point and the new field, for each solve; what
 * lanes exchange, some 8 log2(lanes) + 24 a lane, is not counted. The stencil's and those of G and N, for each stage
 * that has values of them, and one for each right-hand side behind it; five-point sums where P is not 1. Lines that end
 * have two more for each solve. A point is one point of all unknowns. */
static struct sw_cost fused_cost(const struct sw_stepper *s, int64_t steps)
{
    const struct sw_line_model *m = &s->desc.model;
    struct sw_imex_stages stages;
    double operations = 0;
    sw_imex_stages_of(m->scheme, &stages);
    const int values = sw_imex_valued(&stages), sums = values * (values + 1) / 2;
    for (int v = 0; v < sw_line_unknowns(m); v++) {
        operations += 9 * (stages.count - 1);
        if (m->g[v]) operations += values * (2 + sw_program_size(m->g[v]).point) + sums;
        if (m->explicit_term[v]) operations += values * sw_program_size(m->explicit_term[v]).point + sums;
        const int of_p = m->mass[v].d4 != 0.0 ? 8 : 3;
        if (sw_line_has_mass(&m->mass[v])) operations += values * (of_p + of_p * !!m->explicit_term[v] + 3 * !!m->g[v]);
        if (sw_line_ended(m)) operations += 2 * (stages.count - 1);
    }
    return (struct sw_cost){16.0 * sw_line_unknowns(m) / (double)steps,
                            s->desc.single_steps ? operations / 2 : operations};
}

static const struct sw_state_ops states = {
    .initial = fused_initial, .set = fused_set_state, .get = sw_cuda_batch_get_state,
    .get_some = sw_cuda_batch_get_states, .on_device = sw_cuda_batch_device_state};
static const struct sw_record_ops records = {.get = fused_get_record, .set = fused_set_record};
static const struct sw_sim_ops operations = {
    .snapshot = fused_snapshot, .fetch = sw_cuda_batch_fetch, .diverged = sw_cuda_batch_diverged, .states = &states,
    .records = &records};

extern const struct sw_stepper_ops stepper_fused_cuda;
const struct sw_stepper_ops stepper_fused_cuda = {
    .name = "cuda.fused",
    .takes = SW_LINE_ALL | SW_LINE_MASS | SW_LINE_ENDS | SW_LINE_OWN_STEPS | SW_LINE_PACES,
    .about = "all steps between two outputs in one kernel, lines in the registers of lanes, blocks or clusters",
    .space = SW_DEVICE,
    .fits = fused_fits,
    .bytes = fused_bytes,
    .own_size = sizeof(struct fused),
    .create = fused_create,
    .load = fused_load,
    .advance = fused_advance,
    .destroy = fused_destroy,
    .sim = &operations,
    .cost = fused_cost,
};
