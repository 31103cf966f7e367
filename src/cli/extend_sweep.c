/* A finished file of a sweep whose end was earlier: its runs go on (sw_output_lengthen()). The longer result grows
 * beside the file, in FILE.longer.d/, and takes its place when it is complete. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_order.h"
#include "cli/console.h"
#include "cli/open_sweep.h"
#include "store/files/sw_output.h"

struct known { uint64_t id; int64_t run; };

static enum sw_status sort_ids(const uint64_t *id, int64_t count, struct known **known)
{
    SW_TRY(sw_alloc((size_t)count, known));
    for (int64_t k = 0; k < count; k++) (*known)[k] = (struct known){id[k], k};
    qsort(*known, (size_t)count, sizeof **known, sw_by_id);
    return SW_OK;
}

/* The run of an id, -1: there is none, or are two. */
static int64_t find_run_of_id(const struct known *known, int64_t count, uint64_t id)
{
    const struct known *at = bsearch(&id, known, (size_t)count, sizeof *known, sw_by_id);
    if (!at || (at > known && at[-1].id == id) || (at < known + count - 1 && at[1].id == id)) return -1;
    return at->run;
}

/* ---- the old sweep, from what the file holds of its config */
struct old {
    struct sw_config *config;
    struct sw_sweep  *sweep;
    uint64_t         *id, *until;
};

static void close_old_sweep(struct old *o)
{
    sw_free(o->id);
    sw_free(o->until);
    sw_sweep_destroy(&o->sweep);
    sw_config_destroy(&o->config);
}

static enum sw_status open_old_sweep(const char *file, const struct sw_completed *l, struct old *o)
{
    struct sw_report report = {0};
    enum sw_status st = sw_config_read_text(file, l->config_text, (const char *const *)l->override, l->noverride,
                                            &report, &o->config);
    if (!st) st = sw_sweep_expand(o->config, &report, &o->sweep);
    if (!st) st = sw_alloc((size_t)o->sweep->nruns, &o->id);
    if (!st) st = sw_alloc((size_t)o->sweep->nruns, &o->until);
    if (!st) st = sw_sweep_ids(o->sweep, 0, o->sweep->nruns, o->id);
    if (!st) st = sw_sweep_ids_until(o->sweep, o->until);
    sw_report_free(&report);
    return st;
}

/* ---- which run goes on as which */
struct matching {
    int64_t *old_run, *run;        /* [completed->count] */
    bool     all, longer;          /* every run of the file has its match; some with another id */
};

static enum sw_status match_runs(const struct cli_sweep *s, const struct sw_completed *l, const struct old *o,
                                 struct matching *m)
{
    const int64_t nold = o->sweep->nruns, n = s->sweep->nruns;
    uint64_t *until = NULL;
    struct known *old = NULL, *old_until = NULL, *new = NULL;
    enum sw_status st = sw_alloc((size_t)n, &until);
    if (!st) st = sw_sweep_ids_until(s->sweep, until);
    if (!st) st = sort_ids(o->id, nold, &old);
    if (!st) st = sort_ids(o->until, nold, &old_until);
    if (!st) st = sort_ids(until, n, &new);
    if (!st) st = sw_alloc((size_t)l->count, &m->old_run);
    if (!st) st = sw_alloc((size_t)l->count, &m->run);
    m->all = !st && l->count;
    for (int64_t k = 0; m->all && k < l->count; k++) {
        m->old_run[k] = find_run_of_id(old, nold, l->id[k]);
        m->all = m->old_run[k] >= 0 && find_run_of_id(old_until, nold, o->until[m->old_run[k]]) >= 0;
        m->run[k] = m->all ? find_run_of_id(new, n, o->until[m->old_run[k]]) : -1;
        m->all &= m->run[k] >= 0;
        m->longer |= m->all && s->id[m->run[k]] != l->id[k];
    }
    sw_free(until);
    sw_free(old);
    sw_free(old_until);
    sw_free(new);
    return st;
}

