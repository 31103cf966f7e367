/* What the keys of problems that solve banded systems say of their arrays: where the entries come from, and what is
 * refused. */
#include <string.h>

#include "base/sw_err.h"
#include "problem/systems/named_matrix.h"
#include "problem/systems/system_sim.h"

enum sw_status system_describe(const struct sw_setup *setup, const struct system_keys *arrays,
                               const bool use[SYSTEM_ARRAYS], const struct named_matrix *matrix,
                               const struct system_source *source, struct system_given *given)
{
    struct system_entries_desc *d = &given->desc;
    *d = (struct system_entries_desc){
        .n = setup->n[0],
        .capacity = setup->capacity,
        .cyclic = sw_setup_chosen(setup, "cyclic", "true"),
        .nparam = setup->ncolumn,
        .rhs = sw_setup_function(setup, "rhs"),
        .exact = sw_setup_function(setup, "exact"),
        .given_rhs = system_source_has(source, arrays->diagonals),
    };
    for (int k = 0; k < arrays->diagonals; k++) {
        const int at = d->diagonals;
        if (!use[k]) continue;
        if (matrix && matrix->diagonal[k]) SW_TRY(named_matrix_compile(matrix, k, setup, &given->own[at]));
        d->diagonal[at] = matrix ? given->own[at] : sw_setup_function(setup, arrays->key[k]);
        d->place[at] = arrays->place[k];
        given->number[at] = k;
        d->diagonals++;
    }
    return SW_OK;
}

/* ------------------------------------------------------------------ what is refused */

/* Entries that are given twice, or not at all. */
static const char *refuse_entries(const struct sw_setup *setup, const struct system_keys *arrays, bool named,
                                  const struct system_source *source, struct sw_text *why)
{
    const char *word = sw_setup_word(setup, "matrix");
    bool any = named;
    for (int k = 0; k <= arrays->diagonals; k++) {
        const char *lacks;
        const bool expression = sw_setup_find(setup, arrays->key[k]) != NULL, file = system_source_has(source, k),
                   diagonal = k != arrays->diagonals;
        any |= diagonal && (expression || file);
        if (named && diagonal && (expression || file))
            sw_text_set(why, "matrix = \"%s\" has its own diagonals; leave one of the two out", word);
        else if (expression && file) sw_text_set(why, "the source has it as well; leave one of the two out");
        else if (diagonal && !named && !expression && !file && !arrays->optional) {
            if ((lacks = system_source_lacks(source, k, why))) return lacks;
            sw_text_set(why, "give %s, each an expression in i = 1 .. n, or the word of a matrix, as in matrix = "
                        "\"uniform\"", arrays->give);
        } else if (!diagonal && !any)
            return sw_refuse(why, arrays->key[arrays->diagonals / 2], "give %s, each an expression in i = 1 .. n, or "
                             "the word of a matrix, as in matrix = \"uniform\"", arrays->give);
        else if (!diagonal && !expression && !file && !sw_setup_find(setup, "exact"))
            sw_text_set(why, "give rhs, source.rhs, or exact, the solution: the right-hand side is then A x");
        else continue;
        return expression || !file ? arrays->key[k] : "source.file";
    }
    return NULL;
}

/* A dataset or a system of no file. */
static const char *refuse_without_file(const struct sw_setup *setup, const struct system_keys *arrays, double system,
                                       struct sw_text *why)
{
    sw_text_set(why, "source.file is missing: which file is it in?");
    for (int k = 0; k <= arrays->diagonals; k++)
        if (*sw_setup_word(setup, arrays->dataset[k])) return arrays->dataset[k];
    return system == 1 ? NULL : "source.system";
}

static const char *refuse_source(const struct sw_setup *setup, const struct system_source *source, int64_t n,
                                 double system, struct sw_text *why)
{
    if (system_source_unknowns(source) != n)
        return sw_refuse(why, "grid.n", "the arrays of %s have n = %lld", sw_setup_word(setup, "source.file"),
                         (long long)system_source_unknowns(source));
    if (system <= (double)system_source_systems(source)) return NULL;
    return sw_refuse(why, "source.system", "%s holds %lld system%s", sw_setup_word(setup, "source.file"),
                     (long long)system_source_systems(source), system_source_systems(source) == 1 ? "" : "s");
}

/* Of a source with which something is wrong, any number: it is refused for that. */
enum sw_status system_points(const struct sw_setup *setup, const struct system_keys *arrays, int64_t *n,
                             const char **key, struct sw_text *why)
{
    const struct system_source *source;
    *n = 0;
    for (int k = 0; k < setup->nchoice; k++) {
        *key = setup->choice[k].key;
        if (setup->choice[k].word[0] != '$' || strncmp(*key, "source.", 7)) continue;
        sw_text_set(why, "it is an axis, of which each word may have an n of its own: give grid.n");
        return SW_OK;
    }
    SW_TRY(system_source_find(setup, arrays, &source, key, why));
    if (source) *n = *key ? 1 : system_source_unknowns(source);
    else *key = refuse_without_file(setup, arrays, 1, why);
    return SW_OK;
}

enum sw_status system_content(const struct sw_setup *setup, const struct system_keys *arrays, bool *any,
                              unsigned char digest[32], const char **key)
{
    const struct system_source *source;
    struct sw_text why = SW_SHORT_TEXT;
    SW_TRY(system_source_find(setup, arrays, &source, key, &why));
    *any = source != NULL;
    if (*key) return SW_FAIL(SW_E_IO, "%s: %s", sw_setup_word(setup, "source.file"), sw_text_get(&why));
    return source ? system_source_digest(source, digest, key) : SW_OK;
}

const char *system_refuse_run(const struct sw_setup *setup, const struct system_keys *arrays, bool named, int ld,
                              const double *column, int j, struct sw_text *why)
{
    const int64_t n = (int64_t)sw_setup_number(setup, "grid.n", ld, column, j);
    const double system = sw_setup_number(setup, "source.system", ld, column, j);
    const struct system_source *source;
    const char *key;
    if (system_source_find(setup, arrays, &source, &key, why))
        return sw_refuse(why, "source.file", "%s", sw_err_message());
    if (!key && !source) key = refuse_without_file(setup, arrays, system, why);
    if (!key) key = refuse_entries(setup, arrays, named, source, why);
    if (!key && source) key = refuse_source(setup, source, n, system, why);
    return key;
}
