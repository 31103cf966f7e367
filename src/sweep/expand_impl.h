#ifndef EXPAND_IMPL_H
#define EXPAND_IMPL_H
/* Between the files that turn a config into runs. The order in expand.c: keys, axes, columns, functions, times; then
 * every run is checked. All of it reports what is wrong with report_error() and goes on; only failing memory
 * breaks off. */
#include <stdint.h>

#include "expr/sw_expr.h"
#include "sweep/keys.h"
#include "sweep/sw_arena.h"
#include "sweep/sw_keys.h"
#include "sweep/sw_sweep.h"

enum { BLOCK = 1024 };              /* runs worked on together: 8 KiB a column                                  */

/* ---- formula.c: expressions whose value is a number of the run */

struct formula {
    const char              *path;     /* "time.dt", "sweep.a", for messages                                    */
    const char              *text;
    const struct sw_setting *setting;  /* where it stands; NULL: a default                                      */
    struct sw_expr          *expr;
    struct sw_program       *program;  /* NULL until compiled, or refused                                       */
    struct formula          *next;     /* all formulas of a sweep, to free them                                 */
};

/* A number that may differ from run to run. */
struct value {
    double          number;            /* if formula is NULL                                                    */
    struct formula *formula;
};

/** Parse. *formula is NULL if the text was refused. */
enum sw_status formula_parse(const struct sw_sweep *s, const char *path, const struct sw_setting *setting,
                             const char *text, struct formula **formula);
/** Compile; program stays NULL if it was refused. */
enum sw_status formula_compile(const struct sw_sweep *s, struct formula *f, const struct sw_scope *scope);
/** The value of a constant expression (numbers, pi, e), without any message; false if it is none. */
bool formula_constant(const struct sw_sweep *s, const char *text, double *value);
/** A setting that must be a number or an expression over the columns, or (text not NULL) just an expression.
 * *ok is false if it was refused. */
enum sw_status value_read(const struct sw_sweep *s, const char *path, const struct sw_setting *setting,
                          const char *text, struct value *value, bool *ok);
enum sw_status value_over_runs(const struct value *value, int count, const double *column, double *out);
/** Whether all runs have the same value. */
bool value_uniform(const struct sw_sweep *s, const struct value *value);
/** Whether all columns that it needs are known. */
bool value_known(const struct sw_sweep *s, const struct value *value);

/* ---- call.c: "linspace(0, end, 11)" */

enum { CALL_ARGS = 3 };
struct call { char name[16]; int narg; const char *arg[CALL_ARGS]; };
/** Take a text apart; false if it is not one of the functions of the list (separated by '|').
 * Arguments too many for CALL_ARGS are counted, not kept. */
enum sw_status call_split(const struct sw_sweep *s, const char *text, const char *functions, struct call *call,
                          bool *is_call);

/* ---- axis.c, axis_values.c, sample.c, sobol.c */

enum axis_kind { AXIS_LIST, AXIS_LINSPACE, AXIS_LOGSPACE, AXIS_RANGE,  /* lists of values */
                 AXIS_UNIFORM, AXIS_LOGUNIFORM, AXIS_INTEGER, AXIS_NORMAL, AXIS_LOGNORMAL };  /* drawn at random */
static const double MOST_RUNS = 1e7;    /* ids, indices and a search table: some 80 bytes a run                 */

struct axis {
    const char              *name;
    const struct sw_setting *setting;
    enum axis_kind           kind;
    int64_t                  count;
    double                   a, b;      /* ends; of a range, start and step; of a normal, mean and deviation    */
    double                  *value;     /* LIST: [count]                                                        */
    const char             **word;      /* LIST of words: [count]; value then holds 0, 1, ...                   */
    int64_t                  stride;    /* how many runs in a row share a value; zip: 1                         */
    int                      dimension; /* drawn: of the random sample                                          */
};
static inline bool axis_is_drawn(const struct axis *a) { return a->kind >= AXIS_UNIFORM; }

