/* Every row of the table of compact differences must pass every test here, with every scheme and boundary it fits.
 * What is expected is computed from the tables of schemes in long double, by Gaussian elimination with pivoting. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_reals.h"
#include "fd/sw_fd_impl.h"

#define ROW_OPS sw_fd_ops
#include "base/sw_err.h"
#include "architecture.h"
#include "fd_helpers.h"
#include "row_helpers.h"
#include "fd_row_helpers.h"

static double largest(const double *x, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* ------------------------------------------------------------------ cases */

static double alpha_of(const char *scheme) { return sw_fd_scheme_find(scheme)->any_alpha ? 0.4 : 0; }
static bool half(const char *scheme) { return sw_fd_at_midpoints(sw_fd_scheme_find(scheme)->kind); }
static int derivative(const char *scheme) { return sw_fd_derivative(sw_fd_scheme_find(scheme)->kind); }

static struct sw_fd_desc line_desc(const char *scheme, const char *boundary, int64_t n, double h)
{
    return (struct sw_fd_desc){.n = {n, 1, 1}, .fields = 1, .scheme = scheme, .boundary = boundary, .h = h,
                               .alpha = alpha_of(scheme)};
}

static size_t points(const struct sw_fd_desc *d)
{
    return (size_t)d->fields * (size_t)d->n[0] * (size_t)d->n[1] * (size_t)d->n[2];
}

/* As the row takes it: rows for lines that are cut over ranks do them over one rank, which all of the line is on. */
static struct sw_fd_desc taken(const struct sw_fd_desc *d)
{
    struct sw_fd_desc t = *d;
    t.comm = one_rank;
    return t;
}

/* Whether the row does it; then a solver. */
static bool make(const struct sw_fd_desc *d, struct sw_fd **fd)
{
    const struct sw_fd_desc t = taken(d);
    enum sw_status st = sw_fd_create(&t, under_test->name, device, fd);
    if (st == SW_E_ABSENT) return false;
    assert_ok(st);
    return true;
}

/* @param host  room for the numbers as the row takes them */
static void upload(const struct sw_fd_desc *d, void *to, void *host, const double *x)
{
    const size_t count = points(d);
    sw_reals_put(host, sw_reals_word(d->single), 0, x, count);
    assert_ok(sw_device_upload(device, to, host, count * sw_reals_word(d->single)));
}

/* out := what the row makes of f, or with d->add out += that; both double on the host. false: it does not do this. */
static bool run(const struct sw_fd_desc *d, const double *f, double *out)
{
    const size_t count = points(d), word = sw_reals_word(d->single);
    struct sw_fd *fd = NULL;
    char *host = NULL, *from = NULL, *to = NULL;
    if (!make(d, &fd)) return false;
    assert_ok(sw_alloc_bytes(count, word, &host));
    assert_ok(sw_device_alloc_bytes(device, count, word, &from));
    assert_ok(sw_device_alloc_bytes(device, count, word, &to));
    upload(d, from, host, f);
    if (d->add) upload(d, to, host, out);
    assert_ok(sw_fd_apply(fd, from, to));
    assert_ok(sw_device_download(device, host, to, count * word));
    sw_reals_get(host, word, 0, out, count);
    sw_device_free(device, from);
    sw_device_free(device, to);
    sw_free(host);
    sw_fd_destroy(&fd);
    return true;
}

/* ------------------------------------------------------------------ pivots */

/* No pivot of any scheme vanishes, at any n: within 100 rows pivots have become constant, as they settle like rho^2i,
 * rho <= 0.45 (d1_c8). A filter's matrix is dominated by its diagonal up to the last alpha below 1/2. */
static void has_no_singular_scheme(void **state)
{
    static const double alpha[] = {0, 0.4, -0.4, 0.49999999999999994, -0.49999999999999994};
    (void)state;
    need_row();
    for_each_case(s, b) {
        const int alphas = sw_fd_scheme_find(s)->any_alpha ? 5 : 1,
                  more = alphas > 1 || under_test->space == SW_DEVICE ? 20 : 100;
        for (int n = sw_fd_min_points(s, b), last = n + more; n <= last; n++)
            for (int k = 0; k < alphas; k++) {
                struct sw_fd_desc d = line_desc(s, b, n, 0.5);
                struct sw_fd *fd;
                if (alphas > 1) d.alpha = alpha[k];
                if (sw_fd_alpha_refusal(sw_fd_scheme_find(s), b, d.alpha)) continue;  /* 0 with some closures */
                if (make(&d, &fd)) sw_fd_destroy(&fd);
            }
    }
}

/* ------------------------------------------------------------------ what is expected */

enum { MOST = 200 };
struct columns { int count; unsigned char at[MOST]; };
struct dense {
    struct sw_fd_desc of;          /* what it was made for */
    int n;
    long double left[MOST][MOST], right[MOST][MOST];
    long double lu[MOST][MOST];
    int         order[MOST];
    struct columns of_right[MOST], lower[MOST], upper[MOST];  /* where rows are not 0: of lu in their order */
    double      inverse;           /* the largest row sum of |left^-1| */
};

static long double value(struct sw_fd_fraction f) { return f.den ? (long double)f.num / f.den : 0; }

static int wrapped(int i, int n) { return ((i % n) + n) % n; }

/* Row i: a scheme centred there; `left_too` its side of g as well. */
static void dense_row(struct dense *a, int i, const struct sw_fd_scheme *s, double alpha, double h, bool to_left)
{
    const int n = a->n, d = sw_fd_derivative(s->kind), half_way = sw_fd_at_midpoints(s->kind);
    const long double al = s->any_alpha ? alpha : value(s->alpha), scale = powl(h, -d);
    const int up = half_way && to_left ? -1 : 0, down = half_way && !to_left ? 1 : 0;
    a->left[i][i] += 1;
    for (int side = -1; side <= 1; side += 2) {
        a->left[i][wrapped(i + side, n)] += al;
        a->left[i][wrapped(i + 2 * side, n)] += value(s->beta);
    }
    for (int k = 0; k <= s->half_width; k++) {
        long double w = (value(s->a[k]) + value(s->more[k]) * alpha) * scale;
        if (k) w /= sw_fd_divisor(s->kind, k);
        if (!k) { a->right[i][i] += w; continue; }
        a->right[i][wrapped(i + k + up, n)] += w;
        a->right[i][wrapped(i - k + down, n)] += s->kind == SW_FD_FIRST || s->kind == SW_FD_STAGGERED ? -w : w;
        if (s->kind == SW_FD_SECOND) a->right[i][i] -= 2 * w;
    }
}

