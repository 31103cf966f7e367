#ifndef SW_CAPTURE_H
#define SW_CAPTURE_H
/* Pictures of a state that is being computed: what capture() takes, and how many may be under way or unread at once.
 * Steppers and problems take them (stepper/sw_stepper.h), the sweep writes them. */
enum { SW_CAPTURE_FIELD = 1, SW_CAPTURE_SCALARS = 2 };
enum { SW_SLOTS = 3 };
#endif
