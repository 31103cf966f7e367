#ifndef LAPACK_CPU_H
#define LAPACK_CPU_H
/* LAPACK, loaded when a row is first used, so that the program needs it only then. */
#include "base/sw_status.h"

/** Find functions of LAPACK.
 * @param row        who asks, for the message: "cpu.lapack"
 * @param names      count names as the library spells them: "dgtsv_"
 * @param functions  out [count]: where they are. A function pointer may not be cast from void * in C, but POSIX says
 *                   that its bytes are the same: copy them
 * @return SW_E_ABSENT LAPACK, or one of the functions, is not on this machine */
enum sw_status sw_lapack_find(const char *row, int count, const char *const *names, void **functions);
#endif
