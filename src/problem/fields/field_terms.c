#include "problem/fields/field_terms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "expr/parity.h"
#include "expr/sw_differences.h"
#include "expr/terms.h"

enum { OF_GRID = SW_GRID_NUMBERS * SW_DIMS };  /* those of mirrors follow */
_Static_assert((int)FIELDS_NUMBERS == (int)OF_GRID + 2 * SW_DIMS && (int)FIELDS_REACH == (int)SW_GRID_REACH &&
               (int)SW_GRID_AXES == (int)SW_DIMS, "what expressions know of grids");

typedef char label[SW_NEIGHBOUR_ROOM];

struct builder {
    const struct fields_text *text;
    struct fields_terms      *terms;
    struct sw_field_names     names;
    struct derivative_orders  orders;
    label                    *neighbour;  /* [terms->neighbours] as trees call them */
    enum sw_status            status;     /* of add_neighbour()                     */
    struct sw_expr_error     *err;
};

void fields_numbers(const double dx[SW_DIMS], double number[FIELDS_NUMBERS])
{
    for (int k = 0; k < OF_GRID; k++) number[k] = sw_grid_number(k % SW_GRID_NUMBERS, dx[k / SW_GRID_NUMBERS]);
    for (int axis = 0; axis < SW_DIMS; axis++) fields_set_mirrors(axis, -INFINITY, INFINITY, number);
}

void fields_set_mirrors(int axis, double from, double to, double number[FIELDS_NUMBERS])
{
    number[OF_GRID + 2 * axis] = 2.0 * from;
    number[OF_GRID + 2 * axis + 1] = 2.0 * to;
}

static const char *number_name(int k)
{
    return k < OF_GRID ? sw_grid_number_name(k) : sw_mirror_name((k - OF_GRID) / 2, (k - OF_GRID) % 2);
}

/* ------------------------------------------------------------------ programs */

/* A name in differences that may be that of a neighbour. */
static void add_neighbour(void *user, const char *name, int column)
{
    struct builder *b = user;
    struct fields_terms *t = b->terms;
    struct fields_neighbour n = {.unknown = -1};
    const size_t count = (size_t)t->neighbours;
    (void)column;
    for (int k = 0; k < t->neighbours; k++)
        if (!strcmp(b->neighbour[k], name)) return;
    for (int v = 0; v < t->unknowns && n.unknown < 0; v++)
        if (sw_grid_neighbour(name, b->names.unknown[v], n.offset)) n.unknown = v;
    if (n.unknown < 0 || b->status) return;
    b->status = sw_resize(count, count + 1, &t->neighbour);
    if (!b->status) b->status = sw_resize(count, count + 1, &b->neighbour);
    if (b->status) return;
    for (int axis = 0; axis < SW_DIMS; axis++)
        if (abs(n.offset[axis]) > t->reach[axis]) t->reach[axis] = abs(n.offset[axis]);
    snprintf(b->neighbour[count], sizeof *b->neighbour, "%s", name);
    t->neighbour[t->neighbours++] = n;
}

/* @param symbol  [run->count + FIELDS_NUMBERS + SW_DIMS + 1 + neighbours] */
static int list_symbols(const struct builder *b, struct sw_symbol *symbol)
{
    static const struct { const char *name; enum sw_input slot; } coordinate[SW_DIMS] = {
        {"x", SW_IN_X}, {"y", SW_IN_Y}, {"z", SW_IN_Z}};
    int count = 0;
    for (int k = 0; k < b->terms->neighbours; k++)
        symbol[count++] = (struct sw_symbol){b->neighbour[k], SW_RATE_POINT, FIELDS_INPUTS + k};
    for (int axis = 0; axis < b->terms->dimensions; axis++)
        symbol[count++] = (struct sw_symbol){coordinate[axis].name, SW_RATE_CELL, coordinate[axis].slot};
    symbol[count++] = (struct sw_symbol){"t", SW_RATE_STEP, 0};
    for (int k = 0; k < FIELDS_NUMBERS; k++)
        symbol[count++] = (struct sw_symbol){number_name(k), SW_RATE_RUN, b->text->first_number + k};
    for (int k = 0; k < b->text->run->count; k++) symbol[count++] = b->text->run->symbol[k];
    return count;
}

