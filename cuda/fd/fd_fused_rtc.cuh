/* Compact differences in one pass: f is read once, g written once, 16 bytes a point (8 in single precision; arithmetic
 * is double throughout). No coefficient is loaded: they are kernel arguments.
 *
 * With rho = c alpha, c = 1 + rho^2, |rho| < 1 the matrix is T = (1 + rho S-)(1 + rho S+)/c, S+- shifts by a point: two
 * sweeps, y_i = c r_i - rho y_{i-1} and x_i = y_i - rho x_{i+1}. A thread has a segment of a line in registers and
 * runs both from zero:
 *     y0 and its last value E,  x0 of y0 and its first value F.
 * What is missing follows from E and F of the segments nearby, as it decays like -rho to the power of the distance:
 * with q = -rho and Y, X the true y before and x after a segment of m points
 *     Y of the next = E + q^m Y,   X of the one before = F + kappa Y + q^m X,       sigma = 1/(1 - q^2),
 *     x_i = x0_i + A q^(i+1) + B q^(m-i),   A = sigma Y,   B = X - nu Y,
 *     nu = sigma q^(m+1),   kappa = sigma (q - q^(2m+1)).
 * The sums go over as many segments as matter in double precision, on short periodic lines several times around. Five
 * diagonals are two such factors, one after the other.
 *
 * Between walls the recursions start from zero there, which solves all rows of the scheme itself, whatever the
 * right-hand side of the K = max(3, half_width) rows next to a wall is; what solves them as well is q^i from either
 * wall. The rows of the closure, reduced at set-up to g_k = sum of weights times f near the wall + v_k g_K for k < K,
 * give the factors of the two, and then the first K points. Nothing is eliminated in an order of its own, so no pivot
 * can vanish here.
 *
 * Where a line is cut over ranks, the value Y left of this rank's part and X right of it are known (fd_cut_rtc.cuh):
 * they stand for all segments beyond.
 *
 * No bit depends on which lines and segments a tile has: segments follow from n, and from whether lines are along x; a
 * sum has the same terms in the same order everywhere, and multiply-adds are written as such.
 *
 * Operations on a point, d1_c6: right-hand side 2 + 2, recursions 2, the two powers 2: 8 of the FMA units, most with a
 * constant operand.
 *
 * Shape (enum of the text), besides that of fd_tile_rtc.cuh: WALLS, HALF_WIDTH, SECOND, CENTRE: f_i has a weight;
 * FACTORS, DECAY_0 and DECAY_1 segments to either side that they feel, 0: as the numbers say; K; SEPARATE, along x
 * only. The kernel is in fd_fused_one_rtc.cuh or, along two axes at once, in fd_fused_two_rtc.cuh. */

struct scratch {             /* shared memory of a block, beside the ring               */
    double *E, *F;           /* [threads], for each factor                              */
    double *wall;            /* [2][K][tile_lines]                                            */
    double *defects;            /* [4][tile_lines]: defects at the near and far wall, x0_K there */
    real_t *results;         /* SEPARATE: as large as a tile                               */
};

/* ------------------------------------------------------------------ right-hand side, recursions */

/* Times c. Differences first (sw_fd_scheme.h); sign is 1 or -1 and so rounds nothing. */
FD_INLINE void right_hand_side(const struct sw_fd_fused &d, double *c, double *left)
{
#pragma unroll
    for (int j = 0; j < M; j++) {
        const double f = c[j];
        double sum = SECOND || !CENTRE ? 0 : d.centre * f;
#pragma unroll
        for (int k = 1; k <= HALF_WIDTH; k++) {
            const double plus = c[j + k], minus = !MIDPOINTS ? left[k - 1] : k > 1 ? left[k - 2] : f;
            sum = fma(d.weight[k], SECOND ? (plus - f) - (f - minus) : fma(d.sign, minus, plus), sum);
        }
#pragma unroll
        for (int k = HALF_WIDTH - 1; k > 0; k--) left[k] = left[k - 1];
        left[0] = f;
        c[j] = sum;
    }
}

/* Forward and backward sweep of a segment, both from zero; c is 0 beyond the segment. */
FD_INLINE void recursions(const struct sw_fd_fused_factor &t, int len, double *c, double *E, double *F)
{
    double y = 0, x = 0;
#pragma unroll
    for (int j = 0; j < M; j++) {
        const double next = fma(t.back, y, c[j]);
        const bool in = j < LEAST || j < len;
        y = in ? next : y;
        c[j] = in ? next : 0;
    }
    *E = y;
#pragma unroll
    for (int j = M - 1; j >= 0; j--) c[j] = x = fma(t.back, x, c[j]);
    *F = x;
}

