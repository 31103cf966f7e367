/* The Swift-Hohenberg equation: a pattern of the wave number q0 (the key `wavenumber`) grows from the state at rest
 * where r > 0,
 *
 *     u_t = r u - (q0² + d_xx)² u - u³ = -u_xxxx - 2 q0² u_xx + (r - q0⁴) u - u³.
 *
 * The fourth derivative is implicit; -2 q0² u_xx is not: with it A would have the symbol 1 + theta dt (k⁴ - 2 q0² k²),
 * which is not positive where dt >= 1/(theta q0⁴). Taken at the old time it grows no wave that should decay
 * (docs/explanation/line_equations.md). The equation is a gradient flow: F = integral of (u_xx + q0² u)²/2 - r u²/2 +
 * u⁴/4 does not increase without forcing. */
#include "problem/line/kinds/line_kind.h"

static const struct sw_line_kind model = {
    .scheme = SW_BACKWARD_EULER,
    .highest = 4,
    .rhs = "-dxxxx(u) + dxx(-2*wavenumber^2*u) + (r - wavenumber^4)*u - u^3",
    .implicit = 1 << 4,
    .energy = "(uxx + wavenumber^2*u)^2/2 - r*u^2/2 + u^4/4",
    .wavelength = "2*pi/wavenumber",
};

static const struct sw_key keys[] = {
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
};

static const struct sw_quantity fields[] = {{"u", "1", "amplitude of the pattern"}, {0}};

static const char example[] =
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
    "            scalars = { every = 1.0; }; };             // mass, energy, u_min, u_max, domain_length\n";

extern const struct sw_problem problem_swift_hohenberg;
const struct sw_problem problem_swift_hohenberg = {
    .name = "swift_hohenberg",
    .title = "Swift-Hohenberg equation",
    .equation = "u_t = r u - (wavenumber^2 + d_xx)^2 u - u^3 + forcing",
    .example = example,
    .keys = keys,
    .fields = fields,
    .model = &model,
    SW_LINE_KIND,
};
