/* Derivatives as differences on grids of two and three dimensions: against the documented stencils, evaluated by a
 * recursion that knows nothing of places that are wanted; their order, against Taylor arithmetic; sums that vanish. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "expr/sw_differences.h"
#include "helpers.h"
#include "random_fields.h"

enum { GRID = NUMBERS, PARAMETERS = GRID + AXES * SW_GRID_NUMBERS };
static const char *const unknowns[] = {"u", "v"};
static const double number_value[NUMBERS] = {-0.6, 0.7}, time_value = 0.37;

/* ------------------------------------------------------------------ values on a periodic grid */

struct grid {
    int    dimensions, n[AXES], points;
    double dx[AXES];
    double *field[2];                 /* [points], x fastest; NULL: smooth_field() everywhere, points are anywhere */
    double *at[AXES];                 /* [points] */
};

static int wrap(int i, int n) { return ((i % n) + n) % n; }

static int point_of(const struct grid *g, const int i[AXES])
{
    return (wrap(i[2], g->n[2]) * g->n[1] + wrap(i[1], g->n[1])) * g->n[0] + wrap(i[0], g->n[0]);
}

static void index_of(const struct grid *g, int point, int i[AXES])
{
    if (!g->field[0]) return;
    i[0] = point % g->n[0];
    i[1] = point / g->n[0] % g->n[1];
    i[2] = point / g->n[0] / g->n[1];
}

/* Fields: a constant and two waves, small and long, so that what is made of them is smooth. */
static const double mean[] = {0.8, 0.6}, first_wave[] = {0.25, -0.2}, second_wave[] = {0.04, 0.05};
static const int first_number[2][AXES] = {{1, 1, 1}, {1, -1, 1}}, second_number[2][AXES] = {{2, -1, 1}, {1, 2, -1}};

static double angle(const int number[AXES], int dimensions, const double x[AXES])
{
    double sum = 0;
    for (int axis = 0; axis < dimensions; axis++) sum += number[axis] * x[axis];
    return sum;
}

static double smooth_field(int v, int dimensions, const double x[AXES])
{
    return mean[v] + first_wave[v] * sin(angle(first_number[v], dimensions, x)) +
           second_wave[v] * cos(angle(second_number[v], dimensions, x));
}

/* @param random  NULL: the fields above; else values without any order */
static void make_grid(struct grid *g, int dimensions, const int n[AXES], const double length[AXES], uint64_t *random)
{
    *g = (struct grid){.dimensions = dimensions, .n = {1, 1, 1}, .dx = {1, 1, 1}, .points = 1};
    for (int axis = 0; axis < dimensions; axis++) {
        g->n[axis] = n[axis];
        g->dx[axis] = length[axis] / n[axis];
        g->points *= n[axis];
    }
    for (int v = 0; v < 2; v++) assert_ok(sw_alloc((size_t)g->points, &g->field[v]));
    for (int axis = 0; axis < AXES; axis++) assert_ok(sw_alloc((size_t)g->points, &g->at[axis]));
    for (int p = 0; p < g->points; p++) {
        int i[AXES];
        double x[AXES];
        index_of(g, p, i);
        for (int axis = 0; axis < AXES; axis++) g->at[axis][p] = x[axis] = i[axis] * g->dx[axis];
        for (int v = 0; v < 2; v++)
            g->field[v][p] = random ? 1 + 0.5 * test_random(random) : smooth_field(v, dimensions, x);
    }
}

/* Some points anywhere, dx from their neighbours. */
static void make_samples(struct grid *g, int dimensions, double dx)
{
    uint64_t random = 5;
    *g = (struct grid){.dimensions = dimensions, .dx = {dx, dx, dx}, .points = 40};
    for (int axis = 0; axis < AXES; axis++) {
        assert_ok(sw_alloc((size_t)g->points, &g->at[axis]));
        for (int p = 0; p < g->points; p++) g->at[axis][p] = axis < dimensions ? M_PI * test_random(&random) : 0;
    }
}

static void free_grid(struct grid *g)
{
    for (int v = 0; v < 2; v++) sw_free(g->field[v]);
    for (int axis = 0; axis < AXES; axis++) sw_free(g->at[axis]);
}

