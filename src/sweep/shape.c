#include <math.h>

#include "sweep/expand_impl.h"

static bool times_uniform(const struct sw_sweep *s, const struct times *t)
{
    for (int k = 0; k < t->narg; k++)
        if (!value_uniform(s, &t->arg[k])) return false;
    return true;
}

static bool column_uniform(const struct sw_sweep *s, int k) { return k < 0 || s->column[k].uniform; }

void shape_prepare(struct sw_sweep *s)
{
    struct shape *p = &s->own->shape;
    p->n = column_find(s, "grid.n");
    p->dim = column_find(s, "grid.dim");
    p->dt = column_find(s, "time.dt");
    p->end = column_find(s, "time.end");
    p->solver = s->own->solver[0] == '$' ? column_find(s, s->own->solver + 1) : -1;
    p->size = SHAPE_TIMES + s->own->fields.narg + s->own->scalars.narg;
    p->uniform = column_uniform(s, p->n) && column_uniform(s, p->dim) && column_uniform(s, p->dt) &&
                 column_uniform(s, p->end) && column_uniform(s, p->solver) && times_uniform(s, &s->own->fields) &&
                 times_uniform(s, &s->own->scalars);
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
        out[j * p->size + SHAPE_N] = number(b, p->n, j, 1);
        out[j * p->size + SHAPE_SOLVER] = number(b, p->solver, j, 0);
        out[j * p->size + SHAPE_STEPS] = round(number(b, p->end, j, 1) / number(b, p->dt, j, 1));
    }
    SW_TRY(add_times(&s->own->fields, p, b, out + SHAPE_TIMES));
    return add_times(&s->own->scalars, p, b, out + SHAPE_TIMES + s->own->fields.narg);
}
