/* Products of a dense matrix with every column of a field, by the FP64 tensor cores: levels to vertical modes and back
 * (elliptic/elliptic_modal.h). A slab of a field is a matrix [nz][nx], so that a slab is a product of matrices: 2 nz
 * operations a cell, and 2 words, 3 where it is added. Sums of squares come along, of what goes in and what comes out.
 *
 * With 65 to 128 levels a warp keeps its 16 rows of X in 128 registers, and a block takes one tile of 32 columns after
 * another, the next two on their way to shared memory. An mma takes 64 cycles of a quarter of a processor, a tile of
 * 128 levels 4096; what else a warp does for a tile goes along with products of the other warp of its quarter, and its
 * copies fill the cycles between mmas: for that they have no branches, and a tile's place is counted on, not divided
 * for. Turns of the two warps by barriers were slower, as were smaller mmas and bulk copies.
 *
 * With other numbers of levels a block makes rows of a tile of 64 columns, a warp 16 of the rows. The tile comes in
 * steps of 16 rows through shared memory, copied some steps ahead; X lies in memory as the warps' registers hold it,
 * pairs of a lane beside those of the next one, and stays in the caches: in lines, as a step's products take no longer
 * than 128 loads of a word by each of four warps. */
#include "cuda/elliptic/elliptic_sum.cuh"
#include <cuda_pipeline_primitives.h>

#include "cuda/bulk_copy.cuh"
#include "cuda/launch.cuh"
#include "cuda/elliptic/elliptic_kernels.h"

enum {
    WIDTH = 64,                /* columns of a tile                                                              */
    PITCH = WIDTH + 4,         /* words of a row: the rows of a quarter of a warp begin in banks of their own     */
    STEP = 16,                 /* rows of a step                                                                 */
    STAGES = 4,                /* steps on the way                                                               */
    WARPS = 8,                 /* of a block at most                                                             */
    KEPT_WIDTH = 32,           /* columns of a tile where X is in registers                                      */
    KEPT_PITCH = KEPT_WIDTH + 4, KEPT_STAGES = 4  /* tiles that are there or on their way                        */
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

/* Begin to copy rows 16 step ... of a tile, from first_other on those of `other`; zeros where there is none. PAIRS: 16
 * bytes at once. */
template <bool PAIRS>
__device__ static inline void copy_step(const struct sw_cuda_transform &t, const double *from, const double *other,
                                        int64_t first_other, int step, int64_t columns, double *to)
{
    enum { WORDS = PAIRS ? 2 : 1, PIECES = WIDTH / WORDS, BYTES = 8 * WORDS };
    for (int e = (int)threadIdx.x; e < STEP * PIECES; e += (int)blockDim.x) {
        const int row = e / PIECES, column = e % PIECES * WORDS;
        const int64_t k = (int64_t)step * STEP + row;
        const bool there = k < t.nz && column < columns;
        const double *const rows = k < first_other ? from : other;
        __pipeline_memcpy_async(to + row * PITCH + column, there ? rows + k * t.from_row + column : from, BYTES,
                                there ? 0 : BYTES);
    }
}

/* A warp's 16 rows of a tile, from `first` on. @param columns  that there are */
template <bool PAIRS, int TILES>
__device__ static inline void put_tile(const struct sw_cuda_transform &t, const double c[TILES][4], int64_t first,
                                       int64_t columns, double *to)
{
    const int g = (int)threadIdx.x % 32 / 4, quarter = (int)threadIdx.x % 4;
#pragma unroll
    for (int x = 0; x < TILES; x++)
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const int64_t row = first + g + 8 * half, column = 8 * x + 2 * quarter;
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

/* The sums of squares of these rows; columns beyond the last one are 0.
 * @param at  that of row 0; rows are ny * tiles apart */
template <int TILES>
__device__ static inline void keep_squares(const struct sw_cuda_transform &t, const double c[TILES][4], int64_t first,
                                           int64_t at, int64_t tiles)
{
    const int g = (int)threadIdx.x % 32 / 4, quarter = (int)threadIdx.x % 4;
#pragma unroll
    for (int half = 0; half < 2; half++) {
        const int64_t row = first + g + 8 * half;
        double sum = 0;
#pragma unroll
        for (int x = 0; x < TILES; x++)
            sum += c[x][2 * half] * c[x][2 * half] + c[x][2 * half + 1] * c[x][2 * half + 1];
        sum += __shfl_xor_sync(~0u, sum, 1);
        sum += __shfl_xor_sync(~0u, sum, 2);
        if (quarter == 0 && row < t.nz) t.squares[at + row * t.ny * tiles] = sum;
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
    if (t.goal && t.goal[system] < 0) return;
    const int64_t corner = field + slab * t.from_slab + tile * WIDTH,
                  first_other = t.first_other ? t.first_other[system] : t.nz;
    const double *from = t.from + corner, *other = t.other + corner,
                 *packed = t.packed + ((int64_t)t.of[system] * steps + rows) * steps * (STEP * STEP) + lane * 2;
    double *to = t.to + field + slab * t.to_slab + tile * WIDTH;
    double c[WIDTH / 8][4] = {}, from_square = 0;
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < steps) copy_step<PAIRS>(t, from, other, first_other, s, columns, stages + s * STEP * PITCH);
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
            copy_step<PAIRS>(t, from, other, first_other, s + STAGES - 1, columns,
                             stages + (s + STAGES - 1) % STAGES * STEP * PITCH);
        __pipeline_commit();
        if (t.from_squares && row_block == 0)
            for (int e = (int)threadIdx.x; e < STEP * WIDTH; e += (int)blockDim.x) {
                const double own = stages[s % STAGES * STEP * PITCH + e / WIDTH * PITCH + e % WIDTH];
                from_square += own * own;
            }
        if (rows >= steps) continue;
        const double *b = stages + s % STAGES * STEP * PITCH + quarter * PITCH + g;
#pragma unroll
        for (int x = 0; x < WIDTH / 8; x++) {
            const double part[4] = {b[8 * x], b[8 * x + 4 * PITCH], b[8 * x + 8 * PITCH], b[8 * x + 12 * PITCH]};
            multiply_add(c[x], a, part);
        }
    }
    if (t.from_squares && row_block == 0) {
        from_square = sum_of_block(from_square);
        if (threadIdx.x == 0) t.from_squares[(system * t.ny + slab) * tiles + tile] = from_square;
    }
    if (rows >= steps) return;
    put_tile<PAIRS, WIDTH / 8>(t, c, 16 * rows, columns, to);
    if (t.squares) keep_squares<WIDTH / 8>(t, c, 16 * rows, ((system * t.nz * t.ny) + slab) * tiles + tile, tiles);
}

/* ------------------------------------------------------------------ X in registers */

/* Gates are barriers in shared memory whose phases end when all threads have arrived (PTX ISA, "mbarrier"). */
__device__ static inline void gate_init(uint64_t *gate, unsigned threads)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(gate)), "r"(threads) : "memory");
}

