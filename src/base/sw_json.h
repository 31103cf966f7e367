#ifndef SW_JSON_H
#define SW_JSON_H
/* Writing JSON: correct escapes, a comma where one belongs; what is not finite is null. Text is
 * UTF-8: a byte that is not becomes U+FFFD, and what a terminal would act on is escaped. A write that
 * fails is for who closes the file to see (ferror()). */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct sw_json {                 /* from {.to = FILE, .first = true} */
    FILE *to;
    int   depth;
    bool  first, line;           /* line: all on one line            */
};
/** @param bracket '{' or '['  @param key NULL inside a list or at the top */
void sw_json_begin(struct sw_json *j, const char *key, char bracket);
void sw_json_end(struct sw_json *j, char bracket);
void sw_json_text(struct sw_json *j, const char *key, const char *value);
void sw_json_real(struct sw_json *j, const char *key, double value);
void sw_json_count(struct sw_json *j, const char *key, int64_t value);
void sw_json_flag(struct sw_json *j, const char *key, bool value);
/** Members of an object that a writer {.depth = 1, .first = true, .line = true} has written before. */
void sw_json_copy(struct sw_json *j, const char *written);
/** Seconds since 1970 as "2026-11-20T09:00:00Z"; 0 as null. */
void sw_json_time(struct sw_json *j, const char *key, int64_t seconds);
#endif
