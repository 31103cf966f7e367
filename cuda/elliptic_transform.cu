/* Products of a dense matrix with every column of a field, by the FP64 tensor cores: levels to vertical modes and back
 * (elliptic/elliptic_modal.h). A slab of a field is a matrix [nz][nx], so that a slab is a product of matrices: 2 nz
 * operations a cell, and 2 words, 3 where it is added.
 *
 * A block makes rows of a tile of 64 columns, a warp 16 of the rows. The tile comes in steps of 16 rows through shared
 * memory, copied some steps ahead; X lies in memory as the warps' registers hold it, pairs of a lane beside those of
 * the next one, and stays in the caches: in lines, as a step's products take no longer than 128 loads of a word by each
 * of four warps. */
#include <cuda_pipeline_primitives.h>

#include "launch.cuh"
#include "sw_cuda.h"

enum {
    WIDTH = 64,                /* columns of a tile                                                              */
    PITCH = WIDTH + 4,         /* words of a row: the rows of a quarter of a warp begin in banks of their own     */
    STEP = 16,                 /* rows of a step                                                                 */
    STAGES = 4,                /* steps on the way                                                               */
    WARPS = 8                  /* of a block at most                                                             */
};

/* c += A B, a tile of 16 x 16 times 16 x 8 (PTX ISA, mma.m16n8k16 with .f64): lane 4g + t has of A rows g, g + 8 in
 * turn of columns t, t + 4, t + 8, t + 12; of B these rows of column g; of c rows g, g + 8 of columns 2t, 2t + 1. */
__device__ static inline void multiply_add(double c[4], const double a[8], const double b[4])
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
        "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]),
          "d"(b[2]), "d"(b[3]));
#elif __CUDA_ARCH__ >= 800
    for (int k = 0; k < 4; k++)
        for (int half = 0; half < 2; half++)
            asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                : "+d"(c[2 * half]), "+d"(c[2 * half + 1])
                : "d"(a[2 * k + half]), "d"(b[k]));
#endif
}

/* Begin to copy rows 16 step ... of a tile; zeros where there is none. PAIRS: 16 bytes at once. */
template <bool PAIRS>
__device__ static inline void copy_step(const struct sw_cuda_transform &t, const double *from, int step,
                                        int64_t columns, double *to)
{
    enum { WORDS = PAIRS ? 2 : 1, PIECES = WIDTH / WORDS, BYTES = 8 * WORDS };
    for (int e = (int)threadIdx.x; e < STEP * PIECES; e += (int)blockDim.x) {
        const int row = e / PIECES, column = e % PIECES * WORDS;
        const int64_t k = (int64_t)step * STEP + row;
        const bool there = k < t.nz && column < columns;
        __pipeline_memcpy_async(to + row * PITCH + column, there ? from + k * t.from_row + column : from, BYTES,
                                there ? 0 : BYTES);
    }
}

