#ifndef FIELD_CASES_H
#define FIELD_CASES_H
/* Equations as texts for rows that step fields, of all that they may hold: nonlinear and varying coefficients, mixed
 * derivatives, forces, noise, jumps in time, one to three unknowns, two and three dimensions. */
#include "helpers.h"

#include <math.h>
#include <string.h>

#include "expr/expr_impl.h"
#include "problem/fields/fields_sim.h"

/* An equation; its runs differ by the number a, and by dt where that is given. */
struct field_equation {
    const char *name;
    int axes, unknowns;
    const char *rhs[3], *energy, *initial[3];
    double dt;
    int order;
    const char *source;  /* in which k ? face : end stands for the noise of a step of key k (random_point.h) */
};

static const struct field_equation field_equations[] = {
    {"cahn_hilliard", 2, 1, {"a*lap(u^3 - u - lap(u))"}, "(u^2 - 1)^2/4 + grad2(u)/2",
     {"0.3*cos(x/2)*cos(y/4) + 0.2*sin(3*x/4 + y/2) + 0.01*randn(3)"}, 0.05, 2, NULL},
    {"gray_scott", 2, 2, {"0.4*lap(u) - u*v^2 + 0.04*a*(1 - u)", "0.2*lap(v) + u*v^2 - 0.1*v"}, NULL,
     {"1 - exp(-((x - 8)^2 + (y - 8)^2)/8)/2", "exp(-((x - 8)^2 + (y - 8)^2)/8)/4"}, 0.5, 2, NULL},
    {"noise", 2, 1, {"a*lap(u) + dx(dy(u)) - u^3 + cos(x + t)*sin(y) + 0.1*randn(4)"}, NULL, {"sin(x)*cos(y)"}, 0.02,
     2, "(4 ? 0 : 0) + (5 ? 0 : 0) - (5 ? 1 : 3) + x*((6 ? 0 : 0) - (6 ? 2 : 2)) + (7 ? 4 : 2) + (7 ? 5 : 3)"},
    {"thin_film", 2, 1, {"-div(u^3*dx(lap(u)), u^3*dy(lap(u))) - dx(u^2)"}, NULL, {"1 + 0.1*cos(x)*sin(y/2)"}, 0.02,
     2, NULL},
    {"fourth", 2, 1, {"lap(u) - a*u^3 + 0.1*dx(u)"}, NULL, {"sin(x) + cos(y)/2"}, 0.05, 4, NULL},
    {"cahn_hilliard_3d", 3, 1, {"lap(u^3 - u - a*lap(u))"}, "(u^2 - 1)^2/4 + grad2(u)/2",
     {"0.3*cos(x/2)*cos(y/2)*cos(z) + 0.2*sin(x + y/2 - z/2)"}, 0.05, 2, NULL},
    {"three_unknowns", 3, 3,
     {"lap(u) + v*dz(w) - u^3", "dxx(v) + 2*dyy(v) - u*v", "-w + tanh(5*(t - 0.1)) + y/9 + z/7"}, NULL,
     {"cos(x)", "sin(y + z)", "0.1*x"}, 0.03, 2, NULL},
    {"noise", 3, 1, {"a*lap(u)"}, NULL, {"sin(x)*cos(y)*cos(z)"}, 0.02, 2,
     "(4 ? 0 : 0) + (5 ? 1 : 3) + (6 ? 2 : 4) + (7 ? 3 : 1) + (7 ? 5 : 3) + (8 ? 6 : 2)"},
};
enum { FIELD_EQUATIONS = sizeof field_equations / sizeof *field_equations };

static const double field_times[] = {0, 0.7, 1.5};

struct field_runs { const struct field_equation *e; double tolerance; };

