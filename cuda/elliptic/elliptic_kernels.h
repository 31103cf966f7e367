#ifndef CUDA_ELLIPTIC_KERNELS_H
#define CUDA_ELLIPTIC_KERNELS_H
/* Launchers of the kernels for elliptic systems (elliptic_*.cu; elliptic/sw_elliptic.h). Arrays of a field are
 * [systems][ny][nz][nx]. cuda/sw_cuda.h says what holds for all. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda/sw_cuda.h"
#include "elliptic/elliptic_plane_point.h"
#include "elliptic/elliptic_planes_point.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The matrices of a batch: what struct sw_elliptic_matrix has, on the device. */
struct sw_cuda_elliptic {
    int64_t nx, ny, nz;
    int     systems;
    bool    periodic_x, periodic_y;
    const double *area, *east, *north, *cross;  /* of all systems; cross NULL: there is none           */
    const double *a, *b, *c, *d;                /* [systems][nz]                                      */
    const double *kx, *ky, *kz;                 /* [systems] of a matrix's faces; NULL: they are 1    */
    const double *before, *behind;              /* [systems][nz][nx]: of a grid that is cut along y, the slabs of other
                                                   ranks before its first and behind its last, of the vector that A is
                                                   applied to; NULL: it is 0 there. periodic_y is false then      */
};

enum {
    SW_CUDA_ELLIPTIC_PART = 2048,  /* cells of a system that one block adds up                */
    SW_CUDA_ELLIPTIC_STRIP = 8,    /* levels of a column that a thread applies the matrix to  */
    SW_CUDA_ELLIPTIC_CHUNK = 8     /* levels of a column between pivots that are kept         */
};

/* What a space of their vectors does (elliptic_cells.cu; elliptic/elliptic_refine.h).
 * @param partial  scratch [systems][sw_cuda_elliptic_partials()]
 * @param sum      out [systems]; may be pinned memory of the host
 * @param r        NULL: only its norm is wanted, the same bits
 * @param rests    [systems][nz/CHUNK, rounded up][ny][nx]: of each column at the lowest level of each chunk the
 *                 quotient that elliptic_pivot() (elliptic/elliptic_point.h) takes from the level below */
int64_t sw_cuda_elliptic_partials(int64_t nx, int64_t ny, int64_t nz);
enum sw_status sw_cuda_elliptic_apply(sw_cuda_stream stream, const struct sw_cuda_elliptic *m, const double *u,
                                      double *y);
enum sw_status sw_cuda_elliptic_dot(sw_cuda_stream stream, const struct sw_cuda_elliptic *m, const double *x,
                                    const double *y, double *partial, double *sum);
enum sw_status sw_cuda_elliptic_residual(sw_cuda_stream stream, const struct sw_cuda_elliptic *m, const double *f,
                                         const double *u, double *r, double *partial, double *sum);
/** y [count] = alpha x + beta y; what is multiplied by 0 is not looked at. */
enum sw_status sw_cuda_elliptic_combine(sw_cuda_stream stream, int64_t count, double alpha, const double *x,
                                        double beta, double *y);
/** x [count] is rounded to the 24 bits of single precision, whatever its exponent: |x| < 1e299. */
enum sw_status sw_cuda_elliptic_shorten(sw_cuda_stream stream, int64_t count, double *x);
enum sw_status sw_cuda_elliptic_pivots(sw_cuda_stream stream, const struct sw_cuda_elliptic *m, double *rests);
/** z = M^-1 r, by columns. */
enum sw_status sw_cuda_elliptic_columns(sw_cuda_stream stream, const struct sw_cuda_elliptic *m, const double *rests,
                                        const double *r, double *z);

/* What rows of vertical modes do (elliptic/elliptic_modal.h). In levels a field is [systems][ny][nz][nx], in modes
 * [systems][nz][ny][nx]. */

