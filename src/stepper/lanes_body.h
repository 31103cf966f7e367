/* The arithmetic of lanes.h, included once for each instruction set and precision, after definitions of
 *
 *     real                            double or float
 *     LANES                           lines side by side
 *     VL                              numbers in a vector
 *     TARGET                          function attribute that allows the instructions
 *     FMA(a, b, c)  FMS  FNMA         a*b + c,  a*b - c,  c - a*b  on vectors
 *     GROUP                           vectors that go through a recursion together
 *
 * Per point of one vector: `pass`, which is all there is to do in most points of most steps, has 7 FMA, a load and a store;
 * `join` has 5 operations, two loads and a store in the first `reach` points. */
#include <stddef.h>
#include <string.h>

#include "stepper/lanes.h"

typedef real vec __attribute__((vector_size(sizeof(real) * VL), may_alias));
typedef double wide __attribute__((vector_size(8 * VL), aligned(8), may_alias));  /* numbers of struct sw_lanes */
typedef int8_t marks __attribute__((vector_size(VL), aligned(1), may_alias));
typedef __typeof__((vec){0} == (vec){0}) bits;                                     /* integers as wide as real */

#define BODY static inline __attribute__((always_inline)) TARGET
#define EACH for (int j = 0; j < GROUP; j++)
#define LOAD(p) (*(const vec *)((p) + VL * j))
#define STORE(p, value) (*(vec *)((p) + VL * j) = (value))
#define MINE(r) __builtin_convertvector(*(const marks *)((r)->mine + lane + VL * j), bits)
#define CHOOSE(where, yes, no) ((vec)(((bits)(yes) & (where)) | ((bits)(no) & ~(where))))

struct state { vec one[GROUP], two[GROUP]; };  /* of a recursion: the last value, the one before it */

/* Where a sweep goes: `step` is the distance to the next point. */
struct way { real *at; ptrdiff_t step; };

static struct way way_of(real *line, int n, bool downward)
{
    return downward ? (struct way){line + (size_t)(n - 1) * LANES, -LANES} : (struct way){line, LANES};
}

#define RECUR(s, f)                                                               \
    do {                                                                          \
        vec next_ = FMA(b1[j], (s).one[j], FMA(b2[j], (s).two[j], (f)));          \
        (s).two[j] = (s).one[j];                                                  \
        (s).one[j] = next_;                                                       \
    } while (0)

/* Of lanes lane .. lane + GROUP*VL - 1, which a body works on; its pointers to points are to these lanes. */
#define OF(array) __builtin_convertvector(*(const wide *)((array) + lane + VL * j), vec)
#define COEFFICIENTS vec b1[GROUP], b2[GROUP]; EACH { b1[j] = OF(c->b1); b2[j] = OF(c->b2); }

BODY void close_circle(const struct sw_lanes *c, int lane, struct state *s)
{
    EACH {
        vec one = FMA(OF(c->closure[0]), s->one[j], OF(c->closure[1]) * s->two[j]);
        vec two = FMA(OF(c->closure[2]), s->one[j], OF(c->closure[3]) * s->two[j]);
        s->one[j] = one;
        s->two[j] = two;
    }
}

/* y_i = u_i - a1 y_{i-1} - a2 y_{i-2} from zero, in place. */
BODY struct state first_sweep(const struct sw_lanes *c, int lane, int n, struct way w)
{
    struct state s = {0};
    COEFFICIENTS
    for (int i = 0; i < n; i++, w.at += w.step)
        EACH {
            RECUR(s, LOAD(w.at));
            STORE(w.at, s.one[j]);
        }
    return s;
}

BODY void add_correction(const struct sw_lanes_reach *r, int lane, int j, real *at, bool all, vec missing)
{
    vec y = LOAD(at), corrected = y + missing;
    if (!all) corrected = CHOOSE(MINE(r), corrected, y);
    STORE(at, corrected);
}

/* Both at once: the correction goes from the first point on, the warm-up from the last towards it. So the warm-up reads
 * points beyond the middle uncorrected; their corrections, P^(reach/2) at most, would have decayed as much again on their
 * way to its end: to P^reach. */
