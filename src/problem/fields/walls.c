#include "problem/fields/walls.h"

#include <math.h>
#include <string.h>

/* A condition of an unknown at a wall, or its derivative in t, at all points of the wall. */
struct condition {
    struct sw_eval *eval;     /* NULL: it is 0                  */
    bool            moves;    /* it depends on time             */
    bool            known;    /* its values are those of time t */
    double          t;
    double         *value;    /* [points of the wall]           */
    double         *begin;    /* [points of the wall] of itself where it moves: when the step began */
    double         *rest;     /* [points of the wall] of a derivative: what R is made of */
};

struct wall {
    enum fields_wall_kind kind;
    struct condition      condition[2][2];  /* [first, second][itself, its derivative] */
    double               *at[SW_DIMS];      /* the coordinates of its points           */
};

struct fields_walls {
    struct fields_walls_desc desc;
    struct wall              wall[SW_UNKNOWNS_MOST][SW_DIMS][2];
    bool                     moves[SW_UNKNOWNS_MOST];
    double                  *weight[SW_UNKNOWNS_MOST][SW_DIMS];    /* [FIELDS_CONDITIONS][n]: what each adds to G  */
    double                  *residual[SW_UNKNOWNS_MOST][SW_DIMS];  /* [FIELDS_CONDITIONS][points of a wall inside] */
    double                   dx[SW_DIMS];                          /* of the run at hand                           */
};

struct fields_room fields_room_of(const int64_t n[SW_DIMS], const int64_t beyond[SW_DIMS])
{
    struct fields_room r = {.size = 1};
    for (int a = 0; a < SW_DIMS; a++) {
        r.beyond[a] = beyond[a];
        r.step[a] = r.size;
        r.first += r.beyond[a] * r.step[a];
        r.size *= n[a] + 2 * r.beyond[a];
    }
    return r;
}

struct fields_face fields_face_of(const struct fields_walls_desc *d, int axis)
{
    struct fields_face f = {.a = axis == 0, .b = axis == 2 ? 1 : 2};
    for (int k = 0; k < 2; k++) {
        const int other = k ? f.b : f.a;
        const int64_t beyond = other < axis ? d->room.beyond[other] : 0;
        f.from[k] = -beyond;
        f.count[k] = d->n[other] + 2 * beyond;
    }
    return f;
}

static size_t face_points(const struct fields_face *f) { return (size_t)(f->count[0] * f->count[1]); }

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
    const struct fields_face face = fields_face_of(&w->desc, axis);
    struct wall *wall = &w->wall[v][axis][side];
    wall->kind = given->kind;
    for (int k = 0; k < 2; k++) {
        const bool moves = given->condition[k] && sw_program_uses(given->condition[k], "t");
        SW_TRY(make_condition(given->condition[k], face_points(&face), moves, own, &wall->condition[k][0]));
        SW_TRY(make_condition(given->rate[k], face_points(&face), moves, own, &wall->condition[k][1]));
        if (moves) sw_array(own, face_points(&face), &wall->condition[k][0].begin);
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
    *walls = NULL;
    if (!has_walls(desc)) return SW_OK;
    sw_array(own, 1, walls);
    SW_TRY(own->status);
    w = *walls;
    w->desc = *desc;
    for (int axis = 0; axis < SW_DIMS; axis++) {
        const size_t inside = (size_t)(sw_points(desc->n) / desc->n[axis]);
        for (int v = 0; desc->walls[axis] && v < desc->unknowns; v++) {
            SW_TRY(make_wall(w, v, axis, 0, own));
            SW_TRY(make_wall(w, v, axis, 1, own));
            sw_array(own, (size_t)(FIELDS_CONDITIONS * desc->n[axis]), &w->weight[v][axis]);
            if (fields_walls_move(desc)) sw_array(own, FIELDS_CONDITIONS * inside, &w->residual[v][axis]);
        }
    }
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
    const size_t each = fields_walls_move(d) ? 24 + 3 * FIELDS_CONDITIONS : 24;
    size_t numbers = 0;
    for (int axis = 0; axis < SW_DIMS; axis++) {
        const struct fields_face face = fields_face_of(d, axis);
        if (d->walls[axis]) numbers += (size_t)d->unknowns * (each * face_points(&face) + 4 * (size_t)d->n[axis]);
    }
    return has_walls(d) ? numbers * sizeof(double) : 0;
}

