#ifndef SW_EMBED_H
#define SW_EMBED_H
/* Source files embedded in the program for run-time compilation (scripts/embed.sh): the same text the build
 * compiles. */
#include <stddef.h>

struct sw_embedded { const char *name, *begin, *end; };  /* "expr/random_point.h", as an #include would name it */
extern const struct sw_embedded sw_embedded[];           /* ends with name NULL */
#endif
