#ifndef JOBS_IMPL_H
#define JOBS_IMPL_H
/* Between the files of this folder: submit.c decides what is to do, job_script.c writes the scripts, submit_folder.c
 * reads and writes what lies in FILE.jobs; monitor.c finds the shards of a sweep and looks at them, shard_state.c
 * decides their states; slurm.c talks to Slurm for both. */
#include "cli/jobs/sw_monitor.h"
#include "cli/jobs/sw_submit.h"
#include "store/files/sw_output.h"

/* ---- submit_folder.c */
char *jobs_inside(const char *folder, const char *name);  /* "folder/name"; sw_free() */
/** Add a file to a text. @return SW_E_IO, SW_E_MEMORY */
enum sw_status jobs_read(const char *path, struct sw_text *text);
/** By rename. @return SW_E_IO, SW_E_MEMORY */
enum sw_status jobs_write(const char *folder, const char *name, const struct sw_text *text);

/* ---- slurm.c */
/** @return SW_E_ABSENT there is no sbatch */
enum sw_status slurm_find_sbatch(const struct sw_submit *u);
/** Run a program and keep what it prints; its errors go to our stderr, unless quiet.
 * @return false: it is not there, or failed */
bool slurm_ask(char *const *argv, bool quiet, struct sw_text *answer);
/** Submit FILE.jobs/SCRIPT. @param after jobs to wait for, ":17:23"; "" for none  @param id out: the job's number */
enum sw_status slurm_submit(const struct sw_submit *u, const char *script, const char *after, char id[32]);
/** Take shards that are in the queue already off the list, and remember their jobs. Of a dry submission, where Slurm
 * does not answer, none are. @return SW_E_IO it does not; SW_E_ABSENT it is not there; SW_E_MEMORY */
enum sw_status slurm_skip_queued(struct sw_submit *u);
/** What Slurm says of the jobs of FILE.jobs, into job, job_state and reason. No Slurm: nothing. */
void slurm_find_jobs(struct sw_monitor *m);
#endif
