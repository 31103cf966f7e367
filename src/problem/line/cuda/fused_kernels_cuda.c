#include "problem/line/cuda/fused_kernels_cuda.h"

#include <stdio.h>

#include "base/sw_err.h"
#include "problem/line/cuda/fused_point.h"
#include "problem/line/stepper/imex.h"
#include "problem/line/stepper/sw_stepper_impl.h"

static int block_of(int n, int lanes) { return (n + lanes - 1) / lanes; }

/* ------------------------------------------------------------------ what a device has */

enum { MOST_CLUSTER = 16 };

static bool has_clusters(int sm) { return sm >= 90; }

/* Bytes of shared memory of a multiprocessor, of which a block takes 1024 besides its own. */
static size_t shared_of(int sm)
{
    bool large = sm >= 90 && sm < 120, middle = sm == 80 || sm == 87;
    return (size_t)(large ? 228 : middle ? 164 : 100) * 1024;
}

/* Registers a thread, of 64 Ki a multiprocessor. */
static int registers_of(int threads, int blocks)
{
    int registers = 65536 / (threads * blocks) / 8 * 8;
    return registers > 255 ? 255 : registers;
}

/* ------------------------------------------------------------------ one layout */

/* Crank-Nicolson keeps two numbers a point, the old field and the one being solved for, of which `spilled` lie in
 * shared memory; backward Euler one. About OTHERS registers hold the rest. */
enum { MOST = SW_FUSED_MOST, OTHERS = 40, AS_NEEDED = -1 };

static bool two_numbers(const struct sw_stepper_desc *d) { return d->model.scheme == SW_CRANK_NICOLSON; }

/* Up to 32 lanes `spilled` is what was measured to be best, whatever the compiler makes of the rest; that of a line of
 * several warps follows from the registers. */
static bool fit_registers(const struct sw_stepper_desc *d, struct sw_fused_shape *shape)
{
    int block = block_of(d->n, shape->lanes), size = d->single_steps ? 1 : 2;  /* registers a number */
    int left = registers_of(32 * shape->warps, shape->blocks) - OTHERS - size * block;
    if (block > MOST) return false;
    if (shape->spilled == AS_NEEDED) {
        if (left < 0) return false;
        shape->spilled = left >= size * block ? 0 : block - left / size;
    }
    if (!two_numbers(d) || (d->single_steps && shape->lanes <= 32)) shape->spilled = 0;  /* room for all */
    if (shape->spilled > block) shape->spilled = block;
    return true;
}

/* Powers for lanes, points that come and go; powers for lanes and warps, totals, edges, a flag. */
size_t sw_fused_shared(const struct sw_fused_shape *shape)
{
    const int powers = 8 * 32, warps = shape->lanes / 32, block = shape->response - 2;
    if (shape->lanes <= 32) return (size_t)shape->at_warps;
    if (shape->stream) return (size_t)(shape->at_warps + powers + shape->warps * 32 * (block | 1));
    return (size_t)(shape->at_warps + powers + 8 * warps + 4 * warps + 2 * shape->warps + 1);
}

static bool fits_shared(const struct sw_fused_shape *shape, int sm)
{
    return (sw_fused_shared(shape) * sizeof(double) + 1024) * (size_t)shape->blocks <= shared_of(sm);
}

/* Shared memory: of each line powers, values kept for the next steps, values kept a cell; their responses; values
 * between sweeps; what a line of several warps needs. Lines begin at multiples of 64 bytes. */
static void lay_out_shared(const struct sw_stepper_desc *d, bool cells_shared, struct sw_fused_shape *shape)
{
    struct sw_program_size kept = sw_line_kept(&d->model);
    int group = shape->lanes < 32 ? shape->lanes : 32, here = shape->lanes / shape->cluster,
        lines = shape->warps * 32 / here;
    int block = block_of(d->n, shape->lanes), stages = 0;
    while (1 << stages < group) stages++;
    shape->cells_shared = cells_shared;
    shape->single = d->single_steps;
    shape->response = block + 2;
    shape->at_step = 4 + 8 * stages;
    shape->at_cell = shape->at_step + (group * kept.step + 1) / 2 * 2;
    shape->room = (shape->at_cell + (cells_shared ? kept.cell * block * here : 0) + 7) / 8 * 8;
    shape->at_warps = ((shape->room + shape->response) * lines + shape->spilled * shape->warps * 32 + 1) / 2 * 2;
}

