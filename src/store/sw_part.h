#ifndef SW_PART_H
#define SW_PART_H
/* Writing a part of an output file: some runs of one group over a slice of their output times.
 *
 * A part is written to part-NNNNNN.h5.tmp and becomes permanent as part-NNNNNN.h5 by fsync, rename, fsync of the
 * folder: a part that has this name is whole. A batch that ends without a checkpoint is one part, or with
 * others that are small and of the same group (run/gather.h); a batch that was stopped or checkpointed is a chain of
 * parts, and each but the last has the state that the next goes on from. */
#include <stddef.h>
#include <stdint.h>

#include "base/sw_status.h"
#include "store/sw_provenance.h"
#include "sweep/sw_run_result.h"
#include "sweep/sw_sweep.h"

/* Of runs whose grids are cut over ranks, each of which writes a part of its own: the part has points first .. first +
 * count - 1 along the last axis that has more than one. Parts of one batch are a chain in the order of ranks, and the
 * last one has the results. Of a state `fields` fields come first, and `behind` last, which are cut likewise; what is
 * between them all slabs have alike (struct sw_state_shape). */
struct sw_part_slab { int rank, ranks; int64_t first, count, fields, behind; };

/* What the runs of a part go on from: [count][size] numbers at a step. Of runs that have ended it is stored beside
 * their results, and a longer sweep goes on from it. */
struct sw_part_state { double *number; size_t size; int64_t step; bool ended; };

struct sw_part_desc {
    const struct sw_sweep *sweep;
    const struct sw_group *group;
    const int64_t *run;                 /* [count] indices of the runs, ascending */
    const uint64_t *id;                 /* [count] their ids */
    int     count;
    int     field_first, scalar_first;  /* the first output of the group that is in this part */
    int64_t *infinite;                  /* [count] in, out: how many numbers of each run its fields hold as infinite, in
                                           single precision. Fields of the part are added to it; NULL: not wanted    */
    struct sw_part_slab slab;           /* ranks 0: the part has whole grids */
    long    least;                      /* number of the part; 0: above those that are there */
    int     turn, of;                   /* process `turn` of the `of` that write to the file at once; 0, 0: alone */
    bool    alone;                      /* the runs go on from an earlier part: no others are in this one */
};
struct sw_part;

/** Begin the next free part of an output file's folder (made if missing).
 * @param file  "results/ch.h5": parts go to "results/ch.h5.d/"
 * @param desc  all it points to must stay as long as the part
 * @return SW_E_IO with the path and the system's reason; SW_E_MEMORY */
enum sw_status sw_part_create(const char *file, const struct sw_part_desc *desc, const struct sw_provenance *provenance,
                              struct sw_part **part);
/** Append the next saved field; of slabs, the slab: [count][points] float (sweep->single_fields) or double; the
 * fields of a problem with several follow one another. Copied. NULL: all NaN. */
enum sw_status sw_part_add_field(struct sw_part *part, const void *field);
/** Append points first .. first + count - 1 of the next saved field, of a part of one run on a line whose group is cut
 * (struct sw_group); the last piece ends the field. Copied. */
enum sw_status sw_part_add_piece(struct sw_part *part, const void *piece, int64_t first, int64_t count);
/** Append the next entry of the scalar series: [count][scalars of the problem] and [count][sweep->ndefined]. Copied.
 * NULL: all NaN. */
enum sw_status sw_part_add_scalars(struct sw_part *part, const double *scalars, const double *defined);
/** Write the histories of all runs: [count][entries], NaN behind the last of each. entries: at least 1. Once, of a part
 * with which runs end. */
enum sw_status sw_part_add_history(struct sw_part *part, const double *history, int64_t entries);
/** Write the run table and the state; then make the part permanent and free it.
 * @param result  [count]; status SW_RUN_PENDING for runs that go on
 * @param state   NULL: none
 * @return SW_E_IO, SW_E_MEMORY: nothing is left behind */
enum sw_status sw_part_commit(struct sw_part **part, const struct sw_run_result *result,
                              const struct sw_part_state *state);
/** Remove a part that is not finished. NULL and *NULL are fine. */
void sw_part_abandon(struct sw_part **part);
#endif
