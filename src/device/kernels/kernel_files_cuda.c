/* Compiled kernels in files, each named by the SHA-256 of all that decides its content. */
#include "device/kernels/kernel_files_cuda.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_hash.h"
#include "base/sw_mem.h"
#include "base/sw_private.h"
#include "device/sw_kernels.h"

/* ------------------------------------------------------------------ folders */

static void cache_folder(struct sw_text *path)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/') sw_text_printf(path, "%s/sweep", cache);
    else if (home && home[0] == '/') sw_text_printf(path, "%s/.cache/sweep", home);
}

/* The folder that comes with the program, or is named by SWEEP_KERNELS. */
static struct {
    char path[PATH_MAX];  /* "": there is none                                              */
    bool named, trusted;  /* by the user; it is as much to be believed as the program itself */
    dev_t device;         /* which folder that was found of                                  */
    ino_t number;
} shipped;

/* @param own  the mode of the last */
static void make_folders(const char *path, mode_t own)
{
    char part[PATH_MAX];
    if (strlen(path) >= sizeof part) return;
    for (size_t k = 1; path[k]; k++) {
        if (path[k] != '/') continue;
        memcpy(part, path, k);
        part[k] = 0;
        mkdir(part, strchr(path + k + 1, '/') ? 0777 : own);
    }
}

/* The way to it may be another one's: what is looked at is what is open. */
static bool trust(const char *folder, const char *program)
{
    char open_folder[40];
    struct stat s;
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return false;
    snprintf(open_folder, sizeof open_folder, "/proc/self/fd/%d", fd);
    shipped.trusted = !fstat(fd, &s) && !sw_private_code_check(open_folder, program);
    shipped.device = s.st_dev;
    shipped.number = s.st_ino;
    close(fd);
    return shipped.trusted;
}

static void find_shipped(void)
{
    static const char *const places[] = {"kernels", "build/kernels", "../lib/sweep/kernels"};
    const char *named = getenv("SWEEP_KERNELS");
    char program[PATH_MAX - 64];
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = 0;
    char *slash = strrchr(program, '/');
    shipped.named = named && *named;
    if (shipped.named) {
        snprintf(shipped.path, sizeof shipped.path, "%s/", strlen(named) + 80 < sizeof shipped.path ? named : "");
        make_folders(shipped.path, 0755);
        shipped.path[strlen(shipped.path) - 1] = 0;
        trust(shipped.path, program);
    }
    for (size_t k = 0; k < sizeof places / sizeof *places && slash && !shipped.named; k++) {
        snprintf(shipped.path, sizeof shipped.path, "%.*s/%s", (int)(slash - program), program, places[k]);
        if (trust(shipped.path, program)) return;
        shipped.path[0] = 0;
    }
}

static const char *shipped_folder(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_shipped);
    return shipped.path;
}

enum sw_status sw_kernel_folder(struct sw_text *path)
{
    shipped_folder();
    if (!shipped.named) cache_folder(path);
    else sw_text_add(path, shipped.path);
    if (!shipped.named || shipped.trusted) return SW_OK;
    return SW_FAIL(SW_E_REFUSED, "SWEEP_KERNELS: %s is not used: it is no folder, or not this user's, or others may "
                   "write there, too", shipped.path);
}

static bool has_kernels(const char *path)
{
    bool any = false;
    DIR *folder = *path ? opendir(path) : NULL;
    for (const struct dirent *file; folder && !any && (file = readdir(folder));) {
        const size_t length = strlen(file->d_name);
        any = length > 6 && !strcmp(file->d_name + length - 6, ".cubin");
    }
    if (folder) closedir(folder);
    return any;
}

bool sw_kernel_cache_begun(void)
{
    struct sw_text path = {0};
    cache_folder(&path);
    const bool begun = has_kernels(shipped_folder()) || has_kernels(sw_text_get(&path));
    sw_text_free(&path);
    return begun;
}

/* FOLDER/HEX.cubin; "" if there is no folder. @param compiler  "": of those that come with the program */
static void file_path(const struct sw_text *code, const char *compiler, struct sw_text *path)
{
    struct sw_hash h;
    unsigned char digest[32];
    char hex[65];
    if (*compiler) cache_folder(path);
    else sw_text_add(path, shipped_folder());
    if (!path->length) return;
    sw_hash_start(&h);
    sw_hash_add(&h, sw_text_get(code), code->length);
    sw_hash_add(&h, compiler, strlen(compiler));
    sw_hash_end(&h, digest);
    sw_hash_hex(digest, 64, hex);
    sw_text_printf(path, "/%s.cubin", hex);
    if (sw_text_status(code)) sw_text_free(path);
}

/* What is in files is run. That of the cache is this user's, and nobody else can look into it, or write; that of the
 * program is the one that was found to be believed.
 * @param s  out: of the folder  @return its descriptor; -1: there is none, or it is not so, and nothing is read or
 *           kept */
