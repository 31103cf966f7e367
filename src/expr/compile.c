/* Tree to instructions: names are resolved, constants folded, equal instructions made once. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "expr/expr_impl.h"

enum { POWER_LARGEST = 16 };  /* x^2 ... x^16 become products, at most 6 of them */

struct compiler {
    const struct sw_expr  *expr;
    const struct sw_scope *scope;
    struct sw_expr_error  *err;
    struct sw_program     *program;
    int  room, buckets;   /* buckets: a power of two, more than twice the instructions */
    int *bucket;          /* hash table of instruction indices plus one; 0: empty      */
    enum sw_status status;
};

/* ------------------------------------------------------------------ instructions, each made once */

static bool same(const struct instruction *a, const struct instruction *b)
{
    return a->op == b->op && a->slot == b->slot && a->symbol == b->symbol && !memcmp(&a->value, &b->value, sizeof a->value) &&
           !memcmp(a->operand, b->operand, sizeof a->operand);
}

static uint64_t hash(const struct instruction *in)
{
    uint64_t h = (uint64_t)in->op, bits;
    memcpy(&bits, &in->value, sizeof bits);
    const uint64_t part[] = {bits, (uint64_t)in->symbol, (uint64_t)in->operand[0], (uint64_t)in->operand[1],
                             (uint64_t)in->operand[2]};
    for (int k = 0; k < 5; k++) {
        h = (h ^ part[k]) * 0x9E3779B97F4A7C15u;  /* 2^64 over the golden ratio: spreads what differs in few bits */
        h ^= h >> 29;
    }
    return h;
}

static int *find(const struct compiler *c, const struct instruction *in)
{
    int at = (int)(hash(in) & (uint64_t)(c->buckets - 1));
    while (c->bucket[at] && !same(&c->program->code[c->bucket[at] - 1], in)) at = (at + 1) & (c->buckets - 1);
    return &c->bucket[at];
}

static enum sw_status grow(struct compiler *c)
{
    int room = c->room ? 2 * c->room : 32;
    SW_TRY(sw_resize((size_t)c->room, (size_t)room, &c->program->code));
    c->room = room;
    sw_free(c->bucket);
    c->buckets = 4 * room;
    SW_TRY(sw_alloc((size_t)c->buckets, &c->bucket));
    for (int k = 0; k < c->program->count; k++) *find(c, &c->program->code[k]) = k + 1;
    return SW_OK;
}

/* The index of an instruction equal to this one. -1: memory is out. */
static int instruct(struct compiler *c, const struct instruction *in)
{
    if (c->program->count == c->room && (c->status = grow(c))) return -1;
    int *place = find(c, in);
    if (!*place) {
        c->program->code[c->program->count] = *in;
        *place = ++c->program->count;
    }
    return *place - 1;
}

static int number(struct compiler *c, double value)
{
    return instruct(c, &(struct instruction){.op = OP_NUMBER, .operand = {-1, -1, -1}, .value = value});
}

static int operation(struct compiler *c, enum operation op, int x, int y, int z)
{
    struct instruction in = {.op = op, .operand = {x, y, z}, .rate = op_is_random(op) ? SW_RATE_POINT : SW_RATE_RUN};
    /* STEP and CELL together are POINT: the rates are bits */
    for (int k = 0; k < op_table[op].operands; k++) in.rate |= c->program->code[in.operand[k]].rate;
    return instruct(c, &in);
}

/* ------------------------------------------------------------------ simplification that keeps every bit */

static bool is_number(const struct compiler *c, int k, double *value)
{
    if (k < 0 || c->program->code[k].op != OP_NUMBER) return false;
    *value = c->program->code[k].value;
    return true;
}

static bool is_value(const struct compiler *c, int k, double wanted)
{
    double value;
    return is_number(c, k, &value) && value == wanted;
}

static bool fold(const struct compiler *c, enum operation op, const int x[3], double *value)
{
    double v[3] = {0, 0, 0};
    for (int k = 0; k < op_table[op].operands; k++)
        if (!is_number(c, x[k], &v[k])) return false;
    if (op_is_random(op)) return false;
    *value = op_value(op, v[0], v[1], v[2]);
    return true;
}

static int emit(struct compiler *c, enum operation op, int x, int y, int z);

/* x^exponent, exponent >= 1, by squaring from the highest bit down: x^13 = ((x² x)²)² x. */
static int multiply_out(struct compiler *c, int x, int exponent)
{
    int product = x, bit = 1;
    while (2 * bit <= exponent) bit *= 2;
    while ((bit /= 2) && product >= 0) {
        product = emit(c, OP_MUL, product, product, -1);
        if (product >= 0 && (exponent & bit)) product = emit(c, OP_MUL, product, x, -1);
    }
    return product;
}

static int power(struct compiler *c, int x, int y)
{
    double exponent;
    if (!is_number(c, y, &exponent) || exponent != floor(exponent) || fabs(exponent) > POWER_LARGEST)
        return operation(c, OP_POW, x, y, -1);
    if (exponent == 0) return number(c, 1);  /* also of nan, as pow() does */
    int product = multiply_out(c, x, (int)fabs(exponent));
    if (product < 0 || exponent > 0) return product;
    int one = number(c, 1);
    return one < 0 ? -1 : emit(c, OP_DIV, one, product, -1);
}

