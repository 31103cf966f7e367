/* Tree to instructions: names are resolved, operations emitted and the result put in order (emit.c). */
#include <string.h>

#include "base/sw_mem.h"
#include "expr/emit.h"

struct compiler {
    const struct sw_expr  *expr;
    const struct sw_scope *scope;
    struct sw_expr_error  *err;
    struct emitter         emitter;
};

static int refuse_name(struct compiler *c, const struct node *node, const char *name)
{
    const char **names;
    char hint[400];
    int count = c->scope->count;
    if ((c->emitter.status = sw_alloc((size_t)count + 2, &names))) return -1;
    for (int k = 0; k < count; k++) names[k] = c->scope->symbol[k].name;
    names[count] = "pi";
    names[count + 1] = "e";
    expr_hint_names(hint, name, names, count + 2);
    sw_free(names);
    c->emitter.status = expr_refuse(c->err, node->column, node->length, hint, "unknown name '%s'", name);
    return -1;
}

static int symbol(struct compiler *c, const struct node *node)
{
    const char *name = c->expr->names[node->name];
    for (int k = 0; k < c->scope->count; k++) {
        const struct sw_symbol *s = &c->scope->symbol[k];
        const struct instruction in = {.op = OP_NAME, .operand = {-1, -1, -1}, .rate = s->rate, .slot = s->slot,
                                       .symbol = node->name};
        if (!strcmp(s->name, name)) return emit_instruction(&c->emitter, &in);
    }
    return refuse_name(c, node, name);
}

static int translate(struct compiler *c, const struct node *node, const int *place)
{
    int x[3] = {-1, -1, -1};
    if (node->op == OP_NUMBER) return emit_number(&c->emitter, node->value);
    if (node->op == OP_NAME) return symbol(c, node);
    if (op_is_random(node->op) && !c->scope->random) {
        c->emitter.status = expr_refuse(c->err, node->column, node->length,
                                        "random numbers belong to fields, as in initial",
                                        "%s cannot be used here", op_table[node->op].written);
        return -1;
    }
    if (op_derivative(node->op)) {
        c->emitter.status = expr_refuse(c->err, node->column, node->length,
                                        "it is a derivative of a field, of which an expression sees one point",
                                        "%s() means something only in rhs, implicit and output.scalars.define",
                                        op_table[node->op].written);
        return -1;
    }
    for (int k = 0; k < op_table[node->op].operands; k++) x[k] = place[node->child[k]];
    return emit(&c->emitter, node->op, x[0], x[1], x[2]);
}

static enum sw_status translate_all(struct compiler *c)
{
    int *place;
    SW_TRY(sw_alloc((size_t)c->expr->count, &place));
    for (int k = 0; k < c->expr->count && !c->emitter.status; k++) place[k] = translate(c, &c->expr->node[k], place);
    c->emitter.program->root = place[c->expr->root];
    sw_free(place);
    return c->emitter.status;
}

static enum sw_status copy_names(struct sw_program *program, const struct sw_expr *expr)
{
    SW_TRY(sw_alloc((size_t)expr->name_count, &program->names));
    program->name_count = expr->name_count;
    for (int k = 0; k < expr->name_count; k++) memcpy(program->names[k], expr->names[k], sizeof expr->names[k]);
    return SW_OK;
}

enum sw_status sw_program_compile(const struct sw_expr *expr, const struct sw_scope *scope, struct sw_program **program,
                                  struct sw_expr_error *err)
{
    struct compiler c = {.expr = expr, .scope = scope, .err = err};
    *program = NULL;
    *err = (struct sw_expr_error){0};
    SW_TRY(sw_alloc(1, &c.emitter.program));
    c.emitter.program->stream = scope->stream;
    enum sw_status st = copy_names(c.emitter.program, expr);
    if (!st) st = translate_all(&c);
    return emit_finish(&c.emitter, st, program);
}

/* ------------------------------------------------------------------ questions to a program */

enum sw_rate sw_program_rate(const struct sw_program *program) { return program->code[program->root].rate; }

bool sw_program_uses(const struct sw_program *program, const char *name)
{
    for (int k = 0; k < program->count; k++)
        if (program->code[k].op == OP_NAME && !strcmp(program->names[program->code[k].symbol], name)) return true;
    return false;
}

