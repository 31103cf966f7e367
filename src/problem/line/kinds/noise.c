#include "problem/line/kinds/noise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "expr/field_names.h"
#include "expr/maker.h"
#include "expr/random_point.h"
#include "expr/sw_differences.h"

/* Numbers of a run. Those of an axis follow those of all, then the keys of each unknown: of its noise, and of its flux
 * along each axis. */
enum { SCALE, HALF_RATE, OF_ALL };
enum axis_number {
    BEFORE,      /* the first point alone lies before, the last alone behind */
    BEHIND,
    HALF,        /* dx/2                                                      */
    FIRST_BY,    /* from the first point's coordinate to that behind it       */
    FLUX,        /* 1/(dx sqrt(dt dV))                                        */
    FIRST_SCALE, /* 1/sqrt of the part of a dV that the first point has       */
    LAST_SCALE,
    FIRST_FROM,  /* the point whose face is that before the first point       */
    FIRST_SIGN,  /* of what goes through it                                   */
    LAST,        /* the last point                                            */
    LAST_SIGN,
    OF_AXIS
};
_Static_assert((int)SW_NOISE_SYMBOLS == OF_ALL + (int)OF_AXIS * SW_DIMS + SW_UNKNOWNS_MOST * (1 + SW_DIMS),
               "a symbol for each number");

enum { NAME_ROOM = sizeof *((struct sw_noise *)0)->name };

static int number_of_axis(int axis, enum axis_number k) { return OF_ALL + OF_AXIS * axis + (int)k; }

/* @param of  0: of the noise; 1 + axis: of the flux along it */
static int number_of_key(int dimensions, int unknown, int of)
{
    return OF_ALL + OF_AXIS * dimensions + (1 + dimensions) * unknown + of;
}

/* ------------------------------------------------------------------ the texts */

enum { WHITE, CONSERVED, TEXTS };
static const char *const keys[TEXTS] = {"noise", "noise.conserved"};
static const char of_u[] = "noise.u";

static bool is_noise(const char *key)
{
    return !strcmp(key, keys[WHITE]) || !strcmp(key, keys[CONSERVED]) || !strcmp(key, of_u);
}

static const struct sw_function *text_of(const struct sw_setup *setup, int which, int v)
{
    const struct sw_function *f = sw_setup_find_of(setup, keys[which], v);
    return f || which == CONSERVED || setup->nunknown ? f : sw_setup_find(setup, of_u);
}

/* The first text of noise; NULL: there is none. */
static const struct sw_function *find_noise(const struct sw_setup *setup)
{
    for (int k = 0; k < setup->nfunction; k++)
        if (is_noise(setup->function[k].key)) return &setup->function[k];
    return NULL;
}

/* The unknowns that a text names, a bit each. */
static unsigned unknowns_in(const struct sw_setup *setup, const struct sw_expr *expr)
{
    unsigned in = 0;
    for (int k = 0; k < expr->count; k++)
        for (int v = 0; v < sw_setup_unknowns(setup); v++)
            if (expr->node[k].op == OP_NAME && !strcmp(expr->names[expr->node[k].name], sw_setup_unknown(setup, v)))
                in |= 1U << v;
    return in;
}

static enum sw_status check_text(const struct sw_setup *setup, int dimensions, const struct sw_expr *expr,
                                 struct sw_expr_error *err)
{
    struct sw_field_names names = {.dimensions = dimensions, .unknowns = sw_setup_unknowns(setup),
                                   .numbers = setup->scope->count};
    const char **number;
    for (int v = 0; v < names.unknowns; v++) names.unknown[v] = sw_setup_unknown(setup, v);
    SW_TRY(sw_alloc((size_t)names.numbers + 1, &number));
    for (int k = 0; k < names.numbers; k++) number[k] = setup->scope->symbol[k].name;
    names.number = number;
    enum sw_status st = sw_field_check_names(&names, expr, err);
    sw_free(number);
    for (int k = 0; k < expr->count && !st; k++) {
        const struct node *node = &expr->node[k];
        if (op_derivative(node->op))
            st = expr_refuse(err, node->column, node->length, "it is made of the unknowns at the point, x, t and "
                             "numbers of the run", "the amplitude of noise has no derivatives");
        else if (op_is_random(node->op))
            st = expr_refuse(err, node->column, node->length, "noise = \"a\" is a times normal numbers that the "
                             "program draws", "the amplitude of noise is no random number");
    }
    return st;
}

