/* Compact differences by parallel cyclic reduction in registers (cuda/fd/fd_pcr_rtc.cuh): as the matrix is constant and
 * what is off its diagonal falls with each level as rho^(2^level), five or six levels are all that double precision
 * sees, whatever n is. */
#include <string.h>

#include "base/sw_mem.h"
#include "fd/fd_closure.h"
#include "fd/fd_pcr_point.h"
#include "fd/fd_rtc_cuda.h"

typedef long double wide;

enum {
    MOST_POINTS = 32,  /* of a lane: they are in registers */
    HEAD = 8           /* as in the kernel                 */
};

struct pcr {
    struct fd_pcr    line;    /* its argument */
    struct sw_kernels kernels;
    double          *power;   /* on the device           */
    int              threads, groups;
    size_t           bytes;   /* of shared memory        */
};

/* ------------------------------------------------------------------ levels */

struct levels {
    int  count;
    wide factor[FD_PCR_LEVELS], diagonal;  /* after the last */
};

/* The off-diagonal is taken for 0 where it is below `least` of the diagonal, a quarter of a rounding of the result.
 * False: that takes more than FD_PCR_LEVELS levels. */
static bool make_levels(const struct sw_fd_line *line, bool single, struct levels *v)
{
    wide a = line->alpha, b = 1;
    const wide least = single ? 0x1p-27L : 0x1p-56L;
    v->count = 0;
    while (fabsl(a) > least * fabsl(b)) {
        if (v->count == FD_PCR_LEVELS) return false;
        const wide k = a / b;
        v->factor[v->count++] = k;
        b -= 2 * a * k;
        a = -a * k;
    }
    v->diagonal = b;
    return true;
}

static const char *why_not(const struct sw_fd_desc *desc, const struct sw_fd_line *line)
{
    struct levels v = {0};
    if (line->beta != 0) return "it knows three diagonals, not five";
    if (!make_levels(line, desc->single, &v))
        return "alpha is too close to 1/2: points are felt too far away for 6 levels";
    if (line->n >= 1 << 28) return "the lines are too long";
    return fd_lines_fit(desc, line) ? NULL : "these are too many lines";
}

static bool fits(const struct sw_fd_desc *desc, const struct sw_fd_line *line) { return !why_not(desc, line); }

/* ------------------------------------------------------------------ shape of a block */

struct shape { int points, pieces, halo, lines, pitch, half_width, threads; };

/* Kernels for 2, 3 and 5 pairs: a pair without weight costs less than another compilation. */
static int half_width_of(const struct sw_fd_line *line)
{
    return line->half_width <= 2 ? 2 : line->half_width == 3 ? 3 : 5;
}

/* Numbers that a piece takes in shared memory: up to point 32 P + half_width - 1. */
static int room_of(const struct shape *s)
{
    const int last = 32 * s->points + s->half_width - 1, apart = s->points + (s->points % 2 == 0);
    return HEAD + last / s->points * apart + last % s->points + 1;
}

/* A line of 32 P points is one piece, which a warp solves as it is; any other line is cut into as few pieces as there
 * can be. */
static struct shape shape_of(const struct sw_fd_line *line, int levels, size_t stride)
{
    const int n = (int)line->n, most = 32 * MOST_POINTS;
    struct shape s = {.half_width = half_width_of(line), .pieces = 1};
    if (n % 32 || n > most) {
        s.halo = (1 << levels) - 1;
        s.pieces = (n + most - 2 * s.halo - 1) / (most - 2 * s.halo);
    }
    s.points = ((n + s.pieces - 1) / s.pieces + 2 * s.halo + 31) / 32;
    if (s.halo && s.points > 8) s.points = (s.points + 3) / 4 * 4;  /* fewer kernels to compile */
    s.lines = stride == 1 ? 4 : s.points <= 16 ? 16 : 8;
    s.threads = s.points <= 16 ? 512 : 256;
    s.pitch = fd_pitch(room_of(&s), s.lines, stride != 1);
    return s;
}

static void add_shape_constants(const struct shape *s, struct sw_text *text)
{
    sw_text_printf(text, "#define P %d\n#define HALF_WIDTH %d\n#define THREADS %d\n", s->points, s->half_width,
                   s->threads);
}

/* ------------------------------------------------------------------ walls */

static wide decay(const struct sw_fd_line *line)
{
    return -2 * (wide)line->alpha / (1 + sqrtl(1 - 4 * (wide)line->alpha * line->alpha));
}

static enum sw_status set_walls(const struct sw_fd_line *line, struct fd_pcr_wall *w)
{
    struct fd_closure c;
    SW_TRY(fd_closure_make(line, decay(line), &c));
    w->K = c.K;
    w->points = c.points;
    w->differences = line->kind != SW_FD_FILTER;
    w->far = line->sign;
    memcpy(w->weight, c.weight, sizeof w->weight);
    memcpy(w->v, c.v, sizeof w->v);
    w->q = (double)decay(line);
    w->across = c.across;
    w->same = c.same;
    w->other = c.other;
    return SW_OK;
}

