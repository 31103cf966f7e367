#ifndef SW_SNAPSHOT_H
#define SW_SNAPSHOT_H
/* Pictures of a state that is being computed: what snapshot() takes, and how many may be under way or unread at once.
 * Steppers and problems take them (problem/line/sw_stepper.h), the sweep writes them. */
enum { SW_SNAPSHOT_FIELD = 1, SW_SNAPSHOT_SCALARS = 2 };
enum { SW_SNAPSHOT_SLOTS = 3 };
#endif
