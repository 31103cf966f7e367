/* A program as a polynomial in u: found once by expanding its instructions, then expanded again with numbers each
 * step. */
#include <string.h>

#include "base/sw_mem.h"
#include "expr/eval_impl.h"

enum { SUM_TERMS = SW_FORM_TERMS };

struct term { int power, cell; };  /* of u; the CELL instruction, -1: none */

/* The value of an instruction: the sum over its terms of factor u^power cell. */
struct sum {
    int         count;             /* -1: it is none */
    struct term term[SUM_TERMS];
    double     *factor;            /* [SUM_TERMS][lanes] */
};

struct sw_form {
    const struct sw_eval *eval;
    struct sum           *sum;     /* [program->count] */
    bool                 *moves;   /* [program->count]: its sum has other factors in each step */
    double               *factor;
    int64_t               factor_run;  /* that the factors belong to, by eval->begun; -1: none */
};

static double *factor_of(const struct sw_form *f, struct sum *s, int k) { return s->factor + k * f->eval->lanes; }

/* s += sign * x[] * y[] at a term; y NULL: 1. */
static void add_term(const struct sw_form *f, struct sum *s, struct term t, double sign, const double *x,
                     const double *y)
{
    int k = 0;
    if (s->count < 0) return;
    while (k < s->count && (s->term[k].power != t.power || s->term[k].cell != t.cell)) k++;
    if (k == SUM_TERMS || t.power > SW_FORM_DEGREE) {
        s->count = -1;
        return;
    }
    double *factor = factor_of(f, s, k);
    if (k == s->count) {
        s->term[s->count++] = t;
        memset(factor, 0, (size_t)f->eval->lanes * sizeof *factor);
    }
    for (int l = 0; l < f->eval->lanes; l++) factor[l] += sign * (y ? x[l] * y[l] : x[l]);
}

static void add_sum(const struct sw_form *f, struct sum *s, double sign, struct sum *x)
{
    if (x->count < 0) s->count = -1;
    for (int k = 0; k < x->count; k++) add_term(f, s, x->term[k], sign, factor_of(f, x, k), NULL);
}

/* One operand must have a single term: the product of two sums, like (u - 1000)^3, would lose digits when expanded. */
static void multiply(const struct sw_form *f, struct sum *s, struct sum *x, struct sum *y)
{
    if (x->count != 1 || y->count < 0) {
        struct sum *other = x;
        x = y;
        y = other;
    }
    if (x->count != 1 || y->count < 0) s->count = -1;
    for (int k = 0; s->count >= 0 && k < y->count; k++) {
        struct term a = x->term[0], b = y->term[k];
        struct term t = {a.power + b.power, a.cell >= 0 ? a.cell : b.cell};
        if (a.cell >= 0 && b.cell >= 0) s->count = -1;
        add_term(f, s, t, 1.0, factor_of(f, x, 0), factor_of(f, y, k));
    }
}

static void divide(const struct sw_form *f, struct sum *s, struct sum *x, const struct instruction *by,
                   const double *value)
{
    double inverse[256];
    if (by->rate > SW_RATE_STEP || x->count < 0) s->count = -1;
    for (int l = 0; s->count >= 0 && l < f->eval->lanes; l++) inverse[l] = 1.0 / value[l];
    for (int k = 0; s->count >= 0 && k < x->count; k++) add_term(f, s, x->term[k], 1.0, factor_of(f, x, k), inverse);
}

static void expand_point(const struct sw_form *f, int k)
{
    const struct instruction *in = &f->eval->program->code[k];
    struct sum *s = &f->sum[k], *x = &f->sum[in->operand[0] < 0 ? 0 : in->operand[0]];
    struct sum *y = &f->sum[in->operand[1] < 0 ? 0 : in->operand[1]];
    switch ((int)in->op) {
    case OP_NEG: add_sum(f, s, -1.0, x); break;
    case OP_ADD: add_sum(f, s, 1.0, x); add_sum(f, s, 1.0, y); break;
    case OP_SUB: add_sum(f, s, 1.0, x); add_sum(f, s, -1.0, y); break;
    case OP_MUL: multiply(f, s, x, y); break;
    case OP_DIV: divide(f, s, x, &f->eval->program->code[in->operand[1]], eval_scalar(f->eval, in->operand[1])); break;
    default:     s->count = -1;
    }
}

