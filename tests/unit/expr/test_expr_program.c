/* Programs: what is computed how often, blocks, and the generated text, compiled as C, against the interpreter. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "expr/expr_impl.h"
#include "expr/random_point.h"
#include "expr_cases.h"
#include "helpers.h"

/* One name of every rate a forcing has. */
static const struct sw_symbol symbols[] = {
    {"a", SW_RATE_RUN, 0}, {"b", SW_RATE_RUN, 1}, {"k", SW_RATE_RUN, 2}, {"seed", SW_RATE_RUN, 3},
    {"t", SW_RATE_STEP, 0}, {"x", SW_RATE_CELL, SW_IN_X}, {"y", SW_RATE_CELL, SW_IN_Y}, {"u", SW_RATE_POINT, SW_IN_U},
};
static const struct sw_scope scope = {symbols, sizeof symbols / sizeof symbols[0], true, 1};
enum { PARAMS = 4 };

/* What no text can have: behind an '@' min(a, b) is the normal number a of the point that is b points on. */
static enum sw_status parse(const char *text, struct sw_expr **expr, struct sw_expr_error *err)
{
    SW_TRY(sw_expr_parse(text + (*text == '@'), expr, err));
    for (int k = 0; *text == '@' && k < (*expr)->count; k++)
        if ((*expr)->node[k].op == OP_CHOICE) (*expr)->node[k].op = OP_NOISE;
    return SW_OK;
}

static struct sw_program *compile(const char *text)
{
    struct sw_expr *expr = NULL;
    struct sw_program *program = NULL;
    struct sw_expr_error err;
    if (parse(text, &expr, &err) || sw_program_compile(expr, &scope, &program, &err))
        fail_msg("'%s', column %d: %s", text, err.column, err.text);
    sw_expr_destroy(&expr);
    return program;
}

/* ------------------------------------------------------------------ rates */

static void work_is_done_as_seldom_as_it_can_be(void **state)
{
    (void)state;
    static const struct { const char *text; enum sw_rate rate; struct sw_program_size size; } rows[] = {
        /*                                             params run step cell point */
        {"1 + 2*3",                    SW_RATE_RUN,   {0, 0, 0, 0, 0}},
        {"a",                          SW_RATE_RUN,   {1, 0, 0, 0, 0}},
        {"2*pi*4/k",                   SW_RATE_RUN,   {3, 1, 0, 0, 0}},
        {"t",                          SW_RATE_STEP,  {0, 0, 0, 0, 0}},
        {"a*sin(2*pi*t)",              SW_RATE_STEP,  {1, 0, 1, 0, 0}},
        {"x",                          SW_RATE_CELL,  {0, 0, 0, 0, 0}},
        {"a*sin(k*x)",                 SW_RATE_CELL,  {3, 0, 0, 1, 0}},
        {"x*y + a*b",                  SW_RATE_CELL,  {2, 1, 0, 1, 0}},
        {"u",                          SW_RATE_POINT, {0, 0, 0, 0, 0}},
        {"x + t",                      SW_RATE_POINT, {0, 0, 0, 0, 1}},
        {"u^3 - u",                    SW_RATE_POINT, {0, 0, 0, 0, 3}},
        {"a*cos(k*(x - b*t))",         SW_RATE_POINT, {3, 0, 2, 2, 4}},  /* cos X cos T - sin X sin T, times a */
        {"sin(x/a + 2*t + b)",         SW_RATE_POINT, {2, 0, 2, 2, 3}},
        {"cos(-(x - t)) + sin(t - x)", SW_RATE_POINT, {0, 0, 2, 2, 7}},  /* one X = -x and one T = t for both */
        {"sin(x*t)",                   SW_RATE_POINT, {0, 0, 0, 0, 2}},  /* no sum */
        {"cos(x - u + t)",             SW_RATE_POINT, {0, 0, 0, 0, 3}},  /* u is not fixed in time */
        {"a*sin(k*x)*exp(-k^2*t)",     SW_RATE_POINT, {3, 1, 1, 1, 1}},  /* only the last product is left */
        {"sin(k*x)*sin(k*x)",          SW_RATE_CELL,  {3, 0, 0, 1, 0}},
        {"sin(a*b)*u + sin(b*a)*u^2",  SW_RATE_POINT, {2, 1, 0, 0, 4}},  /* a sine a run; u², two products, sum */
        {"u*u*u - u^3",                SW_RATE_POINT, {0, 0, 0, 0, 3}},  /* u*u, *u, minus: u^3 is the same product */
        {"u^16",                       SW_RATE_POINT, {0, 0, 0, 0, 4}},
        {"u^15",                       SW_RATE_POINT, {0, 0, 0, 0, 6}},
        {"u^17",                       SW_RATE_POINT, {0, 0, 0, 0, 1}},
        {"1*u/1",                      SW_RATE_POINT, {0, 0, 0, 0, 0}},
        {"1 < 2 ? u : sin(u)",         SW_RATE_POINT, {0, 0, 0, 0, 0}},
        {"randn(seed)",                SW_RATE_POINT, {4, 0, 0, 0, 1}},
        {"randn(1) + randn(2 - 1)",    SW_RATE_POINT, {0, 0, 0, 0, 2}},
    };
    for (size_t j = 0; j < sizeof rows / sizeof rows[0]; j++) {
        struct sw_program *program = compile(rows[j].text);
        struct sw_program_size size = sw_program_size(program), expected = rows[j].size;
        if (sw_program_rate(program) != rows[j].rate) fail_msg("%s: rate %d", rows[j].text, sw_program_rate(program));
        if (memcmp(&size, &expected, sizeof size))
            fail_msg("%s: params %d run %d step %d cell %d point %d", rows[j].text, size.params, size.run, size.step,
                     size.cell, size.point);
        sw_program_destroy(&program);
    }
}

