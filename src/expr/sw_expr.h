#ifndef SW_EXPR_H
#define SW_EXPR_H
/* The expression language of the configs (docs/reference/config.md, "Expressions").
 *
 *   text ──sw_expr_parse──▶ syntax tree ──sw_program_compile──▶ program ──▶ values on the CPU   (sw_eval_*)
 *                              │                                       └──▶ CUDA C text        (sw_program_cuda)
 *                              └──sw_expr_derivative──▶ syntax tree
 *
 * All arithmetic is real and double; comparisons and logic give 1 or 0; `^` binds tighter than unary minus and goes
 * right to left. Division by zero gives inf or nan. min, max and sign pass a NaN on; step(NaN) is 0; a NaN counts as
 * true in && || ! and ?:, and compares as in C. A tree and a program are immutable: any number of threads may read one.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/sw_status.h"
#include "base/sw_text.h"
#include "expr/inputs_point.h"

/* Where and why an expression was refused. */
struct sw_expr_error {
    int  column;     /* first character at fault, from 1; 0: the expression as a whole */
    int  length;     /* how many characters are at fault, at least 1                   */
    char text[200];  /* "unknown name 'kx'"                                            */
    char hint[400];  /* "known: A eps seed k x t pi e", or ""                          */
};

struct sw_expr;

/** Parse one expression.
 * @param text  at most 64 KiB; not kept
 * @param expr  out: the tree, NULL on failure; free with sw_expr_destroy()
 * @param err   out, filled on SW_E_CONFIG; may not be NULL
 * @return SW_E_CONFIG not an expression of the language (also: nested deeper than 200 levels); SW_E_MEMORY */
enum sw_status sw_expr_parse(const char *text, struct sw_expr **expr, struct sw_expr_error *err);

/** Parse one expression about fields on a grid of two or three dimensions. Beside what sw_expr_parse() knows it has the
 * derivatives d and one to six letters, x, y or z each, in any order, as in dxy(E). lap(E) becomes dxx(E) + dyy(E)
 * (+ dzz(E)); grad2(E) dx(E)^2 + dy(E)^2 (+ dz(E)^2); and div(a, b (, c)) dx(a) + dy(b) (+ dz(c)). The tree has only
 * derivatives along one axis each, and E in several places.
 * @param dimensions  1: as sw_expr_parse(), whose lap(E), grad2(E) and div(a) are dxx(E), dx(E)^2 and dx(a) */
enum sw_status sw_expr_parse_fields(const char *text, int dimensions, struct sw_expr **expr,
                                    struct sw_expr_error *err);
void sw_expr_destroy(struct sw_expr **expr);

/** What was wrong, for people; a long text is cut to the part around the fault:
 *     column 7: unknown name 'kx'
 *         A*sin(kx*x)*exp(-t)
 *               ^~  known: A eps seed k x t pi e
 * @param text  the expression the error is about
 * @return lines without a final '\n', NULL if memory is out; free with sw_free() */
char *sw_expr_error_show(const char *text, const struct sw_expr_error *err);

/** Function k of the language, with how many arguments and its value as a C expression in a and b with functions of
 * math.h, NULL: it is random. @return its name, NULL after the last */
const char *sw_expr_function(int k, int *arguments, const char **value);

/** Derivative k of fields, dx .. dxxxx: no function of numbers, and none of the above. @return its name, NULL after the
 * last */
const char *sw_expr_derivative_name(int k);

/** Sum k of derivatives over the axes, lap, grad2, div. @param usage, about  out: "lap(a)", and a sentence
 *  @return its name, NULL after the last */
const char *sw_expr_derivative_sum(int k, const char **usage, const char **about);

/** Constant k of the language and its value. @return its name, NULL after the last */
const char *sw_expr_constant(int k, double *value);

/** Call visit for each name (not function, not pi or e) the tree uses, once per use, with its column. */
void sw_expr_names(const struct sw_expr *expr, void (*visit)(void *user, const char *name, int column), void *user);

/** Whether the tree calls rand or randn, whose value needs a cell and a step. */
bool sw_expr_is_random(const struct sw_expr *expr);

/** The derivative with respect to one name, simplified. abs, min, max, step, sign, floor, comparisons and ?: are
 * differentiated branch by branch (their kinks and jumps are ignored); rand and randn do not depend on any name.
 * @param expr  borrowed
 * @param out   new tree; free with sw_expr_destroy()
 * @return SW_E_CONFIG the result would be larger than 100 000 nodes; SW_E_MEMORY */
enum sw_status sw_expr_derivative(const struct sw_expr *expr, const char *name, struct sw_expr **out);

