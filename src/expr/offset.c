/* A program of x = X + t: its instructions made anew, with the sum in the place of x, so that emit.c takes apart what
 * it can; amplitudes go into what is kept. */
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "expr/emit.h"

static const char time_name[] = "(t)";  /* no name of the language: none that the program has */

static enum sw_status copy_names(struct sw_program *to, const struct sw_program *from)
{
    SW_TRY(sw_alloc((size_t)from->name_count + 1, &to->names));
    if (from->name_count) memcpy(to->names, from->names, (size_t)from->name_count * sizeof *to->names);
    memcpy(to->names[from->name_count], time_name, sizeof time_name);
    to->name_count = from->name_count + 1;
    return SW_OK;
}

/* X + t for the name x. */
static int sum_for(struct emitter *e, const struct instruction *x)
{
    const struct instruction t = {.op = OP_NAME, .operand = {-1, -1, -1}, .rate = SW_RATE_STEP,
                                  .symbol = e->program->name_count - 1};
    int X = emit_instruction(e, x), T = emit_instruction(e, &t);
    return e->status ? -1 : emit(e, OP_ADD, X, T, -1);
}

/* The operand of a product that is CELL, while the other is STEP: 0 or 1; -1: it is no such product. */
static int cell_of(const struct emitter *e, int k)
{
    const struct instruction *code = e->program->code, *in = &code[k];
    for (int j = 0; in->op == OP_MUL && j < 2; j++)
        if (code[in->operand[j]].rate == SW_RATE_CELL && code[in->operand[1 - j]].rate == SW_RATE_STEP) return j;
    return -1;
}

static int scaled(struct emitter *e, int factor, int product)
{
    const struct instruction in = e->program->code[product];
    const int j = cell_of(e, product), cell = emit(e, OP_MUL, factor, in.operand[j], -1);
    return e->status ? -1 : emit(e, OP_MUL, cell, in.operand[1 - j], -1);
}

/* a (X T + X' T') as (a X) T + (a X') T', where a is the same for all points: what a sine or cosine became takes its
 * amplitude into what is kept. -1: not of this form */
static int spread(struct emitter *e, int factor, int sum)
{
    const struct instruction in = e->program->code[sum];
    if (e->program->code[factor].rate != SW_RATE_RUN || (in.op != OP_ADD && in.op != OP_SUB)) return -1;
    if (cell_of(e, in.operand[0]) < 0 || cell_of(e, in.operand[1]) < 0) return -1;
    const int first = scaled(e, factor, in.operand[0]), second = e->status ? -1 : scaled(e, factor, in.operand[1]);
    return e->status ? -1 : emit(e, in.op, first, second, -1);
}

static int product(struct emitter *e, int x, int y)
{
    int k = spread(e, x, y);
    if (k < 0 && !e->status) k = spread(e, y, x);
    return k < 0 && !e->status ? emit(e, OP_MUL, x, y, -1) : k;
}

static int again(struct emitter *e, const struct instruction *in, enum sw_input slot, const int *place)
{
    int operand[3] = {-1, -1, -1};
    struct instruction same = *in;
    same.kept = same.repeated = same.scratch = 0;
    if (in->op == OP_NAME && in->rate == SW_RATE_CELL && in->slot == (int)slot) return sum_for(e, &same);
    if (in->op == OP_NAME || in->op == OP_NUMBER) return emit_instruction(e, &same);
    for (int k = 0; k < op_table[in->op].operands; k++) operand[k] = place[in->operand[k]];
    if (in->op == OP_MUL) return product(e, operand[0], operand[1]);
    return emit(e, in->op, operand[0], operand[1], operand[2]);
}

static enum sw_status all_again(struct emitter *e, const struct sw_program *p, enum sw_input slot)
{
    int *place;
    SW_TRY(sw_alloc((size_t)p->count, &place));
    for (int k = 0; k < p->count && !e->status; k++) place[k] = again(e, &p->code[k], slot, place);
    e->program->root = place[p->root];
    sw_free(place);
    return e->status;
}

static bool uses_time(const struct sw_program *p)
{
    bool uses = false;
    for (int k = 0; k < p->count; k++)
        uses |= op_is_random(p->code[k].op) || (p->code[k].op == OP_NAME && p->code[k].rate == SW_RATE_STEP);
    return uses;
}

enum sw_status sw_program_offset(const struct sw_program *program, enum sw_input slot, struct sw_program **offset)
{
    struct emitter e = {0};
    *offset = NULL;
    if (uses_time(program))
        return SW_FAIL(SW_E_ARG, "a program that uses the time, or rand, has no place for an offset");
    SW_TRY(sw_alloc(1, &e.program));
    enum sw_status st = copy_names(e.program, program);
    if (!st) st = all_again(&e, program, slot);
    return emit_finish(&e, st, offset);
}
