#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/sw_mem.h"
#include "output/gather.h"
#include "output/schema_hdf5.h"
#include "output/virtual_hdf5.h"

/* Row of a run index in an ascending list, -1: not there. */
static int64_t row_of_index(const int64_t *index, int64_t count, int64_t wanted)
{
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (index[middle] < wanted) low = middle + 1;
        else high = middle;
    }
    return low < count && index[low] == wanted ? low : -1;
}

static enum sw_status locate_rows(struct sw_h5 *h, struct sw_source *in)
{
    int64_t n = in->table->nruns;
    SW_TRY(sw_alloc((size_t)n, &in->section_of));
    SW_TRY(sw_alloc((size_t)n, &in->row_of));
    for (int64_t j = 0; j < n; j++) in->section_of[j] = -1;
    for (int k = 0; k < in->nsection; k++)
        for (int64_t i = 0; i < in->section[k].count; i++) {
            int64_t row = row_of_index(in->table->index, n, in->section[k].index[i]);
            if (row < 0) return sw_h5_damaged(h, "a group holds a run that is not in the run table");
            in->section_of[row] = k;
            in->row_of[row] = i;
        }
    return SW_OK;
}

static void read_all(struct sw_h5 *h, struct sw_source *in)
{
    struct sw_facts facts = {0};
    sw_h5_read_facts(h, &facts);
    sw_h5_read_table(h, &facts, &in->table);
    sw_facts_free(&facts);
    sw_h5_read_sections(h, in->table, &in->section, &in->nsection);
    sw_h5_read_parts(h, &in->part, &in->npart);
    in->has_state = sw_h5_has(h, "/state");
    if (in->has_state) sw_h5_check_index(h, "/state/u");
    in->step = sw_h5_get_attr_integer(h, "/state", "step", 0);
}

enum sw_status sw_source_open(const char *path, struct sw_source *in, bool *damaged)
{
    struct sw_h5 h;
    *damaged = false;
    *in = (struct sw_source){.path = sw_strdup(path)};
    if (!in->path) return SW_E_MEMORY;
    enum sw_status st = sw_h5_open(&h, path);
    if (!st) h.status = sw_files_mark(path, &in->mark);
    if (!st) read_all(&h, in);
    if (!h.status) h.status = locate_rows(&h, in);
    st = sw_h5_close(&h);
    *damaged = h.damaged;
    if (st) sw_source_free(in);
    return st;
}

enum sw_status sw_output_check_replaceable(const char *file)
{
    struct sw_h5 h = {0};
    char why[400];
    enum sw_status st = sw_files_regular(file);
    if (!st && access(file, F_OK) && (errno == ENOENT || errno == ENOTDIR)) return SW_OK;
    if (!st && !sw_h5_open(&h, file) && !sw_h5_has_attr(&h, "/", "sweep_schema"))
        sw_h5_damaged(&h, "is an HDF5 file, but not one that sweep has written");
    if (!st) st = sw_h5_close(&h);
    if (!st || st == SW_E_MEMORY) return st;
    snprintf(why, sizeof why, "%s", sw_err_message());
    return SW_FAIL(SW_E_REFUSED, "%s; only an output of sweep is ever replaced: use -o FILE, or move it away", why);
}

void sw_source_free(struct sw_source *in)
{
    for (int k = 0; in->section && k < in->nsection; k++) sw_section_free(&in->section[k]);
    sw_free(in->section);
    sw_run_table_free(&in->table);
    sw_free(in->section_of);
    sw_free(in->row_of);
    sw_h5_free_texts(&in->part, in->npart);
    sw_free(in->path);
    *in = (struct sw_source){0};
}

bool sw_source_lacks_states(const struct sw_source *in)
{
    bool lacks = !in->nsection && in->table->nruns;
    for (int k = 0; k < in->nsection; k++) lacks |= !in->section[k].nstate;
    return lacks && !in->has_state;
}

struct sw_stretch sw_source_stretch(const struct sw_source *in, int64_t row)
{
    if (in->section_of[row] < 0) return (struct sw_stretch){0};
    const struct sw_section *s = &in->section[in->section_of[row]];
    return (struct sw_stretch){s->field_first, s->nfield, s->scalar_first, s->nscalar};
}

enum sw_status sw_checkpoint_read(const struct sw_checkpoint *batch, double *state, size_t state_size)
{
    struct sw_h5 h;
    sw_h5_lock();
    if (!sw_h5_open(&h, batch->path))
        sw_h5_get_list(&h, "/state/u", SW_H5_DOUBLE, (int64_t)((size_t)batch->count * state_size), state);
    enum sw_status st = sw_h5_close(&h);
    sw_h5_unlock();
    if (!st || !h.damaged) return st;  /* what the system cannot read now may be whole */
    char why[400];
    snprintf(why, sizeof why, "%s", sw_err_message());
    return SW_FAIL(st, "%s; remove this file, no other: its %d runs go on from the part before it, or begin again", why,
                   batch->count);
}
