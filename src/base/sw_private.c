#include "base/sw_private.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_text.h"

/* ---- to read */

static bool begins(const char *path, const char *with) { return !strncmp(path, with, strlen(with)); }

char *sw_path_from_home(const char *path)
{
    const char *home = begins(path, "~/") ? getenv("HOME") : NULL;
    struct sw_text real = {0};
    sw_text_printf(&real, "%s%s", home ? home : "", home ? path + 1 : path);
    return sw_text_take(&real);
}

/* What the caller has opened: nobody can have put it there. */
static bool is_handed_over(const char *path)
{
    return begins(path, "/dev/fd/") || begins(path, "/proc/self/fd/") || !strcmp(path, "/dev/stdin");
}

FILE *sw_open_to_read(const char *path, const char **why)
{
    struct stat s;
    const bool any = is_handed_over(path);
    *why = "it is a device or a pipe, not a file";
    if (!any && !stat(path, &s) && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode)) return NULL;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | (any ? 0 : O_NONBLOCK));  /* returns at once, also of a pipe */
    FILE *file = NULL;
    const bool known = fd >= 0 && !fstat(fd, &s);
    if (known && S_ISDIR(s.st_mode)) *why = strerror(EISDIR);
    if (!known) *why = strerror(errno);
    else if (S_ISREG(s.st_mode) || (any && !S_ISDIR(s.st_mode))) {
        file = fdopen(fd, "rb");
        if (!file) *why = strerror(errno);
    }
    if (!file && fd >= 0) close(fd);
    return file;
}

bool sw_open_elsewhere(const char *path)
{
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const bool locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
    if (fd >= 0) close(fd);
    return locked;
}

/* ---- a new file */

/* Six of 62 letters and digits. */
static bool draw_name(char name[7])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    unsigned char byte[6];
    if (getrandom(byte, sizeof byte, 0) != (ssize_t)sizeof byte) return false;
    for (int k = 0; k < 6; k++) name[k] = letters[byte[k] % 62];
    name[6] = 0;
    return true;
}

static enum sw_status fail_beside(const char *beside, int length, int error)
{
    return SW_FAIL_ERRNO(SW_E_IO, error, "%s: a file beside it cannot be made in %.*s", beside, length ? length : 1,
                         length ? beside : ".");
}

enum sw_status sw_private_file(const char *beside, int *fd, char **path)
{
    enum { ATTEMPTS = 100 };
    const char *slash = strrchr(beside, '/');
    const int folder = slash ? (int)(slash - beside + 1) : 0;
    char name[7];
    *path = NULL;
    for (int k = 0; k < ATTEMPTS; k++) {
        struct sw_text text = {0};
        if (!draw_name(name)) return fail_beside(beside, folder, errno);
        sw_text_printf(&text, "%.*s" SW_PRIVATE_PREFIX "%s", folder, beside, name);
        if (!(*path = sw_text_take(&text))) return SW_FAIL(SW_E_MEMORY, "out of memory");
        const int made = open(*path, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0666);
        const int error = errno;
        if (made >= 0) {
            if (fd) *fd = made;
            else close(made);
            return SW_OK;
        }
        sw_free(*path);
        *path = NULL;
        if (error != EEXIST) return fail_beside(beside, folder, error);
    }
    return fail_beside(beside, folder, EEXIST);
}

/* ---- a folder of our own */

static enum sw_trust trusted;

void sw_set_trust(enum sw_trust trust) { trusted = trust; }

/* With umask 002, as Debian has it for users with a group of their own, that group may write into all they make. */
static bool is_private_group(uid_t owner, gid_t group)
{
    const struct passwd *user = getpwuid(owner);
    char name[256];
    if (!user || user->pw_gid != group) return false;
    snprintf(name, sizeof name, "%s", user->pw_name);
    const struct group *g = getgrgid(group);
    if (!g || strcmp(g->gr_name, name)) return false;
    for (char *const *member = g->gr_mem; *member; member++)
        if (strcmp(*member, name)) return false;
    return true;
}

static bool is_our_group(gid_t group)
{
    gid_t list[1024];
    const int count = getgroups((int)(sizeof list / sizeof *list), list);
    if (group == getegid()) return true;
    for (int k = 0; k < count; k++)
        if (list[k] == group) return true;
    return false;
}

