#include "problem/fields/walls.h"

#include <math.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"

/* A condition of an unknown at a wall, or its derivative in t, at all points of the wall. */
struct condition {
    struct sw_eval *eval;     /* NULL: it is 0                  */
    bool            moves;    /* it depends on time             */
    bool            known;    /* its values are those of time t */
    double          t;
    double         *value;    /* [points of the wall]           */
    double         *rest;     /* [points of the wall] of a derivative: what R is made of */
};

struct wall {
    enum fields_wall_kind kind;
    struct condition      condition[2][2];  /* [first, second][itself, its derivative] */
    double               *at[SW_DIMS];      /* the coordinates of its points           */
};

/* The points of a wall: along the axes a < b other than its own, with those beyond their ends that a room has when it
 * is filled. */
struct face { int a, b; int64_t from[2], count[2]; };

struct fields_walls {
    struct fields_walls_desc desc;
    struct fields_room       room;
    struct wall              wall[SW_UNKNOWNS_MOST][SW_DIMS][2];
    bool                     moves[SW_UNKNOWNS_MOST];
    double                  *weight[SW_UNKNOWNS_MOST][SW_DIMS];  /* [FIELDS_CONDITIONS][n]: what each adds to G */
    double                  *residual;                           /* [FIELDS_CONDITIONS][points of a wall]       */
    double                  *lift;                               /* [z][y][x] G, or G_t                         */
    double                   dx[SW_DIMS];                        /* of the run at hand                          */
};

struct fields_room fields_room_of(const struct fields_walls_desc *d)
{
    struct fields_room r = {.size = 1};
    for (int a = 0; a < SW_DIMS; a++) {
        r.beyond[a] = a == 0 || d->walls[a] ? d->beyond[a] : 0;
        r.step[a] = r.size;
        r.first += r.beyond[a] * r.step[a];
        r.size *= d->n[a] + 2 * r.beyond[a];
    }
    return r;
}

static struct face face_of(const struct fields_walls_desc *d, const struct fields_room *r, int axis)
{
    struct face f = {.a = axis == 0, .b = axis == 2 ? 1 : 2};
    for (int k = 0; k < 2; k++) {
        const int other = k ? f.b : f.a;
        const int64_t beyond = other < axis ? r->beyond[other] : 0;
        f.from[k] = -beyond;
        f.count[k] = d->n[other] + 2 * beyond;
    }
    return f;
}

static size_t face_points(const struct face *f) { return (size_t)(f->count[0] * f->count[1]); }

/* ------------------------------------------------------------------ life */

bool fields_walls_move(const struct fields_walls_desc *d)
{
    bool move = false;
    for (int k = 0; k < d->unknowns * SW_DIMS * 2; k++) {
        const struct fields_wall *w = &d->wall[k / (2 * SW_DIMS)][k / 2 % SW_DIMS][k % 2];
        for (int c = 0; c < 2; c++) move |= w->condition[c] && sw_program_uses(w->condition[c], "t");
    }
    return move;
}

static bool has_walls(const struct fields_walls_desc *d) { return d->walls[0] || d->walls[1] || d->walls[2]; }

static enum sw_status make_condition(const struct sw_program *program, size_t points, bool moves, struct sw_owned *own,
                                     struct condition *c)
{
    if (!program) return SW_OK;
    c->moves = moves;
    sw_array(own, points, &c->value);
    return sw_eval_create(program, (int)points, &c->eval);
}

static enum sw_status make_wall(struct fields_walls *w, int v, int axis, int side, struct sw_owned *own)
{
    const struct fields_wall *given = &w->desc.wall[v][axis][side];
    const struct face face = face_of(&w->desc, &w->room, axis);
    struct wall *wall = &w->wall[v][axis][side];
    wall->kind = given->kind;
    for (int k = 0; k < 2; k++) {
        const bool moves = given->condition[k] && sw_program_uses(given->condition[k], "t");
        SW_TRY(make_condition(given->condition[k], face_points(&face), moves, own, &wall->condition[k][0]));
        SW_TRY(make_condition(given->rate[k], face_points(&face), moves, own, &wall->condition[k][1]));
        if (moves) sw_array(own, face_points(&face), &wall->condition[k][1].rest);
        w->moves[v] |= moves;
    }
    for (int a = 0; a < SW_DIMS && (given->condition[0] || given->condition[1]); a++)
        sw_array(own, face_points(&face), &wall->at[a]);
    return SW_OK;
}