/* ------------------------------------------------------------------ the run at hand */

/* The coordinate of a point beyond an end for the conditions of another axis. */
static double place(const struct fields_walls *w, const struct sw_grid *grid, int v, int axis, int64_t i)
{
    const struct fields_walls_desc *d = &w->desc;
    const bool walls = d->walls[axis], left = walls && fields_wall_is_closed_at(&d->wall[v][axis][0]),
               right = walls && fields_wall_is_closed_at(&d->wall[v][axis][1]);
    return sw_grid_at(grid, axis, fields_wall_place(i, d->n[axis], walls, left, right));
}

static void begin_wall(struct fields_walls *w, const struct sw_grid *grid, int v, int axis, int side)
{
    const struct fields_face f = fields_face_of(&w->desc, axis);
    struct wall *wall = &w->wall[v][axis][side];
    if (!wall->at[0]) return;
    for (int64_t k = 0; k < (int64_t)face_points(&f); k++) {
        wall->at[f.a][k] = place(w, grid, v, f.a, f.from[0] + k % f.count[0]);
        wall->at[f.b][k] = place(w, grid, v, f.b, f.from[1] + k / f.count[0]);
        wall->at[axis][k] = sw_grid_at(grid, axis, side ? w->desc.n[axis] - 1 : 0);
    }
}

/* By points in 0 .. 1, in which the derivative of order m is length^m times that along the axis. */
void fields_wall_weights(enum fields_wall_kind left, enum fields_wall_kind right, int64_t n, double dx, double *weight)
{
    const double length = dx * (double)(n - 1);
    for (int m = 0; m < FIELDS_CONDITIONS; m++) {
        double condition[FIELDS_CONDITIONS] = {0}, p[SW_END_LIFT];
        condition[m] = pow(length, fields_wall_order(m < 2 ? left : right, m % 2));
        fields_wall_polynomial(left, right, condition, p);
        for (int64_t i = 0; i < n; i++) {
            const double x = (double)i / (double)(n - 1);
            weight[m * n + i] = p[0] + x * (p[1] + x * (p[2] + x * (p[3] + x * p[4])));
        }
    }
}

void fields_walls_begin(struct fields_walls *w, const struct sw_grid *grid, const double *param, int64_t stride)
{
    for (int axis = 0; w && axis < SW_DIMS; axis++) {
        const struct fields_face face = fields_face_of(&w->desc, axis);
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
            fields_wall_weights(w->wall[v][axis][0].kind, w->wall[v][axis][1].kind, w->desc.n[axis], w->dx[axis],
                                w->weight[v][axis]);
        }
    }
}

/* The values at time t; NULL: 0. */
static const double *values_at(struct wall *wall, const struct fields_face *face, int second, bool rate, double t)
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

/* Points of a wall: `count`, `step` apart, whose conditions are those from number `at` on. */
struct stretch { int64_t count, step, at; double *here; };

static const double *value_of(const struct condition *c) { return c->eval ? c->value : NULL; }

/* What is given there. */
static void give(const struct wall *wall, const struct stretch *s)
{
    const double *value = value_of(&wall->condition[0][0]);
    for (int64_t c = 0; c < s->count; c++) s->here[c * s->step] = value ? value[s->at + c] : 0.0;
}

