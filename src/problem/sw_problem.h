#ifndef SW_PROBLEM_H
#define SW_PROBLEM_H
/* A kind of problem: its config keys, what it computes and measures, and how a batch of its runs is simulated.
 * One file a kind, one row in problem_table.c. */
#include <stdbool.h>
#include <stdint.h>

#include "base/sw_cost.h"
#include "base/sw_err.h"
#include "device/sw_snapshot.h"
#include "device/sw_device.h"
#include "expr/sw_expr.h"
#include "field/norms.h"
#include "problem/sw_key.h"

struct sw_quantity {       /* something that is written out */
    const char *name;      /* dataset name, "u"             */
    const char *unit;      /* "1"                           */
    const char *long_name; /* "order parameter"             */
};

/* A named expression of the config, compiled. RUN symbols are columns (below). */
struct sw_function {
    const char              *key;      /* "forcing"                      */
    int                      unknown;  /* whose, of a key that has one for each; else 0 */
    const char              *text;     /* as the user wrote it           */
    const struct sw_expr    *expr;
    const struct sw_program *program;  /* NULL: the problem compiles it  */
};

/* A WORD, SWITCH or TEXT key of the problem and its word. */
struct sw_choice { const char *key, *word; };  /* a SWITCH: true, false; a TEXT: any */

enum { SW_DIAGNOSTICS = 2 };    /* numbers that a run records of its way, of the kinds that record some */

/* Where runs take steps of their own, advance() counts ticks, of which there are so many between two output times. */
enum { SW_TICKS = 1024 };

/* What such a run has come to: steps taken and refused, least and largest dt, the sum of the estimated errors, the time
 * it is at, and dt of the step from there that it could not take, 0 unless it has failed. */
struct sw_steps_taken { int64_t taken, refused; double least, largest, error, t, tried; };

/* How well x solves A x = f: |A x - f|_2/|f|_2; max|A x - f|/(|A| max|x| + max|f|), where |A| is the largest sum of
 * |entries| of a row; and with `exact` max|x - exact|/max|exact|. Of a method that iterates: what it takes the first
 * one for, and its iterations. NaN: not measured. */
struct sw_residuals { double residual, backward, forward, reported; int64_t iterations; };

/* Where on its line a run failed: between points first and last the right-hand side of an unknown was not finite, and
 * the unknown largest, of such points, at `at`; or not infinite: the right-hand side was largest at `at`. */
struct sw_failure_place { bool infinite; int unknown; int64_t first, last, at; };

enum { SW_CUT_MOST = 24 };      /* setup->cut */

/* Iterations of a run that are recorded where its history is asked for (output.history): a longer one is cut off. */
enum { SW_HISTORY_MOST = 1024 };

/* A device of another process that computes steps of a cut run, too. What is asked and answered are a few numbers that
 * only the problem knows (help() below). */
enum { SW_HELP_ASKED = 8, SW_HELP_ANSWERED = 48 };
struct sw_remote_helper {
    /** Ask for a step. Does not wait for the answer, which has to be taken before the next is asked for. */
    void (*ask)(struct sw_remote_helper *helper, const double asked[SW_HELP_ASKED]);
    /** Wait for the answer. @return false: the helper has failed, and makes no other step */
    bool (*answer)(struct sw_remote_helper *helper, double answered[SW_HELP_ANSWERED]);
    /** Piece k of the field that its last step has made, of so many bytes. @return SW_E_COMM it has failed, and makes
     * no other step: snapshot() returns this, and the steps are taken again, from set_state() on */
    enum sw_status (*piece)(struct sw_remote_helper *helper, int k, size_t bytes, void *piece);
};
enum { SW_REMOTE_HELPERS_MOST = 256 };
struct sw_remote_helpers { int count; struct sw_remote_helper *helper[SW_REMOTE_HELPERS_MOST]; };

/* The columns of what sw_setup_grid() looks at; -1: none. */
struct sw_grid_columns { int tolerance, dt, x0[SW_DIMS], length[SW_DIMS]; };

