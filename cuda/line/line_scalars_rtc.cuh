/* The scalars of a line (problem/line/stepper/scalars_point.h) from the registers that hold it, for cuda.fused; all but
 * those of the kind SPECTRUM. Compiled at run time behind that file and
 *
 *     SW_HAS_ENERGY, ENERGY_RUN, ...      as in line_rtc.cuh: the density of the energy
 *     ENDED                               1: lines end, at points that count half in sums; three are in the first lane
 *                                         and in the last one
 *
 * A lane goes through its points in turn; then over_line(), which comes with the kernel as edges() and struct lane do,
 * joins what the lanes of a line have. Both orders follow from n and from how lines of n points are laid out, not from
 * the batch. 11 operations a point, and those of the density: what it costs is one or two steps, but no access to
 * memory. */

struct plus { __device__ double operator()(double a, double b) const { return a + b; } };
struct least { __device__ double operator()(double a, double b) const { return b < a ? b : a; } };
struct greatest { __device__ double operator()(double a, double b) const { return b > a ? b : a; } };

/* What becomes of a row, by its kind. */
#define BEGIN_SUM(id, name, unit, long_name, term, value) totals[id] = 0.0;
#define BEGIN_AT_POINT(id, name, unit, long_name, term, value) totals[id] = (term);
#define ADD(id, name, unit, long_name, term, value) totals[id] += (term);
#define LESS_HALF(id, name, unit, long_name, term, value) totals[id] -= 0.5 * (term);
#define LESS(id, name, unit, long_name, term, value) totals[id] = least()(totals[id], (term));
#define GREATER(id, name, unit, long_name, term, value) totals[id] = greatest()(totals[id], (term));
#define LINE_SUM(id, name, unit, long_name, term, value) totals[id] = over_line(me, totals[id], plus());
#define LINE_MIN(id, name, unit, long_name, term, value) totals[id] = over_line(me, totals[id], least());
#define LINE_MAX(id, name, unit, long_name, term, value) totals[id] = over_line(me, totals[id], greatest());
#define LINE_DENSITY(id, name, unit, long_name, term, value) \
    if (SW_HAS_ENERGY) totals[id] = over_line(me, totals[id], plus());
#define REPORT(id, name, unit, long_name, term, value)      \
    {                                                       \
        const double total = totals[id];                    \
        scalars[id] = (value);                              \
    }
#define REPORT_DENSITY(id, name, unit, long_name, term, value)  \
    {                                                           \
        const double total = totals[id];                        \
        scalars[id] = SW_HAS_ENERGY ? (value) : nan("");        \
    }

/* A lane has ROOM points, or one fewer. */
template <int ROOM, typename LANE> __device__ static inline bool has_point(const LANE &me, int j)
{
    return j < ROOM - 1 || (j == ROOM - 1 && me.full);
}

template <int ROOM, typename LANE> __device__ static inline bool is_end(const LANE &me, int j)
{
    return ENDED && ((me.l == 0 && j == 0) || (me.l == LANES - 1 && j == ROOM - 1));
}

/* u_x and u_xx at point j, where the line ends, from those inside; left, beyond: the neighbours of the lane's
 * points. */
template <int ROOM, typename LANE, typename T>
__device__ static inline void derivatives_at_end(const LANE &me, const T (&u)[ROOM], int j, double left, double beyond,
                                                 double half, double scale, double *in)
{
    const bool first = j == 0;
    double next[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (first) next[k] = has_point<ROOM>(me, k) ? u[k < ROOM ? k : 0] : beyond;
        else next[k] = k < ROOM ? u[k < ROOM ? ROOM - 1 - k : 0] : left;
    }
    in[SW_IN_UX] = (first ? 1.0 : -1.0) * sw_first_derivative_at_end(next[0], next[1], next[2], half);
    in[SW_IN_UXX] = sw_second_derivative_at_end(next[0], next[1], next[2], next[3], scale);
}

