#ifndef CUDA_TRIDIAGONAL_KERNELS_H
#define CUDA_TRIDIAGONAL_KERNELS_H
/* Launchers of the kernels for tridiagonal systems. cuda/sw_cuda.h says what holds for all. */
#include <stdbool.h>
#include <stdint.h>

#include "cuda/sw_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- tridiagonal systems (tridiagonal_finite.cu, tridiagonal_gtsv2.cu): entry i of system j at j*n + i */

/** finite [batch] := false for systems with a number in v [batch*n] that is not; the others stay.
 * @param but  a row that is not looked at; -1: all are */
enum sw_status sw_cuda_tridiagonal_finite(sw_cuda_stream stream, int64_t n, int batch, const double *v, int64_t but,
                                          bool *finite);
/** fine [batch] := 0 for systems with a row that x, if finite, does not solve; the others stay. bounded [batch] := 1
 * where a row bounds x, else 0 (linalg/tridiagonal_row_point.h). @param most  [batch], room */
enum sw_status sw_cuda_tridiagonal_solved(sw_cuda_stream stream, int64_t n, int batch, bool cyclic, const double *lower,
                                          const double *main, const double *upper, const double *rhs, const double *x,
                                          double *most, int *fine, int *bounded);
/** kept [batch][2] := the first word of lower and the last of upper of each system, which become 0. */
enum sw_status sw_cuda_tridiagonal_zero_ends(sw_cuda_stream stream, int64_t n, int batch, double *lower, double *upper,
                                             double *kept);
/** These words := kept. */
enum sw_status sw_cuda_tridiagonal_restore_ends(sw_cuda_stream stream, int64_t n, int batch, double *lower,
                                                double *upper, double *kept);

/* ---- tridiagonal systems by relations (tridiagonal_relations.cu; linalg/relation_point.h) */

enum {
    SW_CUDA_RELATIONS_ROWS = 17,       /* rows a thread                                              */
    SW_CUDA_RELATIONS_TILE = 32 * 17,  /* rows of a tile                                             */
    SW_CUDA_RELATIONS_MOST = 16,       /* tiles under a deepest node of the tree                     */
    SW_CUDA_RELATIONS_WHOLE = 128 * 17,          /* rows of the largest system that is solved in one pass  */
    SW_CUDA_RELATIONS_PUBLISHED = 128 * 10 * 2   /* words: tagged relations of the blocks of a tree       */
};

/* Systems of n rows each, one after another; or one slice of a larger system. */
struct sw_cuda_relations {
    const double *lower, *main, *upper, *rhs;  /* [systems][n]                                       */
    double   *x;                               /* [systems][n]                                       */
    long long n, tiles;                        /* rows and tiles of a system, or of the slice         */
    int       systems, cyclic;
    int       open_left, open_right;           /* the first word of lower, the last of upper count    */
    double   *relation, *ends;                 /* [systems][tiles][10], [systems][tiles][4]           */
    double   *levels;                          /* room for upper levels: 14 words for each 128 tiles, or part  */
    double   *root;                            /* [14]: relation and ends of the slice                */
    int      *finite;                          /* [systems]: 0 where x is not finite, or the last pivots are nothing */
    int       processors;                      /* of the device                                       */
    long long *published;                      /* [PUBLISHED], zero at first                          */
    long long  epoch;                          /* 1, 2, ...: of this solve                            */
    /* the tree over the tiles of the whole system: at its deepest depth, nodes first_node ... are this slice's; they
     * have at most `width` tiles each, a power of two */
    long long all_tiles, first_tile, first_node, nodes;
    int       depth, width;
};

/* What the adaptive solve has beside that. */
struct sw_cuda_relations_adaptive {
    long long *published;                      /* [tiles][6][2], zero at first                        */
    int       *fails;                          /* [2]: of this solve and the next one, zero at first  */
};

