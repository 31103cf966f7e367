#include "store/hdf5/schema_hdf5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "store/catalog/input_file.h"

/* ---- metadata */
void sw_h5_write_metadata(struct sw_h5 *h, const struct sw_metadata *f)
{
    unsigned char dirty = f->dirty;
    sw_h5_attr_text(h, "/", "Conventions", "CF-1.10");
    sw_h5_group(h, "/provenance");
    for (int k = 0; k < SW_METADATA_COUNT; k++)
        sw_h5_attr_text(h, sw_metadata_rows[k].group, sw_metadata_rows[k].name, f->text[k] ? f->text[k] : "");
    sw_h5_attr(h, "/", "sweep_runs", SW_H5_INTEGER, 1, &f->runs);
    sw_h5_attr(h, "/provenance", "git_dirty", SW_H5_BYTE, 1, &dirty);
    sw_h5_attr_texts(h, "/provenance", "overrides", f->override, f->noverride);
    sw_h5_put_text(h, "/provenance/config_text", f->config_text ? f->config_text : "");
}

static void check_schema(struct sw_h5 *h, const char *schema)
{
    char message[200];
    if (h->status || atoi(schema) <= atoi(SW_SCHEMA)) return;
    snprintf(message, sizeof message, "is written by a newer sweep (schema %s; this one reads %s)", schema, SW_SCHEMA);
    sw_h5_fail_damaged(h, SW_CAUSE_FOREIGN, message);
}

void sw_h5_read_metadata(struct sw_h5 *h, struct sw_metadata *f)
{
    if (!h->status && !sw_h5_has_attr(h, "/", "sweep_schema"))
        sw_h5_fail_damaged(h, SW_CAUSE_FOREIGN, SW_OF_OTHERS);
    for (int k = 0; k < SW_METADATA_COUNT; k++)
        if (!h->status) f->text[k] = sw_h5_get_attr_text(h, sw_metadata_rows[k].group, sw_metadata_rows[k].name);
    if (!h->status) check_schema(h, f->text[SW_METADATA_SCHEMA]);
    f->runs = sw_h5_get_attr_count(h, "/", "sweep_runs");
    f->dirty = sw_h5_get_attr_count(h, "/provenance", "git_dirty") != 0;
    f->override = sw_h5_get_attr_texts(h, "/provenance", "overrides", &f->noverride);
    f->config_text = sw_h5_get_text(h, "/provenance/config_text");
}

/* ---- the run table */
/* path[SW_PATH] of a name at the root */
static const char *at_root(const char *name, char *path)
{
    snprintf(path, SW_PATH, "/%s", name);
    return path;
}

static void describe(struct sw_h5 *h, const char *path, const char *unit, const char *long_name,
                     const char *coordinates)
{
    if (unit && unit[0]) sw_h5_attr_text(h, path, "units", unit);
    if (long_name && long_name[0]) sw_h5_attr_text(h, path, "long_name", long_name);
    if (coordinates && coordinates[0]) sw_h5_attr_text(h, path, "coordinates", coordinates);
}

void sw_h5_write_runs(struct sw_h5 *h, const char *path, int64_t count, const int64_t *index)
{
    sw_h5_put_scale(h, path, SW_H5_INTEGER, count, true, index);
    sw_h5_attr_text(h, path, "long_name", "run index");
}

void sw_h5_read_runs(struct sw_h5 *h, const char *path, int64_t count, int64_t *index)
{
    char message[200];
    sw_h5_get_list(h, path, SW_H5_INTEGER, count, index);
    for (int64_t j = 0; j < count && !h->status; j++) {
        if (index[j] >= 0 && index[j] <= SW_H5_MOST) continue;
        snprintf(message, sizeof message, "holds a run %lld, as no sweep has", (long long)index[j]);
        sw_h5_fail_damaged(h, SW_CAUSE_FOREIGN, message);
    }
}

