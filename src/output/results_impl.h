#ifndef RESULTS_IMPL_H
#define RESULTS_IMPL_H
/* What results_*.c share: what a file holds besides its arrays of numbers, in memory. No HDF5 here. */
#include "output/sw_output.h"

/* ---- facts: the texts that say where the results come from.
 * The separator says what a merge does where inputs differ: it lists all of them, or takes the newest (NULL).
 *    fact         group          name in the file    separator */
#define SW_FACT_TABLE(X)                                     \
    X(TITLE,       "/",           "title",            NULL)  \
    X(SOURCE,      "/",           "source",           "; ")  \
    X(HISTORY,     "/",           "history",          "\n")  \
    X(SCHEMA,      "/",           "sweep_schema",     NULL)  \
    X(PROBLEM,     "/",           "problem",          NULL)  \
    X(CONFIG_HASH, "/",           "config_sha256",    NULL)  \
    X(SWEEP_ID,    "/",           "sweep_id",         NULL)  \
    X(SOLVER,      "/provenance", "solver",           "; ")  \
    X(PRECISION,   "/provenance", "precision",        "; ")  \
    X(COMMIT,      "/provenance", "git_commit",       "; ")  \
    X(COMMAND,     "/provenance", "command_line",     "; ")  \
    X(HOST,        "/provenance", "hostname",         "; ")  \
    X(DEVICE,      "/provenance", "device",           "; ")  \
    X(GPU,         "/provenance", "gpu",              "; ")  \
    X(DRIVER,      "/provenance", "driver",           "; ")  \
    X(CUDA,        "/provenance", "cuda",             "; ")  \
    X(HDF5,        "/provenance", "hdf5",             "; ")  \
    X(COMPILER,    "/provenance", "compiler",         "; ")  \
    X(JOB,         "/provenance", "slurm_job_id",     "; ")  \
    X(EXPRESSIONS, "/provenance", "user_expressions", NULL)

#define X(fact, group, name, separator) SW_FACT_##fact,
enum sw_fact { SW_FACT_TABLE(X) SW_FACTS };
#undef X
struct sw_fact_row { const char *group, *name, *separator; };
extern const struct sw_fact_row sw_fact_rows[SW_FACTS];

#define SW_SCHEMA "2.0"            /* of the file; a reader refuses a larger first number */

struct sw_facts {                  /* start from {0}; free with sw_facts_free() */
    char   *text[SW_FACTS];        /* NULL counts as ""                         */
    int64_t runs;                  /* of the whole sweep                        */
    bool    dirty;                 /* the program had uncommitted changes       */
    char   *config_text;
    char  **override;
    int     noverride;
};
/** @param hdf5  version of the library */
enum sw_status sw_facts_make(const struct sw_sweep *sweep, const struct sw_provenance *provenance, const char *hdf5,
                             struct sw_facts *facts);
/** Replace what a sweep decides: title, problem, ids, config, expressions. */
enum sw_status sw_facts_set_sweep(struct sw_facts *facts, const struct sw_sweep *sweep);
/** Add the facts of a newer input. */
enum sw_status sw_facts_join(struct sw_facts *facts, const struct sw_facts *newer);
/** Add the line that says when and how this program was called. */
enum sw_status sw_facts_add_history(struct sw_facts *facts, const struct sw_provenance *provenance);
void sw_facts_free(struct sw_facts *facts);

/* ---- the run table */
struct sw_run_table_own {
    struct sw_facts facts;         /* title, problem, ... of the table point into it */
    char (*id_text)[17];           /* [nruns]: run_id points into it                 */
};
/** A table of zeros with room for nruns and nparam nameless parameters. */
enum sw_status sw_run_table_alloc(int64_t nruns, int nparam, struct sw_run_table **table);
enum sw_status sw_run_table_set_param(struct sw_run_table *table, int k, const char *name);
/** Number a word of parameter k: the one it has, or the next. */
enum sw_status sw_run_table_word(struct sw_run_table *table, int k, const char *word, double *number);
void sw_run_table_set_id(struct sw_run_table *table, int64_t row, uint64_t id);
enum sw_status sw_run_table_set_message(struct sw_run_table *table, int64_t row, const char *text);
/** Copy one row's results (all but index and parameters). */
enum sw_status sw_run_table_copy_row(struct sw_run_table *to, int64_t row, const struct sw_run_table *from,
                                     int64_t from_row);
/** Name the parameters after the axes of a sweep and fill in those of the rows' indices. */
enum sw_status sw_run_table_set_sweep(struct sw_run_table *table, const struct sw_sweep *sweep);
/** "a v seed", to be freed with sw_free(); NULL if memory is out. */
char *sw_run_table_coordinates(const struct sw_run_table *table);
struct sw_sweep_identity sw_run_table_of(const struct sw_run_table *table);
/** Let the table own the facts (they are moved). */
void sw_run_table_take_facts(struct sw_run_table *table, struct sw_facts *facts);

/** Numbers of a sweep's runs in blocks: calls use(user, first, count, column) with column [ncolumn][count].
 *  @param run  [nruns] indices */
enum sw_status sw_run_table_columns(const struct sw_sweep *sweep, const int64_t *run, int64_t nruns,
                                enum sw_status (*use)(void *user, int64_t first, int64_t count, const double *column),
                                void *user);
#endif
