#ifndef SW_PROBLEM_H
#define SW_PROBLEM_H
/* A kind of problem: its config keys, what it computes and measures, and how a batch of its runs is simulated.
 * One file a kind, one row in problem_table.c. A kind is a core, and those capabilities that it has: each is a struct
 * of its own, and NULL where the kind has nothing of it. */
#include <stdbool.h>
#include <stdint.h>

#include "base/sw_status.h"
#include "problem/sw_key.h"
#include "problem/sw_setup.h"
#include "problem/sw_sim.h"

struct sw_beyond_ops;
struct sw_expr_error;
struct sw_problem;

struct sw_quantity {       /* something that is written out */
    const char *name;      /* dataset name, "u"             */
    const char *unit;      /* "1"                           */
    const char *long_name; /* "order parameter"             */
};

/** Whether a list, which may be NULL, has a quantity of this name. */
bool sw_quantity_listed(const struct sw_quantity *quantity, const char *name);

/** The number of quantities of a list; NULL: none. */
static inline int sw_quantity_count(const struct sw_quantity *quantity)
{
    int count = 0;
    while (quantity && quantity[count].name) count++;
    return count;
}

/* Memory that a batch takes on a device: a constant part and a part a run; and on the host, where the device has its
 * own, however many runs there are: beside checkpoints and snapshots, which are counted for all problems. */
struct sw_batch_bytes { size_t fixed, per_run, fixed_on_host; };

/* The grids of a kind, and its fields on them. */
struct sw_problem_shape {
    int         min_points;             /* the stencil's width, in each dimension                      */
    int         max_dim;                /* it may have 1 .. max_dim dimensions; 0 counts as 1. More than one: its
                                           keys hold SW_GRID_KEYS (problem/grid_keys.h)                 */
    const struct sw_problem *in_fields; /* of lines: what takes the configs of the same name whose grid is a list of
                                           two or three, or has a grid.dim; NULL: nothing does          */
    bool        numbered;               /* its points are i = 1 .. n on a line, without a length: expressions and files
                                           call the coordinate i in place of x                         */
    bool        decomposes;             /* its grids may be cut over ranks (struct sw_decomposition)   */
    bool        columns;                /* where they are, lines along z are whole: slabs lie along y, not along the
                                           last axis                                                   */
    /** Whether the solver that the config names, or any, computes slabs on such a device. The setup counts for its
     * shape, choices and solver. NULL: yes, as of whole grids.
     * @param ranks  slabs
     * @param worse  out: another solver does, as the best one of whole grids does not */
    bool (*cuts)(const struct sw_setup *setup, const struct sw_device *device, int ranks, bool *worse);
    /** Whether the grid has walls at the ends of dimension d, which both are points then. The setup counts for its
     * choices and functions only. NULL: no. */
    bool (*walls)(const struct sw_setup *setup, int d);
    /** The points of a grid where they are not the numbers grid.n that the config asks for: the far end of a grid with
     * walls may be a point beside these, and a grid may have several panels of so many cells. The setup counts for its
     * functions and choices only; one point more than grid.n along x depends on functions only. NULL: they are grid.n.
     * @param n  in: grid.n; out: of the group of such runs */
    void (*points)(const struct sw_setup *setup, int64_t n[SW_DIMS]);
    /** Where the points of run j are, of a problem that has no grid.length. NULL: between grid.x0 and there.
     * @param column  [ncolumn][count]  @param grid  in: points numbered from 1; out: x0, dx, ddx */
    void (*place)(const struct sw_setup *setup, int64_t count, const double *column, int64_t j, struct sw_grid *grid);
    /** The fields of runs with these words on a grid of this dimension; the setup counts for its choices and dim only.
     * NULL: `fields`. Runs of one shape have the same: a key on which it depends is `common`. */
    const struct sw_quantity *(*fields_of)(const struct sw_setup *setup);
    /** What lies beyond the walls of fields, for the differences in scalars; the context is a setup. NULL: that is not
     * known. */
    const struct sw_beyond_ops *beyond;
};