/* cos and sin of the travelling wave, by the addition theorem, against the same formula in long double. */
static void a_travelling_wave_is_as_accurate_as_its_angle(void **state)
{
    (void)state;
    uint64_t random = 21;
    static const char *const waves[] = {"cos(k*(x - b*t))", "sin(k*(x - b*t))"};
    for (int j = 0; j < 2; j++) {
        struct sw_program *program = compile(waves[j]);
        struct sw_eval *eval;
        assert_ok(sw_eval_create(program, 1, &eval));
        for (int i = 0; i < 2000; i++) {
            double k = 4 * test_random(&random), b = test_random(&random), t = 200 * test_random(&random);
            double x = 100 * test_random(&random), value, p[PARAMS] = {0, b, k, 0};
            const double *const point[] = {&x};
            sw_eval_run(eval, p, 1);
            sw_eval_cells(eval, 1, point);
            sw_eval_step(eval, t, 0);
            sw_eval_points(eval, 1, point, &value);
            long double angle = (long double)k * ((long double)x - (long double)b * t);
            double expected = (double)(j ? sinl(angle) : cosl(angle));
            /* X = k x and T = k b t are rounded once and twice; four functions, two products and a sum of at most 1 */
            assert_near(value, expected, 0x1p-53 * (fabs(k * x) + 2 * fabs(k * b * t) + 5));
        }
        sw_eval_destroy(&eval);
        sw_program_destroy(&program);
    }
}

static void instructions_at_a_point_are_counted(void **state)
{
    (void)state;
    static const struct { const char *text; int instructions; } rows[] = {
        {"1", 0}, {"u*x + t", 2}, {"exp(x)*sin(t) + sqrt(u)", 3}, {"3*exp(u)", 31}, {"exp(u) + exp(u)^0.5", -1},
        {"tanh(x*t)", -1}, {"u*randn(1)", -1},
    };
    for (size_t j = 0; j < sizeof rows / sizeof rows[0]; j++) {
        struct sw_program *program = compile(rows[j].text);
        assert_int_equal(sw_program_instructions(program), rows[j].instructions);
        sw_program_destroy(&program);
    }
}

static void a_program_tells_what_it_uses(void **state)
{
    (void)state;
    double value = 0;
    struct sw_program *program = compile("a*x + (0 ? u : 1)");
    assert_true(sw_program_uses(program, "a") && sw_program_uses(program, "x"));
    assert_false(sw_program_uses(program, "u") || sw_program_uses(program, "b"));
    assert_false(sw_program_constant(program, &value));
    sw_program_destroy(&program);
    program = compile("2^10 - 24");
    assert_true(sw_program_constant(program, &value));
    assert_near(value, 1000, 0);
    sw_program_destroy(&program);
    program = compile("rand(1)");
    assert_false(sw_program_constant(program, &value));
    sw_program_destroy(&program);
    sw_program_destroy(&program);
    sw_program_destroy(NULL);
}

static void what_changes_inside_a_run_has_no_value_over_runs(void **state)
{
    (void)state;
    double value;
    struct sw_program *program = compile("a*t");
    assert_int_equal(sw_program_over_runs(program, 1, &value, 1, &value), SW_E_ARG);
    assert_contains(sw_err_message(), "depends on the point or on time");
    sw_program_destroy(&program);
}

/* ------------------------------------------------------------------ blocks */

enum { POINTS = 1000 };
static double x[POINTS], y[POINTS], u[POINTS];
static const double *const in[SW_INPUTS] = {[SW_IN_X] = x, [SW_IN_Y] = y, [SW_IN_U] = u};
static const double param[PARAMS] = {CASE_A, CASE_B, CASE_K, 5.0};

