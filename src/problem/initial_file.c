#include "problem/initial_file.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_hash.h"
#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "expr/sw_expr.h"
#include "field/grid.h"
#include "field/resample.h"
#include "input/sw_saved.h"

static const char file_key[] = "initial.file", dataset_key[] = "initial.dataset", run_key[] = "initial.run",
                  match_key[] = "initial.match",
                  time_key[] = "initial.time", interpolate_key[] = "initial.interpolate";

/* ------------------------------------------------------------------ files that are open */

struct source {
    struct source   *next;
    char            *file, *datasets;          /* as the config has them                                    */
    int              unknowns;
    char            *name[SW_UNKNOWNS_MOST];   /* of the datasets                                           */
    struct sw_saved *saved[SW_UNKNOWNS_MOST];
    const char      *key;                      /* to blame for what is wrong with it, NULL: nothing is      */
    char             why[160];
    bool             shared_read[SW_UNKNOWNS_MOST];  /* the field that all runs begin with has been looked at */
    char             shared_bad[SW_UNKNOWNS_MOST][80];  /* what is wrong with it                            */
    bool             digested;
    unsigned char    digest[32];
};

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static struct source *all;

bool sw_initial_in_file(const struct sw_setup *setup)
{
    const char *file = sw_setup_word(setup, file_key);
    return file && *file;
}

static void blame(struct source *s, const char *key, const char *why)
{
    s->key = key;
    sw_text_shorten(s->why, sizeof s->why, why);
}

/* "/u, /v" */
static enum sw_status read_names(struct source *s)
{
    static const char blank[] = " \t\n";
    const char *at = s->datasets;
    for (;; at++) {
        at += strspn(at, blank);
        size_t length = strcspn(at, ",");
        const char *next = at + length;
        while (length && strchr(blank, at[length - 1])) length--;
        if (!length || s->unknowns == SW_UNKNOWNS_MOST) {
            blame(s, dataset_key, length ? "more datasets than a problem may have unknowns" : "the name of a dataset "
                  "is missing");
            return SW_OK;
        }
        char *name = sw_strdup(at);
        if (!name) return SW_FAIL(SW_E_MEMORY, "out of memory");
        name[length] = 0;
        s->name[s->unknowns++] = name;
        if (!*(at = next)) return SW_OK;
    }
}

static enum sw_status open_source(const char *file, const char *datasets, struct source *s)
{
    bool wrong_dataset;
    s->file = sw_strdup(file);
    s->datasets = sw_strdup(datasets);
    if (!s->file || !s->datasets) return SW_FAIL(SW_E_MEMORY, "out of memory");
    SW_TRY(read_names(s));
    for (int k = 0; k < s->unknowns && !s->key; k++) {
        enum sw_status st = sw_saved_open(file, s->name[k], &s->saved[k], &wrong_dataset);
        if (st == SW_E_MEMORY) return st;
        if (st) blame(s, wrong_dataset ? dataset_key : file_key, sw_err_message());
    }
    return SW_OK;
}

static void free_source(struct source *s)
{
    for (int k = 0; k < s->unknowns; k++) {
        sw_free(s->name[k]);
        sw_saved_close(&s->saved[k]);
    }
    sw_free(s->file);
    sw_free(s->datasets);
    sw_free(s);
}

static enum sw_status find_or_open(const char *file, const char *datasets, struct source **source)
{
    struct source *s = all;
    while (s && (strcmp(s->file, file) || strcmp(s->datasets, datasets))) s = s->next;
    *source = s;
    if (s) return SW_OK;
    SW_TRY(sw_alloc(1, &s));
    enum sw_status st = open_source(file, datasets, s);
    if (st) {
        free_source(s);
        return st;
    }
    s->next = all;
    *source = all = s;
    return SW_OK;
}

/* The file of runs with these words, which have one. Datasets that are not named are those of the unknowns. */
static enum sw_status find_source(const struct sw_setup *setup, struct source **source)
{
    const char *given = sw_setup_word(setup, dataset_key);
    struct sw_text names = {0};
    if (*given) sw_text_add(&names, given);
    for (int k = 0; !*given && k < sw_setup_unknowns(setup); k++)
        sw_text_printf(&names, "%s/%s", k ? ", " : "", sw_setup_unknown(setup, k));
    enum sw_status st = sw_text_status(&names);
    pthread_mutex_lock(&turn);
    if (!st) st = find_or_open(sw_setup_word(setup, file_key), sw_text_get(&names), source);
    pthread_mutex_unlock(&turn);
    sw_text_free(&names);
    return st;
}

