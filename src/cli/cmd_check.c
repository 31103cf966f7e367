/* sweep check CONFIG...: check_sweep.c does it. */
#include <stdio.h>

#include "base/sw_json.h"
#include "base/sw_text.h"
#include "cli/check_sweep.h"
#include "cli/open_sweep.h"

/* Of a config that is refused; they are on stderr, too. */
static void json_errors(const struct sw_report *report)
{
    struct sw_json j = {.to = stdout, .first = true};
    sw_json_begin(&j, NULL, '{');
    sw_json_begin(&j, "errors", '[');
    for (int k = 0; k < report->count; k++) {
        const struct sw_report_entry *e = &report->entry[k];
        if (e->severity != SW_ERROR) continue;
        sw_json_begin(&j, NULL, '{');
        sw_json_text(&j, "file", e->file);
        sw_json_count(&j, "line", e->line);
        sw_json_text(&j, "text", e->text);
        sw_json_end(&j, '}');
    }
    sw_json_end(&j, ']');
    sw_json_end(&j, '}');
}

static enum sw_status check_one(struct sw_cli *cli, const char *config)
{
    struct cli_sweep s;
    struct sw_text notes = {0};
    if (cli->json) cli->notes = &notes;
    enum sw_status st = cli_sweep_open(cli, config, &s);
    if (st == SW_E_CONFIG && cli->json) json_errors(&cli->report);
    if (!st) {
        st = check_sweep(cli, &s);
        cli_sweep_close(&s);
    }
    cli->notes = NULL;
    sw_text_free(&notes);
    return st;
}

enum sw_status cmd_check(struct sw_cli *cli)
{
    int worst = 0;
    if (cli->json && cli->list) return SW_FAIL(SW_E_USAGE, "--list prints a table as CSV, --json the plan: not both");
    if (cli->json && cli->narguments > 1)
        return SW_FAIL(SW_E_USAGE, "--json prints one object: one config at a time, not %d", cli->narguments);
    for (int k = 0; k < cli->narguments; k++) {
        enum sw_status st = check_one(cli, cli->argument[k]);
        if (st) sw_cli_print_error(cli, st);
        if (cli_exit_code(st) > worst) worst = cli_exit_code(st);
    }
    cli->exit_code = worst;
    return SW_OK;
}
