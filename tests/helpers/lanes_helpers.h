#ifndef LANES_HELPERS_H
#define LANES_HELPERS_H
/* Coefficients of lines side by side (problem/line/simd/lanes.h). */
#include <math.h>

#include "problem/line/simd/lanes.h"

enum { POWERS = 26, COEFFICIENTS = POWERS * POWERS };

/* Each line's s4 and s2: of all pairs of 0 and the powers of ten from 1e-12 to 1e12, the one with number `first`, the
 * one `stride` behind it, and so on. Their decays differ. */
static inline void choose_coefficients(int first, int stride, double s4[SW_LANES], double s2[SW_LANES])
{
    for (int l = 0; l < SW_LANES; l++) {
        const int pair = (first + l * stride) % COEFFICIENTS, p = pair / POWERS - 13, q = pair % POWERS - 13;
        s4[l] = p < -12 ? 0.0 : pow(10, p);
        s2[l] = q < -12 ? 0.0 : pow(10, q);
    }
}
#endif
