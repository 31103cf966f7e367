#include "problem/systems/source.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_hash.h"
#include "base/sw_mem.h"
#include "base/sw_text.h"

/* The keys on whose words it depends: those of its arrays first. */
enum { FILE_KEY = SYSTEM_ARRAYS, CYCLIC_KEY, WIDTH_KEY, KEYS };

struct system_source {
    struct system_source *next;
    const struct system_keys *of;
    char   *word[KEYS];
    struct sw_arrays *file, *rhs_file; /* NULL: a Matrix Market matrix has its right-hand side elsewhere */
    bool    has[SYSTEM_ARRAYS];
    struct sw_array array[SYSTEM_ARRAYS];
    int64_t n, systems;
    bool    digested;
    unsigned char digest[32];
    const char *key;                  /* to blame, NULL: nothing is wrong                            */
    char    why[160];
};

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static struct system_source *all;

static const char *key_of(const struct system_keys *of, int key)
{
    static const char *const rest[] = {"source.file", "cyclic", "source.width"};
    return key >= FILE_KEY ? rest[key - FILE_KEY] : key <= of->diagonals ? of->dataset[key] : NULL;
}

static const char *word(const struct sw_setup *setup, const struct system_keys *of, int key)
{
    const char *path = key_of(of, key), *found = path ? sw_setup_word(setup, path) : NULL;
    return found ? found : "";
}

/* ------------------------------------------------------------------ opening one */

/* Something is wrong with it: the first such thing counts. */
__attribute__((format(printf, 3, 4))) static void blame(struct system_source *s, const char *key,
                                                        const char *format, ...)
{
    struct sw_text why = sw_text_in(s->why, sizeof s->why);
    va_list list;
    if (s->key) return;
    s->key = key;
    va_start(list, format);
    sw_text_vset(&why, format, list);
    va_end(list);
}

/* @return SW_E_MEMORY; other failures are to blame on the key */
static enum sw_status blame_failure(struct system_source *s, const char *key, enum sw_status st)
{
    if (st == SW_E_MEMORY) return st;
    if (st) blame(s, key, "%s", sw_err_message());
    return SW_OK;
}

static enum sw_status find_array(struct system_source *s, int k, struct sw_arrays *file, const char *name)
{
    enum sw_status st = s->key ? SW_OK : sw_arrays_find(file, name, &s->array[k]);
    s->has[k] = !st;
    return blame_failure(s, key_of(s->of, k), st);
}

/* Diagonals on each side of the main one that a matrix by coordinates may have: those of the kind, unless the config
 * says how many. */
static int width_of(const struct sw_setup *setup, const struct system_keys *of)
{
    const char *said = word(setup, of, WIDTH_KEY);
    return *said >= '0' && *said <= '9' ? *said - '0' : of->place[of->diagonals - 1];
}

/* The diagonals of a Matrix Market matrix, and a right-hand side from a file of its own. */
static enum sw_status find_matrix(const struct sw_setup *setup, struct system_source *s)
{
    const int last = s->of->diagonals;
    const char *rhs = word(setup, s->of, last), *rhs_key = key_of(s->of, last);
    for (int k = 0; k < last; k++) {
        char name[16];
        if (*word(setup, s->of, k))
            blame(s, key_of(s->of, k), "a Matrix Market matrix has no datasets: all %sdiagonals are taken; leave it "
                  "out", s->of->optional ? "" : "three ");
        if (s->of->place[k] > width_of(setup, s->of) || -s->of->place[k] > width_of(setup, s->of)) continue;
        snprintf(name, sizeof name, "%+d", s->of->place[k]);
        SW_TRY(find_array(s, k, s->file, name));
        if (s->of->optional && s->has[k]) s->has[k] = s->array[k].entries > 0;
    }
    if (!*rhs || s->key) return SW_OK;
    SW_TRY(blame_failure(s, rhs_key, sw_arrays_open(rhs, &s->rhs_file)));
    if (s->key) return SW_OK;
    if (sw_arrays_kind(s->rhs_file) != SW_ARRAYS_COLUMNS)
        blame(s, rhs_key, "beside a Matrix Market matrix a Matrix Market array is needed ('matrix array' in its first "
              "line), whose columns are systems");
    return find_array(s, last, s->rhs_file, "");
}