struct states { double A, B; };

/* Element 0 or 1 of a kernel argument; an index known at run time only would make the compiler copy it. */
FD_INLINE double by_length(const double two[2], bool second) { return LEAST < M && second ? two[1] : two[0]; }

/* The segment before (by = -1) or after (1) segment s, p of the tile; false: there is none, or the tile does not have
 * it. */
FD_INLINE bool next_segment(const struct sw_fd_fused &d, const struct tile &b, int by, int *p, int *s)
{
    if (!WRAPS && *s == (by < 0 ? 0 : d.segments - 1)) return false;
    *s = by < 0 ? (*s ? *s - 1 : d.segments - 1) : (*s + 1 < d.segments ? *s + 1 : 0);
    *p = CHUNKED ? *p + by : *s;
    return !CHUNKED || (*p >= 0 && *p < b.end + d.halo - b.first);
}

/* The value of segment p of the tile. */
FD_INLINE double at_segment(const double *E, int p) { return E[p * (ALONG_X ? 1 : TILE_LINES)]; }

/* The values on both sides of a part of a line, where the segment feels them; else 0. */
struct beside { double Y, X; };

/* @param Y, X  of all lines of the field */
FD_INLINE struct beside values_beside(const struct sw_fd_fused &d, const struct tile &b,
                                      const struct thread_segment &w, int far, const double *Y, const double *X)
{
    const long long line = ((long long)b.line + w.line) * (CUT ? d.cut.apart : 1);
    struct beside v = {0, 0};
    if (!CUT || !w.inside || w.line >= b.lines) return v;
    if (!NEAR_WALL && w.s < far) v.Y = Y[line];
    if (!FAR_WALL && d.segments - 1 - w.s < far) v.X = X[line];
    return v;
}

/* E and F begin with those of the tile's first segment of this line; `far` segments to either side matter. */
FD_INLINE struct states states_of(const struct sw_fd_fused &d, const struct sw_fd_fused_factor &t, const struct tile &b,
                                  const struct thread_segment &w, int far, const double *E, const double *F,
                                  struct beside v)
{
    double Y = 0, X = 0, y, power = 1;
    bool there = w.inside;
    for (int k = 0, p = w.p, s = w.s; k < far; k++) {
        const bool end = CUT && there && s == 0;
        there = there && next_segment(d, b, -1, &p, &s);
        if (end) Y = fma(power, v.Y, Y);
        if (!there) continue;
        Y = fma(power, at_segment(E, p), Y);
        power *= by_length(t.mu, s < d.longer);
    }
    y = fma(by_length(t.mu, w.longer), Y, at_segment(E, w.p));
    power = 1;
    there = w.inside;
    for (int k = 0, p = w.p, s = w.s; k < far; k++) {
        const bool end = CUT && there && s == d.segments - 1;
        there = there && next_segment(d, b, 1, &p, &s);
        if (end) X = fma(power, v.X, X);
        if (!there) continue;
        X = fma(power, fma(by_length(t.kappa, s < d.longer), y, at_segment(F, p)), X);
        y = fma(by_length(t.mu, s < d.longer), y, at_segment(E, p));
        power *= by_length(t.mu, s < d.longer);
    }
    return {t.sigma * Y, fma(-by_length(t.nu, w.longer), Y, X)};
}

/* down[j] is that of a segment of d.points; in one of two more the last point is not in the table. */
FD_INLINE void add_states(const struct sw_fd_fused &d, const struct sw_fd_fused_factor &t,
                          const struct thread_segment &w, struct states g, double *c)
{
    const bool longer = LEAST < M && w.longer;
    const double B = longer ? t.step * g.B : g.B, last = longer && d.step == 2 ? g.B : 0;
#pragma unroll
    for (int j = 0; j < M; j++) c[j] = fma(t.down[j], B, fma(t.up[j], g.A, c[j]));
#pragma unroll
    for (int j = LEAST + 1; j < M; j++)
        c[j] = fma(t.back, j == d.points + 1 ? last : 0, c[j]);
}

/* ------------------------------------------------------------------ walls */

FD_INLINE bool at_near_wall(const struct tile &b) { return NEAR_WALL && (!CHUNKED || b.first <= 0); }
FD_INLINE bool at_far_wall(const struct sw_fd_fused &d, const struct tile &b)
{
    return FAR_WALL && (!CHUNKED || b.end + d.halo >= d.segments);
}

/* Right-hand sides of the closures: sum of weights times f near the wall. A thread does all K of an end of a line along
 * x, where the number of lines is not known to the compiler, and one of them along y and z, where threads abound. */
