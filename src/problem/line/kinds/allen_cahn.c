/* The Allen-Cahn equation: each point falls into one of two phases, u = -1 and 1, and the interfaces between them move,
 *
 *     u_t = gamma u_xx + u - u³.
 *
 * The second derivative is implicit, u - u³ explicit. An interface at rest is tanh(x/sqrt(2 gamma)). The equation is a
 * gradient flow: F = integral of (u² - 1)²/4 + gamma u_x²/2, that of Cahn-Hilliard, does not increase without forcing,
 * but here the mass may change. */
#include "problem/line/kinds/line_kind.h"

static const struct sw_line_kind model = {
    .scheme = SW_BACKWARD_EULER,
    .highest = 2,
    .rhs = "gamma*dxx(u) + u - u^3",
    .implicit = 1 << 2,
    .energy = "(u^2 - 1)^2/4 + gamma*ux^2/2",
    .width = "3*sqrt(gamma)",
};

static const struct sw_key keys[] = {
    SW_LINE_COEFFICIENT("physics.gamma", "The gradient energy gamma; an interface is about 3 sqrt(gamma) wide."),
    SW_LINE_METHOD,
    SW_LINE_ORDER,
    SW_LINE_END_KEYS(SW_LINE_END_OF_SECOND_ORDER),
    SW_LINE_FUNCTIONS,
    {0},
};

static const struct sw_quantity fields[] = {{"u", "1", "order parameter"}, {0}};

static const char example[] =
    "// Allen-Cahn: two phases that grow from noise, with and without a bias for one of them.\n"
    "title   = \"Two phases and a bias\";\n"
    "problem = \"allen_cahn\";                                // u_t = gamma u_xx + u - u^3 + forcing\n"
    "sweep   = { bias = [0.0, 0.05, 0.1];                   // six runs: each bias with each seed\n"
    "            seed = [1, 2]; };\n"
    "grid    = { n = 256; length = 100.0; };                // x_i = i length/n\n"
    "physics = { gamma = 1.0; };\n"
    "time    = { end = 100.0; };                            // each run chooses its steps; or dt = 0.05\n"
    "initial = \"0.1*randn(seed)\";                           // the same seed gives the same noise for each bias\n"
    "forcing = \"bias\";                                      // an expression in x, t, u and the parameters\n"
    "output  = { file    = \"results/allen_cahn.h5\";\n"
    "            fields  = { times = \"linspace(0, end, 51)\"; precision = \"single\"; };\n"
    "            scalars = { every = 1.0; }; };             // mass, energy, u_min, u_max, domain_length\n";

extern const struct sw_problem problem_allen_cahn;
const struct sw_problem problem_allen_cahn = {
    .name = "allen_cahn",
    .title = "Allen-Cahn equation",
    .equation = "u_t = gamma u_xx + u - u^3 + forcing",
    .example = example,
    .keys = keys,
    .fields = fields,
    .model = &model,
    SW_LINE_KIND,
};
