/* The two jobs of a submission as scripts, and its options as text. */
#include <stdlib.h>
#include <string.h>

#include "cli/submit.h"

void submit_word(struct sw_text *text, const char *word)
{
    if (*word && !strpbrk(word, " \t'\"\\$&|;<>()*?!`[]{}#~")) { sw_text_add(text, word); return; }
    sw_text_add(text, "'");
    for (; *word; word++)
        if (*word == '\'') sw_text_add(text, "'\\''");
        else sw_text_add_bytes(text, word, 1);
    sw_text_add(text, "'");
}

void submit_list(const struct submit *u, struct sw_text *text)
{
    const int n = u->cli->shards;
    const char *comma = "";
    for (int k = 0; k < n; k++) {
        int last = k;
        if (!u->wanted[k]) continue;
        while (last + 1 < n && u->wanted[last + 1]) last++;
        sw_text_printf(text, "%s%d", comma, k + 1);
        if (last > k) sw_text_printf(text, "-%d", last + 1);
        comma = ",";
        k = last;
    }
}

double submit_seconds(const char *time)
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
    submit_word(text, value);
    sw_text_add(text, "\n");
}

/* sbatch fills in %a and the like: a % of the folder's own is doubled. */
static void put_log(const struct submit *u, const char *name, struct sw_text *text)
{
    struct sw_text path = {0};
    for (const char *p = u->folder; *p; p++) sw_text_add_bytes(&path, *p == '%' ? "%%" : p, *p == '%' ? 2 : 1);
    sw_text_printf(&path, "/%s", name);
    directive(text, "output", sw_text_get(&path));
    sw_text_free(&path);
}

