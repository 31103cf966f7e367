/* Preconditioned conjugate gradients on a GPU in two passes over the vectors an iteration, the paper's algorithm 1, all
 * systems of a batch together (cuda/elliptic/elliptic_advance.cu, cuda/elliptic/elliptic_reduce.cu): rows
 *
 *     cuda.interleaved         in double precision: 10.5 words a cell and iteration, as u gets two directions at once
 *     cuda.interleaved_single  the same in single precision, which finds corrections of u; u and its residual are in
 *                              double. A system where that does not help, as its matrix has a larger condition number
 *                              than single precision can tell from singular, goes on in double.
 *
 * With run.precision = "single" cuda.interleaved computes all of it in single precision: u is rounded to that behind
 * each pass, of which there is one unless rounding leaves more than the tolerance, and no system goes on in double.
 *
 * Scalars stay on the device, and each system stops there by itself. The host queues ROUND iterations, and ROUND more
 * before it looks at what the former left; it goes over these as elliptic_record() has it, and finds what the device
 * has found. What is queued behind the last iteration does nothing.
 *
 * Of a grid that is cut over ranks each K1 comes behind an exchange of one slab of z with either neighbour, and behind
 * K1 and K2 the ranks gather the sums of all, from which each device forms the same scalars: with a communicator whose
 * operations are queued on the device the host waits for nothing but the rounds. */
#include <math.h>

#include "comm/sw_comm.h"
#include "cuda/cu_check.cuh"
#include "elliptic/elliptic_device_cuda.h"
#include "elliptic/sw_elliptic_impl.h"

enum { ROUND = 8 };

/* A pass in single aims at that, if the tolerance is farther away: rounding leaves 6e-8 times the condition number. And
 * a system for which it did not reach the latter goes on in double. */
static const double usual_aim = 1e-4, worst_aim = 0.1;

/* One system. */
struct course {
    bool   active;   /* in the iterations at hand                                    */
    bool   due, due_in_double;  /* in this call of the method                        */
    bool   in_double;  /* from the next pass on                                      */
    double aim;      /* |r| behind a pass in single over |r| before it, at best      */
    double before;   /* the residual before the last pass in single; 0: there was none */
    double enough;   /* |r|^2 that is aimed at                                       */
};

struct interleaved {
    struct elliptic_device on;   /* work: r, z, p, q, p; in single: r in double; z, p; r, q; the correction, p */
    struct course *course;                       /* [batch]                                     */
    double *partial;
    struct sw_cuda_elliptic_way *way, *way_host;      /* [batch]; of the device, pinned         */
    struct sw_cuda_elliptic_turn *turn, *turn_host;   /* [2][ROUND][batch]; likewise            */
    cudaEvent_t copied[2];                       /* turns of a round                            */
    float  *numbers;                             /* the matrices in single; NULL: not asked for */
    struct sw_cuda_elliptic_single single;
    const float *rests;                          /* of pivots in single                         */
    double *diagonals;                           /* of coefficients at faces, else NULL         */
    float  *diagonals_single;                    /* in single; NULL: not asked for              */
    bool    throughout;                          /* u is in single precision as well            */
    double *sums, *all_sums;                     /* [batch][2], [ranks][batch][2] of the device; NULL: not cut */
};

/* ------------------------------------------------------------------ create, load, destroy */

static const char *refuse(const struct sw_elliptic_desc *d)
{
    if (d->n[2] > SW_CUDA_INTERLEAVED_LEVELS) return "it does 2048 levels at most; cuda.pcg does more";
    return NULL;
}

static size_t partial_of(const struct sw_elliptic_desc *d)
{
    return (size_t)d->batch * sw_cuda_interleaved_partial(d->n[0], d->n[1], d->n[2]);
}

static size_t diagonals_of(const struct sw_elliptic_desc *d)
{
    return d->variable ? (size_t)d->batch * sw_elliptic_cells(d) : 0;
}

static void arrays(struct sw_elliptic *s)
{
    const size_t batch = (size_t)s->desc.batch;
    struct interleaved *p = s->own;
    elliptic_device_make(&s->desc, s->device, s->desc.single ? 4 : 5, s->desc.batch, true, &s->arrays, &p->on);
    sw_array(&s->arrays, batch, &p->course);
    sw_array_device(&s->arrays, partial_of(&s->desc), &p->partial);
    if (s->desc.variable) sw_array_device(&s->arrays, diagonals_of(&s->desc), &p->diagonals);
    sw_array_device(&s->arrays, batch, &p->way);
    sw_array_device(&s->arrays, 2 * ROUND * batch, &p->turn);
    sw_array_pinned(&s->arrays, batch, &p->way_host);
    sw_array_pinned(&s->arrays, 2 * ROUND * batch, &p->turn_host);
    if (!s->desc.cut.comm) return;
    sw_array_device(&s->arrays, 2 * batch, &p->sums);
    sw_array_device(&s->arrays, 2 * batch * (size_t)s->desc.cut.comm->size, &p->all_sums);
}

