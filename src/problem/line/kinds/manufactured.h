#ifndef MANUFACTURED_H
#define MANUFACTURED_H
/* The method of manufactured solutions, the key `source`: of an equation u_t = F(u) and any function E of the
 * coordinates and the time, the user's `exact`, the source S = E_t - F(E), with which u_t = F(u) + S has the solution
 * E. All derivatives are symbolic, so that an error against E is that of the steps and the differences alone. A problem
 * that has the key has `rhs` and `exact`, one for each unknown. */
#include "expr/field_names.h"
#include "problem/line/kinds/equation_text.h"
#include "problem/sw_problem.h"

#define SW_MANUFACTURED_KEY                                                                                       \
    {.path = "source", .kind = SW_KEY_WORD, .words = "none|exact", .fallback = "none", .added_later = true,       \
     .common = true, .decides = true,                                                                             \
     .about = "What is added to rhs: nothing, or the source exact_t - rhs(exact) with which `exact` is the "      \
              "solution; the program makes it, of derivatives by the rules of calculus."}

/* The source of each unknown; NULL where none is asked for. */
struct sw_manufactured {
    struct sw_expr    *expr[SW_UNKNOWNS_MOST];
    struct sw_program *program[SW_UNKNOWNS_MOST];  /* by sw_setup_compile() */
};

/** The sources of runs with these words. The setup counts for its choices, functions, unknowns and columns only.
 * @param source    out: all NULL where none are asked for, an exact solution is not given, or on failure; free with
 *                  sw_manufactured_free()
 * @param function  out: which of the setup's functions err is about; unchanged where there is no err
 * @return SW_E_CONFIG, SW_E_MEMORY as sw_manufacture_one() */
enum sw_status sw_manufacture(const struct sw_setup *setup, int dimensions, struct sw_manufactured *source,
                              int *function, struct sw_expr_error *err);
void sw_manufactured_free(struct sw_manufactured *source);

/** Give a setup the sources as functions of the key "source", for messages.
 * @param one       its functions are then those of *function
 * @param function  out: free with sw_free(); NULL, and the setup as it was, where there are no sources */
enum sw_status sw_manufactured_functions(const struct sw_manufactured *source, struct sw_setup *one,
                                         struct sw_function **function);

/** What is wrong: an unknown without an exact solution. @return the key to blame, NULL: nothing */
const char *sw_manufactured_check(const struct sw_setup *setup, struct sw_text *why);

/** A line of struct sw_problem_advice.describe, where a source is made. */
void sw_manufactured_describe(const struct sw_setup *setup, struct sw_text *text);

/** struct sw_problem_advice.warn_setup: a function with a jump or a kink in an exact solution. */
void sw_manufactured_warn(const struct sw_setup *setup, int dimensions, struct sw_text *text);

/* ---- of texts */

/** The source of one unknown's equation.
 * @param names    the dimensions and the unknowns
 * @param rhs      F of this unknown, with derivatives of any expression
 * @param exact    [unknowns] E of each unknown, in the coordinates, t and numbers of a run
 * @param unknown  whose source
 * @param source   out: a tree without unknowns and derivatives, whose nodes may stand in several places; NULL on
 *                 failure; free with sw_expr_destroy()
 * @return SW_E_CONFIG F calls rand or randn, err has the column; the derivatives are too large; SW_E_MEMORY */
enum sw_status sw_manufacture_one(const struct sw_field_names *names, const struct sw_expr *rhs,
                                   const struct sw_expr *const *exact, int unknown, struct sw_expr **source,
                                   struct sw_expr_error *err);

/** The first jump or kink of an exact solution, whose slope is taken as if it were smooth. @return false: none */
bool sw_manufactured_find_jump(const struct sw_field_names *names, const struct sw_expr *expr,
                               struct sw_equation_jump *jump);
#endif
