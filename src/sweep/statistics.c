#include "sweep/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_nearest_name.h"
#include "sweep/column_values.h"
#include "sweep/columns.h"
#include "sweep/keys.h"
#include "sweep/names.h"
#include "sweep/sw_run_result.h"
#include "sweep/sw_statistics.h"
#include "sweep/sweep_own.h"
#include "sweep/times.h"

const char *const sw_statistic_names[SW_STATISTICS_COUNT + 1] = {
    [SW_STATISTIC_MEAN] = "mean", [SW_STATISTIC_SEM] = "sem", [SW_STATISTIC_VAR] = "var", [SW_STATISTIC_MIN] = "min",
    [SW_STATISTIC_MAX] = "max", [SW_STATISTIC_QUANTILES] = "quantiles"};

/* ------------------------------------------------------------------ the text of a file */

static int find_statistic(const char *word) { return sw_name_index(word, sw_statistic_names, SW_STATISTICS_COUNT); }

static enum sw_status add_name(char *word, int *count, char ***list)
{
    SW_TRY(sw_resize((size_t)*count, (size_t)*count + 1, list));
    (*list)[(*count)++] = word;
    return SW_OK;
}

/* "mean", "0.1"; a number follows the word quantiles. */
static enum sw_status add_what(struct sw_statistics *t, const char *word)
{
    char *end;
    const int k = find_statistic(word);
    if (k >= 0) { t->what |= 1u << k; return SW_OK; }
    const double p = strtod(word, &end);
    if (*end || !(p >= 0 && p <= 1) || t->nquantile == SW_QUANTILES_MOST) return SW_E_IO;
    t->quantile[t->nquantile++] = p;
    return SW_OK;
}

static enum sw_status add_output(struct sw_statistics *t, const char *word)
{
    char *end;
    const long long k = strtoll(word, &end, 10);
    if (*end || k < 0 || (t->nat && k <= t->at[t->nat - 1])) return SW_E_IO;
    SW_TRY(sw_resize((size_t)t->nat, (size_t)t->nat + 1, &t->at));
    t->at[t->nat++] = k;
    return SW_OK;
}

static enum sw_status add_dropped(struct sw_statistics *t, const char *word)
{
    const bool fields = !strcmp(word, "fields"), scalars = !strcmp(word, "scalars");
    t->drop_fields |= fields;
    t->drop_scalars |= scalars;
    return fields || scalars ? SW_OK : SW_E_IO;
}

static enum sw_status parse_words(struct sw_statistics *t)
{
    enum { WHAT, OF, OVER, AT, WITHOUT } part = WHAT;
    static const char *const name[] = {"", "of", "over", "at", "without"};
    enum sw_status st = SW_OK;
    char *rest = t->words;
    for (char *word; (word = strtok_r(rest, " ", &rest)) && !st;) {
        const size_t length = strlen(word);
        const bool ends = word[length - 1] == ';';
        if (ends) word[length - 1] = 0;
        switch (part) {
        case WHAT: st = add_what(t, word); break;
        case OF: st = add_name(word, &t->nof, &t->of); break;
        case OVER: st = add_name(word, &t->nover, &t->over); break;
        case AT: st = add_output(t, word); break;
        case WITHOUT: st = add_dropped(t, word); break;
        }
        if (!ends || st) continue;
        if (part == WITHOUT || !(word = strtok_r(rest, " ", &rest))) return SW_E_IO;
        part += 1 + (part == OVER && strcmp(word, name[AT]));
        if (strcmp(word, name[part])) return SW_E_IO;
    }
    if (st) return st;
    const bool quantiles = t->what >> SW_STATISTIC_QUANTILES & 1;
    const bool whole = t->what && t->nof && t->nover && (part != AT || t->nat);
    return whole && quantiles == (t->nquantile > 0) ? SW_OK : SW_E_IO;
}

enum sw_status sw_statistics_parse(const char *text, struct sw_statistics *t)
{
    sw_statistics_free(t);
    if (!(t->text = sw_strdup(text)) || !(t->words = sw_strdup(text))) return SW_E_MEMORY;
    const enum sw_status st = parse_words(t);
    if (st != SW_E_IO) return st;
    t->what = 0;
    t->nat = 0;
    t->drop_fields = t->drop_scalars = false;
    return SW_OK;
}

bool sw_statistics_is_over(const struct sw_statistics *t, const char *axis)
{
    return sw_name_index(axis, (const char *const *)t->over, t->nover) >= 0;
}

