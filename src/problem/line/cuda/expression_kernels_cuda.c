#include <stddef.h>
#include <stdio.h>

#include "base/sw_embed.h"
#include "problem/line/stepper/fourth_order.h"
#include "problem/line/cuda/fused_point.h"
#include "problem/line/stepper/imex.h"
#include "problem/line/cuda/expression_kernels_cuda.h"
#include "problem/line/stepper/own_steps_drive.h"

static const char *const before[] = {
    "expr/inputs_point.h", "base/sw_hd.h", "expr/random_point.h", "problem/line/stepper/line_point.h",
    "problem/line/stepper/ends_point.h", "problem/line/cuda/batch_point.h", "problem/line/stepper/scalars_point.h",
    "field/sum_point.h", "cuda/sum_rtc.cuh", 0,
};

/* ------------------------------------------------------------------ expressions */

struct fragment { const char *macro, *prefix; const struct sw_program *program; };
enum { G_FRAGMENT, S_FRAGMENT, ENERGY_FRAGMENT, FRAGMENTS };

static void fragments_of(const struct sw_line_model *m, struct fragment fragment[FRAGMENTS])
{
    fragment[G_FRAGMENT] = (struct fragment){"G", "model_g", m->g[0]};
    fragment[S_FRAGMENT] = (struct fragment){"S", "model_s", m->explicit_term[0]};
    fragment[ENERGY_FRAGMENT] = (struct fragment){"ENERGY", "model_energy", m->energy};
}

static void add_fragment(struct sw_text *text, const struct fragment *p)
{
    sw_program_cuda_fragment(p->program, p->macro, p->prefix, text);
}

static void add_size(struct sw_program_size *sum, const struct sw_program *program)
{
    const struct sw_program_size size = sw_program_size(program);
    sum->run += size.run;
    sum->step += size.step;
    sum->cell += size.cell;
}

struct sw_program_size sw_line_kept(const struct sw_line_model *model)
{
    struct sw_program_size kept = {0};
    for (int v = 0; v < sw_line_unknowns(model); v++) {
        add_size(&kept, model->g[v]);
        add_size(&kept, model->explicit_term[v]);
    }
    return kept;
}

/* A program as a type. @param at  where its values begin among those kept */
static void add_type(struct sw_text *text, const char *name, const char *prefix, const struct sw_program *program,
                     const struct sw_program_size *at)
{
    char members[96];
    snprintf(members, sizeof members, "STEEP = %d, AT_RUN = %d, AT_STEP = %d, AT_CELL = %d", sw_own_steep(program),
             at->run, at->step, at->cell);
    sw_program_cuda_type(program, prefix, name, members, "inline", text);
}

/* term<2 v> is G of unknown v, term<2 v + 1> its N. */
static void add_terms(struct sw_text *text, const struct sw_line_model *m)
{
    struct sw_program_size at = {0};
    char name[32], prefix[32];
    sw_text_printf(text, "enum { UNKNOWNS = %d, TERMS = 2 * UNKNOWNS, REACH = %d, NEIGHBOURS = %d };\n"
                   "template <int K> struct term;\n", sw_line_unknowns(m), SW_REACH, SW_NEIGHBOURS);
    for (int k = 0; k < 2 * sw_line_unknowns(m); k++) {
        const struct sw_program *program = k % 2 ? m->explicit_term[k / 2] : m->g[k / 2];
        snprintf(name, sizeof name, "term<%d>", k);
        snprintf(prefix, sizeof prefix, "model_%c%d", k % 2 ? 's' : 'g', k / 2);
        add_type(text, name, prefix, program, &at);
        add_size(&at, program);
    }
}

/* A number of each unknown, as a function that vanishes. */
static void add_numbers(struct sw_text *text, const char *name, int unknowns, const double *number)
{
    sw_text_printf(text, "__device__ constexpr double %s(int v)\n{\n", name);
    for (int v = 0; v < unknowns; v++) sw_text_printf(text, "    if (v == %d) return %a;\n", v, number[v]);
    sw_text_add(text, "    return 0.0;\n}\n");
}

static void add_masses(struct sw_text *text, const struct sw_line_model *m)
{
    double d2[SW_UNKNOWNS_MOST], d4[SW_UNKNOWNS_MOST], of_g[SW_UNKNOWNS_MOST], in_result[SW_UNKNOWNS_MOST];
    for (int v = 0; v < sw_line_unknowns(m); v++) {
        const struct sw_line_mass *p = &m->mass[v];
        d2[v] = p->d2;
        d4[v] = p->d4;
        of_g[v] = sw_line_mass_of_g(p);
        in_result[v] = sw_line_has_mass(p) ? SW_LINE_FIVE_POINTS : 0.0;
    }
    sw_text_printf(text, "enum { MASS = %d };\n", sw_line_any_mass(m));
    add_numbers(text, "mass_d2", sw_line_unknowns(m), d2);
    add_numbers(text, "mass_d4", sw_line_unknowns(m), d4);
    add_numbers(text, "mass_of_g", sw_line_unknowns(m), of_g);
    add_numbers(text, "mass_of_g_in_result", sw_line_unknowns(m), in_result);
}

