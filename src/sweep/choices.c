/* WORD keys of the problem: one word for the whole sweep, or "$axis", the word that an axis has in a run. */
#include <stdio.h>
#include <string.h>

#include "base/sw_near.h"
#include "sweep/expand_impl.h"

int choice_words(const struct sw_key *key, char copy[200], const char *list[MOST_CHOICE_WORDS])
{
    int n = 0;
    while (key->word && n < MOST_CHOICE_WORDS && key->word(n)) { list[n] = key->word(n); n++; }
    if (key->word) return n;
    snprintf(copy, 200, "%s", key->words);
    for (char *rest = copy, *word; n < MOST_CHOICE_WORDS && (word = strtok_r(rest, "|", &rest));) list[n++] = word;
    return n;
}

const char *choice_list(const struct sw_key *key, char text[600])
{
    char copy[200];
    const char *list[MOST_CHOICE_WORDS];
    int n = choice_words(key, copy, list);
    text[0] = 0;
    for (int k = 0; k < n; k++) snprintf(text + strlen(text), 600 - strlen(text), "%s%s", k ? ", " : "", list[k]);
    return text;
}

bool choice_check(const struct sw_sweep *s, const struct sw_key *key, const struct sw_setting *at, const char *path,
                  const char *text)
{
    char copy[200], known[600];
    const char *list[MOST_CHOICE_WORDS];
    int n = choice_words(key, copy, list);
    for (int k = 0; k < n; k++)
        if (!strcmp(text, list[k])) return true;
    choice_list(key, known);
    s->own->words_wrong = true;
    const char *near = sw_near(text, list, n);
    if (near) report_error(s, at, "'%s' = \"%s\" is none of %s; did you mean '%s'?", path, text, known, near);
    else report_error(s, at, "'%s' = \"%s\" is none of %s", path, text, known);
    return false;
}

static const char *fallback(const struct sw_key *key)
{
    char copy[200];
    const char *list[MOST_CHOICE_WORDS];
    if (key->fallback) return key->fallback;
    return key->word && choice_words(key, copy, list) ? list[0] : "";
}

/* The word of a key, checked; "$axis" is left as it is. */
static const char *read(const struct sw_sweep *s, const struct sw_key *key)
{
    const struct sw_setting *at = key_setting(s, key->path);
    if (!at) return fallback(key);
    if (at->kind != SW_SETTING_STRING) report_error(s, at, "'%s' must be a text in quotes", at->path);
    else if (at->text[0] == '$' || choice_check(s, key, at, at->path, at->text)) return at->text;
    return fallback(key);
}

enum sw_status choices_read(struct sw_sweep *s)
{
    const struct sw_key *key;
    int most = 0;
    for (key = s->problem->keys; key->path; key++) most += key->kind == SW_KEY_WORD;
    SW_TRY(sw_arena_take(s->own->arena, (size_t)most, &s->choice));
    SW_TRY(sw_arena_take(s->own->arena, (size_t)most, &s->own->choice_column));
    for (key = s->problem->keys; key->path && s->nchoice < MOST_CHOICES; key++) {
        if (key->kind != SW_KEY_WORD) continue;
        s->own->choice_column[s->nchoice] = -1;
        s->choice[s->nchoice++] = (struct sw_choice){key->path, read(s, key)};
    }
    return SW_OK;
}

/* "$axis": its column. An axis with a word that is none of the key's gives no words at all, nor does any while the axes
 * are wrong: then runs have the default, and no problem ever sees a word that is not of its key. */
static void resolve(struct sw_sweep *s, int k)
{
    const struct sw_key *key = key_find(s, s->choice[k].key);
    const char *name = s->choice[k].word + 1;
    char path[80];
    for (int j = 0; j < s->naxis; j++) {
        const struct axis *a = &s->own->axis[j];
        if (strcmp(a->name, name) || !(a->word || !a->count)) continue;
        snprintf(path, sizeof path, "sweep.%s", name);
        bool known = a->count > 0 && !s->own->axes_wrong;
        for (int64_t i = 0; i < a->count; i++) known &= choice_check(s, key, a->setting, path, a->word[i]);
        if (known) s->own->choice_column[k] = s->axis[j].column;
        return;
    }
    s->own->words_wrong = true;
    report_error(s, key_setting(s, key->path), "'%s' = \"$%s\": the sweep has no axis of words '%s'",
                    key_written(s, key), name, name);
}

void choices_resolve(struct sw_sweep *s)
{
    for (int k = 0; k < s->nchoice; k++)
        if (s->choice[k].word[0] == '$') resolve(s, k);
    for (int k = 0; k < s->nchoice; k++)  /* what was refused counts as the default */
        if (s->own->choice_column[k] < 0 && s->choice[k].word[0] == '$')
            s->choice[k].word = fallback(key_find(s, s->choice[k].key));
}

struct sw_setup setup_of_run(const struct sw_sweep *s, const double *column, int j,
                             struct sw_choice choice[MOST_CHOICES])
{
    for (int k = 0; k < s->nchoice; k++) {
        const int axis = s->own->choice_column[k];
        choice[k] = (struct sw_choice){s->choice[k].key,
                                       choice_word(s, k, axis < 0 ? 0 : column[(size_t)axis * BLOCK + (size_t)j])};
    }
    return (struct sw_setup){.ncolumn = s->ncolumn, .column = s->column_name, .nfunction = s->nfunction,
                             .function = s->function, .single_steps = s->single_steps, .nchoice = s->nchoice,
                             .choice = choice};
}

const char *choice_word(const struct sw_sweep *s, int k, double number)
{
    const int column = s->own->choice_column[k];
    if (column < 0) return s->choice[k].word;
    return number >= 0 && number < s->column[column].nword ? s->column[column].word[(int)number] : "";
}
