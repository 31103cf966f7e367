#ifndef COMPATIBILITY_H
#define COMPATIBILITY_H
/* A problem that knows u but for a constant has a solution only where its right-hand side, flux at walls included, has
 * the mean 0: the compatibility condition (docs/explanation/bvp.md). One whose integral is 0 need not have it on a
 * grid, where its mean is formed by the rule of the cells. Whether the grid alone is to blame is decided by Gauss's
 * rule of three points, of sixth order, in parts of the cells: it knows nothing of the centres that the grid's rule
 * takes. */
#include <stdbool.h>
#include <stddef.h>

#include "base/sw_status.h"
#include "base/sw_text.h"

enum { SW_GAUSS = 3, SW_GAUSS_PARTS = 64, SW_GAUSS_MOST = SW_GAUSS * SW_GAUSS_PARTS };

/* Points of a cell [0, 1] along an axis, and what each weighs; the weights sum to 1. */
struct sw_gauss { int count; double at[SW_GAUSS_MOST], weight[SW_GAUSS_MOST]; };

/** Gauss's rule of three points in each of `parts` equal parts of a cell. @param parts  1 .. SW_GAUSS_PARTS */
void sw_gauss_rule(int parts, struct sw_gauss *rule);

struct sw_mean_question {
    double mean;      /* by the rule of the grid                                             */
    double size;      /* that of the sizes of what is added up                               */
    double rounding;  /* what rounding leaves of a mean of 0, at most                        */
    size_t cells;     /* the finer rule takes rule->count to the power of dim points of each */
    int    dim;
    bool   brief;     /* only the first of the finer rules                                   */
    /** The mean by a finer rule; NaN where the text is not finite. @return SW_E_MEMORY */
    enum sw_status (*finer)(void *context, const struct sw_gauss *rule, double *mean);
    void  *context;
};

enum sw_mean_kind {
    SW_MEAN_OF_GRID,    /* the error of its rule: that by a finer rule is at most a quarter of its difference from it */
    SW_MEAN_OF_TEXT,    /* rules agree about it to a quarter, and it is a quarter of the size or more             */
    SW_MEAN_UNDECIDED   /* neither, or the text is not finite somewhere                                           */
};

/** What a mean beyond rounding is. A first finer rule is always formed; others follow as long as none decides and 2^20
 * points suffice.
 * @param finer  out: the mean by the last of them
 * @return SW_E_MEMORY */
enum sw_status sw_mean_judge(const struct sw_mean_question *question, enum sw_mean_kind *kind, double *finer);

/** What to say of a run whose mean on the grid was taken off f; "" where it is 0.
 * @param what   of which it is the mean: "f"
 * @param finer  that by a finer rule */
void sw_mean_say_taken(const char *what, double mean, double finer, struct sw_text *text);

/** What to say of an exact solution with a mean, where u has none. */
void sw_mean_say_exact(double mean, struct sw_text *text);
#endif
