/* From a config, given or stored, to a sweep with its ids and the runs asked for. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_private.h"
#include "base/sw_text.h"
#include "cli/console.h"
#include "cli/open_sweep.h"
#include "comm/sw_launch.h"
#include "device/sw_gpus.h"
#include "device/sw_kernels.h"
#include "expr/sw_math_library.h"
#include "store/files/sw_files.h"
#include "store/files/sw_output.h"
#include "sweep/sw_keys.h"
#include "sweep/sw_refine.h"

/* @param named  out: whether it is the file of a shard; that of another one would get the runs of this one */
static enum sw_status check_shard(const struct sw_cli *cli, const char *file, bool *named)
{
    int shard, nshards;
    *named = sw_shard_find(file, &shard, &nshards);
    if (!*named || !cli->nshards || (shard == cli->shard && nshards == cli->nshards)) return SW_OK;
    return SW_FAIL(SW_E_USAGE, "%s is by its name shard %d of %d, and --shard asks for %d of %d", file, shard, nshards,
                   cli->shard, cli->nshards);
}

static enum sw_status follow(const char *path, bool to_write, char **file)
{
    enum { LONGEST = 239 };  /* .sweep-NAME.longer.d beside it has 16 more, and 255 are what file systems take */
    const size_t length = strlen(path);
    const char *slash = strrchr(path, '/');
    *file = NULL;
    if (!length || path[length - 1] == '/')
        return SW_FAIL(SW_E_USAGE, "'%s' names %s; an output is a file", path, length ? "a folder" : "nothing");
    if (strlen(slash ? slash + 1 : path) > LONGEST)
        return SW_FAIL(SW_E_USAGE, "the name of an output, %s, has more than %d bytes, and files beside it have longer "
                       "ones", slash ? slash + 1 : path, LONGEST);
    return sw_files_follow(path, to_write, file);
}

enum sw_status cli_output_path(const char *path, char **file) { return follow(path, true, file); }

static enum sw_status check_folder(const char *path, const char *usual)
{
    struct sw_text text = {0}, word = {0};
    struct stat s;
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    const bool is_usual = usual && !strncmp(usual, path, length) && !strchr(usual + length, '/');
    if (!length || !path[length] || is_usual) return SW_OK;
    sw_text_printf(&text, "%.*s", (int)length, path);
    sw_text_add_word(&word, sw_text_get(&text));
    enum sw_status st = sw_text_status(&word);
    if (!st && stat(sw_text_get(&text), &s) && errno == ENOENT)
        st = SW_FAIL(SW_E_USAGE, "-o %s: there is no folder %s; if it is not mistyped, `mkdir -p %s` makes it", path,
                     sw_text_get(&text), sw_text_get(&word));
    sw_text_free(&text);
    sw_text_free(&word);
    return st;
}

enum sw_status cli_option_folder(const char *path, const char *usual)
{
    char *at = sw_path_from_home(path);
    const enum sw_status st = at ? check_folder(at, usual) : SW_FAIL(SW_E_MEMORY, "out of memory");
    sw_free(at);
    return st;
}

enum sw_status cli_input_path(const char *path, char **file) { return follow(path, false, file); }

static enum sw_status refuse_input_as_output(const struct cli_sweep *s)
{
    const char *key = sw_sweep_file_key(s->sweep, s->file);
    if (!key) return SW_OK;
    return SW_FAIL(SW_E_REFUSED, "%s is the file that '%s' reads; give the results another name, by -o or output.file",
                   s->file, key);
}

static enum sw_status name_output(const struct sw_cli *cli, struct cli_sweep *s)
{
    const char *file = cli->output ? cli->output : s->sweep->file;
    bool named;
    SW_TRY(check_shard(cli, file, &named));
    SW_TRY(cli_option_folder(file, s->sweep->file));
    char *name = cli->nshards && !named ? sw_shard_file(file, cli->shard, cli->nshards) : sw_strdup(file);
    enum sw_status st = name ? cli_output_path(name, &s->file) : SW_FAIL(SW_E_MEMORY, "out of memory");
    sw_free(name);
    return st ? st : refuse_input_as_output(s);
}

