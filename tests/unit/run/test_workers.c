/* Several devices in one process: what comes out must not depend on how many there are, and one that breaks off, a stop
 * or a failure must lose nothing. The devices are groups of threads of the CPU. */
#include "run_sweep_helpers.h"

#include "base/sw_clock.h"
#include "base/sw_err.h"
#include "comm/sw_comm_impl.h"
#include "run/run_impl.h"
#include "run/sw_work_queue.h"

static const char *const slow =  /* long enough to be stopped in the middle, wherever that is */
    "problem = \"cahn_hilliard\"; grid = { n = 64; length = \"2*pi*2\"; }; physics = { D = 1.0; gamma = 1.0; };\n"
    "time = { dt = 0.01; end = 20000; }; sweep = { amplitude = [0.1, 0.5, 0.3, 0.9]; };\n"
    "initial = \"amplitude*cos(x)\"; output = { scalars = { every = 5000.0; }; };\n";

static void bits_do_not_depend_on_the_number_of_workers(void **state)
{
    static const char *const device[] = {"cpu:0", "cpu:0,1", "cpu:0,1,2", "cpu:0,1,2,3,4,5,6"};
    static const int batches[] = {1, 2, 3, 7};
    const char *one = path("one.h5"), *other = path("other.h5");
    (void)state;
    assert_ok(perform(&(struct call){.config = thousand, .file = one, .threads = 1}));
    for (int k = 0; k < 4; k++) {
        struct call c = {.config = thousand, .file = other, .device = device[k], .threads = 2};
        assert_ok(perform(&c));
        assert_int_equal(c.batches, batches[k]);
        assert_int_equal(c.summary.done, 999);
        assert_int_equal(c.summary.diverged, 1);
        assert_int_equal(c.failures, 1);
        assert_same(one, other, 1000);
        rm(other);
        struct call cut = {.config = thousand, .file = other, .device = device[k], .override = {"run.batch=37"}};
        assert_ok(perform(&cut));
        assert_int_equal(cut.batches, 28);
        assert_same(one, other, 1000);
        rm(other);
    }
    rm(one);
}

static void stopped_workers_go_on_to_the_same_bits(void **state)
{
    static const char *const device[] = {"cpu:0,1", "cpu", "cpu:0,1,2"};
    const char *whole = path("whole.h5"), *stopped = path("stopped.h5");
    int together = 0;
    (void)state;
    assert_ok(perform(&(struct call){.config = chaos, .file = whole}));
    for (int tries = 0; together == 0; tries++) {  /* on a busy machine batches may come one after the other */
        int stops = 0;
        if (tries == 30) fail_msg("two batches were never half-way at a time");
        for (;; stops++) {
            struct call c = {.config = chaos, .file = stopped, .override = {"run.batch=1"},
                             .stop_after = small_suite() ? 6 : 3, .device = device[stops % 3]};
            enum sw_status st = perform(&c);
            if (c.resumed > 1) together++;
            if (!st) break;
            assert_int_equal(st, SW_E_STOPPED);
            if (stops > 200) fail_msg("no end after %d stops", stops);
        }
        assert_true(stops > 1);
        assert_same(whole, stopped, 4);
        rm(stopped);
    }
    rm(whole);
}

/* How many batches a later call finds half-way. */
static int64_t half_way(const char *file, const char *config)
{
    struct call c = {.config = config, .file = file, .stop_after = 1, .device = "cpu", .override = {"run.batch=1"}};
    assert_int_equal(perform(&c), SW_E_STOPPED);
    return c.resumed;
}

static void a_time_limit_stops_every_worker(void **state)
{
    const char *file = path("limit.h5");
    (void)state;
    struct call c = {.config = slow, .file = file, .device = "cpu:0,1,2", .max_seconds = 0.3,
                     .override = {"run.batch=1"}};
    assert_int_equal(perform(&c), SW_E_STOPPED);
    assert_int_equal(c.checkpoints, 3);
    assert_int_equal(half_way(file, slow), 3);
    rm(file);
}

static void a_failure_stops_every_worker_when_asked(void **state)
{
    const char *file = path("fast.h5");
    (void)state;
    struct call c = {.config = slow, .file = file, .device = "cpu:0,1", .fail_fast = true,
                     .override = {"run.batch=1", "sweep.amplitude=[100.0, 0.5, 0.3]"}};
    assert_int_equal(perform(&c), SW_E_STOPPED);
    assert_true(c.summary.failed_fast);
    assert_int_equal(c.failures, 1);
    assert_true(c.checkpoints >= 1);
    rm(file);
}

