/* Picking a row of a table: by its name, or the first one that does a request and is not slower than another. */
#include <string.h>

#include "base/row.h"
#include "base/sw_err.h"
#include "helpers.h"
#include "device/sw_device.h"
#include "problem/sw_problem.h"

struct thing { SW_ROW; int most, quick; };  /* it does requests up to `most`, and fast up to `quick` */

static const struct thing small = {.name = "cpu.small", .space = SW_HOST, .most = 10, .quick = 5},
                          medium = {.name = "cpu.medium", .space = SW_HOST, .most = 100, .quick = 7},
                          large = {.name = "cpu.large", .space = SW_HOST, .most = 1000, .quick = 1000},
                          other = {.name = "cuda.large", .space = SW_DEVICE, .most = 1000, .quick = 1};
static const struct thing *const table[] = {&small, &medium, &large, &other, NULL};

static const char *refuse(const struct sw_row *row, const void *request, enum sw_status *kind)
{
    (void)kind;
    if (!row) return "nothing is so large";
    return *(const int *)request > ((const struct thing *)row)->most ? "it is too large" : NULL;
}
static bool slower(const struct sw_row *row, const void *request)
{
    return *(const int *)request > ((const struct thing *)row)->quick;
}
SW_ROWS(in_order, "thing", table, .refuse = refuse);
SW_ROWS(by_speed, "thing", table, .refuse = refuse, .slower = slower, .places_optional = true);

static const char *picked(const struct sw_rows *rows, const char *name, enum sw_space space, int request)
{
    const struct sw_row *row = NULL;
    return sw_row_pick(rows, name, space, &request, &row) == SW_OK ? row->name : "none";
}

static void takes_the_first_that_does_it(void **state)
{
    (void)state;
    assert_string_equal(picked(&in_order, NULL, SW_HOST, 3), "cpu.small");
    assert_string_equal(picked(&in_order, NULL, SW_HOST, 8), "cpu.small");
    assert_string_equal(picked(&in_order, NULL, SW_HOST, 50), "cpu.medium");
    assert_string_equal(picked(&in_order, NULL, SW_HOST, 5000), "none");
}

static void leaves_out_a_slower_one_unless_it_is_named_or_alone(void **state)
{
    (void)state;
    assert_string_equal(picked(&by_speed, NULL, SW_HOST, 5), "cpu.small");
    assert_string_equal(picked(&by_speed, NULL, SW_HOST, 6), "cpu.medium");
    assert_string_equal(picked(&by_speed, NULL, SW_HOST, 8), "cpu.large");
    assert_string_equal(picked(&by_speed, "cpu.small", SW_HOST, 8), "cpu.small");
    assert_string_equal(picked(&by_speed, "medium", SW_HOST, 50), "cpu.medium");
    assert_string_equal(picked(&by_speed, NULL, SW_DEVICE, 50), "cuda.large");
    assert_string_equal(picked(&by_speed, NULL, SW_HOST, 5000), "none");
}

/* A problem that a GPU does not take may be one for the CPU; where rows are refused, those of the CPU that do it are
 * named, or there are none. */
static void suggests_the_cpu_where_no_rows_are_listed(void **state)
{
    const struct sw_device gpu = {.space = SW_DEVICE}, cpu = {.space = SW_HOST};
    const struct sw_setup setup = {0}, named = {.solver = "cuda.large"};
    (void)state;
    assert_string_equal(picked(&in_order, NULL, SW_DEVICE, 5000), "none");
    assert_int_equal(sw_setup_suggest_cpu(&setup, &gpu, SW_E_ABSENT), SW_E_ABSENT);
    assert_contains(sw_err_message(), "fit here: none");
    assert_null(strstr(sw_err_message(), "--device cpu"));
    for (int k = 0; k < 3; k++) {
        SW_FAIL(SW_E_ABSENT, "it runs on no GPU");
        sw_setup_suggest_cpu(k == 1 ? &named : &setup, k == 2 ? &cpu : &gpu, SW_E_ABSENT);
        assert_int_equal(strstr(sw_err_message(), "use --device cpu") != NULL, k == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_first_that_does_it),
        cmocka_unit_test(leaves_out_a_slower_one_unless_it_is_named_or_alone),
        cmocka_unit_test(suggests_the_cpu_where_no_rows_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