/** The tree of the same values that passes a NaN on: comparisons, !, step and ?: of a NaN are NaN, and so are && and ||
 * unless the other operand decides. @param out  new tree; free with sw_expr_destroy()  @return SW_E_MEMORY */
enum sw_status sw_expr_pass_nan(const struct sw_expr *expr, struct sw_expr **out);

/** The tree of a + b. @param sum  out: new tree; free with sw_expr_destroy()  @return SW_E_MEMORY */
enum sw_status sw_expr_sum(const struct sw_expr *a, const struct sw_expr *b, struct sw_expr **sum);

/** The tree with a number in the place of a name. @param value  >= 0  @param out  new tree; free with sw_expr_destroy()
 * @return SW_E_MEMORY */
enum sw_status sw_expr_put(const struct sw_expr *expr, const char *name, double value, struct sw_expr **out);

/** Write the tree as text that parses back to the same tree, with no more parentheses than needed. (A derivative may be
 * nested too deep or be too long to be parsed again.) */
void sw_expr_print(const struct sw_expr *expr, struct sw_text *text);

/* ------------------------------------------------------------------ programs */

/* How often a value changes. The compiler sorts every subexpression by it: what is RUN is computed once a run, STEP
 * once a time step, CELL once a run for each grid point (and kept), POINT at every point in every step. */
enum sw_rate { SW_RATE_RUN = 0, SW_RATE_STEP = 1, SW_RATE_CELL = 2, SW_RATE_POINT = 3 };

struct sw_symbol {
    const char  *name;
    enum sw_rate rate;
    int          slot;  /* RUN: index into the parameters of a run; STEP: must be 0, the time;
                           CELL and POINT: index into the arrays handed to sw_eval_cells() and sw_eval_points() */
};

/** The slot of an unknown, 0 .. SW_UNKNOWNS_MOST - 1, so many points to the right. */
static inline enum sw_input sw_input_at(int unknown, int offset)
{
    return (enum sw_input)(SW_IN_U + SW_NEIGHBOURS * unknown + offset);
}

struct sw_scope {
    const struct sw_symbol *symbol;  /* the first of a name counts                                     */
    int                     count;
    bool                    random;  /* rand and randn allowed                                         */
    uint32_t                stream;  /* which random stream: 0 initial, 1 forcing; < 2^31              */
};

struct sw_program;

/** Resolve names and compile. Constants are folded, equal subexpressions computed once, integer powers up to 16
 * multiplied out; the sine or cosine of a sum of CELL and STEP parts is taken apart by the addition theorem, so that
 * cos(q*(x - v*t)) needs no cosine at a point and step.
 * @param expr     borrowed, not needed afterwards
 * @param scope    borrowed, not needed afterwards
 * @param program  out, NULL on failure; free with sw_program_destroy()
 * @param err      filled on SW_E_CONFIG: unknown name (with what is known, and the nearest), rand not allowed here
 * @return SW_E_CONFIG; SW_E_MEMORY */
enum sw_status sw_program_compile(const struct sw_expr *expr, const struct sw_scope *scope,
                                  struct sw_program **program, struct sw_expr_error *err);
void sw_program_destroy(struct sw_program **program);

/** The same values at x = X + t, with the time of steps as t: what depends on X alone is then CELL, what depends on t
 * alone STEP, and a sine or cosine of a multiple of x costs two products and a sum at a point, its functions being
 * computed once for each X and once for each t. Where x lies on a lattice, X_j + t_k, that is once for many points. The
 * value's error is that of the original at X + t rounded, but for sines and cosines, which have that of
 * sw_program_compile(). At a point X and t themselves are used in no other way than as their sum: the caller of a text
 * may give other two with this sum there, like x and -0.
 * @param program  without STEP symbols, rand and randn; borrowed, not needed afterwards
 * @param slot     that of x, a CELL symbol
 * @param offset   out; free with sw_program_destroy()
 * @return SW_E_ARG it uses the time, or rand; SW_E_MEMORY */
enum sw_status sw_program_offset(const struct sw_program *program, enum sw_input slot, struct sw_program **offset);

/** The sum of two programs. Symbols of one rate and slot are one symbol, whatever the two programs call it.
 * @param a, b  borrowed, not needed afterwards; a does not call rand or randn: the stream is that of b
 * @param sum   out; free with sw_program_destroy()
 * @return SW_E_MEMORY */
enum sw_status sw_program_sum(const struct sw_program *a, const struct sw_program *b, struct sw_program **sum);

/** The fastest rate at which the whole value changes: SW_RATE_RUN means it is a constant of the run. */
enum sw_rate sw_program_rate(const struct sw_program *program);

