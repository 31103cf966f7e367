/* Steps of W-methods on periodic fields: the product of line matrices against its definition, and the errors in time
 * of eight equations against known ones. */
#include "field_problems.h"
#include "helpers.h"

#include <stdio.h>

#include "problem/fields/fields_sim.h"
#include "problem/fields/product.h"
#include "problem/fields/w_run.h"

static const enum sw_scheme schemes[] = {SW_BACKWARD_EULER, SW_IMEX2, SW_IMEX3};

/* ------------------------------------------------------------------ the product */

/* x = A_d x by its definition. */
static void apply_axis(const int n[3], int d, double s0, double s2, double s4, double *x)
{
    const int stride = d == 0 ? 1 : d == 1 ? n[0] : n[0] * n[1], points = n[0] * n[1] * n[2];
    double *y = malloc((size_t)points * sizeof *y);
    for (int c = 0; c < points; c++) {
        const int i = c / stride % n[d], base = c - i * stride;
        double at[5];
        for (int k = -2; k <= 2; k++) at[k + 2] = x[base + (i + k + 2 * n[d]) % n[d] * stride];
        const double d2 = at[1] - 2 * at[2] + at[3], d4 = at[0] - 4 * at[1] + 6 * at[2] - 4 * at[3] + at[4];
        y[c] = (1 + s0) * at[2] - s2 * d2 + s4 * d4;
    }
    memcpy(x, y, (size_t)points * sizeof *y);
    free(y);
}

static void product_is_solved(void **state)
{
    static const int shape[][3] = {{64, 64, 1}, {5, 131, 1}, {70, 4, 9}, {3, 6, 5}, {129, 67, 3}};
    (void)state;
    for (int k = 0; k < 5 * 3 * 3; k++) {
        const int *n = shape[k % 5], axes = n[2] > 1 ? 3 : 2;
        const size_t points = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
        const double g = (double[]){1e-3, 1, 300}[k / 5 % 3], dx[] = {0.5, 1, 2};
        const struct fields_matrix m = k / 15 == 0   ? (struct fields_matrix){-0.5, {1, 2, 3}, {0.5, 0.1, 0}}
                                       : k / 15 == 1 ? (struct fields_matrix){0, {0, 0.5, 0}, {1, 0, 0}}
                                                     : (struct fields_matrix){-2, {0, 0, 0}, {0, 0, 0}};
        double *x = malloc(points * sizeof *x), *f = malloc(points * sizeof *f);
        double *room = malloc(fields_product_room(axes, n) * sizeof *room);
        struct fields_product product;
        for (size_t c = 0; c < points; c++) f[c] = x[c] = sin(12.9898 * (double)c + 1.0) + 0.1;
        for (int d = 0; d < axes; d++)
            apply_axis(n, d, -g * m.a0 / axes, g * m.m2[d] / (dx[d] * dx[d]), g * m.m4[d] / pow(dx[d], 4), x);
        assert_true(fields_product_factor(axes, n, dx, NULL, g, &m, &product));
        fields_product_solve(&product, room, x);
        for (size_t c = 0; c < points; c++)
            if (!(fabs(x[c] - f[c]) < 1e-9)) fail_msg("case %d, point %zu: %g is off by %g", k, c, f[c], x[c] - f[c]);
        free(x);
        free(f);
        free(room);
    }
}

/* ------------------------------------------------------------------ steps */

struct stepping {
    const struct field_problem *p;
    struct fields_step step;
    struct fields_work work;
    struct sw_owned arrays;
    double *u;
};

static void evaluate(void *own, double t, int64_t step, const double *u, double *f)
{
    const struct field_problem *p = own;
    (void)t, (void)step;
    p->rhs(p, u, f);
}

