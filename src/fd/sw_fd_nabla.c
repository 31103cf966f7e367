#include "fd/sw_fd_nabla.h"

#include <omp.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_reals.h"

enum { ORDER = 3, PLANE_BYTES = 512 * 1024 };  /* of a plane that stays in a core's cache, beside its result */
static const int order[ORDER] = {2, 0, 1};

struct plane { struct sw_fd *set[2], *add[2]; };  /* along x and y */

struct sw_fd_nabla {
    struct sw_fd_nabla_desc desc;
    enum sw_fd_kind   kind;
    struct sw_device  one;               /* the device with one thread: a plane is one thread's       */
    struct sw_fd     *set[3], *add[3];   /* along each axis; add of the first in order is not needed  */
    struct sw_fd_joined *joined;         /* for gradients, along axes pair[]; NULL: there is none     */
    int               pair[2];
    int               threads;           /* with planes of their own; 0: the field is not cut         */
    struct plane     *plane;             /* [threads]                                                 */
    size_t            bytes;             /* of a plane                                                */
};

static size_t word(const struct sw_fd_nabla *w) { return sw_reals_word(w->desc.single); }

static struct sw_fd_desc describe(const struct sw_fd_nabla *w, int axis, bool plane, bool add)
{
    const struct sw_fd_nabla_desc *d = &w->desc;
    return (struct sw_fd_desc){.n = {d->n[0], d->n[1], plane ? 1 : d->n[2]}, .axis = axis, .fields = 1,
                               .scheme = d->scheme, .boundary = d->boundary[axis], .h = d->h[axis], .alpha = d->alpha,
                               .single = d->single, .add = add, .comm = plane ? NULL : d->along[axis]};
}

/* A row that does not add may still do gradients: then *fd stays NULL. */
static enum sw_status make(const struct sw_fd_nabla *w, int axis, bool plane, bool add, const char *row,
                           struct sw_device *device, struct sw_fd **fd)
{
    const struct sw_fd_desc d = describe(w, axis, plane, add);
    enum sw_status st = sw_fd_create(&d, row, device, fd);
    return st == SW_E_ABSENT && add && w->kind == SW_FD_FIRST && !w->desc.sums ? SW_OK : st;
}

static bool has(const struct sw_fd_nabla *w, int axis) { return w->desc.n[axis] > 1 || w->desc.along[axis]; }

static int first_axis(const struct sw_fd_nabla *w)
{
    for (int k = 0; k < ORDER; k++)
        if (has(w, order[k])) return order[k];
    return -1;
}

/* A row does whole lines or cut ones: by its name one along an axis is picked that has such lines. Where no axis has
 * any, the row says why it does not do them. */
static const char *row_along(const struct sw_fd_nabla *w, int axis, const char *row)
{
    bool any = false;
    for (int k = 0; k < 3 && row; k++) any |= has(w, k) && sw_fd_row_cuts(row) == (w->desc.along[k] != NULL);
    return row && any && sw_fd_row_cuts(row) != (w->desc.along[axis] != NULL) ? NULL : row;
}

/* Of cut lines an operator that adds has a field of its own: there is one where sums are wanted. */
static bool adds_along(const struct sw_fd_nabla *w, int axis)
{
    return axis != first_axis(w) && (w->kind == SW_FD_SECOND || w->desc.sums || !w->desc.along[axis]);
}

/* Ranks that share the lines along one axis may fail, and those that share the lines along another one wait for some of
 * them: so all axes are made, after a failure, too. */
static enum sw_status make_axes(struct sw_fd_nabla *w, const char *row, struct sw_device *device)
{
    struct sw_err_kept first = {0};
    for (int k = 0; k < 6; k++) {
        const int axis = k / 2, add = k % 2;
        if (!has(w, axis) || (add && !adds_along(w, axis)) || (first.status && !w->desc.along[axis])) continue;
        const enum sw_status st = make(w, axis, false, add, row_along(w, axis, row), device,
                                       add ? &w->add[axis] : &w->set[axis]);
        sw_err_keep(&first, st);
    }
    return sw_err_raise(&first);
}

