#include "expr/emit.h"

#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "expr/expr_impl.h"

/* ---- the schedule, after the last instruction: drop what nobody uses, sort by rate, decide what is kept from one rate
 * to the next and which scratch block receives each value */

static int operands(const struct instruction *in) { return op_table[in->op].operands; }
static bool computes(const struct instruction *in) { return operands(in) > 0; }

/* A value that every point shares, read by an operation that works on blocks of points (or, for a program that is
 * constant in a run, of runs: only its numbers are shared). */
static bool reads_repeated(const struct sw_program *p, const struct instruction *reader,
                           const struct instruction *operand)
{
    if (p->code[p->root].rate == SW_RATE_RUN) return operand->op == OP_NUMBER;
    return reader->rate >= SW_RATE_CELL && operand->rate <= SW_RATE_STEP;
}

static void mark_used(const struct sw_program *p, int *used)
{
    used[p->root] = 1;
    for (int k = p->root; k >= 0; k--)
        for (int j = 0; used[k] && j < operands(&p->code[k]); j++) used[p->code[k].operand[j]] = 1;
}

/* Sorting by rate keeps operands before their readers: none changes faster than its reader. */
static enum sw_status sort_by_rate(struct sw_program *p)
{
    enum sw_status st;
    struct instruction *sorted = NULL;
    int *used = NULL, *place = NULL, count = 0;
    SW_TRY_TO(done, st, sw_alloc((size_t)p->count, &used));
    SW_TRY_TO(done, st, sw_alloc((size_t)p->count, &place));
    SW_TRY_TO(done, st, sw_alloc((size_t)p->count, &sorted));
    mark_used(p, used);
    for (int rate = SW_RATE_RUN; rate <= SW_RATE_POINT; rate++) {
        p->first[rate] = count;
        for (int k = 0; k <= p->root; k++) {
            if (!used[k] || (int)p->code[k].rate != rate) continue;
            place[k] = count;
            sorted[count] = p->code[k];
            for (int j = 0; j < operands(&p->code[k]); j++) sorted[count].operand[j] = place[p->code[k].operand[j]];
            count++;
        }
    }
    p->first[SW_RATE_POINT + 1] = count;
    p->root = place[p->root];
    p->count = count;
    sw_free(p->code);
    p->code = sorted;
    sorted = NULL;
done:
    sw_free(used);
    sw_free(place);
    sw_free(sorted);
    return st;
}

static void keep(struct sw_program *p, struct instruction *in)
{
    if (computes(in) && in->rate != SW_RATE_POINT && in->kept < 0) in->kept = p->kept[in->rate]++;
}

static void choose_kept(struct sw_program *p)
{
    for (int k = 0; k < p->count; k++) p->code[k].kept = p->code[k].repeated = p->code[k].scratch = -1;
    for (int k = 0; k < p->count; k++) {
        struct instruction *in = &p->code[k];
        if (in->op == OP_NAME && in->rate == SW_RATE_RUN && in->slot >= p->params) p->params = in->slot + 1;
        if (computes(in) && in->rate == SW_RATE_POINT) p->operations++;
        for (int j = 0; j < operands(in); j++) {
            struct instruction *operand = &p->code[in->operand[j]];
            if (operand->rate != in->rate) keep(p, operand);
            if (reads_repeated(p, in, operand) && operand->repeated < 0) operand->repeated = p->repeats++;
        }
    }
    keep(p, &p->code[p->root]);
}

/* Does this value live in a scratch block? CELL values that are kept have a place of their own, the root goes to the
 * caller's array. */
static bool wants_scratch(const struct sw_program *p, int k)
{
    const struct instruction *in = &p->code[k];
    if (!computes(in) || k == p->root) return false;
    return in->rate == SW_RATE_POINT || (in->rate == SW_RATE_CELL && in->kept < 0) ||
           (in->rate == SW_RATE_RUN && p->code[p->root].rate == SW_RATE_RUN);
}

/* A block is free again after its last reader. The result gets its block before the operands give theirs back, so that
 * none is overwritten while it is read. */
static enum sw_status choose_scratch(struct sw_program *p)
{
    enum sw_status st;
    int *last = NULL, *idle = NULL, idles = 0;
    SW_TRY_TO(done, st, sw_alloc((size_t)p->count, &last));
    SW_TRY_TO(done, st, sw_alloc((size_t)p->count, &idle));
    for (int k = 0; k < p->count; k++)
        for (int j = 0; j < operands(&p->code[k]); j++) last[p->code[k].operand[j]] = k;
    for (int k = 0; k < p->count; k++) {
        struct instruction *in = &p->code[k];
        if (wants_scratch(p, k)) in->scratch = idles > 0 ? idle[--idles] : p->scratches++;
        for (int j = 0; j < operands(in); j++) {
            int operand = in->operand[j];
            if (p->code[operand].scratch < 0 || last[operand] != k) continue;
            idle[idles++] = p->code[operand].scratch;
            last[operand] = -1;  /* x*x gives its operand back once */
        }
    }
done:
    sw_free(last);
    sw_free(idle);
    return st;
}

/* code, count and root are set. */
static enum sw_status schedule(struct sw_program *program)
{
    SW_TRY(sort_by_rate(program));
    choose_kept(program);
    return choose_scratch(program);
}

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
    if (!st) st = schedule(e->program);
    sw_free(e->bucket);
    if (st) sw_program_destroy(&e->program);
    *program = e->program;
    e->program = NULL;
    return st;
}
