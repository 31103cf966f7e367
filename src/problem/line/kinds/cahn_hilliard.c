/* The Cahn-Hilliard equation with forcing (cuPentBatch, eq. 1-3): phase separation of a binary mixture, u = -1 and 1.
 * The fourth derivative is taken at the new time, u³ - u and the forcing at the old one (eq. 2): first order in time.
 * The free energy F = integral of (u² - 1)²/4 + gamma u_x²/2 does not increase without forcing. */
#include "problem/line/kinds/line_kind.h"

static const struct sw_line_kind model = {
    .scheme = SW_BACKWARD_EULER,
    .highest = 4,
    .rhs = "dxx(D*(u^3 - u)) - gamma*D*dxxxx(u)",
    .implicit = 1 << 4,
    .energy = "(u^2 - 1)^2/4 + gamma*ux^2/2",
    .width = "3*sqrt(gamma)",
};

static const struct sw_key keys[] = {
    SW_LINE_COEFFICIENT("physics.D", "The mobility D, constant."),
    SW_LINE_COEFFICIENT("physics.gamma", "The gradient energy gamma; an interface is about 3 sqrt(gamma) wide."),
    SW_LINE_LATER_METHOD("imex1"),
    SW_LINE_ORDER,
    SW_LINE_END_KEYS(SW_LINE_END),
    SW_LINE_FUNCTIONS,
    {0},
};

static const struct sw_quantity fields[] = {{"u", "1", "order parameter"}, {0}};

static const char example[] =
    "// Cahn-Hilliard: a mixture separates under a travelling force of four amplitudes.\n"
    "title   = \"Phase separation under a travelling force\";\n"
    "problem = \"cahn_hilliard\";                             // u_t = D (u^3 - u - gamma u_xx)_xx + forcing\n"
    "sweep   = { a    = \"linspace(0, 0.3, 4)\";              // eight runs: each a with each seed\n"
    "            seed = [1, 2]; };\n"
    "grid    = { n = 128; length = \"2*pi*8\"; };             // x_i = i length/n; a string is an expression\n"
    "physics = { D = 1.0; gamma = 1.0; };\n"
    "time    = { end = 50.0; };                             // each run chooses its steps; or dt = 0.02\n"
    "define  = { q = \"2*pi*2/length\"; };\n"
    "initial = \"0.05*randn(seed)\";                          // the same seed gives the same noise for each a\n"
    "forcing = \"a*cos(q*(x - 0.1*t))\";\n"
    "output  = { file    = \"results/cahn_hilliard.h5\";\n"
    "            fields  = { times = \"linspace(0, end, 51)\"; precision = \"single\"; };\n"
    "            scalars = { every = 0.5; }; };             // mass, energy, u_min, u_max, domain_length\n";

extern const struct sw_problem problem_cahn_hilliard;
const struct sw_problem problem_cahn_hilliard = {
    .name = "cahn_hilliard",
    .title = "Cahn-Hilliard equation",
    .equation = "u_t = D (u^3 - u - gamma u_xx)_xx + forcing",
    .example = example,
    .keys = keys,
    .fields = fields,
    .model = &model,
    SW_LINE_KIND,
};
