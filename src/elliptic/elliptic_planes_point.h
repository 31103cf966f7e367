#ifndef ELLIPTIC_PLANES_POINT_H
#define ELLIPTIC_PLANES_POINT_H
/* How multigrid on a GPU keeps the fields of a grid. Where columns have two colours, cells of one colour lie side by
 * side, so that a pass over one of them reads nothing of the other: entry m of a row of colour c has the cell
 * i = 2 m + (j + c) mod 2, and its neighbours are entries of the other plane: m - 1 and m, or m and m + 1, along x, and
 * entry m of the rows beside it along y. With one colour entry m has the cell m. 32 entries, a warp's, make a tile, in
 * which all levels lie one after another:
 *
 *     [colours][ny][tiles][nz][32]
 *
 * so that a warp reads whole lines, levels are a constant apart, and a tile's column is one piece of memory. Entries
 * without a cell stay 0. */
#include "base/sw_hd.h"

enum { ELLIPTIC_TILE = 32 };

struct elliptic_planes {
    int nx, ny, nz;
    int colours;            /* 2: red (i + j even), black; or 1 */
    int tiles;              /* of a row                         */
};

SW_HD static inline struct elliptic_planes elliptic_planes_of(int nx, int ny, int nz, int colours)
{
    struct elliptic_planes p = {nx, ny, nz, colours, 0};
    p.tiles = ((nx + colours - 1) / colours + ELLIPTIC_TILE - 1) / ELLIPTIC_TILE;
    return p;
}

/* Words of an array of a number a column: [colours][ny][tiles][32]; of one colour of it. */
SW_HD static inline long long elliptic_plane_columns(const struct elliptic_planes *p)
{
    return (long long)p->ny * p->tiles * ELLIPTIC_TILE;
}

SW_HD static inline long long elliptic_planes_columns(const struct elliptic_planes *p)
{
    return p->colours * elliptic_plane_columns(p);
}

/* Words of a field; of one colour of it. */
SW_HD static inline long long elliptic_plane(const struct elliptic_planes *p)
{
    return elliptic_plane_columns(p) * p->nz;
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

/* Where entry m of a row of `tiles` tiles of `levels` levels begins; tiles of an array are below 2^32 in number. */
SW_HD static inline long long elliptic_in_rows(long long row, int tiles, int levels, int m)
{
    const unsigned entry = (unsigned)m, tile = (unsigned)row * (unsigned)tiles + entry / ELLIPTIC_TILE;
    return (long long)tile * levels * ELLIPTIC_TILE + entry % ELLIPTIC_TILE;
}

/* Where column (i, j) is in an array of a number a column. */
SW_HD static inline long long elliptic_column(const struct elliptic_planes *p, int i, int j)
{
    return elliptic_in_rows((long long)elliptic_colour(p, i, j) * p->ny + j, p->tiles, 1, elliptic_entry(p, i));
}

/* Where cell (i, j, 0) is in a field; levels follow 32 words apart. */
SW_HD static inline long long elliptic_cell(const struct elliptic_planes *p, int i, int j)
{
    return elliptic_in_rows((long long)elliptic_colour(p, i, j) * p->ny + j, p->tiles, p->nz, elliptic_entry(p, i));
}

/* Weights of variable systems at faces, likewise. Across x: face i in plane i mod colours, in rows of x_tiles. Across
 * y: ny + 1 rows a colour, the face south of a cell where the cell would be. Across z: nz + 1 levels, the face below a
 * cell where the cell would be. */
SW_HD static inline int elliptic_x_tiles(const struct elliptic_planes *p)
{
    return (p->nx / p->colours + ELLIPTIC_TILE) / ELLIPTIC_TILE;
}

SW_HD static inline long long elliptic_x_faces(const struct elliptic_planes *p)
{
    return (long long)p->colours * p->ny * elliptic_x_tiles(p) * p->nz * ELLIPTIC_TILE;
}

SW_HD static inline long long elliptic_y_faces(const struct elliptic_planes *p)
{
    return (long long)p->colours * (p->ny + 1) * p->tiles * p->nz * ELLIPTIC_TILE;
}

SW_HD static inline long long elliptic_z_faces(const struct elliptic_planes *p)
{
    return (long long)p->colours * p->ny * p->tiles * (p->nz + 1) * ELLIPTIC_TILE;
}

/* Where face (i, j, 0) is; of z, the lowest one. */
SW_HD static inline long long elliptic_x_face(const struct elliptic_planes *p, int i, int j)
{
    const long long plane = p->colours == 2 ? i & 1 : 0;
    return elliptic_in_rows(plane * p->ny + j, elliptic_x_tiles(p), p->nz, elliptic_entry(p, i));
}

SW_HD static inline long long elliptic_y_face(const struct elliptic_planes *p, int i, int j)
{
    return elliptic_in_rows((long long)elliptic_colour(p, i, j) * (p->ny + 1) + j, p->tiles, p->nz,
                            elliptic_entry(p, i));
}

SW_HD static inline long long elliptic_z_face(const struct elliptic_planes *p, int i, int j)
{
    return elliptic_in_rows((long long)elliptic_colour(p, i, j) * p->ny + j, p->tiles, p->nz + 1,
                            elliptic_entry(p, i));
}
#endif
