#include "store/catalog/catalog.h"

#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_order.h"
#include "base/sw_private.h"
#include "base/sw_stop.h"
#include "store/catalog/part_index.h"
#include "store/sw_verify.h"

/* ---- files */
static enum sw_status add_damaged_part(const char *path, struct sw_report *report, struct sw_catalog *c)
{
    if (report)
        sw_report_add(report, SW_WARNING, NULL, 0, "%s; ignored, its runs are computed again", sw_err_message());
    SW_TRY(sw_resize((size_t)c->ndamaged, (size_t)c->ndamaged + 1, &c->damaged));
    return (c->damaged[c->ndamaged++] = sw_strdup(path)) ? SW_OK : SW_E_MEMORY;
}

/* Whether a part is known well enough without opening it. @param index  NULL: none is */
static bool is_indexed(const struct sw_part_index *index, const char *path, struct sw_catalog *c, enum sw_status *st)
{
    bool found = false;
    *st = index ? sw_part_index_input(index, path, &c->input[c->ninput], &found) : SW_OK;
    c->ninput += !*st && found;
    return found;
}

/* Only this program writes parts, and with checksums, since it has them. */
static enum sw_status open_part(const char *path, bool whole, struct sw_input_file *in, bool *damaged)
{
    *damaged = false;
    if (whole) SW_TRY(sw_file_checksum_check(path, damaged));
    SW_TRY(sw_input_file_open(path, in, damaged));
    if (!in->lost_checksums) return SW_OK;
    sw_input_file_free(in);
    *damaged = !sw_open_elsewhere(path);
    if (!*damaged) return SW_FAIL(SW_E_IO, "%s " SW_OPEN_ELSEWHERE, path);
    return SW_FAIL(SW_E_IO, "%s has lost its checksums: its end was cut off, or another program changed it", path);
}

static enum sw_status open_inputs(const char *const *path, int count, struct sw_report *report, bool tolerate,
                                  const struct sw_part_index *index, struct sw_catalog *c)
{
    if (c->ninput + count > c->capacity) {
        const int capacity = c->ninput + count > 2 * c->capacity ? c->ninput + count : 2 * c->capacity;
        SW_TRY(sw_resize((size_t)c->capacity, (size_t)capacity, &c->input));
        c->capacity = capacity;
    }
    for (int k = 0; k < count; k++) {
        bool damaged, gone;
        enum sw_status st;
        SW_TRY(sw_stop_check());
        if (is_indexed(k + 1 < count ? index : NULL, path[k], c, &st)) continue;
        SW_TRY(st);
        struct sw_input_file *const in = &c->input[c->ninput];
        st = tolerate ? open_part(path[k], c->whole, in, &damaged) : sw_input_file_open(path[k], in, &damaged);
        if (!st) { c->ninput++; continue; }
        gone = sw_files_absent(path[k]);
        c->vanished |= gone;
        if (st != SW_E_IO || !tolerate || !(damaged || gone)) return st;
        if (damaged) SW_TRY(add_damaged_part(path[k], report, c));
    }
    return SW_OK;
}

static int64_t all_rows(const struct sw_catalog *c)
{
    int64_t rows = 0;
    for (int k = 0; k < c->ninput; k++) rows += c->input[k].table->nruns;
    return rows;
}

/* ---- chains */
static uint64_t first_bits(const struct sw_catalog *c, uint64_t id)
{
    return c->id_bits ? id >> (64 - c->id_bits) : 0;
}

/* Entries that begin alike: two or three, as ids are hashes, unless somebody made them. */
static void sort_entries(struct sw_catalog_entry *entry, int64_t count)
{
    enum { FEW = 16 };
    if (count > FEW) {
        qsort(entry, (size_t)count, sizeof *entry, sw_by_id);
        return;
    }
    for (int64_t j = 1; j < count; j++) {
        const struct sw_catalog_entry e = entry[j];
        int64_t k = j;
        for (; k > 0 && entry[k - 1].id > e.id; k--) entry[k] = entry[k - 1];
        entry[k] = e;
    }
}

/* Put each id behind those before it that begin alike. @param next  of each beginning, where the first one goes; out:
 * where the last one ends */
static void spread_entries(struct sw_catalog *c, int64_t *next)
{
    for (int k = 0; k < c->ninput; k++)
        for (int64_t j = 0; j < c->input[k].table->nruns; j++) {
            const uint64_t id = c->input[k].table->id[j];
            c->entry[next[first_bits(c, id)]++] = (struct sw_catalog_entry){id, -1, -1, -1};
        }
}

/* Ids are hashes: of a million a search among all met 20 of them, a tenth of the time of a sweep of one step; among
 * those that begin alike it meets two. Sorting all of them took as long. */
