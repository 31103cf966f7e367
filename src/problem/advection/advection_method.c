/* What the words of a run of `advection` mean: Runge-Kutta methods, and keys along the axes (docs/numerics.md, 10). */
#include "problem/advection/advection_method.h"

#include <string.h>

/* ------------------------------------------------------------------ time stepping */

/* W. Kutta's method of 1901, with u + dt (k1 + 2 k2 + 2 k3 + k4)/6 as a running sum; and the three-stage method of
 * C.-W. Shu and S. Osher, J. Comput. Phys. 77 (1988), eq. 2.18, convex sums of Euler steps. The ends of the stability
 * regions are those of the Taylor polynomials of order 4 and 3: sqrt(8), sqrt(3), and the real zeros of |R| = 1. */
static const struct rk_method methods[] = {
    {"rk4", 4, 4, 3, 2.8284271247461903, 2.7852935634052816,
     {{.time = 0, .gain = 0.5, .now = 1, .share = 1.0 / 6},
      {.time = 0.5, .gain = 0.5, .now = 1, .share = 1.0 / 3},
      {.time = 0.5, .gain = 1, .now = 1, .share = 1.0 / 3},
      {.time = 1, .gain = 1.0 / 6, .sum = 1}}},
    {"ssp_rk3", 3, 3, 2, 1.7320508075688772, 2.5127453266183286,
     {{.time = 0, .gain = 1, .now = 1},
      {.time = 1, .gain = 0.25, .now = 0.75, .next = 0.25},
      {.time = 0.5, .gain = 2.0 / 3, .now = 1.0 / 3, .next = 2.0 / 3}}},
};
enum { METHODS = sizeof methods / sizeof *methods };

const char *advection_method_word(int k) { return k < METHODS ? methods[k].name : NULL; }

/* ------------------------------------------------------------------ what the words of a run mean */

const char *const advection_axes[SW_DIMS] = {"x", "y", "z"};
const char *const advection_points[SW_DIMS] = {"grid.n", "grid.n.1", "grid.n.2"};
const char *const advection_velocity[SW_DIMS] = {"velocity.x", "velocity.y", "velocity.z"};
const char *const advection_boundary[SW_DIMS] = {"boundary.x", "boundary.y", "boundary.z"};

struct advection_method advection_method_of(const struct sw_setup *setup)
{
    struct advection_method m = {.first = sw_setup_word(setup, "scheme"), .second = sw_setup_word(setup, "scheme2"),
                                 .filter = sw_setup_word(setup, "filter"), .rk = methods};
    for (int k = 0; k < METHODS; k++)
        if (sw_setup_chosen(setup, "method", methods[k].name)) m.rk = &methods[k];
    for (int d = 0; d < SW_DIMS; d++) m.boundary[d] = sw_setup_word(setup, advection_boundary[d]);
    if (!strcmp(m.filter, "none")) m.filter = NULL;
    return m;
}

bool advection_walled(const struct advection_method *m, int d) { return strcmp(m->boundary[d], "periodic") != 0; }

double advection_number(const struct sw_setup *setup, const char *path, int64_t ld, const double *column, int64_t j)
{
    return column[sw_setup_column(setup, path) * ld + j];
}

const char *advection_wall_key(int d, int side)
{
    static const char *const key[SW_DIMS][2] = {
        {"left.x", "right.x"}, {"left.y", "right.y"}, {"left.z", "right.z"}};
    return key[d][side];
}

bool advection_setup_of(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j, struct sw_setup *one)
{
    const struct advection_method m = advection_method_of(setup);
    const double dim = advection_number(setup, "grid.dim", ld, column, j);
    *one = *setup;
    if (!(dim >= 1 && dim <= SW_DIMS)) return false;
    one->dim = (int)dim;
    for (int d = 0; d < SW_DIMS; d++) {
        const double n = advection_number(setup, advection_points[d], ld, column, j);
        if (!(n >= 1 && n <= 1e9)) return false;
        one->n[d] = d < one->dim ? (int64_t)n : 1;
        one->walls[d] = d < one->dim && advection_walled(&m, d);
    }
    return true;
}
