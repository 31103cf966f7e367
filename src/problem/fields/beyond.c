/* What lies beyond the walls of fields where scalars have differences there: the points that steppers have beyond
 * (walls_point.h), so that the energy of a text is that of its steps, and the sum of lap(u) over a box the flux through
 * its walls. Where the conditions do not say it the polynomial through six points goes on (field/reduce.h):
 *
 * - u_nn at a wall whose value is given, where the equations have no derivative above the second: it is what they make
 *   it, not 0;
 * - the second point beyond such walls, and beyond clamped ones: Taylor's series of two conditions is too short for
 *   third and fourth derivatives at the wall or beside it. Beyond a slope it does where u_nnn is given. */
#include "base/sw_mem.h"
#include "field/reduce.h"
#include "problem/fields/fields_batch_cpu.h"
#include "problem/fields/fields_problem.h"

struct beyond {
    struct fields_desc       desc;    /* the walls point into it */
    struct fields_walls_desc ends;
    struct sw_owned          arrays;
    struct fields_walls     *walls;
};

static void destroy(void *own)
{
    struct beyond *b = own;
    if (!b) return;
    fields_walls_destroy(b->walls);
    sw_owned_free(&b->arrays);
    sw_free(b);
}

static enum sw_status create(const void *context, const int64_t most[SW_DIMS], void **own)
{
    const struct sw_setup *setup = context;
    struct beyond *b = NULL;
    *own = NULL;
    if (!setup->walls[0] && !setup->walls[1] && !setup->walls[2]) return SW_OK;
    SW_TRY(sw_alloc(1, &b));
    b->desc = fields_desc_of(setup);
    b->ends = fields_walls_desc_of(&b->desc, (int64_t[SW_DIMS]){0});
    b->ends.room = fields_room_of(b->ends.n, most);
    const enum sw_status st = fields_walls_create(&b->ends, &b->arrays, &b->walls);
    if (st) destroy(b);
    else *own = b;
    return st;
}

static void begin(void *own, const struct sw_grid *grid, const double *column, int64_t stride, double t)
{
    struct beyond *b = own;
    fields_walls_begin(b->walls, grid, column, stride);
    fields_walls_at(b->walls, t);
}

static bool is_said(const struct beyond *b, int unknown, int axis, int side, int reach)
{
    const bool two = b->ends.above_second[unknown][axis];
    const enum fields_wall_kind kind = b->desc.wall[unknown][axis][side].kind;
    if (reach == 0) return fields_wall_is_given(kind);
    switch (kind) {
    case FIELDS_VALUE: return reach == 1 && two;
    case FIELDS_SLOPE: return reach == 1 || two;
    case FIELDS_CLAMPED: return reach == 1;
    case FIELDS_NO_WALL: break;
    }
    return false;
}

static bool say(const void *own, int unknown, int axis, int reach, const int64_t at[SW_DIMS], double *factor,
               double *rest)
{
    const struct beyond *b = own;
    if (!is_said(b, unknown, axis, at[axis] > 0, reach)) return false;
    *factor = fields_walls_beyond(b->walls, unknown, axis, at, rest);
    return true;
}

const struct sw_beyond_ops fields_beyond = {create, destroy, begin, say};
