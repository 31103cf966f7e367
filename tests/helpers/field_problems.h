#ifndef FIELD_PROBLEMS_H
#define FIELD_PROBLEMS_H
/* Eight equations in two and three dimensions whose errors in time are known for each method: right-hand sides written
 * by hand, which the rows that step fields are held against. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "problem/fields/w_step.h"

struct field_problem {
    const char *name;
    int    axes, n, unknowns;
    double length, t, dt;
    bool   cross;
    const char *text[2], *initial_text[2];  /* the same equations, and initial values, as a config has them */
    struct fields_stiffness stiffness[2];
    void (*initial)(double x, double y, double z, double *u);
    void (*rhs)(const struct field_problem *p, const double *u, double *f);
    double error[3][2], order[3];  /* of imex1, imex2, imex3: at dt and dt/8, largest over the grid */
    double exact[3][2];            /* the same errors with exact solves (problem/fields/exact.h)    */
};

static inline size_t field_points(const struct field_problem *p)
{
    return (size_t)p->n * (size_t)p->n * (size_t)(p->axes > 2 ? p->n : 1);
}

/* The point so many beside one. */
static inline size_t field_beside(const struct field_problem *p, size_t at, int x, int y, int z)
{
    const size_t n = (size_t)p->n, i = (at % n + n + (size_t)x) % n, j = (at / n % n + n + (size_t)y) % n,
                 k = p->axes > 2 ? (at / (n * n) + n + (size_t)z) % n : 0;
    return (k * n + j) * n + i;
}

static inline double field_dx(const struct field_problem *p) { return p->length / p->n; }

static inline void field_laplacian(const struct field_problem *p, const double *u, double *out)
{
    const double scale = 1.0 / (field_dx(p) * field_dx(p));
    const size_t n = (size_t)p->n;
    for (size_t row = 0; row < field_points(p); row += n) {
        const double *at = u + row, *up = u + field_beside(p, row, 0, 1, 0), *down = u + field_beside(p, row, 0, -1, 0);
        const double *front = u + field_beside(p, row, 0, 0, 1), *back = u + field_beside(p, row, 0, 0, -1);
        for (size_t i = 0; i < n; i++) {
            double sum = at[i + 1 < n ? i + 1 : 0] + at[i ? i - 1 : n - 1] + up[i] + down[i];
            if (p->axes > 2) sum += front[i] + back[i];
            out[row + i] = (sum - 2 * p->axes * at[i]) * scale;
        }
    }
}

/* ------------------------------------------------------------------ right-hand sides */

static inline void cahn_hilliard_rhs(const struct field_problem *p, const double *u, double *f)
{
    double *mu = malloc(field_points(p) * sizeof *mu);
    field_laplacian(p, u, mu);
    for (size_t c = 0; c < field_points(p); c++) mu[c] = u[c] * u[c] * u[c] - u[c] - mu[c];
    field_laplacian(p, mu, f);
    free(mu);
}

static inline void swift_hohenberg_rhs(const struct field_problem *p, const double *u, double *f)
{
    double *w = malloc(field_points(p) * sizeof *w);
    field_laplacian(p, u, w);
    for (size_t c = 0; c < field_points(p); c++) w[c] += u[c];
    field_laplacian(p, w, f);
    for (size_t c = 0; c < field_points(p); c++) f[c] = 0.3 * u[c] - f[c] - w[c] - u[c] * u[c] * u[c];
    free(w);
}

static inline void allen_cahn_rhs(const struct field_problem *p, const double *u, double *f)
{
    field_laplacian(p, u, f);
    for (size_t c = 0; c < field_points(p); c++) f[c] = 0.05 * f[c] + u[c] - u[c] * u[c] * u[c];
}

static inline double field_central(const struct field_problem *p, const double *u, size_t c, int x, int y)
{
    return (u[field_beside(p, c, x, y, 0)] - u[field_beside(p, c, -x, -y, 0)]) / (2 * field_dx(p));
}

static inline void kuramoto_rhs(const struct field_problem *p, const double *u, double *f)
{
    double *w = malloc(field_points(p) * sizeof *w);
    field_laplacian(p, u, w);
    field_laplacian(p, w, f);
    for (size_t c = 0; c < field_points(p); c++) {
        const double ux = field_central(p, u, c, 1, 0), uy = field_central(p, u, c, 0, 1);
        f[c] = -w[c] - f[c] - 0.5 * (ux * ux + uy * uy);
    }
    free(w);
}

static inline void burgers_rhs(const struct field_problem *p, const double *u, double *f)
{
    double *w = malloc(field_points(p) * sizeof *w);
    for (size_t c = 0; c < field_points(p); c++) w[c] = 0.5 * u[c] * u[c];
    field_laplacian(p, u, f);
    for (size_t c = 0; c < field_points(p); c++)
        f[c] = 0.05 * f[c] - field_central(p, w, c, 1, 0) - field_central(p, w, c, 0, 1);
    free(w);
}

