#ifndef SW_BENCH_H
#define SW_BENCH_H
/* Rows of the tables of this program on one piece of work, side by side: each is verified, then timed, and related to
 * what its device can do, measured in the same process.
 *
 * The work is a short text, NAME:WORD,...
 *
 *     hyperdiffusion:n=1024,batch=65536,steps=250           a problem, short for a config of it: the bench has a config
 *     cahn_hilliard:n=512,batch=8192,forced,per_run         for each kind (bench_config.c), and what follows the colon
 *     bvp:n=2^28,problem=P2,r=best                          sets its keys, by their paths or the last part of them.
 *     compact:n=512,axis=z,scheme=d2_c6,boundary=3-4-6      batch: runs, all alike; per_run: coefficients differ from
 *     configs/ch_forcing.cfg:steps=100                      run to run; forced: under a travelling force; single: steps
 *                                                           in single precision; steps: of a repeat; or a config file,
 *                                                           of which the first group of runs is timed
 *     tridiagonal:n=2^26,matrix=uniform                     tridiagonal systems; steps: solves a repeat
 *     elliptic:grid.n=[256,256,128],stencil=full            elliptic problems; steps: solves a repeat
 *     gradient:n=512,scheme=d1_c6,boundary=3-4-6            the gradient of a field of the problem `compact`
 *     band:n=512,batch=8192,lower=2,upper=2,periodic        banded systems, all different unless `uniform`; steps:
 *                                                           solves a repeat
 *     compact:n=512,axis=z,split=2                          of `compact`, `gradient` and other problems whose grids may
 *     gradient:grid.n=[512,512,1024],split=2,along=y        be cut: over 2 ranks, along their last axis or another.
 *                                                           Grids are those of all ranks together */
#include <stdbool.h>
#include <stdint.h>

#include "base/sw_cost.h"
#include "base/sw_status.h"
#include "base/sw_report.h"
#include "comm/sw_comm.h"
#include "device/sw_device.h"
#include "problem/sw_problem.h"

enum { SW_BENCH_R_BEST = -1, SW_BENCH_R_CONFIG = 0 };

struct bench_work;                      /* a kind of work (bench_impl.h)                               */
struct bench_config;                    /* a config, expanded (bench_config.c)                         */

/* What a kind of work counts, for the heads of a table. */
struct sw_bench_terms {
    const char *rate, *least;           /* "pt*step/s", "least s/step"                                 */
    const char *one;                    /* that bytes and operations are counted for: "point and step" */
};

struct sw_bench_spec {
    const struct bench_work *work;
    const struct sw_bench_terms *terms; /* of the work                                                 */
    const char *name;                   /* "band", "gradient", or the problem's                        */
    int64_t n;                          /* unknowns of a system; points along x                        */
    int     batch;                      /* systems, or runs                                            */
    int64_t steps;                      /* of one repeat                                               */

    char *text;                         /* holds the name                                              */
    const struct sw_problem *problem;   /* NULL: banded systems                                        */
    struct bench_config *config;
    struct sw_setup setup;              /* of the runs; borrows from config                            */
    double *column;                     /* [setup.ncolumn][batch]                                      */
    bool    per_run;                    /* the runs differ                                             */
    bool    fit_batch;                  /* take fewer runs where the device has no memory for `batch`  */
    int64_t r;                          /* bvp: columns, SW_BENCH_R_BEST or those of the config        */

    int     split;                      /* ranks that the grid is cut over; 0: it is whole             */
    char    along;                      /* x, y or z: the axis that is cut; 0: not said                */

    int     lower, upper;               /* banded systems                                              */
    bool    periodic, uniform;
};

/** @param report  out: what is wrong with the config
 *  @return SW_E_USAGE what the spec says is wrong: the report if it has errors, else the message, with what is known;
 *          SW_E_CONFIG a config file is wrong: see the report; SW_E_IO a config cannot be read; SW_E_MEMORY */
enum sw_status sw_bench_parse(const char *text, struct sw_report *report, struct sw_bench_spec *spec);
void sw_bench_release(struct sw_bench_spec *spec);  /* sw_bench_close() does it, too */
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
    double  iterations;                 /* of a solve, in the mean of its systems; 0: it does not iterate */
    struct sw_cost cost;
    char    comm[16];                   /* of a grid that is cut: the communicator, "threads", "nccl"   */
    double  sent, messages;             /* of a grid that is cut: bytes that a rank sends in a step, and in how many
                                           messages; the most of all ranks                                     */
    double  least_sent, least_messages; /* that any method needs; NaN: not known                       */
};

enum { SW_BENCH_DEVICES = 8 };

/* The processes that take part in a grid that is cut. */
struct sw_bench_processes {
    const struct sw_comm *comm;         /* of all of them; sw_comm_null(): this one alone              */
    int turn, of;                       /* number of this process among those of its machine, and how many */
};

struct sw_bench {
    struct sw_bench_spec   spec;
    struct sw_bench_device device[SW_BENCH_DEVICES];   /* the first is the one asked for              */
    int                    devices;
    struct sw_bench_processes processes;
    struct sw_devices      ranks;                      /* of a grid that is cut: those of the ranks of this process */
    int                    sharers;                    /* devices like that of a row which share its work */
    struct sw_bench_row   *row;                        /* [rows]                                      */
    int                    rows;
    double                 longest;                    /* seconds that a repeat should not exceed: else fewer steps */
};

/** Choose rows and open their devices. Takes over what the spec holds, also where it fails.
 * @param rows     names separated by commas. NAME@T: of the CPU, with T threads. NULL or "all": every row, with each of
 *                 its band solvers, that works on the device
 * @param device   as sw_device_open(); rows of the CPU may be named whatever it is
 *                 of a grid that is cut a device for each rank: "cuda:0,1", "cuda", "cpu"
 * @param threads    0: all
 * @param processes  where the grid is cut: all of them call this, and sw_bench_run(); elsewhere they are one
 * @return SW_E_USAGE no such row, with those there are; not a device for each rank; SW_E_ABSENT; ... */
enum sw_status sw_bench_open(const struct sw_bench_spec *spec, const char *rows, const char *device, int threads,
                             const struct sw_bench_processes *processes, struct sw_bench *bench);
void sw_bench_close(struct sw_bench *bench);

/** Measure what a device can do. @param repeats  of rows, 0: not given; on a CPU no more are taken */
enum sw_status sw_bench_rates(struct sw_bench_device *device, int repeats);

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
