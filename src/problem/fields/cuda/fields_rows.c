/* The rows that step fields on a GPU, by the same passes: over rows, which form the right-hand side and solve along x,
 * and over columns along each other axis.
 *
 * cuda.stream takes fields through memory (cuda/fields/fields_stream_rtc.cuh). All runs of the batch take a step
 * together; with steps of their own each has its dt, and those that are at their goal wait. What decides a step, and
 * makes P, is a thread a run, so that nothing is waited for but every few steps of such runs. cuda.fused has a run in
 * the shared memory of a block, or of a cluster of blocks, which take all its steps
 * (cuda/fields/fields_fused_rtc.cuh). cuda.cufft is cuda.stream with exact solves by NVIDIA's library between its
 * passes, whose lines then have nothing to solve. */
#include <math.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_reals.h"
#include "device/sw_snapshot.h"
#include "field/sum_point.h"
#include "problem/fields/cuda/fields_point.h"
#include "problem/fields/cuda/fields_text.h"
#include "problem/fields/cuda/fields_waves.h"
#include "problem/fields/cuda/walls_layout.h"
#include "problem/fields/exact.h"
#include "problem/fields/fields_batch_cpu.h"
#include "problem/line/stepper/batch_cpu.h"

struct stream {
    struct fields_shape  shape;
    struct sw_kernels    kernels;
    struct fields_on_device  batch;          /* what its pointers to const point to is in arrays below */
    struct fields_walk   walk;           /* method, rule and grid of a run: what bounds its steps  */
    struct fields_walls_layout walls;
    struct fields_waves  waves;          /* where shape.waves                                      */
    int                  varies;
    bool                 begins;         /* states are new: what is given at walls is to be set    */
    int                 *pace_of;        /* [capacity] of desc.paces, on the device, as the next   */
    long long           *steps_at;       /* [paces][goals + 1]                                     */
    double              *weights;        /* [capacity][walls.weights] on the device                */
    double              *param, *place, *dt, *first_dt, *times, *drive;  /* on the device          */
    struct fields_stiffness *constant;
    struct fields_method *method;        /* [1] */
    struct fields_matrix_rule *rule;
    struct sw_own_limits *limits;
    int                 *sound;          /* [capacity] load() found no load_error                  */
    double              *number;         /* [capacity] of a run: its energy, or how much it changes */
    struct {                             /* the same on the host, to be uploaded                   */
        double *place, *dt, *first_dt, *drive, *number, *scalars, *weights;
        struct fields_stiffness *constant;
        struct sw_own_limits *limits;
        int64_t *diverged;
        int *sound, *stopped, *pace_of;
    } host;
    int                  workers;
    double              *copy;           /* [workers][z][y][x] of runs that are measured           */
    struct fields_measure **measure;     /* [workers]                                              */
    struct sw_snapshots *snapshots;
};

static size_t size_of(const struct fields_sim *s) { return fields_size(&s->desc); }

static bool is_fused(const struct stream *p) { return p->shape.kept > 0; }

/* ------------------------------------------------------------------ launches */

static enum sw_status launch_runs(struct fields_sim *s, enum fields_kernel kernel, int each, void **args)
{
    const struct stream *p = s->own;
    const int threads = 64, blocks = (s->count * each + threads - 1) / threads;
    return sw_kernel_launch(s->device, p->kernels.kernel[kernel], blocks, 1, threads, 0, args);
}

static enum sw_status launch_blocks(struct fields_sim *s, enum fields_kernel kernel, int threads, void **args)
{
    const struct stream *p = s->own;
    return sw_kernel_launch(s->device, p->kernels.kernel[kernel], s->count, 1, threads,
                            FIELDS_THREADS * sizeof(double), args);
}

static enum sw_status launch_tiles(struct fields_sim *s, enum fields_kernel kernel, void **args)
{
    const struct stream *p = s->own;
    const int tiles = (int)((fields_points(&s->desc) + FIELDS_TILE - 1) / FIELDS_TILE);
    return sw_kernel_launch(s->device, p->kernels.kernel[kernel], s->count * tiles, 1, FIELDS_THREADS,
                            FIELDS_THREADS * sizeof(double), args);
}

static enum sw_status launch_rows(struct fields_sim *s, int stage)
{
    struct stream *p = s->own;
    const int blocks = (int)((s->desc.n[1] + p->shape.rows - 1) / p->shape.rows * s->desc.n[2]);
    void *args[] = {&p->batch, &stage};
    return sw_kernel_launch(s->device, p->kernels.kernel[FIELDS_ROWS_K], s->count * blocks, 1, p->shape.threads[0],
                            p->shape.shared[0], args);
}

