/* Compact differences of lines that are cut over ranks, every row for such lines, against the undivided lines by
 * cpu.thomas: every scheme and every boundary of it, ranks of unequal numbers of points, axes x, y and z, double and
 * single precision, in place of what is there and added to it.
 *
 * mpirun -n 3 build/test_fd_cut takes the cases of 3 ranks, and these are processes: to the same bits as
 * threads. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_reals.h"
#include "comm/sw_comm_impl.h"
#include "comm/sw_launch.h"
#include "fd/sw_fd_impl.h"
#include "architecture.h"
#include "fd_helpers.h"

static const struct sw_fd_ops *under_test;
static struct sw_device *device;  /* of the host */
static int gpus;

static int open_device(void **state)
{
    (void)state;
    assert_ok(sw_device_open("cpu", 1, &device));
    return 0;
}

static void count_gpus(void)
{
    for (int k = 0; sw_device_table[k]; k++)
        if (!strcmp(sw_device_table[k]->kind, "cuda") && !sw_device_table[k]->absent)
            gpus = sw_device_table[k]->count();
}

/* A row for GPUs, and there is none. */
static void need_gpu(void)
{
    if (under_test && under_test->space == SW_DEVICE && !gpus) skip_unless_needed("cuda", "there is no GPU");
}

/* The device of a rank, and the communicator of its memory: ranks take GPUs in turn.
 * @param comm  out; close_rank() frees it and the device */
static enum sw_status open_rank(const struct sw_comm *host, int threads, struct sw_device **own, struct sw_comm **comm)
{
    char spec[24] = "cpu";
    if (under_test && under_test->space == SW_DEVICE) snprintf(spec, sizeof spec, "cuda:%d", host->rank % gpus);
    SW_TRY(sw_device_open(spec, threads, own));
    return sw_comm_on_device(host, *own, NULL, comm);
}

static void close_rank(struct sw_device **own, struct sw_comm **comm)
{
    sw_comm_destroy(comm);
    sw_device_close(own);
}

static int close_device(void **state)
{
    (void)state;
    sw_device_close(&device);
    return 0;
}

static const int sizes[] = {1, 2, 3, 4, 8};
enum { SIZES = sizeof sizes / sizeof *sizes, RANKS = 8 };

/* ------------------------------------------------------------------ a field, cut and put together again */

struct problem {
    struct sw_fd_desc whole;
    int               ranks;
    int64_t           count[RANKS];
    const char       *row;       /* NULL: picked                                      */
    const char       *transport; /* NULL: picked                                      */
    int               threads;   /* of each rank, 0: 1                                */
    int               repeats;   /* how often it is applied, 0: once                  */
    const double     *f;
    double           *out;
    const char       *used;      /* out: the row                                      */
    void            (*spoil)(struct sw_fd_desc *desc, int rank);
};

static size_t size_of(const struct sw_fd_desc *d)
{
    return (size_t)(d->fields * d->n[0] * d->n[1] * d->n[2]);
}

/* [outer][n][stride] of the whole field */
static void shape_of(const struct sw_fd_desc *d, size_t *outer, size_t *stride)
{
    *stride = 1;
    for (int k = 0; k < d->axis; k++) *stride *= (size_t)d->n[k];
    *outer = size_of(d) / (*stride * (size_t)d->n[d->axis]);
}

/* @param part  numbers of the desc's precision */
static void copy_part(const struct sw_fd_desc *whole, int64_t first, int64_t m, double *all, void *part, bool out)
{
    size_t outer, stride, n = (size_t)whole->n[whole->axis];
    const size_t word = sw_reals_word(whole->single);
    shape_of(whole, &outer, &stride);
    for (size_t o = 0; o < outer; o++) {
        double *a = all + (o * n + (size_t)first) * stride;
        const size_t at = o * (size_t)m * stride;
        if (out) sw_reals_put(part, word, at, a, (size_t)m * stride);
        else sw_reals_get(part, word, at, a, (size_t)m * stride);
    }
}

/* Ranks that are processes of their own tell each other what they have computed. */
static enum sw_status share(const struct sw_comm *comm, const struct problem *p)
{
    const size_t all = size_of(&p->whole);
    double *of_all = NULL;
    int64_t first = 0;
    SW_TRY(sw_alloc(all * (size_t)comm->size, &of_all));
    enum sw_status st = sw_comm_gather(comm, all, p->out, of_all);
    for (int r = 0; r < comm->size && !st; first += p->count[r++]) {
        char *part = NULL;
        st = sw_alloc(all * sizeof(double), &part);
        if (!st) copy_part(&p->whole, first, p->count[r], of_all + (size_t)r * all, part, true);
        if (!st) copy_part(&p->whole, first, p->count[r], p->out, part, false);
        sw_free(part);
    }
    sw_free(of_all);
    return st;
}