enum sw_status fields_walls_create(const struct fields_walls_desc *desc, struct sw_owned *own,
                                   struct fields_walls **walls)
{
    struct fields_walls *w;
    size_t most = 0;
    *walls = NULL;
    if (!has_walls(desc)) return SW_OK;
    sw_array(own, 1, walls);
    SW_TRY(own->status);
    w = *walls;
    w->desc = *desc;
    w->room = fields_room_of(desc);
    for (int axis = 0; axis < SW_DIMS; axis++) {
        const struct face face = face_of(desc, &w->room, axis);
        if (desc->walls[axis] && face_points(&face) > most) most = face_points(&face);
        for (int v = 0; desc->walls[axis] && v < desc->unknowns; v++) {
            SW_TRY(make_wall(w, v, axis, 0, own));
            SW_TRY(make_wall(w, v, axis, 1, own));
            sw_array(own, (size_t)(FIELDS_CONDITIONS * desc->n[axis]), &w->weight[v][axis]);
        }
    }
    if (fields_walls_move(desc)) sw_array(own, FIELDS_CONDITIONS * most, &w->residual);
    if (fields_walls_move(desc)) sw_array(own, (size_t)sw_points(desc->n), &w->lift);
    return own->status;
}

void fields_walls_destroy(struct fields_walls *w)
{
    for (int k = 0; w && k < SW_UNKNOWNS_MOST * SW_DIMS * 2; k++) {
        struct wall *wall = &w->wall[k / (2 * SW_DIMS)][k / 2 % SW_DIMS][k % 2];
        for (int c = 0; c < 4; c++) sw_eval_destroy(&wall->condition[c / 2][c % 2].eval);
    }
}

/* Of each wall its coordinates, and values with what a program keeps of them. */
size_t fields_walls_bytes(const struct fields_walls_desc *d)
{
    const struct fields_room room = fields_room_of(d);
    size_t numbers = 0;
    for (int axis = 0; axis < SW_DIMS; axis++) {
        const struct face face = face_of(d, &room, axis);
        if (d->walls[axis]) numbers += (size_t)d->unknowns * (24 * face_points(&face) + 4 * (size_t)d->n[axis]);
    }
    if (has_walls(d) && fields_walls_move(d)) numbers += (size_t)sw_points(d->n) + 4 * numbers / 24;
    return numbers * sizeof(double);
}

/* ------------------------------------------------------------------ the run at hand */

/* Where a point beyond an end is for the conditions of another axis: where periodic the same point inside, beyond a
 * wall without flux its mirror image, else there. */
static double place(const struct fields_walls *w, const struct sw_grid *grid, int v, int axis, int64_t i)
{
    const int64_t n = w->desc.n[axis];
    if (!w->desc.walls[axis]) return sw_grid_at(grid, axis, fields_beside(i, n, false));
    const struct fields_wall *wall = &w->desc.wall[v][axis][i >= n];
    const bool closed = wall->kind == FIELDS_SLOPE && !wall->condition[0] && !wall->condition[1];
    if (closed && i < 0) i = -i;
    if (closed && i >= n) i = 2 * (n - 1) - i;
    return sw_grid_at(grid, axis, i);
}

static void begin_wall(struct fields_walls *w, const struct sw_grid *grid, int v, int axis, int side)
{
    const struct face f = face_of(&w->desc, &w->room, axis);
    struct wall *wall = &w->wall[v][axis][side];
    if (!wall->at[0]) return;
    for (int64_t k = 0; k < (int64_t)face_points(&f); k++) {
        wall->at[f.a][k] = place(w, grid, v, f.a, f.from[0] + k % f.count[0]);
        wall->at[f.b][k] = place(w, grid, v, f.b, f.from[1] + k / f.count[0]);
        wall->at[axis][k] = sw_grid_at(grid, axis, side ? w->desc.n[axis] - 1 : 0);
    }
}

