#include "problem/tridiagonal/source.h"

#include <pthread.h>
#include <stdarg.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_hash.h"
#include "base/sw_mem.h"
#include "base/sw_text.h"

const char *const tridiagonal_array[TRIDIAGONAL_ARRAYS] = {"lower", "main", "upper", "rhs"};
/* The keys on whose words it depends: those of its arrays first. */
enum { FILE_KEY = TRIDIAGONAL_ARRAYS, CYCLIC_KEY, KEYS };
static const char *const key_of[KEYS] = {"source.lower", "source.main", "source.upper", "source.rhs", "source.file",
                                         "cyclic"};

struct tridiagonal_source {
    struct tridiagonal_source *next;
    char   *word[KEYS];
    struct sw_arrays *file, *rhs_file; /* NULL: a Matrix Market matrix has its right-hand side elsewhere */
    bool    has[TRIDIAGONAL_ARRAYS];
    struct sw_array array[TRIDIAGONAL_ARRAYS];
    int64_t n, systems;
    bool    digested;
    unsigned char digest[32];
    const char *key;                  /* to blame, NULL: nothing is wrong                            */
    char    why[160];
};

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static struct tridiagonal_source *all;

static const char *word(const struct sw_setup *setup, int key)
{
    const char *found = sw_setup_word(setup, key_of[key]);
    return found ? found : "";
}

/* ------------------------------------------------------------------ opening one */

