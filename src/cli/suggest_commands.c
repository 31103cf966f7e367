/* Commands that suit a result which is there. Each can be typed as it stands, and ends with exit code 0: what
 * scripts/plot/plot.py would refuse is not suggested. */
#include <math.h>

#include "base/sw_text.h"
#include "cli/console.h"
#include "cli/suggest_commands.h"
#include "store/files/sw_output.h"

struct result {
    const struct sw_sweep *sweep;
    const struct sw_run_table *table;
    int64_t count[SW_RUN_STATUSES], first_done;  /* runs by status; row of the first that is done */
};

static bool is_swept(const struct sw_run_table *t)
{
    for (int k = 0; k < t->nparam; k++)
        for (int64_t r = 1; r < t->nruns; r++)
            if (t->param[(int64_t)k * t->nruns + r] != t->param[(int64_t)k * t->nruns]) return true;
    return false;
}

/* What is saved over space, or at more than one time, has a picture; one number a run has one over the parameters. */
static bool has_picture(const struct result *r, const struct sw_group *group)
{
    const struct sw_sweep *w = r->sweep;
    if (w->save_fields || w->history || (w->save_scalars && group->nscalar > 1)) return true;
    return (w->save_scalars || isfinite(sw_run_table_row(r->table, r->first_done).err_l2)) && is_swept(r->table);
}

/* plot.py itself chooses the kind. */
static void suggest_picture(const struct sw_cli *cli, const struct result *r, const char *file)
{
    struct sw_group *group = NULL;
    int groups = 0;
    const bool drawn = !sw_sweep_groups(r->sweep, &r->table->index[r->first_done], 1, &group, &groups) && groups &&
                       has_picture(r, group);
    console_message(cli, "next     sweep %s %s\n", drawn ? "plot" : "show", file);
    sw_groups_free(&group, groups);
}

void suggest_commands(const struct sw_cli *cli, const struct sw_sweep *sweep, const char *file)
{
    struct sw_run_table *table = NULL;
    struct sw_text word = {0};
    struct result r = {.sweep = sweep, .first_done = -1};
    if (cli->quiet || sw_run_table_read(file, &table)) return;  /* it is advice only */
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
