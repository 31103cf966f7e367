#ifndef BENCH_IMPL_H
#define BENCH_IMPL_H
/* What can be timed: one file a kind of work. On a device create waits; begin and work queue. */
#include "bench/sw_bench.h"
#include "linalg/sw_band.h"

/* The rows of this build that can do a piece of work. */
struct bench_known { struct { char name[64]; enum sw_space space; } row[64]; int count; };
/** Add "stepper+band", or the one of them that is not "". */
void bench_know(struct bench_known *known, const char *stepper, const char *band, enum sw_space space);
void bench_know_bands(struct bench_known *known, const char *stepper, enum sw_space space,
                      const struct sw_band_desc *shape);

/* The words of a spec that a work takes, beside steps= (bench_spec.c has their table). */
enum { BENCH_LINES = 1, BENCH_BANDS = 2, BENCH_BVP = 4, BENCH_COMPACT = 8, BENCH_GRADIENT = 16 };

struct bench_work {
    const char *name;                                    /* NULL: the problems of bench_kinds                   */
    struct sw_bench_terms terms;
    int     words;
    int64_t n, steps;                                    /* unless given                                        */
    int     batch;
    int64_t least, most;                                 /* n                                                   */
    void (*know)(const struct sw_bench_spec *spec, struct bench_known *known);
    enum sw_status (*create)(const struct sw_bench_spec *spec, const char *row, struct sw_device *device, void **own);
    enum sw_status (*begin)(void *own);                  /* what a repeat starts from; NULL: any state will do  */
    enum sw_status (*advance)(void *own, int64_t steps);
    /** After begin and `steps` steps: the error relative to what should be there, and the bound on it. */
    enum sw_status (*check)(void *own, int64_t steps, double *error, double *bound);
    struct sw_cost (*cost)(void *own, int64_t steps);
    void           (*destroy)(void *own);                /* NULL is fine                                        */
    int64_t        most_checked;                         /* steps after which the answer is known; 0: any number */
    int64_t        (*columns)(void *own);                /* the r of the timing; NULL: there is none            */
    double         (*points)(const struct sw_bench_spec *spec);  /* of a step; NULL: n*batch                    */
};
extern const struct bench_work bench_lines, bench_bands, bench_bvp, bench_compact, bench_gradient;
/** Whether so many bytes are free on a device, with room to spare. @return SW_E_TOO_LARGE */
enum sw_status bench_check_memory(const struct sw_device *device, double need);
/** Whether axis, scheme, boundary and n go together. @return SW_E_USAGE */
enum sw_status bench_compact_check(const struct sw_bench_spec *spec);
enum sw_status bench_gradient_check(const struct sw_bench_spec *spec);

/* bench_compact.c: a field of noise, the same numbers at any size of the machine. */
struct sw_fd_desc;
/** @param f  on the device, count numbers of word bytes */
enum sw_status bench_noise(struct sw_device *device, size_t count, size_t word, void *f);
/** The error of a derivative of that field, relative to the largest result, on lines here and there, and its bound.
 *  @param out  on the device */
enum sw_status bench_check_derivative(struct sw_device *device, const struct sw_fd_desc *d, const void *out,
                                      double *error, double *bound);
extern const struct bench_work *const bench_works[];  /* ends with NULL */

/* How a problem is set up for a benchmark (bench_kinds.c). */
struct bench_kind {
    const char *problem;
    double      dt;
    double      dx;        /* of the grid; 0: length 1                                                      */
    const char *initial;   /* in x and the keys, and `seed`                                                 */
    const char *varied;    /* with per_run: this key goes from its value up to half as much more            */
    bool        modes;     /* linear: each Fourier mode of `initial` keeps its shape                        */
    /** s4 and s2 (docs/numerics.md, 1). @param value  of a key, by its last name */
    void (*matrix)(double (*value)(const void *from, const char *name), const void *from, double *s4, double *s2);
};
extern const struct bench_kind bench_kinds[];  /* ends with problem NULL */
const struct bench_kind *bench_kind_of(const struct sw_problem *problem);

/* The amplitudes of the two modes that `initial` of a linear kind has: cos of mode 2, sin of mode 3. */
enum { BENCH_MODE_A = 2, BENCH_MODE_B = 3 };
#define BENCH_MODE_B_SIZE 0.3

/* bench_setup.c: a problem's columns and functions, without a config. */
struct bench_setup {
    struct sw_setup     setup;
    const struct bench_kind *kind;
    const char         *name[32];      /* of the columns: full paths of keys, then a, v, q, seed        */
    struct sw_function  function[2];
    struct sw_program  *program[2];
    struct sw_expr     *expr[2];
    double             *column;        /* [ncolumn][batch]                                              */
    int                 batch;
};
enum sw_status bench_setup_make(const struct sw_bench_spec *spec, struct bench_setup *s);
void bench_setup_free(struct bench_setup *s);
/** A number of run j, by the last part of its key's path. */
double bench_setup_value(const struct bench_setup *s, int j, const char *name);
void bench_setup_matrix(const struct bench_setup *s, int j, double *s4, double *s2);

enum sw_status bench_rates_cpu(struct sw_device *device, struct sw_rates *rates);
enum sw_status bench_rates_cuda(struct sw_device *device, struct sw_rates *rates);
#endif
