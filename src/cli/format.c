#include <math.h>
#include <stdio.h>

#include "cli/format.h"

static const char *scaled(double bytes, double base, const char *const *unit, char text[24])
{
    int k = 0;
    while (bytes >= 0.9995 * base && k < 5) { bytes /= base; k++; }
    snprintf(text, 24, bytes < 9.95 && k ? "%.1f %s" : "%.0f %s", bytes, unit[k]);
    return text;
}

const char *format_bytes(double bytes, char text[24])
{
    static const char *const unit[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
    return scaled(bytes, 1000, unit, text);
}

const char *format_memory(double bytes, char text[24])
{
    static const char *const unit[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
    return scaled(bytes, 1024, unit, text);
}

const char *format_clock(double seconds, char text[24])
{
    if (!(seconds < 360000)) { snprintf(text, 24, "--:--"); return text; }
    long s = lround(seconds < 0 ? 0 : seconds);
    if (s < 3600) snprintf(text, 24, "%02ld:%02ld", s / 60, s % 60);
    else snprintf(text, 24, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    return text;
}

const char *format_seconds(double seconds, char text[24])
{
    if (!(seconds >= 0)) snprintf(text, 24, "unknown");
    else if (seconds < 0.1) snprintf(text, 24, "less than 0.1 s");
    else if (seconds < 100) snprintf(text, 24, seconds < 9.95 ? "%.1f s" : "%.0f s", seconds);
    else if (seconds < 6000) snprintf(text, 24, "%.0f min", seconds / 60);
    else if (seconds < 360000) snprintf(text, 24, "%.1f h", seconds / 3600);
    else snprintf(text, 24, "%.0f days", seconds / 86400);
    return text;
}

const char *format_rate_unit(bool timed) { return timed ? "points·steps/s" : "points/s"; }