static bool commutes(enum operation op)
{
    return op == OP_ADD || op == OP_MUL || op == OP_EQ || op == OP_NE || op == OP_AND || op == OP_OR;
}

/* The value of op(x, y, z), by as little work as gives the same bits. */
static int emit(struct compiler *c, enum operation op, int x, int y, int z)
{
    double value;
    if (op == OP_POW) return power(c, x, y);
    if (fold(c, op, (int[3]){x, y, z}, &value)) return number(c, value);
    if (op == OP_CHOICE && is_number(c, x, &value)) return value != 0.0 ? y : z;
    if (op == OP_NEG && c->program->code[x].op == OP_NEG) return c->program->code[x].operand[0];
    if ((op == OP_MUL || op == OP_DIV) && is_value(c, y, 1)) return x;
    if (op == OP_MUL && is_value(c, x, 1)) return y;
    if (commutes(op) && x > y) return operation(c, op, y, x, z);
    return operation(c, op, x, y, z);
}

/* ------------------------------------------------------------------ names */

static int refuse_name(struct compiler *c, const struct node *node, const char *name)
{
    const char **names;
    char hint[400];
    int count = c->scope->count;
    if ((c->status = sw_alloc((size_t)count + 2, &names))) return -1;
    for (int k = 0; k < count; k++) names[k] = c->scope->symbol[k].name;
    names[count] = "pi";
    names[count + 1] = "e";
    expr_hint_names(hint, name, names, count + 2);
    sw_free(names);
    c->status = expr_refuse(c->err, node->column, node->length, hint, "unknown name '%s'", name);
    return -1;
}

static int symbol(struct compiler *c, const struct node *node)
{
    const char *name = c->expr->names[node->name];
    for (int k = 0; k < c->scope->count; k++) {
        const struct sw_symbol *s = &c->scope->symbol[k];
        if (strcmp(s->name, name)) continue;
        return instruct(c, &(struct instruction){.op = OP_NAME, .operand = {-1, -1, -1}, .rate = s->rate, .slot = s->slot,
                                                 .symbol = node->name});
    }
    return refuse_name(c, node, name);
}

static int translate(struct compiler *c, const struct node *node, const int *place)
{
    int x[3] = {-1, -1, -1};
    if (node->op == OP_NUMBER) return number(c, node->value);
    if (node->op == OP_NAME) return symbol(c, node);
    if (op_is_random(node->op) && !c->scope->random) {
        c->status = expr_refuse(c->err, node->column, node->length, "random numbers belong to fields, as in initial and forcing",
                                "%s cannot be used here", op_table[node->op].written);
        return -1;
    }
    for (int k = 0; k < op_table[node->op].operands; k++) x[k] = place[node->child[k]];
    return emit(c, node->op, x[0], x[1], x[2]);
}

static enum sw_status translate_all(struct compiler *c)
{
    int *place;
    SW_TRY(sw_alloc((size_t)c->expr->count, &place));
    for (int k = 0; k < c->expr->count && !c->status; k++) place[k] = translate(c, &c->expr->node[k], place);
    c->program->root = place[c->expr->root];
    sw_free(place);
    return c->status;
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
    enum sw_status st;
    struct compiler c = {.expr = expr, .scope = scope, .err = err};
    *program = NULL;
    *err = (struct sw_expr_error){0};
    SW_TRY(sw_alloc(1, &c.program));
    c.program->stream = scope->stream;
    SW_TRY_TO(failed, st, copy_names(c.program, expr));
    SW_TRY_TO(failed, st, translate_all(&c));
    SW_TRY_TO(failed, st, program_schedule(c.program));
    sw_free(c.bucket);
    *program = c.program;
    return SW_OK;
failed:
    sw_free(c.bucket);
    sw_program_destroy(&c.program);
    return st;
}

/* ------------------------------------------------------------------ questions to a program */

void sw_program_destroy(struct sw_program **program)
{
    if (!program || !*program) return;
    sw_free((*program)->code);
    sw_free((*program)->names);
    sw_free(*program);
    *program = NULL;
}

enum sw_rate sw_program_rate(const struct sw_program *program) { return program->code[program->root].rate; }

bool sw_program_uses(const struct sw_program *program, const char *name)
{
    for (int k = 0; k < program->count; k++)
        if (program->code[k].op == OP_NAME && !strcmp(program->names[program->code[k].symbol], name)) return true;
    return false;
}

bool sw_program_constant(const struct sw_program *program, double *value)
{
    const struct instruction *root = &program->code[program->root];
    if (root->op == OP_NUMBER) *value = root->value;
    return root->op == OP_NUMBER;
}

struct sw_program_size sw_program_size(const struct sw_program *program)
{
    return (struct sw_program_size){.params = program->params, .run = program->kept[SW_RATE_RUN],
                                    .step = program->kept[SW_RATE_STEP], .cell = program->kept[SW_RATE_CELL],
                                    .point = program->operations};
}