static inline void cross_rhs(const struct field_problem *p, const double *u, double *f)
{
    const double scale = 1.8 / (4 * field_dx(p) * field_dx(p));
    field_laplacian(p, u, f);
    for (size_t c = 0; c < field_points(p); c++)
        f[c] += scale * ((u[field_beside(p, c, 1, 1, 0)] - u[field_beside(p, c, 1, -1, 0)]) -
                         (u[field_beside(p, c, -1, 1, 0)] - u[field_beside(p, c, -1, -1, 0)])) - u[c] * u[c] * u[c];
}

static inline void gray_scott_rhs(const struct field_problem *p, const double *u, double *f)
{
    const size_t points = field_points(p);
    field_laplacian(p, u, f);
    field_laplacian(p, u + points, f + points);
    for (size_t c = 0; c < points; c++) {
        const double v = u[points + c], uvv = u[c] * v * v;
        f[c] = 2e-5 * f[c] - uvv + 0.04 * (1 - u[c]);
        f[points + c] = 1e-5 * f[points + c] + uvv - 0.1 * v;
    }
}

/* ------------------------------------------------------------------ initial values */

static inline void cahn_hilliard_at(double x, double y, double z, double *u)
{
    (void)z;
    *u = 0.3 * cos(x / 2) * cos(y / 4) + 0.2 * sin(3 * x / 4 + y / 2);
}
static inline void cahn_hilliard_3d_at(double x, double y, double z, double *u)
{
    *u = 0.3 * cos(x / 2) * cos(y / 2) * cos(z) + 0.2 * sin(x + y / 2 - z / 2);
}
static inline void swift_hohenberg_at(double x, double y, double z, double *u)
{
    (void)z;
    *u = 0.3 * cos(x) * cos(y / 2) + 0.2 * sin(3 * x / 4 + y / 2);
}
static inline void allen_cahn_at(double x, double y, double z, double *u)
{
    (void)z;
    *u = 0.8 * cos(x) * cos(y) + 0.3 * sin(2 * x + y);
}
static inline void kuramoto_at(double x, double y, double z, double *u)
{
    const double k = 6.283185307179586 / 32;
    (void)z;
    *u = cos(k * x) * cos(2 * k * y) + 0.5 * sin(2 * k * x + k * y);
}
static inline void burgers_at(double x, double y, double z, double *u)
{
    (void)z;
    *u = 0.3 + 0.5 * sin(x + y) + 0.3 * cos(2 * x - y);
}
static inline void cross_at(double x, double y, double z, double *u)
{
    (void)z;
    *u = sin(x) * cos(y) + 0.5 * cos(2 * x - y);
}
static inline void gray_scott_at(double x, double y, double z, double *u)
{
    const double r2 = (x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5),
                 b = exp(-60 * r2) * (1 + 0.3 * cos(6.283185307179586 * x));
    (void)z;
    u[0] = 1 - b / 2;
    u[1] = b / 4;
}

#define FIELD_PI 3.141592653589793
#define FIELD_SAME(x) {x, x, x}
#define FIELD_FOURTH(a) {.a0 = (a), .a4 = FIELD_SAME(1), .most4 = FIELD_SAME(1)}
#define FIELD_SECOND(a) FIELD_DECAY(a, 0)
#define FIELD_DECAY(a, a0_) {.a0 = (a0_), .a2 = FIELD_SAME(a), .most2 = FIELD_SAME(a)}

