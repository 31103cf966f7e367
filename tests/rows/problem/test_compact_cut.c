/* The problem `compact` on grids that are cut over ranks, against the same runs undivided: every operator, dimensions 1
 * to 3, slabs along x, y and z and pencils, ranks of unequal numbers of points, walls and periodic lines, both
 * precisions. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/sw_err.h"
#include "comm/sw_comm.h"
#include "fd/sw_fd.h"
#include "fd_helpers.h"
#include "job_helpers.h"

enum { PARTS = 5, TRIALS = 120 };

/* ------------------------------------------------------------------ a cut run */

/* parts[0] x parts[1] x parts[2] ranks, x fastest; count[d] of each part along d. Along an axis of one part lines are
 * whole, but along axis `single`, where they are shared by one rank. */
struct cut {
    struct job *job;            /* the undivided run */
    int         parts[SW_DIMS], single;
    int64_t     count[SW_DIMS][PARTS];
    int         fields;
    double     *field;          /* out [fields][points] of the whole grid */
    struct sw_norms norms[PARTS];
    int64_t     step[PARTS];
    char        why[PARTS][160], solver[40];
};

static int ranks_of(const struct cut *c) { return c->parts[0] * c->parts[1] * c->parts[2]; }

/* This rank's fields to where they are in those of the whole grid. */
static void put_part(const struct cut *c, const struct sw_setup *s, const double *from)
{
    const int64_t *n = s->domain.whole, *first = s->domain.first;
    for (int k = 0; k < c->fields; k++)
        for (int64_t z = 0; z < s->n[2]; z++)
            for (int64_t y = 0; y < s->n[1]; y++, from += s->n[0])
                memcpy(c->field + ((k * n[2] + first[2] + z) * n[1] + first[1] + y) * n[0] + first[0], from,
                       (size_t)s->n[0] * sizeof *from);
}

static enum sw_status compute(struct sw_sim *sim, const struct cut *c, const struct sw_setup *s, struct cut *out)
{
    const int rank = s->domain.all->rank;
    const char *load_error;
    const double *field, *scalars;
    SW_TRY(sim->ops->load(sim, 1, c->job->column, &load_error));
    if (load_error) return SW_FAIL(SW_E_CONFIG, "%s", load_error);
    SW_TRY(sim->ops->advance(sim, 0, 1));
    SW_TRY(sim->ops->diverged(sim, &out->step[rank]));
    if (out->step[rank] >= 0) {
        struct sw_text why = SW_SHORT_TEXT;
        sim->ops->explain(sim, 0, &why);
        snprintf(out->why[rank], sizeof out->why[rank], "%s", why.data);
    }
    SW_TRY(sim->ops->norms(sim, &out->norms[rank]));
    SW_TRY(sim->ops->fetch(sim, 0, (const void **)&field, &scalars));
    put_part(c, s, field);
    if (!rank) snprintf(out->solver, sizeof out->solver, "%s", sim->ops->solver_name(sim));
    return SW_OK;
}

static enum sw_status do_part(const struct sw_comm *comm, void *context)
{
    struct cut *c = context;
    struct sw_setup s = c->job->setup;
    struct sw_comm *along[SW_DIMS] = {NULL};
    struct sw_device *cpu = NULL;
    struct sw_sim *sim = NULL;
    const struct sw_problem *p = c->job->made.sweep->problem;
    enum sw_status st = SW_OK;
    s.domain.all = comm;
    for (int d = 0, stride = 1; d < SW_DIMS && !st; stride *= c->parts[d], d++) {
        const int mine = comm->rank / stride % c->parts[d];
        s.domain.whole[d] = s.n[d];
        for (int k = 0; k < mine; k++) s.domain.first[d] += c->count[d][k];
        s.n[d] = c->count[d][mine];
        if (c->parts[d] == 1 && c->single != d) continue;
        st = sw_comm_split(comm, comm->rank - mine * stride, &along[d]);
        s.domain.along[d] = along[d];
    }
    if (!st) st = sw_device_open("cpu", 1, &cpu);
    if (!st) st = p->create(&s, cpu, &sim);
    if (!st) st = compute(sim, c, &s, c);
    if (sim) sim->ops->destroy(sim);
    sw_device_close(&cpu);
    for (int d = 0; d < SW_DIMS; d++) sw_comm_destroy(&along[d]);
    return st;
}

