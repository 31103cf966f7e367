/* Checksums of files: whatever the order in which bytes were written, each single bit that changes later is found, and
 * nothing of its block is handed out. */
#include <fcntl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_checksum.h"
#include "helpers.h"

enum { BLOCK = SW_CHECKSUM_BLOCK, MOST = 90 * BLOCK };  /* writes of it wake the thread */

static unsigned char content[MOST], got[MOST + 100];

static void fill_content(size_t bytes)
{
    static uint64_t word = 1;
    for (size_t k = 0; k < bytes; k++) {
        if (k % 4 == 0) word = word * 6364136223846793005u + 1442695040888963407u;
        content[k] = (unsigned char)(word >> (32 + 8 * (k % 4)));
    }
}

static int new_file(void)
{
    char path[] = "/tmp/sweep-checksum-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    unlink(path);
    return fd;
}

static void write_range(int fd, struct sw_checksum_writer *w, size_t at, size_t count)
{
    sw_checksum_add(w, at, content + at, count);
    assert_int_equal(pwrite(fd, content + at, count, (off_t)at), count);
}

/* Bytes in pieces of random length, by several hands: in order, backwards, here and there, some of them twice;
 * or many at a time, by one. */
static int sealed_file(size_t bytes, int how)
{
    struct sw_checksum_writer *w;
    const int fd = new_file();
    size_t begin[4], end[4];
    int left = 4;
    fill_content(bytes);
    assert_int_equal(sw_checksum_begin(&w), SW_OK);
    for (int k = 0; k < 4; k++) {
        begin[k] = how == 4 && k ? bytes : bytes * (size_t)k / 4;
        end[k] = how == 4 ? bytes : bytes * (size_t)(k + 1) / 4;
    }
    while (left) {
        const int k = how == 0 ? 4 - left : rand() % 4;
        const size_t room = end[k] - begin[k], most = how == 3 ? 3 * BLOCK : how == 4 ? 80 * BLOCK : 40000;
        const size_t count = room ? 1 + (size_t)rand() % (room < most ? room : most) : 0;
        if (!room) {
            left = 4;
            for (int j = 0; j < 4; j++) left -= begin[j] == end[j];
            continue;
        }
        if (how == 2) write_range(fd, w, end[k] -= count, count);
        else write_range(fd, w, begin[k], count);
        if (how == 3 && rand() % 3 == 0) write_range(fd, w, begin[k], count / 2 + 1);
        if (how != 2) begin[k] += count;
    }
    assert_int_equal(sw_checksum_seal(&w, fd, "a file"), SW_OK);
    assert_null(w);
    return fd;
}

static const size_t sizes[] = {0, 1, 95, 96, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, MOST - 5, MOST};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void bytes_come_back_whatever_the_order_they_were_written_in(void **state)
{
    (void)state;
    for (int k = 0; k < SIZES; k++)
        for (int how = 0; how < 5; how++) {
            struct sw_checksum sum;
            const size_t bytes = sizes[k];
            const int fd = sealed_file(bytes, how);
            assert_int_equal(sw_checksum_open(fd, &sum), 0);
            assert_int_equal(sum.seal, SW_SEAL_WHOLE);
            assert_int_equal(sum.bytes, bytes);
            assert_int_equal(sw_checksum_check(&sum, NULL), 0);
            for (int tries = 0; tries < 50; tries++) {
                const size_t at = bytes ? (size_t)rand() % bytes : 0, count = (size_t)rand() % (bytes + 100 - at);
                memset(got, 1, sizeof got);
                assert_int_equal(sw_checksum_read(&sum, at, count, got), 0);
                const size_t there = count < bytes - at ? count : bytes - at;
                assert_memory_equal(got, content + at, there);
                for (size_t i = there; i < count; i++) assert_int_equal(got[i], 0);
            }
            sw_checksum_free(&sum);
            close(fd);
        }
}

/* Whole blocks, and then other bytes in their place. */
static void what_was_written_last_counts(void **state)
{
    enum { BLOCKS = 40 };
    (void)state;
    for (int tries = 0; tries < 50; tries++) {
        struct sw_checksum_writer *w;
        struct sw_checksum sum;
        const int fd = new_file();
        fill_content(2 * BLOCKS * BLOCK);
        assert_int_equal(sw_checksum_begin(&w), SW_OK);
        for (int n = 0; n < 100; n++) {
            const size_t at = (size_t)(rand() % BLOCKS), count = 1 + (size_t)rand() % (BLOCKS - at);
            const size_t bytes = count * BLOCK - (rand() % 4 ? 0 : 100), half = rand() % 2 ? BLOCKS * BLOCK : 0;
            sw_checksum_add(w, at * BLOCK, content + half + at * BLOCK, bytes);
            assert_int_equal(pwrite(fd, content + half + at * BLOCK, bytes, (off_t)(at * BLOCK)), bytes);
        }
        assert_int_equal(sw_checksum_seal(&w, fd, "a file"), SW_OK);
        assert_int_equal(sw_checksum_open(fd, &sum), 0);
        assert_int_equal(sw_checksum_check(&sum, NULL), 0);
        sw_checksum_free(&sum);
        close(fd);
    }
}

