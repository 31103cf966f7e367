#ifndef SW_OUTPUT_H
#define SW_OUTPUT_H
/* The output of a sweep: FILE.h5, and while the sweep runs its parts in FILE.h5.d/. Only the files *_hdf5.c, in the
 * folders of store, call HDF5.
 *
 *   sw_part.h        writes a part: results of some runs         sw_completed.h  what is done, and where to go on
 *   sw_merge.h       joins parts and files into one file         sw_lengthen.h   goes on with a finished file
 *   sw_run_table.h   reads the run table                         sw_xdmf.h       FILE.xdmf for ParaView
 *   sw_lock.h        one writer at a time                        sw_verify.h     is it what sweep wrote?
 *   sw_shards.h      names of the files of shards                sw_status_file.h  how far its writer is
 *
 * Parts and the final file have one schema (docs/reference/output.md), so one reader reads both, and merging is
 * joining.
 *
 * Several threads may each write a part of their own and read states (sw_part_*(), sw_checkpoint_read()): they take
 * turns, since the HDF5 library is not built for more than one. Everything else is for one thread at a time, while no
 * other thread does any of these. */
#include "store/catalog/sw_completed.h"
#include "store/merge/sw_lengthen.h"
#include "store/files/sw_lock.h"
#include "store/merge/sw_merge.h"
#include "store/sw_part.h"
#include "store/catalog/sw_run_table.h"
#include "store/files/sw_shards.h"
#include "store/sw_xdmf.h"

/* ---- output files as a whole */

/** Whether FILE may be replaced: nothing is there, or a file that this program has written, of whatever sweep.
 * @return SW_E_REFUSED it may not: it is damaged, not HDF5, another program's, or no file at all */
enum sw_status sw_output_check_replaceable(const char *file);
/** Whether its parts may be believed, and added to: nobody else can write into FILE.d (base/sw_private.h).
 * @return SW_E_REFUSED with the reason; SW_E_IO; SW_E_MEMORY */
enum sw_status sw_output_check_parts(const char *file);
/** Rename the parts that were found damaged to part-NNNNNN.h5.damaged, where they stay until FILE has all runs. The
 * caller holds the lock of FILE, or of the file that it is to replace. @return SW_E_IO; SW_E_MEMORY */
enum sw_status sw_output_set_damaged_aside(const struct sw_completed *completed);
/** Remove FILE and its parts, or only these (--force). What is not there is no failure. @return SW_E_IO */
enum sw_status sw_output_remove(const char *file);
enum sw_status sw_output_remove_parts(const char *file);
/** Fail because FILE is virtual and something is to be added to it: the message says what to do. @return
 * SW_E_REFUSED */
enum sw_status sw_output_refuse_virtual(const char *file);
/** The same because FILE has the statistics of its runs, and not their fields or scalars, of which those of more runs
 * would be formed. @return SW_E_REFUSED */
enum sw_status sw_output_refuse_dropped(const char *file);
/** Fail with SW_E_IO for a file that does not exist, nor any part of it: the message says which process computes it, or
 * that none does, and what to do. */
enum sw_status sw_output_fail_absent(const char *file);
#endif
