#include "problem/bvp/bvp_pairs.h"

#include <math.h>

#include "base/sw_mem.h"

static size_t chunks_of(size_t unknowns) { return (unknowns + PAIRS_CHUNK - 1) / PAIRS_CHUNK; }

/* ------------------------------------------------------------------ a batch */

/* 1/Σ 1/c, to a power of two within the range of numbers; 1 for one unknown. */
static double scale_of(double resistance, int n)
{
    const int exponent = isinf(resistance) ? 1022 : ilogb(resistance);
    return n < 2 ? 1 : ldexp(1, -(exponent > -1022 ? exponent < 1022 ? exponent : 1022 : -1022));
}

static enum sw_status upload(const struct sw_bvp *bvp, void *to, const void *from, size_t bytes)
{
    return to == from ? SW_OK : sw_device_upload(bvp->device, to, from, bytes);
}

static enum sw_status download(const struct sw_bvp *bvp, void *to, const void *from, size_t bytes)
{
    return to == from ? SW_OK : sw_device_download(bvp->device, to, from, bytes);
}

/* The matrices, and the first step of each system. Systems that are not there have no unknowns. */
static enum sw_status begin(struct sw_bvp *bvp)
{
    struct bvp_pairs *p = bvp->own;
    struct bvp_general *s = &p->general;
    const int room = bvp->desc.capacity;
    for (int j = 0; j < room; j++) {
        struct sw_bvp_system *t = &s->tri[j];
        bvp_general_bind(s, j, p->system, t);
        p->unknowns[j] = t->n;
        p->refinement[j] = sw_tri_refinement_begin(t);
        p->scale[j] = scale_of(s->taken[j].resistance, t->n);
    }
    if (!s->work) SW_TRY(upload(bvp, p->system, s->system, 3 * s->vector * sizeof *s->system));
    SW_TRY(upload(bvp, (void *)p->pairs.scale, p->scale, (size_t)room * sizeof *p->scale));
    SW_TRY(upload(bvp, (void *)p->pairs.tri, s->tri, (size_t)room * sizeof *s->tri));
    return p->work->make(bvp->device, &p->pairs, 0, room);
}

/* A system without a solution leaves the batch, so that it is not looked at again. */
static enum sw_status retire(struct sw_bvp *bvp, int j)
{
    struct bvp_pairs *p = bvp->own;
    p->general.tri[j].n = 0;
    SW_TRY(upload(bvp, (void *)&p->pairs.tri[j], &p->general.tri[j], sizeof *p->pairs.tri));
    return p->work->make(bvp->device, &p->pairs, j, 1);
}

/* What the solver says of a system whose matrix it meets for the first time. Rows 2k and 2k + 1 are of unknown k. */
static void end_at_fault(struct sw_tri_refinement *r, const struct sw_tridiagonal_outcome *found)
{
    const int row = found->row < 0 ? 0 : (int)(found->row / 2);
    if ((r->step != SW_TRI_SOLVE && r->step != SW_TRI_TEST) || !found->fault) return;
    sw_tri_refinement_end(r, found->fault == SW_TRIDIAGONAL_SINGULAR ? SW_TRI_PIVOT : SW_TRI_OVERFLOW, row);
}

static void next_step(struct bvp_pairs *p, int j)
{
    const struct sw_tri_measured *part = p->part + (size_t)j * (size_t)p->pairs.chunks;
    struct sw_tri_measured all = part[0];
    if (p->refinement[j].step == SW_TRI_DONE) return;
    for (int chunk = 1; chunk < p->pairs.chunks; chunk++) sw_tri_measure_more(&all, &part[chunk]);
    sw_tri_refinement_next(&p->refinement[j], &all, p->pairs.n);
}