/* The first two axes that there are. */
static enum sw_status make_joined(struct sw_fd_nabla *w)
{
    int axes = 0;
    for (int axis = 0; axis < 3 && axes < 2; axis++)
        if (has(w, axis)) w->pair[axes++] = axis;
    if (axes < 2 || w->kind != SW_FD_FIRST || w->desc.separate) return SW_OK;
    return sw_fd_join(w->set[w->pair[0]], w->set[w->pair[1]], &w->joined);
}

static enum sw_status make_planes(struct sw_fd_nabla *w, struct sw_device *device)
{
    const int64_t *n = w->desc.n;
    w->bytes = (size_t)(n[0] * n[1]) * word(w);
    if (w->desc.separate || device->space != SW_HOST || !has(w, 0) || !has(w, 1)) return SW_OK;
    if (w->desc.along[0] || w->desc.along[1]) return SW_OK;
    if (w->bytes > PLANE_BYTES || n[2] < 4 * device->threads) return SW_OK;
    w->one = *device;
    w->one.threads = 1;
    SW_TRY(sw_alloc((size_t)device->threads, &w->plane));
    w->threads = device->threads;
    for (int t = 0; t < w->threads; t++)
        for (int axis = 0; axis < 2; axis++) {
            const char *row = sw_fd_name(w->set[axis]);
            SW_TRY(make(w, axis, true, false, row, &w->one, &w->plane[t].set[axis]));
            SW_TRY(make(w, axis, true, true, row, &w->one, &w->plane[t].add[axis]));
        }
    return SW_OK;
}

static enum sw_status check(const struct sw_fd_nabla_desc *d, enum sw_fd_kind *kind)
{
    const struct sw_fd_scheme *s = sw_fd_scheme_find(d->scheme);
    if (s && s->kind != SW_FD_FIRST && s->kind != SW_FD_SECOND)
        return SW_FAIL(SW_E_CONFIG, "scheme %s: gradient and divergence take d1_*, the Laplacian d2_*", d->scheme);
    if (d->n[0] <= 1 && d->n[1] <= 1 && d->n[2] <= 1 && !d->along[0] && !d->along[1] && !d->along[2])
        return SW_FAIL(SW_E_CONFIG, "a field of one point has no derivatives");
    *kind = s ? s->kind : SW_FD_FIRST;  /* a name that is none is refused along the first axis */
    return SW_OK;
}

enum sw_status sw_fd_nabla_create(const struct sw_fd_nabla_desc *desc, const char *row, struct sw_device *device,
                                  struct sw_fd_nabla **nabla)
{
    enum sw_status st;
    enum sw_fd_kind kind = SW_FD_FIRST;
    struct sw_fd_nabla *w = NULL;
    *nabla = NULL;
    SW_TRY(check(desc, &kind));
    SW_TRY(sw_alloc(1, &w));
    w->desc = *desc;
    w->kind = kind;
    SW_TRY_TO(failed, st, make_axes(w, row, device));
    SW_TRY_TO(failed, st, make_joined(w));
    SW_TRY_TO(failed, st, make_planes(w, device));
    w->desc.scheme = w->desc.boundary[0] = w->desc.boundary[1] = w->desc.boundary[2] = NULL;
    *nabla = w;
    return SW_OK;
failed:
    sw_fd_nabla_destroy(&w);
    return st;
}

void sw_fd_nabla_destroy(struct sw_fd_nabla **nabla)
{
    if (!nabla || !*nabla) return;
    struct sw_fd_nabla *w = *nabla;
    sw_fd_joined_destroy(&w->joined);
    for (int axis = 0; axis < 3; axis++) {
        sw_fd_destroy(&w->set[axis]);
        sw_fd_destroy(&w->add[axis]);
    }
    for (int t = 0; t < w->threads; t++)
        for (int axis = 0; axis < 2; axis++) {
            sw_fd_destroy(&w->plane[t].set[axis]);
            sw_fd_destroy(&w->plane[t].add[axis]);
        }
    sw_free(w->plane);
    sw_free(w);
    *nabla = NULL;
}

