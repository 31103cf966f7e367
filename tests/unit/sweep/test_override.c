/* -s KEY=VALUE against the config whose text has that key's value replaced: a value is read as the text would be, or
 * taken as a string, or refused; never is it dropped, and never does it set another key. */
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "sweep/sw_config.h"
#include "helpers.h"

/* What a value may begin with, and what may follow it. */
static const char *const heads[] = {"2",    "-2.5e1",     "\"x\"",     "[1, 2]",     "(1, \"a\")", "{ n = 5; m = 6; }",
                                    "true", "a*cos(x)",   "two words", "3000000000", "\"a\" \"b\"", "[\"a\", \"b\"]",
                                    "",     "\"a # b; c\"", " \"x\"",    "/* c */ 2",  "0x10",       "[ ]"};
static const char *const tails[] = {"",
                                    " ",
                                    ";",
                                    ",",
                                    ";;",
                                    " # c",
                                    " // c",
                                    " /* c */",
                                    "; # c",
                                    "\n",
                                    "\n# c",
                                    "; order = 2",
                                    "; order = 2;",
                                    "\norder = 2",
                                    ", order = 2",
                                    "; kappa = 3",
                                    "; other = 3 # c",
                                    " # c\n order = 2",
                                    "; title : \"x\"",
                                    " }",
                                    " }; order = 2; x = { y = 1",
                                    " ]",
                                    " \"",
                                    " /* c",
                                    ", 3",
                                    "; ; order = 2",
                                    "= 3",
                                    " foo"};
enum { HEADS = sizeof heads / sizeof *heads, TAILS = sizeof tails / sizeof *tails };

static const char base[] = "title = \"t\"; physics = { D = 1.0; kappa = 1.5; }; order = 4;";

static struct sw_config *read_one(const char *text, const char *override)
{
    struct sw_report report = {0};
    struct sw_config *c;
    enum sw_status st = sw_config_read_text("h.cfg", text, &override, override != NULL, &report, &c);
    if (!st && report.errors) sw_config_destroy(&c);
    if (!c) assert_true(report.errors > 0);
    sw_report_free(&report);
    return c;
}

static bool same_text(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static bool same(const struct sw_setting *a, const struct sw_setting *b)
{
    if (a->kind != b->kind || a->number != b->number || a->count != b->count || !same_text(a->text, b->text) ||
        !same_text(a->name, b->name) || !same_text(a->path, b->path))
        return false;
    for (int k = 0; k < a->count; k++)
        if (!same(a->child[k], b->child[k])) return false;
    return true;
}

/* The text with the value of kappa replaced; NULL where that is no config, or has other keys than before. */
static struct sw_config *replaced(const char *value)
{
    char text[400];
    snprintf(text, sizeof text, "title = \"t\"; physics = { D = 1.0; kappa = %s\n }; order = 4;", value);
    struct sw_config *c = read_one(text, NULL);
    const struct sw_setting *physics = c ? sw_config_find(c, "physics") : NULL;
    if (c && (c->root->count != 3 || !physics || physics->count != 2)) sw_config_destroy(&c);
    return c;
}

static void is_as_in_the_text(const char *value)
{
    char override[200];
    snprintf(override, sizeof override, "physics.kappa=%s", value);
    struct sw_config *by_option = read_one(base, override), *by_text = replaced(value), *before = read_one(base, NULL);
    if (by_text && !(by_option && same(by_option->root, by_text->root)))
        fail_msg("-s '%s' is not as the text has it", override);
    if (by_option && !by_text) {
        const struct sw_setting *kappa = sw_config_find(by_option, "physics.kappa");
        if (!kappa || !same_text(kappa->text, value)) fail_msg("-s '%s' is taken as something else", override);
    }
    if (by_option) {
        if (same(by_option->root, before->root)) fail_msg("-s '%s' is dropped", override);
        assert_true(same(sw_config_find(by_option, "title"), sw_config_find(before, "title")));
        assert_true(same(sw_config_find(by_option, "order"), sw_config_find(before, "order")));
        assert_string_equal(by_option->override[0], override);
    }
    sw_config_destroy(&by_option);
    sw_config_destroy(&by_text);
    sw_config_destroy(&before);
}

static void any_value_is_as_in_the_text_or_refused(void **state)
{
    (void)state;
    char value[160];
    for (int h = 0; h < HEADS; h++)
        for (int t = 0; t < TAILS; t++) {
            snprintf(value, sizeof value, "%s%s", heads[h], tails[t]);
            is_as_in_the_text(value);
        }
}

static void several_settings_are_refused(void **state)
{
    (void)state;
    static const char *const value[] = {"\"x\"; order = 2", "\"2\"; foo = \"bar\"", "[1, 2]; order = 2",
                                        "\"x\"\norder = 2", "1; three = 2",         "{ n = 5; }, order = 2 # c"};
    char override[100];
    for (size_t k = 0; k < sizeof value / sizeof *value; k++) {
        struct sw_report report = {0};
        struct sw_config *c;
        snprintf(override, sizeof override, "physics.kappa=%s", value[k]);
        assert_ok(sw_config_read_text("h.cfg", base, &(const char *){override}, 1, &report, &c));
        char *printed = sw_report_print(&report);
        assert_string_equal(printed, "-s: error: 'physics.kappa': the value holds more than one setting: give each its "
                                     "own -s, or put a text with ; in quotes\n");
        sw_free(printed);
        sw_report_free(&report);
        sw_config_destroy(&c);
    }
}

static void a_comment_after_the_value_is_none_of_it(void **state)
{
    (void)state;
    struct sw_config *c = read_one(base, "physics.kappa=2.5; # as measured");
    assert_near(sw_config_find(c, "physics.kappa")->number, 2.5, 0);
    sw_config_destroy(&c);
    c = read_one(base, "title=\"x\" // y");
    assert_string_equal(sw_config_find(c, "title")->text, "x");
    sw_config_destroy(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_value_is_as_in_the_text_or_refused),
        cmocka_unit_test(several_settings_are_refused),
        cmocka_unit_test(a_comment_after_the_value_is_none_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
