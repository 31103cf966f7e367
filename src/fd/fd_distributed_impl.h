#ifndef FD_DISTRIBUTED_IMPL_H
#define FD_DISTRIBUTED_IMPL_H
/* Private to distributed compact differences: what a rank does with its part of the lines, and what a method of the
 * table provides. One file a method, listed in fd_distributed_table.c. */
#include "base/row.h"
#include "fd/sw_fd_distributed.h"

/* ------------------------------------------------------------------ a rank's part of the lines */

/* One rank's part of lines that are cut over several, on the host (fd_distributed_block.c). With A the value left of
 * the part and B the one right of it, both on other ranks, the part of a line is
 *
 *     x = x_r + A u + B l,      T x_r = r,      T u = -alpha e_1,      T l = -alpha e_m
 *
 * where T is what lies on the diagonal block of the matrix. Next to a wall its two rows are eliminated as in
 * sw_fd_line.end, and T has two rows fewer. u and l are computed once, in long double. They decay from their ends;
 * where they are below 2^-60 they are not added.
 *
 * To find A and B a rank needs x_r at the ends of all parts, or of the neighbouring ones. There are two ways:
 *   solve, then finish  x_r everywhere; later A u and B l are added to the points near the ends
 *   ends, then pass     x_r at the two ends only, as sums over the right-hand sides near them: the first row of T^-1
 *                       decays as u does; later x in one pass, from T x = r - alpha A e_1 - alpha B e_m */

struct fd_block {
    struct sw_fd_line line;       /* the whole line                                               */
    int64_t  m;                   /* points of this rank                                          */
    size_t   stride, outer;       /* line o*stride + s begins at o*stride*m + s                   */
    size_t   lines;               /* outer*stride                                                 */
    int      threads;
    bool     left, right;              /* whether there is a part on that side */
    int      halo_left, halo_right;    /* points of the neighbours that right-hand sides need */
    double  *from_left, *from_right;   /* [outer][halo][stride] */
    double  *to_left, *to_right;       /* [outer][halo of that neighbour][stride] */
    int64_t  skip, q;                  /* eliminated points at the left end, and rows of T */
    double  *lower, *inverse, *upper;  /* [q]: entry to the left, 1/pivot, entry to the right/pivot */
    double  *u, *l;                    /* [q] */
    int64_t  u_count, l_count;         /* how many of u are added, from its first; of l, up to its last */
    double  *row_first, *row_last;     /* [q]: the first and the last row of T^-1 */
    int64_t  first_count, last_count;  /* how many of these are not below 2^-60 */
    double  *ends;                     /* [2][lines]: x_r at the first and at the last point; 0 at a wall */
    double  *first, *last;             /* the two */
    double  *A, *B;                    /* [lines] */
};

/** Allocate and factor. No communication.
 *  @param local  this rank's shape  @param line  the whole line
 *  @return SW_E_SINGULAR; SW_E_MEMORY */
enum sw_status fd_block_create(const struct sw_fd_desc *local, const struct sw_fd_line *line,
                               const struct sw_comm *comm, int threads, struct fd_block *b);
void fd_block_destroy(struct fd_block *b);

/** The neighbours' points next to this part. Collective. @param f  [outer][m][stride] */
enum sw_status fd_block_halo(const struct fd_block *b, const struct sw_comm *comm, const double *f);

/** out := x_r, and first and last. At a wall the two eliminated points are not complete yet. */
void fd_block_solve(const struct fd_block *b, const double *f, double *out);

/** out := x_r + A u + B l, and the points at walls. */
void fd_block_finish(const struct fd_block *b, double *out);

/** first and last, alone. */
void fd_block_ends(const struct fd_block *b, const double *f);

/** out := x, of A and B. */
void fd_block_pass(const struct fd_block *b, const double *f, double *out);

/* ------------------------------------------------------------------ rows of the table */

/* How lines are cut, the same on all ranks. */
struct sw_fd_cut {
    struct sw_fd_line line;
    int               size;
    int64_t          *count;  /* [size] points of each rank */
    double            drop;
};

struct sw_fd_distributed_ops {
    SW_ROW;                 /* its space: where f and out, and the communicator's arrays, must live      */
    /* Whether it does this cut; else SW_E_ABSENT, with a message that says why and what would do        */
    enum sw_status (*fits)(const struct sw_fd_cut *cut);
    enum sw_status (*create)(struct sw_fd_distributed *fd);   /* allocates; no communication, own is NULL before */
    enum sw_status (*connect)(struct sw_fd_distributed *fd);  /* collective: communicates first, then may fail   */
    /* Collective. The neighbours' points next to the part are there. */
    enum sw_status (*apply)(const struct sw_fd_distributed *fd, const double *f, double *out);
    void           (*destroy)(struct sw_fd_distributed *fd);  /* own may be NULL                                 */
};

struct sw_fd_distributed {
    const struct sw_fd_distributed_ops *ops;
    const struct sw_comm *comm;
    struct sw_fd_cut      cut;
    int64_t               first;  /* point of the line, of this rank */
    struct fd_block       block;
    void                 *own;
};

extern const struct sw_fd_distributed_ops *const sw_fd_distributed_table[];  /* ends with NULL; order is preference */
#endif
