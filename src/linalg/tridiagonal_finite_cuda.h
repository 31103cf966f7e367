#ifndef TRIDIAGONAL_FINITE_CUDA_H
#define TRIDIAGONAL_FINITE_CUDA_H
/* What `check_solution` of rows on a CUDA device does. */
#include "linalg/sw_tridiagonal_impl.h"

/** Waits for the solve. Reads x once, 8 bytes an unknown.
 * @param room    [batch] in the memory of the device
 * @param finite  out [batch], on the host */
enum sw_status tridiagonal_finite_cuda(const struct sw_tridiagonal *solver, const double *x, bool *room, bool *finite);

/** The same for a method that may leave x finite where an entry of a row is infinite (1/inf is 0): whether x and all
 * entries are finite. 40 bytes an unknown. @param rows  of the solve */
enum sw_status tridiagonal_rows_finite_cuda(const struct sw_tridiagonal *solver, const struct sw_tridiagonal_rows *rows,
                                            const double *x, bool *room, bool *finite);
#endif
