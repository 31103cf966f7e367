#ifndef SW_EMBED_H
#define SW_EMBED_H
/* Source files embedded in the program for run-time compilation (scripts/build/embed.sh): the same text the build
 * compiles. */
#include <stddef.h>

#include "base/sw_text.h"

struct sw_embedded { const char *name, *begin, *end; };  /* "expr/random_point.h", as an #include would name it */
extern const struct sw_embedded sw_embedded[];           /* ends with name NULL */

/** Append a file without its #include lines: what they name stands before it.
 * @param name  one of the table; anything else is a mistake of the caller */
void sw_embedded_add(const char *name, struct sw_text *text);

/** The same with another file in place of the lines from the one that begins with `first` to that with the next '}' at
 * its beginning. There are such lines. */
void sw_embedded_add_with(const char *name, const char *first, const char *other, struct sw_text *text);

/** Append files, one after another. @param names  NULL behind the last */
void sw_embedded_add_all(const char *const *names, struct sw_text *text);
#endif
