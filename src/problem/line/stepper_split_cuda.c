/* The lines of a batch on a CUDA device, one step at a time: a kernel makes the right-hand sides, a band solver solves
 * in place. Everything is interleaved over the runs (problem/line/batch_point.h). */
#include <stdio.h>

#include "base/sw_mem.h"
#include "linalg/sw_band.h"
#include "problem/line/batch_cuda.h"

/* Vectors of n*capacity numbers in `work`. While a batch is loaded there is no state yet, and the matrix takes its
 * place. */
enum { STATE, NEXT, STAGING, MATRIX_VECTORS = 5 };

struct split {
    struct sw_cuda_batch  batch;    /* first: batch_cuda.h works on it; its field u is STATE or NEXT, in turn */
    struct sw_band  *band;
    double          *work;     /* [MATRIX_VECTORS] vectors                                           */
    double          *rhs;      /* the other one; between two steps it holds nothing that is needed   */
};

static const char default_band[] = "cuda.thomas";

static bool split_fits(const struct sw_stepper_desc *desc, int sm)
{
    (void)sm;
    return !desc->single_steps;
}

/* ------------------------------------------------------------------ memory */

static void split_bytes(const struct sw_stepper_desc *d, const char *band, size_t *fixed, size_t *per_run)
{
    struct sw_program_size kept = sw_line_kept(&d->model);
    size_t vectors = MATRIX_VECTORS + (size_t)sw_band_vectors(band ? band : default_band) + (size_t)kept.cell;
    sw_cuda_batch_bytes(d, fixed, per_run);
    *per_run += (vectors * (size_t)d->n + (size_t)(kept.run + kept.step) + 10) * sizeof(double);
}

static enum sw_status alloc_arrays(struct sw_stepper *s, struct split *p)
{
    const struct sw_stepper_desc *d = &s->desc;
    struct sw_line_batch *b = &p->batch.view;
    SW_TRY(sw_device_alloc(s->device, MATRIX_VECTORS * sw_stepper_vector(d), &p->work));
    SW_TRY(sw_device_alloc(s->device, (size_t)p->batch.kept.step * (size_t)d->capacity, &b->step));
    SW_TRY(sw_device_alloc(s->device, (size_t)p->batch.kept.cell * sw_stepper_vector(d), &b->cell));
    sw_cuda_batch_lend_staging(&p->batch, p->work + STAGING * sw_stepper_vector(d));
    return SW_OK;
}

static enum sw_status split_create(struct sw_stepper *s, const char *band)
{
    const struct sw_stepper_desc *d = &s->desc;
    const struct sw_band_desc shape = {.n = d->n, .batch = d->capacity, .lower = 2, .upper = 2, .periodic = true,
                                       .symmetric = true, .uniform = d->uniform};
    struct split *p = NULL;

    SW_TRY(sw_alloc(1, &p));
    s->own = p;
    SW_TRY(sw_band_create(&shape, band ? band : default_band, s->device, &p->band));
    snprintf(s->name, sizeof s->name, "%s+%s", s->ops->name, sw_band_name(p->band));
    SW_TRY(sw_cuda_batch_create(s, false));
    return alloc_arrays(s, p);
}

static void split_destroy(struct sw_stepper *s)
{
    struct split *p = s->own;
    if (!p) return;
    sw_cuda_batch_destroy(s);  /* waits for what is queued */
    sw_device_free(s->device, p->work);
    sw_band_destroy(&p->band);
    sw_free(p);
}

/* ------------------------------------------------------------------ load */

/* The run whose matrix all have: the first without a load_error; -1: each has its own. */
static int model_run(const struct sw_stepper *s, const char *const *load_error)
{
    for (int j = 0; s->desc.uniform && j < s->count; j++)
        if (!load_error[j]) return j;
    return -1;
}

