#include "base/sw_checksum.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define XXH_INLINE_ALL  /* compiled for the processor that this program is for, and nothing to link */
#include <xxhash.h>
#if XXH_VERSION_NUMBER < 800
#error "XXH3 has its final form from xxHash 0.8.0 on"
#endif

#include "base/sw_err.h"
#include "base/sw_mem.h"

enum { BLOCK = SW_CHECKSUM_BLOCK, DIGEST = 16, FOOT = 96, VERSION = 1 };

static const char marks[2][17] = {"sweep: checksum\n", "\nchecksum ends.\n"};

/* Where in the foot. */
enum { AT_VERSION = 16, AT_BLOCK = 20, AT_BYTES = 24, AT_WRITTEN = 32, AT_TABLE = 40, AT_SELF = 56, AT_MARK = 80 };

static void digest_of(const void *bytes, size_t count, unsigned char digest[DIGEST])
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes, count));
    memcpy(digest, canonical.digest, DIGEST);
}

static void put_number(unsigned char *to, uint64_t value, int bytes)
{
    for (int k = 0; k < bytes; k++) to[k] = (unsigned char)(value >> 8 * k);
}

static uint64_t get_number(const unsigned char *from, int bytes)
{
    uint64_t value = 0;
    for (int k = bytes; k-- > 0;) value = value << 8 | from[k];
    return value;
}

static uint64_t blocks_of(uint64_t bytes) { return bytes / BLOCK + (bytes % BLOCK != 0); }

static size_t block_length(uint64_t bytes, uint64_t block)
{
    return bytes - block * BLOCK < BLOCK ? (size_t)(bytes - block * BLOCK) : BLOCK;
}

