/* A stage of the step from `step` to `step` + 1 (problem/line/stepper/line_point.h, imex.h): what its values add to the
 * right-hand sides behind it; and, at the first, the mark on runs whose field is no longer finite. Each thread goes
 * along up to `rows` points with the values it needs in registers: of each unknown 8 bytes (1 + 4/rows) read, 8/rows
 * where P is not 1, and 8 written for each right-hand side, which is also read unless the stage is the first; 8 more
 * for each value kept a cell. 4 operations a right-hand side and what G and N cost. first_bad may be written by several
 * threads of a run, all with the same value; whether the others see it already only decides whether they work in
 * vain. */
extern "C" __global__ void stage_k(struct sw_line_batch b, struct sw_line_stage m, const double *__restrict__ u,
                                   long long step, int rows)
{
    int j = run_of_thread(), n = b.n;
    if (j >= b.count) return;
    long long bad = b.first_bad[j];
    if (bad == SW_LINE_NOT_FINITE && m.begins) b.first_bad[j] = step;
    if (bad != SW_LINE_FINITE) return;

    struct where w = {0, j, ((double)step + m.time) * b.dt[j], step};
    struct line_ends ends;
    bool finite = true;
    if (ENDED) set_ends(b, j, m.ends_time, step, ends);
    for (long long start = (long long)blockIdx.y * rows; start < n; start += (long long)gridDim.y * rows) {
        struct window p;
        const int first = (int)start, end = n - first < rows ? n : first + rows;
        for (int o = -U_REACH; o < U_REACH; o++)
            for (int v = 0; v < UNKNOWNS; v++) p.u[v][U_REACH + o] = u_at(b, u, ends, v, first + o, j);
        for (int o = -G_REACH; o < G_REACH; o++) {
            w.i = point_at(first + o, n);
            set_g(b, w, o, p);
        }
        for (int o = -N_REACH; o < N_REACH; o++) {
            w.i = point_at(first + o, n);
            set_n(b, w, o, p);
        }
        int next = point_at(first + U_REACH - 1, n);  /* the point whose values came in last */
        for (int i = first; i < end; i++) {
            w.i = MASS || ENDED ? point_at(i + G_REACH, n) : next;
            next = ENDED ? i + U_REACH : next + 1 < n ? next + 1 : 0;
            for (int v = 0; v < UNKNOWNS; v++)
                p.u[v][2 * U_REACH] = ENDED ? u_at(b, u, ends, v, next, j) : u[sw_line_at(&b, next, j) + v * b.unknown];
            set_g(b, w, G_REACH, p);
            if (MASS) set_n(b, w, N_REACH, p);  /* as far ahead as G */
            w.i = i;
            add_to_rows(b, m, w, p);
            for (int v = 0; v < UNKNOWNS; v++) {
                finite = finite && isfinite(p.u[v][U_REACH]);
                for (int o = 0; o < 2 * U_REACH; o++) p.u[v][o] = p.u[v][o + 1];
                for (int o = 0; o < 2 * G_REACH; o++) p.g[v][o] = p.g[v][o + 1];
                for (int o = 0; o < 2 * N_REACH; o++) p.n[v][o] = p.n[v][o + 1];
            }
        }
    }
    if (!finite && m.begins) b.first_bad[j] = step;
}
