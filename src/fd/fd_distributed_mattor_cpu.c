/* The method of N. Mattor, T. J. Williams and D. W. Hewett, Parallel Computing 21 (1995) 1769-1782. Interface q lies
 * between ranks q and q+1; L_q is the last value left of it, R_q the first one right of it. At the ends of its part
 * x = x_r + A u + B l says, with A = L_{q-1} and B = R_q on rank q,
 *
 *     L_q - l_m R_q - u_m L_{q-1} = x_r,m                 (u, l, x_r of rank q)
 *     R_q - u_1 L_q - l_1 R_{q+1} = x_r,1                 (of rank q+1)
 *
 * two equations an interface: 2P - 2 between walls, 2P if periodic. (With the unknowns on the other side, as it is
 * often printed, the right-hand side is -x_r.) All ranks gather the x_r at all ends. The matrix is the same for all
 * lines, and a rank needs two of the unknowns: so it computes two rows of the inverse once, by elimination with
 * pivoting in long double, and forms two sums a line, always in the order of the interfaces. */
#include <math.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "fd/fd_distributed_impl.h"

enum { RANKS = 512 };  /* set-up takes (2P)^3/3 operations: 0.4 10^9 */

struct mattor {
    int     interfaces;
    double *ends;     /* [size][2][lines]: x_r,1 and x_r,m of all ranks                                    */
    double *couple;   /* [size][4]: u_1, u_m, l_1, l_m of all ranks                                        */
    double *row[2];   /* [2*interfaces] rows of the inverse that give A and B: weights of x_r,m, x_r,1     */
};

static enum sw_status mattor_fits(const struct sw_fd_cut *cut)
{
    if (cut->size <= RANKS) return SW_OK;
    return SW_FAIL(SW_E_ABSENT,
                   "distributed differences by cpu.mattor: all of %d ranks would solve for all interfaces; it "
                   "does up to %d ranks",
                   cut->size, RANKS);
}

static enum sw_status mattor_create(struct sw_fd_distributed *fd)
{
    struct mattor *t = NULL;
    const size_t size = (size_t)fd->comm->size;
    SW_TRY(sw_alloc(1, &t));
    fd->own = t;
    t->interfaces = fd->cut.line.periodic ? fd->comm->size : fd->comm->size - 1;
    SW_TRY(sw_alloc(2 * size * fd->block.lines, &t->ends));
    SW_TRY(sw_alloc(4 * size, &t->couple));
    for (int k = 0; k < 2; k++) SW_TRY(sw_alloc(2 * (size_t)t->interfaces, &t->row[k]));
    return SW_OK;
}

/* The interfaces of a rank, -1 if there is none: index of L and of R in the vector of unknowns (L_0, R_0, L_1, ...). */
static int left_of(const struct mattor *t, const struct sw_fd_cut *cut, int r)
{
    return 2 * (r > 0 ? r - 1 : cut->line.periodic ? t->interfaces - 1 : -1);
}
static int right_of(const struct mattor *t, int r) { return r < t->interfaces ? 2 * r + 1 : -1; }

/* N x N, row-major: the transposed matrix of the interfaces. Entries are added up: with few ranks several fall
 * together. */
static void put_matrix(const struct mattor *t, const struct sw_fd_cut *cut, size_t N, long double *M)
{
    for (int q = 0; q < t->interfaces; q++) {
        const int next = (q + 1) % cut->size, L = 2 * q, R = 2 * q + 1;
        const int before = left_of(t, cut, q), after = right_of(t, next);
        const double *here = t->couple + 4 * q, *there = t->couple + 4 * next;
        M[(size_t)L * N + (size_t)L] += 1;
        M[(size_t)R * N + (size_t)L] -= here[3];
        if (before >= 0) M[(size_t)before * N + (size_t)L] -= here[1];
        M[(size_t)R * N + (size_t)R] += 1;
        M[(size_t)L * N + (size_t)R] -= there[0];
        if (after >= 0) M[(size_t)after * N + (size_t)R] -= there[2];
    }
}