static void others_do_the_batches_of_a_broken_device(void **state)
{
    static const enum sw_status with[] = {SW_E_CUDA, SW_E_MEMORY};
    const char *whole = path("whole.h5"), *file = path("broken.h5");
    (void)state;
    assert_ok(perform(&(struct call){.config = thousand, .file = whole}));
    for (int k = 0; k < 8; k++) {
        struct call c = {.config = thousand, .file = file, .device = "cpu:0,1,2", .override = {"run.batch=100"},
                         .breaks = k < 6 ? "cpu:1" : "cpu:0 cpu:2", .after = k % 3, .with = with[k % 2]};
        const enum sw_status st = perform(&c);
        assert_true(c.broken <= (k < 6 ? 1 : 2));  /* fewer: the others had done all before it began */
        if (k >= 6 && st) {  /* both broke at one batch, which then is nobody's: it seldom happens */
            assert_int_equal(st, c.with);
            assert_int_equal(c.summary.done + c.summary.diverged, 900);
            assert_ok(perform(&(struct call){.config = thousand, .file = file, .override = {"run.batch=100"}}));
        } else {
            assert_ok(st);
            assert_int_equal(c.summary.done, 999);
            assert_int_equal(c.summary.diverged, 1);
        }
        assert_same(whole, file, 1000);
        rm(file);
    }
    rm(whole);
}

static void what_was_done_before_all_devices_broke_is_kept(void **state)
{
    const char *whole = path("whole.h5"), *file = path("all.h5");
    (void)state;
    assert_ok(perform(&(struct call){.config = thousand, .file = whole}));
    struct call c = {.config = thousand, .file = file, .device = "cpu:0,1", .breaks = "cpu:0 cpu:1", .after = 12,
                     .with = SW_E_CUDA, .override = {"run.batch=50"}};
    assert_int_equal(perform(&c), SW_E_CUDA);
    assert_contains(sw_err_message(), "cpu:");
    assert_contains(sw_err_message(), "injected");
    assert_true(access(file, F_OK) != 0);
    struct call again = {.config = thousand, .file = file, .device = "cpu:0,1", .override = {"run.batch=50"}};
    assert_ok(perform(&again));
    assert_true(again.already > 0);
    assert_same(whole, file, 1000);
    rm(whole);
    rm(file);
}

static void a_batch_that_breaks_every_device_is_left(void **state)
{
    const char *file = path("poison.h5"), *whole = path("whole.h5");
    (void)state;
    assert_ok(perform(&(struct call){.config = thousand, .file = whole}));
    struct call c = {.config = thousand, .file = file, .device = "cpu:0,1,2", .poison = 500,
                     .override = {"run.batch=50"}};
    assert_int_equal(perform(&c), SW_E_CUDA);
    assert_int_equal(c.broken, 2);
    assert_int_equal(c.summary.done + c.summary.diverged, 950);  /* by the third */
    struct call again = {.config = thousand, .file = file, .device = "cpu:0,1"};
    assert_ok(perform(&again));
    assert_int_equal(again.already, 950);
    assert_same(whole, file, 1000);
    rm(whole);
    rm(file);
}

static void a_device_alone_names_its_failure(void **state)
{
    const char *file = path("alone.h5");
    (void)state;
    struct call c = {.config = chaos, .file = file, .breaks = "cpu", .with = SW_E_CUDA};
    assert_int_equal(perform(&c), SW_E_CUDA);
    assert_string_equal(sw_err_message(), "injected");
    assert_int_equal(c.broken, 0);
}

/* ---- the work queue */

static void gives_out_the_largest_first_and_what_comes_back_once(void **state)
{
    struct sw_group group[] = {{.n = {8, 1, 1}, .steps = 10, .count = 3}, {.n = {64, 1, 1}, .steps = 10, .count = 3}};
    struct sw_plan_batch batch[] = {{.group = 0, .count = 1}, {.group = 1, .count = 1}, {.group = 1, .count = 2},
                                    {.group = 0, .count = 2}};
    struct sw_plan plan = {.ngroup = 2, .group = group, .nbatch = 4, .batch = batch};
    static const int64_t order[] = {2, 1, 3, 0};
    const struct sw_totals tally = {0};
    struct sw_work_queue queue;
    int64_t k;
    (void)state;
    assert_ok(sw_work_queue_local(&plan, 2, &queue));
    for (int j = 0; j < 4; j++) {
        assert_ok(queue.next(&queue, j % 2, &k));
        assert_int_equal(k, order[j]);
    }
    assert_ok(queue.next(&queue, 0, &k));
    assert_int_equal(k, SW_QUEUE_WAIT);
    assert_ok(queue.complete(&queue, 0, 2, SW_BATCH_DONE, &tally));
    assert_ok(queue.complete(&queue, 0, 1, SW_BATCH_RETURNED, &tally));
    assert_int_equal(queue.remaining(&queue), 3);
    assert_ok(queue.next(&queue, 1, &k));
    assert_int_equal(k, 1);
    assert_ok(queue.complete(&queue, 1, 1, SW_BATCH_RETURNED, &tally));
    assert_ok(queue.complete(&queue, 1, 3, SW_BATCH_STOPPED, &tally));
    assert_ok(queue.complete(&queue, 1, 0, SW_BATCH_DONE, &tally));
    assert_ok(queue.next(&queue, 1, &k));
    assert_int_equal(k, SW_QUEUE_EMPTY);
    assert_int_equal(queue.remaining(&queue), 2);
    queue.destroy(&queue);
    assert_ok(sw_work_queue_local(&plan, 1, &queue));  /* alone: in the plan's order */
    for (int j = 0; j < 4; j++) {
        assert_ok(queue.next(&queue, 0, &k));
        assert_int_equal(k, j);
    }
    queue.destroy(&queue);
}

