#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_hash.h"
#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "sweep/column_values.h"
#include "sweep/columns.h"
#include "sweep/groups.h"
#include "sweep/keys.h"
#include "sweep/reductions.h"
#include "sweep/sweep_own.h"
#include "sweep/times.h"
#include "sweep/words.h"

/* The id of a run is the first 64 bits of the SHA-256 of all that decides its numbers, in a form that does not depend
 * on how the user wrote it:
 *
 *     schema word, problem
 *     "last point" where there is a point beside grid.n, which runs of older versions did not have
 *     each deciding FUNCTION key that is set: its path (or its own name in ids), the unknown whose it is if it has one
 *         for each, its expression printed from the syntax tree
 *     each scalar of the user's own and stop.when, by name: its path, its expression without blanks
 *     each deciding WORD, ROW, TEXT or SWITCH key: its id name (sw_key_id_name()), its word in this run
 *     the digest of the files that the problem reads, where it reads any
 *     the names of the numbers that follow, and zeros up to a full 64-byte block of the hash
 *     the numbers, 8 bytes each: the deciding number keys in the order of the key table, then the axes and defines that
 *         the functions and the user's scalars use, by name; where runs take steps of their own and land on output
 *         times, the numbers by which these are given, whose kind is hashed after the names; where runs may end early,
 *         likewise when they are looked at
 *
 * Texts end with a zero byte. An axis that reaches the run through a key only (grid.n = "n") counts by the key's value;
 * one that a function names counts by name and value, whether it is an axis or a define. So 0.1 in a list, in a
 * linspace or in a define give one id, and a longer axis, another title, device or output file change no id. A scalar
 * of the user's own counts as `exact` does: it is a number of the run, though nothing of the run depends on it; so
 * files of two sweeps whose scalars of one name are different numbers cannot be taken for one.
 *
 * On a ladder the id of a run is a hash of this and of the id of the run below (chain_ids()).
 *
 * Everything before the numbers is the same for all runs with the same words (of axes that WORD and ROW keys name): it
 * is hashed once for each combination of words. */

static const char schema[] = "sweep run 1";

struct id_maker {
    const struct sw_sweep *s;
    bool            until;     /* of a run up to a time: without its end     */
    bool            unnumbered;  /* without the key whose stand-in is the number of the run */
    int             naxis;     /* axes of words that keys name               */
    int             axis[1 + MAX_CHOICES];  /* their columns                */
    int             nword;     /* combinations of their words; the first axis' word varies slowest */
    struct sw_hash *start;     /* [nword] the hash up to the numbers         */
    int             first_time, ntime;  /* numbers that times depend on, in the shape of a run: those of outputs where
                                           runs land on them, and of looks at whether runs end early      */
    int             nvalue;
    int            *value;     /* [nvalue] columns                           */
    uint64_t       *id;
};

static void add_text(struct sw_hash *h, size_t *length, const char *text)
{
    sw_hash_add(h, text, strlen(text) + 1);
    *length += strlen(text) + 1;
}

/* ------------------------------------------------------------------ which numbers */

struct usage { const struct sw_sweep *s; bool *used; };

static void mark_name(void *user, const char *name, int column)
{
    struct usage *u = user;
    int k = column_in_scope(u->s, name);
    (void)column;
    if (k >= 0 && u->s->column[k].kind != SW_COLUMN_KEY) u->used[k] = true;
}

static bool function_decides(const struct sw_sweep *s, int k)
{
    return key_find(s, s->function[k].key)->decides;
}

struct named { const struct sw_sweep *s; int end; bool found; };

static void mark_end(void *user, const char *name, int column)
{
    struct named *n = user;
    (void)column;
    n->found |= column_in_scope(n->s, name) == n->end;
}

/* Whether an expression on which the run depends names its end. `exact` may: the run is only compared with it. */
static bool names_end(const struct sw_sweep *s, int end)
{
    struct named n = {.s = s, .end = end};
    for (int k = 0; k < s->nfunction; k++)
        if (function_decides(s, k) && strcmp(s->function[k].key, "exact"))
            sw_expr_names(s->function[k].expr, mark_end, &n);
    for (int k = 0; k < s->ndefined; k++) sw_reduction_names(s->defined[k], mark_end, &n);
    if (s->stop_when) sw_reduction_names(s->stop_when, mark_end, &n);
    return n.found;
}

