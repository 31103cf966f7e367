#include "elliptic/elliptic_device_cuda.h"

#include <string.h>

#include "comm/sw_comm.h"
#include "cuda/cu_check.cuh"
#include "elliptic/sw_elliptic_impl.h"

/* ------------------------------------------------------------------ words of each array */

struct words { size_t area, east, north, cross, horizontal, vertical, kx, ky, kz, faces, rests, partial, cells; };

static struct words words_of(const struct sw_elliptic_desc *d)
{
    const size_t nx = (size_t)d->n[0], ny = (size_t)d->n[1], nz = (size_t)d->n[2], batch = (size_t)d->batch,
                 chunk = SW_CUDA_ELLIPTIC_CHUNK;
    struct words w = {.area = nx * ny, .east = (nx + 1) * ny, .north = nx * (ny + 1),
                      .cross = d->full ? (nx + 1) * (ny + 1) : 0, .vertical = 4 * batch * nz, .cells = nx * ny * nz};
    w.horizontal = w.area + w.east + w.north + w.cross;
    if (d->variable) w.kx = batch * w.east * nz, w.ky = batch * w.north * nz, w.kz = batch * w.area * (nz + 1);
    w.faces = w.kx + w.ky + w.kz;
    w.rests = batch * ((nz + chunk - 1) / chunk) * w.area;
    w.partial = batch * (size_t)sw_cuda_elliptic_partials(d->n[0], d->n[1], d->n[2]);
    return w;
}

static size_t numbers_of(const struct words *w, bool columns)
{
    return w->horizontal + w->vertical + w->faces + (columns ? w->rests : 0);
}

size_t elliptic_device_numbers(const struct sw_elliptic_desc *d)
{
    const struct words w = words_of(d);
    return numbers_of(&w, true);
}

void elliptic_device_make(const struct sw_elliptic_desc *d, struct sw_device *device, int vectors, int together,
                          bool columns, struct sw_owned *own, struct elliptic_device *on)
{
    const struct words w = words_of(d);
    *on = (struct elliptic_device){.device = device, .batch = d->batch, .vectors = vectors};
    sw_array_device(own, numbers_of(&w, columns), &on->numbers);
    sw_array_device(own, w.partial, &on->partial);
    sw_array_pinned(own, (size_t)d->batch, &on->sums);
    sw_array(own, w.vertical, &on->staging);
    for (int k = 0; k < vectors; k++) sw_array_device(own, (size_t)together * w.cells, &on->work[k]);
    for (int k = 0; k < 2 && d->cut.comm; k++)
        sw_array_device(own, (size_t)d->batch * (size_t)(d->n[0] * d->n[2]), &on->beside[k]);
    elliptic_ranks_make(d, own, &on->own_ranks);
    on->ranks = &on->own_ranks;
    if (!on->numbers) return;
    double *const area = on->numbers, *const east = area + w.area, *const north = east + w.east,
           *const levels = area + w.horizontal, *const faces = levels + w.vertical;
    const size_t each = w.vertical / 4;
    on->vertical = levels;
    on->rests = columns ? faces + w.faces : NULL;
    on->matrix = (struct sw_cuda_elliptic){
        .nx = d->n[0], .ny = d->n[1], .nz = d->n[2],
        .periodic_x = d->sides[0] == SW_ELLIPTIC_PERIODIC, .periodic_y = d->sides[1] == SW_ELLIPTIC_PERIODIC,
        .area = area, .east = east, .north = north, .cross = w.cross ? north + w.north : NULL,
        .a = levels, .b = levels + each, .c = levels + 2 * each, .d = levels + 3 * each,
        .kx = w.faces ? faces : NULL, .ky = w.faces ? faces + w.kx : NULL, .kz = w.faces ? faces + w.kx + w.ky : NULL};
    if (!d->cut.comm) return;
    const bool periodic = on->matrix.periodic_y;
    on->matrix.periodic_y = false;
    on->matrix.before = sw_comm_left(d->cut.comm, periodic) < 0 ? NULL : on->beside[0];
    on->matrix.behind = sw_comm_right(d->cut.comm, periodic) < 0 ? NULL : on->beside[1];
}

