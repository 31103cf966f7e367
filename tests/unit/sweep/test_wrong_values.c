/* Every key of every problem, given every kind of wrong value in the config that `sweep init` prints: refused with a
 * message or taken, and no problem is asked about a run whose words or numbers were refused (it would look up a scheme
 * that there is not). */
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "sweep/sw_keys.h"
#include "sweep_helpers.h"

enum { WRONG_VALUES = 24, CAPACITY = 200 };

/* What any key is given. An override replaces what was there, a group by a number too. */
static const char *const wrong[] = {
    "nonsense", "\"\"", "\"$\"", "\"$nonsense\"", "$n", "$order", "true", "0", "-1", "0.5", "1e300", "-1e300", "1e-300",
    "\"0/0\"", "\"1/0\"", "\"1/(grid.n-grid.n)\"", "\"n\"", "[]", "[1, 2]", "[\"a\", \"b\"]", "[1, 2, 3, 4]", "{}",
    "{ x = 1; }", "{ mode = \"zip\"; a = [1, 2]; b = [1]; }",
};
_Static_assert(sizeof wrong / sizeof *wrong == WRONG_VALUES, "one of each");

/* Whether it is refused; a refusal has a message, and what is not refused has runs. */
static bool refused(const struct sw_problem *problem, const char *const *override, int n)
{
    struct made m;
    char *printed = try_text(problem->example, override, n, &m);
    const bool is = !m.sweep;
    assert_non_null(printed);
    if (is) assert_true(printed[0] != 0);
    else assert_true(m.sweep->nruns > 0);
    sw_free(printed);
    unmake(&m);
    return is;
}

/* The small suite takes a third of all keys with each value, and a third of the values with each key. */
static bool is_taken(int problem, int key, int value) { return !small_suite() || (problem + key + value) % 3 == 0; }

static void no_value_of_a_key_crashes(void **state)
{
    const struct sw_key *key;
    char set[CAPACITY];
    (void)state;
    for (int p = 0; sw_problem_table[p]; p++)
        for (int k = 0; (key = sw_key_at(sw_problem_table[p], k)); k++)
            for (int w = 0; w < WRONG_VALUES; w++) {
                if (!is_taken(p, k, w)) continue;
                snprintf(set, sizeof set, "%s=%s", key->path, wrong[w]);
                refused(sw_problem_table[p], (const char *const[]){set}, 1);
            }
}

/* The wrong number is beside good ones in an axis, and the other keys depend on it. */
static void no_value_of_an_axis_crashes(void **state)
{
    static const char *const values[] = {"[-1, 8]", "[0, 8]", "[0.5, 8.0]", "[1e300, 8.0]", "[16, 16]", "[]",
                                         "nonsense", "[\"a\", \"b\"]", "range(1, 0)", "uniform(0, 1)",
                                         "linspace(1, 2, 0)"};
    const struct sw_key *key;
    char axis[CAPACITY], set[CAPACITY];
    (void)state;
    for (int p = 0; sw_problem_table[p]; p++)
        for (int k = 0; (key = sw_key_at(sw_problem_table[p], k)); k++)
            for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
                if (!is_taken(p, k, (int)v)) continue;
                const bool number = key->kind == SW_KEY_REAL || key->kind == SW_KEY_COUNT;
                snprintf(axis, sizeof axis, "sweep.zz=%s", values[v]);
                snprintf(set, sizeof set, "%s=\"%szz\"", key->path, number ? "" : "$");
                refused(sw_problem_table[p], (const char *const[]){axis, set}, 2);
            }
}

static void a_word_that_is_not_of_the_key_is_refused_in_key_and_axis(void **state)
{
    const struct sw_key *key;
    char axis[CAPACITY], set[CAPACITY];
    (void)state;
    for (int p = 0; sw_problem_table[p]; p++)
        for (key = sw_problem_table[p]->keys; key->path; key++) {
            if (key->kind != SW_KEY_WORD) continue;
            snprintf(set, sizeof set, "%s=nonsense", key->path);
            assert_true(refused(sw_problem_table[p], (const char *const[]){set}, 1));
            snprintf(axis, sizeof axis, "sweep.zz=[\"%s\", \"nonsense\"]", key->fallback);
            snprintf(set, sizeof set, "%s=\"$zz\"", key->path);
            assert_true(refused(sw_problem_table[p], (const char *const[]){axis, set}, 2));
        }
}

static void a_step_that_cannot_follow_is_not_reported(void **state)
{
    static const char text[] = "problem = \"advection\";\nsweep = { n = [-5, 16]; };\n"
                               "grid = { n = \"n\"; length = 1.0; };\n"
                               "velocity = { x = 1.0; };\ninitial = \"sin(x)\";\ntime = { cfl = 0.5; end = 1.0; };\n";
    (void)state;
    refuse_text(text, OVERRIDES("alpha=0.3"),
                "ch.cfg:3: error: 'grid.n' = -5 in run 0 (n = -5): must be at least 1\n");
    refuse_text(text, OVERRIDES("sweep.n=[16]", "time.end=-1.0"),
                "-s: error: 'time.end' = -1: must be greater than 0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_value_of_a_key_crashes),
        cmocka_unit_test(no_value_of_an_axis_crashes),
        cmocka_unit_test(a_word_that_is_not_of_the_key_is_refused_in_key_and_axis),
        cmocka_unit_test(a_step_that_cannot_follow_is_not_reported),
    };
    return cmocka_run_group_tests_name("wrong_values", tests, NULL, NULL);
}