/* ------------------------------------------------------------------ terms */

struct work {
    const struct sw_setup *setup;
    struct sw_noise *noise;
    const bool      *walls;
    struct maker     m;
};

static const char *own_name(char name[NAME_ROOM], const char *of)
{
    snprintf(name, NAME_ROOM, "(%.*s)", NAME_ROOM - 3, of);  /* no name of the language: none that a kind has */
    return name;
}

static int number(struct work *w, int k)
{
    char name[NAME_ROOM];
    snprintf(name, sizeof name, "[noise %d]", k);
    return maker_name(&w->m, name);
}

static int number_along(struct work *w, int axis, enum axis_number k) { return number(w, number_of_axis(axis, k)); }

static int coordinate(struct work *w, int axis) { return maker_name(&w->m, (const char[]){"xyz"[axis], 0}); }

/* `first` at the first point of an axis, `last` at the last, else `other`; -1: `other` there. */
static int at_ends(struct work *w, int axis, int first, int last, int other)
{
    if (last >= 0)
        other = maker_choose(&w->m, maker_node(&w->m, OP_GT, coordinate(w, axis), number_along(w, axis, BEHIND), -1, 0),
                             last, other);
    if (first < 0) return other;
    return maker_choose(&w->m, maker_node(&w->m, OP_LT, coordinate(w, axis), number_along(w, axis, BEFORE), -1, 0),
                        first, other);
}

static int unknown_beside(struct work *w, int v, int axis, int side)
{
    char name[SW_NEIGHBOUR_ROOM];
    const int offset[SW_GRID_AXES] = {axis == 0 ? side : 0, axis == 1 ? side : 0, axis == 2 ? side : 0};
    return maker_name(&w->m, sw_grid_neighbour_name(name, sw_setup_unknown(w->setup, v), w->noise->dimensions, offset));
}

/* A coordinate half-way to the next point along its axis: of a face behind a wall that of the face before it, of the
 * one across the ends of a circle that behind the last point, seen from either side. */
static int half_way(struct work *w, int axis, int side)
{
    const int half = number_along(w, axis, HALF), back = maker_negative(&w->m, half);
    int by = half;
    if (side < 0) by = at_ends(w, axis, number_along(w, axis, FIRST_BY), -1, back);
    else if (w->walls[axis]) by = at_ends(w, axis, -1, back, half);
    return maker_plus(&w->m, coordinate(w, axis), by);
}

/* A name of a text, half-way to the next point along an axis. @param side  0: at the point itself */
static int translate_name(struct work *w, const char *name, int axis, int side)
{
    char own[NAME_ROOM];
    for (int v = 0; v < sw_setup_unknowns(w->setup); v++) {
        if (strcmp(name, sw_setup_unknown(w->setup, v))) continue;
        const int here = maker_name(&w->m, name);
        if (!side) return here;
        return maker_times(&w->m, maker_number(&w->m, 0.5), maker_plus(&w->m, here, unknown_beside(w, v, axis, side)));
    }
    if (!strcmp(name, "t")) return maker_name(&w->m, name);
    for (int a = 0; a < w->noise->dimensions; a++) {
        if (name[0] != "xyz"[a] || name[1]) continue;
        return side && a == axis ? half_way(w, a, side) : coordinate(w, a);
    }
    return maker_name(&w->m, own_name(own, name));
}

/* @return the root in m.out; 0 with m.failed set */
static int translate(struct work *w, const struct sw_expr *expr, int axis, int side)
{
    int *at, root = 0;
    if (sw_alloc((size_t)expr->count, &at)) w->m.failed = true;
    if (w->m.failed) return 0;
    for (int k = 0; k <= expr->root; k++) {
        const struct node *node = &expr->node[k];
        int child[3] = {-1, -1, -1};
        for (int j = 0; j < op_table[node->op].operands; j++) child[j] = at[node->child[j]];
        w->m.column = node->column;
        w->m.length = node->length;
        at[k] = node->op == OP_NAME ? translate_name(w, expr->names[node->name], axis, side)
                                    : maker_node(&w->m, node->op, child[0], child[1], child[2], node->value);
    }
    root = at[expr->root];
    sw_free(at);
    return root;
}

/* The number of a point, or of a face beside it. @param of  as of number_of_key() */
static int drawn(struct work *w, int v, int of, int face, int end)
{
    return maker_node(&w->m, OP_NOISE, number(w, number_of_key(w->noise->dimensions, v, of)),
                      maker_number(&w->m, face), end, 0);
}

