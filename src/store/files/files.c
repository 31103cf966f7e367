#include "store/files/sw_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_hash.h"
#include "base/sw_mem.h"
#include "base/sw_private.h"
#include "base/sw_text.h"

enum sw_status sw_files_fail(const char *path)
{
    return SW_FAIL_ERRNO(SW_E_IO, errno, "%s", strcmp(path, ".") ? path : "this folder (.)");
}

char *sw_files_name(const char *path, const char *suffix)
{
    struct sw_text t = {0};
    sw_text_add(&t, path);
    sw_text_add(&t, suffix);
    return sw_text_take(&t);
}

bool sw_files_has_folder(const char *file)
{
    char *folder = sw_files_name(file, ".d");
    const bool there = folder && !access(folder, F_OK);
    sw_free(folder);
    return there;
}

/* The number in "part-000012.h5" (or "….h5.tmp" with that suffix), -1 for any other name. */
static long part_number(const char *name, const char *suffix)
{
    char *end;
    if (strncmp(name, "part-", 5) || name[5] < '0' || name[5] > '9') return -1;
    long number = strtol(name + 5, &end, 10);
    return strcmp(end, suffix) ? -1 : number;
}

static int by_number(const void *a, const void *b)
{
    const char *x = strrchr(*(char *const *)a, '/') + 1, *y = strrchr(*(char *const *)b, '/') + 1;
    long m = part_number(x, ".h5"), n = part_number(y, ".h5");
    return (m > n) - (m < n);
}

static enum sw_status add_name(const char *folder, const char *name, char ***path, int *count)
{
    struct sw_text t = {0};
    if (*count == 0 || (*count >= 64 && !(*count & (*count - 1))))  /* room doubles from 64 on */
        SW_TRY(sw_resize((size_t)*count, *count ? 2 * (size_t)*count : 64, path));
    sw_text_printf(&t, "%s/%s", folder, name);
    if (!((*path)[*count] = sw_text_take(&t))) return SW_E_MEMORY;
    (*count)++;
    return SW_OK;
}

static enum sw_status list_parts(const char *folder, const char *suffix, char ***path, int *count)
{
    enum sw_status st = SW_OK;
    DIR *dir = opendir(folder);
    if (!dir) return errno == ENOENT || errno == ENOTDIR ? SW_OK : sw_files_fail(folder);
    for (struct dirent *entry; !st && (errno = 0, entry = readdir(dir));)
        if (part_number(entry->d_name, suffix) >= 0) st = add_name(folder, entry->d_name, path, count);
    if (!st && errno) st = sw_files_fail(folder);
    closedir(dir);
    return st;
}

static enum sw_status list_of_file(const char *file, const char *suffix, char ***path, int *count)
{
    char *folder = sw_files_name(file, ".d");
    enum sw_status st = folder ? SW_OK : SW_E_MEMORY;
    *path = NULL;
    *count = 0;
    if (!st) st = list_parts(folder, suffix, path, count);
    if (st) sw_files_free_list(path, *count);
    sw_free(folder);
    return st;
}

enum sw_status sw_files_parts(const char *file, char ***path, int *count)
{
    SW_TRY(list_of_file(file, ".h5", path, count));
    if (*count) qsort(*path, (size_t)*count, sizeof **path, by_number);
    return SW_OK;
}

enum sw_status sw_files_remove_damaged(const char *file)
{
    char **path;
    int count;
    enum sw_status st = SW_OK;
    SW_TRY(list_of_file(file, ".h5" SW_FILES_DAMAGED, &path, &count));
    for (int k = 0; k < count && !st; k++) st = sw_files_remove(path[k]);
    sw_files_free_list(&path, count);
    return st;
}

void sw_files_free_list(char ***path, int count)
{
    for (int k = 0; *path && k < count; k++) sw_free((*path)[k]);
    sw_free(*path);
    *path = NULL;
}

enum sw_status sw_files_follow(const char *path, bool to_write, char **real)
{
    enum { MOST_LINKS = 40 };  /* as Linux has it */
    char to[PATH_MAX];
    char *at = sw_path_from_home(path);
    *real = NULL;
    for (int k = 0; at && k < MOST_LINKS; k++) {
        const ssize_t length = readlink(at, to, sizeof to - 1);
        if (length < 0) {
            *real = at;
            return SW_OK;
        }
        const enum sw_status st = to_write ? sw_private_link_check(at) : SW_OK;
        if (st) {
            sw_free(at);
            return st;
        }
        struct sw_text next = {0};
        const char *slash = strrchr(at, '/');
        if (to[0] != '/' && slash) sw_text_add_bytes(&next, at, (size_t)(slash - at) + 1);
        sw_text_add_bytes(&next, to, (size_t)length);
        sw_free(at);
        at = sw_text_take(&next);
    }
    if (!at) return SW_FAIL(SW_E_MEMORY, "out of memory");
    sw_free(at);
    return SW_FAIL_ERRNO(SW_E_IO, ELOOP, "%s", path);
}