/* @param st  SW_OK, or why the dataset of an unknown cannot be read: for the user, with its file */
static enum sw_status name_dataset(const struct source *s, int unknown, enum sw_status st)
{
    struct sw_err_kept kept = {0};
    if (st != SW_E_IO) return st;
    sw_err_keep(&kept, st);
    return SW_FAIL(st, "%s = \"%s\" of \"%s\": %s", dataset_key, s->name[unknown], s->file, kept.message);
}

static enum sw_status form_digest(struct source *s)
{
    struct sw_hash h;
    unsigned char one[32];
    sw_hash_start(&h);
    for (int k = 0; k < s->unknowns; k++) {
        SW_TRY(name_dataset(s, k, sw_saved_digest(s->saved[k], one)));
        sw_hash_add(&h, one, sizeof one);
    }
    sw_hash_end(&h, s->digest);
    s->digested = true;
    return SW_OK;
}

enum sw_status sw_initial_content(const struct sw_setup *setup, bool *any, unsigned char digest[32], const char **key)
{
    struct source *s;
    *key = NULL;
    *any = sw_initial_in_file(setup);
    if (!*any) return SW_OK;
    SW_TRY(find_source(setup, &s));
    *key = s->key ? s->key : file_key;
    if (s->key) return SW_FAIL(SW_E_IO, "%s: %s", s->file, s->why);
    pthread_mutex_lock(&turn);
    enum sw_status st = s->digested ? SW_OK : form_digest(s);
    if (!st) memcpy(digest, s->digest, sizeof s->digest);
    pthread_mutex_unlock(&turn);
    return st;
}

/* ------------------------------------------------------------------ the field of a run */

/* Run j of columns [ncolumn][ld], its setup, and the file that it begins with. */
struct run {
    struct sw_setup one;
    struct source  *source;
    const double   *column;
    int64_t         ld, j;
};

static double number(const struct run *r, const char *key)
{
    return r->column[(int64_t)sw_setup_column(&r->one, key) * r->ld + r->j];
}

/* @return SW_E_CONFIG there is something wrong with the file */
static enum sw_status find_run(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                               struct run *r)
{
    static const char *const points[SW_DIMS] = {"grid.n", "grid.n.1", "grid.n.2"};
    *r = (struct run){.one = *setup, .column = column, .ld = ld, .j = j};
    SW_TRY(find_source(setup, &r->source));
    if (r->source->key) return SW_FAIL(SW_E_CONFIG, "%s: %s", r->source->file, r->source->why);
    const double dim = sw_setup_column(setup, "grid.dim") < 0 ? 1 : number(r, "grid.dim");
    r->one.dim = dim >= 1 && dim <= SW_DIMS ? (int)dim : 1;
    for (int d = 0; d < SW_DIMS; d++) r->one.n[d] = d < r->one.dim ? (int64_t)number(r, points[d]) : 1;
    return SW_OK;
}

/* An axis that says how many points there are may differ: those are looked at themselves. */
static bool counts_points(const struct sw_setup *one, double here)
{
    for (int d = 0; d < one->dim; d++)
        if (here == (double)one->n[d]) return true;
    return false;
}

/* The axes that both sweeps have, and their values here.
 * @param points  also those that are numbers of points  @param axis, value  room for all  @return how many */
static int common_axes(const struct run *r, bool points, int *axis, double *value)
{
    const char *name;
    int count = 0;
    for (int k = 0; (name = sw_saved_parameter(r->source->saved[0], k)); k++) {
        if (sw_setup_column(&r->one, name) < 0) continue;
        const double here = number(r, name);
        if (!points && counts_points(&r->one, here)) continue;
        axis[count] = k;
        value[count++] = here;
    }
    return count;
}

