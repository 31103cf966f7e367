#include <math.h>

#include "sweep/expand_impl.h"

static bool times_uniform(const struct sw_sweep *s, const struct times *t)
{
    for (int k = 0; k < t->narg; k++)
        if (!value_uniform(s, &t->arg[k])) return false;
    return true;
}

static bool column_uniform(const struct sw_sweep *s, int k) { return k < 0 || s->column[k].uniform; }

static void align(const struct sw_sweep *s, struct times *t)
{
    const struct shape *p = &s->own->shape;
    t->ends_differ = !column_uniform(s, p->end);
    t->aligned = t->ends_differ || !column_uniform(s, p->dt) || !times_uniform(s, t);
}

void shape_prepare(struct sw_sweep *s)
{
    struct shape *p = &s->own->shape;
    int function;
    static const char *const n[SW_DIMS] = {"grid.n", "grid.n.1", "grid.n.2"};
    for (int d = 0; d < SW_DIMS; d++) p->n[d] = column_find(s, n[d]);
    p->dim = column_find(s, "grid.dim");
    p->dt = column_find(s, "time.dt");
    p->end = column_find(s, "time.end");
    p->solver = s->own->solver[0] == '$' ? column_find(s, s->own->solver + 1) : -1;
    p->words = SHAPE_TIMES + s->own->fields.narg + s->own->scalars.narg;
    p->size = p->words + s->nchoice;
    p->listed = grid_list(s) && grid_max_dim(s->problem) > 1 ? grid_list(s)->count : 0;
    p->named = grid_dimensions_used(s, &function);
    p->uniform = column_uniform(s, p->dim) && column_uniform(s, p->dt) && column_uniform(s, p->end) &&
                 column_uniform(s, p->solver) && times_uniform(s, &s->own->fields) &&
                 times_uniform(s, &s->own->scalars);
    for (int d = 0; d < SW_DIMS; d++) p->uniform &= column_uniform(s, p->n[d]);
    for (int k = 0; k < s->nchoice; k++) p->uniform &= column_uniform(s, s->own->choice_column[k]);
    align(s, &s->own->fields);
    align(s, &s->own->scalars);
}

static double number(const struct block *b, int column, int j, double otherwise)
{
    return column < 0 ? otherwise : b->column[(size_t)column * BLOCK + (size_t)j];
}

static enum sw_status add_times(const struct times *t, const struct shape *p, const struct block *b, double *out)
{
    double value[BLOCK];
    for (int k = 0; k < t->narg; k++) {
        SW_TRY(value_over_runs(&t->arg[k], b->count, b->column, value));
        for (int j = 0; j < b->count; j++) out[j * p->size + k] = times_scale(t, k, value[j], number(b, p->dt, j, 1));
    }
    return SW_OK;
}

enum sw_status shape_of_block(const struct sw_sweep *s, const struct block *b, double *out)
{
    const struct shape *p = &s->own->shape;
    for (int j = 0; j < b->count; j++) {
        for (int d = 0; d < SW_DIMS; d++) out[j * p->size + SHAPE_N + d] = number(b, p->n[d], j, 1);
        for (int k = 0; k < s->nchoice; k++)
            out[j * p->size + p->words + k] = number(b, s->own->choice_column[k], j, 0);
        out[j * p->size + SHAPE_DIM] = number(b, p->dim, j, 1);
        out[j * p->size + SHAPE_SOLVER] = number(b, p->solver, j, 0);
        out[j * p->size + SHAPE_STEPS] = round(number(b, p->end, j, 1) / number(b, p->dt, j, 1));
    }
    SW_TRY(add_times(&s->own->fields, p, b, out + SHAPE_TIMES));
    return add_times(&s->own->scalars, p, b, out + SHAPE_TIMES + s->own->fields.narg);
}
