/* Solvers of elliptic problems: the matrix against its definition, and each row of the table against the matrix. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_cubed_sphere.h"
#include "base/sw_mem.h"
#include "elliptic/elliptic_cells_cpu.h"
#include "elliptic/sw_elliptic_impl.h"
#define ROW_OPS sw_elliptic_ops
#include "base/sw_err.h"
#include "row_helpers.h"

/* ------------------------------------------------------------------ shapes and matrices */

static const struct sw_elliptic_numbers usual = {.omega2 = 0.01, .lambda2 = 0.05, .delta = 1, .depth = 0.1,
                                                 .tolerance = 1e-10, .iterations = 2000};

/* Of the sphere: up to n, and of many, half of which will do for six panels, a number that multigrid halves to the
 * end. */
static int64_t cells_of_panel(int64_t n)
{
    int64_t halved = 4;
    while (4 * halved <= n) halved *= 2;
    return n < 8 ? n : halved;
}

/* Every kind of problem, on a grid of this size; of the sphere panels along x. */
static int kinds_of(const int64_t n[3], struct sw_elliptic_desc *out)
{
    const struct sw_elliptic_desc box = {.n = {n[0], n[1], n[2]}, .batch = 1},
                                  shell = {.n = {n[0], n[1], n[2]}, .batch = 1, .geometry = SW_ELLIPTIC_SHELL,
                                           .graded = true};
    int count = 0;
    out[count++] = box;
    out[count] = box, out[count].graded = true, out[count].sides[0] = SW_ELLIPTIC_PERIODIC, count++;
    out[count] = box, out[count].sides[0] = out[count].sides[1] = SW_ELLIPTIC_PERIODIC, count++;
    out[count] = box, out[count].sides[1] = SW_ELLIPTIC_NEUMANN, out[count].bottom = SW_ELLIPTIC_NEUMANN, count++;
    out[count] = box, out[count].variable = out[count].graded = true, count++;
    out[count] = box, out[count].variable = true, out[count].sides[0] = out[count].sides[1] = SW_ELLIPTIC_PERIODIC,
    out[count].bottom = out[count].top = SW_ELLIPTIC_NEUMANN, count++;
    out[count] = shell, out[count].bottom = out[count].top = SW_ELLIPTIC_NEUMANN, count++;
    out[count] = shell, out[count].full = true, out[count].top = SW_ELLIPTIC_NEUMANN, count++;
    out[count] = shell, out[count].full = true, out[count].sides[0] = SW_ELLIPTIC_NEUMANN, count++;
    for (int full = 0; full < 2; full++) {
        out[count] = shell, out[count].full = full;
        out[count].n[0] = cells_of_panel(n[0]), out[count].n[1] = SW_PANELS * out[count].n[0];
        out[count].sides[0] = out[count].sides[1] = SW_ELLIPTIC_SEAM;
        out[count].bottom = SW_ELLIPTIC_NEUMANN, out[count].top = full ? SW_ELLIPTIC_NEUMANN : SW_ELLIPTIC_DIRICHLET;
        count++;
    }
    return count;
}
enum { KINDS = 11 };

struct system {
    struct sw_elliptic_desc desc;
    struct sw_elliptic_numbers numbers;
    struct sw_elliptic_matrix matrix;
    double *kx, *ky, *kz;
    size_t cells;
    double *scratch;
};

static double *random_numbers(size_t count, double least, double most, uint64_t *seed)
{
    double *x = NULL;
    assert_ok(sw_alloc(count, &x));
    for (size_t i = 0; i < count; i++) x[i] = least + (most - least) * 0.5 * (1 + test_random(seed));
    return x;
}

static struct system make_system(const struct sw_elliptic_desc *d, const struct sw_elliptic_numbers *numbers)
{
    struct system y = {.desc = *d, .numbers = *numbers, .cells = sw_elliptic_cells(d)};
    const size_t nx = (size_t)d->n[0], ny = (size_t)d->n[1], nz = (size_t)d->n[2];
    uint64_t seed = 7;
    if (d->variable) {
        y.kx = random_numbers((nx + 1) * ny * nz, 0.3, 3, &seed);
        y.ky = random_numbers(nx * (ny + 1) * nz, 0.3, 3, &seed);
        y.kz = random_numbers(nx * ny * (nz + 1), 0.3, 3, &seed);
        for (size_t r = 0; d->sides[0] == SW_ELLIPTIC_PERIODIC && r < ny * nz; r++)  /* a face has one coefficient */
            y.kx[r * (nx + 1) + nx] = y.kx[r * (nx + 1)];
        if (d->sides[1] == SW_ELLIPTIC_PERIODIC) memcpy(y.ky + ny * nz * nx, y.ky, nz * nx * sizeof *y.ky);
    }
    const struct sw_elliptic_faces faces = {y.kx, y.ky, y.kz};
    assert_ok(sw_elliptic_matrix_make(d, numbers, d->variable ? &faces : NULL, NULL, &y.matrix));
    assert_ok(sw_alloc(elliptic_scratch(&y.matrix), &y.scratch));
    return y;
}

static void free_system(struct system *y)
{
    sw_elliptic_matrix_free(&y->matrix);
    sw_free(y->kx);
    sw_free(y->ky);
    sw_free(y->kz);
    sw_free(y->scratch);
}

static void apply(struct system *y, const double *u, double *out)
{
    for (int64_t j = 0; j < y->desc.n[1]; j++)
        elliptic_apply_slab(&y->matrix, u, elliptic_own_ends(&y->matrix, u), j,
                            out + (size_t)(j * y->desc.n[2] * y->desc.n[0]), y->scratch);
}

static void precondition(struct system *y, const double *r, double *z)
{
    for (int64_t j = 0; j < y->desc.n[1]; j++) {
        const size_t at = (size_t)(j * y->desc.n[2] * y->desc.n[0]);
        elliptic_precondition_slab(&y->matrix, j, r + at, z + at, y->scratch);
    }
}

/* ------------------------------------------------------------------ the matrix */

/* <y, A x> = <x, A y> and <x, A x> > 0, and so for M^-1: to 1e-14 of the sums of absolute values. */
static void check_symmetry(struct system *y, void (*operator)(struct system *, const double *, double *))
{
    uint64_t seed = 3;
    double *u = random_numbers(y->cells, -1, 1, &seed), *v = random_numbers(y->cells, -1, 1, &seed), *au = NULL,
           *av = NULL, uav = 0, vau = 0, uau = 0, size = 0;
    assert_ok(sw_alloc(y->cells, &au));
    assert_ok(sw_alloc(y->cells, &av));
    operator(y, u, au);
    operator(y, v, av);
    for (size_t i = 0; i < y->cells; i++) {
        uav += u[i] * av[i], vau += v[i] * au[i], uau += u[i] * au[i];
        size += fabs(u[i] * av[i]) + fabs(v[i] * au[i]);
    }
    assert_true(fabs(uav - vau) <= 1e-14 * size);
    assert_true(uau > 0);
    sw_free(u);
    sw_free(v);
    sw_free(au);
    sw_free(av);
}

static void for_all_matrices(void (*visit)(struct system *y))
{
    static const int64_t sizes[][3] = {{1, 1, 1}, {2, 1, 3}, {1, 3, 2}, {5, 4, 1}, {7, 5, 6}, {16, 17, 9}, {33, 8, 20}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct sw_elliptic_desc kind[KINDS];
        assert_int_equal(kinds_of(sizes[s], kind), KINDS);
        for (int k = 0; k < KINDS; k++) {
            struct system y = make_system(&kind[k], &usual);
            visit(&y);
            free_system(&y);
        }
    }
}

static void check_both(struct system *y)
{
    check_symmetry(y, apply);
    check_symmetry(y, precondition);
}

static void is_symmetric_and_positive_as_is_the_preconditioner(void **state)
{
    (void)state;
    for_all_matrices(check_both);
}