static enum sw_status launch_columns(struct fields_sim *s, int axis, int stage)
{
    struct stream *p = s->own;
    const int64_t *n = s->desc.n, beside = axis == 1 ? n[0] : n[0] * n[1], planes = axis == 1 ? n[2] : 1;
    const int64_t tiles = (beside + p->shape.columns[axis] - 1) / p->shape.columns[axis] * planes;
    void *args[] = {&p->batch, &axis, &stage};
    return sw_kernel_launch_clusters(s->device, p->kernels.kernel[FIELDS_COLUMNS_K],
                                     s->count * s->desc.terms->unknowns * (int)tiles, p->shape.blocks[axis],
                                     p->shape.threads[axis], p->shape.shared[axis], args);
}

/* ------------------------------------------------------------------ create, destroy */

static bool stream_fits(const struct fields_desc *d, int sm)
{
    struct fields_shape shape;
    return fields_shape_stream(d, sm, &shape);
}

static bool fused_fits(const struct fields_desc *d, int sm)
{
    struct fields_shape shape;
    return fields_shape_fused(d, sm, &shape);
}

/* Of many runs clusters take more points a second through a stage than memory does where fields lie in registers: 1.7
 * times as many of 192^2 and 384^2, 1.6 of 256^2, 1.25 of 512^2, with imex2 1.8 of 128^2 and 1.4 of 256^2 (an H200).
 * Passes over 200^2 by steps of their own took a fifth; three stages, and two with steps of their own, were not timed.
 * Few runs are faster in any cluster, as a step of theirs by cuda.stream is its launches; but what is taken, and so
 * bits, does not depend on how many there are. */
static bool fused_is_slower(const struct fields_desc *d, int sm)
{
    struct fields_shape shape;
    if (!fields_shape_fused(d, sm, &shape) || shape.blocks[1] <= 1) return false;
    const int stages = fields_method_of(d->scheme)->stages;
    return !shape.whole || stages > (d->own_steps ? 1 : 2);
}

static bool cufft_fits(const struct fields_desc *d, int sm)
{
    struct fields_shape shape;
    return fields_shape_waves(d, sm, &shape);
}

/* Numbers of desc.paces->at, 0 where there are none. */
static size_t steps_at_goals(const struct fields_desc *d)
{
    return d->paces ? (size_t)d->paces->count * ((size_t)d->paces->goals + 1) : 0;
}

/* @param kept  fields of a run in the device's memory */
static void count_bytes(const struct fields_desc *d, size_t kept, size_t *fixed, size_t *per_run)
{
    const size_t unknowns = (size_t)d->terms->unknowns;
    const struct fields_walls_layout walls = fields_walls_layout_of(d);
    size_t eliminated = 0;
    for (int a = 0; a < SW_DIMS; a++) eliminated += d->walls[a] ? 6 * ((size_t)d->n[a] + 32) : 0;  /* at most */
    *fixed = ((d->own_steps ? (size_t)d->goals + 1 : 0) + steps_at_goals(d)) * sizeof(double) + 4096;
    *per_run = fields_size(d) * (kept * sizeof(double) + sw_reals_word(d->single)) +
               (size_t)(d->nparam + SW_LINE_SCALARS + FIELDS_PLACE + 2 * FIELDS_VARYING_MOST) * sizeof(double) +
               fields_drive_numbers(d) * sizeof(double) +
               unknowns * (sizeof(struct fields_system) + sizeof(struct fields_stiffness)) +
               (walls.walls + walls.weights + unknowns * (eliminated + fields_numbers_kept(d))) * sizeof(double) +
               sizeof(struct fields_pace) + sizeof(struct sw_own_steps) + sizeof(struct sw_own_limits) + 128;
}

static void stream_bytes(const struct fields_desc *d, const struct sw_device *device, size_t *fixed, size_t *per_run)
{
    (void)device;
    count_bytes(d, (size_t)fields_kept(d), fixed, per_run);
}

static void fused_bytes(const struct fields_desc *d, const struct sw_device *device, size_t *fixed, size_t *per_run)
{
    (void)device;
    count_bytes(d, 1, fixed, per_run);
}

static void cufft_bytes(const struct fields_desc *d, const struct sw_device *device, size_t *fixed, size_t *per_run)
{
    stream_bytes(d, device, fixed, per_run);
    fields_waves_add_bytes(d, fixed, per_run);
}

