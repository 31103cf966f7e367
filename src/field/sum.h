#ifndef SUM_H
#define SUM_H
/* Reproducible sums: the order of the additions depends on n alone, never on threads or on what else is computed. There
 * are two orders, and what is stored in files depends on which of them a number has always been taken in:
 *
 *   pairwise  halves are summed by themselves, down to 8 terms in turn. Its rounding grows as log2(n). Norms of all
 *             problems with a state on the host, and the scalars of `advection` on the CPU.
 *   lanes     128 partial sums side by side (field/sum_point.h), which GPUs and vector units form at full speed, to the
 *             same bits. The scalars of lines. */
#include <stdint.h>

#include "field/sum_point.h"

/** @param term  [n] */
double sw_sum_pairwise(const double *term, int64_t n);
double sw_sum_lanes(const double *term, int n);
/** The end of the latter, for a caller that adds its terms to the lanes itself. @param lane  lost */
double sw_sum_of_lanes(double lane[SW_SUM_LANES]);
#endif
