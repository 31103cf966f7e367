/* Derivatives to differences (docs/explanation/equation.md). A place is the point itself, a neighbour, or the middle
 * between two, along each axis counted in halves of dx, from -3 to 3. One pass downwards finds at which places each
 * node is wanted, one pass upwards makes it there, so that no nesting of the text multiplies the work.
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

enum { AXES = SW_GRID_AXES, FAR = SW_GRID_REACH, LINE = 4 * FAR + 1 /* places along an axis */, NEAR = 2 * FAR + 1,
       PARITIES = 1 << AXES };

/* ------------------------------------------------------------------ names */

enum grid_number { DX, PER_DX, PER_2DX, PER_DX2, PER_DX3, PER_2DX3, PER_DX4, PER_DX5, PER_2DX5, PER_DX6 };

static const char *const grid_names[AXES * SW_GRID_NUMBERS] = {
    "[dx]", "[1/dx]", "[1/(2dx)]", "[1/dx^2]", "[1/dx^3]", "[1/(2dx^3)]", "[1/dx^4]",
    "[1/dx^5]", "[1/(2dx^5)]", "[1/dx^6]",
    "[dy]", "[1/dy]", "[1/(2dy)]", "[1/dy^2]", "[1/dy^3]", "[1/(2dy^3)]", "[1/dy^4]",
    "[1/dy^5]", "[1/(2dy^5)]", "[1/dy^6]",
    "[dz]", "[1/dz]", "[1/(2dz)]", "[1/dz^2]", "[1/dz^3]", "[1/(2dz^3)]", "[1/dz^4]",
    "[1/dz^5]", "[1/(2dz^5)]", "[1/dz^6]",
};

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
    case PER_DX5: return 1 / (dx * dx * (dx * dx) * dx);
    case PER_2DX5: return 0.5 / (dx * dx * (dx * dx) * dx);
    case PER_DX6: return 1 / (dx * dx * (dx * dx) * (dx * dx));
    }
    return NAN;
}

const char *sw_mirror_name(int axis, int side)
{
    static const char *const name[AXES][2] = {{"[2left]", "[2right]"}, {"[2left y]", "[2right y]"},
                                              {"[2left z]", "[2right z]"}};
    return name[axis][side];
}

const char *sw_neighbour_name(char text[SW_NEIGHBOUR_ROOM], const char *unknown, int offset)
{
    if (offset) snprintf(text, SW_NEIGHBOUR_ROOM, "%.*s[%+d]", SW_UNKNOWN_LONGEST, unknown, offset);
    else snprintf(text, SW_NEIGHBOUR_ROOM, "%.*s", SW_UNKNOWN_LONGEST, unknown);
    return text;
}

const char *sw_grid_neighbour_name(char text[SW_NEIGHBOUR_ROOM], const char *unknown, int dimensions,
                                       const int offset[AXES])
{
    if (dimensions == 1 || !(offset[0] || offset[1] || offset[2]))
        return sw_neighbour_name(text, unknown, offset[0]);
    int length = snprintf(text, SW_NEIGHBOUR_ROOM, "%.*s[", SW_UNKNOWN_LONGEST, unknown);
    for (int axis = 0; axis < dimensions; axis++)
        length += snprintf(text + length, (size_t)(SW_NEIGHBOUR_ROOM - length), offset[axis] ? "%+d%c" : "%d%c",
                           offset[axis], axis + 1 < dimensions ? ',' : ']');
    return text;
}

bool sw_grid_neighbour(const char *name, const char *unknown, int offset[SW_GRID_AXES])
{
    const size_t length = strlen(unknown);
    memset(offset, 0, AXES * sizeof *offset);
    if (strncmp(name, unknown, length)) return false;
    if (!name[length]) return true;
    return name[length] == '[' && sscanf(name + length + 1, "%d,%d,%d", &offset[0], &offset[1], &offset[2]) >= 1;
}

/* ------------------------------------------------------------------ what is known of a node */

/* What a name is: an unknown's index, a coordinate's, axis - COORDINATES, or what is the same at all points. */
enum { COORDINATES = AXES, NAME_FIXED = -COORDINATES - 1 };

enum way { NO_WAY, SUMMAND, FLUX /* along an axis, of a dx(..) that is a summand, or a summand of it */ };