/* The points k beyond. @param inwards  from the wall to the next points inside  @param d  between points */
static void reflect(const struct wall *wall, int side, int64_t inwards, int k, double d, const struct stretch *s)
{
    const double *first = value_of(&wall->condition[0][0]), *second = value_of(&wall->condition[1][0]);
    const double reflection = fields_wall_reflection(wall->kind);
    const double *image = s->here + k * inwards;
    double *beyond = s->here - k * inwards;
    if (!first && !second) {
        for (int64_t c = 0; c < s->count; c++) beyond[c * s->step] = reflection * image[c * s->step];
        return;
    }
    for (int64_t c = 0; c < s->count; c++)
        beyond[c * s->step] = reflection * image[c * s->step] +
                              fields_wall_beyond(wall->kind, side, k, d, first ? first[s->at + c] : 0.0,
                                                 second ? second[s->at + c] : 0.0);
}

/* Along x or y of plane k, whose first point inside is given. */
static void fill_walls(const struct fields_walls *w, int v, int axis, int64_t k, double *plane)
{
    const struct fields_face f = fields_face_of(&w->desc, axis);
    const struct fields_room *r = &w->desc.room;
    struct stretch stretch[2];
    for (int side = 0; side < 2; side++) {
        const int64_t wall = side ? (w->desc.n[axis] - 1) * r->step[axis] : 0;
        stretch[side] = (struct stretch){.count = f.count[0], .step = r->step[f.a], .at = k * f.count[0],
                                         .here = plane + wall + f.from[0] * r->step[f.a]};
        if (fields_wall_is_given(w->wall[v][axis][side].kind)) give(&w->wall[v][axis][side], &stretch[side]);
    }
    for (int side = 0; side < 2; side++)
        for (int far = 1; far <= r->beyond[axis]; far++)
            reflect(&w->wall[v][axis][side], side, side ? -r->step[axis] : r->step[axis], far, w->dx[axis],
                    &stretch[side]);
}

/* What walls across z give of plane k, and its images. */
static void fill_walls_of_z(const struct fields_walls *w, int v, int64_t k, double *plane)
{
    const struct fields_face f = fields_face_of(&w->desc, 2);
    const struct fields_room *r = &w->desc.room;
    for (int side = 0; side < 2; side++) {
        const struct wall *wall = &w->wall[v][2][side];
        const int64_t far = side ? w->desc.n[2] - 1 - k : k, inwards = side ? -r->step[2] : r->step[2];
        for (int64_t row = 0; row < f.count[1]; row++) {
            const struct stretch s = {
                .count = f.count[0], .step = 1, .at = row * f.count[0],
                .here = plane - far * inwards + (f.from[1] + row) * r->step[1] + f.from[0]};
            if (far == 0 && fields_wall_is_given(wall->kind)) give(wall, &s);
            if (far > 0 && far <= r->beyond[2]) reflect(wall, side, inwards, (int)far, w->dx[2], &s);
        }
    }
}

static void wrap_rows(const struct fields_walls_desc *d, double *plane)
{
    const int64_t nx = d->n[0];
    for (int64_t j = 0; j < d->n[1]; j++) {
        double *row = plane + j * d->room.step[1];
        for (int64_t i = 1; i <= d->room.beyond[0]; i++) row[-i] = row[nx - i], row[nx - 1 + i] = row[i - 1];
    }
}

/* Copy row `from` of a plane along y, or plane `from` along z, with what lies beyond its own ends, to where `to` is. */
static void wrap(const struct fields_walls_desc *d, int axis, int64_t from, int64_t to, double *plane)
{
    const struct fields_room *r = &d->room;
    const int64_t row = d->n[0] + 2 * r->beyond[0], first = -r->beyond[0] - (axis == 2 ? r->beyond[1] * r->step[1] : 0);
    const int64_t count = axis == 2 ? r->step[2] - r->step[1] + row : row;
    memcpy(plane + to * r->step[axis] + first, plane + from * r->step[axis] + first, (size_t)count * sizeof *plane);
}

