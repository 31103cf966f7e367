/* fd_fused.cuh for lines side by side: a block has d->lines adjacent ones, and each of its threads loads and stores the
 * points of a segment directly, beside those of its neighbour's. */
#include "fd_fused.cuh"

extern "C" enum sw_status sw_cuda_fd_columns(sw_cuda_stream stream, const struct sw_cuda_fd *d, const void *f, void *out)
{
    return launch<false>(stream, d, f, out);
}