static void dense_wall(struct dense *a, const struct sw_fd_closure *c, bool far, double h)
{
    const int wall = far ? a->n - 1 : 0, step = far ? -1 : 1, d = sw_fd_derivative(c->kind);
    const long double scale = powl(h, -d) * (far && d == 1 ? -1 : 1);
    a->left[wall][wall] = 1;
    a->left[wall][wall + step] = value(c->alpha);
    for (int k = 0; k < 5; k++)
        if (c->w[k].num) a->right[wall][wall + k * step] = value(c->w[k]) * scale;
}

static void find_columns(const long double *row, int from, int to, struct columns *c)
{
    c->count = 0;
    for (int j = from; j < to; j++)
        if (row[j] != 0) c->at[c->count++] = (unsigned char)j;
}

static void dense_factor(struct dense *a)
{
    const int n = a->n;
    memcpy(a->lu, a->left, sizeof a->lu);
    for (int k = 0; k < n; k++) a->order[k] = k;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabsl(a->lu[a->order[i]][k]) > fabsl(a->lu[a->order[best]][k])) best = i;
        int t = a->order[k];
        a->order[k] = a->order[best];
        a->order[best] = t;
        for (int i = k + 1; i < n; i++) {
            long double *row = a->lu[a->order[i]], *pivot = a->lu[a->order[k]], m = row[k] / pivot[k];
            row[k] = m;
            if (m != 0)
                for (int j = k + 1; j < n; j++) row[j] -= m * pivot[j];
        }
    }
    for (int i = 0; i < n; i++) {
        find_columns(a->right[i], 0, n, &a->of_right[i]);
        find_columns(a->lu[a->order[i]], 0, i, &a->lower[i]);
        find_columns(a->lu[a->order[i]], i + 1, n, &a->upper[i]);
    }
}

static void dense_solve(const struct dense *a, const long double *b, long double *x)
{
    for (int i = 0; i < a->n; i++) {
        const struct columns *c = &a->lower[i];
        x[i] = b[a->order[i]];
        for (int k = 0; k < c->count; k++) x[i] -= a->lu[a->order[i]][c->at[k]] * x[c->at[k]];
    }
    for (int i = a->n - 1; i >= 0; i--) {
        const struct columns *c = &a->upper[i];
        for (int k = 0; k < c->count; k++) x[i] -= a->lu[a->order[i]][c->at[k]] * x[c->at[k]];
        x[i] /= a->lu[a->order[i]][i];
    }
}

static void dense_norm(struct dense *a)
{
    static long double b[MOST], x[MOST], size[MOST];
    memset(size, 0, sizeof size);
    for (int k = 0; k < a->n; k++) {
        memset(b, 0, sizeof b);
        b[k] = 1;
        dense_solve(a, b, x);
        for (int i = 0; i < a->n; i++) size[i] += fabsl(x[i]);
    }
    a->inverse = 0;
    for (int i = 0; i < a->n; i++) a->inverse = fmax(a->inverse, (double)size[i]);
}

static bool same_matrix(const struct sw_fd_desc *a, const struct sw_fd_desc *b)
{
    return a->scheme && !strcmp(a->scheme, b->scheme) && !strcmp(a->boundary, b->boundary) &&
           a->n[a->axis] == b->n[b->axis] && a->h == b->h && a->alpha == b->alpha && a->left == b->left;
}

/* @param a  as it was made last, or zeros: most descriptions come several times, in other precisions or along other
 *           axes */
static void dense_make(struct dense *a, const struct sw_fd_desc *d)
{
    const struct sw_fd_scheme *s = sw_fd_scheme_find(d->scheme);
    const struct sw_fd_closure *c = sw_fd_closure_find(s, d->boundary);
    if (same_matrix(&a->of, d)) return;
    memset(a, 0, sizeof *a);
    a->of = *d;
    a->n = (int)d->n[d->axis];
    for (int i = 0; i < a->n; i++) {
        int from_wall = i < a->n - 1 - i ? i : a->n - 1 - i;
        if (!c || from_wall >= s->half_width) dense_row(a, i, s, d->alpha, d->h, d->left);
        else if (from_wall == 0) dense_wall(a, c, i > 0, d->h);
        else dense_row(a, i, sw_fd_scheme_find(c->inner[from_wall - 1]), d->alpha, d->h, false);
    }
    dense_factor(a);
    dense_norm(a);
}

/* x := what f gives; returns what rounding may do to it: |A^-1| times the sizes of the terms on the right-hand side, in
 * units of the last place. Products, sums and the recursions of a row of the table take some eight of them. */
static double dense_apply(const struct dense *a, const double *f, size_t stride, long double *x)
{
    static long double b[MOST];
    long double size = 0;
    for (int i = 0; i < a->n; i++) {
        long double terms = 0;
        b[i] = 0;
        for (int k = 0; k < a->of_right[i].count; k++) {
            const int j = a->of_right[i].at[k];
            b[i] += a->right[i][j] * f[(size_t)j * stride];
            terms += fabsl(a->right[i][j] * f[(size_t)j * stride]);
        }
        if (terms > size) size = terms;
    }
    dense_solve(a, b, x);
    return 8 * DBL_EPSILON * a->inverse * (double)size;
}

/* ------------------------------------------------------------------ conformance */

static void compare(const struct sw_fd_desc *d)
{
    static struct dense a;
    static long double x[MOST];
    const size_t count = points(d), n = (size_t)d->n[d->axis];
    double *f = zeros(count), *out = zeros(count);
    uint64_t seed = 7;
    size_t stride = 1;
    for (int k = 0; k < d->axis; k++) stride *= (size_t)d->n[k];
    for (size_t i = 0; i < count; i++) f[i] = (float)test_random(&seed);
    if (run(d, f, out)) {
        dense_make(&a, d);
        for (size_t line = 0; line < count / n; line++) {
            size_t base = line / stride * stride * n + line % stride;
            double tolerance = dense_apply(&a, f + base, stride, x);
            if (d->single) tolerance *= 0x1p29;
            for (size_t i = 0; i < n; i++)
                if (!(fabs(out[base + i * stride] - (double)x[i]) <= tolerance))
                    fail_msg("%s, %s, %lld x %lld x %lld, axis %d, line %zu, point %zu: %.17g, expected %.17g +- %.2g",
                             d->scheme, d->boundary, (long long)d->n[0], (long long)d->n[1], (long long)d->n[2],
                             d->axis, line, i, out[base + i * stride], (double)x[i], tolerance);
        }
    }
    sw_free(f);
    sw_free(out);
}