/* What a rank has of a problem. */
struct rank {
    struct sw_device *device;
    struct sw_comm   *comm;
    struct sw_fd     *fd;
    char             *f, *out;    /* on the host  */
    void             *d_f, *d_out;
};

static enum sw_status apply(const struct problem *p, const struct sw_fd_desc *d, struct rank *r)
{
    const size_t word = sw_reals_word(d->single), bytes = size_of(d) * word;
    const int64_t first = r->fd->cut.first, m = d->n[d->axis];
    enum sw_status st = SW_OK;
    SW_TRY(sw_alloc_bytes(size_of(d), word, &r->f));
    SW_TRY(sw_alloc_bytes(size_of(d), word, &r->out));
    SW_TRY(sw_device_alloc_bytes(r->device, size_of(d), word, &r->d_f));
    SW_TRY(sw_device_alloc_bytes(r->device, size_of(d), word, &r->d_out));
    copy_part(&p->whole, first, m, (double *)p->f, r->f, true);
    copy_part(&p->whole, first, m, p->out, r->out, true);
    SW_TRY(sw_device_upload(r->device, r->d_f, r->f, bytes));
    SW_TRY(sw_device_upload(r->device, r->d_out, r->out, bytes));
    for (int k = 0; k < (p->repeats ? p->repeats : 1) && !st; k++) st = sw_fd_apply(r->fd, r->d_f, r->d_out);
    if (!st) st = sw_device_download(r->device, r->out, r->d_out, bytes);
    if (!st) copy_part(&p->whole, first, m, p->out, r->out, false);
    return st;
}

static enum sw_status do_part(const struct sw_comm *comm, void *context)
{
    struct problem *p = context;
    struct sw_fd_desc d = p->whole;
    struct rank r = {NULL};
    enum sw_status st;
    d.n[d.axis] = p->count[comm->rank];
    if (p->spoil) p->spoil(&d, comm->rank);
    SW_TRY_TO(done, st, open_rank(comm, p->threads ? p->threads : 1, &r.device, &r.comm));
    d.comm = r.comm;
    SW_TRY_TO(done, st, sw_fd_create(&d, p->row, r.device, &r.fd));
    SW_TRY_TO(done, st, sw_comm_agree(comm, apply(p, &d, &r)));
    if (r.fd->line.n != p->whole.n[p->whole.axis]) st = SW_FAIL(SW_E_ARG, "another number of points");
    if (comm->rank == 0) p->used = sw_fd_name(r.fd);
    if (!st && !strcmp(sw_comm_name(comm), "mpi")) st = share(comm, p);
done:
    sw_free(r.f);
    sw_free(r.out);
    sw_fd_destroy(&r.fd);
    if (r.device) sw_device_free(r.device, r.d_f);
    if (r.device) sw_device_free(r.device, r.d_out);
    close_rank(&r.device, &r.comm);
    return st;
}

static enum sw_status run(struct problem *p) { return sw_comm_run(p->transport, p->ranks, do_part, p); }

/* In double precision, of the same numbers. @param out  in and out, where results are added */
static void undivided(const struct problem *p, double *out)
{
    struct sw_fd *fd = NULL;
    struct sw_fd_desc d = p->whole;
    d.single = false;
    assert_ok(sw_fd_create(&d, "cpu.thomas", device, &fd));
    assert_ok(sw_fd_apply(fd, p->f, out));
    sw_fd_destroy(&fd);
}

/* ------------------------------------------------------------------ tolerance */

/* What rounding may make of results for |f| <= 1: ||T^-1|| times the terms of the right-hand side, in units of the last
 * place. cpu.thomas takes 8 of them (test_fd.c); a part as many, A u and B l two each, and A and B, which are of
 * the size of the result, as many again at most: 24. In single precision a result is rounded once more, when it is
 * stored: by half a unit of the last place of a float that is as large as the largest result, or, where it is added to
 * what is there, to |out| <= 1, of one that much larger. */
static double rounding(const struct sw_fd_desc *d, double *largest)
{
    struct sw_fd_line line;
    const int64_t n = d->n[d->axis];
    assert_ok(sw_fd_line_make(d->scheme, d->boundary, n, d->h, d->alpha, d->left, &line));
    *largest = fd_inverse_norm(d->scheme, d->boundary, d->alpha) * fd_terms(&line);
    return 24 * DBL_EPSILON * *largest + (d->single ? FLT_EPSILON / 2 : 0) * (*largest + d->add);
}

static bool by_mpirun(void) { return sw_launched().size > 1; }

/* Whether cases of so many ranks are for this call of the program. */
static bool wanted(int ranks) { return !by_mpirun() || ranks == sw_launched().size; }

/* What is there before: NaN, or what is added to. */
static void begin_result(const struct problem *p, size_t count, double *out)
{
    uint64_t seed = 23;
    for (size_t i = 0; i < count; i++) out[i] = p->whole.add ? (float)test_random(&seed) : NAN;
}

