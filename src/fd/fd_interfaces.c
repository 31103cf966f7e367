/* What a rank's part of a line makes of the values beside it, and the equations for these values. Interface q lies
 * between ranks q and q+1; L_i is the i-th value left of it, counted from it, R_i the i-th right of it. At the ends of
 * the parts x = x_r + A u + B l says, with one value on each side,
 *
 *     L - l_m R - u_m L' = x_r,m                 (u, l, x_r of rank q;  L' of interface q-1)
 *     R - u_1 L - l_1 R' = x_r,1                 (of rank q+1;          R' of interface q+1)
 *
 * two equations an interface: 2P - 2 between walls, 2P if periodic. (With the unknowns on the other side, as it is
 * often printed, the right-hand side is -x_r.) With two values on each side, each coupling is a 2 by 2 block. The
 * matrix is the same for all lines, and a rank needs few of the unknowns: so it computes their rows of the inverse, by
 * elimination with row exchanges in long double, and forms a sum a line, always in the order of the interfaces. */
#include <math.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "fd/fd_cut.h"
#include "fd/sw_fd_impl.h"

enum { BAND = FD_BESIDE };

/* ------------------------------------------------------------------ a part */

/* Entry of the matrix from a point of the part to one beside it: `distance` points apart, >= 1. */
static double part_coupling(const struct fd_cut *cut, int64_t distance)
{
    return distance == 1 ? cut->line->alpha : distance == 2 ? cut->line->beta : 0;
}

/* Entry (i, j) of T, 0 <= i, j < q: at a wall what is left of the rows there. */
static double part_entry(const struct fd_cut *cut, int64_t i, int64_t j)
{
    const struct sw_fd_end *e = &cut->line->end;
    const bool near = !cut->left && i == 0, far = !cut->right && i == cut->q - 1;
    if (i == j) return near || far ? e->diagonal : 1;
    if ((near && j == 1) || (far && j == i - 1)) return e->next;
    return part_coupling(cut, i < j ? j - i : i - j);
}

static enum sw_status singular(const struct fd_cut *cut, int64_t i)
{
    return SW_FAIL(SW_E_SINGULAR, "compact differences: zero or non-finite pivot in row %lld of %lld of a part",
                   (long long)i, (long long)cut->q);
}

/* y := T^-1 y, by elimination without exchanges. @param c  [q][BAND] room: entries to the right over the pivot */
static enum sw_status solve(const struct fd_cut *cut, long double *y, long double (*c)[BAND])
{
    const int64_t q = cut->q;
    for (int64_t i = 0; i < q; i++) {
        long double row[2 * BAND + 1] = {0};  /* entries i - BAND .. i + BAND */
        for (int d = -BAND; d <= BAND; d++)
            if (i + d >= 0 && i + d < q) row[BAND + d] = part_entry(cut, i, i + d);
        for (int d = -BAND; d < 0; d++) {
            if (i + d < 0) continue;
            for (int k = 0; k < BAND; k++) row[BAND + d + 1 + k] -= row[BAND + d] * c[i + d][k];
            y[i] -= row[BAND + d] * y[i + d];
        }
        if (!sw_fd_pivot_good((double)row[BAND])) return singular(cut, i);
        y[i] /= row[BAND];
        for (int k = 0; k < BAND; k++) c[i][k] = row[BAND + 1 + k] / row[BAND];
    }
    for (int64_t i = q - 1; i >= 0; i--)
        for (int k = 0; k < BAND && i + 1 + k < q; k++) y[i] -= c[i][k] * y[i + 1 + k];
    return SW_OK;
}

/* How many entries, counted from the end where x is large, are not below 2^-60. */
static int64_t count_from(const double *x, int64_t q, bool from_last)
{
    int64_t count = q;
    while (count && !(fabs(x[from_last ? q - count : count - 1]) > 0x1p-60)) count--;
    return count;
}

/* The response to value k beside an end. */
static enum sw_status respond(const struct fd_cut *cut, bool right, int k, struct fd_decaying *d)
{
    const int64_t q = cut->q;
    long double *y = NULL, (*c)[BAND] = NULL;
    enum sw_status st;
    SW_TRY_TO(done, st, sw_alloc((size_t)q, &y));
    SW_TRY_TO(done, st, sw_alloc((size_t)q, &c));
    for (int i = 0; i < BAND && i < q; i++)
        y[right ? q - 1 - i : i] = -part_coupling(cut, i + 1 + k);
    SW_TRY_TO(done, st, solve(cut, y, c));
    for (int64_t i = 0; i < q; i++) d->x[i] = (double)y[i];
    d->count = count_from(d->x, q, right);
done:
    sw_free(y);
    sw_free(c);
    return st;
}

enum sw_status fd_part_respond(struct fd_cut *cut, struct sw_owned *arrays)
{
    sw_array(arrays, (size_t)cut->comm->size * FD_COUPLINGS, &cut->couple);
    for (int k = 0; k < cut->beside; k++) {
        sw_array(arrays, (size_t)cut->q, &cut->u[k].x);
        sw_array(arrays, (size_t)cut->q, &cut->l[k].x);
        if (arrays->status || arrays->counts) continue;
        if (cut->left) SW_TRY(respond(cut, false, k, &cut->u[k]));
        if (cut->right) SW_TRY(respond(cut, true, k, &cut->l[k]));
    }
    return arrays->status;
}

/* ------------------------------------------------------------------ couplings of interfaces */

enum coupling { U_FIRST, U_LAST, L_FIRST, L_LAST };

