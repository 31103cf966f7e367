#ifndef ELLIPTIC_TRANSFORM_CPU_H
#define ELLIPTIC_TRANSFORM_CPU_H
/* Products of a small dense matrix with every column of a field: levels to vertical modes and back. A slab of a field
 * is a matrix [nz][nx], so that a slab is a product of matrices. */
#include "elliptic/sw_elliptic.h"

/* Words of an nz x nz matrix that is packed for the products, and of a thread's scratch memory. */
size_t elliptic_packed_words(int64_t nz);
size_t elliptic_transform_scratch(int64_t nz);

/** Pack a matrix for the products.
 * @param x           [nz][nz]
 * @param transposed  whether x^T is multiplied with instead
 * @param packed      out [elliptic_packed_words()], 64-byte aligned, as is the scratch memory */
void elliptic_pack(int64_t nz, const double *x, bool transposed, double *packed);

/** to = X from, or to += X from: nz rows of nx words each. 2 nz operations a word; a sum is formed in the order of its
 * terms, whatever the machine.
 * @param from  row k at from + k*from_stride  @param to  row m at to + m*to_stride */
void elliptic_multiply(int64_t nz, int64_t nx, const double *packed, const double *from, int64_t from_stride,
                       double *to, int64_t to_stride, bool add, double *scratch);
#endif
