/* Text that grows, or ends with its room; words as a shell takes them. */
#include "helpers.h"

#include <stdio.h>
#include <string.h>

#include "base/sw_text.h"

static void words_that_need_no_quotes_get_none(void **state)
{
    struct sw_text text = {0};
    (void)state;
    sw_text_add_word(&text, "results/night-2.shard_1@a+b=c:d,e%f.h5");
    assert_string_equal(sw_text_get(&text), "results/night-2.shard_1@a+b=c:d,e%f.h5");
    sw_text_free(&text);
}

static void a_shell_reads_each_word_as_it_is(void **state)
{
    static const char *const words[] = {
        "plain.h5", "", " ", "t 1.h5", "it's", "''", "$HOME", "~", "~/a", "#a", "*?[a]", "a\\b", "a\"b", "`pwd`",
        "$(pwd)", "a;b|c&d", "<>", "{a,b}", "!x", "a\tb", "a\nb\n.", "-n", "\303\274.h5",
    };
    (void)state;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        struct sw_text command = {0};
        char bytes[64];
        sw_text_add(&command, "printf %s. ");  /* a word that falls into two is printed with two dots */
        sw_text_add_word(&command, words[k]);
        FILE *from = popen(sw_text_get(&command), "r");
        assert_non_null(from);
        const size_t length = fread(bytes, 1, sizeof bytes, from), expected = strlen(words[k]);
        assert_int_equal(pclose(from), 0);
        assert_int_equal(length, expected + 1);
        assert_memory_equal(bytes, words[k], expected);
        assert_true(bytes[expected] == '.');
        sw_text_free(&command);
    }
}

static void a_text_too_long_ends_with_a_word_and_dots(void **state)
{
    static const struct { const char *text, *fitted; } cases[] = {   /* into 20 bytes */
        {"", ""}, {"fits in nineteen by", "fits in nineteen by"}, {"does not fit in twenty", "does not fit in ..."},
        {"a comma, then, another", "a comma, then ..."}, {"onewordofmanyletters", "onewordofmanyle ..."},
        {"\303\244\303\266\303\274\303\244\303\266\303\274\303\244\303\266\303\274\303\244",
         "\303\244\303\266\303\274\303\244\303\266\303\274\303\244 ..."},
    };
    char fitted[20];
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_string_equal(sw_text_shorten(fitted, sizeof fitted, cases[k].text), cases[k].fitted);
}

static void a_text_in_an_array_never_fails_and_tells_where_it_was_cut(void **state)
{
    char array[20] = "a comma";
    struct sw_text text = sw_text_in(array, sizeof array), message = SW_SHORT_TEXT;
    (void)state;
    sw_text_printf(&text, ", %s,", "then");
    assert_false(text.failed);
    assert_string_equal(array, "a comma, then,");
    sw_text_add(&text, " another");
    assert_true(text.failed);
    sw_text_printf(&text, "%d", 7);
    assert_string_equal(sw_text_get(&text), "a comma, then ...");
    sw_text_set(&text, "%s", "onewordofmanyletters");
    assert_string_equal(array, "onewordofmanyle ...");
    sw_text_set(&text, "fits in %s", "nineteen by");
    assert_string_equal(array, "fits in nineteen by");
    assert_false(text.failed);
    sw_text_add(&text, "t");
    assert_string_equal(array, "fits in ...");
    sw_text_add_sentence(&message, "");
    sw_text_add_sentence(&message, "one");
    sw_text_add_sentence(&message, "two");
    assert_string_equal(sw_text_get(&message), "one; two");
    sw_text_clear(&message);
    assert_string_equal(sw_text_get(&message), "");
}

static void bytes_that_are_utf8_are_counted(void **state)
{
    static const struct { const char *text; size_t good; } cases[] = {
        {"", 0}, {"plain", 5}, {"a\303\244b", 4}, {"\342\211\210", 3}, {"\360\237\230\200", 4}, {"b\344se", 1},
        {"\200", 0}, {"\300\257", 0}, {"\340\237\277", 0}, {"\355\240\200", 0}, {"\364\220\200\200", 0},
        {"\360\217\277\277", 0}, {"ab\303", 2}, {"\342\211", 0}, {"\360\237\230", 0}, {"\377\376p", 0},
        {"\365\200\200\200", 0},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_int_equal(sw_text_utf8(cases[k].text), cases[k].good);
}

static void what_a_terminal_would_act_on_is_escaped(void **state)
{
    static const struct { const char *text, *keep, *shown; } cases[] = {
        {"", "", ""}, {"plain \303\274 \342\211\210 \\", "", "plain \303\274 \342\211\210 \\"},
        {"a\nb\tc", "", "a\\nb\\tc"}, {"a\nb\tc", "\n\t", "a\nb\tc"}, {"\n", "", "\\n"},
        {"\033[2J\177\001\r", "\n", "\\x1b[2J\\x7f\\x01\\x0d"},
        {"\302\2331m\302\240", "", "\\u009b1m\302\240"},                               /* CSI in C1; U+00A0 */
        {"b\344se \377", "", "b\\xe4se \\xff"}, {"\342\200", "", "\\xe2\\x80"},
        {"\342\200\250\342\200\256x", "", "\\u2028\\u202ex"}, {"\342\200\257", "", "\342\200\257"},
        {"\342\201\246\342\201\251\342\201\252", "", "\\u2066\\u2069\342\201\252"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct sw_text shown = {0};
        sw_text_add_shown(&shown, cases[k].text, cases[k].keep);
        assert_string_equal(sw_text_get(&shown), cases[k].shown);
        sw_text_free(&shown);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_that_need_no_quotes_get_none),
        cmocka_unit_test(a_text_too_long_ends_with_a_word_and_dots),
        cmocka_unit_test(a_text_in_an_array_never_fails_and_tells_where_it_was_cut),
        cmocka_unit_test(bytes_that_are_utf8_are_counted),
        cmocka_unit_test(a_shell_reads_each_word_as_it_is),
        cmocka_unit_test(what_a_terminal_would_act_on_is_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