static const char *const mixed[] = {
    "a*cos(k*(x - b*t))", "u^3 - u", "randn(seed)*x + rand(seed)", "min(u, x, t)*max(a, u) + step(x - 0.3)",
    "exp(-(x^2 + y^2)/a)*sin(b*t)*u", "x < 0 ? u : sqrt(abs(u))*log(abs(x) + 1)", "atan2(u, x)^k + tanh(u)*floor(3*x)",
    "sin(x + t)*cos(-(x/k - t)*a) + sin(x - y - (t + b)*k)", "u^15 + u^-7", "a^u", "(x > 0 && u > 0) || !(t > 1)",
    "@(seed ? 1 : 9)*u - randn(seed)", "a", "t", "x", "u", "a*b", "sin(t)", "sin(x)", "3", "1/0", "0/0*u",
};
enum { MIXED = sizeof mixed / sizeof mixed[0] };

static int fill_points(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (int i = 0; i < POINTS; i++) {
        x[i] = 2 * test_random(&random);
        y[i] = test_random(&random);
        u[i] = 1.5 * test_random(&random);
    }
    u[17] = NAN;
    u[600] = INFINITY;
    x[900] = -0.0;
    return 0;
}

static void evaluate(const struct sw_program *program, int count, double t, int64_t step, double *out)
{
    struct sw_eval *eval;
    assert_ok(sw_eval_create(program, count, &eval));
    sw_eval_run(eval, param, 1);
    sw_eval_cells(eval, count, in);
    sw_eval_step(eval, t, step);
    sw_eval_points(eval, count, in, out);
    sw_eval_destroy(&eval);
}

static void a_point_has_the_same_bits_however_many_are_asked_for(void **state)
{
    (void)state;
    static const int counts[] = {1, 2, 3, 5, 255, 256, 257, 511, 512, 513, 999};
    static double all[POINTS], some[POINTS + 1];
    for (int j = 0; j < MIXED; j++) {
        struct sw_program *program = compile(mixed[j]);
        evaluate(program, POINTS, 0.7, 12, all);
        for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
            some[counts[k]] = 77;
            evaluate(program, counts[k], 0.7, 12, some);
            if (memcmp(all, some, (size_t)counts[k] * sizeof *all)) fail_msg("%s with %d points", mixed[j], counts[k]);
            assert_true(some[counts[k]] == 77);
        }
        evaluate(program, 0, 0.7, 12, some);
        sw_program_destroy(&program);
    }
}

static void steps_and_runs_may_come_in_any_order(void **state)
{
    (void)state;
    static double first[POINTS], other[POINTS], again[POINTS];
    const double elsewhere[2 * PARAMS] = {9, 0, 8, 0, 7, 0, 6, 0};
    for (int j = 0; j < MIXED; j++) {
        struct sw_program *program = compile(mixed[j]);
        struct sw_eval *eval;
        assert_ok(sw_eval_create(program, POINTS, &eval));
        evaluate(program, POINTS, 0.7, 12, first);
        sw_eval_run(eval, elsewhere, 2);  /* stride 2 */
        sw_eval_cells(eval, POINTS, in);
        sw_eval_step(eval, 0.1, 3);
        sw_eval_points(eval, POINTS, in, other);
        sw_eval_run(eval, param, 1);
        sw_eval_cells(eval, POINTS, in);
        sw_eval_step(eval, 0.9, 15);
        sw_eval_points(eval, POINTS, in, other);
        sw_eval_step(eval, 0.7, 12);
        sw_eval_points(eval, POINTS, in, again);
        if (memcmp(first, again, sizeof first)) fail_msg("%s remembers what came before", mixed[j]);
        sw_eval_destroy(&eval);
        sw_program_destroy(&program);
    }
}