static enum sw_status find_datasets(const struct sw_setup *setup, struct system_source *s)
{
    bool any = false;
    const char *width = word(setup, s->of, WIDTH_KEY);
    if (*width && strcmp(width, "file"))
        blame(s, key_of(s->of, WIDTH_KEY), "it is for a Matrix Market matrix; the datasets of an HDF5 file are named");
    for (int k = 0; k <= s->of->diagonals; k++) {
        const char *name = word(setup, s->of, k);
        if (!*name) continue;
        any = true;
        SW_TRY(find_array(s, k, s->file, name));
    }
    if (!any)
        blame(s, key_of(s->of, FILE_KEY), "say what to take from it: %s name its datasets", s->of->take);
    return SW_OK;
}

/* All arrays have one length, and hold one system or the same number of them. */
static void compare_arrays(struct system_source *s)
{
    int first = -1;
    s->systems = 1;
    for (int k = 0; k <= s->of->diagonals && !s->key; k++) {
        const struct sw_array *a = &s->array[k];
        const char *key = key_of(s->of, k);
        if (!s->has[k]) continue;
        if (first < 0) { first = k; s->n = a->n; }
        if (a->n != s->n)
            blame(s, key, "it has %lld entries, and %s %lld%s", (long long)a->n, key_of(s->of, first),
                  (long long)s->n, s->n - a->n == 1 || a->n - s->n == 1 ?
                  ": entry i of each diagonal belongs to row i, and all have n" : "");
        if (a->systems > 1 && s->systems > 1 && a->systems != s->systems)
            blame(s, key, "it holds %lld systems, and another array %lld", (long long)a->systems,
                  (long long)s->systems);
        if (a->systems > 1) s->systems = a->systems;
    }
}

static void check_corners(const struct sw_setup *setup, struct system_source *s)
{
    if (sw_setup_chosen(setup, "cyclic", "true")) return;
    for (int k = 0; k < s->of->diagonals; k++) {
        const struct sw_array *a = &s->array[k];
        if (!s->has[k] || !a->corner_line) continue;
        if (s->of->optional)
            blame(s, key_of(s->of, FILE_KEY), "line %ld: the entry (%lld, %lld) is off the diagonals; cyclic = true "
                  "closes the system", a->corner_line, (long long)a->corner_row,
                  (long long)(a->corner_row + s->of->place[k] + (s->of->place[k] < 0 ? a->n : -a->n)));
        else
            blame(s, key_of(s->of, FILE_KEY), "line %ld: the entry (%s) is off the three diagonals; cyclic = true "
                  "closes the system", a->corner_line, s->of->place[k] < 0 ? "1, n" : "n, 1");
    }
}

static enum sw_status open_source(const struct sw_setup *setup, struct system_source *s)
{
    SW_TRY(blame_failure(s, key_of(s->of, FILE_KEY), sw_arrays_open_matrix(word(setup, s->of, FILE_KEY),
                                                                           width_of(setup, s->of), &s->file)));
    if (s->key) return SW_OK;
    switch (sw_arrays_kind(s->file)) {
    case SW_ARRAYS_DATASETS:  SW_TRY(find_datasets(setup, s)); break;
    case SW_ARRAYS_DIAGONALS: SW_TRY(find_matrix(setup, s)); break;
    case SW_ARRAYS_COLUMNS:
        blame(s, key_of(s->of, FILE_KEY), "a Matrix Market array is no matrix by coordinates ('matrix coordinate' in "
              "its first line); it can be source.rhs beside one");
    }
    compare_arrays(s);
    check_corners(setup, s);
    return SW_OK;
}

/* ------------------------------------------------------------------ those that are open */

static bool has_words(const struct system_source *s, const struct sw_setup *setup,
                      const struct system_keys *of)
{
    for (int k = 0; k < KEYS; k++)
        if (s->of != of || strcmp(s->word[k], word(setup, of, k))) return false;
    return true;
}

static enum sw_status copy_words(const struct sw_setup *setup, struct system_source *s)
{
    for (int k = 0; k < KEYS; k++)
        if (!(s->word[k] = sw_strdup(word(setup, s->of, k)))) return SW_FAIL(SW_E_MEMORY, "out of memory");
    return SW_OK;
}

static enum sw_status find_or_open(const struct sw_setup *setup, const struct system_keys *of,
                                   struct system_source **source)
{
    struct system_source *s = all;
    while (s && !has_words(s, setup, of)) s = s->next;
    *source = s;
    if (s) return SW_OK;
    SW_TRY(sw_alloc(1, &s));
    s->of = of;
    enum sw_status st = copy_words(setup, s);
    if (st) {
        for (int k = 0; k < KEYS; k++) sw_free(s->word[k]);
        sw_free(s);
        return st;
    }
    s->next = all;
    *source = all = s;
    st = open_source(setup, s);
    if (st) blame(s, key_of(of, FILE_KEY), "out of memory");
    return st;
}

