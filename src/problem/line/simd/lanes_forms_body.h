/* Terms that are polynomials in u, and values at the cells: both recursions of a step in one sweep. A part of
 * lanes_body.h. */

#define sweep_forms NAMED(sweep_forms)

#define LINEAR(c, u) FMA((c).power[1][j], (u), (c).power[0][j])
/* G of degree 1 or 3; the powers that a linear one lacks have factors of zero, so that both give the same bits. */
#define G_OF(u) (g_degree == 1 ? (vec)LINEAR(cubic_g, u) : (vec)CUBIC(cubic_g, u))

/* From the old state at hand (again false), or from the one that the second recursion makes, the first recursion on
 * u_weight u + d2 G + S of the new step, one point behind, as G is wanted at both neighbours. The first point goes
 * without the one before it, which the sweep meets last: its G is what is `beyond`. */
BODY void sweep_forms(const struct sw_lanes *c, int lane, int n, struct sw_lanes_work *work, const real *u, real *into,
                      const struct sw_lanes_terms *t, bool down, bool again, int g_degree, int cells, bool has_s_in_u,
                      bool u_left)
{
    const struct sw_lanes_forms *form = t->forms;
    const struct cubic cubic_g = cubic_of(form->g, lane), cubic_s = cubic_of(form->s, lane);
    ANSWER
    const real *cell[SW_LANES_CELLS];
    const bool narrow = false;
    const vec u_weight = ALL(t->u_weight), two = ALL(2.0);
    ptrdiff_t step = STEP_OF(down);
    real *w = START(SWEPT(work), down);
    struct state z;
    struct first r = {0};
    vec here[GROUP], left[GROUP], mid[GROUP], end[GROUP], scale[GROUP], t1[GROUP], t2[GROUP];
    vec factor[SW_LANES_CELLS][GROUP];
    COEFFICIENTS
    if (again) load_work(c, lane, n, work, down, t1, t2, &z);
    if (!again || u_left) u = START(u, down);
    if (again && u_left) into = START(into, down);
    for (int i = 0; i < cells; i++) cell[i] = START((const real *)form->cell[i], down);
    EACH scale[j] = OF(c->scale);
    for (int i = 0; i < cells; i++) EACH factor[i][j] = OF(form->cell_factor[i]);

#define FORWARD                                                                   \
    w += step;                                                                    \
    if (!again || u_left) u += step;                                              \
    if (again && u_left) into += step;
/* u at the k-th point */
#define NEXT_U(k, completes, name)                                                \
    vec name;                                                                     \
    if (again) {                                                                  \
        RECUR(z, completes ? COMPLETE(k, LOAD(w)) : LOAD(w));                     \
        name = u_left ? (vec)FMS(scale[j], z.one[j], LOAD(u)) : (vec)(scale[j] * z.one[j]);   \
        if (u_left) STORE(into, name);                                            \
    } else {                                                                      \
        name = LOAD(u);                                                           \
    }
/* the recursion at the point before the one with G = right */
#define SWEEP(k, adds, right)                                                     \
    vec f = FMA(u_weight, here[j], cubic_s.power[0][j]);                          \
    if (has_s_in_u) f = FMA(u_weight, here[j], CUBIC(cubic_s, here[j]));          \
    for (int i = 0; i < cells; i++) f = FMA(factor[i][j], LOAD(cell[i]), f);      \
    if (g_degree) f = FNMA(two, mid[j], f + (left[j] + (right)));                    \
    RECUR(r.v, f);                                                                \
    STORE(w - step, r.v.one[j]);                                                  \
    if (adds) ADD_SUMS(r, k);
#define POINT(adds, completes)                                                    \
    EACH {                                                                        \
        NEXT_U(k, completes, next)                                                \
        vec right = {0};                                                          \
        if (g_degree) right = G_OF(next);                                  \
        SWEEP(k - 1, adds, right)                                                 \
        left[j] = mid[j];                                                         \
        mid[j] = right;                                                           \
        here[j] = next;                                                           \
    }                                                                             \
    FORWARD                                                                       \
    for (int i = 0; i < cells; i++) cell[i] += step;

    EACH {
        NEXT_U(0, c->points == n, next)
        left[j] = (vec){0};
        end[j] = mid[j] = g_degree ? G_OF(next) : (vec){0};
        here[j] = next;
    }
    FORWARD
    SECTIONS(1, c->points < n ? c->points + 1 : n);
    EACH { SWEEP(n - 1, c->points == n, end[j]) }
    store_work(work, lane, &r, mid);
#undef POINT
#undef SWEEP
#undef NEXT_U
#undef FORWARD
}

#define SWEEP(again, g_degree, cells, has_s_in_u, u_left)                         \
    sweep_forms(c, lane, n, work, u, into, t, down, again, g_degree, cells, has_s_in_u, u_left)
/* Variants have to pay: what is not used has factors of zero, and adding zero changes no bit. */
#define SWEEP_ONCE(g_degree)                                                      \
    (t->forms->cells == 0 ? SWEEP(false, g_degree, 0, true, false)                \
                          : SWEEP(false, g_degree, SW_LANES_CELLS, true, false))
#define SWEEP_BY_CELLS(g_degree, has_s_in_u, u_left)                              \
    (t->forms->cells == 0  ? SWEEP(true, g_degree, 0, has_s_in_u, u_left)         \
     : t->forms->cells < 3 ? SWEEP(true, g_degree, 2, has_s_in_u, u_left)         \
                           : SWEEP(true, g_degree, SW_LANES_CELLS, has_s_in_u, u_left))
#define SWEEP_IN_U(u_left)                                                        \
    (t->forms->g_degree == 0   ? SWEEP_BY_CELLS(0, true, u_left)                  \
     : t->forms->g_degree == 1 ? SWEEP_BY_CELLS(1, true, u_left)                  \
                               : SWEEP_BY_CELLS(3, true, u_left))
