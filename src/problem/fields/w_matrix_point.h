#ifndef W_MATRIX_POINT_H
#define W_MATRIX_POINT_H
/* The numbers of a W-method (w_methods.h), and P, the product of line matrices that it solves with: what the host and
 * the kernels of a GPU form alike. */
#ifndef __CUDACC_RTC__
#include <math.h>
#include <stdbool.h>

#include "base/sw_hd.h"
#include "problem/line/stepper/line_point.h"
#endif

enum { FIELDS_STAGES = 4, FIELDS_AXES = 3 };

struct fields_method {
    int    order, stages;
    bool   estimates;       /* e is not 0 */
    double gamma;
    double a[FIELDS_STAGES][FIELDS_STAGES], h[FIELDS_STAGES][FIELDS_STAGES];
    double c[FIELDS_STAGES], b[FIELDS_STAGES], e[FIELDS_STAGES];
    double q[FIELDS_STAGES], q_end;  /* of the methods that estimate their errors */
    double sigma[2], mu, nu[2];  /* of fields_matrix_of(): [0] two axes, [1] three */
    double own_mu;               /* fields_matrix_rule.own                         */
    double exact_mu, exact_nu;   /* the same, where P is exact                     */
};

/* What the equation of an unknown has that may be stiff: its linear terms a0 u + sum_j (a2_j u_jj - a4_j u_jjjj), and
 * along each axis the largest coefficients of diffusion and of -u_jjjj, those of linear terms and of nonlinear ones
 * about the present field together. */
struct fields_stiffness {
    double a0, a2[FIELDS_AXES], a4[FIELDS_AXES];
    double most2[FIELDS_AXES], most4[FIELDS_AXES];
    double a6[FIELDS_AXES];  /* of u_jjjjjj, where P is exact */
};

/* The coefficients of P; of an exact one what it takes beside the linear terms. What grows is left out: none is of the
 * sign that makes A_j small. */
struct fields_matrix { double a0, m2[FIELDS_AXES], m4[FIELDS_AXES]; };

/* What decides P beside the coefficients. */
struct fields_matrix_rule {
    int    axes;            /* 2, 3: that the grid has                                                    */
    bool   cross;           /* F has second derivatives u_xy, as large as those along axes                */
    bool   fourth;          /* F is of fourth order in space, whose differences have larger symbols       */
    bool   own;             /* an estimated error bounds steps, not stability: own_mu stands for mu where there is an
                             * m4. A P closer to F' where u hardly changes leaves less to estimate, and longer steps */
    bool   exact;           /* P has all linear terms by itself; `cross` is of varying ones alone         */
};

/* Coefficients that do not vary are the linear ones, but for rounding. */
SW_HD static inline bool fields_matrix_varies(double linear, double most)
{
    return fabs(most - linear) > 1e-12 * (fabs(most) + fabs(linear));
}

/* How much of diffusion may be explicit as P has more than mu of derivatives of fourth and sixth order. Where that of
 * fourth order grows half of that of sixth order bears it: |a4| w² <= a6 w³/2 + a4² w/(2 a6). */
SW_HD static inline double fields_matrix_damped(const struct fields_method *m, const struct fields_stiffness *s, int d,
                                                double dt)
{
    const double rest = 1.0 - m->exact_mu, a6 = fmax(s->a6[d], 0.0), grows = a6 > 0.0 ? fmin(s->a4[d], 0.0) : 0.0,
                 spare4 = fmax(s->a4[d] - m->exact_mu * fmax(s->most4[d], 0.0), 0.0),
                 by_fourth = m->exact_nu * sqrt(spare4 / (rest * dt)),
                 sixth = pow(0.65 * m->exact_nu * m->exact_nu / dt, 2.0 / 3.0);
    if (grows < 0.0) return cbrt(0.5 * a6 / rest) * sixth - rest * grows * grows / (2.0 * a6);
    return fmax(by_fourth, cbrt(a6 / rest) * sixth);
}

SW_HD static inline struct fields_matrix fields_matrix_beside(const struct fields_method *m,
                                                              const struct fields_matrix_rule *rule,
                                                              const struct fields_stiffness *s, double dt)
{
    const double second = rule->fourth ? 4.0 / 3.0 : 1.0, fourth = rule->fourth ? 16.0 / 9.0 : 1.0;
    struct fields_matrix p = {0.0, {0.0}, {0.0}};
    for (int d = 0; d < rule->axes; d++) {
        const double most4 = fmax(s->most4[d], 0.0), most2 = s->most2[d] * (rule->cross ? rule->axes : 1);
        double m2 = fmax(s->a2[d], 0.0);
        m2 = fmax(m2, m->exact_mu * most2 - fields_matrix_damped(m, s, d, dt));
        if (fields_matrix_varies(s->a2[d], most2)) p.m2[d] = second * (m2 - s->a2[d]);
        if (fields_matrix_varies(s->a4[d], s->most4[d]))
            p.m4[d] = fourth * fmax(m->exact_mu * most4 - fmax(s->a4[d], 0.0), 0.0);
    }
    return p;
}