static enum sw_status factor(struct sw_stepper *s, struct split *p, const char **load_error)
{
    int *bad = p->batch.bad;
    SW_TRY(sw_cuda_line_matrix(s->device->compute, &p->batch.view, model_run(s, load_error), p->work));
    enum sw_status st = sw_band_factor(p->band, p->work, bad);
    if (st && st != SW_E_SINGULAR) return st;  /* bad tells which; the others go on */
    for (int j = 0; j < s->count; j++)
        if (bad[j] && !load_error[j]) load_error[j] = "the implicit part has a zero or non-finite pivot";
    return sw_cuda_batch_mark_faulty(s, load_error);
}

static enum sw_status split_load(struct sw_stepper *s, const char **load_error)
{
    struct split *p = s->own;
    void *args[] = {&p->batch.view};
    SW_TRY(sw_cuda_batch_load(s, load_error));
    SW_TRY(factor(s, p, load_error));
    p->batch.u = p->work + STATE * sw_stepper_vector(&s->desc);
    p->rhs = p->work + NEXT * sw_stepper_vector(&s->desc);
    return p->batch.kept.cell ? sw_cuda_batch_launch_points(s, SW_CELL_K, 1, args) : SW_OK;
}

/* ------------------------------------------------------------------ steps */

static enum sw_status step_once(struct sw_stepper *s, struct split *p, long long step)
{
    struct sw_cuda_batch *l = &p->batch;
    int rows = SW_LINE_ROWS;
    void *step_args[] = {&l->view, &step}, *rhs_args[] = {&l->view, &l->u, &p->rhs, &step, &rows};
    double *solved = p->rhs;
    if (l->kept.step) SW_TRY(sw_cuda_batch_launch_runs(s, SW_STEP_K, step_args));
    SW_TRY(sw_cuda_batch_launch_points(s, SW_RHS_K, rows, rhs_args));
    SW_TRY(sw_band_solve(p->band, solved));
    p->rhs = l->u;
    l->u = solved;
    return SW_OK;
}

static enum sw_status split_advance(struct sw_stepper *s, int64_t from, int64_t to)
{
    struct split *p = s->own;
    for (int64_t step = from; step < to; step++) SW_TRY(step_once(s, p, step));
    return sw_cuda_batch_mark_not_finite(s, to);
}

static enum sw_status split_try_compile(const struct sw_stepper_desc *desc, int sm)
{
    void *cubin = NULL;
    enum sw_status st = sw_line_compile(&desc->model, sm, &cubin);
    sw_free(cubin);
    return st;
}

/* The right-hand side: u read, rhs written, 16 bytes, and what S keeps for each point; the stencil's operations and
 * those of G and S. Then the solve. */
static struct sw_cost split_cost(const struct sw_stepper *s, int64_t steps)
{
    const struct split *p = s->own;
    const struct sw_line_model *m = &s->desc.model;
    struct sw_cost solve = sw_band_cost(sw_band_shape(p->band), sw_band_name(p->band));
    double kept = m->s[0] ? 8.0 * sw_program_size(m->s[0]).cell : 0;
    double operations = m->scheme == SW_CRANK_NICOLSON ? 12 : 0;
    (void)steps;
    if (m->g[0]) operations += 5 + sw_program_size(m->g[0]).point;
    if (m->s[0]) operations += 2 + sw_program_size(m->s[0]).point;
    return (struct sw_cost){16 + kept + solve.bytes, operations + solve.fma};
}

extern const struct sw_stepper_ops stepper_split_cuda;
const struct sw_stepper_ops stepper_split_cuda = {
    .name = "cuda.split",
    .about = "a kernel for the stencils and expressions, then a band solver, one step at a time",
    .space = SW_DEVICE,
    .fits = split_fits,
    .bytes = split_bytes,
    .create = split_create,
    .load = split_load,
    .initial = sw_cuda_batch_initial,
    .set_state = sw_cuda_batch_set_state,
    .get_state = sw_cuda_batch_get_state,
    .device_state = sw_cuda_batch_device_state,
    .advance = split_advance,
    .snapshot = sw_cuda_batch_snapshot,
    .fetch = sw_cuda_batch_fetch,
    .diverged = sw_cuda_batch_diverged,
    .destroy = split_destroy,
    .takes_band = true,
    .cost = split_cost,
    .try_compile = split_try_compile,
};
