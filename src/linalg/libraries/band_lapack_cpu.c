/* LAPACK's banded solvers on the CPU, one system after another: rows `cpu.lapack` (dgbtrf, dgbtrs: LU with partial
 * pivoting, a baseline that shares nothing with our factors) and `cpu.lapack_spd` (dpbtrf, dpbtrs: Cholesky, for
 * symmetric positive definite matrices). Of periodic systems LAPACK gets the folded circle (folded_point.h), which has
 * twice as many diagonals: dgbtrf exchanges rows among all that are in reach, the border's too, and dpbtrf finds the
 * folded matrix as symmetric and positive definite as the other. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "linalg/libraries/lapack_cpu.h"
#include "linalg/sw_band_impl.h"

/* ------------------------------------------------------------------ what both rows do */

struct lapack;

struct lapack_kind {
    const char *name[2];             /* what it calls, as the library names it: to factor, to solve                   */
    void      (*found)(void *factor, void *solve);
    bool        pivots;
    int       (*ld)(struct sw_band_sides sides);  /* entries in a column of LAPACK's band                             */
    int       (*diagonal)(struct sw_band_sides sides);  /* the main one's place in a column                           */
    int       (*factor)(const struct lapack *l, double *ab, int *pivot);  /* in place: LAPACK's info                  */
    void      (*solve)(const struct lapack *l, const double *ab, const int *pivot, double *x);
};

