/* `cpu.interleaved` in single precision. */
#define ELLIPTIC_SINGLE
#include "elliptic/papers/elliptic_interleaved_cpu.c"
