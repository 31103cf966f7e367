#include "base/sw_checksum.h"

#include <errno.h>
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

/* What is missing at the end of a file that was cut meanwhile is zeros. */
static int read_at(int fd, uint64_t at, size_t count, void *to)
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

static int write_at(int fd, uint64_t at, size_t count, const void *from)
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

enum state {
    EMPTY,      /* nothing of the block has been written                          */
    BEGUN,      /* its first `filled` bytes, in order: a stream has their digest  */
    DONE,       /* all of it: its digest is known                                 */
    SCATTERED   /* bytes here and there, or again: it is read when all is written */
};
struct block { unsigned char digest[DIGEST]; uint32_t filled; uint16_t stream; unsigned char state; };

/* Datasets grow side by side, each with a block that is begun; so do the runs of a shard, whose neighbours come with
 * other shards. A stream takes 640 bytes. */
enum { STREAMS = 1024 };
struct stream { int64_t block; XXH3_state_t xxh; };

struct sw_checksum_writer {
    uint64_t count, room;
    struct block *block;  /* [room], of which count are known */
    bool lost;            /* there was no memory: all blocks are read when all is written */
    struct stream *stream[STREAMS];  /* [nstream] made when they are needed   */
    uint16_t free[STREAMS];          /* [nfree] those that have no block      */
    int nstream, nfree, oldest;      /* oldest: the next one that is given up */
};

enum sw_status sw_checksum_begin(struct sw_checksum_writer **writer)
{
    return sw_alloc(1, writer);
}

void sw_checksum_drop(struct sw_checksum_writer **writer)
{
    if (!writer || !*writer) return;
    for (int k = 0; k < (*writer)->nstream; k++) sw_free((*writer)->stream[k]);
    sw_free((*writer)->block);
    sw_free(*writer);
    *writer = NULL;
}

static bool know_blocks(struct sw_checksum_writer *w, uint64_t count)
{
    if (count <= w->count || w->lost) return !w->lost;
    if (count > w->room) {
        const uint64_t room = count > 2 * w->room ? count + 64 : 2 * w->room;
        w->lost = sw_resize((size_t)w->room, (size_t)room, &w->block) != SW_OK;
        if (w->lost) return false;
        w->room = room;
    }
    w->count = count;
    return true;
}

static void free_stream(struct sw_checksum_writer *w, const struct block *b) { w->free[w->nfree++] = b->stream; }

static void scatter(struct sw_checksum_writer *w, struct block *b)
{
    if (b->state == BEGUN) free_stream(w, b);
    b->state = SCATTERED;
}

/* Without memory for a new stream one that is in use is given up. @return false: there is none */
static bool find_free_stream(struct sw_checksum_writer *w)
{
    if (w->nfree) return true;
    if (w->nstream < STREAMS && !sw_alloc(1, &w->stream[w->nstream])) {
        w->free[w->nfree++] = (uint16_t)w->nstream++;
        return true;
    }
    if (!w->nstream) return false;
    w->oldest %= w->nstream;
    scatter(w, &w->block[w->stream[w->oldest++]->block]);
    return true;
}

static void begin_stream(struct sw_checksum_writer *w, struct block *b)
{
    b->state = SCATTERED;
    if (!find_free_stream(w)) return;
    b->stream = w->free[--w->nfree];
    b->state = BEGUN;
    w->stream[b->stream]->block = b - w->block;
    XXH3_128bits_reset(&w->stream[b->stream]->xxh);
}

static void end_stream(struct sw_checksum_writer *w, struct block *b)
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&w->stream[b->stream]->xxh));
    memcpy(b->digest, canonical.digest, DIGEST);
    free_stream(w, b);
    b->state = DONE;
}

/* A piece of a block, or all of it. */
static void add_to_block(struct sw_checksum_writer *w, uint64_t block, size_t at, const void *bytes, size_t count)
{
    struct block *b = &w->block[block];
    const bool begins = b->state == EMPTY && at == 0, goes_on = b->state == BEGUN && at == b->filled;
    if (!begins && !goes_on) {
        scatter(w, b);
        return;
    }
    if (begins) begin_stream(w, b);
    if (b->state != BEGUN) return;
    XXH3_128bits_update(&w->stream[b->stream]->xxh, bytes, count);
    b->filled = (uint32_t)(at + count);
    if (b->filled == BLOCK) end_stream(w, b);
}

/* A block takes 1.6 us on a processor with AVX2. */
static void add_blocks(struct sw_checksum_writer *w, uint64_t block, const char *bytes, uint64_t count)
{
    for (uint64_t k = 0; k < count; k++) {
        struct block *b = &w->block[block + k];
        scatter(w, b);
        digest_of(bytes + k * BLOCK, BLOCK, b->digest);
        b->state = DONE;
    }
}

void sw_checksum_add(struct sw_checksum_writer *w, uint64_t at, const void *bytes, size_t count)
{
    const char *from = bytes;
    if (!count || !know_blocks(w, blocks_of(at + count))) return;
    while (count) {
        const size_t into = (size_t)(at % BLOCK), whole = into ? 0 : count / BLOCK;
        const size_t here = whole ? whole * BLOCK : count < BLOCK - into ? count : BLOCK - into;
        if (whole) add_blocks(w, at / BLOCK, from, whole);
        else add_to_block(w, at / BLOCK, into, from, here);
        from += here;
        at += here;
        count -= here;
    }
}

