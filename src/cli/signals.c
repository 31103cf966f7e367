#include <string.h>
#include <unistd.h>

#include "cli/signals.h"

volatile sig_atomic_t stop_signal;

static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};

/* The first asks for a clean stop; a second Ctrl-C ends at once (what is on disk is whole at any moment). */
static void on_signal(int number)
{
    if (number == SIGINT && stop_signal == SIGINT) _exit(130);
    __atomic_store_n(&stop_signal, number, __ATOMIC_RELAXED);  /* other threads read it */
}

void signals_catch(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, before;
    sigemptyset(&action.sa_mask);
    for (size_t k = 0; k < sizeof caught / sizeof *caught; k++) {
        sigaction(caught[k], &action, &before);
        if (caught[k] == SIGHUP && before.sa_handler == SIG_IGN) signal(SIGHUP, SIG_IGN);  /* nohup */
    }
    signal(SIGXFSZ, SIG_IGN);  /* a file that may not grow (ulimit -f) is an error like a full disk */
}
