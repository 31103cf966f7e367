#include "input/sw_saved.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_hash.h"
#include "base/sw_mem.h"
#include "base/sw_order.h"
#include "base/sw_text.h"

/* A dataset. Of one whose file does not number the runs, row r is run r. */
struct group {
    struct sw_array field;
    enum { MAYBE, NEVER, ALWAYS } runs;  /* whether its first dimension is that of runs     */
    bool     numbered, timed;
    int64_t  times;      /* of a timed one, else 1                                          */
    double  *run, *t;    /* of a numbered one: [rows] numbers of its runs; of a timed one: [rows][times], NULL: it does
                            not say them */
    bool     one_t;      /* t is [times], the same for all rows                             */
    unsigned char digest_of_times[32];
    struct axis { struct sw_array at; bool known; } axis[SW_SAVED_DIMS];  /* coordinates: [rows][n], or [n] for all */
};

struct row { double run; int group; int64_t row; };

/* An axis of the sweep whose results they are. */
struct parameter { char *name; double *value; /* [rows] */ };

struct sw_saved {
    struct sw_arrays *file;
    char         *dataset;
    int           groups;
    struct group *group;
    int64_t       rows;
    struct row   *row;   /* [rows] of numbered groups, in the order of their runs           */
    int           parameters;
    struct parameter *parameter;
    struct sw_text words;           /* "method, scheme", axes of words                              */
    int           matched;          /* axes by which runs were looked for last                  */
    int          *axis;             /* [matched]                                                */
    int64_t      *order;            /* [rows] rows, sorted by these                             */
};

/* ------------------------------------------------------------------ reading what describes a result */

static enum sw_status read_all(const struct sw_saved *s, const struct sw_array *a, double **number)
{
    const int64_t first[SW_ARRAY_RANK] = {0};
    SW_TRY(sw_alloc((size_t)(a->systems * a->n), number));
    return sw_arrays_read_box(s->file, a, first, a->dim, *number);
}

/* The name of a variable beside the field; "" is the root. */
static enum sw_status name_in(const char *folder, const char *name, char **path)
{
    struct sw_text text = {0};
    sw_text_printf(&text, "%s/%s", folder, name);
    *path = sw_text_take(&text);
    return *path ? SW_OK : SW_FAIL(SW_E_MEMORY, "out of memory");
}

/* @param array  out: of a variable with so many dimensions  @return found: false: there is no such one */
static enum sw_status find_beside(const struct sw_saved *s, const char *folder, const char *name, int rank,
                                  struct sw_array *array, bool *found)
{
    char *path;
    *found = false;
    SW_TRY(name_in(folder, name, &path));
    enum sw_status st = SW_OK;
    if (sw_arrays_has(s->file, path)) {
        st = sw_arrays_find_box(s->file, path, array);
        *found = !st && array->rank == rank;
        if (st == SW_E_CONFIG) st = SW_OK;
    }
    sw_free(path);
    return st;
}

/* The scale of a dimension, else the variable beside the field that is called so. */
static enum sw_status find_scale(const struct sw_saved *s, const char *folder, const struct group *g, int d,
                                 const char *name, struct sw_array *array, bool *found)
{
    const char *scale = g->field.scale[d];
    SW_TRY(find_beside(s, *scale == '/' ? "" : folder, *scale == '/' ? scale + 1 : name, 1, array, found));
    *found = *found && array->n == g->field.dim[d];
    return SW_OK;
}

/* The numbers of the runs: /run at the root, GROUP/group_run, or GROUP/run in files of schema 1; else the scale of the
 * dimension. */
static enum sw_status read_runs(const struct sw_saved *s, const char *folder, struct group *g)
{
    static const char *const name[] = {"group_run", "run"};
    struct sw_array a;
    bool found = false;
    for (int k = *folder ? 0 : 1; k < 2 && !found; k++) {
        SW_TRY(find_beside(s, folder, name[k], 1, &a, &found));
        found = found && a.n == g->field.dim[0];
    }
    if (!found && g->runs == ALWAYS) SW_TRY(find_scale(s, folder, g, 0, "run", &a, &found));
    g->numbered = found;
    return found ? read_all(s, &a, &g->run) : SW_OK;
}