/* ---- work queues of other processes, and what the scheduler does with them */

struct others {
    struct sw_work_queue queue;
    enum sw_status fails;  /* what a request for a batch returns                             */
    int64_t batch;         /* given out once, then none                                      */
    double  until;         /* the clock until which others compute; 0: there are none        */
};

static enum sw_status other_next(struct sw_work_queue *queue, int worker, int64_t *batch)
{
    struct others *o = queue->own;
    (void)worker;
    if (o->fails) return SW_FAIL(o->fails, "injected");
    *batch = o->batch;
    o->batch = SW_QUEUE_EMPTY;
    return SW_OK;
}

static enum sw_status other_complete(struct sw_work_queue *queue, int worker, int64_t batch, enum sw_batch_outcome end,
                                     const struct sw_totals *tally)
{
    (void)queue;
    (void)worker;
    (void)batch;
    (void)end;
    (void)tally;
    return SW_OK;
}

static enum sw_status other_poll(struct sw_work_queue *queue, struct sw_scheduler *scheduler, bool *busy)
{
    (void)scheduler;
    *busy = sw_clock() < ((struct others *)queue->own)->until;
    return SW_OK;
}

static int64_t other_remaining(const struct sw_work_queue *queue)
{
    (void)queue;
    return 1;
}

static enum sw_status perform_with(struct others *o, struct call *c)
{
    o->queue = (struct sw_work_queue){.next = other_next, .complete = other_complete, .poll = other_poll,
                               .remaining = other_remaining, .own = o};
    c->queue = &o->queue;
    c->config = chaos;
    c->override[0] = "run.batch=1";
    return perform(c);
}

/* Rank 0 takes a client that ends with SW_E_MEMORY for one that has lost its device. */
static void a_client_without_memory_for_a_message_has_lost_no_device(void **state)
{
    const char *file = path("client.h5");
    (void)state;
    struct call message = {.file = file, .client = true}, first = {.file = file};
    struct call device = {.file = file, .client = true, .breaks = "cpu", .with = SW_E_MEMORY};
    assert_int_equal(perform_with(&(struct others){.fails = SW_E_MEMORY}, &message), SW_E_COMM);
    assert_string_equal(sw_err_message(), "injected");
    assert_int_equal(perform_with(&(struct others){.fails = SW_E_MEMORY}, &first), SW_E_MEMORY);
    assert_int_equal(perform_with(&(struct others){.batch = 0}, &device), SW_E_MEMORY);
    rm(file);
}

/* Others compute for 2 s, and it is shown every 0.5 s: three times, and two on a machine that is busy. Then once more,
 * that the parts are merged; as these others are made up, there are none, which is noticed. */
static void what_others_compute_is_shown_while_nobody_works_here(void **state)
{
    const char *file = path("others.h5");
    (void)state;
    struct call c = {.file = file};
    assert_int_equal(perform_with(&(struct others){.batch = SW_QUEUE_EMPTY, .until = sw_clock() + 2}, &c), SW_E_IO);
    assert_int_equal(c.summary.missing, 4);
    assert_non_null(strstr(sw_err_message(), "the results of 4 runs that had ended are gone (runs 0..3)"));
    if (c.looks < 3) fail_msg("shown %d times", (int)c.looks);
    rm(file);
}

/* ---- workers that help the one that has a run */

static const char *const large =
    "problem = \"tridiagonal\"; grid = { n = 1000000; }; matrix = \"uniform\"; seed = \"1\"; exact = \"cos(i)\";\n"
    "run = { memory = 0.004; }; output = { fields = { precision = \"double\"; }; };\n";

/* In a process that MPI takes for the only one. */
static void with_mpi(sw_comm_part *part)
{
    for (int k = 0; sw_comm_table[k]; k++)
        if (!strcmp(sw_comm_table[k]->name, "mpi") && sw_comm_table[k]->absent)
            skip_unless_needed("mpi", sw_comm_table[k]->absent);
    assert_ok(sw_comm_run("mpi", 1, part, NULL));
}

