#include "base/sw_embed.h"

#include <assert.h>
#include <string.h>

void sw_embedded_add(const char *name, struct sw_text *text) { sw_embedded_add_with(name, NULL, NULL, text); }

void sw_embedded_add_with(const char *name, const char *first, const char *other, struct sw_text *text)
{
    const struct sw_embedded *file = sw_embedded;
    bool replaced = false;
    while (file->name && strcmp(file->name, name)) file++;
    assert(file->name);  /* the Makefile's list `embedded` has all of them */
    for (const char *line = file->begin, *end; line < file->end; line = end) {
        const char *newline = memchr(line, '\n', (size_t)(file->end - line));
        end = newline ? newline + 1 : file->end;
        if (first && !strncmp(line, first, strlen(first))) {
            sw_embedded_add(other, text);
            first = NULL;
            replaced = true;
        }
        if (!replaced && strncmp(line, "#include", 8)) sw_text_add_bytes(text, line, (size_t)(end - line));
        replaced = replaced && *line != '}';
    }
    assert(!first && !replaced);
}

void sw_embedded_add_all(const char *const *names, struct sw_text *text)
{
    for (int k = 0; names[k]; k++) sw_embedded_add(names[k], text);
}
