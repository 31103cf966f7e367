/* A tile is what a block works on at a time: some lines, or of long lines the same chunk of each, with a halo of
 * segments on both sides. It is copied to shared memory while the block works on the one before it; there a thread's
 * segment and the points around it are side by side, for lines along x as for those along y and z.
 *
 * Along x a line lies after the other, segments have odd lengths, and so the threads of a half-warp hit different
 * banks, as long as they are on one line. Where more lines defects in a half-warp they may all begin at the same bank
 * (96 points: 8 threads at one); PADDED lines have a padding after each, d.padding words. Along y and z point lies
 * after point, TILE_LINES lines wide: neighbours in a warp are neighbours in memory, too.
 *
 * Shape (enum of the text), besides that of fd_ring_rtc.cuh: ALONG_X; TILE_LINES, unless ALONG_X; CHUNKED: a tile does
 * not have whole lines; M points of a segment at most, LEAST at least; MIDPOINTS, ADD; KEEP: whether f is to stay in
 * the cache (1), or not (2); STREAM: the result is not to; PADDED. How lines end: NEAR_WALL and FAR_WALL, where there
 * is a wall; WALLS, there is one; WRAPS, they do not end, as they are periodic; CUT, an end without a wall is that of a
 * rank's part of the line (fd_cut_rtc.cuh). */
struct thread_segment {               /* of a thread                                                                 */
    int  line, p, s;         /* of the tile: line, segment; of the line: segment                            */
    int  start, len;         /* first point, how many                                                       */
    bool longer;             /* it has points + step                                                        */
    bool inside, own;        /* there is such a segment; it is this tile's to write                         */
    int  at;                 /* of its first point, in the tile                                             */
    int  before, after;      /* what to add to find the points before and after it                          */
};

enum { STEP = ALONG_X ? 1 : TILE_LINES };  /* words from a point to the next, in the tile */

FD_INLINE int tile_lines_of(const struct sw_fd_fused &d) { return ALONG_X ? d.tile_lines : TILE_LINES; }
FD_INLINE int wrapped(int i, int n) { return i < 0 ? i + n : i >= n ? i - n : i; }

/* Results at points half-way to the left of theirs are those to the right of the points before. So such a part begins
 * with the last point of the rank before it, where it does its line; a whole line is stored by a point further. */
FD_INLINE int loads_before(const struct sw_fd_fused &d) { return MIDPOINTS && CUT ? d.shift : 0; }
FD_INLINE int stores_after(const struct sw_fd_fused &d) { return MIDPOINTS && !CUT ? d.shift : 0; }

/* How many points of its neighbours a part of a line has around it. */
enum { POINTS_BEFORE = !WRAPS && !NEAR_WALL ? HALF_WIDTH : 0, POINTS_AFTER = !WRAPS && !FAR_WALL ? HALF_WIDTH : 0 };

/* First point of segment s; a segment beyond the ends of a periodic line begins before point 0, or after n. */
FD_INLINE int start_of(const struct sw_fd_fused &d, int s)
{
    const int t = wrapped(s, d.segments);
    return t * d.points + min(t, d.longer) * d.step + (s < 0 ? -d.n : s >= d.segments ? d.n : 0);
}

/* The range of segments of chunk number `chunk`. */
FD_INLINE void set_chunk(const struct sw_fd_fused &d, int chunk, struct tile *b)
{
    b->begin = chunk * d.own;
    b->end = min(b->begin + d.own, d.segments);
    b->first = b->begin - d.halo;
    b->from = start_of(d, b->first) - HALF_WIDTH;  /* the stencil of the outermost segments reaches further */
    int last = start_of(d, b->end + d.halo) + HALF_WIDTH;
    if (!WRAPS && b->first <= 0) b->from = -POINTS_BEFORE;
    if (!WRAPS && b->end + d.halo >= d.segments) last = d.n + POINTS_AFTER;
    b->count = last - b->from;
}

/* Find a tile by its index. It divides: one thread does it for all. */
FD_INLINE void locate_tile(const struct sw_fd_fused &d, unsigned index, struct tile *b)
{
    b->line = (CHUNKED ? index / d.chunks : index) * tile_lines_of(d);
    b->lines = (int)min((long long)tile_lines_of(d), d.all - b->line);
    const unsigned stride = (unsigned)d.stride;
    b->offset = ALONG_X ? 0 : (int)(b->line % stride);
    b->base = ALONG_X ? (long long)b->line * d.n : (long long)(b->line / stride) * stride * d.n + b->offset;
    if (CHUNKED) set_chunk(d, (int)(index % d.chunks), b);
}

/* Fill in what all tiles of whole lines have in common. */
FD_INLINE struct tile tile_of(const struct sw_fd_fused &d, const struct tile &found)
{
    struct tile b = found;
    if (!CHUNKED) {
        b.first = b.begin = 0;
        b.from = -POINTS_BEFORE;
        b.end = d.segments;
        b.count = POINTS_BEFORE + d.n + POINTS_AFTER;
    }
    return b;
}

