/* fd_fused.cuh for lines of adjacent points: they go through shared memory, so that threads of a warp load and store
 * adjacent points, while each has a segment of a line to compute with. A block has as many whole lines as give it
 * some 128 threads. */
#include "fd_fused.cuh"

extern "C" enum sw_status sw_cuda_fd_lines(sw_cuda_stream stream, const struct sw_cuda_fd *d, const void *f, void *out)
{
    return launch<true>(stream, d, f, out);
}
