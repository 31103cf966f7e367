#ifndef SW_TEXT_H
#define SW_TEXT_H
/* A string that is written piece by piece. It grows, and a failed allocation sticks: later calls do nothing and
 * sw_text_status() tells. Or it has a fixed room, that of an array: then nothing fails, and a text that does not fit
 * ends with a word and " ...". Functions that write messages take either by a pointer, so that none names a size. */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/sw_status.h"

struct sw_text {      /* start from {0}, and free with sw_text_free(); or from SW_SHORT_TEXT or sw_text_in() */
    char  *data;      /* ends with a zero; NULL while empty                                               */
    size_t length, room;
    bool   fixed;     /* data is the array of someone else                                                */
    int    failed;    /* out of memory; where the room is fixed, it is full                               */
};

/** struct sw_text why = SW_SHORT_TEXT;  a message on the stack, to the end of the block */
#define SW_SHORT_TEXT {.data = (char[512]){0}, .room = 512, .fixed = true}

/** A text in an array, behind the text that is there. @param room  of the array, at least 5 */
struct sw_text sw_text_in(char *array, size_t room);

void sw_text_clear(struct sw_text *t);
/** Write a text in place of the one before. */
void sw_text_set(struct sw_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sw_text_vset(struct sw_text *t, const char *fmt, va_list list);
/** Add a sentence, after "; " where it is not the first; nothing where it is "". */
void sw_text_add_sentence(struct sw_text *t, const char *sentence);

void sw_text_add(struct sw_text *t, const char *s);
void sw_text_add_bytes(struct sw_text *t, const void *bytes, size_t length);
void sw_text_printf(struct sw_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** A word as it is to be typed at a shell: in quotes where that takes some. */
void sw_text_add_word(struct sw_text *t, const char *word);

/** The text so far, "" when empty; owned by t. */
const char *sw_text_get(const struct sw_text *t);

/** Hand the text over to the caller, who frees it with sw_free(); t is empty again. NULL if memory was out. */
char *sw_text_take(struct sw_text *t);

/** Copy a text; of one too long what ends with a word, and " ...". @param room  of to, at least 5  @return to */
char *sw_text_shorten(char *to, size_t room, const char *text);

/** Whether two texts are the same; NULL is the same as NULL only. */
bool sw_text_same(const char *a, const char *b);

/** How many bytes at the beginning of a text are UTF-8; strlen(text) if all of it is. */
size_t sw_text_utf8(const char *text);

/** The first character of a text.
 * @param code  out: its code point, 0 at the end of the text; -1: the byte there is not UTF-8
 * @return the bytes it takes; 1 at the end, and of a byte that is not UTF-8 */
size_t sw_text_character(const char *text, int *code);

/** Whether a terminal would act on a character instead of showing it: C0, DEL, C1, the separators of lines, the marks
 * that turn the direction of what follows (U+202A to E, U+2066 to 9); and what is not UTF-8. */
bool sw_text_is_control(int code);

/** Add a text of unknown origin as a terminal can show it: control characters (sw_text_is_control()) as \n, \t, \x1b,
 * \u202e.
 * @param keep  of them, those that are added as they are, "\n" for a text of several lines */
void sw_text_add_shown(struct sw_text *t, const char *text, const char *keep);

/** A number in as few digits as read back to the same bits; "nan" without its sign, which means nothing.
 * @return text */
const char *sw_number(double value, char text[32]);

enum sw_status sw_text_status(const struct sw_text *t);
void sw_text_free(struct sw_text *t);
#endif