static void list_own_steps(struct fields_sim *s, struct stream *p)
{
    const size_t room = (size_t)s->desc.capacity, unknowns = (size_t)s->desc.terms->unknowns,
                 drives = fields_drive_numbers(&s->desc);
    struct sw_owned *own = &s->arrays;
    sw_array_device(own, room * FIELDS_LARGEST * unknowns, &p->batch.largest);
    sw_array_device(own, room, &p->batch.steps);
    sw_array_device(own, room, &p->limits);
    sw_array_device(own, room, &p->first_dt);
    sw_array_device(own, s->desc.times ? (size_t)s->desc.goals + 1 : 1, &p->times);
    sw_array_device(own, room * drives, &p->drive);
    sw_array_device(own, room * unknowns, &p->batch.size);
    sw_array_device(own, 1, &p->batch.going);
    sw_array(own, room, &p->host.limits);
    sw_array(own, room, &p->host.first_dt);
    sw_array(own, room * drives, &p->host.drive);
}

static void list_arrays(struct fields_sim *s, struct stream *p)
{
    const size_t room = (size_t)s->desc.capacity, unknowns = (size_t)s->desc.terms->unknowns, field = room * size_of(s);
    struct sw_owned *own = &s->arrays;
    sw_array_device(own, field, &p->batch.u);
    if (!is_fused(p) && fields_kept(&s->desc) > 2) sw_array_device(own, field, &p->batch.stage);
    for (int i = 0; !is_fused(p) && i < p->walk.method->stages; i++) sw_array_device(own, field, &p->batch.k[i]);
    sw_array_device(own, room * (size_t)s->desc.nparam, &p->param);
    sw_array_device(own, room * FIELDS_PLACE, &p->place);
    sw_array_device(own, room, &p->dt);
    sw_array_device(own, room * unknowns, &p->constant);
    sw_array_device(own, room * (size_t)(p->varies + 1), &p->batch.most);
    sw_array_device(own, room * (size_t)(p->varies + 1), &p->batch.next_most);
    sw_array_device(own, room * unknowns, &p->batch.system);
    sw_array_device(own, room, &p->batch.pace);
    if (!is_fused(p)) sw_array_device(own, room * unknowns * fields_numbers_kept(&s->desc), &p->batch.kept);
    sw_array_device(own, room, &p->batch.stopped);
    sw_array_device(own, room, &p->batch.diverged);
    sw_array_device(own, 1, &p->method);
    sw_array_device(own, 1, &p->rule);
    sw_array_device(own, room, &p->sound);
    sw_array_device(own, room, &p->number);
    sw_array_device(own, room * p->walls.walls + 1, &p->batch.walls);
    sw_array_device(own, room * p->walls.weights + 1, &p->weights);
    sw_array_device(own, room * unknowns * fields_eliminated_of(&s->desc, &p->shape) + 1, &p->batch.eliminated);
    if (s->desc.paces) {
        sw_array_device(own, room, &p->pace_of);
        sw_array_device(own, steps_at_goals(&s->desc), &p->steps_at);
        sw_array(own, room, &p->host.pace_of);
    }
    if (s->desc.own_steps) list_own_steps(s, p);
    sw_array(own, room * FIELDS_PLACE, &p->host.place);
    sw_array(own, room * p->walls.weights + 1, &p->host.weights);
    sw_array(own, room, &p->host.dt);
    sw_array(own, room, &p->host.number);
    sw_array(own, room * SW_LINE_SCALARS, &p->host.scalars);
    sw_array(own, room * unknowns, &p->host.constant);
    sw_array(own, room, &p->host.diverged);
    sw_array(own, room, &p->host.sound);
    sw_array(own, room, &p->host.stopped);
    sw_array(own, (size_t)p->workers * fields_points(&s->desc), &p->copy);
    sw_array(own, (size_t)p->workers, &p->measure);
}

static void point_to_arrays(const struct fields_sim *s)
{
    struct stream *p = s->own;
    struct fields_on_device *b = &p->batch;
    b->param = p->param;
    b->place = p->place;
    b->dt = p->dt;
    b->constant = p->constant;
    b->limits = p->limits;
    b->first_dt = p->first_dt;
    b->times = p->times;
    b->drive = p->drive;
    b->drives = (int)fields_drive_numbers(&s->desc);
    b->method = p->method;
    b->rule = p->rule;
    b->weights = p->weights;
    b->pace_of = p->pace_of;
    b->steps_at = p->steps_at;
    b->goals = s->desc.paces ? (int)s->desc.paces->goals : 0;
}

