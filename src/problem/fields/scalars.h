#ifndef FIELDS_SCALARS_H
#define FIELDS_SCALARS_H
/* The scalars of a field, those of a line (problem/line/stepper/scalars_point.h) over its box: mass the integral of the
 * first unknown, u_min, u_max, and domain_length = 2 pi sum |û_k|² / sum |k| |û_k|² over all waves but the
 * mean. Between walls, which are points, sums are those of the trapezoidal rule, and waves those of the field with its
 * mirror image. */
#include "device/sw_owned.h"
#include "field/grid.h"
#include "problem/line/stepper/scalars_point.h"

struct fields_measure;

/** Bytes of memory that one takes. */
size_t fields_measure_bytes(const int64_t n[SW_DIMS], const bool walls[SW_DIMS]);

/** How many runs whose fields lie on a device so many threads of the host measure at once: large ones take memory. */
static inline int fields_measured_at_once(const int64_t n[SW_DIMS], int threads)
{
    const int64_t most = ((int64_t)1 << 26) / sw_points(n);
    return most < 1 ? 1 : most < threads ? (int)most : threads;
}

/** The sum over row j + k ny, with the weights of its points: 1/2 at each wall. */
double fields_sum_row(const int64_t n[SW_DIMS], const bool walls[SW_DIMS], int64_t row, const double *value);

/** @param walls  whether both ends of an axis are points; else it is periodic
 * @param own  its arrays @return SW_E_MEMORY; it is then to be destroyed, too */
enum sw_status fields_measure_create(const int64_t n[SW_DIMS], const bool walls[SW_DIMS], struct sw_owned *own,
                                     struct fields_measure **measure);
void           fields_measure_destroy(struct fields_measure *measure);

/** All but the energy, which is NaN. @param u  [z][y][x], finite  @param axes  that the grid has */
void fields_measure(struct fields_measure *measure, int axes, const struct sw_grid *grid, const double *u,
                    double out[SW_LINE_SCALARS]);
#endif
