#ifndef SYSTEM_SIM_H
#define SYSTEM_SIM_H
/* A batch of runs of a problem that solves banded systems: their arrays are formed from expressions and files, a solver
 * solves them, and the solutions are measured. A kind of systems says where its entries come from, and solves. */
#include "device/sw_owned.h"
#include "problem/systems/measure.h"
#include "problem/systems/named_matrix.h"
#include "problem/systems/source.h"

/* What became of a run. */
struct system_ending {
    bool    bad_row;   /* it cannot begin: `bad` is not finite            */
    int     fault;     /* of the kind, 0: none: x is blanked, the run fails */
    int64_t row;       /* from 0                                          */
    struct system_bad_entry bad;
};

/* Where entries come from, beside the source. */
struct system_given {
    struct system_entries_desc desc;
    int number[ENTRIES_DIAGONALS];                /* of each of its diagonals among the arrays of the kind          */
    struct sw_program *own[ENTRIES_DIAGONALS];    /* of a matrix with a name; NULL: the config's, or none           */
};

struct system_kind;

struct system_sim {
    struct sw_sim     sim;      /* first: the operations get a pointer to it                                     */
    const struct system_kind *kind;
    struct sw_setup   setup;
    struct sw_device *device;   /* where the arrays are                                                          */
    struct sw_device *runs_on;  /* that of the runs: it, unless the kind has its arrays elsewhere                */
    struct sw_device *opened;   /* closed with the sim: device, where the kind has opened it; else NULL           */
    size_t            n;
    int               count;
    const struct system_source *source;  /* NULL: no array is from files                                    */
    struct system_given given;
    struct system_entries *entries;
    struct sw_owned   arrays;
    struct system_arrays array;          /* [capacity][n] each in the memory of the device                  */
    double           *x;                      /* likewise                                                        */
    double           *host;     /* [staging] arrays of some runs on their way to the device; NULL: not needed    */
    size_t            staging;  /* a multiple of n                                                               */
    struct system_ending *ending;             /* [capacity]                                                      */
    char            (*why)[80];               /* of those that cannot begin; NULL: all can                       */
    bool              solved, settled, measured;
    struct system_sums  *sums;           /* [capacity]                                                      */
    struct system_norms *norms;          /* [capacity]                                                      */
    char             *saved;    /* [capacity][n] x on the host as it is saved; NULL: x itself is it              */
    void             *own;      /* of the kind, zeros at first                                                   */
};

struct system_kind {
    const struct system_keys *arrays;
    size_t         own_size;
    /** @param given  in: zeros; out: own is to be destroyed, also where it fails  @return SW_E_MEMORY */
    enum sw_status (*describe)(const struct sw_setup *setup, const struct system_source *source,
                               struct system_given *given);
    const char    *(*solver_name)(const struct system_sim *s);
    enum sw_status (*prepare)(struct system_sim *s, int count);    /* a solver for so many systems                 */
    enum sw_status (*form)(struct system_sim *s, const double *column);  /* arrays that no expression gives; NULL  */
    enum sw_status (*solve)(struct system_sim *s);                 /* may be queued: outcome() waits              */
    enum sw_status (*outcome)(struct system_sim *s);               /* fault and row of endings that can begin     */
    /** A fault for what was measured; NULL: none is. */
    int            (*judge)(const struct system_sim *s, int j);     /* the row, too, where it knows one             */
    void           (*explain)(const struct system_sim *s, int j, struct sw_text *text);
    struct sw_cost (*cost)(const struct system_sim *s);
    void           (*destroy)(struct system_sim *s);               /* own                                        */
    bool           (*needs_staging)(const struct sw_setup *setup);
};

/** @param runs_on  that of the runs  @param device  where the arrays are to be  @param sim  out */
enum sw_status system_sim_create(const struct system_kind *kind, const struct sw_setup *setup,
                                 struct sw_device *runs_on, struct sw_device *device, struct sw_sim **sim);

/** Bytes beside the solver's: added to what is there. */
enum sw_status system_bytes(const struct system_kind *kind, const struct sw_setup *setup,
                            const struct sw_device *device, struct sw_batch_bytes *bytes);

/** Destroy its programs. */
void system_given_free(struct system_given *given);

