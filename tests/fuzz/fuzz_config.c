// sources: src/sweep/*.c src/expr/*.c src/base/sw_err.c src/base/sw_mem.c src/base/sw_text.c
// sources: src/base/sw_nearest_name.c src/base/sw_report.c src/base/sw_hash*.c src/base/sw_clock.c
// sources: src/device/device_spec.c src/device/device_table.c src/device/device_cpu.c
// sources: src/problem/setup.c src/base/row.c src/base/sw_private.c src/base/sw_stop.c
// without: src/sweep/config_columns.c
// link: -lconfig -lgomp -lnettle
/* libFuzzer: any text as a config, with its last line as an override. Reading and expanding must neither crash nor
 * hang; a refusal must say why; what is accepted has runs with finite numbers, ids, groups. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "problem/grid_keys.h"
#include "sweep/sw_sweep.h"

/* A problem of its own, so that nothing above the sweep is needed. */
static const struct sw_key keys[] = {
    {.path = "physics.D",
     .kind = SW_KEY_REAL,
     .unit = "1",
     .fallback = "1",
     .decides = true,
     .visible = true,
     .about = "D."},
    {.path = "order",
     .kind = SW_KEY_COUNT,
     .unit = "1",
     .min = 2,
     .max = 4,
     .multiple = 2,
     .fallback = "4",
     .decides = true,
     .about = "Order."},
    {.path = "scheme", .kind = SW_KEY_WORD, .words = "one|two", .fallback = "one", .decides = true, .about = "Scheme."},
    {.path = "initial",
     .kind = SW_KEY_FUNCTION,
     .fallback = "0",
     .symbols = SW_USES_X | SW_USES_RANDOM,
     .decides = true,
     .about = "Initial."},
    {.path = "forcing",
     .kind = SW_KEY_FUNCTION,
     .fallback = "",
     .symbols = SW_USES_X | SW_USES_T | SW_USES_U | SW_USES_RANDOM,
     .decides = true,
     .about = "Forcing."},
    SW_GRID_KEYS,
    {0},
};
static const struct sw_quantity fields[] = {{"u", "1", "u"}, {0}};
static const struct sw_problem_shape shape = {.min_points = 5, .max_dim = 3};
static const struct sw_problem_time times;
static const struct sw_problem problem = {
    .name = "heat", .keys = keys, .fields = fields, .scalars = fields, .shape = &shape, .time = &times};
const struct sw_problem *const sw_problem_table[] = {&problem, NULL};
const struct sw_problem *sw_problem_find(const char *name) { return strcmp(name, problem.name) ? NULL : &problem; }

/* No HDF5 file is read here. */
enum sw_status sw_config_read_columns(const char *path, const char *group, struct sw_text *text)
{
    (void)group, (void)text;
    return SW_FAIL(SW_E_CONFIG, "%s: no HDF5 file", path);
}

/* libconfig 1.5 does not free the string it was reading when it meets a syntax error. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libconfig"; }

static void must(int condition)
{
    if (!condition) abort();
}

/* Sweeps and series as large as allowed take their time; here numbers have at most two digits before the point. */
static int is_small(const char *text)
{
    int digits = 0;
    for (const char *c = text; *c; c++) {
        if (isdigit((unsigned char)*c)) digits++;
        else if (*c == '.') digits = -100;
        else digits = 0;
        if (digits > 2 ||
            (c > text && strchr("eE", *c) && *c && isalnum((unsigned char)c[-1]) && strchr("+0123456789", c[1])))
            return 0;
        if (*c == '^' || !strncmp(c, "exp", 3) || !strncmp(c, "every", 5) || !strncmp(c, "sinh", 4) ||
            !strncmp(c, "cosh", 4))
            return 0;
    }
    return 1;
}

static void check_runs(struct sw_sweep *s)
{
    int64_t *run, count, n = s->nruns < 3000 ? s->nruns : 3000;
    double *column;
    uint64_t *id;
    struct sw_group *group;
    int ngroup;
    char text[60];
    must(s->nruns > 0);
    must(!sw_alloc((size_t)n * (size_t)s->ncolumn, &column) && !sw_alloc((size_t)n, &id));
    must(!sw_sweep_columns(s, NULL, 0, n, column));
    for (int64_t k = 0; k < n * s->ncolumn; k++) must(isfinite(column[k]));
    enum sw_status st = sw_sweep_ids(s, 0, n, id);
    must(st == SW_OK || st == SW_E_CONFIG);
    sw_sweep_describe(s, s->nruns - 1, text, sizeof text);
    if (s->nruns < 3000) {
        must(!sw_sweep_select(s, &(struct sw_selection){"run >= 1", 1, 2}, &run, &count));
        must(!sw_sweep_groups(s, run, count, &group, &ngroup));
        for (int k = 0; k < ngroup; k++) {
            must(group[k].count > 0 && group[k].steps > 0 && group[k].dim >= 1 && group[k].dim <= SW_DIMS);
            for (int d = 0; d < SW_DIMS; d++) must(d < group[k].dim ? group[k].n[d] >= 5 : group[k].n[d] == 1);
            must(!strcmp(group[k].choice[0].word, "one") || !strcmp(group[k].choice[0].word, "two"));
            for (int j = 0; j < group[k].nfield; j++)
                must(group[k].field_step[j] >= -1 && group[k].field_step[j] <= group[k].steps);
        }
        sw_groups_free(&group, ngroup);
        sw_free(run);
    }
    sw_free(column);
    sw_free(id);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sw_report report = {0};
    struct sw_config *config;
    struct sw_sweep *sweep = NULL;
    char *text = sw_strndup((const char *)data, size);
    must(text != NULL);
    char *last = strrchr(text, '\n');
    const char *override = last ? last + 1 : "";
    int noverride = last && strchr(last, '=') != NULL;
    enum sw_status st = sw_config_read_text("f.cfg", text, &override, noverride, &report, &config);
    must((st == SW_OK) == (config != NULL));
    must(st == SW_OK || (st == SW_E_CONFIG && report.errors > 0));
    if (!st && is_small(text)) {
        st = sw_sweep_expand(config, &report, &sweep);
        must((st == SW_OK) == (sweep != NULL) && (st == SW_OK) == (report.errors == 0));
        if (sweep) check_runs(sweep);
    }
    char *printed = sw_report_print(&report);
    must(printed && (printed[0] != 0) == (report.count > 0));
    sw_free(printed);
    sw_sweep_destroy(&sweep);
    sw_config_destroy(&config);
    sw_report_free(&report);
    sw_free(text);
    return 0;
}
