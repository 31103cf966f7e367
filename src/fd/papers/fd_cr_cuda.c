/* Compact differences by cyclic reduction with precomputed coefficients (A. Srinath's draft on compact schemes on GPU
 * clusters; cuda/fd/fd_cr_rtc.cuh). The draft keeps the first row, the last one and those inside, 8 numbers a level.
 * Here row N - 1 of each level has its own coefficients too: it is another one from the beginning where row n - 1 is,
 * with a closure of two rows, and then on every level (row 2 only on the first). A periodic line has the same in all
 * rows. */
#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "fd/fd_closure.h"
#include "fd/papers/fd_cr_point.h"
#include "fd/fd_rtc_cuda.h"

typedef long double wide;

enum { MOST = 1 << FD_CR_LEVELS };

struct cr {
    struct fd_cr     line;    /* its argument */
    struct sw_kernels kernels;
    int              lines, threads, groups;
    size_t           bytes;   /* of shared memory */
};

/* The indices of kernels go to 2^31 - 1. */
static bool lines_fit(const struct sw_fd_desc *desc, const struct sw_fd_line *line)
{
    const int64_t points = desc->n[0] * desc->n[1] * desc->n[2];
    return desc->fields == 0 || points / line->n <= INT32_MAX / desc->fields;
}

static const char *why_not(const struct sw_fd_desc *desc, const struct sw_fd_line *line)
{
    const int64_t n = line->n;
    if (line->beta != 0) return "it knows three diagonals, not five";
    if (n < 4 || n > MOST || (n & (n - 1)))
        return "the number of points along the axis must be a power of two, 4 to 8192";
    return lines_fit(desc, line) ? NULL : "these are too many lines";
}

static bool fits(const struct sw_fd_desc *desc, const struct sw_fd_line *line) { return !why_not(desc, line); }

/* ------------------------------------------------------------------ shape of a block */

struct shape { int n, shift, threads_per_line, lines, across, f_pitch, pitch; };

/* The distance in shared memory of a block's lines of `room` numbers each. Across: numbers of 2, 4, .. 16 lines are
 * moved together, 16 at a time, and the distance puts them into different banks. */
static int pitch_of(int room, int lines, bool across)
{
    const int apart = across ? 16 / lines : 0;
    return across ? room + ((apart - room) % 16 + 16) % 16 : room;
}

/* A thread for two points as long as that leaves two blocks to a multiprocessor. Lines side by side: as many as make a
 * piece of 32 bytes, the least that memory gives, where they fit. Short lines: some 128 threads. */
static struct shape shape_of(const struct sw_fd_line *line, size_t stride)
{
    struct shape s = {.n = (int)line->n, .across = stride != 1};
    const int most = s.across ? 256 : 512;
    while (1 << s.shift < s.n) s.shift++;
    s.threads_per_line = s.n / 2 < most ? s.n / 2 : most;
    s.lines = s.across ? (s.n <= 2048 ? 4 : s.n <= 4096 ? 2 : 1) : 1;
    while (s.lines < 16 && s.lines * s.threads_per_line < 128) s.lines *= 2;
    s.f_pitch = pitch_of(s.n, s.lines, s.across);
    s.pitch = pitch_of(s.n + s.n / 16 + s.n / 256, s.lines, s.across);
    return s;
}

static void add_shape_constants(const struct shape *s, struct sw_text *text)
{
    sw_text_printf(text,
                   "#define N %d\n#define SHIFT %d\n#define THREADS_PER_LINE %d\n#define LINES %d\n#define ACROSS %d\n"
                   "#define F_PITCH %d\n#define PITCH %d\n",
                   s->n, s->shift, s->threads_per_line, s->lines, s->across, s->f_pitch, s->pitch);
}

/* ------------------------------------------------------------------ coefficients */

struct rows { wide *a, *b, *c; };  /* a x_{r-1} + b x_r + c x_{r+1}; [0]: row 1 */

static void set_rows(const struct sw_fd_line *line, struct rows *m)
{
    const int64_t n = line->n;
    for (int64_t i = 0; i < n; i++) {
        m->a[i] = m->c[i] = line->alpha;
        m->b[i] = 1;
    }
    if (line->periodic) return;
    m->a[0] = m->c[n - 1] = 0;
    m->c[0] = m->a[n - 1] = line->end.a1;
    m->a[1] = m->c[n - 2] = line->end.l2;
    m->c[1] = m->a[n - 2] = line->end.u2;
}

static struct fd_cr_down down_of(const struct rows *m, int64_t i, int64_t N)
{
    const int64_t after = (i + 1) % N;
    return (struct fd_cr_down){(double)(m->a[i] / m->b[i - 1]), (double)(m->c[i] / m->b[after])};
}

static struct fd_cr_up up_of(const struct rows *m, int64_t i)
{
    return (struct fd_cr_up){(double)(1 / m->b[i]), (double)(m->a[i] / m->b[i]), (double)(m->c[i] / m->b[i])};
}

/* Coefficients of a level; rows 3 and 2 stand for all that are inside. */
static void set_level(const struct rows *m, int64_t N, struct fd_cr_level *level)
{
    const int64_t inside = N > 4 ? 3 : 1;
    level->down[FD_CR_INSIDE] = down_of(m, inside, N);
    level->down[FD_CR_FIRST] = down_of(m, 1, N);
    level->down[FD_CR_LAST] = down_of(m, N - 1, N);
    level->down[FD_CR_BEFORE] = down_of(m, N - 3, N);
    level->up[FD_CR_INSIDE] = up_of(m, 2);
    level->up[FD_CR_FIRST] = up_of(m, 0);
    level->up[FD_CR_LAST] = up_of(m, N - 2);
}