/* to = X from, or to += X from, of every column, X of a system's own (elliptic_transform.cu). */
struct sw_cuda_transform {
    int64_t nx, ny, nz;
    int     systems;
    bool    add;
    const double *packed;        /* [..][sw_cuda_transform_words()]                                       */
    const int    *of;            /* [systems]: which of them                                              */
    const double *goal;          /* [systems]: below 0: the system is left as it is; NULL: none is        */
    const double *from;          /* [systems][nx*ny*nz], as is `to`: level or mode k of slab y at k*row + y*slab */
    double  *to;
    int64_t  from_row, from_slab, to_row, to_slab;
    const double *other;         /* like `from`, for rows first_other[system] and those behind it         */
    const int *first_other;      /* [systems]; NULL: all rows are in `from`                               */
    double  *squares;            /* out [systems][nz][sw_cuda_transform_squares()]: sums of squares of each row of what
                                  * comes out (not added); NULL: they are not wanted                      */
    double  *from_squares;       /* out [systems][sw_cuda_transform_squares()]: of all that goes in; NULL */
};
size_t sw_cuda_transform_words(int64_t nz);
/** How many sums of squares there are of a plane that comes out, and of a system that goes in. */
int64_t sw_cuda_transform_squares(int64_t nx, int64_t ny, int64_t nz);
/** What is to be left of systems, from sums of squares of their f.
 * @param squares  [systems][of_system]
 * @param part     [systems]: of |f|
 * @param ff       out [systems]: |f|²; may be pinned memory of the host
 * @param goal     out [systems]: part |f|; -1 where |f| is 0 or not finite */
enum sw_status sw_cuda_transform_goals(sw_cuda_stream stream, int systems, const double *squares, int64_t of_system,
                                       const double *part, double *ff, double *goal);
/** Pack X for it, on the host. @param x  [nz][nz] @param transposed  whether X is x^T */
void sw_cuda_transform_pack(int64_t nz, const double *x, bool transposed, double *packed);
enum sw_status sw_cuda_transform(sw_cuda_stream stream, const struct sw_cuda_transform *t);
/** Copy `count` rows of `width` words: row k from k*from_pitch to k*to_pitch. Slabs of planes become whole planes. */
enum sw_status sw_cuda_copy_rows(sw_cuda_stream stream, int64_t width, int64_t count, const double *from,
                                 int64_t from_pitch, double *to, int64_t to_pitch);


/* Problems (Lh + lambda area) w = g in the plane, (system, mode) by its number system*nz + mode. */
struct sw_cuda_planes {
    struct sw_cuda_elliptic matrix;  /* what is horizontal, nz                                            */
    const double *lambda, *share;    /* [systems][nz]: a residual has to be goal times share              */
    const double *goal;              /* [systems]: of f - A u; below 0: the system is left as it is       */
    const int    *order;             /* [count]: problems, hardest first                                  */
    int           count;
    int          *queue;             /* 0                                                                 */
    double       *w;                 /* [systems][nz][ny][nx]: in g, out w                                */
    struct elliptic_plane_outcome *outcome;  /* [systems][nz]                                             */
    struct elliptic_plane_bounds bounds;     /* of the matrices of all modes                              */
};
/** By conjugate gradients with vectors in device memory, a cluster of blocks a problem (elliptic_plane_memory.cu).
 * @param precise   in double; else in single precision under corrections in double
 * @param clusters  so many problems at once, of `size` blocks each, 1 .. 8, or 16 where there are such clusters
 * @param work      [clusters][sw_cuda_planes_work()] bytes */
enum sw_status sw_cuda_planes_in_memory(sw_cuda_stream stream, const struct sw_cuda_planes *s, bool precise,
                                        int clusters, int size, void *work);
