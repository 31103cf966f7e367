/* An axis or a define with the name of a key: the key is it, or the config is refused; never do the table of the runs
 * and the equation have different numbers under one name. */
#include <stdlib.h>
#include <unistd.h>

#include "sweep/sw_keys.h"
#include "sweep_helpers.h"

static const char *const texts[] = {
    "problem = \"hyperdiffusion\"; grid = { n = 16; length = 1.0; }; physics = { gamma = 1.0; D = 1.0; };"
    " time = { dt = 0.1; end = 1.0; }; initial = \"cos(x)\"; sweep = { }; define = { };",
    "problem = \"heat\"; grid = { n = 16; length = 1.0; }; physics = { kappa = 1.0; };"
    " time = { dt = 0.1; end = 1.0; }; initial = \"cos(x)\"; sweep = { }; define = { };",
    "problem = \"cahn_hilliard\"; grid = { n = 16; length = 100.0; }; physics = { gamma = 1.0; D = 1.0; };"
    " time = { dt = 0.1; end = 1.0; }; initial = \"cos(x)\"; sweep = { }; define = { };",
    "problem = \"bvp\"; grid = { n = 16; }; f = \"x\"; sweep = { }; define = { };",
    "problem = \"compact\"; grid = { n = 16; length = 1.0; }; field = \"x\"; sweep = { }; define = { };",
    "problem = \"advection\"; grid = { n = 16; length = 1.0; }; velocity = { x = \"1\"; }; initial = \"x\";"
    " time = { dt = 0.1; end = 1.0; }; sweep = { }; define = { };",
};
enum { TEXTS = sizeof texts / sizeof *texts };

static bool is_function(const struct sw_key *key) { return key->kind == SW_KEY_FUNCTION; }
static bool is_number(const struct sw_key *key) { return key->kind == SW_KEY_REAL || key->kind == SW_KEY_COUNT; }
static bool has_words(const struct sw_key *key) { return key->kind == SW_KEY_WORD || key->kind == SW_KEY_ROW; }

/* Whether a name can be an axis at all. */
static bool names(const char *name) { return name && strlen(name) > 1 && name[0] > '9'; }

static bool refused_for_its_name(const char *text, const char *const *override, int n)
{
    struct made m;
    char *printed = try_text(text, override, n, &m);
    const bool found = strstr(printed, "has the name of the key") != NULL;
    assert_int_equal(m.sweep == NULL, printed[0] != 0);
    sw_free(printed);
    unmake(&m);
    return found;
}

/* A name that configs may be older than: the key claims it only where it is set by it. */
static void check_young_name(const char *text, const struct sw_key *key, const char *axis, const char *define)
{
    char now[100], former[100];
    snprintf(now, sizeof now, "%s=\"%s\"", key->path, key->fallback);
    snprintf(former, sizeof former, "%s=\"%s\"", key->former ? key->former : "title", key->fallback);
    for (int k = 0; k < 2; k++) {
        const char *const name = k ? define : axis;
        if (refused_for_its_name(text, OVERRIDES(name))) fail_msg("%s beside %s, which is not set", name, key->path);
        if (refused_for_its_name(text, OVERRIDES(name, former))) fail_msg("%s beside %s", name, former);
        if (!refused_for_its_name(text, OVERRIDES(name, now))) fail_msg("%s beside %s", name, now);
    }
}

/* An axis and a define of this name, with the key as it is and with the key set to it. */
static void check_name(const char *text, const struct sw_key *key, const char *name)
{
    char axis[100], define[100], set[100];
    if (key->kind == SW_KEY_WORD)
        snprintf(axis, sizeof axis, "sweep.%s=[\"%.*s\"]", name,
                 (int)strcspn(key->word ? key->word(0) : key->words, "|"), key->word ? key->word(0) : key->words);
    else snprintf(axis, sizeof axis, has_words(key) ? "sweep.%s=[\"auto\"]" : "sweep.%s=[1, 2]", name);
    snprintf(define, sizeof define, "define.%s=2", name);
    snprintf(set, sizeof set, "%s=\"%s%s\"", key->path, has_words(key) ? "$" : "", name);
    if (key->former || key->added_later) check_young_name(text, key, axis, define);
    else {
        if (!refused_for_its_name(text, OVERRIDES(axis))) fail_msg("%s beside %s", axis, key->path);
        if (!refused_for_its_name(text, OVERRIDES(define))) fail_msg("%s beside %s", define, key->path);
    }
    if (refused_for_its_name(text, OVERRIDES(axis, set))) fail_msg("%s with %s", axis, set);
    if (!has_words(key) && refused_for_its_name(text, OVERRIDES(define, set))) fail_msg("%s with %s", define, set);
}

