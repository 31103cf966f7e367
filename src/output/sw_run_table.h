#ifndef SW_RUN_TABLE_H
#define SW_RUN_TABLE_H
/* The run table of an output file, in memory. */
#include <stdbool.h>
#include <stdint.h>

#include "base/sw_err.h"
#include "sweep/sw_run_result.h"

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
    char   **run_id, **message;  /* [nruns]                                                             */
    struct sw_run_row *row;      /* [nruns]                                                             */
    bool    *has;                /* [sw_run_ncolumns]: which columns the file has; NaN in row[] without */
    char    *title, *problem, *source, *history, *sweep_id, *config_sha256, *config_text, *solver, *device;
    char   **override;
    int      noverride;
    struct sw_run_table_own *own;
};
/** Read the run table of a file and its parts, also while a sweep writes them.
 * @return SW_E_IO there is neither, or it is not a sweep's output; SW_E_MEMORY */
enum sw_status sw_run_table_read(const char *file, struct sw_run_table **table);
void sw_run_table_free(struct sw_run_table **table);
#endif
