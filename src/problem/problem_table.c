/* Every kind of problem there is. To add one: write its file, add its row. */
#include <stddef.h>
#include <string.h>

#include "problem/sw_problem.h"

extern const struct sw_problem problem_hyperdiffusion, problem_heat, problem_cahn_hilliard;

const struct sw_problem *const sw_problem_table[] = {
    &problem_hyperdiffusion,
    &problem_heat,
    &problem_cahn_hilliard,
    NULL,
};

const struct sw_problem *sw_problem_find(const char *name)
{
    for (int k = 0; sw_problem_table[k]; k++)
        if (!strcmp(sw_problem_table[k]->name, name)) return sw_problem_table[k];
    return NULL;
}

const struct sw_program *sw_setup_function(const struct sw_setup *setup, const char *key)
{
    for (int k = 0; k < setup->nfunction; k++)
        if (!strcmp(setup->function[k].key, key)) return setup->function[k].program;
    return NULL;
}

/* Number keys come first among the columns: an axis of the same name is not taken for one. */
int sw_setup_column(const struct sw_setup *setup, const char *path)
{
    for (int k = 0; k < setup->ncolumn; k++)
        if (!strcmp(setup->column[k], path)) return k;
    return -1;
}
