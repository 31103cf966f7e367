/* The messages between the processes of a sweep. */
#include <string.h>

#include "base/sw_clock.h"
#include "run/processes_impl.h"

enum sw_status send_message(int to, const struct message *m)
{
    enum sw_status st = sw_message_send(to, m, offsetof(struct message, text) + strlen(m->text) + 1);
    return st ? SW_FAIL(st, "a message to rank %d: %s", to, sw_err_message()) : SW_OK;
}

enum sw_status send_kind(int to, enum message_kind kind) { return send_message(to, &(struct message){.kind = kind}); }

enum sw_status send_to_clients(const struct sw_processes *p, enum message_kind kind)
{
    for (int k = 1; k < p->comm->size; k++)
        if (!p->peer[k].exited) SW_TRY(send_kind(k, kind));
    return SW_OK;
}

enum sw_status send_progress(struct sw_processes *p)
{
    struct message m = {.kind = PROGRESS};
    p->progress_sent = sw_clock();
    if (p->comm->rank == 0) return send_to_clients(p, PROGRESS);
    if (p->scheduler) m.in_flight = sw_scheduler_in_flight_here(p->scheduler);
    return send_message(0, &m);
}