struct about {
    bool varies;      /* from point to point                                                       */
    bool derives;     /* a derivative of what varies is in it                                      */
    bool odd;         /* one of odd order                                                          */
    bool inside;      /* it stands in the argument of a derivative                                 */
    bool loose;       /* constants may be taken out of it: it is no term that the user wrote whole  */
    enum way way;     /* what it is to the root                                                    */
    int  along;       /* of a flux: the axis                                                       */
    unsigned on;      /* bit v: unknown v is in it                                                 */
    bool mirrored[AXES][2];  /* a coordinate in it that is beyond the left, or right, end is as far inside */
    int  depth;       /* highest order that nested derivatives come to                             */
    int  through;     /* of a product or quotient with what is the same at all points, and of a minus:
                         the operand that varies; -1: it is none of these                          */
    int  order[AXES], of;  /* of derivatives in a row: dx(dxx(dy(a))) is the third along x, the first along y, of a */
    bool derivative;  /* of what varies: it has orders                                             */
    bool wanted;      /* somewhere                                                                 */
    int  factor[PARITIES];  /* in the new tree; bit a: in the middle between two points along axis a; -1: 1 */
    int64_t first;    /* of its values, one for each place at which it is wanted                   */
};

struct work {
    const struct sw_expr *expr;
    const char *const    *unknown;
    int                   unknowns, dimensions;
    int                   stride[AXES], here, places;  /* of places, x fastest; 0: there is no such axis */
    struct about         *about;      /* [expr->count] */
    uint64_t             *wanted;     /* [expr->count][words()] bit p: at place p */
    int                  *value;      /* of all nodes at all places where they are wanted */
    struct maker          m;
    int neighbour[SW_UNKNOWNS_MOST][NEAR * NEAR * NEAR];  /* their nodes plus one; 0: not made */
    int number[AXES * SW_GRID_NUMBERS], half[AXES];       /* half: of 0.5, 0.25, 0.125; as above */
    int reach[AXES];
    const unsigned (*closed)[2];
    expr_parities *parity[AXES];  /* [expr->count] */
    bool fourth;      /* of fourth order: dx and dxx from five points, of what has no derivatives */
    struct sw_expr_error *err;
};

/* ------------------------------------------------------------------ places */

static void set_places(struct work *w)
{
    w->places = 1;
    for (int axis = 0; axis < w->dimensions; axis++) {
        w->stride[axis] = w->places;
        w->here += 2 * FAR * w->places;
        w->places *= LINE;
    }
}

/* From the point itself, along an axis, in halves. */
static int halves(const struct work *w, int place, int axis)
{
    return axis < w->dimensions ? place / w->stride[axis] % LINE - 2 * FAR : 0;
}

static int parity_of(const struct work *w, int place)
{
    int parity = 0;
    for (int axis = 0; axis < w->dimensions; axis++) parity |= (halves(w, place, axis) & 1) << axis;
    return parity;
}

static int words(const struct work *w) { return (w->places + 63) / 64; }

static uint64_t *wanted_of(const struct work *w, int k) { return w->wanted + (size_t)k * (size_t)words(w); }

static void add_wanted(struct work *w, int k, int place)
{
    wanted_of(w, k)[place / 64] |= (uint64_t)1 << place % 64;
    w->about[k].wanted = true;
}

/* The value of a node at a place where it is wanted. */
static int *value_at(const struct work *w, int k, int place)
{
    const uint64_t *wanted = wanted_of(w, k);
    int64_t before = w->about[k].first;
    for (int j = 0; j < place / 64; j++) before += __builtin_popcountll(wanted[j]);
    return &w->value[before + __builtin_popcountll(wanted[place / 64] & (((uint64_t)1 << place % 64) - 1))];
}

/* The first place from `place` on at which node k is wanted; w->places: none. */
static int next_wanted(const struct work *w, int k, int place)
{
    while (place < w->places) {
        const uint64_t rest = wanted_of(w, k)[place / 64] >> place % 64;
        if (rest) return place + __builtin_ctzll(rest);
        place = (place / 64 + 1) * 64;
    }
    return w->places;
}

/* ------------------------------------------------------------------ looking at nodes */

static int name_of(const struct work *w, const struct node *node)
{
    const char *name = w->expr->names[node->name];
    for (int v = 0; v < w->unknowns; v++)
        if (!strcmp(name, w->unknown[v])) return v;
    for (int axis = 0; axis < w->dimensions; axis++)
        if (name[0] == "xyz"[axis] && !name[1]) return axis - COORDINATES;
    return NAME_FIXED;
}

static enum sw_status refuse_order(struct work *w, const struct node *node, int depth)
{
    if (w->dimensions > 1)
        return expr_refuse(w->err, node->column, node->length, "derivatives may be nested up to the sixth order",
                           "this makes a derivative of order %d, the highest is 6", depth);
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

static bool is_odd(const int order[AXES]) { return (order[0] | order[1] | order[2]) & 1; }

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
    for (int parity = 0; parity < PARITIES; parity++) a->factor[parity] = -1;
    a->through = passes_on(w, node);
    if (!order || !a->varies) return SW_OK;
    const struct about *child = &w->about[node->child[0]];
    memcpy(a->order, child->order, sizeof a->order);
    a->order[op_axis(node->op)] += order;
    a->of = child->derivative ? child->of : node->child[0];
    a->odd = w->about[a->of].odd || is_odd(a->order);
    a->derives = a->derivative = true;
    a->depth += order;
    return a->depth > (w->dimensions > 1 ? HIGHEST_ORDER : HIGHEST_ON_LINES) ? refuse_order(w, node, a->depth) : SW_OK;
}