/* The shape is there. */
static enum sw_status create(struct fields_sim *s)
{
    struct stream *p = s->own;
    struct fields_varying varying[FIELDS_VARYING_MOST];
    const size_t room = (size_t)s->desc.capacity, goals = (size_t)s->desc.goals;
    p->walls = fields_walls_layout_of(&s->desc);
    p->walk.solves = s->ops->solves;
    fields_set_walk(&s->desc, &p->walk);
    SW_TRY(p->walk.solves->create(&s->desc, &s->arrays, &p->walk.solver));
    p->varies = fields_varying_of(&s->desc, varying);
    p->workers = fields_measured_at_once(s->desc.n, s->device->threads);
    if (p->workers > s->desc.capacity) p->workers = s->desc.capacity;
    SW_TRY(fields_kernels_create(s->device, &s->desc, &p->shape, &p->kernels));
    list_arrays(s, p);
    SW_TRY(s->arrays.status);
    for (int k = 0; k < p->workers; k++)
        SW_TRY(fields_measure_create(s->desc.n, s->desc.walls, &s->arrays, &p->measure[k]));
    point_to_arrays(s);
    SW_TRY(sw_device_upload(s->device, p->method, p->walk.method, sizeof *p->method));
    SW_TRY(sw_device_upload(s->device, p->rule, &p->walk.rule, sizeof *p->rule));
    if (s->desc.paces)
        SW_TRY(sw_device_upload(s->device, p->steps_at, s->desc.paces->at,
                                steps_at_goals(&s->desc) * sizeof *p->steps_at));
    if (s->desc.own_steps && s->desc.times)
        SW_TRY(sw_device_upload(s->device, p->times, s->desc.times, (goals + 1) * sizeof *p->times));
    return sw_snapshots_create(s->device, room * size_of(s) * sw_reals_word(s->desc.single),
                               room * SW_LINE_SCALARS * sizeof(double), &p->snapshots);
}

static enum sw_status stream_create(struct fields_sim *s)
{
    struct stream *p = s->own;
    if (!fields_shape_stream(&s->desc, s->device->sm, &p->shape))
        return SW_FAIL(SW_E_ABSENT, "%s: %s", s->ops->name, s->ops->misfit);
    return create(s);
}

static enum sw_status fused_create(struct fields_sim *s)
{
    struct stream *p = s->own;
    if (!fields_shape_fused(&s->desc, s->device->sm, &p->shape))
        return SW_FAIL(SW_E_ABSENT, "%s: %s", s->ops->name, s->ops->misfit);
    return create(s);
}

static enum sw_status cufft_create(struct fields_sim *s)
{
    struct stream *p = s->own;
    if (!fields_shape_waves(&s->desc, s->device->sm, &p->shape))
        return SW_FAIL(SW_E_ABSENT, "%s: %s", s->ops->name, s->ops->misfit);
    SW_TRY(create(s));
    return fields_waves_create(s, &p->waves);
}

static void destroy(struct fields_sim *s)
{
    struct stream *p = s->own;
    (void)sw_device_wait(s->device);
    fields_waves_destroy(&p->waves);
    if (p->walk.solves) p->walk.solves->destroy(p->walk.solver);
    for (int k = 0; p->measure && k < p->workers; k++) fields_measure_destroy(p->measure[k]);
    sw_snapshots_destroy(&p->snapshots);
    sw_kernels_destroy(s->device, &p->kernels);
}

/* ------------------------------------------------------------------ load */

static const char *set_run(struct fields_sim *s, int j)
{
    struct stream *p = s->own;
    const struct sw_grid *g = &s->run[j].grid;
    struct fields_stiffness *constant = p->host.constant + (size_t)j * (size_t)s->desc.terms->unknowns;
    for (int a = 0; a < SW_DIMS; a++) {
        double *place = p->host.place + (size_t)j * FIELDS_PLACE + a;
        place[0] = g->x0[a];
        place[SW_DIMS] = g->dx[a];
        place[2 * SW_DIMS] = g->ddx[a];
    }
    fields_walls_layout_weights(&p->walls, &s->desc, g->dx, p->host.weights + (size_t)j * p->walls.weights);
    p->host.dt[j] = g->dt;
    fields_set_constants(s, j, constant);
    p->walk.solves->begin(p->walk.solver, g->dx, s->param + j, s->count);
    const char *fault = fields_fault_of(s, &p->walk, j, constant);
    if (fault || !s->desc.own_steps || !s->desc.times) return fault;
    p->host.first_dt[j] = s->run[j].first_dt;
    p->host.limits[j] = fields_limits_of(s, &p->walk, j, constant);
    return NULL;
}

