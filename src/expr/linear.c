/* A program as a linear function: each instruction as its row of factors, by its own operation on those of its
 * operands, once a run, or once a step where a factor depends on time. */
#include "expr/sw_linear.h"

#include <assert.h>
#include <string.h>

#include "base/sw_mem.h"
#include "expr/eval_impl.h"

struct sw_linear {
    const struct sw_eval  *eval;
    int                    count;     /* terms                                                           */
    struct sw_linear_term *term;      /* [count]                                                         */
    int                   *term_of;   /* [program->count] of a POINT symbol                              */
    double                *row;       /* [program->count][count + 1]: of terms, and what does not vary   */
    int64_t                begun;     /* the run of the factors, by eval->begun; -1: none                */
};

static double *row_of(const struct sw_linear *l, int k) { return l->row + (size_t)k * ((size_t)l->count + 1); }

/* ------------------------------------------------------------------ factors */

static void set_symbol(const struct sw_linear *l, int k)
{
    const int t = l->term_of[k];
    double *row = row_of(l, k);
    memset(row, 0, ((size_t)l->count + 1) * sizeof *row);
    for (int q = 0; q < l->count; q++)  /* x_k = (x_k - r) + r */
        row[q] = q == t || (l->term[q].first && l->term[q].group == l->term[t].group);
}

static void set_row(const struct sw_linear *l, int k)
{
    const struct instruction *in = &l->eval->program->code[k];
    const bool second = in->operand[1] >= 0;
    const double *a = row_of(l, in->operand[0]), *b = second ? row_of(l, in->operand[1]) : a,
                 x = a[l->count], y = b[l->count];
    const bool a_varies = l->eval->program->code[in->operand[0]].rate == SW_RATE_POINT;
    double *out = row_of(l, k);
    for (int q = 0; q <= l->count; q++) switch ((int)in->op) {
        case OP_NEG: out[q] = -a[q]; break;
        case OP_ADD: out[q] = a[q] + b[q]; break;
        case OP_SUB: out[q] = a[q] - b[q]; break;
        case OP_MUL: out[q] = a_varies ? a[q] * y : x * b[q]; break;
        default:     out[q] = a[q] / y;
        }
}

static void set_rows(const struct sw_linear *l)
{
    const struct sw_program *p = l->eval->program;
    for (int k = 0; k < p->count; k++) {
        if (p->code[k].rate <= SW_RATE_STEP) {
            memset(row_of(l, k), 0, (size_t)l->count * sizeof *l->row);
            row_of(l, k)[l->count] = *eval_scalar(l->eval, k);
        } else if (p->code[k].op == OP_NAME) {
            set_symbol(l, k);
        } else {
            set_row(l, k);
        }
    }
}

int sw_linear_count(const struct sw_linear *linear) { return linear->count; }

const struct sw_linear_term *sw_linear_terms(struct sw_linear *l, double *constant)
{
    const struct sw_program *p = l->eval->program;
    const double *root = row_of(l, p->root);
    const bool steady = p->first[SW_RATE_STEP] == p->first[SW_RATE_STEP + 1];
    if (!steady || l->begun != l->eval->begun) {
        set_rows(l);
        for (int q = 0; q < l->count; q++) l->term[q].factor = root[q];
        l->begun = l->eval->begun;
    }
    *constant = root[l->count];
    return l->term;
}

/* ------------------------------------------------------------------ what is linear */

static bool varies(const struct sw_program *p, int k) { return p->code[k].rate > SW_RATE_STEP; }

static bool is_linear(const struct sw_program *p)
{
    if (!varies(p, p->root)) return false;
    for (int k = 0; k < p->count; k++) {
        const struct instruction *in = &p->code[k];
        if (!varies(p, k)) continue;
        if (in->rate != SW_RATE_POINT) return false;
        switch ((int)in->op) {
        case OP_NAME: case OP_NEG: case OP_ADD: case OP_SUB: break;
        case OP_MUL: if (varies(p, in->operand[0]) && varies(p, in->operand[1])) return false; break;
        case OP_DIV: if (varies(p, in->operand[1])) return false; break;
        default:     return false;
        }
    }
    return true;
}

/* Terms in the order of their groups. */
static void set_terms(struct sw_linear *l, int first_slot, int count, const int *group)
{
    const struct sw_program *p = l->eval->program;
    for (int g = 0; g < count; g++) {
        bool first = true;
        for (int k = p->first[SW_RATE_POINT]; k < p->count; k++) {
            if (p->code[k].op != OP_NAME || group[p->code[k].slot - first_slot] != g) continue;
            l->term_of[k] = l->count;
            l->term[l->count++] = (struct sw_linear_term){.slot = p->code[k].slot, .group = g, .first = first};
            first = false;
        }
    }
}

static enum sw_status make(const struct sw_eval *eval, int first_slot, int count, const int *group,
                           struct sw_linear *l)
{
    const size_t instructions = (size_t)eval->program->count;
    *l = (struct sw_linear){.eval = eval, .begun = -1};
    SW_TRY(sw_alloc(instructions, &l->term));
    SW_TRY(sw_alloc(instructions, &l->term_of));
    set_terms(l, first_slot, count, group);
    return sw_alloc(instructions * ((size_t)l->count + 1), &l->row);
}

enum sw_status sw_linear_create(const struct sw_eval *eval, int first_slot, int count, const int *group,
                                struct sw_linear **linear)
{
    *linear = NULL;
    assert(eval->lanes == 1);
    if (!is_linear(eval->program)) return SW_OK;
    SW_TRY(sw_alloc(1, linear));
    enum sw_status st = make(eval, first_slot, count, group, *linear);
    if (st) sw_linear_destroy(linear);
    return st;
}

void sw_linear_destroy(struct sw_linear **linear)
{
    if (!*linear) return;
    sw_free((*linear)->term);
    sw_free((*linear)->term_of);
    sw_free((*linear)->row);
    sw_free(*linear);
    *linear = NULL;
}
