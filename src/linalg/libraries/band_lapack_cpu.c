/* LAPACK's banded solvers on the CPU, one system after another, periodic ones by Navon's closure (border_point.h): rows
 * `cpu.lapack` (dgbtrf, dgbtrs: LU with partial pivoting, a baseline that shares nothing with our factors) and
 * `cpu.lapack_spd` (dpbtrf, dpbtrs: Cholesky, for symmetric positive definite matrices; E is one with A, so that this
 * is LAPACK's shortest way to take a step). */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "linalg/libraries/lapack_cpu.h"
#include "linalg/sw_band_impl.h"

/* ------------------------------------------------------------------ what both rows do */

struct lapack;

struct lapack_kind {
    const char *name[2];             /* what it calls, as the library names it: to factor, to solve                   */
    void      (*found)(void *factor, void *solve);
    bool        pivots;
    int       (*ld)(int lower, int upper);  /* entries in a column of LAPACK's band                                   */
    /** Factor E in place. @return 0, or 1 + the row of a bad pivot */
    int       (*factor)(const struct lapack *l, const struct sw_thomas_matrix *A, double *ab, int *pivot);
    void      (*solve)(const struct lapack *l, const double *ab, const int *pivot, double *x);
};

struct lapack {
    const struct lapack_kind *kind;
    int              p, m;           /* unknowns split off, and those left                     */
    int              lower, upper;   /* of E, which may be narrower than the band (m = 1, 2)   */
    int              ld;
    double          *ab;             /* [batch][m][ld]                                         */
    int             *pivot;          /* [batch][m]                                             */
    double          *Z;              /* [batch][2][m]: Z = E^-1 k, a line a border column      */
    struct sw_border *border;        /* [batch]                                                */
    int             *bad;            /* [batch]: 0, or 1 + row of a bad pivot                  */
};

static pthread_mutex_t finding = PTHREAD_MUTEX_INITIALIZER;

static enum sw_status need_functions(const char *row, const struct lapack_kind *kind)
{
    void *function[2];
    SW_TRY(sw_lapack_find(row, 2, kind->name, function));
    pthread_mutex_lock(&finding);
    kind->found(function[0], function[1]);  /* the first time; others may be calling them now */
    pthread_mutex_unlock(&finding);
    return SW_OK;
}

struct system { double *ab, *Z0, *Z1; int *pivot; struct sw_border *border; };

static struct system system_of(const struct lapack *l, int j)
{
    size_t m = (size_t)l->m, at = (size_t)j * m;
    double *z = l->p ? l->Z + 2 * at : NULL;
    return (struct system){l->ab + at * (size_t)l->ld, z, z ? z + m : NULL, l->pivot ? l->pivot + at : NULL,
                           l->border + j};
}

static int least(int a, int b) { return a < b ? a : b; }

static enum sw_status create(struct sw_band *s, const struct lapack_kind *kind)
{
    const struct sw_band_desc *d = &s->desc;
    struct lapack *l = s->own;
    SW_TRY(need_functions(s->ops->name, kind));
    l->kind = kind;
    l->p = sw_band_border(d);
    l->m = d->n - l->p;
    l->lower = least(d->lower, l->m - 1);
    l->upper = least(d->upper, l->m - 1);
    l->ld = kind->ld(l->lower, l->upper);
    size_t batch = (size_t)d->batch, line = batch * (size_t)l->m;
    sw_array(&s->arrays, line * (size_t)l->ld, &l->ab);
    if (kind->pivots) sw_array(&s->arrays, line, &l->pivot);
    sw_array(&s->arrays, l->p ? 2 * line : 0, &l->Z);
    sw_array(&s->arrays, batch, &l->border);
    sw_array(&s->arrays, batch, &l->bad);
    return s->arrays.status;
}

static int factor_one(const struct sw_band *s, const double *band, const struct lapack *l, int j)
{
    struct system y = system_of(l, j);
    struct sw_thomas_matrix A = sw_band_matrix(s, band, j);
    int bad = l->kind->factor(l, &A, y.ab, y.pivot);
    if (bad || !l->p) return bad;
    sw_thomas_split_border(&A, y.border, 1, y.Z0, y.Z1);
    if (l->p == 2) l->kind->solve(l, y.ab, y.pivot, y.Z0);
    l->kind->solve(l, y.ab, y.pivot, y.Z1);
    return sw_thomas_factor_border(&A, y.border, 1, y.Z0, y.Z1);
}

