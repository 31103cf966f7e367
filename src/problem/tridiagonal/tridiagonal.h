#ifndef TRIDIAGONAL_H
#define TRIDIAGONAL_H
/* Between the files of the problem `tridiagonal`: tridiagonal.c has its keys and what is refused, tridiagonal_sim.c
 * solves the systems of a batch, tridiagonal_slices.c a system that does not fit the memory; tridiagonal_run.c has
 * what they share of a run. */
#include "linalg/sw_tridiagonal.h"
#include "problem/sw_problem.h"
#include "problem/tridiagonal/measure.h"
#include "problem/tridiagonal/source.h"

/** The shape of the systems of these runs. */
struct sw_tridiagonal_desc tridiagonal_describe(const struct sw_setup *setup, int64_t n, int batch);

/** A number key of run j. @param column  [ncolumn][ld] */
double tridiagonal_number(const struct sw_setup *setup, const char *path, int64_t ld, const double *column, int64_t j);

enum sw_status tridiagonal_create(const struct sw_problem *problem, const struct sw_setup *setup,
                                  struct sw_device *device, struct sw_sim **sim);
enum sw_status tridiagonal_bytes(const struct sw_problem *problem, const struct sw_setup *setup,
                                 const struct sw_device *device, struct sw_batch_bytes *bytes);
enum sw_status tridiagonal_try_compile(const struct sw_problem *problem, const struct sw_setup *setup, int sm);

/** @param source  out: NULL: there is none
 *  @return SW_E_IO something has happened to a file since the config was checked; SW_E_MEMORY */
enum sw_status tridiagonal_find_source(const struct sw_setup *setup, const struct tridiagonal_source **source);
/** Where the entries come from. @param own  out: the programs of a matrix with a name, to be destroyed, also where it
 * fails */
enum sw_status tridiagonal_describe_entries(const struct sw_setup *setup, const struct tridiagonal_source *source,
                                            struct sw_program *own[3], struct tridiagonal_entries_desc *desc);
/** Whether rows or x go by way of another array on the host. */
bool tridiagonal_needs_staging(const struct sw_setup *setup);

/** What is recorded of a run, of all that was measured; and what is said of it. @param record  [SW_DIAGNOSTICS] */
void tridiagonal_record(const struct tridiagonal_sums *sums, double *record);
void tridiagonal_warn_result(const struct sw_sim *sim, int j, const double *record, bool finite, struct sw_text *text);

/* Runs that are cut into slices (tridiagonal_slices.c): setup->cut > 0. */
int tridiagonal_deepest_cut(const struct sw_setup *setup, const struct sw_device *device);
const char *tridiagonal_row_of_slices(const struct sw_setup *setup, const struct sw_device *device);
enum sw_status tridiagonal_create_slices(const struct sw_setup *setup, struct sw_device *device, struct sw_sim **sim);
enum sw_status tridiagonal_slice_bytes(const struct sw_setup *setup, const struct sw_device *device,
                                       struct sw_batch_bytes *bytes);
#endif
