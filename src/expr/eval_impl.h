#ifndef EVAL_IMPL_H
#define EVAL_IMPL_H
/* Private to src/expr: the workspace of the interpreter. */
#include "expr/expr_impl.h"

/* Values in a block: 2 KiB, so that a dozen blocks stay in a first-level cache of 32 KiB while the cost of choosing the
 * loop, some nanoseconds, is spread over 256 points. */
enum { VALUES_AT_ONCE = 256 };

/* An instruction as a pass over blocks does it: where its operands and its values are in the first block, and whether
 * they lie elsewhere in the next ones (1) or not (0). */
struct task {
    op_loop       *loop;
    const double  *x[3];
    double        *to;
    unsigned char  moves[4];
    bool           library;  /* it may have a vector function */
    enum operation op;
};

/* An instruction that is done in the task of the one that reads it, or reads one that is. */
struct joined {
    int  first;      /* index of the one it reads; -1: none */
    bool done;       /* it is that one                      */
};

struct sw_eval {
    const struct sw_program *program;
    struct task *task;  /* [program->count]: of the pass at hand                */
    int     tasks;
    struct joined *joined;  /* [program->count]: those that are one task with another */
    int     max_points, lanes;
    double *scalar;   /* [program->count][lanes]: numbers, RUN and STEP values  */
    double *repeated; /* [repeats][VALUES_AT_ONCE]: some of these, repeated     */
    double *scratch;  /* [scratches][VALUES_AT_ONCE]                            */
    double *cell;     /* [kept CELL values][max_points][lanes]                  */
    int64_t step;
    int     first;    /* number of the first point, of those that noise counts  */
    int     nx, ny;   /* of their grid: sw_eval_grid()                          */
    size_t  at;       /* where its CELL values are: sw_eval_begin_at()          */
    bool    repeats_pending;  /* STEP values are not in `repeated` yet          */
    bool    scalars;  /* no vector functions                                    */
    int64_t begun;    /* how often sw_eval_run() was called                     */
};

/** The values of a number, a RUN or a STEP instruction: [lanes]. */
static inline double *eval_scalar(const struct sw_eval *e, int k) { return e->scalar + (size_t)k * (size_t)e->lanes; }

/** Where the values of instruction k from value `base` on are, if it is evaluated at points or is a symbol; in[slot]
 *  are the arrays of the symbols. */
double *eval_place(const struct sw_eval *e, int k, size_t base, const double *const *in);
#endif
