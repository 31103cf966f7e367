#ifndef SUBMIT_H
#define SUBMIT_H
/* `sweep submit`: cmd_submit.c decides what is to do, submit_script.c writes it down, submit_slurm.c talks to Slurm.
 *
 * Beside FILE is FILE.jobs/: sweep.cfg, a copy of the config, so that editing it does not change what waits in the
 * queue; arguments, the options it was submitted with, one word a line; shards.sh and merge.sh, the two jobs; jobs, the
 * numbers that Slurm gave them; shard-I.log and merge.log, what they said. All names in them are absolute. */
#include "cli/cli_impl.h"

struct submit {
    struct sw_cli   *cli;        /* the settings: as typed, or stored                                         */
    struct cli_sweep s;          /* the whole sweep; s.file is absolute                                       */
    char  *program, *config, *folder;  /* absolute                                                            */
    bool  *wanted;               /* [cli->shards] which shards are to be submitted: not finished, not queued  */
    int    count;                /* how many                                                                  */
    long   warning;              /* seconds before the time limit at which a shard is told to stop            */
    struct sw_text alive;        /* ":17:23": jobs of ours in the queue                                        */
};

/* ---- submit_stored.c */
struct submit_stored {           /* from {0}; the options of a submission, as if typed                        */
    struct sw_cli *cli;
    char   *config;              /* FILE.jobs/sweep.cfg                                                       */
    char  **argv;                /* what cli points into                                                      */
    struct sw_text words;
};
/** @return SW_E_IO there are none; SW_E_USAGE they are not what was written; to be closed in any case */
enum sw_status submit_stored_open(const char *file, struct submit_stored *stored);
void submit_stored_close(struct submit_stored *stored, enum sw_status st);
char *submit_inside(const char *folder, const char *name);  /* "folder/name"; sw_free() */
enum sw_status submit_read(const char *path, struct sw_text *text);

/* ---- submit_script.c */
void submit_word(struct sw_text *text, const char *word);      /* quoted for a shell, and for an #SBATCH line */
void submit_list(const struct submit *u, struct sw_text *text);  /* "1-3,7" */
void submit_shards_script(const struct submit *u, struct sw_text *text);
void submit_merge_script(const struct submit *u, struct sw_text *text);
void submit_arguments(const struct sw_cli *cli, struct sw_text *text);
/** A time limit as sbatch takes it, in seconds: "90" (minutes), "1:30", "2:00:00", "1-12", "1-12:30"; < 0: it is none;
 * 0: no limit. */
double submit_seconds(const char *time);

/* ---- submit_slurm.c */
/** @return SW_E_ABSENT there is no sbatch */
enum sw_status submit_find_sbatch(const struct submit *u);
/** Run a program and take down what it prints; what it complains of goes to our stderr, unless quiet.
 * @return false: it is not there, or failed */
bool submit_ask(char *const *argv, bool quiet, struct sw_text *answer);
/** Submit FILE.jobs/SCRIPT. @param after jobs to wait for, ":17:23"; "" for none  @param id out: the job's number */
enum sw_status submit_job(const struct submit *u, const char *script, const char *after, char id[32]);
/** Take shards that are in the queue already off the list, and remember their jobs. No Slurm: none are. */
void submit_look_at_queue(struct submit *u);
#endif
