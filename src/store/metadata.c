#include <stdlib.h>
#include <string.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "base/sw_version.h"
#include "store/metadata.h"

#define X(fact, group, name, separator) {group, name, separator},
const struct sw_metadata_row sw_metadata_rows[SW_METADATA_COUNT] = {SW_METADATA_TABLE(X)};
#undef X

static const char *or_empty(const char *text) { return text ? text : ""; }

static enum sw_status set_text(struct sw_metadata *f, enum sw_metadata_item fact, const char *text)
{
    char *copy = sw_strdup(or_empty(text));
    if (!copy) return SW_E_MEMORY;
    sw_free(f->text[fact]);
    f->text[fact] = copy;
    return SW_OK;
}

static enum sw_status move_text(struct sw_metadata *f, enum sw_metadata_item fact, struct sw_text *text)
{
    char *data = sw_text_take(text);
    if (!data) return SW_E_MEMORY;
    sw_free(f->text[fact]);
    f->text[fact] = data;
    return SW_OK;
}

static void free_overrides(struct sw_metadata *f)
{
    for (int k = 0; f->override && k < f->noverride; k++) sw_free(f->override[k]);
    sw_free(f->override);
    f->override = NULL;
    f->noverride = 0;
}

static enum sw_status set_config(struct sw_metadata *f, const char *text, char *const *override, int noverride)
{
    sw_free(f->config_text);
    free_overrides(f);
    if (!(f->config_text = sw_strdup(or_empty(text)))) return SW_E_MEMORY;
    SW_TRY(sw_alloc((size_t)noverride, &f->override));
    for (f->noverride = 0; f->noverride < noverride; f->noverride++)
        if (!(f->override[f->noverride] = sw_strdup(override[f->noverride]))) return SW_E_MEMORY;
    return SW_OK;
}

static enum sw_status set_expressions(struct sw_metadata *f, const struct sw_sweep *sweep)
{
    struct sw_text t = {0};
    for (int k = 0; k < sweep->nfunction; k++) {
        const struct sw_function *g = &sweep->function[k];
        sw_text_printf(&t, "%s%s", k ? "; " : "", g->key);
        if (sweep->nunknown > 1) sw_text_printf(&t, ".%s", sweep->unknown[g->unknown]);
        sw_text_printf(&t, ": %s", g->text);
    }
    return move_text(f, SW_METADATA_EXPRESSIONS, &t);
}

enum sw_status sw_metadata_set_sweep(struct sw_metadata *f, const struct sw_sweep *sweep)
{
    const struct sw_config *c = sweep->config;
    f->runs = sweep->nruns;
    SW_TRY(set_text(f, SW_METADATA_TITLE, sweep->title));
    SW_TRY(set_text(f, SW_METADATA_PROBLEM, sweep->problem->name));
    SW_TRY(set_text(f, SW_METADATA_EQUATION, sweep->problem->equation));
    SW_TRY(set_text(f, SW_METADATA_SWEEP_ID, sweep->id));
    SW_TRY(set_text(f, SW_METADATA_CONFIG_HASH, sweep->config_sha256));
    SW_TRY(set_expressions(f, sweep));
    SW_TRY(set_text(f, SW_METADATA_STATISTICS, sweep->statistics));
    return set_config(f, c->text, c->override, c->noverride);
}

static enum sw_status set_program(struct sw_metadata *f)
{
    struct sw_text t = {0};
    f->dirty = sw_build.dirty;
    sw_text_printf(&t, "sweep %s", SW_VERSION);
    if (sw_build.commit[0]) sw_text_printf(&t, " (git %s%s)", sw_build.commit, sw_build.dirty ? "+" : "");
    SW_TRY(move_text(f, SW_METADATA_SOURCE, &t));
    SW_TRY(set_text(f, SW_METADATA_COMMIT, sw_build.commit));
    return set_text(f, SW_METADATA_COMPILER, sw_build.compiler);
}

