#include <math.h>
#include <string.h>

#include "expr/expr_impl.h"
#include "expr/random_point.h"
#include "expr/sw_reduction.h"
#include "expr/vector_math.h"

#define X(id, operand_count, text, precedence, function, expression) \
    [OP_##id] = {text, precedence, operand_count, function, #expression},
const struct op_row op_table[OP_COUNT] = {
    [OP_NUMBER] = {NULL, BINDS_CALL, 0, NULL, NULL}, [OP_NAME] = {NULL, BINDS_CALL, 0, NULL, NULL}, OPERATIONS(X)
    [OP_DX] = {"dx", BINDS_CALL, 1, NULL, NULL},     [OP_DXX] = {"dxx", BINDS_CALL, 1, NULL, NULL},
    [OP_DXXX] = {"dxxx", BINDS_CALL, 1, NULL, NULL}, [OP_DXXXX] = {"dxxxx", BINDS_CALL, 1, NULL, NULL},
    [OP_DY] = {"dy", BINDS_CALL, 1, NULL, NULL},     [OP_DYY] = {"dyy", BINDS_CALL, 1, NULL, NULL},
    [OP_DYYY] = {"dyyy", BINDS_CALL, 1, NULL, NULL}, [OP_DYYYY] = {"dyyyy", BINDS_CALL, 1, NULL, NULL},
    [OP_DZ] = {"dz", BINDS_CALL, 1, NULL, NULL},     [OP_DZZ] = {"dzz", BINDS_CALL, 1, NULL, NULL},
    [OP_DZZZ] = {"dzzz", BINDS_CALL, 1, NULL, NULL}, [OP_DZZZZ] = {"dzzzz", BINDS_CALL, 1, NULL, NULL},
};
#undef X

enum operation op_find_function(const char *name)
{
    for (enum operation op = 0; op < OP_COUNT; op++)
        if (op_is_function(op) && !strcmp(op_table[op].written, name)) return op;
    return OP_COUNT;
}

const char *sw_expr_function(int k, int *arguments, const char **value)
{
    for (enum operation op = 0; op < OP_COUNT; op++) {
        if (!op_is_function(op) || op_derivative(op) || k-- > 0) continue;
        *arguments = op_table[op].operands;
        *value = op_is_random(op) ? NULL : op_table[op].value;
        return op_table[op].written;
    }
    return NULL;
}

const char *sw_expr_derivative_name(int k)
{
    return k >= 0 && k <= OP_DXXXX - OP_DX ? op_table[OP_DX + k].written : NULL;
}

const struct sw_reduction_word sw_reduction_kinds[SW_REDUCTION_KINDS] = {
    [SW_REDUCTION_MEAN] = {"mean", "the mean over the domain"},
    [SW_REDUCTION_MIN] = {"min", "the least value at a point"},
    [SW_REDUCTION_MAX] = {"max", "the greatest value at a point"},
    [SW_REDUCTION_INTEGRAL] = {"integral", "the integral over the domain"},
    [SW_REDUCTION_CROSSINGS] = {"crossings", "how often the sign changes from a point to the next along x"},
};

const char *sw_reduction_name(int k, const char **about)
{
    if (k >= SW_REDUCTION_KINDS) return NULL;
    *about = sw_reduction_kinds[k].about;
    return sw_reduction_kinds[k].name;
}

bool sw_is_reduction(const char *name)
{
    for (int k = 0; k < SW_REDUCTION_KINDS; k++)
        if (!strcmp(sw_reduction_kinds[k].name, name)) return true;
    return false;
}

/* Each loop is one the compiler can vectorise where the hardware has the operation; sin, exp, pow ... are called
 * element by element, so that no value depends on its place in the block. */
#define X(id, operands, written, binds, library, value)                                                          \
    static void loop_##id(int n, const double *restrict a_, const double *restrict b_, const double *restrict c_, \
                          double *restrict out, const struct op_where *where)                                    \
    {                                                                                                            \
        const long long step = where->step;                                                                      \
        const uint32_t stream = where->stream;                                                                   \
        const int lanes = where->lanes;                                                                          \
        for (int i = 0; i < n; i++) {                                                                            \
            const double a = a_[i], b = b_[i], c = c_[i];                                                        \
            const int cell = where->cell + i / lanes;                                                            \
            (void)a, (void)b, (void)c, (void)cell, (void)step, (void)stream;                                     \
            out[i] = value;                                                                                      \
        }                                                                                                        \
    }
