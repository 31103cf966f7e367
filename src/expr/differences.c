/* Derivatives to differences (docs/explanation/equation.md). A place is the point itself, a neighbour, or the middle
 * between two: nine of them, counted in halves of dx from -2 to 2. One pass downwards finds at which places each node
 * is wanted, one pass upwards makes it there, so that no nesting of the text multiplies the work.
 *
 * A node becomes factor * value: the factor is the same at all points, so that all reciprocals of dx and constants of
 * the user's meet in it and are multiplied once a run, not at every point. */
#include "expr/sw_differences.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "expr/maker.h"
#include "expr/parity.h"

enum { PLACES = 4 * SW_REACH + 1, HERE = 2 * SW_REACH };

/* ------------------------------------------------------------------ names */

enum grid_number { DX, PER_DX, PER_2DX, PER_DX2, PER_DX3, PER_2DX3, PER_DX4 };

static const char *const grid_names[SW_GRID_NUMBERS] = {"[dx]",     "[1/dx]",      "[1/(2dx)]", "[1/dx^2]",
                                                        "[1/dx^3]", "[1/(2dx^3)]", "[1/dx^4]"};

const char *sw_grid_number_name(int k) { return grid_names[k]; }

double sw_grid_number(int k, double dx)
{
    switch ((enum grid_number)k) {
    case DX: return dx;
    case PER_DX: return 1 / dx;
    case PER_2DX: return 0.5 / dx;
    case PER_DX2: return 1 / (dx * dx);
    case PER_DX3: return 1 / (dx * dx * dx);
    case PER_2DX3: return 0.5 / (dx * dx * dx);
    case PER_DX4: return 1 / (dx * dx * (dx * dx));
    }
    return NAN;
}

const char *sw_mirror_name(int side) { return side ? "[2right]" : "[2left]"; }

const char *sw_neighbour_name(char text[SW_NEIGHBOUR_ROOM], const char *unknown, int offset)
{
    if (offset) snprintf(text, SW_NEIGHBOUR_ROOM, "%.*s[%+d]", SW_UNKNOWN_LONGEST, unknown, offset);
    else snprintf(text, SW_NEIGHBOUR_ROOM, "%.*s", SW_UNKNOWN_LONGEST, unknown);
    return text;
}

/* ------------------------------------------------------------------ what is known of a node */

/* What a name is: an unknown's index, or one of these. */
enum { NAME_X = -1, NAME_FIXED = -2 };

enum way { NO_WAY, SUMMAND, FLUX /* of a dx(..) that is a summand, or a summand of it */ };

struct about {
    bool varies;      /* from point to point                                                       */
    bool derives;     /* a derivative of what varies is in it                                      */
    bool odd;         /* one of odd order                                                          */
    bool inside;      /* it stands in the argument of a derivative                                 */
    bool loose;       /* constants may be taken out of it: it is no term that the user wrote whole  */
    enum way way;     /* what it is to the root                                                    */
    unsigned on;      /* bit v: unknown v is in it                                                 */
    bool mirrored[2]; /* an x in it that is beyond the left, or right, end is as far inside        */
    int  depth;       /* highest order that nested derivatives come to                             */
    int  through;     /* of a product or quotient with what is the same at all points, and of a minus:
                         the operand that varies; -1: it is none of these                          */
    int  order, of;   /* of a derivative: dx(dxx(a)) is the third derivative of a                   */
    unsigned wanted;  /* bit p: at place p                                                         */
    int  factor[2];   /* in the new tree, at points and in the middle between two; -1: 1           */
    int  value[PLACES];
};

struct work {
    const struct sw_expr *expr;
    const char *const    *unknown;
    int                   unknowns;
    struct about         *about;      /* [expr->count] */
    struct maker          m;
    int neighbour[SW_UNKNOWNS_MOST][SW_NEIGHBOURS], number[SW_GRID_NUMBERS];  /* their nodes plus one; 0: not made */
    int half, reach;  /* half: the node of 0.5, as above */
    const unsigned *closed;
    expr_parities *parity;  /* [expr->count] */
    bool fourth;      /* of fourth order: dx and dxx from five points, of what has no derivatives */
    struct sw_expr_error *err;
};

static int name_of(const struct work *w, const struct node *node)
{
    const char *name = w->expr->names[node->name];
    for (int v = 0; v < w->unknowns; v++)
        if (!strcmp(name, w->unknown[v])) return v;
    return strcmp(name, "x") ? NAME_FIXED : NAME_X;
}

