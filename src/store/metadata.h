#ifndef METADATA_H
#define METADATA_H
/* The texts of an output file that say what it holds and where that comes from. No HDF5 here. */
#include "store/sw_provenance.h"
#include "sweep/sw_sweep.h"

/* The separator says what a join does where inputs differ: it lists all of them, or takes the newest (NULL).
 *    item         group          name in the file    separator */
#define SW_METADATA_TABLE(X)                                     \
    X(TITLE,       "/",           "title",            NULL)  \
    X(SOURCE,      "/",           "source",           "; ")  \
    X(HISTORY,     "/",           "history",          "\n")  \
    X(SCHEMA,      "/",           "sweep_schema",     NULL)  \
    X(PROBLEM,     "/",           "problem",          NULL)  \
    X(EQUATION,    "/",           "equation",         NULL)  \
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
    X(MATH,        "/provenance", "math_library",     "; ")  \
    X(HDF5,        "/provenance", "hdf5",             "; ")  \
    X(COMPILER,    "/provenance", "compiler",         "; ")  \
    X(JOB,         "/provenance", "slurm_job_id",     "; ")  \
    X(EXPRESSIONS, "/provenance", "user_expressions", NULL)  \
    X(STATISTICS,  "/provenance", "statistics",       NULL)  \
    X(DROPPED,     "/provenance", "dropped",          NULL)

#define X(fact, group, name, separator) SW_METADATA_##fact,
enum sw_metadata_item { SW_METADATA_TABLE(X) SW_METADATA_COUNT };
#undef X
struct sw_metadata_row { const char *group, *name, *separator; };
extern const struct sw_metadata_row sw_metadata_rows[SW_METADATA_COUNT];

#define SW_SCHEMA "3.0"            /* of the file; a reader refuses a larger first number */

struct sw_metadata {  /* start from {0}; free with sw_metadata_free() */
    char   *text[SW_METADATA_COUNT];        /* NULL counts as ""                         */
    int64_t runs;     /* of the whole sweep                           */
    bool    dirty;    /* the program had uncommitted changes          */
    char   *config_text;
    char  **override;
    int     noverride;
};
/** @param hdf5  version of the library */
enum sw_status sw_metadata_make(const struct sw_sweep *sweep, const struct sw_provenance *provenance, const char *hdf5,
                                struct sw_metadata *metadata);
/** Replace what a sweep decides: title, problem, ids, config, expressions. */
enum sw_status sw_metadata_set_sweep(struct sw_metadata *metadata, const struct sw_sweep *sweep);
/** Add the metadata of a newer input. */
enum sw_status sw_metadata_join(struct sw_metadata *metadata, const struct sw_metadata *newer);
/** Add the line that says when and how this program was called. */
enum sw_status sw_metadata_add_history(struct sw_metadata *metadata, const struct sw_provenance *provenance);
void sw_metadata_free(struct sw_metadata *metadata);
#endif