static void every_key_is_its_namesake_or_the_config_is_refused(void **state)
{
    (void)state;
    const struct sw_key *key;
    for (int k = 0; k < TEXTS; k++) {
        struct made m = make_text(texts[k], NULL, 0);
        for (int j = 0; (key = sw_key_at(m.sweep->problem, j)); j++) {
            const char *dot = strrchr(key->path, '.'), *last = dot ? dot + 1 : key->path;
            const bool top = !dot && (is_function(key) || (key->decides && has_words(key)));
            if (!(is_number(key) && key->decides && !key->element) && !top) continue;
            if (!strcmp(key->path, "time.cfl") || !names(last) || key->with) continue;  /* without a name */
            check_name(texts[k], key, last);
            if (names(key->alias)) check_name(texts[k], key, key->alias);
        }
        unmake(&m);
    }
}

static const char heat[] = "problem = \"heat\"; grid = { n = 16; length = 1.0; }; "
                           "time = { dt = 0.1; end = 1.0; };";

static void a_key_without_a_default_takes_the_axis_of_its_name(void **state)
{
    (void)state;
    const char *const o[] = {"physics={}", "sweep.kappa=[1, 2]", "sweep.initial=[3, 4]"},
               *const p[] = {"physics.kappa=kappa", "initial=initial", "sweep.kappa=[1, 2]", "sweep.initial=[3, 4]"};
    struct made left_out = make_text(heat, o, 3), written = make_text(heat, p, 4);
    assert_int_equal(left_out.sweep->nruns, 4);
    for (int64_t run = 0; run < 4; run++) {
        assert_near(number(left_out.sweep, "physics.kappa", run), number(left_out.sweep, "kappa", run), 0);
        assert_true(id_of(&left_out, run) == id_of(&written, run));
    }
    unmake(&left_out);
    unmake(&written);
    struct made define = make_text(heat, OVERRIDES("define.kappa=2*pi", "initial=1"));
    assert_near(number(define.sweep, "physics.kappa", 0), 2 * 3.141592653589793, 0);
    unmake(&define);
}

static void the_message_says_what_to_write(void **state)
{
    (void)state;
    refuse_text(texts[1], OVERRIDES("sweep.kappa=[1, 2]", "exact=kappa"),
                "-s: error: 'sweep.kappa' has the name of the key physics.kappa, which is not this axis: write "
                "physics.kappa = \"kappa\", or give the axis another name\n");
    refuse_text(texts[1], OVERRIDES("define.kappa=2", "physics.kappa=2*kappa"),
                "-s: error: 'define.kappa' has the name of the key physics.kappa, which is not this define: write "
                "physics.kappa = \"kappa\", or give the define another name\n");
    refuse_text(texts[1], OVERRIDES("sweep.initial=[1, 2]", "initial=initial*x"),
                "-s: error: 'sweep.initial' has the name of the key initial, which is not this axis: write initial = "
                "\"initial\", or give the axis another name\n");
    refuse_text(texts[4], OVERRIDES("sweep.scheme=[\"d1_c4\", \"d1_c6\"]"),
                "-s: error: 'sweep.scheme' has the name of the key scheme, which is not this axis: write scheme = "
                "\"$scheme\", or give the axis another name\n");
    refuse_text(texts[4], OVERRIDES("sweep.scheme=[1, 2]", "field=scheme*x"),
                "-s: error: 'sweep.scheme' has the name of the key scheme, which takes words: give the axis another "
                "name\n");
}

/* ------------------------------------------------------------------ former names of keys */

#define ADVECTION                                                                                        \
    "problem = \"advection\"; grid = { n = 16; length = 1.0; }; velocity = { x = \"1\"; }; initial = \"x\";\n" \
    "time = { dt = 0.0625; end = 1.0; };\n"

static void expect_report(const char *text, const char *const *override, int n, const char *expected)
{
    struct made m;
    char *printed = try_text(text, override, n, &m);
    assert_string_equal(printed, expected);
    sw_free(printed);
    unmake(&m);
}

static void a_former_name_is_read_with_a_warning(void **state)
{
    (void)state;
    static const char former[] = ADVECTION "stepper = \"ssp_rk3\";\nsolver = \"cpu.thomas\";\n",
                      now[] = ADVECTION "method = \"ssp_rk3\"; differences = \"cpu.thomas\";";
    char path[] = "/tmp/former-XXXXXX", expected[300];
    const int file = mkstemp(path);
    assert_true(file >= 0 && write(file, former, strlen(former)) == (ssize_t)strlen(former));
    close(file);
    snprintf(expected, sizeof expected, "%s:3: warning: 'stepper' is now called 'method' here\n"
             "%s:4: warning: 'solver' is now called 'differences' here\n", path, path);
    struct sw_report report = {0};
    struct made m = {0};
    assert_ok(sw_config_read(path, NULL, 0, &report, &m.config));
    assert_ok(sw_sweep_expand(m.config, &report, &m.sweep));
    unlink(path);
    char *printed = sw_report_print(&report);
    assert_string_equal(printed, expected);
    sw_free(printed);
    sw_report_free(&report);
    unmake(&m);
    expect_report(former, NULL, 0, "");  /* a stored config, which nobody will edit */
    struct made a = make_text(former, NULL, 0), b = make_text(now, NULL, 0);
    assert_true(id_of(&a, 0) == id_of(&b, 0));
    assert_string_equal(b.sweep->id, "fd8b0d8f919b");  /* as when the keys had their former names */
    unmake(&a);
    unmake(&b);
}

