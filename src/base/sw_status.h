#ifndef SW_STATUS_H
#define SW_STATUS_H
/* The status that a function returns: what headers need of base/sw_err.h, which has the messages.
 *
 * > 0  the call refused; every argument is as it was, the caller may go on
 * < 0  the call broke off half-way; destroy the objects involved
 */

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

/* Pass a failure up unchanged. Where this function owns something, use SW_TRY_TO and free it at the label:
 * destroy functions accept NULL, so one label is enough. */
#define SW_TRY(call) \
    do { enum sw_status st_ = (call); if (st_) return st_; } while (0)
#define SW_TRY_TO(label, st, call) \
    do { if (((st) = (call))) goto label; } while (0)
#endif
