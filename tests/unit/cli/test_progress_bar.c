/* What a sweep under way says where stderr is no terminal: a line soon, then one a minute. The clock is the test's. */
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/run_messages.h"
#include "store/files/sw_status_file.h"
#include "helpers.h"

static double now;

int clock_gettime(clockid_t clock, struct timespec *t)
{
    (void)clock;
    *t = (struct timespec){(time_t)now, (long)(1e9 * (now - (double)(time_t)now))};
    return 0;
}

/* The lines that `seconds` of progress, told ten times a second, put onto stderr, and the clock of each. */
static int lines_of(double seconds, double at[], int room)
{
    static char file[512], said[512];
    struct sw_config config = {.sha256 = "0"};
    const struct sw_problem_time time = {0};
    const struct sw_problem problem = {.name = "heat", .time = &time};
    struct sw_sweep sweep = {.id = "0", .config = &config, .problem = &problem};
    struct sw_plan plan = {.nruns = 1, .nbatch = 1, .points_steps = 1e6};
    struct sw_cli cli = {.utf8 = true};
    struct progress_bar bar;
    int count = 0, kept = dup(STDERR_FILENO);
    snprintf(file, sizeof file, "%s/bar.h5", test_folder());
    snprintf(said, sizeof said, "%s/said", test_folder());
    assert_non_null(freopen(said, "w", stderr));
    setvbuf(stderr, NULL, _IONBF, 0);
    long length = 0;
    now = 1000;
    progress_bar_start(&bar, &cli, &sweep, &plan, file);
    for (int k = 1; k <= 10 * seconds; k++) {
        const bool last = k + 1 > 10 * seconds;
        struct sw_progress p = {.points_steps_done = 1e3 * k, .seconds = 0.1 * k, .t = 0.01 * k, .end = 10,
                                .phase = last ? "merging" : "computing"};
        now = 1000 + p.seconds;
        progress_bar_update(&bar, &p);
        const long end = ftell(stderr);
        if (end > length && count < room) at[count++] = p.seconds;
        length = end;
    }
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    sw_status_file_remove(file);
    return count;
}

static void tells_soon_and_then_every_minute(void **state)
{
    double at[10];
    (void)state;
    assert_int_equal(lines_of(200, at, 10), 5);
    static const double due[] = {10, 70, 130, 190, 200};  /* the last: that the parts are merged */
    for (int k = 0; k < 5; k++) assert_near(at[k], due[k], 0.11);
}

static void says_nothing_of_what_is_over_soon(void **state)
{
    double at[10];
    (void)state;
    assert_int_equal(lines_of(9, at, 10), 0);
}

/* A sweep of 100 s, which makes its files and takes one step in the first 0.4 s: the time that is left is told right,
 * or not yet. What earlier calls did counts in how much is done. */
static void tells_the_time_left_right_from_the_first(void **state)
{
    static char file[512];
    struct sw_config config = {.sha256 = "0"};
    const struct sw_problem_time time = {0};
    const struct sw_problem problem = {.name = "heat", .time = &time};
    struct sw_sweep sweep = {.id = "0", .config = &config, .problem = &problem};
    struct sw_plan plan = {.nruns = 8, .done = 24, .nbatch = 1, .points_steps = 1e6, .points_steps_before = 3e6};
    struct sw_cli cli = {.quiet = true};
    struct sw_status_file told = {.eta = NAN};
    struct progress_bar bar;
    int known = 0;
    (void)state;
    snprintf(file, sizeof file, "%s/bar.h5", test_folder());
    char folder[520];
    snprintf(folder, sizeof folder, "%s.d", file);
    mkdir(folder, 0777);
    now = 1000;
    progress_bar_start(&bar, &cli, &sweep, &plan, file);
    for (int k = 0; k < 400; k++) {
        struct sw_progress p = {.seconds = 0.4 + 0.1 * k, .points_steps_done = 10 + 1e3 * k, .end = 10,
                                .phase = "computing"};
        now = 1000 + p.seconds;
        progress_bar_update(&bar, &p);
        assert_true(sw_status_file_read(file, &told));
        known += told.eta >= 0;
        if (k > 20) assert_true(known);
        if (known) assert_near(told.eta, 100 - 0.1 * k, 1.1);  /* a status is up to a second old */
    }
    assert_near(told.fraction, (3e6 + 4e5) / 4e6, 4e-3);
    assert_near(sw_status_file_fraction(told.fraction, told.runs, told.asked), 1 - 0.15 * 8 / 32, 1e-3);
    sw_status_file_remove(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_soon_and_then_every_minute),
        cmocka_unit_test(says_nothing_of_what_is_over_soon),
        cmocka_unit_test(tells_the_time_left_right_from_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