/* "a, b", of which this sweep has none: nothing tells which run of several is meant. */
static enum sw_status fail_without_axes(const struct sw_saved *saved)
{
    struct sw_text names = {0};
    const char *name;
    for (int k = 0; (name = sw_saved_parameter(saved, k)); k++) sw_text_printf(&names, "%s%s", k ? ", " : "", name);
    const enum sw_status st = SW_FAIL(SW_E_CONFIG, "runs of the file differ in %s, which are no axes here; match = "
                                      "\"run\" takes the run of the same number, or say which is meant, by a number or "
                                      "an expression", sw_text_get(&names));
    sw_text_free(&names);
    return st;
}

/* By the values of the axes that both sweeps have. Where no run has all, one may have another number of points. */
static enum sw_status match_run(const struct run *r, double *run)
{
    struct sw_saved *saved = r->source->saved[0];
    double *value = NULL;
    int *axis = NULL, most = 0, few;
    enum sw_status st;
    while (sw_saved_parameter(saved, most)) most++;
    SW_TRY_TO(done, st, sw_alloc((size_t)most, &axis));
    SW_TRY_TO(done, st, sw_alloc((size_t)most, &value));
    const int count = common_axes(r, true, axis, value);
    pthread_mutex_lock(&turn);
    st = sw_saved_match(saved, count, axis, value, run);
    if (st == SW_E_CONFIG && !count && most) st = fail_without_axes(saved);
    if (st == SW_E_CONFIG && (few = common_axes(r, false, axis, value)) < count) {
        struct sw_err_kept kept = {0};
        sw_err_keep(&kept, st);
        st = sw_saved_match(saved, few, axis, value, run);
        if (st == SW_E_CONFIG) st = sw_err_raise(&kept);
    }
    pthread_mutex_unlock(&turn);
done:
    sw_free(axis);
    sw_free(value);
    return st;
}

/* Whether the run is the one with the values of this one. Files of others have no axes: row k is for run k. */
static bool matches_axes(const struct run *r)
{
    const bool same = r->one.numbered && !strcmp(r->one.column[r->one.numbered - 1], run_key);
    return same && !sw_setup_chosen(&r->one, match_key, "run") && sw_saved_has_axes(r->source->saved[0]);
}

/* The number in the file of the run that is meant. */
static enum sw_status find_number(const struct run *r, double *run)
{
    *run = number(r, run_key);
    return matches_axes(r) ? match_run(r, run) : SW_OK;
}

/* @param wrong  out: the key to blame where there is no such field; NULL: it is not asked for
 * @return SW_E_CONFIG */
static enum sw_status find_place(const struct run *r, int unknown, struct sw_saved_place *place, const char **wrong)
{
    static const char *const key[] = {[SW_SAVED_WRONG_RUN] = run_key, [SW_SAVED_WRONG_TIME] = time_key,
                                      [SW_SAVED_WRONG_DATASET] = dataset_key};
    enum sw_saved_wrong what;
    double run;
    enum sw_status st = find_number(r, &run);
    if (wrong) *wrong = st ? match_key : NULL;
    SW_TRY(st);
    st = sw_saved_find(r->source->saved[unknown], r->one.dim, run, number(r, time_key), place, &what);
    if (wrong) *wrong = st ? key[what] : NULL;
    return st;
}

static bool same_points(const int64_t a[SW_DIMS], const int64_t b[SW_DIMS])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* "64", "64 x 32" */
static const char *print_points(int dim, const int64_t n[SW_DIMS], char text[64])
{
    int used = 0;
    for (int d = 0; d < dim; d++)
        used += snprintf(text + used, 64 - (size_t)used, "%s%lld", d ? " x " : "", (long long)n[d]);
    return text;
}

static double most_of(const struct sw_setup *setup) { return setup->single_steps ? (double)FLT_MAX : DBL_MAX; }

/* Add "i = 7", "i = 7, j = 0". */
static void add_index(int dim, const int64_t n[SW_DIMS], int64_t at, struct sw_text *text)
{
    const int64_t index[SW_DIMS] = {at % n[0], at / n[0] % n[1], at / n[0] / n[1]};
    for (int d = 0; d < dim; d++) sw_text_printf(text, "%s%c = %lld", d ? ", " : "", "ijk"[d], (long long)index[d]);
}

