#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_private.h"
#include "store/files/sw_files.h"
#include "store/files/sw_lock.h"
#include "store/files/sw_status_file.h"

/* The lock is flock() on FILE.d/lock: it ends with the process, however that ends. The file says which process holds
 * it, and since when that runs. A process that works alone holds it exclusively; processes of one job share it, and it
 * ends with the last of them. */
struct sw_output_lock {
    char *folder, *path;
    int   in, fd;        /* the folder, as it was checked; the file in it; -1: not open */
    bool  held;
};

static enum sw_status fail_held(const char *file, const struct sw_output_lock *lock)
{
    char who[400] = "";
    ssize_t length = pread(lock->fd, who, sizeof who - 1, 0);
    who[length > 0 ? length : 0] = 0;
    who[strcspn(who, "\n")] = 0;
    return SW_FAIL(SW_E_REFUSED, "%s is being written by %s; wait for it, stop it, or use -o FILE", file,
                   who[0] ? who : "another process");
}

static enum sw_status write_holder(const struct sw_output_lock *lock, const char *and)
{
    char host[256] = "", who[400];
    gethostname(host, sizeof host - 1);
    int length = snprintf(who, sizeof who, "process %ld on %s%s\n%.0f\n", (long)getpid(), host, and,
                          sw_process_started(getpid()));
    if (ftruncate(lock->fd, 0) || pwrite(lock->fd, who, (size_t)length, 0) != length) return sw_files_fail(lock->path);
    return SW_OK;
}

