#include <string.h>

#include "problem/sw_problem.h"

const struct sw_program *sw_setup_function(const struct sw_setup *setup, const char *key)
{
    for (int k = 0; k < setup->nfunction; k++)
        if (!strcmp(setup->function[k].key, key)) return setup->function[k].program;
    return NULL;
}

bool sw_setup_chosen(const struct sw_setup *setup, const char *key, const char *word)
{
    for (int k = 0; k < setup->nchoice; k++)
        if (!strcmp(setup->choice[k].key, key)) return !strcmp(setup->choice[k].word, word);
    return false;
}

/* Number keys come first among the columns: an axis of the same name is not taken for one. */
int sw_setup_column(const struct sw_setup *setup, const char *path)
{
    for (int k = 0; k < setup->ncolumn; k++)
        if (!strcmp(setup->column[k], path)) return k;
    return -1;
}

static double number(const struct sw_setup *setup, const char *path, int64_t count, const double *column, int64_t j,
                     double otherwise)
{
    int k = sw_setup_column(setup, path);
    return k < 0 ? otherwise : column[k * count + j];
}

/* Periodic: n points over the length, the last one dx short of its end. */
struct sw_grid sw_setup_grid(const struct sw_setup *setup, int64_t count, const double *column, int64_t j)
{
    return (struct sw_grid){.x0 = number(setup, "grid.x0", count, column, j, 0),
                            .dx = number(setup, "grid.length", count, column, j, 1) / (double)setup->n,
                            .dt = number(setup, "time.dt", count, column, j, 0)};
}