/* M w = e for two right-hand sides w[k*N ..], in place, by elimination with row exchanges. */
static enum sw_status eliminate(size_t N, long double *M, long double *w)
{
    for (size_t k = 0; k < N; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < N; i++)
            if (fabsl(M[i * N + k]) > fabsl(M[best * N + k])) best = i;
        for (size_t j = 0; j < N && best != k; j++) {
            long double x = M[k * N + j];
            M[k * N + j] = M[best * N + j];
            M[best * N + j] = x;
        }
        for (int c = 0; c < 2; c++) {
            long double *v = w + (size_t)c * N, x = v[k];
            v[k] = v[best];
            v[best] = x;
        }
        if (!(fabsl(M[k * N + k]) > 0)) return SW_FAIL(SW_E_SINGULAR, "the equations of the interfaces are singular");
        for (size_t i = k + 1; i < N; i++) {
            const long double by = M[i * N + k] / M[k * N + k];
            if (by == 0) continue;
            for (size_t j = k; j < N; j++) M[i * N + j] -= by * M[k * N + j];
            w[i] -= by * w[k];
            w[N + i] -= by * w[N + k];
        }
    }
    for (size_t c = 0; c < 2; c++)
        for (size_t i = N; i-- > 0;) {
            long double *v = w + c * N;
            for (size_t j = i + 1; j < N; j++) v[i] -= M[i * N + j] * v[j];
            v[i] /= M[i * N + i];
        }
    return SW_OK;
}

static enum sw_status rows_of_inverse(struct sw_fd_distributed *fd)
{
    struct mattor *t = fd->own;
    const size_t N = 2 * (size_t)t->interfaces;
    const int index[2] = {left_of(t, &fd->cut, fd->comm->rank), right_of(t, fd->comm->rank)};
    long double *M = NULL, *w = NULL;
    enum sw_status st;
    SW_TRY_TO(done, st, sw_alloc(N * N, &M));
    SW_TRY_TO(done, st, sw_alloc(2 * N, &w));
    put_matrix(t, &fd->cut, N, M);
    for (size_t k = 0; k < 2; k++)
        if (index[k] >= 0) w[k * N + (size_t)index[k]] = 1;
    SW_TRY_TO(done, st, eliminate(N, M, w));
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < N; i++) t->row[k][i] = (double)w[k * N + i];
done:
    sw_free(M);
    sw_free(w);
    return st;
}

static enum sw_status mattor_connect(struct sw_fd_distributed *fd)
{
    struct mattor *t = fd->own;
    const struct fd_block *b = &fd->block;
    const double mine[4] = {b->u[0], b->u[b->q - 1], b->l[0], b->l[b->q - 1]};
    SW_TRY(sw_comm_gather(fd->comm, 4, mine, t->couple));
    return t->interfaces ? rows_of_inverse(fd) : SW_OK;
}

/* to := the unknown that this row of the inverse gives, for each line. */
static void sum_up(const struct mattor *t, const struct sw_fd_cut *cut, const double *row, size_t lines, double *to)
{
    for (size_t j = 0; j < lines; j++) to[j] = 0;
    for (int q = 0; q < t->interfaces; q++) {
        const double *last = t->ends + (2 * (size_t)q + 1) * lines;
        const double *first = t->ends + 2 * (size_t)((q + 1) % cut->size) * lines;
        for (size_t j = 0; j < lines; j++) to[j] += row[2 * q] * last[j] + row[2 * q + 1] * first[j];
    }
}

static enum sw_status mattor_apply(const struct sw_fd_distributed *fd, const double *f, double *out)
{
    const struct mattor *t = fd->own;
    const struct fd_block *b = &fd->block;
    fd_block_solve(b, f, out);
    SW_TRY(sw_comm_gather(fd->comm, 2 * b->lines, b->ends, t->ends));
    if (b->left) sum_up(t, &fd->cut, t->row[0], b->lines, b->A);
    if (b->right) sum_up(t, &fd->cut, t->row[1], b->lines, b->B);
    fd_block_finish(b, out);
    return SW_OK;
}

static void mattor_destroy(struct sw_fd_distributed *fd)
{
    struct mattor *t = fd->own;
    if (!t) return;
    sw_free(t->ends);
    sw_free(t->couple);
    for (int k = 0; k < 2; k++) sw_free(t->row[k]);
    sw_free(t);
}

extern const struct sw_fd_distributed_ops fd_mattor_cpu;
const struct sw_fd_distributed_ops fd_mattor_cpu = {
    .name = "cpu.mattor",
    .about = "two unknowns an interface, solved together on every rank (Mattor et al.): the reference",
    .space = SW_HOST,
    .fits = mattor_fits,
    .create = mattor_create,
    .connect = mattor_connect,
    .apply = mattor_apply,
    .destroy = mattor_destroy,
};
