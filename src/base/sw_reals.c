#include "base/sw_reals.h"

#include <string.h>

void sw_reals_put(void *array, size_t word, size_t at, const double *value, size_t count)
{
    if (word == sizeof(double)) memcpy((double *)array + at, value, count * sizeof *value);
    else for (size_t i = 0; i < count; i++) ((float *)array)[at + i] = (float)value[i];
}

void sw_reals_get(const void *array, size_t word, size_t at, double *value, size_t count)
{
    if (word == sizeof(double)) memcpy(value, (const double *)array + at, count * sizeof *value);
    else for (size_t i = 0; i < count; i++) value[i] = ((const float *)array)[at + i];
}

void sw_reals_fill(void *array, size_t word, size_t at, double value, size_t count)
{
    for (size_t i = 0; i < count; i++) sw_reals_set(array, word, at + i, value);
}
