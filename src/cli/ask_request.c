#include "cli/ask.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_nearest_name.h"
#include "base/sw_text.h"
#include "cli/signals.h"

/* Of JSON these are objects of numbers and words, and arrays of them: a reader of general trees would refuse NaN, which
 * Python writes, before anybody knows which parameter it is the value of. Strings are names and words, which have no
 * escapes. */

struct reader {
    const char *line, *at;
    const struct ask_parameter *parameter;
    int         count;
    const char **name;                  /* [count] of the parameters                                             */
    double     *number;                 /* [count] of the row that is read                                       */
    char      **word;                   /* [count] likewise                                                      */
    bool       *given;                  /* [count] likewise                                                      */
    struct sw_text wrong;               /* with the line; else ""                                                */
};

struct token { const char *text; int length; };

static void skip_blanks(struct reader *r) { r->at += strspn(r->at, " \t\r"); }

/* @param wanted  what is missing where the line is read to */
static void refuse_line(struct reader *r, const char *wanted)
{
    if (r->wrong.length) return;
    if (*r->at) sw_text_printf(&r->wrong, "column %d: %s is missing before '%.20s'", (int)(r->at - r->line) + 1, wanted,
                               r->at);
    else sw_text_printf(&r->wrong, "the line ends where %s is missing", wanted);
}

static bool take(struct reader *r, char c)
{
    skip_blanks(r);
    if (*r->at != c) return false;
    r->at++;
    return true;
}

static void demand(struct reader *r, char c, const char *wanted)
{
    if (!take(r, c)) refuse_line(r, wanted);
}

/* What stands between quotes. */
static struct token read_string(struct reader *r, const char *wanted)
{
    struct token t = {"", 0};
    demand(r, '"', wanted);
    if (r->wrong.length) return t;
    t.text = r->at;
    while (*r->at && *r->at != '"') r->at += *r->at == '\\' && r->at[1] ? 2 : 1;
    t.length = (int)(r->at - t.text);
    demand(r, '"', "the end of a text, \",");
    return t;
}

/* A number of JSON: no hexadecimal digits, no sign +, no point at an end. */
static bool is_number(struct token t)
{
    const char *c = t.text + (*t.text == '-');
    const size_t whole = strspn(c, "0123456789");
    if (!whole || (whole > 1 && *c == '0')) return false;
    c += whole;
    if (*c == '.') {
        const size_t digits = strspn(c + 1, "0123456789");
        if (!digits) return false;
        c += 1 + digits;
    }
    if (*c == 'e' || *c == 'E') {
        c += 1 + (c[1] == '+' || c[1] == '-');
        const size_t digits = strspn(c, "0123456789");
        if (!digits) return false;
        c += digits;
    }
    return c == t.text + t.length;
}

static bool is_token(struct token t, const char *text)
{
    return (size_t)t.length == strlen(text) && !strncmp(t.text, text, strlen(text));
}

/* ---- rows */

static int find_parameter(const struct reader *r, struct token name)
{
    for (int k = 0; k < r->count; k++)
        if (is_token(name, r->parameter[k].name)) return k;
    return -1;
}

static void add_names(const struct reader *r, struct sw_text *text)
{
    for (int k = 0; k < r->count; k++) sw_text_printf(text, "%s%s", k ? ", " : "", r->name[k]);
}

static void refuse_name(const struct reader *r, struct token name, struct sw_text *error)
{
    char plain[80];
    struct sw_text whole = sw_text_in(strcpy(plain, ""), sizeof plain);
    sw_text_printf(&whole, "%.*s", name.length, name.text);
    const char *near = sw_nearest_name(plain, r->name, r->count);
    sw_text_printf(error, "unknown parameter '%s'", plain);
    if (near) sw_text_printf(error, "; did you mean '%s'?", near);
    else {
        sw_text_add(error, "; they are ");
        add_names(r, error);
    }
}

static void refuse_value(const char *name, struct token value, const char *why, struct sw_text *error)
{
    sw_text_printf(error, "parameter '%s': %.*s %s", name, value.length > 40 ? 40 : value.length, value.text, why);
}

/* @param error  "": the row has been fine so far */
static void read_number(struct reader *r, int k, struct token value, struct sw_text *error)
{
    const char *name = r->name[k];
    if (is_token(value, "NaN")) sw_text_printf(error, "parameter '%s' is not a number (NaN)", name);
    else if (is_token(value, "Infinity") || is_token(value, "-Infinity")) refuse_value(name, value, "is not finite",
                                                                                       error);
    else if (!is_number(value)) refuse_value(name, value, "is no number", error);
    else if (r->parameter[k].is_word) refuse_value(name, value, "is a number, where a word is wanted", error);
    else {
        r->number[k] = strtod(value.text, NULL) + 0.0;  /* -0 is 0 */
        if (!isfinite(r->number[k])) refuse_value(name, value, "is not finite", error);
    }
}

