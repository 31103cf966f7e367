#include "problem/fields/cuda/fields_text.h"

#include <stdio.h>
#include <string.h>

#include "base/sw_embed.h"
#include "problem/fields/fields_batch_cpu.h"

/* ------------------------------------------------------------------ what is in it */

struct programs {
    const struct sw_program *rhs[SW_UNKNOWNS_MOST], *varying[FIELDS_VARYING_MOST], *energy;
    struct fields_varying list[FIELDS_VARYING_MOST];
    int varies, same[FIELDS_VARYING_MOST];  /* the first one with the same functions */
};

static bool is_same(const struct sw_program *a, const struct sw_program *b)
{
    struct sw_text text[2] = {{0}, {0}};
    sw_program_cuda(a, "p", &text[0]);
    sw_program_cuda(b, "p", &text[1]);
    const bool same = !sw_text_status(&text[0]) && !sw_text_status(&text[1]) &&
                      !strcmp(sw_text_get(&text[0]), sw_text_get(&text[1]));
    sw_text_free(&text[0]);
    sw_text_free(&text[1]);
    return same;
}

static struct programs programs_of(const struct fields_desc *d)
{
    struct programs p = {.energy = d->energy ? d->energy->row[0].rhs : NULL};
    p.varies = fields_varying_of(d, p.list);
    for (int v = 0; v < d->terms->unknowns; v++) p.rhs[v] = d->terms->row[v].rhs;
    for (int k = 0; k < p.varies; k++) {
        p.varying[k] = p.list[k].program;
        while (p.same[k] < k && !is_same(p.varying[p.same[k]], p.varying[k])) p.same[k]++;
    }
    return p;
}

static void raise_to(struct sw_program_size *most, int count, const struct sw_program *const *program)
{
    for (int k = 0; k < count; k++) {
        const struct sw_program_size size = sw_program_size(program[k]);
        if (size.run > most->run) most->run = size.run;
        if (size.step > most->step) most->step = size.step;
    }
}

/* The most that one of them keeps. */
static struct sw_program_size most_kept(const struct fields_desc *d, const struct programs *p)
{
    struct sw_program_size most = {0};
    raise_to(&most, d->terms->unknowns, p->rhs);
    raise_to(&most, p->varies, p->varying);
    raise_to(&most, d->terms->unknowns, d->initial);
    raise_to(&most, 1, &p->energy);
    return most;
}

/* ------------------------------------------------------------------ shapes */

static int segments_of(const struct fields_shape *s, int axis, int64_t n)
{
    return (int)((n + s->segment[axis] - 1) / s->segment[axis]);
}

/* A thread has 8 to 32 points of a line, so that a block has 512 threads at most along a line. */
static int segment_for(int64_t n) { return n == 1 ? 1 : n <= 256 ? 8 : n <= 8192 ? 16 : 32; }

enum { LINE_MOST = 16384, WARP = 32, USUAL_THREADS = 256, SHARED_MOST = 200 * 1024 };

static int at_least(int a, int b) { return a > b ? a : b; }
static int whole_warps(int threads) { return (threads + WARP - 1) / WARP * WARP; }

/* Lines along x lie in shared memory, segments an odd number of doubles apart. */
static void cut_rows(const struct fields_desc *d, int threads, struct fields_shape *s)
{
    const int segments = segments_of(s, 0, d->n[0]);
    s->rows = at_least(threads / segments, 1);
    if (s->rows > d->n[1] * d->n[2]) s->rows = (int)(d->n[1] * d->n[2]);
    const size_t tasks = (size_t)(s->rows * segments);
    s->threads[0] = whole_warps((int)tasks);
    s->shared[0] = tasks * (size_t)((s->segment[0] | 1) + 4) * sizeof(double);
}

/* Of lines along y and z as many beside each other as make whole sectors, if they can. */
static void cut_columns(const struct fields_desc *d, int axis, int threads, struct fields_shape *s)
{
    const int64_t beside = axis == 1 ? d->n[0] : d->n[0] * d->n[1];
    const int segments = segments_of(s, axis, d->n[axis]);
    int columns = WARP;
    while (columns > 1 && columns * segments > threads) columns /= 2;
    while (columns / 2 >= beside) columns /= 2;
    s->columns[axis] = columns;
    s->threads[axis] = whole_warps(columns * segments);
    s->shared[axis] = (size_t)at_least(4 * columns * segments, s->threads[axis]) * sizeof(double);
}

