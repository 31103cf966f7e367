#include "sweep/groups.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "sweep/columns.h"
#include "sweep/keys.h"
#include "sweep/sweep_own.h"
#include "sweep/times.h"

/* ------------------------------------------------------------------ the shape of a run */

static bool times_uniform(const struct sw_sweep *s, const struct times *t)
{
    for (int k = 0; k < t->narg; k++)
        if (!value_uniform(s, &t->arg[k])) return false;
    return true;
}

static bool column_uniform(const struct sw_sweep *s, int k) { return k < 0 || s->column[k].uniform; }

static void set_alignment(const struct sw_sweep *s, struct times *t)
{
    const struct shape *p = s->own->shape;
    t->exact = s->own_steps;
    t->ends_differ = !column_uniform(s, p->end);
    t->aligned = !t->exact && (t->ends_differ || !column_uniform(s, p->dt) || !times_uniform(s, t));
}

static void find_named_dimensions(const struct sw_sweep *s, struct shape *p)
{
    p->named = 1;
    p->named_by = -1;
    for (int k = 0; k < s->nfunction; k++) {
        const struct sw_program *program = s->function[k].program;
        if (!program) continue;  /* of a problem with one dimension */
        const int needs = sw_program_uses(program, "z") ? 3 : sw_program_uses(program, "y") ? 2 : 1;
        if (needs > p->named) { p->named = needs; p->named_by = k; }
    }
}

void shape_prepare(struct sw_sweep *s)
{
    struct shape *p = s->own->shape;
    static const char *const n[SW_DIMS] = {"grid.n", "grid.n.1", "grid.n.2"};
    for (int d = 0; d < SW_DIMS; d++) p->n[d] = column_find(s, n[d]);
    p->dim = column_find(s, "grid.dim");
    p->dt = s->own_steps ? -1 : column_find(s, "time.dt");
    p->end = column_find(s, "time.end");
    p->row = s->own->row[0] == '$' ? column_find(s, s->own->row + 1) : -1;
    p->words = SHAPE_TIMES + s->own->fields->narg + s->own->scalars->narg + s->own->looks->narg;
    p->size = p->words + s->nchoice;
    p->listed = grid_list(s) && grid_max_dim(s->problem) > 1 ? grid_list(s)->count : 0;
    find_named_dimensions(s, p);
    p->uniform = column_uniform(s, p->dim) && column_uniform(s, p->dt) && column_uniform(s, p->end) &&
                 column_uniform(s, p->row) && times_uniform(s, s->own->fields) &&
                 times_uniform(s, s->own->scalars) && times_uniform(s, s->own->looks);
    for (int d = 0; d < SW_DIMS; d++) p->uniform &= column_uniform(s, p->n[d]);
    for (int k = 0; k < s->nchoice; k++) p->uniform &= column_uniform(s, s->own->choice_column[k]);
    set_alignment(s, s->own->fields);
    set_alignment(s, s->own->scalars);
    set_alignment(s, s->own->looks);
}

static enum sw_status add_times(const struct times *t, const struct shape *p, const struct column_block *b, double *out)
{
    double value[RUNS_AT_ONCE];
    for (int k = 0; k < t->narg; k++) {
        SW_TRY(value_over_runs(&t->arg[k], b->count, b->column, value));
        for (int j = 0; j < b->count; j++)
            out[j * p->size + k] = times_scale(t, k, value[j], block_number(b, p->dt, j, 1));
    }
    return SW_OK;
}

enum sw_status shape_of_block(const struct sw_sweep *s, const struct column_block *b, double *out)
{
    const struct shape *p = s->own->shape;
    for (int j = 0; j < b->count; j++) {
        for (int d = 0; d < SW_DIMS; d++) out[j * p->size + SHAPE_N + d] = block_number(b, p->n[d], j, 1);
        for (int k = 0; k < s->nchoice; k++)
            out[j * p->size + p->words + k] = block_number(b, s->own->choice_column[k], j, 0);
        out[j * p->size + SHAPE_DIM] = block_number(b, p->dim, j, 1);
        out[j * p->size + SHAPE_ROW] = block_number(b, p->row, j, 0);
        const double end = block_number(b, p->end, j, 1);
        out[j * p->size + SHAPE_STEPS] = s->own_steps ? end : round(end / block_number(b, p->dt, j, 1));
    }
    SW_TRY(add_times(s->own->fields, p, b, out + SHAPE_TIMES));
    out += SHAPE_TIMES + s->own->fields->narg;
    SW_TRY(add_times(s->own->scalars, p, b, out));
    return add_times(s->own->looks, p, b, out + s->own->scalars->narg);
}

