/* The equations that the program knows by name: each is one text, the right-hand side of u_t = rhs + forcing, with its
 * keys, what is measured of it, and an example (line_problem.h). */
#include "problem/line/kinds/line_problem.h"

extern const struct sw_problem problem_hyperdiffusion, problem_heat, problem_cahn_hilliard, problem_swift_hohenberg,
    problem_allen_cahn;
extern const struct sw_problem problem_hyperdiffusion_in_fields, problem_heat_in_fields,
    problem_cahn_hilliard_in_fields, problem_swift_hohenberg_in_fields, problem_allen_cahn_in_fields;

/* Hyperdiffusion (cuPentBatch, eq. 4-6): the linear part of Cahn-Hilliard, with exact solutions exp(-gamma D k⁴ t)
 * cos(k x). */
const struct sw_problem problem_hyperdiffusion = {
    .name = "hyperdiffusion",
    .title = "Hyperdiffusion equation",
    .equation = "u_t = -gamma D u_xxxx + forcing",
    .model = &(const struct sw_line_kind){
        .scheme = SW_CRANK_NICOLSON,
        .highest = 4,
        .rhs = "-gamma*D*dxxxx(u)",
        .implicit = 1 << 4,
        .energy = "u^2/2",
    },
    .keys = (const struct sw_key[]){
        SW_LINE_COEFFICIENT("physics.gamma", "The coefficient gamma of the fourth derivative, which is gamma D."),
        SW_LINE_COEFFICIENT("physics.D", "The mobility D; the coefficient of the fourth derivative is gamma D."),
        SW_LINE_ADDED_METHOD("crank_nicolson"),
        SW_LINE_ORDER,
        SW_LINE_END_KEYS(SW_LINE_END),
        SW_LINE_FUNCTIONS,
        {0},
    },
    .fields = (const struct sw_quantity[]){{"u", "1", "concentration"}, {0}},
    .example =
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
    "            scalars = { every = 1.0e-6; }; };          // mass, energy, u_min, u_max, domain_length\n",
    SW_LINE_KIND(problem_hyperdiffusion_in_fields),
};

/* The heat equation with a fourth-order second derivative (cuPentBatch, remark 3), which is pentadiagonal, or a
 * second-order one:
 *     u_xx = (d2 - d4/12) u/dx² + O(dx⁴)
 * so that the fourth order is a fourth derivative with the coefficient a4 = kappa dx²/12. */
const struct sw_problem problem_heat = {
    .name = "heat",
    .title = "Heat equation",
    .equation = "u_t = kappa u_xx + forcing",
    .model = &(const struct sw_line_kind){
        .scheme = SW_CRANK_NICOLSON,
        .highest = 2,
        .rhs = "kappa*dxx(u) - (order == 4 ? kappa*(length/n)^2/12 : 0)*dxxxx(u)",
        .implicit = 1 << 2 | 1 << 4,
        .energy = "u^2/2",
    },
    .keys = (const struct sw_key[]){
        SW_LINE_COEFFICIENT("physics.kappa", "The conductivity kappa."),
        {.path = "order", .kind = SW_KEY_COUNT, .unit = "1", .min = 2, .max = 4, .multiple = 2, .fallback = "4",
         .decides = true, .about = "The order of the second derivative in dx, 2 or 4."},
        SW_LINE_ADDED_METHOD("crank_nicolson"),
        SW_LINE_END_KEYS(SW_LINE_END_OF_SECOND_ORDER),
        SW_LINE_FUNCTIONS,
        {0},
    },
    .fields = (const struct sw_quantity[]){{"u", "1", "temperature"}, {0}},
    .example =
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
    "            scalars = { every = 0.001; }; };           // mass, energy, u_min, u_max, domain_length\n",
    SW_LINE_KIND(problem_heat_in_fields),
};

/* The Cahn-Hilliard equation with forcing (cuPentBatch, eq. 1-3): phase separation of a binary mixture, u = -1 and 1.
 * The fourth derivative is taken at the new time, u³ - u and the forcing at the old one (eq. 2): first order in time.
 * The free energy F = integral of (u² - 1)²/4 + gamma u_x²/2 does not increase without forcing. */
const struct sw_problem problem_cahn_hilliard = {
    .name = "cahn_hilliard",
    .title = "Cahn-Hilliard equation",
    .equation = "u_t = D (u^3 - u - gamma u_xx)_xx + forcing",
    .model = &(const struct sw_line_kind){
        .scheme = SW_BACKWARD_EULER,
        .highest = 4,
        .rhs = "dxx(D*(u^3 - u)) - gamma*D*dxxxx(u)",
        .implicit = 1 << 4,
        .energy = "(u^2 - 1)^2/4 + gamma*ux^2/2",
        .width = "3*sqrt(gamma)",
    },
    .keys = (const struct sw_key[]){
        SW_LINE_COEFFICIENT("physics.D", "The mobility D, constant."),
        SW_LINE_COEFFICIENT("physics.gamma", "The gradient energy gamma; an interface is about 3 sqrt(gamma) wide."),
        SW_LINE_ADDED_METHOD("imex1"),
        SW_LINE_ORDER,
        SW_LINE_END_KEYS(SW_LINE_END),
        SW_LINE_FUNCTIONS,
        {0},
    },
    .fields = (const struct sw_quantity[]){{"u", "1", "order parameter"}, {0}},
    .example =
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
    "            scalars = { every = 0.5; }; };             // mass, energy, u_min, u_max, domain_length\n",
    SW_LINE_KIND(problem_cahn_hilliard_in_fields),
};

