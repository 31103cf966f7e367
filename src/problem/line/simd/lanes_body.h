/* The arithmetic of lanes.h, included once for each instruction set and precision, after definitions of
 *
 *     real                            double or float
 *     NAMED(name)                     name, with something that tells this precision: a file includes this one twice
 *     LANES                           lines side by side
 *     VL                              numbers in a vector
 *     TARGET                          function attribute that allows the instructions
 *     FMA(a, b, c)  FMS  FNMA         a*b + c,  a*b - c,  c - a*b  on vectors
 *     GROUP                           vectors that go through a recursion together
 *
 * It defines NAMED(begin), NAMED(first), NAMED(pass), NAMED(apply), NAMED(add) and NAMED(largest) of struct
 * sw_lanes_ops, and takes all of these macros back.
 *
 * Per point of one vector: a pass without terms has 7 FMA, a load and a store, and in the first and in the last `decay`
 * points 2 FMA more. One with G as a polynomial and two cells has 14 operations, three loads and a store. */
#include <stddef.h>
#include <string.h>

#include "problem/line/simd/lanes.h"

/* What follows belongs to this precision. */
#define vec NAMED(vec)
#define wide NAMED(wide)
#define bits NAMED(bits)
#define state NAMED(state)
#define answer NAMED(answer)
#define begin NAMED(begin)
#define first NAMED(first)
#define store_work NAMED(store_work)
#define row_of NAMED(row_of)
#define load_work NAMED(load_work)
#define first_values NAMED(first_values)
#define add_values NAMED(add_values)
#define larger NAMED(larger)
#define largest_part NAMED(largest_part)
#define largest NAMED(largest)
#define apply_part NAMED(apply_part)
#define close_values NAMED(close_values)
#define apply NAMED(apply)
#define add NAMED(add)
#define pass_last NAMED(pass_last)
#define cubic NAMED(cubic)
#define cubic_of NAMED(cubic_of)
#define first_part NAMED(first_part)
#define pass_part NAMED(pass_part)
#define pass NAMED(pass)

typedef real vec __attribute__((vector_size(sizeof(real) * VL), may_alias));
typedef double wide __attribute__((vector_size(8 * VL), aligned(8), may_alias));  /* numbers of struct sw_lanes */
typedef __typeof__((vec){0} == (vec){0}) bits;                                     /* integers as wide as real */

/* Each variant is a body of its own, as its numbers are constants. Sanitizers take seven times as long for that as for
 * one body that finds them in its arguments. */
#ifdef __SANITIZE_ADDRESS__
#define BODY static TARGET
#else
#define BODY static inline __attribute__((always_inline)) TARGET
#endif
#define EACH for (int j = 0; j < GROUP; j++)
#define LOAD(p) ((vec)*(const vec *)((p) + VL * j))
#define STORE(p, value) (*(vec *)((p) + VL * j) = (value))
#define ALL(number) ((vec)((real)(number) - (vec){0}))  /* in all lanes; x - 0 is x, which compilers know */

/* Of lanes lane .. lane + GROUP*VL - 1, which a body works on; its pointers to points are to these lanes. `down` says
 * which way it goes. */
#define OF(array) ((vec)__builtin_convertvector(*(const wide *)((array) + lane + VL * j), vec))
#define GIVE(array, value) (*(wide *)((array) + lane + VL * j) = __builtin_convertvector((value), wide))
#define COEFFICIENTS vec b1[GROUP], b2[GROUP]; EACH { b1[j] = OF(c->b1[down]); b2[j] = OF(c->b2[down]); }

/* h_k of the recursion that goes the other way */
#define ANSWER const real *h = work->h[c->one_sided && !down];
#define H(k) (narrow ? ALL(h[(k) + 1]) : LOAD(h + ((ptrdiff_t)(k) + 1) * LANES + lane))

struct state { vec one[GROUP], two[GROUP]; };  /* of a recursion: the last value, the one before it */

#define RECUR(s, f)                                                               \
    do {                                                                          \
        vec next_ = FMA(b1[j], (s).one[j], FMA(b2[j], (s).two[j], (f)));          \
        (s).two[j] = (s).one[j];                                                  \
        (s).one[j] = next_;                                                       \
    } while (0)

