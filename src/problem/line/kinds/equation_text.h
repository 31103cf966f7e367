#ifndef EQUATION_TEXT_H
#define EQUATION_TEXT_H
/* The texts of equations, the user's and those of built-in kinds, as what a stepper of lines computes
 * (docs/explanation/equation.md). For each unknown u
 *
 *     u_t = rhs = sum over k of a_k d^k u/dx^k  +  (G(u))_xx  +  N
 *                 implicit                         explicit
 *
 * a_k are numbers of a run. G is a tree in u and numbers of a run; N in the unknowns at the point and its neighbours,
 * in x, t, and numbers of a run. Whether the matrix takes a_k d^k u/dx^k is decided run by run: where it damps (k = 0
 * and 4: a_k < 0; 2: a_k > 0) or is neutral (1, 3). Where it grows it stays in G and N, so that the matrix keeps its
 * definiteness. A built-in kind says instead which orders the matrix takes, in all its runs. */
#include "expr/field_names.h"
#include "expr/sw_differences.h"
#include "expr/sw_expr.h"

enum { SW_EQUATION_ORDERS = 5 };  /* derivatives of order 0 .. 4 */

struct sw_equation_text {             /* all borrowed, and not needed after sw_equation_create()      */
    int unknowns;                     /* 1 .. SW_UNKNOWNS_MOST                                         */
    const char *unknown[SW_UNKNOWNS_MOST];
    const char *rhs[SW_UNKNOWNS_MOST];
    const char *implicit[SW_UNKNOWNS_MOST];  /* what is implicit in this equation; NULL: what is found */
    const char *const *number;        /* [numbers] names of numbers of a run                           */
    int numbers;
    int order;                        /* of differences in dx: 4; else 2                               */
    unsigned closed[2];               /* as sw_expr_differences() takes it                             */
    bool     fixed;                   /* linear terms of fixed_orders, and no others, are implicit in all runs;
                                         false: their signs decide, run by run                         */
    unsigned fixed_orders;            /* bit k: those of order k                                       */
};

/* What is wrong, and in which text. */
enum sw_equation_place { SW_IN_UNKNOWNS, SW_IN_RHS, SW_IN_IMPLICIT };
struct sw_equation_error {
    struct sw_expr_error   error;
    enum sw_equation_place place;
    int                    unknown;   /* whose; that which is wrong with SW_IN_UNKNOWNS */
};

/* What a term of order k is in the runs of a sweep: as far as the texts tell, or as its caller knows better. */
enum sw_taken { SW_TAKEN_EXPLICITLY, SW_TAKEN_IMPLICITLY, SW_TAKEN_BY_RUN };

/* A function with a jump or a kink in the argument of a derivative. */
struct sw_equation_jump {
    int         unknown;              /* in whose rhs                       */
    int         column, length;       /* where in its text                  */
    const char *function;             /* "abs", "<", "?"                    */
    bool        kink;                 /* continuous: only its slope jumps   */
};

struct sw_equation_row {
    struct sw_expr *linear[SW_EQUATION_ORDERS];  /* constant coefficients of rhs, of numbers of a run; NULL: none */
    struct sw_expr *stated[SW_EQUATION_ORDERS];  /* those of `implicit`; NULL: none                               */
    bool            states;           /* `implicit` is given: what it has is implicit in every run                */
    enum sw_taken   taken[SW_EQUATION_ORDERS];   /* as far as the texts tell, of coefficients that there are      */
    int             held;             /* highest order of derivative in a term that is none of linear[]; -1: none */
};

struct sw_equation {
    int                     unknowns, order;
    unsigned                closed[2];
    bool                    fixed;
    unsigned                fixed_orders;
    struct sw_equation_row  row[SW_UNKNOWNS_MOST];
    struct sw_equation_jump *jump;    /* [jumps] */
    int                     jumps;
    /* private */
    struct sw_expr *whole[SW_UNKNOWNS_MOST];     /* rhs, or rhs - implicit */
    struct sw_field_names names;
    char name[SW_UNKNOWNS_MOST][SW_NEIGHBOURS][SW_NEIGHBOUR_ROOM];
    char keep[SW_UNKNOWNS_MOST][SW_EQUATION_ORDERS][SW_NEIGHBOUR_ROOM];
};

/** Read the texts.
 * @param equation  out: NULL on failure; free with sw_equation_destroy()
 * @param err       filled on SW_E_CONFIG
 * @return SW_E_CONFIG with the place: no expression, an unknown or number that is not there, a derivative above the
 *         fourth or in time, of order 4 third and fourth derivatives that are both implicit, random numbers in a
 *         derivative, an unknown with a name that means something else, an
 *         `implicit` that is not linear in its unknown with constant coefficients; SW_E_MEMORY */