size_t sw_cuda_planes_work(int64_t cells, bool cross, bool precise);
/** Of clusters of so many blocks, how many run at once on this device; 0: none. */
enum sw_status sw_cuda_planes_memory_clusters(int size, int *clusters);
/** By Chebyshev's polynomials on chip (elliptic_plane_chip.cu), where lambda holds all waves: the steps grow with the
 * square root of 1/lambda.
 * @param planes    what sw_cuda_planes_chip_pack() made of the matrix
 * @param check     residuals are formed when all is done; else what is left may be a bound of them
 * @param size      sw_cuda_planes_chip_size()
 * @param work      [clusters][nx*ny] doubles */
enum sw_status sw_cuda_planes_on_chip(sw_cuda_stream stream, const struct sw_cuda_planes *s, const float *planes,
                                      bool check, int clusters, int size, void *work);
/** What is horizontal of a matrix, in single precision, on the host.
 * @param m       arrays on the host
 * @param planes  out [sw_cuda_planes_chip_words()] */
void sw_cuda_planes_chip_pack(const struct sw_cuda_elliptic *m, float *planes);
size_t sw_cuda_planes_chip_words(int64_t nx, int64_t ny, bool cross);
/** @param least   blocks of a cluster, a power of two; more than are needed make steps shorter
 * @param most    8, or 16 where the processor can, or 1 before compute capability 9.0
 * @param memory  bytes of shared memory that a block may have
 * @return how many blocks a plane takes, a power of two; 0: it does not fit */
int sw_cuda_planes_chip_size(int64_t nx, int64_t ny, bool cross, bool periodic_x, bool periodic_y, int least, int most,
                             size_t memory);
/** Whether this device, and the code that it runs, has clusters of several blocks. */
enum sw_status sw_cuda_planes_have_clusters(bool *have);
/** Of clusters of so many blocks, how many run at once on this device; 0: none. */
enum sw_status sw_cuda_planes_chip_clusters(int64_t nx, int64_t ny, bool cross, int size, int *clusters);
/** In tiles that overlap (elliptic_plane_overlapped.cu), for problems that a few steps of Chebyshev's polynomials solve
 * in double precision. What is left is a bound.
 * @param s         s->order has those of the first group, then those of the second ..; s->count is not looked at
 * @param most      of each group, steps at most, 1 .. 21, odd: a problem that would need more leaves more than its
 *                  target
 * @param count     problems of each group
 * @param squares   [systems][nz][of_plane]: sums of squares of g, by the transform
 * @param tasks     scratch, sw_cuda_planes_tasks(problems) bytes
 * @param to        [systems][nz][ny][nx]: out w; s->w stays as it is */
enum { SW_CUDA_PLANE_GROUPS = 6 };
enum sw_status sw_cuda_planes_overlapped(sw_cuda_stream stream, const struct sw_cuda_planes *s, const int most[],
                                         const int count[], const double *squares, int64_t of_plane, void *tasks,
                                         double *to);
size_t sw_cuda_planes_tasks(int problems);

/* ---- multigrid for elliptic systems in single precision (elliptic_multigrid.cu) */

enum { SW_CUDA_MULTIGRID_RING = 8 };  /* directions that are kept until u gets them all at once */

/* One grid of all systems. Of a grid that is cut along y over ranks it has the rows of one rank and some beside them,
 * from an even row on, so that colours are those of the whole grid; where these rows end it ends as at a wall. Words
 * are floats unless said otherwise; a number a column, or a field, lies as
 * elliptic/elliptic_planes_point.h says. The matrix is A over a number of the system, and
 *
 *     A u = area (a u + b (u - up) + c (u - down) + d (wall u + sum of side (u - neighbour) + corner (u - neighbour)))
 *
 * with `side` 0 where there is no neighbour and `wall` what walls weigh; `sides` is the sum of both. Weights of
 * variable systems are complete: x, y, z in place of area d side, area b, area c. */