static void also_by_mpi(const struct problem *p, size_t count)
{
    struct problem q = *p;
    q.transport = "mpi";
    q.out = zeros(count);
    begin_result(&q, count, q.out);
    assert_ok(run(&q));
    assert_memory_equal(p->out, q.out, count * sizeof *q.out);
    sw_free(q.out);
}

static void compare(struct problem *p)
{
    const size_t count = size_of(&p->whole);
    double *expected = zeros(count), largest, tolerance = rounding(&p->whole, &largest), worst = 0;
    p->out = zeros(count);
    begin_result(p, count, expected);
    begin_result(p, count, p->out);
    undivided(p, expected);
    assert_ok(run(p));
    if (by_mpirun()) also_by_mpi(p, count);
    for (size_t i = 0; i < count; i++) {
        const double off = fabs(p->out[i] - expected[i]);
        if (!(off <= worst)) worst = off;
    }
    if (!(worst <= tolerance))
        fail_msg("%s by %s, %s, %lld points over %d ranks: off by %.3g, of %.3g at most", under_test->name,
                 p->whole.scheme, p->whole.boundary, (long long)p->whole.n[p->whole.axis], p->ranks, worst, tolerance);
    sw_free(expected);
    sw_free(p->out);
    p->out = NULL;
}

/* ------------------------------------------------------------------ cases */

static double alpha_of(const char *scheme) { return sw_fd_scheme_find(scheme)->any_alpha ? 0.3 : 0; }

static double line_alpha(const char *scheme)
{
    const struct sw_fd_scheme *s = sw_fd_scheme_find(scheme);
    return s->any_alpha ? alpha_of(scheme) : (double)s->alpha.num / s->alpha.den;
}

static int64_t length_of(double alpha, double beta, double drop)
{
    return fd_decay_length(&(struct sw_fd_line){.alpha = alpha, .beta = beta}, drop);
}

static int64_t decay_length(const char *scheme, double drop)
{
    const struct sw_fd_fraction beta = sw_fd_scheme_find(scheme)->beta;
    return length_of(line_alpha(scheme), beta.den ? (double)beta.num / beta.den : 0, drop);
}

/* Lines between which others lie, and others beside them. */
static struct sw_fd_desc field(const char *scheme, const char *boundary, int axis, int64_t n)
{
    struct sw_fd_desc d = {.n = {3, 2, 5}, .axis = axis, .fields = 2, .scheme = scheme, .boundary = boundary,
                           .h = 0.125, .alpha = alpha_of(scheme)};
    d.n[axis] = n;
    return d;
}

/* What cuda.truncated sums up at an end, the stencil there, and the special rows at the other end. */
static int least_on_device(const char *scheme, const char *boundary)
{
    struct sw_fd_line line;
    assert_ok(sw_fd_line_make(scheme, boundary, 1000, 1, alpha_of(scheme), false, &line));
    return (int)decay_length(scheme, 0x1p-56) + line.half_width + (line.half_width > 3 ? line.half_width : 3);
}

/* Whether the row under test drops nothing, and so does parts of any length. */
static bool is_exact(void) { return strstr(under_test->name, ".mattor"); }

/* Ranks with the least number of points that the row under test can do, and some more: all different. */
static void cut_unevenly(struct problem *p, const char *scheme, const char *boundary, int more)
{
    int least = sw_fd_least_of_rank(scheme, boundary), all = sw_fd_min_points(scheme, boundary);
    const int reach = (int)decay_length(scheme, 0x1p-53) + (sw_fd_scheme_find(scheme)->beta.num ? 4 : 0);
    if (!is_exact() && least < reach) least = reach;
    if (!is_exact() && under_test->space == SW_DEVICE) least = least_on_device(scheme, boundary);
    int64_t n = 0;
    for (int r = 0; r < p->ranks; r++) n += p->count[r] = least + more * ((r * 5 + 3) % 8);
    if (n < all) {
        p->count[0] += all - n;
        n = all;
    }
    p->whole.n[p->whole.axis] = n;
}

static double *random_field(const struct sw_fd_desc *d)
{
    double *f = zeros(size_of(d));
    uint64_t seed = 11;
    for (size_t i = 0; i < size_of(d); i++) f[i] = d->single ? (float)test_random(&seed) : test_random(&seed);
    return f;
}

/* @param variant  of the results: bit 0 to the left of the points, bit 1 added, bit 2 in single precision */
static void try_case(const char *scheme, const char *boundary, int axis, int ranks, int more, int variant)
{
    struct problem p = {.ranks = ranks, .row = under_test->name};
    p.whole = field(scheme, boundary, axis, 1);
    p.whole.left = variant & 1;
    p.whole.add = variant & 2;
    p.whole.single = variant & 4;
    cut_unevenly(&p, scheme, boundary, more);
    double *f = random_field(&p.whole);
    p.f = f;
    compare(&p);
    sw_free(f);
}

