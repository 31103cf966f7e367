#ifndef SW_LAUNCH_H
#define SW_LAUNCH_H
/* Why what needs MPI is absent, where it is. */
#define SW_WITHOUT_MPI "built without MPI: install Open MPI (Debian: libopenmpi-dev openmpi-bin) and run make again"

/* Which of the processes that were started together this one is, as the launcher says in the environment: no library is
 * asked, and nothing is started. A process that was started alone is rank 0 of 1; so is each of a job array, and the
 * script of a Slurm job, whatever the number of its tasks. */
struct sw_launch {
    int rank, size;            /* of all processes                                                         */
    const char *by;            /* who started them, for messages: "mpirun"; "" where this process is alone */
};

/** mpirun of Open MPI (OMPI_COMM_WORLD_*), of MPICH and its relatives (PMI_*), and srun with --mpi=pmix or pmi2. */
struct sw_launch sw_launched(void);
#endif
