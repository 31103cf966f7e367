/* Reading configs: what libconfig gives, its traps, overrides. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "helpers.h"
#include "sweep/sw_config.h"
#include "sweep/sw_keys.h"

static const struct sw_setting *at(const struct sw_config *c, const char *path)
{
    const struct sw_setting *s = sw_config_find(c, path);
    if (!s) fail_msg("no setting %s", path);
    return s;
}

/* Read a text that must be refused; what the report says must be exactly `expected`. */
static void refused_with(const char *text, const char *const *override, int n, const char *expected)
{
    struct sw_report report = {0};
    struct sw_config *c;
    enum sw_status st = sw_config_read_text("ch.cfg", text, override, n, &report, &c);
    assert_int_equal(st ? st : sw_report_status(&report), SW_E_CONFIG);
    assert_int_equal(st == SW_OK, c != NULL);
    char *printed = sw_report_print(&report);
    assert_string_equal(printed, expected);
    sw_free(printed);
    sw_report_free(&report);
    sw_config_destroy(&c);
}

static void refused(const char *text, const char *expected) { refused_with(text, NULL, 0, expected); }

static struct sw_config *read_with(const char *text, const char *const *override, int n)
{
    struct sw_report report = {0};
    struct sw_config *c;
    if (sw_config_read_text("ch.cfg", text, override, n, &report, &c)) {
        char *printed = sw_report_print(&report);
        fail_msg("%s: %s", sw_err_message(), printed);
    }
    assert_int_equal(report.count, 0);
    sw_report_free(&report);
    return c;
}

static const char small[] = "title = \"a \\\"b\\\"\"; # comment\n"
                            "grid = { n = 64; length = 6.5; };\n"
                            "time : { dt = 1e-3, end = 2 }\n"
                            "sweep = { a = [1, 2]; b = (0.5, \"x\", 3); };\n"
                            "/* two\n lines */ on = true;\n";

static void a_comma_may_stand_behind_the_last_element(void **state)
{
    (void)state;
    struct sw_config *c = read_with("a = [1, 2, 3,];\nb = (\"x,\", // one\n 2,\n); c = [[1,], [2, ],];\n", NULL, 0);
    assert_int_equal(at(c, "a")->count, 3);
    assert_int_equal(at(c, "b")->count, 2);
    assert_string_equal(at(c, "b")->child[0]->text, "x,");
    assert_int_equal(at(c, "c")->line, 4);
    assert_int_equal(at(c, "c")->count, 2);
    sw_config_destroy(&c);
    refused("a = [,];\n", "ch.cfg:1: error: syntax error at 'a = [,];'\n");
    refused("a = [1,,];\n", "ch.cfg:1: error: syntax error at 'a = [1,,];'\n");
}

static void reads_settings_with_path_file_and_line(void **state)
{
    (void)state;
    struct sw_config *c = read_with(small, NULL, 0);
    assert_string_equal(at(c, "title")->text, "a \"b\"");
    assert_int_equal(at(c, "grid.n")->kind, SW_SETTING_INTEGER);
    assert_near(at(c, "grid.n")->number, 64, 0);
    assert_int_equal(at(c, "grid.n")->line, 2);
    assert_string_equal(at(c, "grid.n")->path, "grid.n");
    assert_string_equal(at(c, "grid.n")->file, "ch.cfg");
    assert_int_equal(at(c, "time.dt")->kind, SW_SETTING_REAL);
    assert_near(at(c, "time.dt")->number, 1e-3, 0);
    assert_int_equal(at(c, "sweep.a")->kind, SW_SETTING_LIST);
    assert_int_equal(at(c, "sweep.a")->count, 2);
    assert_near(at(c, "sweep.a")->child[1]->number, 2, 0);
    assert_string_equal(at(c, "sweep.b")->child[1]->text, "x");
    assert_string_equal(at(c, "sweep.b")->child[1]->path, "sweep.b");
    assert_int_equal(at(c, "on")->kind, SW_SETTING_SWITCH);
    assert_int_equal(at(c, "on")->line, 6);
    assert_null(sw_config_find(c, "grid.m"));
    assert_null(sw_config_find(c, "title.x"));
    assert_null(sw_config_find(c, "gri"));
    sw_config_destroy(&c);
}