/* Along a line, and in a box whose rows are cut anywhere. */
static void noise_is_that_of_the_point_or_the_face_beside_it(void **state)
{
    (void)state;
    static const struct { const char *text; int face, end; } faces[] = {
        {"@5 ? 0 : 0", SW_NOISE_HERE, 0},     {"@5 ? 1 : 99", SW_NOISE_LEFT, 99},
        {"@5 ? 1 : 0", SW_NOISE_LEFT, 0},     {"@5 ? 2 : 5", SW_NOISE_LEFT + 1, 5},
        {"@5 ? 3 : 3", SW_NOISE_LEFT + 2, 3}, {"@5 ? 4 : 6", SW_NOISE_RIGHT, 6},
        {"@5 ? 5 : 5", SW_NOISE_RIGHT + 1, 5}};
    static double other[POINTS];
    enum { NX = 7, NY = 6 };
    for (int k = 0; k < 7; k++) {
        const int face = faces[k].face, end = faces[k].end;
        struct sw_program *program = compile(faces[k].text);
        evaluate(program, POINTS, 0.7, 12, other);
        for (int i = 0; i < POINTS && (face <= SW_NOISE_LEFT || face == SW_NOISE_RIGHT); i++)
            if (other[i] != sw_noise(5.0, i, 0, 0, 0, 0, 0, face, end, 12, 1)) fail_msg("%s at %d", faces[k].text, i);
        struct sw_eval *eval;
        assert_ok(sw_eval_create(program, POINTS, &eval));
        sw_eval_grid(eval, NX, NY);
        sw_eval_run(eval, param, 1);
        sw_eval_number_from(eval, 3);
        sw_eval_cells(eval, POINTS, in);
        sw_eval_step(eval, 0.7, 12);
        sw_eval_points(eval, POINTS, in, other);
        for (int at = 3; at < POINTS + 3; at++) {
            const int i = at % NX, j = at / NX % NY, l = at / NX / NY;
            if (other[at - 3] != sw_noise(5.0, i, j & ~3, j & 3, l, NX, NY, face, end, 12, 1))
                fail_msg("%s at %d, %d, %d", faces[k].text, i, j, l);
        }
        sw_eval_destroy(&eval);
        sw_program_destroy(&program);
    }
}

static void many_runs_at_once_have_the_bits_of_each_alone(void **state)
{
    (void)state;
    enum { RUNS = 1000, LD = 1003 };
    static const char *const texts[] = {"a", "3", "2*pi*4/k", "a^2 + sin(b)*exp(k)", "a > b && k < 0",
                                        "min(a, b, k)/b"};
    static double params[PARAMS * LD], together[RUNS];
    uint64_t random = 9;
    for (int k = 0; k < PARAMS * LD; k++) params[k] = 3 * test_random(&random);
    for (size_t j = 0; j < sizeof texts / sizeof texts[0]; j++) {
        struct sw_program *program = compile(texts[j]);
        struct sw_eval *eval;
        assert_ok(sw_eval_create(program, 1, &eval));
        assert_ok(sw_program_over_runs(program, RUNS, params, LD, together));
        for (int run = 0; run < RUNS; run++) {
            double alone, inside;
            assert_ok(sw_program_over_runs(program, 1, params + run, LD, &alone));
            sw_eval_run(eval, params + run, LD);
            sw_eval_step(eval, 0, 0);
            sw_eval_points(eval, 1, in, &inside);
            assert_memory_equal(&alone, &together[run], sizeof alone);
            assert_memory_equal(&inside, &together[run], sizeof alone);
        }
        sw_eval_destroy(&eval);
        sw_program_destroy(&program);
    }
}

/* ------------------------------------------------------------------ the generated text */

static const char *const table[] = {
#define X(text, value) text,
    EXPR_CASES(X, 0, 0, 0, 0, 0, 0)
#undef X
};
enum { TABLE = sizeof table / sizeof table[0], PROGRAMS = TABLE + MIXED };

static const char *text_of(int j) { return j < TABLE ? table[j] : mixed[j - TABLE]; }

/* Calls the four functions as a kernel would: kept values lie strided. */
static void write_caller(FILE *file, int j, struct sw_program_size size)
{
    fprintf(file,
            "void call_%d(const real *p, const real *in, int cell, real t, long long step, real *out)\n{\n"
            "    enum { LD = 3 };\n"
            "    real r0[%d + 1], s0[%d + 1], c0[%d + 1], r[LD*%d + 1], s[LD*%d + 1], c[LD*%d + 1];\n",
            j, size.run, size.step, size.cell, size.run, size.step, size.cell);
    fprintf(file, "    f%d_run(p, LD, r0);\n", j);
    fprintf(file, "    for (int k = 0; k < %d; k++) r[LD*k] = r0[k];\n", size.run);
    fprintf(file, "    f%d_step(p, LD, r, LD, t, step, s0);\n", j);
    fprintf(file, "    for (int k = 0; k < %d; k++) s[LD*k] = s0[k];\n", size.step);
    fprintf(file, "    f%d_cell(p, LD, r, LD, in, cell, c0);\n", j);
    fprintf(file, "    for (int k = 0; k < %d; k++) c[LD*k] = c0[k];\n", size.cell);
    fprintf(file, "    *out = f%d_point(p, LD, r, LD, s, LD, c, LD, in, cell, t, step);\n}\n", j);
}

static void write_source(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#include \"expr/random_point.h\"\ntypedef double real;\n"
                  "#define SW_FMA(x, y, z) ((x)*(y) + (z))\n#define SW_EXP(a) exp(a)\n");
    for (int j = 0; j < PROGRAMS; j++) {
        struct sw_program *program = compile(text_of(j));
        struct sw_text text = {0};
        char prefix[16];
        snprintf(prefix, sizeof prefix, "f%d", j);
        sw_program_cuda(program, prefix, &text);
        assert_ok(sw_text_status(&text));
        fprintf(file, "%svoid call_%d(const real *, const real *, int, real, long long, real *);\n",
                sw_text_get(&text), j);
        write_caller(file, j, sw_program_size(program));
        sw_text_free(&text);
        sw_program_destroy(&program);
    }
    assert_int_equal(fclose(file), 0);
}

