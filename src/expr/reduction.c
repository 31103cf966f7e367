/* Reductions are taken out of the text before it is parsed: the argument of each is parsed by itself, in a text that
 * has blanks around it; in the rest a name for its result stands in its place, and blanks up to its end. So every
 * column of an error is that of the user's text, and neither parser nor compiler know reductions. */
#include "expr/sw_reduction.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_nearest_name.h"
#include "expr/lex.h"

enum { RESULT_NAME = 8 };  /* "_31": with its end; no longer than a reduction's text, "min(u)" */

struct builder {
    const struct sw_reduction_scope *scope;
    struct sw_reduction  *r;
    const char           *text;
    size_t                length;    /* of the text                                                   */
    struct token         *token;     /* of the whole text, T_END last                                 */
    struct sw_symbol     *symbol;    /* of points, then the time, numbers of the run and results      */
    int                   at_points; /* the first of these                                            */
    int                   symbols;
    char                  result[SW_REDUCTIONS_MOST][RESULT_NAME];
    struct sw_expr_error *err;
};

/* ------------------------------------------------------------------ tokens */

static bool is_name(const struct token *t, const char *name)
{
    return t->kind == T_NAME && t->bytes == strlen(name) && !memcmp(t->begin, name, t->bytes);
}

/* The ')' that closes the '(' at `open`, 0: there is none. @param commas  out: between them, of no inner parentheses */
static int find_end(const struct builder *b, int open, int *commas)
{
    int depth = 0;
    *commas = 0;
    for (int k = open; b->token[k].kind != T_END; k++) {
        if (b->token[k].kind == T_LEFT) depth++;
        if (b->token[k].kind == T_COMMA && depth == 1) ++*commas;
        if (b->token[k].kind == T_RIGHT && --depth == 0) return k;
    }
    return 0;
}

/* Whether a reduction begins at token k. @param end  out: its ')' */
static enum sw_status find_reduction(const struct builder *b, int k, enum sw_reduction_kind *kind, int *end)
{
    const struct token *t = &b->token[k];
    int commas;
    for (*kind = 0; *kind < SW_REDUCTION_KINDS && !is_name(t, sw_reduction_kinds[*kind].name);) ++*kind;
    *end = 0;
    if (*kind == SW_REDUCTION_KINDS || t[1].kind != T_LEFT) return SW_OK;
    const bool function = *kind == SW_REDUCTION_MIN || *kind == SW_REDUCTION_MAX;
    if (!(*end = find_end(b, k + 1, &commas)))
        return function ? SW_OK : expr_refuse(b->err, t[1].column, 1, "", "'(' without ')'");
    if (function && commas) *end = 0;
    else if (commas || *end == k + 2)
        return expr_refuse(b->err, t->column, t->length, "", "%s takes 1 argument, not %d",
                           sw_reduction_kinds[*kind].name, *end == k + 2 ? 0 : commas + 1);
    return SW_OK;
}

static size_t place_of(const struct builder *b, int k) { return (size_t)(b->token[k].begin - b->text); }

/* ------------------------------------------------------------------ parts of the text */

static bool is_in_name(char c) { return c == '_' || isalnum((unsigned char)c); }

/* A name in a message, NULL: it is not there. */
static char *find_name(char *text, const char *name)
{
    for (char *at = strstr(text, name); at; at = strstr(at + 1, name))
        if (!is_in_name(at[strlen(name)]) && (at == text || !is_in_name(at[-1]))) return at;
    return NULL;
}

/* The parser knows functions only. */
static void add_reductions_to_hint(struct sw_expr_error *err)
{
    const char *name[SW_REDUCTION_KINDS], *near;
    char word[NAME_LONGEST + 1], hint[sizeof err->hint];
    int at = 0;
    if (strstr(err->hint, "reductions:") || sscanf(err->text, "unknown function '%63[^']", word) != 1) return;
    for (int k = 0; k < SW_REDUCTION_KINDS; k++) name[k] = sw_reduction_kinds[k].name;
    near = sw_nearest_name(word, name, SW_REDUCTION_KINDS);
    if (near) at = snprintf(hint, sizeof hint, "did you mean '%s'? ", near);
    at += snprintf(hint + at, sizeof hint - (size_t)at, "reductions:");
    for (int k = 0; k < SW_REDUCTION_KINDS; k++)
        at += snprintf(hint + at, sizeof hint - (size_t)at, " %s", sw_reduction_kinds[k].name);
    if (!near) snprintf(hint + at, sizeof hint - (size_t)at, "; functions %s", err->hint);
    memcpy(err->hint, hint, sizeof hint);
}

