/* The lines of a batch on a CUDA device, one stage of one step at a time (stages_cuda.h), with cuFFT for the solves: a
 * transform of all lines, a division by the symbol of A, a transform back. It is what one writes who has the library
 * and no band solver, and a peer of the rows that have one: the matrix is the same, by its symbol, and so is what is
 * explicit, by differences, so that the results agree to rounding. A pseudo-spectral step has (i k)^m in place of these
 * symbols, and transforms besides for derivatives within N: it is no faster than this.
 *
 * Lines have an even number of points and lie one after another. The plans are for as many lines as the batch has. */
#include <math.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "linalg/libraries/cufft_cuda.h"
#include "problem/line/cuda/stages_cuda.h"

struct cufft {
    struct sw_cuda_stages stages;    /* first: stages_cuda.h works on it            */
    struct sw_cufft      *fft;
    int64_t               lines;     /* of the plans                                */
    double               *spectrum;  /* [lines][n/2 + 1] complex                    */
    double               *waves;     /* [n/2 + 1][2]: struct sw_cuda_division       */
};

/* cuFFT transforms lines of odd length two by two, as the parts of complex ones: each then has errors of its
 * neighbour's size, and a line that is not finite spoils the other. */
static bool cufft_fits(const struct sw_stepper_desc *desc, int sm)
{
    (void)sm;
    return !desc->single_steps && desc->n % 2 == 0;
}

/* ------------------------------------------------------------------ memory */

/* The library's work space is as large as the spectrum, for each of two plans; more where n has large prime factors. */
static void cufft_bytes(const struct sw_stepper_desc *d, const char *band, size_t *fixed, size_t *per_run)
{
    const size_t spectrum = sw_cufft_spectrum(d->n);
    (void)band;
    sw_cuda_stages_bytes(d, fixed, per_run);
    *fixed += spectrum * sizeof(double);
    *per_run += (sw_cuda_stages_size(d) + 3 * (size_t)sw_line_unknowns(&d->model) * spectrum) * sizeof(double);
}

/* 2 - 2 cos and sin of each wave. */
static enum sw_status make_waves(struct sw_stepper *s, struct cufft *p)
{
    const long double pi = 3.14159265358979323846264338327950288L;
    const int n = s->desc.n;
    const size_t size = sw_cufft_spectrum(n);
    double *wave = NULL;
    enum sw_status st;
    sw_array_device(&s->arrays, size, &p->waves);
    SW_TRY(s->arrays.status);
    SW_TRY(sw_alloc(size, &wave));
    for (int k = 0; k <= n / 2; k++) {
        const long double half = sinl(pi * k / n);
        wave[2 * k] = (double)(4.0L * half * half);
        wave[2 * k + 1] = 2 * k == n ? 0.0 : (double)sinl(2.0L * pi * k / n);
    }
    st = sw_device_upload(s->device, p->waves, wave, size * sizeof *wave);
    sw_free(wave);
    return st;
}

/* ------------------------------------------------------------------ steps */

static enum sw_status launch(struct sw_stepper *s, struct sw_line_stage *stage, double *u, long long step)
{
    const struct cufft *p = s->own;
    struct sw_line_batch view = p->stages.batch.view;
    void *args[] = {&view, stage, &u, &step};
    return sw_cuda_batch_launch_lines(s, SW_STAGE_K, args);
}

static enum sw_status solve(struct sw_stepper *s, const double *u, double *f)
{
    const struct cufft *p = s->own;
    SW_TRY(sw_cufft_forward(p->fft, f, p->spectrum));
    SW_TRY(sw_cuda_line_divide(s->device->compute, &p->stages.batch.view, p->waves, p->spectrum));
    SW_TRY(sw_cufft_backward(p->fft, p->spectrum, f));
    if (p->stages.method.left == 0.0) return SW_OK;
    return sw_cuda_line_subtract(s->device->compute, &p->stages.batch.view, u, f);
}

