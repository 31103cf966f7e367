#ifndef RESULTS_GATHER_H
#define RESULTS_GATHER_H
/* All that is known about a set of result files (final files and parts, old to new): which run has its results where.
 * Arrays of numbers stay in the files. The readers of HDF5 are in results/source_hdf5.c. */
#include "base/sw_text.h"
#include "output/files.h"
#include "output/results_impl.h"

struct sw_section;

struct sw_source {
    char              *path;
    struct sw_run_table   *table;
    int                nsection;
    struct sw_section *section;
    int               *section_of;     /* [table->nruns]: of a row, -1: none           */
    int64_t           *row_of;         /* [table->nruns]: its row in there             */
    bool               has_state;      /* the end of a chain that goes on              */
    int64_t            step;           /* of the state                                 */
    struct sw_file_mark mark;          /* of the file when it was opened               */
    int                npart;          /* of a virtual file: the files that its fields and series are in */
    char             **part;
};
/** @param damaged  out: the system reads the file, but it is not what it should be: the failure will not go away
 *  @return SW_E_IO the message says what the file is instead; SW_E_MEMORY */
enum sw_status sw_source_open(const char *path, struct sw_source *input, bool *damaged);
void sw_source_free(struct sw_source *input);

/** Whether runs have ended in it without a state that a longer sweep could go on from. */
bool sw_source_lacks_states(const struct sw_source *input);

/* Outputs that a row of an input holds: first .. first+count-1. */
struct sw_stretch { int64_t field_first, fields, scalar_first, scalars; };
struct sw_stretch sw_source_stretch(const struct sw_source *input, int64_t row);

struct sw_link {                       /* one stretch of a run; a chain is followed backwards   */
    int     input;
    int64_t row;                       /* in the input's table                                  */
    int64_t before;                    /* the link before it, -1: it is the first               */
};
struct sw_found {                      /* one id                                                */
    uint64_t id;
    int64_t  newest;                   /* last link of its newest chain, -1: none               */
    int64_t  ended;                    /* last link of its newest chain that ended, -1: none    */
};
struct sw_wanted { int64_t index; uint64_t id; };

struct sw_gather {                     /* start from {0}; free with sw_gather_free()            */
    int               ninput, room;
    struct sw_source  *input;
    int               ndamaged;
    char            **damaged;         /* [ndamaged] paths of parts that were passed over          */
    int               unreadable;      /* 1 + the input whose arrays a join could not read, though the system can; 0 */
    bool              vanished;        /* an input went before it could be opened: a merge took it in */
    int64_t           again;           /* runs that have ended in more than one chain */
    int64_t           nlink;
    struct sw_link   *link;
    int64_t           nfound;
    struct sw_found  *found;           /* by id                                                 */
    int64_t           nwanted;
    struct sw_wanted *wanted;          /* by index                                              */
};
/** Open files, old to new, and follow the chains.
 * @param report  files that are damaged or have vanished are named in it and passed over; NULL: they are a failure */
enum sw_status sw_gather_files(const char *const *path, int count, struct sw_report *report, struct sw_gather *gather);
/** The same, where each virtual file counts as its parts. */
enum sw_status sw_gather_real(const char *const *path, int count, struct sw_gather *gather);
/** FILE, if it is there, then its parts. Damaged parts are passed over (report may be NULL); FILE must be ours. */
enum sw_status sw_gather_output(const char *file, struct sw_report *report, struct sw_gather *gather);
/** Say which runs are wanted: those of a sweep, or (sweep NULL) all of the inputs, with the newest sweep's indices. */
enum sw_status sw_gather_want(struct sw_gather *gather, const struct sw_sweep *sweep, const uint64_t *id);
void sw_gather_free(struct sw_gather *gather);

const struct sw_found *sw_gather_find(const struct sw_gather *gather, uint64_t id);
/** The link whose row counts: of the newest chain that ended, else of the newest. -1: none */
int64_t sw_found_link(const struct sw_found *found);

/** The run table of the wanted runs that were found.
 * @param ended_only  leave out runs that have not ended
 * @param sweep       where parameters come from; NULL: from the inputs
 * @param link        out [table->nruns]: where each row came from; free with sw_free(). May be NULL */
enum sw_status sw_gather_table(const struct sw_gather *gather, bool ended_only, const struct sw_sweep *sweep,
                               struct sw_run_table **table, int64_t **link);

/** What to say about the shards that are not among the inputs, if these have the names that `sweep run --shard` gives:
 * "; shards 3 7 of 16 are not among the files ...". Else nothing. (results/shards.c) */
void sw_shards_missing(const struct sw_gather *gather, struct sw_text *text);

/** The input that is already what a final file of these rows would be: all of them and no others, each from its first
 * output to its last, and the same table and facts. NULL: none. (The order in which its values lie may differ.) */
const char *sw_adopt_path(const struct sw_gather *gather, const struct sw_run_table *table, const int64_t *link);

/** Whether the runs that have ended are all there, as the options say (expected).
 * @return SW_E_IO they are not; the message names them, and o->summary counts them */
enum sw_status sw_expected_check(const struct sw_gather *gather, const char *file, const struct sw_merge_options *o);

/** "3, 5..9": one more range in a list of runs, which is cut after some 200 characters. */
void sw_runs_add(struct sw_text *list, int64_t first, int64_t last);

/** Whether the inputs are still as they were when they were opened. A file that is cut while it is open is read as
 * zeros. @return SW_E_IO one is not */
enum sw_status sw_inputs_check(const struct sw_gather *gather);

/** Open a file that was written as sw_join_write() does, or is to be adopted, and compare its rows with the table, and
 * what it has for arrays with those the links lead to. @return SW_E_IO, SW_E_MEMORY */
enum sw_status sw_written_check(const struct sw_gather *gather, const struct sw_run_table *table, const int64_t *link,
                                const char *path);

/** Write a final file: the table, and for each of its rows the arrays of its chain (link [table->nruns]).
 * @param as_virtual  fields and series stay where they are
 * @return SW_E_IO also where an input is damaged: gather->unreadable says which */
enum sw_status sw_join_write(struct sw_gather *gather, const struct sw_run_table *table, const int64_t *link,
                             bool as_virtual, const char *path);
#endif
