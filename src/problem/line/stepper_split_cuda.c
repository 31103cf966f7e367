/* The lines of a batch on a CUDA device, one stage of one step at a time: a kernel adds what a stage is to the
 * right-hand sides behind it, a band solver for each unknown solves the next one in place. Everything is interleaved
 * over the runs (problem/line/batch_point.h). */
#include <stdio.h>

#include "base/sw_mem.h"
#include "linalg/sw_band.h"
#include "problem/line/batch_cuda.h"
#include "problem/line/imex.h"

enum { MATRIX_VECTORS = 5 };

struct split {
    struct sw_cuda_batch  batch;  /* first: batch_cuda.h works on it; its field u is one of the vectors of `work` */
    struct sw_imex_stages stages;
    struct sw_band *band[SW_UNKNOWNS_MOST];
    double         *work;         /* the state, the right-hand sides, the staging; see work_size()                */
    double         *row[SW_IMEX_STAGES];  /* right-hand sides, the last of which becomes the state; between two
                                             steps they hold nothing that is needed                               */
};

static const char default_band[] = "cuda.thomas";

static bool split_fits(const struct sw_stepper_desc *desc, int sm)
{
    (void)sm;
    return !desc->single_steps;
}

/* ------------------------------------------------------------------ memory */

/* Right-hand sides: of each stage but the first, and the result, unless it is the last stage. */
static int rows_of(const struct sw_imex_stages *m) { return m->count - m->last; }

/* Numbers of a run. While a batch is loaded there is no state yet, and the matrix of an unknown takes its place. */
static size_t work_size(const struct sw_stepper_desc *d, const struct sw_imex_stages *m)
{
    const size_t vectors = (size_t)(rows_of(m) + 2) * (size_t)sw_line_unknowns(&d->model);
    return (vectors > MATRIX_VECTORS ? vectors : MATRIX_VECTORS) * (size_t)d->n;
}

static void split_bytes(const struct sw_stepper_desc *d, const char *band, size_t *fixed, size_t *per_run)
{
    struct sw_program_size kept = sw_line_kept(&d->model);
    struct sw_imex_stages stages;
    const size_t unknowns = (size_t)sw_line_unknowns(&d->model);
    const size_t factors = (size_t)sw_band_vectors(band ? band : default_band);
    sw_imex_stages_of(d->model.scheme, &stages);
    sw_cuda_batch_bytes(d, fixed, per_run);
    *per_run += (work_size(d, &stages) + (unknowns * factors + (size_t)kept.cell) * (size_t)d->n +
                 (size_t)(kept.run + kept.step) + 10 * unknowns) * sizeof(double);
}

static enum sw_status alloc_arrays(struct sw_stepper *s, struct split *p)
{
    const struct sw_stepper_desc *d = &s->desc;
    struct sw_line_batch *b = &p->batch.view;
    const size_t points = (size_t)d->n * (size_t)d->capacity;
    SW_TRY(sw_device_alloc(s->device, work_size(d, &p->stages) * (size_t)d->capacity, &p->work));
    SW_TRY(sw_device_alloc(s->device, (size_t)p->batch.kept.step * (size_t)d->capacity, &b->step));
    SW_TRY(sw_device_alloc(s->device, (size_t)p->batch.kept.cell * points, &b->cell));
    sw_cuda_batch_lend_staging(&p->batch, p->work + (size_t)(rows_of(&p->stages) + 1) * sw_stepper_vector(d));
    return SW_OK;
}

static enum sw_status split_create(struct sw_stepper *s, const char *band)
{
    const struct sw_stepper_desc *d = &s->desc;
    const bool periodic = !sw_line_ended(&d->model);
    const struct sw_band_desc shape = {.n = d->n, .batch = d->capacity, .lower = 2, .upper = 2, .periodic = periodic,
                                       .symmetric = periodic && !(d->model.orders & (1U << 1 | 1U << 3)),
                                       .uniform = d->uniform};
    struct split *p = NULL;

    SW_TRY(sw_alloc(1, &p));
    s->own = p;
    sw_imex_stages_of(d->model.scheme, &p->stages);
    for (int v = 0; v < sw_line_unknowns(&d->model); v++)
        SW_TRY(sw_band_create(&shape, band ? band : default_band, s->device, &p->band[v]));
    snprintf(s->name, sizeof s->name, "%s+%s", s->ops->name, sw_band_name(p->band[0]));
    SW_TRY(sw_cuda_batch_create(s, false));
    return alloc_arrays(s, p);
}

static void split_destroy(struct sw_stepper *s)
{
    struct split *p = s->own;
    if (!p) return;
    sw_cuda_batch_destroy(s);  /* waits for what is queued */
    sw_device_free(s->device, p->work);
    for (int v = 0; v < SW_UNKNOWNS_MOST; v++) sw_band_destroy(&p->band[v]);
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
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++) {
        const struct sw_line_model *m = &s->desc.model;
        const struct sw_line_alike alike = {m->mass[v], (int)m->end[0][v].kind, (int)m->end[1][v].kind};
        SW_TRY(sw_cuda_line_matrix(s->device->compute, &p->batch.view, v, &alike, model_run(s, load_error), p->work));
        enum sw_status st = sw_band_factor(p->band[v], p->work, bad);
        if (st && st != SW_E_SINGULAR) return st;  /* bad tells which; the others go on */
        for (int j = 0; j < s->count; j++)
            if (bad[j] && !load_error[j]) load_error[j] = "the implicit part has a zero or non-finite pivot";
        SW_TRY(sw_cuda_batch_mark_faulty(s, load_error));
    }
    return SW_OK;
}