static void integers_that_libconfig_wraps_are_refused(void **state)
{
    (void)state;
    refused("a = 1;\nb = 3000000000;\n",
            "ch.cfg:2: error: integer 3000000000 does not fit 32 bits; write 3000000000.0 or 3000000000L\n");
    refused("b = [-1, -2147483649];\n",
            "ch.cfg:1: error: integer -2147483649 does not fit 32 bits; write -2147483649.0 or -2147483649L\n");
    refused("b = 9007199254740993L;\n",
            "ch.cfg:1: error: integer 9007199254740993L is larger than 2^53, which is as far as a "
            "double counts; write it as a real: 9007199254740993.0\n");
    refused("b = 99999999999999999999999;\n", "ch.cfg:1: error: integer 99999999999999999999999 is larger than 2^53, "
                                              "which is as far as a double counts; write it "
                                              "as a real: 99999999999999999999999.0\n");
    refused("b = 0xFFFFFFFF;\n",
            "ch.cfg:1: error: integer 0xFFFFFFFF does not fit 32 bits; write 4294967295.0 or 0xFFFFFFFFL\n");
}

static void integers_that_fit_are_read_to_the_last_digit(void **state)
{
    (void)state;
    struct sw_config *c =
        read_with("a = 2147483647; b = -2147483648; c = 3000000000L; d = 9007199254740992LL; e = 0x10;\n"
                  "f = 3000000000.0; g = 3e9; h = [1, 3000000000L]; i = +7;\n"
                  "j = [010, -0099, +08L, 00, 010.5];\n",  /* octal in libconfig 1.5 to 1.7, decimal in 1.8 */
                  NULL, 0);
    static const double zeros_first[] = {10, -99, 8, 0, 10.5};
    assert_near(at(c, "a")->number, 2147483647.0, 0);
    assert_near(at(c, "b")->number, -2147483648.0, 0);
    assert_near(at(c, "c")->number, 3e9, 0);
    assert_near(at(c, "d")->number, 9007199254740992.0, 0);
    assert_near(at(c, "e")->number, 16, 0);
    assert_near(at(c, "f")->number, 3e9, 0);
    assert_near(at(c, "g")->number, 3e9, 0);
    assert_near(at(c, "h")->child[1]->number, 3e9, 0);
    assert_near(at(c, "i")->number, 7, 0);
    for (int k = 0; k < 5; k++) assert_near(at(c, "j")->child[k]->number, zeros_first[k], 0);
    sw_config_destroy(&c);
}

static void arrays_of_numbers_and_strings_are_refused_and_lists_are_not(void **state)
{
    (void)state;
    refused("a = [\"x\", 0.5];\n",
            "ch.cfg:1: error: array mixes numbers and strings: [\"x\", 0.5]; write ( ) for [ ]\n");
    refused("a = [1,\n \"x\"];\n", "ch.cfg:1: error: array mixes numbers and strings: [1, ...; write ( ) for [ ]\n");
    struct sw_config *c = read_with("a = (0.01, 1); b = [1]; c = []; d = ();", NULL, 0);
    assert_near(at(c, "a")->child[1]->number, 1, 0);
    assert_int_equal(at(c, "c")->count, 0);
    assert_int_equal(at(c, "d")->count, 0);
    sw_config_destroy(&c);
}

static void an_unclosed_string_is_reported_where_it_starts(void **state)
{
    (void)state;
    refused("a = 1;\ntitle = \"abc;\nproblem = \"heat\";\n",
            "ch.cfg:2: error: string is not closed on its line: \"abc; (a long text may be written \"one\" \"two\")\n");
    refused("forcing = \"sin(x)",
            "ch.cfg:1: error: string is not closed on its line: \"sin(x) (a long text may be written "
            "\"one\" \"two\")\n");
    struct sw_config *c = read_with("a = \"one\"\n \" two\";", NULL, 0);
    assert_string_equal(at(c, "a")->text, "one two");
    sw_config_destroy(&c);
}

