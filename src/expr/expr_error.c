#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/sw_err.h"
#include "base/sw_nearest_name.h"
#include "expr/expr_impl.h"

enum { WIDEST = 72, BEFORE = 32 };  /* characters shown of a long text, and how many of them before the fault */

enum sw_status expr_refuse(struct sw_expr_error *err, int column, int length, const char *hint, const char *fmt, ...)
{
    va_list ap;
    *err = (struct sw_expr_error){.column = column, .length = length > 0 ? length : 1};
    va_start(ap, fmt);
    vsnprintf(err->text, sizeof err->text, fmt, ap);
    va_end(ap);
    snprintf(err->hint, sizeof err->hint, "%s", hint);
    if (column > 0) return SW_FAIL(SW_E_CONFIG, "column %d: %s", column, err->text);
    return SW_FAIL(SW_E_CONFIG, "%s", err->text);
}

void expr_hint_names(char hint[400], const char *wrong, const char *const *names, int count)
{
    enum { ROOM = 400 - (int)sizeof " ..." };
    const char *near = sw_nearest_name(wrong, names, count);
    /* one or two letters are near to everything: guessing would mislead */
    if (near && strlen(wrong) <= 2 && strcasecmp(wrong, near)) near = NULL;
    int at = near ? snprintf(hint, 400, "did you mean '%s'? known:", near) : snprintf(hint, 400, "known:");
    for (int k = 0; k < count; k++) {
        if (at + 1 + (int)strlen(names[k]) > ROOM) {
            snprintf(hint + at, (size_t)(400 - at), " ...");
            return;
        }
        at += snprintf(hint + at, (size_t)(400 - at), " %s", names[k]);
    }
}

static bool starts_character(char byte) { return ((unsigned char)byte & 0xC0) != 0x80; }

static const char *skip_characters(const char *s, int count)
{
    for (; *s && count > 0; count--)
        do s++; while (*s && !starts_character(*s));
    return s;
}

static void add_printable(struct sw_text *out, const char *s, const char *end)
{
    for (; s < end; s++) sw_text_add_bytes(out, (unsigned char)*s < ' ' || *s == 127 ? " " : s, 1);
}

static void add_times(struct sw_text *out, const char *s, int times)
{
    while (times-- > 0) sw_text_add(out, s);
}

char *sw_expr_error_show(const char *text, const struct sw_expr_error *err)
{
    struct sw_text out = {0};
    if (err->column <= 0) {  /* the expression as a whole: there is no place to show */
        sw_text_printf(&out, "%s%s%s", err->text, err->hint[0] ? "; " : "", err->hint);
        return sw_text_take(&out);
    }
    int start = err->column > WIDEST - 8 ? err->column - 1 - BEFORE : 0, caret = err->column - 1 - start;
    int tail = err->length < WIDEST - caret ? err->length : WIDEST - caret;
    const char *begin = skip_characters(text, start), *end = skip_characters(begin, WIDEST);
    const char *before = start ? "..." : "";
    sw_text_printf(&out, "column %d: %s\n    %s", err->column, err->text, before);
    add_printable(&out, begin, end);
    sw_text_add(&out, *end ? "...\n    " : "\n    ");
    add_times(&out, " ", caret + (int)strlen(before));
    sw_text_add(&out, "^");
    add_times(&out, "~", tail - 1);
    if (err->hint[0]) sw_text_printf(&out, "  %s", err->hint);
    return sw_text_take(&out);
}
