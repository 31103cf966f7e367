/* The lines of a batch on a CUDA device, all steps between two outputs in one kernel: each line stays in the registers of a group of
 * lanes (cuda/line_fused_rtc.cuh). The field lies line by line in device memory; a step costs no access to it. */
#include <stdio.h>

#include "base/sw_mem.h"
#include "stepper/fused_point.h"
#include "stepper/lines_cuda.h"
#include "stepper/recursive.h"
#include "stepper/recursive_point.h"

struct fused {
    struct sw_lines        lines;        /* first: lines_cuda.h works on it; its field is `field`    */
    struct sw_fused_shape  shape;
    struct sw_module      *module[2];    /* [1]: for coefficients that differ; made when needed       */
    void                  *kernel[2];
    struct sw_fused_common common;       /* of all lines, if they have the same coefficients          */
    double                *field, *staging;  /* n*capacity numbers each                              */
    double                *scalars;      /* [capacity][SW_LINE_SCALARS], all but the domain length   */
    bool                   known;        /* they are those of the state as it is                     */
    bool                   wanted;       /* a capture has asked for scalars: more will               */
    struct sw_fused_line  *line, *host;  /* [capacity], or 1 of a batch whose runs all have the same */
    int                    each;         /* 0: the same for all                                      */
};

/* ------------------------------------------------------------------ how a line lies in the lanes */

static int block_of(int n, int lanes) { return (n + lanes - 1) / lanes; }

/* Registers: 64 Ki a multiprocessor; 4 blocks of four warps leave 128 a thread, 3 168, 2 255. Crank-Nicolson keeps two numbers a
 * point, the old field and the one being solved for; `away` of the latter lie in shared memory. Backward Euler keeps one. About 45
 * registers hold the rest. */
enum { MOST = SW_FUSED_MOST };

/* Lanes a line, blocks a multiprocessor and values in shared memory for lines of up to so many points. Measured on an H200, 64 Mi
 * points at once: Crank-Nicolson at n = 64, 100, 128, 256, 333, 512, 1000, 1024, 1500 and 2048, backward Euler with u^3 - u at 128,
 * 512, 1000, 1024 and 2048, with a forcing in x and t besides at 512 and 1024; the rest is as their neighbours. The more points a lane
 * has the fewer stages there are: 64 a lane win over 32 and more warps. */
struct layout { int most, lanes, blocks, away; };

static const struct layout crank[] = {{128, 4, 3, 0}, {256, 4, 2, 32}, {384, 8, 3, 24}, {512, 8, 2, 32}, {1024, 16, 2, 32},
                                      {32 * 48, 32, 2, 0}, {32 * MOST, 32, 2, 24}, {0}};
static const struct layout euler[] = {{128, 4, 4, 0}, {256, 4, 3, 0}, {512, 8, 3, 0}, {1024, 16, 3, 0}, {32 * MOST, 32, 3, 0}, {0}};
static const struct layout euler_cells[] = {{128, 4, 4, 0}, {256, 8, 4, 0}, {512, 16, 4, 0}, {1024, 32, 4, 0}, {32 * MOST, 32, 3, 0}, {0}};

/* The row for lines of n points; most = 0: there is none. */
static const struct layout *layout_for(const struct sw_line_model *m, int n)
{
    const struct layout *l = m->scheme == SW_CRANK_NICOLSON ? crank : sw_line_kept(m).cell ? euler_cells : euler;
    while (l->most && l->most < n) l++;
    return l;
}

/* Shared memory: powers, values kept for the next steps, values kept a cell. More lines at once are worth less than the latter. */
static void place(struct sw_fused_shape *shape, const struct sw_line_model *model, int n)
{
    enum { SHARED = 220 * 1024, BLOCK_SHARED = 96 * 1024 };  /* bytes of a multiprocessor of sm_90; of a block anywhere */
    struct sw_program_size kept = sw_line_kept(model);
    int stages = 0, lines = 32 / shape->lanes * shape->warps, cells = kept.cell * block_of(n, shape->lanes) * shape->lanes;
    while (1 << stages < shape->lanes) stages++;
    shape->at_step = 4 + 8 * stages;
    shape->response = block_of(n, shape->lanes) + 2;
    shape->at_cell = shape->at_step + (shape->lanes * kept.step + 1) / 2 * 2;
    size_t away = (size_t)(shape->away * 32 * shape->warps) * sizeof(double);
    size_t block = (size_t)((shape->at_cell + cells + 7) / 8 * 8 + shape->response) * sizeof(double) * (size_t)lines + away;
    while (shape->blocks > 2 && block * (size_t)shape->blocks > SHARED) shape->blocks--;
    shape->cells_shared = block * (size_t)shape->blocks <= SHARED && block <= BLOCK_SHARED;
    shape->room = (shape->at_cell + (shape->cells_shared ? cells : 0) + 7) / 8 * 8;  /* lines begin at multiples of 64 bytes */
}