/* Each round of a refinement needs the results of all runs of the one before. */
static enum sw_status check_refined_alone(const struct sw_cli *cli, const struct cli_sweep *s)
{
    const bool jobs = cli->shards > 0 || cli->job.nodes > 0;
    if (!s->sweep->refine || (!s->which.nshards && !jobs)) return SW_OK;
    return SW_FAIL(SW_E_USAGE, "a sweep with `refine` is computed by one job, with all of its devices: each round "
                   "follows from all results of the one before, and %s",
                   jobs ? "`sweep submit` makes several; let a job of your own start `sweep run`, also under mpirun"
                        : "a shard has those of its own alone; leave out the shards");
}

static enum sw_status add_ids_and_select(const struct sw_cli *cli, struct cli_sweep *s)
{
    const struct sw_selection *which = &s->which;
    SW_TRY(check_refined_alone(cli, s));
    if (s->expand != sw_sweep_outline || !sw_sweep_file_key(s->sweep, NULL)) {
        SW_TRY(sw_alloc((size_t)s->sweep->nruns, &s->id));
        SW_TRY(sw_sweep_ids(s->sweep, 0, s->sweep->nruns, s->id));
    }
    SW_TRY(sw_sweep_select(s->sweep, which, &s->run, &s->count));
    if (s->count) return SW_OK;
    if (which->only || !which->nshards)
        return SW_FAIL(SW_E_USAGE, "no run is left: none of the %lld runs fits --only%s",
                       (long long)s->sweep->nruns, which->nshards ? " and --shard" : "");
    return SW_FAIL(SW_E_USAGE, "shard %d of %d has no run: there are only %lld; cut the sweep into fewer shards",
                   which->shard, which->nshards, (long long)s->sweep->nruns);
}

static enum sw_status expand_and_select(struct sw_cli *cli, cli_expand *expand, struct cli_sweep *s)
{
    s->expand = expand;
    SW_TRY(expand(s->config, &cli->report, &s->sweep));
    console_report(cli);  /* warnings */
    return add_ids_and_select(cli, s);
}

static void drop_sweep(struct cli_sweep *s)
{
    sw_free(s->id);
    sw_free(s->run);
    s->id = NULL;
    s->run = NULL;
    sw_sweep_destroy(&s->sweep);
}

enum sw_status cli_sweep_again(struct sw_cli *cli, struct cli_sweep *s)
{
    struct sw_report told = {0};
    drop_sweep(s);
    enum sw_status st = s->expand(s->config, &told, &s->sweep);
    sw_report_free(&told);
    if (st == SW_E_CONFIG) st = s->expand(s->config, &cli->report, &s->sweep);  /* to be shown */
    return st ? st : add_ids_and_select(cli, s);
}

/* Whether it is by its path the copy that `sweep submit` makes, in a FILE.jobs/. */
static bool is_copy_for_jobs(const char *config)
{
    static const char end[] = ".jobs/sweep.cfg";
    const size_t length = strlen(config);
    return length >= sizeof end && !strcmp(config + length - (sizeof end - 1), end);
}

/* Standard input reaches one process, and ends with this call. */
static enum sw_status check_piped_table(const struct sw_cli *cli, const struct cli_sweep *s)
{
    const struct sw_setting *mode = sw_config_find(s->config, "sweep.mode"),
                            *file = sw_config_find(s->config, "sweep.file");
    const bool later = cli->shards > 0, table = mode && sw_text_same(mode->text, "table");
    if (!table || !file || !sw_text_same(file->text, "-") || (cli->comm->size == 1 && !later)) return SW_OK;
    return SW_FAIL(SW_E_USAGE, "sweep.file = \"-\": standard input %s; save the table to a file",
                   later ? "is gone when the jobs begin" : "reaches one process alone, and here are several");
}

