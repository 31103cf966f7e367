#ifndef SW_LIVENESS_H
#define SW_LIVENESS_H
/* Which process computes an output file, and whether it is alive: by its status file, and by the lock until that is
 * there. */
#include "store/files/sw_status_file.h"

enum sw_liveness {
    SW_LIVENESS_NONE,                 /* no process computes the file                                                */
    SW_LIVENESS_ALIVE,
    SW_LIVENESS_SILENT,               /* on another machine, and it has not written for long                         */
    SW_LIVENESS_DEAD                  /* on this machine, and it ended without removing its status                   */
};
struct sw_last_update {               /* of the status file; start from {0} and keep it between calls                */
    double time, age;                 /* time of the file system; seconds, negative: in the future; NAN: none        */
    double since;                     /* sw_clock() when we first saw this update                                    */
    bool   watched;                   /* we saw the file change: from then on the age is taken by our own clock      */
};
/** The time of the file system that file is on, in seconds as time() gives it: that of an empty file that is made
 * beside it and removed. @param by_files  out: false: no file can be made there, and the time is that of our clock */
double sw_filesystem_time(const char *file, bool *by_files);
/** Which process computes a file, and whether it is alive.
 * @param now     sw_filesystem_time() of the file
 * @param status  out: what the process last wrote
 * @param update  in and out */
enum sw_liveness sw_liveness_of(const char *file, double now, struct sw_status_file *status,
                                struct sw_last_update *update);
#endif