/* Of a lane's values between the sweeps, those in shared memory. */
static int away_of(const struct sw_stepper_desc *d, int lanes, int wanted)
{
    int block = block_of(d->n, lanes);
    return d->model.scheme != SW_CRANK_NICOLSON ? 0 : wanted < block ? wanted : block;
}

static struct sw_fused_shape shape_for(const struct sw_stepper_desc *d)
{
    const struct layout *l = layout_for(&d->model, d->n);
    struct sw_fused_shape shape = {.lanes = l->lanes, .warps = 4, .blocks = l->blocks, .away = away_of(d, l->lanes, l->away)};
    place(&shape, &d->model, d->n);
    return shape;
}

/* "16x3": 16 lanes a line, registers cut for 3 blocks a multiprocessor; "16x3x20": 20 values of a lane in shared memory (0), "16x1x0x12":
 * 12 warps a block (4). */
static enum sw_status choose_shape(const struct sw_stepper_desc *d, const char *text, struct sw_fused_shape *shape)
{
    int number[4] = {0, 0, 0, 4}, end = 0, count = 0;
    *shape = shape_for(d);
    if (!text) return SW_OK;
    for (; count < 4 && sscanf(text, count ? "x%d%n" : "%d%n", &number[count], &end) == 1; count++) text += end;
    if (count < 2 || *text) return SW_FAIL(SW_E_CONFIG, "band solver %s: there is no such row: cuda.fused takes no band solver", text);
    int lanes = number[0], blocks = number[1], away = number[2], warps = number[3];
    if (lanes < 4 || lanes > 32 || (lanes & (lanes - 1)) || block_of(d->n, lanes) > MOST || d->n < lanes || blocks < 1 || blocks > 8 || warps < 1 || warps > 32 || away < 0)
        return SW_FAIL(SW_E_CONFIG, "cuda.fused: %d points do not go over %d lanes, %d blocks a multiprocessor", d->n, lanes, blocks);
    shape->lanes = lanes;
    shape->blocks = blocks;
    shape->warps = warps;
    shape->away = away_of(d, lanes, away);
    place(shape, &d->model, d->n);
    return SW_OK;
}

static bool fused_fits(const struct sw_stepper_desc *d)
{
    return !d->single_steps && layout_for(&d->model, d->n)->most > 0;
}

/* ------------------------------------------------------------------ life */

static size_t vector_of(const struct sw_stepper_desc *d) { return (size_t)d->n * (size_t)d->capacity; }

static void fused_bytes(const struct sw_stepper_desc *d, const char *band, size_t *fixed, size_t *per_run)
{
    (void)band;
    sw_lines_bytes(d, fixed, per_run);
    *per_run += (2 * (size_t)d->n + (size_t)sw_line_kept(&d->model).run + SW_LINE_SCALARS) * sizeof(double);
    *per_run += sizeof(struct sw_fused_line);
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
    SW_TRY(choose_shape(&s->desc, band, &p->shape));
    if (band) snprintf(s->name, sizeof s->name, "%s+%s", s->ops->name, band);
    SW_TRY(make_kernel(s, p, 0));
    SW_TRY(sw_lines_create(s, true));
    SW_TRY(sw_device_alloc(s->device, vector_of(&s->desc), &p->field));
    SW_TRY(sw_device_alloc(s->device, vector_of(&s->desc), &p->staging));
    SW_TRY(sw_device_alloc(s->device, (size_t)s->desc.capacity, &p->line));
    SW_TRY(sw_device_alloc(s->device, (size_t)s->desc.capacity * SW_LINE_SCALARS, &p->scalars));
    p->lines.u = p->field;
    p->lines.measured = p->scalars;
    p->lines.captures.staging = p->staging;
    return sw_alloc((size_t)s->desc.capacity, &p->host);
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
    sw_free(p->host);
    sw_free(p);
}

