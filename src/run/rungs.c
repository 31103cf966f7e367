#include "run/rungs.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_text.h"

/* A batch: those it waits for, and how its runs ended. */
struct level {
    int      count, ended;  /* runs                                                                      */
    int64_t  nbelow, *below;  /* [nbelow] batches, each once                                             */
    int64_t  tower;         /* a batch that hangs together with it, up to the first of all, which has its own */
    int64_t  waiting;       /* batches that start from its ends and are not on disk                      */
    double  *state;         /* [count][size of a state]; NULL: nobody waits for it, or no run has ended  */
    char   **why;           /* [count] what runs above say of one that failed; NULL: it is done          */
};
struct place { int64_t batch; int row; };
struct rungs {
    const struct sw_sweep     *sweep;
    const struct sw_completed *completed;
    const struct sw_plan      *plan;
    pthread_mutex_t mutex;      /* of the levels */
    int64_t       nlevel;
    struct level *level;        /* [nlevel] of the batches of the plan */
    struct place *place;        /* [nruns] of each run; batch -1: it is not to do */
};

/* ------------------------------------------------------------------ who waits for whom */

static enum sw_status refuse_missing(const struct rungs *l, int64_t run, int64_t below)
{
    char here[160], there[160];
    const bool done = sw_completed_status(l->completed, l->plan->id[below]) != SW_RUN_PENDING;
    const char *way;
    sw_sweep_describe(l->sweep, run, here, sizeof here);
    sw_sweep_describe(l->sweep, below, there, sizeof there);
    return SW_FAIL(SW_E_REFUSED, "run %lld (%s) starts from the end of run %lld (%s), a rung below on the ladder of "
                   "%s, %s", (long long)run, here, (long long)below, there, sw_sweep_ladder_axis(l->sweep, &way),
                   done ? "which is done, and the file does not keep its end: output.state = true keeps the ends; now "
                          "use -o FILE or --force"
                        : "which --only leaves out: take it as well");
}

int64_t rungs_tower(const struct rungs *l, int64_t batch)
{
    while (l->level[batch].tower != batch) batch = l->level[batch].tower;
    return batch;
}

static enum sw_status add_below(struct rungs *l, int64_t batch, int64_t below)
{
    struct level *level = &l->level[batch];
    const int64_t a = rungs_tower(l, batch), b = rungs_tower(l, below);
    l->level[a > b ? a : b].tower = a < b ? a : b;
    for (int64_t k = level->nbelow; k-- > 0;)
        if (level->below[k] == below) return SW_OK;
    SW_TRY(sw_resize((size_t)level->nbelow, (size_t)level->nbelow + 1, &level->below));
    level->below[level->nbelow++] = below;
    return SW_OK;
}

static enum sw_status find_below(struct rungs *l, int64_t batch)
{
    const struct sw_plan_batch *b = &l->plan->batch[batch];
    struct level *level = &l->level[batch];
    level->count = b->count;
    for (int j = 0; j < b->count; j++) {
        const int64_t below = sw_sweep_below(l->sweep, b->run[j]);
        if (below < 0) continue;
        const uint64_t id = l->plan->id[below];
        const enum sw_run_status status = sw_completed_status(l->completed, id);
        if (l->place[below].batch >= 0) SW_TRY(add_below(l, batch, l->place[below].batch));
        else if (status == SW_RUN_PENDING || (status == SW_RUN_DONE && !sw_completed_has_end(l->completed, id)))
            return refuse_missing(l, b->run[j], below);
    }
    for (int64_t k = 0; k < level->nbelow; k++) l->level[level->below[k]].waiting++;
    return SW_OK;
}

enum sw_status rungs_create(const struct sw_plan *plan, const struct sw_sweep *sweep,
                            const struct sw_completed *completed, struct rungs **rungs)
{
    struct rungs *l;
    enum sw_status st;
    *rungs = NULL;
    SW_TRY(sw_alloc(1, &l));
    l->sweep = sweep;
    l->completed = completed;
    l->plan = plan;
    pthread_mutex_init(&l->mutex, NULL);
    SW_TRY_TO(failed, st, sw_alloc((size_t)plan->nbatch, &l->level));
    l->nlevel = plan->nbatch;
    SW_TRY_TO(failed, st, sw_alloc((size_t)sweep->nruns, &l->place));
    for (int64_t run = 0; run < sweep->nruns; run++) l->place[run].batch = -1;
    for (int64_t b = 0; b < plan->nbatch; b++)
        for (int j = 0; j < plan->batch[b].count; j++) l->place[plan->batch[b].run[j]] = (struct place){b, j};
    for (int64_t b = 0; b < plan->nbatch; b++) l->level[b].tower = b;
    for (int64_t b = 0; b < plan->nbatch; b++) SW_TRY_TO(failed, st, find_below(l, b));
    *rungs = l;
    return SW_OK;
failed:
    rungs_destroy(&l);
    return st;
}