static void arrays_single(struct sw_elliptic *s)
{
    struct interleaved *p = s->own;
    arrays(s);
    if (s->desc.variable) sw_array_device(&s->arrays, diagonals_of(&s->desc), &p->diagonals_single);
    sw_array_device(&s->arrays, elliptic_device_numbers(&s->desc), &p->numbers);
}

static enum sw_status create(struct sw_elliptic *s)
{
    struct interleaved *p = s->own;
    SW_TRY(sw_cuda_interleaved_prepare());
    for (int k = 0; k < 2; k++) CU_TRY(cudaEventCreateWithFlags(&p->copied[k], cudaEventDisableTiming));
    return SW_OK;
}

static void destroy(struct sw_elliptic *s)
{
    struct interleaved *p = s->own;
    for (int k = 0; k < 2; k++)
        if (p->copied[k]) cudaEventDestroy(p->copied[k]);
}

static enum sw_status load(struct sw_elliptic *s)
{
    struct interleaved *p = s->own;
    const struct sw_cuda_elliptic *m = &p->on.matrix;
    sw_cuda_stream stream = s->device->compute;
    SW_TRY(elliptic_device_load(&p->on, s->count, s->matrix));
    if (p->diagonals) SW_TRY(sw_cuda_interleaved_diagonals(stream, m, p->diagonals));
    if (!p->numbers || s->count == 0) return SW_OK;
    if (p->diagonals)
        SW_TRY(sw_cuda_interleaved_round(stream, NULL, 1, m->systems * m->nx * m->ny * m->nz, p->diagonals,
                                         p->diagonals_single));
    p->single = elliptic_device_single(&p->on, p->numbers, &p->rests);
    return sw_cuda_interleaved_round(stream, NULL, 1, (int64_t)elliptic_device_numbers(&s->desc),
                                     p->on.numbers, p->numbers);
}

/* ------------------------------------------------------------------ iterations */

/* The systems that are active, as the device gets them. */
static enum sw_status upload_ways(struct interleaved *p, const struct elliptic_pass *pass)
{
    const struct sw_cuda_elliptic *m = &p->on.matrix;
    const double cells = (double)m->nx * (double)m->ny * (double)m->nz;
    for (int y = 0; y < m->systems; y++) {
        const struct elliptic_way *w = &pass->way[y];
        const bool active = p->course[y].active;
        p->way_host[y] = (struct sw_cuda_elliptic_way){.idle = !active, .done = !active, .up = 1};
        if (!active) continue;
        p->way_host[y].norm_f = w->norm_f;
        p->way_host[y].tolerance = w->numbers->tolerance;
        p->way_host[y].enough = p->course[y].enough;
        p->way_host[y].up = sqrt(cells / w->rr);
        p->way_host[y].left = w->numbers->iterations - w->outcome->iterations;
    }
    CU_TRY(cudaMemcpyAsync(p->way, p->way_host, (size_t)m->systems * sizeof *p->way, cudaMemcpyHostToDevice,
                           p->on.device->compute));
    return SW_OK;
}

/* The scalars behind K1 or K2 of a grid that is cut, from the sums of all ranks. */
static enum sw_status meet(const struct interleaved *p, const struct sw_cuda_interleaved *x, bool advance, int turn,
                           struct sw_cuda_elliptic_turn *out)
{
    const struct sw_comm *comm = p->on.ranks->comm;
    if (!comm) return SW_OK;
    SW_TRY(sw_comm_gather(comm, 2 * (size_t)p->on.matrix.systems, p->sums, p->all_sums));
    return sw_cuda_interleaved_meet(p->on.device->compute, x, advance, turn, comm->size, p->all_sums, out);
}

static enum sw_status queue_round(struct interleaved *p, struct sw_cuda_interleaved *x, int round)
{
    const size_t systems = (size_t)p->on.matrix.systems, half = (size_t)(round % 2) * ROUND * systems;
    sw_cuda_stream stream = p->on.device->compute;
    for (int k = 0; k < ROUND; k++) {
        struct sw_cuda_elliptic_turn *out = p->turn + half + (size_t)k * systems;
        const int turn = (round > 0 ? ROUND : 0) + k;  /* from 3 on all odd ones are the same, and even ones */
        SW_TRY(elliptic_device_fetch(&p->on, x->z));
        SW_TRY(sw_cuda_interleaved_advance(stream, x, turn, out));
        SW_TRY(meet(p, x, true, turn, out));
        SW_TRY(sw_cuda_interleaved_reduce(stream, x, turn, out));
        SW_TRY(meet(p, x, false, turn, out));
        x->from = x->r;
    }
    CU_TRY(cudaMemcpyAsync(p->turn_host + half, p->turn + half, ROUND * systems * sizeof *p->turn,
                           cudaMemcpyDeviceToHost, p->on.device->compute));
    CU_TRY(cudaEventRecord(p->copied[round % 2], p->on.device->compute));
    return SW_OK;
}

