#ifndef POWER_H
#define POWER_H
/* The power spectrum of a periodic field in one to three dimensions, over rings of wave numbers. With the transform
 * U_k = sum_x u exp(-i k x) of N points in a volume V, a mode has the power
 *
 *     S(k) = V/N² |U_k|²,      so that mean(u²) = (1/V) sum_k S(k):
 *
 * the structure factor of u; T/(1 + k²) for u_t = -u + lap(u) + noise of strength 2T. Ring j has the modes whose |k| is
 * nearest to j dk, dk = 2 pi/(the shortest side), 0 <= j <= J: as far as rings are whole, dk J at most the least of the
 * largest waves pi/dx; its S and its wave number are means over its modes. On a line these are k and -k. */
#include "base/sw_status.h"
#include "field/grid.h"

struct sw_power;
/** @param length  of the dimensions, as u has them; 0 where there is none  @return SW_E_MEMORY */
enum sw_status sw_power_create(int dim, const int64_t n[SW_DIMS], const double length[SW_DIMS],
                               struct sw_power **power);
void sw_power_destroy(struct sw_power **power);  /* NULL and *NULL are fine */
/** How many rings there are, J + 1. */
int64_t sw_power_rings(const struct sw_power *power);
/** The mean |k| of each ring. */
const double *sw_power_waves(const struct sw_power *power);
/** @param u  [points]  @param ring  out [rings]; NaN where u has one */
void sw_power_form(struct sw_power *power, const double *u, double *ring);
#endif