__device__ static inline void gate_arrive(uint64_t *gate)
{
    asm volatile("{.reg .b64 state;\n mbarrier.arrive.shared.b64 state, [%0];}" ::"r"(shared_address(gate))
                 : "memory");
}

/* This thread arrives when what it copies has come. */
__device__ static inline void gate_arrive_copied(uint64_t *gate)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(gate)) : "memory");
}

/* @param phase  which one has to have ended, from 0 */
__device__ static inline void gate_wait(uint64_t *gate, int phase)
{
    uint32_t ended = 0;
    while (!ended)
#if __CUDA_ARCH__ >= 900
        asm volatile("{.reg .pred p;\n mbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n selp.b32 %0, 1, 0, p;}"
#else
        asm volatile("{.reg .pred p;\n mbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n selp.b32 %0, 1, 0, p;}"
#endif
                     : "=r"(ended) : "r"(shared_address(gate)), "r"(phase & 1) : "memory");
}

/* Where a block's tile is; from one to the next it is `step` away, which is less than all. */
struct place { int tile, slab, system; };

__device__ static inline void move(const struct place &all, const struct place &step, struct place *p)
{
    p->tile += step.tile, p->slab += step.slab, p->system += step.system;
    if (p->tile >= all.tile) p->tile -= all.tile, p->slab++;
    if (p->slab >= all.slab) p->slab -= all.slab, p->system++;
}

/* A thread's copies of a tile: of rows ROWS apart, WORDS of each. */
template <bool PAIRS, int STEPS> struct copies {
    enum { WORDS = PAIRS ? 2 : 1, PIECES = KEPT_WIDTH / WORDS, ROWS = STEPS * WORDS, COUNT = STEP / WORDS };
    int64_t  at, other;  /* from t.from to this row, and from there to that of t.other */
    uint32_t to;
    int      row, last, first_other;

    /* @param there  whether there is such a tile: else there are no rows */
    __device__ inline copies(const struct sw_cuda_transform &t, const struct place &p, bool there, const double *stage)
    {
        const int column = (int)threadIdx.x % PIECES * WORDS;
        row = (int)threadIdx.x / PIECES;
        last = there && p.tile * KEPT_WIDTH + column < t.nx ? (int)t.nz : 0;
        first_other = there && t.first_other ? t.first_other[p.system] : (int)t.nz;
        at = p.system * (t.nx * t.ny * t.nz) + p.slab * t.from_slab + p.tile * KEPT_WIDTH + column + row * t.from_row;
        other = t.other - t.from;
        to = shared_address(stage + row * KEPT_PITCH + column);
    }

    /* Begin to copy the next row; zeros where there is none. */
    __device__ inline void copy_row(const struct sw_cuda_transform &t)
    {
        const int64_t skip = row < first_other ? 0 : other;
        const double *const from = t.from + (row < last ? at + skip : 0);
        if (PAIRS)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(row < last ? 16 : 0)
                         : "memory");
        else
            asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(row < last ? 8 : 0)
                         : "memory");
        to += 8 * ROWS * KEPT_PITCH;
        row += ROWS, at += ROWS * t.from_row;
    }
};

