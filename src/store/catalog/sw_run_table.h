#ifndef SW_RUN_TABLE_H
#define SW_RUN_TABLE_H
/* The run table of an output file, in memory. */
#include <stdbool.h>
#include <stdint.h>

#include "base/sw_status.h"
#include "sweep/sw_run_result.h"

struct sw_last_scalar {          /* of a series of output.scalars                                       */
    char    *name;
    bool     users;              /* of output.scalars.define                                            */
    double  *last;               /* [nruns] NaN where there is none                                     */
};
struct sw_run_table {            /* the run table of a file                                             */
    int64_t  nruns;              /* rows: runs that have a result or were begun                         */
    int64_t  sweep_runs;         /* runs of the whole sweep                                             */
    int      nparam;
    char   **param_name;         /* [nparam]                                                            */
    double  *param;              /* [nparam][nruns]; labels are numbered                                */
    int     *nword;              /* [nparam]: 0 for numbers                                             */
    char  ***word;               /* [nparam][nword]                                                     */
    int64_t *index;              /* [nruns] ascending                                                   */
    uint64_t *id;                /* [nruns]: run_id as a number                                         */
    char   **message;            /* [nruns]                                                             */
    void   **column;             /* [sw_run_ncolumns] as sw_run_columns[], each [nruns]; NULL: not there */
    char    *title, *problem, *source, *history, *sweep_id, *config_sha256, *config_text, *solver, *device,
            *math_library;
    char   **override;
    int      noverride;
    int      nscalar;
    struct sw_last_scalar *scalar;  /* [nscalar] by sw_run_table_read_scalars() alone                   */
    struct sw_run_table_own *own;
};
bool sw_run_table_has(const struct sw_run_table *table, const char *column);
/** The results of a run: in columns that are not there what sw_run_row_empty() has. */
struct sw_run_row sw_run_table_row(const struct sw_run_table *table, int64_t row);
/** SW_RUN_PENDING where the table has no such column. */
enum sw_run_status sw_run_table_status(const struct sw_run_table *table, int64_t row);
/** Where a value of a column is, which is there: of the type that the file has. */
const void *sw_run_table_value(const struct sw_run_table *table, const struct sw_run_column *column, int64_t row);

enum { SW_RUN_ID = 17 };
/** run_id as people read and write it: 16 hexadecimal digits. @return text */
const char *sw_run_id_text(uint64_t id, char text[SW_RUN_ID]);
/** Read the run table of a file and its parts, also while a sweep writes them.
 * @return SW_E_IO there is neither, or it is not a sweep's output; SW_E_MEMORY */
enum sw_status sw_run_table_read(const char *file, struct sw_run_table **table);
/** And the scalars with which the runs ended; those of a virtual file stay NaN. */
enum sw_status sw_run_table_read_scalars(const char *file, struct sw_run_table **table);
/** The same of some parts of a file, whose runs are in no others. */
enum sw_status sw_run_table_read_parts(const char *const *part, int count, struct sw_run_table **table);
void sw_run_table_free(struct sw_run_table **table);
#endif
