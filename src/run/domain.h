#ifndef DOMAIN_H
#define DOMAIN_H
/* Runs whose grid is cut over ranks: each has a slab of it, points that follow one another along one axis.
 * A rank is a process that mpirun has started, or where there is one process, one of its devices. */
#include "comm/sw_comm.h"
#include "problem/sw_problem.h"

/** The points of the largest slab, of n along the axis. */
int64_t domain_largest(int64_t n, int ranks);

/** Give a set-up of the whole grid the slab of this rank.
 * @param comm       of the host; NULL: nothing is cut
 * @param on_device  the same ranks, for the memory of their devices (sw_comm_on_device()) */
void domain_cut(const struct sw_problem *problem, const struct sw_comm *comm, const struct sw_comm *on_device,
                struct sw_setup *setup);

/** Run `part` on groups of as many ranks. The processes of comm form the groups, where there are several, and each
 * calls it once with the communicator of its group; else one group of threads of this process does.
 * @return as sw_comm_run() */
enum sw_status domain_run(const struct sw_comm *comm, int ranks, sw_comm_part *part, void *context);

/** Of lines that each rank has its part of, the whole ones, on every rank. Collective.
 * @param setup   of this rank
 * @param mine    [lines][points that are here]
 * @param all     out [lines][points of the whole line]
 * @return SW_E_MEMORY, SW_E_COMM */
enum sw_status domain_gather_lines(const struct sw_setup *setup, size_t lines, const double *mine, double *all);

/* Ranks take the same decisions: collective. comm NULL: there is but this rank. */

/** Whether it is so on any rank. A failure shows in the next operation. */
bool domain_any(const struct sw_comm *comm, bool here);
/** The number of the first rank, on all. Likewise. */
double domain_of_first(const struct sw_comm *comm, double here);
#endif
