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
    assert_int_equal(sw_checksum_add(w, fd, at, content + at, count), 0);
    assert_int_equal(pwrite(fd, content + at, count, (off_t)at), count);
}

/* And read it back. */
static void seal(struct sw_checksum_writer **w, int fd)
{
    struct sw_sealed sealed = {.fd = fd};
    assert_int_equal(sw_checksum_seal(w, &sealed, "a file"), SW_OK);
    assert_null(*w);
    assert_int_equal(sw_checksum_read_back(fd, sealed.identity, "a file"), SW_OK);
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
    seal(&w, fd);
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
            assert_int_equal(sw_checksum_add(w, fd, at * BLOCK, content + half + at * BLOCK, bytes), 0);
            assert_int_equal(pwrite(fd, content + half + at * BLOCK, bytes, (off_t)(at * BLOCK)), bytes);
        }
        seal(&w, fd);
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

static void what_was_cut_or_left_out_is_zeros(void **state)
{
    struct sw_checksum_writer *w;
    struct sw_checksum sum;
    const int fd = new_file();
    (void)state;
    memset(content, 7, sizeof content);
    assert_int_equal(sw_checksum_begin(&w), SW_OK);
    write_range(fd, w, 0, 3 * BLOCK);
    assert_int_equal(sw_checksum_cut(w, fd, BLOCK + 5), 0);
    assert_int_equal(ftruncate(fd, BLOCK + 5), 0);
    write_range(fd, w, 4 * BLOCK, 100);  /* a hole is before it */
    memset(content + BLOCK + 5, 0, 3 * BLOCK - 5);
    seal(&w, fd);
    assert_int_equal(sw_checksum_open(fd, &sum), 0);
    assert_int_equal(sum.bytes, 4 * BLOCK + 100);
    assert_int_equal(sw_checksum_read(&sum, 0, 4 * BLOCK + 100, got), 0);
    assert_memory_equal(got, content, 4 * BLOCK + 100);
    sw_checksum_free(&sum);
    close(fd);
}

/* A write of the system that is not what it was asked for, of some in any order, over each other, and read meanwhile:
 * one bit differs, nothing is written, half of it, or zeros in the middle. It is found at the seal or after it, unless
 * what came later covers it, or it changes nothing. */
static void a_write_that_lies_is_found_before_the_file_is_used(void **state)
{
    enum { BYTES = 4 * BLOCK + 777, WRITES = 30 };
    static unsigned char right[BYTES], wrong[BYTES];
    int found = 0;
    (void)state;
    for (int tries = 0; tries < 500; tries++) {
        struct sw_checksum_writer *w;
        const int fd = new_file(), lie = rand() % (WRITES + 1), how = rand() % 4;
        struct sw_sealed sealed = {.fd = fd};
        int error = 0;
        memset(right, 0, BYTES);
        assert_int_equal(ftruncate(fd, BYTES), 0);
        assert_int_equal(sw_checksum_begin(&w), SW_OK);
        for (int k = 0; k < WRITES && !error; k++) {
            const size_t at = rand() % 3 ? (size_t)rand() % BYTES : (size_t)(rand() % 4) * BLOCK;
            size_t most = BYTES - at, count = 1 + (size_t)rand() % (rand() % 2 ? most : most < 300 ? most : 300);
            fill_content(count);
            error = sw_checksum_add(w, fd, at, content, count);
            memcpy(right + at, content, count);
            if (k == lie && how == 0) content[(size_t)rand() % count] ^= (unsigned char)(1 << rand() % 8);
            if (k == lie && how == 3) memset(content + count / 3, 0, count / 3);
            if (k == lie) count = how == 1 ? 0 : how == 2 ? count / 2 : count;
            assert_int_equal(pwrite(fd, content, count, (off_t)at), count);
            most = 1 + (size_t)rand() % 1000;
            if (!error && at + most < BYTES && rand() % 8 == 0) error = sw_checksum_read_kept(w, fd, at, most, got);
            if (!error && at + most < BYTES && lie == WRITES) error = sw_checksum_read_kept(w, fd, at, most, got);
            if (lie == WRITES && at + most < BYTES) assert_memory_equal(got, right + at, most);
        }
        assert_true(!error || (error == EBADMSG && lie < WRITES));
        bool failed = error || sw_checksum_seal(&w, &sealed, "a file");
        if (!failed && lie < WRITES && tries % 4 == 0) flip(fd, (uint64_t)rand() % (8 * BYTES));  /* on its way out */
        failed = failed || sw_checksum_read_back(fd, sealed.identity, "a file");
        sw_checksum_drop(&w);
        assert_int_equal(pread(fd, wrong, BYTES, 0), BYTES);
        if (lie == WRITES) assert_false(failed);
        if (!failed) assert_memory_equal(wrong, right, BYTES);
        found += failed;
        close(fd);
    }
    assert_true(found > 250);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_come_back_whatever_the_order_they_were_written_in),
        cmocka_unit_test(what_was_written_last_counts),
        cmocka_unit_test(a_flipped_bit_is_found_wherever_it_is),
        cmocka_unit_test(a_seal_that_is_cut_doubled_or_followed_is_not_believed),
        cmocka_unit_test(what_was_cut_or_left_out_is_zeros),
        cmocka_unit_test(a_write_that_lies_is_found_before_the_file_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
