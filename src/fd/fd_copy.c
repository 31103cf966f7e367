#include "fd/fd_copy.h"

#include <string.h>

#include "fd/transpose.h"

#define INLINE static inline __attribute__((always_inline))

/* Whether lanes l and k > l are as long, and but along x side by side in the field, k - l apart. */
static bool alike(const struct fd_copy *c, int l, int k)
{
    const struct fd_stretch *a = &c->lane[l], *b = &c->lane[k];
    if (a->skip != b->skip || a->keep != b->keep) return false;
    return c->stride == 1 || (a->first == b->first && b->base == a->base + (size_t)(k - l));
}

static bool within(const struct fd_copy *c, int l)
{
    return c->lane[l].first >= 0 && c->lane[l].first + c->points <= c->n;
}

/* Lanes from l on that are copied together: along x SIDE or 1, else those that are side by side in the field. */
static int block(const struct fd_copy *c, int l)
{
    const int most = c->stride == 1 ? SIDE : c->count;
    int side = 0;
    while (side < most && l + side < c->count && within(c, l + side) && alike(c, l, l + side)) side++;
    return c->stride == 1 && side < SIDE ? 1 : side > 0 ? side : 1;
}

#define real double
#include "fd/fd_copy_body.h"
#undef real
#define real float
#include "fd/fd_copy_body.h"
