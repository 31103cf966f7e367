#ifndef SIMD_WALK_H
#define SIMD_WALK_H
/* How cpu.simd takes a run from step to step: fields with room for neighbours beyond their ends, cut into strips of
 * rows for right-hand sides and into tiles of columns for solves. A walker has the fields of a run; hands, one a
 * thread, have the programs. Either each walker has a hand of its own, or one walker has all hands, which then take
 * strips and tiles in turn: no value depends on which of them is where.
 *
 * The fields of a walk are [unknowns][z + 2 reach][y + 2 reach][pitch]. The pitch is a multiple of FIELDS_ALIGNED and
 * so long that what is behind a row's end is room for its neighbours there and for those before the next one's begin:
 * rows are evaluated one behind the other in full blocks, and what comes out between them is thrown away. Between walls
 * (walls.h) the neighbours are the points beyond them. */
#include "expr/sw_linear.h"
#include "expr/sw_shifted.h"
#include "problem/fields/fields_batch_cpu.h"
#include "problem/fields/team.h"
#include "problem/fields/tiles.h"

struct fields_layout {                /* in numbers                                                             */
    int       n[SW_DIMS], reach[SW_DIMS];
    ptrdiff_t pitch, plane, unknown;  /* from a row, a plane, an unknown to the next one                        */
    ptrdiff_t origin;                 /* of the first point of the first unknown                                */
    int       strip;                  /* rows of a strip: a multiple of FIELDS_ROWS                             */
};

/* What all threads share. */
struct fields_shape {
    const struct fields_desc  *desc;
    const struct fields_tiles *tiles;
    struct fields_layout       layout;
    struct fields_walls_desc   at_ends;        /* whose room is the layout                                     */
    int                        varies, cells;  /* points with CELL values: of a plane, or of all               */
    struct fields_varying      varying[FIELDS_VARYING_MOST];
    int                        same[FIELDS_VARYING_MOST];  /* the first of the same program                    */
    int                        slot[FIELDS_VARYING_MOST];  /* of an unknown at the point, of which alone it is a
                                                            * polynomial of degree 2 at most; 0: it is none    */
    bool                       sees[SW_DIMS];              /* programs name x, y, z                            */
    struct sw_shifted          shifted[SW_UNKNOWNS_MOST];  /* right-hand sides, without those that have noise  */
    struct { int low[SW_DIMS], high[SW_DIMS]; } box[SW_UNKNOWNS_MOST][SW_SHIFTED_PARTS];  /* of a part's places */
};

struct fields_hand;

struct fields_walker {
    const struct fields_shape *shape;
    struct fields_walk  walk;
    double             *u;             /* where the run is now                                                 */
    const double       *fresh;         /* of which field the neighbours beyond the ends are there              */
    struct fields_walls *walls;        /* NULL: all axes are periodic                                          */
    double             *raised;        /* v + G of a stage; NULL: no wall moves                                */
    double             *coordinate[SW_DIMS];  /* [cells], of those that programs name                          */
    double             *partial;       /* what strips or tiles have found                                      */
    double              most_of[FIELDS_VARYING_MOST];  /* largest values of those; NAN: not known              */
    struct fields_found *tile;         /* the same of unknowns, and of increments                              */
    struct fields_found found[SW_UNKNOWNS_MOST];  /* in all of them,                                           */
    const double       *measured;      /* of this field                                                        */
    const struct fields_stiffness *constant;
    struct fields_hand **hand;         /* one for each of the team                                             */
    struct fields_team *team;          /* NULL: one thread                                                     */
    bool                together;      /* the team takes the step at hand, not its first one alone             */
    int                 steps;         /* taken with a team                                                    */
    double              least_s[2];    /* seconds of one alone, together                                       */
    int                 columns;       /* of a tile                                                            */
    /* of the run begun */
    const double       *param;
    int64_t             stride;
    uint64_t            serial;        /* how many runs it has begun                                           */
};

/** All but `shifted`. @param shape  out: points to what is lent */
void fields_shape_of(const struct fields_desc *desc, struct fields_shape *shape);

/** Find what right-hand sides have at several points. @return SW_E_MEMORY; it is then to be destroyed, too */
enum sw_status fields_shape_share(struct fields_shape *shape);
void           fields_shape_destroy(struct fields_shape *shape);

/** Memory of a walker, of a hand, roughly. */
size_t fields_walker_bytes(const struct fields_shape *shape);
size_t fields_hand_bytes(const struct fields_shape *shape);

/** @return SW_E_MEMORY; they are then to be destroyed, too */
enum sw_status fields_walker_create(const struct fields_shape *shape, struct sw_owned *own, struct fields_walker *w);
void           fields_walker_destroy(struct fields_walker *w);
enum sw_status fields_hand_create(const struct fields_shape *shape, struct sw_owned *own, struct fields_hand **hand);
void           fields_hand_destroy(struct fields_hand *hand);
#endif
