/* sweep check CONFIG...: everything `sweep run` does before it computes, a short trial of the device, and nothing
 * written. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_json.h"
#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "cli/console.h"
#include "cli/open_sweep.h"
#include "cli/refine.h"
#include "cli/reuse.h"
#include "cli/run_messages.h"
#include "comm/sw_launch.h"
#include "device/sw_kernels.h"
#include "store/files/sw_output.h"
#include "sweep/sw_refine.h"
#include "sweep/sw_keys.h"

static const double trial_seconds = 0.15;

/* ---- --list */

static void print_run(const struct cli_sweep *s, int64_t run, const double *values, int64_t count, int64_t j)
{
    printf("%lld,%016llx", (long long)run, (unsigned long long)s->id[run]);
    for (int k = 0; k < s->sweep->naxis; k++) {
        const struct sw_column *c = &s->sweep->column[s->sweep->axis[k].column];
        double v = values[(int64_t)s->sweep->axis[k].column * count + j];
        char number[32];
        fputc(',', stdout);
        if (c->nword) console_write_csv(stdout, c->word[(int)v]);
        else fputs(sw_number(v, number), stdout);
    }
    fputc('\n', stdout);
}

static enum sw_status print_run_table(const struct cli_sweep *s)
{
    enum { RUNS_AT_ONCE = 4096 };
    double *values = NULL;
    printf("run,run_id");
    for (int k = 0; k < s->sweep->naxis; k++) {
        fputc(',', stdout);
        console_write_csv(stdout, s->sweep->column[s->sweep->axis[k].column].name);
    }
    fputc('\n', stdout);
    SW_TRY(sw_alloc((size_t)s->sweep->ncolumn * RUNS_AT_ONCE, &values));
    enum sw_status st = SW_OK;
    for (int64_t first = 0; first < s->count && !st; first += RUNS_AT_ONCE) {
        int64_t count = s->count - first < RUNS_AT_ONCE ? s->count - first : RUNS_AT_ONCE;
        st = sw_sweep_columns(s->sweep, s->run + first, 0, count, values);
        for (int64_t j = 0; j < count && !st; j++) print_run(s, s->run[first + j], values, count, j);
    }
    sw_free(values);
    return st;
}

/* ---- the report */

/* What is known when all is planned. */
struct check {
    struct sw_cli *cli;
    struct cli_sweep *s;
    struct sw_devices devices;
    struct sw_completed *completed;
    struct sw_plan *plan;          /* NULL: not planned here; `why` has the reason */
    char   refusal[1000];          /* "": the output file is of this sweep        */
    char   why[4400];
    double rate, seconds;          /* by a short trial; 0: there is nothing to do */
};

static void print_completed(const struct check *c)
{
    const struct sw_plan *p = c->plan;
    if (*c->refusal) console_print(c->cli, "note     %s\n", c->refusal);
    else if (p->done + p->failed)
        console_print(c->cli, "there    %lld of %lld runs are in %s already, %lld of them failed\n",
                      (long long)(p->done + p->failed), (long long)c->s->count, c->s->file, (long long)p->failed);
}

/* Runs that `sweep run` would take from another file, which the plan does not know of yet. */
static enum sw_status print_reuse(const struct check *c)
{
    const char *from;
    int64_t runs = 0;
    SW_TRY(reuse_count(c->cli, c->s, &from, &runs));
    if (from)
        console_print(c->cli, "reuse    %lld of %lld runs from %s, which are counted below as others are\n",
                      (long long)runs, (long long)c->s->count, from);
    return SW_OK;
}

/* @param slices  of slices, 1 of what is not cut; else of steps */
static void range_of_steps(const struct sw_plan *p, bool slices, long long *least, long long *most)
{
    *least = *most = 0;
    for (int g = 0; g < p->ngroup; g++) {
        const struct sw_group_steps steps = sw_group_steps(&p->group[g]);
        const long long few = slices ? 1LL << p->group[g].cut : steps.least, many = slices ? few : steps.most;
        if (!g || few < *least) *least = few;
        if (!g || many > *most) *most = many;
    }
}

