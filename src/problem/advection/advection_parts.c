/* Differences and filters of a batch of `advection`: for all runs at once, or for those that a thread takes through all
 * steps by itself. */
#include <stdio.h>

#include "base/sw_mem.h"
#include "problem/advection/advection_impl.h"

/* ------------------------------------------------------------------ differences and filters */

static struct sw_fd_desc describe(const struct advection_sim *a, int axis, const char *scheme, int64_t fields)
{
    return (struct sw_fd_desc){.n = {a->setup.n[0], a->setup.n[1], a->setup.n[2]},
                               .axis = axis,
                               .fields = fields,
                               .scheme = scheme,
                               .boundary = a->method.boundary[axis],
                               .h = 1,
                               .single = a->setup.single_steps};
}

static enum sw_status make_filter(struct advection_sim *a, struct sw_device *device, struct advection_filter *f)
{
    for (int d = 0; d < SW_DIMS; d++) {
        struct sw_fd_desc desc = describe(a, d, a->method.filter, f->count);
        desc.alpha = f->alpha;
        if (advection_walled(&a->method, d)) desc.boundary = "reduced";
        if (a->setup.n[d] > 1) SW_TRY(sw_fd_create(&desc, a->setup.solver, device, &f->fd[d]));
    }
    return SW_OK;
}

static double alpha_of(const struct advection_sim *a, int j)
{
    return advection_number(&a->setup, "alpha", a->count, a->column, j);
}

static enum sw_status make_filters(struct advection_sim *a, struct sw_device *device, struct advection_part *p)
{
    if (!a->method.filter) return SW_OK;
    SW_TRY(sw_alloc((size_t)p->count, &p->filter));
    for (int k = 0; k < p->count; k++) {
        const double alpha = alpha_of(a, p->from + k);
        struct advection_filter *last = p->nfilter ? &p->filter[p->nfilter - 1] : NULL;
        if (last && last->alpha == alpha) last->count++;
        else p->filter[p->nfilter++] = (struct advection_filter){.from = k, .count = 1, .alpha = alpha};
    }
    for (int k = 0; k < p->nfilter; k++) SW_TRY(make_filter(a, device, &p->filter[k]));
    return SW_OK;
}

static enum sw_status make_differences(struct advection_sim *a, struct sw_device *device, struct advection_part *p)
{
    for (int d = 0; d < SW_DIMS; d++) {
        if (a->setup.n[d] == 1) continue;
        const struct sw_fd_desc first = describe(a, d, a->method.first, p->count),
                                second = describe(a, d, a->method.second, p->count);
        if (a->model.moves[d]) SW_TRY(sw_fd_create(&first, a->setup.solver, device, &p->first[d]));
        if (a->diffuses) SW_TRY(sw_fd_create(&second, a->setup.solver, device, &p->second[d]));
    }
    return SW_OK;
}

static enum sw_status make_part(struct advection_sim *a, struct sw_device *device, int from, int count,
                                struct advection_part *p)
{
    p->from = from;
    p->count = count;
    SW_TRY(make_differences(a, device, p));
    return make_filters(a, device, p);
}

/* All but the fields. */
static void unmake_part(struct advection_part *p)
{
    for (int d = 0; d < SW_DIMS; d++) {
        sw_fd_destroy(&p->first[d]);
        sw_fd_destroy(&p->second[d]);
        for (int k = 0; k < p->nfilter; k++) sw_fd_destroy(&p->filter[k].fd[d]);
    }
    sw_free(p->filter);
    p->filter = NULL;
    p->nfilter = 0;
}

void advection_parts_unmake(struct advection_sim *a)
{
    unmake_part(&a->whole);
    for (int t = 0; t < a->device->threads && a->team; t++)
        for (int k = 0; k < 2; k++) unmake_part(&a->team[t].part[k]);
}

/* ------------------------------------------------------------------ teams */

/* A team's runs have about this many points: their fields, some six, stay in a second-level cache. SIDE of them lie
 * side by side in the vectors of src/fd. (2000 runs of 512 points, one thread: half the time of all runs stage by
 * stage.) */