static enum sw_status list_entries(struct sw_catalog *c)
{
    const int64_t rows = all_rows(c);
    while (rows >> c->id_bits > 4) c->id_bits++;
    const int64_t beginnings = (int64_t)1 << c->id_bits;
    SW_TRY(sw_alloc((size_t)rows, &c->entry));
    SW_TRY(sw_alloc((size_t)beginnings + 1, &c->first_entry));
    int64_t *first = c->first_entry, begin = 0;
    for (int k = 0; k < c->ninput; k++)
        for (int64_t j = 0; j < c->input[k].table->nruns; j++) first[first_bits(c, c->input[k].table->id[j]) + 1]++;
    for (int64_t k = 0; k < beginnings; k++) first[k + 1] += first[k];
    spread_entries(c, first);
    for (int64_t k = 0; k < beginnings; k++) {
        const int64_t end = first[k];
        first[k] = c->nentry;
        sort_entries(c->entry + begin, end - begin);
        for (; begin < end; begin++)
            if (first[k] == c->nentry || c->entry[c->nentry - 1].id != c->entry[begin].id)
                c->entry[c->nentry++] = c->entry[begin];
    }
    first[beginnings] = c->nentry;
    return SW_OK;
}

static struct sw_catalog_entry *find_entry(const struct sw_catalog *c, uint64_t id)
{
    const int64_t *first = &c->first_entry[first_bits(c, id)];
    int64_t low = first[0], high = first[1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (c->entry[middle].id < id) low = middle + 1;
        else high = middle;
    }
    return low < first[1] && c->entry[low].id == id ? &c->entry[low] : NULL;
}

const struct sw_catalog_entry *sw_catalog_find(const struct sw_catalog *c, uint64_t id)
{
    return c->nentry ? find_entry(c, id) : NULL;
}

/* Whether a time slice begins where the checkpoint at the end of another ends. */
static bool slice_continues(const struct sw_catalog *c, int64_t slice, struct sw_time_slice s)
{
    if (slice < 0 || !c->input[c->slice[slice].input].has_state) return false;
    struct sw_time_slice b = sw_input_file_time_slice(&c->input[c->slice[slice].input], c->slice[slice].row);
    return !sw_time_slice_is_partial(b) && s.field_first == b.field_first + b.fields &&
           s.scalar_first == b.scalar_first + b.scalars && s.begin_point == b.end_point;
}

/* Whether the slab of an input is the next one of the same outputs. Where a call was killed between the parts of two
 * ranks, the slab before it may be of an earlier call, which made its checkpoint after another step. */
static bool slab_continues(const struct sw_catalog *c, int64_t slice, int input, struct sw_time_slice s)
{
    if (slice < 0 || c->slice[slice].status != SW_RUN_PENDING) return false;
    const struct sw_input_file *before = &c->input[c->slice[slice].input], *in = &c->input[input];
    struct sw_time_slice b = sw_input_file_time_slice(before, c->slice[slice].row);
    return b.slabs == s.slabs && b.slab + 1 == s.slab && b.end_point == s.begin_point &&
           b.field_first == s.field_first && b.fields == s.fields && b.scalar_first == s.scalar_first &&
           b.scalars == s.scalars && before->has_state == in->has_state && before->step == in->step;
}

static void add_slice(struct sw_catalog *c, int input, int64_t row)
{
    const struct sw_run_table *t = c->input[input].table;
    const enum sw_run_status status = sw_run_table_status(t, row);
    struct sw_catalog_entry *f = find_entry(c, t->id[row]);
    struct sw_time_slice s = sw_input_file_time_slice(&c->input[input], row);
    const int64_t before = s.slab ? f->growing : f->newest;
    const bool goes_on = s.slab ? slab_continues(c, before, input, s) : slice_continues(c, before, s);
    const bool begins = !s.field_first && !s.scalar_first && !s.begin_point && !s.slab;
    if (!goes_on && !begins) return;  /* the outputs, or slabs, before it are lost */
    c->slice[c->nslice] = (struct sw_run_slice){input, (int)status, row, goes_on ? before : -1};
    f->growing = c->nslice++;
    if (sw_time_slice_is_partial(s)) return;  /* where a call is killed before the others, the chain before it counts */
    f->newest = f->growing;
    f->growing = -1;
    if (status == SW_RUN_PENDING) return;
    c->repeated += f->ended >= 0;
    f->ended = f->newest;
}

static enum sw_status follow_chains(struct sw_catalog *c)
{
    SW_TRY(list_entries(c));
    SW_TRY(sw_alloc((size_t)all_rows(c), &c->slice));
    for (int k = 0; k < c->ninput; k++)
        for (int64_t j = 0; j < c->input[k].table->nruns; j++) add_slice(c, k, j);
    return SW_OK;
}

/* Open the files that hold the values in place of each virtual file; such a file may itself be virtual, but they are no
 * circle. */
static enum sw_status open_resolved(const char *const *path, int count, int depth, struct sw_catalog *c)
{
    enum { DEEPEST = 4 };
    enum sw_status st = SW_OK;
    if (depth > DEEPEST)
        return SW_FAIL(SW_E_IO, "%s is virtual, and so are its parts, and theirs, without an end", path[0]);
    for (int k = 0; k < count && !st; k++) {
        st = open_inputs(&path[k], 1, NULL, false, NULL, c);
        if (st && !depth) c->unopened = 1 + k;
        if (st || !c->input[c->ninput - 1].nsource) continue;
        struct sw_input_file master = c->input[--c->ninput];
        st = open_resolved((const char *const *)master.source, master.nsource, depth + 1, c);
        sw_input_file_free(&master);
    }
    return st;
}

