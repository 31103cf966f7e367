#ifndef SW_ERR_H
#define SW_ERR_H
/* The one message that travels with a status (sw_status.h).
 *
 * The message is written once, where the failure is known, for the user to read: what is wrong, with the numbers in it,
 * and what to do. Only main prints it. The place in the source is kept apart and shown with -v.
 */
#include "base/sw_status.h"

#ifdef __cplusplus
extern "C" {
#endif

const char *sw_status_text(enum sw_status st);

/** The exit code of a program that ends with this status (README, "Exit codes"). */
int sw_status_exit_code(enum sw_status st);

/* The message of the last failure on this thread, "" if none; valid until the next failure. */
const char *sw_err_message(void);

/* Where it was raised: "src/linalg/sw_band.c:26: pick". */
const char *sw_err_where(void);

/** Say which line of the user's config the last failure is about, "ch.cfg:9"; "" if none has been named. A new failure
 * forgets it. */
void        sw_err_set_place(const char *place);
const char *sw_err_place(void);

/* Why the last failure happened, where a caller goes on by that and the status says too little. A new failure forgets
 * it. */
enum sw_cause {
    SW_CAUSE_UNKNOWN,
    SW_CAUSE_NO_ROOM,   /* a disk is full, or what the user may have of it             */
    SW_CAUSE_ROWS,      /* sw_row_pick(): the message lists the rows that would do     */
    SW_CAUSE_DAMAGED,   /* the bytes of a file are not those that a program has written */
    SW_CAUSE_FOREIGN    /* a file is whole, but no output of this sweep or an older one */
};
void          sw_err_set_cause(enum sw_cause cause);
enum sw_cause sw_err_cause(void);
enum sw_cause sw_cause_of_errno(int error);

/* Carry the first failure of several threads to another one: keep it where it happened (one thread at a time), raise it
 * on the receiving thread. Start from {0}. */
struct sw_err_kept { enum sw_status status; enum sw_cause cause; char where[256], place[256], message[4096]; };
void sw_err_keep(struct sw_err_kept *kept, enum sw_status st);  /* SW_OK, and all after the first, are passed over */
enum sw_status sw_err_raise(const struct sw_err_kept *kept);    /* SW_OK: there was none                          */

enum sw_status sw_fail(enum sw_status st, const char *file, int line, const char *func, const char *fmt, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 5, 6)))
#endif
    ;

/* Fail here:  return SW_FAIL(SW_E_ARG, "ld = %d is less than batch = %d", ld, batch); */
#define SW_FAIL(st, ...) sw_fail((st), __FILE__, __LINE__, __func__, __VA_ARGS__)

/* A call of the system has failed:  return SW_FAIL_ERRNO(SW_E_IO, errno, "%s", path);  the message ends with ": No such
 * file or directory". */
enum sw_status sw_fail_errno(enum sw_status st, int error, const char *file, int line, const char *func,
                             const char *fmt, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 6, 7)))
#endif
    ;
#define SW_FAIL_ERRNO(st, error, ...) sw_fail_errno((st), (error), __FILE__, __LINE__, __func__, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
