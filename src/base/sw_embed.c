#include "base/sw_embed.h"

#include <assert.h>
#include <string.h>

void sw_embedded_add(const char *name, struct sw_text *text)
{
    const struct sw_embedded *file = sw_embedded;
    while (file->name && strcmp(file->name, name)) file++;
    assert(file->name);  /* the Makefile's list `embedded` has all of them */
    for (const char *line = file->begin, *end; line < file->end; line = end) {
        const char *newline = memchr(line, '\n', (size_t)(file->end - line));
        end = newline ? newline + 1 : file->end;
        if (strncmp(line, "#include", 8)) sw_text_add_bytes(text, line, (size_t)(end - line));
    }
}

void sw_embedded_add_all(const char *const *names, struct sw_text *text)
{
    for (int k = 0; names[k]; k++) sw_embedded_add(names[k], text);
}