/* More lines at once are worth less than values kept a cell. @return whether the line goes like this */
static bool fit_layout(const struct sw_stepper_desc *d, int sm, struct sw_fused_shape *shape)
{
    int wanted = shape->blocks;
    if (!fit_registers(d, shape)) return false;
    for (; shape->blocks >= (wanted < 2 ? wanted : 2); shape->blocks--) {
        lay_out_shared(d, true, shape);
        if (fits_shared(shape, sm)) return true;
    }
    shape->blocks = wanted;
    lay_out_shared(d, false, shape);
    return fits_shared(shape, sm);
}

/* ------------------------------------------------------------------ which layout */

/* Lanes a line in a block, blocks a multiprocessor, blocks a line and values spilled for lines of up to so many points.
 * Up to 32 lanes measured on an H200, 64 Mi points at once: Crank-Nicolson at n = 64, 100, 128, 256, 333, 512, 1000,
 * 1024, 1500 and 2048, backward Euler with u^3 - u at 128, 512, 1000, 1024 and 2048, with a forcing in x and t besides
 * at 512 and 1024; the rest is as their neighbours. The more points a lane has the fewer stages there are: 64 a lane
 * win over 32 and more warps. More lanes than 32: measured likewise at n = 3000, 4096, 8192, 16384, 65536, 131072 and
 * 200000, backward Euler at 4096, 16384 and 65536; what is between by occupancy. Single precision: n = 128 and 1024. */
struct layout { int most, lanes, blocks, cluster, spilled; };

#define WARPS(most, lanes, blocks, cluster) {most, lanes, blocks, cluster, AS_NEEDED}

#define CRANK_WARPS                                                                                       \
    WARPS(4096, 64, 4, 1), WARPS(8192, 128, 2, 1), WARPS(16384, 256, 1, 1), WARPS(32768, 128, 2, 4),      \
    WARPS(65536, 256, 1, 4), WARPS(131072, 256, 1, 8), WARPS(262144, 256, 1, 16)
static const struct layout crank[] = {
    {128, 4, 3, 1, 0}, {256, 4, 2, 1, 32}, {384, 8, 3, 1, 24}, {512, 8, 2, 1, 32}, {1024, 16, 2, 1, 32},
    {32 * 48, 32, 2, 1, 0}, {32 * MOST, 32, 2, 1, 24}, CRANK_WARPS, {0},
};
static const struct layout crank_single[] = {
    {128, 4, 6, 1, 0}, {256, 4, 3, 1, 0}, {512, 8, 3, 1, 0}, {1024, 16, 3, 1, 0}, {32 * MOST, 32, 3, 1, 0},
    CRANK_WARPS, {0},
};
#define EULER_WARPS                                                                                       \
    WARPS(4096, 64, 6, 1), WARPS(6144, 96, 4, 1), WARPS(8192, 128, 3, 1), WARPS(12288, 192, 2, 1),        \
    WARPS(24576, 384, 1, 1), WARPS(32768, 128, 3, 4), WARPS(65536, 128, 3, 8), WARPS(98304, 192, 2, 8),   \
    WARPS(196608, 384, 1, 8), WARPS(393216, 384, 1, 16)
static const struct layout euler[] = {
    {128, 4, 4, 1, 0}, {256, 8, 4, 1, 0}, {512, 16, 4, 1, 0}, {1024, 32, 4, 1, 0}, {32 * MOST, 32, 3, 1, 0},
    EULER_WARPS, {0},
};

/* ------------------------------------------------------------------ any model */

/* Numbers a lane may hold: the code is as long as it has points, and what the registers do not hold lies in memory. */
enum { GENERAL_MOST = 64 };

static bool is_general(const struct sw_stepper_desc *d)
{
    return sw_stepper_needs(d) & (SW_LINE_ALL | SW_LINE_MASS | SW_LINE_ENDS);
}