bool sw_statistics_spectrum(const char *quantity, char field[SW_QUANTITY_NAME])
{
    static const char begin[] = "spectrum(";
    const size_t length = strlen(quantity), head = sizeof begin - 1;
    const bool yes = length > head + 1 && !strncmp(quantity, begin, head) && quantity[length - 1] == ')';
    snprintf(field, SW_QUANTITY_NAME, "%.*s", (int)(yes ? length - head - 1 : length), quantity + (yes ? head : 0));
    return yes;
}

const char *sw_statistics_stem(const char *quantity, char stem[SW_STATISTICS_STEM])
{
    char field[SW_QUANTITY_NAME];
    const bool spectrum = sw_statistics_spectrum(quantity, field);
    snprintf(stem, SW_STATISTICS_STEM, "%s%s", field, spectrum ? "_spectrum" : "");
    return stem;
}

void sw_statistics_free(struct sw_statistics *t)
{
    sw_free(t->of);
    sw_free(t->over);
    sw_free(t->at);
    sw_free(t->text);
    sw_free(t->words);
    *t = (struct sw_statistics){0};
}

/* ------------------------------------------------------------------ the config */

enum { NAMES_MOST = 256 };
struct names { int count; const char *name[NAMES_MOST]; };

static bool has_name(const struct names *n, const char *name)
{
    return sw_name_index(name, n->name, n->count) >= 0;
}

static void put_name(struct names *n, const char *name)
{
    if (n->count < NAMES_MOST && !has_name(n, name)) n->name[n->count++] = name;
}

/* The fields of runs, whether they are saved or not. */
static const struct sw_quantity *fields_of(const struct sw_sweep *s) { return s->own->field; }

/* What a word decides is asked for the first run. */
static enum sw_status find_fields(struct sw_sweep *s)
{
    struct sw_group *group = NULL;
    const int64_t first = 0;
    int count = 0;
    s->own->field = s->own->unknown_field ? s->own->unknown_field : s->problem->fields;
    if (!s->problem->shape->fields_of) return SW_OK;
    SW_TRY(sw_sweep_groups(s, &first, 1, &group, &count));
    s->own->field = sw_sweep_fields(s, group);
    sw_groups_free(&group, count);
    return SW_OK;
}

static enum sw_status list_quantities(const struct sw_sweep *s, struct names *known)
{
    char *spectrum;
    for (const struct sw_quantity *q = s->scalar; s->save_scalars && q && q->name; q++) put_name(known, q->name);
    for (const struct sw_quantity *q = fields_of(s); s->save_fields && q && q->name; q++) put_name(known, q->name);
    for (const struct sw_run_column *c = sw_run_columns; c->name; c++)
        if (c->type != SW_RUN_COLUMN_FLAG && sw_run_column_has_values(c, s)) put_name(known, c->name);
    for (const struct sw_quantity *q = fields_of(s); s->save_fields && s->problem->time && q && q->name; q++) {
        SW_TRY(sw_arena_printf(s->own->arena, &spectrum, "spectrum(%s)", q->name));
        put_name(known, spectrum);
    }
    return SW_OK;
}

static void list_axes(const struct sw_sweep *s, struct names *known)
{
    for (int k = 0; k < s->naxis; k++) put_name(known, s->column[s->axis[k].column].name);
}

static void report_unknown(const struct sw_sweep *s, const struct sw_setting *list, const char *name,
                           const struct names *known, const char *what)
{
    struct sw_text text = {0};
    const char *near = sw_nearest_name(name, known->name, known->count);
    const struct sw_run_column *column = sw_run_column_find(name);
    const bool series = sw_quantity_listed(s->scalar, name), field = sw_quantity_listed(fields_of(s), name);
    for (int k = 0; k < known->count; k++) sw_text_printf(&text, "%s%s", k ? ", " : "", known->name[k]);
    if (!strcmp(what, "quantity") && (series || field))
        report_error(s, list, "'%s': no run saves '%s': add output.%s", list->path, name,
                     series ? "scalars" : "fields");
    else if (!strcmp(what, "quantity") && column && column->shown == SW_SHOWN_WITH_NORMS)
        report_error(s, list, "'%s': no run has '%s', an error: add exact", list->path, name);
    else if (near) report_error(s, list, "'%s': unknown %s '%s'; did you mean '%s'?", list->path, what, name, near);
    else if (!known->count) report_error(s, list, "'%s': unknown %s '%s': there is none", list->path, what, name);
    else report_error(s, list, "'%s': unknown %s '%s'; known here: %s", list->path, what, name, sw_text_get(&text));
    sw_text_free(&text);
}

