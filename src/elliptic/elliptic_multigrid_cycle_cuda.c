/* Passes of row `cuda.multigrid` (elliptic_multigrid_cuda.c): cycles and directions are queued, with what they need of
 * other ranks. */
#include <math.h>

#include "comm/sw_comm.h"
#include "elliptic/elliptic_multigrid_cuda.h"

static const double REACH = 5e-8;  /* of one pass */
enum { RING = SW_CUDA_MULTIGRID_RING, SUMS = SW_CUDA_MULTIGRID_SUMS };

/* ------------------------------------------------------------------ a pass begins, and what is seen of it */

/* What a pass is to leave of the residual: as many passes as single precision needs, equal ones. */
static double drop_of(const struct elliptic_way *w)
{
    const double due = w->numbers->tolerance / w->outcome->residual, passes = ceil(log(due) / log(REACH));
    return passes > 1 ? pow(due, 1 / passes) : due;
}

/* @return whether a system has an iteration to make */
static bool begin(struct elliptic_multigrid *mg, const struct elliptic_pass *pass)
{
    bool some = false;
    for (int y = 0; y < mg->d.systems; y++) {
        const struct elliptic_way *w = &pass->way[y];
        struct sw_cuda_multigrid_state *t = &mg->state[y];
        t->iterations = t->filled = t->broken = t->directed = mg->seen[y] = 0;
        t->due = w->due;
        t->most = w->numbers->iterations - w->outcome->iterations;
        t->done = !w->due || t->most < 1;
        if (t->done) continue;
        const double drop = drop_of(w);
        t->scale = 1 / sqrt(w->rr);
        t->unit = 1 / (mg->size[y] * t->scale);
        t->target = drop * drop;
        some = true;
    }
    return some;
}

/* Look at the device, and write down what has been done since the last look. @return whether a system goes on */
static enum sw_status look(struct sw_elliptic *s, const struct elliptic_pass *pass, bool *some)
{
    struct elliptic_multigrid *mg = s->own;
    const size_t systems = (size_t)mg->d.systems;
    SW_TRY(sw_device_download(s->device, mg->state, mg->d.state, systems * sizeof *mg->state));
    SW_TRY(elliptic_ranks_sum(mg->on.ranks, 0, NULL));  /* whether all go on */
    *some = false;
    for (size_t y = 0; y < systems; y++) {
        const struct sw_cuda_multigrid_state *t = &mg->state[y];
        struct elliptic_way *w = &pass->way[y];
        if (!t->due) continue;
        for (int k = mg->seen[y]; k < t->iterations; k++) {
            w->rr = t->history[k % RING] / (t->scale * t->scale);
            elliptic_record(w);
        }
        mg->seen[y] = t->iterations;
        if (t->broken) elliptic_breaks(w, t->pq);
        *some |= !t->done;
    }
    return SW_OK;
}

static int most_seen(const struct elliptic_multigrid *mg)
{
    int most = 1;
    for (int y = 0; y < mg->d.systems; y++) most = mg->seen[y] > most ? mg->seen[y] : most;
    return most < RING ? most : RING;
}

/* ------------------------------------------------------------------ with other ranks */

/* Of a grid that is cut: the rows of its neighbours. */
static enum sw_status fetch(struct sw_elliptic *s, int level, float *field)
{
    const struct elliptic_multigrid *mg = s->own;
    const struct elliptic_rows *rows = &mg->rows[level];
    const size_t each = sw_cuda_multigrid_message(&mg->grid[level].planes, mg->d.systems, 1, rows->sent.most) / 2;
    const struct sw_comm_transfer leftward = {each, mg->sent, mg->received + each},
                                  rightward = {each, mg->sent + each, mg->received};
    SW_TRY(sw_cuda_multigrid_pack(s->device->compute, &mg->d, level, &rows->sent, field, (float *)mg->sent));
    SW_TRY(sw_comm_exchange(mg->cut.comm, mg->cut.periodic, &leftward, &rightward));
    return sw_cuda_multigrid_unpack(s->device->compute, &mg->d, level, &rows->received, (float *)mg->received, field);
}