bool sw_files_absent(const char *path) { return access(path, F_OK) && (errno == ENOENT || errno == ENOTDIR); }

enum sw_status sw_files_regular(const char *path)
{
    struct stat s;
    if (stat(path, &s)) return errno == ENOENT || errno == ENOTDIR ? SW_OK : sw_files_fail(path);
    if (S_ISREG(s.st_mode)) return SW_OK;
    return SW_FAIL(SW_E_IO, "%s is %s, not a file", path, S_ISDIR(s.st_mode) ? "a folder" : "a device or a pipe");
}

char *sw_files_beside(const char *file, const char *suffix)
{
    const char *slash = strrchr(file, '/');
    const int folder = slash ? (int)(slash - file + 1) : 0;
    struct sw_text t = {0};
    sw_text_printf(&t, "%.*s" SW_PRIVATE_PREFIX "%s%s", folder, file, file + folder, suffix);
    return sw_text_take(&t);
}

enum sw_status sw_files_check_own(const char *path)
{
    struct stat s;
    if (lstat(path, &s)) return errno == ENOENT || errno == ENOTDIR ? SW_OK : sw_files_fail(path);
    if (S_ISREG(s.st_mode) && s.st_uid == geteuid()) return SW_OK;
    return SW_FAIL(SW_E_REFUSED, "%s is in the way, and is no file of yours: move it away", path);
}

/* The folder FILE.d is ours, and what is left in it is removed by the next holder of its lock. */
enum sw_status sw_files_new(const char *file, char **tmp)
{
    struct stat inside, beside;
    char *in = sw_files_name(file, ".d/");
    if (!in) return SW_E_MEMORY;
    const char *slash = strrchr(file, '/');
    char *folder = slash ? sw_strndup(file, (size_t)(slash - file) + 1) : sw_strdup("./");
    const bool one_disk = folder && !stat(in, &inside) && !stat(folder, &beside) && inside.st_dev == beside.st_dev;
    enum sw_status st = folder ? sw_private_file(one_disk ? in : file, NULL, tmp) : SW_E_MEMORY;
    sw_free(folder);
    sw_free(in);
    return st;
}

/* ---- on disk */

enum sw_status sw_files_sync(struct sw_sealed *sealed, const char *path, bool read_back)
{
    enum sw_status st = fsync(sealed->fd) ? sw_files_fail(path) : SW_OK;
    if (!st && read_back) st = sw_checksum_read_back(sealed->fd, sealed->identity, path);
    if (close(sealed->fd) && !st) st = sw_files_fail(path);
    sealed->fd = -1;
    return st;
}

enum sw_status sw_files_read_back(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return sw_files_fail(path);
    const enum sw_status st = sw_checksum_read_back(fd, NULL, path);
    close(fd);
    return st;
}

enum sw_status sw_files_end_text(FILE *to, const char *path)
{
    const bool failed = ferror(to) || fflush(to) || fsync(fileno(to));
    const int why = errno;
    const bool unclosed = fclose(to);
    if (failed) errno = why;
    return failed || unclosed ? sw_files_fail(path) : SW_OK;
}

/* Some file systems have no fsync for folders and say EINVAL. */
static enum sw_status sync_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = !slash ? sw_strdup(".") : sw_strndup(path, slash == path ? 1 : (size_t)(slash - path));
    if (!folder) return SW_E_MEMORY;
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    enum sw_status st = fd < 0 || (fsync(fd) && errno != EINVAL) ? SW_E_IO : SW_OK;
    if (st) SW_FAIL_ERRNO(st, errno, "folder of %s", path);
    if (fd >= 0) close(fd);
    sw_free(folder);
    return st;
}

static enum sw_status make_folder(const char *path)
{
    struct stat s;
    if (!mkdir(path, 0777)) return sync_folder_of(path);
    int why = errno;
    bool there = !stat(path, &s);
    if (there && S_ISDIR(s.st_mode)) return SW_OK;
    errno = there && why == EEXIST ? ENOTDIR : why;
    return sw_files_fail(path);
}

