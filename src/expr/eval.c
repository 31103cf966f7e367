/* The interpreter: one loop of op_loops over a block of points for each instruction. */
#include <assert.h>
#include <string.h>

#include "base/sw_mem.h"
#include "expr/expr_impl.h"

/* Points in a block: 2 KiB a value, so that a dozen values stay in a first-level cache of 32 KiB while the cost of
 * choosing the loop, some nanoseconds, is spread over 256 points. */
enum { BLOCK = 256 };

struct sw_eval {
    const struct sw_program *program;
    int     max_points;
    double *scalar;   /* [program->count]: numbers, RUN and STEP values        */
    double *wide;     /* [wides][BLOCK]: some of these, repeated               */
    double *scratch;  /* [scratches][BLOCK]                                    */
    double *cell;     /* [kept CELL values][max_points]                        */
    int64_t step;
};

static enum sw_status create(const struct sw_program *program, int max_points, struct sw_eval **eval)
{
    enum sw_status st;
    struct sw_eval *e;
    *eval = NULL;
    SW_TRY(sw_alloc(1, &e));
    e->program = program;
    e->max_points = max_points;
    SW_TRY_TO(failed, st, sw_alloc((size_t)program->count, &e->scalar));
    SW_TRY_TO(failed, st, sw_alloc((size_t)program->wides * BLOCK, &e->wide));
    SW_TRY_TO(failed, st, sw_alloc((size_t)program->scratches * BLOCK, &e->scratch));
    SW_TRY_TO(failed, st, sw_alloc((size_t)program->kept[SW_RATE_CELL] * (size_t)max_points, &e->cell));
    *eval = e;
    return SW_OK;
failed:
    sw_eval_destroy(&e);
    return st;
}

enum sw_status sw_eval_create(const struct sw_program *program, int max_points, struct sw_eval **eval)
{
    assert(max_points >= 0);
    return create(program, max_points, eval);
}

void sw_eval_destroy(struct sw_eval **eval)
{
    if (!eval || !*eval) return;
    sw_free((*eval)->scalar);
    sw_free((*eval)->wide);
    sw_free((*eval)->scratch);
    sw_free((*eval)->cell);
    sw_free(*eval);
    *eval = NULL;
}

/* ------------------------------------------------------------------ values shared by all points */

static void widen(struct sw_eval *e, const struct instruction *in, double value)
{
    if (in->wide < 0) return;
    for (int i = 0; i < BLOCK; i++) e->wide[in->wide * BLOCK + i] = value;
}

static double scalar_value(const struct sw_eval *e, const struct instruction *in)
{
    double v[3] = {0, 0, 0};
    for (int j = 0; j < op_table[in->op].operands; j++) v[j] = e->scalar[in->operand[j]];
    return op_value(in->op, v[0], v[1], v[2]);
}

void sw_eval_run(struct sw_eval *eval, const double *param, int64_t stride)
{
    const struct sw_program *p = eval->program;
    for (int k = p->first[SW_RATE_RUN]; k < p->first[SW_RATE_RUN + 1]; k++) {
        const struct instruction *in = &p->code[k];
        eval->scalar[k] = in->op == OP_NUMBER ? in->value
                        : in->op == OP_NAME ? param[in->slot * stride] : scalar_value(eval, in);
        widen(eval, in, eval->scalar[k]);
    }
}

void sw_eval_step(struct sw_eval *eval, double t, int64_t step)
{
    const struct sw_program *p = eval->program;
    eval->step = step;
    for (int k = p->first[SW_RATE_STEP]; k < p->first[SW_RATE_STEP + 1]; k++) {
        const struct instruction *in = &p->code[k];
        eval->scalar[k] = in->op == OP_NAME ? t : scalar_value(eval, in);
        widen(eval, in, eval->scalar[k]);
    }
}

/* ------------------------------------------------------------------ values at points */

/* Where the values of instruction k for the points from base on are; in[slot] are the arrays of the symbols. */
static double *place(const struct sw_eval *e, int k, int base, const double *const *in)
{
    const struct instruction *ins = &e->program->code[k];
    if (ins->wide >= 0) return e->wide + (size_t)ins->wide * BLOCK;
    if (ins->op == OP_NAME) return (double *)in[ins->slot] + base;
    if (ins->scratch >= 0) return e->scratch + (size_t)ins->scratch * BLOCK;
    return e->cell + (size_t)ins->kept * (size_t)e->max_points + base;
}

/* All instructions of one rate, for n <= BLOCK points from base on. out: where the root goes, if it is among them;
 * NULL: it is kept. */
static void run_block(const struct sw_eval *e, enum sw_rate rate, int base, int n, const double *const *in, double *out)
{
    const struct sw_program *p = e->program;
    const struct op_where where = {base, e->step, p->stream};
    for (int k = p->first[rate]; k < p->first[rate + 1]; k++) {
        const struct instruction *ins = &p->code[k];
        const double *x[3];
        int operands = op_table[ins->op].operands;
        if (!operands) continue;
        for (int j = 0; j < 3; j++) x[j] = place(e, ins->operand[j < operands ? j : 0], base, in);
        op_loops[ins->op](n, x[0], x[1], x[2], out && k == p->root ? out : place(e, k, base, in), &where);
    }
}

static int block_length(int64_t left) { return left < BLOCK ? (int)left : BLOCK; }

void sw_eval_cells(struct sw_eval *eval, int count, const double *const *cell)
{
    assert(count <= eval->max_points);
    for (int base = 0; base < count; base += BLOCK)
        run_block(eval, SW_RATE_CELL, base, block_length(count - base), cell, NULL);
}

void sw_eval_points(struct sw_eval *eval, int count, const double *const *point, double *out)
{
    const struct sw_program *p = eval->program;
    const struct instruction *root = &p->code[p->root];
    assert(count <= eval->max_points);
    if (root->rate <= SW_RATE_STEP) {
        for (int i = 0; i < count; i++) out[i] = eval->scalar[p->root];
    } else if (root->op == OP_NAME || root->rate == SW_RATE_CELL) {
        if (count > 0) memcpy(out, place(eval, p->root, 0, point), (size_t)count * sizeof *out);
    } else {
        for (int base = 0; base < count; base += BLOCK)
            run_block(eval, SW_RATE_POINT, base, block_length(count - base), point, out + base);
    }
}

/* ------------------------------------------------------------------ many runs at once */

/* Here a block is 256 runs, and the symbols are the rows of param. */
static void over_runs(struct sw_eval *e, int64_t count, const double *param, int64_t ld, const double **row,
                      double *out)
{
    const struct sw_program *p = e->program;
    const struct instruction *root = &p->code[p->root];
    for (int k = 0; k < p->count; k++) widen(e, &p->code[k], p->code[k].value);
    for (int64_t base = 0; base < count; base += BLOCK) {
        int n = block_length(count - base);
        for (int slot = 0; slot < p->params; slot++) row[slot] = param + slot * ld + base;
        if (root->op == OP_NUMBER)
            for (int i = 0; i < n; i++) out[base + i] = root->value;
        else if (root->op == OP_NAME)
            memcpy(out + base, row[root->slot], (size_t)n * sizeof *out);
        else
            run_block(e, SW_RATE_RUN, 0, n, row, out + base);
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
    SW_TRY_TO(done, st, create(program, 0, &e));
    SW_TRY_TO(done, st, sw_alloc((size_t)program->params, &row));
    over_runs(e, count, param, ld, row, out);
done:
    sw_free(row);
    sw_eval_destroy(&e);
    return st;
}
