/* The lines of a batch on a CUDA device, all steps between two outputs in one kernel: each line stays in the registers
 * of a group of lanes (cuda/line/line_fused_rtc.cuh). The field lies line by line in device memory; a step costs no
 * access to it. Where each run takes steps of its own their kernels do (own_steps_cuda.h). */
#include <stdio.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "problem/line/cuda/fused_kernels_cuda.h"
#include "problem/line/cuda/fused_shape_cuda.h"
#include "problem/line/cuda/batch_cuda.h"
#include "problem/line/stepper/imex.h"
#include "problem/line/cuda/own_steps_cuda.h"

struct fused {
    struct sw_cuda_batch    batch;            /* first: batch_cuda.h works on it; its field is `field`    */
    struct sw_fused_kernels kernels;          /* their coefficients; the kernels                          */
    struct sw_cuda_own      own;              /* desc.own_steps                                           */
    double                 *field, *staging;  /* n*capacity numbers each                                  */
    double                 *scalars;          /* [capacity][SW_LINE_SCALARS], all but the domain length   */
    bool                    known;            /* they are those of the state as it is                     */
    bool                    wanted;           /* a snapshot has asked for scalars: more will              */
};

/* ------------------------------------------------------------------ life */

static enum sw_status choose_shape(const struct sw_stepper_desc *d, int sm, const char *text,
                                   struct sw_fused_shape *shape)
{
    if (text) return sw_fused_shape_read(d, sm, text, shape);
    if (sw_fused_shape_pick(d, sm, shape)) return SW_OK;
    return SW_FAIL(SW_E_ABSENT, "cuda.fused: %d points are too many for this device", d->n);
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
    if (d->own_steps) {
        size_t own_fixed, own_per_run;
        sw_cuda_own_bytes(d, &own_fixed, &own_per_run);
        *fixed += own_fixed;
        *per_run += own_per_run;
    }
}

static enum sw_status fused_create(struct sw_stepper *s, const char *band)
{
    struct sw_fused_shape shape;
    struct fused *p = NULL;
    SW_TRY(sw_alloc(1, &p));
    s->own = p;
    SW_TRY(choose_shape(&s->desc, s->device->sm, band, &shape));
    if (band) snprintf(s->name, sizeof s->name, "%s+%s", s->ops->name, band);
    SW_TRY(sw_fused_kernels_create(s, &shape, &p->kernels));
    SW_TRY(sw_cuda_batch_create(s, true));
    SW_TRY(sw_device_alloc(s->device, sw_stepper_vector(&s->desc), &p->field));
    SW_TRY(sw_device_alloc(s->device, sw_stepper_vector(&s->desc), &p->staging));
    SW_TRY(sw_device_alloc(s->device, (size_t)s->desc.capacity * SW_LINE_SCALARS, &p->scalars));
    p->batch.u = p->field;
    p->batch.measured = s->desc.own_steps ? NULL : p->scalars;
    sw_cuda_batch_lend_staging(&p->batch, p->staging);
    return s->desc.own_steps ? sw_cuda_own_create(s, &p->own) : SW_OK;
}

static void fused_destroy(struct sw_stepper *s)
{
    struct fused *p = s->own;
    if (!p) return;
    sw_cuda_batch_destroy(s);  /* waits for what is queued */
    sw_fused_kernels_destroy(s, &p->kernels);
    sw_cuda_own_destroy(s, &p->own);
    sw_device_free(s->device, p->field);
    sw_device_free(s->device, p->staging);
    sw_device_free(s->device, p->scalars);
    sw_free(p);
}

static enum sw_status fused_load(struct sw_stepper *s, const char **load_error)
{
    struct fused *p = s->own;
    SW_TRY(sw_cuda_batch_load(s, load_error));
    SW_TRY(sw_fused_kernels_load(s, &p->kernels));
    return s->desc.own_steps ? sw_cuda_own_load(s, &p->own) : SW_OK;
}

/* ------------------------------------------------------------------ steps */