/* A tree without derivatives. */
static enum sw_status compile(struct builder *b, const struct sw_expr *expr, struct sw_program **program)
{
    struct sw_symbol *symbol;
    sw_expr_names(expr, add_neighbour, b);
    SW_TRY(b->status);
    SW_TRY(sw_alloc((size_t)(b->text->run->count + b->terms->neighbours + FIELDS_NUMBERS + SW_DIMS + 1), &symbol));
    const struct sw_scope scope = {.symbol = symbol, .count = list_symbols(b, symbol), .random = true, .stream = 1};
    const enum sw_status st = sw_program_compile(expr, &scope, program, b->err);
    sw_free(symbol);
    return st;
}

/* @param more  added to the differences; NULL: nothing */
static enum sw_status compile_differences(struct builder *b, const struct sw_expr *expr, int order,
                                          const struct sw_expr *more, struct sw_program **program)
{
    struct sw_expr *differences = NULL, *sum = NULL;
    int reach[SW_DIMS];
    enum sw_status st = sw_grid_differences(expr, b->terms->dimensions, b->names.unknown, b->names.unknowns, order,
                                            (const unsigned (*)[2])b->text->closed, reach, &differences, b->err);
    if (!st && more) st = sw_expr_sum(differences, more, &sum);
    if (!st) st = compile(b, more ? sum : differences, program);
    sw_expr_destroy(&differences);
    sw_expr_destroy(&sum);
    return st;
}

/* ------------------------------------------------------------------ coefficients */

/* The number of orders: along one axis so much, along another so much more. */
static int orders_along(const struct builder *b, int axis, int order, int other, int more)
{
    int along[SW_DIMS] = {0};
    along[axis] += order;
    along[other] += more;
    return b->orders.number[along[0]][along[1]][along[2]];
}

/* The part of a tree at a node, or minus it. @param k  -1: none, and no program */
static enum sw_status compile_part(struct builder *b, struct sw_expr *of, int k, bool minus,
                                   struct sw_program **program)
{
    struct maker m = {.out = of};
    struct sw_expr *part = NULL;
    if (k < 0 || maker_is_value(&m, k, 0)) return SW_OK;
    if (minus) k = maker_negative(&m, k);
    if (m.failed) return SW_E_MEMORY;
    enum sw_status st = tree_part(of, k, &part);
    if (!st) st = compile_differences(b, part, 2, NULL, program);
    sw_expr_destroy(&part);
    return st;
}

/* ------------------------------------------------------------------ coefficients, for people */

/* sum + coefficient * derivative of an unknown; sum -1: 0, coefficient -1: none. */
static int add_term(struct maker *m, int sum, int coefficient, const char *unknown, int axis, int order)
{
    if (coefficient < 0 || maker_is_value(m, coefficient, 0)) return sum;
    int u = maker_name(m, unknown);
    if (order) u = maker_call(m, op_derivative_along(axis, order), u);
    const int term = maker_times(m, coefficient, u);
    return sum < 0 ? term : maker_plus(m, sum, term);
}

static enum sw_status show_linear(const struct builder *b, struct terms *t, int v, char **text)
{
    const int *linear = t->term[t->expr->root].linear;
    struct sw_text shown = {0};
    int sum = -1;
    for (int order = 4; order >= 2; order -= 2)
        for (int axis = 0; axis < b->terms->dimensions; axis++)
            sum = add_term(&t->m, sum, linear[orders_along(b, axis, order, 0, 0)], b->names.unknown[v], axis, order);
    sum = add_term(&t->m, sum, linear[0], b->names.unknown[v], 0, 0);
    if (t->m.failed) return SW_E_MEMORY;
    if (sum < 0) return SW_OK;
    struct sw_expr whole = *t->m.out;
    whole.root = sum;
    const enum sw_status st = expr_print_sum(&whole, &shown);
    *text = st ? NULL : sw_text_take(&shown);
    if (st) sw_text_free(&shown);
    return st || *text ? st : SW_E_MEMORY;
}

/* What stands before second and fourth derivatives, where it varies. */
struct varying { struct sw_text of[2 * SW_DIMS]; char label[2 * SW_DIMS][SW_NEIGHBOUR_ROOM + 16]; int count; };