/* A list of names, or one of them. */
static void read_names(const struct sw_sweep *s, const char *path, const struct names *known, const char *what,
                       struct names *out)
{
    struct sw_setting *list = (struct sw_setting *)key_setting(s, path);
    struct sw_setting *const *element = list->kind == SW_SETTING_LIST ? list->child : &list;
    const int count = list->kind == SW_SETTING_LIST ? list->count : 1;
    if (!count) report_error(s, list, "'%s' is empty: name at least one %s", path, what);
    for (int k = 0; k < count; k++) {
        if (element[k]->kind != SW_SETTING_STRING)
            report_error(s, list, "'%s' is a list of names in quotes: each an %s", path, what);
        else if (!has_name(known, element[k]->text)) report_unknown(s, list, element[k]->text, known, what);
        else if (has_name(out, element[k]->text))
            report_error(s, list, "'%s': '%s' stands there twice", path, element[k]->text);
        else { put_name(out, element[k]->text); continue; }
        return;
    }
}

static void read_quantiles(const struct sw_sweep *s, bool asked, struct sw_statistics *t)
{
    static const double usual[] = {0.05, 0.25, 0.5, 0.75, 0.95};
    const struct sw_setting *list = key_setting(s, "statistics.quantiles");
    if (!list && asked) {
        memcpy(t->quantile, usual, sizeof usual);
        t->nquantile = sizeof usual / sizeof *usual;
    }
    if (!list) return;
    if (!asked)
        report_error(s, list, "'%s' means nothing without \"quantiles\" in statistics.what", list->path);
    if (list->kind != SW_SETTING_LIST || list->count < 1 || list->count > SW_QUANTILES_MOST) {
        report_error(s, list, "'%s' is a list of one to %d numbers from 0 to 1, [0.05, 0.5, 0.95]", list->path,
                     SW_QUANTILES_MOST);
        return;
    }
    for (int k = 0; k < list->count; k++) {
        const struct sw_setting *p = list->child[k];
        const bool number = p->kind == SW_SETTING_REAL || p->kind == SW_SETTING_INTEGER;
        if (!number || !(p->number >= 0 && p->number <= 1) || (k && p->number <= t->quantile[k - 1])) {
            report_error(s, list, "'%s' is a list of ascending numbers from 0 to 1, [0.05, 0.5, 0.95]", list->path);
            return;
        }
        t->quantile[t->nquantile++] = p->number;
    }
}

/* Whether a column is that of a key, "grid.n", which differs from run to run: it is called so, or grid.n.1, ... */
static bool differs_in(const struct sw_sweep *s, int column, const char *key)
{
    const struct sw_column *c = &s->column[column];
    const size_t length = strlen(key);
    if (c->kind != SW_COLUMN_KEY || c->uniform || strncmp(c->name, key, length)) return false;
    return !c->name[length] || c->name[length] == '.';
}

static bool differs(const struct sw_sweep *s, const char *key)
{
    bool found = false;
    for (int k = 0; k < s->ncolumn; k++) found |= differs_in(s, k, key);
    return found;
}

/* The axis of `over` along which a key differs; NULL: runs that are taken together have one number. */
static enum sw_status differs_over(const struct sw_sweep *s, const char *key, const struct names *over,
                                   const char **axis)
{
    bool follows = false;
    *axis = NULL;
    for (int k = 0; k < s->ncolumn; k++)
        for (int a = 0; a < s->naxis && !*axis && differs_in(s, k, key); a++) {
            const char *name = s->column[s->axis[a].column].name;
            if (!has_name(over, name)) continue;
            SW_TRY(names_column_follows(s, k, a, &follows));
            if (follows) *axis = name;
        }
    return SW_OK;
}

/* Whether some runs have walls, or may have them. */
static bool has_walls(const struct sw_sweep *s)
{
    const struct sw_setup setup = setup_of_sweep(s);
    bool walls = false;
    for (int k = 0; k < s->nchoice; k++)
        walls |= s->own->choice_column[k] >= 0 && !strncmp(s->choice[k].key, "boundary", 8);
    for (int d = 0; d < SW_DIMS && s->problem->shape->walls; d++) walls |= s->problem->shape->walls(&setup, d);
    return walls;
}

