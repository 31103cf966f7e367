/* The interpreter: one loop of op_loops over a block of points for each instruction. */
#include <assert.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "expr/eval_impl.h"

/* ------------------------------------------------------------------ two instructions as one task */

static bool is_number(const struct instruction *in) { return in->repeated >= 0; }

static int readers_of(const struct sw_program *p, int k)
{
    int readers = k == p->root;
    for (int q = k + 1; q < p->count; q++)
        for (int j = 0; j < op_table[p->code[q].op].operands; j++) readers += p->code[q].operand[j] == k;
    return readers;
}

/* Whether what instruction x has in its block is still there when `reader` is done. */
static bool stays(const struct sw_program *p, int x, int from, int reader)
{
    const int scratch = p->code[x].scratch;
    for (int q = from + 1; q < reader && scratch >= 0 && !is_number(&p->code[x]); q++)
        if (p->code[q].scratch == scratch) return false;
    return true;
}

/* The operands of k as a joined loop takes them: a varies, b may be a number. false: it takes them in no such way */
static bool split(const struct sw_program *p, int k, int *a, int *b)
{
    const struct instruction *in = &p->code[k];
    const bool swapped = is_number(&p->code[in->operand[0]]);
    *a = in->operand[swapped];
    *b = in->operand[!swapped];
    return !swapped || in->op == OP_ADD || in->op == OP_MUL;
}

static bool can_join(const struct sw_eval *e, int first, int second)
{
    const struct sw_program *p = e->program;
    const struct instruction *k = &p->code[first], *in = &p->code[second];
    int a, b;
    if (k->rate != SW_RATE_POINT || k->op == OP_NAME || e->joined[first].first >= 0) return false;
    if (in->operand[0] == in->operand[1] || !op_joined_loop(k->op, false, in->op, false, false)) return false;
    return split(p, first, &a, &b) && readers_of(p, first) == 1 && stays(p, a, first, second) &&
           stays(p, b, first, second);
}

static void join(struct sw_eval *e)
{
    const struct sw_program *p = e->program;
    for (int k = 0; k < p->count; k++) e->joined[k].first = -1;
    for (int k = p->first[SW_RATE_POINT]; k < p->count; k++) {
        if (op_table[p->code[k].op].operands != 2) continue;
        for (int j = 1; j >= 0 && e->joined[k].first < 0; j--)
            if (can_join(e, p->code[k].operand[j], k)) e->joined[k].first = p->code[k].operand[j];
        if (e->joined[k].first >= 0) e->joined[e->joined[k].first].done = true;
    }
}

enum sw_status sw_eval_create_lanes(const struct sw_program *program, int max_points, int lanes, struct sw_eval **eval)
{
    enum sw_status st;
    struct sw_eval *e;
    size_t points = (size_t)max_points * (size_t)lanes;
    assert(max_points >= 0 && lanes > 0 && VALUES_AT_ONCE % lanes == 0 && (lanes & (lanes - 1)) == 0);
    *eval = NULL;
    SW_TRY(sw_alloc(1, &e));
    e->program = program;
    e->max_points = max_points;
    e->lanes = lanes;
    SW_TRY_TO(failed, st, sw_alloc((size_t)program->count, &e->task));
    SW_TRY_TO(failed, st, sw_alloc((size_t)program->count, &e->joined));
    join(e);
    SW_TRY_TO(failed, st, sw_alloc((size_t)program->count * (size_t)lanes, &e->scalar));
    SW_TRY_TO(failed, st, sw_alloc((size_t)program->repeats * VALUES_AT_ONCE, &e->repeated));
    SW_TRY_TO(failed, st, sw_alloc((size_t)program->scratches * VALUES_AT_ONCE, &e->scratch));
    SW_TRY_TO(failed, st, sw_alloc((size_t)program->kept[SW_RATE_CELL] * points, &e->cell));
    *eval = e;
    return SW_OK;
failed:
    sw_eval_destroy(&e);
    return st;
}

