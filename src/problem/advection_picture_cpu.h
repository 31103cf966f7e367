#ifndef ADVECTION_PICTURE_CPU_H
#define ADVECTION_PICTURE_CPU_H
/* What the CPU's row of `advection` measures and captures: operations of advection_ops. */
#include "problem/advection_impl.h"

enum sw_status advection_cpu_watch(struct advection_sim *a, const struct advection_part *part, int64_t step);
enum sw_status advection_cpu_capture(struct advection_sim *a, int slot, int what);
enum sw_status advection_cpu_fetch(struct advection_sim *a, int slot, const void **field, const double **scalars);
#endif
