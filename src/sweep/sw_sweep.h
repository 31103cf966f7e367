#ifndef SW_SWEEP_H
#define SW_SWEEP_H
/* A config, validated and expanded into runs. A run is one point of the parameter space: an index 0 .. nruns-1 and one
 * number in each column. Nothing is stored a run (a Latin hypercube: 4 bytes an axis): columns are computed on demand,
 * in blocks, so that a million runs cost little. */
#include <stdbool.h>
#include <stdint.h>

#include "base/sw_status.h"
#include "base/sw_report.h"
#include "expr/sw_expr.h"
#include "expr/sw_reduction.h"
#include "problem/sw_problem.h"
#include "sweep/sw_config.h"

enum sw_column_kind { SW_COLUMN_KEY, SW_COLUMN_AXIS, SW_COLUMN_DEFINE };

struct sw_column {
    const char         *name;   /* of a key its full path ("time.dt"); of an axis or define its name        */
    enum sw_column_kind kind;
    const char         *unit;   /* "1" for axes and defines                                                 */
    const struct sw_key *key;   /* of a key its row, else NULL                                              */
    int                 nword;  /* an axis of words: how many; the column then holds the word's number      */
    const char *const  *word;
    bool                uniform; /* the same for all runs                                                   */
    bool                given;  /* set by the user (else a default)                                         */
};

struct sw_axis {
    int     column;             /* which column it fills                                                    */
    int64_t count;              /* values                                                                   */
    bool    together;           /* its k-th value goes with the k-th of others: zip, drawn at random        */
};

/* How devices share the work: run.split. */
enum sw_split { SW_SPLIT_AUTO, SW_SPLIT_RUNS, SW_SPLIT_GRID };

struct sw_refine;

struct sw_sweep {
    const struct sw_problem *problem;
    const struct sw_config  *config;    /* borrowed; outlives the sweep                                     */
    const char *title;                  /* "" if none                                                       */
    const char *mode;                   /* "product", "zip", "random"                                       */
    int64_t     nruns;
    int         naxis;
    struct sw_axis    *axis;            /* the last one varies fastest                                       */
    const struct sw_refine *refine;     /* sw_refine.h; NULL: cells are not split                           */
    int64_t     rungs;                  /* of the ladder that an axis is, both ways; 1: none is              */
    int         ncolumn;
    struct sw_column  *column;          /* number keys, then axes, then defines                              */
    const char **column_name;           /* [ncolumn], the same names, for struct sw_setup                    */
    int         nfunction;
    struct sw_function *function;       /* FUNCTION keys that the config sets, "exact" among them             */
    int         nchoice;
    struct sw_choice   *choice;         /* WORD keys of the problem                                           */
    int         nunknown;               /* 0: the config does not name them                                   */
    const char *unknown[SW_UNKNOWNS_MOST];
    struct sw_quantity *scalar;         /* what the series hold: the problem's scalars, then those defined; ends with
                                           name NULL                                                          */
    int         nscalar, ndefined;      /* how many, and how many of them output.scalars.define has           */
    const struct sw_reduction **defined;  /* [ndefined]                                                       */
    char        id[13];                 /* of the set of run ids, 12 hexadecimal digits: by sw_sweep_ids() */
    char        config_sha256[65];      /* that of the config; where runs read files, with what is in them: likewise */

