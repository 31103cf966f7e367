#ifndef SW_BAND_H
#define SW_BAND_H
/* Batched banded linear systems: many small A_j x_j = b_j of one shape, solved together.
 *
 * Interleaved rows: entry i of system j of any vector v is v[i*ld + j]. Line rows: v[j*ld + i]. Each solver says which
 * it takes (sw_band_layout); below, index(i, j) stands for it.
 * Row r of the band is a vector of its own, sw_band_vector() entries long, r = 0 .. lower + upper:
 * band[r*vector + index(i, j)] = A_j(i, i + r - lower). Without `periodic`, entries outside the matrix are never read;
 * with it, columns wrap modulo n.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/sw_cost.h"
#include "base/sw_status.h"
#include "device/sw_device.h"

enum sw_layout { SW_INTERLEAVED, SW_LINES };

enum { SW_BAND_SIDE = 4 };  /* diagonals on a side of the main one, at most */

struct sw_band_desc {
    int  n;             /* unknowns per system, >= 1, and >= lower + upper + 1 when periodic */
    int  batch;         /* systems, >= 0; zero is legal and does nothing                      */
    int  ld;            /* interleaved: >= batch; lines: >= n; 0: the least                   */
    int  lower, upper;  /* diagonals below and above the main one, 0 .. SW_BAND_SIDE; some rows take at most 2 */
    bool periodic;      /* wrap the band at both ends                                         */
    bool symmetric;     /* all matrices are, and positive definite; then lower = upper         */
    bool uniform;       /* all matrices of the batch are equal: a row may look at the first only */
};

struct sw_band;  /* opaque; sw_band_impl.h is for solver authors */

/** Make a solver for systems of one shape. Allocates all it will ever need; factor and solve allocate nothing.
 * @param desc    shape; copied
 * @param name    row of the solver table, "cpu.thomas"; NULL: the first that fits the shape and the device
 * @param device  where it works; borrowed
 * @param solver  out: new solver, NULL on failure; free with sw_band_destroy()
 * @return SW_E_ARG shape out of range; SW_E_CONFIG no such solver; SW_E_ABSENT not in this build, not on this machine
 *         or not for this shape (with those that fit); SW_E_MEMORY; SW_E_CUDA */
enum sw_status sw_band_create(const struct sw_band_desc *desc, const char *name, struct sw_device *device,
                              struct sw_band **solver);

enum sw_layout sw_band_layout(const struct sw_band *solver);
const struct sw_band_desc *sw_band_shape(const struct sw_band *solver);  /* with ld filled in */
/** The name of row k of the table, NULL after the last. */
const char *sw_band_row(int k);
const char *sw_band_name(const struct sw_band *solver);

/** Memory a row takes, at most, in vectors of n numbers a system: for estimates. 0: there is no such row. Of any shape,
 * or of this width and closing; its n and batch count for nothing. */
int sw_band_vectors(const char *name);
int sw_band_vectors_of(const struct sw_band_desc *desc, const char *name);

/** Whether a row exchanges rows, so that it solves any system whose matrix is regular with a small backward error. One
 * that does not may lose the solution without a sign of it, unless the matrices are diagonally dominant or positive
 * definite.
 * @param name  NULL, or a name of no row: false */
bool sw_band_pivots(const char *name);

/** The first row that exchanges rows and does this shape in a space; NULL: there is none. */
const char *sw_band_pivoting_row(const struct sw_band_desc *desc, enum sw_space space);

/** Why a row does not do this shape, wherever it works: a static text; NULL: it does, or there is no such row. */
const char *sw_band_refusal(const struct sw_band_desc *desc, const char *name);

/** The error of a row, at most, over that of elimination without pivoting in a matrix that needs none
 * (docs/explanation/banded_solvers.md).
 * @param name  NULL, or a name of no row: 1 */
int sw_band_error_growth(const char *name);

/** Entries of one vector: n*ld interleaved, batch*ld in lines. A band has (lower + upper + 1) times as many. */
size_t sw_band_vector(const struct sw_band *solver);

/** Take in the matrices and factor them.
 * @param band  [lower+upper+1] vectors in the solver's memory space and layout; not used afterwards
 * @param bad   NULL, or out [batch] on the host: 0, or 1 + the row whose pivot is zero or not finite. The other systems
 *              of the batch are unharmed and can be solved; a bad one solves to NaN.
 * @return SW_E_SINGULAR some pivot failed; the message names the first system and row. Without `bad` the solver is then
 *         unusable until factored again. SW_E_CUDA */
enum sw_status sw_band_factor(struct sw_band *solver, const double *band, int *bad);

/** Solve for every system, in place.
 * @param x  one vector in the solver's memory space and layout: right-hand sides in, solutions out. On a device the
 *           work is queued on its compute stream. */
enum sw_status sw_band_solve(const struct sw_band *solver, double *x);

/** Solve one system of the batch, in place: for callers that keep a line in the cache between solves. Solvers in the
 * host's memory only. Any number of threads may call it, each with an x of its own. The bits are those of
 * sw_band_solve().
 * @param system  0 .. batch-1
 * @param x       [n] */
void sw_band_solve_one(const struct sw_band *solver, int system, double *x);

/** What a row counts for an unknown in one solve. @param row  its name; NaN if there is none, or it does not count */
struct sw_cost sw_band_cost(const struct sw_band_desc *desc, const char *row);

/** Free a solver and set the handle to NULL. NULL and *NULL are fine. */
void sw_band_destroy(struct sw_band **solver);
#endif
