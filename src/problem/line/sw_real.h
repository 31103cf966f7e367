#ifndef SW_REAL_H
#define SW_REAL_H
/* The type that the arithmetic of recursive_point.h and fused_point.h is in: on the host double. The text of a kernel
 * has its own definition, float for steps in single precision (kernels_cuda.c). */
typedef double sw_real;
#endif
