#ifndef SW_SETUP_H
#define SW_SETUP_H
/* What all runs of a batch have in common: their grid, the numbers that each has (columns), the expressions and words
 * of the config, and what is asked of the simulation. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sw_status.h"
#include "field/grid.h"
#include "problem/device/paces_point.h"

struct sw_comm;
struct sw_device;
struct sw_expr;
struct sw_expr_error;
struct sw_program;
struct sw_remote_helpers;
struct sw_scope;

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

enum { SW_CUT_MOST = 24 };      /* setup->cut */

/* Runs of a batch that take other numbers of steps than each other go from goal to goal side by side: a goal is an
 * output, or the end, which all of them have in the same order. advance() then counts ticks: at tick k SW_TICKS + i a
 * run has taken i/SW_TICKS of its steps from goal k to goal k + 1, rounded down. A pace is which steps these are. */
struct sw_paces {
    int      count;
    int64_t  goals;                    /* after 0                                                           */
    int64_t *steps;                    /* [count] time.end/time.dt of its runs, ascending: which pace a run has */
    long long *at;                     /* [count][goals + 1] the step at each goal; it does not fall         */
};

/** The pace of a run with so many steps; the runs of a batch have one. */
static inline int sw_paces_find(const struct sw_paces *p, double steps)
{
    int low = 0, high = p->count - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if ((double)p->steps[middle] < steps) low = middle + 1;
        else high = middle;
    }
    return low;
}

/** The step at which runs of a pace are at a tick. @param p  NULL: all take the same steps, and a tick is one */
static inline int64_t sw_pace_step(const struct sw_paces *p, int pace, int64_t tick)
{
    if (!p) return tick;
    return sw_step_at_tick(p->at + pace * (p->goals + 1), tick);
}

/* The columns of what sw_setup_grid() looks at; -1: none. */
struct sw_grid_columns { int tolerance, dt, x0[SW_DIMS], length[SW_DIMS]; };

/* Domain decomposition: the grid of each run is cut over the ranks of a communicator. */
struct sw_decomposition {
    const struct sw_comm *all;             /* the ranks that compute each run together, on the host; NULL: one does,
                                              and the rest is not to be looked at                             */
    const struct sw_comm *along[SW_DIMS];  /* those that share the lines along an axis, in the order of their points; in
                                              the memory of the device. NULL: its lines are not cut           */
    const struct sw_comm *same_planes;     /* of pencils: those that have the same planes along z, on the host; NULL:
                                              the grid is cut along one axis, into slabs                      */
    int     ranks[SW_DIMS];                /* over how many each axis is cut; those along x are numbered first, then
                                              those along y                                                   */
    int64_t whole[SW_DIMS];                /* points of the whole grid                                        */
    int64_t first[SW_DIMS];                /* which of them is the first of this rank                         */
};

/* What all runs of a batch have in common. Everything is borrowed. */
struct sw_setup {
    const struct sw_problem *problem;
    int     dim;                       /* dimensions of the grid, 1 .. SW_DIMS                              */
    int64_t n[SW_DIMS];                /* points along x, y, z; 1 in a dimension that it does not have. Not the
                                          column grid.n where the problem has other points (sw_problem_shape.points).
                                          Of a grid that is cut: the points of this rank                    */
    struct sw_decomposition domain;    /* how it is cut over ranks                                            */
    const struct sw_setup *slab;       /* of whole grids that are cut over ranks: that of the slab of which this rank
                                          has states; else NULL                                             */
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
    const struct sw_paces *paces;      /* NULL: all runs take the same steps, which advance() counts        */
    bool    fields;                    /* fields are saved at all                                           */
    bool    single;                    /* in single precision                                               */
    bool    single_steps;              /* and computed in it                                                */
    bool    refined;                   /* steps are to be off by little more than the rounding of their results, at any
                                          cost: for comparisons. Solvers that cannot do so take no notice   */
    int     history;                   /* iterations of a run to record, at most; 0: none                   */
    bool  (*give_up)(void *user);      /* asked now and then, maybe by several threads at once, by a problem whose
                                          steps take long: whether to give up the batch, and have load() or
                                          advance() return SW_E_STOPPED; where the grid is cut on all ranks, if
                                           on one. NULL: never                                                  */
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
    const void *prepared;              /* what sw_problem_texts.prepare() made; NULL: nothing, or it failed */
};

/** The word of a WORD, SWITCH or TEXT key of the problem, NULL if it has no such key. */
const char *sw_setup_word(const struct sw_setup *setup, const char *key);