/* Of a line that ends, the points that an end needs lie in one lane: its first and its last three. */
static bool has_room_for_ends(const struct sw_stepper_desc *d, int lanes)
{
    return !sw_line_ended(&d->model) || d->n / lanes >= 3;
}

/* Of later right-hand sides, and of u^n where it is wanted; with steps of their own also of the estimated error, unless
 * it lies where a right-hand side was. */
static int later_numbers(const struct sw_stepper_desc *d, int block)
{
    struct sw_imex_stages m;
    sw_imex_stages_of(d->model.scheme, &m);
    const int of_steps = d->own_steps ? 2 - sw_fused_error_waits(&d->model, &m) : m.left != 0.0;
    return (m.count - m.last - 1 + of_steps) * sw_line_unknowns(&d->model) * block;
}

/* As lay_out_shared(): of each line its recursions' tables, values kept for the next times, values kept a cell, what
 * closes it at its ends, what is known of its own steps; their responses; numbers of later right-hand sides. */
static void lay_out_general(const struct sw_stepper_desc *d, bool cells_shared, int numbers, struct sw_fused_shape *s)
{
    const struct sw_program_size held = sw_line_kept(&d->model);
    const int lines = s->warps * 32 / s->lanes, block = block_of(d->n, s->lanes), systems = sw_line_systems(&d->model);
    int stages = 0;
    while (1 << stages < s->lanes) stages++;
    s->cells_shared = cells_shared;
    s->kept = numbers;
    s->response = block + 2;
    s->at_step = systems * (8 + 8 * stages);
    s->at_cell = s->at_step + (s->lanes * held.step + 1) / 2 * 2;
    s->at_ends = s->at_cell + (cells_shared ? held.cell * block * s->lanes : 0);
    s->at_own = s->at_ends + (sw_line_ended(&d->model) ? sw_line_unknowns(&d->model) * SW_ENDED_ROOM : 0);
    s->room = (s->at_own + (s->own_steps ? SW_OWN_STEPS_NUMBERS + sw_line_unknowns(&d->model) : 0) + 7) / 8 * 8;
    s->at_warps = ((s->room + systems * s->response) * lines + numbers * s->warps * 32 + 1) / 2 * 2;
}

/* Values kept a cell, then numbers of later right-hand sides, where shared memory has room for them. */
static bool fit_general(const struct sw_stepper_desc *d, int sm, struct sw_fused_shape *s)
{
    const int block = block_of(d->n, s->lanes), later = later_numbers(d, block);
    if (d->single_steps || s->lanes > 32 || block * sw_line_unknowns(&d->model) > GENERAL_MOST) return false;
    if (!has_room_for_ends(d, s->lanes)) return false;
    s->general = s->per_line = 1;
    s->own_steps = d->own_steps;
    s->spilled = 0;
    lay_out_general(d, true, 0, s);
    if (!fits_shared(s, sm)) lay_out_general(d, false, 0, s);
    const bool cells = s->cells_shared;
    for (int numbers = later; numbers >= 0; numbers--) {
        lay_out_general(d, cells, numbers, s);
        if (fits_shared(s, sm)) return true;
    }
    return false;
}

static bool fit(const struct sw_stepper_desc *d, int sm, struct sw_fused_shape *shape)
{
    return is_general(d) ? fit_general(d, sm, shape) : fit_layout(d, sm, shape);
}

/* ------------------------------------------------------------------ which layout */

static struct sw_fused_shape shape_of(int lanes, int blocks, int cluster, int spilled)
{
    return (struct sw_fused_shape){
        .lanes = lanes * cluster,
        .cluster = cluster,
        .warps = lanes > 32 ? lanes / 32 : 4,
        .blocks = blocks,
        .spilled = spilled,
    };
}

static const struct layout *layouts_for(const struct sw_stepper_desc *d)
{
    if (two_numbers(d)) return d->single_steps ? crank_single : crank;
    return euler;
}

/* Whether lanes hold c, N and G of an unknown at a time. */
static bool has_both_terms(const struct sw_line_model *m)
{
    for (int v = 0; v < sw_line_unknowns(m); v++)
        if (m->g[v] && m->explicit_term[v]) return true;
    return false;
}