FD_INLINE void closure_right_hand_sides(const struct sw_fd_fused &d, const struct tile &b, const real_t *f,
                                        double *wall)
{
    enum { EACH = ALONG_X ? K : 1, OTHERS = K / EACH };
    const int tile_lines = tile_lines_of(d);
    for (int task = (int)threadIdx.x; task < 2 * OTHERS * tile_lines; task += (int)blockDim.x) {
        const int line = ALONG_X ? task / 2 : task % TILE_LINES, end = ALONG_X ? task % 2 : task / TILE_LINES / OTHERS;
        const int first = ALONG_X ? 0 : task / TILE_LINES % OTHERS;
        if (!(end ? at_far_wall(d, b) : at_near_wall(b))) continue;
        double sum[EACH] = {0}, zero = 0;
        for (int l = 0; l < d.wall.points; l++) {
            const int i = (end ? d.n - 1 - l : l) - b.from;
            const double v = f[tile_index(d, b, line, i)];
            if (l == 0 && d.wall.differences) zero = v;
#pragma unroll
            for (int k = 0; k < EACH; k++) sum[k] = fma(d.wall.weight[first + k][l], v - zero, sum[k]);
        }
#pragma unroll
        for (int k = 0; k < EACH; k++)
            wall[(end * K + first + k) * tile_lines + line] = end ? d.wall.sign * sum[k] : sum[k];
    }
}

/* The defect of the closure's row K - 1 in the solution so far, and the solution K points from the wall. */
FD_INLINE void wall_defects(const struct sw_fd_fused &d, const struct thread_segment &w, struct states g,
                            const double *c, const double *wall, double *out)
{
    const struct sw_fd_fused_wall &e = d.wall;
    const int tile_lines = tile_lines_of(d);
    double last = 0, inner = CUT && LEAST <= K ? d.factor.back * c[0] : 0;  /* of a part of K points: left of it */
    if (!w.inside) return;
    if (NEAR_WALL && w.s == 0) {
        inner = fma(e.near_power[1], g.B, c[K]);
        last = fma(e.near_power[0], g.B, c[K - 1]);
        out[0] = wall[(K - 1) * tile_lines] + fma(e.v[K - 1], inner, -last);
        out[tile_lines] = inner;
    }
    if (FAR_WALL && w.s == d.segments - 1) {
        const unsigned long long at = 1ull << (w.len - K);  /* compared with j, it would become an index, and c leave
                                                               the registers */
#pragma unroll
        for (int j = LEAST > K ? LEAST - K - 1 : 0; j < M; j++) {
            if (at >> j & 1) last = c[j];
            if (at >> (j + 1) & 1) inner = c[j];
        }
        inner = fma(e.far_power_B[1], g.B, fma(e.far_power_A[1], g.A, inner));
        last = fma(e.far_power_B[0], g.B, fma(e.far_power_A[0], g.A, last));
        out[2 * tile_lines] = wall[(2 * K - 1) * tile_lines] + fma(e.v[K - 1], inner, -last);
        out[3 * tile_lines] = inner;
    }
}

struct amounts { double near, far; };

FD_INLINE struct amounts amounts_at_walls(const struct sw_fd_fused &d, const struct tile &b, const double *defects)
{
    const double near = at_near_wall(b) ? defects[0] : 0;
    const double far = at_far_wall(d, b) ? defects[2 * tile_lines_of(d)] : 0;
    return {fma(d.wall.other, far, d.wall.same * near), fma(d.wall.other, near, d.wall.same * far)};
}

/* Powers that start from the walls add to the states of a segment as those of its neighbours do. */
FD_INLINE void add_amounts(const struct sw_fd_fused &d, const struct thread_segment &w, struct amounts a,
                           struct states &g)
{
    const int from = w.s, to = d.segments - 1 - w.s;
    if (from < SW_FD_FUSED_WALL_SEGMENTS) g.A = fma(d.wall.near[from], a.near, g.A);
    if (to < SW_FD_FUSED_WALL_SEGMENTS) g.B = fma(d.wall.far[to], a.far, g.B);
}

