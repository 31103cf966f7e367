/* The equations of the general problem, and norms and fields of their solutions (src/problem/bvp/bvp_form_cuda.c).
 * Behind cuda/bvp/bvp_rtc.cuh and problem/bvp/bvp_cells_point.h. A block has SIDE problems, whose systems lie
 * interleaved where there are several, and a chunk of CHUNK points of each. What a chunk's threads find is joined in an
 * order that SIDE fixes. */

enum { ALONG = FORM_THREADS / SIDE };  /* threads of a problem */

struct place { int j, chunk, lane; bool there; };

__device__ static inline struct place place_of(const struct bvp_batch &b, const struct bvp_forming &f)
{
    struct place at;
    at.j = blockIdx.x / f.chunks * SIDE + threadIdx.x % SIDE;
    at.chunk = blockIdx.x % f.chunks;
    at.lane = threadIdx.x / SIDE;
    at.there = at.j < b.count;
    return at;
}

/* The first entry of a thread, and the end of its chunk, of `count` entries. */
__device__ static inline long long first_of(const struct place &at) { return (long long)at.chunk * CHUNK + at.lane; }
__device__ static inline long long end_of(const struct place &at, long long count)
{
    const long long end = (long long)(at.chunk + 1) * CHUNK;
    return end < count ? end : count;
}

__device__ static inline void join(struct bvp_values *a, const struct bvp_values *b) { bvp_values_join(a, b); }
__device__ static inline void join(struct bvp_made *a, const struct bvp_made *b) { bvp_made_join(a, b); }
__device__ static inline void join(struct bvp_norms *a, const struct bvp_norms *b) { norms_add(a, b); }

/* part[j][chunk] = what the threads of a problem have found */
template <class T>
__device__ static inline void join_lanes(const struct place &at, const T &found, int chunks, T *part)
{
    __shared__ T shared[FORM_THREADS];
    shared[threadIdx.x] = found;
    for (int w = ALONG / 2; w > 0; w /= 2) {
        __syncthreads();
        if (at.lane < w) join(&shared[threadIdx.x], &shared[threadIdx.x + w * SIDE]);
    }
    if (at.lane == 0 && at.there) part[(long long)at.j * chunks + at.chunk] = shared[threadIdx.x];
}

/* p between the points i and i+1, at the x of the CPU */
__device__ static inline double p_between(const struct problem &p, long long i)
{
    return p_at(p, (p.x0 + p.h * 0.5) + p.h * (double)i);
}

/* Evaluates f, q and p once a point; writes a struct a chunk. */
extern "C" __global__ void values_k(struct bvp_batch b, struct bvp_forming f)
{
    const struct place at = place_of(b, f);
    struct bvp_values v = bvp_no_values();
    if (at.there) {
        const struct problem p = problem_of(b, at.j);
        for (long long i = first_of(at), end = end_of(at, f.right + 1); i < end; i += ALONG) {
            const double x = x_at(p, i);
            if (i >= f.first && i < f.first + f.unknowns) bvp_values_of_unknown(&v, i, f_at(p, x), q_at(p, x));
            if (i < f.right) bvp_values_of_p(&v, i, p_between(p, i));
        }
    }
    join_lanes(at, v, f.chunks, f.values);
}

/* Evaluates them again, which no array takes; writes 24 bytes an unknown. */
extern "C" __global__ void make_k(struct bvp_batch b, struct bvp_forming f)
{
    const struct place at = place_of(b, f);
    struct bvp_made made = bvp_nothing_made();
    if (at.there && f.cells[at.j].asked) {
        const struct problem p = problem_of(b, at.j);
        const struct bvp_cells *cells = &f.cells[at.j];
        for (long long k = first_of(at), end = end_of(at, f.unknowns); k < end; k += ALONG) {
            const long long i = f.first + k;
            const size_t to = (size_t)k * f.stride + (size_t)at.j * f.line;
            const double x = x_at(p, i), before = i == 1 ? p_between(p, 0) : 0.0,
                         behind = i < f.right ? p_between(p, i) : 0.0;
            const struct bvp_equation r = bvp_cell(cells, i, before, behind, q_at(p, x), f_at(p, x));
            f.c[to] = r.c;
            f.e[to] = r.e;
            f.b[to] = r.b;
            bvp_made_add(&made, cells, (int)k, &r);
        }
    }
    join_lanes(at, made, f.chunks, f.made);
}

/* u at the points, where it is saved, and norms. Reads 8 bytes a point, writes the size of a field's number. */
extern "C" __global__ void finish_k(struct bvp_batch b, struct bvp_forming f)
{
    const struct place at = place_of(b, f);
    struct bvp_norms norms = {0, 0, 0};
    if (at.there && f.cells[at.j].asked) {
        const struct problem p = problem_of(b, at.j);
        for (long long i = first_of(at), end = end_of(at, b.n); i < end; i += ALONG) {
            const double u = i < f.first ? f.cells[at.j].given[0].u
                                         : f.u[(size_t)(i - f.first) * f.stride + (size_t)at.j * f.line];
            if (b.field) ((field_t *)b.field)[at.j * b.n + i] = (field_t)u;
            if (!isfinite(u)) b.outcome[at.j].u0 = nan("");
            norms_point(&norms, u, exact_at(p, x_at(p, i)));
        }
    }
    join_lanes(at, norms, f.chunks, f.norms);
}
