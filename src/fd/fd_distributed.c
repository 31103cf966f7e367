#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "fd/fd_distributed_impl.h"

int sw_fd_distributed_least(const char *scheme, const char *boundary)
{
    struct sw_fd_line line;
    const int n = sw_fd_min_points(scheme, boundary);
    if (!n || sw_fd_line_make(scheme, boundary, n, 1, 0, false, &line)) return 0;
    int least = line.half_width > 0 ? line.half_width : 1;
    if (!line.periodic && least < 4) least = 4;  /* two eliminated points, and the two that they are completed from */
    for (int r = 0; r < line.rows; r++)
        if (least < line.points[r] - line.half_width) least = line.points[r] - line.half_width;
    return least;
}

/* ------------------------------------------------------------------ checks */

/* Checks of one rank's part, before any communication. */
static enum sw_status check_local(const struct sw_fd_desc *local)
{
    if (local->axis < 0 || local->axis > 2) return SW_FAIL(SW_E_ARG, "axis %d: there are 0, 1 and 2", local->axis);
    if (local->n[local->axis] < 1 || local->n[local->axis] > INT64_C(1) << 40)
        return SW_FAIL(SW_E_ARG, "%lld points along the axis: 1 to 2^40 are possible",
                       (long long)local->n[local->axis]);
    if (local->add)
        return SW_FAIL(SW_E_ARG, "differences of lines that are cut over ranks replace what is there: no add");
    return SW_OK;
}

/* n, and where this rank's points begin. */
static enum sw_status gather_counts(struct sw_fd_distributed *s, int64_t m, int64_t *n)
{
    double all[SW_COMM_MOST];
    SW_TRY(sw_comm_agree(s->comm, sw_alloc((size_t)s->comm->size, &s->cut.count)));
    SW_TRY(sw_comm_gather_one(s->comm, (double)m, all));
    *n = 0;
    for (int r = 0; r < s->comm->size; r++) {
        if (r == s->comm->rank) s->first = *n;
        *n += s->cut.count[r] = (int64_t)all[r];
    }
    return SW_OK;
}

static enum sw_status check_counts(const struct sw_fd_desc *local, const struct sw_fd_cut *cut)
{
    const int least = sw_fd_distributed_least(local->scheme, local->boundary);
    for (int r = 0; r < cut->size && cut->size > 1; r++)
        if (cut->count[r] < least)
            return SW_FAIL(SW_E_ARG,
                           "rank %d of %d has %lld points of the line: %s with boundary \"%s\" needs at least %d "
                           "on every rank",
                           r, cut->size, (long long)cut->count[r], local->scheme, local->boundary, least);
    return SW_OK;
}

/* The line of all points, checked as if it were in one piece. */
static enum sw_status make_line(const struct sw_fd_distributed_desc *desc, int64_t n, struct sw_fd_cut *cut)
{
    struct sw_fd_desc whole = desc->local;
    whole.n[whole.axis] = n;
    SW_TRY(sw_fd_check(&whole));
    SW_TRY(sw_fd_line_make(whole.scheme, whole.boundary, n, whole.h, whole.alpha, whole.left, &cut->line));
    if (cut->line.beta != 0)
        return SW_FAIL(SW_E_ABSENT, "scheme %s has five diagonals: lines with three can be cut over ranks",
                       whole.scheme);
    if (whole.single) return SW_FAIL(SW_E_ABSENT, "lines that are cut over ranks are in double precision");
    cut->drop = desc->drop ? desc->drop : 0x1p-53;
    if (!(cut->drop > 0 && cut->drop < 1))
        return SW_FAIL(SW_E_ARG, "drop = %g: couplings that may be dropped are between 0 and 1", desc->drop);
    return check_counts(&desc->local, cut);
}

/* All that must be the same everywhere, as numbers. */
static enum sw_status same_everywhere(const struct sw_fd_distributed *s)
{
    static const char *const name[] = {"number of lines", "scheme's kind", "scheme's half-width", "scheme's alpha",
                                       "scheme's side", "weights and step", "boundary", "boundary's weights", "drop",
                                       "row"};
    enum { COUNT = sizeof name / sizeof *name };
    const struct sw_fd_line *l = &s->cut.line;
    int row = 0;
    while (sw_fd_distributed_table[row] != s->ops) row++;
    const double mine[COUNT] = {(double)s->block.lines, l->kind, l->half_width, l->alpha, l->up + 2 * l->down,
                                 l->weight[1],
                                l->periodic ? -1 : l->end.a1, l->wall[0][0], s->cut.drop, row};
    double most[COUNT], least[COUNT];
    for (int k = 0; k < COUNT; k++) {
        most[k] = mine[k];
        least[k] = -mine[k];
    }
    SW_TRY(sw_comm_max(s->comm, COUNT, most));
    SW_TRY(sw_comm_max(s->comm, COUNT, least));
    for (int k = 0; k < COUNT; k++)
        if (most[k] != -least[k])
            return SW_FAIL(SW_E_ARG, "the ranks that share a line differ in their %s: from %g to %g", name[k],
                           -least[k], most[k]);
    return SW_OK;
}

