#include "problem/device/sampler.h"

#include <string.h>

#include "base/sw_mem.h"
#include "device/sw_kernels.h"

enum { BEGIN_K, SAMPLE_K, COMPARE_K };

struct sw_device_sampler {
    struct sw_device *device;
    struct sw_kernels kernels;
    int      ncolumn;
    double  *host;              /* [ncolumn] of the run                                                    */
    double  *number;            /* on the device: the columns, then what the program keeps of run and time */
    size_t   kept_run;
    double  *weight;            /* on the device: areas, then volumes; NULL: none yet                      */
    size_t   weights;           /* room there                                                              */
    struct sw_sampled *sampled; /* on the device                                                           */
    struct sw_compared *piece, *piece_there;  /* [pieces] on the host, on the device; NULL: none yet       */
    size_t   pieces;            /* room there                                                              */
};

static const struct sw_kernel_source source = {
    .label = "the GPU code of an expression at cells",
    .before = {"expr/inputs_point.h", "base/sw_hd.h", "expr/random_point.h", "field/sample_point.h"},
    .after = {"cuda/sample_rtc.cuh"},
    .kernel = {[BEGIN_K] = "begin_k", [SAMPLE_K] = "sample_k", [COMPARE_K] = "compare_k"},
};

enum sw_status sw_device_sampler_create(const struct sw_program *program, int ncolumn, struct sw_device *device,
                                        struct sw_device_sampler **sampler)
{
    enum sw_status st;
    struct sw_device_sampler *s = NULL;
    struct sw_text definitions = {0};
    const struct sw_program_size size = sw_program_size(program);
    *sampler = NULL;
    SW_TRY(sw_alloc(1, &s));
    s->device = device;
    s->ncolumn = ncolumn;
    s->kept_run = (size_t)size.run;
    sw_program_cuda_fragment(program, "VALUE", "value", &definitions);
    SW_TRY_TO(failed, st, sw_kernels_create(device, &source, &definitions, &s->kernels));
    SW_TRY_TO(failed, st, sw_alloc((size_t)ncolumn, &s->host));
    SW_TRY_TO(failed, st, sw_device_alloc(device, (size_t)(ncolumn + size.run + size.step), &s->number));
    SW_TRY_TO(failed, st, sw_device_alloc(device, 1, &s->sampled));
    *sampler = s;
    return SW_OK;
failed:
    sw_device_sampler_destroy(&s);
    return st;
}

void sw_device_sampler_destroy(struct sw_device_sampler **sampler)
{
    struct sw_device_sampler *s = sampler ? *sampler : NULL;
    if (!s) return;
    (void)sw_device_wait(s->device);
    sw_kernels_destroy(s->device, &s->kernels);
    sw_device_free(s->device, s->number);
    sw_device_free(s->device, s->weight);
    sw_device_free(s->device, s->sampled);
    sw_device_free(s->device, s->piece_there);
    sw_free(s->piece);
    sw_free(s->host);
    sw_free(s);
    *sampler = NULL;
}

static enum sw_status upload_weights(struct sw_device_sampler *s, const int64_t n[SW_DIMS], const double *area,
                                     const double *volume, struct sw_sample *run)
{
    const size_t columns = (size_t)(n[0] * n[1]), levels = (size_t)n[2];
    if (s->weights < columns + levels) {
        sw_device_free(s->device, s->weight);
        s->weight = NULL;
        s->weights = 0;
        SW_TRY(sw_device_alloc(s->device, columns + levels, &s->weight));
        s->weights = columns + levels;
    }
    run->area = s->weight;
    run->volume = s->weight + columns;
    SW_TRY(sw_device_upload(s->device, s->weight, area, columns * sizeof *area));
    return sw_device_upload(s->device, s->weight + columns, volume, levels * sizeof *volume);
}

/* Some waves of blocks. */
static int blocks_for(const struct sw_device *device, int64_t points)
{
    const int64_t all = (points + SW_SAMPLE_THREADS - 1) / SW_SAMPLE_THREADS, most = 32 * (int64_t)device->processors;
    return (int)(all < most || most == 0 ? all : most);
}

static enum sw_status take_found(struct sw_device_sampler *s, struct sw_sample_found *found)
{
    struct sw_sampled sampled;
    SW_TRY(sw_device_download(s->device, &sampled, s->sampled, sizeof sampled));
    found->bad = sampled.bad == SW_SAMPLED_FINE ? -1 : sampled.bad;
    memcpy(&found->most, &sampled.most, sizeof found->most);
    return SW_OK;
}