enum sw_status sw_eval_create(const struct sw_program *program, int max_points, struct sw_eval **eval)
{
    return sw_eval_create_lanes(program, max_points, 1, eval);
}

void sw_eval_destroy(struct sw_eval **eval)
{
    if (!eval || !*eval) return;
    sw_free((*eval)->task);
    sw_free((*eval)->joined);
    sw_free((*eval)->scalar);
    sw_free((*eval)->repeated);
    sw_free((*eval)->scratch);
    sw_free((*eval)->cell);
    sw_free(*eval);
    *eval = NULL;
}

void sw_eval_by_scalars(struct sw_eval *eval) { eval->scalars = true; }

/* ------------------------------------------------------------------ values shared by all points */

/* @param value  [lanes] */
static void widen(struct sw_eval *e, const struct instruction *in, const double *value)
{
    if (in->repeated < 0) return;
    double *repeated = e->repeated + (size_t)in->repeated * VALUES_AT_ONCE;
    memcpy(repeated, value, (size_t)e->lanes * sizeof *repeated);
    for (int have = e->lanes; have < VALUES_AT_ONCE; have *= 2)
        memcpy(repeated + have, repeated, (size_t)have * sizeof *repeated);
}

/* Of several runs side by side what changes from step to step takes the vector functions, as values at points do: 32
 * sines one by one take as long as a tenth of a step of 16 lines of 256 points. What lasts for a run never does. */
static void compute_scalar(struct sw_eval *e, int k)
{
    const struct instruction *in = &e->program->code[k];
    const struct op_where nowhere = {.lanes = 1};
    const double *x[3];
    int operands = op_table[in->op].operands;
    for (int j = 0; j < 3; j++) x[j] = eval_scalar(e, in->operand[j < operands ? j : 0]);
    const bool vectors = e->lanes > 1 && in->rate == SW_RATE_STEP && op_table[in->op].library && !e->scalars;
    if (vectors && op_vector(in->op, e->lanes, x[0], x[1], eval_scalar(e, k))) return;
    op_loops[in->op](e->lanes, x[0], x[1], x[2], eval_scalar(e, k), &nowhere);
}

void sw_eval_run(struct sw_eval *eval, const double *param, int64_t stride)
{
    const struct sw_program *p = eval->program;
    eval->begun++;
    for (int k = p->first[SW_RATE_RUN]; k < p->first[SW_RATE_RUN + 1]; k++) {
        const struct instruction *in = &p->code[k];
        double *out = eval_scalar(eval, k);
        if (in->op == OP_NUMBER)
            for (int l = 0; l < eval->lanes; l++) out[l] = in->value;
        else if (in->op == OP_NAME)
            memcpy(out, param + in->slot * stride, (size_t)eval->lanes * sizeof *out);
        else
            compute_scalar(eval, k);
        widen(eval, in, out);
    }
}

void sw_eval_step_lanes(struct sw_eval *eval, const double *t, int64_t step)
{
    const struct sw_program *p = eval->program;
    eval->step = step;
    for (int k = p->first[SW_RATE_STEP]; k < p->first[SW_RATE_STEP + 1]; k++) {
        const struct instruction *in = &p->code[k];
        if (in->op == OP_NAME) memcpy(eval_scalar(eval, k), t, (size_t)eval->lanes * sizeof *t);
        else compute_scalar(eval, k);
    }
    eval->repeats_pending = true;
}

/* Who uses the form of a program (form.c) never gets here. */
static void widen_step(struct sw_eval *e)
{
    const struct sw_program *p = e->program;
    for (int k = p->first[SW_RATE_STEP]; e->repeats_pending && k < p->first[SW_RATE_STEP + 1]; k++)
        widen(e, &p->code[k], eval_scalar(e, k));
    e->repeats_pending = false;
}

void sw_eval_step(struct sw_eval *eval, double t, int64_t step)
{
    assert(eval->lanes == 1);
    sw_eval_step_lanes(eval, &t, step);
}

