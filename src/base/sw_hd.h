#ifndef SW_HD_H
#define SW_HD_H
/* What C and CUDA C spell differently. Arithmetic used by both sides is one SW_HD static inline function in a
 * *_point.h file; those files are also embedded in the binary for run-time compilation, so they include nothing but
 * this one. */
#ifdef __CUDACC__
#define SW_HD __host__ __device__
#else
#define SW_HD
#endif
#ifdef __CUDACC_RTC__  /* which has no math.h */
#define INFINITY __int_as_float(0x7f800000)
#endif
#endif