/* Point i of all runs of a field is taken together. */
static enum sw_status check_places(const struct sw_sweep *s, const char *field, const struct names *over)
{
    static const char *const keys[] = {"grid.length", "grid.x0"};
    const char *axis = NULL;
    for (int k = 0; k < 2 && !axis; k++) {
        SW_TRY(differs_over(s, keys[k], over, &axis));
        if (axis)
            report_error(s, key_setting(s, "statistics.of"), "'statistics.of': '%s' of runs over '%s' lies at other "
                         "places in each (%s); take '%s' out of statistics.over, or statistics of scalars", field,
                         axis, keys[k], axis);
    }
    return SW_OK;
}

/* Statistics of fields are of points that all runs have, spectra of waves. */
static enum sw_status check_points(const struct sw_sweep *s, const struct names *of, const struct names *over)
{
    const struct sw_setting *list = key_setting(s, "statistics.of");
    for (int k = 0; k < of->count; k++) {
        char field[SW_QUANTITY_NAME];
        const bool spectrum = sw_statistics_spectrum(of->name[k], field);
        if (!s->save_fields || !sw_quantity_listed(fields_of(s), field)) continue;
        if (differs(s, "grid.n"))
            report_error(s, list, "'statistics.of': the runs have '%s' at different numbers of points (grid.n); "
                         "statistics of it take one number in all runs", field);
        else if (spectrum && differs(s, "grid.length"))
            report_error(s, list, "'statistics.of': '%s' takes one grid.length in all runs: their waves are others "
                         "otherwise", of->name[k]);
        else if (spectrum && has_walls(s))
            report_error(s, list, "'statistics.of': '%s' is that of a periodic field, and there are walls here",
                         of->name[k]);
        else if (!spectrum) SW_TRY(check_places(s, field, over));
    }
    return SW_OK;
}

static void check_stems(const struct sw_sweep *s, const struct names *of)
{
    char one[SW_STATISTICS_STEM], other[SW_STATISTICS_STEM];
    for (int k = 0; k < of->count; k++)
        for (int j = 0; j < k; j++)
            if (!strcmp(sw_statistics_stem(of->name[k], one), sw_statistics_stem(of->name[j], other)))
                report_error(s, key_setting(s, "statistics.of"), "'statistics.of': '%s' and '%s' would both be '%s' in "
                             "the file; give the scalar another name", of->name[j], of->name[k], one);
}

/* The other axes are datasets beside the statistics, and the file has a group of that name. */
static void check_names(const struct sw_sweep *s, const struct names *of, const struct names *over)
{
    static const char *const own[] = {"point", "quantile", "wave_number", "n_ok", "n_runs"};
    const struct sw_setting *group = key_setting(s, "statistics");
    for (int k = 0; k < s->naxis; k++) {
        const char *name = s->column[s->axis[k].column].name, *end = strrchr(name, '_');
        char stem[SW_STATISTICS_STEM];
        bool taken = false;
        for (size_t j = 0; j < sizeof own / sizeof *own; j++) taken |= !strcmp(name, own[j]);
        for (int j = 0; j < of->count && end && find_statistic(end + 1) >= 0; j++) {
            sw_statistics_stem(of->name[j], stem);
            taken |= strlen(stem) == (size_t)(end - name) && !strncmp(name, stem, (size_t)(end - name));
        }
        if (!strcmp(name, "statistics") || (taken && !has_name(over, name)))
            report_error(s, group, "'statistics': an axis cannot be called '%s', as a part of the statistics is; give "
                         "it another name", name);
    }
    if (sw_quantity_listed(s->scalar, "statistics") || sw_quantity_listed(fields_of(s), "statistics"))
        report_error(s, group, "'statistics': a scalar or an unknown cannot have the name of the group in the file; "
                     "give it another name");
}