enum sample_method { SAMPLE_LHS, SAMPLE_SOBOL, SAMPLE_RANDOM };
struct sample {
    enum sample_method method;
    int64_t   count;
    double    seed;
    int       dimensions;               /* axes that are drawn, in the order of the config                          */
    int      *cell;                     /* [dimensions] the sequence of random numbers of an axis, by its name      */
    uint32_t *rank;                     /* LHS: [dimensions][count] in which of the count slices a point lies       */
    uint32_t (*direction)[32];          /* Sobol: [dimensions]                                                      */
    uint32_t *shift;                    /* Sobol: [dimensions]                                                      */
};

enum { SOBOL_AXES = 21 };
/** The direction numbers of dimension 0 .. SOBOL_AXES-1. */
void sobol_directions(int dimension, uint32_t direction[32]);
/** Point `index` of the sequence, as a fraction of 2^32. */
uint32_t sobol_point(const uint32_t direction[32], uint32_t index);

enum sw_status axes_read(struct sw_sweep *s);
/** Combine the axes: number of runs, strides, random samples. */
enum sw_status axes_combine(struct sw_sweep *s);
enum sw_status sample_prepare(struct sw_sweep *s);
/** In [0, 1]: the place of a point of the sample in a dimension. */
double sample_place(const struct sample *sample, int dimension, int64_t point);
/** The number that a normal variable is below with probability p, 0 < p < 1 (quantile.c). */
double normal_quantile(double p);
/** The values of axis k for some runs: run[0 .. count-1], or first, first+1, ... if run is NULL. */
void axis_values(const struct sw_sweep *s, int k, const int64_t *run, int64_t first, int count, double *out);

/* ---- columns.c */

enum source_kind { SOURCE_CONSTANT, SOURCE_AXIS, SOURCE_FORMULA, SOURCE_GRID, SOURCE_STEP };
struct source {                         /* where the numbers of a column come from                              */
    enum source_kind         kind;
    double                   number;
    int                      axis;
    struct formula          *formula;
    int                      like, dim, dimension;  /* GRID: column `like` in a run whose column `dim` is above     */
    double                   unused;                /* `dimension`, else this                                       */
    const struct sw_setting *setting;   /* NULL: a default                                                      */
    bool                     unknown;   /* refused or missing, or it needs one that is: reported, checked no more */
};

/** Make the columns with their sources, the scope of names, the order to compute in; refuse cycles and bad names. */
enum sw_status columns_make(struct sw_sweep *s);
/** Compute what is the same for all runs; unknown columns hold NaN from here on. */
enum sw_status columns_fold(struct sw_sweep *s);
/** The numbers of column k of some runs, into column[k*BLOCK + j]; the columns it needs are there already. */
enum sw_status column_fill(const struct sw_sweep *s, int k, const int64_t *run, int64_t first, int count,
                           double *column);
int column_find(const struct sw_sweep *s, const char *name);
/** The column an expression means by a name: axes and defines, then visible keys by their last part; -1: none. */
int column_meant(const struct sw_sweep *s, const char *name);

/* Some runs with all their numbers. */
struct block {
    int64_t        at;                  /* of the first of them, in the list that is being gone through         */
    int            count;               /* at most BLOCK                                                        */
    const double  *column;              /* column k of the j-th run at column[k*BLOCK + j]                      */
};
/** Go through runs (run[0 .. count-1], or first .. first+count-1 if run is NULL), block by block; on all threads unless
 * `in_order`: then `work` may be called by several threads at once. */
enum sw_status blocks_each(const struct sw_sweep *s, const int64_t *run, int64_t first, int64_t count, bool in_order,
                           enum sw_status (*work)(void *user, const struct block *block), void *user);

/* ---- grid.c: one number for all dimensions, or a list */

