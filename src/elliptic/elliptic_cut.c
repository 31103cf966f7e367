#include "elliptic/elliptic_cut.h"

#include <string.h>

#include "comm/sw_comm.h"
#include "device/sw_device.h"

/* ------------------------------------------------------------------ plan */

void elliptic_cut_begin(const struct sw_elliptic_desc *d, struct sw_device *device, struct elliptic_cut *c)
{
    *c = (struct elliptic_cut){.comm = d->cut.comm, .device = device, .desc = *d,
                               .periodic = d->sides[1] == SW_ELLIPTIC_PERIODIC};
    c->desc.n[1] = sw_elliptic_whole(d);
    c->desc.cut = (struct sw_elliptic_cut){NULL};
    c->desc.variable = d->variable && !c->comm;  /* slabs have their own faces then */
}

void elliptic_cut_own(const struct sw_elliptic_desc *d, const struct elliptic_grids *grids, int which,
                      struct elliptic_cut *c)
{
    const struct elliptic_axis *finer = which ? &grids->grid[which - 1].axis[1] : NULL;
    struct elliptic_slabs *s = &c->slabs[which];
    s->first = which ? elliptic_coarse_begin(finer, s[-1].first) : d->cut.first;
    s->behind = which ? elliptic_coarse_begin(finer, s[-1].behind) : d->cut.first + d->n[1];
}