/* The owner, as people know him. */
static const char *user_name(uid_t uid, char text[64])
{
    const struct passwd *user = getpwuid(uid);
    if (user) snprintf(text, 64, "%s", user->pw_name);
    else snprintf(text, 64, "user %lu", (unsigned long)uid);
    return text;
}

static bool is_own(uid_t owner) { return owner == geteuid() || owner == 0; }

static enum sw_status check_owner(const char *folder, const char *what, const struct stat *s)
{
    char owner[64];
    if (is_own(s->st_uid)) return SW_OK;
    if (trusted == SW_TRUST_GROUP && !S_ISLNK(s->st_mode) && is_our_group(s->st_gid)) return SW_OK;
    return SW_FAIL(SW_E_REFUSED, "%s %s to %s, who can put anything there: use another name, or see --trust",
                   folder, what, user_name(s->st_uid, owner));
}

static enum sw_status check_mode(const char *folder, const struct stat *s)
{
    if (s->st_mode & S_IWOTH)
        return SW_FAIL(SW_E_REFUSED, "%s may be written by anyone on this machine, who can put anything there: "
                       "chmod o-w, or see --trust", folder);
    if (!(s->st_mode & S_IWGRP) || is_private_group(s->st_uid, s->st_gid)) return SW_OK;
    if (trusted == SW_TRUST_GROUP && is_our_group(s->st_gid)) return SW_OK;
    const struct group *g = getgrgid(s->st_gid);
    return SW_FAIL(SW_E_REFUSED, "%s may be written by the group %s, which can put anything there: chmod g-w, or "
                   "--trust group", folder, g ? g->gr_name : "that it belongs to");
}

static enum sw_status fail_folder(const char *folder, int error)
{
    return error == ENOENT ? SW_OK : SW_FAIL_ERRNO(SW_E_IO, error, "%s", folder);
}

enum sw_status sw_private_folder_open(const char *folder, int *fd)
{
    struct stat s;
    *fd = -1;
    if (lstat(folder, &s)) return fail_folder(folder, errno == ENOTDIR ? ENOENT : errno);
    if (trusted != SW_TRUST_ANYONE && S_ISLNK(s.st_mode)) SW_TRY(check_owner(folder, "is a link that belongs", &s));
    if ((*fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0) return fail_folder(folder, errno);
    enum sw_status st = fstat(*fd, &s) ? SW_FAIL_ERRNO(SW_E_IO, errno, "%s", folder) : SW_OK;
    if (!st && trusted != SW_TRUST_ANYONE) st = check_owner(folder, "belongs", &s);
    if (!st && trusted != SW_TRUST_ANYONE) st = check_mode(folder, &s);
    if (!st) return SW_OK;
    close(*fd);
    *fd = -1;
    return st;
}

enum sw_status sw_private_folder_check(const char *folder)
{
    int fd;
    enum sw_status st = sw_private_folder_open(folder, &fd);
    if (fd >= 0) close(fd);
    return st;
}

enum sw_status sw_private_link_check(const char *link)
{
    struct stat s;
    if (trusted == SW_TRUST_ANYONE || lstat(link, &s) || !S_ISLNK(s.st_mode)) return SW_OK;
    return check_owner(link, "is a link that belongs", &s);
}

enum sw_status sw_private_folder_make(const char *folder, bool *made)
{
    *made = !mkdir(folder, trusted == SW_TRUST_NOBODY ? 0755 : 0775);
    if (*made) return SW_OK;
    if (errno != EEXIST && errno != EISDIR) return SW_FAIL_ERRNO(SW_E_IO, errno, "%s", folder);
    return sw_private_folder_check(folder);
}

/* ---- code */

enum sw_status sw_private_code_check(const char *path, const char *program)
{
    struct stat s, of_program;
    char owner[64];
    if (stat(path, &s)) return SW_FAIL_ERRNO(SW_E_IO, errno, "%s", path);
    const bool same = !stat(program, &of_program) && of_program.st_uid == s.st_uid;
    if (!is_own(s.st_uid) && !same)
        return SW_FAIL(SW_E_REFUSED, "%s belongs to %s, and is not run", path, user_name(s.st_uid, owner));
    if (s.st_mode & S_IWOTH || (s.st_mode & S_IWGRP && !is_private_group(s.st_uid, s.st_gid)))
        return SW_FAIL(SW_E_REFUSED, "%s may be written by others than its owner, and is not run: chmod go-w", path);
    return SW_OK;
}