void fields_walls_fill(const struct fields_walls *w, const struct fields_walls_desc *d, int v, int64_t k, double *u)
{
    const struct fields_room *r = &d->room;
    const int64_t ny = d->n[1], nz = d->n[2];
    double *plane = u + r->first + v * r->size + k * r->step[2];
    if (d->walls[0]) fill_walls(w, v, 0, k, plane);
    else wrap_rows(d, plane);
    for (int64_t j = 1; !d->walls[1] && j <= r->beyond[1]; j++) {
        wrap(d, 1, ny - j, -j, plane);
        wrap(d, 1, j - 1, ny - 1 + j, plane);
    }
    if (d->walls[1]) fill_walls(w, v, 1, k, plane);
    if (d->walls[2]) fill_walls_of_z(w, v, k, plane);
    if (!d->walls[2] && k < r->beyond[2]) wrap(d, 2, 0, nz, plane);
    if (!d->walls[2] && k >= nz - r->beyond[2]) wrap(d, 2, 0, -nz, plane);
}

void fields_walls_at(struct fields_walls *w, double t)
{
    for (int k = 0; w && k < w->desc.unknowns * SW_DIMS * 4; k++) {
        const int axis = k / 4 % SW_DIMS;
        const struct fields_face f = fields_face_of(&w->desc, axis);
        values_at(&w->wall[k / (4 * SW_DIMS)][axis][k / 2 % 2], &f, k % 2, false, t);
    }
}

double fields_walls_beyond(const struct fields_walls *w, int v, int axis, const int64_t at[SW_DIMS], double *rest)
{
    const struct fields_face f = fields_face_of(&w->desc, axis);
    const int side = at[axis] > 0, k = (int)(side ? at[axis] - (w->desc.n[axis] - 1) : -at[axis]);
    const struct wall *wall = &w->wall[v][axis][side];
    const int64_t here = (at[f.b] - f.from[1]) * f.count[0] + at[f.a] - f.from[0];
    const double *value[2] = {value_of(&wall->condition[0][0]), value_of(&wall->condition[1][0])};
    const double first = value[0] ? value[0][here] : 0.0, second = value[1] ? value[1][here] : 0.0;
    const bool given = fields_wall_is_given(wall->kind);
    *rest = k > 0 ? fields_wall_beyond(wall->kind, side, k, w->dx[axis], first, second) : given ? first : 0.0;
    if (k == 0) return given ? 0.0 : 1.0;
    return fields_wall_reflection(wall->kind);
}

/* Set what is given at a wall of a field. @param value  [points of the wall]; NULL: 0 */
static void set_wall(const struct fields_walls *w, int axis, int side, const double *value,
                     const struct fields_room *r, double *u)
{
    const struct fields_face f = fields_face_of(&w->desc, axis);
    const int64_t *n = w->desc.n;
    double *origin = u + r->first + (side ? (n[axis] - 1) * r->step[axis] : 0);
    for (int64_t b = 0; b < n[f.b]; b++)
        for (int64_t a = 0; a < n[f.a]; a++)
            origin[a * r->step[f.a] + b * r->step[f.b]] =
                value ? value[(b - f.from[1]) * f.count[0] + a - f.from[0]] : 0.0;
}

void fields_walls_impose(struct fields_walls *w, double t, const struct fields_room *room, double *u)
{
    for (int axis = 0; w && axis < SW_DIMS; axis++) {
        const struct fields_face f = fields_face_of(&w->desc, axis);
        for (int k = 0; w->desc.walls[axis] && k < 2 * w->desc.unknowns; k++) {
            struct wall *wall = &w->wall[k / 2][axis][k % 2];
            if (!fields_wall_is_given(wall->kind)) continue;
            set_wall(w, axis, k % 2, values_at(wall, &f, 0, false, t), room, u + k / 2 * room->size);
        }
    }
}

/* ------------------------------------------------------------------ G */

/* Whether condition m of an axis counts. Second conditions that no derivative asks for are left out: others would have
 * to agree with them in corners. */
