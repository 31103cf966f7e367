#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "sweep/expand_impl.h"

/* The functions that make lists are no functions of the expression language, and stand alone in a string: NAME(ARG,
 * ARG, ...). */

static bool listed(const char *name, size_t length, const char *functions)
{
    for (const char *f = functions; *f; f += strcspn(f, "|"), f += *f == '|')
        if (strcspn(f, "|") == length && !memcmp(f, name, length)) return true;
    return false;
}

static const char *blank(const char *c) { return c + strspn(c, " \t"); }

/* The comma or parenthesis that ends an argument, NULL if there is none. */
static const char *argument_end(const char *c)
{
    for (int depth = 0; *c; c++) {
        if (depth == 0 && (*c == ',' || *c == ')')) return c;
        depth += *c == '(' ? 1 : *c == ')' ? -1 : 0;
    }
    return NULL;
}

enum sw_status call_split(const struct sw_sweep *s, const char *text, const char *functions, struct call *call,
                          bool *is_call)
{
    const char *name = blank(text), *c = name, *end;
    char *copy;
    *is_call = false;
    while (isalpha((unsigned char)*c)) c++;
    size_t length = (size_t)(c - name);
    if (length >= sizeof call->name || !listed(name, length, functions)) return SW_OK;
    *call = (struct call){0};
    memcpy(call->name, name, length);
    c = blank(c);
    if (*c++ != '(') return SW_OK;
    do {
        if (!(end = argument_end(c))) return SW_OK;
        c = blank(c);
        while (end > c && isspace((unsigned char)end[-1])) end--;
        if (end < c) end = c;
        if (call->narg < CALL_ARGS) {
            SW_TRY(sw_arena_printf(s->own->arena, &copy, "%.*s", (int)(end - c), c));
            call->arg[call->narg] = copy;
        }
        call->narg++;
        c = argument_end(c);
    } while (*c++ == ',');
    *is_call = !*blank(c);
    return SW_OK;
}
