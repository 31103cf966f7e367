/* A value is known by its class, what is computed of what at which distances, and by where it is: values of one class
 * are the same expression at points shifted against one another. Where the root is sums, and products with what is the
 * same at all points, of others, all of these are taken out, so that it is linear; else, from the root on, the first of
 * each branch that pays. */
#include "expr/sw_shifted.h"

#include <string.h>

#include "base/sw_mem.h"
#include "expr/emit.h"

enum { AXES = SW_SHIFTED_AXES, FIXED = -1 };

/* An instruction as the value of its class at an offset. */
struct value {
    int  class;        /* the first instruction of the same; FIXED: it has no others             */
    bool everywhere;   /* the same at all points                                                 */
    int  offset[AXES];
    int  operand[3];   /* in an order that shifts do not change                                  */
    int  part;         /* that it is a value of; FIXED: none                                     */
    bool live;         /* what is left of the program takes it in                                */
    bool top;          /* the root is a linear function of it, and so is it of its operands      */
};

struct finder {
    const struct sw_program *program;
    int  first_slot, neighbours;
    const struct sw_shifted_place *neighbour;
    struct value *value;       /* [program->count]                */
    bool         *seen;        /* [program->count], of a count    */
};

/* ------------------------------------------------------------------ classes */

static int compare_offsets(const struct value *a, const struct value *b)
{
    for (int d = AXES - 1; d >= 0; d--)
        if (a->offset[d] != b->offset[d]) return a->offset[d] < b->offset[d] ? -1 : 1;
    return 0;
}

static bool goes_first(const struct value *a, const struct value *b)
{
    if (a->everywhere != b->everywhere) return a->everywhere;
    if (a->class != b->class) return a->class < b->class;
    return compare_offsets(a, b) < 0;
}

static bool is_known(const struct finder *f, const struct instruction *in)
{
    for (int j = 0; j < op_table[in->op].operands; j++)
        if (f->value[in->operand[j]].class == FIXED) return false;
    return !op_is_random(in->op);
}

/* Whether b is a, so far shifted. */
static bool is_same(const struct finder *f, int a, int b)
{
    const struct instruction *x = &f->program->code[a], *y = &f->program->code[b];
    const struct value *p = &f->value[a], *q = &f->value[b];
    if (x->op != y->op || x->rate != y->rate || p->class == FIXED) return false;
    if (x->op == OP_NAME)
        return f->neighbour[x->slot - f->first_slot].of == f->neighbour[y->slot - f->first_slot].of;
    for (int j = 0; j < op_table[x->op].operands; j++) {
        const struct value *u = &f->value[p->operand[j]], *v = &f->value[q->operand[j]];
        if (u->class != v->class || u->everywhere != v->everywhere) return false;
        for (int d = 0; d < AXES && !u->everywhere; d++)
            if (u->offset[d] - p->offset[d] != v->offset[d] - q->offset[d]) return false;
    }
    return true;
}

static void classify(struct finder *f, int k)
{
    const struct instruction *in = &f->program->code[k];
    struct value *v = &f->value[k];
    *v = (struct value){.class = FIXED, .part = FIXED, .operand = {in->operand[0], in->operand[1], in->operand[2]}};
    if (in->rate <= SW_RATE_STEP) {
        v->class = k;
        v->everywhere = true;
        return;
    }
    if (in->rate != SW_RATE_POINT) return;
    if (in->op == OP_NAME) {
        const int at = in->slot - f->first_slot;
        if (at < 0 || at >= f->neighbours) return;
        memcpy(v->offset, f->neighbour[at].offset, sizeof v->offset);
    } else {
        if (!is_known(f, in)) return;
        if ((in->op == OP_ADD || in->op == OP_MUL) && goes_first(&f->value[v->operand[1]], &f->value[v->operand[0]])) {
            v->operand[0] = in->operand[1];
            v->operand[1] = in->operand[0];
        }
        for (int j = op_table[in->op].operands - 1; j >= 0; j--) {
            const struct value *of = &f->value[v->operand[j]];
            if (!of->everywhere) memcpy(v->offset, of->offset, sizeof v->offset);
        }
    }
    v->class = k;
    for (int other = 0; other < k && v->class == k; other++)
        if (f->value[other].class == other && !f->value[other].everywhere && is_same(f, other, k)) v->class = other;
}

/* ------------------------------------------------------------------ what pays */

static bool is_work(const struct finder *f, int k)
{
    return f->program->code[k].rate == SW_RATE_POINT && f->program->code[k].op != OP_NAME;
}