    /* output and run options, resolved */
    const char *file;                   /* output.file, or NAME.h5 beside the config's name in results/      */
    bool        single_fields;          /* output.fields.precision                                           */
    bool        single_steps;           /* run.precision                                                     */
    bool        chooses_step;           /* time.dt follows from time.cfl                                     */
    bool        own_steps;              /* each run takes steps of its own: time.tolerance, or no time.dt    */
    bool        adaptive;               /* time.dt is left out, or runs take steps of their own: keys have the defaults
                                           of sw_key.adaptive                                                */
    bool        stops;                  /* runs may end early: stop.steady, stop.when                         */
    const struct sw_reduction *stop_when;  /* NULL: the config has none                                       */
    const char *stop_when_text;
    bool        save_fields, save_scalars;
    bool        drop_fields, drop_scalars;  /* a file with all runs has their statistics alone: output.fields.keep  */
    bool        save_state;             /* output.state                                                      */
    const char *statistics;             /* sw_statistics.text; "": none asked for                              */
    int         history;                /* output.history: iterations to record, at most; 0: not asked for   */
    int64_t     accuracy;               /* accuracy.runs; -1: not given, a sample that costs little           */
    bool        xdmf;                   /* output.xdmf                                                       */
    const char *device;                 /* run.device                                                        */
    double      checkpoint_minutes;     /* run.checkpoint; -10: not given                                    */
    int64_t     batch;                  /* run.batch; 0: from the memory                                     */
    double      memory;                 /* run.memory, in bytes; 0: what is free                             */
    enum sw_split split;                /* run.split; RUNS where run.ranks_per_run is 1, GRID where it is more */
    bool        pencils;                /* GRID, and grids in three dimensions are cut along y and z          */
    int         ranks_per_run;          /* run.ranks_per_run; 0: not given                                   */
    struct sw_sweep_own *own;
};

/** Validate a config and expand it. Everything wrong goes into the report: unknown keys (with the nearest), wrong
 * types, ranges (with the first run that is outside), cycles, names, empty axes, times off the step grid, n below the
 * stencil, ...
 * @return SW_E_CONFIG the report has errors, from here or from before; SW_E_MEMORY */
enum sw_status sw_sweep_expand(const struct sw_config *config, struct sw_report *report, struct sw_sweep **sweep);

/** The same for results that are there: the files that runs read are not looked at, and the problem is not asked
 * whether it takes each run. Where grid.n is left to such a file it is 1. It has no ids where it has a file
 * (sw_sweep_file_key()). */
enum sw_status sw_sweep_outline(const struct sw_config *config, struct sw_report *report, struct sw_sweep **sweep);
void sw_sweep_destroy(struct sw_sweep **sweep);

/** The key of the problem that names a file which runs read.
 * @param path  only of this file, by whatever name; NULL: of any
 * @return its path, "source.file"; NULL: there is none */
const char *sw_sweep_file_key(const struct sw_sweep *sweep, const char *path);

/** Say of the last failure, that no row does the runs of a group, or not the one that they ask for, which line of the
 * config asks for it (sw_err_set_place()): that of the key which names the row, of the axis it is taken from, or where
 * none does of the problem. @return st */
enum sw_status sw_sweep_blame_row(const struct sw_sweep *sweep, enum sw_status st);

/** The numbers of some runs.
 * @param run    [count] indices; NULL: first, first+1, ...
 * @param out    [ncolumn][count]: column k of the j-th run at out[k*count + j] */
enum sw_status sw_sweep_columns(const struct sw_sweep *sweep, const int64_t *run, int64_t first, int64_t count,
                                double *out);

/** The ids of runs first .. first+count-1: hashes of all that decides their numbers (SHA-256, first 64 bits). With all
 * runs asked for at once, sets sweep->id as well. Uses all threads.
 * @return SW_E_CONFIG all were asked for, and two of them are the same run (named); SW_E_MEMORY */
enum sw_status sw_sweep_ids(struct sw_sweep *sweep, int64_t first, int64_t count, uint64_t *id);

/** The same of all that decides a run's numbers up to a time: without time.end, unless what moves the run names it. Two
 * runs with one such id are one run as far as the shorter of them goes. Does not set sweep->id.
 * @param id  out [sweep->nruns]  @return SW_E_MEMORY */
enum sw_status sw_sweep_ids_until(struct sw_sweep *sweep, uint64_t *id);

/** The same without the number of the run, too, where a key has it (noise.stream, initial.run).
 * @param id   out [sweep->nruns]  @param key  out: that key; NULL: none has  @return SW_E_MEMORY */