/** Hand values of a diagonal of run j, [n] on the host, to the device. */
enum sw_status system_put_diagonal(struct system_sim *s, int diagonal, int j, const double *value);

/** @param source  out: NULL: there is none
 *  @return SW_E_IO something has happened to a file since the config was checked; SW_E_MEMORY */
enum sw_status system_open_source(const struct sw_setup *setup, const struct system_keys *arrays,
                                  const struct system_source **source);

/** What is recorded of a run, of all that was measured; and what is said of it. @param record  [SW_DIAGNOSTICS] */
void system_record(const struct system_sums *sums, double *record);
void system_warn_result(const struct sw_sim *sim, int j, const double *record, bool finite, struct sw_text *text);

/* What the keys say (system_keys.c). */

/** Where the entries come from: of the arrays that are used, the expressions of a matrix or of the config.
 * @param use     [arrays->diagonals] which
 * @param matrix  NULL: given by the config  @param given  as system_kind.describe() has it */
enum sw_status system_describe(const struct sw_setup *setup, const struct system_keys *arrays,
                               const bool use[SYSTEM_ARRAYS], const struct named_matrix *matrix,
                               const struct system_source *source, struct system_given *given);

/** struct sw_problem_files, for a kind of systems. */
enum sw_status system_points(const struct sw_setup *setup, const struct system_keys *arrays, int64_t *n,
                             const char **key, struct sw_text *why);
enum sw_status system_content(const struct sw_setup *setup, const struct system_keys *arrays, bool *any,
                              unsigned char digest[32], const char **key);
/** What is wrong with the entries and the source of run j. @param named  the word `matrix` is a matrix of its own
 *  @return as sw_problem.validate_run() */
const char *system_refuse_run(const struct sw_setup *setup, const struct system_keys *arrays, bool named, int ld,
                              const double *column, int j, struct sw_text *why);

/* ------------------------------------------------------------------ rows of a table of keys */

#define SYSTEM_KEY_FUNCTION(path_, what)                                                            \
    {.path = path_, .kind = SW_KEY_FUNCTION, .fallback = "", .symbols = SW_USES_X | SW_USES_RANDOM,   \
     .decides = true, .about = what}
#define SYSTEM_KEYS_RHS_EXACT                                                                       \
    SYSTEM_KEY_FUNCTION("rhs", "The right-hand side f of A x = f; without it f is A times `exact`."), \
    SYSTEM_KEY_FUNCTION("exact", "The solution x. Without rhs the right-hand side is A x, formed in twice the " \
                        "precision and rounded once; the error norms and forward_error are taken against it.")
/* What decides the numbers of a run is what is in the file: system_content(). */
#define SYSTEM_KEY_FILE(datasets)                                                                   \
    {.path = "source.file", .kind = SW_KEY_TEXT, .fallback = "", .reads = true,                       \
     .about = "A file that has arrays of the systems: HDF5, whose datasets " datasets " name, or a Matrix Market " \
              "matrix by coordinates. The arrays decide the numbers, whatever the file is called."}
#define SYSTEM_KEY_DATASET(name_, what)                                                             \
    {.path = "source." name_, .kind = SW_KEY_TEXT, .fallback = "", .about = "The dataset with " what "."}
#define SYSTEM_KEY_SOURCE_RHS                                                                       \
    {.path = "source.rhs", .kind = SW_KEY_TEXT, .fallback = "", .reads = true,                        \
     .about = "The dataset with the right-hand side; beside a Matrix Market matrix a Matrix Market array, whose " \
              "columns are systems."}
#define SYSTEM_KEY_SOURCE_SYSTEM                                                                    \
    {.path = "source.system", .kind = SW_KEY_COUNT, .unit = "1", .min = 1, .max = 1e12, .fallback = "1", \
     .decides = true, .about = "Which system of the arrays of systems x n a run takes, from 1."}
#define SYSTEM_KEY_N(most)                                                                          \
    {.path = "grid.n", .kind = SW_KEY_COUNT, .unit = "unknowns", .min = 1, .max = (most), .decides = true, \
     .visible = true,                                                                                 \
     .about = "Number of unknowns x_1 .. x_n; that of the source's arrays, where there is one. Runs of one n are " \
              "solved together."}
#endif
