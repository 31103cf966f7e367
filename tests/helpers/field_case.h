#ifndef FIELD_CASE_H
#define FIELD_CASE_H
/* A few small fields, periodic or between walls that rest, taken through steps by a row, and by W-methods as they are
 * written: right-hand sides at all points from arrays of their neighbours, those beyond walls by Taylor's series about
 * the wall, P of line matrices as one matrix that is eliminated, and exact P by sums over all waves. Only the programs
 * of the terms and the rule of P's numbers are those that rows have. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/sw_device.h"
#include "helpers.h"
#include "problem/fields/fields_sim.h"
#include "problem/line/stepper/own_steps_point.h"

enum { CASE_GRID = 2, CASE_NUMBERS = CASE_GRID + FIELDS_NUMBERS };

/* What a wall is of an unknown: its conditions, the first and the second, as texts and as functions of the same values;
 * NULL: 0. */
struct case_condition { const char *text; double (*value)(const double x[SW_DIMS], const double number[CASE_GRID]); };
struct case_wall { enum fields_wall_kind kind; const struct case_condition *condition[2]; };

struct field_case {
    int                  axes, unknowns, order;
    int64_t              n[SW_DIMS];
    double               dx[SW_DIMS], number[CASE_GRID];  /* its numbers: those of the first symbols */
    const char          *text[SW_UNKNOWNS_MOST];
    bool                 walls[SW_DIMS];                  /* both ends of an axis are points       */
    struct case_wall     wall[2][SW_DIMS][2];             /* [unknowns]                            */
    struct fields_terms *terms;
    enum sw_scheme       scheme;
    double               dt, tolerance;                   /* tolerance > 0: own steps to the end of the same time */
    double               change;                          /* of what a right-hand side is given, and a solve gives */
    uint64_t             random;                          /* that this takes                                       */
    double               condition;                       /* out: the largest of P, of axes 1 + 4 s2 + 16 s4 each  */
};

static inline size_t case_points(const struct field_case *c) { return (size_t)sw_points(c->n); }
static inline size_t case_size(const struct field_case *c) { return case_points(c) * (size_t)c->unknowns; }

/** Whether no flux goes through a wall. */
static inline bool case_is_closed(const struct field_case *c, int v, int axis, int side)
{
    const struct case_wall *w = &c->wall[v][axis][side];
    return w->kind == FIELDS_SLOPE && !w->condition[0] && !w->condition[1];
}

static inline bool case_is_given(enum fields_wall_kind kind) { return kind == FIELDS_VALUE || kind == FIELDS_CLAMPED; }

/** Read its texts in u and v, with two numbers of a run. @return false: they are refused */
static inline bool case_read(struct field_case *c, const char *const name[CASE_GRID], struct fields_error *err)
{
    const struct sw_symbol symbol[] = {{name[0], SW_RATE_RUN, 0}, {name[1], SW_RATE_RUN, 1}};
    const struct sw_scope scope = {.symbol = symbol, .count = CASE_GRID};
    struct fields_text text = {.dimensions = c->axes, .unknowns = c->unknowns, .unknown = {"u", "v"},
                               .rhs = {c->text[0], c->text[1]}, .run = &scope, .first_number = CASE_GRID,
                               .order = c->order};
    for (int k = 0; k < c->unknowns * SW_DIMS * 2; k++)
        if (case_is_closed(c, k / (2 * SW_DIMS), k / 2 % SW_DIMS, k % 2))
            text.closed[k / 2 % SW_DIMS][k % 2] |= 1U << k / (2 * SW_DIMS);
    return !fields_terms_create(&text, &c->terms, err);
}

static inline void case_set_numbers(const struct field_case *c, double param[CASE_NUMBERS])
{
    memcpy(param, c->number, sizeof c->number);
    fields_numbers(c->dx, param + CASE_GRID);
    for (int a = 0; a < c->axes; a++)
        if (c->walls[a]) fields_set_mirrors(a, 0, (double)(c->n[a] - 1) * c->dx[a], param + CASE_GRID);
}

/* ------------------------------------------------------------------ by a row */