static enum sw_status open_config(struct sw_cli *cli, const char *path, cli_expand *expand, struct cli_sweep *s)
{
    *s = (struct cli_sweep){.which = {.only = cli->only, .shard = cli->shard, .nshards = cli->nshards}};
    cli->stored_overrides = 0;
    enum sw_status st = sw_config_read(path, cli->override, cli->noverrides, &cli->report, &s->config);
    if (!st && is_copy_for_jobs(path)) s->config->users_file = false;
    if (!st) st = check_piped_table(cli, s);
    if (!st) st = expand_and_select(cli, expand, s);
    if (!st) st = name_output(cli, s);
    if (st) cli_sweep_close(s);
    return st;
}

enum sw_status cli_sweep_open(struct sw_cli *cli, const char *path, struct cli_sweep *s)
{
    return open_config(cli, path, sw_sweep_expand, s);
}

enum sw_status cli_outline_open(struct sw_cli *cli, const char *path, struct cli_sweep *s)
{
    return open_config(cli, path, sw_sweep_outline, s);
}

static enum sw_status open_stored(struct sw_cli *cli, const char *file, const struct sw_completed *completed,
                                  cli_expand *expand, struct cli_sweep *s)
{
    const char **override = NULL;
    const int count = completed->noverride + cli->noverrides;
    bool named;
    *s = (struct cli_sweep){.which = {.only = cli->only, .shard = cli->shard, .nshards = cli->nshards}};
    SW_TRY(check_shard(cli, file, &named));
    if (!completed->config_text && completed->ndamaged)
        return SW_FAIL(SW_E_IO, "%s: all that there is of it, in %s.d, is damaged, its config too: `sweep run CONFIG "
                       "-o FILE` begins again", file, file);
    if (!completed->config_text) return sw_output_fail_absent(file);
    if (!s->which.nshards)
        sw_shard_find(file, &s->which.shard, &s->which.nshards);  /* its share is in its name */
    SW_TRY(sw_alloc((size_t)count, &override));
    cli->stored_overrides = completed->noverride;
    for (int k = 0; k < count; k++)
        override[k] = k < completed->noverride ? completed->override[k] : cli->override[k - completed->noverride];
    enum sw_status st = sw_config_read_text(file, completed->config_text, override, count, &cli->report, &s->config);
    sw_free(override);
    if (!st) st = expand_and_select(cli, expand, s);
    if (!st) st = cli_output_path(file, &s->file);
    if (st) cli_sweep_close(s);
    return st;
}

enum sw_status cli_sweep_stored(struct sw_cli *cli, const char *file, const struct sw_completed *completed,
                                struct cli_sweep *s)
{
    return open_stored(cli, file, completed, sw_sweep_expand, s);
}

enum sw_status cli_outline_stored(struct sw_cli *cli, const char *file, const struct sw_completed *completed,
                                  struct cli_sweep *s)
{
    return open_stored(cli, file, completed, sw_sweep_outline, s);
}

void cli_sweep_close(struct cli_sweep *s)
{
    sw_free(s->id);
    sw_free(s->run);
    sw_free(s->file);
    sw_sweep_destroy(&s->sweep);
    sw_config_destroy(&s->config);
    *s = (struct cli_sweep){0};
}

enum sw_status cli_sweep_check(struct sw_cli *cli, struct cli_sweep *s, const struct sw_completed *completed)
{
    struct sw_err_kept refusal = {0};
    const enum sw_status st = sw_completed_check_sweep(completed, s->file, s->sweep, s->id);
    if (st != SW_E_REFUSED || s->config->older_axes) return st;
    sw_err_keep(&refusal, st);
    if (!sw_completed_has_older_axes(completed)) return sw_err_raise(&refusal);
    s->config->older_axes = true;
    drop_sweep(s);
    SW_TRY(expand_and_select(cli, sw_sweep_expand, s));
    console_message(cli, "note     an earlier version of sweep has begun %s: its axes keep the last digits that they "
                    "have there\n", s->file);
    return sw_completed_check_sweep(completed, s->file, s->sweep, s->id);
}