static void flip(int fd, uint64_t bit)
{
    unsigned char byte;
    assert_int_equal(pread(fd, &byte, 1, (off_t)(bit / 8)), 1);
    byte ^= (unsigned char)(1 << bit % 8);
    assert_int_equal(pwrite(fd, &byte, 1, (off_t)(bit / 8)), 1);
}

static void a_flipped_bit_is_found_wherever_it_is(void **state)
{
    const size_t bytes = 5 * BLOCK + 1000;
    const int fd = sealed_file(bytes, 1);
    const uint64_t length = (uint64_t)lseek(fd, 0, SEEK_END);
    unsigned char bad[6];
    (void)state;
    for (int k = 0; k < 2000; k++) {
        struct sw_checksum sum;
        /* half of them in the checksums, which are short */
        const uint64_t first = k % 2 ? bytes : 0, bit = 8 * first + (uint64_t)rand() % (8 * (length - first));
        const int64_t block = (int64_t)(bit / 8 / BLOCK);
        flip(fd, bit);
        assert_int_equal(sw_checksum_open(fd, &sum), 0);
        if (bit / 8 >= bytes) assert_int_equal(sum.seal, SW_SEAL_DAMAGED);
        else {
            assert_int_equal(sw_checksum_check(&sum, NULL), EBADMSG);
            assert_int_equal(sum.damaged, block);
            assert_int_equal(sw_checksum_check(&sum, bad), EBADMSG);
            for (int b = 0; b < 6; b++) assert_int_equal(bad[b], b == block);
            assert_int_equal(sw_checksum_read(&sum, bit / 8, 1, got), EBADMSG);
            assert_int_equal(sw_checksum_read(&sum, 0, bytes, got), EBADMSG);
            assert_int_equal(sw_checksum_read(&sum, (uint64_t)(block ? 0 : BLOCK), 10, got), 0);
        }
        sw_checksum_free(&sum);
        flip(fd, bit);
    }
    close(fd);
}

static void a_seal_that_is_cut_doubled_or_followed_is_not_believed(void **state)
{
    const int fd = sealed_file(BLOCK + 10, 0);
    const off_t length = lseek(fd, 0, SEEK_END);
    struct sw_checksum sum;
    (void)state;
    assert_int_equal(pread(fd, got, 128, length - 128), 128);
    assert_int_equal(pwrite(fd, got, 128, length), 128);
    assert_int_equal(sw_checksum_open(fd, &sum), 0);
    assert_int_equal(sum.seal, SW_SEAL_DAMAGED);
    sw_checksum_free(&sum);
    assert_int_equal(ftruncate(fd, length + 1), 0);
    assert_int_equal(sw_checksum_open(fd, &sum), 0);
    assert_int_equal(sum.seal, SW_SEAL_NONE);
    sw_checksum_free(&sum);
    for (off_t cut = 1; cut < 200; cut++) {
        assert_int_equal(ftruncate(fd, length - cut), 0);
        assert_int_equal(sw_checksum_open(fd, &sum), 0);
        assert_int_equal(sum.seal, SW_SEAL_NONE);
        sw_checksum_free(&sum);
    }
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(sw_checksum_open(fd, &sum), 0);
    assert_int_equal(sum.seal, SW_SEAL_NONE);
    sw_checksum_free(&sum);
    close(fd);
}

static void what_was_cut_or_left_out_is_read_again(void **state)
{
    struct sw_checksum_writer *w;
    struct sw_checksum sum;
    const int fd = new_file();
    (void)state;
    memset(content, 7, sizeof content);
    assert_int_equal(sw_checksum_begin(&w), SW_OK);
    write_range(fd, w, 0, 3 * BLOCK);
    sw_checksum_cut(w, BLOCK + 5);
    assert_int_equal(ftruncate(fd, BLOCK + 5), 0);
    write_range(fd, w, 4 * BLOCK, 100);  /* a hole is before it */
    memset(content + BLOCK + 5, 0, 3 * BLOCK - 5);
    assert_int_equal(sw_checksum_seal(&w, fd, "a file"), SW_OK);
    assert_int_equal(sw_checksum_open(fd, &sum), 0);
    assert_int_equal(sum.bytes, 4 * BLOCK + 100);
    assert_int_equal(sw_checksum_read(&sum, 0, 4 * BLOCK + 100, got), 0);
    assert_memory_equal(got, content, 4 * BLOCK + 100);
    sw_checksum_free(&sum);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_come_back_whatever_the_order_they_were_written_in),
        cmocka_unit_test(what_was_written_last_counts),
        cmocka_unit_test(a_flipped_bit_is_found_wherever_it_is),
        cmocka_unit_test(a_seal_that_is_cut_doubled_or_followed_is_not_believed),
        cmocka_unit_test(what_was_cut_or_left_out_is_read_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