template <bool PAIRS>
__global__ static void __launch_bounds__(32 * WARPS, 2)
    elliptic_transform_k(struct sw_cuda_transform t, int64_t tiles, int64_t row_blocks)
{
    extern __shared__ double stages[];
    const int64_t tile = blockIdx.x % tiles, slab = blockIdx.x / tiles % t.ny,
                  row_block = blockIdx.x / tiles / t.ny % row_blocks, system = blockIdx.x / tiles / t.ny / row_blocks,
                  field = system * t.nx * t.ny * t.nz, columns = t.nx - tile * WIDTH;
    const int steps = (int)((t.nz + STEP - 1) / STEP), warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32,
              g = lane / 4, quarter = lane % 4;
    const int64_t rows = row_block * WARPS + warp;  /* in units of 16 */
    if (t.goal[system] < 0) return;
    const double *from = t.from + field + slab * t.from_slab + tile * WIDTH,
                 *packed = t.packed + ((int64_t)t.of[system] * steps + rows) * steps * (STEP * STEP) + lane * 2;
    double *to = t.to + field + slab * t.to_slab + tile * WIDTH;
    double c[WIDTH / 8][4] = {};
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < steps) copy_step<PAIRS>(t, from, s, columns, stages + s * STEP * PITCH);
        __pipeline_commit();
    }
    for (int s = 0; s < steps; s++) {
        double a[8];
        if (rows < steps)
#pragma unroll
            for (int k = 0; k < 8; k += 2) {
                const double2 pair = *(const double2 *)(packed + (int64_t)s * (STEP * STEP) + k * 32);
                a[k] = pair.x, a[k + 1] = pair.y;
            }
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        if (s + STAGES - 1 < steps)
            copy_step<PAIRS>(t, from, s + STAGES - 1, columns, stages + (s + STAGES - 1) % STAGES * STEP * PITCH);
        __pipeline_commit();
        if (rows >= steps) continue;
        const double *b = stages + s % STAGES * STEP * PITCH + quarter * PITCH + g;
#pragma unroll
        for (int x = 0; x < WIDTH / 8; x++) {
            const double part[4] = {b[8 * x], b[8 * x + 4 * PITCH], b[8 * x + 8 * PITCH], b[8 * x + 12 * PITCH]};
            multiply_add(c[x], a, part);
        }
    }
    if (rows >= steps) return;
#pragma unroll
    for (int x = 0; x < WIDTH / 8; x++)
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const int64_t row = 16 * rows + g + 8 * half, column = 8 * x + 2 * quarter;
            double *const at = to + row * t.to_row + column;
            if (row >= t.nz || column >= columns) continue;
            if (PAIRS) {
                double2 *const pair = (double2 *)at;
                double2 sum = make_double2(c[x][2 * half], c[x][2 * half + 1]);
                if (t.add) sum.x += pair->x, sum.y += pair->y;
                *pair = sum;
            } else {
                at[0] = t.add ? at[0] + c[x][2 * half] : c[x][2 * half];
                if (column + 1 < columns) at[1] = t.add ? at[1] + c[x][2 * half + 1] : c[x][2 * half + 1];
            }
        }
}

/* ------------------------------------------------------------------ */

static int64_t steps_of(int64_t nz) { return (nz + STEP - 1) / STEP; }

extern "C" size_t sw_cuda_transform_words(int64_t nz) { return (size_t)(steps_of(nz) * steps_of(nz) * STEP * STEP); }

extern "C" void sw_cuda_transform_pack(int64_t nz, const double *x, bool transposed, double *packed)
{
    const int64_t steps = steps_of(nz);
    for (int64_t part = 0; part < steps * steps; part++)
        for (int64_t e = 0; e < STEP * STEP; e++) {
            const int64_t lane = e % 64 / 2, g = lane / 4, quarter = lane % 4, k = e / 64 * 2 + e % 2,
                          row = part / steps * STEP + g + k % 2 * 8, column = part % steps * STEP + k / 2 * 4 + quarter;
            double entry = 0;
            if (row < nz && column < nz) entry = transposed ? x[column * nz + row] : x[row * nz + column];
            packed[part * (STEP * STEP) + e] = entry;
        }
}

extern "C" enum sw_status sw_cuda_transform(sw_cuda_stream stream, const struct sw_cuda_transform *t)
{
    const int64_t tiles = (t->nx + WIDTH - 1) / WIDTH, steps = steps_of(t->nz),
                  row_blocks = (steps + WARPS - 1) / WARPS, blocks = tiles * t->ny * row_blocks * t->systems;
    const int threads = 32 * (steps < WARPS ? (int)steps : (int)WARPS);
    const bool pairs = t->nx % 2 == 0 && (uintptr_t)t->from % 16 == 0 && (uintptr_t)t->to % 16 == 0;
    if (blocks == 0) return SW_OK;
    return launch(pairs ? elliptic_transform_k<true> : elliptic_transform_k<false>, blocks, threads,
                  STAGES * STEP * PITCH * sizeof(double), (cudaStream_t)stream, ALONE, *t, tiles, row_blocks);
}
