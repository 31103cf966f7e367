#ifndef NOISE_H
#define NOISE_H
/* Noise in each step, the keys `noise` and `noise.conserved`, of lines and of fields: terms that the program adds to
 * the right-hand side F of an equation (docs/howto/noise.md). With B and C the user's texts for an unknown, xi normal
 * numbers of variance 1, new in each step, dV the volume of a point and d the dimensions
 *
 *     F + B xi / sqrt(dt dV) + sum over axes of (C_+ xi_+ - C_- xi_-) / (dx sqrt(dt dV))
 *
 * B and C are taken at the step's beginning (Ito) by method = "imex1", of which steps are then those of Euler and
 * Maruyama; others take noise that does not depend on the unknowns. noise.method = "milstein" adds
 *
 *     B (dB/du) (xi^2 - 1) / (2 dV)
 *
 * The flux C xi is taken half-way between points, C of the mean of the unknowns on both sides, and xi is the number of
 * the point on its left, so that a flux is the same number seen from both sides. At a wall a point has half a dV along
 * the axis, and the flux behind it is minus that before it: none goes through the wall, and the trapezoidal rule's sum
 * of u is kept.
 *
 * xi is sw_noise() of a key that is made of the run's noise.stream, the unknown and the axis: the same on all
 * devices. */
#include "field/grid.h"
#include "expr/sw_expr.h"
#include "problem/sw_problem.h"

#define SW_NOISE_KEYS(EACH)                                                                                           \
    {.path = "noise", .kind = SW_KEY_FUNCTION, .fallback = "", .symbols = SW_USES_TERMS, .each = EACH,                \
     .beside = true, .decides = true, .in_ids = "noise in blocks",                                                    \
     .about = "The amplitude of noise that is white in space and time, which each step adds: an expression in the "   \
              "coordinates, t, the unknowns and the parameters. Or a group with one for each unknown, and the keys "  \
              "below."},                                                                                              \
    {.path = "noise.conserved", .kind = SW_KEY_FUNCTION, .fallback = "", .symbols = SW_USES_TERMS, .each = EACH,      \
     .decides = true, .in_ids = "noise.conserved in blocks",                                                          \
     .about = "The amplitude of a random flux whose divergence each step adds, which keeps the sum of the unknown; "  \
              "or a group with one for each unknown."},                                                               \
    {.path = "noise.method", .kind = SW_KEY_WORD, .words = "euler|milstein", .fallback = "euler",                     \
     .added_later = true, .common = true, .decides = true,                                                            \
     .about = "How imex1 takes noise that depends on its own unknown: by Euler and Maruyama, or with the term of "    \
              "Milstein, of strong order 1."},                                                                        \
    {.path = "noise.stream", .kind = SW_KEY_COUNT, .unit = "1", .min = 0, .max = 1e15, .stand_in = "run",             \
     .with = "noise", .fallback = "run", .decides = true,                                                             \
     .about = "Which random numbers the noise takes: runs of the same number have the same ones; \"run\" is the "     \
              "run's own number in the sweep."}
/* Of a built-in kind, whose unknown is u: `noise = { u = "..."; stream = "seed"; }`, too. */
#define SW_NOISE_OF_U                                                                                                 \
    {.path = "noise.u", .kind = SW_KEY_FUNCTION, .fallback = "", .symbols = SW_USES_TERMS, .decides = true,           \
     .in_ids = "noise.u in blocks",                                                                                   \
     .about = "The same as noise, where other keys of the group are given, too."}

enum { SW_NOISE_SYMBOLS = 2 + 11 * SW_DIMS + SW_UNKNOWNS_MOST * (1 + SW_DIMS) };

/* The noise of a config. */
struct sw_noise {
    struct sw_expr   *expr[SW_UNKNOWNS_MOST];  /* what is added to F; NULL: nothing                               */
    struct sw_scope   scope;                   /* what the trees know besides unknowns, neighbours, coordinates, t */
    int               dimensions, unknowns, numbers;
    /* private */
    char            (*name)[64];               /* [scope.count]                                                   */
    struct sw_symbol *symbol;
};

/** Make the terms. The setup counts for its functions, choices, scope, unknowns and columns only.
 * @param first     slot of the first number of the noise; sw_noise.numbers of them follow
 * @param walls     [dimensions] whether both ends of an axis are, or may be, points
 * @param noise     out: no terms where none are asked for, or on failure; free with sw_noise_free()
 * @param function  out: which of the setup's functions err is about; unchanged where there is no err
 * @return SW_E_CONFIG a name that is not known, a derivative or a random number in a text; SW_E_MEMORY */
enum sw_status sw_noise_make(const struct sw_setup *setup, int dimensions, const bool *walls, int first,
                             struct sw_noise *noise, int *function, struct sw_expr_error *err);
void sw_noise_free(struct sw_noise *noise);

/** The numbers that the terms take of run j.
 * @param n       points along each axis  @param walls  whether it ends
 * @param column  [ncolumn][ld]  @param number  out: [noise->numbers] */
void sw_noise_numbers(const struct sw_noise *noise, const struct sw_setup *setup, const struct sw_grid *grid,
                      const int64_t n[SW_DIMS], const bool walls[SW_DIMS], int64_t ld, const double *column, int64_t j,
                      double *number);

/** Why runs cannot have the noise of their config: as struct sw_problem.validate_run().
 * @param closed  whether no flux of an unknown goes through any wall there is */
const char *sw_noise_check(const struct sw_setup *setup, bool (*closed)(const struct sw_setup *setup, int unknown),
                           struct sw_text *why);

/** Lines of struct sw_problem_advice.describe: the terms as they are stepped. */
enum sw_status sw_noise_describe(const struct sw_setup *setup, int dimensions, struct sw_text *text);
#endif