/* Operations that instruction k takes at a point. */
static int work_of(const struct finder *f, int k)
{
    int work = 0;
    memset(f->seen, 0, (size_t)f->program->count * sizeof *f->seen);
    f->seen[k] = true;
    for (int q = k; q >= 0; q--) {
        if (!f->seen[q] || !is_work(f, q)) continue;
        work++;
        for (int j = 0; j < op_table[f->program->code[q].op].operands; j++)
            f->seen[f->program->code[q].operand[j]] = true;
    }
    return work;
}

/* Mark what the root takes in, past what is a value of a part. */
static void find_live(const struct finder *f)
{
    for (int k = 0; k < f->program->count; k++) f->value[k].live = k == f->program->root;
    for (int k = f->program->root; k >= 0; k--) {
        const struct instruction *in = &f->program->code[k];
        for (int j = 0; f->value[k].live && f->value[k].part == FIXED && j < op_table[in->op].operands; j++)
            f->value[in->operand[j]].live = true;
    }
}

/* Whether v is a live value of a class in a plane, that of `of`. */
static bool is_beside(const struct value *v, const struct value *of)
{
    return v->live && v->part == FIXED && v->class == of->class && v->offset[AXES - 1] == of->offset[AXES - 1];
}

/* Whether it pays to compute those beside instruction k once: a pass over a part takes in some rows more than one over
 * what is left, a quarter of its work at most, and there is a load in the place of a value. */
static bool pays(const struct finder *f, int k)
{
    int places = 0;
    for (int q = f->value[k].class; q < f->program->count; q++) places += is_beside(&f->value[q], &f->value[k]);
    return (4 * places - 5) * work_of(f, k) >= 10;
}

/* Whether instruction k is a linear function of what varies in its operands. */
static bool is_linear(const struct finder *f, int k)
{
    const struct instruction *in = &f->program->code[k];
    const bool same[2] = {in->operand[0] >= 0 && f->value[in->operand[0]].everywhere,
                          in->operand[1] >= 0 && f->value[in->operand[1]].everywhere};
    switch ((int)in->op) {
    case OP_NEG: case OP_ADD: case OP_SUB: return true;
    case OP_MUL: return same[0] || same[1];
    case OP_DIV: return same[1];
    default:     return false;
    }
}

/* Mark what a linear function of symbols at the root passes through. */
static void find_top(const struct finder *f)
{
    const struct sw_program *p = f->program;
    for (int k = p->root; k >= 0; k--) {
        struct value *v = &f->value[k];
        v->top = (k == p->root || v->top) && is_work(f, k) && is_linear(f, k);
        for (int j = 0; v->top && j < op_table[p->code[k].op].operands; j++) f->value[p->code[k].operand[j]].top = true;
    }
}

static int count_places(const struct finder *f)
{
    int places = 0;
    for (int k = 0; k < f->program->count; k++) places += f->value[k].live && f->value[k].part != FIXED;
    return places;
}

/* Instruction k, and those beside it, as a part. */
static void take(struct finder *f, struct sw_shifted *s, int k, int *root_of)
{
    const struct value v = f->value[k];
    memcpy(s->at[s->parts], v.offset, sizeof v.offset);
    root_of[s->parts] = k;
    s->field[s->parts] = s->parts;
    for (int p = s->parts - 1; p >= 0; p--)
        if (f->value[root_of[p]].class == v.class) s->field[s->parts] = p;
    for (int q = v.class; q < f->program->count; q++)
        if (is_beside(&f->value[q], &v)) f->value[q].part = s->parts;
    s->parts++;
    find_live(f);
}

/* From the root on, so that what is nearest to it comes first. @param root_of  out: [parts] an instruction */
static void choose(struct finder *f, struct sw_shifted *s, int *root_of)
{
    find_live(f);
    for (int k = f->program->root - 1; k >= 0 && s->parts < SW_SHIFTED_PARTS; k--) {
        const struct value *v = &f->value[k];
        if (v->live && v->part == FIXED && v->class != FIXED && is_work(f, k) && pays(f, k)) take(f, s, k, root_of);
    }
}

/* All that is under the top. @return whether what is left is a linear function of symbols */
static bool choose_below(struct finder *f, struct sw_shifted *s, int *root_of)
{
    find_top(f);
    find_live(f);
    bool linear = f->value[f->program->root].top;
    for (int k = f->program->root - 1; k >= 0 && linear; k--) {
        const struct value *v = &f->value[k];
        if (!v->live || v->part != FIXED || v->everywhere) continue;
        linear = v->class != FIXED && (v->top || !is_work(f, k) || s->parts < SW_SHIFTED_PARTS);
        if (linear && is_work(f, k) && !v->top) take(f, s, k, root_of);
    }
    return linear && count_places(f) <= SW_SHIFTED_PLACES;
}

