/* The options of a submission: written as words, and parsed again. */
#include <stddef.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "cli/command_line.h"
#include "cli/submit_arguments.h"
#include "jobs/sw_submit.h"

/* The options that may be given anew with --missing. */
static const struct word {
    const char *option;
    size_t      at;                  /* in struct sw_cli                                              */
    bool        number;              /* an int, 0 where it is not given; else a text                  */
    int         more;                /* than is written                                               */
} words[] = {
    {"--device", offsetof(struct sw_cli, device), false, 0},
    {"-j", offsetof(struct sw_cli, threads), true, 0},
    {"--gpus-per-shard", offsetof(struct sw_cli, job.gpus), true, 1},
    {"--cpus-per-shard", offsetof(struct sw_cli, job.cpus), true, 0},
    {"--max-parallel", offsetof(struct sw_cli, job.max_parallel), true, 0},
    {"--time", offsetof(struct sw_cli, time), false, 0},
    {"--partition", offsetof(struct sw_cli, job.partition), false, 0},
    {"--account", offsetof(struct sw_cli, job.account), false, 0},
};
enum { WORDS = sizeof words / sizeof *words };

static int *number_of(const struct word *w, const struct sw_cli *cli) { return (int *)((char *)cli + w->at); }

static const char **text_of(const struct word *w, const struct sw_cli *cli)
{
    return (const char **)((char *)cli + w->at);
}

static void line(struct sw_text *text, const char *option, const char *value)
{
    if (value) sw_text_printf(text, "%s\n%s\n", option, value);
}

void submit_arguments_write(const struct sw_cli *cli, struct sw_text *text)
{
    if (cli->shards) sw_text_printf(text, "--shards\n%d\n", cli->shards);
    for (int k = 0; k < cli->noverrides; k++) line(text, "-s", cli->override[k]);
    line(text, "--only", cli->only);
    for (const struct word *w = words; w < words + WORDS; w++) {
        if (!w->number) line(text, w->option, *text_of(w, cli));
        else if (*number_of(w, cli)) sw_text_printf(text, "%s\n%d\n", w->option, *number_of(w, cli) - w->more);
    }
    if (cli->job.npassed) sw_text_add(text, "--\n");
    for (int k = 0; k < cli->job.npassed; k++) sw_text_printf(text, "%s\n", cli->job.passed[k]);
}

void submit_arguments_override(struct sw_cli *stored, const struct sw_cli *given)
{
    for (const struct word *w = words; w < words + WORDS; w++) {
        if (!w->number && *text_of(w, given)) *text_of(w, stored) = *text_of(w, given);
        else if (w->number && *number_of(w, given)) *number_of(w, stored) = *number_of(w, given);
    }
    if (!given->job.npassed) return;
    stored->job.passed = given->job.passed;
    stored->job.npassed = given->job.npassed;
}

/* "sweep submit CONFIG WORD..."; the words lie in text. */
static enum sw_status split(char *text, char *config, char ***argv, int *argc)
{
    size_t lines = 0;
    if (!text)
        return SW_FAIL(SW_E_USAGE, "the options beside %s, in `arguments`, are gone: remove the folder and submit anew",
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
    SW_TRY(split(stored->words.data, stored->config, &stored->argv, &argc));
    return sw_cli_parse(argc, stored->argv, &stored->cli);
}

void submit_arguments_free(struct submit_arguments *stored, enum sw_status st)
{
    sw_cli_end(&stored->cli, st);
    sw_free(stored->argv);
    sw_free(stored->config);
    sw_text_free(&stored->words);
}
