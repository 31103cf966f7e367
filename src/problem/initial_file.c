#include "problem/initial_file.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "field/resample.h"
#include "input/sw_saved.h"

static const char file_key[] = "initial.file", dataset_key[] = "initial.dataset", run_key[] = "initial.run",
                  time_key[] = "initial.time";

/* ------------------------------------------------------------------ files that are open */

struct source {
    struct source   *next;
    char            *file, *dataset;
    struct sw_saved *saved;    /* NULL: something is wrong                */
    const char      *key;      /* the key to blame for it                 */
    char             why[160];
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

static enum sw_status open_source(const char *file, const char *dataset, struct source *s)
{
    bool wrong_dataset;
    s->file = sw_strdup(file);
    s->dataset = sw_strdup(dataset);
    if (!s->file || !s->dataset) return SW_FAIL(SW_E_MEMORY, "out of memory");
    enum sw_status st = sw_saved_open(file, dataset, &s->saved, &wrong_dataset);
    if (!st || st == SW_E_MEMORY) return st;
    s->key = wrong_dataset ? dataset_key : file_key;
    sw_text_shorten(s->why, sizeof s->why, sw_err_message());
    return SW_OK;
}

static enum sw_status find_or_open(const char *file, const char *dataset, struct source **source)
{
    struct source *s = all;
    while (s && (strcmp(s->file, file) || strcmp(s->dataset, dataset))) s = s->next;
    *source = s;
    if (s) return SW_OK;
    SW_TRY(sw_alloc(1, &s));
    enum sw_status st = open_source(file, dataset, s);
    if (st) {
        sw_free(s->file);
        sw_free(s->dataset);
        sw_free(s);
        return st;
    }
    s->next = all;
    *source = all = s;
    return SW_OK;
}

/* The file of runs with these words, which have one. */
static enum sw_status find_source(const struct sw_setup *setup, struct source **source)
{
    pthread_mutex_lock(&turn);
    enum sw_status st = find_or_open(sw_setup_word(setup, file_key), sw_setup_word(setup, dataset_key), source);
    pthread_mutex_unlock(&turn);
    return st;
}

/* @param st  SW_OK, or why the dataset cannot be read: for the user, with its file */
static enum sw_status name_dataset(const struct source *s, enum sw_status st)
{
    struct sw_err_kept kept = {0};
    if (st != SW_E_IO) return st;
    sw_err_keep(&kept, st);
    return SW_FAIL(st, "%s = \"%s\" of \"%s\": %s", dataset_key, s->dataset, s->file, kept.message);
}

enum sw_status sw_initial_content(const struct sw_setup *setup, bool *any, unsigned char digest[32], const char **key)
{
    struct source *s;
    *key = NULL;
    *any = sw_initial_in_file(setup);
    if (!*any) return SW_OK;
    SW_TRY(find_source(setup, &s));
    *key = s->saved ? file_key : s->key;
    if (!s->saved) return SW_FAIL(SW_E_IO, "%s: %s", s->file, s->why);
    pthread_mutex_lock(&turn);
    enum sw_status st = s->digested ? SW_OK : name_dataset(s, sw_saved_digest(s->saved, s->digest));
    s->digested = !st;
    if (!st) memcpy(digest, s->digest, sizeof s->digest);
    pthread_mutex_unlock(&turn);
    return st;
}

/* ------------------------------------------------------------------ the field of a run */

static double number(const struct sw_setup *setup, const char *key, int64_t ld, const double *column, int64_t j)
{
    return column[(int64_t)sw_setup_column(setup, key) * ld + j];
}

/* @return SW_E_CONFIG there is no such field  @param key  out: the key to blame then */
static enum sw_status find_place(const struct sw_setup *setup, const struct source *s, int64_t ld,
                                 const double *column, int64_t j, struct sw_saved_place *place, const char **key)
{
    bool wrong_time;
    enum sw_status st = sw_saved_find(s->saved, number(setup, run_key, ld, column, j),
                                      number(setup, time_key, ld, column, j), place, &wrong_time);
    *key = wrong_time ? time_key : run_key;
    return st;
}

static int dimensions(const int64_t n[SW_DIMS]) { return n[2] > 1 ? 3 : n[1] > 1 ? 2 : 1; }

static bool same_points(const int64_t a[SW_DIMS], const int64_t b[SW_DIMS])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* "64", "64 x 32" */
static const char *print_points(const int64_t n[SW_DIMS], char text[64])
{
    const int dim = dimensions(n);
    int used = 0;
    for (int d = 0; d < dim; d++)
        used += snprintf(text + used, 64 - (size_t)used, "%s%lld", d ? " x " : "", (long long)n[d]);
    return text;
}

/* @param n  out: the points of run j, by its columns */
static void points_of_run(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                          int64_t n[SW_DIMS])
{
    static const char *const key[SW_DIMS] = {"grid.n", "grid.n.1", "grid.n.2"};
    for (int d = 0; d < SW_DIMS; d++)
        n[d] = sw_setup_column(setup, key[d]) < 0 ? 1 : (int64_t)number(setup, key[d], ld, column, j);
}

static const char *refuse_place(const struct sw_setup *setup, const struct source *s, bool walls, int64_t ld,
                                const double *column, int64_t j, char why[160])
{
    struct sw_saved_place place;
    const char *key;
    char there[64], here[64];
    int64_t n[SW_DIMS];
    if (find_place(setup, s, ld, column, j, &place, &key)) {
        sw_text_shorten(why, 160, sw_err_message());
        return key;
    }
    points_of_run(setup, ld, column, j, n);
    if (same_points(n, place.n) || (!walls && dimensions(n) == 1 && dimensions(place.n) == 1)) return NULL;
    snprintf(why, 160, "the field in the file has %.30s points, and the run %.30s; only periodic lines are "
             "interpolated", print_points(place.n, there), print_points(n, here));
    return file_key;
}

const char *sw_initial_validate(const struct sw_setup *setup, bool walls, int64_t ld, const double *column, int64_t j,
                                char why[160])
{
    struct source *s;
    if (!sw_initial_in_file(setup)) return NULL;
    if (find_source(setup, &s)) {
        snprintf(why, 160, "%.150s", sw_err_message());
        return file_key;
    }
    if (s->saved) return refuse_place(setup, s, walls, ld, column, j, why);
    snprintf(why, 160, "%s", s->why);
    return s->key;
}

/* @param u  out: the field as it is in the file; free with sw_free() */
static enum sw_status read_field(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                 struct source **source, struct sw_saved_place *place, double **u)
{
    const char *key;
    *u = NULL;
    SW_TRY(find_source(setup, source));
    if (!(*source)->saved) return SW_FAIL(SW_E_IO, "%s: %s", (*source)->file, (*source)->why);
    SW_TRY(find_place(setup, *source, ld, column, j, place, &key));
    SW_TRY(sw_alloc((size_t)sw_points(place->n), u));
    enum sw_status st = name_dataset(*source, sw_saved_read((*source)->saved, place, *u));
    if (st) {
        sw_free(*u);
        *u = NULL;
    }
    return st;
}

enum sw_status sw_initial_read(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j, double *u)
{
    struct sw_saved_place place;
    struct source *s;
    double *there;
    SW_TRY(read_field(setup, ld, column, j, &s, &place, &there));
    enum sw_status st = SW_OK;
    if (same_points(place.n, setup->n)) memcpy(u, there, (size_t)sw_points(place.n) * sizeof *u);
    else st = sw_resample(place.n[0], there, setup->n[0], u);
    sw_free(there);
    return st;
}

/* ------------------------------------------------------------------ the fields of a batch */

/* In single precision the state is of floats from the beginning. */
static bool make_fit(bool single, size_t points, double *u)
{
    bool finite = true;
    for (size_t i = 0; i < points; i++) {
        if (single) u[i] = (double)(float)u[i];
        finite = finite && isfinite(u[i]);
    }
    return finite;
}

/* @param u  out: [count][points] */
static enum sw_status read_fields(const struct sw_setup *setup, int threads, int count, const double *column,
                                  double *u, bool *finite)
{
    const size_t points = (size_t)sw_points(setup->n);
    struct sw_err_kept failure = {0};
    bool failed = false;
#pragma omp parallel for schedule(dynamic, 8) num_threads(threads) if (count > 8)
    for (int j = 0; j < count; j++) {
        bool skip;
#pragma omp atomic read
        skip = failed;
        if (skip) continue;
        const enum sw_status st = sw_initial_read(setup, count, column, j, u + (size_t)j * points);
        if (!st) finite[j] = make_fit(setup->single_steps, points, u + (size_t)j * points);
        if (!st) continue;
#pragma omp atomic write
        failed = true;
#pragma omp critical(sw_initial_failure)
        sw_err_keep(&failure, st);
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
    SW_TRY_TO(out, st, sw_alloc((size_t)count * (size_t)sw_points(setup->n), &u));
    SW_TRY_TO(out, st, read_fields(setup, threads, count, column, u, finite));
    st = sw_sim_begin(sim, u);
out:
    sw_free(u);
    return st;
}

/* ------------------------------------------------------------------ what is said about it */

static void describe_number(const struct source *s, const struct sw_saved_place *place, double run, int64_t at,
                            double value, char text[160])
{
    char shown[32], when[48] = "";
    const int64_t *n = place->n, index[SW_DIMS] = {at % n[0], at / n[0] % n[1], at / n[0] / n[1]};
    int used = snprintf(text, 160, "the initial value is %s%s at", sw_number(value, shown),
                        isfinite(value) ? ", beyond single precision," : "");
    for (int d = 0; d < dimensions(n); d++)
        used += snprintf(text + used, 160 - (size_t)used, "%s %c = %lld", d ? "," : "", "ijk"[d],
                         (long long)index[d]);
    if (!isnan(place->t)) snprintf(when, sizeof when, ", time %.6g,", place->t);
    snprintf(text + used, 160 - (size_t)used, " of run %.0f%s of \"%.30s\" of \"%.40s\"", run, when, s->dataset,
             s->file);
}

bool sw_initial_describe_bad(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j, char text[160])
{
    const double most = setup->single_steps ? (double)FLT_MAX : DBL_MAX;
    struct sw_saved_place place;
    struct source *s;
    double *u;
    int64_t i = 0;
    if (read_field(setup, ld, column, j, &s, &place, &u)) return false;
    const int64_t points = sw_points(place.n);
    while (i < points && fabs(u[i]) <= most) i++;
    if (i < points) describe_number(s, &place, number(setup, run_key, ld, column, j), i, u[i], text);
    sw_free(u);
    return i < points;
}

enum sw_status sw_initial_warn(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                               const double *column, int64_t j, const double *state, char text[200])
{
    struct sw_saved_place place;
    struct source *s;
    const char *key;
    char there[64], here[64];
    int64_t n[SW_DIMS];
    (void)problem;
    (void)state;
    text[0] = 0;
    if (!sw_initial_in_file(setup)) return SW_OK;
    SW_TRY(find_source(setup, &s));
    if (!s->saved || find_place(setup, s, ld, column, j, &place, &key)) return SW_OK;
    points_of_run(setup, ld, column, j, n);
    if (!same_points(n, place.n))
        snprintf(text, 200, "initial: the field in the file has %.30s points, and the run %.30s: it is interpolated by "
                 "the waves that both grids have", print_points(place.n, there), print_points(n, here));
    return SW_OK;
}
