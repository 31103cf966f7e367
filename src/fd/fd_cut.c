#include "fd/fd_cut.h"

#include <math.h>
#include <stdio.h>

#include "base/sw_err.h"
#include "fd/sw_fd_impl.h"

enum { UNKNOWNS = 1024 };  /* of all interfaces: setting up takes UNKNOWNS^3/3 operations, 0.4 10^9 */

/* ------------------------------------------------------------------ decay */

/* z of beta (z^2 + z^-2) + alpha (z + z^-1) + 1 = 0, with c = z + 1/z: the larger one inside the circle belongs to the
 * smaller |c|. */
static double decay_of(const struct sw_fd_line *line)
{
    const double al = fabs(line->alpha), be = line->beta;
    if (be == 0) return 2 * al / (1 + sqrt(1 - 4 * al * al));
    const double c = (al - sqrt(al * al - 4 * be * (1 - 2 * be))) / (2 * be);
    return 2 / (c + sqrt(c * c - 4));
}

int64_t fd_decay_length(const struct sw_fd_line *line, double drop)
{
    const double rho = decay_of(line);
    int64_t m = 1;
    if (!(rho < 1)) return INT64_MAX;
    if (rho > 0) m = (int64_t)fmax(1, ceil(log(drop) / log(rho)));
    while (pow(rho, (double)m) > drop) m++;
    return m;
}

/* ------------------------------------------------------------------ the line and its parts */

static int least_of(const struct sw_fd_line *line)
{
    int least = line->half_width > 0 ? line->half_width : 1;
    if (!line->periodic && least < 4) least = 4;  /* two eliminated points, and the two that they are completed from */
    for (int r = 0; r < line->rows; r++)
        if (least < line->points[r] - line->half_width) least = line->points[r] - line->half_width;
    return least;
}

int sw_fd_least_of_rank(const char *scheme, const char *boundary)
{
    struct sw_fd_line line;
    const int n = sw_fd_min_points(scheme, boundary);
    const double alpha = n && sw_fd_scheme_find(scheme)->any_alpha ? SW_FD_SOME_ALPHA : 0;
    return !n || sw_fd_line_make(scheme, boundary, n, 1, alpha, false, &line) ? 0 : least_of(&line);
}

static enum sw_status check_counts(const struct sw_fd_desc *desc, const struct fd_cut *cut)
{
    const int least = least_of(cut->line), size = cut->comm->size;
    for (int r = 0; r < size && size > 1; r++)
        if (fd_cut_points(cut, r) < least)
            return SW_FAIL(SW_E_ARG,
                           "rank %d of %d has %lld points of the line: %s with boundary \"%s\" needs at least %d "
                           "on every rank",
                           cut->count ? r : cut->comm->rank, size, (long long)fd_cut_points(cut, r), desc->scheme,
                           desc->boundary, least);
    return SW_OK;
}

static void set_part(struct fd_cut *cut)
{
    const struct sw_fd_line *line = cut->line;
    cut->beside = line->beta != 0 ? 2 : 1;
    cut->interfaces = cut->comm->size - (line->periodic ? 0 : 1);
    cut->left = sw_comm_left(cut->comm, line->periodic) >= 0;
    cut->right = sw_comm_right(cut->comm, line->periodic) >= 0;
    cut->halo_left = line->half_width - line->down;
    cut->halo_right = line->half_width + line->up;
    cut->skip = cut->left ? 0 : 2;
    cut->q = cut->m - cut->skip - (cut->right ? 0 : 2);
}

/* The line of n points, of which cut->count are given out. */
static enum sw_status make(const struct sw_fd_desc *desc, int64_t n, struct sw_fd_line *line, struct fd_cut *cut)
{
    SW_TRY(sw_fd_line_make(desc->scheme, desc->boundary, n, desc->h, desc->alpha, desc->left, line));
    cut->line = line;
    cut->drop = desc->drop ? desc->drop : 0x1p-53;
    if (!(cut->drop > 0 && cut->drop < 1))
        return SW_FAIL(SW_E_ARG, "drop = %g: couplings that may be dropped are between 0 and 1", desc->drop);
    SW_TRY(check_counts(desc, cut));
    set_part(cut);
    return SW_OK;
}

static enum sw_status check_points(const struct sw_fd_desc *desc)
{
    const int64_t m = desc->n[desc->axis];
    if (m <= INT64_C(1) << 40) return SW_OK;
    return SW_FAIL(SW_E_ARG, "%lld points of lines that are cut over ranks: 2^40 on a rank are possible", (long long)m);
}