/* A value of a field, for a message. */
static const char *print_value(const struct source *s, int unknown, const struct sw_saved_place *place, double value,
                               char text[32])
{
    return isnan(value) && sw_saved_fills(s->saved[unknown], place) ? "nan or a fill value" : sw_number(value, text);
}

/* ------------------------------------------------------------------ reading */

/* A part of a field: points first[d] .. first[d] + count[d] - 1 along x, y, z. */
struct box { int64_t first[SW_DIMS], count[SW_DIMS]; };

static struct box whole_box(const struct sw_saved_place *place)
{
    return (struct box){.count = {place->n[0], place->n[1], place->n[2]}};
}

static enum sw_status read_box(const struct source *s, int unknown, const struct sw_saved_place *place,
                               const struct box *box, double *u)
{
    return name_dataset(s, unknown, sw_saved_read(s->saved[unknown], place, box->first, box->count, u));
}

/* Large fields are read in pieces of so many points at most: no process has to hold all of one. */
enum { PIECE = 1 << 22 };

static struct box first_piece(const int64_t n[SW_DIMS])
{
    struct box b = {.count = {1, 1, 1}};
    int64_t room = PIECE;
    for (int d = 0; d < SW_DIMS; room /= b.count[d++]) b.count[d] = n[d] < room ? n[d] : room > 1 ? room : 1;
    return b;
}

/* In the order of points: a piece has several rows, or planes, only where it has all of each.
 * @param most  the first piece  @return false: that was the last one */
static bool next_piece(const int64_t n[SW_DIMS], const struct box *most, struct box *b)
{
    int d = 0;
    while (d < SW_DIMS && (b->first[d] += most->count[d]) >= n[d]) b->first[d++] = 0;
    for (int k = 0; k < SW_DIMS; k++) {
        const int64_t left = n[k] - b->first[k];
        b->count[k] = left < most->count[k] ? left : most->count[k];
    }
    return d < SW_DIMS;
}

/* The first point whose number is not finite, or beyond what the steps can hold.
 * @param at, value  out: it; `at` is the number of points where there is none */
static enum sw_status find_bad(const struct source *s, int unknown, const struct sw_saved_place *place, double most,
                               int64_t *at, double *value)
{
    const struct box first = first_piece(place->n);
    struct box b = first;
    enum sw_status st;
    double *u;
    SW_TRY(sw_alloc((size_t)sw_points(first.count), &u));
    *at = 0;
    *value = 0;
    do {
        const int64_t points = sw_points(b.count);
        int64_t i = 0;
        st = read_box(s, unknown, place, &b, u);
        while (!st && i < points && fabs(u[i]) <= most) i++;
        *at += i;
        if (st || i == points) continue;
        *value = u[i];
        break;
    } while (!st && next_piece(place->n, &first, &b));
    sw_free(u);
    return st;
}

/* ------------------------------------------------------------------ what is refused */

/* A field that all runs begin with has to be one; it is looked at once. */
static enum sw_status look_at_shared(struct source *s, int unknown, int dim, const struct sw_saved_place *place)
{
    int64_t at;
    double value;
    char shown[32];
    if (s->shared_read[unknown]) return SW_OK;
    SW_TRY(find_bad(s, unknown, place, DBL_MAX, &at, &value));
    if (at < sw_points(place->n)) {
        struct sw_text bad = sw_text_in(s->shared_bad[unknown], sizeof s->shared_bad[unknown]);
        sw_text_printf(&bad, "it is %s at ", print_value(s, unknown, place, value, shown));
        add_index(dim, place->n, at, &bad);
    }
    s->shared_read[unknown] = true;
    return SW_OK;
}

static const char *refuse_shared(struct source *s, int unknown, int dim, const struct sw_saved_place *place,
                                 struct sw_text *why)
{
    if (!place->shared) return NULL;
    pthread_mutex_lock(&turn);
    enum sw_status st = look_at_shared(s, unknown, dim, place);
    pthread_mutex_unlock(&turn);
    if (st) sw_text_set(why, "%s", sw_err_message());
    else if (*s->shared_bad[unknown])
        sw_text_set(why, "%s, and all runs begin with it; give finite numbers", s->shared_bad[unknown]);
    return st || *s->shared_bad[unknown] ? dataset_key : NULL;
}