static enum sw_status upload_runs(struct fields_sim *s)
{
    struct stream *p = s->own;
    const size_t count = (size_t)s->count, unknowns = (size_t)s->desc.terms->unknowns;
    SW_TRY(sw_device_upload(s->device, p->param, s->param, (size_t)s->desc.nparam * count * sizeof *p->param));
    SW_TRY(sw_device_upload(s->device, p->place, p->host.place, FIELDS_PLACE * count * sizeof *p->place));
    SW_TRY(sw_device_upload(s->device, p->dt, p->host.dt, count * sizeof *p->dt));
    for (int j = 0; s->desc.paces && j < s->count; j++) p->host.pace_of[j] = s->run[j].pace;
    if (s->desc.paces) SW_TRY(sw_device_upload(s->device, p->pace_of, p->host.pace_of, count * sizeof *p->pace_of));
    if (p->walls.moves)
        SW_TRY(sw_device_upload(s->device, p->weights, p->host.weights, p->walls.weights * count * sizeof *p->weights));
    SW_TRY(sw_device_upload(s->device, p->constant, p->host.constant, unknowns * count * sizeof *p->constant));
    if (!s->desc.own_steps) return SW_OK;
    SW_TRY(fields_drive_load(s, p->host.drive));
    SW_TRY(sw_device_upload(s->device, p->drive, p->host.drive,
                            fields_drive_numbers(&s->desc) * count * sizeof *p->drive));
    SW_TRY(sw_device_upload(s->device, p->limits, p->host.limits, count * sizeof *p->limits));
    return sw_device_upload(s->device, p->first_dt, p->host.first_dt, count * sizeof *p->first_dt);
}

/* Runs with a load_error have stopped at step 0; the others begin when they get a state. */
static enum sw_status load(struct fields_sim *s, const char **load_error)
{
    struct stream *p = s->own;
    const size_t count = (size_t)s->count;
    SW_TRY(sw_device_wait(s->device));  /* a snapshot may still be on its way out of the device */
    p->batch.count = s->count;
    for (int j = 0; j < s->count; j++) {
        if (!load_error[j]) load_error[j] = set_run(s, j);
        if (!load_error[j] && p->shape.waves) SW_TRY(fields_waves_load(s, &p->waves, j, p->walk.solver));
        p->host.sound[j] = !load_error[j];
        p->host.stopped[j] = !p->host.sound[j];
        p->host.diverged[j] = load_error[j] ? 0 : -1;
    }
    SW_TRY(upload_runs(s));
    if (p->shape.waves) SW_TRY(fields_waves_plan(s, &p->waves));
    SW_TRY(sw_device_upload(s->device, p->sound, p->host.sound, count * sizeof *p->sound));
    SW_TRY(sw_device_upload(s->device, p->batch.stopped, p->host.stopped, count * sizeof *p->batch.stopped));
    return sw_device_upload(s->device, p->batch.diverged, p->host.diverged, count * sizeof *p->batch.diverged);
}

/* ------------------------------------------------------------------ states */

/* The state of each run into u, NaN where it has stopped. */
static enum sw_status settle(struct fields_sim *s)
{
    struct stream *p = s->own;
    int done = 0;
    void *args[] = {&p->batch, &done};
    SW_TRY(launch_tiles(s, FIELDS_SETTLE_K, args));
    done = 1;
    return launch_tiles(s, FIELDS_SETTLE_K, args);
}

/* Runs begin with the fields in u. @param mark  of those that are not finite */
static enum sw_status begin(struct fields_sim *s, long long mark)
{
    struct stream *p = s->own;
    void *args[] = {&p->batch, &p->sound, &mark};
    SW_TRY(launch_blocks(s, FIELDS_BEGIN_K, FIELDS_THREADS, args));
    p->begins = true;
    return settle(s);
}

/* @param purpose  FIELDS_WALLS_STEP .. */
static enum sw_status launch_walls(struct fields_sim *s, int64_t from, int64_t to, int purpose)
{
    struct stream *p = s->own;
    long long begins = from, ends = to;
    void *args[] = {&p->batch, &begins, &ends, &purpose};
    if (!p->walls.walled) return SW_OK;
    return launch_blocks(s, FIELDS_WALLS_K, FIELDS_THREADS, args);
}

/* @param local  the coefficients that steps know behind themselves, of states that are new; else the others */
static enum sw_status find_most(struct fields_sim *s, int64_t from, int64_t to, int local)
{
    struct stream *p = s->own;
    long long begins = from, ends = to;
    void *args[] = {&p->batch, &begins, &ends, &local};
    return launch_tiles(s, FIELDS_MOST_K, args);
}