/* A warp's 16 rows of a tile that is there as a whole. */
__device__ static inline void put_whole(const double c[KEPT_WIDTH / 8][4], int64_t to_row, double *at)
{
#pragma unroll
    for (int half = 0; half < 2; half++, at += 8 * to_row)
#pragma unroll
        for (int x = 0; x < KEPT_WIDTH / 8; x++)
            *(double2 *)(at + 8 * x) = make_double2(c[x][2 * half], c[x][2 * half + 1]);
}

/* Keep the registers of b until here, so that the loads before this have others: into registers that the mma before
 * still reads they would wait for 50 of its 64 cycles. @param never  0: nothing is stored */
__device__ static inline void hold(int never, const double b[4])
{
    asm volatile("{.reg .pred p;\n setp.ne.s32 p, %0, 0;\n @p st.shared.v2.f64 [%0], {%1, %2};\n"
                 " @p st.shared.v2.f64 [%0], {%3, %4};}" ::"r"(never), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
}

/* STEPS warps. A warp goes on with the next tile as soon as that has come, whatever the others do, so that stores of
 * some go along with products of others; a tile that is AHEAD begins to come between products. */
template <bool PAIRS, int STEPS>
__global__ static void __launch_bounds__(32 * STEPS, 1)
    elliptic_transform_kept_k(struct sw_cuda_transform t, struct place all, struct place step, int count)
{
    enum { STAGE = STEPS * STEP * KEPT_PITCH, PARTS = KEPT_WIDTH / 8, WORK = STEPS * PARTS, EARLY = 2,
           AHEAD = KEPT_STAGES - 2, COPIES = copies<PAIRS, STEPS>::COUNT };
    extern __shared__ double stages[];
    __shared__ uint64_t filled[KEPT_STAGES], emptied[KEPT_STAGES];
    __shared__ double of_warp[KEPT_STAGES][STEPS];
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32, g = lane / 4, quarter = lane % 4;
    if (threadIdx.x == 0)
        for (int s = 0; s < KEPT_STAGES; s++) gate_init(filled + s, 32 * STEPS), gate_init(emptied + s, 32 * STEPS);
    __syncthreads();
    const int tiles = (count - (int)blockIdx.x + (int)gridDim.x - 1) / (int)gridDim.x;  /* of this block */
    struct place p = {(int)blockIdx.x % all.tile, (int)blockIdx.x / all.tile % all.slab,
                      (int)blockIdx.x / all.tile / all.slab}, next = p;
    for (int n = 0; n < AHEAD; n++, move(all, step, &next)) {
        copies<PAIRS, STEPS> c(t, next, n < tiles, stages + n * STAGE);
#pragma unroll
        for (int k = 0; k < COPIES; k++) c.copy_row(t);
        gate_arrive_copied(filled + n);
    }
    double a[STEPS][8];
    int kept = -1, system = -1;
    bool due = true;
    const int never = t.systems < 0;
    const bool whole = PAIRS && !t.add && 16 * warp + 16 <= t.nz;
    /* Tile m has left its stage: add up its squares. */
    const auto leave = [&](int m) {
        gate_wait(emptied + m % KEPT_STAGES, m / KEPT_STAGES);
        if (!t.from_squares || threadIdx.x) return;
        const int at = (int)blockIdx.x + m * (int)gridDim.x;
        if (t.goal && !(t.goal[at / (all.tile * all.slab)] >= 0)) return;
        double sum = 0;
        for (int w = 0; w < STEPS; w++) sum += of_warp[m % KEPT_STAGES][w];
        t.from_squares[at] = sum;
    };
    for (int n = 0; n < tiles; n++, move(all, step, &p), move(all, step, &next)) {
        if (p.system != system) {
            system = p.system;
            due = !t.goal || t.goal[system] >= 0;
            if (due && kept != t.of[system]) {
                kept = t.of[system];
                const double *const packed =
                    t.packed + ((int64_t)kept * STEPS + warp) * STEPS * (STEP * STEP) + lane * 2;
#pragma unroll
                for (int s = 0; s < STEPS; s++)
#pragma unroll
                    for (int k = 0; k < 8; k += 2) {
                        const double2 pair = *(const double2 *)(packed + (int64_t)s * (STEP * STEP) + k * 32);
                        a[s][k] = pair.x, a[s][k + 1] = pair.y;
                    }
            }
        }
        const int stage = n % KEPT_STAGES, coming = (n + AHEAD) % KEPT_STAGES;
        if (n >= KEPT_STAGES - AHEAD) leave(n - (KEPT_STAGES - AHEAD));
        copies<PAIRS, STEPS> copy(t, next, n + AHEAD < tiles, stages + coming * STAGE);
        gate_wait(filled + stage, n / KEPT_STAGES);
        const double *const here = stages + stage * STAGE, *const from = here + quarter * KEPT_PITCH + g;
        double c[PARTS][4] = {}, b[EARLY + 2][4];
        const auto fetch = [&](int i) {
#pragma unroll
            for (int k = 0; k < 4; k++)
                b[i % (EARLY + 2)][k] = from[(i / PARTS * STEP + 4 * k) * KEPT_PITCH + 8 * (i % PARTS)];
        };
#pragma unroll
        for (int i = 0; i < EARLY; i++) fetch(i);
#pragma unroll
        for (int i = 0; i < WORK; i++) {
            if (i + EARLY < WORK) fetch(i + EARLY);
            multiply_add(c[i % PARTS], a[i / PARTS], b[i % (EARLY + 2)]);
            if (i > 0) hold(never, b[(i - 1) % (EARLY + 2)]);
            if (i * COPIES % WORK < COPIES) copy.copy_row(t);
        }
        gate_arrive_copied(filled + coming);
        if (t.from_squares) {
            double sum = 0;
#pragma unroll
            for (int k = 0; k < STEP; k++) {
                const double own = here[(warp * STEP + k) * KEPT_PITCH + lane];
                sum += own * own;
            }
            for (int w = 16; w > 0; w /= 2) sum += __shfl_xor_sync(~0u, sum, w);
            if (lane == 0) of_warp[stage][warp] = sum;
        }
        gate_arrive(emptied + stage);
        if (!due) continue;
        double *const to = t.to + (p.system * (t.nx * t.ny * t.nz) + p.slab * t.to_slab + p.tile * KEPT_WIDTH);
        if (whole && p.tile * KEPT_WIDTH + KEPT_WIDTH <= t.nx)
            put_whole(c, t.to_row, to + (16 * warp + g) * t.to_row + 2 * quarter);
        else
            put_tile<PAIRS, PARTS>(t, c, 16 * warp, t.nx - p.tile * KEPT_WIDTH, to);
        if (t.squares)
            keep_squares<PARTS>(t, c, 16 * warp, ((int64_t)p.system * t.nz * t.ny + p.slab) * all.tile + p.tile,
                                all.tile);
    }
    for (int m = tiles > KEPT_STAGES - AHEAD ? tiles - (KEPT_STAGES - AHEAD) : 0; m < tiles; m++) leave(m);
}

/* ------------------------------------------------------------------ */

static int64_t steps_of(int64_t nz) { return (nz + STEP - 1) / STEP; }

static bool is_kept(int64_t nz) { return steps_of(nz) > WARPS / 2 && steps_of(nz) <= WARPS; }

static int64_t tiles_of(int64_t nx, int64_t nz)
{
    const int64_t width = is_kept(nz) ? KEPT_WIDTH : WIDTH;
    return (nx + width - 1) / width;
}

extern "C" size_t sw_cuda_transform_words(int64_t nz) { return (size_t)(steps_of(nz) * steps_of(nz) * STEP * STEP); }

extern "C" int64_t sw_cuda_transform_squares(int64_t nx, int64_t ny, int64_t nz) { return tiles_of(nx, nz) * ny; }

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

template <int STEPS>
static enum sw_status transform_kept(cudaStream_t stream, const struct sw_cuda_transform *t, bool pairs)
{
    const size_t shared = (size_t)KEPT_STAGES * STEPS * STEP * KEPT_PITCH * sizeof(double);
    const struct place all = {(int)tiles_of(t->nx, t->nz), (int)t->ny, t->systems};
    const int count = all.tile * all.slab * all.system;  /* below 2^31 */
    void (*const kernel)(struct sw_cuda_transform, struct place, struct place, int) =
        pairs ? elliptic_transform_kept_k<true, STEPS> : elliptic_transform_kept_k<false, STEPS>;
    int device, blocks;
    CU_TRY(cudaGetDevice(&device));
    CU_TRY(cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, device));
    if (blocks > count) blocks = count;
    const struct place step = {blocks % all.tile, blocks / all.tile % all.slab, blocks / all.tile / all.slab};
    SW_TRY(allow_shared(kernel));
    return launch(kernel, blocks, 32 * STEPS, shared, stream, ALONE, *t, all, step, count);
}

