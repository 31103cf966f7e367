/* Instructions to CUDA C (and C11). All that reaches the text is op_table's own expressions, numbers in hexadecimal,
 * indices, and the caller's prefix: no character of what the user wrote. */
#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "expr/expr_impl.h"

enum { OPERAND_ROOM = 48 };

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Hexadecimal is exact. Neither NVRTC nor strict C11 has constants for inf and nan; these calls are folded silently. */
static void write_number(char text[OPERAND_ROOM], double value)
{
    if (isnan(value)) snprintf(text, OPERAND_ROOM, "sqrt(-1.0)");
    else if (isinf(value)) snprintf(text, OPERAND_ROOM, "(%slog(0.0))", value > 0 ? "-" : "");
    else snprintf(text, OPERAND_ROOM, signbit(value) ? "(%a)" : "%a", value);
}

/* How the functions of this rate name the value of instruction k. */
static void write_operand(char text[OPERAND_ROOM], const struct sw_program *p, int k, enum sw_rate rate)
{
    static const char *const kept[] = {"r[%dLL*rld]", "s[%dLL*sld]", "c[%dLL*cld]"};
    const struct instruction *in = &p->code[k];
    if (in->op == OP_NUMBER) write_number(text, in->value);
    else if (in->op == OP_NAME && in->rate == SW_RATE_RUN) snprintf(text, OPERAND_ROOM, "p[%dLL*ld]", in->slot);
    else if (in->op == OP_NAME && in->rate == SW_RATE_STEP) snprintf(text, OPERAND_ROOM, "t");
    else if (in->op == OP_NAME) snprintf(text, OPERAND_ROOM, "in[%d]", in->slot);
    else if (in->rate != rate) snprintf(text, OPERAND_ROOM, kept[in->rate], in->kept);
    else snprintf(text, OPERAND_ROOM, "v%d", k);
}

/* The expression of the operation with its letters a, b, c and the word stream replaced. */
static void add_value(struct sw_text *text, const struct sw_program *p, const struct instruction *in)
{
    char operand[OPERAND_ROOM];
    for (const char *s = op_table[in->op].value, *end; *s; s = end) {
        for (end = s + 1; is_word(*s) && is_word(*end);) end++;
        size_t length = (size_t)(end - s);
        if (length == 1 && *s >= 'a' && *s <= 'c') {
            write_operand(operand, p, in->operand[*s - 'a'], in->rate);
            sw_text_add(text, operand);
        } else if (in->op == OP_EXP && length == 3) {
            sw_text_add(text, "SW_EXP");
        } else if (op_is_random(in->op) && length == 6 && *s == 's' && s[1] == 't') {
            sw_text_printf(text, "%uu", (unsigned)p->stream);
        } else {
            sw_text_add_bytes(text, s, length);
        }
    }
}

/* Which operand of a sum or difference is a product computed at the same rate: 0, 1, or -1 for none. */
static int product_of(const struct sw_program *p, const struct instruction *in)
{
    if (in->op != OP_ADD && in->op != OP_SUB) return -1;
    for (int k = 0; k < 2; k++) {
        const struct instruction *from = &p->code[in->operand[k]];
        if (from->op == OP_MUL && from->rate == in->rate) return k;
    }
    return -1;
}

/* Whether some value needs instruction k by itself, not only inside such a sum. */
static bool stands_alone(const struct sw_program *p, int k)
{
    if (k == p->root || p->code[k].kept >= 0) return true;
    for (int j = k + 1; j < p->first[p->code[k].rate + 1]; j++) {
        const struct instruction *in = &p->code[j];
        int product = product_of(p, in);
        for (int i = 0; i < op_table[in->op].operands; i++)
            if (in->operand[i] == k && i != product) return true;
    }
    return false;
}

/* x y + z, x y - z or z - x y, to be one instruction of one rounding. Compilers are told to leave products and sums
 * alone, as they would join them here and not there, and a run's bits must be the same in every kernel that holds its
 * expression. */
static void add_fused(struct sw_text *text, const struct sw_program *p, const struct instruction *in, int k)
{
    const struct instruction *product = &p->code[in->operand[k]];
    char x[OPERAND_ROOM], y[OPERAND_ROOM], z[OPERAND_ROOM];
    bool minus = in->op == OP_SUB;
    write_operand(x, p, product->operand[0], in->rate);
    write_operand(y, p, product->operand[1], in->rate);
    write_operand(z, p, in->operand[1 - k], in->rate);
    sw_text_printf(text, "SW_FMA(%s%s, %s, %s%s)", minus && k == 1 ? "-" : "", x, y, minus && k == 0 ? "-" : "", z);
}