enum sw_status sw_sweep_ids_unnumbered(const struct sw_sweep *sweep, uint64_t *id, const struct sw_key **key);

/** Whether nothing but one number key uses an axis. Not if memory is out. */
bool sw_sweep_axis_serves(const struct sw_sweep *sweep, int axis, const char *key);

/** Of a sweep with a ladder: the rung of a run, from 0, of those that are there; the run whose end a run starts from,
 * -1: it has an initial value of its own; the run that starts from its end, -1: none; and the first run of its ladder.
 * Without one each is a ladder. */
int64_t sw_sweep_rung(const struct sw_sweep *sweep, int64_t run);
int64_t sw_sweep_below(const struct sw_sweep *sweep, int64_t run);
int64_t sw_sweep_above(const struct sw_sweep *sweep, int64_t run);
int64_t sw_sweep_ladder(const struct sw_sweep *sweep, int64_t run);
/** The axis that is a ladder. @param way  out: "up", "down", "both"  @return NULL: there is none */
const char *sw_sweep_ladder_axis(const struct sw_sweep *sweep, const char **way);

/** Whether parts keep the states in which runs have ended. */
static inline bool sw_sweep_keeps_states(const struct sw_sweep *sweep)
{
    return sweep->save_state || sweep->rungs > 1;
}

/** "a = 0.1, v = 2": the axes of one run, for messages. */
void sw_sweep_describe(const struct sw_sweep *sweep, int64_t run, char *text, int capacity);

/* Which runs are asked for now. */
struct sw_selection {
    const char *only;                   /* expression over names of a run, NULL: all; for --only            */
    int         shard, nshards;         /* shard 1 .. nshards; 0, 0: no sharding                            */
};
/** The chosen runs, ascending. @param run out; free with sw_free()
 *  @return SW_E_USAGE the expression is refused (message with caret); SW_E_MEMORY */
enum sw_status sw_sweep_select(const struct sw_sweep *sweep, const struct sw_selection *selection, int64_t **run,
                               int64_t *count);
/** The runs of all shards at once: of shard k = 0 .. nshards-1 they are run[first[k]] .. run[first[k+1] - 1],
 * ascending, as sw_sweep_select() gives them for shard k+1.
 * @param only  NULL: all  @param run, first  out; free with sw_free()  @return as sw_sweep_select() */
enum sw_status sw_sweep_shares(const struct sw_sweep *sweep, const char *only, int nshards, int64_t **run,
                               int64_t **first);

/* A few runs that stand for many, ascending. */
struct sw_representatives { int count; int64_t *run; };
/** Choose runs to look at more closely than at the rest: of those given the first with the least and with the largest
 * number of each column in which they differ, with each word of an axis, and in each corner of the first four axes of
 * numbers; others spread over all. Columns are computed twice, and not kept. The same runs give the same choice.
 * @param run   [count] ascending; NULL: 0 .. count-1
 * @param most  how many at most; all where there are not more
 * @param few   out; free with sw_representatives_free()  @return SW_E_MEMORY */
enum sw_status sw_representatives_choose(const struct sw_sweep *sweep, const int64_t *run, int64_t count, int most,
                                         struct sw_representatives *few);
bool sw_representatives_has(const struct sw_representatives *few, int64_t run);
void sw_representatives_free(struct sw_representatives *few);

enum { SW_SHAPE_NAME = 48 };
/** The name of the group of such grids in an output file: "n00064", "n00064x00032", "n00064x00032x00016". */
const char *sw_shape_name(int dim, const int64_t n[SW_DIMS], char name[SW_SHAPE_NAME]);

/* Runs of one shape: same n in each dimension, same steps between outputs, same row and words. The steps of outputs
 * ascend; step 0 is the initial state. With paces the steps are those of each run's pace, and ticks in their place. */
