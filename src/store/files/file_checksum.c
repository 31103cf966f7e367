#include "store/files/sw_file_checksum.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "base/sw_checksum.h"
#include "base/sw_hash.h"
#include "base/sw_mem.h"
#include "base/sw_private.h"
#include "store/files/sw_files.h"

/* What "verified" is said of, and when it was: the digest of the checksums, the length and the time of the last change
 * go along, so that it does not outlive any of them. A file that is copied loses it, or keeps it with its time. */
static const char note_name[] = "user.sweep.verified";
enum { NOTE = 120 };

/* @return the length of what the note begins with */
static int note_head(int fd, const struct sw_checksum *sum, char note[NOTE])
{
    char identity[33];
    unsigned char digest[32] = {0};
    struct stat s;
    if (fstat(fd, &s)) return 0;
    memcpy(digest, sum->identity, sizeof sum->identity);
    sw_hash_hex(digest, 32, identity);
    return snprintf(note, NOTE, "%s %lld %lld.%09ld ", identity, (long long)s.st_size, (long long)s.st_mtim.tv_sec,
                    s.st_mtim.tv_nsec);
}

static int64_t read_note(int fd, const struct sw_checksum *sum)
{
    char note[NOTE] = "", found[NOTE] = "";
    const int head = note_head(fd, sum, note);
    int64_t when = 0;
    if (!head || fgetxattr(fd, note_name, found, sizeof found - 1) <= head) return 0;
    if (strncmp(found, note, (size_t)head) || sscanf(found + head, "%" SCNd64, &when) != 1) return 0;
    return when;
}

/* Where a file system has no such attributes, or the file is not ours, nothing is noted. */
static int64_t write_note(int fd, const struct sw_checksum *sum)
{
    char note[NOTE] = "";
    const int64_t now = time(NULL);
    const int head = note_head(fd, sum, note);
    if (!head) return 0;
    const int length = head + snprintf(note + head, (size_t)(NOTE - head), "%lld", (long long)now);
    return fsetxattr(fd, note_name, note, (size_t)length, 0) ? 0 : now;
}

/* Open a file, and use(fd, sum, out), which returns an errno; EBADMSG: sum says what is damaged. */
typedef int use_function(int fd, struct sw_checksum *sum, struct sw_file_checksum *out);

static enum sw_status with_file(const char *path, use_function *use, struct sw_file_checksum *out, bool *damaged)
{
    struct sw_checksum sum = {0};
    char text[SW_CHECKSUM_TEXT];
    *damaged = false;
    *out = (struct sw_file_checksum){0};
    SW_TRY(sw_files_regular(path));
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return sw_files_fail(path);
    int error = sw_checksum_open(fd, &sum);
    if (!error && sum.seal == SW_SEAL_WHOLE) {
        out->sealed = true;
        out->bytes = sum.bytes;
        out->blocks = sum.blocks;
        out->written = sum.written;
        error = use(fd, &sum, out);
    }
    *damaged = sw_checksum_describe(&sum, text);
    const bool elsewhere = *damaged && sw_open_elsewhere(path);
    sw_checksum_free(&sum);
    close(fd);
    if (elsewhere) *damaged = false;
    if (elsewhere || *damaged) return SW_FAIL(SW_E_IO, "%s %s", path, elsewhere ? SW_OPEN_ELSEWHERE : text);
    if (!error) return SW_OK;
    return SW_FAIL(error == ENOMEM ? SW_E_MEMORY : SW_E_IO, "%s: %s", path, strerror(error));
}

static int check(int fd, struct sw_checksum *sum, struct sw_file_checksum *out)
{
    (void)fd;
    (void)out;
    return sw_checksum_check(sum, NULL);
}

static int verify(int fd, struct sw_checksum *sum, struct sw_file_checksum *out)
{
    if (sw_alloc((size_t)sum->blocks, &out->bad)) return ENOMEM;
    const int error = sw_checksum_check(sum, out->bad);
    for (uint64_t k = 0; k < sum->blocks; k++) out->damaged += out->bad[k];
    if (!error) out->verified = write_note(fd, sum);
    return error;
}

static int look(int fd, struct sw_checksum *sum, struct sw_file_checksum *out)
{
    out->verified = read_note(fd, sum);
    return 0;
}

enum sw_status sw_file_checksum_check(const char *path, bool *damaged)
{
    struct sw_file_checksum sum;
    return with_file(path, check, &sum, damaged);
}

enum sw_status sw_file_checksum_verify(const char *path, struct sw_file_checksum *sum, bool *damaged)
{
    return with_file(path, verify, sum, damaged);
}

enum sw_status sw_file_checksum_look(const char *path, struct sw_file_checksum *sum)
{
    bool damaged;
    return with_file(path, look, sum, &damaged);
}

void sw_file_checksum_free(struct sw_file_checksum *sum)
{
    sw_free(sum->bad);
    *sum = (struct sw_file_checksum){0};
}
