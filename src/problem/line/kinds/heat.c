/* The heat equation with a fourth-order second derivative (cuPentBatch, remark 3), which is pentadiagonal, or a
 * second-order one:
 *     u_xx = (d2 - d4/12) u/dx² + O(dx⁴)
 * so that the fourth order is a fourth derivative with the coefficient a4 = kappa dx²/12. */
#include "problem/line/kinds/line_kind.h"

static const struct sw_line_kind model = {
    .scheme = SW_CRANK_NICOLSON,
    .highest = 2,
    .rhs = "kappa*dxx(u) - (order == 4 ? kappa*(length/n)^2/12 : 0)*dxxxx(u)",
    .implicit = 1 << 2 | 1 << 4,
    .energy = "u^2/2",
};

static const struct sw_key keys[] = {
    SW_LINE_COEFFICIENT("physics.kappa", "The conductivity kappa."),
    {.path = "order", .kind = SW_KEY_COUNT, .unit = "1", .min = 2, .max = 4, .multiple = 2, .fallback = "4",
     .decides = true, .about = "The order of the second derivative in dx, 2 or 4."},
    SW_LINE_LATER_METHOD("crank_nicolson"),
    SW_LINE_END_KEYS(SW_LINE_END_OF_SECOND_ORDER),
    SW_LINE_FUNCTIONS,
    {0},
};

static const struct sw_quantity fields[] = {{"u", "1", "temperature"}, {0}};

static const char example[] =
    "// The heat equation: cosines of three wave numbers decay, compared with the exact solution.\n"
    "title   = \"Heat conduction of a cosine\";\n"
    "problem = \"heat\";                                      // u_t = kappa u_xx + forcing, periodic in x\n"
    "order   = 4;                                           // of the second derivative: 2 or 4\n"
    "sweep   = { m = [1, 2, 3]; };                          // three runs\n"
    "grid    = { n = 64; length = 1.0; };                   // x_i = i length/n\n"
    "physics = { kappa = 1.0; };\n"
    "time    = { end = 0.01; };                             // each run chooses its steps; or dt = 1.0e-4\n"
    "define  = { k = \"2*pi*m/length\"; };                    // a string is an expression\n"
    "initial = \"cos(k*x)\";\n"
    "exact   = \"exp(-kappa*k^2*t)*cos(k*x)\";                // switches the error norms on\n"
    "output  = { file    = \"results/heat.h5\";\n"
    "            fields  = { times = \"linspace(0, end, 11)\"; };\n"
    "            scalars = { every = 0.001; }; };           // mass, energy, u_min, u_max, domain_length\n";

extern const struct sw_problem problem_heat;
const struct sw_problem problem_heat = {
    .name = "heat",
    .title = "Heat equation",
    .equation = "u_t = kappa u_xx + forcing",
    .example = example,
    .keys = keys,
    .fields = fields,
    .model = &model,
    SW_LINE_KIND,
};
