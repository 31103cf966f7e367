/* The sum over a block of SW_SUM_LANES threads in the order of field/sum_point.h. Every thread gets it.
 * shared: SW_SUM_LANES entries, free again afterwards. */
__device__ static inline double block_sum(double term, double *shared)
{
    int lane = threadIdx.x;
    shared[lane] = term;
    __syncthreads();
    for (int w = SW_SUM_LANES / 2; w > 0; w /= 2) {
        if (lane < w) shared[lane] += shared[lane + w];
        __syncthreads();
    }
    double sum = shared[0];
    __syncthreads();
    return sum;
}
