#include "problem/fields/cuda/walls_layout.h"

#include "problem/fields/fields_batch_cpu.h"

/* A condition that is not 0. @param points  of its wall @param sets  times of which a step has those that move */
static void add_condition(struct fields_walls_layout *l, const struct fields_wall *wall, int end, int second,
                          size_t points, size_t sets)
{
    const int k = l->conditions, v = end / (2 * SW_DIMS);
    if (!wall->condition[second]) return;
    const bool moves = sw_program_uses(wall->condition[second], "t");
    l->number[2 * end + second] = k;
    l->condition[k] = wall->condition[second];
    l->rate[k] = moves ? wall->rate[second] : NULL;
    l->end[k] = end;
    l->second[k] = second;
    l->begins[k] = l->walls;
    l->walls += points * (moves ? sets : 1);
    l->moving[v] |= moves;
    l->moves |= moves;
    l->conditions++;
}

/* Of an unknown's axis: G, and G_t + R, of all times. */
static void add_lift(struct fields_walls_layout *l, int of, const int64_t *n, size_t sets)
{
    const int64_t points = n[of % SW_DIMS];
    l->residual[of] = l->walls;
    l->walls += 2 * sets * FIELDS_CONDITIONS * (size_t)(sw_points(n) / points);
    l->weight[of] = l->weights;
    l->weights += FIELDS_CONDITIONS * (size_t)points;
}

struct fields_walls_layout fields_walls_layout_of(const struct fields_desc *d)
{
    const size_t sets = (size_t)fields_method_of(d->scheme)->stages + 1;
    struct fields_walls_layout l = {.walled = d->walls[0] || d->walls[1] || d->walls[2]};
    struct fields_walls_desc at_ends = fields_walls_desc_of(d, l.beyond);
    at_ends.room = fields_room_of(d->n, l.beyond);
    for (int k = 0; k < FIELDS_CONDITIONS_MOST; k++) l.number[k] = -1;
    for (int end = 0; end < 2 * SW_DIMS * d->terms->unknowns; end++) {
        const int of = end / 2, v = of / SW_DIMS, axis = of % SW_DIMS;
        const struct fields_wall *wall = &d->wall[v][axis][end % 2];
        const struct fields_face face = fields_face_of(&at_ends, axis);
        if (!d->walls[axis]) continue;
        l.kind[end] = wall->kind;
        l.open[axis] |= !fields_wall_is_closed_at(wall);
        l.above_second[of] = at_ends.above_second[v][axis];
        for (int second = 0; second < 2; second++)
            add_condition(&l, wall, end, second, (size_t)(face.count[0] * face.count[1]), sets);
    }
    for (int of = 0; of < SW_DIMS * d->terms->unknowns; of++)
        if (d->walls[of % SW_DIMS] && l.moving[of / SW_DIMS]) add_lift(&l, of, d->n, sets);
    return l;
}

void fields_walls_layout_weights(const struct fields_walls_layout *l, const struct fields_desc *d,
                                 const double dx[SW_DIMS], double *weight)
{
    for (int of = 0; of < SW_DIMS * d->terms->unknowns; of++) {
        const int axis = of % SW_DIMS;
        if (d->walls[axis] && l->moving[of / SW_DIMS])
            fields_wall_weights((enum fields_wall_kind)l->kind[2 * of], (enum fields_wall_kind)l->kind[2 * of + 1],
                                d->n[axis], dx[axis], weight + l->weight[of]);
    }
}