/* " · 159 steps a run", " · 80 to 640 steps a run", "16 slices a run, 4 at once"; "" of what takes none. Where steps
 * follow from a Courant number this is how they become known. */
static const char *format_steps(const struct sw_plan *p, bool timed, char text[64])
{
    const char *what = "step";
    long long least, most;
    if (p->ngroup && p->group[0].goals) {
        snprintf(text, 64, " · each run takes steps of its own");
        return text;
    }
    range_of_steps(p, true, &least, &most);
    const bool slices = most > 1;
    if (slices) what = "slice";
    else range_of_steps(p, false, &least, &most);
    text[0] = 0;
    if (!timed && !slices) return text;
    if (least < most) snprintf(text, 64, " · %lld to %lld %ss a run", least, most, what);
    else if (most > 0) snprintf(text, 64, " · %lld %s%s a run", most, what, most == 1 ? "" : "s");
    const size_t used = strlen(text);
    if (slices && p->team > 1) snprintf(text + used, 64 - used, ", %d at once", p->team);
    return text;
}

static enum sw_status measure_rate(struct check *c)
{
    double outputs;
    if (c->s->sweep->own_steps) return SW_OK;  /* adaptive runs choose their steps, so no time is estimated */
    if (c->devices.device[0]->compiles_only) return SW_OK;
    SW_TRY(sw_plan_measure(c->s->sweep, c->plan, &c->devices, trial_seconds, &c->rate, &outputs));
    if (c->rate > 0)
        c->seconds = c->plan->points_steps / c->rate + outputs + 1e-3 * BATCH_OVERHEAD_MS * (double)c->plan->nbatch;
    return SW_OK;
}

/* ", 2 s of it at output times", where these take a tenth of it or more; else "" */
static const char *format_outputs(const struct check *c, char text[64])
{
    char time[24];
    const double rest = c->plan->points_steps / c->rate + 1e-3 * BATCH_OVERHEAD_MS * (double)c->plan->nbatch;
    text[0] = 0;
    if (c->seconds > 1.1 * rest && c->seconds >= 0.1)
        snprintf(text, 64, ", %s of it at output times", format_seconds(c->seconds - rest, time));
    return text;
}

static enum sw_status describe_group(const struct sw_sweep *sweep, const struct sw_group *group, struct sw_text *text)
{
    const struct sw_setup setup = sw_sweep_setup(sweep, group, 1);
    SW_TRY(sweep->problem->advice->describe(&setup, text));
    return sw_text_status(text);
}

/* Of the first group; words that are axes may make that of others another one. */
static enum sw_status print_description(const struct check *c, const struct sw_plan *p)
{
    enum { LOOKED_AT = 1000 };
    const struct sw_sweep *sweep = c->s->sweep;
    struct sw_text first = {0};
    bool same = true;
    if (!sweep->problem->advice->describe || !p->ngroup) return SW_OK;
    enum sw_status st = describe_group(sweep, &p->group[0], &first);
    for (int g = 1; g < p->ngroup && g < LOOKED_AT && same && !st; g++) {
        struct sw_text other = {0};
        st = describe_group(sweep, &p->group[g], &other);
        if (!st) same = !strcmp(sw_text_get(&first), sw_text_get(&other));
        sw_text_free(&other);
    }
    if (!st) console_print(c->cli, "%s", sw_text_get(&first));
    if (!st && !same) console_print(c->cli, "         so the first runs; others differ by the words of axes\n");
    sw_text_free(&first);
    return st;
}

/* "stop     every 0.5: where a run is steady to 1e-8, or max(abs(u)) > 10": as the config has them. */
static void print_stops(const struct check *c)
{
    const struct sw_sweep *sweep = c->s->sweep;
    const struct sw_setting *steady = sw_config_find(sweep->config, "stop.steady"),
                            *every = sw_config_find(sweep->config, "stop.every");
    char number[32];
    if (!sweep->stops) return;
    if (!every) every = sw_config_find(sweep->config, "output.scalars.every");
    const char *text = every->text ? every->text : sw_number(every->number, number);
    console_print(c->cli, "stop     every %s: where ", text);
    if (steady) text = steady->text ? steady->text : sw_number(steady->number, number);
    if (steady) console_print(c->cli, "a run is steady to %s%s", text, sweep->stop_when ? ", or " : "");
    console_print(c->cli, "%s\n", sweep->stop_when ? sweep->stop_when_text : "");
}