/* ------------------------------------------------------------------ load */

static enum sw_status upload(const struct elliptic_device *on, const double *to, const double *from, int64_t count)
{
    return sw_device_upload(on->device, (double *)to, from, (size_t)count * sizeof *from);
}

static enum sw_status load_horizontal(struct elliptic_device *on, const struct sw_elliptic_matrix *m)
{
    const int64_t nx = m->nx, ny = m->ny;
    if (on->has_horizontal) return SW_OK;
    SW_TRY(upload(on, on->matrix.area, m->area, nx * ny));
    SW_TRY(upload(on, on->matrix.east, m->east, (nx + 1) * ny));
    SW_TRY(upload(on, on->matrix.north, m->north, nx * (ny + 1)));
    if (m->cross) SW_TRY(upload(on, on->matrix.cross, m->cross, (nx + 1) * (ny + 1)));
    on->has_horizontal = true;
    return SW_OK;
}

static enum sw_status load_faces(const struct elliptic_device *on, int system, const struct sw_elliptic_faces *faces)
{
    const int64_t nx = on->matrix.nx, ny = on->matrix.ny, nz = on->matrix.nz, kx = (nx + 1) * ny * nz,
                  ky = nx * (ny + 1) * nz, kz = nx * ny * (nz + 1);
    SW_TRY(upload(on, on->matrix.kx + system * kx, faces->kx, kx));
    SW_TRY(upload(on, on->matrix.ky + system * ky, faces->ky, ky));
    return upload(on, on->matrix.kz + system * kz, faces->kz, kz);
}

enum sw_status elliptic_device_load(struct elliptic_device *on, int count, const struct sw_elliptic_matrix *matrix)
{
    const size_t nz = (size_t)on->matrix.nz, each = (size_t)on->batch * nz;
    on->matrix.systems = count;
    if (count == 0) return SW_OK;
    SW_TRY(load_horizontal(on, &matrix[0]));
    for (int s = 0; s < count; s++) {
        const double *const of[] = {matrix[s].a, matrix[s].b, matrix[s].c, matrix[s].d};
        for (size_t k = 0; k < 4; k++) memcpy(on->staging + k * each + (size_t)s * nz, of[k], nz * sizeof(double));
        if (on->matrix.kx) SW_TRY(load_faces(on, s, &matrix[s].faces));
    }
    SW_TRY(upload(on, on->vertical, on->staging, (int64_t)(4 * each)));
    return on->rests ? sw_cuda_elliptic_pivots(on->device->compute, &on->matrix, on->rests) : SW_OK;
}

struct elliptic_device elliptic_device_one(const struct elliptic_device *on, int system)
{
    struct elliptic_device one = *on;
    struct sw_cuda_elliptic *const m = &one.matrix;
    const int64_t nx = m->nx, ny = m->ny, nz = m->nz, chunk = SW_CUDA_ELLIPTIC_CHUNK;
    m->systems = 1;
    m->a += system * nz, m->b += system * nz, m->c += system * nz, m->d += system * nz;
    if (m->kx) {
        m->kx += system * (nx + 1) * ny * nz;
        m->ky += system * nx * (ny + 1) * nz;
        m->kz += system * nx * ny * (nz + 1);
    }
    if (m->before) m->before += system * nx * nz;
    if (m->behind) m->behind += system * nx * nz;
    for (int k = 0; k < 2 && one.beside[k]; k++) one.beside[k] += system * nx * nz;
    if (one.rests) one.rests += system * ((nz + chunk - 1) / chunk) * nx * ny;
    return one;
}

