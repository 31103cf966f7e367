#include <math.h>
#include <stdlib.h>

#include "base/sw_mem.h"
#include "expr/expr_impl.h"

/* What is still to be written: a piece of text, or a node that must bind at least as tightly as its place asks. */
struct item { const char *text; int node; enum precedence least; };
struct work { struct item *item; int count, room; struct sw_text *out; };

static void push(struct work *w, struct item item)
{
    if (w->count == w->room) {
        int room = w->room ? 2 * w->room : 64;
        if (sw_resize((size_t)w->room, (size_t)room, &w->item)) { w->out->failed = 1; return; }
        w->room = room;
    }
    w->item[w->count++] = item;
}

static void push_text(struct work *w, const char *text) { push(w, (struct item){.text = text}); }

static void push_node(struct work *w, int node, enum precedence least)
{
    push(w, (struct item){.node = node, .least = least});
}

static void print_number(struct sw_text *out, double value)
{
    char digits[32];
    if (value == M_PI) { sw_text_add(out, "pi"); return; }
    if (value == M_E) { sw_text_add(out, "e"); return; }
    sw_text_add(out, sw_number(value, digits));
}

/* Pieces are pushed last first. */
static void push_binary(struct work *w, const struct node *node, const struct op_row *row)
{
    bool compares = row->binds == BINDS_ORDER || row->binds == BINDS_EQUAL;  /* these do not chain */
    bool tight = row->binds >= BINDS_PRODUCT;
    push_node(w, node->child[1], row->binds == BINDS_POWER ? BINDS_UNARY : row->binds + 1);
    push_text(w, tight ? "" : " ");
    push_text(w, row->written);
    push_text(w, tight ? "" : " ");
    push_node(w, node->child[0], row->binds == BINDS_POWER ? BINDS_CALL : compares ? row->binds + 1 : row->binds);
}

/* min(min(a, b), c) is written min(a, b, c), which parses to the same. */
static void push_call(struct work *w, const struct sw_expr *expr, const struct node *node, const struct op_row *row)
{
    enum operation op = node->op;
    push_text(w, ")");
    for (int k = row->operands - 1; k > 0; k--) {
        push_node(w, node->child[k], BINDS_CHOICE);
        push_text(w, ", ");
    }
    for (; (op == OP_MIN || op == OP_MAX) && expr->node[node->child[0]].op == op; push_text(w, ", ")) {
        node = &expr->node[node->child[0]];
        push_node(w, node->child[1], BINDS_CHOICE);
    }
    push_node(w, node->child[0], BINDS_CHOICE);
    push_text(w, "(");
    push_text(w, row->written);
}

static void push_choice(struct work *w, const struct node *node)
{
    push_node(w, node->child[2], BINDS_CHOICE);
    push_text(w, " : ");
    push_node(w, node->child[1], BINDS_CHOICE);
    push_text(w, " ? ");
    push_node(w, node->child[0], BINDS_OR);
}

static void expand(struct work *w, const struct sw_expr *expr, struct item item)
{
    const struct node *node = &expr->node[item.node];
    const struct op_row *row = &op_table[node->op];
    bool inside = row->binds < item.least;
    if (inside) push_text(w, ")");
    switch (row->binds) {
    case BINDS_CALL:
        if (node->op == OP_NUMBER) print_number(w->out, node->value);
        else if (node->op == OP_NAME) push_text(w, expr->names[node->name]);
        else push_call(w, expr, node, row);
        break;
    case BINDS_CHOICE: push_choice(w, node); break;
    case BINDS_UNARY: push_node(w, node->child[0], BINDS_UNARY); push_text(w, row->written); break;
    default: push_binary(w, node, row);
    }
    if (inside) push_text(w, "(");
}

void sw_expr_print(const struct sw_expr *expr, struct sw_text *text)
{
    struct work w = {.out = text};
    push_node(&w, expr->root, BINDS_CHOICE);
    while (w.count > 0 && !text->failed) {
        struct item item = w.item[--w.count];
        if (item.text) sw_text_add(text, item.text);
        else expand(&w, expr, item);
    }
    sw_free(w.item);
}

/* ------------------------------------------------------------------ sums, for people */

struct summand { int node; bool minus; };

/* A derivative as its name and the summands of what it is of: four deep at most. */
static void print_term(struct sw_expr *part, struct sw_text *term)
{
    const struct node *node = &part->node[part->root];
    if (!op_derivative(node->op)) {
        sw_expr_print(part, term);
        return;
    }
    sw_text_printf(term, "%s(", op_table[node->op].written);
    part->root = node->child[0];
    term->failed |= expr_print_sum(part, term) != SW_OK;
    sw_text_add(term, ")");
}

static void print_summand(const struct sw_expr *expr, struct summand s, bool first, struct sw_text *text)
{
    struct sw_expr part = *expr;
    struct sw_text term = {0};
    part.root = s.node;
    print_term(&part, &term);
    const char *shown = sw_text_get(&term);
    const bool inside = op_table[expr->node[s.node].op].binds < BINDS_SUM;
    if (*shown == '-') {  /* of the first factor */
        s.minus = !s.minus;
        shown++;
    }
    sw_text_add(text, first ? (s.minus ? "-" : "") : s.minus ? " - " : " + ");
    sw_text_printf(text, inside ? "(%s)" : "%s", shown);
    text->failed |= term.failed;
    sw_text_free(&term);
}

enum sw_status expr_print_sum(const struct sw_expr *expr, struct sw_text *text)
{
    struct summand *stack;
    int count = 0;
    const size_t before = text->length;
    SW_TRY(sw_alloc((size_t)expr->count + 1, &stack));
    stack[count++] = (struct summand){expr->root, false};
    while (count > 0) {
        const struct summand s = stack[--count];
        const struct node *node = &expr->node[s.node];
        if (node->op == OP_ADD || node->op == OP_SUB)
            stack[count++] = (struct summand){node->child[1], s.minus != (node->op == OP_SUB)};
        if (node->op == OP_ADD || node->op == OP_SUB || node->op == OP_NEG)
            stack[count++] = (struct summand){node->child[0], s.minus != (node->op == OP_NEG)};
        else
            print_summand(expr, s, text->length == before, text);
    }
    sw_free(stack);
    return sw_text_status(text);
}
