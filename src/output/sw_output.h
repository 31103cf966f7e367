#ifndef SW_OUTPUT_H
#define SW_OUTPUT_H
/* What comes out: FILE.h5, and while a sweep is under way its parts in FILE.h5.d/. All of HDF5 is in *_hdf5.c, in this
 * folder alone.
 *
 * A part holds some runs of one group over a stretch of their output times. It is written to part-NNNNNN.h5.tmp and
 * becomes part-NNNNNN.h5 by fsync, rename, fsync of the folder: a part that is there is whole. A batch that ends in one
 * go is one part; one that was stopped or checkpointed is a chain of parts, each but the last carrying the state it
 * stopped in. Parts and the final file have one schema (docs/output.md), so the same reader reads both, and merging is
 * joining.
 *
 * Several threads may each write a part of their own, and read states (sw_part_*(), sw_checkpoint_read()): they take
 * turns, since the HDF5 library is not built for more than one. Everything else is for one thread at a time, and for
 * none of these beside it.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/sw_err.h"
#include "base/sw_text.h"
#include "sweep/sw_run_result.h"
#include "sweep/sw_sweep.h"

/* Facts about the program, the machine and the call; text as it goes into the file. NULL or "" where there is none. */
struct sw_provenance {
    const char *command_line, *solver, *device, *driver, *cuda, *hostname;
    double      started;           /* as time() gives it; 0: now */
};

/* ---- one writer at a time */
struct sw_output_lock;

/** Claim an output file for this process, until unlocked or dead, and clear away what dead ones left half-written
 * (.tmp). Makes the folder FILE.d/.
 * @return SW_E_REFUSED another process writes it (message names host and pid); SW_E_IO; SW_E_MEMORY */
enum sw_status sw_output_lock(const char *file, struct sw_output_lock **lock);
/** Several processes are to write to the file: let those in that ask by sw_output_lock_join(). It is claimed until the
 * last of them has unlocked or is dead, so that nobody begins while one that outlived this one still writes.
 * @return as sw_output_lock() */
enum sw_status sw_output_lock_share(struct sw_output_lock *lock);
/** The part of such a process; who shares the file has to have the lock by then. @return as sw_output_lock() */
enum sw_status sw_output_lock_join(const char *file, struct sw_output_lock **lock);
/** Also removes FILE.d/ if nothing is left in it. NULL and *NULL are fine. */
void sw_output_unlock(struct sw_output_lock **lock);
/** May FILE be replaced? Only what this program has written: a file of ours (of whatever sweep), or nothing yet.
 * @return SW_E_REFUSED it may not: it is not HDF5, damaged, another program's, or no file at all */
enum sw_status sw_output_check_replaceable(const char *file);
/** Remove FILE and its parts, or only these (--force). What is not there is no failure. @return SW_E_IO */
enum sw_status sw_output_remove(const char *file);
enum sw_status sw_output_remove_parts(const char *file);
/** Give a finished FILE another name, in place of what has it; on disk on return. @return SW_E_IO */
enum sw_status sw_output_rename(const char *from, const char *to);

/* ---- writing a part */
struct sw_part_desc {
    const struct sw_sweep *sweep;
    const struct sw_group *group;
    const int64_t *run;            /* [count] indices of the runs, ascending      */
    const uint64_t *id;            /* [count] their ids                           */
    int     count;
    int     field_first, scalar_first;    /* the first output of the group that is in this part */
    int     turn, of;              /* of several processes that write to one file at once: which this is; 0, 0: alone */
};
struct sw_part;

/** Begin the next free part of an output file's folder (made if missing).
 * @param file  "results/ch.h5": parts go to "results/ch.h5.d/"
 * @param desc  all it points to must stay as long as the part
 * @return SW_E_IO with the path and the system's reason; SW_E_MEMORY */
enum sw_status sw_part_create(const char *file, const struct sw_part_desc *desc, const struct sw_provenance *provenance,
                              struct sw_part **part);
