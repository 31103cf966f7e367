/* The difference operators and filters of a batch of `advection`: for all runs at once, or for those that a thread
 * takes through all steps by itself. */
#include <stdio.h>

#include "base/sw_mem.h"
#include "problem/advection/advection_impl.h"

/* ------------------------------------------------------------------ a sub-batch */

static struct sw_fd_desc operator_desc(const struct advection_sim *a, int axis, const char *scheme, int64_t fields)
{
    return (struct sw_fd_desc){.n = {a->setup.n[0], a->setup.n[1], a->setup.n[2]},
                               .axis = axis,
                               .fields = fields,
                               .scheme = scheme,
                               .boundary = a->discretization.boundary[axis],
                               .h = 1,
                               .single = a->setup.single_steps,
                               .comm = a->setup.domain.all ? a->setup.domain.along[axis] : NULL};
}

/* The row that the config names is for the lines of its kind, whole or cut over ranks; for those of the other kind the
 * first that fits is taken. */
static const char *row_along(const struct advection_sim *a, int axis)
{
    const char *row = a->setup.solver;
    const struct sw_decomposition *cut = &a->setup.domain;
    return row && cut->all && sw_fd_row_cuts(row) != (cut->along[axis] != NULL) ? NULL : row;
}

static enum sw_status create_filter(struct advection_sim *a, struct sw_device *device, struct advection_filter *f)
{
    for (int d = 0; d < SW_DIMS; d++) {
        struct sw_fd_desc desc = operator_desc(a, d, a->discretization.filter, f->count);
        desc.alpha = f->alpha;
        if (advection_has_walls(&a->discretization, d)) desc.boundary = "reduced";
        if (sw_setup_whole(&a->setup, d) > 1) SW_TRY(sw_fd_create(&desc, row_along(a, d), device, &f->fd[d]));
    }
    return SW_OK;
}

static double alpha_of(const struct advection_sim *a, int j)
{
    return sw_setup_number(&a->setup, "alpha", a->count, a->column, j);
}

static enum sw_status create_filters(struct advection_sim *a, struct sw_device *device, struct advection_subbatch *p)
{
    if (!a->discretization.filter) return SW_OK;
    SW_TRY(sw_alloc((size_t)p->count, &p->filter));
    for (int k = 0; k < p->count; k++) {
        const double alpha = alpha_of(a, p->from + k);
        struct advection_filter *last = p->nfilter ? &p->filter[p->nfilter - 1] : NULL;
        if (last && last->alpha == alpha) last->count++;
        else p->filter[p->nfilter++] = (struct advection_filter){.from = k, .count = 1, .alpha = alpha};
    }
    for (int k = 0; k < p->nfilter; k++) SW_TRY(create_filter(a, device, &p->filter[k]));
    return SW_OK;
}

static enum sw_status create_differences(struct advection_sim *a, struct sw_device *device,
                                         struct advection_subbatch *p)
{
    for (int d = 0; d < SW_DIMS; d++) {
        if (sw_setup_whole(&a->setup, d) == 1) continue;
        const struct sw_fd_desc first = operator_desc(a, d, a->discretization.first, p->count),
                                second = operator_desc(a, d, a->discretization.second, p->count);
        if (a->terms.needs_first[d]) SW_TRY(sw_fd_create(&first, row_along(a, d), device, &p->first_operator[d]));
        if (a->diffuses) SW_TRY(sw_fd_create(&second, row_along(a, d), device, &p->second_operator[d]));
    }
    if (!p->first_operator[0] || !p->first_operator[1]) return SW_OK;
    return sw_fd_join(p->first_operator[0], p->first_operator[1], &p->first_xy);
}

static enum sw_status create_operators(struct advection_sim *a, struct sw_device *device, int from, int count,
                                       struct advection_subbatch *p)
{
    p->from = from;
    p->count = count;
    SW_TRY(create_differences(a, device, p));
    return create_filters(a, device, p);
}

/* Fields stay. */
static void destroy_operators(struct advection_subbatch *p)
{
    sw_fd_joined_destroy(&p->first_xy);
    for (int d = 0; d < SW_DIMS; d++) {
        sw_fd_destroy(&p->first_operator[d]);
        sw_fd_destroy(&p->second_operator[d]);
        for (int k = 0; k < p->nfilter; k++) sw_fd_destroy(&p->filter[k].fd[d]);
    }
    sw_free(p->filter);
    p->filter = NULL;
    p->nfilter = 0;
}

void advection_operators_destroy(struct advection_sim *a)
{
    destroy_operators(&a->batch);
    for (int t = 0; t < a->device->threads && a->thread; t++) {
        destroy_operators(&a->thread[t].full);
        destroy_operators(&a->thread[t].rest);
    }
}

