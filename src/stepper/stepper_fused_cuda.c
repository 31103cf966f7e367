/* The lines of a batch on a CUDA device, all steps between two outputs in one kernel: each line stays in the registers of a group of
 * lanes (cuda/line_fused_rtc.cuh). The field lies line by line in device memory; a step costs no access to it. */
#include <stdio.h>

#include "base/sw_mem.h"
#include "stepper/fused_line.h"
#include "stepper/fused_shape.h"
#include "stepper/lines_cuda.h"
#include "stepper/recursive_point.h"

struct fused {
    struct sw_lines        lines;        /* first: lines_cuda.h works on it; its field is `field`    */
    struct sw_fused_shape  shape;
    struct sw_module      *module[2];    /* [1]: for coefficients that differ; made when needed       */
    void                  *kernel[2];
    struct sw_fused_common common;       /* of all lines, if they have the same coefficients          */
    struct sw_fused_common_single common_single;
    double                *field, *staging;  /* n*capacity numbers each                              */
    double                *scalars;      /* [capacity][SW_LINE_SCALARS], all but the domain length   */
    bool                   known;        /* they are those of the state as it is                     */
    bool                   wanted;       /* a capture has asked for scalars: more will               */
    struct sw_fused_line  *line, *host;  /* [capacity], or 1 of a batch whose runs all have the same */
    double                *team, *host_team;  /* the tables of theirs                                */
    int                    each;         /* 0: the same for all                                      */
};

/* ------------------------------------------------------------------ life */

static size_t vector_of(const struct sw_stepper_desc *d) { return (size_t)d->n * (size_t)d->capacity; }

static size_t table_of(const struct sw_fused_shape *shape) { return (size_t)sw_fused_table(shape->lanes); }

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
    size_t numbers = 2 * (size_t)d->n + (size_t)sw_line_kept(&d->model).run + SW_LINE_SCALARS;
    (void)choose_shape(d, WITH_CLUSTERS, band, &shape);
    sw_lines_bytes(d, fixed, per_run);
    *per_run += (numbers + table_of(&shape)) * sizeof(double) + sizeof(struct sw_fused_line);
}

/* The kernel for coefficients that are the same for all lines, each = 0, or not. */
static enum sw_status make_kernel(struct sw_stepper *s, struct fused *p, int each)
{
    void *cubin = NULL;
    enum sw_status st;
    if (p->kernel[each]) return SW_OK;
    p->shape.each = each;
    SW_TRY(sw_fused_compile(&s->desc.model, s->desc.n, &p->shape, s->device->sm, &cubin));
    st = sw_module_load(s->device, cubin, &sw_fused_kernel_name, 1, &p->kernel[each], &p->module[each]);
    sw_free(cubin);
    return st;
}

static enum sw_status fused_create(struct sw_stepper *s, const char *band)
{
    struct fused *p = NULL;
    SW_TRY(sw_alloc(1, &p));
    s->own = p;
    SW_TRY(choose_shape(&s->desc, s->device->sm, band, &p->shape));
    if (band) snprintf(s->name, sizeof s->name, "%s+%s", s->ops->name, band);
    SW_TRY(make_kernel(s, p, 0));
    SW_TRY(sw_lines_create(s, true));
    SW_TRY(sw_device_alloc(s->device, vector_of(&s->desc), &p->field));
    SW_TRY(sw_device_alloc(s->device, vector_of(&s->desc), &p->staging));
    SW_TRY(sw_device_alloc(s->device, (size_t)s->desc.capacity, &p->line));
    SW_TRY(sw_device_alloc(s->device, (size_t)s->desc.capacity * table_of(&p->shape), &p->team));
    SW_TRY(sw_device_alloc(s->device, (size_t)s->desc.capacity * SW_LINE_SCALARS, &p->scalars));
    p->lines.u = p->field;
    p->lines.measured = p->scalars;
    p->lines.captures.staging = p->staging;
    SW_TRY(sw_alloc((size_t)s->desc.capacity, &p->host));
    return sw_alloc((size_t)s->desc.capacity * table_of(&p->shape), &p->host_team);
}

static void fused_destroy(struct sw_stepper *s)
{
    struct fused *p = s->own;
    if (!p) return;
    sw_lines_destroy(s);  /* waits for what is queued */
    for (int each = 0; each < 2; each++) sw_module_unload(s->device, &p->module[each]);
    sw_device_free(s->device, p->field);
    sw_device_free(s->device, p->staging);
    sw_device_free(s->device, p->scalars);
    sw_device_free(s->device, p->line);
    sw_device_free(s->device, p->team);
    sw_free(p->host);
    sw_free(p->host_team);
    sw_free(p);
}

/* ------------------------------------------------------------------ load */

