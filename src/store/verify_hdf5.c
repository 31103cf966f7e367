/* Is a file what sweep wrote? Its bytes are compared with its checksums (base/sw_checksum.h), and it is opened. */
#include "store/sw_verify.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "base/sw_checksum.h"
#include "base/sw_err.h"
#include "base/sw_hash.h"
#include "base/sw_mem.h"
#include "base/sw_private.h"
#include "store/catalog/input_file.h"
#include "store/files/sw_files.h"
#include "store/files/sw_output.h"
#include "store/hdf5/schema_hdf5.h"

/* ---- the bytes of one file. No HDF5 here: nothing of the file is believed. */

/* The note that a file was found whole, and when. It holds the digest of the checksums, the inode, the length, the time
 * of the last change of the content, and the time at which it was written, so that it does not outlive any of them: to
 * write a note is a change of the file, whose time nobody can restore, and which no other may follow. */
static const char note_name[] = "user.sweep.verified";
enum { NOTE = 160 };

/* @return the length of what the note begins with */
static int note_head(const struct sw_checksum *sum, const struct stat *s, char note[NOTE])
{
    char identity[33];
    unsigned char digest[32] = {0};
    memcpy(digest, sum->identity, sizeof sum->identity);
    sw_hash_hex(digest, 32, identity);
    return snprintf(note, NOTE, "%s %llu %lld %lld.%09ld ", identity, (unsigned long long)s->st_ino,
                    (long long)s->st_size, (long long)s->st_mtim.tv_sec, s->st_mtim.tv_nsec);
}

static int64_t nanoseconds(const struct timespec *t) { return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec; }

/* Whether a time is that of the last change, which the system has from a clock that ticks every 10 ms or oftener. */
static bool is_last_change(const struct stat *s, int64_t when)
{
    return llabs(nanoseconds(&s->st_ctim) - when) < 100000000;
}

static int64_t read_note(int fd, const struct sw_checksum *sum)
{
    char note[NOTE] = "", found[NOTE] = "";
    struct stat s;
    int64_t when = 0;
    const int head = fstat(fd, &s) ? 0 : note_head(sum, &s, note);
    if (!head || fgetxattr(fd, note_name, found, sizeof found - 1) <= head) return 0;
    if (strncmp(found, note, (size_t)head) || sscanf(found + head, "%" SCNd64, &when) != 1) return 0;
    return is_last_change(&s, when) ? when / 1000000000 : 0;
}

/* Where a file system has no such attributes, has a clock of its own, or the file is not ours, nothing is noted.
 * @param s  of the file before it was read */
static int64_t write_note(int fd, const struct sw_checksum *sum, const struct stat *s)
{
    enum { TRIES = 3 };
    for (int k = 0; k < TRIES; k++) {  /* the system may let us wait */
        char note[NOTE] = "";
        struct timespec clock;
        struct stat now;
        const int head = note_head(sum, s, note);
        if (k == 0 && (fstat(fd, &now) || memcmp(&now.st_ctim, &s->st_ctim, sizeof now.st_ctim))) return 0;
        clock_gettime(CLOCK_REALTIME, &clock);
        const int64_t when = nanoseconds(&clock);
        const int length = head + snprintf(note + head, (size_t)(NOTE - head), "%" PRId64, when);
        if (fsetxattr(fd, note_name, note, (size_t)length, 0) || fstat(fd, &now)) return 0;
        if (is_last_change(&now, when)) return clock.tv_sec;
    }
    return 0;
}

static enum sw_status fail_damaged(const char *path, const char *text)
{
    SW_FAIL(SW_E_IO, "%s %s", path, text);
    sw_err_set_cause(SW_CAUSE_DAMAGED);
    return SW_E_IO;
}

/* Open a file, and use(fd, sum, out), which returns an errno; EBADMSG: sum says what is damaged. */
typedef int use_function(int fd, struct sw_checksum *sum, struct sw_file_checksum *out);