BODY void join_decayed(const struct sw_lanes *c, int lane, const struct sw_lanes_reach *r, struct way w, bool all, struct state *v,
                       struct state *z)
{
    real *far = w.at + w.step * (r->points - 1);
    COEFFICIENTS
    for (int i = 0; i < r->points; i++, w.at += w.step, far -= w.step) {
        EACH RECUR(*z, LOAD(far));
        EACH {
            RECUR(*v, (vec){0});
            add_correction(r, lane, j, w.at, all, v->one[j]);
        }
    }
}

/* The same one after the other, where nothing decays. */
BODY void join_whole(const struct sw_lanes *c, int lane, const struct sw_lanes_reach *r, struct way w, bool all, struct state *v,
                     struct state *z)
{
    COEFFICIENTS
    for (int i = 0; i < r->points; i++, w.at += w.step)
        EACH {
            RECUR(*v, (vec){0});
            add_correction(r, lane, j, w.at, all, v->one[j]);
        }
    for (int i = 0; i < r->points; i++) {
        w.at -= w.step;
        EACH RECUR(*z, LOAD(w.at));
    }
}

/* Close the first sweep, whose way is w and which left the state v. @return the state before the second one's first point */
BODY struct state join(const struct sw_lanes *c, int lane, int n, struct way w, struct state v)
{
    struct state start = {0};
    bool all = c->reaches == 1;
    close_circle(c, lane, &v);
    for (int k = 0; k < c->reaches; k++) {
        const struct sw_lanes_reach *r = &c->reach[k];
        struct state missing = v, z = {0};
        if (r->points == 0) continue;
        if (r->points < n) join_decayed(c, lane, r, w, all, &missing, &z);
        else join_whole(c, lane, r, w, all, &missing, &z);
        EACH {
            start.one[j] = CHOOSE(MINE(r), z.one[j], start.one[j]);
            start.two[j] = CHOOSE(MINE(r), z.two[j], start.two[j]);
        }
    }
    close_circle(c, lane, &start);
    return start;
}

/* u at the first two points of a sweep. The closure leaves an error in w that is of rounding's size where it enters, but
 * grows with the distance, so that w does not quite fit where the circle closes. Through z that does no harm, being smoothed
 * out; but u from w and its successors would show it there, so at these two points u is kept. */
struct seam { vec u[2][GROUP]; };

BODY struct seam seam_of(struct way w)
{
    struct seam seam;
    for (int k = 0; k < 2; k++) EACH seam.u[k][j] = LOAD(w.at + k * w.step);
    return seam;
}

#define STEP_POINT(successor, old_u, new_seam)                                                                    \
    EACH {                                                                                                   \
        vec after2 = (successor);                                                                            \
        vec u = (old_u);                                                                                     \
        RECUR(z, here[j]);                                                                                   \
        u = FMS(twice[j], z.one[j], u);                                                                      \
        here[j] = after[j];                                                                                  \
        after[j] = after2;                                                                                   \
        if (!last) RECUR(v, u);                                                                              \
        STORE(w.at, last ? u : v.one[j]);                                                                    \
        new_seam;                                                                                            \
    }                                                                                                        \
    w.at += w.step;
#define U_AGAIN FNMA(b2[j], after2, FNMA(b1[j], after[j], here[j]))

/* One Crank-Nicolson step in one pass, in place. In: w, the first of the two recursions done on u, in the other direction.
 * For each point on the way: u itself again from w and its two successors; z, the second recursion, and with it
 * u' = 2 z/g - u; and from u' at once the first recursion of the next step, which goes in the same direction since the
 * two factors of A commute. Out: that recursion from zero, or u' if this is the last step. n >= 5.
 * @param seam  in: of u, whose first points are the last ones here; out: of u' */
BODY struct state pass(const struct sw_lanes *c, int lane, int n, struct way w, struct state z, struct seam *seam, bool last)
{
    struct state v = {0};
    struct seam next;
    vec here[GROUP], after[GROUP], twice[GROUP];
    COEFFICIENTS
    EACH {
        here[j] = LOAD(w.at);
        after[j] = LOAD(w.at + w.step);
        twice[j] = OF(c->twice);
    }
    STEP_POINT(LOAD(w.at + 2 * w.step), U_AGAIN, next.u[0][j] = u)
    STEP_POINT(LOAD(w.at + 2 * w.step), U_AGAIN, next.u[1][j] = u)
    for (int i = 2; i < n - 2; i++) { STEP_POINT(LOAD(w.at + 2 * w.step), U_AGAIN, (void)0) }
    STEP_POINT(here[j], seam->u[1][j], (void)0)
    STEP_POINT(here[j], seam->u[0][j], (void)0)
    *seam = next;
    return v;
}

