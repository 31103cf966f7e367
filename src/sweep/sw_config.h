#ifndef SW_CONFIG_H
#define SW_CONFIG_H
/* A config as the user wrote it: a tree of settings that know their file and line. Only config_parse.c uses libconfig.
 * Nothing is interpreted here: what a key means is in key_table.c and keys.c. */
#include <stdbool.h>
#include <stdint.h>

#include "base/sw_status.h"
#include "base/sw_report.h"

enum sw_setting_kind { SW_SETTING_INTEGER, SW_SETTING_REAL, SW_SETTING_SWITCH, SW_SETTING_STRING, SW_SETTING_LIST,
                       SW_SETTING_GROUP };

struct sw_setting {
    const char          *name;    /* its own name, NULL in a list         */
    const char          *path;    /* "time.dt"; in a list, the list's     */
    enum sw_setting_kind kind;
    const char          *file;    /* "ch.cfg", or "-s" for an override    */
    int                  line;    /* 0 for an override                    */
    int                  override;  /* of the -s that sets it the number, from 1; 0: the file */
    double               number;  /* INTEGER, REAL, SWITCH (0, 1)         */
    const char          *text;    /* STRING                               */
    int                  count;   /* LIST, GROUP: children                */
    struct sw_setting  **child;
};

struct sw_config {
    struct sw_setting  *root;           /* a group                                                           */
    const char         *name;           /* the path given, or the name for texts                             */
    char               *text;           /* the file's text as read                                           */
    char              **override;       /* the -s arguments, as given; last the rows of a table from a file  */
    int                 noverride;
    bool                older_axes;     /* by the caller: axes have the last digits that earlier versions gave them  */
    bool                users_file;     /* a file that the user wrote: its former names of keys are worth a warning  */
    struct sw_refined { int64_t count; uint32_t *point; } refined;  /* by sw_refiner_round(): points that are runs,
                                           beside those of the axes                                          */
    char                sha256[65];     /* of text and overrides                                             */
    struct sw_arena    *arena;          /* holds all of the above but `refined`                              */
};

/** Read a config file and apply overrides ("time.dt=0.01", "forcing=\"a*cos(x)\""; a value that is no libconfig value
 * counts as a string, so forcing=a*cos(x) does too). An override replaces whatever its path named, a group or list too.
 * All errors go into the report: syntax, mixed lists, integers that do not fit 32 bits, a key set twice.
 * @return SW_OK also with errors in the report, if there is a tree to look at in spite of them: sw_sweep_expand() adds
 *         what it finds to the same report, and refuses; SW_E_CONFIG no tree, see the report; SW_E_IO the file cannot
 *         be read; SW_E_MEMORY */
enum sw_status sw_config_read(const char *path, const char *const *override, int noverride, struct sw_report *report,
                              struct sw_config **config);

/** The same from a text (a config stored in an output file), which is not the user's file. name is used in messages. */
enum sw_status sw_config_read_text(const char *name, const char *text, const char *const *override, int noverride,
                                   struct sw_report *report, struct sw_config **config);
void sw_config_destroy(struct sw_config **config);

/** The setting at a dotted path, NULL if there is none. "left.robin.0" is the first element of a list. */
const struct sw_setting *sw_config_find(const struct sw_config *config, const char *path);
/** The member of a group of that name, NULL if there is none. */
const struct sw_setting *sw_setting_member(const struct sw_setting *group, const char *name);
#endif
