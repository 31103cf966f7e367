#include "sweep/grid_settings.h"

#include <string.h>

#include "sweep/keys.h"
#include "sweep/sweep_own.h"

static const struct grid_quantity quantities[] = {
    {{"grid.n", "grid.n.1", "grid.n.2"}, 1},
    {{"grid.length", "grid.length.1", "grid.length.2"}, 1},
    {{"grid.x0", "grid.x0.1", "grid.x0.2"}, 0},
};
enum { QUANTITIES = sizeof quantities / sizeof *quantities };

const struct sw_setting *grid_list_at(const struct sw_sweep *s, const char *path)
{
    const struct sw_setting *setting = key_setting(s, path);
    return setting && setting->kind == SW_SETTING_LIST ? setting : NULL;
}

const struct sw_setting *grid_list(const struct sw_sweep *s)
{
    const struct sw_setting *list = NULL;
    for (int q = 0; q < QUANTITIES && !list; q++) list = grid_list_at(s, quantities[q].path[0]);
    return list;
}

void grid_check(const struct sw_sweep *s)
{
    const struct sw_setting *first = grid_list(s), *list;
    const int max = grid_max_dim(s->problem);
    for (int q = 0; q < QUANTITIES; q++) {
        if (!(list = grid_list_at(s, quantities[q].path[0]))) continue;
        s->own->grid_wrong |= max == 1 || list->count < 1 || list->count > max || list->count != first->count;
        if (max == 1)
            report_error(s, list, "'%s' is a list of %d: %s is 1-D only; write one number", list->path, list->count,
                         s->problem->name);
        else if (list->count < 1 || list->count > max)
            report_error(s, list, "'%s' is a list of %d: %s has 1 to %d dimensions", list->path, list->count,
                         s->problem->name, max);
        else if (list->count != first->count)
            report_error(s, list, "'%s' is a list of %d, but '%s' one of %d; one number stands for all dimensions",
                         list->path, list->count, first->path, first->count);
    }
}

const struct grid_quantity *grid_quantity_of(const char *path, int *dimension)
{
    for (int q = 0; q < QUANTITIES; q++)
        for (*dimension = 0; *dimension < SW_DIMS; ++*dimension)
            if (!strcmp(path, quantities[q].path[*dimension])) return &quantities[q];
    return NULL;
}