struct sw_cuda_multigrid_grid {
    struct elliptic_planes planes;
    bool    periodic_x, periodic_y;
    const float *side;             /* [columns][4]: west, east, south, north; NULL: variable                       */
    const float *column;           /* [columns][4]: area, wall, sides, 1/area; of variable systems area is used    */
    const float *corner;           /* [columns][4]: of the cells south-west, -east, north-west, -east; NULL: none  */
    long long own;                 /* words of side and column that a system has of its own; 0: all have the same  */
    const float *x, *y, *z;        /* [systems] of weights at faces, elliptic_x_faces() ... ; NULL: not variable   */
    float  *pivots;                /* [systems][chunks][columns]: P/(P + B) of the level below each chunk of levels */
    float  *f, *u;                 /* [systems] of fields: right-hand side and result                              */
    float  *first;                 /* what the way down leaves: u where there are two colours, and no corners      */
    bool    halved[2];             /* this axis has fewer cells on the next grid                                   */
    int     coarse[2], alone[2];   /* as in struct elliptic_axis, but counted from row 0 of what is here           */
    const float *near[2], *far[2]; /* [nx], [ny]: likewise                                                         */
    int     begin, rows;           /* so many rows from there on are this rank's: of them are sums, and f that comes
                                      from a finer grid                                                            */
    int     shift;                 /* the row of the next grid that row 0 is in, as that counts its rows           */
    bool    wraps;                 /* the next grid has all rows, which are a circle, and this one has not         */
};

/* A system on its way. */
struct sw_cuda_multigrid_state {
    int    grids;                  /* that it has                                                                  */
    int    singular;               /* A u = 0 where u is constant                                                  */
    int    due;                    /* it takes part in this pass                                                   */
    int    done;                   /* it waits for the others                                                      */
    int    broken;                 /* <p, A p> is not above 0                                                      */
    int    directed;               /* there is a direction p, and q = A p, from before                             */
    int    iterations, most;       /* since the pass began; at most                                                */
    int    slot, filled;           /* of the ring: the last direction, and how many u has not got                  */
    double scale;                  /* of the residual that a pass begins with: r = scale (f - A u)                 */
    double unit;                   /* u += unit alpha p                                                            */
    double target;                 /* |r|² to be reached                                                           */
    double rr, rz, qz, pq;         /* <r, r>, <r, z>, <q, z>, <p, q>                                               */
    double z_sum, r_sum, z_mean;   /* of a singular system                                                         */
    double alpha, beta;
    double alphas[SW_CUDA_MULTIGRID_RING];   /* of the directions of the ring                                      */
    double history[SW_CUDA_MULTIGRID_RING];  /* |r|² after iteration k, at (k - 1) mod RING                        */
};

struct sw_cuda_multigrid {
    int     systems, nz, grids;
    double  cells;                 /* of a system, on all ranks                                                    */
    struct elliptic_planes finest;
    int     begin, rows;           /* of this rank on the finest grid, likewise                                    */
    int     chunk, chunks;         /* levels of a thread, threads of a column; chunks = 0: a thread a column       */
    const struct sw_cuda_multigrid_grid *grid;  /* [grids], on the host                                            */
    const float *vertical;         /* [systems][nz][4]: a, b, c, d                                                 */
    struct sw_cuda_multigrid_state *state;      /* [systems]                                                       */
    float  *q;                     /* [systems] of fields of grid 0; r and z are its f and u                       */
    float  *ring;                  /* [RING][systems] of such fields                                               */
    float  *scratch;               /* [systems] of fields of any grid; NULL: chunks > 0                              */
    double *partial;               /* [sw_cuda_multigrid_partial()]: sums of blocks                                */
    unsigned *ticket;              /* [systems], 0 between launches                                                */
    double *sums;                  /* [systems][SUMS]: of a grid that is cut sums of this rank are left there;
                                      NULL: it is not cut                                                          */
};

