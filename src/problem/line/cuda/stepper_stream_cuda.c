/* The lines of a batch on a CUDA device, lines too long to stay on it: spans of them, each the points of a warp, go
 * through the multiprocessors once a step (cuda/line/line_stream_rtc.cuh), 16 bytes a point, or 24 with G. The field
 * lies line by line. */
#include <stdio.h>

#include "base/sw_err.h"
#include "problem/line/cuda/fused_kernels_cuda.h"
#include "problem/line/cuda/batch_cuda.h"

/* Vectors of n*capacity numbers in `work`. */
enum { STATE, NEXT, STAGING, VECTORS };
enum { STREAM_K, JOIN_K };

struct stream {
    struct sw_cuda_batch    batch;    /* first: batch_cuda.h works on it; its field u is STATE or NEXT, in turn */
    struct sw_fused_kernels kernels;  /* their coefficients; the kernels                                   */
    double                 *work;     /* [VECTORS] vectors                                                 */
    double                 *next;     /* the other one; between two steps it holds nothing that is needed  */
    double                 *state;    /* [capacity][2][spans][2]                                           */
};

/* Doubles of a line. */
static size_t states_of(const struct sw_fused_shape *shape) { return 4 * (size_t)(shape->lanes / 32); }

/* ------------------------------------------------------------------ life */

static enum sw_status choose_shape(const struct sw_stepper_desc *d, const char *text, struct sw_fused_shape *shape)
{
    if (sw_fused_shape_stream(d, text, shape)) return SW_OK;
    if (text)
        return SW_FAIL(SW_E_CONFIG, "band solver %s: there is no such row: cuda.stream takes no band solver", text);
    return SW_FAIL(SW_E_ABSENT, "cuda.stream: lines of %d points are too short for it", d->n);
}

static bool stream_fits(const struct sw_stepper_desc *d, int sm)
{
    struct sw_fused_shape shape;
    (void)sm;
    /* lines so long are too coarse in single precision */
    return !d->single_steps && sw_fused_shape_stream(d, NULL, &shape);
}

static void stream_bytes(const struct sw_stepper_desc *d, const char *band, size_t *fixed, size_t *per_run)
{
    struct sw_fused_shape shape = {.lanes = 32};
    (void)sw_fused_shape_stream(d, band, &shape);
    sw_cuda_batch_bytes(d, fixed, per_run);
    *per_run += (VECTORS * (size_t)d->n + (size_t)sw_line_kept(&d->model).run + states_of(&shape)) * sizeof(double);
    *per_run += sw_fused_kernels_bytes(d, &shape);
}

static enum sw_status stream_create(struct sw_stepper *s, const char *band)
{
    const size_t vector = sw_stepper_vector(&s->desc);
    struct sw_fused_shape shape;
    struct stream *p = s->own;
    SW_TRY(choose_shape(&s->desc, band, &shape));
    if (band) snprintf(s->name, sizeof s->name, "%s+%s", s->ops->name, band);
    SW_TRY(sw_fused_kernels_create(s, &shape, &p->kernels));
    SW_TRY(sw_cuda_batch_create(s, true));
    sw_array_device(&s->arrays, VECTORS * vector, &p->work);
    sw_array_device(&s->arrays, (size_t)s->desc.capacity * states_of(&shape), &p->state);
    SW_TRY(s->arrays.status);
    p->batch.u = p->work + STATE * vector;
    p->next = p->work + NEXT * vector;
    sw_cuda_batch_lend_staging(&p->batch, p->work + STAGING * vector);
    return SW_OK;
}

static void stream_destroy(struct sw_stepper *s)
{
    struct stream *p = s->own;
    sw_cuda_batch_destroy(s);  /* waits for what is queued */
    sw_fused_kernels_destroy(s, &p->kernels);
}

static enum sw_status stream_load(struct sw_stepper *s, const char **load_error)
{
    struct stream *p = s->own;
    SW_TRY(sw_cuda_batch_load(s, load_error));
    return sw_fused_kernels_load(s, &p->kernels);
}

/* ------------------------------------------------------------------ steps */

/* Finish the step from `step`, or begin the one that comes then, or both. */
static enum sw_status pass(struct sw_stepper *s, int64_t step, int finish, int begin)
{
    struct stream *p = s->own;
    const struct sw_fused_shape *shape = &p->kernels.shape;
    double *now = p->batch.u;
    long long from = step;
    void *args[] = {&p->batch.view, &p->kernels.line, &p->kernels.common, &p->kernels.table, &now,
                    &p->next,        &p->state,   &from,         &finish,      &begin};
    SW_TRY(sw_kernel_launch(s->device, sw_fused_kernels_get(&p->kernels, STREAM_K), s->count * shape->cluster, 1,
                            32 * shape->warps, sw_fused_shared(shape) * sizeof(double), args));
    if (!finish) return SW_OK;
    p->batch.u = p->next;
    p->next = now;
    return SW_OK;
}

static enum sw_status join(struct sw_stepper *s, int64_t step)
{
    struct stream *p = s->own;
    long long from = step;
    void *args[] = {&p->batch.view, &p->kernels.table, &p->state, &from};
    return sw_kernel_launch(s->device, sw_fused_kernels_get(&p->kernels, JOIN_K), s->count, 1,
                            sw_stream_join(s->desc.n), 0, args);
}

/* A step with G begins when the one before has ended everywhere: it needs neighbours. */
static enum sw_status stream_advance(struct sw_stepper *s, int64_t from, int64_t to)
{
    const bool alone = s->desc.model.g[0] != NULL;
    for (int64_t step = from; step < to; step++) {
        if (alone || step == from) SW_TRY(pass(s, step, 0, 1));
        SW_TRY(join(s, step));
        SW_TRY(pass(s, step, 1, !alone && step + 1 < to));
    }
    return SW_OK;
}

/* Of a step: sums for both totals, both recursions and the first one twice, the new field. What lanes and spans
 * exchange, some 60 operations a lane and span, is not counted. */
static struct sw_cost stream_cost(const struct sw_stepper *s, int64_t steps)
{
    const struct sw_line_model *m = &s->desc.model;
    double operations = 15;
    (void)steps;
    if (m->g[0]) operations += 2 * (3 + sw_program_size(m->g[0]).point);
    if (m->explicit_term[0]) operations += 2 * (1 + sw_program_size(m->explicit_term[0]).point);
    return (struct sw_cost){m->g[0] ? 24 : 16, operations};
}

extern const struct sw_stepper_ops stepper_stream_cuda;
const struct sw_stepper_ops stepper_stream_cuda = {
    .name = "cuda.stream",
    .about = "lines of any length in spans, once through memory a step, each span in the registers of a warp",
    .space = SW_DEVICE,
    .fits = stream_fits,
    .bytes = stream_bytes,
    .own_size = sizeof(struct stream),
    .create = stream_create,
    .load = stream_load,
    .advance = stream_advance,
    .destroy = stream_destroy,
    .sim = &sw_cuda_batch_operations,
    .cost = stream_cost,
};