/* Of u_k (or l_k) at point i of that end of a rank's part. */
static double coupling_of(const struct fd_cut *cut, int rank, enum coupling which, int i, int k)
{
    return cut->couple[rank * FD_COUPLINGS + (which * FD_BESIDE + i) * FD_BESIDE + k];
}

enum sw_status fd_part_couple(struct fd_cut *cut)
{
    double all[SW_COMM_MOST];
    for (int at = 0; at < FD_COUPLINGS; at++) {
        const int which = at / FD_BESIDE / FD_BESIDE, i = at / FD_BESIDE % FD_BESIDE, k = at % FD_BESIDE;
        const double *x = which < L_FIRST ? cut->u[k].x : cut->l[k].x;
        if (i >= cut->beside || k >= cut->beside) continue;
        const double mine = i < cut->q ? x[which == U_LAST || which == L_LAST ? cut->q - 1 - i : i] : 0;
        SW_TRY(sw_comm_gather_one(cut->comm, mine, all));
        for (int r = 0; r < cut->comm->size; r++) cut->couple[r * FD_COUPLINGS + at] = all[r];
    }
    return SW_OK;
}

/* The interface at an end of a rank's part, -1 if there is none. */
static int interface_of(const struct fd_cut *cut, int rank, bool right)
{
    if (right) return rank < cut->interfaces ? rank : -1;
    return rank > 0 ? rank - 1 : cut->line->periodic ? cut->interfaces - 1 : -1;
}

/* The equations of interface q: to M [N][N], the transposed matrix, in which its unknowns begin at `at`. Entries are
 * added up: with few ranks several fall together. @param before, after  where those of the interfaces beside it begin,
 * -1: they are dropped */
static void put_interface(const struct fd_cut *cut, int q, int at, int before, int after, size_t N, long double *M)
{
    const int K = cut->beside, next = (q + 1) % cut->comm->size;
    for (int i = 0; i < K; i++) {
        const size_t L = (size_t)(at + i), R = (size_t)(at + K + i);
        M[L * N + L] += 1;
        M[R * N + R] += 1;
        for (int k = 0; k < K; k++) {
            M[(size_t)(at + K + k) * N + L] -= coupling_of(cut, q, L_LAST, i, k);
            M[(size_t)(at + k) * N + R] -= coupling_of(cut, next, U_FIRST, i, k);
            if (before >= 0) M[(size_t)(before + k) * N + L] -= coupling_of(cut, q, U_LAST, i, k);
            if (after >= 0) M[(size_t)(after + K + k) * N + R] -= coupling_of(cut, next, L_FIRST, i, k);
        }
    }
}

static void put_all(const struct fd_cut *cut, size_t N, long double *M)
{
    const int each = 2 * cut->beside;
    for (int q = 0; q < cut->interfaces; q++) {
        const int before = interface_of(cut, q, false), after = interface_of(cut, (q + 1) % cut->comm->size, true);
        put_interface(cut, q, each * q, before < 0 ? -1 : each * before, after < 0 ? -1 : each * after, N, M);
    }
}

static void exchange(size_t count, size_t step, long double *a, long double *b)
{
    for (size_t j = 0; j < count; j++, a += step, b += step) {
        const long double x = *a;
        *a = *b;
        *b = x;
    }
}

/* M w = e for so many right-hand sides w[c*N ..], in place, by elimination with row exchanges. */
static enum sw_status eliminate(size_t N, long double *M, int sides, long double *w)
{
    for (size_t k = 0; k < N; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < N; i++)
            if (fabsl(M[i * N + k]) > fabsl(M[best * N + k])) best = i;
        if (best != k) {
            exchange(N, 1, M + k * N, M + best * N);
            exchange((size_t)sides, N, w + k, w + best);
        }
        if (!(fabsl(M[k * N + k]) > 0)) return SW_FAIL(SW_E_SINGULAR, "the equations of the interfaces are singular");
        for (size_t i = k + 1; i < N; i++) {
            const long double by = M[i * N + k] / M[k * N + k];
            if (by == 0) continue;
            for (size_t j = k; j < N; j++) M[i * N + j] -= by * M[k * N + j];
            for (int c = 0; c < sides; c++) w[(size_t)c * N + i] -= by * w[(size_t)c * N + k];
        }
    }
    for (long double *v = w; v < w + (size_t)sides * N; v += N)
        for (size_t i = N; i-- > 0;) {
            for (size_t j = i + 1; j < N; j++) v[i] -= M[i * N + j] * v[j];
            v[i] /= M[i * N + i];
        }
    return SW_OK;
}

enum sw_status fd_interface_weights(const struct fd_cut *cut, bool right, bool alone, double *weight)
{
    const int K = cut->beside, q = interface_of(cut, cut->comm->rank, right);
    const size_t N = (size_t)(2 * K * (alone ? 1 : cut->interfaces)), wanted = (size_t)(alone ? 0 : 2 * K * q);
    long double *M = NULL, *w = NULL;
    enum sw_status st;
    SW_TRY_TO(done, st, sw_alloc(N * N, &M));
    SW_TRY_TO(done, st, sw_alloc((size_t)K * N, &w));
    if (alone) put_interface(cut, q, 0, -1, -1, N, M);
    else put_all(cut, N, M);
    for (int k = 0; k < K; k++) w[(size_t)k * N + wanted + (size_t)(right ? K + k : k)] = 1;
    SW_TRY_TO(done, st, eliminate(N, M, K, w));
    for (size_t i = 0; i < (size_t)K * N; i++) weight[i] = (double)w[i];
done:
    sw_free(M);
    sw_free(w);
    return st;
}
