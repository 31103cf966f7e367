/* A stage as in line_stage_rtc.cuh, where lines lie one after another: a thread a point, whose neighbours come from the
 * cache; G is evaluated at three points, or five. 8 bytes read of each unknown, and for each right-hand side as
 * there. */
extern "C" __global__ void stage_k(struct sw_line_batch b, struct sw_line_stage m, const double *__restrict__ u,
                                   long long step)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, n = b.n;
    if (i >= n) return;
    for (int j = blockIdx.y; j < b.count; j += gridDim.y) {
        const long long bad = b.first_bad[j];
        if (bad == SW_LINE_NOT_FINITE && m.begins) b.first_bad[j] = step;
        if (bad != SW_LINE_FINITE) continue;
        struct where w = {i, j, ((double)step + m.time) * b.dt[j], step};
        struct line_ends ends;
        struct window p;
        bool finite = true;
        if (ENDED) set_ends(b, j, m.ends_time, step, ends);
        for (int o = -U_REACH; o <= U_REACH; o++)
            for (int v = 0; v < UNKNOWNS; v++) p.u[v][U_REACH + o] = u_at(b, u, ends, v, i + o, j);
        for (int o = -G_REACH; o <= G_REACH; o++) {
            w.i = point_at(i + o, n);
            set_g(b, w, o, p);
        }
        for (int o = -N_REACH; o <= N_REACH && MASS; o++) {
            w.i = point_at(i + o, n);
            set_n(b, w, o, p);
        }
        w.i = i;
        add_to_rows(b, m, w, p);
        for (int v = 0; v < UNKNOWNS; v++) finite = finite && isfinite(p.u[v][U_REACH]);
        if (!finite && m.begins) b.first_bad[j] = step;
    }
}