/* Index in the field of point 0 of a line of the tile. */
FD_INLINE long long line_base(const struct sw_fd_fused &d, const struct tile &b, int line)
{
    if (ALONG_X) return b.base + (long long)line * d.n;
    long long base = b.base + line;
    for (long long o = b.offset + line; o >= d.stride; o -= d.stride) base += (d.n - 1) * d.stride;
    return base;
}

/* Index in the tile of point k of a line. */
FD_INLINE int tile_index(const struct sw_fd_fused &d, const struct tile &b, int line, int k)
{
    return ALONG_X ? line * (b.count + (PADDED ? d.padding : 0)) + k : k * TILE_LINES + line;
}

FD_INLINE struct thread_segment segment_of_thread(const struct sw_fd_fused &d, const struct tile &b)
{
    struct thread_segment w;
    const int tid = (int)threadIdx.x;
    w.p = ALONG_X ? tid % d.tile_segments : tid / TILE_LINES;
    w.line = ALONG_X ? tid / d.tile_segments : tid % TILE_LINES;
    const int s = b.first + w.p;
    w.inside = w.line < tile_lines_of(d) && s < b.end + d.halo && (WRAPS || !CHUNKED || (s >= 0 && s < d.segments));
    w.own = w.inside && (!CHUNKED || (s >= b.begin && s < b.end));
    w.s = CHUNKED ? wrapped(s, d.segments) : s;
    w.start = start_of(d, w.s);
    w.longer = LEAST < M && w.s < d.longer;
    w.len = LEAST == M ? M : d.points + (w.longer ? d.step : 0);
    w.at = tile_index(d, b, w.inside ? w.line : 0, w.inside ? start_of(d, s) - b.from : 0);
    w.before = WRAPS && !CHUNKED && w.s == 0 ? d.n * STEP : 0;
    w.after = WRAPS && !CHUNKED && w.s == d.segments - 1 ? -d.n * STEP : 0;
    if (!w.inside) {  /* it reads any part of the tile, and stores nothing */
        w.before = HALF_WIDTH * STEP;
        w.after = 0;
    }
    return w;
}

/* ------------------------------------------------------------------ into shared memory */

template <int BYTES> FD_INLINE void copy(void *to, const void *from) { copy_async<BYTES, KEEP>(to, from); }

/* Where word e of whole lines along x is in their tile: e/n gaps further. d.inverse = 2^32/n + 1 makes that exact for
 * e n < 2^32, and tiles are small. */
FD_INLINE int padded_index(const struct sw_fd_fused &d, int e)
{
    return PADDED ? e + (int)__umulhi((unsigned)e, d.inverse) * d.padding : e;
}

/* Whole lines along x are one piece of memory. A padding lies between 16 bytes and the next. */
FD_INLINE void load_lines(const struct sw_fd_fused &d, const real_t *from, int count, real_t *to)
{
    const int packs = aligned(from) ? count / PACK : 0;
#pragma unroll 4
    for (int e = (int)threadIdx.x; e < packs; e += (int)blockDim.x)
        copy<16>(to + padded_index(d, e * PACK), from + e * PACK);
    for (int e = packs * PACK + (int)threadIdx.x; e < count; e += (int)blockDim.x)
        copy<REAL_BYTES>(to + padded_index(d, e), from + e);
}

/* Where point i of the tile's line `line` is; beyond a part, in what its neighbour has sent.
 * @param from  f, at point 0 of the line */
FD_INLINE const real_t *point(const struct sw_fd_fused &d, const struct tile &b, const real_t *from, int line, int i)
{
    if (!CUT) return from + wrapped(i, d.n) * d.stride;
    const long long at = (long long)b.line + line - d.cut.line;
    i -= loads_before(d);
    if (i < 0) return (const real_t *)d.cut.left + (long long)(i + d.cut.planes) * d.cut.lines + at;
    return i < d.n ? from + i * d.stride : (const real_t *)d.cut.right + (long long)(i - d.n) * d.cut.lines + at;
}

/* A point of all lines is some copies of BYTES bytes. */
template <int BYTES> FD_INLINE void load_columns(const struct sw_fd_fused &d, const struct tile &b, const real_t *f,
                                                 real_t *to)
{
    enum { EACH = BYTES / REAL_BYTES, PER = TILE_LINES / EACH };
    const int line = (int)threadIdx.x % PER * EACH, row = (int)threadIdx.x / PER, rows = (int)blockDim.x / PER;
    if (line >= b.lines || row >= rows) return;
    const real_t *from = f + line_base(d, b, line);
    to += line + row * TILE_LINES;
    if (!CHUNKED && !CUT) {
        const long long by = rows * d.stride;
        from += row * d.stride;
#pragma unroll 8
        for (int k = row; k < b.count; k += rows, from += by, to += rows * TILE_LINES) copy<BYTES>(to, from);
    } else {
#pragma unroll 4
        for (int k = row; k < b.count; k += rows, to += rows * TILE_LINES)
            copy<BYTES>(to, point(d, b, from, line, b.from + k));
    }
}

