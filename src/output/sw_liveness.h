#ifndef SW_LIVENESS_H
#define SW_LIVENESS_H
/* Who computes an output file, how far it is, and whether it lives. A process that computes FILE says so in
 * FILE.d/status.json: small, replaced by rename every second and, later, every 20, gone at the end; until it is there
 * the lock tells. Others, also on other machines that share the file system, read it. */
#include "output/sw_output.h"

struct sw_status_file { /* what a process says of itself                                               */
    int64_t pid;
    struct sw_sweep_identity of; /* what it computes                                                            */
    int64_t asked, was_done, was_failed;  /* runs asked for; those that were there when it began                     */
    int64_t runs, done, failed;       /* to do by this process; of them ended so far; of these diverged or failed    */
    double  started;                  /* of the process, in ticks since the machine started; NAN: unknown            */
    double  updated;                  /* as time() gives it; NAN, like what follows: unknown                         */
    double  seconds, fraction, rate, eta, t, end;  /* rate: points times steps a second; eta: seconds                */
    double  points_steps;             /* to do by this process, all in all                                           */
    char    phase[24], host[64];
};
/** Say how far the calling process is with FILE, which it has locked. pid, host, started and updated are filled in. No
 * harm is done where it cannot be written. */
void sw_status_file_write(const char *file, const struct sw_status_file *now);
void sw_status_file_remove(const char *file);
/** The runs asked for, by what a process says of itself. Of those that have not come to a good end it does not say how:
 * they count as diverged. */
struct sw_run_counts sw_status_file_count(const struct sw_status_file *now);
/** What was last said. @return false: nothing, or it is not readable */
bool sw_status_file_read(const char *file, struct sw_status_file *now);

enum sw_liveness {
    SW_LIVENESS_NONE, /* nobody is at it                                                             */
    SW_LIVENESS_ALIVE,
    SW_LIVENESS_SILENT, /* on another machine, and has not written for long                            */
    SW_LIVENESS_DEAD /* on this machine, and without a farewell                                     */
};
struct sw_last_update { /* of the last sign of life; from {0}, and kept from one look to the next      */
    double time, age;                 /* time of the file system; seconds, negative: in the future; NAN: none        */
    double since;                     /* sw_clock() when we first saw it                                             */
    bool   watched;                   /* we saw it change: since then our own clock counts, which nobody sets        */
};
/** The file system's idea of now, in the folder of file, in seconds as time() gives it: an empty file is made there and
 * removed. @param by_files  out: false: it cannot be asked; the time is ours */
double sw_filesystem_time(const char *file, bool *by_files);
/** Who computes file, and whether he lives. @param now  sw_filesystem_time() of it  @param running  out: what he last
 * said
 * @param sign  in and out */
enum sw_liveness sw_liveness_of(const char *file, double now, struct sw_status_file *running,
                                struct sw_last_update *sign);
/** SW_E_IO, for a file that is not there, nor any part of it: who computes it, or that nobody does; and what to do. */
enum sw_status sw_fail_absent(const char *file);
/** sw_completed_open() of a file that others may be writing: looked at again if a part went away meanwhile. */
enum sw_status sw_completed_open_live(const char *file, struct sw_report *report, struct sw_completed **completed);
#endif
