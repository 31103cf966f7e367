#ifndef TILES_H
#define TILES_H
/* The arithmetic of cpu.simd on tiles of a field: solves along many lines beside each other, as vectors, and sums of
 * fields. No value depends on what else is in its vector, nor on its place there. The body (tiles_body.h) is compiled
 * for each instruction set; those with a fused multiply-add give the same bits. */
#include <stdbool.h>
#include <stddef.h>

#include "problem/fields/product.h"

enum {
    FIELDS_ALIGNED = 8,   /* numbers in the widest vector                                                        */
    FIELDS_COLUMNS = 32,  /* lines of a tile along y or z: 128 points of them are 32 KiB                         */
    FIELDS_ROWS = 16      /* rows that are solved along x together: as many recursions hide each other's latency */
};

/* sum_j weight_j field_j, fields of one layout */
struct fields_sum { int count; double weight[FIELDS_STAGES]; const double *field[FIELDS_STAGES]; };

/* constant + sum over groups of terms (factor_0 r + sum_k factor_k (x_k - r)): of a group its first term has r for x */
struct fields_weight { const double *x; double factor; bool first; };
struct fields_weights { double constant; int count; const struct fields_weight *term; };

/* What closes a stage on a tile of `rows` rows of `width` columns, stride apart; pointers are to the first one:
 *     k -= d,    out = u + next,    and the largest |out| and |error| of the first `valid` columns
 */
struct fields_closing {
    double *k, *out;
    const double *u;
    struct fields_sum d, next, error;
    bool measures;
    int rows, width, valid;
    ptrdiff_t stride;
};

struct fields_tiles {
    const char *name;
    bool (*here)(void);
    /** x = A⁻¹ x/scale of a periodic axis, A⁻¹ x between walls, along `width` lines beside each other, points stride
     * apart.
     * @param width  a multiple of FIELDS_ALIGNED, at most FIELDS_COLUMNS */
    void (*lines)(const struct fields_axis *a, ptrdiff_t stride, int width, double *x);
    /** The same along `count` rows of a->n points, at most FIELDS_ROWS; each is as long as the next multiple of
     * FIELDS_ALIGNED, whose points beyond it stay as they are.
     * @param room  [n, rounded up like this][FIELDS_ROWS] */
    void (*rows)(const struct fields_axis *a, int count, ptrdiff_t pitch, double *room, double *x);
    /** x = by x + sum. @param n  is rounded up to a multiple of FIELDS_ALIGNED */
    void (*add)(size_t n, double by, const struct fields_sum *sum, double *x);
    /** x = the sum. @param n  is rounded up to a multiple of FIELDS_ALIGNED */
    void (*weigh)(size_t n, const struct fields_weights *weights, double *x);
    /** @param largest  out: of out, of error; NaN where one is */
    void (*close)(const struct fields_closing *c, double largest[2]);
    /** The largest of n numbers and `most`; NaN if one is. */
    double (*most)(size_t n, const double *x, double most);
};

/** The best one here, or the one that SWEEP_SIMD names. */
const struct fields_tiles *fields_tiles_pick(void);
#endif