struct sw_cuda_elliptic_single elliptic_device_single(const struct elliptic_device *on, const float *numbers,
                                                      const float **rests)
{
    const struct sw_cuda_elliptic *m = &on->matrix;
#define AT(member) (m->member ? numbers + (m->member - on->numbers) : NULL)
    const struct sw_cuda_elliptic_single single = {
        m->nx, m->ny, m->nz, m->systems, m->periodic_x, m->periodic_y, AT(area), AT(east), AT(north), AT(cross), AT(a),
        AT(b), AT(c), AT(d), AT(kx), AT(ky), AT(kz), NULL, NULL};
#undef AT
    *rests = numbers + (on->rests - on->numbers);
    return single;
}

/* ------------------------------------------------------------------ as a space */

enum sw_status elliptic_device_fetch(const struct elliptic_device *on, const double *x)
{
    const struct sw_cuda_elliptic *m = &on->matrix;
    const size_t slab = (size_t)(m->nx * m->nz), cells = (size_t)m->ny * slab;
    for (int s = 0; on->ranks->comm && s < m->systems; s++) {
        const double *const first = x + (size_t)s * cells;
        const struct sw_comm_transfer leftward = {slab, first, on->beside[1] + (size_t)s * slab},
                                      rightward = {slab, first + cells - slab, on->beside[0] + (size_t)s * slab};
        SW_TRY(sw_comm_exchange(on->ranks->comm, on->ranks->periodic, &leftward, &rightward));
    }
    return SW_OK;
}

static enum sw_status apply(void *context, const double *x, double *y)
{
    const struct elliptic_device *on = context;
    SW_TRY(elliptic_device_fetch(on, x));
    return sw_cuda_elliptic_apply(on->device->compute, &on->matrix, x, y);
}

static enum sw_status precondition(void *context, const double *r, double *z)
{
    const struct elliptic_device *on = context;
    return sw_cuda_elliptic_columns(on->device->compute, &on->matrix, on->rests, r, z);
}

static enum sw_status combine(void *context, double alpha, const double *x, double beta, double *y)
{
    const struct elliptic_device *on = context;
    const struct sw_cuda_elliptic *m = &on->matrix;
    return sw_cuda_elliptic_combine(on->device->compute, m->nx * m->ny * m->nz * m->systems, alpha, x, beta, y);
}

/* When what is queued is done the sums have come. */
static enum sw_status fetch(const struct elliptic_device *on, double *sum)
{
    CU_TRY(cudaStreamSynchronize(on->device->compute));
    memcpy(sum, on->sums, (size_t)on->matrix.systems * sizeof *sum);
    return elliptic_ranks_sum(on->ranks, on->matrix.systems, sum);
}

static enum sw_status dot(void *context, const double *x, const double *y, double *sum)
{
    const struct elliptic_device *on = context;
    SW_TRY(sw_cuda_elliptic_dot(on->device->compute, &on->matrix, x, y, on->partial, on->sums));
    return fetch(on, sum);
}

static enum sw_status residual(void *context, const double *f, const double *u, double *r, double *rr)
{
    const struct elliptic_device *on = context;
    SW_TRY(elliptic_device_fetch(on, u));
    SW_TRY(sw_cuda_elliptic_residual(on->device->compute, &on->matrix, f, u, r, on->partial, on->sums));
    return fetch(on, rr);
}

struct elliptic_space elliptic_device_space(struct elliptic_device *on)
{
    struct elliptic_space space = {.context = on, .systems = on->matrix.systems, .apply = apply,
                                   .precondition = on->rests ? precondition : NULL, .dot = dot, .combine = combine,
                                   .residual = residual};
    for (int k = 0; k < on->vectors; k++) space.work[k] = on->work[k];
    return space;
}

enum sw_status elliptic_device_solve(struct elliptic_device *one, const struct sw_elliptic_numbers *numbers,
                                     const double *f, double *u, struct sw_elliptic_outcome *outcome, double *history,
                                     int most, elliptic_method *method, void *context)
{
    const struct elliptic_space space = elliptic_device_space(one);
    return elliptic_refine(&space, numbers, f, u, outcome, history, most, method, context);
}
