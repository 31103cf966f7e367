/* The methods for lines that are cut over ranks, in the order of preference. To add one: write
 * fd_distributed_<name>.c, add its row. */
#include "fd/fd_distributed_impl.h"

extern const struct sw_fd_distributed_ops fd_truncated_cpu, fd_strips_cpu, fd_mattor_cpu;

const struct sw_fd_distributed_ops *const sw_fd_distributed_table[] = {
    &fd_truncated_cpu,  /* one number a line to each neighbour: parts that are long enough           */
    &fd_strips_cpu,     /* the same, with each point written once                                    */
    &fd_mattor_cpu,     /* two numbers a line to all ranks: exact, for parts of any length   */
    NULL,
};
