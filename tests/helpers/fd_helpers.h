#ifndef FD_HELPERS_H
#define FD_HELPERS_H
/* What tests of compact differences share: every scheme with every boundary it has, and what rounding may do. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "fd/sw_fd_scheme.h"
#include "helpers.h"

/* Boundary number k of a scheme: "periodic", then the closures in the table that are its own; NULL after the last. */
static inline const char *fd_boundary(const struct sw_fd_scheme *scheme, int k)
{
    const struct sw_fd_closure *const *c = sw_fd_closures;
    if (k == 0) return "periodic";
    for (; *c; c++)
        if (sw_fd_closure_find(scheme, (*c)->name) == *c && --k == 0) return (*c)->name;
    return NULL;
}

/* "periodic, 3-4-6": all of a scheme, in order. @return text */
static inline const char *fd_boundaries(const char *scheme, char text[200])
{
    const struct sw_fd_scheme *s = sw_fd_scheme_find(scheme);
    text[0] = 0;
    for (int k = 0; fd_boundary(s, k); k++)
        snprintf(text + strlen(text), 200 - strlen(text), "%s%s", k ? ", " : "", fd_boundary(s, k));
    return text;
}

/* A statement for each scheme s and boundary b of it, both names. */
#define for_each_case(s, b)                                                                                 \
    for (const struct sw_fd_scheme *const *scheme_ = sw_fd_schemes; *scheme_; scheme_++)                     \
        for (int case_ = 0; fd_boundary(*scheme_, case_); case_++)                                           \
            for (const char *s = (*scheme_)->name, *b = fd_boundary(*scheme_, case_); b; b = NULL)

/* ------------------------------------------------------------------ rounding */

/* ||T^-1||, largest row sum, of a line of N points: by Gaussian elimination with row exchanges. That of a longer line
 * is no larger: the entries decay away from the diagonal. */
static inline double fd_inverse_norm(const char *scheme, const char *boundary, double alpha)
{
    enum { N = 64 };
    static long double a[N][2 * N];
    const struct sw_fd_scheme *s = sw_fd_scheme_find(scheme);
    const struct sw_fd_closure *c = sw_fd_closure_find(s, boundary);
    const struct sw_fd_scheme *second = c && s->half_width > 1 ? sw_fd_scheme_find(c->inner[0]) : s;
    const double al = s->any_alpha ? alpha : (double)s->alpha.num / s->alpha.den;
    const double al2 = second->any_alpha ? alpha : (double)second->alpha.num / second->alpha.den;
    memset(a, 0, sizeof a);
    for (int i = 0; i < N; i++) {
        const double off = c && (i == 1 || i == N - 2) ? al2 : al;
        a[i][i] = a[i][N + i] = 1;
        a[i][(i + 1) % N] = a[i][(i + N - 1) % N] = off;
        if (s->beta.num) a[i][(i + 2) % N] = a[i][(i + N - 2) % N] = (double)s->beta.num / s->beta.den;
    }
    if (c) {
        a[0][N - 1] = a[N - 1][0] = 0;
        a[0][1] = a[N - 1][N - 2] = c->alpha.den ? (double)c->alpha.num / c->alpha.den : 0;
    }
    for (int k = 0; k < N; k++) {
        int best = k;
        for (int i = k + 1; i < N; i++)
            if (fabsl(a[i][k]) > fabsl(a[best][k])) best = i;
        for (int j = 0; j < 2 * N; j++) {
            long double x = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = x;
        }
        for (int i = 0; i < N; i++) {
            const long double by = a[i][k] / a[k][k];
            for (int j = 0; j < 2 * N && i != k && by != 0; j++) a[i][j] -= by * a[k][j];
        }
    }
    double norm = 0;
    for (int i = 0; i < N; i++) {
        long double sum = 0;
        for (int j = 0; j < N; j++) sum += fabsl(a[i][N + j] / a[i][i]);
        norm = fmax(norm, (double)sum);
    }
    return norm;
}

/* The largest right-hand side of |f| <= 1, term by term. */
static inline double fd_terms(const struct sw_fd_line *l)
{
    double most = fabs(l->centre);
    for (int k = 1; k <= l->half_width; k++) most += (l->kind == SW_FD_SECOND ? 4 : 2) * fabs(l->weight[k]);
    for (int r = 0; r < l->rows; r++) {
        double sum = 0;
        for (int k = 0; k < l->points[r]; k++) sum += 2 * fabs(l->wall[r][k]);
        most = fmax(most, sum);
    }
    return most;
}
#endif