/* @param depends  [count] of each instruction, whether it depends on a symbol */
static bool is_gentle(const struct instruction *in, const bool *depends)
{
    switch (in->op) {
    case OP_NAME: case OP_NEG: case OP_ADD: case OP_SUB: case OP_MUL: case OP_SIN: case OP_COS: return true;
    case OP_DIV: return !depends[in->operand[1]];
    default: return false;
    }
}

bool sw_program_gentle_in(const struct sw_program *program, const char *name)
{
    bool *depends, gentle = true;
    if (sw_alloc((size_t)program->count, &depends)) return false;
    for (int k = 0; k < program->count; k++) {
        const struct instruction *in = &program->code[k];
        depends[k] = in->op == OP_NAME && !strcmp(program->names[in->symbol], name);
        for (int j = 0; j < op_table[in->op].operands; j++) depends[k] |= depends[in->operand[j]];
        gentle &= !depends[k] || is_gentle(in, depends);
    }
    sw_free(depends);
    return gentle;
}

bool sw_program_equal(const struct sw_program *a, const struct sw_program *b)
{
    bool equal = a->count == b->count && a->root == b->root && a->stream == b->stream;
    for (int k = 0; equal && k < a->count; k++) {
        const struct instruction *x = &a->code[k], *y = &b->code[k];
        equal = x->op == y->op && x->rate == y->rate && (x->op != OP_NUMBER || x->value == y->value) &&
                (x->op != OP_NAME || x->slot == y->slot);
        for (int j = 0; equal && j < op_table[x->op].operands; j++) equal = x->operand[j] == y->operand[j];
    }
    return equal;
}

bool sw_program_uses_input(const struct sw_program *program, enum sw_input slot)
{
    for (int k = 0; k < program->count; k++)
        if (program->code[k].op == OP_NAME && program->code[k].rate >= SW_RATE_CELL &&
            program->code[k].slot == (int)slot)
            return true;
    return false;
}

int sw_program_sign(const struct sw_program *program, int slot)
{
    const struct instruction *in = &program->code[program->root];
    const bool negative = in->op == OP_NEG;
    if (negative) in = &program->code[in->operand[0]];
    return in->op != OP_NAME || in->rate != SW_RATE_POINT || in->slot != slot ? 0 : negative ? -1 : 1;
}

enum { DEGREE_MOST = 1 << 20 };

static int degree_of(const struct instruction *in, int slot, const int *degree)
{
    const int a = in->operand[0] < 0 ? -1 : degree[in->operand[0]],
              b = in->operand[1] < 0 ? -1 : degree[in->operand[1]];
    if (in->rate <= SW_RATE_STEP) return 0;
    if (in->op == OP_NAME) return in->rate == SW_RATE_POINT && in->slot == slot ? 1 : -1;
    if (in->op == OP_NEG) return a;
    if (a < 0 || b < 0) return -1;
    if (in->op == OP_ADD || in->op == OP_SUB) return a > b ? a : b;
    if (in->op == OP_MUL) return a + b < DEGREE_MOST ? a + b : DEGREE_MOST;
    return in->op == OP_DIV && b == 0 ? a : -1;
}

int sw_program_degree(const struct sw_program *program, int slot)
{
    int *degree;
    if (sw_alloc((size_t)program->count, &degree)) return -1;
    for (int k = 0; k < program->count; k++) degree[k] = degree_of(&program->code[k], slot, degree);
    const int root = degree[program->root];
    sw_free(degree);
    return root;
}

bool sw_program_constant(const struct sw_program *program, double *value)
{
    const struct instruction *root = &program->code[program->root];
    if (root->op == OP_NUMBER) *value = root->value;
    return root->op == OP_NUMBER;
}

bool sw_program_is(const struct sw_program *program, double number)
{
    double value;
    return program && sw_program_constant(program, &value) && value == number;
}

struct sw_program_size sw_program_size(const struct sw_program *program)
{
    if (!program) return (struct sw_program_size){0};
    return (struct sw_program_size){.params = program->params, .run = program->kept[SW_RATE_RUN],
                                    .step = program->kept[SW_RATE_STEP], .cell = program->kept[SW_RATE_CELL],
                                    .point = program->operations};
}

int sw_program_instructions(const struct sw_program *program)
{
    enum { OF_EXP = 30 };
    int sum = 0;
    for (int k = program ? program->first[SW_RATE_POINT] : 0; program && k < program->count; k++) {
        const enum operation op = program->code[k].op;
        if (op_is_random(op) || (op_table[op].library && op != OP_EXP)) return -1;
        sum += op == OP_EXP ? OF_EXP : op_table[op].operands > 0;
    }
    return sum;
}
