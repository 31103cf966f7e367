#ifndef LINE_KIND_H
#define LINE_KIND_H
/* What a kind of problem on the line equation is made of (line_family.h), and what it is with the keys of a sweep: its
 * method, its orders, the programs of its expressions. */
#include "problem/line/stepper/fourth_order.h"
#include "problem/line/stepper/sw_stepper.h"
#include "problem/sw_problem.h"

/* struct sw_problem.model of the family. The expressions see the number keys by the last part of their paths (gamma, D,
 * n, length, dt, ...); g also u; source also x, t and u; energy also x, u, ux (u_x) and uxx (u_xx). NULL: 0; energy
 * NULL: not reported. The user chooses the scheme by the word key `method`, whose default is `scheme` here. */
struct sw_line_kind {
    enum sw_scheme scheme;
    int            highest;     /* order of a derivative of the equation: 2, 4 */
    const char    *a4, *a2, *g;
    const char    *source;      /* of the equation itself; S is this and the user's forcing */
    const char    *energy;      /* density */
    const char    *width;       /* of the interfaces that form by themselves, by the number keys; NULL: none do */
    const char    *wavelength;  /* of the waves that do, likewise */
};

/** Whether these runs are of fourth order in space, by their key `order`, and P of their equation. */
bool sw_line_is_fourth(const struct sw_setup *setup);
struct sw_line_mass sw_line_mass_of(const struct sw_problem *problem, const struct sw_setup *setup);
/** The scheme of these runs, by the word of their key `method`. */
enum sw_scheme sw_line_scheme(const struct sw_problem *problem, const struct sw_setup *setup);
extern const struct sw_renamed_word sw_line_renamed_methods[];

/* What an expression of a kind sees besides the number keys. */
enum { SW_LINE_SEES_U = 1, SW_LINE_SEES_X = 2, SW_LINE_SEES_T = 4, SW_LINE_SEES_DERIVATIVES = 8 };

/** An expression of a kind. @param text  NULL: no program */
enum sw_status sw_line_expression(const struct sw_problem *problem, const struct sw_setup *setup, const char *text,
                                  unsigned sees, struct sw_program **program);
/** S of these runs: the kind's source, the user's forcing, or their sum; NULL: there is neither.
 * @param own      out: what the caller destroys, NULL where S is the forcing or nothing
 * @param program  out: S, borrowed from own or from the setup */
enum sw_status sw_line_source(const struct sw_problem *problem, const struct sw_setup *setup, struct sw_program **own,
                              const struct sw_program **program);
/** struct sw_problem.orders; 2 in space also where `order` is a number of each run (heat). */
void sw_line_orders(const struct sw_problem *problem, const struct sw_setup *setup, int order[2]);
#endif