/* Of a row for devices, whose kernels are compiled for each scheme, axis and kind of part: one axis of each scheme, and
 * all variants of one. */
static bool wanted_on_device(const char *scheme, int ranks, int axis, int variant)
{
    static const int axis_of[] = {2, 1, 2, 0};
    if (under_test->space != SW_DEVICE) return true;
    if (!strcmp(scheme, "d1_c6")) return ranks == 3 || (is_exact() && ranks == 8);
    return ranks == (variant & 1 ? 2 : 3) && axis == axis_of[strlen(scheme) % 4] && variant < 2;
}

static void agrees_with_the_undivided_lines(void **state)
{
    (void)state;
    need_gpu();
    for_each_case(scheme, boundary)
        for (int k = 0; k < SIZES; k += small_suite() ? 2 : 1)
            for (int axis = 0; axis < 3 && wanted(sizes[k]); axis++)
                for (int variant = 0; variant < 8; variant++) {
                    const bool half = sw_fd_at_midpoints(sw_fd_scheme_find(scheme)->kind);
                    if ((variant & 1 && !half) || (variant > 1 && variant / 2 != axis + 1)) continue;
                    if (!wanted_on_device(scheme, sizes[k], axis, variant)) continue;
                    try_case(scheme, boundary, axis, sizes[k], (axis + k) % 3, variant);
                }
}

/* More lines than go side by side, and more points than what is added reaches. */
static void agrees_for_long_lines_and_many(void **state)
{
    struct problem p = {.ranks = 3, .count = {301, 97, 203}, .row = under_test->name, .threads = 2};
    static const char *const scheme[] = {"d1_c6", "d2_c6", "f8"};
    (void)state;
    need_gpu();
    for (int k = 0; k < 3 && wanted(p.ranks); k++)
        for (int axis = 0; axis < 3; axis++) {
            p.whole = field(scheme[k], k == 2 ? "reduced" : "4-4-6", axis, 601);
            p.whole.single = axis == 1;
            p.whole.n[(axis + 1) % 3] = 37;
            p.whole.n[(axis + 2) % 3] = 4;
            double *f = random_field(&p.whole);
            p.f = f;
            compare(&p);
            sw_free(f);
        }
}

static void one_rank_needs_no_threads(void **state)
{
    struct problem p = {.ranks = 1, .count = {101}, .row = under_test->name};
    (void)state;
    need_gpu();
    for (int periodic = 0; periodic < 2; periodic++) {
        p.whole = field("d1_c6", periodic ? "periodic" : "3-4-6", 2, 101);
        double *f = random_field(&p.whole), *out[2];
        for (int k = 0; k < 2; k++) {
            p.f = f;
            p.out = out[k] = zeros(size_of(&p.whole));
            p.transport = k ? "threads" : "null";
            assert_ok(run(&p));
        }
        assert_memory_equal(out[0], out[1], size_of(&p.whole) * sizeof *f);
        sw_free(f);
        sw_free(out[0]);
        sw_free(out[1]);
    }
}

/* Bits do not depend on how often, with how many threads, or beside how many other lines. */
static void each_line_gives_the_same_bits_alone(void **state)
{
    struct problem p = {.ranks = 4, .count = {50, 46, 55, 47}, .row = under_test->name};
    const int64_t n = 198, lines = 130;
    (void)state;
    need_gpu();
    for (int periodic = 0; periodic < 2; periodic++) {
        p.whole = (struct sw_fd_desc){.n = {lines, 1, n}, .axis = 2, .fields = 1, .scheme = "d1_c6", .h = 0.5,
                                      .boundary = periodic ? "periodic" : "3-4-6"};
        double *f = random_field(&p.whole), *all = zeros(size_of(&p.whole)), *again = zeros(size_of(&p.whole));
        double one[198], result[198];
        p.f = f;
        p.out = all;
        p.threads = 1, p.repeats = 1;
        assert_ok(run(&p));
        p.out = again;
        p.threads = 3, p.repeats = 5;
        assert_ok(run(&p));
        assert_memory_equal(all, again, size_of(&p.whole) * sizeof *f);
        p.whole.n[0] = 1;
        for (int64_t j = 0; j < lines; j += 43) {
            for (int64_t i = 0; i < n; i++) one[i] = f[i * lines + j];
            p.f = one;
            p.out = result;
            assert_ok(run(&p));
            for (int64_t i = 0; i < n; i++) assert_true(result[i] == all[i * lines + j]);
        }
        sw_free(f);
        sw_free(all);
        sw_free(again);
    }
}

static void no_fields_are_legal(void **state)
{
    struct problem p = {.ranks = 3, .count = {50, 50, 50}, .row = under_test->name};
    double none = 0;
    (void)state;
    need_gpu();
    p.whole = field("d1_c6", "periodic", 1, 150);
    p.whole.fields = 0;
    p.f = p.out = &none;
    assert_ok(run(&p));
}