/* M z = r where M is A, without its cross terms, on a field that is zero in all other columns. */
static void check_column(struct system *y)
{
    const int64_t nx = y->desc.n[0], ny = y->desc.n[1], nz = y->desc.n[2], i = nx / 2, j = ny / 2;
    uint64_t seed = 5;
    double *r = random_numbers(y->cells, -1, 1, &seed), *z = NULL, *az = NULL;
    assert_ok(sw_alloc(y->cells, &z));
    assert_ok(sw_alloc(y->cells, &az));
    const bool own_neighbour = (nx <= 2 && y->matrix.periodic[0]) || (ny <= 2 && y->matrix.periodic[1]);
    if (!y->matrix.cross && !own_neighbour) {
        precondition(y, r, z);
        for (int64_t c = 0; c < (int64_t)y->cells; c++)
            if (c % nx != i || c / (nx * nz) != j) z[c] = 0;
        apply(y, z, az);
        for (int64_t k = 0; k < nz; k++) assert_near(az[(j * nz + k) * nx + i], r[(j * nz + k) * nx + i], 1e-12);
    }
    sw_free(r);
    sw_free(z);
    sw_free(az);
}

static void preconditions_by_the_columns_of_the_matrix(void **state)
{
    (void)state;
    for_all_matrices(check_column);
}

/* Areas and weights that do not depend on the numbers may be taken from another matrix. */
static void check_copy(struct system *y)
{
    const struct sw_elliptic_faces faces = {y->kx, y->ky, y->kz};
    const struct sw_elliptic_matrix *m = &y->matrix;
    struct sw_elliptic_numbers other = y->numbers;
    struct sw_elliptic_matrix copy, made;
    other.omega2 *= 3, other.depth *= 2, other.delta += 1;
    assert_ok(sw_elliptic_matrix_make(&y->desc, &other, &faces, m, &copy));
    assert_ok(sw_elliptic_matrix_make(&y->desc, &other, &faces, NULL, &made));
    assert_memory_equal(copy.area, made.area, (size_t)(made.d + made.nz - made.area) * sizeof(double));
    sw_elliptic_matrix_free(&copy);
    sw_elliptic_matrix_free(&made);
}

static void takes_what_is_horizontal_from_another_matrix(void **state)
{
    (void)state;
    for_all_matrices(check_copy);
}

static void counts_the_solid_angle_of_a_panel(void **state)
{
    (void)state;
    for (int64_t n = 1; n <= 512; n = 2 * n + 1) {
        const struct sw_elliptic_desc d = {.n = {n, n, 3}, .geometry = SW_ELLIPTIC_SHELL, .batch = 1};
        struct sw_elliptic_matrix m;
        double all = 0, deep = 0;
        assert_ok(sw_elliptic_matrix_make(&d, &usual, NULL, NULL, &m));
        for (int64_t c = 0; c < n * n; c++) all += m.area[c];
        for (int k = 0; k < 3; k++) deep += m.volume[k];
        assert_near(all, 2 * acos(-1) / 3, 1e-12);
        assert_near(deep, (pow(1.1, 3) - 1) / 3, 1e-15);
        sw_elliptic_matrix_free(&m);
    }
}

static void refuse_matrix(struct sw_elliptic_desc d, struct sw_elliptic_numbers p, const char *text)
{
    struct sw_elliptic_matrix m;
    assert_int_equal(sw_elliptic_matrix_make(&d, &p, NULL, NULL, &m), SW_E_ARG);
    if (!strstr(sw_err_message(), text)) fail_msg("'%s' does not say: %s", sw_err_message(), text);
    assert_null(m.area);
}

static void refuses_what_is_no_problem(void **state)
{
    const struct sw_elliptic_desc box = {.n = {4, 4, 4}, .batch = 1},
                                  shell = {.n = {4, 4, 4}, .batch = 1, .geometry = SW_ELLIPTIC_SHELL};
    struct sw_elliptic_desc d = box;
    struct sw_elliptic_numbers p = usual;
    (void)state;
    d.n[1] = 0, refuse_matrix(d, usual, "at least 1 along each axis");
    d.n[1] = INT64_C(1) << 40, refuse_matrix(d, usual, "at most 2^36");
    d = shell, d.sides[1] = SW_ELLIPTIC_PERIODIC, refuse_matrix(d, usual, "has walls");
    d = box, d.top = SW_ELLIPTIC_PERIODIC, refuse_matrix(d, usual, "are walls");
    d = box, d.full = true, refuse_matrix(d, usual, "no cross terms");
    d = shell, d.variable = true, refuse_matrix(d, usual, "no variable");
    p.delta = -1, refuse_matrix(box, p, "indefinite");
    p = usual, p.omega2 = 0, refuse_matrix(box, p, "omega2 = 0");
    p = usual, p.depth = NAN, refuse_matrix(box, p, "depth");
}

/* ------------------------------------------------------------------ solvers */

/* Before a test makes anything: a row may need a library that is not here. */
static void need_solver(void)
{
    const struct sw_elliptic_desc smallest = {.n = {2, 2, 3}, .batch = 1};
    struct sw_elliptic *s = NULL;
    need_row();
    if (sw_elliptic_create(&smallest, under_test->name, device, &s) == SW_E_ABSENT)
        skip_unless_needed("cuda", sw_err_message());
    sw_elliptic_destroy(&s);
}

static bool does(const struct sw_elliptic_desc *d) { return !sw_elliptic_refusal(d, under_test->name); }

struct solved { double *u; struct sw_elliptic_outcome *outcome; double *history; };
enum { HISTORY = 64 };

/* What has been loaded, count systems of so many cells. */
static struct solved solve_loaded(struct sw_elliptic *s, size_t cells, int count, const double *f)
{
    struct solved out = {NULL};
    const size_t all = (size_t)count * cells;
    assert_ok(sw_alloc(all, &out.u));
    assert_ok(sw_alloc((size_t)count, &out.outcome));
    assert_ok(sw_alloc((size_t)count * (HISTORY + 1), &out.history));
    double *there_f = (double *)f, *there_u = out.u;
    if (device->space == SW_DEVICE) {
        assert_ok(sw_device_alloc(device, all, &there_f));
        assert_ok(sw_device_alloc(device, all, &there_u));
        assert_ok(sw_device_upload(device, there_f, f, all * sizeof *f));
    }
    for (size_t i = 0; device->space == SW_HOST && i < all; i++) out.u[i] = NAN;  /* what is not written is seen */
    assert_ok(sw_elliptic_solve(s, there_f, there_u, out.outcome, out.history, HISTORY));
    if (device->space == SW_DEVICE) {
        assert_ok(sw_device_download(device, out.u, there_u, all * sizeof *f));
        sw_device_free(device, there_f);
        sw_device_free(device, there_u);
    }
    return out;
}

/* count systems of one shape, those of y[0 .. count-1], with right-hand sides f one after another. */
static struct solved solve(const struct system *y, int count, const double *f)
{
    struct sw_elliptic_desc d = y[0].desc;
    struct sw_elliptic *s;
    struct sw_elliptic_matrix matrix[8];
    struct sw_elliptic_numbers numbers[8];
    d.batch = count;
    for (int j = 0; j < count; j++) matrix[j] = y[j].matrix, numbers[j] = y[j].numbers;
    assert_ok(sw_elliptic_create(&d, under_test->name, device, &s));
    assert_ok(sw_elliptic_load(s, count, numbers, matrix));
    struct solved out = solve_loaded(s, y[0].cells, count, f);
    sw_elliptic_destroy(&s);
    return out;
}

static void free_solved(struct solved *s)
{
    sw_free(s->u);
    sw_free(s->outcome);
    sw_free(s->history);
}

