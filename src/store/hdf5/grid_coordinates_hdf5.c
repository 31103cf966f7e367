#include "store/hdf5/grid_coordinates_hdf5.h"

#include <math.h>
#include <string.h>

#include "base/sw_mem.h"

/* The dataset of what runs have of their own, -1: they agree. */
static hid_t open_own(struct sw_grid_coordinates *l, enum sw_var_kind kind)
{
    const struct sw_data_group *s = l->data_group;
    struct sw_h5_shape shape;
    enum sw_h5_type type;
    char path[SW_PATH];
    for (int k = 0; k < s->nvar; k++) {
        if (s->var[k].kind != kind) continue;
        return sw_h5_dataset(&l->h5, sw_data_group_path(s, s->var[k].name, path), &shape, &type);
    }
    return -1;
}

static void set_axis(struct sw_grid_coordinates *l, int d, double first, double last)
{
    const int64_t n = l->data_group->n[d];
    l->first[d] = first;
    l->step[d] = n > 1 ? (last - first) / (double)(n - 1) : 1;
}

/* Whether point i lies where a step between all points puts it, but for rounding of coordinates. */
static bool is_even(const struct sw_grid_coordinates *l, int d, int64_t i, double x)
{
    return !(fabs(x - (l->first[d] + (double)i * l->step[d])) > 1e-6 * fabs(l->step[d]));
}

/* Points x[0 .. n-1] that all runs have. */
static void set_points(struct sw_grid_coordinates *l, int d, const double *x)
{
    const int64_t n = l->data_group->n[d];
    set_axis(l, d, x[0], x[n - 1]);
    l->uneven[d] = NULL;
    for (int64_t i = 1; i < n - 1; i++)
        if (!is_even(l, d, i, x[i])) l->uneven[d] = x;
}

enum sw_status sw_grid_coordinates_open(const char *path, const struct sw_data_group *s, struct sw_grid_coordinates *l)
{
    *l = (struct sw_grid_coordinates){.data_group = s, .own_t = -1, .own_x = {-1, -1, -1}};
    enum sw_status st = sw_h5_open(&l->h5, path);
    if (!st) st = sw_alloc((size_t)s->nfield, &l->time);
    if (!st) l->own_t = open_own(l, SW_VAR_T);
    for (int d = 0; d < SW_DIMS; d++) {
        set_axis(l, d, s->numbered && d == 0, (double)(s->n[d] - 1 + (s->numbered && d == 0)));
        if (!st && d < s->dim) l->own_x[d] = open_own(l, sw_scale_var(d));
        if (s->x[d]) set_points(l, d, s->x[d]);
    }
    if (s->time && l->time) memcpy(l->time, s->time, (size_t)s->nfield * sizeof *l->time);
    if (!st) st = l->h5.status;
    if (st) sw_grid_coordinates_close(l);
    return st;
}

/* The points of a run along d. Its ends and its middle say whether they are evenly spaced, as the distances of points
 * grow evenly, if they do (sw_grid_at()). Only where they are not, all are read. */
static enum sw_status read_points(struct sw_grid_coordinates *l, int d, hsize_t row)
{
    const int64_t n = l->data_group->n[d], place[3] = {0, n / 2, n - 1};
    const hsize_t one[2] = {1, 1}, all[2] = {1, (hsize_t)n};
    hsize_t at[2] = {row, 0};
    double x[3] = {0};
    for (int k = 0; k < 3; k++) {
        at[1] = (hsize_t)place[k];
        sw_h5_read(&l->h5, l->own_x[d], SW_H5_DOUBLE, 2, at, one, &x[k]);
    }
    set_axis(l, d, x[0], x[2]);
    l->uneven[d] = NULL;
    if (l->h5.status || is_even(l, d, place[1], x[1])) return l->h5.status;
    if (!l->own[d]) SW_TRY(sw_alloc((size_t)n, &l->own[d]));
    at[1] = 0;
    sw_h5_read(&l->h5, l->own_x[d], SW_H5_DOUBLE, 2, at, all, l->own[d]);
    l->uneven[d] = l->own[d];
    return l->h5.status;
}

enum sw_status sw_grid_coordinates_read(struct sw_grid_coordinates *l, int64_t row)
{
    const hsize_t outputs[2] = {1, (hsize_t)l->data_group->nfield}, at[2] = {(hsize_t)row, 0};
    if (l->own_t >= 0) sw_h5_read(&l->h5, l->own_t, SW_H5_DOUBLE, 2, at, outputs, l->time);
    for (int d = 0; d < SW_DIMS; d++)
        if (l->own_x[d] >= 0) SW_TRY(read_points(l, d, (hsize_t)row));
    return l->h5.status;
}

enum sw_status sw_grid_coordinates_close(struct sw_grid_coordinates *l)
{
    sw_h5_dataset_close(l->own_t);
    l->own_t = -1;
    for (int d = 0; d < SW_DIMS; d++) {
        sw_h5_dataset_close(l->own_x[d]);
        l->own_x[d] = -1;
        sw_free(l->own[d]);
        l->own[d] = NULL;
    }
    sw_free(l->time);
    l->time = NULL;
    return sw_h5_close(&l->h5);
}
