#ifndef BENCH_IMPL_H
#define BENCH_IMPL_H
/* What can be timed: one file a kind of work. On a device create waits; begin and advance queue work. */
#include "base/sw_text.h"
#include "bench/sw_bench.h"
#include "linalg/sw_band.h"

/** Well-mixed bits of a number: the finisher of splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t bench_mix(uint64_t k)
{
    k += 0x9e3779b97f4a7c15u;
    k = (k ^ (k >> 30)) * 0xbf58476d1ce4e5b9u;
    k = (k ^ (k >> 27)) * 0x94d049bb133111ebu;
    return k ^ (k >> 31);
}

/* ---- kinds of work */

/* The rows of this build that can do a piece of work. */
struct bench_rows { struct { char name[64]; enum sw_space space; } row[64]; int count; };
/** Add "stepper+band", or the one of them that is not "". */
void bench_rows_add(struct bench_rows *rows, const char *stepper, const char *band, enum sw_space space);
void bench_rows_add_bands(struct bench_rows *rows, const char *stepper, enum sw_space space,
                          const struct sw_band_desc *shape);

struct bench_sent { int64_t messages, bytes; };

struct bench_work {
    struct sw_bench_terms terms;
    int64_t steps;                                       /* unless given                                        */
    /** Whether the runs of a config can be timed. @return SW_E_USAGE. NULL: they can */
    enum sw_status (*validate)(const struct sw_bench_spec *spec);
    void (*list_rows)(const struct sw_bench_spec *spec, struct bench_rows *rows);
    enum sw_status (*create)(const struct sw_bench_spec *spec, const char *row, struct sw_device *device, void **own);
    enum sw_status (*begin)(void *own);                  /* what a repeat starts from; NULL: any state will do  */
    enum sw_status (*advance)(void *own, int64_t steps);
    /** After begin and `steps` steps: the error relative to what should be there, and the bound on it. */
    enum sw_status (*check)(void *own, int64_t steps, double *error, double *bound);
    struct sw_cost (*cost)(void *own, int64_t steps);
    void           (*destroy)(void *own);                /* NULL is fine                                        */
    int64_t        most_checked;                         /* steps after which the answer is known; 0: any number */
    int64_t        (*columns)(void *own);                /* the r of the timing; NULL: there is none            */
    double         (*iterations)(void *own);             /* of the last step, in the mean of the runs; NULL: none */
    /** What a rank has to send in a step, whatever the method. NULL: not known */
    struct bench_sent (*least_sent)(void *own);
};
extern const struct bench_work bench_sim, bench_bands, bench_bvp, bench_compact, bench_gradient, bench_tridiagonal,
    bench_elliptic;

/** Points, or unknowns, of all runs. */
double bench_points(const struct sw_bench_spec *spec);
/** Whether so many bytes are free on a device, with room to spare. @return SW_E_TOO_LARGE */
enum sw_status bench_check_memory(const struct sw_device *device, double need);

/* ---- bench_cut.c: grids that are cut over ranks. Where they are, create(), advance() and check() of a work are
 * collective, and its spec is that of a rank, with setup.domain. */

/** Check split and along of a spec that is expanded. @return SW_E_USAGE */
enum sw_status bench_cut_validate(struct sw_bench_spec *spec);
/* A rank with its part of the grid: the spec borrows the communicators, of all ranks on the host and on devices. */
struct bench_rank { struct sw_comm *all, *on_device; struct sw_bench_spec part; };
/** On a rank: use its device, and make the rest. Collective.
 * @param rank  out; free with bench_cut_detach(), also after a failure  @return as sw_comm_on_device() */
