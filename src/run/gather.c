#include "run/gather.h"

#include <string.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"

/* Batches that have a part each, and the share of all that one part has then. */
enum { ALONE = 16, SHARE = 16 };
/* Bytes of the outputs and results of a small batch, and of all that wait. */
enum { SMALL_BATCH = 256 << 10, MOST_BYTES = 16 << 20 };

/* A batch in memory. */
struct kept {
    struct sw_part_desc desc;
    const struct sw_provenance *provenance;
    struct sw_run_result *result;  /* [count] NULL: it has not ended                                           */
    int   fields, series;          /* outputs so far                                                           */
    bool *blank;                   /* [nfield + nscalar] of the group: an output without values                */
    char *field;                   /* [nfield][quantities][count][values of a quantity]                        */
    char *scalars;                 /* [nscalar][count][those of the problem]                                   */
    char *defined;                 /* [nscalar][count][ndefined]                                               */
};

struct gather {
    const char  *file;
    struct kept  begun;            /* sweep NULL: none                                                         */
    struct kept *kept;             /* [count] that have ended: of one group, their runs ascending              */
    int64_t count, room;
    int64_t ended;                 /* batches of the writer                                                    */
    size_t  bytes;                 /* of kept                                                                  */
    double  since;                 /* clock when the first of them ended                                       */
};

/* ---- sizes */

/* Bytes of one run in an output. A field is several quantities, each for all runs. */
struct sizes { size_t quantities, field, scalars, defined; };

static struct sizes sizes_of(const struct sw_part_desc *d)
{
    const struct sw_sweep *s = d->sweep;
    const size_t value = s->single_fields ? sizeof(float) : sizeof(double);
    struct sizes z = {0};
    if (d->group->nfield) {
        z.quantities = (size_t)sw_quantity_count(sw_sweep_fields(s, d->group));
        z.field = (size_t)sw_points(d->group->n) * value;
    }
    if (d->group->nscalar) {
        z.scalars = (size_t)(s->nscalar - s->ndefined) * sizeof(double);
        z.defined = (size_t)s->ndefined * sizeof(double);
    }
    return z;
}

static double bytes_of(const struct sw_part_desc *d)
{
    const struct sizes z = sizes_of(d);
    return d->count * ((double)(z.quantities * z.field) * d->group->nfield +
                       (double)(z.scalars + z.defined) * d->group->nscalar + (double)sizeof(struct sw_run_result));
}

/* ---- one batch */

static void free_kept(struct kept *k)
{
    sw_free(k->result);
    sw_free(k->blank);
    sw_free(k->field);
    sw_free(k->scalars);
    sw_free(k->defined);
    *k = (struct kept){0};
}

static enum sw_status alloc_kept(struct kept *k)
{
    const struct sw_group *g = k->desc.group;
    const struct sizes z = sizes_of(&k->desc);
    const size_t count = (size_t)k->desc.count, fields = (size_t)g->nfield, series = (size_t)g->nscalar;
    SW_TRY(sw_alloc(fields + series, &k->blank));
    SW_TRY(sw_alloc(fields * count * z.quantities * z.field, &k->field));
    SW_TRY(sw_alloc(series * count * z.scalars, &k->scalars));
    return sw_alloc(series * count * z.defined, &k->defined);
}

enum sw_status gather_begin(struct gather *g, const struct sw_part_desc *desc, const struct sw_provenance *provenance)
{
    gather_abandon(g);
    g->begun = (struct kept){.desc = *desc, .provenance = provenance};
    const enum sw_status st = alloc_kept(&g->begun);
    if (st) gather_abandon(g);
    return st;
}

void gather_add_field(struct gather *g, const void *field)
{
    struct kept *k = &g->begun;
    const struct sizes z = sizes_of(&k->desc);
    const size_t bytes = (size_t)k->desc.count * z.quantities * z.field;
    if (field) memcpy(k->field + (size_t)k->fields * bytes, field, bytes);
    k->blank[k->fields++] = !field;
}

