#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_mem.h"
#include "base/sw_order.h"
#include "store/catalog/catalog.h"
#include "store/catalog/sw_completed.h"
#include "store/sw_verify.h"
#include "store/files/sw_files.h"

static enum sw_status copy_runs(const struct sw_catalog *c, struct sw_completed *l)
{
    SW_TRY(sw_alloc((size_t)c->nentry, &l->id));
    SW_TRY(sw_alloc((size_t)c->nentry, &l->status));
    SW_TRY(sw_alloc((size_t)c->nentry, &l->in));
    SW_TRY(sw_alloc((size_t)c->nentry, &l->has_end));
    for (int64_t j = 0; j < c->nentry; j++) {
        if (c->entry[j].ended < 0) continue;
        const struct sw_run_slice *k = &c->slice[c->entry[j].ended];
        l->id[l->count] = c->entry[j].id;
        l->in[l->count] = k->input;
        l->has_end[l->count] = sw_input_file_has_end(&c->input[k->input], k->row);
        l->status[l->count++] = (unsigned char)sw_run_table_status(c->input[k->input].table, k->row);
    }
    return SW_OK;
}

static enum sw_status copy_metadata(const struct sw_catalog *c, struct sw_completed *l)
{
    if (!c->ninput) return SW_OK;
    const struct sw_run_table *t = c->input[c->ninput - 1].table;
    l->identity = sw_run_table_identity(t);
    if (!(l->title = sw_strdup(t->title)) || !(l->config_text = sw_strdup(t->config_text)) ||
        !(l->statistics = sw_strdup(sw_run_table_statistics(t)->text)))
        return SW_E_MEMORY;
    SW_TRY(sw_alloc((size_t)t->noverride, &l->override));
    for (; l->noverride < t->noverride; l->noverride++)
        if (!(l->override[l->noverride] = sw_strdup(t->override[l->noverride]))) return SW_E_MEMORY;
    return SW_OK;
}

/* Whether the batch of an input with a state can go on: the input is the newest of all its runs, and one of them is not
 * done. Where some runs were begun again in another file the chains would not join: then all
 * runs begin anew. */
static bool can_continue(const struct sw_catalog *c, int input)
{
    const struct sw_run_table *t = c->input[input].table;
    bool pending = false;
    for (int64_t j = 0; c->input[input].has_state && j < t->nruns; j++) {
        const struct sw_catalog_entry *f = sw_catalog_find(c, t->id[j]);
        if (f->newest < 0 || c->slice[f->newest].input != input) return false;
        const struct sw_run_slice *e = f->ended < 0 ? NULL : &c->slice[f->ended];
        pending |= !e || sw_run_table_status(c->input[e->input].table, e->row) != SW_RUN_DONE;
    }
    return pending;
}

/* The parts with the slabs of a state, of which a slice has the last: those before it in the chain have the others. */
static enum sw_status list_parts(const struct sw_catalog *c, int64_t slice, struct sw_checkpoint *b)
{
    const int64_t slabs = sw_input_file_time_slice(&c->input[c->slice[slice].input], c->slice[slice].row).slabs;
    b->nparts = slabs ? (int)slabs : 1;
    SW_TRY(sw_alloc((size_t)b->nparts, &b->part));
    for (int k = b->nparts; k-- > 0; slice = c->slice[slice].previous) {
        const struct sw_input_file *in = &c->input[c->slice[slice].input];
        const struct sw_slab of = sw_input_file_slab(in, c->slice[slice].row);
        b->part[k] = (struct sw_checkpoint_part){sw_strdup(in->path), of.first, of.count};
        if (!b->part[k].path) return SW_E_MEMORY;
    }
    return SW_OK;
}

static enum sw_status add_checkpoint(const struct sw_catalog *c, const struct sw_input_file *in,
                                     struct sw_completed *l)
{
    SW_TRY(sw_resize((size_t)l->ncheckpoint, (size_t)l->ncheckpoint + 1, &l->checkpoint));
    struct sw_checkpoint *b = &l->checkpoint[l->ncheckpoint++];
    size_t count = (size_t)in->table->nruns;
    struct sw_time_slice s = sw_input_file_time_slice(in, 0);
    *b = (struct sw_checkpoint){.count = (int)count, .step = in->step, .cut = in->cut,
                                 .ticks = in->ticks};
    b->fields_done = (int)(s.field_first + s.fields);
    b->scalars_done = (int)(s.scalar_first + s.scalars);
    SW_TRY(sw_alloc(count, &b->id));
    SW_TRY(sw_alloc(count, &b->status));
    memcpy(b->id, in->table->id, count * sizeof *b->id);
    for (size_t j = 0; j < count; j++) b->status[j] = (unsigned char)sw_run_table_status(in->table, (int64_t)j);
    if (!(b->solver = sw_strdup(in->table->solver))) return SW_E_MEMORY;
    return list_parts(c, sw_catalog_find(c, in->table->id[0])->newest, b);
}

/* @param c  brief: statuses alone are of interest: parts are not opened where FILE.d/index knows them. The last one
 *           tells of the sweep: where it is damaged all are opened */
static enum sw_status open_catalog(const char *file, struct sw_report *report, struct sw_catalog *c)
{
    const struct sw_catalog empty = *c;
    SW_TRY(sw_catalog_open_output(file, report, c));
    if (!c->brief || !c->ninput || c->input[c->ninput - 1].table->config_text) return SW_OK;
    sw_catalog_free(c);
    *c = empty;
    c->brief = false;
    return sw_catalog_open_output(file, NULL, c);
}

