/* Every kind of device that `advection` runs on. To add one: write its file, add its row. */
#include <stddef.h>

#include "problem/advection/advection_impl.h"

#ifdef SW_HAVE_CUDA
extern const struct advection_ops advection_cuda;
#else
static const struct advection_ops advection_cuda = {.name = "cuda", .space = SW_DEVICE, .absent = SW_WITHOUT_CUDA};
#endif

const struct advection_ops *const advection_table[] = {&advection_cpu, &advection_cuda, NULL};

const struct advection_ops *advection_row(enum sw_space space)
{
    int k = 0;
    while (advection_table[k]->space != space) k++;
    return advection_table[k];
}