/* B (dB/du) (xi^2 - 1)/(2 dV), 1/(2 dV) being part^2 HALF_RATE. */
static int milstein(struct work *w, int b, int xi, int part, int v)
{
    struct expr_slopes slopes = {0};
    struct maker *m = &w->m;
    int slope = 0;
    if (m->failed || expr_slope(m, &slopes, b, sw_setup_unknown(w->setup, v), &slope)) m->failed = true;
    expr_slopes_free(&slopes);
    if (m->failed || maker_is_value(m, slope, 0)) return -1;
    const int square = maker_node(m, OP_SUB, maker_node(m, OP_MUL, xi, xi, -1, 0), maker_number(m, 1), -1, 0);
    int rate = maker_times(m, maker_times(m, b, slope), number(w, HALF_RATE));
    if (part >= 0) rate = maker_times(m, rate, maker_times(m, part, part));
    return maker_times(m, rate, square);
}

static int white(struct work *w, const struct sw_expr *expr, int v)
{
    struct maker *m = &w->m;
    const int b = translate(w, expr, 0, 0);
    const int xi = drawn(w, v, 0, SW_NOISE_HERE, maker_number(m, 0));
    int part = -1, size = maker_times(m, b, number(w, SCALE));
    for (int axis = 0; axis < w->noise->dimensions; axis++) {
        if (!w->walls[axis]) continue;
        const int along = at_ends(w, axis, number_along(w, axis, FIRST_SCALE), number_along(w, axis, LAST_SCALE),
                                  maker_number(m, 1));
        part = part < 0 ? along : maker_times(m, part, along);
    }
    if (part >= 0) size = maker_times(m, size, part);
    const int sum = maker_times(m, size, xi), more =
        sw_setup_chosen(w->setup, "noise.method", "milstein") ? milstein(w, b, xi, part, v) : -1;
    return more < 0 ? sum : maker_plus(m, sum, more);
}

/* C xi on one side of a point. A face has the number of the point on its left; of an axis that ends, that behind an end
 * is the face before it, with the other sign. */
static int flux(struct work *w, const struct sw_expr *expr, int v, int axis, int side)
{
    struct maker *m = &w->m;
    const bool ends = w->walls[axis];
    int c = translate(w, expr, axis, side), xi;
    if (side < 0) xi = drawn(w, v, 1 + axis, SW_NOISE_LEFT + axis, number_along(w, axis, FIRST_FROM));
    else if (!ends) xi = drawn(w, v, 1 + axis, SW_NOISE_HERE, maker_number(m, 0));
    else xi = drawn(w, v, 1 + axis, SW_NOISE_RIGHT + axis, number_along(w, axis, LAST));
    if (ends) {
        const int turned = number_along(w, axis, side < 0 ? FIRST_SIGN : LAST_SIGN);
        c = maker_times(m, c, at_ends(w, axis, side < 0 ? turned : -1, side < 0 ? -1 : turned, maker_number(m, 1)));
    }
    return maker_times(m, c, xi);
}

static int divergence(struct work *w, const struct sw_expr *expr, int v)
{
    int sum = -1;
    for (int axis = 0; axis < w->noise->dimensions; axis++) {
        const int right = flux(w, expr, v, axis, 1), left = flux(w, expr, v, axis, -1);
        const int along = maker_times(&w->m, maker_minus(&w->m, right, left), number_along(w, axis, FLUX));
        sum = sum < 0 ? along : maker_plus(&w->m, sum, along);
    }
    return sum;
}

static enum sw_status make_term(struct work *w, int v, int *function, struct sw_expr_error *err)
{
    int sum = -1;
    if (!text_of(w->setup, WHITE, v) && !text_of(w->setup, CONSERVED, v)) return SW_OK;
    w->m = (struct maker){0};
    SW_TRY(sw_alloc(1, &w->noise->expr[v]));
    w->m.out = w->noise->expr[v];
    for (int which = 0; which < TEXTS; which++) {
        const struct sw_function *f = text_of(w->setup, which, v);
        if (!f) continue;
        const enum sw_status st = check_text(w->setup, w->noise->dimensions, f->expr, err);
        if (st == SW_E_CONFIG) *function = (int)(f - w->setup->function);
        SW_TRY(st);
        const int term = which == WHITE ? white(w, f->expr, v) : divergence(w, f->expr, v);
        sum = sum < 0 ? term : maker_plus(&w->m, sum, term);
    }
    w->m.out->root = sum;
    return w->m.failed ? SW_E_MEMORY : tree_prune(w->m.out);
}

