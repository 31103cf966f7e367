#ifndef CATALOG_H
#define CATALOG_H
/* The catalog of a set of input files, old to new: which run has its results where. A run's results are a chain of
 * slices, one from each file that holds some of its outputs; the chain is linked from the newest slice backwards. */
#include "base/sw_report.h"
#include "store/catalog/input_file.h"

struct sw_run_slice {       /* what one input has of a run                                              */
    int     input;
    int     status;         /* enum sw_run_status                                                       */
    int64_t row;            /* in the input's run table                                                 */
    int64_t previous;       /* slice before this one; -1: this is the first                             */
};
struct sw_catalog_entry {   /* one run                                                                  */
    uint64_t id;
    int64_t  newest;        /* last slice of its newest chain whose slabs are all there; -1: none       */
    int64_t  growing;       /* last slab behind it, of outputs that lack others so far; -1: none        */
    int64_t  ended;         /* last slice of its newest chain that ended; -1: none                      */
};
struct sw_selected_run { uint64_t id; int64_t index; };

struct sw_catalog {         /* start from {0}; free with sw_catalog_free()                              */
    bool     brief;         /* by the caller: parts but the last may be what FILE.d/index says of them  */
    int      ninput, capacity;
    struct sw_input_file *input;
    int      ndamaged;
    char   **damaged;       /* [ndamaged] paths of damaged parts, which are ignored                     */
    bool     drops_ends;    /* a join leaves out the states in which runs have ended                    */
    int      unreadable;    /* 1 + the input whose arrays or ids a join found to be damaged; 0: none    */
    bool     whole;         /* open_output: parts are compared with their checksums, all of them, first */
    int      unopened;      /* open_resolved: 1 + the given file that could not be opened; 0: none      */
    bool     vanished;      /* an input was removed before it could be opened: a merge took it in       */
    int64_t  repeated;      /* runs that have ended in more than one chain                              */
    int64_t  nslice;
    struct sw_run_slice     *slice;
    int64_t  nentry;
    struct sw_catalog_entry *entry;     /* ascending by id                                              */
    int      id_bits;
    int64_t *first_entry;   /* [2^id_bits + 1] the first whose id begins with these bits, or is above   */
    int64_t  nselected;
    struct sw_selected_run  *selected;  /* ascending by index                                           */
};
struct sw_copy_job {        /* read outputs that an input has of one run                                */
    int     input, data_group;
    int64_t from, to;       /* row in the input's data group, and of the table or group that they are for */
};
/** For qsort(): by input, data group and row there. */
int sw_by_source(const void *a, const void *b);

/** Open files, old to new, with the files that hold the values in place of each virtual file, and link the slices of
 * each run. */
enum sw_status sw_catalog_open_resolved(const char *const *path, int count, struct sw_catalog *catalog);
/** Open FILE, if it exists, then its parts. Damaged parts are ignored (report may be NULL); FILE must be one of
 * ours.
 * @param catalog  {0}, or {.whole = true}: damaged are parts of which any byte is not what was written; else only the
 *                 bytes that are read are compared with their checksums */
enum sw_status sw_catalog_open_output(const char *file, struct sw_report *report, struct sw_catalog *catalog);
/** Select runs: those of a sweep, or (sweep NULL) all runs of the inputs, with the indices of the newest sweep. */
enum sw_status sw_catalog_select(struct sw_catalog *catalog, const struct sw_sweep *sweep, const uint64_t *id);
void sw_catalog_free(struct sw_catalog *catalog);

const struct sw_catalog_entry *sw_catalog_find(const struct sw_catalog *catalog, uint64_t id);

/** Make the run table of the selected runs that the catalog has. The columns of the inputs' tables move into it, and
 * what was selected is let go; with a sweep the parameters go of inputs that lack some of the runs.
 * @param ended_only  leave out runs that have not ended
 * @param sweep       where parameters come from; NULL: from the inputs
 * @param slice       out [table->nruns] slice of each row; free with sw_free(). May be NULL */
enum sw_status sw_catalog_table(struct sw_catalog *catalog, bool ended_only, const struct sw_sweep *sweep,
                                struct sw_run_table **table, int64_t **slice);
/** Let go of what is left in the inputs' tables, and of the entries, once that table has them. */
void sw_catalog_drop_results(struct sw_catalog *catalog);
#endif
