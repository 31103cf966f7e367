#include "base/sw_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"

/* How much of a longer text fits before " ...": to the end of a word, or of a character. */
static size_t length_before_dots(const char *text, size_t room)
{
    size_t length = room - 5;
    while (length && text[length] != ' ') length--;
    if (!length) length = room - 5;   /* one long word */
    while (length && ((unsigned char)text[length] & 0xc0) == 0x80) length--;   /* not within a character */
    while (length && strchr(" ,;:", text[length - 1])) length--;
    return length;
}

/* @return how many of so many bytes more there is room for: fewer than all makes t->failed true */
static size_t make_room(struct sw_text *t, size_t extra)
{
    const size_t need = t->length + extra + 1;
    if (t->failed) return 0;
    if (need <= t->room) return extra;
    size_t room = t->room ? 2 * t->room : 64;
    while (room < need) room *= 2;
    t->failed = t->fixed || sw_resize(t->room, room, &t->data);
    if (!t->failed) t->room = room;
    return t->fixed ? t->room - 1 - t->length : t->failed ? 0 : extra;
}

/* Bytes were written behind a text: as many as make_room() has given. */
static void lengthen(struct sw_text *t, size_t bytes)
{
    t->length += bytes;
    t->data[t->length] = 0;
    if (!t->failed) return;
    t->length = length_before_dots(t->data, t->room);
    strcpy(t->data + t->length, " ...");
    t->length += strlen(" ...");
}

void sw_text_add_bytes(struct sw_text *t, const void *bytes, size_t length)
{
    if (t->failed) return;
    const size_t fits = make_room(t, length);
    if (t->failed && !t->fixed) return;
    memcpy(t->data + t->length, bytes, fits);
    lengthen(t, fits);
}

struct sw_text sw_text_in(char *array, size_t room)
{
    return (struct sw_text){.data = array, .length = strlen(array), .room = room, .fixed = true};
}

void sw_text_clear(struct sw_text *t)
{
    t->length = 0;
    if (t->data) t->data[0] = 0;
    if (t->fixed) t->failed = 0;
}

void sw_text_add(struct sw_text *t, const char *s) { sw_text_add_bytes(t, s, strlen(s)); }

__attribute__((format(printf, 2, 0))) static void print(struct sw_text *t, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    const int n = vsnprintf(NULL, 0, fmt, ap);
    if (n > 0 && !t->failed) {
        const size_t fits = make_room(t, (size_t)n);
        if (!t->failed || t->fixed) {
            vsnprintf(t->data + t->length, fits + 1, fmt, again);
            lengthen(t, fits);
        }
    }
    va_end(again);
}

void sw_text_printf(struct sw_text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    print(t, fmt, ap);
    va_end(ap);
}

void sw_text_vset(struct sw_text *t, const char *fmt, va_list list)
{
    sw_text_clear(t);
    print(t, fmt, list);
}

void sw_text_set(struct sw_text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    sw_text_vset(t, fmt, ap);
    va_end(ap);
}

void sw_text_add_sentence(struct sw_text *t, const char *sentence)
{
    if (*sentence) sw_text_printf(t, "%s%s", t->length ? "; " : "", sentence);
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
    if (length >= room) length = length_before_dots(text, room);
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
