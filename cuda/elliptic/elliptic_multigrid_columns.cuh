#ifndef ELLIPTIC_MULTIGRID_COLUMNS_CUH
#define ELLIPTIC_MULTIGRID_COLUMNS_CUH
/* Sweeps over columns of multigrid (elliptic_multigrid_columns.cu). */
#include "cuda/elliptic/elliptic_multigrid.cuh"

static const float DAMPING = 0.8f;  /* of a sweep with one colour */

/* What a sweep does beside solving for a colour. */
enum {
    UPDATE = 1,     /* f -= alpha q first, and |f|²; on grid 0 */
    SWEEP = 2,      /* else from 0: nothing is around */
    DOTS = 4        /* <f, u>, <q, u>; on grid 0 */
};

/* What one launch does with columns. */
struct pass {
    int  level, colour;        /* of one colour: 0 */
    int  what;                 /* a sum of the above */
    bool first, last;          /* of the launches that contribute to these sums */
    bool but_coarsest;         /* not of systems whose coarsest grid this is */
    bool from_zero;            /* u of its own colour counts as 0: no corners */
    bool reverse;              /* begin with the last columns: what the launch before had last is in the cache */
    int  blocks, groups;       /* of a system; column groups of a block: multigrid_columns() finds them */
    const float *before;       /* a sweep begins with this u, [systems] of fields */
    const float *beside;       /* of the other colour with this one */
    float *after;              /* and leaves this */
};

/* Queue it for all systems. */
enum sw_status multigrid_columns(cudaStream_t stream, const struct sw_cuda_multigrid *m, struct pass p);

__device__ static inline bool takes_part(const state &s, int level, bool but_coarsest)
{
    return !s.done && (but_coarsest ? s.grids > level + 1 : s.grids > level);
}
#endif