static struct sw_expr *differences_of(const char *text, int dimensions, int order, int reach[AXES])
{
    struct sw_expr *expr, *out = NULL;
    struct sw_expr_error err;
    if (sw_expr_parse_fields(text, dimensions, &expr, &err) ||
        sw_grid_differences(expr, dimensions, unknowns, 2, order, NULL, reach, &out, &err))
        fail_msg("'%s', column %d: %s", text, err.column, err.text);
    sw_expr_destroy(&expr);
    return out;
}

/* What a tree takes of the fields around a point: a symbol and an array each. */
enum { SYMBOLS = 1500 };
struct around {
    const struct grid *grid;
    struct sw_symbol symbol[SYMBOLS];
    const double *in[SYMBOLS];
    double *shifted[SYMBOLS];
    int count, slots;
};

static void add_name(void *user, const char *name, int column)
{
    struct around *a = user;
    const struct grid *g = a->grid;
    int offset[AXES];
    (void)column;
    for (int k = 0; k < a->count; k++)
        if (!strcmp(a->symbol[k].name, name)) return;
    for (int v = 0; v < 2; v++) {
        if (!sw_grid_neighbour(name, unknowns[v], offset)) continue;
        assert_true(a->count < SYMBOLS);
        double *values;
        assert_ok(sw_alloc((size_t)g->points, &values));
        for (int p = 0; p < g->points; p++) {
            int i[AXES] = {0};
            double x[AXES];
            index_of(g, p, i);
            for (int axis = 0; axis < AXES; axis++) i[axis] += offset[axis];
            for (int axis = 0; axis < AXES; axis++) x[axis] = g->at[axis][p] + offset[axis] * g->dx[axis];
            values[p] = g->field[v] ? g->field[v][point_of(g, i)] : smooth_field(v, g->dimensions, x);
        }
        a->in[a->slots] = a->shifted[a->slots] = values;
        a->symbol[a->count++] = (struct sw_symbol){name, SW_RATE_POINT, a->slots++};
    }
}

/* Values at all points. @param out  [points] */
static void evaluate(const char *text, const struct grid *g, int order, double *out)
{
    static struct around a;
    double param[PARAMETERS];
    int reach[AXES];
    struct sw_expr_error err;
    struct sw_program *program;
    struct sw_eval *eval;
    struct sw_expr *expr = differences_of(text, g->dimensions, order, reach);
    a = (struct around){.grid = g};
    for (int axis = 0; axis < g->dimensions; axis++) {
        assert_true(reach[axis] <= SW_GRID_REACH);
        a.in[a.slots] = g->at[axis];
        a.symbol[a.count++] = (struct sw_symbol){(const char *const[]){"x", "y", "z"}[axis], SW_RATE_CELL, a.slots++};
    }
    a.symbol[a.count++] = (struct sw_symbol){"t", SW_RATE_STEP, 0};
    for (int k = 0; k < NUMBERS; k++) {
        param[k] = number_value[k];
        a.symbol[a.count++] = (struct sw_symbol){numbers[k], SW_RATE_RUN, k};
    }
    for (int k = 0; k < AXES * SW_GRID_NUMBERS; k++) {
        param[GRID + k] = sw_grid_number(k % SW_GRID_NUMBERS, g->dx[k / SW_GRID_NUMBERS]);
        a.symbol[a.count++] = (struct sw_symbol){sw_grid_number_name(k), SW_RATE_RUN, GRID + k};
    }
    sw_expr_names(expr, add_name, &a);
    if (sw_program_compile(expr, &(struct sw_scope){a.symbol, a.count, false, 0}, &program, &err))
        fail_msg("'%s': %s", text, err.text);
    assert_ok(sw_eval_create(program, g->points, &eval));
    sw_eval_by_scalars(eval);
    sw_eval_run(eval, param, 1);
    sw_eval_cells(eval, g->points, a.in);
    sw_eval_step(eval, time_value, 0);
    sw_eval_points(eval, g->points, a.in, out);
    sw_eval_destroy(&eval);
    sw_program_destroy(&program);
    for (int k = 0; k < a.slots; k++) sw_free(a.shifted[k]);
    sw_expr_destroy(&expr);
}