/* Where a sweep goes: the lanes of its first point in an array of points, and from there to the next point. */
#define STEP_OF(down) ((down) ? -(ptrdiff_t)LANES : (ptrdiff_t)LANES)
#define START(array, down) ((array) + ((down) ? (size_t)(n - 1) * LANES : 0) + lane)
#define SWEPT(work) ((real *)(work)->w + SW_LANES_MARGIN * LANES)

/* ---- h */

TARGET static void answer(const struct sw_lanes *c, bool down, struct sw_lanes_work *work)
{
    real *out = work->h[down];
    for (int lane = 0; lane < LANES; lane += GROUP * VL) {
        struct state s = {0};
        COEFFICIENTS
        for (int k = -1; k <= c->points; k++)
            EACH {
                vec h = k == 0 ? ALL(1.0) : (vec)FMA(b1[j], s.one[j], b2[j] * s.two[j]);
                s.two[j] = s.one[j];
                s.one[j] = h;
                h = (vec)((bits)h & (bits)(ALL((double)k) < OF(c->decay)));
                if (!work->narrow) STORE(out + (ptrdiff_t)(k + 1) * LANES + lane, h);
                else if (lane == 0 && j == 0) out[k + 1] = h[0];
            }
    }
}

TARGET static void begin(const struct sw_lanes *c, int n, struct sw_lanes_work *work, bool narrow)
{
    (void)n;
    work->narrow = narrow && c->alike && !c->one_sided;
    answer(c, false, work);
    if (c->one_sided) answer(c, true, work);
}

/* ---- from one pass to the next */

struct first { struct state v; vec sum1[GROUP], sum2[GROUP]; };

/* v_k has been written: h_k v_k, h_{k-1} v_k. */
#define ADD_SUMS(f, k)                                                            \
    do {                                                                          \
        (f).sum1[j] = FMA(H(k), (f).v.one[j], (f).sum1[j]);                       \
        (f).sum2[j] = FMA(H((k) - 1), (f).v.one[j], (f).sum2[j]);                 \
    } while (0)

BODY void store_work(struct sw_lanes_work *work, int lane, const struct first *f, const vec *beyond)
{
    EACH {
        GIVE(work->last[0], f->v.one[j]);
        GIVE(work->last[1], f->v.two[j]);
        GIVE(work->sum[0], f->sum1[j]);
        GIVE(work->sum[1], f->sum2[j]);
        GIVE(work->beyond, beyond[j]);
    }
}

BODY vec row_of(const double matrix[4][SW_LANES_MOST], int lane, int row, int j, vec x, vec y)
{
    return FMA(OF(matrix[2 * row]), x, OF(matrix[2 * row + 1]) * y);
}

/* What is missing in w, h_{k+1} t1 + h_k t2, and the state that the second recursion begins in. A term that the first
 * point did not have is an impulse there, h_k times it. */
BODY void load_work(const struct sw_lanes *c, int lane, int n, const struct sw_lanes_work *work, bool down, vec *t1,
                    vec *t2, struct state *z)
{
    ANSWER
    const bool narrow = false;
    EACH {
        vec beyond = OF(work->beyond), one = OF(work->last[0]), two = OF(work->last[1]);
        if (!work->narrow && c->points == n) {
            one = FMA(H(n - 1), beyond, one);
            two = FMA(H(n - 2), beyond, two);
        }
        t1[j] = row_of(c->closure[!down], lane, 0, j, one, two);
        t2[j] = FMA(OF(c->b2[!down]), row_of(c->closure[!down], lane, 1, j, one, two), beyond);
        one = OF(work->sum[0]) + row_of(c->overlap[!down], lane, 0, j, t1[j], t2[j]);
        two = OF(work->sum[1]) + row_of(c->overlap[!down], lane, 1, j, t1[j], t2[j]);
        z->one[j] = row_of(c->closure[down], lane, 0, j, one, two);
        z->two[j] = row_of(c->closure[down], lane, 1, j, one, two);
    }
}

/* w at the k-th point of a pass, which is the last but k of the sweep that wrote it. */
#define COMPLETE(k, value) ((vec)FMA(H(n - (k)), t1[j], FMA(H(n - 1 - (k)), t2[j], (value))))

/* POINT(adds, completes) for k = from .. n-1: the first `early` ones add to the sums, the last `points` ones complete
 * w. */
#define SECTIONS(from, early)                                                     \
    do {                                                                          \
        int completed_from = n - c->points, k = (from);                                     \
        for (; k < (early) && k < completed_from; k++) { POINT(true, false) }               \
        for (; k < completed_from; k++) { POINT(false, false) }                             \
        for (; k < (early); k++) { POINT(true, true) }                            \
        for (; k < n; k++) { POINT(false, true) }                                 \
    } while (0)

