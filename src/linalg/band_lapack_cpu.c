/* LAPACK's general banded LU with partial pivoting (dgbtrf, dgbtrs), periodic systems by Navon's closure: a baseline
 * that knows nothing of our factors. */
#include <math.h>
#include <string.h>

#include "linalg/lapack_cpu.h"

/* Fortran: everything by address, and the length of a character argument last, by value. */
typedef void dgbtrf_function(const int *m, const int *n, const int *kl, const int *ku, double *ab, const int *ldab,
                             int *ipiv, int *info);
typedef void dgbtrs_function(const char *trans, const int *n, const int *kl, const int *ku, const int *nrhs,
                             const double *ab, const int *ldab, const int *ipiv, double *b, const int *ldb, int *info,
                             size_t trans_length);

static dgbtrf_function *dgbtrf;
static dgbtrs_function *dgbtrs;

/* A function pointer may not be cast from void * in C, but POSIX says that its bytes are the same. */
static void found(void *factor, void *solve)
{
    if (dgbtrf) return;
    memcpy(&dgbtrf, &factor, sizeof dgbtrf);
    memcpy(&dgbtrs, &solve, sizeof dgbtrs);
}

static int ld(int lower, int upper) { return 2 * lower + upper + 1; }  /* with room for fill-in */

/* dgbtrf stops at zeros; what is not finite it carries on: look for it on the diagonal of U. */
static int bad_pivot(const struct sw_lapack *l, const double *ab, int info)
{
    const double *diagonal = ab + l->lower + l->upper;
    for (int i = 0; i < l->m; i++)
        if (!isfinite(1.0 / diagonal[(size_t)i * (size_t)l->ld]) || !isfinite(diagonal[(size_t)i * (size_t)l->ld]))
            return 1 + i;
    return info;
}

static int factor_e(const struct sw_lapack *l, const struct sw_thomas_matrix *A, double *ab, int *pivot)
{
    int info = 0;
    memset(ab, 0, (size_t)l->m * (size_t)l->ld * sizeof *ab);
    for (int i = 0; i < l->m; i++)
        for (int off = -l->lower; off <= l->upper; off++)  /* E(i, i + off): row lower + upper - off of its column */
            if (i + off >= 0 && i + off < l->m)
                ab[(size_t)(i + off) * (size_t)l->ld + (size_t)(l->lower + l->upper - off)] =
                    sw_thomas_inner(A, i, off);
    dgbtrf(&l->m, &l->m, &l->lower, &l->upper, ab, &l->ld, pivot, &info);
    return bad_pivot(l, ab, info);
}

static void solve_e(const struct sw_lapack *l, const double *ab, const int *pivot, double *x)
{
    const int one = 1;
    int info;
    dgbtrs("N", &l->m, &l->lower, &l->upper, &one, ab, &l->ld, pivot, x, &l->m, &info, 1);
}

static const struct sw_lapack_kind general = {
    .name = {"dgbtrf_", "dgbtrs_"}, .found = found, .pivots = true, .ld = ld, .factor = factor_e, .solve = solve_e,
};

static bool lapack_fits(const struct sw_band_desc *desc)
{
    (void)desc;
    return true;
}

static enum sw_status lapack_create(struct sw_band *s) { return sw_lapack_create(s, &general); }

/* Factors with room for fill-in, a pivot's index, the solution read and written; a multiplication and an addition for
 * each diagonal beside the main one, and a division: 76 bytes and 13 operations where pentadiagonal. Periodic systems:
 * Z, 16 bytes and 4 operations more. */
static struct sw_cost lapack_cost(const struct sw_band_desc *desc)
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
    .fits = lapack_fits,
    .create = lapack_create,
    .factor = sw_lapack_factor,
    .solve = sw_lapack_solve,
    .solve_one = sw_lapack_solve_one,
    .destroy = sw_lapack_destroy,
    .cost = lapack_cost,
};
