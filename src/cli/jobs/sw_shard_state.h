#ifndef SW_SHARD_STATE_H
#define SW_SHARD_STATE_H
/* The state of a shard, of an output file that is not cut into shards, and of all shards of a sweep: decided here
 * alone, from what lies on disk, whether its process lives, and what Slurm says of its job. */
#include "store/files/sw_status_file.h"

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

/** With what Slurm says of its job, "PENDING"; "": nothing. The files count: they are newer than what Slurm knows, and
 * the result is what is in them. */
enum sw_shard_state sw_shard_state_with_job(enum sw_shard_state state, const char *job_state);

/** Of all shards: "done", "running", "queued" or "interrupted". @param count  [SW_SHARD_STATE_COUNT] */
const char *sw_sweep_state(const int *count, int nshards);
/** Of one output file: "finished", "running" or "interrupted". */
const char *sw_file_state(enum sw_shard_state state);
#endif