/* ---- devices to compute it: which are opened, what they are called, what memory they have */

/* What a GPU has begun it goes on with, to the same bits. */
static bool gpu_has_begun(const struct sw_completed *completed)
{
    for (int k = 0; completed && k < completed->ncheckpoint; k++)
        if (!strncmp(completed->checkpoint[k].solver, "cuda.", 5)) return true;
    return false;
}

/* Processes that compute together take GPUs where there are any, as each would have to choose alike. */
static enum sw_status weigh_devices(const struct sw_cli *cli, const struct sw_plan_desc *desc, const char **spec,
                                    struct cli_sweep *s)
{
    const bool automatic = !strcmp(*spec, "auto") && sw_launched().size == 1;
    const int gpus = automatic && !gpu_has_begun(desc->completed) ? sw_gpus_seen() : 0;
    if (!gpus) return SW_OK;
    if (!(s->costs.begin > 0))
        SW_TRY(sw_device_costs_of_sweep(desc, cli->threads, gpus, sw_kernel_cache_begun(), &s->costs));
    if (sw_device_costs_take_cpu(&s->costs)) *spec = "cpu";
    return SW_OK;
}

void cli_devices_tell_choice(const struct cli_sweep *s, const struct sw_devices *devices, struct sw_text *text)
{
    const struct sw_device_costs *c = &s->costs;
    const bool cpu = devices->device[0]->space == SW_HOST;
    char time[24];
    if (!(c->begin > 0) || cpu != sw_device_costs_take_cpu(c)) return;  /* no GPU opened */
    sw_text_printf(text, "auto     the %s: CPU ", cpu ? "CPU" : "GPU");
    if (isnan(c->cpu)) sw_text_add(text, "too long for a trial, or without a row that does this");
    else if (c->cpu < 10) sw_text_printf(text, "≈ %.2f s, by a short trial", c->cpu);
    else sw_text_printf(text, "≈ %s, by a short trial", format_seconds(c->cpu, time));
    sw_text_printf(text, "; GPU at least %.2f s, of which %.2f s before its first step\n", c->begin + c->steps,
                   c->begin);
}

enum sw_status cli_devices_open(const struct sw_cli *cli, struct cli_sweep *s, const struct sw_completed *completed,
                                struct sw_devices *devices, int *users)
{
    const char *spec = cli->device ? cli->device : s->sweep->device;
    const int64_t ranks = users ? cli->comm->size : 1;
    const struct sw_plan_desc desc = {s->sweep, s->run, s->count, s->id, completed, cli->retry_failed};
    int64_t all;
    SW_TRY(weigh_devices(cli, &desc, &spec, s));
    SW_TRY(sw_plan_most_devices(&desc, SW_DEVICES_MOST * ranks, &all));
    const int64_t each = (all + ranks - 1) / ranks;
    const int most = each < SW_DEVICES_MOST ? (int)each : SW_DEVICES_MOST;
    if (!users) SW_TRY(sw_devices_open(spec, cli->threads, most, devices));
    else SW_TRY(sw_devices_open_share(spec, cli->threads, most, cli->local_rank, cli->local_ranks, users, devices));
    struct sw_text kernels = {0};
    if (devices->device[0]->space == SW_DEVICE && sw_kernel_folder(&kernels))
        console_message(cli, "note     %s\n", sw_err_message());
    sw_text_free(&kernels);
    return SW_OK;
}

static bool of_one_model(const struct sw_devices *d)
{
    for (int k = 1; k < d->count; k++)
        if (strcmp(d->device[k]->name, d->device[0]->name)) return false;
    return true;
}

