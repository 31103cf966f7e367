/* Preconditioned conjugate gradients on the CPU in two passes over the vectors, the paper's algorithm 1: row
 * `cpu.interleaved`. A acts on z instead of p, and q = A p follows by the recurrence of p:
 *
 *     K1   u += alpha p;  p = z + beta p;  q = A z + beta q;  <p, q>        of the iteration before: alpha, beta
 *     K2   r -= alpha q;  <r, r>;  z = M^-1 r;  <r, z>
 *
 * K1 forms A z of some rows, as many as fit half the first-level cache, and combines them there: to do so row by row
 * takes a tenth longer at 256 x 256 x 128, as computing and streaming then hinder each other. K2 takes r of a slab in
 * one stream, and solves its columns in the next cache. Words a cell and iteration: K1 reads z, u, p, q and writes u,
 * p, q, 7; K2 reads r, q and writes r, z, 4: 11. Caches add 1, as z is fetched before it is written; and 1 or 2 for
 * the slabs of z beside a slab, where the last cache does not hold four arrays of three slabs for each thread. K2 goes
 * through the slabs in the opposite order, so that both begin with what the other one has left in the caches.
 *
 * K1 and K2 each end with a sum, for which the ranks of a grid that is cut meet twice an iteration. Where slabs are
 * small the recurrences are those of A. Chronopoulos, C. Gear (1989), where <p, A p> follows from <z, A z>, and one sum
 * is left:
 *
 *     L1   <z, A z>, of which A z is not stored; <r, r>, <r, z> of the pass before                       1 word
 *          beta = <r, z>/<r, z>', alpha = <r, z>/(<z, A z> - beta <r, z>/alpha')                  of the last: '
 *     L2   A z again; p = z + beta p;  q = A z + beta q;  u += alpha p;  r -= alpha q;  z = M^-1 r      10 words
 *
 * These are 11 words as well, with one more vector, as z is needed until L2 has passed; but A z twice, which takes a
 * fifth of an iteration on the CPU (some 7 ns a cell on one core, where it is 0.2 ms for MEET_ONCE cells and a sum over
 * the nodes of a cluster takes some 30 us). Either way an iteration exchanges one slab of z with either neighbour. */
#include <omp.h>
#include <string.h>

#include "comm/sw_comm.h"
#include "elliptic/elliptic_host.h"
#include "elliptic/sw_elliptic_impl.h"

enum { MEET_ONCE = 1 << 15 };  /* cells of a slab, for which one sum pays */

struct interleaved {
    struct elliptic_host host;  /* host.work: r, z, p, q */
    int64_t together;       /* rows that K1 takes at a time */
    size_t  room;           /* words of these, in whole cache lines */
    real   *rows;           /* [threads][room]: A z of these */
    real   *other;          /* [cells]: the next z, where ranks meet once; else NULL */
};

/* The same on all ranks. */
static bool meets_once(const struct sw_elliptic_desc *d)
{
    const int64_t ranks = d->cut.comm ? d->cut.comm->size : 1, rows = (sw_elliptic_whole(d) + ranks - 1) / ranks;
    return d->cut.comm && (double)rows * (double)d->n[0] * (double)d->n[2] < MEET_ONCE;
}

static int64_t rows_together(const struct sw_elliptic_desc *d)
{
    const int64_t half_a_cache = (16 << 10) / (int64_t)sizeof(real), rows = half_a_cache / d->n[0];
    return rows < 1 ? 1 : rows < d->n[2] ? rows : d->n[2];
}

static void arrays(struct sw_elliptic *s)
{
    struct interleaved *p = s->own;
    elliptic_host_make(&s->desc, s->device->threads, 4, &s->arrays, &p->host);
    p->together = rows_together(&s->desc);
    p->room = (size_t)(p->together * s->desc.n[0] + 7) / 8 * 8;
    sw_array(&s->arrays, (size_t)s->device->threads * p->room, &p->rows);
    if (meets_once(&s->desc)) sw_array(&s->arrays, p->host.cells, &p->other);
}