static void write_labels(struct sw_h5 *h, const char *path, const struct sw_run_table *t, int k)
{
    char **text = NULL;
    const double *number = t->param + (size_t)k * (size_t)t->nruns;
    if (h->status) return;
    if (sw_alloc((size_t)t->nruns, &text)) { sw_h5_fail(h, SW_E_MEMORY, "out of memory"); return; }
    for (int64_t j = 0; j < t->nruns; j++) text[j] = t->word[k][(int)number[j]];
    sw_h5_put_list(h, path, SW_H5_TEXT, t->nruns, text);
    sw_free(text);
}

static void write_param(struct sw_h5 *h, const struct sw_run_table *t, int k)
{
    char path[SW_PATH];
    at_root(t->param_name[k], path);
    if (t->nword[k]) write_labels(h, path, t, k);
    else sw_h5_put_list(h, path, SW_H5_DOUBLE, t->nruns, t->param + (size_t)k * (size_t)t->nruns);
    describe(h, path, t->nword[k] ? NULL : "1", t->param_name[k], NULL);
    sw_h5_attr_text(h, path, "sweep_role", "parameter");
    sw_h5_attach(h, path, 0, "/run");
}

static enum sw_h5_type type_of(const struct sw_run_column *c)
{
    return c->type == SW_RUN_COLUMN_FLAG ? SW_H5_BYTE : c->type == SW_RUN_COLUMN_COUNT ? SW_H5_INTEGER : SW_H5_DOUBLE;
}

/* "pending done diverged error" */
static void write_flags(struct sw_h5 *h, const char *path, const struct sw_run_column *c)
{
    unsigned char value[16];
    char meanings[200] = "";
    for (int k = 0; k < c->flags; k++) {
        const size_t used = strlen(meanings);
        value[k] = (unsigned char)k;
        snprintf(meanings + used, sizeof meanings - used, "%s%s", k ? " " : "", c->flag[k]);
    }
    sw_h5_attr(h, path, "flag_values", SW_H5_BYTE, (hsize_t)c->flags, value);
    sw_h5_attr_text(h, path, "flag_meanings", meanings);
}

static void write_column(struct sw_h5 *h, const struct sw_run_table *t, int k, const char *coordinates)
{
    const struct sw_run_column *c = &sw_run_columns[k];
    char path[SW_PATH];
    sw_h5_put_column(h, at_root(c->name, path), type_of(c), t->nruns, t->column[k]);
    if (c->type == SW_RUN_COLUMN_FLAG) write_flags(h, path, c);
    describe(h, path, c->unit, c->long_name, coordinates);
    sw_h5_attach(h, path, 0, "/run");
}

void sw_h5_write_table(struct sw_h5 *h, const struct sw_run_table *t, const char *coordinates)
{
    for (int k = 0; k < t->nparam; k++) write_param(h, t, k);
    sw_h5_put_list(h, "/run_id", SW_H5_UNSIGNED, t->nruns, t->id);
    describe(h, "/run_id", NULL, "sha256 prefix of canonical parameters", NULL);
    sw_h5_attach(h, "/run_id", 0, "/run");
    sw_h5_put_column(h, "/message", SW_H5_TEXT, t->nruns, t->message);
    describe(h, "/message", NULL, "why a run diverged or failed, or what makes it doubtful", coordinates);
    sw_h5_attach(h, "/message", 0, "/run");
    for (int k = 0; k < sw_run_ncolumns; k++)
        if (t->column[k]) write_column(h, t, k, coordinates);
}

/* Which datasets at the root are parameters: they say so. */
struct names { struct sw_h5 *h; int count; char **name; };

static enum sw_status add_if_param(void *user, const char *name, bool is_group)
{
    struct names *n = user;
    char path[SW_PATH];
    if (is_group || !sw_h5_has_attr(n->h, at_root(name, path), "sweep_role")) return SW_OK;
    SW_TRY(sw_resize((size_t)n->count, (size_t)n->count + 1, &n->name));
    if (!(n->name[n->count] = sw_strdup(name))) return SW_E_MEMORY;
    n->count++;
    return SW_OK;
}