extern "C" enum sw_status sw_cuda_transform(sw_cuda_stream stream, const struct sw_cuda_transform *t)
{
    const int64_t tiles = tiles_of(t->nx, t->nz), steps = steps_of(t->nz), row_blocks = (steps + WARPS - 1) / WARPS,
                  blocks = tiles * t->ny * row_blocks * t->systems;
    const int threads = 32 * (steps < WARPS ? (int)steps : (int)WARPS);
    const bool pairs = t->nx % 2 == 0 && (uintptr_t)t->from % 16 == 0 && (uintptr_t)t->to % 16 == 0 &&
                       (uintptr_t)t->other % 16 == 0;
    if (blocks == 0) return SW_OK;
    if (is_kept(t->nz)) {
        enum sw_status (*const kept[])(cudaStream_t, const struct sw_cuda_transform *, bool) = {
            transform_kept<5>, transform_kept<6>, transform_kept<7>, transform_kept<8>};
        return kept[steps - 5]((cudaStream_t)stream, t, pairs);
    }
    return launch(pairs ? elliptic_transform_k<true> : elliptic_transform_k<false>, blocks, threads,
                  STAGES * STEP * PITCH * sizeof(double), (cudaStream_t)stream, ALONE, *t, tiles, row_blocks);
}

/* ------------------------------------------------------------------ slabs of planes */

