#ifndef SW_CHECKSUM_H
#define SW_CHECKSUM_H
/* Checksums of a file, block by block, in a seal behind its content. They tell of bytes that changed by accident (a
 * disk, a cable, a copy that broke off, another program); whoever changes bytes on purpose can make them anew.
 *
 * The digest of a block of SW_CHECKSUM_BLOCK bytes (the last may be shorter) is XXH3 of 128 bits, by libxxhash. All
 * are of what was handed over to be written, not of what the system makes of it: a block that comes in pieces is read
 * once all are written, and compared with a sum over the pieces. The seal is, in little-endian order,
 *
 *   digest[blocks][16]   of the content, in XXH3's canonical form
 *   foot[96]             a mark of 16 bytes; version (4 bytes), SW_CHECKSUM_BLOCK (4); bytes of content (8); seconds
 *                        since 1970 when it was written (8); digest of all of digest[] (16); digest of the foot up to
 *                        here (16); 8 zeros; another mark of 16 bytes
 *
 * and ends the file. One of the two marks survives any single flip: a damaged seal is told from none. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sw_status.h"
#include "base/sw_text.h"

enum { SW_CHECKSUM_BLOCK = 64 << 10 };

/* ---- while a file is written */
struct sw_checksum_writer;

/** @return SW_E_MEMORY */
enum sw_status sw_checksum_begin(struct sw_checksum_writer **writer);
/** So many bytes are about to be written at a place, in any order; what is there may be replaced.
 * @param fd  the file, to read and write, new and written by this program alone
 * @return errno; EBADMSG: the disk does not hold what was written to it */
int sw_checksum_add(struct sw_checksum_writer *writer, int fd, uint64_t at, const void *bytes, size_t count);
/** The file is about to be cut, or grown by zeros, to a length. @return as sw_checksum_add() */
int sw_checksum_cut(struct sw_checksum_writer *writer, int fd, uint64_t length);
/** Read what was written so far, zeros elsewhere. @return as sw_checksum_add() */
int sw_checksum_read_kept(struct sw_checksum_writer *writer, int fd, uint64_t at, size_t count, void *to);
/** Say what went wrong. @param writer  may be NULL  @return SW_E_IO, SW_E_MEMORY; SW_OK for error 0 */
enum sw_status sw_checksum_fail(const struct sw_checksum_writer *writer, int error, const char *path);
/** Append the seal to what was written, and free the writer.
 * @param sealed  in: fd, to read and write; the file holds nothing but what the writer knows of. out: the rest
 * @param path    for messages
 * @return SW_E_IO also where the system gives back other bytes than it got; SW_E_MEMORY: the writer is freed all the
 *         same */
struct sw_sealed { int fd; unsigned char identity[16]; };
enum sw_status sw_checksum_seal(struct sw_checksum_writer **writer, struct sw_sealed *sealed, const char *path);
/** Read a sealed file that has been synced back, from the disk as far as the system lets us, by all threads, and
 * compare all of it with what was handed over.
 * @param fd        open to read
 * @param identity  of the seal; NULL: any
 * @param path      of the file, to read around the system's cache; and for messages
 * @return SW_E_IO also where it differs, of cause SW_CAUSE_DAMAGED; SW_E_MEMORY */
enum sw_status sw_checksum_read_back(int fd, const unsigned char identity[16], const char *path);
/** Free it without a seal. NULL and *NULL are fine. */
void sw_checksum_drop(struct sw_checksum_writer **writer);

/* ---- when it is read */
enum sw_seal {
    SW_SEAL_NONE,     /* the file does not end with a seal */
    SW_SEAL_WHOLE,
    SW_SEAL_DAMAGED   /* with something that was one       */
};
struct sw_checksum {  /* of a file that is open; start from {0}                                   */
    int      fd;      /* the caller's                                                             */
    int      direct;  /* likewise, of the same file, by which reads pass the system's cache by; 0: none */
    enum sw_seal seal;
    uint64_t bytes;   /* of content; without a whole seal, of the file                            */
    uint64_t blocks;  /* 0 without a whole seal                                                   */
    int64_t  written; /* seconds since 1970                                                       */
    unsigned char identity[16];  /* digest of the foot: two files with the same one are the same  */
    int64_t  damaged; /* the last block that was met and is not what was written; -1: none        */
    unsigned char (*digest)[16]; /* [blocks]                                                      */
    unsigned char *checked;      /* [blocks]                                                      */
    unsigned char *block;        /* [SW_CHECKSUM_BLOCK] bytes of block `held`                     */
    int64_t  held;    /* -1: none                                                                 */
};
/** All bytes at a place, in as many calls as that takes; zeros behind the end of the file. @return errno */
int sw_read_at(int fd, uint64_t at, size_t count, void *to);
/** @return errno */
int sw_write_at(int fd, uint64_t at, size_t count, const void *from);

/** Look for the seal of a file. Free with sw_checksum_free(), also after a failure.
 * @param fd  open to read; has to stay open as long
 * @return errno; 0: sum->seal says what there is */
int sw_checksum_open(int fd, struct sw_checksum *sum);
/** Read content; zeros behind its end. With a whole seal each block is compared with its digest when it is read for the
 * first time.
 * @return errno; EBADMSG: sum->damaged says which block is not what was written. 0: all is read */
int sw_checksum_read(struct sw_checksum *sum, uint64_t at, size_t count, void *to);
/** Compare all blocks with their digests, by all threads.
 * @param bad  out: [sum->blocks], 1 for each that differs; NULL: stop at the first
 * @return errno; EBADMSG likewise: sum->damaged is the first of them */
int sw_checksum_check(struct sw_checksum *sum, unsigned char *bad);
/** Say what is not as it was written, behind the name of the file: "is a damaged HDF5 file: ...".
 * @return false: nothing was met so far */
bool sw_checksum_describe(const struct sw_checksum *sum, struct sw_text *text);
void sw_checksum_free(struct sw_checksum *sum);
#endif