#define PATTERN                                                                                            \
    "problem = \"swift_hohenberg\"; grid = { n = 16; length = 20.0; }; physics = { r = 0.1; };\n"             \
    "initial = \"cos(x)\";\n"

static void a_former_word_is_read_and_keeps_the_ids(void **state)
{
    (void)state;
    static const char former[] = PATTERN "time = { dt = 0.1; end = 1.0; scheme = \"backward_euler\"; };",
                      now[] = PATTERN "time = { dt = 0.1; end = 1.0; }; method = \"imex1\";",
                      left_out[] = PATTERN "time = { dt = 0.1; end = 1.0; };",
                      other[] = PATTERN "time = { dt = 0.1; end = 1.0; }; method = \"imex2\";",
                      axis[] = PATTERN "time = { dt = 0.1; end = 1.0; scheme = \"$s\"; };\n"
                                       "sweep = { s = [\"crank_nicolson\", \"backward_euler\"]; };";
    expect_report(former, NULL, 0, "");  /* a stored config */
    assert_true(same_ids(make_text(former, NULL, 0), make_text(now, NULL, 0)));
    assert_true(same_ids(make_text(left_out, NULL, 0), make_text(now, NULL, 0)));
    assert_false(same_ids(make_text(other, NULL, 0), make_text(now, NULL, 0)));
    struct made a = make_text(axis, NULL, 0), b = make_text(now, NULL, 0);
    assert_true(id_of(&a, 1) == id_of(&b, 0));
    assert_string_equal(b.sweep->id, "66a586c529f9");  /* as when imex1 was called backward_euler */
    unmake(&a);
    unmake(&b);
    struct made m = make_text(texts[2], OVERRIDES("initial=x", "method=imex1"));
    struct made n = make_text(texts[2], OVERRIDES("initial=x"));  /* this kind had no such key */
    assert_true(id_of(&m, 0) == id_of(&n, 0));
    unmake(&m);
    unmake(&n);
    expect_report(PATTERN "time = { dt = 0.1; end = 1.0; }; method = \"imex4\";", NULL, 0,
                  "ch.cfg:3: error: 'method' = \"imex4\" is none of crank_nicolson, imex1, imex2, imex3; did you mean "
                  "'imex1'?\n");
}

static void an_axis_may_have_a_former_name(void **state)
{
    (void)state;
    struct made m = MAKE("sweep.solver=[\"cpu.plain\", \"auto\"]", "solver=$solver", "initial=x");
    assert_int_equal(m.sweep->nruns, 2);
    unmake(&m);
    m = MAKE("sweep.stepper=[\"cpu.plain\", \"auto\"]", "solver=$stepper", "initial=x");
    assert_int_equal(m.sweep->nruns, 2);
    unmake(&m);
}

static void of_a_key_and_its_former_name_one_may_be_set(void **state)
{
    (void)state;
    expect_report(ADVECTION "solver = \"cpu.thomas\";\ndifferences = \"auto\";\n", NULL, 0,
                  "ch.cfg:3: error: 'solver' is the former name of 'differences', which is set as well; leave one "
                  "out\n");
}

static void the_last_override_counts_by_either_name(void **state)
{
    (void)state;
    static const char text[] = ADVECTION "method = \"ssp_rk3\";";
    static const char *const orders[][2] = {{"stepper=ssp_rk3", "method=rk4"}, {"method=ssp_rk3", "stepper=rk4"}};
    struct made wanted = make_text(text, OVERRIDES("method=rk4"));
    for (int k = 0; k < 2; k++) {
        struct made m = make_text(text, orders[k], 2);
        assert_true(id_of(&m, 0) == id_of(&wanted, 0));
        unmake(&m);
    }
    struct made m = make_text(text, OVERRIDES("stepper=rk4"));
    assert_true(id_of(&m, 0) == id_of(&wanted, 0));
    unmake(&m);
    unmake(&wanted);
}

static void the_nearest_name_knows_former_names(void **state)
{
    (void)state;
    REFUSED("-s: error: unknown key 'slover'; did you mean 'stepper'?\n", "slover=auto");
    REFUSED("-s: error: unknown key 'steper'; did you mean 'stepper'?\n", "steper=auto");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_is_its_namesake_or_the_config_is_refused),
        cmocka_unit_test(a_key_without_a_default_takes_the_axis_of_its_name),
        cmocka_unit_test(the_message_says_what_to_write),
        cmocka_unit_test(a_former_name_is_read_with_a_warning),
        cmocka_unit_test(a_former_word_is_read_and_keeps_the_ids),
        cmocka_unit_test(an_axis_may_have_a_former_name),
        cmocka_unit_test(of_a_key_and_its_former_name_one_may_be_set),
        cmocka_unit_test(the_last_override_counts_by_either_name),
        cmocka_unit_test(the_nearest_name_knows_former_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
