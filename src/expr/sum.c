/* The sum of two programs: the instructions of both, made anew. */
#include <string.h>

#include "base/sw_mem.h"
#include "expr/emit.h"

static enum sw_status join_names(struct sw_program *sum, const struct sw_program *a, const struct sw_program *b)
{
    const size_t size = sizeof *sum->names;
    SW_TRY(sw_alloc((size_t)(a->name_count + b->name_count), &sum->names));
    if (a->name_count) memcpy(sum->names, a->names, (size_t)a->name_count * size);
    if (b->name_count) memcpy(sum->names + a->name_count, b->names, (size_t)b->name_count * size);
    sum->name_count = a->name_count + b->name_count;
    return SW_OK;
}

/* A symbol is known by its rate and slot: u of one program is u of the other. -1: there is none yet. */
static int find_symbol(const struct emitter *e, const struct instruction *name)
{
    for (int k = 0; k < e->program->count; k++) {
        const struct instruction *in = &e->program->code[k];
        if (in->op == OP_NAME && in->rate == name->rate && in->slot == name->slot) return k;
    }
    return -1;
}

static int copy_instruction(struct emitter *e, const struct instruction *in, int first_name, const int *copy)
{
    struct instruction same = *in;
    int found = in->op == OP_NAME ? find_symbol(e, in) : -1;
    if (found >= 0) return found;
    same.kept = same.repeated = same.scratch = 0;
    if (in->op == OP_NAME) same.symbol += first_name;
    for (int k = 0; k < op_table[in->op].operands; k++) same.operand[k] = copy[in->operand[k]];
    return emit_instruction(e, &same);
}

/* @return the copy of p's root, or -1 with the status set */
static int copy_program(struct emitter *e, const struct sw_program *p, int first_name)
{
    int *copy = NULL, root = -1;
    if ((e->status = sw_alloc((size_t)p->count, &copy))) return -1;
    for (int k = 0; k < p->count && !e->status; k++) copy[k] = copy_instruction(e, &p->code[k], first_name, copy);
    if (!e->status) root = copy[p->root];
    sw_free(copy);
    return root;
}

enum sw_status sw_program_sum(const struct sw_program *a, const struct sw_program *b, struct sw_program **sum)
{
    struct emitter e = {0};
    int x = -1, y = -1;
    *sum = NULL;
    SW_TRY(sw_alloc(1, &e.program));
    e.program->stream = b->stream;
    enum sw_status st = join_names(e.program, a, b);
    if (!st) x = copy_program(&e, a, 0);
    if (!st && !e.status) y = copy_program(&e, b, a->name_count);
    if (!st && !e.status) e.program->root = emit(&e, OP_ADD, x, y, -1);
    return emit_finish(&e, st, sum);
}