/* Which test has a scheme. On a GPU each length has a kernel of its own, which is compiled: that is why there are
 * several. */
enum part { FIRST, SECOND, FILTERS, HALF_WAY };
static enum part part_of(const char *scheme)
{
    const enum sw_fd_kind kind = sw_fd_scheme_find(scheme)->kind;
    return kind == SW_FD_FIRST ? FIRST : kind == SW_FD_SECOND ? SECOND : kind == SW_FD_FILTER ? FILTERS : HALF_WAY;
}

static void agree(enum part part)
{
    static const int more[] = {0, 1, 2, 5, 10, 26, 59, 91, 122}, powers[] = {4, 8, 16, 32, 64, 128};
    enum { MORE = sizeof more / sizeof *more, POWERS = sizeof powers / sizeof *powers };
    need_row();
    for_each_case(s, b)
        for (int k = 0; k < MORE + POWERS; k++) {
            const int least = sw_fd_min_points(s, b), n = k < MORE ? least + more[k] : powers[k - MORE];
            if (n < least || part_of(s) != part) continue;
            struct sw_fd_desc d = line_desc(s, b, n, 0.125);
            compare(&d);
            d.single = true;
            compare(&d);
            d.left = half(s);
            compare(&d);
        }
}

static void first_derivatives_agree_with_gaussian_elimination(void **state) { (void)state; agree(FIRST); }
static void second_derivatives_agree_with_gaussian_elimination(void **state) { (void)state; agree(SECOND); }
static void filters_agree_with_gaussian_elimination(void **state) { (void)state; agree(FILTERS); }
static void values_half_way_agree_with_gaussian_elimination(void **state) { (void)state; agree(HALF_WAY); }

static void does_lines_along(int axis)
{
    need_row();
    for_each_case(s, b)
        for (int shape = 0; shape < 5; shape++) {  /* the last two: lengths that rows for powers of two take */
            struct sw_fd_desc d = line_desc(s, b, 1, 0.3);
            const int64_t across[5][2] = {{1, 3}, {17, 2}, {9, 5}, {37, 2}, {7, 3}};
            const int n = shape == 4 ? 128 : shape == 3 ? 16 : sw_fd_min_points(s, b) + 13 * shape;
            for (int k = 0, other = 0; k < 3; k++) d.n[k] = k == axis ? n : across[shape][other++];
            d.axis = axis;
            d.fields = shape == 1 ? 2 : 1;
            compare(&d);
            d.single = true;
            compare(&d);
        }
}

static void does_lines_along_x(void **state) { (void)state; does_lines_along(0); }
static void does_lines_along_y(void **state) { (void)state; does_lines_along(1); }
static void does_lines_along_z(void **state) { (void)state; does_lines_along(2); }

/* A line's result alone and among others, to the bit. */
static void same_bits_alone(const char *s, const char *b, int axis, size_t n)
{
    enum { MOST_N = 64, BESIDE = 37 };
    static double f[MOST_N * BESIDE * 3], out[MOST_N * BESIDE * 3], line[MOST_N], alone[MOST_N];
    uint64_t seed = 5;
    struct sw_fd_desc d = line_desc(s, b, (int64_t)n, 0.3);
    struct sw_fd_desc one = d;
    for (size_t i = 0; i < n * BESIDE * 3; i++) f[i] = test_random(&seed);
    d.n[0] = axis == 0 ? (int64_t)n : BESIDE;
    d.n[1] = axis == 1 ? (int64_t)n : axis == 0 ? BESIDE : 3;
    d.n[2] = axis == 2 ? (int64_t)n : 3;
    d.axis = one.axis = axis;
    one.n[0] = one.n[1] = one.n[2] = 1;
    one.n[axis] = (int64_t)n;
    if (!run(&d, f, out)) return;
    const size_t stride = axis == 0 ? 1 : axis == 1 ? BESIDE : BESIDE * 3;
    for (size_t k = 0; k < BESIDE * 3; k += 13) {
        size_t base = k / stride * stride * n + k % stride;
        for (size_t i = 0; i < n; i++) line[i] = f[base + i * stride];
        assert_true(run(&one, line, alone));
        for (size_t i = 0; i < n; i++)
            if (memcmp(&alone[i], &out[base + i * stride], sizeof *alone))
                fail_msg("%s, %s, %zu points, axis %d, line %zu, point %zu: %.17g alone, %.17g in the field", s, b, n,
                         axis, k, i, alone[i], out[base + i * stride]);
    }
}

static void gives_each_line_the_same_bits_alone_as_in_a_field(void **state)
{
    (void)state;
    need_row();
    for_each_case(s, b)
        for (int axis = 0; axis < 3; axis++) {
            same_bits_alone(s, b, axis, 61);
            same_bits_alone(s, b, axis, 64);
        }
}

/* Enough points for a row to use all threads. A line with a NaN is lost, and no other; the number of threads does not
 * show. */
static void keeps_lines_apart_and_takes_any_number_of_threads(void **state)
{
    enum { NX = 70, NY = 41, NZ = 32, ALL = NX * NY * NZ };  /* a power of two among them */
    static double f[ALL], out[ALL], spoiled[ALL];
    uint64_t seed = 13;
    int turn = 0;
    (void)state;
    need_row();
    for_each_case(s, b)
        for (int axis = 0; axis < 3; axis++) {
            if (small_suite() && axis != turn++ / 3 % 3) continue;  /* one axis, of the next case the next */
            struct sw_fd_desc d = line_desc(s, b, 1, 0.3);
            struct sw_device *own = device;
            const size_t n[3] = {NX, NY, NZ};
            for (int k = 0; k < 3; k++) d.n[k] = (int64_t)n[k];
            d.axis = axis;
            for (size_t i = 0; i < ALL; i++) f[i] = test_random(&seed);
            if (!run(&d, f, out)) continue;
            const size_t x = 33, y = 20, z = 7;
            f[(z * NY + y) * NX + x] = NAN;
            if (device->space == SW_HOST) {
                device = NULL;
                assert_ok(sw_device_open("cpu", 3, &device));
            }
            assert_true(run(&d, f, spoiled));
            if (device != own) sw_device_close(&device);
            device = own;
            for (size_t i = 0; i < ALL; i++) {
                const bool same[3] = {i % NX == x, i / NX % NY == y, i / (NX * NY) == z};
                if (same[(axis + 1) % 3] && same[(axis + 2) % 3]) continue;
                if (memcmp(&out[i], &spoiled[i], sizeof *out)) fail_msg("%s, %s, axis %d, entry %zu", s, b, axis, i);
            }
        }
}