/** At least 1. */
int grid_max_dim(const struct sw_problem *problem);
/** A list in the group `grid`, NULL: there is none. */
const struct sw_setting *grid_list(const struct sw_sweep *s);
/** Refuse lists that the problem cannot have, or that differ in length. */
void grid_check(const struct sw_sweep *s);
/** Where a column of the grid gets its numbers from. false: from its setting, like any other. */
bool grid_source(struct sw_sweep *s, int k);
void grid_fill(const struct source *from, int count, const double *column, double *out);
/** How many dimensions the functions name (y: 2, z: 3), and the first function that names so many, -1: none does. */
int grid_dimensions_used(const struct sw_sweep *s, int *function);

/* ---- solver.c */

/** Refuse a solver that is a row of no table, or an axis of words that there is not. */
void solver_check(const struct sw_sweep *s);

/* ---- step.c: a time step that follows from time.cfl */

/** Refuse both of time.dt and time.cfl, and neither. */
void step_check(const struct sw_sweep *s);
/** Whether a column is a step that follows. */
enum sw_status step_source(struct sw_sweep *s, int k, bool *taken);
/** Whether column k is that step; from shape_prepare() on. */
bool step_follows(const struct sw_sweep *s, int k);
/** Steps of some runs, as for column_fill(); all other columns are there. NaN in a run with another number that is
 * unknown or not allowed. */
enum sw_status step_fill(const struct sw_sweep *s, const int64_t *run, int64_t first, int count,
                         const double *column, double *out);

/* ---- choices.c: WORD keys of the problem */

enum { MOST_CHOICE_WORDS = 64, MOST_CHOICES = 16 };
/** The words a key may have, at most MOST_CHOICE_WORDS; copy: room they may need. */
int choice_words(const struct sw_key *key, char copy[200], const char *list[MOST_CHOICE_WORDS]);
/** "product, zip, random" */
const char *choice_list(const struct sw_key *key, char text[600]);
/** Refuse, at the line of a setting and under a path, a word that is not the key's. */
bool choice_check(const struct sw_sweep *s, const struct sw_key *key, const struct sw_setting *at, const char *path,
                  const char *text);
enum sw_status choices_read(struct sw_sweep *s);
/** Find the axes that words are taken from, when there are columns. */
void choices_resolve(struct sw_sweep *s);
/** Of choice k in a run in which the column of its axis, if it has one, holds this number. */
const char *choice_word(const struct sw_sweep *s, int k, double number);
/** What a problem may know of run j of a block before there are groups: columns, functions, choices. */
struct sw_setup setup_of_run(const struct sw_sweep *s, const double *column, int j,
                             struct sw_choice choice[MOST_CHOICES]);

/* ---- times.c: at which steps something is put out */

enum times_kind { TIMES_NONE, TIMES_LIST, TIMES_LINSPACE, TIMES_LOGSPACE, TIMES_RANGE, TIMES_EVERY };
enum { MOST_TIMES = 10000000 };
struct times {
    enum times_kind          kind;
    const char              *path;
    const struct sw_setting *setting;
    int                      narg;
    struct value            *arg;
    bool                     aligned;  /* runs differ in their steps: each time keeps its place, see times_steps() */
    bool                     ends_differ;  /* time.end differs                                                  */
};
enum sw_status times_read(struct sw_sweep *s, const char *path, struct times *times);
enum sw_status every_read(struct sw_sweep *s, const char *path, struct times *times);
/** For a problem without time: once, at the end, if the group at `path` is there. */
enum sw_status end_read(struct sw_sweep *s, const char *path, struct times *times);
/** Argument k in units of dt (a count stays a count), rounded to 40 bits, so that runs with dt and end in proportion
 * get the same: these numbers and the number of steps are all that the output steps of a run depend on. */
