/* Passes with right-hand sides of other kinds than values on a circle: in lines that end, of fourth order in space, and
 * as polynomials in u. A part of lanes_body.h. */

/* ------------------------------------------------------------------ lines that end */

/* Solves in lines that end. Per point of one vector they have what a solve of a circle has, two operations more among
 * the first `decay` points, and eight where conditions are not zero. */

#define first_ended NAMED(first_ended)
#define close_ends NAMED(close_ends)
#define last_ended NAMED(last_ended)

/* A polynomial in i/(n-1). */
#define POLYNOMIAL(coefficient)                                                   \
    vec p[SW_LANES_LIFT][GROUP];                                                  \
    const double per_point = 1.0 / (n - 1);                                       \
    for (int m = 0; m < SW_LANES_LIFT; m++) EACH p[m][j] = OF((coefficient)[m]);
#define AT(point)                                                                 \
    FMA(FMA(FMA(FMA(p[4][j], ALL((point) * per_point), p[3][j]), ALL((point) * per_point), p[2][j]), \
            ALL((point) * per_point), p[1][j]), ALL((point) * per_point), p[0][j])

/* The first recursion on a right-hand side of values. */
BODY void first_ended(const struct sw_lanes *c, int lane, int n, struct sw_lanes_work *work, const real *u,
                      const struct sw_lanes_terms *t, bool down, int others, int gs, int ss)
{
    ANSWER
    const bool narrow = false;
    const struct sw_lanes_ends *ends = t->ends;
    const vec u_weight = ALL(t->u_weight);
    const ptrdiff_t step = STEP_OF(down);
    ptrdiff_t at = down ? (ptrdiff_t)(n - 1) * LANES : 0;
    real *w = SWEPT(work) + lane;
    struct first r = {0};
    vec begin_f[GROUP] = {0};
    COEFFICIENTS
    VALUES
    POLYNOMIAL(ends->rhs)
    u += lane;
    for (int k = 0, point = down ? n - 1 : 0; k < n; k++, point += down ? -1 : 1, at += step) {
        const bool known = (point == 0 && ends->value[0]) || (point == n - 1 && ends->value[1]);
        EACH {
            RIGHT_HAND_SIDE(u_weight * LOAD(u + at), D2_LOADED)
            if (ends->lifted) f -= AT(point);
            if (known) f = (vec){0};
            RECUR(r.v, f);
            STORE(w + at, r.v.one[j]);
            if (k == 0) {
                begin_f[j] = f;
            } else if (k <= c->points) {
                r.sum1[j] = FMA(H(k - 1), f, r.sum1[j]);
                r.sum2[j] = FMA(H(k - 2), f, r.sum2[j]);
            }
        }
    }
    store_work(work, lane, &r, begin_f);
}

/* What is missing in w, and the state that the second recursion begins in. h is 0 where it is not stored.
 * @param w  the last point of the first recursion, from which the others are steps away */
BODY void close_ends(const struct sw_lanes *c, int lane, int n, const struct sw_lanes_work *work, bool down, real *w,
                     ptrdiff_t step, vec *t1, vec *t2, struct state *z)
{
    ANSWER
    const bool narrow = false;
    const struct sw_lanes_closing *closing = c->closing;
    EACH {
        vec y[3], out[3] = {0};
        for (int i = 0; i < 3; i++) y[i] = LOAD(w + i * step);
        const vec known[SW_LANES_STARTS] = {OF(work->beyond), OF(work->sum[0]), OF(work->sum[1]), y[0], y[1], y[2]};
        t1[j] = t2[j] = (vec){0};
        for (int k = 0; k < SW_LANES_STARTS; k++) {
            t1[j] = FMA(OF(closing->start[!down][0][k]), known[k], t1[j]);
            t2[j] = FMA(OF(closing->start[!down][1][k]), known[k], t2[j]);
        }
        for (int i = 0; i < 3; i++) {
            if (n - i <= c->points) y[i] = FMA(H(n - i), t1[j], y[i]);
            if (n - 1 - i <= c->points) y[i] = FMA(H(n - 1 - i), t2[j], y[i]);
        }
        for (int row = 0; row < 3; row++)
            for (int i = 0; i < 3; i++) out[row] = FMA(OF(closing->far[!down][row][i]), y[i], out[row]);
        z->one[j] = out[0];
        z->two[j] = out[1];
        STORE(w, LOAD(w) + out[2]);
    }
}

