/* What the config of a run of `advection` says (docs/explanation/advection.md): its schemes and Runge-Kutta method, its
 * keys along the axes and at the walls; and the terms of its equation as programs: c, S, what is given at walls, and
 * the derivatives of that in t. */
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "problem/advection/advection_impl.h"

/* ------------------------------------------------------------------ Runge-Kutta methods */

/* W. Kutta's method of 1901, with u + dt (k1 + 2 k2 + 2 k3 + k4)/6 as a running sum; and the three-stage method of
 * C.-W. Shu and S. Osher, J. Comput. Phys. 77 (1988), eq. 2.18, convex sums of Euler steps. The ends of the stability
 * regions are those of the Taylor polynomials of order 4 and 3: sqrt(8), sqrt(3), and the real zeros of |R| = 1. */
static const struct rk_method methods[] = {
    {"rk4", 4, 4, 3, 2.8284271247461903, 2.7852935634052816,
     {{.time = 0, .gain = 0.5, .now = 1, .share = 1.0 / 6},
      {.time = 0.5, .gain = 0.5, .now = 1, .share = 1.0 / 3},
      {.time = 0.5, .gain = 1, .now = 1, .share = 1.0 / 3},
      {.time = 1, .gain = 1.0 / 6, .sum = 1}}},
    {"ssp_rk3", 3, 3, 2, 1.7320508075688772, 2.5127453266183286,
     {{.time = 0, .gain = 1, .now = 1},
      {.time = 1, .gain = 0.25, .now = 0.75, .next = 0.25},
      {.time = 0.5, .gain = 2.0 / 3, .now = 1.0 / 3, .next = 2.0 / 3}}},
};
enum { METHODS = sizeof methods / sizeof *methods };

const char *advection_method_name(int k) { return k < METHODS ? methods[k].name : NULL; }

/* ------------------------------------------------------------------ keys */

const char *const advection_axis[SW_DIMS] = {"x", "y", "z"};
const char *const advection_points_key[SW_DIMS] = {"grid.n", "grid.n.1", "grid.n.2"};
const char *const advection_velocity_key[SW_DIMS] = {"velocity.x", "velocity.y", "velocity.z"};
const char *const advection_boundary_key[SW_DIMS] = {"boundary.x", "boundary.y", "boundary.z"};

struct advection_discretization advection_discretization_of(const struct sw_setup *setup)
{
    struct advection_discretization m = {.first = sw_setup_word(setup, "scheme"),
                                         .second = sw_setup_word(setup, "scheme2"),
                                         .filter = sw_setup_word(setup, "filter"), .rk = methods};
    for (int k = 0; k < METHODS; k++)
        if (sw_setup_chosen(setup, "method", methods[k].name)) m.rk = &methods[k];
    for (int d = 0; d < SW_DIMS; d++) m.boundary[d] = sw_setup_word(setup, advection_boundary_key[d]);
    if (!strcmp(m.filter, "none")) m.filter = NULL;
    return m;
}

bool advection_has_walls(const struct advection_discretization *m, int d)
{
    return strcmp(m->boundary[d], "periodic") != 0;
}

bool advection_setup_of_run(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                            struct sw_setup *one)
{
    const struct advection_discretization m = advection_discretization_of(setup);
    const double dim = sw_setup_number(setup, "grid.dim", ld, column, j);
    *one = *setup;
    if (!(dim >= 1 && dim <= SW_DIMS)) return false;
    one->dim = (int)dim;
    for (int d = 0; d < SW_DIMS; d++) {
        const double n = sw_setup_number(setup, advection_points_key[d], ld, column, j);
        if (!(n >= 1 && n <= 1e9)) return false;
        one->n[d] = d < one->dim ? (int64_t)n : 1;
        one->walls[d] = d < one->dim && advection_has_walls(&m, d);
    }
    return true;
}

bool advection_velocity_uses(const struct sw_setup *setup, const char *name)
{
    for (int d = 0; d < SW_DIMS; d++) {
        const struct sw_program *c = sw_setup_function(setup, advection_velocity_key[d]);
        if (c && sw_program_uses(c, name)) return true;
    }
    return false;
}

/* ------------------------------------------------------------------ walls */

