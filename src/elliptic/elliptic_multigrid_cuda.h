#ifndef ELLIPTIC_MULTIGRID_CUDA_H
#define ELLIPTIC_MULTIGRID_CUDA_H
/* What row `cuda.multigrid` has: elliptic_multigrid_cuda.c plans and loads it, elliptic_multigrid_cycle_cuda.c solves
 * with it. */
#include "elliptic/elliptic_cut.h"
#include "elliptic/elliptic_device_cuda.h"
#include "elliptic/sw_elliptic_impl.h"

/* Rows of a grid on this device. Where all of them are a circle, and it is cut, `begin` may be below 0. */
struct elliptic_rows {
    int64_t begin, end;
    struct sw_cuda_multigrid_rows sent, received;  /* of a grid that is cut; of the first one that is not: the rows of
                                                      this rank, and of all of them */
};

struct elliptic_multigrid {
    struct elliptic_device on;
    struct elliptic_grids grids;     /* on the host, of one system after another                    */
    struct sw_cuda_multigrid d;
    struct sw_cuda_multigrid_grid grid[ELLIPTIC_MOST_GRIDS];
    float  *memory;                  /* of the device: what the above point into                    */
    struct sw_cuda_multigrid_state *state;  /* [batch], pinned: as it was when last looked at        */
    double *size;                    /* [batch]: entries of the matrix over those of its copy       */
    int    *seen;                    /* [batch]: iterations of the pass that are written down       */
    float  *staging;                 /* words on their way                                          */
    int     there;                   /* grids whose horizontal weights have come                    */
    int     threads;
    int     usual;                   /* iterations that the last solve's first pass took            */
    struct elliptic_rows rows[ELLIPTIC_MOST_GRIDS];
    struct elliptic_cut cut;         /* its slabs are of all grids, also of one that is not cut     */
    double *weights;                 /* of one grid's rows that are here; NULL: they are rows of the whole grid's */
    double *sent, *received;         /* messages on the device                                      */
    double *sums;                    /* [ranks][batch][SUMS] of the device: what all ranks have     */
    bool    has_rows;                /* rows[].sent and .received are on the device                 */
};

/** sw_elliptic_ops.solve of the row. */
enum sw_status elliptic_multigrid_solve_cuda(struct sw_elliptic *solver, const double *f, double *u,
                                             struct sw_elliptic_outcome *outcome, double *history, int most);
#endif