/* ------------------------------------------------------------------ what is dropped */

/* The dropped couplings are rho^m (1 - rho^2) of the true values at the other end of a part at most, and a system of
 * two unknowns whose inverse has rows of 1/(1 - rho) turns them into the error at an interface: rho^m (1 + rho) of the
 * largest result, m the fewest points (a factor 1 - rho^(2m + 2) on top, below 1e-5 here). A part of 0.05 of it is
 * there, or nothing was dropped. */
static void the_error_of_truncation_is_what_is_promised(void **state)
{
    static const char *const scheme[] = {"d1_c4", "d1_c6", "d1_c8", "d2_c8", "mid_c6", "f6"};
    (void)state;
    if (is_exact()) return;
    for (int k = 0; k < 6; k++)
        for (int m = 8; m <= 32; m += 8) {
            struct problem p = {.ranks = 4, .count = {m, m + 2, m + 1, m}, .row = under_test->name};
            const double al = line_alpha(scheme[k]), rho = (1 - sqrt(1 - 4 * al * al)) / (2 * al);
            double largest, small, off = 0, top = 0, bound = pow(rho, m) * (1 + rho) * 1.00001;
            p.whole = field(scheme[k], "periodic", 2, 4 * m + 3);
            p.whole.drop = 0.1;
            const size_t count = size_of(&p.whole);
            double *f = random_field(&p.whole), *expected = zeros(count);
            p.f = f;
            p.out = zeros(count);
            undivided(&p, expected);
            assert_ok(run(&p));
            for (size_t i = 0; i < count; i++) {
                off = fmax(off, fabs(p.out[i] - expected[i]));
                top = fmax(top, fabs(expected[i]));
            }
            small = rounding(&p.whole, &largest);
            if (!(off <= bound * top + small))
                fail_msg("%s, m = %d: off by %.3g, of %.3g at most", scheme[k], m, off, bound * top + small);
            if (bound * top > 1000 * small) assert_true(off > 0.05 * bound * top);
            sw_free(expected);
            sw_free(p.out);
            sw_free(f);
        }
}

static void parts_too_short_to_truncate_are_refused(void **state)
{
    struct problem p = {.ranks = 4, .count = {60, 24, 60, 10}, .row = "cpu.truncated"};
    double dummy[2000] = {0};
    (void)state;
    p.whole = (struct sw_fd_desc){.n = {154, 1, 1}, .fields = 1, .scheme = "d1_c6", .boundary = "3-4-6", .h = 1};
    p.f = p.out = dummy;
    assert_int_equal(run(&p), SW_E_ABSENT);
    assert_string_equal(
        sw_err_message(),
        "compact differences cpu.truncated: rank 1 of 4 has m = 24 points, over which an influence "
        "falls to rho^m = 9.3e-11 (rho = 0.382), which is above eps = 1.1e-16; from 39 points on it may be, "
        "and cpu.mattor drops nothing; fit here: cpu.mattor");
    p.count[1] = 39;  /* rank 3 couples with one side only: however short it is, nothing is dropped */
    p.whole.n[0] = 169;
    assert_ok(run(&p));
    p.whole.boundary = "periodic";
    assert_int_equal(run(&p), SW_E_ABSENT);
    assert_contains(sw_err_message(), "rank 3 of 4 has m = 10 points");
    p.whole.drop = 1e-4;
    assert_ok(run(&p));
    p.count[0] = 10, p.count[3] = 60, p.whole.drop = 0;
    assert_int_equal(run(&p), SW_E_ABSENT);
    assert_contains(sw_err_message(), "rank 0 of 4 has m = 10 points");
}

static void the_row_is_picked_by_what_may_be_dropped(void **state)
{
    struct problem p = {.ranks = 4, .count = {40, 40, 40, 40}};
    double dummy[2000] = {0};
    (void)state;
    p.whole = (struct sw_fd_desc){.n = {160, 1, 1}, .fields = 1, .scheme = "d1_c6", .boundary = "periodic", .h = 1};
    p.f = p.out = dummy;
    assert_ok(run(&p));
    assert_string_equal(p.used, "cpu.truncated");
    p.count[2] = 38;
    p.whole.n[0] = 158;
    assert_ok(run(&p));
    assert_string_equal(p.used, "cpu.mattor");
}

static void knows_how_far_an_influence_reaches(void **state)
{
    (void)state;
    /* 53 log 2/-log rho = 27.9, 38.2, 46.2, 22.0 */
    assert_int_equal(length_of(0.25, 0, 0x1p-53), 28);
    assert_int_equal(length_of(1.0 / 3, 0, 0x1p-53), 39);
    assert_int_equal(length_of(0.375, 0, 0x1p-53), 47);
    assert_int_equal(length_of(2.0 / 11, 0, 0x1p-53), 22);
    assert_int_equal(length_of(-1.0 / 3, 0, 0x1p-24), 18);
    assert_int_equal(length_of(0, 0, 0x1p-53), 1);
    /* five diagonals: the slower of the two factors of 1 + z/2 + z^2/20 + ..., rho = 0.5562: 62.6 */
    assert_int_equal(decay_length("d1_c10", 0x1p-53), 63);
}

