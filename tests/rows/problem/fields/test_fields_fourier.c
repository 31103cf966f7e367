/* Exact solves of cpu.fourier, whose steps are not those of products: random linear equations, wave by wave, against
 * the steps that the formula makes of a wave, and against exp(T L) to the order of the method; random nonlinear ones
 * against far shorter steps of the reference, and with sixth order, which that refuses, against those of a Runge-Kutta
 * method. Periodic, two and three dimensions, one and two unknowns, cross, odd and sixth derivatives. */
#include "base/sw_text.h"
#include "field_case.h"

enum { MOST = 2, WAVES = 4 };

static struct sw_device *device;
static const char *const names[CASE_GRID] = {"q", "r"};
static const enum sw_scheme schemes[] = {SW_BACKWARD_EULER, SW_IMEX2, SW_IMEX3};

static double uniform(uint64_t *random) { return 0.5 + 0.5 * test_random(random); }
static int below(uint64_t *random, int n) { return (int)(uniform(random) * n) % n; }

static void begin_case(struct field_case *c, int k, uint64_t *random)
{
    *c = (struct field_case){.axes = k % 3 == 2 ? 3 : 2, .unknowns = 1 + k / 3 % 2, .order = 2, .n = {1, 1, 1},
                             .scheme = schemes[k / 2 % 3], .number = {0.5 + uniform(random), uniform(random)}};
    for (int a = 0; a < c->axes; a++) {
        c->n[a] = c->axes > 2 ? 5 + below(random, 3) : 7 + below(random, 10);
        c->dx[a] = 6.0 / (double)c->n[a] * (1 + 0.2 * test_random(random));
    }
}

static void read_case(struct field_case *c, struct sw_text *text)
{
    struct fields_error err;
    for (int v = 0; v < c->unknowns; v++) {
        assert_ok(sw_text_status(&text[v]));
        c->text[v] = sw_text_get(&text[v]);
    }
    if (!case_read(c, names, &err)) fail_msg("'%s': %s", c->text[err.unknown], err.error.text);
}

static void free_case(struct field_case *c, struct sw_text *text)
{
    fields_terms_destroy(&c->terms);
    for (int v = 0; v < c->unknowns; v++) sw_text_free(&text[v]);
}

/* ------------------------------------------------------------------ linear equations and their symbols */

/* A product of derivatives along axes, of an unknown. */
struct term { double by; int of, order[SW_DIMS]; };
enum { TERMS = 40 };
struct linear { struct term term[MOST][TERMS]; int count[MOST]; };

static void add_term(struct linear *l, int v, int of, double by, int x, int y, int z)
{
    assert_true(l->count[v] < TERMS);
    l->term[v][l->count[v]++] = (struct term){by, of, {x, y, z}};
}

/* Damped where it has even derivatives, but for a2, which may grow. */
static void draw_linear(int axes, int unknowns, uint64_t *random, struct linear *l)
{
    *l = (struct linear){.count = {0}};
    for (int v = 0; v < unknowns; v++) {
        const bool sixth = below(random, 2);
        add_term(l, v, v, -uniform(random), 0, 0, 0);
        for (int a = 0; a < axes; a++) {
            for (int order = 1; order <= (sixth ? 6 : 4); order++) {
                static const double size[] = {0, 0.5, 0.3, 0.1, 0.05, 0.01, 0.005};
                const double by = order == 2   ? size[2] * (uniform(random) - 0.2)
                                  : order == 4 ? -size[4] * uniform(random)
                                  : order == 6 ? size[6] * (0.5 + uniform(random))
                                               : size[order] * test_random(random);
                if (below(random, 4)) add_term(l, v, v, by, a == 0 ? order : 0, a == 1 ? order : 0, a == 2 ? order : 0);
            }
        }
        for (int a = 0; a < axes; a++)
            for (int b = a + 1; b < axes; b++) {
                const int x = a == 0, y = a == 1 || b == 1, z = b == 2;
                add_term(l, v, v, 0.1 * test_random(random), x, y, z);
                add_term(l, v, v, -0.05 * uniform(random), 2 * x, 2 * y, 2 * z);
                if (below(random, 2)) add_term(l, v, v, 0.02 * test_random(random), 2 * x, y, z);
            }
        if (unknowns > 1) {
            add_term(l, v, !v, 0.5 * test_random(random), 0, 0, 0);
            add_term(l, v, !v, 0.2 * test_random(random), 1, 0, 0);
            add_term(l, v, !v, 0.1 * test_random(random), 0, 2, 0);
        }
    }
}