const char *sw_fd_nabla_name(const struct sw_fd_nabla *w) { return sw_fd_name(w->set[first_axis(w)]); }

/* ------------------------------------------------------------------ */

/* x and y derivatives of from[0] and from[1], plane by plane. */
static enum sw_status planes(const struct sw_fd_nabla *w, const void *const from[2], void *const to[2], bool add)
{
    enum sw_status all = SW_OK;
#pragma omp parallel for schedule(dynamic) num_threads(w->threads)
    for (int64_t k = 0; k < w->desc.n[2]; k++) {
        const struct plane *p = &w->plane[omp_get_thread_num()];
        const size_t at = (size_t)k * w->bytes;
        for (int axis = 0; axis < 2; axis++) {
            enum sw_status st = sw_fd_apply(add ? p->add[axis] : p->set[axis], (const char *)from[axis] + at,
                                            (char *)to[axis] + at);
#pragma omp critical
            if (st) all = st;
        }
    }
    return all;
}

static enum sw_status not_with(const struct sw_fd_nabla *w, enum sw_fd_kind kind, const char *what)
{
    if (w->kind == kind) return SW_OK;
    return SW_FAIL(SW_E_ARG, "the %s takes a scheme of %s derivatives", what,
                   kind == SW_FD_FIRST ? "first" : "second");
}

/* Whether an axis' derivative in a gradient is not computed by itself. */
static bool is_shared(const struct sw_fd_nabla *w, int axis)
{
    return (w->joined && (axis == w->pair[0] || axis == w->pair[1])) || (w->threads && axis != 2);
}

enum sw_status sw_fd_gradient(const struct sw_fd_nabla *w, const void *f, void *const g[3])
{
    const void *const both[2] = {f, f};
    SW_TRY(not_with(w, SW_FD_FIRST, "gradient"));
    for (int k = 0; k < ORDER; k++) {
        const int axis = order[k];
        if (has(w, axis) && !is_shared(w, axis)) SW_TRY(sw_fd_apply(w->set[axis], f, g[axis]));
    }
    if (w->joined) return sw_fd_joined_apply(w->joined, f, g[w->pair[0]], g[w->pair[1]]);
    return w->threads ? planes(w, both, g, false) : SW_OK;
}

bool sw_fd_nabla_joins(const struct sw_fd_nabla *w) { return w->joined || w->threads; }

static enum sw_status sum(const struct sw_fd_nabla *w, const void *const v[3], void *out)
{
    void *const both[2] = {out, out};
    for (int k = 0; k < ORDER; k++) {
        const int axis = order[k];
        const bool first = axis == first_axis(w);
        if (!has(w, axis) || (w->threads && axis != 2)) continue;
        if (!first && !w->add[axis])
            return SW_FAIL(SW_E_ABSENT, "%s does not add to a field here: no sums over axes", sw_fd_name(w->set[axis]));
        SW_TRY(sw_fd_apply(first ? w->set[axis] : w->add[axis], v[axis], out));
    }
    return w->threads ? planes(w, v, both, true) : SW_OK;
}

enum sw_status sw_fd_divergence(const struct sw_fd_nabla *w, const void *const v[3], void *out)
{
    SW_TRY(not_with(w, SW_FD_FIRST, "divergence"));
    return sum(w, v, out);
}

enum sw_status sw_fd_laplacian(const struct sw_fd_nabla *w, const void *f, void *out)
{
    const void *const all[3] = {f, f, f};
    SW_TRY(not_with(w, SW_FD_SECOND, "Laplacian"));
    return sum(w, all, out);
}
