#ifndef SIGNALS_H
#define SIGNALS_H
/* Signals that ask for a clean stop. */
#include <signal.h>

extern volatile sig_atomic_t stop_signal;  /* the signal that asked for an end, else 0 */
void signals_catch(void);
#endif