static inline enum sw_status case_fill(void *own, int count, const double *column, struct fields_run *run,
                                       double *param)
{
    const struct field_case *c = own;
    (void)count, (void)column;
    case_set_numbers(c, param);
    run[0] = (struct fields_run){.grid = {.dx = {c->dx[0], c->dx[1], c->dx[2]}, .dt = c->dt},
                                 .tolerance = c->tolerance};
    return SW_OK;
}

static inline void case_keep(void *own) { (void)own; }

static inline struct sw_program *case_compile(const struct case_condition *condition)
{
    static const struct sw_symbol symbol[] = {{"x", SW_RATE_CELL, SW_IN_X}, {"y", SW_RATE_CELL, SW_IN_Y},
                                              {"z", SW_RATE_CELL, SW_IN_Z}, {"a", SW_RATE_RUN, 0},
                                              {"D", SW_RATE_RUN, 1}};
    static const struct sw_scope scope = {.symbol = symbol, .count = sizeof symbol / sizeof *symbol};
    struct sw_expr_error err;
    struct sw_program *program = NULL;
    struct sw_expr *expr;
    if (!condition) return NULL;
    assert_ok(sw_expr_parse(condition->text, &expr, &err));
    assert_ok(sw_program_compile(expr, &scope, &program, &err));
    sw_expr_destroy(&expr);
    return program;
}

/** So many steps. @param u  in: initial values; out: the field @return false: the run is refused */
static inline bool case_run(const struct field_case *c, const char *row, struct sw_device *device, int64_t steps,
                            double *u)
{
    struct field_case copy = *c;
    const double times[] = {0, (double)steps * c->dt};
    const struct fields_source source = {case_fill, case_keep, &copy};
    struct fields_desc desc = {.n = {c->n[0], c->n[1], c->n[2]}, .capacity = 1, .own_steps = c->tolerance > 0,
                               .goals = 1, .times = times, .scheme = c->scheme, .nparam = CASE_NUMBERS,
                               .terms = c->terms};
    enum { CONDITIONS = 2 * SW_DIMS * 2 * 2 };
    struct sw_program *program[CONDITIONS] = {NULL};
    const double none = 0;
    const char *error;
    struct sw_sim *sim;
    for (int a = 0; a < SW_DIMS; a++) desc.walls[a] = c->walls[a];
    for (int k = 0; k < CONDITIONS; k++) {
        const struct case_wall *w = &c->wall[k / (4 * SW_DIMS)][k / 4 % SW_DIMS][k / 2 % 2];
        struct fields_wall *wall = &desc.wall[k / (4 * SW_DIMS)][k / 4 % SW_DIMS][k / 2 % 2];
        wall->kind = w->kind;
        wall->condition[k % 2] = program[k] = case_compile(w->condition[k % 2]);
    }
    assert_ok(fields_sim_create(&desc, row, device, &source, &sim));
    assert_ok(sim->ops->load(sim, 1, &none, &error));
    if (!error) {
        assert_ok(sw_sim_set_state(sim, u));
        assert_ok(sim->ops->advance(sim, 0, c->tolerance > 0 ? SW_OWN_STEPS_TICKS : steps));
        assert_ok(sw_sim_get_state(sim, u));
    }
    sim->ops->destroy(sim);
    for (int k = 0; k < CONDITIONS; k++) sw_program_destroy(&program[k]);
    return !error;
}

/* ------------------------------------------------------------------ programs at all points */

static inline size_t case_number(const struct field_case *c, const int64_t at[SW_DIMS])
{
    return (size_t)((at[2] * c->n[1] + at[1]) * c->n[0] + at[0]);
}

static inline void case_place(const struct field_case *c, size_t point, int64_t at[SW_DIMS])
{
    for (int a = 0; a < SW_DIMS; point /= (size_t)c->n[a++]) at[a] = (int64_t)(point % (size_t)c->n[a]);
}

static inline int64_t case_mirrored(int64_t i, int64_t n) { return i < 0 ? -i : i < n ? i : 2 * (n - 1) - i; }