void cli_devices_name(const struct sw_devices *d, struct sw_text *text)
{
    const bool one = of_one_model(d);
    if (d->count > 1 && one) sw_text_printf(text, "%d × %s (", d->count, d->device[0]->name);
    else if (one) sw_text_add(text, d->device[0]->name);
    for (int k = 0; k < d->count && (d->count > 1 || !one); k++)
        sw_text_printf(text, "%s%s%s%s", k ? ", " : "", d->device[k]->label, one ? "" : " ",
                       one ? "" : d->device[k]->name);
    if (d->count > 1 && one) sw_text_add(text, ")");
}

double cli_devices_memory(const struct sw_devices *d)
{
    size_t least = d->device[0]->memory_total;
    for (int k = 1; k < d->count; k++)
        if (d->device[k]->memory_total < least) least = d->device[k]->memory_total;
    return (double)least;
}

void cli_provenance(const struct sw_cli *cli, const struct sw_devices *devices, struct cli_facts *facts,
                    struct sw_provenance *provenance)
{
    memset(facts, 0, sizeof *facts);
    if (gethostname(facts->hostname, sizeof facts->hostname - 1)) facts->hostname[0] = 0;
    if (devices->count) {  /* of several, each names itself in what it writes */
        const struct sw_device *device = devices->device[0];
        snprintf(facts->device, sizeof facts->device, "%s", device->name);
        snprintf(facts->cuda, sizeof facts->cuda, "%s", device->runtime);
        snprintf(facts->driver, sizeof facts->driver, "%s", device->driver);
    }
    *provenance = (struct sw_provenance){.command_line = cli->command_line, .solver = "", .device = facts->device,
                                         .driver = facts->driver, .cuda = facts->cuda, .hostname = facts->hostname,
                                         .math = sw_math_library(),
                                         .started = (double)time(NULL)};
}

/* ---- what it is, in a line */

/* "zip(a, b)", "random(a, b)": the axes whose values go together. */
static void add_joint_axes(const struct sw_sweep *w, struct sw_text *text)
{
    bool some = false;
    for (int k = 0; k < w->naxis; k++) {
        if (!w->axis[k].together) continue;
        sw_text_printf(text, "%s%s%s", some ? ", " : w->mode, some ? "" : "(", w->column[w->axis[k].column].name);
        some = true;
    }
    if (some) sw_text_add(text, ")");
}

/* "a(3) × b(2)": those of which every value is combined with every other. */
static void add_product_axes(const struct sw_sweep *w, struct sw_text *text)
{
    bool first = strcmp(w->mode, "product") == 0;
    for (int k = 0; k < w->naxis; k++) {
        if (w->axis[k].together) continue;
        sw_text_printf(text, "%s%s(%lld)", first ? "" : " × ", w->column[w->axis[k].column].name,
                       (long long)w->axis[k].count);
        first = false;
    }
}

void cli_sweep_headline(const struct cli_sweep *s, struct sw_text *text)
{
    const struct sw_sweep *w = s->sweep;
    const struct sw_setting *where = sw_config_find(w->config, "sweep.where");
    const int64_t runs = w->refine ? w->refine->begin : w->nruns;
    sw_text_printf(text, "%s · %lld run%s", w->problem->name, (long long)runs, runs == 1 ? "" : "s");
    if (w->naxis) sw_text_add(text, " = ");
    add_joint_axes(w, text);
    add_product_axes(w, text);
    if (where && where->kind == SW_SETTING_STRING && *where->text) sw_text_printf(text, " where %s", where->text);
    if (w->refine) sw_text_printf(text, ", refined by %s", w->refine->of);
    if (w->nruns > runs) sw_text_printf(text, ": %lld more", (long long)(w->nruns - runs));
    if (s->count != w->nruns) sw_text_printf(text, " · %lld of them", (long long)s->count);
    sw_text_printf(text, " · id %s", w->id);
}