OPERATIONS(X)
#undef X

#define X(id, operands, written, binds, library, value) [OP_##id] = loop_##id,
op_loop *const op_loops[OP_COUNT] = {OPERATIONS(X)};
#undef X

/* The same where one operand is a number: blocks of it need no room in the first-level cache. */
#define X(id, value)                                                                                               \
    static void loop_##id##_number_first(int n, const double *restrict a_, const double *restrict b_,              \
                                         const double *restrict c_, double *restrict out,                          \
                                         const struct op_where *where)                                             \
    {                                                                                                              \
        const double a = *a_;                                                                                      \
        (void)c_, (void)where;                                                                                     \
        for (int i = 0; i < n; i++) {                                                                              \
            const double b = b_[i];                                                                                \
            out[i] = value;                                                                                        \
        }                                                                                                          \
    }                                                                                                              \
    static void loop_##id##_number_second(int n, const double *restrict a_, const double *restrict b_,             \
                                          const double *restrict c_, double *restrict out,                         \
                                          const struct op_where *where)                                            \
    {                                                                                                              \
        const double b = *b_;                                                                                      \
        (void)c_, (void)where;                                                                                     \
        for (int i = 0; i < n; i++) {                                                                              \
            const double a = a_[i];                                                                                \
            out[i] = value;                                                                                        \
        }                                                                                                          \
    }
X(ADD, a + b) X(SUB, a - b) X(MUL, a * b)
#undef X

