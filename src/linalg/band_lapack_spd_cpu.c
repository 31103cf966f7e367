/* LAPACK's banded Cholesky factorisation (dpbtrf, dpbtrs), for symmetric positive definite matrices only; periodic
 * systems by Navon's closure, E being symmetric positive definite with A: LAPACK's shortest way to take a step. */
#include <math.h>
#include <string.h>

#include "linalg/lapack_cpu.h"

typedef void dpbtrf_function(const char *uplo, const int *n, const int *kd, double *ab, const int *ldab, int *info,
                             size_t uplo_length);
typedef void dpbtrs_function(const char *uplo, const int *n, const int *kd, const int *nrhs, const double *ab,
                             const int *ldab, double *b, const int *ldb, int *info, size_t uplo_length);

static dpbtrf_function *dpbtrf;
static dpbtrs_function *dpbtrs;

static void found(void *factor, void *solve)
{
    if (dpbtrf) return;
    memcpy(&dpbtrf, &factor, sizeof dpbtrf);
    memcpy(&dpbtrs, &solve, sizeof dpbtrs);
}

static int ld(int lower, int upper)
{
    (void)upper;
    return lower + 1;
}

/* dpbtrf stops at pivots that are not positive; what is not finite it may carry on, into the diagonal of the factor. */
static int bad_pivot(const struct sw_lapack *l, const double *ab, int info)
{
    for (int i = 0; i < l->m; i++)
        if (!isfinite(ab[(size_t)i * (size_t)l->ld])) return 1 + i;
    return info;
}

static int factor_e(const struct sw_lapack *l, const struct sw_thomas_matrix *A, double *ab, int *pivot)
{
    int info = 0;
    (void)pivot;
    memset(ab, 0, (size_t)l->m * (size_t)l->ld * sizeof *ab);
    for (int i = 0; i < l->m; i++)
        for (int off = 0; off <= l->lower && i + off < l->m; off++)  /* E(i + off, i) = E(i, i + off) */
            ab[(size_t)i * (size_t)l->ld + (size_t)off] = sw_thomas_inner(A, i, off);
    dpbtrf("L", &l->m, &l->lower, ab, &l->ld, &info, 1);
    return bad_pivot(l, ab, info);
}

static void solve_e(const struct sw_lapack *l, const double *ab, const int *pivot, double *x)
{
    const int one = 1;
    int info;
    (void)pivot;
    dpbtrs("L", &l->m, &l->lower, &one, ab, &l->ld, x, &l->m, &info, 1);
}

static const struct sw_lapack_kind definite = {
    .name = {"dpbtrf_", "dpbtrs_"}, .found = found, .ld = ld, .factor = factor_e, .solve = solve_e,
};

static bool spd_fits(const struct sw_band_desc *desc) { return desc->symmetric; }

static enum sw_status spd_create(struct sw_band *s) { return sw_lapack_create(s, &definite); }

/* Half the band, the solution read and written; in each of two sweeps a multiplication and an addition for each
 * diagonal below, and a division: 40 bytes and 10 operations where pentadiagonal. Periodic systems: Z, 16 bytes and 4
 * operations more. */
static struct sw_cost spd_cost(const struct sw_band_desc *desc)
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
    .fits = spd_fits,
    .create = spd_create,
    .factor = sw_lapack_factor,
    .solve = sw_lapack_solve,
    .solve_one = sw_lapack_solve_one,
    .destroy = sw_lapack_destroy,
    .cost = spd_cost,
};
