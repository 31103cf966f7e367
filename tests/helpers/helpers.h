#ifndef HELPERS_H
#define HELPERS_H
/* What every test needs: cmocka with its includes, and a few tools. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

#include <cmocka.h>

#include "base/sw_err.h"

/* Passes if the call returns SW_OK; else fails with the project's message. */
#define assert_ok(call)                                                                                     \
    do {                                                                                                    \
        enum sw_status st_ = (call);                                                                        \
        if (st_) fail_msg("%s: %s (%s)", #call, sw_err_message(), sw_err_where());                           \
    } while (0)

/* Fails unless |a - b| <= tolerance; a NaN on either side fails. */
#define assert_near(a, b, tolerance)                                                                        \
    do {                                                                                                    \
        double a_ = (a), b_ = (b), tol_ = (tolerance), d_ = a_ > b_ ? a_ - b_ : b_ - a_;                     \
        if (!(d_ <= tol_)) fail_msg("%s = %.17g, expected %.17g +- %.3g, off by %.3g", #a, a_, b_, tol_, d_); \
    } while (0)

/* The same for count entries; `what` they are of is named with the first that is off. */
void assert_all_near(const char *what, const double *a, const double *b, size_t count, double tolerance);

/* Fails unless text contains part. */
void assert_contains(const char *text, const char *part);

/* Leave the test, and print why it cannot be done here. What it holds has been freed, for nobody else does. A test that
 * a row has no use for is not registered for it instead. */
_Noreturn void skip_because(const char *reason);

/* A row that needs `what` ("cuda") is absent: skip the test, or fail it when SW_NEED names it. */
_Noreturn void skip_unless_needed(const char *what, const char *reason);

/* SW_CASE=K leaves only that case of tests that have many random ones, SW_CASE=K/N every Nth from K on. */
bool is_case_asked_for(int k);

/* SW_TESTS=PATTERN in the environment ("agrees_*") leaves only the tests of such a name; SW_LIST=1 prints the names of
 * all, and runs none. A program that was told to leave out and ran nothing at all fails. So that this is known, groups
 * are run by run_group(), whatever the macro. */
int run_group(const char *name, const struct CMUnitTest *tests, size_t count, CMFixtureFunction setup,
              CMFixtureFunction teardown);
#undef cmocka_run_group_tests
#undef cmocka_run_group_tests_name
#define cmocka_run_group_tests_name(name, tests, setup, teardown) \
    run_group(name, tests, sizeof(tests) / sizeof *(tests), setup, teardown)
#define cmocka_run_group_tests(tests, setup, teardown) cmocka_run_group_tests_name(#tests, tests, setup, teardown)

/* Whether SW_SMALL is set: the tests run under a tool that makes them slow, so small sizes. */
bool small_suite(void);

/* Whether SW_LONG is set: all the random cases, of which `make test` takes a part. */
bool long_suite(void);

/* Whether SW_DEVICE_ROWS is set: that tool looks at a device (gpu_check.sh), so only the rows that use one. */
bool device_rows_only(void);

/* SW_ROWS=NAME,NAME in the environment leaves only these rows of a table. A name that no row has is a failure, in
 * programs that ask for rows. */
bool row_asked_for(const char *name);

/* In main() of a program that tests a table of rows: a statement for each of them, which `under_test` is meanwhile. */
#define for_each_row(table)                                                                                 \
    for (int row_ = 0; (under_test = (table)[row_]) != NULL; row_++)                                         \
        if ((device_rows_only() && under_test->space == SW_HOST) || !row_asked_for(under_test->name)) continue; \
        else

/* An empty folder for this test process, removed at exit. */
const char *test_folder(void);

/* @return [count], all 0; free with sw_free() */
double *zeros(size_t count);

/* Uniform in (-1, 1), repeatable: each call advances *state. */
double test_random(uint64_t *state);

/* x [n] := A⁻¹ f, A = I + s4 d4 - s2 d2 on a circle of n <= 2048 points, by Fourier modes in long double. Entry i of f
 * lies at i*stride. */
void test_fourier_solve(int n, double s4, double s2, const double *f, int stride, long double *x);

/* The same of A = (1 + s0) I + s1 d1 - s2 d2 + s3 d3 + s4 d4, s = {s0, .. s4}. */
void test_fourier_solve_orders(int n, const double s[5], const double *f, int stride, long double *x);

/* The same for lines of any length: f [n] := a sum of modes, long and short ones, and x [n] := A⁻¹ f, which
 * has the same. */
void test_fourier_modes(int n, double s4, double s2, double *f, long double *x);
#endif