/* t (run, time) where it differs from run to run, else the dimension time itself. Without either it has no times. */
static enum sw_status read_times(const struct sw_saved *s, const char *folder, struct group *g)
{
    const int d = g->runs != NEVER;
    struct sw_array a;
    bool found;
    g->times = g->field.dim[d];
    SW_TRY(find_beside(s, folder, "t", 2, &a, &found));
    found = found && d && a.dim[0] == g->field.dim[0] && a.dim[1] == g->times;
    if (!found) {
        SW_TRY(find_scale(s, folder, g, d, "time", &a, &found));
        g->one_t = true;
    }
    g->timed = found || sw_array_role(&g->field, d) == SW_ARRAY_TIME;
    if (!found) return SW_OK;
    SW_TRY(sw_arrays_digest(s->file, &a, g->digest_of_times));
    return read_all(s, &a, &g->t);
}

/* xc (run, x) where the coordinates differ from run to run, else the dimension x itself; of those that there are. */
static enum sw_status find_axes(const struct sw_saved *s, const char *folder, struct group *g)
{
    static const char *const name[2][SW_SAVED_DIMS] = {{"xc", "yc", "zc"}, {"x", "y", "z"}};
    const int points = g->field.rank - (g->runs != NEVER) - g->timed, last = g->field.rank - 1;
    for (int d = 0; d < points && d < SW_SAVED_DIMS; d++) {
        struct axis *axis = &g->axis[d];
        if (g->runs != NEVER) SW_TRY(find_beside(s, folder, name[0][d], 2, &axis->at, &axis->known));
        axis->known = axis->known && axis->at.n == g->field.dim[last - d] && axis->at.dim[0] == g->field.dim[0];
        if (!axis->known) SW_TRY(find_scale(s, folder, g, last - d, name[1][d], &axis->at, &axis->known));
    }
    return SW_OK;
}

/* ------------------------------------------------------------------ datasets */

static void free_group(struct group *g)
{
    sw_free(g->run);
    sw_free(g->t);
}

/* What the names of its dimensions say of the first ones. */
static void look_at_names(struct group *g, bool *timed)
{
    const struct sw_array *a = &g->field;
    const bool named = sw_array_named(a);
    *timed = false;
    g->runs = !named ? MAYBE : sw_array_role(a, 0) == SW_ARRAY_RUN ? ALWAYS : NEVER;
    for (int d = 0; d < 2 && d < a->rank; d++) {
        if (sw_array_role(a, d) != SW_ARRAY_TIME) continue;
        *timed = true;
        g->runs = d ? ALWAYS : NEVER;
    }
}

static enum sw_status add_group(struct sw_saved *s, const char *folder, const char *path)
{
    struct group g = {0};
    bool timed;
    SW_TRY(sw_arrays_find_field(s->file, path, &g.field));
    look_at_names(&g, &timed);
    enum sw_status st = g.field.rank >= 2 && g.runs != NEVER ? read_runs(s, folder, &g) : SW_OK;
    if (!st && (timed || (g.numbered && g.field.rank > 2))) st = read_times(s, folder, &g);
    if (!st && (g.timed || sw_array_named(&g.field))) st = find_axes(s, folder, &g);
    if (!st) st = sw_resize((size_t)s->groups, (size_t)s->groups + 1, &s->group);
    if (!st) s->group[s->groups++] = g;
    if (st) free_group(&g);
    return st;
}

/* The folders that hold a dataset of this name, which begins with '/'. */
struct folders { const char *field; struct sw_text names; };  /* each ends with a line feed */

static void note_folder(void *user, const char *name)
{
    struct folders *f = user;
    const size_t length = strlen(name), field = strlen(f->field);
    if (length <= field || strcmp(name + length - field, f->field)) return;
    sw_text_printf(&f->names, "%.*s\n", (int)(length - field), name);
}

/* Where the number of points differs from run to run, each has a group. */
static enum sw_status add_groups(struct sw_saved *s)
{
    struct folders f = {.field = s->dataset};
    enum sw_status st;
    sw_arrays_each(s->file, note_folder, &f);
    SW_TRY_TO(done, st, sw_text_status(&f.names));
    for (char *folder = f.names.data, *end; folder && (end = strchr(folder, '\n')); folder = end + 1) {
        char *path;
        *end = 0;
        SW_TRY_TO(done, st, name_in(folder, s->dataset + 1, &path));
        st = add_group(s, folder, path);
        sw_free(path);
        if (st) goto done;
        if (s->group[s->groups - 1].timed) continue;
        free_group(&s->group[--s->groups]);  /* no field of runs, though it has the name */
    }
done:
    sw_text_free(&f.names);
    return st;
}