/* |f - A u|/|f| by the matrix of this file's own sums. */
static double residual_of(struct system *y, const double *f, const double *u)
{
    double *au = NULL, rr = 0, ff = 0;
    assert_ok(sw_alloc(y->cells, &au));
    apply(y, u, au);
    for (size_t i = 0; i < y->cells; i++) rr += (f[i] - au[i]) * (f[i] - au[i]), ff += f[i] * f[i];
    sw_free(au);
    return sqrt(rr / ff);
}

/* The condition number is that of the preconditioned matrix, some hundreds, times what rounding leaves. */
static void check_known(struct system *y)
{
    uint64_t seed = 11;
    if (!does(&y->desc)) return;
    double *x = random_numbers(y->cells, -1, 1, &seed), *f = NULL, worst = 0;
    assert_ok(sw_alloc(y->cells, &f));
    apply(y, x, f);
    struct solved s = solve(y, 1, f);
    if (s.outcome[0].fault)
        fail_msg("%lld x %lld x %lld: fault %d after %d iterations, residual %.2g", (long long)y->desc.n[0],
                 (long long)y->desc.n[1], (long long)y->desc.n[2], s.outcome[0].fault, s.outcome[0].iterations,
                 s.outcome[0].residual);
    assert_true(s.outcome[0].residual <= y->numbers.tolerance);
    assert_true(fabs(residual_of(y, f, s.u) - s.outcome[0].residual) <= 1e-13);
    for (size_t i = 0; i < y->cells; i++) worst = fmax(worst, fabs(s.u[i] - x[i]));
    assert_true(worst < 1e-6);
    free_solved(&s);
    sw_free(x);
    sw_free(f);
}

static void recovers_known_solutions_of_all_shapes(void **state)
{
    (void)state;
    need_solver();
    for_all_matrices(check_known);
}

static void solves_for_zero_at_once(void **state)
{
    struct sw_elliptic_desc kind[KINDS];
    (void)state;
    need_solver();
    kinds_of((const int64_t[]){6, 5, 4}, kind);
    for (int k = 0; k < KINDS; k++) {
        struct system y = make_system(&kind[k], &usual);
        double *f = NULL;
        if (!does(&kind[k])) { free_system(&y); continue; }
        assert_ok(sw_alloc(y.cells, &f));
        struct solved s = solve(&y, 1, f);
        assert_int_equal(s.outcome[0].fault, SW_ELLIPTIC_FINE);
        assert_true(s.outcome[0].residual == 0);
        for (size_t i = 0; i < y.cells; i++) assert_true(s.u[i] == 0);
        f[y.cells / 2] = NAN;
        free_solved(&s);
        s = solve(&y, 1, f);
        assert_int_equal(s.outcome[0].fault, SW_ELLIPTIC_NOT_FINITE);
        free_solved(&s);
        free_system(&y);
        sw_free(f);
    }
}

/* Systems with numbers of their own: one of them is slow, and harms no other. */
static void gives_each_system_the_same_bits_alone_as_in_a_batch(void **state)
{
    enum { COUNT = 5 };
    struct sw_elliptic_desc kind[KINDS];
    (void)state;
    need_solver();
    kinds_of((const int64_t[]){12, 11, 10}, kind);
    for (int k = 0; k < KINDS; k++) {
        struct system y[COUNT];
        uint64_t seed = 13;
        if (!does(&kind[k])) continue;
        for (int j = 0; j < COUNT; j++) {
            struct sw_elliptic_numbers p = usual;
            p.omega2 *= 1 + j;
            p.depth /= 1 + j;
            if (j == 2) p.iterations = 2;
            y[j] = make_system(&kind[k], &p);
        }
        double *f = random_numbers(COUNT * y[0].cells, -1, 1, &seed);
        struct solved all = solve(y, COUNT, f);
        for (int j = 0; j < COUNT; j++) {
            struct solved one = solve(&y[j], 1, f + (size_t)j * y[0].cells);
            assert_memory_equal(one.u, all.u + (size_t)j * y[0].cells, y[0].cells * sizeof(double));
            assert_memory_equal(one.history, all.history + j * (HISTORY + 1), (HISTORY + 1) * sizeof(double));
            assert_int_equal(one.outcome[0].iterations, all.outcome[j].iterations);
            assert_true(one.outcome[0].residual == all.outcome[j].residual);
            if (j != 2) assert_int_equal(one.outcome[0].fault, SW_ELLIPTIC_FINE);
            free_solved(&one);
        }
        free_solved(&all);
        for (int j = 0; j < COUNT; j++) free_system(&y[j]);
        sw_free(f);
    }
}

/* A solver gets systems again and again: others, fewer, in another order, the same twice. Nothing stays of the former
 * ones, not even where one of them had no solution. */
static void solves_what_was_loaded_last(void **state)
{
    static const int turns[][4] = {{0, 1, 2, -1}, {3, 1, -1}, {2, 2, 3, 0}, {1, -1}, {3, 0, 1, 2}};
    struct sw_elliptic_desc d = {.n = {9, 10, 7}, .batch = 4, .graded = true};
    struct system y[4];
    struct sw_elliptic *s;
    uint64_t seed = 23;
    (void)state;
    need_solver();
    if (!does(&d)) return;
    for (int j = 0; j < 4; j++) {
        struct sw_elliptic_numbers p = usual;
        p.depth *= 1 + j / 2;
        p.omega2 /= 1 + j % 2;
        y[j] = make_system(&d, &p);
    }
    double *f = random_numbers(4 * y[0].cells, -1, 1, &seed);
    f[5] = NAN;  /* of the first one of each turn */
    assert_ok(sw_elliptic_create(&d, under_test->name, device, &s));
    for (size_t t = 0; t < sizeof turns / sizeof *turns; t++) {
        struct sw_elliptic_matrix matrix[4];
        struct sw_elliptic_numbers numbers[4];
        int count = 0;
        for (; count < 4 && turns[t][count] >= 0; count++)
            matrix[count] = y[turns[t][count]].matrix, numbers[count] = y[turns[t][count]].numbers;
        assert_ok(sw_elliptic_load(s, count, numbers, matrix));
        struct solved all = solve_loaded(s, y[0].cells, count, f);
        assert_int_equal(all.outcome[0].fault, SW_ELLIPTIC_NOT_FINITE);
        for (int j = 1; j < count; j++) {
            struct solved one = solve(&y[turns[t][j]], 1, f + (size_t)j * y[0].cells);
            assert_memory_equal(one.u, all.u + (size_t)j * y[0].cells, y[0].cells * sizeof(double));
            free_solved(&one);
        }
        free_solved(&all);
    }
    sw_elliptic_destroy(&s);
    for (int j = 0; j < 4; j++) free_system(&y[j]);
    sw_free(f);
}

/* Coefficients of a box that jump along x, grow along it, or are random from face to face, by 10^decades. */
static void set_jumps(struct system *y, int kind, double decades, uint64_t *seed)
{
    const int64_t nx = y->desc.n[0], rows = y->desc.n[1] * y->desc.n[2];
    const size_t faces[] = {(size_t)((nx + 1) * rows), (size_t)(nx * (y->desc.n[1] + 1) * y->desc.n[2]),
                            (size_t)(nx * y->desc.n[1] * (y->desc.n[2] + 1))};
    double *const k[] = {y->kx, y->ky, y->kz};
    for (int a = 0; a < 3; a++)
        for (size_t i = 0; i < faces[a]; i++) k[a][i] = kind == 2 ? pow(10, 0.5 * decades * test_random(seed)) : 1;
    for (int64_t r = 0; r < rows && kind < 2; r++)
        for (int64_t i = 0; i <= nx; i++)
            y->kx[r * (nx + 1) + i] = pow(10, decades * (kind ? (double)i / (double)nx : 2 * i > nx));
}

/* Where multigrid comes to nothing with one of these the reference takes over, and is named. The residual is of this
 * file's own sums. */
