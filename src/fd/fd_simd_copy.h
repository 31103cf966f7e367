#ifndef FD_SIMD_COPY_H
#define FD_SIMD_COPY_H
/* Copy segments of lines of a field into a group side by side, [points][lines], and results back. Segments along x are
 * transposed in registers, in square blocks as wide as a vector. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fd/fd_simd_lines.h"

struct fd_segment {
    size_t  base;         /* index of point 0 of its line                                           */
    int64_t first;        /* point of the line that it begins with; modulo n beyond the ends         */
    int64_t skip, keep;   /* of the results, entries skip .. skip+keep-1 of the segment are kept     */
};

struct fd_simd_copy {
    struct fd_segment segment[FD_GROUP];
    int     count, lines; /* segments, and lines of the group: those beyond count are set to 0       */
    int64_t points;       /* of each segment                                                         */
    int64_t n;            /* of each line                                                            */
    size_t  stride;       /* from a point to the next                                                */
    size_t  ahead;        /* along x: distance of the segments to prefetch, those that come next; 0: none */
};

void fd_simd_gather_double(const struct fd_simd_copy *c, const double *f, double *to);
void fd_simd_gather_float(const struct fd_simd_copy *c, const float *f, double *to);
/** @param add  out += and not = */
void fd_simd_scatter_double(const struct fd_simd_copy *c, const double *g, bool add, double *out);
void fd_simd_scatter_float(const struct fd_simd_copy *c, const double *g, bool add, float *out);
#endif
