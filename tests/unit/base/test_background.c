/* A loop in the background runs each k once, whoever takes it, and all of it is done when waiting for it ends. */
#include "helpers.h"

#include <string.h>
#include <unistd.h>

#include "base/sw_background.h"

enum { MOST = 1000 };

static int times[MOST];
static bool slow;

static void count_once(void *user, int64_t k)
{
    __atomic_fetch_add(&times[k], *(int *)user, __ATOMIC_RELAXED);
    if (slow) usleep(200);
}

static void each_is_done_once_before_the_wait_ends(void **state)
{
    int one = 1;
    struct sw_background *b = sw_background_create(count_once, &one);
    (void)state;
    assert_non_null(b);
    sw_background_wait(b);
    for (int repeat = 0; repeat < 2000; repeat++) {
        const int count = repeat % 7 ? repeat % MOST : 0, step = 1 + repeat % 13 * 50;
        memset(times, 0, sizeof times);
        for (int k = 0; k < count; k += step) {
            sw_background_extend(b, k + step < count ? k + step : count);
            if (repeat % 3 == 0) usleep(20);  /* the thread gets some of them, or all */
        }
        sw_background_wait(b);
        for (int k = 0; k < MOST; k++) assert_int_equal(times[k], k < count);
    }
    sw_background_free(&b);
    assert_null(b);
    sw_background_free(&b);
    sw_background_wait(b);
}

static void the_thread_works_while_the_caller_does_not(void **state)
{
    int one = 1, done = 0;
    struct sw_background *b = sw_background_create(count_once, &one);
    (void)state;
    memset(times, 0, sizeof times);
    slow = true;
    sw_background_extend(b, 10);
    for (int tries = 0; tries < 10000 && !done; tries++) {
        usleep(1000);
        done = __atomic_load_n(&times[0], __ATOMIC_RELAXED);
    }
    assert_true(done);
    sw_background_free(&b);  /* waits */
    for (int k = 0; k < 10; k++) assert_int_equal(times[k], 1);
    slow = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_is_done_once_before_the_wait_ends),
                                       cmocka_unit_test(the_thread_works_while_the_caller_does_not)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
