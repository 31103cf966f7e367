#include "sweep/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_nearest_name.h"
#include "sweep/sweep_own.h"

enum { MAX_FIELDS = 1000, MOST_ERRORS = 8, NUMBER_ROOM = 64 };

/* ------------------------------------------------------------------ messages */

/* At a line of its file; of a text in the config at its line, with the number of the line in the text. */
static void report_line(const struct sw_sweep *s, enum sw_severity severity, const struct sw_setting *rows,
                        int64_t line, const char *text)
{
    const bool inside = rows->line || !strcmp(rows->file, "-s");
    if (inside) sw_report_add_at(s->own->report, severity, error_place(s, rows), "'table.rows', line %lld: %s",
                                 (long long)line, text);
    else sw_report_add(s->own->report, severity, rows->file, (int)line, "%s", text);
}

static void refuse(const struct sw_sweep *s, int64_t line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void refuse(const struct sw_sweep *s, int64_t line, const char *fmt, ...)
{
    struct table *t = s->own->table;
    struct sw_text text = SW_SHORT_TEXT;
    va_list list;
    va_start(list, fmt);
    sw_text_vset(&text, fmt, list);
    va_end(list);
    t->wrong = true;
    report_line(s, SW_ERROR, t->rows, line, sw_text_get(&text));
}

static void add_names(const struct table *t, struct sw_text *text)
{
    for (int k = 0; k < t->ncolumn; k++) sw_text_printf(text, "%s%s", k ? ", " : "", t->column[k].name);
}

/* ------------------------------------------------------------------ fields */

struct field { const char *text; int length; };

/* Where a text is read: the fields of one line. */
struct cursor { const char *c; int64_t line; };

bool table_is_word(const char *text)
{
    return text[0] && !text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-:")];
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static const char *skip_blanks(const char *c)
{
    while (is_blank(*c)) c++;
    return c;
}

/* Go to the next line that holds something. @return false: there is none */
static bool find_line(struct cursor *at)
{
    for (;; at->c++, at->line++) {
        const char *c = skip_blanks(at->c);
        if (*c == '#') c += strcspn(c, "\n");
        else if (*c && *c != '\n') return true;
        at->c = c;
        if (!*c) return false;
    }
}

/* The next field of a line; the cursor is then at what ends it: a comma, or the end of the line or of the text.
 * @return NULL, or what is wrong with it */
static const char *next_field(struct cursor *at, struct field *f)
{
    const char *c = skip_blanks(at->c), *end;
    if (*c == '"') {
        c++;
        end = c + strcspn(c, "\"\n");
        if (*end != '"') return "quotes are not closed on their line";
        *f = (struct field){c, (int)(end - c)};
        at->c = skip_blanks(end + 1);
        return *at->c == ',' || *at->c == '\n' || !*at->c ? NULL : "something follows quotes that are closed";
    }
    end = c + strcspn(c, ",\n");
    at->c = end;
    while (end > c && is_blank(end[-1])) end--;
    *f = (struct field){c, (int)(end - c)};
    return NULL;
}

/* @return NULL, or what is wrong with it */
static const char *read_number(const struct field *f, double *value)
{
    char text[NUMBER_ROOM], *end;
    if (f->length == 0) return "has no value";
    if (f->length >= NUMBER_ROOM) return "is no number";
    memcpy(text, f->text, (size_t)f->length);
    text[f->length] = 0;
    *value = strtod(text, &end) + 0.0;  /* -0 is 0 */
    if (*end || strpbrk(text, "xX")) return "is no number";
    return isnan(*value) ? "is not a number" : isfinite(*value) ? NULL : "is not finite";
}

/* ------------------------------------------------------------------ the header */

static bool header_is_numbers(const struct field *f, int n)
{
    double v;
    for (int k = 0; k < n; k++)
        if (read_number(&f[k], &v)) return false;
    return true;
}

/* Names that stand between other marks than commas. */
static bool refuse_separator(const struct sw_sweep *s, const struct field *f, int64_t line)
{
    const char *mark = memchr(f->text, ';', (size_t)f->length);
    if (!mark) mark = memchr(f->text, '\t', (size_t)f->length);
    if (!mark) return false;
    refuse(s, line, "the columns are separated by %s: save the table with commas between values and a point in "
           "decimal fractions (in pandas to_csv(FILE, index=False); in a spreadsheet as CSV, field separator \",\")",
           *mark == ';' ? "';'" : "tabs");
    return true;
}

static enum sw_status add_column(struct sw_sweep *s, const struct field *f, int64_t line)
{
    struct table *t = s->own->table;
    struct table_column *column = &t->column[t->ncolumn];
    char *name, *path;
    *column = (struct table_column){.field = t->nfield++};
    if (!f->length) {
        if (column->field) refuse(s, line, "column %d has no name", column->field + 1);
        else if (s->config->users_file)
            report_line(s, SW_WARNING, t->rows, line, "the first column has no name, as pandas numbers rows: it is "
                        "left out");
        return SW_OK;
    }
    SW_TRY(sw_arena_printf(s->own->arena, &name, "%.*s", f->length, f->text));
    SW_TRY(sw_arena_printf(s->own->arena, &path, "sweep.%s", name));
    column->name = name;
    column->setting = (struct sw_setting){.name = name, .path = path, .kind = SW_SETTING_STRING, .text = "",
                                          .file = t->rows->file, .override = t->rows->line ? t->rows->override : 0,
                                          .line = t->rows->line ? t->rows->line : (int)line};
    if (table_find(t, name) >= 0) refuse(s, line, "two columns are called '%s'", name);
    else t->ncolumn++;
    return SW_OK;
}

/* The columns that table.columns names, "a, b", take the place of all. */
static enum sw_status pick_columns(struct sw_sweep *s, const struct sw_setting *columns)
{
    struct table *t = s->own->table;
    const char *known[MAX_FIELDS];
    struct table_column *picked;
    int n = 0;
    if (columns->kind != SW_SETTING_STRING) return SW_OK;  /* refused with the keys */
    SW_TRY(sw_arena_take(s->own->arena, (size_t)t->ncolumn + 1, &picked));
    for (int k = 0; k < t->ncolumn; k++) known[k] = t->column[k].name;
    for (const char *c = columns->text; *c;) {
        char name[80];
        c += strspn(c, ", ");
        const int length = (int)strcspn(c, ", ");
        if (!length) break;
        snprintf(name, sizeof name, "%.*s", length, c);
        c += length;
        const int k = table_find(t, name);
        bool twice = false;
        for (int j = 0; j < n; j++) twice |= !strcmp(picked[j].name, name);
        if (k >= 0 && !twice) picked[n++] = t->column[k];
        if (k >= 0) continue;
        struct sw_text names = SW_SHORT_TEXT;
        const char *near = sw_nearest_name(name, known, t->ncolumn);
        add_names(t, &names);
        report_error(s, columns, "'table.columns': the table has no column '%s'%s%s%s; its columns are %s", name,
                     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", sw_text_get(&names));
        t->wrong = true;
    }
    if (!n && !t->wrong) {
        report_error(s, columns, "'table.columns' names no column");
        t->wrong = true;
    }
    t->column = picked;
    t->ncolumn = n;
    return SW_OK;
}

/* The fields of the line. @return how many; 0: refused */
static int split_header(const struct sw_sweep *s, struct cursor *at, struct field f[MAX_FIELDS])
{
    int n = 0;
    do {
        const char *why = n == MAX_FIELDS ? "more than 1000 columns" : next_field(at, &f[n]);
        if (why) { refuse(s, at->line, "%s", why); return 0; }
        n++;
    } while (*at->c == ',' && at->c++);
    return n;
}

static enum sw_status read_header(struct sw_sweep *s)
{
    struct table *t = s->own->table;
    struct cursor at = {t->rows->text, 1};
    const struct sw_setting *columns = sw_config_find(s->config, "table.columns");
    struct field f[MAX_FIELDS];
    const char *first = skip_blanks(at.c);
    if (!find_line(&at)) { refuse(s, 1, "the table is empty: its first line names the columns"); return SW_OK; }
    int n = split_header(s, &at, f);
    if (n && *first == '#' && header_is_numbers(f, n)) {  /* as numpy.savetxt() writes it: # a,b */
        at = (struct cursor){first + 1, 1};
        n = split_header(s, &at, f);
    }
    if (!n) return SW_OK;
    if (n == 1 && refuse_separator(s, f, at.line)) return SW_OK;
    if (header_is_numbers(f, n)) {
        refuse(s, at.line, "the first line has numbers: it must name the columns, \"a,b\"");
        return SW_OK;
    }
    SW_TRY(sw_arena_take(s->own->arena, (size_t)n + 1, &t->column));
    for (int k = 0; k < n; k++) SW_TRY(add_column(s, &f[k], at.line));
    t->first = at.c;
    t->first_line = at.line;
    return columns && !t->wrong ? pick_columns(s, columns) : SW_OK;
}

/* A setting that has a value, of any kind. */
static const struct sw_setting *find_set(const struct sw_sweep *s, const char *path)
{
    const struct sw_setting *setting = sw_config_find(s->config, path);
    return setting && setting->kind == SW_SETTING_STRING && !*setting->text ? NULL : setting;
}

static void refuse_without_table(struct sw_sweep *s)
{
    const struct sw_setting *file = find_set(s, "sweep.file"), *table = sw_config_find(s->config, "table");
    if (file && file->kind == SW_SETTING_STRING)
        report_error(s, file, "'sweep.file' needs sweep.mode = \"table\"");
    if (table) report_error(s, table, "'table' needs sweep.mode = \"table\"");
}

enum sw_status table_read_header(struct sw_sweep *s)
{
    const struct sw_setting *mode = sw_config_find(s->config, "sweep.mode"),
                            *file = find_set(s, "sweep.file"), *rows = sw_config_find(s->config, "table.rows");
    if (!mode || mode->kind != SW_SETTING_STRING || strcmp(mode->text, "table")) {
        refuse_without_table(s);
        return SW_OK;
    }
    SW_TRY(sw_arena_take(s->own->arena, 1, &s->own->table));
    struct table *t = s->own->table;
    t->rows = rows;
    t->wrong = !rows || rows->kind != SW_SETTING_STRING;
    if (!rows && !file)
        report_error(s, mode, "'sweep.file' is missing: the table, a CSV file whose first line names the columns");
    else if (file && rows && file->override == rows->override)
        report_error(s, rows, "'table.rows' and 'sweep.file' are two tables; leave one out");
    return t->wrong ? SW_OK : read_header(s);
}

int table_find(const struct table *t, const char *name)
{
    for (int k = 0; t && k < t->ncolumn; k++)
        if (!strcmp(t->column[k].name, name)) return k;
    return -1;
}

/* ------------------------------------------------------------------ the rows */

static enum sw_status read_word(struct sw_sweep *s, struct table_column *column, const struct field *f, double *value,
                                const char **why)
{
    char *copy;
    for (int k = column->nword - 1; k >= 0; k--)
        if (!strncmp(column->word[k], f->text, (size_t)f->length) && !column->word[k][f->length]) {
            *value = k;
            return SW_OK;
        }
    SW_TRY(sw_arena_printf(s->own->arena, &copy, "%.*s", f->length, f->text));
    if (!f->length) *why = "has no value";
    else if (!table_is_word(copy)) *why = "is no word: letters, digits and _.+-: make one";
    else if (column->nword == AXIS_WORDS_MOST) *why = "is the word after the 1000th";
    else {
        column->word[column->nword] = copy;
        *value = column->nword++;
    }
    return SW_OK;
}

static enum sw_status read_value(struct sw_sweep *s, struct table_column *column, const struct field *f, int64_t line)
{
    double value = 0;
    const char *why = NULL;
    if (column->words) SW_TRY(read_word(s, column, f, &value, &why));
    else why = read_number(f, &value);
    column->value[s->own->table->nrow] = value;
    if (why && !f->length) refuse(s, line, "column '%s' %s", column->name, why);
    else if (why) refuse(s, line, "column '%s': \"%.*s\" %s", column->name, f->length > 40 ? 40 : f->length, f->text,
                         why);
    return SW_OK;
}

static void refuse_ragged(const struct sw_sweep *s, int64_t line, int n, int wanted)
{
    refuse(s, line, "%d value%s, where the header has %d name%s%s", n, n == 1 ? "" : "s", wanted,
           wanted == 1 ? "" : "s", n == 2 * wanted ? ": a decimal fraction is written with a point, 0.5" : "");
}

/* Rows are equal where all their numbers are: told by a hash of these. */
struct seen { uint32_t *slot; size_t slots; int64_t again, line, same; };  /* slot: row + 1; 0: free */

static bool is_row(const struct table *t, int64_t a, int64_t b)
{
    for (int k = 0; k < t->ncolumn; k++)
        if (t->column[k].value[a] != t->column[k].value[b]) return false;
    return true;
}

/* Keep the row that was read last if it is a new one. */
static void keep_row(struct table *t, struct seen *seen, int64_t line, int64_t *line_of)
{
    uint64_t hash = 0, bits;
    for (int k = 0; k < t->ncolumn; k++) {
        memcpy(&bits, &t->column[k].value[t->nrow], sizeof bits);
        hash = (hash ^ bits ^ (bits >> 32)) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    size_t index = (size_t)hash & (seen->slots - 1);
    while (seen->slot[index] && !is_row(t, seen->slot[index] - 1, t->nrow)) index = (index + 1) & (seen->slots - 1);
    if (!seen->slot[index]) {
        line_of[t->nrow++] = line;
        seen->slot[index] = (uint32_t)t->nrow;
    } else if (!seen->again++) {
        seen->line = line;
        seen->same = line_of[seen->slot[index] - 1];
    }
}

static void tell_repeats(const struct sw_sweep *s, const struct seen *seen)
{
    struct sw_text text = SW_SHORT_TEXT;
    if (!seen->again || !s->config->users_file || s->own->table->wrong) return;
    if (seen->again == 1)
        sw_text_set(&text, "the row of line %lld again: it is computed once", (long long)seen->same);
    else sw_text_set(&text, "the row of line %lld again; %lld rows are such: each is computed once",
                     (long long)seen->same, (long long)seen->again);
    report_line(s, SW_WARNING, s->own->table->rows, seen->line, sw_text_get(&text));
}

/* One line; at->c is then at its end. @param column_of  [nfield] NULL: it is left out */
static enum sw_status read_row(struct sw_sweep *s, struct cursor *at, struct table_column *const *column_of)
{
    struct table *t = s->own->table;
    struct field f;
    int n = 0;
    do {
        const char *why = next_field(at, &f);
        if (why) { refuse(s, at->line, "%s", why); at->c += strcspn(at->c, "\n"); return SW_OK; }
        if (n < t->nfield && column_of[n]) SW_TRY(read_value(s, column_of[n], &f, at->line));
        n++;
    } while (*at->c == ',' && at->c++);
    if (n != t->nfield) refuse_ragged(s, at->line, n, t->nfield);
    return SW_OK;
}

static enum sw_status read_rows(struct sw_sweep *s, int64_t most, struct seen *seen, int64_t *line_of)
{
    struct table *t = s->own->table;
    struct cursor at = {t->first, t->first_line};
    struct table_column *column_of[MAX_FIELDS] = {0};
    const int errors = s->own->report->errors;
    for (int k = 0; k < t->ncolumn; k++) column_of[t->column[k].field] = &t->column[k];
    while (find_line(&at)) {
        if (t->nrow == most) { 
            refuse(s, at.line, "more than %d rows, the most that a sweep may have", AXIS_RUNS_MOST);
            break;
        }
        SW_TRY(read_row(s, &at, column_of));
        if (!t->wrong) keep_row(t, seen, at.line, line_of);
        if (s->own->report->errors - errors < MOST_ERRORS) continue;
        refuse(s, at.line, "the rest of the table was not read");
        break;
    }
    if (!t->nrow && !t->wrong) refuse(s, t->first_line, "the table has no rows below its header");
    return SW_OK;
}

enum sw_status table_read_rows(struct sw_sweep *s)
{
    struct table *t = s->own->table;
    struct seen seen = {.slots = 16};
    int64_t lines = 1, *line_of = NULL;
    enum sw_status st;
    if (t->wrong) return SW_OK;
    for (const char *c = t->first; *c && lines <= AXIS_RUNS_MOST; c++) lines += *c == '\n';
    while (seen.slots < 2 * (size_t)lines) seen.slots *= 2;
    for (int k = 0; k < t->ncolumn; k++) {
        SW_TRY(sw_arena_take(s->own->arena, (size_t)lines, &t->column[k].value));
        if (t->column[k].words) SW_TRY(sw_arena_take(s->own->arena, AXIS_WORDS_MOST, &t->column[k].word));
    }
    SW_TRY_TO(done, st, sw_alloc(seen.slots, &seen.slot));
    SW_TRY_TO(done, st, sw_alloc((size_t)lines, &line_of));
    st = read_rows(s, lines, &seen, line_of);
    if (!st) tell_repeats(s, &seen);
done:
    sw_free(seen.slot);
    sw_free(line_of);
    return st;
}