static enum sw_status print_text(struct sw_sweep *s, const struct names *what, const struct names *of,
                                 const struct names *over, const struct sw_statistics *t)
{
    struct sw_text text = {0};
    char digits[32], *copy;
    for (int k = 0; k < what->count; k++) {
        sw_text_printf(&text, "%s%s", k ? " " : "", what->name[k]);
        for (int q = 0; q < t->nquantile && find_statistic(what->name[k]) == SW_STATISTIC_QUANTILES; q++)
            sw_text_printf(&text, " %s", sw_number(t->quantile[q], digits));
    }
    for (int k = 0; k < of->count; k++) sw_text_printf(&text, "%s %s", k ? "" : "; of", of->name[k]);
    for (int k = 0; k < over->count; k++) sw_text_printf(&text, "%s %s", k ? "" : "; over", over->name[k]);
    for (int k = 0; k < t->nat; k++) sw_text_printf(&text, "%s %lld", k ? "" : "; at", (long long)t->at[k]);
    if (s->drop_fields || s->drop_scalars)
        sw_text_printf(&text, "; without%s%s", s->drop_fields ? " fields" : "", s->drop_scalars ? " scalars" : "");
    enum sw_status st = sw_text_status(&text);
    if (!st) st = sw_arena_printf(s->own->arena, &copy, "%s", sw_text_get(&text));
    if (!st) s->statistics = copy;
    sw_text_free(&text);
    return st;
}

/* ---- output times of fields */

struct first_run { const struct sw_sweep *s; double dt, end; };

static enum sw_status note_run(void *user, const struct column_block *b)
{
    struct first_run *r = user;
    r->dt = block_number(b, r->s->own_steps ? -1 : column_find(r->s, "time.dt"), 0, 1);
    r->end = block_number(b, column_find(r->s, "time.end"), 0, 1);
    return SW_OK;
}

/* Whether output k of the fields of all runs is of one time: that which the config asks for at that place. Where runs
 * have other steps, times that have none in a run keep their places, but of the first run it is not known which is
 * which. */
static bool shares_times(const struct sw_sweep *s, const struct sw_group *first)
{
    for (int k = 0; k < s->own->fields->narg; k++)
        if (!value_uniform(s, &s->own->fields->arg[k])) return false;
    for (int k = 0; k < first->nfield; k++)
        if (first->field_step[k] < 0) return false;
    return true;
}

/* The output of fields at a time, by its number from 0. @return -1: there is none */
static int find_output(const struct first_run *r, const struct sw_group *g, double time)
{
    const double scaled = times_scale(r->s->own->fields, 0, time, r->dt);
    for (int k = 0; k < g->nfield; k++) {
        if (r->s->own_steps && fabs(g->field_time[k] - scaled) <= 1e-9 * r->end) return k;
        if (!r->s->own_steps && g->field_step[k] == (int64_t)floor(scaled + 0.5)) return k;
    }
    return -1;
}

/* @param asked  [nfield] out: the outputs that are named */
static void mark_outputs(const struct first_run *r, const struct sw_group *g, const struct sw_setting *list,
                         bool *asked)
{
    struct sw_setting *one = (struct sw_setting *)list;
    struct sw_setting *const *element = list->kind == SW_SETTING_LIST ? list->child : &one;
    for (int k = 0; k < (list->kind == SW_SETTING_LIST ? list->count : 1); k++) {
        const struct sw_setting *e = element[k];
        const bool number = e->kind == SW_SETTING_REAL || e->kind == SW_SETTING_INTEGER,
                   end = e->kind == SW_SETTING_STRING && !strcmp(e->text, "end");
        const int output = number || end ? find_output(r, g, number ? e->number : r->end) : -1;
        if (!number && !end)
            report_error(r->s, list, "'%s' is a list of times, numbers or \"end\", (5.0, \"end\")", list->path);
        else if (end && r->s->own->fields->ends_differ)
            report_error(r->s, list, "'%s': \"end\" is another time from run to run; statistics are of one time in all "
                         "runs", list->path);
        else if (output < 0)
            report_error(r->s, list, "'%s': no field is saved at %.9g: add it to output.fields.times", list->path,
                         number ? e->number : r->end);
        else if (asked[output])
            report_error(r->s, list, "'%s': %.9g stands there twice", list->path, number ? e->number : r->end);
        else { asked[output] = true; continue; }
        return;
    }
}

static enum sw_status find_outputs(struct sw_sweep *s, const struct sw_setting *list, const struct sw_group *g,
                                   struct sw_statistics *t)
{
    struct first_run r = {.s = s};
    bool *asked;
    if (!shares_times(s, g)) {
        report_error(s, list, "'%s': the output times of fields differ from run to run here; statistics at some of "
                     "them take times that all runs share", list->path);
        return SW_OK;
    }
    SW_TRY(blocks_each(s, NULL, 0, 1, true, note_run, &r));
    SW_TRY(sw_arena_take(s->own->arena, (size_t)g->nfield, &asked));
    SW_TRY(sw_arena_take(s->own->arena, (size_t)g->nfield, &t->at));
    mark_outputs(&r, g, list, asked);
    for (int k = 0; k < g->nfield; k++)
        if (asked[k]) t->at[t->nat++] = k;
    return SW_OK;
}

