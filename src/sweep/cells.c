#include "sweep/cells.h"

#include <math.h>
#include <stdlib.h>

#include "base/sw_mem.h"
#include "base/sw_order.h"

/* ------------------------------------------------------------------ numbers by number: open addressing */

struct slot { uint64_t key; int64_t value; };  /* key + 1; 0: free */
struct table { size_t slots, used; struct slot *slot; };

static struct slot *find_slot(const struct table *t, uint64_t key)
{
    uint64_t hash = (key + 1) * 0x9E3779B97F4A7C15u;
    size_t k = (size_t)(hash ^ hash >> 32) & (t->slots - 1);
    while (t->slot[k].key && t->slot[k].key != key + 1) k = (k + 1) & (t->slots - 1);
    return &t->slot[k];
}

static enum sw_status make_room(struct table *t)
{
    struct table larger = {.slots = t->slots ? 2 * t->slots : 1024, .used = t->used};
    if (t->slots && 2 * t->used < t->slots) return SW_OK;
    SW_TRY(sw_alloc(larger.slots, &larger.slot));
    for (size_t k = 0; k < t->slots; k++)
        if (t->slot[k].key) *find_slot(&larger, t->slot[k].key - 1) = t->slot[k];
    sw_free(t->slot);
    *t = larger;
    return SW_OK;
}

/* -1: it is not there */
static int64_t find(const struct table *t, uint64_t key)
{
    const struct slot *at = t->slots ? find_slot(t, key) : NULL;
    return at && at->key ? at->value : -1;
}

static enum sw_status put(struct table *t, uint64_t key, int64_t value)
{
    SW_TRY(make_room(t));
    struct slot *at = find_slot(t, key);
    t->used += !at->key;
    *at = (struct slot){key + 1, value};
    return SW_OK;
}

/* ------------------------------------------------------------------ what there is */

struct cell {
    int64_t corner;        /* the one with the least number                       */
    int     level, done, failed;  /* corners with a value, and without one        */
    bool    split;
    double  least, most;   /* of the values on it                                 */
    int64_t first;         /* the last of its list of nodes; -1: it is empty      */
};
struct node { int64_t point, next; double value; };  /* a point on a cell */
struct range { double least, most; };

struct cells {
    struct cells_grid grid;
    struct table known, of_cell, of_slice;  /* points; cells by corner and level; slices by their first point */
    size_t ncell, cells, nnode, nodes, nrange, ranges;
    struct cell  *cell;    /* those that may be split one day: not those of the last level */
    struct node  *node;
    struct range *range;   /* of each slice */
    int64_t split;
};

enum sw_status cells_create(const struct cells_grid *grid, struct cells **cells)
{
    SW_TRY(sw_alloc(1, cells));
    (*cells)->grid = *grid;
    return SW_OK;
}

void cells_destroy(struct cells **cells)
{
    struct cells *c = *cells;
    if (!c) return;
    sw_free(c->known.slot);
    sw_free(c->of_cell.slot);
    sw_free(c->of_slice.slot);
    sw_free(c->cell);
    sw_free(c->node);
    sw_free(c->range);
    sw_free(c);
    *cells = NULL;
}

static int64_t index_along(const struct cells_grid *g, int a, int64_t point)
{
    return point / g->stride[a] % g->count[a];
}

/* The first point of the slice that a point is in: at the begin of all refined axes. */
static int64_t slice_of(const struct cells_grid *g, int64_t point)
{
    int64_t slice = point;
    for (int a = 0; a < g->dims; a++) slice -= index_along(g, a, point) * g->stride[a];
    return slice;
}

static int64_t size_of(const struct cells_grid *g, int level) { return (int64_t)1 << (g->levels - level); }

static uint64_t key_of(int64_t corner, int level) { return (uint64_t)corner * (CELLS_LEVELS + 1) + (uint64_t)level; }

/* Arrays that grow to twice their length. */
#define GROW(count, room, array) \
    ((count) < (room) ? SW_OK : grow_to(sw_resize((room), (room) ? 2 * (room) : 256, &(array)), &(room)))