/* Only what this program makes there is written into: a file, with no other name. */
static enum sw_status open_lock(struct sw_output_lock *lock, struct stat *held)
{
    lock->fd = openat(lock->in, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (lock->fd < 0 && errno != ELOOP && errno != ENXIO)
        return errno == ENOENT ? SW_OK : sw_files_fail(lock->path);
    if (lock->fd >= 0 && fstat(lock->fd, held)) return sw_files_fail(lock->path);
    if (lock->fd >= 0 && S_ISREG(held->st_mode) && held->st_nlink <= 1) return SW_OK;
    return SW_FAIL(SW_E_REFUSED, "%s is a link, a device or a pipe, and was not made by sweep: remove it", lock->path);
}

/* Where flock() does nothing, a second lock on a file that we have locked succeeds too: whom the file names is not
 * disturbed then while he lives. Two that begin at the same moment do not see each other. */
static bool locks_do_nothing(const struct sw_output_lock *lock)
{
    const int second = openat(lock->in, "lock", O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const bool locked = second >= 0 && !flock(second, LOCK_EX | LOCK_NB);
    if (second >= 0) close(second);
    return locked;
}

static enum sw_status check_unlocked_writer(const char *file, struct sw_output_lock *lock)
{
    bool by_files;
    struct sw_status_file now;
    struct sw_last_update update = {0};
    if (sw_liveness_of(file, sw_filesystem_time(file, &by_files), &now, &update) != SW_LIVENESS_ALIVE ||
        (now.pid == getpid() && now.started == sw_process_started(getpid())) || !locks_do_nothing(lock)) return SW_OK;
    lock->held = false;  /* it is his */
    return SW_FAIL(SW_E_REFUSED, "%s is being written by process %lld on %s; wait for it, stop it, or use -o FILE "
                   "(this file system takes no locks: a process of another machine counts as running for 2 min after "
                   "its last sign of life)", file, (long long)now.pid, now.host);
}

/* One attempt. @param how  LOCK_EX, LOCK_SH
 * @param again  out: the file we locked was removed by its last holder meanwhile */
static enum sw_status try_lock(const char *file, struct sw_output_lock *lock, int how, bool *again)
{
    struct stat held, named;
    SW_TRY(sw_private_folder_open(lock->folder, &lock->in));
    if (lock->in >= 0) SW_TRY(open_lock(lock, &held));
    *again = lock->fd < 0;
    if (*again) return SW_OK;
    if (sw_files_lock_soon(lock->fd, how))
        return errno == EWOULDBLOCK ? fail_held(file, lock) : sw_files_fail(lock->path);
    *again = fstatat(lock->in, "lock", &named, AT_SYMLINK_NOFOLLOW) || held.st_ino != named.st_ino;
    lock->held = !*again;
    if (*again || how != LOCK_EX) return SW_OK;
    if (held.st_size) SW_TRY(check_unlocked_writer(file, lock));  /* it names somebody */
    return write_holder(lock, "");
}

/* The process that holds the lock alone, the last one, removes the file. */
static void release_lock(struct sw_output_lock *lock)
{
    if (lock->held && !sw_files_lock_soon(lock->fd, LOCK_EX)) {
        unlinkat(lock->in, "lock", 0);
        sw_files_remove_empty(lock->folder);
    }
    if (lock->fd >= 0) close(lock->fd);
    if (lock->in >= 0) close(lock->in);
    lock->held = false;
    lock->fd = lock->in = -1;
}

static void free_lock(struct sw_output_lock *lock)
{
    release_lock(lock);
    sw_free(lock->path);
    sw_free(lock->folder);
    sw_free(lock);
}

/* A part, or another file, that was not finished. */
static bool is_unfinished(const char *name)
{
    static const char part[] = "part-", end[] = ".h5.tmp";
    const size_t length = strlen(name), tail = sizeof end - 1;
    if (!strncmp(name, SW_PRIVATE_PREFIX, sizeof SW_PRIVATE_PREFIX - 1)) return true;
    return !strncmp(name, part, sizeof part - 1) && length >= tail && !strcmp(name + length - tail, end);
}

/* We hold the lock, so the process that began them has ended. */
static enum sw_status remove_unfinished(const struct sw_output_lock *lock)
{
    enum sw_status st = SW_OK;
    const int copy = openat(lock->in, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    if (!dir) {
        st = sw_files_fail(lock->folder);
        if (copy >= 0) close(copy);
        return st;
    }
    for (struct dirent *entry; !st && (errno = 0, entry = readdir(dir));)
        if (is_unfinished(entry->d_name) && unlinkat(copy, entry->d_name, 0) && errno != ENOENT &&
            (errno != EISDIR || unlinkat(copy, entry->d_name, AT_REMOVEDIR)))
            st = SW_FAIL_ERRNO(SW_E_IO, errno, "%s/%s", lock->folder, entry->d_name);
    if (!st && errno) st = sw_files_fail(lock->folder);
    closedir(dir);
    return st;
}

/* What would keep a new file from getting a name. An empty folder is renamed to that of FILE, which is refused because
 * FILE is none, or sooner for the reason that a file would be (it is immutable, or another user's in a folder with the
 * sticky bit); if FILE has gone meanwhile, the folder goes. @return errno */
static int try_to_replace(const struct sw_output_lock *lock, const char *file)
{
    static const char trial[] = SW_PRIVATE_PREFIX "replaces";
#ifdef STATX_ATTR_MOUNT_ROOT
    struct statx s;
    if (!statx(AT_FDCWD, file, AT_SYMLINK_NOFOLLOW, 0, &s) && s.stx_attributes & STATX_ATTR_MOUNT_ROOT) return EBUSY;
#endif
    if (mkdirat(lock->in, trial, 0700)) return 0;  /* the first part will say why */
    const int error = renameat(lock->in, trial, AT_FDCWD, file) ? errno : 0;
    if (error) unlinkat(lock->in, trial, AT_REMOVEDIR);
    else rmdir(file);
    return error == EPERM || error == EACCES || error == EROFS || error == EBUSY ? error : 0;
}

/* What the end of a sweep needs is tried before hours go into it. */
static enum sw_status check_replaceable(const struct sw_output_lock *lock, const char *file)
{
    struct stat s;
    char *folder = sw_files_name(file, "");
    if (!folder) return SW_E_MEMORY;
    char *slash = strrchr(folder, '/');
    strcpy(slash ? slash + 1 : folder, "");
    int error = 0;
    if (!lstat(file, &s)) error = S_ISREG(s.st_mode) ? try_to_replace(lock, file) : 0;
    else if (access(*folder ? folder : ".", W_OK | X_OK)) error = errno;
    sw_free(folder);
    if (!error) return SW_OK;
    return SW_FAIL(SW_E_IO, "%s: %s: results could not get this name at the end; use -o FILE, or see to the owner, the "
                   "attributes (lsattr) and the mounts of the file and its folder", file, strerror(error));
}

/* Before each attempt another process has removed the file that we locked, or its folder, or the file system does not
 * show it yet. */
enum { ATTEMPTS = 200 };

static enum sw_status acquire(const char *file, struct sw_output_lock *lock, int how)
{
    bool again = true;
    for (int k = 0; again && k < ATTEMPTS; k++) {
        if (k) nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        release_lock(lock);
        SW_TRY(sw_files_make_parents(file));
        SW_TRY(sw_files_make_own_folder(lock->folder));
        SW_TRY(try_lock(file, lock, how, &again));
    }
    if (again) return SW_FAIL(SW_E_IO, "cannot create %s: remove what is there under this name", lock->path);
    if (how == LOCK_EX) SW_TRY(remove_unfinished(lock));
    return how == LOCK_EX ? check_replaceable(lock, file) : SW_OK;
}

static enum sw_status create_lock(const char *file, int how, struct sw_output_lock **lock)
{
    *lock = NULL;
    struct sw_output_lock *l;
    SW_TRY(sw_alloc(1, &l));
    l->fd = l->in = -1;
    l->folder = sw_files_name(file, ".d");
    l->path = sw_files_name(file, ".d/lock");
    enum sw_status st = l->folder && l->path ? acquire(file, l, how) : SW_E_MEMORY;
    if (st) free_lock(l);
    else *lock = l;
    return st;
}

enum sw_status sw_output_lock(const char *file, struct sw_output_lock **lock)
{
    return create_lock(file, LOCK_EX, lock);
}

enum sw_status sw_output_lock_join(const char *file, struct sw_output_lock **lock)
{
    return create_lock(file, LOCK_SH, lock);
}

/* flock(2) releases the lock for an instant when it changes to shared: another process may take it meanwhile. */
enum sw_status sw_output_lock_share(struct sw_output_lock *lock)
{
    SW_TRY(write_holder(lock, ", or another rank of its job"));
    if (!sw_files_lock_soon(lock->fd, LOCK_SH)) return SW_OK;
    lock->held = false;
    if (errno != EWOULDBLOCK) return sw_files_fail(lock->path);
    return SW_FAIL(SW_E_REFUSED, "%s was taken by another process; run the same command again", lock->path);
}

void sw_output_unlock(struct sw_output_lock **lock)
{
    if (!lock || !*lock) return;
    free_lock(*lock);
    *lock = NULL;
}

static void tidy(const char *file)
{
    struct sw_output_lock *lock = NULL;
    if (!sw_files_has_folder(file) || sw_output_lock(file, &lock)) return;
    sw_status_file_remove(file);
    sw_output_unlock(&lock);
}

/* A result that was to replace FILE keeps its parts: the call that began it goes on from them. */
void sw_output_tidy(const char *file)
{
    static const char *const replacing[] = {".new", ".longer"};
    tidy(file);
    for (size_t k = 0; k < sizeof replacing / sizeof *replacing; k++) {
        char **part = NULL, *fresh = sw_files_beside(file, replacing[k]);
        int count = 0;
        if (fresh && !sw_files_parts(fresh, &part, &count) && !count) tidy(fresh);
        sw_files_free_list(&part, count);
        sw_free(fresh);
    }
}