static void *build_library(void)
{
    char source[400], library[400], command[1200];
    snprintf(source, sizeof source, "%s/generated.c", test_folder());
    snprintf(library, sizeof library, "%s/generated.so", test_folder());
    if (system("cc --version > /dev/null 2>&1"))
        skip_unless_needed("cc", "no C compiler here: the generated text is not compared");
    write_source(source);
    snprintf(command, sizeof command, "cc -std=c11 -O1 -ffp-contract=off -Wall -Wextra -Werror -Isrc "
             "-shared -fPIC -o %s %s -lm", library, source);
    if (system(command)) fail_msg("does not compile: %s", command);
    void *handle = dlopen(library, RTLD_NOW);
    if (!handle) fail_msg("%s", dlerror());
    return handle;
}

/* Bit for bit: both sides are the same IEEE operations in the same order, without contraction, and the same libm. */
static void the_generated_text_does_what_the_interpreter_does(void **state)
{
    (void)state;
    typedef void function(const double *p, const double *in, int cell, double t, long long step, double *out);
    enum { LD = 3, COUNT = 1000 };
    static double expected[POINTS];
    double p[PARAMS * LD] = {0};
    void *library = build_library();
    for (int k = 0; k < PARAMS; k++) p[k * LD] = param[k];
    for (int j = 0; j < PROGRAMS; j++) {
        struct sw_program *program = compile(text_of(j));
        char name[24];
        snprintf(name, sizeof name, "call_%d", j);
        function *call;
        *(void **)&call = dlsym(library, name);
        assert_non_null(call);
        evaluate(program, COUNT, CASE_T, 41, expected);
        for (int i = 0; i < COUNT; i++) {
            const double point[SW_INPUTS] = {[SW_IN_X] = x[i], [SW_IN_Y] = y[i], [SW_IN_U] = u[i]};
            double value;
            call(p, point, i, CASE_T, 41, &value);
            if (memcmp(&value, &expected[i], sizeof value) && !(isnan(value) && isnan(expected[i])))
                fail_msg("%s at point %d: text %.17g, interpreter %.17g", text_of(j), i, value, expected[i]);
        }
        sw_program_destroy(&program);
    }
    dlclose(library);
}

static void nothing_the_user_wrote_is_in_the_generated_text(void **state)
{
    (void)state;
    static const struct sw_symbol evil[] = {{"evil_name", SW_RATE_RUN, 0}, {"wicked", SW_RATE_POINT, 3}};
    struct sw_expr *expr = NULL;
    struct sw_program *program = NULL;
    struct sw_expr_error err;
    struct sw_text text = {0};
    assert_ok(sw_expr_parse("evil_name*wicked + 1234567", &expr, &err));
    assert_ok(sw_program_compile(expr, &(struct sw_scope){evil, 2, false, 0}, &program, &err));
    sw_program_cuda(program, "f", &text);
    assert_null(strstr(sw_text_get(&text), "evil"));
    assert_null(strstr(sw_text_get(&text), "wicked"));
    assert_null(strstr(sw_text_get(&text), "1234567"));
    assert_contains(sw_text_get(&text), "0x1.2d687p+20");  /* 1234567, exactly */
    sw_text_free(&text);
    sw_program_destroy(&program);
    sw_expr_destroy(&expr);
}

/* ------------------------------------------------------------------ x = X + t */

static struct sw_program *offset_of(const char *text)
{
    struct sw_program *program = compile(text), *offset = NULL;
    assert_ok(sw_program_offset(program, SW_IN_X, &offset));
    sw_program_destroy(&program);
    return offset;
}

static void an_offset_leaves_products_of_a_sine_at_a_point(void **state)
{
    (void)state;
    static const struct { const char *text; struct sw_program_size size; } rows[] = {
        /*                           params run step cell point */
        {"pi^2/4*cos(pi/2*x)",      {0, 0, 2, 2, 3}},  /* (pi²/4 cos X) cos T - (pi²/4 sin X) sin T */
        {"a*sin(k*x + b)",          {3, 0, 2, 2, 3}},
        {"-(sin(x) + 1)*a",         {1, 0, 2, 2, 6}},  /* no product alone */
        {"cos(x)*sin(x)",           {0, 0, 2, 2, 7}},  /* one sine and cosine of each for both */
        {"x^2",                     {0, 0, 0, 0, 2}},
        {"exp(-100*x^2)*(1 - 200*x^2)", {0, 0, 0, 0, 7}},
        {"a*b",                     {2, 1, 0, 0, 0}},
        {"3",                       {0, 0, 0, 0, 0}},
    };
    for (size_t j = 0; j < sizeof rows / sizeof rows[0]; j++) {
        struct sw_program *program = offset_of(rows[j].text);
        struct sw_program_size size = sw_program_size(program), expected = rows[j].size;
        if (memcmp(&size, &expected, sizeof size))
            fail_msg("%s: params %d run %d step %d cell %d point %d", rows[j].text, size.params, size.run, size.step,
                     size.cell, size.point);
        sw_program_destroy(&program);
    }
}

