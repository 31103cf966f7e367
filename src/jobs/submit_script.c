/* The two jobs of a submission as scripts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobs/jobs_impl.h"

double sw_submit_seconds(const char *time)
{
    static const double minutes_first[] = {60, 1}, hours_first[] = {3600, 60, 1};
    double days = 0, part[3];
    int count = 0;
    char *end;
    const char *p = time, *dash = strchr(time, '-');
    if (!strcmp(time, "UNLIMITED") || !strcmp(time, "0")) return 0;
    if (dash) {
        days = (double)strtoul(time, &end, 10);
        if (end != dash || strspn(time, "0123456789") == 0) return -1;
        p = dash + 1;
    }
    for (;; p = end + 1) {
        if (count == 3 || strspn(p, "0123456789") == 0) return -1;
        part[count++] = (double)strtoul(p, &end, 10);
        if (*end != ':') break;
    }
    if (*end) return -1;
    const double *unit = dash || count == 3 ? hours_first : minutes_first;
    double seconds = 86400 * days;
    for (int k = 0; k < count; k++) seconds += part[k] * unit[k];
    return seconds;
}

static void directive(struct sw_text *text, const char *name, const char *value)
{
    if (!value) return;
    sw_text_printf(text, "#SBATCH --%s=", name);
    sw_text_add_word(text, value);
    sw_text_add(text, "\n");
}

/* sbatch fills in %a and the like: a % of the folder's own is doubled. */
static void put_log(const struct sw_submit *u, const char *name, struct sw_text *text)
{
    struct sw_text path = {0};
    for (const char *p = u->folder; *p; p++) sw_text_add_bytes(&path, *p == '%' ? "%%" : p, *p == '%' ? 2 : 1);
    sw_text_printf(&path, "/%s", name);
    directive(text, "output", sw_text_get(&path));
    sw_text_free(&path);
}

