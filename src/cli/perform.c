#include <errno.h>
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_mem.h"
#include "cli/cli_impl.h"

static enum sw_status perform(struct sw_cli *cli)
{
    enum sw_status st = SW_OK;
    if (cli->threads) omp_set_num_threads(cli->threads);
    if (cli->version) cli_version();
    else if (cli->help) cli_help(cli->command);
    else st = cli->command->perform(cli);
    /* a result that did not reach its file or pipe is not a result */
    if (!st && (fflush(stdout) || ferror(stdout))) st = SW_FAIL(SW_E_IO, "standard output: could not write all of it");
    return st;
}

enum sw_status sw_cli_perform(struct sw_cli *cli) { return cli_together(cli, perform); }

/* A disk, or what one may have of it. */
static bool is_full(const char *message)
{
    return strstr(message, strerror(ENOSPC)) || strstr(message, strerror(EDQUOT));
}

void sw_cli_complain(struct sw_cli *cli, enum sw_status st)
{
    const char *red = cli && cli->colored ? "\033[1;31m" : "", *plain = cli && cli->colored ? "\033[0m" : "";
    if (cli && cli->silent && cli->told) return;
    /* The first says it, and ends us: mpirun would end it with us, were we to go before it has spoken. 1 s is what
     * Open MPI's mpirun, too, leaves the others once one has ended with an error. */
    if (cli && cli->silent && st == SW_E_USAGE) {
        sleep(1);
        return;
    }
    bool listed = cli && st == SW_E_CONFIG && cli->report.errors;
    if (cli) cli_report(cli);
    if (listed || st == SW_E_STOPPED) return;  /* said already: the list of errors, or how to go on */
    fprintf(stderr, "%serror:%s ", red, plain);
    cli_put(cli, stderr, sw_err_message());
    if (is_full(sw_err_message())) fputs("; make room, then run the same command again", stderr);
    fputc('\n', stderr);
    if (cli && cli->verbose) fprintf(stderr, "  raised at %s\n", sw_err_where());
}

int cli_code(enum sw_status st)
{
    return st == SW_E_STOPPED && cli_stop == SIGINT ? 130 : sw_status_exit_code(st);
}

int sw_cli_end(struct sw_cli **cli, enum sw_status st)
{
    struct sw_cli *c = *cli;
    int code = cli_code(st);
    if (!c) return code;
    if (!st) code = c->exit_code;
    if (c->silent && c->told) code = 0;  /* mpirun ends with that of the first process, which speaks for all */
    cli_log_close(c);
    sw_report_free(&c->report);
    sw_free(c->override);
    sw_free(c->solver_override);
    sw_free(c->command_line);
    sw_free(c);
    *cli = NULL;
    return code;
}
