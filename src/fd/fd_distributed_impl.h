#ifndef FD_DISTRIBUTED_IMPL_H
#define FD_DISTRIBUTED_IMPL_H
/* What the author of a row sees: how the parts of a line hear of each other. One file a row, listed in
 * fd_distributed_table.c. */
#include "fd/fd_block.h"
#include "fd/sw_fd_distributed.h"

/* How lines are cut, the same on all ranks. */
struct sw_fd_cut {
    struct sw_fd_line line;
    int               size;
    int64_t          *count;  /* [size] points of each rank */
    double            drop;
};

struct sw_fd_distributed_ops {
    SW_ROW;                 /* its space: where f and out, and the communicator's arrays, must live      */
    /* Whether it does this cut; else SW_E_ABSENT, with a message that says why and what would do        */
    enum sw_status (*fits)(const struct sw_fd_cut *cut);
    enum sw_status (*create)(struct sw_fd_distributed *fd);   /* allocates; no communication, own is NULL before */
    enum sw_status (*connect)(struct sw_fd_distributed *fd);  /* collective: communicates first, then may fail   */
    /* Collective. The neighbours' points next to the part are there. */
    enum sw_status (*apply)(const struct sw_fd_distributed *fd, const double *f, double *out);
    void           (*destroy)(struct sw_fd_distributed *fd);  /* own may be NULL                                 */
};

struct sw_fd_distributed {
    const struct sw_fd_distributed_ops *ops;
    const struct sw_comm *comm;
    struct sw_fd_cut      cut;
    int64_t               first;  /* point of the line, of this rank */
    struct fd_block       block;
    void                 *own;
};

extern const struct sw_fd_distributed_ops *const sw_fd_distributed_table[];  /* ends with NULL; order is preference */
#endif