/* ------------------------------------------------------------------ K1 */

/* Some rows of K1. @param az  A z  @param first  there is no p yet, and no q: alpha and beta are 0
 * @param pq  in, out: <p, q> */
static void advance_rows(int64_t count, bool first, real alpha, real beta, const real *restrict z,
                         const real *restrict az, real *restrict u, real *restrict p, real *restrict q,
                         struct elliptic_lanes *pq)
{
    struct elliptic_lanes s = *pq;
    int64_t i = 0;
    if (first) {
        memcpy(p, z, (size_t)count * sizeof *p);
        memcpy(q, az, (size_t)count * sizeof *q);
        elliptic_add_products(pq, p, q, count);
        return;
    }
    for (; i + ELLIPTIC_LANES <= count; i += ELLIPTIC_LANES)
        for (int l = 0; l < ELLIPTIC_LANES; l++) {
            const real now = z[i + l] + beta * p[i + l], then = az[i + l] + beta * q[i + l];
            u[i + l] += alpha * p[i + l];
            p[i + l] = now;
            q[i + l] = then;
            s.of[l] += now * then;
        }
    for (int l = 0; i < count; i++, l++) {
        u[i] += alpha * p[i];
        p[i] = z[i] + beta * p[i];
        q[i] = az[i] + beta * q[i];
        s.of[l] += p[i] * q[i];
    }
    *pq = s;
}

struct k1 { struct interleaved *s; bool first; real alpha, beta; real *u; };

static void advance_slab(const void *own, struct elliptic_beside ends, int64_t j)
{
    const struct k1 *k1 = own;
    struct interleaved *s = k1->s;
    const struct sw_elliptic_matrix *m = s->host.matrix;
    const int64_t nx = m->nx, nz = m->nz, cells = nx * m->ny * nz;
    const real *const z = s->host.work + cells;
    real *const p = s->host.work + 2 * cells, *const q = s->host.work + 3 * cells,
         *const scratch = elliptic_host_scratch(&s->host),
         *const az = s->rows + (size_t)omp_get_thread_num() * s->room;
    struct elliptic_lanes pq = {{0}};
    for (int64_t k = 0; k < nz; k += s->together) {
        const int64_t at = (j * nz + k) * nx, rows = nz - k < s->together ? nz - k : s->together;
        for (int64_t i = 0; i < rows; i++) elliptic_apply_row(m, z, ends, j, k + i, az + i * nx, scratch);
        advance_rows(rows * nx, k1->first, k1->alpha, k1->beta, z + at, az, k1->u + at, p + at, q + at, &pq);
    }
    s->host.sums[j] = elliptic_sum_of(&pq);
}

/* @param pq  out: <p, q> */
static enum sw_status advance(struct interleaved *s, bool first, double alpha, double beta, real *u, double *pq)
{
    const struct k1 k1 = {s, first, (real)alpha, (real)beta, u};
    SW_TRY(elliptic_host_slabs(&s->host, s->host.work + s->host.cells, advance_slab, &k1));
    return elliptic_host_sums(&s->host, 0, 1, pq);
}

/* ------------------------------------------------------------------ K2 */

/* @param first  r is there: alpha is 0, and q not looked at  @param rr, rz  out: <r, r>, <r, z> */
static enum sw_status reduce(struct interleaved *s, bool first, double by_alpha, double *rr, double *rz)
{
    const real alpha = (real)by_alpha;
    double sum[2];
    const struct sw_elliptic_matrix *m = s->host.matrix;
    const int64_t nx = m->nx, ny = m->ny, nz = m->nz, cells = nx * ny * nz, block = elliptic_columns(m);
#pragma omp parallel for num_threads(s->host.threads) schedule(static)
    for (int64_t back = 0; back < ny; back++) {
        const int64_t j = ny - 1 - back;
        real *const r = s->host.work + j * nz * nx, *const z = r + cells;
        struct elliptic_lanes own = {{0}}, cross = {{0}};
        const real *q = r + 3 * cells;
        for (int64_t i = 0; i < nx; i += block) {
            const int64_t count = nx - i < block ? nx - i : block;
            for (int64_t k = 0; k < nz; k++) {
                real *restrict to = r + k * nx + i;
                const real *restrict from = q + k * nx + i;
                for (int64_t c = 0; !first && c < count; c++) to[c] -= alpha * from[c];
                elliptic_add_products(&own, to, to, count);
            }
            elliptic_precondition_columns(m, j, i, count, r, z, elliptic_host_scratch(&s->host));
            for (int64_t k = 0; k < nz; k++) elliptic_add_products(&cross, r + k * nx + i, z + k * nx + i, count);
        }
        s->host.sums[ny + j] = elliptic_sum_of(&own);
        s->host.sums[2 * ny + j] = elliptic_sum_of(&cross);
    }
    SW_TRY(elliptic_host_sums(&s->host, 1, 2, sum));
    *rr = sum[0];
    *rz = sum[1];
    return SW_OK;
}

