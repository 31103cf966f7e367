#ifndef FD_ROW_HELPERS_H
#define FD_ROW_HELPERS_H
/* Rows of compact differences in one test, also those for lines that are cut over ranks: they do lines over one rank,
 * which all of a line is on. After row_helpers.h. */
#include "comm/sw_comm.h"
#include "fd/sw_fd_impl.h"

static struct sw_comm *one_rank;  /* for the memory of the device; NULL: the row does whole lines */

static inline int open_device_and_rank(void **state)
{
    open_device(state);
    if (!under_test->refuse_cut || !device) return 0;
    return sw_comm_on_device(sw_comm_null(), device, "staged", &one_rank) != SW_OK;
}

static inline int close_device_and_rank(void **state)
{
    sw_comm_destroy(&one_rank);
    return close_device(state);
}
#endif