/* Names of results are for the parser: in messages stands what the user wrote. */
static void restore_names(const struct builder *b)
{
    char whole[sizeof b->err->text], *at;
    add_reductions_to_hint(b->err);
    for (int k = 0; k < b->r->count; k++) {
        const char *name = b->result[k];
        if ((at = find_name(b->err->text, name))) {
            snprintf(whole, sizeof whole, "%.*s%s(...)%s", (int)(at - b->err->text), b->err->text,
                     sw_reduction_kinds[b->r->reduced[k].kind].name, at + strlen(name));
            memcpy(b->err->text, whole, sizeof whole);
        }
        if ((at = find_name(b->err->hint, name)) && at > b->err->hint && at[-1] == ' ')
            memmove(at - 1, at + strlen(name), strlen(at + strlen(name)) + 1);
    }
}

static enum sw_status compile_tree(const struct builder *b, const struct sw_expr *expr, int first,
                                   struct sw_program **program)
{
    const struct sw_scope scope = {.symbol = b->symbol + first, .count = b->symbols - first};
    return sw_program_compile(expr, &scope, program, b->err);
}

/* The first derivative in a tree, NULL: there is none. */
static const struct node *find_derivative(const struct sw_expr *expr)
{
    for (int k = 0; k < expr->count; k++)
        if (op_derivative(expr->node[k].op)) return &expr->node[k];
    return NULL;
}

/* ------------------------------------------------------------------ arguments */

struct name_check { struct builder *b; enum sw_status status; };

/* A name that no argument knows. Hints then list no neighbours, which have no names for users. */
static void check_name(void *user, const char *name, int column)
{
    struct name_check *c = user;
    const struct builder *b = c->b;
    for (int k = 0; k < b->symbols; k++)
        if (!strcmp(b->symbol[k].name, name)) return;
    if (c->status) return;
    char *text;
    struct sw_expr *expr = NULL;
    struct sw_program *program = NULL;
    c->status = sw_alloc((size_t)column + strlen(name) + 1, &text);
    if (c->status) return;
    memset(text, ' ', (size_t)column);
    memcpy(text + column - 1, name, strlen(name) + 1);
    c->status = sw_expr_parse(text, &expr, b->err);
    if (!c->status) c->status = compile_tree(b, expr, 0, &program);
    sw_program_destroy(&program);
    sw_expr_destroy(&expr);
    sw_free(text);
}

/* A tree of differences knows neighbours and numbers of the grid, too. */
static enum sw_status compile_differences(const struct builder *b, const struct sw_expr *expr,
                                          struct sw_program **program)
{
    const struct sw_reduction_scope *s = b->scope;
    struct { char name[SW_UNKNOWNS_MOST][SW_NEIGHBOURS][SW_NEIGHBOUR_ROOM]; } *neighbour = NULL;
    struct sw_symbol *symbol = NULL;
    int n = 0;
    enum sw_status st = sw_alloc(1, &neighbour);
    if (!st) st = sw_alloc((size_t)(s->unknowns * SW_NEIGHBOURS + SW_GRID_NUMBERS + b->symbols), &symbol);
    for (int u = 0; u < s->unknowns && !st; u++)
        for (int offset = -SW_REACH; offset <= SW_REACH; offset++) {
            char *name = neighbour->name[u][SW_REACH + offset];
            sw_neighbour_name(name, s->unknown[u], offset);
            symbol[n++] = (struct sw_symbol){name, SW_RATE_POINT, sw_input_at(u, offset)};
        }
    for (int k = 0; k < SW_GRID_NUMBERS && !st; k++)
        symbol[n++] = (struct sw_symbol){sw_grid_number_name(k), SW_RATE_RUN, s->own + k};
    for (int k = 0; k < b->symbols && !st; k++) symbol[n++] = b->symbol[k];
    if (!st) st = sw_program_compile(expr, &(struct sw_scope){.symbol = symbol, .count = n}, program, b->err);
    sw_free(symbol);
    sw_free(neighbour);
    return st;
}

/* What a tree of differences on a grid of more dimensions takes in. */
struct neighbours {
    const struct builder *b;
    struct sw_reduced    *part;
    struct sw_symbol     *symbol;  /* first those of part->neighbour; their names live as long as the tree */
    enum sw_status        status;
};

