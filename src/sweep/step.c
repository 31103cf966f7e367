/* A time step that follows from a Courant number: of a problem with `step`, which has time.cfl in place of time.dt.
 * What the step follows from may be dear (speeds are sampled), so it is kept once it is known. */
#include <math.h>
#include <string.h>

#include "sweep/expand_impl.h"

void step_check(const struct sw_sweep *s)
{
    const struct sw_setting *dt = key_setting(s, "time.dt"), *cfl = key_setting(s, "time.cfl"),
                            *time = key_setting(s, "time");
    if (!s->problem->step) return;
    if (dt && cfl) report_error(s, cfl, "'time' has both dt and cfl; leave one out");
    if (!dt && !cfl)
        report_error(s, time, "'time.dt' is missing: give dt, the time step, or cfl, a Courant number");
}

enum sw_status step_source(struct sw_sweep *s, int k, bool *taken)
{
    struct source *from = &s->own->source[k];
    const struct sw_setting *cfl = key_setting(s, "time.cfl");
    *taken = s->problem->step && !from->setting && !strcmp(s->column[k].name, "time.dt") && cfl;
    if (!*taken) return SW_OK;
    from->kind = SOURCE_STEP;
    s->chooses_step = true;
    from->setting = cfl;  /* what is to blame for a step that is wrong */
    SW_TRY(sw_arena_take(s->own->arena, (size_t)(s->nruns > 0 ? s->nruns : 1), &s->own->step));
    return SW_OK;
}

bool step_follows(const struct sw_sweep *s, int k) { return s->chooses_step && s->own->shape.dt == k; }

/* Whether all other numbers of a run are known and allowed: a problem is asked about no other run. */
static bool is_sound(const struct sw_sweep *s, const double *column, int j)
{
    for (int k = 0; k < s->ncolumn; k++) {
        if (step_follows(s, k)) continue;
        if (s->own->source[k].unknown || !key_allows(s->column[k].key, column[(size_t)k * BLOCK + (size_t)j]))
            return false;
    }
    return true;
}

enum sw_status step_fill(const struct sw_sweep *s, const int64_t *run, int64_t first, int count,
                         const double *column, double *out)
{
    struct sw_choice choice[MOST_CHOICES];
    for (int j = 0; j < count; j++) {
        double *kept = &s->own->step[run ? run[j] : first + j], step;
#pragma omp atomic read
        step = *kept;
        if (step == 0) {  /* not known yet; two threads may find it, and find the same */
            const struct sw_setup setup = setup_of_run(s, column, j, choice);
            out[j] = NAN;  /* for a function that names it, which the problem refuses */
            step = NAN;
            if (is_sound(s, column, j)) SW_TRY(s->problem->step(&setup, BLOCK, column, j, &step));
#pragma omp atomic write
            *kept = step;
        }
        out[j] = step;
    }
    return SW_OK;
}