struct param_reader { struct sw_run_table *table; int param; };

static enum sw_status add_label(void *user, int64_t row, const char *text)
{
    const struct param_reader *to = user;
    double *number = to->table->param + (size_t)to->param * (size_t)to->table->nruns + row;
    return sw_run_table_word(to->table, to->param, text, number);
}

static enum sw_status set_id(void *user, int64_t row, const char *text)
{
    struct sw_run_table *t = user;
    t->id[row] = strtoull(text, NULL, 16);
    return SW_OK;
}

static enum sw_status set_message(void *user, int64_t row, const char *text)
{
    return sw_run_table_set_message(user, row, text);
}

static void read_param(struct sw_h5 *h, struct sw_run_table *t, int k, const char *name)
{
    struct sw_h5_shape shape;
    enum sw_h5_type type;
    char path[SW_PATH];
    if (!h->status && sw_run_table_set_param(t, k, name)) h->status = SW_E_MEMORY;
    sw_h5_dataset_close(sw_h5_dataset(h, at_root(name, path), &shape, &type));
    if (h->status) return;  /* then the type says nothing */
    if (type == SW_H5_TEXT) sw_h5_get_texts(h, path, t->nruns, add_label, &(struct param_reader){t, k});
    else sw_h5_get_list(h, path, SW_H5_DOUBLE, t->nruns, t->param + (size_t)k * (size_t)t->nruns);
}

/* Some columns are of some problems only, and files of an earlier version lack columns that came later: real ones. */
static void read_column(struct sw_h5 *h, struct sw_run_table *t, int k)
{
    const struct sw_run_column *c = &sw_run_columns[k];
    char path[SW_PATH];
    at_root(c->name, path);
    if ((c->type == SW_RUN_COLUMN_REAL || c->present) && !sw_h5_has(h, path)) return;
    if (!h->status && sw_run_table_add_column(t, c)) h->status = SW_E_MEMORY;
    if (!h->status) sw_h5_get_column(h, path, type_of(c), t->nruns, t->column[k]);
}

/* Files before schema 3 have texts of 16 hexadecimal digits. */
static void read_ids(struct sw_h5 *h, struct sw_run_table *t)
{
    struct sw_h5_shape shape;
    enum sw_h5_type type;
    sw_h5_dataset_close(sw_h5_dataset(h, "/run_id", &shape, &type));
    if (h->status) return;
    if (type == SW_H5_TEXT) sw_h5_get_texts(h, "/run_id", t->nruns, set_id, t);
    else sw_h5_get_list(h, "/run_id", SW_H5_UNSIGNED, t->nruns, t->id);
}

static void read_rows(struct sw_h5 *h, struct sw_run_table *t)
{
    sw_h5_read_runs(h, "/run", t->nruns, t->index);
    read_ids(h, t);
    if (!sw_h5_all_empty(h, "/message", t->nruns)) sw_h5_get_texts(h, "/message", t->nruns, set_message, t);
    for (int k = 0; k < sw_run_ncolumns; k++) read_column(h, t, k);
}

void sw_h5_read_table(struct sw_h5 *h, struct sw_metadata *metadata, struct sw_run_table **table)
{
    struct names params = {.h = h};
    *table = NULL;
    const int64_t nruns = sw_h5_length(h, "/run");
    sw_h5_members(h, "/", add_if_param, &params);
    for (int k = 0; k < params.count; k++) sw_h5_charge(h, nruns, sizeof(double));
    if (!h->status && sw_run_table_alloc(nruns, params.count, table)) h->status = SW_E_MEMORY;
    if (!h->status) read_rows(h, *table);
    for (int k = 0; k < params.count && !h->status; k++) read_param(h, *table, k, params.name[k]);
    sw_h5_free_texts(&params.name, params.count);
    if (!h->status && sw_run_table_take_metadata(*table, metadata)) h->status = SW_E_MEMORY;
    if (h->status) sw_run_table_free(table);
}
