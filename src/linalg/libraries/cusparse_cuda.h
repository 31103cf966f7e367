#ifndef CUSPARSE_CUDA_H
#define CUSPARSE_CUDA_H
/* cuSPARSE, 160 MB, which is loaded when a row that needs it is asked for; and its solvers of tridiagonal systems. */
#include "device/sw_device.h"

/** @param row      the row that needs the library; @param instead  the row to take without it: for the message
 *  @param name     functions, ends with NULL; symbol  out: as many
 *  @return SW_E_ABSENT no such library on this machine (the message says what to install), or it lacks a function */
enum sw_status sw_cusparse_load(const char *row, const char *instead, const char *const *name, void **symbol);

/* All arrays are in the memory of the device. Entry i of system j is at j*n + i, but for INTERLEAVED. */
enum sw_gtsv_method {
    SW_GTSV_STRIDED,      /* gtsv2StridedBatch, cyclic reduction and parallel cyclic reduction; does not pivot     */
    SW_GTSV_INTERLEAVED,  /* gtsvInterleavedBatch with the Thomas algorithm: entry i of system j is at i*batch + j;
                             does not pivot, and overwrites the matrix                                             */
    SW_GTSV_PIVOTING,     /* gtsv2, one system after another: SPIKE with diagonal pivoting                         */
    SW_GTSV_PLAIN         /* gtsv2_nopivot, one system after another: as SW_GTSV_STRIDED, made for large systems   */
};
struct sw_gtsv_desc {
    int n, batch;               /* n >= 3; n*batch < 2^31 but for the last two methods */
    enum sw_gtsv_method method;
    bool single;                /* of float: SW_GTSV_STRIDED only */
};
/* [n*batch] each, of double unless `single`. The first lower and last upper entry of a system are 0: the library asks
 * for it. */
struct sw_gtsv_matrix { void *lower, *main, *upper; };
struct sw_gtsv;

/** Allocates the library's work space.
 *  @param row, instead  as in sw_cusparse_load()
 *  @return SW_E_ABSENT no such library; SW_E_MEMORY; SW_E_CUDA */
enum sw_status sw_gtsv_create(const struct sw_gtsv_desc *desc, struct sw_device *device, const char *row,
                              const char *instead, struct sw_gtsv **solver);
/** @param matrix  unchanged but by SW_GTSV_INTERLEAVED
 *  @param x       right-hand sides in, solutions out. Queued on the device's compute stream */
enum sw_status sw_gtsv_solve(struct sw_gtsv *solver, const struct sw_gtsv_matrix *matrix, void *x);
void sw_gtsv_destroy(struct sw_gtsv **solver);

/** The work space that the library asks for on the thread's CUDA device; 0 where sw_gtsv_create() would fail before. */
size_t sw_gtsv_bytes(const struct sw_gtsv_desc *desc);
#endif
