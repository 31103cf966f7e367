#ifndef SW_REALS_H
#define SW_REALS_H
/* Arrays of float or of double on the host: a `word` of so many bytes, 4 or 8, says which. What is computed with is
 * double; put rounds to the nearest float. Arrays are borrowed, indices count numbers. */
#include <stdbool.h>
#include <stddef.h>

/** The word of arrays in single precision, or else in double. */
static inline size_t sw_reals_word(bool single) { return single ? sizeof(float) : sizeof(double); }

/** Number i, and number i := value. */
static inline double sw_reals_at(const void *array, size_t word, size_t i)
{
    return word == sizeof(float) ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

static inline void sw_reals_set(void *array, size_t word, size_t i, double value)
{
    if (word == sizeof(float)) ((float *)array)[i] = (float)value;
    else ((double *)array)[i] = value;
}

/** Numbers at, at+1, .. at+count-1 := value[0 .. count-1]; and value := those. */
void sw_reals_put(void *array, size_t word, size_t at, const double *value, size_t count);
void sw_reals_get(const void *array, size_t word, size_t at, double *value, size_t count);
/** Those numbers := value. */
void sw_reals_fill(void *array, size_t word, size_t at, double value, size_t count);
#endif
