/* `cpu.csr` in single precision, with LAPACK's sgttrf and sgttrs. */
#define ELLIPTIC_SINGLE
#include "elliptic/libraries/elliptic_csr_cpu.c"
