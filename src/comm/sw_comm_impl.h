#ifndef SW_COMM_IMPL_H
#define SW_COMM_IMPL_H
/* For authors of rows. One file a row, comm_<name>.c; its row goes into comm_table.c.
 *
 * Arguments are checked, and reductions are made, before the table: a row only moves numbers, bit by bit. A row over
 * processes (`apart`) calls the part once in run(), with the rank of this process; when a part fails while others go
 * on, run() must not let them wait for ever.
 *
 * Rows of sw_comm_device_table move numbers between the memories of devices. They have `attach` in place of `fits` and
 * `run`, and gather few numbers through the communicator of the host that they are attached to.
 */
#include "base/row.h"
#include "comm/sw_comm.h"

/* Where a rank is in a part of a communicator. */
struct comm_place {
    int color;       /* of the part; -1: the rank is in none   */
    int rank, size;  /* in the part                            */
    int leader;      /* the part's rank 0, by its number in comm */
};

struct sw_comm_ops {
    SW_ROW;                 /* its space: where the arrays of exchange and gather live */
    bool           apart;   /* ranks share no memory: each is a process of its own    */
    bool           (*fits)(int ranks);
    enum sw_status (*run)(int ranks, sw_comm_part *part, void *context);
    /* In one call; NULL: in the two below. */
    enum sw_status (*exchange)(const struct sw_comm *comm, bool periodic, const struct sw_comm_transfer *leftward,
                               const struct sw_comm_transfer *rightward);
    /* In two calls; NULL: begin does all, and end nothing. */
    enum sw_status (*exchange_begin)(const struct sw_comm *comm, bool periodic,
                                     const struct sw_comm_transfer *leftward,
                                     const struct sw_comm_transfer *rightward);
    enum sw_status (*exchange_end)(const struct sw_comm *comm);
    enum sw_status (*all_to_all)(const struct sw_comm *comm, const size_t *send_count, const double *send,
                                 const size_t *receive_count, double *receive);
    enum sw_status (*gather)(const struct sw_comm *comm, size_t count, const double *mine, double *all);
    enum sw_status (*gather_host)(const struct sw_comm *comm, size_t count, const double *mine, double *all);
    enum sw_status (*barrier)(const struct sw_comm *comm);
    /* All ranks of comm call it, and agree afterwards on whether it failed. part stays NULL where color is -1. */
    enum sw_status (*split)(const struct sw_comm *comm, const struct comm_place *place, struct sw_comm **part);
    void           (*destroy)(struct sw_comm *part);  /* NULL: there is nothing to free */
    /* Whether no operation can complete any more, since a rank has failed. Any thread asks. NULL: nobody knows. */
    enum sw_status (*failure)(const struct sw_comm *comm);

    /* ---- rows of devices */
    bool           gpu_each; /* no two ranks may share a GPU                           */
    bool           one_process;  /* ranks are threads                                  */
    enum sw_status (*usable)(const struct sw_device *device);  /* why this rank cannot use the row */
    /* Collective; all ranks agree afterwards on whether it failed. Where it does, comm is destroyed if it is there. */
    enum sw_status (*attach)(const struct sw_comm *host, struct sw_device *device, struct sw_comm **comm);
    enum sw_status (*meet)(const struct sw_comm *comm, enum sw_status st);  /* NULL: as sw_comm_agree() */
};

/* What rows of devices have first in their own data, which comm->own points to. */
struct comm_on_device {
    struct sw_comm        comm;
    const struct sw_comm *host;
    struct sw_comm       *host_part;  /* the same, where it was made for this one; else NULL */
    struct sw_device     *device;
};
void comm_on_device_init(struct comm_on_device *c, const struct sw_comm_ops *ops, const struct sw_comm *host,
                         struct sw_device *device);

/* Operations that rows of devices share. */
enum sw_status comm_on_device_gather_host(const struct sw_comm *comm, size_t count, const double *mine, double *all);
enum sw_status comm_on_device_split(const struct sw_comm *comm, const struct comm_place *place, struct sw_comm **part);

/* End with NULL. Order is preference. */
extern const struct sw_comm_ops *const sw_comm_table[], *const sw_comm_device_table[];
#endif