static enum sw_status find_datasets(struct sw_saved *s)
{
    const char *slash = strrchr(s->dataset, '/');
    char *folder;
    if (sw_arrays_kind(s->file) == SW_ARRAYS_DIAGONALS)
        return SW_FAIL(SW_E_CONFIG, "a Matrix Market matrix by coordinates has no fields; a Matrix Market array has, "
                       "one in each column");
    if (slash == s->dataset && !sw_arrays_has(s->file, s->dataset)) SW_TRY(add_groups(s));
    if (s->groups) return SW_OK;
    if (!(folder = sw_strdup(s->dataset))) return SW_FAIL(SW_E_MEMORY, "out of memory");
    folder[slash ? slash - s->dataset : 0] = 0;
    enum sw_status st = add_group(s, folder, s->dataset);
    sw_free(folder);
    return st;
}

static enum sw_status sort_rows(struct sw_saved *s)
{
    for (int g = 0; g < s->groups; g++) s->rows += s->group[g].numbered ? s->group[g].field.dim[0] : 0;
    SW_TRY(sw_alloc((size_t)s->rows, &s->row));
    int64_t k = 0;
    for (int g = 0; g < s->groups; g++)
        for (int64_t r = 0; s->group[g].numbered && r < s->group[g].field.dim[0]; r++)
            s->row[k++] = (struct row){s->group[g].run[r], g, r};
    qsort(s->row, (size_t)s->rows, sizeof *s->row, sw_by_real);
    return SW_OK;
}

/* ------------------------------------------------------------------ axes of their sweep */

static void note_root(void *user, const char *name)
{
    if (!strchr(name + 1, '/')) sw_text_printf(user, "%s\n", name);
}

static enum sw_status add_parameter(struct sw_saved *s, const char *name, const struct sw_array *a)
{
    SW_TRY(sw_resize((size_t)s->parameters, (size_t)s->parameters + 1, &s->parameter));
    struct parameter *p = &s->parameter[s->parameters++];
    *p = (struct parameter){.name = sw_strdup(name)};
    return p->name ? read_all(s, a, &p->value) : SW_FAIL(SW_E_MEMORY, "out of memory");
}

/* What is at the root of a file whose table has as many runs as the fields: an axis, or something else. */
static enum sw_status read_parameter(struct sw_saved *s, const char *path)
{
    struct sw_array a = {0};
    const enum sw_status st = sw_arrays_find_box(s->file, path, &a);
    if (st == SW_E_CONFIG && a.parameter)
        sw_text_printf(&s->words, "%s%s", *sw_text_get(&s->words) ? ", " : "", path + 1);
    if (st) return st == SW_E_CONFIG ? sw_text_status(&s->words) : st;
    return a.rank == 1 && a.parameter && a.n == s->rows ? add_parameter(s, path + 1, &a) : SW_OK;
}

static enum sw_status read_parameters(struct sw_saved *s)
{
    struct sw_text names = {0};
    sw_arrays_each(s->file, note_root, &names);
    enum sw_status st = sw_text_status(&names);
    for (char *name = names.data, *end; !st && s->rows && name && (end = strchr(name, '\n')); name = end + 1) {
        *end = 0;
        st = read_parameter(s, name);
    }
    sw_text_free(&names);
    return st;
}

const char *sw_saved_parameter(const struct sw_saved *s, int k)
{
    return k < s->parameters ? s->parameter[k].name : NULL;
}

const char *sw_saved_words(const struct sw_saved *s) { return sw_text_get(&s->words); }

bool sw_saved_has_axes(const struct sw_saved *s) { return s->parameters || *sw_saved_words(s); }

static int compare_values(double a, double b)
{
    if (fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b))) return 0;
    return a < b ? -1 : 1;
}

static int compare_axes(const void *a, const void *b, void *saved)
{
    const struct sw_saved *s = saved;
    const int64_t *x = a, *y = b;
    for (int k = 0, differ; k < s->matched; k++)
        if ((differ = compare_values(s->parameter[s->axis[k]].value[*x], s->parameter[s->axis[k]].value[*y])))
            return differ;
    return 0;
}