static void solves_where_coefficients_jump(void **state)
{
    struct sw_elliptic_numbers p = usual;
    uint64_t seed = 18;
    int taken_over = 0;
    (void)state;
    need_solver();
    if (under_test->space == SW_DEVICE && !under_test->falls_back) return;
    p = (struct sw_elliptic_numbers){.omega2 = 1, .lambda2 = 1, .delta = 1, .depth = 1, .tolerance = 1e-8,
                                     .iterations = 4000};
    for (int k = 0; k < (small_suite() ? 12 : long_suite() ? 60 : 30); k++) {
        struct sw_elliptic_desc d = {.n = {6 + k % 27, 5 + (7 * k) % 23, 1 + k % 9}, .variable = true, .batch = 1,
                                     .sides = {k % 2, k % 2}, .bottom = SW_ELLIPTIC_NEUMANN,
                                     .top = SW_ELLIPTIC_NEUMANN};
        if (!does(&d)) return;
        struct system y = make_system(&d, &p);
        double *f = random_numbers(y.cells, -1, 1, &seed);
        set_jumps(&y, k % 3, 1 + k % 5, &seed);
        struct solved s = solve(&y, 1, f);
        if (s.outcome[0].fault || !(residual_of(&y, f, s.u) <= 1.01 * p.tolerance))
            fail_msg("case %d: fault %d after %d iterations, residual %.2g", k, s.outcome[0].fault,
                     s.outcome[0].iterations, residual_of(&y, f, s.u));
        if (s.outcome[0].by) {
            assert_string_equal(s.outcome[0].by, under_test->falls_back);
            taken_over++;
        }
        free_solved(&s);
        sw_free(f);
        free_system(&y);
    }
    assert_true(taken_over == 0 || under_test->falls_back);
}

/* Coefficients that are 1 or 10^7 at random, harmonic means of them at faces: islands of all shapes, one cell apart. */
static void set_islands(struct system *y, uint64_t *seed)
{
    const int64_t nx = y->desc.n[0], ny = y->desc.n[1], nz = y->desc.n[2];
    double *k = random_numbers(y->cells, 0, 1, seed);
    for (size_t i = 0; i < y->cells; i++) k[i] = k[i] < 0.5 ? 1e7 : 1;
    for (int64_t j = 0; j < ny; j++)
        for (int64_t l = 0; l < nz; l++)
            for (int64_t i = 0; i < nx; i++) {
                const double *at = k + (j * nz + l) * nx + i;
                double *x = y->kx + (j * nz + l) * (nx + 1) + i, *to_y = y->ky + (j * nz + l) * nx + i,
                       *z = y->kz + (j * (nz + 1) + l) * nx + i;
                x[0] = i ? 2 / (1 / at[-1] + 1 / at[0]) : at[0];
                to_y[0] = j ? 2 / (1 / at[-nz * nx] + 1 / at[0]) : at[0];
                z[0] = l ? 2 / (1 / at[-nx] + 1 / at[0]) : at[0];
                if (i == nx - 1) x[1] = at[0];
                if (j == ny - 1) to_y[nz * nx] = at[0];
                if (l == nz - 1) z[nx] = at[0];
            }
    sw_free(k);
}

/* Of so many islands no coarse grid knows all: multigrid takes 1000 iterations and more, conjugate gradients with
 * columns alone some hundreds. */
static void hands_over_what_it_cannot_solve(void **state)
{
    const struct sw_elliptic_desc d = {.n = {16, 16, 16}, .variable = true, .graded = true, .batch = 1,
                                       .bottom = SW_ELLIPTIC_NEUMANN, .top = SW_ELLIPTIC_NEUMANN};
    const struct sw_elliptic_numbers p = {.omega2 = 1, .lambda2 = 0.033, .delta = 1, .depth = 0.1, .tolerance = 1e-8,
                                          .iterations = 600};
    uint64_t seed = 7;
    (void)state;
    need_solver();
    if (!under_test->falls_back) return;
    struct system y = make_system(&d, &p);
    double *f = random_numbers(y.cells, -1, 1, &seed);
    set_islands(&y, &seed);
    struct solved s = solve(&y, 1, f);
    assert_int_equal(s.outcome[0].fault, SW_ELLIPTIC_FINE);
    assert_true(residual_of(&y, f, s.u) <= 1.01 * p.tolerance);
    assert_non_null(s.outcome[0].by);
    assert_string_equal(s.outcome[0].by, under_test->falls_back);
    free_solved(&s);
    sw_free(f);
    free_system(&y);
}

/* Across jumps that a coarse grid can know of, aligned with its cells or not, iterations hardly grow: multigrid on a
 * CPU takes interpolation from the matrix. Squares of 5 x 5 cells, channels of one. */
static void is_hardly_disturbed_by_jumps(void **state)
{
    const struct sw_elliptic_desc d = {.n = {48, 48, 3}, .variable = true, .graded = true, .batch = 1,
                                       .bottom = SW_ELLIPTIC_NEUMANN, .top = SW_ELLIPTIC_NEUMANN};
    const struct sw_elliptic_numbers p = {.omega2 = 1, .lambda2 = 0.033, .delta = 1, .depth = 0.1, .tolerance = 1e-7,
                                          .iterations = 100};
    uint64_t seed = 7;
    (void)state;
    need_solver();
    if (!under_test->falls_back || under_test->space == SW_DEVICE) return;
    for (int which = 0; which < 2; which++) {
        struct system y = make_system(&d, &p);
        double *f = random_numbers(y.cells, -1, 1, &seed);
        const int64_t nx = d.n[0], nz = d.n[2];
        for (int64_t j = 0; j <= d.n[1]; j++)
            for (int64_t l = 0; l <= nz; l++)
                for (int64_t i = 0; i <= nx; i++) {
                    const bool good = which ? i % 8 == 3 : (i / 5 + j / 5) % 2,
                               before = which ? i % 8 == 4 : i && ((i - 1) / 5 + j / 5) % 2,
                               below = which ? good : j && (i / 5 + (j - 1) / 5) % 2;
                    if (j < d.n[1] && l < nz) y.kx[(j * nz + l) * (nx + 1) + i] = good && before ? 1e6 : 2;
                    if (i < nx && l < nz) y.ky[(j * nz + l) * nx + i] = good && below ? 1e6 : 2;
                    if (i < nx && j < d.n[1]) y.kz[(j * (nz + 1) + l) * nx + i] = good ? 1e6 : 1;
                }
        struct solved s = solve(&y, 1, f);
        assert_int_equal(s.outcome[0].fault, SW_ELLIPTIC_FINE);
        assert_null(s.outcome[0].by);
        if (s.outcome[0].iterations > 30) fail_msg("jumps %d: %d iterations", which, s.outcome[0].iterations);
        free_solved(&s);
        sw_free(f);
        free_system(&y);
    }
}

static void says_what_it_did_not_reach(void **state)
{
    const struct sw_elliptic_desc d = {.n = {32, 32, 4}, .batch = 1};
    struct sw_elliptic_numbers p = usual;
    uint64_t seed = 17;
    (void)state;
    need_solver();
    p.tolerance = 1e-18;
    struct system y = make_system(&d, &p);
    double *f = random_numbers(y.cells, -1, 1, &seed);
    struct solved s = solve(&y, 1, f);
    assert_int_equal(s.outcome[0].fault, SW_ELLIPTIC_FLOOR);
    assert_true(s.outcome[0].residual < 1e-13);
    free_solved(&s);
    sw_free(f);
    free_system(&y);
}

/* The history begins at 1, has a number for each iteration, and ends with what is reported. */
static void records_its_way(void **state)
{
    const struct sw_elliptic_desc d = {.n = {16, 16, 8}, .batch = 1};
    uint64_t seed = 19;
    (void)state;
    need_solver();
    struct system y = make_system(&d, &usual);
    double *f = random_numbers(y.cells, -1, 1, &seed);
    struct solved s = solve(&y, 1, f);
    const int last = s.outcome[0].iterations;
    assert_true(s.history[0] == 1);
    for (int k = 1; k <= HISTORY; k++) assert_true(k <= last ? s.history[k] > 0 : isnan(s.history[k]));
    if (last <= HISTORY) assert_true(s.history[last] == s.outcome[0].reported);
    free_solved(&s);
    sw_free(f);
    free_system(&y);
}

