#ifndef SW_ERR_H
#define SW_ERR_H
/* Status codes, and the one message that travels with them.
 *
 * > 0  the call refused; every argument is as it was, the caller may go on
 * < 0  the call broke off half-way; destroy the objects involved
 *
 * The message is written once, where the failure is known, for the user to read: what is wrong, with the numbers in it,
 * and what to do. Only main prints it. The place in the source is kept apart and shown with -v.
 */
#ifdef __cplusplus
extern "C" {
#endif

/*    name          value  text                               exit code of the program */
#define SW_STATUS_LIST(X)                                   \
    X(SW_OK,            0, "ok",                           0) \
    X(SW_E_ARG,         1, "argument out of range",        2) \
    X(SW_E_USAGE,       2, "bad usage",                    2) \
    X(SW_E_ABSENT,      3, "not available here",           4) \
    X(SW_E_CONFIG,      4, "bad configuration",            3) \
    X(SW_E_REFUSED,     5, "refused to overwrite",         5) \
    X(SW_E_STOPPED,     6, "stopped early, resumable",    75) \
    X(SW_E_TOO_LARGE,   7, "does not fit in memory",       4) \
    X(SW_E_MEMORY,     -1, "out of memory",                4) \
    X(SW_E_SINGULAR,   -2, "zero or non-finite pivot",     4) \
    X(SW_E_CUDA,       -3, "CUDA call failed",             4) \
    X(SW_E_IO,         -4, "input or output failed",       5) \
    X(SW_E_COMM,       -5, "another rank broke off",       4)

#define X(name, value, text, code) name = value,
enum sw_status { SW_STATUS_LIST(X) };
#undef X

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

/* Carry the first failure of several threads to another one: keep it where it happened (one thread at a time), raise it
 * on the receiving thread. Start from {0}. */
struct sw_err_kept { enum sw_status status; char where[256], place[256], message[4096]; };
void sw_err_keep(struct sw_err_kept *kept, enum sw_status st);  /* SW_OK, and all after the first, are passed over */
enum sw_status sw_err_raise(const struct sw_err_kept *kept);    /* SW_OK: there was none                          */

enum sw_status sw_fail(enum sw_status st, const char *file, int line, const char *func, const char *fmt, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 5, 6)))
#endif
    ;

/* Fail here:  return SW_FAIL(SW_E_ARG, "ld = %d is less than batch = %d", ld, batch); */
#define SW_FAIL(st, ...) sw_fail((st), __FILE__, __LINE__, __func__, __VA_ARGS__)

/* Pass a failure up unchanged. Where this function owns something, use SW_TRY_TO and free it at the label:
 * destroy functions accept NULL, so one label is enough. */
#define SW_TRY(call) \
    do { enum sw_status st_ = (call); if (st_) return st_; } while (0)
#define SW_TRY_TO(label, st, call) \
    do { if (((st) = (call))) goto label; } while (0)

#ifdef __cplusplus
}
#endif
#endif
