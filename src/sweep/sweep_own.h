#ifndef SWEEP_OWN_H
#define SWEEP_OWN_H
/* What a sweep holds beside what sw_sweep.h shows, for the files of this folder. They build on each other in this
 * order, and a file calls only files above it in the list:
 *
 *     config_scan, config_parse, config_find   the text of a config as a tree of settings
 *     config_columns, config_rows   a table in a file, as one of these settings
 *     config_read          all of them, and -s
 *     key_table, keys      the keys of a problem, with their settings
 *     formula              expressions: numbers of a run, functions of the points
 *     unknowns             the names of the unknowns, where a config gives them
 *     sample, table, ladder, axis   points drawn at random, and those of a table; an axis along which runs start from
 *                          the ends of others; the axes and their values
 *     ladder_rungs         which run starts from which
 *     words                keys with one value for the whole sweep; those that take a word or the name of a row, of the
 *                          config or of an axis
 *     columns, column_values   the columns of the run table, and their numbers, a block of runs at a time
 *     names                what axes and defines may be called, and whether anything uses them
 *     times                output times, as steps
 *     reductions           scalars of the user's own; what ends runs early
 *     statistics           statistics over runs
 *     cells, refine        cells between the values of axes, and axes that are refined (refine_read() is called with
 *                          the axes)
 *     groups, paces        runs of one shape; runs that differ in their steps, in one group
 *     select               which points of the axes are runs; which runs are asked for
 *     runs_check           is every run possible?
 *     ids                  the ids of runs
 *     few                  which of them are looked at more closely
 *     sweep                calls all of these in turn
 *
 * run_columns, the columns of the run table that hold results, depends on none of them.
 *
 * A file reports what is wrong with a config by report_error() and goes on, so that the user sees all errors at once;
 * only failing memory returns a status. */
#include "sweep/sw_arena.h"
#include "sweep/sw_sweep.h"

struct sw_sweep_own {
    struct sw_report *report;           /* while the config is expanded, else NULL                              */
    struct sw_arena  *arena;            /* holds everything below, and what sw_sweep.h shows                    */
    bool              outline;          /* sw_sweep_outline()                                                   */
    int               dimensions;       /* of all runs, where a problem takes fields in place of lines
                                           (sw_problem_shape.in_fields); else 0                                 */
    bool              grid_wrong;       /* a list of the grid was refused                                       */
    bool              words_wrong;      /* a WORD key has none of its words, or contradicts another key          */
    bool              keys_wrong;       /* a key is unknown, or missing                                         */
    bool              functions_wrong;  /* the text of a FUNCTION key was refused                               */
    bool              axes_wrong;       /* the runs cannot be told apart                                        */
    bool              out_of_memory;    /* where a function has no status to return                             */

    int               nkey;
    struct sweep_key *key;              /* [nkey] in the order of sw_keys_list()                                 */
    int               nname;
    struct key_by_name *key_by_name;    /* [nname] sorted                                                       */
    const struct sw_key *row_key;       /* the key that names the row that does the work                        */
    const char       *row;              /* its word: a row's name, "auto", or "$axis"                           */
    int              *choice_column;    /* [nchoice] the axis its word is taken from, -1: all runs have one     */

    struct formula   *formula;          /* a linked list of all                                                 */
    const struct sw_quantity *field;    /* what the fields of runs are called: statistics_read()                */
    struct sw_quantity *unknown_field;  /* [nunknown + 1] fields by the names of the unknowns; NULL: there are none */
    struct axis      *axis;             /* [naxis]                                                              */
    uint32_t         *point;            /* [nruns] of each run its number among the points of the axes, which ascends
                                           (in a refined sweep: in each round);
                                           NULL: each point is a run                                            */
    struct sample    *sample;
    struct table     *table;            /* NULL: sweep.mode is another one                                      */
    struct ladder    *ladder;           /* [1]                                                                  */
    struct refine    *refine;           /* NULL: there is none                                                  */
    struct source    *source;           /* [ncolumn] where the numbers of a column come from                    */
    double           *step;             /* [nruns] time steps that follow from time.cfl; 0: not known yet       */
    int               numbered;         /* sw_setup.numbered                                                    */
    bool              idle;             /* and its number changes nothing                                       */
    int               step_column;      /* their column, -1: time.dt is given                                   */
    int               dt_column, end_column;  /* of a dt that is taken for one that divides the end where it nearly */
                                        /* does; -1: none                                                       */
    int64_t           divided;          /* the first run in which it was, -1: none                              */
    double            dt_written;       /* its dt as it stands in the config                                    */
    int              *order;            /* [norder] columns that differ from run to run, each after those it needs */
    int               norder;
    struct sw_scope   scope;            /* names of the columns                                                 */
    struct sw_grid_columns *grid_columns;  /* NULL: not known yet                                                */
    void             *prepared;         /* what sw_problem_texts.prepare() made                                       */
    struct times     *fields, *scalars; /* when they are saved                                                  */
    struct times     *looks;            /* when runs are looked at that may end early                           */
    struct config_reduction *stop_when;   /* [1]                                                                  */
    struct config_reduction *defined;     /* [ndefined]                                                           */
    struct shape     *shape;
};

static inline const char *error_file(const struct sw_sweep *s, const struct sw_setting *setting)
{
    return setting ? setting->file : s->config->name;
}
static inline int error_line(const struct sw_setting *setting) { return setting ? setting->line : 0; }
static inline struct sw_report_place error_place(const struct sw_sweep *s, const struct sw_setting *setting)
{
    return (struct sw_report_place){error_file(s, setting), error_line(setting), setting ? setting->override : 0};
}

/* Report an error at the line of a setting; NULL: of the config as a whole. */
#define report_error(s, setting, ...) \
    sw_report_add_at((s)->own->report, SW_ERROR, error_place(s, setting), __VA_ARGS__)
#endif