/** Levels of a thread and threads of a column, for a number of levels. @param variable  the systems are */
void sw_cuda_multigrid_chunks(int nz, bool variable, int *chunk, int *chunks);
/** Words of partial. @param planes  of grid 0 */
size_t sw_cuda_multigrid_partial(const struct elliptic_planes *planes, bool variable, int systems);
/** Pivots of all grids; after their weights have come. */
enum sw_status sw_cuda_multigrid_pivots(sw_cuda_stream stream, const struct sw_cuda_multigrid *m);
/** r = scale from, of the systems that are not done. @param from  [systems][ny][nz][nx] */
enum sw_status sw_cuda_multigrid_begin(sw_cuda_stream stream, const struct sw_cuda_multigrid *m, const double *from);
/* A cycle: down on grid 0; restrict from each grid and down on the next; up from the last grid to the first. */
/** The sweep from 0.
 * @param update  on grid 0: r -= alpha q first, which ends an iteration: it is counted, and a system whose |r|² has
 *                reached its target is done */
enum sw_status sw_cuda_multigrid_down(sw_cuda_stream stream, const struct sw_cuda_multigrid *m, int level, bool update);
/** f of the next grid. */
enum sw_status sw_cuda_multigrid_restrict(sw_cuda_stream stream, const struct sw_cuda_multigrid *m, int level);
/** What the next grid has found is added, and another sweep; on grid 0 also <r, z>, and beta. */
enum sw_status sw_cuda_multigrid_up(sw_cuda_stream stream, const struct sw_cuda_multigrid *m, int level);
/** p = z + beta p, into the next slot of the ring; q = A p; alpha = <r, z>/<p, q>. */
enum sw_status sw_cuda_multigrid_direct(sw_cuda_stream stream, const struct sw_cuda_multigrid *m);
/** u += unit alpha p of all directions that it has not got, of the systems that are due.
 * @param u  [systems][ny][nz][nx]  @param fresh  it counts as 0 before, and is not looked at */
enum sw_status sw_cuda_multigrid_add(sw_cuda_stream stream, const struct sw_cuda_multigrid *m, double *u, bool fresh);

/* Of a grid that is cut over ranks (elliptic_multigrid_cut.cu). */

/* Pieces of a grid's rows, which lie in a message as [pieces][systems][colours][most][tiles][nz][32]. */
struct sw_cuda_multigrid_rows {
    int pieces, most;              /* rows of a piece, at most                                                     */
    const int *ends;               /* [pieces][2] of the device: its first row, which may be below 0 where the grid
                                      does not have all of it, and the row behind it                              */
};
/** Numbers of float in such a message. */
size_t sw_cuda_multigrid_message(const struct elliptic_planes *planes, int systems, int pieces, int most);
/** Write rows of a field into a message, or the rows that the grid has from a message. @param field  [systems] */
enum sw_status sw_cuda_multigrid_pack(sw_cuda_stream stream, const struct sw_cuda_multigrid *m, int level,
                                      const struct sw_cuda_multigrid_rows *rows, const float *field, float *message);
enum sw_status sw_cuda_multigrid_unpack(sw_cuda_stream stream, const struct sw_cuda_multigrid *m, int level,
                                        const struct sw_cuda_multigrid_rows *rows, const float *message, float *field);

enum { SW_CUDA_MULTIGRID_SUMS = 4 };
enum sw_multigrid_sums { SW_MULTIGRID_UPDATE, SW_MULTIGRID_DOTS, SW_MULTIGRID_DIRECTION };
/** What follows from the sums of all ranks: behind down() with an update, up() on grid 0, and direct().
 * @param all  [ranks][systems][SUMS] of the device: m->sums of each, added up in this order */
enum sw_status sw_cuda_multigrid_meet(sw_cuda_stream stream, const struct sw_cuda_multigrid *m,
                                      enum sw_multigrid_sums which, int ranks, const double *all);

/* ---- the matrix of one elliptic system in compressed rows (elliptic_csr.cu; linalg/libraries/csr_cuda.h) */

