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

const struct sw_comm_ops *const sw_comm_table[] = {
    &comm_null,     /* one rank: a serial run */
    &comm_threads,  /* ranks are threads of this process */
    &comm_mpi,      /* ranks are the processes that mpirun has started */
    0,
};
