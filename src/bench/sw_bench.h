#ifndef SW_BENCH_H
#define SW_BENCH_H
/* Rows of the stepper table, of the band table, of the table of -u'' = f or of that of compact differences on one piece
 * of work, side by side: each is verified, then timed, and related to what its device can do, measured in the same
 * process.
 *
 * The work is a short text:
 *     hyperdiffusion:n=1024,batch=65536,steps=250           a problem; its keys by their last names (gamma=2, order=2),
 *     cahn_hilliard:n=512,batch=8192,forced,per_run         forced: under a travelling force; per_run: coefficients and
 *                                                           force differ from run to run; single: steps in single
 *                                                           precision
 *     band:n=512,batch=8192,lower=2,upper=2,periodic        banded systems, all different unless `uniform`;
 *                                                           steps: solves
 *                                                           a repeat
 *     bvp:n=2^28,problem=P2,r=best                          -u'' = f, P1 or P2 of the paper (docs/numerics.md, 7);
 *                                                           per_run, single and steps as above; r of the
 *                                                           divide-and-conquer rows: sqrt, best or a number
 *     compact:n=512,axis=z,scheme=d2_c6,boundary=3-4-6      compact differences along an axis of batch= fields of n
 *                                                           points along each of dimensions= axes; single, steps
 *     gradient:n=512,scheme=d1_c6,boundary=3-4-6            the gradient of a field of n points along each of
 *                                                           dimensions= axes; single, steps */
#include <stdbool.h>
#include <stdint.h>

#include "base/sw_cost.h"
#include "base/sw_err.h"
#include "device/sw_device.h"
#include "problem/sw_problem.h"

enum { SW_BENCH_SETTINGS = 12 };
enum { SW_BENCH_R_SQRT = 0, SW_BENCH_R_BEST = -1 };

struct bench_work;                      /* a kind of work (bench_impl.h)                               */

/* What a kind of work counts, for the heads of a table. */
struct sw_bench_terms {
    const char *rate, *least;           /* "pt*step/s", "least s/step"                                 */
    const char *one;                    /* that bytes and operations are counted for: "point and step" */
};

struct sw_bench_spec {
    const struct bench_work *work;
    const struct sw_bench_terms *terms; /* of the work                                                 */
    const char *name;                   /* of the work: "band", or the problem's                       */
    const struct sw_problem *problem;   /* of lines; NULL: another work                                */
    int64_t n;
    int     batch;
    int64_t steps;                      /* of one repeat                                               */
    bool    per_run, forced, single;    /* problems                                                    */
    int     lower, upper;               /* banded systems                                              */
    bool    periodic, uniform;
    int     paper;                      /* bvp: problem 1 or 2 of the paper                            */
    int64_t r;                          /* bvp: of the divide-and-conquer rows, or one of the above    */
    int     axis, dimensions;           /* compact, gradient: 0, 1, 2; 1, 2, 3                         */
    char    scheme[16], boundary[16];
    int     settings;                   /* of the problem's keys and time.dt, grid.length              */
    struct { char name[24]; double value; } setting[SW_BENCH_SETTINGS];
};

/** @return SW_E_USAGE with what is known */
enum sw_status sw_bench_parse(const char *text, struct sw_bench_spec *spec);

/* What a device can do; 0: not measured yet. */
struct sw_rates {
    double copy;                        /* bytes read + written a second, copying large arrays         */
    double fma;                         /* double-precision FMAs a second                              */
    double clock;                       /* Hz, of a processor while it does FMAs; 0: unknown           */
};

struct sw_bench_device {
    struct sw_device *device;
    struct sw_rates   rates;
};

enum sw_bench_state {
    SW_BENCH_PENDING,
    SW_BENCH_OK,
    SW_BENCH_WRONG,                     /* its error is beyond the bound: not timed                    */
    SW_BENCH_ABSENT,                    /* not in this build, on this machine or for this work         */
    SW_BENCH_FAILED
};

struct sw_bench_row {
    char    name[96];                   /* as asked for, "cpu.plain+cpu.thomas@1"                      */
    char    row[64];                    /* "cpu.plain+cpu.thomas"                                      */
    int     where;                      /* into the devices                                            */
    enum sw_bench_state state;
    char    why[400];                   /* unless it is ok                                             */
    double  setup;                      /* seconds: create, load, factor, initial values               */
    int64_t steps;                      /* timed at once: those asked for, or what takes `longest`      */
    int     repeats;
    double  least, median;              /* seconds for `steps`                                         */
    double  rate;                       /* points * steps a second, by the median                      */
    double  error, bound;               /* relative, and what it may be                                */
    int64_t r;                          /* bvp: columns it was timed with; 0: it has none              */
    struct sw_cost cost;
};

enum { SW_BENCH_DEVICES = 8 };

struct sw_bench {
    struct sw_bench_spec   spec;
    struct sw_bench_device device[SW_BENCH_DEVICES];   /* the first is the one asked for              */
    int                    devices;
    struct sw_bench_row   *row;                        /* [rows]                                      */
    int                    rows;
    double                 longest;                    /* seconds that a repeat should not exceed: else fewer steps */
};

/** Choose rows and open their devices.
 * @param rows     names separated by commas. NAME@T: of the CPU, with T threads. NULL or "all": every row, with each of
 *                 its band solvers, that works on the device
 * @param device   as sw_device_open(); rows of the CPU may be named whatever it is
 * @param threads  0: all
 * @return SW_E_USAGE no such row, with those there are; SW_E_ABSENT; ... */
enum sw_status sw_bench_open(const struct sw_bench_spec *spec, const char *rows, const char *device, int threads,
                             struct sw_bench *bench);
void sw_bench_close(struct sw_bench *bench);

/** Measure what a device can do. */
enum sw_status sw_bench_rates(struct sw_bench_device *device);

/** Verify and time one row. What is wrong with the row is in its state.
 * @param repeats  how many; 0: at least 5, until they have taken half a second
 * @return SW_E_MEMORY and the like only where nothing more can be done */
enum sw_status sw_bench_run(struct sw_bench *bench, int row, int repeats);

/** What the device of a row can do. */
const struct sw_rates *sw_bench_rates_of(const struct sw_bench *bench, const struct sw_bench_row *row);
/** Of a row that was timed, whose device was measured: what it moves and computes as shares of what the device can do,
 * NaN where the row does not count that; and its rate over that of the baseline, NaN if that was not timed. */
double sw_bench_of_copy(const struct sw_bench *bench, const struct sw_bench_row *row);
double sw_bench_of_fma(const struct sw_bench *bench, const struct sw_bench_row *row);
double sw_bench_ratio(const struct sw_bench *bench, const struct sw_bench_row *row, int baseline);
#endif
