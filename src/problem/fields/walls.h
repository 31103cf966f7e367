#ifndef WALLS_H
#define WALLS_H
/* The walls of fields on a host: what their conditions are at a time, the points beyond them, and a field G that
 * fulfils those that move.
 *
 * An unknown lies in a room that has points beyond the ends of its axes: of x in any case, of y and z where there are
 * walls. They are filled one axis after the other, those of y for all x of the room, so that corners are beyond both.
 *
 * Increments of W-methods have conditions that are 0 (walls_point.h). Where conditions depend on time, u = v + G, and v
 * takes the steps with F(v + G) - G_t - R (w_run.h). G is Coons' sum: along each axis the polynomial that has the
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

struct fields_walls_desc {
    int                axes, unknowns;
    int64_t            n[SW_DIMS];
    bool               walls[SW_DIMS];         /* the axis ends, for all unknowns; else it is periodic  */
    int                beyond[SW_DIMS];        /* points that differences need beyond ends              */
    const bool       (*above_second)[SW_DIMS]; /* [unknowns]: two conditions count at each wall         */
    const struct fields_wall (*wall)[SW_DIMS][2];  /* [unknowns]                                        */
};

/** How an unknown with points beyond the ends lies: point (i, j, k) at `first` + i + j*step[1] + k*step[2]. */
struct fields_room { int64_t beyond[SW_DIMS], step[SW_DIMS], size, first; };
struct fields_room fields_room_of(const struct fields_walls_desc *d);

struct fields_walls;  /* of a thread */

/** Whether any condition of an unknown depends on time. */
bool fields_walls_move(const struct fields_walls_desc *d);

/** @param desc  copied, what it points to borrowed  @param own  its arrays
 *  @param walls  out: NULL where no axis has walls
 *  @return SW_E_MEMORY; it is then to be destroyed, too */
enum sw_status fields_walls_create(const struct fields_walls_desc *desc, struct sw_owned *own,
                                   struct fields_walls **walls);
void fields_walls_destroy(struct fields_walls *walls);
size_t fields_walls_bytes(const struct fields_walls_desc *desc);

/** Begin a run. @param param  number k of the run is param[k*stride] */
void fields_walls_begin(struct fields_walls *walls, const struct sw_grid *grid, const double *param, int64_t stride);

/** Fill what lies beyond the ends of unknown v, and what is given at walls, at time t. @param walls  NULL: periodic
 * @param u  a room whose points inside are set */
void fields_walls_fill(struct fields_walls *walls, const struct fields_walls_desc *d, int v, double t, double *u);

/** Set what is given at walls, at time t; or to 0. @param u  [unknowns][z][y][x] */
void fields_walls_impose(struct fields_walls *walls, double t, double *u);
void fields_walls_clear(struct fields_walls *walls, double *u);

/** Begin a step: R. @param b, c  [stages] of the method */
void fields_walls_begin_step(struct fields_walls *walls, double t, double dt, int stages, const double *b,
                             const double *c);

/** u += factor G(t), or factor (G_t(t) + R), of unknown v where its conditions move. @param u  [z][y][x] of it */
void fields_walls_lift(struct fields_walls *walls, int v, double t, bool rate, double factor, double *u);

/** The point that stands for point i, at most n - 1 beyond, of an axis of n points: across the ends of a periodic one;
 * its mirror image where there are walls. */
static inline int64_t fields_beside(int64_t i, int64_t n, bool walls)
{
    if (walls) return i < 0 ? -i : i < n ? i : 2 * (n - 1) - i;
    return ((i % n) + n) % n;
}
#endif