/* ------------------------------------------------------------------ what the terms know */

static enum sw_status make_scope(const struct sw_setup *setup, int first, struct sw_noise *noise)
{
    const int given = setup->scope->count, count = given + noise->numbers;
    SW_TRY(sw_alloc((size_t)count, &noise->name));
    SW_TRY(sw_alloc((size_t)count, &noise->symbol));
    for (int k = 0; k < count; k++) {
        const int own = k - given;
        noise->symbol[k] = own < 0 ? setup->scope->symbol[k] : (struct sw_symbol){.rate = SW_RATE_RUN,
                                                                                 .slot = first + own};
        if (own < 0) own_name(noise->name[k], setup->scope->symbol[k].name);
        else snprintf(noise->name[k], sizeof *noise->name, "[noise %d]", own);
        noise->symbol[k].name = noise->name[k];
    }
    noise->scope = (struct sw_scope){.symbol = noise->symbol, .count = count};
    return SW_OK;
}

enum sw_status sw_noise_make(const struct sw_setup *setup, int dimensions, const bool *walls, int first,
                             struct sw_noise *noise, int *function, struct sw_expr_error *err)
{
    struct work w = {.setup = setup, .noise = noise, .walls = walls};
    enum sw_status st = SW_OK;
    *noise = (struct sw_noise){.dimensions = dimensions, .unknowns = sw_setup_unknowns(setup)};
    if (!find_noise(setup)) return SW_OK;
    noise->numbers = number_of_key(dimensions, noise->unknowns, 0);
    for (int v = 0; v < noise->unknowns && !st; v++) st = make_term(&w, v, function, err);
    if (!st) st = make_scope(setup, first, noise);
    if (st) sw_noise_free(noise);
    return st;
}

void sw_noise_free(struct sw_noise *noise)
{
    for (int v = 0; v < SW_UNKNOWNS_MOST; v++) sw_expr_destroy(&noise->expr[v]);
    sw_free(noise->name);
    sw_free(noise->symbol);
    *noise = (struct sw_noise){0};
}

/* ------------------------------------------------------------------ numbers of a run */

/* A key of 63 bits of Philox of the stream, the unknown and what is drawn, as the bits of a double that is finite:
 * other numbers than those of any k that a user would write. */
static double key_of(double stream, int unknown, int of)
{
    union { double d; uint64_t w; } bits = {.d = stream + 0.0};
    uint32_t x[4] = {(uint32_t)bits.w, (uint32_t)(bits.w >> 32), (uint32_t)(unknown * (1 + SW_DIMS) + of), 0x6e6f6973u};
    sw_philox(x, 0x73776565u, 0x70206b79u);
    bits.w = ((uint64_t)x[0] << 32 | x[1]) & ~((uint64_t)1 << 62);  /* an exponent below that of inf and nan */
    return bits.d;
}

static void set_axis(const struct sw_grid *g, int axis, int64_t n, bool ends, double scale,
                     double *number)
{
    const double dx = g->dx[axis], last = sw_grid_at(g, axis, n - 1);
    double *const of = number + number_of_axis(axis, BEFORE);
    of[BEFORE] = g->x0[axis] + 0.5 * dx;
    of[BEHIND] = last - 0.5 * dx;
    of[HALF] = 0.5 * dx;
    of[FIRST_BY] = ends ? 0.5 * dx : ((double)n - 0.5) * dx;
    of[FLUX] = scale / dx;
    of[FIRST_SCALE] = of[LAST_SCALE] = ends ? sqrt(2.0) : 1.0;
    of[FIRST_FROM] = ends ? 0.0 : (double)(n - 1);
    of[LAST] = ends ? (double)(n - 1) : (double)n;
    of[FIRST_SIGN] = of[LAST_SIGN] = ends ? -1.0 : 1.0;
}

void sw_noise_numbers(const struct sw_noise *noise, const struct sw_setup *setup, const struct sw_grid *grid,
                      const int64_t n[SW_DIMS], const bool walls[SW_DIMS], int64_t ld, const double *column, int64_t j,
                      double *number)
{
    const int stream = sw_setup_column(setup, "noise.stream");
    double volume = 1;
    for (int axis = 0; axis < noise->dimensions; axis++) volume *= grid->dx[axis];
    number[SCALE] = 1.0 / sqrt(grid->dt * volume);
    number[HALF_RATE] = 0.5 / volume;
    for (int axis = 0; axis < noise->dimensions; axis++)
        set_axis(grid, axis, n[axis], walls[axis], number[SCALE], number);
    for (int v = 0; v < noise->unknowns; v++)
        for (int of = 0; of <= noise->dimensions; of++)
            number[number_of_key(noise->dimensions, v, of)] =
                key_of(stream < 0 ? 0 : column[stream * ld + j], v, of);
}

