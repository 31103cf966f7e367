/* What a run of `advection` records of its way: its largest Courant number, and since when its step is not stable. */
#include <stdio.h>

#include "base/sw_mem.h"
#include "problem/advection/advection_impl.h"
#include "problem/advection/advection_limit.h"

enum sw_status advection_record_get(struct sw_sim *sim, double *record)
{
    struct advection_sim *a = (struct advection_sim *)sim;
    struct advection_watch *watch;
    SW_TRY(sw_alloc((size_t)a->count, &watch));
    enum sw_status st = a->ops->get_watch(a, watch);
    for (int j = 0; j < a->count && !st; j++) {
        record[SW_DIAGNOSTICS * j] = watch[j].most;
        record[SW_DIAGNOSTICS * j + 1] = watch[j].beyond == ADVECTION_FINE ? -1 : (double)watch[j].beyond;
    }
    sw_free(watch);
    return st;
}

enum sw_status advection_record_set(struct sw_sim *sim, const double *record)
{
    struct advection_sim *a = (struct advection_sim *)sim;
    struct advection_watch *watch;
    SW_TRY(sw_alloc((size_t)a->count, &watch));
    for (int j = 0; j < a->count; j++) {
        const double *r = record + SW_DIAGNOSTICS * j;
        watch[j] = (struct advection_watch){r[0], r[1] < 0 ? ADVECTION_FINE : (long long)r[1]};
    }
    enum sw_status st = a->ops->set_watch(a, watch);
    sw_free(watch);
    return st;
}

/* How far beyond is of no interest in a run that ends in infinities. */
void advection_record_comment(const struct sw_sim *sim, int j, const double *record, bool finite, char text[160])
{
    const struct advection_sim *a = (const struct advection_sim *)sim;
    const struct advection_run *r = &a->run[j];
    const double from = record[1] * r->dt, times = 1 + (record[0] - r->bound) * advection_scale(&a->method);
    text[0] = 0;
    if (record[1] < 0) return;
    if (!finite) snprintf(text, 160, "the time step was beyond stability from t = %.4g on", from);
    else
        snprintf(text, 160, "the time step was beyond stability (from t = %.4g on, up to %.3g times what is stable; "
                 "Courant number %.3g)", from, times, record[0]);
}

enum sw_status advection_record_clear(struct advection_sim *a)
{
    struct advection_watch *watch;
    SW_TRY(sw_alloc((size_t)a->count, &watch));
    for (int j = 0; j < a->count; j++) watch[j].beyond = ADVECTION_FINE;
    enum sw_status st = a->ops->set_watch(a, watch);
    sw_free(watch);
    return st;
}
