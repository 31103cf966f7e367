#ifndef MAKER_H
#define MAKER_H
/* Trees made of other trees, simplified on the way: what is certainly 0 or 1 never enters. Every function gives the
 * index of a node of m->out; when memory is out, 0 with m->failed set. */
#include "expr/expr_impl.h"

struct maker {
    struct sw_expr *out;
    int column, length;  /* of the node that is looked at; new nodes inherit them    */
    bool failed;         /* memory is out; indices are then 0 and meaningless        */
};

/** A node as it stands, without simplification; operands that op lacks are -1. */
int maker_node(struct maker *m, enum operation op, int a, int b, int c, double value);

/** Trees hold no negative numbers, which would print as something that parses differently: a minus stands before. */
int maker_number(struct maker *m, double value);
int maker_name(struct maker *m, const char *name);
int maker_call(struct maker *m, enum operation op, int a);
int maker_negative(struct maker *m, int a);
int maker_plus(struct maker *m, int a, int b);
int maker_minus(struct maker *m, int a, int b);
int maker_times(struct maker *m, int a, int b);
int maker_over(struct maker *m, int a, int b);
int maker_power(struct maker *m, int a, int b);
int maker_choose(struct maker *m, int condition, int yes, int no);

/** Node k, a sum, a difference, a minus, a derivative, or a product or quotient with a constant, of what is left of its
 * operands after terms were taken out. Where all is left it is k itself, and no operation is changed but that a minus
 * moves before what it is in, and 1 is no factor.
 * @param through  of a product or quotient, the operand that has terms; -1: child 0
 * @param left     node for node of m->out; -1: nothing  @return -1: nothing */
int maker_left(struct maker *m, int k, int through, const int *left);

/* The slopes of nodes of m->out by one name, each made once: a node that was asked for before keeps its slope. */
struct expr_slopes { int *of, room; };  /* of[k]: -1: not made yet; {0}: none is */

/** The slope of a node by a name, a node of m->out. (derivative.c)
 * @param slopes  of this name; free with expr_slopes_free()
 * @return SW_E_CONFIG it has a derivative of what varies; SW_E_MEMORY */
enum sw_status expr_slope(struct maker *m, struct expr_slopes *slopes, int root, const char *name, int *slope);
void expr_slopes_free(struct expr_slopes *slopes);

static inline const struct node *maker_at(const struct maker *m, int k) { return &m->out->node[k]; }
bool maker_is(const struct maker *m, int k, enum operation op);

/** Whether node k is that number, possibly under one minus. */
bool maker_is_value(const struct maker *m, int k, double wanted);
#endif