static void a_key_set_twice_is_refused(void **state)
{
    (void)state;
    refused("time = {\n dt = 1.0;\n end = 2.0;\n dt = 3.0; };\n",
            "ch.cfg:4: error: 'dt' is set twice; the first time on line 2\n");
    refused("a = 1; b = { a = 1; };\na = 2;", "ch.cfg:2: error: 'a' is set twice; the first time on line 1\n");
    struct sw_config *c = read_with("a = { x = 1; }; b = { x = 1; }; x = 2;", NULL, 0);
    sw_config_destroy(&c);
}

static void syntax_errors_name_the_line_and_the_place(void **state)
{
    (void)state;
    refused("a = 1;\nproblem = heat;\n",
            "ch.cfg:2: error: syntax error at 'heat': a text or an expression needs quotes, \"...\"\n");
    refused("length = 2*pi*16;\n",
            "ch.cfg:1: error: syntax error at '*pi*16': a text or an expression needs quotes, \"...\"\n");
    refused("dt = 1/50;\n", "ch.cfg:1: error: syntax error at '/': a text or an expression needs quotes, \"...\"\n");
    refused("a = 1;\n\n b = = 2;\n", "ch.cfg:3: error: syntax error at 'b = = 2;'\n");
    refused("grid = {\n n = 3;\n", "ch.cfg:1: error: syntax error: '{' is never closed\n");
    refused("a = [1, 2);\n", "ch.cfg:1: error: syntax error: '[' of line 1 is closed by ')'\n"
                             "ch.cfg:1: error: syntax error: '[' is never closed\n");
    refused("a = [1; 2];\n",
            "ch.cfg:1: error: syntax error: ';' in a list, whose elements are separated by commas\n");
    refused("b = 1;\na = 0:0.1:1;\n",
            "ch.cfg:2: error: syntax error at '0:': values at equal distances are written \"range(a, b, step)\" or "
            "\"linspace(a, b, k)\"\n");
    refused("a = “x”;\n", "ch.cfg:1: error: syntax error at '“': quotes are written \"...\"\n");
    refused("a = 1; };\n", "ch.cfg:1: error: syntax error: '}' closes nothing\n");
    refused("a = 1; /* x\n\n", "ch.cfg:1: error: comment is not closed: no */ follows\n");
    refused("@include \"b.cfg\"\n",
            "ch.cfg:1: error: @include is not supported: a sweep is one file, so that its output can hold all of it\n");
    refused("a = { b = 1; c = 0,02; };\n",
            "ch.cfg:1: error: syntax error at '0,02': a decimal fraction is written with a point, 0.02\n");
    refused("a = 1;\nb = -3,5;\n",
            "ch.cfg:2: error: syntax error at '-3,5': a decimal fraction is written with a point, -3.5\n");
    refused("a = 1;\ntitle = \"b\344se\";\nc = 2,5;\n",
            "ch.cfg:2: error: byte 0xe4 is not UTF-8: save the file as UTF-8\n");
    refused("# b\344se\na = 1;\n", "ch.cfg:1: error: byte 0xe4 is not UTF-8: save the file as UTF-8\n");
    refused("\377\376p", "ch.cfg:1: error: byte 0xff is not UTF-8: save the file as UTF-8\n");
    refused("a = \x01;\n", "ch.cfg:1: error: syntax error: character 0x01 outside of a string\n");
    refused("a = ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1))));",
            "ch.cfg:1: error: brackets nested deeper than 64\nch.cfg:1: error: syntax error: '(' is never closed\n");
}

