/* Performing a command, by one process or by those that mpirun has started, and the end of the program. */
#include <fcntl.h>
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_async_stream.h"
#include "base/sw_mem.h"
#include "cli/console.h"
#include "cli/run_messages.h"
#include "cli/signals.h"
#include "comm/sw_comm_impl.h"
#include "comm/sw_launch.h"
#include "device/sw_kernels.h"

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
    sw_async_stderr_wait(1, NULL);
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

/* Messages need not reach a terminal that is gone, or a stream that the caller has closed: main() has put /dev/null,
 * open for reading, in its place. */
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

/* Where the command failed or was stopped, its exit code stands even if output was lost: scripts go by it. */
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

/* ---- hosts and processors: every rank sends its own to all others */

struct rank_info { char host[64]; cpu_set_t mask; };
enum { INFO = (sizeof(struct rank_info) + sizeof(double) - 1) / sizeof(double) };

/* Processors that ranks share are dealt out, each to the one of them that has fewest so far: the same on all ranks.
 * mpirun gives each rank some of its own, or lets all have all. */
static int share_processors(const struct rank_info *info, const int *here, int count, int self)
{
    int *share = NULL, mine;
    if (sw_alloc((size_t)count, &share)) return 1;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        int least = -1;
        for (int k = 0; k < count; k++)
            if (CPU_ISSET((size_t)cpu, &info[here[k]].mask) && (least < 0 || share[k] < share[least])) least = k;
        if (least >= 0) share[least]++;
    }
    mine = share[self] > 0 ? share[self] : 1;
    sw_free(share);
    return mine;
}

static void count_local_ranks(struct sw_cli *cli, const struct rank_info *info, int *here)
{
    const struct sw_comm *comm = cli->comm;
    int count = 0, self = 0;
    for (int r = 0; r < comm->size; r++) {
        if (strcmp(info[r].host, info[comm->rank].host)) continue;
        if (r == comm->rank) self = count;
        here[count++] = r;
    }
    cli->local_rank = self;
    cli->local_ranks = count;
    for (int r = 0; r < comm->size; r++) {
        bool new = true;
        for (int q = 0; q < r; q++) new &= strcmp(info[q].host, info[r].host) != 0;
        cli->hosts += new;
        memcpy(cli->host[r], info[r].host, sizeof *cli->host);
    }
    cpu_set_t all;
    CPU_ZERO(&all);
    for (int k = 0; k < count; k++) CPU_OR(&all, &all, &info[here[k]].mask);
    cli->processors = CPU_COUNT(&all);
    cli->bound = CPU_COUNT(&info[comm->rank].mask);
    if (!cli->threads && !getenv("OMP_NUM_THREADS")) cli->threads = share_processors(info, here, count, self);
}

static enum sw_status gather_ranks(struct sw_cli *cli)
{
    const size_t size = (size_t)cli->comm->size;
    union { struct rank_info info; double number[INFO]; } me = {0};
    double *all = NULL;
    struct rank_info *info = NULL;
    int *here = NULL;
    gethostname(me.info.host, sizeof me.info.host - 1);
    sched_getaffinity(0, sizeof me.info.mask, &me.info.mask);
    enum sw_status st = sw_alloc(size * INFO, &all);
    if (!st) st = sw_alloc(size, &info);
    if (!st) st = sw_alloc(size, &here);
    if (!st) st = sw_alloc(size, &cli->host);
    st = sw_comm_agree(cli->comm, st);
    if (!st) st = sw_comm_gather(cli->comm, INFO, me.number, all);
    for (size_t r = 0; r < size && !st; r++) memcpy(&info[r], all + r * INFO, sizeof *info);
    if (!st) count_local_ranks(cli, info, here);
    sw_free(all);
    sw_free(info);
    sw_free(here);
    return st;
}

/* ---- the part of one process */

static enum sw_status run_rank(const struct sw_comm *comm, void *context)
{
    struct sw_cli *cli = context;
    cli->comm = comm;
    if (comm->rank) {
        cli->quiet = true;
        cli->verbose = cli->bar = false;
        cli->log_path = NULL;
    }
    enum sw_status st = gather_ranks(cli);
    if (!st) st = perform_command(cli);
    cli->comm = sw_comm_null();
    sw_free(cli->host);
    cli->host = NULL;
    return st;
}

static const char *mpi_absent(void)
{
    for (int k = 0; sw_comm_table[k]; k++)
        if (!strcmp(sw_comm_table[k]->name, "mpi")) return sw_comm_table[k]->absent;
    return NULL;
}

/* A grid of `sweep bench` is cut over all processes. */
static bool benches_cut_grid(const struct sw_cli *cli)
{
    bool cut = false;
    for (int k = 0; k < cli->narguments; k++) cut |= strstr(cli->argument[k], "split=") != NULL;
    return cut && cli->command->bit & CLI_BENCH;
}

/* `sweep run`, `sweep resume` and `sweep bench` of a grid that is cut run on all processes that mpirun has started;
 * rank 0 does other commands. */
static enum sw_status run_processes(struct sw_cli *cli)
{
    const struct sw_launch launch = sw_launched();
    const bool all = (cli->command->bit & (CLI_RUN | CLI_RESUME) && !cli->dry_run) || benches_cut_grid(cli);
    if (launch.size == 1 || (!all && !launch.rank)) return perform_command(cli);
    if (!all) return SW_OK;  /* rank 0 does it */
    if (mpi_absent() && launch.rank) return SW_OK;  /* rank 0 prints the error */
    if (mpi_absent())
        return SW_FAIL(SW_E_ABSENT, "%s has started %d processes, but this program cannot have them work together: %s",
                       launch.by, launch.size, mpi_absent());
    if (!benches_cut_grid(cli)) signals_catch();  /* ranks that are killed while MPI begins may leave mpirun waiting */
    enum sw_status st = sw_comm_run("mpi", launch.size, run_rank, cli);
    cli->reported = true;
    return st;
}

enum sw_status sw_cli_dispatch(struct sw_cli *cli) { return run_processes(cli); }

int sw_cli_end(struct sw_cli **cli, enum sw_status st)
{
    struct sw_cli *c = *cli;
    int code = cli_exit_code(st);
    watched = false;
    sw_kernels_end();
    if (!c) return code;
    console_wait(c);
    if (!st) code = c->exit_code;
    if (c->muted && c->reported) code = 0;  /* rank 0 returns the exit code of the job */
    event_log_close(c);
    cli_free(cli);
    return code;
}