/* By points in 0 .. 1, in which the derivative of order m is length^m times that along the axis. */
static void set_weights(struct fields_walls *w, int v, int axis)
{
    const int64_t n = w->desc.n[axis];
    const double length = w->dx[axis] * (double)(n - 1);
    for (int m = 0; m < FIELDS_CONDITIONS; m++) {
        double condition[FIELDS_CONDITIONS] = {0}, p[SW_END_LIFT];
        condition[m] = pow(length, fields_wall_order(w->wall[v][axis][m / 2].kind, m % 2));
        fields_wall_polynomial(w->wall[v][axis][0].kind, w->wall[v][axis][1].kind, condition, p);
        for (int64_t i = 0; i < n; i++) {
            const double x = (double)i / (double)(n - 1);
            w->weight[v][axis][m * n + i] = p[0] + x * (p[1] + x * (p[2] + x * (p[3] + x * p[4])));
        }
    }
}

void fields_walls_begin(struct fields_walls *w, const struct sw_grid *grid, const double *param, int64_t stride)
{
    for (int axis = 0; w && axis < SW_DIMS; axis++) {
        const struct face face = face_of(&w->desc, &w->room, axis);
        w->dx[axis] = grid->dx[axis];
        for (int v = 0; w->desc.walls[axis] && v < w->desc.unknowns; v++) {
            for (int side = 0; side < 2; side++) {
                struct wall *wall = &w->wall[v][axis][side];
                begin_wall(w, grid, v, axis, side);
                for (int k = 0; k < 4; k++) {
                    struct condition *c = &wall->condition[k / 2][k % 2];
                    c->known = false;
                    if (!c->eval) continue;
                    sw_eval_run(c->eval, param, stride);
                    sw_eval_cells(c->eval, (int)face_points(&face), (const double *const[]){
                                  [SW_IN_X] = wall->at[0], [SW_IN_Y] = wall->at[1], [SW_IN_Z] = wall->at[2]});
                }
            }
            set_weights(w, v, axis);
        }
    }
}

/* The values at time t; NULL: 0. */
static const double *values_at(struct wall *wall, const struct face *face, int second, bool rate, double t)
{
    struct condition *c = &wall->condition[second][rate];
    if (!c->eval) return NULL;
    if (c->known && (!c->moves || c->t == t)) return c->value;
    sw_eval_step(c->eval, t, 0);
    sw_eval_points(c->eval, (int)face_points(face), (const double *const[]){
                   [SW_IN_X] = wall->at[0], [SW_IN_Y] = wall->at[1], [SW_IN_Z] = wall->at[2]}, c->value);
    c->known = true;
    c->t = t;
    return c->value;
}

/* ------------------------------------------------------------------ points beyond ends */

/* One wall: what is given there, and the points beyond. */
static void fill_wall(struct fields_walls *w, int v, int axis, int side, double t, double *u)
{
    const struct face f = face_of(&w->desc, &w->room, axis);
    const struct fields_room *r = &w->room;
    struct wall *wall = &w->wall[v][axis][side];
    const double *first = values_at(wall, &f, 0, false, t), *second = values_at(wall, &f, 1, false, t);
    const double reflection = fields_wall_reflection(wall->kind);
    const int64_t inwards = side ? -r->step[axis] : r->step[axis];
    double *origin = u + r->first + (side ? (w->desc.n[axis] - 1) * r->step[axis] : 0);
    for (int64_t b = 0; b < f.count[1]; b++)
        for (int64_t a = 0; a < f.count[0]; a++) {
            const int64_t at = b * f.count[0] + a;
            double *here = origin + (f.from[0] + a) * r->step[f.a] + (f.from[1] + b) * r->step[f.b];
            const double g = first ? first[at] : 0.0, h = second ? second[at] : 0.0;
            if (fields_wall_is_given(wall->kind)) *here = g;
            for (int k = 1; k <= r->beyond[axis]; k++)
                here[-k * inwards] = reflection * here[k * inwards] +
                                     fields_wall_beyond(wall->kind, side, k, w->dx[axis], g, h);
        }
}

