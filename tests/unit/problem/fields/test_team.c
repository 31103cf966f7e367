/* Threads of a team take each task once, and what they wrote is there when a pass is over. */
#include "helpers.h"

#include <string.h>
#include <unistd.h>

#include "problem/fields/team.h"

enum { MOST = 300, PASSES = 2000 };

struct pass { int threads, number, *value; int done[MOST]; };

/* Each task reads what another one of the pass before has written. */
static void work(void *user, int thread, int k)
{
    struct pass *p = user;
    if (thread < 0 || thread >= p->threads) return;
    p->done[k]++;
    p->value[p->number % 2 * MOST + k] = p->value[(p->number + 1) % 2 * MOST + (k + 7) % MOST] + 1;
}

static void each_task_is_done_once(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 5; threads++) {
        static int value[2 * MOST];
        struct fields_team *team;
        memset(value, 0, sizeof value);
        assert_ok(fields_team_create(threads, &team));
        for (int number = 1; number <= PASSES / threads; number++) {
            struct pass p = {.threads = threads, .number = number, .value = value};
            fields_team_each(team, MOST, work, &p);
            for (int k = 0; k < MOST; k++)
                if (p.done[k] != 1 || value[number % 2 * MOST + k] != number)
                    fail_msg("%d threads, pass %d, task %d: %d times, %d", threads, number, k, p.done[k],
                             value[number % 2 * MOST + k]);
        }
        fields_team_destroy(&team);
    }
}

/* Helpers sleep where no pass comes. */
static void few_tasks_and_long_pauses(void **state)
{
    static int value[2 * MOST];
    struct fields_team *team;
    (void)state;
    assert_ok(fields_team_create(3, &team));
    for (int number = 1; number < 200; number++) {
        struct pass p = {.threads = 3, .number = number, .value = value};
        const int count = number % 5;
        fields_team_each(team, count, work, &p);
        for (int k = 0; k < MOST; k++) assert_int_equal(p.done[k], k < count);
        if (number % 3 == 0) usleep(300);
    }
    fields_team_destroy(&team);
    fields_team_destroy(&team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_task_is_done_once),
                                       cmocka_unit_test(few_tasks_and_long_pauses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
