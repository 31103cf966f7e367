#ifndef LINE_MODELS_H
#define LINE_MODELS_H
/* General models of the line equation in tests: several unknowns, neighbours, all orders and methods. */
#include "base/sw_err.h"
#include "stepper_helpers.h"

/* Expressions may use the parameters a, b, c, x, t, and u, v, w, z with their neighbours: ul2 ul u ur ur2. */
struct model {
    enum sw_scheme scheme;
    int            unknowns;
    unsigned       orders;
    struct sw_line_mass mass[SW_UNKNOWNS_MOST];
    enum sw_line_end_kind end[2][SW_UNKNOWNS_MOST];
    const char    *condition[2][SW_UNKNOWNS_MOST][2];  /* of the first two derivatives known there */
    const char    *initial[SW_UNKNOWNS_MOST], *g[SW_UNKNOWNS_MOST], *s[SW_UNKNOWNS_MOST];
};

static inline struct sw_program *compile_line(const char *text)
{
    static const char *const tail[] = {"l2", "l", "", "r", "r2"};
    char name[SW_UNKNOWNS_MOST * SW_NEIGHBOURS][8];
    struct sw_symbol symbol[5 + SW_UNKNOWNS_MOST * SW_NEIGHBOURS] = {
        {"a", SW_RATE_RUN, 0}, {"b", SW_RATE_RUN, 1}, {"c", SW_RATE_RUN, 2}, {"t", SW_RATE_STEP, 0},
        {"x", SW_RATE_CELL, SW_IN_X},
    };
    struct sw_scope scope = {.symbol = symbol, .count = 5, .random = true, .stream = 1};
    struct sw_expr *expr = NULL;
    struct sw_program *program = NULL;
    struct sw_expr_error err;
    for (int k = 0; k < SW_UNKNOWNS_MOST * SW_NEIGHBOURS; k++) {
        const int v = k / SW_NEIGHBOURS, o = k % SW_NEIGHBOURS;
        snprintf(name[k], sizeof name[k], "%c%s", "uvwz"[v], tail[o]);
        symbol[scope.count++] = (struct sw_symbol){name[k], SW_RATE_POINT, sw_input_at(v, o - SW_REACH)};
    }
    if (!text) return NULL;
    if (sw_expr_parse(text, &expr, &err) || sw_program_compile(expr, &scope, &program, &err))
        fail_msg("%s: column %d: %s", text, err.column, err.text);
    sw_expr_destroy(&expr);
    return program;
}

static const struct sw_paces *paces_of_lines;  /* of the steppers that make_line_on() makes */

struct line_sim { struct sw_program *program[SW_UNKNOWNS_MOST][7]; struct sw_stepper *s; int n, count, unknowns; };

/* @return false: the row does not take such a model, and says so */
static inline bool make_line_on(const struct sw_stepper_ops *row, struct line_sim *m, struct sw_device *where,
                                struct model t, int n, int capacity)
{
    struct sw_stepper_desc desc = {.n = n, .capacity = capacity, .paces = paces_of_lines,
                                   .model = {.scheme = t.scheme, .nparam = PARAMS, .unknowns = t.unknowns,
                                             .orders = t.orders}};
    *m = (struct line_sim){.n = n, .unknowns = t.unknowns};
    for (int v = 0; v < t.unknowns; v++) {
        desc.model.initial[v] = m->program[v][0] = compile_line(t.initial[v]);
        desc.model.g[v] = m->program[v][1] = compile_line(t.g[v]);
        desc.model.explicit_term[v] = m->program[v][2] = compile_line(t.s[v]);
        desc.model.mass[v] = t.mass[v];
        for (int side = 0; side < 2; side++)
            desc.model.end[side][v] = (struct sw_line_end){
                .kind = t.end[side][v],
                .first = m->program[v][3 + side] = compile_line(t.condition[side][v][0]),
                .second = m->program[v][5 + side] = compile_line(t.condition[side][v][1]),
            };
    }
    enum sw_status st = stepper_create(&desc, row->name, where, &m->s);
    if (!st) return true;
    assert_contains(sw_err_message(), "it takes ");
    if (!(sw_stepper_needs(&desc) & ~row->takes)) assert_false(row->fits(&desc, where->sm));
    return false;
}

static inline bool make_line(struct line_sim *m, struct sw_device *where, struct model t, int n, int capacity)
{
    return make_line_on(under_test, m, where, t, n, capacity);
}

static inline void unmake_line(struct line_sim *m)
{
    stepper_destroy(&m->s);
    for (int v = 0; v < SW_UNKNOWNS_MOST; v++)
        for (int k = 0; k < 7; k++) sw_program_destroy(&m->program[v][k]);
}

static inline void start_line(struct line_sim *m, int count, const struct run *run)
{
    struct sim like = {.s = m->s, .n = m->n * m->unknowns};
    start(&like, count, run);
    m->count = count;
}

static inline double *state_of_line(const struct line_sim *m)
{
    const struct sim like = {.s = m->s, .n = m->n * m->unknowns, .count = m->count};
    return state_of(&like);
}
#endif
