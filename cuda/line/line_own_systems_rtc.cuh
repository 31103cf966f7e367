/* The matrices of a line for a dt of its own, formed by the group that holds it: of each recursion what a solve needs
 * (recursive_device_point.h), and where the line ends what closes it (closing_point.h). For line_own_steps_rtc.cuh,
 * which is behind it; of line_imex_rtc.cuh it needs what set_systems() does there. */

__device__ static inline bool is_first_lane(void) { return threadIdx.x % GROUP == 0; }

/* All that a solve needs of a recursion into shared memory. @return its bits of struct systems but `most`; without a
 * factor solves give NaN */
__device__ static inline int set_recursion(struct lane there, const struct sw_recursion &r)
{
    const struct sw_recursion_power one = sw_recursion_one(&r);
    double *table = shared_of(there), *number = table + TABLE, entries[4];
    struct sw_recursion_power x = sw_recursion_power_of(&one, POINTS / LANES);
    int stages = 0;
    bool counts = true;
    there.a1 = r.a1;
    there.a2 = r.a2;
#pragma unroll 1
    for (int k = 0; k < STAGES; k++) {  /* x: of (POINTS << k)/LANES points; one more behind it */
        counts = false;
        for (int m = 0; m < (EVEN ? 1 : 2); m++) {
            const struct sw_recursion_power here = m ? sw_recursion_join(&x, &one) : x;
            sw_recursion_entries(here.m, here.plain, entries);
            counts |= !sw_recursion_negligible(entries);
            if (!is_first_lane()) continue;
            for (int i = 0; i < 4; i++) put_in_table(table, AT_POWER + 8 * k + 4 * m + i, entries[i]);
        }
        if (!counts) break;  /* nor do powers of more points: no scan goes on to them */
        stages = k + 1;
        const bool odd = ((long long)POINTS << (k + 1)) / LANES % 2;
        x = sw_recursion_join(&x, &x);
        if (odd) x = sw_recursion_join(&x, &one);
    }
    if (counts) {
        sw_recursion_entries(x.m, x.plain, entries);
        counts = !sw_recursion_negligible(entries);  /* whether the line's ends see each other */
        sw_recursion_closure(&x, entries);
    }
    if (is_first_lane()) {
        for (int i = 0; i < 4 && counts; i++) put_in_table(table, i, entries[i]);
        number[0] = r.a1;
        number[1] = r.a2;
        number[2] = r.scale;
        compute_response(there);
    }
    return stages | counts << 6;
}

/* ------------------------------------------------------------------ ends */

/* h_k .. h_{k+3}, the answer of a recursion to an impulse, k > 0. */
__device__ static inline void set_answers(const struct sw_recursion &r, int k, sw_extended (&h)[4])
{
    const sw_extended a1 = r.a1, a2 = r.a2;
    sw_extended now = 1.0, before = 0.0;
#pragma unroll 1
    for (int bit = 1 << (31 - __clz(k)); bit; bit /= 2) {  /* h_2m = h_m² - a2 h_{m-1}², h_{2m-1} likewise */
        const sw_extended twice = now * now - a2 * (before * before);
        before = before * (now + now + a1 * before);
        now = twice;
        if (k & bit) {
            const sw_extended next = -(a1 * now + a2 * before);
            before = now;
            now = next;
        }
    }
    for (int i = 0; i < 4; i++) {
        h[i] = now;
        now = -(a1 * now + a2 * before);
        before = h[i];
    }
}

/* Column c of what closes unknown V, with f_{n-1} in place of y_{n-1} = f_{n-1} - a1 y_{n-2} - a2 y_{n-3}: of `start`
 * 0 .. 5, of `far` 6 .. 8. */
__device__ static inline void set_column(const struct sw_circuit &k, int c, double *closing)
{
    const bool far = c >= 6;
    sw_extended y[3], out[3];
    for (int i = 0; i < 3; i++) y[i] = c == (far ? 6 : 3) + i;
    if (far) {
        sw_closing_turn(&k.far, y, out);
        for (int row = 0; row < 3; row++) closing[SW_ENDED_FAR + 3 * row + c - 6] = (double)out[row];
    } else {
        if (c == 4) y[0] = k.near.to.one;
        if (c == 5) y[0] = k.near.to.two;
        const struct sw_pair t = sw_closing_start(&k, c == 0, c == 1, c == 2, y);
        closing[SW_ENDED_START + c] = (double)t.one;
        closing[SW_ENDED_START + 6 + c] = (double)t.two;
    }
}

