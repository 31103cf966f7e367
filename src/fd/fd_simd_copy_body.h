/* fd_simd_copy.h for fields of `real`: double or float. */
#define JOIN_(name, type) name##_##type
#define JOIN(name, type) JOIN_(name, type)
#define NAME(name) JOIN(name, real)

/* Lane l alone. */
static void NAME(gather_line)(const struct fd_simd_copy *c, int l, const real *f, double *to)
{
    const struct fd_segment *s = &c->segment[l];
    int64_t from = ((s->first % c->n) + c->n) % c->n;
    for (int64_t i = 0; i < c->points; i++) {
        to[i * c->lines + l] = f[s->base + (size_t)from * c->stride];
        if (++from == c->n) from = 0;
    }
}

/* WIDTH lanes from l on, all along x and within their lines. */
static void NAME(gather_block)(const struct fd_simd_copy *c, int l, const real *f, double *to)
{
    const real *from[WIDTH];
    int64_t i = 0;
    for (int j = 0; j < WIDTH; j++) from[j] = f + c->segment[l + j].base + c->segment[l + j].first;
    for (; i + WIDTH <= c->points; i += WIDTH) {
        vector t[WIDTH];
        for (int j = 0; j < WIDTH; j++) __builtin_prefetch(from[j] + i + c->ahead);
        for (int j = 0; j < WIDTH; j++) t[j] = NAME(load)(from[j] + i);
        transpose(t);
        for (int k = 0; k < WIDTH; k++) store_double(to + (i + k) * c->lines + l, t[k]);
    }
    for (; i < c->points; i++)
        for (int j = 0; j < WIDTH; j++) to[i * c->lines + l + j] = from[j][i];
}

/* `side` lanes that lie side by side in the field as well. */
static void NAME(gather_adjacent)(const struct fd_simd_copy *c, int l, int side, const real *f, double *to)
{
    const real *from = f + c->segment[l].base + (size_t)c->segment[l].first * c->stride;
    to += l;
    for (int64_t i = 0; i < c->points; i++, from += c->stride, to += c->lines)
        for (int k = 0; k < side; k++) to[k] = from[k];
}

void NAME(fd_simd_gather)(const struct fd_simd_copy *c, const real *f, double *to)
{
    if (c->count < c->lines) memset(to, 0, (size_t)c->points * (size_t)c->lines * sizeof *to);
    for (int l = 0, side; l < c->count; l += side) {
        side = block(c, l);
        if (side == 1) NAME(gather_line)(c, l, f, to);
        else if (c->stride == 1) NAME(gather_block)(c, l, f, to);
        else NAME(gather_adjacent)(c, l, side, f, to);
    }
}

INLINE void NAME(scatter_line)(const struct fd_simd_copy *c, int l, const double *g, bool add, real *out)
{
    const struct fd_segment *s = &c->segment[l];
    real *to = out + s->base + (size_t)(s->first + s->skip) * c->stride;
    g += s->skip * c->lines + l;
    for (int64_t i = 0; i < s->keep; i++, to += c->stride, g += c->lines) *to = (real)(add ? *to + *g : *g);
}

INLINE void NAME(scatter_block)(const struct fd_simd_copy *c, int l, const double *g, bool add, real *out)
{
    const int64_t skip = c->segment[l].skip, keep = c->segment[l].keep;
    real *to[WIDTH];
    int64_t i = 0;
    for (int j = 0; j < WIDTH; j++) to[j] = out + c->segment[l + j].base + c->segment[l + j].first + skip;
    g += skip * c->lines + l;
    for (; i + WIDTH <= keep; i += WIDTH) {
        vector t[WIDTH];
        for (int j = 0; j < WIDTH; j++) __builtin_prefetch(to[j] + i + c->ahead, 1);
        for (int k = 0; k < WIDTH; k++) t[k] = load_double(g + (i + k) * c->lines);
        transpose(t);
        for (int j = 0; j < WIDTH; j++)
            NAME(store)(to[j] + i, add ? NAME(load)(to[j] + i) + t[j] : t[j]);
    }
    for (; i < keep; i++)
        for (int j = 0; j < WIDTH; j++) to[j][i] = (real)(add ? to[j][i] + g[i * c->lines + j] : g[i * c->lines + j]);
}

INLINE void NAME(scatter_adjacent)(const struct fd_simd_copy *c, int l, int side, const double *g, bool add, real *out)
{
    const struct fd_segment *s = &c->segment[l];
    real *to = out + s->base + (size_t)(s->first + s->skip) * c->stride;
    g += s->skip * c->lines + l;
    for (int64_t i = 0; i < s->keep; i++, to += c->stride, g += c->lines)
        for (int k = 0; k < side; k++) to[k] = (real)(add ? to[k] + g[k] : g[k]);
}

INLINE void NAME(scatter_lines)(const struct fd_simd_copy *c, const double *g, bool add, real *out)
{
    for (int l = 0, side; l < c->count; l += side) {
        side = block(c, l);
        if (side == 1) NAME(scatter_line)(c, l, g, add, out);
        else if (c->stride == 1) NAME(scatter_block)(c, l, g, add, out);
        else NAME(scatter_adjacent)(c, l, side, g, add, out);
    }
}

void NAME(fd_simd_scatter)(const struct fd_simd_copy *c, const double *g, bool add, real *out)
{
    if (add) NAME(scatter_lines)(c, g, true, out);
    else NAME(scatter_lines)(c, g, false, out);
}
#undef NAME
#undef JOIN
#undef JOIN_