/* What all runs of a batch have in common. Everything is borrowed. */
struct sw_setup {
    int     dim;                       /* dimensions of the grid, 1 .. SW_DIMS                              */
    int64_t n[SW_DIMS];                /* points along x, y, z; 1 in a dimension that it does not have. Not the
                                          column grid.n where the problem has an extra point (`extra_point` below)    */
    bool    walls[SW_DIMS];            /* both ends are points; else the grid is periodic there             */
    int     capacity;                  /* most runs a batch will have                                       */
    int     cut;                       /* a run is computed in 2^cut slices of its points, twice one after another:
                                          steps 1 .. 2^cut, and 2^cut + 1 .. 2^(cut + 1); 0: as a whole         */
    int     helpers;                   /* other devices that compute a cut run, too, each a slice of its own  */
    struct sw_device *const *helper;   /* [helpers] of the same kind                                          */
    const struct sw_remote_helpers *remote;  /* those of other processes, which come and go between two calls of
                                          advance(); NULL: there are never any                                */
    int64_t goals;                     /* where runs take steps of their own, how many output times there are after 0 */
    const double *times;               /* [goals + 1] from 0 to the end; else NULL                          */
    bool    fields;                    /* fields are saved at all                                           */
    bool    single;                    /* in single precision                                               */
    bool    single_steps;              /* and computed in it                                                */
    bool    refined;                   /* steps are to be off by little more than the rounding of their results, at any
                                          cost: for comparisons. Solvers that cannot do so take no notice   */
    int     history;                   /* iterations of a run to record, at most; 0: none                   */
    bool  (*give_up)(void *user);      /* asked now and then, maybe by several threads at once, by a problem whose
                                          steps take long: whether to give up the batch, and have load() or
                                          advance() return SW_E_STOPPED. NULL: never                        */
    void   *give_up_user;
    bool    uniform;                   /* the runs of a batch all have the same implicit part: some solvers need it */
    const char *solver;                /* the config's solver: a row's name, or NULL for the best that fits  */
    void  (*grid)(const struct sw_setup *setup, int64_t count, const double *column, int64_t j, struct sw_grid *grid);
                                       /* that of the problem                                                 */
    int     ncolumn;                   /* per-run numbers: every number key first, then axes, then defines  */
    int     numbered;                  /* 1 + the column of a key whose stand_in is the number of the run, 0: none  */
    const struct sw_scope *scope;      /* the names by which an expression knows columns; its rest is empty */
    const char *const *column;         /* [ncolumn] names; a key by its full path "time.dt", others by name */
    const struct sw_grid_columns *grid_columns;  /* NULL: they are looked up by name, for each run            */
    int     nfunction;
    const struct sw_function *function;
    int nchoice;
    const struct sw_choice *choice;    /* the words of these runs                                           */
    int nunknown;                      /* 0: the config does not name them                                  */
    const char *const *unknown;        /* [nunknown] their names                                            */
    const void *prepared;              /* what sw_problem.prepare() made; NULL: nothing, or the config is wrong */
};

/** The word of a WORD, SWITCH or TEXT key of the problem, NULL if it has no such key. */
const char *sw_setup_word(const struct sw_setup *setup, const char *key);

/** Whether such a key of the problem has this word. */
bool sw_setup_chosen(const struct sw_setup *setup, const char *key, const char *word);

/** A function key, or its program; NULL if the config has none. */
const struct sw_function *sw_setup_find(const struct sw_setup *setup, const char *key);
const struct sw_program *sw_setup_function(const struct sw_setup *setup, const char *key);

/** That of one unknown, of a key that has one for each. */
const struct sw_function *sw_setup_find_of(const struct sw_setup *setup, const char *key, int unknown);

/** The column of a number key, by its path: -1 if the problem has no such key. */
int sw_setup_column(const struct sw_setup *setup, const char *path);

/** What is said where a device lacks something that the runs ask for, whose config names no row: the CPU may have it.
 * @param st  passed on, with "use --device cpu" at the end of the message where it is SW_E_ABSENT, and the message not
 *            one of sw_row_pick(), which says what the CPU does */
enum sw_status sw_setup_suggest_cpu(const struct sw_setup *setup, const struct sw_device *device, enum sw_status st);

struct sw_grid_columns sw_setup_grid_columns(const struct sw_setup *setup);

/** Whether each run takes steps of its own (time.tolerance). */
bool sw_setup_own_steps(const struct sw_setup *setup);

/** The grid of run j; where runs take steps of their own, its dt is 1. @param column  [ncolumn][count] */
struct sw_grid sw_setup_grid(const struct sw_setup *setup, int64_t count, const double *column, int64_t j);

