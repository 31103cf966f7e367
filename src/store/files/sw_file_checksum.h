#ifndef SW_FILE_CHECKSUM_H
#define SW_FILE_CHECKSUM_H
/* The checksums of an output file, a part or a checkpoint as a whole (base/sw_checksum.h). No HDF5 here: nothing of the
 * file is believed. */
#include <stdbool.h>
#include <stdint.h>

#include "base/sw_err.h"

struct sw_file_checksum {
    bool     sealed;     /* the file has checksums; else all below is 0                                         */
    uint64_t bytes;      /* they are of                                                                         */
    uint64_t blocks;     /* each of SW_CHECKSUM_BLOCK bytes, the last may be shorter                            */
    int64_t  written;    /* when, in seconds since 1970                                                         */
    int64_t  verified;   /* when sw_file_checksum_verify() last found this very file whole; 0: not known        */
    uint64_t damaged;    /* of sw_file_checksum_verify(): how many blocks are not what was written              */
    unsigned char *bad;  /* likewise: [blocks], 1 for each of them. Free with sw_file_checksum_free()           */
};

/** Compare all bytes of a file with its checksums, by all threads. A file without any is whole.
 * @param damaged  out: the system can read the file, and its bytes are not what was written
 * @return SW_E_IO with the name of the file, and the first place where it is damaged, or what the system says;
 *         SW_E_MEMORY */
enum sw_status sw_file_checksum_check(const char *path, bool *damaged);
/** The same; and list where it is damaged, or note with the file that it was found whole, if the file system can (an
 * extended attribute). */
enum sw_status sw_file_checksum_verify(const char *path, struct sw_file_checksum *sum, bool *damaged);
/** What is known of a file without reading its content. @return SW_E_IO, also for damaged checksums; SW_E_MEMORY */
enum sw_status sw_file_checksum_look(const char *path, struct sw_file_checksum *sum);
/* Of a file that was written with checksums, and has none any more, where its numbers are taken as they are. */
#define SW_LOST_CHECKSUMS \
    "%s was changed after sweep had written it, and has no checksums any more; its numbers are taken as they are"
void sw_file_checksum_free(struct sw_file_checksum *sum);
#endif
