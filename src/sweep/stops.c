#include "sweep/stops.h"

#include "sweep/defined_scalars.h"
#include "sweep/keys.h"
#include "sweep/sweep_own.h"
#include "sweep/times.h"

static enum sw_status read_when(struct sw_sweep *s)
{
    const struct sw_setting *setting = key_setting(s, "stop.when");
    const char *unknown[SW_UNKNOWNS_MOST];
    struct sw_reduction_scope scope = defined_scalars_scope(s, unknown);
    struct defined_scalar *when = s->own->stop_when;
    if (!setting) return SW_OK;
    scope.passes_nan = true;  /* else log(min(u)) > 2 is false where min(u) is negative, and nobody is told */
    SW_TRY(defined_scalars_compile(s, setting, &scope, &when->reduction));
    if (!when->reduction) return SW_OK;
    when->setting = setting;
    s->stop_when = when->reduction;
    s->stop_when_text = setting->text;
    return SW_OK;
}

enum sw_status stops_read(struct sw_sweep *s)
{
    const struct sw_setting *group = s->problem->time ? key_setting(s, "stop") : NULL;
    *s->own->looks = (struct times){.kind = TIMES_NONE};
    if (!group || group->kind != SW_SETTING_GROUP) return SW_OK;  /* another kind is reported already */
    if (!key_setting(s, "stop.steady") && !key_setting(s, "stop.when")) {
        if (!key_is_guessed(s, "stop.steady") && !key_is_guessed(s, "stop.when"))
            report_error(s, group, "'stop' does not say why: add steady = 1e-8, or when = \"max(abs(u)) > 10\"");
        return SW_OK;
    }
    SW_TRY(read_when(s));
    SW_TRY(every_read(s, key_setting(s, "stop.every") ? "stop.every" : "output.scalars.every", s->own->looks));
    if (!s->own->looks->setting && !key_is_guessed(s, "stop.every"))
        report_error(s, group, "'stop' does not say when to look at the runs: add every = ..., a time");
    s->stops = true;
    return SW_OK;
}

void stops_free(struct sw_sweep *s)
{
    if (s->own->stop_when) sw_reduction_destroy(&s->own->stop_when->reduction);
}
