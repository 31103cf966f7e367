/* Warnings about a plan: whether the disk has room for the output, and by the problem about
 * their set-ups, and about the numbers of one of them. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/sw_mem.h"
#include "base/sw_stop.h"
#include "base/sw_text.h"
#include "cli/open_sweep.h"
#include "cli/run_messages.h"

/* Runs that are looked at. Their numbers are worked out together: those of each alone take a hundred times as long. */
enum { RUNS_IN_BLOCK = 1024 };
struct looks {
    int count, group[RUNS_IN_BLOCK];
    int64_t run[RUNS_IN_BLOCK];
    double *column;                      /* [ncolumn][count] */
    struct sw_text *text;                /* [count] what one kind of warning says of each */
};

/* What one kind of warning says of the runs: the first that it is about, and how many of those looked at. */
struct warned { struct sw_text text; int64_t count, sampled; };

static void add_up(const struct sw_sweep *sweep, const struct looks *l, struct warned *w)
{
    char axes[100], fit[41];
    for (int k = 0; k < l->count; k++) {
        w->sampled++;
        if (!l->text[k].length || w->count++) continue;
        sw_sweep_describe(sweep, l->run[k], axes, sizeof axes);
        sw_text_add(&w->text, sw_text_get(&l->text[k]));
        if (*axes) sw_text_printf(&w->text, " (%s)", sw_text_shorten(fit, sizeof fit, axes));
    }
}

/* Write no text where memory is out or a stop was requested. */
static void look(const struct sw_sweep *sweep, const struct sw_plan *plan, const struct sw_run_warning *warning,
                 struct looks *l, struct warned *w)
{
#pragma omp parallel for schedule(dynamic)
    for (int k = 0; k < l->count; k++) {
        const struct sw_setup setup = sw_sweep_setup(sweep, &plan->group[l->group[k]], 1);
        sw_text_clear(&l->text[k]);
        if (sw_stop_check() || warning->warn(&setup, l->count, l->column, k, NULL, &l->text[k]))
            sw_text_clear(&l->text[k]);
    }
    add_up(sweep, l, w);
}

static bool begin_looks(const struct sw_sweep *sweep, struct looks *l)
{
    return !sw_alloc((size_t)(sweep->ncolumn * l->count), &l->column) && !sw_alloc((size_t)l->count, &l->text) &&
           !sw_sweep_columns(sweep, l->run, 0, l->count, l->column);
}

static void end_looks(struct looks *l)
{
    for (int k = 0; l->text && k < l->count; k++) sw_text_free(&l->text[k]);
    sw_free(l->column);
    sw_free(l->text);
}

/* Of the few runs that the plan looks at, take those that are still to do. */
static void find_looks(const struct sw_plan *plan, struct looks *l)
{
    for (int g = 0; g < plan->ngroup; g++)
        for (int64_t k = 0; k < plan->group[g].count; k++) {
            if (!sw_representatives_has(&plan->looks, plan->group[g].run[k])) continue;
            l->group[l->count] = g;
            l->run[l->count++] = plan->group[g].run[k];
        }
}

/* Look at all runs of those groups for which the warning requires it. */
static void look_at_all(const struct sw_sweep *sweep, const struct sw_plan *plan, const struct sw_run_warning *warning,
                        struct warned *w)
{
    bool go_on = true;
    for (int g = 0; g < plan->ngroup; g++) {
        const struct sw_group *group = &plan->group[g];
        const struct sw_setup setup = sw_sweep_setup(sweep, group, 1);
        if (!warning->of_all(&setup)) continue;
        for (int64_t first = 0; first < group->count && go_on; first += RUNS_IN_BLOCK) {
            const int64_t left = group->count - first;
            struct looks l = {.count = (int)(left < RUNS_IN_BLOCK ? left : RUNS_IN_BLOCK)};
            for (int k = 0; k < l.count; k++) l.group[k] = g, l.run[k] = group->run[first + k];
            go_on = begin_looks(sweep, &l);
            if (go_on) look(sweep, plan, warning, &l, w);
            end_looks(&l);
        }
    }
}