/** P of a step of dt, so that |R| <= 1 for all waves and all dt with d_xxyy and what else is mixed in F:
 *
 *     m4 = sigma most4,    m2 = max(a2, mu most2 - nu sqrt(most4/dt), 0),    of cross derivatives sigma m2
 *
 * Where P is exact it takes of coefficients that vary, with a mu and a nu of their own,
 *
 *     m4 = max(mu most4 - a4, 0),    m2 = max(a2, mu most2 - D, 0) - a2,
 *     D  = nu sqrt((a4 - mu most4)/((1 - mu) dt)) or, where larger, (0.65 nu²/dt)^(2/3) (a6/(1 - mu))^(1/3)
 *
 * |R(z, w)| <= 1, z = dt F', w = dt L, wherever -w >= -mu z - c: c = 1, 1.71 and 1.37 with mu = 0.501, 0.855, 0.68. So
 * (mu most2 - m2) w - (a4 - mu most4) w² - (1 - mu) a6 w³ may be c/dt, w = sum_j w_j: nu = 2 sqrt(c (1 - mu)) where F
 * has u_xxyy, and with 3 sum_j w_j² >= w² over sqrt(3) elsewhere, which is what stands in the table. With cross
 * derivatives that vary most2 counts once for each axis, as (sum_j sqrt(w_j))² <= axes w.
 *
 * With order = 4 the symbols of d_jj and d_jjjj are up to 4/3 and 16/9 of those of the matrix. */
SW_HD static inline struct fields_matrix fields_matrix_of(const struct fields_method *m,
                                                          const struct fields_matrix_rule *rule,
                                                          const struct fields_stiffness *s, double dt)
{
    const int three = rule->axes > 2;
    struct fields_matrix p = {0.0, {0.0}, {0.0}};
    p.a0 = fmin(s->a0, 0.0);
    if (rule->exact) return fields_matrix_beside(m, rule, s, dt);
    for (int d = 0; d < rule->axes; d++) {
        double m2 = fmax(s->a2[d], 0.0);
        const double most4 = fmax(s->most4[d], 0.0), mu = rule->own && most4 > 0.0 ? m->own_mu : m->mu;
        m2 = fmax(m2, mu * s->most2[d] - m->nu[three] * sqrt(most4 / dt));
        if (rule->cross) m2 *= m->sigma[three];
        p.m2[d] = rule->fourth ? 4.0 / 3.0 * m2 : m2;
        p.m4[d] = m->sigma[three] * (rule->fourth ? 16.0 / 9.0 * most4 : most4);
    }
    return p;
}

/** A_j/(1 + s0) of an axis d, with s0 beside: for sw_line_rounding(), too. */
SW_HD static inline struct sw_line_operator fields_axis_operator(double gamma_dt, int axes, int d, double dx,
                                                                const struct fields_matrix *m)
{
    const double at_zero = 1.0 - gamma_dt * m->a0 / axes, over = gamma_dt / (at_zero * dx * dx);
    struct sw_line_operator a = {0.0, 0.0, 0.0, 0.0, 0.0};
    a.s4 = over * m->m4[d] / (dx * dx);
    a.s2 = over * m->m2[d];
    a.s0 = at_zero - 1.0;
    return a;
}

/** The upper half of a number's 64 bits, 20 of its fraction: what GPUs keep of the largest of many. */
SW_HD static inline double fields_upper(double x)
{
    union { double x; unsigned long long bits; } number = {x};
    number.bits &= 0xffffffff00000000ull;
    return number.x;
}

/** Rounded up to the next of eight numbers an octave, by its upper half, which is at most 2^-20 of it less: P is made
 * anew only where this changes. */
SW_HD static inline double fields_raised(double x)
{
    return x > 0.0 ? exp2(ceil(8.0 * log2(fields_upper(x))) / 8.0) : x;
}

/** The same, where it is most often what it was before: 2^(-1/8) = 0.91700404320467122. */
SW_HD static inline double fields_raised_from(double x, double before)
{
    return x < 0.999999 * before && x > 0.917005 * before ? before : fields_raised(x);
}
#endif
