/* Whether there is room for the output where it is to go. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/sw_mem.h"
#include "cli/cli_impl.h"

/* What there is already of the way to a file: its folder, or the one in which that will be made. The caller frees it;
 * NULL if memory is out. */
static char *folder_of(const char *file)
{
    char *at = sw_strdup(file);
    struct stat is;
    for (char *slash; at && (slash = strrchr(at, '/')) != NULL;) {
        if (slash == at) slash++;  /* "/" */
        *slash = 0;
        if (!stat(at, &is) || !strcmp(at, "/")) return at;
    }
    sw_free(at);
    return sw_strdup(".");
}

void cli_room(const struct sw_cli *cli, const struct sw_plan *plan, const char *file,
              void (*say)(const struct sw_cli *cli, const char *fmt, ...))
{
    char *folder = folder_of(file), room[24], size[24];
    struct statvfs disk;
    if (!folder || !plan->nbatch) {
        sw_free(folder);
        return;
    }
    if (access(folder, W_OK | X_OK)) say(cli, "note     nothing can be written in %s: %s\n", folder, strerror(errno));
    else if (!statvfs(folder, &disk)) {
        const double left = (double)disk.f_bavail * (double)disk.f_frsize, wanted = plan->output_bytes;
        if (left < wanted)
            say(cli, "note     the disk of %s has room for %s; the output takes about %s\n", folder,
                cli_bytes(left, room), cli_bytes(wanted, size));
        else if (left < 2 * wanted && plan->nbatch > 1)
            say(cli, "note     the disk of %s has room for %s; the output takes about %s, and while its parts are "
                "joined twice that\n", folder, cli_bytes(left, room), cli_bytes(wanted, size));
    }
    sw_free(folder);
}