/* On a lattice whose sums are exact, so that only sines and cosines differ: each is off by (3 + |X| + |t|) 2^-53, and
 * what is made of them here by no more than 8 times that. */
static void an_offset_program_has_the_values_at_the_sum(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "pi^2/4*cos(pi/2*x)", "a*sin(k*x + b) + y*cos(k*x)", "exp(-x^2)*(1 - 2*x^2)", "x < 0.5 ? x : sqrt(x)",
        "a/(x + 3)", "a*b", "7", "x", "cos(x)*sin(x)^3 + min(x, y)", "u*x",
    };
    enum { FAR = 20, NEAR = 16 };
    static double sum[NEAR * FAR], start[NEAR * FAR], expected[POINTS], found[POINTS];
    const double *at_sum[SW_INPUTS] = {[SW_IN_X] = sum, [SW_IN_Y] = y, [SW_IN_U] = u};
    const double *at_start[SW_INPUTS] = {[SW_IN_X] = start, [SW_IN_Y] = y, [SW_IN_U] = u};
    for (size_t j = 0; j < sizeof texts / sizeof texts[0]; j++) {
        struct sw_program *program = compile(texts[j]), *offset = offset_of(texts[j]);
        struct sw_eval *eval, *eval_offset;
        assert_ok(sw_eval_create(program, FAR, &eval));
        assert_ok(sw_eval_create(offset, FAR, &eval_offset));
        sw_eval_run(eval, param, 1);
        sw_eval_run(eval_offset, param, 1);
        for (int i = 0; i < FAR; i++) start[i] = -1 + 0.0625 * 2 * i;
        sw_eval_cells(eval_offset, FAR, at_start);
        sw_eval_step(eval, 0, 0);
        for (int k = 0; k < NEAR; k++) {
            for (int i = 0; i < FAR; i++) sum[i] = start[i] + 0x1p-7 * k;
            sw_eval_cells(eval, FAR, at_sum);
            sw_eval_points(eval, FAR, at_sum, expected);
            sw_eval_step(eval_offset, 0x1p-7 * k, 0);
            sw_eval_points(eval_offset, FAR, at_start, found);
            for (int i = 0; i < FAR; i++)
                if (!isnan(expected[i])) assert_near(found[i], expected[i], 8 * (3 + 2 * fabs(CASE_K)) * 0x1p-53);
        }
        sw_eval_destroy(&eval);
        sw_eval_destroy(&eval_offset);
        sw_program_destroy(&program);
        sw_program_destroy(&offset);
    }
}

static void an_offset_needs_the_time_for_itself(void **state)
{
    (void)state;
    static const char *const texts[] = {"x + t", "rand(1)*x"};
    for (int j = 0; j < 2; j++) {
        struct sw_program *program = compile(texts[j]), *offset;
        assert_int_equal(sw_program_offset(program, SW_IN_X, &offset), SW_E_ARG);
        assert_contains(sw_err_message(), "has no place for an offset");
        assert_null(offset);
        sw_program_destroy(&program);
    }
}

/* ------------------------------------------------------------------ several runs side by side */

enum { LANES = 4, SIDE_POINTS = 150 };  /* more than a block */

struct side {
    double param[PARAMS * LANES], x[SIDE_POINTS * LANES], u[SIDE_POINTS * LANES], t[LANES], out[SIDE_POINTS * LANES];
};

static void fill_side(struct side *s)
{
    for (int k = 0; k < PARAMS * LANES; k++) s->param[k] = 0.5 + 0.25 * k;
    for (int l = 0; l < LANES; l++) s->t[l] = 0.1 + l;
    for (int i = 0; i < SIDE_POINTS * LANES; i++) {
        s->x[i] = 0.01 * i;
        s->u[i] = sin(0.7 * i);
    }
}