bool fields_shape_stream(const struct fields_desc *d, struct fields_shape *s)
{
    *s = (struct fields_shape){.rows = 1};
    for (int a = 0; a < SW_DIMS; a++) {
        if (d->n[a] > LINE_MOST) return false;
        s->segment[a] = segment_for(d->n[a]);
    }
    cut_rows(d, USUAL_THREADS, s);
    for (int a = 1; a < SW_DIMS; a++) cut_columns(d, a, 2 * USUAL_THREADS, s);
    return s->shared[0] <= SHARED_MOST;
}

int fields_kept(const struct fields_desc *d)
{
    const int stages = fields_method_of(d->scheme)->stages;
    return 1 + stages + (stages > 1 || d->own_steps);
}

size_t fields_shared_most(int sm)
{
    const int kilobytes = sm == 80 || sm == 87 ? 163 : sm == 90 || sm == 100 || sm == 103 ? 227 : 99;
    return (size_t)kilobytes * 1024;
}

/* All passes have the threads of the block; what they need in shared memory is behind the fields. */
static bool cut_block(const struct fields_desc *d, int threads, struct fields_shape *s)
{
    const size_t fields = (size_t)fields_kept(d) * fields_size(d) * sizeof(double);
    size_t most = (size_t)threads * sizeof(double);
    *s = (struct fields_shape){.kept = fields_kept(d)};
    for (int a = 0; a < SW_DIMS; a++) {
        s->segment[a] = segment_for(d->n[a]);
        if (segments_of(s, a, d->n[a]) > threads) return false;
    }
    cut_rows(d, threads, s);
    for (int a = 1; a < SW_DIMS; a++) cut_columns(d, a, threads, s);
    for (int a = 0; a < SW_DIMS; a++)
        if (s->shared[a] > most) most = s->shared[a];
    for (int a = 0; a < SW_DIMS; a++) {
        s->threads[a] = threads;
        s->shared[a] = fields + most;
    }
    return true;
}

/* A segment for each thread, which has all of an increment in registers: more than 640 threads have too few of them
 * for segments and F. */
static int whole_segment(const struct fields_desc *d)
{
    static const int segments[] = {16, 32, 8, 16};
    enum { TRIES = sizeof segments / sizeof *segments, MANY = 640, MOST = 1024 };
    for (int k = 0; k < TRIES; k++) {
        const int64_t segment = segments[k], threads = d->n[0] * d->n[1] / segment;
        if (d->n[0] % segment || d->n[1] % segment || threads % WARP) continue;
        if (threads <= (k + 1 < TRIES ? MANY : MOST)) return segments[k];
    }
    return 0;
}

/* @param room  of shared memory, in bytes */
static bool cut_whole(const struct fields_desc *d, size_t room, struct fields_shape *s)
{
    const int segment = whole_segment(d), kept = fields_kept(d) - 1;
    if (!segment || d->terms->unknowns > 1 || d->terms->dimensions > 2) return false;
    const int threads = (int)(d->n[0] * d->n[1]) / segment;
    const size_t fields = (size_t)kept * fields_size(d) * sizeof(double),
                 row = (size_t)(d->n[0] / segment) * (size_t)(segment | 1) * sizeof(double),
                 states = 4 * (size_t)threads * sizeof(double);
    *s = (struct fields_shape){.segment = {segment, segment, 1}, .rows = 1, .columns = {0, 1, 1}, .kept = kept};
    if (fields >= room) return false;
    for (int groups = 1; groups <= d->n[1] / segment; groups *= 2) {
        s->group = (int)(d->n[1] / segment + groups - 1) / groups * segment;
        const size_t exchanged = (size_t)s->group * row, most = exchanged > states ? exchanged : states;
        for (int a = 0; a < SW_DIMS; a++) s->threads[a] = threads, s->shared[a] = fields + most;
        if (s->shared[0] <= room) return true;
    }
    return false;
}

/* What programs keep lies in shared memory, too: of each unknown, and of all times that are looked at. */
static size_t bytes_kept(const struct fields_desc *d)
{
    const struct programs p = programs_of(d);
    const struct sw_program_size most = most_kept(d, &p);
    return (size_t)(d->terms->unknowns + fields_method_of(d->scheme)->stages + 1) * (size_t)(most.run + most.step + 2) *
           sizeof(double);
}

/* Where there is room, twice the threads. */
bool fields_shape_fused(const struct fields_desc *d, struct fields_shape *s)
{
    enum { LARGE = 8192, SYSTEM = 1024 };  /* what the compiler and the driver take */
    const size_t room = fields_shared_most(90) - SYSTEM - bytes_kept(d);
    if (bytes_kept(d) + SYSTEM >= fields_shared_most(90)) return false;
    if (cut_whole(d, room, s)) return true;
    for (int threads = fields_size(d) >= LARGE ? 2 * USUAL_THREADS : USUAL_THREADS; threads >= 2 * WARP; threads /= 2)
        if (cut_block(d, threads, s) && s->shared[0] <= room) return true;
    return false;
}