/* ------------------------------------------------------------------ runs for a thread */

/* A thread's runs have about this many points: their fields, some six, stay in a second-level cache. SIDE_BY_SIDE of
 * them lie beside each other in the vectors of src/fd. (2000 runs of 512 points, one thread: half the time of all runs
 * stage by stage.) */
enum { THREAD_POINTS = 16384, SIDE_BY_SIDE = 32 };

static bool same_alpha(const struct advection_sim *a)
{
    for (int j = 1; j < a->count; j++)
        if (alpha_of(a, j) != alpha_of(a, 0)) return false;
    return true;
}

/* 0 where threads would not have more than one run each. No bit depends on it. */
static int runs_at_once(const struct advection_sim *a)
{
    const int threads = a->device->threads;
    if (a->setup.domain.all) return 0;  /* operators communicate */
    if (a->device->space != SW_HOST || a->points > 4 * THREAD_POINTS || a->count < threads) return 0;
    if (a->discretization.filter && !same_alpha(a)) return 0;
    const int most = (a->count + threads - 1) / threads, fit = (int)(THREAD_POINTS / a->points);
    int runs = fit < 1 ? 1 : fit;
    if (runs < SIDE_BY_SIDE && a->points * SIDE_BY_SIDE <= 4 * THREAD_POINTS) runs = SIDE_BY_SIDE;
    if (runs > SIDE_BY_SIDE) runs -= runs % SIDE_BY_SIDE;
    return runs < most ? runs : most;
}

static enum sw_status create_for_threads(struct advection_sim *a)
{
    const int rest = a->count % a->runs_at_once;
    a->batch.from = 0;
    a->batch.count = a->count;
    for (int t = 0; t < a->device->threads; t++) {
        struct advection_thread *thread = &a->thread[t];
        thread->device = *a->device;
        thread->device.threads = 1;
        SW_TRY(create_operators(a, &thread->device, 0, a->runs_at_once, &thread->full));
        if (rest) SW_TRY(create_operators(a, &thread->device, 0, rest, &thread->rest));
    }
    return SW_OK;
}

/* Operators are reused by the next batch only if all its runs have one alpha, and the same. */
enum sw_status advection_operators_create(struct advection_sim *a)
{
    const bool reusable = !a->discretization.filter || same_alpha(a);
    const double alpha = a->discretization.filter ? alpha_of(a, 0) : 0;
    if (reusable && a->operators_for.count == a->count && a->operators_for.diffuses == a->diffuses &&
        a->operators_for.alpha == alpha)
        return SW_OK;
    advection_operators_destroy(a);
    a->operators_for.count = 0;
    a->runs_at_once = runs_at_once(a);
    a->batch.thread = -1;
    SW_TRY(a->runs_at_once ? create_for_threads(a) : create_operators(a, a->device, 0, a->count, &a->batch));
    if (!reusable) return SW_OK;
    a->operators_for.count = a->count;
    a->operators_for.diffuses = a->diffuses;
    a->operators_for.alpha = alpha;
    return SW_OK;
}

/* ------------------------------------------------------------------ before there is a batch */

/* The row that does the differences; without any, the one the config names, or the device. */
static const char *row_of(const struct advection_sim *a, const struct advection_filter *f)
{
    for (int d = 0; d < SW_DIMS; d++) {
        const struct sw_fd *any[] = {a->batch.first_operator[d], a->batch.second_operator[d], f->fd[d]};
        for (int k = 0; k < 3; k++)
            if (any[k]) return sw_fd_name(any[k]);
    }
    return a->setup.solver ? a->setup.solver : a->ops->name;
}

enum sw_status advection_operators_probe(struct advection_sim *a)
{
    struct advection_filter f = {.count = 1};
    a->diffuses = true;
    for (int d = 0; d < a->setup.dim; d++) {  /* without a second derivative nu is 0: other runs are refused */
        const int least = sw_fd_min_points(a->discretization.second, a->discretization.boundary[d]);
        a->diffuses &= least > 0 && sw_setup_whole(&a->setup, d) >= least;
    }
    a->batch.count = 1;
    enum sw_status st = create_differences(a, a->device, &a->batch);
    if (!st && a->discretization.filter) st = create_filter(a, a->device, &f);
    snprintf(a->solver, sizeof a->solver, "%s", row_of(a, &f));
    for (int d = 0; d < SW_DIMS; d++) sw_fd_destroy(&f.fd[d]);
    destroy_operators(&a->batch);
    return sw_setup_suggest_cpu(&a->setup, a->device, st);
}