/* Crank-Nicolson alone, u' = 2 A⁻¹ u - u. */

#define first_alone NAMED(first_alone)
#define pass_alone NAMED(pass_alone)

BODY void first_alone(const struct sw_lanes *c, int lane, int n, struct sw_lanes_work *work, const real *u, bool down,
                      bool narrow)
{
    ANSWER
    const vec none[GROUP] = {0};
    ptrdiff_t step = STEP_OF(down);
    real *w = START(SWEPT(work), down);
    struct first f = {0};
    COEFFICIENTS
    u = START(u, down);
    for (int k = 0; k < n; k++, w += step, u += step)
        EACH {
            RECUR(f.v, LOAD(u));
            STORE(w, f.v.one[j]);
            if (k < c->points) ADD_SUMS(f, k);
        }
    store_work(work, lane, &f, none);
}

/* For each point on the way: u again from w and its two successors, which are zero beyond the end, as the recursion
 * that made w came from there; z, and u' = 2 z/g - u; and from u' at once the first recursion of the next step. */
BODY void pass_alone(const struct sw_lanes *c, int lane, int n, struct sw_lanes_work *work, real *into,
                     bool down, bool narrow, bool last)
{
    ANSWER
    const vec none[GROUP] = {0};
    ptrdiff_t step = STEP_OF(down);
    real *w = START(SWEPT(work), down);
    struct state z;
    struct first f = {0};
    vec here[GROUP], after[GROUP], twice[GROUP], t1[GROUP], t2[GROUP];
    COEFFICIENTS
    load_work(c, lane, n, work, down, t1, t2, &z);
    into = START(into, down);
    EACH {
        here[j] = LOAD(w);
        after[j] = LOAD(w + step);
        twice[j] = OF(c->twice);
    }
#define POINT(adds, completes)                                                    \
    EACH {                                                                        \
        vec after2 = LOAD(w + 2 * step);                                          \
        vec u = FNMA(b2[j], after2, FNMA(b1[j], after[j], here[j]));              \
        RECUR(z, completes ? COMPLETE(k, here[j]) : (vec)here[j]);                     \
        u = FMS(twice[j], z.one[j], u);                                           \
        here[j] = after[j];                                                       \
        after[j] = after2;                                                        \
        if (last) {                                                               \
            STORE(into, u + (vec){0});  /* no zero keeps a sign that other lanes' decays could have changed */ \
        } else {                                                                  \
            RECUR(f.v, u);                                                        \
            STORE(w, f.v.one[j]);                                                 \
            if (adds) ADD_SUMS(f, k);                                             \
        }                                                                         \
    }                                                                             \
    w += step;                                                                    \
    if (last) into += step;
    if (last) {
        SECTIONS(0, 0);
    } else {
        SECTIONS(0, c->points);
        store_work(work, lane, &f, none);
    }
#undef POINT
}

/* ---- with terms: values that are there for all points */

/* f = u_weight u + the other states, d2 G and S, by constant numbers of each: they are loops that vanish. */
#define RIGHT_HAND_SIDE(from_u, d2_of_g)                                          \
    vec f = from_u;                                                               \
    for (int i = 0; i < others; i++) f = FMA(ALL(t->other_weight[i]), LOAD(other[i] + at), f);    \
    for (int i = 0; i < gs; i++) f = FMA(g_weight[i][j], d2_of_g, f);             \
    for (int i = 0; i < ss; i++) f = FMA(s_weight[i][j], LOAD(s[i] + at), f);
#define D2(before, here, after) (((before) + (after)) - ((here) + (here)))
#define D2_LOADED D2(LOAD(g[i] + at - LANES), LOAD(g[i] + at), LOAD(g[i] + at + LANES))

#define VALUES                                                                    \
    const real *other[SW_LANES_OTHERS], *g[SW_LANES_VALUES], *s[SW_LANES_VALUES]; \
    vec g_weight[SW_LANES_VALUES][GROUP], s_weight[SW_LANES_VALUES][GROUP];       \
    for (int i = 0; i < others; i++) other[i] = (const real *)t->other[i] + lane; \
    for (int i = 0; i < gs; i++) {                                                \
        g[i] = (const real *)t->g[i] + LANES + lane;                              \
        EACH g_weight[i][j] = OF(c->g_weight) * ALL(t->g_factor[i]);              \
    }                                                                             \
    for (int i = 0; i < ss; i++) {                                                \
        s[i] = (const real *)t->s[i] + lane;                                      \
        EACH s_weight[i][j] = OF(c->s_weight) * ALL(t->s_factor[i]);              \
    }