/* Where the state of a batch lies on a device with memory of its own, in double precision: the number of run j, unknown
 * v and point i is field[j*run + v*unknown + i*point]. */
struct sw_device_state {
    const double    *field;
    size_t           point, unknown, run;  /* unknown may be 0 where there is but one */
    const long long *first_bad;         /* [count] -1: the run is finite so far; else its field says nothing */
};

/* One batch being simulated. The operations are those of problem/line/stepper/sw_stepper.h, which documents them, in
 * the terms of any problem; a problem without time has one step, from which it cannot go on: nothing of it is a state.
 * Those marked "optional" may be NULL, and are called as sw_sim_*() below, which know what that means. */
struct sw_sim {
    const struct sw_sim_ops *ops;
};
struct sw_sim_ops {
    const char *(*solver_name)(const struct sw_sim *sim);                   /* the rows chosen                      */
    size_t      (*state_size)(const struct sw_sim *sim);                    /* optional: doubles a run              */
    enum sw_status (*load)(struct sw_sim *sim, int count, const double *column /* [ncolumn][count] */,
                           const char **load_error /* out [count] */);
    enum sw_status (*initial)(struct sw_sim *sim);                          /* optional                             */
    enum sw_status (*set_state)(struct sw_sim *sim, const double *state);   /* optional: [count][state_size]        */
    /** Begin at step 0 with the field of each run, in place of initial(). NULL: set_state() does.
     * @param field  [count][unknowns][points] */
    enum sw_status (*begin)(struct sw_sim *sim, const double *field);
    enum sw_status (*get_state)(struct sw_sim *sim, double *state);         /* optional                             */
    /** Optional: of some runs. @param which  [count]  @param state  out: [count][state_size] */
    enum sw_status (*get_states)(struct sw_sim *sim, int count, const int *which, double *state);
    /** Optional: the state where kernels that are queued behind the steps can read it, until the next call.
     * @return false: it is not on a device, or not like this */
    bool        (*device_state)(const struct sw_sim *sim, struct sw_device_state *state);
    /** A cut run takes 1 + helpers + remote->count steps at once, or fewer. Where a remote helper fails, its step and
     * those behind it are not taken. */
    enum sw_status (*advance)(struct sw_sim *sim, int64_t from, int64_t to);
    enum sw_status (*snapshot)(struct sw_sim *sim, int slot, int what);      /* optional: fetch() needs none         */
    enum sw_status (*fetch)(struct sw_sim *sim, int slot, const void **field, const double **scalars);
    enum sw_status (*diverged)(struct sw_sim *sim, int64_t *step);
    /** Of a run that is cut (setup->cut), after advance(): points first .. first + count - 1 of its field, piece k of
     * what the last steps have made, are what snapshot() and fetch() give next. They follow those of piece k - 1. NULL:
     * runs are never cut; then help() and help_piece() are as well.
     * @param count  out; 0: there is no piece k */
    enum sw_status (*piece)(struct sw_sim *sim, int k, int64_t *first, int64_t *count);
    /** On the side of a remote helper, after load() of the run: take a step for it, and give piece k of the field that
     * it has made.
     * @param piece  out: stays until the next call */
    enum sw_status (*help)(struct sw_sim *sim, const double asked[SW_HELP_ASKED], double answered[SW_HELP_ANSWERED]);
    enum sw_status (*help_piece)(struct sw_sim *sim, int k, const void **piece);
    /** By how much the solves of a step may be off in any run loaded, together and by rounding alone, relative to the
     * largest number of its state. NULL: it is not bounded */
    double      (*rounding)(const struct sw_sim *sim);
    /** Norms against `exact` of all runs, or against what the problem itself knows to be exact; NULL: they are taken
     * from get_state(). @param norms  out [count] */
    enum sw_status (*norms)(struct sw_sim *sim, struct sw_norms *norms);
    /** How well all runs fulfil their equations. NULL where the problem has no `residuals`. @param residual  out
     * [count] */
    enum sw_status (*residuals)(struct sw_sim *sim, struct sw_residuals *residual);
    /** Where setup->history asks for it: the residual that each run reported after its iterations, as of residuals().
     * Optional but for a problem that `iterates`.
     * @param history  out [count][1 + setup->history]: [0] = 1, before the first; NaN behind the last, and in runs that
     *                 could not begin */
    enum sw_status (*history)(struct sw_sim *sim, double *history);
    /** What is not finite in run j that diverged() named; NULL: its state. */
    void        (*explain)(const struct sw_sim *sim, int j, char text[160]);
    /** Optional: where run j, which diverged() named at a step behind the first, failed. @return false: not known */
    bool        (*place)(const struct sw_sim *sim, int j, struct sw_failure_place *place);
    /** Optional, all or none. What a run records of its way beside its state, [count][diagnostics]: a checkpoint keeps
     * it. initial() and set_state() begin a new one. */
    int            diagnostics;
    enum sw_status (*get_diagnostics)(struct sw_sim *sim, double *record);
    enum sw_status (*set_diagnostics)(struct sw_sim *sim, const double *record);
    /** What run j's record gives cause to say of it at its end, "" if nothing. finite: to its last step. */
    void        (*warn_result)(const struct sw_sim *sim, int j, const double *record, bool finite, char text[160]);
    /** What a record says of the steps of a run; NULL unless runs take steps of their own. */
    struct sw_steps_taken (*steps_taken)(const struct sw_sim *sim, const double *record);
    /** Of advancing by so many steps at once; NULL where `sweep bench` does not time the problem's runs. */
    struct sw_cost (*cost)(const struct sw_sim *sim, int64_t steps);
    void           (*destroy)(struct sw_sim *sim);
};

