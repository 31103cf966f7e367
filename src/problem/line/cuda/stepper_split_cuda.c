/* The lines of a batch on a CUDA device, one stage of one step at a time (stages_cuda.h), with a band solver for each
 * unknown. Everything is interleaved over the runs (problem/line/cuda/batch_point.h). */
#include <stdio.h>

#include "linalg/sw_band.h"
#include "problem/line/cuda/stages_cuda.h"

enum { MATRIX_VECTORS = 5 };

struct split {
    struct sw_cuda_stages stages;  /* first: stages_cuda.h works on it */
    struct sw_band       *band[SW_UNKNOWNS_MOST];
};

static const char default_band[] = "cuda.thomas";

static bool split_fits(const struct sw_stepper_desc *desc, int sm)
{
    (void)sm;
    return !desc->single_steps;
}

/* ------------------------------------------------------------------ memory */

/* While a batch is loaded there is no state yet, and the matrix of an unknown takes its place. */
static size_t matrix_size(const struct sw_stepper_desc *d) { return MATRIX_VECTORS * (size_t)d->n; }

static void split_bytes(const struct sw_stepper_desc *d, const char *band, size_t *fixed, size_t *per_run)
{
    const size_t size = sw_cuda_stages_size(d), least = matrix_size(d), unknowns = (size_t)sw_line_unknowns(&d->model);
    const struct sw_band_desc shape = {.lower = 2, .upper = 2, .periodic = true};
    const size_t factors = (size_t)sw_band_vectors_of(&shape, band ? band : default_band);
    sw_cuda_stages_bytes(d, fixed, per_run);
    *per_run += ((size > least ? size : least) + unknowns * (factors * (size_t)d->n + 10)) * sizeof(double);
}

static enum sw_status launch(struct sw_stepper *s, struct sw_line_stage *stage, double *u, long long step)
{
    const struct split *p = s->own;
    struct sw_line_batch view = p->stages.batch.view;
    int rows = SW_LINE_ROWS;
    void *args[] = {&view, stage, &u, &step, &rows};
    return sw_cuda_batch_launch_points(s, SW_STAGE_K, rows, args);
}

static enum sw_status solve(struct sw_stepper *s, const double *u, double *f)
{
    const struct split *p = s->own;
    (void)u;
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++)
        SW_TRY(sw_band_solve(p->band[v], f + (size_t)v * p->stages.batch.view.unknown));
    return SW_OK;
}

static enum sw_status split_create(struct sw_stepper *s, const char *band)
{
    const struct sw_stepper_desc *d = &s->desc;
    const bool periodic = !sw_line_ended(&d->model);
    const struct sw_band_desc shape = {.n = d->n, .batch = d->capacity, .lower = 2, .upper = 2, .periodic = periodic,
                                       .symmetric = periodic && !(d->model.orders & (1U << 1 | 1U << 3)),
                                       .uniform = d->uniform};
    struct split *p = s->own;
    p->stages.launch = launch;
    p->stages.solve = solve;
    for (int v = 0; v < sw_line_unknowns(&d->model); v++)
        SW_TRY(sw_band_create(&shape, band ? band : default_band, s->device, &p->band[v]));
    snprintf(s->name, sizeof s->name, "%s+%s", s->ops->name, sw_band_name(p->band[0]));
    return sw_cuda_stages_create(s, matrix_size(d), false);
}

static void split_destroy(struct sw_stepper *s)
{
    struct split *p = s->own;
    sw_cuda_batch_destroy(s);
    for (int v = 0; v < SW_UNKNOWNS_MOST; v++) sw_band_destroy(&p->band[v]);
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
    const struct sw_cuda_batch *l = &p->stages.batch;
    double *matrix = p->stages.work;
    const struct sw_line_model *m = &s->desc.model;
    for (int v = 0; v < sw_line_unknowns(m); v++) {
        const struct sw_line_alike alike = {m->mass[v], (int)m->end[0][v].kind, (int)m->end[1][v].kind};
        SW_TRY(sw_cuda_line_matrix(s->device->compute, &l->view, v, &alike, model_run(s, load_error), matrix));
        enum sw_status st = sw_band_factor(p->band[v], matrix, l->bad);
        if (st && st != SW_E_SINGULAR) return st;  /* bad tells which; the others go on */
        for (int j = 0; j < s->count; j++)
            if (l->bad[j] && !load_error[j]) load_error[j] = "the implicit part has a zero or non-finite pivot";
        SW_TRY(sw_cuda_batch_mark_faulty(s, load_error));
    }
    return SW_OK;
}

static enum sw_status split_load(struct sw_stepper *s, const char **load_error)
{
    SW_TRY(sw_cuda_batch_load(s, load_error));
    SW_TRY(factor(s, s->own, load_error));
    return sw_cuda_stages_begin(s);
}

static struct sw_cost split_cost(const struct sw_stepper *s, int64_t steps)
{
    const struct split *p = s->own;
    const struct sw_cost solve_once = sw_band_cost(sw_band_shape(p->band[0]), sw_band_name(p->band[0]));
    const double solves = (double)(p->stages.method.count - 1) * sw_line_unknowns(&s->desc.model);
    struct sw_cost cost = sw_cuda_stages_cost(s);
    (void)steps;
    cost.bytes += solves * solve_once.bytes;
    cost.fma += solves * solve_once.fma;
    return cost;
}

extern const struct sw_stepper_ops stepper_split_cuda;
const struct sw_stepper_ops stepper_split_cuda = {
    .name = "cuda.split",
    .about = "a kernel for the stencils and expressions, then a band solver, one step at a time",
    .space = SW_DEVICE,
    .takes = SW_LINE_ALL | SW_LINE_MASS | SW_LINE_ENDS,
    .fits = split_fits,
    .bytes = split_bytes,
    .own_size = sizeof(struct split),
    .create = split_create,
    .load = split_load,
    .advance = sw_cuda_stages_advance,
    .destroy = split_destroy,
    .sim = &sw_cuda_batch_operations,
    .takes_band = true,
    .cost = split_cost,
};