/* ------------------------------------------------------------------ differences */

/* An odd derivative is staggered, taken from the middles between points, at a middle, or where what it is of has odd
 * derivatives, along whichever axis: those are exact to second order over one dx at a middle, and would need two at a
 * point. */
static bool is_staggered(const struct work *w, int k, int axis, int place)
{
    const struct about *a = &w->about[k];
    return a->order[axis] % 2 && (halves(w, place, axis) % 2 || w->about[a->of].odd);
}

/* How far from its place a difference goes along an axis, in halves of dx. */
static int half_width(const struct work *w, int k, int axis, int place)
{
    const int order = w->about[k].order[axis];
    if (!order) return 0;
    if (w->fourth) return order <= 2 ? 4 : 6;
    if (is_staggered(w, k, axis, place)) return order;
    return order + order % 2;
}

static enum sw_status check_fourth(struct work *w, int k)
{
    const struct node *node = &w->expr->node[k];
    const struct about *a = &w->about[k];
    const bool known = w->dimensions > 1 || a->order[0] <= 2;
    if (!w->fourth) return SW_OK;
    for (int axis = 0; axis < w->dimensions; axis++)
        if (a->order[axis] > 4)
            return expr_refuse(w->err, node->column, node->length, "leave `order` at 2",
                               "with order = 4 there are no derivatives beyond the fourth along an axis");
    if (known && !w->about[a->of].derives) return SW_OK;
    if (w->dimensions > 1)
        return expr_refuse(w->err, node->column, node->length,
                           "take the derivatives of a product apart, or leave `order` at 2",
                           "with order = 4 there are derivatives of what has none itself, and sums of them");
    return expr_refuse(w->err, node->column, node->length,
                       "take the derivatives of a product apart, or leave `order` at 2",
                       "with order = 4 explicit terms have first and second derivatives, of what has none itself: five "
                       "points give no others");
}

/* The places that differences along this and further axes take: along each width, width - 2 or width - 4 ... apart from
 * their own. */
static void want_places(struct work *w, int k, int axis, int place)
{
    if (axis == AXES) {
        add_wanted(w, w->about[k].of, place);
        return;
    }
    const int width = half_width(w, k, axis, place);
    for (int p = -width; p <= width; p += 2) want_places(w, k, axis + 1, place + p * w->stride[axis]);
}

static enum sw_status want_derivative(struct work *w, int k)
{
    struct about *a = &w->about[k], *of = &w->about[a->of];
    const bool far = w->fourth || w->about[w->expr->root].depth > HIGHEST_ON_LINES;
    const int reach = far && w->dimensions > 1 ? FAR : SW_REACH;
    SW_TRY(check_fourth(w, k));
    for (int place = next_wanted(w, k, 0); place < w->places; place = next_wanted(w, k, place + 1)) {
        for (int axis = 0; axis < w->dimensions; axis++)
            if (abs(halves(w, place, axis)) + half_width(w, k, axis, place) > 2 * reach)
                return expr_refuse(w->err, w->expr->node[k].column, w->expr->node[k].length,
                                   "take the derivatives of a product apart, or write fewer of them",
                                   "this derivative would need points more than %d away", reach);
        want_places(w, k, 0, place);
    }
    of->inside = of->loose = true;
    for (int axis = 0; axis < w->dimensions && a->way == SUMMAND; axis++)
        if (a->order[axis] == 1 && a->order[0] + a->order[1] + a->order[2] == 1 && of->odd)
            of->way = FLUX, of->along = axis;
    return SW_OK;
}

/* A flux, E of dx(E), that is odd about an end but for an x in it is 0 there. It is to be so in differences, too: E in
 * the middle before the end is minus that behind it, if x is the same in both. */
