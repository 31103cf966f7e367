/* A few runs that stand for all: what costs too much to be looked at in each run is looked at in these. */
#include <math.h>
#include <stdlib.h>

#include "base/sw_mem.h"
#include "base/sw_order.h"
#include "expr/random_point.h"
#include "sweep/column_values.h"
#include "sweep/sweep_own.h"

enum { CORNER_AXES = 4 };  /* the box of so many axes has a run in each of its corners */

/* What a run is to have most of: -1 or +1 times a column; a word, by its number; or how far it is in a corner of the
 * axes, where the bits of `corner` say to which side of each. */
struct aim {
    enum { EXTREME, WORD, CORNER } kind;
    int      column;
    double   number;
    unsigned corner;
    double   best;
    int64_t  run;  /* the first that has most; -1: none yet */
};

struct choosing {
    const struct sw_sweep *s;
    const int64_t *run;
    int            naim, begun;  /* aims before `begun` are known */
    struct aim    *aim;
    int            naxis, axis[CORNER_AXES];
    double         least[CORNER_AXES], span[CORNER_AXES];
};

static double score(const struct choosing *c, const struct aim *a, const struct column_block *b, int j)
{
    double sum = 0;
    if (a->kind == EXTREME) return a->number * block_number(b, a->column, j, 0);
    if (a->kind == WORD) return block_number(b, a->column, j, 0) == a->number;
    for (int k = 0; k < c->naxis; k++) {
        const double part = (block_number(b, c->axis[k], j, 0) - c->least[k]) / c->span[k];
        sum += a->corner >> k & 1 ? part : -part;
    }
    return sum;
}

static enum sw_status aim_in_block(void *user, const struct column_block *b)
{
    struct choosing *c = user;
    for (int k = c->begun; k < c->naim; k++) {
        double best = -INFINITY;
        int at = -1;
        for (int j = 0; j < b->count; j++) {
            const double value = score(c, &c->aim[k], b, j);
            if (value > best) best = value, at = j;
        }
        if (at < 0) continue;
        const int64_t run = c->run ? c->run[b->first + at] : b->first + at;
#pragma omp critical(sw_representatives_best)
        {
            struct aim *a = &c->aim[k];
            if (a->run < 0 || best > a->best || (best == a->best && run < a->run)) a->best = best, a->run = run;
        }
    }
    return SW_OK;
}

static void add_aim(struct choosing *c, struct aim aim)
{
    aim.run = -1;
    c->aim[c->naim++] = aim;
}

/* Every column that differs, axes among them. */
static void aim_at_columns(struct choosing *c)
{
    for (int k = 0; k < c->s->own->norder; k++) {
        const int column = c->s->own->order[k];
        for (int word = 0; word < c->s->column[column].nword; word++)
            add_aim(c, (struct aim){.kind = WORD, .column = column, .number = word});
        if (c->s->column[column].nword) continue;
        for (int sign = -1; sign <= 1; sign += 2)
            add_aim(c, (struct aim){.kind = EXTREME, .column = column, .number = sign});
    }
}

static void aim_at_corners(struct choosing *c)
{
    c->begun = c->naim;
    for (int k = 0; k + 1 < c->begun && c->naxis < CORNER_AXES; k++) {
        const struct aim *low = &c->aim[k], *high = low + 1;
        if (low->kind != EXTREME || low->number > 0 || c->s->column[low->column].kind != SW_COLUMN_AXIS) continue;
        c->least[c->naxis] = -low->best;
        c->span[c->naxis] = high->best + low->best;
        c->axis[c->naxis] = low->column;
        c->naxis += c->span[c->naxis] > 0;
    }
    for (unsigned corner = 0; corner < 1U << c->naxis && c->naxis > 1; corner++)
        add_aim(c, (struct aim){.kind = CORNER, .corner = corner});
}

/* ------------------------------------------------------------------ the list */

static void add_run(struct sw_representatives *few, int64_t run)
{
    for (int k = 0; k < few->count; k++)
        if (few->run[k] == run) return;
    few->run[few->count++] = run;
}

/* One of each equal share: at a place in it that its number makes, as a fixed one (the middle) is at the same value of
 * the last axis wherever the shares are whole rows of it. */
static void spread(struct sw_representatives *few, const int64_t *run, int64_t count, int wanted)
{
    for (int64_t k = 0; k < wanted; k++) {
        const int64_t first = k * count / wanted, width = (k + 1) * count / wanted - first;
        const int64_t at = first + (int64_t)(sw_rand(0, 0, k, 0) * (double)width);
        add_run(few, run ? run[at] : at);
    }
}

static enum sw_status choose(struct choosing *c, int64_t count, int most, struct sw_representatives *few)
{
    size_t room = 2 * (size_t)c->s->own->norder + (1U << CORNER_AXES);
    for (int k = 0; k < c->s->naxis; k++) room += (size_t)c->s->column[c->s->axis[k].column].nword;
    SW_TRY(sw_alloc(room, &c->aim));
    aim_at_columns(c);
    SW_TRY(blocks_each(c->s, c->run, 0, count, false, aim_in_block, c));
    aim_at_corners(c);
    if (c->naim > c->begun) SW_TRY(blocks_each(c->s, c->run, 0, count, false, aim_in_block, c));
    for (int k = 0; k < c->naim && few->count < most - most / 4; k++)
        if (c->aim[k].run >= 0) add_run(few, c->aim[k].run);
    spread(few, c->run, count, most - few->count);
    return SW_OK;
}

enum sw_status sw_representatives_choose(const struct sw_sweep *s, const int64_t *run, int64_t count, int most,
                                         struct sw_representatives *few)
{
    struct choosing c = {.s = s, .run = run};
    *few = (struct sw_representatives){0};
    SW_TRY(sw_alloc((size_t)(count < most ? count : most), &few->run));
    enum sw_status st = SW_OK;
    if (count <= most) spread(few, run, count, (int)count);
    else st = choose(&c, count, most, few);
    sw_free(c.aim);
    if (st) sw_representatives_free(few);
    else qsort(few->run, (size_t)few->count, sizeof *few->run, sw_by_integer);
    return st;
}

bool sw_representatives_has(const struct sw_representatives *few, int64_t run)
{
    return few->count && bsearch(&run, few->run, (size_t)few->count, sizeof run, sw_by_integer);
}

void sw_representatives_free(struct sw_representatives *few)
{
    sw_free(few->run);
    *few = (struct sw_representatives){0};
}
