#ifndef DOMAIN_H
#define DOMAIN_H
/* Runs whose grid is cut over ranks. Each has a slab of it, points that follow one another along one axis; or of a grid
 * in three dimensions a pencil, lines along x, cut along y and along z. Parts of the output hold slabs: the ranks that
 * have the same planes of pencils divide these among them before a field or a state is written.
 * A rank is a process that mpirun has started, or where there is one process, one of its devices. */
#include "comm/sw_comm.h"
#include "sweep/sw_sweep.h"

/* Over how many ranks each axis is cut. */
struct domain_shape { int ranks[SW_DIMS]; };

/** How a grid is cut over so many ranks: into slabs; into pencils, of the least surface, where the sweep wants those
 * or slabs get thin and pencils are thicker. @param n  points of the grid */
struct domain_shape domain_shape(const struct sw_sweep *sweep, const int64_t n[SW_DIMS], int ranks);
bool domain_has_pencils(const struct domain_shape *shape);

/** The points of the largest part of an axis of n points. */
int64_t domain_largest(int64_t n, int ranks);
/** n := the points of the largest part of such a grid. */
void domain_largest_part(const struct domain_shape *shape, int64_t n[SW_DIMS]);

/* The communicators of a rank beside that of all: those along the axes of pencils. */
struct domain_comms { struct sw_comm *along[SW_DIMS], *same_planes; };

/** Give a set-up of the whole grid the part of this rank. Collective.
 * @param comm       of the host; NULL: nothing is cut
 * @param on_device  the same ranks, for the memory of their devices (sw_comm_on_device())
 * @param comms      out, also on failure: those of the set-up; free with domain_comms_free()
 * @return SW_E_MEMORY, SW_E_COMM */
enum sw_status domain_cut(const struct domain_shape *shape, const struct sw_comm *comm, const struct sw_comm *on_device,
                          struct domain_comms *comms, struct sw_setup *setup);
/** All ranks do so when none of them uses the set-up any more. */
void domain_comms_free(struct domain_comms *comms);

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

/** The set-up of the slab that this rank stores: of pencils some planes along z, so that slabs follow one another in
 * the order of ranks; else that of the rank itself. */
struct sw_setup domain_slab(const struct sw_setup *setup);

/** Of fields that ranks have in pencils, the slab that this rank stores; and back. Collective.
 * @param element  bytes of a number
 * @param pencils  [fields][points of this rank]
 * @param slab     [fields][planes of its slab][whole y][whole x]
 * @return SW_E_MEMORY, SW_E_COMM */
enum sw_status domain_to_slab(const struct sw_setup *setup, size_t fields, size_t element, const void *pencils,
                              void *slab);
enum sw_status domain_from_slab(const struct sw_setup *setup, size_t fields, size_t element, const void *slab,
                                void *pencils);

/* Ranks take the same decisions: collective. comm NULL: there is but this rank. */

/** Whether it is so on any rank. A failure shows in the next operation. */
bool domain_any(const struct sw_comm *comm, bool here);
/** The number of the first rank, on all. Likewise. */
double domain_of_first(const struct sw_comm *comm, double here);
#endif
