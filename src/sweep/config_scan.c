#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/sw_mem.h"
#include "sweep/config_impl.h"

enum { MAX_DEPTH = 64, MAX_NAMES = 2000, MAX_ERRORS = 100 };

/* An open bracket. A group has the names of its settings; an array, the kinds of its elements. */
struct level {
    char        open;
    int         line;
    const char *start;
    bool        number, string;
    int         first_name;
};

struct name { const char *start; int length, line; };

struct scanner {
    struct sw_scan *scan;
    const char     *pos;    /* the next character */
    int             line;
    int             depth;
    struct level    level[MAX_DEPTH + 1];
    int             nname;
    struct name     name[MAX_NAMES];
};

#define REPORT(s, on_line, ...) \
    sw_report_add((s)->scan->report, SW_ERROR, (s)->scan->file, (s)->scan->override ? 0 : (on_line), __VA_ARGS__)

#define NEEDS_QUOTES "syntax error at '%.*s': a text or an expression needs quotes, \"...\""

static void copy_until(struct scanner *s, const char *end)
{
    for (const char *c = s->pos; c < end; c++)
        if (*c == '\n') s->line++;
    sw_text_add_bytes(&s->scan->clean, s->pos, (size_t)(end - s->pos));
    s->pos = end;
}

static void set_broken(struct scanner *s) { s->scan->broken = true; }

/* Skip white space and comments; of comments only the line ends are copied. */
static void skip_blank(struct scanner *s)
{
    for (;;) {
        const char *c = s->pos;
        if (*c == '#' || (c[0] == '/' && c[1] == '/')) {
            s->pos += strcspn(c, "\n");
        } else if (c[0] == '/' && c[1] == '*') {
            const char *end = strstr(c + 2, "*/");
            if (!end) {
                REPORT(s, s->line, "comment is not closed: no */ follows");
                set_broken(s);
                s->pos = c + strlen(c);
                return;
            }
            for (; s->pos < end + 2; s->pos++)
                if (*s->pos == '\n') { s->line++; sw_text_add(&s->scan->clean, "\n"); }
        } else if (*c == '\r') s->pos++;
        else if (isspace((unsigned char)*c)) copy_until(s, c + 1);
        else return;
    }
}

/* libconfig lets a string extend over lines, and so reports a missing quote lines below it. */
static void read_string(struct scanner *s)
{
    const char *c = s->pos + 1;
    while (*c && *c != '"' && *c != '\n') c += c[0] == '\\' && c[1] && c[1] != '\n' ? 2 : 1;
    if (*c == '"') {
        /* a call, "linspace(0, 1, 3)", may stand among numbers */
        s->level[s->depth].string |= !memchr(s->pos, '(', (size_t)(c - s->pos));
        copy_until(s, c + 1);
        return;
    }
    int shown = (int)(c - s->pos) > 40 ? 40 : (int)(c - s->pos);
    REPORT(s, s->line, "string is not closed on its line: %.*s%s (a long text may be written \"one\" \"two\")", shown,
           s->pos, shown == 40 ? "..." : "");
    set_broken(s);
    copy_until(s, c);
}

/* The end of a number as libconfig cuts it; *kind 'i' integer, 'l' with L suffix, 'r' real, 0 not a number. */
static const char *number_end(const char *c, char *kind)
{
    const char *digits;
    *kind = 'i';
    if (c[0] == '0' && (c[1] == 'x' || c[1] == 'X') && isxdigit((unsigned char)c[2])) {
        for (c += 2; isxdigit((unsigned char)*c);) c++;
    } else {
        if (*c == '+' || *c == '-') c++;
        digits = c;
        while (isdigit((unsigned char)*c)) c++;
        bool whole = c > digits;
        if (*c == '.') { *kind = 'r'; for (c++; isdigit((unsigned char)*c); c++) whole = true; }
        if (!whole) { *kind = 0; return digits; }
        if (*c == 'e' || *c == 'E') {
            const char *e = c + 1 + (c[1] == '+' || c[1] == '-');
            if (isdigit((unsigned char)*e)) { *kind = 'r'; for (c = e; isdigit((unsigned char)*c);) c++; }
        }
    }
    if (*kind == 'i' && *c == 'L') { *kind = 'l'; c += c[1] == 'L' ? 2 : 1; }
    return c;
}