/* Eliminate the neighbours of the even rows of N, in place: entry i/2 is written after entry i - 1 was read, but row 1,
 * which is the neighbour of the last row of a periodic line. */
static void reduce_once(struct rows *m, int64_t N)
{
    const wide first[3] = {m->a[0], m->b[0], m->c[0]};
    for (int64_t i = 1; i < N; i += 2) {
        const bool last = i == N - 1;
        const wide a = last ? first[0] : m->a[i + 1], b = last ? first[1] : m->b[i + 1];
        const wide c = last ? first[2] : m->c[i + 1], k1 = m->a[i] / m->b[i - 1], k2 = m->c[i] / b;
        const wide diagonal = m->b[i] - m->c[i - 1] * k1 - a * k2, left = -m->a[i - 1] * k1;
        m->a[i / 2] = left;
        m->b[i / 2] = diagonal;
        m->c[i / 2] = -c * k2;
    }
}

static bool pivots_good(const struct rows *m, int64_t N)
{
    for (int64_t i = 0; i < N; i += 2)
        if (!sw_fd_pivot_good((double)m->b[i])) return false;
    return true;
}

static enum sw_status refuse_singular(const struct sw_fd_line *line, int64_t left)
{
    return SW_FAIL(SW_E_SINGULAR, "compact differences: cyclic reduction of %lld points meets a zero or non-finite "
                   "pivot with %lld rows left", (long long)line->n, (long long)left);
}

static enum sw_status set_last_two(const struct sw_fd_line *line, const struct rows *m, double *inverse)
{
    const wide p = m->b[0], s = m->b[1], q = m->c[0] + (line->periodic ? m->a[0] : 0);
    const wide r = m->a[1] + (line->periodic ? m->c[1] : 0), det = p * s - q * r;
    if (!sw_fd_pivot_good((double)det)) return refuse_singular(line, 2);
    inverse[0] = (double)(s / det);
    inverse[1] = (double)(-q / det);
    inverse[2] = (double)(-r / det);
    inverse[3] = (double)(p / det);
    return SW_OK;
}

static enum sw_status set_coefficients(const struct sw_fd_line *line, struct fd_cr *c)
{
    static const struct rows none;
    struct rows m = none;
    enum sw_status st;
    const size_t n = (size_t)line->n;
    int64_t N = line->n;
    SW_TRY(fd_end_check(line));
    SW_TRY(sw_alloc(3 * n, &m.a));
    m.b = m.a + n;
    m.c = m.b + n;
    set_rows(line, &m);
    for (int l = 0; N > 2; l++, N /= 2) {
        if (!pivots_good(&m, N)) {
            st = refuse_singular(line, N);
            goto done;
        }
        set_level(&m, N, &c->level[l]);
        reduce_once(&m, N);
    }
    st = set_last_two(line, &m, c->inverse);
done:
    sw_free(m.a);
    return st;
}

/* ------------------------------------------------------------------ the row */

static const struct sw_kernel_source source = {
    .label = FD_LABEL,
    .before = {"base/sw_hd.h", "fd/fd_rhs_point.h", "fd/papers/fd_cr_point.h"},
    .after = {"cuda/fd/fd_cr_rtc.cuh"},
    .kernel = {"cr_k"},
};

static enum sw_status create(struct sw_fd *fd)
{
    struct cr *c = fd->own;
    struct sw_text text = {0};
    const struct shape s = shape_of(&fd->line, fd->stride);
    SW_TRY(set_coefficients(&fd->line, &c->line));
    fd_lines_of(fd, &c->line.lines);
    fd_rhs_make(&fd->line, 1, &c->line.rhs);
    c->threads = s.lines * s.threads_per_line;
    c->bytes = (size_t)(s.lines * (s.f_pitch + s.pitch)) * sizeof(double);
    c->groups = (int)((c->line.lines.all + s.lines - 1) / s.lines);
    add_shape_constants(&s, &text);
    return sw_kernels_create(fd->device, &source, &text, &c->kernels);
}

static enum sw_status apply(const struct sw_fd *fd, const void *f, void *out)
{
    struct cr *c = fd->own;
    void *args[] = {&c->line, &f, &out};
    return sw_kernel_launch(fd->device, c->kernels.kernel[0], c->groups, 1, c->threads, c->bytes, args);
}

static void destroy(struct sw_fd *fd) { sw_kernels_destroy(fd->device, &((struct cr *)fd->own)->kernels); }

/* f is read and the result written once. The term of f itself, then 2 operations a pair (second derivatives: 4); on
 * the way down half of the rows, then a quarter, .., n in all, take 2, on the way up 3. */
static struct sw_cost cost(const struct sw_fd_desc *desc, const struct sw_fd_line *line)
{
    const int pair = line->kind == SW_FD_SECOND ? 4 : 2;
    return (struct sw_cost){(desc->add ? 3 : 2) * (desc->single ? 4 : 8), 1 + pair * line->half_width + 5};
}

extern const struct sw_fd_ops fd_cr_cuda;
const struct sw_fd_ops fd_cr_cuda = {
    .name = "cuda.cr",
    .about = "cyclic reduction, coefficients precomputed, a line in shared memory; n a power of two",
    .space = SW_DEVICE,
    .adds = true,
    .fits = fits,
    .why_not = why_not,
    .own_size = sizeof(struct cr),
    .create = create,
    .apply = apply,
    .destroy = destroy,
    .cost = cost,
};
