#include "base/sw_stop.h"

#include "base/sw_err.h"

static const volatile sig_atomic_t *watched;

void sw_stop_watch(const volatile sig_atomic_t *request) { watched = request; }

enum sw_status sw_stop_check(void)
{
    if (!watched || !__atomic_load_n(watched, __ATOMIC_RELAXED)) return SW_OK;
    return SW_FAIL(SW_E_STOPPED, "stopped");
}