static enum sw_status grow_to(enum sw_status st, size_t *room)
{
    if (!st) *room = *room ? 2 * *room : 256;
    return st;
}

static enum sw_status make_cell(struct cells *c, int64_t corner, int level, int64_t *cell)
{
    SW_TRY(GROW(c->ncell, c->cells, c->cell));
    SW_TRY(put(&c->of_cell, key_of(corner, level), (int64_t)c->ncell));
    c->cell[c->ncell] = (struct cell){.corner = corner, .level = level, .first = -1, .least = INFINITY,
                                      .most = -INFINITY};
    *cell = (int64_t)c->ncell++;
    return SW_OK;
}

/* ------------------------------------------------------------------ a value */

/* Whether a point is on a cell, and at a corner of it. */
static bool is_on(const struct cells_grid *g, const struct cell *cell, int64_t point, bool *corner)
{
    const int64_t size = size_of(g, cell->level);
    bool on = true;
    *corner = true;
    for (int a = 0; a < g->dims; a++) {
        const int64_t beyond = index_along(g, a, point) - index_along(g, a, cell->corner);
        on &= beyond >= 0 && beyond <= size;
        *corner &= beyond == 0 || beyond == size;
    }
    return on;
}

static enum sw_status take_point(struct cells *c, struct cell *cell, int64_t point, double value)
{
    bool corner;
    if (!is_on(&c->grid, cell, point, &corner)) return SW_OK;
    if (isfinite(value)) {
        cell->least = fmin(cell->least, value);
        cell->most = fmax(cell->most, value);
        cell->done += corner;
    } else cell->failed += corner;
    SW_TRY(GROW(c->nnode, c->nodes, c->node));
    c->node[c->nnode] = (struct node){point, cell->first, value};
    cell->first = (int64_t)c->nnode++;
    return SW_OK;
}

static enum sw_status widen_range(struct cells *c, int64_t point, double value)
{
    const int64_t slice = slice_of(&c->grid, point);
    int64_t k;
    if (!isfinite(value)) return SW_OK;
    if ((k = find(&c->of_slice, (uint64_t)slice)) < 0) {
        SW_TRY(GROW(c->nrange, c->ranges, c->range));
        k = (int64_t)c->nrange++;
        c->range[k] = (struct range){value, value};
        SW_TRY(put(&c->of_slice, (uint64_t)slice, k));
    }
    c->range[k].least = fmin(c->range[k].least, value);
    c->range[k].most = fmax(c->range[k].most, value);
    return SW_OK;
}

/* The corners of the cells of a level that a point is on: one along an axis, or two where it is between two.
 * @return how many */
static int cells_at(const struct cells_grid *g, int64_t point, int level, int64_t corner[1 << CELLS_DIMS])
{
    const int64_t size = size_of(g, level);
    int n = 1;
    corner[0] = point;
    for (int a = 0; a < g->dims; a++) {
        const int64_t i = index_along(g, a, point), over = i % size;
        const bool before = over == 0 && i > 0, here = i < g->count[a] - 1;
        for (int k = 0, had = n; k < had; k++) {
            const int64_t at = corner[k] - over * g->stride[a];
            corner[k] = here ? at : at - size * g->stride[a];
            if (before && here) corner[n++] = at - size * g->stride[a];
        }
    }
    return n;
}

enum sw_status cells_add(struct cells *c, int64_t point, double value)
{
    int64_t corner[1 << CELLS_DIMS], cell;
    SW_TRY(put(&c->known, (uint64_t)point, 1));
    SW_TRY(widen_range(c, point, value));
    for (int level = 0; level < c->grid.levels; level++) {
        const int n = cells_at(&c->grid, point, level, corner);
        for (int k = 0; k < n; k++) {
            cell = find(&c->of_cell, key_of(corner[k], level));
            if (cell < 0 && !level) SW_TRY(make_cell(c, corner[k], level, &cell));
            if (cell >= 0 && !c->cell[cell].split) SW_TRY(take_point(c, &c->cell[cell], point, value));
        }
    }
    return SW_OK;
}

/* ------------------------------------------------------------------ splitting */