/** Append the next saved field: [count][points] float (sweep->single_fields) or double; of a problem with several, one
 * after another. Not kept. NULL: all NaN. */
enum sw_status sw_part_add_field(struct sw_part *part, const void *field);
/** Append the next entry of the scalar series: [count][scalars of the problem]. Not kept. NULL: all NaN. */
enum sw_status sw_part_add_scalars(struct sw_part *part, const double *scalars);
/** Write the run table and, for a batch that goes on later, its state; then make the part permanent and free it.
 * @param result      [count]; status SW_RUN_PENDING for runs that go on
 * @param state       [count][state_size] at `step`; of runs that have ended it is kept beside their results, for a
 *                    sweep that is longer, or NULL
 * @return SW_E_IO, SW_E_MEMORY: nothing is left behind */
enum sw_status sw_part_finish(struct sw_part **part, const struct sw_run_result *result, const double *state,
                              size_t state_size, int64_t step);
/** Drop a part that is not worth keeping. NULL and *NULL are fine. */
void sw_part_abandon(struct sw_part **part);

/* ---- what is already there: FILE.h5 and its parts */
struct sw_sweep_identity {             /* which sweep results are of; all "": unknown                                */
    char sweep_id[13], config_sha256[65];
};
/** One sweep has one set of runs, or one config, whose ids another version of the program may have made otherwise. */
bool sw_same_sweep(const struct sw_sweep_identity *a, const struct sw_sweep_identity *b);
struct sw_checkpoint {             /* a batch that stopped half-way: the last of its chain of parts              */
    int      count;
    uint64_t *id;                  /* [count]                                                                    */
    unsigned char *status;         /* [count] enum sw_run_status: which of them had diverged or failed by then   */
    int64_t  step;                 /* taken so far                                                               */
    int      fields_done, scalars_done;
    char    *path;                 /* the part that holds the state                                              */
};
struct sw_completed {              /* what FILE and its parts hold; read only to others                          */
    struct sw_sweep_identity of;   /* the sweep that wrote it (the newest)                                       */
    int64_t  count;                /* runs that ended (done, diverged, error), wherever they are                 */
    uint64_t *id;                  /* [count] ascending                                                          */
    unsigned char *status;         /* [count] enum sw_run_status                                                 */
    int      ncheckpoint;
    struct sw_checkpoint *checkpoint;  /* [ncheckpoint] that a run can go on from: each the newest of all its runs, */
                                   /* one of which is not done                                                   */
    bool     has_file, has_parts;
    bool     lacks_states;         /* of runs that have ended (output.state)                                     */
    bool     is_virtual;           /* FILE is: nothing can be added to it, sw_output_refuse_virtual()            */
    char    *title;                /* of the sweep that wrote it (the newest); NULL if there is nothing          */
    char    *config_text;          /* likewise                                                                   */
    char   **override;
    int      noverride;
};
/** Look at FILE and FILE.d/. A .tmp is ignored; a damaged part is named in a warning (report) and ignored.
 * @return SW_E_IO FILE is there but is not a sweep's output (message says what it is); SW_E_MEMORY */
enum sw_status sw_completed_open(const char *file, struct sw_report *report, struct sw_completed **completed);
void sw_completed_close(struct sw_completed **completed);
/** The status of a run, SW_RUN_PENDING if it is not there. completed NULL: nothing is there. */
enum sw_run_status sw_completed_status(const struct sw_completed *completed, uint64_t id);
struct sw_run_counts { int64_t pending, done, diverged, failed; };
/** One more run of this status. */
void sw_run_count(struct sw_run_counts *counts, enum sw_run_status status);
/** Of the runs run[count], whose ids are id[run[k]], by what is there. completed NULL: nothing is. */
struct sw_run_counts sw_completed_count(const struct sw_completed *completed, const uint64_t *id, const int64_t *run,
                                     int64_t count);
