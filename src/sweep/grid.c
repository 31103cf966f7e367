/* The numbers of the grid. grid.n, grid.length and grid.x0 are one number for all dimensions or a list of one for each;
 * a problem that may have more than one dimension has the columns "grid.n" (x), "grid.n.1" (y), "grid.n.2" (z), and so
 * for the others (problem/grid_keys.h). */
#include <string.h>

#include "sweep/expand_impl.h"

static const struct { const char *path[SW_DIMS]; double unused; } quantities[] = {
    {{"grid.n", "grid.n.1", "grid.n.2"}, 1},
    {{"grid.length", "grid.length.1", "grid.length.2"}, 1},
    {{"grid.x0", "grid.x0.1", "grid.x0.2"}, 0},
};
enum { QUANTITIES = sizeof quantities / sizeof *quantities };

int grid_max_dim(const struct sw_problem *problem) { return problem->max_dim > 1 ? problem->max_dim : 1; }

static const struct sw_setting *list_of(const struct sw_sweep *s, int q)
{
    const struct sw_setting *at = key_setting(s, quantities[q].path[0]);
    return at && at->kind == SW_SETTING_LIST ? at : NULL;
}

const struct sw_setting *grid_list(const struct sw_sweep *s)
{
    for (int q = 0; q < QUANTITIES; q++)
        if (list_of(s, q)) return list_of(s, q);
    return NULL;
}

void grid_check(const struct sw_sweep *s)
{
    const struct sw_setting *first = grid_list(s), *list;
    const int most = grid_max_dim(s->problem);
    for (int q = 0; q < QUANTITIES; q++) {
        if (!(list = list_of(s, q))) continue;
        s->own->grid_wrong |= most == 1 || list->count < 1 || list->count > most || list->count != first->count;
        if (most == 1)
            report_error(s, list, "'%s' is a list of %d: %s is 1-D only; write one number", list->path, list->count,
                            s->problem->name);
        else if (list->count < 1 || list->count > most)
            report_error(s, list, "'%s' is a list of %d: %s has 1 to %d dimensions", list->path, list->count,
                            s->problem->name, most);
        else if (list->count != first->count)
            report_error(s, list, "'%s' is a list of %d, but '%s' one of %d; one number stands for all dimensions",
                            list->path, list->count, first->path, first->count);
    }
}

/* Which quantity a column is of, and in which dimension. */
static bool find(const char *path, int *quantity, int *dimension)
{
    for (*quantity = 0; *quantity < QUANTITIES; ++*quantity)
        for (*dimension = 0; *dimension < SW_DIMS; ++*dimension)
            if (!strcmp(path, quantities[*quantity].path[*dimension])) return true;
    return false;
}

bool grid_source(struct sw_sweep *s, int k)
{
    struct source *from = &s->own->source[k];
    const char *path = s->column[k].name;
    const struct sw_setting *list;
    int q, d;
    if (!strcmp(path, "grid.dim") && !from->setting && (list = grid_list(s)) && grid_max_dim(s->problem) > 1) {
        from->kind = SOURCE_CONSTANT;
        from->unknown = list->count < 1 || list->count > grid_max_dim(s->problem);  /* refused */
        from->number = list->count;
        s->column[k].given = true;
        return true;
    }
    if (!find(path, &q, &d)) return false;
    if (d == 0) {  /* of a list the first; one that was refused is not looked at */
        if (!(list = list_of(s, q))) return false;
        from->setting = list->count && grid_max_dim(s->problem) > 1 ? list->child[0] : NULL;
        from->unknown = !from->setting;
        return from->unknown;
    }
    if (from->setting) return false;
    from->kind = SOURCE_GRID;
    from->dimension = d;
    from->unused = quantities[q].unused;
    from->dim = column_find(s, "grid.dim");
    from->like = column_find(s, quantities[q].path[0]);
    from->setting = s->own->source[from->like].setting;
    s->column[k].given = s->column[from->like].given;
    return true;
}

void grid_fill(const struct source *from, int count, const double *column, double *out)
{
    const double *dim = column + (size_t)from->dim * BLOCK, *like = column + (size_t)from->like * BLOCK;
    for (int j = 0; j < count; j++) out[j] = dim[j] > from->dimension ? like[j] : from->unused;
}

int grid_dimensions_used(const struct sw_sweep *s, int *function)
{
    int most = 1;
    *function = -1;
    for (int k = 0; k < s->nfunction; k++) {
        const struct sw_program *p = s->function[k].program;
        int needs = sw_program_uses(p, "z") ? 3 : sw_program_uses(p, "y") ? 2 : 1;
        if (needs > most) { most = needs; *function = k; }
    }
    return most;
}