/* ------------------------------------------------------------------ groups of runs */

/* A hash table maps a shape to its group. */

struct member { struct sw_group group; double *shape; size_t capacity; };

struct grouping {
    const struct sw_sweep *s;
    const int64_t *run;
    int      count, capacity;
    struct member *member;
    int      slots;         /* a power of two */
    int     *slot;          /* member + 1; 0: free */
    double  *block_shape;   /* [RUNS_AT_ONCE][size] */
};

static uint64_t hash_shape(const double *shape, int size)
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
    int size = g->s->own->shape->size;
    size_t mask = (size_t)g->slots - 1, index = (size_t)hash_shape(shape, size) & mask;
    while (g->slot[index] && memcmp(g->member[g->slot[index] - 1].shape, shape, (size_t)size * sizeof *shape))
        index = (index + 1) & mask;
    return &g->slot[index];
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
    int capacity = g->capacity ? 2 * g->capacity : 16, size = g->s->own->shape->size;
    if (g->count == g->capacity) {
        SW_TRY(sw_resize((size_t)g->capacity, (size_t)capacity, &g->member));
        g->capacity = capacity;
    }
    SW_TRY(sw_alloc((size_t)size, &g->member[g->count].shape));
    memcpy(g->member[g->count].shape, shape, (size_t)size * sizeof *shape);
    *slot = ++g->count;
    return 2 * g->count > g->slots ? grow_slots(g) : SW_OK;
}

static enum sw_status add_run(struct member *m, int64_t run)
{
    size_t capacity = m->capacity ? 2 * m->capacity : 16;
    if ((size_t)m->group.count == m->capacity) {
        SW_TRY(sw_resize(m->capacity, capacity, &m->group.run));
        m->capacity = capacity;
    }
    m->group.run[m->group.count++] = run;
    return SW_OK;
}

static enum sw_status group_block(void *user, const struct column_block *b)
{
    struct grouping *g = user;
    int size = g->s->own->shape->size, index;
    SW_TRY(shape_of_block(g->s, b, g->block_shape));
    for (int j = 0; j < b->count; j++) {
        int *slot = find_slot(g, g->block_shape + j * size);
        if ((index = *slot) == 0) { SW_TRY(add_member(g, g->block_shape + j * size, slot)); index = g->count; }
        SW_TRY(add_run(&g->member[index - 1], g->run[b->first + j]));
    }
    return SW_OK;
}

/* All runs have the shape of the first. */
static enum sw_status group_alike(struct grouping *g, int64_t count)
{
    SW_TRY(blocks_each(g->s, g->run, 0, 1, true, group_block, g));
    struct sw_group *one = &g->member[0].group;
    SW_TRY(sw_resize(g->member[0].capacity, (size_t)count, &one->run));
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
    int length = snprintf(name, SW_SHAPE_NAME, "n%05lld", (long long)n[0]);
    for (int d = 1; d < dim; d++)
        length += snprintf(name + length, (size_t)(SW_SHAPE_NAME - length), "x%05lld", (long long)n[d]);
    return name;
}

static bool points_differ(const struct sw_sweep *s)
{
    const struct shape *p = s->own->shape;
    bool differ = p->dim >= 0 && !s->column[p->dim].uniform;
    for (int d = 0; d < SW_DIMS; d++) differ |= p->n[d] >= 0 && !s->column[p->n[d]].uniform;
    return differ;
}

/* @param choice  [s->nchoice]; NULL: not known  @param n  in: grid.n; out: the points of the grid */
static void set_points(const struct sw_sweep *s, const struct sw_choice *choice, int64_t n[SW_DIMS])
{
    const struct sw_setup setup = {.problem = s->problem, .nfunction = s->nfunction, .function = s->function,
                                   .nchoice = choice ? s->nchoice : 0, .choice = choice};
    if (s->problem->shape->points) s->problem->shape->points(&setup, n);
}

bool has_extra_point(const struct sw_sweep *s)
{
    int64_t n[SW_DIMS] = {1, 1, 1};
    set_points(s, NULL, n);
    return n[0] > 1;
}

