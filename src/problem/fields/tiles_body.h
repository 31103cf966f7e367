/* The arithmetic of tiles.h, included once for each instruction set, after definitions of
 *
 *     NAMED(name)       name, with something that tells the set
 *     VL                numbers in a vector: 8, 4, 2
 *     TARGET            function attribute that allows the instructions
 *     FMA(a, b, c)      a*b + c on vectors
 *     FNMA(a, b, c)     c - a*b
 *     LARGER(a, b)      the larger number of two vectors, either one where one is NaN
 *     LARGER_BITS(a, b) the larger integer
 *
 * It defines NAMED(tiles), all of struct fields_tiles but `here`, and takes all of these macros back.
 *
 * A periodic line costs 4 FMA a point of forward and backward recursion, and 4 more within what P^k does not forget,
 * where each of them looks for the state it begins with; one between walls 4 FMA and a product. Four vectors go through
 * a recursion together, so that they hide each other's latency. */

#define vec NAMED(vec)
#define bits NAMED(bits)
#define BODY static inline __attribute__((always_inline)) TARGET
#define EACH for (int l = 0; l < count; l++)
#define AT(p) (*(vec *)(p))
#define OF(p) (*(const vec *)(p))

typedef double vec __attribute__((vector_size(8 * VL), aligned(8), may_alias));
typedef long long bits __attribute__((vector_size(8 * VL), aligned(8), may_alias));

/* ------------------------------------------------------------------ the end of a stage, on vectors in registers */

BODY vec NAMED(sum)(const struct fields_sum *s, ptrdiff_t at, vec sum)
{
    for (int j = 0; j < s->count; j++) sum = FMA((vec){0} + s->weight[j], OF(s->field[j] + at), sum);
    return sum;
}

/* The larger |x|, as integers: what is no number is above all. */
BODY bits NAMED(larger)(bits most, vec x)
{
    const bits size = (bits)x & 0x7fffffffffffffff;
    return LARGER_BITS(size, most);
}

struct NAMED(found) { bits size[4], error[4]; vec least[4], most[4]; };

/* What `closing` says of k, vector l of a group, `at` numbers behind its first one. */
BODY void NAMED(finish)(enum closes closes, const struct fields_closing *c, ptrdiff_t at, int l, vec k,
                        struct NAMED(found) *found)
{
    for (int j = 0; j < c->d.count; j++) k = FNMA((vec){0} + c->d.weight[j], OF(c->d.field[j] + at), k);
    if (closes == CLOSES_STAGE) AT(c->k + at) = k;
    const vec out = FMA((vec){0} + c->next_k, k, NAMED(sum)(&c->next, at, OF(c->u + at)));
    AT(c->out + at) = out;
    if (closes != CLOSES_STEP) return;
    found->size[l] = NAMED(larger)(found->size[l], out);
    found->least[l] = -LARGER(-out, -found->least[l]);
    found->most[l] = LARGER(out, found->most[l]);
    if (c->error_k == 0.0) return;
    found->error[l] = NAMED(larger)(found->error[l],
                                    FMA((vec){0} + c->error_k, k, NAMED(sum)(&c->error, at, (vec){0})));
}

BODY double NAMED(largest)(bits most, int valid)
{
    double largest = 0;
    long long worst = 0;
    for (int i = 0; i < VL && i < valid; i++) worst = most[i] > worst ? most[i] : worst;
    memcpy(&largest, &worst, sizeof largest);
    return largest;
}

BODY void NAMED(gather)(int count, int valid, const struct NAMED(found) *found, struct fields_found *out)
{
    for (int l = 0; l < count; l++, valid -= VL) {
        out->size = sw_own_steps_worse(out->size, NAMED(largest)(found->size[l], valid));
        out->error = sw_own_steps_worse(out->error, NAMED(largest)(found->error[l], valid));
        for (int i = 0; i < VL && i < valid; i++) {
            out->least = found->least[l][i] < out->least ? found->least[l][i] : out->least;
            out->most = found->most[l][i] > out->most ? found->most[l][i] : out->most;
        }
    }
}

/* ------------------------------------------------------------------ recursions, `count` vectors together */

/* One point: y = x - a1 y_{i-1} - a2 y_{i-2} */
#define POINT(x) const vec y = FNMA(a1, before[l], FNMA(a2, before2[l], OF((x) + VL * l)))

BODY void NAMED(closed)(int count, const struct fields_axis *a, ptrdiff_t stride, double *x, enum closes closes,
                        const struct fields_closing *c, struct NAMED(found) *found)
{
    const vec a1 = (vec){0} + a->r.a1, a2 = (vec){0} + a->r.a2;
    const double *closure = a->closure;
    vec before[4], before2[4];
    EACH before[l] = before2[l] = (vec){0};
    for (int i = a->begin; i < a->n; i++)
        EACH {
            POINT(x + i * stride);
            before2[l] = before[l];
            before[l] = y;
        }
    EACH {
        const vec one = before[l], two = before2[l];
        before[l] = FMA((vec){0} + closure[1], two, closure[0] * one);
        before2[l] = FMA((vec){0} + closure[3], two, closure[2] * one);
    }
    for (int i = 0; i < a->n; i++)
        EACH {
            POINT(x + i * stride);
            before2[l] = before[l];
            before[l] = y;
            if (closes) NAMED(finish)(closes, c, x + i * stride + VL * l - c->k, l, y, found);
            else AT(x + i * stride + VL * l) = y;
        }
}
#undef POINT

