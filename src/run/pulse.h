#ifndef PULSE_H
#define PULSE_H
/* A thread that does something small again and again, whatever holds up the one that made it: the sign of life of a
 * process whose main thread may wait for a file system. */
#include "base/sw_err.h"

struct pulse;

/** Call beat(user) every so many seconds. @return SW_E_MEMORY */
enum sw_status pulse_start(double every, void (*beat)(void *user), void *user, struct pulse **pulse);
/** Afterwards it beats no more. NULL and *NULL are fine. */
void pulse_stop(struct pulse **pulse);
#endif