/* out += g has the bits of an addition afterwards. */
static void adds_to_what_is_there(void **state)
{
    enum { OTHERS = 35, ALL = 64 * OTHERS };
    static double f[ALL], out[ALL], sum[ALL];
    uint64_t seed = 9;
    (void)state;
    need_row();
    if (!under_test->adds) return;
    for (size_t i = 0; i < ALL; i++) f[i] = (float)test_random(&seed);
    for_each_case(s, b)
        for (int k = 0; k < 8; k++) {
            struct sw_fd_desc d = line_desc(s, b, 1, 0.3);
            d.axis = k % 2;
            d.n[0] = d.n[1] = OTHERS;
            d.n[d.axis] = k / 4 ? 64 : 45;
            d.single = k / 2 % 2;
            if (!run(&d, f, out)) continue;
            for (size_t i = 0; i < ALL; i++) sum[i] = f[i];
            d.add = true;
            assert_true(run(&d, f, sum));
            /* in single precision `out` is rounded once more than what is added */
            const size_t count = points(&d);
            const double size = largest(out, count), tolerance = d.single ? 0x1p-23 * (1 + size) : 0;
            for (size_t i = 0; i < count; i++) assert_near(sum[i], f[i] + out[i], tolerance);
        }
}

/* Where g is a derivative. */
static void gives_exactly_zero_for_constants(void **state)
{
    double f[77], out[77];
    (void)state;
    need_row();
    for (int i = 0; i < 77; i++) f[i] = 1.0 / 3;
    for_each_case(s, b)
        for (int n = 77; n >= 64; n -= 13) {
            struct sw_fd_desc d = line_desc(s, b, n, 0.3);
            if (!derivative(s) || !run(&d, f, out)) continue;
            for (int i = 0; i < n; i++) assert_true(out[i] == 0);
        }
}

/* ------------------------------------------------------------------ what is known without elimination */

/* g of f = cos(w j) where w j is `phase`: the symbol of the scheme, the modified wave number. */
static double symbol(const struct sw_fd_scheme *s, double alpha, double h, long double w, long double phase)
{
    const long double al = s->any_alpha ? alpha : value(s->alpha);
    const bool odd = s->kind == SW_FD_FIRST || s->kind == SW_FD_STAGGERED;
    long double top = value(s->a[0]) + value(s->more[0]) * alpha, half_step = sw_fd_at_midpoints(s->kind) ? 0.5L : 0;
    for (int k = 1; k <= s->half_width; k++) {
        long double a = (value(s->a[k]) + value(s->more[k]) * alpha) / sw_fd_divisor(s->kind, k);
        if (odd) top -= 2 * a * sinl((k - half_step) * w);
        else top += 2 * a * (cosl((k - half_step) * w) - (s->kind == SW_FD_SECOND));
    }
    top /= (1 + 2 * al * cosl(w) + 2 * value(s->beta) * cosl(2 * w)) * powl(h, sw_fd_derivative(s->kind));
    return (double)(top * (odd ? sinl(phase) : cosl(phase)));
}

/* Rounding: |A^-1| <= 10 for all schemes on periodic lines (alpha of filters: 0.4), weights of f add up to at most
 * 6/h^d, and f itself and some eight operations are rounded. */
static double rounding_of_periodic(const struct sw_fd_desc *d)
{
    return 8 * DBL_EPSILON * 10 * 6 / pow(d->h, derivative(d->scheme));
}

static void check_mode(struct sw_fd_desc *d, int k)
{
    static double f[10000], out[10000];
    const int n = (int)d->n[0];
    const long double pi = acosl(-1.0L), w = 2 * pi * k / n;
    const int halves = !half(d->scheme) ? 0 : d->left ? -1 : 1;  /* steps to where g lies */
    for (int j = 0; j < n; j++) f[j] = (double)cosl(2 * pi * (k * j % n) / n);
    if (!run(d, f, out)) return;
    for (int j = 0; j < n; j++) {
        long double phase = pi * (k * (2 * j + halves) % (2 * n)) / n;
        double expected = symbol(sw_fd_scheme_find(d->scheme), d->alpha, d->h, w, phase);
        if (!(fabs(out[j] - expected) <= rounding_of_periodic(d)))
            fail_msg("%s, n = %d, mode %d, point %d: %.17g, expected %.17g", d->scheme, n, k, j, out[j], expected);
    }
}

static void gives_periodic_modes_their_modified_wave_number(void **state)
{
    (void)state;
    need_row();
    for_each_case(s, b) {
        if (strcmp(b, "periodic")) continue;
        for (int left = 0; left <= half(s); left++) {
            struct sw_fd_desc d = line_desc(s, b, 48, 0.25);
            d.left = left;
            for (int k = 0; k <= 24; k++) check_mode(&d, k);
            d.n[0] = 64;
            for (int k = 0; k <= 32; k += 4) check_mode(&d, k);
            d.n[0] = 9973;
            check_mode(&d, 3000);
        }
    }
}

static void is_exact_for_polynomials_between_walls(void **state)
{
    enum { N = 64 };
    static struct dense a;
    double f[N], out[N];
    (void)state;
    need_row();
    for_each_case(s, b) {
        struct sw_fd_desc d = line_desc(s, b, N, 2.0 / (N - 1));
        const int order = !strcmp(b, "reduced") ? 2 : b[0] - '0', q = derivative(s);
        if (!strcmp(b, "periodic") || !under_test->fits) continue;
        dense_make(&a, &d);
        for (int m = 0; m < order + q; m++) {
            for (int i = 0; i < N; i++) f[i] = (double)powl(i * (long double)d.h - 1, m);
            if (!run(&d, f, out)) break;
            for (int i = 0; i < N; i++) {
                long double x = i * (long double)d.h - 1, expected = m < q ? 0 : powl(x, m - q);
                for (int k = 0; k < q; k++) expected *= m - k;
                /* as rounding_of_periodic; weights of the row at a wall are up to 60 in all */
                assert_near(out[i], (double)expected, 8 * DBL_EPSILON * a.inverse * 60 / pow(d.h, q));
            }
        }
    }
}