static void mirror(struct work *w, int k)
{
    struct about *a = &w->about[k];
    const int axis = a->along;
    if (a->way != FLUX || !w->closed || w->parity[axis][k][PARITY_IN_DX] != PARITY_ODD) return;
    for (int side = 0; side < 2; side++) a->mirrored[axis][side] = !(a->on & ~w->closed[axis][side]);
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
    if (a->derivative) return want_derivative(w, k);
    const bool sum = node->op == OP_ADD || node->op == OP_SUB;
    if (!sum && a->through < 0) mirror(w, k);
    for (int j = 0; j < op_table[node->op].operands; j++) {
        struct about *child = &w->about[node->child[j]];
        if (sum || node->child[j] == a->through) child->way = a->way, child->along = a->along;
        memcpy(child->mirrored, a->mirrored, sizeof child->mirrored);
        if (child->varies) child->wanted = true;
        else add_wanted(w, node->child[j], w->here);
        for (int word = 0; child->varies && word < words(w); word++)
            wanted_of(w, node->child[j])[word] |= wanted_of(w, k)[word];
        child->inside |= a->inside;
        child->loose |= a->inside || child->derives || (a->derives && is_product(node->op));
    }
    return SW_OK;
}

/* ------------------------------------------------------------------ making nodes */

static int grid_number(struct work *w, int axis, enum grid_number number)
{
    const int k = SW_GRID_NUMBERS * axis + (int)number;
    if (!w->number[k]) w->number[k] = 1 + maker_name(&w->m, grid_names[k]);
    return w->number[k] - 1;
}

static int neighbour(struct work *w, int unknown, int place)
{
    int offset[AXES], at = 0;
    char name[SW_NEIGHBOUR_ROOM];
    for (int axis = 0; axis < AXES; axis++) {
        offset[axis] = halves(w, place, axis) / 2;
        at = NEAR * at + offset[axis] + FAR;
        if (abs(offset[axis]) > w->reach[axis]) w->reach[axis] = abs(offset[axis]);
    }
    int *made = &w->neighbour[unknown][at];
    if (!*made) *made = 1 + maker_name(&w->m, sw_grid_neighbour_name(name, w->unknown[unknown], w->dimensions, offset));
    return *made - 1;
}

/* The sum of an unknown at the two, four or eight points that a place is in the middle of; at a point itself. */
static int corners(struct work *w, int unknown, int axis, int place)
{
    while (axis < AXES && halves(w, place, axis) % 2 == 0) axis++;
    if (axis >= AXES) return neighbour(w, unknown, place);
    const int before = corners(w, unknown, axis + 1, place - w->stride[axis]);
    return maker_plus(&w->m, before, corners(w, unknown, axis + 1, place + w->stride[axis]));
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
    if (!w->about[k].varies) place = w->here;
    return whole(w, w->about[k].factor[parity_of(w, place)], *value_at(w, k, place));
}

static int mirrored_at(struct work *w, int axis, int side, int x)
{
    const int inside = maker_minus(&w->m, maker_name(&w->m, sw_mirror_name(axis, side)), x);
    return maker_node(&w->m, side ? OP_MIN : OP_MAX, x, inside, -1, 0);
}

static int coordinate_at(struct work *w, int axis, int place, int x)
{
    const int from_here = halves(w, place, axis);
    if (!from_here) return x;
    return maker_plus(&w->m, x, maker_times(&w->m, maker_number(&w->m, 0.5 * from_here), grid_number(w, axis, DX)));
}

static void make_name(struct work *w, int k, int place)
{
    const struct node *node = &w->expr->node[k];
    struct about *a = &w->about[k];
    int *value = value_at(w, k, place);
    const int v = name_of(w, node), parity = parity_of(w, place);
    if (v >= 0) {
        const int middles = __builtin_popcount((unsigned)parity);
        *value = corners(w, v, 0, place);
        if (!middles) return;
        if (!w->half[middles - 1]) w->half[middles - 1] = 1 + maker_number(&w->m, 1.0 / (1 << middles));
        a->factor[parity] = w->half[middles - 1] - 1;
        return;
    }
    *value = maker_name(&w->m, w->expr->names[node->name]);
    if (v == NAME_FIXED) return;
    const int axis = v + COORDINATES, from_here = halves(w, place, axis);
    *value = coordinate_at(w, axis, place, *value);
    if (from_here && a->mirrored[axis][from_here > 0]) *value = mirrored_at(w, axis, from_here > 0, *value);
}

/* A difference along one axis: weight of the point itself, then for each pair so many halves away its weight. The sum
 * begins with the first pair, which has no weight of its own, or that of 1; `per`, and what it is divided by. */
struct difference {
    bool odd;                 /* E(+) - E(-); else E(+) + E(-)      */
    int  middle;
    int  away[3], weight[3];  /* away: 0 after the last             */
    int  first;               /* weight of the first                */
    enum grid_number per;
    double over;
};