static void warn_runs(const struct cli_sweep *s, const struct sw_plan *plan, struct sw_text *notes)
{
    struct looks few = {0};
    find_looks(plan, &few);
    const bool looks = begin_looks(s->sweep, &few);
    const struct sw_problem_advice *advice = s->sweep->problem->advice;
    for (const struct sw_run_warning *warning = advice->warn_run; warning && warning->warn; warning++) {
        struct warned w = {{0}, 0, 0};
        if (warning->of_all) look_at_all(s->sweep, plan, warning, &w);
        else if (looks) look(s->sweep, plan, warning, &few, &w);
        if (w.count > 1)
            sw_text_printf(&w.text, "; %lld of %lld runs%s alike", (long long)w.count, (long long)w.sampled,
                           w.sampled < plan->nruns ? " looked at" : "");
        if (w.count) sw_text_printf(notes, "%s\n", sw_text_get(&w.text));
        sw_text_free(&w.text);
    }
    end_looks(&few);
}

static bool warn_lost_times_of(const char *key, int64_t lost, int count, bool aligned, struct sw_text *notes)
{
    if (!lost) return false;
    sw_text_printf(notes, "%s: %lld of %lld times fall on a step that a nearer or the same one has, being given "
                   "twice or closer than time.dt: %s\n",
                   key, (long long)lost, (long long)(aligned ? count : count + lost),
                   aligned ? "NaN there, so that the k-th entry is of the same time in every run"
                           : "left out, in all runs");
    return true;
}

/* Of the first shape that has such times. */
static void warn_lost_times(const struct sw_plan *plan, struct sw_text *notes)
{
    bool fields = false, scalars = false;
    for (int g = 0; g < plan->ngroup; g++) {
        const struct sw_group *of = &plan->group[g];
        fields = fields || warn_lost_times_of("output.fields", of->fields_lost, of->nfield, of->fields_aligned,
                                              notes);
        scalars = scalars || warn_lost_times_of("output.scalars", of->scalars_lost, of->nscalar,
                                                of->scalars_aligned, notes);
    }
}

/* Each text once, however the groups that it is about alternate. */
static bool is_new(struct sw_text *printed, const char *text)
{
    struct sw_text line = {0};
    sw_text_printf(&line, "\n%s\n", text);
    const bool new = !strstr(sw_text_get(printed), sw_text_get(&line));
    if (new) sw_text_add(printed, sw_text_get(&line));
    sw_text_free(&line);
    return new;
}

/* The parts of a shape in which groups may differ; the words of choices come beside them. */
struct splits { bool n, solver, steps, ends, output; };

static bool same_times(int count, const int64_t *step, int other_count, const int64_t *other)
{
    return count == other_count && (!count || !memcmp(step, other, (size_t)count * sizeof *step));
}

static bool same_output(const struct sw_group *a, const struct sw_group *b)
{
    return same_times(a->nfield, a->field_step, b->nfield, b->field_step) &&
           same_times(a->nscalar, a->scalar_step, b->nscalar, b->scalar_step);
}

static bool ends_differ(const struct sw_group *a, const struct sw_group *b)
{
    return a->goals && b->goals && a->times[a->goals] != b->times[b->goals];
}

/* Output steps follow the number of steps: they are named only where nothing else splits two groups. */
static void compare_groups(const struct sw_group *a, const struct sw_group *b, int nchoice, bool *choice,
                           struct splits *by)
{
    const bool n = a->dim != b->dim || memcmp(a->n, b->n, sizeof a->n) != 0;
    const bool solver = !sw_text_same(a->solver, b->solver), steps = a->steps != b->steps || ends_differ(a, b);
    bool other = n || solver || steps;
    for (int k = 0; k < nchoice; k++) {
        const bool differ = !sw_text_same(a->choice[k].word, b->choice[k].word);
        choice[k] |= differ;
        other |= differ;
    }
    by->n |= n;
    by->solver |= solver;
    by->ends |= steps && a->goals;
    by->steps |= steps && !a->goals;
    by->output |= !other && !same_output(a, b);
}