#define ROW(id, key_, holds_u_, time_derivative_, u_x_, diffusive_, what, remark)                          \
    {.key = {{"left." key_ "x", "right." key_ "x"},                                                        \
             {"left." key_ "y", "right." key_ "y"},                                                        \
             {"left." key_ "z", "right." key_ "z"}},                                                       \
     .holds_u = (holds_u_), .time_derivative = (time_derivative_), .u_x = (u_x_), .diffusive = (diffusive_)},
const struct advection_wall_kind advection_wall_kinds[] = {ADVECTION_WALL_KINDS(ROW)};
#undef ROW

const struct advection_wall_kind *advection_wall_given(const struct sw_setup *setup, struct advection_wall wall)
{
    for (int k = 0; k < ADVECTION_WALL_COUNT; k++)
        if (sw_setup_function(setup, advection_wall_kinds[k].key[wall.d][wall.side])) return &advection_wall_kinds[k];
    return NULL;
}

const char *advection_wall_u_key(const struct sw_setup *setup, struct advection_wall wall)
{
    const struct advection_wall_kind *kind = advection_wall_given(setup, wall);
    return kind && kind->holds_u ? kind->key[wall.d][wall.side] : NULL;
}

/* ------------------------------------------------------------------ programs */

/* Compile an expression that was derived from one of the config, with the names that it may use. */
static enum sw_status compile_derived(const struct sw_setup *setup, const struct sw_expr *expr, const char *key,
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

static enum sw_status create_derived(const struct sw_setup *setup, const struct sw_function *f,
                                     struct sw_program **program)
{
    struct sw_expr *derived;
    SW_TRY(sw_expr_derivative(f->expr, "t", &derived));
    enum sw_status st = compile_derived(setup, derived, f->key, program);
    sw_expr_destroy(&derived);
    return st;
}

/* The programs of one condition. @param slot  6 kind + 2 d + side */
static enum sw_status create_wall(const struct sw_setup *setup, int slot, struct advection_terms *m)
{
    const struct advection_wall_kind *kind = &advection_wall_kinds[slot / (2 * SW_DIMS)];
    const int d = slot % (2 * SW_DIMS) / 2, side = slot % 2;
    const struct sw_function *f = sw_setup_find(setup, kind->key[d][side]);
    if (!f) return SW_OK;
    if (kind->holds_u) m->program[ADVECTION_WALL_U + slot] = f->program;
    m->program[ADVECTION_WALL_RHS + slot] = f->program;
    m->needs_first[d] |= kind->u_x;
    if (!kind->time_derivative) return SW_OK;
    enum sw_status st = create_derived(setup, f, &m->derived[slot]);
    m->program[ADVECTION_WALL_RHS + slot] = m->derived[slot];
    return st;
}

/* A velocity that is 0 whatever the run needs no derivative. */
static bool is_zero(const struct sw_program *program) { return !program || sw_program_is(program, 0); }

enum sw_status advection_terms_create(const struct sw_setup *setup, struct advection_terms *m)
{
    *m = (struct advection_terms){0};
    for (int d = 0; d < SW_DIMS; d++) {
        const struct sw_program *c = sw_setup_function(setup, advection_velocity_key[d]);
        m->has_velocity[d] = m->needs_first[d] = !is_zero(c) && sw_setup_whole(setup, d) > 1;
        if (m->has_velocity[d]) m->program[ADVECTION_VELOCITY + d] = c;
    }
    m->program[ADVECTION_SOURCE] = sw_setup_function(setup, "forcing");
    for (int slot = 0; slot < ADVECTION_WALL_PROGRAMS; slot++) {
        enum sw_status st = create_wall(setup, slot, m);
        if (st) { advection_terms_destroy(m); return st; }
    }
    for (int d = 0; d < SW_DIMS; d++)
        for (int k = 0; k < ADVECTION_PROGRAMS; k++)
            m->uses[d] |= m->program[k] && sw_program_uses(m->program[k], advection_axis[d]);
    return SW_OK;
}

void advection_terms_destroy(struct advection_terms *m)
{
    for (int k = 0; k < ADVECTION_WALL_PROGRAMS; k++) sw_program_destroy(&m->derived[k]);
}