static void is_linear_and_if_periodic_shift_invariant(void **state)
{
    enum { MOST_N = 150, SHIFT = 37 };
    double f[MOST_N], g[MOST_N], sum[MOST_N], of_f[MOST_N], of_g[MOST_N], of_sum[MOST_N];
    uint64_t seed = 3;
    (void)state;
    need_row();
    for_each_case(s, b)
    for (int n = 150; n >= 128; n -= 22) {
        struct sw_fd_desc d = line_desc(s, b, n, 0.5);
        for (int i = 0; i < n; i++) {
            f[i] = test_random(&seed);
            g[i] = test_random(&seed);
            sum[i] = 2 * f[i] - 0.25 * g[i];
        }
        if (!run(&d, f, of_f)) continue;
        run(&d, g, of_g);
        run(&d, sum, of_sum);
        /* results are of the size of what their terms may add up to, within a factor that the bound has */
        const double tolerance = 40 * rounding_of_periodic(&d) * fmax(1, largest(of_sum, n));
        for (int i = 0; i < n; i++) assert_near(of_sum[i], 2 * of_f[i] - 0.25 * of_g[i], tolerance);
        for (int i = 0; i < n; i++) sum[i] = 0x1p-20 * f[i];
        run(&d, sum, of_sum);
        for (int i = 0; i < n; i++) assert_true(of_sum[i] == 0x1p-20 * of_f[i]);  /* a power of two: nothing rounds */
        if (strcmp(b, "periodic")) continue;
        for (int i = 0; i < n; i++) g[(i + SHIFT) % n] = f[i];
        run(&d, g, of_g);
        for (int i = 0; i < n; i++) assert_near(of_g[(i + SHIFT) % n], of_f[i], 2 * rounding_of_periodic(&d));
    }
}

/* What the reference makes of f. */
static void by_the_reference(const struct sw_fd_desc *d, const double *f, double *out)
{
    const struct sw_fd_ops *row = under_test;
    struct sw_device *own = device;
    struct sw_comm *rank = one_rank;
    one_rank = NULL;
    under_test = sw_fd_table[0];
    for (int j = 0; strcmp(under_test->name, "cpu.thomas"); j++) under_test = sw_fd_table[j];
    device = NULL;
    assert_ok(sw_device_open("cpu", 1, &device));
    assert_true(run(d, f, out));
    sw_device_close(&device);
    under_test = row;
    device = own;
    one_rank = rank;
}

/* Far beyond where the factors have become constants, where lines may be cut; in whole groups of lines and others. Each
 * scheme and boundary takes every third shape, the next one the others; SW_LONG=1: all. */
static void agrees_with_the_reference_on_long_lines(void **state)
{
    static const struct { int n, lines, axis; bool single, add; } shapes[] = {
        {777, 70, 1, false, false}, {4096, 9, 0, false, false}, {9001, 37, 1, false, false},
        {20000, 3, 0, false, true}, {5003, 41, 1, true, true},  {10001, 11, 0, true, false},
        {1024, 35, 1, false, true}, {8192, 3, 1, false, false}, {2048, 5, 0, true, true},
    };
    static struct dense a;
    uint64_t seed = 11;
    size_t first = 0;
    (void)state;
    need_row();
    for_each_case(s, b) {
        const size_t every = long_suite() ? 1 : 3;
        for (size_t k = first++ % every; k < sizeof shapes / sizeof *shapes; k += every) {
            const size_t count = (size_t)shapes[k].n * (size_t)shapes[k].lines;
            if (small_suite() && count > 40000) continue;
            struct sw_fd_desc d = line_desc(s, b, 1, 1);
            double *f = zeros(count), *out = zeros(count), *expected = zeros(count);
            for (size_t i = 0; i < count; i++) f[i] = out[i] = expected[i] = (float)test_random(&seed);
            d.n[0] = d.n[1] = 100;
            dense_make(&a, &d);  /* |A^-1| does not grow with n */
            d.axis = shapes[k].axis;
            d.n[d.axis] = shapes[k].n;
            d.n[!d.axis] = shapes[k].lines;
            d.single = shapes[k].single;
            d.add = shapes[k].add;
            if (run(&d, f, out)) {
                by_the_reference(&d, f, expected);
                /* 4 eps for each of the two; weights add up to 60, |f| <= 1 */
                const double tolerance = 2 * 4 * (d.single ? FLT_EPSILON : DBL_EPSILON) * a.inverse * 60;
                for (size_t i = 0; i < count; i++) assert_near(out[i], expected[i], tolerance);
            }
            sw_free(f);
            sw_free(out);
            sw_free(expected);
        }
    }
}

/* Planes of so many lines that a row may take them one by one. */
static void agrees_with_the_reference_on_large_planes(void **state)
{
    static const char *const boundary[] = {"periodic", "3-4-6"};
    enum { NX = 259, NY = 257, NZ = 8, FIELDS = 2, ALL = NX * NY * NZ * FIELDS };
    uint64_t seed = 17;
    (void)state;
    need_row();
    double *f = zeros(ALL), *out = zeros(ALL), *expected = zeros(ALL);
    for (size_t i = 0; i < ALL; i++) f[i] = test_random(&seed);
    for (int k = 0; k < 2; k++) {
        struct sw_fd_desc d = line_desc("d1_c6", boundary[k], NX, 1);
        d.n[1] = NY;
        d.n[2] = NZ;
        d.axis = 2;
        d.fields = FIELDS;
        if (!run(&d, f, out)) continue;
        by_the_reference(&d, f, expected);
        for (size_t i = 0; i < ALL; i++) assert_near(out[i], expected[i], 2 * rounding_of_periodic(&d));
    }
    sw_free(f);
    sw_free(out);
    sw_free(expected);
}

/* ------------------------------------------------------------------ orders */