/* ------------------------------------------------------------------ cases */

static uint64_t seed = 5;
static int random_below(int n) { return (int)((test_random(&seed) + 1) / 2 * n) % n; }

struct trial {
    const char *operator, *scheme, *boundary;
    int         dim, axis;
    bool        single;
    int64_t     n[SW_DIMS];
};

static bool runs_along(const struct trial *t, int d)
{
    return !strcmp(t->operator, "derivative") ? d == t->axis : d < t->dim;
}

static bool takes(const char *operator, const struct sw_fd_scheme *s)
{
    if (!strcmp(operator, "derivative")) return true;
    return s->kind == (!strcmp(operator, "laplacian") ? SW_FD_SECOND : SW_FD_FIRST);
}

static struct trial some_trial(int number)
{
    static const char *const operators[] = {"derivative", "gradient", "divergence", "laplacian"};
    struct trial t = {.operator = operators[number % 4], .dim = 1 + number / 4 % 3, .single = number / 12 % 2};
    int schemes = 0, boundaries = 0;
    while (sw_fd_schemes[schemes]) schemes++;
    const struct sw_fd_scheme *s;
    do s = sw_fd_schemes[random_below(schemes)];
    while (!takes(t.operator, s));
    while (fd_boundary(s, boundaries)) boundaries++;
    t.scheme = s->name;
    t.boundary = fd_boundary(s, random_below(boundaries));
    t.axis = strcmp(t.operator, "derivative") ? 0 : random_below(t.dim);
    return t;
}

/* Slabs of up to 5 ranks along any axis of the grid, or 2 x 2 pencils; the ranks of an axis have its least number of
 * points and some more, prime numbers together where that happens. */
static void cut_somehow(struct trial *t, struct cut *c)
{
    const int d = random_below(t->dim), pencils = t->dim > 1 && random_below(4) == 0;
    const int least = sw_fd_least_of_rank(t->scheme, t->boundary), all = sw_fd_min_points(t->scheme, t->boundary);
    c->single = random_below(2) ? d : -1;
    for (int k = 0; k < SW_DIMS; k++) c->parts[k] = 1;
    c->parts[d] = pencils ? 2 : 1 + random_below(PARTS);
    if (pencils) c->parts[(d + 1) % t->dim] = 2;
    for (int k = 0; k < SW_DIMS; k++) {
        t->n[k] = 0;
        for (int r = 0; r < c->parts[k]; r++)
            t->n[k] += c->count[k][r] = k >= t->dim ? 1 : least + random_below(random_below(2) ? 60 : 7);
        if (k >= t->dim || t->n[k] >= all) continue;
        c->count[k][0] += all - t->n[k];
        t->n[k] = all;
    }
}

static struct job open_trial(const struct trial *t)
{
    char text[1000], points[100];
    const char *const field = "sin(3*x + 1)*cos(2*y)*cos(z + 0.5)";
    const bool vector = !strcmp(t->operator, "divergence");
    snprintf(points, sizeof points, "%lld, %lld, %lld", (long long)t->n[0], (long long)t->n[1], (long long)t->n[2]);
    if (t->dim < 3) *strrchr(points, ',') = 0;
    if (t->dim < 2) *strrchr(points, ',') = 0;
    int used = snprintf(text, sizeof text,
                        "problem = \"compact\"; operator = \"%s\"; scheme = \"%s\"; boundary = \"%s\"; axis = \"%c\";\n"
                        "grid = { n = [%s]; length = 1.0; }; alpha = 0.3;\n"
                        "output = { fields = { precision = \"double\"; }; };\n"
                        "run = { device = \"cpu\"; precision = \"%s\"; };\n",
                        t->operator, t->scheme, t->boundary, 'x' + t->axis, points, t->single ? "single" : "double");
    const char *const x = t->dim == 1 ? "sin(3*x + 1)" : t->dim == 2 ? "sin(3*x + 1)*cos(2*y)" : field;
    if (!vector) snprintf(text + used, sizeof text - (size_t)used, "field = \"%s\";\n", x);
    else if (t->dim == 1) snprintf(text + used, sizeof text - (size_t)used, "vector = { x = \"%s\"; };\n", x);
    else if (t->dim == 2)
        snprintf(text + used, sizeof text - (size_t)used, "vector = { x = \"%s\"; y = \"cos(x)*sin(y)\"; };\n", x);
    else
        snprintf(text + used, sizeof text - (size_t)used,
                 "vector = { x = \"%s\"; y = \"cos(x)*sin(y)\"; z = \"sin(x*y*z)\"; };\n", x);
    return open_job(text);
}