static enum sw_status split_load(struct sw_stepper *s, const char **load_error)
{
    struct split *p = s->own;
    void *args[] = {&p->batch.view};
    SW_TRY(sw_cuda_batch_load(s, load_error));
    SW_TRY(factor(s, p, load_error));
    p->batch.u = p->work;
    for (int r = 0; r < rows_of(&p->stages); r++) p->row[r] = p->work + (size_t)(r + 1) * sw_stepper_vector(&s->desc);
    return p->batch.kept.cell ? sw_cuda_batch_launch_points(s, SW_CELL_K, 1, args) : SW_OK;
}

/* ------------------------------------------------------------------ steps */

/* What stage i adds to which right-hand sides: row r is that of stage r + 1, or of the result. */
static struct sw_line_stage stage_of(const struct split *p, int i)
{
    const struct sw_imex_stages *m = &p->stages;
    struct sw_line_stage stage = {.time = m->time[i], .ends_time = m->left != 0.0 ? 0.0 : m->time[i],
                                  .rows = rows_of(m) - i, .result = m->last ? -1 : rows_of(m) - i - 1,
                                  .begins = i == 0};
    for (int k = 0; k < stage.rows; k++) {
        const struct sw_imex_weights *w = i + k + 1 < m->count ? &m->stage[i + k + 1] : &m->result;
        stage.row[k] = p->row[i + k];
        stage.of_state[k] = w->of_state[i];
        stage.of_value[k] = w->of_value[i];
        stage.of_first[k] = i == 0 ? w->of_first : 0.0;
        stage.wants_first |= stage.of_first[k] != 0.0;
    }
    return stage;
}

static enum sw_status solve(struct sw_stepper *s, const struct split *p, double *f)
{
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++)
        SW_TRY(sw_band_solve(p->band[v], f + (size_t)v * p->batch.view.unknown));
    return SW_OK;
}

/* What is known at the ends at the time of a stage, of its right-hand side, which will be solved for, or of the
 * result. */
static enum sw_status impose_ends(struct sw_stepper *s, const struct split *p, double *row, int stage, long long step)
{
    const struct sw_imex_stages *m = &p->stages;
    int solved = stage < m->count;
    double time = m->left != 0.0 ? 1.0 : m->time[solved ? stage : m->count - 1];
    void *args[] = {(void *)&p->batch.view, &row, &step, &time, &solved};
    return sw_line_ended(&s->desc.model) ? sw_cuda_batch_launch_runs(s, SW_ENDS_K, args) : SW_OK;
}

static enum sw_status step_once(struct sw_stepper *s, struct split *p, long long step)
{
    struct sw_cuda_batch *l = &p->batch;
    const int last = rows_of(&p->stages) - 1;
    double *begin = l->u;
    _Static_assert((int)SW_LINE_ROWS_MOST == (int)SW_IMEX_STAGES, "batch_point.h, which includes nothing");
    for (int i = 0; i <= last; i++) {
        struct sw_line_stage stage = stage_of(p, i);
        int rows = SW_LINE_ROWS;
        void *step_args[] = {&l->view, &step, &stage.time}, *args[] = {&l->view, &stage, &l->u, &step, &rows};
        if (l->kept.step) SW_TRY(sw_cuda_batch_launch_runs(s, SW_STEP_K, step_args));
        SW_TRY(sw_cuda_batch_launch_points(s, SW_STAGE_K, rows, args));
        SW_TRY(impose_ends(s, p, p->row[i], i + 1, step));
        if (i + 1 < p->stages.count) SW_TRY(solve(s, p, p->row[i]));
        l->u = p->row[i];
    }
    p->row[last] = begin;
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

/* Of each stage with values and each unknown: u read; the right-hand sides behind it written and, but at the first,
 * read; what G and N keep for each point; their operations and those of the sums. Then the solves. */
static struct sw_cost split_cost(const struct sw_stepper *s, int64_t steps)
{
    const struct split *p = s->own;
    const struct sw_line_model *m = &s->desc.model;
    const struct sw_cost solve = sw_band_cost(sw_band_shape(p->band[0]), sw_band_name(p->band[0]));
    const int rows = rows_of(&p->stages), solves = p->stages.count - 1;
    struct sw_cost cost = {0, 0};
    (void)steps;
    for (int v = 0; v < sw_line_unknowns(m); v++) {
        const struct sw_program_size g = sw_program_size(m->g[v]), n = sw_program_size(m->s[v]);
        for (int i = 0; i < rows; i++) {
            cost.bytes += 8 + 8.0 * (rows - i) * (i ? 2 : 1) + 8.0 * (g.cell + n.cell);
            cost.fma += m->scheme == SW_CRANK_NICOLSON ? 12 : 0;
            if (m->g[v]) cost.fma += 4 + g.point + (rows - i);
            if (m->s[v]) cost.fma += 1 + n.point + (rows - i);
            if (sw_line_has_mass(&m->mass[v])) cost.fma += 8 + 8 * !!m->s[v] + 7 * !!m->g[v];
        }
        cost.bytes += solves * solve.bytes;
        cost.fma += solves * solve.fma;
    }
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