/* A name in differences that may be that of a neighbour. */
static void add_neighbour(void *user, const char *name, int column)
{
    struct neighbours *n = user;
    const struct sw_reduction_scope *s = n->b->scope;
    const size_t count = (size_t)n->part->neighbours;
    struct sw_reduced_neighbour found = {.unknown = -1};
    (void)column;
    for (size_t k = 0; k < count; k++)
        if (!strcmp(n->symbol[k].name, name)) return;
    for (int k = 0; k < s->unknowns && found.unknown < 0; k++)
        if (sw_grid_neighbour(name, s->unknown[k], found.offset)) found.unknown = k;
    if (found.unknown < 0 || n->status) return;
    n->status = sw_resize(count, count + 1, &n->part->neighbour);
    if (!n->status) n->status = sw_resize(count, count + 1, &n->symbol);
    if (n->status) return;
    n->symbol[count] = (struct sw_symbol){name, SW_RATE_POINT, SW_INPUTS + (int)count};
    n->part->neighbour[n->part->neighbours++] = found;
}

static enum sw_status compile_grid_differences(const struct builder *b, const struct sw_expr *expr,
                                               struct sw_reduced *part)
{
    const int numbers = b->r->axes * SW_GRID_NUMBERS;
    struct neighbours n = {.b = b, .part = part};
    sw_expr_names(expr, add_neighbour, &n);
    size_t count = (size_t)part->neighbours;
    if (!n.status) n.status = sw_resize(count, count + (size_t)(numbers + b->symbols), &n.symbol);
    for (int k = 0; k < numbers && !n.status; k++)
        n.symbol[count++] = (struct sw_symbol){sw_grid_number_name(k), SW_RATE_RUN, b->scope->own + k};
    for (int k = 0; k < b->symbols && !n.status; k++) n.symbol[count++] = b->symbol[k];
    const struct sw_scope scope = {.symbol = n.symbol, .count = (int)count};
    if (!n.status) n.status = sw_program_compile(expr, &scope, &part->argument, b->err);
    sw_free(n.symbol);
    return n.status;
}

/* As the text has it: lap, where the tree has dxx. */
static const struct token *word_of(const struct builder *b, const struct node *node)
{
    int k = 0;
    while (b->token[k].kind != T_END && b->token[k].column != node->column) k++;
    return &b->token[k];
}

static enum sw_status differentiate(struct builder *b, struct sw_reduced *part, const struct node *derivative)
{
    const struct sw_reduction_scope *s = b->scope;
    const struct token *word = word_of(b, derivative);
    struct name_check names = {b, SW_OK};
    struct sw_expr *differences = NULL;
    enum sw_status st;
    int reach[SW_GRID_AXES];
    if (!s->derivatives)
        return expr_refuse(b->err, derivative->column, derivative->length,
                           "of equations on lines and in fields they are differences of neighbours",
                           "%.*s() is not known in scalars of this problem", (int)word->bytes, word->begin);
    sw_expr_names(part->expr, check_name, &names);
    SW_TRY(names.status);
    if (s->derivatives == 1) {
        SW_TRY(sw_expr_differences(part->expr, s->unknown, s->unknowns, 2, NULL, &part->reach, &differences, b->err));
        st = compile_differences(b, differences, &part->argument);
    } else {
        SW_TRY(sw_grid_differences(part->expr, s->derivatives, s->unknown, s->unknowns, 2, NULL, reach, &differences,
                                   b->err));
        st = compile_grid_differences(b, differences, part);
    }
    sw_expr_destroy(&differences);
    return st;
}

/* Where there are no derivatives those of lines are known, to be refused. */
static enum sw_status parse(const struct builder *b, const char *text, struct sw_expr **expr)
{
    return sw_expr_parse_fields(text, b->scope->derivatives > 1 ? b->scope->derivatives : 1, expr, b->err);
}

static enum sw_status compile_argument(struct builder *b, const char *text, struct sw_reduced *part)
{
    enum sw_status st = parse(b, text, &part->expr);
    const struct node *derivative = st ? NULL : find_derivative(part->expr);
    if (!st) st = derivative ? differentiate(b, part, derivative) : compile_tree(b, part->expr, 0, &part->argument);
    if (st == SW_E_CONFIG) restore_names(b);
    return st;
}

/* ------------------------------------------------------------------ the rest */