enum sw_status sw_catalog_open_resolved(const char *const *path, int count, struct sw_catalog *c)
{
    SW_TRY(open_resolved(path, count, 0, c));
    return follow_chains(c);
}

static enum sw_status open_output(const char *file, struct sw_report *report, struct sw_catalog *c)
{
    struct sw_part_index *index = NULL;
    char **part;
    int count;
    /* Parts come before FILE: a merge moves results from parts to FILE, not the other way round. */
    SW_TRY(sw_files_parts(file, &part, &count));
    const bool absent = sw_files_absent(file);  /* else opening says why not */
    enum sw_status st = absent ? SW_OK : open_inputs(&file, 1, NULL, false, NULL, c);
    if (!st && c->brief) st = sw_part_index_read(file, &index);
    if (!st) st = open_inputs((const char *const *)part, count, report, true, index, c);
    sw_part_index_free(&index);
    sw_files_free_list(&part, count);
    return st;
}

enum sw_status sw_catalog_open_output(const char *file, struct sw_report *report, struct sw_catalog *c)
{
    SW_TRY(open_output(file, report, c));
    if (c->vanished) {  /* the part may be FILE now, or be merged into it */
        const bool whole = c->whole;
        sw_catalog_free(c);
        c->whole = whole;
        SW_TRY(open_output(file, report, c));
    }
    return follow_chains(c);
}

void sw_catalog_free(struct sw_catalog *c)
{
    for (int k = 0; k < c->ninput; k++) sw_input_file_free(&c->input[k]);
    for (int k = 0; k < c->ndamaged; k++) sw_free(c->damaged[k]);
    sw_free(c->damaged);
    sw_free(c->input);
    sw_free(c->slice);
    sw_free(c->entry);
    sw_free(c->first_entry);
    sw_free(c->selected);
    *c = (struct sw_catalog){0};
}

/* ---- which runs are wanted */
int sw_by_source(const void *a, const void *b)
{
    const struct sw_copy_job *x = a, *y = b;
    if (x->input != y->input) return x->input < y->input ? -1 : 1;
    if (x->data_group != y->data_group) return x->data_group < y->data_group ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

static int selected_by_index(const void *a, const void *b)
{
    const struct sw_selected_run *x = a, *y = b;
    if (x->index != y->index) return x->index < y->index ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static void sort_unique(struct sw_selected_run *w, int64_t *count)
{
    int64_t kept = 0;
    qsort(w, (size_t)*count, sizeof *w, selected_by_index);
    for (int64_t j = 0; j < *count; j++)
        if (!kept || selected_by_index(&w[kept - 1], &w[j])) w[kept++] = w[j];
    *count = kept;
}

/* The runs of all inputs of one sweep (current), or of those of other sweeps. */
static int64_t list_runs_of_sweep(const struct sw_catalog *c, const char *sweep_id, bool current,
                                  struct sw_selected_run *w)
{
    int64_t count = 0;
    for (int k = 0; k < c->ninput; k++) {
        const struct sw_run_table *t = c->input[k].table;
        if (current == !strcmp(t->sweep_id, sweep_id))
            for (int64_t j = 0; j < t->nruns; j++) w[count++] = (struct sw_selected_run){t->id[j], t->index[j]};
    }
    sort_unique(w, &count);
    return count;
}

/* Runs of older sweeps count only where the newest sweep has not met them yet: it gives the index. */
static enum sw_status select_inputs_runs(struct sw_catalog *c)
{
    struct sw_selected_run *old, *known;
    const char *newest = c->ninput ? c->input[c->ninput - 1].table->sweep_id : "";
    size_t rows = (size_t)all_rows(c);
    SW_TRY(sw_alloc(rows, &c->selected));
    SW_TRY(sw_alloc(rows, &old));
    c->nselected = list_runs_of_sweep(c, newest, true, c->selected);
    int64_t nold = list_runs_of_sweep(c, newest, false, old), nknown = c->nselected;
    enum sw_status st = sw_alloc((size_t)nknown, &known);
    if (!st) {
        memcpy(known, c->selected, (size_t)nknown * sizeof *known);
        qsort(known, (size_t)nknown, sizeof *known, sw_by_id);
        for (int64_t j = 0; j < nold; j++)
            if (!bsearch(&old[j].id, known, (size_t)nknown, sizeof *known, sw_by_id))
                c->selected[c->nselected++] = old[j];
        sort_unique(c->selected, &c->nselected);
    }
    sw_free(known);
    sw_free(old);
    return st;
}

enum sw_status sw_catalog_select(struct sw_catalog *c, const struct sw_sweep *sweep, const uint64_t *id)
{
    if (!sweep) return select_inputs_runs(c);
    SW_TRY(sw_alloc((size_t)sweep->nruns, &c->selected));
    for (c->nselected = 0; c->nselected < sweep->nruns; c->nselected++)
        c->selected[c->nselected] = (struct sw_selected_run){id[c->nselected], c->nselected};
    return SW_OK;
}
