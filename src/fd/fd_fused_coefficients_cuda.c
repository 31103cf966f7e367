/* The numbers that the kernel of cuda.fused takes as its argument: cuda/fd/fd_fused_rtc.cuh says what each is for. In
 * long double, rounded once. */
#include <math.h>
#include <string.h>

#include "fd/fd_closure.h"
#include "fd/fd_fused_cuda.h"
#include "fd/sw_fd_impl.h"

typedef long double wide;

enum { LEAST = 13 };  /* points of a segment, where there are more than a few */
enum { ROOM = SW_FD_FUSED_POINTS, FAR = SW_FD_FUSED_WALL_SEGMENTS };

_Static_assert((int)SW_FD_FUSED_HALF_WIDTH == (int)SW_FD_HALF_WIDTH && (int)SW_FD_FUSED_WALL == (int)SW_FD_WALL_POINTS,
               "fd_fused_point.h follows sw_fd_scheme.h");

/* ------------------------------------------------------------------ factors */

/* Two factors at most: rho of each. T times c is their product: c is the entry of the diagonal. */
struct factors { int count; double rho[2]; wide c; };

static double rho_of(wide t) { return (double)(2 / (t + copysignl(sqrtl(t * t - 4), t))); }

/* 1 + alpha s + beta (s^2 - 2), s = z + 1/z, vanishes at s = -t: a factor has rho + 1/rho = t. False: complex, or
 * not decaying. */
static bool factor(const struct sw_fd_line *line, struct factors *f)
{
    const wide al = line->alpha, be = line->beta;
    if (be == 0) {
        f->count = 1;
        f->rho[0] = (double)(2 * al / (1 + sqrtl(1 - 4 * al * al)));
        f->c = 1 + (wide)f->rho[0] * f->rho[0];
        return fabs(f->rho[0]) < 1;
    }
    const wide root = al * al - 4 * be * (1 - 2 * be);
    if (root < 0) return false;
    const wide large = (al + copysignl(sqrtl(root), al)) / (2 * be), small = (1 - 2 * be) / (be * large);
    if (fabsl(large) <= 2 || fabsl(small) <= 2) return false;
    f->count = 2;
    f->rho[0] = rho_of(small);
    f->rho[1] = rho_of(large);
    const wide a = f->rho[0], b = f->rho[1];
    f->c = (1 + a * a) * (1 + b * b) + 2 * a * b;
    return true;
}

/* Points after which a state has become less than 2^-56 of itself. */
static double decay_points(double rho) { return rho == 0 ? 0 : 56 / -log2(fabs(rho)); }

bool sw_fd_fused_fits(const struct sw_fd_line *line)
{
    struct factors f;
    if (line->n >= 1 << 28 || !factor(line, &f)) return false;
    for (int k = 0; k < f.count; k++)
        if (decay_points(f.rho[k]) > (FAR - 1) * LEAST) return false;
    return true;
}

static void set_factor(double rho, const struct sw_fd_fused *d, struct sw_fd_fused_factor *t)
{
    const wide q = -(wide)rho, sigma = 1 / (1 - q * q);
    t->back = -rho;
    t->sigma = (double)sigma;
    t->step = (double)powl(q, d->step);
    for (int k = 0; k < 2; k++) {
        const int m = d->points + k * d->step;
        t->mu[k] = (double)powl(q, m);
        t->kappa[k] = (double)(sigma * (q - powl(q, 2 * m + 1)));
        t->nu[k] = (double)(sigma * powl(q, m + 1));
    }
    for (int j = 0; j < ROOM; j++) {
        t->up[j] = (double)powl(q, j + 1);
        t->down[j] = j <= d->points ? (double)powl(q, d->points - j) : 0;
    }
}

static int decay_segments_of(double rho, const struct sw_fd_fused *d)
{
    const double points = decay_points(rho);
    return points <= d->points ? 1 : (int)ceil(points / d->points);
}

/* ------------------------------------------------------------------ walls */

static int64_t start_of(const struct sw_fd_fused *d, int s)
{
    return (int64_t)s * d->points + (int64_t)(s < d->longer ? s : d->longer) * d->step;
}

