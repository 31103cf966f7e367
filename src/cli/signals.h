#ifndef SIGNALS_H
#define SIGNALS_H
/* Signals that ask for a clean stop: each that would end the process, but for those that a fault raises. */
#include <signal.h>

extern volatile sig_atomic_t stop_signal;  /* the signal that asked for an end, else 0 */
/** Catch them from here on. A second SIGINT or SIGQUIT, half a second or more after the first, ends at once. */
void signals_catch(void);
#endif