static void add_split(struct sw_text *text, bool differs, const char *name)
{
    if (differs) sw_text_printf(text, "%s%s", *sw_text_get(text) ? ", " : "", name);
}

static enum sw_status name_splits(const struct sw_sweep *sweep, const struct sw_plan *plan, struct sw_text *text)
{
    struct splits by = {0};
    bool *choice;
    SW_TRY(sw_alloc((size_t)sweep->nchoice, &choice));
    for (int g = 1; g < plan->ngroup; g++)
        compare_groups(&plan->group[g - 1], &plan->group[g], sweep->nchoice, choice, &by);
    add_split(text, by.n, "points of the grid");
    for (int k = 0; k < sweep->nchoice; k++) add_split(text, choice[k], plan->group[0].choice[k].key);
    add_split(text, by.solver, "solver");
    add_split(text, by.ends, "output times and ends, on which runs land");
    add_split(text, by.steps, "number of steps (time.end/time.dt)");
    add_split(text, by.output, "output steps");
    sw_free(choice);
    return sw_text_status(text);
}

/* Runs advance together that have one shape. Where nearly each of many has a shape of its own, what a batch takes
 * beside its steps is most of the time. */
static void warn_batches(const struct sw_sweep *sweep, const struct sw_plan *plan, struct sw_text *notes)
{
    static const double worth_a_word = 10;  /* seconds */
    const double seconds = 1e-3 * BATCH_OVERHEAD_MS * (double)plan->nbatch;
    struct sw_text by = {0};
    char time[24];
    if (plan->ngroup < 2 || seconds < worth_a_word || plan->nruns > 4 * (int64_t)plan->ngroup) return;
    if (!name_splits(sweep, plan, &by))
        sw_text_printf(notes, "%lld batches for %lld runs, ≈ %s beside their steps: runs that differ in one of these "
                       "do not advance together: %s; let fewer of these differ\n", (long long)plan->nbatch,
                       (long long)plan->nruns, format_seconds(seconds, time), sw_text_get(&by));
    sw_text_free(&by);
}

/* ---- runs that are equal */

/* Of the first shape whose runs an axis does not tell from each other, though it changes those of others. */
static void warn_equal_runs(const struct sw_sweep *sweep, const struct sw_plan *plan, int axis, struct sw_text *notes)
{
    const char *name = sweep->column[sweep->axis[axis].column].name;
    struct sw_text text = {0};
    int64_t runs = 0;
    for (int g = 0; g < plan->ngroup; g++) {
        const struct sw_setup setup = sw_sweep_setup(sweep, &plan->group[g], 1);
        struct sw_text why = SW_SHORT_TEXT;
        const char *key = sweep->problem->advice->idle_key(&setup, &why);
        if (!key || plan->group[g].count < 2 || !sw_sweep_axis_serves(sweep, axis, key)) continue;
        if (!runs)
            sw_text_printf(&text, "%s changes nothing: %s; runs that differ in %s alone are equal", key,
                           sw_text_get(&why), name);
        runs += plan->group[g].count;
    }
    if (runs && runs < plan->nruns) sw_text_printf(&text, "; %lld of %lld runs alike", (long long)runs,
                                                   (long long)plan->nruns);
    if (runs) sw_text_printf(notes, "%s\n", sw_text_get(&text));
    sw_text_free(&text);
}

/* ---- disk space */

/* What there is already of the way to a file: its folder, or the one in which that will be made. The caller frees it;
 * NULL if memory is out. */
static char *existing_folder(const char *file)
{
    char *at = sw_strdup(file);
    struct stat is;
    for (char *slash; at && (slash = strrchr(at, '/')) != NULL;) {
        if (slash == at) slash++;  /* "/" */
        *slash = 0;
        if (!stat(at, &is) || !strcmp(at, "/")) return at;
    }
    sw_free(at);
    return sw_strdup(".");
}

