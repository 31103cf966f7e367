/* A scheme on a line of n points: from fractions to doubles. */
#include <math.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_text.h"
#include "fd/sw_fd_scheme.h"

static double value(struct sw_fd_fraction f) { return f.den ? (double)f.num / f.den : 0; }

/* The weight of a pair, or of f_i for k = 0; without the power of h. One rounding, two with the caller's alpha. */
static double weight_of(const struct sw_fd_scheme *s, int k, double alpha)
{
    const int divisor = k ? sw_fd_divisor(s->kind, k) : 1;
    const struct sw_fd_fraction a = s->a[k], more = s->more[k];
    double w = a.den ? (double)a.num / ((double)a.den * divisor) : 0;
    return more.den ? fma(alpha, (double)more.num / ((double)more.den * divisor), w) : w;
}

static double power_of(enum sw_fd_kind kind, double h)
{
    const int d = sw_fd_derivative(kind);
    return d == 2 ? 1 / (h * h) : d == 1 ? 1 / h : 1;
}

/* The least n of a periodic line: as many points as a right-hand side, or a row of the matrix, has. */
static int periodic_points(const struct sw_fd_scheme *s)
{
    int right = 2 * s->half_width + !sw_fd_at_midpoints(s->kind), left = s->beta.num ? 5 : 3;
    return right > left ? right : left;
}

/* The least n between walls: the rows of both closures, and one row of the scheme between them. */
static int wall_points(const struct sw_fd_scheme *s)
{
    int rows = 2 * s->half_width + 1;
    return rows > SW_FD_WALL_MIN ? rows : SW_FD_WALL_MIN;
}

int sw_fd_min_points(const char *scheme, const char *boundary)
{
    const struct sw_fd_scheme *s = sw_fd_scheme_find(scheme);
    if (!s) return 0;
    if (!strcmp(boundary, "periodic")) return periodic_points(s);
    return sw_fd_closure_find(s, boundary) ? wall_points(s) : 0;
}

/* ------------------------------------------------------------------ walls */

void sw_fd_end_make(double a1, double l2, double u2, bool exact, double al, struct sw_fd_end *e)
{
    *e = (struct sw_fd_end){.a1 = a1, .l2 = l2, .u2 = u2};
    if (exact) {  /* (2) - l2 (1): u2 g_3 = r_2 - l2 r_1; and (3) for g_2 */
        e->diagonal = 1;
        e->to3[0] = -l2 / u2;
        e->to3[1] = 1 / u2;
        e->to2[2] = 1 / al;
        e->from3 = -1 / al;
        e->from4 = -1;
        return;
    }
    const double p2 = 1 - l2 * a1;  /* (2) - l2 (1): p2 g_2 + u2 g_3 = r_2 - l2 r_1; put into (3) */
    e->diagonal = 1 - al * u2 / p2;
    e->next = al;
    e->to3[0] = al * l2 / p2;
    e->to3[1] = -al / p2;
    e->to3[2] = 1;
    e->to2[0] = -l2 / p2;
    e->to2[1] = 1 / p2;
    e->from3 = -u2 / p2;
}

/* Row r from the wall, r >= 1, by a scheme with r pairs. */
static void inner_row(const struct sw_fd_scheme *s, int r, double alpha, double scale, struct sw_fd_line *line)
{
    double *w = line->wall[r], sum = 0;
    line->points[r] = 2 * r + 1;
    for (int k = 1; k <= r; k++) {
        double pair = weight_of(s, k, alpha) * scale;
        w[r + k] = pair;
        w[r - k] = s->kind == SW_FD_FIRST ? -pair : pair;
        sum += pair;
    }
    w[r] = s->kind == SW_FD_SECOND ? -2 * sum : weight_of(s, 0, alpha);
}

/* The scheme of the second row from a wall. */
static const struct sw_fd_scheme *second_of(const struct sw_fd_scheme *s, const struct sw_fd_closure *c)
{
    return s->half_width > 1 ? sw_fd_scheme_find(c->inner[0]) : s;
}

/* Whether elimination without exchanges would find the second pivot to be 0: l2 a1 = 1, in fractions. */
static bool has_no_pivot(const struct sw_fd_closure *c, const struct sw_fd_scheme *second)
{
    const struct sw_fd_fraction l2 = second->alpha, a1 = c->alpha;
    return !second->any_alpha && (long long)l2.num * a1.num == (long long)l2.den * a1.den && a1.den;
}

static void set_walls(const struct sw_fd_scheme *s, const struct sw_fd_closure *c, double alpha, double scale,
                      struct sw_fd_line *line)
{
    const struct sw_fd_scheme *second = second_of(s, c);
    const double off = second->any_alpha ? alpha : value(second->alpha);
    const bool exact = has_no_pivot(c, second);
    line->rows = s->half_width;
    line->sign = s->kind == SW_FD_FIRST ? -1 : 1;
    for (int k = 0; k < 5; k++) {
        line->wall[0][k] = value(c->w[k]) * scale;
        if (c->w[k].num) line->points[0] = k + 1;
    }
    for (int r = 1; r < s->half_width; r++) inner_row(sw_fd_scheme_find(c->inner[r - 1]), r, alpha, scale, line);
    sw_fd_end_make(value(c->alpha), off, off, exact, line->alpha, &line->end);
}

