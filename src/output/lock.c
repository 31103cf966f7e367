#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/sw_mem.h"
#include "output/sw_files.h"
#include "output/sw_lock.h"

/* The lock is flock() on FILE.d/lock: it ends with the process, however that ends. The file says which process holds
 * it. A process that works alone holds it exclusively; processes of one job share it, and it ends with the last of
 * them. */
struct sw_output_lock {
    char *folder, *path;
    int   fd;
    bool  held;
};

static enum sw_status fail_held(const char *file, const char *path)
{
    char who[400] = "";
    int fd = open(path, O_RDONLY);
    ssize_t length = fd >= 0 ? read(fd, who, sizeof who - 1) : 0;
    if (fd >= 0) close(fd);
    who[length > 0 ? length : 0] = 0;
    who[strcspn(who, "\n")] = 0;
    return SW_FAIL(SW_E_REFUSED, "%s is being written by %s; wait for it, stop it, or use -o FILE", file,
                   who[0] ? who : "another process");
}

static enum sw_status write_holder(const struct sw_output_lock *lock, const char *and)
{
    char host[256] = "", who[400];
    gethostname(host, sizeof host - 1);
    int length = snprintf(who, sizeof who, "process %ld on %s%s", (long)getpid(), host, and);
    if (ftruncate(lock->fd, 0) || pwrite(lock->fd, who, (size_t)length, 0) != length) return sw_files_fail(lock->path);
    return SW_OK;
}

/* One attempt. @param how  LOCK_EX, LOCK_SH
 * @param again  out: the file we locked was removed by its last holder meanwhile */
static enum sw_status try_lock(const char *file, struct sw_output_lock *lock, int how, bool *again)
{
    struct stat held, named;
    lock->fd = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock->fd < 0) return (*again = errno == ENOENT) ? SW_OK : sw_files_fail(lock->path);
    if (flock(lock->fd, how | LOCK_NB))
        return errno == EWOULDBLOCK ? fail_held(file, lock->path) : sw_files_fail(lock->path);
    *again = fstat(lock->fd, &held) || stat(lock->path, &named) || held.st_ino != named.st_ino;
    lock->held = !*again;
    return *again || how != LOCK_EX ? SW_OK : write_holder(lock, "");
}

/* The process that holds the lock alone, the last one, removes the file. */
static void release_lock(struct sw_output_lock *lock)
{
    if (lock->held && !flock(lock->fd, LOCK_EX | LOCK_NB)) {
        unlink(lock->path);
        rmdir(lock->folder);  /* stays if there are parts in it */
    }
    if (lock->fd >= 0) close(lock->fd);
    lock->held = false;
    lock->fd = -1;
}

static void free_lock(struct sw_output_lock *lock)
{
    release_lock(lock);
    sw_free(lock->path);
    sw_free(lock->folder);
    sw_free(lock);
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && !strcmp(text + length - tail, end);
}

/* We hold the lock, so the process that began a .tmp here has ended. */
static enum sw_status remove_unfinished(const char *file, const struct sw_output_lock *lock)
{
    enum sw_status st = SW_OK;
    char *merging = sw_files_name(file, ".tmp");
    DIR *dir = merging ? opendir(lock->folder) : NULL;
    if (!merging) return SW_E_MEMORY;
    st = dir ? sw_files_clear_tmp(merging) : sw_files_fail(lock->folder);
    for (struct dirent *entry; !st && (errno = 0, entry = readdir(dir));)
        if (ends_with(entry->d_name, ".h5.tmp") && unlinkat(dirfd(dir), entry->d_name, 0) && errno != ENOENT)
            st = sw_files_fail(entry->d_name);
    if (!st && errno) st = sw_files_fail(lock->folder);
    if (dir) closedir(dir);
    sw_free(merging);
    return st;
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
        SW_TRY(sw_files_make_parents(lock->path));
        SW_TRY(try_lock(file, lock, how, &again));
    }
    if (again) return SW_FAIL(SW_E_IO, "cannot create %s: remove what is there under this name", lock->path);
    return how == LOCK_EX ? remove_unfinished(file, lock) : SW_OK;
}

static enum sw_status create_lock(const char *file, int how, struct sw_output_lock **lock)
{
    *lock = NULL;
    struct sw_output_lock *l;
    SW_TRY(sw_alloc(1, &l));
    l->fd = -1;
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
    if (!flock(lock->fd, LOCK_SH | LOCK_NB)) return SW_OK;
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