/* ------------------------------------------------------------------ the documented stencils */

/* Weights times over of a derivative along an axis, by halves of dx from -6 to 6. */
static void weights_of(int order, bool staggered, bool fourth, double dx, double weight[13])
{
    static const double central[7][7] = {{0, 0, 0, 1}, {0, 0, -0.5, 0, 0.5}, {0, 0, 1, -2, 1}, {0, -0.5, 1, 0, -1, 0.5},
                                         {0, 1, -4, 6, -4, 1}, {-0.5, 2, -2.5, 0, 2.5, -2, 0.5},
                                         {1, -6, 15, -20, 15, -6, 1}};
    static const double wide[5][7] = {{0, 0, 0, 1},
                                      {0, 1. / 12, -2. / 3, 0, 2. / 3, -1. / 12},
                                      {0, -1. / 12, 4. / 3, -2.5, 4. / 3, -1. / 12},
                                      {0.125, -1, 1.625, 0, -1.625, 1, -0.125},
                                      {-1. / 6, 2, -6.5, 28. / 3, -6.5, 2, -1. / 6}};
    memset(weight, 0, 13 * sizeof *weight);
    if (staggered && order == 1) weight[5] = -1, weight[7] = 1;
    if (staggered && order == 3) weight[3] = -1, weight[5] = 3, weight[7] = -3, weight[9] = 1;
    for (int j = 0; staggered && order == 5 && j < 6; j++) weight[1 + 2 * j] = (double[]){-1, 5, -10, 10, -5, 1}[j];
    for (int j = 0; !staggered && j < 7; j++) weight[2 * j] = (fourth ? wide : central)[order][j];
    for (int j = 0; j < 13; j++) weight[j] /= pow(dx, order);
}

/* Whether it is the same at all points. */
static bool is_fixed_way(const struct ways *w, int k)
{
    const struct way *way = &w->way[k];
    if (way->kind >= K_LAP) return is_fixed_way(w, way->whole);
    if (way->kind < K_ADD) return way->kind == K_NUMBER || way->kind == K_RUN || way->kind == K_TIME;
    return is_fixed_way(w, way->of[0]) && (!is_pair(way->kind) || is_fixed_way(w, way->of[1]));
}

/* Whether odd derivatives of what varies are in it. */
static bool is_odd_way(const struct ways *w, int k)
{
    const struct way *way = &w->way[k];
    if (way->kind < K_ADD || is_fixed_way(w, k)) return false;
    if (way->kind >= K_LAP) return is_odd_way(w, way->whole);
    if (way->kind == K_D) {  /* those in a row are one */
        int order[AXES] = {0};
        for (; way->kind == K_D; k = way->of[0], way = &w->way[k])
            for (int axis = 0; axis < AXES; axis++) order[axis] += way->order[axis];
        return ((order[0] | order[1] | order[2]) & 1) || is_odd_way(w, k);
    }
    return is_odd_way(w, way->of[0]) || (is_pair(way->kind) && is_odd_way(w, way->of[1]));
}

struct stencil { const struct ways *w; const struct grid *g; bool fourth; };

static double at_place(const struct stencil *s, int k, const int place[AXES]);

/* The derivative of node k, of these orders, at a place, in halves of dx. */
static double derivative_at(const struct stencil *s, int k, const int order[AXES], const int place[AXES])
{
    const struct way *way = &s->w->way[k];
    if (is_fixed_way(s->w, k)) return 0;
    if (way->kind == K_D) {  /* derivatives in a row are one */
        int sum[AXES];
        for (int axis = 0; axis < AXES; axis++) sum[axis] = order[axis] + way->order[axis];
        return derivative_at(s, way->of[0], sum, place);
    }
    const bool odd = is_odd_way(s->w, k);
    double weight[AXES][13], value = 0;
    int at[AXES];
    for (int axis = 0; axis < AXES; axis++)
        weights_of(order[axis], order[axis] % 2 && (odd || place[axis] % 2), s->fourth, s->g->dx[axis], weight[axis]);
    for (int c = 0; c < 13; c++)
        for (int b = 0; weight[2][c] != 0 && b < 13; b++)
            for (int a = 0; weight[1][b] != 0 && a < 13; a++) {
                if (weight[0][a] == 0) continue;
                for (int axis = 0; axis < AXES; axis++) at[axis] = place[axis] + (int[]){a, b, c}[axis] - 6;
                value += weight[0][a] * weight[1][b] * weight[2][c] * at_place(s, k, at);
            }
    return value;
}