/* Some of the output times of fields. Those of the first run are looked at: it has those of all. */
static enum sw_status read_times(struct sw_sweep *s, const struct names *of, struct sw_statistics *t)
{
    const struct sw_setting *list = key_setting(s, "statistics.times");
    const int64_t first = 0;
    struct sw_group *group = NULL;
    int count = 0;
    bool fields = false;
    for (int k = 0; k < of->count; k++) {
        char field[SW_QUANTITY_NAME];
        sw_statistics_spectrum(of->name[k], field);
        fields |= sw_quantity_listed(fields_of(s), field);
    }
    if (!list) return SW_OK;
    if (list->kind == SW_SETTING_LIST && !list->count)
        report_error(s, list, "'%s' is a list of times, numbers or \"end\", (5.0, \"end\")", list->path);
    else if (!fields) report_error(s, list, "'%s' is of fields, and statistics.of names none", list->path);
    if (s->own->report->errors) return SW_OK;  /* its runs cannot be asked */
    SW_TRY(sw_sweep_groups(s, &first, 1, &group, &count));
    const enum sw_status st = find_outputs(s, list, group, t);
    sw_groups_free(&group, count);
    return st;
}

/* What is not kept leaves statistics behind, or nothing at all. */
static void check_kept(const struct sw_sweep *s, const struct names *of)
{
    bool fields = false, scalars = false;
    for (int k = 0; k < of->count; k++) {
        char field[SW_QUANTITY_NAME];
        sw_statistics_spectrum(of->name[k], field);
        fields |= sw_quantity_listed(fields_of(s), field);
        scalars |= sw_quantity_listed(s->scalar, of->name[k]);
    }
    if (s->drop_fields && !fields)
        report_error(s, key_setting(s, "output.fields.keep"), "'output.fields.keep' = false keeps the statistics of "
                     "fields alone, and none are asked for: name a field in statistics.of");
    if (s->drop_scalars && !scalars)
        report_error(s, key_setting(s, "output.scalars.keep"), "'output.scalars.keep' = false keeps the statistics of "
                     "scalars alone, and none are asked for: name a scalar in statistics.of");
}

enum sw_status statistics_read(struct sw_sweep *s)
{
    static const char *const needed[][2] = {{"statistics.over", "over which axes: add over = [\"seed\"]"},
                                            {"statistics.of", "of what: add of = [\"energy\"]"}};
    const struct sw_setting *group = key_setting(s, "statistics");
    struct names known = {0}, axes = {0}, words = {0}, of = {0}, over = {0}, what = {0};
    struct sw_statistics t = {0};
    const int errors = s->own->report->errors;
    s->statistics = "";
    if (errors && s->problem->shape->fields_of) return SW_OK;  /* its runs cannot be asked */
    SW_TRY(find_fields(s));
    if (!group) check_kept(s, &of);
    if (!group || group->kind != SW_SETTING_GROUP) return SW_OK;  /* another kind is reported already */
    for (int k = 0; k < 2; k++)
        if (!key_setting(s, needed[k][0]) && !key_is_guessed(s, needed[k][0]))
            report_error(s, group, "'statistics' does not say %s", needed[k][1]);
    SW_TRY(list_quantities(s, &known));
    list_axes(s, &axes);
    for (int k = 0; k < SW_STATISTICS_COUNT; k++) put_name(&words, sw_statistic_names[k]);
    if (key_setting(s, "statistics.over")) read_names(s, "statistics.over", &axes, "axis", &over);
    if (key_setting(s, "statistics.of")) read_names(s, "statistics.of", &known, "quantity", &of);
    if (key_setting(s, "statistics.what")) read_names(s, "statistics.what", &words, "statistic", &what);
    else put_name(&what, "mean"), put_name(&what, "sem");
    read_quantiles(s, has_name(&what, "quantiles"), &t);
    check_names(s, &of, &over);
    check_stems(s, &of);
    SW_TRY(check_points(s, &of, &over));
    SW_TRY(read_times(s, &of, &t));
    if (s->own->report->errors == errors) check_kept(s, &of);
    return s->own->report->errors > errors ? SW_OK : print_text(s, &what, &of, &over, &t);
}
