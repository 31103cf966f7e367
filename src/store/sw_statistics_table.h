#ifndef SW_STATISTICS_TABLE_H
#define SW_STATISTICS_TABLE_H
/* The statistics over runs in an output file as a table: a row for each point of the axes that are left. */
#include <stdint.h>

#include "store/catalog/sw_run_table.h"

struct sw_statistics_column {
    char    *name;                    /* "gamma", "n_ok", "energy_mean", "energy_q0.05"             */
    bool     axis, counts;            /* a parameter; numbers of runs                               */
    double  *number;                  /* [nrow] at the last time; NULL: texts                       */
    int64_t *count;                   /* [nrow] of `counts`, else NULL                              */
    char   **text;                    /* [nrow] of an axis of words                                 */
};
struct sw_statistics_table {          /* free with sw_statistics_table_free()                       */
    int64_t nrow;
    int     ncolumn;
    struct sw_statistics_column *column;
    int     nfield;                   /* statistics of fields, which are left out                   */
};
/** Read it. @param runs  the run table of the file
 * @return SW_E_REFUSED the file has no statistics: the message says what to do; SW_E_IO, SW_E_MEMORY */
enum sw_status sw_statistics_table_read(const char *file, const struct sw_run_table *runs,
                                        struct sw_statistics_table *table);
void sw_statistics_table_free(struct sw_statistics_table *table);
#endif