static void arrays_may_mix_integers_and_reals(void **state)
{
    (void)state;
    struct sw_config *c =
        read_with("a = [0, 1.0]; b = [0.5, 2L, 0x10, -3];\nc = [0.5,\n 1]; d = [3000000000L, .5];", NULL, 0);
    static const double b[] = {0.5, 2, 16, -3};
    assert_near(at(c, "a")->child[0]->number, 0, 0);
    assert_near(at(c, "a")->child[1]->number, 1, 0);
    for (int k = 0; k < 4; k++) assert_near(at(c, "b")->child[k]->number, b[k], 0);
    assert_near(at(c, "c")->child[1]->number, 1, 0);
    assert_near(at(c, "d")->child[0]->number, 3e9, 0);
    sw_config_destroy(&c);
}

static void all_errors_are_reported_at_once(void **state)
{
    (void)state;
    refused("a = 3000000000;\nb = [0.1, \"x\"];\n",
            "ch.cfg:1: error: integer 3000000000 does not fit 32 bits; write 3000000000.0 or 3000000000L\n"
            "ch.cfg:2: error: array mixes numbers and strings: [0.1, \"x\"]; write ( ) for [ ]\n");
}

static void what_can_be_read_is_read_in_spite_of_errors(void **state)
{
    (void)state;
    struct sw_report report = {0};
    struct sw_config *c;
    assert_ok(sw_config_read_text("ch.cfg", "a = 3000000000; b = [0.1, \"x\"];", NULL, 0, &report, &c));
    assert_int_equal(report.errors, 2);
    assert_near(at(c, "a")->number, 3e9, 0);
    assert_string_equal(at(c, "b")->child[1]->text, "x");
    sw_config_destroy(&c);
    sw_report_free(&report);
}

static void overrides_replace_add_and_make_groups(void **state)
{
    (void)state;
    static const char *const o[] = {"grid.n=128",
                                    "grid.x0=-0.5",
                                    "physics.D=1.0",
                                    "title=two words",
                                    "sweep.a=[3, 4, 5]",
                                    "time={ dt = 0.5; end = 1.5; }",
                                    "forcing=a*cos(x)",
                                    "initial=\"0.1\"",
                                    "on=false",
                                    "sweep.b.c=1",
                                    "empty=",
                                    "sum=(a+b)*2",
                                    "slashes=a//b",
                                    "list=(1, 2.5)"};
    struct sw_config *c = read_with(small, o, sizeof o / sizeof *o);
    assert_near(at(c, "grid.n")->number, 128, 0);
    assert_string_equal(at(c, "grid.n")->file, "-s");
    assert_int_equal(at(c, "grid.n")->line, 0);
    assert_near(at(c, "grid.x0")->number, -0.5, 0);
    assert_string_equal(at(c, "physics.D")->path, "physics.D");
    assert_string_equal(at(c, "title")->text, "two words");
    assert_int_equal(at(c, "sweep.a")->count, 3);
    assert_near(at(c, "time.end")->number, 1.5, 0);
    assert_string_equal(at(c, "time.end")->path, "time.end");
    assert_string_equal(at(c, "forcing")->text, "a*cos(x)");
    assert_string_equal(at(c, "initial")->text, "0.1");
    assert_near(at(c, "on")->number, 0, 0);
    assert_near(at(c, "sweep.b.c")->number, 1, 0);
    assert_string_equal(at(c, "empty")->text, "");
    assert_string_equal(at(c, "sum")->text, "(a+b)*2");
    assert_string_equal(at(c, "slashes")->text, "a//b");
    assert_int_equal(at(c, "list")->kind, SW_SETTING_LIST);
    assert_int_equal(c->noverride, (int)(sizeof o / sizeof *o));
    assert_string_equal(c->override[0], "grid.n=128");
    sw_config_destroy(&c);
}

