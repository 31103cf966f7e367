/* The options of a submission: written as words, and parsed again. */
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "cli/command_line.h"
#include "cli/submit_arguments.h"
#include "cli/jobs/sw_submit.h"

static void add_lines(struct sw_text *text, const char *option, const char *value)
{
    if (value) sw_text_printf(text, "%s\n%s\n", option, value);
}

struct sw_job_options submit_job_options(const struct sw_cli *cli)
{
    struct sw_job_options job = cli->job;
    job.device = cli->device;
    job.threads = cli->threads;
    job.time = cli->time;
    return job;
}

void submit_arguments_write(const struct sw_cli *cli, struct sw_text *text)
{
    const struct sw_job_options job = submit_job_options(cli);
    if (cli->shards) sw_text_printf(text, "--shards\n%d\n", cli->shards);
    for (int k = 0; k < cli->noverrides; k++) add_lines(text, "-s", cli->override[k]);
    add_lines(text, "--only", cli->only);
    for (const struct sw_job_option *o = sw_job_option_table; o->option; o++) {
        if (!o->number) add_lines(text, o->option, *sw_job_option_text(o, &job));
        else if (*sw_job_option_number(o, &job))
            sw_text_printf(text, "%s\n%d\n", o->option, *sw_job_option_number(o, &job) - o->more);
    }
    if (job.npassed) sw_text_add(text, "--\n");
    for (int k = 0; k < job.npassed; k++) sw_text_printf(text, "%s\n", job.passed[k]);
}

void submit_arguments_override(struct sw_cli *stored, const struct sw_cli *given)
{
    struct sw_job_options job = submit_job_options(stored);
    const struct sw_job_options anew = submit_job_options(given);
    for (const struct sw_job_option *o = sw_job_option_table; o->option; o++) {
        if (!o->number && *sw_job_option_text(o, &anew)) *sw_job_option_text(o, &job) = *sw_job_option_text(o, &anew);
        else if (o->number && *sw_job_option_number(o, &anew))
            *sw_job_option_number(o, &job) = *sw_job_option_number(o, &anew);
    }
    if (anew.npassed) {
        job.passed = anew.passed;
        job.npassed = anew.npassed;
    }
    stored->job = job;
    stored->device = job.device;
    stored->threads = job.threads;
    stored->time = job.time;
}

/* "sweep submit CONFIG WORD..."; the words lie in text. */
static enum sw_status split_lines(char *text, char *config, char ***argv, int *argc)
{
    size_t lines = 0;
    if (!text)
        return SW_FAIL(SW_E_USAGE, "the file `arguments` beside %s is missing: remove the folder and submit again",
                       config);
    for (const char *p = text; *p; p++) lines += *p == '\n';
    SW_TRY(sw_alloc(lines + 4, argv));
    (*argv)[0] = "sweep";
    (*argv)[1] = "submit";
    (*argv)[2] = config;
    *argc = 3;
    for (char *p = text, *end; (end = strchr(p, '\n')); p = end + 1) {
        *end = 0;
        (*argv)[(*argc)++] = p;
    }
    return SW_OK;
}

enum sw_status submit_arguments_read(const char *file, bool needed, struct submit_arguments *stored)
{
    bool there = true;
    int argc = 0;
    SW_TRY(sw_submit_stored(file, &stored->words, &stored->config, needed ? NULL : &there));
    if (!there) return SW_OK;
    SW_TRY(split_lines(stored->words.data, stored->config, &stored->argv, &argc));
    return sw_cli_parse(argc, stored->argv, &stored->cli);
}

void submit_arguments_free(struct submit_arguments *stored, enum sw_status st)
{
    sw_cli_end(&stored->cli, st);
    sw_free(stored->argv);
    sw_free(stored->config);
    sw_text_free(&stored->words);
}