/* Something is wrong with it: the first such thing counts. */
__attribute__((format(printf, 3, 4))) static void blame(struct tridiagonal_source *s, const char *key,
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
static enum sw_status blame_failure(struct tridiagonal_source *s, const char *key, enum sw_status st)
{
    if (st == SW_E_MEMORY) return st;
    if (st) blame(s, key, "%s", sw_err_message());
    return SW_OK;
}

static enum sw_status find_array(struct tridiagonal_source *s, int k, struct sw_arrays *file, const char *name)
{
    enum sw_status st = s->key ? SW_OK : sw_arrays_find(file, name, &s->array[k]);
    s->has[k] = !st;
    return blame_failure(s, key_of[k], st);
}

/* The diagonals of a Matrix Market matrix, and a right-hand side from a file of its own. */
static enum sw_status find_matrix(const struct sw_setup *setup, struct tridiagonal_source *s)
{
    const char *rhs = word(setup, TRIDIAGONAL_RHS);
    for (int k = 0; k < TRIDIAGONAL_RHS; k++) {
        if (*word(setup, k))
            blame(s, key_of[k], "a Matrix Market matrix has no datasets: all three diagonals are taken; leave it out");
        SW_TRY(find_array(s, k, s->file, tridiagonal_array[k]));
    }
    if (!*rhs || s->key) return SW_OK;
    SW_TRY(blame_failure(s, key_of[TRIDIAGONAL_RHS], sw_arrays_open(rhs, &s->rhs_file)));
    if (s->key) return SW_OK;
    if (sw_arrays_kind(s->rhs_file) != SW_ARRAYS_COLUMNS)
        blame(s, key_of[TRIDIAGONAL_RHS], "beside a Matrix Market matrix a Matrix Market array is needed ('matrix "
              "array' in its first line), whose columns are systems");
    return find_array(s, TRIDIAGONAL_RHS, s->rhs_file, "");
}

static enum sw_status find_datasets(const struct sw_setup *setup, struct tridiagonal_source *s)
{
    bool any = false;
    for (int k = 0; k < TRIDIAGONAL_ARRAYS; k++) {
        const char *name = word(setup, k);
        if (!*name) continue;
        any = true;
        SW_TRY(find_array(s, k, s->file, name));
    }
    if (!any)
        blame(s, key_of[FILE_KEY], "say what to take from it: source.lower, main, upper or rhs name its datasets");
    return SW_OK;
}

/* All arrays have one length, and hold one system or the same number of them. */
static void compare_arrays(struct tridiagonal_source *s)
{
    int first = -1;
    s->systems = 1;
    for (int k = 0; k < TRIDIAGONAL_ARRAYS && !s->key; k++) {
        const struct sw_array *a = &s->array[k];
        if (!s->has[k]) continue;
        if (first < 0) { first = k; s->n = a->n; }
        if (a->n != s->n)
            blame(s, key_of[k], "it has %lld entries, and %s %lld%s", (long long)a->n, key_of[first], (long long)s->n,
                  s->n - a->n == 1 || a->n - s->n == 1 ?
                  ": entry i of each diagonal belongs to row i, and all have n" : "");
        if (a->systems > 1 && s->systems > 1 && a->systems != s->systems)
            blame(s, key_of[k], "it holds %lld systems, and another array %lld", (long long)a->systems,
                  (long long)s->systems);
        if (a->systems > 1) s->systems = a->systems;
    }
}

static void check_corners(const struct sw_setup *setup, struct tridiagonal_source *s)
{
    if (sw_setup_chosen(setup, "cyclic", "true")) return;
    for (int k = 0; k < TRIDIAGONAL_RHS; k++) {
        if (!s->has[k] || !s->array[k].corner_line) continue;
        blame(s, key_of[FILE_KEY], "line %ld: the entry (%s) is off the three diagonals; cyclic = true closes the "
              "system", s->array[k].corner_line, k == TRIDIAGONAL_LOWER ? "1, n" : "n, 1");
    }
}

static enum sw_status open_source(const struct sw_setup *setup, struct tridiagonal_source *s)
{
    SW_TRY(blame_failure(s, key_of[FILE_KEY], sw_arrays_open(word(setup, FILE_KEY), &s->file)));
    if (s->key) return SW_OK;
    switch (sw_arrays_kind(s->file)) {
    case SW_ARRAYS_DATASETS:  SW_TRY(find_datasets(setup, s)); break;
    case SW_ARRAYS_DIAGONALS: SW_TRY(find_matrix(setup, s)); break;
    case SW_ARRAYS_COLUMNS:
        blame(s, key_of[FILE_KEY], "a Matrix Market array is no matrix by coordinates ('matrix coordinate' in its "
              "first line); it can be source.rhs beside one");
    }
    compare_arrays(s);
    check_corners(setup, s);
    return SW_OK;
}

/* ------------------------------------------------------------------ those that are open */

static bool has_words(const struct tridiagonal_source *s, const struct sw_setup *setup)
{
    for (int k = 0; k < KEYS; k++)
        if (strcmp(s->word[k], word(setup, k))) return false;
    return true;
}

static enum sw_status copy_words(const struct sw_setup *setup, struct tridiagonal_source *s)
{
    for (int k = 0; k < KEYS; k++)
        if (!(s->word[k] = sw_strdup(word(setup, k)))) return SW_FAIL(SW_E_MEMORY, "out of memory");
    return SW_OK;
}

static enum sw_status find_or_open(const struct sw_setup *setup, struct tridiagonal_source **source)
{
    struct tridiagonal_source *s = all;
    while (s && !has_words(s, setup)) s = s->next;
    *source = s;
    if (s) return SW_OK;
    SW_TRY(sw_alloc(1, &s));
    enum sw_status st = copy_words(setup, s);
    if (st) {
        for (int k = 0; k < KEYS; k++) sw_free(s->word[k]);
        sw_free(s);
        return st;
    }
    s->next = all;
    *source = all = s;
    st = open_source(setup, s);
    if (st) blame(s, key_of[FILE_KEY], "out of memory");
    return st;
}

enum sw_status tridiagonal_source_find(const struct sw_setup *setup, const struct tridiagonal_source **source,
                                       const char **key, struct sw_text *why)
{
    struct tridiagonal_source *s = NULL;
    *source = NULL;
    *key = NULL;
    if (!*word(setup, FILE_KEY)) return SW_OK;
    pthread_mutex_lock(&turn);
    enum sw_status st = find_or_open(setup, &s);
    pthread_mutex_unlock(&turn);
    SW_TRY(st);
    *source = s;
    *key = s->key;
    if (s->key) sw_text_set(why, "%s", s->why);
    return SW_OK;
}

/* ------------------------------------------------------------------ what is in one */

bool tridiagonal_source_has(const struct tridiagonal_source *s, int array) { return s && s->has[array]; }

const char *tridiagonal_source_lacks(const struct tridiagonal_source *s, int array, struct sw_text *why)
{
    if (!s || (!s->has[TRIDIAGONAL_LOWER] && !s->has[TRIDIAGONAL_MAIN] && !s->has[TRIDIAGONAL_UPPER])) return NULL;
    sw_text_set(why, "give it, or %s, an expression in i = 1 .. n; %s has", tridiagonal_array[array],
                s->word[FILE_KEY]);
    sw_arrays_list(s->file, why);
    return key_of[array];
}

int64_t tridiagonal_source_unknowns(const struct tridiagonal_source *s) { return s->n; }

int64_t tridiagonal_source_systems(const struct tridiagonal_source *s) { return s->systems; }

static struct sw_arrays *file_of(const struct tridiagonal_source *s, int array)
{
    return array == TRIDIAGONAL_RHS && s->rhs_file ? s->rhs_file : s->file;
}

/* @param st  SW_OK, or why an array cannot be read: for the user, with its key and its file */
static enum sw_status name_array(const struct tridiagonal_source *s, int array, enum sw_status st)
{
    struct sw_err_kept kept = {0};
    if (st != SW_E_IO) return st;
    sw_err_keep(&kept, st);
    const char *dataset = s->word[array], *file = array == TRIDIAGONAL_RHS && s->rhs_file ? dataset : s->word[FILE_KEY];
    if (file == dataset || !*dataset) return SW_FAIL(st, "%s of \"%s\": %s", tridiagonal_array[array], file,
                                                     kept.message);
    return SW_FAIL(st, "%s = \"%s\" of \"%s\": %s", key_of[array], dataset, file, kept.message);
}

enum sw_status tridiagonal_source_read(const struct tridiagonal_source *s, int array, const struct sw_array_part *part,
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
static enum sw_status form_digest(struct tridiagonal_source *s, const char **key)
{
    struct sw_hash h;
    unsigned char one[32];
    sw_hash_start(&h);
    for (int k = 0; k < TRIDIAGONAL_ARRAYS; k++) {
        if (!s->has[k]) continue;
        *key = *s->word[k] ? key_of[k] : key_of[FILE_KEY];
        SW_TRY(name_array(s, k, sw_arrays_digest(file_of(s, k), &s->array[k], one)));
        sw_hash_add(&h, tridiagonal_array[k], strlen(tridiagonal_array[k]) + 1);
        sw_hash_add(&h, one, sizeof one);
    }
    sw_hash_end(&h, s->digest);
    s->digested = true;
    return SW_OK;
}

enum sw_status tridiagonal_source_digest(const struct tridiagonal_source *source, unsigned char digest[32],
                                         const char **key)
{
    struct tridiagonal_source *s = (struct tridiagonal_source *)source;  /* one of `all` */
    *key = NULL;
    pthread_mutex_lock(&turn);
    enum sw_status st = s->digested ? SW_OK : form_digest(s, key);
    if (!st) memcpy(digest, s->digest, sizeof s->digest);
    pthread_mutex_unlock(&turn);
    return st;
}
