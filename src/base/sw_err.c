#include "base/sw_err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message[sizeof((struct sw_err_kept *)0)->message];
static _Thread_local char where[sizeof((struct sw_err_kept *)0)->where];
static _Thread_local char place[sizeof((struct sw_err_kept *)0)->place];

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

void sw_err_keep(struct sw_err_kept *kept, enum sw_status st)
{
    if (!st || kept->status) return;
    kept->status = st;
    memcpy(kept->where, where, sizeof where);
    memcpy(kept->place, place, sizeof place);
    memcpy(kept->message, message, sizeof message);
}

enum sw_status sw_err_raise(const struct sw_err_kept *kept)
{
    if (!kept->status) return SW_OK;
    memcpy(where, kept->where, sizeof where);
    memcpy(place, kept->place, sizeof place);
    memcpy(message, kept->message, sizeof message);
    return kept->status;
}

enum sw_status sw_fail(enum sw_status st, const char *file, int line, const char *func, const char *fmt, ...)
{
    char text[sizeof message];  /* an argument may be the old message */
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    snprintf(message, sizeof message, "%s", text);
    place[0] = 0;
    snprintf(where, sizeof where, "%s:%d: %s: %s", file, line, func, sw_status_text(st));
    return st;
}
