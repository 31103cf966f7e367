/* What cyclic reduction with precomputed factors has to keep: of a general tridiagonal matrix, of one whose first and
 * last rows alone differ from the others, as the paper on near-Toeplitz matrices has it, and of one whose rows 2 and
 * n - 1 differ, too, as with closures of two rows. The numbers are counted in the factors of the matrices themselves,
 * and compared with what cuda.cr keeps (fd/papers/fd_cr_point.h). */
#include <math.h>
#include <string.h>

#include "fd/papers/fd_cr_point.h"
#include "fd/sw_fd_scheme.h"
#include "helpers.h"

enum { N = 256, LEVELS = 8 };

/* ------------------------------------------------------------------ the general algorithm */

/* a x_{r-1} + b x_r + c x_{r+1}, and on every level but the last the factors of row r of its even rows. Rows are
 * counted from 1; row r of a level is row 2r of the level before. */
struct level { int rows; double a[N + 2], b[N + 2], c[N + 2], k1[N + 2], k2[N + 2]; };
struct reduction { int levels, kept; struct level level[LEVELS]; };

static void eliminate(const struct level *fine, struct level *coarse)
{
    coarse->rows = fine->rows / 2;
    for (int r = 1; r <= coarse->rows; r++) {
        const int i = 2 * r;
        const bool last = i == fine->rows;
        coarse->k1[r] = fine->a[i] / fine->b[i - 1];
        coarse->k2[r] = last ? 0 : fine->c[i] / fine->b[i + 1];
        coarse->a[r] = -fine->a[i - 1] * coarse->k1[r];
        coarse->b[r] = fine->b[i] - fine->c[i - 1] * coarse->k1[r] - (last ? 0 : fine->a[i + 1] * coarse->k2[r]);
        coarse->c[r] = last ? 0 : -fine->c[i + 1] * coarse->k2[r];
    }
}

/* The numbers kept are a, b and c of all levels: k1 and k2 come from them by a division. */
static void reduce(struct reduction *m)
{
    m->levels = 1;
    m->kept = 3 * m->level[0].rows;
    for (; m->level[m->levels - 1].rows > 2; m->levels++) {
        eliminate(&m->level[m->levels - 1], &m->level[m->levels]);
        m->kept += 3 * m->level[m->levels].rows;
    }
}

/* @param x  in: right-hand side; out: solution; [rows + 1], the first at 1 */
static void solve(const struct reduction *m, double *x)
{
    int stride = 1;
    for (int l = 1; l < m->levels; l++, stride *= 2)
        for (int r = 1; r <= m->level[l].rows; r++) {
            const int i = 2 * r * stride;
            x[i] -= m->level[l].k1[r] * x[i - stride];
            if (r < m->level[l].rows) x[i] -= m->level[l].k2[r] * x[i + stride];
        }
    const struct level *two = &m->level[m->levels - 1];
    const double det = two->b[1] * two->b[2] - two->c[1] * two->a[2], first = x[stride], last = x[2 * stride];
    x[stride] = (two->b[2] * first - two->c[1] * last) / det;
    x[2 * stride] = (two->b[1] * last - two->a[2] * first) / det;
    for (int l = m->levels - 2; l >= 0; l--) {
        const struct level *v = &m->level[l];
        stride /= 2;
        for (int r = 1; r <= v->rows; r += 2)
            x[r * stride] = (x[r * stride] - (r > 1 ? v->a[r] * x[(r - 1) * stride] : 0) -
                             v->c[r] * x[(r + 1) * stride]) / v->b[r];
    }
}

/* ------------------------------------------------------------------ which numbers differ */

enum { KINDS = 8 };
struct kinds { int count; double of[KINDS][3]; };

/* Rows that differ by rounding are the same. */
static void add(struct kinds *k, double x, double y, double z)
{
    const double one[3] = {x, y, z};
    for (int i = 0; i < k->count; i++) {
        bool same = true;
        for (int n = 0; n < 3; n++) same &= fabs(k->of[i][n] - one[n]) <= 1e-13 * (fabs(one[n]) + 1e-13);
        if (same) return;
    }
    assert_true(k->count < KINDS);
    for (int n = 0; n < 3; n++) k->of[k->count][n] = one[n];
    k->count++;
}

/* Of the step from one level to the next and back: rows whose factors differ on the way down and on the way up; and
 * numbers that differ, if each is kept once. c of row 1 is left out: it is that of the matrix, or of all rows. */
struct count { int down, up, numbers; };

static struct count count_level(const struct level *fine, const struct level *coarse)
{
    struct kinds down = {0}, up = {0}, k1 = {0}, k2 = {0}, a = {0}, b = {0}, c = {0};
    for (int r = 1; r <= coarse->rows; r++) {
        add(&down, coarse->k1[r], coarse->k2[r], 0);
        add(&k1, coarse->k1[r], 0, 0);
        if (r < coarse->rows) add(&k2, coarse->k2[r], 0, 0);
    }
    for (int r = 1; r <= fine->rows; r += 2) {
        add(&up, fine->a[r], fine->b[r], fine->c[r]);
        add(&b, fine->b[r], 0, 0);
        if (r > 1) add(&a, fine->a[r], 0, 0);
        if (r > 1) add(&c, fine->c[r], 0, 0);
    }
    return (struct count){down.count, up.count, k1.count + k2.count + a.count + b.count + c.count};
}