/* Whether the line goes like this without numbers in memory: with up to MANY of them the compiler needs no more than
 * the 128 registers that four blocks leave it (sm_90, all of configs/equations), with half as many where the line ends
 * or P is not 1; in the latter case MANY need what three blocks leave, unless an unknown has both G and N. With steps
 * of its own a line holds, besides its points, what shared memory has no room for, and OTHERS_OWN registers, or
 * OTHERS_WIDE. Values kept a cell have to be there, as computing them again at each step takes longer than all else:
 * forced Cahn-Hilliard of 1024 points by imex2 went at a quarter of the speed (H200). */
static bool has_room(const struct sw_stepper_desc *d, int sm, struct sw_fused_shape *shape)
{
    enum { MANY = 32, WIDE_BLOCKS = 3, OTHERS_OWN = 64, OTHERS_WIDE = 96 };
    const int block = block_of(d->n, shape->lanes), points = block * sw_line_unknowns(&d->model);
    const int later = later_numbers(d, block);
    if (!fit_general(d, sm, shape) || (sw_line_kept(&d->model).cell && !shape->cells_shared)) return false;
    const bool ended = sw_line_ended(&d->model), mass = sw_line_any_mass(&d->model), wide = ended || mass;
    const bool less = ended || (mass && (shape->blocks > WIDE_BLOCKS || has_both_terms(&d->model)));
    const int most = less ? MANY / 2 : MANY;
    if (!d->own_steps) return points <= most && shape->kept == later;
    const int others = wide ? OTHERS_WIDE : OTHERS_OWN;
    return 2 * (points + later - shape->kept) + others <= registers_of(32 * shape->warps, shape->blocks);
}

/* As few lanes as hold the line with so many numbers each, or all 32. */
static int lanes_of(const struct sw_stepper_desc *d, int numbers)
{
    int lanes = 4;
    while (lanes < 32 && block_of(d->n, lanes) * sw_line_unknowns(&d->model) > numbers &&
           has_room_for_ends(d, 2 * lanes))
        lanes *= 2;
    return lanes;
}

/* Of MOST_BLOCKS blocks with MANY numbers a lane, where all later right-hand sides lie in shared memory: a tenth to a
 * fifth faster than with FEW (imex2 and imex1, one and two unknowns, on an H200: results/gpu/lines.txt). Where P is not
 * 1, of one block fewer: a tenth faster (imex2 of order 4, n = 256). Elsewhere FEW, and as many blocks as have that
 * room; with steps of their own in registers, of three blocks at most: 7 to 11 % faster than of four, n = 256. Lines
 * that all have one matrix would go 3.5 % faster with 64 numbers a lane; but which runs are in a batch must not change
 * their bits, so they are laid out as those that differ. */
static bool pick_general(const struct sw_stepper_desc *d, int sm, struct sw_fused_shape *shape)
{
    enum { FEW = 16, MANY = 32, MOST_BLOCKS = 4, MOST_OWN = 3, FEWEST_BLOCKS = 2 };
    *shape = shape_of(lanes_of(d, MANY), MOST_BLOCKS, 1, 0);
    if (has_room(d, sm, shape)) return true;
    *shape = shape_of(lanes_of(d, MANY), MOST_BLOCKS - 1, 1, 0);
    if (sw_line_any_mass(&d->model) && !d->own_steps && has_room(d, sm, shape)) return true;
    for (int blocks = d->own_steps ? MOST_OWN : MOST_BLOCKS; blocks > FEWEST_BLOCKS; blocks--) {
        *shape = shape_of(lanes_of(d, FEW), blocks, 1, 0);
        if (has_room(d, sm, shape)) return true;
    }
    *shape = shape_of(lanes_of(d, FEW), FEWEST_BLOCKS, 1, 0);
    return fit_general(d, sm, shape);
}

