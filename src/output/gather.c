#include "output/gather.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_mem.h"

/* ---- files */
static enum sw_status pass_over(const char *path, struct sw_report *report, struct sw_gather *g)
{
    if (report)
        sw_report_add(report, SW_WARNING, NULL, 0, "%s; passed over, its runs are done again", sw_err_message());
    SW_TRY(sw_resize((size_t)g->ndamaged, (size_t)g->ndamaged + 1, &g->damaged));
    return (g->damaged[g->ndamaged++] = sw_strdup(path)) ? SW_OK : SW_E_MEMORY;
}

static enum sw_status open_inputs(const char *const *path, int count, struct sw_report *report, bool tolerate,
                                  struct sw_gather *g)
{
    if (g->ninput + count > g->room) {
        const int room = g->ninput + count > 2 * g->room ? g->ninput + count : 2 * g->room;
        SW_TRY(sw_resize((size_t)g->room, (size_t)room, &g->input));
        g->room = room;
    }
    for (int k = 0; k < count; k++) {
        bool damaged, gone;
        enum sw_status st = sw_source_open(path[k], &g->input[g->ninput], &damaged);
        if (!st) { g->ninput++; continue; }
        gone = access(path[k], F_OK) && errno == ENOENT;
        g->vanished |= gone;
        if (st != SW_E_IO || !tolerate || !(damaged || gone)) return st;
        if (damaged) SW_TRY(pass_over(path[k], report, g));
    }
    return SW_OK;
}

static int64_t all_rows(const struct sw_gather *g)
{
    int64_t rows = 0;
    for (int k = 0; k < g->ninput; k++) rows += g->input[k].table->nruns;
    return rows;
}

/* ---- chains */
static int by_id(const void *a, const void *b)
{
    uint64_t x = ((const struct sw_found *)a)->id, y = ((const struct sw_found *)b)->id;
    return (x > y) - (x < y);
}

static enum sw_status list_ids(struct sw_gather *g)
{
    SW_TRY(sw_alloc((size_t)all_rows(g), &g->found));
    for (int k = 0; k < g->ninput; k++)
        for (int64_t j = 0; j < g->input[k].table->nruns; j++)
            g->found[g->nfound++] = (struct sw_found){g->input[k].table->id[j], -1, -1};
    qsort(g->found, (size_t)g->nfound, sizeof *g->found, by_id);
    int64_t kept = 0;
    for (int64_t j = 0; j < g->nfound; j++)
        if (!kept || g->found[kept - 1].id != g->found[j].id) g->found[kept++] = g->found[j];
    g->nfound = kept;
    return SW_OK;
}

static struct sw_found *find(const struct sw_gather *g, uint64_t id)
{
    return bsearch(&(struct sw_found){.id = id}, g->found, (size_t)g->nfound, sizeof *g->found, by_id);
}

const struct sw_found *sw_gather_find(const struct sw_gather *g, uint64_t id) { return g->nfound ? find(g, id) : NULL; }

/* Does a stretch begin where a checkpoint left off? */
static bool continues(const struct sw_gather *g, int64_t link, struct sw_stretch s)
{
    if (link < 0 || !g->input[g->link[link].input].has_state) return false;
    struct sw_stretch b = sw_source_stretch(&g->input[g->link[link].input], g->link[link].row);
    return s.field_first == b.field_first + b.fields && s.scalar_first == b.scalar_first + b.scalars;
}

static void add_link(struct sw_gather *g, int input, int64_t row)
{
    const struct sw_run_table *t = g->input[input].table;
    struct sw_found *f = find(g, t->id[row]);
    struct sw_stretch s = sw_source_stretch(&g->input[input], row);
    bool goes_on = continues(g, f->newest, s);
    if (!goes_on && (s.field_first || s.scalar_first)) return;  /* what came before it is lost */
    g->link[g->nlink] = (struct sw_link){input, row, goes_on ? f->newest : -1};
    f->newest = g->nlink++;
    if (t->row[row].status == SW_RUN_PENDING) return;
    g->again += f->ended >= 0;
    f->ended = f->newest;
}

static enum sw_status follow_chains(struct sw_gather *g)
{
    SW_TRY(list_ids(g));
    SW_TRY(sw_alloc((size_t)all_rows(g), &g->link));
    for (int k = 0; k < g->ninput; k++)
        for (int64_t j = 0; j < g->input[k].table->nruns; j++) add_link(g, k, j);
    return SW_OK;
}

/* What a merge reads: of a virtual file its parts, which are opened once each and in no need of room for many files at
 * once. (A part may be virtual itself.) */