static bool counts(const struct fields_walls *w, int v, int axis, int m)
{
    return w->desc.walls[axis] && (m % 2 == 0 || w->desc.above_second[v][axis]);
}

/* G of points i .. i + count - 1 of row (j, k). */
static void lift_row(const struct fields_walls *w, int v, int64_t i, int64_t j, int64_t k, int count, double *out)
{
    const int64_t *n = w->desc.n;
    memset(out, 0, (size_t)count * sizeof *out);
    for (int axis = 0; axis < SW_DIMS; axis++) {
        double one[FIELDS_CONDITIONS];
        const double *of[FIELDS_CONDITIONS];
        if (!w->desc.walls[axis]) continue;
        for (int m = 0; m < FIELDS_CONDITIONS; m++) {
            const double *weight = w->weight[v][axis] + m * n[axis],
                         *residual = w->residual[v][axis] + m * (sw_points(n) / n[axis]);
            one[m] = axis == 0 ? residual[k * n[1] + j] : weight[axis == 1 ? j : k];
            of[m] = axis == 0 ? weight + i : residual + (axis == 1 ? k : j) * n[0] + i;
        }
        if (w->desc.above_second[v][axis])
            for (int c = 0; c < count; c++)
                out[c] = out[c] + one[0] * of[0][c] + one[1] * of[1][c] + one[2] * of[2][c] + one[3] * of[3][c];
        else
            for (int c = 0; c < count; c++) out[c] = out[c] + one[0] * of[0][c] + one[2] * of[2][c];
    }
}

/* What condition m of an axis has; itself less what it had when the step began. */
static void find_residual(struct fields_walls *w, int v, int axis, int m, double t, bool rate)
{
    const struct fields_face f = fields_face_of(&w->desc, axis);
    const int64_t *n = w->desc.n;
    struct wall *wall = &w->wall[v][axis][m / 2];
    const double *value = values_at(wall, &f, m % 2, rate, t), *rest = rate ? wall->condition[m % 2][1].rest : NULL;
    const double *begin = rate ? NULL : wall->condition[m % 2][0].begin;
    if (!rate && !begin) value = NULL;  /* it does not move */
    double *residual = w->residual[v][axis] + m * (n[f.a] * n[f.b]);
    for (int64_t b = 0; b < n[f.b]; b++)
        for (int64_t a = 0; a < n[f.a]; a++) {
            const int64_t at = (b - f.from[1]) * f.count[0] + a - f.from[0];
            residual[b * n[f.a] + a] =
                (value ? value[at] : 0.0) + (rest ? rest[at] : 0.0) - (begin ? begin[at] : 0.0);
        }
}

/* Less what G has so far, beside row b of the wall across y or z: the derivative of what each condition of an axis
 * before has along its wall, times what it adds to G. The difference rounds as its weights do, 30/dx^3: so this
 * rounding is as smooth across the wall as polynomials, which differences of G itself were not. */
static void subtract_lift(struct fields_walls *w, int v, int axis, int m, int64_t b)
{
    const int64_t *n = w->desc.n;
    double weight[5], *f = w->residual[v][axis] + m * (sw_points(n) / n[axis]) + b * n[0];
    const int side = m / 2, order = fields_wall_order(w->wall[v][axis][side].kind, m % 2);
    const double over = fields_wall_difference(order, side, w->dx[axis], weight);
    for (int c = 0; c < axis * FIELDS_CONDITIONS; c++) {
        const int before = c / FIELDS_CONDITIONS, other = c % FIELDS_CONDITIONS;
        if (!counts(w, v, before, other)) continue;
        const double *adds = w->weight[v][before] + other * n[before], *r[5];
        for (int far = 0; far < 5; far++) {
            const int64_t at = side ? n[axis] - 1 - far : far, j = axis == 1 ? at : b, k = axis == 1 ? b : at;
            r[far] = w->residual[v][before] + other * (sw_points(n) / n[before]) + (before ? k * n[0] : k * n[1] + j);
        }
        for (int64_t i = 0; i < n[0]; i++) {
            const int64_t p = before ? i : 0;
            const double d = weight[0] * r[0][p] + weight[1] * r[1][p] + weight[2] * r[2][p] + weight[3] * r[3][p] +
                             weight[4] * r[4][p];
            f[i] -= over * d * adds[before ? b : i];
        }
    }
}

