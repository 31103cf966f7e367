#ifndef SW_MATH_LIBRARY_H
#define SW_MATH_LIBRARY_H
/* Which C library computes sin, exp, pow, ... here, and to which bits: it picks its code for the processor when the
 * program starts, and versions, processors and GLIBC_TUNABLES differ in last digits. */

/** "glibc 2.36, avx512, bits 1c0ffee5": the library, what vector_math.h has of it ("scalar": nothing), and a hash of
 * 2000 values of each function that expressions call, for one value and for many. Where the whole text is the same, so
 * are the values; 1 ms the first time. */
const char *sw_math_library(void);
#endif