/* ------------------------------------------------------------------ refusals */

static void refuse(struct problem *p, enum sw_status status, const char *text)
{
    double dummy[4000] = {0};
    p->f = p->out = dummy;
    assert_int_equal(run(p), status);
    assert_contains(sw_err_message(), text);
}

static struct problem good(void)
{
    struct problem p = {.ranks = 3, .count = {50, 60, 70}};
    p.whole = (struct sw_fd_desc){.n = {180, 2, 1}, .fields = 1, .scheme = "d1_c6", .boundary = "3-4-6", .h = 1};
    return p;
}

static void refuses_schemes_it_does_not_do(void **state)
{
    struct problem p = good();
    (void)state;
    p.whole.scheme = "d1_c5";
    refuse(&p, SW_E_CONFIG, "scheme d1_c5 is unknown");
    p = good(), p.row = "cpu.thomas";
    refuse(&p, SW_E_ABSENT, "compact differences cpu.thomas: it does whole lines; these are cut over ranks");
    p = good(), p.row = "cpu.matter";
    refuse(&p, SW_E_CONFIG, "compact differences cpu.matter: there is no such row");
    assert_contains(sw_err_message(), "fit here: cpu.truncated cpu.mattor");
    p = good(), p.whole.drop = 2;
    refuse(&p, SW_E_ARG, "drop = 2: couplings that may be dropped are between 0 and 1");
    assert_int_equal(sw_fd_least_of_rank("d1_c10", "3-4-6"), 0);
}

static void refuses_parts_that_are_too_short(void **state)
{
    struct problem p = good();
    (void)state;
    p.count[1] = 3, p.whole.n[0] = 123;
    refuse(&p, SW_E_ARG,
           "rank 1 of 3 has 3 points of the line: d1_c6 with boundary \"3-4-6\" needs at least 4 on every rank");
    p = good(), p.whole.boundary = "periodic", p.count[2] = 1, p.whole.n[0] = 111;
    refuse(&p, SW_E_ARG, "rank 2 of 3 has 1 points of the line: d1_c6 with boundary \"periodic\" needs at least 2");
    p = good(), p.count[0] = 0;
    refuse(&p, SW_E_ARG, "0 points along x: at least one is needed");
    assert_int_equal(sw_fd_least_of_rank("f10", "reduced"), 5);
    assert_int_equal(sw_fd_least_of_rank("d1_c8", "periodic"), 3);
}

static void other_lines(struct sw_fd_desc *d, int rank) { d->n[1] += rank == 2; }
static void other_step(struct sw_fd_desc *d, int rank) { d->h += rank == 1; }
static void other_scheme(struct sw_fd_desc *d, int rank)
{
    if (rank == 1) d->scheme = "d1_c4", d->boundary = "3-4-4";
}
static void other_boundary(struct sw_fd_desc *d, int rank)
{
    if (rank == 0) d->boundary = "4-4-6";
}
static void other_drop(struct sw_fd_desc *d, int rank) { d->drop = rank == 0 ? 1e-10 : 0; }
static void bad_step(struct sw_fd_desc *d, int rank) { d->h = rank > 0 ? -rank : 1; }
static void other_add(struct sw_fd_desc *d, int rank) { d->add = rank == 1; }
static void other_precision(struct sw_fd_desc *d, int rank) { d->single = rank == 1; }
static void bad_axis(struct sw_fd_desc *d, int rank) { d->axis = rank == 1 ? 7 : 0; }

static void refuses_ranks_that_differ(void **state)
{
    struct problem p = good();
    (void)state;
    p.spoil = other_lines;
    refuse(&p, SW_E_ARG, "the ranks that share a line differ in their number of lines: from 2 to 3");
    p.spoil = other_step;
    refuse(&p, SW_E_ARG, "differ in their weights and step");
    p.spoil = other_scheme;
    refuse(&p, SW_E_ARG, "differ in their scheme's half-width: from 1 to 2");
    p.spoil = other_boundary;
    refuse(&p, SW_E_ARG, "differ in their boundary: from 2 to 3");
    p.spoil = other_drop;
    refuse(&p, SW_E_ARG, "differ in their drop");
    p.spoil = bad_step;  /* the lowest rank's message */
    refuse(&p, SW_E_CONFIG, "h = -1 is not a positive number");
    p.spoil = bad_axis;
    refuse(&p, SW_E_ARG, "axis 7: there are 0, 1 and 2");
    p.spoil = other_add;
    refuse(&p, SW_E_ARG, "differ in their adding to a field");
    p.spoil = other_precision;
    refuse(&p, SW_E_ARG, "differ in their precision");
}