struct lapack {
    const struct lapack_kind *kind;
    int          n, ld, diagonal;
    struct sw_band_sides sides;
    double      *ab;                 /* [batch][n][ld]                                           */
    int         *pivot;              /* [batch][n]                                               */
    int         *bad;                /* [batch]: 0, or 1 + row of a bad pivot                    */
    int          slots;              /* of work                                                  */
    double      *work;               /* [slots][n]: right-hand sides on the folded circle        */
    atomic_flag *busy;               /* [slots]                                                  */
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

static enum sw_status create(struct sw_band *s, const struct lapack_kind *kind)
{
    const struct sw_band_desc *d = &s->desc;
    struct lapack *l = s->own;
    SW_TRY(need_functions(s->ops->name, kind));
    l->kind = kind;
    l->n = d->n;
    l->sides = sw_band_sides(d);
    l->ld = kind->ld(l->sides);
    l->diagonal = kind->diagonal(l->sides);
    size_t batch = (size_t)d->batch, line = batch * (size_t)d->n;
    sw_array(&s->arrays, line * (size_t)l->ld, &l->ab);
    if (kind->pivots) sw_array(&s->arrays, line, &l->pivot);
    sw_array(&s->arrays, batch, &l->bad);
    if (!d->periodic) return s->arrays.status;
    l->slots = d->batch < s->device->threads ? d->batch : s->device->threads;
    sw_array(&s->arrays, (size_t)l->slots * (size_t)d->n, &l->work);
    sw_array(&s->arrays, (size_t)l->slots, &l->busy);
    for (int k = 0; l->busy && k < l->slots; k++) atomic_flag_clear(&l->busy[k]);
    return s->arrays.status;
}

/* Entry (row, column) of what LAPACK eliminates is entry diagonal + row - column of a column; Cholesky takes those on
 * the diagonal and below. */
static void fill(const struct sw_band *s, const double *band, const struct lapack *l, int j, double *ab)
{
    const struct sw_band_desc *d = &s->desc;
    memset(ab, 0, (size_t)l->n * (size_t)l->ld * sizeof *ab);
    for (int row = 0; row < l->n; row++) {
        const int i = sw_band_unknown(d, row);
        for (int off = -d->lower; off <= d->upper; off++) {
            const int column = sw_band_place(d, i, off), at = l->diagonal + row - column;
            if (column < 0 || at < 0) continue;
            ab[(size_t)column * (size_t)l->ld + (size_t)at] = sw_band_entry(s, band, j, i, off);
        }
    }
}

/* LAPACK stops at zeros, and Cholesky at what is negative; what is not finite it may carry on, into the diagonal.
 * @return 0, or 1 + the place of the first bad pivot */
static int bad_pivot(const struct lapack *l, const double *ab, int info)
{
    for (int k = 0; k < l->n; k++) {
        const double pivot = ab[(size_t)k * (size_t)l->ld + (size_t)l->diagonal];
        if (info == 1 + k || !isfinite(pivot) || !isfinite(1.0 / pivot)) return 1 + k;
    }
    return 0;
}

static double *band_of(const struct lapack *l, int j) { return l->ab + (size_t)j * (size_t)l->n * (size_t)l->ld; }
static int *pivots_of(const struct lapack *l, int j) { return l->pivot ? l->pivot + (size_t)j * (size_t)l->n : NULL; }

static int factor_one(const struct sw_band *s, const double *band, const struct lapack *l, int j)
{
    double *ab = band_of(l, j);
    fill(s, band, l, j, ab);
    const int bad = bad_pivot(l, ab, l->kind->factor(l, ab, pivots_of(l, j)));
    return bad ? 1 + sw_band_unknown(&s->desc, bad - 1) : 0;
}

static enum sw_status factor(struct sw_band *s, const double *band, int *bad)
{
    struct lapack *l = s->own;
#pragma omp parallel for schedule(static) num_threads(sw_band_threads(s))
    for (int j = 0; j < s->desc.batch; j++) l->bad[j] = factor_one(s, band, l, j);
    return sw_band_report(s, l->bad, bad);
}

/* Any number of threads may want room to work in: each tries until it finds some. */
static int take_slot(const struct lapack *l)
{
    int k = 0;
    while (atomic_flag_test_and_set(&l->busy[k])) k = (k + 1) % l->slots;
    return k;
}

static void solve_folded(const struct lapack *l, int j, double *x)
{
    const int slot = take_slot(l);
    double *folded = l->work + (size_t)slot * (size_t)l->n;
    for (int k = 0; k < l->n; k++) folded[k] = x[sw_unfolded(l->n, k)];
    l->kind->solve(l, band_of(l, j), pivots_of(l, j), folded);
    for (int k = 0; k < l->n; k++) x[sw_unfolded(l->n, k)] = folded[k];
    atomic_flag_clear(&l->busy[slot]);
}

static void solve_one(const struct sw_band *s, int j, double *x)
{
    const struct lapack *l = s->own;
    if (l->bad[j])
        for (int i = 0; i < l->n; i++) x[i] = NAN;
    else if (s->desc.periodic) solve_folded(l, j, x);
    else l->kind->solve(l, band_of(l, j), pivots_of(l, j), x);
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

static int lu_ld(struct sw_band_sides s) { return 2 * s.lower + s.upper + 1; }  /* with room for fill-in */
static int lu_diagonal(struct sw_band_sides s) { return s.lower + s.upper; }

static int lu_factor(const struct lapack *l, double *ab, int *pivot)
{
    int info = 0;
    dgbtrf(&l->n, &l->n, &l->sides.lower, &l->sides.upper, ab, &l->ld, pivot, &info);
    return info;
}

static void lu_solve(const struct lapack *l, const double *ab, const int *pivot, double *x)
{
    const int one = 1;
    int info;
    dgbtrs("N", &l->n, &l->sides.lower, &l->sides.upper, &one, ab, &l->ld, pivot, x, &l->n, &info, 1);
}

static const struct lapack_kind lu = {
    .name = {"dgbtrf_", "dgbtrs_"},
    .found = lu_found,
    .pivots = true,
    .ld = lu_ld,
    .diagonal = lu_diagonal,
    .factor = lu_factor,
    .solve = lu_solve,
};

static bool lu_fits(const struct sw_band_desc *desc)
{
    (void)desc;
    return true;
}

static enum sw_status lu_create(struct sw_band *s) { return create(s, &lu); }

/* The band with room for fill-in, half a vector of pivots, and where periodic the folded right-hand side. */
static int lu_vectors(const struct sw_band_desc *desc) { return lu_ld(sw_band_sides(desc)) + 1 + desc->periodic; }

/* Factors with room for fill-in, a pivot's index, the solution read and written; a multiplication and an addition for
 * each diagonal beside the main one, and a division: 76 bytes and 13 operations where pentadiagonal; on the folded
 * circle, where the solution goes to and fro, 156 and 25. */
static struct sw_cost lu_cost(const struct sw_band_desc *desc)
{
    const struct sw_band_sides sides = sw_band_sides(desc);
    const int below = sides.lower, above = sides.lower + sides.upper;
    return (struct sw_cost){8 * (below + above + 1) + 4 + (desc->periodic ? 48 : 16), 2 * (below + above) + 1};
}

extern const struct sw_band_ops band_lapack_cpu;
const struct sw_band_ops band_lapack_cpu = {
    .name = "cpu.lapack",
    .about = "LAPACK's banded LU with partial pivoting (dgbtrf, dgbtrs), periodic ones as a folded circle: a baseline",
    .space = SW_HOST,
    .layout = SW_LINES,
    .vectors_of = lu_vectors,
    .pivots = true,
    .own_size = sizeof(struct lapack),
    .fits = lu_fits,
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

static int cholesky_ld(struct sw_band_sides s) { return s.lower + 1; }

static int cholesky_diagonal(struct sw_band_sides s)
{
    (void)s;
    return 0;
}

static int cholesky_factor(const struct lapack *l, double *ab, int *pivot)
{
    int info = 0;
    (void)pivot;
    dpbtrf("L", &l->n, &l->sides.lower, ab, &l->ld, &info, 1);
    return info;
}

static void cholesky_solve(const struct lapack *l, const double *ab, const int *pivot, double *x)
{
    const int one = 1;
    int info;
    (void)pivot;
    dpbtrs("L", &l->n, &l->sides.lower, &one, ab, &l->ld, x, &l->n, &info, 1);
}

static const struct lapack_kind cholesky = {
    .name = {"dpbtrf_", "dpbtrs_"},
    .found = cholesky_found,
    .ld = cholesky_ld,
    .diagonal = cholesky_diagonal,
    .factor = cholesky_factor,
    .solve = cholesky_solve,
};

static bool cholesky_fits(const struct sw_band_desc *desc) { return desc->symmetric; }

static enum sw_status cholesky_create(struct sw_band *s) { return create(s, &cholesky); }

static int cholesky_vectors(const struct sw_band_desc *desc)
{
    return cholesky_ld(sw_band_sides(desc)) + desc->periodic;
}

/* Half the band, the solution read and written; in each of two sweeps a multiplication and an addition for each
 * diagonal below, and a division: 40 bytes and 10 operations where pentadiagonal; on the folded circle, where the
 * solution goes to and fro, 88 and 18. */
static struct sw_cost cholesky_cost(const struct sw_band_desc *desc)
{
    const int below = sw_band_sides(desc).lower;
    return (struct sw_cost){8 * (below + 1) + (desc->periodic ? 48 : 16), 4 * below + 2};
}

extern const struct sw_band_ops band_lapack_spd_cpu;
const struct sw_band_ops band_lapack_spd_cpu = {
    .name = "cpu.lapack_spd",
    .about = "LAPACK's banded Cholesky (dpbtrf, dpbtrs), periodic ones as a folded circle: a baseline for steppers",
    .space = SW_HOST,
    .layout = SW_LINES,
    .vectors_of = cholesky_vectors,
    .own_size = sizeof(struct lapack),
    .fits = cholesky_fits,
    .create = cholesky_create,
    .factor = factor,
    .solve = solve,
    .solve_one = solve_one,
    .cost = cholesky_cost,
};