/* The second recursion: u' = z/g + the polynomial - u_left u. */
BODY void last_ended(const struct sw_lanes *c, int lane, int n, struct sw_lanes_work *work, const real *u, real *into,
                     const struct sw_lanes_terms *t, bool down)
{
    ANSWER
    const bool narrow = false;
    const struct sw_lanes_ends *ends = t->ends;
    const vec u_left = ALL(t->u_left);
    const ptrdiff_t step = STEP_OF(down);
    real *w = START(SWEPT(work), down), *out = into + lane;
    struct state z;
    vec scale[GROUP], t1[GROUP], t2[GROUP];
    COEFFICIENTS
    POLYNOMIAL(ends->lift)
    close_ends(c, lane, n, work, down, w, step, t1, t2, &z);
    EACH scale[j] = OF(c->scale);
    into = START(into, down);
    u = START(u, down);
    int point = down ? n - 1 : 0;
#define POINT(adds, completes)                                                    \
    EACH {                                                                        \
        RECUR(z, completes ? COMPLETE(k, LOAD(w)) : LOAD(w));                     \
        vec next = scale[j] * z.one[j];                                           \
        if (ends->lifted) next += AT(point);                                          \
        if (t->u_left != 0.0) next -= u_left * LOAD(u);                           \
        STORE(into, next + (vec){0});                                             \
    }                                                                             \
    point += down ? -1 : 1;                                                       \
    w += step;                                                                    \
    into += step;                                                                 \
    u += step;
    SECTIONS(0, 0);
#undef POINT
    for (int side = 0; side < 2; side++)
        EACH if (ends->value[side]) STORE(out + (side ? (ptrdiff_t)(n - 1) * LANES : 0), OF(ends->given[side]));
}

#define FIRST_ENDED(others, gs, ss) first_ended(c, lane, n, work, u, t, down, others, gs, ss)

#define ENDED_OF_STAGE                                                            \
    (t->others == 0 && t->gs == 0 && t->ss == 1   ? FIRST_ENDED(0, 0, 1)          \
     : t->others == 1 && t->gs == 0 && t->ss == 2 ? FIRST_ENDED(1, 0, 2)          \
                                                  : FIRST_ENDED(t->others, t->gs, t->ss))

#undef POLYNOMIAL

/* ------------------------------------------------------------------ of fourth order in space */

/* Five points of everything (fourth_order.h). */

#define window NAMED(window)
#define wide_values NAMED(wide_values)

/* r, what is multiplied by P, and z, what is by d2 + g_d4 d4, are summed up at the point two ahead, once. The
 * right-hand side is r + d2 q, q = (p2 + p4 d2) r + (1 + g_d4 d2) z: 9 operations, 7 where p4 = 0. */
struct window { vec r[2][GROUP], z[2][GROUP], q[2][GROUP]; };

#define WIDE_AT(index)                                                            \
    const ptrdiff_t at = (ptrdiff_t)(index) * LANES;                              \
    const vec here = LOAD(u + at);                                                \
    vec r = u_weight * here, z = {0};                                             \
    if (form) {                                                                   \
        z = CUBIC(cubic_g, here);                                                 \
        r = FMA(u_weight, here, has_s_in_u ? (vec)CUBIC(cubic_s, here) : (vec)cubic_s.power[0][j]);   \
        for (int i = 0; i < cells; i++) r = FMA(factor[i][j], LOAD(cell[i] + at), r);             \
    }                                                                             \
    for (int i = 0; i < others; i++) r = FMA(ALL(t->other_weight[i]), LOAD(other[i] + at), r);    \
    for (int i = 0; i < gs; i++) z = FMA(g_weight[i][j], LOAD(g[i] + at), z);     \
    for (int i = 0; i < ss; i++) r = FMA(s_weight[i][j], LOAD(s[i] + at), r);     \
    vec q = FMA(g_d4, m.z[0][j] + z, FMA(z_here, m.z[1][j], r_here * m.r[1][j]));             \
    if (p4_too) q = FMA(p4, m.r[0][j] + r, q);
#define WIDE_ON                                                                   \
    m.r[0][j] = m.r[1][j], m.r[1][j] = r;                                         \
    m.z[0][j] = m.z[1][j], m.z[1][j] = z;                                         \
    m.q[0][j] = m.q[1][j], m.q[1][j] = q;