BODY void first_values(const struct sw_lanes *c, int lane, int n, struct sw_lanes_work *work, const real *u,
                       const struct sw_lanes_terms *t, bool down, int others, int gs, int ss)
{
    ANSWER
    const bool narrow = false;
    const vec u_weight = ALL(t->u_weight), none[GROUP] = {0};
    const ptrdiff_t step = STEP_OF(down);
    ptrdiff_t at = down ? (ptrdiff_t)(n - 1) * LANES : 0;
    real *w = SWEPT(work) + lane;
    vec before[SW_LANES_VALUES][GROUP], here[SW_LANES_VALUES][GROUP];
    struct first r = {0};
    COEFFICIENTS
    VALUES
    u += lane;
    for (int i = 0; i < gs; i++) EACH before[i][j] = LOAD(g[i] + at - step), here[i][j] = LOAD(g[i] + at);
    for (int k = 0; k < n; k++, at += step)
        EACH {
            vec d2[SW_LANES_VALUES];
            for (int i = 0; i < gs; i++) {
                const vec after = LOAD(g[i] + at + step);
                d2[i] = D2(before[i][j], here[i][j], after);
                before[i][j] = here[i][j];
                here[i][j] = after;
            }
            RIGHT_HAND_SIDE(u_weight * LOAD(u + at), d2[i])
            RECUR(r.v, f);
            STORE(w + at, r.v.one[j]);
            if (k < c->points) ADD_SUMS(r, k);
        }
    store_work(work, lane, &r, none);
}

/* No solve: the sum alone. */
BODY void add_values(const struct sw_lanes *c, int lane, int n, const real *u, const struct sw_lanes_terms *t,
                     real *out)
{
    const int others = t->others, gs = t->gs, ss = t->ss;
    VALUES
    u += lane;
    out += lane;
    for (ptrdiff_t at = 0; at < (ptrdiff_t)n * LANES; at += LANES)
        EACH {
            RIGHT_HAND_SIDE(LOAD(u + at), D2_LOADED)
            STORE(out + at, f);
        }
}

/* Numbers without a sign are in the order of their bits, and behind all of them is NaN. */
BODY bits larger(bits most, vec x)
{
    const bits size = (bits)x & ~(bits)ALL(-0.0), more = size > most;
    return (size & more) | (most & ~more);
}

BODY void largest_part(const struct sw_lanes *c, int lane, int from, int to, const real *u,
                       const struct sw_lanes_terms *t, const real *after, double most[2][SW_LANES_MOST])
{
    const int others = t->others, gs = t->gs, ss = t->ss;
    const vec u_weight = ALL(t->u_weight);
    bits sum[GROUP] = {0}, state[GROUP] = {0};
    VALUES
    u += lane;
    after += lane;
    for (ptrdiff_t at = (ptrdiff_t)from * LANES; at < (ptrdiff_t)to * LANES; at += LANES)
        EACH {
            RIGHT_HAND_SIDE(u_weight * LOAD(u + at), D2_LOADED)
            sum[j] = larger(sum[j], f);
            state[j] = larger(state[j], LOAD(after + at));
        }
    EACH {
        GIVE(most[0], (vec)sum[j]);
        GIVE(most[1], (vec)state[j]);
    }
}

/* As sw_line_add_operator(). */
BODY void apply_part(const struct sw_lanes *c, int lane, int n, const real *u, real *out)
{
    u += lane;
    out += lane;
    for (int i = 0; i < n; i++, u += LANES, out += LANES)
        EACH {
            const vec here = LOAD(u), left = LOAD(u - LANES), right = LOAD(u + LANES);
            const vec l = here - left, r = right - here, d2 = r - l;
            const vec before = l - (left - LOAD(u - 2 * LANES)), after = (LOAD(u + 2 * LANES) - right) - r;
            vec f = OF(c->s2) * d2;
            f = FNMA(OF(c->s4), (after - d2) - (d2 - before), f);
            f = FNMA(OF(c->s0), here, f);
            f = FNMA(OF(c->half_s1), r + l, f);
            STORE(out, (vec)FNMA(OF(c->half_s3), after - before, f));
        }
}

