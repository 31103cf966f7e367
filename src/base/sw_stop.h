#ifndef SW_STOP_H
#define SW_STOP_H
/* A request to end, for loops over all runs or all files before and after a sweep computes, where nothing is lost by
 * leaving them. While it computes, its scheduler decides when to stop, and nobody watches here. */
#include <signal.h>

#include "base/sw_status.h"

/** Look at this from now on. @param request  not 0: somebody asked for an end; NULL: look at nothing */
void sw_stop_watch(const volatile sig_atomic_t *request);

/** @return SW_E_STOPPED if an end is asked for */
enum sw_status sw_stop_check(void);
#endif
