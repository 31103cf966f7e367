#include "linalg/lapack_cpu.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>

#include "base/sw_mem.h"

static void *library;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t finding = PTHREAD_MUTEX_INITIALIZER;

static void load_library(void)
{
    static const char *const names[] = {"liblapack.so.3", "libopenblas.so.0", "liblapack.so", "libopenblas.so"};
    for (int k = 0; k < 4 && !library; k++) library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
}

static enum sw_status need_functions(const char *row, const struct sw_lapack_kind *kind)
{
    void *function[2] = {NULL, NULL};
    pthread_once(&once, load_library);
    for (int k = 0; library && k < 2; k++) function[k] = dlsym(library, kind->name[k]);
    if (!function[0] || !function[1])
        return SW_FAIL(SW_E_ABSENT, "%s: LAPACK is not on this machine; apt-get install liblapack3", row);
    pthread_mutex_lock(&finding);
    kind->found(function[0], function[1]);  /* the first time; others may be calling them now */
    pthread_mutex_unlock(&finding);
    return SW_OK;
}

struct system { double *ab, *Z0, *Z1; int *pivot; struct sw_navon *closure; };

static struct system system_of(const struct sw_lapack *l, int j)
{
    size_t m = (size_t)l->m, at = (size_t)j * m;
    double *z = l->p ? l->Z + 2 * at : NULL;
    return (struct system){l->ab + at * (size_t)l->ld, z, z ? z + m : NULL, l->pivot ? l->pivot + at : NULL,
                           l->closure + j};
}

static int least(int a, int b) { return a < b ? a : b; }

enum sw_status sw_lapack_create(struct sw_band *s, const struct sw_lapack_kind *kind)
{
    const struct sw_band_desc *d = &s->desc;
    struct sw_lapack *l = NULL;
    SW_TRY(need_functions(s->ops->name, kind));
    SW_TRY(sw_alloc(1, &l));
    s->own = l;
    l->kind = kind;
    l->p = sw_band_border(d);
    l->m = d->n - l->p;
    l->lower = least(d->lower, l->m - 1);
    l->upper = least(d->upper, l->m - 1);
    l->ld = kind->ld(l->lower, l->upper);
    size_t batch = (size_t)d->batch, line = batch * (size_t)l->m;
    SW_TRY(sw_alloc(line * (size_t)l->ld, &l->ab));
    if (kind->pivots) SW_TRY(sw_alloc(line, &l->pivot));
    SW_TRY(sw_alloc(l->p ? 2 * line : 0, &l->Z));
    SW_TRY(sw_alloc(batch, &l->closure));
    SW_TRY(sw_alloc(batch, &l->bad));
    return SW_OK;
}

static int factor_one(const struct sw_band *s, const double *band, const struct sw_lapack *l, int j)
{
    struct system y = system_of(l, j);
    struct sw_thomas_matrix A = sw_band_matrix(s, band, j);
    int bad = l->kind->factor(l, &A, y.ab, y.pivot);
    if (bad || !l->p) return bad;
    sw_thomas_begin(&A, y.closure, 1, y.Z0, y.Z1);
    if (l->p == 2) l->kind->solve(l, y.ab, y.pivot, y.Z0);
    l->kind->solve(l, y.ab, y.pivot, y.Z1);
    return sw_thomas_end(&A, y.closure, 1, y.Z0, y.Z1);
}

enum sw_status sw_lapack_factor(struct sw_band *s, const double *band, int *bad)
{
    struct sw_lapack *l = s->own;
#pragma omp parallel for schedule(static) num_threads(sw_band_threads(s))
    for (int j = 0; j < s->desc.batch; j++) l->bad[j] = factor_one(s, band, l, j);
    return sw_band_report(s, l->bad, bad);
}

void sw_lapack_solve_one(const struct sw_band *s, int j, double *x)
{
    const struct sw_lapack *l = s->own;
    struct system y = system_of(l, j);
    if (l->bad[j]) {
        for (int i = 0; i < s->desc.n; i++) x[i] = NAN;
        return;
    }
    l->kind->solve(l, y.ab, y.pivot, x);
    if (l->p) sw_thomas_close(y.closure, s->desc.n, l->p, 1, y.Z0, y.Z1, x);
}

enum sw_status sw_lapack_solve(const struct sw_band *s, double *x)
{
#pragma omp parallel for schedule(static) num_threads(sw_band_threads(s))
    for (int j = 0; j < s->desc.batch; j++) sw_lapack_solve_one(s, j, x + (size_t)j * (size_t)s->desc.ld);
    return SW_OK;
}

void sw_lapack_destroy(struct sw_band *s)
{
    struct sw_lapack *l = s->own;
    if (!l) return;
    sw_free(l->ab);
    sw_free(l->pivot);
    sw_free(l->Z);
    sw_free(l->closure);
    sw_free(l->bad);
    sw_free(l);
}