/* ------------------------------------------------------------------ programs of it */

static int copy_one(struct emitter *e, const struct finder *f, struct sw_shifted *s, bool whole, int k, const int *copy)
{
    struct instruction in = f->program->code[k];
    const struct value *v = &f->value[k];
    in.kept = in.repeated = in.scratch = 0;
    if (whole && v->part != FIXED) {
        struct sw_shifted_place *place = &s->place[s->places];
        *place = (struct sw_shifted_place){.of = v->part};
        memcpy(place->offset, v->offset, sizeof place->offset);
        in = (struct instruction){.op = OP_NAME, .rate = SW_RATE_POINT, .operand = {-1, -1, -1},
                                  .slot = f->first_slot + f->neighbours + s->places++,
                                  .symbol = f->program->name_count};
        return emit_instruction(e, &in);
    }
    for (int j = 0; j < op_table[in.op].operands; j++) in.operand[j] = copy[in.operand[j]];
    return emit_instruction(e, &in);
}

/* @param whole  of the root, with places; else of an instruction, as it is */
static enum sw_status copy_program(const struct finder *f, struct sw_shifted *s, bool whole, int root,
                                   struct sw_program **program)
{
    static const char part_name[] = "(part)";  /* no name of the language */
    const struct sw_program *from = f->program;
    struct emitter e = {0};
    enum sw_status st;
    int *copy = NULL;
    SW_TRY(sw_alloc((size_t)from->count, &copy));
    st = sw_alloc(1, &e.program);
    if (!st) st = sw_alloc((size_t)from->name_count + 1, &e.program->names);
    if (st) {
        sw_program_destroy(&e.program);
        sw_free(copy);
        return st;
    }
    e.program->stream = from->stream;
    if (from->name_count) memcpy(e.program->names, from->names, (size_t)from->name_count * sizeof *from->names);
    memcpy(e.program->names[from->name_count], part_name, sizeof part_name);
    e.program->name_count = from->name_count + 1;
    if (!whole) {
        memset(f->seen, 0, (size_t)from->count * sizeof *f->seen);
        f->seen[root] = true;
        for (int k = root; k >= 0; k--)
            for (int j = 0; f->seen[k] && j < op_table[from->code[k].op].operands; j++)
                f->seen[from->code[k].operand[j]] = true;
    }
    for (int k = 0; k <= root && !e.status; k++)
        if (whole ? f->value[k].live : f->seen[k]) copy[k] = copy_one(&e, f, s, whole, k, copy);
    if (!e.status) e.program->root = copy[root];
    sw_free(copy);
    return emit_finish(&e, SW_OK, program);
}

static enum sw_status take_out(struct finder *f, struct sw_shifted *s)
{
    int root_of[SW_SHIFTED_PARTS];
    for (int k = 0; k < f->program->count; k++) classify(f, k);
    s->linear = choose_below(f, s, root_of);
    if (!s->linear) {
        s->parts = 0;
        for (int k = 0; k < f->program->count; k++) f->value[k].part = FIXED;
        choose(f, s, root_of);
    }
    if (!s->parts || count_places(f) > SW_SHIFTED_PLACES) {
        s->parts = 0;
        return SW_OK;
    }
    for (int p = 0; p < s->parts; p++) SW_TRY(copy_program(f, s, false, root_of[p], &s->part[p]));
    return copy_program(f, s, true, f->program->root, &s->program);
}

enum sw_status sw_shifted_create(const struct sw_program *program, int first_slot, int neighbours,
                                 const struct sw_shifted_place *neighbour, struct sw_shifted *shifted)
{
    struct finder f = {.program = program, .first_slot = first_slot, .neighbours = neighbours, .neighbour = neighbour};
    enum sw_status st;
    *shifted = (struct sw_shifted){0};
    st = sw_alloc((size_t)program->count, &f.value);
    if (!st) st = sw_alloc((size_t)program->count, &f.seen);
    if (!st) st = take_out(&f, shifted);
    if (st) sw_shifted_destroy(shifted);
    sw_free(f.value);
    sw_free(f.seen);
    return st;
}

void sw_shifted_destroy(struct sw_shifted *s)
{
    for (int p = 0; p < SW_SHIFTED_PARTS; p++) sw_program_destroy(&s->part[p]);
    sw_program_destroy(&s->program);
    s->parts = s->places = 0;
}
