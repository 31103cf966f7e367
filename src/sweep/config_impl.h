#ifndef CONFIG_IMPL_H
#define CONFIG_IMPL_H
/* Between the files that read a config. */
#include <stdbool.h>

#include "base/sw_text.h"
#include "sweep/sw_arena.h"
#include "sweep/sw_config.h"

/* A text being looked over before libconfig reads it. libconfig 1.5 wraps integers that do not fit 32 bits without a
 * word, reports an unclosed string at the end of the file, stops at the first error, and refuses [0.01, 1] as
 * "mismatched element type". Here each of the first three gets a message of its own, and `clean` becomes a text that
 * has none of them: integers with an L, arrays as lists, which may mix integers and reals. */
struct sw_scan {
    const char       *file;      /* for messages                                      */
    bool              override;  /* one value of an -s: all on line 0                 */
    struct sw_report *report;
    struct sw_text    clean;
    bool              broken;    /* libconfig would make nothing of it                */
};

/** Look a text over; fills scan->clean, or sets scan->broken. Free scan->clean with sw_text_free(). */
enum sw_status sw_config_scan(struct sw_scan *scan, const char *text);

/** Parse a text that was scanned into a tree (config_read.c, by libconfig).
 * @param root  out: a group, NULL if the report has the reason */
enum sw_status sw_config_parse(struct sw_arena *arena, const struct sw_scan *scan, const char *text,
                               struct sw_setting **root);

/** Apply one "KEY=VALUE" to a tree, the -s of this number, from 1. */
enum sw_status sw_config_override(struct sw_arena *arena, const char *override, int number, struct sw_report *report,
                                  struct sw_setting *root);
#endif
