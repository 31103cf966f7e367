#include "base/sw_err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message[sizeof((struct sw_err_kept *)0)->message];
static _Thread_local char where[sizeof((struct sw_err_kept *)0)->where];
static _Thread_local char place[sizeof((struct sw_err_kept *)0)->place];
static _Thread_local enum sw_cause cause;

const char *sw_status_text(enum sw_status st)
{
#define X(name, value, text, code) case name: return text;
    switch (st) { SW_STATUS_LIST(X) }
#undef X
    return "unknown status";
}

int sw_status_exit_code(enum sw_status st)
{
#define X(name, value, text, code) case name: return code;
    switch (st) { SW_STATUS_LIST(X) }
#undef X
    return 2;
}

const char *sw_err_message(void) { return message; }

const char *sw_err_where(void) { return where; }

const char *sw_err_place(void) { return place; }

void sw_err_set_place(const char *of) { snprintf(place, sizeof place, "%s", of); }

void sw_err_set_cause(enum sw_cause of) { cause = of; }

enum sw_cause sw_err_cause(void) { return cause; }

enum sw_cause sw_cause_of_errno(int error)
{
    return error == ENOSPC || error == EDQUOT ? SW_CAUSE_NO_ROOM : SW_CAUSE_UNKNOWN;
}

void sw_err_keep(struct sw_err_kept *kept, enum sw_status st)
{
    if (!st || kept->status) return;
    kept->status = st;
    kept->cause = cause;
    memcpy(kept->where, where, sizeof where);
    memcpy(kept->place, place, sizeof place);
    memcpy(kept->message, message, sizeof message);
}

enum sw_status sw_err_raise(const struct sw_err_kept *kept)
{
    if (!kept->status) return SW_OK;
    cause = kept->cause;
    memcpy(where, kept->where, sizeof where);
    memcpy(place, kept->place, sizeof place);
    memcpy(message, kept->message, sizeof message);
    return kept->status;
}

/* @param text  may hold the old message */
static enum sw_status fail(enum sw_status st, const char *file, int line, const char *func, const char *text)
{
    snprintf(message, sizeof message, "%s", text);
    place[0] = 0;
    cause = SW_CAUSE_UNKNOWN;
    snprintf(where, sizeof where, "%s:%d: %s: %s", file, line, func, sw_status_text(st));
    return st;
}

enum sw_status sw_fail(enum sw_status st, const char *file, int line, const char *func, const char *fmt, ...)
{
    char text[sizeof message];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return fail(st, file, line, func, text);
}

enum sw_status sw_fail_errno(enum sw_status st, int error, const char *file, int line, const char *func,
                             const char *fmt, ...)
{
    char text[sizeof message];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    const size_t length = strlen(text);
    snprintf(text + length, sizeof text - length, ": %s", strerror(error));
    fail(st, file, line, func, text);
    cause = sw_cause_of_errno(error);
    return st;
}