/* The right-hand side of a method of fourth order, and its recursion into w; without work itself, into out. */
BODY void wide_values(const struct sw_lanes *c, int lane, int n, struct sw_lanes_work *work, const real *u,
                      const struct sw_lanes_terms *t, bool down, int others, int gs, int ss,
                      const struct sw_lanes_forms *form, int cells, bool has_s_in_u, bool p4_too,
                      bool has_after, real *out)
{
    struct cubic cubic_g = {0}, cubic_s = {0};
    const real *cell[SW_LANES_CELLS];
    vec factor[SW_LANES_CELLS][GROUP];
    const real *h = work ? work->h[c->one_sided && !down] : NULL;
    const real *after = has_after ? (const real *)t->after + lane : u;
    const bool narrow = false;
    const vec two = ALL(2.0), u_weight = ALL(t->u_weight), p4 = ALL(t->mass.d4), g_d4 = ALL(t->g_d4), none[GROUP] = {0};
    const vec r_here = ALL(t->mass.d2 - 2.0 * t->mass.d4), z_here = ALL(1.0 - 2.0 * t->g_d4);
    const int way = down ? -1 : 1, first_point = down ? n - 1 : 0;
    real *w = work ? SWEPT(work) + lane : out + lane;
    struct first sums = {0};
    struct window m = {0};
    COEFFICIENTS
    VALUES
    u += lane;
    if (form) cubic_g = cubic_of(form->g, lane), cubic_s = cubic_of(form->s, lane);
    for (int i = 0; i < cells; i++) {
        cell[i] = (const real *)form->cell[i] + lane;
        EACH factor[i][j] = OF(form->cell_factor[i]);
    }
    for (int k = -2; k < 2; k++)
        EACH {
            WIDE_AT(k < 0 ? (down ? -1 - k : n + k) : first_point + k * way)
            WIDE_ON
        }
    for (int k = 0, point = first_point, ahead = first_point + 2 * way; k < n; k++, point += way, ahead += way) {
        if (ahead < 0) ahead = n - 1;
        if (ahead == n) ahead = 0;
        EACH {
            WIDE_AT(ahead)
            const ptrdiff_t to = (ptrdiff_t)point * LANES;
            vec f = FNMA(two, m.q[1][j], m.r[0][j] + (m.q[0][j] + q));
            if (has_after) f = FMA(ALL(t->after_weight), LOAD(after + to), f);
            WIDE_ON
            if (!work) {
                STORE(w + to, f);
                continue;
            }
            RECUR(sums.v, f);
            STORE(w + to, sums.v.one[j]);
            if (k < c->points) ADD_SUMS(sums, k);
        }
    }
    if (work) store_work(work, lane, &sums, none);
}

#define WIDE(others, gs, ss)                                                      \
    wide_values(c, lane, n, work, u, t, down, others, gs, ss, NULL, 0, false, true, t->after != NULL, NULL)
#define WIDE_FORMS(cells, all) \
    wide_values(c, lane, n, work, u, t, down, 0, 0, 0, t->forms, cells, all, all, false, NULL)
#define WIDE_OF_FORMS                                                             \
    (t->forms->cells == 0                                                ? WIDE_FORMS(0, true)    \
     : t->forms->cells < 3 && !t->forms->has_s_in_u && t->mass.d4 == 0.0 ? WIDE_FORMS(2, false)   \
                                                                         : WIDE_FORMS(SW_LANES_CELLS, true))
#define WIDE_OF_STAGE                                                             \
    (t->others + t->gs + t->ss == 0                   ? WIDE(0, 0, 0)             \
     : t->others == 0 && t->gs == 1 && t->ss == 0     ? WIDE(0, 1, 0)             \
     : t->others == 0 && t->gs == 0 && t->ss == 1     ? WIDE(0, 0, 1)             \
     : t->others == 0 && t->gs == 1 && t->ss == 1     ? WIDE(0, 1, 1)             \
     : t->others == 1 && t->gs == 2 && t->ss == 2     ? WIDE(1, 2, 2)             \
     : t->others == 1 && t->gs == 2 && t->ss == 0     ? WIDE(1, 2, 0)             \
     : t->others == 1 && t->gs == 0 && t->ss == 2     ? WIDE(1, 0, 2)             \
                                                      : WIDE(t->others, t->gs, t->ss))

/* ------------------------------------------------------------------ polynomials in u */

/* Terms that are polynomials in u, and values at the cells: both recursions of a step in one sweep. */

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
