/* Crank-Nicolson alone, u' = 2 A⁻¹ u - u: a part of lanes_body.h. */

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