/* Without the operation: a state of no numbers, which is there from the beginning; a snapshot that is always there. */
size_t         sw_sim_state_size(const struct sw_sim *sim);
enum sw_status sw_sim_initial(struct sw_sim *sim);
enum sw_status sw_sim_set_state(struct sw_sim *sim, const double *state);
enum sw_status sw_sim_begin(struct sw_sim *sim, const double *field);
enum sw_status sw_sim_get_state(struct sw_sim *sim, double *state);
/** @param all  runs that are loaded  @return also SW_E_MEMORY */
enum sw_status sw_sim_get_states(struct sw_sim *sim, int all, int count, const int *which, double *state);
enum sw_status sw_sim_snapshot(struct sw_sim *sim, int slot, int what);

struct sw_problem;

/* Something that `sweep check` and a run may say about one run, before it is computed and about its result. */
struct sw_run_warning {
    /** "" if there is nothing to say. The setup counts for its columns, functions, choices and precision only.
     * @param column  [ncolumn][ld], of which run j
     * @param state   that of the run at its end (sw_sim_get_state()); NULL before it is computed
     * @param text    out  @return SW_E_MEMORY */
    enum sw_status (*warn)(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                           const double *column, int64_t j, const double *state, char text[200]);
    bool of_result;                     /* it is about the result, and stored with a run that ends well */
    /** Whether every run with these words is asked about before it is computed: else few are, here and about their
     * results. NULL: no. */
    bool (*of_all)(const struct sw_setup *setup);
};

struct sw_problem {
    const char *name;                   /* "cahn_hilliard"                                             */
    const char *title;                  /* "Cahn-Hilliard equation"                                    */
    const char *equation;               /* "u_t = D (u^3 - u - gamma u_xx)_xx + forcing"               */
    const char *example;                /* the config `sweep init` prints                              */
    const struct sw_key      *keys;     /* its own keys; ends with path NULL                           */
    const struct sw_quantity *fields;   /* end with name NULL                                          */
    const struct sw_quantity *scalars;  /* NULL: none                                                  */
    int         min_points;             /* the stencil's width, in each dimension                      */
    int         max_dim;               /* it may have 1 .. max_dim dimensions; 0 counts as 1. More than one: its
                                           keys hold SW_GRID_KEYS (problem/grid_keys.h)                 */
    bool        timed;                  /* has time.dt and time.end                                    */
    bool        numbered;               /* its points are i = 1 .. n on a line, without a length: expressions and files
                                           call the coordinate i in place of x                         */
    bool        derives_exact;          /* knows its exact result without a key `exact`                */
    bool        interior;               /* its norms have `interior`                                   */
    bool        residuals;              /* it solves equations: sim->ops->residuals() says how well    */
    bool        iterates;               /* and does so by iterations, at most as many as its key `iterations` says,
                                           also of runs that fail; without backward and forward errors */
    const void *model;                  /* what `create` needs to know of this kind                    */

    /** The fields of runs with these words on a grid of this dimension; the setup counts for its choices and dim only.
     * NULL: `fields`. Runs of one shape have the same: a key on which it depends is `common`. */
    const struct sw_quantity *(*fields_of)(const struct sw_setup *setup);

