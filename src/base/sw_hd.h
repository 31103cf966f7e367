#ifndef SW_HD_H
#define SW_HD_H
/* What C and CUDA C spell differently. Arithmetic used by both sides is one SW_HD static inline function in a
 * *_point.h file; those files are also embedded in the binary for run-time compilation, so they include nothing but
 * this one. */
#ifdef __CUDACC__
#define SW_HD __host__ __device__
#define SW_HD_CALL __host__ __device__ __noinline__
#else
#define SW_HD
#define SW_HD_CALL
#endif
/* SW_HD_CALL: a function with arrays, on a GPU with memory of its own for them. Where NVRTC 13.0 joins such a function
 * into a loop of its caller, it may put these arrays over others that the loop's next turn still reads: two axes
 * between walls got the matrix of the first one's last row (tests/rows/problem/fields/test_field_rows_agree.c). */
#ifdef __CUDACC_RTC__  /* which has no math.h */
#define INFINITY __int_as_float(0x7f800000)
#endif
#endif
