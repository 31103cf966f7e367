#include "base/sw_err.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char message[4096];
static _Thread_local char where[256];

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

void sw_err_set(const char *new_where, const char *new_message)
{
    snprintf(where, sizeof where, "%s", new_where);
    snprintf(message, sizeof message, "%s", new_message);
}

enum sw_status sw_fail(enum sw_status st, const char *file, int line, const char *func, const char *fmt, ...)
{
    char text[sizeof message];  /* an argument may be the old message */
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    snprintf(message, sizeof message, "%s", text);
    snprintf(where, sizeof where, "%s:%d: %s: %s", file, line, func, sw_status_text(st));
    return st;
}