static enum sw_status pick_values(struct id_maker *m)
{
    const int end = column_find(m->s, "time.end");
    const bool without_end = m->until && end >= 0 && !names_end(m->s, end) && !m->s->own_steps;
    const int without[] = {without_end ? end : -1, m->unnumbered ? m->s->own->numbered - 1 : -1};
    const struct sw_sweep *s = m->s;
    struct usage u = {.s = s};
    SW_TRY(sw_alloc((size_t)s->ncolumn, &m->value));
    SW_TRY(sw_alloc((size_t)s->ncolumn, &u.used));
    for (int k = 0; k < s->nfunction; k++)
        if (function_decides(s, k)) sw_expr_names(s->function[k].expr, mark_name, &u);
    for (int k = 0; k < s->ndefined; k++) sw_reduction_names(s->defined[k], mark_name, &u);
    if (s->stop_when) sw_reduction_names(s->stop_when, mark_name, &u);
    for (int k = 0; k < s->ncolumn; k++)
        if (s->column[k].kind == SW_COLUMN_KEY && k != without[0] && k != without[1])
            m->value[m->nvalue++] = k;
    int keys = m->nvalue;
    for (int k = 0; k < s->ncolumn; k++) {
        if (!u.used[k]) continue;
        int position = m->nvalue++;  /* insert by name */
        for (; position > keys && strcmp(s->column_name[m->value[position - 1]], s->column_name[k]) > 0; position--)
            m->value[position] = m->value[position - 1];
        m->value[position] = k;
    }
    sw_free(u.used);
    return SW_OK;
}

/* ------------------------------------------------------------------ what comes before them */

/* The word that an axis has in a combination. */
static int word_in(const struct id_maker *m, int column, int combination)
{
    for (int k = m->naxis - 1; k >= 0; k--) {
        const int words = m->s->column[m->axis[k]].nword;
        if (m->axis[k] == column) return combination % words;
        combination /= words;
    }
    return 0;
}

static const char *word_of(const struct id_maker *m, const struct sw_key *key, int combination)
{
    const struct sw_sweep *s = m->s;
    const struct sw_setting *setting = key_setting(s, key->path);
    const int row = s->own->shape->row;
    if (key->kind == SW_KEY_ROW && row >= 0) return s->column[row].word[word_in(m, row, combination)];
    for (int k = 0; k < s->nchoice; k++)
        if (!strcmp(s->choice[k].key, key->path))
            return choice_word(s, k, word_in(m, s->own->choice_column[k], combination));
    return setting && setting->kind == SW_SETTING_STRING ? setting->text : key->fallback ? key->fallback : "";
}

static void add_axis(struct id_maker *m, int column)
{
    for (int k = 0; k < m->naxis; k++)
        if (m->axis[k] == column) return;
    if (column < 0) return;
    m->axis[m->naxis++] = column;
    m->nword *= m->s->column[column].nword;
}

static enum sw_status add_functions(const struct sw_sweep *s, struct sw_hash *h, size_t *length)
{
    enum sw_status st = SW_OK;
    for (int k = 0; k < s->nfunction && !st; k++) {
        struct sw_text text = {0};
        const struct sw_key *key = key_find(s, s->function[k].key);
        if (!key->decides) continue;
        sw_expr_print(s->function[k].expr, &text);
        add_text(h, length, key->in_ids ? key->in_ids : key->path);
        if (key->each) add_text(h, length, s->unknown[s->function[k].unknown]);
        add_text(h, length, sw_text_get(&text));
        st = sw_text_status(&text);
        sw_text_free(&text);
    }
    return st;
}

static int by_path(const void *a, const void *b)
{
    return strcmp((*(const struct sw_setting *const *)a)->path, (*(const struct sw_setting *const *)b)->path);
}

