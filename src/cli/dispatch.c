#include <fcntl.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_late.h"
#include "base/sw_mem.h"
#include "cli/console.h"
#include "cli/run_messages.h"
#include "cli/multi_process.h"
#include "cli/signals.h"

/* ---- a library that ends the program: libgomp does, with exit code 1, when the system gives it no thread or no
 * memory. That code says that runs have diverged; such an end has the code of a device or memory, 4. */

static atomic_bool watched;  /* false: this is an end of the program's own */

/* The library has said why. Other threads still run, so nothing is cleaned up: what is on disk is whole anyhow. */
static void on_library_exit(int code, void *user)
{
    static const char text[] =
        "error: a library has ended the program (see above), mostly for want of threads or of memory; "
        "raise `ulimit -u` or `ulimit -v`, or use fewer threads (-j)\n";
    (void)user;
    if (!watched || (code > 1 && code <= sw_status_exit_code(SW_E_IO))) return;  /* sw_message_abort_job() */
    sw_late_stderr_wait(1, NULL);
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(sw_status_exit_code(SW_E_MEMORY));
}

/* After MPI has begun: what was asked for last is done first at exit, and MPI would wait for the other processes. */
static void watch_for_library_exit(void)
{
    watched = true;
    on_exit(on_library_exit, NULL);
}

/* ---- */

/* A terminal that is gone, and a stream that the caller has closed (main() holds its place, for reading), want nothing
 * of what is said. */
static bool must_reach(const struct sw_cli *cli, int fd)
{
    return !cli->terminal && (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
}

/* Output that did not reach its file or pipe is a failure. */
static enum sw_status flush_output(struct sw_cli *cli)
{
    if (fflush(stdout) || ferror(stdout)) return SW_FAIL(SW_E_IO, "standard output: could not write all of it");
    SW_TRY(event_log_close(cli));
    const bool lost = fflush(stderr) || ferror(stderr) || !console_wait(cli);
    if (lost && must_reach(cli, STDERR_FILENO))
        return SW_FAIL(SW_E_IO, "standard error: could not write all of it");
    return SW_OK;
}

#define X(bit, name, arguments, least, most, about) cmd_##name,
static enum sw_status (*const perform[])(struct sw_cli *cli) = {CLI_COMMANDS(X)};
#undef X

/* The code of what failed, or was stopped, stands: a script goes by it. */
static enum sw_status perform_command(struct sw_cli *cli)
{
    enum sw_status st = SW_OK;
    struct sw_err_kept kept = {0};
    watch_for_library_exit();
    if (cli->threads) omp_set_num_threads(cli->threads);
    st = perform[cli->command - cli_command_table](cli);
    sw_err_keep(&kept, st);
    enum sw_status lost = flush_output(cli);
    if (!lost || (!st && cli->exit_code <= 1)) return lost ? lost : st;
    sw_cli_print_error(cli, lost);
    return sw_err_raise(&kept);
}

enum sw_status sw_cli_dispatch(struct sw_cli *cli) { return multi_process_run(cli, perform_command); }

int sw_cli_end(struct sw_cli **cli, enum sw_status st)
{
    struct sw_cli *c = *cli;
    int code = cli_exit_code(st);
    watched = false;
    if (!c) return code;
    console_wait(c);
    if (!st) code = c->exit_code;
    if (c->muted && c->reported) code = 0;  /* rank 0 returns the exit code of the job */
    event_log_close(c);
    cli_free(cli);
    return code;
}