void gather_add_scalars(struct gather *g, const double *scalars, const double *defined)
{
    struct kept *k = &g->begun;
    const struct sizes z = sizes_of(&k->desc);
    const size_t count = (size_t)k->desc.count, output = (size_t)k->series;
    if (scalars) memcpy(k->scalars + output * count * z.scalars, scalars, count * z.scalars);
    if (defined) memcpy(k->defined + output * count * z.defined, defined, count * z.defined);
    k->blank[k->desc.group->nfield + k->series++] = !scalars && !defined;
}

void gather_abandon(struct gather *g) { free_kept(&g->begun); }

/* ---- a part of several */

static int runs_of(const struct kept *k, int64_t batches)
{
    int count = 0;
    for (int64_t b = 0; b < batches; b++) count += k[b].desc.count;
    return count;
}

/* The runs of all, behind one another. @param desc  out: run, id: free with sw_free() */
static enum sw_status join_runs(const struct kept *k, int64_t batches, struct sw_part_desc *desc, int64_t **run,
                                uint64_t **id, struct sw_run_result **result)
{
    const size_t count = (size_t)runs_of(k, batches);
    *desc = k->desc;
    SW_TRY(sw_alloc(count, run));
    SW_TRY(sw_alloc(count, id));
    SW_TRY(sw_alloc(count, result));
    desc->run = *run;
    desc->id = *id;
    desc->count = 0;
    for (int64_t b = 0; b < batches; b++) {
        const size_t more = (size_t)k[b].desc.count;
        memcpy(*run + desc->count, k[b].desc.run, more * sizeof **run);
        memcpy(*id + desc->count, k[b].desc.id, more * sizeof **id);
        if (k[b].result) memcpy(*result + desc->count, k[b].result, more * sizeof **result);
        desc->count += k[b].desc.count;
    }
    return SW_OK;
}

/* Append what is in `from` of a batch of so many runs. @return behind it */
static char *append(char *to, const char *from, size_t bytes) { return (char *)memcpy(to, from, bytes) + bytes; }

/* @param room  for an output of all */
static enum sw_status write_fields(const struct kept *k, int64_t batches, struct sw_part *part, char *room)
{
    const struct sizes z = sizes_of(&k->desc);
    for (size_t output = 0; output < (size_t)k->fields; output++) {
        char *to = room;
        for (size_t q = 0; q < z.quantities && !k->blank[output]; q++)
            for (int64_t b = 0; b < batches; b++) {
                const size_t each = (size_t)k[b].desc.count * z.field;
                to = append(to, k[b].field + (output * z.quantities + q) * each, each);
            }
        SW_TRY(sw_part_add_field(part, k->blank[output] ? NULL : room));
    }
    return SW_OK;
}

static enum sw_status write_scalars(const struct kept *k, int64_t batches, struct sw_part *part, char *room)
{
    const struct sizes z = sizes_of(&k->desc);
    char *defined = room + (size_t)runs_of(k, batches) * z.scalars;
    for (size_t output = 0; output < (size_t)k->series; output++) {
        char *to = room, *to_defined = defined;
        const bool blank = k->blank[(size_t)k->desc.group->nfield + output];
        for (int64_t b = 0; b < batches; b++) {
            const size_t count = (size_t)k[b].desc.count;
            to = append(to, k[b].scalars + output * count * z.scalars, count * z.scalars);
            to_defined = append(to_defined, k[b].defined + output * count * z.defined, count * z.defined);
        }
        SW_TRY(sw_part_add_scalars(part, blank ? NULL : (double *)room,
                                   blank || !z.defined ? NULL : (double *)defined));
    }
    return SW_OK;
}

