/* A library to preload: the FAIL_AT-th call of a kind fails as the system would let it fail.
 *     LD_PRELOAD=build/fail_nth.so FAIL_KIND=write FAIL_AT=3 FAIL_LOG=log ./sweep ...
 * FAIL_KIND  memory  aligned_alloc (ENOMEM), called by the program itself: all its memory comes from there
 *                    (base/sw_mem.c). The libraries it uses (HDF5, libconfig, OpenMP, CUDA's run time, which is part of
 *                    the program) use malloc, and do not claim to survive it
 *            write   write, pwrite, writev to regular files (ENOSPC);  read: read, pread from regular files (EIO)
 *            fsync, rename (EIO);  open: open, opendir (EMFILE);  readdir (EIO), called by the program itself
 *            flock   every one does nothing, whatever FAIL_AT is, as on some network file systems
 *            fsync_reader  fsync of a regular file by a descriptor that cannot have written it (EIO)
 * FAIL_ERRNO what errno says instead, a number
 * FAIL_BYTES memory: calls for so many bytes alone are counted, a multiple of 64, as base/sw_mem.c asks for it
 * FAIL_FROM  calls are counted from then on that the program opens a file whose path contains this
 * FAIL_SLEEP it does not fail, but takes so many seconds longer, as on a file system that hangs
 * FAIL_UNTIL ends that as soon as this file is there
 * FAIL_MARK  this file is made when the call comes
 * FAIL_LOG   gets one line at exit: "CALLS calls", and " fired" if one failed. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum kind { MEMORY, WRITE, READ, FSYNC, RENAME, OPEN, READDIR, FSYNC_READER, FLOCK, KINDS, NOTHING = KINDS };
static const char *const names[KINDS] = {"memory", "write", "read", "fsync", "rename", "open", "readdir",
                                          "fsync_reader", "flock"};
static const int         reasons[KINDS] = {ENOMEM, ENOSPC, EIO, EIO, EIO, EMFILE, EIO, EIO, 0};

static enum kind   chosen = NOTHING;
static long        fail_at;
static unsigned    fail_sleep;
static size_t      fail_bytes;
static int         fail_errno;
static const char *fail_from, *fail_until, *fail_mark;
static atomic_bool counting;
static atomic_long calls;
static atomic_bool fired;
static uintptr_t   program_begin, program_end;

/* The first object is the program itself. */
static int find_program(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    (void)user;
    for (int k = 0; k < info->dlpi_phnum; k++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[k];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X)) continue;
        program_begin = info->dlpi_addr + p->p_vaddr;
        program_end = program_begin + p->p_memsz;
    }
    return 1;
}

__attribute__((constructor)) static void begin(void)
{
    const char *kind = getenv("FAIL_KIND"), *at = getenv("FAIL_AT"), *seconds = getenv("FAIL_SLEEP"),
               *bytes = getenv("FAIL_BYTES"), *number = getenv("FAIL_ERRNO");
    dl_iterate_phdr(find_program, NULL);
    for (int k = 0; kind && at && k < KINDS; k++)
        if (!strcmp(kind, names[k])) chosen = (enum kind)k;
    fail_at = at ? atol(at) : 0;
    fail_sleep = seconds ? (unsigned)atol(seconds) : 0;
    fail_errno = number ? (int)atol(number) : 0;
    fail_from = getenv("FAIL_FROM");
    fail_until = getenv("FAIL_UNTIL");
    fail_mark = getenv("FAIL_MARK");
    counting = !fail_from;
    fail_bytes = bytes ? (size_t)atol(bytes) : 0;
}

__attribute__((destructor)) static void end(void)
{
    char line[60];
    const char *path = getenv("FAIL_LOG");
    chosen = NOTHING;
    long fd = path ? syscall(SYS_openat, AT_FDCWD, path, O_CREAT | O_TRUNC | O_WRONLY, 0666) : -1;
    int length = snprintf(line, sizeof line, "%ld calls%s\n", (long)calls, fired ? " fired" : "");
    if (fd >= 0 && syscall(SYS_write, fd, line, length) == length) syscall(SYS_close, fd);
}

static void make_mark(void)
{
    long fd = fail_mark ? syscall(SYS_openat, AT_FDCWD, fail_mark, O_CREAT | O_WRONLY, 0666) : -1;
    if (fd >= 0) syscall(SYS_close, fd);
}

/* Signals do not end it. */
static void wait_long(void)
{
    for (long left = 20L * fail_sleep; left > 0 && (!fail_until || access(fail_until, F_OK)); left--)
        for (struct timespec t = {.tv_nsec = 50000000}; nanosleep(&t, &t);) {}
}

static bool fails(enum kind kind)
{
    if (kind != chosen || !counting || atomic_fetch_add(&calls, 1) + 1 != fail_at) return false;
    fired = true;
    make_mark();
    wait_long();
    errno = fail_errno ? fail_errno : reasons[kind];
    return !fail_sleep;
}

static bool from_program(const void *caller)
{
    return (uintptr_t)caller >= program_begin && (uintptr_t)caller < program_end;
}

static bool regular(enum kind kind, int fd)
{
    struct stat s;
    return chosen == kind && !fstat(fd, &s) && S_ISREG(s.st_mode);
}

/* The function that would have been called. */
#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) { void *found = dlsym(RTLD_NEXT, #name); memcpy(&real, &found, sizeof real); }

/* glibc's own allocator: dlsym() may allocate, so it cannot look for it */
extern void *__libc_memalign(size_t alignment, size_t size);

void *aligned_alloc(size_t alignment, size_t size)
{
    const bool counts = from_program(__builtin_return_address(0)) && (!fail_bytes || size == fail_bytes);
    return counts && fails(MEMORY) ? NULL : __libc_memalign(alignment, size);
}

ssize_t write(int fd, const void *data, size_t size)
{
    REAL(write)
    return regular(WRITE, fd) && fails(WRITE) ? -1 : real(fd, data, size);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at)
{
    REAL(pwrite)
    return regular(WRITE, fd) && fails(WRITE) ? -1 : real(fd, data, size, at);
}

ssize_t writev(int fd, const struct iovec *piece, int count)
{
    REAL(writev)
    return regular(WRITE, fd) && fails(WRITE) ? -1 : real(fd, piece, count);
}

ssize_t read(int fd, void *data, size_t size)
{
    REAL(read)
    return regular(READ, fd) && fails(READ) ? -1 : real(fd, data, size);
}

ssize_t pread(int fd, void *data, size_t size, off_t at)
{
    REAL(pread)
    return regular(READ, fd) && fails(READ) ? -1 : real(fd, data, size, at);
}

int fsync(int fd)
{
    REAL(fsync)
    if (regular(FSYNC_READER, fd) && (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY && fails(FSYNC_READER)) return -1;
    return fails(FSYNC) ? -1 : real(fd);
}

int flock(int fd, int how)
{
    REAL(flock)
    return chosen == FLOCK ? 0 : real(fd, how);
}

int rename(const char *from, const char *to)
{
    REAL(rename)
    return fails(RENAME) ? -1 : real(from, to);
}

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    REAL(open)
    if (fail_from && strstr(path, fail_from)) counting = true;
    return fails(OPEN) ? -1 : real(path, flags, mode);
}

DIR *opendir(const char *path)
{
    REAL(opendir)
    return fails(OPEN) ? NULL : real(path);
}

struct dirent *readdir(DIR *dir)
{
    REAL(readdir)
    return from_program(__builtin_return_address(0)) && fails(READDIR) ? NULL : real(dir);
}