/* "night" of ".../night.h5". */
static void put_name(const struct submit *u, struct sw_text *text)
{
    const char *slash = strrchr(u->s.file, '/'), *base = slash ? slash + 1 : u->s.file, *dot = strrchr(base, '.');
    struct sw_text name = {0};
    sw_text_add_bytes(&name, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
    directive(text, "job-name", sw_text_get(&name));
    sw_text_free(&name);
}

static void put_common(const struct submit *u, struct sw_text *text)
{
    sw_text_add(text, "#SBATCH --nodes=1\n#SBATCH --ntasks=1\n");
    directive(text, "time", u->cli->time);
    directive(text, "partition", u->cli->partition);
    directive(text, "account", u->cli->account);
    sw_text_add(text, "#SBATCH --requeue\n#SBATCH --open-mode=append\n");
}

static void put_option(struct sw_text *text, const char *option, const char *value)
{
    if (!value) return;
    sw_text_printf(text, " %s ", option);
    submit_word(text, value);
}

static void put_run(const struct submit *u, struct sw_text *text)
{
    const struct sw_cli *cli = u->cli;
    char threads[16];
    submit_word(text, u->program);
    sw_text_add(text, " run ");
    submit_word(text, u->config);
    for (int k = 0; k < cli->noverrides; k++) put_option(text, "-s", cli->override[k]);
    put_option(text, "--only", cli->only);
    put_option(text, "--device", cli->device ? cli->device : cli->gpus > 1 ? "cuda" : NULL);
    snprintf(threads, sizeof threads, "%d", cli->threads);
    if (cli->threads) put_option(text, "-j", threads);
    else sw_text_add(text, " -j \"${SLURM_CPUS_ON_NODE:-1}\"");
    put_option(text, "-o", u->s.file);
    sw_text_printf(text, " --shard \"$shard/%d\"", cli->shards);
}

void submit_shards_script(const struct submit *u, struct sw_text *text)
{
    const struct sw_cli *cli = u->cli;
    sw_text_add(text, "#!/bin/sh\n# Made by `sweep submit`: each task of this job array computes one shard.\n");
    put_name(u, text);
    sw_text_add(text, "#SBATCH --array=");
    submit_list(u, text);
    if (cli->max_parallel) sw_text_printf(text, "%%%d", cli->max_parallel);
    sw_text_add(text, "\n");
    put_common(u, text);
    sw_text_printf(text, "#SBATCH --cpus-per-task=%d\n", cli->cpus ? cli->cpus : 1);
    if (cli->gpus > 1) sw_text_printf(text, "#SBATCH --gres=gpu:%d\n", cli->gpus - 1);
    put_log(u, "shard-%a.log", text);
    sw_text_printf(text, "#SBATCH --signal=B:USR1@%ld\n", u->warning);
    sw_text_printf(text,
                   "\nshard=${SLURM_ARRAY_TASK_ID:?is set by sbatch}\n"
                   "echo \"shard $shard of %d, job $SLURM_JOB_ID on $(hostname), $(date)\"\n", cli->shards);
    sw_text_add(text, "# Slurm's signals come to this shell. USR1: the time limit is near. TERM: scancel, a\n"
                      "# pre-emption, the limit itself; what happens next is up to Slurm. At either, sweep leaves a\n"
                      "# checkpoint and exits 75.\n"
                      "warned= trapped=\n"
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

/* ".../night.h5" as ".../night.shard-$k-of-16.h5", in quotes. */
static void put_shard_file(const struct submit *u, struct sw_text *text)
{
    const char *file = u->s.file, *end = strrchr(file, '.');
    struct sw_text stem = {0};
    if (!end || strchr(end, '/')) end = file + strlen(file);
    sw_text_add_bytes(&stem, file, (size_t)(end - file));
    submit_word(text, sw_text_get(&stem));
    sw_text_printf(text, ".shard-\"$k\"-of-%d", u->cli->shards);
    if (*end) submit_word(text, end);
    sw_text_free(&stem);
}

void submit_merge_script(const struct submit *u, struct sw_text *text)
{
    sw_text_add(text, "#!/bin/sh\n"
                      "# Made by `sweep submit`: joins the files of the shards when none is left in the queue.\n");
    put_name(u, text);
    put_common(u, text);
    put_log(u, "merge.log", text);
    sw_text_add(text, "\nfile=");
    submit_word(text, u->s.file);
    sw_text_add(text, "\nsweep=");
    submit_word(text, u->program);
    sw_text_add(text, "\nlogs=");
    submit_word(text, u->folder);
    sw_text_add(text, "\n[ ! -e \"$file\" ] || { echo \"$file is there\"; exit 0; }\n"
                      "set --\nmissing= k=1\n");
    sw_text_printf(text, "while [ $k -le %d ]; do\n    part=", u->cli->shards);
    put_shard_file(u, text);
    sw_text_printf(text,
                   "\n    if [ -e \"$part\" ]; then set -- \"$@\" \"$part\"; else missing=\"$missing $k\"; fi\n"
                   "    k=$((k + 1))\ndone\n"
                   "if [ \"$missing\" ]; then\n"
                   "    echo \"not merged: of %d shards, these are not finished:$missing\"\n"
                   "    echo \"why: $logs/shard-NUMBER.log; to go on: sweep submit --missing $file\"\n"
                   "    exit 1\nfi\n", u->cli->shards);
    sw_text_add(text, "\"$sweep\" merge \"$@\" -o \"$file\"; code=$?\n"
                      "[ \"$code\" = 1 ] && code=0  # runs that diverged are results\n"
                      "exit \"$code\"\n");
}

/* ---- options as text: one word a line, as the parser reads them again */

static void line(struct sw_text *text, const char *option, const char *value)
{
    if (value) sw_text_printf(text, "%s\n%s\n", option, value);
}

static void line_number(struct sw_text *text, const char *option, int value)
{
    if (value) sw_text_printf(text, "%s\n%d\n", option, value);
}

void submit_arguments(const struct sw_cli *cli, struct sw_text *text)
{
    line_number(text, "--shards", cli->shards);
    for (int k = 0; k < cli->noverrides; k++) line(text, "-s", cli->override[k]);
    line(text, "--only", cli->only);
    line(text, "--device", cli->device);
    line_number(text, "-j", cli->threads);
    if (cli->gpus) sw_text_printf(text, "--gpus-per-shard\n%d\n", cli->gpus - 1);
    line_number(text, "--cpus-per-shard", cli->cpus);
    line_number(text, "--max-parallel", cli->max_parallel);
    line(text, "--time", cli->time);
    line(text, "--partition", cli->partition);
    line(text, "--account", cli->account);
    if (cli->npassed) sw_text_add(text, "--\n");
    for (int k = 0; k < cli->npassed; k++) sw_text_printf(text, "%s\n", cli->passed[k]);
}