void sw_checksum_cut(struct sw_checksum_writer *w, uint64_t length)
{
    for (uint64_t k = length / BLOCK; k < w->count; k++) scatter(w, &w->block[k]);
}

/* A block that ends with the file ends there. */
static void end_last_block(struct sw_checksum_writer *w, uint64_t bytes)
{
    struct block *b = bytes % BLOCK && bytes / BLOCK < w->count ? &w->block[bytes / BLOCK] : NULL;
    if (b && b->state == BEGUN && b->filled == bytes % BLOCK) end_stream(w, b);
    else if (b) scatter(w, b);
}

/* Of blocks whose digests are not known. @return errno */
static int read_scattered(const struct sw_checksum_writer *w, int fd, uint64_t bytes, unsigned char (*digest)[DIGEST])
{
    const int64_t blocks = (int64_t)blocks_of(bytes);
    int error = 0;
    int64_t scattered = 0;
    for (int64_t k = 0; k < blocks; k++) {
        const bool known = !w->lost && (uint64_t)k < w->count && w->block[k].state == DONE;
        if (known) memcpy(digest[k], w->block[k].digest, DIGEST);
        scattered += !known;
    }
#pragma omp parallel if (scattered > 256)
    {
        unsigned char *block = malloc(BLOCK);
        int failed = block ? 0 : ENOMEM;
#pragma omp for schedule(dynamic, 16)
        for (int64_t k = 0; k < blocks; k++) {
            const size_t length = block_length(bytes, (uint64_t)k);
            if (failed || (!w->lost && (uint64_t)k < w->count && w->block[k].state == DONE)) continue;
            failed = read_at(fd, (uint64_t)k * BLOCK, length, block);
            if (!failed) digest_of(block, length, digest[k]);
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

enum sw_status sw_checksum_seal(struct sw_checksum_writer **writer, int fd, const char *path)
{
    struct sw_checksum_writer *w = *writer;
    unsigned char (*digest)[DIGEST] = NULL, foot[FOOT];
    struct stat s;
    int error = fstat(fd, &s) ? errno : 0;
    const uint64_t bytes = error ? 0 : (uint64_t)s.st_size;
    enum sw_status st = sw_alloc((size_t)blocks_of(bytes), &digest);
    if (!st && !error) {
        end_last_block(w, bytes);
        error = read_scattered(w, fd, bytes, digest);
    }
    if (!st && !error) {
        make_foot(bytes, (const unsigned char (*)[DIGEST])digest, foot);
        error = write_at(fd, bytes, (size_t)blocks_of(bytes) * DIGEST, digest);
        if (!error) error = write_at(fd, bytes + blocks_of(bytes) * DIGEST, FOOT, foot);
    }
    if (!st && error) st = SW_FAIL_ERRNO(error == ENOMEM ? SW_E_MEMORY : SW_E_IO, error, "%s", path);
    sw_free(digest);
    sw_checksum_drop(writer);
    return st;
}

/* ---- when it is read */

static int read_digests(struct sw_checksum *sum, const unsigned char foot[FOOT])
{
    unsigned char digest[DIGEST];
    if (sw_alloc((size_t)sum->blocks, &sum->digest) || sw_alloc((size_t)sum->blocks, &sum->checked) ||
        sw_alloc(BLOCK, &sum->block))
        return ENOMEM;
    const int error = read_at(sum->fd, sum->bytes, (size_t)sum->blocks * DIGEST, sum->digest);
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
    int error = read_at(fd, length - FOOT, FOOT, foot);
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
    int error = read_at(sum->fd, block * BLOCK, block_length(sum->bytes, block), sum->block);
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
    if (!sum->blocks) return read_at(sum->fd, at, count, to);
    while (count && !error) {
        const uint64_t block = at / BLOCK;
        const bool checked = sum->checked[block];
        size_t here = sum->held == (int64_t)block ? 0 : stretch(sum, at, count, checked);
        if (here) {
            error = read_at(sum->fd, at, here, bytes);
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

int sw_checksum_check(struct sw_checksum *sum, unsigned char *bad)
{
    int error = 0;
    int64_t first = INT64_MAX;
#pragma omp parallel if (sum->blocks > 256)
    {
        unsigned char *block = malloc(BLOCK);
        int failed = block ? 0 : ENOMEM;
#pragma omp for schedule(dynamic, 16)
        for (int64_t k = 0; k < (int64_t)sum->blocks; k++) {
            bool wrong = false;
            if (failed) continue;
            failed = read_at(sum->fd, (uint64_t)k * BLOCK, block_length(sum->bytes, (uint64_t)k), block);
            if (!failed) wrong = !is_right(sum, (uint64_t)k, block);
            if (bad) bad[k] = wrong;
            if (!wrong) continue;
#pragma omp critical(sw_checksum)
            if (k < first) first = k;
            if (!bad) failed = EBADMSG;
        }
        free(block);
        if (failed) {
#pragma omp critical(sw_checksum)
            error = failed;
        }
    }
    if (first < INT64_MAX) sum->damaged = first;
    return error && error != EBADMSG ? error : first < INT64_MAX ? EBADMSG : 0;
}