/* The instructions of one rate, then what is kept of them. array: r, s or c. */
static void add_body(struct sw_text *text, const struct sw_program *p, enum sw_rate rate, const char *array)
{
    for (int k = p->first[rate]; k < p->first[rate + 1]; k++) {
        const struct instruction *in = &p->code[k];
        if (!op_table[in->op].operands) continue;
        int product = product_of(p, in);
        if (in->op == OP_MUL && !stands_alone(p, k)) continue;
        sw_text_printf(text, "    const real v%d = ", k);
        if (product >= 0) add_fused(text, p, in, product);
        else add_value(text, p, in);
        sw_text_add(text, ";\n");
    }
    for (int k = p->first[rate]; array && k < p->first[rate + 1]; k++)
        if (p->code[k].kept >= 0) sw_text_printf(text, "    %s[%d] = v%d;\n", array, p->code[k].kept, k);
}

#define FUNCTION "SW_HD static inline "
#define UNUSED_R "    (void)p, (void)ld, (void)r, (void)rld"

void sw_program_cuda(const struct sw_program *program, const char *prefix, struct sw_text *text)
{
    char root[OPERAND_ROOM];
    for (const char *s = prefix; *s; s++) assert(is_word(*s));

    sw_text_printf(text, FUNCTION "void %s_run(const real *p, int ld, real *r)\n{\n"
                   "    (void)p, (void)ld, (void)r;\n", prefix);
    add_body(text, program, SW_RATE_RUN, "r");

    sw_text_printf(text, "}\n" FUNCTION "void %s_step(const real *p, int ld, const real *r, int rld, "
                   "real t, long long step, real *s)\n{\n" UNUSED_R ", (void)t, (void)step, (void)s;\n", prefix);
    add_body(text, program, SW_RATE_STEP, "s");

    sw_text_printf(text, "}\n" FUNCTION "void %s_cell(const real *p, int ld, const real *r, int rld, "
                   "const real *in, int cell, real *c)\n{\n" UNUSED_R ", (void)in, (void)cell, (void)c;\n", prefix);
    add_body(text, program, SW_RATE_CELL, "c");

    sw_text_printf(text, "}\n" FUNCTION "real %s_point(const real *p, int ld, const real *r, int rld, "
                   "const real *s, int sld, const real *c, int cld, const real *in, int cell, real t, "
                   "long long step)\n{\n" UNUSED_R
                   ", (void)s, (void)sld, (void)c, (void)cld, (void)in, (void)cell, (void)t, (void)step;\n", prefix);
    add_body(text, program, SW_RATE_POINT, NULL);
    write_operand(root, program, program->root, SW_RATE_POINT);
    sw_text_printf(text, "    return %s;\n}\n", root);
}

void sw_program_cuda_fragment(const struct sw_program *program, const char *macro, const char *prefix,
                              struct sw_text *text)
{
    const struct sw_program_size size = sw_program_size(program);
    sw_text_printf(text, "#define SW_HAS_%s %d\n", macro, program != NULL);
    sw_text_printf(text, "enum { %s_RUN = %d, %s_STEP = %d, %s_CELL = %d };\n", macro, size.run, macro, size.step,
                   macro, size.cell);
    if (program) sw_program_cuda(program, prefix, text);
}

void sw_program_cuda_type(const struct sw_program *program, const char *prefix, const char *name, const char *members,
                          const char *inlined, struct sw_text *text)
{
    static const struct { const char *result, *name, *parameters, *arguments; } function[] = {
        {"void", "run", "const double *p, int ld, double *r", "p, ld, r"},
        {"void", "step", "const double *p, int ld, const double *r, int rld, double t, long long n, double *s",
         "p, ld, r, rld, t, n, s"},
        {"void", "cell", "const double *p, int ld, const double *r, int rld, const double *in, int i, double *c",
         "p, ld, r, rld, in, i, c"},
        {"double", "point", "const double *p, int ld, const double *r, int rld, const double *s, int sld, "
         "const double *c, int cld, const double *in, int i, double t, long long n",
         "p, ld, r, rld, s, sld, c, cld, in, i, t, n"},
    };
    const struct sw_program_size size = sw_program_size(program);
    if (program) sw_program_cuda(program, prefix, text);
    sw_text_printf(text, "template <> struct %s {\n    enum { THERE = %d, RUN = %d, STEP = %d, CELL = %d%s%s };\n",
                   name, program != NULL, size.run, size.step, size.cell, *members ? ", " : "", members);
    for (size_t k = 0; k < sizeof function / sizeof *function; k++) {
        sw_text_printf(text, "    __device__ static %s %s %s(%s)\n    { ", inlined, function[k].result,
                       function[k].name, function[k].parameters);
        if (program) sw_text_printf(text, "return %s_%s(%s); }\n", prefix, function[k].name, function[k].arguments);
        else sw_text_add(text, function[k].result[0] == 'd' ? "return 0.0; }\n" : "}\n");
    }
    sw_text_add(text, "};\n");
}
