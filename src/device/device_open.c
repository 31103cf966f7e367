/* Opening the devices that a spec names: one, several side by side, or the share of one of several processes. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "device/device_spec.h"

/* ---- one */

/* @param urgent  as in struct sw_device */
static enum sw_status open_row(const struct sw_device_ops *ops, int index, int threads, bool urgent,
                               struct sw_device **device)
{
    enum sw_status st;
    struct sw_device *d = NULL;

    SW_TRY(sw_alloc(1, &d));
    d->index = ops->count ? index : 0;
    d->urgent = urgent;
    d->threads = threads > 0 ? threads : omp_get_max_threads();
    if (ops->count) snprintf(d->label, sizeof d->label, "%s:%d", ops->kind, index);
    else snprintf(d->label, sizeof d->label, "%s", ops->kind);
    SW_TRY_TO(failed, st, ops->open(d->index, d));
    d->ops = ops;  /* only now: a device that did not open is not closed */
    *device = d;
    return SW_OK;
failed:
    sw_free(d);
    return st;
}

/* The row of "auto": the first of which a device opens; it is handed out. */
static enum sw_status open_first(int threads, struct sw_device **device)
{
    enum sw_status st = SW_E_ABSENT;
    for (int k = 0; sw_device_table[k]; k++) {
        if (sw_device_table[k]->absent) continue;
        st = open_row(sw_device_table[k], 0, threads, false, device);
        if (!st) return SW_OK;
    }
    return st;
}

static enum sw_status check_wanted(const char *spec, int threads, struct device_wanted *w)
{
    if (threads < 0) return SW_FAIL(SW_E_USAGE, "%d threads; give at least 1, or 0 for all", threads);
    SW_TRY(device_read_spec(spec, w));
    if (w->ops && w->ops->absent) return SW_FAIL(SW_E_ABSENT, "device '%s': %s", spec, w->ops->absent);
    return SW_OK;
}

enum sw_status sw_device_open(const char *spec, int threads, struct sw_device **device)
{
    struct device_wanted w;
    *device = NULL;
    SW_TRY(check_wanted(spec, threads, &w));
    if (w.count > 1) return SW_FAIL(SW_E_USAGE, "'%s' are %d devices, and here one is used", spec, w.count);
    if (!w.ops) return open_first(threads, device);
    return open_row(w.ops, w.count ? w.index[0] : 0, threads, false, device);
}

#ifndef SW_HAVE_CUDA
const struct sw_device_ops sw_device_architecture = {.kind = "sm", .absent = SW_WITHOUT_CUDA};
#endif

enum sw_status sw_device_open_architecture(const char *name, int threads, struct sw_device **device)
{
    char *end = NULL;
    const bool number = !strncmp(name, "sm_", 3) && name[3] >= '1' && name[3] <= '9';
    const long sm = number ? strtol(name + 3, &end, 10) : 0;
    *device = NULL;
    if (sw_device_architecture.absent)
        return SW_FAIL(SW_E_ABSENT, "architecture '%s': %s", name, sw_device_architecture.absent);
    return open_row(&sw_device_architecture, number && !*end && sm < 1000 ? (int)sm : 0, threads, false, device);
}

enum sw_status sw_device_open_beside(const struct sw_device *other, int threads, struct sw_device **device)
{
    SW_TRY(open_row(other->ops, other->index, threads ? threads : other->threads, true, device));
    snprintf((*device)->label, sizeof (*device)->label, "%s", other->label);
    return SW_OK;
}

/* ---- several */

/* The threads of device k of count: all are divided among them. */
static int share(int threads, int k, int count)
{
    const int all = threads > 0 ? threads : omp_get_max_threads(), mine = all * (k + 1) / count - all * k / count;
    return mine > 0 ? mine : 1;
}

/* A context on a GPU takes some tenths of a second: they are made side by side. */
struct opening {
    const struct sw_device_ops *ops;
    int               index, threads;
    struct sw_device *device;           /* out                                */
    struct sw_err_kept failed;
    pthread_t         thread;
    bool              started;
};

static void *open_one(void *argument)
{
    struct opening *o = argument;
    sw_err_keep(&o->failed, open_row(o->ops, o->index, o->threads, false, &o->device));
    return NULL;
}

/* Of several, which one. */
static enum sw_status name_failure(const struct opening *o)
{
    enum sw_status st = sw_err_raise(&o->failed);
    if (st != SW_E_CUDA && st != SW_E_MEMORY) return st;  /* else the message has it */
    return SW_FAIL(st, "%s:%d: %s; to continue without it, name the others: --device %s:N,M", o->ops->kind, o->index,
                   o->failed.message, o->ops->kind);
}

/* Append those of the indices to the list, in order; all that opened are in it, also on failure.
 * @param alone  there is no other */