/* Systems whose slabs, rows and columns do not come out even, by 1, 2, 3 and 7 threads; a few iterations, as each has
 * many barriers, at which threads wait for a core where there are fewer of these. */
static void gives_the_same_bits_with_any_number_of_threads(void **state)
{
    struct sw_elliptic_desc kind[KINDS];
    struct sw_elliptic_numbers few = usual;
    (void)state;
    need_solver();
    few.iterations = 4;
    kinds_of((const int64_t[]){45, 13, 22}, kind);
    for (int k = 0; k < KINDS; k++) {
        struct system y = make_system(&kind[k], &few);
        struct sw_device *two = device;
        uint64_t seed = 23;
        double *f = random_numbers(y.cells, -1, 1, &seed);
        if (does(&kind[k])) {
            struct solved s = solve(&y, 1, f);
            for (int threads = 1; threads <= 7; threads += threads == 3 ? 4 : 2) {
                assert_ok(sw_device_open("cpu", threads, &device));
                struct solved other = solve(&y, 1, f);
                sw_device_close(&device);
                assert_memory_equal(other.u, s.u, y.cells * sizeof *s.u);
                assert_memory_equal(other.history, s.history, (HISTORY + 1) * sizeof *s.history);
                assert_int_equal(other.outcome[0].iterations, s.outcome[0].iterations);
                assert_true(other.outcome[0].residual == s.outcome[0].residual);
                free_solved(&other);
            }
            device = two;
            free_solved(&s);
        }
        sw_free(f);
        free_system(&y);
    }
}

static struct solved solve_by_reference(const struct system *y, const double *f)
{
    extern const struct sw_elliptic_ops elliptic_pcg_cpu;
    const struct sw_elliptic_ops *row = under_test;
    struct sw_device *there = device;
    under_test = &elliptic_pcg_cpu;
    assert_ok(sw_device_open("cpu", 2, &device));
    struct solved s = solve(y, 1, f);
    sw_device_close(&device);
    under_test = row;
    device = there;
    return s;
}

/* Conjugate gradients preconditioned by columns, in whatever order and place: their iterations are those of the
 * reference. */
static bool iterates_as_the_reference(void)
{
    const char *name = strchr(under_test->name, '.');
    return name && (!strcmp(name, ".pcg") || !strcmp(name, ".interleaved") || !strcmp(name, ".csr"));
}

/* Both residuals are within the tolerance, so A (u - v) is within twice that. */
/* Long waves rule: what the zero-order term holds is 1e-8 of what horizontal neighbours weigh. */
static void solves_where_long_waves_rule(void **state)
{
    const struct sw_elliptic_numbers p = {.omega2 = 30, .lambda2 = 0.05, .delta = 1e-3, .depth = 0.1,
                                          .tolerance = 1e-8, .iterations = 5000};
    struct sw_elliptic_desc kind[KINDS];
    (void)state;
    need_solver();
    kinds_of((const int64_t[]){small_suite() ? 24 : 40, 37, 5}, kind);
    for (int k = 0; k < KINDS; k++) {
        struct system y = make_system(&kind[k], &p);
        struct sw_device *two = device;
        uint64_t seed = 37;
        double *f = random_numbers(y.cells, -1, 1, &seed);
        if (does(&kind[k])) {
            struct solved s = solve(&y, 1, f);
            if (s.outcome[0].fault) fail_msg("kind %d: fault %d", k, s.outcome[0].fault);
            assert_true(residual_of(&y, f, s.u) <= p.tolerance + 1e-12);
            if (device->space == SW_HOST) assert_ok(sw_device_open("cpu", 3, &device));
            struct solved other = solve(&y, 1, f);
            assert_memory_equal(other.u, s.u, y.cells * sizeof *s.u);
            if (device != two) sw_device_close(&device);
            device = two;
            free_solved(&other);
            free_solved(&s);
        }
        sw_free(f);
        free_system(&y);
    }
}

/* Planes of more cells than one block of threads holds, or a cluster of blocks. */
static void solves_in_wide_planes(void **state)
{
    static const struct { int64_t n[3]; int kind; } of[] = {
        {{132, 100, 2}, 7}, {{128, 192, 3}, 2}, {{253, 250, 2}, 6}, {{256, 256, 1}, 8}, {{300, 244, 2}, 3}};
    struct sw_elliptic_numbers p = usual;
    (void)state;
    need_row();
    p.omega2 = 1e-4;
    p.tolerance = 1e-9;
    for (size_t n = 0; n < sizeof of / sizeof *of; n++) {
        struct sw_elliptic_desc kind[KINDS];
        kinds_of(of[n].n, kind);
        if (small_suite() && of[n].n[0] * of[n].n[1] * of[n].n[2] > 100000) continue;
        if (!does(&kind[of[n].kind])) continue;
        struct system y = make_system(&kind[of[n].kind], &p);
        uint64_t seed = 41;
        double *f = random_numbers(y.cells, -1, 1, &seed);
        struct solved s = solve(&y, 1, f);
        if (s.outcome[0].fault)
            fail_msg("case %zu: fault %d, residual %.2g", n, s.outcome[0].fault, s.outcome[0].residual);
        assert_true(residual_of(&y, f, s.u) <= p.tolerance + 1e-12);
        free_solved(&s);
        sw_free(f);
        free_system(&y);
    }
}

/* Columns of numbers of levels that a row may share out in several ways. */
static void solves_for_columns_of_any_height(void **state)
{
    static const int64_t sizes[][3] = {{5, 4, 65}, {3, 6, 128}, {4, 3, 150}, {3, 3, 256}, {2, 3, 300}, {3, 2, 530}};
    struct sw_elliptic_numbers p = usual;
    (void)state;
    need_solver();
    p.tolerance = 1e-9;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct sw_elliptic_desc kind[KINDS];
        kinds_of(sizes[s], kind);
        for (int k = 0; k < KINDS; k++) {
            if (sizes[s][2] > 150 && !kind[k].variable) continue;  /* modes would take long */
            struct system y = make_system(&kind[k], &p);
            uint64_t seed = 41;
            double *f = random_numbers(y.cells, -1, 1, &seed);
            if (does(&kind[k])) {
                struct solved one = solve(&y, 1, f);
                if (one.outcome[0].fault)
                    fail_msg("kind %d, %lld levels: fault %d", k, (long long)sizes[s][2], one.outcome[0].fault);
                assert_true(residual_of(&y, f, one.u) <= p.tolerance + 1e-12);
                free_solved(&one);
            }
            sw_free(f);
            free_system(&y);
        }
    }
}

static void check_reference(struct system *y)
{
    uint64_t seed = 29;
    double *f = random_numbers(y->cells, -1, 1, &seed), *off = NULL, *image = NULL, aa = 0, ff = 0;
    if (!does(&y->desc)) { sw_free(f); return; }
    assert_ok(sw_alloc(y->cells, &off));
    assert_ok(sw_alloc(y->cells, &image));
    struct solved s = solve(y, 1, f), r = solve_by_reference(y, f);
    for (size_t i = 0; i < y->cells; i++) off[i] = s.u[i] - r.u[i];
    apply(y, off, image);
    for (size_t i = 0; i < y->cells; i++) aa += image[i] * image[i], ff += f[i] * f[i];
    assert_true(sqrt(aa / ff) <= 2 * y->numbers.tolerance + 1e-13);
    if (iterates_as_the_reference()) assert_true(abs(s.outcome[0].iterations - r.outcome[0].iterations) <= 1);
    free_solved(&s);
    free_solved(&r);
    sw_free(f);
    sw_free(off);
    sw_free(image);
}