static enum sw_status open_real(const char *const *path, int count, struct sw_gather *g)
{
    enum sw_status st = SW_OK;
    for (int k = 0; k < count && !st; k++) {
        st = open_inputs(&path[k], 1, NULL, false, g);
        if (st || !g->input[g->ninput - 1].npart) continue;
        struct sw_source master = g->input[--g->ninput];
        st = open_real((const char *const *)master.part, master.npart, g);
        sw_source_free(&master);
    }
    return st;
}

enum sw_status sw_gather_real(const char *const *path, int count, struct sw_gather *g)
{
    SW_TRY(open_real(path, count, g));
    return follow_chains(g);
}

enum sw_status sw_gather_files(const char *const *path, int count, struct sw_report *report, struct sw_gather *g)
{
    SW_TRY(open_inputs(path, count, report, report != NULL, g));
    return follow_chains(g);
}

static enum sw_status open_output(const char *file, struct sw_report *report, struct sw_gather *g)
{
    char **part;
    int count;
    SW_TRY(sw_files_parts(file, &part, &count));  /* before FILE: a merge puts parts into it, not the other way round */
    const bool absent = access(file, F_OK) && (errno == ENOENT || errno == ENOTDIR);  /* else opening says why not */
    enum sw_status st = absent ? SW_OK : open_inputs(&file, 1, NULL, false, g);
    if (!st) st = open_inputs((const char *const *)part, count, report, true, g);
    sw_files_free_list(&part, count);
    return st;
}

enum sw_status sw_gather_output(const char *file, struct sw_report *report, struct sw_gather *g)
{
    SW_TRY(open_output(file, report, g));
    if (g->vanished) {  /* the part may be FILE now, or FILE have it */
        sw_gather_free(g);
        SW_TRY(open_output(file, report, g));
    }
    return follow_chains(g);
}

void sw_gather_free(struct sw_gather *g)
{
    for (int k = 0; k < g->ninput; k++) sw_source_free(&g->input[k]);
    for (int k = 0; k < g->ndamaged; k++) sw_free(g->damaged[k]);
    sw_free(g->damaged);
    sw_free(g->input);
    sw_free(g->link);
    sw_free(g->found);
    sw_free(g->wanted);
    *g = (struct sw_gather){0};
}

int64_t sw_found_link(const struct sw_found *f) { return f->ended >= 0 ? f->ended : f->newest; }