enum sw_status bench_cut_attach(const struct sw_bench *bench, const struct sw_comm *comm, struct bench_rank *rank);
void bench_cut_detach(struct bench_rank *rank);
/** Whether this rank is the one of its process that reports. */
bool bench_cut_reports(const struct sw_bench *bench, const struct sw_comm *comm);
/** Open the devices of the ranks, and the one that is measured. @param spec  of devices  @return SW_E_USAGE; ... */
enum sw_status bench_cut_open(struct sw_bench *bench, const char *spec, int threads);
enum sw_status bench_cut_list_rows(const struct sw_bench *bench, struct bench_rows *rows);
/** Run the ranks of this process. Collective over processes. @return as sw_comm_run() */
enum sw_status bench_cut_run(const struct sw_bench *bench, sw_comm_part *part, void *context);
/** That of a rank. @param comm  as the part got it */
struct sw_device *bench_cut_device(const struct sw_bench *bench, const struct sw_comm *comm);
/** sw_comm_agree() where the grid of a spec is cut; else st. */
enum sw_status bench_agree(const struct sw_bench_spec *spec, enum sw_status st);
/** Number i of the fields of a rank, counted in those of the whole grid. */
size_t bench_place_in_whole(const struct sw_setup *setup, size_t i);

/* ---- bench_config.c: a spec as a config */

/** Begin the config of a problem, or of a file. @param file  borrowed; NULL: the problem's own
 *  @return SW_E_IO the file cannot be read; SW_E_MEMORY */
enum sw_status bench_config_create(const struct sw_problem *problem, const char *file, struct bench_config **config);
void bench_config_destroy(struct bench_config **config);
const struct sw_problem *bench_config_problem(const struct bench_config *config);  /* NULL: not known yet */
/** Take a word: a flag of the kind, a key by its path or the last part of it, or one of the short names.
 * @param value  NULL: a word without '='  @param known  out: whether it is one  @return SW_E_USAGE, SW_E_MEMORY */
enum sw_status bench_config_set(struct bench_config *config, const char *word, const char *value, bool *known);
/** Whether a word is a key that names the row which does the work, of this problem or of another: "stepper", "solver".
 * @param config  NULL: banded systems */
bool bench_config_names_row(const struct bench_config *config, const char *word);
/** The words there are: "per_run forced n= dt= ...". */
void bench_config_list_words(const struct bench_config *config, struct sw_text *text);
/** Expand it, and set up its runs: n, batch (0: those of a file, or the kind's), per_run, setup, column of the spec.
 * @param name  of the config in messages
 * @return SW_E_USAGE what the spec sets is wrong, SW_E_CONFIG a file is: see the report; SW_E_IO; SW_E_MEMORY */
enum sw_status bench_config_expand(const char *name, struct sw_report *report, struct sw_bench_spec *spec);
/** Time other than spec->batch runs. @return SW_E_MEMORY */
enum sw_status bench_config_set_batch(struct sw_bench_spec *spec, int batch);
/** A number of run j, by its path. */
double bench_value(const struct sw_bench_spec *spec, const char *path, int64_t j);
/** Whether the config has this function, but for the factor that per_run adds. */
bool bench_has_function(const struct sw_bench_spec *spec, const char *key, const char *text);

/* Two modes, cos of mode 2 and sin of mode 3, whose decay is known: `initial` of linear problems. */
#define BENCH_MODES "cos(2*pi*2*x/length) + 0.3*sin(2*pi*3*x/length)"
enum { BENCH_MODE_A = 2, BENCH_MODE_B = 3 };
#define BENCH_MODE_B_SIZE 0.3

/* P1 and P2 of the paper (docs/explanation/bvp.md). */
#define BENCH_P1_F "pi^2/4*cos(pi/2*x)"
#define BENCH_P1_EXACT "cos(pi/2*x)"
#define BENCH_P2_F "20000*exp(-100*x^2)*(1 - 200*x^2)"
#define BENCH_P2_EXACT "100*exp(-100*x^2) - 100*exp(-100)"

/* ---- bench_compact.c: a field of noise, the same numbers at any size of the machine */

enum sw_status bench_rates_cpu(struct sw_device *device, int repeats, struct sw_rates *rates);
enum sw_status bench_rates_cuda(struct sw_device *device, struct sw_rates *rates);
#endif