/* The Swift-Hohenberg equation: a pattern of the wave number q0 (the key `wavenumber`) grows from the state at rest
 * where r > 0,
 *
 *     u_t = r u - (q0² + d_xx)² u - u³ = -u_xxxx - 2 q0² u_xx + (r - q0⁴) u - u³.
 *
 * The fourth derivative is implicit; -2 q0² u_xx is not: with it A would have the symbol 1 + theta dt (k⁴ - 2 q0² k²),
 * which is not positive where dt >= 1/(theta q0⁴). Taken at the old time it grows no wave that should decay
 * (docs/explanation/line_equations.md). The equation is a gradient flow: F = integral of (u_xx + q0² u)²/2 - r u²/2 +
 * u⁴/4 does not increase without forcing. */
const struct sw_problem problem_swift_hohenberg = {
    .name = "swift_hohenberg",
    .title = "Swift-Hohenberg equation",
    .equation = "u_t = r u - (wavenumber^2 + d_xx)^2 u - u^3 + forcing",
    .model = &(const struct sw_line_kind){
        .scheme = SW_BACKWARD_EULER,
        .highest = 4,
        .rhs = "-dxxxx(u) + dxx(-2*wavenumber^2*u) + (r - wavenumber^4)*u - u^3",
        .implicit = 1 << 4,
        .energy = "(uxx + wavenumber^2*u)^2/2 - r*u^2/2 + u^4/4",
        .wavelength = "2*pi/wavenumber",
    },
    .keys = (const struct sw_key[]){
        {.path = "physics.r", .kind = SW_KEY_REAL, .unit = "1", .decides = true, .visible = true,
         .about = "The distance r from the onset: a pattern grows from u = 0 where r > 0."},
        {.path = "physics.wavenumber", .kind = SW_KEY_REAL, .unit = "1", .min = 0, .max = 1e300, .above = true,
         .fallback = "1", .decides = true, .visible = true,
         .about = "The wave number of the pattern that grows first; its wavelength is 2 pi/wavenumber."},
        SW_LINE_METHOD,
        SW_LINE_ORDER,
        SW_LINE_END_KEYS(SW_LINE_END),
        SW_LINE_FUNCTIONS,
        {0},
    },
    .fields = (const struct sw_quantity[]){{"u", "1", "amplitude of the pattern"}, {0}},
    .example =
    "// Swift-Hohenberg: below and above the onset, r = 0, of a pattern, from noise.\n"
    "title   = \"The onset of a pattern\";\n"
    "problem = \"swift_hohenberg\";                           // u_t = r u - (q0^2 + d_xx)^2 u - u^3 + forcing\n"
    "sweep   = { r    = \"linspace(-0.1, 0.3, 5)\";           // ten runs: each r with each seed\n"
    "            seed = [1, 2]; };\n"
    "grid    = { n = 256; length = \"2*pi*16\"; };            // 16 wavelengths; x_i = i length/n\n"
    "physics = { r = \"r\"; wavenumber = 1.0; };              // q0; a string is an expression\n"
    "time    = { end = 100.0; };                            // each run chooses its steps; or dt = 0.05\n"
    "initial = \"0.01*randn(seed)\";                          // the same seed gives the same noise for each r\n"
    "output  = { file    = \"results/swift_hohenberg.h5\";\n"
    "            fields  = { times = \"linspace(0, end, 51)\"; precision = \"single\"; };\n"
    "            scalars = { every = 1.0; }; };             // mass, energy, u_min, u_max, domain_length\n",
    SW_LINE_KIND(problem_swift_hohenberg_in_fields),
};

/* The Allen-Cahn equation: each point falls into one of two phases, u = -1 and 1, and the interfaces between them move,
 *
 *     u_t = gamma u_xx + u - u³.
 *
 * The second derivative is implicit, u - u³ explicit. An interface at rest is tanh(x/sqrt(2 gamma)). The equation is a
 * gradient flow: F = integral of (u² - 1)²/4 + gamma u_x²/2, that of Cahn-Hilliard, does not increase without forcing,
 * but here the mass may change. */
const struct sw_problem problem_allen_cahn = {
    .name = "allen_cahn",
    .title = "Allen-Cahn equation",
    .equation = "u_t = gamma u_xx + u - u^3 + forcing",
    .model = &(const struct sw_line_kind){
        .scheme = SW_BACKWARD_EULER,
        .highest = 2,
        .rhs = "gamma*dxx(u) + u - u^3",
        .implicit = 1 << 2,
        .energy = "(u^2 - 1)^2/4 + gamma*ux^2/2",
        .width = "3*sqrt(gamma)",
    },
    .keys = (const struct sw_key[]){
        SW_LINE_COEFFICIENT("physics.gamma", "The gradient energy gamma; an interface is about 3 sqrt(gamma) wide."),
        SW_LINE_METHOD,
        SW_LINE_ORDER,
        SW_LINE_END_KEYS(SW_LINE_END_OF_SECOND_ORDER),
        SW_LINE_FUNCTIONS,
        {0},
    },
    .fields = (const struct sw_quantity[]){{"u", "1", "order parameter"}, {0}},
    .example =
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
    "            scalars = { every = 1.0; }; };             // mass, energy, u_min, u_max, domain_length\n",
    SW_LINE_KIND(problem_allen_cahn_in_fields),
};