static void check_integer(struct scanner *s, const char *end, char kind)
{
    int length = (int)(end - s->pos), digits = length;
    errno = 0;
    long long v = strtoll(s->pos, NULL, s->pos[0] == '0' && (s->pos[1] == 'x' || s->pos[1] == 'X') ? 16 : 10);
    while (digits && s->pos[digits - 1] == 'L') digits--;
    if (errno || v > (1LL << 53) || v < -(1LL << 53)) {
        REPORT(s, s->line,
               "integer %.*s is larger than 2^53, which is as far as a double counts; write it as a real: %.*s.0",
               length, s->pos, digits, s->pos);
        if (errno) set_broken(s);
    } else if (kind == 'i' && (v > INT32_MAX || v < INT32_MIN)) {
        REPORT(s, s->line, "integer %.*s does not fit 32 bits; write %lld.0 or %.*sL", length, s->pos, v, length,
               s->pos);
    }
    /* 010 is ten, as everywhere else: some versions of libconfig take it for octal */
    if (s->pos[0] == '+' || s->pos[0] == '-') copy_until(s, s->pos + 1);
    while (s->pos[0] == '0' && isdigit((unsigned char)s->pos[1])) s->pos++;
    copy_until(s, end);
    if (kind == 'i') sw_text_add(&s->scan->clean, "L");
}

static int clip(const char *from, const char *to) { return to - from < 40 ? (int)(to - from) : 40; }

static void check_real(struct scanner *s, const char *end)
{
    if (isinf(strtod(s->pos, NULL))) {
        REPORT(s, s->line, "number '%.*s' is too large: the largest is 1.79e308", clip(s->pos, end), s->pos);
        set_broken(s);
    }
    copy_until(s, end);
}

static void read_number(struct scanner *s, const char *end, char kind)
{
    s->level[s->depth].number = true;
    if (end[0] == ',' && isdigit((unsigned char)end[1]) && (s->depth == 0 || s->level[s->depth].open == '{')) {
        const char *rest = end + 1 + strspn(end + 1, "0123456789");
        REPORT(s, s->line, "syntax error at '%.*s': a decimal fraction is written with a point, %.*s.%.*s",
               clip(s->pos, rest), s->pos, clip(s->pos, end), s->pos, clip(end + 1, rest), end + 1);
        set_broken(s);
        copy_until(s, rest);
    } else if (*end == ':') {
        REPORT(s, s->line, "syntax error at '%.*s': values at equal distances are written \"range(a, b, step)\" or "
               "\"linspace(a, b, k)\"", clip(s->pos, end + 1), s->pos);
        set_broken(s);
        copy_until(s, end + strspn(end, "0123456789.:+-eE"));
    } else if (kind == 'r') check_real(s, end);
    else check_integer(s, end, kind);
}

static void check_name(struct scanner *s, struct name new)
{
    for (int k = s->level[s->depth].first_name; k < s->nname; k++) {
        struct name *old = &s->name[k];
        if (old->length != new.length || memcmp(old->start, new.start, (size_t)new.length)) continue;
        REPORT(s, new.line, "'%.*s' is set twice; the first time on line %d", new.length, new.start, old->line);
        set_broken(s);
        return;
    }
    if (s->nname < MAX_NAMES) s->name[s->nname++] = new;
    else { REPORT(s, new.line, "more than %d settings", MAX_NAMES); set_broken(s); }
}

static bool is_name(char c, bool first)
{
    return isalpha((unsigned char)c) || c == '*' || (!first && (isdigit((unsigned char)c) || c == '-' || c == '_'));
}

/* The name of a setting, or true or false. */
static void read_name(struct scanner *s)
{
    const char *start = s->pos, *end = start;
    int line = s->line;
    while (is_name(*end, end == start)) end++;
    int length = (int)(end - start);
    copy_until(s, end);
    skip_blank(s);
    if (*s->pos == '=' || *s->pos == ':') check_name(s, (struct name){start, length, line});
    else if (!(length == 4 && !strncasecmp(start, "true", 4)) && !(length == 5 && !strncasecmp(start, "false", 5))) {
        REPORT(s, line, NEEDS_QUOTES, length > 60 ? 60 : length, start);
        set_broken(s);
    }
}

static void open_bracket(struct scanner *s)
{
    if (s->depth == MAX_DEPTH) {
        REPORT(s, s->line, "brackets nested deeper than %d", MAX_DEPTH);
        set_broken(s);
        s->pos += strlen(s->pos);
        return;
    }
    s->level[++s->depth] = (struct level){.open = *s->pos, .line = s->line, .start = s->pos, .first_name = s->nname};
    sw_text_add(&s->scan->clean, *s->pos == '{' ? "{" : "(");
    s->pos++;
}

