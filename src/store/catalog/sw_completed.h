#ifndef SW_COMPLETED_H
#define SW_COMPLETED_H
/* What an output file and its parts hold already: the completed runs and the checkpoints of the others. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sw_status.h"
#include "base/sw_report.h"
#include "store/sw_provenance.h"
#include "sweep/sw_run_result.h"
#include "sweep/sw_sweep.h"

/* A part with a state, and which points along the last axis it is of where grids are cut over ranks; count 0: all. */
struct sw_checkpoint_part { char *path; int64_t first, count; };

struct sw_checkpoint {      /* a batch that stopped half-way: the last of its chain of parts            */
    int      count;
    uint64_t *id;           /* [count]                                                                  */
    unsigned char *status;  /* [count] enum sw_run_status: which of them had diverged or failed by then */
    int64_t  step;          /* taken so far                                                             */
    int      cut;           /* struct sw_group                                                          */
    int64_t  ticks;         /* of a step that is a tick: sw_group_ticks_digest() of its runs; 0: it is a step   */
    char    *solver;        /* the row that computed it                                                 */
    int      fields_done, scalars_done;
    int      nparts;
    struct sw_checkpoint_part *part;  /* [nparts] that hold the state, each a slab of it, in their order */
};
struct sw_completed {                  /* what FILE and its parts hold; read only to others                         */
    struct sw_sweep_identity identity; /* the sweep that wrote it (the newest)                                      */
    int64_t  count;                    /* runs that ended (done, diverged, error), wherever they are                */
    uint64_t *id;                      /* [count] ascending                                                         */
    unsigned char *status;             /* [count] enum sw_run_status                                                */
    int      *in;                      /* [count] which file has the run                                            */
    bool     *has_end;                 /* [count] and the state in which it ended                                   */
    int      nfile;
    char   **file;                     /* [nfile] FILE and parts                                                    */
    int      ncheckpoint;
    struct sw_checkpoint *checkpoint;  /* [ncheckpoint] that a run can go on from: each the newest of all its runs, */
                                   /* one of which is not done                                                   */
    uint64_t seen;                     /* sw_files_mark() of FILE, from before it was read                          */
    bool     has_file, has_parts;
    bool     lacks_states;             /* of runs that have ended (output.state)                                    */
    bool     lacks_estimates;          /* no file has a place for those of its runs (accuracy.runs)                 */
    int      ndamaged;
    char   **damaged;                  /* [ndamaged] parts that were ignored                                        */
    bool     is_virtual;               /* FILE is: nothing can be added to it, sw_output_refuse_virtual()           */
    bool     is_dropped;               /* FILE has the statistics of its runs alone: sw_output_refuse_dropped()     */
    char    *title;                    /* of the sweep that wrote it (the newest); NULL if there is nothing         */
    char    *statistics;               /* likewise, sw_statistics.text                                            */
    char    *config_text;              /* likewise                                                                  */
    char   **override;
    int      noverride;
};
/** Read what FILE and FILE.d/ hold. A .tmp is ignored; a damaged part is ignored and named in a warning (report).
 * @return SW_E_IO FILE is there but is not a sweep's output (message says what it is); SW_E_MEMORY */
enum sw_status sw_completed_open(const char *file, struct sw_report *report, struct sw_completed **completed);
/** The same, once all bytes of the parts have been compared with their checksums: for what continues them. A warning
 * tells where FILE has lost its checksums. */
enum sw_status sw_completed_open_checked(const char *file, struct sw_report *report, struct sw_completed **completed);
/** The same of a file that another process may be writing: read again if a part vanished meanwhile. Which runs have
 * ended and how, checkpoints, and the sweep; lacks_states and lacks_estimates say nothing. */
enum sw_status sw_completed_open_live(const char *file, struct sw_report *report, struct sw_completed **completed);
void sw_completed_close(struct sw_completed **completed);
/** The status of a run; SW_RUN_PENDING if it is not there. completed NULL: the file holds nothing. */
enum sw_run_status sw_completed_status(const struct sw_completed *completed, uint64_t id);
/** Whether the state in which a run has ended is there. completed NULL: the file holds nothing. */
bool sw_completed_has_end(const struct sw_completed *completed, uint64_t id);
/** The states in which runs have ended, sw_completed_has_end(), and why others have failed.
 * @param id       [count] that have ended
 * @param size     numbers of a state to read, from its first on
 * @param state    out: [count][size]; NaN of runs that failed or whose state is not there
 * @param message  out: [count] of a run that failed the message that was stored, free with sw_free(); else NULL
 * @return SW_E_IO, SW_E_MEMORY */
enum sw_status sw_completed_ends(const struct sw_completed *completed, int count, const uint64_t *id, size_t size,
                                 double *state, char **message);
struct sw_run_counts { int64_t pending, done, diverged, failed; };
/** Count one more run of this status. */
void sw_run_count(struct sw_run_counts *counts, enum sw_run_status status);
/** Count the runs run[count], whose ids are id[run[k]], by status. completed NULL: all are pending. */
struct sw_run_counts sw_completed_count(const struct sw_completed *completed, const uint64_t *id, const int64_t *run,
                                        int64_t count);
/** Check that the results belong to this sweep and have the outputs it asks for. An empty file belongs to every sweep.
 * @param file  as the message names it  @param id  [sweep->nruns]
 * @return SW_E_REFUSED they do not; the message has the first difference between the two configs; SW_E_MEMORY */
enum sw_status sw_completed_check_sweep(const struct sw_completed *completed, const char *file,
                                        const struct sw_sweep *sweep,
                                        const uint64_t *id);
/** Check that runs which are taken from there into a file of this sweep have the outputs it asks for.
 * @return SW_E_REFUSED they do not; the message has the first difference between the two configs */
enum sw_status sw_completed_check_outputs(const struct sw_completed *completed, const char *file,
                                          const struct sw_sweep *sweep);
/** Whether the runs that are there have axes whose last digits are those of earlier versions (sw_config.older_axes). */
bool sw_completed_has_older_axes(const struct sw_completed *completed);
/* What a run's state in memory is: `fields` fields of `across` by `count` points, of those along the last axis that
 * begin at `first`, of `whole`; then `more` numbers, which all slabs have alike; then `behind` more fields. */
struct sw_state_shape { size_t fields, across; int64_t first, count, whole; size_t more, behind; };

/** Read the state of a checkpoint, however many slabs it was cut into: [count][numbers of the shape]. Of a run that had
 * failed (the first of `more` is not negative) the numbers at the beginning are those of the first slab. Takes memory
 * for one slab as it is stored.
 * @return SW_E_IO; where a part is damaged or of another version of sweep, the message says what to remove;
 *         SW_E_MEMORY */
enum sw_status sw_checkpoint_read(const struct sw_checkpoint *batch, const struct sw_state_shape *shape,
                                  double *state);
#endif