/* Columns of few levels, and of so many that they are cut into pieces. Thin levels weigh their neighbours so much that
 * rounding allows no more than 1e-8. */
static void agrees_with_the_reference(void **state)
{
    static const int64_t sizes[][3] = {{31, 18, 14}, {9, 5, 70}, {4, 3, 300}};
    (void)state;
    need_solver();
    for (int t = 0; t < (small_suite() ? 1 : 3); t++) {
        struct sw_elliptic_desc kind[KINDS];
        struct sw_elliptic_numbers p = usual;
        if (t > 0) p.tolerance = 1e-8, p.lambda2 = 1e-5;
        kinds_of(sizes[t], kind);
        for (int k = 0; k < KINDS; k++) {
            struct system y = make_system(&kind[k], &p);
            check_reference(&y);
            free_system(&y);
        }
    }
}

/* Iterations to 1e-5 by a program of its own, columns of whose matrix lie one after another, which eliminates by the
 * differences that we avoid: courant is 2 sqrt(omega2)/dx, dx of a panel pi/2 over n; f = 1, or random at each cell. */
static void needs_the_iterations_that_another_program_needs(void **state)
{
    static const struct { int n, nz; bool shell, full; double courant, lambda2; int constant, random; } known[] = {
        {32, 16, true, false, 8.4, 0.033, 37, 46},  {32, 16, false, false, 8.4, 0.033, 39, 48},
        {32, 16, true, true, 8.4, 0.033, 37, 46},   {32, 16, true, false, 4, 0.033, 27, 27},
        {32, 16, true, false, 13.5, 0.033, 40, 56}, {32, 16, true, false, 16, 0.033, 41, 58},
        {32, 16, true, false, 8.4, 1, 37, 47},      {32, 16, true, false, 8.4, 1e-4, 42, 49},
        {64, 32, true, false, 8.4, 0.033, 58, 54},
    };
    (void)state;
    need_solver();
    for (size_t c = 0; c < sizeof known / sizeof *known; c++) {
        const int64_t n = known[c].n, nz = known[c].nz;
        if (small_suite() && n > 32) continue;
        const struct sw_elliptic_desc d = {.n = {n, n, nz}, .batch = 1, .full = known[c].full, .graded = true,
                                           .geometry = known[c].shell ? SW_ELLIPTIC_SHELL : SW_ELLIPTIC_BOX,
                                           .bottom = SW_ELLIPTIC_NEUMANN, .top = SW_ELLIPTIC_NEUMANN};
        const double dx = (known[c].shell ? acos(-1) / 2 : 1) / (double)n, omega = known[c].courant * dx / 2;
        const struct sw_elliptic_numbers p = {.omega2 = omega * omega, .lambda2 = known[c].lambda2, .delta = 1,
                                              .depth = 0.01, .tolerance = 1e-5, .iterations = 200};
        struct system y = make_system(&d, &p);
        uint64_t seed = 31;
        double *f = random_numbers(y.cells, -1, 1, &seed);
        for (int constant = 0; constant < 2; constant++) {
            const int expected = constant ? known[c].constant : known[c].random;
            for (int64_t i = 0; i < (int64_t)y.cells; i++) {
                const double volume = y.matrix.area[i / (n * nz) * n + i % n] * y.matrix.volume[i / n % nz];
                f[i] = constant ? volume : volume * f[i];
            }
            struct solved s = solve(&y, 1, f);
            assert_int_equal(s.outcome[0].fault, SW_ELLIPTIC_FINE);
            if (abs(s.outcome[0].iterations - expected) > 2)
                fail_msg("case %zu, %s f: %d iterations, not %d", c, constant ? "constant" : "random",
                         s.outcome[0].iterations, expected);
            free_solved(&s);
        }
        sw_free(f);
        free_system(&y);
    }
}

/* Iterations to 1e-7 at a Courant number: omega2 = (courant h/2)². @param courant  0: Poisson's equation */
static int iterations_of(const struct sw_elliptic_desc *d, double courant, double depth)
{
    const double n = (double)(d->n[0] > d->n[1] ? d->n[0] : d->n[1]), omega = 0.5 * courant / n;
    const struct sw_elliptic_numbers p = {.omega2 = courant > 0 ? omega * omega : 1, .lambda2 = 0.033, .depth = depth,
                                          .delta = courant > 0, .tolerance = 1e-7, .iterations = 100};
    struct system y = make_system(d, &p);
    uint64_t seed = 23;
    double *f = random_numbers(y.cells, -1, 1, &seed), mean = 0;
    for (size_t i = 0; i < y.cells; i++) mean += f[i] / (double)y.cells;
    for (size_t i = 0; i < y.cells; i++) f[i] -= mean;  /* of a system without walls there is a solution then */
    struct solved s = solve(&y, 1, f);
    const int iterations = s.outcome[0].fault ? p.iterations : s.outcome[0].iterations;
    free_solved(&s);
    sw_free(f);
    free_system(&y);
    return iterations;
}

/* 6 to 10 on grids of all sizes; 16 where colours are missing, with coefficients that jump. In a square box 6, 8 or 9
 * by a cycle whose way up takes colours in the reverse order; on a square shell with corners 7, without colours 9. */
static void needs_few_iterations_whatever_the_grid_and_the_numbers(void **state)
{
    static const int64_t sizes[][3] = {{16, 16, 4}, {31, 31, 3}, {32, 33, 3}, {100, 37, 2}, {64, 64, 2}, {1, 40, 5}};
    static const double courants[] = {0, 2, 8.4, 40, 400}, depths[] = {1, 0.03, 0.001};
    struct sw_elliptic_desc kind[KINDS];
    (void)state;
    need_solver();
    const int every = small_suite() ? 4 : 1;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const bool square = sizes[s][0] > 1 && llabs(sizes[s][0] - sizes[s][1]) < 2;
        kinds_of(sizes[s], kind);
        for (int k = 0; k < KINDS; k++)
            for (int c = ((int)s + k) % every; does(&kind[k]) && c < 5; c += every) {
                const double depth = depths[((int)s + k + c) % 3];
                const int iterations = iterations_of(&kind[k], courants[c], depth),
                          most = square && (k == 0 || (k == 7 && !strcmp(under_test->name, "cuda.multigrid"))) ? 7 : 16;
                if (iterations > most)
                    fail_msg("kind %d, %lld x %lld x %lld, Courant number %g, depth %g: %d iterations", k,
                             (long long)sizes[s][0], (long long)sizes[s][1], (long long)sizes[s][2], courants[c], depth,
                             iterations);
            }
    }
}

/* What a solver takes is what was told before: its own arrays to the byte, at most what others inside it take. */
static void takes_the_bytes_that_it_tells(void **state)
{
    struct sw_elliptic_desc kind[KINDS];
    (void)state;
    need_solver();
    kinds_of((const int64_t[]){47, 40, 21}, kind);
    for (int k = 0; k < KINDS; k++) {
        struct sw_elliptic *s;
        size_t told;
        if (!does(&kind[k])) continue;
        assert_ok(sw_elliptic_bytes(&kind[k], under_test->name, device, &told));
        const double before = in_use(), spare = 8192;
        count_bytes();
        assert_ok(sw_elliptic_create(&kind[k], under_test->name, device, &s));
        const size_t counted = bytes_counted(), own = sw_owned_bytes(&s->arrays, under_test->space),
                     others = under_test->other_bytes ? under_test->other_bytes(&kind[k], device) : 0;
        const double taken = device->space == SW_DEVICE ? (double)counted : in_use() - before;
        sw_elliptic_destroy(&s);
        if (taken > (double)told + spare) fail_msg("kind %d: %.0f bytes, not %zu", k, taken, told);
        if (!kind[k].variable && (own > told || own + others < told))
            fail_msg("kind %d: %zu bytes of arrays and %zu, not %zu", k, own, others, told);
    }
}

