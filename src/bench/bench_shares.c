/* What a rate is beside others. */
#include <math.h>

#include "bench/sw_bench.h"

const struct sw_rates *sw_bench_rates_of(const struct sw_bench *b, const struct sw_bench_row *r)
{
    return &b->device[r->where].rates;
}

double sw_bench_of_copy(const struct sw_bench *b, const struct sw_bench_row *r)
{
    return r->rate * r->cost.bytes / sw_bench_rates_of(b, r)->copy;
}

double sw_bench_of_fma(const struct sw_bench *b, const struct sw_bench_row *r)
{
    return r->rate * r->cost.fma / sw_bench_rates_of(b, r)->fma;
}

double sw_bench_ratio(const struct sw_bench *b, const struct sw_bench_row *r, int baseline)
{
    return b->row[baseline].state == SW_BENCH_OK ? r->rate / b->row[baseline].rate : NAN;
}