/* The number outside, inside, or times q, a number of the run; derivatives in one word or in two. */
static void write_linear(const struct linear *l, int v, double q, uint64_t *random, struct sw_text *text)
{
    for (int k = 0; k < l->count[v]; k++) {
        const struct term *t = &l->term[v][k];
        const int way = below(random, 3);
        char letters[8] = "";
        for (int a = 0; a < SW_DIMS; a++) strncat(letters, (const char *[]){"xxxxxx", "yyyyyy", "zzzzzz"}[a],
                                                  (size_t)t->order[a]);
        const int count = (int)strlen(letters), cut = count ? 1 + below(random, count) : 0;
        sw_text_printf(text, "%s(%.17g)%s", k ? " + " : "", way == 2 ? t->by / q : way == 1 ? 1.0 : t->by,
                       way == 2 ? "*q*" : "*");
        if (count) sw_text_printf(text, "d%.*s", cut, letters);
        sw_text_add(text, "(");
        if (cut < count) sw_text_printf(text, "d%s(", letters + cut);
        sw_text_printf(text, "(%.17g)*%c%s", way == 1 ? t->by : 1.0, "uv"[t->of], cut < count ? "))" : ")");
    }
}

/* What a central difference of an order makes of exp(i theta x/dx): odd ones are the first, over 2 dx, of those of even
 * order. */
static double complex difference_of(int order, double theta, double dx)
{
    const double second = -4 * sin(theta / 2) * sin(theta / 2) / (dx * dx);
    return (order % 2 ? I * sin(theta) / dx : 1) * pow(second, order / 2);
}

struct wave { int64_t number[SW_DIMS]; double complex size[MOST], symbol[MOST][MOST]; };

static void set_symbol(const struct field_case *c, const struct linear *l, struct wave *w)
{
    for (int v = 0; v < c->unknowns; v++)
        for (int k = 0; k < l->count[v]; k++) {
            const struct term *t = &l->term[v][k];
            double complex by = t->by;
            for (int a = 0; a < c->axes; a++)
                by *= difference_of(t->order[a], 2 * acos(-1) * (double)w->number[a] / (double)c->n[a], c->dx[a]);
            w->symbol[v][t->of] += by;
        }
}

/* Any waves, the shortest too, or long ones. */
static void draw_waves(const struct field_case *c, const struct linear *l, bool lengthy, uint64_t *random,
                       struct wave wave[WAVES])
{
    memset(wave, 0, WAVES * sizeof *wave);
    for (int k = 0; k < WAVES; k++) {
        for (int a = 0; a < c->axes; a++)
            wave[k].number[a] = lengthy ? below(random, 3) - 1 : below(random, (int)c->n[a]);
        for (int v = 0; v < c->unknowns; v++) wave[k].size[v] = test_random(random) + I * test_random(random);
        set_symbol(c, l, &wave[k]);
    }
}

/* The real part of their sum. */
static void make_field(const struct field_case *c, const struct wave wave[WAVES], double *u)
{
    memset(u, 0, case_size(c) * sizeof *u);
    for (size_t p = 0; p < case_points(c); p++)
        for (int k = 0; k < WAVES; k++) {
            double turns = 0;
            size_t rest = p;
            for (int a = 0; a < SW_DIMS; rest /= (size_t)c->n[a++])
                turns += (double)((int64_t)(rest % (size_t)c->n[a]) * wave[k].number[a]) / (double)c->n[a];
            for (int v = 0; v < c->unknowns; v++)
                u[(size_t)v * case_points(c) + p] += creal(wave[k].size[v] * cexp(2 * acos(-1) * turns * I));
        }
}

/* ------------------------------------------------------------------ what becomes of a wave */

static void multiply(int n, double complex by, const double complex m[MOST][MOST], const double complex *x,
                     double complex *out)
{
    for (int v = 0; v < n; v++) {
        out[v] = 0;
        for (int w = 0; w < n; w++) out[v] += by * m[v][w] * x[w];
    }
}

/* A step, P = 1 - gamma dt L of what an unknown has of itself, where that does not grow. */
static void step_wave(const struct field_case *c, struct wave *w)
{
    const struct fields_method *m = fields_method_of(c->scheme);
    double complex k[FIELDS_STAGES][MOST];
    for (int i = 0; i < m->stages; i++) {
        double complex stage[MOST], d[MOST] = {0};
        for (int v = 0; v < c->unknowns; v++) {
            stage[v] = w->size[v];
            for (int j = 0; j < i; j++) stage[v] += m->a[i][j] * k[j][v], d[v] += m->h[i][j] * k[j][v];
        }
        multiply(c->unknowns, c->dt, w->symbol, stage, k[i]);
        for (int v = 0; v < c->unknowns; v++) {
            const double complex own = w->symbol[v][v];
            k[i][v] = (k[i][v] + d[v]) / (1 - m->gamma * c->dt * (fmin(creal(own), 0) + I * cimag(own))) - d[v];
        }
    }
    for (int i = 0; i < m->stages; i++)
        for (int v = 0; v < c->unknowns; v++) w->size[v] += m->b[i] * k[i][v];
}

