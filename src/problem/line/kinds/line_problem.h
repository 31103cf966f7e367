#ifndef LINE_PROBLEM_H
#define LINE_PROBLEM_H
/* The operations of struct sw_problem that all problems on the line have, the built-in kinds and the user's equations:
 * they work on what equation_prepare() made of the texts. */
#include "problem/sw_problem.h"

enum { SW_LINE_POINTS = 5 };    /* width of the stencil */

extern const struct sw_quantity sw_line_scalars[];  /* in the order of enum sw_line_scalar */

/** struct sw_problem_texts.prepare and release: a struct equation_model (equation_model.h) of the texts of a config, or
 * of the kind that problem->model is. */
enum sw_status equation_prepare(const struct sw_problem *problem, const struct sw_setup *setup, void **prepared,
                                int *function, struct sw_expr_error *err);
void equation_release(void *prepared);

/** struct sw_problem_texts.scan_runs and finalize: terms that all runs take implicitly are left out of G and N, those
 * that all take explicitly lose their factor of 1. */
void equation_survey(const struct sw_setup *setup, void *prepared, int count, int64_t ld, const double *column);
enum sw_status equation_settle(const struct sw_setup *setup, void *prepared);

enum sw_status sw_line_bytes(const struct sw_problem *problem, const struct sw_setup *setup,
                             const struct sw_device *device, struct sw_batch_bytes *bytes);
enum sw_status sw_line_create(const struct sw_problem *problem, const struct sw_setup *setup, struct sw_device *device,
                              struct sw_sim **sim);
const char *sw_line_validate_run(const struct sw_setup *setup, const char *solver, int ld, const double *column, int j,
                                 char why[160]);
const char *sw_line_solver(int k);
enum sw_status sw_line_describe(const struct sw_problem *problem, const struct sw_setup *setup, struct sw_text *text);
void sw_line_warn_setup(const struct sw_problem *problem, const struct sw_setup *setup, char text[200]);
enum sw_status sw_line_name_given(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                  const double *column, int64_t j, const double *span, char text[200]);
enum sw_status sw_line_name_first(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                  const double *column, int64_t j, char text[200]);
enum sw_status sw_line_try_compile(const struct sw_problem *problem, const struct sw_setup *setup, int sm);

/* problem/line/advice */
extern const struct sw_run_warning sw_line_warnings[];  /* of a built-in kind */

extern const struct sw_problem_shape  sw_line_shapes;
extern const struct sw_problem_texts  sw_line_texts;
extern const struct sw_problem_time   sw_line_times;
extern const struct sw_problem_files  sw_line_files;
extern const struct sw_problem_advice sw_line_advice;   /* of a built-in kind */

#define SW_LINE_ADVICE                                                                                            \
    .describe = sw_line_describe, .warn_setup = sw_line_warn_setup, .name_given = sw_line_name_given,             \
    .name_first = sw_line_name_first
#define SW_LINE_OPERATIONS                                                                                        \
    .solver = sw_line_solver, .validate_run = sw_line_validate_run, .bytes = sw_line_bytes,                       \
    .create = sw_line_create, .try_compile = sw_line_try_compile, .shape = &sw_line_shapes,                        \
    .texts = &sw_line_texts, .time = &sw_line_times, .files = &sw_line_files
/* Those of a built-in kind. */
#define SW_LINE_KIND .scalars = sw_line_scalars, .advice = &sw_line_advice, SW_LINE_OPERATIONS
#endif
