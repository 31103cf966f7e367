/* What a run costs beside its steps, counted and not timed: by how much the calls of some functions grow with the
 * number of runs of a whole command. The linker sends these calls through here (Makefile). */
#include "helpers.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "cli/sw_cli.h"
#include "expr/sw_expr.h"
#include "problem/sw_problem.h"

enum counted { PARSED, CREATED, POINTS, LOOKED_UP, COMPILED, COUNTED };
static const char *const counted_name[COUNTED] = {"expressions parsed", "evaluators made", "points evaluated",
                                                  "names looked up", "expressions compiled"};
static atomic_llong calls[COUNTED];

#define WRAP(type, name, parameters, arguments, what, by)                                                \
    type __real_##name parameters;                                                                       \
    type __wrap_##name parameters;                                                                       \
    type __wrap_##name parameters                                                                        \
    {                                                                                                    \
        atomic_fetch_add(&calls[what], by);                                                              \
        return __real_##name arguments;                                                                  \
    }
WRAP(enum sw_status, sw_expr_parse, (const char *text, struct sw_expr **expr, struct sw_expr_error *err),
     (text, expr, err), PARSED, 1)
WRAP(enum sw_status, sw_eval_create, (const struct sw_program *program, int most, struct sw_eval **eval),
     (program, most, eval), CREATED, 1)
WRAP(void, sw_eval_points, (struct sw_eval *eval, int count, const double *const *in, double *out),
     (eval, count, in, out), POINTS, count)
WRAP(enum sw_status, sw_program_compile,
     (const struct sw_expr *expr, const struct sw_scope *scope, struct sw_program **program,
      struct sw_expr_error *err), (expr, scope, program, err), COMPILED, 1)
WRAP(int, sw_setup_column, (const struct sw_setup *setup, const char *path), (setup, path), LOOKED_UP, 1)
WRAP(const struct sw_function *, sw_setup_find, (const struct sw_setup *setup, const char *key), (setup, key),
     LOOKED_UP, 1)
WRAP(const char *, sw_setup_word, (const struct sw_setup *setup, const char *key), (setup, key), LOOKED_UP, 1)

/* ------------------------------------------------------------------ a problem that says something of every run */

static atomic_int before, after;
static bool talks;

static enum sw_status talk(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                           const double *state, struct sw_text *text)
{
    (void)setup, (void)ld, (void)column, (void)j;
    atomic_fetch_add(state ? &after : &before, 1);
    sw_text_set(text, "looked at");
    return SW_OK;
}

const struct sw_problem *__real_sw_problem_find(const char *name);
const struct sw_problem *__wrap_sw_problem_find(const char *name);
const struct sw_problem *__wrap_sw_problem_find(const char *name)
{
    static const struct sw_run_warning warnings[] = {{.warn = talk, .of_result = true}, {0}};
    static struct sw_problem talking;
    const struct sw_problem *found = __real_sw_problem_find(name);
    if (!found || !talks) return found;
    talking = *found;
    static struct sw_problem_advice advice;
    advice = *found->advice;
    advice.warn_run = warnings;
    talking.advice = &advice;
    return &talking;
}

/* ------------------------------------------------------------------ commands */

/* Sweeps over a = 0.1 ... and b = 0 ... 15. */
static const struct sweep {
    const char *name, *text;
    double most[COUNTED];
    int code;  /* of the program's exit */
} sweeps[] = {
    /* Points: the initial value and the energy of the end; forces go another way (expr/form.c). Names: validate_run. */
    {"cahn_hilliard",
     "grid = { n = 16; length = \"2*pi*(1 + b/16)\"; }; physics = { D = \"1 + b/100\"; gamma = 1.0; };\n"
     "time = { dt = 0.001; end = 0.005; }; initial = \"0.1*a*cos(b*x)\"; forcing = \"a*cos(x - b*t)\";\n",
     {0.01, 0.1, 32, 5}, 0},
    {"heat",
     "grid = { n = 16; length = 1.0; }; physics = { kappa = \"1 + b\"; }; time = { dt = 0.001; end = 0.005; };\n"
     "initial = \"a*cos(2*pi*x)\"; exact = \"a*cos(2*pi*x)*exp(-t)\";\n", {0.01, 0.1, 48, 5}, 0},
    {"equation",
     "rhs = \"a*dxx(u) - u^3 + b\"; grid = { n = 16; length = 1.0; }; time = { dt = 0.001; end = 0.005; };\n"
     "initial = \"a*cos(2*pi*x)\";\n", {0.01, 0.1, 30, 9}, 0},
    {"advection",
     "grid = { n = 16; length = 1.0; }; velocity = { x = \"a + b\"; }; time = { dt = 0.0001; end = 0.0005; };\n"
     "physics = { nu = 0.0; }; initial = \"sin(2*pi*x)\";\n", {0.01, 0.1, 48, 20}, 0},
    /* An evaluator for the field and one for its derivative. */
    {"compact", "grid = { n = 16; length = 1.0; }; field = \"a*sin(2*pi*x) + b\";\n", {0.01, 2, 48, 24}, 0},
    {"bvp", "grid = { n = 16; }; f = \"a*x + b\";\n", {0.01, 0.1, 48, 20}, 0},
    {"tridiagonal",
     "grid = { n = 16; }; lower = \"-1\"; main = \"3 + a\"; upper = \"-1\"; rhs = \"b + i\";\n",
     {0.01, 0.1, 100, 20}, 0},
    {"elliptic",
     "grid = { n = [8, 8]; }; physics = { omega2 = 1.0; delta = \"1 + a + b\"; }; f = \"sin(2*pi*x)\";\n",
     {0.01, 2, 100, 35}, 0},
    /* All runs diverge: why is found out once, when it is reported, not again for the results. Points: the force at
     * each u of each step that is tried for the one that is named: 1,625 by bisection, twice that if found twice. */
    {"cahn_hilliard",
     "grid = { n = 16; length = \"2*pi\"; }; physics = { D = 1.0; gamma = 1.0; }; time = { dt = 1.0; end = 20.0; };\n"
     "initial = \"(100 + a + b)*cos(x)\";\n", {5.5, 7.5, 1700, 95}, 1},
    {NULL, NULL, {0}, 0}};

