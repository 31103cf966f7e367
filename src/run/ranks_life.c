/* Ranks that are silent. */
#include <stdio.h>

#include "run/ranks_impl.h"

/* Seconds: after what silence a rank is taken for dead; how long an answer to a stop may take before somebody says so,
 * which is before mpirun, when one has died, kills the others (1 s). */
static const double dead_after = 40, answer_within = 0.25;

/* Said here and not by main: the process may not live so long. */
static void say(const struct sw_processes *r, int rank, const char *what)
{
    const struct sw_comm *c = r->comm;
    if (c->rank) fprintf(stderr, "rank %d of %d on %s: ", c->rank, c->size, r->host[c->rank]);
    fprintf(stderr, "rank %d of %d on %s %s; what is on disk is whole: run the same command again to continue\n", rank,
            c->size, r->host[rank], what);
}

void ranks_look_after(struct sw_processes *r, int rank, double now)
{
    struct other *o = &r->other[rank];
    char text[64];
    if (o->left) return;
    if (now - o->heard > dead_after) {
        snprintf(text, sizeof text, "has not been heard of for %.0f s", now - o->heard);
        say(r, rank, text);
        sw_message_abort_job(sw_status_exit_code(SW_E_COMM));
    }
    bool asked = r->stopped && now - r->stopped > answer_within && o->heard < r->stopped;
    if (!asked || o->doubted || r->comm->rank > 1) return;  /* one that says so is enough */
    o->doubted = true;
    say(r, rank, "does not answer");
}

/* Who has been asleep itself (a suspended job) has heard of nobody meanwhile. */
void ranks_wake_up(struct sw_processes *r, double now)
{
    const double slept = r->looked > 0 ? now - r->looked : 0;
    for (int k = 0; k < r->comm->size && slept > 5; k++) r->other[k].heard += slept;
    r->looked = now;
}
