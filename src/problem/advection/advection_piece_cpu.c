/* Pieces of runs, and what is evaluated on them. */
#include "problem/advection/advection_piece_cpu.h"

#include <math.h>
#include <omp.h>

void advection_cpu_set_coordinates(const struct advection_sim *a, struct worker *w, const struct piece *p)
{
    const struct advection_run *r = &a->run[p->j];
    const bool *uses = a->model.uses;
    if (!uses[0] && !uses[1] && !uses[2]) return;
    struct stretch s = first_stretch(a, p);
    do {
        const double y = r->x0[1] + (double)s.index[1] * r->dx[1], z = r->x0[2] + (double)s.index[2] * r->dx[2];
        const double x0 = r->x0[0], dx = r->dx[0];
        const int at = (int)s.index[0] - s.from;
        for (int i = s.from; uses[0] && i < s.to; i++) w->at[0][i] = x0 + (double)(at + i) * dx;
        for (int i = s.from; uses[1] && i < s.to; i++) w->at[1][i] = y;
        for (int i = s.from; uses[2] && i < s.to; i++) w->at[2][i] = z;
    } while (next_stretch(a, p, &s));
}

void advection_cpu_evaluate(const struct advection_sim *a, struct worker *w, int which, int j, int count,
                            double (*at)[PIECE], const double *u, double t, double *out)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = at[0], [SW_IN_Y] = at[1], [SW_IN_Z] = at[2], [SW_IN_U] = u};
    struct sw_eval *e = w->eval[which];
    sw_eval_run(e, a->column + j, a->count);
    sw_eval_cells(e, count, in);
    sw_eval_step(e, t, 0);
    sw_eval_points(e, count, in, out);
}

bool advection_cpu_velocity(const struct advection_sim *a, struct worker *w, const struct piece *p, int d,
                            const double *u, double t)
{
    const int which = ADVECTION_VELOCITY + d;
    const bool uniform = sw_program_rate(a->model.program[which]) <= SW_RATE_STEP;
    advection_cpu_evaluate(a, w, which, p->j, uniform ? 1 : p->count, w->at, u, t, w->value);
    return uniform;
}

void advection_cpu_add_speed(const struct advection_sim *a, struct worker *w, const struct piece *p, int d,
                             bool uniform)
{
    const double per = a->run[p->j].per[d], same = fabs(w->value[0]) * per;
    if (uniform)
        for (int i = 0; i < p->count; i++) w->speed[i] += same;
    else
        for (int i = 0; i < p->count; i++) w->speed[i] += fabs(w->value[i]) * per;
}

/* inf - inf and NaN - NaN are NaN, and no comparison with NaN holds. */
double advection_cpu_fastest(const struct worker *w, int count)
{
    double largest = 0;
    for (int i = 0; i < count; i++) largest = isfinite(w->speed[i]) && w->speed[i] > largest ? w->speed[i] : largest;
    return largest;
}

void advection_cpu_each_piece(const struct advection_sim *a, const struct advection_part *part, int64_t least,
                              piece_work *work, const struct pass *pass)
{
    struct cpu *c = a->own;
    const int64_t items = part->count * c->pieces;
#pragma omp parallel for num_threads(a->device->threads) schedule(static) if (items > 1 && part->worker < 0)
    for (int64_t k = 0; k < items; k++) {
        const struct piece p = piece_of(a, part, k);
        struct worker *w = &c->worker[part->worker < 0 ? omp_get_thread_num() : part->worker];
        if (stopped_at(c, p.j) >= least) work(a, w, &p, pass);
    }
}
