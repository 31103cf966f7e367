#ifndef LINE_ADVICE_H
#define LINE_ADVICE_H
/* What there is to say of runs on the line: each as struct sw_run_warning.warn(). */
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

/** line_stability.c: whether the explicit part of a kind stays stable; and what time.dt a run that diverged needs, as
 * struct sw_problem_advice.advise(). */
enum sw_status sw_line_warn_stability(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                      const double *column, int64_t j, const double *state, char text[200]);
enum sw_status sw_line_advise_step(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                   const double *column, int64_t j, char text[200]);
/** equation_stability.c: what becomes of small waves on the initial values of a run, with coefficients frozen at some
 * of its points (docs/explanation/accuracy.md): whether the equation itself lets short waves grow without bound there,
 * whether the steps let waves grow that it does not, and whether they damp waves that it keeps. */
enum sw_status equation_warn_stability(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                       const double *column, int64_t j, const double *state, char text[200]);
/** Whether the roundings of all steps of a run are worth a word: where nothing draws u back they add up, until it comes
 * to rest (docs/explanation/accuracy.md).
 * @param rate  of the longest wave, at which it does; 0: it does not */
enum sw_status sw_line_warn_steps(const struct sw_setup *setup, enum sw_scheme scheme, double rate, int64_t ld,
                                  const double *column, int64_t j, const double *state, char text[200]);
#endif
