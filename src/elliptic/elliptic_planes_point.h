#ifndef ELLIPTIC_PLANES_POINT_H
#define ELLIPTIC_PLANES_POINT_H
/* How multigrid on a GPU keeps the fields of a grid: where columns have two colours, cells of one colour lie side by
 * side, so that a pass over one of them reads nothing of the other. An array is [colours][ny][nz][pitch] words: entry m
 * of a row of colour c has the cell i = 2 m + (j + c) mod 2, and its neighbours are entries of the other plane: m - 1
 * and m, or m and m + 1, along x, and entry m of the rows beside it along y. With one colour entry m has the cell m.
 * Rows begin at multiples of 32 bytes, what the memory moves at once; entries without a cell stay 0. */
#include "base/sw_hd.h"

struct elliptic_planes {
    int nx, ny, nz;
    int colours;            /* 2: red (i + j even), black; or 1                     */
    int pitch;              /* words of a row: the first multiple of 8 with room    */
};

SW_HD static inline struct elliptic_planes elliptic_planes_of(int nx, int ny, int nz, int colours)
{
    struct elliptic_planes p = {nx, ny, nz, colours, 0};
    p.pitch = (nx + 8 * colours - 1) / (8 * colours) * 8;
    return p;
}

/* Words of one entry a column: [colours][ny][pitch]; and of a plane, and of a field. */
SW_HD static inline long long elliptic_planes_columns(const struct elliptic_planes *p)
{
    return (long long)p->colours * p->ny * p->pitch;
}

SW_HD static inline long long elliptic_plane(const struct elliptic_planes *p)
{
    return (long long)p->ny * p->nz * p->pitch;
}

SW_HD static inline long long elliptic_planes_cells(const struct elliptic_planes *p)
{
    return p->colours * elliptic_plane(p);
}

SW_HD static inline int elliptic_colour(const struct elliptic_planes *p, int i, int j)
{
    return p->colours == 2 ? (i + j) & 1 : 0;
}

/* Entry m of cell i in its row. */
SW_HD static inline int elliptic_entry(const struct elliptic_planes *p, int i) { return p->colours == 2 ? i >> 1 : i; }

/* Where column (i, j) is in an array of a number a column. */
SW_HD static inline long long elliptic_column(const struct elliptic_planes *p, int i, int j)
{
    return ((long long)elliptic_colour(p, i, j) * p->ny + j) * p->pitch + elliptic_entry(p, i);
}

/* Where cell (i, j, 0) is in a field; levels follow `pitch` words apart. */
SW_HD static inline long long elliptic_cell(const struct elliptic_planes *p, int i, int j)
{
    return ((long long)elliptic_colour(p, i, j) * p->ny + j) * p->nz * p->pitch + elliptic_entry(p, i);
}

/* Weights of variable systems at faces, likewise. Across x: [colours][ny][nz][x_pitch], face i in plane i mod colours.
 * Across y: [colours][ny + 1][nz][pitch], the face south of a cell where the cell would be. Across z:
 * [colours][ny][nz + 1][pitch], the face below a cell where the cell would be. */
SW_HD static inline int elliptic_x_pitch(const struct elliptic_planes *p)
{
    return (p->nx + 8 * p->colours) / (8 * p->colours) * 8;
}

SW_HD static inline long long elliptic_x_faces(const struct elliptic_planes *p)
{
    return (long long)p->colours * p->ny * p->nz * elliptic_x_pitch(p);
}

SW_HD static inline long long elliptic_y_faces(const struct elliptic_planes *p)
{
    return (long long)p->colours * (p->ny + 1) * p->nz * p->pitch;
}

SW_HD static inline long long elliptic_z_faces(const struct elliptic_planes *p)
{
    return (long long)p->colours * p->ny * (p->nz + 1) * p->pitch;
}

/* Where face (i, j, 0) is; of z, the lowest one. */
SW_HD static inline long long elliptic_x_face(const struct elliptic_planes *p, int i, int j)
{
    const int plane = p->colours == 2 ? i & 1 : 0;
    return ((long long)plane * p->ny + j) * p->nz * elliptic_x_pitch(p) + elliptic_entry(p, i);
}

SW_HD static inline long long elliptic_y_face(const struct elliptic_planes *p, int i, int j)
{
    return ((long long)elliptic_colour(p, i, j) * (p->ny + 1) + j) * p->nz * p->pitch + elliptic_entry(p, i);
}

SW_HD static inline long long elliptic_z_face(const struct elliptic_planes *p, int i, int j)
{
    return ((long long)elliptic_colour(p, i, j) * p->ny + j) * (p->nz + 1) * p->pitch + elliptic_entry(p, i);
}
#endif
