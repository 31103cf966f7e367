#ifndef CONFIG_IMPL_H
#define CONFIG_IMPL_H
/* From the text of a config to a tree of settings: config_scan.c checks the text, config_parse.c has
 * libconfig parse it. */
#include <stdbool.h>

#include "base/sw_text.h"
#include "sweep/sw_arena.h"
#include "sweep/sw_config.h"

/* A text being checked before libconfig reads it. libconfig 1.5 wraps integers that do not fit 32 bits without a
 * message, reports an unclosed string at the end of the file, stops at the first error, and refuses [0.01, 1] as
 * "mismatched element type". The scanner reports the first three itself, and writes a text that has none of the four
 * into `clean`: integers with an L, arrays as lists, which may mix integers and reals. */
struct sw_scan {
    const char       *file;      /* for messages                                      */
    bool              override;  /* one value of an -s: all on line 0                 */
    struct sw_report *report;
    struct sw_text    clean;
    bool              broken;    /* libconfig could not parse it                      */
};

/** Check a text; fills scan->clean, or sets scan->broken. Free scan->clean with sw_text_free(). */
enum sw_status sw_config_scan(struct sw_scan *scan, const char *text);

/** Parse a text that was scanned into a tree.
 * @param root  out: a group, NULL if the report has the reason */
enum sw_status sw_config_parse(struct sw_arena *arena, const struct sw_scan *scan, const char *text,
                               struct sw_setting **root);

/** The columns of a table in an HDF5 file as a text, "a","b", a line for each row.
 * @param group  whose datasets are the columns, "/"; or a dataset of compounds, whose members are
 * @return SW_E_CONFIG there are none, or what they hold is no table; SW_E_IO; SW_E_MEMORY. Messages do not name the
 *         file */
enum sw_status sw_config_read_columns(const char *path, const char *group, struct sw_text *text);

/** Where sweep.mode is "table" and sweep.file names its table: read the file into the setting table.rows, whose file is
 * then that one, and add this setting to the overrides, so that whoever stores the config stores what was read. A text
 * gets line ends of one character, and no mark at its beginning. Rows that an -s behind that of sweep.file gives, as
 * those of a stored config, are kept: no file is read. What is wrong with the file is reported at sweep.file; then
 * there are no rows. @return SW_E_MEMORY */
enum sw_status sw_config_read_rows(struct sw_config *config, struct sw_report *report);
#endif
