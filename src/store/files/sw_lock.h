#ifndef SW_LOCK_H
#define SW_LOCK_H
/* One writer at a time: an output file is locked by the process that computes it, on every machine that shares the file
 * system. The lock ends with the process, however that ends. */
#include <stdbool.h>

#include "base/sw_status.h"

struct sw_output_lock;

/** Lock an output file until it is unlocked or the process ends; makes the folder FILE.d/. What a dead process has left
 * half-written in it (part-NNNNNN.h5.tmp, .sweep-XXXXXX) is removed.
 * @return SW_E_REFUSED another process holds the lock (the message names host and pid), or somebody else may write into
 *         FILE.d (base/sw_private.h); SW_E_IO; SW_E_MEMORY */
enum sw_status sw_output_lock(const char *file, struct sw_output_lock **lock);
/** Share the lock with other processes of the same job, which call sw_output_lock_join(). The file stays locked until
 * the last of them has unlocked it or ended: nobody begins while a process that outlived this one still writes.
 * @return as sw_output_lock() */
enum sw_status sw_output_lock_share(struct sw_output_lock *lock);
/** Join a lock that another process of the job shares by now. @return as sw_output_lock() */
enum sw_status sw_output_lock_join(const char *file, struct sw_output_lock **lock);
/** Also removes FILE.d/ if nothing is left in it. NULL and *NULL are fine. */
void sw_output_unlock(struct sw_output_lock **lock);
/** Remove what a process that was killed has left of a file that is complete: its status, its lock, what it had half
 * written, and FILE.d/ if nothing else is in it; the same of a result that has replaced FILE, or was to, and has no
 * parts left. Where that cannot be done, it stays, and does no harm. */
void sw_output_tidy(const char *file);
#endif