static enum sw_status with_file(const char *path, use_function *use, struct sw_file_checksum *out, bool *damaged)
{
    struct sw_checksum sum = {0};
    struct sw_text text = SW_SHORT_TEXT;
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
    *damaged = sw_checksum_describe(&sum, &text);
    const bool elsewhere = *damaged && sw_open_elsewhere(path);
    sw_checksum_free(&sum);
    close(fd);
    if (elsewhere) *damaged = false;
    if (elsewhere) return SW_FAIL(SW_E_IO, "%s %s", path, SW_OPEN_ELSEWHERE);
    if (*damaged) return fail_damaged(path, sw_text_get(&text));
    if (!error) return SW_OK;
    return SW_FAIL_ERRNO(error == ENOMEM ? SW_E_MEMORY : SW_E_IO, error, "%s", path);
}

static int check_blocks(int fd, struct sw_checksum *sum, struct sw_file_checksum *out)
{
    (void)fd;
    (void)out;
    return sw_checksum_check(sum, NULL);
}

static int verify_blocks(int fd, struct sw_checksum *sum, struct sw_file_checksum *out)
{
    struct stat s;
    if (sw_alloc((size_t)sum->blocks, &out->bad)) return ENOMEM;
    if (fstat(fd, &s)) return errno;
    const int error = sw_checksum_check(sum, out->bad);
    for (uint64_t k = 0; k < sum->blocks; k++) out->damaged += out->bad[k];
    if (!error) out->verified = write_note(fd, sum, &s);
    return error;
}

static int read_when(int fd, struct sw_checksum *sum, struct sw_file_checksum *out)
{
    out->verified = read_note(fd, sum);
    return 0;
}

enum sw_status sw_file_checksum_check(const char *path, bool *damaged)
{
    struct sw_file_checksum sum;
    return with_file(path, check_blocks, &sum, damaged);
}

/* As sw_file_checksum_check(); and list where the file is damaged, or note with it that it was found whole, if the file
 * system can (an extended attribute). */
static enum sw_status verify_bytes(const char *path, struct sw_file_checksum *sum, bool *damaged)
{
    return with_file(path, verify_blocks, sum, damaged);
}

enum sw_status sw_file_checksum_look(const char *path, struct sw_file_checksum *sum)
{
    bool damaged;
    return with_file(path, read_when, sum, &damaged);
}

static void free_checksum(struct sw_file_checksum *sum)
{
    sw_free(sum->bad);
    *sum = (struct sw_file_checksum){0};
}

/* ---- whose numbers damaged blocks of a file hold */

/* HDF5 1.10 looks for each chunk from the first on. */
enum { MOST_CHUNKS = 4096 };

struct search {
    const unsigned char *bad;
    uint64_t blocks;
    bool *row;      /* [rows] out: damaged */
    hsize_t rows;
};

static bool any_bad(const struct search *s, uint64_t at, uint64_t bytes)
{
    for (uint64_t k = at / SW_CHECKSUM_BLOCK; bytes && k <= (at + bytes - 1) / SW_CHECKSUM_BLOCK && k < s->blocks; k++)
        if (s->bad[k]) return true;
    return false;
}

/* Rows of `bytes` bytes each, from a place in the file on. */
static void mark_rows(const struct search *s, uint64_t at, hsize_t first, hsize_t rows, uint64_t bytes)
{
    for (hsize_t k = 0; k < rows && first + k < s->rows; k++) s->row[first + k] |= any_bad(s, at + k * bytes, bytes);
}

static uint64_t row_bytes(const hsize_t *dim, int rank, enum sw_h5_type type)
{
    uint64_t bytes = sw_h5_size(type);
    for (int k = 1; k < rank; k++) bytes *= dim[k];
    return bytes;
}

static void mark_chunks(const struct search *s, hid_t dataset, const struct sw_h5_shape *shape, enum sw_h5_type type)
{
#if H5_VERSION_GE(1, 10, 5)
    hsize_t count = 0, at[SW_H5_RANK] = {0}, bytes = 0;
    haddr_t address = HADDR_UNDEF;
    unsigned filters;
    hid_t space = H5Dget_space(dataset);
    if (space >= 0 && H5Dget_num_chunks(dataset, space, &count) >= 0 && count <= MOST_CHUNKS)
        for (hsize_t k = 0; k < count; k++)
            if (H5Dget_chunk_info(dataset, space, k, at, &filters, &address, &bytes) >= 0 && address != HADDR_UNDEF)
                mark_rows(s, address, at[0], shape->chunk[0], row_bytes(shape->chunk, shape->rank, type));
    if (space >= 0) H5Sclose(space);
#else
    (void)s; (void)dataset; (void)shape; (void)type;
#endif
}

