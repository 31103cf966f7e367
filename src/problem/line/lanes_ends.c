#include "problem/line/lanes_ends.h"

struct pair { long double one, two; };  /* a recursion's coefficients, or its state */

static struct pair coefficients(const struct sw_recursive *r) { return (struct pair){-r->a1, -r->a2}; }

/* ------------------------------------------------------------------ an end */

/* From three values y of a recursion that ends with the state sought, c its coefficients: z at the end, and beyond. */
static struct pair at_end(bool value, struct pair c, const long double y[3])
{
    if (value) return (struct pair){0, -y[1] / (1 + c.two)};
    const long double q = (y[0] + c.two * y[2]) / (1 + c.two), p = 1 - c.two;
    const long double det = (p - c.one) * (p + c.one);
    return (struct pair){(p * q + c.one * y[1]) / det, (p * y[1] + c.one * q) / det};
}

/* (z_n, z_{n+1}) from y_{n-1}, y_{n-2}, y_{n-3}, and what y_{n-1} lacks where x is given and no equation says it. */
static void far_end(bool value, struct pair b, struct pair c, const long double y[3], long double out[3])
{
    const struct pair z = at_end(value, c, y);
    out[0] = z.two;
    out[1] = value ? c.one * z.two - y[2] : y[2] + c.one * z.two + c.two * z.one;
    out[2] = value ? (c.one - b.one) * y[1] + (c.two - b.two) * y[2] : 0;
}

/* y_{-1} and b2 y_{-2} from v_0, v_1, v_2; where x is given with what f_0 should have been. By exchange of b and c:
 * v_n and c2 v_{n+1} from y_{n-1}, y_{n-2}, y_{n-3}. */
static struct pair near_end(bool value, struct pair b, struct pair c, const long double v[3])
{
    const struct pair z = at_end(value, b, v), off = {b.one - c.one, b.two - c.two};
    if (value) return (struct pair){(1 + c.two) * z.two, -off.one * z.two - c.two * v[2]};
    return (struct pair){v[1] + off.one * z.one + off.two * z.two, b.two * (v[2] + off.one * z.two + off.two * z.one)};
}

/* ------------------------------------------------------------------ both of them */

struct circuit {               /* of one way of the first recursion; of h what is left at the other end */
    bool        value[2];      /* near, far */
    struct pair b, c;
    long double first[4], second[4];  /* h_{n-3} .. h_n of each recursion; 0: it decays */
};

static void answers(const struct sw_recursive *r, int n, long double h[4])
{
    sw_recursive_answer(r, n - 3, h);
    for (int k = 2; k < 4; k++) h[k] = -r->a1 * h[k - 1] - r->a2 * h[k - 2];
}

/* v_1, v_2 lack this, given the last three y. */
static struct pair from_far(const struct circuit *k, const long double y[3])
{
    const struct pair beyond = near_end(k->value[1], k->c, k->b, y);
    return (struct pair){k->second[2] * beyond.one + k->second[1] * beyond.two,
                         k->second[1] * beyond.one + k->second[0] * beyond.two};
}

static struct pair start_of(const struct circuit *k, long double f, struct pair v)
{
    return near_end(k->value[0], k->b, k->c, (long double[]){f + k->c.one * v.one + k->c.two * v.two, v.one, v.two});
}

/* The state before the first point once round, to the far end and back. */
static struct pair round_of(const struct circuit *k, struct pair t)
{
    const long double y[3] = {k->first[3] * t.one + k->first[2] * t.two, k->first[2] * t.one + k->first[1] * t.two,
                              k->first[1] * t.one + k->first[0] * t.two};
    return start_of(k, 0, from_far(k, y));
}

/* t = start + round(t) */
static void close_start(const struct circuit *k, double start[2][SW_LANES_STARTS])
{
    const struct pair one = round_of(k, (struct pair){1, 0}), two = round_of(k, (struct pair){0, 1});
    const long double det = (1 - one.one) * (1 - two.two) - one.two * two.one;
    for (int c = 0; c < SW_LANES_STARTS; c++) {
        const long double y[3] = {c == 3, c == 4, c == 5};
        struct pair v = from_far(k, y);
        if (c == 1) v.one = 1;
        if (c == 2) v.two = 1;
        const struct pair t = start_of(k, c == 0, v);
        start[0][c] = (double)(((1 - two.two) * t.one + two.one * t.two) / det);
        start[1][c] = (double)((one.two * t.one + (1 - one.one) * t.two) / det);
    }
}

void sw_lanes_close_line(int n, const bool value[2], struct sw_lanes_line *line)
{
    for (int way = 0; way < SW_LANES_WAYS; way++) {
        const bool down = way == SW_LANES_DOWN;
        struct circuit k = {.value = {value[down], value[!down]}, .b = coefficients(&line->factor[way]),
                            .c = coefficients(&line->factor[!way])};
        if (!line->decays) {
            answers(&line->factor[way], n, k.first);
            answers(&line->factor[!way], n, k.second);
        }
        close_start(&k, line->start[way]);
        for (int c = 0; c < 3; c++) {
            const long double y[3] = {c == 0, c == 1, c == 2};
            long double out[3];
            far_end(k.value[1], k.b, k.c, y, out);
            for (int row = 0; row < 3; row++) line->far[way][row][c] = (double)out[row];
        }
    }
}

void sw_lanes_set_closing(struct sw_lanes_closing *closing, int lane, const struct sw_lanes_line *line)
{
    for (int way = 0; way < SW_LANES_WAYS; way++) {
        for (int k = 0; k < 2 * SW_LANES_STARTS; k++)
            closing->start[way][k / SW_LANES_STARTS][k % SW_LANES_STARTS][lane] =
                line->start[way][k / SW_LANES_STARTS][k % SW_LANES_STARTS];
        for (int k = 0; k < 9; k++) closing->far[way][k / 3][k % 3][lane] = line->far[way][k / 3][k % 3];
    }
}