static enum sw_status refuse_order(struct work *w, const struct node *node, int depth)
{
    return expr_refuse(w->err, node->column, node->length, "derivatives may be nested up to the fourth order",
                       "%s() makes a derivative of order %d, the highest is 4", op_table[node->op].written, depth);
}

static int passes_on(const struct work *w, const struct node *node)
{
    const int a = node->child[0], b = node->child[1];
    if (node->op == OP_NEG) return a;
    if (node->op != OP_MUL && node->op != OP_DIV) return -1;
    if (!w->about[b].varies) return a;
    return node->op == OP_MUL && !w->about[a].varies ? b : -1;
}

/* Upwards. */
static enum sw_status look_at(struct work *w, int k)
{
    const struct node *node = &w->expr->node[k];
    struct about *a = &w->about[k];
    const int order = op_derivative(node->op);
    const int v = node->op == OP_NAME ? name_of(w, node) : NAME_FIXED;
    a->varies = v != NAME_FIXED;
    if (v >= 0) a->on = 1u << v;
    a->varies |= op_is_random(node->op);
    for (int j = 0; j < op_table[node->op].operands; j++) {
        const struct about *child = &w->about[node->child[j]];
        a->varies |= child->varies;
        a->derives |= child->derives;
        a->odd |= child->odd;
        a->on |= child->on;
        if (child->depth > a->depth) a->depth = child->depth;
    }
    a->factor[0] = a->factor[1] = -1;
    a->through = passes_on(w, node);
    if (!order || !a->varies) return SW_OK;
    const struct about *child = &w->about[node->child[0]];
    a->order = order + child->order;
    a->of = child->order ? child->of : node->child[0];
    a->odd = w->about[a->of].odd || a->order % 2;
    a->derives = true;
    a->depth += order;
    return a->depth > 4 ? refuse_order(w, node, a->depth) : SW_OK;
}

/* ------------------------------------------------------------------ differences */

/* An odd derivative is staggered, taken from the middles between points, at a middle, or where what it is of has odd
 * derivatives: those are exact to second order over one dx at a middle, and would need two at a point. */
static bool is_staggered(const struct work *w, int k, int place)
{
    const struct about *a = &w->about[k];
    return a->order % 2 && (place % 2 != HERE % 2 || w->about[a->of].odd);
}

/* How far from its place a difference goes, in halves of dx. */
static int half_width(const struct work *w, int k, int place)
{
    const int order = w->about[k].order;
    if (w->fourth) return 4;
    if (is_staggered(w, k, place)) return order;
    return order <= 2 ? 2 : 4;
}

static enum sw_status check_fourth(struct work *w, int k)
{
    const struct node *node = &w->expr->node[k];
    const struct about *a = &w->about[k];
    if (!w->fourth || (a->order <= 2 && !w->about[a->of].derives)) return SW_OK;
    return expr_refuse(w->err, node->column, node->length,
                       "take the derivatives of a product apart, or leave `order` at 2",
                       "with order = 4 explicit terms have first and second derivatives, of what has none itself: five "
                       "points give no others");
}

/* The places a difference takes: width, width - 2 or width - 4 ... apart from its own. */
static enum sw_status want_derivative(struct work *w, int k)
{
    struct about *a = &w->about[k], *of = &w->about[a->of];
    SW_TRY(check_fourth(w, k));
    for (int place = 0; place < PLACES; place++) {
        if (!(a->wanted >> place & 1)) continue;
        const int width = half_width(w, k, place);
        if (place - width < 0 || place + width >= PLACES)
            return expr_refuse(w->err, w->expr->node[k].column, w->expr->node[k].length,
                               "take the derivatives of a product apart, or write fewer of them",
                               "this derivative would need points more than %d away", SW_REACH);
        for (int p = place - width; p <= place + width; p += 2) of->wanted |= 1u << p;
    }
    of->inside = of->loose = true;
    if (a->way == SUMMAND && a->order == 1 && of->odd) of->way = FLUX;
    return SW_OK;
}

/* A flux, E of dx(E), that is odd about an end but for an x in it is 0 there. It is to be so in differences, too: E in
 * the middle before the end is minus that behind it, if x is the same in both. */
