#ifndef SW_PROCESS_H
#define SW_PROCESS_H
/* Processes of this machine. */
#include <stdint.h>

/** When a process started, in ticks since the machine did: its number may be another's later. NAN: there is none. */
double sw_process_started(int64_t pid);
#endif