/** Once for a device, before anything else. */
enum sw_status sw_cuda_relations_prepare(void);
/** Systems of at most WHOLE rows, one pass. relation, ends and the tree are not looked at. */
enum sw_status sw_cuda_relations_whole(sw_cuda_stream stream, const struct sw_cuda_relations *s);
/** Whole systems, two passes. */
enum sw_status sw_cuda_relations_solve(sw_cuda_stream stream, const struct sw_cuda_relations *s);
/** A slice: its relation to root[0 .. 9]; from its ends in root[10 .. 13], after its reduce(), to x. */
enum sw_status sw_cuda_relations_reduce(sw_cuda_stream stream, const struct sw_cuda_relations *s);
enum sw_status sw_cuda_relations_expand(sw_cuda_stream stream, const struct sw_cuda_relations *s);
/** One system that is not cyclic, one pass where all of its tiles decouple, else two. What was found is in
 * fails[epoch % 2]: tiles that did not. */
enum sw_status sw_cuda_relations_solve_adaptive(sw_cuda_stream stream, const struct sw_cuda_relations *s,
                                                const struct sw_cuda_relations_adaptive *a);

/* ---- SPIKE with diagonal pivoting (tridiagonal_spike.cu; linalg/papers/spike_point.h) */

enum {
    SW_CUDA_SPIKE_BLOCK = 128,  /* partitions of a block, a thread each: marshalled side by side */
    SW_CUDA_SPIKE_FAN = 256,    /* partitions of one level that become one of the next           */
    SW_CUDA_SPIKE_LEVELS = 8
};
enum sw_cuda_spike_way {
    SW_CUDA_SPIKE_TILED,         /* diagonal pivoting, marshalled, dynamic tiling                 */
    SW_CUDA_SPIKE_UNTILED,       /* without dynamic tiling                                        */
    SW_CUDA_SPIKE_UNMARSHALLED,  /* without either                                                */
    SW_CUDA_SPIKE_THOMAS         /* marshalled, without pivoting, so that there is nothing to tile */
};
struct sw_cuda_spike_rows { const double *lower, *main, *upper, *rhs; };  /* [batch*n] each */
struct sw_cuda_spike_level {
    int64_t count;               /* partitions of a system                                        */
    double *ends;                /* [6][count*batch]: vt vb wt wb yt yb                           */
    double *around;              /* [2][count*batch]: x before a partition and behind it          */
};
/* Whole systems, or one slice of a larger one. */
struct sw_cuda_spike {
    int64_t n;                   /* rows of a system, or of the slice                                    */
    int     batch, bits;         /* partitions have 2^bits rows, the last one of a system may have fewer */
    enum sw_cuda_spike_way way;
    /* Marshalled: [partitions of all systems, rounded up to blocks][2^bits]. Else: [batch*n], b and y are NULL. */
    double *v, *w, *b, *y;       /* on the way there: upper, lower, main, rhs                     */
    unsigned char *block;
    int     levels;              /* the last has SW_CUDA_SPIKE_FAN partitions or fewer a system   */
    struct sw_cuda_spike_level level[SW_CUDA_SPIKE_LEVELS];
    int     open_left, open_right;  /* of a slice: there are rows of the system before it, behind it     */
    double *root;                /* [8]: ends of the slice, as of a level, x before and behind it; else NULL */
};
/** @param x  out [batch*n] */
enum sw_status sw_cuda_spike_solve(sw_cuda_stream stream, const struct sw_cuda_spike *spike,
                                   const struct sw_cuda_spike_rows *rows, double *x);
/** A marshalled slice: its ends to root[0 .. 5]; after that, from x around it in root[6 .. 7], its x. */
enum sw_status sw_cuda_spike_reduce(sw_cuda_stream stream, const struct sw_cuda_spike *spike,
                                    const struct sw_cuda_spike_rows *rows);
enum sw_status sw_cuda_spike_expand(sw_cuda_stream stream, const struct sw_cuda_spike *spike, double *x);

#ifdef __cplusplus
}
#endif
#endif