/* Whether some condition at an end is not 0. */
static bool any_condition(const struct sw_line_model *m)
{
    for (int k = 0; k < 2 * sw_line_unknowns(m); k++)
        if (m->end[k % 2][k / 2].first || m->end[k % 2][k / 2].second) return true;
    return false;
}

/* What line_ends_rtc.cuh needs, and it. */
static void add_ends(struct sw_text *text, const struct sw_line_model *m)
{
    const struct sw_program_size none = {0};
    char name[32], prefix[32];
    sw_text_printf(text, "enum { ENDED = %d, LIFTED = %d };\ntemplate <int K> struct condition;\n"
                   "__device__ static __forceinline__ int end_kind(int v, int side)\n{\n", sw_line_ended(m),
                   any_condition(m));
    for (int k = 0; k < 2 * sw_line_unknowns(m); k++)
        sw_text_printf(text, "    if (v == %d && side == %d) return %d;\n", k / 2, k % 2,
                       (int)m->end[k % 2][k / 2].kind);
    sw_text_add(text, "    return 0;\n}\n");
    for (int k = 0; k < 4 * sw_line_unknowns(m); k++) {
        const struct sw_line_end *end = &m->end[k / 2 % 2][k / 4];
        snprintf(name, sizeof name, "condition<%d>", k);
        snprintf(prefix, sizeof prefix, "model_condition%d", k);
        add_type(text, name, prefix, k % 2 ? end->second : end->first, &none);
    }
    sw_embedded_add("cuda/line/line_ends_rtc.cuh", text);
}

static void add_initials(struct sw_text *text, const struct sw_line_model *m)
{
    const struct sw_program_size none = {0};
    char name[32], prefix[32];
    sw_text_add(text, "template <int V> struct initial_of;\n");
    for (int v = 0; v < sw_line_unknowns(m); v++) {
        snprintf(name, sizeof name, "initial_of<%d>", v);
        snprintf(prefix, sizeof prefix, "model_initial%d", v);
        add_type(text, name, prefix, m->initial[v], &none);
    }
}

/* ------------------------------------------------------------------ the kernels of any row */

static void split_text(const struct sw_line_model *model, bool line_by_line, struct sw_text *text)
{
    struct fragment fragment[FRAGMENTS];
    fragments_of(model, fragment);
    sw_embedded_add_all(before, text);
    add_initials(text, model);
    add_terms(text, model);
    add_masses(text, model);
    add_ends(text, model);
    add_fragment(text, &fragment[ENERGY_FRAGMENT]);
    sw_embedded_add("cuda/line/line_rtc.cuh", text);
    sw_embedded_add(line_by_line ? "cuda/line/line_stage_lines_rtc.cuh" : "cuda/line/line_stage_rtc.cuh", text);
}

static const char label[] = "the GPU code of the expressions";

static const struct sw_kernel_source split_source = {
    .label = label,
    .kernel = {[SW_RUN_K] = "run_k", [SW_CELL_K] = "cell_k", [SW_STEP_K] = "step_k", [SW_STAGE_K] = "stage_k",
               [SW_ENDS_K] = "ends_k", [SW_CHECK_K] = "check_k", [SW_INITIAL_K] = "initial_k",
               [SW_ENERGY_K] = "energy_k"},
};

enum sw_status sw_line_kernels_create(struct sw_device *device, const struct sw_line_model *model, bool line_by_line,
                                      struct sw_kernels *kernels)
{
    struct sw_text text = {0};
    split_text(model, line_by_line, &text);
    return sw_kernels_create(device, &split_source, &text, kernels);
}

/* ------------------------------------------------------------------ cuda.fused and cuda.stream */

static const char *const before_fused[] = {
    "expr/inputs_point.h", "base/sw_hd.h", "expr/random_point.h", "problem/line/stepper/line_point.h",
    "problem/line/stepper/ends_point.h", "problem/line/cuda/batch_point.h", "problem/line/cuda/fused_point.h",
    "problem/line/stepper/scalars_point.h", 0,
};

static const char *const before_own_steps[] = {
    "problem/line/stepper/own_steps_point.h", "problem/line/cuda/recursive_device_point.h",
    "cuda/line/extended_rtc.cuh", "problem/line/stepper/closing_point.h", 0,
};

/* Right-hand sides, with the result unless it is the last stage; and the estimated error where it is wanted. */
static int rows_of(const struct sw_imex_stages *m, bool error) { return m->count - m->last + error; }

