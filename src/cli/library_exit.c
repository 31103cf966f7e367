#include "cli/library_exit.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_late.h"

static atomic_bool watched;

/* The library has said why. Other threads still run, so nothing is cleaned up: what is on disk is whole anyhow. */
static void on_end(int code, void *user)
{
    static const char text[] =
        "error: a library has ended the program (see above), mostly for want of threads or of memory; "
        "raise `ulimit -u` or `ulimit -v`, or use fewer threads (-j)\n";
    (void)user;
    if (!watched || (code > 1 && code <= sw_status_exit_code(SW_E_IO))) return;  /* sw_message_abort_job() */
    sw_late_stderr_wait(1, NULL);
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(sw_status_exit_code(SW_E_MEMORY));
}

void library_exit_watch(void)
{
    watched = true;
    on_exit(on_end, NULL);
}

void library_exit_forget(void) { watched = false; }