/* ------------------------------------------------------------------ single precision */

/* A number that float has, times a power of two: u of a row in single is one. */
static bool is_single(double x)
{
    int exponent;
    const double part = frexp(x, &exponent);
    return (double)(float)part == part;
}

/* The residual is formed in double, and is within the tolerance that each precision was given: so A (u - v) is within
 * the sum of both. The recurrences have 6e-8, and the tolerance is far above that: iterations are as many. */
static void check_single(struct system *y)
{
    uint64_t seed = 11;
    double *x = random_numbers(y->cells, -1, 1, &seed), *f = NULL, *off = NULL, *image = NULL, aa = 0, ff = 0;
    struct system in_single = *y;
    in_single.desc.single = true;
    in_single.numbers.tolerance = 1e-4;
    if (!does(&y->desc)) { sw_free(x); return; }
    assert_ok(sw_alloc(y->cells, &f));
    assert_ok(sw_alloc(y->cells, &off));
    assert_ok(sw_alloc(y->cells, &image));
    apply(y, x, f);
    struct solved s = solve(&in_single, 1, f), again = solve(&in_single, 1, f), d = solve(y, 1, f);
    assert_int_equal(s.outcome[0].fault, SW_ELLIPTIC_FINE);
    assert_true(s.outcome[0].residual <= 1e-4);
    assert_true(fabs(residual_of(y, f, s.u) - s.outcome[0].residual) <= 1e-13);
    assert_memory_equal(s.u, again.u, y->cells * sizeof *s.u);
    for (size_t i = 0; i < y->cells; i++) {
        assert_true(is_single(s.u[i]));
        off[i] = s.u[i] - d.u[i];
    }
    apply(y, off, image);
    for (size_t i = 0; i < y->cells; i++) aa += image[i] * image[i], ff += f[i] * f[i];
    assert_true(sqrt(aa / ff) <= 1e-4 + y->numbers.tolerance + 1e-13);
    for (int k = 1; k < HISTORY && d.history[k] > 2e-4; k++) assert_near(s.history[k] / d.history[k], 1, 0.05);
    free_solved(&s);
    free_solved(&again);
    free_solved(&d);
    sw_free(x);
    sw_free(f);
    sw_free(off);
    sw_free(image);
}

static void computes_in_single_precision_what_it_does_in_double(void **state)
{
    (void)state;
    need_solver();
    for_all_matrices(check_single);
}

/* f, and on the CPU the matrix, are scaled: numbers far beyond those of float. */
static void scales_what_single_precision_has_no_numbers_for(void **state)
{
    static const double sizes[] = {1, 1e-60, 1e60};
    struct sw_elliptic_desc d = {.n = {12, 9, 8}, .batch = 1, .geometry = SW_ELLIPTIC_SHELL, .full = true,
                                 .graded = true, .single = true};
    (void)state;
    need_solver();
    if (!does(&d)) return;
    for (int matrix = 0; matrix < (under_test->space == SW_HOST ? 3 : 1); matrix++)
        for (int rhs = 0; rhs < 3; rhs++) {
            struct sw_elliptic_numbers p = usual;
            uint64_t seed = 17;
            p.tolerance = 1e-4;
            p.omega2 *= sizes[matrix], p.delta *= sizes[matrix];
            struct system y = make_system(&d, &p);
            double *f = random_numbers(y.cells, -sizes[rhs], sizes[rhs], &seed);
            struct solved s = solve(&y, 1, f);
            assert_int_equal(s.outcome[0].fault, SW_ELLIPTIC_FINE);
            assert_true(fabs(residual_of(&y, f, s.u) - s.outcome[0].residual) <= 1e-13);
            free_solved(&s);
            free_system(&y);
            sw_free(f);
        }
}

/* u is rounded, and A of that is as large as what it weighs at a thin level: the residual stays far above a tolerance
 * that double precision reaches, and is told. */
static void says_that_rounding_to_single_keeps_the_residual_up(void **state)
{
    struct sw_elliptic_desc d = {.n = {16, 16, 32}, .batch = 1, .geometry = SW_ELLIPTIC_SHELL, .graded = true,
                                 .bottom = SW_ELLIPTIC_NEUMANN, .top = SW_ELLIPTIC_NEUMANN, .single = true};
    struct sw_elliptic_numbers p = usual;
    (void)state;
    need_solver();
    p.depth = 0.01, p.tolerance = 1e-6;
    struct system y = make_system(&d, &p);
    double *f = NULL;
    assert_ok(sw_alloc(y.cells, &f));
    for (int64_t c = 0; c < (int64_t)y.cells; c++)
        f[c] = y.matrix.area[c / (16 * 32) * 16 + c % 16] * y.matrix.volume[c / 16 % 32];
    struct solved s = solve(&y, 1, f);
    assert_int_equal(s.outcome[0].fault, SW_ELLIPTIC_FLOOR);
    assert_true(s.outcome[0].residual > 1e-6 && s.outcome[0].residual < 0.1);
    assert_true(fabs(residual_of(&y, f, s.u) - s.outcome[0].residual) <= 1e-13);
    assert_true(s.outcome[0].reported <= 1e-6);
    free_solved(&s);
    free_system(&y);
    sw_free(f);
}

/* What a solver in single takes is what was told before, too; and which rows have it is said by those that have not. */
static void counts_or_refuses_single_precision(void **state)
{
    const struct sw_elliptic_desc d = {.n = {47, 40, 21}, .batch = 2, .single = true};
    struct sw_elliptic *s = NULL;
    size_t told;
    (void)state;
    need_solver();
    if (under_test->single) {
        assert_ok(sw_elliptic_bytes(&d, under_test->name, device, &told));
        const double before = in_use();
        assert_ok(sw_elliptic_create(&d, under_test->name, device, &s));
        if (under_test->space == SW_HOST && in_use() - before > (double)told + 8192)
            fail_msg("%.0f bytes, not %zu", in_use() - before, told);
        assert_string_equal(sw_elliptic_name(s), under_test->name);
        sw_elliptic_destroy(&s);
    } else {
        assert_int_equal(sw_elliptic_create(&d, under_test->name, device, &s), SW_E_ABSENT);
        assert_non_null(strstr(sw_err_message(), "it computes in double precision only; fit here: "));
        assert_null(s);
    }
}

/* ------------------------------------------------------------------ orders */

/* The box: u = sin(pi x) sin(pi y) g(z), g = 1 + cos(pi z/H)/2, Neumann above and below. */
static double box_solution(const struct sw_elliptic_numbers *p, double x, double y, double z, double *f)
{
    const double pi = acos(-1), q = pi / p->depth, shape = sin(pi * x) * sin(pi * y), g = 1 + 0.5 * cos(q * z),
                 second = -0.5 * q * q * cos(q * z);
    *f = p->delta * shape * g - p->omega2 * (-2 * pi * pi * shape * g + p->lambda2 * shape * second);
    return shape * g;
}

/* The Laplacian of s = a b/q², a = 1 - x², b = 1 - y², q = 1 + x² + y², which is (Z² - X²)(Z² - Y²) on the unit
 * sphere. */
static double laplacian_of_panel(double x, double y)
{
    const double z2 = 1 / (1 + x * x + y * y);
    return 8 * z2 - 20 * z2 * z2 * (1 - x * x) * (1 - y * y);
}

/* (sqrt(1 + x²) s_x)_x, of the same s: s_x = -2 b v, v = x/q² + 2 a x/q³. */
static double flux_along(double x, double y)
{
    const double a = 1 - x * x, b = 1 - y * y, q = 1 + x * x + y * y, root = sqrt(1 + x * x),
                 v = x * (q + 2 * a) / (q * q * q),
                 v_x = (q + 2 * a) / (q * q * q) - 4 * x * x * (2 * q + 3 * a) / (q * q * q * q);
    return -2 * b * (x / root * v + root * v_x);
}