/* exp(t L) by its series, in so many short times. */
static void advance_wave(int unknowns, double t, struct wave *w)
{
    enum { PARTS = 1000, LENGTH = 30 };
    for (int part = 0; part < PARTS; part++) {
        double complex term[MOST], next[MOST];
        memcpy(term, w->size, sizeof term);
        for (int k = 1; k <= LENGTH; k++) {
            multiply(unknowns, t / PARTS / k, w->symbol, term, next);
            for (int v = 0; v < unknowns; v++) w->size[v] += term[v] = next[v];
        }
    }
}

static double largest_symbol(const struct field_case *c, const struct wave wave[WAVES])
{
    double largest = 0;
    for (int k = 0; k < WAVES; k++)
        for (int v = 0; v < c->unknowns * c->unknowns; v++)
            largest = fmax(largest, cabs(wave[k].symbol[v / c->unknowns][v % c->unknowns]));
    return largest;
}

static void make_linear(struct field_case *c, struct linear *l, struct sw_text text[MOST], int k, uint64_t *random)
{
    begin_case(c, k, random);
    draw_linear(c->axes, c->unknowns, random, l);
    for (int v = 0; v < c->unknowns; v++) write_linear(l, v, c->number[0], random, &text[v]);
    read_case(c, text);
}

/* Waves of any length, dt of any size: 3 steps round by some hundred units of the largest number, and the transforms of
 * the field. */
static void waves_take_the_steps_of_the_formula(void **state)
{
    (void)state;
    for (int k = 0; k < (small_suite() ? 18 : long_suite() ? 180 : 36); k++) {
        enum { STEPS = 3 };
        uint64_t random = 1000 + (uint64_t)k;
        struct field_case c;
        struct linear l;
        struct sw_text text[MOST] = {{0}};
        struct wave wave[WAVES];
        double size = 1;
        make_linear(&c, &l, text, k, &random);
        draw_waves(&c, &l, false, &random, wave);
        c.dt = pow(10, -3 * uniform(&random));
        double *have = malloc(2 * case_size(&c) * sizeof *have), *want = have + case_size(&c);
        make_field(&c, wave, have);
        assert_true(case_run(&c, "cpu.fourier", device, STEPS, have));
        for (int j = 0; j < WAVES; j++)
            for (int i = 0; i < STEPS; i++) {
                step_wave(&c, &wave[j]);
                for (int v = 0; v < c.unknowns; v++) size = fmax(size, cabs(wave[j].size[v]));
            }
        make_field(&c, wave, want);
        const double off = case_difference(case_size(&c), have, want) / size;
        if (!(off < 1e-12)) fail_msg("case %d, '%s': off by %g", k, c.text[0], off);
        free(have);
        free_case(&c, text);
    }
}

/* Long waves and steps so short that twice as short ones have 2^p less of an error. */
static void waves_are_those_of_the_exact_solution(void **state)
{
    (void)state;
    for (int k = 0; k < (small_suite() ? 18 : long_suite() ? 180 : 36); k++) {
        enum { STEPS = 16 };
        uint64_t random = 2000 + (uint64_t)k;
        struct field_case c;
        struct linear l;
        struct sw_text text[MOST] = {{0}};
        struct wave wave[WAVES], end[WAVES];
        double error[2];
        make_linear(&c, &l, text, k, &random);
        draw_waves(&c, &l, true, &random, wave);
        const double time = STEPS * 0.1 / largest_symbol(&c, wave), order = fields_method_of(c.scheme)->order;
        double *have = malloc(2 * case_size(&c) * sizeof *have), *want = have + case_size(&c);
        memcpy(end, wave, sizeof end);
        for (int j = 0; j < WAVES; j++) advance_wave(c.unknowns, time, &end[j]);
        make_field(&c, end, want);
        for (int half = 0; half < 2; half++) {
            c.dt = time / (STEPS << half);
            make_field(&c, wave, have);
            assert_true(case_run(&c, "cpu.fourier", device, STEPS << half, have));
            error[half] = case_difference(case_size(&c), have, want);
        }
        if (!(error[0] < 0.2 && (error[1] < 1e-11 || fabs(log2(error[0] / error[1]) - order) < 0.3)))
            fail_msg("case %d, scheme %d, '%s': errors %g, %g", k, (int)c.scheme, c.text[0], error[0], error[1]);
        free(have);
        free_case(&c, text);
    }
}

/* ------------------------------------------------------------------ nonlinear equations */