static double field_at(const struct grid *g, int v, const int place[AXES])
{
    double sum = 0;
    int corners = 0;
    for (int c = 0; c <= abs(place[2] % 2); c++)
        for (int b = 0; b <= abs(place[1] % 2); b++)
            for (int a = 0; a <= abs(place[0] % 2); a++, corners++) {
                int i[AXES];
                for (int axis = 0; axis < AXES; axis++)
                    i[axis] = (int)floor(0.5 * place[axis]) + (int[]){a, b, c}[axis];
                sum += g->field[v][point_of(g, i)];
            }
    return sum / corners;
}

static double at_place(const struct stencil *s, int k, const int place[AXES])
{
    const struct way *way = &s->w->way[k];
    double a = 0, b = 0;
    if (way->kind >= K_ADD && way->kind < K_D) a = at_place(s, way->of[0], place);
    if (is_pair(way->kind)) b = at_place(s, way->of[1], place);
    switch (way->kind) {
    case K_NUMBER: return way->value;
    case K_RUN: return number_value[way->order[0]];
    case K_U: return field_at(s->g, 0, place);
    case K_V: return field_at(s->g, 1, place);
    case K_WAVE: return cos(0.5 * place[way->order[0]] * s->g->dx[way->order[0]]);
    case K_TIME: return time_value;
    case K_ADD: return a + b;
    case K_SUB: return a - b;
    case K_NEG: return -a;
    case K_MUL: return a * b;
    case K_OVER: return a / (3 + b * b);
    case K_SQUARE: return a * a;
    case K_CUBE: return a * a * a;
    case K_SIN: return sin(0.3 * a);
    case K_D: return derivative_at(s, way->of[0], way->order, place);
    case K_LAP: case K_GRAD2: case K_DIV: return at_place(s, way->whole, place);
    }
    return NAN;
}

/* The right-hand side is a sum of derivatives of terms, each of which is differenced by itself. */
static double sum_of_terms(const struct stencil *s, int k, const int order[AXES], const int place[AXES])
{
    const struct way *way = &s->w->way[k];
    const bool top = !(order[0] | order[1] | order[2]);
    if (!top && is_fixed_way(s->w, k)) return 0;
    switch (way->kind) {
    case K_ADD: case K_SUB: {
        const double a = sum_of_terms(s, way->of[0], order, place), b = sum_of_terms(s, way->of[1], order, place);
        return way->kind == K_ADD ? a + b : a - b;
    }
    case K_NEG: return -sum_of_terms(s, way->of[0], order, place);
    case K_MUL:
        for (int j = 1; j >= 0; j--)
            if (is_fixed_way(s->w, way->of[j]))
                return at_place(s, way->of[j], place) * sum_of_terms(s, way->of[1 - j], order, place);
        break;
    case K_OVER: {
        const double b = is_fixed_way(s->w, way->of[1]) ? at_place(s, way->of[1], place) : 0;
        if (is_fixed_way(s->w, way->of[1])) return sum_of_terms(s, way->of[0], order, place) / (3 + b * b);
        break;
    }
    case K_D: {
        int all[AXES];
        for (int axis = 0; axis < AXES; axis++) all[axis] = order[axis] + way->order[axis];
        return sum_of_terms(s, way->of[0], all, place);
    }
    case K_LAP: case K_GRAD2: case K_DIV: return sum_of_terms(s, way->whole, order, place);
    default: break;
    }
    return top ? at_place(s, k, place) : derivative_at(s, k, order, place);
}