/* ------------------------------------------------------------------ what is refused */

static const char *check_depending(const struct sw_setup *setup, const char *method, int which, int v,
                                   struct sw_text *why)
{
    const struct sw_function *f = text_of(setup, which, v);
    const unsigned in = f ? unknowns_in(setup, f->expr) : 0;
    const bool is_milstein = sw_setup_chosen(setup, "noise.method", "milstein");
    if (in && strcmp(method, "imex1"))
        return sw_refuse(why, f->key, "noise that depends on the unknowns is taken at the beginning of a step (Ito), "
                         "by method = \"imex1\" alone; \"%s\" takes it at other times, too", method);
    if (is_milstein && in & ~(1U << v))
        return sw_refuse(why, "noise.method", "the term of Milstein is that of noise which depends on its own unknown "
                         "alone, and that of %s does on others; leave it at \"euler\"", sw_setup_unknown(setup, v));
    if (is_milstein && in && which == CONSERVED)
        return sw_refuse(why, "noise.method", "the term of Milstein is that of noise at a point, and the flux of %s "
                         "lies between two; leave it at \"euler\"", sw_setup_unknown(setup, v));
    return NULL;
}

const char *sw_noise_check(const struct sw_setup *setup, bool (*closed)(const struct sw_setup *setup, int unknown),
                           struct sw_text *why)
{
    const char *method = sw_setup_word(setup, "method"), *key = NULL;
    const struct sw_function *f = find_noise(setup);
    if (!f) return NULL;
    if (sw_setup_own_steps(setup))
        return sw_refuse(why, f->key, "noise is drawn anew at each step, and its variance is that of a given dt: give "
                         "time.dt, without time.tolerance");
    if (method && !strcmp(method, "imex3"))
        return sw_refuse(why, "method", "noise has one number for a step, of which \"imex3\" makes nothing better than "
                         "\"imex2\"; take that, or \"imex1\"");
    if (sw_setup_chosen(setup, "source", "exact"))
        return sw_refuse(why, "source", "no source makes up for noise, which is drawn anew at each step");
    for (int v = 0; v < sw_setup_unknowns(setup) && !key; v++) {
        if (text_of(setup, CONSERVED, v) && !closed(setup, v))
            key = sw_refuse(why, keys[CONSERVED], "a random flux keeps the sum of %s between walls without flux alone: "
                            "boundary = \"no_flux\", or \"periodic\"", sw_setup_unknown(setup, v));
        for (int which = 0; which < TEXTS && !key; which++)
            key = check_depending(setup, method ? method : "imex1", which, v, why);
    }
    return key;
}

/* ------------------------------------------------------------------ for people */

enum sw_status sw_noise_describe(const struct sw_setup *setup, int dimensions, struct sw_text *text)
{
    static const char *const volume[] = {"dx", "dx*dy", "dx*dy*dz"},
                      *const fluxes[] = {"f", "f, g", "f, g, h"};
    for (int k = 0; k < TEXTS * sw_setup_unknowns(setup); k++) {
        const int v = k / TEXTS, which = k % TEXTS;
        const struct sw_function *f = text_of(setup, which, v);
        const char *dv = volume[dimensions - 1];
        char label[SW_NEIGHBOUR_ROOM];
        if (!f) continue;
        snprintf(label, sizeof label, "%.*s_t", SW_UNKNOWN_LONGEST, sw_setup_unknown(setup, v));
        sw_text_printf(text, "%-9s%-11s ", label, "noise");
        if (which == WHITE) sw_text_printf(text, "(%s)*xi/sqrt(dt*%s)", f->text, dv);
        else sw_text_printf(text, "div(%s), each (%s)*xi/sqrt(dt*%s)", fluxes[dimensions - 1], f->text, dv);
        if (which == WHITE && sw_setup_chosen(setup, "noise.method", "milstein") && unknowns_in(setup, f->expr))
            sw_text_printf(text, ", and the term of Milstein");
        sw_text_add(text, "; xi normal, new in each step\n");
    }
    return sw_text_status(text);
}