enum sw_status fd_cut_assume(const struct sw_fd_desc *desc, struct sw_fd_line *line, struct fd_cut *cut)
{
    SW_TRY(check_points(desc));
    *cut = (struct fd_cut){.comm = desc->comm, .m = desc->n[desc->axis]};
    cut->first = cut->m * desc->comm->rank;
    return make(desc, cut->m * desc->comm->size, line, cut);
}

enum sw_status fd_cut_gather(const struct sw_fd_desc *desc, struct sw_owned *arrays, struct sw_fd_line *line,
                             struct fd_cut *cut)
{
    const struct sw_comm *comm = desc->comm;
    double all[SW_COMM_MOST];
    int64_t *count, n = 0;
    *cut = (struct fd_cut){.comm = comm, .m = desc->n[desc->axis]};
    SW_TRY(sw_comm_gather_one(comm, (double)cut->m, all));
    sw_array(arrays, (size_t)comm->size, &count);
    SW_TRY(arrays->status);
    SW_TRY(check_points(desc));
    for (int r = 0; r < comm->size; r++) {
        if (r == comm->rank) cut->first = n;
        n += count[r] = (int64_t)all[r];
    }
    cut->count = count;
    return make(desc, n, line, cut);
}

/* ------------------------------------------------------------------ what is refused */

enum sw_status fd_cut_compare(const struct sw_fd_desc *desc, size_t lines, int row, const struct fd_cut *cut)
{
    static const char *const name[] = {"number of lines", "scheme's kind", "scheme's half-width", "scheme's alpha",
                                       "scheme's side", "weights and step", "boundary", "boundary's weights", "drop",
                                       "precision", "adding to a field", "row"};
    enum { COUNT = sizeof name / sizeof *name };
    const struct sw_fd_line *l = cut->line;
    const double mine[COUNT] = {(double)lines, l->kind, l->half_width, l->alpha, l->up + 2 * l->down, l->weight[1],
                                l->periodic ? -1 : l->end.a1, l->wall[0][0], cut->drop, desc->single, desc->add, row};
    double most[COUNT], least[COUNT];
    for (int k = 0; k < COUNT; k++) {
        most[k] = mine[k];
        least[k] = -mine[k];
    }
    SW_TRY(sw_comm_max(cut->comm, COUNT, most));
    SW_TRY(sw_comm_max(cut->comm, COUNT, least));
    for (int k = 0; k < COUNT; k++)
        if (most[k] != -least[k])
            return SW_FAIL(SW_E_ARG, "the ranks that share a line differ in their %s: from %g to %g", name[k],
                           -least[k], most[k]);
    return SW_OK;
}

/* Parts with others on both sides couple two interfaces: by u at their last point, which is below rho^m with three
 * diagonals. With five, where the two values at an end count, it is below rho^(m - 4). */
const char *fd_cut_refuse_truncation(struct fd_cut *cut)
{
    const double rho = decay_of(cut->line);
    const int size = cut->comm->size, alone = cut->line->periodic ? 0 : 1, less = cut->beside > 1 ? 4 : 0;
    for (int r = alone; r < size - alone; r++) {
        const int64_t m = fd_cut_points(cut, r);
        const double left = pow(rho, (double)(m - less));
        if (left <= cut->drop) continue;
        snprintf(cut->why, sizeof cut->why,
                 "rank %d of %d has m = %lld points, over which an influence falls to rho^%s = %.2g (rho = %.4g), "
                 "which is above eps = %.2g; from %lld points on it may be, and %s.mattor drops nothing",
                 r, size, (long long)m, less ? "(m - 4)" : "m", left, rho, cut->drop,
                 (long long)fd_decay_length(cut->line, cut->drop) + less,
                 sw_comm_space(cut->comm) == SW_DEVICE ? "cuda" : "cpu");
        return cut->why;
    }
    return NULL;
}

const char *fd_cut_refuse_closure(struct fd_cut *cut)
{
    const int most = UNKNOWNS / 2 / cut->beside;
    if (cut->comm->size <= most) return NULL;
    snprintf(cut->why, sizeof cut->why, "each of %d ranks would solve for all interfaces; it does up to %d ranks",
             cut->comm->size, most);
    return cut->why;
}