static void random_texts_have_the_documented_stencils(void **state)
{
    (void)state;
    static const int n[AXES] = {7, 6, 8};
    static const double length[AXES] = {5, 7, 6};
    static struct ways w;
    const int texts = small_suite() ? 60 : long_suite() ? 4000 : 600;
    int odd = 0, mixed = 0;
    w.random = 11;
    for (int j = 0; j < texts; j++) {
        struct sw_text text = {0};
        struct grid g;
        double out[7 * 6 * 8];
        w.count = 0;
        w.dimensions = 2 + j % 2;
        const bool fourth = j % 5 == 0;
        const int root = random_way(&w, 5, !fourth && j % 3 == 0 ? 6 : 4, !fourth);
        write_way(&w, root, &text);
        make_grid(&g, w.dimensions, n, length, &w.random);
        const struct stencil s = {&w, &g, fourth};
        evaluate(sw_text_get(&text), &g, fourth ? 4 : 2, out);
        for (int p = 0; p < g.points; p += 5) {
            int place[AXES];
            index_of(&g, p, place);
            for (int axis = 0; axis < AXES; axis++) place[axis] *= 2;
            const double expected = sum_of_terms(&s, root, (const int[AXES]){0}, place);
            /* 1e-12: rounding of some hundred operations of numbers up to 100 */
            if (!(fabs(out[p] - expected) <= 1e-10 * (1 + fabs(expected))))
                fail_msg("%d-D, order %d: '%s' at %d: %.17g, expected %.17g", w.dimensions, fourth ? 4 : 2,
                         sw_text_get(&text), p, out[p], expected);
        }
        odd += is_odd_way(&w, root);
        for (int k = 0; k < w.count; k++) mixed += w.way[k].kind == K_D && w.way[k].order[0] && w.way[k].order[1];
        free_grid(&g);
        sw_text_free(&text);
    }
    assert_true(odd > texts / 3 && mixed > texts / 10);  /* else the test would say little */
}

/* ------------------------------------------------------------------ orders */

/* A second meaning: Taylor coefficients f(x + h) = sum c[i][j][k] hx^i hy^j hz^k, i + j + k <= 4. */
enum { JET = 5 };
struct jet { double c[JET][JET][JET]; };

#define FOR_JET(i, j, k)                                            \
    for (int i = 0; i < JET; i++)                                   \
        for (int j = 0; i + j < JET; j++)                           \
            for (int k = 0; i + j + k < JET; k++)

static struct jet jet_number(double value) { return (struct jet){{{{value}}}}; }

static struct jet jet_sum(struct jet a, double factor, struct jet b)
{
    FOR_JET(i, j, k) a.c[i][j][k] += factor * b.c[i][j][k];
    return a;
}

static struct jet jet_times(struct jet a, struct jet b)
{
    struct jet p = {{{{0}}}};
    FOR_JET(i, j, k)
        for (int l = 0; l <= i; l++)
            for (int m = 0; m <= j; m++)
                for (int n = 0; n <= k; n++) p.c[i][j][k] += a.c[l][m][n] * b.c[i - l][j - m][k - n];
    return p;
}

/* f(a) from the derivatives of f at the value of a. */
static struct jet jet_of(struct jet a, const double derivative[JET])
{
    struct jet sum = {{{{0}}}}, power = jet_number(1);
    double factorial = 1;
    a.c[0][0][0] = 0;
    for (int k = 0; k < JET; factorial *= ++k) {
        sum = jet_sum(sum, derivative[k] / factorial, power);
        power = jet_times(power, a);
    }
    return sum;
}

static struct jet jet_sin(struct jet a)
{
    double d[JET];
    for (int k = 0; k < JET; k++) d[k] = sin(a.c[0][0][0] + k * M_PI / 2);
    return jet_of(a, d);
}

static struct jet jet_inverse(struct jet a)
{
    double d[JET] = {1 / a.c[0][0][0]};
    for (int k = 1; k < JET; k++) d[k] = -k * d[k - 1] / a.c[0][0][0];
    return jet_of(a, d);
}

/* Coordinates: number[0] x + number[1] y ... */
static struct jet jet_angle(const int number[AXES], int dimensions, const double x[AXES])
{
    struct jet a = jet_number(angle(number, dimensions, x));
    a.c[1][0][0] = number[0];
    a.c[0][1][0] = dimensions > 1 ? number[1] : 0;
    a.c[0][0][1] = dimensions > 2 ? number[2] : 0;
    return a;
}