/* Lane l of s alone, by a workspace for one run. */
static void one_lane(const struct sw_program *program, const struct side *s, int l, int64_t step, double *out)
{
    double own_x[SIDE_POINTS], own_u[SIDE_POINTS];
    const double *inputs[SW_INPUTS] = {[SW_IN_X] = own_x, [SW_IN_Y] = own_x, [SW_IN_U] = own_u};
    struct sw_eval *eval;
    for (int i = 0; i < SIDE_POINTS; i++) {
        own_x[i] = s->x[i * LANES + l];
        own_u[i] = s->u[i * LANES + l];
    }
    assert_ok(sw_eval_create(program, SIDE_POINTS, &eval));
    sw_eval_run(eval, s->param + l, LANES);
    sw_eval_cells(eval, SIDE_POINTS, inputs);
    sw_eval_step(eval, s->t[l], step);
    sw_eval_points(eval, SIDE_POINTS, inputs, out);
    sw_eval_destroy(&eval);
}

static struct sw_eval *begin_side(const struct sw_program *program, const struct side *s, const double *const *inputs)
{
    struct sw_eval *eval;
    assert_ok(sw_eval_create_lanes(program, SIDE_POINTS, LANES, &eval));
    sw_eval_run(eval, s->param, LANES);
    sw_eval_cells(eval, SIDE_POINTS, inputs);
    sw_eval_step_lanes(eval, s->t, 17);
    return eval;
}

static void runs_side_by_side_have_the_bits_they_have_alone(void **state)
{
    static const char *const texts[] = {
        "a", "t", "x", "a*sin(k*x)", "u^3 - u", "a*cos(k*(x - b*t))", "x*t + a*u", "randn(seed)*u + rand(seed + 1)",
        "t*a + b", "3", "(u*u - x*x)*a", "b - (u + k)*x", "a*u - b*x + (x - u)*k",
    };
    static struct side s;
    const double *inputs[SW_INPUTS] = {[SW_IN_X] = s.x, [SW_IN_Y] = s.x, [SW_IN_U] = s.u};
    double alone[SIDE_POINTS];
    (void)state;
    fill_side(&s);
    for (int k = 0; k < (int)(sizeof texts / sizeof *texts); k++) {
        struct sw_program *program = compile(texts[k]);
        struct sw_eval *eval = begin_side(program, &s, inputs);
        sw_eval_points(eval, SIDE_POINTS, inputs, s.out);
        for (int l = 0; l < LANES; l++) {
            one_lane(program, &s, l, 17, alone);
            for (int i = 0; i < SIDE_POINTS; i++)
                if (s.out[i * LANES + l] != alone[i]) fail_msg("%s, lane %d, point %d", texts[k], l, i);
        }
        sw_eval_destroy(&eval);
        sw_program_destroy(&program);
    }
}

static void a_polynomial_in_u_is_found_with_its_coefficients(void **state)
{
    static const struct { const char *text; int terms; } rows[] = {  /* -1: not of the form */
        {"a*(u^3 - u)", 2}, {"a*cos(k*(x - b*t))", 2}, {"a*x*t - u/b + 3", 3}, {"-(u*x) + 2*u*x", 1}, {"t", 1},
        {"(u - 1000)^2", -1}, {"(u + x)*(u - t)", -1}, {"sin(u)", -1}, {"u^4", -1}, {"1/u", -1}, {"x*u*(y*u*t)", -1},
        {"u > 0 ? u : 0", -1}, {"randn(seed)", -1},
    };
    static struct side s;
    const double *inputs[SW_INPUTS] = {[SW_IN_X] = s.x, [SW_IN_Y] = s.x, [SW_IN_U] = s.u};
    (void)state;
    fill_side(&s);
    for (int k = 0; k < (int)(sizeof rows / sizeof *rows); k++) {
        struct sw_program *program = compile(rows[k].text);
        struct sw_eval *eval = begin_side(program, &s, inputs);
        struct sw_form *form;
        struct sw_form_term term[SW_FORM_TERMS];
        assert_ok(sw_form_create(eval, &form));
        if ((form != NULL) != (rows[k].terms >= 0))
            fail_msg("%s: %s", rows[k].text, form ? "is taken for one" : "is not found");
        int terms = form ? sw_form_terms(form, inputs, term) : 0;
        if (form) assert_int_equal(terms, rows[k].terms);
        sw_eval_points(eval, SIDE_POINTS, inputs, s.out);
        for (int i = 0; form && i < SIDE_POINTS * LANES; i++) {
            double sum = 0.0, size = 1.0;
            for (int j = 0; j < terms; j++) {
                double value = term[j].factor[i % LANES] * (term[j].cell ? term[j].cell[i] : 1.0);
                for (int p = 0; p < term[j].power; p++) value *= s.u[i];
                sum += value;
                size += fabs(value);
            }
            assert_near(sum, s.out[i], 8 * 0x1p-53 * size);  /* some roundings of the largest term */
        }
        sw_form_destroy(&form);
        sw_eval_destroy(&eval);
        sw_program_destroy(&program);
    }
}

/* ------------------------------------------------------------------ what may jump */

