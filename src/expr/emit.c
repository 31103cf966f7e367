#include "expr/emit.h"

#include <math.h>
#include <string.h>

#include "base/sw_mem.h"

enum { POWER_LARGEST = 16, ANGLE_LARGEST = 64 };  /* x^2 ... x^16 become products, at most 6 of them */

/* ------------------------------------------------------------------ instructions, each made once */

static bool same(const struct instruction *a, const struct instruction *b)
{
    return a->op == b->op && a->slot == b->slot && a->symbol == b->symbol &&
           !memcmp(&a->value, &b->value, sizeof a->value) && !memcmp(a->operand, b->operand, sizeof a->operand);
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

static int *find(const struct emitter *e, const struct instruction *in)
{
    int at = (int)(hash(in) & (uint64_t)(e->buckets - 1));
    while (e->bucket[at] && !same(&e->program->code[e->bucket[at] - 1], in)) at = (at + 1) & (e->buckets - 1);
    return &e->bucket[at];
}

static enum sw_status grow(struct emitter *e)
{
    int room = e->room ? 2 * e->room : 32;
    SW_TRY(sw_resize((size_t)e->room, (size_t)room, &e->program->code));
    e->room = room;
    sw_free(e->bucket);
    e->buckets = 4 * room;
    SW_TRY(sw_alloc((size_t)e->buckets, &e->bucket));
    for (int k = 0; k < e->program->count; k++) *find(e, &e->program->code[k]) = k + 1;
    return SW_OK;
}

int emit_instruction(struct emitter *e, const struct instruction *in)
{
    if (e->program->count == e->room && (e->status = grow(e))) return -1;
    int *place = find(e, in);
    if (!*place) {
        e->program->code[e->program->count] = *in;
        *place = ++e->program->count;
    }
    return *place - 1;
}

int emit_number(struct emitter *e, double value)
{
    return emit_instruction(e, &(struct instruction){.op = OP_NUMBER, .operand = {-1, -1, -1}, .value = value});
}

static int operation(struct emitter *e, enum operation op, int x, int y, int z)
{
    struct instruction in = {.op = op, .operand = {x, y, z}, .rate = op_is_random(op) ? SW_RATE_POINT : SW_RATE_RUN};
    /* STEP and CELL together are POINT: the rates are bits */
    for (int k = 0; k < op_table[op].operands; k++) in.rate |= e->program->code[in.operand[k]].rate;
    return emit_instruction(e, &in);
}

/* ------------------------------------------------------------------ simplification */

static bool is_number(const struct emitter *e, int k, double *value)
{
    if (k < 0 || e->program->code[k].op != OP_NUMBER) return false;
    *value = e->program->code[k].value;
    return true;
}

static bool is_value(const struct emitter *e, int k, double wanted)
{
    double value;
    return is_number(e, k, &value) && value == wanted;
}

static bool fold(const struct emitter *e, enum operation op, const int x[3], double *value)
{
    double v[3] = {0, 0, 0};
    for (int k = 0; k < op_table[op].operands; k++)
        if (!is_number(e, x[k], &v[k])) return false;
    if (op_is_random(op)) return false;
    *value = op_value(op, v[0], v[1], v[2]);
    return true;
}

/* x^exponent, exponent >= 1, by squaring from the highest bit down: x^13 = ((x² x)²)² x. */
static int multiply_out(struct emitter *e, int x, int exponent)
{
    int product = x, bit = 1;
    while (2 * bit <= exponent) bit *= 2;
    while ((bit /= 2) && product >= 0) {
        product = emit(e, OP_MUL, product, product, -1);
        if (product >= 0 && (exponent & bit)) product = emit(e, OP_MUL, product, x, -1);
    }
    return product;
}

static int power(struct emitter *e, int x, int y)
{
    double exponent;
    if (!is_number(e, y, &exponent) || exponent != floor(exponent) || fabs(exponent) > POWER_LARGEST)
        return operation(e, OP_POW, x, y, -1);
    if (exponent == 0) return emit_number(e, 1);  /* also of nan, as pow() does */
    int product = multiply_out(e, x, (int)fabs(exponent));
    if (product < 0 || exponent > 0) return product;
    int one = emit_number(e, 1);
    return one < 0 ? -1 : emit(e, OP_DIV, one, product, -1);
}

/* An angle as the sum of a part fixed in time and a part shared by all points; -1: that part is 0. */
struct angle { int cell, step; };

static int combine(struct emitter *e, enum operation op, int x, int y)
{
    if (y < 0) return x;
    if (x >= 0) return emit(e, op, x, y, -1);
    return op == OP_SUB ? emit(e, OP_NEG, y, -1, -1) : y;
}

static int scale(struct emitter *e, enum operation op, int x, int factor)
{
    return x < 0 ? x : emit(e, op, x, factor, -1);
}

/* Take k apart through sums and through products with what is constant in a run. budget: instructions that may still be
 * looked at, so that this stays cheap whatever is written. false: k is no such sum. */
static bool split_angle(struct emitter *e, int k, struct angle *angle, int *budget)
{
    const struct instruction in = e->program->code[k];
    struct angle x, y;
    *angle = in.rate == SW_RATE_CELL ? (struct angle){k, -1} : (struct angle){-1, k};
    if (in.rate != SW_RATE_POINT) return true;
    if (--*budget < 0) return false;
    switch (in.op) {
    case OP_ADD: case OP_SUB:
        if (!split_angle(e, in.operand[0], &x, budget) || !split_angle(e, in.operand[1], &y, budget)) return false;
        *angle = (struct angle){combine(e, in.op, x.cell, y.cell), combine(e, in.op, x.step, y.step)};
        return !e->status;
    case OP_NEG:
        if (!split_angle(e, in.operand[0], &x, budget)) return false;
        *angle = (struct angle){combine(e, OP_SUB, -1, x.cell), combine(e, OP_SUB, -1, x.step)};
        return !e->status;
    case OP_MUL: case OP_DIV: {
        bool left = in.op == OP_MUL && e->program->code[in.operand[0]].rate == SW_RATE_RUN;
        int factor = in.operand[left ? 0 : 1], sum = in.operand[left ? 1 : 0];
        if (e->program->code[factor].rate != SW_RATE_RUN || !split_angle(e, sum, &x, budget)) return false;
        *angle = (struct angle){scale(e, in.op, x.cell, factor), scale(e, in.op, x.step, factor)};
        return !e->status;
    }
    default: return false;
    }
}

/* cos(X + T) = cos X cos T - sin X sin T, sin(X + T) = sin X cos T + cos X sin T, where X is fixed in time and T is
 * shared by all points: a travelling wave costs two products and a sum a point and step instead of a cosine. Its error
 * is at most (3 + |X| + |T|) 2^-53 or so: X and T are rounded, as are the x and t they are made of. */
static int turn(struct emitter *e, enum operation op, struct angle angle)
{
    int cos_x = emit(e, OP_COS, angle.cell, -1, -1), sin_x = emit(e, OP_SIN, angle.cell, -1, -1);
    int cos_t = emit(e, OP_COS, angle.step, -1, -1), sin_t = emit(e, OP_SIN, angle.step, -1, -1);
    if (e->status) return -1;
    int first = emit(e, OP_MUL, op == OP_COS ? cos_x : sin_x, cos_t, -1);
    int second = emit(e, OP_MUL, op == OP_COS ? sin_x : cos_x, sin_t, -1);
    return e->status ? -1 : emit(e, op == OP_COS ? OP_SUB : OP_ADD, first, second, -1);
}

static bool commutes(enum operation op)
{
    return op == OP_ADD || op == OP_MUL || op == OP_EQ || op == OP_NE || op == OP_AND || op == OP_OR;
}

/* The value of op(x, y, z), by as little work as gives the same bits. */
int emit(struct emitter *e, enum operation op, int x, int y, int z)
{
    double value;
    if (op == OP_POW) return power(e, x, y);
    if (fold(e, op, (int[3]){x, y, z}, &value)) return emit_number(e, value);
    if (op == OP_CHOICE && is_number(e, x, &value)) return value != 0.0 ? y : z;
    if (op == OP_NEG && e->program->code[x].op == OP_NEG) return e->program->code[x].operand[0];
    if ((op == OP_MUL || op == OP_DIV) && is_value(e, y, 1)) return x;
    if (op == OP_MUL && is_value(e, x, 1)) return y;
    if (op == OP_SIN || op == OP_COS) {
        struct angle angle;
        int budget = ANGLE_LARGEST;
        if (e->program->code[x].rate == SW_RATE_POINT && split_angle(e, x, &angle, &budget)) return turn(e, op, angle);
        if (e->status) return -1;
    }
    if (commutes(op) && x > y) return operation(e, op, y, x, z);
    return operation(e, op, x, y, z);
}

void sw_program_destroy(struct sw_program **program)
{
    if (!program || !*program) return;
    sw_free((*program)->code);
    sw_free((*program)->names);
    sw_free(*program);
    *program = NULL;
}

enum sw_status emit_finish(struct emitter *e, enum sw_status st, struct sw_program **program)
{
    if (!st) st = e->status;
    if (!st) st = program_schedule(e->program);
    sw_free(e->bucket);
    if (st) sw_program_destroy(&e->program);
    *program = e->program;
    e->program = NULL;
    return st;
}
