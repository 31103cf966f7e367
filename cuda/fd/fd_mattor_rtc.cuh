/* Lines that are cut over ranks into parts of any length: the values beside a part, so that the kernel of cuda.fused
 * then writes each result once (src/fd/fd_mattor_point.h has the arithmetic). A thread has a line.
 *
 * Bytes: a part is read once more, of a long one some 45 points (C6) of each end; for a line two sums and two values
 * are written and read, on both ranks.
 *
 * Constants of the text: SINGLE, HALF_WIDTH, SECOND, UP, DOWN, FACTORS; NEAR_WALL, FAR_WALL: the part ends there. */
#define KIND {SINGLE, HALF_WIDTH, SECOND, UP, DOWN, FACTORS, NEAR_WALL, FAR_WALL}

__device__ static __forceinline__ long long line_of_thread() { return (long long)blockIdx.x * 256 + threadIdx.x; }

template <typename T> __device__ static __forceinline__ void copy_planes(const struct fd_mattor &d, const T *f, T *left,
                                                                         T *right, long long line)
{
    f += line / d.stride * d.stride * d.m + line % d.stride;
    for (int k = 0; k < d.planes; k++) {  /* a plane that no right-hand side takes may be beyond the part */
        if (left) left[k * d.lines + line] = f[min((long long)k, d.m - 1) * d.stride];
        if (right) right[k * d.lines + line] = f[max(d.m - d.planes + k, 0ll) * d.stride];
    }
}

/* The points next to the neighbours, for these. */
extern "C" __global__ void __launch_bounds__(256)
planes_k(const __grid_constant__ struct fd_mattor d, const void *f, void *left, void *right)
{
    const long long line = line_of_thread();
    if (line >= d.lines) return;
    if (SINGLE) copy_planes(d, (const float *)f, (float *)left, (float *)right, line);
    else copy_planes(d, (const double *)f, (double *)left, (double *)right, line);
}

/* E and F of each line. */
extern "C" __global__ void __launch_bounds__(256)
primary_k(const __grid_constant__ struct fd_mattor d, const void *f)
{
    if (line_of_thread() < d.lines) fd_mattor_primary(&d, KIND, f, line_of_thread());
}

/* Y and X of each line of this rank's share, for all ranks. */
extern "C" __global__ void __launch_bounds__(256)
reduced_k(const __grid_constant__ struct fd_mattor d)
{
    if (line_of_thread() < d.share) fd_mattor_reduced(&d, FACTORS, line_of_thread());
}