enum { TEAM_POINTS = 16384, SIDE = 32 };

static bool same_alpha(const struct advection_sim *a)
{
    for (int j = 1; j < a->count; j++)
        if (alpha_of(a, j) != alpha_of(a, 0)) return false;
    return true;
}

/* How many runs a team takes at once: where threads have more than one each. No bit depends on it. */
static int team_size(const struct advection_sim *a)
{
    const int threads = a->device->threads;
    if (a->device->space != SW_HOST || a->points > 4 * TEAM_POINTS || a->count < threads) return 0;
    if (a->method.filter && !same_alpha(a)) return 0;
    const int most = (a->count + threads - 1) / threads, fit = (int)(TEAM_POINTS / a->points);
    int each = fit < 1 ? 1 : fit;
    if (each < SIDE && a->points * SIDE <= 4 * TEAM_POINTS) each = SIDE;
    if (each > SIDE) each -= each % SIDE;
    return each < most ? each : most;
}

static enum sw_status make_teams(struct advection_sim *a)
{
    a->whole.from = 0;
    a->whole.count = a->count;
    for (int t = 0; t < a->device->threads; t++) {
        struct advection_team *team = &a->team[t];
        team->alone = *a->device;
        team->alone.threads = 1;
        SW_TRY(make_part(a, &team->alone, 0, a->each, &team->part[0]));
        if (a->count % a->each) SW_TRY(make_part(a, &team->alone, 0, a->count % a->each, &team->part[1]));
    }
    return SW_OK;
}

/* Its alphas are kept only if they were one. */
enum sw_status advection_parts_make(struct advection_sim *a)
{
    const bool reusable = !a->method.filter || same_alpha(a);
    const double alpha = a->method.filter ? alpha_of(a, 0) : 0;
    if (reusable && a->made.count == a->count && a->made.diffuses == a->diffuses && a->made.alpha == alpha)
        return SW_OK;
    advection_parts_unmake(a);
    a->made.count = 0;
    a->each = team_size(a);
    a->whole.worker = -1;
    SW_TRY(a->each ? make_teams(a) : make_part(a, a->device, 0, a->count, &a->whole));
    if (!reusable) return SW_OK;
    a->made.count = a->count;
    a->made.diffuses = a->diffuses;
    a->made.alpha = alpha;
    return SW_OK;
}

/* ------------------------------------------------------------------ before there is a batch */

/* No row of a device does the differences of this grid. */
static enum sw_status absent(void)
{
    char why[400];
    snprintf(why, sizeof why, "%s", sw_err_message());
    return SW_FAIL(SW_E_ABSENT, "%s; use --device cpu", why);
}

/* Which row does the differences; without any, the config's, or where the passes are. */
static const char *row_of(const struct advection_sim *a, const struct advection_filter *f)
{
    for (int d = 0; d < SW_DIMS; d++) {
        const struct sw_fd *any[] = {a->whole.first[d], a->whole.second[d], f->fd[d]};
        for (int k = 0; k < 3; k++)
            if (any[k]) return sw_fd_name(any[k]);
    }
    return a->setup.solver ? a->setup.solver : a->ops->name;
}

enum sw_status advection_parts_probe(struct advection_sim *a)
{
    struct advection_filter f = {.count = 1};
    a->diffuses = true;
    for (int d = 0; d < a->setup.dim; d++) {  /* where it cannot be done nu is 0: others are refused */
        const int least = sw_fd_min_points(a->method.second, a->method.boundary[d]);
        a->diffuses &= least > 0 && a->setup.n[d] >= least;
    }
    a->whole.count = 1;
    enum sw_status st = make_differences(a, a->device, &a->whole);
    if (!st && a->method.filter) st = make_filter(a, a->device, &f);
    snprintf(a->solver, sizeof a->solver, "%s", row_of(a, &f));
    for (int d = 0; d < SW_DIMS; d++) sw_fd_destroy(&f.fd[d]);
    unmake_part(&a->whole);
    if (st == SW_E_ABSENT && !a->setup.solver && a->device->space == SW_DEVICE) return absent();
    return st;
}
