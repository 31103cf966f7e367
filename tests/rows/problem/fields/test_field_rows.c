/* Every row that steps fields: the errors in time of eight equations, given as texts, against known ones; those of
 * exact solves from another program (NumPy, imex3 by dt/64). */
#include "field_initial.h"
#include "field_problems.h"
#include "helpers.h"

#include <stdio.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "device/sw_device.h"
#include "problem/fields/fields_sim.h"

static const enum sw_scheme schemes[] = {SW_BACKWARD_EULER, SW_IMEX2, SW_IMEX3};
static const char *row;

static const char *kind_of(const char *name) { return strncmp(name, "cuda", 4) ? "cpu" : "cuda"; }

static void need_row(void)
{
    struct sw_device *device = NULL;
    if (sw_device_open(kind_of(row), 1, &device)) skip_unless_needed("cuda", sw_err_message());
    sw_device_close(&device);
}

static struct fields_terms *read_terms(const struct field_problem *p)
{
    static const struct sw_scope none = {0};
    struct fields_text text = {.dimensions = p->axes, .unknowns = p->unknowns, .unknown = {"u", "v"},
                               .rhs = {p->text[0], p->text[1]}, .run = &none, .order = 2};
    struct fields_terms *terms = NULL;
    struct fields_error err;
    if (fields_terms_create(&text, &terms, &err)) fail_msg("%s: %s", p->name, err.error.text);
    return terms;
}

/* Runs of one equation that differ in dt, a batch. */
struct runs { const struct field_problem *p; double dt; };

static enum sw_status fill(void *own, int count, const double *column, struct fields_run *run, double *param)
{
    const struct runs *r = own;
    const double dx = field_dx(r->p);
    (void)column;
    for (int j = 0; j < count; j++) {
        run[j] = (struct fields_run){.grid = {.dx = {dx, dx, dx}, .dt = r->dt}};
        fields_numbers(run[j].grid.dx, param);
    }
    return SW_OK;
}

static void keep(void *own) { (void)own; }

/* At p->t by steps of p->dt/parts. @param u  out @return false: a block has no room for a run */
static bool run_by(const char *name, const struct field_problem *p, const struct fields_terms *terms,
                   enum sw_scheme scheme, int parts, double *u)
{
    struct runs r = {p, p->dt / parts};
    const struct fields_source source = {fill, keep, &r};
    struct fields_desc desc = {.n = {p->n, p->n, p->axes > 2 ? p->n : 1}, .capacity = 1, .scheme = scheme,
                               .nparam = FIELDS_NUMBERS, .terms = terms};
    struct sw_program *initial[2] = {0};
    struct sw_device *device;
    struct sw_sim *sim;
    const char *error;
    const double column = 0;
    for (int v = 0; v < p->unknowns; v++) desc.initial[v] = initial[v] = compile_initial(p->initial_text[v]);
    assert_ok(sw_device_open(kind_of(name), 1, &device));
    const enum sw_status st = fields_sim_create(&desc, name, device, &source, &sim);
    const bool fits = !st || strcmp(name, "cuda.fused") || !strstr(sw_err_message(), "the shared memory of a block");
    if (!fits) goto done;
    assert_ok(st);
    assert_ok(sim->ops->load(sim, 1, &column, &error));
    if (error) fail_msg("%s: %s", p->name, error);
    assert_ok(sw_sim_initial(sim));
    assert_ok(sim->ops->advance(sim, 0, lround(p->t / p->dt) * parts));
    assert_ok(sw_sim_get_state(sim, u));
    sim->ops->destroy(sim);
done:
    sw_device_close(&device);
    for (int v = 0; v < p->unknowns; v++) sw_program_destroy(&initial[v]);
    return fits;
}

static bool run(const struct field_problem *p, const struct fields_terms *terms, enum sw_scheme scheme, int parts,
                double *u)
{
    return run_by(row, p, terms, scheme, parts, u);
}

static bool is_exact(void) { return fields_sim_is_exact(NULL, row); }

/* As in test_w_steps.c: imex3 of the reference row by dt/16 and dt/32, from which the term in dt³ is taken out.
 * The same for all rows. */
static const double *reference_of(int k, const struct fields_terms *terms)
{
    static double *kept[FIELD_PROBLEMS];
    const struct field_problem *p = &field_problems[k];
    const size_t numbers = field_points(p) * (size_t)p->unknowns;
    if (kept[k]) return kept[k];
    double *u = malloc(numbers * sizeof(double));
    kept[k] = malloc(numbers * sizeof(double));
    run_by("cpu.plain", p, terms, SW_IMEX3, 16, u);
    run_by("cpu.plain", p, terms, SW_IMEX3, 32, kept[k]);
    for (size_t c = 0; c < numbers; c++) kept[k][c] += (kept[k][c] - u[c]) / 7;
    free(u);
    return kept[k];
}