int sw_read_at(int fd, uint64_t at, size_t count, void *to)
{
    char *bytes = to;
    while (count) {
        const ssize_t got = pread(fd, bytes, count, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno;
        if (got == 0) {
            memset(bytes, 0, count);
            return 0;
        }
        bytes += got;
        at += (uint64_t)got;
        count -= (size_t)got;
    }
    return 0;
}

int sw_write_at(int fd, uint64_t at, size_t count, const void *from)
{
    const char *bytes = from;
    while (count) {
        const ssize_t put = pwrite(fd, bytes, count, (off_t)at);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return put < 0 ? errno : EIO;
        bytes += put;
        at += (uint64_t)put;
        count -= (size_t)put;
    }
    return 0;
}

/* ---- while a file is written */

/* What was handed over of a block: its digest once it came as a whole; else the weight of its words (weigh()), zeros
 * where nothing came, and which cells of 1 KiB have got bytes. */
struct block { unsigned char digest[DIGEST]; uint64_t weight, touched; bool whole; };
enum { CELL = BLOCK / 64 };

struct sw_checksum_writer {
    uint64_t count, room;
    struct block *block;  /* [room], of which count are known                       */
    int64_t damaged;      /* a block that the disk did not keep as it was; -1: none */
    unsigned char held[BLOCK];
};

enum sw_status sw_checksum_begin(struct sw_checksum_writer **writer)
{
    SW_TRY(sw_alloc(1, writer));
    (*writer)->damaged = -1;
    return SW_OK;
}

void sw_checksum_drop(struct sw_checksum_writer **writer)
{
    if (!writer || !*writer) return;
    sw_free((*writer)->block);
    sw_free(*writer);
    *writer = NULL;
}

/* The sum over words i of f(word) (2 i + 1) odd, mod 2^64, where f is one to one and f(0) = 0. So zeros weigh nothing,
 * pieces add up in any order, a piece that is replaced is subtracted, and a word that differs always changes the sum;
 * several cancel once in some 2^64 times. 2 multiplications a word: 5 us a block on one core.
 * @param at, count  multiples of 8 */
static uint64_t weigh(const unsigned char *bytes, size_t at, size_t count)
{
    uint64_t sum = 0;
    for (size_t k = 0; k < count; k += 8) {
        uint64_t word;
        memcpy(&word, bytes + k, 8);
        word *= 0x9e3779b97f4a7c15u;
        word ^= word >> 32;
        sum += word * ((2 * ((at + k) / 8) + 1) * 0xd6e8feb86659fd93u);
    }
    return sum;
}

/* Whether a block is what was handed over; it is followed by zeros up to BLOCK bytes. */
static bool is_kept(const struct block *b, const unsigned char *bytes)
{
    unsigned char digest[DIGEST];
    if (!b->whole) return weigh(bytes, 0, BLOCK) == b->weight;
    digest_of(bytes, BLOCK, digest);
    return !memcmp(digest, b->digest, DIGEST);
}

/* Read a block into bytes[BLOCK]. @return errno; EBADMSG: it is not what was handed over */
static int read_kept(const struct sw_checksum_writer *w, int fd, uint64_t block, unsigned char *bytes)
{
    static const struct block nothing;
    const int error = sw_read_at(fd, block * BLOCK, BLOCK, bytes);
    return error ? error : is_kept(block < w->count ? &w->block[block] : &nothing, bytes) ? 0 : EBADMSG;
}

static int hold_kept(struct sw_checksum_writer *w, int fd, uint64_t block)
{
    const int error = read_kept(w, fd, block, w->held);
    if (error == EBADMSG) w->damaged = (int64_t)block;
    return error;
}

static int know_blocks(struct sw_checksum_writer *w, uint64_t count)
{
    if (count > w->room) {
        const uint64_t room = count > 2 * w->room ? count + 64 : 2 * w->room;
        if (sw_resize((size_t)w->room, (size_t)room, &w->block)) return ENOMEM;
        w->room = room;
    }
    if (count > w->count) w->count = count;
    return 0;
}

/* A block that came as a whole is to get other bytes in some place. */
static int weigh_whole(struct sw_checksum_writer *w, int fd, uint64_t block)
{
    struct block *b = &w->block[block];
    if (!b->whole) return 0;
    const int error = hold_kept(w, fd, block);
    if (error) return error;
    *b = (struct block){.weight = weigh(w->held, 0, BLOCK), .touched = UINT64_MAX};
    return 0;
}

/* Bytes at .. at + count - 1 of a block are replaced; from NULL: by zeros. Had the disk changed the old ones, the sum
 * would be wrong for good. */
static int replace(struct sw_checksum_writer *w, int fd, uint64_t block, size_t at, const void *from, size_t count)
{
    struct block *b = &w->block[block];
    const size_t begin = at / 8 * 8, words = (at + count + 7) / 8 * 8 - begin, cell = at / CELL;
    const uint64_t cells = (UINT64_MAX >> (63 - (at + count - 1) / CELL + cell)) << cell;
    int error = weigh_whole(w, fd, block);
    if (error) return error;
    if (b->touched & cells) {
        error = sw_read_at(fd, block * BLOCK + begin, words, w->held);
        if (error) return error;
        b->weight -= weigh(w->held, begin, words);
    } else memset(w->held, 0, words);
    if (from) memcpy(w->held + (at - begin), from, count);
    else memset(w->held + (at - begin), 0, count);
    b->weight += weigh(w->held, begin, words);
    b->touched |= cells;
    return 0;
}

/* A block takes 1.6 us on a processor with AVX2. */
static void add_blocks(struct sw_checksum_writer *w, uint64_t block, const char *bytes, uint64_t count)
{
    for (uint64_t k = 0; k < count; k++) {
        digest_of(bytes + k * BLOCK, BLOCK, w->block[block + k].digest);
        w->block[block + k].whole = true;
    }
}

int sw_checksum_add(struct sw_checksum_writer *w, int fd, uint64_t at, const void *bytes, size_t count)
{
    const char *from = bytes;
    int error = know_blocks(w, blocks_of(at + count));
    while (count && !error) {
        const size_t into = (size_t)(at % BLOCK), whole = into ? 0 : count / BLOCK;
        const size_t here = whole ? whole * BLOCK : count < BLOCK - into ? count : BLOCK - into;
        if (whole) add_blocks(w, at / BLOCK, from, whole);
        else error = replace(w, fd, at / BLOCK, into, from, here);
        from += here;
        at += here;
        count -= here;
    }
    return error;
}

int sw_checksum_cut(struct sw_checksum_writer *w, int fd, uint64_t length)
{
    const uint64_t first = blocks_of(length);
    const size_t into = (size_t)(length % BLOCK);
    if (w->count > first) memset(w->block + first, 0, (size_t)(w->count - first) * sizeof *w->block);
    return into && w->count >= first ? replace(w, fd, first - 1, into, NULL, BLOCK - into) : 0;
}

int sw_checksum_read_kept(struct sw_checksum_writer *w, int fd, uint64_t at, size_t count, void *to)
{
    char *bytes = to;
    int error = 0;
    while (count && !error) {
        const size_t into = (size_t)(at % BLOCK), here = count < BLOCK - into ? count : BLOCK - into;
        error = hold_kept(w, fd, at / BLOCK);
        if (!error) memcpy(bytes, w->held + into, here);
        bytes += here;
        at += here;
        count -= here;
    }
    return error;
}

/* Digests of all blocks; of those that did not come as a whole from their bytes, once these are known to be what was
 * handed over. @return errno; EBADMSG: w->damaged says which are not */
static int list_digests(struct sw_checksum_writer *w, int fd, uint64_t bytes, unsigned char (*digest)[DIGEST])
{
    const int64_t blocks = (int64_t)blocks_of(bytes);
    int error = know_blocks(w, (uint64_t)blocks);
    int64_t pieces = 0;
    for (int64_t k = 0; k < blocks && !error; k++) {
        if (w->block[k].whole) memcpy(digest[k], w->block[k].digest, DIGEST);
        pieces += !w->block[k].whole;
    }
#pragma omp parallel if (pieces > 256)
    {
        unsigned char *block = malloc(BLOCK);
        int failed = error ? error : block ? 0 : ENOMEM;
#pragma omp for schedule(dynamic, 16)
        for (int64_t k = 0; k < blocks; k++) {
            if (failed || w->block[k].whole) continue;
            failed = read_kept(w, fd, (uint64_t)k, block);
            if (!failed) digest_of(block, block_length(bytes, (uint64_t)k), digest[k]);
            if (failed != EBADMSG) continue;
#pragma omp critical(sw_checksum)
            w->damaged = k;
        }
        free(block);
        if (failed) {
#pragma omp critical(sw_checksum)
            error = failed;
        }
    }
    return error;
}

static void make_foot(uint64_t bytes, const unsigned char (*digest)[DIGEST], unsigned char foot[FOOT])
{
    memset(foot, 0, FOOT);
    memcpy(foot, marks[0], 16);
    put_number(foot + AT_VERSION, VERSION, 4);
    put_number(foot + AT_BLOCK, BLOCK, 4);
    put_number(foot + AT_BYTES, bytes, 8);
    put_number(foot + AT_WRITTEN, (uint64_t)time(NULL), 8);
    digest_of(digest, (size_t)blocks_of(bytes) * DIGEST, foot + AT_TABLE);
    digest_of(foot, AT_SELF, foot + AT_SELF);
    memcpy(foot + AT_MARK, marks[1], 16);
}

/* @return SW_OK for error 0 */
static enum sw_status fail_written(int error, int64_t damaged, const char *path)
{
    static const char what[] = "the disk does not hold what was written to it";
    static const char hint[] = "it is not used; see to the disk, then run the same command again";
    if (!error) return SW_OK;
    if (error != EBADMSG) return SW_FAIL_ERRNO(error == ENOMEM ? SW_E_MEMORY : SW_E_IO, error, "%s", path);
    if (damaged < 0) SW_FAIL(SW_E_IO, "%s: %s, at its end; %s", path, what, hint);
    else SW_FAIL(SW_E_IO, "%s: %s, in the 64 KiB from byte %llu on; %s", path, what,
                 (unsigned long long)damaged * BLOCK, hint);
    sw_err_set_cause(SW_CAUSE_DAMAGED);
    return SW_E_IO;
}

enum sw_status sw_checksum_fail(const struct sw_checksum_writer *w, int error, const char *path)
{
    return fail_written(error, w ? w->damaged : -1, path);
}

enum sw_status sw_checksum_seal(struct sw_checksum_writer **writer, struct sw_sealed *sealed, const char *path)
{
    unsigned char (*digest)[DIGEST] = NULL, foot[FOOT];
    struct stat s;
    int error = fstat(sealed->fd, &s) ? errno : 0;
    const uint64_t bytes = error ? 0 : (uint64_t)s.st_size, table = blocks_of(bytes) * DIGEST;
    if (!error && sw_alloc((size_t)blocks_of(bytes), &digest)) error = ENOMEM;
    if (!error) error = list_digests(*writer, sealed->fd, bytes, digest);
    if (!error) {
        make_foot(bytes, (const unsigned char (*)[DIGEST])digest, foot);
        memcpy(sealed->identity, foot + AT_SELF, DIGEST);
        error = sw_write_at(sealed->fd, bytes, (size_t)table, digest);
    }
    if (!error) error = sw_write_at(sealed->fd, bytes + table, FOOT, foot);
    const enum sw_status st = sw_checksum_fail(*writer, error, path);
    sw_free(digest);
    sw_checksum_drop(writer);
    return st;
}

/* A file system that knows no O_DIRECT, or does not care for it, reads what is not in its cache any more. */
enum sw_status sw_checksum_read_back(int fd, const unsigned char identity[DIGEST], const char *path)
{
    struct sw_checksum sum;
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    int error = sw_checksum_open(fd, &sum);
    const int direct = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
    sum.direct = direct > 0 ? direct : 0;
    if (!error && (sum.seal != SW_SEAL_WHOLE || (identity && memcmp(sum.identity, identity, DIGEST)))) error = EBADMSG;
    if (!error) error = sw_checksum_check(&sum, NULL);
    const enum sw_status st = fail_written(error, sum.damaged, path);
    if (direct >= 0) close(direct);
    sw_checksum_free(&sum);
    return st;
}

/* ---- when it is read */

static int read_digests(struct sw_checksum *sum, const unsigned char foot[FOOT])
{
    unsigned char digest[DIGEST];
    if (sw_alloc((size_t)sum->blocks, &sum->digest) || sw_alloc((size_t)sum->blocks, &sum->checked) ||
        sw_alloc(BLOCK, &sum->block))
        return ENOMEM;
    const int error = sw_read_at(sum->fd, sum->bytes, (size_t)sum->blocks * DIGEST, sum->digest);
    if (error) return error;
    digest_of(sum->digest, (size_t)sum->blocks * DIGEST, digest);
    if (memcmp(digest, foot + AT_TABLE, DIGEST)) sum->seal = SW_SEAL_DAMAGED;
    return 0;
}

int sw_checksum_open(int fd, struct sw_checksum *sum)
{
    unsigned char foot[FOOT], digest[DIGEST];
    struct stat s;
    *sum = (struct sw_checksum){.fd = fd, .damaged = -1, .held = -1};
    if (fstat(fd, &s)) return errno;
    const uint64_t length = sum->bytes = (uint64_t)s.st_size;
    if (length < FOOT) return 0;
    int error = sw_read_at(fd, length - FOOT, FOOT, foot);
    if (error) return error;
    if (memcmp(foot, marks[0], 16) && memcmp(foot + AT_MARK, marks[1], 16)) return 0;
    sum->seal = SW_SEAL_DAMAGED;
    digest_of(foot, AT_SELF, digest);
    const uint64_t bytes = get_number(foot + AT_BYTES, 8), tail = length - FOOT;
    if (memcmp(foot, marks[0], 16) || memcmp(foot + AT_MARK, marks[1], 16) || memcmp(digest, foot + AT_SELF, DIGEST) ||
        get_number(foot + AT_MARK - 8, 8) || get_number(foot + AT_VERSION, 4) != VERSION ||
        get_number(foot + AT_BLOCK, 4) != BLOCK || bytes > tail || tail - bytes != blocks_of(bytes) * DIGEST)
        return 0;
    sum->seal = SW_SEAL_WHOLE;
    sum->bytes = bytes;
    sum->blocks = blocks_of(bytes);
    sum->written = (int64_t)get_number(foot + AT_WRITTEN, 8);
    memcpy(sum->identity, foot + AT_SELF, DIGEST);
    error = read_digests(sum, foot);
    if (error || sum->seal == SW_SEAL_DAMAGED) sum->blocks = 0;
    return error;
}

void sw_checksum_free(struct sw_checksum *sum)
{
    sw_free(sum->digest);
    sw_free(sum->checked);
    sw_free(sum->block);
    *sum = (struct sw_checksum){0};
}

bool sw_checksum_describe(const struct sw_checksum *sum, struct sw_text *text)
{
    static const char what[] = "is a damaged HDF5 file";
    const uint64_t block = sum->damaged < 0 ? 0 : (uint64_t)sum->damaged;
    if (sum->seal == SW_SEAL_DAMAGED)
        sw_text_set(text, "%s: the checksums at its end are not what was written", what);
    else if (sum->damaged >= 0)
        sw_text_set(text, "%s: by their checksum, bytes %llu to %llu are not what was written", what,
                    (unsigned long long)block * BLOCK,
                    (unsigned long long)block * BLOCK + block_length(sum->bytes, block) - 1);
    return sum->seal == SW_SEAL_DAMAGED || sum->damaged >= 0;
}

static bool is_right(const struct sw_checksum *sum, uint64_t block, const void *bytes)
{
    unsigned char digest[DIGEST];
    digest_of(bytes, block_length(sum->bytes, block), digest);
    return !memcmp(digest, sum->digest[block], DIGEST);
}

static int compare(struct sw_checksum *sum, uint64_t block, const void *bytes)
{
    if (!is_right(sum, block, bytes)) {
        sum->damaged = (int64_t)block;
        return EBADMSG;
    }
    sum->checked[block] = 1;
    return 0;
}

/* Make a block the one whose bytes are held. */
static int hold(struct sw_checksum *sum, uint64_t block)
{
    if (sum->held == (int64_t)block) return 0;
    sum->held = -1;
    int error = sw_read_at(sum->fd, block * BLOCK, block_length(sum->bytes, block), sum->block);
    if (!error) error = compare(sum, block, sum->block);
    if (!error) sum->held = (int64_t)block;
    return error;
}

/* How many of the next bytes lie in whole blocks that are not checked yet, or in checked ones; 0: in neither. Not more
 * than stay in a cache until they are compared. */
static size_t stretch(const struct sw_checksum *sum, uint64_t at, size_t count, bool checked)
{
    enum { AT_ONCE = 8 * BLOCK };
    size_t length = 0;
    while (length < count) {
        const uint64_t block = (at + length) / BLOCK, begin = block * BLOCK;
        const size_t end = (size_t)(begin + block_length(sum->bytes, block) - at), next = end < count ? end : count;
        const bool whole = begin >= at && end <= count;
        if (sum->checked[block] != checked || (!checked && (!whole || length >= AT_ONCE))) break;
        length = next;
    }
    return length;
}

static int compare_stretch(struct sw_checksum *sum, uint64_t at, size_t count, const char *bytes)
{
    int error = 0;
    for (size_t k = 0; k < count && !error; k += BLOCK) error = compare(sum, (at + k) / BLOCK, bytes + k);
    return error;
}

int sw_checksum_read(struct sw_checksum *sum, uint64_t at, size_t count, void *to)
{
    const uint64_t left = at < sum->bytes ? sum->bytes - at : 0;
    char *bytes = to;
    int error = 0;
    if (count > left) {
        memset(bytes + left, 0, count - (size_t)left);
        count = (size_t)left;
    }
    if (!sum->blocks) return sw_read_at(sum->fd, at, count, to);
    while (count && !error) {
        const uint64_t block = at / BLOCK;
        const bool checked = sum->checked[block];
        size_t here = sum->held == (int64_t)block ? 0 : stretch(sum, at, count, checked);
        if (here) {
            error = sw_read_at(sum->fd, at, here, bytes);
            if (!error && !checked) error = compare_stretch(sum, at, here, bytes);
        } else {
            const size_t into = (size_t)(at % BLOCK), rest = block_length(sum->bytes, block) - into;
            here = count < rest ? count : rest;
            error = hold(sum, block);
            if (!error) memcpy(bytes, sum->block + into, here);
        }
        at += here;
        bytes += here;
        count -= here;
    }
    return error;
}

enum { RUN = 16 };  /* blocks that are read at once: a disk is about as fast as with more */

/* Where reads pass the cache by, length and place are whole pages, and the end of the file ends a read.
 * @param bytes  [RUN * BLOCK], of a page's alignment */
static int read_run(const struct sw_checksum *sum, uint64_t block, unsigned char *bytes)
{
    const uint64_t at = block * BLOCK, left = sum->bytes - at;
    const size_t count = left < RUN * BLOCK ? (size_t)left : RUN * BLOCK;
    if (sum->direct && pread(sum->direct, bytes, RUN * BLOCK, (off_t)at) >= (ssize_t)count) return 0;
    return sw_read_at(sum->fd, at, count, bytes);
}

/* @return the first block of a run that differs; -1: none */
static int64_t check_run(const struct sw_checksum *sum, int64_t block, const unsigned char *bytes, unsigned char *bad)
{
    const int64_t end = block + RUN < (int64_t)sum->blocks ? block + RUN : (int64_t)sum->blocks;
    int64_t first = -1;
    for (int64_t k = block; k < end && (bad || first < 0); k++, bytes += BLOCK) {
        const bool wrong = !is_right(sum, (uint64_t)k, bytes);
        if (bad) bad[k] = wrong;
        if (wrong && first < 0) first = k;
    }
    return first;
}

int sw_checksum_check(struct sw_checksum *sum, unsigned char *bad)
{
    int error = 0;
    int64_t first = INT64_MAX;
#pragma omp parallel if (sum->blocks > 256)
    {
        unsigned char *bytes = aligned_alloc(4096, RUN * BLOCK);
        int failed = bytes ? 0 : ENOMEM;
#pragma omp for schedule(dynamic, 1)
        for (int64_t k = 0; k < (int64_t)sum->blocks; k += RUN) {
            if (!failed) failed = read_run(sum, (uint64_t)k, bytes);
            const int64_t wrong = failed ? -1 : check_run(sum, k, bytes, bad);
            if (wrong < 0) continue;
#pragma omp critical(sw_checksum)
            if (wrong < first) first = wrong;
            if (!bad) failed = EBADMSG;
        }
        free(bytes);
        if (failed) {
#pragma omp critical(sw_checksum)
            error = failed;
        }
    }
    if (first < INT64_MAX) sum->damaged = first;
    return error && error != EBADMSG ? error : first < INT64_MAX ? EBADMSG : 0;
}
