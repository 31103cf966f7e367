#ifndef SWEEP_FORMULA_H
#define SWEEP_FORMULA_H
/* Expressions of a config: numbers of a run, and functions of the points and the time. */
#include "expr/sw_expr.h"
#include "sweep/sw_sweep.h"

struct formula {
    const char              *path;     /* "time.dt", "sweep.a", for messages                                    */
    const char              *text;
    const struct sw_setting *setting;  /* the setting that it is in; NULL: a default                            */
    struct sw_expr          *expr;
    struct sw_program       *program;  /* NULL until compiled, or refused                                       */
    struct formula          *next;     /* all formulas of a sweep are linked, to free them                      */
};

/* A number that may differ from run to run. */
struct run_value {
    double          number;            /* if formula is NULL                                                    */
    struct formula *formula;
};

/** The value of a constant expression (numbers, pi, e), without any message; false if it is none. */
bool formula_constant(const struct sw_sweep *s, const char *text, double *value);

/** Read a setting that must be a number or an expression over the columns; or (text not NULL) an expression alone.
 * @param path  what messages call it  @param ok  out: false if it was refused  @return SW_E_MEMORY */
enum sw_status value_read(const struct sw_sweep *s, const char *path, const struct sw_setting *setting,
                          const char *text, struct run_value *value, bool *ok);

/** Compile the FUNCTION keys that the config sets, over the columns and what the row of the key allows besides:
 * fills sw_sweep.function. @return SW_E_MEMORY */
enum sw_status functions_read(struct sw_sweep *s);

/** Have the problem compile those that it compiles itself, unless the config is wrong already. @return SW_E_MEMORY */
enum sw_status functions_prepare(struct sw_sweep *s);

void formulas_free(struct sw_sweep *s);

/** Report what is wrong with an expression: the message shows the text with a caret under the fault. */
void formula_report(const struct sw_sweep *s, const struct sw_setting *setting, const char *path, const char *text,
                    const struct sw_expr_error *err);

/* The functions that make lists are not functions of the expression language; they are the whole of a string:
 * "linspace(0, end, 11)". */
enum { CALL_ARGS = 3 };
struct list_call { char name[16]; int narg; const char *arg[CALL_ARGS]; };

/** Split such a call into its name and the texts of its arguments. Arguments beyond CALL_ARGS are counted only.
 * @param functions  the names that are allowed, separated by '|'
 * @param is_call    out: whether the text is a call of one of them  @return SW_E_MEMORY */
enum sw_status call_split(const struct sw_sweep *s, const char *text, const char *functions, struct list_call *call,
                          bool *is_call);
#endif