/* What is given at walls is set, as on the CPU, when a run goes on; with paces that is not with the others. */
static enum sw_status begin_steps(struct fields_sim *s, int64_t from, int64_t to)
{
    struct stream *p = s->own;
    if (!p->begins) return SW_OK;
    p->begins = s->desc.paces != NULL;
    SW_TRY(launch_walls(s, from, to, FIELDS_WALLS_BEGIN));
    return p->varies > p->shape.elsewhere ? find_most(s, from, to, 1) : SW_OK;
}

static enum sw_status initial(struct sw_sim *sim)
{
    struct fields_sim *s = fields_sim_of(sim);
    struct stream *p = s->own;
    void *args[] = {&p->batch, &p->sound};
    SW_TRY(launch_tiles(s, FIELDS_INITIAL_K, args));
    return begin(s, 0);
}

static enum sw_status set_state(struct sw_sim *sim, const double *u)
{
    struct fields_sim *s = fields_sim_of(sim);
    struct stream *p = s->own;
    SW_TRY(sw_device_upload(s->device, p->batch.u, u, (size_t)s->count * size_of(s) * sizeof *u));
    return begin(s, -1);
}

static enum sw_status get_state(struct sw_sim *sim, double *u)
{
    const struct fields_sim *s = fields_sim_of(sim);
    const struct stream *p = s->own;
    return sw_device_download(s->device, u, p->batch.u, (size_t)s->count * size_of(s) * sizeof *u);
}

static enum sw_status get_states(struct sw_sim *sim, int count, const int *which, double *u)
{
    const struct fields_sim *s = fields_sim_of(sim);
    const struct stream *p = s->own;
    return sw_device_download_some(s->device, u, p->batch.u, size_of(s) * sizeof *u, count, which);
}

static enum sw_status diverged(struct sw_sim *sim, int64_t *step)
{
    const struct fields_sim *s = fields_sim_of(sim);
    const struct stream *p = s->own;
    _Static_assert(sizeof *step == sizeof *p->batch.diverged, "both have 64 bits");
    return sw_device_download(s->device, step, p->batch.diverged, (size_t)s->count * sizeof *step);
}

static enum sw_status get_record(struct sw_sim *sim, double *record)
{
    const struct fields_sim *s = fields_sim_of(sim);
    const struct stream *p = s->own;
    return sw_device_download(s->device, record, p->batch.steps, (size_t)s->count * sizeof *p->batch.steps);
}

static enum sw_status set_record(struct sw_sim *sim, const double *record)
{
    const struct fields_sim *s = fields_sim_of(sim);
    const struct stream *p = s->own;
    return sw_device_upload(s->device, p->batch.steps, record, (size_t)s->count * sizeof *p->batch.steps);
}

/* ------------------------------------------------------------------ snapshots */

/* Runs first .. first + count - 1, whose first unknowns are in `copy`. */
struct measuring { struct fields_sim *s; int first; };

static void measure_run(void *user, int thread, int k)
{
    const struct measuring *m = user;
    const struct stream *p = m->s->own;
    const int j = m->first + k;
    double *out = p->host.scalars + (size_t)j * SW_LINE_SCALARS;
    for (int c = 0; c < SW_LINE_SCALARS; c++) out[c] = NAN;
    if (p->host.stopped[j]) return;
    fields_measure(p->measure[thread], m->s->desc.terms->dimensions, &m->s->run[j].grid,
                   p->copy + (size_t)k * fields_points(&m->s->desc), out);
    out[SW_ENERGY] = p->host.number[j];
}

/* The energy comes from the device; waves are counted on the host, as many runs at a time as it has threads.
 * @param scalars  [count][SW_LINE_SCALARS] where snapshots are formed */
static enum sw_status measure(struct fields_sim *s, double *scalars)
{
    struct stream *p = s->own;
    const size_t count = (size_t)s->count, points = fields_points(&s->desc);
    void *args[] = {&p->batch, &p->number};
    if (s->desc.energy) SW_TRY(launch_walls(s, s->step < 0 ? 0 : s->step, 0, FIELDS_WALLS_LOOK));
    SW_TRY(launch_blocks(s, FIELDS_ENERGY_K, SW_SUM_LANES, args));
    SW_TRY(sw_device_download(s->device, p->host.number, p->number, count * sizeof *p->number));
    SW_TRY(sw_device_download(s->device, p->host.stopped, p->batch.stopped, count * sizeof *p->host.stopped));
    for (int first = 0; first < s->count; first += p->workers) {
        const int some = s->count - first < p->workers ? s->count - first : p->workers;
        for (int k = 0; k < some; k++)
            SW_TRY(sw_device_download(s->device, p->copy + (size_t)k * points,
                                      p->batch.u + (size_t)(first + k) * size_of(s), points * sizeof *p->copy));
        sw_host_each(p->workers, some, measure_run, &(struct measuring){s, first});
    }
    return sw_device_upload(s->device, scalars, p->host.scalars, count * SW_LINE_SCALARS * sizeof *scalars);
}

