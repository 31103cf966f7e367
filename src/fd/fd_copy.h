#ifndef FD_COPY_H
#define FD_COPY_H
/* Stretches of lines of a field to lanes side by side, [points][lanes], and results back. Those of lines along x are
 * transposed in registers, a block of as many points and lanes as a vector has at a time. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fd/fd_lanes.h"

struct fd_stretch {
    size_t  base;         /* index of point 0 of its line                                           */
    int64_t first;        /* point of the line that it begins with; beyond the ends: modulo n        */
    int64_t skip, keep;   /* of the results, entries skip .. skip+keep-1 of the stretch are kept     */
};

struct fd_copy {
    struct fd_stretch lane[FD_LANES];
    int     count, lanes; /* stretches, and lanes there are: those beyond count get zeros            */
    int64_t points;       /* of each stretch                                                         */
    int64_t n;            /* of each line                                                            */
    size_t  stride;       /* from a point to the next                                                */
    size_t  ahead;        /* along x: stretches that follow are this far off, to be fetched early; 0: there are none */
};

void fd_copy_in_double(const struct fd_copy *c, const double *f, double *to);
void fd_copy_in_float(const struct fd_copy *c, const float *f, double *to);
/** @param add  out += and not = */
void fd_copy_out_double(const struct fd_copy *c, const double *g, bool add, double *out);
void fd_copy_out_float(const struct fd_copy *c, const double *g, bool add, float *out);
#endif
