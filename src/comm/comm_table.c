/* Every way there is to work on one problem together. To add one: write comm_<name>.c, add its row. */
#include "comm/sw_comm_impl.h"

extern const struct sw_comm_ops comm_null, comm_threads;

const struct sw_comm_ops *const sw_comm_table[] = {
    &comm_null,     /* one rank: a serial run */
    &comm_threads,  /* ranks are threads of this process */
    0,
};