static struct jet jet_field(int v, int dimensions, const double x[AXES])
{
    const struct jet first = jet_sin(jet_angle(first_number[v], dimensions, x));
    struct jet second = jet_angle(second_number[v], dimensions, x);
    second.c[0][0][0] += M_PI / 2;
    return jet_sum(jet_sum(jet_number(mean[v]), first_wave[v], first), second_wave[v], jet_sin(second));
}

/* Coefficients that derivatives lose are not used. */
static struct jet jet_derivative(struct jet a, const int order[AXES])
{
    for (int axis = 0; axis < AXES; axis++)
        for (int n = 0; n < order[axis]; n++) {
            struct jet d = {{{{0}}}};
            FOR_JET(i, j, k) {
                const int at[AXES] = {i + (axis == 0), j + (axis == 1), k + (axis == 2)};
                if (at[0] + at[1] + at[2] < JET) d.c[i][j][k] = at[axis] * a.c[at[0]][at[1]][at[2]];
            }
            a = d;
        }
    return a;
}

static struct jet jet_way(const struct ways *w, int k, const double x[AXES])
{
    const struct way *way = &w->way[k];
    struct jet a = jet_number(0), b = a;
    int unit[AXES] = {0};
    if (way->kind >= K_LAP) return jet_way(w, way->whole, x);
    if (way->kind >= K_ADD) a = jet_way(w, way->of[0], x);
    if (is_pair(way->kind)) b = jet_way(w, way->of[1], x);
    switch (way->kind) {
    case K_NUMBER: return jet_number(way->value);
    case K_RUN: return jet_number(number_value[way->order[0]]);
    case K_U: return jet_field(0, w->dimensions, x);
    case K_V: return jet_field(1, w->dimensions, x);
    case K_WAVE:
        unit[way->order[0]] = 1;
        a = jet_angle(unit, w->dimensions, x);
        a.c[0][0][0] += M_PI / 2;
        return jet_sin(a);
    case K_TIME: return jet_number(time_value);
    case K_ADD: return jet_sum(a, 1, b);
    case K_SUB: return jet_sum(a, -1, b);
    case K_NEG: return jet_sum(jet_number(0), -1, a);
    case K_MUL: return jet_times(a, b);
    case K_OVER: return jet_times(a, jet_inverse(jet_sum(jet_number(3), 1, jet_times(b, b))));
    case K_SQUARE: return jet_times(a, a);
    case K_CUBE: return jet_times(a, jet_times(a, a));
    case K_SIN: return jet_sin(jet_sum(jet_number(0), 0.3, a));
    default: return jet_derivative(a, way->order);
    }
}

/* Largest error at the points, and the size of the right-hand side. */
static double error_of(const struct ways *w, int root, const char *text, int order, double dx, double *size)
{
    struct grid g;
    double out[40], worst = 0;
    make_samples(&g, w->dimensions, dx);
    evaluate(text, &g, order, out);
    *size = 0;
    for (int p = 0; p < g.points; p++) {
        const double x[AXES] = {g.at[0][p], g.at[1][p], g.at[2][p]}, exact = jet_way(w, root, x).c[0][0][0];
        *size = fmax(*size, fabs(exact));
        worst = fmax(worst, isnan(out[p]) ? INFINITY : fabs(out[p] - exact));
    }
    free_grid(&g);
    return worst;
}

/* @param n  points along 2 pi: rounding of a fourth difference is some 2^-53 * 16/dx^4 of what it is of, and what is no
 *           smaller than ten times that has the order of the method but for the next power of the shortest wave */