static void make_matrix(const char *scheme, const char *boundary, struct reduction *m)
{
    struct sw_fd_line line;
    struct level *v = &m->level[0];
    assert_ok(sw_fd_line_make(scheme, boundary, N, 1, 0, false, &line));
    memset(m, 0, sizeof *m);
    v->rows = N;
    for (int r = 1; r <= N; r++) {
        v->b[r] = 1;
        v->a[r] = r == 1 ? 0 : r == N ? line.end.a1 : r == N - 1 ? line.end.u2 : r == 2 ? line.end.l2 : line.alpha;
        v->c[r] = r == N ? 0 : r == 1 ? line.end.a1 : r == 2 ? line.end.u2 : r == N - 1 ? line.end.l2 : line.alpha;
    }
    reduce(m);
}

/* ------------------------------------------------------------------ tests */

static const char *const closed[][2] = {{"d1_c4", "3-4-4"}, {"d1_c4", "4-4-4"}, {"d2_c4", "3-4-4"}, {"d2_c4", "4-4-4"},
                                        {"d1_c6", "3-4-6"}, {"d1_c6", "4-4-6"}, {"d2_c6", "3-4-6"}, {"d2_c6", "4-4-6"}};
enum { CLOSED = sizeof closed / sizeof *closed };

static void solves_also_where_elimination_from_row_to_row_breaks_off(void **state)
{
    static struct reduction m;
    double x[N + 1], right[N + 1];
    (void)state;
    for (int k = 0; k < CLOSED; k++) {
        double scale = 0;
        make_matrix(closed[k][0], closed[k][1], &m);
        for (int r = 1; r <= N; r++) x[r] = right[r] = sin(1.7 * r * r);
        solve(&m, x);
        const struct level *v = &m.level[0];
        for (int r = 1; r <= N; r++) scale = fmax(scale, fabs(x[r]));
        for (int r = 1; r <= N; r++)
            assert_near((r > 1 ? v->a[r] * x[r - 1] : 0) + v->b[r] * x[r] + (r < N ? v->c[r] * x[r + 1] : 0), right[r],
                        4e-14 * scale);
    }
}

/* The paper: 3 n of the matrix, and 3 (n/2 + n/4 + ...) = 3 n beside; here the last level has two rows. */
static void keeps_6_numbers_a_row_of_a_general_matrix(void **state)
{
    static struct reduction m;
    (void)state;
    make_matrix("d1_c6", "3-4-6", &m);
    assert_int_equal(m.levels, LEVELS);
    assert_int_equal(m.kept, 6 * N - 6);
}

/* The paper's 8 a level: of k1 those inside, of row 2 and of row n; k2; a, c; b inside and of row 1. */
static void needs_8_numbers_a_level_where_the_first_and_the_last_row_differ(void **state)
{
    static struct reduction m;
    (void)state;
    for (int k = 0; k < 4; k++) {
        make_matrix(closed[k][0], closed[k][1], &m);
        for (int l = 0; m.level[l].rows >= 8; l++) {
            const struct count c = count_level(&m.level[l], &m.level[l + 1]);
            if (c.numbers > 8) fail_msg("%s, %s, level %d: %d", closed[k][0], closed[k][1], l, c.numbers);
            if (l == 1) assert_int_equal(c.numbers, 8);  /* on level 0 b of row 1 is that inside; far down all are */
        }
    }
}

/* With closures of two rows 8 are too few: up to 11 differ. cuda.cr keeps a set for each kind of row, divided by its
 * pivot, so that a thread takes what it needs by the kind of its row: 4 pairs on the way down, 3 triples on the way up.
 * There are never more kinds. */
static void keeps_17_numbers_a_level_with_closures_of_two_rows(void **state)
{
    static struct reduction m;
    const struct fd_cr_level *const kept = NULL;
    int most = 0;
    (void)state;
    assert_int_equal(sizeof *kept / sizeof(double), 17);
    for (int k = 0; k < CLOSED; k++) {
        make_matrix(closed[k][0], closed[k][1], &m);
        for (int l = 0; m.level[l].rows >= 4; l++) {
            const struct count c = count_level(&m.level[l], &m.level[l + 1]);
            if (c.down > (int)(sizeof kept->down / sizeof *kept->down) ||
                c.up > (int)(sizeof kept->up / sizeof *kept->up))
                fail_msg("%s, %s, level %d: %d, %d kinds", closed[k][0], closed[k][1], l, c.down, c.up);
            if (k >= 4 && l == 1) assert_true(c.numbers > 8);
            if (c.numbers > most) most = c.numbers;
        }
    }
    assert_int_equal(most, 11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_also_where_elimination_from_row_to_row_breaks_off),
        cmocka_unit_test(keeps_6_numbers_a_row_of_a_general_matrix),
        cmocka_unit_test(needs_8_numbers_a_level_where_the_first_and_the_last_row_differ),
        cmocka_unit_test(keeps_17_numbers_a_level_with_closures_of_two_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