static enum sw_status factor(struct sw_band *s, const double *band, int *bad)
{
    struct lapack *l = s->own;
#pragma omp parallel for schedule(static) num_threads(sw_band_threads(s))
    for (int j = 0; j < s->desc.batch; j++) l->bad[j] = factor_one(s, band, l, j);
    return sw_band_report(s, l->bad, bad);
}

static void solve_one(const struct sw_band *s, int j, double *x)
{
    const struct lapack *l = s->own;
    struct system y = system_of(l, j);
    if (l->bad[j]) {
        for (int i = 0; i < s->desc.n; i++) x[i] = NAN;
        return;
    }
    l->kind->solve(l, y.ab, y.pivot, x);
    if (l->p) sw_thomas_correct(y.border, s->desc.n, l->p, 1, y.Z0, y.Z1, x);
}

static enum sw_status solve(const struct sw_band *s, double *x)
{
#pragma omp parallel for schedule(static) num_threads(sw_band_threads(s))
    for (int j = 0; j < s->desc.batch; j++) solve_one(s, j, x + (size_t)j * (size_t)s->desc.ld);
    return SW_OK;
}

/* ------------------------------------------------------------------ cpu.lapack */

/* Fortran: everything by address, and the length of a character argument last, by value. */
typedef void dgbtrf_function(const int *m, const int *n, const int *kl, const int *ku, double *ab, const int *ldab,
                             int *ipiv, int *info);
typedef void dgbtrs_function(const char *trans, const int *n, const int *kl, const int *ku, const int *nrhs,
                             const double *ab, const int *ldab, const int *ipiv, double *b, const int *ldb, int *info,
                             size_t trans_length);

static dgbtrf_function *dgbtrf;
static dgbtrs_function *dgbtrs;

static void lu_found(void *factor, void *solve)
{
    if (dgbtrf) return;
    memcpy(&dgbtrf, &factor, sizeof dgbtrf);
    memcpy(&dgbtrs, &solve, sizeof dgbtrs);
}

static int lu_ld(int lower, int upper) { return 2 * lower + upper + 1; }  /* with room for fill-in */

/* dgbtrf stops at zeros; what is not finite it carries on: look for it on the diagonal of U. */
static int lu_bad_pivot(const struct lapack *l, const double *ab, int info)
{
    const double *diagonal = ab + l->lower + l->upper;
    for (int i = 0; i < l->m; i++)
        if (!isfinite(1.0 / diagonal[(size_t)i * (size_t)l->ld]) || !isfinite(diagonal[(size_t)i * (size_t)l->ld]))
            return 1 + i;
    return info;
}

static int lu_factor_e(const struct lapack *l, const struct sw_thomas_matrix *A, double *ab, int *pivot)
{
    int info = 0;
    memset(ab, 0, (size_t)l->m * (size_t)l->ld * sizeof *ab);
    for (int i = 0; i < l->m; i++)
        for (int off = -l->lower; off <= l->upper; off++)  /* E(i, i + off): row lower + upper - off of its column */
            if (i + off >= 0 && i + off < l->m)
                ab[(size_t)(i + off) * (size_t)l->ld + (size_t)(l->lower + l->upper - off)] =
                    sw_thomas_inner_entry(A, i, off);
    dgbtrf(&l->m, &l->m, &l->lower, &l->upper, ab, &l->ld, pivot, &info);
    return lu_bad_pivot(l, ab, info);
}

static void lu_solve_e(const struct lapack *l, const double *ab, const int *pivot, double *x)
{
    const int one = 1;
    int info;
    dgbtrs("N", &l->m, &l->lower, &l->upper, &one, ab, &l->ld, pivot, x, &l->m, &info, 1);
}

static const struct lapack_kind lu = {
    .name = {"dgbtrf_", "dgbtrs_"},
    .found = lu_found,
    .pivots = true,
    .ld = lu_ld,
    .factor = lu_factor_e,
    .solve = lu_solve_e,
};

static enum sw_status lu_create(struct sw_band *s) { return create(s, &lu); }

/* Factors with room for fill-in, a pivot's index, the solution read and written; a multiplication and an addition for
 * each diagonal beside the main one, and a division: 76 bytes and 13 operations where pentadiagonal. Periodic systems:
 * Z, 16 bytes and 4 operations more. */
static struct sw_cost lu_cost(const struct sw_band_desc *desc)
{
    int below = desc->lower, above = desc->lower + desc->upper;
    struct sw_cost c = {8 * (below + above + 1) + 4 + 16, 2 * (below + above) + 1};
    return desc->periodic ? (struct sw_cost){c.bytes + 16, c.fma + 4} : c;
}