/* exp(sin x) and its derivatives. */
static double smooth(int d, double x)
{
    double e = exp(sin(x)), c = cos(x);
    return d == 0 ? e : d == 1 ? c * e : (c * c - sin(x)) * e;
}

struct errors { double max, l2, middle; };

/* NaN: the row does not do this. */
static struct errors errors_of(const char *scheme, const char *boundary, int n)
{
    const bool periodic = !strcmp(boundary, "periodic");
    const double h = periodic ? 2 * acos(-1.0) / n : 2.0 / (n - 1), shift = half(scheme) ? 0.5 : 0;
    struct sw_fd_desc d = line_desc(scheme, boundary, n, h);
    struct errors e = {0, 0, 0};
    double f[512] = {0}, out[512];
    for (int i = 0; i < n; i++) f[i] = smooth(0, i * h);
    if (!run(&d, f, out)) return (struct errors){NAN, NAN, NAN};
    for (int i = 0; i < n; i++) {
        double off = fabs(out[i] - smooth(derivative(scheme), (i + shift) * h));
        e.max = fmax(e.max, off);
        e.l2 += off * off * h;
        if (abs(i - n / 2) < n / 8) e.middle = fmax(e.middle, off);
    }
    e.l2 = sqrt(e.l2);
    return e;
}

/* Observed orders as a prototype in another language has them: of the largest error and of its L2 norm from n to 2n
 * points (between walls 2n - 1), and of the largest error in the middle, from n_middle. 0: not looked at. */
static const struct { const char *scheme, *boundary; int n; double max, l2, middle; int n_middle; } orders[] = {
    {"d1_c4", "periodic", 64, 4.01, 0, 0, 0},  {"d1_c6", "periodic", 64, 6.02, 0, 0, 0},
    {"d1_c8", "periodic", 64, 7.99, 0, 0, 0},  {"d2_c4", "periodic", 64, 4.00, 0, 0, 0},
    {"d2_c6", "periodic", 64, 6.01, 0, 0, 0},  {"d2_c8", "periodic", 64, 7.97, 0, 0, 0},
    {"d1_c10", "periodic", 32, 10, 0, 0, 0},   {"d1s_c4", "periodic", 64, 4, 0, 0, 0},
    {"d1s_c6", "periodic", 64, 6, 0, 0, 0},    {"mid_c4", "periodic", 64, 4, 0, 0, 0},
    {"mid_c6", "periodic", 64, 6, 0, 0, 0},    {"f2", "periodic", 64, 2, 0, 0, 0},
    {"f4", "periodic", 64, 4, 0, 0, 0},        {"f6", "periodic", 64, 6, 0, 0, 0},
    {"f8", "periodic", 64, 8, 0, 0, 0},        {"f10", "periodic", 64, 10, 0, 0, 0},
    {"d1_c4", "3-4-4", 129, 3.06, 3.55, 4.00, 33}, {"d1_c4", "4-4-4", 129, 3.99, 4.45, 4.00, 33},
    {"d1_c6", "3-4-6", 129, 3.06, 3.55, 6.00, 65}, {"d1_c6", "4-4-6", 129, 3.99, 4.49, 6.00, 65},
    {"d2_c4", "3-4-4", 129, 2.99, 3.49, 4.00, 33}, {"d2_c6", "3-4-6", 129, 2.99, 3.49, 6.01, 33},
    {"d2_c6", "4-4-6", 129, 4.38, 4.88, 6.01, 33},
};

static void check_order(const char *scheme, const char *boundary, const char *what, double coarse, double fine,
                        double expected)
{
    double seen = log2(coarse / fine);
    if (!(fabs(seen - expected) <= 0.15))
        fail_msg("%s, %s: order of %s %.2f (%.3g, %.3g), expected %.2f", scheme, boundary, what, seen, coarse, fine,
                 expected);
}

static void has_the_orders_of_its_schemes(void **state)
{
    (void)state;
    need_row();
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
        const char *s = orders[k].scheme, *b = orders[k].boundary;
        const int n = orders[k].n, m = orders[k].n_middle, less = strcmp(b, "periodic") ? 1 : 0;
        struct errors c = errors_of(s, b, n), f = errors_of(s, b, 2 * n - less);
        if (isnan(c.max) || isnan(f.max)) continue;
        check_order(s, b, "the largest error", c.max, f.max, orders[k].max);
        if (orders[k].l2 > 0) check_order(s, b, "the L2 norm", c.l2, f.l2, orders[k].l2);
        if (!m) continue;
        c = errors_of(s, b, m);
        f = errors_of(s, b, 2 * m - less);
        if (isnan(c.max)) continue;  /* too short for it */
        check_order(s, b, "the error in the middle", c.middle, f.middle, orders[k].middle);
    }
}

static void does_nothing_for_no_fields(void **state)
{
    (void)state;
    need_row();
    struct sw_fd_desc d = line_desc("d1_c4", "periodic", 16, 1);
    struct sw_fd *fd = NULL;
    d.fields = 0;
    if (!make(&d, &fd)) return;
    assert_ok(sw_fd_apply(fd, NULL, NULL));
    assert_string_equal(sw_fd_name(fd), under_test->name);
    sw_fd_destroy(&fd);
    assert_null(fd);
    sw_fd_destroy(&fd);
    sw_fd_destroy(NULL);
}

static void refuse(struct sw_fd_desc d, const char *row, enum sw_status status, const char *text)
{
    struct sw_fd *fd = (struct sw_fd *)&d;
    assert_int_equal(sw_fd_create(&d, row, device, &fd), status);
    assert_contains(sw_err_message(), text);
    assert_null(fd);
}

static void refuses_with_a_message(void **state)
{
    (void)state;
    need_row();
    struct sw_fd_desc d = line_desc("d1_c6", "periodic", 16, 1), e = d;
    refuse(d, "cpu.gauss", SW_E_CONFIG, "compact differences cpu.gauss: there is no such row; fit here: ");
    e.axis = 3;
    refuse(e, under_test->name, SW_E_ARG, "axis 3: there are 0, 1 and 2");
    e = d, e.fields = -1;
    refuse(e, under_test->name, SW_E_ARG, "-1 fields");
    e = d, e.n[1] = 0;
    refuse(e, under_test->name, SW_E_ARG, "0 points along y: at least one is needed");
    e = d, e.n[1] = e.n[2] = INT64_MAX / 2;
    refuse(e, under_test->name, SW_E_ARG, "points are too many");
    e = d, e.fields = INT64_MAX / 16;
    refuse(e, under_test->name, SW_E_ARG, "points are too many");
    e = d, e.axis = 2;
    refuse(e, under_test->name, SW_E_CONFIG, "needs at least 5 points along its axis; there are 1");
    assert_ok(sw_fd_check(&d));
    assert_int_equal(sw_fd_check(&e), SW_E_CONFIG);
}

