#include <string.h>

#include "base/sw_mem.h"
#include "expr/expr_impl.h"

int tree_add(struct sw_expr *expr, const struct node *node)
{
    if (expr->count == expr->room) {
        int room = expr->room ? 2 * expr->room : 16;
        if (sw_resize((size_t)expr->room, (size_t)room, &expr->node)) return -1;
        expr->room = room;
    }
    expr->node[expr->count] = *node;
    return expr->count++;
}

int tree_name(struct sw_expr *expr, const char *name, size_t length)
{
    for (int k = 0; k < expr->name_count; k++)
        if (!strncmp(expr->names[k], name, length) && !expr->names[k][length]) return k;
    if (expr->name_count == expr->name_room) {
        int room = expr->name_room ? 2 * expr->name_room : 8;
        if (sw_resize((size_t)expr->name_room, (size_t)room, &expr->names)) return -1;
        expr->name_room = room;
    }
    memcpy(expr->names[expr->name_count], name, length);
    expr->names[expr->name_count][length] = 0;
    return expr->name_count++;
}

void sw_expr_destroy(struct sw_expr **expr)
{
    if (!expr || !*expr) return;
    sw_free((*expr)->node);
    sw_free((*expr)->names);
    sw_free(*expr);
    *expr = NULL;
}

enum sw_status tree_prune(struct sw_expr *expr)
{
    int *place, kept = 0;
    SW_TRY(sw_alloc((size_t)expr->count, &place));
    place[expr->root] = 1;  /* first pass: which are used; second: where they go */
    for (int k = expr->root; k >= 0; k--)
        for (int j = 0; place[k] && j < op_table[expr->node[k].op].operands; j++) place[expr->node[k].child[j]] = 1;
    for (int k = 0; k <= expr->root; k++) {
        if (!place[k]) continue;
        struct node node = expr->node[k];
        for (int j = 0; j < op_table[node.op].operands; j++) node.child[j] = place[node.child[j]];
        place[k] = kept;
        expr->node[kept++] = node;
    }
    expr->count = kept;
    expr->root = kept - 1;
    sw_free(place);
    return SW_OK;
}

enum sw_status tree_append(struct sw_expr *to, const struct sw_expr *from, int *root)
{
    const int first = to->count;
    for (int k = 0; k <= from->root; k++) {
        struct node node = from->node[k];
        const char *name = node.op == OP_NAME ? from->names[node.name] : NULL;
        if (name && (node.name = tree_name(to, name, strlen(name))) < 0) return SW_E_MEMORY;
        for (int j = 0; j < op_table[node.op].operands; j++) node.child[j] += first;
        if (tree_add(to, &node) < 0) return SW_E_MEMORY;
    }
    *root = first + from->root;
    return SW_OK;
}

enum sw_status tree_part(const struct sw_expr *expr, int k, struct sw_expr **part)
{
    enum sw_status st;
    int first = k;
    for (int j = k; j >= first; j--)
        for (int i = 0; i < op_table[expr->node[j].op].operands; i++)
            if (expr->node[j].child[i] < first) first = expr->node[j].child[i];
    *part = NULL;
    SW_TRY(sw_alloc(1, part));
    for (int j = first; j <= k; j++) {
        struct node node = expr->node[j];
        const char *name = node.op == OP_NAME ? expr->names[node.name] : NULL;
        st = SW_E_MEMORY;
        if (name && (node.name = tree_name(*part, name, strlen(name))) < 0) goto failed;
        for (int i = 0; i < op_table[node.op].operands; i++) node.child[i] -= first;
        if (tree_add(*part, &node) < 0) goto failed;
    }
    (*part)->root = k - first;
    SW_TRY_TO(failed, st, tree_prune(*part));
    return SW_OK;
failed:
    sw_expr_destroy(part);
    return st;
}

enum sw_status sw_expr_sum(const struct sw_expr *a, const struct sw_expr *b, struct sw_expr **sum)
{
    enum sw_status st;
    struct node add = {.op = OP_ADD, .child = {-1, -1, -1}};
    *sum = NULL;
    SW_TRY(sw_alloc(1, sum));
    SW_TRY_TO(failed, st, tree_append(*sum, a, &add.child[0]));
    SW_TRY_TO(failed, st, tree_append(*sum, b, &add.child[1]));
    (*sum)->root = tree_add(*sum, &add);
    st = (*sum)->root < 0 ? SW_E_MEMORY : SW_OK;
failed:
    if (st) sw_expr_destroy(sum);
    return st;
}

enum sw_status sw_expr_put(const struct sw_expr *expr, const char *name, double value, struct sw_expr **out)
{
    *out = NULL;
    SW_TRY(sw_alloc(1, out));
    const enum sw_status st = tree_append(*out, expr, &(*out)->root);
    if (st) sw_expr_destroy(out);
    for (int k = 0; !st && k < (*out)->count; k++) {
        struct node *node = &(*out)->node[k];
        if (node->op != OP_NAME || strcmp((*out)->names[node->name], name)) continue;
        node->op = OP_NUMBER;
        node->value = value;
    }
    return st;
}

void sw_expr_names(const struct sw_expr *expr, void (*visit)(void *user, const char *name, int column), void *user)
{
    for (int k = 0; k < expr->count; k++)
        if (expr->node[k].op == OP_NAME) visit(user, expr->names[expr->node[k].name], expr->node[k].column);
}

bool sw_expr_is_random(const struct sw_expr *expr)
{
    for (int k = 0; k < expr->count; k++)
        if (op_is_random(expr->node[k].op)) return true;
    return false;
}

void number_orders(int dimensions, struct derivative_orders *orders)
{
    const int highest = dimensions > 1 ? HIGHEST_ORDER : HIGHEST_ON_LINES;
    *orders = (struct derivative_orders){0};
    for (int k = 0; k <= HIGHEST_ORDER; k++)
        for (int j = 0; j <= HIGHEST_ORDER; j++)
            for (int i = 0; i <= HIGHEST_ORDER; i++) {
                const bool there = i + j + k <= highest && (dimensions > 1 || !j) && (dimensions > 2 || !k);
                orders->number[i][j][k] = there ? orders->count : -1;
                if (there) memcpy(orders->order[orders->count++], (int[3]){i, j, k}, sizeof orders->order[0]);
            }
}

static int shifted(const struct derivative_orders *orders, int number, int axis, int by)
{
    int order[3];
    memcpy(order, orders->order[number], sizeof order);
    order[axis] += by;
    return order[axis] < 0 || order[axis] > HIGHEST_ORDER ? -1 : orders->number[order[0]][order[1]][order[2]];
}

int orders_after(const struct derivative_orders *orders, int number, enum operation derivative)
{
    return shifted(orders, number, op_axis(derivative), op_derivative(derivative));
}

int orders_before(const struct derivative_orders *orders, int number, enum operation derivative)
{
    return shifted(orders, number, op_axis(derivative), -op_derivative(derivative));
}