/* "steps    time.dt is left out: each run chooses them, with time.tolerance = 1e-4, method = imex3": by defaults. */
static void print_steps(const struct check *c)
{
    const struct sw_sweep *sweep = c->s->sweep;
    const struct sw_key *key = sw_key_find(sweep->problem, sweep->chooses_step ? "time.cfl" : "time.tolerance");
    const struct sw_key *method = sw_key_find(sweep->problem, "method");
    if (!sweep->adaptive || sw_config_find(sweep->config, key->path)) return;
    console_print(c->cli, "steps    time.dt is left out: %s, with %s = %s",
                  sweep->chooses_step ? "the largest that are stable" : "each run chooses them", key->path,
                  key->adaptive);
    for (int k = 0; k < sweep->nchoice && !sw_key_setting(sweep->config, method); k++)
        if (!strcmp(sweep->choice[k].key, "method")) console_print(c->cli, ", method = %s", sweep->choice[k].word);
    console_print(c->cli, "\n");
}

/* Of grids that are cut. */
static enum sw_status print_exchange(const struct check *c, const struct sw_plan *p)
{
    char bytes[24];
    struct sw_comm_traffic t;
    if (p->ranks == 1) return SW_OK;
    if (c->s->sweep->problem->shape->columns) {
        console_print(c->cli, "exchange a row of columns with the next device on each side, in each iteration\n");
        return SW_OK;
    }
    SW_TRY(sw_plan_traffic(c->s->sweep, p, &c->devices, &t));
    const double *messages = t.messages, *numbers = t.numbers,
                 beside = fmax(messages[SW_COMM_LEFTWARD], messages[SW_COMM_RIGHTWARD]),
                 others = p->pencils ? 1 : p->ranks - 1,
                 all = (messages[SW_COMM_TO_ALL] + messages[SW_COMM_FEW_TO_ALL]) / others;
    console_print(c->cli, "exchange %s", beside + all > 0 ? "" : "nothing");
    if (beside > 0) {
        format_memory(sizeof(double) * fmax(numbers[SW_COMM_LEFTWARD], numbers[SW_COMM_RIGHTWARD]), bytes);
        console_print(c->cli, "%s in %.0f message%s to the next device on each side%s", bytes, beside,
                      beside == 1 ? "" : "s", all > 0 ? ", " : "");
    }
    if (all > 0) {
        format_memory(sizeof(double) * (numbers[SW_COMM_TO_ALL] + numbers[SW_COMM_FEW_TO_ALL]) / others, bytes);
        console_print(c->cli, p->pencils ? "%s in %.0f to those in line with it" : "%s in %.0f to all", bytes, all);
    }
    console_print(c->cli, "%s\n", beside + all > 0 ? ", a step" : "");
    return SW_OK;
}

/* Of a plan that has batches. */
static enum sw_status print_means(const struct check *c, const struct sw_plan *p)
{
    char a[24], b[24], m[24], host[24];
    struct sw_text name = {0}, domain = {0};
    SW_TRY(print_description(c, p));
    cli_devices_name(&c->devices, &name);
    cli_devices_tell_choice(c->s, &c->devices, &domain);
    sw_plan_describe_domain(p, &domain);
    console_print(c->cli, "device   %s · solver %s%s\n%s", sw_text_get(&name), p->solver,
                  c->s->sweep->single_steps ? " in single precision" : "", sw_text_get(&domain));
    sw_text_free(&name);
    sw_text_free(&domain);
    SW_TRY(print_exchange(c, p));
    console_print(c->cli, "memory   ");
    if (p->ranks == 1) console_print(c->cli, "%s a run, ", format_memory((double)p->run_bytes, a));
    console_print(c->cli, "%s a batch%s, of %s%s%s\n", format_memory((double)p->batch_bytes, b),
                  p->ranks > 1 ? " on each device" : "", format_memory(cli_devices_memory(&c->devices), m),
                  p->host_bytes > 0 ? "; of the host " : "",
                  p->host_bytes > 0 ? format_memory(p->host_bytes, host) : "");
    return SW_OK;
}

