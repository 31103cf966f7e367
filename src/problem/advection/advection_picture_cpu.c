/* The Courant number, scalars and fields of a batch of `advection` on the CPU. */
#include "problem/advection/advection_picture_cpu.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/sw_reals.h"
#include "device/sw_snapshot.h"
#include "problem/advection/advection_piece_cpu.h"

/* ------------------------------------------------------------------ the Courant number */

void advection_cpu_note(const struct advection_sim *a, int j, int64_t step, double courant)
{
    struct advection_watch *watch = &((struct cpu *)a->own)->watch[j];
    double most;
    __atomic_load(&watch->most, &most, __ATOMIC_RELAXED);
    while (courant > most && !__atomic_compare_exchange(&watch->most, &most, &courant, false, __ATOMIC_RELAXED,
                                                        __ATOMIC_RELAXED)) continue;
    if (!(courant > a->run[j].bound)) return;
    long long beyond = __atomic_load_n(&watch->beyond, __ATOMIC_RELAXED);
    while (step < beyond && !__atomic_compare_exchange_n(&watch->beyond, &beyond, step, false, __ATOMIC_RELAXED,
                                                         __ATOMIC_RELAXED)) continue;
}

/* The largest sum |c_d|/dx_d of the piece. */
static double fastest(const struct advection_sim *a, struct worker *w, const struct piece *p, const double *u, double t)
{
    advection_cpu_set_coordinates(a, w, p);
    memset(w->speed, 0, (size_t)p->count * sizeof *w->speed);
    for (int d = 0; d < SW_DIMS; d++)
        if (a->model.moves[d]) advection_cpu_add_speed(a, w, p, d, advection_cpu_velocity(a, w, p, d, u, t));
    return advection_cpu_fastest(w, p->count);
}

static double (*parts_of(const struct advection_sim *a, int j))[ADVECTION_SCALARS]
{
    const struct cpu *c = a->own;
    return c->part + j * c->pieces;
}

/* ------------------------------------------------------------------ pictures */

static double pairwise(const double *v, int n)
{
    if (n > 8) return pairwise(v, n / 2) + pairwise(v + n / 2, n - n / 2);
    double s = 0;
    for (int i = 0; i < n; i++) s += v[i];
    return s;
}

/* Of a sum along axis d: half at walls. */
static double weight(const struct advection_sim *a, int d, int64_t i)
{
    return a->setup.walls[d] && (i == 0 || i == a->setup.n[d] - 1) ? 0.5 : 1;
}

static void measure_piece(const struct advection_sim *a, struct worker *w, const struct piece *p, double *out)
{
    const double *u = get(a, p, p->of->now, w->wide[NOW]);
    struct stretch s = first_stretch(a, p);
    out[ADVECTION_COURANT] = a->step < 0 ? NAN : fastest(a, w, p, u, (double)a->step * a->run[p->j].dt);
    do {
        const int at = (int)s.index[0] - s.from;
        const double across = weight(a, 1, s.index[1]) * weight(a, 2, s.index[2]);
        for (int i = s.from; i < s.to; i++) {
            const double mass = weight(a, 0, at + i) * across * u[i];
            w->value[i] = mass;
            w->rate[i] = mass * u[i];
        }
    } while (next_stretch(a, p, &s));
    out[ADVECTION_MIN] = out[ADVECTION_MAX] = u[0];
    for (int i = 1; i < p->count; i++) {
        out[ADVECTION_MIN] = fmin(out[ADVECTION_MIN], u[i]);
        out[ADVECTION_MAX] = fmax(out[ADVECTION_MAX], u[i]);
    }
    out[ADVECTION_MASS] = pairwise(w->value, p->count);
    out[ADVECTION_ENERGY] = pairwise(w->rate, p->count);
}

static void join(const struct advection_sim *a, int j, double *out)
{
    const struct cpu *c = a->own;
    double (*part)[ADVECTION_SCALARS] = parts_of(a, j);
    memcpy(out, part[0], sizeof part[0]);
    for (int64_t k = 1; k < c->pieces; k++) {
        out[ADVECTION_MASS] += part[k][ADVECTION_MASS];
        out[ADVECTION_ENERGY] += part[k][ADVECTION_ENERGY];
        out[ADVECTION_MIN] = fmin(out[ADVECTION_MIN], part[k][ADVECTION_MIN]);
        out[ADVECTION_MAX] = fmax(out[ADVECTION_MAX], part[k][ADVECTION_MAX]);
        out[ADVECTION_COURANT] = fmax(out[ADVECTION_COURANT], part[k][ADVECTION_COURANT]);
    }
    out[ADVECTION_MASS] *= a->run[j].cell;
    out[ADVECTION_ENERGY] *= 0.5 * a->run[j].cell;
    out[ADVECTION_COURANT] *= a->run[j].dt;
    if (c->stop[j] == ADVECTION_FINE && !a->pending[j]) {
        advection_cpu_note(a, j, a->step, out[ADVECTION_COURANT]);
        return;
    }
    for (int k = 0; k < ADVECTION_SCALARS; k++) out[k] = NAN;
}

static void copy_piece(const struct advection_sim *a, struct worker *w, const struct piece *p, void *field)
{
    const struct cpu *c = a->own;
    const bool bad = c->stop[p->j] != ADVECTION_FINE || a->pending[p->j];
    const double *u = get(a, p, p->of->now, w->wide[NOW]);
    for (int i = 0; i < p->count; i++) {
        const double v = bad ? NAN : u[i];
        if (a->setup.single) ((float *)field)[place(a, p) + (size_t)i] = (float)v;
        else ((double *)field)[place(a, p) + (size_t)i] = v;
    }
}

enum sw_status advection_cpu_snapshot(struct advection_sim *a, int slot, int what)
{
    struct cpu *c = a->own;
    const int64_t items = a->count * c->pieces;
    void *field;
    double *scalars;
    SW_TRY(sw_snapshots_begin(c->snapshots, slot, what, &field, &scalars));
#pragma omp parallel for num_threads(a->device->threads) schedule(static) if (items > 1)
    for (int64_t k = 0; k < items; k++) {
        const struct piece p = piece_of(a, &a->whole, k);
        struct worker *w = &c->worker[omp_get_thread_num()];
        if (field) copy_piece(a, w, &p, field);
        if (scalars) measure_piece(a, w, &p, c->part[k]);
    }
    for (int j = 0; scalars && j < a->count; j++) join(a, j, scalars + (size_t)j * ADVECTION_SCALARS);
    return sw_snapshots_send(c->snapshots, (size_t)a->count * a->points * sw_reals_word(a->setup.single),
                             (size_t)a->count * ADVECTION_SCALARS * sizeof(double));
}

enum sw_status advection_cpu_fetch(struct advection_sim *a, int slot, const void **field, const double **scalars)
{
    return sw_snapshots_fetch(((const struct cpu *)a->own)->snapshots, slot, field, scalars);
}
