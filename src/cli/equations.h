#ifndef EQUATIONS_H
#define EQUATIONS_H
/* The catalogue of equations for `problem = "equation"`: configs/equations/NAME.cfg, embedded in the program. What the
 * catalogue says of a config is in the first and the third line of its comment:
 *
 *     // Swift-Hohenberg: a pattern of stripes grows ...
 *     //
 *     //     u_t = r u - (1 + d_xx)^2 u - u^3 */
#include <stdio.h>

struct cli_equation {
    char        name[64];      /* "equation.swift_hohenberg" */
    char        about[200];    /* the first line             */
    char        formula[200];  /* the third line             */
    const char *begin, *end;   /* the config                 */
};

/** Equation k of the catalogue. @return NULL past the end */
const struct cli_equation *cli_equation(int k);

/** By its name, or by the part of it behind the dot. @return NULL: none */
const struct cli_equation *cli_equation_find(const char *name);

/** The part of its name behind the dot, which may be the name of a problem, too. */
const char *cli_equation_short_name(const struct cli_equation *equation);
#endif