static void bad_overrides_are_refused(void **state)
{
    (void)state;
    static const char *const o[] = {"grid.n",      "=3",           "grid..n=3", "2a=1",
                                    "a=[\"x\", 1]", "b=3000000000", "c=\"x",     "d={ x = ; }"};
    refused_with("a = 1;", o, sizeof o / sizeof *o,
                 "-s: error: 'grid.n' is not KEY=VALUE with a key such as time.dt\n"
                 "-s: error: '=3' is not KEY=VALUE with a key such as time.dt\n"
                 "-s: error: 'grid..n=3' is not KEY=VALUE with a key such as time.dt\n"
                 "-s: error: '2a=1' is not KEY=VALUE with a key such as time.dt\n"
                 "-s: error: 'a': array mixes numbers and strings: [\"x\", 1]; write ( ) for [ ]\n"
                 "-s: error: 'b': integer 3000000000 does not fit 32 bits; write 3000000000.0 or 3000000000L\n"
                 "-s: error: 'c': string is not closed on its line: \"x (a long text may be written \"one\" \"two\")\n"
                 "-s: error: 'd': syntax error at '{ x = ; }'\n");
}

static void the_hash_covers_text_and_overrides(void **state)
{
    (void)state;
    static const char *const o[] = {"a=2"}, *const p[] = {"a=3"};
    struct sw_config *a = read_with("a = 1;", NULL, 0), *b = read_with("a = 1;", NULL, 0),
                     *c = read_with("a = 1;", o, 1), *d = read_with("a = 1;", p, 1), *e = read_with("a = 1; ", NULL, 0);
    assert_string_equal(a->sha256, b->sha256);
    assert_int_equal(strlen(a->sha256), 64);
    assert_string_not_equal(a->sha256, c->sha256);
    assert_string_not_equal(c->sha256, d->sha256);
    assert_string_not_equal(a->sha256, e->sha256);
    sw_config_destroy(&a);
    sw_config_destroy(&b);
    sw_config_destroy(&c);
    sw_config_destroy(&d);
    sw_config_destroy(&e);
}

static void write_file(const char *path, const char *bytes, size_t length)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, length, f), length);
    assert_int_equal(fclose(f), 0);
}

static void reads_files_and_says_why_it_cannot(void **state)
{
    (void)state;
    char path[300];
    struct sw_report report = {0};
    struct sw_config *c;
    snprintf(path, sizeof path, "%s/a.cfg", test_folder());
    assert_int_equal(sw_config_read(path, NULL, 0, &report, &c), SW_E_IO);
    assert_contains(sw_err_message(), "a.cfg: No such file or directory");
    assert_int_equal(sw_config_read(test_folder(), NULL, 0, &report, &c), SW_E_IO);
    assert_contains(sw_err_message(), ": Is a directory");
    write_file(path, "\xef\xbb\xbf" "a = 1;\r\nb = 2;\r\n", 19);
    assert_ok(sw_config_read(path, NULL, 0, &report, &c));
    assert_string_equal(c->name, path);
    assert_int_equal(at(c, "b")->line, 2);
    sw_config_destroy(&c);
    write_file(path, "", 0);
    assert_ok(sw_config_read(path, NULL, 0, &report, &c));
    assert_int_equal(c->root->count, 0);
    sw_config_destroy(&c);
    assert_int_equal(report.count, 0);
    write_file(path, "\x89HDF\r\n\x1a\n\0\0\0", 11);
    assert_int_equal(sw_config_read(path, NULL, 0, &report, &c), SW_E_CONFIG);
    char *printed = sw_report_print(&report);
    assert_contains(printed,
                    "a.cfg: error: not a text file (it holds a zero byte); for an output file use sweep resume\n");
    sw_free(printed);
    sw_report_free(&report);
}

static void endless_texts_are_refused(void **state)
{
    (void)state;
    struct sw_report report = {0};
    struct sw_config *c;
    struct sw_text text = {0};
    for (int k = 0; k < 200; k++) sw_text_add(&text, "a=0x80000000;b={");
    assert_int_equal(sw_config_read_text("a.cfg", sw_text_get(&text), NULL, 0, &report, &c), SW_E_CONFIG);
    assert_true(report.errors < 200);
    sw_report_free(&report);
    sw_text_free(&text);
    for (int k = 0; k < 300; k++) sw_text_add(&text, "a=(3000000000);\n");
    assert_int_equal(sw_config_read_text("a.cfg", sw_text_get(&text), NULL, 0, &report, &c), SW_E_CONFIG);
    char *printed = sw_report_print(&report);
    assert_contains(printed, "too many errors: the rest was not read");
    sw_free(printed);
    sw_report_free(&report);
    sw_text_free(&text);
    for (int k = 0; k < 2100; k++) sw_text_printf(&text, "a%d=1;", k);
    assert_int_equal(sw_config_read_text("a.cfg", sw_text_get(&text), NULL, 0, &report, &c), SW_E_CONFIG);
    assert_string_equal(report.entry[0].text, "more than 2000 settings");
    sw_report_free(&report);
    sw_text_free(&text);
}