/* Those of the config, in the order of their names: that of the config decides nothing. */
static enum sw_status add_scalars(const struct sw_sweep *s, struct sw_hash *h, size_t *length)
{
    const struct sw_setting **scalar = NULL;
    enum sw_status st = sw_alloc((size_t)s->ndefined + 1, &scalar);
    size_t count = 0;
    if (!st && s->stop_when) scalar[count++] = s->own->stop_when->setting;
    for (int k = 0; k < s->ndefined && !st; k++)
        if (s->own->defined[k].setting) scalar[count++] = s->own->defined[k].setting;
    if (!st) qsort(scalar, count, sizeof *scalar, by_path);
    for (size_t k = 0; k < count && !st; k++) {
        struct sw_text text = {0};
        for (const char *c = scalar[k]->text; *c; c++)
            if (!strchr(" \t\r\n", *c)) sw_text_add_bytes(&text, c, 1);
        add_text(h, length, scalar[k]->path);
        add_text(h, length, sw_text_get(&text));
        st = sw_text_status(&text);
        sw_text_free(&text);
    }
    sw_free(scalar);
    return st;
}

/* The last failure, with the line of a key. */
static enum sw_status fail_at_key(const struct sw_sweep *s, const char *key, enum sw_status st)
{
    const struct sw_setting *setting = key_setting(s, key);
    struct sw_err_kept kept = {0};
    sw_err_keep(&kept, st);
    if (!error_line(setting)) return SW_FAIL(st, "%s: %s", error_file(s, setting), kept.message);
    return SW_FAIL(st, "%s:%d: %s", error_file(s, setting), error_line(setting), kept.message);
}

/* What the problem reads from files that the words of a combination name. */
static enum sw_status add_content(const struct id_maker *m, int word, struct sw_hash *h, size_t *length)
{
    const struct sw_sweep *s = m->s;
    struct sw_choice choice[MAX_CHOICES];
    const struct sw_setup setup = {.problem = s->problem, .nchoice = s->nchoice, .choice = choice,
                                   .nunknown = s->nunknown, .unknown = s->unknown};
    unsigned char digest[32];
    const char *key = NULL;
    bool any = false;
    if (!s->problem->files) return SW_OK;
    for (int k = 0; k < s->nchoice; k++)
        choice[k] = (struct sw_choice){s->choice[k].key,
                                       choice_word(s, k, word_in(m, s->own->choice_column[k], word))};
    enum sw_status st = s->problem->files->content(&setup, &any, digest, &key);
    if (st) return key ? fail_at_key(s, key, st) : st;
    if (!any) return SW_OK;
    sw_hash_add(h, digest, sizeof digest);
    *length += sizeof digest;
    return SW_OK;
}

static void add_kind(const struct times *times, struct sw_hash *h, size_t *length)
{
    char text[80];
    snprintf(text, sizeof text, "%s %d %d", times->path ? times->path : "", (int)times->kind, times->narg);
    add_text(h, length, text);
}

/* Runs that take steps of their own land on output times: these decide their numbers. Runs that may end early end at
 * the times at which they are looked at, wherever the config says when that is. */
static void add_times(const struct sw_sweep *s, struct sw_hash *h, size_t *length)
{
    if (s->own_steps) {
        add_kind(s->own->fields, h, length);
        add_kind(s->own->scalars, h, length);
    }
    if (s->stops) add_text(h, length, "stop.every");
}

static enum sw_status start_hash(const struct id_maker *m, int word, struct sw_hash *h)
{
    static const char zeros[64];
    const struct sw_sweep *s = m->s;
    const struct sw_key *key;
    size_t length = 0;
    sw_hash_start(h);
    add_text(h, &length, schema);
    add_text(h, &length, s->problem->name);
    if (has_extra_point(s)) add_text(h, &length, "last point");
    SW_TRY(add_functions(s, h, &length));
    SW_TRY(add_scalars(s, h, &length));
    for (int k = 0; (key = key_at(s, k)); k++) {
        if (!key->decides || (key->kind != SW_KEY_WORD && key->kind != SW_KEY_ROW && key->kind != SW_KEY_TEXT &&
                              key->kind != SW_KEY_SWITCH))
            continue;
        if (key->added_later && !strcmp(word_of(m, key, word), key->fallback)) continue;
        add_text(h, &length, sw_key_id_name(key));
        add_text(h, &length, key_word_in_ids(key, word_of(m, key, word)));
    }
    SW_TRY(add_content(m, word, h, &length));
    for (int k = 0; k < m->nvalue; k++) add_text(h, &length, s->column_name[m->value[k]]);
    add_times(s, h, &length);
    sw_hash_add(h, zeros, (64 - length % 64) % 64);
    return SW_OK;
}