/* @param diffusion  the largest coefficient of nonlinear diffusion; 0: m2 is that of linear terms */
static void make(const struct field_problem *p, enum sw_scheme scheme, double dt, double diffusion, struct stepping *s)
{
    const struct fields_terms terms = {.dimensions = p->axes, .unknowns = p->unknowns};
    const struct fields_desc desc = {.n = {p->n, p->n, p->axes > 2 ? p->n : 1}, .terms = &terms};
    const double dx[] = FIELD_SAME(field_dx(p));
    const size_t numbers = field_points(p) * (size_t)p->unknowns;
    const struct fields_method *m = fields_method_of(scheme);
    const struct fields_matrix_rule rule = {.axes = p->axes, .cross = p->cross};
    *s = (struct stepping){.p = p};
    s->step = (struct fields_step){.method = m, .unknowns = p->unknowns, .points = field_points(p), .dt = dt,
                                   .solves = &fields_lines, .evaluate = evaluate, .own = (void *)p};
    assert_ok(fields_lines.create(&desc, &s->arrays, &s->step.solver));
    fields_lines.begin(s->step.solver, dx, NULL, 1);
    for (int v = 0; v < p->unknowns; v++) {
        struct fields_stiffness stiff = p->stiffness[v];
        for (int d = 0; d < p->axes && diffusion != 0; d++) stiff.most2[d] = diffusion;
        const struct fields_matrix f = fields_matrix_of(m, &rule, &stiff, dt);
        assert_true(fields_lines.factor(s->step.solver, v, m->gamma * dt, &f));
    }
    for (int i = 0; i < m->stages; i++) s->work.k[i] = malloc(numbers * sizeof(double));
    s->work.stage = malloc(numbers * sizeof(double));
    s->work.next = malloc(numbers * sizeof(double));
    s->u = malloc(numbers * sizeof(double));
    field_initial(p, s->u);
}

static void release(struct stepping *s)
{
    for (int i = 0; i < FIELDS_STAGES; i++) free(s->work.k[i]);
    free(s->work.stage);
    free(s->work.next);
    sw_owned_free(&s->arrays);
    free(s->u);
}

static void take_step(struct stepping *s)
{
    double *next = s->work.next;
    fields_take_step(&s->step, &s->work, s->u);
    s->work.next = s->u;
    s->u = next;
    s->step.t = (double)++s->step.number * s->step.dt;
}

/* At p->t by steps of p->dt/parts. @param u  out */
static void run(const struct field_problem *p, enum sw_scheme scheme, int parts, double *u)
{
    struct stepping s;
    const int steps = (int)lround(p->t / p->dt) * parts;
    make(p, scheme, p->t / steps, 0, &s);
    for (int k = 0; k < steps; k++) take_step(&s);
    memcpy(u, s.u, field_points(p) * (size_t)p->unknowns * sizeof *u);
    release(&s);
}

static double largest_difference(size_t n, const double *a, const double *b)
{
    double largest = 0;
    for (size_t c = 0; c < n; c++) largest = fmax(largest, fabs(a[c] - b[c]));
    return largest;
}

/* The reference: imex3 by dt/16 and dt/32, from which the term in dt³ is taken out. */
static void run_reference(const struct field_problem *p, double *u, double *room)
{
    const size_t numbers = field_points(p) * (size_t)p->unknowns;
    run(p, SW_IMEX3, 16, room);
    run(p, SW_IMEX3, 32, u);
    for (size_t c = 0; c < numbers; c++) u[c] += (u[c] - room[c]) / 7;
}

static void errors_are_the_known_ones(void **state)
{
    int bad = 0;
    (void)state;
    for (int k = 0; k < FIELD_PROBLEMS; k += small_suite() ? 3 : 1) {
        const struct field_problem *p = &field_problems[k];
        const size_t numbers = field_points(p) * (size_t)p->unknowns;
        double *reference = malloc(numbers * sizeof(double)), *u = malloc(numbers * sizeof(double));
        run_reference(p, reference, u);
        for (int m = 0; m < 3; m++) {
            double error[4];
            for (int halvings = 0; halvings < 4; halvings++) {
                run(p, schemes[m], 1 << halvings, u);
                error[halvings] = largest_difference(numbers, u, reference);
            }
            const double order = log2(error[2] / error[3]);
            printf("    %-22s imex%d  %.3g, %.3g (%.2f)\n", p->name, m + 1, error[0], error[3], order);
            for (int end = 0; end < 2; end++)
                if (!(fabs(error[3 * end] / p->error[m][end] - 1) < 0.03)) {
                    print_error("%s, imex%d: error %.4g, not %.3g\n", p->name, m + 1, error[3 * end], p->error[m][end]);
                    bad++;
                }
            if (!(fabs(order - p->order[m]) < 0.1)) {
                print_error("%s, imex%d: order %.2f, not %.2f\n", p->name, m + 1, order, p->order[m]);
                bad++;
            }
        }
        free(reference);
        free(u);
    }
    assert_int_equal(bad, 0);
}

