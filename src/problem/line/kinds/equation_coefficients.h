#ifndef EQUATION_COEFFICIENTS_H
#define EQUATION_COEFFICIENTS_H
/* The equations of a config, or that of a built-in kind, as the model of a stepper of lines, and the numbers of its
 * runs (docs/explanation/equation.md). It is made once a sweep, sw_setup.prepared; any thread may read it. */
#include "problem/line/kinds/equation_text.h"
#include "problem/line/kinds/line_problem.h"
#include "problem/line/kinds/manufactured.h"
#include "problem/line/kinds/noise.h"
#include "problem/line/stepper/sw_stepper.h"
#include "problem/sw_problem.h"

struct equation_model {
    const struct sw_line_kind *kind;  /* NULL: the equations are the user's                                 */
    struct sw_equation *equation;
    struct sw_program  *coefficient[SW_UNKNOWNS_MOST][SW_EQUATION_ORDERS];  /* of sw_equation_implicit(); NULL: none */
    struct sw_program  *linear[SW_UNKNOWNS_MOST][SW_EQUATION_ORDERS];       /* of row.linear, to look at stability   */
    struct sw_manufactured source;    /* added to N                                                         */
    struct sw_program  *g[SW_UNKNOWNS_MOST], *n[SW_UNKNOWNS_MOST];
    struct sw_program  *forced;       /* of a kind: the sum of its N and the user's forcing; NULL: there are not both */
    struct sw_noise     noise;        /* of each step; its numbers of a run are the first of the equation's  */
    struct sw_program  *stepped[SW_UNKNOWNS_MOST];  /* all that is explicit but G, with noise; NULL: there is none */
    struct sw_program  *energy, *size;  /* of a kind: the density; its width or wavelength. NULL: none      */
    unsigned            orders;       /* as in struct sw_line_model                                        */
    unsigned            seen[SW_UNKNOWNS_MOST][SW_EQUATION_ORDERS];  /* how runs take it: 1 << enum sw_taken */
    int                 ncolumn;      /* numbers of a run that the config has; those of the equation follow them  */
    bool                numbered;     /* G or N take numbers of the equation                                */
};

static inline const struct equation_model *equation_model_of(const struct sw_setup *setup) { return setup->prepared; }

/** The model as a stepper takes it; programs are borrowed from the model and the setup. */
struct sw_line_model equation_line_model(const struct equation_model *model, const struct sw_setup *setup);

/** P of an unknown's equation (problem/line/stepper/fourth_order.h). */
struct sw_line_mass equation_mass(const struct equation_model *model, bool fourth, int unknown);

/** Numbers of a run that the model's programs take: parameters of the stepper. */
int equation_parameters(const struct equation_model *model);

/* The coefficients of the implicit part in some runs, 0 where there are none: value[unknown][order][run]. */
enum { EQUATION_RUNS = 256 };
struct equation_values {
    double value[SW_UNKNOWNS_MOST][SW_EQUATION_ORDERS][EQUATION_RUNS];
    double weight;        /* of the implicit part in a step of the method */
    bool   fourth, ends;  /* of order 4 in dx; the lines end */
};

/** Those of runs j .. j + count - 1, count <= EQUATION_RUNS. @param column  [ncolumn][ld]
 * @return SW_E_MEMORY, with all NaN */
enum sw_status equation_values_of(const struct equation_model *model, const struct sw_setup *setup, int count,
                                  int64_t ld, const double *column, int64_t j, struct equation_values *values);

/** A run's implicit part, and the numbers that its programs take beside the config's.
 * @param column  [ncolumn][ld], of which run j, whose coefficients are values->value[..][..][k]
 * @param number  out: [equation_parameters() - ncolumn]; NULL: not wanted */
struct sw_line_run equation_run_of(const struct equation_model *model, const struct sw_setup *setup, int64_t ld,
                                   const double *column, int64_t j, const struct equation_values *values, int k,
                                   double *number);

/** The same of a run by itself. */
struct sw_line_run equation_run(const struct equation_model *model, const struct sw_setup *setup, int64_t ld,
                                const double *column, int64_t j, double *number);

/** The coefficients of an unknown's linear terms in run j, and those of its `implicit`; 0 where there is none.
 * @param linear, stated  out: by order of the derivative */
void equation_coefficients(const struct equation_model *model, int unknown, int64_t ld, const double *column,
                           int64_t j, double linear[SW_EQUATION_ORDERS], double stated[SW_EQUATION_ORDERS]);

/** How short waves of an unknown grow by the linear terms of its equation, in run j. */
struct sw_growth equation_growth_of_run(const struct equation_model *model, const struct sw_setup *setup, int unknown,
                                        int64_t ld, const double *column, int64_t j);

/** How the texts were understood: as struct sw_problem_advice.describe(). */
enum sw_status equation_describe(const struct sw_setup *setup, struct sw_text *text);
#endif