static enum sw_status open_several(const struct sw_device_ops *ops, const int *index, int count, int threads,
                                   bool alone, struct sw_devices *d)
{
    struct opening *o;
    struct sw_err_kept failed = {0};
    SW_TRY(sw_alloc((size_t)count, &o));
    for (int k = 0; k < count; k++) {
        o[k].ops = ops;
        o[k].index = index[k];
        o[k].threads = share(threads, k, count);
        o[k].started = k > 0 && !pthread_create(&o[k].thread, NULL, open_one, &o[k]);
    }
    for (int k = 0; k < count; k++) {
        if (o[k].started) pthread_join(o[k].thread, NULL);
        else open_one(&o[k]);
        sw_err_keep(&failed, alone ? sw_err_raise(&o[k].failed) : name_failure(&o[k]));
        if (o[k].device) d->device[d->count++] = o[k].device;
    }
    sw_free(o);
    return sw_err_raise(&failed);
}

/* One that is not there is refused by its opening, whether there is work for it or not. */
static bool all_there(const struct device_wanted *w)
{
    const int visible = w->ops->count ? w->ops->count() : SW_DEVICES_MOST;
    for (int k = 0; k < w->count; k++)
        if (w->index[k] >= visible) return false;
    return true;
}

static enum sw_status open_numbered(const struct device_wanted *w, int threads, int most, struct sw_devices *d)
{
    const int count = w->count > most && all_there(w) ? most : w->count;
    SW_TRY(open_several(w->ops, w->index, count, threads, w->count == 1, d));
    for (int k = 0; k < count && !w->ops->count && w->count > 1; k++)
        snprintf(d->device[k]->label, sizeof d->device[k]->label, "%s:%d", w->ops->kind, k);
    return SW_OK;
}

/* Number next, next+1, ... next+count-1: those of them that are like the first. */
static enum sw_status add_alike(int next, int count, int threads, struct sw_devices *d)
{
    const struct sw_device *first = d->device[0];
    struct sw_devices others = {0};
    int index[SW_DEVICES_MOST];
    for (int k = 0; k < count; k++) index[k] = next + k;
    enum sw_status st = open_several(first->ops, index, count, threads, false, &others);
    for (int k = 0; k < others.count; k++) {
        struct sw_device *other = others.device[k];
        if (!st && !strcmp(other->name, first->name) && other->sm == first->sm) d->device[d->count++] = other;
        else sw_device_close(&other);
    }
    return st;
}

/* The first is open: those that are like it, since their results have the same bits and their speed is the same. */
static enum sw_status open_alike(int threads, int most, struct sw_devices *d)
{
    int visible = d->device[0]->ops->count ? d->device[0]->ops->count() : 1;
    if (visible > SW_DEVICES_MOST) visible = SW_DEVICES_MOST;
    for (int next = 1, count; next < visible && d->count < most; next += count) {
        count = most - d->count < visible - next ? most - d->count : visible - next;
        SW_TRY(add_alike(next, count, threads, d));
    }
    for (int k = 0; k < d->count; k++) d->device[k]->threads = share(threads, k, d->count);
    return SW_OK;
}

enum sw_status sw_devices_open(const char *spec, int threads, int most, struct sw_devices *devices)
{
    struct device_wanted w;
    enum sw_status st = SW_OK;
    *devices = (struct sw_devices){0};
    SW_TRY(check_wanted(spec, threads, &w));
    if (w.count) st = open_numbered(&w, threads, most, devices);
    else {
        st = w.ops ? open_row(w.ops, 0, threads, false, &devices->device[0]) : open_first(threads, &devices->device[0]);
        if (!st) devices->count = 1;
        if (!st) st = open_alike(threads, most, devices);
    }
    if (st) sw_devices_close(devices);
    return st;
}

/* The row of which "auto" takes devices here. */
static const struct sw_device_ops *first_row(void)
{
    for (int k = 0; sw_device_table[k]; k++) {
        const struct sw_device_ops *ops = sw_device_table[k];
        if (!ops->absent && (!ops->count || ops->count() > 0)) return ops;
    }
    return NULL;
}

/* Of all that are wanted, those that fall to one of several processes. */
static void take_share(struct device_wanted *w, int turn, int of, int *users)
{
    const int all = w->count, first = turn % all;
    *users = (of + all - 1) / all;
    w->count = 0;
    for (int k = first; k < all; k += of) w->index[w->count++] = w->index[k];
}

enum sw_status sw_devices_open_share(const char *spec, int threads, int most, int turn, int of, int *users,
                                     struct sw_devices *devices)
{
    struct device_wanted w = {0};
    *devices = (struct sw_devices){0};
    *users = 1;
    SW_TRY(check_wanted(spec, threads, &w));
    if (!w.ops) w.ops = first_row();
    if (!w.ops || !w.ops->count || of == 1) return sw_devices_open(spec, threads, most, devices);
    if (!w.count)
        for (int visible = w.ops->count(); w.count < visible && w.count < SW_DEVICES_MOST; w.count++)
            w.index[w.count] = w.count;
    if (!w.count) return sw_devices_open(spec, threads, most, devices);  /* which says why there is none */
    take_share(&w, turn, of, users);
    enum sw_status st = open_numbered(&w, threads, most, devices);
    if (st) sw_devices_close(devices);
    return st;
}