/* Time: a kind without it computes one step, and has no keys time.*. */
struct sw_problem_time {
    /** The orders of the method in time and in space. The setup counts for its choices and functions only. NULL: they
     * are not known. @param order  in: what is taken where they are not known; out: [0] time, [1] space */
    void           (*orders)(const struct sw_setup *setup, int order[2]);
    /** The time step of a run whose config gives time.cfl instead of time.dt: time.end over a whole number. Such a
     * problem has a row for time.cfl (0: not given), and one of its own for time.dt (may be left out). The setup counts
     * for its columns, functions and choices only. NULL: time.dt is always given.
     * @param column  [ncolumn][ld], of which run j; that of time.dt is not to be looked at
     * @param step    out
     * @return SW_E_MEMORY */
    enum sw_status (*step)(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j, double *step);
    /** Find a run for which the precision of its steps is too coarse. The setup counts for its columns and
     * single_steps only: runs of different n may stand side by side. NULL: it never is.
     * @param solver  [count] as the config names them, "auto" where it names none
     * @param column  [ncolumn][ld], count <= ld
     * @param first   out: the first such run, -1: there is none
     * @param key     out, if there is one: the path of the key to blame: run.precision, stepper or time.dt
     * @param why     out, if there is one: its numbers, for a message */
    enum sw_status (*check_precision)(const struct sw_setup *setup, const char *const *solver, int count, int ld,
                                      const double *column, int *first, const char **key, struct sw_text *why);
    /** Whether what the device does the runs of a set-up with takes setup->paces. NULL: nothing does. */
    bool           (*takes_paces)(const struct sw_setup *setup, const struct sw_device *device);
};

/* Texts of a config that the kind compiles, once for all runs. */
struct sw_problem_texts {
    /** Compile them. The setup counts for its columns, functions and unknowns only.
     * @param prepared  out: setup->prepared from now on, which any thread may read; free with release()
     * @param function  out: which of the setup's is wrong; -1: the names of the unknowns
     * @param err       filled on SW_E_CONFIG
     * @return SW_E_CONFIG; SW_E_MEMORY */
    enum sw_status (*prepare)(const struct sw_setup *setup, void **prepared, int *function, struct sw_expr_error *err);
    void           (*release)(void *prepared);  /* NULL is fine */
    /** Look at the numbers of some of the runs, once at each, by several threads at once; then, where all runs have
     * been looked at and nothing is wrong, finalize what depends on them. It may not change the numbers of a run: those
     * do not depend on which others there are. Both may be NULL.
     * @param column  [ncolumn][ld], count <= ld  @return SW_E_MEMORY */
    void           (*scan_runs)(const struct sw_setup *setup, void *prepared, int count, int64_t ld,
                                const double *column);
    enum sw_status (*finalize)(const struct sw_setup *setup, void *prepared);
};

/* Runs that are computed in slices where their arrays do not fit the memory. */
struct sw_problem_cuts {
    /** How large setup->cut may be for runs whose arrays do not fit the memory; bytes() counts what a cut run takes.
     * Such a batch has one run. */
    int            (*deepest_cut)(const struct sw_setup *setup, const struct sw_device *device);
    /** The row that computes a cut run on a device: the slices of another row are others, and a checkpoint is of
     * slices. @return NULL: there is none */
    const char    *(*row_of_slices)(const struct sw_setup *setup, const struct sw_device *device);
};

/* Files that a config names, whose content runs depend on. */
struct sw_problem_files {
    /** grid.n where a config leaves it out: of files that it names. The setup counts for its choices only; one that is
     * an axis is still "$axis". NULL: it is always given.
     * @param n    out: 0: nothing says it
     * @param key  out, where nothing does: the key that is to blame, NULL: grid.n is just missing
     * @param why  out, with key
     * @return SW_E_MEMORY */
    enum sw_status (*points)(const struct sw_setup *setup, int64_t *n, const char **key, struct sw_text *why);
    /** What decides the numbers of runs with these words beside the config, the content of files: a digest that goes
     * into their ids. The setup counts for its choices and unknowns only. NULL: nothing does.
     * @param any  out: whether there is something
     * @param key  out, where it fails: the key that names what cannot be read, or NULL
     * @return SW_E_IO; SW_E_MEMORY */
    enum sw_status (*content)(const struct sw_setup *setup, bool *any, unsigned char digest[32], const char **key);
};

/* What is measured of results beside a field against the key `exact`: an exact result that the kind knows without that
 * key; norms with `interior`; how well equations are solved (sim->ops->residuals), and that by iterations, at most as
 * many as its key `iterations` says, also of runs that fail, without backward and forward errors; runs that fail for
 * how badly their equations are solved, which is measured of them, too. */
enum { SW_DERIVES_EXACT = 1, SW_HAS_INTERIOR = 2, SW_SOLVES_EQUATIONS = 4, SW_ITERATES = 8, SW_JUDGES_RESIDUALS = 16 };

/* Something that `sweep check` and a run may say about one run, before it is computed and about its result. */
struct sw_run_warning {
    /** Write nothing if there is nothing to say. The setup counts for its columns, functions, choices and precision
     * only.
     * @param column  [ncolumn][ld], of which run j
     * @param state   that of the run at its end (sw_sim_get_state()); NULL before it is computed. Where the set-up has
     *                a slab, that of the slab: all ranks of it call
     * @param text    in: empty  @return SW_E_MEMORY */
    enum sw_status (*warn)(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                           const double *state, struct sw_text *text);
    bool of_result;                     /* it is about the result, and stored with a run that ends well */
    /** Whether every run with these words is asked about before it is computed: else few are, here and about their
     * results. NULL: no. */
    bool (*of_all)(const struct sw_setup *setup);
};