/* Sort the rows by some axes, unless they are. */
static enum sw_status sort_by_axes(struct sw_saved *s, int count, const int *axis)
{
    if (s->order && s->matched == count && !memcmp(s->axis, axis, (size_t)count * sizeof *axis)) return SW_OK;
    sw_free(s->order);
    sw_free(s->axis);
    s->order = NULL;
    s->axis = NULL;
    SW_TRY(sw_alloc((size_t)count, &s->axis));
    SW_TRY(sw_alloc((size_t)s->rows, &s->order));
    memcpy(s->axis, axis, (size_t)count * sizeof *axis);
    s->matched = count;
    for (int64_t k = 0; k < s->rows; k++) s->order[k] = k;
    qsort_r(s->order, (size_t)s->rows, sizeof *s->order, compare_axes, s);
    return SW_OK;
}

/* How a sorted row stands to the values. */
static int compare_row(const struct sw_saved *s, int64_t at, const double *value)
{
    for (int k = 0, differ; k < s->matched; k++)
        if ((differ = compare_values(s->parameter[s->axis[k]].value[s->order[at]], value[k]))) return differ;
    return 0;
}

/* "r = 0.3, s = 1" */
static void print_values(const struct sw_saved *s, const double *value, struct sw_text *text)
{
    for (int k = 0; k < s->matched; k++)
        sw_text_printf(text, "%s%s = %.9g", k ? ", " : "", s->parameter[s->axis[k]].name, value[k]);
}

enum sw_status sw_saved_match(struct sw_saved *s, int count, const int *axis, const double *value, double *run)
{
    const char *const words = sw_saved_words(s);
    struct sw_text text = {0};
    int64_t low = 0, high = s->rows;
    enum sw_status st = SW_OK;
    SW_TRY(sort_by_axes(s, count, axis));
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (compare_row(s, middle, value) < 0) low = middle + 1;
        else high = middle;
    }
    const bool found = low < s->rows && !compare_row(s, low, value),
               more = found && low + 1 < s->rows && !compare_row(s, low + 1, value);
    print_values(s, value, &text);
    if (!found)
        st = SW_FAIL(SW_E_CONFIG, "no run of the file has %s; say which is meant, by a number or an expression",
                     sw_text_get(&text));
    else if (more)
        st = SW_FAIL(SW_E_CONFIG, "several runs of the file %s%s, such as %.0f and %.0f%s%s%s; say which is meant, "
                     "by a number or an expression; match = \"run\" takes the run of the same number",
                     count ? "have " : "are there", sw_text_get(&text),
                     s->row[s->order[low]].run, s->row[s->order[low + 1]].run,
                     *words ? " (" : "", words, *words ? ", of words, is not compared)" : "");
    else *run = s->row[s->order[low]].run;
    sw_text_free(&text);
    return st;
}

enum sw_status sw_saved_open(const char *path, const char *dataset, struct sw_saved **saved, bool *wrong_dataset)
{
    struct sw_saved *s;
    enum sw_status st;
    *saved = NULL;
    *wrong_dataset = false;
    SW_TRY(sw_alloc(1, &s));
    SW_TRY_TO(failed, st, sw_arrays_open(path, &s->file));
    *wrong_dataset = sw_arrays_kind(s->file) == SW_ARRAYS_DATASETS;
    st = *dataset == '/' ? SW_OK : name_in("", dataset, &s->dataset);
    if (!st && !s->dataset && !(s->dataset = sw_strdup(dataset))) st = SW_FAIL(SW_E_MEMORY, "out of memory");
    if (!st) st = find_datasets(s);
    if (!st) st = sort_rows(s);
    if (!st) st = read_parameters(s);
    if (st) goto failed;
    *saved = s;
    return SW_OK;
failed:
    sw_saved_close(&s);
    return st;
}

void sw_saved_close(struct sw_saved **saved)
{
    struct sw_saved *s = saved ? *saved : NULL;
    if (!s) return;
    for (int g = 0; g < s->groups; g++) free_group(&s->group[g]);
    for (int k = 0; k < s->parameters; k++) {
        sw_free(s->parameter[k].name);
        sw_free(s->parameter[k].value);
    }
    sw_free(s->parameter);
    sw_text_free(&s->words);
    sw_free(s->order);
    sw_free(s->axis);
    sw_free(s->group);
    sw_free(s->row);
    sw_free(s->dataset);
    sw_arrays_close(&s->file);
    sw_free(s);
    *saved = NULL;
}

/* ------------------------------------------------------------------ places */

static double time_of(const struct group *g, int64_t row, int64_t k)
{
    return g->t ? g->t[(g->one_t ? 0 : row * g->times) + k] : NAN;
}

