#include "base/sw_clock.h"

#include <string.h>
#include <time.h>

double sw_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void sw_clock_utc(double seconds, char text[21])
{
    time_t when = seconds > 0 ? (time_t)seconds : time(NULL);
    struct tm utc;
    memset(text, 0, 21);
    if (gmtime_r(&when, &utc)) strftime(text, 21, "%Y-%m-%dT%H:%M:%SZ", &utc);
}
