#include "linalg/relation_lanes.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

extern const struct relation_lanes_ops relation_lanes_avx512, relation_lanes_avx2, relation_lanes_generic;

const struct relation_lanes_ops *const relation_lanes_table[] = {
#ifdef __x86_64__
    &relation_lanes_avx512,
    &relation_lanes_avx2,
#endif
    &relation_lanes_generic,
    NULL,
};

const struct relation_lanes_ops *relation_lanes_pick(void)
{
    const char *wanted = getenv("SWEEP_SIMD");
    const struct relation_lanes_ops *best = NULL;
    for (int k = 0; relation_lanes_table[k]; k++) {
        const struct relation_lanes_ops *row = relation_lanes_table[k];
        if (row->here() && (!best || (wanted && !strcmp(wanted, row->name)))) best = row;
    }
    return best;
}