static void mirror(struct work *w, int k)
{
    struct about *a = &w->about[k];
    if (a->way != FLUX || !w->closed || w->parity[k][PARITY_IN_DX] != PARITY_ODD) return;
    for (int side = 0; side < 2; side++) a->mirrored[side] = !(a->on & ~w->closed[side]);
}

static bool is_product(enum operation op) { return op == OP_MUL || op == OP_DIV || op == OP_NEG; }

/* Downwards: parents stand after their children. */
static enum sw_status want(struct work *w, int k)
{
    const struct node *node = &w->expr->node[k];
    struct about *a = &w->about[k];
    if (!a->wanted) return SW_OK;
    if (a->inside && op_is_random(node->op))
        return expr_refuse(w->err, node->column, node->length, "noise has no derivative: it would grow as dx falls",
                           "%s() cannot stand inside a derivative", op_table[node->op].written);
    if (a->order) return want_derivative(w, k);
    const bool sum = node->op == OP_ADD || node->op == OP_SUB;
    if (!sum && a->through < 0) mirror(w, k);
    for (int j = 0; j < op_table[node->op].operands; j++) {
        struct about *child = &w->about[node->child[j]];
        if (sum || node->child[j] == a->through) child->way = a->way;
        memcpy(child->mirrored, a->mirrored, sizeof child->mirrored);
        child->wanted |= child->varies ? a->wanted : 1u << HERE;
        child->inside |= a->inside;
        child->loose |= a->inside || child->derives || (a->derives && is_product(node->op));
    }
    return SW_OK;
}

/* ------------------------------------------------------------------ making nodes */

static int grid_number(struct work *w, enum grid_number k)
{
    if (!w->number[k]) w->number[k] = 1 + maker_name(&w->m, grid_names[k]);
    return w->number[k] - 1;
}

static int neighbour(struct work *w, int unknown, int place)
{
    const int offset = (place - HERE) / 2;
    int *made = &w->neighbour[unknown][offset + SW_REACH];
    char name[SW_NEIGHBOUR_ROOM];
    if (!*made) *made = 1 + maker_name(&w->m, sw_neighbour_name(name, w->unknown[unknown], offset));
    if (abs(offset) > w->reach) w->reach = abs(offset);
    return *made - 1;
}

/* Factors: -1 is 1. */
static int both(struct work *w, int f, int g) { return f < 0 ? g : g < 0 ? f : maker_times(&w->m, f, g); }

static int whole(struct work *w, int factor, int value)
{
    if (factor < 0) return value;
    return maker_is_value(&w->m, factor, -1) ? maker_negative(&w->m, value) : maker_times(&w->m, factor, value);
}

/* Node k with its factor at a place. */
static int full(struct work *w, int k, int place)
{
    const struct about *a = &w->about[k];
    if (!a->varies) place = HERE;
    return whole(w, a->factor[place % 2], a->value[place]);
}

static int mirrored_x(struct work *w, int side, int x)
{
    const int inside = maker_minus(&w->m, maker_name(&w->m, sw_mirror_name(side)), x);
    return maker_node(&w->m, side ? OP_MIN : OP_MAX, x, inside, -1, 0);
}

static void make_name(struct work *w, int k, int place)
{
    const struct node *node = &w->expr->node[k];
    struct about *a = &w->about[k];
    const int v = name_of(w, node), from_here = place - HERE;
    if (v >= 0 && from_here % 2) {  /* the mean of two */
        if (!w->half) w->half = 1 + maker_number(&w->m, 0.5);
        a->factor[place % 2] = w->half - 1;
        a->value[place] = maker_plus(&w->m, neighbour(w, v, place - 1), neighbour(w, v, place + 1));
    } else if (v >= 0) {
        a->value[place] = neighbour(w, v, place);
    } else {
        a->value[place] = maker_name(&w->m, w->expr->names[node->name]);
        if (v == NAME_X && from_here) {
            int shift = maker_times(&w->m, maker_number(&w->m, 0.5 * from_here), grid_number(w, DX));
            a->value[place] = maker_plus(&w->m, a->value[place], shift);
            if (a->mirrored[from_here > 0]) a->value[place] = mirrored_x(w, from_here > 0, a->value[place]);
        }
    }
}

/* E at place + offset minus, or plus, E at place - offset. */
static int pair(struct work *w, int of, int place, int offset, bool sum)
{
    const int *value = w->about[of].value;
    return sum ? maker_plus(&w->m, value[place + offset], value[place - offset])
               : maker_minus(&w->m, value[place + offset], value[place - offset]);
}