/* ------------------------------------------------------------------ load */

/* Powers for the 2^k blocks of stage k, which have `few` or few + 1 points; a stage counts if either changes anything. */
static void set_line(struct sw_fused_line *line, const struct sw_recursive *r, int n, const struct sw_fused_shape *shape)
{
    int lanes = shape->lanes;
    double turn[4];
    *line = (struct sw_fused_line){.a1 = r->a1, .a2 = r->a2, .scale = r->scale};
    for (int k = 0; 1 << k < lanes; k++) {
        int64_t few = ((int64_t)n << k) / lanes;
        for (int more = 0; more < 2; more++) {
            double *power = line->power[2 * k + more];
            sw_recursive_power(r, few + more, power);
            if (!sw_recursive_negligible(power)) line->stages = k + 1;
        }
    }
    sw_recursive_power(r, n, turn);
    sw_recursive_closure(r, n, line->closure);
    line->closed = !sw_recursive_negligible(turn);
}

/* One run after another; those with the coefficients of the run before are copied, whether or not that one can be
 * advanced. */
static void set_lines(const struct sw_stepper *s, struct fused *p)
{
    const struct sw_line_run *run = s->run;
    p->each = 0;
    for (int j = 0; j < s->count; j++) {
        struct sw_recursive r;
        if (j > 0 && run[j].s4 == run[j - 1].s4 && run[j].s2 == run[j - 1].s2) {
            p->host[j] = p->host[j - 1];
            continue;
        }
        if (j > 0) p->each = 1;
        if (!sw_recursive_factor(run[j].s4, run[j].s2, &r)) sw_recursive_factor(0.0, 0.0, &r);
        set_line(&p->host[j], &r, s->desc.n, &p->shape);
    }
}

static void set_common(struct sw_fused_common *c, const struct sw_fused_line *line, enum sw_scheme scheme)
{
    c->line = *line;
    c->scale = (scheme == SW_CRANK_NICOLSON ? 2.0 : 1.0) * line->scale;
    c->h[0] = c->h[1] = 0.0;
    for (int k = 2; k < SW_FUSED_MOST + 2; k++) c->h[k] = sw_recursive_next(line->a1, line->a2, k == 2 ? 1.0 : 0.0, c->h[k - 1], c->h[k - 2]);
}

static enum sw_status fused_load(struct sw_stepper *s, const char **fault)
{
    struct fused *p = s->own;
    SW_TRY(sw_lines_load(s, fault));
    set_lines(s, p);
    set_common(&p->common, &p->host[0], s->desc.model.scheme);
    SW_TRY(make_kernel(s, p, p->each));
    return sw_device_upload(s->device, p->line, p->host, (p->each ? (size_t)s->count : 1) * sizeof *p->host);
}

/* ------------------------------------------------------------------ steps */

/* Steps, none if from = to; then, if asked to, the scalars. */
static enum sw_status launch(struct sw_stepper *s, int64_t from, int64_t to, bool measured)
{
    struct fused *p = s->own;
    double *scalars = measured ? p->scalars : NULL;
    int lines = p->shape.warps * 32 / p->shape.lanes, blocks = (s->count + lines - 1) / lines;
    size_t doubles = (size_t)(p->shape.room + p->shape.response) * (size_t)lines + (size_t)(p->shape.away * 32 * p->shape.warps);
    void *args[] = {&p->lines.batch, &p->line, &p->common, &p->field, &from, &to, &scalars};
    p->known = measured;
    return sw_kernel_launch(s->device, p->kernel[p->each], blocks, 1, 32 * p->shape.warps, doubles * sizeof(double), args);
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
    struct sw_fused_shape shape = shape_for(desc);
    enum sw_status st = sw_fused_compile(&desc->model, desc->n, &shape, sm, &cubin);
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
    return (struct sw_cost){16.0 / (double)steps, operations};
}

extern const struct sw_stepper_ops stepper_fused_cuda;
const struct sw_stepper_ops stepper_fused_cuda = {
    .name = "cuda.fused",
    .about = "all steps between two outputs in one kernel, each line in the registers of a few lanes",
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
