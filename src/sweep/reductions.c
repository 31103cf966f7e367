#include "sweep/reductions.h"

#include <string.h>

#include "base/sw_text.h"
#include "sweep/column_values.h"
#include "sweep/columns.h"
#include "sweep/formula.h"
#include "sweep/keys.h"
#include "sweep/sweep_own.h"
#include "sweep/times.h"

static const char path[] = "output.scalars.define";

const struct sw_setting *scalars_setting(const struct sw_sweep *s)
{
    const struct sw_setting *group = key_find(s, path) ? key_setting(s, path) : NULL;
    return group && group->kind == SW_SETTING_GROUP ? group : NULL;  /* else reported already */
}

/* What reductions are taken of: the unknowns, which are the fields of a problem with time. */
static int list_unknowns(const struct sw_sweep *s, const char *unknown[SW_UNKNOWNS_MOST])
{
    int n = 0;
    const struct sw_quantity *fields = s->own->unknown_field ? s->own->unknown_field : s->problem->fields;
    for (const struct sw_quantity *q = fields; q && q->name && n < SW_UNKNOWNS_MOST; q++)
        unknown[n++] = q->name;
    return n;
}

/* What expressions over reductions may name. @param unknown  out: room for the names, which the scope points to */
static struct sw_reduction_scope make_scope(const struct sw_sweep *s, const char *unknown[SW_UNKNOWNS_MOST])
{
    const int most = grid_max_dim(s->problem), given = s->own->dimensions, fields = given < most ? given : most;
    return (struct sw_reduction_scope){.run = &s->own->scope, .own = s->ncolumn, .unknown = unknown,
                                       .dimensions = given ? fields : most,
                                       .derivatives = given ? fields : most == 1,
                                       .unknowns = list_unknowns(s, unknown)};
}

static const char *text_of_scalar(const struct sw_setting *group, const char *name, size_t length)
{
    for (int k = 0; group && k < group->count; k++)
        if (strlen(group->child[k]->name) == length && !memcmp(group->child[k]->name, name, length))
            return group->child[k]->text;
    return NULL;
}

/* A text with other scalars' texts, in brackets, for their names. @return false: one of them uses itself, or the text
 * is longer than any may be */
static bool insert_scalars(const struct sw_setting *group, const char *text, int depth, struct sw_text *out)
{
    static const char word[] = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.";  /* or 1e5 */
    enum { LONGEST = 65536 };
    while (*text && depth <= (group ? group->count : 0) && out->length <= LONGEST) {
        const size_t length = strspn(text, word) ? strspn(text, word) : 1;
        const bool called = text[length + strspn(text + length, " \t\r\n")] == '(';  /* a function, or a reduction */
        const char *other = called ? NULL : text_of_scalar(group, text, length);
        sw_text_add_bytes(out, other ? "(" : text, other ? 1 : length);
        if (other && !insert_scalars(group, other, depth + 1, out)) return false;
        if (other) sw_text_add(out, ")");
        text += length;
    }
    return !*text;
}

/* Compile the text of a setting, in which scalars of the user's own may stand by their names.
 * @param reduction  out: NULL where the text is refused, which is reported then */
static enum sw_status compile(const struct sw_sweep *s, const struct sw_setting *setting,
                              const struct sw_reduction_scope *scope, struct sw_reduction **reduction)
{
    struct sw_expr_error err;
    struct sw_text text = {0};
    enum sw_status st = SW_OK;
    *reduction = NULL;
    if (setting->kind != SW_SETTING_STRING)
        report_error(s, setting, "'%s' must be an expression in quotes", setting->path);
    else if (!insert_scalars(scalars_setting(s), setting->text, 0, &text))
        report_error(s, setting, "'%s' uses itself, or is too long, once the scalars that it names are put in",
                     setting->path);
    else if (!(st = sw_text_status(&text)))
        st = sw_reduction_compile(sw_text_get(&text), scope, reduction, &err);
    if (st == SW_E_CONFIG) formula_report(s, setting, setting->path, sw_text_get(&text), &err);
    sw_text_free(&text);
    return st == SW_E_CONFIG ? SW_OK : st;
}

static enum sw_status add_scalar(struct sw_sweep *s, const struct sw_reduction_scope *scope,
                                 const struct sw_setting *setting)
{
    struct config_reduction *d = &s->own->defined[s->ndefined];
    char *long_name;
    SW_TRY(compile(s, setting, scope, &d->reduction));
    if (!d->reduction) return SW_OK;
    d->setting = setting;
    s->defined[s->ndefined++] = d->reduction;
    SW_TRY(sw_arena_printf(s->own->arena, &long_name, "%s = %s", setting->name, setting->text));
    s->scalar[s->nscalar++] = (struct sw_quantity){setting->name, "1", long_name};
    return SW_OK;
}