static enum sw_status add_varying(const struct builder *b, struct sw_expr *frozen, int k, int v, int axis, int order,
                                  struct varying *varying)
{
    struct maker m = {.out = frozen};
    const int n = varying->count++;
    if (order == 4) k = maker_negative(&m, k);
    if (m.failed) return SW_E_MEMORY;
    struct sw_expr part = *frozen;
    part.root = k;
    snprintf(varying->label[n], sizeof varying->label[n], "%s%s(%.*s)", order == 4 ? "-" : "",
             op_table[op_derivative_along(axis, order)].written, SW_UNKNOWN_LONGEST, b->names.unknown[v]);
    return expr_print_sum(&part, &varying->of[n]);
}

/* Each text with all that it stands before. */
static enum sw_status show_varying(struct varying *varying, char **text)
{
    struct sw_text shown = {0};
    for (int k = 0; k < varying->count; k++) {
        const char *of = sw_text_get(&varying->of[k]);
        int first = 0;
        while (strcmp(sw_text_get(&varying->of[first]), of)) first++;
        if (first < k) continue;
        sw_text_printf(&shown, "%s%s of %s", k ? "; " : "", of, varying->label[k]);
        for (int j = k + 1; j < varying->count; j++)
            if (!strcmp(sw_text_get(&varying->of[j]), of)) sw_text_printf(&shown, ", %s", varying->label[j]);
    }
    *text = varying->count ? sw_text_take(&shown) : NULL;
    return varying->count && !*text ? SW_E_MEMORY : SW_OK;
}

/* ------------------------------------------------------------------ coefficients of an equation */

/* The sum of all linear terms with constant coefficients. */
static enum sw_status compile_all(struct builder *b, struct terms *t, int v)
{
    const int *linear = t->term[t->expr->root].linear;
    struct fields_row *row = &b->terms->row[v];
    struct sw_expr *all = NULL;
    int sum = -1;
    for (int n = 0; n < b->orders.count; n++) {
        const int *order = b->orders.order[n];
        if (linear[n] < 0 || maker_is_value(&t->m, linear[n], 0)) continue;
        int u = maker_name(&t->m, b->names.unknown[v]);
        for (int axis = 0; axis < b->terms->dimensions; axis++)
            for (int left = order[axis], part; left > 0; left -= part) {
                part = left < 4 ? left : 4;
                u = maker_call(&t->m, op_derivative_along(axis, part), u);
            }
        const int term = maker_times(&t->m, linear[n], u);
        sum = sum < 0 ? term : maker_plus(&t->m, sum, term);
        row->linear.odd |= (order[0] + order[1] + order[2]) % 2;
    }
    if (t->m.failed) return SW_E_MEMORY;
    if (sum < 0) return SW_OK;
    enum sw_status st = tree_part(t->m.out, sum, &all);
    if (!st) st = compile_differences(b, all, b->text->order, NULL, &row->linear.all);
    sw_expr_destroy(&all);
    return st;
}

static enum sw_status find_linear(struct builder *b, const struct sw_expr *expr, int v)
{
    struct fields_row *row = &b->terms->row[v];
    struct terms t = {0};
    SW_TRY(terms_find(&b->names, expr, v, &t));
    const int *linear = t.term[expr->root].linear;
    enum sw_status st = compile_part(b, t.m.out, linear[0], false, &row->linear.a0);
    for (int axis = 0; axis < b->terms->dimensions && !st; axis++) {
        st = compile_part(b, t.m.out, linear[orders_along(b, axis, 2, 0, 0)], false, &row->linear.a2[axis]);
        if (!st) st = compile_part(b, t.m.out, linear[orders_along(b, axis, 4, 0, 0)], true, &row->linear.a4[axis]);
        if (!st) st = compile_part(b, t.m.out, linear[orders_along(b, axis, 6, 0, 0)], false, &row->linear.a6[axis]);
    }
    if (!st) st = show_linear(b, &t, v, &row->constant);
    if (!st) st = compile_all(b, &t, v);
    terms_free(&t);
    return st;
}

static enum sw_status freeze(struct builder *b, const struct sw_expr *expr, int v, struct sw_expr **frozen,
                             int root[ORDERS])
{
    const enum sw_status st = expr_freeze(expr, b->names.unknown[v], &b->orders, frozen, root);
    if (st != SW_E_CONFIG) return st;
    return expr_refuse(b->err, 0, 1, "write fewer terms in derivatives",
                       "what stands before derivatives of '%s' has too many terms", b->names.unknown[v]);
}

