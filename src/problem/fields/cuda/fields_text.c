#include "problem/fields/cuda/fields_text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_embed.h"
#include "problem/fields/cuda/fields_point.h"
#include "problem/fields/cuda/walls_layout.h"
#include "problem/fields/fields_batch_cpu.h"

/* ------------------------------------------------------------------ what is in it */

struct programs {
    const struct sw_program *rhs[SW_UNKNOWNS_MOST], *varying[FIELDS_VARYING_MOST], *energy;
    struct fields_varying list[FIELDS_VARYING_MOST];
    int varies, same[FIELDS_VARYING_MOST];  /* the first one with the same functions */
    bool local[FIELDS_VARYING_MOST];
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

/* The neighbour that is the point itself, of the only unknown; -1: none. */
static int centre_of(const struct fields_terms *terms)
{
    for (int q = 0; terms->unknowns == 1 && q < terms->neighbours; q++) {
        const int *offset = terms->neighbour[q].offset;
        if (!offset[0] && !offset[1] && !offset[2]) return q;
    }
    return -1;
}

static bool is_random(const struct sw_program *p)
{
    struct sw_text text = {0};
    sw_program_cuda(p, "p", &text);
    const bool random = sw_text_status(&text) || strstr(sw_text_get(&text), "sw_rand") ||
                        strstr(sw_text_get(&text), "sw_noise");
    sw_text_free(&text);
    return random;
}

/* Whether a program takes in nothing but the only unknown at the point itself: no other place, no time. */
static bool is_local(const struct fields_terms *terms, const struct sw_program *p)
{
    const int centre = centre_of(terms);
    if (centre < 0 || sw_program_uses(p, "t") || is_random(p)) return false;
    for (int k = 0; k < FIELDS_INPUTS + terms->neighbours; k++)
        if (k != FIELDS_INPUTS + centre && sw_program_uses_input(p, (enum sw_input)k)) return false;
    return true;
}

static struct programs programs_of(const struct fields_desc *d)
{
    struct programs p = {.energy = d->energy ? d->energy->row[0].rhs : NULL};
    p.varies = fields_varying_of(d, p.list);
    for (int v = 0; v < d->terms->unknowns; v++) p.rhs[v] = d->terms->row[v].rhs;
    for (int k = 0; k < p.varies; k++) {
        p.varying[k] = p.list[k].program;
        while (p.same[k] < k && !is_same(p.varying[p.same[k]], p.varying[k])) p.same[k]++;
        p.local[k] = is_local(d->terms, p.varying[k]);
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
    const struct fields_walls_layout walls = fields_walls_layout_of(d);
    raise_to(&most, walls.conditions, walls.condition);
    raise_to(&most, walls.conditions, walls.rate);
    return most;
}

size_t fields_numbers_kept(const struct fields_desc *d)
{
    const struct programs p = programs_of(d);
    const struct sw_program_size most = most_kept(d, &p);
    return (size_t)(most.run + most.step + 2);
}

/* ------------------------------------------------------------------ shapes */

static int segments_of(const struct fields_shape *s, int axis, int64_t n)
{
    return (int)((n + s->segment[axis] - 1) / s->segment[axis]);
}

/* A thread has 8 to 32 points of a line, so that a block has 512 threads at most along a line. */
static int segment_for(int64_t n) { return n == 1 ? 1 : n <= 100 ? 8 : n <= 8192 ? 16 : 32; }

enum { LINE_MOST = 16384, WARP = 32, USUAL_THREADS = 256, SHARED_MOST = 200 * 1024 };

static int at_least(int a, int b) { return a > b ? a : b; }
static int whole_warps(int threads) { return (threads + WARP - 1) / WARP * WARP; }

/* Lines along x lie in shared memory, segments an odd number of doubles apart. */
static void cut_rows(const struct fields_desc *d, int threads, struct fields_shape *s)
{
    const int segments = segments_of(s, 0, d->n[0]);
    s->rows = at_least(threads / segments, 1);
    if (s->rows > d->n[1]) s->rows = (int)d->n[1];
    const size_t tasks = (size_t)(s->rows * segments);
    s->threads[0] = whole_warps((int)tasks);
    s->shared[0] = tasks * (size_t)((s->segment[0] | 1) + 4) * sizeof(double);
}

/* Of lines along y and z so many beside each other that whole lines of the cache are taken, if they can; the segments
 * of longer ones are those of a cluster of blocks, where there are such. */
static void cut_columns(const struct fields_desc *d, int axis, int threads, int blocks, struct fields_shape *s)
{
    enum { ENOUGH = 16, USUAL = 512 };
    const int64_t beside = axis == 1 ? d->n[0] : d->n[0] * d->n[1];
    const int segments = segments_of(s, axis, d->n[axis]);
    int columns = WARP, size = 1;
    while (columns > ENOUGH && columns * segments > USUAL) columns /= 2;
    while (columns / 2 >= beside) columns /= 2;
    while (columns * ((segments + size - 1) / size) > threads && size < blocks) size *= 2, threads = USUAL;
    while (columns > 1 && columns * ((segments + size - 1) / size) > threads) columns /= 2;
    const int tasks = columns * ((segments + size - 1) / size);
    s->columns[axis] = columns;
    s->blocks[axis] = size;
    s->threads[axis] = whole_warps(tasks);
    s->shared[axis] = (size_t)at_least(4 * tasks, s->threads[axis]) * sizeof(double);
}

/* Bytes of shared memory that a block may have on a device of compute capability sm/10. */
static size_t shared_most(int sm)
{
    const int kilobytes = sm == 80 || sm == 87 ? 163 : sm == 90 || sm == 100 || sm == 103 ? 227 : 99;
    return (size_t)kilobytes * 1024;
}

static int known_elsewhere(const struct fields_desc *d)
{
    const struct programs p = programs_of(d);
    int elsewhere = 0;
    for (int k = 0; k < p.varies; k++) elsewhere += !p.local[k];
    return elsewhere;
}

/* Rows of a block share what they load: four, where that is not too many threads. */
static int rows_threads(int segments)
{
    enum { FEW = 128, MANY = 512, ROWS = 4 };
    const int threads = ROWS * segments;
    return threads < FEW ? FEW : threads > MANY ? MANY : threads;
}

/* Threads have registers for so many on a multiprocessor. */
static int columns_together(const struct fields_shape *s)
{
    return at_least(1024 / at_least(s->threads[1], s->threads[2]), 1);
}

/* u of the points that a block solves last is copied while it does so, where all blocks that the registers hold have
 * room for it. Blocks of 1024 threads, and lines that end at walls, whose coefficients are read twice, are faster with
 * more of the memory as a cache: 1024 x 1024 takes 7.75e10 points a second for 7.44e10 on an H200, without flux 4.33e10
 * for 3.91e10; 512 x 512 and 4096 x 4096 are not. */
static void fetch_state(const struct fields_desc *d, int sm, struct fields_shape *s)
{
    enum { DRIVER = 1024, COPIES = 80, FEW = 512 };  /* of each block; the first sm that copies so; threads */
    const int last = d->terms->dimensions - 1;
    const size_t tasks = (size_t)s->columns[last] * (size_t)((segments_of(s, last, d->n[last]) + s->blocks[last] - 1) /
                                                             s->blocks[last]);
    const size_t bytes = (4 + (size_t)s->segment[last]) * tasks * sizeof(double);
    if (sm < COPIES || d->walls[last] || s->threads[last] > FEW) return;
    if ((size_t)columns_together(s) * (bytes + DRIVER) > shared_most(sm)) return;
    s->fetched = 1;
    if (s->shared[last] < bytes) s->shared[last] = bytes;
}

bool fields_shape_stream(const struct fields_desc *d, int sm, struct fields_shape *s)
{
    *s = (struct fields_shape){.rows = 1};
    if (fields_size(d) > INT_MAX) return false;
    for (int a = 0; a < SW_DIMS; a++) {
        if (d->n[a] > LINE_MOST) return false;
        s->segment[a] = segment_for(d->n[a]);
    }
    cut_rows(d, rows_threads(segments_of(s, 0, d->n[0])), s);
    for (int a = 1; a < SW_DIMS; a++) cut_columns(d, a, 1024, sm >= 90 ? 8 : 1, s);
    s->elsewhere = known_elsewhere(d);
    fetch_state(d, sm, s);
    if (fields_walls_layout_of(d).walls > INT_MAX) return false;
    return s->shared[0] <= (shared_most(sm) < SHARED_MOST ? shared_most(sm) : SHARED_MOST);
}

/* cuFFT transforms rows of odd length two by two, as the parts of complex ones, be they of different runs: each then
 * has errors of its neighbour's size, and one that is not finite spoils the other. */
bool fields_shape_waves(const struct fields_desc *d, int sm, struct fields_shape *s)
{
    const bool fits = fields_shape_stream(d, sm, s);
    s->waves = true;
    return fits && d->n[0] % 2 == 0;
}

int fields_kept(const struct fields_desc *d)
{
    const int stages = fields_method_of(d->scheme)->stages;
    return 1 + stages + (stages > 1 || d->own_steps);
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
    for (int a = 1; a < SW_DIMS; a++) cut_columns(d, a, threads, 1, s);
    for (int a = 0; a < SW_DIMS; a++)
        if (s->shared[a] > most) most = s->shared[a];
    for (int a = 0; a < SW_DIMS; a++) {
        s->threads[a] = threads;
        s->shared[a] = fields + most;
    }
    return true;
}

/* Blocks of a run each that a multiprocessor has room for in its shared memory, and that share its registers: no more
 * threads than leave each 128 of them, where that is more than one. */
static int blocks_of(const struct fields_shape *s, int sm)
{
    enum { KEPT = 2048, THREADS_MOST = 512 };
    int blocks = (int)(shared_most(sm) / (s->shared[0] + KEPT));
    while (blocks > 1 && blocks * s->threads[0] > THREADS_MOST) blocks--;
    return at_least(blocks, 1);
}

/* How far programs take in rows of others. */
static int reach_y(const struct fields_desc *d)
{
    int reach = 0;
    for (int q = 0; q < d->terms->neighbours; q++)
        reach = at_least(reach, abs(d->terms->neighbour[q].offset[1]));
    return reach;
}

/* Fields of a block that has `rows` rows of a run and, in a cluster, those that are taken in of others. */
static size_t part_bytes(const struct fields_desc *d, int kept, int64_t rows, int cluster)
{
    const int64_t all = cluster > 1 ? rows + 2 * reach_y(d) : d->n[1] * d->n[2];
    return (size_t)kept * (size_t)d->terms->unknowns * (size_t)(d->n[0] * all) * sizeof(double);
}

/* With `segment` points of a column for each thread of each block of a cluster. The last increment has no field, nor
 * has the first one of two stages, which follows from the state of the second one unless walls move.
 * @param room  of shared memory, in bytes */
static bool cut_whole_by(const struct fields_desc *d, int segment, int cluster, size_t room, struct fields_shape *s)
{
    enum { ROW = 16, MANY = 640 };
    const bool derived = fields_method_of(d->scheme)->stages == 2 && !fields_walls_layout_of(d).moves;
    const int kept = fields_kept(d) - (derived ? 2 : 1);
    const int64_t threads = d->n[0] * d->n[1] / segment / cluster;
    if (d->n[0] % ROW || d->n[1] % (segment * cluster) || threads % WARP || threads > MANY) return false;
    const size_t fields = part_bytes(d, kept, d->n[1] / cluster, cluster),
                 rows = (size_t)threads * (ROW + 1) * sizeof(double);
    *s = (struct fields_shape){.segment = {ROW, segment, 1}, .rows = 1, .columns = {0, 1, 1}, .kept = kept, .whole = 1,
                               .blocks = {0, cluster, 1}};
    for (int a = 0; a < SW_DIMS; a++) s->threads[a] = (int)threads, s->shared[a] = fields + rows;
    return s->shared[0] <= room;
}

/* Threads of a multiprocessor; those of one block alone, which wait for the same barriers, count three fifths: of 96^2
 * two blocks of 192 threads take 1.56e11 points a second through a step on an H200, one of 576 takes 1.27e11. */
static int worth_of(const struct fields_shape *s, int sm)
{
    const int blocks = blocks_of(s, sm), threads = blocks * s->threads[0];
    return blocks > 1 ? threads : threads * 3 / 5;
}

/* Segments by which a multiprocessor has threads worth most; of the same number the longest, which want fewest
 * barriers. */
static bool cut_whole(const struct fields_desc *d, int sm, int cluster, size_t room, struct fields_shape *best)
{
    static const int segments[] = {48, 32, 16};
    int most = 0;
    if (d->terms->unknowns > 1 || d->terms->dimensions > 2) return false;
    for (int k = 0; k < 3; k++) {
        struct fields_shape s;
        if (!cut_whole_by(d, segments[k], cluster, room, &s) || worth_of(&s, sm) <= most) continue;
        *best = s;
        most = worth_of(&s, sm);
    }
    return most > 0;
}

/* Segments of each column that a block of a cluster has: as many as threads have room for with all columns at a time,
 * none shorter than 8 points, if the last block then has rows that its neighbours take in. 0: it never has. */
static int segments_of_block(const struct fields_desc *d, int threads, int cluster, int *segment)
{
    enum { SHORTEST = 8, LONGEST = 32 };
    const int64_t n = d->n[1], share = (n + cluster - 1) / cluster;
    int each = at_least((int)(share / SHORTEST), 1);
    for (; each > 0; each--) {
        *segment = (int)((share + each - 1) / each);
        if ((each == 1 || each * d->n[0] <= threads) && *segment <= LONGEST &&
            n - (int64_t)(cluster - 1) * each * *segment >= at_least(reach_y(d), 1))
            return each;
    }
    return 0;
}

/* The passes of a cluster. */
static bool cut_block_of(const struct fields_desc *d, int threads, int cluster, struct fields_shape *s)
{
    int segment;
    const int each = segments_of_block(d, threads, cluster, &segment), rows = each * segment;
    if (!each) return false;
    *s = (struct fields_shape){.segment = {segment_for(d->n[0]), segment, 1}, .kept = fields_kept(d),
                               .blocks = {0, cluster, 1}};
    if (segments_of(s, 0, d->n[0]) > threads) return false;
    cut_rows(d, threads, s);
    if (s->rows > rows) s->rows = rows;
    s->columns[1] = d->n[0] * each < threads ? (int)d->n[0] : threads / each;
    s->columns[2] = 1;
    const int row_tasks = s->rows * segments_of(s, 0, d->n[0]), column_tasks = s->columns[1] * each;
    const int of_rows = row_tasks * ((s->segment[0] | 1) + 4), of_columns = 4 * column_tasks;
    const size_t most = (size_t)at_least(at_least(of_rows, of_columns), threads) * sizeof(double);
    for (int a = 0; a < SW_DIMS; a++) {
        s->threads[a] = threads;
        s->shared[a] = part_bytes(d, s->kept, rows, cluster) + most;
    }
    return true;
}

/* Of coefficients that vary and of errors. */
static size_t words_known(const struct fields_desc *d)
{
    const struct programs p = programs_of(d);
    return (size_t)(2 * p.varies + 3 + FIELDS_LARGEST * d->terms->unknowns);
}

/* What programs keep lies in shared memory, too: of each unknown, and of all times that are looked at. */
static size_t bytes_kept(const struct fields_desc *d)
{
    const int sets = (fields_method_of(d->scheme)->stages + 1) * (fields_walls_layout_of(d).moves ? 2 : 1);
    return (size_t)(d->terms->unknowns + sets) * fields_numbers_kept(d) * sizeof(double) +
           (size_t)d->terms->unknowns * sizeof(struct fields_system) +
           sizeof(struct fields_pace) + sizeof(struct sw_own_steps) + words_known(d) * sizeof(double);
}

/* Where there is room, twice the threads. */
static bool cut_run(const struct fields_desc *d, int sm, size_t room, struct fields_shape *s)
{
    enum { LARGE = 8192 };
    if (cut_whole(d, sm, 1, room, s)) return true;
    for (int threads = fields_size(d) >= LARGE ? 2 * USUAL_THREADS : USUAL_THREADS; threads >= 2 * WARP; threads /= 2)
        if (cut_block(d, threads, s) && s->shared[0] <= room) return true;
    return false;
}

/* In registers the cluster by which a multiprocessor has threads worth most, as two blocks do not wait for the same
 * clusters; else the smallest with room. One of more than 8 is not for every device that has clusters. */
static bool cut_over_cluster(const struct fields_desc *d, int sm, size_t room, struct fields_shape *s)
{
    const int largest = sm == 90 || sm == 100 || sm == 103 ? 16 : sm >= 90 ? 8 : 1;
    int most = 0;
    if (d->terms->dimensions != 2 || fields_walls_layout_of(d).walled) return false;
    for (int cluster = 2; cluster <= largest; cluster *= 2) {
        struct fields_shape whole;
        if (!cut_whole(d, sm, cluster, room, &whole) || worth_of(&whole, sm) <= most) continue;
        *s = whole;
        most = worth_of(&whole, sm);
    }
    if (most) return true;
    for (int cluster = 2; cluster <= largest; cluster *= 2)
        if (cut_block_of(d, 2 * USUAL_THREADS, cluster, s) && s->shared[0] <= room) return true;
    return false;
}

bool fields_shape_fused(const struct fields_desc *d, int sm, struct fields_shape *s)
{
    enum { SYSTEM = 1024, CLUSTER_MOST = 16 };  /* what the compiler and the driver take */
    const size_t own = bytes_kept(d) + SYSTEM, room = shared_most(sm) < own ? 0 : shared_most(sm) - own,
                 told = (CLUSTER_MOST + 3) * words_known(d) * sizeof(double);
    const bool fits = cut_run(d, sm, room, s) || (room > told && cut_over_cluster(d, sm, room - told, s));
    s->elsewhere = known_elsewhere(d);
    s->together = fits ? blocks_of(s, sm) : 1;
    return fits;
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

/* The first neighbour from number q on that each program of a family takes in. */
static void add_uses(struct sw_text *text, const struct family *f, int neighbours)
{
    for (int k = 0; k < f->count; k++) {
        sw_text_printf(text, "template <> struct uses_of<%s<%d>> {\n", f->name, k);
        begin_table(text, "", "int", "next", "int q");
        for (int q = 0; q < neighbours; q++)
            if (sw_program_uses_input(f->program[k], (enum sw_input)(FIELDS_INPUTS + q)))
                sw_text_printf(text, "    if (q <= %d) return %d;\n", q, q);
        sw_text_printf(text, "    return %d;\n}\n};\n", neighbours);
    }
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

enum { FEW_NEIGHBOURS = 16, MANY_NEIGHBOURS = 32, FEW_OPERATIONS = 64 };

/* Whether it has so few operations that those of many points are formed together. */
static bool is_short(const struct fields_terms *terms)
{
    return terms->neighbours <= FEW_NEIGHBOURS && sw_program_size(terms->row[0].rhs).point <= FEW_OPERATIONS;
}

/* Of points above each other as many together as leave registers for their neighbours; of few operations all that a
 * thread has of a column, or half of them and those beside these; not with noise, whose numbers come by fours: 64 x 64
 * with white noise goes at 1.4e11 points a second by four, 1.1e11 by all (H200). @param all  of few operations, where
 * threads have segments in registers; else 0 */
static int taken_together(const struct fields_terms *terms, int rows, int all)
{
    int most = terms->neighbours > MANY_NEIGHBOURS ? 1 : terms->neighbours > FEW_NEIGHBOURS ? 2 : 4;
    if (all && is_short(terms) && !terms->noise) most = all;
    return rows >= most ? most : rows > 1 ? 2 : 1;
}

/* Columns of points that are formed together: two, whose neighbours are loaded two by two. Of Cahn-Hilliard then 25
 * instructions of double precision a point, and 32 bytes of shared memory that are loaded; of one column 26.5 and 44.
 * One where points beside walls with conditions are formed one by one; and where a thread has 48 points of a column in
 * registers (96 x 96 takes 1.62e11 points a second through a step on an H200, of two 1.54e11) or a cluster has a run
 * (256 x 256 1.35e11, of two 1.28e11). */
static int taken_beside(const struct fields_desc *d, const struct fields_shape *s)
{
    enum { LONG = 48 };
    const struct fields_walls_layout l = fields_walls_layout_of(d);
    const bool alone = s->whole && s->blocks[1] <= 1 && s->segment[1] < LONG;
    return alone && is_short(d->terms) && !l.open[0] && !l.open[1] ? 2 : 1;
}

/* @param terms  NULL: no program has this view  @param together, beside  points that are formed together */
static void add_view(struct sw_text *text, const char *name, const struct fields_terms *terms, int together, int beside)
{
    const int neighbours = terms ? terms->neighbours : 0;
    int reach[SW_DIMS] = {0};
    for (int q = 0; q < neighbours; q++)
        for (int a = 0; a < SW_DIMS; a++)
            if (abs(terms->neighbour[q].offset[a]) > reach[a]) reach[a] = abs(terms->neighbour[q].offset[a]);
    sw_text_printf(text, "struct %s {\nenum { NEIGHBOURS = %d, REACH_X = %d, REACH_Y = %d, REACH_Z = %d, CENTRE = %d, "
                   "TOGETHER = %d, BESIDE = %d, PART = 0 };\n", name, neighbours, reach[0], reach[1], reach[2],
                   terms ? centre_of(terms) : -1, together, beside);
    begin_table(text, "", "int", "unknown", "int q");
    for (int q = 0; q < neighbours; q++)
        if (terms->neighbour[q].unknown)
            sw_text_printf(text, "    if (q == %d) return %d;\n", q, terms->neighbour[q].unknown);
    sw_text_add(text, "    return 0;\n}\n");
    begin_table(text, "", "int", "offset", "int q, int axis");
    for (int q = 0; q < neighbours; q++)
        for (int a = 0; a < SW_DIMS; a++)
            if (terms->neighbour[q].offset[a])
                sw_text_printf(text, "    if (q == %d && axis == %d) return %d;\n", q, a,
                               terms->neighbour[q].offset[a]);
    sw_text_add(text, "    return 0;\n}\n};\n");
}

static void add_varying(struct sw_text *text, const struct programs *p)
{
    static const char *const name[] = {"varying_unknown", "varying_axis", "varying_fourth", "varying_same",
                                       "varying_local"};
    for (int c = 0; c < 5; c++) {
        begin_table(text, "", "int", name[c], "int k");
        for (int k = 0; k < p->varies; k++) {
            const int number[] = {p->list[k].unknown, p->list[k].axis, p->list[k].fourth, p->same[k],
                                  p->local[k]};
            if (number[c]) sw_text_printf(text, "    if (k == %d) return %d;\n", k, number[c]);
        }
        sw_text_add(text, "    return 0;\n}\n");
    }
}

/* Of numbers that are looked up by one known when the kernel runs, too: an array, one load. */
static void add_table(struct sw_text *text, const char *name, int count, const int *number)
{
    sw_text_printf(text, "__device__ static constexpr int table_of_%s[] = {", name);
    for (int k = 0; k < count; k++) sw_text_printf(text, "%s%d", k ? ", " : "", number[k]);
    sw_text_add(text, count ? "};\n" : "0};\n");
    begin_table(text, "", "int", name, "int k");
    sw_text_printf(text, "    return table_of_%s[k];\n}\n", name);
}

/* Numbers of places, below 2^31 (fields_shape_stream()). */
static void add_places(struct sw_text *text, const char *name, int count, const size_t *number)
{
    int places[FIELDS_CONDITIONS_MOST];
    for (int k = 0; k < count; k++) places[k] = (int)number[k];
    add_table(text, name, count, places);
}

/* Where what is eliminated of each axis begins, and the numbers of an unknown. */
static size_t eliminated_of(const struct fields_desc *d, const struct fields_shape *s, size_t begins[SW_DIMS])
{
    size_t numbers = 0;
    for (int a = 0; a < SW_DIMS; a++) {
        begins[a] = numbers;
        if (d->walls[a]) numbers += (size_t)fields_eliminated_numbers((int)d->n[a], s->segment[a]);
    }
    return numbers;
}

size_t fields_eliminated_of(const struct fields_desc *d, const struct fields_shape *s)
{
    size_t begins[SW_DIMS];
    return eliminated_of(d, s, begins);
}

/* As fields_walls_rtc.cuh wants it. */
static void add_walls(struct sw_text *text, const struct fields_desc *d, const struct fields_shape *s)
{
    const struct fields_walls_layout l = fields_walls_layout_of(d);
    const struct family family[] = {{"condition_of", l.conditions, l.condition}, {"rate_of", l.conditions, l.rate}};
    size_t begins[SW_DIMS];
    int moves[FIELDS_CONDITIONS_MOST], same[FIELDS_CONDITIONS_MOST] = {0}, moving[SW_UNKNOWNS_MOST];
    for (int k = 0; k < l.conditions; k++) {
        moves[k] = l.rate[k] != NULL;
        while (same[k] < k && !is_same(l.condition[same[k]], l.condition[k])) same[k]++;
    }
    for (int v = 0; v < SW_UNKNOWNS_MOST; v++) moving[v] = l.moving[v];
    sw_text_printf(text, "enum { WALLS_X = %d, WALLS_Y = %d, WALLS_Z = %d, WALLED = %d, OPEN_X = %d, OPEN_Y = %d, "
                   "OPEN_Z = %d, OPEN = %d, MOVING = %d, BEYOND_X = %d, BEYOND_Y = %d, CONDITIONS = %d };\n",
                   d->walls[0], d->walls[1], d->walls[2], l.walled, l.open[0], l.open[1], l.open[2],
                   l.open[0] || l.open[1] || l.open[2], l.moves, (int)l.beyond[0], (int)l.beyond[1], l.conditions);
    sw_text_printf(text, "enum { ELIMINATED_SIZE = %zu, WALLS_SIZE = %zu, WEIGHTS_SIZE = %zu };\n",
                   eliminated_of(d, s, begins), l.walls, l.weights);
    add_places(text, "eliminated_begins", SW_DIMS, begins);
    add_table(text, "wall_kind", FIELDS_ENDS, l.kind);
    add_table(text, "wall_condition", FIELDS_CONDITIONS_MOST, l.number);
    add_table(text, "condition_end", l.conditions, l.end);
    add_table(text, "condition_second", l.conditions, l.second);
    add_table(text, "condition_moves", l.conditions, moves);
    add_table(text, "condition_same", l.conditions, same);
    add_places(text, "condition_begins", l.conditions, l.begins);
    add_table(text, "moving", SW_UNKNOWNS_MOST, moving);
    add_table(text, "above_second", SW_UNKNOWNS_MOST * SW_DIMS, l.above_second);
    add_places(text, "residual_begins", SW_UNKNOWNS_MOST * SW_DIMS, l.residual);
    add_places(text, "weight_begins", SW_UNKNOWNS_MOST * SW_DIMS, l.weight);
    for (size_t k = 0; k < sizeof family / sizeof *family; k++) add_family(text, &family[k]);
}

/* ------------------------------------------------------------------ the text */

/* As fields_waves_rtc.cuh wants it. */
static void add_symbols(struct sw_text *text, const struct fields_desc *d)
{
    int odd[SW_UNKNOWNS_MOST], any = 0;
    for (int v = 0; v < d->terms->unknowns; v++) any |= odd[v] = d->terms->row[v].linear.odd;
    sw_text_printf(text, "enum { SYMBOL_PARTS = %d };\n", any ? 2 : 1);
    add_table(text, "symbol_odd", d->terms->unknowns, odd);
}

static void add_programs(struct sw_text *text, const struct fields_desc *d)
{
    const struct programs p = programs_of(d);
    const int of_energy = d->energy ? d->energy->neighbours : 0;
    const struct family family[] = {{"rhs_of", d->terms->unknowns, p.rhs}, {"varying", p.varies, p.varying},
                                    {"energy_of", 1, &p.energy}, {"initial_of", d->terms->unknowns, d->initial}};
    const struct sw_program_size most = most_kept(d, &p);
    for (size_t k = 0; k < sizeof family / sizeof *family; k++) add_family(text, &family[k]);
    sw_text_add(text, "template <class T> struct uses_of;\n");
    for (int k = 0; k < 3; k++) add_uses(text, &family[k], k < 2 ? d->terms->neighbours : of_energy);
    sw_text_printf(text, "enum { VARYING = %d, ELSEWHERE = %d, KEPT_RUN = %d, KEPT_STEP = %d };\n", p.varies,
                   known_elsewhere(d), most.run, most.step);
    add_varying(text, &p);
}

static void add_definitions(struct sw_text *text, const struct fields_desc *d, const struct fields_shape *s)
{
    struct fields_walk walk = {.steep = false};
    const struct fields_method *m = fields_method_of(d->scheme);
    const int columns = at_least(s->threads[1], s->threads[2]), beside = taken_beside(d, s);
    fields_set_walk(d, &walk);
    sw_text_printf(text, "enum { UNKNOWNS = %d, AXES = %d, NX = %d, NY = %d, NZ = %d, STAGES = %d, OWN = %d, "
                   "STEEP = %d, SINGLE = %d };\n", d->terms->unknowns, d->terms->dimensions, (int)d->n[0],
                   (int)d->n[1], (int)d->n[2], m->stages, d->own_steps, walk.steep, d->single);
    sw_text_add(text, "#undef SW_NOISE_POINT\n#define SW_NOISE_POINT point_number(in, 0), point_number(in, 1), "
                "point_number(in, 2), point_number(in, 3), NX, NY\n");
    sw_text_printf(text, "enum { FIELDS_POINT = %d, FIELDS_INPUTS = %d, SEGMENT_X = %d, SEGMENT_Y = %d, "
                   "SEGMENT_Z = %d, ROWS = %d, COLUMNS_Y = %d, COLUMNS_Z = %d, BLOCKS_Y = %d, BLOCKS_Z = %d };\n",
                   FIELDS_POINT, FIELDS_INPUTS,
                   s->segment[0], s->segment[1], s->segment[2],
                   s->rows, s->columns[1], s->columns[2], at_least(s->blocks[1], 1), at_least(s->blocks[2], 1));
    sw_text_printf(text, "enum { THREADS_ROWS = %d, THREADS_COLUMNS = %d, TILE = %d, THREADS_FUSED = %d, "
                   "FIELDS_KEPT = %d, WHOLE = %d, BLOCKS_FUSED = %d, BLOCKS_RUN = %d };\n#define SEEN %a\n",
                   s->threads[0], columns, FIELDS_TILE, s->threads[0], s->kept, s->whole, at_least(s->together, 1),
                   s->kept ? at_least(s->blocks[1], 1) : 1, FIELDS_SEEN);
    sw_text_printf(text, "enum { BLOCKS_OF_ROWS = %d, BLOCKS_OF_COLUMNS = %d };\n",
                   at_least(768 / s->threads[0], 1),
                   columns_together(s));
    sw_text_printf(text, "#define FETCHED %d\n", s->fetched);
    sw_text_add(text, "__device__ static __forceinline__ int point_number(const double *in, int k)\n"
                "{ return (int)__double_as_longlong(in[FIELDS_POINT + k]); }\n");
    add_method(text, m);
    add_view(text, "of_terms", d->terms,
             s->whole ? taken_together(d->terms, s->segment[0], s->segment[0] / beside)
                      : taken_together(d->terms, s->rows, 0), beside);
    add_view(text, "of_energy", d->energy, 1, 1);
    add_programs(text, d);
    add_walls(text, d, s);
    if (s->waves) add_symbols(text, d);
}

#define BEFORE                                                                                                        \
    .label = "the GPU code of the right-hand sides",                                                                  \
    .before = {"expr/inputs_point.h", "base/sw_hd.h", "expr/random_point.h", "problem/line/stepper/line_point.h",     \
               "problem/line/stepper/ends_point.h", "problem/fields/walls_point.h",                                    \
               "problem/fields/w_matrix_point.h", "field/sample_point.h", "field/sum_point.h"}
#define AFTER                                                                                                         \
    "problem/line/cuda/recursive_device_point.h", "problem/line/stepper/own_steps_point.h",                           \
        "problem/device/paces_point.h", "problem/fields/cuda/fields_point.h", "cuda/sum_rtc.cuh",                     \
        "cuda/cluster.cuh", "cuda/sequence_rtc.cuh", "cuda/fields/fields_programs_rtc.cuh",                           \
        "cuda/fields/fields_walls_rtc.cuh", "cuda/fields/fields_rtc.cuh", "cuda/fields/fields_stream_rtc.cuh"
#define KERNELS                                                                                                       \
    [FIELDS_PACE_K] = "pace_k", [FIELDS_MOST_K] = "most_k", [FIELDS_SYSTEM_K] = "system_k",                           \
    [FIELDS_ROWS_K] = "rows_k", [FIELDS_COLUMNS_K] = "columns_k", [FIELDS_TIME_K] = "time_k",                         \
    [FIELDS_JUDGE_K] = "judge_k", [FIELDS_FIRST_K] = "first_k", [FIELDS_INITIAL_K] = "initial_k",                     \
    [FIELDS_BEGIN_K] = "begin_k", [FIELDS_SETTLE_K] = "settle_k", [FIELDS_COPY_K] = "copy_k",                         \
    [FIELDS_ENERGY_K] = "energy_k", [FIELDS_LOOK_K] = "look_k", [FIELDS_WALLS_K] = "walls_k"
static const struct sw_kernel_source sources[] = {
    {BEFORE, .after = {AFTER}, .kernel = {KERNELS}},
    {BEFORE, .after = {AFTER, "cuda/fields/fields_fused_rtc.cuh"}, .kernel = {KERNELS, [FIELDS_FUSED_K] = "fused_k"}},
    {BEFORE, .after = {AFTER, "cuda/fields/fields_waves_rtc.cuh"}, .kernel = {KERNELS, [FIELDS_DIVIDE_K] = "divide_k"}},
};

static const struct sw_kernel_source *source_of(const struct fields_shape *s)
{
    return &sources[s->kept > 0 ? 1 : s->waves ? 2 : 0];
}

enum sw_status fields_kernels_create(struct sw_device *device, const struct fields_desc *desc,
                                     const struct fields_shape *shape, struct sw_kernels *kernels)
{
    struct sw_text text = {0};
    add_definitions(&text, desc, shape);
    return sw_kernels_create(device, source_of(shape), &text, kernels);
}

