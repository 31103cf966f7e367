#ifndef SW_RESULTS_H
#define SW_RESULTS_H
/* What comes out: FILE.h5, and while a sweep is under way its parts in FILE.h5.d/. All of HDF5 is in results_*_hdf5.c.
 *
 * A part holds some runs of one group over a stretch of their output times. It is written to part-NNNNNN.h5.tmp and becomes
 * part-NNNNNN.h5 by fsync, rename, fsync of the folder: a part that is there is whole. A batch that ends in one go is one part;
 * one that was stopped or checkpointed is a chain of parts, each but the last carrying the state it stopped in. Parts and the
 * final file have one schema (docs/output.md), so the same reader reads both, and merging is joining.
 *
 * Only one thread of a process may be in this module at a time (the HDF5 library is not built for more).
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/sw_err.h"
#include "sweep/sw_sweep.h"

enum sw_run_status { SW_RUN_PENDING, SW_RUN_DONE, SW_RUN_DIVERGED, SW_RUN_ERROR };

struct sw_run_result {             /* one run's row in the run table */
    enum sw_run_status status;
    char    message[160];          /* "" when done                                          */
    double  t_reached;
    int64_t steps;                 /* taken                                                 */
    double  wall_time;             /* seconds: the batch's time over its runs               */
    double  err_l2, err_max, err_rel;  /* against `exact`; NaN without                       */
};

/* Facts about the program, the machine and the call; text as it goes into the file. */
struct sw_provenance {
    const char *command_line, *solver, *device, *driver, *cuda, *hostname;  /* "" where there is none */
    double      started;           /* unused if 0 */
};

/* ---- writing a part */
struct sw_part_desc {
    const struct sw_sweep *sweep;
    const struct sw_group *group;
    const int64_t *run;            /* [count] indices of the runs, ascending      */
    const uint64_t *id;            /* [count] their ids                           */
    int     count;
    int     field_first, scalar_first;    /* the first output of the group that is in this part */
};
struct sw_part;

/** Begin the next free part of an output file's folder (made if missing).
 * @param file  "results/ch.h5": parts go to "results/ch.h5.d/"
 * @return SW_E_IO with the path and the system's reason */
enum sw_status sw_part_create(const char *file, const struct sw_part_desc *desc, const struct sw_provenance *provenance,
                              struct sw_part **part);
/** Append the next saved field: [count][n] float (sweep->single_fields) or double. */
enum sw_status sw_part_add_field(struct sw_part *part, const void *field);
/** Append the next entry of the scalar series: [count][scalars of the problem]. */
enum sw_status sw_part_add_scalars(struct sw_part *part, const double *scalars);
/** Write the run table and, for a batch that goes on later, its state; then make the part permanent and free it.
 * @param result      [count]; status SW_RUN_PENDING for runs that go on
 * @param state       [count][state_size] at `step`, or NULL when the batch is finished
 * @return SW_E_IO: nothing is left behind but the .tmp, which the next run removes */
enum sw_status sw_part_finish(struct sw_part **part, const struct sw_run_result *result, const double *state,
                              size_t state_size, int64_t step);
/** Drop a part that is not worth keeping. NULL and *NULL are fine. */
void sw_part_abandon(struct sw_part **part);
int64_t sw_part_bytes(const struct sw_part *part);  /* written so far */

/* ---- what is already there: FILE.h5 and its parts */
struct sw_ledger_batch {           /* a batch that stopped half-way: the last of its chain of parts              */
    int      count;
    uint64_t *id;                  /* [count]                                                                    */
    int64_t  step;                 /* taken so far                                                               */
    int      fields_done, scalars_done;
    char    *path;                 /* where the state is                                                         */
};
struct sw_ledger {                 /* read only to others                                                        */
    char     sweep_id[13];         /* of the sweep that wrote it; "" if there is nothing                         */
    int64_t  count;                /* runs that ended (done, diverged, error), wherever they are                 */
    uint64_t *id;                  /* [count] ascending                                                          */
    unsigned char *status;         /* [count] enum sw_run_status                                                 */
    int      nbatch;
    struct sw_ledger_batch *batch; /* unfinished ones                                                            */
    bool     has_file, has_parts;
    char    *config_text;          /* of the sweep that wrote it; NULL if there is nothing                       */
    char   **override;
    int      noverride;
};
/** Look at FILE and FILE.d/. A .tmp is ignored; a damaged part is named in a warning (report) and ignored.
 * @return SW_E_IO FILE is there but is not a sweep's output (message says what it is); SW_E_MEMORY */
enum sw_status sw_ledger_open(const char *file, struct sw_report *report, struct sw_ledger **ledger);
void sw_ledger_close(struct sw_ledger **ledger);
/** The status of a run, SW_RUN_PENDING if it is not there. */
enum sw_run_status sw_ledger_status(const struct sw_ledger *ledger, uint64_t id);
/** The state of an unfinished batch: [count][state_size]. @return SW_E_IO */
enum sw_status sw_ledger_state(const struct sw_ledger_batch *batch, double *state, size_t state_size);

/* ---- joining parts */
struct sw_merge_options {
    bool keep_parts;               /* else they are removed once the result is safe                              */
    bool allow_missing;            /* a result with gaps is fine (missing runs are left out)                     */
    bool retry_failed;             /* leave diverged and failed runs out where a newer result exists             */
};
/** Join files (final files and parts) into one, by rename; the inputs may contain `output` itself. Of two results of one run the
 * newer counts, except that a finished one beats an unfinished one. Memory does not depend on the size.
 * @return SW_E_IO; SW_E_REFUSED the inputs belong to different sweeps, or runs are missing (named) */
enum sw_status sw_merge(const char *const *input, int ninput, const char *output, const struct sw_merge_options *options,
                        const struct sw_provenance *provenance);
/** The same for FILE's own parts. */
enum sw_status sw_merge_parts(const char *file, const struct sw_merge_options *options,
                              const struct sw_provenance *provenance);

/* ---- reading results (show, status) */
struct sw_table {                  /* the run table of a file                                                    */
    int64_t  nruns;
    int      nparam;
    char   **param_name;           /* [nparam]                                                                   */
    double  *param;                /* [nparam][nruns]; words are numbered                                        */
    int64_t *index;                /* [nruns]                                                                    */
    char   **run_id, **message;    /* [nruns]                                                                    */
    unsigned char *status;
    double  *t_reached, *wall_time, *err_l2, *err_max, *err_rel;  /* [nruns]                                     */
    int64_t *steps;
    char    *title, *problem, *source, *sweep_id, *config_text, *solver, *device;
    char   **override;
    int      noverride;
};
enum sw_status sw_table_read(const char *file, struct sw_table **table);
void sw_table_free(struct sw_table **table);
#endif