/* ------------------------------------------------------------------ what steps keep */

static double mean(size_t n, const double *u)
{
    double sum = 0;
    for (size_t c = 0; c < n; c++) sum += u[c];
    return sum / (double)n;
}

/* of u³ - u - lap u = E': (u² - 1)²/4 + |grad u|²/2 */
static double energy(const struct field_problem *p, const double *u)
{
    double sum = 0;
    for (size_t c = 0; c < field_points(p); c++) {
        const double well = u[c] * u[c] - 1, dx = field_dx(p);
        double slopes = pow(u[field_beside(p, c, 1, 0, 0)] - u[c], 2) + pow(u[field_beside(p, c, 0, 1, 0)] - u[c], 2);
        if (p->axes > 2) slopes += pow(u[field_beside(p, c, 0, 0, 1)] - u[c], 2);
        sum += well * well / 4 + slopes / (2 * dx * dx);
    }
    return sum;
}

/* Cahn-Hilliard from noise, at any dt. */
static void energy_falls_and_mass_stays(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * 3 * 3; k++) {
        const struct field_problem *p = &field_problems[k % 2];
        struct stepping s;
        make(p, schemes[k / 2 % 3], (double[]){0.05, 0.5, 5}[k / 6], 2, &s);
        unsigned seed = 1;
        for (size_t c = 0; c < field_points(p); c++) {
            seed = 1664525 * seed + 1013904223;
            s.u[c] = 0.1 + 0.1 * (seed / 2147483648.0 - 1);
        }
        const double begin = mean(field_points(p), s.u);
        double before = energy(p, s.u);
        for (int step = 0; step < (p->axes > 2 ? 10 : 40); step++) {
            take_step(&s);
            const double now = energy(p, s.u);
            if (!(now <= before * (1 + 1e-14)))
                fail_msg("%s, imex%d, dt %g: energy %g after %g", p->name, k / 2 % 3 + 1, s.step.dt, now, before);
            before = now;
        }
        assert_near(mean(field_points(p), s.u), begin, 1e-14);
        release(&s);
    }
}

/* The estimate of imex2 is of second order, that of imex3 of third: a step's own error is of one more. */
static void estimates_fall_by_their_order(void **state)
{
    (void)state;
    for (int m = 1; m < 3; m++) {
        double error[2];
        for (int half = 0; half < 2; half++) {
            struct stepping s;
            make(&field_problems[0], schemes[m], 0.002 / (1 + half), 0, &s);
            fields_take_step(&s.step, &s.work, s.u);
            fields_estimate_error(&s.step, &s.work, &error[half]);
            release(&s);
        }
        assert_near(log2(error[0] / error[1]), m + 1.0, 0.15);
    }
}

/* ------------------------------------------------------------------ steps of a run's own */

static void stiffness_of(void *own, double t, int64_t step, const double *u, struct fields_stiffness *stiffness)
{
    const struct field_problem *p = own;
    (void)t, (void)step, (void)u;
    memcpy(stiffness, p->stiffness, (size_t)p->unknowns * sizeof *stiffness);
}

