#include "problem/line/cuda/batch_cuda.h"

#include "cuda/cu_check.cuh"
#include "field/dft.h"
#include "field/sum_point.h"
#include "problem/line/stepper/scalars_point.h"

/* Numbers a run in `coefficient`. */
enum { DT, DX, X0, NOISE, COEFFICIENTS };

static struct sw_cuda_batch *cuda_batch(const struct sw_stepper *s) { return s->own; }

static size_t batch_size(const struct sw_stepper *s) { return (size_t)s->count * sw_stepper_line(&s->desc); }

static size_t operators(const struct sw_stepper_desc *d)
{
    return (size_t)sw_line_unknowns(&d->model) * (size_t)d->capacity;
}

/* Of a field snapshotted. */
static size_t number_size(const struct sw_stepper_desc *d) { return d->single ? sizeof(float) : sizeof(double); }

/* ------------------------------------------------------------------ the spectrum of lines, for their scalars */

/* While a run is measured, each point of its transforms needs 4 numbers: they lie in shared memory if they fit beside
 * what else is there. */
static bool is_short(int length) { return 4 * (size_t)length * sizeof(double) <= 47 * 1024; }

/* Runs measured at once: 1024 blocks fill any device; where lines are long, no more than need 256 MiB. */
static int measured_at_once(int length)
{
    size_t blocks = ((size_t)1 << 25) / (4 * (size_t)length);
    return blocks < 1 ? 1 : blocks > 1024 ? 1024 : (int)blocks;
}

static size_t scratch_of(int length)
{
    return is_short(length) ? 0 : (size_t)measured_at_once(length) * 4 * (size_t)length;
}

static int circle_of(int n, bool ended) { return ended ? 2 * (n - 1) : n; }

static size_t spectrum_bytes(int n, bool ended)
{
    const int circle = circle_of(n, ended);
    return (scratch_of(sw_spectrum_length(circle)) + sw_dft_numbers(circle)) * sizeof(double);
}

/* The tables of struct sw_dft on the device, and where each of them begins. */
static enum sw_status upload_tables(struct sw_stepper *s, int n, struct sw_cuda_spectrum *p)
{
    struct sw_dft d;
    enum sw_status st;
    SW_TRY_TO(out, st, sw_dft_create(n, &d));
    sw_array_device(&s->arrays, sw_dft_numbers(n), &p->table);
    SW_TRY_TO(out, st, s->arrays.status);
    p->cosine = p->table;
    p->sine = p->table + (d.sine - d.table);
    if (d.chirp_re) {
        p->chirp_re = p->table + (d.chirp_re - d.table);
        p->chirp_im = p->table + (d.chirp_im - d.table);
        p->filter_re = p->table + (d.filter_re - d.table);
        p->filter_im = p->table + (d.filter_im - d.table);
    }
    st = sw_device_upload(s->device, p->table, d.table, sw_dft_numbers(n) * sizeof *d.table);
out:
    sw_dft_destroy(&d);
    return st;
}

/* Tables and workspace for lines of n points, which end or do not. */
static enum sw_status create_spectrum(struct sw_stepper *s, int n, bool ended, struct sw_cuda_spectrum *p)
{
    _Static_assert(sizeof p->radix == SW_MAX_PASSES * sizeof *p->radix, "room for all passes");
    p->ended = ended;
    p->circle = circle_of(n, ended);
    p->length = sw_spectrum_length(p->circle);
    p->passes = sw_spectrum_passes(p->length, p->radix);
    p->blocks = measured_at_once(p->length);
    if (!is_short(p->length)) sw_array_device(&s->arrays, scratch_of(p->length), &p->scratch);
    return upload_tables(s, p->circle, p);
}

/* ------------------------------------------------------------------ memory */

void sw_cuda_batch_bytes(const struct sw_stepper_desc *d, size_t *fixed, size_t *per_run)
{
    size_t numbers = COEFFICIENTS + (size_t)d->model.nparam + SW_LINE_SCALARS;
    *fixed = spectrum_bytes(d->n, sw_line_ended(&d->model));
    *per_run = numbers * sizeof(double) + 2 * sizeof(int) + sizeof(long long) +
               (size_t)sw_line_unknowns(&d->model) * sizeof(struct sw_line_operator);
}