static enum sw_status snapshot(struct sw_sim *sim, int slot, int what)
{
    struct fields_sim *s = fields_sim_of(sim);
    struct stream *p = s->own;
    void *field;
    double *scalars;
    SW_TRY(sw_snapshots_begin(p->snapshots, slot, what, &field, &scalars));
    if (field) {
        void *args[] = {&p->batch, &field};
        SW_TRY(launch_tiles(s, FIELDS_COPY_K, args));
    }
    if (scalars) SW_TRY(measure(s, scalars));
    return sw_snapshots_send(p->snapshots, (size_t)s->count * size_of(s) * sw_reals_word(s->desc.single),
                             (size_t)s->count * SW_LINE_SCALARS * sizeof(double));
}

static enum sw_status fetch(struct sw_sim *sim, int slot, const void **field, const double **scalars)
{
    return sw_snapshots_fetch(((const struct stream *)fields_sim_of(sim)->own)->snapshots, slot, field, scalars);
}

/* ------------------------------------------------------------------ steps */

static enum sw_status take_stage(struct fields_sim *s, int stage)
{
    struct stream *p = s->own;
    const int last = s->desc.terms->dimensions - 1;
    SW_TRY(launch_rows(s, stage));
    if (p->shape.waves)
        SW_TRY(fields_waves_solve(s, &p->waves, p->kernels.kernel[FIELDS_DIVIDE_K], &p->batch, p->batch.k[stage]));
    for (int axis = p->shape.waves ? last : 1; axis <= last; axis++) SW_TRY(launch_columns(s, axis, stage));
    return SW_OK;
}

/* What comes before and behind the stages. @param k  the number of the step from `from` on, where dt is given */
static enum sw_status take_step(struct fields_sim *s, int64_t from, int64_t to, int64_t k)
{
    struct stream *p = s->own;
    long long begins = from, ends = to, number = k;
    void *pace[] = {&p->batch, &begins, &ends, &number}, *batch[] = {&p->batch};
    SW_TRY(launch_runs(s, FIELDS_PACE_K, 1, pace));
    if (p->walls.moves) SW_TRY(launch_walls(s, from, to, FIELDS_WALLS_STEP));
    if (p->shape.elsewhere) SW_TRY(find_most(s, from, to, 0));
    SW_TRY(launch_runs(s, FIELDS_SYSTEM_K, s->desc.terms->unknowns, batch));
    for (int i = 0; i < p->walk.method->stages; i++) SW_TRY(take_stage(s, i));
    if (p->walk.steep) SW_TRY(launch_tiles(s, FIELDS_TIME_K, batch));
    return s->desc.own_steps ? launch_runs(s, FIELDS_JUDGE_K, 1, batch) : SW_OK;
}

/* Some steps of each run, as far as it is not at the tick. @param going  out: whether one took the last of them */
static enum sw_status take_some(struct fields_sim *s, int64_t from, int64_t to, int *going)
{
    enum { SOME = 4 };  /* where no run goes a step costs its launches */
    struct stream *p = s->own;
    const int none = 0;
    for (int k = 0; k < SOME; k++) {
        if (k + 1 == SOME) SW_TRY(sw_device_upload(s->device, p->batch.going, &none, sizeof none));
        SW_TRY(take_step(s, from, to, 0));
    }
    return sw_device_download(s->device, going, p->batch.going, sizeof *going);
}

/* Steps between two steps, or ticks, of the run that takes most. */
static int64_t most_steps(const struct fields_sim *s, int64_t from, int64_t to)
{
    int64_t most = 0;
    for (int j = 0; j < s->count; j++) {
        const int64_t steps = fields_step(s, j, to) - fields_step(s, j, from);
        if (steps > most) most = steps;
        if (!s->desc.paces) break;
    }
    return most;
}