static inline enum sw_status fill_field_runs(void *own, int count, const double *column, struct fields_run *run,
                                             double *param)
{
    const struct field_runs *r = own;
    double number[FIELDS_NUMBERS];
    for (int j = 0; j < count; j++) {
        run[j] = (struct fields_run){.grid = {.x0 = {0.1, 0, 0}, .dx = {0.5, 0.6, 0.7}, .dt = r->e->dt * (j + 1) / 2},
                                     .tolerance = r->tolerance};
        fields_numbers(run[j].grid.dx, number);
        param[j] = column[j];
        for (int k = 0; k < FIELDS_NUMBERS; k++) param[(k + 1) * count + j] = number[k];
    }
    return SW_OK;
}

static inline void keep_field_runs(void *own) { (void)own; }

static inline struct sw_expr *read_field_source(const char *text)
{
    struct sw_expr *expr;
    struct sw_expr_error err;
    if (sw_expr_parse(text, &expr, &err)) fail_msg("%s: %s", text, err.text);
    for (int k = 0; k < expr->count; k++)
        if (expr->node[k].op == OP_CHOICE) expr->node[k].op = OP_NOISE;
    return expr;
}

static inline struct fields_terms *read_field_terms(const struct field_equation *e, const char *const *rhs,
                                                    int unknowns)
{
    static const struct sw_symbol symbol[] = {{"a", SW_RATE_RUN, 0}};
    static const struct sw_scope numbers = {.symbol = symbol, .count = 1};
    struct fields_text text = {.dimensions = e->axes, .unknowns = unknowns, .unknown = {"u", "v", "w"}, .run = &numbers,
                               .first_number = 1, .order = e->order};
    struct fields_terms *terms = NULL;
    struct fields_error err;
    struct sw_expr *source = e->source && rhs == e->rhs ? read_field_source(e->source) : NULL;
    for (int v = 0; v < unknowns; v++) text.rhs[v] = rhs[v];
    text.source[0] = source;
    if (fields_terms_create(&text, &terms, &err)) fail_msg("%s: %s", e->name, err.error.text);
    sw_expr_destroy(&source);
    return terms;
}

static inline struct sw_program *compile_field_initial(const char *text)
{
    static const struct sw_symbol symbol[] = {{"x", SW_RATE_CELL, SW_IN_X}, {"y", SW_RATE_CELL, SW_IN_Y},
                                              {"z", SW_RATE_CELL, SW_IN_Z}};
    const struct sw_scope scope = {.symbol = symbol, .count = 3, .random = true};
    struct sw_expr *expr;
    struct sw_expr_error err;
    struct sw_program *program;
    if (sw_expr_parse(text, &expr, &err)) fail_msg("%s: %s", text, err.text);
    assert_ok(sw_program_compile(expr, &scope, &program, &err));
    sw_expr_destroy(&expr);
    return program;
}

/* An equation on a grid by a method, and what it is made of. */
struct field_case {
    struct fields_desc desc;
    struct fields_terms *terms, *energy;
    struct sw_program *initial[3];
    struct field_runs runs;
    size_t size;
};

static inline void make_field_case(const struct field_equation *e, const int64_t n[3], enum sw_scheme scheme,
                                   double tolerance, int capacity, struct field_case *p)
{
    *p = (struct field_case){.terms = read_field_terms(e, e->rhs, e->unknowns), .runs = {e, tolerance}};
    if (e->energy) p->energy = read_field_terms(e, &e->energy, 1);
    p->desc = (struct fields_desc){.n = {n[0], n[1], n[2]}, .capacity = capacity, .own_steps = tolerance > 0,
                                   .goals = 2, .times = field_times, .scheme = scheme, .nparam = 1 + FIELDS_NUMBERS,
                                   .terms = p->terms, .energy = p->energy};
    for (int v = 0; v < e->unknowns; v++) p->desc.initial[v] = p->initial[v] = compile_field_initial(e->initial[v]);
    p->size = (size_t)(n[0] * n[1] * n[2]) * (size_t)e->unknowns;
}

static inline void destroy_field_case(struct field_case *p)
{
    for (int v = 0; v < 3; v++) sw_program_destroy(&p->initial[v]);
    fields_terms_destroy(&p->terms);
    fields_terms_destroy(&p->energy);
}
#endif