static bool is_wanted(const struct cells *c, const struct cell *cell)
{
    const struct cells_grid *g = &c->grid;
    const double by = cell->most - cell->least;
    if (cell->split || cell->done < 1 << g->dims) return false;
    if (g->where == CELLS_JUMP) return by > g->number;
    if (g->where == CELLS_BETWEEN) return cell->least < g->number && g->number <= cell->most;
    const struct range *range = &c->range[find(&c->of_slice, (uint64_t)slice_of(g, cell->corner))];
    return by > g->number * (range->most - range->least);
}

struct points { int64_t *at, count; size_t room; };

static enum sw_status ask_for(struct cells *c, int64_t point, struct points *asked)
{
    if (find(&c->known, (uint64_t)point) >= 0) return SW_OK;
    SW_TRY(put(&c->known, (uint64_t)point, 1));
    SW_TRY(GROW((size_t)asked->count, asked->room, asked->at));
    asked->at[asked->count++] = point;
    return SW_OK;
}

/* Halves along each axis, 0 or 1, or their corners, 0 to 2: the bits or digits of k. */
static int64_t part_of(const struct cells *c, const struct cell *cell, int k, int base)
{
    const int64_t half = size_of(&c->grid, cell->level) / 2;
    int64_t point = cell->corner;
    for (int a = 0; a < c->grid.dims; a++, k /= base) point += k % base * half * c->grid.stride[a];
    return point;
}

static enum sw_status split_cell(struct cells *c, size_t k, struct points *asked)
{
    const struct cell cell = c->cell[k];  /* the array may move */
    int parts = 1, corners = 1;
    for (int a = 0; a < c->grid.dims; a++) { parts *= 2; corners *= 3; }
    c->cell[k].split = true;
    c->split++;
    for (int j = 0; j < corners; j++) SW_TRY(ask_for(c, part_of(c, &cell, j, 3), asked));
    for (int j = 0; j < parts && cell.level + 1 < c->grid.levels; j++) {
        int64_t part;
        SW_TRY(make_cell(c, part_of(c, &cell, j, 2), cell.level + 1, &part));
        for (int64_t at = cell.first; at >= 0; at = c->node[at].next) {
            const struct node node = c->node[at];
            SW_TRY(take_point(c, &c->cell[part], node.point, node.value));
        }
    }
    return SW_OK;
}

enum sw_status cells_split(struct cells *c, int64_t **point, int64_t *count)
{
    struct points asked = {0};
    const size_t n = c->ncell;
    enum sw_status st = SW_OK;
    for (size_t k = 0; k < n && !st; k++)
        if (is_wanted(c, &c->cell[k])) st = split_cell(c, k, &asked);
    if (asked.count) qsort(asked.at, (size_t)asked.count, sizeof *asked.at, sw_by_integer);
    if (st) sw_free(asked.at);
    *point = st ? NULL : asked.at;
    *count = st ? 0 : asked.count;
    return st;
}

struct cells_counts cells_count(const struct cells *c)
{
    struct cells_counts n = {.split = c->split};
    for (size_t k = 0; k < c->ncell; k++) n.blocked += !c->cell[k].split && c->cell[k].failed > 0;
    return n;
}

/* ------------------------------------------------------------------ points */

int cells_level(const struct cells_grid *g, int64_t point)
{
    int64_t all = 0;
    int level = g->levels;
    for (int a = 0; a < g->dims; a++) all |= index_along(g, a, point);
    for (; level > 0 && !(all & 1); level--) all >>= 1;
    return level;
}

double cells_number(const struct cells_grid *g, int64_t point, double slices, int64_t slice)
{
    const int level = cells_level(g, point);
    double before = 0, place = (double)slice, all;
    for (int l = 0; l <= level; l++) {
        all = slices;
        for (int a = 0; a < g->dims; a++) all *= (double)((g->count[a] - 1) >> (g->levels - l)) + 1;
        if (l < level) before += all;
    }
    for (int a = 0; a < g->dims; a++)
        place = place * ((double)((g->count[a] - 1) >> (g->levels - level)) + 1) +
                (double)(index_along(g, a, point) >> (g->levels - level));
    return before + place;
}
