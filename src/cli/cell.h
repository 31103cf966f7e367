#ifndef CELL_H
#define CELL_H
/* A value with a name, as a command that prints rows of them has it: for programs a member of a JSON object or a cell
 * of a line of CSV, for people a cell of a table. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/sw_json.h"
#include "store/catalog/sw_run_table.h"

enum cell_kind {
    CELL_EMPTY,   /* not known: an empty cell of CSV, no member in JSON                                       */
    CELL_TEXT,
    CELL_COUNT,
    CELL_REAL,    /* a result, with all its digits; NaN is one, too                                           */
    CELL_FIGURE   /* a measurement: six digits in CSV; not finite: empty there, null in JSON                  */
};
enum cell_use { CELL_IN_BOTH, CELL_IN_CSV, CELL_IN_JSON };

struct cell {
    const char    *name;
    enum cell_kind kind;
    enum cell_use  use;
    const char    *text;                    /* borrowed */
    int64_t        count;
    double         real;
};

void cell_print_csv(FILE *to, const struct cell *cell);
void cell_print_json(struct sw_json *j, const struct cell *cell);
/** For people, and in CSV: whole numbers whole, 1048576 and not 1.04858e+06.
 * @param digits  of a real number  @param room  what the text may lie in */
const char *cell_format(const struct cell *cell, int digits, char room[40]);

/* ---- a row of the run table as cells: what `sweep show` prints of a run, and `sweep ask` answers */

/* A column of what is shown: a parameter, a column of the run table (of_run), or a list of numbers or texts. */
struct shown_column {
    const char *name;
    enum cell_kind kind;
    int         param;                     /* of of_param: which parameter       */
    bool        of_param;
    const struct sw_run_column *of_run;
    const int64_t *count;
    const double  *real;
    char *const   *text;
    bool        of_id;
    bool        brief;                     /* also in the table for people       */
};

enum { SHOWN_MOST = 128 };

/** All columns of a table. @param c  out: [SHOWN_MOST], which borrow from the table  @return how many */
int shown_columns(const struct sw_run_table *table, struct shown_column *c);

/** @param room  what its text may lie in */
struct cell shown_cell(const struct sw_run_table *table, const struct shown_column *c, int64_t row, char room[40]);
#endif