/* The file is replaced as a whole, so a run that is not selected now would be lost. */
static enum sw_status check_all_selected(const struct cli_sweep *s, const struct matching *m, int64_t count)
{
    int64_t first = -1;
    for (int64_t k = 0; k < count; k++)
        if ((first < 0 || m->run[k] < first) &&
            !bsearch(&m->run[k], s->run, (size_t)s->count, sizeof *s->run, sw_by_integer))
            first = m->run[k];
    if (first < 0) return SW_OK;
    return SW_FAIL(SW_E_REFUSED, "%s holds run %lld, which --only or --shard leaves out: all runs of a file are "
                   "lengthened together; use -o FILE or --force", s->file, (long long)first);
}

/* ---- the parts */
/* Whether an earlier call made them: each run has ended, or a state to go on from. */
static bool has_all_runs(const struct sw_completed *l, const struct cli_sweep *s, const struct matching *m,
                         int64_t count)
{
    uint64_t *there = NULL;
    size_t n = 0;
    for (int b = 0; b < l->ncheckpoint; b++) n += (size_t)l->checkpoint[b].count;
    if (sw_alloc(n + 1, &there)) return false;
    n = 0;
    for (int b = 0; b < l->ncheckpoint; b++)
        for (int k = 0; k < l->checkpoint[b].count; k++) there[n++] = l->checkpoint[b].id[k];
    qsort(there, n, sizeof *there, sw_by_id);
    bool all = true;
    for (int64_t k = 0; k < count && all; k++) {
        const uint64_t id = s->id[m->run[k]];
        all = sw_completed_status(l, id) != SW_RUN_PENDING || bsearch(&id, there, n, sizeof id, sw_by_id);
    }
    sw_free(there);
    return all;
}

static enum sw_status has_begun(const struct cli_sweep *s, const char *longer, const struct matching *m, int64_t count,
                                bool *yes)
{
    struct sw_completed *l = NULL;
    struct sw_report report = {0};
    SW_TRY(sw_completed_open(longer, &report, &l));
    *yes = l->config_text && !sw_completed_check_sweep(l, longer, s->sweep, s->id) && has_all_runs(l, s, m, count);
    sw_completed_close(&l);
    sw_report_free(&report);
    return SW_OK;
}

static enum sw_status make_extended_parts(struct sw_cli *cli, const struct cli_sweep *s, const char *longer,
                                          const struct old *o, const struct matching *m, int64_t count)
{
    const struct sw_lengthen_desc l = {o->sweep, s->sweep, s->id, count, m->old_run, m->run};
    const struct sw_provenance provenance = {.command_line = cli->command_line};
    struct sw_output_lock *lock;
    SW_TRY(sw_output_lock(longer, &lock));
    enum sw_status st = sw_output_remove(longer);  /* of another end, or not complete */
    if (!st) st = sw_output_lengthen(s->file, longer, &l, &provenance);
    if (st) {
        struct sw_err_kept kept = {0};
        sw_err_keep(&kept, st);
        sw_output_remove_parts(longer);
        sw_err_raise(&kept);
    }
    sw_output_unlock(&lock);
    if (!st) console_message(cli, "longer   %lld run%s of %s continue%s from where %s ended\n", (long long)count,
                             count == 1 ? "" : "s", s->file, count == 1 ? "s" : "", count == 1 ? "it" : "they");
    return st;
}

enum sw_status extend_sweep(struct sw_cli *cli, const struct cli_sweep *s, const struct sw_completed *completed,
                            const char *longer, enum sw_status refused)
{
    struct sw_err_kept refusal = {0};
    struct matching m = {0};
    struct old o = {0};
    bool there = false;
    sw_err_keep(&refusal, refused);
    if (!completed || !completed->has_file || completed->has_parts) return refused;
    if (completed->is_virtual || completed->is_dropped || completed->ncheckpoint) return refused;
    enum sw_status st = open_old_sweep(s->file, completed, &o);
    if (!st) st = match_runs(s, completed, &o, &m);
    if (st || !m.all || !m.longer) {
        st = st == SW_E_MEMORY ? st : sw_err_raise(&refusal);
        goto out;
    }
    SW_TRY_TO(out, st, check_all_selected(s, &m, completed->count));
    if (!longer) goto out;
    SW_TRY_TO(out, st, has_begun(s, longer, &m, completed->count, &there));
    if (!there) st = make_extended_parts(cli, s, longer, &o, &m, completed->count);
out:
    sw_free(m.old_run);
    sw_free(m.run);
    close_old_sweep(&o);
    return st;
}
