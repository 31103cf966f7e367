/* The scalars of a line (problem/line/sw_stepper.h, enum sw_line_scalar) from the registers that hold it, for
 * cuda.fused; all but the domain length, which needs a spectrum. Compiled at run time behind
 * problem/line/measure_point.h and
 *
 *     SW_HAS_ENERGY, ENERGY_RUN, ...      as in line_rtc.cuh: the density of the energy
 *     SW_MASS, SW_ENERGY, SW_MIN, SW_MAX, SW_LINE_SCALARS
 *
 * A lane goes through its points in turn; then over_line(), which comes with the kernel as edges() and struct lane do,
 * joins what the lanes of a line have. Both orders follow from n and from how lines of n points are laid out, not from
 * the batch. 11 operations a point, and those of the density: what it costs is one or two steps, but no access to
 * memory. */

struct total { __device__ double operator()(double a, double b) const { return a + b; } };
struct least { __device__ double operator()(double a, double b) const { return b < a ? b : a; } };

/* A lane has ROOM points, or one fewer. */
template <int ROOM, typename LANE> __device__ static inline bool has_point(const LANE &me, int j)
{
    return j < ROOM - 1 || (j == ROOM - 1 && me.full);
}

/* The sum of the density over the lane's points. */
template <int ROOM, typename LANE, typename T>
__device__ static inline double sum_density(const LANE &me, const struct sw_line_batch &b, int run, const T (&u)[ROOM])
{
    double sum = 0.0;
#if SW_HAS_ENERGY
    const double *p = b.param + run;
    double r[ENERGY_RUN + 1], s[ENERGY_STEP + 1], c[ENERGY_CELL + 1], in[SW_INPUTS] = {};
    double dx = b.dx[run], half = 0.5 / dx, left, beyond;
    edges(me, u[0], me.full ? u[ROOM - 1] : u[ROOM > 1 ? ROOM - 2 : 0], &left, &beyond);
    model_energy_run(p, b.count, r);
    model_energy_step(p, b.count, r, 1, 0.0, 0, s);
#pragma unroll
    for (int j = 0; j < ROOM; j++) {
        double right = has_point<ROOM>(me, j + 1) ? u[j + 1 < ROOM ? j + 1 : j] : beyond;
        in[SW_IN_X] = b.x0[run] + (me.first + j) * dx;
        in[SW_IN_U] = u[j];
        in[SW_IN_UX] = sw_measure_slope(left, right, half);
        model_energy_cell(p, b.count, r, 1, in, me.first + j, c);
        double density = model_energy_point(p, b.count, r, 1, s, 1, c, 1, in, me.first + j, 0.0, 0);
        if (has_point<ROOM>(me, j)) sum += density;
        left = u[j];
    }
#endif
    return sum;
}

/* All lanes of a warp together; scalars [SW_LINE_SCALARS] is set if the run is `alive`. */
template <int ROOM, typename LANE, typename T>
__device__ static inline void measure(const LANE &me, const struct sw_line_batch &b, int run, bool alive,
                                      const T (&u)[ROOM], double *scalars)
{
    double mass = 0.0, low = u[0], high = -u[0], energy = sum_density(me, b, run, u);
#pragma unroll
    for (int j = 0; j < ROOM; j++) {
        if (!has_point<ROOM>(me, j)) continue;
        mass += u[j];
        low = least()(low, u[j]);
        high = least()(high, -u[j]);
    }
    mass = over_line(me, mass, total());
    low = over_line(me, low, least());
    high = over_line(me, high, least());
    if (SW_HAS_ENERGY) energy = over_line(me, energy, total());
    if (!alive || me.l) return;
    scalars[SW_MASS] = b.dx[run] * mass;
    scalars[SW_ENERGY] = SW_HAS_ENERGY ? b.dx[run] * energy : nan("");
    scalars[SW_MIN] = low;
    scalars[SW_MAX] = -high;
}