/* Under mpirun the first process plans for all of them. */
static struct sw_plan_sharing sharing_of(const struct sw_devices *devices)
{
    return (struct sw_plan_sharing){sw_comm_null(), devices->count, devices->count, 1, sw_launched().size};
}

/* Where all runs are there: of the whole sweep, as if none was. */
static enum sw_status print_means_of_all(const struct check *c)
{
    const struct cli_sweep *s = c->s;
    const struct sw_plan_desc desc = {.sweep = s->sweep, .run = s->run, .count = s->count, .id = s->id};
    struct sw_plan *all = NULL;
    const struct sw_plan_sharing sharing = sharing_of(&c->devices);
    const enum sw_status planned = sw_plan_make(&desc, &c->devices, &sharing, &all);
    if (planned == SW_E_REFUSED && s->sweep->rungs > 1) return SW_OK;  /* --only leaves out rungs that the file has */
    SW_TRY(planned);
    const enum sw_status st = all->nbatch ? print_means(c, all) : SW_OK;
    sw_plan_destroy(&all);
    return st;
}

/* "ladder   r goes up and down · 3 ladders of 22 rungs side by side" */
static void print_ladder(const struct check *c)
{
    const struct sw_sweep *w = c->s->sweep;
    const char *way, *axis = sw_sweep_ladder_axis(w, &way);
    int64_t ladders = 0;
    if (!axis) return;
    for (int64_t run = 0; run < w->nruns; run++) ladders += sw_sweep_below(w, run) < 0;
    console_print(c->cli, "ladder   %s goes %s · %lld ladder%s of %s%lld rungs%s\n", axis,
                  strcmp(way, "both") ? way : "up and down", (long long)ladders, ladders == 1 ? "" : "s",
                  ladders * w->rungs > w->nruns ? "at most " : "", (long long)w->rungs,
                  ladders == 1 ? "" : " side by side");
}

/* Of an architecture: "kernels  9 compiled for sm_90, into /home/ada/.cache/sweep". */
static enum sw_status print_kernels(const struct check *c)
{
    const char *label = c->devices.device[0]->label;
    struct sw_text folder = {0};
    const struct sw_kernel_counts of = sw_kernels_count();
    if (!c->devices.device[0]->compiles_only) return SW_OK;
    enum sw_status st = sw_kernel_folder(&folder);
    if (!st && of.missing)
        st = SW_FAIL(SW_E_ABSENT, "%d kernels are not compiled: there is no NVRTC on this machine", of.missing);
    if (!st && of.kept < of.compiled)
        st = SW_FAIL(SW_E_IO, "%d of %d kernels that were compiled are not kept: %s%s", of.compiled - of.kept,
                     of.compiled, sw_text_get(&folder),
                     folder.length ? " cannot be written, or others may write there, too"
                                   : "there is no folder for them: set HOME or SWEEP_KERNELS");
    if (!st && !c->cli->json && of.compiled)
        console_print(c->cli, "kernels  %d compiled for %s, into %s\n", of.compiled, label, sw_text_get(&folder));
    else if (!st && !c->cli->json)
        console_print(c->cli, "kernels  %s for %s\n", sw_kernels_begun() ? "are there" : "none to be compiled", label);
    sw_text_free(&folder);
    return st;
}