/* Store the K points next to each wall: into the tile along x, else into the field. */
FD_INLINE void store_wall_points(const struct sw_fd_fused &d, const struct tile &b, const double *wall,
                                 const double *defects, real_t *tile, real_t *out)
{
    const int tile_lines = tile_lines_of(d);
    for (int task = (int)threadIdx.x; task < 2 * K * tile_lines; task += (int)blockDim.x) {
        const int line = ALONG_X ? task / (2 * K) : task % TILE_LINES, k = (ALONG_X ? task : task / TILE_LINES) % K;
        const int end = (ALONG_X ? task / K : task / TILE_LINES / K) % 2;
        if (line >= b.lines || !(end ? FAR_WALL : NEAR_WALL)) continue;
        if (CHUNKED && (end ? b.end < d.segments : b.begin > 0)) continue;
        const struct amounts a = amounts_at_walls(d, b, defects + line);
        const double this_end = end ? a.far : a.near, other_end = end ? a.near : a.far;
        const double x0_K = defects[(1 + 2 * end) * tile_lines + line];
        const double g_K = fma(d.wall.across, other_end, fma(d.factor.back, this_end, x0_K));
        const double g = fma(d.wall.v[k], g_K, wall[(end * K + k) * tile_lines + line]);
        const int i = end ? d.n - 1 - k : k;
        if (ALONG_X) tile[tile_index(d, b, line, i - b.from)] = (real_t)g;
        else store(out + line_base(d, b, line) + i * d.stride, g);
    }
}

/* ------------------------------------------------------------------ a tile */

/* The parts of shared memory behind the ring. @param tile_size  elements of a tile */
FD_INLINE struct scratch partition_shared(const struct sw_fd_fused &d, real_t *behind, int tile_size)
{
    struct scratch s;
    s.results = behind;
    s.E = (double *)(behind + (SEPARATE ? tile_size : 0));
    s.F = s.E + FACTORS * (int)blockDim.x;
    s.wall = s.F + FACTORS * (int)blockDim.x;
    s.defects = s.wall + 2 * K * tile_lines_of(d);
    return s;
}

/* Apply the inverse of a factor of the matrix to c. @param read  called when all threads have read the tile */
template <int FACTOR, typename Read>
FD_INLINE void solve_factor(const struct sw_fd_fused &d, const struct tile &b, const struct thread_segment &w,
                            const struct scratch &s, double *c, Read read)
{
    enum { FAR = FACTOR ? DECAY_1 : DECAY_0 };
    const struct sw_fd_fused_factor &t = FACTOR ? d.factor_2 : d.factor;
    const int tid = (int)threadIdx.x, first = tid - w.p * (ALONG_X ? 1 : TILE_LINES);
    double *E = s.E + FACTOR * (int)blockDim.x, *F = s.F + FACTOR * (int)blockDim.x;
    const int far = FAR ? FAR : d.decay_segments[FACTOR];
    const struct beside v = values_beside(d, b, w, far, d.cut.Y[FACTOR], d.cut.X[FACTOR]);
    recursions(t, w.len, c, &E[tid], &F[tid]);
    __syncthreads();
    read();
    struct states g = states_of(d, t, b, w, far, E + first, F + first, v);
    if (WALLS) {
        if (w.line < b.lines) wall_defects(d, w, g, c, s.wall + w.line, s.defects + w.line);
        __syncthreads();
        if (w.inside && w.line < b.lines) add_amounts(d, w, amounts_at_walls(d, b, s.defects + w.line), g);
    }
    add_states(d, t, w, g, c);
}

/* From f in the tile to g in the field. Along x results are collected in the tile or, SEPARATE, in memory of their own,
 * so that the tile is free as early as along y and z. @param freed  called when no thread needs the tile any more */
template <typename Freed>
FD_INLINE void solve_tile(const struct sw_fd_fused &d, const struct tile &b, const struct thread_segment &w,
                          real_t *tile, const struct scratch &s, real_t *out, Freed freed)
{
    real_t *const results = SEPARATE ? s.results : tile;
    double c[M + HALF_WIDTH], left[HALF_WIDTH];
    if (WALLS) closure_right_hand_sides(d, b, tile, s.wall);  /* first, while registers are free */
    load_segment(d, w, tile, c, left);
    right_hand_side(d, c, left);
    solve_factor<0>(d, b, w, s, c, [&] { if (!ALONG_X || SEPARATE) freed(); });
    if (FACTORS == 2) solve_factor<1>(d, b, w, s, c, [] {});
    if (!ALONG_X) {
        store_segment(d, b, w, c, out);
        if (WALLS) store_wall_points(d, b, s.wall, s.defects, tile, out);
        return;
    }
    if (w.own && w.line < b.lines)
#pragma unroll
        for (int j = 0; j < M; j++)
            if (stores_point(d, w, j)) results[w.at + j] = (real_t)c[j];
    if (WALLS) store_wall_points(d, b, s.wall, s.defects, results, out);
    __syncthreads();
    store_lines(d, b, results, out);
    if (SEPARATE) return;
    __syncthreads();
    freed();
}