/* ------------------------------------------------------------------ L1 and L2 */

struct pass {
    struct interleaved *s;
    bool    begins;        /* L2 only forms z and the sums from r */
    double  alpha, beta;
    real   *z, *next, *u;  /* next: the next z */
};

enum { RR, RZ, ZAZ, SUMS };  /* rows of host.sums */

static void l1_slab(const void *own, struct elliptic_beside ends, int64_t j)
{
    const struct pass *l = own;
    struct interleaved *s = l->s;
    const struct sw_elliptic_matrix *m = s->host.matrix;
    real *const az = s->rows + (size_t)omp_get_thread_num() * s->room;
    struct elliptic_lanes sum = {{0}};
    for (int64_t k = 0; k < m->nz; k++) {
        elliptic_apply_row(m, l->z, ends, j, k, az, elliptic_host_scratch(&s->host));
        elliptic_add_products(&sum, l->z + (j * m->nz + k) * m->nx, az, m->nx);
    }
    s->host.sums[ZAZ * m->ny + j] = elliptic_sum_of(&sum);
}

static void step_rows(int64_t count, real alpha, real beta, const real *restrict z, const real *restrict az,
                      real *restrict u, real *restrict p, real *restrict q, real *restrict r)
{
    for (int64_t i = 0; i < count; i++) {
        p[i] = z[i] + beta * p[i];
        q[i] = az[i] + beta * q[i];
        u[i] += alpha * p[i];
        r[i] -= alpha * q[i];
    }
}

static void l2_slab(const void *own, struct elliptic_beside ends, int64_t j)
{
    const struct pass *l = own;
    struct interleaved *s = l->s;
    const struct sw_elliptic_matrix *m = s->host.matrix;
    const int64_t nx = m->nx, nz = m->nz, cells = nx * m->ny * nz, slab = j * nz * nx;
    real *const r = s->host.work, *const p = r + 2 * cells, *const q = r + 3 * cells,
         *const scratch = elliptic_host_scratch(&s->host),
         *const az = s->rows + (size_t)omp_get_thread_num() * s->room;
    struct elliptic_lanes rr = {{0}}, rz = {{0}};
    for (int64_t k = 0; k < nz && !l->begins; k += s->together) {
        const int64_t at = slab + k * nx, rows = nz - k < s->together ? nz - k : s->together;
        for (int64_t i = 0; i < rows; i++) elliptic_apply_row(m, l->z, ends, j, k + i, az + i * nx, scratch);
        step_rows(rows * nx, (real)l->alpha, (real)l->beta, l->z + at, az, l->u + at, p + at, q + at, r + at);
    }
    elliptic_precondition_slab(m, j, r + slab, l->next + slab, scratch);
    elliptic_add_products(&rr, r + slab, r + slab, nz * nx);
    elliptic_add_products(&rz, r + slab, l->next + slab, nz * nx);
    s->host.sums[RR * m->ny + j] = elliptic_sum_of(&rr);
    s->host.sums[RZ * m->ny + j] = elliptic_sum_of(&rz);
}