enum sw_status sw_files_make_own_folder(const char *folder)
{
    bool made;
    SW_TRY(sw_private_folder_make(folder, &made));
    return made ? sync_folder_of(folder) : SW_OK;
}

enum sw_status sw_files_make_parents(const char *path)
{
    char *copy = sw_strdup(path);
    enum sw_status st = copy ? SW_OK : SW_E_MEMORY;
    for (char *slash = copy ? strchr(copy + 1, '/') : NULL; slash && !st; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        st = make_folder(copy);
        *slash = '/';
    }
    sw_free(copy);
    return st;
}

/* @param last  out: the largest part number in use, finished or not, or put aside; 0: none is */
static enum sw_status last_number(const char *folder, long *last)
{
    enum sw_status st = SW_OK;
    static const char *const suffixes[] = {".h5", ".h5.tmp", ".h5" SW_FILES_DAMAGED};
    *last = 0;
    DIR *dir = opendir(folder);
    if (!dir) return sw_files_fail(folder);
    for (struct dirent *entry; (errno = 0, entry = readdir(dir));) {
        for (int k = 0; k < 3; k++) {
            const long number = part_number(entry->d_name, suffixes[k]);
            if (number > *last) *last = number;
        }
    }
    if (errno) st = sw_files_fail(folder);
    closedir(dir);
    return st;
}

/* Once the .tmp is there, nothing may fail: the caller would not know of it. */
static enum sw_status claim_number(const char *folder, long number, char **tmp, bool *taken)
{
    struct sw_text t = {0};
    sw_text_printf(&t, "%s/part-%06ld.h5.tmp", folder, number);
    if (!(*tmp = sw_text_take(&t))) return SW_E_MEMORY;
    char *final = sw_strndup(*tmp, strlen(*tmp) - strlen(".tmp"));
    if (!final) return SW_E_MEMORY;
    enum sw_status st = SW_OK;
    int fd = open(*tmp, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0666);
    if (fd < 0) {
        *taken = errno == EEXIST;
        if (!*taken) st = sw_files_fail(*tmp);
    } else {
        close(fd);
        const int error = access(final, F_OK) ? errno : 0;  /* another process may just have finished this number */
        *taken = !error;
        if (error != ENOENT) unlink(*tmp);
        if (error && error != ENOENT) st = SW_FAIL_ERRNO(SW_E_IO, error, "%s", final);
    }
    sw_free(final);
    return st;
}

/* The number that was claimed last in this process. A process that writes alone goes on from there: to read the folder
 * for each of ten thousand parts takes longer than to write them. */
static struct { pthread_mutex_t mutex; char *folder; long number; } claimed = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void note_claimed(const char *folder, long number)
{
    pthread_mutex_lock(&claimed.mutex);
    if (!sw_text_same(claimed.folder, folder)) {
        sw_free(claimed.folder);
        claimed.folder = sw_strdup(folder);   /* NULL: the folder is read the next time */
    }
    claimed.number = number;
    pthread_mutex_unlock(&claimed.mutex);
}

/* @return 0: none was claimed there, or it is gone: perhaps another folder has the name now */
static long last_claimed(const char *folder)
{
    struct sw_text part = {0};
    long number = 0;
    pthread_mutex_lock(&claimed.mutex);
    if (sw_text_same(claimed.folder, folder)) number = claimed.number;
    pthread_mutex_unlock(&claimed.mutex);
    sw_text_printf(&part, "%s/part-%06ld.h5", folder, number);
    bool there = number && !access(sw_text_get(&part), F_OK);
    sw_text_add(&part, ".tmp");
    there = there || (number && !access(sw_text_get(&part), F_OK));
    sw_text_free(&part);
    return there ? number : 0;
}

enum sw_status sw_files_last_part(const char *file, long *last)
{
    char *folder = sw_files_name(file, ".d");
    *last = 0;
    if (!folder) return SW_E_MEMORY;
    const enum sw_status st = sw_files_absent(folder) ? SW_OK : last_number(folder, last);
    sw_free(folder);
    return st;
}

enum sw_status sw_files_new_part(const char *file, int turn, int of, long least, char **tmp)
{
    const int stride = of > 1 ? of : 1;
    bool taken = true;
    char *folder = sw_files_name(file, ".d");
    enum sw_status st = folder ? SW_OK : SW_E_MEMORY;
    *tmp = NULL;
    if (!st) st = sw_files_make_parents(file);
    if (!st) st = sw_files_make_own_folder(folder);
    long last = least ? least - 1 : !st && of <= 1 ? last_claimed(folder) : 0;
    if (!st && !last && !least) st = last_number(folder, &last);
    long number = last + 1;
    number += (turn % stride + stride - number % stride) % stride;
    for (; !st && taken; number += stride) {
        sw_free(*tmp);
        st = claim_number(folder, number, tmp, &taken);
        if (!st && !taken) note_claimed(folder, number);
    }
    if (st) { sw_free(*tmp); *tmp = NULL; }
    sw_free(folder);
    return st;
}