static const struct difference central[] = {
    {true, 0, {2}, {0}, 1, PER_2DX, 1},  {false, -2, {2}, {0}, 1, PER_DX2, 1},
    {true, 0, {4, 2}, {0, -2}, 1, PER_2DX3, 1}, {false, 6, {4, 2}, {0, -4}, 1, PER_DX4, 1},
    {true, 0, {6, 4, 2}, {0, -4, 5}, 1, PER_2DX5, 1}, {false, -20, {6, 4, 2}, {0, -6, 15}, 1, PER_DX6, 1}};
static const struct difference staggered[] = {
    {true, 0, {1}, {0}, 1, PER_DX, 1}, {0}, {true, 0, {3, 1}, {0, -3}, 1, PER_DX3, 1}, {0},
    {true, 0, {5, 3, 1}, {0, -5, 10}, 1, PER_DX5, 1}, {0}};
static const struct difference of_fourth_order[] = {
    {true, 0, {2, 4}, {0, -1}, 8, PER_DX, 12},  {false, -30, {2, 4}, {0, -1}, 16, PER_DX2, 12},
    {true, 0, {4, 6, 2}, {0, -1, -13}, 8, PER_DX3, 8}, {false, 56, {4, 6, 2}, {0, -1, -39}, 12, PER_DX4, 6}};

static const struct difference *difference_of(const struct work *w, int k, int axis, int place)
{
    const int order = w->about[k].order[axis];
    return &(w->fourth ? of_fourth_order : is_staggered(w, k, axis, place) ? staggered : central)[order - 1];
}

static int weighted(struct work *w, int weight, int value)
{
    return weight == 1 ? value : maker_times(&w->m, maker_number(&w->m, weight), value);
}

/* sum + weight value, by a sum or a difference */
static int add_weighted(struct work *w, int sum, int weight, int value)
{
    const int product = weighted(w, abs(weight), value);
    return weight < 0 ? maker_minus(&w->m, sum, product) : maker_plus(&w->m, sum, product);
}

/* Differences of what derivative k is of, along this axis and those before it, without their factors: those along x are
 * innermost, so that points above each other, which kernels take together, share them. */
static int differences_at(struct work *w, int k, int axis, int place)
{
    while (axis >= 0 && !w->about[k].order[axis]) axis--;
    if (axis < 0) return *value_at(w, w->about[k].of, place);
    const struct difference *d = difference_of(w, k, axis, place);
    int sum = -1;
    for (int j = 0; j < 3 && d->away[j]; j++) {
        const int apart = d->away[j] * w->stride[axis];
        const int after = differences_at(w, k, axis - 1, place + apart);
        const int before = differences_at(w, k, axis - 1, place - apart);
        const int pair = d->odd ? maker_minus(&w->m, after, before) : maker_plus(&w->m, after, before);
        sum = j == 0 ? weighted(w, d->first, pair) : add_weighted(w, sum, d->weight[j], pair);
    }
    return d->middle ? add_weighted(w, sum, d->middle, differences_at(w, k, axis - 1, place)) : sum;
}

static void make_derivative(struct work *w, int k, int place)
{
    struct about *a = &w->about[k];
    int *factor = &a->factor[parity_of(w, place)], from = place;
    *value_at(w, k, place) = differences_at(w, k, AXES - 1, place);
    if (*factor >= 0) return;
    for (int axis = 0; axis < w->dimensions; axis++) from += half_width(w, k, axis, place) * w->stride[axis];
    *factor = w->about[a->of].factor[parity_of(w, from)];
    for (int axis = 0; axis < w->dimensions; axis++) {
        if (!a->order[axis]) continue;
        const struct difference *d = difference_of(w, k, axis, place);
        int per = grid_number(w, axis, d->per);
        if (d->over != 1) per = maker_times(&w->m, maker_number(&w->m, 1.0 / d->over), per);
        *factor = both(w, *factor, per);
    }
}

/* a + b, a - b: what both have as a factor stays one. */
static void make_sum(struct work *w, int k, int place)
{
    const struct node *node = &w->expr->node[k];
    struct about *a = &w->about[k];
    const struct about *x = &w->about[node->child[0]], *y = &w->about[node->child[1]];
    const bool varies = x->varies && y->varies, minus = node->op == OP_SUB;
    const int parity = parity_of(w, place);
    const bool common = varies && x->factor[parity] == y->factor[parity];
    const int p = common ? *value_at(w, node->child[0], place) : full(w, node->child[0], place);
    const int q = common ? *value_at(w, node->child[1], place) : full(w, node->child[1], place);
    if (common) a->factor[parity] = x->factor[parity];
    *value_at(w, k, place) = minus ? maker_minus(&w->m, p, q) : maker_plus(&w->m, p, q);
}

