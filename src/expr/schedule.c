/* After compilation: drop what nobody uses, sort by rate, decide what is kept from one rate to the next and which
 * scratch block receives each value. */
#include "base/sw_mem.h"
#include "expr/expr_impl.h"

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

enum sw_status program_schedule(struct sw_program *program)
{
    SW_TRY(sort_by_rate(program));
    choose_kept(program);
    return choose_scratch(program);
}
