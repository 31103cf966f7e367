#include "problem/line/cuda/stages_cuda.h"

#include "problem/line/stepper/fourth_order.h"

static struct sw_cuda_stages *stages_of(const struct sw_stepper *s) { return s->own; }

/* ------------------------------------------------------------------ memory */

/* Vectors of `work` begin at multiples of 256 bytes: cuFFT takes none that begins between two complex numbers. */
enum { ALIGNED = 32 };

static size_t vector_of(const struct sw_stepper_desc *d)
{
    return (sw_stepper_vector(d) + ALIGNED - 1) / ALIGNED * ALIGNED;
}

static size_t vectors_of(const struct sw_stepper_desc *d)
{
    struct sw_imex_stages m;
    sw_imex_stages_of(d->model.scheme, &m);
    return (size_t)sw_cuda_stages_rows(&m) + 2;
}

size_t sw_cuda_stages_size(const struct sw_stepper_desc *d)
{
    return vectors_of(d) * sw_stepper_line(d);
}

void sw_cuda_stages_bytes(const struct sw_stepper_desc *d, size_t *fixed, size_t *per_run)
{
    const struct sw_program_size kept = sw_line_kept(&d->model);
    sw_cuda_batch_bytes(d, fixed, per_run);
    *fixed += vectors_of(d) * ALIGNED * sizeof(double);
    *per_run += ((size_t)kept.cell * (size_t)d->n + (size_t)(kept.run + kept.step)) * sizeof(double);
}

static void list_arrays(struct sw_stepper *s, struct sw_cuda_stages *p, size_t least)
{
    const struct sw_stepper_desc *d = &s->desc;
    struct sw_line_batch *b = &p->batch.view;
    const size_t points = (size_t)d->n * (size_t)d->capacity, vectors = vectors_of(d) * vector_of(d),
                 needed = least * (size_t)d->capacity;
    sw_array_device(&s->arrays, vectors > needed ? vectors : needed, &p->work);
    sw_array_device(&s->arrays, (size_t)p->batch.kept.step * (size_t)d->capacity, &b->step);
    sw_array_device(&s->arrays, (size_t)p->batch.kept.cell * points, &b->cell);
}

enum sw_status sw_cuda_stages_create(struct sw_stepper *s, size_t least, bool line_by_line)
{
    struct sw_cuda_stages *p = stages_of(s);
    sw_imex_stages_of(s->desc.model.scheme, &p->method);
    SW_TRY(sw_cuda_batch_create(s, line_by_line));
    list_arrays(s, p, least);
    SW_TRY(s->arrays.status);
    sw_cuda_batch_lend_staging(&p->batch, p->work + (vectors_of(&s->desc) - 1) * vector_of(&s->desc));
    return SW_OK;
}

enum sw_status sw_cuda_stages_begin(struct sw_stepper *s)
{
    struct sw_cuda_stages *p = stages_of(s);
    void *args[] = {&p->batch.view};
    p->batch.u = p->work;
    for (int r = 0; r < sw_cuda_stages_rows(&p->method); r++)
        p->row[r] = p->work + (size_t)(r + 1) * vector_of(&s->desc);
    return p->batch.kept.cell ? sw_cuda_batch_launch_points(s, SW_CELL_K, 1, args) : SW_OK;
}

/* ------------------------------------------------------------------ steps */

/* What stage i adds to which right-hand sides: row r is that of stage r + 1, or of the result. */
static struct sw_line_stage stage_of(const struct sw_cuda_stages *p, int i)
{
    const struct sw_imex_stages *m = &p->method;
    const int rows = sw_cuda_stages_rows(m);
    struct sw_line_stage stage = {.time = m->time[i], .ends_time = m->left != 0.0 ? 0.0 : m->time[i], .rows = rows - i,
                                  .result = m->last ? -1 : rows - i - 1, .begins = i == 0};
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

/* What is known at the ends at the time of a stage, of its right-hand side, which will be solved for, or of the
 * result. */
static enum sw_status impose_ends(struct sw_stepper *s, const struct sw_cuda_stages *p, double *row, int stage,
                                  long long step)
{
    const struct sw_imex_stages *m = &p->method;
    int solved = stage < m->count;
    double time = m->left != 0.0 ? 1.0 : m->time[solved ? stage : m->count - 1];
    void *args[] = {(void *)&p->batch.view, &row, &step, &time, &solved};
    return sw_line_ended(&s->desc.model) ? sw_cuda_batch_launch_runs(s, SW_ENDS_K, args) : SW_OK;
}

static enum sw_status step_once(struct sw_stepper *s, struct sw_cuda_stages *p, long long step)
{
    struct sw_cuda_batch *l = &p->batch;
    const int last = sw_cuda_stages_rows(&p->method) - 1;
    double *begin = l->u;
    _Static_assert((int)SW_LINE_ROWS_MOST == (int)SW_IMEX_STAGES, "batch_point.h, which includes nothing");
    for (int i = 0; i <= last; i++) {
        struct sw_line_stage stage = stage_of(p, i);
        void *step_args[] = {&l->view, &step, &stage.time};
        if (l->kept.step) SW_TRY(sw_cuda_batch_launch_runs(s, SW_STEP_K, step_args));
        SW_TRY(p->launch(s, &stage, l->u, step));
        SW_TRY(impose_ends(s, p, p->row[i], i + 1, step));
        if (i + 1 < p->method.count) SW_TRY(p->solve(s, l->u, p->row[i]));
        l->u = p->row[i];
    }
    p->row[last] = begin;
    return SW_OK;
}

enum sw_status sw_cuda_stages_advance(struct sw_stepper *s, int64_t from, int64_t to)
{
    for (int64_t step = from; step < to; step++) SW_TRY(step_once(s, stages_of(s), step));
    return sw_cuda_batch_mark_not_finite(s, to);
}

struct sw_cost sw_cuda_stages_cost(const struct sw_stepper *s)
{
    const struct sw_line_model *m = &s->desc.model;
    const int rows = sw_cuda_stages_rows(&stages_of(s)->method);
    struct sw_cost cost = {0, 0};
    for (int v = 0; v < sw_line_unknowns(m); v++) {
        const struct sw_program_size g = sw_program_size(m->g[v]), n = sw_program_size(m->explicit_term[v]);
        for (int i = 0; i < rows; i++) {
            cost.bytes += 8 + 8.0 * (rows - i) * (i ? 2 : 1) + 8.0 * (g.cell + n.cell);
            cost.fma += m->scheme == SW_CRANK_NICOLSON ? 12 : 0;
            if (m->g[v]) cost.fma += 4 + g.point + (rows - i);
            if (m->explicit_term[v]) cost.fma += 1 + n.point + (rows - i);
            if (sw_line_has_mass(&m->mass[v])) cost.fma += 8 + 8 * !!m->explicit_term[v] + 7 * !!m->g[v];
        }
    }
    return cost;
}
