#ifndef NAVON_CPU_H
#define NAVON_CPU_H
/* Navon's closure (navon_point.h) of one system on the CPU, for solvers of the band E that remains when the last p
 * unknowns of a periodic system are split off. m = n - p. */
#include "solver/navon_point.h"
#include "solver/sw_band_impl.h"

/** p: how many unknowns a shape splits off; 0 if it is not periodic (or diagonal). */
int sw_navon_split(const struct sw_band_desc *desc);

/** A(i, i + off) of system j, where it belongs to E; else 0. */
double sw_navon_entry(const struct sw_band *s, const double *band, int m, int i, int off, int j);

/** Set-up in two steps, between which the caller replaces the columns of k by E^-1 k (with p = 1: k[1] alone). begin()
 *  writes h, k and C. @param k  out: two columns of m */
void sw_navon_begin(const struct sw_band *s, const double *band, int p, int j, struct sw_navon *closure,
                    double *const k[2], double c[2][2]);
/** @return 0, or 1 + the row of A at which the border matrix has a bad pivot */
int sw_navon_end(struct sw_navon *closure, int p, int m, double *const Z[2], double c[2][2]);

/** After a solve with E: x holds y in its first m entries and g in the last p; out: the solution. */
void sw_navon_close(const struct sw_navon *closure, int p, int m, double *const Z[2], double *x);
#endif