FD_INLINE void load_tile(const struct sw_fd_fused &d, const struct tile &b, const real_t *f, real_t *to)
{
    if (ALONG_X && !CHUNKED && !CUT) load_lines(d, f + b.base, b.lines * d.n, to);
    else if (ALONG_X) {
        for (int line = 0; line < b.lines; line++)
#pragma unroll 4
            for (int k = (int)threadIdx.x; k < b.count; k += (int)blockDim.x)
                copy<REAL_BYTES>(to + tile_index(d, b, line, k),
                                 point(d, b, f + line_base(d, b, line), line, b.from + k));
    } else if (TILE_LINES % PACK == 0 && d.stride % PACK == 0 && aligned(f)) {
        load_columns<TILE_LINES % PACK ? REAL_BYTES : 16>(d, b, f, to);
    } else load_columns<REAL_BYTES>(d, b, f, to);
}

/* ------------------------------------------------------------------ f of a segment and of the points around it */

/* left[k] = f k + 1 points before the segment; c[len + k] = f k points after its end. Beyond a wall: f at the wall. */
FD_INLINE void load_segment(const struct sw_fd_fused &d, const struct thread_segment &w, const real_t *tile,
                            double *c, double *left)
{
    const bool first = NEAR_WALL && w.s == 0, last = FAR_WALL && w.s == d.segments - 1;
    const real_t *f = tile + w.at, *before = f + w.before, *after = f + w.after;
#pragma unroll
    for (int j = 0; j < LEAST; j++) c[j] = f[j * STEP];
#pragma unroll
    for (int j = LEAST; j < M + HALF_WIDTH; j++) {
        c[j] = 0;
        if (j < w.len) c[j] = f[j * STEP];
        else if (last) c[j] = f[(w.len - 1) * STEP];
        else if (j < w.len + HALF_WIDTH) c[j] = after[j * STEP];
    }
#pragma unroll
    for (int k = 0; k < HALF_WIDTH; k++) left[k] = first ? c[0] : (double)before[-(k + 1) * STEP];
}

/* ------------------------------------------------------------------ out of a tile */

template <typename T> FD_INLINE void write(T *out, T x)
{
    if (STREAM) __stcs(out, x);
    else *out = x;
}
FD_INLINE void store(real_t *out, double x) { write(out, (real_t)(ADD ? *out + x : x)); }

/* Whether point j of a segment is stored with it: all points of periodic lines, else those K from a wall and on. */
FD_INLINE bool stores_point(const struct sw_fd_fused &d, const struct thread_segment &w, int j)
{
    return (j < LEAST || j < w.len) && (!NEAR_WALL || j >= K || w.s > 0) &&
           (!FAR_WALL || j < LEAST - K || j < w.len - K || w.s < d.segments - 1);
}

/* Store the results of a segment along y and z. */
FD_INLINE void store_segment(const struct sw_fd_fused &d, const struct tile &b, const struct thread_segment &w,
                             const double *c, real_t *out)
{
    const int start = w.start + stores_after(d);
    if (!w.own || w.line >= b.lines) return;
    out += line_base(d, b, w.line) + start * d.stride;
#pragma unroll
    for (int j = 0; j < M; j++, out += d.stride) {
        if (MIDPOINTS && start + j == d.n) out -= d.n * d.stride;
        if (stores_point(d, w, j)) store(out, c[j]);
    }
}

/* Along x: the tile holds the results. */
FD_INLINE void store_contiguous(const struct sw_fd_fused &d, const real_t *from, int count, real_t *out)
{
    const int packs = aligned(out) && !ADD ? count / PACK : 0;
#pragma unroll 4
    for (int e = (int)threadIdx.x; e < packs; e += (int)blockDim.x)
        write((float4 *)out + e, *(const float4 *)(from + padded_index(d, e * PACK)));
    for (int e = packs * PACK + (int)threadIdx.x; e < count; e += (int)blockDim.x)
        store(out + e, from[padded_index(d, e)]);
}

FD_INLINE void store_lines(const struct sw_fd_fused &d, const struct tile &b, const real_t *from, real_t *out)
{
    if (!CHUNKED && !CUT && !(MIDPOINTS && d.shift)) {
        store_contiguous(d, from, b.lines * d.n, out + b.base);
        return;
    }
    const int begin = start_of(d, b.begin), count = start_of(d, b.end) - begin;
    for (int line = 0; line < b.lines; line++)
#pragma unroll 4
        for (int i = begin + (int)threadIdx.x; i < begin + count; i += (int)blockDim.x)
            store(out + line_base(d, b, line) + wrapped(i + stores_after(d), d.n),
                  from[tile_index(d, b, line, i - b.from)]);
}