static void list_arrays(struct sw_stepper *s, struct sw_cuda_batch *p)
{
    struct sw_owned *own = &s->arrays;
    const size_t room = (size_t)s->desc.capacity;
    sw_array_device(own, COEFFICIENTS * room, &p->coefficient);
    sw_array_device(own, (size_t)s->desc.model.nparam * room, &p->param);
    sw_array_device(own, operators(&s->desc), &p->a);
    sw_array_device(own, room, &p->load_error);
    sw_array_device(own, (size_t)p->kept.run * room, &p->view.run);
    sw_array_device(own, room, &p->view.first_bad);
    sw_array(own, COEFFICIENTS * room, &p->host);
    sw_array(own, operators(&s->desc), &p->host_a);
    sw_array(own, room, &p->bad);
    if (s->desc.paces) sw_array(own, room, &p->noise);
}

enum sw_status sw_cuda_batch_create(struct sw_stepper *s, bool line_by_line)
{
    const struct sw_stepper_desc *d = &s->desc;
    struct sw_cuda_batch *p = cuda_batch(s);
    p->kept = sw_line_kept(&d->model);
    p->view.n = d->n;
    p->view.ld = d->capacity;
    p->view.unknowns = sw_line_unknowns(&d->model);
    p->view.point = line_by_line ? 1 : d->capacity;
    p->view.unknown = (size_t)d->n * (size_t)p->view.point;
    p->view.line = line_by_line ? sw_stepper_line(d) : 1;
    p->view.cells = p->kept.cell;
    p->view.theta = d->model.scheme == SW_CRANK_NICOLSON ? 0.5 : 1.0;
    SW_TRY(sw_line_kernels_create(s->device, &d->model, line_by_line, &p->kernels));
    list_arrays(s, p);
    SW_TRY(create_spectrum(s, d->n, sw_line_ended(&d->model), &p->spectrum));
    return sw_snapshots_create(s->device, sw_stepper_vector(d) * number_size(d),
                               (size_t)d->capacity * SW_LINE_SCALARS * sizeof(double), &p->snapshots);
}

void sw_cuda_batch_lend_staging(struct sw_cuda_batch *p, double *staging)
{
    p->staging = staging;
    sw_snapshots_lend(p->snapshots, staging);
}

void sw_cuda_batch_destroy(struct sw_stepper *s)
{
    struct sw_cuda_batch *p = cuda_batch(s);
    (void)sw_device_wait(s->device);
    sw_snapshots_destroy(&p->snapshots);
    sw_kernels_destroy(s->device, &p->kernels);
}

/* ------------------------------------------------------------------ launches */

/* A small batch is spread over more multiprocessors by smaller blocks. No bit depends on this. */
static int threads_for(int count) { return count < 4096 ? 32 : 128; }

static int ceil_div(size_t a, size_t b) { return (int)((a + b - 1) / b); }

enum sw_status sw_cuda_batch_launch_runs(struct sw_stepper *s, enum sw_line_kernel kernel, void **args)
{
    int threads = threads_for(s->count), blocks = ceil_div((size_t)s->count, (size_t)threads);
    return sw_kernel_launch(s->device, cuda_batch(s)->kernels.kernel[kernel], blocks, 1, threads, 0, args);
}

/* The y grid ends at 65535; the kernels go on in steps of it. */
enum sw_status sw_cuda_batch_launch_points(struct sw_stepper *s, enum sw_line_kernel kernel, int rows, void **args)
{
    int threads = threads_for(s->count), x = ceil_div((size_t)s->count, (size_t)threads);
    int y = ceil_div((size_t)s->desc.n, (size_t)rows);
    return sw_kernel_launch(s->device, cuda_batch(s)->kernels.kernel[kernel], x, y < 32768 ? y : 32768, threads, 0,
                            args);
}

enum sw_status sw_cuda_batch_launch_lines(struct sw_stepper *s, enum sw_line_kernel kernel, void **args)
{
    const int threads = 128, x = ceil_div((size_t)s->desc.n, (size_t)threads), y = s->count < 32768 ? s->count : 32768;
    return sw_kernel_launch(s->device, cuda_batch(s)->kernels.kernel[kernel], x, y, threads, 0, args);
}

enum sw_status sw_cuda_batch_mark_not_finite(struct sw_stepper *s, long long mark)
{
    struct sw_cuda_batch *p = cuda_batch(s);
    int rows = SW_LINE_ROWS;
    void *args[] = {&p->view, &p->u, &mark, &rows};
    return sw_cuda_batch_launch_points(s, SW_CHECK_K, rows, args);
}

/* ------------------------------------------------------------------ load */

