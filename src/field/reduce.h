#ifndef REDUCE_H
#define REDUCE_H
/* Reductions of fields on the host (expr/sw_reduction.h): the values of expressions over them, of many runs.
 *
 * A reduction goes over lines along x, then over what the lines give. Along a line, sums are taken in the order of
 * sw_sum_lanes(); over lines, in that of sw_sum_pairwise(): so a field on a line is summed as the built-in scalars of
 * lines are, to the same bits. Only the grid decides the order, not threads, nor other runs.
 *
 *     integral   sum of w v times the volume of a cell; w is 1, and half of it at each end of an axis between walls
 *     mean       sum of w v over the sum of w
 *     min, max   NaN where a value is NaN
 *     crossings  pairs of neighbours along x, of which one value is negative and the other is not (zero is not); a
 *                periodic line has the pair of its ends, too. NaN where a value is NaN
 *
 * Derivatives in an argument are differences of neighbours, along x or along all axes. An axis between walls goes on
 * beyond them as the conditions of the problem say, where it knows (struct sw_beyond_ops), else as the polynomial
 * through its last six points; of fields that are cut over ranks there are none. A run whose fields are not finite has
 * NaN for all. */
#include <stdbool.h>

#include "expr/sw_reduction.h"
#include "field/grid.h"

struct sw_reducer;

/* How fields on a grid of several axes go on beyond their walls. `own` is a thread's while it begins a run; any number
 * of threads may ask at(). */
struct sw_beyond_ops {
    /** @param context  that of struct sw_reducer_desc  @param most  points beyond each end that are asked for
     *  @return SW_E_MEMORY; nothing is left behind */
    enum sw_status (*create)(const void *context, const int64_t most[SW_DIMS], void **own);
    void (*destroy)(void *own);  /* NULL is fine */
    /** Begin a run at time t. @param column  of the run: column k at column[k*stride] */
    void (*begin)(void *own, const struct sw_grid *grid, const double *column, int64_t stride, double t);
    /** Of a point beyond a wall of `axis`, or at it and beyond one of an axis before; and inside along the axes after.
     * @param reach   how far along the axis the differences of an argument ask for the unknown; 0: it is at the wall
     * @param factor  out: u there is this times u at the mirror image, plus rest
     * @return false: the conditions do not say it */
    bool (*at)(const void *own, int unknown, int axis, int reach, const int64_t at[SW_DIMS], double *factor,
               double *rest);
};

struct sw_reducer_desc {
    int count;                                    /* expressions                                        */
    const struct sw_reduction *const *reduction;  /* [count]; borrowed, they outlive the reducer        */
    int64_t n[SW_DIMS];                           /* points along x, y, z                               */
    bool    walls[SW_DIMS];                       /* both ends are points; else periodic                */
    int     unknowns;                             /* fields of a run                                    */
    int     threads;
    const struct sw_beyond_ops *beyond;           /* NULL: polynomials                                  */
    const void *beyond_context;                   /* what its create() gets; borrowed                   */
    /* Of a grid that is cut over ranks: n are the points of this rank, which begin at point `first` of `whole`; all
     * ranks call with the same runs. combine: value := the sum, least or largest of all ranks', for crossings the sum.
     * before: what the rank gives whose points come before this one's, round a circle; of lines that are cut, those
     * along x. Both NaN where they fail. NULL: n is all, and the rest is not looked at */
    int64_t whole[SW_DIMS], first[SW_DIMS];
    void  (*combine)(const void *context, enum sw_reduction_kind kind, double *value);
    double (*before)(const void *context, double mine);
    const void *context;
};

/** @param desc  copied  @return SW_E_MEMORY; nothing is left behind */
enum sw_status sw_reducer_create(const struct sw_reducer_desc *desc, struct sw_reducer **reducer);
void sw_reducer_destroy(struct sw_reducer **reducer);

struct sw_reducer_runs {
    int count;
    const struct sw_grid *grid;   /* [count]                                                            */
    const double *column;         /* [own of the reductions][count]: numbers of the runs                */
    const double *t;              /* [count] their times                                                */
    const double *field;          /* [count][unknowns][points], on the host                             */
};

/** @param value  out: [runs->count][expressions] */
void sw_reducer_values(struct sw_reducer *reducer, const struct sw_reducer_runs *runs, double *value);
#endif
