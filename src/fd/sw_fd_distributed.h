#ifndef SW_FD_DISTRIBUTED_H
#define SW_FD_DISTRIBUTED_H
/* Compact finite differences of fields whose axis is cut over the ranks of a communicator: rank 0 has the first points
 * of every line, rank 1 the next ones, and so on. What is computed is what sw_fd (sw_fd.h) computes of the undivided
 * field, up to rounding; docs/explanation/compact_distributed.md has the methods and their errors.
 *
 * A rank's part has the shape desc.local.n, x fastest, with its own number of points along the axis. Schemes with five
 * diagonals (d1_c10) and single precision are refused. No rank may have fewer points than sw_fd_distributed_least().
 *
 * Bits depend on how the lines are cut, and not on the transport, on how many lines there are, nor on the threads. */
#include "comm/sw_comm.h"
#include "fd/sw_fd.h"

struct sw_fd_distributed_desc {
    struct sw_fd_desc local; /* this rank's: n[axis] is its number of points; all else is the same on all ranks       */
    double            drop;  /* rows that drop small couplings: how large one may be, of 1; 0: 2^-53, below rounding  */
};

struct sw_fd_distributed;  /* opaque; fd_distributed_impl.h is for the authors of rows */

/** Collective: all ranks call it, and all get SW_OK or none does.
 *  @param desc    copied
 *  @param row     row of the table, "cpu.mattor"; NULL: the first that does this cut
 *  @param comm    borrowed; in the same memory space as the device
 *  @param device  borrowed: where this rank works, with how many threads
 *  @param fd      out; free with sw_fd_distributed_destroy(). apply allocates nothing
 *  @return as sw_fd_create(), for the line of all points; SW_E_ARG a rank has too few points, or ranks do not have the
 *          same scheme, step or number of lines; SW_E_ABSENT the row does not do this cut, as where a rank has so few
 *          points that what would be dropped is not small (with the number of points it takes); SW_E_COMM another rank
 *          could not */
enum sw_status sw_fd_distributed_create(const struct sw_fd_distributed_desc *desc, const char *row,
                                        const struct sw_comm *comm, struct sw_device *device,
                                        struct sw_fd_distributed **fd);

/** Not collective. NULL and *NULL are fine. */
void sw_fd_distributed_destroy(struct sw_fd_distributed **fd);

/** Collective.
 *  @param f    this rank's part of the field, in the device's memory
 *  @param out  as many numbers; may not overlap f
 *  @return SW_E_COMM; SW_E_CUDA */
enum sw_status sw_fd_distributed_apply(const struct sw_fd_distributed *fd, const double *f, double *out);

/** The name of row k of the table, NULL after the last. */
const char *sw_fd_distributed_row(int k);
const char *sw_fd_distributed_name(const struct sw_fd_distributed *fd);

/** Points of the whole axis, and of those the first of this rank. */
int64_t sw_fd_distributed_points(const struct sw_fd_distributed *fd);
int64_t sw_fd_distributed_first(const struct sw_fd_distributed *fd);

/** The least number of points that every rank of several must have: those that a neighbour's right-hand sides need, and
 *  at a wall those of its special rows. 0: the scheme has no such boundary. */
int sw_fd_distributed_least(const char *scheme, const char *boundary);

/** The least number of points m of a rank for which the influence of one end on the other, rho^m with
 *  rho = (1 - sqrt(1 - 4 alpha^2))/(2 alpha), is not above drop; alpha is that of the scheme, |alpha| < 1/2. */
int sw_fd_distributed_decay_length(double alpha, double drop);

/** An even cut of n points: the first one of a rank. The next rank's first one ends it; that of rank size is n. */
static inline int64_t sw_fd_distributed_cut(int64_t n, int size, int rank)
{
    return n / size * rank + n % size * rank / size;
}
#endif
