#ifndef FD_CUT_SIMD_H
#define FD_CUT_SIMD_H
/* Parts of lines on the CPU by the engine of whole lines (fd_simd_lines.h): x_r of all lines in one pass, which reads f
 * and writes x_r once; later A u and B l are added to the points near the ends. Results in double precision that are
 * not added to a field are formed in place. Of others the points near the ends are kept in double precision between, so
 * that each is rounded and added once. */
#include "fd/fd_simd_lines.h"
#include "fd/sw_fd_impl.h"

/* What a value beside the part does to its results, counted from one end; also to the eliminated points of a wall at
 * the other end, where it reaches them. */
struct fd_response { double *x; int64_t count; };  /* x: [m], host */

struct fd_cut_simd {
    struct fd_simd_lines c;
    struct fd_response u[FD_BESIDE], l[FD_BESIDE];  /* of A, from the left end; of B, from the right one */
    int      lines;           /* of a group         */
    int      threads;
    size_t   all;             /* lines in all       */
    bool     in_place;
    int64_t  kept_left, kept_right;  /* points from the ends whose results are kept between */
    double  *kept;            /* [kept_left + kept_right][all] */
    double  *work;            /* [threads][2][m*lines + room for the neighbours' points] */
    size_t   room;
};

/** @param fd  its arrays get what is needed; where they are counted, no more than that */
enum sw_status fd_cut_simd_create(struct sw_fd *fd, int threads, struct fd_cut_simd *s);

/* Arrays of the neighbours' points: point by point, [halo][lines that lie side by side], group after group of them. */
struct fd_beside { const double *left, *right; size_t stride; };

/* first, last, A, B: [cut.beside][all lines], point by point from the end inward, or from it outward. NULL at a wall */

/** out := x_r. @param first, last  out: x_r at the ends */
void fd_cut_simd_solve(const struct sw_fd *fd, const struct fd_cut_simd *s, const struct fd_beside *beside,
                       const void *f, void *out, double *first, double *last);
/** out := x_r + A u + B l. */
void fd_cut_simd_finish(const struct sw_fd *fd, const struct fd_cut_simd *s, const double *A, const double *B,
                        void *out);
#endif
