/* Every kind of device on which entries are filled and measured. To add one: write its file, add its row. */
#include <stddef.h>

#include "problem/tridiagonal/entries_impl.h"

extern const struct entries_ops entries_cpu;
static const struct entries_ops entries_cuda = {.name = "cuda", .space = SW_DEVICE,
                                                .absent = "tridiagonal systems are made on the CPU in this build"};

const struct entries_ops *const entries_table[] = {&entries_cpu, &entries_cuda, NULL};