static void drop_ends(struct level *level)
{
    for (int j = 0; j < level->count && level->why; j++) sw_free(level->why[j]);
    sw_free(level->why);
    sw_free(level->state);
    level->why = NULL;
    level->state = NULL;
}

void rungs_destroy(struct rungs **rungs)
{
    struct rungs *l = *rungs;
    if (!l) return;
    for (int64_t b = 0; b < l->nlevel; b++) {
        drop_ends(&l->level[b]);
        sw_free(l->level[b].below);
    }
    sw_free(l->level);
    sw_free(l->place);
    pthread_mutex_destroy(&l->mutex);
    sw_free(l);
    *rungs = NULL;
}

bool rungs_ready(struct rungs *l, int64_t batch)
{
    bool ready = true;
    if (!l) return true;
    pthread_mutex_lock(&l->mutex);
    for (int64_t k = 0; k < l->level[batch].nbelow && ready; k++) {
        const struct level *below = &l->level[l->level[batch].below[k]];
        ready = below->ended == below->count;
    }
    pthread_mutex_unlock(&l->mutex);
    return ready;
}

double rungs_turn(const struct rungs *l, int64_t batch)
{
    const int64_t first = l->plan->batch[batch].run[0];
    return (double)sw_sweep_ladder(l->sweep, first) * (double)l->sweep->rungs + (double)sw_sweep_rung(l->sweep, first);
}

/* ------------------------------------------------------------------ where runs start */

/* Runs of a batch that start from ends of earlier calls. */
struct earlier { int count, *j; uint64_t *id; double *state; char **message; };

/* "run 17 (r = 0.4), on a rung below, has failed: not finite at t = 1.2" @param text  appended to */
static void explain(const struct rungs *l, int64_t run, const char *message, struct sw_text *text)
{
    char axes[160];
    sw_sweep_describe(l->sweep, run, axes, sizeof axes);
    sw_text_printf(text, "run %lld (%s), on a rung below, has failed: %s", (long long)run, axes, message);
}

/* A run that failed as one below it had already has the text. */
static bool has_failed_below(const struct rungs *l, int64_t run)
{
    const int64_t below = sw_sweep_below(l->sweep, run);
    const enum sw_run_status status = below < 0 ? SW_RUN_DONE : sw_completed_status(l->completed, l->plan->id[below]);
    return status == SW_RUN_DIVERGED || status == SW_RUN_ERROR;
}

static enum sw_status keep_text(const struct runs *r, struct sw_text *text, const char **why)
{
    char *kept = NULL;
    enum sw_status st = sw_text_status(text);
    if (!st) st = sw_arena_printf(r->arena, &kept, "%s", sw_text_get(text));
    sw_text_free(text);
    *why = kept;
    return st;
}

static enum sw_status read_earlier(const struct rungs *l, const struct runs *r, struct earlier *e, double *field,
                                   const char **why)
{
    if (!e->count) return SW_OK;
    SW_TRY(sw_arena_take(r->arena, (size_t)e->count * r->size, &e->state));
    SW_TRY(sw_completed_ends(l->completed, e->count, e->id, r->size, e->state, e->message));
    for (int k = 0; k < e->count; k++) {
        const int64_t below = sw_sweep_below(l->sweep, r->plan->run[e->j[k]]);
        struct sw_text text = {0};
        memcpy(field + (size_t)e->j[k] * r->size, e->state + (size_t)k * r->size, r->size * sizeof *field);
        if (!e->message[k]) continue;
        if (has_failed_below(l, below)) sw_text_add(&text, e->message[k]);
        else explain(l, below, e->message[k], &text);
        SW_TRY(keep_text(r, &text, &why[e->j[k]]));
    }
    return SW_OK;
}

/* From an end that is in memory; the level is ready, and stays, as this batch waits for it. */
static enum sw_status take_end(const struct level *level, const struct runs *r, int j, int row, double *field,
                               const char **why)
{
    struct sw_text text = {0};
    if (!level->why[row]) {
        memcpy(field + (size_t)j * r->size, level->state + (size_t)row * r->size, r->size * sizeof *field);
        return SW_OK;
    }
    sw_text_add(&text, level->why[row]);
    return keep_text(r, &text, why);
}