struct sw_group {
    int            dim;                 /* dimensions of the grid                                            */
    int64_t        n[SW_DIMS];          /* points along x, y, z; 1 in a dimension that it does not have      */
    struct sw_choice *choice;           /* [nchoice of the sweep] the words of these runs                    */
    const char    *solver;              /* the row that does the work; NULL: the best that fits              */
    int64_t        steps;               /* in all; where runs take steps of their own, ticks: SW_TICKS between two
                                           of `times`                                                        */
    int64_t        goals;               /* then how many times there are after 0; else 0                     */
    double        *times;               /* [goals + 1] of outputs and the end, ascending from 0; else NULL   */
    int            cut;                 /* struct sw_setup; steps = 2^(cut + 1) then. 0 until sw_group_cut() */
    int            nfield;              /* saved fields a run                                                */
    int64_t       *field_step;          /* [nfield]; -1: none, as another time is nearer to it: NaN          */
    double        *field_time;          /* [nfield] in units of dt: of the step, or as asked for             */
    int            nscalar;             /* entries of the scalar series                                      */
    int64_t       *scalar_step;         /* [nscalar]; likewise                                               */
    double        *scalar_time;
    struct sw_paces *paces;             /* NULL: all take the same steps                                     */
    int           *pace;                /* [count] with paces: which one each run has                        */
    int            nlook;               /* times at which to look whether runs end early                      */
    int64_t       *look_step;           /* [nlook] after 0; -1: another time has the step                     */
    int64_t        fields_lost, scalars_lost;  /* times that have no step of their own                       */
    bool           fields_aligned, scalars_aligned;  /* they are NaN; else left out, in all runs of the sweep */
    int64_t        count;
    int64_t       *run;                 /* [count] indices, ascending                                        */
    char           name[SW_SHAPE_NAME]; /* sw_shape_name() where n is swept, else "": the group in the output file */
};

/** Sort runs into groups, in order of n.
 *  @param run     [count]; borrowed
 *  @param group   out [ngroup]; free with sw_groups_free() */
enum sw_status sw_sweep_groups(const struct sw_sweep *sweep, const int64_t *run, int64_t count, struct sw_group **group,
                               int *ngroup);
void sw_groups_free(struct sw_group **group, int ngroup);

/** Cut the runs of a group without time into 2^cut slices: sets its steps, and those of its outputs. */
void sw_group_cut(struct sw_group *group, int cut);

/** The time of a step, in units of dt; of a tick, the time itself. */
double sw_group_time(const struct sw_group *group, int64_t step);

/** Put groups together whose runs differ in their numbers of steps alone, and in the steps of their outputs: no output
 * is without a step, and no run may end early.
 * @param takes    [*ngroup] groups whose runs a device advances with paces
 * @param group    in and out: [*ngroup] of sw_sweep_groups()  @return SW_E_MEMORY */
enum sw_status sw_groups_pace(const struct sw_sweep *sweep, const bool *takes, struct sw_group *group, int *ngroup);

/** The pace of a run of a group that has some. */
int sw_group_pace(const struct sw_group *group, int64_t run);

/** A number below 2^44 for the steps that some runs have taken at each tick, in any order; 0 of a group without paces.
 * @param others  that of the other ones; 0: there are none */
int64_t sw_group_ticks_digest(const struct sw_group *group, int64_t run, uint64_t id, int64_t others);

/** Steps of a run: the least, the most, and of the mean of all runs. Where runs take steps of their own, ticks. */
struct sw_group_steps { int64_t least, most; double mean; };
struct sw_group_steps sw_group_steps(const struct sw_group *group);

/** Points that a run computes in a step. */
double sw_group_points(const struct sw_group *group);

/** What a problem needs to know to simulate runs of a group (borrows from both). */
struct sw_setup sw_sweep_setup(const struct sw_sweep *sweep, const struct sw_group *group, int capacity);

/** What the runs of a group save as fields; ends with name NULL. */
const struct sw_quantity *sw_sweep_fields(const struct sw_sweep *sweep, const struct sw_group *group);
#endif