static void set_powers(double q, int K, const struct sw_fd_fused *d, struct sw_fd_fused_wall *w)
{
    const int first = d->points + (d->longer ? d->step : 0), last = d->points;
    for (int k = 0; k < 2; k++) {
        w->near_power[k] = (double)powl(q, first - K + 1 - k);
        w->far_power_A[k] = (double)powl(q, last - K + 1 - k);
        w->far_power_B[k] = (double)powl(q, K + k);
    }
    for (int s = 0; s < FAR && s < d->segments; s++) {
        const int t = d->segments - 1 - s;  /* as far from the far wall */
        w->near[s] = fd_decay(q, start_of(d, s) - K);
        w->far[s] = fd_decay(q, d->n - K - start_of(d, t + 1));
    }
    /* Of the first segment it is q^-K; the kernel takes it from point K on, where nothing is left of a tiny q. */
    if (fabs(q) < 0x1p-100) w->near[0] = w->far[0] = 0;
}

static enum sw_status set_walls(const struct sw_fd_line *line, double q, bool one_wall, struct sw_fd_fused *d)
{
    struct sw_fd_fused_wall *w = &d->wall;
    struct fd_closure c;
    memset(w, 0, sizeof *w);
    SW_TRY(fd_closure_make(line, q, one_wall, &c));
    set_powers(q, c.K, d, w);
    w->points = c.points;
    w->differences = line->kind != SW_FD_FILTER;
    w->sign = line->sign;
    memcpy(w->weight, c.weight, sizeof w->weight);
    memcpy(w->v, c.v, sizeof w->v);
    w->across = c.across;
    w->same = c.same;
    w->other = c.other;
    return SW_OK;
}

/* ------------------------------------------------------------------ a line */

/* As few segments as there can be, of nearly equal lengths; along x all odd: then threads that read their segments from
 * shared memory, the lines one after another in it, hit different banks. Short lines: of lengths that differ by one, as
 * odd ones might be too short for the special rows at a wall. */
static void cut_line(int n, bool along_x, int most, struct sw_fd_fused *d)
{
    const bool odd = along_x && n >= 64;
    d->n = n;
    d->segments = (n + most - 1) / most;
    if (odd) d->segments += (n - d->segments) % 2;
    d->step = odd ? 2 : 1;
    d->points = n / d->segments;
    if (odd) d->points -= d->points % 2 == 0;
    d->longer = (n - d->segments * d->points) / d->step;
}

/* The fewest segments there can be, and how long the longest is. Short lines are cut alike, so that one kernel does
 * them all. */
static int cut_best(int n, bool along_x, struct sw_fd_fused *d)
{
    static const int most[2] = {32, 33}, of_short[2] = {16, 17};
    cut_line(n, along_x, n < 64 ? of_short[along_x] : most[along_x], d);
    return n < 64 ? of_short[along_x] : d->points + (d->longer ? d->step : 0);
}

enum sw_status sw_fd_fused_coefficients(const struct sw_fd *fd, int *max_points, struct sw_fd_fused *d)
{
    const struct sw_fd_line *line = &fd->line;
    const bool along_x = sw_fd_fused_along_x(fd), one_wall = sw_fd_fused_near_wall(fd) != sw_fd_fused_far_wall(fd);
    struct factors f = {0};
    memset(d, 0, sizeof *d);
    factor(line, &f);
    if (*max_points) cut_line((int)line->n, along_x, *max_points, d);
    else *max_points = cut_best((int)line->n, along_x, d);
    d->shift = line->up == -1;  /* left of point i is right of point i - 1 */
    d->sign = line->kind == SW_FD_FIRST || line->kind == SW_FD_STAGGERED ? -1 : 1;
    d->centre = (double)(f.c * line->centre);
    for (int k = 1; k <= line->half_width; k++) d->weight[k] = (double)(f.c * line->weight[k]);
    for (int k = 0; k < f.count; k++) {
        set_factor(f.rho[k], d, k ? &d->factor_2 : &d->factor);
        d->decay_segments[k] = decay_segments_of(f.rho[k], d);
    }
    return line->periodic ? SW_OK : set_walls(line, -f.rho[0], one_wall, d);
}
