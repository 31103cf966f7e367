#ifndef SW_LAUNCH_H
#define SW_LAUNCH_H
/* Why a build lacks what needs MPI. */
#define SW_WITHOUT_MPI "built without MPI: install Open MPI (Debian: libopenmpi-dev openmpi-bin) and run make again"

/* The rank of this process among those that were started together, as the launcher says in the environment: no library
 * is called, and MPI is not started. A process that was started alone is rank 0 of 1; so are each task of a job array
 * and the script of a Slurm job, whatever the number of its tasks. */
struct sw_launch {
    int rank, size;            /* of all processes                                                         */
    const char *by;            /* the launcher, for messages: "mpirun"; "" where this process is alone     */
};

/** mpirun of Open MPI (OMPI_COMM_WORLD_*), of MPICH and its relatives (PMI_*), and srun with --mpi=pmix or pmi2. */
struct sw_launch sw_launched(void);
#endif
