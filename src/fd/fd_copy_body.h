/* fd_copy.h for fields of `real`: double or float. */
#define JOIN_(name, type) name##_##type
#define JOIN(name, type) JOIN_(name, type)
#define NAME(name) JOIN(name, real)

/* Lane l alone. */
static void NAME(in_lane)(const struct fd_copy *c, int l, const real *f, double *to)
{
    const struct fd_stretch *s = &c->lane[l];
    int64_t from = ((s->first % c->n) + c->n) % c->n;
    for (int64_t i = 0; i < c->points; i++) {
        to[i * c->lanes + l] = f[s->base + (size_t)from * c->stride];
        if (++from == c->n) from = 0;
    }
}

/* SIDE lanes from l on, all along x and within their lines. */
static void NAME(in_block)(const struct fd_copy *c, int l, const real *f, double *to)
{
    const real *from[SIDE];
    int64_t i = 0;
    for (int j = 0; j < SIDE; j++) from[j] = f + c->lane[l + j].base + c->lane[l + j].first;
    for (; i + SIDE <= c->points; i += SIDE) {
        side_vec t[SIDE];
        for (int j = 0; j < SIDE; j++) __builtin_prefetch(from[j] + i + c->ahead);
        for (int j = 0; j < SIDE; j++) t[j] = NAME(side_load)(from[j] + i);
        side_transpose(t);
        for (int k = 0; k < SIDE; k++) side_store_double(to + (i + k) * c->lanes + l, t[k]);
    }
    for (; i < c->points; i++)
        for (int j = 0; j < SIDE; j++) to[i * c->lanes + l + j] = from[j][i];
}

/* `side` lanes that lie side by side in the field as well. */
static void NAME(in_beside)(const struct fd_copy *c, int l, int side, const real *f, double *to)
{
    const real *from = f + c->lane[l].base + (size_t)c->lane[l].first * c->stride;
    to += l;
    for (int64_t i = 0; i < c->points; i++, from += c->stride, to += c->lanes)
        for (int k = 0; k < side; k++) to[k] = from[k];
}

void NAME(fd_copy_in)(const struct fd_copy *c, const real *f, double *to)
{
    if (c->count < c->lanes) memset(to, 0, (size_t)c->points * (size_t)c->lanes * sizeof *to);
    for (int l = 0, side; l < c->count; l += side) {
        side = block(c, l);
        if (side == 1) NAME(in_lane)(c, l, f, to);
        else if (c->stride == 1) NAME(in_block)(c, l, f, to);
        else NAME(in_beside)(c, l, side, f, to);
    }
}

INLINE void NAME(out_lane)(const struct fd_copy *c, int l, const double *g, bool add, real *out)
{
    const struct fd_stretch *s = &c->lane[l];
    real *to = out + s->base + (size_t)(s->first + s->skip) * c->stride;
    g += s->skip * c->lanes + l;
    for (int64_t i = 0; i < s->keep; i++, to += c->stride, g += c->lanes) *to = (real)(add ? *to + *g : *g);
}

INLINE void NAME(out_block)(const struct fd_copy *c, int l, const double *g, bool add, real *out)
{
    const int64_t skip = c->lane[l].skip, keep = c->lane[l].keep;
    real *to[SIDE];
    int64_t i = 0;
    for (int j = 0; j < SIDE; j++) to[j] = out + c->lane[l + j].base + c->lane[l + j].first + skip;
    g += skip * c->lanes + l;
    for (; i + SIDE <= keep; i += SIDE) {
        side_vec t[SIDE];
        for (int j = 0; j < SIDE; j++) __builtin_prefetch(to[j] + i + c->ahead, 1);
        for (int k = 0; k < SIDE; k++) t[k] = side_load_double(g + (i + k) * c->lanes);
        side_transpose(t);
        for (int j = 0; j < SIDE; j++)
            NAME(side_store)(to[j] + i, add ? NAME(side_load)(to[j] + i) + t[j] : t[j]);
    }
    for (; i < keep; i++)
        for (int j = 0; j < SIDE; j++) to[j][i] = (real)(add ? to[j][i] + g[i * c->lanes + j] : g[i * c->lanes + j]);
}

INLINE void NAME(out_beside)(const struct fd_copy *c, int l, int side, const double *g, bool add, real *out)
{
    const struct fd_stretch *s = &c->lane[l];
    real *to = out + s->base + (size_t)(s->first + s->skip) * c->stride;
    g += s->skip * c->lanes + l;
    for (int64_t i = 0; i < s->keep; i++, to += c->stride, g += c->lanes)
        for (int k = 0; k < side; k++) to[k] = (real)(add ? to[k] + g[k] : g[k]);
}

INLINE void NAME(out_all)(const struct fd_copy *c, const double *g, bool add, real *out)
{
    for (int l = 0, side; l < c->count; l += side) {
        side = block(c, l);
        if (side == 1) NAME(out_lane)(c, l, g, add, out);
        else if (c->stride == 1) NAME(out_block)(c, l, g, add, out);
        else NAME(out_beside)(c, l, side, g, add, out);
    }
}

void NAME(fd_copy_out)(const struct fd_copy *c, const double *g, bool add, real *out)
{
    if (add) NAME(out_all)(c, g, true, out);
    else NAME(out_all)(c, g, false, out);
}
#undef NAME
#undef JOIN
#undef JOIN_
