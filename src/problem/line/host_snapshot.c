/* Snapshots of a batch on the CPU: each run is copied and measured by one thread. */
#include <math.h>
#include <omp.h>

#include "base/sw_reals.h"
#include "problem/line/batch_cpu.h"
#include "problem/line/measure_point.h"

static void copy_field(const struct sw_stepper *s, int j, void *field)
{
    size_t n = (size_t)s->desc.n;
    sw_reals_put(field, sw_reals_word(s->desc.single), (size_t)j * n, sw_host_line(s, j), n);
}

static const double *energy_density(const struct sw_stepper *s, struct sw_host_worker *w, int j)
{
    const double *u = sw_host_line(s, j), dx = s->run[j].dx;
    const double *in[SW_INPUTS] = {[SW_IN_X] = w->x, [SW_IN_U] = u, [SW_IN_UX] = sw_measure_slopes(w->measure, u, dx)};
    if (sw_program_uses(s->desc.model.energy, "uxx"))
        in[SW_IN_UXX] = sw_measure_second_derivative(w->measure, u, dx);
    sw_host_begin_run(s, w, w->energy, j);
    sw_eval_points(w->energy, s->desc.n, in, w->term);
    return w->term;
}

static void measure_run(const struct sw_stepper *s, struct sw_host_worker *w, int j, double out[SW_LINE_SCALARS])
{
    const struct sw_host_batch *h = s->own;
    if (h->stopped[j]) {
        for (int k = 0; k < SW_LINE_SCALARS; k++) out[k] = NAN;
        return;
    }
    const struct sw_line_run *r = &s->run[j];
    const double noise = sw_stepper_rounding(s->ops->name, r->s4, r->s2, s->desc.single_steps) *
                         sw_measure_noise_growth((double)s->step);
    sw_measure_line(w->measure, sw_host_line(s, j), r->dx, noise, w->energy ? energy_density(s, w, j) : NULL, out);
}

enum sw_status sw_host_snapshot(struct sw_stepper *s, int slot, int what)
{
    struct sw_host_batch *h = s->own;
    void *field;
    double *scalars;
    SW_TRY(sw_snapshots_begin(h->snapshots, slot, what, &field, &scalars));
#pragma omp parallel for schedule(dynamic) num_threads(sw_host_workers(s, 4, 10.0))
    for (int j = 0; j < s->count; j++) {
        if (field) copy_field(s, j, field);
        if (scalars) measure_run(s, &h->worker[omp_get_thread_num()], j, scalars + (size_t)j * SW_LINE_SCALARS);
    }
    return sw_snapshots_send(h->snapshots, (size_t)s->count * (size_t)s->desc.n * sw_reals_word(s->desc.single),
                             (size_t)s->count * SW_LINE_SCALARS * sizeof(double));
}

enum sw_status sw_host_fetch(struct sw_stepper *s, int slot, const void **field, const double **scalars)
{
    return sw_snapshots_fetch(((const struct sw_host_batch *)s->own)->snapshots, slot, field, scalars);
}
