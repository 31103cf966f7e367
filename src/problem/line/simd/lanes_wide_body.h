/* Right-hand sides of fourth order in space, five points of everything (fourth_order.h): a part of lanes_body.h. */

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
    const vec u_weight = ALL(t->u_weight), p4 = ALL(t->mass.d4), g_d4 = ALL(t->g_d4), none[GROUP] = {0};
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