static enum sw_status take_ends(struct rungs *l, const struct runs *r, double *field, const char **why,
                                struct earlier *e)
{
    for (size_t i = 0; i < (size_t)r->count * r->size; i++) field[i] = NAN;
    for (int j = 0; j < r->count; j++) {
        const int64_t below = sw_sweep_below(l->sweep, r->plan->run[j]);
        const struct place *at = &l->place[below];
        if (at->batch < 0) {
            e->j[e->count] = j;
            e->id[e->count++] = l->plan->id[below];
            continue;
        }
        pthread_mutex_lock(&l->mutex);
        const enum sw_status st = take_end(&l->level[at->batch], r, j, at->row, field, &why[j]);
        pthread_mutex_unlock(&l->mutex);
        SW_TRY(st);
    }
    return SW_OK;
}

enum sw_status rungs_start(struct rungs *l, const struct runs *r, double **field, const char **why)
{
    struct earlier e = {0};
    const size_t count = (size_t)r->count;
    *field = NULL;
    if (!l || sw_sweep_below(l->sweep, r->plan->run[0]) < 0) return SW_OK;  /* all are on one rung */
    SW_TRY(sw_arena_take(r->arena, count * r->size, field));
    SW_TRY(sw_arena_take(r->arena, count, &e.j));
    SW_TRY(sw_arena_take(r->arena, count, &e.id));
    SW_TRY(sw_arena_take(r->arena, count, &e.message));
    enum sw_status st = take_ends(l, r, *field, why, &e);
    if (!st) st = read_earlier(l, r, &e, *field, why);
    for (int k = 0; k < e.count; k++) sw_free(e.message[k]);
    return st;
}

/* ------------------------------------------------------------------ how they ended */

static enum sw_status alloc_ends(struct level *level, size_t size)
{
    if (level->why) return SW_OK;
    SW_TRY(sw_alloc((size_t)level->count * size, &level->state));
    return sw_alloc((size_t)level->count, &level->why);
}

/* @param why  as rungs_start() gave it: the cause is passed on */
static enum sw_status keep_end(const struct rungs *l, int64_t run, const struct sw_run_result *result, const char *why,
                               char **kept)
{
    struct sw_text text = {0};
    sw_free(*kept);
    *kept = NULL;
    if (result->row.status == SW_RUN_DONE) return SW_OK;
    if (why) sw_text_add(&text, why);
    else explain(l, run, result->message, &text);
    *kept = sw_text_take(&text);
    return *kept ? SW_OK : SW_FAIL(SW_E_MEMORY, "out of memory");
}

static enum sw_status keep_ends(const struct rungs *l, struct level *level, const struct runs *r, int first,
                                const double *state, size_t stride, const struct sw_run_result *result,
                                const char *const *why)
{
    SW_TRY(alloc_ends(level, r->size));
    for (int j = 0; j < r->count; j++) {
        memcpy(level->state + (size_t)(first + j) * r->size, state + (size_t)j * stride, r->size * sizeof *state);
        SW_TRY(keep_end(l, r->plan->run[j], &result[j], why[j], &level->why[first + j]));
    }
    return SW_OK;
}

enum sw_status rungs_end(struct rungs *l, int64_t batch, const struct runs *r, const double *state, size_t stride,
                         const struct sw_run_result *result, const char *const *why)
{
    if (!l) return SW_OK;
    struct level *level = &l->level[batch];
    enum sw_status st = SW_OK;
    pthread_mutex_lock(&l->mutex);
    if (level->waiting) st = keep_ends(l, level, r, l->place[r->plan->run[0]].row, state, stride, result, why);
    if (!st && level->ended < level->count) level->ended += r->count;  /* else it was computed once more */
    pthread_mutex_unlock(&l->mutex);
    return st;
}

void rungs_release(struct rungs *l, int64_t batch)
{
    if (!l) return;
    pthread_mutex_lock(&l->mutex);
    l->level[batch].ended = l->level[batch].count;
    for (int64_t k = 0; k < l->level[batch].nbelow; k++) {
        struct level *below = &l->level[l->level[batch].below[k]];
        if (--below->waiting == 0) drop_ends(below);
    }
    pthread_mutex_unlock(&l->mutex);
}
