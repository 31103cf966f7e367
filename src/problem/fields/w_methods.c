#include "problem/fields/w_methods.h"

#include <stddef.h>

static const struct fields_method euler = {
    .order = 1, .stages = 1, .gamma = 1.0,
    .b = {1.0},
    .sigma = {1.0, 4.0 / 3.0}, .mu = 0.501, .nu = {0.8, 0.8}, .own_mu = 0.501, .exact_mu = 0.501, .exact_nu = 0.81,
};

#define GAMMA2 0.29289321881345247559915563789515  /* 1 - 1/sqrt(2) */
#define REST2 1.7071067811865475244008443621048    /* 1 + 1/sqrt(2): 1 - delta of ARS(2,2,2) */

/* V = gamma k_1, and Q(dt F(u + V) - ..) of ARS(2,2,2) is k_2 with h_21 = -1/REST2. */
static const struct fields_method ars222 = {
    .order = 2, .stages = 2, .estimates = true, .gamma = GAMMA2,
    .a = {[1] = {GAMMA2}}, .c = {0.0, GAMMA2},
    .h = {[1] = {-2.0 * GAMMA2}},                   /* 1/REST2 = 2 - sqrt(2) */
    .b = {1.0 - REST2, REST2}, .e = {-REST2, REST2},
    .q = {0.5}, .q_end = 0.5,
    .sigma = {1.15, 1.5}, .mu = 0.855, .nu = {0.3, 0.2}, .own_mu = 0.855, .exact_mu = 0.855, .exact_nu = 0.57,
};

/* The rule of order 3 on 0, c_2 and 1. */
#define Q2 (1.0 / (6.0 * 0.388 * (1.0 - 0.388)))
#define Q_END (0.5 - 1.0 / (6.0 * (1.0 - 0.388)))

/* a, gamma, gamma h_21, gamma h_42 and e_4 were chosen; the conditions give all others. */
static const struct fields_method w3 = {
    .order = 3, .stages = 4, .estimates = true, .gamma = 0.2223,
    .a = {[1] = {0.388}, [2] = {0.316, 0.1055}, [3] = {0.0748, -0.8201, 1.4901}},
    .c = {0.0, 0.388, 0.4215, 0.7448},
    .h = {[1] = {-0.49572649572649572650},
          [2] = {-0.24350719846745123812, -0.66893674153194498199},
          [3] = {0.58861337629008064443, -0.24201529464687359424, -1.87484112139970327928}},
    .b = {0.19991486801834702791, 0.11349801626028981931, 0.17138049520032083540, 0.51520662052104231738},
    .e = {0.25559105938436656532, -0.07937706061225394871, -0.50121399877211261661, 0.325},
    .q = {1.0 - Q2 - Q_END, Q2}, .q_end = Q_END,
    .sigma = {1.0, 1.4}, .mu = 0.647, .nu = {0.3, 0.3}, .own_mu = 1.0, .exact_mu = 0.68, .exact_nu = 0.76,
};

const struct fields_method *fields_method_of(enum sw_scheme scheme)
{
    switch (scheme) {
    case SW_BACKWARD_EULER: return &euler;
    case SW_IMEX2: return &ars222;
    case SW_IMEX3: return &w3;
    case SW_CRANK_NICOLSON: break;
    }
    return NULL;
}
