/* Solves in lines that end (lanes_ends.h): a part of lanes_body.h. Per point of one vector they have what a solve of a
 * circle has, two operations more among the first `decay` points, and eight where conditions are not zero. */

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
            RIGHT_HAND_SIDE(u_weight * LOAD(u + at))
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
