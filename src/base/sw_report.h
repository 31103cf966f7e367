#ifndef SW_REPORT_H
#define SW_REPORT_H
/* Everything that is wrong with a config, collected, so that the user sees all of it at once:
 *     ch.cfg:4: error: unknown key 'time.methd'; did you mean 'method'?
 * Further lines of one entry (a caret under an expression, a hint) are part of its text, separated by '\n'. */
#include <stdbool.h>

#include "base/sw_status.h"

enum sw_severity { SW_ERROR, SW_WARNING };

struct sw_report_entry {
    char            *file;  /* NULL: no file ("error: ...")  */
    int              line;  /* 0: the file as a whole        */
    int              option;  /* the number of the option -s that the entry is about, from 1; 0: none */
    enum sw_severity severity;
    char            *text;
};

struct sw_report {          /* start from {0}; free with sw_report_free() */
    struct sw_report_entry *entry;
    int count, errors;
};

/* What an entry is about, as the members of sw_report_entry. */
struct sw_report_place { const char *file; int line, option; };

/** Add one entry. Entries with one file, line and text are kept once. Failing memory drops the entry but counts it. */
void sw_report_add_at(struct sw_report *r, enum sw_severity severity, struct sw_report_place place, const char *fmt,
                      ...) __attribute__((format(printf, 4, 5)));
#define sw_report_add(r, severity, in_file, on_line, ...) \
    sw_report_add_at((r), (severity), (struct sw_report_place){.file = (in_file), .line = (on_line)}, __VA_ARGS__)

/** SW_OK without errors; else SW_E_CONFIG, with a message that names how many. */
enum sw_status sw_report_status(const struct sw_report *r);

/** The whole report as lines to print, ordered by file and line; NULL if memory is out. Free with sw_free(). */
char *sw_report_print(const struct sw_report *r);
void sw_report_free(struct sw_report *r);
#endif