/* The second recursion only: u' = z/g - u_left u. */
BODY void pass_last(const struct sw_lanes *c, int lane, int n, struct sw_lanes_work *work, const real *u, real *into,
                    bool down, bool u_left)
{
    ANSWER
    const bool narrow = false;
    ptrdiff_t step = STEP_OF(down);
    const real *w = START(SWEPT(work), down);
    struct state z;
    vec scale[GROUP], t1[GROUP], t2[GROUP];
    COEFFICIENTS
    load_work(c, lane, n, work, down, t1, t2, &z);
    EACH scale[j] = OF(c->scale);
    into = START(into, down);
    u = START(u, down);
#define POINT(adds, completes)                                                    \
    EACH {                                                                        \
        RECUR(z, completes ? COMPLETE(k, LOAD(w)) : LOAD(w));                     \
        vec next = scale[j] * z.one[j];                                           \
        if (u_left) next = FMS(scale[j], z.one[j], LOAD(u));                      \
        STORE(into, next + (vec){0});                                                  \
    }                                                                             \
    w += step;                                                                    \
    into += step;                                                                 \
    u += step;
    SECTIONS(0, 0);
#undef POINT
}

/* ---- parts */

struct cubic { vec power[SW_LANES_POWERS][GROUP]; };

BODY struct cubic cubic_of(const double coefficient[SW_LANES_POWERS][SW_LANES_MOST], int lane)
{
    struct cubic c;
    for (int k = 0; k < SW_LANES_POWERS; k++) EACH c.power[k][j] = OF(coefficient[k]);
    return c;
}

#define CUBIC(c, u) FMA(FMA(FMA((c).power[3][j], (u), (c).power[2][j]), (u), (c).power[1][j]), (u), (c).power[0][j])

#include "problem/line/simd/lanes_rhs_body.h"

/* ---- which of them */

/* u and others, and so many G and S. Variants are those of one stage and of ARS(2,2,2): its second one has two of
 * each and another state. */
#define FIRST_OF_STAGE(others, count)                                             \
    (t->gs == 0   ? first_values(c, lane, n, work, u, t, down, others, 0, count)  \
     : t->ss == 0 ? first_values(c, lane, n, work, u, t, down, others, count, 0)  \
                  : first_values(c, lane, n, work, u, t, down, others, count, count))
#define AS_MANY(count) ((t->gs == 0 || t->gs == (count)) && (t->ss == 0 || t->ss == (count)) && t->gs + t->ss)

BODY void first_part(const struct sw_lanes *c, int lane, int n, struct sw_lanes_work *work, const real *u,
                     const struct sw_lanes_terms *t, bool down)
{
    real *into = NULL;
    if (!t) {
        if (work->narrow) first_alone(c, lane, n, work, u, down, true);
        else first_alone(c, lane, n, work, u, down, false);
    } else if (t->is_wide && t->forms) {
        WIDE_OF_FORMS;
    } else if (t->forms) {
        if (t->forms->g_degree) SWEEP_ONCE(3);
        else SWEEP_ONCE(0);
    } else if (t->is_wide) {
        WIDE_OF_STAGE;
    } else if (t->ends) {
        ENDED_OF_STAGE;
    } else if (t->others == 0 && t->gs + t->ss == 0) {
        first_values(c, lane, n, work, u, t, down, 0, 0, 0);
    } else if (t->others == 0 && AS_MANY(1)) {
        FIRST_OF_STAGE(0, 1);
    } else if (t->others == 1 && AS_MANY(2)) {
        FIRST_OF_STAGE(1, 2);
    } else {
        first_values(c, lane, n, work, u, t, down, t->others, t->gs, t->ss);
    }
}

BODY void pass_part(const struct sw_lanes *c, int lane, int n, struct sw_lanes_work *work, const real *u, real *into,
                    const struct sw_lanes_terms *t, bool down, bool last)
{
    if (!t) {
        if (work->narrow && last) pass_alone(c, lane, n, work, into, down, true, true);
        else if (work->narrow) pass_alone(c, lane, n, work, into, down, true, false);
        else if (last) pass_alone(c, lane, n, work, into, down, false, true);
        else pass_alone(c, lane, n, work, into, down, false, false);
    } else if (t->ends) {
        last_ended(c, lane, n, work, u, into, t, down);
    } else if (last) {
        if (t->u_left != 0.0) pass_last(c, lane, n, work, u, into, down, true);
        else pass_last(c, lane, n, work, u, into, down, false);
    } else if (t->u_left != 0.0) {
        if (t->forms->g_degree || t->forms->has_s_in_u) SWEEP_IN_U(true);
        else SWEEP_BY_CELLS(0, false, true);
    } else {
        if (t->forms->g_degree < 3 || t->forms->has_s_in_u) SWEEP_IN_U(false);
        else SWEEP_BY_CELLS(3, false, false);
    }
}

