#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "sweep/expand_impl.h"

/* Runs of one shape. A hash table leads from a shape to its group. */

struct member { struct sw_group group; double *shape; size_t room; };

struct grouping {
    const struct sw_sweep *s;
    const int64_t *run;
    int      count, room;
    struct member *member;
    int      slots;         /* a power of two */
    int     *slot;          /* member + 1; 0: free */
    double  *block_shape;   /* [BLOCK][size] */
};

static uint64_t hash(const double *shape, int size)
{
    uint64_t h = 14695981039346656037u, w;  /* FNV-1a over words, mixed */
    for (int k = 0; k < size; k++) {
        memcpy(&w, &shape[k], sizeof w);
        h = (h ^ w) * 1099511628211u;
        h ^= h >> 29;
    }
    return h;
}

static int *find_slot(const struct grouping *g, const double *shape)
{
    int size = g->s->own->shape.size;
    size_t mask = (size_t)g->slots - 1, at = (size_t)hash(shape, size) & mask;
    while (g->slot[at] && memcmp(g->member[g->slot[at] - 1].shape, shape, (size_t)size * sizeof *shape))
        at = (at + 1) & mask;
    return &g->slot[at];
}

static enum sw_status grow_slots(struct grouping *g)
{
    sw_free(g->slot);
    g->slots = g->slots ? 2 * g->slots : 64;
    SW_TRY(sw_alloc((size_t)g->slots, &g->slot));
    for (int k = 0; k < g->count; k++) *find_slot(g, g->member[k].shape) = k + 1;
    return SW_OK;
}

static enum sw_status add_member(struct grouping *g, const double *shape, int *slot)
{
    int room = g->room ? 2 * g->room : 16, size = g->s->own->shape.size;
    if (g->count == g->room) {
        SW_TRY(sw_resize((size_t)g->room, (size_t)room, &g->member));
        g->room = room;
    }
    SW_TRY(sw_alloc((size_t)size, &g->member[g->count].shape));
    memcpy(g->member[g->count].shape, shape, (size_t)size * sizeof *shape);
    *slot = ++g->count;
    return 2 * g->count > g->slots ? grow_slots(g) : SW_OK;
}

static enum sw_status add_run(struct member *m, int64_t run)
{
    size_t room = m->room ? 2 * m->room : 16;
    if ((size_t)m->group.count == m->room) {
        SW_TRY(sw_resize(m->room, room, &m->group.run));
        m->room = room;
    }
    m->group.run[m->group.count++] = run;
    return SW_OK;
}

static enum sw_status group_block(void *user, const struct block *b)
{
    struct grouping *g = user;
    int size = g->s->own->shape.size, at;
    SW_TRY(shape_of_block(g->s, b, g->block_shape));
    for (int j = 0; j < b->count; j++) {
        int *slot = find_slot(g, g->block_shape + j * size);
        if ((at = *slot) == 0) { SW_TRY(add_member(g, g->block_shape + j * size, slot)); at = g->count; }
        SW_TRY(add_run(&g->member[at - 1], g->run[b->at + j]));
    }
    return SW_OK;
}

/* All runs have one shape: that of the first. */
static enum sw_status group_alike(struct grouping *g, int64_t count)
{
    SW_TRY(blocks_each(g->s, g->run, 0, 1, true, group_block, g));
    struct sw_group *one = &g->member[0].group;
    SW_TRY(sw_resize(g->member[0].room, (size_t)count, &one->run));
    memcpy(one->run, g->run, (size_t)count * sizeof *one->run);
    one->count = count;
    return SW_OK;
}

static int by_shape(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    for (int k = 0; k < SHAPE_TIMES; k++)
        if (x->shape[k] != y->shape[k]) return x->shape[k] < y->shape[k] ? -1 : 1;
    return x->group.run[0] < y->group.run[0] ? -1 : 1;
}

const char *sw_shape_name(int dim, const int64_t n[SW_DIMS], char name[SW_SHAPE_NAME])
{
    int at = snprintf(name, SW_SHAPE_NAME, "n%05lld", (long long)n[0]);
    for (int d = 1; d < dim; d++) at += snprintf(name + at, (size_t)(SW_SHAPE_NAME - at), "x%05lld", (long long)n[d]);
    return name;
}