/* NAME_mean, NAME_min, NAME_max of each unknown. */
static enum sw_status add_of_unknowns(struct sw_sweep *s, const struct sw_reduction_scope *scope)
{
    static const struct { const char *reduction, *what; } added[] = {
        {"mean", "mean"}, {"min", "least value"}, {"max", "greatest value"}};
    struct sw_expr_error err;
    for (int k = 0; k < 3 * s->nunknown; k++) {
        const char *unknown = s->unknown[k / 3];
        char *name, *text, *long_name;
        SW_TRY(sw_arena_printf(s->own->arena, &name, "%s_%s", unknown, added[k % 3].reduction));
        SW_TRY(sw_arena_printf(s->own->arena, &text, "%s(%s)", added[k % 3].reduction, unknown));
        SW_TRY(sw_arena_printf(s->own->arena, &long_name, "%s of %s", added[k % 3].what, unknown));
        const enum sw_status st = sw_reduction_compile(text, scope, &s->own->defined[s->ndefined].reduction, &err);
        if (st == SW_E_CONFIG) continue;  /* a name that prepare() refuses */
        SW_TRY(st);
        s->defined[s->ndefined] = s->own->defined[s->ndefined].reduction;
        s->ndefined++;
        s->scalar[s->nscalar++] = (struct sw_quantity){name, "1", long_name};
    }
    return SW_OK;
}

enum sw_status scalars_read(struct sw_sweep *s)
{
    const struct sw_setting *group = scalars_setting(s);
    const char *unknown[SW_UNKNOWNS_MOST];
    const struct sw_reduction_scope scope = make_scope(s, unknown);
    const size_t most = group ? (size_t)group->count : 0, own = 3 * (size_t)s->nunknown;
    size_t built_in = 0;
    while (s->problem->scalars && s->problem->scalars[built_in].name) built_in++;
    SW_TRY(sw_arena_take(s->own->arena, built_in + own + most + 1, &s->scalar));
    SW_TRY(sw_arena_take(s->own->arena, own + most, &s->defined));
    SW_TRY(sw_arena_take(s->own->arena, own + most, &s->own->defined));
    for (size_t k = 0; k < built_in; k++) s->scalar[s->nscalar++] = s->problem->scalars[k];
    SW_TRY(add_of_unknowns(s, &scope));
    for (size_t k = 0; k < most; k++) SW_TRY(add_scalar(s, &scope, group->child[k]));
    return SW_OK;
}

/* ------------------------------------------------------------------ what ends runs early */

static enum sw_status read_when(struct sw_sweep *s)
{
    const struct sw_setting *setting = key_setting(s, "stop.when");
    const char *unknown[SW_UNKNOWNS_MOST];
    struct sw_reduction_scope scope = make_scope(s, unknown);
    struct config_reduction *when = s->own->stop_when;
    if (!setting) return SW_OK;
    scope.passes_nan = true;  /* else log(min(u)) > 2 is false where min(u) is negative, and nobody is told */
    SW_TRY(compile(s, setting, &scope, &when->reduction));
    if (!when->reduction) return SW_OK;
    when->setting = setting;
    s->stop_when = when->reduction;
    s->stop_when_text = setting->text;
    return SW_OK;
}

enum sw_status stops_read(struct sw_sweep *s)
{
    const struct sw_setting *group = s->problem->time ? key_setting(s, "stop") : NULL;
    *s->own->looks = (struct times){.kind = TIMES_NONE};
    if (!group || group->kind != SW_SETTING_GROUP) return SW_OK;  /* another kind is reported already */
    if (!key_setting(s, "stop.steady") && !key_setting(s, "stop.when")) {
        if (!key_is_guessed(s, "stop.steady") && !key_is_guessed(s, "stop.when"))
            report_error(s, group, "'stop' does not say why: add steady = 1e-8, or when = \"max(abs(u)) > 10\"");
        return SW_OK;
    }
    SW_TRY(read_when(s));
    SW_TRY(every_read(s, key_setting(s, "stop.every") ? "stop.every" : "output.scalars.every", s->own->looks));
    if (!s->own->looks->setting && !key_is_guessed(s, "stop.every"))
        report_error(s, group, "'stop' does not say when to look at the runs: add every = ..., a time");
    s->stops = true;
    return SW_OK;
}

void reductions_free(struct sw_sweep *s)
{
    for (int k = 0; k < s->ndefined; k++) sw_reduction_destroy(&s->own->defined[k].reduction);
    if (s->own->stop_when) sw_reduction_destroy(&s->own->stop_when->reduction);
}