static const char *refuse_points(const struct sw_setup *one, bool walls, const struct sw_saved_place *place,
                                 struct sw_text *why)
{
    char there[64], here[64];
    if (same_points(one->n, place->n)) return NULL;
    print_points(one->dim, place->n, there);
    print_points(one->dim, one->n, here);
    const bool possible = !walls && one->dim == 1, wanted = !sw_setup_chosen(one, interpolate_key, "false");
    if (possible && wanted && place->guessed)
        return sw_refuse(why, dataset_key, "it is taken for runs of %s points, and not of %s: transpose it, or "
                         "name its dimensions run and x, to have it interpolated", there, here);
    if (possible && wanted) return NULL;
    sw_text_set(why, "the field in the file has %s points, and the run %s; %s", there, here,
                possible ? "give the run those, or leave it out" : "only periodic lines are interpolated");
    return possible ? interpolate_key : file_key;
}

static const char *refuse_field(const struct run *r, int unknown, bool walls, struct sw_text *why)
{
    struct sw_saved_place place;
    const char *key;
    if (find_place(r, unknown, &place, &key)) return sw_refuse(why, key, "%s", sw_err_message());
    key = refuse_points(&r->one, walls, &place, why);
    return key ? key : refuse_shared(r->source, unknown, r->one.dim, &place, why);
}

const char *sw_initial_validate(const struct sw_setup *setup, bool walls, int64_t ld, const double *column, int64_t j,
                                struct sw_text *why)
{
    const int unknowns = sw_setup_unknowns(setup);
    struct run r;
    const char *key = NULL;
    if (!sw_initial_in_file(setup)) return NULL;
    const enum sw_status st = find_run(setup, ld, column, j, &r);
    if (st && r.source && r.source->key) return sw_refuse(why, r.source->key, "%s", r.source->why);
    if (st) return sw_refuse(why, file_key, "%s", sw_err_message());
    if (r.source->unknowns != unknowns)
        return sw_refuse(why, dataset_key, "there %s %d unknown%s: give as many datasets, with commas between them",
                         unknowns == 1 ? "is" : "are", unknowns, unknowns == 1 ? "" : "s");
    for (int k = 0; k < unknowns && !key; k++) key = refuse_field(&r, k, walls, why);
    return key;
}

bool sw_initial_shared(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j)
{
    struct run r;
    bool shared = sw_initial_in_file(setup) && !find_run(setup, ld, column, j, &r);
    for (int k = 0; shared && k < r.source->unknowns; k++) {
        struct sw_saved_place place;
        shared = !find_place(&r, k, &place, NULL) && place.shared;
    }
    return shared;
}

/* ------------------------------------------------------------------ fields of runs */

/* The points of a set-up: those of a slab where the grid is cut; of a trial, which may have fewer than its run, the
 * first ones. */
static struct box box_of(const struct run *r, const struct sw_setup *setup)
{
    struct box b = {.count = {r->one.n[0], r->one.n[1], r->one.n[2]}};
    for (int d = 0; d < SW_DIMS; d++) {
        b.first[d] = sw_setup_first(setup, d);
        if (setup->n[d] < b.count[d]) b.count[d] = setup->n[d];
    }
    return b;
}

/* A line with other points: of a part of it, too, all of it is read and interpolated. */
static enum sw_status interpolate(const struct run *r, int unknown, const struct sw_saved_place *place,
                                  const struct box *box, struct sw_resampler **kept, double *u)
{
    const struct box whole = whole_box(place);
    const int64_t here = place->n[0], n = r->one.n[0];
    double *there = NULL, *line = NULL;
    enum sw_status st;
    SW_TRY_TO(done, st, sw_alloc((size_t)here, &there));
    SW_TRY_TO(done, st, sw_alloc((size_t)n, &line));
    SW_TRY_TO(done, st, read_box(r->source, unknown, place, &whole, there));
    if (!sw_resampler_fits(*kept, here, n)) {
        sw_resampler_destroy(kept);
        SW_TRY_TO(done, st, sw_resampler_create(here, n, kept));
    }
    sw_resample(*kept, there, line);
    memcpy(u, line + box->first[0], (size_t)box->count[0] * sizeof *u);
done:
    sw_free(line);
    sw_free(there);
    return st;
}

