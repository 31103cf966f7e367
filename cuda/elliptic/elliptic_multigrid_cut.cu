/* Multigrid of a grid that is cut over ranks (elliptic/elliptic_multigrid_cuda.c): rows of fields as messages, and what
 * follows from the sums of all ranks. */
#include "cuda/elliptic/elliptic_multigrid.cuh"

/* ------------------------------------------------------------------ rows */

static long long words_of_row(const struct elliptic_planes *p) { return (long long)p->tiles * p->nz * TILE; }

/* Words: each once in and once out. @param blocks  of a row */
template <bool PACK>
__global__ static void __launch_bounds__(THREADS)
    rows_k(struct elliptic_planes p, int systems, struct sw_cuda_multigrid_rows rows, float4 *field, float4 *message,
           int blocks)
{
    const int line = blockIdx.x / blocks, word = (blockIdx.x - line * blocks) * THREADS + threadIdx.x,
              words = p.tiles * p.nz * (TILE / 4), plane = line / rows.most, piece = plane / (systems * p.colours),
              j = rows.ends[2 * piece] + line - plane * rows.most;
    wait_previous();
    allow_next();
    if (word >= words || j < 0 || j >= rows.ends[2 * piece + 1]) return;
    float4 *const in_field = field + ((long long)(plane - piece * systems * p.colours) * p.ny + j) * words + word,
           *const in_message = message + (long long)line * words + word;
    if (PACK) *in_message = *in_field;
    else *in_field = *in_message;
}

template <bool PACK>
static enum sw_status launch_rows(sw_cuda_stream stream, const struct sw_cuda_multigrid *m, int level,
                                  const struct sw_cuda_multigrid_rows *rows, float *field, float *message)
{
    const struct elliptic_planes &p = m->grid[level].planes;
    const int blocks = (int)((words_of_row(&p) / 4 + THREADS - 1) / THREADS);
    const long long all = (long long)blocks * rows->pieces * m->systems * p.colours * rows->most;
    if (all == 0) return SW_OK;
    return launch(rows_k<PACK>, all, THREADS, 0, (cudaStream_t)stream, OVERLAP, p, m->systems, *rows, (float4 *)field,
                  (float4 *)message, blocks);
}

extern "C" size_t sw_cuda_multigrid_message(const struct elliptic_planes *p, int systems, int pieces, int most)
{
    return (size_t)pieces * (size_t)systems * (size_t)(p->colours * most) * (size_t)words_of_row(p);
}

extern "C" enum sw_status sw_cuda_multigrid_pack(sw_cuda_stream stream, const struct sw_cuda_multigrid *m, int level,
                                                 const struct sw_cuda_multigrid_rows *rows, const float *field,
                                                 float *message)
{
    return launch_rows<true>(stream, m, level, rows, (float *)field, message);
}

extern "C" enum sw_status sw_cuda_multigrid_unpack(sw_cuda_stream stream, const struct sw_cuda_multigrid *m, int level,
                                                   const struct sw_cuda_multigrid_rows *rows, const float *message,
                                                   float *field)
{
    return launch_rows<false>(stream, m, level, rows, field, (float *)message);
}

/* ------------------------------------------------------------------ sums */

/* A thread a system. */
__global__ static void __launch_bounds__(THREADS)
    meet_k(struct sw_cuda_multigrid m, enum sw_multigrid_sums which, int ranks, const double *all)
{
    enum { SUMS = SW_CUDA_MULTIGRID_SUMS };
    const int system = blockIdx.x * THREADS + threadIdx.x;
    double sum[SUMS] = {0, 0, 0, 0};
    wait_previous();
    allow_next();
    if (system >= m.systems || m.state[system].done) return;
    state *const s = m.state + system;
    for (int r = 0; r < ranks; r++)
        for (int k = 0; k < SUMS; k++) sum[k] += all[((long long)r * m.systems + system) * SUMS + k];
    if (which == SW_MULTIGRID_UPDATE) {
        s->rr = sum[0];
        end_iteration(s);
    } else if (which == SW_MULTIGRID_DOTS) {
        s->rz = sum[0], s->qz = sum[1], s->z_sum = sum[2], s->r_sum = sum[3];
        end_cycle(s, m.cells);
    } else {
        end_direction(s, sum[0]);
    }
}

extern "C" enum sw_status sw_cuda_multigrid_meet(sw_cuda_stream stream, const struct sw_cuda_multigrid *m,
                                                 enum sw_multigrid_sums which, int ranks, const double *all)
{
    return launch(meet_k, (m->systems + THREADS - 1) / THREADS, THREADS, 0, (cudaStream_t)stream, OVERLAP, *m, which,
                  ranks, all);
}
