#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli_impl.h"

struct status {
    const char *file, *state;          /* "running", "finished", "interrupted"         */
    int64_t runs, done, diverged, failed, pending;
    struct cli_running now;            /* while it runs                                */
    int64_t step, steps_of;            /* an unfinished batch: its runs, steps so far  */
};

/* On this machine the process tells; on another one, which shares our file system, only that it wrote lately. */
static bool alive(const struct cli_running *now)
{
    char host[sizeof now->host] = "";
    if (gethostname(host, sizeof host - 1) || strcmp(host, now->host))
        return difftime(time(NULL), (time_t)now->updated) < 120;
    return now->pid > 0 && (kill((pid_t)now->pid, 0) == 0 || errno == EPERM);
}

static void count(const struct cli_sweep *s, const struct sw_ledger *ledger, struct status *v)
{
    v->runs = s->count;
    for (int64_t k = 0; k < s->count; k++) {
        enum sw_run_status one = sw_ledger_status(ledger, s->id[s->run[k]]);
        v->done += one == SW_RUN_DONE;
        v->diverged += one == SW_RUN_DIVERGED;
        v->failed += one == SW_RUN_ERROR;
        v->pending += one == SW_RUN_PENDING;
    }
    for (int k = 0; k < ledger->nbatch; k++) {
        v->steps_of += ledger->batch[k].count;
        v->step = ledger->batch[k].step;
    }
}

static void print_text(const struct sw_cli *cli, const struct status *v)
{
    char eta[24];
    cli_print(cli, "%s  %s", v->file, v->state);
    if (!strcmp(v->state, "running")) cli_print(cli, " (process %lld, %s)", (long long)v->now.pid, v->now.phase);
    if (!strcmp(v->state, "interrupted")) cli_print(cli, "; sweep resume %s goes on", v->file);
    cli_print(cli, "\nruns     %lld: %lld done, %lld diverged, %lld failed, %lld pending\n", (long long)v->runs,
              (long long)v->done, (long long)v->diverged, (long long)v->failed, (long long)v->pending);
    if (v->steps_of)
        cli_print(cli, "begun    %lld runs wait at a checkpoint, the last at step %lld\n", (long long)v->steps_of,
                  (long long)v->step);
    if (strcmp(v->state, "running")) return;
    cli_print(cli, "now      %.0f %%", floor(100 * v->now.fraction));
    if (v->now.end > 0) cli_print(cli, " · t = %.4g of %.4g", v->now.t, v->now.end);
    if (v->now.failed) cli_print(cli, " · %lld diverged", (long long)v->now.failed);
    cli_print(cli, "\nrate     %.2g points·steps/s · ETA %s\n", v->now.rate, cli_duration(v->now.eta, eta));
}

static void print_json(const struct status *v)
{
    struct cli_json j = {.to = stdout, .first = true};
    json_begin(&j, NULL, '{');
    json_text(&j, "file", v->file);
    json_text(&j, "state", v->state);
    json_count(&j, "runs", v->runs);
    json_count(&j, "done", v->done);
    json_count(&j, "diverged", v->diverged);
    json_count(&j, "error", v->failed);
    json_count(&j, "pending", v->pending);
    json_count(&j, "waiting_at_checkpoint", v->steps_of);
    if (!strcmp(v->state, "running")) {
        json_begin(&j, "now", '{');
        json_count(&j, "pid", v->now.pid);
        json_text(&j, "phase", v->now.phase);
        json_real(&j, "fraction", v->now.fraction);
        json_real(&j, "t", v->now.t);
        json_real(&j, "end", v->now.end);
        json_count(&j, "failed", v->now.failed);
        json_real(&j, "points_steps_per_second", v->now.rate);
        json_real(&j, "eta_seconds", v->now.eta);
        json_real(&j, "updated", v->now.updated);
        json_end(&j, '}');
    }
    json_end(&j, '}');
}

/* Before the first part is written, only the running program knows anything. */
static void count_running(struct status *v)
{
    v->runs = v->now.runs;
    v->done = v->now.done;
    v->pending = v->runs - v->done;
}

static enum sw_status count_stored(struct sw_cli *cli, const struct sw_ledger *ledger, struct status *v)
{
    struct cli_sweep s = {0};
    SW_TRY(cli_sweep_stored(cli, v->file, ledger, &s));
    count(&s, ledger, v);
    cli_sweep_close(&s);
    return SW_OK;
}

enum sw_status cmd_status(struct sw_cli *cli)
{
    struct sw_ledger *ledger = NULL;
    struct status v = {.file = cli->argument[0]};
    bool running = cli_status_read(v.file, &v.now) && alive(&v.now);
    enum sw_status st = SW_OK;
    SW_TRY(cli_ledger(cli, v.file, &ledger));
    if (running && !ledger->config_text) count_running(&v);
    else st = count_stored(cli, ledger, &v);
    if (!st) {
        v.state = running ? "running" : v.pending || ledger->has_parts ? "interrupted" : "finished";
        if (cli->json) print_json(&v);
        else print_text(cli, &v);
    }
    sw_ledger_close(&ledger);
    return st;
}