/* One iteration of one system. @return whether another one is due */
static bool follow(struct course *c, struct elliptic_way *way, const struct sw_cuda_elliptic_turn *turn, bool single,
                   bool throughout)
{
    if (!single) {
        if (elliptic_breaks(way, turn->pq)) return false;
        way->rr = turn->rr;
        return elliptic_record(way);
    }
    if (!(turn->pq > 0) || !isfinite(turn->rr)) {
        if (throughout) elliptic_breaks(way, turn->pq > 0 ? NAN : turn->pq);
        c->in_double = true;
        return false;
    }
    way->rr = turn->rr;
    elliptic_record(way);
    return turn->rr > c->enough && way->outcome->iterations < way->numbers->iterations;
}

/* @return whether some system goes on behind a round */
static bool follow_round(struct interleaved *p, struct elliptic_pass *pass, int round, bool single)
{
    const int systems = p->on.matrix.systems;
    const struct sw_cuda_elliptic_turn *const turn = p->turn_host + (size_t)(round % 2) * ROUND * (size_t)systems;
    bool some = false;
    for (int y = 0; y < systems; y++) {
        struct course *c = &p->course[y];
        for (int k = 0; k < ROUND && c->active; k++)
            c->active = follow(c, &pass->way[y], &turn[(size_t)k * (size_t)systems + (size_t)y], single,
                               p->throughout);
        some |= c->active;
    }
    return some;
}

/* A pass of the systems that are active. */
static enum sw_status run(struct interleaved *p, struct elliptic_pass *pass, bool single, double *u)
{
    const struct elliptic_device *on = &p->on;
    const struct sw_cuda_elliptic *m = &on->matrix;
    const int64_t cells = m->nx * m->ny * m->nz, all = cells * on->batch;
    sw_cuda_stream stream = on->device->compute;
    struct sw_cuda_interleaved x = {.partial = p->partial, .way = p->way, .processors = on->device->processors,
                                    .sums = p->sums};
    SW_TRY(upload_ways(p, pass));
    if (single) {
        float *const zp = (float *)on->work[1], *const rq = (float *)on->work[2];
        x.single = &p->single;
        x.rests = p->rests;
        x.diagonals = p->diagonals_single;
        x.z = zp, x.p = zp + all, x.r = rq, x.q = rq + all, x.u = on->work[3], x.p_odd = (float *)on->work[3] + all;
        x.from = x.r;
        x.fresh = true;
        SW_TRY(sw_cuda_interleaved_round(stream, p->way, m->systems, cells, pass->r, rq));
    } else {
        x.matrix = m;
        x.rests = on->rests;
        x.diagonals = p->diagonals;
        x.r = on->work[0], x.z = on->work[1], x.p = on->work[2], x.q = on->work[3], x.u = u, x.p_odd = on->work[4];
        x.from = pass->r;
        x.fresh = pass->first;
    }
    SW_TRY(sw_cuda_interleaved_reduce(stream, &x, -1, p->turn));
    SW_TRY(meet(p, &x, false, -1, p->turn));
    SW_TRY(queue_round(p, &x, 0));
    for (int round = 0;; round++) {
        SW_TRY(queue_round(p, &x, round + 1));
        CU_TRY(cudaEventSynchronize(p->copied[round % 2]));
        SW_TRY(elliptic_ranks_sum(on->ranks, 0, NULL));  /* whether all go on */
        if (!follow_round(p, pass, round, single)) break;
    }
    return sw_cuda_interleaved_finish(stream, &x, single ? u : NULL, single && pass->first);
}

static bool is_due(const struct elliptic_way *w)
{
    return w->due && w->outcome->iterations < w->numbers->iterations;
}

static enum sw_status iterate(void *context, struct elliptic_pass *pass, double *u)
{
    struct interleaved *p = context;
    bool some = false;
    for (int y = 0; y < p->on.matrix.systems; y++) some |= p->course[y].active = is_due(&pass->way[y]);
    return some ? run(p, pass, false, u) : SW_OK;
}

/* What a pass in single aims at: so many of them that each has to gain a little more than it can, or the tolerance at
 * once. What the last one gained is remembered. */
