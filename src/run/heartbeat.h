#ifndef HEARTBEAT_H
#define HEARTBEAT_H
/* A thread that tells other ranks that this one is alive, though its main thread may be busy. */
#include "base/sw_status.h"

struct heartbeat;

/** @param send   called every 5 s for each rank first .. end - 1, on the thread of the heartbeat
 *  @param beat   out: NULL on failure  @return SW_E_MEMORY */
enum sw_status heartbeat_start(int first, int end, void (*send)(int rank), struct heartbeat **beat);
void heartbeat_stop(struct heartbeat **beat);  /* nothing is sent afterwards; may be called again */
#endif
