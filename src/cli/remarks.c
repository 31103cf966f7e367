/* What there is to say about the runs that are planned: whether the disk has room for them, and by their problem about
 * their set-ups, and about the numbers of one of them. */
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "cli/cli_impl.h"

/* Of so many runs of a group, evenly spread. */
enum { LOOKED_AT = 256 };

/* What one kind of warning says of the runs: the first that it is about, and how many of those looked at. */
struct warned { struct sw_text text; int64_t count, looked_at; };

/* Nothing if memory is out. */
static void look_at_group(const struct cli_sweep *s, const struct sw_group *group, const struct sw_run_warning *warning,
                          struct warned *w)
{
    const struct sw_sweep *sweep = s->sweep;
    const struct sw_setup setup = sw_sweep_setup(sweep, group, 1);
    const int64_t looked_at = group->count < LOOKED_AT ? group->count : LOOKED_AT;
    double *column;
    if (sw_alloc((size_t)sweep->ncolumn, &column)) return;
    for (int64_t k = 0; k < looked_at; k++) {
        const int64_t *run = &group->run[k * group->count / looked_at];
        char what[200] = "", axes[100], fit[41];
        if (sw_sweep_columns(sweep, run, 0, 1, column)) break;
        if (warning->warn(sweep->problem, &setup, 1, column, 0, NULL, what)) break;
        w->looked_at++;
        if (!*what || w->count++) continue;
        sw_sweep_describe(sweep, *run, axes, sizeof axes);
        sw_text_add(&w->text, what);
        if (*axes) sw_text_printf(&w->text, " (%s)", sw_fit(fit, sizeof fit, axes));
    }
    sw_free(column);
}

/* Groups are looked at until some hundreds of runs are: there may be as many groups as runs. */
static void warn_of_runs(const struct sw_cli *cli, const struct cli_sweep *s, const struct sw_plan *plan,
                         const struct sw_run_warning *warning,
                         void (*say)(const struct sw_cli *cli, const char *fmt, ...))
{
    struct warned w = {{0}, 0, 0};
    const int stride = plan->ngroup > LOOKED_AT ? plan->ngroup / LOOKED_AT : 1;
    for (int g = 0; g < plan->ngroup; g += stride) look_at_group(s, &plan->group[g], warning, &w);
    if (w.count > 1)
        sw_text_printf(&w.text, "; %lld of %lld runs%s alike", (long long)w.count, (long long)w.looked_at,
                       w.looked_at < plan->nruns ? " looked at" : "");
    if (w.count) say(cli, "note     %s\n", sw_text_get(&w.text));
    sw_text_free(&w.text);
}

static bool tell_lost(const struct sw_cli *cli, const char *key, int64_t lost, int count, bool aligned,
                      void (*say)(const struct sw_cli *cli, const char *fmt, ...))
{
    if (!lost) return false;
    say(cli, "note     %s: %lld of %lld times fall on a step that a nearer one has, as time.dt is longer: %s\n", key,
        (long long)lost, (long long)(aligned ? count : count + lost),
        aligned ? "NaN there, so that the k-th entry is of the same time in every run" : "left out, in all runs");
    return true;
}

/* Of the first shape that has such times. */
static void tell_lost_times(const struct sw_cli *cli, const struct sw_plan *plan,
                            void (*say)(const struct sw_cli *cli, const char *fmt, ...))
{
    bool fields = false, scalars = false;
    for (int g = 0; g < plan->ngroup; g++) {
        const struct sw_group *of = &plan->group[g];
        fields = fields || tell_lost(cli, "output.fields", of->fields_lost, of->nfield, of->fields_aligned, say);
        scalars = scalars || tell_lost(cli, "output.scalars", of->scalars_lost, of->nscalar, of->scalars_aligned, say);
    }
}

/* Each text once, however the groups that it is about alternate. */
static bool is_new(struct sw_text *said, const char *text)
{
    struct sw_text line = {0};
    sw_text_printf(&line, "\n%s\n", text);
    const bool new = !strstr(sw_text_get(said), sw_text_get(&line));
    if (new) sw_text_add(said, sw_text_get(&line));
    sw_text_free(&line);
    return new;
}

/* Runs advance together that have one grid and one number of steps. Where nearly each of many has a number of its own,
 * what a batch takes beside its steps is most of the time. */
static void remark_batches(const struct sw_cli *cli, const struct sw_plan *plan,
                           void (*say)(const struct sw_cli *cli, const char *fmt, ...))
{
    enum { MANY = 100 };
    char time[24];
    if (plan->ngroup < MANY || plan->nruns > 4 * (int64_t)plan->ngroup) return;
    say(cli,
        "note     %lld batches for %lld runs, ≈ %s beside their steps: only runs with one n, one number of steps "
        "(end/dt) and one set of output steps advance together; let fewer of these differ\n",
        (long long)plan->nbatch, (long long)plan->nruns, cli_about(1e-3 * CLI_BATCH_MS * (double)plan->nbatch, time));
}

void cli_remarks(const struct sw_cli *cli, const struct cli_sweep *s, const struct sw_plan *plan,
                 void (*say)(const struct sw_cli *cli, const char *fmt, ...))
{
    const struct sw_run_warning *warning = s->sweep->problem->warn_run;
    struct sw_text said = {0};
    cli_room(cli, plan, s->file, say);
    remark_batches(cli, plan, say);
    for (int g = 0; g < plan->ngroup; g++) {
        const struct sw_setup setup = sw_sweep_setup(s->sweep, &plan->group[g], 1);
        char text[200] = "";
        if (s->sweep->problem->remark) s->sweep->problem->remark(s->sweep->problem, &setup, text);
        if (*text && is_new(&said, text)) say(cli, "note     %s\n", text);
    }
    tell_lost_times(cli, plan, say);
    for (; warning && warning->warn; warning++) warn_of_runs(cli, s, plan, warning, say);
    sw_text_free(&said);
}