/* By steps of its own to p->t, from tick to tick of `ticks`. @return what it records of its steps */
static struct sw_own_steps run_own(const struct field_problem *p, enum sw_scheme scheme, double tolerance, int ticks,
                                   double *u)
{
    static const struct fields_walk_ops ops = {.evaluate = evaluate, .stiffness = stiffness_of, FIELDS_FLAT_STEPS};
    struct stepping s;
    struct fields_walk w = {.ops = &ops, .method = fields_method_of(scheme), .solves = &fields_lines,
                            .unknowns = p->unknowns, .points = field_points(p),
                            .rule = {.axes = p->axes, .cross = p->cross, .own = true}, .own = (void *)p};
    struct sw_own_steps steps = {0};
    const double times[] = {0, p->t / 2, p->t}, drive[] = {0, 0};
    const struct fields_own own = {.steps = &steps, .drive = drive, .times = times,
                                   .limits = {.tolerance = tolerance, .most = p->t, .careful = p->t, .over_quiet = 0,
                                              .k = w.method->order}};
    make(p, scheme, p->dt, 0, &s);
    w.work = s.work;
    w.solver = s.step.solver;
    fields_walk_begin(&w);
    for (int k = 1; k <= ticks; k++) fields_walk_own_steps(&w, &own, 2 * (int64_t)SW_OWN_STEPS_TICKS * k / ticks, &s.u);
    assert_true(steps.end == SW_OWN_STEPS_GO_ON);
    memcpy(u, s.u, field_points(p) * (size_t)p->unknowns * sizeof *u);
    release(&s);
    return steps;
}

static void own_steps_keep_their_tolerance(void **state)
{
    (void)state;
    for (int k = 0; k < FIELD_PROBLEMS; k += small_suite() ? 3 : 1) {
        const struct field_problem *p = &field_problems[k];
        const size_t numbers = field_points(p) * (size_t)p->unknowns;
        if (k == 1) continue;
        double *reference = malloc(numbers * sizeof(double)), *u = malloc(numbers * sizeof(double));
        run_reference(p, reference, u);
        for (int m = 1; m < 3; m++)
            for (int power = 2; power <= m + 2; power++) {
                const double tolerance = pow(10, -power);
                const struct sw_own_steps s = run_own(p, schemes[m], tolerance, 1, u);
                double largest = 0;
                for (size_t c = 0; c < numbers; c++) largest = fmax(largest, fabs(reference[c]));
                const double ratio = largest_difference(numbers, u, reference) / (tolerance * largest);
                printf("    %-22s imex%d 1e-%d: %.2g of the tolerance, %g steps\n", p->name, m + 1, power, ratio,
                       s.taken);
                assert_true(s.refused <= 3);
                assert_true(ratio <= (p->unknowns > 1 ? 10 : 1.5));  /* pulses of Gray-Scott split: errors grow */
            }
        free(reference);
        free(u);
    }
}

/* A force that is switched on behind all stages. */
static void jumping(void *own, double t, int64_t step, const double *u, double *f)
{
    const struct field_problem *p = own;
    (void)step;
    for (size_t c = 0; c < field_points(p); c++) f[c] = (t > 0.19 ? 3 : 0) - 1e5 * u[c];
}

static void jumps_behind_the_stages_are_seen(void **state)
{
    (void)state;
    for (int m = 1; m < 3; m++) {
        struct stepping s;
        double error;
        make(&field_problems[0], schemes[m], 0.2, 0, &s);
        memset(s.u, 0, field_points(s.p) * sizeof *s.u);
        s.step.evaluate = jumping;
        fields_take_step(&s.step, &s.work, s.u);
        fields_estimate_error(&s.step, &s.work, &error);
        assert_near(error, 0, 0);
        fields_estimate_by_time(&s.step, &s.work, &error);
        assert_true(error > 0.2 * 0.2 * 3);
        release(&s);
    }
}

static void interruptions_change_no_bit(void **state)
{
    const struct field_problem *p = &field_problems[7];
    const size_t bytes = field_points(p) * (size_t)p->unknowns * sizeof(double);
    double *once = malloc(bytes), *often = malloc(bytes);
    (void)state;
    const struct sw_own_steps a = run_own(p, SW_IMEX3, 1e-3, 1, once), b = run_own(p, SW_IMEX3, 1e-3, 7, often);
    assert_memory_equal(&a, &b, sizeof a);
    assert_memory_equal(once, often, bytes);
    free(once);
    free(often);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(product_is_solved), cmocka_unit_test(errors_are_the_known_ones),
        cmocka_unit_test(energy_falls_and_mass_stays), cmocka_unit_test(estimates_fall_by_their_order),
        cmocka_unit_test(own_steps_keep_their_tolerance), cmocka_unit_test(jumps_behind_the_stages_are_seen),
        cmocka_unit_test(interruptions_change_no_bit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
