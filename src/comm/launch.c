#include "comm/sw_launch.h"

#include <limits.h>
#include <stdlib.h>

/* A whole number from the environment; -1 where there is none. */
static int environment_number(const char *name)
{
    const char *text = getenv(name);
    char *end;
    if (!text || !*text) return -1;
    long value = strtol(text, &end, 10);
    return *end || value < 0 || value > INT_MAX ? -1 : (int)value;
}

/* srun sets SLURM_STEP_NUM_TASKS and SLURM_PROCID for the tasks of a step, whether or not they are ranks of one
 * program: they are if it also provides PMIx (--mpi=pmix) or PMI-2. The script of a job has none of these. */
static const struct {
    const char *mark, *size, *rank, *by;
} launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "mpirun"},
    {"PMI_SIZE", "PMI_SIZE", "PMI_RANK", "mpirun"},
    {"PMIX_RANK", "SLURM_STEP_NUM_TASKS", "PMIX_RANK", "srun"},
};

struct sw_launch sw_launched(void)
{
    for (size_t k = 0; k < sizeof launchers / sizeof *launchers; k++) {
        int size = environment_number(launchers[k].size), rank = environment_number(launchers[k].rank);
        if (environment_number(launchers[k].mark) < 0 || size < 2 || rank < 0 || rank >= size) continue;
        return (struct sw_launch){rank, size, launchers[k].by};
    }
    return (struct sw_launch){0, 1, ""};
}