/* @param m  in: until, unnumbered */
static enum sw_status create_maker(const struct sw_sweep *s, struct id_maker *m)
{
    m->s = s;
    m->nword = 1;
    add_axis(m, s->own->shape->row);
    for (int k = 0; k < s->nchoice; k++) add_axis(m, s->own->choice_column[k]);
    const int outputs = s->own->fields->narg + s->own->scalars->narg;
    m->first_time = SHAPE_TIMES + (s->own_steps ? 0 : outputs);
    m->ntime = (s->own_steps ? outputs : 0) + s->own->looks->narg;
    SW_TRY(pick_values(m));
    SW_TRY(sw_alloc((size_t)m->nword, &m->start));
    for (int w = 0; w < m->nword; w++) SW_TRY(start_hash(m, w, &m->start[w]));
    return SW_OK;
}

static void free_maker(struct id_maker *m)
{
    sw_free(m->start);
    sw_free(m->value);
}

/* ------------------------------------------------------------------ the ids */

static void store_bytes(double v, unsigned char bytes[8])
{
    uint64_t w;
    v += 0.0;  /* -0 is 0 */
    memcpy(&w, &v, sizeof w);
    for (int k = 0; k < 8; k++) bytes[k] = (unsigned char)(w >> 8 * k);
}

/* The word combination of a run of a block. */
static int combination_of(const struct id_maker *m, const struct column_block *b, int j)
{
    int word = 0;
    for (int k = 0; k < m->naxis; k++)
        word = word * m->s->column[m->axis[k]].nword + (int)b->column[(size_t)m->axis[k] * RUNS_AT_ONCE + (size_t)j];
    return word;
}

/* Hashing takes much of the time before the first of 10^6 runs begins: all threads do it. */
static enum sw_status hash_block(void *user, const struct column_block *b)
{
    const struct id_maker *m = user;
    const size_t length = 8 * (size_t)(m->nvalue + m->ntime), size = (size_t)m->s->own->shape->size;
    double *shape = NULL;
    unsigned char *values;
    SW_TRY(sw_alloc((size_t)b->count * length, &values));
    for (int k = 0; k < m->nvalue; k++)
        for (int j = 0; j < b->count; j++)
            store_bytes(b->column[(size_t)m->value[k] * RUNS_AT_ONCE + (size_t)j], values + (size_t)j * length + 8 * k);
    enum sw_status st = m->ntime ? sw_alloc((size_t)b->count * size, &shape) : SW_OK;
    if (!st && m->ntime) st = shape_of_block(m->s, b, shape);
    for (int j = 0; j < b->count && !st; j++)
        for (int k = 0; k < m->ntime; k++)
            store_bytes(shape[(size_t)j * size + (size_t)(m->first_time + k)],
                        values + (size_t)j * length + 8 * (size_t)(m->nvalue + k));
    for (int j = 0; j < b->count && !st; j++)
        m->id[b->first + j] = sw_hash_end_with(m->start[combination_of(m, b, j)], values + (size_t)j * length, length);
    sw_free(shape);
    sw_free(values);
    return st;
}

/* What a run on a rung is depends on those below it: its id is a hash of its own numbers' and of the id below. */
static void chain_ids(const struct sw_sweep *s, uint64_t *id)
{
    static const char rung_schema[] = "sweep rung 1";
    for (int64_t bottom = 0; bottom < s->nruns && s->rungs > 1; bottom++) {
        if (sw_sweep_below(s, bottom) >= 0) continue;
        for (int64_t run = bottom, above; (above = sw_sweep_above(s, run)) >= 0; run = above) {
            unsigned char digest[32];
            struct sw_hash h;
            sw_hash_start(&h);
            sw_hash_add(&h, rung_schema, sizeof rung_schema);
            for (int k = 0; k < 2; k++)
                for (int byte = 0; byte < 8; byte++)
                    sw_hash_add(&h, &(unsigned char){(unsigned char)(id[k ? run : above] >> 8 * byte)}, 1);
            sw_hash_end(&h, digest);
            id[above] = 0;
            for (int byte = 0; byte < 8; byte++) id[above] |= (uint64_t)digest[byte] << 8 * byte;
        }
    }
}

