/* A problem's columns and functions for a benchmark: what a config would have said. */
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "bench/bench_impl.h"

static const char force[] = "a*cos(q*(x - v*t))";
static const char *const common[] = {"grid.n", "grid.length", "grid.x0", "time.dt", "time.end"};
static const char *const own[] = {"a", "v", "q", "seed"};

static const char *short_name(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

static void name_columns(const struct sw_problem *problem, struct bench_setup *s)
{
    int n = 0, most = (int)(sizeof s->name / sizeof *s->name) - 4;
    for (int k = 0; k < 5; k++) s->name[n++] = common[k];
    for (const struct sw_key *key = problem->keys; key->path && n < most; key++)
        if (key->kind == SW_KEY_REAL || key->kind == SW_KEY_COUNT) s->name[n++] = key->path;
    for (int k = 0; k < 4; k++) s->name[n++] = own[k];
    s->setup.ncolumn = n;
    s->setup.column = s->name;
}

static const struct sw_key *find_key(const struct sw_problem *problem, const char *path)
{
    for (const struct sw_key *key = problem->keys; key->path; key++)
        if (!strcmp(key->path, path)) return key;
    return NULL;
}

/* A number of all runs, before what differs. The problem's own keys are 1 unless they have a default. */
static double value_for(const struct sw_bench_spec *spec, const struct bench_kind *kind, const char *path)
{
    const struct sw_key *key = find_key(spec->problem, path);
    const char *name = short_name(path);
    double length = kind->dx > 0 ? kind->dx * (double)spec->n : 1, dt = kind->dt;
    for (int k = 0; k < spec->settings; k++) {
        if (!strcmp(spec->setting[k].name, name)) return spec->setting[k].value;
        if (!strcmp(spec->setting[k].name, "length")) length = spec->setting[k].value;
        if (!strcmp(spec->setting[k].name, "dt")) dt = spec->setting[k].value;
    }
    if (!strcmp(name, "n")) return (double)spec->n;
    if (!strcmp(name, "length")) return length;
    if (!strcmp(name, "x0")) return 0;
    if (!strcmp(name, "dt")) return dt;
    if (!strcmp(name, "end")) return dt * (double)spec->steps;
    if (!strcmp(name, "a") || !strcmp(name, "v")) return 0.1;
    if (!strcmp(name, "q")) return 2 * 3.14159265358979323846 * 4 / length;
    return key && key->fallback ? atof(key->fallback) : 1;
}

static bool is_varied(const struct bench_kind *kind, const char *path)
{
    const char *name = short_name(path);
    return !strcmp(name, kind->varied) || !strcmp(path, "a") || !strcmp(path, "v");
}

static void fill_columns(const struct sw_bench_spec *spec, struct bench_setup *s)
{
    for (int k = 0; k < s->setup.ncolumn; k++) {
        double value = value_for(spec, s->kind, s->name[k]), *column = s->column + (size_t)k * (size_t)spec->batch;
        bool varied = spec->per_run && is_varied(s->kind, s->name[k]), seed = !strcmp(s->name[k], "seed");
        for (int j = 0; j < spec->batch; j++) {
            column[j] = varied ? value * (1 + 0.5 * j / spec->batch) : value;
            if (seed && spec->per_run) column[j] = 1 + j;
        }
    }
}

static enum sw_status add_function(struct bench_setup *s, const char *key, const char *text, uint32_t stream)
{
    struct sw_symbol symbol[40] = {{"x", SW_RATE_CELL, SW_IN_X}, {"t", SW_RATE_STEP, 0}};
    struct sw_scope scope = {.symbol = symbol, .count = 2, .random = true, .stream = stream};
    struct sw_expr_error err = {0};
    int k = s->setup.nfunction++;
    for (int c = 0; c < s->setup.ncolumn; c++)
        symbol[scope.count++] = (struct sw_symbol){short_name(s->name[c]), SW_RATE_RUN, c};
    enum sw_status st = sw_expr_parse(text, &s->expr[k], &err);
    if (!st) st = sw_program_compile(s->expr[k], &scope, &s->program[k], &err);
    if (st == SW_E_CONFIG) st = SW_FAIL(st, "'%s', column %d: %s", text, err.column, err.text);
    s->function[k] = (struct sw_function){.key = key, .text = text, .expr = s->expr[k], .program = s->program[k]};
    s->setup.function = s->function;
    return st;
}

enum sw_status bench_setup_make(const struct sw_bench_spec *spec, struct bench_setup *s)
{
    *s = (struct bench_setup){.kind = bench_kind_of(spec->problem), .batch = spec->batch};
    s->setup.n[0] = spec->n;
    s->setup.n[1] = s->setup.n[2] = 1;
    s->setup.capacity = spec->batch;
    s->setup.uniform = !spec->per_run;
    s->setup.single_steps = spec->single;
    name_columns(spec->problem, s);
    SW_TRY(sw_alloc((size_t)s->setup.ncolumn * (size_t)spec->batch, &s->column));
    fill_columns(spec, s);
    SW_TRY(add_function(s, "initial", s->kind->initial, 0));
    return spec->forced ? add_function(s, "forcing", force, 1) : SW_OK;
}

void bench_setup_free(struct bench_setup *s)
{
    for (int k = 0; k < 2; k++) {
        sw_program_destroy(&s->program[k]);
        sw_expr_destroy(&s->expr[k]);
    }
    sw_free(s->column);
    s->column = NULL;
}

double bench_setup_value(const struct bench_setup *s, int j, const char *name)
{
    for (int k = 0; k < s->setup.ncolumn; k++)
        if (!strcmp(short_name(s->name[k]), name)) return s->column[(size_t)k * (size_t)s->batch + (size_t)j];
    return 0;
}

struct of_run { const struct bench_setup *s; int j; };

static double value_of(const void *from, const char *name)
{
    const struct of_run *r = from;
    return bench_setup_value(r->s, r->j, name);
}

void bench_setup_matrix(const struct bench_setup *s, int j, double *s4, double *s2)
{
    struct of_run r = {s, j};
    s->kind->matrix(value_of, &r, s4, s2);
}