/* One right-hand side of each system. */
static enum sw_status solve_round(struct sw_bvp *bvp, const struct sw_tridiagonal_rows *rows)
{
    struct bvp_pairs *p = bvp->own;
    const size_t count = (size_t)bvp->count;
    SW_TRY(upload(bvp, (void *)p->pairs.refinement, p->refinement, count * sizeof *p->refinement));
    SW_TRY(p->work->fill(bvp->device, &p->pairs, bvp->count));
    SW_TRY(sw_tridiagonal_solve(p->solver, rows, p->pairs.x));
    SW_TRY(sw_tridiagonal_outcome(p->solver, rows, p->pairs.x, p->found));
    SW_TRY(p->work->measure(bvp->device, &p->pairs, bvp->count));
    SW_TRY(download(bvp, p->part, p->pairs.part, count * (size_t)p->pairs.chunks * sizeof *p->part));
    for (int j = 0; j < bvp->count; j++) {
        end_at_fault(&p->refinement[j], &p->found[j]);
        next_step(p, j);
        if (p->found[j].fault) SW_TRY(retire(bvp, j));
    }
    return SW_OK;
}

static bool is_over(const struct sw_bvp *bvp)
{
    const struct bvp_pairs *p = bvp->own;
    bool over = true;
    for (int j = 0; j < bvp->count; j++) over &= p->refinement[j].step == SW_TRI_DONE;
    return over;
}

/* ------------------------------------------------------------------ systems that come to nothing */

static bool needs_rescue(const struct sw_tri_outcome *o)
{
    return o->fault == SW_TRI_PIVOT || o->fault == SW_TRI_OVERFLOW || o->fault == SW_TRI_LOST ||
           o->fault == SW_TRI_NOT_CONVERGED;
}

enum { ROOM = 7 };  /* vectors of a system: c, e, b, u; l, inverse; work */

/* Solve system j as cpu.thomas does, whose row sums take any c and e. @param room  [ROOM] vectors of a system */
static enum sw_status solve_by_elimination(struct sw_bvp *bvp, int j, double *room)
{
    struct bvp_pairs *p = bvp->own;
    struct bvp_general *s = &p->general;
    struct sw_bvp_system *t = &s->tri[j];
    const size_t rows = (size_t)s->rows, line = (size_t)j * s->line, bytes = rows * sizeof *room;
    double *u = room + 3 * rows;
    for (size_t k = 0; k < 3; k++)
        if (s->work) SW_TRY(sw_device_download(bvp->device, room + k * rows, p->system + k * s->vector + line, bytes));
        else sw_copy(room + k * rows, s->system + k * s->vector + line, bytes, 1);
    t->n = p->unknowns[j];
    t->stride = 1;
    t->c = room;
    t->e = room + rows;
    t->b = room + 2 * rows;
    t->l = room + 4 * rows;
    t->inverse = room + 5 * rows;
    t->solve = sw_tri_solve;
    t->keeps = true;
    bvp_general_solve_one(s, j, sw_tri_factor(t), u, room + 6 * rows);
    if (s->work) return sw_device_upload(bvp->device, p->pairs.u + line, u, bytes);
    sw_copy(s->u + line, u, bytes, 1);
    return SW_OK;
}

/* The outcomes are the solver's of pairs; where these come to nothing, those of the elimination, and so is u. */
static enum sw_status rescue(struct sw_bvp *bvp)
{
    struct bvp_pairs *p = bvp->own;
    double *room = NULL;
    for (int j = 0; j < bvp->count; j++) {
        if (!needs_rescue(&p->general.outcome[j])) continue;
        if (!room) SW_TRY(sw_alloc(ROOM * (size_t)p->general.rows, &room));
        const enum sw_status st = solve_by_elimination(bvp, j, room);
        if (st) return sw_free(room), st;
    }
    sw_free(room);
    return SW_OK;
}

static enum sw_status eliminate(struct sw_bvp *bvp)
{
    struct bvp_pairs *p = bvp->own;
    const struct sw_tridiagonal_rows rows = {p->pairs.lower, p->pairs.main, p->pairs.upper, p->pairs.rhs};
    SW_TRY(begin(bvp));
    while (!is_over(bvp)) SW_TRY(solve_round(bvp, &rows));
    for (int j = 0; j < bvp->count; j++) p->general.outcome[j] = p->refinement[j].outcome;
    if (!p->general.work) SW_TRY(download(bvp, p->general.u, p->pairs.u, p->general.vector * sizeof *p->pairs.u));
    return rescue(bvp);
}

/* ------------------------------------------------------------------ the operations of a row */

static struct sw_tridiagonal_desc shape_of(int64_t unknowns, int batch)
{
    return (struct sw_tridiagonal_desc){.n = 2 * unknowns - 1, .batch = batch};
}

