/* When a sweep stops before its end. */
#include "base/sw_clock.h"
#include "run/run_impl.h"

/* If start-up used up the time limit, a sweep that is started again and again would never advance. Therefore the limit
 * allows for so many seconds of steps in any case. */
static const double least_seconds = 0.1;

void scheduler_note_first_step(struct sw_scheduler *s)
{
    double none = 0;
    atomic_compare_exchange_strong(&s->first_step, &none, sw_clock());
}

static bool time_limit_reached(const struct sw_scheduler *s, double now)
{
    const double limit = s->options->max_seconds, first_step = atomic_load(&s->first_step);
    return limit > 0 && now - s->started >= limit && first_step > 0 && now - first_step >= least_seconds;
}

/* Whatever the time. */
static bool stops_at_once(const struct sw_scheduler *s)
{
    const struct sw_run_sweep_options *o = s->options;
    const bool signalled = o->stop && __atomic_load_n(o->stop, __ATOMIC_RELAXED);
    return signalled || atomic_load(&s->stop) || (o->fail_fast && atomic_load(&s->run_failed));
}

bool scheduler_must_stop(const struct sw_scheduler *s, double now)
{
    return stops_at_once(s) || time_limit_reached(s, now);
}

/* A batch that is given up is lost. If one took longer than the time limit, and was given up for that each time, a
 * sweep would never advance: for the limit only what follows a batch of this call is given up. */
bool scheduler_may_give_up(const struct sw_scheduler *s, double now, bool computed)
{
    return stops_at_once(s) || (computed && time_limit_reached(s, now));
}

void sw_scheduler_stop(struct sw_scheduler *s) { atomic_store(&s->stop, true); }

bool sw_scheduler_is_stopping(const struct sw_scheduler *s) { return scheduler_must_stop(s, sw_clock()); }