static const struct field_problem field_problems[] = {
    {"Cahn-Hilliard", 2, 64, 1, 8 * FIELD_PI, 2, 0.2, false, {"lap(u^3 - u - lap(u))"},
     {"0.3*cos(x/2)*cos(y/4) + 0.2*sin(3*x/4 + y/2)"},
     {FIELD_FOURTH(0)}, cahn_hilliard_at, cahn_hilliard_rhs,
     {{5.00e-3, 6.76e-4}, {1.56e-4, 2.64e-6}, {2.29e-5, 8.24e-8}}, {0.98, 1.98, 2.87},
     {{7.17e-3, 9.86e-4}, {1.19e-4, 1.98e-6}, {6.83e-6, 3.34e-8}}},
    {"Cahn-Hilliard in 3-D", 3, 32, 1, 4 * FIELD_PI, 1, 0.2, false, {"lap(u^3 - u - lap(u))"},
     {"0.3*cos(x/2)*cos(y/2)*cos(z) + 0.2*sin(x + y/2 - z/2)"},
     {FIELD_FOURTH(0)}, cahn_hilliard_3d_at,
     cahn_hilliard_rhs, {{2.78e-2, 3.91e-3}, {5.50e-4, 2.69e-6}, {5.93e-5, 3.83e-7}}, {0.98, 1.98, 2.94},
     {{4.48e-2, 6.80e-3}, {6.57e-5, 3.71e-6}, {8.07e-5, 2.09e-7}}},
    {"Swift-Hohenberg", 2, 64, 1, 16 * FIELD_PI, 8, 0.4, false, {"0.3*u - (u + 2*lap(u) + lap(lap(u))) - u^3"},
     {"0.3*cos(x)*cos(y/2) + 0.2*sin(3*x/4 + y/2)"},
     {FIELD_FOURTH(-0.7)}, swift_hohenberg_at,
     swift_hohenberg_rhs, {{1.09e-1, 1.88e-2}, {9.54e-3, 2.03e-4}, {5.51e-4, 1.33e-6}}, {0.93, 1.93, 2.97},
     {{3.49e-3, 4.37e-4}, {1.81e-4, 2.75e-6}, {2.98e-5, 1.36e-7}}},
    {"Allen-Cahn", 2, 64, 1, 2 * FIELD_PI, 4, 0.5, false, {"0.05*lap(u) + u - u^3"},
     {"0.8*cos(x)*cos(y) + 0.3*sin(2*x + y)"},
     {FIELD_SECOND(0.05)}, allen_cahn_at, allen_cahn_rhs,
     {{9.72e-2, 1.46e-2}, {6.73e-3, 1.24e-4}, {3.01e-4, 5.20e-7}}, {0.97, 1.97, 3.03},
     {{1.008e-1, 1.37e-2}, {4.92e-3, 6.24e-5}, {2.90e-4, 6.37e-7}}},
    {"Kuramoto-Sivashinsky", 2, 64, 1, 32, 6, 0.4, false, {"-lap(u) - lap(lap(u)) - grad2(u)/2"},
     {"cos(2*pi*x/32)*cos(4*pi*y/32) + 0.5*sin(4*pi*x/32 + 2*pi*y/32)"},
     {FIELD_FOURTH(0)}, kuramoto_at, kuramoto_rhs,
     {{5.22e-1, 7.11e-2}, {2.08e-2, 3.48e-4}, {5.67e-4, 2.28e-6}}, {0.98, 1.97, 2.82},
     {{2.85e-1, 3.49e-2}, {1.05e-2, 1.67e-4}, {9.05e-4, 2.79e-6}}},
    {"Burgers", 2, 64, 1, 2 * FIELD_PI, 1, 0.1, false, {"0.05*lap(u) - dx(u^2/2) - dy(u^2/2)"},
     {"0.3 + 0.5*sin(x + y) + 0.3*cos(2*x - y)"},
     {FIELD_SECOND(0.05)}, burgers_at, burgers_rhs,
     {{2.31e-1, 1.89e-2}, {2.92e-2, 4.21e-4}, {1.25e-3, 2.62e-6}}, {1.12, 2.00, 2.98},
     {{2.31e-1, 1.89e-2}, {2.92e-2, 4.21e-4}, {1.25e-3, 2.62e-6}}},
    {"cross derivatives", 2, 64, 1, 2 * FIELD_PI, 0.5, 0.1, true, {"lap(u) + 1.8*dxy(u) - u^3"},
     {"sin(x)*cos(y) + 0.5*cos(2*x - y)"},
     {FIELD_SECOND(1)}, cross_at, cross_rhs,
     {{6.47e-2, 9.20e-3}, {5.58e-3, 7.80e-5}, {1.87e-4, 4.79e-7}}, {0.97, 1.99, 2.93},
     {{3.86e-2, 5.05e-3}, {8.78e-3, 9.27e-5}, {1.58e-4, 3.17e-7}}},
    {"Gray-Scott", 2, 64, 2, 1, 200, 4, false,
     {"0.00002*lap(u) - u*v^2 + 0.04*(1 - u)", "0.00001*lap(v) + u*v^2 - 0.1*v"},
     {"1 - exp(-60*((x - 0.5)^2 + (y - 0.5)^2))*(1 + 0.3*cos(2*pi*x))/2",
      "exp(-60*((x - 0.5)^2 + (y - 0.5)^2))*(1 + 0.3*cos(2*pi*x))/4"},
     {FIELD_DECAY(2e-5, -0.04), FIELD_DECAY(1e-5, -0.1)}, gray_scott_at, gray_scott_rhs,
     {{4.53e-1, 1.12e-1}, {5.39e-2, 1.13e-3}, {4.50e-3, 1.14e-5}}, {0.79, 1.94, 2.95},
     {{4.32e-1, 1.11e-1}, {5.06e-2, 1.12e-3}, {4.18e-3, 1.13e-5}}},
};
enum { FIELD_PROBLEMS = sizeof field_problems / sizeof *field_problems };

static inline void field_initial(const struct field_problem *p, double *u)
{
    const size_t points = field_points(p), n = (size_t)p->n;
    for (size_t c = 0; c < points; c++) {
        double value[2];
        p->initial((double)(c % n) * field_dx(p), (double)(c / n % n) * field_dx(p),
                   (double)(c / (n * n)) * field_dx(p), value);
        for (int v = 0; v < p->unknowns; v++) u[(size_t)v * points + c] = value[v];
    }
}
#endif