/* One run, three devices; one breaks off, or none. The others go on, together. */
static enum sw_status help_each_other(const struct sw_comm *comm, void *context)
{
    static const int broken[] = {[NO_HARM] = 0, [HELP_BREAKS] = 1, [PIECE_BREAKS] = 1, [LEAD_BREAKS] = 1};
    const char *one = path("one.h5"), *file = path("helped.h5");
    (void)context;
    assert_ok(perform(&(struct call){.config = large, .file = one, .device = "cpu", .threads = 1}));
    for (int harm = NO_HARM; harm <= LEAD_BREAKS; harm++) {
        struct call c = {.config = large, .file = file, .device = "cpu:0,1,2", .threads = 1, .comm = comm,
                         .harm = (enum harm)harm};
        assert_ok(perform(&c));
        assert_int_equal(c.broken, broken[harm]);
        assert_true(c.together >= 2);
        if (harm == LEAD_BREAKS) assert_true(c.together_after >= 2);
        assert_int_equal(c.summary.done, 1);
        assert_rows(one, file, "x", 1, 0, 1, 0, 1);
        assert_rows(one, file, "residual", 1, 0, 1, 0, 1);
        rm(file);
    }
    rm(one);
    return SW_OK;
}

static void helpers_and_leaders_may_break_off(void **state)
{
    (void)state;
    with_mpi(help_each_other);
}

/* A batch that is assigned again takes help, also when one that has helped with the first assignment comes back later.
 * Help may be offered before the batch is there. */
static enum sw_status assign_again(const struct sw_comm *comm, void *context)
{
    enum { LEADER, FIRST, SECOND, WORKERS };
    static char host[1][64];
    struct sw_group group = {.n = {1 << 20, 1, 1}, .steps = 64, .count = 1, .cut = 5};
    struct sw_plan_batch batch = {.count = 1};
    struct sw_plan plan = {.ngroup = 1, .group = &group, .nbatch = 1, .batch = &batch};
    const struct sw_run_sweep_options options = {0};
    struct sw_scheduler s = {.plan = &plan, .options = &options, .mutex = PTHREAD_MUTEX_INITIALIZER};
    const struct sw_totals none = {0};
    struct sw_processes *p;
    int64_t k;
    bool busy, offered;
    (void)context;
    assert_ok(help_open(&s));
    assert_ok(sw_processes_create(comm, host, &plan, WORKERS, NULL, &p));
    struct sw_work_queue *q = sw_processes_queue(p);
    assert_ok(q->poll(q, &s, &busy));
    assert_ok(q->next(q, LEADER, &k));
    assert_int_equal(k, 0);
    assert_int_equal(q->lead(q, 0), 1);
    for (int w = FIRST; w <= SECOND; w++) {
        assert_ok(q->next(q, w, &k));
        assert_int_equal(k, SW_QUEUE_HELP);
        assert_int_equal(q->help(q, w).lead, 1);
    }
    assert_ok(q->complete(q, LEADER, 0, SW_BATCH_RETURNED, &none));
    assert_ok(q->next(q, FIRST, &k));
    assert_int_equal(k, 0);
    assert_int_equal(q->lead(q, 0), 2);
    assert_ok(q->next(q, SECOND, &k));
    assert_int_equal(k, SW_QUEUE_HELP);
    assert_int_equal(q->help(q, SECOND).lead, 2);
    s.offers.ended[0] = 1;
    assert_ok(q->offer(q, SECOND, &offered));
    assert_true(offered);
    assert_int_equal(s.offers.count, 1);
    s.offers.count = 0;
    assert_ok(q->next(q, SECOND, &k));  /* it comes back from the one that has the batch: no more help is needed */
    assert_int_equal(k, SW_QUEUE_WAIT);
    help_close(&s);
    return sw_processes_finish(&p, SW_OK);
}

static void a_batch_that_is_assigned_again_takes_help(void **state)
{
    (void)state;
    with_mpi(assign_again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_do_not_depend_on_the_number_of_workers),
        cmocka_unit_test(stopped_workers_go_on_to_the_same_bits),
        cmocka_unit_test(a_time_limit_stops_every_worker),
        cmocka_unit_test(a_failure_stops_every_worker_when_asked),
        cmocka_unit_test(others_do_the_batches_of_a_broken_device),
        cmocka_unit_test(what_was_done_before_all_devices_broke_is_kept),
        cmocka_unit_test(a_batch_that_breaks_every_device_is_left),
        cmocka_unit_test(a_device_alone_names_its_failure),
        cmocka_unit_test(gives_out_the_largest_first_and_what_comes_back_once),
        cmocka_unit_test(a_client_without_memory_for_a_message_has_lost_no_device),
        cmocka_unit_test(what_others_compute_is_shown_while_nobody_works_here),
        cmocka_unit_test(helpers_and_leaders_may_break_off),
        cmocka_unit_test(a_batch_that_is_assigned_again_takes_help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