/** Entries of the matrix of a shape, on the host. */
int64_t sw_cuda_elliptic_entries(const struct sw_cuda_elliptic *m);
/* Where it goes, in the memory of the device. */
struct sw_cuda_csr {
    bool  narrow, single;          /* indices are int32_t, else int64_t; values are float, else double */
    void *offsets, *columns, *values;  /* [cells + 1], [entries], [entries]                            */
    void *lower, *main, *upper;    /* NULL: row (j nz + k) nx + i is cell (i, j, k); or [cells]: the diagonals of M, and
                                      row (j nx + i) nz + k is cell (i, j, k), columns one after another */
};

/** Write that of the first system. */
enum sw_status sw_cuda_elliptic_csr(sw_cuda_stream stream, const struct sw_cuda_elliptic *m,
                                    const struct sw_cuda_csr *out);
/** A field of the first system, times a factor, to where columns lie one after another, and back.
 * @param single  what lies in columns is of float, else of double */
enum sw_status sw_cuda_elliptic_into_columns(sw_cuda_stream stream, const struct sw_cuda_elliptic *m, bool single,
                                             double scale, const double *from, void *to);
enum sw_status sw_cuda_elliptic_from_columns(sw_cuda_stream stream, const struct sw_cuda_elliptic *m, bool single,
                                             double scale, const void *from, double *to);

/* ---- conjugate gradients in two passes an iteration (elliptic_advance.cu, elliptic_reduce.cu) */

/* The same matrices in single precision. */
struct sw_cuda_elliptic_single {
    int64_t nx, ny, nz;
    int     systems;
    bool    periodic_x, periodic_y;
    const float *area, *east, *north, *cross, *a, *b, *c, *d, *kx, *ky, *kz;
    const float *before, *behind;  /* NULL: grids that are cut are solved in double */
};

/* What stands above, of these; sums are formed in double. */
enum sw_status sw_cuda_elliptic_single_apply(sw_cuda_stream stream, const struct sw_cuda_elliptic_single *m,
                                             const float *u, float *y);
enum sw_status sw_cuda_elliptic_single_columns(sw_cuda_stream stream, const struct sw_cuda_elliptic_single *m,
                                               const float *rests, const float *r, float *z);
enum sw_status sw_cuda_elliptic_single_dot(sw_cuda_stream stream, const struct sw_cuda_elliptic_single *m,
                                           const float *x, const float *y, double *partial, double *sum);
enum sw_status sw_cuda_elliptic_single_combine(sw_cuda_stream stream, int64_t count, double alpha, const float *x,
                                               double beta, float *y);
/** to [count] = scale from. */
enum sw_status sw_cuda_elliptic_single_from(sw_cuda_stream stream, int64_t count, double scale, const double *from,
                                            float *to);
enum sw_status sw_cuda_elliptic_single_to(sw_cuda_stream stream, int64_t count, double scale, const float *from,
                                          double *to);

enum { SW_CUDA_INTERLEAVED_LEVELS = 2048 };  /* at most */

/* One system on its way, in the memory of the device. The host writes all of it before a pass. */
struct sw_cuda_elliptic_way {
    double norm_f, tolerance;  /* of a pass in double: it goes on while |r|/|f| is larger                       */
    double enough;             /* of a pass in single: while |r|² is larger                                     */
    double up;                 /* of a pass in single: what r is multiplied by, so that its numbers are near 1  */
    double alpha, beta, rz;
    int    left;               /* iterations that may still be made                                             */
    int    done;               /* not 0: nothing is to be done any more                                         */
    int    idle;               /* not 0: it is in no pass, and left as it is                                    */
    int    begun;              /* u has been written                                                            */
    unsigned ticket;           /* parts of a sum that are done; 0 between launches                              */
    double alpha_before;       /* of the direction before the last one                                          */
    int    turns;              /* directions that there have been                                               */
};
/* What an iteration of one system leaves: <p, A p>, and |r|² unless the former is not above 0. */
struct sw_cuda_elliptic_turn { double pq, rr; };