static enum sw_status iterate_meeting_once(void *context, struct elliptic_way *way, real *u)
{
    struct interleaved *s = context;
    const size_t cells = s->host.cells;
    struct pass l = {.s = s, .begins = true, .z = s->other, .next = s->host.work + cells, .u = u};
    double sum[SUMS], rz = 0;
    if (way->outcome->iterations >= way->numbers->iterations) return SW_OK;
    memset(s->host.work + 2 * cells, 0, 2 * cells * sizeof *u);
    for (bool first = true;; first = false) {
        elliptic_host_slabs_again(&s->host, l.z, l2_slab, &l);
        real *const old = l.z;
        l.z = l.next;
        l.next = old;
        l.begins = false;
        SW_TRY(elliptic_host_slabs(&s->host, l.z, l1_slab, &l));
        SW_TRY(elliptic_host_sums(&s->host, 0, SUMS, sum));
        way->rr = sum[RR];
        if (!first && !elliptic_record(way)) return SW_OK;
        l.beta = first ? 0 : sum[RZ] / rz;
        const double pq = sum[ZAZ] - (first ? 0 : l.beta * sum[RZ] / l.alpha);
        if (elliptic_breaks(way, pq)) return SW_OK;
        rz = sum[RZ];
        l.alpha = rz / pq;
    }
}

/* ------------------------------------------------------------------ */

/* u lags by alpha p, which the next K1 adds, or the end. */
static enum sw_status iterate(void *context, struct elliptic_way *way, real *u)
{
    struct interleaved *s = context;
    const struct elliptic_space space = elliptic_host_space(&s->host);
    double alpha = 0, beta = 0, rz, next, pq;
    bool due = way->outcome->iterations < way->numbers->iterations;
    if (!due) return SW_OK;
    SW_TRY(reduce(s, true, 0, &way->rr, &rz));
    for (bool first = true; due; first = false) {
        SW_TRY(advance(s, first, alpha, beta, u, &pq));
        if (elliptic_breaks(way, pq)) return SW_OK;
        alpha = rz / pq;
        SW_TRY(reduce(s, false, alpha, &way->rr, &next));
        beta = next / rz;
        rz = next;
        due = elliptic_record(way);
    }
    return space.combine(space.context, alpha, space.work[2], 1, u);
}

static enum sw_status solve_one(struct sw_elliptic *solver, int system, const double *f, double *u,
                                struct sw_elliptic_outcome *outcome, double *history, int most)
{
    struct interleaved *s = solver->own;
    return elliptic_host_solve(&s->host, solver, system, f, u, outcome, history, most,
                               s->other ? iterate_meeting_once : iterate, s);
}

static struct sw_cost cost(const struct sw_elliptic_desc *d)
{
    return (struct sw_cost){11 * sizeof(real), (d->full ? 40 : 24) + 13 + 1 + 2 * 7};
}

/* Numbers that keep the vectors in range, however often. */
static enum sw_status time_k1(struct sw_elliptic *s, void *u)
{
    double pq;
    return advance(s->own, false, 1e-3, 0.5, u, &pq);
}

static enum sw_status time_k2(struct sw_elliptic *s, void *u)
{
    double rr, rz;
    (void)u;
    return reduce(s->own, false, 1e-3, &rr, &rz);
}

static const struct sw_elliptic_kernel kernels[] = {
    {"SpMV", 24 + 2 * 4, 7, time_k1}, {"prec", 13 + 1 + 2 * 3, 4, time_k2}, {0}};

extern const struct sw_elliptic_ops elliptic_interleaved_cpu, elliptic_interleaved_single_cpu;
const struct sw_elliptic_ops elliptic_interleaved_cpu = {
    .name = "cpu.interleaved",
    .about = "conjugate gradients in two fused passes an iteration, preconditioned by vertical tridiagonal solves",
    .space = SW_HOST,
    .cuts = true,
    .spheres = true,
    .own_size = sizeof(struct interleaved),
    .arrays = arrays,
    .solve_one = solve_one,
    .cost = cost,
    .kernels = kernels,
    .single = &elliptic_interleaved_single_cpu,
};
