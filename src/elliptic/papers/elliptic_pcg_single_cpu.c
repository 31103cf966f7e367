/* Conjugate gradients on the CPU in single precision, and `cpu.pcg` by them. */
#define ELLIPTIC_SINGLE
#include "elliptic/elliptic_krylov.c"
#include "elliptic/papers/elliptic_pcg_cpu.c"
