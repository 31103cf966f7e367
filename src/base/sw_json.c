#include "base/sw_json.h"

#include <inttypes.h>
#include <math.h>

#include "base/sw_clock.h"
#include "base/sw_text.h"

static void quoted(FILE *to, const char *text)
{
    fputc('"', to);
    size_t length;
    int code;
    for (const char *p = text; *p; p += length) {
        length = sw_text_character(p, &code);
        if (*p == '"' || *p == '\\') fprintf(to, "\\%c", *p);
        else if (*p == '\n') fputs("\\n", to);
        else if (*p == '\t') fputs("\\t", to);
        else if (sw_text_is_control(code)) fprintf(to, "\\u%04x", code < 0 ? 0xfffd : (unsigned)code);
        else fwrite(p, 1, length, to);
    }
    fputc('"', to);
}

/* What comes before a value: the comma, the place, the key. */
static void lead(struct sw_json *j, const char *key)
{
    if (j->depth) {
        if (!j->first) fputc(',', j->to);
        if (j->line) { if (!j->first) fputc(' ', j->to); }
        else fprintf(j->to, "\n%*s", 2 * j->depth, "");
    }
    j->first = false;
    if (key) { quoted(j->to, key); fputs(": ", j->to); }
}

void sw_json_begin(struct sw_json *j, const char *key, char bracket)
{
    lead(j, key);
    fputc(bracket, j->to);
    j->depth++;
    j->first = true;
}

void sw_json_end(struct sw_json *j, char bracket)
{
    j->depth--;
    if (!j->line && !j->first) fprintf(j->to, "\n%*s", 2 * j->depth, "");
    fputc(bracket, j->to);
    j->first = false;
    if (!j->depth) fputc('\n', j->to);
}

void sw_json_text(struct sw_json *j, const char *key, const char *value)
{
    lead(j, key);
    if (value) quoted(j->to, value);
    else fputs("null", j->to);
}

void sw_json_real(struct sw_json *j, const char *key, double value)
{
    lead(j, key);
    char number[32];
    if (isfinite(value)) fputs(sw_number(value, number), j->to);
    else fputs("null", j->to);
}

void sw_json_count(struct sw_json *j, const char *key, int64_t value)
{
    lead(j, key);
    fprintf(j->to, "%" PRId64, value);
}

void sw_json_flag(struct sw_json *j, const char *key, bool value)
{
    lead(j, key);
    fputs(value ? "true" : "false", j->to);
}

void sw_json_copy(struct sw_json *j, const char *written)
{
    lead(j, NULL);
    fputs(written, j->to);
}

void sw_json_time(struct sw_json *j, const char *key, int64_t seconds)
{
    char when[21];
    sw_clock_utc((double)seconds, when);
    sw_json_text(j, key, seconds ? when : NULL);
}