/* Between walls. */
BODY void NAMED(substitute)(int count, const struct fields_axis *a, ptrdiff_t stride, double *x, enum closes closes,
                            const struct fields_closing *c, struct NAMED(found) *found)
{
    const int n = a->n;
    const double *l1 = a->eliminated, *l2 = l1 + n, *p = l2 + n, *u1 = p + n, *u2 = u1 + n;
    vec before[4], before2[4];
    EACH before[l] = before2[l] = (vec){0};
    for (int i = 0; i < n; i++)
        EACH {
            double *at = x + i * stride + VL * l;
            const vec y = FNMA((vec){0} + l1[i], before[l], FNMA((vec){0} + l2[i], before2[l], OF(at)));
            before2[l] = before[l];
            before[l] = y;
            AT(at) = y;
        }
    EACH before[l] = before2[l] = (vec){0};
    for (int i = n - 1; i >= 0; i--)
        EACH {
            double *at = x + i * stride + VL * l;
            const vec y = FNMA((vec){0} + u1[i], before[l], FNMA((vec){0} + u2[i], before2[l], p[i] * OF(at)));
            before2[l] = before[l];
            before[l] = y;
            if (closes) NAMED(finish)(closes, c, at - c->k, l, y, found);
            else AT(at) = y;
        }
}

/* Both ways along `count` vectors of lines. */
BODY void NAMED(solve)(int count, const struct fields_axis *a, ptrdiff_t stride, double *x, enum closes closes,
                       const struct fields_closing *c, struct fields_found *out)
{
    struct NAMED(found) found;
    EACH {
        found.size[l] = found.error[l] = (bits){0};
        found.least[l] = (vec){0} + INFINITY;
        found.most[l] = (vec){0} - INFINITY;
    }
    if (a->is_one) {
        for (int i = 0; closes && i < a->n; i++)
            EACH {
                const ptrdiff_t at = x + i * stride + VL * l - c->k;
                NAMED(finish)(closes, c, at, l, OF(c->k + at), &found);
            }
    } else if (a->eliminated) {
        NAMED(substitute)(count, a, stride, x, closes, c, &found);
    } else {
        NAMED(closed)(count, a, stride, x, CLOSES_NOTHING, NULL, NULL);
        NAMED(closed)(count, a, -stride, x + (a->n - 1) * stride, closes, c, &found);
    }
    if (closes == CLOSES_STEP) NAMED(gather)(count, c->valid - (int)(x - c->k), &found, out);
}

BODY void NAMED(solve_all)(const struct fields_axis *a, ptrdiff_t stride, int width, double *x, enum closes closes,
                           const struct fields_closing *c, struct fields_found *out)
{
    for (; width >= 4 * VL; width -= 4 * VL, x += 4 * VL) NAMED(solve)(4, a, stride, x, closes, c, out);
    for (; width >= 2 * VL; width -= 2 * VL, x += 2 * VL) NAMED(solve)(2, a, stride, x, closes, c, out);
    for (; width > 0; width -= VL, x += VL) NAMED(solve)(1, a, stride, x, closes, c, out);
}

TARGET static void NAMED(lines)(const struct fields_axis *a, ptrdiff_t stride, int width, double *x)
{
    NAMED(solve_all)(a, stride, width, x, CLOSES_NOTHING, NULL, NULL);
}

TARGET static void NAMED(close)(const struct fields_axis *a, const struct fields_closing *closing,
                                struct fields_found *found)
{
    const struct fields_closing c = *closing;
    *found = (struct fields_found){0.0, 0.0, INFINITY, -INFINITY};
    if (c.last) NAMED(solve_all)(a, c.stride, c.width, c.k, CLOSES_STEP, &c, found);
    else NAMED(solve_all)(a, c.stride, c.width, c.k, CLOSES_STAGE, &c, found);
}

/* ------------------------------------------------------------------ rows */

/* VL x VL numbers: in log2(VL) stages, of which one exchanges numbers s apart. */
#define STAGE(s, low, high)                                    \
    for (int i = 0; i < VL; i++) {                             \
        if (i & s) continue;                                   \
        const vec a = v[i], b = v[i + s];                      \
        v[i] = __builtin_shuffle(a, b, (bits)low);             \
        v[i + s] = __builtin_shuffle(a, b, (bits)high);        \
    }
#define L(...) {__VA_ARGS__}