static void make_product(struct work *w, int k, int place)
{
    const struct node *node = &w->expr->node[k];
    const int a = node->child[0], b = node->child[1], parity = parity_of(w, place);
    int *factor = &w->about[k].factor[parity];
    if (*factor < 0) *factor = both(w, w->about[a].factor[parity], w->about[b].factor[parity]);
    *value_at(w, k, place) = maker_times(&w->m, *value_at(w, a, place), *value_at(w, b, place));
}

/* A constant times, or over a constant, or minus: all of it goes into the factor. */
static void make_multiple(struct work *w, int k, int place)
{
    const struct node *node = &w->expr->node[k];
    struct about *a = &w->about[k];
    const int parity = parity_of(w, place), of = w->about[a->through].factor[parity];
    int *factor = &a->factor[parity];
    *value_at(w, k, place) = *value_at(w, a->through, place);
    if (*factor >= 0) return;
    *factor = of < 0 ? maker_number(&w->m, 1) : of;
    if (node->op == OP_NEG) *factor = maker_negative(&w->m, *factor);
    else if (node->op == OP_DIV) *factor = maker_over(&w->m, *factor, *value_at(w, node->child[1], w->here));
    else *factor = both(w, *value_at(w, node->child[a->through == node->child[0]], w->here), *factor);
}

/* As it stands: what has nothing to do with a derivative keeps the operations that the user wrote. */
static void make_as_written(struct work *w, int k, int place)
{
    const struct node *node = &w->expr->node[k];
    int x[3] = {-1, -1, -1};
    for (int j = 0; j < op_table[node->op].operands; j++) x[j] = full(w, node->child[j], place);
    *value_at(w, k, place) = maker_node(&w->m, node->op, x[0], x[1], x[2], node->op == OP_NUMBER ? node->value : 0);
}

static void make_at(struct work *w, int k, int place)
{
    const struct node *node = &w->expr->node[k];
    const struct about *a = &w->about[k];
    w->m.column = node->column;
    w->m.length = node->length;
    if (node->op == OP_NAME) make_name(w, k, place);
    else if (a->derivative) make_derivative(w, k, place);
    else if (op_derivative(node->op)) *value_at(w, k, place) = maker_number(&w->m, 0);
    else if (!a->varies || !a->loose) make_as_written(w, k, place);
    else if (node->op == OP_ADD || node->op == OP_SUB) make_sum(w, k, place);
    else if (a->through >= 0) make_multiple(w, k, place);
    else if (node->op == OP_MUL) make_product(w, k, place);
    else make_as_written(w, k, place);
}

static enum sw_status refuse_size(struct work *w)
{
    return expr_refuse(w->err, 0, 1, "write fewer terms in derivatives",
                       "the differences have more than %d terms", DERIVATIVE_LARGEST);
}

/* Room for the values. */
static enum sw_status count_values(struct work *w)
{
    int64_t values = 0;
    for (int k = 0; k < w->expr->count; k++) {
        w->about[k].first = values;
        for (int word = 0; word < words(w); word++) values += __builtin_popcountll(wanted_of(w, k)[word]);
    }
    return values > 64 * (int64_t)DERIVATIVE_LARGEST ? refuse_size(w) : sw_alloc((size_t)values, &w->value);
}

static enum sw_status make_all(struct work *w)
{
    SW_TRY(count_values(w));
    for (int k = 0; k < w->expr->count; k++)
        for (int place = next_wanted(w, k, 0); place < w->places; place = next_wanted(w, k, place + 1)) {
            make_at(w, k, place);
            if (w->m.failed) return SW_E_MEMORY;
            if (w->m.out->count > DERIVATIVE_LARGEST) return refuse_size(w);
        }
    const struct about *root = &w->about[w->expr->root];
    const int factor = root->factor[0], value = *value_at(w, w->expr->root, w->here);
    /* a minus stays with the factor, where it costs nothing at a point */
    const bool minus = factor >= 0 && maker_is(&w->m, factor, OP_NEG) && !maker_is_value(&w->m, factor, -1);
    w->m.out->root = minus ? maker_node(&w->m, OP_MUL, factor, value, -1, 0) : whole(w, factor, value);
    return w->m.failed ? SW_E_MEMORY : tree_prune(w->m.out);
}

/* ------------------------------------------------------------------ terms of one order together */

/* A tree is first written as the sum of derivatives, each of all terms of its orders along the axes, those with odd
 * derivatives in them, which are staggered where one order is odd, by themselves: how a term is differenced does not
 * depend on the others then. Terms of a run that are implicit, and are not in the tree of another run, change nothing
 * else.
 *
 * A node on the way from the root to the terms is visited once for each orders of the derivatives above it: E of lap(E)
 * for dxx and for dyy. */
enum { SLOTS = 2 * ORDERS };

/* Bit n: visited for orders n. */
struct visits { uint64_t word[(ORDERS + 63) / 64]; };