/* A closure that no table has: f'_1 + 3 f'_2 before a row with alpha = 1/3, whose pivot 1 - 3/3 is taken for one that
 * rounding made. */
static void refuses_vanishing_pivots_at_set_up(void **state)
{
    (void)state;
    need_row();
    struct sw_fd_desc d = line_desc("d1_c6", "3-4-6", 16, 1);
    struct sw_fd *fd = NULL;
    if (!make(&d, &fd)) return;
    struct sw_fd spoiled = *fd;
    spoiled.arrays = (struct sw_owned){.device = device};
    spoiled.cut.line = &spoiled.line;
    assert_ok(sw_alloc_bytes(1, under_test->own_size, &spoiled.own));
    sw_fd_end_make(3, 1.0 / 3, 1.0 / 3, false, 1.0 / 3, &spoiled.line.end);
    assert_int_equal(under_test->create(&spoiled), SW_E_SINGULAR);
    assert_contains(sw_err_message(), "zero or non-finite pivot in row 0");
    if (under_test->destroy) under_test->destroy(&spoiled);
    sw_owned_free(&spoiled.arrays);
    sw_free(spoiled.own);
    sw_fd_destroy(&fd);
}

/* Rows that know why, say why; the others that there is a reason. */
static void says_what_does_not_fit(void **state)
{
    static const struct {
        const char *row, *scheme, *boundary;
        int         n;
        double      alpha;
        bool        single;
        const char *text;
    } case_[] = {
        {"cuda.cr", "d1_c6", "periodic", 500, 0, false,
         "cuda.cr: the number of points along the axis must be a power of two, 4 to 8192; fit here:"},
        {"cuda.cr", "d1_c6", "3-4-6", 16384, 0, false, "must be a power of two, 4 to 8192"},
        {"cuda.cr", "d1_c10", "periodic", 64, 0, false, "it knows three diagonals, not five"},
        {"cusparse.gtsv_strided", "d2_c6", "4-4-6", 64, 0, false, "meets a pivot of 0 with this boundary"},
        {"cusparse.gtsv_interleaved", "d2_c4", "4-4-4", 64, 0, false, "meets a pivot of 0 with this boundary"},
        {"cusparse.gtsv_interleaved", "d1_c10", "periodic", 64, 0, false, "it knows three diagonals, not five"},
        {"cusparse.gtsv_strided", "d1_c6", "periodic", 64, 0, true, "it is for double precision"},
    };
    (void)state;
    need_row();
    for (size_t k = 0; k < sizeof case_ / sizeof *case_; k++) {
        if (strcmp(case_[k].row, under_test->name)) continue;
        struct sw_fd_desc d = line_desc(case_[k].scheme, case_[k].boundary, case_[k].n, 0.5);
        d.alpha = case_[k].alpha;
        d.single = case_[k].single;
        refuse(d, under_test->name, SW_E_ABSENT, case_[k].text);
    }
    if (under_test->adds) return;
    struct sw_fd_desc d = line_desc("d1_c6", "periodic", 16, 1);
    d.add = true;
    refuse(d, under_test->name, SW_E_ABSENT, "it does not add to a field");
}

/* Needs the compiler, but no device. */
static void compiles_its_kernels(void **state)
{
    static const struct { const char *scheme, *boundary; int n, axis; } case_[] = {
        {"d1_c6", "periodic", 512, 0}, {"f10", "reduced", 64, 0}, {"mid_c6", "periodic", 500, 1},
        {"d1_c4", "3-4-4", 2048, 1},
    };
    (void)state;
    if (under_test->absent) skip_unless_needed("cuda", under_test->absent);
    if (under_test->space == SW_HOST) return;
    for (size_t k = 0; k < sizeof case_ / sizeof *case_; k++)
        for (int sm = 80; sm <= 90; sm += 10) {
            struct sw_fd_desc d = line_desc(case_[k].scheme, case_[k].boundary, 1, 1);
            d.n[0] = d.n[1] = 40;
            d.n[d.axis = case_[k].axis] = case_[k].n;
            if (!sw_fd_fits(&d, under_test->name)) continue;
            struct sw_device *own = open_architecture(sm);
            struct sw_fd *fd = NULL;
            const enum sw_status st = sw_fd_create(&d, under_test->name, own, &fd);
            sw_fd_destroy(&fd);
            assert_compiled(st, own);
        }
}

/* ------------------------------------------------------------------ two axes at once */

/* Noise in several fields: what the joined operators make of it has the bits of one after the other, twice, as the
 * kernel's count of tiles must have come back to 0. */