enum sw_status sw_files_move(const char *from, const char *to, bool *apart)
{
    bool failed = rename(from, to);
    if (apart) *apart = failed && errno == EXDEV;
    if (!failed) return sync_folder_of(to);
    return SW_FAIL_ERRNO(SW_E_IO, errno, "%s: cannot be renamed to %s", from, to);
}

enum sw_status sw_files_set_aside(const char *part, char **aside)
{
    *aside = NULL;
    if (sw_files_absent(part)) return SW_OK;
    char *name = sw_files_name(part, SW_FILES_DAMAGED);
    if (!name) return SW_E_MEMORY;
    const enum sw_status st = sw_files_move(part, name, NULL);
    if (st) sw_free(name);
    else *aside = name;
    return st;
}

enum sw_status sw_files_commit(const char *tmp)
{
    char *name = sw_strndup(tmp, strlen(tmp) - strlen(".tmp"));
    if (!name) return SW_E_MEMORY;
    enum sw_status st = sw_files_move(tmp, name, NULL);
    sw_free(name);
    return st;
}

enum sw_status sw_files_version(const char *path, struct sw_file_version *mark)
{
    struct stat s;
    if (stat(path, &s)) return sw_files_fail(path);
    *mark = (struct sw_file_version){(int64_t)s.st_dev, (int64_t)s.st_ino, s.st_size, s.st_mtim.tv_sec,
                                     s.st_mtim.tv_nsec};
    return SW_OK;
}

bool sw_files_same_version(const struct sw_file_version *a, const struct sw_file_version *b)
{
    return a->device == b->device && a->inode == b->inode && a->bytes == b->bytes && a->seconds == b->seconds &&
           a->nanoseconds == b->nanoseconds;
}

enum sw_status sw_files_mark(const char *file, uint64_t *mark)
{
    struct sw_hash h;
    unsigned char digest[32];
    char **part;
    int count;
    SW_TRY(sw_files_parts(file, &part, &count));
    sw_hash_start(&h);
    for (int k = -1; k < count; k++) {
        struct sw_file_version now = {0};
        if (!sw_files_absent(k < 0 ? file : part[k])) sw_files_version(k < 0 ? file : part[k], &now);
        sw_hash_add(&h, &now, sizeof now);
    }
    sw_files_free_list(&part, count);
    sw_hash_end(&h, digest);
    memcpy(mark, digest, sizeof *mark);
    return SW_OK;
}

enum sw_status sw_files_remove(const char *path)
{
    return unlink(path) && errno != ENOENT && errno != ENOTDIR ? sw_files_fail(path) : SW_OK;
}

void sw_files_remove_empty(const char *folder)
{
    bool other = false, index = false;
    if (!rmdir(folder)) return;
    DIR *dir = opendir(folder);
    if (!dir) return;
    for (struct dirent *entry; !other && (entry = readdir(dir));) {
        index |= !strcmp(entry->d_name, "index");
        other = strcmp(entry->d_name, "index") && strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
    }
    if (index && !other) unlinkat(dirfd(dir), "index", 0);
    closedir(dir);
    if (index && !other) rmdir(folder);
}

int sw_files_lock_soon(int fd, int how)
{
    for (int k = 0;; k++) {
        if (!flock(fd, how | LOCK_NB)) return 0;
        if (errno != EWOULDBLOCK || k == 4) return -1;
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
}

bool sw_files_is_locked(const char *file)
{
    const char *why;
    char *path = sw_files_name(file, ".d/lock");
    FILE *in = path ? sw_open_to_read(path, &why) : NULL;
    sw_free(path);
    if (!in) return false;
    /* NFS takes an exclusive lock only of a file that is open to be written (EBADF): of ranks that share it we do not
     * know there */
    bool locked = sw_files_lock_soon(fileno(in), LOCK_EX) != 0;
    if (locked && errno == EBADF) locked = sw_files_lock_soon(fileno(in), LOCK_SH) != 0;
    locked = locked && errno == EWOULDBLOCK;
    fclose(in);
    return locked;
}
