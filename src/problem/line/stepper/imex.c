#include "problem/line/stepper/imex.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define GAMMA2 0.29289321881345247559915563789515  /* 1 - sqrt(2)/2    */
#define DELTA2 (-0.70710678118654752440084436210485)  /* 1 - 1/(2 gamma) */

static const struct sw_imex euler = {
    .order = 1, .stages = 2, .last = true, .gamma = 1.0,
    .c = {0.0, 1.0},
    .explicit_part = {[1] = {1.0}},
    .implicit_part = {[1] = {0.0, 1.0}},
    .b_explicit = {1.0},
    .b_implicit = {0.0, 1.0},
};

static const struct sw_imex ars222 = {
    .order = 2, .stages = 3, .last = true, .estimates = true, .gamma = GAMMA2,
    .c = {0.0, GAMMA2, 1.0},
    .explicit_part = {[1] = {GAMMA2}, [2] = {DELTA2, 1.0 - DELTA2}},
    .implicit_part = {[1] = {0.0, GAMMA2}, [2] = {0.0, 1.0 - GAMMA2, GAMMA2}},
    .b_explicit = {DELTA2, 1.0 - DELTA2},
    .b_implicit = {0.0, 1.0 - GAMMA2, GAMMA2},
    .embedded_explicit = {1.0},
    .embedded_implicit = {0.0, 1.0},
    .quadrature = {0.5, 0.0, 0.5},
};

#define GAMMA3 (1767732205903.0 / 4055673282236.0)
#define B0 (1471266399579.0 / 7840856788654.0)
#define B1 (-4482444167858.0 / 7529755066697.0)
#define B2 (11266239266428.0 / 11593286722821.0)
#define E0 (2756255671327.0 / 12835298489170.0)
#define E1 (-10771552573575.0 / 22201958757719.0)
#define E2 (9247589265047.0 / 10645013368117.0)
#define E3 (2193209047091.0 / 5459859503100.0)

static const struct sw_imex ark324 = {
    .order = 3, .stages = 4, .first = true, .estimates = true, .gamma = GAMMA3,
    .c = {0.0, 1767732205903.0 / 2027836641118.0, 3.0 / 5.0, 1.0},
    .explicit_part = {
        [1] = {1767732205903.0 / 2027836641118.0},
        [2] = {5535828885825.0 / 10492691773637.0, 788022342437.0 / 10882634858940.0},
        [3] = {6485989280629.0 / 16251701735622.0, -4246266847089.0 / 9704473918619.0,
               10755448449292.0 / 10357097424841.0},
    },
    .implicit_part = {
        [1] = {GAMMA3, GAMMA3},
        [2] = {2746238789719.0 / 10658868560708.0, -640167445237.0 / 6845629431997.0, GAMMA3},
        [3] = {B0, B1, B2, GAMMA3},
    },
    .b_explicit = {B0, B1, B2, GAMMA3},
    .b_implicit = {B0, B1, B2, GAMMA3},
    .embedded_explicit = {E0, E1, E2, E3},
    .embedded_implicit = {E0, E1, E2, E3},
};

const struct sw_imex *sw_imex_of(enum sw_scheme scheme)
{
    switch (scheme) {
    case SW_CRANK_NICOLSON: return NULL;
    case SW_BACKWARD_EULER: return &euler;
    case SW_IMEX2: return &ars222;
    case SW_IMEX3: return &ark324;
    }
    return NULL;
}

bool sw_scheme_named(const char *word, enum sw_scheme *scheme)
{
    static const struct { const char *word; enum sw_scheme scheme; } names[] = {
        {"crank_nicolson", SW_CRANK_NICOLSON}, {"imex1", SW_BACKWARD_EULER}, {"imex2", SW_IMEX2}, {"imex3", SW_IMEX3},
    };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(word, names[k].word)) {
            *scheme = names[k].scheme;
            return true;
        }
    return false;
}

double sw_scheme_weight(enum sw_scheme scheme)
{
    const struct sw_imex *method = sw_imex_of(scheme);
    return method ? method->gamma : 0.5;
}

/* ------------------------------------------------------------------ weights */

/* w += kappa l_j, l_j = U_j - f_j */
static void add_implicit(const struct sw_imex_stages *m, int j, double kappa, struct sw_imex_weights *w)
{
    const struct sw_imex_weights *f = &m->stage[j];
    if (kappa == 0.0) return;
    if (j == 0) {
        w->of_first += kappa;
        return;
    }
    w->of_state[j] += kappa;
    w->of_first -= kappa * f->of_first;
    for (int k = 0; k < j; k++) {
        w->of_state[k] -= kappa * f->of_state[k];
        w->of_value[k] -= kappa * f->of_value[k];
    }
}

/* Weights that are only rounding of others would cost a look at an array. */
static double without_rounding(double weight) { return fabs(weight) < 1e-14 ? 0.0 : weight; }

static void set_error(const struct sw_imex *method, struct sw_imex_stages *m)
{
    struct sw_imex_weights *e = &m->error;
    *e = m->result;
    e->of_state[0] -= 1.0;
    for (int j = 0; j < m->count; j++) {
        e->of_value[j] -= method->embedded_explicit[j];
        add_implicit(m, j, -method->embedded_implicit[j] / method->gamma, e);
    }
    e->of_first = without_rounding(e->of_first);
    for (int j = 0; j < m->count; j++) {
        e->of_state[j] = without_rounding(e->of_state[j]);
        e->of_value[j] = without_rounding(e->of_value[j]);
    }
}

static void set_of_time(const struct sw_imex *method, struct sw_imex_stages *m)
{
    for (int j = 0; j < m->count; j++) m->sees_time |= method->quadrature[j] != 0.0;
    for (int j = 0; m->sees_time && j < m->count; j++) m->of_time[j] = method->quadrature[j] - method->b_explicit[j];
}

void sw_imex_stages_of(enum sw_scheme scheme, struct sw_imex_stages *m)
{
    const struct sw_imex *method = sw_imex_of(scheme);
    *m = (struct sw_imex_stages){.count = 2, .last = true, .left = 1.0, .time = {0.5},
                                 .stage[1] = {.of_state = {2.0}, .of_value = {1.0}}};
    if (!method) return;
    const int end = method->stages - 1;
    *m = (struct sw_imex_stages){.count = method->stages, .last = method->last, .first = method->first};
    for (int i = 0; i <= end; i++) {
        struct sw_imex_weights *w = &m->stage[i];
        m->time[i] = method->c[i];
        w->of_state[0] = 1.0;
        for (int j = 0; j < i; j++) w->of_value[j] = method->explicit_part[i][j];
        for (int j = 0; j < i; j++) add_implicit(m, j, method->implicit_part[i][j] / method->gamma, w);
    }
    m->result.of_state[end] = 1.0;
    for (int j = 0; j <= end && !m->last; j++) {
        m->result.of_value[j] += method->b_explicit[j] - method->explicit_part[end][j];
        add_implicit(m, j, (method->b_implicit[j] - method->implicit_part[end][j]) / method->gamma, &m->result);
    }
    if (method->estimates) set_error(method, m);
    set_of_time(method, m);
}