static int open_folder(const char *path, struct stat *s)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (!slash || slash - path >= (long)sizeof folder) return -1;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    const bool cache = strcmp(folder, shipped_folder());
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | (cache ? O_NOFOLLOW : 0) | O_CLOEXEC);
    if (fd < 0) return -1;
    if (!fstat(fd, s))
        if (cache ? s->st_uid == geteuid() && (!(s->st_mode & 077) || !fchmod(fd, 0700))
                  : shipped.trusted && s->st_dev == shipped.device && s->st_ino == shipped.number) return fd;
    close(fd);
    return -1;
}

/* ------------------------------------------------------------------ files */

/* A file: these eight characters, the SHA-256 of the cubin, the cubin. A file that is cut short or damaged is then
 * known for what it is and written anew. Files are a convenience: whatever fails here only costs time. */
static const char magic[8] = {'s', 'w', 'e', 'e', 'p', 'b', 'i', '1'};
enum { HEAD = sizeof magic + 32 };

static void digest_of(const void *bytes, size_t length, unsigned char digest[32])
{
    struct sw_hash h;
    sw_hash_start(&h);
    sw_hash_add(&h, bytes, length);
    sw_hash_end(&h, digest);
}

/* Of the owner of the folder, and written by nobody else. */
static bool read_file(const char *path, char **data, size_t *length)
{
    struct stat info, of_folder;
    bool ok = false;
    const int folder = open_folder(path, &of_folder);
    if (folder < 0) return false;
    const int fd = openat(folder, strrchr(path, '/') + 1, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    close(folder);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "rb");
    if (!f) {
        if (fd >= 0) close(fd);
        return false;
    }
    if (!fstat(fd, &info) && S_ISREG(info.st_mode) && info.st_uid == of_folder.st_uid && !(info.st_mode & 022) &&
        info.st_size > HEAD && !sw_alloc((size_t)info.st_size, data)) {
        *length = (size_t)info.st_size;
        ok = fread(*data, 1, *length, f) == *length;
    }
    fclose(f);
    return ok;
}

static bool read_checked(const char *path, void **cubin, size_t *bytes)
{
    char *data = NULL, *out = NULL;
    size_t length = 0;
    unsigned char digest[32];
    bool ok = path[0] && read_file(path, &data, &length) && !memcmp(data, magic, sizeof magic);
    if (ok) {
        digest_of(data + HEAD, length - HEAD, digest);
        ok = !memcmp(data + sizeof magic, digest, sizeof digest) && !sw_alloc(length - HEAD, &out);
    }
    if (ok) {
        *cubin = memcpy(out, data + HEAD, length - HEAD);
        *bytes = length - HEAD;
    }
    sw_free(data);
    return ok;
}

/* Readers see the whole file or none: written beside it, then renamed.
 * @param shared  others may read it  @return whether it is there */
static bool write_whole(const char *path, bool shared, const void *cubin, size_t bytes)
{
    struct stat of_folder;
    unsigned char digest[32];
    bool ok = false;
    char *part = NULL;
    int fd = -1;
    if (!path[0]) return false;
    make_folders(path, shared ? 0755 : 0700);
    const int folder = open_folder(path, &of_folder);
    if (folder >= 0) close(folder);
    FILE *f = folder < 0 || sw_private_file(path, &fd, &part) ? NULL : fdopen(fd, "wb");
    if (f) {
        digest_of(cubin, bytes, digest);
        ok = fwrite(magic, sizeof magic, 1, f) == 1 && fwrite(digest, sizeof digest, 1, f) == 1 &&
             fwrite(cubin, bytes, 1, f) == 1;
        ok = !fchmod(fd, shared ? 0644 : 0600) && ok;
        ok = !fclose(f) && ok;
        ok = ok && !rename(part, path);
    } else if (fd >= 0) {
        close(fd);
    }
    if (!ok && fd >= 0) unlink(part);
    sw_free(part);
    return ok;
}

bool kernel_file_read(const struct sw_text *code, const char *compiler, void **cubin, size_t *bytes)
{
    struct sw_text path = {0};
    file_path(code, compiler, &path);
    const bool there = read_checked(sw_text_get(&path), cubin, bytes);
    sw_text_free(&path);
    return there;
}

static bool write_for(const struct sw_text *code, const char *compiler, const void *cubin, size_t bytes)
{
    struct sw_text path = {0};
    file_path(code, compiler, &path);
    const bool there = write_whole(sw_text_get(&path), !*compiler, cubin, bytes);
    sw_text_free(&path);
    return there;
}

bool kernel_file_share(const struct sw_text *code, const void *cubin, size_t bytes)
{
    return shipped_folder() && shipped.named && write_for(code, "", cubin, bytes);
}

bool kernel_file_write(const struct sw_text *code, const char *compiler, const void *cubin, size_t bytes)
{
    return kernel_file_share(code, cubin, bytes) || write_for(code, compiler, cubin, bytes);
}