/* ------------------------------------------------------------------ values at points */

/* Here and below values are counted, lanes of them a point. */
double *eval_place(const struct sw_eval *e, int k, size_t base, const double *const *in)
{
    const struct instruction *ins = &e->program->code[k];
    if (ins->repeated >= 0) return e->repeated + (size_t)ins->repeated * VALUES_AT_ONCE;
    if (ins->op == OP_NAME) return (double *)in[ins->slot] + base;
    if (ins->scratch >= 0) return e->scratch + (size_t)ins->scratch * VALUES_AT_ONCE;
    return e->cell + ((size_t)ins->kept * (size_t)e->max_points + e->at) * (size_t)e->lanes + base;
}

static unsigned char moves(const struct instruction *ins)
{
    return ins->repeated < 0 && (ins->op == OP_NAME || ins->scratch < 0);
}

static void set_operand(const struct sw_eval *e, int from, const double *const *in, int j, struct task *t)
{
    t->x[j] = eval_place(e, from, 0, in);
    t->moves[j] = moves(&e->program->code[from]);
}

/* Instruction k with the one that it reads. */
static void set_joined(const struct sw_eval *e, int k, const double *const *in, struct task *t)
{
    const struct sw_program *p = e->program;
    const struct instruction *ins = &p->code[k];
    const int first = e->joined[k].first, side = ins->operand[1] == first, c = ins->operand[!side];
    int a, b;
    split(p, first, &a, &b);
    const bool number_b = e->lanes == 1 && is_number(&p->code[b]), number_c = e->lanes == 1 && is_number(&p->code[c]);
    t->loop = op_joined_loop(p->code[first].op, number_b, ins->op, side, number_c);
    set_operand(e, a, in, 0, t);
    set_operand(e, b, in, 1, t);
    set_operand(e, c, in, 2, t);
}

/* All instructions of one rate, once for all blocks: a block takes some ten nanoseconds for one, as long as to find out
 * where its values are. out: where the root goes, if it is among them; NULL: it is kept. */
static void set_tasks(struct sw_eval *e, enum sw_rate rate, const double *const *in, double *out)
{
    const struct sw_program *p = e->program;
    e->tasks = 0;
    for (int k = p->first[rate]; k < p->first[rate + 1]; k++) {
        const struct instruction *ins = &p->code[k];
        const int operands = op_table[ins->op].operands;
        const bool goes_out = out && k == p->root;
        bool number[3];  /* operands are the same at all points */
        if (!operands || (rate == SW_RATE_POINT && e->joined[k].done)) continue;
        struct task *t = &e->task[e->tasks++];
        t->op = ins->op;
        t->library = op_table[ins->op].library != NULL;
        t->to = goes_out ? out : eval_place(e, k, 0, in);
        t->moves[3] = goes_out || moves(ins);
        for (int j = 0; j < 3; j++) {
            const int from = ins->operand[j < operands ? j : 0];
            set_operand(e, from, in, j, t);
            number[j] = e->lanes == 1 && p->code[from].repeated >= 0;
        }
        t->loop = op_loop_of(ins->op, number[0], number[1]);
        if (rate == SW_RATE_POINT && e->joined[k].first >= 0) set_joined(e, k, in, t);
    }
}

/* n <= VALUES_AT_ONCE values from base on. At points the vector functions do: numbers of a run must be the same on
 * every processor, as ids of runs are made of them. */
static void run_block(const struct sw_eval *e, bool vectors, size_t base, int n)
{
    const struct op_where where = {e->first + (int)(base / (size_t)e->lanes), e->lanes, e->step, e->program->stream,
                                   e->nx, e->ny};
    for (const struct task *t = e->task; t < e->task + e->tasks; t++) {
        const double *const x = t->x[0] + base * t->moves[0], *const y = t->x[1] + base * t->moves[1],
                     *const z = t->x[2] + base * t->moves[2];
        double *const to = t->to + base * t->moves[3];
        if (op_is_random(t->op)) op_random(t->op, n, x, y, z, to, &where);
        else if (!vectors || !t->library || !op_vector(t->op, n, x, y, to)) t->loop(n, x, y, z, to, &where);
    }
}