/* A condition there; beyond a wall without flux at the mirror image. */
static inline double case_given(const struct field_case *c, int v, const struct case_condition *condition,
                                const int64_t at[SW_DIMS])
{
    double x[SW_DIMS];
    for (int a = 0; a < SW_DIMS; a++) {
        int64_t i = at[a];
        if (!c->walls[a]) i = (i % c->n[a] + c->n[a]) % c->n[a];
        else if (case_is_closed(c, v, a, i >= c->n[a])) i = case_mirrored(i, c->n[a]);
        x[a] = a < c->axes ? (double)i * c->dx[a] : 0;
    }
    return condition ? condition->value(x, c->number) : 0;
}

/* u of an unknown at a point that may be beyond ends of the axes up to this one: of the last one first. */
static inline double case_at(const struct field_case *c, int v, const double *u, const int64_t at[SW_DIMS], int axis)
{
    if (axis < 0) return u[case_number(c, at)];
    const int64_t n = c->n[axis];
    const int side = at[axis] > n / 2;
    const int64_t k = side ? at[axis] - (n - 1) : -at[axis];
    const double kd = (double)k * c->dx[axis], sign = side ? 1 : -1;
    const struct case_wall *w = &c->wall[v][axis][side];
    int64_t moved[SW_DIMS] = {at[0], at[1], at[2]};
    if (!c->walls[axis]) {
        moved[axis] = (at[axis] % n + n) % n;
        return case_at(c, v, u, moved, axis - 1);
    }
    if (k == 0 && case_is_given(w->kind)) return case_given(c, v, w->condition[0], at);
    if (k <= 0) return case_at(c, v, u, at, axis - 1);
    moved[axis] = side ? n - 1 : 0;
    const double first = case_given(c, v, w->condition[0], moved), second = case_given(c, v, w->condition[1], moved);
    moved[axis] = case_mirrored(at[axis], n);
    const double image = case_at(c, v, u, moved, axis);
    if (w->kind == FIELDS_VALUE) return 2 * first - image + kd * kd * second;
    return image + sign * 2 * kd * (w->kind == FIELDS_CLAMPED ? second : first + kd * kd / 6 * second);
}

/* Whether it is at a wall along an axis (-1: any) where u is given. */
static inline bool case_is_at_given(const struct field_case *c, int v, const int64_t at[SW_DIMS], int axis)
{
    bool given = false;
    for (int a = 0; a < SW_DIMS; a++)
        for (int side = 0; side < 2 && c->walls[a] && (axis < 0 || axis == a); side++)
            given |= at[a] == (side ? c->n[a] - 1 : 0) && case_is_given(c->wall[v][a][side].kind);
    return given;
}

/** Set what is given at walls. */
static inline void case_impose(const struct field_case *c, double *u)
{
    for (size_t p = 0; p < case_size(c); p++) {
        const int v = (int)(p / case_points(c));
        int64_t at[SW_DIMS];
        case_place(c, p % case_points(c), at);
        if (case_is_at_given(c, v, at, -1)) u[p] = case_at(c, v, u + (size_t)v * case_points(c), at, SW_DIMS - 1);
    }
}

static inline void case_values(const struct field_case *c, const struct sw_program *program, double t, int64_t step,
                               const double *u, double *out)
{
    const struct fields_terms *terms = c->terms;
    const size_t points = case_points(c), inputs = (size_t)terms->inputs;
    double *room = calloc(inputs * points, sizeof *room), param[CASE_NUMBERS];
    const double **in = calloc(inputs, sizeof *in);
    struct sw_eval *eval;
    for (size_t k = 0; k < inputs; k++) in[k] = room + k * points;
    for (size_t p = 0; p < points; p++) {
        int64_t at[SW_DIMS];
        case_place(c, p, at);
        for (int a = 0; a < SW_DIMS; a++)
            room[(size_t)(SW_IN_X + a) * points + p] = (double)at[a] * (a < c->axes ? c->dx[a] : 1);
        for (int q = 0; q < terms->neighbours; q++) {
            const struct fields_neighbour *b = &terms->neighbour[q];
            const int64_t beside[SW_DIMS] = {at[0] + b->offset[0], at[1] + b->offset[1], at[2] + b->offset[2]};
            room[(size_t)(FIELDS_INPUTS + q) * points + p] =
                case_at(c, b->unknown, u + (size_t)b->unknown * points, beside, SW_DIMS - 1);
        }
    }
    case_set_numbers(c, param);
    assert_ok(sw_eval_create(program, (int)points, &eval));
    sw_eval_run(eval, param, 1);
    sw_eval_cells(eval, (int)points, in);
    sw_eval_step(eval, t, step);
    sw_eval_points(eval, (int)points, in, out);
    sw_eval_destroy(&eval);
    free(in);
    free(room);
}