static bool points_differ(const struct sw_sweep *s)
{
    const struct shape *p = &s->own->shape;
    bool differ = p->dim >= 0 && !s->column[p->dim].uniform;
    for (int d = 0; d < SW_DIMS; d++) differ |= p->n[d] >= 0 && !s->column[p->n[d]].uniform;
    return differ;
}

bool has_one_more(const struct sw_sweep *s)
{
    const struct sw_setup setup = {.nfunction = s->nfunction, .function = s->function};
    return s->problem->extra_point && s->problem->extra_point(&setup);
}

static enum sw_status finish(const struct sw_sweep *s, struct member *m)
{
    const struct shape *p = &s->own->shape;
    struct sw_group *g = &m->group;
    const double *fields = m->shape + SHAPE_TIMES, *scalars = fields + s->own->fields.narg;
    g->dim = (int)m->shape[SHAPE_DIM];
    for (int d = 0; d < SW_DIMS; d++) g->n[d] = (int64_t)m->shape[SHAPE_N + d];
    g->n[0] += has_one_more(s);
    SW_TRY(sw_alloc((size_t)s->nchoice, &g->choice));
    for (int k = 0; k < s->nchoice; k++)
        g->choice[k] = (struct sw_choice){s->choice[k].key, choice_word(s, k, m->shape[p->words + k])};
    g->steps = (int64_t)m->shape[SHAPE_STEPS];
    g->solver = p->solver >= 0 ? s->column[p->solver].word[(int)m->shape[SHAPE_SOLVER]] : s->own->solver;
    if (!strcmp(g->solver, "auto")) g->solver = NULL;
    if (points_differ(s)) sw_shape_name(g->dim, g->n, g->name);
    g->fields_aligned = s->own->fields.aligned;
    g->scalars_aligned = s->own->scalars.aligned;
    SW_TRY(times_steps(&s->own->fields, fields, g->steps, &g->field_step, &g->field_time, &g->nfield,
                       &g->fields_lost));
    return times_steps(&s->own->scalars, scalars, g->steps, &g->scalar_step, &g->scalar_time, &g->nscalar,
                       &g->scalars_lost);
}

static void release(struct grouping *g)
{
    for (int k = 0; k < g->count; k++) {
        sw_free(g->member[k].shape);
        sw_free(g->member[k].group.run);
        sw_free(g->member[k].group.choice);
        sw_free(g->member[k].group.field_step);
        sw_free(g->member[k].group.scalar_step);
        sw_free(g->member[k].group.field_time);
        sw_free(g->member[k].group.scalar_time);
    }
    sw_free(g->member);
    sw_free(g->slot);
    sw_free(g->block_shape);
}

enum sw_status sw_sweep_groups(const struct sw_sweep *s, const int64_t *run, int64_t count, struct sw_group **group,
                               int *ngroup)
{
    struct grouping g = {.s = s, .run = run};
    enum sw_status st;
    *group = NULL;
    *ngroup = 0;
    SW_TRY_TO(done, st, grow_slots(&g));
    SW_TRY_TO(done, st, sw_alloc((size_t)BLOCK * (size_t)s->own->shape.size, &g.block_shape));
    if (s->own->shape.uniform && count > 0) st = group_alike(&g, count);
    else st = blocks_each(s, run, 0, count, true, group_block, &g);
    if (st) goto done;
    if (g.count) qsort(g.member, (size_t)g.count, sizeof *g.member, by_shape);
    for (int k = 0; k < g.count; k++) SW_TRY_TO(done, st, finish(s, &g.member[k]));
    SW_TRY_TO(done, st, sw_alloc((size_t)g.count, group));
    for (int k = 0; k < g.count; k++) {
        (*group)[k] = g.member[k].group;
        g.member[k].group = (struct sw_group){0};
    }
    *ngroup = g.count;
done:
    release(&g);
    return st;
}

void sw_groups_free(struct sw_group **group, int ngroup)
{
    if (!group || !*group) return;
    for (int k = 0; k < ngroup; k++) {
        sw_free((*group)[k].run);
        sw_free((*group)[k].choice);
        sw_free((*group)[k].field_step);
        sw_free((*group)[k].scalar_step);
        sw_free((*group)[k].field_time);
        sw_free((*group)[k].scalar_time);
    }
    sw_free(*group);
    *group = NULL;
}
