#ifndef TEAM_H
#define TEAM_H
/* Threads that take the tasks of one short pass after the other together. A pass of a run takes 10 to 100 us, and a
 * step has two dozen of them: helpers look for the next one for some 80 us before they sleep, and nobody waits for a
 * helper that has taken nothing: where the processor has something else to do, the caller does all of it. Of two
 * threads one takes tasks from the first on, the other from the last, so that each finds in its cache what it had there
 * in the pass before. */
#include "base/sw_status.h"

struct fields_team;

/** @param threads  the caller's included; where the system gives fewer, these have to do
 *  @param team     out: NULL on failure
 *  @return SW_E_MEMORY */
enum sw_status fields_team_create(int threads, struct fields_team **team);
void           fields_team_destroy(struct fields_team **team);

/** Call work(user, thread, k) for k = 0 .. count - 1, thread 0 being the caller's; all of them are done when it
 * returns. One thread at a time may call it. */
void fields_team_each(struct fields_team *team, int count, void (*work)(void *user, int thread, int k), void *user);
#endif