/** F, 0 where u is given. */
static inline void case_rhs(const struct field_case *c, double t, int64_t step, const double *u, double *f)
{
    int64_t at[SW_DIMS];
    for (int v = 0; v < c->unknowns; v++) {
        double *out = f + (size_t)v * case_points(c);
        case_values(c, c->terms->row[v].rhs, t, step, u, out);
        for (size_t p = 0; p < case_points(c); p++) {
            case_place(c, p, at);
            if (case_is_at_given(c, v, at, -1)) out[p] = 0;
        }
    }
}

/* ------------------------------------------------------------------ what P is made of */

/* The largest value; `most` of a number of the run is that number, of others a number that is no smaller. */
static inline double case_largest(const struct field_case *c, const struct sw_program *program, bool linear, double t,
                                  int64_t step, const double *u)
{
    const size_t points = case_points(c);
    if (!program || (linear && sw_program_rate(program) != SW_RATE_RUN)) return 0;
    double largest = -INFINITY, *value = malloc(points * sizeof *value);
    case_values(c, program, t, step, u, value);
    for (size_t p = 0; p < points; p++) largest = fmax(largest, value[p]);
    free(value);
    return sw_program_rate(program) == SW_RATE_RUN ? largest : fields_raised(largest);
}

static inline struct fields_stiffness case_stiffness(const struct field_case *c, int v, double t, int64_t step,
                                                     const double *u)
{
    const struct fields_row *row = &c->terms->row[v];
    struct fields_stiffness s = {.a0 = case_largest(c, row->linear.a0, true, t, step, u)};
    for (int a = 0; a < c->axes; a++) {
        s.a2[a] = case_largest(c, row->linear.a2[a], true, t, step, u);
        s.a4[a] = case_largest(c, row->linear.a4[a], true, t, step, u);
        s.a6[a] = case_largest(c, row->linear.a6[a], true, t, step, u);
        s.most2[a] = case_largest(c, row->frozen.a2[a], false, t, step, u);
        s.most4[a] = case_largest(c, row->frozen.a4[a], false, t, step, u);
    }
    return s;
}

static inline struct fields_matrix case_matrix(const struct field_case *c, bool exact, const struct fields_stiffness *s)
{
    struct fields_matrix_rule rule = {.axes = c->axes, .fourth = c->order == 4, .exact = exact};
    for (int k = 0; k < c->unknowns * SW_DIMS; k++) {
        const struct sw_program *cross = c->terms->row[k / SW_DIMS].frozen.cross[k % SW_DIMS];
        rule.cross |= cross && !(exact && sw_program_rate(cross) == SW_RATE_RUN);
    }
    return fields_matrix_of(fields_method_of(c->scheme), &rule, s, c->dt);
}

/* Of P, of axes 1 + 4 s2 + 16 s4 each; exact ones have the constant coefficients beside m2 and m4. A right-hand side is
 * rounded by as much, over gamma, of which long waves keep all. */
static inline double case_condition(const struct field_case *c, bool exact, double g, const struct fields_stiffness *s,
                                    const struct fields_matrix *m)
{
    double condition = 1;
    for (int a = 0; a < c->axes; a++) {
        const double h = 4 / (c->dx[a] * c->dx[a]), of = exact ? g * h : 0;
        condition *= 1 + g * h * (m->m2[a] + h * m->m4[a]) + of * (fabs(s->a2[a]) + h * fabs(s->a4[a] + h * s->a6[a]));
    }
    return condition;
}

/* ------------------------------------------------------------------ the product as one matrix */

