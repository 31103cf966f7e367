#ifndef SW_ORDER_H
#define SW_ORDER_H
/* Ascending orders, for qsort() and bsearch(): of double, int64_t and uint64_t, and of structs whose first member is
 * one. */
#include <stdint.h>

static inline int sw_by_real(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline int sw_by_integer(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static inline int sw_by_id(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}
#endif
