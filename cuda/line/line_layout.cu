/* Between the interleaved layout of a batch and lines one after another, and the matrices of a batch. */
#include "cuda/cu_check.cuh"
#include "problem/line/cuda/batch_point.h"
#include "problem/line/stepper/ends_point.h"
#include "cuda/line/line_kernels.h"

enum { TILE = 32, TILE_ROWS = 8, MAX_Y = 32768 };  /* the y grid ends at 65535: kernels go on in steps of it */

static int ceil_div(int a, int b) { return (int)(((long long)a + b - 1) / b); }

/* lines[j*pitch + i] := u[i*ld + j], NaN where the run is bad. A tile at a time through shared memory, so that both
 * sides are read and written in contiguous stretches: 8 bytes read and sizeof(T) written a point. */
template <typename T>
__global__ static void to_lines_k(int n, int count, size_t ld, const double *__restrict__ u,
                                  const long long *__restrict__ bad, size_t pitch, T *__restrict__ lines)
{
    __shared__ double tile[TILE][TILE + 1];
    int run = blockIdx.x * TILE;
    for (long long first = (long long)blockIdx.y * TILE; first < n; first += (long long)gridDim.y * TILE) {
        int point = (int)first;
        for (int r = threadIdx.y; r < TILE; r += TILE_ROWS) {
            int i = point + r, j = run + threadIdx.x;
            if (i < n && j < count) tile[r][threadIdx.x] = bad[j] != SW_LINE_FINITE ? nan("") : u[i * ld + j];
        }
        __syncthreads();
        for (int r = threadIdx.y; r < TILE; r += TILE_ROWS) {
            int i = point + threadIdx.x, j = run + r;
            if (i < n && j < count) lines[j * pitch + i] = (T)tile[threadIdx.x][r];
        }
        __syncthreads();
    }
}

/* u[i*ld + j] := lines[j*pitch + i]. */
__global__ static void from_lines_k(int n, int count, size_t ld, size_t pitch, const double *__restrict__ lines,
                                    double *__restrict__ u)
{
    __shared__ double tile[TILE][TILE + 1];
    int run = blockIdx.x * TILE;
    for (long long first = (long long)blockIdx.y * TILE; first < n; first += (long long)gridDim.y * TILE) {
        int point = (int)first;
        for (int r = threadIdx.y; r < TILE; r += TILE_ROWS) {
            int i = point + threadIdx.x, j = run + r;
            if (i < n && j < count) tile[r][threadIdx.x] = lines[j * pitch + i];
        }
        __syncthreads();
        for (int r = threadIdx.y; r < TILE; r += TILE_ROWS) {
            int i = point + r, j = run + threadIdx.x;
            if (i < n && j < count) u[i * ld + j] = tile[threadIdx.x][r];
        }
        __syncthreads();
    }
}

/* The same where the field lies line by line: blockIdx.y goes over the runs. */
template <typename T>
__global__ static void copy_lines_k(struct sw_line_batch b, const double *__restrict__ u, size_t pitch,
                                    T *__restrict__ lines)
{
    for (int j = blockIdx.y; j < b.count; j += gridDim.y) {
        bool bad = b.first_bad[j] != SW_LINE_FINITE;
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < b.n; i += gridDim.x * blockDim.x)
            lines[j * pitch + i] = (T)(bad ? nan("") : u[sw_line_at(&b, i, j)]);
    }
}

template <typename T>
static void launch_copy(cudaStream_t s, const struct sw_line_batch *b, const double *u, size_t pitch, T *lines)
{
    int threads = b->n < 256 ? ceil_div(b->n, 32) * 32 : 256, x = ceil_div(b->n, threads);
    dim3 blocks(x < 64 ? x : 64, b->count < MAX_Y ? b->count : MAX_Y);
    copy_lines_k<<<blocks, threads, 0, s>>>(*b, u, pitch, lines);
}

static dim3 tiles(int n, int count)
{
    int y = ceil_div(n, TILE);
    return dim3(ceil_div(count, TILE), y < MAX_Y ? y : MAX_Y);
}

/* Distance between runs, and between unknowns, in lines of this order. */
struct pitch { size_t run, unknown; };

