#include "fd/fd_closure.h"

#include <math.h>
#include <string.h>

#include "base/sw_err.h"
#include "fd/sw_fd_impl.h"

typedef long double wide;

struct equation { wide left[SW_FD_HALF_WIDTH], f[SW_FD_WALL_POINTS], v; };  /* sum left_k g_k = sum f_l + v g_K */

static void add(struct equation *to, wide by, const struct equation *from)
{
    for (int k = 0; k < SW_FD_HALF_WIDTH; k++) to->left[k] += by * from->left[k];
    for (int l = 0; l < SW_FD_WALL_POINTS; l++) to->f[l] += by * from->f[l];
    to->v += by * from->v;
}

static void set_entry(struct equation *e, int k, int K, wide entry)
{
    if (k < K) e->left[k] += entry;
    else e->v -= entry;
}

/* Row r from a wall. */
static void equation_of(const struct sw_fd_line *line, int r, int K, struct equation *e)
{
    const struct sw_fd_end *end = &line->end;
    memset(e, 0, sizeof *e);
    set_entry(e, r, K, 1);
    if (r > 0) set_entry(e, r - 1, K, r == 1 ? end->l2 : line->alpha);
    set_entry(e, r + 1, K, r == 0 ? end->a1 : r == 1 ? end->u2 : line->alpha);
    if (r < line->rows) {
        for (int l = 0; l < line->points[r]; l++)
            if (l != r || line->kind == SW_FD_FILTER) e->f[l] = line->wall[r][l];
    } else {
        e->f[r] = line->centre;
        for (int k = 1; k <= line->half_width; k++) {
            e->f[r + k] = line->weight[k];
            e->f[r - k] = line->kind == SW_FD_FIRST ? -line->weight[k] : line->weight[k];
        }
    }
    for (int l = 0; line->kind != SW_FD_FILTER && l < SW_FD_WALL_POINTS; l++)  /* differences to f_r */
        if (l != r) e->f[r] -= e->f[l];
}

/* g_0 .. g_{K-1}, by Gauss-Jordan elimination with exchange of rows. False: singular. */
static bool eliminate(struct equation *e, int K)
{
    for (int k = 0; k < K; k++) {
        int best = k;
        for (int r = k + 1; r < K; r++)
            if (fabsl(e[r].left[k]) > fabsl(e[best].left[k])) best = r;
        const struct equation pivot = e[best];
        e[best] = e[k];
        e[k] = pivot;
        if (!sw_fd_pivot_good((double)pivot.left[k])) return false;
        add(&e[k], 1 / pivot.left[k] - 1, &pivot);
        for (int r = 0; r < K; r++) {
            const struct equation unit = e[k];
            if (r != k) add(&e[r], -e[r].left[k], &unit);
        }
    }
    return true;
}

double fd_decay(long double q, int64_t k)
{
    const wide p = powl(q, (wide)k);
    return fabsl(p) < 0x1p-60L ? 0 : (double)p;
}

/* With a, b the amounts of q^i from either wall: g_{K-1} = x_{K-1} + a + b q across, g_K = x_K + a q + b across, and
 * g_{K-1} - v g_K is what the closure says; the same at the other wall. */
static void set_amounts(wide q, wide v, struct fd_closure *c)
{
    const wide here = 1 - v * q, there = c->across * (q - v), det = here * here - there * there;
    c->same = (double)(here / det);
    c->other = (double)(-there / det);
}

enum sw_status fd_end_check(const struct sw_fd_line *line)
{
    if (line->periodic || sw_fd_pivot_good(line->end.diagonal)) return SW_OK;
    return SW_FAIL(SW_E_SINGULAR, "compact differences: zero or non-finite pivot in row 0 of %lld between walls",
                   (long long)line->n - 4);
}

enum sw_status fd_closure_make(const struct sw_fd_line *line, long double q, bool one_wall, struct fd_closure *c)
{
    const int K = line->half_width <= 3 ? 3 : line->half_width == 4 ? 4 : SW_FD_HALF_WIDTH;
    struct equation e[SW_FD_HALF_WIDTH];
    memset(c, 0, sizeof *c);
    c->K = K;
    SW_TRY(fd_end_check(line));
    for (int r = 0; r < K; r++) equation_of(line, r, K, &e[r]);
    const bool good = eliminate(e, K);
    for (int k = 0; k < K; k++) {
        c->v[k] = (double)e[k].v;
        for (int l = 0; l < SW_FD_WALL_POINTS; l++) {
            c->weight[k][l] = (double)e[k].f[l];
            if (c->weight[k][l] != 0 && l >= c->points) c->points = l + 1;
        }
    }
    c->across = one_wall ? 0 : fd_decay(q, line->n - 2 * K);
    set_amounts(q, e[K - 1].v, c);
    if (good && isfinite(c->same) && isfinite(c->other)) return SW_OK;
    return SW_FAIL(SW_E_SINGULAR, "compact differences: the matrix of %lld points between walls is singular",
                   (long long)line->n);
}