/* ------------------------------------------------------------------ programs, numbers */

struct family { const char *name; int count; const struct sw_program *const *program; };

static void add_family(struct sw_text *text, const struct family *f)
{
    char name[48], prefix[48];
    sw_text_printf(text, "template <int V> struct %s;\n", f->name);
    for (int k = 0; k < f->count; k++) {
        snprintf(name, sizeof name, "%s<%d>", f->name, k);
        snprintf(prefix, sizeof prefix, "fields_%s%d", f->name, k);
        sw_program_cuda_type(f->program[k], prefix, name, "", "__forceinline__", text);
    }
}

/* A function of a number that vanishes in the compiler, where it is called with one that it knows. */
static void begin_table(struct sw_text *text, const char *where, const char *type, const char *name,
                        const char *parameters)
{
    sw_text_printf(text, "%s__device__ static __forceinline__ constexpr %s %s(%s)\n{\n", where, type, name, parameters);
}

static void add_numbers(struct sw_text *text, const char *name, const double *number)
{
    begin_table(text, "", "double", name, "int i");
    for (int i = 0; i < FIELDS_STAGES; i++)
        if (number[i] != 0.0) sw_text_printf(text, "    if (i == %d) return %a;\n", i, number[i]);
    sw_text_add(text, "    return 0.0;\n}\n");
}

static void add_weights(struct sw_text *text, const char *name, double weight[FIELDS_STAGES][FIELDS_STAGES])
{
    begin_table(text, "", "double", name, "int i, int j");
    for (int i = 0; i < FIELDS_STAGES; i++)
        for (int j = 0; j < FIELDS_STAGES; j++)
            if (weight[i][j] != 0.0)
                sw_text_printf(text, "    if (i == %d && j == %d) return %a;\n", i, j, weight[i][j]);
    sw_text_add(text, "    return 0.0;\n}\n");
}

static void add_method(struct sw_text *text, const struct fields_method *method)
{
    struct fields_method m = *method;
    add_weights(text, "method_a", m.a);
    add_weights(text, "method_h", m.h);
    add_numbers(text, "method_b", m.b);
    add_numbers(text, "method_c", m.c);
    add_numbers(text, "method_e", m.e);
}

static void add_view(struct sw_text *text, const char *name, const struct fields_terms *terms)
{
    sw_text_printf(text, "struct %s {\nenum { NEIGHBOURS = %d };\n", name, terms ? terms->neighbours : 0);
    begin_table(text, "", "int", "unknown", "int q");
    for (int q = 0; terms && q < terms->neighbours; q++)
        if (terms->neighbour[q].unknown)
            sw_text_printf(text, "    if (q == %d) return %d;\n", q, terms->neighbour[q].unknown);
    sw_text_add(text, "    return 0;\n}\n");
    begin_table(text, "", "int", "offset", "int q, int axis");
    for (int q = 0; terms && q < terms->neighbours; q++)
        for (int a = 0; a < SW_DIMS; a++)
            if (terms->neighbour[q].offset[a])
                sw_text_printf(text, "    if (q == %d && axis == %d) return %d;\n", q, a,
                               terms->neighbour[q].offset[a]);
    sw_text_add(text, "    return 0;\n}\n};\n");
}

static void add_varying(struct sw_text *text, const struct programs *p)
{
    static const char *const name[] = {"varying_unknown", "varying_axis", "varying_fourth", "varying_same"};
    for (int c = 0; c < 4; c++) {
        begin_table(text, "", "int", name[c], "int k");
        for (int k = 0; k < p->varies; k++) {
            const int number[] = {p->list[k].unknown, p->list[k].axis, p->list[k].fourth, p->same[k]};
            if (number[c]) sw_text_printf(text, "    if (k == %d) return %d;\n", k, number[c]);
        }
        sw_text_add(text, "    return 0;\n}\n");
    }
}

/* ------------------------------------------------------------------ the text */

static void add_programs(struct sw_text *text, const struct fields_desc *d)
{
    const struct programs p = programs_of(d);
    const struct family family[] = {{"rhs_of", d->terms->unknowns, p.rhs}, {"varying", p.varies, p.varying},
                                    {"initial_of", d->terms->unknowns, d->initial}, {"energy_of", 1, &p.energy}};
    const struct sw_program_size most = most_kept(d, &p);
    for (size_t k = 0; k < sizeof family / sizeof *family; k++) add_family(text, &family[k]);
    sw_text_printf(text, "enum { VARYING = %d, KEPT_RUN = %d, KEPT_STEP = %d };\n", p.varies, most.run, most.step);
    add_varying(text, &p);
}