void bvp_pairs_destroy(struct sw_bvp *bvp)
{
    struct bvp_pairs *p = bvp->own;
    sw_tridiagonal_destroy(&p->solver);
    bvp_general_destroy(bvp);
}

/* On a device: what the CPU has as well. */
static void list_copies(struct sw_bvp *bvp, struct bvp_pairs *p)
{
    const size_t room = (size_t)bvp->desc.capacity;
    struct sw_owned *own = &bvp->arrays;
    sw_array_device(own, 3 * p->general.vector, &p->system);
    sw_array_device(own, p->general.vector, &p->pairs.u);
    sw_array_device(own, room, &p->pairs.tri);
    sw_array_device(own, room, &p->pairs.refinement);
    sw_array_device(own, room, &p->pairs.scale);
    sw_array_device(own, room * (size_t)p->pairs.chunks, &p->pairs.part);
}

static void share_arrays(struct bvp_pairs *p)
{
    p->system = p->general.system;
    p->pairs.u = p->general.u;
    p->pairs.tri = p->general.tri;
    p->pairs.refinement = p->refinement;
    p->pairs.scale = p->scale;
    p->pairs.part = p->part;
}

void bvp_pairs_arrays(struct sw_bvp *bvp)
{
    const size_t room = (size_t)bvp->desc.capacity;
    struct sw_owned *own = &bvp->arrays;
    struct bvp_pairs *p = bvp->own;
    struct sw_bvp_pairs *q = &p->pairs;
    p->general.eliminate = eliminate;
    bvp_general_arrays(bvp, &p->general);
    q->n = p->general.unknowns > 0 ? p->general.unknowns : 1;  /* both ends given, and nothing between */
    q->chunks = (int)chunks_of((size_t)q->n);
    q->line = p->general.line;
    sw_array(own, room, &p->refinement);
    sw_array(own, room * (size_t)q->chunks, &p->part);
    sw_array(own, room, &p->scale);
    sw_array(own, room, &p->unknowns);
    sw_array(own, room, &p->found);
    if (bvp->device->space == SW_DEVICE) list_copies(bvp, p);
    else share_arrays(p);
    double **const array[] = {&q->lower, &q->main, &q->upper, &q->rhs, &q->x};
    for (int k = 0; k < 5; k++) sw_array_device(own, room * pairs_rows(q), array[k]);
    sw_array_device(own, p->general.vector, &q->v);
}

enum sw_status bvp_pairs_create(struct sw_bvp *bvp, const struct bvp_pairs_work *work)
{
    struct bvp_pairs *p = bvp->own;
    p->work = work;
    const struct sw_tridiagonal_desc shape = shape_of(p->pairs.n, bvp->desc.capacity);
    return sw_tridiagonal_create(&shape, bvp->ops->name, bvp->device, &p->solver);
}

/* The solver's own: of one system, and what each more adds. */
enum sw_status bvp_pairs_solver_bytes(const struct sw_bvp_ops *row, const struct sw_bvp_desc *desc,
                                      const struct sw_device *device, size_t *fixed, size_t *per_run)
{
    const struct sw_tridiagonal_desc one = shape_of(desc->n, 1), two = shape_of(desc->n, 2);
    size_t first, both;
    SW_TRY(sw_tridiagonal_bytes(&one, row->name, device, &first));
    SW_TRY(sw_tridiagonal_bytes(&two, row->name, device, &both));
    *fixed += first;
    *per_run += both > first ? both - first : 0;
    return SW_OK;
}

/* Of a point: c and e read and the three diagonals and 0 written; twice a right-hand side (b, the other time c, e, b,
 * u and v, read; both rows written), a solve of two rows, and x, e and b read and u and v written, the other time read
 * as well. */
struct sw_cost bvp_pairs_cost(const struct sw_bvp *bvp)
{
    const struct bvp_pairs *p = bvp->own;
    const struct sw_cost row = sw_tridiagonal_cost(p->solver);
    return (struct sw_cost){80 + 8 + 40 + 16 + 2 * (16 + 2 * row.bytes + 16 + 32), 2 + 30 + 2 * 2 * row.fma};
}