static enum sw_status set_powers(const struct sw_fd *fd, struct pcr *c)
{
    double power[128];
    const wide q = decay(&fd->line);
    int count = 0;  /* |q| < 0.57 where 6 levels are enough: 75 */
    while (count < 128 && (power[count] = fd_decay(q, count)) != 0) count++;
    c->line.powers = count;
    SW_TRY(sw_device_alloc(fd->device, 128, &c->power));
    c->line.power = c->power;
    return sw_device_upload(fd->device, c->power, power, (size_t)count * sizeof *power);
}

/* ------------------------------------------------------------------ the row */

static void set_shape_numbers(const struct shape *s, struct pcr *c)
{
    c->line.pieces = s->pieces;
    c->line.halo = s->halo;
    c->line.pitch = s->pitch;
    c->threads = 32 * s->lines;
    c->bytes = (size_t)(s->lines * s->pitch) * sizeof(double);
}

static const struct sw_kernel_source source = {
    .label = FD_LABEL,
    .before = {"base/sw_hd.h", "fd/fd_rhs_point.h", "fd/fd_pcr_point.h"},
    .after = {"cuda/fd/fd_rtc.cuh", "cuda/fd/fd_pcr_rtc.cuh"},
    .kernel = {"pcr_k"},
};

static enum sw_status create(struct sw_fd *fd)
{
    const struct sw_fd_line *line = &fd->line;
    struct pcr *c = NULL;
    struct sw_text text = {0};
    struct levels v = {0};
    SW_TRY(sw_alloc(1, &c));
    fd->own = c;
    make_levels(line, fd->desc.single, &v);
    const struct shape s = shape_of(line, v.count, fd->stride);
    fd_lines_of(fd, &c->line.lines);
    fd_rhs_make(line, 1 / v.diagonal, &c->line.rhs);
    set_shape_numbers(&s, c);
    c->groups = (int)((c->line.lines.all + s.lines - 1) / s.lines);
    c->line.levels = v.count;
    for (int l = 0; l < v.count; l++) c->line.factor[l] = (double)v.factor[l];
    c->line.midpoints = sw_fd_at_midpoints(line->kind);
    c->line.shift = line->up;  /* left of point i is right of point i - 1 */
    c->line.walls = !line->periodic;
    if (!line->periodic) {
        SW_TRY(set_walls(line, &c->line.wall));
        SW_TRY(set_powers(fd, c));
    }
    add_shape_constants(&s, &text);
    return sw_kernels_create(fd->device, &source, &text, &c->kernels);
}

static enum sw_status try_compile(const struct sw_fd_desc *desc, const struct sw_fd_line *line, int sm)
{
    struct levels v = {0};
    struct sw_text text = {0};
    make_levels(line, desc->single, &v);
    const struct shape s = shape_of(line, v.count, desc->axis ? 2 : 1);
    add_shape_constants(&s, &text);
    return sw_kernels_try_compile(&source, &text, sm);
}

static enum sw_status apply(const struct sw_fd *fd, const void *f, void *out)
{
    struct pcr *c = fd->own;
    void *args[] = {&c->line, &f, &out};
    return sw_kernel_launch(fd->device, c->kernels.kernel[0], c->groups * c->line.pieces, 1, c->threads, c->bytes,
                            args);
}

static void destroy(struct sw_fd *fd)
{
    struct pcr *c = fd->own;
    if (!c) return;
    sw_kernels_destroy(fd->device, &c->kernels);
    sw_device_free(fd->device, c->power);
    sw_free(c);
}

/* f is read and the result written once; points around a piece come from the cache, or are those of the next block.
 * The term of f itself, 2 operations a pair (second derivatives: 4), 2 a level, for all points that the warps have. */
static struct sw_cost cost(const struct sw_fd_desc *desc, const struct sw_fd_line *line)
{
    struct levels v = {0};
    if (!make_levels(line, desc->single, &v)) return (struct sw_cost){NAN, NAN};
    const struct shape s = shape_of(line, v.count, desc->axis ? 2 : 1);
    const double computed = 32.0 * s.points * s.pieces / (double)line->n;
    const int pair = line->kind == SW_FD_SECOND ? 4 : 2;
    return (struct sw_cost){(desc->add ? 3 : 2) * (desc->single ? 4 : 8),
                            computed * (1 + pair * s.half_width + 2 * v.count)};
}

extern const struct sw_fd_ops fd_pcr_cuda;
const struct sw_fd_ops fd_pcr_cuda = {
    .name = "cuda.pcr",
    .about = "parallel cyclic reduction in registers, cut off after at most 6 levels, a line in those of a warp",
    .space = SW_DEVICE,
    .adds = true,
    .fits = fits,
    .why_not = why_not,
    .create = create,
    .apply = apply,
    .destroy = destroy,
    .try_compile = try_compile,
    .cost = cost,
};
