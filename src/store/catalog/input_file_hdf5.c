#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "store/catalog/input_file.h"
#include "store/hdf5/schema_hdf5.h"
#include "store/files/sw_output.h"

static enum sw_status locate_rows(struct sw_h5 *h, struct sw_input_file *in)
{
    int64_t n = in->table->nruns;
    SW_TRY(sw_alloc((size_t)n, &in->data_group_of));
    SW_TRY(sw_alloc((size_t)n, &in->row_of));
    for (int64_t j = 0; j < n; j++) in->data_group_of[j] = -1;
    for (int k = 0; k < in->ndata_group; k++)
        for (int64_t i = 0, row = -1; i < in->data_group[k].count; i++) {
            const int64_t run = in->data_group[k].index[i];
            const bool next = row + 1 < n && in->table->index[row + 1] == run;  /* all, of one group */
            row = next ? row + 1 : sw_run_table_find(in->table, run);
            if (row < 0) return sw_h5_damaged(h, "a group holds a run that is not in the run table");
            in->data_group_of[row] = k;
            in->row_of[row] = i;
        }
    return SW_OK;
}

/* ---- virtual files
 *
 * Earlier versions could join files without copying: the arrays of such a file are virtual datasets (HDF5 1.10), whose
 * values lie in other files, its sources. Where one of these is gone, HDF5 gives the fill value and says nothing; so a
 * virtual file lists its sources with their sizes, which are compared before anything is read. */
static const char listed_sources[] = "/provenance/parts", listed_bytes[] = "/provenance/part_bytes";

/* A source as it is to be opened: its name is relative to the file's folder. */
static char *path_beside(const char *file, const char *name)
{
    const char *slash = strrchr(file, '/');
    struct sw_text t = {0};
    if (slash) sw_text_add_bytes(&t, file, (size_t)(slash - file) + 1);
    sw_text_add(&t, name);
    return sw_text_take(&t);
}

struct sources { struct sw_h5 *h; char **path; };

static enum sw_status add_source(void *user, int64_t k, const char *name)
{
    struct sources *r = user;
    if (!sw_h5_is_below(name))
        return sw_h5_damaged(r->h, "lists a part that is not in its folder, nor below it: sweep lists no such part");
    return (r->path[k] = path_beside(r->h->path, name)) ? SW_OK : SW_E_MEMORY;
}

static enum sw_status check_source(const struct sw_h5 *h, const char *source, int64_t bytes)
{
    struct stat s;
    if (stat(source, &s))
        return SW_FAIL(SW_E_IO, "%s is virtual: the fields are in its parts, and %s is not there; put it back (a "
                       "virtual file and its parts are moved together)", h->path, source);
    if ((int64_t)s.st_size == bytes) return SW_OK;
    return SW_FAIL(SW_E_IO, "%s is virtual, and its part %s has changed (from %lld bytes to %lld); merge "
                   "the parts again, or put the original part back",
                   h->path, source, (long long)bytes, (long long)s.st_size);
}

static void read_sources(struct sw_h5 *h, struct sw_input_file *in)
{
    int64_t *bytes = NULL;
    if (h->status || !sw_h5_has(h, listed_sources)) return;
    const int64_t n = sw_h5_length(h, listed_sources);
    if (n > INT_MAX) sw_h5_damaged(h, "has more parts than can be");
    if (h->status) return;
    if (sw_alloc((size_t)n + 1, &in->source) || sw_alloc((size_t)n, &bytes)) h->status = SW_E_MEMORY;
    else in->nsource = (int)n;
    sw_h5_get_texts(h, listed_sources, in->nsource, add_source, &(struct sources){h, in->source});
    sw_h5_get_list(h, listed_bytes, SW_H5_INTEGER, in->nsource, bytes);
    for (int k = 0; k < in->nsource && !h->status; k++) h->status = check_source(h, in->source[k], bytes[k]);
    sw_free(bytes);
}

/* ---- the file */
static void read_checksums(struct sw_h5 *h, struct sw_input_file *in)
{
    const struct sw_checksum *sum = sw_h5_driver_sum(h->file);
    in->has_checksums = sum && sum->seal == SW_SEAL_WHOLE;
    in->written = in->has_checksums ? sum->written : 0;
    in->lost_checksums = !in->has_checksums && sw_h5_has_attr(h, "/", SW_H5_CHECKSUM);
    if (in->lost_checksums && sw_h5_driver_ends_early(h->file))
        sw_h5_damaged(h, "is a damaged HDF5 file: its end, where its checksums were, was cut off or added to");
}

