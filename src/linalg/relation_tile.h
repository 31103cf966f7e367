#ifndef RELATION_TILE_H
#define RELATION_TILE_H
/* A tile of rows: swept to its relation, and substituted from its ends (relation_point.h). It is cut into runs, one a
 * lane (relation_lanes.h), or is one run. */
#include "linalg/relation_lanes.h"

enum {
    RELATION_TILE = 72 * RELATION_LANES,      /* rows, at most: pivot rows take 46 KB. Lengths of runs that are powers
                                                 of two would have lanes compete for the same lines of the cache */
    RELATION_TILE_SHORT = 384,                /* rows of a tile that is one run, at most                         */
    RELATION_TILE_LEAST = 2 * RELATION_LANES  /* and of one that is not, at least                                */
};

struct relation_tile {
    const double *lower, *main, *upper, *rhs;
    int64_t count;
    bool one_run;
    bool past_cache;        /* x is written so                                        */
    bool begins, ends;      /* lower of its first row, upper of its last is not there */
};

/* What is kept of a tile between sweep and substitution. */
struct relation_pivot;
struct relation_tile_work {
    double *pivot;                /* [longest run][5][RELATION_LANES] */
    struct relation_pivot *run;   /* [RELATION_TILE_SHORT]            */
    struct relation_joints joints;
};

/** @param keep  for relation_tile_substitute()  @param w  out [10]: the relation */
void relation_tile_sweep(const struct relation_lanes_ops *lanes, struct relation_tile_work *work,
                         const struct relation_tile *t, bool keep, double *w);

/** After a sweep that kept. @param ends  [4]: l0 l1 r0 r1  @param x  out [count]  @return whether all of x is finite */
bool relation_tile_substitute(const struct relation_lanes_ops *lanes, struct relation_tile_work *work,
                              const struct relation_tile *t, const double *ends, double *x);
#endif
