/* Parts so long that their one end does not feel the other: the coupling of interfaces by u_m and l_1, which is about
 * rho^m, is dropped. Then each interface is a system of two unknowns, with L the last value left of it and R the first
 * one right of it,
 *
 *     L - l_m R = x_r,m (left part),      R - u_1 L = x_r,1 (right part)
 *
 * and one number a line goes to each neighbour (S. Laizet's x3d2 calls it DistD2). The error at an interface is at most
 * rho^m (1 + rho) times the largest value of the result, and decays from there.
 *
 * cpu.truncated solves for x_r everywhere and adds A u and B l to the points near the ends. cpu.strips finds A and B
 * first and then solves once: each result is written once, but the right-hand sides near the ends are formed twice,
 * which costs more on a CPU. It is there to be compared with by rows for devices, which memory bounds. */
#include <math.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "fd/fd_distributed_impl.h"

struct truncated {
    double u_right, l_left;  /* u_1 of the right neighbour, l_m of the left one */
};

static double rho_of(double alpha) { return 2 * fabs(alpha) / (1 + sqrt(1 - 4 * alpha * alpha)); }

int sw_fd_distributed_decay_length(double alpha, double drop)
{
    const double rho = rho_of(alpha);
    int m = 1;
    if (rho > 0) m = (int)fmax(1, ceil(log(drop) / log(rho)));
    while (pow(rho, m) > drop) m++;
    return m;
}

/* Ranks with parts on both sides couple them. */
static enum sw_status truncated_fits(const struct sw_fd_cut *cut)
{
    const double rho = rho_of(cut->line.alpha);
    const bool periodic = cut->line.periodic;
    for (int r = periodic ? 0 : 1; r < cut->size - (periodic ? 0 : 1); r++) {
        const double left = pow(rho, (double)cut->count[r]);
        if (left > cut->drop)
            return SW_FAIL(SW_E_ABSENT,
                           "distributed differences with couplings dropped: rank %d of %d has m = %lld points, over "
                           "which an influence falls to rho^m = %.2g (rho = %.4g), which is above eps = %.2g; from %d "
                           "points on it may be, and cpu.mattor drops nothing",
                           r, cut->size, (long long)cut->count[r], left, rho, cut->drop,
                           sw_fd_distributed_decay_length(cut->line.alpha, cut->drop));
    }
    return SW_OK;
}

static enum sw_status truncated_create(struct sw_fd_distributed *fd)
{
    struct truncated *t = NULL;
    SW_TRY(sw_alloc(1, &t));
    fd->own = t;
    return SW_OK;
}

static enum sw_status truncated_connect(struct sw_fd_distributed *fd)
{
    struct truncated *t = fd->own;
    const struct fd_block *b = &fd->block;
    return sw_comm_exchange(fd->comm, b->line.periodic, &(struct sw_comm_transfer){1, &b->u[0], &t->u_right},
                            &(struct sw_comm_transfer){1, &b->l[b->q - 1], &t->l_left});
}

/* A and B of first and last. What comes from the neighbours is put where A and B will be. */
static enum sw_status truncated_join(const struct sw_fd_distributed *fd)
{
    const struct truncated *t = fd->own;
    const struct fd_block *b = &fd->block;
    SW_TRY(sw_comm_exchange(fd->comm, b->line.periodic, &(struct sw_comm_transfer){b->lines, b->first, b->B},
                            &(struct sw_comm_transfer){b->lines, b->last, b->A}));
    if (b->left) {
        const double by = 1 / (1 - t->l_left * b->u[0]);
        for (size_t j = 0; j < b->lines; j++) b->A[j] = (b->A[j] + t->l_left * b->first[j]) * by;
    }
    if (b->right) {
        const double by = 1 / (1 - b->l[b->q - 1] * t->u_right);
        for (size_t j = 0; j < b->lines; j++) b->B[j] = (b->B[j] + t->u_right * b->last[j]) * by;
    }
    return SW_OK;
}

static enum sw_status truncated_apply(const struct sw_fd_distributed *fd, const double *f, double *out)
{
    fd_block_solve(&fd->block, f, out);
    SW_TRY(truncated_join(fd));
    fd_block_finish(&fd->block, out);
    return SW_OK;
}

static enum sw_status strips_apply(const struct sw_fd_distributed *fd, const double *f, double *out)
{
    fd_block_ends(&fd->block, f);
    SW_TRY(truncated_join(fd));
    fd_block_pass(&fd->block, f, out);
    return SW_OK;
}

static void truncated_destroy(struct sw_fd_distributed *fd) { sw_free(fd->own); }

extern const struct sw_fd_distributed_ops fd_truncated_cpu, fd_strips_cpu;
const struct sw_fd_distributed_ops fd_truncated_cpu = {
    .name = "cpu.truncated",
    .about = "two unknowns an interface, far couplings dropped where they are below rounding (DistD2)",
    .space = SW_HOST,
    .fits = truncated_fits,
    .create = truncated_create,
    .connect = truncated_connect,
    .apply = truncated_apply,
    .destroy = truncated_destroy,
};

const struct sw_fd_distributed_ops fd_strips_cpu = {
    .name = "cpu.strips",
    .about = "the same, with the interfaces found first, from strips at the ends: then all points in one pass",
    .space = SW_HOST,
    .fits = truncated_fits,
    .create = truncated_create,
    .connect = truncated_connect,
    .apply = strips_apply,
    .destroy = truncated_destroy,
};
