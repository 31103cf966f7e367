/* What ranks write to each other. */
#include <string.h>

#include "base/sw_clock.h"
#include "run/ranks_impl.h"

enum sw_status ranks_send(int to, const struct letter *l)
{
    enum sw_status st = sw_message_send(to, l, offsetof(struct letter, text) + strlen(l->text) + 1);
    return st ? SW_FAIL(st, "a message to rank %d: %s", to, sw_err_message()) : SW_OK;
}

enum sw_status ranks_send_word(int to, enum kind kind)
{
    return ranks_send(to, &(struct letter){.kind = kind});
}

enum sw_status ranks_send_all(const struct sw_processes *r, enum kind kind)
{
    for (int k = 1; k < r->comm->size; k++)
        if (!r->other[k].left) SW_TRY(ranks_send_word(k, kind));
    return SW_OK;
}

enum sw_status ranks_send_news(struct sw_processes *r)
{
    struct letter l = {.kind = NEWS};
    r->told = sw_clock();
    if (r->comm->rank == 0) return ranks_send_all(r, NEWS);
    if (r->scheduler) l.in_flight = sw_scheduler_in_flight_here(r->scheduler);
    return ranks_send(0, &l);
}
