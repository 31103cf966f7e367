#ifndef SW_PRIVATE_H
#define SW_PRIVATE_H
/* Files where somebody else may have put something first: a shared folder, a scratch disk, a cache. A file is opened to
 * be read only if it is one; a new file gets a name that nobody has guessed; a folder of this program's own is used
 * only if nobody else can write into it. */
#include <stdbool.h>
#include <stdio.h>

#include "base/sw_status.h"

/** A path with the home folder for a ~/ at its beginning, which no shell has seen that stands in quotes or in a config;
 * free with sw_free(). NULL if memory was out. */
char *sw_path_from_home(const char *path);

/** Open a file to read it. What is no file is refused before it is opened: a pipe would be waited for. What the caller
 * hands over as /dev/stdin or /dev/fd/N may be a pipe.
 * @param why  out: of a failure, "No such file or directory", "Is a directory"; valid until the next call
 * @return NULL: it failed */
FILE *sw_open_to_read(const char *path, const char **why);

/** Whether another program has a file open to write into it, and says so by a lock (flock), as HDF5 does. Until it is
 * closed it may look damaged. */
bool sw_open_elsewhere(const char *path);
#define SW_OPEN_ELSEWHERE \
    "is open in another program, which writes into it: close it there, then run the same command again"

/** Make an empty file FOLDER/.sweep-XXXXXX, of a name that was free, in the folder of a path.
 * @param beside  "results/a.h5": the folder is results; "results/": likewise
 * @param fd      out: open to write; NULL: it is closed again
 * @param path    out: free with sw_free(); NULL after a failure
 * @return SW_E_IO with the folder in its message; SW_E_MEMORY */
enum sw_status sw_private_file(const char *beside, int *fd, char **path);

/** What the name of such a file begins with. */
#define SW_PRIVATE_PREFIX ".sweep-"

/* Who else may write into a folder of this program's own. */
enum sw_trust { SW_TRUST_NOBODY, SW_TRUST_GROUP, SW_TRUST_ANYONE };

/** Set that for this process. Before any thread is started. */
void sw_set_trust(enum sw_trust trust);

/** Whether a folder is this program's own to write into, and to believe what is in it: it belongs to this user (or to
 * root), and nobody else may write into it. The user's own private group (of that user's name, with no other member) is
 * nobody else. With SW_TRUST_GROUP the folder may belong to a member of a group of ours, and that group may write into
 * it; with SW_TRUST_ANYONE nothing is asked. A symbolic link has to be this user's, or root's, and so has its end.
 * @return SW_OK: it is, or there is none; SW_E_REFUSED with the reason; SW_E_IO */
enum sw_status sw_private_folder_check(const char *folder);

/** The same, and open it, for openat() and the like: what is checked is what is used.
 * @param fd  out: to be closed; -1: there is none */
enum sw_status sw_private_folder_open(const char *folder, int *fd);

/** Whether a symbolic link may lead what is written to another place: it is this user's, or root's.
 * @return SW_OK: it may, or is none; SW_E_REFUSED with the reason */
enum sw_status sw_private_link_check(const char *link);

/** Make it if there is none, with mode 755 (775 with SW_TRUST_GROUP), less what the umask takes; and check it.
 * @param made  out: there was none */
enum sw_status sw_private_folder_make(const char *folder, bool *made);

/** Whether code may be run from a file, or a folder: it belongs to root, to this user, or to the owner of the program
 * itself, and nobody else may write into it (a private group is nobody else).
 * @param program  the path of the program
 * @return SW_E_REFUSED with the reason; SW_E_IO there is none */
enum sw_status sw_private_code_check(const char *path, const char *program);
#endif
