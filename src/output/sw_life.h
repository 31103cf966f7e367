#ifndef SW_LIFE_H
#define SW_LIFE_H
/* Who computes an output file, how far it is, and whether it lives. A process that computes FILE says so in
 * FILE.d/status.json: small, replaced by rename every second and, later, every 20, gone at the end; until it is there
 * the lock tells. Others, also on other machines that share the file system, read it. */
#include "output/sw_results.h"

struct sw_running {                   /* what a process says of itself                                               */
    int64_t pid;
    struct sw_results_of of;          /* what it computes                                                            */
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
void sw_running_write(const char *file, const struct sw_running *now);
void sw_running_remove(const char *file);
/** The runs asked for, by what a process says of itself. Of those that have not come to a good end it does not say how:
 * they count as diverged. */
struct sw_run_counts sw_running_count(const struct sw_running *now);
/** What was last said. @return false: nothing, or it is not readable */
bool sw_running_read(const char *file, struct sw_running *now);

enum sw_life {
    SW_LIFE_NOBODY,                   /* nobody is at it                                                             */
    SW_LIFE_LIVES,
    SW_LIFE_SILENT,                   /* on another machine, and has not written for long                            */
    SW_LIFE_DIED                      /* on this machine, and without a farewell                                     */
};
struct sw_sign {                      /* of the last sign of life; from {0}, and kept from one look to the next      */
    double time, age;                 /* time of the file system; seconds, negative: in the future; NAN: none        */
    double since;                     /* sw_clock() when we first saw it                                             */
    bool   watched;                   /* we saw it change: since then our own clock counts, which nobody sets        */
};
/** The file system's idea of now, in the folder of file, in seconds as time() gives it: an empty file is made there and
 * removed. @param by_files  out: false: it cannot be asked; the time is ours */
double sw_life_now(const char *file, bool *by_files);
/** Who computes file, and whether he lives. @param now  sw_life_now() of it  @param running  out: what he last said
 * @param sign  in and out */
enum sw_life sw_life_of(const char *file, double now, struct sw_running *running, struct sw_sign *sign);
/** SW_E_IO, for a file that is not there, nor any part of it: who computes it, or that nobody does; and what to do. */
enum sw_status sw_life_absent(const char *file);
/** sw_ledger_open() of a file that others may be writing: looked at again if a part went away meanwhile. */
enum sw_status sw_life_ledger(const char *file, struct sw_report *report, struct sw_ledger **ledger);
#endif