static const struct sw_imex_weights *weights_of(const struct sw_imex_stages *m, int r)
{
    if (r == m->count - m->last) return &m->error;
    return r + 1 < m->count ? &m->stage[r + 1] : &m->result;
}

/* The number that stage i of a method has for right-hand side r, as a function that the compiler's front end
 * evaluates: as one that vanishes later it took half of the time of a kernel. */
static void add_weights(struct sw_text *text, const char *name, const struct sw_imex_stages *m, bool error, size_t of)
{
    sw_text_printf(text, "__device__ static constexpr double %s(int r, int i = 0)\n{\n", name);
    for (int r = 0; r < rows_of(m, error); r++) {
        const double *number = (const double *)((const char *)weights_of(m, r) + of);
        const int count = of == offsetof(struct sw_imex_weights, of_first) ? 1 : m->count;
        for (int i = 0; i < count; i++)
            sw_text_printf(text, "    if (r == %d && i == %d) return %a;\n", r, i, number[i]);
    }
    sw_text_add(text, "    return 0.0;\n}\n");
}

/* Whether steps of a run's own look at some term by time. */
static bool sees_time(const struct sw_line_model *model, const struct sw_imex_stages *m, bool own_steps)
{
    bool steep = false;
    for (int v = 0; v < sw_line_unknowns(model); v++)
        steep |= sw_own_steep(model->g[v]) || sw_own_steep(model->explicit_term[v]);
    return own_steps && m->sees_time && steep;
}

static void add_method(struct sw_text *text, const struct sw_line_model *model, const struct sw_imex_stages *m,
                       bool error)
{
    sw_text_printf(text, "enum { COUNT = %d, LAST = %d, FIRST = %d, LEFT = %d, ROWS = %d, VALUED = %d };\n", m->count,
                   m->last, m->first, m->left != 0.0, rows_of(m, error), sw_imex_valued(m));
    sw_text_printf(text, "enum { ERROR_AT = %d, SEES_TIME = %d };\n", sw_fused_error_waits(model, m),
                   sees_time(model, m, error));
    sw_text_add(text, "__device__ static __forceinline__ double stage_time(int i)\n{\n");
    for (int i = 0; i < m->count; i++) sw_text_printf(text, "    if (i == %d) return %a;\n", i, m->time[i]);
    sw_text_add(text, "    return 0.0;\n}\n__device__ static __forceinline__ double of_time(int i)\n{\n");
    for (int i = 0; i < m->count; i++) sw_text_printf(text, "    if (i == %d) return %a;\n", i, m->of_time[i]);
    sw_text_add(text, "    return 0.0;\n}\n");
    add_weights(text, "of_state", m, error, offsetof(struct sw_imex_weights, of_state));
    add_weights(text, "of_value", m, error, offsetof(struct sw_imex_weights, of_value));
    add_weights(text, "of_first", m, error, offsetof(struct sw_imex_weights, of_first));
}

/* A file that ends with fused_k, or, where lines have paces, with theirs. */
static void add_kernel(struct sw_text *text, const char *file, bool paced)
{
    if (!paced) {
        sw_embedded_add(file, text);
        return;
    }
    sw_embedded_add("problem/device/paces_point.h", text);
    sw_embedded_add_with(file, "extern \"C\" __global__", "cuda/line/line_paces_rtc.cuh", text);
}

/* Shared memory is as shape says; CRANK and SPILLED concern line_fused_rtc.cuh alone. */
static void general_text(const struct sw_line_model *model, int n, const struct sw_fused_shape *shape,
                         struct sw_text *text)
{
    const struct sw_program_size held = sw_line_kept(model);
    struct fragment fragment[FRAGMENTS];
    struct sw_imex_stages stages;
    fragments_of(model, fragment);
    sw_imex_stages_of(model->scheme, &stages);
    sw_text_printf(text, "#define SINGLE 0\n#define STREAM 0\n#define CLUSTERED 0\n#define OWN_STEPS %d\n"
                   "typedef double sw_real;\n", shape->own_steps);
    sw_embedded_add_all(before_fused, text);
    if (shape->own_steps) sw_embedded_add_all(before_own_steps, text);
    add_terms(text, model);
    add_masses(text, model);
    add_ends(text, model);
    add_fragment(text, &fragment[ENERGY_FRAGMENT]);
    add_method(text, model, &stages, shape->own_steps);
    sw_text_printf(text,
                   "enum { POINTS = %d, LANES = %d, CLUSTER = 1, WARPS = %d, BLOCKS = %d, CRANK = 0, NPARAM = %d,\n"
                   "       SPILLED = 0, PER_LINE = 1, CELLS_SHARED = %d, AT_STEP = %d, AT_CELL = %d, GROUP_ROOM = %d,\n"
                   "       AT_WARPS = %d, SIDES = %d, KEPT = %d, HELD_RUN = %d, HELD_STEP = %d, HELD_CELL = %d,\n"
                   "       AT_ENDS = %d, AT_OWN = %d };\n", n,
                   shape->lanes, shape->warps, shape->blocks, model->nparam, shape->cells_shared, shape->at_step,
                   shape->at_cell, shape->room, shape->at_warps, sw_line_systems(model) / sw_line_unknowns(model),
                   shape->kept, held.run, held.step, held.cell, shape->at_ends, shape->at_own);
    sw_embedded_add("cuda/line/line_lane_rtc.cuh", text);
    sw_embedded_add("cuda/line/line_warps_rtc.cuh", text);
    sw_embedded_add("cuda/line/line_scalars_rtc.cuh", text);
    sw_embedded_add("cuda/sequence_rtc.cuh", text);
    add_kernel(text, "cuda/line/line_imex_rtc.cuh", shape->paced);
    sw_embedded_add("cuda/line/line_wide_rtc.cuh", text);
    sw_embedded_add("cuda/line/line_ended_rtc.cuh", text);
    if (shape->own_steps) sw_embedded_add("cuda/line/line_own_systems_rtc.cuh", text);
    if (shape->own_steps) sw_embedded_add("cuda/line/line_own_steps_rtc.cuh", text);
    sw_embedded_add("cuda/line/line_block_rtc.cuh", text);
}