/* Lines as the kernel wants them; those in single precision overwrite the others, of which none is needed any more. */
static enum sw_status upload_lines(struct sw_stepper *s, struct fused *p, size_t lines)
{
    struct sw_fused_line_single *single = (struct sw_fused_line_single *)p->host;
    if (!s->desc.single_steps) return sw_device_upload(s->device, p->line, p->host, lines * sizeof *p->host);
    sw_fused_common_to_single(&p->common, &p->common_single);
    for (size_t j = 0; j < lines; j++) {
        const struct sw_fused_line line = p->host[j];
        sw_fused_line_to_single(&line, &single[j]);
    }
    return sw_device_upload(s->device, p->line, single, lines * sizeof *single);
}

static enum sw_status fused_load(struct sw_stepper *s, const char **fault)
{
    struct fused *p = s->own;
    SW_TRY(sw_lines_load(s, fault));
    p->each = sw_fused_lines_set(s->desc.n, p->shape.lanes, s->count, s->run, s->desc.single_steps,
                                 s->device->threads, p->host, p->host_team);
    sw_fused_common_set(&p->host[0], s->desc.model.scheme, &p->common);
    SW_TRY(make_kernel(s, p, p->each));
    size_t lines = p->each ? (size_t)s->count : 1;
    SW_TRY(upload_lines(s, p, lines));
    return sw_device_upload(s->device, p->team, p->host_team, lines * table_of(&p->shape) * sizeof *p->host_team);
}

/* ------------------------------------------------------------------ steps */

/* Steps, none if from = to; then, if asked to, the scalars. */
static enum sw_status launch(struct sw_stepper *s, int64_t from, int64_t to, bool measured)
{
    struct fused *p = s->own;
    double *scalars = measured ? p->scalars : NULL;
    const struct sw_fused_shape *shape = &p->shape;
    int threads = 32 * shape->warps, lines = shape->lanes > 32 ? 1 : threads / shape->lanes, blocks = (s->count + lines - 1) / lines;
    size_t shared = sw_fused_shared(shape) * sizeof(double);
    void *kernel = p->kernel[p->each], *common = s->desc.single_steps ? (void *)&p->common_single : &p->common;
    void *args[] = {&p->lines.batch, &p->line, common, &p->team, &p->field, &from, &to, &scalars};
    p->known = measured;
    if (shape->cluster == 1) return sw_kernel_launch(s->device, kernel, blocks, 1, threads, shared, args);
    return sw_kernel_launch_clusters(s->device, kernel, s->count, shape->cluster, threads, shared, args);
}

static enum sw_status fused_advance(struct sw_stepper *s, int64_t from, int64_t to)
{
    return launch(s, from, to, ((struct fused *)s->own)->wanted);
}

/* ------------------------------------------------------------------ the state */

static enum sw_status fused_initial(struct sw_stepper *s)
{
    ((struct fused *)s->own)->known = false;
    return sw_lines_initial(s);
}

static enum sw_status fused_set_state(struct sw_stepper *s, const double *u)
{
    ((struct fused *)s->own)->known = false;
    return sw_lines_set_state(s, u);
}

/* Where the steps left no scalars behind the kernel is called for them alone: in the same order, to the same bits. */
static enum sw_status fused_capture(struct sw_stepper *s, int slot, int what)
{
    struct fused *p = s->own;
    if (what & SW_CAPTURE_SCALARS) {
        p->wanted = true;
        if (!p->known) SW_TRY(launch(s, 0, 0, true));
    }
    return sw_lines_capture(s, slot, what);
}

static enum sw_status fused_try_compile(const struct sw_stepper_desc *desc, int sm)
{
    void *cubin = NULL;
    struct sw_fused_shape shape;
    enum sw_status st;
    SW_TRY(choose_shape(desc, sm, NULL, &shape));
    st = sw_fused_compile(&desc->model, desc->n, &shape, sm, &cubin);
    sw_free(cubin);
    return st;
}

/* A line is read and written once a call. Operations: four recursions a point and the new field; what lanes exchange, some
 * 8 log2(lanes) + 24 a lane, is not counted. The stencil's and those of G and S. */
static struct sw_cost fused_cost(const struct sw_stepper *s, int64_t steps)
{
    const struct sw_line_model *m = &s->desc.model;
    double operations = 9;
    if (m->g) operations += 3 + sw_program_size(m->g).point;
    if (m->s) operations += 1 + sw_program_size(m->s).point;
    return (struct sw_cost){16.0 / (double)steps, s->desc.single_steps ? operations / 2 : operations};
}

extern const struct sw_stepper_ops stepper_fused_cuda;
const struct sw_stepper_ops stepper_fused_cuda = {
    .name = "cuda.fused",
    .about = "all steps between two outputs in one kernel, lines in the registers of lanes, blocks or clusters",
    .space = SW_DEVICE,
    .fits = fused_fits,
    .bytes = fused_bytes,
    .create = fused_create,
    .load = fused_load,
    .initial = fused_initial,
    .set_state = fused_set_state,
    .get_state = sw_lines_get_state,
    .advance = fused_advance,
    .capture = fused_capture,
    .fetch = sw_lines_fetch,
    .diverged = sw_lines_diverged,
    .destroy = fused_destroy,
    .cost = fused_cost,
    .try_compile = fused_try_compile,
};