/* Coefficients at the faces of so many slabs, from slab `from` on. */
static void make_faces(const struct sw_elliptic_desc *d, const int64_t n[2], int64_t from, int64_t slabs,
                       struct sw_owned *own, struct sw_elliptic_faces *k)
{
    const int64_t x = d->n[2] * (n[0] + 1), y = d->n[2] * n[0], z = (d->n[2] + 1) * n[0];
    double *kx = NULL, *ky = NULL, *kz = NULL;
    sw_array(own, (size_t)(slabs * x), &kx);
    sw_array(own, (size_t)((slabs + 1) * y), &ky);
    sw_array(own, (size_t)(slabs * z), &kz);
    if (kx && ky && kz) *k = (struct sw_elliptic_faces){kx - from * x, ky - from * y, kz - from * z};
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

void elliptic_cut_make(const struct sw_elliptic_desc *d, struct sw_owned *own, struct elliptic_cut *c)
{
    int64_t n[2], least;
    const size_t ranks = (size_t)c->comm->size;
    size_t travel = 0;
    for (int g = 0; elliptic_grid_size(&c->desc, g, n); g++) {
        struct elliptic_slabs *s = &c->slabs[g];
        const bool cut = g < c->count;
        const size_t face = (size_t)(n[0] + 1) * (size_t)(d->n[2] + 1);  /* of a slab: faces are most */
        if (d->variable && cut)
            make_faces(d, n, s->first - s->depth, s->behind - s->first + 2 * s->depth, own, &s->faces);
        if (d->variable && !cut) make_faces(d, n, 0, n[1], own, &s->faces);
        if (cut) travel = larger(travel, 4 * (size_t)s->depth * face);
        if (g != c->count) continue;
        elliptic_rank_slabs(&c->desc, g, c->comm->size, &least, &c->most);
        const size_t room = (size_t)(c->most + 1) * face;
        sw_array(own, room, &c->sent);
        sw_array(own, ranks * room, &c->gathered);
        sw_array(own, ranks + 1, &c->begin);
        travel = larger(travel, (ranks + 1) * room);
    }
    if (d->variable && sw_comm_space(c->comm) == SW_DEVICE) sw_array_device(own, travel, &c->on_device);
}

/* ------------------------------------------------------------------ slabs of other ranks */

static enum sw_status upload(const struct elliptic_cut *c, double *to, const double *from, size_t count)
{
    return sw_device_upload(c->device, to, from, count * sizeof *to);
}

static enum sw_status download(const struct elliptic_cut *c, double *to, const double *from, size_t count)
{
    return sw_device_download(c->device, to, from, count * sizeof *to);
}

static enum sw_status exchange(const struct elliptic_cut *c, const struct sw_comm_transfer *leftward,
                               const struct sw_comm_transfer *rightward)
{
    const size_t count = leftward->count;
    double *const at = c->on_device;
    if (sw_comm_space(c->comm) == SW_HOST) return sw_comm_exchange(c->comm, c->periodic, leftward, rightward);
    const struct sw_comm_transfer left = {count, at, at + count},
                                  right = {count, at + 2 * count, at + 3 * count};
    SW_TRY(upload(c, at, leftward->send, count));
    SW_TRY(upload(c, at + 2 * count, rightward->send, count));
    SW_TRY(sw_comm_exchange(c->comm, c->periodic, &left, &right));
    if (sw_comm_right(c->comm, c->periodic) >= 0) SW_TRY(download(c, leftward->receive, left.receive, count));
    if (sw_comm_left(c->comm, c->periodic) >= 0) SW_TRY(download(c, rightward->receive, right.receive, count));
    return SW_OK;
}

static enum sw_status gather_sent(const struct elliptic_cut *c, size_t each)
{
    double *const at = c->on_device;
    if (sw_comm_space(c->comm) == SW_HOST) return sw_comm_gather(c->comm, each, c->sent, c->gathered);
    SW_TRY(upload(c, at, c->sent, each));
    SW_TRY(sw_comm_gather(c->comm, each, at, at + each));
    return download(c, c->gathered, at + each, each * (size_t)c->comm->size);
}

enum sw_status elliptic_cut_fetch(const struct elliptic_cut *c, int which, int64_t slab, int past, double *array)
{
    const struct elliptic_slabs *s = &c->slabs[which];
    const size_t count = (size_t)(s->depth * slab);
    const struct sw_comm_transfer leftward = {count, array + (s->first + past) * slab,
                                              array + (s->behind + past) * slab},
                                  rightward = {count, array + (s->behind - s->depth) * slab,
                                               array + (s->first - s->depth) * slab};
    return exchange(c, &leftward, &rightward);
}

enum sw_status elliptic_cut_gather(const struct elliptic_cut *c, int64_t slab, int past, double *array)
{
    const size_t each = (size_t)((c->most + past) * slab);
    SW_TRY(gather_sent(c, each));
    for (int k = 0; k < c->comm->size; k++) {
        const int64_t there = c->begin[k + 1] - c->begin[k], count = there < c->most ? there : c->most;
        memcpy(array + c->begin[k] * slab, c->gathered + (size_t)k * each,
               (size_t)((count + past) * slab) * sizeof *array);
    }
    return SW_OK;
}

/* ------------------------------------------------------------------ load */

/* Slabs of an array of a grid, into one that holds more. */
static void copy_slabs(const double *from, const struct elliptic_slabs *s, int64_t slab, int past, double *to)
{
    memcpy(to, from, (size_t)((s->behind - s->first + past) * slab) * sizeof *to);
}

/* Of coefficients at the faces of a grid those of this rank are there: those of others, too. */
static enum sw_status complete_faces(const struct elliptic_cut *c, const struct sw_elliptic_matrix *m, int which)
{
    const struct elliptic_slabs *s = &c->slabs[which];
    const int64_t nx = m->nx, nz = m->nz, slab[3] = {nz * (nx + 1), nz * nx, (nz + 1) * nx};
    double *const k[3] = {(double *)s->faces.kx, (double *)s->faces.ky, (double *)s->faces.kz};
    for (int a = 0; a < 3 && k[0] && which <= c->count; a++) {
        if (which < c->count) {
            SW_TRY(elliptic_cut_fetch(c, which, slab[a], a == 1, k[a]));
            continue;
        }
        copy_slabs(k[a] + s->first * slab[a], s, slab[a], a == 1, c->sent);
        SW_TRY(elliptic_cut_gather(c, slab[a], a == 1, k[a]));
    }
    return SW_OK;
}

/* The weights of the whole grid. In a trial (sw_comm_trial()) all ranks seem to begin with the slabs of this one, and
 * the last one to have more than `most`. */
static enum sw_status load_whole(struct elliptic_cut *c, const struct elliptic_grids *grids,
                                 const struct sw_elliptic_numbers *numbers)
{
    struct sw_elliptic_matrix made;
    double first[SW_COMM_MOST];
    SW_TRY(sw_elliptic_matrix_make(&c->desc, numbers, NULL, c->whole.area ? &c->whole : NULL, &made));
    sw_elliptic_matrix_free(&c->whole);
    c->whole = made;
    if (!c->begin || c->begin[c->comm->size]) return SW_OK;
    SW_TRY(sw_comm_gather_one(c->comm, (double)c->slabs[c->count].first, first));
    for (int k = 0; k < c->comm->size; k++) c->begin[k] = (int64_t)first[k];
    c->begin[c->comm->size] = grids->grid[c->count].axis[1].n;
    return SW_OK;
}

enum sw_status elliptic_cut_load(struct elliptic_cut *c, struct elliptic_grids *grids,
                                 const struct sw_elliptic_numbers *numbers, const struct sw_elliptic_matrix *own,
                                 int threads)
{
    const struct elliptic_slabs *s = &c->slabs[0];
    const int64_t nx = own->nx, nz = own->nz;
    SW_TRY(load_whole(c, grids, numbers));
    elliptic_grids_begin(grids, &c->whole);
    for (int g = 0; g < grids->planned; g++) grids->grid[g].matrix.faces = c->slabs[g].faces;
    if (own->faces.kx) {
        copy_slabs(own->faces.kx, s, nz * (nx + 1), 0, (double *)s->faces.kx + s->first * nz * (nx + 1));
        copy_slabs(own->faces.ky, s, nz * nx, 1, (double *)s->faces.ky + s->first * nz * nx);
        copy_slabs(own->faces.kz, s, (nz + 1) * nx, 0, (double *)s->faces.kz + s->first * (nz + 1) * nx);
    }
    SW_TRY(complete_faces(c, &grids->grid[0].matrix, 0));
    while (grids->count < grids->planned) {
        const int which = grids->count;
        const struct sw_elliptic_matrix *next = &grids->grid[which].matrix;
        const bool some = which <= c->count;
        if (!elliptic_grids_next(grids, some ? c->slabs[which].first : 0, some ? c->slabs[which].behind : next->ny,
                                 threads))
            break;
        SW_TRY(complete_faces(c, next, which));
    }
    return SW_OK;
}

void elliptic_cut_free(struct elliptic_cut *c) { sw_elliptic_matrix_free(&c->whole); }
