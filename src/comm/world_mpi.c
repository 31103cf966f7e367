#include "comm/world_mpi.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/sw_clock.h"
#include "base/sw_err.h"
#include "comm/sw_launch.h"

static bool started;
static MPI_Comm comm_of[WORLD_PURPOSES];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* MPI_Finalize waits for all ranks. They all come here: a rank that fails alone calls world_abort(). */
static void finalize(void)
{
    for (int k = 0; k < WORLD_PURPOSES; k++) MPI_Comm_free(&comm_of[k]);
    MPI_Finalize();
}

static void library_version(char *text, size_t size)
{
    char name[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(name, &length);
    snprintf(text, size, "%.*s", (int)strcspn(name, ",\n"), name);
}

enum sw_status world_start(void)
{
    const struct sw_launch launch = sw_launched();
    int provided, size;
    char name[80];
    if (started) return SW_OK;
    /* Where there are more ranks than processors, Open MPI calls sched_yield() at every poll. We sleep between polls,
     * and do not yield (world_pause()). A user who sets it has it. */
    setenv("OMPI_MCA_mpi_yield_when_idle", "0", 0);
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);  /* other threads compute and write */
    library_version(name, sizeof name);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != launch.size) {
        MPI_Finalize();
        return SW_FAIL(SW_E_COMM,
                       "%s started %d processes, but MPI (%s) finds %d: start them with the %s that belongs to that "
                       "library",
                       *launch.by ? launch.by : "nobody", launch.size, name, size, *launch.by ? launch.by : "mpirun");
    }
    if (provided < MPI_THREAD_SERIALIZED) {
        MPI_Finalize();
        return SW_FAIL(SW_E_COMM, "this MPI (%s) does not serve programs with threads (MPI_THREAD_SERIALIZED); use one "
                       "that was built for it",
                       name);
    }
    for (int k = 0; k < WORLD_PURPOSES; k++) MPI_Comm_dup(MPI_COMM_WORLD, &comm_of[k]);
    started = true;
    atexit(finalize);
    return SW_OK;
}

MPI_Comm world_comm(enum world_purpose purpose) { return comm_of[purpose]; }

void world_lock(void) { pthread_mutex_lock(&mutex); }

void world_unlock(void) { pthread_mutex_unlock(&mutex); }

/* A rank polls without a pause for about as long as a sleep lasts at least, and then sleeps between two polls: where
 * there are fewer processors than ranks, one that sleeps is woken sooner than one that spins gets its next turn. It
 * never yields: beside other processes, one that calls sched_yield() hardly gets a turn (Linux 6.18; three ranks beside
 * some ten processes on two processors: test_comm took 75 s and more with it, 7 s without, test_mpi.sh no longer ended
 * in time). After half a second nothing is urgent any more. */
void world_pause(double waited)
{
    if (waited < 5e-5) return;
    nanosleep(&(struct timespec){.tv_nsec = waited < 0.5 ? 50000 : 1000000}, NULL);
}

bool world_wait(int count, MPI_Request *request, double limit)
{
    const double start = sw_clock();
    for (;;) {
        int complete;
        world_lock();
        MPI_Testall(count, request, &complete, MPI_STATUSES_IGNORE);
        world_unlock();
        if (complete) return true;
        const double waited = sw_clock() - start;
        if (limit > 0 && waited > limit) return false;
        world_pause(waited);
    }
}

void world_abort(int code)
{
    fflush(NULL);
    MPI_Abort(MPI_COMM_WORLD, code);
    abort();
}