/* What stands before derivatives of more than fourth order: numbers of a run, as no matrix has others. */
static enum sw_status check_high(struct builder *b, struct sw_expr *frozen, const int root[ORDERS], int v)
{
    for (int n = 0; n < b->orders.count; n++) {
        const int *order = b->orders.order[n], highest = order[0] + order[1] + order[2];
        struct sw_program *program = NULL;
        if (highest <= HIGHEST_ON_LINES) continue;
        SW_TRY(compile_part(b, frozen, root[n], false, &program));
        const bool there = program, varies = program && sw_program_rate(program) != SW_RATE_RUN;
        sw_program_destroy(&program);
        b->terms->high |= there;
        if (varies)
            return expr_refuse(b->err, 0, 1, "write it as a*lap(lap(lap(u))) with a number a, and what varies to the "
                               "fourth order", "what stands before a derivative of order %d of '%s' is not the same "
                               "at all points", highest, b->names.unknown[v]);
    }
    return SW_OK;
}

static enum sw_status find_frozen(struct builder *b, const struct sw_expr *expr, int v)
{
    static const int pair[SW_DIMS][2] = {{0, 1}, {0, 2}, {1, 2}};
    struct fields_row *row = &b->terms->row[v];
    struct sw_expr *frozen;
    struct varying varying = {.count = 0};
    int root[ORDERS];
    SW_TRY(freeze(b, expr, v, &frozen, root));
    enum sw_status st = check_high(b, frozen, root, v);
    for (int axis = 0; axis < b->terms->dimensions && !st; axis++) {
        struct sw_program **const to[] = {&row->frozen.a1[axis], &row->frozen.a2[axis], &row->frozen.a3[axis],
                                          &row->frozen.a4[axis]};
        for (int order = 1; order <= 4 && !st; order++) {
            const int k = root[orders_along(b, axis, order, 0, 0)];
            st = compile_part(b, frozen, k, order == 4, to[order - 1]);
            const bool varies = !st && *to[order - 1] && sw_program_rate(*to[order - 1]) != SW_RATE_RUN;
            if (varies && order % 2 == 0) st = add_varying(b, frozen, k, v, axis, order, &varying);
        }
    }
    if (!st) st = show_varying(&varying, &row->varying);
    for (int k = 0; k < 2 * SW_DIMS; k++) sw_text_free(&varying.of[k]);
    for (int k = 0; k < SW_DIMS && !st; k++)
        if (pair[k][1] < b->terms->dimensions)
            st = compile_part(b, frozen, root[orders_along(b, pair[k][0], 1, pair[k][1], 1)], false,
                              &row->frozen.cross[k]);
    sw_expr_destroy(&frozen);
    for (int w = 0; w < b->terms->unknowns && !st; w++) {
        if (w == v) continue;
        st = freeze(b, expr, w, &frozen, root);
        if (!st) st = check_high(b, frozen, root, w);
        if (!st) st = compile_part(b, frozen, root[orders_along(b, 0, 2, 0, 0)], false, &row->frozen.a2_of[w]);
        sw_expr_destroy(&frozen);
    }
    return st;
}

/* ------------------------------------------------------------------ texts */

static enum sw_status read_row(struct builder *b, int v)
{
    const struct fields_text *text = b->text;
    struct sw_expr *expr = NULL;
    enum sw_status st;
    if (!text->rhs[v])
        return expr_refuse(b->err, 0, 1, "", "the unknown '%s' has no right-hand side", text->unknown[v]);
    SW_TRY_TO(done, st, sw_expr_parse_fields(text->rhs[v], text->dimensions, &expr, b->err));
    SW_TRY_TO(done, st, sw_field_check_names(&b->names, expr, b->err));
    b->terms->noise |= sw_expr_is_random(expr) || (text->source[v] && sw_expr_is_random(text->source[v]));
    SW_TRY_TO(done, st, compile_differences(b, expr, text->order, text->source[v], &b->terms->row[v].rhs));
    SW_TRY_TO(done, st, find_linear(b, expr, v));
    SW_TRY_TO(done, st, find_frozen(b, expr, v));
done:
    sw_expr_destroy(&expr);
    return st;
}