/* "night" of ".../night.h5". */
static void put_name(const struct sw_submit *u, struct sw_text *text)
{
    const char *slash = strrchr(u->file, '/'), *base = slash ? slash + 1 : u->file, *dot = strrchr(base, '.');
    struct sw_text name = {0};
    sw_text_add_bytes(&name, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
    directive(text, "job-name", sw_text_get(&name));
    sw_text_free(&name);
}

static void put_common(const struct sw_submit *u, struct sw_text *text)
{
    sw_text_add(text, "#SBATCH --nodes=1\n#SBATCH --ntasks=1\n");
    directive(text, "time", u->desc.time);
    directive(text, "partition", u->desc.job.partition);
    directive(text, "account", u->desc.job.account);
    sw_text_add(text, "#SBATCH --requeue\n#SBATCH --open-mode=append\n");
}

static void put_option(struct sw_text *text, const char *option, const char *value)
{
    if (!value) return;
    sw_text_printf(text, " %s ", option);
    sw_text_add_word(text, value);
}

static void put_run(const struct sw_submit *u, struct sw_text *text)
{
    const struct sw_submit_desc *desc = &u->desc;
    char threads[16];
    sw_text_add_word(text, u->program);
    sw_text_add(text, " run ");
    sw_text_add_word(text, u->config);
    for (int k = 0; k < desc->noverrides; k++) put_option(text, "-s", desc->override[k]);
    put_option(text, "--only", desc->only);
    put_option(text, "--device", desc->device ? desc->device : desc->job.gpus > 1 ? "cuda" : NULL);
    snprintf(threads, sizeof threads, "%d", desc->threads);
    if (desc->threads) put_option(text, "-j", threads);
    else sw_text_add(text, " -j \"${SLURM_CPUS_ON_NODE:-1}\"");
    put_option(text, "-o", u->file);
    sw_text_printf(text, " --shard \"$shard/%d\"", desc->shards);
}

static void put_shards_job(const struct sw_submit *u, struct sw_text *text)
{
    const struct sw_submit_desc *desc = &u->desc;
    sw_text_add(text, "#!/bin/sh\n# Made by `sweep submit`: each task of this job array computes one shard.\n");
    put_name(u, text);
    sw_text_add(text, "#SBATCH --array=");
    sw_text_add(text, sw_text_get(&u->list));
    if (desc->job.max_parallel) sw_text_printf(text, "%%%d", desc->job.max_parallel);
    sw_text_add(text, "\n");
    put_common(u, text);
    sw_text_printf(text, "#SBATCH --cpus-per-task=%d\n", desc->job.cpus ? desc->job.cpus : 1);
    if (desc->job.gpus > 1) sw_text_printf(text, "#SBATCH --gres=gpu:%d\n", desc->job.gpus - 1);
    put_log(u, "shard-%a.log", text);
    sw_text_printf(text, "#SBATCH --signal=B:USR1@%ld\n", u->warning);
    sw_text_printf(text,
                   "\nshard=${SLURM_ARRAY_TASK_ID:?is set by sbatch}\n"
                   "echo \"shard $shard of %d, job $SLURM_JOB_ID on $(hostname), $(date)\"\n", desc->shards);
    sw_text_add(text, "# Slurm's signals come to this shell. USR1: the time limit is near. TERM: scancel, a\n"
                      "# pre-emption, the limit itself; what happens next is up to Slurm. At either, sweep leaves a\n"
                      "# checkpoint and exits 75.\n"
                      "code=127 warned= trapped=\n"
                      "trap 'trapped=1 warned=1; kill -USR1 \"$sweep\"' USR1\n"
                      "trap 'trapped=1; kill -TERM \"$sweep\"' TERM\n");
    put_run(u, text);
    sw_text_add(text, " &\nsweep=$!\n"
                      "while :; do  # a signal ends wait, but not what is waited for\n"
                      "    trapped=\n"
                      "    wait \"$sweep\"; ended=$?\n"
                      "    [ \"$ended\" = 127 ] || code=$ended\n"
                      "    [ \"$trapped\" ] || break\n"
                      "done\n"
                      "if [ \"$code\" = 75 ] && [ \"$warned\" ]; then\n"
                      "    echo \"shard $shard: queued again, to go on from its checkpoint\"\n"
                      "    scontrol requeue \"$SLURM_JOB_ID\" && exit 0\n"
                      "fi\n"
                      "[ \"$code\" = 1 ] && code=0  # runs that diverged are results\n"
                      "exit \"$code\"\n");
}

static void put_merge_job(const struct sw_submit *u, struct sw_text *text)
{
    sw_text_add(text, "#!/bin/sh\n"
                      "# Made by `sweep submit`: joins the files of the shards when none is left in the queue.\n");
    put_name(u, text);
    put_common(u, text);
    put_log(u, "merge.log", text);
    sw_text_add(text, "\nfile=");
    sw_text_add_word(text, u->file);
    sw_text_add(text, "\nsweep=");
    sw_text_add_word(text, u->program);
    sw_text_add(text, "\nlogs=");
    sw_text_add_word(text, u->folder);
    sw_text_add(text, "\nagain=");
    sw_text_add_word(text, u->go_on);
    sw_text_add(text, "\n[ ! -e \"$file\" ] || { echo \"$file is there\"; exit 0; }\n"
                      "set --\nmissing= k=1\n");
    sw_text_printf(text, "while [ $k -le %d ]; do\n    part=", u->desc.shards);
    sw_shard_add_word(text, u->file, "\"$k\"", u->desc.shards);
    sw_text_printf(text,
                   "\n    if [ -e \"$part\" ]; then set -- \"$@\" \"$part\"; else missing=\"$missing $k\"; fi\n"
                   "    k=$((k + 1))\ndone\n"
                   "if [ \"$missing\" ]; then\n"
                   "    echo \"not merged: of %d shards, these are not finished:$missing\"\n"
                   "    echo \"why: $logs/shard-NUMBER.log; to go on: $again\"\n"
                   "    exit 1\nfi\n", u->desc.shards);
    sw_text_add(text, "\"$sweep\" merge \"$@\" -o \"$file\"; code=$?\n"
                      "[ \"$code\" = 1 ] && code=0  # runs that diverged are results\n"
                      "exit \"$code\"\n");
}

enum sw_status sw_submit_scripts(const struct sw_submit *u, struct sw_text *shards, struct sw_text *merge)
{
    put_shards_job(u, shards);
    put_merge_job(u, merge);
    SW_TRY(sw_text_status(shards));
    return sw_text_status(merge);
}
