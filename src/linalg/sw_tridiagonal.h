#ifndef SW_TRIDIAGONAL_H
#define SW_TRIDIAGONAL_H
/* Tridiagonal systems with pivoting: one large one, or a batch of small ones (docs/explanation/tridiagonal.md).
 *
 *     lower[i] x[i-1] + main[i] x[i] + upper[i] x[i+1] = rhs[i],   i = 0 .. n-1
 *
 * Entry i of system j of an array is at j*n + i. lower[0] and upper[n-1] are not looked at unless `cyclic`, where
 * x[-1] is x[n-1] and x[n] is x[0]. */
#include <stdbool.h>
#include <stdint.h>

#include "base/sw_cost.h"
#include "base/sw_status.h"
#include "device/sw_device.h"

struct sw_tridiagonal_desc {
    int64_t n;       /* unknowns of a system, >= 1, cyclic >= 3; <= 2^39 */
    int     batch;   /* systems, >= 1                                  */
    bool    cyclic;
};

/* In the solver's memory space; [batch*n] each. */
struct sw_tridiagonal_rows { const double *lower, *main, *upper, *rhs; };

enum sw_tridiagonal_fault {
    SW_TRIDIAGONAL_FINE,
    SW_TRIDIAGONAL_ENTRY,      /* an entry of this row is not finite                                        */
    SW_TRIDIAGONAL_SINGULAR,   /* the matrix is: elimination has the least pivot at this row                  */
    SW_TRIDIAGONAL_OVERFLOW,   /* entries are finite, the matrix is not singular; x of this row is beyond the range of
                                  numbers                                                                    */
    SW_TRIDIAGONAL_BREAKDOWN   /* x is not finite from this row on, or of a stable row wrong, though the matrix is not
                                  singular: the method's own fault                                           */
};
struct sw_tridiagonal_outcome { enum sw_tridiagonal_fault fault; int64_t row; };  /* row: from 0; -1: not known */

struct sw_tridiagonal;  /* opaque; sw_tridiagonal_impl.h is for authors of rows */

/** Make a solver for systems of one shape. Allocates all it will ever need; solve allocates nothing.
 * @param desc    shape; copied
 * @param name    row of the table, "cpu.relations"; NULL: the first that fits the shape and the device
 * @param device  where it works; borrowed
 * @param solver  out: new solver, NULL on failure; free with sw_tridiagonal_destroy()
 * @return SW_E_ARG shape out of range; SW_E_CONFIG no such solver; SW_E_ABSENT not in this build, not on this machine
 *         or not for this shape (with those that fit); SW_E_MEMORY; SW_E_CUDA */
enum sw_status sw_tridiagonal_create(const struct sw_tridiagonal_desc *desc, const char *name,
                                     struct sw_device *device, struct sw_tridiagonal **solver);

/** Solve all systems. On a device the work is queued on its compute stream.
 * @param rows  borrowed, unchanged; needed until sw_tridiagonal_outcome() has returned
 * @param x     out [batch*n] in the solver's memory space; not one of `rows` */
enum sw_status sw_tridiagonal_solve(struct sw_tridiagonal *solver, const struct sw_tridiagonal_rows *rows, double *x);

/** Wait for the solve, and judge it: a system is looked at again on the host where x is not finite, and, of a stable
 * row, where x does not solve each row by its own size or the matrix may be singular. The elimination of
 * tridiagonal_judge.c names the fault and the row. Where it finds a better x (rows scaled by powers of two, so that no
 * pivot leaves the range of numbers) and the row is stable, x is replaced by it.
 * @param outcome  out [batch]. x of a system that is not FINE is not finite */
enum sw_status sw_tridiagonal_outcome(struct sw_tridiagonal *solver, const struct sw_tridiagonal_rows *rows, double *x,
                                      struct sw_tridiagonal_outcome *outcome);

const struct sw_tridiagonal_desc *sw_tridiagonal_shape(const struct sw_tridiagonal *solver);
const char *sw_tridiagonal_name(const struct sw_tridiagonal *solver);
/** The name of row k of the table, NULL after the last. */
const char *sw_tridiagonal_row(int k);

/** Why a solver does not do a shape, whatever the device: a static text; NULL: it does.
 * @param name  a row of the table; "auto" and unknown names are fine */
const char *sw_tridiagonal_refusal(const struct sw_tridiagonal_desc *desc, const char *name);