/* "0, 1, 2, 3 ... 10": those of a row, no more than fit a message. */
static void list_times(const struct group *g, int64_t row, struct sw_text *text)
{
    enum { SHOWN = 6 };
    int64_t some = 0, last = -1;
    for (int64_t k = 0; k < g->times; k++) {
        if (!isfinite(time_of(g, row, k))) continue;
        last = k;
        if (some++ < SHOWN) sw_text_printf(text, "%s%.9g", some > 1 ? ", " : "", time_of(g, row, k));
    }
    if (some > SHOWN)
        sw_text_printf(text, "%s%.9g", some > SHOWN + 1 ? " ... " : ", ", time_of(g, row, last));
}

/* The last time that a row has; or the saved one that is the wanted one, to rounding. */
static int64_t find_time(const struct group *g, int64_t row, double time)
{
    int64_t found = g->t || time != SW_SAVED_LAST ? -1 : g->times - 1;
    for (int64_t k = 0; k < g->times; k++) {
        const double t = time_of(g, row, k);
        if (isfinite(t) && (time == SW_SAVED_LAST || fabs(t - time) <= 1e-9 * fmax(fabs(t), fabs(time)))) found = k;
    }
    return found;
}

static enum sw_status no_such_time(const struct group *g, int64_t row, double run, double time)
{
    struct sw_text text = {0};
    list_times(g, row, &text);
    enum sw_status st = !g->t ? SW_FAIL(SW_E_CONFIG, "the file does not say its times; \"last\" takes the last one") :
        time == SW_SAVED_LAST ? SW_FAIL(SW_E_CONFIG, "nothing was saved of run %.0f", run)
        : SW_FAIL(SW_E_CONFIG, "nothing was saved then; run %.0f has the times %s", run, sw_text_get(&text));
    sw_text_free(&text);
    return st;
}

static enum sw_status no_such_run(const struct sw_saved *s)
{
    const struct group *g = &s->group[0];
    const int64_t rows = g->numbered ? s->rows : g->field.dim[0];
    const double least = g->numbered ? s->row[0].run : 0,
                 most = g->numbered ? s->row[rows - 1].run : (double)(rows - 1);
    if (most - least != (double)(rows - 1))
        return SW_FAIL(SW_E_CONFIG, "the file has %lld runs of numbers between %.0f and %.0f, and not this one; an "
                       "expression can pick from them", (long long)rows, least, most);
    if (rows == 1) return SW_FAIL(SW_E_CONFIG, "the file has one run, number %.0f", least);
    return SW_FAIL(SW_E_CONFIG, "the file has %lld runs, %.0f to %.0f; an expression can pick from them",
                   (long long)rows, least, most);
}

static enum sw_status no_such_shape(const struct group *g, int dim)
{
    static const char *const points[SW_SAVED_DIMS] = {"n", "ny, nx", "nz, ny, nx"};
    struct sw_text names = {0};
    if (g->runs != MAYBE && !g->numbered) {
        sw_array_add_names(&g->field, &names);
        enum sw_status st = SW_FAIL(SW_E_CONFIG, "its dimensions are %s, and the run has %d of points",
                                    sw_text_get(&names), dim);
        sw_text_free(&names);
        return st;
    }
    if (g->timed)
        return SW_FAIL(SW_E_CONFIG, "it is a field of %d dimensions over runs and times, and the run has %d",
                       g->field.rank - 2, dim);
    if (g->numbered)
        return SW_FAIL(SW_E_CONFIG, "it has %d dimensions; %d (runs, %s) are needed", g->field.rank, dim + 1,
                       points[dim - 1]);
    return SW_FAIL(SW_E_CONFIG, "it has %d dimension%s; %d (%s) or %d (runs, %s) are needed", g->field.rank,
                   g->field.rank == 1 ? "" : "s", dim, points[dim - 1], dim + 1, points[dim - 1]);
}

/* @param of_runs  out: whether the first dimension is that of runs  @return false: it has not the shape of a field */
static bool has_shape(const struct group *g, int dim, bool *of_runs)
{
    const int runs = g->field.rank - dim - g->timed;
    *of_runs = runs == 1;
    return *of_runs ? g->runs != NEVER : runs == 0 && g->runs != ALWAYS && !g->numbered;
}

