/* A library to preload: MPI buffers nothing, so that a send is complete only when its receiver has come for it. It
 * serves one thread at a time (MPI_THREAD_SERIALIZED): a call while another is under way ends the program. */
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int inside;

static void enter(const char *name)
{
    if (!atomic_fetch_add(&inside, 1)) return;
    fprintf(stderr, "two threads are in calls of MPI at once: %s\n", name);
    abort();
}

static int leave(int result)
{
    atomic_fetch_sub(&inside, 1);
    return result;
}

#define ALONE(call) (enter(#call), leave(call))

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    return ALONE(PMPI_Issend(data, count, type, to, tag, comm, request));
}

int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    return ALONE(PMPI_Irecv(data, count, type, from, tag, comm, request));
}

int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    return ALONE(PMPI_Recv(data, count, type, from, tag, comm, status));
}

int MPI_Testall(int count, MPI_Request *request, int *complete, MPI_Status *status)
{
    return ALONE(PMPI_Testall(count, request, complete, status));
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *there, MPI_Status *status)
{
    return ALONE(PMPI_Iprobe(from, tag, comm, there, status));
}

int MPI_Iallgather(const void *data, int count, MPI_Datatype type, void *all, int all_count, MPI_Datatype all_type,
                   MPI_Comm comm, MPI_Request *request)
{
    return ALONE(PMPI_Iallgather(data, count, type, all, all_count, all_type, comm, request));
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request) { return ALONE(PMPI_Ibarrier(comm, request)); }

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *part)
{
    return ALONE(PMPI_Comm_split(comm, color, key, part));
}

int MPI_Comm_free(MPI_Comm *comm) { return ALONE(PMPI_Comm_free(comm)); }
