/* LAPACK on the CPU, the baseline that shares nothing with our elimination: row `cpu.lapack`. One system after another,
 * or several on as many threads.
 *
 *   open    dgtsv: Gaussian elimination with partial pivoting. Its growth factor is 2 at most.
 *   cyclic  LAPACK has no such solver: dgbsv, which pivots, solves the folded circle (folded_point.h).
 *
 * Both overwrite the matrix, which has to stay as it is: they get a copy. */
#include <limits.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/sw_mem.h"
#include "linalg/folded_point.h"
#include "linalg/libraries/lapack_cpu.h"
#include "linalg/sw_tridiagonal_impl.h"

/* Fortran: everything by address. */
typedef void dgtsv_function(const int *n, const int *nrhs, double *dl, double *d, double *du, double *b, const int *ldb,
                            int *info);
typedef void dgbsv_function(const int *n, const int *kl, const int *ku, const int *nrhs, double *ab, const int *ldab,
                            int *ipiv, double *b, const int *ldb, int *info);

enum {
    OPEN_WORDS = 3,             /* a row: copies of the diagonals                                   */
    SIDES = 2,                  /* diagonals on a side of the folded matrix                         */
    LD = 2 * SIDES + SIDES + 1, /* entries in a column of LAPACK's band, with room for fill-in      */
    FOLDED_WORDS = LD + 1 + 1   /* that, the folded solution, a pivot's index                       */
};

struct lapack {
    dgtsv_function *dgtsv;
    dgbsv_function *dgbsv;
    int             threads;
    double         *work;       /* [threads][n * words_of()] */
    bool           *fine;       /* [batch] */
};

static size_t words_of(const struct sw_tridiagonal_desc *d)
{
    return (size_t)d->n * (size_t)(d->cyclic ? FOLDED_WORDS : OPEN_WORDS);
}

static const char *refuse(const struct sw_tridiagonal_desc *d)
{
    if (d->n <= INT_MAX - 7) return NULL;
    return "LAPACK counts with 32 bits, up to 2147483640 rows; cpu.relations has no such limit";
}

/* One where the work, some 10 ns a row, is less than waking the others up costs. */
static int threads_of(const struct sw_tridiagonal_desc *d, int threads)
{
    if (d->n * d->batch < 16384) return 1;
    return d->batch < threads ? d->batch : threads;
}

static void arrays(struct sw_tridiagonal *s)
{
    struct lapack *l = s->own;
    l->threads = threads_of(&s->desc, s->device->threads);
    sw_array(&s->arrays, (size_t)s->desc.batch, &l->fine);
    sw_array(&s->arrays, (size_t)l->threads * words_of(&s->desc), &l->work);
}

static enum sw_status create(struct sw_tridiagonal *s)
{
    static const char *const names[] = {"dgtsv_", "dgbsv_"};
    void *found[2];
    struct lapack *l = s->own;
    SW_TRY(sw_lapack_find(s->ops->name, 2, names, found));
    memcpy(&l->dgtsv, &found[0], sizeof l->dgtsv);
    memcpy(&l->dgbsv, &found[1], sizeof l->dgbsv);
    return SW_OK;
}

/* LAPACK stops at a pivot of zero without a solution. Whether the last one is more than rounding; its column has these
 * entries. */
static bool is_fine(int info, double pivot, double above, double on, double below, int n, double *x)
{
    for (int i = 0; info && i < n; i++) x[i] = NAN;
    return !info && !(fabs(pivot) <= 0x1p-20 * fmax(fmax(fabs(above), fabs(on)), fabs(below)));
}

/* copiers: threads to copy with. dgtsv has entry i of the lower diagonal in row i + 1. */
static bool solve_open(const struct lapack *l, int n, int copiers, const struct sw_tridiagonal_rows *r, size_t at,
                       double *work, double *x)
{
    double *lower = work, *diagonal = lower + n, *upper = diagonal + n;
    const size_t all = (size_t)n * sizeof(double), sides = all - sizeof(double);
    const int one = 1;
    int info;
    sw_copy(lower, r->lower + at + 1, sides, copiers);
    sw_copy(diagonal, r->main + at, all, copiers);
    sw_copy(upper, r->upper + at, sides, copiers);
    sw_copy(x, r->rhs + at, all, copiers);
    l->dgtsv(&n, &one, lower, diagonal, upper, x, &n, &info);
    return is_fine(info, diagonal[n - 1], n > 1 ? r->upper[at + (size_t)n - 2] : 0, r->main[at + (size_t)n - 1], 0, n,
                   x);
}