/* ---- -v: every setting */

static void print_number_setting(struct sw_cli *cli, const struct sw_sweep *w, int column, double *values)
{
    const struct sw_column *c = &w->column[column];
    const char *unit = c->unit && strcmp(c->unit, "1") ? c->unit : "";
    const char *origin = c->given ? "given" : "default";
    if (c->kind == SW_COLUMN_AXIS) origin = "axis";
    if (c->kind == SW_COLUMN_DEFINE) origin = "define";
    const struct sw_setting *set = c->key && c->key->stand_in ? sw_key_setting(w->config, c->key) : NULL;
    if (c->key && c->key->stand_in && (!set || sw_text_same(set->text, c->key->stand_in)))
        console_message(cli, "  %-24s %s  (%s)\n", c->name, c->key->stand_in, origin);
    else if (c->uniform)
        console_message(cli, "  %-24s %.15g%s%s  (%s)\n", c->name, values[column], *unit ? " " : "", unit, origin);
    else console_message(cli, "  %-24s differs from run to run%s%s  (%s)\n", c->name, *unit ? ", in " : "", unit,
                         origin);
}

/* What an absent key of the problem, or a common one, is taken as; a default may depend on other keys. */
static const char *key_word_of(const struct sw_sweep *sweep, const struct sw_key *key)
{
    for (int k = 0; k < sweep->nchoice; k++)
        if (!strcmp(sweep->choice[k].key, key->path)) return sweep->choice[k].word;
    return key->fallback;
}

static void print_text_settings(struct sw_cli *cli, const struct cli_sweep *s)
{
    const struct sw_key *key;
    for (int k = 0; (key = sw_key_at(s->sweep->problem, k)); k++) {
        const struct sw_setting *set = sw_key_setting(s->config, key);
        const char *fallback = key_word_of(s->sweep, key);
        if (key->kind == SW_KEY_NAMES || ((key->kind == SW_KEY_REAL || key->kind == SW_KEY_COUNT) && key->decides))
            continue;
        if (!set && key->with && !sw_config_find(s->config, key->with)) continue;
        if (set && set->kind == SW_SETTING_STRING && strchr(set->text, '\n'))
            console_message(cli, "  %-24s text of %zu characters  (given)\n", key->path, strlen(set->text));
        else if (set && set->kind == SW_SETTING_STRING)
            console_message(cli, "  %-24s %s  (given)\n", key->path, set->text);
        else if (set && set->kind == SW_SETTING_LIST)
            console_message(cli, "  %-24s list of %d  (given)\n", key->path, set->count);
        else if (set && set->kind == SW_SETTING_SWITCH)
            console_message(cli, "  %-24s %s  (given)\n", key->path, set->number != 0 ? "true" : "false");
        else if (set && set->kind != SW_SETTING_GROUP)
            console_message(cli, "  %-24s %.15g  (given)\n", key->path, set->number);
        else if (!set && fallback && *fallback) console_message(cli, "  %-24s %s  (default)\n", key->path, fallback);
    }
}

void cli_sweep_print_settings(struct sw_cli *cli, const struct cli_sweep *s)
{
    double *values = NULL;
    if (!cli->verbose || cli->quiet) return;
    if (sw_alloc((size_t)s->sweep->ncolumn, &values)) return;
    if (!sw_sweep_columns(s->sweep, s->run, 0, 1, values)) {
        console_message(cli, "settings\n");
        for (int k = 0; k < s->sweep->ncolumn; k++) print_number_setting(cli, s->sweep, k, values);
        print_text_settings(cli, s);
    }
    sw_free(values);
}

/* ---- what is there already */

enum sw_status cli_completed_open(struct sw_cli *cli, const char *file, struct sw_completed **completed)
{
    enum sw_status st = sw_completed_open(file, &cli->report, completed);
    console_report(cli);
    return st;
}
