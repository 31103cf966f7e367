/* The problems of vertical modes in the plane, (Lh + lambda area) w = g, with vectors in device memory: for planes of
 * any size. A cluster of thread blocks takes one problem after another from a queue, hardest first; each block has some
 * rows. Conjugate gradients on the matrix scaled to a diagonal of ones, in single or double precision, inside
 * corrections whose residual is formed in double. An iteration is three passes,
 *
 *     v += alpha p;  p = r + beta p      5 words a cell
 *     q = p - neighbours;  p q           4, with cross terms 6
 *     r -= alpha q;  r r                 3
 *
 * and three barriers of the cluster. Operations: 18 a cell, 26 with cross terms. */
#include "cuda/elliptic/cluster.cuh"
#include "elliptic/elliptic_plane_point.h"
#include "cuda/elliptic/elliptic_plane.cuh"
#include "cuda/launch.cuh"

enum { THREADS = 512, WARPS = THREADS / 32, CORRECTIONS = 10 };

/* What one correction in single precision leaves of a residual, at least: not so little that its rounding shows. */
static constexpr double SINGLE_LEAVES = 1e-5;

/* Vectors of a cluster, in work: [cells] each. */
template <typename T> struct plane {
    T *scale;              /* 1/sqrt(diagonal)                                        */
    T *west, *south;       /* scaled weights towards these neighbours; 0 at walls     */
    T *rising, *falling;   /* of a cell's lower left corner; 0 at walls               */
    T *r, *p, *q, *v;
    double *w;
};

static int64_t vectors_of(bool cross, bool precise) { return (precise ? 2 : 1) * (cross ? 9 : 7) + 2; }  /* floats */

extern "C" size_t sw_cuda_planes_work(int64_t cells, bool cross, bool precise)
{
    return (size_t)(vectors_of(cross, precise) * ((cells + 3) / 4 * 4)) * sizeof(float);
}

template <typename T> __device__ static struct plane<T> plane_in(char *work, int64_t cells, bool cross)
{
    const int64_t room = (cells + 3) / 4 * 4;
    struct plane<T> y;
    y.w = (double *)work;
    T *next = (T *)(y.w + room);
    T **const each[] = {&y.scale, &y.west, &y.south, &y.r, &y.p, &y.q, &y.v, &y.rising, &y.falling};
    for (int k = 0; k < (cross ? 9 : 7); k++, next += room) *each[k] = next;
    return y;
}

/* For all cells (i, j) of a block's rows: `at` is j*nx + i. */
#define FOR_CELLS(i, j, at)                                                           \
    for (int j = first + (int)threadIdx.x / 32; j < behind; j += WARPS)               \
        for (int i = (int)threadIdx.x % 32, at = j * nx + i; i < nx; i += 32, at += 32)

template <typename T>
__device__ static void scale_matrix(const struct sw_cuda_elliptic &m, double lambda, const struct plane<T> &y,
                                    int first, int behind)
{
    const int nx = (int)m.nx, ny = (int)m.ny;
    FOR_CELLS(i, j, at) {
        const double own = 1 / sqrt(plane_diagonal(m, lambda, i, j));
        y.scale[at] = (T)own;
        T west = 0, south = 0;
        if (i > 0 || m.periodic_x) {
            const int other = i > 0 ? i - 1 : nx - 1;
            west = (T)(m.east[j * (nx + 1) + i] * own / sqrt(plane_diagonal(m, lambda, other, j)));
        }
        if (j > 0 || m.periodic_y) {
            const int other = j > 0 ? j - 1 : ny - 1;
            south = (T)(m.north[at] * own / sqrt(plane_diagonal(m, lambda, i, other)));
        }
        y.west[at] = west;
        y.south[at] = south;
        if (!m.cross) continue;
        T rising = 0, falling = 0;
        if (i > 0 && j > 0) {
            const double half = 0.5 * m.cross[j * (nx + 1) + i];
            rising = (T)(half * own / sqrt(plane_diagonal(m, lambda, i - 1, j - 1)));
            falling = (T)(-half / sqrt(plane_diagonal(m, lambda, i - 1, j) * plane_diagonal(m, lambda, i, j - 1)));
        }
        y.rising[at] = rising;
        y.falling[at] = falling;
    }
}