/** Whether the value depends on the symbol of this name. */
bool sw_program_uses(const struct sw_program *program, const char *name);

/** Whether the value depends on the symbol of this name by sums, products, sines and cosines alone, or not at all: it
 * does not jump there, and has no step that is narrow beside its waves. Out of memory: false. */
bool sw_program_gentle_in(const struct sw_program *program, const char *name);

/** Whether two programs do the same in the same order, to the same bits. Symbols count by rate and slot. */
bool sw_program_equal(const struct sw_program *a, const struct sw_program *b);

/** Whether the value depends on a CELL or POINT symbol of this slot, whatever its name. */
bool sw_program_uses_input(const struct sw_program *program, enum sw_input slot);

/** The degree of the polynomial that a program is in the POINT symbol of this slot, with factors that are the same at
 * all points; -1: it is none, or memory is out. */
int sw_program_degree(const struct sw_program *program, int slot);

/** Whether a program is the POINT symbol of this slot itself, 1, or its negative, -1; 0: it is neither. */
int sw_program_sign(const struct sw_program *program, int slot);

/** A program without any symbol: its value. false if it has symbols. */
bool sw_program_constant(const struct sw_program *program, double *value);

/** Whether a program is this number; NULL: it is none. */
bool sw_program_is(const struct sw_program *program, double number);

/* ---- on the CPU, for many runs at once (programs whose rate is RUN) */

/** Evaluate for count runs.
 * @param param  [nparam][ld] values of the RUN symbols, param[slot*ld + run]
 * @param out    [count] */
enum sw_status sw_program_over_runs(const struct sw_program *program, int64_t count, const double *param, int64_t ld,
                                    double *out);

/* ---- on the CPU, for one run at a time, or for several side by side: a workspace per thread
 *
 * With `lanes` runs side by side each array of points holds the lanes of point 0, then those of point 1, ...: the value
 * of point i and lane l at i*lanes + l. The bits of a run's values do not depend on lanes. */

struct sw_eval;

/** @param max_points  the longest range of points a call will ask for; CELL values are kept for that many
 *  @param program     borrowed; must outlive the workspace
 *  @return SW_E_MEMORY */
enum sw_status sw_eval_create(const struct sw_program *program, int max_points, struct sw_eval **eval);
/** @param lanes  1, 2, 4, 8 .. 256 */
enum sw_status sw_eval_create_lanes(const struct sw_program *program, int max_points, int lanes, struct sw_eval **eval);
void sw_eval_destroy(struct sw_eval **eval);

/** Take sin, exp, pow ... at points from the scalar functions of the C library, which are right to a unit in the last
 * place, where its vector functions, several times as fast, are right to four. */
void sw_eval_by_scalars(struct sw_eval *eval);

/** Begin a run: computes what changes once a run.
 * @param param  RUN symbol of slot k is param[k*stride], that of lane l is param[k*stride + l] */
void sw_eval_run(struct sw_eval *eval, const double *param, int64_t stride);

/** What is called point 0 below is point number `first` of those that rand and randn count; 0 at first. */
void sw_eval_number_from(struct sw_eval *eval, int first);

/** The points that are counted so are those of a plane or a box with so many along x and y, x fastest, for the noise of
 * steps; at first those of a line. */
void sw_eval_grid(struct sw_eval *eval, int64_t nx, int64_t ny);

/** What is called point 0 below is this one of max_points, for which CELL values are kept; 0 at first. */
void sw_eval_begin_at(struct sw_eval *eval, int point);

/** Compute what depends on the point but not on time, for points 0 .. count-1 (call once a run, after sw_eval_run).
 * @param cell  cell[slot] -> [count][lanes]; arrays of CELL symbols */
void sw_eval_cells(struct sw_eval *eval, int count, const double *const *cell);

/** Begin a step: computes what depends on time alone. step also counts for rand and randn. */
void sw_eval_step(struct sw_eval *eval, double t, int64_t step);
/** @param t  [lanes] */
void sw_eval_step_lanes(struct sw_eval *eval, const double *t, int64_t step);

/** The values at points 0 .. count-1.
 * @param point  point[slot] -> [count][lanes]: arrays of CELL and POINT symbols
 * @param out    [count][lanes]; may not overlap the inputs
 * The same point gives the same bits whatever count is. */
void sw_eval_points(struct sw_eval *eval, int count, const double *const *point, double *out);

/* ---- on the CPU, as a polynomial in u whose coefficients are sums of (RUN and STEP part) times (CELL part)
 *
 * D*(u^3 - u) and a*cos(q*(x - v*t)) are of this form, which a caller evaluates without storing a value for each point.
 * A program is taken for one only if no product of two sums has to be expanded for it: so it is as accurate as u is. */

