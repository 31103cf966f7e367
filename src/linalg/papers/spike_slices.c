#include "linalg/papers/spike_slices.h"

#include "base/sw_mem.h"

struct sw_relation spike_relation(const struct spike_ends *ends)
{
    return (struct sw_relation){{ends->vt, ends->vb, ends->wt, ends->wb, ends->yt, ends->yb}};
}

static struct spike_ends ends_of(const struct sw_relation *relation)
{
    const double *w = relation->w;
    return (struct spike_ends){w[0], w[1], w[2], w[3], w[4], w[5]};
}

/* A node of the tree, k over 2k and 2k + 1, the slices last: its ends, and x around it. */
struct node { struct spike_ends ends; double before, behind; };

enum sw_status spike_close(int64_t count, const struct sw_relation *relation, bool cyclic, double (*ends)[4])
{
    struct node *node;
    (void)cyclic;
    SW_TRY(sw_alloc(2 * (size_t)count, &node));
    for (int64_t k = 0; k < count; k++) node[count + k].ends = ends_of(&relation[k]);
    for (int64_t k = count - 1; k >= 1; k--) node[k].ends = spike_merge(&node[2 * k].ends, &node[2 * k + 1].ends);
    for (int64_t k = 1; k < count; k++) {
        struct node *l = &node[2 * k], *r = l + 1;
        l->before = node[k].before;
        r->behind = node[k].behind;
        spike_between(&l->ends, &r->ends, l->before, r->behind, &r->before, &l->behind);
    }
    for (int64_t k = 0; k < count; k++) {
        const struct node *s = &node[count + k];
        const struct spike_ends *e = &s->ends;
        ends[k][0] = s->before;
        ends[k][1] = spike_unknown(e->vt, e->wt, e->yt, s->before, s->behind);
        ends[k][2] = spike_unknown(e->vb, e->wb, e->yb, s->before, s->behind);
        ends[k][3] = s->behind;
    }
    sw_free(node);
    return SW_OK;
}