static void compare_joined(const struct sw_fd_desc *along_1, const struct sw_fd_desc *along_2)
{
    const size_t count = points(along_1), word = sw_reals_word(along_1->single);
    struct sw_fd *fd[2] = {NULL, NULL};
    struct sw_fd_joined *joined = NULL;
    char *f = NULL, *out[2], *expected = NULL, *got = NULL;
    uint64_t seed = 17;
    if (!make(along_1, &fd[0]) || !make(along_2, &fd[1])) {
        sw_fd_destroy(&fd[0]);
        return;
    }
    assert_ok(sw_fd_join(fd[1], fd[0], &joined));
    assert_null(joined);  /* not in this order */
    assert_ok(sw_fd_join(fd[0], fd[1], &joined));
    assert_int_equal(joined != NULL, under_test->create_joined != NULL);
    assert_ok(sw_alloc_bytes(count, word, &expected));
    assert_ok(sw_alloc_bytes(count, word, &got));
    assert_ok(sw_device_alloc_bytes(device, count, word, &f));
    for (size_t i = 0; i < count; i++) sw_reals_set(got, word, i, test_random(&seed));
    assert_ok(sw_device_upload(device, f, got, count * word));
    for (int k = 0; k < 2; k++) assert_ok(sw_device_alloc_bytes(device, count, word, &out[k]));
    for (int k = 0; k < 4 && joined; k++) {
        memset(got, 0xff, count * word);
        for (int axis = 0; k % 2 == 0 && axis < 2; axis++)
            assert_ok(sw_device_upload(device, out[axis], got, count * word));
        if (k % 2 == 0) assert_ok(sw_fd_joined_apply(joined, f, out[0], out[1]));
        assert_ok(sw_device_download(device, got, out[k % 2], count * word));
        assert_ok(sw_fd_apply(fd[k % 2], f, out[k % 2]));
        assert_ok(sw_device_download(device, expected, out[k % 2], count * word));
        if (memcmp(got, expected, count * word))
            fail_msg("%lld fields of %lld x %lld x %lld, %s: other bits along axis %d", (long long)along_1->fields,
                     (long long)along_1->n[0], (long long)along_1->n[1], (long long)along_1->n[2],
                     along_1->single ? "single" : "double", k % 2 ? along_2->axis : along_1->axis);
    }
    sw_fd_joined_destroy(&joined);
    assert_null(joined);
    for (int k = 0; k < 2; k++) {
        sw_device_free(device, out[k]);
        sw_fd_destroy(&fd[k]);
    }
    sw_device_free(device, f);
    sw_free(expected);
    sw_free(got);
}

static void joins_axes_of_many_fields_to_the_bit(void **state)
{
    static const struct { int64_t n[3], fields; int axis[2]; } shape[] = {
        {{64, 64, 1}, 1, {0, 1}},     {{40, 36, 1}, 5, {0, 1}},  {{128, 96, 1}, 37, {0, 1}},
        {{17, 33, 1}, 1000, {0, 1}},  {{24, 20, 16}, 3, {0, 1}}, {{200, 12, 5}, 7, {0, 1}},
        {{1, 40, 33}, 4, {1, 2}},     {{40, 1, 33}, 4, {0, 2}}};
    (void)state;
    need_row();
    for (int k = 0; k < (int)(sizeof shape / sizeof *shape); k++)
        for (int way = k % 2; way < 4; way += 2) {  /* each is three kernels to compile */
            struct sw_fd_desc d[2];
            for (int axis = 0; axis < 2; axis++) {
                d[axis] = line_desc("d1_c6", way % 2 == axis ? "periodic" : "3-4-6", 1, 1);
                memcpy(d[axis].n, shape[k].n, sizeof d[axis].n);
                d[axis].axis = shape[k].axis[axis];
                d[axis].fields = shape[k].fields;
                d[axis].single = way / 2;
            }
            compare_joined(&d[0], &d[1]);
        }
}

/* Operators that add, of second derivatives, of other fields; no fields; an axis that is not one of the first two. */
static void joins_nothing_else(void **state)
{
    enum { ADDS, SECOND_DERIVATIVE, OTHER_FIELDS, NO_FIELDS, THIRD_AXIS, CASES };
    (void)state;
    need_row();
    for (int k = 0; k < CASES; k++) {
        struct sw_fd_desc d[2];
        struct sw_fd *fd[2] = {NULL, NULL};
        struct sw_fd_joined *joined = NULL;
        for (int axis = 0; axis < 2; axis++) {
            d[axis] = line_desc(k == SECOND_DERIVATIVE && axis ? "d2_c6" : "d1_c6", "periodic", 16, 1);
            d[axis].n[1] = d[axis].n[2] = 16;
            d[axis].axis = axis && k == THIRD_AXIS ? 2 : axis;
            d[axis].fields = k == NO_FIELDS ? 0 : k == OTHER_FIELDS ? 1 + axis : 2;
            d[axis].add = k == ADDS;
        }
        if (make(&d[0], &fd[0]) && make(&d[1], &fd[1])) {
            assert_ok(sw_fd_join(fd[0], fd[1], &joined));
            assert_null(joined);
        }
        for (int axis = 0; axis < 2; axis++) sw_fd_destroy(&fd[axis]);
    }
}

static void says_what_it_counts(void **state)
{
    (void)state;
    struct sw_fd_desc d = line_desc("d1_c6", "periodic", 16, 1);
    assert_true(isnan(sw_fd_cost(&d, "cpu.gauss").bytes));
    if (under_test->absent) return;
    assert_true(sw_fd_cost(&d, under_test->name).bytes >= 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_no_singular_scheme),
        cmocka_unit_test(first_derivatives_agree_with_gaussian_elimination),
        cmocka_unit_test(second_derivatives_agree_with_gaussian_elimination),
        cmocka_unit_test(values_half_way_agree_with_gaussian_elimination),
        cmocka_unit_test(filters_agree_with_gaussian_elimination),
        cmocka_unit_test(does_lines_along_x),
        cmocka_unit_test(does_lines_along_y),
        cmocka_unit_test(does_lines_along_z),
        cmocka_unit_test(gives_each_line_the_same_bits_alone_as_in_a_field),
        cmocka_unit_test(keeps_lines_apart_and_takes_any_number_of_threads),
        cmocka_unit_test(adds_to_what_is_there),
        cmocka_unit_test(gives_exactly_zero_for_constants),
        cmocka_unit_test(gives_periodic_modes_their_modified_wave_number),
        cmocka_unit_test(is_exact_for_polynomials_between_walls),
        cmocka_unit_test(is_linear_and_if_periodic_shift_invariant),
        cmocka_unit_test(agrees_with_the_reference_on_long_lines),
        cmocka_unit_test(agrees_with_the_reference_on_large_planes),
        cmocka_unit_test(has_the_orders_of_its_schemes),
        cmocka_unit_test(does_nothing_for_no_fields),
        cmocka_unit_test(refuses_with_a_message),
        cmocka_unit_test(refuses_vanishing_pivots_at_set_up),
        cmocka_unit_test(says_what_does_not_fit),
        cmocka_unit_test(compiles_its_kernels),
        cmocka_unit_test(joins_axes_of_many_fields_to_the_bit),
        cmocka_unit_test(joins_nothing_else),
        cmocka_unit_test(says_what_it_counts),
    };
    int failed = 0;
    for_each_row(sw_fd_table)
        failed += cmocka_run_group_tests_name(under_test->name, tests, open_device_and_rank,
                                              close_device_and_rank);
    return failed != 0;
}
