#ifndef ELLIPTIC_JUDGE_H
#define ELLIPTIC_JUDGE_H
/* What forms residuals in double precision for the rows on the CPU that compute in single. */
#include "elliptic/elliptic_refine.h"

struct elliptic_judge;

/** @param own  gets it, and its arrays  @return NULL where `own` only counts, or has failed */
struct elliptic_judge *elliptic_judge_make(const struct sw_elliptic_desc *desc, int threads, struct sw_owned *own);

/** elliptic_refine() of a system that was loaded. */
enum sw_status elliptic_judge_solve(struct elliptic_judge *judge, const struct sw_elliptic *solver, int system,
                                    const double *f, double *u, struct sw_elliptic_outcome *outcome, double *history,
                                    int most, elliptic_method *method, void *context);
#endif
