#include "problem/steps_rounding.h"

#include <math.h>

void sw_steps_rounding_tell(double steps, double off, double moved, bool single, struct sw_text *text)
{
    const double most = fmin(0.01, moved);
    if (!(off > fmax(most, SW_STEPS_ROUNDING))) return;
    sw_text_set(text, "rounding in %.3g steps could move u by about %.2g of max|u|", steps, off);
    if (isfinite(moved)) sw_text_printf(text, ", which moved by %.2g", moved);
    sw_text_printf(text, ", where nothing draws it back; use a longer time.dt%s",
                   single ? " or run.precision = \"double\"" : "");
}