op_loop *op_loop_of(enum operation op, bool number_first, bool number_second)
{
#define X(id)                                                      \
    if (op == OP_##id && number_first) return loop_##id##_number_first;   \
    if (op == OP_##id && number_second) return loop_##id##_number_second;
    X(ADD) X(SUB) X(MUL)
#undef X
    return op_loops[op];
}

_Static_assert((int)OP_COUNT <= (int)VECTOR_MATH_MOST, "a place in vector_math() for each operation");

bool op_vector(enum operation op, int n, const double *a, const double *b, double *out)
{
    const struct op_row *row = &op_table[op];
    if (!vector_math(op, row->library, row->operands, n, a, b, out)) return false;
    for (int i = 0; i < n && (op == OP_SECH || op == OP_CSCH || op == OP_COTH); i++) out[i] = 1.0 / out[i];
    return true;
}

enum { RANDOM_AT_ONCE = 256 };

/* Of values first .. first + n - 1: the compiler makes vectors of this loop, some 4 ns a pair of numbers with AVX-512
 * and 10 ns with AVX2, where one after the other takes 20. */
static void random_pairs(enum operation op, int first, int n, const double *a, const struct op_where *where,
                         double *restrict u, double *restrict v)
{
    const uint32_t stream = where->stream | (op == OP_RAND ? 0 : 0x80000000u);  /* as sw_rand() and sw_randn() */
    const int lanes = __builtin_ctz((unsigned)where->lanes), cell = where->cell;  /* a power of 2, as a shift */
    for (int i = 0; i < n; i++)
        sw_rand_pair(a[i], cell + ((first + i) >> lanes), where->step, stream, &u[i], &v[i]);
}

/* ------------------------------------------------------------------ the noise of steps */

/* Of RANDOM_AT_ONCE values, or of as many blocks of four. */
struct noise_words { uint32_t word[4][RANDOM_AT_ONCE]; };

/* The same face of n points of one row, for `lanes` runs each. */
struct noise_row { const double *key; int lanes, shift, face, i, j, k, nx, ny; long long step; uint32_t stream; };

/* Words of blocks from `block` on, so far apart, of all lanes each: key[t] is the same for all t of a lane. */
static void draw_words(const struct noise_row *r, uint32_t block, uint32_t apart, int n, struct noise_words *w)
{
    const int shift = r->shift;
    const long long step = r->step;
    const uint32_t stream = r->stream;
    const double *const key = r->key;
    for (int t = 0; t < n; t++) {
        uint32_t x[4];
        sw_noise_words(key[t], block + (uint32_t)(t >> shift) * apart, step, stream, x);
        for (int q = 0; q < 4; q++) w->word[q][t] = x[q];
    }
}

/* Along a line blocks are shared by the four points of each: from point number i on. */
static void noise_along(const struct noise_row *r, int i, int n, double *restrict out)
{
    const int first = i >> 2, blocks = ((i + n - 1) >> 2) - first + 1, tasks = blocks << r->shift, lanes = r->lanes;
    struct noise_words w;
    float value[4][RANDOM_AT_ONCE];
    draw_words(r, (uint32_t)first, 1, tasks, &w);
    for (int q = 0; q < 4; q++) {
        const uint32_t *const radius = w.word[q & 2], *const angle = w.word[(q & 2) + 1];
        for (int t = 0; t < tasks; t++) value[q][t] = sw_noise_of(radius[t], angle[t], q & 1);
    }
    for (int p = i; p < i + n; p++) {
        const float *const from = value[p & 3] + (((p >> 2) - first) << r->shift);
        for (int l = 0; l < lanes; l++) *out++ = (double)from[l];
    }
}

/* In a row of a plane each point is in a block of its own. */
static void noise_across(const struct noise_row *r, uint32_t block, int lane, int n, double *restrict out)
{
    struct noise_words w;
    draw_words(r, block, sw_noise_column(r->ny), n << r->shift, &w);
    const uint32_t *const radius = w.word[lane & 2], *const angle = w.word[(lane & 2) + 1];
    for (int t = 0; t < n << r->shift; t++) out[t] = (double)sw_noise_of(radius[t], angle[t], lane & 1);
}

/* n points from (i, j, k) on. */
static void noise_of_row(const struct noise_row *r, int n, const double *end, double *out)
{
    const int lanes = r->lanes, before = r->face == SW_NOISE_LEFT, at = r->i - before, none = at < 0;
    double *const from = out + none * lanes;  /* the first point's face is that of another place */
    if (n > none && r->ny > 1) {
        const struct sw_noise_place p = sw_noise_place(at + none, r->j & ~3, r->j & 3, r->k, r->nx, r->ny,
                                                       before || r->face == SW_NOISE_RIGHT ? SW_NOISE_HERE : r->face,
                                                       (int)end[0]);
        noise_across(r, p.block, p.lane, n - none, from);
    } else if (n > none) {
        noise_along(r, at + none, n - none, from);
    }
    for (int l = 0; l < lanes; l++) {
        const int stop = (int)end[l], apart = before ? 0 : stop;
        if ((!before && r->face != SW_NOISE_RIGHT) || apart < r->i || apart >= r->i + n) continue;
        out[(apart - r->i) * lanes + l] =
            sw_noise(r->key[l], apart, r->j & ~3, r->j & 3, r->k, r->nx, r->ny, r->face, stop, r->step, r->stream);
    }
}

/* n <= RANDOM_AT_ONCE values */
static void noise(int n, const double *a, const double *b, const double *c, double *out, const struct op_where *where)
{
    const int lanes = where->lanes, shift = __builtin_ctz((unsigned)lanes), points = n >> shift,
              nx = where->ny > 1 ? where->nx : 0;
    for (int done = 0, here; done < points; done += here) {
        const int cell = where->cell + done, row = nx ? cell / nx : 0;
        const struct noise_row r = {.key = a, .lanes = lanes, .shift = shift, .face = (int)*b, .i = cell - row * nx,
                                    .j = nx ? row % where->ny : 0, .k = nx ? row / where->ny : 0, .nx = nx,
                                    .ny = where->ny, .step = where->step, .stream = where->stream};
        here = nx && nx - r.i < points - done ? nx - r.i : points - done;
        noise_of_row(&r, here, c, out + (size_t)done * (size_t)lanes);
    }
}

void op_random(enum operation op, int n, const double *a, const double *b, const double *c, double *out,
               const struct op_where *where)
{
    double u[RANDOM_AT_ONCE], v[RANDOM_AT_ONCE];
    struct op_where there = *where;
    for (int first = 0; first < n; first += RANDOM_AT_ONCE) {
        const int here = n - first < RANDOM_AT_ONCE ? n - first : RANDOM_AT_ONCE;
        there.cell = where->cell + first / where->lanes;
        if (op == OP_NOISE) {
            noise(here, a + first, b + first, c + first, out + first, &there);
            continue;
        }
        random_pairs(op, first, here, a + first, where, u, v);
        for (int i = 0; i < here && op != OP_RAND; i++) u[i] = sw_normal(u[i], v[i]);
        for (int i = 0; i < here; i++) out[first + i] = a[first + i] == a[first + i] ? u[i] : a[first + i];
    }
}

double op_value(enum operation op, double a, double b, double c)
{
    const struct op_where nowhere = {.lanes = 1};
    double value;
    op_loops[op](1, &a, &b, &c, &value, &nowhere);
    return value;
}