static void aim(struct course *c, const struct elliptic_pass *pass, struct elliptic_way *w)
{
    const double now = w->outcome->residual, need = 0.5 * w->numbers->tolerance / now,
                 gained = c->before > 0 ? now / c->before : 0;
    if (pass->first) *c = (struct course){.due = true, .aim = usual_aim};
    else if (gained > worst_aim) c->in_double = true;
    else if (gained > c->aim) c->aim = gained;
    const double passes = need > 0 ? ceil(log(need) / log(c->aim)) : INFINITY,
                 goal = passes <= 1 ? need : isfinite(passes) ? pow(need, 1 / passes) : c->aim;
    c->enough = goal * goal * w->rr;
    c->before = c->in_double ? 0 : now;
    w->another = !c->in_double;
}

/* The one pass leaves alone what the other one goes through; who breaks in single comes again with a new residual. */
static enum sw_status iterate_single(void *context, struct elliptic_pass *pass, double *u)
{
    struct interleaved *p = context;
    const int systems = p->on.matrix.systems;
    bool some[2] = {false, false};
    for (int y = 0; y < systems; y++) {
        struct course *c = &p->course[y];
        c->due = is_due(&pass->way[y]);
        if (!c->due) continue;
        aim(c, pass, &pass->way[y]);
        c->due_in_double = c->in_double;
        some[c->in_double] = true;
    }
    for (int in_double = 0; in_double < 2; in_double++) {
        for (int y = 0; y < systems; y++)
            p->course[y].active = p->course[y].due && p->course[y].due_in_double == in_double;
        if (some[in_double]) SW_TRY(run(p, pass, !in_double, u));
    }
    return SW_OK;
}

/* |r| of the recurrence comes to the tolerance; the residual is that of u rounded. */
static enum sw_status iterate_throughout(void *context, struct elliptic_pass *pass, double *u)
{
    struct interleaved *p = context;
    const struct sw_cuda_elliptic *m = &p->on.matrix;
    bool some = false;
    for (int y = 0; y < m->systems; y++) {
        const struct elliptic_way *w = &pass->way[y];
        const double enough = w->numbers->tolerance * w->norm_f;
        p->course[y] = (struct course){.active = is_due(w), .enough = enough * enough};
        some |= p->course[y].active;
    }
    if (!some) return SW_OK;
    SW_TRY(run(p, pass, true, u));
    return sw_cuda_elliptic_shorten(p->on.device->compute, m->nx * m->ny * m->nz * m->systems, u);
}

static enum sw_status solve(struct sw_elliptic *s, const double *f, double *u, struct sw_elliptic_outcome *outcome,
                            double *history, int most)
{
    struct interleaved *p = s->own;
    struct elliptic_space space = elliptic_device_space(&p->on);
    const struct sw_elliptic_numbers *numbers = elliptic_ranks_begin(p->on.ranks, s->count, s->numbers);
    space.lean = true;
    p->throughout = s->desc.single;
    return elliptic_refine(&space, numbers, f, u, outcome, history, most,
                           s->desc.single ? iterate_throughout : p->numbers ? iterate_single : iterate, p);
}

/* ------------------------------------------------------------------ the rows */

/* Pivots over the area of a column 14, y and <r, z> 8, down 5. */
static struct sw_cost cost(const struct sw_elliptic_desc *d)
{
    return (struct sw_cost){10.5 * sizeof(double), (d->full ? 40 : 24) + 27 + 2 * 7};
}

/* Of an iteration in single; no operations in double but those of sums. */
static struct sw_cost cost_single(const struct sw_elliptic_desc *d)
{
    (void)d;
    return (struct sw_cost){10.5 * sizeof(float), NAN};
}

static const struct sw_elliptic_ops throughout = {
    .name = "cuda.interleaved",
    .about = "the same in single precision throughout",
    .space = SW_DEVICE,
    .refuse = refuse,
    .own_size = sizeof(struct interleaved),
    .arrays = arrays_single,
    .create = create,
    .load = load,
    .solve = solve,
    .destroy = destroy,
    .cost = cost_single,
};

extern const struct sw_elliptic_ops elliptic_interleaved_cuda, elliptic_interleaved_single_cuda;
const struct sw_elliptic_ops elliptic_interleaved_cuda = {
    .name = "cuda.interleaved",
    .about = "conjugate gradients on a GPU in two fused passes an iteration, systems together",
    .space = SW_DEVICE,
    .cuts = true,
    .refuse = refuse,
    .own_size = sizeof(struct interleaved),
    .arrays = arrays,
    .create = create,
    .load = load,
    .solve = solve,
    .destroy = destroy,
    .cost = cost,
    .single = &throughout,
};
const struct sw_elliptic_ops elliptic_interleaved_single_cuda = {
    .name = "cuda.interleaved_single",
    .about = "the same in single precision inside refinement in double",
    .space = SW_DEVICE,
    .refuse = refuse,
    .own_size = sizeof(struct interleaved),
    .arrays = arrays_single,
    .create = create,
    .load = load,
    .solve = solve,
    .destroy = destroy,
    .cost = cost_single,
};
