#ifndef EQUATION_IMPL_H
#define EQUATION_IMPL_H
/* Private to the equation files of this folder: one right-hand side taken apart into terms. */
#include "expr/maker.h"
#include "problem/line/kinds/equation_text.h"

/* What a value depends on, as bits; nothing: it is a number of the run. */
enum { ON_X = 1, ON_T = 2, ON_NOISE = 4, ON_UNKNOWN = 8 /* << unknown */, ON_UNKNOWNS = ON_UNKNOWN * 15 };

/* Sums, differences, products and quotients with numbers of a run, and derivatives pass on what is linear: these are
 * INNER nodes from the root down to the terms. */
enum role { OFF, INNER, TERM, NOTHING /* 0, or the same at all points in a derivative */ };

struct term {
    unsigned  depends;
    bool      derives;                      /* a derivative is in it                                          */
    int       depth;                        /* highest order that nested derivatives in it come to            */
    enum role role;
    int       order;                        /* of a TERM: how often it is differentiated on the way from the root */
    int       through;                      /* of an INNER product or quotient: the operand that is not fixed  */
    int       linear[SW_EQUATION_ORDERS];   /* coefficients of derivatives of the unknown, nodes of m.out; -1: 0 */
};

struct terms {                              /* start from {0}; free with terms_free()                         */
    const struct sw_equation *equation;
    int           unknown;                  /* whose linear terms are looked for                              */
    const struct sw_expr *expr;             /* the tree                                                       */
    struct term  *term;                     /* [expr->count]                                                  */
    struct maker  m;                        /* the same nodes under the same indices, then new ones           */
};

/** Take a tree apart; it is borrowed. @return SW_E_MEMORY */
enum sw_status terms_find(const struct sw_equation *equation, const struct sw_expr *expr, int unknown,
                          struct terms *terms);
void terms_free(struct terms *terms);

/** Whether node k is a term a*u with a constant a, and whether it is u itself. */
bool term_is_linear(const struct terms *terms, int k);
bool term_is_unknown(const struct terms *terms, int k);

/** What a node by itself depends on: bits as above. */
unsigned node_depends(const struct sw_equation *equation, const struct sw_expr *expr, int k);

/** The value of a tree of numbers without names. @return false: it has names, or memory is out, where asking run by run
 * is as right */
bool equation_literal(const struct sw_expr *expr, double *value);
#endif