static enum sw_status read_word(struct reader *r, int k, struct token value, struct sw_text *error)
{
    if (!r->parameter[k].is_word) {
        sw_text_printf(error, "parameter '%s': \"%.*s\" is a text, where a number is wanted", r->name[k],
                       value.length > 40 ? 40 : value.length, value.text);
        return SW_OK;
    }
    for (int c = 0; c < value.length; c++)  /* a table has no line that begins with #, no blanks around a field */
        if (strchr("\\,\n\r\t #\"", value.text[c])) {
            sw_text_printf(error, "parameter '%s': letters, digits and _.+-: make a word", r->name[k]);
            return SW_OK;
        }
    if (!value.length) sw_text_printf(error, "parameter '%s': the word is empty", r->name[k]);
    sw_free(r->word[k]);
    r->word[k] = sw_strndup(value.text, (size_t)value.length);
    return r->word[k] ? SW_OK : SW_FAIL(SW_E_MEMORY, "out of memory");
}

/* "F": 0.03. The first that is wrong with a row is told. */
static enum sw_status read_member(struct reader *r, struct sw_text *error)
{
    struct sw_text here = SW_SHORT_TEXT;
    enum sw_status st = SW_OK;
    const struct token name = read_string(r, "the name of a parameter, \"NAME\",");
    demand(r, ':', "':'");
    skip_blanks(r);
    const int k = find_parameter(r, name);
    const bool is_string = *r->at == '"';
    struct token value;
    if (r->wrong.length) return SW_OK;
    if (is_string) value = read_string(r, "");
    else {
        value = (struct token){r->at, (int)strcspn(r->at, ",:}]{[\" \t\r")};
        r->at += value.length;
        if (!value.length) refuse_line(r, "a number");
    }
    if (r->wrong.length) return SW_OK;
    if (k < 0) refuse_name(r, name, &here);
    else if (r->given[k]) sw_text_printf(&here, "parameter '%s' is given twice", r->name[k]);
    else if (is_string) st = read_word(r, k, value, &here);
    else read_number(r, k, value, &here);
    if (k >= 0) r->given[k] = true;
    if (!error->length) sw_text_add(error, sw_text_get(&here));
    return st;
}

static enum sw_status end_row(const struct reader *r, struct sw_text *error, struct ask_row *row)
{
    struct sw_text text = {0};
    char number[32];
    for (int k = 0; k < r->count && !error->length; k++)
        if (!r->given[k]) sw_text_printf(error, "parameter '%s' is missing", r->name[k]);
    for (int k = 0; k < r->count && !error->length; k++)
        sw_text_printf(&text, "%s%s", k ? "," : "",
                       r->parameter[k].is_word ? r->word[k] : sw_number(r->number[k], number));
    if (error->length) row->error = sw_strdup(sw_text_get(error));
    else row->text = sw_text_take(&text);
    sw_text_free(&text);
    return row->error || row->text ? SW_OK : SW_FAIL(SW_E_MEMORY, "out of memory");
}

static enum sw_status read_row(struct reader *r, struct ask_row *row)
{
    struct sw_text error = SW_SHORT_TEXT;
    for (int k = 0; k < r->count; k++) r->given[k] = false;
    demand(r, '{', "'{'");
    if (!r->wrong.length && !take(r, '}')) {
        do SW_TRY(read_member(r, &error));
        while (!r->wrong.length && take(r, ','));
        if (!r->wrong.length) demand(r, '}', "',' or '}'");
    }
    return r->wrong.length ? SW_OK : end_row(r, &error, row);
}

/* ---- lines */

static enum sw_status read_rows(struct reader *r, struct ask_request *q)
{
    int room = 0;
    q->is_list = take(r, '[');
    if (q->is_list && take(r, ']')) return SW_OK;
    do {
        if (q->count == room) {
            SW_TRY(sw_resize((size_t)room, 2 * (size_t)room + 1, &q->row));
            room = 2 * room + 1;
        }
        SW_TRY(read_row(r, &q->row[q->count++]));
    } while (!r->wrong.length && q->is_list && take(r, ','));
    if (!r->wrong.length && q->is_list) demand(r, ']', "',' or ']'");
    return SW_OK;
}

