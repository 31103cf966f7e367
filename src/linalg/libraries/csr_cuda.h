#ifndef CSR_CUDA_H
#define CSR_CUDA_H
/* Sparse matrices in compressed rows by cuSPARSE, and vectors by cuBLAS, as one would write conjugate gradients with
 * the libraries: a baseline. Both are loaded when a row asks for them. */
#include <stdint.h>

#include "device/sw_device.h"

/* A square matrix in the memory of the device. Indices, from 0 on, are int32_t where sw_csr_narrow() says so, else
 * int64_t. */
struct sw_csr_matrix {
    int64_t rows, entries;
    bool    single;      /* values, and vectors, are of float, else of double */
    void   *offsets;     /* [rows + 1] */
    void   *columns;     /* [entries]  */
    void   *values;      /* [entries]  */
};
struct sw_csr;

/** Whether 32 bits count its entries. */
bool sw_csr_narrow(int64_t entries);

/** Allocates the libraries' work space.
 * @param matrix       shape and arrays, which stay the caller's; what is in them is looked at by sw_csr_prepare()
 * @param row, instead  as in sw_cusparse_load()
 * @return SW_E_ABSENT no such library; SW_E_MEMORY; SW_E_CUDA */
enum sw_status sw_csr_create(const struct sw_csr_matrix *matrix, struct sw_device *device, const char *row,
                             const char *instead, struct sw_csr **csr);
/** Once after the matrix was written: what the library works out before the first product. */
enum sw_status sw_csr_prepare(struct sw_csr *csr);
/** y = A x, by the library's way whose bits repeat. */
enum sw_status sw_csr_apply(struct sw_csr *csr, const void *x, void *y);
/** *sum = <x, y>, formed in the precision of the vectors; waits. */
enum sw_status sw_csr_dot(struct sw_csr *csr, const void *x, const void *y, double *sum);
/** y = alpha x + beta y, in as few calls of level 1 as there are; what is multiplied by 0 is not looked at. */
enum sw_status sw_csr_combine(struct sw_csr *csr, double alpha, const void *x, double beta, void *y);
void sw_csr_destroy(struct sw_csr **csr);

/** What the libraries take for such a matrix on the thread's CUDA device; 0 where sw_csr_create() would fail before. */
size_t sw_csr_bytes(int64_t rows, int64_t entries, bool single);
#endif
