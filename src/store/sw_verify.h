#ifndef SW_VERIFY_H
#define SW_VERIFY_H
/* Is a file what sweep wrote? FILE, its parts, and the files that a virtual FILE takes its values from, each compared
 * with its own checksums. */
#include <stdbool.h>
#include <stdint.h>

#include "base/sw_status.h"

struct sw_file_checksum {
    bool     sealed;     /* the file has checksums; else all below is 0                                         */
    uint64_t bytes;      /* they are of                                                                         */
    uint64_t blocks;     /* each of SW_CHECKSUM_BLOCK bytes, the last may be shorter                            */
    int64_t  written;    /* when, in seconds since 1970                                                         */
    int64_t  verified;   /* when sw_output_verify() last found this very file whole; 0: not known        */
    uint64_t damaged;    /* of sw_output_verify(): how many blocks are not what was written              */
    unsigned char *bad;  /* likewise: [blocks], 1 for each of them                                         */
};

/** Compare all bytes of a file with its checksums, by all threads. A file without any is whole.
 * @param damaged  out: the system can read the file, and its bytes are not what was written
 * @return SW_E_IO with the name of the file, and the first place where it is damaged, or what the system says;
 *         SW_E_MEMORY */
enum sw_status sw_file_checksum_check(const char *path, bool *damaged);
/** What is known of a file without reading its content. @return SW_E_IO, also for damaged checksums; SW_E_MEMORY */
enum sw_status sw_file_checksum_look(const char *path, struct sw_file_checksum *sum);
/* Of a file that was written with checksums, and has none any more, where its numbers are taken as they are. */
#define SW_LOST_CHECKSUMS \
    "%s was changed after sweep had written it, and has no checksums any more; its numbers are taken as they are"

enum sw_verdict {
    SW_VERDICT_WHOLE,
    SW_VERDICT_UNKNOWN,  /* it is an output of sweep without checksums: an earlier build wrote it */
    SW_VERDICT_DAMAGED,
    SW_VERDICT_CHANGED,  /* another program has opened it to write, and its checksums are gone    */
    SW_VERDICT_OTHER     /* no output of this sweep: another program wrote it, or a newer one     */
};
struct sw_verified {
    const char *path;
    enum sw_verdict verdict;
    const char *why;     /* but for the first two: the path and what is wrong with it; else "" */
    const char *where;   /* of a damaged one, whose numbers the damaged blocks hold: "u of runs 3..5; mass of runs
                          * 0..7"; "": none, or it is not known                               */
    struct sw_file_checksum sum;
};
/** Verify FILE and what belongs to it. Calls tell() for each file, FILE first.
 * @return SW_E_IO nothing of FILE is there, or the system cannot read a file, or another program has one open to write;
 *         SW_E_MEMORY */
enum sw_status sw_output_verify(const char *file, void (*tell)(void *user, const struct sw_verified *of), void *user);

/** Before another program reads FILE: compare it, and the files that a virtual FILE takes its values from, with their
 * checksums, and note that they were whole. After the first SW_VERIFY_AGAIN bytes such a note suffices.
 * Files without checksums, and what is no output of sweep, are whole here.
 * @param lost  out: FILE was written with checksums, and has none any more
 * @return SW_E_IO with the name of the file, and where it is damaged, or cut off; SW_E_MEMORY */
#define SW_VERIFY_AGAIN ((uint64_t)4 << 30)
enum sw_status sw_output_check(const char *file, bool *lost);
#endif