static enum sw_status read_line(struct reader *r, struct ask_request *q)
{
    const size_t good = sw_text_utf8(r->line);
    if (r->line[good]) {
        sw_text_printf(&r->wrong, "column %zu: byte 0x%02x is not UTF-8", good + 1, (unsigned char)r->line[good]);
        return SW_OK;
    }
    SW_TRY(read_rows(r, q));
    skip_blanks(r);
    if (!r->wrong.length && *r->at)
        sw_text_printf(&r->wrong, "column %d: '%.20s' follows the end of the request", (int)(r->at - r->line) + 1,
                       r->at);
    return SW_OK;
}

static void free_rows(struct ask_request *q)
{
    for (int k = 0; k < q->count; k++) {
        sw_free(q->row[k].error);
        sw_free(q->row[k].text);
    }
    sw_free(q->row);
    q->row = NULL;
    q->count = 0;
}

enum sw_status ask_request_read(const char *line, const struct ask_parameter *parameter, int count,
                                struct ask_request *q)
{
    struct reader r = {.line = line, .at = line, .parameter = parameter, .count = count, .wrong = SW_SHORT_TEXT};
    enum sw_status st;
    SW_TRY_TO(done, st, sw_alloc((size_t)count, &r.name));
    SW_TRY_TO(done, st, sw_alloc((size_t)count, &r.number));
    SW_TRY_TO(done, st, sw_alloc((size_t)count, &r.word));
    SW_TRY_TO(done, st, sw_alloc((size_t)count, &r.given));
    for (int k = 0; k < count; k++) r.name[k] = parameter[k].name;
    SW_TRY_TO(done, st, read_line(&r, q));
    if (!r.wrong.length) goto done;
    free_rows(q);
    q->is_list = false;
    if (!(q->error = sw_strdup(sw_text_get(&r.wrong)))) st = SW_FAIL(SW_E_MEMORY, "out of memory");
done:
    for (int k = 0; r.word && k < count; k++) sw_free(r.word[k]);
    sw_free(r.name);
    sw_free(r.number);
    sw_free(r.word);
    sw_free(r.given);
    return st;
}

void ask_request_free(struct ask_request *q)
{
    free_rows(q);
    sw_free(q->error);
    *q = (struct ask_request){0};
}

/* ---- standard input */

enum { MOST_OF_LINE = 1 << 28, LOOK_MS = 100 };

static enum sw_status read_more(struct ask_input *in)
{
    char bytes[65536];
    struct pollfd from = {.fd = STDIN_FILENO, .events = POLLIN};
    while (!stop_signal && poll(&from, 1, LOOK_MS) <= 0) {}
    if (stop_signal) return SW_FAIL(SW_E_STOPPED, "stopped by a signal");
    const ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return SW_OK;
    if (n < 0) return SW_FAIL_ERRNO(SW_E_IO, errno, "standard input");
    in->end = n == 0;
    sw_text_add_bytes(&in->text, bytes, (size_t)n);
    if (in->text.length - in->used > MOST_OF_LINE)
        return SW_FAIL(SW_E_USAGE, "standard input: a line of more than %d MiB", MOST_OF_LINE >> 20);
    return sw_text_status(&in->text);
}

/* Take away the lines that have been read. */
static void drop_used(struct ask_input *in)
{
    if (!in->used) return;
    in->text.length -= in->used;
    memmove(in->text.data, in->text.data + in->used, in->text.length + 1);
    in->used = 0;
}

static char *end_line(struct ask_input *in, char *end, size_t behind)
{
    char *line = in->text.data + in->used;
    for (char *c = line; c < end; c++)
        if (!*c) *c = '?';  /* a zero byte, which no JSON has either */
    *end = 0;
    in->used = (size_t)(end - in->text.data) + behind;
    return line;
}

enum sw_status ask_input_line(struct ask_input *in, char **line)
{
    *line = NULL;
    if (stop_signal) return SW_FAIL(SW_E_STOPPED, "stopped by a signal");
    for (size_t seen = in->used;;) {
        char *newline = in->text.length > seen ? memchr(in->text.data + seen, '\n', in->text.length - seen) : NULL;
        if (newline) *line = end_line(in, newline, 1);
        else if (in->end && in->used < in->text.length) *line = end_line(in, in->text.data + in->text.length, 0);
        if (*line || in->end) return SW_OK;
        drop_used(in);
        seen = in->text.length;
        SW_TRY(read_more(in));
    }
}