/* Two runs with one id would be one run in the output file. */
static enum sw_status refuse_equal(const struct sw_sweep *s, const uint64_t *id)
{
    size_t slots = 16, index;
    uint32_t *slot;  /* run + 1; 0: free */
    char one[200], other[200];
    while (slots < 2 * (size_t)s->nruns) slots *= 2;
    SW_TRY(sw_alloc(slots, &slot));
    enum sw_status st = SW_OK;
    for (int64_t r = 0; r < s->nruns && !st; r++) {
        for (index = (size_t)id[r] & (slots - 1); slot[index] && id[slot[index] - 1] != id[r];)
            index = (index + 1) & (slots - 1);
        if (slot[index]) {
            sw_sweep_describe(s, slot[index] - 1, one, sizeof one);
            sw_sweep_describe(s, r, other, sizeof other);
            st = SW_FAIL(SW_E_CONFIG, "runs %lld (%s) and %lld (%s) compute the same; leave one out",
                         (long long)slot[index] - 1, one, (long long)r, other);
        }
        slot[index] = (uint32_t)(r + 1);
    }
    sw_free(slot);
    return st;
}

/* The sum of the ids, each mixed once more (splitmix64), does not depend on the order of the runs; it is hashed. */
static void set_sweep_id(struct sw_sweep *s, const uint64_t *id)
{
    struct sw_hash h;
    unsigned char digest[32];
    uint64_t sum[2] = {0, (uint64_t)s->nruns};
    for (int64_t r = 0; r < s->nruns; r++) {
        uint64_t z = id[r] + 0x9E3779B97F4A7C15u;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        sum[0] += z ^ (z >> 31);
    }
    sw_hash_start(&h);
    for (int k = 0; k < 2; k++)
        for (int byte = 0; byte < 8; byte++) sw_hash_add(&h, &(unsigned char){(unsigned char)(sum[k] >> 8 * byte)}, 1);
    sw_hash_end(&h, digest);
    sw_hash_hex(digest, 12, s->id);
    if (!sw_sweep_file_key(s, NULL)) return;
    sw_hash_start(&h);
    sw_hash_add(&h, s->config->sha256, sizeof s->config->sha256);
    sw_hash_add(&h, s->id, sizeof s->id);
    sw_hash_end(&h, digest);
    sw_hash_hex(digest, 64, s->config_sha256);
}

enum sw_status sw_sweep_ids(struct sw_sweep *s, int64_t first, int64_t count, uint64_t *id)
{
    struct id_maker m = {.id = id};
    enum sw_status st = create_maker(s, &m);
    if (!st) st = blocks_each(s, NULL, first, count, false, hash_block, &m);
    free_maker(&m);
    if (st || first != 0 || count != s->nruns) return st;
    chain_ids(s, id);
    SW_TRY(refuse_equal(s, id));
    set_sweep_id(s, id);
    return SW_OK;
}

static enum sw_status make_ids(const struct sw_sweep *s, struct id_maker *m)
{
    enum sw_status st = create_maker(s, m);
    if (!st) st = blocks_each(s, NULL, 0, s->nruns, false, hash_block, m);
    free_maker(m);
    if (!st) chain_ids(s, m->id);
    return st;
}

enum sw_status sw_sweep_ids_until(struct sw_sweep *s, uint64_t *id)
{
    /* an earlier end is another start for the rung above */
    return make_ids(s, &(struct id_maker){.until = s->rungs == 1, .id = id});
}

enum sw_status sw_sweep_ids_unnumbered(const struct sw_sweep *s, uint64_t *id, const struct sw_key **key)
{
    *key = s->own->numbered ? s->column[s->own->numbered - 1].key : NULL;
    return make_ids(s, &(struct id_maker){.until = s->rungs == 1, .unnumbered = true, .id = id});
}