/* What rounding may make of a result, of fields that are 1 at most: along each axis what it makes of a derivative
 * (test_fd_cut.c), and then, in both runs, half a unit of the last place of each of the sums that are stored. */
static double rounding(const struct trial *t, const struct job *job)
{
    const struct sw_grid g = sw_setup_grid(&job->setup, 1, job->column, 0);
    const double alpha = sw_fd_scheme_find(t->scheme)->any_alpha ? 0.3 : 0;
    double sizes = 0;
    for (int d = 0; d < t->dim; d++) {
        struct sw_fd_line line;
        if (!runs_along(t, d)) continue;
        assert_ok(sw_fd_line_make(t->scheme, t->boundary, t->n[d], g.dx[d], alpha, false, &line));
        sizes += fd_inverse_norm(t->scheme, t->boundary, alpha) * fd_terms(&line);
    }
    return (24 * DBL_EPSILON + t->dim * (t->single ? FLT_EPSILON : DBL_EPSILON)) * sizes;
}

static void compare(const struct trial *t, const struct cut *c, const double *field, const struct sw_norms *norms)
{
    const struct sw_norms *mine = &c->norms[0];
    const int64_t points = t->n[0] * t->n[1] * t->n[2];
    const double tolerance = rounding(t, c->job);
    double worst = 0, exact = 0;
    for (int64_t i = 0; i < points * c->fields / 2; i++) {
        const double off = fabs(c->field[i] - field[i]), right = field[i] - field[i + points * c->fields / 2];
        if (!(off <= worst)) worst = off;
        exact += right * right;
    }
    if (!(worst <= tolerance))
        fail_msg("%s by %s, %s, %lld x %lld x %lld in %d x %d x %d parts by %s: off by %.3g, of %.3g at most",
                 t->operator, t->scheme, t->boundary, (long long)t->n[0], (long long)t->n[1], (long long)t->n[2],
                 c->parts[0], c->parts[1], c->parts[2], c->solver, worst, tolerance);
    for (int r = 1; r < ranks_of(c); r++) assert_memory_equal(&c->norms[r], mine, sizeof *mine);
    const double components = sqrt(c->fields / 2), few = 1e-12;  /* of sums of some 10^5 squares */
    assert_near(mine->max, norms->max, tolerance);
    assert_near(mine->interior, norms->interior, tolerance);
    assert_near(mine->l2, norms->l2, components * tolerance + few * norms->l2);
    assert_near(mine->rel, norms->rel,
                components * tolerance * sqrt((double)points / exact) + few * norms->rel);
}

static void cut_and_compare(const struct trial *t, struct cut *c)
{
    struct job job = open_trial(t);
    const double *field, *scalars;
    struct sw_norms norms;
    assert_ok(job.sim->ops->advance(job.sim, 0, 1));
    assert_ok(job.sim->ops->norms(job.sim, &norms));
    assert_ok(job.sim->ops->fetch(job.sim, 0, (const void **)&field, &scalars));
    c->job = &job;
    c->fields = 2 * (!strcmp(t->operator, "gradient") ? t->dim : 1);
    assert_ok(sw_alloc((size_t)(c->fields * t->n[0] * t->n[1] * t->n[2]), &c->field));
    assert_ok(sw_comm_run("threads", ranks_of(c), do_part, c));
    for (int r = 0; r < ranks_of(c); r++) assert_int_equal(c->step[r], -1);
    compare(t, c, field, &norms);
    sw_free(c->field);
    close_job(&job);
}

static void agrees_with_the_undivided_run(void **state)
{
    (void)state;
    for (int k = 0; k < TRIALS; k++) {
        struct trial t = some_trial(k);
        struct cut c = {0};
        cut_somehow(&t, &c);
        cut_and_compare(&t, &c);
    }
}

/* ------------------------------------------------------------------ what goes wrong */