static void put(double *ab, int row, int column, double value)
{
    ab[(size_t)column * LD + (size_t)(2 * SIDES + row - column)] = value;
}

static bool solve_cyclic(const struct lapack *l, int n, const struct sw_tridiagonal_rows *r, size_t at, double *work,
                         double *x)
{
    double *ab = work, *b = ab + (size_t)LD * (size_t)n;
    int *pivot = (int *)(b + n);
    const int one = 1, sides = SIDES, ld = LD;
    int info;
    memset(ab, 0, (size_t)LD * (size_t)n * sizeof *ab);
    for (int i = 0; i < n; i++) {
        const int row = sw_folded(n, i);
        put(ab, row, sw_folded(n, i > 0 ? i - 1 : n - 1), r->lower[at + (size_t)i]);
        put(ab, row, row, r->main[at + (size_t)i]);
        put(ab, row, sw_folded(n, i < n - 1 ? i + 1 : 0), r->upper[at + (size_t)i]);
        b[row] = r->rhs[at + (size_t)i];
    }
    l->dgbsv(&n, &sides, &sides, &one, ab, &ld, pivot, b, &n, &info);
    for (int i = 0; i < n; i++) x[i] = b[sw_folded(n, i)];
    const size_t last = (size_t)(n / 2);  /* folded to the end */
    return is_fine(info, ab[(size_t)(n - 1) * LD + 2 * SIDES], r->upper[at + last - 1], r->main[at + last],
                   r->lower[at + (last + 1) % (size_t)n], n, x);
}

/* @param thread  whose work is used */
static void solve_one(const struct sw_tridiagonal_desc *d, const struct lapack *l, int j, int thread, int copiers,
                      const struct sw_tridiagonal_rows *r, double *x)
{
    const int n = (int)d->n;
    const size_t at = (size_t)j * (size_t)n;
    double *work = l->work + (size_t)thread * words_of(d);
    l->fine[j] = d->cyclic ? solve_cyclic(l, n, r, at, work, x + at) : solve_open(l, n, copiers, r, at, work, x + at);
}

static enum sw_status solve(struct sw_tridiagonal *s, const struct sw_tridiagonal_rows *r, double *x)
{
    const struct lapack *l = s->own;
    const struct sw_tridiagonal_desc *d = &s->desc;
    if (l->threads == 1) {  /* not in a team of one: teams within one are made anew each time */
        for (int j = 0; j < d->batch; j++) solve_one(d, l, j, 0, s->device->threads, r, x);
        return SW_OK;
    }
#pragma omp parallel num_threads(s->device->threads)  /* as all teams, though work is there for l->threads */
    for (int thread = omp_get_thread_num(), j = thread; thread < l->threads && j < d->batch; j += l->threads)
        solve_one(d, l, j, thread, 1, r, x);
    return SW_OK;
}

static enum sw_status check_solution(struct sw_tridiagonal *s, const struct sw_tridiagonal_rows *rows, const double *x,
                                     bool *fine)
{
    const struct lapack *l = s->own;
    const int64_t n = s->desc.n;
    (void)rows;
    for (int j = 0; j < s->desc.batch; j++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += 0 * x[j * n + i];
        fine[j] = l->fine[j] && sum == 0;
    }
    return SW_OK;
}

/* Open: four arrays copied, 64 bytes; read and written by the elimination, 64; three factors and the solution read, the
 * solution written, 40. A division, two multiply-adds; in the substitution two and a division: 6, and 2 more for what
 * is interchanged. Cyclic: the band is cleared, filled, eliminated and read, 7 + 3 + 12 + 5 words, four arrays are
 * read, the folded solution goes to and fro in 7, and x is written, with the pivots' indices 8 bytes more; two rows
 * below the pivot, each a quotient, 4 multiply-adds and one of the right-hand side; 5 and a division in the
 * substitution. */
static struct sw_cost cost(const struct sw_tridiagonal_desc *d)
{
    return d->cyclic ? (struct sw_cost){8 * (27 + 4 + 7 + 1) + 8, 18} : (struct sw_cost){168, 8};
}

extern const struct sw_tridiagonal_ops tridiagonal_lapack_cpu;
const struct sw_tridiagonal_ops tridiagonal_lapack_cpu = {
    .name = "cpu.lapack",
    .about = "LAPACK's elimination with partial pivoting (dgtsv; cyclic: dgbsv on the folded circle): a baseline",
    .space = SW_HOST,
    .misses_infinity = true,
    .stable = true,
    .refuse = refuse,
    .own_size = sizeof(struct lapack),
    .arrays = arrays,
    .create = create,
    .solve = solve,
    .check_solution = check_solution,
    .cost = cost,
};
