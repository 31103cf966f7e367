#ifndef LINE_LIMIT_H
#define LINE_LIMIT_H
/* How large u may be in a run of the line family, so that the explicit part, G and S, stays stable.
 *
 * Stability of a step about a constant U. A wave with s = 2 - 2 cos(k dx) is multiplied by
 *
 *     (1 + dt S'(U) - r G'(U) s - e s²)/(1 + q),      q = s2 s + s4 s²,   r = dt/dx²,   S' = dS/du,
 *
 * with s4 = theta dt a4/dx⁴, s2 = theta dt a2/dx²; backward Euler has no e s², Crank-Nicolson has q there. It is at
 * least -1 for all s in [0, 4] if r G'(U) s <= m + q (backward Euler) or m (Crank-Nicolson), m = 2 + dt S'(U): for
 * backward Euler without a2, if m >= 0 and G'(U) <= least (m/s + s4 s)/r, which is 2 sqrt(m s4)/r, at s = sqrt(m/s4),
 * unless this s is beyond 4. A source that draws u back, S' < 0, bounds dt by 2/|S'| where G' <= 0. (Measured for
 * Cahn-Hilliard, dt = 0.005 ... 0.1, forces at rest of three wavelengths: no run diverged whose u a force drives to
 * 1.05 times the U so found, all did from 1.35 times on.) */
#include "problem/line/kinds/equation_model.h"

/* G and the kind's source of one run, NULL: it has none; and what its steps are made of. */
struct sw_line_limit {
    struct sw_eval *g, *source;
    bool   crank_nicolson, fourth;  /* P = 1 + d2/6 (fourth_order.h) */
    double dt, dx, a4, a2;
    double u;                /* stable up to here; infinite: nothing is explicit, or nothing is known */
};

void sw_line_limit_free(struct sw_line_limit *limit);

/** What G or the source is at u; 0 where there is none. */
double sw_line_value(struct sw_eval *eval, double u);

/** Whether there is a limit for the scheme of these runs: it is known of steps with one stage. */
bool sw_line_limit_is_known(const struct sw_problem *problem, const struct sw_setup *setup);

/** The limit of run j. @param limit  out: free with sw_line_limit_free(), on failure too  @return SW_E_MEMORY */
enum sw_status sw_line_limit_of(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                const double *column, int64_t j, struct sw_line_limit *limit);

/** Up to which |u| a step dt is stable. */
double sw_line_stable_to(const struct sw_line_limit *limit, double dt);

/** A step that is stable up to u, less than that of the run, rounded down to two digits; 0 where there is none. */
double sw_line_stable_step(const struct sw_line_limit *limit, double u);
#endif
