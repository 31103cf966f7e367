#ifndef SW_FD_H
#define SW_FD_H
/* Compact finite differences of fields of 1 to 3 dimensions: derivatives, interpolation half-way between points, and
 * filters, along one axis. Schemes and boundaries are those of sw_fd_scheme.h.
 *
 * A field has nx by ny by nz points, x fastest: f[(k*ny + j)*nx + i]; several fields lie one after another. Lines run
 * along the axis; no line influences another. What a row of the table computes for a line does not depend, to the
 * bit, on how many others there are, nor on the number of threads; it may on what the axis is.
 *
 * Lines may be cut over the ranks of a communicator (desc.comm): rank 0 has the first points of every line, rank 1 the
 * next ones, and so on; a field is then this rank's part. What is computed is what the undivided field gives, up to
 * rounding (docs/explanation/compact_distributed.md has the error); its bits depend on how the lines are cut, and not
 * on the transport. No rank of several may have fewer points than sw_fd_least_of_rank().
 *
 * For cut lines sw_fd_create() and sw_fd_apply() are collective: all ranks of desc.comm call them, and of
 * sw_fd_create() all get SW_OK or none does. No other function here communicates. Those that take a desc assume
 * that each rank has as many points as this one: whether the line is long enough, and each part, is certain only
 * after sw_fd_create().
 *
 * Results have the shape of the field. Those half-way between points (d1s_*, mid_*) lie at x_i + h/2, entry i, or with
 * desc.left at x_i - h/2. Where the axis is periodic, x_n is x_0. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sw_cost.h"
#include "base/sw_status.h"
#include "device/sw_device.h"
#include "fd/sw_fd_scheme.h"

struct sw_comm;

struct sw_fd_desc {
    int64_t     n[3];      /* points along x, y, z; 1 where there is no such axis. Of this rank           */
    int         axis;      /* 0, 1, 2                                                                 */
    int64_t     fields;    /* one after another, >= 0; zero is legal and does nothing                 */
    const char *scheme;    /* "d1_c6"                                                                 */
    const char *boundary;  /* "periodic", "3-4-6"                                                     */
    double      h;         /* distance of points along the axis; filters and interpolation use none   */
    double      alpha;     /* of a filter, of a family with one parameter: scheme->any_alpha          */
    bool        left;      /* of schemes half-way: results to the left of their points                 */
    bool        single;    /* f and out are float                                                     */
    bool        add;       /* out += g instead of out = g                                             */
    const struct sw_comm *comm;  /* borrowed: the ranks whose parts of the lines follow one another; in the memory space
                              of the device. All but n[axis] is the same on all of them. NULL: lines are whole */
    double      drop;      /* of rows that drop small couplings between ranks: how large one may be, of 1; 0: 2^-53,
                              below rounding */
};

struct sw_fd;         /* opaque; rows of the table see sw_fd_impl.h */
struct sw_fd_joined;  /* likewise                                   */

/** Check shape, scheme, boundary, number of points, alpha and h, for any row.
 *  @return SW_E_CONFIG as sw_fd_line_make(); SW_E_ARG shape or axis out of range, too few points for a rank */
enum sw_status sw_fd_check(const struct sw_fd_desc *desc);

/** Of cut lines: collective.
 *  @param desc    copied (scheme and boundary are names of the tables: not kept)
 *  @param row     row of the table, "cpu.thomas"; NULL: the first that fits shape, cut and device
 *  @param device  borrowed
 *  @param fd      out; free with sw_fd_destroy(). apply allocates nothing
 *  @return as sw_fd_check(); SW_E_CONFIG no such row; SW_E_ABSENT not in this build, not on this device, or not for
 *          this shape (with the rows that fit); SW_E_SINGULAR a pivot vanishes: found here, never in apply;
 *          SW_E_MEMORY; SW_E_CUDA; of cut lines SW_E_ARG a rank has too few points, or the ranks do not ask for the
 *          same; SW_E_COMM another rank could not */
enum sw_status sw_fd_create(const struct sw_fd_desc *desc, const char *row, struct sw_device *device,
                            struct sw_fd **fd);
void sw_fd_destroy(struct sw_fd **fd);

/** @param f    fields*nz*ny*nx numbers, double or with desc.single float, in the device's memory
 *  @param out  as many; may not overlap f. On a device the work is queued on its compute stream.
 *  Of cut lines: collective.
 *  @return SW_E_CUDA; SW_E_COMM */
enum sw_status sw_fd_apply(const struct sw_fd *fd, const void *f, void *out);

/** Join two first derivatives of the same fields, along the first two axes that have more than one point, so that one
 *  pass forms both and reads f from memory once: 24 bytes a point (float: 12) instead of 32. Bits are those of one
 *  after the other.
 *  @param first, second  borrowed; must outlive *joined
 *  @param joined         out; free with sw_fd_joined_destroy() first. NULL with SW_OK where the rows differ or do not
 *                        join derivatives, where lines are cut, where operators add, or where one pass is not faster
 *  @return SW_E_MEMORY; SW_E_SINGULAR; SW_E_ABSENT no compiler on this machine; SW_E_CUDA */
enum sw_status sw_fd_join(const struct sw_fd *first, const struct sw_fd *second, struct sw_fd_joined **joined);
/** As sw_fd_apply() of both. @param out_1, out_2  the derivatives of `first` and `second`; no array overlaps another */
enum sw_status sw_fd_joined_apply(const struct sw_fd_joined *joined, const void *f, void *out_1, void *out_2);
void sw_fd_joined_destroy(struct sw_fd_joined **joined);

/** The name of row k of the table, NULL after the last. */
const char *sw_fd_row(int k);
/** Whether a row of this build can differentiate fields of this shape, on its kind of device. */
bool sw_fd_fits(const struct sw_fd_desc *desc, const char *row);
const char *sw_fd_name(const struct sw_fd *fd);
/** Whether the row of this name is for lines that are cut over ranks, and for no others. */
bool sw_fd_row_cuts(const char *row);

/** Bytes that sw_fd_create() allocates on a rank for cut lines, in the memory of the device: halos, the ends of parts,
 *  and a double field where results are not formed in place. 0: lines are whole, or it would fail. */
size_t sw_fd_cut_bytes(const struct sw_fd_desc *desc, const char *row, const struct sw_device *device);

/** The least number of points that every rank of several must have of a cut line: those that a neighbour's right-hand
 *  sides need, and at a wall those of its special rows. 0: the scheme has no such boundary. */
int sw_fd_least_of_rank(const char *scheme, const char *boundary);


/** Bytes and operations of a row for a point; NaN: not counted, or no such row. desc as for create. */
struct sw_cost sw_fd_cost(const struct sw_fd_desc *desc, const char *row);
#endif