/* A transform of n numbers is off by some 7 u log2(n) of their root mean square at most (N. Higham, Accuracy and
 * Stability of Numerical Algorithms, 2002, theorem 24.2), here for n up to 2^20, and there are two. What is transformed
 * is as large as A times the solution, and divided by no less than the least value of A's symbol. */
static double cufft_rounding(const struct sw_line_operator *a)
{
    const double transform = 7.0 * 20.0 * 0x1p-53;
    return 2.0 * transform * sw_line_condition(a);
}

/* ------------------------------------------------------------------ create, destroy, load */

static enum sw_status make_plans(struct sw_stepper *s, int64_t lines)
{
    struct cufft *p = s->own;
    const int64_t n = s->desc.n;
    p->lines = 0;
    sw_cufft_destroy(&p->fft);
    SW_TRY(sw_cufft_create(1, &n, lines, s->device, s->ops->name, "cuda.split", &p->fft));
    p->lines = lines;
    return SW_OK;
}

/* Crank-Nicolson has 2 u on the right-hand side here, as in imex.h, not (2 - A) u. */
static enum sw_status cufft_create(struct sw_stepper *s, const char *band)
{
    const size_t lines = (size_t)s->desc.capacity * (size_t)sw_line_unknowns(&s->desc.model);
    struct cufft *p = s->own;
    if (band)
        return SW_FAIL(SW_E_CONFIG, "band solver %s: there is no such row: cuda.cufft takes no band solver", band);
    p->stages.launch = launch;
    p->stages.solve = solve;
    SW_TRY(sw_cuda_stages_create(s, 0, true));
    p->stages.batch.view.theta = 1.0;
    sw_array_device(&s->arrays, lines * sw_cufft_spectrum(s->desc.n), &p->spectrum);
    SW_TRY(make_waves(s, p));
    return make_plans(s, (int64_t)lines);
}

static void cufft_destroy(struct sw_stepper *s)
{
    struct cufft *p = s->own;
    sw_cuda_batch_destroy(s);  /* waits for what is queued */
    sw_cufft_destroy(&p->fft);
}

static enum sw_status cufft_load(struct sw_stepper *s, const char **load_error)
{
    struct cufft *p = s->own;
    const int64_t lines = (int64_t)s->count * sw_line_unknowns(&s->desc.model);
    SW_TRY(sw_cuda_batch_load(s, load_error));  /* waits for what is queued */
    if (lines != p->lines) SW_TRY(make_plans(s, lines));
    return sw_cuda_stages_begin(s);
}

/* A solve: each transform reads and writes a field and its spectrum once, if it goes through memory once; the division
 * reads and writes the spectrum. What the transforms compute is not counted. */
static struct sw_cost cufft_cost(const struct sw_stepper *s, int64_t steps)
{
    const struct cufft *p = s->own;
    struct sw_cost cost = sw_cuda_stages_cost(s);
    (void)steps;
    cost.bytes += 48.0 * (p->stages.method.count - 1) * sw_line_unknowns(&s->desc.model);
    cost.fma = NAN;
    return cost;
}

extern const struct sw_stepper_ops stepper_cufft_cuda;
const struct sw_stepper_ops stepper_cufft_cuda = {
    .name = "cuda.cufft",
    .about = "a kernel for the stencils and expressions, then transforms by cuFFT: a peer to compare with",
    .space = SW_DEVICE,
    .takes = SW_LINE_ALL,
    .fits = cufft_fits,
    .misfit = "it takes lines of an even number of points only",
    .bytes = cufft_bytes,
    .own_size = sizeof(struct cufft),
    .create = cufft_create,
    .load = cufft_load,
    .advance = sw_cuda_stages_advance,
    .destroy = cufft_destroy,
    .sim = &sw_cuda_batch_operations,
    .rounding = cufft_rounding,
    .cost = cufft_cost,
};