/* dx: (8 (E(1) - E(-1)) - (E(2) - E(-2)))/12,  dxx: (16 (E(1) + E(-1)) - (E(2) + E(-2)) - 30 E(0))/12 */
static void make_fourth(struct work *w, int k, int place)
{
    struct about *a = &w->about[k];
    struct maker *m = &w->m;
    const bool first = a->order == 1;
    const int near = pair(w, a->of, place, 2, !first), far = pair(w, a->of, place, 4, !first);
    int sum = maker_minus(m, maker_times(m, maker_number(m, first ? 8 : 16), near), far);
    if (!first) sum = maker_minus(m, sum, maker_times(m, maker_number(m, 30), w->about[a->of].value[place]));
    a->value[place] = sum;
    if (a->factor[place % 2] >= 0) return;
    const int per = maker_times(m, maker_number(m, 1.0 / 12.0), grid_number(w, first ? PER_DX : PER_DX2));
    a->factor[place % 2] = both(w, w->about[a->of].factor[place % 2], per);
}

static void make_derivative(struct work *w, int k, int place)
{
    struct about *a = &w->about[k];
    struct maker *m = &w->m;
    const bool staggered = is_staggered(w, k, place);
    const int of = a->of, from = place + half_width(w, k, place), middle = w->about[of].value[place];
    enum grid_number per;
    int sum;
    switch (a->order) {
    case 1:
        sum = pair(w, of, place, staggered ? 1 : 2, false);
        per = staggered ? PER_DX : PER_2DX;
        break;
    case 2:
        sum = maker_minus(m, pair(w, of, place, 2, true), maker_times(m, maker_number(m, 2), middle));
        per = PER_DX2;
        break;
    case 3:
        sum = staggered ? maker_minus(m, pair(w, of, place, 3, false),
                                      maker_times(m, maker_number(m, 3), pair(w, of, place, 1, false)))
                        : maker_minus(m, pair(w, of, place, 4, false),
                                      maker_times(m, maker_number(m, 2), pair(w, of, place, 2, false)));
        per = staggered ? PER_DX3 : PER_2DX3;
        break;
    default:
        sum = maker_minus(m, pair(w, of, place, 4, true),
                          maker_times(m, maker_number(m, 4), pair(w, of, place, 2, true)));
        sum = maker_plus(m, sum, maker_times(m, maker_number(m, 6), middle));
        per = PER_DX4;
    }
    a->value[place] = sum;
    if (a->factor[place % 2] < 0)
        a->factor[place % 2] = both(w, w->about[of].factor[from % 2], grid_number(w, per));
}

/* a + b, a - b: what both have as a factor stays one. */
static void make_sum(struct work *w, int k, int place)
{
    const struct node *node = &w->expr->node[k];
    struct about *a = &w->about[k];
    const struct about *x = &w->about[node->child[0]], *y = &w->about[node->child[1]];
    const bool varies = x->varies && y->varies, minus = node->op == OP_SUB;
    const bool common = varies && x->factor[place % 2] == y->factor[place % 2];
    const int p = common ? x->value[place] : full(w, node->child[0], place);
    const int q = common ? y->value[place] : full(w, node->child[1], place);
    if (common) a->factor[place % 2] = x->factor[place % 2];
    a->value[place] = minus ? maker_minus(&w->m, p, q) : maker_plus(&w->m, p, q);
}

static void make_product(struct work *w, int k, int place)
{
    const struct node *node = &w->expr->node[k];
    struct about *a = &w->about[k];
    const struct about *x = &w->about[node->child[0]], *y = &w->about[node->child[1]];
    int *factor = &a->factor[place % 2];
    if (*factor < 0) *factor = both(w, x->factor[place % 2], y->factor[place % 2]);
    a->value[place] = maker_times(&w->m, x->value[place], y->value[place]);
}

/* A constant times, or over a constant, or minus: all of it goes into the factor. */
static void make_multiple(struct work *w, int k, int place)
{
    const struct node *node = &w->expr->node[k];
    struct about *a = &w->about[k];
    const struct about *x = &w->about[a->through];
    int *factor = &a->factor[place % 2];
    a->value[place] = x->value[place];
    if (*factor >= 0) return;
    *factor = x->factor[place % 2] < 0 ? maker_number(&w->m, 1) : x->factor[place % 2];
    if (node->op == OP_NEG) *factor = maker_negative(&w->m, *factor);
    else if (node->op == OP_DIV) *factor = maker_over(&w->m, *factor, w->about[node->child[1]].value[HERE]);
    else *factor = both(w, w->about[node->child[a->through == node->child[0]]].value[HERE], *factor);
}

