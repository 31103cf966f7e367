/* What can be timed: the kinds of work, and the problems of the line equation as they are set up for it. To have
 * another one timed: add its row.
 *
 * hyperdiffusion is cuPentBatch's benchmark (docs/numerics.md, 4: gamma = D = L = 1, dt = 1e-8) with a second mode. */
#include <string.h>

#include "bench/bench_impl.h"

#define MODES "cos(2*pi*2*x/length) + 0.3*sin(2*pi*3*x/length)"

typedef double value_function(const void *from, const char *name);

static double dx_of(value_function *value, const void *from) { return value(from, "length") / value(from, "n"); }

/* Crank-Nicolson, a4 = gamma D */
static void hyperdiffusion(value_function *value, const void *from, double *s4, double *s2)
{
    double dx2 = dx_of(value, from) * dx_of(value, from);
    *s4 = 0.5 * value(from, "dt") * value(from, "gamma") * value(from, "D") / (dx2 * dx2);
    *s2 = 0;
}

/* Crank-Nicolson, a2 = kappa; the fourth order adds a4 = kappa dx²/12 */
static void heat(value_function *value, const void *from, double *s4, double *s2)
{
    double dx = dx_of(value, from);
    *s2 = 0.5 * value(from, "dt") * value(from, "kappa") / (dx * dx);
    *s4 = value(from, "order") == 4 ? *s2 / 12 : 0;
}

/* backward Euler, a4 = gamma D */
static void cahn_hilliard(value_function *value, const void *from, double *s4, double *s2)
{
    hyperdiffusion(value, from, s4, s2);
    *s4 *= 2;
}

const struct bench_kind bench_kinds[] = {
    {"hyperdiffusion", 1e-8, 0, MODES, "gamma", true, hyperdiffusion},
    {"heat", 1e-5, 0, MODES, "kappa", true, heat},
    {"cahn_hilliard", 1e-2, 0.19634954084936207 /* 2 pi/32 */, "0.05*randn(seed)", "gamma", false, cahn_hilliard},
    {0},
};

const struct bench_work *const bench_works[] = {
    &bench_lines,  /* steps of the problems above */
    &bench_bands,  /* solves of banded systems    */
    &bench_bvp,    /* solves of -u'' = f          */
    &bench_compact, /* compact differences         */
    &bench_gradient, /* gradients by them          */
    NULL,
};

const struct bench_kind *bench_kind_of(const struct sw_problem *problem)
{
    for (const struct bench_kind *k = bench_kinds; k->problem; k++)
        if (!strcmp(k->problem, problem->name)) return k;
    return NULL;
}