static bool is_visited(const struct visits *v, int orders) { return v->word[orders / 64] >> orders % 64 & 1; }
static void add_visit(struct visits *v, int orders) { v->word[orders / 64] |= (uint64_t)1 << orders % 64; }

/* Those of lower numbers. */
static int visits_before(const struct visits *v, int orders)
{
    int count = 0;
    for (int word = 0; word < orders / 64; word++) count += __builtin_popcountll(v->word[word]);
    if (orders % 64) count += __builtin_popcountll(v->word[orders / 64] & (((uint64_t)1 << orders % 64) - 1));
    return count;
}

struct collector {
    const struct work *w;
    struct maker  m;
    struct derivative_orders orders;
    struct visits *visits;  /* [expr->count]                                                                     */
    int          *first;    /* [expr->count] of its visits, which come one after another                         */
    int         (*left)[SLOTS];  /* [visits] nodes of m.out; -1: nothing                                         */
    int          *operand;  /* [expr->count] what is left of operands of the node that is looked at              */
};

static int slot_of(const struct collector *c, int orders, bool odd)
{
    return 2 * orders + (odd && is_odd(c->orders.order[orders]));
}

static int *left_of(const struct collector *c, int k, int orders)
{
    return c->left[c->first[k] + visits_before(&c->visits[k], orders)];
}

/* Whether node k is a term where derivatives of these orders stand above it; else its operands are looked at. */
static bool is_term(const struct collector *c, int k, int orders)
{
    const struct node *node = &c->w->expr->node[k];
    const struct about *a = &c->w->about[k];
    if (!a->varies || (!a->derives && orders == 0)) return true;  /* the latter stays as it is written */
    return node->op != OP_ADD && node->op != OP_SUB && !a->derivative && a->through < 0;
}

/* Downwards. */
static void pass_down(struct collector *c, int k, int orders)
{
    const struct node *node = &c->w->expr->node[k];
    const struct about *a = &c->w->about[k];
    if (is_term(c, k, orders)) return;
    if (a->derivative) {
        add_visit(&c->visits[node->child[0]], orders_after(&c->orders, orders, node->op));
    } else if (a->through >= 0) {
        add_visit(&c->visits[a->through], orders);
    } else {
        add_visit(&c->visits[node->child[0]], orders);
        add_visit(&c->visits[node->child[1]], orders);
    }
}

/* Upwards: what node k has of the terms of a slot. */
static int pass_up(struct collector *c, int k, int orders, int slot)
{
    const struct node *node = &c->w->expr->node[k];
    const struct about *a = &c->w->about[k];
    c->m.column = node->column;
    c->m.length = node->length;
    if (a->derivative) return left_of(c, node->child[0], orders_after(&c->orders, orders, node->op))[slot];
    for (int j = 0; j < op_table[node->op].operands; j++)
        if (a->through < 0 || node->child[j] == a->through)
            c->operand[node->child[j]] = left_of(c, node->child[j], orders)[slot];
    /* the same twice, as dxx(dyy(u)) + dyy(dxx(u)) */
    const int x = c->operand[node->child[0]];
    if (node->op == OP_ADD && x >= 0 && x != node->child[0] && x == c->operand[node->child[1]])
        return maker_node(&c->m, OP_MUL, maker_number(&c->m, 2), x, -1, 0);
    return maker_left(&c->m, k, a->through, c->operand);
}

static int sum_of_slots(struct collector *c, const int *left)
{
    int sum = -1;
    for (int slot = 0; slot < 2 * c->orders.count; slot++) {
        int term = left[slot];
        if (term < 0) continue;
        if (c->w->dimensions > 1) c->m.column = maker_at(&c->m, term)->column;
        if (c->w->dimensions > 1) c->m.length = maker_at(&c->m, term)->length;
        for (int axis = c->w->dimensions - 1; axis >= 0; axis--) {
            int order = c->orders.order[slot / 2][axis];
            for (int part; order > 0; order -= part) {
                part = order < 4 ? order : 4;
                term = maker_node(&c->m, op_derivative_along(axis, part), term, -1, -1, 0);
            }
        }
        sum = sum < 0 ? term : maker_node(&c->m, OP_ADD, sum, term, -1, 0);
    }
    return sum < 0 ? maker_number(&c->m, 0) : sum;
}

/* All visits, downwards. */
static enum sw_status visit(struct collector *c, int root)
{
    int visits = 0;
    add_visit(&c->visits[root], 0);
    for (int k = root; k >= 0; k--) {
        c->first[k] = visits;
        visits += visits_before(&c->visits[k], ORDERS);
        for (int orders = 0; orders < c->orders.count; orders++)
            if (is_visited(&c->visits[k], orders)) pass_down(c, k, orders);
    }
    SW_TRY(sw_alloc((size_t)visits, &c->left));
    return SW_OK;
}