/* (B p) in a cell, B the scaled matrix. */
template <typename T>
__device__ static T apply_scaled(const struct sw_cuda_elliptic &m, const struct plane<T> &y, int i, int j)
{
    const int nx = (int)m.nx, ny = (int)m.ny, at = j * nx + i, west = i > 0 ? at - 1 : at + nx - 1,
              east = i < nx - 1 ? at + 1 : at - nx + 1, south = j > 0 ? at - nx : at + (ny - 1) * nx,
              north = j < ny - 1 ? at + nx : at - (ny - 1) * nx;
    /* Those around a corner have a weight of 0 where the plane is not periodic. */
    T sum = (y.west[at] * y.p[west] + y.west[east] * y.p[east]) +
            (y.south[at] * y.p[south] + y.south[north] * y.p[north]);
    if (m.cross) {
        if (i > 0 && j > 0) sum += y.rising[at] * y.p[at - nx - 1];
        if (i < nx - 1 && j > 0) sum += y.falling[at + 1] * y.p[at - nx + 1];
        if (i > 0 && j < ny - 1) sum += y.falling[at + nx] * y.p[at + nx - 1];
        if (i < nx - 1 && j < ny - 1) sum += y.rising[at + nx + 1] * y.p[at + nx + 1];
    }
    return y.p[at] - sum;
}

/* v from B v = r, until |r|² is small enough.
 * @return p A p of the last direction */
template <typename T>
__device__ static double iterate(struct cluster *c, const struct sw_cuda_elliptic &m, const struct plane<T> &y,
                                 int first, int behind, double rr, double enough)
{
    const int nx = (int)m.nx;
    const int64_t cells = m.nx * m.ny, most = 1000 + 20 * (m.nx + m.ny);
    double pq = 1;
    T alpha = 0, beta = 0;
    for (int64_t left = most < 2 * cells + 100 ? most : 2 * cells + 100; left > 0 && rr > enough; left--) {
        FOR_CELLS(i, j, at) {
            const T p = y.p[at];
            y.v[at] += alpha * p;
            y.p[at] = y.r[at] + beta * p;
        }
        cluster_barrier();
        double sum = 0;
        FOR_CELLS(i, j, at) {
            const T q = apply_scaled(m, y, i, j);
            y.q[at] = q;
            sum += (double)y.p[at] * q;
        }
        pq = sum_of_cluster(c, sum);
        alpha = 0;
        if (!(pq > 0)) break;
        alpha = (T)(rr / pq);
        sum = 0;
        FOR_CELLS(i, j, at) {
            const T r = y.r[at] - alpha * y.q[at];
            y.r[at] = r;
            sum += (double)r * r;
        }
        sum = sum_of_cluster(c, sum);
        beta = (T)(sum / rr);
        rr = sum;
    }
    FOR_CELLS(i, j, at) y.v[at] += alpha * y.p[at];
    return pq;
}