/* What changes from step to step, and is read where points are. */
static void find_moving(const struct sw_form *f)
{
    const struct sw_program *p = f->eval->program;
    for (int k = 0; k < p->count; k++) {
        const struct instruction *in = &p->code[k];
        if (in->rate == SW_RATE_STEP) f->moves[k] = k == p->root;
        for (int j = 0; in->rate > SW_RATE_STEP && j < op_table[in->op].operands; j++) {
            const int from = in->operand[j];
            if (p->code[from].rate == SW_RATE_STEP) f->moves[from] = true;
            f->moves[k] |= f->moves[from];
        }
    }
}

/* @param all  false: what does not move is there */
static void expand(const struct sw_form *f, bool all)
{
    const struct sw_eval *e = f->eval;
    const struct sw_program *p = e->program;
    double one[256];
    for (int l = 0; l < e->lanes; l++) one[l] = 1.0;
    for (int k = 0; k < p->count; k++) {
        const struct instruction *in = &p->code[k];
        struct sum *s = &f->sum[k];
        if (!all && !f->moves[k]) continue;
        s->count = 0;
        if (in->rate <= SW_RATE_STEP) add_term(f, s, (struct term){0, -1}, 1.0, eval_scalar(e, k), NULL);
        else if (in->rate == SW_RATE_CELL) add_term(f, s, (struct term){0, k}, 1.0, one, NULL);
        else if (in->op != OP_NAME) expand_point(f, k);
        else if (in->slot == SW_IN_U) add_term(f, s, (struct term){1, -1}, 1.0, one, NULL);
        else s->count = -1;
    }
}

/* The values of a cell that is not kept are nowhere. */
static bool has_values(const struct sw_program *p, int cell)
{
    return cell < 0 || p->code[cell].op == OP_NAME || p->code[cell].kept >= 0;
}

enum sw_status sw_form_create(const struct sw_eval *eval, struct sw_form **form)
{
    const struct sw_program *p = eval->program;
    enum sw_status st;
    struct sw_form *f = NULL;
    bool fits;
    *form = NULL;
    SW_TRY(sw_alloc(1, &f));
    f->eval = eval;
    f->factor_run = -1;
    SW_TRY_TO(failed, st, sw_alloc((size_t)p->count, &f->sum));
    SW_TRY_TO(failed, st, sw_alloc((size_t)(p->count * SUM_TERMS * eval->lanes), &f->factor));
    SW_TRY_TO(failed, st, sw_alloc((size_t)p->count, &f->moves));
    for (int k = 0; k < p->count; k++) f->sum[k].factor = f->factor + (size_t)(k * SUM_TERMS * eval->lanes);
    find_moving(f);
    expand(f, true);
    const struct sum *root = &f->sum[p->root];
    fits = root->count >= 0;
    for (int k = 0; k < root->count; k++) fits &= has_values(p, root->term[k].cell);
    if (fits) *form = f;
    else sw_form_destroy(&f);
    return SW_OK;
failed:
    sw_form_destroy(&f);
    return st;
}

void sw_form_destroy(struct sw_form **form)
{
    if (!form || !*form) return;
    sw_free((*form)->sum);
    sw_free((*form)->factor);
    sw_free((*form)->moves);
    sw_free(*form);
    *form = NULL;
}

int sw_form_terms(struct sw_form *form, const double *const *cell, struct sw_form_term term[SW_FORM_TERMS])
{
    const struct sw_program *p = form->eval->program;
    struct sum *root = &form->sum[p->root];
    bool steady = p->first[SW_RATE_STEP] == p->first[SW_RATE_STEP + 1];
    const bool begins = form->factor_run != form->eval->begun;
    if (begins || !steady) expand(form, begins);
    form->factor_run = form->eval->begun;
    for (int k = 0; k < root->count; k++) {
        const struct term t = root->term[k];
        term[k] = (struct sw_form_term){.power = t.power, .factor = factor_of(form, root, k),
                                        .cell = t.cell < 0 ? NULL : eval_place(form->eval, t.cell, 0, cell)};
    }
    return root->count;
}