/* out = A_a x of increments of unknown v, of columns beside each other: [points][columns] */
static inline void case_apply_line(const struct field_case *c, int v, double g, const struct fields_matrix *m, int a,
                                   size_t columns, const double *x, double *out)
{
    static const double second[] = {0, 1, -2, 1, 0}, fourth[] = {1, -4, 6, -4, 1};
    const double h = c->dx[a] * c->dx[a];
    memset(out, 0, case_points(c) * columns * sizeof *out);
    for (size_t p = 0; p < case_points(c); p++)
        for (int k = -2; k <= 2; k++) {
            int64_t at[SW_DIMS];
            case_place(c, p, at);
            const bool given = case_is_at_given(c, v, at, a);
            const int64_t to = at[a] + k, n = c->n[a];
            const bool odd = c->walls[a] && ((to < 0 && c->wall[v][a][0].kind == FIELDS_VALUE) ||
                                             (to >= n && c->wall[v][a][1].kind == FIELDS_VALUE));
            const double here = (k ? 0 : 1 - g * m->a0 / c->axes) - g * m->m2[a] * second[k + 2] / h +
                                g * m->m4[a] * fourth[k + 2] / (h * h),
                         by = given ? k == 0 : odd ? -here : here;
            at[a] = c->walls[a] ? case_mirrored(to, n) : (to % n + n) % n;
            const double *from = x + case_number(c, at) * columns;
            for (size_t j = 0; j < columns; j++) out[p * columns + j] += by * from[j];
        }
}

/* A_x A_y (A_z), eliminated with pivots. */
struct case_product { double *lu; size_t *pivot; };

static inline struct case_product case_make_product(const struct field_case *c, int v, double g,
                                                    const struct fields_matrix *m)
{
    const size_t n = case_points(c);
    double *p = calloc(n * n, sizeof *p), *next = malloc(n * n * sizeof *next);
    size_t *pivot = malloc(n * sizeof *pivot);
    for (size_t i = 0; i < n; i++) p[i * n + i] = 1;
    for (int a = c->axes - 1; a >= 0; a--) {
        case_apply_line(c, v, g, m, a, n, p, next);
        memcpy(p, next, n * n * sizeof *p);
    }
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(p[i * n + k]) > fabs(p[best * n + k])) best = i;
        pivot[k] = best;
        memcpy(next, p + k * n, n * sizeof *p);
        memmove(p + k * n, p + best * n, n * sizeof *p);
        memcpy(p + best * n, next, n * sizeof *p);
        for (size_t i = k + 1; i < n; i++) {
            const double by = p[i * n + k] /= p[k * n + k];
            for (size_t j = k + 1; by != 0 && j < n; j++) p[i * n + j] -= by * p[k * n + j];
        }
    }
    free(next);
    return (struct case_product){p, pivot};
}

static inline void case_solve_product(const struct field_case *c, const struct case_product *p, double *x)
{
    const size_t n = case_points(c);
    for (size_t k = 0; k < n; k++) {
        const double swap = x[k];
        x[k] = x[p->pivot[k]];
        x[p->pivot[k]] = swap;
    }
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < k; j++) x[k] -= p->lu[k * n + j] * x[j];
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++) x[k] -= p->lu[k * n + j] * x[j];
        x[k] /= p->lu[k * n + k];
    }
}

/* ------------------------------------------------------------------ exact P */

/* X_k = sum_p x_p exp(sign i (2 pi k_x x/n_x + ..)) */
static inline void case_waves(const struct field_case *c, int sign, const double complex *x, double complex *out)
{
    const size_t points = case_points(c);
    for (size_t k = 0; k < points; k++) {
        out[k] = 0;
        for (size_t p = 0; p < points; p++) {
            double angle = 0;
            size_t i = p, j = k;
            for (int a = 0; a < SW_DIMS; a++) {
                const size_t n = (size_t)c->n[a];
                angle += (double)((i % n) * (j % n) % n) / (double)n;
                i /= n;
                j /= n;
            }
            out[k] += x[p] * cexp(sign * 2 * acos(-1) * angle * I);
        }
    }
}