static void what_may_jump_in_time_is_known(void **state)
{
    (void)state;
    static const struct { const char *text; bool gentle; } rows[] = {
        {"a*x + tanh(u)", true}, {"(x > a)*u^2", true}, {"t", true}, {"a*t^3 - x*t/(1 + x^2)", true},
        {"a*cos(k*(x - b*t))", true}, {"sin(sin(x*t)*u)*exp(-x)", true}, {"-cos(t) + floor(x)*t", true},
        {"t > a", false}, {"step(t - a)*x", false}, {"x - b*t > 0", false}, {"x < sin(t) ? u : 0", false},
        {"floor(t)", false}, {"exp(-a*t)", false}, {"tanh(k*(u - t))", false}, {"1/(1 + t)", false},
        {"abs(cos(x - t))", false}, {"(1 + t)^a", false}, {"t^-2", false}, {"min(x, t)", false},
        {"u*mod(t, 1)", false}, {"sin(1/(2 + t))", false}, {"(t > 1) && (x > 0)", false},
    };
    for (size_t j = 0; j < sizeof rows / sizeof rows[0]; j++) {
        struct sw_program *program = compile(rows[j].text);
        if (sw_program_gentle_in(program, "t") != rows[j].gentle) fail_msg("%s", rows[j].text);
        assert_true(sw_program_gentle_in(program, "q"));
        sw_program_destroy(&program);
    }
}

static void a_polynomial_in_a_symbol_tells_its_degree(void **state)
{
    static const struct { const char *text; int degree; } rows[] = {
        {"u", 1}, {"a*t", 0}, {"3*u^2 - 1", 2}, {"-(u - 1)*(a - u)*(t - 2*u)/b", 3}, {"u/(1 + u)", -1}, {"a/u", -1},
        {"sin(u)", -1}, {"x*u", -1}, {"exp(t)*u - u", 1}, {"u^16", 16}, {"max(u, 0)", -1}};
    (void)state;
    for (size_t j = 0; j < sizeof rows / sizeof *rows; j++) {
        struct sw_program *program = compile(rows[j].text);
        if (sw_program_degree(program, SW_IN_U) != rows[j].degree)
            fail_msg("%s: %d", rows[j].text, sw_program_degree(program, SW_IN_U));
        sw_program_destroy(&program);
    }
}

static void a_symbol_and_its_negative_are_told_from_all_else(void **state)
{
    static const struct { const char *text; int sign; } rows[] = {
        {"u", 1}, {"-u", -1}, {"-(-u)", 1}, {"2*u", 0}, {"x", 0}, {"-x", 0}, {"t", 0}, {"a", 0}, {"-3", 0},
        {"abs(u)", 0}, {"-sin(u)", 0}};
    (void)state;
    for (size_t j = 0; j < sizeof rows / sizeof *rows; j++) {
        struct sw_program *program = compile(rows[j].text);
        if (sw_program_sign(program, SW_IN_U) != rows[j].sign)
            fail_msg("%s: %d", rows[j].text, sw_program_sign(program, SW_IN_U));
        sw_program_destroy(&program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_side_by_side_have_the_bits_they_have_alone),
        cmocka_unit_test(a_polynomial_in_u_is_found_with_its_coefficients),
        cmocka_unit_test(work_is_done_as_seldom_as_it_can_be),
        cmocka_unit_test(a_travelling_wave_is_as_accurate_as_its_angle),
        cmocka_unit_test(instructions_at_a_point_are_counted),
        cmocka_unit_test(a_program_tells_what_it_uses),
        cmocka_unit_test(what_may_jump_in_time_is_known),
        cmocka_unit_test(a_polynomial_in_a_symbol_tells_its_degree),
        cmocka_unit_test(a_symbol_and_its_negative_are_told_from_all_else),
        cmocka_unit_test(what_changes_inside_a_run_has_no_value_over_runs),
        cmocka_unit_test(a_point_has_the_same_bits_however_many_are_asked_for),
        cmocka_unit_test(steps_and_runs_may_come_in_any_order),
        cmocka_unit_test(noise_is_that_of_the_point_or_the_face_beside_it),
        cmocka_unit_test(many_runs_at_once_have_the_bits_of_each_alone),
        cmocka_unit_test(the_generated_text_does_what_the_interpreter_does),
        cmocka_unit_test(an_offset_leaves_products_of_a_sine_at_a_point),
        cmocka_unit_test(an_offset_program_has_the_values_at_the_sum),
        cmocka_unit_test(an_offset_needs_the_time_for_itself),
        cmocka_unit_test(nothing_the_user_wrote_is_in_the_generated_text),
    };
    /* the functions of math.h, whose bits the compiler's are; test_vector_math.c tests the others */
    setenv("SWEEP_SIMD", "generic", 1);
    return cmocka_run_group_tests_name("expr program", tests, fill_points, NULL);
}