static const char *const nonlinear[] = {
    " + 0.3*q*lap(u)", " - u*dx(u)", " + 0.1*dxy(u)", " + u - u^3", " - 0.02*lap(lap(u))", " + 0.05*dxxx(u)",
    " + 0.1*grad2(u)", " + 0.3*dx(w)", " - 0.2*u*w^2", " + 0.05*lap(u^3)", " + 0.1*dy((1 + u^2)*dy(u))",
    " + 0.1*dyyx(u)",
    " + sin(x + 2*t)", " - r*dy(u)", " - dx(0.02*(1 + u^2)*dx(lap(u)))", " + 0.1*dxy(u^2)", " + 0.2*lap(w)"};

/* Terms name u, and w for the other unknown. */
static void write_nonlinear(struct field_case *c, bool sixth, uint64_t *random, struct sw_text text[MOST])
{
    for (int v = 0; v < c->unknowns; v++) {
        sw_text_add(&text[v], "0.2*r");
        for (int k = 0; k < 6; k++) {
            const char *term = k == 5   ? sixth ? " + lap(lap(lap(0.002*u)))" : " + 0.1*lap(u)"
                               : k == 4 ? c->axes > 2 ? " + 0.1*dzz(u) + 0.05*dxz(u)" : ""
                                        : nonlinear[below(random, sizeof nonlinear / sizeof *nonlinear)];
            for (; *term; term++)
                sw_text_printf(&text[v], "%c", *term == 'u'   ? "uv"[v]
                                               : *term == 'w' ? "uv"[c->unknowns > 1 ? !v : v]
                                                              : *term);
        }
    }
    read_case(c, text);
}

/* The classical method of order 4, explicit. */
static void take_explicit_steps(const struct field_case *c, double time, int steps, double *u)
{
    static const double at[] = {0, 0.5, 0.5, 1}, weight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    const size_t size = case_size(c);
    const double dt = time / steps;
    double *f = calloc(3 * size, sizeof *f), *stage = f + size, *sum = stage + size;
    for (int number = 0; number < steps; number++) {
        memset(sum, 0, size * sizeof *sum);
        for (int i = 0; i < 4; i++) {
            memcpy(stage, u, size * sizeof *u);
            if (i > 0) case_add(size, at[i] * dt, f, stage);
            case_rhs(c, (number + at[i]) * dt, 0, stage, f);
            case_add(size, weight[i] * dt, f, sum);
        }
        case_add(size, 1, sum, u);
    }
    free(f);
}

/* One field, whatever is implicit: to the order of the method (found: 0.97 to 1.01 times it), and so close that nothing
 * is left out. */
static void fields_are_those_of_short_steps(void **state)
{
    static const double time = 0.2;
    (void)state;
    for (int k = 0; k < (small_suite() ? 6 : long_suite() ? 72 : 18); k++) {
        enum { STEPS = 16, SHORT = 160 };
        uint64_t random = 3000 + (uint64_t)k;
        const bool sixth = k % 4 == 3;
        struct field_case c;
        struct sw_text text[MOST] = {{0}};
        double error[2];
        begin_case(&c, k, &random);
        write_nonlinear(&c, sixth, &random, text);
        const size_t size = case_size(&c);
        double *first = malloc(3 * size * sizeof *first), *want = first + size, *have = want + size;
        for (size_t p = 0; p < size; p++) {
            const double x = (double)(p % (size_t)c.n[0]) / (double)c.n[0],
                         y = (double)(p / (size_t)c.n[0] % (size_t)c.n[1]) / (double)c.n[1];
            first[p] = 0.5 * cos(6.283185307179586 * x + (double)k) + 0.3 * sin(6.283185307179586 * (x + y)) +
                       (c.axes > 2 ? 0.2 * test_random(&random) : 0);
        }
        struct field_case reference = c;
        reference.scheme = SW_IMEX3;
        reference.dt = time / SHORT;
        memcpy(want, first, size * sizeof *want);
        if (sixth) take_explicit_steps(&c, time, SHORT, want);
        else assert_true(case_run(&reference, "cpu.plain", device, SHORT, want));
        for (int half = 0; half < 2; half++) {
            c.dt = time / (STEPS << half);
            memcpy(have, first, size * sizeof *have);
            assert_true(case_run(&c, "cpu.fourier", device, STEPS << half, have));
            error[half] = case_difference(size, have, want);
        }
        if (!(error[0] < 5e-3 && fabs(log2(error[0] / error[1]) - fields_method_of(c.scheme)->order) < 0.2))
            fail_msg("case %d, scheme %d, '%s': errors %g, %g", k, (int)c.scheme, c.text[0], error[0], error[1]);
        free(first);
        free_case(&c, text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(waves_take_the_steps_of_the_formula),
                                       cmocka_unit_test(waves_are_those_of_the_exact_solution),
                                       cmocka_unit_test(fields_are_those_of_short_steps)};
    assert_ok(sw_device_open("cpu", 1, &device));
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sw_device_close(&device);
    return failed;
}