static int block_length(int64_t left) { return left < VALUES_AT_ONCE ? (int)left : VALUES_AT_ONCE; }

void sw_eval_number_from(struct sw_eval *eval, int first) { eval->first = first; }

void sw_eval_grid(struct sw_eval *eval, int64_t nx, int64_t ny)
{
    eval->nx = (int)nx;
    eval->ny = (int)ny;
}

void sw_eval_begin_at(struct sw_eval *eval, int point) { eval->at = (size_t)point; }

void sw_eval_cells(struct sw_eval *eval, int count, const double *const *cell)
{
    size_t values = (size_t)count * (size_t)eval->lanes;
    assert((size_t)count + eval->at <= (size_t)eval->max_points);
    set_tasks(eval, SW_RATE_CELL, cell, NULL);
    for (size_t base = 0; base < values; base += VALUES_AT_ONCE)
        run_block(eval, !eval->scalars, base, block_length((int64_t)(values - base)));
}

void sw_eval_points(struct sw_eval *eval, int count, const double *const *point, double *out)
{
    const struct sw_program *p = eval->program;
    const struct instruction *root = &p->code[p->root];
    size_t values = (size_t)count * (size_t)eval->lanes;
    assert((size_t)count + eval->at <= (size_t)eval->max_points);
    widen_step(eval);
    if (root->rate <= SW_RATE_STEP) {
        const double *lane = eval_scalar(eval, p->root);
        for (int i = 0; i < count; i++)
            for (int l = 0; l < eval->lanes; l++) *out++ = lane[l];
    } else if (root->op == OP_NAME || root->rate == SW_RATE_CELL) {
        if (count > 0) memcpy(out, eval_place(eval, p->root, 0, point), values * sizeof *out);
    } else {
        set_tasks(eval, SW_RATE_POINT, point, out);
        for (size_t base = 0; base < values; base += VALUES_AT_ONCE)
            run_block(eval, !eval->scalars, base, block_length((int64_t)(values - base)));
    }
}

/* ------------------------------------------------------------------ many runs at once */

/* Here a block is 256 runs, and the symbols are the rows of param. */
static void over_runs(struct sw_eval *e, int64_t count, const double *param, int64_t ld, const double **row,
                      double *out)
{
    const struct sw_program *p = e->program;
    const struct instruction *root = &p->code[p->root];
    for (int k = 0; k < p->count; k++) widen(e, &p->code[k], &p->code[k].value);
    for (int64_t base = 0; base < count; base += VALUES_AT_ONCE) {
        int n = block_length(count - base);
        for (int slot = 0; slot < p->params; slot++) row[slot] = param + slot * ld + base;
        if (root->op == OP_NUMBER) {
            for (int i = 0; i < n; i++) out[base + i] = root->value;
        } else if (root->op == OP_NAME) {
            memcpy(out + base, row[root->slot], (size_t)n * sizeof *out);
        } else {
            set_tasks(e, SW_RATE_RUN, row, out + base);
            run_block(e, false, 0, n);
        }
    }
}

enum sw_status sw_program_over_runs(const struct sw_program *program, int64_t count, const double *param, int64_t ld,
                                    double *out)
{
    enum sw_status st;
    struct sw_eval *e = NULL;
    const double **row = NULL;
    if (sw_program_rate(program) != SW_RATE_RUN)
        return SW_FAIL(SW_E_ARG, "the expression depends on the point or on time; it has no single value in a run");
    SW_TRY_TO(done, st, sw_eval_create(program, 0, &e));
    SW_TRY_TO(done, st, sw_alloc((size_t)program->params, &row));
    over_runs(e, count, param, ld, row, out);
done:
    sw_free(row);
    sw_eval_destroy(&e);
    return st;
}
