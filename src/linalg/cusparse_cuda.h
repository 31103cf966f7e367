#ifndef CUSPARSE_CUDA_H
#define CUSPARSE_CUDA_H
/* cuSPARSE, 160 MB, which is loaded when a row that needs it is asked for; and its solvers of many tridiagonal systems
 * of one size. */
#include <stdbool.h>

#include "device/sw_device.h"

/** @param row      the row that needs the library; @param instead  the row to take without it: for the message
 *  @param name     functions, ends with NULL; symbol  out: as many
 *  @return SW_E_ABSENT no such library on this machine (the message says what to install), or it lacks a function */
enum sw_status sw_cusparse_load(const char *row, const char *instead, const char *const *name, void **symbol);

/* Without pivoting: gtsv2StridedBatch (cyclic reduction and parallel cyclic reduction; one system after another, entry
 * i of system j at j*n + i) and gtsvInterleavedBatch with the Thomas algorithm (entry i of system j at i*batch + j).
 * All arrays are in the memory of the device. */
struct sw_gtsv_desc {
    int  n, batch;      /* n >= 3; n*batch < 2^31                                                      */
    bool interleaved;
};
struct sw_gtsv;

/** Allocates the library's work space.
 *  @param matrix  [3][n*batch]: lower, main, upper diagonals; the first lower and last upper entry of a system are 0.
 *                 Borrowed. An interleaved solve overwrites it
 *  @param row, instead  as in sw_cusparse_load()
 *  @return SW_E_ABSENT no such library; SW_E_MEMORY; SW_E_CUDA */
enum sw_status sw_gtsv_create(const struct sw_gtsv_desc *desc, struct sw_device *device, double *matrix,
                              const char *row, const char *instead, struct sw_gtsv **solver);
/** @param x  right-hand sides in, solutions out. Queued on the device's compute stream */
enum sw_status sw_gtsv_solve(struct sw_gtsv *solver, double *x);
void sw_gtsv_destroy(struct sw_gtsv **solver);
#endif