static void check_orders(int order, int n, double rounding, double tolerance)
{
    static struct ways w;
    const int texts = small_suite() ? 60 : long_suite() ? 2000 : 300;
    const double dx = 2 * M_PI / n;
    int converged = 0;
    w.random = (uint64_t)order;
    for (int j = 0; j < texts; j++) {
        struct sw_text text = {0};
        double size;
        w.count = 0;
        w.dimensions = 2 + j % 2;
        const int root = random_way(&w, 5, 4, order == 2);
        write_way(&w, root, &text);
        const double coarse = error_of(&w, root, sw_text_get(&text), order, dx, &size);
        const double fine = error_of(&w, root, sw_text_get(&text), order, dx / 2, &size);
        const bool exact = fine < rounding * (1 + size);
        if (!exact && !(fabs(log2(coarse / fine) - order) < tolerance))
            fail_msg("%d-D: '%s': errors %g, %g of %g: order %.3f", w.dimensions, sw_text_get(&text), coarse, fine,
                     size, log2(coarse / fine));
        converged += !exact;
        sw_text_free(&text);
    }
    assert_true(converged > texts / 3);  /* the test would be empty if most were exact */
}

static void random_texts_converge_with_order_two(void **state)
{
    (void)state;
    check_orders(2, 256, 1e-6, 0.1);
}

static void random_texts_converge_with_order_four(void **state)
{
    (void)state;
    check_orders(4, 64, 2e-7, 0.15);
}

/* ------------------------------------------------------------------ what texts become, and sums */

static const struct { const char *text; int dimensions, order; const char *becomes; } known[] = {
    {"dx(dy(u))", 2, 2, "[1/(2dx)]*[1/(2dy)]*(u[+1,+1] - u[-1,+1] - (u[+1,-1] - u[-1,-1]))"},
    {"lap(u)", 2, 2, "[1/dx^2]*(u[+1,0] + u[-1,0] - 2*u) + [1/dy^2]*(u[0,+1] + u[0,-1] - 2*u)"},
    {"dx(u*dx(v))", 2, 2,
     "0.5*[1/dx]*[1/dx]*((u + u[+1,0])*(v[+1,0] - v) - (u[-1,0] + u)*(v - v[-1,0]))"},
    {"dx(a*dy(v))", 2, 2, "a*[1/(2dx)]*[1/(2dy)]*(v[+1,+1] - v[-1,+1] - (v[+1,-1] - v[-1,-1]))"},
    {"dz(u)*dy(v)", 3, 2, "[1/(2dz)]*[1/(2dy)]*((u[0,0,+1] - u[0,0,-1])*(v[0,+1,0] - v[0,-1,0]))"},
    {"dxy(u^2)", 2, 2, "[1/(2dx)]*[1/(2dy)]*(u[+1,+1]^2 - u[-1,+1]^2 - (u[+1,-1]^2 - u[-1,-1]^2))"},
    {"-u*t + dy(D)", 2, 2, "-u*t + 0"},
    {"dyyyy(u)", 2, 4,
     "0.16666666666666666*[1/dy^4]*(12*(u[0,+2] + u[0,-2]) - (u[0,+3] + u[0,-3]) - 39*(u[0,+1] + u[0,-1]) + 56*u)"},
};

static void operators_become_their_stencils(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        int reach[AXES];
        struct sw_text text = {0};
        struct sw_expr *expr = differences_of(known[k].text, known[k].dimensions, known[k].order, reach);
        sw_expr_print(expr, &text);
        if (strcmp(sw_text_get(&text), known[k].becomes))
            fail_msg("'%s' becomes\n  '%s', expected\n  '%s'", known[k].text, sw_text_get(&text), known[k].becomes);
        sw_text_free(&text);
        sw_expr_destroy(&expr);
    }
}

/* Points of different values that a biharmonic takes. */
static void count_neighbour(void *user, const char *name, int column)
{
    int offset[AXES];
    (void)column;
    *(int *)user += sw_grid_neighbour(name, "u", offset);
}

