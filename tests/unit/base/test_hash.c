/* Digests that begin with what other messages begin with, against FIPS 180-4's examples of SHA-256. */
#include "helpers.h"
#include <string.h>

#include "base/sw_hash.h"

/* The first 64 bits for a message cut after each of its bytes; what it begins with is used again. */
static void expect(const char *message, uint64_t first)
{
    const size_t length = strlen(message);
    for (size_t cut = 0; cut <= length; cut++) {
        struct sw_hash start;
        sw_hash_start(&start);
        sw_hash_add(&start, message, cut);
        for (int again = 0; again < 2; again++)
            assert_true(sw_hash_end_with(start, message + cut, length - cut) == first);
    }
}

static void digests_are_those_of_the_standard(void **state)
{
    (void)state;
    expect("", 0xe3b0c44298fc1c14);
    expect("abc", 0xba7816bf8f01cfea);
    expect("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 0x248d6a61d20638b8);
    expect("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
           "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu", 0xcf5b16a778af8380);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(digests_are_those_of_the_standard)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
