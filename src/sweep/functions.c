#include <stdio.h>

#include "sweep/expand_impl.h"

/* FUNCTION keys: compiled once a sweep, over the columns and what the row of the key allows besides. */

static enum sw_status scope_of(const struct sw_sweep *s, const struct sw_key *key, struct sw_scope *scope)
{
    struct sw_symbol *symbol;
    int n = 0;
    SW_TRY(sw_arena_take(s->own->arena, (size_t)s->own->scope.count + 5, &symbol));
    if (key->symbols & SW_USES_X) symbol[n++] = (struct sw_symbol){"x", SW_RATE_CELL, SW_IN_X};
    if (key->symbols & SW_USES_X && grid_max_dim(s->problem) > 1)
        symbol[n++] = (struct sw_symbol){"y", SW_RATE_CELL, SW_IN_Y};
    if (key->symbols & SW_USES_X && grid_max_dim(s->problem) > 2)
        symbol[n++] = (struct sw_symbol){"z", SW_RATE_CELL, SW_IN_Z};
    if (key->symbols & SW_USES_T) symbol[n++] = (struct sw_symbol){"t", SW_RATE_STEP, 0};
    if (key->symbols & SW_USES_U) symbol[n++] = (struct sw_symbol){"u", SW_RATE_POINT, SW_IN_U};
    for (int k = 0; k < s->own->scope.count; k++) symbol[n++] = s->own->scope.symbol[k];
    /* what is drawn anew each step has a stream of its own, so that step 0 of a forcing is not the initial noise */
    *scope = (struct sw_scope){.symbol = symbol, .count = n, .random = (key->symbols & SW_USES_RANDOM) != 0,
                               .stream = key->symbols & SW_USES_T ? 1 : 0};
    return SW_OK;
}

static enum sw_status add_function(struct sw_sweep *s, const struct sw_key *key, const struct sw_setting *at,
                                   const char *text)
{
    struct sw_scope scope;
    struct formula *f;
    SW_TRY(formula_parse(s, key->path, at, text, &f));
    if (!f) return SW_OK;
    SW_TRY(scope_of(s, key, &scope));
    SW_TRY(formula_compile(s, f, &scope));
    if (f->program)
        s->function[s->nfunction++] =
            (struct sw_function){.key = key->path, .text = f->text, .expr = f->expr, .program = f->program};
    return SW_OK;
}

static enum sw_status read_function(struct sw_sweep *s, const struct sw_key *key)
{
    const struct sw_setting *at = key_setting(s, key->path);
    const char *absent = key_default(s, key);
    char number[32];
    if (!at) return absent && *absent ? add_function(s, key, NULL, absent) : SW_OK;
    switch (at->kind) {
    case SW_SETTING_STRING: return add_function(s, key, at, at->text);
    case SW_SETTING_INTEGER:
    case SW_SETTING_REAL: return add_function(s, key, at, sw_number(at->number, number));
    case SW_SETTING_GROUP:
        report_error(s, at, "'%s' is a group: starting from a saved field is not possible yet; write an expression",
                        key->path);
        return SW_OK;
    default: report_error(s, at, "'%s' must be an expression in quotes", key->path); return SW_OK;
    }
}

enum sw_status functions_read(struct sw_sweep *s)
{
    const struct sw_key *key;
    size_t most = 0;
    for (int k = 0; (key = key_at(s, k)); k++) most += key->kind == SW_KEY_FUNCTION;
    SW_TRY(sw_arena_take(s->own->arena, most, &s->function));
    for (int k = 0; (key = key_at(s, k)); k++)
        if (key->kind == SW_KEY_FUNCTION) SW_TRY(read_function(s, key));
    return SW_OK;
}
