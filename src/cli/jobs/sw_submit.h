#ifndef SW_SUBMIT_H
#define SW_SUBMIT_H
/* A sweep as jobs of Slurm: an array with a task for each shard that is not finished, and a job that merges them.
 *
 * Beside FILE is FILE.jobs/: sweep.cfg, a copy of the config, so that editing it does not change what waits in the
 * queue; arguments, the options of the command, one word a line; shards.sh and merge.sh, the two jobs; jobs, the
 * numbers that Slurm gave them, the newest last; shard-I.log and merge.log, their output. All names in them are
 * absolute. */
#include "base/sw_text.h"
#include "cli/jobs/sw_warnings.h"
#include "sweep/sw_sweep.h"

struct sw_job_options {             /* what a job gets; 0 or NULL: not given                                         */
    int             cpus, gpus;     /* of a shard: CPUs, else 1; 1 + its GPUs                                        */
    int             max_parallel;   /* shards at a time; else no limit                                               */
    int             threads;        /* of a shard; else as many as it has CPUs                                       */
    const char     *device;         /* as `sweep run` takes it; else all GPUs of the shard, if it has some           */
    const char     *time;           /* the limit                                                                     */
    const char     *partition, *account;  /* all three as sbatch takes them                                          */
    const char     *trust;          /* as `sweep run` takes it                                                       */
    char          **passed;         /* [npassed] further arguments of sbatch                                         */
    int             npassed;
};

/* The options of a job: how a user gives each, and which field of the templates (shards.sh.tmpl, merge.sh.tmpl) it
 * fills. A further one is a member above, a row here and a line there. */
struct sw_job_option {
    const char *option;             /* "--partition"                                                                 */
    const char *field;              /* "partition"; NULL: in no field of its own                                     */
    size_t      offset;             /* in struct sw_job_options                                                      */
    bool        number;             /* an int, 0 where it is not given; else a text                                  */
    int         more;               /* by so much the int is larger than what is given                               */
};
extern const struct sw_job_option sw_job_option_table[];  /* ends with option NULL */
int         *sw_job_option_number(const struct sw_job_option *option, const struct sw_job_options *job);
const char **sw_job_option_text(const struct sw_job_option *option, const struct sw_job_options *job);

struct sw_submit_desc {             /* what is to be submitted; all of it borrowed until sw_submit_close()           */
    const struct sw_sweep *sweep;
    const uint64_t *id;             /* [sweep->nruns]                                                                */
    const int64_t  *run;            /* [count] those asked for, by `only`                                            */
    int64_t         count;
    const char     *file;           /* the output of all shards, merged                                              */
    const char     *source;         /* path of the config                                                            */
    const char     *words;          /* how to ask for this again, one word a line, for sw_submit_stored()            */
    bool            again;          /* it was submitted before: what is not finished, and not in the queue           */
    bool            dry;            /* the scripts are wanted, and nothing else: they name `source`                  */

    int             shards;         /* >= 1                                                                          */
    const char *const *override;    /* [noverrides] of the config, "key=value"                                       */
    int             noverrides;
    const char     *only;           /* as `sweep run` takes it; NULL: none                                           */
    struct sw_job_options job;
};

struct sw_submit {                  /* read only to others                                                           */
    struct sw_submit_desc desc;
    char  *file, *program, *config, *folder;  /* absolute; the config that jobs read                                 */
    char  *go_on;                   /* what to type for what is not finished: "sweep submit --missing FILE"          */
    bool   done;                    /* all runs are in FILE: there is nothing to submit                              */
    bool  *wanted;                  /* [shards] not finished, and not in the queue                                   */
    int    count;                   /* how many                                                                      */
    struct sw_text list;            /* which: "1-3,7"                                                                */
    struct sw_text alive;           /* ":17:23": its jobs in the queue                                               */
    long   warning;                 /* seconds before the time limit at which Slurm signals a shard                  */
};

/** A time limit as sbatch takes it, in seconds: "90" (minutes), "1:30", "2:00:00", "1-12", "1-12:30"; < 0: it is none;
 * 0: no limit. */
double sw_submit_seconds(const char *time);

/** Look which shards are not finished, and which of these Slurm has in its queue. Nothing is written.
 * @param submit  out: free with sw_submit_close(), also after a failure
 * @return SW_E_USAGE more shards than runs, or a name that scripts or shards cannot have; SW_E_REFUSED it was
 *         submitted before (and not `again`), a file is of another sweep, or FILE is there and lacks runs; SW_E_ABSENT
 *         it was submitted, but there is no Slurm here; SW_E_IO, also where squeue does not answer; SW_E_MEMORY */
enum sw_status sw_submit_open(const struct sw_submit_desc *desc, const struct sw_warnings *warnings,
                              struct sw_submit *submit);
void sw_submit_close(struct sw_submit *submit);

/** The two jobs as text. @return SW_E_MEMORY */
enum sw_status sw_submit_scripts(const struct sw_submit *submit, struct sw_text *shards, struct sw_text *merge);

/** Write FILE.jobs/, all of it anew but for what Slurm and the jobs wrote.
 * @return SW_E_ABSENT there is no sbatch: nothing is written; SW_E_IO; SW_E_MEMORY */
enum sw_status sw_submit_write(const struct sw_submit *submit);

/** Submit the shards that are wanted, and then the merge, which waits for them and for those in the queue.
 * @param id  out: the job's number @return SW_E_IO sbatch refused, with its reason on stderr; SW_E_MEMORY */
enum sw_status sw_submit_shards(struct sw_submit *submit, char id[32]);
enum sw_status sw_submit_merge(struct sw_submit *submit, char id[32]);

/** What FILE was submitted with.
 * @param words, config  out: as in the description; the path of the config. To be freed, also after a failure
 * @param there  out: whether it was submitted; NULL: that it was not is a failure @return SW_E_IO; SW_E_MEMORY */
enum sw_status sw_submit_stored(const char *file, struct sw_text *words, char **config, bool *there);

/** Whether a config is by its path the copy in a FILE.jobs/. */
bool sw_submit_is_copy(const char *config);
#endif
