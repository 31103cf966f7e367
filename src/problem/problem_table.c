/* Every kind of problem there is. To add one: write its file, add its row. */
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "problem/sw_problem.h"

extern const struct sw_problem problem_hyperdiffusion, problem_heat, problem_cahn_hilliard, problem_swift_hohenberg,
    problem_allen_cahn, problem_bvp, problem_compact, problem_advection, problem_tridiagonal, problem_banded,
    problem_elliptic, problem_equation;

const struct sw_problem *const sw_problem_table[] = {
    &problem_hyperdiffusion,
    &problem_heat,
    &problem_cahn_hilliard,
    &problem_swift_hohenberg,
    &problem_allen_cahn,
    &problem_bvp,
    &problem_compact,
    &problem_advection,
    &problem_tridiagonal,
    &problem_banded,
    &problem_elliptic,
    &problem_equation,
    NULL,
};

const struct sw_problem *sw_problem_find(const char *name)
{
    for (int k = 0; sw_problem_table[k]; k++)
        if (!strcmp(sw_problem_table[k]->name, name)) return sw_problem_table[k];
    return NULL;
}

const char *sw_refuse(struct sw_text *why, const char *key, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    sw_text_vset(why, format, list);
    va_end(list);
    return key;
}