static enum sw_status write_outputs(const struct kept *k, int64_t batches, struct sw_part *part)
{
    const struct sizes z = sizes_of(&k->desc);
    const size_t field = z.quantities * z.field, scalars = z.scalars + z.defined;
    char *room;
    SW_TRY(sw_alloc((size_t)runs_of(k, batches) * (field > scalars ? field : scalars), &room));
    enum sw_status st = write_fields(k, batches, part, room);
    if (!st) st = write_scalars(k, batches, part, room);
    sw_free(room);
    return st;
}

/* @param result  [count]; NULL: those of the batches  @param state  NULL: they have ended */
static enum sw_status write_part(const struct gather *g, const struct kept *k, int64_t batches,
                                 const struct sw_run_result *result, const struct sw_part_state *state)
{
    struct sw_part_desc desc;
    struct sw_run_result *results = NULL;
    struct sw_part *part = NULL;
    int64_t *run = NULL;
    uint64_t *id = NULL;
    enum sw_status st = join_runs(k, batches, &desc, &run, &id, &results);
    if (!st) st = sw_part_create(g->file, &desc, k->provenance, &part);
    if (!st) st = write_outputs(k, batches, part);
    if (!st) st = sw_part_commit(&part, result ? result : results, state);
    sw_part_abandon(&part);
    sw_free(run);
    sw_free(id);
    sw_free(results);
    return st;
}

/* ---- all of them */

enum sw_status gather_create(const char *file, struct gather **gather)
{
    SW_TRY(sw_alloc(1, gather));
    (*gather)->file = file;
    return SW_OK;
}

void gather_destroy(struct gather **gather)
{
    struct gather *g = *gather;
    if (!g) return;
    gather_abandon(g);
    for (int64_t b = 0; b < g->count; b++) free_kept(&g->kept[b]);
    sw_free(g->kept);
    sw_free(g);
    *gather = NULL;
}

/* What a part holds beside outputs and results is of one batch. */
static bool stands_alone(const struct sw_part_desc *d)
{
    return d->alone || d->infinite || d->slab.ranks || d->group->cut || d->sweep->history ||
           sw_sweep_keeps_states(d->sweep) || bytes_of(d) > SMALL_BATCH;
}

bool gather_takes(const struct gather *g, const struct sw_part_desc *d, bool *fits)
{
    const struct sw_part_desc *last = g->count ? &g->kept[g->count - 1].desc : NULL;
    *fits = !last || (last->group == d->group && last->run[last->count - 1] < d->run[0] &&
                      (double)g->bytes + bytes_of(d) <= MOST_BYTES);
    return g->ended >= ALONE && !stands_alone(d);
}

void gather_count(struct gather *g) { g->ended++; }

enum sw_status gather_end(struct gather *g, struct sw_run_result **result)
{
    if (g->count == g->room) {
        const int64_t room = 2 * g->room + 16;
        SW_TRY(sw_resize((size_t)g->room, (size_t)room, &g->kept));
        g->room = room;
    }
    if (!g->count) g->since = sw_clock();
    g->bytes += (size_t)bytes_of(&g->begun.desc);
    g->begun.result = *result;
    g->kept[g->count++] = g->begun;
    g->begun = (struct kept){0};
    *result = NULL;
    return SW_OK;
}

enum sw_status gather_break_off(struct gather *g, const struct sw_run_result *result, const struct sw_part_state *state)
{
    const enum sw_status st = write_part(g, &g->begun, 1, result, state);
    gather_abandon(g);
    return st;
}

bool gather_has_begun(const struct gather *g) { return g->begun.desc.sweep != NULL; }

bool gather_waits(const struct gather *g) { return g->count > 0; }

double gather_due(const struct gather *g) { return g->count >= g->ended / SHARE ? 0 : g->since + GATHER_SECONDS; }

enum sw_status gather_write(struct gather *g)
{
    const enum sw_status st = g->count ? write_part(g, g->kept, g->count, NULL, NULL) : SW_OK;
    for (int64_t b = 0; b < g->count; b++) free_kept(&g->kept[b]);
    g->count = 0;
    g->bytes = 0;
    return st;
}