/* ---- which runs are wanted */
static int by_index(const void *a, const void *b)
{
    const struct sw_wanted *x = a, *y = b;
    if (x->index != y->index) return x->index < y->index ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static int want_by_id(const void *a, const void *b)
{
    uint64_t x = ((const struct sw_wanted *)a)->id, y = ((const struct sw_wanted *)b)->id;
    return (x > y) - (x < y);
}

static void sort_unique(struct sw_wanted *w, int64_t *count)
{
    int64_t kept = 0;
    qsort(w, (size_t)*count, sizeof *w, by_index);
    for (int64_t j = 0; j < *count; j++)
        if (!kept || by_index(&w[kept - 1], &w[j])) w[kept++] = w[j];
    *count = kept;
}

/* The runs of all inputs of one sweep (current), or of those of other sweeps. */
static int64_t list_rows(const struct sw_gather *g, const char *sweep_id, bool current, struct sw_wanted *w)
{
    int64_t count = 0;
    for (int k = 0; k < g->ninput; k++) {
        const struct sw_run_table *t = g->input[k].table;
        if (current == !strcmp(t->sweep_id, sweep_id))
            for (int64_t j = 0; j < t->nruns; j++) w[count++] = (struct sw_wanted){t->index[j], t->id[j]};
    }
    sort_unique(w, &count);
    return count;
}

/* Runs of older sweeps count only where the newest sweep has not met them yet: it gives the index. */
static enum sw_status want_inputs(struct sw_gather *g)
{
    struct sw_wanted *old, *known;
    const char *newest = g->ninput ? g->input[g->ninput - 1].table->sweep_id : "";
    size_t rows = (size_t)all_rows(g);
    SW_TRY(sw_alloc(rows, &g->wanted));
    SW_TRY(sw_alloc(rows, &old));
    g->nwanted = list_rows(g, newest, true, g->wanted);
    int64_t nold = list_rows(g, newest, false, old), nknown = g->nwanted;
    enum sw_status st = sw_alloc((size_t)nknown, &known);
    if (!st) {
        memcpy(known, g->wanted, (size_t)nknown * sizeof *known);
        qsort(known, (size_t)nknown, sizeof *known, want_by_id);
        for (int64_t j = 0; j < nold; j++)
            if (!bsearch(&old[j], known, (size_t)nknown, sizeof *known, want_by_id)) g->wanted[g->nwanted++] = old[j];
        sort_unique(g->wanted, &g->nwanted);
    }
    sw_free(known);
    sw_free(old);
    return st;
}

enum sw_status sw_gather_want(struct sw_gather *g, const struct sw_sweep *sweep, const uint64_t *id)
{
    if (!sweep) return want_inputs(g);
    SW_TRY(sw_alloc((size_t)sweep->nruns, &g->wanted));
    for (g->nwanted = 0; g->nwanted < sweep->nruns; g->nwanted++)
        g->wanted[g->nwanted] = (struct sw_wanted){g->nwanted, id[g->nwanted]};
    return SW_OK;
}

/* ---- the table */
static enum sw_status copy_row(const struct sw_gather *g, int64_t link, struct sw_run_table *t, int64_t row)
{
    const struct sw_link *l = &g->link[link];
    SW_TRY(sw_run_table_copy_row(t, row, g->input[l->input].table, l->row));
    for (int64_t k = l->before; k >= 0; k = g->link[k].before)
        sw_run_row_add(&t->row[row], &g->input[g->link[k].input].table->row[g->link[k].row]);
    return SW_OK;
}

static int find_param(const struct sw_run_table *t, const char *name)
{
    for (int k = 0; k < t->nparam; k++)
        if (!strcmp(t->param_name[k], name)) return k;
    return -1;
}

/* Parameter k of a row as the inputs have it, NaN where they do not know it. */
static enum sw_status copy_param(const struct sw_gather *g, int64_t link, struct sw_run_table *t, int64_t row, int k)
{
    const struct sw_link *l = &g->link[link];
    const struct sw_run_table *from = g->input[l->input].table;
    int j = find_param(from, t->param_name[k]);
    double *to = &t->param[(size_t)k * (size_t)t->nruns + (size_t)row];
    *to = j < 0 ? NAN : from->param[(size_t)j * (size_t)from->nruns + (size_t)l->row];
    if (j >= 0 && from->nword[j]) return sw_run_table_word(t, k, from->word[j][(int)*to], to);
    return j < 0 && t->nword[k] ? sw_run_table_word(t, k, "", to) : SW_OK;
}

static enum sw_status copy_params(const struct sw_gather *g, const int64_t *link, struct sw_run_table *t)
{
    const struct sw_run_table *newest = g->input[g->ninput - 1].table;
    for (int k = 0; k < t->nparam; k++) {
        SW_TRY(sw_run_table_set_param(t, k, newest->param_name[k]));
        for (int64_t row = 0; row < t->nruns; row++) SW_TRY(copy_param(g, link[row], t, row, k));
    }
    return SW_OK;
}

static enum sw_status join_facts(const struct sw_gather *g, const struct sw_sweep *sweep, struct sw_run_table *t)
{
    struct sw_facts f = {0};
    enum sw_status st = SW_OK;
    for (int k = 0; k < g->ninput && !st; k++) st = sw_facts_join(&f, &g->input[k].table->own->facts);
    if (!st && sweep) st = sw_facts_set_sweep(&f, sweep);
    if (st) sw_facts_free(&f);
    else sw_run_table_take_facts(t, &f);
    return st;
}

static enum sw_status fill(const struct sw_gather *g, const struct sw_sweep *sweep, const int64_t *index,
                           const int64_t *link, struct sw_run_table *t)
{
    memcpy(t->index, index, (size_t)t->nruns * sizeof *index);
    for (int64_t row = 0; row < t->nruns; row++) SW_TRY(copy_row(g, link[row], t, row));
    SW_TRY(sweep ? sw_run_table_set_sweep(t, sweep) : copy_params(g, link, t));
    return join_facts(g, sweep, t);
}

enum sw_status sw_gather_table(const struct sw_gather *g, bool ended_only, const struct sw_sweep *sweep,
                               struct sw_run_table **table, int64_t **link)
{
    int64_t *from = NULL, *index = NULL, rows = 0;
    *table = NULL;
    enum sw_status st = sw_alloc((size_t)g->nwanted, &from);
    if (!st) st = sw_alloc((size_t)g->nwanted, &index);
    for (int64_t j = 0; j < g->nwanted && !st; j++) {
        const struct sw_found *f = sw_gather_find(g, g->wanted[j].id);
        int64_t l = !f ? -1 : ended_only ? f->ended : sw_found_link(f);
        if (l < 0) continue;
        index[rows] = g->wanted[j].index;
        from[rows++] = l;
    }
    int nparam = sweep ? sweep->naxis : g->ninput ? g->input[g->ninput - 1].table->nparam : 0;
    if (!st) st = sw_run_table_alloc(rows, nparam, table);
    if (!st) st = fill(g, sweep, index, from, *table);
    if (st) sw_run_table_free(table);
    sw_free(index);
    if (link && !st) *link = from;
    else sw_free(from);
    return st;
}
