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

/* What closes a stage on a tile of columns, `width` lines beside each other, points stride apart, when it has been
 * solved along the last axis; pointers are to its first point:
 *     k -= d,    out = u + next + next_k k,    and the last one of a step measures out and error + error_k k
 */
struct fields_closing {
    double *k, *out;              /* k of the last stage of a step is lost */
    const double *u;
    struct fields_sum d, next, error;
    double next_k, error_k;       /* error_k 0: there is no error */
    bool last;
    int width, valid;             /* columns that count           */
    ptrdiff_t stride;
};

/* The largest |out| and |error|, NaN where one is; and between what out is, of those that are numbers. */
struct fields_found { double size, error, least, most; };

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
    /** The same as lines(), and what closes the stage behind it; an axis that is_one is not solved.
     * @param found  out: of the last stage */
    void (*close)(const struct fields_axis *a, const struct fields_closing *closing, struct fields_found *found);
    /** Let range[0] .. range[1] have n numbers in it; NaN if one is. */
    void (*extend)(size_t n, const double *x, double range[2]);
};

/** The best one here, or the one that SWEEP_SIMD names. */
const struct fields_tiles *fields_tiles_pick(void);
#endif