/* Random numbers as fields: nothing but the differences makes the sums vanish. */
static void sums_of_fluxes_over_a_periodic_grid_are_zero(void **state)
{
    (void)state;
    static const char *const flux[][2] = {
        {"lap(u^3 - u - lap(u))", "lap(u^3 - u - lap(u))"},
        {"div(u*dx(v), u*dy(v))", "div(u*dx(v), u*dy(v), u*dz(v))"},
        {"-div(u^3*dx(lap(u)), u^3*dy(lap(u)))", "-div(u^3*dx(lap(u)), u^3*dy(lap(u)), u^3*dz(lap(u)))"},
        {"dx(u*dy(v)) - dy(v^2*dx(u*v))", "dz(u*dy(v)) - dy(v^2*dz(u*v))"},
        {"dx(grad2(u)) + dy(sin(u)*dxx(v))", "dx(grad2(u)) + dz(sin(u)*dxy(v))"},
        {"dxy(u*dx(v)*dy(u))", "dxy(u*dx(v)*dz(u))"},
        {"div(u^2, u*v)", "div(u^2, u*v, v^3)"},
    };
    static const int n[AXES] = {7, 6, 8};
    static const double length[AXES] = {5, 7, 6};
    uint64_t random = 3;
    for (size_t j = 0; j < sizeof flux / sizeof *flux; j++)
        for (int dimensions = 2; dimensions <= 3; dimensions++) {
            struct grid g;
            double out[7 * 6 * 8], sum = 0, size = 0;
            make_grid(&g, dimensions, n, length, &random);
            evaluate(flux[j][dimensions - 2], &g, 2, out);
            for (int p = 0; p < g.points; p++) sum += out[p], size += fabs(out[p]);
            if (!(fabs(sum) <= 1e-14 * size)) fail_msg("'%s': %g of %g", flux[j][dimensions - 2], sum, size);
            assert_true(size > 1);
            free_grid(&g);
        }
}

static const struct {
    const char *text;
    int dimensions, order, column, length;
    const char *message, *hint;
} errors[] = {
    {"u - lap(lap(dyy(lap(u))))", 2, 2, 5, 3, "this makes a derivative of order 8, the highest is 6", "to the sixth"},
    {"dx(u*dyyyy(u*dxz(v)))", 3, 2, 1, 2, "this makes a derivative of order 7, the highest is 6", "up to the sixth"},
    {"grad2(u + dxxxx(dyy(v)))", 2, 2, 1, 5, "this makes a derivative of order 7, the highest is 6", ""},
    {"u + lap(lap(lap(u)))", 2, 4, 17, 1, "with order = 4 there are no derivatives beyond the fourth", "leave `order`"},
    {"u + dy(u*rand(1))", 2, 2, 10, 4, "rand() cannot stand inside a derivative", "as dx falls"},
    {"1 + dx(u*dy(v))", 2, 4, 9, 1, "with order = 4 there are derivatives of what has none", "leave `order` at 2"},
};

static void every_refusal_names_its_place(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++) {
        struct sw_expr *expr, *out;
        struct sw_expr_error err;
        int reach[AXES];
        assert_ok(sw_expr_parse_fields(errors[k].text, errors[k].dimensions, &expr, &err));
        if (sw_grid_differences(expr, errors[k].dimensions, unknowns, 2, errors[k].order, NULL, reach, &out, &err) !=
            SW_E_CONFIG)
            fail_msg("'%s' was accepted", errors[k].text);
        if (err.column != errors[k].column || err.length != errors[k].length)
            fail_msg("'%s': column %d + %d: %s", errors[k].text, err.column, err.length, err.text);
        assert_contains(err.text, errors[k].message);
        assert_contains(err.hint, errors[k].hint);
        assert_null(out);
        sw_expr_destroy(&expr);
    }
}

static void a_biharmonic_takes_13_or_25_points(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        int reach[AXES], points = 0;
        struct sw_expr *expr = differences_of("-lap(lap(u))", dimensions, 2, reach);
        sw_expr_names(expr, count_neighbour, &points);
        assert_int_equal(points, dimensions == 2 ? 13 : 25);
        for (int axis = 0; axis < AXES; axis++) assert_int_equal(reach[axis], axis < dimensions ? 2 : 0);
        sw_expr_destroy(&expr);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_become_their_stencils),
        cmocka_unit_test(a_biharmonic_takes_13_or_25_points),
        cmocka_unit_test(sums_of_fluxes_over_a_periodic_grid_are_zero),
        cmocka_unit_test(every_refusal_names_its_place),
        cmocka_unit_test(random_texts_have_the_documented_stencils),
        cmocka_unit_test(random_texts_converge_with_order_two),
        cmocka_unit_test(random_texts_converge_with_order_four),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
