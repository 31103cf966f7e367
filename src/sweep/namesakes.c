/* An axis or a define that has the name of a key of the problem. In expressions the name means the axis; so the key
 * must be the axis as well, or the equation would have another number than the table of the runs. The config says so,
 * kappa = "kappa", or leaves the key out where it has no default: then the axis is the only number it can mean.
 * Anything else is refused. */
#include <stdio.h>
#include <string.h>

#include "sweep/expand_impl.h"

static bool is_number(const struct sw_key *key) { return key->kind == SW_KEY_REAL || key->kind == SW_KEY_COUNT; }

static bool is_function(const struct sw_key *key) { return key->kind == SW_KEY_FUNCTION; }

static bool is_named(const struct sw_key *key, const char *name)
{
    return key_has_name(key) && (!strcmp(key_name(key), name) || (key->alias && !strcmp(key->alias, name)));
}

/* ------------------------------------------------------------------ is the key its namesake? */

/* Whether an expression is the name alone. */
static bool is_name(const struct sw_expr *expr, const char *name)
{
    struct sw_text text = {0};
    sw_expr_print(expr, &text);
    bool same = !strcmp(sw_text_get(&text), name);
    sw_text_free(&text);
    return same;
}

static const struct source *source_of(const struct sw_sweep *s, const struct sw_key *key)
{
    return &s->own->source[column_find(s, key->path)];
}

static bool number_is(const struct sw_sweep *s, const struct sw_key *key, const char *name)
{
    const struct source *from = source_of(s, key);
    if (from->kind == SOURCE_FORMULA) return is_name(from->formula->expr, name);
    return from->unknown && from->kind == SOURCE_CONSTANT;  /* refused, or missing: reported already */
}

/* A function that is off has no part in the equation. */
static bool function_is(const struct sw_sweep *s, const struct sw_key *key, const char *name)
{
    for (int k = 0; k < s->nfunction; k++)
        if (!strcmp(s->function[k].key, key->path)) return is_name(s->function[k].expr, name);
    return key_setting(s, key->path) != NULL || !key->fallback;  /* reported already */
}

static bool word_is(const struct sw_sweep *s, const struct sw_key *key, const char *name)
{
    const struct sw_setting *at = key_setting(s, key->path);
    return at && at->kind == SW_SETTING_STRING && at->text[0] == '$' && !strcmp(at->text + 1, name);
}

static bool is_key(const struct sw_sweep *s, const struct sw_key *key, const char *name)
{
    if (is_number(key)) return number_is(s, key, name);
    return is_function(key) ? function_is(s, key, name) : word_is(s, key, name);
}

static void refuse(const struct sw_sweep *s, const struct sw_key *key, const struct sw_column *column,
                   const struct sw_setting *at)
{
    const char *kind = column->kind == SW_COLUMN_AXIS ? "axis" : "define";
    const bool word = !is_number(key) && !is_function(key);
    char how[120];
    if (word != (column->nword > 0)) {
        report_error(s, at, "'%s' has the name of the key %s, which takes %s: give the %s another name", at->path,
                        key->path, word ? "words" : "a number or an expression", kind);
        return;
    }
    if (key->element)
        snprintf(how, sizeof how, "write \"%s\" in the list %.*s", column->name,
                 (int)(strrchr(key->path, '.') - key->path), key->path);
    else snprintf(how, sizeof how, "write %s = \"%s%s\"", key->path, word ? "$" : "", column->name);
    report_error(s, at, "'%s' has the name of the key %s, which is not this %s: %s, or give the %s another name",
                    at->path, key->path, kind, how, kind);
}

static void check(const struct sw_sweep *s, const struct sw_column *column, const struct sw_setting *at)
{
    const struct sw_key *key;
    for (int k = 0; (key = key_at(s, k)); k++) {
        if (!is_named(key, column->name) || is_key(s, key, column->name)) continue;
        refuse(s, key, column, at);
        return;
    }
}

void namesakes_check(const struct sw_sweep *s)
{
    for (int k = 0; k < s->ncolumn; k++) {
        const struct sw_column *c = &s->column[k];
        const struct source *from = &s->own->source[k];
        if (c->kind != SW_COLUMN_KEY && !from->unknown) check(s, c, from->setting);
    }
}