static void fused_text(const struct sw_line_model *model, int n, const struct sw_fused_shape *shape,
                       struct sw_text *text)
{
    struct fragment fragment[FRAGMENTS];
    if (shape->general) {
        general_text(model, n, shape, text);
        return;
    }
    fragments_of(model, fragment);
    sw_text_printf(text, "#define SINGLE %d\nenum { ENDED = 0 };\ntypedef %s sw_real;\n", shape->single,
                   shape->single ? "float" : "double");
    sw_embedded_add_all(before_fused, text);
    add_fragment(text, &fragment[G_FRAGMENT]);
    add_fragment(text, &fragment[S_FRAGMENT]);
    add_fragment(text, &fragment[ENERGY_FRAGMENT]);
    sw_text_printf(
        text, "enum { POINTS = %d, LANES = %d, CLUSTER = %d, WARPS = %d, BLOCKS = %d, CRANK = %d, NPARAM = %d,\n", n,
        shape->lanes, shape->cluster, shape->warps, shape->blocks, model->scheme == SW_CRANK_NICOLSON, model->nparam);
    sw_text_printf(text,
                   "       SPILLED = %d, PER_LINE = %d, CELLS_SHARED = %d, AT_STEP = %d, AT_CELL = %d, "
                   "GROUP_ROOM = %d, AT_WARPS = %d };\n",
                   shape->spilled, shape->per_line, shape->cells_shared, shape->at_step, shape->at_cell, shape->room,
                   shape->at_warps);
    sw_text_printf(text, "#define STREAM %d\n#define CLUSTERED %d\n", shape->stream,
                   shape->cluster > 1 && !shape->stream);
    sw_embedded_add("cuda/line/line_lane_rtc.cuh", text);
    sw_embedded_add("cuda/line/line_warps_rtc.cuh", text);
    sw_embedded_add("cuda/line/line_force_rtc.cuh", text);
    if (shape->stream) {
        sw_text_printf(text, "enum { JOIN = %d };\n", sw_stream_join(n));
        sw_embedded_add("cuda/line/line_stream_rtc.cuh", text);
        return;
    }
    sw_embedded_add("cuda/line/line_scalars_rtc.cuh", text);
    if (shape->paced) sw_text_add(text, "enum { SYSTEMS = 1 };\n");
    add_kernel(text, "cuda/line/line_fused_rtc.cuh", shape->paced);
    sw_embedded_add("cuda/line/line_block_rtc.cuh", text);
}

static const struct sw_kernel_source *source_of(const struct sw_fused_shape *shape)
{
    static const struct sw_kernel_source fused = {.label = label, .kernel = {"fused_k"}},
                                         streaming = {.label = label, .kernel = {"stream_k", "stream_join_k"}},
                                         own = {.label = label,
                                                .kernel = {[SW_OWN_STEPS_K] = "own_steps_k",
                                                           [SW_OWN_BEGIN_K] = "own_begin_k",
                                                           [SW_OWN_QUEUE_K] = "own_queue_k",
                                                           [SW_OWN_NOISE_K] = "own_noise_k"}};
    return shape->own_steps ? &own : shape->stream ? &streaming : &fused;
}

enum sw_status sw_fused_compile(struct sw_device *device, const struct sw_line_model *model, int n,
                                const struct sw_fused_shape *shape, struct sw_kernels *kernels)
{
    struct sw_text text = {0};
    fused_text(model, n, shape, &text);
    return sw_kernels_create(device, source_of(shape), &text, kernels);
}