/* Add the rows of the kind DENSITY over the lane's points. */
template <int ROOM, typename LANE, typename T>
__device__ static inline void add_densities(const LANE &me, const struct sw_line_batch &b, int run, const T (&u)[ROOM],
                                            double (&totals)[SW_LINE_SCALARS])
{
#if SW_HAS_ENERGY
    const double *p = b.param + run;
    double r[ENERGY_RUN + 1], s[ENERGY_STEP + 1], c[ENERGY_CELL + 1], in[SW_INPUTS] = {};
    double dx = b.dx[run], half = 0.5 / dx, scale = 1.0 / (dx * dx), left, beyond;
    edges(me, u[0], me.full ? u[ROOM - 1] : u[ROOM > 1 ? ROOM - 2 : 0], &left, &beyond);
    const double before = left;
    model_energy_run(p, b.count, r);
    model_energy_step(p, b.count, r, 1, 0.0, 0, s);
#pragma unroll
    for (int j = 0; j < ROOM; j++) {
        double right = has_point<ROOM>(me, j + 1) ? u[j + 1 < ROOM ? j + 1 : j] : beyond;
        in[SW_IN_X] = b.x0[run] + (me.first + j) * dx;
        in[SW_IN_U] = u[j];
        in[SW_IN_UX] = sw_first_derivative_at(left, right, half);
        in[SW_IN_UXX] = sw_second_derivative_at(left, u[j], right, scale);
        if (is_end<ROOM>(me, j)) derivatives_at_end(me, u, j, before, beyond, half, scale, in);
        model_energy_cell(p, b.count, r, 1, in, me.first + j, c);
        double density = model_energy_point(p, b.count, r, 1, s, 1, c, 1, in, me.first + j, 0.0, 0);
        if (has_point<ROOM>(me, j)) {
            SW_LINE_SCALAR_TABLE(SW_LINE_NO_ROW, SW_LINE_NO_ROW, SW_LINE_NO_ROW, ADD, SW_LINE_NO_ROW)
        }
        if (is_end<ROOM>(me, j)) {
            SW_LINE_SCALAR_TABLE(SW_LINE_NO_ROW, SW_LINE_NO_ROW, SW_LINE_NO_ROW, LESS_HALF, SW_LINE_NO_ROW)
        }
        left = u[j];
    }
#endif
}

/* All lanes of a warp together; scalars [SW_LINE_SCALARS] is set if the run is `alive`. */
template <int ROOM, typename LANE, typename T>
__device__ static inline void measure(const LANE &me, const struct sw_line_batch &b, int run, bool alive,
                                      const T (&line)[ROOM], double *scalars)
{
    const int n = POINTS;
    const double dx = b.dx[run];
    double totals[SW_LINE_SCALARS], u = line[0];
    (void)n;
    SW_LINE_SCALAR_TABLE(BEGIN_SUM, BEGIN_AT_POINT, BEGIN_AT_POINT, BEGIN_SUM, SW_LINE_NO_ROW)
    add_densities(me, b, run, line, totals);
#pragma unroll
    for (int j = 0; j < ROOM; j++) {
        if (!has_point<ROOM>(me, j)) continue;
        u = line[j];
        SW_LINE_SCALAR_TABLE(ADD, LESS, GREATER, SW_LINE_NO_ROW, SW_LINE_NO_ROW)
        if (is_end<ROOM>(me, j)) {
            SW_LINE_SCALAR_TABLE(LESS_HALF, SW_LINE_NO_ROW, SW_LINE_NO_ROW, SW_LINE_NO_ROW, SW_LINE_NO_ROW)
        }
    }
    SW_LINE_SCALAR_TABLE(LINE_SUM, LINE_MIN, LINE_MAX, LINE_DENSITY, SW_LINE_NO_ROW)
    if (!alive || me.l) return;
    SW_LINE_SCALAR_TABLE(REPORT, REPORT, REPORT, REPORT_DENSITY, SW_LINE_NO_ROW)
}
