#ifndef SW_COMM_IMPL_H
#define SW_COMM_IMPL_H
/* For authors of rows. One file a row, comm_<name>.c; its row goes into comm_table.c.
 *
 * Arguments are checked, and reductions are made, before the table: a row only moves numbers, bit by bit. A row over
 * processes (`apart`) calls the part once in run(), with the rank of this process; when a part fails while others go
 * on, run() must not let them wait for ever. A row for device memory (NCCL) has its arrays in SW_DEVICE space, and its
 * gather_host moves the few numbers of the reductions from and to the host.
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
    enum sw_status (*exchange)(const struct sw_comm *comm, bool periodic, const struct sw_comm_transfer *leftward,
                               const struct sw_comm_transfer *rightward);
    /* The same in two calls; NULL: begin does all, and end nothing. */
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
};

/* Ends with NULL. Order is preference. */
extern const struct sw_comm_ops *const sw_comm_table[];
#endif