/* Whether a row fits a cut is known only with a message of its own (its fits()). */
static const char *refuse(const struct sw_row *row, const void *comm, enum sw_status *kind)
{
    (void)kind;
    return row && row->space == sw_comm_space(comm) ? NULL : "it does not work on this device with this communicator";
}

SW_ROWS(rows, "distributed differences", sw_fd_distributed_table, .refuse = refuse);

/* The first row that does this cut. If none does, the reason of the last one that works here. */
static enum sw_status pick(const char *name, const struct sw_device *device, struct sw_fd_distributed *s)
{
    const struct sw_row *row = NULL;
    enum sw_status st = SW_OK;
    SW_TRY(sw_row_pick(&rows, name, device->space, s->comm, &row));
    for (int k = 0; sw_fd_distributed_table[k]; k++) {
        const struct sw_fd_distributed_ops *o = sw_fd_distributed_table[k];
        if (!sw_row_named(&rows, &o->row, name) || !sw_row_usable(&rows, &o->row, device->space, s->comm)) continue;
        s->ops = o;
        if (!(st = o->fits(&s->cut))) return SW_OK;
    }
    return st;
}

/* ------------------------------------------------------------------ create, apply, destroy */

/* Between two agreements a step is local, or communicates before it can fail: so no rank waits for one that failed. */
static enum sw_status set_up(const struct sw_fd_distributed_desc *desc, const char *row, struct sw_device *device,
                             struct sw_fd_distributed *s)
{
    const struct sw_comm *comm = s->comm;
    const struct sw_fd_desc *local = &desc->local;
    int64_t n = 0;
    SW_TRY(sw_comm_agree(comm, check_local(local)));
    SW_TRY(gather_counts(s, local->n[local->axis], &n));
    enum sw_status st = make_line(desc, n, &s->cut);
    if (!st) st = pick(row, device, s);
    if (!st) st = fd_block_create(local, &s->cut.line, comm, device->threads, &s->block);
    SW_TRY(sw_comm_agree(comm, st));
    SW_TRY(same_everywhere(s));
    SW_TRY(sw_comm_agree(comm, s->ops->create(s)));
    return sw_comm_agree(comm, s->ops->connect(s));
}

enum sw_status sw_fd_distributed_create(const struct sw_fd_distributed_desc *desc, const char *row,
                                        const struct sw_comm *comm, struct sw_device *device,
                                        struct sw_fd_distributed **fd)
{
    struct sw_fd_distributed *s = NULL;
    *fd = NULL;
    enum sw_status st = sw_comm_agree(comm, sw_alloc(1, &s));
    if (!st) {
        s->comm = comm;
        s->cut.size = comm->size;
        st = set_up(desc, row, device, s);
    }
    if (st) sw_fd_distributed_destroy(&s);
    *fd = s;
    return st;
}

enum sw_status sw_fd_distributed_apply(const struct sw_fd_distributed *fd, const double *f, double *out)
{
    SW_TRY(fd_block_halo(&fd->block, fd->comm, f));
    return fd->ops->apply(fd, f, out);
}

void sw_fd_distributed_destroy(struct sw_fd_distributed **fd)
{
    if (!fd || !*fd) return;
    if ((*fd)->ops) (*fd)->ops->destroy(*fd);
    fd_block_destroy(&(*fd)->block);
    sw_free((*fd)->cut.count);
    sw_free(*fd);
    *fd = NULL;
}

const char *sw_fd_distributed_row(int k)
{
    return sw_fd_distributed_table[k] ? sw_fd_distributed_table[k]->name : NULL;
}

const char *sw_fd_distributed_name(const struct sw_fd_distributed *fd) { return fd->ops->name; }

int64_t sw_fd_distributed_points(const struct sw_fd_distributed *fd) { return fd->cut.line.n; }

int64_t sw_fd_distributed_first(const struct sw_fd_distributed *fd) { return fd->first; }
