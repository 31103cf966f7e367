/* What the thread of a device says to the scheduler. */
#include "run/run_impl.h"

void worker_lock(struct worker *w) { pthread_mutex_lock(&w->scheduler->mutex); }

void worker_unlock(struct worker *w) { pthread_mutex_unlock(&w->scheduler->mutex); }

void worker_say(struct worker *w, enum request request)
{
    w->request = request;
    pthread_cond_signal(&w->scheduler->said);
    while (w->request != REQUEST_NONE) pthread_cond_wait(&w->answered, &w->scheduler->mutex);
    worker_unlock(w);
}

void worker_look(struct worker *w, double points_steps, double t, double t_end)
{
    worker_lock(w);
    w->in_flight = points_steps;
    w->t = t;
    w->t_end = t_end;
    worker_say(w, REQUEST_LOOK);
}

void worker_event(struct worker *w, const struct sw_event *event)
{
    worker_lock(w);
    w->event = event;
    worker_say(w, REQUEST_EVENT);
}