/* Points -1 and n of what is periodic. */
TARGET static void close_values(int n, const struct sw_lanes_terms *t)
{
    for (int k = 0; t && !t->ends && k < t->gs; k++) {
        real *g = t->g[k];
        memcpy(g, g + (size_t)n * LANES, LANES * sizeof *g);
        memcpy(g + (size_t)(n + 1) * LANES, g + LANES, LANES * sizeof *g);
    }
}

TARGET static void first(const struct sw_lanes *c, int n, struct sw_lanes_work *work, const void *u,
                         const struct sw_lanes_terms *terms, bool odd)
{
    close_values(n, terms);
    for (int lane = 0; lane < LANES; lane += GROUP * VL) first_part(c, lane, n, work, u, terms, odd);
}

TARGET static void pass(const struct sw_lanes *c, int n, struct sw_lanes_work *work, const void *u, void *into,
                        const struct sw_lanes_terms *terms, bool odd, bool last)
{
    for (int lane = 0; lane < LANES; lane += GROUP * VL) pass_part(c, lane, n, work, u, into, terms, !odd, last);
}

TARGET static void apply(const struct sw_lanes *c, int n, const void *u, void *out)
{
    for (int lane = 0; lane < LANES; lane += GROUP * VL) apply_part(c, lane, n, u, out);
}

TARGET static void add(const struct sw_lanes *c, int n, const void *u, const struct sw_lanes_terms *terms, void *out)
{
    close_values(n, terms);
    for (int lane = 0; lane < LANES; lane += GROUP * VL) {
        if (terms->is_wide)
            wide_values(c, lane, n, NULL, u, terms, false, terms->others, terms->gs, terms->ss, NULL,
                        0, false, true, terms->after != NULL, out);
        else
            add_values(c, lane, n, u, terms, out);
    }
}

TARGET static void largest(const struct sw_lanes *c, int from, int to, const void *u,
                           const struct sw_lanes_terms *terms, const void *after, double most[2][SW_LANES_MOST])
{
    for (int lane = 0; lane < LANES; lane += GROUP * VL) largest_part(c, lane, from, to, u, terms, after, most);
}

#undef vec
#undef wide
#undef bits
#undef state
#undef answer
#undef begin
#undef first
#undef store_work
#undef row_of
#undef load_work
#undef first_values
#undef add_values
#undef larger
#undef largest_part
#undef largest
#undef apply_part
#undef close_values
#undef apply
#undef add
#undef first_alone
#undef pass_alone
#undef window
#undef wide_values
#undef sweep_forms
#undef pass_last
#undef first_ended
#undef close_ends
#undef last_ended
#undef cubic
#undef cubic_of
#undef first_part
#undef pass_part
#undef pass
#undef BODY
#undef EACH
#undef LOAD
#undef STORE
#undef ALL
#undef OF
#undef GIVE
#undef COEFFICIENTS
#undef ANSWER
#undef H
#undef RECUR
#undef STEP_OF
#undef START
#undef SWEPT
#undef ADD_SUMS
#undef COMPLETE
#undef SECTIONS
#undef RIGHT_HAND_SIDE
#undef D2
#undef D2_LOADED
#undef VALUES
#undef WIDE_AT
#undef WIDE_ON
#undef FIRST_OF_STAGE
#undef FIRST_ENDED
#undef ENDED_OF_STAGE
#undef AT
#undef AS_MANY
#undef WIDE
#undef WIDE_FORMS
#undef WIDE_OF_FORMS
#undef WIDE_OF_STAGE
#undef CUBIC
#undef LINEAR
#undef G_OF
#undef SWEEP
#undef SWEEP_ONCE
#undef SWEEP_BY_CELLS
#undef SWEEP_IN_U
#undef real
#undef NAMED
#undef LANES
#undef VL
#undef TARGET
#undef FMA
#undef FMS
#undef FNMA
#undef GROUP