static void add_runs(const struct search *s, const struct sw_data_group *group, const char *name, struct sw_text *text)
{
    struct sw_text list = {0};
    hsize_t first = 0, count = 0;
    for (hsize_t k = 0; k <= s->rows; k++) {
        const bool here = k < s->rows && s->row[k];
        if (here && !count++) first = k;
        if (here || !count) continue;
        sw_run_ranges_add(&list, group->index[first], group->index[first + count - 1]);
        count = 0;
    }
    if (list.length) sw_text_printf(text, "%s%s of runs %s", text->length ? "; " : "", name, sw_text_get(&list));
    sw_text_free(&list);
}

static void add_variable(struct sw_h5 *h, const struct sw_data_group *group, const struct sw_var *var, struct search *s,
                         struct sw_text *text)
{
    char path[SW_PATH];
    struct sw_h5_shape shape;
    enum sw_h5_type type;
    hid_t dataset = sw_h5_dataset(h, sw_data_group_path(group, var->name, path), &shape, &type);
    if (dataset < 0) return;
    s->rows = shape.rank > 1 && shape.dim[0] <= (hsize_t)group->count ? shape.dim[0] : 0;
    memset(s->row, 0, (size_t)group->count * sizeof *s->row);
    const haddr_t at = shape.chunk[0] || shape.is_virtual ? HADDR_UNDEF : H5Dget_offset(dataset);
    if (shape.chunk[0]) mark_chunks(s, dataset, &shape, type);
    else if (at != HADDR_UNDEF) mark_rows(s, at, 0, s->rows, row_bytes(shape.dim, shape.rank, type));
    add_runs(s, group, var->name, text);
    sw_h5_dataset_close(dataset);
}

/* Add "u of runs 3, 5..9; mass of runs 0..7" for the fields, series and states that lie in blocks of which bad[] is 1;
 * nothing for what cannot be found out. The values themselves are not read.
 * @param bad  [blocks] of SW_CHECKSUM_BLOCK bytes */
static void add_damaged_runs(const struct sw_input_file *in, const unsigned char *bad, uint64_t blocks,
                             struct sw_text *text)
{
    struct sw_h5 h;
    struct search s = {.bad = bad, .blocks = blocks};
    enum sw_status st = sw_h5_open(&h, in->path);
    for (int g = 0; g < in->ndata_group && !st; g++) {
        const struct sw_data_group *group = &in->data_group[g];
        if (sw_alloc((size_t)group->count, &s.row)) break;
        for (int k = 0; k < group->nvar && !h.status; k++) add_variable(&h, group, &group->var[k], &s, text);
        sw_free(s.row);
    }
    sw_h5_close(&h);
}

/* ---- FILE, and what belongs to it */

typedef void tell_function(void *user, const struct sw_verified *of);

/* A file whose bytes are what was written, or that has no checksums, is opened to see which it is.
 * @param why  in: empty; out: the message, of a damaged one */
static enum sw_status look_inside(const char *path, struct sw_input_file *in, struct sw_verified *v,
                                  struct sw_text *why)
{
    bool damaged;
    enum sw_status st = sw_input_file_open(path, in, &damaged);
    if (st && !damaged) return st;
    if (st) {
        sw_text_add(why, sw_err_message());
        v->verdict = sw_err_cause() == SW_CAUSE_FOREIGN ? SW_VERDICT_OTHER : SW_VERDICT_DAMAGED;
    } else if (in->lost_checksums) {
        if (sw_open_elsewhere(path)) return SW_FAIL(SW_E_IO, "%s " SW_OPEN_ELSEWHERE, path);
        sw_text_printf(why, "%s was changed after sweep had written it, by a program that opened it to write, as h5py "
                       "does with 'r+': it has lost its checksums", path);
        v->verdict = SW_VERDICT_CHANGED;
    } else v->verdict = v->sum.sealed ? SW_VERDICT_WHOLE : SW_VERDICT_UNKNOWN;
    return SW_OK;
}

