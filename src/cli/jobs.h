#ifndef JOBS_H
#define JOBS_H
/* A sweep as jobs of Slurm: an array with a task for each shard that is not finished, and a job that merges them; or
 * with --nodes one job, whose processes compute the sweep together: its script is job.sh, and its output job.log.
 *
 * Beside FILE is FILE.jobs/: sweep.cfg, a copy of the config, so that editing it does not change what waits in the
 * queue; arguments, the options of the command, one word a line; shards.sh and merge.sh, the two jobs; jobs, the
 * numbers that Slurm gave them, the newest last; shard-I.log and merge.log, their output. All names in them are
 * absolute.
 *
 * cmd_submit.c decides what is to do, job_script.c writes the scripts, job_folder.c reads and writes what lies in
 * FILE.jobs, slurm.c talks to Slurm, also for shards.c. */
#include "base/sw_text.h"
#include "cli/open_sweep.h"
#include "cli/shards.h"

struct submission {
    struct sw_cli *options;         /* as typed, or stored; with --print the scripts name `source`                   */
    struct cli_sweep sweep;
    const char *source;             /* path of the config                                                            */
    bool   again;                   /* it was submitted before: what is not finished, and not in the queue           */
    char  *file, *program, *config, *folder;  /* absolute; file: the output of all shards, merged; config: that which
                                     * jobs read; folder: FILE.jobs                                                  */
    char  *go_on;                   /* what to type for what is not finished: "sweep submit --missing FILE"          */
    bool   done;                    /* all runs are in FILE: there is nothing to submit                              */
    bool  *wanted;                  /* [shards] not finished, and not in the queue                                   */
    int    count;                   /* how many                                                                      */
    struct sw_text list;            /* which: "1-3,7"                                                                */
    struct sw_text alive;           /* ":17:23": its jobs in the queue                                               */
    long   warning;                 /* seconds before the time limit at which Slurm signals a shard                  */
};

/** Whether it is one job over nodes: `wanted` and `list` are not used, and count is 1 or 0. */
static inline bool is_one_job(const struct submission *u) { return u->options->job.nodes > 0; }
/** Its processes on each node. */
static inline int ranks_per_node(const struct cli_job *j) { return j->node_gpus ? j->node_gpus : j->node_ranks; }

/* ---- job_script.c */
/** The jobs as text. @param shards  or the one job, and merge is left empty  @return SW_E_MEMORY */
enum sw_status job_scripts(const struct submission *u, struct sw_text *shards, struct sw_text *merge);

/* ---- job_folder.c */
char *jobs_inside(const char *folder, const char *name);  /* "folder/name"; sw_free() */
/** Add a file to a text. @return SW_E_IO, SW_E_MEMORY */
enum sw_status jobs_read(const char *path, struct sw_text *text);
/** By rename. @return SW_E_IO, SW_E_MEMORY */
enum sw_status jobs_write(const char *folder, const char *name, const struct sw_text *text);

struct stored_arguments {           /* from {0}; the options of a submission, as if typed                            */
    struct sw_cli *cli;             /* NULL: FILE was not submitted                                                  */
    char   *config;                 /* FILE.jobs/sweep.cfg                                                           */
    char  **argv;                   /* what cli points into                                                          */
    struct sw_text words;           /* one a line                                                                    */
};
/** The options that are kept with jobs, one word a line, for FILE.jobs/arguments. */
void stored_arguments_write(const struct sw_cli *cli, struct sw_text *text);
/** What FILE was submitted with.
 * @param anew  options that count instead of the stored ones; NULL: none
 * @param needed  that FILE was not submitted is a failure; else cli is NULL then
 * @return SW_E_IO there are none; SW_E_USAGE they are not what was written; to be freed in any case */
enum sw_status stored_arguments_read(const char *file, const struct sw_cli *anew, bool needed,
                                     struct stored_arguments *stored);
void stored_arguments_free(struct stored_arguments *stored);

/* ---- slurm.c */
/** @return SW_E_ABSENT there is no sbatch */
enum sw_status slurm_find_sbatch(const struct submission *u);
/** Submit FILE.jobs/SCRIPT. @param after jobs to wait for, ":17:23"; "" for none  @param id out: the job's number */
enum sw_status slurm_submit(const struct submission *u, const char *script, const char *after, char id[32]);
/** Take shards that are in the queue already off the list, and remember their jobs. Of a dry submission, where Slurm
 * does not answer, none are. @return SW_E_IO it does not; SW_E_ABSENT it is not there; SW_E_MEMORY */
enum sw_status slurm_skip_queued(struct submission *u);
/** What Slurm says of the jobs of FILE.jobs, into job, job_state and reason. No Slurm: nothing. */
void slurm_find_jobs(struct sw_monitor *m);
#endif