/* What is damped is implicit, and all that turns. */
static inline void case_solve_exact(const struct field_case *c, int v, double g, const struct fields_matrix *m,
                                    double *x)
{
    const size_t points = case_points(c);
    const struct sw_program *all = c->terms->row[v].linear.all;
    double *delta = calloc(case_size(c), sizeof *delta), *response = calloc(points, sizeof *response);
    double complex *from = malloc(3 * points * sizeof *from), *symbol = from + points, *wave = symbol + points;
    delta[(size_t)v * points] = 1;
    if (all) case_values(c, all, 0, 0, delta, response);
    for (size_t p = 0; p < points; p++) from[p] = response[p];
    case_waves(c, -1, from, symbol);
    for (size_t p = 0; p < points; p++) from[p] = x[p];
    case_waves(c, -1, from, wave);
    for (size_t k = 0; k < points; k++) {
        double second = 0, root = 0;
        size_t j = k;
        for (int a = 0; a < c->axes; j /= (size_t)c->n[a++]) {
            const double half = sin(acos(-1) * (double)(j % (size_t)c->n[a]) / (double)c->n[a]) / c->dx[a];
            second += m->m2[a] * 4 * half * half;
            root += sqrt(m->m4[a]) * 4 * half * half;
        }
        wave[k] /= 1 - g * (fmin(creal(symbol[k]) - second - root * root, 0) + cimag(symbol[k]) * I);
    }
    case_waves(c, 1, wave, from);
    for (size_t p = 0; p < points; p++) x[p] = creal(from[p]) / (double)points;
    free(from);
    free(delta);
    free(response);
}

/* ------------------------------------------------------------------ steps */

static inline void case_add(size_t n, double by, const double *x, double *to)
{
    for (size_t c = 0; c < n; c++) to[c] += by * x[c];
}

/** So many steps of dt, each with a P of its own. @param u  in: initial values; out: the field */
static inline void case_take_steps(struct field_case *c, bool exact, int64_t steps, double *u)
{
    const struct fields_method *method = fields_method_of(c->scheme);
    const size_t size = case_size(c), points = case_points(c);
    double *k[FIELDS_STAGES], *d = malloc(2 * size * sizeof *d), *stage = d + size;
    for (int i = 0; i < method->stages; i++) k[i] = malloc(size * sizeof *k[i]);
    case_impose(c, u);
    for (int64_t number = 0; number < steps; number++) {
        const double t = (double)number * c->dt;
        struct fields_matrix m[SW_UNKNOWNS_MOST];
        struct case_product product[SW_UNKNOWNS_MOST] = {{NULL, NULL}};
        for (int v = 0; v < c->unknowns; v++) {
            const struct fields_stiffness stiffness = case_stiffness(c, v, t, number, u);
            m[v] = case_matrix(c, exact, &stiffness);
            c->condition = fmax(c->condition, case_condition(c, exact, method->gamma * c->dt, &stiffness, &m[v]));
            if (!exact) product[v] = case_make_product(c, v, method->gamma * c->dt, &m[v]);
        }
        for (int i = 0; i < method->stages; i++) {
            memcpy(stage, u, size * sizeof *u);
            memset(d, 0, size * sizeof *d);
            for (int j = 0; j < i; j++) {
                case_add(size, method->a[i][j], k[j], stage);
                case_add(size, method->h[i][j], k[j], d);
            }
            for (size_t p = 0; p < size; p++) stage[p] += c->change * test_random(&c->random);
            case_rhs(c, t + method->c[i] * c->dt, number, stage, k[i]);
            for (size_t p = 0; p < size; p++) k[i][p] = c->dt * k[i][p] + d[p];
            for (int v = 0; v < c->unknowns; v++) {
                double *x = k[i] + (size_t)v * points;
                if (exact) case_solve_exact(c, v, method->gamma * c->dt, &m[v], x);
                else case_solve_product(c, &product[v], x);
            }
            case_add(size, -1, d, k[i]);
            for (size_t p = 0; p < size; p++) k[i][p] += c->change * test_random(&c->random);
        }
        for (int i = 0; i < method->stages; i++) case_add(size, method->b[i], k[i], u);
        for (int v = 0; v < c->unknowns; v++) {
            free(product[v].lu);
            free(product[v].pivot);
        }
    }
    for (int i = 0; i < method->stages; i++) free(k[i]);
    free(d);
}

/** The largest; NaN where one is. */
static inline double case_difference(size_t n, const double *a, const double *b)
{
    double largest = 0;
    for (size_t c = 0; c < n; c++) largest = sw_own_steps_worse(largest, fabs(a[c] - b[c]));
    return largest;
}
#endif