enum { SW_FORM_TERMS = 8, SW_FORM_DEGREE = 3 };

struct sw_form_term {      /* factor * cell * u^power                          */
    int           power;   /* 0 .. SW_FORM_DEGREE                              */
    const double *factor;  /* [lanes]                                          */
    const double *cell;    /* [points][lanes]; NULL: 1                         */
};

struct sw_form;

/** @param eval  borrowed; must outlive the form
 *  @param form  out; NULL where the program is not of this form, which is no error */
enum sw_status sw_form_create(const struct sw_eval *eval, struct sw_form **form);
void sw_form_destroy(struct sw_form **form);

/** The terms at the step that sw_eval_step() began; valid until the next call for this form or its workspace.
 * @param cell  cell[slot] -> [points][lanes], as for sw_eval_cells()
 * @return how many */
int sw_form_terms(struct sw_form *form, const double *const *cell, struct sw_form_term term[SW_FORM_TERMS]);

/* ---- as CUDA C text (also valid C11; cells are indexed by int, `real` is a type the including text defines) */

/* How many values a program keeps at each rate; the arrays r, s and c below have these lengths. */
struct sw_program_size {
    int params;           /* 1 + the largest slot of the RUN symbols it uses        */
    int run, step, cell;  /* values kept: lengths of r, s and c                     */
    int point;            /* operations left to do at every point in every step     */
};
/** @param program  NULL: it keeps nothing */
struct sw_program_size sw_program_size(const struct sw_program *program);

/** Instructions, about, that a GPU executes for the operations left to do at every point in every step; exp is 30 of
 * them (expr/exp_point.h). @param program  NULL: 0
 * @return -1: there are functions whose code has branches, sin, log, pow ..., or random numbers. Those of a division
 *         and of sqrt, for numbers near the ends of the range, are not counted */
int sw_program_instructions(const struct sw_program *program);

/** Append four functions, named by prefix, and nothing else. They call only functions of math.h, SW_EXP() of
 * expr/inputs_point.h or expr/exp_point.h, sw_rand(), sw_randn() and sw_noise() of expr/random_point.h, and are built
 * from the program's instructions, never from the user's text.
 *   SW_HD static inline void PREFIX_run (const real *p, int ld, real *r);                       r[k] from p[slot*ld]
 *   SW_HD static inline void PREFIX_step(const real *p, int ld, const real *r, int rld, real t, long long step,
 *                                        real *s);
 *   SW_HD static inline void PREFIX_cell(const real *p, int ld, const real *r, int rld, const real *in, int cell,
 *                                        real *c);
 *   SW_HD static inline real PREFIX_point(const real *p, int ld, const real *r, int rld, const real *s, int sld,
 *                                         const real *c, int cld, const real *in, int cell, real t, long long step);
 * The text asks for the type `real` and the macro SW_FMA(x, y, z), x*y + z in one rounding or two. Values are the CPU's
 * bit for bit where it is two, the compiler contracts nothing else (nvcc -fmad=false, gcc -ffp-contract=off) and its
 * sin, exp, pow ... are the CPU's; otherwise they differ by rounding. expr/inputs_point.h has both for run-time
 * compilation, expr/random_point.h what rand, randn and the noise of steps call; the latter asks for the macro
 * SW_NOISE_POINT where points are not those of a line.
 * Value k of r lies at r[k*rld], of s at s[k*sld], of c at c[k*cld]; in[slot] are the CELL and POINT symbols at this
 * point. PREFIX_run writes r[k] densely (rld = 1 on writing), likewise step and cell: the caller scatters. */
void sw_program_cuda(const struct sw_program *program, const char *prefix, struct sw_text *text);

/** Append the functions, and the specialization NAME of a class template whose static members run, step, cell and point
 * call them, with `double` for `real`. Its THERE is 1, its RUN, STEP and CELL are the values kept, and members more.
 * @param name     "term<2>" @param members  "STEEP = 1, AT = 3"; "": none
 * @param inlined  how members are: "inline", "__forceinline__"
 * @param program  NULL: THERE and the values are 0, and its functions do nothing */
void sw_program_cuda_type(const struct sw_program *program, const char *prefix, const char *name, const char *members,
                          const char *inlined, struct sw_text *text);

/** Append the functions behind `#define SW_HAS_MACRO 1` and an enum of MACRO_RUN, MACRO_STEP, MACRO_CELL, the
 * values kept.
 * @param program  NULL: no functions, SW_HAS_MACRO is 0 */
void sw_program_cuda_fragment(const struct sw_program *program, const char *macro, const char *prefix,
                          struct sw_text *text);
#endif