enum sw_status sw_metadata_make(const struct sw_sweep *sweep, const struct sw_provenance *p, const char *hdf5,
                                struct sw_metadata *f)
{
    SW_TRY(sw_metadata_set_sweep(f, sweep));
    SW_TRY(set_program(f));
    SW_TRY(set_text(f, SW_METADATA_SCHEMA, SW_SCHEMA));
    SW_TRY(set_text(f, SW_METADATA_HDF5, hdf5));
    SW_TRY(set_text(f, SW_METADATA_SOLVER, p->solver));
    SW_TRY(set_text(f, SW_METADATA_PRECISION, sweep->single_steps ? "single" : "double"));
    SW_TRY(set_text(f, SW_METADATA_COMMAND, p->command_line));
    SW_TRY(set_text(f, SW_METADATA_HOST, p->hostname));
    SW_TRY(set_text(f, SW_METADATA_DEVICE, p->device));
    SW_TRY(set_text(f, SW_METADATA_GPU, p->cuda && p->cuda[0] ? p->device : ""));
    SW_TRY(set_text(f, SW_METADATA_DRIVER, p->driver));
    SW_TRY(set_text(f, SW_METADATA_CUDA, p->cuda));
    SW_TRY(set_text(f, SW_METADATA_MATH, p->math));
    SW_TRY(set_text(f, SW_METADATA_JOB, getenv("SLURM_JOB_ID")));
    return sw_metadata_add_history(f, p);
}

/* Is item[0 .. length-1] one of the items of a list? */
static bool listed(const char *list, const char *separator, const char *item, size_t length)
{
    size_t gap = strlen(separator);
    for (const char *at = list; *at;) {
        const char *end = strstr(at, separator);
        size_t here = end ? (size_t)(end - at) : strlen(at);
        if (here == length && !memcmp(at, item, length)) return true;
        at += here + (end ? gap : 0);
    }
    return false;
}

/* Add the items of `more` that are not yet in the fact's list. */
static enum sw_status add_items(struct sw_metadata *f, enum sw_metadata_item fact, const char *more)
{
    const char *separator = sw_metadata_rows[fact].separator;
    struct sw_text t = {0};
    if (f->text[fact] && !strcmp(f->text[fact], more)) return SW_OK;
    sw_text_add(&t, or_empty(f->text[fact]));
    for (const char *at = more; *at;) {
        const char *end = strstr(at, separator);
        size_t length = end ? (size_t)(end - at) : strlen(at);
        if (length && !listed(sw_text_get(&t), separator, at, length)) {
            if (t.length) sw_text_add(&t, separator);
            sw_text_add_bytes(&t, at, length);
        }
        at += length + (end ? strlen(separator) : 0);
    }
    return move_text(f, fact, &t);
}

enum sw_status sw_metadata_join(struct sw_metadata *f, const struct sw_metadata *newer)
{
    for (int k = 0; k < SW_METADATA_COUNT; k++)
        SW_TRY(sw_metadata_rows[k].separator ? add_items(f, k, or_empty(newer->text[k]))
                                             : set_text(f, k, newer->text[k]));
    SW_TRY(set_text(f, SW_METADATA_SCHEMA, SW_SCHEMA)); /* what is joined is written anew, or read as if it were */
    f->runs = newer->runs;
    f->dirty |= newer->dirty;
    return set_config(f, newer->config_text, newer->override, newer->noverride);
}

enum sw_status sw_metadata_add_history(struct sw_metadata *f, const struct sw_provenance *p)
{
    char date[21];
    struct sw_text t = {0};
    sw_clock_utc(p->started, date);
    sw_text_printf(&t, "%s %s", date, or_empty(p->command_line));
    enum sw_status st = sw_text_status(&t);
    if (!st) st = add_items(f, SW_METADATA_HISTORY, sw_text_get(&t));
    sw_text_free(&t);
    return st;
}

void sw_metadata_free(struct sw_metadata *f)
{
    for (int k = 0; k < SW_METADATA_COUNT; k++) sw_free(f->text[k]);
    sw_free(f->config_text);
    free_overrides(f);
    *f = (struct sw_metadata){0};
}
