#ifndef FD_SIMD_COPY_H
#define FD_SIMD_COPY_H
/* Segments of lines of a field to lanes side by side, [points][lanes], and results back. Those of lines along x are
 * transposed in registers, a block of as many points and lanes as a vector has at a time. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fd/fd_simd_lines.h"

struct fd_segment {
    size_t  base;         /* index of point 0 of its line                                           */
    int64_t first;        /* point of the line that it begins with; beyond the ends: modulo n        */
    int64_t skip, keep;   /* of the results, entries skip .. skip+keep-1 of the segment are kept     */
};

struct fd_simd_copy {
    struct fd_segment segment[FD_GROUP];
    int     count, lines; /* segments, and lanes there are: those beyond count get zeros            */
    int64_t points;       /* of each segment                                                         */
    int64_t n;            /* of each line                                                            */
    size_t  stride;       /* from a point to the next                                                */
    size_t  ahead;        /* along x: segments that follow are this far off, to be fetched early; 0: there are none */
};

void fd_simd_gather_double(const struct fd_simd_copy *c, const double *f, double *to);
void fd_simd_gather_float(const struct fd_simd_copy *c, const float *f, double *to);
/** @param add  out += and not = */
void fd_simd_scatter_double(const struct fd_simd_copy *c, const double *g, bool add, double *out);
void fd_simd_scatter_float(const struct fd_simd_copy *c, const double *g, bool add, float *out);
#endif
