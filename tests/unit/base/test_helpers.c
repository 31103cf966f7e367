/* What is left out of a test program: a name that nothing has is a failure, not a test that passes. The program calls
 * itself, for these: */
#include "helpers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/sw_device.h"

static const struct row { const char *name; enum sw_space space; }
    cpu = {"cpu.row", SW_HOST}, cuda = {"cuda.row", SW_DEVICE};
static const struct row *const table[] = {&cpu, &cuda, NULL}, *under_test;

static void passes(void **state) { (void)state; }

/* Its exit code with these settings, and what it says. */
static int ends(const char *settings, char *said, size_t room)
{
    char self[1000] = "", command[1200];
    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    snprintf(command, sizeof command,
             "env -u SW_TESTS -u SW_ROWS -u SW_SMALL -u SW_DEVICE_ROWS -u SW_LIST %s '%s' 2>&1", settings, self);
    FILE *from = popen(command, "r");
    assert_non_null(from);
    said[fread(said, 1, room - 1, from)] = 0;
    const int status = pclose(from);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void what_is_there_is_run(void **state)
{
    static const char *const settings[] = {
        "SW_TESTS=passes", "SW_TESTS='pass*' SW_ROWS=cpu.row", "SW_TESTS=passes SW_ROWS=cuda.row,cpu.row",
        "SW_TESTS=passes SW_SMALL=1 SW_ROWS=cpu.row",  /* fewer sizes, not fewer rows */
        "SW_TESTS=passes SW_DEVICE_ROWS=1",            /* one of the rows is on a device */
        "SW_TESTS=passes SW_DEVICE_ROWS=1 SW_ROWS=cuda.row",
    };
    char said[4000];
    (void)state;
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        assert_int_equal(ends(settings[k], said, sizeof said), 0);
        assert_contains(said, "OK ] passes");
        assert_null(strstr(said, "there is no row"));
    }
}

static void a_name_that_nothing_has_is_a_failure(void **state)
{
    static const struct { const char *settings, *says; } one[] = {
        {"SW_TESTS=gone", "nothing was run"},
        {"SW_TESTS=gone SW_ROWS=cpu.row", "nothing was run"},
        {"SW_TESTS=passes SW_ROWS=cpu.renamed", "there is no row 'cpu.renamed'"},
        {"SW_TESTS=passes SW_ROWS=cpu.ro", "there is no row 'cpu.ro'"},
        {"SW_TESTS=passes SW_ROWS=cpu.row,cuda.gone", "there is no row 'cuda.gone'"},
        {"SW_TESTS=passes SW_DEVICE_ROWS=1 SW_ROWS=cpu.row", "nothing was run"},
    };
    char said[4000];
    (void)state;
    for (size_t k = 0; k < sizeof one / sizeof *one; k++) {
        assert_int_equal(ends(one[k].settings, said, sizeof said), 1);
        assert_contains(said, one[k].says);
    }
}

static void tells_the_names_and_runs_nothing(void **state)
{
    char said[4000];
    (void)state;
    assert_int_equal(ends("SW_LIST=1 SW_ROWS=cpu.row", said, sizeof said), 0);
    assert_string_equal(said, "passes\n"
                              "what_is_there_is_run\na_name_that_nothing_has_is_a_failure\n"
                              "tells_the_names_and_runs_nothing\n");
}

int main(void)
{
    const struct CMUnitTest rows[] = {cmocka_unit_test(passes)}, tests[] = {
        cmocka_unit_test(what_is_there_is_run),
        cmocka_unit_test(a_name_that_nothing_has_is_a_failure),
        cmocka_unit_test(tells_the_names_and_runs_nothing),
    };
    int failed = 0;
    for_each_row(table)
        failed += cmocka_run_group_tests_name(under_test->name, rows, NULL, NULL);
    return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
