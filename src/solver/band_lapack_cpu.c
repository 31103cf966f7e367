/* LAPACK's general banded LU with partial pivoting (dgbtrf, dgbtrs), periodic systems by Navon's closure: a baseline
 * that knows nothing of our factors. The library is loaded when the row is first used, so that the program needs it
 * only then. */
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/sw_mem.h"
#include "solver/sw_band_impl.h"

/* Fortran: everything by address, and the length of a character argument last, by value. */
typedef void dgbtrf_function(const int *m, const int *n, const int *kl, const int *ku, double *ab, const int *ldab,
                             int *ipiv, int *info);
typedef void dgbtrs_function(const char *trans, const int *n, const int *kl, const int *ku, const int *nrhs,
                             const double *ab, const int *ldab, const int *ipiv, double *b, const int *ldb, int *info,
                             size_t trans_length);

static dgbtrf_function *dgbtrf;
static dgbtrs_function *dgbtrs;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load_library(void)
{
    static const char *const names[] = {"liblapack.so.3", "libopenblas.so.0", "liblapack.so", "libopenblas.so"};
    void *library = NULL, *symbol;
    for (int k = 0; k < 4 && !library; k++) library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
    if (library) {
        /* a function pointer may not be cast from void * in C, but POSIX says that its bytes are the same */
        symbol = dlsym(library, "dgbtrf_");
        memcpy(&dgbtrf, &symbol, sizeof dgbtrf);
        symbol = dlsym(library, "dgbtrs_");
        memcpy(&dgbtrs, &symbol, sizeof dgbtrs);
    }
}

static enum sw_status need_library(void)
{
    pthread_once(&once, load_library);
    if (dgbtrf && dgbtrs) return SW_OK;
    return SW_FAIL(SW_E_ABSENT, "cpu.lapack: LAPACK is not on this machine; apt-get install liblapack3");
}

struct lapack {
    int              p, m;           /* unknowns split off, and those left                           */
    int              lower, upper;   /* of E, which may be narrower than the band (m = 1, 2)         */
    int              ld;             /* 2 lower + upper + 1: LAPACK's columns, with room for fill-in */
    double          *ab;             /* [batch][m][ld]                                               */
    int             *pivot;          /* [batch][m]                                                   */
    double          *Z;              /* [batch][2][m]: Z = E^-1 k, a line a border column                 */
    struct sw_navon *closure;        /* [batch]                                                      */
    int             *bad;            /* [batch]: 0, or 1 + row of a bad pivot                        */
};

struct system { double *ab, *Z0, *Z1; int *pivot; struct sw_navon *closure; };

static struct system system_of(const struct lapack *l, int j)
{
    size_t m = (size_t)l->m, at = (size_t)j * m;
    double *z = l->p ? l->Z + 2 * at : NULL;
    return (struct system){l->ab + at * (size_t)l->ld, z, z ? z + m : NULL, l->pivot + at, l->closure + j};
}

static bool lapack_fits(const struct sw_band_desc *desc)
{
    (void)desc;
    return true;
}

static int least(int a, int b) { return a < b ? a : b; }

static enum sw_status lapack_create(struct sw_band *s)
{
    const struct sw_band_desc *d = &s->desc;
    struct lapack *l = NULL;
    SW_TRY(need_library());
    SW_TRY(sw_alloc(1, &l));
    s->own = l;
    l->p = sw_band_border(d);
    l->m = d->n - l->p;
    l->lower = least(d->lower, l->m - 1);
    l->upper = least(d->upper, l->m - 1);
    l->ld = 2 * l->lower + l->upper + 1;
    size_t batch = (size_t)d->batch, line = batch * (size_t)l->m;
    SW_TRY(sw_alloc(line * (size_t)l->ld, &l->ab));
    SW_TRY(sw_alloc(line, &l->pivot));
    SW_TRY(sw_alloc(l->p ? 2 * line : 0, &l->Z));
    SW_TRY(sw_alloc(batch, &l->closure));
    SW_TRY(sw_alloc(batch, &l->bad));
    return SW_OK;
}