/* Beyond the ends of x, of all rows inside. */
static void wrap_rows(const struct fields_walls_desc *d, double *u)
{
    const struct fields_room r = fields_room_of(d);
    for (int64_t row = 0; row < d->n[1] * d->n[2]; row++) {
        double *at = u + r.first + row % d->n[1] * r.step[1] + row / d->n[1] * r.step[2];
        for (int64_t k = 1; k <= r.beyond[0]; k++) {
            at[-k] = at[fields_beside(-k, d->n[0], false)];
            at[d->n[0] - 1 + k] = at[fields_beside(k - 1, d->n[0], false)];
        }
    }
}

void fields_walls_fill(struct fields_walls *w, const struct fields_walls_desc *d, int v, double t, double *u)
{
    if (!d->walls[0]) wrap_rows(d, u);
    for (int axis = 0; w && axis < SW_DIMS; axis++)
        for (int side = 0; d->walls[axis] && side < 2; side++) fill_wall(w, v, axis, side, t, u);
}

/* Set what is given at a wall of a field. @param value  [points of the wall]; NULL: 0 */
static void set_wall(const struct fields_walls *w, int axis, int side, const double *value, double *u)
{
    const struct face f = face_of(&w->desc, &w->room, axis);
    const int64_t *n = w->desc.n, step[SW_DIMS] = {1, n[0], n[0] * n[1]};
    double *origin = u + (side ? (n[axis] - 1) * step[axis] : 0);
    for (int64_t b = 0; b < n[f.b]; b++)
        for (int64_t a = 0; a < n[f.a]; a++)
            origin[a * step[f.a] + b * step[f.b]] =
                value ? value[(b - f.from[1]) * f.count[0] + a - f.from[0]] : 0.0;
}

static void set_walls(struct fields_walls *w, bool zero, double t, double *u)
{
    const size_t points = (size_t)sw_points(w->desc.n);
    for (int axis = 0; axis < SW_DIMS; axis++) {
        const struct face f = face_of(&w->desc, &w->room, axis);
        for (int k = 0; w->desc.walls[axis] && k < 2 * w->desc.unknowns; k++) {
            struct wall *wall = &w->wall[k / 2][axis][k % 2];
            if (!fields_wall_is_given(wall->kind)) continue;
            set_wall(w, axis, k % 2, zero ? NULL : values_at(wall, &f, 0, false, t),
                     u + (size_t)(k / 2) * points);
        }
    }
}

void fields_walls_impose(struct fields_walls *w, double t, double *u)
{
    if (w) set_walls(w, false, t, u);
}

void fields_walls_clear(struct fields_walls *w, double *u)
{
    if (w) set_walls(w, true, 0.0, u);
}

/* ------------------------------------------------------------------ G */

/* The derivative of an order at an end of a line, from its five points there, exact for polynomials of degree 4. */
static double derivative_at_end(const double *u, int64_t inwards, int side, int order, double dx)
{
    static const double weight[4][5] = {
        {1}, {-25. / 12, 4, -3, 4. / 3, -1. / 4}, {35. / 12, -26. / 3, 19. / 2, -14. / 3, 11. / 12},
        {-5. / 2, 9, -12, 7, -3. / 2}};
    double sum = 0.0;
    for (int k = 0; k < 5; k++) sum += weight[order][k] * u[k * inwards];
    return (side && order % 2 ? -sum : sum) / pow(dx, order);
}