static enum sw_status copy_damaged(const struct sw_catalog *c, struct sw_completed *l)
{
    SW_TRY(sw_alloc((size_t)c->ndamaged, &l->damaged));
    for (; l->ndamaged < c->ndamaged; l->ndamaged++)
        if (!(l->damaged[l->ndamaged] = sw_strdup(c->damaged[l->ndamaged]))) return SW_E_MEMORY;
    return SW_OK;
}

static enum sw_status read_catalog(const char *file, struct sw_report *report, struct sw_catalog *c,
                                   struct sw_completed *l)
{
    SW_TRY(sw_files_mark(file, &l->seen));
    SW_TRY(open_catalog(file, report, c));
    SW_TRY(sw_alloc((size_t)c->ninput, &l->file));
    for (; l->nfile < c->ninput; l->nfile++)
        if (!(l->file[l->nfile] = sw_strdup(c->input[l->nfile].path))) return SW_E_MEMORY;
    l->lacks_estimates = true;
    for (int k = 0; k < c->ninput; k++) {
        if (strcmp(c->input[k].path, file)) l->has_parts = true;
        else l->has_file = true;
        l->is_virtual |= c->input[k].nsource > 0;
        l->is_dropped |= *sw_run_table_dropped(c->input[k].table) != 0;
        l->lacks_states |= sw_input_file_lacks_states(&c->input[k]);
        l->lacks_estimates &= !sw_run_table_has(c->input[k].table, "error_time");
        if (can_continue(c, k)) SW_TRY(add_checkpoint(c, &c->input[k], l));
    }
    if (c->whole && l->has_file && c->input[0].lost_checksums)
        sw_report_add(report, SW_WARNING, NULL, 0, SW_LOST_CHECKSUMS, file);
    SW_TRY(copy_runs(c, l));
    SW_TRY(copy_damaged(c, l));
    return copy_metadata(c, l);
}

/* @param mode  what of the parts is read: of a catalog, brief or whole */
static enum sw_status open_completed(const char *file, struct sw_catalog mode, struct sw_report *report,
                                     struct sw_completed **completed)
{
    struct sw_catalog c = mode;
    struct sw_completed *l;
    *completed = NULL;
    SW_TRY(sw_alloc(1, &l));
    enum sw_status st = read_catalog(file, report, &c, l);
    sw_catalog_free(&c);
    if (st) sw_completed_close(&l);
    *completed = l;
    return st;
}

enum sw_status sw_completed_open(const char *file, struct sw_report *report, struct sw_completed **completed)
{
    return open_completed(file, (struct sw_catalog){.ninput = 0}, report, completed);
}

enum sw_status sw_completed_open_checked(const char *file, struct sw_report *report, struct sw_completed **completed)
{
    return open_completed(file, (struct sw_catalog){.whole = true}, report, completed);
}

/* The writer may join and remove parts after we have read their names. */
enum sw_status sw_completed_open_live(const char *file, struct sw_report *report, struct sw_completed **completed)
{
    const struct sw_catalog brief = {.brief = true};
    enum sw_status st = SW_OK;
    for (int tries = 0; tries < 5; tries++) {
        struct sw_report now = {0};
        st = open_completed(file, brief, &now, completed);
        bool whole = !st && !now.count;
        sw_report_free(&now);
        if (whole) return SW_OK;
        sw_completed_close(completed);
        usleep(20000);
    }
    return open_completed(file, brief, report, completed);
}

void sw_completed_close(struct sw_completed **completed)
{
    struct sw_completed *l = completed ? *completed : NULL;
    if (!l) return;
    for (int k = 0; k < l->ncheckpoint; k++) {
        sw_free(l->checkpoint[k].id);
        sw_free(l->checkpoint[k].status);
        sw_free(l->checkpoint[k].solver);
        for (int i = 0; i < l->checkpoint[k].nparts && l->checkpoint[k].part; i++)
            sw_free(l->checkpoint[k].part[i].path);
        sw_free(l->checkpoint[k].part);
    }
    for (int k = 0; k < l->noverride; k++) sw_free(l->override[k]);
    for (int k = 0; k < l->ndamaged; k++) sw_free(l->damaged[k]);
    for (int k = 0; k < l->nfile; k++) sw_free(l->file[k]);
    sw_free(l->file);
    sw_free(l->in);
    sw_free(l->has_end);
    sw_free(l->damaged);
    sw_free(l->checkpoint);
    sw_free(l->override);
    sw_free(l->title);
    sw_free(l->statistics);
    sw_free(l->config_text);
    sw_free(l->id);
    sw_free(l->status);
    sw_free(l);
    *completed = NULL;
}

enum sw_run_status sw_completed_status(const struct sw_completed *l, uint64_t id)
{
    const uint64_t *at = l && l->count ? bsearch(&id, l->id, (size_t)l->count, sizeof id, sw_by_id) : NULL;
    return at ? (enum sw_run_status)l->status[at - l->id] : SW_RUN_PENDING;
}

bool sw_completed_has_end(const struct sw_completed *l, uint64_t id)
{
    const uint64_t *at = l && l->count ? bsearch(&id, l->id, (size_t)l->count, sizeof id, sw_by_id) : NULL;
    return at && l->has_end[at - l->id];
}

void sw_run_count(struct sw_run_counts *counts, enum sw_run_status status)
{
    switch (status) {
    case SW_RUN_PENDING: counts->pending++; break;
    case SW_RUN_DONE: counts->done++; break;
    case SW_RUN_DIVERGED: counts->diverged++; break;
    case SW_RUN_ERROR: counts->failed++; break;
    }
}

struct sw_run_counts sw_completed_count(const struct sw_completed *l, const uint64_t *id, const int64_t *run,
                                        int64_t count)
{
    struct sw_run_counts counts = {0};
    for (int64_t k = 0; k < count; k++) sw_run_count(&counts, sw_completed_status(l, id[run[k]]));
    return counts;
}