/* Of the first grid that is not cut: f of all ranks. */
static enum sw_status gather(struct sw_elliptic *s)
{
    const struct elliptic_multigrid *mg = s->own;
    const int which = mg->cut.count;
    const struct elliptic_rows *rows = &mg->rows[which];
    const struct sw_cuda_multigrid_grid *g = &mg->grid[which];
    const size_t each = sw_cuda_multigrid_message(&g->planes, mg->d.systems, 1, rows->sent.most) / 2;
    SW_TRY(sw_cuda_multigrid_pack(s->device->compute, &mg->d, which, &rows->sent, g->f, (float *)mg->sent));
    SW_TRY(sw_comm_gather(mg->cut.comm, each, mg->sent, mg->received));
    return sw_cuda_multigrid_unpack(s->device->compute, &mg->d, which, &rows->received, (float *)mg->received, g->f);
}

/* What follows from sums of all ranks, which each device adds up alike. */
static enum sw_status meet(struct sw_elliptic *s, enum sw_multigrid_sums which)
{
    const struct elliptic_multigrid *mg = s->own;
    if (!mg->cut.comm) return SW_OK;
    SW_TRY(sw_comm_gather(mg->cut.comm, (size_t)mg->d.systems * SUMS, mg->d.sums, mg->sums));
    return sw_cuda_multigrid_meet(s->device->compute, &mg->d, which, mg->cut.comm->size, mg->sums);
}

/* ------------------------------------------------------------------ a cycle */

/* What follows its first sweep. */
static enum sw_status cycle(struct sw_elliptic *s)
{
    const struct elliptic_multigrid *mg = s->own;
    void *const stream = s->device->compute;
    for (int g = 1; g < mg->d.grids; g++) {
        SW_TRY(sw_cuda_multigrid_restrict(stream, &mg->d, g - 1));
        if (g < mg->cut.count) SW_TRY(fetch(s, g, mg->grid[g].f));
        if (mg->cut.comm && g == mg->cut.count) SW_TRY(gather(s));
        SW_TRY(sw_cuda_multigrid_down(stream, &mg->d, g, false));
    }
    for (int g = mg->d.grids - 1; g >= 0; g--) SW_TRY(sw_cuda_multigrid_up(stream, &mg->d, g));
    SW_TRY(meet(s, SW_MULTIGRID_DOTS));
    return mg->cut.comm ? fetch(s, 0, mg->grid[0].u) : SW_OK;
}

/* Iterations are queued up to the one in which the last solve came to its end, then the host looks at each: after the
 * first sweep of the next cycle, which has |r|². */
static enum sw_status iterate(void *context, struct elliptic_pass *pass, double *u)
{
    struct sw_elliptic *s = context;
    struct elliptic_multigrid *mg = s->own;
    const struct sw_cuda_multigrid *d = &mg->d;
    void *const stream = s->device->compute;
    bool fresh = pass->first, some = begin(mg, pass);
    int unseen = fresh ? mg->usual : 1, kept = 0;
    if (!some) return SW_OK;
    SW_TRY(sw_device_upload(s->device, d->state, mg->state, (size_t)d->systems * sizeof *mg->state));
    SW_TRY(sw_cuda_multigrid_begin(stream, d, pass->r));
    if (mg->cut.comm) SW_TRY(fetch(s, 0, mg->grid[0].f));
    SW_TRY(sw_cuda_multigrid_down(stream, d, 0, false));
    while (some) {
        SW_TRY(cycle(s));
        SW_TRY(sw_cuda_multigrid_direct(stream, d));
        SW_TRY(meet(s, SW_MULTIGRID_DIRECTION));
        SW_TRY(sw_cuda_multigrid_down(stream, d, 0, true));
        SW_TRY(meet(s, SW_MULTIGRID_UPDATE));
        kept++;
        if (--unseen > 0 && kept < RING) continue;
        SW_TRY(look(s, pass, &some));
        unseen = 1;
        if (some && kept < RING) continue;
        SW_TRY(sw_cuda_multigrid_add(stream, d, u, fresh));
        fresh = false;
        kept = 0;
    }
    if (pass->first) mg->usual = most_seen(mg);
    return SW_OK;
}

enum sw_status elliptic_multigrid_solve_cuda(struct sw_elliptic *s, const double *f, double *u,
                                             struct sw_elliptic_outcome *outcome, double *history, int most)
{
    struct elliptic_multigrid *mg = s->own;
    if (s->count == 0) return SW_OK;
    struct elliptic_space space = elliptic_device_space(&mg->on);
    space.lean = true;
    const struct sw_elliptic_numbers *numbers = elliptic_ranks_begin(mg->on.ranks, s->count, s->numbers);
    return elliptic_refine(&space, numbers, f, u, outcome, history, most, iterate, s);
}
