#include "problem/line/stepper/stepped.h"

#include <math.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "problem/line/stepper/own_steps_point.h"
#include "expr/inputs_point.h"
#include "problem/sw_setup.h"

_Static_assert(sizeof(struct sw_own_steps) == SW_OWN_STEPS_NUMBERS * sizeof(double), "a record of doubles alone");
_Static_assert((int)SW_OWN_STEPS_TICKS == (int)SW_TICKS && (int)SW_OWN_STEPS_PEAKS == (int)SW_UNKNOWNS_MOST,
               "own_steps_point.h, which includes nothing");

static struct sw_steps_taken steps_taken(const struct sw_sim *sim, const double *record)
{
    struct sw_own_steps s;
    memcpy(&s, record, sizeof s);
    return (struct sw_steps_taken){(int64_t)s.taken, (int64_t)s.refused, s.taken > 0 ? s.least : NAN,
                                   s.taken > 0 ? s.largest : NAN, s.error,
                                   sw_own_steps_time(&s, ((const struct sw_stepped *)sim)->times),
                                   s.end == SW_OWN_STEPS_GO_ON ? 0 : s.dt};
}

void sw_stepped_take_operations(struct sw_stepped *s, const struct sw_sim_ops *row)
{
    s->operations = *row;
    s->states = *row->states;
    s->operations.states = &s->states;
    s->operations.records = NULL;
    s->sim.ops = &s->operations;
    if (!s->ticks) return;
    s->records = *row->records;
    s->records.numbers = SW_OWN_STEPS_NUMBERS;
    s->records.steps_taken = steps_taken;
    s->operations.records = &s->records;
}

enum sw_status sw_stepped_load(const struct sw_stepped *s, int count)
{
    if (count >= 1 && count <= s->capacity) return SW_OK;
    return SW_FAIL(SW_E_ARG, "a batch of %d runs, where there is room for 1 to %d", count, s->capacity);
}

enum sw_status sw_stepped_advance(struct sw_stepped *s, int64_t from, int64_t to)
{
    if (from < 0 || to < from)
        return SW_FAIL(SW_E_ARG, "cannot advance from step %lld to %lld", (long long)from, (long long)to);
    if (s->ticks && (!s->times || to > s->goals * SW_OWN_STEPS_TICKS))
        return SW_FAIL(SW_E_ARG, "cannot advance to tick %lld: there are no times for it", (long long)to);
    if (s->paces && to > s->paces->goals * SW_TICKS)
        return SW_FAIL(SW_E_ARG, "cannot advance to tick %lld: there is no goal there", (long long)to);
    s->step = to;
    return SW_OK;
}

const char *sw_own_steps_fault(double tolerance, double absolute, double first_dt)
{
    if (!(isfinite(tolerance) && tolerance > 0.0)) return "the tolerance is not a positive number";
    if (!(isfinite(absolute) && absolute >= 0.0)) return "the absolute tolerance is not a number of 0 or more";
    return isfinite(first_dt) && first_dt >= 0.0 ? NULL : "the first dt is not a positive number";
}

void sw_stepped_explain_end(const struct sw_stepped *stepped, const double *record, bool absolute,
                            struct sw_text *text)
{
    struct sw_own_steps s;
    memcpy(&s, record, sizeof s);
    const double t = sw_own_steps_time(&s, stepped->times);
    const char *set = absolute ? "raise" : "give";
    if (s.end == SW_OWN_STEPS_TOO_MANY)
        sw_text_set(text, "%g steps to an output time, at t = %.6g, dt = %.3g: too small a tolerance; where |u| is far "
                    "below its peak %s time.tolerance_absolute", s.attempts, t, s.dt, set);
    else if (s.end == SW_OWN_STEPS_NOT_FINITE)
        sw_text_set(text, "not finite at t = %.6g however small the step: dt fell to %.3g; u grows without bound, or "
                    "what drives it is no number", t, s.dt);
    else
        sw_text_set(text, "not within the tolerance at t = %.6g however small the step: dt fell to %.3g; u has a pole, "
                    "or is small and jumps: %s time.tolerance_absolute", t, s.dt, set);
}

void sw_stepped_free(struct sw_stepped *s)
{
    sw_owned_free(&s->arrays);
    sw_free(s->own);
    sw_free(s);
}