    /** Compile the functions that the problem compiles, once for all runs. The setup counts for its columns, functions
     * and unknowns only. NULL: it compiles none.
     * @param prepared  out: setup->prepared from now on, which any thread may read; free with release()
     * @param function  out: which of the setup's is wrong; -1: the names of the unknowns
     * @param err       filled on SW_E_CONFIG
     * @return SW_E_CONFIG; SW_E_MEMORY */
    enum sw_status (*prepare)(const struct sw_problem *problem, const struct sw_setup *setup, void **prepared,
                              int *function, struct sw_expr_error *err);
    void           (*release)(void *prepared);  /* NULL is fine */
    /** Look at the numbers of some of the runs, once at each, by several threads at once; then, where all runs have
     * been looked at and nothing is wrong, settle what depends on them. Both or none. It may not change the numbers of
     * a run: those do not depend on which others there are.
     * @param column  [ncolumn][ld], count <= ld  @return SW_E_MEMORY */
    void           (*survey)(const struct sw_setup *setup, void *prepared, int count, int64_t ld, const double *column);
    enum sw_status (*settle)(const struct sw_setup *setup, void *prepared);

    /** How the texts of these runs were understood, for `sweep check`: lines "label    what", labels up to 8 characters
     * wide, the next lines of one indented by 9. The setup counts for its choices, functions, dim and prepare() only.
     * NULL: there is nothing to say. @return SW_E_MEMORY */
    enum sw_status (*describe)(const struct sw_problem *problem, const struct sw_setup *setup, struct sw_text *text);

    /** Whether the grid has walls at the ends of dimension d, which both are points then. The setup counts for its
     * choices and functions only. NULL: no. */
    bool (*walls)(const struct sw_setup *setup, int d);

    /** Whether the far end of the grid, which has walls then, is a point beside the grid.n that the config asks for:
     * the group of such runs has n[0] = grid.n + 1. The setup counts for its functions only. NULL: no. */
    bool (*extra_point)(const struct sw_setup *setup);

    /** Where the points of run j are, of a problem that has no grid.length. NULL: between grid.x0 and there.
     * @param column  [ncolumn][count]  @param grid  in: points numbered from 1; out: x0, dx, ddx */
    void (*grid)(const struct sw_setup *setup, int64_t count, const double *column, int64_t j, struct sw_grid *grid);