/* Steps, none if from = to; then, if asked to, the scalars. */
static enum sw_status launch(struct sw_stepper *s, int64_t from, int64_t to, bool measured)
{
    struct fused *p = s->own;
    double *scalars = measured ? p->scalars : NULL;
    const struct sw_fused_shape *shape = &p->kernels.shape;
    int threads = 32 * shape->warps, lines = shape->lanes > 32 ? 1 : threads / shape->lanes;
    int blocks = (s->count + lines - 1) / lines;
    size_t shared = sw_fused_shared(shape) * sizeof(double);
    void *kernel = sw_fused_kernels_get(&p->kernels, 0);
    void *args[] = {&p->batch.view, &p->kernels.line, &p->kernels.common, &p->kernels.table,
                    &p->field, &from, &to, &scalars};
    p->known = measured;
    if (shape->cluster == 1) return sw_kernel_launch(s->device, kernel, blocks, 1, threads, shared, args);
    return sw_kernel_launch_clusters(s->device, kernel, s->count, shape->cluster, threads, shared, args);
}

static enum sw_status fused_advance(struct sw_stepper *s, int64_t from, int64_t to)
{
    struct fused *p = s->own;
    if (s->desc.own_steps) return sw_cuda_own_advance(s, &p->own, &p->batch, &p->kernels, from, to);
    return launch(s, from, to, p->wanted);
}

/* ------------------------------------------------------------------ the state */

static enum sw_status fused_initial(struct sw_sim *sim)
{
    struct sw_stepper *s = sw_stepper_of(sim);
    struct fused *p = s->own;
    p->known = false;
    if (s->desc.own_steps) SW_TRY(sw_cuda_own_restart(s, &p->own));
    return sw_cuda_batch_initial(sim);
}

static enum sw_status fused_set_state(struct sw_sim *sim, const double *u)
{
    struct sw_stepper *s = sw_stepper_of(sim);
    struct fused *p = s->own;
    p->known = false;
    if (s->desc.own_steps) SW_TRY(sw_cuda_own_restart(s, &p->own));
    return sw_cuda_batch_set_state(sim, u);
}

/* Where the steps left no scalars behind the kernel is called for them alone: in the same order, to the same bits.
 * Those of runs with steps of their own are measured from the field. */
static enum sw_status fused_snapshot(struct sw_sim *sim, int slot, int what)
{
    struct sw_stepper *s = sw_stepper_of(sim);
    struct fused *p = s->own;
    if (s->desc.own_steps) {
        if (what & SW_SNAPSHOT_SCALARS) SW_TRY(sw_cuda_own_set_noise(s, &p->own, &p->batch, &p->kernels));
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
    return sw_cuda_own_get(s, &((struct fused *)s->own)->own, record);
}

static enum sw_status fused_set_record(struct sw_sim *sim, const double *record)
{
    struct sw_stepper *s = sw_stepper_of(sim);
    return sw_cuda_own_set(s, &((struct fused *)s->own)->own, record);
}

static enum sw_status fused_try_compile(const struct sw_stepper_desc *desc, int sm)
{
    struct sw_fused_shape shape;
    SW_TRY(choose_shape(desc, sm, NULL, &shape));
    return sw_fused_kernels_try_compile(desc, &shape, sm);
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
        if (m->s[v]) operations += values * sw_program_size(m->s[v]).point + sums;
        if (sw_line_has_mass(&m->mass[v])) operations += values * (8 + 8 * !!m->s[v] + 7 * !!m->g[v]);
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
    .takes = SW_LINE_ALL | SW_LINE_MASS | SW_LINE_ENDS | SW_LINE_OWN_STEPS,
    .about = "all steps between two outputs in one kernel, lines in the registers of lanes, blocks or clusters",
    .space = SW_DEVICE,
    .fits = fused_fits,
    .bytes = fused_bytes,
    .create = fused_create,
    .load = fused_load,
    .advance = fused_advance,
    .destroy = fused_destroy,
    .sim = &operations,
    .cost = fused_cost,
    .try_compile = fused_try_compile,
};