/** Is what is there of this sweep, with these outputs? Nothing is of any.
 * @param file  as the message names it  @param id  [sweep->nruns]
 * @return SW_E_REFUSED it is not; the message has the first difference between the two configs; SW_E_MEMORY */
enum sw_status sw_completed_check_sweep(const struct sw_completed *completed, const char *file,
                                        const struct sw_sweep *sweep,
                                 const uint64_t *id);
/** The state of an unfinished batch: [count][state_size].
 * @return SW_E_IO; where the part is damaged or of another version of sweep, the message says what to remove */
enum sw_status sw_checkpoint_read(const struct sw_checkpoint *batch, double *state, size_t state_size);

/* ---- lengthening: a finished FILE whose runs are to go on */
struct sw_lengthen_desc { /* borrowed                                                                   */
    const struct sw_sweep *old, *sweep;  /* the one that FILE is of, and the one whose runs begin as those did   */
    const uint64_t *id;            /* [sweep->nruns]                                                             */
    int64_t count;                 /* runs in FILE                                                               */
    const int64_t *old_run, *run;  /* [count] run old_run[k] of the old sweep is the beginning of run[k]         */
};
/** Make parts of OUTPUT as if the longer sweep had been stopped where FILE ended: from them it goes on like any other.
 * FILE is only read. Takes 256 MiB.
 * @return SW_E_REFUSED FILE lacks states (output.state), outputs before its end, or is longer: the message says which,
 *         and OUTPUT has no parts; SW_E_IO, SW_E_MEMORY */
enum sw_status sw_output_lengthen(const char *file, const char *output, const struct sw_lengthen_desc *longer,
                                   const struct sw_provenance *provenance);

/* ---- joining parts
 * The parts of a chain are joined along time. Of two results of one run the later input's counts (parts count as later
 * than the file they belong to), except that one that ended beats one that did not. Which run is which is decided by
 * the ids. */
struct sw_merge_summary { int64_t runs, not_done, missing; };  /* missing: expected, and not there */
enum sw_expected {
    SW_EXPECTED_NOT,
    SW_EXPECTED,                   /* it has ended: its result is in FILE or a part                              */
    SW_EXPECTED_IN_PART            /* it has ended since FILE was written: its result is in a part               */
};
struct sw_merge_options {
    bool keep_parts;               /* sw_merge_parts: else parts no longer needed go once the result is safe     */
    bool allow_missing;            /* runs without a result are left out; else they are a failure                */
    bool overwrite;                /* sw_merge: `output` may be there without being among the inputs             */
    bool as_virtual;               /* sw_merge: fields and series stay in the inputs, which must not change      */
    struct sw_report *report;      /* sw_merge: what is odd about the inputs is told here; may be NULL           */
    struct sw_merge_summary *summary;  /* filled in; may be NULL                                                 */
    const struct sw_sweep *sweep;  /* the result gets its runs, with its indices, parameters and config; NULL:   */
    const uint64_t *id;            /* those of the inputs, which must be of one sweep. id: [sweep->nruns]        */
    const unsigned char *expected; /* sw_merge_parts: [sweep->nruns] enum sw_expected; NULL: what is there is all */
};
/** Join files (final files and parts) into one, by rename; `output` may be among them. Takes about 400 bytes of memory
 * a run and 130 MiB, however large the fields are. A virtual input counts as its parts.
 * @param provenance  NULL: the inputs'
 * What is written is opened again, and its rows compared with those it is to have, before it gets its name.
 * @return SW_E_IO, SW_E_MEMORY: the output is as it was; SW_E_REFUSED the inputs belong to different sweeps, hold runs
 * that are not the sweep's, lack runs (named), the output exists or is being written, or is to be a virtual file of
 * itself */
enum sw_status sw_merge(const char *const *input, int ninput, const char *output,
                        const struct sw_merge_options *options, const struct sw_provenance *provenance);
