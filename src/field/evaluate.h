#ifndef EVALUATE_H
#define EVALUATE_H
/* Expressions at the points of a grid. The value at a point depends on nothing but the point and the run: not on which
 * other points are evaluated with it, nor on threads. */
#include <stdbool.h>
#include <stddef.h>

#include "base/sw_status.h"
#include "expr/sw_expr.h"
#include "field/grid.h"

/* Points evaluated at once: five arrays of them stay in the second-level cache. */
enum { SW_EVALUATOR_POINTS = 2048 };

/* ---- by one thread, any points of a run that follow one another in memory */

struct sw_evaluator {
    struct sw_eval *eval;
    int64_t n[SW_DIMS];
    bool    uses[SW_DIMS];     /* the program names x, y, z                              */
    double *x[SW_DIMS];        /* coordinates of SW_EVALUATOR_POINTS points, or all of n  */
    double *value;             /* as much room for the caller                             */
    struct sw_grid grid;       /* of the run begun, as the rest                          */
    double  t;
    int64_t step;
};

/** @param program   of x, y, z, t and the columns; borrowed
 *  @param n         points of the grid
 *  @return SW_E_MEMORY; it is then to be destroyed, too */
enum sw_status sw_evaluator_create(const struct sw_program *program, const int64_t n[SW_DIMS], struct sw_evaluator *e);
void sw_evaluator_destroy(struct sw_evaluator *e);

/** Begin a run. @param column  of the run: column k at column[k*stride] */
void sw_evaluator_begin(struct sw_evaluator *e, const struct sw_grid *grid, const double *column, int64_t stride,
                        double t, int64_t step);

/** The values at points first .. first + count - 1 of the run begun, which rand and randn number so; where a rank has a
 * slab of the grid, as points of the whole grid.
 *  @param count  at most SW_EVALUATOR_POINTS
 *  @param value  out [count] */
void sw_evaluator_points(struct sw_evaluator *e, int64_t first, int count, double *value);

/* ---- by all threads, all points of a run */

/* Where a program is evaluated, and for which run. */
struct sw_sampling {
    const struct sw_program *program;  /* of x, y, z and the columns; without rand, randn */
    int64_t        n[SW_DIMS];
    struct sw_grid grid;
    const double  *column;             /* of the run: column k at column[k*stride]        */
    int64_t        stride;
    int            threads;
    int64_t        line[2];            /* from a line along x to the next one in y, in z; zeros: as fields lie */
};

/** @param single  out holds float
 *  @param out     [points]: point (i, j, k) at i + j line[0] + k line[1]
 *  @return SW_E_MEMORY */
enum sw_status sw_sample(const struct sw_sampling *at, bool single, void *out);

/* What the threads take in turn: lines along x are cut into pieces of SW_EVALUATOR_POINTS points (fewer in the last one
 * of a line), numbered line by line. */
struct sw_pieces { const struct sw_sampling *at; int64_t a_line, count; };
struct sw_pieces sw_pieces_of(const struct sw_sampling *at);

/* A piece: its points are first .. first + count - 1 of the field, the first one has these indices. */
struct sw_piece { int64_t number, first, index[SW_DIMS]; int count; };

/** What becomes of a piece; `own` is the caller's. Threads call it at once, each with its own evaluator, begun. */
typedef void sw_piece_function(const struct sw_piece *piece, struct sw_evaluator *e, void *own);
enum sw_status sw_pieces_each(const struct sw_pieces *pieces, sw_piece_function *function, void *own);
#endif
