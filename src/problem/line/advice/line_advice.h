#ifndef LINE_ADVICE_H
#define LINE_ADVICE_H
/* What there is to say of runs on the line: each as struct sw_run_warning.warn(). */
#include "problem/line/kinds/equation_coefficients.h"
#include "problem/line/stepper/imex.h"

/* waves.c: G and the source of a built-in kind in one run, NULL: it has none; and what its steps are made of. */
enum { SW_LINE_WAVES = 256 };
struct sw_line_limit {
    struct sw_eval *g, *source;
    struct sw_imex_stages method;
    double weight, dt, dx, a4, a2;
    double q[SW_LINE_WAVES + 1], d2[SW_LINE_WAVES + 1];  /* of the mean and of waves: gamma L, the symbol of d2/dx² */
    double u;  /* stable up to here; infinite: nothing is explicit, or each run chooses its steps */
};

/** Whether a step is Crank-Nicolson's or of backward Euler. What was measured of runs that diverge beyond the limit is
 * of these: with more stages runs were seen to stay finite there. */
static inline bool sw_line_has_one_stage(const struct sw_line_limit *limit) { return limit->method.count == 2; }

/** The limit of run j. @param limit  out: free with sw_line_limit_free(), on failure too  @return SW_E_MEMORY */
enum sw_status sw_line_limit_of(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                struct sw_line_limit *limit);
void sw_line_limit_free(struct sw_line_limit *limit);

/** Up to which |u| steps of dt are stable. */
double sw_line_stable_to(const struct sw_line_limit *limit, double dt);

/** A step that is stable up to u, less than that of the run, rounded down to two digits; 0 where there is none. */
double sw_line_stable_step(const struct sw_line_limit *limit, double u);

/** What G or the source is at u; 0 where there is none. */
double sw_line_value(struct sw_eval *eval, double u);

/** stability_warnings.c: whether the explicit part of a kind stays stable; and what time.dt a run that diverged needs,
 * as struct sw_problem_advice.advise(). */
enum sw_status sw_line_warn_stability(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                      const double *state, struct sw_text *text);
enum sw_status sw_line_advise_step(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                   struct sw_text *text);
/** waves.c: what becomes of small waves on the initial values of a run, with coefficients frozen at some
 * of its points (docs/explanation/accuracy.md): whether the equation itself lets short waves grow without bound there,
 * whether the steps let waves grow that it does not, and whether they damp waves that it keeps. */
enum sw_status sw_line_warn_waves(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                  const double *state, struct sw_text *text);
/** Whether the roundings of all steps of a run are worth a word: where nothing draws u back they add up, until it comes
 * to rest (docs/explanation/accuracy.md).
 * @param rate  of the longest wave, at which it does; 0: it does not */
enum sw_status sw_line_warn_steps(const struct sw_setup *setup, enum sw_scheme scheme, double rate, int64_t ld,
                                  const double *column, int64_t j, const double *state, struct sw_text *text);
#endif