static void read_all(struct sw_h5 *h, struct sw_input_file *in)
{
    struct sw_metadata metadata = {0};
    read_checksums(h, in);
    sw_h5_read_metadata(h, &metadata);
    sw_h5_read_table(h, &metadata, &in->table);
    sw_metadata_free(&metadata);
    sw_h5_read_data_groups(h, in->table, &in->data_group, &in->ndata_group);
    read_sources(h, in);
    in->has_state = sw_h5_has(h, "/state");
    if (in->has_state) sw_h5_check_stored(h, "/state/u", -1);
    in->step = sw_h5_get_attr_count(h, "/state", "step");
    const int64_t cut = sw_h5_get_attr_count(h, "/state", "cut");
    in->cut = (int)(cut < INT_MAX ? cut : INT_MAX);
    in->ticks = sw_h5_get_attr_count(h, "/state", "ticks");
}

enum sw_status sw_input_file_open(const char *path, struct sw_input_file *in, bool *damaged)
{
    struct sw_h5 h;
    *damaged = false;
    *in = (struct sw_input_file){.path = sw_strdup(path)};
    if (!in->path) return SW_E_MEMORY;
    const enum sw_status seen = sw_files_version(path, &in->version);  /* before: another may take its name meanwhile */
    enum sw_status st = sw_h5_open(&h, path);
    if (!st) h.status = seen;
    if (!h.status) read_all(&h, in);
    if (!h.status) h.status = locate_rows(&h, in);
    st = sw_h5_close(&h);
    *damaged = h.damaged;
    if (st) sw_input_file_free(in);
    return st;
}

enum sw_status sw_input_file_open_sources(const char *path, struct sw_input_file *in, bool *damaged)
{
    struct sw_h5 h;
    *damaged = false;
    *in = (struct sw_input_file){.path = sw_strdup(path)};
    if (!in->path) return SW_E_MEMORY;
    if (!sw_h5_open(&h, path)) {
        read_checksums(&h, in);
        read_sources(&h, in);
    }
    enum sw_status st = sw_h5_close(&h);
    *damaged = h.damaged;
    return st;
}

enum sw_status sw_output_check_replaceable(const char *file)
{
    struct sw_h5 h = {0};
    char why[400];
    enum sw_status st = sw_files_regular(file);
    if (!st && sw_files_absent(file)) return SW_OK;
    if (!st && !sw_h5_open(&h, file) && !sw_h5_has_attr(&h, "/", "sweep_schema"))
        sw_h5_damaged(&h, SW_OF_OTHERS);
    if (!st) st = sw_h5_close(&h);
    if (!st || st == SW_E_MEMORY) return st;
    snprintf(why, sizeof why, "%s", sw_err_message());
    return SW_FAIL(SW_E_REFUSED, "%s; only an output of sweep is ever replaced: use -o FILE, or move it away", why);
}

void sw_input_file_free(struct sw_input_file *in)
{
    for (int k = 0; in->data_group && k < in->ndata_group; k++) sw_data_group_free(&in->data_group[k]);
    sw_free(in->data_group);
    sw_run_table_free(&in->table);
    sw_free(in->data_group_of);
    sw_free(in->row_of);
    sw_h5_free_texts(&in->source, in->nsource);
    sw_free(in->path);
    *in = (struct sw_input_file){0};
}

bool sw_input_file_lacks_states(const struct sw_input_file *in)
{
    bool lacks = !in->ndata_group && in->table->nruns;
    for (int k = 0; k < in->ndata_group; k++) lacks |= !in->data_group[k].nstate;
    return lacks && !in->has_state;
}

const struct sw_data_group *sw_input_file_group(const struct sw_input_file *in, int64_t row)
{
    return in->data_group_of[row] < 0 ? NULL : &in->data_group[in->data_group_of[row]];
}

bool sw_input_file_has_end(const struct sw_input_file *in, int64_t row)
{
    const struct sw_data_group *s = in->data_group_of ? sw_input_file_group(in, row) : NULL;
    return s && s->nstate && !s->slabs && sw_data_group_var(s, "state_last");
}

struct sw_slab sw_input_file_slab(const struct sw_input_file *in, int64_t row)
{
    const struct sw_data_group *s = sw_input_file_group(in, row);
    return s && s->slabs ? (struct sw_slab){s->piece_first, s->piece_count} : (struct sw_slab){0};
}

struct sw_time_slice sw_input_file_time_slice(const struct sw_input_file *in, int64_t row)
{
    const struct sw_data_group *s = sw_input_file_group(in, row);
    if (!s) return (struct sw_time_slice){0};
    struct sw_time_slice t = {s->field_first, s->nfield, s->scalar_first, s->nscalar, 0, 0, s->slab, s->slabs};
    if (!s->piece_count) return t;
    t.begin_point = s->piece_first;
    t.end_point = (s->piece_first + s->piece_count) % s->n[sw_data_group_axis(s)];
    if (t.end_point && !s->slabs) t.fields--;
    return t;
}
