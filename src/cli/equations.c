#include "cli/equations.h"

#include <stdbool.h>
#include <string.h>

#include "base/sw_embed.h"

enum { MOST = 64 };
static const char folder[] = "configs/equations/", ending[] = ".cfg";

/* The text of a line of a comment; line: the beginning of the next one, out. */
static void read_comment(const char **line, const char *end, char *out, size_t size)
{
    const char *newline = memchr(*line, '\n', (size_t)(end - *line)), *stop = newline ? newline : end, *p = *line;
    while (p < stop && (*p == '/' || *p == ' ')) p++;
    snprintf(out, size, "%.*s", (int)(stop - p), p);
    *line = newline ? newline + 1 : end;
}

static struct cli_equation read_config(const struct sw_embedded *file)
{
    struct cli_equation e = {.begin = file->begin, .end = file->end};
    const char *name = file->name + strlen(folder), *line = file->begin;
    snprintf(e.name, sizeof e.name, "equation.%.*s", (int)(strlen(name) - strlen(ending)), name);
    read_comment(&line, e.end, e.about, sizeof e.about);
    read_comment(&line, e.end, e.formula, sizeof e.formula);
    read_comment(&line, e.end, e.formula, sizeof e.formula);
    return e;
}

/* Read when it is first asked for, by the one thread that reads the command line. */
const struct cli_equation *cli_equation(int k)
{
    static struct cli_equation all[MOST];
    static int count = -1;
    if (count < 0) {
        count = 0;
        for (const struct sw_embedded *file = sw_embedded; file->name && count < MOST; file++)
            if (!strncmp(file->name, folder, strlen(folder))) all[count++] = read_config(file);
    }
    return k < count ? &all[k] : NULL;
}

const char *cli_equation_short_name(const struct cli_equation *equation) { return strchr(equation->name, '.') + 1; }

const struct cli_equation *cli_equation_find(const char *name)
{
    const struct cli_equation *e;
    for (int k = 0; (e = cli_equation(k)); k++)
        if (!strcmp(e->name, name) || !strcmp(cli_equation_short_name(e), name)) return e;
    return NULL;
}
