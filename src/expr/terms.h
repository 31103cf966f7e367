#ifndef TERMS_H
#define TERMS_H
/* A right-hand side taken apart into terms, and which of them are linear in an unknown with constant coefficients: for
 * lines, and for grids of more dimensions. */
#include "expr/field_names.h"
#include "expr/maker.h"

/* What a value depends on, as bits; nothing: it is a number of the run. ON_X: on a coordinate. */
enum { ON_X = 1, ON_T = 2, ON_NOISE = 4, ON_UNKNOWN = 8 /* << unknown */, ON_UNKNOWNS = ON_UNKNOWN * 15 };

/* Sums, differences, products and quotients with numbers of a run, and derivatives pass on what is linear: these are
 * INNER nodes from the root down to the terms. */
enum role { OFF, INNER, TERM, NOTHING /* 0, or the same at all points in a derivative */ };

struct term {
    unsigned  depends;
    bool      derives;           /* a derivative is in it                                                    */
    int       depth;             /* highest order that nested derivatives in it come to                      */
    enum role role;
    int       order;             /* of a TERM: how often it is differentiated on the way from the root       */
    int       through;           /* of an INNER product or quotient: the operand that is not fixed           */
    int       linear[ORDERS];    /* coefficients of derivatives of the unknown, by number of their orders, nodes of
                                    m.out; -1: 0. Of a line these are numbers 0 .. 4                         */
};

struct terms {                               /* start from {0}; free with terms_free()                       */
    const struct sw_field_names *names;
    int           unknown;                   /* whose linear terms are looked for                            */
    const struct sw_expr *expr;              /* the tree                                                     */
    struct term  *term;                      /* [expr->count]                                                */
    struct maker  m;                         /* the same nodes under the same indices, then new ones         */
    struct derivative_orders orders;
};

/** Take a tree apart; it and the names are borrowed. No node of it may be used both in derivatives and outside of them.
 * @return SW_E_MEMORY */
enum sw_status terms_find(const struct sw_field_names *names, const struct sw_expr *expr, int unknown,
                          struct terms *terms);
void terms_free(struct terms *terms);

/** Whether node k is a term a*u with a constant a, and whether it is u itself. */
bool term_is_linear(const struct terms *terms, int k);
bool term_is_unknown(const struct terms *terms, int k);

/** What a node by itself depends on: bits as above. */
unsigned node_depends(const struct sw_field_names *names, const struct sw_expr *expr, int k);
#endif
