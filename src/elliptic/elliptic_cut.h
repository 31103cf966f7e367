#ifndef ELLIPTIC_CUT_H
#define ELLIPTIC_CUT_H
/* The grids of multigrid where the grid is cut over ranks: which slabs a rank has of each of them, and coefficients at
 * the faces of these. A coarse slab belongs to the rank of its first fine one. From grid `count` on all ranks have all
 * slabs. A rank has the weights of the whole planes of all grids. On the host, whatever memory the ranks' communicator
 * has. */
#include "elliptic/elliptic_coarsen.h"

/* Of one grid. */
struct elliptic_slabs {
    int64_t first, behind;   /* of this rank; behind grid `count` those of all                       */
    int64_t depth;           /* so many of either neighbour are here as well; 0: all are here        */
    struct sw_elliptic_faces faces;  /* where coefficients vary: of the slabs that are here, addressed by the slabs of
                                        the whole grid; grids point to them                          */
};

struct elliptic_cut {
    const struct sw_comm *comm;      /* NULL: the grid is not cut, and the rest is not there         */
    struct sw_device *device;
    bool    periodic;                /* the first rank and the last are neighbours                   */
    struct sw_elliptic_desc desc;    /* of the whole grid, as if coefficients did not vary           */
    int     count;                   /* so many grids are cut: at least 1                            */
    struct elliptic_slabs slabs[ELLIPTIC_MOST_GRIDS];
    struct sw_elliptic_matrix whole; /* of the system that was loaded last: its weights              */
    int64_t most;                    /* slabs of a rank on grid `count`, at most                     */
    double *sent, *gathered;         /* [most slabs], [ranks][most slabs] of that grid, or faces of them */
    double *on_device;               /* faces on their way, where comm's memory is a device's        */
    int64_t *begin;                  /* [ranks + 1]: slabs of that grid of each rank; once a system was loaded */
};

/** Begin to plan: all but count and slabs, which the row sets next. */
void elliptic_cut_begin(const struct sw_elliptic_desc *desc, struct sw_device *device, struct elliptic_cut *cut);

/** The slabs of this rank on grid `which`, where those of the grid before are known. */
void elliptic_cut_own(const struct sw_elliptic_desc *desc, const struct elliptic_grids *grids, int which,
                      struct elliptic_cut *cut);

/** @param own  gets the arrays of what was planned */
void elliptic_cut_make(const struct sw_elliptic_desc *desc, struct sw_owned *own, struct elliptic_cut *cut);

/** Fetch the slabs beside those of this rank, so many numbers each.
 * @param past   1: of an array that has the ends of slabs, where the one behind the last is this rank's too; else 0
 * @param array  on the host, addressed by slabs of the whole grid  @return SW_E_COMM */
enum sw_status elliptic_cut_fetch(const struct elliptic_cut *cut, int which, int64_t slab, int past, double *array);

/** Of grid `count`: what is in cut->sent, `most` + past slabs of each rank, becomes whole. @return SW_E_COMM */
enum sw_status elliptic_cut_gather(const struct elliptic_cut *cut, int64_t slab, int past, double *array);

/** Form the grids of a system.
 * @param own  its matrix, of this rank  @return SW_E_COMM; SW_E_MEMORY */
enum sw_status elliptic_cut_load(struct elliptic_cut *cut, struct elliptic_grids *grids,
                                 const struct sw_elliptic_numbers *numbers, const struct sw_elliptic_matrix *own,
                                 int threads);

void elliptic_cut_free(struct elliptic_cut *cut);
#endif
