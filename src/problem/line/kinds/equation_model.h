#ifndef EQUATION_MODEL_H
#define EQUATION_MODEL_H
/* The equations of a config as the model of a stepper of lines, and the numbers of its runs (docs/numerics.md, 13).
 * It is made once a sweep, sw_setup.prepared; any thread may read it. */
#include "problem/line/kinds/equation_text.h"
#include "problem/line/stepper/sw_stepper.h"
#include "problem/sw_problem.h"

struct equation_model {
    struct sw_equation *equation;
    struct sw_program  *coefficient[SW_UNKNOWNS_MOST][SW_EQUATION_ORDERS];  /* of sw_equation_implicit(); NULL: none */
    struct sw_program  *linear[SW_UNKNOWNS_MOST][SW_EQUATION_ORDERS];       /* of row.linear, to look at stability   */
    struct sw_program  *g[SW_UNKNOWNS_MOST], *n[SW_UNKNOWNS_MOST];
    unsigned            orders;       /* as in struct sw_line_model                                        */
    unsigned            seen[SW_UNKNOWNS_MOST][SW_EQUATION_ORDERS];  /* how runs take it: 1 << enum sw_taken */
    int                 ncolumn;      /* numbers of a run that the config has; those of the equation follow them  */
};

/** struct sw_problem.prepare and release: a struct equation_model of the texts of a config. */
enum sw_status equation_prepare(const struct sw_setup *setup, void **prepared, int *function,
                                struct sw_expr_error *err);
void equation_release(void *prepared);

/** struct sw_problem.survey and settle: terms that all runs take implicitly are left out of G and N, those that all
 * take explicitly lose their factor of 1. */
void equation_survey(const struct sw_setup *setup, void *prepared, int count, int64_t ld, const double *column);
enum sw_status equation_settle(const struct sw_setup *setup, void *prepared);

static inline const struct equation_model *equation_model_of(const struct sw_setup *setup) { return setup->prepared; }

/** The model as a stepper takes it; programs are borrowed from the model and the setup. */
struct sw_line_model equation_line_model(const struct equation_model *model, const struct sw_setup *setup);

/** P of an unknown's equation (problem/line/stepper/fourth_order.h). */
struct sw_line_mass equation_mass(const struct equation_model *model, int unknown);

/** Numbers of a run that the model's programs take: parameters of the stepper. */
int equation_parameters(const struct equation_model *model);

/** The coefficients of a run's implicit part, and the numbers that its programs take beside the config's.
 * @param column  [ncolumn][ld], of which run j
 * @param number  out: [equation_parameters() - ncolumn]; NULL: not wanted */
struct sw_line_run equation_run(const struct equation_model *model, const struct sw_setup *setup, int64_t ld,
                                const double *column, int64_t j, double *number);

/** The coefficients of an unknown's linear terms in run j, and those of its `implicit`; 0 where there is none.
 * @param linear, stated  out: by order of the derivative */
void equation_coefficients(const struct equation_model *model, int unknown, int64_t ld, const double *column,
                           int64_t j, double linear[SW_EQUATION_ORDERS], double stated[SW_EQUATION_ORDERS]);

/** How short waves of an unknown grow by the linear terms of its equation, in run j. */
struct sw_growth equation_growth_of_run(const struct equation_model *model, const struct sw_setup *setup, int unknown,
                                        int64_t ld, const double *column, int64_t j);

/** struct sw_problem.orders and describe */
void equation_orders(const struct sw_problem *problem, const struct sw_setup *setup, int order[2]);
enum sw_status equation_describe(const struct sw_problem *problem, const struct sw_setup *setup, struct sw_text *text);

/* equation_ends.c */

/** What is wrong with the conditions at the ends: the key to blame, NULL: nothing. */
const char *equation_check_ends(const struct sw_setup *setup, char why[160]);

/** Lines of struct sw_problem.describe: which conditions hold at either end; none of periodic lines. */
void equation_describe_ends(const struct equation_model *model, const struct sw_setup *setup, struct sw_text *text);

/** struct sw_run_warning.warn: of fluxes that "no_flux" lets through, and of conditions that an equation of third order
 * has too many of. */
enum sw_status equation_warn_flux(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                  const double *column, int64_t j, const double *state, char text[200]);
enum sw_status equation_warn_third(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                   const double *column, int64_t j, const double *state, char text[200]);

/* equation_sim.c: operations of struct sw_problem */
enum sw_status equation_create(const struct sw_problem *problem, const struct sw_setup *setup,
                               struct sw_device *device, struct sw_sim **sim);
enum sw_status equation_bytes(const struct sw_problem *problem, const struct sw_setup *setup,
                              const struct sw_device *device, size_t *fixed, size_t *per_run);
/** struct sw_problem.name_first */
enum sw_status equation_name_first(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                   const double *column, int64_t j, char text[200]);
/** struct sw_problem.advise: what is not finite at the beginning, or a time.dt with which the initial values are
 * stable. */
enum sw_status equation_advise(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                               const double *column, int64_t j, char text[200]);
enum sw_status equation_try_compile(const struct sw_problem *problem, const struct sw_setup *setup, int sm);
#endif