enum sw_status system_source_find(const struct sw_setup *setup, const struct system_keys *arrays,
                                  const struct system_source **source, const char **key, struct sw_text *why)
{
    struct system_source *s = NULL;
    *source = NULL;
    *key = NULL;
    if (!*word(setup, arrays, FILE_KEY)) return SW_OK;
    pthread_mutex_lock(&turn);
    enum sw_status st = find_or_open(setup, arrays, &s);
    pthread_mutex_unlock(&turn);
    SW_TRY(st);
    *source = s;
    *key = s->key;
    if (s->key) sw_text_set(why, "%s", s->why);
    return SW_OK;
}

/* ------------------------------------------------------------------ what is in one */

bool system_source_has(const struct system_source *s, int array) { return s && s->has[array]; }

const char *system_source_lacks(const struct system_source *s, int array, struct sw_text *why)
{
    bool any = false;
    for (int k = 0; s && k < s->of->diagonals; k++) any |= s->has[k];
    if (!any) return NULL;
    sw_text_set(why, "give it, or %s, an expression in i = 1 .. n; %s has", s->of->key[array], s->word[FILE_KEY]);
    sw_arrays_list(s->file, why);
    return key_of(s->of, array);
}

int64_t system_source_unknowns(const struct system_source *s) { return s->n; }

int64_t system_source_systems(const struct system_source *s) { return s->systems; }

static struct sw_arrays *file_of(const struct system_source *s, int array)
{
    return array == s->of->diagonals && s->rhs_file ? s->rhs_file : s->file;
}

/* @param st  SW_OK, or why an array cannot be read: for the user, with its key and its file */
static enum sw_status name_array(const struct system_source *s, int array, enum sw_status st)
{
    struct sw_err_kept kept = {0};
    if (st != SW_E_IO) return st;
    sw_err_keep(&kept, st);
    const char *dataset = s->word[array], *file = file_of(s, array) == s->rhs_file ? dataset : s->word[FILE_KEY];
    if (file == dataset || !*dataset) return SW_FAIL(st, "%s of \"%s\": %s", s->of->name[array], file, kept.message);
    return SW_FAIL(st, "%s = \"%s\" of \"%s\": %s", key_of(s->of, array), dataset, file, kept.message);
}

enum sw_status system_source_read(const struct system_source *s, int array, const struct sw_array_part *part,
                                  double *out)
{
    const struct sw_array *a = &s->array[array];
    struct sw_array_part one = {0, 1, part->first, part->count};
    if (a->systems > 1) return name_array(s, array, sw_arrays_read(file_of(s, array), a, part, out));
    SW_TRY(name_array(s, array, sw_arrays_read(file_of(s, array), a, &one, out)));
    for (int64_t k = 1; k < part->systems; k++)
        memcpy(out + k * part->count, out, (size_t)part->count * sizeof *out);
    return SW_OK;
}

/* @param key  out, where an array cannot be read: its key */
static enum sw_status form_digest(struct system_source *s, const char **key)
{
    struct sw_hash h;
    unsigned char one[32];
    sw_hash_start(&h);
    for (int k = 0; k <= s->of->diagonals; k++) {
        if (!s->has[k]) continue;
        *key = key_of(s->of, *s->word[k] ? k : FILE_KEY);
        SW_TRY(name_array(s, k, sw_arrays_digest(file_of(s, k), &s->array[k], one)));
        sw_hash_add(&h, s->of->name[k], strlen(s->of->name[k]) + 1);
        sw_hash_add(&h, one, sizeof one);
    }
    sw_hash_end(&h, s->digest);
    s->digested = true;
    return SW_OK;
}

enum sw_status system_source_digest(const struct system_source *source, unsigned char digest[32],
                                    const char **key)
{
    struct system_source *s = (struct system_source *)source;  /* one of `all` */
    *key = NULL;
    pthread_mutex_lock(&turn);
    enum sw_status st = s->digested ? SW_OK : form_digest(s, key);
    if (!st) memcpy(digest, s->digest, sizeof s->digest);
    pthread_mutex_unlock(&turn);
    return st;
}
