#ifndef FILES_H
#define FILES_H
/* Names and fates of result files: FILE.h5, its parts FILE.h5.d/part-NNNNNN.h5, and what is still being written (.tmp).
 * No HDF5 here. */
#include <stdbool.h>
#include <stdint.h>

#include "base/sw_err.h"

/** SW_E_IO with the path and what errno says. */
enum sw_status sw_files_fail(const char *path);

/** "PATH.tmp" or the like, to be freed with sw_free(); NULL if memory is out. */
char *sw_files_name(const char *path, const char *suffix);

/** Is there something that is not finished of an output file, its folder FILE.d? */
bool sw_files_has_folder(const char *file);

/** The parts of an output file in the order of their numbers; free with sw_files_free_list(). No folder: none. */
enum sw_status sw_files_parts(const char *file, char ***path, int *count);
void sw_files_free_list(char ***path, int count);

/** A part that nobody can read is renamed to PART.damaged: it is none any more, and can be looked at. */
#define SW_FILES_DAMAGED ".damaged"
/** Remove the parts of an output file that were put aside so. No folder: none. */
enum sw_status sw_files_remove_damaged(const char *file);

/** Take the next free part number: makes the folder if need be, and an empty part-NNNNNN.h5.tmp that is ours alone.
 * @param turn, of  of several processes that write at once: only numbers that leave `turn` when divided by `of`, so
 *                  that no two can have one, however late a file system shows what another machine wrote; of <= 1: any
 * @param tmp       its path, to be freed with sw_free() */
enum sw_status sw_files_new_part(const char *file, int turn, int of, char **tmp);

/** The name of `to` seen from the folder of `file`, "../other/to.h5"; both folders exist. Free with sw_free(). */
enum sw_status sw_files_relative(const char *file, const char *to, char **relative);

/** Where what is written to a path goes: the end of the symbolic links that its name is the first of; else the path
 * itself. Nothing need be there yet. Free with sw_free(). @return SW_E_IO they go round in a circle; SW_E_MEMORY */
enum sw_status sw_files_follow(const char *path, char **real);

/** Fail where something has the path that is not a file: a folder, a device, a pipe. @return SW_E_IO */
enum sw_status sw_files_regular(const char *path);

/** Remove a .tmp that a killed writer of HDF5 has left. What is not there is no failure.
 * @return SW_E_REFUSED it begins like no such file: it is somebody else's, and stays; SW_E_IO */
enum sw_status sw_files_clear_tmp(const char *tmp);

/** Make the folders that lead to a path, like mkdir -p. */
enum sw_status sw_files_make_parents(const char *path);

/** Make NAME.tmp permanent under the name NAME: on disk before it has the name, and the name on disk on return. */
enum sw_status sw_files_commit(const char *tmp);

/** Rename a file that is on disk, and put the new name on disk.
 * @param apart  out: it failed because the two names are on different disks; may be NULL */
enum sw_status sw_files_move(const char *from, const char *to, bool *apart);

/** Which file has a path, and since when it is as it is: a change between two looks shows.
 * @return SW_E_IO there is none, or the system does not say */
struct sw_file_version { int64_t device, inode, bytes, seconds, nanoseconds; };
enum sw_status sw_files_version(const char *path, struct sw_file_version *mark);
bool sw_files_same_version(const struct sw_file_version *a, const struct sw_file_version *b);

/** What is not there is no failure. */
enum sw_status sw_files_remove(const char *path);
#endif