static enum sw_status upload_coefficients(struct sw_stepper *s, struct sw_cuda_batch *p)
{
    size_t count = (size_t)s->count;
    struct sw_line_batch *b = &p->view;
    for (size_t j = 0; j < count; j++) {
        const struct sw_line_run *r = &s->run[j];
        const struct sw_line_operator a = sw_line_matrix_of(&r->a[0], &s->desc.model.mass[0]);
        const double noise = sw_stepper_rounding(s->name, &a, s->desc.single_steps);
        const double value[COEFFICIENTS] = {[DT] = r->dt, [DX] = r->dx, [X0] = r->x0, [NOISE] = noise};
        for (int k = 0; k < COEFFICIENTS; k++) p->host[(size_t)k * count + j] = value[k];
        for (int v = 0; v < b->unknowns; v++) p->host_a[(size_t)v * count + j] = r->a[v];
    }
    b->count = s->count;
    b->dt = p->coefficient + DT * count;
    b->dx = p->coefficient + DX * count;
    b->x0 = p->coefficient + X0 * count;
    b->a = p->a;
    b->noise = p->coefficient + NOISE * count;
    b->param = p->param;
    b->load_error = p->load_error;
    SW_TRY(sw_device_upload(s->device, p->coefficient, p->host, COEFFICIENTS * count * sizeof *p->host));
    SW_TRY(sw_device_upload(s->device, p->a, p->host_a, (size_t)b->unknowns * count * sizeof *p->host_a));
    return sw_device_upload(s->device, p->param, s->param, (size_t)s->desc.model.nparam * count * sizeof *s->param);
}

double *sw_cuda_batch_noise(const struct sw_cuda_batch *p)
{
    return p->coefficient + (size_t)NOISE * (size_t)p->view.count;
}

enum sw_status sw_cuda_batch_mark_faulty(struct sw_stepper *s, const char *const *load_error)
{
    struct sw_cuda_batch *p = cuda_batch(s);
    for (int j = 0; j < s->count; j++) p->bad[j] = load_error[j] != NULL;
    SW_TRY(sw_device_upload(s->device, p->load_error, p->bad, (size_t)s->count * sizeof *p->bad));
    return sw_cuda_line_reset(s->device->compute, &p->view);
}

enum sw_status sw_cuda_batch_load(struct sw_stepper *s, const char *const *load_error)
{
    struct sw_cuda_batch *p = cuda_batch(s);
    void *args[] = {&p->view};
    SW_TRY(sw_device_wait(s->device));  /* a snapshot may still be on its way out of the device */
    SW_TRY(upload_coefficients(s, p));
    SW_TRY(sw_cuda_batch_mark_faulty(s, load_error));
    return p->kept.run ? sw_cuda_batch_launch_runs(s, SW_RUN_K, args) : SW_OK;
}

/* ------------------------------------------------------------------ the state */

enum sw_status sw_cuda_batch_initial(struct sw_sim *sim)
{
    struct sw_stepper *s = sw_stepper_of(sim);
    struct sw_cuda_batch *p = cuda_batch(s);
    void *args[] = {&p->view, &p->u};
    sw_stepper_restart(s);
    CU_TRY(cudaSetDevice(s->device->index));
    SW_TRY(sw_cuda_line_reset(s->device->compute, &p->view));
    SW_TRY(sw_cuda_batch_launch_points(s, SW_INITIAL_K, 1, args));
    return sw_cuda_batch_mark_not_finite(s, 0);
}

/* Where the field does not lie line by line, it comes and goes through the buffer for snapshots. */
enum sw_status sw_cuda_batch_set_state(struct sw_sim *sim, const double *u)
{
    struct sw_stepper *s = sw_stepper_of(sim);
    struct sw_cuda_batch *p = cuda_batch(s);
    bool line_by_line = p->view.point == 1;
    double *lines = line_by_line ? p->u : p->staging;
    sw_stepper_restart(s);
    SW_TRY(sw_snapshots_wait(p->snapshots));
    SW_TRY(sw_device_upload(s->device, lines, u, batch_size(s) * sizeof *u));
    SW_TRY(sw_cuda_line_reset(s->device->compute, &p->view));
    if (!line_by_line) SW_TRY(sw_cuda_from_lines(s->device->compute, &p->view, lines, p->u));
    SW_TRY(sw_cuda_batch_mark_not_finite(s, SW_LINE_NOT_FINITE));
    return sw_device_wait(s->device);
}

/* The field line by line, in the buffer for snapshots. */
static enum sw_status stage_lines(struct sw_stepper *s)
{
    struct sw_cuda_batch *p = cuda_batch(s);
    SW_TRY(sw_snapshots_wait(p->snapshots));
    return sw_cuda_to_lines(s->device->compute, &p->view, p->u, SW_LINES_OF_RUNS, false, p->staging);
}

