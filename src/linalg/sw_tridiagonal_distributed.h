#ifndef SW_TRIDIAGONAL_DISTRIBUTED_H
#define SW_TRIDIAGONAL_DISTRIBUTED_H
/* One tridiagonal system whose slices (sw_tridiagonal.h) lie with several ranks, each with a device of its own: threads
 * of one process, or processes. A rank reduces its slices one after another, the relations of all slices go round, 10
 * words each, and a rank expands its slices. A serial run, slice after slice through a memory that holds one of them,
 * is a run with sw_comm_null().
 *
 * x has the bits that sw_tridiagonal_solve() gives it on one device of the kind, whatever the depth and the number of
 * ranks: the tree over the rows is the same. All ranks use the same row of the table.
 *
 * Life: create; on each rank reduce all its slices; close; expand them, in any order and as often as wanted. */
#include "comm/sw_comm.h"
#include "linalg/sw_tridiagonal.h"

struct sw_tridiagonal_distributed;

/** Make a rank's part. Collective in its results, not in its calls: ranks need not meet.
 * @param desc    of the whole system; batch is 1
 * @param depth   there are 2^depth slices, at least one for each rank; 0 .. sw_tridiagonal_depth()
 * @param name    row of the table that keeps relations
 * @param comm    borrowed
 * @param device  of this rank; borrowed
 * @return as sw_tridiagonal_create_slices(); SW_E_ARG fewer slices than ranks */
enum sw_status sw_tridiagonal_distributed_create(const struct sw_tridiagonal_desc *desc, int depth, const char *name,
                                                 const struct sw_comm *comm, struct sw_device *device,
                                                 struct sw_tridiagonal_distributed **out);
void sw_tridiagonal_distributed_destroy(struct sw_tridiagonal_distributed **d);

/** The slices of this rank: first .. first + count - 1. Ranks follow one another. */
void sw_tridiagonal_distributed_slices(const struct sw_tridiagonal_distributed *d, int64_t *first, int64_t *count);

/** The rows of any slice; and the most rows that one has. */
void sw_tridiagonal_distributed_rows(const struct sw_tridiagonal_distributed *d, int64_t slice, int64_t *first,
                                     int64_t *count);
int64_t sw_tridiagonal_distributed_most_rows(const struct sw_tridiagonal_distributed *d);

/** Reduce a slice of this rank. Waits. @param rows  of this slice alone, in the memory of the device */
enum sw_status sw_tridiagonal_distributed_reduce(struct sw_tridiagonal_distributed *d, int64_t slice,
                                                 const struct sw_tridiagonal_rows *rows);

/** The relations of all slices, [2^depth] on the host: those that this rank has reduced, and after close() all. They
 * may be stored, and put back into another object of the same shape instead of reducing again. */
struct sw_relation *sw_tridiagonal_distributed_relations(struct sw_tridiagonal_distributed *d);

/** Exchange the relations, and find the unknowns at the ends of all slices. Collective.
 * @param broken  out: the first slice whose relation or ends are not finite, -1: none; the same on all ranks. There the
 *                matrix is singular to working precision, or a number is beyond the range of numbers */
enum sw_status sw_tridiagonal_distributed_close(struct sw_tridiagonal_distributed *d, int64_t *broken);

/** The unknowns before, at both ends of, and behind any slice, [4]; 0 where there is none. After close(). */
const double *sw_tridiagonal_distributed_ends(const struct sw_tridiagonal_distributed *d, int64_t slice);

/** Set them where another rank has found them: then expand() needs no close() here. */
void sw_tridiagonal_distributed_set_ends(struct sw_tridiagonal_distributed *d, int64_t slice, const double ends[4]);

/** The unknowns of a slice of this rank. Queued on the device's compute stream. @param x  out, of this slice alone */
enum sw_status sw_tridiagonal_distributed_expand(struct sw_tridiagonal_distributed *d, int64_t slice,
                                                 const struct sw_tridiagonal_rows *rows, double *x);
#endif