/* What is said of set-ups and runs. */
struct sw_problem_advice {
    /** How the texts of these runs were understood, for `sweep check`: lines "label    what", labels up to 8 characters
     * wide, the next lines of one indented by 9. The setup counts for its choices, functions, dim and prepare() only.
     * NULL: there is nothing to say. @return SW_E_MEMORY */
    enum sw_status (*describe)(const struct sw_setup *setup, struct sw_text *text);
    /** Something `sweep check` should say about the accuracy of this set-up, if anything.
     * @param text  in: empty. May be NULL. */
    void           (*warn_setup)(const struct sw_setup *setup, struct sw_text *text);
    /** A number key that changes nothing of runs with these words, unless expressions name it. The setup counts for its
     * choices and dim only. NULL: there is none; the same says the function.
     * @param why  out, unless it returns NULL */
    const char    *(*idle_key)(const struct sw_setup *setup, struct sw_text *why);
    const struct sw_run_warning *warn_run;  /* ends with warn NULL; NULL: there are none */
    /** Name a text of the config that gives run j a number which is not finite: 'left.dirichlet = "1/t" is inf at
     * t = 0'; nothing if none is known to (problem/nonfinite.h). The setup counts as for sw_run_warning.warn().
     * NULL: not known.
     * @param span  [2] from the beginning to the end of a step in which the run failed: numbers that are as good as
     *              infinite are named, too; NULL: the run before it begins, at a sample of its times
     * @param text  in: empty
     * @return SW_E_MEMORY */
    enum sw_status (*name_nonfinite)(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                     const double *span, struct sw_text *text);
    /** Likewise what of the right-hand side of run j is not finite of its initial value, as log(u) is; nothing if all
     * is. NULL: not known. */
    enum sw_status (*name_first)(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                 struct sw_text *text);
    /** What to change in a run that diverged, if that is known; as sw_run_warning.warn(). May be NULL. */
    enum sw_status (*advise)(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                             struct sw_text *text);
};

struct sw_problem {
    const char *name;                   /* "cahn_hilliard"                                             */
    const char *title;                  /* "Cahn-Hilliard equation"                                    */
    const char *equation;               /* "u_t = D (u^3 - u - gamma u_xx)_xx + forcing"               */
    const char *example;                /* the config `sweep init` prints                              */
    const struct sw_key      *keys;     /* its own keys; ends with path NULL                           */
    const struct sw_quantity *fields;   /* end with name NULL                                          */
    const struct sw_quantity *scalars;  /* NULL: none                                                  */
    unsigned    measures;               /* SW_DERIVES_EXACT | ... (above)                             */
    const void *model;                  /* what `create` needs to know of this kind                    */
    /** The names that a solver may have in a config, one after another, NULL after the last. What follows a '+' is the
     * solver's own. */
    const char *(*solver)(int k);
    /** Why a run cannot be computed with a solver ("auto", or as named in the config), whatever the device: the path of
     * the key that is to blame, NULL where it can. The setup counts for its columns, functions and choices only. NULL:
     * any run can.
     * @param column  [ncolumn][ld], of which run j
     * @param why     out, unless it returns NULL: sw_refuse() */
    const char *(*validate_run)(const struct sw_setup *setup, const char *solver, int ld, const double *column, int j,
                                struct sw_text *why);
    /** @param bytes  in: 0  @return as create() */
    enum sw_status (*bytes)(const struct sw_setup *setup, const struct sw_device *device, struct sw_batch_bytes *bytes);
    /** @return SW_E_CONFIG no such solver; SW_E_ABSENT not here; SW_E_ARG; SW_E_MEMORY; SW_E_CUDA */
    enum sw_status (*create)(const struct sw_setup *setup, struct sw_device *device, struct sw_sim **sim);

    const struct sw_problem_shape   *shape;     /* of every kind */
    const struct sw_problem_texts   *texts;
    const struct sw_problem_time    *time;
    const struct sw_problem_cuts    *cuts;
    const struct sw_problem_files   *files;
    const struct sw_problem_advice  *advice;
};

extern const struct sw_problem *const sw_problem_table[];  /* ends with NULL */

/** NULL if there is no such problem. */
const struct sw_problem *sw_problem_find(const char *name);

/** Write why a run is refused. @return key, that of the config which is to blame */
const char *sw_refuse(struct sw_text *why, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#endif