static void errors_are_the_known_ones(void **state)
{
    int bad = 0, looked_at = 0;
    (void)state;
    need_row();
    for (int k = 0; k < FIELD_PROBLEMS; k += small_suite() ? 3 : 1) {
        const struct field_problem *p = &field_problems[k];
        const size_t numbers = field_points(p) * (size_t)p->unknowns;
        double *u = malloc(numbers * sizeof(double));
        struct fields_terms *terms = read_terms(p);
        const double *reference = reference_of(k, terms);
        for (int m = 0; m < 3; m++)
            for (int end = 0; end < 2; end++) {
                const double known = is_exact() ? p->exact[m][end] : p->error[m][end];
                double error = 0;
                if (!run(p, terms, schemes[m], end ? 8 : 1, u)) continue;
                looked_at++;
                for (size_t c = 0; c < numbers; c++) error = fmax(error, fabs(u[c] - reference[c]));
                if (fabs(error / known - 1) < 0.03) continue;
                print_error("%s, imex%d: error %.4g, not %.3g\n", p->name, m + 1, error, known);
                bad++;
            }
        fields_terms_destroy(&terms);
        free(u);
    }
    print_message("%s: %d errors\n", row, looked_at);
    assert_int_equal(bad, 0);
    assert_true(looked_at > 0);
}

/* Errors of the phase-field crystal against ETDRK4 by dt/16, in NumPy. */
static const struct field_problem crystal = {
    .name = "phase-field crystal", .axes = 2, .n = 64, .unknowns = 1, .length = 16 * FIELD_PI, .t = 4, .dt = 1.0 / 16,
    .text = {"lap(-0.25*u + u + 2*lap(u) + lap(lap(u)) + u^3)"},
    .initial_text = {"-0.2 + 0.3*cos(x)*cos(y/2) + 0.2*sin(3*x/4 + y/2)"},
    .exact = {{6.24e-4, 7.81e-5}, {2.12e-5, 3.24e-7}, {2.49e-6, 7.92e-9}}};

static void sixth_order_is_for_exact_solves(void **state)
{
    need_row();
    const struct field_problem *p = &crystal;
    const size_t numbers = field_points(p);
    struct fields_terms *terms = read_terms(p);
    struct fields_desc desc = {.n = {p->n, p->n, 1}, .capacity = 1, .scheme = SW_IMEX3, .nparam = FIELDS_NUMBERS,
                               .terms = terms};
    double *reference = malloc(numbers * sizeof(double)), *u = malloc(numbers * sizeof(double));
    int bad = 0;
    (void)state;
    assert_true(terms->high);
    if (is_exact()) {
        const int parts = small_suite() ? 2 : 8;  /* small: errors of dt alone, beside which 0.3 % is left */
        run(p, terms, SW_IMEX3, parts, u);
        run(p, terms, SW_IMEX3, 2 * parts, reference);
        for (size_t c = 0; c < numbers; c++) reference[c] += (reference[c] - u[c]) / 7;
        for (int k = 0; k < 6; k += small_suite() ? 2 : 1) {
            const double known = p->exact[k / 2][k % 2];
            double error = 0;
            run(p, terms, schemes[k / 2], k % 2 ? 8 : 1, u);
            for (size_t c = 0; c < numbers; c++) error = fmax(error, fabs(u[c] - reference[c]));
            if (fabs(error / known - 1) < 0.03) continue;
            print_error("%s, imex%d: error %.4g, not %.3g\n", p->name, k / 2 + 1, error, known);
            bad++;
        }
        assert_int_equal(bad, 0);
    } else {
        struct runs r = {p, p->dt};
        struct sw_device *device;
        struct sw_sim *sim;
        assert_ok(sw_device_open(kind_of(row), 1, &device));
        assert_false(fields_sim_create(&desc, row, device, &(struct fields_source){fill, keep, &r}, &sim) == SW_OK);
        assert_contains(sw_err_message(), "beyond the fourth order");
        assert_contains(sw_err_message(), "cpu.fourier");
        sw_device_close(&device);
    }
    fields_terms_destroy(&terms);
    free(reference);
    free(u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(errors_are_the_known_ones),
                                       cmocka_unit_test(sixth_order_is_for_exact_solves)};
    int failed = 0;
    for (int k = 0; (row = fields_sim_row(k)); k++) failed += cmocka_run_group_tests_name(row, tests, NULL, NULL);
    return failed;
}