enum sw_status sw_equation_create(const struct sw_equation_text *text, struct sw_equation **equation,
                                  struct sw_equation_error *err);
void sw_equation_destroy(struct sw_equation **equation);

/** What the matrix has of an order, before it is asked whether it damps: stated[] or linear[]; NULL: nothing. */
const struct sw_expr *sw_equation_implicit(const struct sw_equation *equation, int unknown, int order);

/** How a term of this order is taken in a run whose coefficient has this value; a NaN is explicit. */
enum sw_taken sw_equation_take(const struct sw_equation *equation, int unknown, int order, double value);

/** How often derivatives in the right-hand side of unknown `row` differentiate another one, or itself, at most: 0 .. 4;
 * 4 where memory is out. */
int sw_equation_highest(const struct sw_equation *equation, int row, int unknown);

/** Whether its right-hand side lets something through an end about which all unknowns are even: the column of a
 * derivative whose flux is not 0 there, as that of dx(u^2), u^2, is not; 0: none, or memory is out. */
int sw_equation_open_flux(const struct sw_equation *equation, int unknown);

/* ---- programs */

struct sw_equation_parts {
    struct sw_expr *g[SW_UNKNOWNS_MOST];  /* NULL: none */
    struct sw_expr *n[SW_UNKNOWNS_MOST];  /* NULL: none */
    int reach[SW_UNKNOWNS_MOST];          /* how many points to either side N takes, 0 .. SW_REACH */
    bool numbered;                        /* G or N take numbers of the equation, as below */
};

/** The explicit parts.
 * @param taken  how each unknown's orders are taken; BY_RUN: a number of the run, 1 where it is explicit, is a factor
 *               there. NULL: as far as the texts tell
 * @param parts  out: empty on failure; free with sw_equation_free_parts()
 * @return SW_E_CONFIG N is too long for differences, or of order 4 has derivatives that five points do not give;
 *         SW_E_MEMORY */
enum sw_status sw_equation_split(const struct sw_equation *equation,
                                 const enum sw_taken (*taken)[SW_EQUATION_ORDERS], struct sw_equation_parts *parts,
                                 struct sw_equation_error *err);
void sw_equation_free_parts(struct sw_equation_parts *parts);

/** How many numbers of a run G and N may take beside the user's. The last are those of sw_mirror_name(). */
enum { SW_EQUATION_ENDS = 2 };
int sw_equation_numbers(const struct sw_equation *equation);

/** Their values in a run.
 * @param coefficient  [unknown][order] the values of sw_equation_implicit(); 0 where there is none
 * @param end          [2] where the line ends, left and right; NULL: it does not
 * @param number       out: [sw_equation_numbers()] */
void sw_equation_number_values(const struct sw_equation *equation,
                               const double (*coefficient)[SW_EQUATION_ORDERS], double dx, const double *end,
                               double *number);

/** Append what G and N know beside the user's numbers: the unknowns and their neighbours at sw_input_at(), x, t, and
 * the numbers above at slots first, first + 1 ...
 * @param symbol  room for SW_EQUATION_SYMBOLS more; names belong to the equation
 * @return how many there are now */
enum { SW_EQUATION_SYMBOLS = SW_UNKNOWNS_MOST * (SW_NEIGHBOURS + SW_EQUATION_ORDERS) + SW_GRID_NUMBERS + 4 };
int sw_equation_symbols(const struct sw_equation *equation, int first, struct sw_symbol *symbol, int count);

/* ---- for people */

/** An equation as it was understood, in the user's operators; a part that there is not stays empty.
 * @param taken     as above
 * @param implicit  "-D*gamma*dxxxx(u)": implicit in all runs
 * @param by_run    implicit in runs in which it damps
 * @param explicit_ "dxx(D*(u^3 - u))"
 * @return SW_E_MEMORY */
enum sw_status sw_equation_show(const struct sw_equation *equation, int unknown,
                                const enum sw_taken (*taken)[SW_EQUATION_ORDERS], struct sw_text *implicit,
                                struct sw_text *by_run, struct sw_text *explicit_);

/* How the shortest wave that points dx apart have, k dx = pi, grows by the linear part alone. */
struct sw_growth {
    double rate;      /* 1/time; < 0: it decays                                                       */
    int    order;     /* the highest even order with a coefficient that is not 0                      */
    bool   ill_posed; /* that order's sign lets short waves grow without bound, and no other term has
                         as high an order that could hold them                                        */
};
/** @param linear  the values of row[unknown].linear[]; 0 where there is none */
struct sw_growth sw_equation_growth(const struct sw_equation *equation, int unknown,
                                    const double linear[SW_EQUATION_ORDERS], double dx);
#endif
