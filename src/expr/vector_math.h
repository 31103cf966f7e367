#ifndef VECTOR_MATH_H
#define VECTOR_MATH_H
/* sin, exp, pow, ... of many values, by the vector functions of the C library where it has them: glibc's libmvec on
 * x86-64, with AVX-512 or AVX2, loaded when first used. Errors are below 4 units in the last place. A value's bits do
 * not depend on what else is in the vector, nor on its place there. */
#include <stdbool.h>

/** out[i] = f(a[i]), or f(a[i], b[i]) for f of two arguments; out overlaps neither.
 *  @param name  of f in math.h, "sin"; a different `which`, below VECTOR_MATH_MOST, for each
 *  @return false: there is no such function here, and nothing was done */
bool vector_math(int which, const char *name, int arguments, int n, const double *a, const double *b, double *out);

/** The instructions of these functions, "avx512" or "avx2", once one has been called; "scalar": there are none. */
const char *vector_math_name(void);

enum { VECTOR_MATH_MOST = 64 };
#endif