static enum sw_status finish_group(const struct sw_sweep *s, struct member *m)
{
    const struct shape *p = s->own->shape;
    struct sw_group *g = &m->group;
    g->dim = (int)m->shape[SHAPE_DIM];
    for (int d = 0; d < SW_DIMS; d++) g->n[d] = (int64_t)m->shape[SHAPE_N + d];
    SW_TRY(sw_alloc((size_t)s->nchoice, &g->choice));
    for (int k = 0; k < s->nchoice; k++)
        g->choice[k] = (struct sw_choice){s->choice[k].key, choice_word(s, k, m->shape[p->words + k])};
    set_points(s, g->choice, g->n);
    g->solver = p->row >= 0 ? s->column[p->row].word[(int)m->shape[SHAPE_ROW]] : s->own->row;
    if (!strcmp(g->solver, "auto")) g->solver = NULL;
    if (points_differ(s)) sw_shape_name(g->dim, g->n, g->name);
    return times_of_group(s, m->shape + SHAPE_TIMES, m->shape[SHAPE_STEPS], g);
}

void group_free(struct sw_group *g)
{
    sw_free(g->run);
    sw_free(g->choice);
    sw_free(g->field_step);
    sw_free(g->scalar_step);
    sw_free(g->field_time);
    sw_free(g->scalar_time);
    sw_free(g->times);
    sw_free(g->look_step);
    if (g->paces) {
        sw_free(g->paces->steps);
        sw_free(g->paces->at);
    }
    sw_free(g->paces);
    sw_free(g->pace);
}

static void free_grouping(struct grouping *g)
{
    for (int k = 0; k < g->count; k++) {
        sw_free(g->member[k].shape);
        group_free(&g->member[k].group);
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
    SW_TRY_TO(done, st, sw_alloc((size_t)RUNS_AT_ONCE * (size_t)s->own->shape->size, &g.block_shape));
    if (s->own->shape->uniform && count > 0) st = group_alike(&g, count);
    else st = blocks_each(s, run, 0, count, true, group_block, &g);
    if (st) goto done;
    if (g.count) qsort(g.member, (size_t)g.count, sizeof *g.member, by_shape);
    for (int k = 0; k < g.count; k++) SW_TRY_TO(done, st, finish_group(s, &g.member[k]));
    SW_TRY_TO(done, st, sw_alloc((size_t)g.count, group));
    for (int k = 0; k < g.count; k++) {
        (*group)[k] = g.member[k].group;
        g.member[k].group = (struct sw_group){0};
    }
    *ngroup = g.count;
done:
    free_grouping(&g);
    return st;
}

void sw_groups_free(struct sw_group **group, int ngroup)
{
    if (!group || !*group) return;
    for (int k = 0; k < ngroup; k++) group_free(&(*group)[k]);
    sw_free(*group);
    *group = NULL;
}

void sw_group_cut(struct sw_group *g, int cut)
{
    const int64_t before = g->steps;
    g->cut = cut;
    g->steps = cut ? INT64_C(2) << cut : 1;
    for (int k = 0; k < g->nfield; k++)
        if (g->field_step[k] == before) g->field_step[k] = g->steps;
}

double sw_group_time(const struct sw_group *g, int64_t step)
{
    if (!g->goals) return (double)step;
    const int64_t last = step / SW_TICKS, part = step % SW_TICKS;
    return part ? g->times[last] + (g->times[last + 1] - g->times[last]) * ((double)part / SW_TICKS) : g->times[last];
}

double sw_group_points(const struct sw_group *g) { return ldexp((double)sw_points(g->n), -g->cut); }

struct sw_setup sw_sweep_setup(const struct sw_sweep *s, const struct sw_group *group, int capacity)
{
    struct sw_setup setup = setup_of_sweep(s);
    setup.dim = group->dim;
    for (int d = 0; d < SW_DIMS; d++) setup.n[d] = group->n[d];
    setup.capacity = capacity;
    setup.cut = group->cut;
    setup.fields = group->nfield > 0;
    setup.single = s->single_fields;
    setup.history = s->history;
    setup.goals = group->goals;
    setup.times = group->times;
    setup.paces = group->paces;
    setup.solver = group->solver;
    setup.grid = s->problem->shape->place;
    if (group->choice) setup.choice = group->choice;
    for (int d = 0; d < group->dim && s->problem->shape->walls; d++)
        setup.walls[d] = s->problem->shape->walls(&setup, d);
    return setup;
}

const struct sw_quantity *sw_sweep_fields(const struct sw_sweep *s, const struct sw_group *group)
{
    if (s->own->unknown_field) return s->own->unknown_field;
    const struct sw_setup setup = sw_sweep_setup(s, group, 1);
    return s->problem->shape->fields_of ? s->problem->shape->fields_of(&setup) : s->problem->fields;
}
