#ifndef STEPPER_HELPERS_H
#define STEPPER_HELPERS_H
/* Steppers in tests: a row of the table, the programs a stepper borrows, its runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "stepper_calls.h"

#define ROW_OPS sw_stepper_ops
#include "row_helpers.h"

static struct sw_device *host;

static const double pi = 3.14159265358979323846, unit = 0x1p-53;

/* A row may need a library that was there when the tests were built: without it there is no device for it, either. */
static inline int open_devices(void **state)
{
    const struct sw_stepper_desc smallest = {.n = 64, .capacity = 1};
    struct sw_stepper *s = NULL;
    if (open_device(state)) return 1;
    if (sw_device_open("cpu", 1, &host)) return 1;
    if (device && stepper_create(&smallest, under_test->name, device, &s) == SW_E_ABSENT) sw_device_close(&device);
    stepper_destroy(&s);
    return 0;
}

static inline int close_devices(void **state)
{
    sw_device_close(&host);
    return close_device(state);
}

/* ---- a stepper and the programs it borrows */

/* Expressions may use the parameters a, b, c of a run besides x, t, u, ux, uxx. */
struct texts { enum sw_scheme scheme; const char *initial, *g, *s, *energy; };
enum { PARAMS = 3 };

struct sim {
    struct sw_program *program[4];
    struct sw_stepper *s;
    int                n, count;
};

static inline struct sw_program *compile(const char *text, uint32_t stream)
{
    static const struct sw_symbol symbol[] = {
        {"a", SW_RATE_RUN, 0}, {"b", SW_RATE_RUN, 1}, {"c", SW_RATE_RUN, 2}, {"t", SW_RATE_STEP, 0},
        {"x", SW_RATE_CELL, SW_IN_X}, {"u", SW_RATE_POINT, SW_IN_U}, {"ux", SW_RATE_POINT, SW_IN_UX},
        {"uxx", SW_RATE_POINT, SW_IN_UXX},
    };
    const struct sw_scope scope = {.symbol = symbol, .count = 8, .random = true, .stream = stream};
    struct sw_expr *expr = NULL;
    struct sw_program *program = NULL;
    struct sw_expr_error err;
    if (!text) return NULL;
    if (sw_expr_parse(text, &expr, &err) || sw_program_compile(expr, &scope, &program, &err))
        fail_msg("%s: column %d: %s", text, err.column, err.text);
    sw_expr_destroy(&expr);
    return program;
}

static bool promise_uniform;  /* of the steppers that make_with() makes */

static inline struct sim make_with(const char *row, struct sw_device *where, struct texts t, int n, int capacity,
                                   bool single)
{
    struct sim m = {{compile(t.initial, 0), compile(t.g, 1), compile(t.s, 1), compile(t.energy, 1)}, NULL, n, 0};
    struct sw_stepper_desc desc = {
        .n = n, .capacity = capacity, .single = single, .uniform = promise_uniform,
        .model = {.scheme = t.scheme, .nparam = PARAMS, .initial = {m.program[0]}, .g = {m.program[1]},
                  .explicit_term = {m.program[2]}, .energy = m.program[3]},
    };
    assert_ok(stepper_create(&desc, row, where, &m.s));
    return m;
}

/* Rows take lines from some length on: all do from 64 points, so that a test of lines no shorter leaves out no row. */
static inline bool takes_lines_of(int n)
{
    const struct sw_stepper_desc desc = {.n = n, .capacity = 1};
    return under_test->fits(&desc, device ? device->sm : 0);
}

/* n points, or one more where the row takes lines of an even number only. */
static inline int length_near(int n) { return takes_lines_of(n) ? n : n + 1; }

static inline struct sim make(struct texts t, int n, int capacity)
{
    return make_with(under_test->name, device, t, n, capacity, false);
}

static inline void unmake(struct sim *m)
{
    stepper_destroy(&m->s);
    assert_null(m->s);
    for (int k = 0; k < 4; k++) sw_program_destroy(&m->program[k]);
}

/* A run and its parameters. */
struct run { struct sw_line_run line; double param[PARAMS]; };

static inline void load_faulty(struct sim *m, int count, const struct run *run, const char **load_error)
{
    struct sw_line_run *line = NULL;
    double *param = NULL;
    assert_ok(sw_alloc((size_t)count, &line));
    assert_ok(sw_alloc((size_t)count * PARAMS, &param));
    for (int j = 0; j < count; j++) {
        line[j] = run[j].line;
        for (int k = 0; k < PARAMS; k++) param[k * count + j] = run[j].param[k];
    }
    assert_ok(stepper_load(m->s, count, line, param, load_error));
    m->count = count;
    sw_free(line);
    sw_free(param);
}

static inline void load(struct sim *m, int count, const struct run *run)
{
    const char **load_error = NULL;
    assert_ok(sw_alloc((size_t)count, &load_error));
    load_faulty(m, count, run, load_error);
    for (int j = 0; j < count; j++)
        if (load_error[j]) fail_msg("run %d: %s", j, load_error[j]);
    sw_free(load_error);
}

static inline void start(struct sim *m, int count, const struct run *run)
{
    load(m, count, run);
    assert_ok(stepper_initial(m->s));
}

static inline double *state_of(const struct sim *m)
{
    double *u = NULL;
    assert_ok(sw_alloc((size_t)m->count * (size_t)m->n, &u));
    assert_ok(stepper_get_state(m->s, u));
    return u;
}

static inline const double *scalars_of(const struct sim *m)
{
    const void *field;
    const double *scalars;
    assert_ok(stepper_snapshot(m->s, 1, SW_SNAPSHOT_SCALARS));
    assert_ok(stepper_fetch(m->s, 1, &field, &scalars));
    assert_null(field);
    return scalars;
}
#endif