static void warn_disk_space(const struct sw_plan *plan, const char *file, struct sw_text *notes)
{
    char *folder = existing_folder(file), room[24], size[24];
    struct statvfs disk;
    if (!folder || !plan->nbatch) {
        sw_free(folder);
        return;
    }
    if (access(folder, W_OK | X_OK))
        sw_text_printf(notes, "nothing can be written in %s: %s\n", folder, strerror(errno));
    else if (!statvfs(folder, &disk)) {
        const double left = (double)disk.f_bavail * (double)disk.f_frsize, wanted = plan->output_bytes;
        if (left < wanted)
            sw_text_printf(notes, "the disk of %s has room for %s; the output takes about %s\n", folder,
                           format_bytes(left, room), format_bytes(wanted, size));
        else if (left < 2 * wanted && plan->nbatch > 1)
            sw_text_printf(notes, "the disk of %s has room for %s; the output takes about %s, and while its parts are "
                           "joined twice that\n", folder, format_bytes(left, room), format_bytes(wanted, size));
    }
    sw_free(folder);
}

/* What an entry of the user's scalars costs on a device with memory of its own, unless its state is of lines; and what
 * a look at runs that may end early costs. */
static void warn_copies(const struct sw_sweep *sweep, const struct sw_plan *plan, struct sw_text *notes)
{
    double most = 0;
    char size[24];
    bool lines = sweep->problem->shape->max_dim < 2;
    for (int64_t g = 0; g < plan->ngroup && lines; g++) lines = !sw_sweep_setup(sweep, &plan->group[g], 1).walls[0];
    if (!(plan->host_bytes > 0) || !(sweep->stops || (sweep->ndefined && !lines))) return;
    for (int64_t b = 0; b < plan->nbatch; b++) {
        const struct sw_group *g = &plan->group[plan->batch[b].group];
        const double unknowns = sweep->nunknown ? sweep->nunknown : 1;
        const double bytes = 8.0 * unknowns * (double)sw_points(g->n) * plan->batch[b].count;
        if (bytes > most) most = bytes;
    }
    format_bytes(most, size);
    if (sweep->stops)
        sw_text_printf(notes, "stop: runs are looked at on the host; each look waits for a copy of the state, %s "
                       "a batch\n", size);
    if (sweep->ndefined && (sweep->stops || !lines))
        sw_text_printf(notes, "output.scalars.define: formed on the host; each entry waits for a copy of the state, %s "
                       "a batch\n", size);
}

/* ---- */

void plan_warnings_collect(const struct cli_sweep *s, const struct sw_plan *plan, struct sw_text *notes)
{
    const struct sw_problem_advice *advice = s->sweep->problem->advice;
    struct sw_text printed = {0};
    if (plan->nagain == 1) sw_text_printf(notes, "%s\n", plan->again);
    else if (plan->nagain) sw_text_printf(notes, "%s; %lld runs alike\n", plan->again, (long long)plan->nagain);
    warn_disk_space(plan, s->file, notes);
    warn_batches(s->sweep, plan, notes);
    for (int g = 0; g < plan->ngroup; g++) {
        const struct sw_setup setup = sw_sweep_setup(s->sweep, &plan->group[g], 1);
        struct sw_text text = SW_SHORT_TEXT;
        if (advice->warn_setup) advice->warn_setup(&setup, &text);
        if (text.length && is_new(&printed, sw_text_get(&text))) sw_text_printf(notes, "%s\n", sw_text_get(&text));
    }
    for (int k = 0; k < s->sweep->naxis && advice->idle_key; k++)
        if (s->sweep->axis[k].count > 1 && !s->sweep->axis[k].together)
            warn_equal_runs(s->sweep, plan, k, notes);
    warn_lost_times(plan, notes);
    warn_copies(s->sweep, plan, notes);
    warn_runs(s, plan, notes);
    sw_text_free(&printed);
}

void plan_warnings_print(const struct sw_cli *cli, const struct cli_sweep *s, const struct sw_plan *plan,
                         console_printer *print)
{
    struct sw_text notes = {0};
    plan_warnings_collect(s, plan, &notes);
    for (char *rest = notes.data, *line; rest && (line = strtok_r(rest, "\n", &rest));)
        print(cli, "note     %s\n", line);
    sw_text_free(&notes);
}
