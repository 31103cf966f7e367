#ifndef SW_CHECKSUM_H
#define SW_CHECKSUM_H
/* Checksums of a file, block by block, in a seal behind its content. They tell of bytes that changed by accident (a
 * disk, a cable, a copy that broke off, another program); whoever changes bytes on purpose can make them anew.
 *
 * The digest of a block of SW_CHECKSUM_BLOCK bytes (the last may be shorter) is XXH3 of 128 bits, by libxxhash. They
 * are formed from what is being written, before it is handed to the system; only of blocks that were not written from
 * their beginning to their end are the bytes read again. The seal is, in little-endian order,
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
/** So many bytes are about to be written at a place. The same bytes may be written again, in any order. */
void sw_checksum_add(struct sw_checksum_writer *writer, uint64_t at, const void *bytes, size_t count);
/** The file is about to be cut, or grown by zeros, to a length. */
void sw_checksum_cut(struct sw_checksum_writer *writer, uint64_t length);
/** Append the seal to what was written, and free the writer.
 * @param fd    to read and write; the file holds nothing but what the writer knows of
 * @param path  for messages
 * @return SW_E_IO, SW_E_MEMORY: the writer is freed all the same */
enum sw_status sw_checksum_seal(struct sw_checksum_writer **writer, int fd, const char *path);
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