/* With 16 · `values` runs. @param batch  runs of a batch */
static void perform(const struct sweep *s, int values, int batch, long long count[COUNTED])
{
    char config[300], results[300];
    char *argv[] = {"sweep", config, "--device", "cpu", "-j", "1", "--force", "-q", "-o", results, NULL};
    struct sw_cli *cli = NULL;
    snprintf(config, sizeof config, "%s/counted.cfg", test_folder());
    snprintf(results, sizeof results, "%s/counted.h5", test_folder());
    FILE *f = fopen(config, "w");
    assert_non_null(f);
    fprintf(f, "problem = \"%s\"; %s sweep = { a = \"linspace(0.1, 0.3, %d)\"; b = \"range(0, 15)\"; };\n"
            "run = { batch = %d; };\n%s", s->name, s->text, values, batch,
            strstr(s->text, "time") ? "accuracy = { runs = 0; };\n" : "");  /* twelve runs are no cost of each run */
    fclose(f);
    remove(results);  /* of another problem: there is one that talks at a time */
    for (int k = 0; k < COUNTED; k++) atomic_store(&calls[k], 0);
    atomic_store(&before, 0);
    atomic_store(&after, 0);
    enum sw_status st = sw_cli_parse(10, argv, &cli);
    if (!st) st = sw_cli_dispatch(cli);
    if (st) sw_cli_print_error(cli, st);
    assert_int_equal(sw_cli_end(&cli, st), s->code);
    for (int k = 0; k < COUNTED; k++) count[k] = atomic_load(&calls[k]);
}

/* What is looked up for some hundreds of runs at once comes to less than that of each. */
static const double of_blocks = 0.05;

/* Texts, evaluators and most names are of a batch. */
static void a_run_is_evaluated_for_its_steps_alone(void **state)
{
    enum { FEW = 64, MANY = 112 };  /* from some hundred runs on, what is of a batch does not grow */
    long long few[COUNTED], many[COUNTED];
    bool failed = false;
    (void)state;
    talks = false;
    for (const struct sweep *s = sweeps; s->name; s++) {
        if (small_suite()) {  /* the numbers are those of the whole suite */
            perform(s, 4, 64, few);
            continue;
        }
        perform(s, FEW, 4096, few);
        perform(s, MANY, 4096, many);
        for (int k = 0; k < COUNTED; k++) {
            const double each = (double)(many[k] - few[k]) / (16 * (MANY - FEW));
            if (each > s->most[k] + of_blocks)
                print_message("%s, %s: %.3f a run, at most %g\n", s->name, counted_name[k], each, s->most[k]);
            failed |= each > s->most[k] + of_blocks;
        }
    }
    assert_false(failed);
}

/* Texts are parsed and compiled for a whole sweep, by prepare(): not again for each batch. */
static void a_batch_parses_and_compiles_nothing(void **state)
{
    long long one[COUNTED], many[COUNTED];
    (void)state;
    talks = false;
    for (const struct sweep *s = sweeps; s->name; s++) {
        if (s->code) continue;
        perform(s, 4, 64, one);
        perform(s, 4, 4, many);
        if (many[PARSED] != one[PARSED] || many[COMPILED] != one[COMPILED])
            fail_msg("%s: 1 batch parses %lld and compiles %lld expressions, 16 batches %lld and %lld", s->name,
                     one[PARSED], one[COMPILED], many[PARSED], many[COMPILED]);
    }
}

static void few_runs_are_looked_at_before_and_after(void **state)
{
    long long count[COUNTED];
    (void)state;
    talks = true;
    perform(&sweeps[0], 3, 4096, count);
    assert_int_equal(atomic_load(&before), 48);
    assert_int_equal(atomic_load(&after), 48);
    perform(&sweeps[0], 200, 4096, count);
    assert_in_range(atomic_load(&before), 48, 64);
    assert_int_equal(atomic_load(&after), atomic_load(&before));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_evaluated_for_its_steps_alone),
        cmocka_unit_test(a_batch_parses_and_compiles_nothing),
        cmocka_unit_test(few_runs_are_looked_at_before_and_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