struct outside { const struct builder *b; enum sw_status status; };

/* A name that only reductions know, outside of them. */
static void check_outside(void *user, const char *name, int column)
{
    struct outside *o = user;
    const struct builder *b = o->b;
    char hint[200];
    for (int k = 0; k < b->at_points && !o->status; k++) {
        const bool field = b->symbol[k].rate == SW_RATE_POINT;
        if (strcmp(b->symbol[k].name, name)) continue;
        if (field) snprintf(hint, sizeof hint, "one of mean(%s) min(%s) max(%s) integral(%s) crossings(%s), or of an "
                            "expression in %s", name, name, name, name, name, name);
        else snprintf(hint, sizeof hint, "inside of mean, min, max, integral and crossings it is known");
        o->status = expr_refuse(b->err, column, (int)strlen(name), hint, "'%s' is %s, of which a scalar is one number",
                                name, field ? "a field" : "a coordinate");
    }
}

/* ------------------------------------------------------------------ taking out */

static enum sw_status take_out(struct builder *b, char *text, int from, int to);

static void free_part(struct sw_reduced *part)
{
    sw_expr_destroy(&part->expr);
    sw_program_destroy(&part->argument);
    sw_free(part->neighbour);
}

/* The reduction of tokens first .. end, "mean ( ... )". */
static enum sw_status add_reduction(struct builder *b, char *text, enum sw_reduction_kind kind, int first, int end)
{
    const size_t begin = place_of(b, first), after = place_of(b, end) + 1;
    struct sw_reduced part = {.kind = kind};
    char *argument = NULL;
    SW_TRY(sw_alloc(b->length + 1, &argument));
    memset(argument, ' ', b->length);
    for (int k = first + 2; k < end; k++)
        memcpy(argument + place_of(b, k), b->token[k].begin, b->token[k].bytes);
    enum sw_status st = take_out(b, argument, first + 2, end);
    if (!st) st = compile_argument(b, argument, &part);
    sw_free(argument);
    if (st) {
        free_part(&part);
        return st;
    }
    const int k = b->r->count++;
    b->r->reduced[k] = part;
    snprintf(b->result[k], RESULT_NAME, "_%d", k);
    memset(text + begin, ' ', after - begin);
    memcpy(text + begin, b->result[k], strlen(b->result[k]));
    b->symbol[b->symbols++] = (struct sw_symbol){b->result[k], SW_RATE_RUN, b->r->first_result + k};
    return SW_OK;
}

/* Take the reductions among tokens from .. to-1 out of a text that has them. An argument with reductions of its own is
 * a call within this one: check_count() has seen to it that these are few. */
static enum sw_status take_out(struct builder *b, char *text, int from, int to)
{
    for (int k = from, end; k < to; k = end ? end + 1 : k + 1) {
        enum sw_reduction_kind kind;
        SW_TRY(find_reduction(b, k, &kind, &end));
        if (end) SW_TRY(add_reduction(b, text, kind, k, end));
    }
    return SW_OK;
}

static enum sw_status check_count(const struct builder *b)
{
    int reductions = 0, end;
    enum sw_reduction_kind kind;
    for (int k = 0; b->token[k].kind != T_END; k++) {
        SW_TRY(find_reduction(b, k, &kind, &end));
        if (end && ++reductions > SW_REDUCTIONS_MOST)
            return expr_refuse(b->err, b->token[k].column, b->token[k].length, "split it into several scalars",
                               "more than %d reductions", SW_REDUCTIONS_MOST);
    }
    return SW_OK;
}

/* ------------------------------------------------------------------ the whole */

static enum sw_status read_tokens(struct builder *b, const char *text)
{
    struct lexer lexer = {text, 1, b->err};
    size_t count = 0;
    b->text = text;
    b->length = strlen(text);
    if (b->length > TEXT_LONGEST)
        return expr_refuse(b->err, 0, 1, "split it into several scalars",
                           "expression of %zu characters, at most %d are allowed", b->length, TEXT_LONGEST);
    SW_TRY(sw_alloc(b->length + 2, &b->token));
    do {
        struct token *t = &b->token[count];
        SW_TRY(lex(&lexer, t));
        if (t->kind == T_NAME && t->begin[0] == '_' && t->bytes > 1 && t->begin[1] >= '0' && t->begin[1] <= '9')
            return expr_refuse(b->err, t->column, t->length, "give it another name",
                               "a name of an underscore and a digit cannot be used here");
    } while (b->token[count++].kind != T_END);
    return SW_OK;
}