/* ------------------------------------------------------------------ checks */

static const double LEAST_ALPHA = 0.01, LEAST_DOMINANCE = 1e-6;

const char *sw_fd_alpha_refusal(const struct sw_fd_scheme *s, const char *boundary, double alpha)
{
    const struct sw_fd_closure *c = sw_fd_closure_find(s, boundary);
    if (!s->any_alpha) return NULL;
    if (!(fabs(alpha) < 0.5) && s->kind == SW_FD_FILTER)
        return "a filter's lies between -1/2 and 1/2; near 1/2 it takes only the shortest waves";
    if (!(fabs(alpha) < 0.5))
        return "it must lie between -1/2 and 1/2: beyond, the matrix is not diagonally "
                 "dominant, and what is done at one point does not decay along the line";
    if (!(1 - 2 * fabs(alpha) >= LEAST_DOMINANCE) && s->kind != SW_FD_FILTER)
        return "so near to 1/2 or -1/2 the matrix is singular to six digits and more: 1 - 2 |alpha| must be 1e-6 at "
               "least";
    if (c && has_no_pivot(c, second_of(s, c)) && fabs(alpha) < LEAST_ALPHA)
        return "with this closure g of the second point is found by 1/alpha, so that |alpha| must be 0.01 at least";
    return NULL;
}

static enum sw_status no_scheme(const char *name)
{
    struct sw_text all = {0};
    for (int k = 0; sw_fd_schemes[k]; k++) sw_text_printf(&all, " %s", sw_fd_schemes[k]->name);
    enum sw_status st = SW_FAIL(SW_E_CONFIG, "scheme %s is unknown; the schemes are%s", name,
                                sw_text_get(&all));
    sw_text_free(&all);
    return st;
}

static enum sw_status no_boundary(const struct sw_fd_scheme *s, const char *boundary)
{
    struct sw_text known = SW_SHORT_TEXT;
    sw_fd_add_boundaries(s, &known);
    return SW_FAIL(SW_E_CONFIG, "scheme %s has no boundary \"%s\"; it has %s", s->name, boundary, sw_text_get(&known));
}

static enum sw_status check(const struct sw_fd_scheme *s, const char *boundary, int64_t n, double h, double alpha)
{
    const int least = sw_fd_min_points(s->name, boundary);
    if (!least) return no_boundary(s, boundary);
    if (n < least)
        return SW_FAIL(SW_E_CONFIG, "scheme %s with boundary \"%s\" needs at least %d points along its axis; there are "
                       "%lld", s->name, boundary, least, (long long)n);
    if (sw_fd_derivative(s->kind) && !(h > 0 && isfinite(power_of(s->kind, h)) && power_of(s->kind, h) > 0))
        return SW_FAIL(SW_E_CONFIG, "the distance of points h = %g is not a positive number that can be divided by", h);
    if (s->kind == SW_FD_FILTER && !(fabs(alpha) < 0.5))
        return SW_FAIL(SW_E_CONFIG, "alpha = %g of filter %s: it must lie between -1/2 and 1/2", alpha, s->name);
    if (!s->any_alpha && alpha != 0)
        return SW_FAIL(SW_E_CONFIG, "alpha = %g is for filters and families; scheme %s has its own", alpha, s->name);
    if (!s->any_alpha || s->kind == SW_FD_FILTER) return SW_OK;
    const char *why = sw_fd_alpha_refusal(s, boundary, alpha);
    return why ? SW_FAIL(SW_E_CONFIG, "alpha = %g of scheme %s: %s", alpha, s->name, why) : SW_OK;
}

enum sw_status sw_fd_line_make(const char *scheme, const char *boundary, int64_t n, double h, double alpha, bool left,
                               struct sw_fd_line *line)
{
    const struct sw_fd_scheme *s = sw_fd_scheme_find(scheme);
    if (!s) return no_scheme(scheme);
    SW_TRY(check(s, boundary, n, h, alpha));
    if (left && !sw_fd_at_midpoints(s->kind))
        return SW_FAIL(SW_E_CONFIG, "scheme %s has its results at the points: not to the left of them", s->name);
    const double scale = power_of(s->kind, h);
    memset(line, 0, sizeof *line);
    line->kind = s->kind;
    line->n = n;
    line->periodic = !strcmp(boundary, "periodic");
    line->alpha = s->any_alpha ? alpha : value(s->alpha);
    line->beta = value(s->beta);
    line->half_width = s->half_width;
    if (sw_fd_at_midpoints(s->kind)) *(left ? &line->up : &line->down) = left ? -1 : 1;
    line->centre = weight_of(s, 0, alpha);
    for (int k = 1; k <= s->half_width; k++) line->weight[k] = weight_of(s, k, alpha) * scale;
    if (!line->periodic) set_walls(s, sw_fd_closure_find(s, boundary), alpha, scale, line);
    return SW_OK;
}
