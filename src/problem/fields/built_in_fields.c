/* The built-in equations in two and three dimensions: those of problem/line/kinds/built_in_equations.c, with the
 * Laplacian in place of u_xx. Their energies do not increase without forcing. */
#include "problem/fields/fields_problem.h"
#include "problem/initial_file.h"

#define FUNCTIONS                                                                                                     \
    SW_LINE_STEP_KEYS(SW_LINE_STEP_KEY)                                                                               \
    {.path = "initial", .kind = SW_KEY_FUNCTION, .symbols = SW_USES_X | SW_USES_RANDOM, .decides = true,              \
     .from_exact = true,                                                                                              \
     .about = "The field at time 0, an expression in the coordinates; randn(k) and rand(k) give noise. Or a group "    \
              "that names a file that has it. Left out, it is `exact` at t = 0."},                                    \
    SW_INITIAL_FILE_KEYS,                                                                                             \
    {.path = "forcing", .kind = SW_KEY_FUNCTION, .fallback = "",                                                      \
     .symbols = SW_USES_X | SW_USES_T | SW_USES_U | SW_USES_RANDOM, .decides = true,                                  \
     .about = "The source term S, an expression in the coordinates, t and u."},                                       \
    SW_NOISE_KEYS(false), SW_NOISE_OF_U,                                                                              \
    {.path = "exact", .kind = SW_KEY_FUNCTION, .fallback = "", .symbols = SW_USES_X | SW_USES_T, .decides = true,     \
     .about = "The exact solution in the coordinates and t; the error norms at the end are taken against it."}

#define GRADIENT_ENERGY \
    SW_LINE_COEFFICIENT("physics.gamma", "The gradient energy gamma; an interface is about 3 sqrt(gamma) wide.")

/* A kind: its keys, what may hold at walls, the default of `method`, its texts. */
#define KIND(id, name_, title_, equation_, field, wall, method, rhs_, energy_, ...)                                   \
    extern const struct sw_problem problem_##id##_in_fields;                                                          \
    const struct sw_problem problem_##id##_in_fields = {                                                              \
        .name = name_, .title = title_, .equation = equation_, .example = "",                                         \
        .model = &(const struct fields_kind){rhs_, energy_},                                                          \
        .keys = (const struct sw_key[]){__VA_ARGS__, FUNCTIONS, FIELDS_WALL_KEYS(wall, false, ""),                    \
                                        FIELDS_KEYS(method, .unless_set = NULL), {0}},                                \
        .fields = (const struct sw_quantity[]){{"u", "1", field}, {0}},                                               \
        .scalars = sw_line_scalars,                                                                                   \
        FIELDS_OPERATIONS,                                                                                            \
    };

KIND(hyperdiffusion, "hyperdiffusion", "Hyperdiffusion equation", "u_t = -gamma D lap lap u + forcing",
     "concentration", FIELDS_WALL, "imex2", "-gamma*D*lap(lap(u))", "u^2/2",
     SW_LINE_COEFFICIENT("physics.gamma", "The coefficient gamma of the fourth derivatives, which is gamma D."),
     SW_LINE_COEFFICIENT("physics.D", "The mobility D; the coefficient of the fourth derivatives is gamma D."))

KIND(heat, "heat", "Heat equation", "u_t = kappa lap u + forcing", "temperature", FIELDS_WALL_OF_SECOND_ORDER,
     "imex2", "kappa*lap(u)", "u^2/2",
     SW_LINE_COEFFICIENT("physics.kappa", "The conductivity kappa."))

KIND(cahn_hilliard, "cahn_hilliard", "Cahn-Hilliard equation", "u_t = D lap(u^3 - u - gamma lap u) + forcing",
     "order parameter", FIELDS_WALL, "imex1", "lap(D*(u^3 - u)) - gamma*D*lap(lap(u))",
     "(u^2 - 1)^2/4 + gamma*grad2(u)/2",
     SW_LINE_COEFFICIENT("physics.D", "The mobility D, constant."), GRADIENT_ENERGY)

KIND(swift_hohenberg, "swift_hohenberg", "Swift-Hohenberg equation",
     "u_t = r u - (wavenumber^2 + lap)^2 u - u^3 + forcing", "amplitude of the pattern", FIELDS_WALL, "imex1",
     "-lap(lap(u)) + lap(-2*wavenumber^2*u) + (r - wavenumber^4)*u - u^3",
     "(lap(u) + wavenumber^2*u)^2/2 - r*u^2/2 + u^4/4",
     {.path = "physics.r", .kind = SW_KEY_REAL, .unit = "1", .decides = true, .visible = true,
      .about = "The distance r from the onset: a pattern grows from u = 0 where r > 0."},
     {.path = "physics.wavenumber", .kind = SW_KEY_REAL, .unit = "1", .min = 0, .max = 1e300, .above = true,
      .fallback = "1", .decides = true, .visible = true,
      .about = "The wave number of the pattern that grows first; its wavelength is 2 pi/wavenumber."})

KIND(allen_cahn, "allen_cahn", "Allen-Cahn equation", "u_t = gamma lap u + u - u^3 + forcing", "order parameter",
     FIELDS_WALL_OF_SECOND_ORDER, "imex1", "gamma*lap(u) + u - u^3", "(u^2 - 1)^2/4 + gamma*grad2(u)/2",
     GRADIENT_ENERGY)