__device__ static inline void set_power(const struct sw_recursion &r, int points, double *closing)
{
    const struct sw_recursion_power one = sw_recursion_one(&r), x = sw_recursion_power_of(&one, points);
    if (is_first_lane()) sw_recursion_entries(x.m, x.plain, closing);
}

/* What closes unknown V. A call of its own: it needs registers that the steps do not leave; by values, as what a call
 * has the address of lies in memory. @param closed  its ends see each other */
__device__ static __noinline__ void set_own_closing(double *closing, int V, bool closed, struct sw_recursion up,
                                                    struct sw_recursion down)
{
    struct sw_circuit k;
    struct sw_pair b, c;
    b.one = -up.a1, b.two = -up.a2;
    c.one = -down.a1, c.two = -down.a2;
    sw_closing_set_ends(is_known(V, 0), is_known(V, 1), b, c, &k);
    k.decays = !closed;
    if (closed) {
        set_answers(up, POINTS - 3, k.first);
        if (SIDES == 2) set_answers(down, POINTS - 3, k.second);
        else for (int i = 0; i < 4; i++) k.second[i] = k.first[i];
        sw_closing_set_rounds(&k);
    }
#pragma unroll 1
    for (int column = threadIdx.x % GROUP; column < 9; column += GROUP) set_column(k, column, closing);
    set_power(down, POINTS / LANES - 1, closing + SW_ENDED_NEAR_POWER);
    set_power(up, (POINTS + LANES - 1) / LANES - 1, closing + SW_ENDED_FAR_POWER);
    if (is_first_lane()) closing[SW_ENDED_GIVEN] = closing[SW_ENDED_GIVEN + 1] = 0.0;
}

/* ------------------------------------------------------------------ all matrices */

/* Which unknowns have, in some line of the warp, ends that see each other. */
__device__ static inline void see_across(struct systems &all)
{
    all.across = 0;
    for (int s = 0; s < SYSTEMS; s++)
        all.across |= (__any_sync(EVERYONE, all.facts >> (8 * s + 6) & 1) != 0) << s / SIDES;
}

/* A of an unknown for a step of dt. */
__device__ static inline struct sw_line_operator matrix_for(const struct sw_line_batch &b, int V, int run, double dt)
{
    const struct sw_line_operator a = operator_for(b, V, run, dt);
    const struct sw_line_mass mass = {mass_d2(V), mass_d4(V)};
    return MASS ? sw_line_matrix_of(&a, &mass) : a;
}

/* The matrices of a step of dt where `wanted`. All lanes of a warp together. */
__device__ static inline void set_own_systems(const struct lane &me, const struct sw_line_batch &b, int run, double dt,
                                              bool wanted, struct systems &all)
{
    __syncwarp();
    if (wanted) {
#pragma unroll 1
        for (int V = 0; V < UNKNOWNS; V++) {
            const struct sw_line_operator a = matrix_for(b, V, run, dt);
            struct sw_recursion way[2];
            bool closed = false;
            if (!sw_recursion_factors(&a, &way[0], &way[1]))
                way[0] = way[1] = sw_recursion{0.0, 0.0, nan("")};
#pragma unroll
            for (int k = 0; k < SIDES; k++) {
                const int s = V * SIDES + k;
                const unsigned long long mine = set_recursion(system_of(me, all, s), way[k]);
                all.facts = (all.facts & ~(255ull << 8 * s)) | mine << 8 * s;
                closed |= mine >> 6 & 1;
            }
            if constexpr (ENDED) set_own_closing(ends_of(me, V), V, closed, way[0], way[1]);
        }
    }
#pragma unroll
    for (int s = 0; s < SYSTEMS; s++) {
        const unsigned most = __reduce_max_sync(EVERYONE, (int)(all.facts >> 8 * s) & 7);
        all.facts = (all.facts & ~(7ull << (8 * s + 3))) | (unsigned long long)most << (8 * s + 3);
    }
    if constexpr (ENDED) see_across(all);
    __syncwarp();
}