/* Some points of the field of an unknown.
 * @param kept  the last resampler, NULL at first: made anew where another one is needed  @param u  out [points] */
static enum sw_status read_unknown(const struct run *r, int unknown, const struct box *box,
                                   struct sw_resampler **kept, double *u)
{
    struct sw_saved_place place;
    SW_TRY(find_place(r, unknown, &place, NULL));
    if (same_points(place.n, r->one.n)) return read_box(r->source, unknown, &place, box, u);
    if (r->one.dim > 1) return SW_FAIL(SW_E_CONFIG, "%s: the field has other points", r->source->file);
    return interpolate(r, unknown, &place, box, kept, u);
}

static enum sw_status read_run(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                               struct sw_resampler **kept, double *u)
{
    struct run r;
    SW_TRY(find_run(setup, ld, column, j, &r));
    if (r.source->unknowns != sw_setup_unknowns(setup))
        return SW_FAIL(SW_E_CONFIG, "%s: as many datasets as unknowns", r.source->file);
    const struct box box = box_of(&r, setup);
    for (int k = 0; k < r.source->unknowns; k++)
        SW_TRY(read_unknown(&r, k, &box, kept, u + (size_t)k * (size_t)sw_points(box.count)));
    return SW_OK;
}

enum sw_status sw_initial_read(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j, double *u)
{
    struct sw_resampler *kept = NULL;
    enum sw_status st = read_run(setup, ld, column, j, &kept, u);
    sw_resampler_destroy(&kept);
    return st;
}

/* Points wanted of a field, along x, y, z. */
struct wanted { const int *count; const int64_t *const *at; };

/* The wanted points along d that are in a piece: those from `first` on. @return how many */
static int wanted_in(const struct wanted *w, int d, const struct box *piece, int *first)
{
    int many = 0;
    for (*first = 0; *first < w->count[d] && w->at[d][*first] < piece->first[d];) ++*first;
    while (*first + many < w->count[d] && w->at[d][*first + many] < piece->first[d] + piece->count[d]) many++;
    return many;
}

/* @param room  for the points of a piece  @param u  out: at the wanted points that are in the piece */
static enum sw_status sample_piece(const struct run *r, const struct box *piece, const struct wanted *w,
                                   struct sw_resampler **kept, double *room, double *u)
{
    const int64_t *const first = piece->first, *const n = piece->count;
    int from[SW_DIMS], many[SW_DIMS];
    for (int d = 0; d < SW_DIMS; d++)
        if (!(many[d] = wanted_in(w, d, piece, &from[d]))) return SW_OK;
    SW_TRY(read_unknown(r, 0, piece, kept, room));
    for (int k = from[2]; k < from[2] + many[2]; k++)
        for (int i = from[1]; i < from[1] + many[1]; i++)
            for (int h = from[0]; h < from[0] + many[0]; h++)
                u[h + w->count[0] * (i + w->count[1] * k)] =
                    room[w->at[0][h] - first[0] + n[0] * (w->at[1][i] - first[1] + n[1] * (w->at[2][k] - first[2]))];
    return SW_OK;
}

enum sw_status sw_initial_sample(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                 const int count[SW_DIMS], const int64_t *const at[SW_DIMS], double *u)
{
    const struct wanted wanted = {count, at};
    struct sw_resampler *kept = NULL;
    double *room = NULL;
    enum sw_status st;
    struct run r;
    SW_TRY_TO(done, st, find_run(setup, ld, column, j, &r));
    const struct box first = first_piece(r.one.n);
    struct box piece = first;
    SW_TRY_TO(done, st, sw_alloc((size_t)sw_points(first.count), &room));
    do st = sample_piece(&r, &piece, &wanted, &kept, room, u);
    while (!st && next_piece(r.one.n, &first, &piece));
done:
    sw_resampler_destroy(&kept);
    sw_free(room);
    return st;
}

/* ------------------------------------------------------------------ the fields of a batch */

