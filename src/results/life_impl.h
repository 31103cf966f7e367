#ifndef LIFE_IMPL_H
#define LIFE_IMPL_H
/* Between life.c and life_file.c. */
#include <stdint.h>

/** When a process of this machine started, in ticks since the machine did; NAN: there is none. */
double life_process_started(int64_t pid);
#endif
