/* Every kind of communicator. To add one: write comm_<name>.c, add its row. */
#include "comm/sw_comm_impl.h"
#include "comm/sw_launch.h"

extern const struct sw_comm_ops comm_null, comm_threads;

#ifdef SW_HAVE_MPI
extern const struct sw_comm_ops comm_mpi;
#else
static bool no_ranks(int ranks) { return ranks < 0; }
static const struct sw_comm_ops comm_mpi = {
    .name = "mpi", .about = "ranks are the processes that mpirun has started", .absent = SW_WITHOUT_MPI, .apart = true,
    .fits = no_ranks};
#endif

extern const struct sw_comm_ops comm_staged;

#ifdef SW_HAVE_CUDA
extern const struct sw_comm_ops comm_peer;
#else
static const struct sw_comm_ops comm_peer = {
    .name = "peer", .about = "from GPU to GPU of one process, by copies between their memories",
    .absent = SW_WITHOUT_CUDA, .space = SW_DEVICE, .one_process = true};
#endif

#ifdef SW_HAVE_NCCL
extern const struct sw_comm_ops comm_nccl;
#else
#ifdef SW_HAVE_CUDA
#define WHY "built without NCCL: install libnccl-dev (NVIDIA) and run make again"
#else
#define WHY SW_WITHOUT_CUDA
#endif
static const struct sw_comm_ops comm_nccl = {
    .name = "nccl", .about = "GPU to GPU, by NCCL", .absent = WHY, .space = SW_DEVICE, .gpu_each = true};
#endif

const struct sw_comm_ops *const sw_comm_table[] = {
    &comm_null,     /* one rank: a serial run */
    &comm_threads,  /* ranks are threads of this process */
    &comm_mpi,      /* ranks are the processes that mpirun has started */
    0,
};

const struct sw_comm_ops *const sw_comm_device_table[] = {
    &comm_peer,     /* GPU to GPU, of one process */
    &comm_nccl,     /* GPU to GPU, each rank with one of its own */
    &comm_staged,   /* through the memory of the host: always works */
    0,
};