static struct job open_line(const char *text, struct cut *c)
{
    struct job job = open_job(text);
    *c = (struct cut){.parts = {1, 3, 1}, .single = -1, .count = {{8}, {20, 30, 17}, {1}}, .fields = 2};
    assert_ok(sw_alloc((size_t)(2 * sw_points(job.setup.n)), &c->field));
    return job;
}

#define LINE "problem = \"compact\"; grid = { n = [8, 67]; length = 1.0; }; axis = \"y\";\n" \
             "run = { device = \"cpu\"; }; output = { fields = { precision = \"double\"; }; };\n"

/* The second rank alone has a NaN: all ranks know, and say where in the whole grid. */
static void a_field_that_is_not_finite_on_one_rank_is_so_on_all(void **state)
{
    struct cut c;
    struct job job = open_line(LINE "scheme = \"d1_c6\"; field = \"sqrt((y - 42.0/67)^2 - 0.0001/67)\";\n", &c);
    (void)state;
    c.job = &job;
    assert_ok(sw_comm_run("threads", 3, do_part, &c));
    for (int r = 0; r < 3; r++) {
        assert_int_equal(c.step[r], 1);
        assert_string_equal(c.why[r], c.why[0]);
    }
    assert_contains(c.why[0], "the field or its derivative is not finite at x = 0, y = ");
    sw_free(c.field);
    close_job(&job);
}

static void too_few_points_of_a_rank_are_refused_by_name(void **state)
{
    struct cut c;
    struct job job = open_line(LINE "scheme = \"d1_c6\"; boundary = \"3-4-6\"; field = \"y\";\n", &c);
    (void)state;
    c.job = &job;
    c.count[1][1] = 3, c.count[1][2] = 44;
    assert_int_equal(sw_comm_run("threads", 3, do_part, &c), SW_E_ARG);
    assert_string_equal(sw_err_message(), "rank 1 of 3 has 3 points of the line: d1_c6 with boundary \"3-4-6\" needs "
                                          "at least 4 on every rank");
    sw_free(c.field);
    close_job(&job);
}

static void a_row_for_whole_lines_is_refused_for_cut_ones(void **state)
{
    struct cut c;
    struct job job = open_line(LINE "scheme = \"d1_c6\"; differences = \"cpu.thomas\"; field = \"y\";\n", &c);
    (void)state;
    c.job = &job;
    assert_int_equal(sw_comm_run("threads", 3, do_part, &c), SW_E_ABSENT);
    assert_contains(sw_err_message(), "cpu.thomas: it does whole lines; these are cut over ranks");
    sw_free(c.field);
    close_job(&job);
}

/* Of a gradient a named row is for the axes that have lines of its kind. */
static void a_named_row_is_for_its_own_kind_of_lines(void **state)
{
    static const char *const row[] = {"cpu.thomas", "cpu.mattor", "cpu.truncated"}, *const used[] = {
        "cpu.truncated", "cpu.mattor", "cpu.truncated"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        char text[400];
        struct cut c;
        snprintf(text, sizeof text,
                 "problem = \"compact\"; operator = \"laplacian\"; scheme = \"d2_c4\"; field = \"sin(6*x)*y\";\n"
                 "grid = { n = [67, 8]; length = 1.0; }; run = { device = \"cpu\"; }; boundary = \"3-4-4\";\n"
                 "output = { fields = { precision = \"double\"; }; };\n");
        struct job job = open_job(text);
        c = (struct cut){.parts = {3, 1, 1}, .single = -1, .count = {{20, 30, 17}, {8}, {1}}, .fields = 2};
        assert_ok(sw_alloc((size_t)(2 * sw_points(job.setup.n)), &c.field));
        c.job = &job;
        job.setup.solver = row[k];
        assert_ok(sw_comm_run("threads", 3, do_part, &c));
        assert_string_equal(c.solver, used[k]);
        sw_free(c.field);
        close_job(&job);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_undivided_run),
        cmocka_unit_test(a_field_that_is_not_finite_on_one_rank_is_so_on_all),
        cmocka_unit_test(too_few_points_of_a_rank_are_refused_by_name),
        cmocka_unit_test(a_row_for_whole_lines_is_refused_for_cut_ones),
        cmocka_unit_test(a_named_row_is_for_its_own_kind_of_lines),
    };
    return cmocka_run_group_tests_name("compact, cut over ranks", tests, NULL, NULL);
}
