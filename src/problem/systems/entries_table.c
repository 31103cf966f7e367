/* Every kind of device on which entries are filled and measured. To add one: write its file, add its row. */
#include <stddef.h>

#include "problem/systems/entries_impl.h"

extern const struct entries_ops entries_cpu;
#ifdef SW_HAVE_CUDA
extern const struct entries_ops entries_cuda;
#else
static const struct entries_ops entries_cuda = {.name = "cuda", .space = SW_DEVICE, .absent = SW_WITHOUT_CUDA};
#endif

const struct entries_ops *const entries_table[] = {&entries_cpu, &entries_cuda, NULL};
