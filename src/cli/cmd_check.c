/* Everything `sweep run` does before it computes, a short trial of the device, and nothing written. */
#include <string.h>

#include "base/sw_mem.h"
#include "cli/cli_impl.h"

static const double trial_seconds = 0.15;

/* ---- --list */

static void list_row(const struct cli_sweep *s, int64_t run, const double *values, int64_t count, int64_t j)
{
    printf("%lld,%016llx", (long long)run, (unsigned long long)s->id[run]);
    for (int k = 0; k < s->sweep->naxis; k++) {
        const struct sw_column *c = &s->sweep->column[s->sweep->axis[k].column];
        double v = values[(int64_t)s->sweep->axis[k].column * count + j];
        fputc(',', stdout);
        if (c->nword) cli_csv(stdout, c->word[(int)v]);
        else printf("%.17g", v);
    }
    fputc('\n', stdout);
}

static enum sw_status list(const struct cli_sweep *s)
{
    enum { BLOCK = 4096 };
    double *values = NULL;
    printf("run,run_id");
    for (int k = 0; k < s->sweep->naxis; k++) {
        fputc(',', stdout);
        cli_csv(stdout, s->sweep->column[s->sweep->axis[k].column].name);
    }
    fputc('\n', stdout);
    SW_TRY(sw_alloc((size_t)s->sweep->ncolumn * BLOCK, &values));
    enum sw_status st = SW_OK;
    for (int64_t first = 0; first < s->count && !st; first += BLOCK) {
        int64_t count = s->count - first < BLOCK ? s->count - first : BLOCK;
        st = sw_sweep_columns(s->sweep, s->run + first, 0, count, values);
        for (int64_t j = 0; j < count && !st; j++) list_row(s, s->run[first + j], values, count, j);
    }
    sw_free(values);
    return st;
}

/* ---- the report */

/* Kernels for a GPU are compiled here too, wherever their compiler is: an error shows now and not on the machine with
 * the GPU. */
static enum sw_status compile(struct sw_cli *cli, const struct cli_sweep *s, const struct sw_plan *p,
                              const struct sw_device *device)
{
    const struct sw_problem *problem = s->sweep->problem;
    if (!problem->try_compile || !p->ngroup) return SW_OK;
    struct sw_setup setup = sw_sweep_setup(s->sweep, &p->group[0], 1);
    setup.solver = NULL;
    enum sw_status st = problem->try_compile(problem, &setup, device->sm ? device->sm : 90);
    if (st == SW_E_ABSENT) {
        if (cli->verbose) cli_print(cli, "note     not compiled for a GPU: %s\n", sw_err_message());
        return SW_OK;
    }
    return st;
}

static void say_earlier(struct sw_cli *cli, const struct cli_sweep *s, const struct sw_plan *p, const char *refusal)
{
    if (*refusal) cli_print(cli, "note     %s\n", refusal);
    else if (p->done + p->failed)
        cli_print(cli, "there    %lld of %lld runs are in %s already, %lld of them failed\n",
                  (long long)(p->done + p->failed), (long long)s->count, s->file, (long long)p->failed);
}

/* " · 159 steps a run", " · 80 to 640 steps a run"; "" of what takes none. Where they follow from a Courant number this
 * is how they become known. */
static const char *steps_of(const struct sw_plan *p, char text[64])
{
    long long least = 0, most = 0;
    for (int g = 0; g < p->ngroup; g++) {
        const long long steps = p->group[g].steps;
        if (!g || steps < least) least = steps;
        if (!g || steps > most) most = steps;
    }
    text[0] = 0;
    if (least < most) snprintf(text, 64, " · %lld to %lld steps a run", least, most);
    else if (most > 0) snprintf(text, 64, " · %lld step%s a run", most, most == 1 ? "" : "s");
    return text;
}

static enum sw_status report(struct sw_cli *cli, struct cli_sweep *s, const struct sw_plan *p,
                             const struct sw_devices *devices)
{
    char a[24], b[24], c[24], host[24], steps[64];
    struct sw_text name = {0};
    double rate;
    cli_devices_name(devices, &name);
    cli_print(cli, "device   %s · solver %s%s\n", sw_text_get(&name), p->nbatch ? p->solver : "none needed",
              s->sweep->single_steps ? " in single precision" : "");
    sw_text_free(&name);
    cli_print(cli, "memory   %s a run, %s a batch, of %s%s%s\n", cli_memory((double)p->run_bytes, a),
              cli_memory((double)p->batch_bytes, b), cli_memory(cli_devices_memory(devices), c),
              p->host_bytes > 0 ? "; of the host " : "", p->host_bytes > 0 ? cli_memory(p->host_bytes, host) : "");
    cli_print(cli, "batches  %lld%s\n", (long long)p->nbatch, steps_of(p, steps));
    cli_print(cli, "output   ≈ %s %s\n", cli_bytes(p->output_bytes, a), s->file);
    SW_TRY(sw_plan_measure(s->sweep, p, devices, trial_seconds, &rate));
    const double steps_s = rate > 0 ? p->points_steps / rate : 0, batches_s = 1e-3 * CLI_BATCH_MS * (double)p->nbatch;
    if (rate > 0)
        cli_print(cli, "time     ≈ %s at %.2g points·steps/s, by a short trial%s\n", cli_about(steps_s + batches_s, a),
                  rate, batches_s > steps_s ? ", and some 20 ms a batch" : "");
    cli_remarks(cli, s, p, cli_print);
    return compile(cli, s, p, devices->device[0]);
}

enum sw_status cli_check(struct sw_cli *cli, struct cli_sweep *s)
{
    struct sw_devices devices = {0};
    struct sw_ledger *ledger = NULL;
    struct sw_plan *plan = NULL;
    struct sw_text text = {0};
    char refusal[1000] = "";
    if (cli->list) return list(s);
    cli_sweep_headline(s, &text);
    cli_print(cli, "%s\n", sw_text_get(&text));
    sw_text_free(&text);
    cli_settings(cli, s);
    enum sw_status st = cli_ledger(cli, s->file, &ledger);
    if (!st) st = sw_ledger_belongs(ledger, s->file, s->sweep, s->id);
    if (st) {  /* what to do about it is the user's choice; the config is right */
        snprintf(refusal, sizeof refusal, "%s", sw_err_message());
        sw_ledger_close(&ledger);
    }
    st = cli_devices(cli, s, ledger, &devices, NULL);
    if (!st) st = sw_plan_make(s->sweep, s->run, s->count, s->id, ledger, false, &devices, &plan);
    if (!st) say_earlier(cli, s, plan, refusal);
    if (!st) st = report(cli, s, plan, &devices);
    if (st == SW_E_ABSENT) {  /* a config for a GPU is checked on a machine without one */
        cli_print(cli, "note     not planned here: %s\n", sw_err_message());
        st = SW_OK;
    }
    sw_plan_destroy(&plan);
    sw_ledger_close(&ledger);
    sw_devices_close(&devices);
    return st;
}

static enum sw_status check_one(struct sw_cli *cli, const char *config)
{
    struct cli_sweep s;
    SW_TRY(cli_sweep_open(cli, config, &s));
    enum sw_status st = cli_check(cli, &s);
    cli_sweep_close(&s);
    return st;
}

enum sw_status cmd_check(struct sw_cli *cli)
{
    int worst = 0;
    for (int k = 0; k < cli->narguments; k++) {
        enum sw_status st = check_one(cli, cli->argument[k]);
        if (st) sw_cli_complain(cli, st);
        if (cli_code(st) > worst) worst = cli_code(st);
    }
    cli->exit_code = worst;
    return SW_OK;
}
