#ifndef TRIDIAGONAL_H
#define TRIDIAGONAL_H
/* Between the files of the problem `tridiagonal`: tridiagonal.c has its keys and what is refused, tridiagonal_sim.c
 * solves the systems of a batch, tridiagonal_slices.c a system that does not fit the memory; tridiagonal_run.c has
 * what they share of a run. */
#include "linalg/sw_tridiagonal.h"
#include "problem/systems/system_sim.h"

enum { TRIDIAGONAL_LOWER, TRIDIAGONAL_MAIN, TRIDIAGONAL_UPPER, TRIDIAGONAL_RHS, TRIDIAGONAL_ARRAYS };
extern const struct system_keys tridiagonal_keys;

/** The shape of the systems of these runs. */
struct sw_tridiagonal_desc tridiagonal_describe(const struct sw_setup *setup, int64_t n, int batch);

enum sw_status tridiagonal_create(const struct sw_setup *setup, struct sw_device *device, struct sw_sim **sim);
enum sw_status tridiagonal_bytes(const struct sw_setup *setup, const struct sw_device *device,
                                 struct sw_batch_bytes *bytes);

/** As system_kind.describe() has it. */
enum sw_status tridiagonal_describe_entries(const struct sw_setup *setup, const struct system_source *source,
                                            struct system_given *given);
/** Whether rows or x go by way of another array on the host. */
bool tridiagonal_needs_staging(const struct sw_setup *setup);

/* Runs that are cut into slices (tridiagonal_slices.c): setup->cut > 0. */
int tridiagonal_deepest_cut(const struct sw_setup *setup, const struct sw_device *device);
const char *tridiagonal_row_of_slices(const struct sw_setup *setup, const struct sw_device *device);
enum sw_status tridiagonal_create_slices(const struct sw_setup *setup, struct sw_device *device, struct sw_sim **sim);
enum sw_status tridiagonal_slice_bytes(const struct sw_setup *setup, const struct sw_device *device,
                                       struct sw_batch_bytes *bytes);
#endif
