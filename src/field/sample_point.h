#ifndef SAMPLE_POINT_H
#define SAMPLE_POINT_H
/* What an expression is evaluated for at the points of a grid on a device (problem/device/sampler.h), as its kernel
 * takes it; and where the points of a grid are. */
#ifndef __CUDACC_RTC__
#include "base/sw_hd.h"
#endif

/* The coordinate of point i. */
SW_HD static inline double sw_grid_place(double x0, double dx, double ddx, double i) { return x0 + i * (dx + i * ddx); }

/* One run, on a grid or on the slab of one that is cut over ranks (struct sw_grid). Values go to
 * out[i + j line[0] + k line[1]]. */
struct sw_sample {
    long long n[3], line[2];
    long long first[3], lines;
    double x0[3], dx[3], ddx[3];
    const double *column;              /* of the run                                              */
    double *run, *step;                /* values of the program that change with the run, the time */
    const double *area, *volume;       /* [n[1]][n[0]] and [n[2]]: the value times both; NULL: 1   */
    int     single;                    /* out and u hold float                                     */
    void   *out;
    struct sw_sampled *sampled;
};

/* A field u that is compared with the values: the points of piece b are b SW_COMPARED_POINTS and those that follow, in
 * the order of fields. */
struct sw_compare_field {
    long long inner_first[3], inner_last[3];  /* the interior: first <= index < last along each axis */
    void *u;                           /* as out of the sample; with `keep` it becomes u - value   */
    int   keep;
    struct sw_compared *piece;         /* out: of each                                             */
};
struct sw_compared { double difference, exact, largest, interior; long long bad; };
enum { SW_COMPARED_POINTS = 1 << 14 };

/* What was found in the values: the first cell whose value is not finite, and the largest of what came out. */
struct sw_sampled {
    long long bad;                     /* SW_SAMPLED_FINE: all are finite                  */
    unsigned long long most;           /* the bits of max |out|, which grow as it does; NaN counts for nothing */
};
enum { SW_SAMPLE_THREADS = 256 };
#define SW_SAMPLED_FINE 0x7fffffffffffffffLL
#endif
