#ifndef SWEEP_LADDER_H
#define SWEEP_LADDER_H
/* A ladder: an axis along which each run starts from the end of the one before it, a rung below. The other axes make
 * ladders side by side, which are computed together, rung by rung. "both" climbs all values and comes down again: the
 * sweep then has an axis `direction` more, of the words up and down. */
#include "sweep/sw_sweep.h"

struct axis;
struct ladder {                        /* sw_sweep_own.ladder; axis -1: there is none                               */
    int      axis, direction;          /* numbers of axes; direction -1: it goes one way                            */
    const struct sw_setting *setting;  /* sweep.NAME.ladder                                                         */
    int64_t  count;                    /* values                                                                    */
    int64_t *place, *value;            /* [count] the rung of value i, and which value rung k has, on the first way */
    struct ladder_link *link;          /* [nruns] where sweep.where leaves out points; NULL: it leaves out none     */
};

/** Link the runs that sweep.where has left. @return SW_E_MEMORY */
enum sw_status ladder_link(struct sw_sweep *s);

/** What of a child of the group `sweep` are the values of an axis: the child itself, or of a ladder its member.
 * @param axis    the number of the axis
 * @param values  out: NULL: it is refused */
void ladder_open(struct sw_sweep *s, const struct sw_setting *child, int axis, const struct sw_setting **values);

/** The axis `direction` of a ladder that goes both ways. @param added  out: false: there is none
 * @return SW_E_MEMORY */
enum sw_status ladder_add_direction(struct sw_sweep *s, struct axis *axis, bool *added);

/** Order the rungs, once axes are combined: sw_sweep.rungs. @return SW_E_MEMORY */
enum sw_status ladder_order(struct sw_sweep *s);

/** Refuse what changes along a ladder and must not: where the points are. @return SW_E_MEMORY */
enum sw_status ladder_check(struct sw_sweep *s);
#endif
