/* One process at a time writes to an output file: it holds a lock on the folder of its parts, which the system drops when the
 * process ends, however it ends. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "sweep/execute_impl.h"

static enum sw_status make_folders(char *path)
{
    for (char *p = path + 1;; p++) {
        if (*p && *p != '/') continue;
        char end = *p;
        *p = 0;
        int failed = mkdir(path, 0777) && errno != EEXIST, reason = errno;
        if (failed) return SW_FAIL(SW_E_IO, "%s: cannot make this folder: %s", path, strerror(reason));
        *p = end;
        if (!end) return SW_OK;
    }
}

static enum sw_status lock_folder(const char *file, const char *path, int *claim)
{
    *claim = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*claim < 0) return SW_FAIL(SW_E_IO, "%s: %s", path, strerror(errno));
    /* some network file systems cannot lock a folder: then we go without */
    if (flock(*claim, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return SW_OK;
    close(*claim);
    *claim = -1;
    return SW_FAIL(SW_E_REFUSED, "another process is writing %s; wait for it (`sweep status %s`) or use -o FILE", file, file);
}

enum sw_status claim_take(const char *file, int *claim)
{
    struct sw_text text = {0};
    *claim = -1;
    sw_text_printf(&text, "%s.d", file);
    char *path = sw_text_take(&text);
    if (!path) return SW_FAIL(SW_E_MEMORY, "out of memory");
    enum sw_status st = make_folders(path);
    if (!st) st = lock_folder(file, path, claim);
    if (!st && access(path, W_OK)) {
        st = SW_FAIL(SW_E_IO, "%s: cannot write here: %s", path, strerror(errno));
        claim_release(*claim);
        *claim = -1;
    }
    sw_free(path);
    return st;
}

void claim_release(int claim)
{
    if (claim >= 0) close(claim);
}
