/* Many SHA-256 by all threads give what one after another gives. */
#include "helpers.h"

#include <string.h>

#include "base/sw_hash.h"

/* Bytes: one, two and more blocks, each place for the padding. Messages: not a whole number of lanes. */
enum { MOST = 200, COUNT = 19 };

static uint64_t one(struct sw_hash start, const unsigned char *bytes, size_t length)
{
    unsigned char digest[32];
    uint64_t first = 0;
    sw_hash_add(&start, bytes, length);
    sw_hash_end(&start, digest);
    for (int k = 0; k < 8; k++) first = first << 8 | digest[k];
    return first;
}

static void many_are_as_one(void **state)
{
    static unsigned char bytes[COUNT * MOST], head[128];
    struct sw_hash begin[3];
    const struct sw_hash *start[COUNT];
    uint64_t digest[COUNT + 1];
    (void)state;
    for (size_t k = 0; k < sizeof bytes; k++) bytes[k] = (unsigned char)(k * k / 7 + 31 * k);
    for (size_t k = 0; k < 3; k++) {
        sw_hash_start(&begin[k]);
        sw_hash_add(&begin[k], head, 64 * k);
    }
    for (int j = 0; j < COUNT; j++) start[j] = &begin[j % 3];
    for (size_t length = 0; length <= MOST; length++) {
        digest[COUNT] = 42;
        sw_hash_end_many(start, bytes, length, COUNT, digest);
        for (size_t j = 0; j < COUNT; j++) assert_true(digest[j] == one(*start[j], bytes + j * length, length));
        assert_true(digest[COUNT] == 42);
    }
    sw_hash_end_many(start, bytes, MOST, 0, digest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_are_as_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
