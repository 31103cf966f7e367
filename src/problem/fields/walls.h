#ifndef WALLS_H
#define WALLS_H
/* The walls of fields on a host: what their conditions are at a time, the points beyond them, and a field G that
 * fulfils those that move.
 *
 * An unknown lies in a room that may have points beyond the ends of its axes, where differences ask for them: those of
 * x in any case. They are filled one axis after the other, those of y for all x of the room, so that corners are beyond
 * both. A plane of the room is filled by itself, and threads may share planes.
 *
 * Increments of W-methods have conditions that are 0 (walls_point.h). Where conditions depend on time, u = v + G, and v
 * takes the steps with F(v + G) - G_t - R (w_run.h); as G is linear in conditions, that of their change since the step
 * began will do, which rounds less. G is Coons' sum: along each axis the polynomial that has the
 * conditions at its walls, less what the axes before have there already. R, the same at all stages, is what the sum of
 * b_i dt G_t lacks of G(t + dt) - G(t): of the order of the method where G is smooth, and all of a jump. */
#include "device/sw_owned.h"
#include "problem/fields/field_terms.h"
#include "problem/fields/walls_point.h"

/* What holds at a wall for an unknown: its conditions in x, y, z, t and numbers of the run; NULL: 0. */
struct fields_wall {
    enum fields_wall_kind    kind;
    const struct sw_program *condition[2];  /* first and second (walls_point.h)                   */
    const struct sw_program *rate[2];       /* of those that depend on t, their derivatives in t  */
};

/** How unknowns lie: point (i, j, k) of unknown v at first + i + j*step[1] + k*step[2] + v*size; step[2] is as many
 * rows as a plane has with those beyond its ends. */
struct fields_room { int64_t beyond[SW_DIMS], step[SW_DIMS], size, first; };

/** The smallest with so many points beyond each end; 0 everywhere: that of [unknowns][z][y][x]. */
struct fields_room fields_room_of(const int64_t n[SW_DIMS], const int64_t beyond[SW_DIMS]);

struct fields_walls_desc {
    int                axes, unknowns;
    int64_t            n[SW_DIMS];
    bool               walls[SW_DIMS];         /* the axis ends, for all unknowns; else it is periodic        */
    struct fields_room room;                   /* that is filled                                              */
    bool               above_second[SW_UNKNOWNS_MOST][SW_DIMS];  /* two conditions count at each wall         */
    const struct fields_wall (*wall)[SW_DIMS][2];                /* [unknowns]                                */
};

/* The points of a wall: along the axes a < b other than its own, with those beyond their ends that a room has when it
 * is filled. Point (i, j) along these is number i - from[0] + (j - from[1])*count[0]. */
struct fields_face { int a, b; int64_t from[2], count[2]; };
struct fields_face fields_face_of(const struct fields_walls_desc *desc, int axis);

/** Whether no flux goes through a wall at any time. */
static inline bool fields_wall_is_closed_at(const struct fields_wall *wall)
{
    return wall->kind == FIELDS_SLOPE && !wall->condition[0] && !wall->condition[1];
}

/** What each condition of an axis of n points adds to G along it. @param weight  out: [FIELDS_CONDITIONS][n] */
void fields_wall_weights(enum fields_wall_kind left, enum fields_wall_kind right, int64_t n, double dx, double *weight);

struct fields_walls;  /* of a run at a time */

/** Whether any condition of an unknown depends on time. */
bool fields_walls_move(const struct fields_walls_desc *d);

/** @param desc  copied, what it points to borrowed  @param own  its arrays
 *  @param walls  out: NULL where no axis has walls; it is then fine for all below
 *  @return SW_E_MEMORY; it is then to be destroyed, too */
enum sw_status fields_walls_create(const struct fields_walls_desc *desc, struct sw_owned *own,
                                   struct fields_walls **walls);
void fields_walls_destroy(struct fields_walls *walls);
size_t fields_walls_bytes(const struct fields_walls_desc *desc);

/** Begin a run. @param param  number k of the run is param[k*stride] */
void fields_walls_begin(struct fields_walls *walls, const struct sw_grid *grid, const double *param, int64_t stride);

/** Evaluate what is given at time t, for planes to be filled. */
void fields_walls_at(struct fields_walls *walls, double t);

/** Fill what lies beyond the ends of plane k of unknown v, its images beyond the ends of z, and what is given at walls
 * of it, at the time of fields_walls_at(). Others may fill other planes at the same time.
 * @param u  unknowns in d->room, the points inside set */
void fields_walls_fill(const struct fields_walls *walls, const struct fields_walls_desc *d, int v, int64_t k,
                       double *u);

/** u at a point beyond a wall of an axis, or at it, and inside along those after it, at the time of fields_walls_at():
 * the result times u at its mirror image, plus rest.
 * @param at    at most as far beyond as d->room says  @param rest  out */
double fields_walls_beyond(const struct fields_walls *walls, int v, int axis, const int64_t at[SW_DIMS], double *rest);

/** Set what is given at walls, at time t. @param room  how u lies */
void fields_walls_impose(struct fields_walls *walls, double t, const struct fields_room *room, double *u);

/** Begin a step: what conditions have at t, and R.
 * @param end   t + dt, the time of the state behind it  @param b, c  [stages] of the method */
void fields_walls_begin_step(struct fields_walls *walls, double t, double end, double dt, int stages, const double *b,
                             const double *c);

/** Make G(t) less that of the step's beginning, or G_t(t) + R, of the unknowns whose conditions move, for the two
 * below. */
void fields_walls_lift(struct fields_walls *walls, double t, bool rate);

/** u += factor times what was made, in a row of unknown v. Threads may share rows. @param u  [nx] */
void fields_walls_add(const struct fields_walls *walls, int v, int64_t j, int64_t k, double factor, double *u);

/** A row of F becomes that of increments: less what was made, G_t + R, and 0 where u is given. @param f  [nx] */
void fields_walls_close(const struct fields_walls *walls, int v, int64_t j, int64_t k, double *f);

/** The point that stands for point i, at most n - 1 beyond, of an axis of n points: across the ends of a periodic one;
 * its mirror image where there are walls. */
static inline int64_t fields_beside(int64_t i, int64_t n, bool walls)
{
    if (walls) return i < 0 ? -i : i < n ? i : 2 * (n - 1) - i;
    return ((i % n) + n) % n;
}
#endif