/* Whose numbers are damaged can be said if what describes them is not. */
static void find_runs(const char *path, const struct sw_file_checksum *sum, struct sw_text *where)
{
    struct sw_input_file in;
    bool damaged;
    if (!sum->bad || sw_input_file_open(path, &in, &damaged)) return;
    add_damaged_runs(&in, sum->bad, sum->blocks, where);
    sw_input_file_free(&in);
}

/* @param in  out: to be freed; {0} where it cannot be opened */
static enum sw_status verify_one(const char *path, tell_function *tell, void *user, struct sw_input_file *in)
{
    struct sw_verified v = {.path = path, .verdict = SW_VERDICT_DAMAGED};
    struct sw_text where = {0}, why = {0};
    bool damaged;
    *in = (struct sw_input_file){0};
    enum sw_status st = verify_bytes(path, &v.sum, &damaged);
    if (st && damaged) sw_text_add(&why, sw_err_message());
    if (!st) st = look_inside(path, in, &v, &why);
    else if (damaged) st = SW_OK;
    if (why.length) find_runs(path, &v.sum, &where);
    v.why = sw_text_get(&why);
    v.where = sw_text_get(&where);
    if (!st) tell(user, &v);
    sw_text_free(&where);
    sw_text_free(&why);
    free_checksum(&v.sum);
    return st;
}

static enum sw_status verify_with_sources(const char *path, int depth, tell_function *tell, void *user)
{
    enum { DEEPEST = 4 };
    struct sw_input_file in;
    if (depth > DEEPEST)
        return SW_FAIL(SW_E_IO, "%s is virtual, and so are its parts, and theirs, without an end", path);
    enum sw_status st = verify_one(path, tell, user, &in);
    for (int k = 0; !st && k < in.nsource; k++) st = verify_with_sources(in.source[k], depth + 1, tell, user);
    sw_input_file_free(&in);
    return st;
}

/* A part may have been joined meanwhile by the process that computes the sweep. */
static enum sw_status verify_part(const char *path, tell_function *tell, void *user)
{
    struct sw_input_file in;
    enum sw_status st = verify_one(path, tell, user, &in);
    sw_input_file_free(&in);
    return st && sw_files_absent(path) ? SW_OK : st;
}

enum sw_status sw_output_verify(const char *file, tell_function *tell, void *user)
{
    char **part;
    int count;
    const bool absent = sw_files_absent(file);
    SW_TRY(sw_files_parts(file, &part, &count));
    enum sw_status st = absent ? SW_OK : verify_with_sources(file, 0, tell, user);
    if (absent && !count) st = sw_output_fail_absent(file);
    for (int k = 0; k < count && !st; k++) st = verify_part(part[k], tell, user);
    sw_files_free_list(&part, count);
    return st;
}

/* @param bytes  in, out: of all files so far */
static enum sw_status check_bytes(const char *path, uint64_t *bytes)
{
    struct sw_file_checksum sum;
    bool damaged;
    SW_TRY(sw_file_checksum_look(path, &sum));
    *bytes += sum.bytes;
    if (*bytes > SW_VERIFY_AGAIN && sum.verified) return SW_OK;
    enum sw_status st = verify_bytes(path, &sum, &damaged);
    free_checksum(&sum);
    return st;
}

enum sw_status sw_output_check(const char *file, bool *lost)
{
    struct sw_input_file in;
    uint64_t bytes = 0;
    bool damaged;
    *lost = false;
    SW_TRY(check_bytes(file, &bytes));
    enum sw_status st = sw_input_file_open_sources(file, &in, &damaged);
    *lost = in.lost_checksums;
    const bool readers = st && damaged && !in.lost_checksums;  /* whoever reads it will say what it is */
    for (int k = 0; !st && k < in.nsource; k++) st = check_bytes(in.source[k], &bytes);
    sw_input_file_free(&in);
    return readers ? SW_OK : st;
}