extern const struct sw_band_ops band_lapack_cpu;
const struct sw_band_ops band_lapack_cpu = {
    .name = "cpu.lapack",
    .about = "LAPACK's banded LU with partial pivoting (dgbtrf, dgbtrs), Navon's closure where periodic: a baseline",
    .space = SW_HOST,
    .layout = SW_LINES,
    .vectors = 7 + 1 + 2,  /* room for fill-in, pivots, Z */
    .own_size = sizeof(struct lapack),
    .fits = sw_band_narrow,
    .pivots = true,
    .create = lu_create,
    .factor = factor,
    .solve = solve,
    .solve_one = solve_one,
    .cost = lu_cost,
};

/* ------------------------------------------------------------------ cpu.lapack_spd */

typedef void dpbtrf_function(const char *uplo, const int *n, const int *kd, double *ab, const int *ldab, int *info,
                             size_t uplo_length);
typedef void dpbtrs_function(const char *uplo, const int *n, const int *kd, const int *nrhs, const double *ab,
                             const int *ldab, double *b, const int *ldb, int *info, size_t uplo_length);

static dpbtrf_function *dpbtrf;
static dpbtrs_function *dpbtrs;

static void cholesky_found(void *factor, void *solve)
{
    if (dpbtrf) return;
    memcpy(&dpbtrf, &factor, sizeof dpbtrf);
    memcpy(&dpbtrs, &solve, sizeof dpbtrs);
}

static int cholesky_ld(int lower, int upper)
{
    (void)upper;
    return lower + 1;
}

/* dpbtrf stops at pivots that are not positive; what is not finite it may carry on, into the diagonal of the factor. */
static int cholesky_bad_pivot(const struct lapack *l, const double *ab, int info)
{
    for (int i = 0; i < l->m; i++)
        if (!isfinite(ab[(size_t)i * (size_t)l->ld])) return 1 + i;
    return info;
}

static int cholesky_factor_e(const struct lapack *l, const struct sw_thomas_matrix *A, double *ab, int *pivot)
{
    int info = 0;
    (void)pivot;
    memset(ab, 0, (size_t)l->m * (size_t)l->ld * sizeof *ab);
    for (int i = 0; i < l->m; i++)
        for (int off = 0; off <= l->lower && i + off < l->m; off++)  /* E(i + off, i) = E(i, i + off) */
            ab[(size_t)i * (size_t)l->ld + (size_t)off] = sw_thomas_inner_entry(A, i, off);
    dpbtrf("L", &l->m, &l->lower, ab, &l->ld, &info, 1);
    return cholesky_bad_pivot(l, ab, info);
}

static void cholesky_solve_e(const struct lapack *l, const double *ab, const int *pivot, double *x)
{
    const int one = 1;
    int info;
    (void)pivot;
    dpbtrs("L", &l->m, &l->lower, &one, ab, &l->ld, x, &l->m, &info, 1);
}

static const struct lapack_kind cholesky = {
    .name = {"dpbtrf_", "dpbtrs_"},
    .found = cholesky_found,
    .ld = cholesky_ld,
    .factor = cholesky_factor_e,
    .solve = cholesky_solve_e,
};

static bool cholesky_fits(const struct sw_band_desc *desc) { return desc->symmetric && sw_band_narrow(desc); }

static enum sw_status cholesky_create(struct sw_band *s) { return create(s, &cholesky); }

/* Half the band, the solution read and written; in each of two sweeps a multiplication and an addition for each
 * diagonal below, and a division: 40 bytes and 10 operations where pentadiagonal. Periodic systems: Z, 16 bytes and 4
 * operations more. */
static struct sw_cost cholesky_cost(const struct sw_band_desc *desc)
{
    struct sw_cost c = {8 * (desc->lower + 1) + 16, 4 * desc->lower + 2};
    return desc->periodic ? (struct sw_cost){c.bytes + 16, c.fma + 4} : c;
}

extern const struct sw_band_ops band_lapack_spd_cpu;
const struct sw_band_ops band_lapack_spd_cpu = {
    .name = "cpu.lapack_spd",
    .about = "LAPACK's banded Cholesky (dpbtrf, dpbtrs), Navon's closure where periodic: a baseline for steppers",
    .space = SW_HOST,
    .layout = SW_LINES,
    .vectors = 3 + 2,  /* half a band, Z */
    .own_size = sizeof(struct lapack),
    .fits = cholesky_fits,
    .create = cholesky_create,
    .factor = factor,
    .solve = solve,
    .solve_one = solve_one,
    .cost = cholesky_cost,
};
