#ifndef FD_CUT_H
#define FD_CUT_H
/* Private to compact differences of lines that are cut over the ranks of a communicator
 * (docs/explanation/compact_distributed.md). What does not depend on where the numbers live is here, for the rows of
 * every device:
 *
 *     fd_cut.c         how the ranks cut a line, and what is refused
 *     fd_interfaces.c  what a part of the line makes of the values beside it, and the equations for these values
 *     fd_cut_cpu.c     the rows on the CPU; fd_cut_simd.c their arithmetic
 *     fd_cut_cuda.c    the row on GPUs for long parts, fd_mattor_cuda.c that for parts of any length
 *
 * With A_k the k-th value left of a rank's part and B_k the k-th right of it, both on other ranks, the part of a line
 * is
 *
 *     x = x_r + sum A_k u_k + sum B_k l_k,      T x_r = r,      T u_k = -(row entries of A_k),      T l_k likewise
 *
 * where T is what lies on the diagonal block of the matrix, and k = 1 with three diagonals, 1 and 2 with five. Next to
 * a wall the two rows of the closure are eliminated as in sw_fd_line.end, and T has two rows fewer. */
#include "comm/sw_comm.h"
#include "device/sw_owned.h"
#include "fd/sw_fd.h"

enum { FD_BESIDE = 2, FD_COUPLINGS = 4 * FD_BESIDE * FD_BESIDE };

struct fd_cut {
    const struct sw_comm    *comm;   /* NULL: the lines are whole, and the rest is not to be looked at */
    const struct sw_fd_line *line;   /* of all ranks together */
    const int64_t *count;            /* [comm->size] points of each rank; NULL: all have m */
    int64_t m, first;                /* points of this rank; the first of them, of the line's */
    double  drop;                    /* rows that drop small couplings: how large one may be, of 1 */
    char    why[256];                /* room for the reason of a refusal */

    int     interfaces;              /* between parts; interface q lies right of rank q */
    int     beside;                  /* values beside a part that it takes: 1 with three diagonals, 2 with five */
    bool    left, right;             /* whether there is a part on that side */
    int     halo_left, halo_right;   /* points of the neighbours that right-hand sides need */
    int64_t skip, q;                 /* eliminated points at the left end, and rows of T */
    /* The following decay away from one end: so many entries, counted from it, are not below 2^-60. */
    struct fd_decaying { double *x; int64_t count; }   /* [q], host */
            u[FD_BESIDE], l[FD_BESIDE];                /* u decays from the left end, l from the right one */
    double *couple;                  /* [comm->size][FD_COUPLINGS]: u and l of each rank at the ends of its part */
};

/* ---- fd_cut.c */

/** Points of a rank. */
static inline int64_t fd_cut_points(const struct fd_cut *cut, int rank)
{
    return cut->count ? cut->count[rank] : cut->m;
}

/** The least m for which rho^m is not above drop, drop > 0, where influences decay by rho from a point to the next:
 *  with five diagonals those of the slower factor of the matrix. */
int64_t fd_decay_length(const struct sw_fd_line *line, double drop);

/** Known without communication: the cut in which all ranks have as many points as this one, and the line of them all.
 *  @return as sw_fd_line_make(); SW_E_ARG too few points for a rank, drop out of range */
enum sw_status fd_cut_assume(const struct sw_fd_desc *desc, struct sw_fd_line *line, struct fd_cut *cut);

/** The same of the points that the ranks have. Collective: all ranks communicate before one can fail.
 *  @param arrays  get what the cut needs
 *  @return as fd_cut_assume(), SW_E_COMM; a failure is this rank's own, and for the caller to agree on */
enum sw_status fd_cut_gather(const struct sw_fd_desc *desc, struct sw_owned *arrays, struct sw_fd_line *line,
                             struct fd_cut *cut);

/** Find out whether all ranks ask for the same differences. Collective, fails on all ranks alike.
 *  @param lines, row  of this rank: how many; the index in the table
 *  @return SW_E_ARG; SW_E_COMM */
enum sw_status fd_cut_compare(const struct sw_fd_desc *desc, size_t lines, int row, const struct fd_cut *cut);

/** The text why parts are too short for the far couplings to be dropped; NULL: they are not. */
const char *fd_cut_refuse_truncation(struct fd_cut *cut);
/** The text why the equations of all interfaces are too many for each rank to solve; NULL: they are not. */
const char *fd_cut_refuse_closure(struct fd_cut *cut);

/* ---- fd_interfaces.c */

/** Set u and l, in long double, rounded once. Local. Where arrays are counted, no more than that.
 *  @return SW_E_MEMORY; SW_E_SINGULAR */
enum sw_status fd_part_respond(struct fd_cut *cut, struct sw_owned *arrays);
/** Gather `couple`, for which there is room. Collective. @return SW_E_COMM */
enum sw_status fd_part_couple(struct fd_cut *cut);

/** The weights with which x_r beside interfaces give A_k (or at the right end B_k), on a side where there is a part:
 *  one sum a line. The terms of interface q are x_r at the last points of rank q, the very last one first, and at the
 *  first points of rank q + 1.
 *  @param alone   of the interface at that end, the couplings across a part dropped; else of all interfaces, exactly
 *  @param weight  out [beside][terms], terms = 2 beside times the number of interfaces that count
 *  @return SW_E_MEMORY; SW_E_SINGULAR */
enum sw_status fd_interface_weights(const struct fd_cut *cut, bool right, bool alone, double *weight);
#endif
