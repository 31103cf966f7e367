/* Which rows, and the devices they work on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "bench/bench_impl.h"
#include "linalg/sw_band_impl.h"
#include "problem/line/stepper/sw_stepper_impl.h"

void bench_rows_add(struct bench_rows *rows, const char *stepper, const char *band, enum sw_space space)
{
    if (rows->count == (int)(sizeof rows->row / sizeof *rows->row)) return;
    snprintf(rows->row[rows->count].name, sizeof rows->row->name, "%s%s%s", stepper, *stepper && *band ? "+" : "",
             band);
    rows->row[rows->count++].space = space;
}

void bench_rows_add_bands(struct bench_rows *rows, const char *stepper, enum sw_space space,
                          const struct sw_band_desc *shape)
{
    for (int k = 0; sw_band_table[k]; k++) {
        const struct sw_band_ops *o = sw_band_table[k];
        if (!o->absent && o->space == space && o->fits(shape)) bench_rows_add(rows, stepper, o->name, space);
    }
}

static enum sw_status no_such_row(const struct bench_rows *rows, const char *name)
{
    struct sw_text t = {0};
    for (int k = 0; k < rows->count; k++) sw_text_printf(&t, " %s", rows->row[k].name);
    enum sw_status st = SW_FAIL(SW_E_USAGE, "no row '%s' of this program does this; those that do:%s", name,
                                sw_text_get(&t));
    sw_text_free(&t);
    return st;
}

/* The device for a row; rows of the CPU may want so many threads (0: as the first device of the CPU has). */
static enum sw_status find_device(struct sw_bench *b, enum sw_space space, int threads, const char *name, int *where)
{
    for (int k = 0; k < b->devices; k++) {
        struct sw_device *d = b->device[k].device;
        if (d->space == space && (!threads || d->threads == threads)) { *where = k; return SW_OK; }
    }
    if (space == SW_DEVICE)
        return SW_FAIL(SW_E_ABSENT, "row '%s' does not work on the CPU; use --device cuda", name);
    if (b->devices == SW_BENCH_DEVICES) return SW_FAIL(SW_E_USAGE, "more than %d different @T", SW_BENCH_DEVICES);
    SW_TRY(sw_device_open("cpu", threads, &b->device[b->devices].device));
    *where = b->devices++;
    return SW_OK;
}

static enum sw_status add_row(struct sw_bench *b, const char *name, const char *row, enum sw_space space, int threads)
{
    int where = 0;
    SW_TRY(find_device(b, space, threads, name, &where));
    SW_TRY(sw_resize((size_t)b->rows, (size_t)b->rows + 1, &b->row));
    struct sw_bench_row *r = &b->row[b->rows++];
    snprintf(r->name, sizeof r->name, "%s", name);
    snprintf(r->row, sizeof r->row, "%s", row);
    r->where = where;
    return SW_OK;
}

/* "ROW+VARIANT" of a stepper that takes no band solver: it knows its variants itself. */
static enum sw_status add_variant(struct sw_bench *b, const struct bench_rows *rows, const char *name,
                                  const char *row, int threads)
{
    size_t length = strcspn(row, "+");
    for (int k = 0; b->spec.work == &bench_sim && row[length] && sw_stepper_table[k]; k++) {
        const struct sw_stepper_ops *o = sw_stepper_table[k];
        if (!o->absent && !o->takes_band && strlen(o->name) == length && !strncmp(o->name, row, length))
            return add_row(b, name, row, o->space, threads);
    }
    return no_such_row(rows, row);
}

/* "cpu.plain+cpu.thomas@8" */
static enum sw_status add_named(struct sw_bench *b, const struct bench_rows *rows, const char *name, int threads)
{
    char row[64];
    const char *at = strchr(name, '@');
    char *end = NULL;
    long wanted = at ? strtol(at + 1, &end, 10) : 0;
    snprintf(row, sizeof row, "%.*s", (int)(at ? at - name : (long)strlen(name)), name);
    for (int k = 0; k < rows->count; k++) {
        if (strcmp(rows->row[k].name, row)) continue;
        if (at && (*end || wanted < 1 || wanted > 4096 || rows->row[k].space != SW_HOST))
            return SW_FAIL(SW_E_USAGE, "'%s': @T is a number of threads from 1 on, of a row of the CPU", name);
        return add_row(b, name, row, rows->row[k].space, at ? (int)wanted : threads);
    }
    return add_variant(b, rows, name, row, at ? (int)wanted : threads);
}

static enum sw_status add_list(struct sw_bench *b, const struct bench_rows *rows, const char *names, int threads)
{
    char *copy = sw_strdup(names), *save = NULL;
    enum sw_status st = copy ? SW_OK : SW_FAIL(SW_E_MEMORY, "out of memory");
    for (char *name = copy ? strtok_r(copy, ", ", &save) : NULL; name && !st; name = strtok_r(NULL, ", ", &save))
        st = add_named(b, rows, name, threads);
    sw_free(copy);
    return st;
}

static enum sw_status add_rows(struct sw_bench *b, const char *rows, int threads)
{
    struct bench_rows able = {.count = 0};
    if (b->spec.split) SW_TRY(bench_cut_list_rows(b, &able));
    else b->spec.work->list_rows(&b->spec, &able);
    if (rows && strcmp(rows, "all")) SW_TRY(add_list(b, &able, rows, threads));
    else
        for (int k = 0; k < able.count; k++)
            if (able.row[k].space == b->device[0].device->space)
                SW_TRY(add_row(b, able.row[k].name, able.row[k].name, able.row[k].space, 0));
    return b->rows ? SW_OK : no_such_row(&able, rows ? rows : "all");
}

/* A config file may have more runs than a device holds at once. */
static enum sw_status fit_batch(struct sw_bench *b)
{
    struct sw_bench_spec *spec = &b->spec;
    struct sw_device *device = b->device[0].device;
    struct sw_batch_bytes bytes = {0};
    if (!spec->fit_batch || spec->split) return SW_OK;
    SW_TRY(spec->problem->bytes(&spec->setup, device, &bytes));
    const double left = 0.8 * (double)sw_device_memory_free(device) - (double)bytes.fixed,
                 runs = left / (double)(bytes.per_run ? bytes.per_run : 1);
    return runs < spec->batch ? bench_config_set_batch(spec, runs < 1 ? 1 : (int)runs) : SW_OK;
}

enum sw_status sw_bench_open(const struct sw_bench_spec *spec, const char *rows, const char *device, int threads,
                             const struct sw_bench_processes *processes, struct sw_bench *bench)
{
    *bench = (struct sw_bench){.spec = *spec, .longest = 1.0, .processes = *processes, .sharers = 1};
    enum sw_status st = spec->split ? bench_cut_open(bench, device, threads)
                                    : sw_device_open(device, threads, &bench->device[0].device);
    if (!st) bench->devices = 1;
    if (!st) st = fit_batch(bench);
    if (!st) st = add_rows(bench, rows, threads);
    if (st) sw_bench_close(bench);
    return st;
}

void sw_bench_close(struct sw_bench *bench)
{
    for (int k = 0; k < bench->devices; k++) sw_device_close(&bench->device[k].device);
    sw_devices_close(&bench->ranks);
    sw_free(bench->row);
    sw_bench_release(&bench->spec);
    *bench = (struct sw_bench){0};
}