static void add_definitions(struct sw_text *text, const struct fields_desc *d, const struct fields_shape *s)
{
    struct fields_walk walk = {.steep = false};
    const struct fields_method *m = fields_method_of(d->scheme);
    const int columns = s->threads[1] > s->threads[2] ? s->threads[1] : s->threads[2];
    fields_set_walk(d, &walk);
    sw_text_printf(text, "enum { UNKNOWNS = %d, AXES = %d, NX = %d, NY = %d, NZ = %d, STAGES = %d, OWN = %d, "
                   "STEEP = %d, SINGLE = %d };\n", d->terms->unknowns, d->terms->dimensions, (int)d->n[0],
                   (int)d->n[1], (int)d->n[2], m->stages, d->own_steps, walk.steep, d->single);
    sw_text_printf(text, "enum { FIELDS_INPUTS = %d, SEGMENT_X = %d, SEGMENT_Y = %d, SEGMENT_Z = %d, ROWS = %d, "
                   "COLUMNS_Y = %d, COLUMNS_Z = %d };\n", FIELDS_INPUTS, s->segment[0], s->segment[1], s->segment[2],
                   s->rows, s->columns[1], s->columns[2]);
    sw_text_printf(text, "enum { THREADS_ROWS = %d, THREADS_COLUMNS = %d, TILE = %d, THREADS_FUSED = %d, "
                   "FIELDS_KEPT = %d, WHOLE = %d, GROUP = %d };\n#define SEEN %a\n", s->threads[0], columns,
                   FIELDS_TILE, s->threads[0], s->kept, s->group > 0, s->group, FIELDS_SEEN);
    add_method(text, m);
    add_view(text, "of_terms", d->terms);
    add_view(text, "of_energy", d->energy);
    add_programs(text, d);
}

#define BEFORE                                                                                                        \
    .label = "the GPU code of the right-hand sides",                                                                  \
    .before = {"expr/inputs_point.h", "base/sw_hd.h", "expr/random_point.h", "problem/line/stepper/line_point.h",     \
               "problem/fields/w_matrix_point.h", "field/sample_point.h", "field/sum_point.h"}
#define AFTER                                                                                                         \
    "problem/line/cuda/recursive_device_point.h", "problem/line/stepper/own_steps_point.h",                           \
        "problem/fields/cuda/fields_point.h", "cuda/sum_rtc.cuh", "cuda/fields/fields_rtc.cuh",                       \
        "cuda/fields/fields_stream_rtc.cuh"
#define KERNELS                                                                                                       \
    [FIELDS_PACE_K] = "pace_k", [FIELDS_MOST_K] = "most_k", [FIELDS_SYSTEM_K] = "system_k",                           \
    [FIELDS_ROWS_K] = "rows_k", [FIELDS_COLUMNS_K] = "columns_k", [FIELDS_TIME_K] = "time_k",                         \
    [FIELDS_JUDGE_K] = "judge_k", [FIELDS_FIRST_K] = "first_k", [FIELDS_INITIAL_K] = "initial_k",                     \
    [FIELDS_BEGIN_K] = "begin_k", [FIELDS_SETTLE_K] = "settle_k", [FIELDS_COPY_K] = "copy_k",                         \
    [FIELDS_ENERGY_K] = "energy_k", [FIELDS_LOOK_K] = "look_k"
static const struct sw_kernel_source sources[] = {
    {BEFORE, .after = {AFTER}, .kernel = {KERNELS}},
    {BEFORE, .after = {AFTER, "cuda/fields/fields_fused_rtc.cuh"}, .kernel = {KERNELS, [FIELDS_FUSED_K] = "fused_k"}},
};

enum sw_status fields_kernels_create(struct sw_device *device, const struct fields_desc *desc,
                                     const struct fields_shape *shape, struct sw_kernels *kernels)
{
    struct sw_text text = {0};
    add_definitions(&text, desc, shape);
    return sw_kernels_create(device, &sources[shape->kept > 0], &text, kernels);
}

enum sw_status fields_kernels_try_compile(const struct fields_desc *desc, const struct fields_shape *shape, int sm)
{
    struct sw_text text = {0};
    add_definitions(&text, desc, shape);
    return sw_kernels_try_compile(&sources[shape->kept > 0], &text, sm);
}
