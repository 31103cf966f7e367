/* Streams into what takes nothing for a while: whoever prints does not wait, nothing is lost that finds room, and what
 * is dropped is counted and told. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sw_clock.h"
#include "base/sw_async_stream.h"
#include "helpers.h"

static volatile sig_atomic_t no_stop, stop = 1;
enum { LINE = 1024 };

static void print_line(FILE *to, int k)
{
    fprintf(to, "%0*d\n", LINE - 1, k);
    fflush(to);
}

/* Reads to the end; the numbers of the lines must be those from 0 to a dropped one, and from another on.
 * @return lines read, told[] the line that is no number */
static int read_lines(int fd, char told[200])
{
    FILE *from = fdopen(fd, "r");
    char text[2 * LINE];
    int lines = 0, last = -1;
    told[0] = 0;
    while (fgets(text, sizeof text, from)) {
        if (*text == 'm') {
            assert_string_equal(told, "");
            snprintf(told, 200, "%.99s", text);
            continue;
        }
        const int number = atoi(text);
        assert_true(*told ? number > last : number == last + 1);
        last = number;
        lines++;
    }
    fclose(from);
    return lines;
}

struct reader { int fd, lines; char told[200]; };
static void *read_all(void *user)
{
    struct reader *r = user;
    r->lines = read_lines(r->fd, r->told);
    return NULL;
}

static void what_finds_no_room_is_counted_and_told(void **state)
{
    int end[2], error;
    const int many = 17 << 10, more = 10;  /* of 1 KiB, where 16 MiB and a pipe have room */
    char expect[200];
    FILE *to;
    (void)state;
    assert_int_equal(pipe(end), 0);
    assert_true(sw_async_stream_wanted(end[1]));
    struct sw_async_stream *late = sw_async_stream_create(end[1], NULL, "missing %lld\n", &to);
    assert_non_null(late);
    const double start = sw_clock();
    for (int k = 0; k < many; k++) print_line(to, k);
    assert_true(sw_clock() - start < 20);  /* and does not end where it waits */
    assert_true(sw_async_stream_lags(late));
    const int64_t dropped = sw_async_stream_dropped(late, &error);
    assert_true(dropped > 100 && dropped < 1024 + 1);
    struct reader r = {.fd = end[0]};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, read_all, &r), 0);
    assert_int_equal(sw_async_stream_wait(late, 60, &no_stop, &error), dropped);
    for (int k = many; k < many + more; k++) print_line(to, k);
    assert_int_equal(sw_async_stream_wait(late, 60, &no_stop, &error), dropped);
    assert_int_equal(error, 0);
    close(end[1]);
    pthread_join(thread, NULL);
    assert_int_equal(r.lines, many + more - dropped);
    snprintf(expect, sizeof expect, "missing %lld\n", (long long)dropped);
    assert_string_equal(r.told, expect);
}

static void an_end_that_takes_nothing_is_left(void **state)
{
    int end[2], error;
    FILE *to;
    (void)state;
    assert_int_equal(pipe(end), 0);
    struct sw_async_stream *late = sw_async_stream_create(end[1], NULL, NULL, &to);
    for (int k = 0; k < 200; k++) print_line(to, k);
    double start = sw_clock();
    const int64_t dropped = sw_async_stream_wait(late, INFINITY, &stop, &error);  /* a signal is heard */
    assert_true(sw_clock() - start < 20);
    assert_true(dropped > 100 && dropped < 200);
    print_line(to, 200);                                                 /* and nothing waits once more */
    start = sw_clock();
    assert_int_equal(sw_async_stream_wait(late, 60, &no_stop, &error), dropped + 1);
    assert_true(sw_clock() - start < 20);
}

static void a_reader_that_is_gone_is_an_error(void **state)
{
    int end[2], error;
    FILE *to;
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(end), 0);
    struct sw_async_stream *late = sw_async_stream_create(end[1], NULL, NULL, &to);
    close(end[0]);
    print_line(to, 0);
    assert_int_equal(sw_async_stream_wait(late, 60, &no_stop, &error), 1);
    assert_int_equal(error, EPIPE);
}

static void a_fifo_waits_for_its_reader(void **state)
{
    int error;
    char name[] = "/tmp/sweep-late-XXXXXX", told[200];
    FILE *to;
    (void)state;
    assert_non_null(mkdtemp(name));
    char path[64];
    snprintf(path, sizeof path, "%s/fifo", name);
    assert_int_equal(mkfifo(path, 0600), 0);
    struct sw_async_stream *late = sw_async_stream_create(-1, path, NULL, &to);
    for (int k = 0; k < 10; k++) print_line(to, k);
    const int fd = open(path, O_RDONLY);
    assert_int_equal(sw_async_stream_wait(late, 60, &no_stop, &error), 0);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    assert_int_equal(read_lines(fd, told), 10);
    unlink(path);
    rmdir(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_finds_no_room_is_counted_and_told),
        cmocka_unit_test(an_end_that_takes_nothing_is_left),
        cmocka_unit_test(a_reader_that_is_gone_is_an_error),
        cmocka_unit_test(a_fifo_waits_for_its_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
