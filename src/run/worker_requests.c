/* Requests of a worker's thread to the scheduler. The thread waits for the answer, so that a stop that a callback asks
 * for takes effect at once; there are some ten requests a second. */
#include "run/run_impl.h"

void worker_lock(struct worker *w) { pthread_mutex_lock(&w->scheduler->mutex); }

void worker_unlock(struct worker *w) { pthread_mutex_unlock(&w->scheduler->mutex); }

void worker_request(struct worker *w, enum request request)
{
    w->request = request;
    pthread_cond_signal(&w->scheduler->requested);
    while (w->request != REQUEST_NONE) pthread_cond_wait(&w->answered, &w->scheduler->mutex);
    worker_unlock(w);
}

void worker_request_progress(struct worker *w, double points_steps, double t, double t_end)
{
    worker_lock(w);
    w->in_flight = points_steps;
    w->t = t;
    w->t_end = t_end;
    worker_request(w, REQUEST_PROGRESS);
}

void worker_request_event(struct worker *w, const struct sw_event *event)
{
    worker_lock(w);
    w->event = event;
    worker_request(w, REQUEST_EVENT);
}