/* As it stands: what has nothing to do with a derivative keeps the operations that the user wrote. */
static void make_as_written(struct work *w, int k, int place)
{
    const struct node *node = &w->expr->node[k];
    int x[3] = {-1, -1, -1};
    for (int j = 0; j < op_table[node->op].operands; j++) x[j] = full(w, node->child[j], place);
    if (node->op == OP_NUMBER) w->about[k].value[place] = maker_node(&w->m, OP_NUMBER, -1, -1, -1, node->value);
    else w->about[k].value[place] = maker_node(&w->m, node->op, x[0], x[1], x[2], 0);
}

static void make_at(struct work *w, int k, int place)
{
    const struct node *node = &w->expr->node[k];
    const struct about *a = &w->about[k];
    w->m.column = node->column;
    w->m.length = node->length;
    if (node->op == OP_NAME) make_name(w, k, place);
    else if (a->order && w->fourth) make_fourth(w, k, place);
    else if (a->order) make_derivative(w, k, place);
    else if (op_derivative(node->op)) w->about[k].value[place] = maker_number(&w->m, 0);
    else if (!a->varies || !a->loose) make_as_written(w, k, place);
    else if (node->op == OP_ADD || node->op == OP_SUB) make_sum(w, k, place);
    else if (a->through >= 0) make_multiple(w, k, place);
    else if (node->op == OP_MUL) make_product(w, k, place);
    else make_as_written(w, k, place);
}

static enum sw_status make_all(struct work *w)
{
    for (int k = 0; k < w->expr->count; k++)
        for (int place = 0; place < PLACES; place++) {
            if (!(w->about[k].wanted >> place & 1)) continue;
            make_at(w, k, place);
            if (w->m.failed) return SW_E_MEMORY;
            if (w->m.out->count > DERIVATIVE_LARGEST)
                return expr_refuse(w->err, 0, 1, "write fewer terms in derivatives",
                                   "the differences have more than %d terms", DERIVATIVE_LARGEST);
        }
    const struct about *root = &w->about[w->expr->root];
    const int factor = root->factor[0], value = root->value[HERE];
    /* a minus stays with the factor, where it costs nothing at a point */
    const bool minus = factor >= 0 && maker_is(&w->m, factor, OP_NEG) && !maker_is_value(&w->m, factor, -1);
    w->m.out->root = minus ? maker_node(&w->m, OP_MUL, factor, value, -1, 0) : whole(w, factor, value);
    return w->m.failed ? SW_E_MEMORY : tree_prune(w->m.out);
}

/* ------------------------------------------------------------------ terms of one order together */

/* A tree is first written as the sum over k of the k-th derivative of its terms of that order, those with odd
 * derivatives in them, which are staggered where k is odd, by themselves: how a term is differenced does not depend on
 * the others then. Terms of a run that are implicit, and are not in the tree of another run, change nothing else. */
enum { SLOTS = 9 };

static int slot_of(int order, bool odd) { return 2 * order + (odd && order % 2); }

static void put_on_way(int *order, int k, int of)
{
    assert(order[k] < 0);  /* each node has one parent */
    order[k] = of;
}

/* Downwards. @param order  [nodes] -1: not on the way from the root to a term  @return whether k is a term */
static bool pass_down(const struct work *w, int k, int *order)
{
    const struct node *node = &w->expr->node[k];
    const struct about *a = &w->about[k];
    if (!a->varies || (!a->derives && order[k] == 0)) return true;  /* the latter stays as it is written */
    if (node->op == OP_ADD || node->op == OP_SUB) {
        put_on_way(order, node->child[0], order[k]);
        put_on_way(order, node->child[1], order[k]);
    } else if (a->order) {
        put_on_way(order, node->child[0], order[k] + op_derivative(node->op));
    } else if (a->through >= 0) {
        put_on_way(order, a->through, order[k]);
    } else {
        return true;
    }
    return false;
}