/* Even steps go up, odd ones down, whatever step a call begins with: so calls can be split anywhere. */
BODY void advance_part(const struct sw_lanes *c, int lane, int n, real *u, int64_t from, int64_t to)
{
    struct way w = way_of(u, n, !(from & 1));
    struct seam seam = seam_of(w);
    struct state v = first_sweep(c, lane, n, w);
    for (int64_t step = from; step < to; step++) {
        struct state z = join(c, lane, n, w, v);
        w = way_of(u, n, step & 1);
        v = step + 1 < to ? pass(c, lane, n, w, z, &seam, false) : pass(c, lane, n, w, z, &seam, true);
    }
}

/* f = u_weight u + dt/dx² d2 g + dt s, and on it the first recursion from zero, upwards. */
BODY struct state sweep_terms(const struct sw_lanes *c, int lane, int n, const real *u, const struct sw_lanes_terms *t,
                              real *y, bool has_g, bool has_s)
{
    struct state v = {0};
    const real *g = has_g ? (const real *)t->g + lane : NULL;
    const vec u_weight = (vec){0} + (real)t->u_weight;
    vec g_weight[GROUP], s_weight[GROUP];
    COEFFICIENTS
    EACH {
        g_weight[j] = OF(c->g_weight);
        s_weight[j] = OF(c->s_weight);
    }
    for (int i = 0; i < n; i++, u += LANES, y += LANES, g += has_g ? LANES : 0)
        EACH {
            vec f = u_weight * LOAD(u);
            if (has_g) {
                vec d2 = (LOAD(g) + LOAD(g + 2 * LANES)) - 2 * LOAD(g + LANES);
                f = FMA(g_weight[j], d2, f);
            }
            if (has_s) f = FMA(s_weight[j], LOAD(y), f);
            RECUR(v, f);
            STORE(y, v.one[j]);
        }
    return v;
}

struct cubic { vec power[SW_LANES_POWERS][GROUP]; };

BODY struct cubic cubic_of(const double coefficient[SW_LANES_POWERS][SW_LANES_MOST], int lane)
{
    struct cubic c;
    for (int k = 0; k < SW_LANES_POWERS; k++) EACH c.power[k][j] = OF(coefficient[k]);
    return c;
}

#define CUBIC(c, u) FMA(FMA(FMA((c).power[3][j], (u), (c).power[2][j]), (u), (c).power[1][j]), (u), (c).power[0][j])

/* The same with G and S as polynomials, which nothing is stored for: 11 operations a point for a G and two cells. y may be
 * u. */
BODY struct state sweep_forms(const struct sw_lanes *c, int lane, int n, const real *u, const struct sw_lanes_terms *t,
                              real *y, bool has_g, int cells, bool has_s_in_u)
{
    const struct sw_lanes_forms *form = t->forms;
    const struct cubic cubic_g = cubic_of(form->g, lane), cubic_s = cubic_of(form->s, lane);
    const real *cell[SW_LANES_CELLS];
    const vec u_weight = (vec){0} + (real)t->u_weight, two = (vec){0} + 2;
    struct state v = {0};
    vec here[GROUP], first[GROUP], left[GROUP], mid[GROUP], factor[SW_LANES_CELLS][GROUP];
    COEFFICIENTS
    for (int k = 0; k < cells; k++) cell[k] = (const real *)form->cell[k] + lane;
    EACH {
        vec last = LOAD(u + (size_t)(n - 1) * LANES);
        here[j] = first[j] = LOAD(u);
        left[j] = CUBIC(cubic_g, last);
        mid[j] = CUBIC(cubic_g, here[j]);
        for (int k = 0; k < cells; k++) factor[k][j] = OF(form->cell_factor[k]);
    }
#define POINT(next_u)                                                                          \
    EACH {                                                                                     \
        vec next = (next_u), f = FMA(u_weight, here[j], cubic_s.power[0][j]);                  \
        if (has_s_in_u) f = FMA(u_weight, here[j], CUBIC(cubic_s, here[j]));                   \
        for (int k = 0; k < cells; k++) f = FMA(factor[k][j], LOAD(cell[k]), f);               \
        if (has_g) {                                                                           \
            vec right = CUBIC(cubic_g, next);                                                  \
            f = FNMA(two, mid[j], f + (left[j] + right));                                      \
            left[j] = mid[j];                                                                  \
            mid[j] = right;                                                                    \
        }                                                                                      \
        RECUR(v, f);                                                                           \
        STORE(y, v.one[j]);                                                                    \
        here[j] = next;                                                                        \
    }                                                                                          \
    for (int k = 0; k < cells; k++) cell[k] += LANES;                                       \
    y += LANES;
    for (int i = 1; i < n; i++) {
        u += LANES;
        POINT(LOAD(u))
    }
    POINT(first[j])
#undef POINT
    return v;
}