/* The run of a sampling; what depends on it alone is queued. */
static enum sw_status begin_run(struct sw_device_sampler *s, const struct sw_sampling *at, bool single,
                                struct sw_sample *run)
{
    *run = (struct sw_sample){.column = s->number, .single = single, .sampled = s->sampled, .lines = at->grid.lines};
    run->run = s->number + s->ncolumn;
    run->step = run->run + s->kept_run;
    for (int d = 0; d < SW_DIMS; d++) {
        run->n[d] = at->n[d];
        run->first[d] = at->grid.first[d];
        run->x0[d] = at->grid.x0[d];
        run->dx[d] = at->grid.dx[d];
        run->ddx[d] = at->grid.ddx[d];
    }
    run->line[0] = at->line[0] ? at->line[0] : at->n[0];
    run->line[1] = at->line[0] ? at->line[1] : at->n[0] * at->n[1];
    for (int c = 0; c < s->ncolumn; c++) s->host[c] = at->column[c * at->stride];
    SW_TRY(sw_device_upload(s->device, s->number, s->host, (size_t)s->ncolumn * sizeof *s->host));
    return sw_kernel_launch(s->device, s->kernels.kernel[BEGIN_K], 1, 1, 1, 0, (void *[]){run});
}

enum sw_status sw_device_sample(struct sw_device_sampler *s, const struct sw_sampling *at, bool single,
                                const double *area, const double *volume, void *out, struct sw_sample_found *found)
{
    struct sw_sample run;
    void *args[] = {&run};
    SW_TRY(begin_run(s, at, single, &run));
    run.out = out;
    if (area) SW_TRY(upload_weights(s, at->n, area, volume, &run));
    SW_TRY(sw_kernel_launch(s->device, s->kernels.kernel[SAMPLE_K], blocks_for(s->device, sw_points(at->n)), 1,
                            SW_SAMPLE_THREADS, 0, args));
    return take_found(s, found);
}

/* ------------------------------------------------------------------ a field beside the values */

static enum sw_status make_room(struct sw_device_sampler *s, size_t pieces)
{
    if (pieces <= s->pieces) return SW_OK;
    sw_device_free(s->device, s->piece_there);
    sw_free(s->piece);
    s->piece_there = s->piece = NULL;
    s->pieces = 0;
    SW_TRY(sw_alloc(pieces, &s->piece));
    SW_TRY(sw_device_alloc(s->device, pieces, &s->piece_there));
    s->pieces = pieces;
    return SW_OK;
}

static struct sw_compared add_pieces(const struct sw_compared *piece, size_t count)
{
    if (count == 1) return piece[0];
    struct sw_compared a = add_pieces(piece, count / 2);
    const struct sw_compared b = add_pieces(piece + count / 2, count - count / 2);
    a.difference += b.difference;
    a.exact += b.exact;
    a.largest = b.largest <= a.largest ? a.largest : b.largest;
    a.interior = b.interior <= a.interior ? a.interior : b.interior;
    if (a.bad < 0) a.bad = b.bad;
    return a;
}

enum sw_status sw_device_compare(struct sw_device_sampler *s, const struct sw_sampling *exact,
                                 const struct sw_interior *interior, bool single, void *u, bool keep,
                                 struct sw_difference *difference)
{
    const int64_t points = sw_points(exact->n), pieces = (points + SW_COMPARED_POINTS - 1) / SW_COMPARED_POINTS;
    struct sw_sample run;
    SW_TRY(make_room(s, (size_t)pieces));
    SW_TRY(begin_run(s, exact, single, &run));
    struct sw_compare_field field = {.u = u, .keep = keep, .piece = s->piece_there};
    for (int d = 0; d < SW_DIMS; d++) {
        field.inner_first[d] = interior->first[d];
        field.inner_last[d] = interior->last[d];
    }
    SW_TRY(sw_kernel_launch(s->device, s->kernels.kernel[COMPARE_K], (int)pieces, 1, SW_SAMPLE_THREADS, 0,
                            (void *[]){&run, &field}));
    SW_TRY(sw_device_download(s->device, s->piece, s->piece_there, (size_t)pieces * sizeof *s->piece));
    const struct sw_compared all = add_pieces(s->piece, (size_t)pieces);
    difference->sums = (struct sw_norm_sums){all.difference, all.exact, all.largest};
    difference->norms = sw_norms_from_sums(&difference->sums, points);
    difference->norms.interior = all.interior;
    difference->bad = all.bad;
    return SW_OK;
}
