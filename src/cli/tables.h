#ifndef TABLES_H
#define TABLES_H
/* The tables of this program as `sweep list` prints them and `sweep explain` looks names up in them. */
#include <stdbool.h>

#include "base/sw_text.h"

struct table_row {
    const char *name, *about;
    const char *more;      /* a second line; NULL: none                        */
    const char *absent;    /* why this build or machine lacks it; NULL: it has it */
};

struct cli_table {
    const char *heading;   /* "compact schemes"                                */
    const char *key;       /* in JSON: "schemes"                               */
    const char *what;      /* of a row: "A compact scheme"                     */
    /** Row k. @return false past the end */
    bool (*row)(int k, struct table_row *row);
    /** What `sweep explain` adds about row k, whole lines; NULL: nothing. */
    void (*detail)(int k, struct sw_text *text);
    bool places_optional;  /* "cpu.scan" goes by the name "scan", too          */
};
extern const struct cli_table cli_tables[];  /* ends with heading NULL */
#endif
