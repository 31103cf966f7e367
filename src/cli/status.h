#ifndef STATUS_H
#define STATUS_H
/* `sweep status`: cmd_status.c decides what is asked for, status_one.c tells of one file, status_shards.c looks at the
 * shards of a sweep, status_queue.c asks Slurm about them, status_print.c tells. */
#include "base/sw_clock.h"
#include "cli/cli_impl.h"
#include "results/sw_life.h"

/* ---- status_one.c */
/** @param sign  from {0}, the same one each time  @param finished  out: all its runs are in, and nobody is at it */
enum sw_status status_one(struct sw_cli *cli, const char *file, struct sw_sign *sign, bool *finished);

/* ---- status_shards.c */
#define STATUS_STATES(X)                                                                                               \
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
#define X(name, text) STATUS_##name,
enum status_state { STATUS_STATES(X) STATUS_STATE_COUNT };
#undef X
extern const char *const status_names[];

struct status_shard {
    enum status_state state;
    bool    saw_file, saw_folder; /* in the folder of the output                                                     */
    bool    has_file, has_parts;  /* when they were read                                                             */
    int64_t runs, done, diverged, failed;
    double  part;                 /* of the shard that is computed, 0 to 1; what is in a checkpoint is not counted   */
    struct sw_running now;       /* of a running, silent or dead one                                                */
    struct sw_results_of of;      /* of what it is: what it has stored, or who computes it says                      */
    struct sw_sign sign;
    double  written;              /* when its folder last changed, as we read its parts                              */
    char    job[32], job_state[24], reason[40];  /* "17_3", "PENDING", "Priority"; "" if Slurm does not know it      */
    char    message[160];         /* why it is unreadable, or foreign                                                */
};
struct status_sweep {
    char   *file;                 /* of the whole sweep                                                              */
    int     nshards;
    struct status_shard *shard;   /* [nshards]                                                                       */
    struct sw_results_of of;      /* which sweep: of the config if it is known, else of the first shard that says it */
    int     of_shard;             /* that shard; 0: the config                                                       */
    bool    known;                /* the config is, and how many runs each shard has                                  */
    bool    submitted;            /* FILE.jobs is there                                                              */
    bool    by_files;             /* ages are by the file system's clock                                             */
    int64_t runs, done, diverged, failed, pending;
    int     count[STATUS_STATE_COUNT];
    double  fraction, rate, eta;  /* rate: points times steps a second of those that run; eta: with these            */
};
/** Does FILE have shards, and are they what is to be told of? A file that is there, whole or begun, speaks for itself.
 * @param known    the sweep, if a config was given; NULL: that of FILE.jobs, or one that a shard holds
 * @param nshards  the cut that is meant; 0: the only one there is
 * @param sweep    out: free with status_sweep_free(); NULL: it has none
 * @return SW_E_USAGE there are several cuts, or not this one */
enum sw_status status_sweep_find(const char *file, const struct cli_sweep *known, int nshards,
                                 struct status_sweep **sweep);
/** Look again. */
enum sw_status status_sweep_look(struct sw_cli *cli, struct status_sweep *sweep);
void status_sweep_free(struct status_sweep **sweep);

/* ---- status_queue.c: what Slurm says of the jobs of FILE.jobs, into job, job_state and reason. No Slurm: nothing */
void status_queue(struct status_sweep *sweep);

/* ---- status_print.c */
struct status_page { int columns, rows; };  /* 0: without end */
struct status_page status_page(void);       /* of stdout */
void status_print(const struct sw_cli *cli, const struct status_sweep *sweep, struct status_page page);
void status_print_line(const struct sw_cli *cli, const struct status_sweep *sweep);
void status_print_json(const struct status_sweep *sweep);
#endif
