#ifndef LINE_PROBLEM_H
#define LINE_PROBLEM_H
/* Problems on the line (docs/explanation/line_methods.md). A built-in kind is the text of its equation
 *
 *     u_t = rhs + forcing
 *
 * its keys and an example: a struct sw_problem in built_in_equations.c with a row in problem_table.c. The operations
 * are shared with the user's equations: they work on what equation_prepare() made of the texts. */
#include "expr/sw_expr.h"
#include "problem/initial_file.h"
#include "problem/line/kinds/line_ends.h"
#include "problem/line/kinds/noise.h"
#include "problem/line/stepper/fourth_order.h"
#include "problem/line/stepper/sw_stepper.h"
#include "problem/sw_problem.h"

/* struct sw_problem.model; NULL where the equations are the user's. The texts see the number keys by the last part of
 * their paths (gamma, D, n, length, dt, ...); rhs also u, x, t and derivatives as in the user's equations; energy also
 * x, u, ux (u_x) and uxx (u_xx), and NULL where it is not reported. */
struct sw_line_kind {
    enum sw_scheme scheme;      /* the default of the key `method`, as which counts what no run has yet chosen */
    int            highest;     /* order of a derivative of the equation: 2, 4 */
    const char    *rhs;
    unsigned       implicit;    /* bit k: its linear terms of order k are implicit; all others are explicit */
    const char    *energy;      /* density */
    const char    *width;       /* of the interfaces that form by themselves, by the number keys; NULL: none do */
    const char    *wavelength;  /* of the waves that do, likewise */
};

/** Whether these runs are of fourth order in space, by their key `order`. */
bool sw_line_is_fourth(const struct sw_setup *setup);
/** The scheme of these runs, by the word of their key `method`; imex2 is the default of what is no kind. */
enum sw_scheme sw_line_scheme(const struct sw_setup *setup);
extern const struct sw_renamed_word sw_line_renamed_methods[];
/** The number keys of a kind under their short names, by which its texts know them. Axes and defines are not in scope:
 * `gamma` is the key whatever the user called an axis. @param symbol  out: [SW_LINE_NUMBERS]  @return how many */
enum { SW_LINE_NUMBERS = 27 };
int sw_line_list_keys(const struct sw_setup *setup, struct sw_symbol *symbol);

/* The keys that give runs steps of their own. */
#define SW_LINE_STEP_KEY(member, name, ...) \
    {.path = name, .kind = SW_KEY_REAL, .unit = "1", .decides = true, __VA_ARGS__},

/* The keys that all kinds have; COEFFICIENT is one that must be positive. METHOD is for those that had the key
 * before, with its default imex1, ADDED_METHOD for those that have it since. */
#define SW_LINE_COEFFICIENT(name, text)                                                                           \
    {.path = name, .kind = SW_KEY_REAL, .unit = "1", .min = 0, .max = 1e300, .above = true, .decides = true,      \
     .visible = true, .about = text}
#define SW_LINE_METHODS                                                                                           \
    .kind = SW_KEY_WORD, .words = "crank_nicolson|imex1|imex2|imex3", .decides = true,                            \
    .about = "How steps are taken in time: L at the mean of both times, or implicit-explicit methods of the orders " \
             "1, 2 and 3 (docs/explanation/line_methods.md)."
#define SW_LINE_METHOD                                                                                            \
    {.path = "method", .former = "time.scheme", .renamed = sw_line_renamed_methods, .fallback = "imex1",          \
     .adaptive = "imex3", SW_LINE_METHODS}
#define SW_LINE_ADDED_METHOD(word) \
    {.path = "method", .fallback = word, .adaptive = "imex3", .added_later = true, SW_LINE_METHODS}
#define SW_LINE_ORDER                                                                                             \
    {.path = "order", .kind = SW_KEY_WORD, .words = "2|4", .fallback = "2", .added_later = true, .decides = true, \
     .about = "The order of the derivatives in dx, from five points: 2 or 4."}
#define SW_LINE_END_KEYS(keys_of)                                                                                 \
    {SW_LINE_BOUNDARY, .added_later = true}, keys_of("left", "u", false, ""), keys_of("right", "u", false, "")
#define SW_LINE_FUNCTIONS                                                                                         \
    SW_LINE_STEP_KEYS(SW_LINE_STEP_KEY)                                                                           \
    {.path = "initial", .kind = SW_KEY_FUNCTION, .symbols = SW_USES_X | SW_USES_RANDOM, .decides = true,          \
     .from_exact = true,                                                                                          \
     .about = "The field at time 0, an expression in x; randn(k) and rand(k) give noise. Or a group that names a " \
              "file that has it. Left out, it is `exact` at t = 0."},                                             \
    SW_INITIAL_FILE_KEYS,                                                                                         \
    {.path = "forcing", .kind = SW_KEY_FUNCTION, .fallback = "",                                                  \
     .symbols = SW_USES_X | SW_USES_T | SW_USES_U | SW_USES_RANDOM, .decides = true,                              \
     .about = "The source term S, an expression in x, t and u."},                                                 \
    SW_NOISE_KEYS(false), SW_NOISE_OF_U,                                                                          \
    {.path = "exact", .kind = SW_KEY_FUNCTION, .fallback = "", .symbols = SW_USES_X | SW_USES_T, .decides = true, \
     .about = "The exact solution in x and t; the error norms at the end are taken against it."}