/* Upwards: what node k has of the terms of a slot. */
static int pass_up(const struct work *w, struct maker *m, int k, const int *left)
{
    const struct node *node = &w->expr->node[k];
    m->column = node->column;
    m->length = node->length;
    return w->about[k].order ? left[node->child[0]] : maker_left(m, k, w->about[k].through, left);
}

static int sum_of_slots(struct maker *m, int *const left[SLOTS], int root)
{
    int sum = -1;
    for (int slot = 0; slot < SLOTS; slot++) {
        int term = left[slot][root];
        if (term < 0) continue;
        if (slot > 1) term = maker_node(m, (enum operation)(OP_DX + slot / 2 - 1), term, -1, -1, 0);
        sum = sum < 0 ? term : maker_node(m, OP_ADD, sum, term, -1, 0);
    }
    return sum < 0 ? maker_number(m, 0) : sum;
}

static enum sw_status collect(const struct work *w, struct sw_expr **out)
{
    const int count = w->expr->count;
    struct maker m = {0};
    int *order = NULL, *left[SLOTS] = {0}, root;
    enum sw_status st;
    SW_TRY(sw_alloc(1, &m.out));
    SW_TRY_TO(done, st, tree_append(m.out, w->expr, &root));
    SW_TRY_TO(done, st, sw_alloc((size_t)count, &order));
    for (int slot = 0; slot < SLOTS; slot++) SW_TRY_TO(done, st, sw_alloc((size_t)count, &left[slot]));
    for (int k = 0; k < count; k++) order[k] = -1;
    order[root] = 0;
    for (int k = root; k >= 0; k--) {
        for (int slot = 0; slot < SLOTS; slot++) left[slot][k] = -1;
        if (order[k] < 0 || !pass_down(w, k, order)) continue;
        if (order[k] == 0 || w->about[k].varies) left[slot_of(order[k], w->about[k].odd)][k] = k;
        order[k] = -1;  /* what is still >= 0 is on the way to terms */
    }
    for (int k = 0; k <= root; k++)
        for (int slot = 0; order[k] >= 0 && slot < SLOTS; slot++) left[slot][k] = pass_up(w, &m, k, left[slot]);
    m.out->root = sum_of_slots(&m, left, root);
    st = m.failed ? SW_E_MEMORY : tree_prune(m.out);
done:
    if (st) sw_expr_destroy(&m.out);
    *out = m.out;
    sw_free(order);
    for (int slot = 0; slot < SLOTS; slot++) sw_free(left[slot]);
    return st;
}

/* ------------------------------------------------------------------ all of it */

static enum sw_status look(struct work *w)
{
    SW_TRY(sw_alloc((size_t)w->expr->count, &w->about));
    for (int k = 0; k < w->expr->count; k++) SW_TRY(look_at(w, k));
    return SW_OK;
}

static enum sw_status replace(struct work *w)
{
    struct about *root = &w->about[w->expr->root];
    root->wanted = 1u << HERE;
    root->loose = root->derives;
    root->way = SUMMAND;
    SW_TRY(sw_alloc((size_t)w->expr->count, &w->parity));
    expr_find_parities(w->expr, w->parity);
    for (int k = w->expr->root; k >= 0; k--) SW_TRY(want(w, k));
    SW_TRY(sw_alloc(1, &w->m.out));
    return make_all(w);
}

enum sw_status sw_expr_differences(const struct sw_expr *expr, const char *const *unknown, int unknowns, int order,
                                   const unsigned *closed, int *reach, struct sw_expr **out,
                                   struct sw_expr_error *err)
{
    struct work text = {.expr = expr, .unknown = unknown, .unknowns = unknowns, .fourth = order == 4,
                        .closed = closed, .err = err},
                w = text;
    struct sw_expr *collected = NULL;
    enum sw_status st;
    assert(unknowns <= SW_UNKNOWNS_MOST);
    *out = NULL;
    *err = (struct sw_expr_error){0};
    SW_TRY_TO(done, st, look(&text));
    SW_TRY_TO(done, st, collect(&text, &collected));
    w.expr = collected;
    SW_TRY_TO(done, st, look(&w));
    SW_TRY_TO(done, st, replace(&w));
    *reach = w.reach;
    *out = w.m.out;
    w.m.out = NULL;
done:
    sw_expr_destroy(&collected);
    sw_expr_destroy(&w.m.out);
    sw_free(text.about);
    sw_free(w.about);
    sw_free(w.parity);
    return st;
}
