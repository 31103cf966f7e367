/* Batches that stopped half-way go on as they were. */
#include <stdlib.h>

#include "base/sw_mem.h"
#include "run/plan_impl.h"

struct known { uint64_t id; int64_t run; };

static int by_id(const void *a, const void *b)
{
    const struct known *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

static int by_run(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    return x->run < y->run ? -1 : x->run > y->run;
}

/* Whether the stored outputs are the group's first ones, up to the stored step. */
static bool outputs_agree(const struct sw_group *g, const struct sw_checkpoint *old)
{
    int f = old->fields_done, s = old->scalars_done;
    if (old->step < 0 || old->step > g->steps || f > g->nfield || s > g->nscalar) return false;
    return (f == 0 || g->field_step[f - 1] <= old->step) && (f == g->nfield || g->field_step[f] > old->step) &&
           (s == 0 || g->scalar_step[s - 1] <= old->step) && (s == g->nscalar || g->scalar_step[s] > old->step);
}

/* The members of a stored batch, in the order of this sweep's runs; false if one of them is not to do, or they are no
 * longer of one shape. Such a batch begins anew: that costs time only. */
static bool members(const struct sw_plan *p, const struct sw_checkpoint *old, const struct known *known,
                    struct member *m, int *group)
{
    for (int k = 0; k < old->count; k++) {
        struct known want = {.id = old->id[k]};
        const struct known *hit = bsearch(&want, known, (size_t)p->nruns, sizeof *known, by_id);
        if (!hit || p->own->claimed[hit - known]) return false;
        m[k] = (struct member){hit->run, old->id[k], k};
    }
    qsort(m, (size_t)old->count, sizeof *m, by_run);
    for (*group = 0; *group < p->ngroup && !plan_find_run(&p->group[*group], m[0].run);) ++*group;
    for (int k = 0; k < old->count; k++)
        if (*group == p->ngroup || !plan_find_run(&p->group[*group], m[k].run)) return false;
    return outputs_agree(&p->group[*group], old);
}

static void claim(struct sw_plan *p, const struct sw_checkpoint *old, const struct known *known)
{
    for (int k = 0; k < old->count; k++) {
        struct known want = {.id = old->id[k]};
        const struct known *hit = bsearch(&want, known, (size_t)p->nruns, sizeof *known, by_id);
        p->own->claimed[hit - known] = true;
    }
}

enum sw_status plan_continue(struct sw_plan *p, const struct sw_completed *completed, const uint64_t *id)
{
    struct known *known = NULL;
    struct member *m = NULL;
    enum sw_status st = SW_OK;
    if (!completed || !completed->ncheckpoint || !p->nruns) return SW_OK;
    SW_TRY_TO(out, st, sw_alloc((size_t)p->nruns, &known));
    SW_TRY_TO(out, st, sw_alloc((size_t)p->nruns, &p->own->claimed));
    SW_TRY_TO(out, st, sw_alloc((size_t)p->nruns, &m));
    for (int64_t k = 0; k < p->nruns; k++) known[k] = (struct known){id[p->own->todo[k]], p->own->todo[k]};
    qsort(known, (size_t)p->nruns, sizeof *known, by_id);
    for (int k = 0; k < completed->ncheckpoint; k++) {
        const struct sw_checkpoint *old = &completed->checkpoint[k];
        int group;
        if (old->count < 1 || old->count > p->nruns || !members(p, old, known, m, &group)) continue;
        claim(p, old, known);
        SW_TRY_TO(out, st, plan_add(p, group, m, old->count, old));
    }
out:
    sw_free(known);
    sw_free(m);
    return st;
}
