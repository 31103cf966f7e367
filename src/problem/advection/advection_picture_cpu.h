#ifndef ADVECTION_PICTURE_CPU_H
#define ADVECTION_PICTURE_CPU_H
/* What the CPU's row of `advection` measures and snapshots: operations of advection_ops. */
#include "problem/advection/advection_impl.h"

/** Note a Courant number of run j at this step; threads may at once. */
void advection_cpu_note(const struct advection_sim *a, int j, int64_t step, double courant);
enum sw_status advection_cpu_snapshot(struct advection_sim *a, int slot, int what);
enum sw_status advection_cpu_fetch(struct advection_sim *a, int slot, const void **field, const double **scalars);
#endif
