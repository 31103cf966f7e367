#ifndef SW_FD_NABLA_H
#define SW_FD_NABLA_H
/* Gradient, divergence and Laplacian of fields of 1 to 3 dimensions by compact differences (sw_fd.h): one scheme along
 * all axes. An axis with one point does not count: nothing varies along it.
 *
 * Sums are taken in the order z, x, y. On the CPU, where a plane fits a core's cache, a thread computes the derivatives
 * along x and y of one plane after another, so that a gradient or Laplacian reads f from memory twice and not three
 * times. Gradients use joined derivatives (sw_fd_join()). The bits are those of one axis after the
 * other in each case. Lines that are cut over ranks are done by themselves.
 *
 * Where some lines are cut, sw_fd_nabla_create(), and each gradient, divergence and Laplacian, are collective for all
 * ranks that have parts of the field. A failure of sw_fd_nabla_create() may be that of some ranks only, those that
 * share lines: the caller has the ranks agree on it. */
#include "fd/sw_fd.h"

struct sw_fd_nabla_desc {
    int64_t     n[3];         /* points along x, y, z                                                 */
    const char *scheme;       /* d1_*: gradient and divergence; d2_*: Laplacian                        */
    double      alpha;        /* of a family with one parameter                                        */
    const char *boundary[3];  /* along each axis that has points                                      */
    double      h[3];
    const struct sw_comm *along[3];  /* borrowed: the ranks that share the lines along each axis (sw_fd_desc.comm);
                                 NULL: they are whole                                                   */
    bool        single;    /* fields are float */
    bool        sums;      /* divergences are wanted: rows that do not add to a field are refused. Else there may be
                              none, as where lines are cut */
    bool        separate;  /* one axis after the other in any case: to compare with */
};

struct sw_fd_nabla;

/** @param desc    copied
 *  @param row     of the table of sw_fd.h; NULL: the first that fits. It is for the axes with lines of its kind, whole
 *                 or cut; for the others the first that fits is taken
 *  @param device  borrowed
 *  @return as sw_fd_create(); SW_E_CONFIG a scheme of another kind, or a field of one point */
enum sw_status sw_fd_nabla_create(const struct sw_fd_nabla_desc *desc, const char *row, struct sw_device *device,
                                  struct sw_fd_nabla **nabla);
void sw_fd_nabla_destroy(struct sw_fd_nabla **nabla);

/** The row that differentiates along the first axis of a sum. */
const char *sw_fd_nabla_name(const struct sw_fd_nabla *nabla);

/* Fields as in sw_fd.h, in the device's memory; none may overlap another. On a device work is queued.
 * SW_E_ARG: not with this scheme. SW_E_ABSENT: the row does not add. */

/** g[axis] := derivative along it; g of an axis with one point is not used. */
enum sw_status sw_fd_gradient(const struct sw_fd_nabla *nabla, const void *f, void *const g[3]);
/** out := sum of the derivatives of v[axis] along axis; v of an axis with one point is not used. */
enum sw_status sw_fd_divergence(const struct sw_fd_nabla *nabla, const void *const v[3], void *out);
/** out := sum of the second derivatives of f. */
enum sw_status sw_fd_laplacian(const struct sw_fd_nabla *nabla, const void *f, void *out);

/** Whether a gradient differentiates along two axes in one pass, which reads f from memory once. */
bool sw_fd_nabla_joins(const struct sw_fd_nabla *nabla);
#endif