static enum sw_status stops_half_way(const struct sw_comm *comm, void *context)
{
    const struct sw_fd_desc d = {.n = {50, 2, 1}, .fields = 1, .scheme = "d1_c6", .boundary = "periodic", .h = 1,
                                 .comm = comm};
    struct sw_fd *fd = NULL;
    double f[100] = {0}, out[100];
    enum sw_status st;
    SW_TRY(sw_fd_create(&d, context, device, &fd));
    st = sw_fd_apply(fd, f, out);
    if (!st && comm->rank == 1) st = SW_FAIL(SW_E_IO, "disk full");
    if (!st) st = sw_fd_apply(fd, f, out);
    if (!st) st = sw_comm_barrier(comm);  /* a rank far from the one that failed */
    sw_fd_destroy(&fd);
    return st;
}

/* Over processes it ends the job (tests/cli/run/test_mpi.sh). */
static void a_rank_that_stops_does_not_hold_up_the_others(void **state)
{
    (void)state;
    for (int trial = 0; trial < 50; trial++) {
        assert_int_equal(sw_comm_run("threads", 5, stops_half_way, (void *)under_test->name), SW_E_IO);
        assert_string_equal(sw_err_message(), "disk full");
    }
}

/* What one rank knows: its own points, and all that is the same on all ranks. */
static enum sw_status looks_without_the_others(const struct sw_comm *comm, void *context)
{
    struct sw_fd_desc d = {.n = {40, 2, 1}, .fields = 1, .scheme = "d1_c6", .boundary = "periodic", .h = 1,
                           .comm = comm};
    (void)context;
    if (comm->rank != 1) return SW_OK;
    assert_ok(sw_fd_check(&d));
    assert_true(sw_fd_fits(&d, "cpu.truncated") && sw_fd_fits(&d, "cpu.mattor"));
    assert_false(sw_fd_fits(&d, "cpu.thomas") || sw_fd_fits(&d, "cpu.simd"));
    assert_true(sw_fd_cost(&d, "cpu.mattor").bytes == 16);  /* f read and the result written, once */
    d.n[0] = 38;
    assert_true(sw_fd_fits(&d, "cpu.mattor") && !sw_fd_fits(&d, "cpu.truncated"));
    d.n[0] = 3, d.boundary = "3-4-6";
    assert_int_equal(sw_fd_check(&d), SW_E_ARG);
    assert_contains(sw_err_message(), "rank 1 of 3 has 3 points of the line");
    d.n[0] = 40, d.h = 0;
    assert_int_equal(sw_fd_check(&d), SW_E_CONFIG);
    d.h = 1, d.comm = NULL;
    assert_false(sw_fd_fits(&d, "cpu.mattor"));
    return SW_OK;
}

static void says_what_fits_without_communication(void **state)
{
    (void)state;
    assert_ok(sw_comm_run("threads", 3, looks_without_the_others, NULL));
}

/* What is counted for equal parts without the others: all but the points of each rank. */
static enum sw_status counts_and_creates_on(const struct sw_comm *comm, struct sw_device *own, void *context)
{
    enum sw_status st = SW_OK;
    for (int way = 0; way < 4 && !st; way++) {
        const struct sw_fd_desc d = {.n = {50, 7, 3}, .fields = 2, .scheme = "d1_c6", .h = 1,
                                     .boundary = way ? "periodic" : "3-4-6", .add = way & 1, .single = way & 2,
                                     .comm = comm};
        struct sw_fd *fd = NULL;
        const size_t counted = sw_fd_cut_bytes(&d, context, own), host = (size_t)comm->size * sizeof(int64_t);
        SW_TRY(sw_fd_create(&d, context, own, &fd));
        const size_t used = sw_owned_bytes(&fd->arrays, own->space) + fd->ops->own_size;
        if (counted + (own->space == SW_HOST ? host : 0) != used)
            st = SW_FAIL(SW_E_ARG, "counted %zu bytes, used %zu", counted, used);
        sw_fd_destroy(&fd);
    }
    return st;
}

static enum sw_status counts_and_creates(const struct sw_comm *host, void *context)
{
    struct sw_device *own = NULL;
    struct sw_comm *comm = NULL;
    enum sw_status st = open_rank(host, 1, &own, &comm);
    if (!st) st = sw_comm_agree(host, counts_and_creates_on(comm, own, context));
    close_rank(&own, &comm);
    return st;
}

static void counts_what_it_allocates(void **state)
{
    (void)state;
    need_gpu();
    assert_ok(sw_comm_run("threads", 3, counts_and_creates, (void *)under_test->name));
}

static struct sw_comm_ops in_memory_of_device(const struct sw_comm_ops *of)
{
    struct sw_comm_ops ops = *of;
    ops.space = SW_DEVICE;
    return ops;
}