BODY void NAMED(transpose)(vec v[VL])
{
#if VL == 8
    STAGE(4, L(0, 1, 2, 3, 8, 9, 10, 11), L(4, 5, 6, 7, 12, 13, 14, 15))
    STAGE(2, L(0, 1, 8, 9, 4, 5, 12, 13), L(2, 3, 10, 11, 6, 7, 14, 15))
    STAGE(1, L(0, 8, 2, 10, 4, 12, 6, 14), L(1, 9, 3, 11, 5, 13, 7, 15))
#elif VL == 4
    STAGE(2, L(0, 1, 4, 5), L(2, 3, 6, 7))
    STAGE(1, L(0, 4, 2, 6), L(1, 5, 3, 7))
#else
    STAGE(1, L(0, 2), L(1, 3))
#endif
}
#undef STAGE
#undef L

/* Rows that there are not are the last one once more. */
TARGET static void NAMED(rows)(const struct fields_axis *a, int count, ptrdiff_t pitch, double *room, double *x)
{
    for (int first = 0; first < FIELDS_ROWS; first += VL)
        for (int i = 0; i < a->n; i += VL) {
            vec v[VL];
            for (int l = 0; l < VL; l++) v[l] = OF(x + (first + l < count ? first + l : count - 1) * pitch + i);
            NAMED(transpose)(v);
            for (int l = 0; l < VL; l++) AT(room + (i + l) * FIELDS_ROWS + first) = v[l];
        }
    NAMED(solve_all)(a, FIELDS_ROWS, FIELDS_ROWS, room, CLOSES_NOTHING, NULL, NULL);
    for (int first = 0; first < count; first += VL)
        for (int i = 0; i < a->n; i += VL) {
            vec v[VL];
            for (int l = 0; l < VL; l++) v[l] = OF(room + (i + l) * FIELDS_ROWS + first);
            NAMED(transpose)(v);
            for (int l = 0; l < VL; l++)
                if (first + l < count) AT(x + (first + l) * pitch + i) = v[l];
        }
}

/* ------------------------------------------------------------------ sums */

TARGET static void NAMED(add)(size_t n, double by, const struct fields_sum *s, double *x)
{
    for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i += VL) AT(x + i) = NAMED(sum)(s, i, by * OF(x + i));
}

/* A load and two operations for a term and vector; several vectors go together, so that they hide each other's latency
 * and share the load of a factor. */
BODY void NAMED(weigh_some)(int count, const struct fields_weights *w, ptrdiff_t at, double *x)
{
    vec sum[4], r[4];
    EACH {
        sum[l] = (vec){0} + w->constant;
        r[l] = (vec){0};
    }
    for (const struct fields_weight *t = w->term; t < w->term + w->count; t++) {
        const vec factor = (vec){0} + t->factor;
        const double *of = t->x + at;
        if (t->first) EACH {
            r[l] = OF(of + VL * l);
            sum[l] = FMA(factor, r[l], sum[l]);
        }
        else EACH sum[l] = FMA(factor, OF(of + VL * l) - r[l], sum[l]);
    }
    EACH AT(x + at + VL * l) = sum[l];
}

TARGET static void NAMED(weigh)(size_t n, const struct fields_weights *weights, double *x)
{
    ptrdiff_t i = 0;
    for (; i + 4 * VL <= (ptrdiff_t)n; i += 4 * VL) NAMED(weigh_some)(4, weights, i, x);
    for (; i < (ptrdiff_t)n; i += VL) NAMED(weigh_some)(1, weights, i, x);
}

TARGET static void NAMED(extend)(size_t n, const double *x, double range[2])
{
    vec least = (vec){0} + range[0], most = (vec){0} + range[1];
    bits bad = (bits){0};
    size_t i = 0;
    for (; i + VL <= n; i += VL) {
        const vec v = OF(x + i);
        least = -LARGER(-v, -least);
        most = LARGER(v, most);
        bad |= (bits)(v != v);
    }
    for (int l = 0; l < VL; l++) {
        range[0] = -sw_own_steps_worse(-range[0], bad[l] ? NAN : -least[l]);
        range[1] = sw_own_steps_worse(range[1], bad[l] ? NAN : most[l]);
    }
    for (; i < n; i++) {
        range[0] = -sw_own_steps_worse(-range[0], -x[i]);
        range[1] = sw_own_steps_worse(range[1], x[i]);
    }
}

#define NAMED_TILES(id, text, test)                                                                              \
    static const struct fields_tiles id = {.name = text, .here = test, .lines = NAMED(lines), .rows = NAMED(rows), \
                                           .add = NAMED(add), .weigh = NAMED(weigh), .close = NAMED(close),      \
                                           .extend = NAMED(extend)};
NAMED_TILES(NAMED(tiles), SET, NAMED(here))
#undef NAMED_TILES

#undef vec
#undef bits
#undef BODY
#undef EACH
#undef AT
#undef OF
#undef NAMED
#undef VL
#undef TARGET
#undef FMA
#undef FNMA
#undef LARGER
#undef LARGER_BITS
#undef SET