#define SWEEP_FORMS(has_g, has_s_in_u)                                                                     \
    (t->forms->cells == 0  ? sweep_forms(c, lane, n, u, t, y, has_g, 0, has_s_in_u)                       \
     : t->forms->cells < 3 ? sweep_forms(c, lane, n, u, t, y, has_g, 2, has_s_in_u)                       \
                           : sweep_forms(c, lane, n, u, t, y, has_g, SW_LANES_CELLS, has_s_in_u))

/* The second recursion, downwards: u' = z/g - u_left u. */
BODY void second_sweep(const struct sw_lanes *c, int lane, int n, real *u, real u_left, const real *y, struct state z)
{
    vec scale[GROUP];
    COEFFICIENTS
    EACH scale[j] = OF(c->scale);
    for (int i = n - 1; i >= 0; i--) {
        size_t at = (size_t)i * LANES;
        EACH {
            RECUR(z, LOAD(y + at));
            vec next = scale[j] * z.one[j];
            if (u_left != 0) next = FMS(scale[j], z.one[j], u_left * LOAD(u + at));
            STORE(u + at, next);
        }
    }
}

BODY void step_part(const struct sw_lanes *c, int lane, int n, real *u, const struct sw_lanes_terms *t, real *y)
{
    struct state v;
    if (t->forms && t->u_left == 0.0) y = u;  /* the old u is not needed again: less to go through the cache */
    if (t->forms && t->forms->has_g) v = t->forms->has_s_in_u ? SWEEP_FORMS(true, true) : SWEEP_FORMS(true, false);
    else if (t->forms) v = t->forms->has_s_in_u ? SWEEP_FORMS(false, true) : SWEEP_FORMS(false, false);
    else if (t->g && t->has_s) v = sweep_terms(c, lane, n, u, t, y, true, true);
    else if (t->g) v = sweep_terms(c, lane, n, u, t, y, true, false);
    else if (t->has_s) v = sweep_terms(c, lane, n, u, t, y, false, true);
    else v = sweep_terms(c, lane, n, u, t, y, false, false);
    struct state z = join(c, lane, n, way_of(y, n, false), v);
    if (t->u_left != 0.0) second_sweep(c, lane, n, u, (real)t->u_left, y, z);
    else second_sweep(c, lane, n, u, 0, y, z);
}

TARGET static void advance(const struct sw_lanes *c, int n, void *u, int64_t from, int64_t to)
{
    for (int lane = 0; lane < LANES; lane += GROUP * VL) advance_part(c, lane, n, (real *)u + lane, from, to);
}

TARGET static void step(const struct sw_lanes *c, int n, void *u, const struct sw_lanes_terms *terms, void *y)
{
    real *g = terms->g;
    if (g) {
        memcpy(g, g + (size_t)n * LANES, LANES * sizeof *g);
        memcpy(g + (size_t)(n + 1) * LANES, g + LANES, LANES * sizeof *g);
    }
    for (int lane = 0; lane < LANES; lane += GROUP * VL)
        step_part(c, lane, n, (real *)u + lane, terms, (real *)y + lane);
}