/* Needs the compiler, but no GPU: what an architecture has of values beside a part is in the host's memory. */
static enum sw_status create_on_architecture(const struct sw_comm *comm, void *context)
{
    static const struct { const char *scheme, *boundary; int axis; } case_[] = {
        {"d1_c6", "periodic", 2}, {"d1_c6", "3-4-6", 2}, {"f10", "reduced", 1}, {"mid_c6", "periodic", 0},
        {"d2_c6", "4-4-6", 2}, {"d1_c10", "periodic", 2}};
    struct sw_device *own = NULL;
    const struct sw_comm_ops ops = in_memory_of_device(comm->ops);
    const struct sw_comm beside = {.ops = &ops, .rank = comm->rank, .size = comm->size, .own = comm->own};
    enum sw_status st = sw_comm_agree(comm, sw_device_open_architecture("sm_90", 1, &own));
    for (size_t k = 0; k < sizeof case_ / sizeof *case_ && !st; k++) {
        struct sw_fd_desc d = field(case_[k].scheme, case_[k].boundary, case_[k].axis, 200);
        struct sw_fd *fd = NULL;
        d.comm = &beside;
        d.left = d.scheme[0] == 'm';
        d.single = k % 2;
        st = sw_fd_create(&d, context, own, &fd);
        sw_fd_destroy(&fd);
    }
    sw_device_close(&own);
    return st;
}

static void compiles_its_kernels(void **state)
{
    (void)state;
    if (under_test->space == SW_HOST) return;
    struct sw_device *sm_90 = open_architecture(90);
    sw_device_close(&sm_90);
    const enum sw_status st = sw_comm_run("threads", 3, create_on_architecture, (void *)under_test->name);
    assert_ok(st);
}

static void refuses_whole_lines(void **state)
{
    struct sw_fd_desc d = {.n = {40, 2, 1}, .fields = 1, .scheme = "d1_c6", .boundary = "periodic", .h = 1};
    struct sw_fd *fd;
    (void)state;
    assert_int_equal(sw_fd_create(&d, "cpu.mattor", device, &fd), SW_E_ABSENT);
    assert_contains(sw_err_message(), "compact differences cpu.mattor: it does lines that are cut over ranks; "
                                      "these are whole; fit here: cpu.simd cpu.thomas");
}

int main(void)
{
    const struct CMUnitTest rows[] = {
        cmocka_unit_test(agrees_with_the_undivided_lines),
        cmocka_unit_test(agrees_for_long_lines_and_many),
        cmocka_unit_test(one_rank_needs_no_threads),
        cmocka_unit_test(each_line_gives_the_same_bits_alone),
        cmocka_unit_test(no_fields_are_legal),
        cmocka_unit_test(the_error_of_truncation_is_what_is_promised),
        cmocka_unit_test(a_rank_that_stops_does_not_hold_up_the_others),
        cmocka_unit_test(counts_what_it_allocates),
    };
    const struct CMUnitTest on_devices[] = {
        cmocka_unit_test(compiles_its_kernels),
        cmocka_unit_test(agrees_with_the_undivided_lines),
        cmocka_unit_test(agrees_for_long_lines_and_many),
        cmocka_unit_test(one_rank_needs_no_threads),
        cmocka_unit_test(each_line_gives_the_same_bits_alone),
        cmocka_unit_test(no_fields_are_legal),
        cmocka_unit_test(counts_what_it_allocates),
    };
    const struct CMUnitTest front[] = {
        cmocka_unit_test(parts_too_short_to_truncate_are_refused),
        cmocka_unit_test(the_row_is_picked_by_what_may_be_dropped),
        cmocka_unit_test(knows_how_far_an_influence_reaches),
        cmocka_unit_test(refuses_schemes_it_does_not_do),
        cmocka_unit_test(refuses_parts_that_are_too_short),
        cmocka_unit_test(refuses_ranks_that_differ),
        cmocka_unit_test(says_what_fits_without_communication),
        cmocka_unit_test(refuses_whole_lines),
    };
    const struct CMUnitTest apart[] = {
        cmocka_unit_test(agrees_with_the_undivided_lines),
        cmocka_unit_test(agrees_for_long_lines_and_many),
    };
    int failed = 0;
    count_gpus();
    for_each_row(sw_fd_table)
        if (by_mpirun() && under_test->refuse_cut)
            failed += cmocka_run_group_tests_name(under_test->name, apart, open_device, close_device);
    if (by_mpirun()) return failed;
    failed += cmocka_run_group_tests_name("lines that are cut", front, open_device, close_device);
    for_each_row(sw_fd_table)
        if (under_test->refuse_cut && under_test->space == SW_DEVICE)
            failed += cmocka_run_group_tests_name(under_test->name, on_devices, open_device, close_device);
        else if (under_test->refuse_cut)
            failed += cmocka_run_group_tests_name(under_test->name, rows, open_device, close_device);
    return failed;
}
