#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/signals.h"

volatile sig_atomic_t stop_signal;

/* Signals that people and batch systems send to end a program: they count also where the caller had them ignored, as a
 * shell without job control does with Ctrl-C for what it starts by &. */
static const int asked_for[] = {SIGINT, SIGTERM, SIGUSR1};

/* What a fault raises, which no handler can mend; or what ends no process, or cannot be caught. */
static const int left_alone[] = {SIGILL,  SIGTRAP, SIGABRT, SIGBUS,  SIGFPE,  SIGSEGV,  SIGSYS,   SIGKILL, SIGSTOP,
                                 SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGCHLD, SIGWINCH, SIGURG,   SIGXFSZ};

/* One Ctrl-C may arrive twice: `timeout -s INT` signals its child and then the group in which the child is. */
enum { APART_NS = 500000000 };
static struct timespec first_at;

static bool apart_from_first(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);  /* safe in a handler (POSIX), as _exit() is */
    return (long long)(now.tv_sec - first_at.tv_sec) * 1000000000 + (now.tv_nsec - first_at.tv_nsec) >= APART_NS;
}

/* The first asks for a clean stop; a second from the terminal ends at once (what is on disk is whole at any moment).
 * All of them are blocked while one is handled. */
static void on_signal(int number)
{
    const bool again = stop_signal == number && (number == SIGINT || number == SIGQUIT);
    if (again && apart_from_first()) _exit(128 + number);
    if (stop_signal == number) return;
    clock_gettime(CLOCK_MONOTONIC, &first_at);
    __atomic_store_n(&stop_signal, number, __ATOMIC_RELEASE);  /* other threads read it */
}

static bool is_among(int number, const int *list, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (list[k] == number) return true;
    return false;
}

/* Any other: where it would end the process. A caller that has it ignored (nohup), or a profiler that has it caught,
 * keeps it. */
static void catch_signal(int number, const struct sigaction *action)
{
    struct sigaction before;
    if (is_among(number, left_alone, sizeof left_alone / sizeof *left_alone)) return;
    if (sigaction(number, NULL, &before)) return;  /* none of this system's, or one that its C library keeps */
    if (before.sa_handler != SIG_DFL && !is_among(number, asked_for, sizeof asked_for / sizeof *asked_for)) return;
    sigaction(number, action, NULL);
}

void signals_catch(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigfillset(&action.sa_mask);
    for (int number = 1; number <= SIGRTMAX; number++) catch_signal(number, &action);
}