/** Whether such a key of the problem has this word. */
bool sw_setup_chosen(const struct sw_setup *setup, const char *key, const char *word);

/** A function key, or its program; NULL if the config has none. */
const struct sw_function *sw_setup_find(const struct sw_setup *setup, const char *key);
const struct sw_program *sw_setup_function(const struct sw_setup *setup, const char *key);

/** Whether steps draw random numbers: by the keys of noise, or in another text than the initial values. */
bool sw_setup_is_noisy(const struct sw_setup *setup);

/** Whether it is left out, or 0 wherever it is asked. */
bool sw_function_is_0(const struct sw_function *function);

/** That of one unknown, of a key that has one for each. */
const struct sw_function *sw_setup_find_of(const struct sw_setup *setup, const char *key, int unknown);

/** Compile what depends on the coordinates, the time, and the numbers that the config names.
 * @param err  filled on SW_E_CONFIG  @return as sw_program_compile() */
enum sw_status sw_setup_compile(const struct sw_setup *setup, const struct sw_expr *expr, struct sw_program **program,
                                struct sw_expr_error *err);

/** The column of a number key, by its path: -1 if the problem has no such key. */
int sw_setup_column(const struct sw_setup *setup, const char *path);

/** Its number in run j. @param column  [ncolumn][ld]  @return 0: there is no such column */
double sw_setup_number(const struct sw_setup *setup, const char *path, int64_t ld, const double *column, int64_t j);

/** How many unknowns there are, and the name of one: u where the config does not name them. */
static inline int sw_setup_unknowns(const struct sw_setup *setup) { return setup->nunknown ? setup->nunknown : 1; }
static inline const char *sw_setup_unknown(const struct sw_setup *setup, int v)
{
    return setup->nunknown ? setup->unknown[v] : "u";
}

/** What is said where a device lacks something that the runs ask for, whose config names no row: the CPU may have it.
 * @param st  passed on, with "use --device cpu" at the end of the message where it is SW_E_ABSENT, and the message not
 *            one of sw_row_pick(), which says what the CPU does */
enum sw_status sw_setup_suggest_cpu(const struct sw_setup *setup, const struct sw_device *device, enum sw_status st);

/** Points of the whole grid along an axis, and which of them is the first of this set-up. */
static inline int64_t sw_setup_whole(const struct sw_setup *setup, int d)
{
    return setup->domain.all ? setup->domain.whole[d] : setup->n[d];
}
static inline int64_t sw_setup_first(const struct sw_setup *setup, int d)
{
    return setup->domain.all ? setup->domain.first[d] : 0;
}

/** Point `at` of this set-up, which is cut, as one of the whole grid. */
static inline int64_t sw_setup_number_in_whole(const struct sw_setup *setup, int64_t at)
{
    const struct sw_decomposition *cut = &setup->domain;
    int64_t whole = 0, stride = 1;
    for (int d = 0; d < SW_DIMS; stride *= cut->whole[d], at /= setup->n[d], d++)
        whole += (cut->first[d] + at % setup->n[d]) * stride;
    return whole;
}

struct sw_grid_columns sw_setup_grid_columns(const struct sw_setup *setup);

/** Whether each run takes steps of its own (time.tolerance). */
bool sw_setup_own_steps(const struct sw_setup *setup);

/** The pace of a run; 0: the set-up has none. @param column  [ncolumn][count] */
int sw_setup_pace(const struct sw_setup *setup, int count, const double *column, int j);

/** The grid of run j; where runs take steps of their own, its dt is 1. @param column  [ncolumn][count] */
struct sw_grid sw_setup_grid(const struct sw_setup *setup, int64_t count, const double *column, int64_t j);

/** The axis across which a grid is cut into slabs: the last one that has more than one point, so that a slab is one
 * piece of memory; y where columns along z stay whole (sw_problem_shape). */
int sw_cut_axis(bool columns, const int64_t n[SW_DIMS]);
/** Where slab `rank` begins, of n points that are cut evenly; that of rank `ranks` is n. */
int64_t sw_slab_begin(int64_t n, int ranks, int rank);
/** Give a set-up of the whole grid the part of a rank.
 * @param ranks, all, along  as in sw_decomposition */
void sw_setup_cut(const int ranks[SW_DIMS], int rank, const struct sw_comm *all,
                  const struct sw_comm *const along[SW_DIMS], struct sw_setup *setup);
#endif
