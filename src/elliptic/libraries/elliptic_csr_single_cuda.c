/* `cuda.csr` in single precision throughout. */
#define ELLIPTIC_SINGLE
#include "elliptic/libraries/elliptic_csr_cuda.c"