enum sw_status sw_cuda_batch_get_state(struct sw_sim *sim, double *u)
{
    struct sw_stepper *s = sw_stepper_of(sim);
    SW_TRY(stage_lines(s));
    return sw_device_download(s->device, u, cuda_batch(s)->staging, batch_size(s) * sizeof *u);
}

enum sw_status sw_cuda_batch_get_states(struct sw_sim *sim, int count, const int *which, double *u)
{
    struct sw_stepper *s = sw_stepper_of(sim);
    const size_t size = sw_stepper_line(&s->desc);
    SW_TRY(stage_lines(s));
    return sw_device_download_some(s->device, u, cuda_batch(s)->staging, size * sizeof *u, count, which);
}

bool sw_cuda_batch_device_state(const struct sw_sim *sim, struct sw_device_state *state)
{
    const struct sw_cuda_batch *p = cuda_batch(sw_stepper_of(sim));
    *state = (struct sw_device_state){.field = p->u, .point = (size_t)p->view.point, .unknown = p->view.unknown,
                                      .run = p->view.line, .first_bad = p->view.first_bad};
    return true;
}

enum sw_status sw_cuda_batch_diverged(struct sw_sim *sim, int64_t *step)
{
    struct sw_stepper *s = sw_stepper_of(sim);
    const struct sw_cuda_batch *p = cuda_batch(s);
    _Static_assert(sizeof *step == sizeof *p->view.first_bad, "both have 64 bits");
    SW_TRY(sw_device_download(s->device, step, p->view.first_bad, (size_t)s->count * sizeof *step));
    for (int j = 0; j < s->count; j++)
        if (step[j] == SW_LINE_NOT_FINITE) step[j] = -1;
    return SW_OK;
}

/* ------------------------------------------------------------------ snapshots */

/* What rounding does to a field over the steps that each run has taken. */
static enum sw_status set_noise_of_paces(struct sw_stepper *s, struct sw_cuda_batch *p)
{
    const double *of_step = p->host + (size_t)NOISE * (size_t)s->count;
    for (int j = 0; j < s->count; j++)
        p->noise[j] = of_step[j] * sw_measure_noise_growth((double)sw_stepper_step(s, j, s->step));
    return sw_device_upload(s->device, sw_cuda_batch_noise(p), p->noise, (size_t)s->count * sizeof *p->noise);
}

/* @param scalars  [capacity][SW_LINE_SCALARS] on the device */
static enum sw_status measure(struct sw_stepper *s, struct sw_cuda_batch *p, double *scalars)
{
    void *args[] = {&p->view, &p->u, &scalars};
    if (s->desc.paces) SW_TRY(set_noise_of_paces(s, p));
    p->spectrum.noise_growth = s->desc.own_steps || s->desc.paces ? 1.0 : sw_measure_noise_growth((double)s->step);
    SW_TRY(sw_cuda_line_measure(s->device->compute, &p->view, &p->spectrum, p->u, p->measured, scalars));
    if (p->measured || !s->desc.model.energy) return SW_OK;
    return sw_kernel_launch(s->device, p->kernels.kernel[SW_ENERGY_K], s->count, 1, SW_SUM_LANES, 0, args);
}

enum sw_status sw_cuda_batch_snapshot(struct sw_sim *sim, int slot, int what)
{
    struct sw_stepper *s = sw_stepper_of(sim);
    struct sw_cuda_batch *p = cuda_batch(s);
    void *field;
    double *scalars;
    SW_TRY(sw_snapshots_begin(p->snapshots, slot, what, &field, &scalars));
    if (field)
        SW_TRY(sw_cuda_to_lines(s->device->compute, &p->view, p->u, SW_LINES_OF_UNKNOWNS, s->desc.single, field));
    if (scalars) SW_TRY(measure(s, p, scalars));
    return sw_snapshots_send(p->snapshots, batch_size(s) * number_size(&s->desc),
                             (size_t)s->count * SW_LINE_SCALARS * sizeof(double));
}

enum sw_status sw_cuda_batch_fetch(struct sw_sim *sim, int slot, const void **field, const double **scalars)
{
    return sw_snapshots_fetch(cuda_batch(sw_stepper_of(sim))->snapshots, slot, field, scalars);
}

static const struct sw_state_ops states = {
    .initial = sw_cuda_batch_initial, .set = sw_cuda_batch_set_state, .get = sw_cuda_batch_get_state,
    .get_some = sw_cuda_batch_get_states, .on_device = sw_cuda_batch_device_state};
const struct sw_sim_ops sw_cuda_batch_operations = {
    .snapshot = sw_cuda_batch_snapshot, .fetch = sw_cuda_batch_fetch, .diverged = sw_cuda_batch_diverged,
    .states = &states};
