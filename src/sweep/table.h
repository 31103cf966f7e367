#ifndef SWEEP_TABLE_H
#define SWEEP_TABLE_H
/* The table of sweep.mode = "table": comma-separated values, whose first line names the columns. Each column is an
 * axis, and each row a point of all of them, which every value of the other axes is combined with.
 *
 *     a, b, row                 blanks around a value do not count, and a line that is blank or begins with # is none
 *     0.1, 2e-3, "cpu.simd"     a value may stand in quotes; a word where a key takes the axis' words ("$row"), else a
 *                               finite number with a decimal point
 *
 * The text is the setting table.rows, which holds what was read of the file (sw_config_read_rows()). Rows that are
 * equal are one. */
#include "sweep/sw_sweep.h"

enum { AXIS_WORDS_MOST = 1000, AXIS_RUNS_MOST = 10000000 };  /* ids, indices and a search table: 80 bytes a run */

struct table_column {
    const char        *name;
    struct sw_setting  setting;   /* sweep.NAME, at the line of the header                                      */
    int                field;     /* which field of a line it is, from 0                                        */
    bool               words;
    double            *value;     /* [nrow] words: their numbers                                                */
    const char       **word;      /* [nword] words, each once                                                   */
    int                nword;
};

struct table {
    const struct sw_setting *rows;    /* its text                                                               */
    bool     wrong;                   /* refused: its axes have no values                                       */
    int      nfield;                  /* of each line                                                           */
    int      ncolumn;                 /* of those that the sweep takes                                          */
    struct table_column *column;
    int64_t  nrow;                    /* that differ                                                            */
    const char *first;                /* the line after the header                                              */
    int64_t  first_line;              /* its number, from 1                                                     */
};

/** Whether a text may be a word of an axis: letters, digits and _.+-: */
bool table_is_word(const char *text);

/** Read the header: sw_sweep_own.table, NULL in other modes. Called before there are keys. @return SW_E_MEMORY */
enum sw_status table_read_header(struct sw_sweep *s);

/** The column of a name; -1: none. */
int table_find(const struct table *table, const char *name);

/** Read the rows. A column whose `words` is set takes words, the others numbers. @return SW_E_MEMORY */
enum sw_status table_read_rows(struct sw_sweep *s);
#endif
