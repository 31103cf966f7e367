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

/* The catalogue of equations for `problem = "equation"`: configs/equations/NAME.cfg, embedded in the program. What the
 * catalogue says of a config is in the first and the third line of its comment:
 *
 *     // Swift-Hohenberg: a pattern of stripes grows ...
 *     //
 *     //     u_t = r u - (1 + d_xx)^2 u - u^3 */
struct cli_equation {
    char        name[64];      /* "equation.swift_hohenberg" */
    char        about[200];    /* the first line             */
    char        formula[200];  /* the third line             */
    const char *begin, *end;   /* the config                 */
};

/** Equation k of the catalogue. @return NULL past the end */
const struct cli_equation *cli_equation(int k);

/** The part of its name behind the dot, which may be the name of a problem, too. */
const char *cli_equation_short_name(const struct cli_equation *equation);
#endif