    /** The orders of the method in time and in space. The setup counts for its choices and functions only. NULL: they
     * are not known. @param order  in: what is taken where they are not known; out: [0] time, [1] space */
    void           (*orders)(const struct sw_problem *problem, const struct sw_setup *setup, int order[2]);
    /** Device memory a batch takes: a constant part and a part a run. */
    enum sw_status (*bytes)(const struct sw_problem *problem, const struct sw_setup *setup,
                            const struct sw_device *device, size_t *fixed, size_t *per_run);
    /** How large setup->cut may be for runs whose arrays do not fit the memory; bytes() and host_bytes() count what a
     * cut run takes. Such a batch has one run. NULL: 0. */
    int            (*deepest_cut)(const struct sw_setup *setup, const struct sw_device *device);
    /** The row that computes a cut run on a device: the slices of another row are others, and a checkpoint is of
     * slices. NULL where there is none, and where deepest_cut is NULL. */
    const char    *(*row_of_slices)(const struct sw_setup *setup, const struct sw_device *device);
    /** Host memory that the work takes where the device has its own, however many runs a batch has; beside checkpoints
     * and snapshots, which are counted for all problems. NULL: none. */
    size_t         (*host_bytes)(const struct sw_setup *setup);
    /** @return SW_E_CONFIG no such solver; SW_E_ABSENT not here; SW_E_ARG; SW_E_MEMORY; SW_E_CUDA */
    enum sw_status (*create)(const struct sw_problem *problem, const struct sw_setup *setup, struct sw_device *device,
                             struct sw_sim **sim);
    /** Find a run for which the precision of its steps is too coarse. The setup counts for its columns and
     * single_steps only: runs of different n may stand side by side. NULL: it never is.
     * @param solver  [count] as the config names them, "auto" where it names none
     * @param column  [ncolumn][ld], count <= ld
     * @param first   out: the first such run, -1: there is none
     * @param key     out, if there is one: the path of the key to blame: run.precision, stepper or time.dt
     * @param why     out, if there is one: its numbers, for a message; room for 160 characters */
    enum sw_status (*check_precision)(const struct sw_problem *problem, const struct sw_setup *setup,
                                      const char *const *solver, int count, int ld, const double *column, int *first,
                                      const char **key, char why[160]);
    /** Why a run cannot be computed with a solver ("auto", or as named in the config), whatever the device: the path of
     * the key that is to blame, NULL where it can. The setup counts for its columns, functions and choices only. NULL:
     * any run can.
     * @param column  [ncolumn][ld], of which run j
     * @param why     out, unless it returns NULL: room for 160 characters */
    const char *(*validate_run)(const struct sw_setup *setup, const char *solver, int ld, const double *column, int j,
                                char why[160]);
    /** grid.n where a config leaves it out: of files that it names. The setup counts for its choices only; one that is
     * an axis is still "$axis". NULL: it is always given.
     * @param n    out: 0: nothing says it
     * @param key  out, where nothing does: the key that is to blame, NULL: grid.n is just missing
     * @param why  out, with key: room for 160 characters
     * @return SW_E_MEMORY */
    enum sw_status (*points)(const struct sw_setup *setup, int64_t *n, const char **key, char why[160]);
    /** What decides the numbers of runs with these words beside the config, the content of files: a digest that goes
     * into their ids. The setup counts for its choices and unknowns only. NULL: nothing does.
     * @param any  out: whether there is something
     * @param key  out, where it fails: the key that names what cannot be read, or NULL
     * @return SW_E_IO; SW_E_MEMORY */
    enum sw_status (*content)(const struct sw_setup *setup, bool *any, unsigned char digest[32], const char **key);
    /** The time step of a run whose config gives time.cfl instead of time.dt: time.end over a whole number. Such a
     * problem has a row for time.cfl (0: not given), and one of its own for time.dt (may be left out). The setup counts
     * for its columns, functions and choices only. NULL: time.dt is always given.
     * @param column  [ncolumn][ld], of which run j; that of time.dt is not to be looked at
     * @param step    out
     * @return SW_E_MEMORY */
    enum sw_status (*step)(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j, double *step);
    /** The names that a solver may have in a config, one after another, NULL after the last. What follows a '+' is the
     * solver's own. */
    const char *(*solver)(int k);
    /** Something `sweep check` should say about the accuracy of this set-up, "" if nothing. text has room for 200
     * characters. May be NULL. */
    void           (*warn_setup)(const struct sw_problem *problem, const struct sw_setup *setup, char text[200]);
    /** A number key that changes nothing of runs with these words, unless expressions name it. The setup counts for its
     * choices and dim only. NULL: there is none; the same says the function.
     * @param why  out, unless it returns NULL: room for 160 characters */
    const char    *(*idle_key)(const struct sw_setup *setup, char why[160]);
    const struct sw_run_warning *warn_run;  /* ends with warn NULL; NULL: there are none */
    /** Name a text of the config that gives run j a number which is not finite: 'left.dirichlet = "1/t" is inf at
     * t = 0'; "" if none is known to (problem/given.h). The setup counts as for sw_run_warning.warn(). NULL: not known.
     * @param span  [2] from the beginning to the end of a step in which the run failed: numbers that are as good as
     *              infinite are named, too; NULL: the run before it begins, at a sample of its times
     * @return SW_E_MEMORY */
    enum sw_status (*name_given)(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                 const double *column, int64_t j, const double *span, char text[200]);
    /** Likewise what of the right-hand side of run j is not finite of its initial value, as log(u) is; "" if all is.
     * NULL: not known. */
    enum sw_status (*name_first)(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                 const double *column, int64_t j, char text[200]);
    /** What to change in a run that diverged, "" if nothing is known; as sw_run_warning.warn(). May be NULL. */
    enum sw_status (*advise)(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                             const double *column, int64_t j, char text[200]);
    /** Compile what this set-up would compile at run time (for sm_xx), so that `sweep check` sees its errors. May be
     * NULL. */
    enum sw_status (*try_compile)(const struct sw_problem *problem, const struct sw_setup *setup, int sm);
};

extern const struct sw_problem *const sw_problem_table[];  /* ends with NULL */

/** NULL if there is no such problem. */
const struct sw_problem *sw_problem_find(const char *name);
#endif