static void check_array(struct scanner *s, const struct level *l)
{
    int length = (int)(s->pos + 1 - l->start), shown = length > 60 ? 60 : length;
    const char *more = length > 60 ? " ..." : "";
    if (memchr(l->start, '\n', (size_t)shown)) { shown = (int)strcspn(l->start, "\r\n"); more = " ..."; }
    if (l->string && l->number)
        REPORT(s, l->line, "array mixes numbers and strings: %.*s%s; write ( ) for [ ]", shown, l->start, more);
}

/* libconfig takes no comma behind the last element. */
static void drop_last_comma(struct sw_text *clean)
{
    size_t comma = clean->length, last;
    while (comma && isspace((unsigned char)clean->data[comma - 1])) comma--;
    if (!comma || clean->data[comma - 1] != ',') return;
    for (last = comma - 1; last && isspace((unsigned char)clean->data[last - 1]);) last--;
    if (last && !strchr("(,", clean->data[last - 1])) clean->data[comma - 1] = ' ';
}

static void close_bracket(struct scanner *s)
{
    const struct level *l = &s->level[s->depth];
    char close = l->open == '{' ? '}' : l->open == '[' ? ']' : ')';
    if (s->depth == 0 || *s->pos != close) {
        if (s->depth == 0) REPORT(s, s->line, "syntax error: '%c' closes nothing", *s->pos);
        else REPORT(s, s->line, "syntax error: '%c' of line %d is closed by '%c'", l->open, l->line, *s->pos);
        set_broken(s);
        s->pos++;
        return;
    }
    if (l->open == '[') check_array(s, l);
    if (l->open != '{') drop_last_comma(&s->scan->clean);
    sw_text_add(&s->scan->clean, *s->pos == '}' ? "}" : ")");
    s->nname = l->first_name;
    s->depth--;
    s->pos++;
}

static void read_token(struct scanner *s)
{
    char kind, c = *s->pos;
    const char *end = number_end(s->pos, &kind);
    if (c == '"') read_string(s);
    else if (strchr("[({", c)) open_bracket(s);
    else if (strchr("])}", c)) close_bracket(s);
    else if (kind) read_number(s, end, kind);
    else if (is_name(c, true)) read_name(s);
    else if (c == ';' && s->depth && s->level[s->depth].open != '{') {
        if (!s->scan->broken)  /* else its bracket may be what is missing */
            REPORT(s, s->line, "syntax error: ';' in a list, whose elements are separated by commas");
        set_broken(s);
        s->pos++;
    } else if (strchr("=:,;", c)) copy_until(s, s->pos + 1);
    else {
        if (!strncmp(s->pos, "@include", 8))
            REPORT(s, s->line,
                   "@include is not supported: a sweep is one file, so that its output can hold all of it");
        else if (!strncmp(s->pos, "\xE2\x80\x9C", 3) || !strncmp(s->pos, "\xE2\x80\x9D", 3))
            REPORT(s, s->line, "syntax error at '%.3s': quotes are written \"...\"", s->pos);
        else if (isprint((unsigned char)c)) REPORT(s, s->line, NEEDS_QUOTES, 1, s->pos);
        else REPORT(s, s->line, "syntax error: character 0x%02x outside of a string", (unsigned char)c);
        set_broken(s);
        s->pos += strcspn(s->pos, "\n");
    }
}

/* The text is stored in the output file, as UTF-8. */
static void check_utf8(struct scanner *s, const char *text)
{
    const size_t good = sw_text_utf8(text);
    int line = 1;
    if (!text[good]) return;
    for (size_t k = 0; k < good; k++) line += text[k] == '\n';
    REPORT(s, line, "byte 0x%02x is not UTF-8: save the file as UTF-8", (unsigned char)text[good]);
    set_broken(s);
    s->pos += strlen(s->pos);
}

enum sw_status sw_config_scan(struct sw_scan *scan, const char *text)
{
    struct scanner *s;
    SW_TRY(sw_alloc(1, &s));
    *s = (struct scanner){.scan = scan, .pos = text, .line = 1};
    if (!strncmp(text, "\xef\xbb\xbf", 3)) s->pos += 3;  /* the mark some editors put first */
    check_utf8(s, text);
    for (skip_blank(s); *s->pos && scan->report->errors < MAX_ERRORS; skip_blank(s)) read_token(s);
    if (*s->pos) { REPORT(s, s->line, "too many errors: the rest was not read"); set_broken(s); }
    for (; s->depth; s->depth--) {
        REPORT(s, s->level[s->depth].line, "syntax error: '%c' is never closed", s->level[s->depth].open);
        set_broken(s);
    }
    sw_free(s);
    return sw_text_status(&scan->clean);
}