static enum sw_status make_symbols(struct builder *b)
{
    static const struct { const char *name; enum sw_input slot; } coordinate[] = {
        {"x", SW_IN_X}, {"y", SW_IN_Y}, {"z", SW_IN_Z}};
    const struct sw_reduction_scope *s = b->scope;
    SW_TRY(sw_alloc((size_t)(s->unknowns + s->dimensions + 1 + s->run->count + SW_REDUCTIONS_MOST), &b->symbol));
    for (int k = 0; k < s->unknowns; k++)
        b->symbol[b->symbols++] = (struct sw_symbol){s->unknown[k], SW_RATE_POINT, sw_input_at(k, 0)};
    for (int d = 0; d < s->dimensions; d++)
        b->symbol[b->symbols++] = (struct sw_symbol){coordinate[d].name, SW_RATE_CELL, coordinate[d].slot};
    b->at_points = b->symbols;
    b->symbol[b->symbols++] = (struct sw_symbol){"t", SW_RATE_STEP, 0};
    for (int k = 0; k < s->run->count; k++) b->symbol[b->symbols++] = s->run->symbol[k];
    return SW_OK;
}

/* What is left when reductions have been taken out. */
static enum sw_status compile_rest(struct builder *b, const char *text)
{
    struct outside outside = {.b = b};
    SW_TRY(parse(b, text, &b->r->expr));
    sw_expr_names(b->r->expr, check_outside, &outside);
    SW_TRY(outside.status);
    const struct node *derivative = find_derivative(b->r->expr);
    if (derivative)
        return expr_refuse(b->err, derivative->column, derivative->length, "inside of a reduction fields have them, as "
                           "in mean(dx(u)^2)", "%.*s() of what is one number",
                           (int)word_of(b, derivative)->bytes, word_of(b, derivative)->begin);
    if (!b->scope->passes_nan) return compile_tree(b, b->r->expr, b->at_points, &b->r->value);
    struct sw_expr *passing = NULL;
    SW_TRY(sw_expr_pass_nan(b->r->expr, &passing));
    const enum sw_status st = compile_tree(b, passing, b->at_points, &b->r->value);
    sw_expr_destroy(&passing);
    return st;
}

static enum sw_status compile_whole(struct builder *b, const char *text)
{
    char *rest = NULL;
    int tokens = 0;
    while (b->token[tokens].kind != T_END) tokens++;
    SW_TRY(check_count(b));
    if (!(rest = sw_strdup(text))) return SW_FAIL(SW_E_MEMORY, "no memory for an expression");
    enum sw_status st = take_out(b, rest, 0, tokens);
    if (!st) st = compile_rest(b, rest);
    if (st == SW_E_CONFIG) restore_names(b);
    sw_free(rest);
    return st;
}

enum sw_status sw_reduction_compile(const char *text, const struct sw_reduction_scope *scope,
                                    struct sw_reduction **reduction, struct sw_expr_error *err)
{
    struct builder b = {.scope = scope, .err = err};
    *reduction = NULL;
    *err = (struct sw_expr_error){0};
    SW_TRY(sw_alloc(1, &b.r));
    b.r->own = scope->own;
    b.r->axes = scope->derivatives > 1 ? scope->derivatives : 1;
    b.r->first_result = scope->own + b.r->axes * SW_GRID_NUMBERS;
    enum sw_status st = read_tokens(&b, text);
    if (!st) st = make_symbols(&b);
    if (!st) st = compile_whole(&b, text);
    sw_free(b.token);
    sw_free(b.symbol);
    if (st) sw_reduction_destroy(&b.r);
    *reduction = b.r;
    return st;
}

void sw_reduction_destroy(struct sw_reduction **reduction)
{
    struct sw_reduction *r = reduction ? *reduction : NULL;
    if (!r) return;
    for (int k = 0; k < r->count; k++) free_part(&r->reduced[k]);
    sw_expr_destroy(&r->expr);
    sw_program_destroy(&r->value);
    sw_free(r);
    *reduction = NULL;
}

void sw_reduction_names(const struct sw_reduction *r, void (*visit)(void *user, const char *name, int column),
                        void *user)
{
    for (int k = 0; k < r->count; k++) sw_expr_names(r->reduced[k].expr, visit, user);
    sw_expr_names(r->expr, visit, user);
}