static enum sw_status print_plan(struct check *c)
{
    char a[24], steps[64], outputs[64];
    struct sw_cli *cli = c->cli;
    const struct sw_plan *p = c->plan;
    SW_TRY(p->nbatch ? print_means(c, p) : print_means_of_all(c));
    print_ladder(c);
    refine_describe(cli, c->s);
    console_print(cli, "batches  %lld%s\n", (long long)p->nbatch,
                  format_steps(p, c->s->sweep->problem->time, steps));
    print_steps(c);
    print_stops(c);
    console_print(cli, "output   ≈ %s %s\n", format_bytes(p->output_bytes, a), c->s->file);
    SW_TRY(measure_rate(c));
    if (c->rate > 0)
        console_print(cli, "time     ≈ %s at %.2g %s, by a short trial%s%s\n", format_seconds(c->seconds, a), c->rate,
                      format_rate_unit(c->s->sweep->problem->time), format_outputs(c, outputs),
                      2e-3 * BATCH_OVERHEAD_MS * (double)p->nbatch > c->seconds ? ", and some 20 ms a batch" : "");
    else if (c->s->sweep->own_steps && p->nbatch)
        console_print(cli, "time     not estimated: each run takes as many steps as its error asks for, of which the "
                      "first tell nothing; while it runs, `sweep status` has an estimate\n");
    SW_TRY(print_kernels(c));
    plan_warnings_print(cli, c->s, p, console_print);
    return SW_OK;
}

/* ---- --json: docs/reference/json.md names the fields */

static void json_axes(struct sw_json *j, const struct sw_sweep *w)
{
    sw_json_begin(j, "axes", '[');
    for (int k = 0; k < w->naxis; k++) {
        sw_json_begin(j, NULL, '{');
        sw_json_text(j, "name", w->column[w->axis[k].column].name);
        sw_json_count(j, "values", w->axis[k].count);
        sw_json_end(j, '}');
    }
    sw_json_end(j, ']');
}

static void json_sweep(struct sw_json *j, const struct cli_sweep *s)
{
    const struct sw_sweep *w = s->sweep;
    sw_json_text(j, "problem", w->problem->name);
    sw_json_text(j, "title", w->title);
    sw_json_text(j, "sweep_id", w->id);
    sw_json_count(j, "sweep_runs", w->nruns);
    sw_json_count(j, "runs", s->count);
    sw_json_text(j, "mode", w->mode);
    json_axes(j, w);
    sw_json_text(j, "file", s->file);
    sw_json_text(j, "precision", w->single_steps ? "single" : "double");
}

static void json_plan(struct sw_json *j, const struct check *c)
{
    const struct sw_plan *p = c->plan;
    struct sw_text name = {0};
    long long least, most;
    const bool own = c->s->sweep->own_steps;
    cli_devices_name(&c->devices, &name);
    range_of_steps(p, false, &least, &most);
    sw_json_begin(j, "plan", '{');
    sw_json_text(j, "device", sw_text_get(&name));
    sw_json_text(j, "solver", p->nbatch ? p->solver : NULL);
    sw_json_count(j, "runs_done", p->done);
    sw_json_count(j, "runs_failed", p->failed);
    sw_json_count(j, "runs_to_do", p->nruns);
    sw_json_count(j, "ranks", p->ranks);
    sw_json_count(j, "rungs", c->s->sweep->rungs);
    sw_json_real(j, "runs_most", c->s->sweep->refine ? c->s->sweep->refine->most : (double)c->s->count);
    sw_json_count(j, "batches", p->nbatch);
    sw_json_count(j, "steps_least", own ? 0 : least);
    sw_json_count(j, "steps_most", own ? 0 : most);
    sw_json_real(j, "points_steps", own ? NAN : p->points_steps);
    sw_json_count(j, "bytes_run", (int64_t)p->run_bytes);
    sw_json_count(j, "bytes_batch", (int64_t)p->batch_bytes);
    sw_json_real(j, "bytes_device", cli_devices_memory(&c->devices));
    sw_json_real(j, "bytes_host", p->host_bytes);
    sw_json_real(j, "bytes_output", p->output_bytes);
    sw_json_real(j, "points_steps_per_second", c->rate > 0 ? c->rate : NAN);
    sw_json_real(j, "seconds", c->rate > 0 ? c->seconds : NAN);
    sw_json_end(j, '}');
    sw_text_free(&name);
}

/* @param notes  a line each; cut up here */
static void json_notes(struct sw_json *j, const struct check *c, char *notes)
{
    sw_json_begin(j, "notes", '[');
    if (*c->refusal) sw_json_text(j, NULL, c->refusal);
    if (*c->why) sw_json_text(j, NULL, c->why);
    for (char *rest = notes, *line; rest && (line = strtok_r(rest, "\n", &rest));) sw_json_text(j, NULL, line);
    sw_json_end(j, ']');
}