/* Solve with E in place. */
static void solve_e(const struct lapack *l, struct system y, double *x)
{
    const int one = 1;
    int info;
    dgbtrs("N", &l->m, &l->lower, &l->upper, &one, y.ab, &l->ld, y.pivot, x, &l->m, &info, 1);
}

/* dgbtrf stops at zeros; what is not finite it carries on: look for it on the diagonal of U. */
static int bad_pivot(const struct lapack *l, struct system y, int info)
{
    const double *diagonal = y.ab + l->lower + l->upper;
    for (int i = 0; i < l->m; i++)
        if (!isfinite(1.0 / diagonal[(size_t)i * (size_t)l->ld]) || !isfinite(diagonal[(size_t)i * (size_t)l->ld]))
            return 1 + i;
    return info;
}

static int factor_e(const struct sw_thomas_matrix *A, const struct lapack *l, struct system y)
{
    int info = 0;
    memset(y.ab, 0, (size_t)l->m * (size_t)l->ld * sizeof *y.ab);
    for (int i = 0; i < l->m; i++)
        for (int off = -l->lower; off <= l->upper; off++)  /* E(i, i + off): row lower + upper - off of its column */
            if (i + off >= 0 && i + off < l->m)
                y.ab[(size_t)(i + off) * (size_t)l->ld + (size_t)(l->lower + l->upper - off)] =
                    sw_thomas_inner(A, i, off);
    dgbtrf(&l->m, &l->m, &l->lower, &l->upper, y.ab, &l->ld, y.pivot, &info);
    return bad_pivot(l, y, info);
}

static int factor_one(const struct sw_band *s, const double *band, const struct lapack *l, int j)
{
    struct system y = system_of(l, j);
    struct sw_thomas_matrix A = sw_band_matrix(s, band, j);
    int bad = factor_e(&A, l, y);
    if (bad || !l->p) return bad;
    sw_thomas_begin(&A, y.closure, 1, y.Z0, y.Z1);
    if (l->p == 2) solve_e(l, y, y.Z0);
    solve_e(l, y, y.Z1);
    return sw_thomas_end(&A, y.closure, 1, y.Z0, y.Z1);
}

static enum sw_status lapack_factor(struct sw_band *s, const double *band, int *bad)
{
    struct lapack *l = s->own;
#pragma omp parallel for schedule(static) num_threads(sw_band_threads(s))
    for (int j = 0; j < s->desc.batch; j++) l->bad[j] = factor_one(s, band, l, j);
    return sw_band_report(s, l->bad, bad);
}

static void lapack_solve_one(const struct sw_band *s, int j, double *x)
{
    const struct lapack *l = s->own;
    struct system y = system_of(l, j);
    if (l->bad[j]) {
        for (int i = 0; i < s->desc.n; i++) x[i] = NAN;
        return;
    }
    solve_e(l, y, x);
    if (l->p) sw_thomas_close(y.closure, s->desc.n, l->p, 1, y.Z0, y.Z1, x);
}

static enum sw_status lapack_solve(const struct sw_band *s, double *x)
{
#pragma omp parallel for schedule(static) num_threads(sw_band_threads(s))
    for (int j = 0; j < s->desc.batch; j++) lapack_solve_one(s, j, x + (size_t)j * (size_t)s->desc.ld);
    return SW_OK;
}

static void lapack_destroy(struct sw_band *s)
{
    struct lapack *l = s->own;
    if (!l) return;
    sw_free(l->ab);
    sw_free(l->pivot);
    sw_free(l->Z);
    sw_free(l->closure);
    sw_free(l->bad);
    sw_free(l);
}

/* Factors with room for fill-in, a pivot's index, the solution read and written; a multiplication and an addition for
 * each diagonal beside the main one, and a division: 76 bytes and 13 operations where pentadiagonal. Periodic systems: Z,
 * 16 bytes and 4 operations more. */
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
    .factor = lapack_factor,
    .solve = lapack_solve,
    .solve_one = lapack_solve_one,
    .destroy = lapack_destroy,
    .cost = lapack_cost,
};