static void a_file_too_large_to_be_a_config_is_refused(void **state)
{
    (void)state;
    char path[300];
    struct sw_report report = {0};
    struct sw_config *c;
    snprintf(path, sizeof path, "%s/large.cfg", test_folder());
    write_file(path, "a = 1;", 6);
    assert_int_equal(truncate(path, 65 << 20), 0);
    assert_int_equal(sw_config_read(path, NULL, 0, &report, &c), SW_E_IO);
    assert_contains(sw_err_message(), "large.cfg is larger than 64 MiB: not a config");
    assert_int_equal(report.count, 0);
}

static void every_common_key_is_found_by_its_path_and_documented(void **state)
{
    (void)state;
    const struct sw_key *key;
    for (int k = 0; (key = sw_key_at(NULL, k)); k++) {
        assert_ptr_equal(sw_key_find(NULL, key->path), key);
        assert_int_equal(key->about[strlen(key->about) - 1], '.');
        if (key->kind != SW_KEY_LIST) assert_int_equal((key->kind == SW_KEY_WORD) == (key->words != NULL), true);
    }
    assert_null(sw_key_find(NULL, "time.methd"));
    assert_null(sw_key_find(NULL, "time"));
}

static void a_problem_adds_its_keys_and_may_have_no_time(void **state)
{
    (void)state;
    static const struct sw_key own[] = {{.path = "physics.D", .about = "x."}, {0}};
    const struct sw_problem_shape line = {.min_points = 1};
    const struct sw_problem_time time = {0};
    const struct sw_problem timed = {.keys = own, .shape = &line, .time = &time}, still = {.keys = own, .shape = &line};
    assert_ptr_equal(sw_key_find(&timed, "physics.D"), &own[0]);
    assert_non_null(sw_key_find(&timed, "time.dt"));
    assert_non_null(sw_key_find(&still, "physics.D"));
    assert_null(sw_key_find(&still, "time.dt"));
    assert_null(sw_key_find(NULL, "physics.D"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_settings_with_path_file_and_line),
        cmocka_unit_test(a_comma_may_stand_behind_the_last_element),
        cmocka_unit_test(integers_that_libconfig_wraps_are_refused),
        cmocka_unit_test(integers_that_fit_are_read_to_the_last_digit),
        cmocka_unit_test(arrays_of_numbers_and_strings_are_refused_and_lists_are_not),
        cmocka_unit_test(arrays_may_mix_integers_and_reals),
        cmocka_unit_test(an_unclosed_string_is_reported_where_it_starts),
        cmocka_unit_test(a_key_set_twice_is_refused),
        cmocka_unit_test(syntax_errors_name_the_line_and_the_place),
        cmocka_unit_test(all_errors_are_reported_at_once),
        cmocka_unit_test(what_can_be_read_is_read_in_spite_of_errors),
        cmocka_unit_test(overrides_replace_add_and_make_groups),
        cmocka_unit_test(bad_overrides_are_refused),
        cmocka_unit_test(the_hash_covers_text_and_overrides),
        cmocka_unit_test(reads_files_and_says_why_it_cannot),
        cmocka_unit_test(endless_texts_are_refused),
        cmocka_unit_test(a_file_too_large_to_be_a_config_is_refused),
        cmocka_unit_test(every_common_key_is_found_by_its_path_and_documented),
        cmocka_unit_test(a_problem_adds_its_keys_and_may_have_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