bool sw_fused_shape_pick(const struct sw_stepper_desc *d, int sm, struct sw_fused_shape *shape)
{
    if (is_general(d)) return pick_general(d, sm, shape);
    for (const struct layout *l = layouts_for(d); l->most; l++) {
        if (l->most < d->n || (l->cluster > 1 && !has_clusters(sm))) continue;
        *shape = shape_of(l->lanes, l->blocks, l->cluster, l->spilled);
        if (fit_layout(d, sm, shape)) return true;
    }
    return false;
}

static bool is_possible(const struct sw_stepper_desc *d, int sm, const struct sw_fused_shape *s)
{
    int here = s->lanes / s->cluster;
    if (here < 4 || s->lanes > d->n || s->blocks * s->warps > 64) return false;  /* 2048 threads a multiprocessor */
    if (here <= 32) return (here & (here - 1)) == 0;
    return here % 32 == 0 && (s->cluster == 1 || has_clusters(sm));
}

enum sw_status sw_fused_shape_read(const struct sw_stepper_desc *d, int sm, const char *text,
                                   struct sw_fused_shape *shape)
{
    int number[4], count = 0, end = 0;
    const char *rest = text;
    for (; count < 4 && sscanf(rest, count ? "x%d%n" : "%d%n", &number[count], &end) == 1; count++) rest += end;
    if (count < 2 || *rest)
        return SW_FAIL(SW_E_CONFIG, "band solver %s: there is no such row: cuda.fused takes no band solver", text);
    int lanes = number[0], blocks = number[1], third = count > 2 ? number[2] : lanes > 32,
        fourth = count > 3 ? number[3] : -1;
    bool possible = lanes > 0 && lanes <= 1024 && blocks > 0 && blocks <= 32;
    if (lanes <= 32) {
        possible = possible && third >= 0 && (count < 4 || (fourth > 0 && fourth <= 32));
        if (possible) *shape = shape_of(lanes, blocks, 1, third);
        if (possible && count == 4) shape->warps = fourth;
    } else {
        possible = possible && third > 0 && third <= MOST_CLUSTER && (count < 4 || fourth >= 0);
        if (possible) *shape = shape_of(lanes, blocks, third, count == 4 ? fourth : AS_NEEDED);
    }
    if (!possible || !is_possible(d, sm, shape) || !fit(d, sm, shape))
        return SW_FAIL(SW_E_CONFIG, "cuda.fused+%s: %d points do not go over lanes like this", text, d->n);
    return SW_OK;
}

/* ------------------------------------------------------------------ cuda.stream */

/* A lane needs a point at least, and a line two warps. */
enum { STREAM_MOST = 32, STREAM_LEAST = 64 };

bool sw_fused_shape_stream(const struct sw_stepper_desc *d, const char *text, struct sw_fused_shape *shape)
{
    const bool explicit_terms = d->model.g[0] || d->model.explicit_term[0];
    int most = STREAM_MOST, blocks = explicit_terms ? 4 : 5, end = 0;  /* measured on an H200, n = 2^20 */
    if (text && (sscanf(text, "%dx%d%n", &most, &blocks, &end) < 2 || text[end])) return false;
    if (most < 4 || most > STREAM_MOST || blocks < 1 || blocks > 16 || d->n < STREAM_LEAST) return false;
    const int join = sw_stream_join(d->n), spans = join * block_of(block_of(d->n, most), 32 * join),
              warps = spans % 4 ? 2 : 4;
    *shape = (struct sw_fused_shape){
        .lanes = 32 * spans, .cluster = spans / warps, .stream = true, .warps = warps, .blocks = blocks,
    };
    lay_out_shared(d, false, shape);
    return true;
}

/* ------------------------------------------------------------------ coefficients and kernels */

static struct sw_fused_cut cut_of(const struct sw_stepper_desc *d, const struct sw_fused_shape *shape)
{
    return (struct sw_fused_cut){.n = d->n, .lanes = shape->lanes, .stream = shape->stream, .single = d->single_steps,
                                 .ended = sw_line_ended(&d->model) && !d->own_steps ? sw_line_unknowns(&d->model) : 0};
}