enum { COPYING = 256, PIECE = 8 * COPYING };  /* threads of a block, its words of a row */

__global__ static void __launch_bounds__(COPYING)
    elliptic_copy_rows_k(int64_t width, int64_t pieces, const double *__restrict__ from, int64_t from_pitch,
                         double *__restrict__ to, int64_t to_pitch)
{
    const int64_t row = blockIdx.x / pieces, first = blockIdx.x % pieces * PIECE + threadIdx.x;
    from += row * from_pitch + first;
    to += row * to_pitch + first;
#pragma unroll
    for (int k = 0; k < PIECE; k += COPYING)
        if (first + k < width) to[k] = from[k];
}

extern "C" enum sw_status sw_cuda_copy_rows(sw_cuda_stream stream, int64_t width, int64_t count, const double *from,
                                            int64_t from_pitch, double *to, int64_t to_pitch)
{
    const int64_t pieces = (width + PIECE - 1) / PIECE;
    if (width == 0 || count == 0) return SW_OK;
    return launch(elliptic_copy_rows_k, pieces * count, COPYING, 0, (cudaStream_t)stream, ALONE, width, pieces, from,
                  from_pitch, to, to_pitch);
}

/* ------------------------------------------------------------------ goals */

/* A block a system. @param ff  of the device, or pinned memory of the host */
__global__ static void __launch_bounds__(1024)
    elliptic_goals_k(const double *squares, int64_t of_system, const double *part, double *ff, double *goal)
{
    const double sum = sum_of_partial(squares + blockIdx.x * of_system, of_system);
    if (threadIdx.x) return;
    ff[blockIdx.x] = sum;
    goal[blockIdx.x] = sum > 0 && isfinite(sum) ? part[blockIdx.x] * sqrt(sum) : -1;
}

extern "C" enum sw_status sw_cuda_transform_goals(sw_cuda_stream stream, int systems, const double *squares,
                                                  int64_t of_system, const double *part, double *ff, double *goal)
{
    return launch(elliptic_goals_k, systems, 1024, 0, (cudaStream_t)stream, ALONE, squares, of_system, part, ff, goal);
}