static void collect_at(struct collector *c, int k, int orders)
{
    const struct about *a = &c->w->about[k];
    int *left = left_of(c, k, orders);
    const bool term = is_term(c, k, orders);
    for (int slot = 0; slot < 2 * c->orders.count; slot++) left[slot] = term ? -1 : pass_up(c, k, orders, slot);
    if (term && (orders == 0 || a->varies)) left[slot_of(c, orders, a->odd)] = k;
}

static enum sw_status collect(const struct work *w, struct sw_expr **out)
{
    const size_t count = (size_t)w->expr->count;
    struct collector c = {.w = w};
    enum sw_status st;
    int root;
    number_orders(w->dimensions, &c.orders);
    SW_TRY(sw_alloc(1, &c.m.out));
    SW_TRY_TO(done, st, tree_append(c.m.out, w->expr, &root));
    SW_TRY_TO(done, st, sw_alloc(count, &c.visits));
    SW_TRY_TO(done, st, sw_alloc(count, &c.first));
    SW_TRY_TO(done, st, sw_alloc(count, &c.operand));
    SW_TRY_TO(done, st, visit(&c, root));
    for (int k = 0; k <= root; k++)
        for (int orders = 0; orders < c.orders.count; orders++)
            if (is_visited(&c.visits[k], orders)) collect_at(&c, k, orders);
    c.m.out->root = sum_of_slots(&c, left_of(&c, root, 0));
    st = c.m.failed ? SW_E_MEMORY : tree_prune(c.m.out);
done:
    if (st) sw_expr_destroy(&c.m.out);
    *out = c.m.out;
    sw_free(c.visits);
    sw_free(c.first);
    sw_free(c.operand);
    sw_free(c.left);
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
    set_places(w);
    SW_TRY(sw_alloc((size_t)w->expr->count * (size_t)words(w), &w->wanted));
    add_wanted(w, w->expr->root, w->here);
    root->loose = root->derives;
    root->way = SUMMAND;
    for (int axis = 0; axis < w->dimensions; axis++) {
        SW_TRY(sw_alloc((size_t)w->expr->count, &w->parity[axis]));
        expr_find_parities(w->expr, axis, w->parity[axis]);
    }
    for (int k = w->expr->root; k >= 0; k--) SW_TRY(want(w, k));
    SW_TRY(sw_alloc(1, &w->m.out));
    return make_all(w);
}

/* @param text  what is to be replaced, as given; freed */
static enum sw_status differences(struct work *text, int reach[AXES], struct sw_expr **out)
{
    struct work w = *text;
    struct sw_expr *collected = NULL;
    enum sw_status st;
    assert(w.unknowns <= SW_UNKNOWNS_MOST);
    *out = NULL;
    *w.err = (struct sw_expr_error){0};
    SW_TRY_TO(done, st, look(text));
    SW_TRY_TO(done, st, collect(text, &collected));
    w.expr = collected;
    SW_TRY_TO(done, st, look(&w));
    SW_TRY_TO(done, st, replace(&w));
    memcpy(reach, w.reach, sizeof w.reach);
    *out = w.m.out;
    w.m.out = NULL;
done:
    sw_expr_destroy(&collected);
    sw_expr_destroy(&w.m.out);
    sw_free(text->about);
    sw_free(w.about);
    sw_free(w.wanted);
    sw_free(w.value);
    for (int axis = 0; axis < AXES; axis++) sw_free(w.parity[axis]);
    return st;
}

enum sw_status sw_expr_differences(const struct sw_expr *expr, const char *const *unknown, int unknowns, int order,
                                   const unsigned *closed, int *reach, struct sw_expr **out,
                                   struct sw_expr_error *err)
{
    struct work text = {.expr = expr, .unknown = unknown, .unknowns = unknowns, .dimensions = 1,
                        .fourth = order == 4, .closed = (const unsigned (*)[2])closed, .err = err};
    int along[AXES];
    SW_TRY(differences(&text, along, out));
    *reach = along[0];
    return SW_OK;
}

enum sw_status sw_grid_differences(const struct sw_expr *expr, int dimensions, const char *const *unknown, int unknowns,
                                   int order, const unsigned (*closed)[2], int reach[SW_GRID_AXES],
                                   struct sw_expr **out, struct sw_expr_error *err)
{
    struct work text = {.expr = expr, .unknown = unknown, .unknowns = unknowns, .dimensions = dimensions,
                        .fourth = order == 4, .closed = closed, .err = err};
    return differences(&text, reach, out);
}