size_t sw_fused_kernels_bytes(const struct sw_stepper_desc *d, const struct sw_fused_shape *shape)
{
    const struct sw_fused_cut cut = cut_of(d, shape);
    const size_t lines = shape->own_steps ? 0 : shape->general ? (size_t)sw_line_systems(&d->model) : 1;
    return (size_t)sw_fused_table(&cut) * sizeof(double) + lines * sizeof(struct sw_fused_line);
}

static enum sw_status compile_kernels(struct sw_stepper *s, struct sw_fused_kernels *p, int per_line)
{
    if (p->kernels[per_line].module) return SW_OK;
    p->shape.per_line = per_line;
    return sw_fused_compile(s->device, &s->desc.model, s->desc.n, &p->shape, &p->kernels[per_line]);
}

enum sw_status sw_fused_kernels_create(struct sw_stepper *s, const struct sw_fused_shape *shape,
                                       struct sw_fused_kernels *p)
{
    const size_t room = (size_t)s->desc.capacity;
    const size_t systems = shape->general ? (size_t)sw_line_systems(&s->desc.model) : 1;
    const size_t lines = shape->own_steps ? 0 : room * systems;
    p->shape = *shape;
    p->cut = cut_of(&s->desc, shape);
    sw_array_device(&s->arrays, lines, &p->line);
    sw_array_device(&s->arrays, room * (size_t)sw_fused_table(&p->cut), &p->table);
    sw_array(&s->arrays, lines, &p->host);
    sw_array(&s->arrays, room * (size_t)sw_fused_table(&p->cut), &p->host_table);
    SW_TRY(s->arrays.status);
    return compile_kernels(s, p, shape->general || shape->paced);
}

void sw_fused_kernels_destroy(struct sw_stepper *s, struct sw_fused_kernels *p)
{
    for (int per_line = 0; per_line < 2; per_line++) sw_kernels_destroy(s->device, &p->kernels[per_line]);
}

/* Lines as the kernel wants them; those in single precision overwrite the others, of which none is needed any more. */
static enum sw_status upload_lines(struct sw_stepper *s, struct sw_fused_kernels *p, size_t lines)
{
    struct sw_fused_line_single *single = (struct sw_fused_line_single *)p->host;
    if (!p->cut.single) return sw_device_upload(s->device, p->line, p->host, lines * sizeof *p->host);
    const struct sw_fused_common common = p->common;
    sw_fused_common_to_single(&common, &p->common_single);
    for (size_t j = 0; j < lines; j++) {
        const struct sw_fused_line line = p->host[j];
        sw_fused_line_to_single(&line, &single[j]);
    }
    return sw_device_upload(s->device, p->line, single, lines * sizeof *single);
}

static enum sw_status upload_tables(struct sw_stepper *s, struct sw_fused_kernels *p, size_t lines)
{
    return sw_device_upload(s->device, p->table, p->host_table,
                            lines * (size_t)sw_fused_table(&p->cut) * sizeof *p->host_table);
}

static enum sw_status load_general(struct sw_stepper *s, struct sw_fused_kernels *p)
{
    const int unknowns = sw_line_unknowns(&s->desc.model), systems = sw_line_systems(&s->desc.model);
    p->per_line = 1;
    if (p->shape.own_steps) return compile_kernels(s, p, 1);
    sw_fused_systems_set(&p->cut, &s->desc.model, systems / unknowns, s->count, s->run, s->device->threads, p->host,
                         p->host_table);
    SW_TRY(compile_kernels(s, p, 1));
    SW_TRY(upload_lines(s, p, (size_t)s->count * (size_t)systems));
    return upload_tables(s, p, (size_t)s->count);
}

enum sw_status sw_fused_kernels_load(struct sw_stepper *s, struct sw_fused_kernels *p)
{
    if (p->shape.general) return load_general(s, p);
    p->per_line = sw_fused_batch_set(&p->cut, s->count, s->run, s->device->threads, p->host, p->host_table);
    sw_fused_common_set(&p->host[0], s->desc.model.scheme, &p->common);
    SW_TRY(compile_kernels(s, p, p->per_line));
    size_t lines = p->per_line ? (size_t)s->count : 1;
    SW_TRY(upload_lines(s, p, lines));
    return upload_tables(s, p, lines);
}
