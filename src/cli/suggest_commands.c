/* Commands that suit a result which is there. Each can be typed as it stands, and ends with exit code 0: what
 * scripts/plot.py would refuse is not suggested. */
#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "cli/console.h"
#include "cli/suggest_commands.h"
#include "output/sw_output.h"

/* In plot.py MOST_RUNS, a line each; and the most values of a parameter that has a line for each. */
enum { FEW_RUNS = 8, MOST_LEVELS = 64 };

struct result {
    const struct sw_sweep *sweep;
    const struct sw_run_table *table;
    int64_t count[SW_RUN_STATUSES], first_done;  /* runs by status; row of the first that is done */
};

/* ---- an error over a parameter: two runs that differ in it alone */

static double parameter(const struct sw_run_table *t, int k, int64_t row)
{
    return t->param[(int64_t)k * t->nruns + row];
}

static bool is_swept(const struct sw_run_table *t, int k)
{
    for (int64_t r = 1; r < t->nruns; r++)
        if (parameter(t, k, r) != parameter(t, k, 0)) return true;
    return false;
}

static bool has_logarithm(const struct sw_run_table *t, int k)
{
    for (int64_t r = 0; r < t->nruns; r++)
        if (!(parameter(t, k, r) > 0)) return false;
    return !t->nword[k];
}

/* The parameter that plot.py takes: n, else dt, else the first that is swept; -1: none. */
static int refined_parameter(const struct sw_run_table *t)
{
    static const char *const likely[] = {"n", "dt", NULL};
    for (int l = 0; l < 3; l++)
        for (int k = 0; k < t->nparam; k++)
            if ((!likely[l] || !strcmp(t->param_name[k], likely[l])) && is_swept(t, k) && has_logarithm(t, k)) return k;
    return -1;
}

static bool has_error(const struct sw_run_table *t, int64_t row)
{
    const double error = sw_run_table_row(t, row).err.l2;
    return isfinite(error) && error > 0;
}

static bool differ_in_alone(const struct sw_run_table *t, int over, int64_t a, int64_t b)
{
    for (int k = 0; k < t->nparam; k++)
        if ((parameter(t, k, a) != parameter(t, k, b)) != (k == over)) return false;
    return true;
}

/* Whether the grid or the time step of two runs differ: an error over anything else does not converge. */
static bool is_refinement(const struct result *r, int64_t a, int64_t b)
{
    const struct sw_sweep *w = r->sweep;
    const int64_t run[2] = {r->table->index[a], r->table->index[b]};
    double *column;
    bool differ = false;
    if (sw_alloc(2 * (size_t)w->ncolumn, &column)) return false;
    const bool known = !sw_sweep_columns(w, run, 0, 2, column);
    for (int k = 0; k < w->ncolumn && known; k++)
        if (!strcmp(w->column[k].name, "grid.n") || !strcmp(w->column[k].name, "time.dt"))
            differ |= column[2 * k] != column[2 * k + 1];
    sw_free(column);
    return differ;
}

static bool converges(const struct result *r)
{
    enum { TRIED = 16 };  /* runs for which a second one is looked for; a line through none of them is rare */
    const struct sw_run_table *t = r->table;
    const int over = refined_parameter(t);
    if (over < 0) return false;
    for (int64_t a = r->first_done, tried = 0; a < t->nruns && tried < TRIED; a++) {
        if (!has_error(t, a)) continue;
        tried++;
        for (int64_t b = 0; b < t->nruns; b++)
            if (has_error(t, b) && differ_in_alone(t, over, a, b)) return is_refinement(r, a, b);
    }
    return false;
}

/* ---- lines: one a run, or one for each value of a parameter */

static bool has_few_levels(const struct sw_run_table *t, int k)
{
    double level[MOST_LEVELS];
    int levels = 0;
    for (int64_t r = 0; r < t->nruns; r++) {
        int l = 0;
        while (l < levels && level[l] != parameter(t, k, r)) l++;
        if (l == MOST_LEVELS) return false;
        if (l == levels) level[levels++] = parameter(t, k, r);
    }
    return levels > 1;
}

static bool lines_fit(const struct result *r)
{
    const int64_t failed = r->sweep->history ? r->count[SW_RUN_DIVERGED] + r->count[SW_RUN_ERROR] : 0;
    if (r->count[SW_RUN_DONE] + failed <= FEW_RUNS) return true;
    for (int k = 0; k < r->table->nparam; k++)
        if (has_few_levels(r->table, k)) return true;
    return false;
}

/* ---- */

/* @param run  out: whether the picture is of one run, which is to be named @return NULL: there is nothing to draw */
static const char *picture_kind(const struct result *r, const struct sw_group *group, bool *run)
{
    const struct sw_sweep *w = r->sweep;
    *run = false;
    if (converges(r)) return "convergence";
    if (w->save_fields && group->dim > 1) return "slice";
    *run = w->save_fields && w->problem->timed && group->nfield > 1;
    if (*run) return "spacetime";
    *run = (w->save_scalars || w->history) && !lines_fit(r);
    return w->save_fields || w->save_scalars || w->history ? "lines" : NULL;
}

static void suggest_picture(const struct sw_cli *cli, const struct result *r, const char *file)
{
    struct sw_group *group = NULL;
    int groups = 0;
    bool run = false;
    const int64_t *first = &r->table->index[r->first_done];
    const char *kind = NULL;
    if (!sw_sweep_groups(r->sweep, first, 1, &group, &groups) && groups) kind = picture_kind(r, group, &run);
    if (kind && run)
        console_message(cli, "next     sweep plot %s --kind %s --run %lld\n", file, kind, (long long)*first);
    else if (kind) console_message(cli, "next     sweep plot %s --kind %s\n", file, kind);
    else console_message(cli, "next     sweep show %s\n", file);
    sw_groups_free(&group, groups);
}

void suggest_commands(const struct sw_cli *cli, const struct sw_sweep *sweep, const char *file)
{
    struct sw_run_table *table = NULL;
    struct sw_text word = {0};
    struct result r = {.sweep = sweep, .first_done = -1};
    if (sw_run_table_read(file, &table)) return;  /* it is advice only */
    r.table = table;
    for (int64_t row = 0; row < table->nruns; row++) {
        const enum sw_run_status status = sw_run_table_status(table, row);
        if (status == SW_RUN_DONE && r.first_done < 0) r.first_done = row;
        if ((int)status < SW_RUN_STATUSES) r.count[status]++;
    }
    sw_text_add_word(&word, file);
    for (int s = SW_RUN_DIVERGED; s <= SW_RUN_ERROR; s++)
        if (r.count[s])
            console_message(cli, "next     sweep show %s --status %s\n", sw_text_get(&word), sw_run_status_names[s]);
    if (r.first_done >= 0) suggest_picture(cli, &r, sw_text_get(&word));
    sw_text_free(&word);
    sw_run_table_free(&table);
}
