#include "problem/steps_rounding.h"

#include <math.h>
#include <stdio.h>

void sw_steps_rounding_tell(double steps, double off, double moved, bool single, char text[200])
{
    const double most = fmin(0.01, moved);
    int length;
    text[0] = 0;
    if (!(off > fmax(most, SW_STEPS_ROUNDING))) return;
    length = snprintf(text, 200, "rounding in %.3g steps could move u by about %.2g of max|u|", steps, off);
    if (isfinite(moved)) length += snprintf(text + length, 200 - (size_t)length, ", which moved by %.2g", moved);
    snprintf(text + length, 200 - (size_t)length, ", where nothing draws it back; use a longer time.dt%s",
             single ? " or run.precision = \"double\"" : "");
}
