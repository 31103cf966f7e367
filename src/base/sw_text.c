#include "base/sw_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"

static int grow(struct sw_text *t, size_t extra)
{
    size_t need = t->length + extra + 1;
    if (t->failed) return 0;
    if (need <= t->room) return 1;
    size_t room = t->room ? 2 * t->room : 64;
    while (room < need) room *= 2;
    if (sw_resize(t->room, room, &t->data)) { t->failed = 1; return 0; }
    t->room = room;
    return 1;
}

void sw_text_add_bytes(struct sw_text *t, const void *bytes, size_t length)
{
    if (!grow(t, length)) return;
    memcpy(t->data + t->length, bytes, length);
    t->length += length;
    t->data[t->length] = 0;
}

void sw_text_add(struct sw_text *t, const char *s) { sw_text_add_bytes(t, s, strlen(s)); }

void sw_text_printf(struct sw_text *t, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    if (n > 0 && grow(t, (size_t)n)) {
        vsnprintf(t->data + t->length, (size_t)n + 1, fmt, again);
        t->length += (size_t)n;
    }
    va_end(again);
    va_end(ap);
}

void sw_text_add_word(struct sw_text *t, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+=:,@%";
    if (*word && !word[strspn(word, plain)]) {
        sw_text_add(t, word);
        return;
    }
    sw_text_add(t, "'");
    for (const char *p = word; *p; p++)
        if (*p == '\'') sw_text_add(t, "'\\''");
        else sw_text_add_bytes(t, p, 1);
    sw_text_add(t, "'");
}

/* The Unicode Standard 15.0, table 3-7: what may follow the first byte; no surrogates, no longer form than needed. */
size_t sw_text_character(const char *text, int *code)
{
    const unsigned char *s = (const unsigned char *)text;
    const int more = *s < 0x80 ? 0 : *s < 0xe0 ? 1 : *s < 0xf0 ? 2 : 3;
    const unsigned char least = *s == 0xe0 ? 0xa0 : *s == 0xf0 ? 0x90 : 0x80,
                        most = *s == 0xed ? 0x9f : *s == 0xf4 ? 0x8f : 0xbf;
    *code = -1;
    if ((*s >= 0x80 && *s < 0xc2) || *s > 0xf4) return 1;
    if (more > 0 && (s[1] < least || s[1] > most)) return 1;
    for (int k = 2; k <= more; k++)
        if ((s[k] & 0xc0) != 0x80) return 1;
    *code = more ? *s & (0x3f >> more) : *s;
    for (int k = 1; k <= more; k++) *code = *code << 6 | (s[k] & 0x3f);
    return 1 + (size_t)more;
}

size_t sw_text_utf8(const char *text)
{
    int code = 0;
    const char *s = text;
    for (size_t length; *s && (length = sw_text_character(s, &code), code >= 0);) s += length;
    return (size_t)(s - text);
}

bool sw_text_is_control(int code)
{
    return code < 0x20 || (code >= 0x7f && code <= 0x9f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

void sw_text_add_shown(struct sw_text *t, const char *text, const char *keep)
{
    size_t length;
    int code;
    for (const char *plain = text;; text += length) {   /* from plain on, all is as it is to be shown */
        length = sw_text_character(text, &code);
        if (*text && (!sw_text_is_control(code) || strchr(keep, *text))) continue;
        sw_text_add_bytes(t, plain, (size_t)(text - plain));
        plain = text + length;
        if (!*text) return;
        if (code == '\n') sw_text_add(t, "\\n");
        else if (code == '\t') sw_text_add(t, "\\t");
        else if (code > 0x7f) sw_text_printf(t, "\\u%04x", (unsigned)code);
        else sw_text_printf(t, "\\x%02x", (unsigned char)*text);
    }
}

bool sw_text_same(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

char *sw_text_shorten(char *to, size_t room, const char *text)
{
    size_t length = strlen(text);
    if (length >= room) {
        for (length = room - 5; length && text[length] != ' ';) length--;
        if (!length) length = room - 5;   /* one long word */
        while (length && ((unsigned char)text[length] & 0xc0) == 0x80) length--;   /* not within a character */
        while (length && strchr(" ,;:", text[length - 1])) length--;
    }
    memcpy(to, text, length);
    strcpy(to + length, text[length] ? " ..." : "");
    return to;
}

const char *sw_text_get(const struct sw_text *t) { return t->data ? t->data : ""; }

char *sw_text_take(struct sw_text *t)
{
    char *data = t->failed ? NULL : t->data ? t->data : sw_strdup("");
    if (t->failed) sw_free(t->data);
    *t = (struct sw_text){0};
    return data;
}

const char *sw_number(double value, char text[32])
{
    int precision = 15;  /* fewer digits come out by themselves: %g drops zeros */
    do snprintf(text, 32, "%.*g", precision, value); while (++precision <= 17 && strtod(text, NULL) != value);
    if (value != value) snprintf(text, 32, "nan");
    return text;
}

enum sw_status sw_text_status(const struct sw_text *t)
{
    return t->failed ? SW_FAIL(SW_E_MEMORY, "out of memory after %zu bytes of text", t->length) : SW_OK;
}

void sw_text_free(struct sw_text *t)
{
    sw_free(t->data);
    *t = (struct sw_text){0};
}
