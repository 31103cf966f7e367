#ifndef SWEEP_HELPERS_H
#define SWEEP_HELPERS_H
/* Expanding small configs in tests: a base text, changed by overrides. */
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "helpers.h"
#include "sweep/sw_sweep.h"

static const char base_text[] = "problem = \"hyperdiffusion\";\n"
                                "grid = { n = 16; length = 1.0; };\n"
                                "physics = { gamma = 1.0; D = 1.0; };\n"
                                "time = { dt = 0.1; end = 1.0; };\n"
                                "initial = \"cos(x)\";\n";

/* A config and its sweep; made and freed together. */
struct made { struct sw_config *config; struct sw_sweep *sweep; };

/* What is wrong with a text and overrides, as printed; "" if nothing. Free with sw_free(). */
static inline char *try_text(const char *text, const char *const *override, int n, struct made *m)
{
    struct sw_report report = {0};
    *m = (struct made){0};
    enum sw_status st = sw_config_read_text("ch.cfg", text, override, n, &report, &m->config);
    if (!st) st = sw_sweep_expand(m->config, &report, &m->sweep);
    assert_true(st == SW_OK || st == SW_E_CONFIG);
    assert_int_equal(st == SW_OK, report.errors == 0);
    char *printed = sw_report_print(&report);
    sw_report_free(&report);
    return printed;
}

static inline void unmake(struct made *m)
{
    sw_sweep_destroy(&m->sweep);
    sw_config_destroy(&m->config);
}

static inline struct made make_text(const char *text, const char *const *override, int n)
{
    struct made m;
    char *printed = try_text(text, override, n, &m);
    if (!m.sweep) fail_msg("refused: %s", printed);
    sw_free(printed);
    return m;
}

static inline void refuse_text(const char *text, const char *const *override, int n, const char *expected)
{
    struct made m;
    char *printed = try_text(text, override, n, &m);
    assert_string_equal(printed, expected);
    assert_null(m.sweep);
    sw_free(printed);
    unmake(&m);
}

/* The base with some overrides: MAKE("sweep.a=[1, 2]", "initial=a*x") */
#define OVERRIDES(...)                                                                                                 \
    (const char *const[]){__VA_ARGS__}, (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
#define MAKE(...) make_text(base_text, OVERRIDES(__VA_ARGS__))
#define REFUSED(expected, ...) refuse_text(base_text, OVERRIDES(__VA_ARGS__), expected)

/* One number of one run. */
static inline double number(const struct sw_sweep *s, const char *column, int64_t run)
{
    double *v, result = 0;
    bool found = false;
    assert_ok(sw_alloc((size_t)s->ncolumn, &v));
    assert_ok(sw_sweep_columns(s, &run, 0, 1, v));
    for (int k = 0; k < s->ncolumn && !found; k++)
        if ((found = !strcmp(s->column_name[k], column))) result = v[k];
    sw_free(v);
    if (!found) fail_msg("no column %s", column);
    return result;
}

static inline uint64_t id_of(const struct made *m, int64_t run)
{
    uint64_t id;
    assert_ok(sw_sweep_ids(m->sweep, run, 1, &id));
    return id;
}
/* Whether the first runs of two sweeps have one id; frees both. */
static inline bool same_ids(struct made a, struct made b)
{
    const bool same = id_of(&a, 0) == id_of(&b, 0);
    unmake(&a);
    unmake(&b);
    return same;
}
#endif