void fields_walls_lift(struct fields_walls *w, double t, bool rate)
{
    for (int k = 0; w && k < w->desc.unknowns * SW_DIMS; k++) {
        const int v = k / SW_DIMS, axis = k % SW_DIMS;
        const bool had = (axis > 0 && w->desc.walls[0]) || (axis > 1 && w->desc.walls[1]);
        const int64_t rows = w->desc.n[axis == 1 ? 2 : 1];
        if (!w->moves[v] || !w->desc.walls[axis]) continue;
        for (int m = 0; m < FIELDS_CONDITIONS; m++)
            if (counts(w, v, axis, m)) find_residual(w, v, axis, m, t, rate);
        for (int m = 0; had && m < FIELDS_CONDITIONS; m++)
            for (int64_t b = 0; counts(w, v, axis, m) && b < rows; b++) subtract_lift(w, v, axis, m, b);
    }
}

void fields_walls_add(const struct fields_walls *w, int v, int64_t j, int64_t k, double factor, double *u)
{
    const int64_t nx = w->desc.n[0];
    double lift[256];
    for (int64_t i = 0; w->moves[v] && i < nx; i += 256) {
        const int count = (int)(nx - i < 256 ? nx - i : 256);
        lift_row(w, v, i, j, k, count, lift);
        for (int c = 0; c < count; c++) u[i + c] += factor * lift[c];
    }
}

void fields_walls_close(const struct fields_walls *w, int v, int64_t j, int64_t k, double *f)
{
    if (!w) return;
    const int64_t *n = w->desc.n, at[SW_DIMS] = {0, j, k};
    fields_walls_add(w, v, j, k, -1.0, f);
    for (int end = 0; end < 2 * SW_DIMS; end++) {
        const int axis = end / 2, side = end % 2;
        const int64_t wall = side ? n[axis] - 1 : 0;
        if (!fields_wall_is_given(w->wall[v][axis][side].kind)) continue;
        if (axis == 0) f[wall] = 0.0;
        else if (at[axis] == wall) memset(f, 0, (size_t)n[0] * sizeof *f);
    }
}

/* rest += factor times the derivatives at time t */
static void add_to_rest(struct wall *wall, const struct fields_face *face, int second, double t, double factor)
{
    const double *value = values_at(wall, face, second, true, t);
    double *rest = wall->condition[second][1].rest;
    for (size_t k = 0; value && k < face_points(face); k++) rest[k] += factor * value[k];
}

void fields_walls_begin_step(struct fields_walls *w, double t, double end, double dt, int stages, const double *b,
                             const double *c)
{
    for (int k = 0; k < w->desc.unknowns * SW_DIMS * 4; k++) {
        const int axis = k / 4 % SW_DIMS, second = k % 2;
        const struct fields_face f = fields_face_of(&w->desc, axis);
        struct wall *wall = &w->wall[k / (4 * SW_DIMS)][axis][k / 2 % 2];
        double *rest = wall->condition[second][1].rest, *begin = wall->condition[second][0].begin;
        if (!rest) continue;
        const double *value = values_at(wall, &f, second, false, t);
        memcpy(begin, value, face_points(&f) * sizeof *begin);
        memset(rest, 0, face_points(&f) * sizeof *rest);
        if (dt == 0.0) continue;
        for (int i = 0; i < stages; i++) add_to_rest(wall, &f, second, t + c[i] * dt, -b[i]);
        value = values_at(wall, &f, second, false, end);
        for (size_t at = 0; at < face_points(&f); at++) rest[at] += (value[at] - begin[at]) / dt;
    }
}