/* What fluxes of two points tend to, of the same s: q^(3/2) ((k s_x)_x + (s_y/k)_y), k = sqrt((1 + x²)/(1 + y²)). */
static double limit_of_two_points(double x, double y)
{
    return pow(1 + x * x + y * y, 1.5) * (flux_along(x, y) / sqrt(1 + y * y) + flux_along(y, x) / sqrt(1 + x * x));
}

/* The shell: u = s g(r), s zero at the edges of the panel. @param horizontal  what the operator makes of s at r = 1 */
static double shell_solution(const struct sw_elliptic_numbers *p, double (*horizontal)(double, double), double x,
                             double y, double r, double *f)
{
    const double q = acos(-1) / p->depth, z2 = 1 / (1 + x * x + y * y), s = z2 * z2 * (1 - x * x) * (1 - y * y),
                 phase = q * (r - 1), g = 1 + 0.5 * cos(phase), first = -0.5 * q * sin(phase),
                 second = -0.5 * q * q * cos(phase);
    *f = p->delta * s * g - p->omega2 * (horizontal(x, y) * g / (r * r) + p->lambda2 * s * (second + 2 * first / r));
    return s * g;
}

/* Error in L2, weighted by volume, relative to u. @param horizontal  of the shell; NULL: the box */
static double error_of(int64_t n, double (*horizontal)(double, double), bool full)
{
    const bool shell = horizontal != NULL;
    const struct sw_elliptic_desc d = {.n = {n, n, n}, .batch = 1, .full = full, .graded = true,
                                       .geometry = shell ? SW_ELLIPTIC_SHELL : SW_ELLIPTIC_BOX,
                                       .bottom = SW_ELLIPTIC_NEUMANN, .top = SW_ELLIPTIC_NEUMANN};
    const struct sw_elliptic_numbers p = {.omega2 = 0.05, .lambda2 = 0.3, .delta = 1, .depth = 0.2, .tolerance = 1e-11,
                                          .iterations = 1000};
    struct system y = make_system(&d, &p);
    double *f = NULL, *u = NULL, off = 0, size = 0;
    assert_ok(sw_alloc(y.cells, &f));
    assert_ok(sw_alloc(y.cells, &u));
    for (int64_t c = 0; c < (int64_t)y.cells; c++) {
        const int64_t i = c % n, k = c / n % n, j = c / (n * n);
        const double x = 0.5 * (sw_elliptic_face(d.geometry, n, i) + sw_elliptic_face(d.geometry, n, i + 1)),
                     at = 0.5 * (sw_elliptic_face(d.geometry, n, j) + sw_elliptic_face(d.geometry, n, j + 1)),
                     z = 0.5 * (y.matrix.level[k] + y.matrix.level[k + 1]);
        u[c] = shell ? shell_solution(&p, horizontal, x, at, z, &f[c]) : box_solution(&p, x, at, z, &f[c]);
        f[c] *= y.matrix.area[j * n + i] * y.matrix.volume[k];
    }
    struct solved s = solve(&y, 1, f);
    assert_int_equal(s.outcome[0].fault, SW_ELLIPTIC_FINE);
    for (int64_t c = 0; c < (int64_t)y.cells; c++) {
        const double weight = y.matrix.area[c / (n * n) * n + c % n] * y.matrix.volume[c / n % n];
        off += weight * (s.u[c] - u[c]) * (s.u[c] - u[c]);
        size += weight * u[c] * u[c];
    }
    free_solved(&s);
    sw_free(f);
    sw_free(u);
    free_system(&y);
    return sqrt(off / size);
}

static double order_of(double (*horizontal)(double, double), bool full)
{
    return log2(error_of(16, horizontal, full) / error_of(32, horizontal, full));
}

/* 2.00 within 0.05 where the stencil is that of the operator. Fluxes of two points, in the shell, stall at 2 % of the
 * sphere's Laplacian, and have that order against the operator that they tend to. */
static void has_order_two_against_the_operator_it_tends_to(void **state)
{
    (void)state;
    need_solver();
    if (small_suite()) return;  /* the kernels are those of the other tests, the grids large */
    const struct sw_elliptic_desc full = {.n = {16, 16, 16}, .batch = 1, .geometry = SW_ELLIPTIC_SHELL, .full = true};
    const double box = order_of(NULL, false), two = order_of(limit_of_two_points, false);
    if (fabs(box - 2) > 0.05) fail_msg("order %.3f in the box", box);
    if (fabs(two - 2) > 0.05) fail_msg("order %.3f of fluxes of two points", two);
    if (does(&full)) {
        const double order = order_of(laplacian_of_panel, true);
        if (fabs(order - 2) > 0.05) fail_msg("order %.3f in the shell", order);
    }
    const double stalled = error_of(32, laplacian_of_panel, false);
    if (stalled < 0.005 || stalled > 0.05) fail_msg("two points: error %.3g", stalled);
}

/* ------------------------------------------------------------------ */

int main(void)
{
    const struct CMUnitTest matrix[] = {
        cmocka_unit_test(is_symmetric_and_positive_as_is_the_preconditioner),
        cmocka_unit_test(preconditions_by_the_columns_of_the_matrix),
        cmocka_unit_test(takes_what_is_horizontal_from_another_matrix),
        cmocka_unit_test(counts_the_solid_angle_of_a_panel),
        cmocka_unit_test(refuses_what_is_no_problem),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recovers_known_solutions_of_all_shapes),
        cmocka_unit_test(solves_for_zero_at_once),
        cmocka_unit_test(gives_each_system_the_same_bits_alone_as_in_a_batch),
        cmocka_unit_test(solves_what_was_loaded_last),
        cmocka_unit_test(says_what_it_did_not_reach),
        cmocka_unit_test(solves_where_coefficients_jump),
        cmocka_unit_test(hands_over_what_it_cannot_solve),
        cmocka_unit_test(is_hardly_disturbed_by_jumps),
        cmocka_unit_test(records_its_way),
        cmocka_unit_test(solves_where_long_waves_rule),
        cmocka_unit_test(solves_in_wide_planes),
        cmocka_unit_test(solves_for_columns_of_any_height),
        cmocka_unit_test(agrees_with_the_reference),
        cmocka_unit_test(takes_the_bytes_that_it_tells),
        cmocka_unit_test(counts_or_refuses_single_precision),
        cmocka_unit_test(has_order_two_against_the_operator_it_tends_to),
    };
    const struct CMUnitTest on_the_host[] = {  /* a device has no number of threads */
        cmocka_unit_test(gives_the_same_bits_with_any_number_of_threads),
    };
    const struct CMUnitTest of_the_paper[] = {  /* rows whose method is that of the published counts */
        cmocka_unit_test(needs_the_iterations_that_another_program_needs),
    };
    const struct CMUnitTest single[] = {  /* rows that have it */
        cmocka_unit_test(computes_in_single_precision_what_it_does_in_double),
        cmocka_unit_test(scales_what_single_precision_has_no_numbers_for),
        cmocka_unit_test(says_that_rounding_to_single_keeps_the_residual_up),
    };
    const struct CMUnitTest fast[] = {  /* rows that promise it */
        cmocka_unit_test(needs_few_iterations_whatever_the_grid_and_the_numbers),
    };
    int failed = cmocka_run_group_tests_name("matrix", matrix, NULL, NULL);
    for_each_row(sw_elliptic_table) {
        failed += run_for_row(tests);
        if (under_test->space == SW_HOST) failed += run_for_row(on_the_host);
        if (iterates_as_the_reference()) failed += run_for_row(of_the_paper);
        if (under_test->single) failed += run_for_row(single);
        if (under_test->fast) failed += run_for_row(fast);
    }
    return failed;
}