enum sw_status sw_saved_find(const struct sw_saved *s, int dim, double run, double time, struct sw_saved_place *p,
                             enum sw_saved_wrong *wrong)
{
    const struct row wanted = {.run = run};
    const struct row *row = &wanted;
    const struct group *g = &s->group[0];
    *p = (struct sw_saved_place){.t = NAN, .n = {1, 1, 1}};
    *wrong = SW_SAVED_WRONG_RUN;
    if (g->numbered) row = bsearch(&wanted, s->row, (size_t)s->rows, sizeof wanted, sw_by_real);
    if (!row) return no_such_run(s);
    g = &s->group[p->group = row->group];
    *wrong = SW_SAVED_WRONG_DATASET;
    if (!has_shape(g, dim, &p->of_runs)) return no_such_shape(g, dim);
    *wrong = SW_SAVED_WRONG_RUN;
    p->guessed = p->of_runs && g->runs == MAYBE && !g->numbered;
    p->shared = !g->numbered && (!p->of_runs || g->field.dim[0] == 1);
    if (!g->numbered && !p->shared && !(run < (double)g->field.dim[0])) return no_such_run(s);
    p->row = g->numbered ? row->row : p->shared ? 0 : (int64_t)run;
    for (int d = 0; d < dim; d++) p->n[d] = g->field.dim[g->field.rank - 1 - d];
    *wrong = SW_SAVED_WRONG_TIME;
    if (!g->timed && time != SW_SAVED_LAST) return SW_FAIL(SW_E_CONFIG, "the dataset has no times; leave it out");
    if (!g->timed) return SW_OK;
    p->time = find_time(g, p->row, time);
    if (p->time < 0) return no_such_time(g, p->row, run, time);
    p->t = time_of(g, p->row, p->time);
    return SW_OK;
}

bool sw_saved_fills(const struct sw_saved *s, const struct sw_saved_place *p) { return s->group[p->group].field.fills; }

bool sw_saved_earlier(const struct sw_saved *s, struct sw_saved_place *p)
{
    const struct group *g = &s->group[p->group];
    while (g->timed && p->time > 0) {
        p->t = time_of(g, p->row, --p->time);
        if (isfinite(p->t)) return true;
    }
    return false;
}

enum sw_status sw_saved_axis(const struct sw_saved *s, const struct sw_saved_place *p, int d, double *first,
                             double *spacing, bool *known)
{
    const struct axis *axis = &s->group[p->group].axis[d];
    const int rank = axis->at.rank;
    const int64_t one[2] = {1, 1}, last = axis->at.n - 1;
    int64_t at[2] = {p->row, 0};
    double end;
    *known = axis->known && last > 0;
    if (!*known) return SW_OK;
    SW_TRY(sw_arrays_read_box(s->file, &axis->at, at + 2 - rank, one, first));
    at[1] = last;
    SW_TRY(sw_arrays_read_box(s->file, &axis->at, at + 2 - rank, one, &end));
    *spacing = (end - *first) / (double)last;
    return SW_OK;
}

enum sw_status sw_saved_read(const struct sw_saved *s, const struct sw_saved_place *p,
                             const int64_t first[SW_SAVED_DIMS], const int64_t count[SW_SAVED_DIMS], double *out)
{
    const struct group *g = &s->group[p->group];
    const struct sw_array *a = &g->field;
    const int before = p->of_runs + g->timed;
    int64_t from[SW_ARRAY_RANK] = {0}, numbers[SW_ARRAY_RANK];
    for (int d = 0; d < a->rank; d++) {
        numbers[d] = d < before ? 1 : count[a->rank - 1 - d];
        if (d >= before) from[d] = first[a->rank - 1 - d];
    }
    if (p->of_runs) from[0] = p->row;
    if (g->timed) from[p->of_runs] = p->time;
    return sw_arrays_read_box(s->file, a, from, numbers, out);
}

enum sw_status sw_saved_digest(const struct sw_saved *s, unsigned char digest[32])
{
    struct sw_hash h;
    unsigned char one[32];
    sw_hash_start(&h);
    for (int g = 0; g < s->groups; g++) {
        const struct group *group = &s->group[g];
        SW_TRY(sw_arrays_digest(s->file, &group->field, one));
        sw_hash_add(&h, one, sizeof one);
        if (group->t) sw_hash_add(&h, group->digest_of_times, sizeof group->digest_of_times);
        if (group->numbered) sw_hash_add(&h, group->run, (size_t)group->field.dim[0] * sizeof *group->run);
    }
    sw_hash_end(&h, digest);
    return SW_OK;
}
