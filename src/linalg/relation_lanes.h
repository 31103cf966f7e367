#ifndef RELATION_LANES_H
#define RELATION_LANES_H
/* Relations of several runs of rows side by side, a run a lane of vectors (relation_point.h): the runs of one tile,
 * which a tree joins, or whole systems. A number of each lane is at [RELATION_LANES] of an array, 64-byte aligned.
 *
 * Run k of a tile is in lane relation_lane(k), the bits of k reversed: at each level of the tree the left parts are
 * then in the first lanes, and the right parts in as many that follow.
 *
 * The arithmetic is one body (relation_lanes_body.h) compiled for each instruction set; all give the same bits. */
#include <stdbool.h>
#include <stdint.h>

enum { RELATION_LANES = 16, RELATION_LANES_KEPT = 40 };

static inline int relation_lane(int run) { return (run & 1) << 3 | (run & 2) << 1 | (run & 4) >> 1 | (run & 8) >> 3; }

struct relation_runs {
    const double *lower, *main, *upper, *rhs;
    int64_t  start[RELATION_LANES];  /* first row of a lane's run, in these arrays and in x: they follow one another,
                                        in any order of lanes, from 0 on                                          */
    int      rows;                   /* of a run, 2 at least. Lanes may hold the same run several times           */
    unsigned shorter;                /* bit l: the run of lane l has one row less; where there are any, rows >= 3 */
    unsigned begins, ends;           /* bit l: lower of its first row, or upper of its last one, is not there     */
    int64_t  ahead;                  /* rows so many further on are wanted next; 0: not known                     */
    bool     past_cache;             /* x is not wanted soon: it may be written past the cache                    */
    int      lanes;                  /* that are wanted: the first ones; the others may be left out               */
};

/* What a tile keeps of its tree: the pivot rows of all merges. */
struct relation_joints { double kept[11][RELATION_LANES_KEPT]; };

struct relation_lanes_ops {
    const char *name;          /* "avx512" */
    bool (*here)(void);        /* does this processor have it? */
    /** Rows to relations.
     * @param pivot  out [rows][5][RELATION_LANES], the pivot rows 1 .. rows-2; NULL: not kept
     * @param w      out [10][RELATION_LANES] */
    void (*sweep)(const struct relation_runs *runs, double *pivot, double (*w)[RELATION_LANES]);
    /** Join the relations of a tile into that of lane 0. @param joints  out */
    void (*join)(double (*w)[RELATION_LANES], struct relation_joints *joints);
    /** From the ends of a tile in lane 0 those of its runs. @param ends  [4][RELATION_LANES] */
    void (*part)(const struct relation_joints *joints, double (*ends)[RELATION_LANES]);
    /** The ends of each lane where its run is a whole system. */
    void (*close)(double (*w)[RELATION_LANES], bool cyclic, double (*ends)[RELATION_LANES]);
    /** x of all runs from their ends. @return bit l: some x of lane l is not finite */
    unsigned (*substitute)(const struct relation_runs *runs, const double *pivot, double (*ends)[RELATION_LANES],
                           double *x);
};
extern const struct relation_lanes_ops *const relation_lanes_table[];  /* ends with NULL; order is preference */

/** The first that this processor has; the last one is for any. SWEEP_SIMD=avx2 in the environment asks for one by name,
 * for comparisons. */
const struct relation_lanes_ops *relation_lanes_pick(void);
#endif