/* The vectors are of all systems, of float where single is not NULL. */
struct sw_cuda_interleaved {
    const struct sw_cuda_elliptic *matrix;         /* of double; NULL where the next is not */
    const struct sw_cuda_elliptic_single *single;
    const void *rests;         /* as of sw_cuda_elliptic_pivots()                                   */
    const void *diagonals;     /* of coefficients at faces, sw_cuda_interleaved_diagonals(); else NULL */
    const void *from;          /* r before the first iteration: r itself, or an array that is left as it is */
    void   *r, *z, *p, *q;
    void   *u;                 /* what is added up: u, or of a pass in single a correction          */
    bool    fresh;             /* u is 0, whatever its memory holds                                 */
    double *partial;           /* [systems][sw_cuda_interleaved_partial()]                          */
    struct sw_cuda_elliptic_way *way;              /* [systems] */
    int     processors;        /* of the device                                                     */
    double *sums;              /* [systems][2] of the device: of a grid that is cut K1 only leaves this rank's <p, q>
                                  there, K2 <r, r> and <r, z>; NULL: it is not cut                  */
    void   *p_odd;             /* the directions of odd turns; p has those of even ones, which add two to u. NULL: p
                                  has all, each turn adds one                                       */
};

/** Once for a device, before anything else. */
enum sw_status sw_cuda_interleaved_prepare(void);
size_t sw_cuda_interleaved_partial(int64_t nx, int64_t ny, int64_t nz);
/** Of each cell, where there are coefficients at faces, its diagonal over the area of its column, but for the
 * neighbours above and below it.
 * @param diagonals  out [systems][ny][nz][nx] */
enum sw_status sw_cuda_interleaved_diagonals(sw_cuda_stream stream, const struct sw_cuda_elliptic *m,
                                             double *diagonals);
/** K1 of iteration `turn` of a pass, from 0 on: u += alpha p; p = z + beta p; q = A z + beta q; alpha = <r, z>/<p, q>.
 * With p_odd u gets the directions of two turns at once, in even turns from 2 on, whose order of sums is the same.
 * @param out  [systems]: pq */
enum sw_status sw_cuda_interleaved_advance(sw_cuda_stream stream, const struct sw_cuda_interleaved *x, int turn,
                                           struct sw_cuda_elliptic_turn *out);
/** K2: r -= alpha q; <r, r>; z = M^-1 r; beta from <r, z>. Turn -1 comes before the first K1: it takes r as it is.
 * @param out  [systems]: rr; of turn -1 not looked at */
enum sw_status sw_cuda_interleaved_reduce(sw_cuda_stream stream, const struct sw_cuda_interleaved *x, int turn,
                                          struct sw_cuda_elliptic_turn *out);
/** What follows from the sums of all ranks, behind K1 or K2 of a grid that is cut: alpha, or beta.
 * @param turn   as of that
 * @param ranks  so many
 * @param all    [ranks][systems][2] of the device: the `sums` of each, added up in this order
 * @param out    as of that */
enum sw_status sw_cuda_interleaved_meet(sw_cuda_stream stream, const struct sw_cuda_interleaved *x, bool advance,
                                        int turn, int ranks, const double *all, struct sw_cuda_elliptic_turn *out);
/** The end of a pass: u += alpha p of what it has not got. Of a pass in single, to += what that leaves in u, over `up`.
 * @param to  of a pass in single: the solution in double; else NULL  @param to_fresh  it is 0, whatever it holds */
enum sw_status sw_cuda_interleaved_finish(sw_cuda_stream stream, const struct sw_cuda_interleaved *x, double *to,
                                          bool to_fresh);
/** to [systems][count] = from times `up` of its system, rounded. @param way  NULL: from itself */
enum sw_status sw_cuda_interleaved_round(sw_cuda_stream stream, const struct sw_cuda_elliptic_way *way, int systems,
                                         int64_t count, const double *from, float *to);

#ifdef __cplusplus
}
#endif
#endif
