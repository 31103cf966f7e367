/* The options of a submission: written as words, and parsed again. */
#include "cli/submit_words.h"

#include <string.h>

#include "base/sw_mem.h"
#include "jobs/sw_submit.h"

static void line(struct sw_text *text, const char *option, const char *value)
{
    if (value) sw_text_printf(text, "%s\n%s\n", option, value);
}

static void line_number(struct sw_text *text, const char *option, int value)
{
    if (value) sw_text_printf(text, "%s\n%d\n", option, value);
}

void submit_words(const struct sw_cli *cli, struct sw_text *text)
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

/* "sweep submit CONFIG WORD..."; the words lie in text. */
static enum sw_status split(char *text, char *config, char ***argv, int *argc)
{
    size_t lines = 0;
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

enum sw_status submit_stored_open(const char *file, bool needed, struct submit_stored *stored)
{
    bool there = true;
    int argc;
    SW_TRY(sw_submit_stored(file, &stored->words, &stored->config, needed ? NULL : &there));
    if (!there) return SW_OK;
    SW_TRY(split(stored->words.data, stored->config, &stored->argv, &argc));
    return sw_cli_parse(argc, stored->argv, &stored->cli);
}

void submit_stored_close(struct submit_stored *stored, enum sw_status st)
{
    sw_cli_end(&stored->cli, st);
    sw_free(stored->argv);
    sw_free(stored->config);
    sw_text_free(&stored->words);
}