static enum sw_status read_all(struct builder *b, struct fields_error *err)
{
    const struct fields_text *text = b->text;
    err->in_name = true;
    if (text->unknowns < 1 || text->unknowns > SW_UNKNOWNS_MOST) {
        err->unknown = -1;
        return expr_refuse(b->err, 0, 1, "", "%d unknowns; there may be 1 to %d", text->unknowns, SW_UNKNOWNS_MOST);
    }
    b->names.unknowns = text->unknowns;
    for (int v = 0; v < text->unknowns; v++) b->names.unknown[v] = text->unknown[v];
    for (int v = 0; v < text->unknowns; v++) {
        err->unknown = v;
        SW_TRY(sw_field_check_unknown(&b->names, v, b->err));
    }
    err->in_name = false;
    number_orders(text->dimensions, &b->orders);
    *b->terms = (struct fields_terms){.dimensions = text->dimensions, .unknowns = text->unknowns, .order = text->order};
    for (int v = 0; v < text->unknowns; v++) {
        err->unknown = v;
        SW_TRY(read_row(b, v));
    }
    b->terms->inputs = FIELDS_INPUTS + b->terms->neighbours;
    return SW_OK;
}

enum sw_status fields_terms_create(const struct fields_text *text, struct fields_terms **terms,
                                   struct fields_error *err)
{
    struct builder b = {.text = text, .names = {.dimensions = text->dimensions, .numbers = text->run->count},
                        .err = &err->error};
    const char **number = NULL;
    enum sw_status st;
    *terms = NULL;
    *err = (struct fields_error){0};
    SW_TRY_TO(done, st, sw_alloc(1, &b.terms));
    SW_TRY_TO(done, st, sw_alloc((size_t)text->run->count + 1, &number));
    for (int k = 0; k < text->run->count; k++) number[k] = text->run->symbol[k].name;
    b.names.number = number;
    SW_TRY_TO(done, st, read_all(&b, err));
    *terms = b.terms;
    b.terms = NULL;
done:
    fields_terms_destroy(&b.terms);
    sw_free(b.neighbour);
    sw_free(number);
    return st;
}

static void free_row(struct fields_row *row)
{
    sw_free(row->constant);
    sw_free(row->varying);
    sw_program_destroy(&row->rhs);
    sw_program_destroy(&row->linear.a0);
    sw_program_destroy(&row->linear.all);
    for (int axis = 0; axis < SW_DIMS; axis++) {
        sw_program_destroy(&row->linear.a2[axis]);
        sw_program_destroy(&row->linear.a4[axis]);
        sw_program_destroy(&row->linear.a6[axis]);
        sw_program_destroy(&row->frozen.a1[axis]);
        sw_program_destroy(&row->frozen.a2[axis]);
        sw_program_destroy(&row->frozen.a3[axis]);
        sw_program_destroy(&row->frozen.a4[axis]);
        sw_program_destroy(&row->frozen.cross[axis]);
    }
    for (int w = 0; w < SW_UNKNOWNS_MOST; w++) sw_program_destroy(&row->frozen.a2_of[w]);
}

void fields_terms_destroy(struct fields_terms **terms)
{
    if (!terms || !*terms) return;
    for (int v = 0; v < SW_UNKNOWNS_MOST; v++) free_row(&(*terms)->row[v]);
    sw_free((*terms)->neighbour);
    sw_free(*terms);
    *terms = NULL;
}

int fields_terms_reach(const struct fields_terms *terms, int unknown, int axis)
{
    int reach = 0;
    for (int k = 0; k < terms->neighbours; k++) {
        const struct fields_neighbour *n = &terms->neighbour[k];
        if (n->unknown == unknown && abs(n->offset[axis]) > reach) reach = abs(n->offset[axis]);
    }
    return reach;
}

enum sw_status fields_open_flux(const char *text, int dimensions, int axis, int *column)
{
    struct sw_expr *expr = NULL;
    struct sw_expr_error err;
    enum sw_status st = sw_expr_parse_fields(text, dimensions, &expr, &err);
    if (!st) st = expr_open_flux(expr, expr->root, axis, column);
    sw_expr_destroy(&expr);
    return st;
}