enum { SW_LINE_POINTS = 5 };    /* width of the stencil */

extern const struct sw_quantity sw_line_scalars[];  /* in the order of enum sw_line_scalar */

/** struct sw_problem_texts.prepare and release: a struct equation_model (equation_coefficients.h) of the texts of a
 * config, or of the kind that setup->problem->model is. */
enum sw_status equation_prepare(const struct sw_setup *setup, void **prepared, int *function,
                                struct sw_expr_error *err);
void equation_release(void *prepared);

/** struct sw_problem_texts.scan_runs and finalize: terms that all runs take implicitly are left out of G and N, those
 * that all take explicitly lose their factor of 1. */
void equation_scan_runs(const struct sw_setup *setup, void *prepared, int count, int64_t ld, const double *column);
enum sw_status equation_finalize(const struct sw_setup *setup, void *prepared);

enum sw_status sw_line_bytes(const struct sw_setup *setup, const struct sw_device *device,
                             struct sw_batch_bytes *bytes);
bool sw_line_takes_paces(const struct sw_setup *setup, const struct sw_device *device);
enum sw_status sw_line_create(const struct sw_setup *setup, struct sw_device *device, struct sw_sim **sim);
const char *sw_line_validate_run(const struct sw_setup *setup, const char *solver, int ld, const double *column, int j,
                                 struct sw_text *why);
const char *sw_line_solver(int k);
enum sw_status sw_line_describe(const struct sw_setup *setup, struct sw_text *text);
void sw_line_warn_setup(const struct sw_setup *setup, struct sw_text *text);
enum sw_status sw_line_name_nonfinite(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                      const double *span, struct sw_text *text);
enum sw_status sw_line_name_first(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                  struct sw_text *text);

/* problem/line/advice */
extern const struct sw_run_warning sw_line_warnings[];  /* of a built-in kind */

extern const struct sw_problem_texts  sw_line_texts;
extern const struct sw_problem_time   sw_line_times;
extern const struct sw_problem_files  sw_line_files;
extern const struct sw_problem_advice sw_line_advice;   /* of a built-in kind */

#define SW_LINE_ADVICE                                                                                            \
    .describe = sw_line_describe, .warn_setup = sw_line_warn_setup, .name_nonfinite = sw_line_name_nonfinite,     \
    .name_first = sw_line_name_first
#define SW_LINE_OPERATIONS                                                                                        \
    .solver = sw_line_solver, .validate_run = sw_line_validate_run, .bytes = sw_line_bytes,                       \
    .create = sw_line_create, .texts = &sw_line_texts, .time = &sw_line_times, .files = &sw_line_files
/* Those of a built-in kind. */
#define SW_LINE_SHAPE(fields) .min_points = SW_LINE_POINTS, .walls = sw_line_walls, .in_fields = &(fields)
#define SW_LINE_KIND(fields)                                                                                      \
    .scalars = sw_line_scalars, .shape = &(const struct sw_problem_shape){SW_LINE_SHAPE(fields)},                 \
    .advice = &sw_line_advice, SW_LINE_OPERATIONS

/* ---- what a run is before it runs: its numbers, and its initial value and force at some points (line_samples.c) */

enum { SW_LINE_SAMPLES = 256, SW_LINE_TIMES = 8 };  /* points, at most; times at which a force is looked at */

/** The setup of run j alone: its n is in the columns. */
struct sw_setup sw_line_setup_of_run(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j);

/** The points of the circle that a line is, or, if it ends, with its mirror image. */
int64_t sw_line_circle(const struct sw_setup *one);

/** As many points of the circle as there are, evenly spread if they are more than SW_LINE_SAMPLES: their mean and their
 * waves are those of the line. @return how many */
int sw_line_sample_points(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                          double x[SW_LINE_SAMPLES]);

/** The point of the line that sample i of so many is at, or the one before it. */
int64_t sw_line_sample_at(const struct sw_setup *one, int i, int count);

/** Make what evaluates a program of run j at `count` points x. @param eval  out: for sw_eval_destroy() */
enum sw_status sw_line_begin_program(const struct sw_program *program, int64_t ld, const double *column, int64_t j,
                                     int count, const double *x, struct sw_eval **eval);

/** A program at its points. @param u  there; NULL for a program that does not use it */
void sw_line_sample(struct sw_eval *eval, int count, const double *x, const double *u, double t, int64_t step,
                    double *out);

/** The initial value at the points of sw_line_sample_points(); zeros if there is none. */
enum sw_status sw_line_sample_initial(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                      int count, const double *x, double *u);

/** The initial values of a run, from its texts or a file. @param u  out: [unknowns][n]
 * @return SW_E_MEMORY; as sw_initial_read() */
enum sw_status sw_line_initial_values(const struct sw_setup *one, int64_t ld, const double *column, int64_t j,
                                      double *u);

/** max|u|, of samples that are no NaN */
double sw_line_sample_largest(int count, const double *u);
#endif
