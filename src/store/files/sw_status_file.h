#ifndef SW_STATUS_FILE_H
#define SW_STATUS_FILE_H
/* FILE.d/status.json: how far the process is that computes FILE. The file is small; it is replaced by rename every
 * second at first, every 20 seconds later, and removed at the end. Other processes, also on other machines that share
 * the file system, read it. */
#include <stdbool.h>
#include <stdint.h>

#include "store/catalog/sw_completed.h"
#include "store/sw_provenance.h"

struct sw_status_file {
    int64_t pid;
    struct sw_sweep_identity identity;    /* the sweep that the process computes                                     */
    int64_t asked, was_done, was_failed;  /* runs asked for; of them done, and failed, when the process began        */
    int64_t runs, done, failed;           /* runs that the process computes; of them ended; of these not well        */
    double  started;                      /* the process, in ticks since the machine started; NAN: unknown           */
    double  updated;                      /* as time() gives it; NAN, like what follows: unknown                     */
    double  seconds, fraction, rate, eta, t, end;  /* rate: points times steps a second; eta: seconds               */
    double  points_steps;                 /* that the process computes in all                                        */
    char    phase[24], host[64];
};
/** Write how far the calling process is with FILE, which it has locked. pid, host, started and updated are filled in.
 * Where the file cannot be written nothing happens. */
void sw_status_file_write(const char *file, const struct sw_status_file *status);
void sw_status_file_remove(const char *file);
/** Count the runs asked for. The status does not say how a run failed: such runs count as diverged. */
struct sw_run_counts sw_status_file_count(const struct sw_status_file *status);
/** Of all runs asked for: how much is done, where a part of them is computed, and a fraction of that. */
double sw_status_file_fraction(double fraction, int64_t computed, int64_t asked);
/** @return false: there is none, or it cannot be read */
bool sw_status_file_read(const char *file, struct sw_status_file *status);

/** When a process of this machine started, in ticks since the machine did: its number may be another's later. -1: it
 * has ended, but its parent has not asked how (a zombie). NAN: there is none, or this system does not say. */
double sw_process_started(int64_t pid);

/* ---- is that process alive? Its status file says, and its lock until that is there. */
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