double times_scale(const struct times *times, int k, double value, double dt);
/** Why scaled arguments make no sense for a run of `steps` steps: text for the user, or NULL. */
const char *times_fault(const struct times *times, const double *scaled, double steps, double dt, char text[160]);
/** At which step each time is put out. Of times that round to one step the nearest has it. The others are left out, in
 * all runs alike; but where the runs of the sweep have different steps (`aligned`), they keep their places, so that the
 * k-th entry is of the k-th time in every run.
 * @param step   out [*count]: ascending, each once; -1: another time has it. Free with sw_free()
 * @param time   out [*count] ascending, in units of dt: the step, or the time asked for. Free with sw_free()
 * @param count  out
 * @param lost   out: times without a step of their own */
enum sw_status times_steps(const struct times *times, const double *scaled, int64_t steps, int64_t **step,
                           double **time, int *count, int64_t *lost);

/* ---- shape.c: what runs of one group have in common */

struct shape {
    int n[SW_DIMS], dt, end, dim, solver;  /* columns; -1: none                                                 */
    int size;                           /* numbers that tell a shape: these, arguments of the times, words      */
    int words;                          /* where the words begin                                                */
    int listed;                         /* dimensions that a list of the grid gives, 0: there is none           */
    int named;                          /* dimensions that functions name                                       */
    bool uniform;                       /* all runs have one shape                                              */
};
enum { SHAPE_N, SHAPE_DIM = SHAPE_N + SW_DIMS, SHAPE_SOLVER, SHAPE_STEPS, SHAPE_TIMES };
void shape_prepare(struct sw_sweep *s);
/** The shapes of a block of runs: out[j*size ..] for the j-th. */
enum sw_status shape_of_block(const struct sw_sweep *s, const struct block *block, double *out);

/* ---- namesakes.c: an axis or a define that has the name of a key */

/** Refuse an axis or define whose namesake among the keys has other values. */
void namesakes_check(const struct sw_sweep *s);

/* ---- the rest */

struct key_by_name { const char *name; int key; };   /* a path or a former name      */

struct sw_sweep_own {
    struct sw_report *report;           /* while expanding                                                      */
    bool              grid_wrong;       /* a list of the grid was refused                                       */
    bool              words_wrong;      /* a WORD key has none of its words                                     */
    bool              axes_wrong;       /* the runs cannot be told apart                                        */
    bool              starved;          /* memory failed where there was no status to say so                    */
    struct sw_arena  *arena;
    int               nkey;
    struct sweep_key *key;              /* [nkey] in the order of sw_key_at()                                   */
    int               nname;
    struct key_by_name *key_by_name;    /* [nname] sorted                                                       */
    const struct sw_key *row;           /* the key that names the row that does the work                        */
    struct formula   *formulas;
    struct axis      *axis;             /* [naxis]                                                              */
    struct sample     sample;
    struct source    *source;           /* [ncolumn]                                                            */
    double           *step;             /* [nruns] time steps that follow from time.cfl; 0: not known yet       */
    int              *order;            /* columns that differ from run to run, each after those it needs       */
    int               norder;
    struct sw_scope   scope;            /* names of the columns                                                 */
    int              *choice_column;    /* [nchoice] the axis its word is taken from, -1: all runs have one      */
    const char       *solver;           /* the word in the config: a row's name, "auto", or "$axis"             */
    struct times      fields, scalars;
    struct shape      shape;
};

/** One entry of the report, at the line of a setting (NULL: the file as a whole). */
void report_error(const struct sw_sweep *s, const struct sw_setting *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/** The same for an expression, with a caret. */
void report_expr_error(const struct sw_sweep *s, const struct sw_setting *at, const char *path, const char *text,
                          const struct sw_expr_error *err);

/** Whether runs have one point more than grid.n along x (sw_problem.extra_point). */
bool has_one_more(const struct sw_sweep *s);
enum sw_status options_read(struct sw_sweep *s);        /* words, texts, numbers of the sweep as a whole */
enum sw_status functions_read(struct sw_sweep *s);
enum sw_status axes_check_used(struct sw_sweep *s);
enum sw_status runs_check(struct sw_sweep *s);
#endif