/** Bytes that a solver of this shape takes beside rows and x, in the memory of the device. @param name as for create */
enum sw_status sw_tridiagonal_bytes(const struct sw_tridiagonal_desc *desc, const char *name,
                                    const struct sw_device *device, size_t *bytes);

/** What the row counts for an unknown in one solve: words read and written, fused multiply-adds. */
struct sw_cost sw_tridiagonal_cost(const struct sw_tridiagonal *solver);

/** Free a solver and set the handle to NULL. NULL and *NULL are fine. */
void sw_tridiagonal_destroy(struct sw_tridiagonal **solver);

/* ------------------------------------------------------------------ slices: rows by relations and by SPIKE
 *
 * A system may be cut into slices, each with its rows in another chunk of memory, on another device or on another rank.
 * A slice of rows is reduced to its relation; the relations of all slices give the unknowns at their ends; each slice
 * then expands its own unknowns from them. The rows of a slice are looked at twice, and nothing of their number is
 * kept.
 *
 * There are 2^depth slices at a depth, 0 .. sw_tridiagonal_depth(): the nodes, at that depth, of one binary tree over
 * the rows whose shape depends on n and the row of the table alone. So x has the same bits whatever the depth, however
 * the slices are spread over devices of one kind, and as sw_tridiagonal_solve() gives it, but for rows that say in
 * their `about` that they take another way. By SPIKE on a GPU it has the last bits of the depth, however the slices are
 * spread. */

/* What the other slices need to know of one: two equations (relation_point.h), or of a partition of SPIKE the tops and
 * bottoms of V, W and Y (papers/spike_point.h), 6 numbers and zeros. */
struct sw_relation { double w[10]; };

/** The first row of the table that solves slices of such a system on this device: of this name, or NULL: of any.
 * @return its name; NULL: there is none */
const char *sw_tridiagonal_row_of_slices(const struct sw_tridiagonal_desc *desc, const char *name,
                                         const struct sw_device *device);

/** The deepest cut of a system; -1: the row solves whole systems only, or `desc` is a batch. */
int sw_tridiagonal_depth(const struct sw_tridiagonal_desc *desc, const char *name);

/** The rows of slice s at a depth: first .. first + count - 1. Slices follow one another, are never empty, and differ
 * by few rows. */
void sw_tridiagonal_slice(const struct sw_tridiagonal_desc *desc, const char *name, int depth, int64_t s,
                          int64_t *first, int64_t *count);

/** Make a solver of slices at this depth or a deeper one: it allocates for one slice at a time.
 * @param desc  of the whole system; batch is 1 */
enum sw_status sw_tridiagonal_create_slices(const struct sw_tridiagonal_desc *desc, int depth, const char *name,
                                            struct sw_device *device, struct sw_tridiagonal **solver);

/** Bytes that a solver of slices takes beside the rows and x of one, in the memory of the device. */
enum sw_status sw_tridiagonal_slice_bytes(const struct sw_tridiagonal_desc *desc, int depth, const char *name,
                                          const struct sw_device *device, size_t *bytes);

/** Reduce a slice. Waits.
 * @param rows      of this slice alone, in the solver's memory space
 * @param relation  out, on the host. Not finite where the slice holds a fault */
enum sw_status sw_tridiagonal_reduce(struct sw_tridiagonal *solver, int64_t s, const struct sw_tridiagonal_rows *rows,
                                     struct sw_relation *relation);

/** The unknowns at the ends of all slices from their relations: up and down the tree. On the host.
 * @param relation  [2^depth]
 * @param ends      out [2^depth][4]: x before the slice, its first, its last, x behind it (0 where there is none). By
 *                  relations they have the bits of x, by SPIKE they may differ from x by rounding
 * @param broken    out: the first slice whose relation is not finite, or else whose ends are not; -1: none. There the
 *                  matrix is singular to working precision, or a number is beyond the range of numbers */
enum sw_status sw_tridiagonal_close(const struct sw_tridiagonal *solver, const struct sw_relation *relation,
                                    double (*ends)[4], int64_t *broken);

/** The unknowns of a slice. Queued on the device's compute stream.
 * @param reduced  the solver's last call was sw_tridiagonal_reduce() of this slice with these very rows: that is not
 *                 done again then
 * @param ends     of this slice
 * @param x        out, of this slice alone */
enum sw_status sw_tridiagonal_expand(struct sw_tridiagonal *solver, int64_t s, const struct sw_tridiagonal_rows *rows,
                                     bool reduced, const double ends[4], double *x);
#endif