/* In single precision the state is of floats from the beginning. */
static bool make_fit(bool single, size_t numbers, double *u)
{
    bool finite = true;
    for (size_t i = 0; i < numbers; i++) {
        if (single) u[i] = (double)(float)u[i];
        finite = finite && isfinite(u[i]);
    }
    return finite;
}

/* @param u  out: [count][unknowns][points] */
static enum sw_status read_fields(const struct sw_setup *setup, int threads, int count, const double *column,
                                  double *u, bool *finite)
{
    const size_t size = (size_t)sw_setup_unknowns(setup) * (size_t)sw_points(setup->n);
    struct sw_err_kept failure = {0};
    bool failed = false;
#pragma omp parallel num_threads(threads) if (count > 8)
    {
        struct sw_resampler *kept = NULL;
#pragma omp for schedule(dynamic, 8)
        for (int j = 0; j < count; j++) {
            bool skip;
#pragma omp atomic read
            skip = failed;
            if (skip) continue;
            const enum sw_status st = read_run(setup, count, column, j, &kept, u + (size_t)j * size);
            if (!st) finite[j] = make_fit(setup->single_steps, size, u + (size_t)j * size);
            if (!st) continue;
#pragma omp atomic write
            failed = true;
#pragma omp critical(sw_initial_failure)
            sw_err_keep(&failure, st);
        }
        sw_resampler_destroy(&kept);
    }
    return sw_err_raise(&failure);
}

enum sw_status sw_initial_begin(struct sw_sim *sim, const struct sw_setup *setup, int threads, int count,
                                const double *column, bool *finite)
{
    double *u = NULL;
    enum sw_status st;
    for (int j = 0; j < count; j++) finite[j] = true;
    if (!sw_initial_in_file(setup)) return sw_sim_initial(sim);
    SW_TRY_TO(out, st, sw_alloc((size_t)count * (size_t)sw_setup_unknowns(setup) * (size_t)sw_points(setup->n), &u));
    SW_TRY_TO(out, st, read_fields(setup, threads, count, column, u, finite));
    st = sw_sim_begin(sim, u);
out:
    sw_free(u);
    return st;
}

/* ------------------------------------------------------------------ what is said about it */

/* The last time before this place at which all of a field is finite; NaN: there is none. */
static double last_good_time(const struct source *s, int unknown, struct sw_saved_place place, double most)
{
    int64_t at;
    double value;
    while (sw_saved_earlier(s->saved[unknown], &place)) {
        if (find_bad(s, unknown, &place, most, &at, &value)) return NAN;
        if (at == sw_points(place.n)) return place.t;
    }
    return NAN;
}

static void describe_number(const struct run *r, int unknown, const struct sw_saved_place *place, int64_t at,
                            double value, struct sw_text *text)
{
    const struct source *s = r->source;
    char shown[32], file[41];
    double run;
    if (find_number(r, &run)) run = number(r, run_key);
    const double good = last_good_time(s, unknown, *place, most_of(&r->one));
    sw_text_set(text, "the initial value is %s%s at ", print_value(s, unknown, place, value, shown),
                isfinite(value) ? ", beyond single precision," : "");
    add_index(r->one.dim, place->n, at, text);
    sw_text_printf(text, " of run %.0f", run);
    if (!isnan(place->t)) sw_text_printf(text, ", time %.6g,", place->t);
    sw_text_printf(text, " of \"%s\" of \"%s\"", s->name[unknown], sw_text_shorten(file, sizeof file, s->file));
    if (!isnan(good)) sw_text_printf(text, "; it is finite at time %.9g", good);
}

/* @return SW_E_CONFIG there is no field  @param text  in: empty; out: what is bad */
static enum sw_status describe_bad(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                   struct sw_text *text)
{
    struct run r;
    SW_TRY(find_run(setup, ld, column, j, &r));
    for (int k = 0; k < r.source->unknowns && !text->length; k++) {
        struct sw_saved_place place;
        int64_t at;
        double value;
        SW_TRY(find_place(&r, k, &place, NULL));
        SW_TRY(find_bad(r.source, k, &place, most_of(setup), &at, &value));
        if (at < sw_points(place.n)) describe_number(&r, k, &place, at, value, text);
    }
    return SW_OK;
}

