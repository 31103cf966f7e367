#ifndef SW_REDUCTION_H
#define SW_REDUCTION_H
/* Numbers made of whole fields (docs/reference/config.md, "Scalars of your own"): expressions over reductions,
 *
 *     sqrt(mean(u^2) - mean(u)^2)      max(abs(u)) > 10      mean((u - mean(u))^2)
 *
 * whose arguments are expressions at a point: in coordinates, the time, unknowns and numbers of the run. Outside of
 * them are numbers of the run and the time. A text becomes programs that see no reductions: one for each argument,
 * which gives the values at points to be reduced, and one for what is made of the results, which it takes from further
 * numbers of the run. field/reduce.h evaluates them. min and max are reductions where they have one argument; with more
 * they are the functions of the language. Derivatives in arguments become differences of second order of neighbouring
 * points: along x, or along all axes of a grid (sw_differences.h). */
#include "expr/sw_differences.h"

enum sw_reduction_kind {
    SW_REDUCTION_MEAN,       /* integral / size of the domain                                                    */
    SW_REDUCTION_MIN, SW_REDUCTION_MAX,
    SW_REDUCTION_INTEGRAL,   /* over the domain: sums over points, by the trapezoidal rule where both ends are points */
    SW_REDUCTION_CROSSINGS,  /* along x, of all lines: neighbours of which one is negative and the other is not   */
    SW_REDUCTION_KINDS
};

/** Reduction k, and a line about it. @return its name, NULL after the last */
const char *sw_reduction_name(int k, const char **about);

/* What texts call them, and what they are. */
struct sw_reduction_word { const char *name, *about; };
extern const struct sw_reduction_word sw_reduction_kinds[SW_REDUCTION_KINDS];

/** Whether a name is that of a reduction. */
bool sw_is_reduction(const char *name);

enum { SW_REDUCTIONS_MOST = 32 };  /* in one text */

/* On a grid of more dimensions: unknown so many points along x, y, z. */
struct sw_reduced_neighbour { int unknown, offset[SW_GRID_AXES]; };

struct sw_reduced {
    enum sw_reduction_kind kind;
    struct sw_expr    *expr;       /* the argument                                                               */
    struct sw_program *argument;   /* at a point; RUN symbols as of struct sw_reduction                          */
    int                reach;      /* points to either side that it takes, 0 .. SW_REACH; on a grid of more: 0   */
    int                neighbours; /* of a grid of more dimensions: POINT symbol SW_INPUTS + k is neighbour k    */
    struct sw_reduced_neighbour *neighbour;
};

/* The numbers of a run that the programs take: the run's own, 0 .. own - 1; sw_grid_number() of the distance along x,
 * of `axes` axes; and from `first_result` on the results of reductions. Immutable: any number of threads may read
 * one. */
struct sw_reduction {
    int own, axes, first_result;
    int count;
    struct sw_reduced  reduced[SW_REDUCTIONS_MOST];  /* [count]; the argument of one may use results of those before */
    struct sw_expr    *expr;
    struct sw_program *value;      /* of the whole: RUN or STEP                                                  */
};

/* What a text may name. All is borrowed, and not needed after sw_reduction_compile(). */
struct sw_reduction_scope {
    const struct sw_scope *run;    /* numbers of a run: RUN symbols, slots 0 .. own - 1                          */
    int own;
    int dimensions;                /* coordinates x, y, z that are known: 1 .. 3                                 */
    bool passes_nan;               /* as of sw_expr_pass_nan(), outside of reductions                            */
    int derivatives;               /* along so many axes, x first, there are derivatives; 0: there are none      */
    int unknowns;                  /* fields: at most SW_UNKNOWNS_MOST                                           */
    const char *const *unknown;
};

/** Parse and compile one expression over reductions.
 * @param reduction  out: NULL on failure; free with sw_reduction_destroy()
 * @param err        out, filled on SW_E_CONFIG: what sw_expr_parse() and sw_program_compile() refuse; a field or a
 *                   coordinate outside of a reduction, derivatives there or where the scope has none; what
 *                   sw_expr_differences() refuses; rand and randn; more than SW_REDUCTIONS_MOST reductions
 * @return SW_E_CONFIG; SW_E_MEMORY */
enum sw_status sw_reduction_compile(const char *text, const struct sw_reduction_scope *scope,
                                    struct sw_reduction **reduction, struct sw_expr_error *err);
void sw_reduction_destroy(struct sw_reduction **reduction);

/** Call visit for each name that the text uses, as sw_expr_names() does; for results of reductions, too, by names that
 * no column of a run has. */
void sw_reduction_names(const struct sw_reduction *reduction, void (*visit)(void *user, const char *name, int column),
                        void *user);
#endif