static enum sw_status stream_advance(struct fields_sim *s, int64_t from, int64_t to)
{
    struct stream *p = s->own;
    void *batch[] = {&p->batch};
    int going = 1;
    SW_TRY(begin_steps(s, from, to));
    if (s->desc.own_steps) {
        SW_TRY(launch_blocks(s, FIELDS_FIRST_K, FIELDS_THREADS, batch));
        while (going) SW_TRY(take_some(s, from, to, &going));
    } else {
        const int64_t steps = most_steps(s, from, to);
        for (int64_t k = 0; k < steps; k++) SW_TRY(take_step(s, from, to, k));
    }
    return settle(s);
}

/* A block or a cluster a run, which takes all its steps. */
static enum sw_status fused_advance(struct fields_sim *s, int64_t from, int64_t to)
{
    struct stream *p = s->own;
    long long begins = from, ends = to;
    void *batch[] = {&p->batch}, *args[] = {&p->batch, &begins, &ends};
    SW_TRY(begin_steps(s, from, to));
    if (s->desc.own_steps) SW_TRY(launch_blocks(s, FIELDS_FIRST_K, FIELDS_THREADS, batch));
    SW_TRY(sw_kernel_launch_clusters(s->device, p->kernels.kernel[FIELDS_FUSED_K], s->count, p->shape.blocks[1],
                                     p->shape.threads[0], p->shape.shared[0], args));
    return settle(s);
}

static enum sw_status look_ahead(struct fields_sim *s, double *change)
{
    struct stream *p = s->own;
    long long step = s->step;
    void *args[] = {&p->batch, &step, &p->number};
    SW_TRY(launch_walls(s, step, 0, FIELDS_WALLS_LOOK));
    SW_TRY(launch_blocks(s, FIELDS_LOOK_K, FIELDS_THREADS, args));
    return sw_device_download(s->device, change, p->number, (size_t)s->count * sizeof *change);
}

static const struct sw_state_ops states = {
    .initial = initial, .set = set_state, .get = get_state, .get_some = get_states};
static const struct sw_record_ops records = {.get = get_record, .set = set_record};
static const struct sw_sim_ops operations = {
    .snapshot = snapshot, .fetch = fetch, .diverged = diverged, .states = &states, .records = &records};

extern const struct fields_row_ops fields_stream_cuda, fields_fused_cuda, fields_cufft_cuda;
const struct fields_row_ops fields_stream_cuda = {
    .name = "cuda.stream",
    .about = "fields through memory: a pass over rows, then one over columns along each other axis",
    .space = SW_DEVICE,
    .absent = FIELDS_CUDA_ABSENT,
    .takes_paces = true,
    .takes_walls = true,
    .fits = stream_fits,
    .misfit = "its lines have at most 16384 points, 10000 where a block has 99 KiB, and its runs 2^31 values",
    .bytes = stream_bytes,
    .own_size = sizeof(struct stream),
    .solves = &fields_lines,
    .create = stream_create,
    .load = load,
    .advance = stream_advance,
    .look_ahead = look_ahead,
    .destroy = destroy,
    .sim = &operations,
};

const struct fields_row_ops fields_fused_cuda = {
    .name = "cuda.fused",
    .about = "a run in the shared memory of a block or a cluster, which takes all steps between two outputs",
    .space = SW_DEVICE,
    .absent = FIELDS_CUDA_ABSENT,
    .takes_paces = true,
    .takes_walls = true,
    .fits = fused_fits,
    .slower = fused_is_slower,
    .misfit = "a run and its stages are more than the shared memory of a block holds, at most 227 KiB, or in two "
              "dimensions without walls that of a cluster of 16",
    .bytes = fused_bytes,
    .own_size = sizeof(struct stream),
    .solves = &fields_lines,
    .create = fused_create,
    .load = load,
    .advance = fused_advance,
    .look_ahead = look_ahead,
    .destroy = destroy,
    .sim = &operations,
};

const struct fields_row_ops fields_cufft_cuda = {
    .name = "cuda.cufft",
    .about = "fields through memory, with exact solves by cuFFT: a peer to compare with, and for what only these solve",
    .space = SW_DEVICE,
    .absent = FIELDS_CUDA_ABSENT,
    .takes_paces = true,
    .fits = cufft_fits,
    .misfit = "it takes an even number of points along x only, lines of at most 16384 points, and runs of 2^31 values",
    .bytes = cufft_bytes,
    .own_size = sizeof(struct stream),
    .solves = &fields_symbols,
    .create = cufft_create,
    .load = load,
    .advance = stream_advance,
    .look_ahead = look_ahead,
    .destroy = destroy,
    .sim = &operations,
};