template <typename T>
__device__ static struct elliptic_plane_outcome solve(struct cluster *c, const struct sw_cuda_elliptic &m,
                                                      double lambda, double target, double *g,
                                                      const struct plane<T> &y)
{
    const bool precise = sizeof(T) == sizeof(double);
    const int nx = (int)m.nx, first = (int)(m.ny * c->rank / c->size), behind = (int)(m.ny * (c->rank + 1) / c->size);
    struct elliptic_plane_outcome o = {0, 1};
    double sum = 0, most = 0, before = 0;
    scale_matrix(m, lambda, y, first, behind);
    FOR_CELLS(i, j, at) {
        y.w[at] = 0;
        sum += g[at] * g[at];
        most += plane_diagonal(m, lambda, i, j);
    }
    o.residual = sqrt(sum_of_cluster(c, sum));
    /* |g - A w|² = sum of diagonal r², and what is left of r is spread evenly: the mean of the diagonal will do. */
    const double mean = sqrt(sum_of_cluster(c, most) / (double)(m.nx * m.ny));
    for (int k = 0; k < CORRECTIONS && o.residual > target && !(k > 0 && o.residual > 0.5 * before); k++) {
        const double enough = 0.5 * target / (o.residual * mean);
        sum = 0;
        FOR_CELLS(i, j, at) {
            const double rest = k > 0 ? plane_residual(m, lambda, g, y.w, i, j) : g[at];
            const T r = (T)(rest / o.residual) * y.scale[at];
            y.r[at] = r;
            y.p[at] = y.v[at] = 0;
            sum += (double)r * r;
        }
        const double rr = sum_of_cluster(c, sum), least = precise ? 0 : SINGLE_LEAVES * SINGLE_LEAVES * rr;
        const double pq = iterate(c, m, y, first, behind, rr, enough * enough > least ? enough * enough : least);
        if (precise) o.pq = pq;
        FOR_CELLS(i, j, at) y.w[at] += o.residual * ((double)y.scale[at] * y.v[at]);
        cluster_barrier();
        sum = 0;
        FOR_CELLS(i, j, at) {
            const double rest = plane_residual(m, lambda, g, y.w, i, j);
            sum += rest * rest;
        }
        before = o.residual;
        o.residual = sqrt(sum_of_cluster(c, sum));
    }
    if (!isfinite(o.residual)) o.pq = NAN;
    FOR_CELLS(i, j, at) g[at] = y.w[at];
    return o;
}

template <typename T>
__global__ static void __launch_bounds__(THREADS) elliptic_plane_memory_k(struct sw_cuda_planes s, unsigned size,
                                                                         char *work, size_t bytes)
{
    __shared__ struct cluster_words words;
    struct cluster c = join_cluster(size, &words);
    const struct sw_cuda_elliptic &m = s.matrix;
    const int64_t cells = m.nx * m.ny;
    const struct plane<T> y = plane_in<T>(work + blockIdx.x / size * bytes, cells, m.cross != NULL);
    for (;;) {
        const int next = take_next(&c, s.queue);
        if (next >= s.count) return;
        const int item = s.order[next];
        const double goal = s.goal[item / m.nz];
        if (goal < 0) continue;
        const struct elliptic_plane_outcome o =
            solve(&c, m, s.lambda[item], goal * s.share[item], s.w + item * cells, y);
        if (c.rank == 0 && threadIdx.x == 0) s.outcome[item] = o;
    }
}

extern "C" enum sw_status sw_cuda_planes_in_memory(sw_cuda_stream stream, const struct sw_cuda_planes *s, bool precise,
                                                   int clusters, int size, void *work)
{
    void (*const kernel)(struct sw_cuda_planes, unsigned, char *, size_t) =
        precise ? elliptic_plane_memory_k<double> : elliptic_plane_memory_k<float>;
    if (s->count == 0) return SW_OK;
    if (size > CLUSTER_PORTABLE) SW_TRY(allow_large_clusters(kernel));
    return launch(kernel, (long long)clusters * size, THREADS, 0, (cudaStream_t)stream, CLUSTERS(size), *s,
                  (unsigned)size, (char *)work,
                  sw_cuda_planes_work(s->matrix.nx * s->matrix.ny, s->matrix.cross != NULL, precise));
}

extern "C" enum sw_status sw_cuda_planes_memory_clusters(int size, int *clusters)
{
    int precise = 0;
    SW_TRY(clusters_at_once(elliptic_plane_memory_k<float>, size, THREADS, 0, clusters));
    SW_TRY(clusters_at_once(elliptic_plane_memory_k<double>, size, THREADS, 0, &precise));
    if (precise < *clusters) *clusters = precise;
    return SW_OK;
}
