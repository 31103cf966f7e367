/* Hyperdiffusion (cuPentBatch, eq. 4-6): the linear part of Cahn-Hilliard, with exact solutions exp(-gamma D k⁴ t)
 * cos(k x). */
#include "problem/line/kinds/line_kind.h"

static const struct sw_line_kind model = {
    .scheme = SW_CRANK_NICOLSON,
    .highest = 4,
    .rhs = "-gamma*D*dxxxx(u)",
    .implicit = 1 << 4,
    .energy = "u^2/2",
};

static const struct sw_key keys[] = {
    SW_LINE_COEFFICIENT("physics.gamma", "The coefficient gamma of the fourth derivative, which is gamma D."),
    SW_LINE_COEFFICIENT("physics.D", "The mobility D; the coefficient of the fourth derivative is gamma D."),
    SW_LINE_LATER_METHOD("crank_nicolson"),
    SW_LINE_ORDER,
    SW_LINE_END_KEYS(SW_LINE_END),
    SW_LINE_FUNCTIONS,
    {0},
};

static const struct sw_quantity fields[] = {{"u", "1", "concentration"}, {0}};

static const char example[] =
    "// Hyperdiffusion: cosines of three wave numbers decay, compared with the exact solution.\n"
    "title   = \"Hyperdiffusion of a cosine\";\n"
    "problem = \"hyperdiffusion\";                            // u_t = -gamma D u_xxxx + forcing, periodic in x\n"
    "sweep   = { m = [1, 2, 3]; };                          // three runs\n"
    "grid    = { n = 128; length = 1.0; };                  // x_i = i length/n\n"
    "physics = { gamma = 1.0; D = 1.0; };\n"
    "time    = { end = 1.0e-5; };                           // each run chooses its steps; or dt = 1.0e-7\n"
    "define  = { k = \"2*pi*m/length\"; };                    // a string is an expression\n"
    "initial = \"cos(k*x)\";\n"
    "exact   = \"exp(-gamma*D*k^4*t)*cos(k*x)\";              // switches the error norms on\n"
    "output  = { file    = \"results/hyperdiffusion.h5\";\n"
    "            fields  = { times = \"linspace(0, end, 11)\"; };\n"
    "            scalars = { every = 1.0e-6; }; };          // mass, energy, u_min, u_max, domain_length\n";

extern const struct sw_problem problem_hyperdiffusion;
const struct sw_problem problem_hyperdiffusion = {
    .name = "hyperdiffusion",
    .title = "Hyperdiffusion equation",
    .equation = "u_t = -gamma D u_xxxx + forcing",
    .example = example,
    .keys = keys,
    .fields = fields,
    .model = &model,
    SW_LINE_KIND,
};
