/* The programs of `advection`: c and S, what is given at walls, and its derivatives in t. */
#include "problem/advection/advection_model.h"

#include <string.h>

#include "base/sw_mem.h"
#include "problem/advection/advection_method.h"

/* An expression that was derived from one of the config, with the names that it may use. */
static enum sw_status compile(const struct sw_setup *setup, const struct sw_expr *expr, const char *key,
                              struct sw_program **program)
{
    static const struct sw_symbol known[] = {{"x", SW_RATE_CELL, SW_IN_X}, {"y", SW_RATE_CELL, SW_IN_Y},
                                             {"z", SW_RATE_CELL, SW_IN_Z}, {"t", SW_RATE_STEP, 0}};
    enum { KNOWN = sizeof known / sizeof *known };
    struct sw_expr_error err = {0};
    struct sw_symbol *symbol;
    struct sw_scope scope = {.count = KNOWN};
    SW_TRY(sw_alloc((size_t)setup->scope->count + KNOWN, &symbol));
    memcpy(symbol, known, sizeof known);
    for (int k = 0; k < setup->scope->count; k++) symbol[scope.count++] = setup->scope->symbol[k];
    scope.symbol = symbol;
    enum sw_status st = sw_program_compile(expr, &scope, program, &err);
    if (st == SW_E_CONFIG) st = SW_FAIL(st, "'%s', its derivative in t: %s", key, err.text);
    sw_free(symbol);
    return st;
}

static enum sw_status make_wall(const struct sw_setup *setup, int d, int side, struct advection_model *m)
{
    const char *key = advection_wall_key(d, side);
    const struct sw_function *f = sw_setup_find(setup, key);
    const int at = 2 * d + side;
    struct sw_expr *derived;
    if (!f) return SW_OK;
    SW_TRY(sw_expr_derivative(f->expr, "t", &derived));
    enum sw_status st = compile(setup, derived, key, &m->rate[at]);
    sw_expr_destroy(&derived);
    m->program[ADVECTION_WALL + at] = f->program;
    m->program[ADVECTION_RATE + at] = m->rate[at];
    m->given = true;
    return st;
}

/* A velocity that is 0 whatever the run needs no derivative. */
static bool is_zero(const struct sw_program *program)
{
    double value;
    return !program || (sw_program_constant(program, &value) && value == 0);
}

enum sw_status advection_model_make(const struct sw_setup *setup, struct advection_model *m)
{
    *m = (struct advection_model){0};
    for (int d = 0; d < SW_DIMS; d++) {
        const struct sw_program *c = sw_setup_function(setup, advection_velocity[d]);
        m->moves[d] = !is_zero(c) && setup->n[d] > 1;
        if (m->moves[d]) m->program[ADVECTION_VELOCITY + d] = c;
    }
    m->program[ADVECTION_SOURCE] = sw_setup_function(setup, "forcing");
    for (int d = 0; d < SW_DIMS; d++)
        for (int side = 0; side < 2; side++) {
            enum sw_status st = make_wall(setup, d, side, m);
            if (st) { advection_model_free(m); return st; }
        }
    for (int d = 0; d < SW_DIMS; d++)
        for (int k = 0; k < ADVECTION_PROGRAMS; k++)
            m->uses[d] |= m->program[k] && sw_program_uses(m->program[k], advection_axes[d]);
    return SW_OK;
}

void advection_model_free(struct advection_model *m)
{
    for (int k = 0; k < 2 * SW_DIMS; k++) sw_program_destroy(&m->rate[k]);
}
