#ifndef SW_FILES_H
#define SW_FILES_H
/* The files of an output in the file system: FILE.h5, its parts FILE.h5.d/part-NNNNNN.h5, and files that are still
 * being written (part-NNNNNN.h5.tmp, .sweep-XXXXXX): their names, and how they are made permanent, renamed and removed.
 * No HDF5 here. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/sw_checksum.h"
#include "base/sw_status.h"

/** SW_E_IO with the path and what errno says. */
enum sw_status sw_files_fail(const char *path);

/** "PATH.tmp" or the like, to be freed with sw_free(); NULL if memory is out. */
char *sw_files_name(const char *path, const char *suffix);

/** Whether an output file has a folder FILE.d, with results that are not finished. */
bool sw_files_has_folder(const char *file);

/** The parts of an output file in the order of their numbers; free with sw_files_free_list(). No folder: none. */
enum sw_status sw_files_parts(const char *file, char ***path, int *count);
void sw_files_free_list(char ***path, int count);

/** A part that cannot be read is renamed to PART.damaged: it does not count any more, and can be inspected. */
#define SW_FILES_DAMAGED ".damaged"
/** @param aside  out: its new name, to be freed with sw_free(); NULL after a failure, and where it is gone already
 * @return SW_E_IO, SW_E_MEMORY */
enum sw_status sw_files_set_aside(const char *part, char **aside);
/** Remove the parts of an output file that were renamed so. No folder: none. */
enum sw_status sw_files_remove_damaged(const char *file);

/** Claim the next free part number: makes the folder if need be, and an empty part-NNNNNN.h5.tmp that is ours alone.
 * @param turn, of  of several processes that write at once: only numbers that leave `turn` when divided by `of`, so
 *                  that no two processes claim one number, however late a file system shows what another machine wrote;
 *                  of <= 1: any
 * @param least     the number is not below; 0: it is above all that are there
 * @param tmp       its path, to be freed with sw_free() */
enum sw_status sw_files_new_part(const char *file, int turn, int of, long least, char **tmp);
/** The largest part number in use. @param last  out: 0: there are no parts, or no folder of them */
enum sw_status sw_files_last_part(const char *file, long *last);

/** Follow symbolic links to the path of the file itself; it need not exist yet. Free with sw_free().
 * @param to_write  it is going to be written: a link of somebody else would say where
 * @return SW_E_REFUSED such a link belongs to somebody else (base/sw_private.h); SW_E_IO they go round in a circle;
 *         SW_E_MEMORY */
enum sw_status sw_files_follow(const char *path, bool to_write, char **real);

/** Fail if a folder, a device or a pipe has the path. @return SW_E_IO */
enum sw_status sw_files_regular(const char *path);
/** Whether nothing has this name. Where the system cannot say, something may have it: what is there is not written
 * over, and what was done is not done twice. */
bool sw_files_absent(const char *path);

/** "FOLDER/.sweep-NAMEsuffix" of an output FOLDER/NAME: what takes its place one day. NULL if memory is out. */
char *sw_files_beside(const char *file, const char *suffix);

/** Fail if there is something that is no file, or no file of this user. @return SW_E_REFUSED, SW_E_IO */
enum sw_status sw_files_check_own(const char *path);

/** Make an empty file that is to take the name of an output, whose lock is held: FILE.d/.sweep-XXXXXX, or, where FILE.d
 * leads to another disk, .sweep-XXXXXX beside FILE (sw_private_file() makes that also for files without a lock).
 * @param tmp  its path, to be freed with sw_free() */
enum sw_status sw_files_new(const char *file, char **tmp);

/** Make the folders that lead to a path, like mkdir -p; they are on disk on return. */
enum sw_status sw_files_make_parents(const char *path);

/** Make a folder of this program's own, or check it (sw_private_folder_make()); it is on disk on return. */
enum sw_status sw_files_make_own_folder(const char *folder);

/** Put what was written through a descriptor on disk, and close it. That one is synced, and no other that the file is
 * opened with again: a failure to write is told to those that were open at the time.
 * @param sealed     out: its fd is -1
 * @param read_back  compare what the disk holds (sw_checksum_read_back())
 * @return SW_E_IO also where it holds other bytes; closed all the same */
enum sw_status sw_files_sync(struct sw_sealed *sealed, const char *path, bool read_back);
/** Compare what the disk holds of a part that is on disk. @return as sw_checksum_read_back() */
enum sw_status sw_files_read_back(const char *path);
/** Put what was written to a stream on disk, and close it. */
enum sw_status sw_files_end_text(FILE *to, const char *path);

/** Give a part NAME.tmp, which is on disk, the name NAME, and put that on disk. */
enum sw_status sw_files_commit(const char *tmp);

/** Rename a file that is on disk, and put the new name on disk.
 * @param apart  out: it failed because the two names are on different disks; may be NULL */
enum sw_status sw_files_move(const char *from, const char *to, bool *apart);

/** The identity of a file and the time of its last change: they differ after a change.
 * @return SW_E_IO there is none, or the system does not say */
struct sw_file_version { int64_t device, inode, bytes, seconds, nanoseconds; };
enum sw_status sw_files_version(const char *path, struct sw_file_version *mark);
bool sw_files_same_version(const struct sw_file_version *a, const struct sw_file_version *b);
/** A number that changes when FILE or one of its parts comes, goes or changes. */
enum sw_status sw_files_mark(const char *file, uint64_t *mark);

/** flock(fd, how) at once, in several tries: who asks whether a file is locked holds its lock for an instant.
 * @param how  LOCK_EX, LOCK_SH  @return 0, or -1 with errno (EWOULDBLOCK: another has it) */
int sw_files_lock_soon(int fd, int how);
/** Whether a process holds the lock on FILE.d/lock now, whatever its number is here (it may be in another container).
 * False also where the system cannot say. */
bool sw_files_is_locked(const char *file);

/** Remove a folder FILE.d unless something is in it; FILE.d/index (part_index.h) alone is nothing. Where it cannot be
 * removed it stays. */
void sw_files_remove_empty(const char *folder);

/** What is not there is no failure. */
enum sw_status sw_files_remove(const char *path);
#endif
