#ifndef SHARDS_H
#define SHARDS_H
/* How far the shards of a sweep are, on any machine: from their files, from the status files of their processes
 * (sw_liveness.h), and from Slurm where jobs were submitted. Nothing is written but what sw_filesystem_time()
 * makes. */
#include "cli/open_sweep.h"
#include "store/files/sw_status_file.h"
#include "sweep/sw_sweep.h"

/* ---- the state of a shard, of an output file that is not cut into shards, and of all shards of a sweep: decided here
 * alone, from what lies on disk, whether its process lives, and what Slurm says of its job */

#define SW_SHARD_STATES(X)                                                                                             \
    X(DONE, "done")           /* all its runs are in its file                                                      */ \
    X(RUNNING, "running")                                                                                              \
    X(SILENT, "silent")       /* it ran on another machine, and has not written for long                           */ \
    X(DIED, "died")           /* it ran on this machine, and its process is gone                                   */ \
    X(FAILED, "failed")       /* Slurm says that its job ended badly                                               */ \
    X(UNREADABLE, "unreadable")                                                                                        \
    X(FOREIGN, "foreign")     /* it is of another sweep: `sweep merge` will refuse it, and it does not count       */ \
    X(STOPPED, "stopped")     /* some of it is there, nobody is at it                                              */ \
    X(QUEUED, "queued")       /* in Slurm's queue                                                                  */ \
    X(WAITING, "waiting")     /* nothing of it is there                                                            */
#define X(name, text) SW_SHARD_##name,
enum sw_shard_state { SW_SHARD_STATES(X) SW_SHARD_STATE_COUNT };
#undef X
extern const char *const sw_shard_state_names[];

/* What is known of the file of a shard, or of any output file. */
struct sw_file_facts {
    enum sw_liveness liveness;      /* of the process that computes it                                               */
    bool has_file, has_parts;
    bool all_ended;                 /* all its runs have                                                             */
    bool unreadable;
};
enum sw_shard_state sw_shard_state_of_file(const struct sw_file_facts *facts);

/** Of all shards: "done", "running", "queued" or "interrupted". @param count  [SW_SHARD_STATE_COUNT] */
const char *sw_sweep_state(const int *count, int nshards);
/** Of one output file: "finished", "running" or "interrupted". */
const char *sw_file_state(enum sw_shard_state state);

/* ---- the shards of a sweep */

struct sw_shard {
    enum sw_shard_state state;
    bool    saw_file, saw_folder; /* in the folder of the output                                                     */
    bool    has_file, has_parts;  /* when they were read                                                             */
    int64_t runs, done, diverged, failed;
    double  fraction;             /* of the shard that is computed, 0 to 1; of what is in a checkpoint while it runs */
    struct sw_status_file now;    /* of a running, silent or dead one                                                */
    struct sw_sweep_identity identity;  /* of its sweep: from its stored results, or from the status file `now`      */
    struct sw_last_update update;
    double  written;              /* when its folder last changed, as we read its parts                              */
    char    job[32], job_state[24], reason[40];  /* "17_3", "PENDING", "Priority"; "" if Slurm does not know it      */
    char    message[160];         /* why it is unreadable, or foreign                                                */
};
struct sw_monitor {
    char   *file;                 /* of the whole sweep                                                              */
    int     nshards;
    struct sw_shard *shard;       /* [nshards]                                                                       */
    struct sw_sweep_identity identity;  /* of the sweep to measure, else of shard `of_shard`                         */
    int     of_shard;             /* the first shard whose sweep is known; 0: it was known before                    */
    bool    known;                /* the sweep is, and how many runs each shard has                                  */
    bool    submitted;            /* FILE.jobs is there                                                              */
    bool    by_files;             /* ages are by the file system's clock                                             */
    int64_t runs, done, diverged, failed, pending;
    int     count[SW_SHARD_STATE_COUNT];
    double  fraction, rate, eta;  /* rate: points times steps a second of those that run; eta: with these            */
};

/** The shards of FILE: those that were submitted, or those of a known sweep, and how many runs each has; otherwise
 * that becomes known with the first shard that has stored its config.
 * @param known    the sweep, with its id or without one: that of the first shard counts; NULL: it is not known
 * @param monitor  out: free with sw_monitor_free(); NULL: it has none, or FILE is there and counts by itself
 * @return SW_E_USAGE there are several cuts, and --shards does not say which, or there is not this one; SW_E_IO;
 *         SW_E_MEMORY; as sw_sweep_shares() */
enum sw_status sw_monitor_open(struct sw_cli *cli, const char *file, const struct cli_sweep *known,
                               struct sw_monitor **monitor);

/** Look, or look again: at what has changed since. A shard that cannot be read is in that state.
 * @return SW_E_IO the folder cannot be read; SW_E_CONFIG a stored config is none; SW_E_MEMORY */
enum sw_status sw_monitor_look(struct sw_monitor *monitor, struct sw_cli *cli);
void sw_monitor_free(struct sw_monitor **monitor);
#endif
