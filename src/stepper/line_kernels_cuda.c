#include <assert.h>
#include <string.h>

#include "base/sw_embed.h"
#include "stepper/line_kernels.h"

const char *const sw_line_kernel_name[SW_LINE_KERNELS] = {
    [SW_RUN_K] = "run_k", [SW_CELL_K] = "cell_k", [SW_STEP_K] = "step_k", [SW_RHS_K] = "rhs_k",
    [SW_CHECK_K] = "check_k", [SW_INITIAL_K] = "initial_k", [SW_ENERGY_K] = "energy_k",
};

/* What NVRTC lacks of stdint.h, and what the generated functions expect. */
static const char prologue[] =
    "typedef unsigned int uint32_t;\n"
    "typedef unsigned long long uint64_t;\n"
    "typedef double real;\n";

static const char *const before[] = {
    "base/sw_hd.h", "expr/random_point.h", "stepper/line_point.h", "stepper/measure_point.h", "stepper/batch_point.h",
    "sum_rtc.cuh", 0,
};

/* An embedded file without its #include lines: what they name stands before it. */
static void add_file(struct sw_text *text, const char *name)
{
    const struct sw_embedded *file = sw_embedded;
    while (file->name && strcmp(file->name, name)) file++;
    assert(file->name);  /* the Makefile's list `embedded` has all of them */
    for (const char *line = file->begin, *end; line < file->end; line = end) {
        const char *newline = memchr(line, '\n', (size_t)(file->end - line));
        end = newline ? newline + 1 : file->end;
        if (strncmp(line, "#include", 8)) sw_text_add_bytes(text, line, (size_t)(end - line));
    }
}

struct part { const char *macro, *prefix; const struct sw_program *program; };
enum { PARTS = 4 };

static void parts_of(const struct sw_line_model *m, struct part part[PARTS])
{
    part[0] = (struct part){"INITIAL", "model_initial", m->initial};
    part[1] = (struct part){"G", "model_g", m->g};
    part[2] = (struct part){"S", "model_s", m->s};
    part[3] = (struct part){"ENERGY", "model_energy", m->energy};
}

static struct sw_program_size size_of(const struct sw_program *program)
{
    return program ? sw_program_size(program) : (struct sw_program_size){0};
}

static void add_part(struct sw_text *text, const struct part *p)
{
    struct sw_program_size size = size_of(p->program);
    sw_text_printf(text, "#define SW_HAS_%s %d\n", p->macro, p->program != NULL);
    sw_text_printf(text, "enum { %s_RUN = %d, %s_STEP = %d, %s_CELL = %d };\n", p->macro, size.run, p->macro, size.step,
                   p->macro, size.cell);
    if (p->program) sw_program_cuda(p->program, p->prefix, text);
}

struct sw_program_size sw_line_kept(const struct sw_line_model *model)
{
    struct sw_program_size g = size_of(model->g), s = size_of(model->s);
    return (struct sw_program_size){.run = g.run + s.run, .step = g.step + s.step, .cell = g.cell + s.cell};
}

void sw_line_text(const struct sw_line_model *model, struct sw_text *text)
{
    struct part part[PARTS];
    parts_of(model, part);
    sw_text_add(text, prologue);
    sw_text_printf(text, "enum { SW_IN_X = %d, SW_IN_U = %d, SW_IN_UX = %d, SW_INPUTS = %d };\n", SW_IN_X, SW_IN_U,
                   SW_IN_UX, SW_INPUTS);
    for (int k = 0; before[k]; k++) add_file(text, before[k]);
    for (int k = 0; k < PARTS; k++) add_part(text, &part[k]);
    add_file(text, "line_rtc.cuh");
}

enum sw_status sw_line_compile(const struct sw_line_model *model, int sm, void **cubin)
{
    struct sw_text text = {0};
    size_t bytes;
    bool from_cache;
    enum sw_status st;
    *cubin = NULL;
    sw_line_text(model, &text);
    st = sw_text_status(&text);
    if (!st)
        st = sw_kernel_compile(sw_text_get(&text), "the GPU code of the expressions", sm, cubin, &bytes, &from_cache);
    sw_text_free(&text);
    return st;
}