static struct pitch pitch_of(const struct sw_line_batch *b, enum sw_cuda_lines order)
{
    size_t n = (size_t)b->n;
    return order == SW_LINES_OF_RUNS ? pitch{n * b->unknowns, n} : pitch{n, n * b->count};
}

template <typename T>
static void launch_lines(cudaStream_t s, const struct sw_line_batch *b, const double *u, struct pitch p, T *lines)
{
    for (int v = 0; v < b->unknowns; v++, u += b->unknown, lines += p.unknown) {
        if (b->point == 1) launch_copy(s, b, u, p.run, lines);
        else
            to_lines_k<<<tiles(b->n, b->count), dim3(TILE, TILE_ROWS), 0, s>>>(b->n, b->count, b->ld, u, b->first_bad,
                                                                               p.run, lines);
    }
}

extern "C" enum sw_status sw_cuda_to_lines(sw_cuda_stream stream, const struct sw_line_batch *b, const double *u,
                                           enum sw_cuda_lines order, bool single, void *lines)
{
    cudaStream_t s = (cudaStream_t)stream;
    if (b->count == 0) return SW_OK;
    if (single) launch_lines(s, b, u, pitch_of(b, order), (float *)lines);
    else launch_lines(s, b, u, pitch_of(b, order), (double *)lines);
    CU_LAUNCHED(s);
    return SW_OK;
}

extern "C" enum sw_status sw_cuda_from_lines(sw_cuda_stream stream, const struct sw_line_batch *b, const double *lines,
                                             double *u)
{
    cudaStream_t s = (cudaStream_t)stream;
    const struct pitch p = pitch_of(b, SW_LINES_OF_RUNS);
    if (b->count == 0) return SW_OK;
    for (int v = 0; v < b->unknowns; v++)
        from_lines_k<<<tiles(b->n, b->count), dim3(TILE, TILE_ROWS), 0, s>>>(b->n, b->count, b->ld, p.run,
                                                                             lines + v * p.unknown, u + v * b->unknown);
    CU_LAUNCHED(s);
    return SW_OK;
}

/* The pentadiagonal matrices A of an unknown, all five diagonals; the identity for systems without a run, or
 * with one that has a load_error, unless all get the matrix of one. 40 bytes written a point. */
__global__ static void matrix_k(struct sw_line_batch b, int unknown, struct sw_line_alike alike, int model,
                                double *band)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= b.ld) return;
    int run = model >= 0 ? model : j;
    struct sw_line_operator a = {0.0, 0.0, 0.0, 0.0, 0.0};
    if (run < b.count && !b.load_error[run]) {
        a = b.a[(size_t)unknown * b.count + run];
        a = sw_line_matrix_of(&a, &alike.mass);
    }
    double row[5], at[5];
    sw_line_row(&a, row);
    size_t vector = (size_t)b.n * b.ld;
    for (int i = blockIdx.y; i < b.n; i += gridDim.y) {
        sw_end_row(alike.left, alike.right, b.n, i, row, at);
        for (int c = 0; c < 5; c++) band[c * vector + (size_t)i * b.ld + j] = at[c];
    }
}

extern "C" enum sw_status sw_cuda_line_matrix(sw_cuda_stream stream, const struct sw_line_batch *b, int unknown,
                                              const struct sw_line_alike *alike, int model, double *band)
{
    const int threads = 128;
    cudaStream_t s = (cudaStream_t)stream;
    if (b->ld == 0) return SW_OK;
    const dim3 blocks(ceil_div(b->ld, threads), b->n < MAX_Y ? b->n : MAX_Y);
    matrix_k<<<blocks, threads, 0, s>>>(*b, unknown, *alike, model, band);
    CU_LAUNCHED(s);
    return SW_OK;
}

/* Every run is finite until it is found not to be; one with a load_error is bad from the start. */
__global__ static void reset_k(struct sw_line_batch b)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < b.count) b.first_bad[j] = b.load_error[j] ? 0 : SW_LINE_FINITE;
}

extern "C" enum sw_status sw_cuda_line_reset(sw_cuda_stream stream, const struct sw_line_batch *b)
{
    const int threads = 128;
    cudaStream_t s = (cudaStream_t)stream;
    if (b->count == 0) return SW_OK;
    reset_k<<<ceil_div(b->count, threads), threads, 0, s>>>(*b);
    CU_LAUNCHED(s);
    return SW_OK;
}