/** The same for FILE and its own parts. Parts of batches that go on later stay. Nothing to do without parts.
 * @return SW_E_REFUSED also where FILE is virtual; SW_E_IO also where runs that were expected are not there: the
 *         message names them, summary->missing counts them, and everything is as it was */
enum sw_status sw_merge_parts(const char *file, const struct sw_merge_options *options,
                              const struct sw_provenance *provenance);

/** @return SW_E_REFUSED; the message says what to do about a FILE that is virtual and is to be added to */
enum sw_status sw_output_refuse_virtual(const char *file);

/* ---- FILE.xdmf beside FILE.h5: where its fields are, for programs that draw them (ParaView). No numbers of fields. */
struct sw_xdmf_summary { int64_t runs, grids, bytes; };  /* grids: outputs of all runs */
/** "results/ch.xdmf" of "results/ch.h5", to be freed with sw_free(); NULL if memory is out. */
char *sw_xdmf_name(const char *file);
/** Whether there is one that sw_xdmf_write() has written. @return SW_E_IO it cannot be read; SW_E_MEMORY */
enum sw_status sw_xdmf_find(const char *file, bool *ours);
/** Write it, by rename. It names FILE without its folder: the two are moved together. Parts are not in it.
 * @return SW_E_IO there is no FILE, it is not a sweep's output, or has no fields; SW_E_REFUSED a file that is not ours
 *         has the name; SW_E_MEMORY */
enum sw_status sw_xdmf_write(const char *file, struct sw_xdmf_summary *summary);
/** Remove it, if it is ours. @return SW_E_IO, SW_E_MEMORY */
enum sw_status sw_xdmf_remove(const char *file);

/* ---- reading results (show, status) */
struct sw_run_table {                  /* the run table of a file                                                    */
    int64_t  nruns;                /* rows: runs that have a result or were begun                                */
    int64_t  sweep_runs;           /* runs of the whole sweep                                                    */
    int      nparam;
    char   **param_name;           /* [nparam]                                                                   */
    double  *param;                /* [nparam][nruns]; words are numbered                                        */
    int     *nword;                /* [nparam]: 0 for numbers                                                    */
    char  ***word;                 /* [nparam][nword]                                                            */
    int64_t *index;                /* [nruns] ascending                                                          */
    uint64_t *id;                  /* [nruns]: run_id as a number                                                */
    char   **run_id, **message;    /* [nruns]                                                                    */
    struct sw_run_row *row;        /* [nruns]                                                                    */
    bool    *has;                  /* [sw_run_ncolumns]: which columns the file has; NaN in row[] without        */
    char    *title, *problem, *source, *history, *sweep_id, *config_sha256, *config_text, *solver, *device;
    char   **override;
    int      noverride;
    struct sw_run_table_own *own;
};
/** The run table of a file together with that of its parts, if it has any: right while a sweep runs, too.
 * @return SW_E_IO there is neither, or it is not a sweep's output; SW_E_MEMORY */
enum sw_status sw_run_table_read(const char *file, struct sw_run_table **table);
void sw_run_table_free(struct sw_run_table **table);

/* ---- the files of shards: FILE.shard-I-of-N.h5 of FILE.h5 */

enum { SW_SHARDS_MOST = 100000 };
/** Where ".shard-I-of-N" begins in a file's name; NULL, with both 0: it is not a shard's. */
const char *sw_shard_find(const char *file, int *shard, int *nshards);
/** "results/ch.h5" as the file of a shard: "results/ch.shard-1-of-4.h5". Free with sw_free(); NULL if memory is out. */
char *sw_shard_file(const char *file, int shard, int nshards);
/** The same as it is to be typed at a shell, but for the shard, which stays as it is: "*", or "\"$k\"". */
void sw_shard_add_word(struct sw_text *text, const char *file, const char *shard, int nshards);
#endif
