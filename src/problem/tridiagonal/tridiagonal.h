#ifndef TRIDIAGONAL_H
#define TRIDIAGONAL_H
/* Between the files of the problem `tridiagonal`: tridiagonal.c has its keys and what is refused, tridiagonal_sim.c
 * solves the systems of a batch. */
#include "linalg/sw_tridiagonal.h"
#include "problem/sw_problem.h"

/** The shape of the systems of these runs. */
struct sw_tridiagonal_desc tridiagonal_describe(const struct sw_setup *setup, int64_t n, int batch);

/** A number key of run j. @param column  [ncolumn][ld] */
double tridiagonal_number(const struct sw_setup *setup, const char *path, int64_t ld, const double *column, int64_t j);

enum sw_status tridiagonal_create(const struct sw_problem *problem, const struct sw_setup *setup,
                                  struct sw_device *device, struct sw_sim **sim);
enum sw_status tridiagonal_bytes(const struct sw_problem *problem, const struct sw_setup *setup,
                                 const struct sw_device *device, size_t *fixed, size_t *per_run);
size_t tridiagonal_host_bytes(const struct sw_setup *setup);
#endif