static enum sw_status print_json(struct check *c)
{
    struct sw_json j = {.to = stdout, .first = true};
    if (c->plan) {
        SW_TRY(measure_rate(c));
        SW_TRY(print_kernels(c));
        plan_warnings_collect(c->s, c->plan, c->cli->notes);
    }
    sw_json_begin(&j, NULL, '{');
    json_sweep(&j, c->s);
    if (c->plan) json_plan(&j, c);
    else sw_json_text(&j, "plan", NULL);
    json_notes(&j, c, c->cli->notes->data);
    sw_json_begin(&j, "errors", '[');
    sw_json_end(&j, ']');
    sw_json_end(&j, '}');
    return SW_OK;
}

/* ---- */

static void print_headline(struct sw_cli *cli, const struct cli_sweep *s)
{
    struct sw_text text = {0};
    cli_sweep_headline(s, &text);
    console_print(cli, "%s\n", sw_text_get(&text));
    sw_text_free(&text);
    cli_sweep_print_settings(cli, s);
}

/* `--device sm_90` compiles what such a GPU would run, on any machine. */
static bool is_architecture(const char *device) { return device && !strncmp(device, "sm_", 3); }

static enum sw_status open_devices(struct check *c)
{
    const char *name = c->cli->device;
    if (!is_architecture(name)) return cli_devices_open(c->cli, c->s, c->completed, &c->devices, NULL);
    SW_TRY(sw_device_open_architecture(name, c->cli->threads, &c->devices.device[0]));
    c->devices.count = 1;
    return SW_OK;
}

static enum sw_status make_plan(struct check *c)
{
    struct cli_sweep *s = c->s;
    struct refined refined;
    enum sw_status st = sw_completed_open_checked(s->file, &c->cli->report, &c->completed);
    console_report(c->cli);
    if (!st) st = cli_sweep_refine(c->cli, s, s->file, &refined);
    if (!st) st = cli_sweep_check(c->cli, s, c->completed);
    if (st == SW_E_REFUSED && !(st = extend_sweep(c->cli, s, c->completed, NULL, st))) {
        snprintf(c->refusal, sizeof c->refusal, "%s is a shorter sweep of the same runs: `sweep run` continues it, "
                 "if it holds their states (output.state)", s->file);
        sw_completed_close(&c->completed);
    } else if (st) {  /* what to do about it is the user's choice; the config is right */
        snprintf(c->refusal, sizeof c->refusal, "%s", sw_err_message());
        sw_completed_close(&c->completed);
    }
    SW_TRY(open_devices(c));
    const struct sw_plan_desc desc = {s->sweep, s->run, s->count, s->id, c->completed, false};
    const struct sw_plan_sharing sharing = sharing_of(&c->devices);
    return sw_plan_make(&desc, &c->devices, &sharing, &c->plan);
}

/* A config for a GPU is checked on a machine without one; an architecture is named for what is compiled. */
static enum sw_status allow_absent(struct check *c, enum sw_status st)
{
    if (st != SW_E_ABSENT || is_architecture(c->cli->device)) return st;
    snprintf(c->why, sizeof c->why, "not planned here: %s%s%s", sw_err_place(), *sw_err_place() ? ": " : "",
             sw_err_message());
    sw_plan_destroy(&c->plan);
    return SW_OK;
}

enum sw_status check_sweep(struct sw_cli *cli, struct cli_sweep *s)
{
    struct check c = {.cli = cli, .s = s};
    if (cli->list) return print_run_table(s);
    if (!cli->json) print_headline(cli, s);
    enum sw_status st = allow_absent(&c, make_plan(&c));
    if (!st && cli->json) st = print_json(&c);
    else if (!st && c.plan) {
        print_completed(&c);
        st = print_reuse(&c);
        if (!st) st = allow_absent(&c, print_plan(&c));
    }
    if (!st && *c.why && !cli->json) console_print(cli, "note     %s\n", c.why);
    sw_plan_destroy(&c.plan);
    sw_completed_close(&c.completed);
    sw_devices_close(&c.devices);
    return st;
}

/* ---- the command */

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