bool sw_initial_describe_nonfinite(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                   struct sw_text *text)
{
    return !describe_bad(setup, ld, column, j, text) && text->length;
}

/* What is wrong with a file is refused elsewhere: a warning says nothing of it. */
static enum sw_status only_memory(enum sw_status st) { return st == SW_E_MEMORY ? st : SW_OK; }

enum sw_status sw_initial_warn_bad(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                   const double *state, struct sw_text *text)
{
    (void)state;
    if (!sw_initial_in_file(setup)) return SW_OK;
    SW_TRY(only_memory(describe_bad(setup, ld, column, j, text)));
    if (text->length) sw_text_add(text, "; the run fails");
    return SW_OK;
}

/* Whether the points of a field lie elsewhere than those of the run along an axis, beyond the rounding of their
 * coordinates. */
static enum sw_status compare_axis(const struct run *r, const struct sw_saved_place *place,
                                   const struct sw_grid *grid, int d, struct sw_text *text)
{
    double first, spacing;
    bool known;
    SW_TRY(sw_saved_axis(r->source->saved[0], place, d, &first, &spacing, &known));
    /* between walls the ends are points */
    const double there = spacing * (double)(place->n[d] - r->one.walls[d]),
                 here = grid->dx[d] * (double)(r->one.n[d] - r->one.walls[d]), near = 1e-6 * here;
    if (known && (fabs(there - here) > near || fabs(first - grid->x0[d]) > near))
        sw_text_set(text, "initial: along %c the points of the file begin at %.6g and take up %.6g, those of the run "
                    "begin at %.6g and take up %.6g: point i goes to point i", "xyz"[d], first, there, grid->x0[d],
                    here);
    return SW_OK;
}

/* @param found  out: false: there is nothing to say of this run */
static enum sw_status find_for_warning(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                       struct run *r, struct sw_saved_place *place, bool *found)
{
    *found = false;
    if (!sw_initial_in_file(setup)) return SW_OK;
    const enum sw_status st = find_run(setup, ld, column, j, r);
    if (st) return r->source ? SW_OK : st;
    *found = !find_place(r, 0, place, NULL);
    return SW_OK;
}

enum sw_status sw_initial_warn_words(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                     const double *state, struct sw_text *text)
{
    struct sw_saved_place place;
    struct run r;
    double run;
    bool found;
    (void)state;
    SW_TRY(find_for_warning(setup, ld, column, j, &r, &place, &found));
    if (!found || !matches_axes(&r) || !*sw_saved_words(r.source->saved[0])) return SW_OK;
    SW_TRY(find_number(&r, &run));
    sw_text_set(text, "initial: the values of its numbers are those of run %.0f of the file, whose runs also differ in "
                "%s: words are not compared; initial.run says which run is meant", run,
                sw_saved_words(r.source->saved[0]));
    return SW_OK;
}

enum sw_status sw_initial_warn_points(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                      const double *state, struct sw_text *text)
{
    struct sw_saved_place place;
    struct run r;
    char there[64], here[64];
    bool found;
    (void)state;
    SW_TRY(find_for_warning(setup, ld, column, j, &r, &place, &found));
    if (found && !same_points(r.one.n, place.n))
        sw_text_set(text, "initial: the field in the file has %s points, and the run %s: it is interpolated by "
                    "the waves that both grids have", print_points(r.one.dim, place.n, there),
                    print_points(r.one.dim, r.one.n, here));
    return SW_OK;
}

enum sw_status sw_initial_warn_axes(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                    const double *state, struct sw_text *text)
{
    struct sw_saved_place place;
    struct run r;
    bool found;
    (void)state;
    SW_TRY(find_for_warning(setup, ld, column, j, &r, &place, &found));
    if (!found) return SW_OK;
    const struct sw_problem_shape *shape = setup->problem->shape;
    for (int d = 0; d < r.one.dim; d++) r.one.walls[d] = shape->walls && shape->walls(setup, d);
    const struct sw_grid grid = sw_setup_grid(&r.one, ld, column, j);
    for (int d = 0; d < r.one.dim && !text->length; d++) SW_TRY(only_memory(compare_axis(&r, &place, &grid, d, text)));
    return SW_OK;
}