/* What the conditions along an axis have beyond those that G has so far. @param had  G has something */
static void find_residual(struct fields_walls *w, int v, int axis, int m, double t, bool rate, bool had)
{
    const struct face f = face_of(&w->desc, &w->room, axis);
    const int64_t *n = w->desc.n, step[SW_DIMS] = {1, n[0], n[0] * n[1]};
    const int side = m / 2, second = m % 2;
    struct wall *wall = &w->wall[v][axis][side];
    const double *value = values_at(wall, &f, second, rate, t), *rest = rate ? wall->condition[second][1].rest : NULL;
    double *residual = w->residual + (size_t)m * (size_t)(n[f.a] * n[f.b]);
    const double *origin = w->lift + (side ? (n[axis] - 1) * step[axis] : 0);
    const int order = fields_wall_order(wall->kind, second);
    for (int64_t b = 0; b < n[f.b]; b++)
        for (int64_t a = 0; a < n[f.a]; a++) {
            const int64_t at = (b - f.from[1]) * f.count[0] + a - f.from[0];
            double *r = &residual[b * n[f.a] + a];
            *r = (value ? value[at] : 0.0) + (rest ? rest[at] : 0.0);
            if (had) *r -= derivative_at_end(origin + a * step[f.a] + b * step[f.b],
                                             side ? -step[axis] : step[axis], side, order, w->dx[axis]);
        }
}

static void add_polynomials(struct fields_walls *w, int v, int axis, int m)
{
    const struct face f = face_of(&w->desc, &w->room, axis);
    const int64_t *n = w->desc.n, step[SW_DIMS] = {1, n[0], n[0] * n[1]};
    const double *weight = w->weight[v][axis] + m * n[axis],
                 *residual = w->residual + (size_t)m * (size_t)(n[f.a] * n[f.b]);
    for (int64_t b = 0; b < n[f.b]; b++)
        for (int64_t i = 0; i < n[axis]; i++)
            for (int64_t a = 0; a < n[f.a]; a++)
                w->lift[a * step[f.a] + b * step[f.b] + i * step[axis]] += weight[i] * residual[b * n[f.a] + a];
}

/* Second conditions that no derivative asks for are left out: others would have to agree with them in corners. */
static void make_lift(struct fields_walls *w, int v, double t, bool rate)
{
    bool had = false;
    memset(w->lift, 0, (size_t)sw_points(w->desc.n) * sizeof *w->lift);
    for (int axis = 0; axis < SW_DIMS; axis++) {
        if (!w->desc.walls[axis]) continue;
        for (int m = 0; m < FIELDS_CONDITIONS; m++)
            if (m % 2 == 0 || w->desc.above_second[v][axis]) find_residual(w, v, axis, m, t, rate, had);
        for (int m = 0; m < FIELDS_CONDITIONS; m++)
            if (m % 2 == 0 || w->desc.above_second[v][axis]) add_polynomials(w, v, axis, m);
        had = true;
    }
}

/* rest += factor times the values at time t */
static void add_to_rest(struct wall *wall, const struct face *face, int second, bool rate, double t, double factor)
{
    const double *value = values_at(wall, face, second, rate, t);
    double *rest = wall->condition[second][1].rest;
    for (size_t k = 0; value && k < face_points(face); k++) rest[k] += factor * value[k];
}

void fields_walls_begin_step(struct fields_walls *w, double t, double dt, int stages, const double *b, const double *c)
{
    for (int k = 0; k < w->desc.unknowns * SW_DIMS * 4; k++) {
        const int axis = k / 4 % SW_DIMS, second = k % 2;
        const struct face f = face_of(&w->desc, &w->room, axis);
        struct wall *wall = &w->wall[k / (4 * SW_DIMS)][axis][k / 2 % 2];
        double *rest = wall->condition[second][1].rest;
        if (!rest) continue;
        memset(rest, 0, face_points(&f) * sizeof *rest);
        if (dt == 0.0) continue;
        add_to_rest(wall, &f, second, false, t + dt, 1.0 / dt);
        add_to_rest(wall, &f, second, false, t, -1.0 / dt);
        for (int i = 0; i < stages; i++) add_to_rest(wall, &f, second, true, t + c[i] * dt, -b[i]);
    }
}

void fields_walls_lift(struct fields_walls *w, int v, double t, bool rate, double factor, double *u)
{
    const size_t points = (size_t)sw_points(w->desc.n);
    if (!w->moves[v]) return;
    make_lift(w, v, t, rate);
    for (size_t c = 0; c < points; c++) u[c] += factor * w->lift[c];
}
